/* SPDX-License-Identifier: BSD-3-Clause
 * Cumulative sums, products and extrema along one axis, in either direction. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/plan.h"
#include "core/reduce.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/reduce.h"

/* Axes [begin, end) of in and out as one axis; false if there is no such. */
static bool join_axes(const garray_t *in, const int64_t *out_strides, int begin, int end, int64_t *count, int64_t *in_step,
                      int64_t *out_step)
{
    int n = end - begin;
    int64_t shape[GARRAY_MAX_NDIM], a[GARRAY_MAX_NDIM], b[GARRAY_MAX_NDIM];
    memcpy(shape, in->shape + begin, sizeof(int64_t) * (size_t)n);
    memcpy(a, garray__strides(in) + begin, sizeof(int64_t) * (size_t)n);
    memcpy(b, out_strides + begin, sizeof(int64_t) * (size_t)n);
    int64_t *strides[2] = { a, b };
    char *data[2] = { NULL, NULL };
    n = garray__merge_axes(n, shape, 2, strides, data, true);
    *count = n ? shape[0] : 1;
    *in_step = n ? a[0] : 0;
    *out_step = n ? b[0] : 0;
    return n <= 1;
}

static bool is_extremum(int op)
{
    return op == GARRAY_RED_MAX || op == GARRAY_RED_MIN;
}

/* What precedes all elements. */
static garray_operand identity_of(int op, int dtype)
{
    const bool least = op == GARRAY_RED_MAX;
    const int bits = 8 * garray__size_of(dtype);
    if (!is_extremum(op))
        return garray_operand_int(op == GARRAY_RED_PROD);
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL:
        return garray_operand_bool(!least);
    case GARRAY__K_SINT:
        return garray_operand_int(least ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits));
    case GARRAY__K_UINT:
        return garray_operand_uint(least ? 0 : UINT64_MAX >> (64 - bits));
    case GARRAY__K_FLOAT:
        return garray_operand_double(least ? -INFINITY : INFINITY);
    default:
        return least ? garray_operand_complex(-INFINITY, -INFINITY) : garray_operand_complex(INFINITY, INFINITY);
    }
}

/* The slice of target at `data` that one index of the axis selects. */
static garray_status fill_slice(int op, const garray_t *target, int axis, char *data)
{
    const garray_operand value = identity_of(op, target->dtype);
    garray_t *slice = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, target->shape, sizeof(int64_t) * (size_t)target->ndim);
    shape[axis] = 1;
    garray_status st = garray__view(target->buffer, data, target->dtype, target->ndim, shape, garray__strides(target), true,
                                    &slice);
    if (st == GARRAY_OK)
        st = garray__fill(slice, &value);
    garray_release(slice);
    return st;
}

/* Backwards are steps of the other sign, from the other end. */
static garray_status run_plan(int op, const garray_t *x, int axis, garray_t *target, const garray_cumulative_opts *opts)
{
    const bool exclusive = opts && opts->exclusive, reverse = opts && opts->reverse;
    const int64_t *out_strides = garray__strides(target), last = target->shape[axis] - 1;
    garray_scan_plan plan = { .op = op, .dtype = x->dtype, .n = x->shape[axis] - exclusive };
    char *out = target->data + (reverse ? last * out_strides[axis] : 0);
    garray_t *packed = NULL;
    garray_status st = GARRAY_OK;
    plan.out_strides[1] = reverse ? -out_strides[axis] : out_strides[axis];
    if (exclusive || (opts && opts->include_initial)) {
        GARRAY__TRY(fill_slice(op, target, axis, out));
        out += plan.out_strides[1];
    }
    if (x->size == 0 || plan.n == 0)
        goto done;
    if (!join_axes(x, out_strides, 0, axis, &plan.outer, &plan.in_strides[0], &plan.out_strides[0])
        || !join_axes(x, out_strides, axis + 1, x->ndim, &plan.inner, &plan.in_strides[2], &plan.out_strides[2])) {
        GARRAY__TRY(garray__copy_as(x, x->dtype, &packed));
        x = packed;
        (void)join_axes(x, out_strides, 0, axis, &plan.outer, &plan.in_strides[0], &plan.out_strides[0]);
        (void)join_axes(x, out_strides, axis + 1, x->ndim, &plan.inner, &plan.in_strides[2], &plan.out_strides[2]);
    }
    plan.in_strides[1] = reverse ? -garray__strides(x)[axis] : garray__strides(x)[axis];
    plan.in = x->data + (reverse ? (x->shape[axis] - 1) * garray__strides(x)[axis] : 0);
    plan.out = out;
    garray__uses uses;
    uses.device = garray__device_of(x);
    uses.nread = uses.nwrite = 1;
    uses.read[0] = x->buffer;
    uses.write[0] = target->buffer;
    st = garray__submit(GARRAY__SCAN, &plan, &uses);
done:
    garray_release(packed);
    return st;
}

