/* SPDX-License-Identifier: BSD-3-Clause
 * Other shapes of the same data: views where strides can say it, copies where they cannot. */
#include <string.h>
#include "core/layout.h"
#include "core/plan.h"
#include "core/result.h"
#include "garray/shape.h"

/* ---- reshape ---- */

/* Fills in a length of -1 and checks the size. */
static garray_status target_shape(const garray_t *x, garray_shape shape, int64_t *lengths)
{
    char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
    int64_t known = 1;
    int unknown = -1;
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)shape.n,
                   GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(shape.v || shape.n == 0, INVALID, "shape is NULL");
    for (int i = 0; i < (int)shape.n; i++) {
        lengths[i] = shape.v[i];
        if (lengths[i] == -1) {
            GARRAY_REQUIRE(unknown < 0, SHAPE, "can only specify one unknown dimension");
            unknown = i;
            continue;
        }
        GARRAY_REQUIRE(lengths[i] >= 0, SHAPE, "negative dimensions are not allowed: %lld at axis %d", (long long)lengths[i], i);
        GARRAY_REQUIRE(!__builtin_mul_overflow(known, lengths[i], &known), SHAPE,
                       "cannot reshape array of shape %s into shape %s",
                       garray__shape_text(x->ndim, x->shape, a), garray__shape_text((int)shape.n, shape.v, b));
    }
    if (unknown >= 0 && known > 0 && x->size % known == 0)
        lengths[unknown] = x->size / known;
    else if (unknown >= 0 || known != x->size)
        return garray__fail(GARRAY_ERR_SHAPE, "cannot reshape array of shape %s into shape %s",
                            garray__shape_text(x->ndim, x->shape, a), garray__shape_text((int)shape.n, shape.v, b));
    return GARRAY_OK;
}

/* Strides of x's elements under another shape of the same size, if there are such: groups of axes of both shapes
 * with equal products must each be one run in memory. */
static bool restride(const garray_t *x, int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t old_shape[GARRAY_MAX_NDIM], old_strides[GARRAY_MAX_NDIM];
    int old = 0;
    if (x->size == 0 || x->flags & GARRAY__CONTIGUOUS) {
        garray__c_strides(ndim, shape, garray__size_of(x->dtype), strides);
        return true;
    }
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] != 1) {
            old_shape[old] = x->shape[i];
            old_strides[old++] = garray__strides(x)[i];
        }
    int i = 0, j = 0;
    while (i < ndim && j < old) {
        int64_t a = shape[i], b = old_shape[j];
        int i_end = i + 1, j_end = j + 1;
        while (a != b)
            if (a < b)
                a *= shape[i_end++];
            else
                b *= old_shape[j_end++];
        for (int k = j; k + 1 < j_end; k++)
            if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1])
                return false;
        strides[i_end - 1] = old_strides[j_end - 1];
        for (int k = i_end - 1; k > i; k--)
            strides[k - 1] = strides[k] * shape[k];
        i = i_end;
        j = j_end;
    }
    for (; i < ndim; i++)           /* lengths of 1 at the end */
        strides[i] = garray__size_of(x->dtype);
    return true;
}

garray_status garray__reshaped(const garray_t *x, int ndim, const int64_t *shape, garray_t **out)
{
    int64_t strides[GARRAY_MAX_NDIM];
    if (restride(x, ndim, shape, strides))
        return garray__view(x->buffer, x->data, x->dtype, ndim, shape, strides, x->flags & GARRAY__WRITEABLE, out);
    garray_t *copy;
    garray_status st = garray__copy_as(x, x->dtype, &copy);
    if (st != GARRAY_OK)
        return st;
    garray__c_strides(ndim, shape, garray__size_of(x->dtype), strides);
    st = garray__view(copy->buffer, copy->data, x->dtype, ndim, shape, strides, true, out);
    garray_release(copy);
    return st;
}

