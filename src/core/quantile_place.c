/* SPDX-License-Identifier: BSD-3-Clause
 * The place of a quantile, for one count on the host and for many in arrays: see quantile_place.h.  The formulas are
 * those of Hyndman and Fan (1996) as NumPy evaluates them, in float64, operation by operation, so that both agree. */
#include <math.h>
#include "core/compose.h"
#include "core/quantile_place.h"

/* The methods that are n q + (alpha + q (1 - alpha - beta)) - 1. */
static bool get_parameters(garray_quantile_method method, double *alpha, double *beta)
{
    switch (method) {
    case GARRAY_QUANTILE_INTERPOLATED_INVERTED_CDF: *alpha = 0, *beta = 1; return true;
    case GARRAY_QUANTILE_HAZEN: *alpha = *beta = 0.5; return true;
    case GARRAY_QUANTILE_WEIBULL: *alpha = *beta = 0; return true;
    case GARRAY_QUANTILE_MEDIAN_UNBIASED: *alpha = *beta = 1 / 3.0; return true;
    case GARRAY_QUANTILE_NORMAL_UNBIASED: *alpha = *beta = 3 / 8.0; return true;
    default: return false;
    }
}

bool garray__quantile_picks(garray_quantile_method method)
{
    return method == GARRAY_QUANTILE_INVERTED_CDF || method == GARRAY_QUANTILE_CLOSEST_OBSERVATION
           || method == GARRAY_QUANTILE_LOWER || method == GARRAY_QUANTILE_HIGHER || method == GARRAY_QUANTILE_NEAREST;
}

/* The index where the quantile would be; of methods that pick it is an integer. */
static double virtual_index(garray_quantile_method method, double n, double q)
{
    double alpha, beta, v, floored;
    if (get_parameters(method, &alpha, &beta))
        return n * q + (alpha + q * (1 - alpha - beta)) - 1;
    switch (method) {
    case GARRAY_QUANTILE_INVERTED_CDF:
        return ceil(n * q - 1);
    case GARRAY_QUANTILE_AVERAGED_INVERTED_CDF:
        return n * q - 1;
    case GARRAY_QUANTILE_CLOSEST_OBSERVATION:       /* to the next one, but where it is an odd number itself */
        v = n * q - 1 - 0.5;
        floored = floor(v);
        return v == floored && fmod(floored, 2) != 0 ? floored : floored + 1;
    case GARRAY_QUANTILE_LOWER:
        return floor((n - 1) * q);
    case GARRAY_QUANTILE_HIGHER:
        return ceil((n - 1) * q);
    case GARRAY_QUANTILE_NEAREST:
        return nearbyint((n - 1) * q);
    case GARRAY_QUANTILE_MIDPOINT:
        v = (n - 1) * q;
        return 0.5 * (floor(v) + ceil(v));
    default:
        return (n - 1) * q;
    }
}

void garray__quantile_place(garray_quantile_method method, int64_t n, double q, int64_t *low, int64_t *high, double *t)
{
    double v = virtual_index(method, (double)n, q), last = (double)(n - 1);
    const bool before = v < 0;
    v = before ? 0 : v > last ? last : v;
    double floored = floor(v);
    *low = (int64_t)floored;
    if (*low > n - 1)                               /* n - 1 was rounded up */
        *low = n - 1;
    /* before the first value there is only that one: an infinity behind it does not count */
    *high = garray__quantile_picks(method) || before || *low == n - 1 ? *low : *low + 1;
    *t = v - floored;
    if (method == GARRAY_QUANTILE_AVERAGED_INVERTED_CDF)
        *t = *t == 0 ? 0.5 : 1;
}

/* ---- in arrays ---- */

static garray_status op1(int op, garray_t **v)
{
    return garray__unary(op, GARRAY__ARR(*v), v);
}

static garray_status op2(int op, garray_t **v, double number)
{
    return garray__binary(op, GARRAY__ARR(*v), garray_operand_double(number), 0, v);
}

/* *v = count * q or (count - 1) * q, in float64. */
static garray_status product(const garray_t *count, const garray_t *q, bool less_one, garray_t **v)
{
    garray_t *n = NULL;
    garray_status st = garray__copy_as(count, GARRAY_FLOAT64, &n);
    if (st == GARRAY_OK && less_one)
        st = op2(GARRAY_OP_subtract, &n, 1);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(n), GARRAY__ARR(q), 0, v);
    garray_release(n);
    return st;
}

/* n q + (alpha + q (1 - alpha - beta)) - 1 */
static garray_status parametric(const garray_t *count, const garray_t *q, double alpha, double beta, garray_t **v)
{
    garray_t *shift = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(product(count, q, false, v));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(q), garray_operand_double(1 - alpha - beta), 0, &shift));
    GARRAY__TRY(op2(GARRAY_OP_add, &shift, alpha));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(*v), GARRAY__ARR(shift), 0, v));
    st = op2(GARRAY_OP_subtract, v, 1);
done:
    garray_release(shift);
    return st;
}

