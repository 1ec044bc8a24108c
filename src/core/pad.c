/* SPDX-License-Identifier: BSD-3-Clause
 * pad: the array copied into the middle, then the sides of one axis after the other, each in one or a few copies from
 * what is there already. */
#include <string.h>
#include "core/elementwise.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/join.h"
#include "garray/math.h"
#include "garray/rearrange.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/statistics.h"

/* One axis of the target: the part of it that is filled so far, which grows. */
struct line {
    const garray_t *region;         /* of the target: the axes before whole, those behind as long as x's */
    int axis;
    int64_t front, back;            /* what is still to be filled */
    int64_t period;                 /* the length of the array itself */
};

/* Two numbers per axis from a list of 1, 2 or 2 per axis. */
static garray_status read_pairs(garray_shape list, int ndim, const char *what, int64_t pairs[][2])
{
    GARRAY_REQUIRE(list.v && (list.n == 1 || list.n == 2 || list.n == 2 * ndim), SHAPE,
                   "%s: %lld numbers are given; 1, 2 or 2 for each of %d axes are needed", what, (long long)list.n, ndim);
    for (int i = 0; i < 2 * ndim; i++) {
        int64_t value = list.v[list.n == 1 ? 0 : list.n == 2 ? i % 2 : i];
        GARRAY_REQUIRE(value >= 0, INVALID, "%s: index can't contain negative values", what);
        pairs[i / 2][i % 2] = value;
    }
    return GARRAY_OK;
}

/* start, start + step ... of the line's axis, `length` elements. */
static garray_status stretch(const struct line *p, int64_t start, int64_t step, int64_t length, garray_t **out)
{
    struct garray__layout l;
    garray__layout_of(p->region, &l);
    garray__layout_range(&l, p->axis, start, step, length);
    return garray__layout_view(p->region, &l, true, out);
}

static int64_t inner_length(const struct line *p)
{
    return p->region->shape[p->axis] - p->front - p->back;
}

/* Element i of an axis, which stays with length 1, into `length` elements from `to` on. */
static garray_status spread(const struct line *p, const garray_t *value, int64_t to, int64_t length)
{
    garray_t *place = NULL;
    if (length == 0)
        return GARRAY_OK;
    garray_status st = stretch(p, to, 1, length, &place);
    if (st == GARRAY_OK)
        st = garray__assign_apart(place, value);
    garray_release(place);
    return st;
}

static garray_status spread_edges(const struct line *p)
{
    garray_t *front = NULL, *back = NULL;
    int64_t end = p->region->shape[p->axis] - p->back;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(stretch(p, p->front, 1, 1, &front));
    GARRAY__TRY(spread(p, front, 0, p->front));
    GARRAY__TRY(stretch(p, end - 1, 1, 1, &back));
    GARRAY__TRY(spread(p, back, end, p->back));
done:
    garray_release(front);
    garray_release(back);
    return st;
}

/* ---- constant and linear_ramp ---- */

/* The value of a side: the number, or an element of an array that broadcasts to (ndim, 2). */
static garray_status side_value(const garray_t *values, garray_operand given, int axis, int side, garray_t **array,
                                garray_operand *out)
{
    *out = given.kind == GARRAY_OPERAND_NONE ? garray_operand_int(0) : given;
    if (!values)
        return GARRAY_OK;
    garray_status st = garray__view(values->buffer, values->data + axis * garray__strides(values)[0]
                                    + side * garray__strides(values)[1], values->dtype, 0, NULL, NULL, false, array);
    if (st == GARRAY_OK)
        *out = garray_operand_array(*array);
    return st;
}

static garray_status fill_side(const struct line *p, const garray_t *values, garray_operand given, int side)
{
    garray_t *place = NULL, *array = NULL;
    garray_operand value;
    int64_t length = side ? p->back : p->front;
    garray_status st = side_value(values, given, p->axis, side, &array, &value);
    if (st != GARRAY_OK || length == 0)
        goto done;
    GARRAY__TRY(stretch(p, side ? p->region->shape[p->axis] - length : 0, 1, length, &place));
    st = array ? garray__assign(place, array) : garray__fill(place, &value);
done:
    garray_release(place);
    garray_release(array);
    return st;
}

/* value + i * (edge - value) / length at the i-th element from outside, in the arithmetic of np.linspace: floats in their
 * dtype, integers in float64 and floored. */