static garray_status reshape(const garray_t *x, garray_shape shape, garray_t **out)
{
    int64_t lengths[GARRAY_MAX_NDIM];
    garray_t *view;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = target_shape(x, shape, lengths);
    if (st == GARRAY_OK)
        st = garray__reshaped(x, (int)shape.n, lengths, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

garray_status garray_reshape(const garray_t *x, garray_shape shape, garray_t **out)
{
    GARRAY_ENTER("garray_reshape");
    return reshape(x, shape, out);
}

garray_status garray_ravel(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_ravel");
    int64_t all = -1;
    if (x && x->size == 0)
        all = 0;
    garray_shape shape = { 1, &all };
    return reshape(x, shape, out);
}

/* ---- order of axes ---- */

static void take_axis(struct garray__layout *l, int to, const garray_t *x, int from)
{
    l->shape[to] = x->shape[from];
    l->strides[to] = garray__strides(x)[from];
}

garray_status garray_permute_dims(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_permute_dims");
    struct garray__layout l;
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    bool reverse = axes.n == 0 && !axes.v;
    GARRAY_REQUIRE(reverse || axes.n == x->ndim, AXIS, "axes don't match array: %lld axes for %d dimensions",
                   (long long)axes.n, x->ndim);
    st = garray__axis_set(axes, x->ndim, set);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < x->ndim; i++)
        take_axis(&l, i, x, reverse ? x->ndim - 1 - i : axes.v[i] < 0 ? axes.v[i] + x->ndim : axes.v[i]);
    return garray__layout_assign(x, &l, out);
}

static garray_status swap_axes(const garray_t *x, int axis1, int axis2, garray_t **out)
{
    struct garray__layout l;
    garray_status st = garray__layout_open(x, out, &l);
    if (st == GARRAY_OK)
        st = garray__axis(axis1, x->ndim, &axis1);
    if (st == GARRAY_OK)
        st = garray__axis(axis2, x->ndim, &axis2);
    if (st != GARRAY_OK)
        return st;
    take_axis(&l, axis1, x, axis2);
    take_axis(&l, axis2, x, axis1);
    return garray__layout_assign(x, &l, out);
}

garray_status garray_matrix_transpose(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_matrix_transpose");
    GARRAY_REQUIRE(!x || x->ndim >= 2, SHAPE, "at least 2 axes are needed, the array has %d", x->ndim);
    return swap_axes(x, -1, -2, out);
}

garray_status garray_swapaxes(const garray_t *x, int axis1, int axis2, garray_t **out)
{
    GARRAY_ENTER("garray_swapaxes");
    return swap_axes(x, axis1, axis2, out);
}

garray_status garray_moveaxis(const garray_t *x, garray_axes source, garray_axes destination, garray_t **out)
{
    GARRAY_ENTER("garray_moveaxis");
    struct garray__layout l;
    bool moved[GARRAY_MAX_NDIM], taken[GARRAY_MAX_NDIM];
    int from[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(source.v && destination.v && source.n == destination.n, AXIS, "source and destination differ in number");
    st = garray__axis_set(source, x->ndim, moved);
    if (st == GARRAY_OK)
        st = garray__axis_set(destination, x->ndim, taken);
    if (st != GARRAY_OK)
        return st;
    for (int64_t i = 0; i < source.n; i++) {
        int a = source.v[i] < 0 ? source.v[i] + x->ndim : source.v[i];
        int b = destination.v[i] < 0 ? destination.v[i] + x->ndim : destination.v[i];
        from[b] = a;
    }
    for (int i = 0, next = 0; i < x->ndim; i++) {
        if (taken[i])
            continue;
        while (moved[next])
            next++;
        from[i] = next++;
    }
    for (int i = 0; i < x->ndim; i++)
        take_axis(&l, i, x, from[i]);
    return garray__layout_assign(x, &l, out);
}

/* ---- axes of length 1, reversal, broadcasting ---- */

garray_status garray_squeeze(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_squeeze");
    struct garray__layout l;
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st == GARRAY_OK)
        st = garray__axis_set(axes, x->ndim, set);
    if (st != GARRAY_OK)
        return st;
    bool all = axes.n == 0 && !axes.v;
    l.ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        GARRAY_REQUIRE(all || !set[i] || x->shape[i] == 1, SHAPE,
                       "cannot select an axis to squeeze out which has size not equal to one: axis %d has %lld", i,
                       (long long)x->shape[i]);
        if (!(set[i] && x->shape[i] == 1))
            take_axis(&l, l.ndim++, x, i);
    }
    return garray__layout_assign(x, &l, out);
}

garray_status garray_expand_dims(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_expand_dims");
    struct garray__layout l;
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(axes.v && axes.n >= 0, AXIS, "the axes must be given");
    GARRAY_REQUIRE(axes.n <= GARRAY_MAX_NDIM && x->ndim + axes.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed",
                   (long long)(x->ndim + axes.n), GARRAY_MAX_NDIM);
    l.ndim = x->ndim + (int)axes.n;
    st = garray__axis_set(axes, l.ndim, set);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0, next = 0; i < l.ndim; i++) {
        if (!set[i]) {
            take_axis(&l, i, x, next++);
            continue;
        }
        l.shape[i] = 1;
        l.strides[i] = garray__size_of(x->dtype);
    }
    return garray__layout_assign(x, &l, out);
}

garray_status garray_flip(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_flip");
    struct garray__layout l;
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st == GARRAY_OK)
        st = garray__axis_set(axes, x->ndim, set);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < x->ndim; i++)
        if (set[i] && x->shape[i] > 0) {
            l.data += (l.shape[i] - 1) * l.strides[i];
            l.strides[i] = -l.strides[i];
        }
    return garray__layout_assign(x, &l, out);
}

garray_status garray_broadcast_to(const garray_t *x, garray_shape shape, garray_t **out)
{
    GARRAY_ENTER("garray_broadcast_to");
    garray_t *view;
    int64_t count;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    st = garray__count((int)shape.n, shape.v, garray__size_of(x->dtype), &count);
    if (st == GARRAY_OK)
        st = garray__broadcast(x, (int)shape.n, shape.v, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

garray_status garray_broadcast_shapes(int n, const garray_shape *shapes, int64_t lengths[GARRAY_MAX_NDIM], garray_shape *result)
{
    GARRAY_ENTER("garray_broadcast_shapes");
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 0;
    GARRAY_REQUIRE(lengths && result && (shapes || n == 0), INVALID, "an argument is NULL");
    for (int i = 0; i < n; i++) {
        int64_t count;
        GARRAY_REQUIRE(shapes[i].n >= 0 && shapes[i].n <= GARRAY_MAX_NDIM && (shapes[i].v || shapes[i].n == 0), SHAPE,
                       "shape %d is malformed", i);
        garray_status st = garray__count((int)shapes[i].n, shapes[i].v, 1, &count);
        if (st == GARRAY_OK)
            st = garray__broadcast_shapes(&ndim, shape, (int)shapes[i].n, shapes[i].v);
        if (st != GARRAY_OK)
            return st;
    }
    memcpy(lengths, shape, sizeof(int64_t) * (size_t)ndim);
    result->n = ndim;
    result->v = lengths;
    return GARRAY_OK;
}