static garray_status closest(garray_t **v)
{
    garray_t *floored = NULL, *exact = NULL, *odd = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(op2(GARRAY_OP_subtract, v, 1));
    GARRAY__TRY(op2(GARRAY_OP_subtract, v, 0.5));
    GARRAY__TRY(garray__unary(GARRAY_OP_floor, GARRAY__ARR(*v), &floored));
    GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(*v), GARRAY__ARR(floored), 0, &exact));
    GARRAY__TRY(garray__binary(GARRAY_OP_remainder, GARRAY__ARR(floored), garray_operand_double(2), 0, &odd));
    GARRAY__TRY(garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(exact), GARRAY__ARR(odd), 0, &exact));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(floored), garray_operand_double(1), 0, v));
    st = garray__choose(exact, GARRAY__ARR(floored), GARRAY__ARR(*v), v);
done:
    garray_release(floored);
    garray_release(exact);
    garray_release(odd);
    return st;
}

static garray_status virtual_indices(garray_quantile_method method, const garray_t *count, const garray_t *q, garray_t **v)
{
    double alpha, beta;
    garray_t *up = NULL;
    garray_status st = GARRAY_OK;
    if (get_parameters(method, &alpha, &beta))
        return parametric(count, q, alpha, beta, v);
    bool whole = method == GARRAY_QUANTILE_INVERTED_CDF || method == GARRAY_QUANTILE_AVERAGED_INVERTED_CDF
                 || method == GARRAY_QUANTILE_CLOSEST_OBSERVATION;
    GARRAY__TRY(product(count, q, !whole, v));
    switch (method) {
    case GARRAY_QUANTILE_INVERTED_CDF:
        GARRAY__TRY(op2(GARRAY_OP_subtract, v, 1));
        st = op1(GARRAY_OP_ceil, v);
        break;
    case GARRAY_QUANTILE_AVERAGED_INVERTED_CDF: st = op2(GARRAY_OP_subtract, v, 1); break;
    case GARRAY_QUANTILE_CLOSEST_OBSERVATION: st = closest(v); break;
    case GARRAY_QUANTILE_LOWER: st = op1(GARRAY_OP_floor, v); break;
    case GARRAY_QUANTILE_HIGHER: st = op1(GARRAY_OP_ceil, v); break;
    case GARRAY_QUANTILE_NEAREST: st = op1(GARRAY_OP_round, v); break;
    case GARRAY_QUANTILE_MIDPOINT:
        GARRAY__TRY(garray__unary(GARRAY_OP_ceil, GARRAY__ARR(*v), &up));
        GARRAY__TRY(op1(GARRAY_OP_floor, v));
        GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(*v), GARRAY__ARR(up), 0, v));
        st = op2(GARRAY_OP_multiply, v, 0.5);
        break;
    default: break;
    }
done:
    garray_release(up);
    return st;
}

garray_status garray__quantile_places(garray_quantile_method method, const garray_t *count, const garray_t *q, garray_t **low,
                                      garray_t **high, garray_t **t)
{
    garray_t *v = NULL, *last = NULL, *floored = NULL, *before = NULL, *exact = NULL;
    garray_status st = GARRAY_OK;
    bool averaged = method == GARRAY_QUANTILE_AVERAGED_INVERTED_CDF;
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(count), garray_operand_int(1), 0, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_maximum, GARRAY__ARR(last), garray_operand_int(0), 0, &last));
    GARRAY__TRY(virtual_indices(method, count, q, &v));
    GARRAY__TRY(garray__binary(GARRAY_OP_less, GARRAY__ARR(v), garray_operand_int(0), 0, &before));
    const garray_operand bounds[3] = { GARRAY__ARR(v), garray_operand_double(0), GARRAY__ARR(last) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_clip, 3, bounds, 0, &v));
    GARRAY__TRY(garray__unary(GARRAY_OP_floor, GARRAY__ARR(v), &floored));
    GARRAY__TRY(garray__copy_as(floored, GARRAY_INT64, low));
    GARRAY__TRY(garray__binary(GARRAY_OP_minimum, GARRAY__ARR(*low), GARRAY__ARR(last), 0, low));
    if (garray__quantile_picks(method)) {
        *high = garray__share(*low);
        goto done;
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(*low), garray_operand_int(1), 0, high));
    GARRAY__TRY(garray__binary(GARRAY_OP_minimum, GARRAY__ARR(*high), GARRAY__ARR(last), 0, high));
    GARRAY__TRY(garray__choose(before, GARRAY__ARR(*low), GARRAY__ARR(*high), high));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(v), GARRAY__ARR(floored), 0, t));
    if (averaged) {
        GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(*t), garray_operand_double(0), 0, &exact));
        GARRAY__TRY(garray__choose(exact, garray_operand_double(0.5), GARRAY__ARR(*t), t));
        st = garray__choose(exact, GARRAY__ARR(*t), garray_operand_double(1), t);
    }
done:
    garray_release(v);
    garray_release(last);
    garray_release(floored);
    garray_release(before);
    garray_release(exact);
    return st;
}
