/* SPDX-License-Identifier: BSD-3-Clause
 * Filters along axes: lfilter by plans of the entry `recur`, medfilt by windows of ranks. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/submit.h"
#include "core/window.h"
#include "garray/math.h"
#include "garray/shape.h"
#include "garray/signal.h"

/* ---- lfilter ---- */

/* A filter's numbers, divided by a[0], in the dtype that states have, side by side: order + 1 each. */
static garray_status coefficients(const garray_t *given, const garray_t *lead, int wide, int64_t n, garray_t **out)
{
    garray_t *whole = NULL, *begin = NULL;
    const garray_operand zero = garray_operand_int(0);
    garray_status st = garray__new(wide, 1, &n, garray__device_of(given), &whole);
    if (st == GARRAY_OK)
        st = garray__fill(whole, &zero);
    if (st == GARRAY_OK)
        st = garray__part(whole, 0, 0, given->size, &begin);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(given), GARRAY__ARR(lead), wide, garray_into(begin));
    garray_release(begin);
    if (st == GARRAY_OK)
        *out = whole;
    else
        garray_release(whole);
    return st;
}

/* Rows of states, the axis of the filter last, from an array in which it is at `axis`. */
static garray_status states(const garray_t *given, int axis, int wide, garray_t **out)
{
    garray_t *turned = NULL;
    garray_status st = garray__move_axis(given, axis, given->ndim - 1, &turned);
    if (st == GARRAY_OK)
        st = garray__contiguous(turned, wide, out);
    garray_release(turned);
    return st;
}

static garray_status check_states(const garray_t *zi, const garray_t *x, int axis, int64_t order)
{
    int64_t shape[GARRAY_MAX_NDIM];
    char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
    garray_status st = garray__same_device(garray__device_of(x), zi);
    if (st != GARRAY_OK)
        return st;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = order;
    GARRAY_REQUIRE(zi->ndim == x->ndim, SHAPE, "The number of initial conditions' axes must be that of x, %d, not %d", x->ndim,
                   zi->ndim);
    for (int i = 0; i < x->ndim; i++)
        GARRAY_REQUIRE(zi->shape[i] == shape[i] || (i != axis && zi->shape[i] == 1), SHAPE,
                       "Unexpected shape for zi: expected %s, found %s.", garray__shape_text(x->ndim, shape, a),
                       garray__shape_text(zi->ndim, zi->shape, b));
    return GARRAY_OK;
}

/* Three axes: what is before the filter's one, it, and what is behind; x must be such that the outer ones merge. */
static void set_axes(const garray_t *x, int axis, int64_t *outer, int64_t *inner, int64_t strides[3])
{
    *outer = *inner = 1;
    for (int i = 0; i < axis; i++)
        *outer *= x->shape[i];
    for (int i = axis + 1; i < x->ndim; i++)
        *inner *= x->shape[i];
    strides[1] = garray__strides(x)[axis];
    strides[0] = axis > 0 ? garray__strides(x)[axis - 1] : 0;
    strides[2] = axis < x->ndim - 1 ? garray__strides(x)[x->ndim - 1] : 0;
}

static garray_status filter(const garray_t *b, const garray_t *a, const garray_t *x, int axis, const garray_t *first, garray_t *y,
                            garray_t *last)
{
    garray_recur_plan plan = { .dtype = x->dtype, .order = (int32_t)(b->size - 1), .in = x->data, .b = b->data, .a = a->data,
                               .first = first ? first->data : NULL, .last = last ? last->data : NULL, .out = y->data,
                               .n = x->shape[axis] };
    garray__uses uses;
    set_axes(x, axis, &plan.outer, &plan.inner, plan.in_strides);
    set_axes(y, axis, &plan.outer, &plan.inner, plan.out_strides);
    uses.device = garray__device_of(x);
    uses.nread = first ? 4 : 3;
    uses.nwrite = last ? 2 : 1;
    uses.read[0] = x->buffer;
    uses.read[1] = b->buffer;
    uses.read[2] = a->buffer;
    if (first)
        uses.read[3] = first->buffer;
    uses.write[0] = y->buffer;
    if (last)
        uses.write[1] = last->buffer;
    return garray__submit(GARRAY__RECUR, &plan, &uses);
}

static garray_status check_filter(const garray_t *b, const garray_t *a, const garray_t *x)
{
    GARRAY_REQUIRE(b && a && x, INVALID, "an array is NULL");
    garray_status st = garray__same_device(garray__device_of(x), b);
    if (st == GARRAY_OK)
        st = garray__same_device(garray__device_of(x), a);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(b->ndim == 1 && a->ndim == 1, SHAPE, "object of too small depth for desired array: b and a must be vectors");
    GARRAY_REQUIRE(b->size > 0 && a->size > 0, INVALID, "b and a must have at least one item");
    GARRAY_REQUIRE(b->size < INT32_MAX && a->size < INT32_MAX, SHAPE, "the filter is too long");
    return GARRAY_OK;
}

/* The dtype of the result: at least a float of 32 bits. */
static int filter_dtype(const garray_t *b, const garray_t *a, const garray_t *x, const garray_t *zi)
{
    int dtype = garray__promote(garray__promote(b->dtype, a->dtype), x->dtype);
    dtype = zi ? garray__promote(dtype, zi->dtype) : dtype;
    if (garray__kind_of(dtype) < GARRAY__K_FLOAT)
        return GARRAY_FLOAT64;
    return garray__size_of(dtype) == 2 ? GARRAY_FLOAT32 : dtype;
}

