/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays joined: concat and stack, their relatives that first add axes, and blocks of a matrix. */
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/join.h"
#include "garray/shape.h"

/* The common dtype and device of the arrays; all of them have the shape of the first, but along `free_axis`. */
static garray_status check_list(garray_list arrays, int free_axis, int *dtype)
{
    uint32_t dtypes = 0;
    GARRAY_REQUIRE(arrays.n > 0 && arrays.v, INVALID, "need at least one array");
    for (int64_t i = 0; i < arrays.n; i++) {
        const garray_t *x = arrays.v[i], *first = arrays.v[0];
        GARRAY_REQUIRE(x, INVALID, "array %lld is NULL", (long long)i);
        garray_status st = garray__same_device(garray__device_of(first), x);
        if (st != GARRAY_OK)
            return st;
        dtypes |= 1u << x->dtype;
        bool same = x->ndim == first->ndim;
        for (int k = 0; k < x->ndim && same; k++)
            same = k == free_axis || x->shape[k] == first->shape[k];
        if (!same) {
            char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
            return garray__fail(GARRAY_ERR_SHAPE, "array 0 has shape %s, array %lld has shape %s",
                                garray__shape_text(first->ndim, first->shape, a), (long long)i,
                                garray__shape_text(x->ndim, x->shape, b));
        }
    }
    *dtype = garray__promote_set(dtypes);
    return GARRAY_OK;
}

/* Writes the arrays side by side along an axis of the target; with `as_new` they lack that axis. */
static garray_status join(garray_list arrays, int axis, bool as_new, int dtype, int ndim, const int64_t *shape, garray_t **out)
{
    struct garray__result r;
    garray_status st = garray__result_open(&r, out, dtype, ndim, shape, garray__device_of(arrays.v[0]), GARRAY__CASTS,
                                           arrays.n <= INT32_MAX ? (int)arrays.n : INT32_MAX, arrays.v);
    if (st != GARRAY_OK)
        return st;
    int64_t place = 0;
    for (int64_t i = 0; i < arrays.n && st == GARRAY_OK; i++) {
        const garray_t *x = arrays.v[i];
        int64_t part_shape[GARRAY_MAX_NDIM], part_strides[GARRAY_MAX_NDIM];
        garray_t *part = NULL;
        int n = 0;
        for (int k = 0; k < ndim; k++) {
            if (as_new && k == axis)
                continue;
            part_shape[n] = k == axis ? x->shape[k] : shape[k];
            part_strides[n++] = garray__strides(r.target)[k];
        }
        st = garray__view(r.target->buffer, r.target->data + place * garray__strides(r.target)[axis], r.target->dtype, n,
                          part_shape, part_strides, true, &part);
        if (st == GARRAY_OK)
            st = garray__assign_apart(part, x);
        garray_release(part);
        place += as_new ? 1 : x->shape[axis];
    }
    return garray__result_close(&r, st);
}

static garray_status concat(garray_list arrays, int axis, garray_t **out)
{
    int dtype = 0;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(arrays.n > 0 && arrays.v && arrays.v[0], INVALID, "need at least one array");
    int ndim = arrays.v[0]->ndim;
    GARRAY_REQUIRE(ndim > 0, SHAPE, "zero-dimensional arrays cannot be concatenated");
    st = garray__axis(axis, ndim, &axis);
    if (st == GARRAY_OK)
        st = check_list(arrays, axis, &dtype);
    if (st != GARRAY_OK)
        return st;
    memcpy(shape, arrays.v[0]->shape, sizeof(int64_t) * (size_t)ndim);
    for (int64_t i = 1; i < arrays.n; i++)
        GARRAY_REQUIRE(!__builtin_add_overflow(shape[axis], arrays.v[i]->shape[axis], &shape[axis]), SHAPE,
                       "the result is too big");
    return join(arrays, axis, false, dtype, ndim, shape, out);
}

garray_status garray_stack(garray_list arrays, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_stack");
    int dtype = 0;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_list(arrays, -1, &dtype);
    if (st != GARRAY_OK)
        return st;
    int ndim = arrays.v[0]->ndim + 1;
    GARRAY_REQUIRE(ndim <= GARRAY_MAX_NDIM, SHAPE, "%d axes; at most %d are allowed", ndim, GARRAY_MAX_NDIM);
    st = garray__axis(axis, ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < ndim; i++)
        shape[i] = i == axis ? arrays.n : arrays.v[0]->shape[i < axis ? i : i - 1];
    return join(arrays, axis, true, dtype, ndim, shape, out);
}

