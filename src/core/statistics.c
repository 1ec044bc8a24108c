/* SPDX-License-Identifier: BSD-3-Clause
 * Spread and weighted averages. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/statistics.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/statistics.h"

garray_status garray_ptp(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_ptp");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *low = NULL, *high = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!opts || (!opts->dtype && opts->initial.kind == GARRAY_OPERAND_NONE
                             && opts->where.kind == GARRAY_OPERAND_NONE),
                   INVALID, "takes keepdims only");
    GARRAY__TRY(garray_max(x, axes, opts, &high));
    GARRAY__TRY(garray_min(x, axes, opts, &low));
    st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(high), GARRAY__ARR(low), 0, out);
done:
    garray_release(low);
    garray_release(high);
    return st;
}

/* ---- weights ---- */

/* Weights of the given axes alone: with length 1 along the others. */
static garray_status spread_weights(const garray_t *given, const garray_t *x, garray_axes axes, garray_t **weights)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    GARRAY_REQUIRE(axes.n > 0 || axes.v, SHAPE, "Axis must be specified when shapes of x and weights differ.");
    bool fits = given->ndim == axes.n;
    for (int i = 0; i < x->ndim; i++) {
        shape[i] = 1;
        strides[i] = 0;
    }
    for (int k = 0; k < axes.n && fits; k++) {
        int i = axes.v[k] < 0 ? axes.v[k] + x->ndim : axes.v[k];
        fits = given->shape[k] == x->shape[i];
        shape[i] = given->shape[k];
        strides[i] = garray__strides(given)[k];
    }
    GARRAY_REQUIRE(fits, SHAPE, "Shape of weights must be consistent with shape of x along specified axis.");
    return garray__view(given->buffer, given->data, given->dtype, x->ndim, shape, strides, false, weights);
}

garray_status garray__open_weights(const garray_operand *o, const garray_t *x, garray_axes axes, garray_t **weights)
{
    garray_t *given = NULL;
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__axis_set(axes, x->ndim, set);
    if (st == GARRAY_OK)
        st = garray__option_array(o, "weights", garray__device_of(x), &given);
    if (st != GARRAY_OK)
        return st;
    if (given->ndim == x->ndim && memcmp(given->shape, x->shape, sizeof(int64_t) * (size_t)x->ndim) == 0) {
        *weights = given;
        return GARRAY_OK;
    }
    st = spread_weights(given, x, axes, weights);
    garray_release(given);
    return st;
}

/* ---- average ---- */

/* The sum of the weights and of the weighted elements, divided. */
static garray_status weighted(const garray_t *x, garray_axes axes, const garray_operand *given, int keepdims, garray_t **average,
                              garray_t **weight)
{
    garray_t *weights = NULL, *product = NULL, *sum = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__open_weights(given, x, axes, &weights));
    int dtype = garray__promote(x->dtype, weights->dtype);
    if (garray__kind_of(x->dtype) <= GARRAY__K_UINT)
        dtype = garray__promote(dtype, GARRAY_FLOAT64);
    garray_reduce_opts o = { .keepdims = keepdims, .dtype = (garray_dtype)dtype };
    GARRAY__TRY(garray_sum(weights, axes, &o, weight));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(x), GARRAY__ARR(weights), dtype, &product));
    GARRAY__TRY(garray_sum(product, axes, &o, &sum));
    st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(sum), GARRAY__ARR(*weight), 0, average);
done:
    garray_release(weights);
    garray_release(product);
    garray_release(sum);
    return st;
}

/* The mean, and how many elements each is of. */
static garray_status plain(const garray_t *x, garray_axes axes, int keepdims, bool counted, garray_t **average, garray_t **weight)
{
    garray_reduce_opts o = { .keepdims = keepdims };
    garray_status st = garray_mean(x, axes, &o, average);
    if (st != GARRAY_OK || !counted)
        return st;
    const garray_t *a = *average;
    st = garray__new(a->dtype, a->ndim, a->shape, garray__device_of(a), weight);
    if (st != GARRAY_OK || a->size == 0)
        return st;
    garray_operand count = garray_operand_double((double)(x->size / a->size));
    return garray__fill(*weight, &count);
}

garray_status garray__average(const garray_t *x, garray_axes axes, const garray_operand *weights, int keepdims,
                              garray_t **average, garray_t **weight)
{
    garray_t *results[2] = { NULL, NULL }, *one = NULL;
    garray_t **const slots[2] = { average, weight };
    garray_status st = GARRAY_OK;
    if (!weights || weights->kind == GARRAY_OPERAND_NONE) {
        GARRAY__TRY(plain(x, axes, keepdims, weight != NULL, &results[0], &results[1]));
    } else {
        GARRAY__TRY(weighted(x, axes, weights, keepdims, &results[0], &results[1]));
        const size_t lengths = sizeof(int64_t) * (size_t)results[0]->ndim;
        if (weight && memcmp(results[1]->shape, results[0]->shape, lengths) != 0) {     /* as many axes, some of them 1 */
            GARRAY__TRY(garray__broadcast(results[1], results[0]->ndim, results[0]->shape, &one));
            garray_release(results[1]);
            results[1] = NULL;
            GARRAY__TRY(garray__copy_as(one, one->dtype, &results[1]));
        }
    }
done:
    garray_release(one);
    return garray__assign_outs(2, slots, results, st);
}

garray_status garray_average(const garray_t *x, garray_axes axes, const garray_average_opts *opts, garray_t **average,
                             garray_t **weight)
{
    GARRAY_ENTER("garray_average");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t **const outs[2] = { average, weight };
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    return garray__average(x, axes, opts ? &opts->weights : NULL, opts ? opts->keepdims : 0, average, weight);
}
