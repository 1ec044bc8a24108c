/* SPDX-License-Identifier: BSD-3-Clause
 * reduceat: segments of an axis, each reduced.  Where an operation can be scattered, each element is scattered to its
 * segment; otherwise all segments take their next element at once, as often as the longest one has elements. */
#include <string.h>
#include "core/compose.h"
#include "core/fold.h"
#include "core/result.h"
#include "core/selection.h"
#include "garray/rearrange.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/ufunc.h"

struct segments {
    garray_t *start, *length;       /* int64 vectors */
    int64_t n;                      /* of the axis */
};

static void close_segments(struct segments *s)
{
    garray_release(s->start);
    garray_release(s->length);
}

/* INDEX where a start is not within the axis.  Waits. */
static garray_status check_starts(const garray_t *start, int64_t n, const char *name)
{
    garray_t *low = NULL, *high = NULL;
    int64_t least = 0, most = 0;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_min(start, (garray_axes){ 0, NULL }, NULL, &low));
    GARRAY__TRY(garray_max(start, (garray_axes){ 0, NULL }, NULL, &high));
    GARRAY__TRY(garray_item(low, &least));
    GARRAY__TRY(garray_item(high, &most));
    GARRAY__CHECK(least >= 0 && most < n, INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                  (long long)(least < 0 ? least : most), name, (long long)n);
done:
    garray_release(low);
    garray_release(high);
    return st;
}

static garray_status open_segments(const garray_t *indices, int64_t n, const char *name, struct segments *s)
{
    garray_t *stop = NULL, *part = NULL, *next = NULL;
    garray_operand end = garray_operand_int(n);
    int64_t k = indices->size;
    garray_status st = GARRAY_OK;
    s->n = n;
    GARRAY__TRY(garray__copy_as(indices, GARRAY_INT64, &s->start));
    GARRAY__TRY(check_starts(s->start, n, name));
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &k, garray__device_of(indices), &stop));
    GARRAY__TRY(garray__fill(stop, &end));
    GARRAY__TRY(garray__part(stop, 0, 0, k - 1, &part));
    GARRAY__TRY(garray__part(s->start, 0, 1, k - 1, &next));
    GARRAY__TRY(garray__assign(part, next));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, garray_operand_array(stop), garray_operand_array(s->start), 0, &s->length));
    st = garray__binary(GARRAY_OP_maximum, garray_operand_array(s->length), garray_operand_int(1), 0, &s->length);
done:
    garray_release(stop);
    garray_release(part);
    garray_release(next);
    return st;
}

/* Which segment each further element belongs to, and where it is: the first element of each is in the result already. */
static garray_status further_elements(const struct segments *s, garray_t **segment, garray_t **place)
{
    const garray_axes axis = { 1, &(int32_t){ 0 } };
    garray_t *count = NULL, *before = NULL, *number = NULL, *shift = NULL;
    garray_device device = garray_device_of(s->start);
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, garray_operand_array(s->length), garray_operand_int(1), 0, &count));
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(s->start->size), garray_operand_int(1), GARRAY_INT64,
                                device, &number));
    GARRAY__TRY((garray_repeat)(number, garray_operand_array(count), axis, segment));
    /* element j of all is the (j - those of earlier segments)-th after the first of its own */
    GARRAY__TRY(garray_cumulative_sum(count, axis, NULL, &before));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, garray_operand_array(count), garray_operand_array(before), 0, &before));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, garray_operand_array(before), garray_operand_array(s->start), 0, &before));
    GARRAY__TRY(garray__take(before, *segment, axis, &shift));
    GARRAY__TRY((garray_arange)(garray_operand_int(1), garray_operand_int((*segment)->size + 1), garray_operand_int(1), GARRAY_INT64,
                                device, &number));
    st = garray__binary(GARRAY_OP_add, garray_operand_array(number), garray_operand_array(shift), 0, place);
done:
    garray_release(count);
    garray_release(before);
    garray_release(number);
    garray_release(shift);
    return st;
}

/* result, which holds first elements, op all further ones. */
static garray_status scatter_segments(int op, const garray_t *x, int axis, const struct segments *s, garray_t *result)
{
    const garray_axes axes = { 1, &(int32_t){ axis } };
    garray_index items[GARRAY_MAX_NDIM];
    garray_t *segment = NULL, *place = NULL, *values = NULL;
    garray_operand value;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(further_elements(s, &segment, &place));
    if (segment->size == 0)
        goto done;
    GARRAY__TRY(garray__take(x, place, axes, &values));
    if (op == GARRAY_OP_subtract) {
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, garray_operand_array(values), &values));
        op = GARRAY_OP_add;
    }
    for (int i = 0; i < axis; i++)
        items[i] = GARRAY_ALL;
    items[axis] = garray_at_array(segment);
    value = garray_operand_array(values);
    st = garray__combine(op, result, (garray_indices){ axis + 1, items }, &value);