garray_status garray_concat(garray_list arrays, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_concat");
    if (axis != GARRAY_FLAT)
        return concat(arrays, axis, out);
    garray_status st = garray__result_check(out);
    garray_t **flat = NULL;
    int64_t n = 0;
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(arrays.n > 0 && arrays.v, INVALID, "need at least one array");
    flat = calloc((size_t)arrays.n, sizeof *flat);
    GARRAY_REQUIRE(flat, NOMEM, "no host memory for %lld arrays", (long long)arrays.n);
    for (; n < arrays.n; n++) {
        GARRAY__CHECK(arrays.v[n], INVALID, "array %lld is NULL", (long long)n);
        GARRAY__TRY(garray__flat(arrays.v[n], &flat[n]));
    }
    st = concat((garray_list){ n, (const garray_t *const *)flat }, 0, out);
done:
    for (int64_t i = 0; i < arrays.n; i++)
        garray_release(flat[i]);
    free(flat);
    return st;
}

/* ---- with axes added first ---- */

typedef garray_status add_axes(const garray_t *x, garray_t **out);

/* concat of f(each array). */
static garray_status join_with(garray_list arrays, add_axes *f, int axis, garray_t **out)
{
    garray_status st = garray__result_check(out);
    garray_t **wide = NULL;
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(arrays.n > 0 && arrays.v, INVALID, "need at least one array");
    wide = calloc((size_t)arrays.n, sizeof *wide);
    GARRAY_REQUIRE(wide, NOMEM, "no host memory for %lld arrays", (long long)arrays.n);
    for (int64_t i = 0; i < arrays.n; i++) {
        GARRAY__CHECK(arrays.v[i], INVALID, "array %lld is NULL", (long long)i);
        GARRAY__TRY(f(arrays.v[i], &wide[i]));
    }
    st = concat((garray_list){ arrays.n, (const garray_t *const *)wide }, axis, out);
done:
    for (int64_t i = 0; i < arrays.n; i++)
        garray_release(wide[i]);
    free(wide);
    return st;
}

garray_status garray_hstack(garray_list arrays, garray_t **out)
{
    GARRAY_ENTER("garray_hstack");
    int axis = arrays.n > 0 && arrays.v && arrays.v[0] && arrays.v[0]->ndim > 1;
    return join_with(arrays, garray_atleast_1d, axis, out);
}

garray_status garray_vstack(garray_list arrays, garray_t **out)
{
    GARRAY_ENTER("garray_vstack");
    return join_with(arrays, garray_atleast_2d, 0, out);
}

garray_status garray_dstack(garray_list arrays, garray_t **out)
{
    GARRAY_ENTER("garray_dstack");
    return join_with(arrays, garray_atleast_3d, 2, out);
}

/* A vector as a column, a number as a matrix of one. */
static garray_status as_column(const garray_t *x, garray_t **out)
{
    if (x->ndim >= 2)
        return garray_atleast_2d(x, out);
    return garray__reshaped(x, 2, (const int64_t[]){ x->size, 1 }, out);
}

garray_status garray_column_stack(garray_list arrays, garray_t **out)
{
    GARRAY_ENTER("garray_column_stack");
    return join_with(arrays, as_column, 1, out);
}

garray_status (garray_append)(const garray_t *x, garray_operand values, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_append");
    garray_t *more = NULL, *own[2] = { NULL, NULL };
    int at = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__operand_check(&values, "values");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    bool flat = axis.n == 0 && !axis.v;
    GARRAY_REQUIRE(flat || (axis.n == 1 && axis.v), AXIS, "takes one axis, not %lld", (long long)axis.n);
    if (values.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&values, &more));
    } else {
        garray_operand both[2] = { garray_operand_array(x), values };
        GARRAY__TRY(garray__new(garray__common_dtype(2, both), 0, NULL, garray__device_of(x), &more));
        GARRAY__TRY(garray__fill(more, &values));
    }
    if (flat) {
        GARRAY__TRY(garray__flat(x, &own[0]));
        GARRAY__TRY(garray__flat(more, &own[1]));
    } else {
        GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &at));
        own[0] = garray__share(x);
        own[1] = garray__share(more);
    }
    st = concat((garray_list){ 2, (const garray_t *const *)own }, at, out);
done:
    garray_release(more);
    garray_release(own[0]);
    garray_release(own[1]);
    return st;
}

/* ---- blocks ---- */

/* The length of x along an axis of ndim, of which it may lack the first ones. */
static int64_t length_of(const garray_t *x, int ndim, int axis)
{
    int i = axis - (ndim - x->ndim);
    return i < 0 ? 1 : x->shape[i];
}

