/* SPDX-License-Identifier: BSD-3-Clause
 * More views of the same elements: axes rolled, added, turned by 90 degrees; windows; strides and dtypes of the caller's
 * choice.  And the copy in one axis. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/shape.h"

garray_status garray_rollaxis(const garray_t *x, int axis, int start, garray_t **out)
{
    GARRAY_ENTER("garray_rollaxis");
    struct garray__layout l;
    int from[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st == GARRAY_OK)
        st = garray__axis(axis, x->ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    int n = x->ndim, place = start < 0 ? start + n : start;
    GARRAY_REQUIRE(place >= 0 && place <= n, AXIS, "start is %d, it must be in [%d, %d]", start, -n, n);
    if (place > axis)
        place--;                    /* the places count as if the axis were gone */
    for (int i = 0, next = 0; i < n; i++) {
        next += next == axis;
        from[i] = i == place ? axis : next++;
    }
    garray__layout_permute(&l, from);
    return garray__layout_assign(x, &l, out);
}

/* ---- at least so many axes ---- */

static garray_status at_least(const garray_t *x, int n, garray_t **out)
{
    struct garray__layout l;
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    int have = x->ndim, first = have >= n ? 0 : n == 3 ? (have < 2) : n - have;
    for (int i = 0; have < n && i < n; i++) {
        int j = i - first;
        l.shape[i] = j >= 0 && j < have ? x->shape[j] : 1;
        l.strides[i] = j >= 0 && j < have ? garray__strides(x)[j] : garray__size_of(x->dtype);
    }
    l.ndim = have < n ? n : have;
    return garray__layout_assign(x, &l, out);
}

garray_status garray_atleast_1d(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_atleast_1d");
    return at_least(x, 1, out);
}

garray_status garray_atleast_2d(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_atleast_2d");
    return at_least(x, 2, out);
}

garray_status garray_atleast_3d(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_atleast_3d");
    return at_least(x, 3, out);
}

/* ---- turned ---- */

static void reverse_axis(struct garray__layout *l, int axis)
{
    if (l->shape[axis] > 0)
        garray__layout_range(l, axis, l->shape[axis] - 1, -1, l->shape[axis]);
}

static garray_status flip(const garray_t *x, int axis, garray_t **out)
{
    struct garray__layout l;
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->ndim > axis, SHAPE, "input must be >= %d-d", axis + 1);
    reverse_axis(&l, axis);
    return garray__layout_assign(x, &l, out);
}

garray_status garray_flipud(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_flipud");
    return flip(x, 0, out);
}

garray_status garray_fliplr(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_fliplr");
    return flip(x, 1, out);
}