static garray_status ramp_side(const struct line *p, const garray_t *values, garray_operand given, int side)
{
    garray_t *place = NULL, *array = NULL, *edge = NULL, *delta = NULL, *ramp = NULL, *steps = NULL;
    garray_operand value, pair[2];
    int64_t length = side ? p->back : p->front, n = p->region->shape[p->axis], shape[GARRAY_MAX_NDIM];
    garray_status st = side_value(values, given, p->axis, side, &array, &value);
    if (st != GARRAY_OK || length == 0)
        goto done;
    /* the side from outside to inside */
    GARRAY__TRY(side ? stretch(p, n - 1, -1, length, &place) : stretch(p, 0, 1, length, &place));
    GARRAY__TRY(stretch(p, side ? n - length - 1 : length, 1, 1, &edge));
    pair[0] = garray_operand_array(edge);
    pair[1] = value;
    int dtype = garray__common_dtype(2, pair);
    dtype = garray__kind_of(dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64 : dtype;
    for (int i = 0; i < p->region->ndim; i++)
        shape[i] = i == p->axis ? length : 1;
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(length), garray_operand_int(1), GARRAY_INT64,
                                garray_device_of(edge), &steps));
    GARRAY__TRY(garray_astype(steps, (garray_dtype)dtype, &steps));
    GARRAY__TRY(garray_reshape(steps, GARRAY_DIMS(p->region->ndim, shape), &steps));
    GARRAY__TRY(garray__elementwise(GARRAY_OP_subtract, 2, pair, dtype, &delta));
    pair[0] = garray_operand_array(delta);
    pair[1] = garray_operand_int(length);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_divide, 2, pair, dtype, &delta));
    pair[0] = garray_operand_array(steps);
    pair[1] = garray_operand_array(delta);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_multiply, 2, pair, dtype, &ramp));
    pair[0] = garray_operand_array(ramp);
    pair[1] = value;
    GARRAY__TRY(garray__elementwise(GARRAY_OP_add, 2, pair, dtype, &ramp));
    pair[0] = garray_operand_array(ramp);
    if (garray__is_integer(place->dtype) && garray__kind_of(dtype) == GARRAY__K_FLOAT)
        GARRAY__TRY(garray__elementwise(GARRAY_OP_floor, 1, pair, 0, &ramp));
    st = garray__assign(place, ramp);
done:
    garray_release(place);
    garray_release(array);
    garray_release(edge);
    garray_release(delta);
    garray_release(ramp);
    garray_release(steps);
    return st;
}

/* ---- statistics ---- */

static garray_status statistic(const garray_t *chunk, garray_pad_mode mode, int axis, garray_t **out)
{
    garray_axes axes = GARRAY_AXES(axis);
    const garray_reduce_opts *keep = GARRAY_KW(reduce, .keepdims = 1);
    switch (mode) {
    case GARRAY_PAD_MAXIMUM: return garray_max(chunk, axes, keep, out);
    case GARRAY_PAD_MINIMUM: return garray_min(chunk, axes, keep, out);
    case GARRAY_PAD_MEDIAN:  return garray_median(chunk, axes, GARRAY_KW(median, .keepdims = 1), out);
    default:                 return garray_mean(chunk, axes, keep, out);
    }
}

static garray_status spread_statistics(const struct line *p, garray_pad_mode mode, const int64_t *lengths)
{
    garray_t *chunk = NULL, *value = NULL;
    int64_t n = inner_length(p), end = p->front + n;
    garray_status st = GARRAY_OK;
    for (int side = 0; side < 2; side++) {
        int64_t length = lengths[side] < n ? lengths[side] : n;
        GARRAY__CHECK(length > 0 || mode == GARRAY_PAD_MEAN || mode == GARRAY_PAD_MEDIAN, INVALID,
                      "stat_length of 0 yields no value for padding");
        if (side == 0 || lengths[0] < n || length < n) {        /* else one value serves both sides */
            GARRAY__TRY(stretch(p, side ? end - length : p->front, 1, length, &chunk));
            GARRAY__TRY(statistic(chunk, mode, p->axis, &value));
            garray_operand x = garray_operand_array(value);
            if (garray__is_integer(p->region->dtype) && garray__kind_of(value->dtype) == GARRAY__K_FLOAT)
                GARRAY__TRY(garray__elementwise(GARRAY_OP_round, 1, &x, 0, &value));
        }
        GARRAY__TRY(spread(p, value, side ? end : 0, side ? p->back : p->front));
        garray_release(chunk);
        chunk = NULL;
    }
done:
    garray_release(chunk);
    garray_release(value);
    return st;
}