done:
    garray_release(segment);
    garray_release(place);
    garray_release(values);
    return st;
}

/* The r-th element of each segment that has one, for r = 1, 2, ... */
static garray_status step_segments(int op, const garray_t *x, int axis, const struct segments *s, garray_t **result)
{
    const garray_axes axes = { 1, &(int32_t){ axis } };
    garray_t *longest = NULL, *place = NULL, *value = NULL, *more = NULL, *wide = NULL, *next = NULL;
    int64_t most = 0, shape[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_max(s->length, (garray_axes){ 0, NULL }, NULL, &longest));
    GARRAY__TRY(garray_item(longest, &most));
    for (int i = 0; i < x->ndim; i++)
        shape[i] = 1;
    shape[axis] = s->start->size;
    for (int64_t r = 1; r < most; r++) {
        GARRAY__TRY(garray__binary(GARRAY_OP_add, garray_operand_array(s->start), garray_operand_int(r), 0, &place));
        GARRAY__TRY(garray__binary(GARRAY_OP_minimum, garray_operand_array(place), garray_operand_int(s->n - 1), 0, &place));
        GARRAY__TRY(garray__binary(GARRAY_OP_greater, garray_operand_array(s->length), garray_operand_int(r), 0, &more));
        GARRAY__TRY(garray_reshape(more, (garray_shape){ x->ndim, shape }, &wide));
        GARRAY__TRY(garray__take(x, place, axes, &value));
        GARRAY__TRY(garray__binary(op, garray_operand_array(*result), garray_operand_array(value), x->dtype, &next));
        GARRAY__TRY(garray__choose(wide, garray_operand_array(next), garray_operand_array(*result), result));
    }
done:
    garray_release(longest);
    garray_release(place);
    garray_release(value);
    garray_release(more);
    garray_release(wide);
    garray_release(next);
    return st;
}

static garray_status reduceat(int op, const garray_t *x, const garray_t *indices, int axis, garray_t **result)
{
    const garray_axes axes = { 1, &(int32_t){ axis } };
    struct segments s = { NULL, NULL, 0 };
    int64_t shape[GARRAY_MAX_NDIM];
    const char *name = garray__ops[op].name;
    garray_status st = GARRAY_OK;
    if (indices->size == 0) {
        memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
        shape[axis] = 0;
        return garray__new(x->dtype, x->ndim, shape, garray__device_of(x), result);
    }
    GARRAY__TRY(open_segments(indices, x->shape[axis], name, &s));
    GARRAY__TRY(garray__take(x, s.start, axes, result));
    if ((*result)->size == 0)
        goto done;
    if (x->dtype == GARRAY_BOOL)
        op = garray__fold_on_bools(op);
    if (garray__can_combine(op == GARRAY_OP_subtract ? GARRAY_OP_add : op, x->dtype))
        st = scatter_segments(op, x, axis, &s, *result);
    else
        st = step_segments(op, x, axis, &s, result);
done:
    close_segments(&s);
    return st;
}

garray_status garray_ufunc_reduceat(garray_op op, const garray_t *x, const garray_t *indices, int axis,
                                    const garray_accumulate_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_ufunc_reduceat");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *result = NULL, *same = NULL;
    int dtype;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__fold_dtype((int)op, x, opts ? (int)opts->dtype : 0, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(indices, INVALID, "indices is NULL");
    GARRAY_REQUIRE(garray__is_integer(indices->dtype), DTYPE, "indices must be integers, not %s",
                   garray__name_of(indices->dtype));
    GARRAY_REQUIRE(indices->ndim == 1, SHAPE, "indices must be a vector, not an array of %d axes", indices->ndim);
    GARRAY_REQUIRE(x->ndim > 0, AXIS, "cannot reduceat on a scalar");
    st = garray__axis(axis, x->ndim, &axis);
    if (st == GARRAY_OK)
        st = garray__same_device(garray__device_of(x), indices);
    if (st == GARRAY_OK)
        st = garray__as(x, dtype, &same);
    if (st == GARRAY_OK)
        st = reduceat((int)op, same, indices, axis, &result);
    garray_release(same);
    if (st == GARRAY_OK)
        return garray__result_assign(out, result);
    garray_release(result);
    return st;
}