garray_status garray_rot90(const garray_t *x, int64_t k, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_rot90");
    struct garray__layout l;
    int a = 0, b = 1, from[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    bool first_two = axes.n == 0 && !axes.v;
    GARRAY_REQUIRE(first_two || (axes.n == 2 && axes.v), AXIS, "two axes are needed, not %lld", (long long)axes.n);
    st = garray__axis(first_two ? 0 : axes.v[0], x->ndim, &a);
    if (st == GARRAY_OK)
        st = garray__axis(first_two ? 1 : axes.v[1], x->ndim, &b);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(a != b, AXIS, "axes must be different");
    int turns = (int)(k % 4 + 4) % 4;
    for (int i = 0; i < x->ndim; i++)
        from[i] = turns % 2 == 0 ? i : i == a ? b : i == b ? a : i;
    if (turns == 1 || turns == 2)
        reverse_axis(&l, b);
    if (turns == 2)
        reverse_axis(&l, a);
    garray__layout_permute(&l, from);
    if (turns == 3)
        reverse_axis(&l, b);
    return garray__layout_assign(x, &l, out);
}

/* ---- windows and free strides ---- */

/* Whether all elements of the layout lie in x's buffer. */
static bool inside_buffer(const garray_t *x, const struct garray__layout *l)
{
    __int128 low = l->data - (char *)x->buffer->data, high = low + garray__size_of(x->dtype);
    for (int i = 0; i < l->ndim; i++) {
        __int128 reach = (__int128)(l->shape[i] - 1) * l->strides[i];
        if (l->shape[i] == 0)
            return true;
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    if (x->buffer->size > 0)
        return low >= 0 && high <= (__int128)x->buffer->size;
    /* memory of somebody else, whose size is not known: what x itself reaches */
    char *first, *last;
    garray__extent(x, &first, &last);
    return low >= first - (char *)x->buffer->data && high <= last - (char *)x->buffer->data;
}

garray_status garray_as_strided(const garray_t *x, garray_shape shape, const int64_t *byte_strides,
                                const garray_strided_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_as_strided");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    struct garray__layout l;
    int64_t count;
    garray_t *view;
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    GARRAY_REQUIRE(byte_strides || shape.n == x->ndim || shape.n == 0, INVALID, "strides must be given for another number of axes");
    st = garray__count((int)shape.n, shape.v, garray__size_of(x->dtype), &count);
    if (st != GARRAY_OK)
        return st;
    l.ndim = (int)shape.n;
    for (int i = 0; i < l.ndim; i++) {
        l.shape[i] = shape.v[i];
        l.strides[i] = byte_strides ? byte_strides[i] : garray__strides(x)[i];
    }
    GARRAY_REQUIRE(inside_buffer(x, &l), INVALID, "shape and strides lead out of the buffer of x");
    st = garray__layout_view(x, &l, x->flags & GARRAY__WRITEABLE && !(opts && opts->readonly), &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

garray_status garray_sliding_window_view(const garray_t *x, garray_shape window, garray_axes axes,
                                         const garray_window_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_sliding_window_view");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    struct garray__layout l;
    int64_t count;
    garray_t *view;
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    bool all = axes.n == 0 && !axes.v;
    GARRAY_REQUIRE(window.n >= 0 && (window.v || window.n == 0) && axes.n >= 0, INVALID, "a list is malformed");
    GARRAY_REQUIRE(window.n == (all ? x->ndim : axes.n), SHAPE, "%lld window lengths for %lld axes", (long long)window.n,
                   (long long)(all ? x->ndim : axes.n));
    GARRAY_REQUIRE(window.n <= GARRAY_MAX_NDIM - x->ndim, SHAPE, "%lld axes; at most %d are allowed",
                   (long long)(x->ndim + window.n), GARRAY_MAX_NDIM);
    for (int i = 0; i < (int)window.n; i++) {       /* an axis may be given twice, as in NumPy */
        int axis = i;
        if (!all)
            st = garray__axis(axes.v[i], x->ndim, &axis);
        if (st != GARRAY_OK)
            return st;
        GARRAY_REQUIRE(window.v[i] >= 0, SHAPE, "window length %lld is negative", (long long)window.v[i]);
        GARRAY_REQUIRE(window.v[i] <= l.shape[axis], SHAPE, "window length %lld is larger than the %lld elements of axis %d",
                       (long long)window.v[i], (long long)l.shape[axis], axis);
        l.shape[axis] -= window.v[i] - 1;
        l.shape[l.ndim] = window.v[i];
        l.strides[l.ndim++] = garray__strides(x)[axis];
    }
    st = garray__count(l.ndim, l.shape, garray__size_of(x->dtype), &count);
    if (st == GARRAY_OK)
        st = garray__layout_view(x, &l, x->flags & GARRAY__WRITEABLE && opts && opts->writeable, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

/* ---- other dtypes ---- */

garray_status garray_view(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_view");
    struct garray__layout l;
    garray_t *view;
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY_REQUIRE(dtype != GARRAY_BOOL || x->dtype == GARRAY_BOOL, DTYPE,
                   "%s cannot be viewed as bool, whose bytes are 0 or 1; compare with 0 instead", garray__name_of(x->dtype));
    int64_t from = garray__size_of(x->dtype), to = garray__size_of(dtype);
    if (from != to) {
        int last = x->ndim - 1;
        GARRAY_REQUIRE(last >= 0, SHAPE, "changing the dtype of a 0d array is only supported if the itemsize is unchanged");
        GARRAY_REQUIRE(x->size == 0 || l.shape[last] == 1 || l.strides[last] == from, SHAPE,
                       "to change to a dtype of a different size, the last axis must be contiguous");
        GARRAY_REQUIRE(l.shape[last] * from % to == 0, SHAPE, "when changing to a larger dtype, its size must be a divisor "
                       "of the total size in bytes of the last axis of the array");
        l.shape[last] = l.shape[last] * from / to;
        l.strides[last] = to;
    }
    st = garray__view(x->buffer, l.data, dtype, l.ndim, l.shape, l.strides, x->flags & GARRAY__WRITEABLE, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

/* Byte by byte: the inner axis of the copy is an element's bytes, read backwards. */
garray_status garray_byteswap(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_byteswap");
    struct garray__result r;
    struct garray__sides s;
    garray_t *to = NULL, *from = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = garray__result_open(&r, out, x->dtype, x->ndim, x->shape, garray__device_of(x), 0, 1, &x);
    if (st != GARRAY_OK || x->size == 0)
        return st == GARRAY_OK ? garray__result_close(&r, st) : st;
    int64_t item = garray__size_of(x->dtype), part = garray__kind_of(x->dtype) == GARRAY__K_COMPLEX ? item / 2 : item;
    garray__sides_open(&s, r.target->data, x->data + part - 1);
    for (int i = 0; i < x->ndim; i++)
        garray__sides_axis(&s, x->shape[i], garray__strides(r.target)[i], garray__strides(x)[i]);
    garray__sides_axis(&s, item / part, part, part);
    garray__sides_axis(&s, part, 1, -1);
    GARRAY__TRY(garray__view(r.target->buffer, s.to.data, GARRAY_UINT8, s.to.ndim, s.to.shape, s.to.strides, true, &to));
    GARRAY__TRY(garray__view(x->buffer, s.from.data, GARRAY_UINT8, s.from.ndim, s.from.shape, s.from.strides, false, &from));
    st = garray__assign_apart(to, from);
done:
    garray_release(to);
    garray_release(from);
    return garray__result_close(&r, st);
}

/* ---- a copy in one axis ---- */

garray_status garray_flatten(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_flatten");
    garray_t *copy = NULL, *flat = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__copy_as(x, x->dtype, &copy));
    GARRAY__TRY(garray__flat(copy, &flat));
    st = garray__result_assign(out, flat);
done:
    garray_release(copy);
    return st;
}
