/* SPDX-License-Identifier: BSD-3-Clause
 * How far the results of two devices may lie apart, for each kind of plan.
 *
 * Moves, integers, comparisons, casts, sorts, draws and all float32 and 16-bit elementwise functions are the same text or
 * the same rule on both devices: no difference.  Most float64 functions are the vendor's on each, those without a row here
 * one text.  Sums run in another order, and wider than their dtype. */
#include <math.h>
#include "core/dtype.h"
#include "core/elementwise.h"
#include "core/shadow.h"
#include "garray/op.h"

/* ulps between two float64 results of functions that are not exactly rounded. */
static const unsigned char rounded[GARRAY_OP_LIMIT] = {
    [GARRAY_OP_exp] = 3,   [GARRAY_OP_expm1] = 3, [GARRAY_OP_log] = 3,   [GARRAY_OP_log1p] = 3, [GARRAY_OP_log2] = 3,
    [GARRAY_OP_log10] = 4, [GARRAY_OP_sin] = 4,   [GARRAY_OP_cos] = 4,   [GARRAY_OP_tan] = 4,   [GARRAY_OP_asin] = 4,
    [GARRAY_OP_acos] = 4,  [GARRAY_OP_atan] = 4,  [GARRAY_OP_sinh] = 4,  [GARRAY_OP_cosh] = 4,  [GARRAY_OP_tanh] = 4,
    [GARRAY_OP_asinh] = 4, [GARRAY_OP_acosh] = 4, [GARRAY_OP_atanh] = 4, [GARRAY_OP_atan2] = 4, [GARRAY_OP_pow] = 4,
    [GARRAY_OP_hypot] = 3, [GARRAY_OP_cbrt] = 3,  [GARRAY_OP_exp2] = 3,  [GARRAY_OP_erf] = 4,   [GARRAY_OP_lgamma] = 2,
    [GARRAY_OP_float_power] = 4,
    [GARRAY_OP_sinc] = 1,       /* of complex numbers; real ones are one text on both */
    [GARRAY__OP_exp_difference] = 3,
};
/* The functions of complex numbers among them, in ulps of the larger part. */
#define COMPLEX_ULPS 16

static bool is_float64(int dtype)
{
    return garray__real_of(dtype) == GARRAY_FLOAT64;
}

static bool is_complex(int dtype)
{
    return garray__kind_of(dtype) == GARRAY__K_COMPLEX;
}

static bool is_inexact(int dtype)
{
    return is_complex(dtype) || garray__kind_of(dtype) == GARRAY__K_FLOAT;
}

static garray__tolerance elementwise(const garray_ew_plan *p)
{
    int ulps = p->op > 0 && p->op < GARRAY_OP_LIMIT ? rounded[p->op] : 0;
    if (!ulps || !is_inexact(p->dtype))
        return (garray__tolerance){ 0, 0 };
    if (is_complex(p->dtype))
        return (garray__tolerance){ COMPLEX_ULPS, 0 };
    return (garray__tolerance){ is_float64(p->dtype) ? ulps : 0, 0 };
}

/* n terms of at most this magnitude: float32 and less are summed in float64, float64 with what rounding lost. */
static garray__tolerance sum(int dtype, double n, double largest)
{
    if (!is_inexact(dtype))
        return (garray__tolerance){ 0, 0 };
    return (garray__tolerance){ 1, n * largest * (is_float64(dtype) ? 0x1p-80 : 0x1p-51) };
}

/* Products have no absolute part: their errors grow with the number of factors. */
static garray__tolerance product(int dtype, double n)
{
    if (!is_inexact(dtype))
        return (garray__tolerance){ 0, 0 };
    return (garray__tolerance){ is_float64(dtype) ? 2 + 2 * n : 1 + n * 0x1p-27, 0 };
}

/* Squares of distances from the mean, each off by roundings of the mean. */
static garray__tolerance variance(const garray_reduce_plan *p, double n, double largest)
{
    double u = is_float64(p->acc_dtype) ? 0x1p-52 : 0x1p-51, error = 4 * u * largest;
    if (p->op == GARRAY_RED_VAR)
        return (garray__tolerance){ 4 + (is_float64(p->acc_dtype) ? n / 16 : 0), error * largest };
    return (garray__tolerance){ 4 + (is_float64(p->acc_dtype) ? n / 16 : 0), sqrt(4 * u) * u * largest };
}

static garray__tolerance reduced(const garray_reduce_plan *p, const double *largest)
{
    double n = (double)p->red_count + 1;    /* and the initial value */
    switch (p->op) {
    case GARRAY_RED_SUM:
    case GARRAY_RED_MEAN:
        return sum(p->acc_dtype, n, fmax(largest[1], p->has_initial ? garray__magnitude(p->acc_dtype, p->initial) : 0));
    case GARRAY_RED_PROD:
        return product(p->acc_dtype, n);
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD:
        return variance(p, n, largest[1]);
    default:
        return (garray__tolerance){ 0, 0 };
    }
}

/* The textbook bound of an inner product of k terms, in the precision that it runs in, and what the caller gave up:
 * factors rounded to the 11 bits of TF32, sums in 16-bit floats. */
static garray__tolerance product_of_matrices(const garray_matmul_plan *p, const double *largest)
{
    if (!is_inexact(p->dtype))
        return (garray__tolerance){ 0, 0 };
    const bool half = p->dtype == GARRAY_FLOAT16 || p->dtype == GARRAY_BFLOAT16;
    double k = (double)p->k + 2, unit = is_float64(p->dtype) ? 0x1p-53 : 0x1p-24, factors = 0;
    double terms = largest[1] * largest[2] * (is_complex(p->dtype) ? 4 : 1);
    if (half && p->fast_half)
        unit = p->dtype == GARRAY_FLOAT16 ? 0x1p-11 : 0x1p-8;
    else if (p->tf32 && !half && !is_float64(p->dtype))
        factors = 0x1p-10 * k * terms;
    return (garray__tolerance){ 2, 2 * k * unit * (k * terms + largest[0]) + factors };
}

/* The error of an item against the norm of its line, which n items of the largest magnitude bound. */
static garray__tolerance transform(const garray_fft_plan *p, const double *largest)
{
    double n = (double)p->n, unit = is_float64(p->dtype) ? 0x1p-53 : 0x1p-24;
    return (garray__tolerance){ 2, 6 * unit * (log2(n) + 1) * n * 2 * fmax(largest[0], largest[1]) * fabs(p->scale) };
}

garray__tolerance garray__plan_tolerance(garray__entry entry, const void *plan, const double *largest)
{
    switch (entry) {
    case GARRAY__ELEMENTWISE:
        return elementwise(plan);
    case GARRAY__REDUCE:
        return reduced(plan, largest);
    case GARRAY__SCAN: {
        const garray_scan_plan *p = plan;
        return p->op == GARRAY_RED_SUM    ? sum(p->dtype, (double)p->n, largest[1])
               : p->op == GARRAY_RED_PROD ? product(p->dtype, (double)p->n)
                                          : (garray__tolerance){ 0, 0 };
    }
    case GARRAY__HISTOGRAM: {       /* sums in the order of each device, of all items in one bin at worst */
        const garray_histogram_plan *p = plan;
        const double n = (double)p->n;
        return p->sums ? (garray__tolerance){ 1, n * n * largest[p->edges ? 2 : 1] * 0x1p-52 } : (garray__tolerance){ 0, 0 };
    }
    case GARRAY__MATMUL:
        return product_of_matrices(plan, largest);
    case GARRAY__FFT:
        return transform(plan, largest);
    default:
        return (garray__tolerance){ 0, 0 };
    }
}