static garray_status scan(int op, const garray_t *x, garray_axes axes, const garray_cumulative_opts *opts, garray_t **out)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    int axis = 0;
    if (axes.n == 0 && !axes.v) {
        GARRAY_REQUIRE(x->ndim == 1, AXIS, "an axis must be given for an array of %d dimensions", x->ndim);
    } else {
        GARRAY_REQUIRE(axes.n == 1 && axes.v, AXIS, "takes one axis, not %lld", (long long)axes.n);
        st = garray__axis(axes.v[0], x->ndim, &axis);
        if (st != GARRAY_OK)
            return st;
    }
    int dtype = opts && opts->dtype ? (int)opts->dtype : is_extremum(op) ? x->dtype : garray__sum_dtype(x->dtype);
    bool include_initial = opts && opts->include_initial;
    GARRAY_REQUIRE(!include_initial || !opts->exclusive, INVALID, "an exclusive scan begins with the initial value already");
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    GARRAY_REQUIRE(dtype != GARRAY_BOOL || is_extremum(op), DTYPE,
                   "cumulative sums and products of dtype bool are not numbers; give another dtype");
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] += include_initial;
    garray_t *cast = NULL;
    struct garray__result r;
    if (x->dtype != dtype) {
        GARRAY__TRY(garray__copy_as(x, dtype, &cast));
        x = cast;
    }
    GARRAY__TRY(garray__result_open(&r, out, dtype, x->ndim, shape, garray__device_of(x), 0, 1, &x));
    if (r.target->size > 0)
        st = run_plan(op, x, axis, r.target, opts);
    st = garray__result_close(&r, st);
done:
    garray_release(cast);
    return st;
}

/* NumPy's older forms: without an axis the array is flattened. */
static garray_status flat_scan(int op, const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts, garray_t **out)
{
    garray_t *flat = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (axis.n == 0 && !axis.v && x->ndim != 1) {
        GARRAY__TRY(garray__flat(x, &flat));
        x = flat;
    }
    st = scan(op, x, axis, opts, out);
done:
    garray_release(flat);
    return st;
}

#define SCAN(function, how, op)                                                                                         \
    garray_status function(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts, garray_t **out)     \
    {                                                                                                                   \
        GARRAY_ENTER(#function);                                                                                        \
        GARRAY_REQUIRE_OPTIONS(opts, reserved);                                                                         \
        return how(op, x, axis, opts, out);                                                                             \
    }
SCAN(garray_cumulative_sum, scan, GARRAY_RED_SUM)
SCAN(garray_cumulative_prod, scan, GARRAY_RED_PROD)
SCAN(garray_cummax, scan, GARRAY_RED_MAX)
SCAN(garray_cummin, scan, GARRAY_RED_MIN)
SCAN(garray_cumsum, flat_scan, GARRAY_RED_SUM)
SCAN(garray_cumprod, flat_scan, GARRAY_RED_PROD)
#undef SCAN