/* ---- reflect, symmetric and wrap ---- */

/* target = from, or with `odd` twice the edge minus that. */
static garray_status mirror(const struct line *p, int64_t to, int64_t from, int64_t length, int64_t edge, bool odd)
{
    garray_t *place = NULL, *source = NULL, *pivot = NULL, *result = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(stretch(p, to, 1, length, &place));
    GARRAY__TRY(stretch(p, from, -1, length, &source));
    if (!odd) {
        st = garray__assign_apart(place, source);
        goto done;
    }
    GARRAY__TRY(stretch(p, edge, 1, 1, &pivot));
    garray_operand pair[2] = { garray_operand_array(pivot), garray_operand_int(2) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_multiply, 2, pair, 0, &result));
    pair[0] = garray_operand_array(result);
    pair[1] = garray_operand_array(source);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_subtract, 2, pair, 0, &result));
    st = garray__assign_apart(place, result);
done:
    garray_release(place);
    garray_release(source);
    garray_release(pivot);
    garray_release(result);
    return st;
}

/* One round: as much of each side as what is there can be mirrored into.  Where a round does not suffice, the next one
 * mirrors what the first has made, in whole periods. */
static garray_status reflect_round(struct line *p, bool symmetric, bool odd)
{
    int64_t n = p->region->shape[p->axis], old = inner_length(p), offset = symmetric ? 1 : 0;
    garray_status st = GARRAY_OK;
    if (symmetric)
        old = old / p->period * p->period;
    else
        old = (old - 1) / (p->period - 1) * (p->period - 1);    /* without the edge, which is not repeated */
    if (p->front > 0) {
        int64_t length = old < p->front ? old : p->front;
        st = mirror(p, p->front - length, p->front - offset + length, length, p->front, odd);
        p->front -= length;
    }
    if (st == GARRAY_OK && p->back > 0) {
        int64_t length = old < p->back ? old : p->back, end = n - p->back;
        st = mirror(p, end, end + offset - 2, length, end - 1, odd);
        p->back -= length;
    }
    return st;
}

static garray_status wrap_round(struct line *p)
{
    int64_t period = inner_length(p) / p->period * p->period, front = p->front, end = p->region->shape[p->axis] - p->back;
    int64_t before = period < p->front ? period : p->front, behind = period < p->back ? period : p->back;
    garray_t *place = NULL, *source = NULL;
    garray_status st = GARRAY_OK;
    if (before > 0) {
        GARRAY__TRY(stretch(p, front - before, 1, before, &place));
        GARRAY__TRY(stretch(p, front + period - before, 1, before, &source));
        GARRAY__TRY(garray__assign_apart(place, source));
    }
    if (behind > 0) {
        garray_release(place);
        garray_release(source);
        place = source = NULL;
        GARRAY__TRY(stretch(p, end, 1, behind, &place));
        GARRAY__TRY(stretch(p, end - period, 1, behind, &source));
        GARRAY__TRY(garray__assign_apart(place, source));
    }
    p->front -= before;
    p->back -= behind;
done:
    garray_release(place);
    garray_release(source);
    return st;
}

/* ---- all of it ---- */

static garray_status pad_axis(struct line *p, const garray_pad_opts *o, garray_pad_mode mode, const garray_t *values,
                              const int64_t *lengths)
{
    garray_status st = GARRAY_OK;
    switch (mode) {
    case GARRAY_PAD_CONSTANT:
    case GARRAY_PAD_LINEAR_RAMP:
        for (int side = 0; side < 2 && st == GARRAY_OK; side++)
            st = mode == GARRAY_PAD_CONSTANT ? fill_side(p, values, o ? o->values : GARRAY_NONE, side)
                                             : ramp_side(p, values, o ? o->values : GARRAY_NONE, side);
        return st;
    case GARRAY_PAD_EDGE:
        return spread_edges(p);
    case GARRAY_PAD_MAXIMUM:
    case GARRAY_PAD_MEAN:
    case GARRAY_PAD_MEDIAN:
    case GARRAY_PAD_MINIMUM:
        return spread_statistics(p, mode, lengths);
    case GARRAY_PAD_REFLECT:
    case GARRAY_PAD_SYMMETRIC:
        if (p->period == 1)         /* as NumPy: nothing to mirror */
            return spread_edges(p);
        while (st == GARRAY_OK && p->front + p->back > 0)
            st = reflect_round(p, mode == GARRAY_PAD_SYMMETRIC, o->odd);
        return st;
    case GARRAY_PAD_WRAP:
        while (st == GARRAY_OK && p->front + p->back > 0)
            st = wrap_round(p);
        return st;
    default:
        return GARRAY_OK;
    }
}