/* Checks the blocks: their dtypes, devices, and the shape of the whole. */
static garray_status block_shape(int64_t n, const garray_list *rows, uint32_t *dtypes, int *ndim, int64_t *shape)
{
    const garray_t *first = NULL;
    *dtypes = 0;
    *ndim = 2;
    for (int64_t r = 0; r < n; r++) {
        GARRAY_REQUIRE(rows[r].n > 0 && rows[r].v, SHAPE, "row %lld has no arrays", (long long)r);
        for (int64_t i = 0; i < rows[r].n; i++) {
            const garray_t *x = rows[r].v[i];
            GARRAY_REQUIRE(x, INVALID, "array %lld of row %lld is NULL", (long long)i, (long long)r);
            first = first ? first : x;
            garray_status st = garray__same_device(garray__device_of(first), x);
            if (st != GARRAY_OK)
                return st;
            *dtypes |= 1u << x->dtype;
            *ndim = x->ndim > *ndim ? x->ndim : *ndim;
        }
    }
    int last = *ndim - 1;
    for (int64_t r = 0; r < n; r++) {
        int64_t width = 0;
        for (int64_t i = 0; i < rows[r].n; i++) {
            const garray_t *x = rows[r].v[i], *left = rows[r].v[0];
            for (int k = 0; k < last; k++)
                GARRAY_REQUIRE(length_of(x, *ndim, k) == length_of(left, *ndim, k), SHAPE,
                               "arrays 0 and %lld of row %lld have lengths %lld and %lld along axis %d", (long long)i,
                               (long long)r, (long long)length_of(left, *ndim, k), (long long)length_of(x, *ndim, k), k);
            GARRAY_REQUIRE(!__builtin_add_overflow(width, length_of(x, *ndim, last), &width), SHAPE, "the result is too big");
        }
        for (int k = 0; k <= last; k++) {
            int64_t length = k == last ? width : length_of(rows[r].v[0], *ndim, k);
            if (r == 0)
                shape[k] = length;
            else if (k == last - 1)
                GARRAY_REQUIRE(!__builtin_add_overflow(shape[k], length, &shape[k]), SHAPE, "the result is too big");
            else
                GARRAY_REQUIRE(shape[k] == length, SHAPE, "rows 0 and %lld have lengths %lld and %lld along axis %d",
                               (long long)r, (long long)shape[k], (long long)length, k);
        }
    }
    return GARRAY_OK;
}

static garray_status write_block(const garray_t *target, const garray_t *x, int64_t down, int64_t right)
{
    struct garray__layout l;
    garray_t *part;
    garray__layout_of(target, &l);
    int last = l.ndim - 1;
    garray__layout_range(&l, last - 1, down, 1, length_of(x, l.ndim, last - 1));
    garray__layout_range(&l, last, right, 1, length_of(x, l.ndim, last));
    garray_status st = garray__layout_view(target, &l, true, &part);
    if (st != GARRAY_OK)
        return st;
    st = garray__assign_apart(part, x);
    garray_release(part);
    return st;
}

garray_status garray_block(int64_t n, const garray_list *rows, garray_t **out)
{
    GARRAY_ENTER("garray_block");
    struct garray__result r;
    const garray_t **inputs = NULL;
    int64_t shape[GARRAY_MAX_NDIM] = { 0 }, count = 0, down = 0;
    uint32_t dtypes;
    int ndim;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(n > 0 && rows, INVALID, "need at least one row");
    st = block_shape(n, rows, &dtypes, &ndim, shape);
    if (st != GARRAY_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        count += rows[i].n;
    GARRAY_REQUIRE(count <= INT32_MAX, INVALID, "too many arrays");
    inputs = malloc((size_t)count * sizeof *inputs);
    GARRAY_REQUIRE(inputs, NOMEM, "no host memory for %lld arrays", (long long)count);
    count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < rows[i].n; k++)
            inputs[count++] = rows[i].v[k];
    st = garray__result_open(&r, out, garray__promote_set(dtypes), ndim, shape, garray__device_of(inputs[0]), GARRAY__CASTS,
                             (int)count, inputs);
    free(inputs);
    if (st != GARRAY_OK)
        return st;
    for (int64_t i = 0; i < n; i++) {
        int64_t right = 0;
        for (int64_t k = 0; k < rows[i].n && st == GARRAY_OK; k++) {
            st = write_block(r.target, rows[i].v[k], down, right);
            right += length_of(rows[i].v[k], ndim, ndim - 1);
        }
        down += length_of(rows[i].v[0], ndim, ndim - 2);
    }
    return garray__result_close(&r, st);
}