garray_status garray_signal_lfilter(const garray_t *b, const garray_t *a, const garray_t *x, int axis, const garray_t *zi,
                                    garray_t **y, garray_t **zf)
{
    GARRAY_ENTER("garray_signal_lfilter");
    garray_t *lead = NULL, *wide_b = NULL, *wide_a = NULL, *in = NULL, *first = NULL, *last = NULL, *values[2] = { NULL, NULL };
    garray_t **const outs[2] = { y, zf };
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(y);
    if (st == GARRAY_OK)
        st = garray__check_outs(2, outs);
    if (st == GARRAY_OK)
        st = check_filter(b, a, x);
    if (st == GARRAY_OK)
        st = garray__axis(axis, x->ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    const int64_t n = b->size > a->size ? b->size : a->size, order = n - 1;
    if (zi)
        GARRAY__TRY(check_states(zi, x, axis, order));
    const int dtype = filter_dtype(b, a, x, zi);
    const int wide = garray__kind_of(dtype) == GARRAY__K_COMPLEX ? GARRAY_COMPLEX128 : GARRAY_FLOAT64;
    GARRAY__TRY(garray__part(a, 0, 0, 1, &lead));
    GARRAY__TRY(coefficients(b, lead, wide, n, &wide_b));
    GARRAY__TRY(coefficients(a, lead, wide, n, &wide_a));
    GARRAY__TRY(garray__contiguous(x, dtype, &in));
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = order;
    if (zi && order > 0) {
        GARRAY__TRY(garray__broadcast(zi, x->ndim, shape, &last));
        GARRAY__TRY(states(last, axis, wide, &first));
        garray_release(last);
        last = NULL;
    }
    GARRAY__TRY(garray__new(dtype, x->ndim, x->shape, garray__device_of(x), &values[0]));
    if (zf) {       /* in rows, the filter's axis last */
        memmove(shape + axis, shape + axis + 1, sizeof(int64_t) * (size_t)(x->ndim - 1 - axis));
        shape[x->ndim - 1] = order;
        GARRAY__TRY(garray__new(wide, x->ndim, shape, garray__device_of(x), &last));
    }
    if (x->size > 0) {
        GARRAY__TRY(filter(wide_b, wide_a, in, axis, first, values[0], last && last->size > 0 ? last : NULL));
    } else if (last && last->size > 0) {
        const garray_operand zero = garray_operand_int(0);
        GARRAY__TRY(first ? garray__assign(last, first) : garray__fill(last, &zero));
    }
    if (zf) {
        GARRAY__TRY(garray__move_axis(last, x->ndim - 1, axis, &values[1]));
        GARRAY__TRY(garray_astype(values[1], (garray_dtype)dtype, &values[1]));
    }
done:
    garray_release(lead);
    garray_release(wide_b);
    garray_release(wide_a);
    garray_release(in);
    garray_release(first);
    garray_release(last);
    return garray__assign_outs(2, outs, values, st);
}

/* ---- medfilt ---- */

garray_status garray_signal_medfilt(const garray_t *volume, garray_shape kernel_size, garray_t **out)
{
    GARRAY_ENTER("garray_signal_medfilt");
    int64_t window[GARRAY_MAX_NDIM], origin[GARRAY_MAX_NDIM], taps = 1;
    struct garray__result r;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(volume, INVALID, "volume is NULL");
    GARRAY_REQUIRE(volume->dtype != GARRAY_BOOL && garray__kind_of(volume->dtype) != GARRAY__K_COMPLEX, DTYPE,
                   "dtype %s is not supported by medfilt", garray__name_of(volume->dtype));
    GARRAY_REQUIRE(kernel_size.n >= 0 && (kernel_size.v || kernel_size.n == 0), INVALID, "kernel_size is malformed");
    GARRAY_REQUIRE(kernel_size.n <= 1 || kernel_size.n == volume->ndim, SHAPE,
                   "kernel_size has %lld lengths, volume %d axes", (long long)kernel_size.n, volume->ndim);
    for (int64_t i = 0; i < kernel_size.n; i++)
        GARRAY_REQUIRE(kernel_size.v[i] > 0 && kernel_size.v[i] % 2, INVALID, "Each element of kernel_size should be odd.");
    for (int i = 0; i < volume->ndim; i++) {
        window[i] = kernel_size.n == 0 ? 3 : kernel_size.v[kernel_size.n == 1 ? 0 : i];
        GARRAY_REQUIRE(!__builtin_mul_overflow(taps, window[i], &taps) && taps < (int64_t)1 << 40, SHAPE,
                       "the window is too large");
        origin[i] = window[i] / 2;
    }
    st = garray__result_open(&r, out, volume->dtype, volume->ndim, volume->shape, garray__device_of(volume), 0, 1, &volume);
    if (st != GARRAY_OK)
        return st;
    if (volume->ndim == 0 || taps == 1)
        st = garray__assign(r.target, volume);
    else
        st = garray__window_rank(volume, window, origin, taps / 2, r.target);
    return garray__result_close(&r, st);
}