/* The border of a target that holds x in its middle. */
static garray_status pad_axes(const garray_t *target, const garray_t *x, int64_t widths[][2], const garray_pad_opts *o,
                              garray_pad_mode mode, const garray_t *values, int64_t lengths[][2])
{
    struct garray__layout l;
    garray_status st = GARRAY_OK;
    garray__layout_of(target, &l);
    for (int i = 0; i < x->ndim; i++)
        garray__layout_range(&l, i, widths[i][0], 1, x->shape[i]);
    for (int axis = 0; axis < x->ndim && st == GARRAY_OK; axis++) {
        garray_t *region = NULL;
        garray__layout_range(&l, axis, -widths[axis][0], 1, target->shape[axis]);
        if (widths[axis][0] + widths[axis][1] == 0)
            continue;
        st = garray__layout_view(target, &l, true, &region);
        if (st != GARRAY_OK)
            return st;
        struct line p = { region, axis, widths[axis][0], widths[axis][1], x->shape[axis] };
        if (region->size > 0)
            st = pad_axis(&p, o, mode, values, lengths[axis]);
        garray_release(region);
    }
    return st;
}

garray_status garray_pad(const garray_t *x, garray_shape widths, const garray_pad_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_pad");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    int64_t pairs[GARRAY_MAX_NDIM][2], lengths[GARRAY_MAX_NDIM][2], shape[GARRAY_MAX_NDIM];
    garray_pad_mode mode = opts && opts->mode ? opts->mode : GARRAY_PAD_CONSTANT;
    garray_t *given = NULL, *values = NULL, *middle = NULL, *padded = NULL;
    garray_operand value = opts ? opts->values : GARRAY_NONE;
    struct garray__layout l;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(mode >= GARRAY_PAD_CONSTANT && mode <= GARRAY_PAD_EMPTY, INVALID, "mode %d is not known", (int)mode);
    GARRAY_TRY(garray__option_check(&value, "values", GARRAY__VALUE));
    st = read_pairs(widths, x->ndim, "pad width", pairs);
    if (st != GARRAY_OK)
        return st;
    if (opts && opts->stat_length.n > 0) {
        st = read_pairs(opts->stat_length, x->ndim, "stat_length", lengths);
        if (st != GARRAY_OK)
            return st;
    }
    for (int i = 0; i < x->ndim; i++) {
        if (!(opts && opts->stat_length.n > 0))
            lengths[i][0] = lengths[i][1] = INT64_MAX;
        GARRAY_REQUIRE(!__builtin_add_overflow(pairs[i][0], pairs[i][1], &shape[i])
                       && !__builtin_add_overflow(shape[i], x->shape[i], &shape[i]), SHAPE, "the result is too big");
        GARRAY_REQUIRE(x->shape[i] > 0 || shape[i] == 0 || mode == GARRAY_PAD_CONSTANT || mode == GARRAY_PAD_EMPTY, INVALID,
                       "can't extend empty axis %d using modes other than 'constant' or 'empty'", i);
    }
    if (value.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&value, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(x), given));
        GARRAY__TRY(garray__broadcast(given, 2, (const int64_t[]){ x->ndim, 2 }, &values));
    }
    /* always a new array: some values are found wrong only when their border is filled */
    GARRAY__TRY(garray__new(x->dtype, x->ndim, shape, garray__device_of(x), &padded));
    garray__layout_of(padded, &l);
    for (int i = 0; i < x->ndim; i++)
        garray__layout_range(&l, i, pairs[i][0], 1, x->shape[i]);
    GARRAY__TRY(garray__layout_view(padded, &l, true, &middle));
    GARRAY__TRY(garray__assign(middle, x));
    GARRAY__TRY(pad_axes(padded, x, pairs, opts, mode, values, lengths));
    st = garray__result_assign(out, padded);
    padded = NULL;
done:
    garray_release(given);
    garray_release(values);
    garray_release(middle);
    garray_release(padded);
    return st;
}
