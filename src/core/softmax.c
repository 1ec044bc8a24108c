/* SPDX-License-Identifier: BSD-3-Clause
 * softmax and logsumexp: the maximum, then exponentials of the distances from it, written once and read twice. */
#include <math.h>
#include <string.h>
#include "core/elementwise.h"
#include "core/result.h"
#include "garray/numeric.h"
#include "garray/reduce.h"

/* What both compute in: 16-bit floats in float32, integers in float64.  0: complex. */
static int wide_dtype(int dtype)
{
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_COMPLEX: return 0;
    case GARRAY__K_FLOAT: return dtype == GARRAY_FLOAT64 ? GARRAY_FLOAT64 : GARRAY_FLOAT32;
    default: return GARRAY_FLOAT64;
    }
}

static int result_dtype(int dtype)
{
    return garray__kind_of(dtype) == GARRAY__K_FLOAT ? dtype : GARRAY_FLOAT64;
}

/* The maximum over axes that stay, with length 1; -inf of nothing.  finite: infinities and NaN become 0. */
static garray_status maximum(const garray_t *x, garray_axes axes, bool finite, garray_t **out)
{
    garray_t *top = NULL, *number = NULL;
    garray_operand in[3];
    garray_reduce_opts keep = { .keepdims = 1 };
    garray_status st = GARRAY_OK;
    if (garray__kind_of(x->dtype) == GARRAY__K_FLOAT)
        keep.initial = garray_operand_double(-INFINITY);
    else if (x->size == 0)          /* the size of the result does not matter then, but it must not fail */
        keep.initial = garray_operand_int(0);
    GARRAY__TRY(garray_max(x, axes, &keep, &top));
    if (!finite) {
        st = garray__result_assign(out, garray__share(top));
        goto done;
    }
    in[0] = garray_operand_array(top);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_isfinite, 1, in, 0, &number));
    in[0] = garray_operand_array(number);
    in[1] = garray_operand_array(top);
    in[2] = garray_operand_int(0);
    st = garray__elementwise(GARRAY_OP_where, 3, in, 0, out);
done:
    garray_release(top);
    garray_release(number);
    return st;
}

/* exp(x - top) and its sums, both in the wide dtype. */
static garray_status exponentials(const garray_t *x, garray_axes axes, const garray_t *top, int wide, garray_t **powers,
                                  garray_t **sums)
{
    garray_operand in[2] = { garray_operand_array(x), garray_operand_array(top) };
    garray_reduce_opts keep = { .keepdims = 1 };
    garray_status st = garray__elementwise(GARRAY__OP_exp_difference, 2, in, wide, powers);
    return st == GARRAY_OK ? garray_sum(*powers, axes, &keep, sums) : st;
}

/* What is checked before anything else; the axes as a set. */
static garray_status check(const garray_t *x, garray_axes axes, garray_t **out, bool set[GARRAY_MAX_NDIM])
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(wide_dtype(x->dtype), DTYPE, "needs real numbers, not %s", garray__name_of(x->dtype));
    return garray__axis_set(axes, x->ndim, set);
}

garray_status garray_softmax(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_softmax");
    garray_t *top = NULL, *powers = NULL, *sums = NULL;
    garray_operand in[2];
    bool set[GARRAY_MAX_NDIM];
    garray_status st = check(x, axes, out, set);
    if (st != GARRAY_OK)
        return st;
    int wide = wide_dtype(x->dtype);
    GARRAY__TRY(maximum(x, axes, false, &top));
    GARRAY__TRY(exponentials(x, axes, top, wide, &powers, &sums));
    in[0] = garray_operand_array(powers);
    in[1] = garray_operand_array(sums);
    int result = result_dtype(x->dtype);
    if (result != wide || garray__into(out)) {
        st = garray__elementwise_as(GARRAY_OP_divide, 2, in, wide, result, out);
    } else {                    /* into the exponentials themselves */
        GARRAY__TRY(garray__elementwise(GARRAY_OP_divide, 2, in, wide, garray_into(powers)));
        st = garray__result_assign(out, powers);
        powers = NULL;
    }
done:
    garray_release(top);
    garray_release(powers);
    garray_release(sums);
    return st;
}

garray_status garray_logsumexp(const garray_t *x, garray_axes axes, const garray_logsumexp_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_logsumexp");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *top = NULL, *powers = NULL, *sums = NULL, *view = NULL;
    garray_operand in[2];
    bool set[GARRAY_MAX_NDIM];
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    int ndim = 0;
    garray_status st = check(x, axes, out, set);
    if (st != GARRAY_OK)
        return st;
    int wide = wide_dtype(x->dtype);
    GARRAY__TRY(maximum(x, axes, true, &top));
    GARRAY__TRY(exponentials(x, axes, top, wide, &powers, &sums));
    in[0] = garray_operand_array(sums);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_log, 1, in, 0, &sums));
    in[0] = garray_operand_array(sums);
    in[1] = garray_operand_array(top);
    garray_release(powers);
    powers = NULL;
    GARRAY__TRY(garray__elementwise_as(GARRAY_OP_add, 2, in, wide, result_dtype(x->dtype), &powers));
    for (int i = 0; i < x->ndim; i++)
        if (!set[i] || (opts && opts->keepdims))
            shape[ndim++] = powers->shape[i];
    garray__c_strides(ndim, shape, garray__size_of(powers->dtype), strides);
    GARRAY__TRY(garray__view(powers->buffer, powers->data, powers->dtype, ndim, shape, strides, true, &view));
    st = garray__result_assign(out, view);
    view = NULL;
done:
    garray_release(top);
    garray_release(powers);
    garray_release(sums);
    garray_release(view);
    return st;
}
