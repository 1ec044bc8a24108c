/* SPDX-License-Identifier: BSD-3-Clause
 * float64 functions to about 2^-60, as pairs of numbers: what the special functions of formula_special.h are made of.
 * Only + - * / sqrt fma, comparisons and integer operations: the same bits on every device and at every instruction set.
 * Without branches, so that loops over them become vector code.  The polynomials, and the W_ constants with their
 * W_..._LOW parts, are in wide_poly.h. */
#ifndef GARRAY__FORMULA_WIDE_H
#define GARRAY__FORMULA_WIDE_H

#include "complex_arith.h"
#include "elementary.h"
#include "wide_poly.h"

/* ---- pairs; a pair's error is some 2^-104 of it ---- */

GARRAY_PART_FN c_pair w_pair(double hi, double lo)
{
    c_pair r;

    r.hi = hi;
    r.lo = lo;
    return r;
}

/* Exactly a + b, in any order of size, and a * b. */
GARRAY_PART_FN c_pair w_sum(double a, double b)
{
    const double hi = a + b, part = hi - a;

    return w_pair(hi, (a - (hi - part)) + (b - part));
}

GARRAY_PART_FN c_pair w_product(double a, double b)
{
    const double hi = GARRAY_PRODUCT(a * b);

    return w_pair(hi, fma(a, b, -hi));
}

/* For |a| >= |b|. */
GARRAY_PART_FN c_pair w_plus(c_pair a, double b)
{
    const c_pair s = w_sum(a.hi, b);

    return c_pair_join(s.hi, s.lo + a.lo);
}

GARRAY_PART_FN c_pair w_times(c_pair a, double b)
{
    const double hi = GARRAY_PRODUCT(a.hi * b);

    return c_pair_join(hi, fma(a.lo, b, fma(a.hi, b, -hi)));
}

GARRAY_PART_FN c_pair w_divide(c_pair a, c_pair b)
{
    const double hi = a.hi / b.hi, rest = fma(-hi, b.hi, a.hi) + a.lo;

    return c_pair_join(hi, fma(-hi, b.lo, rest) / b.hi);
}

GARRAY_PART_FN c_pair w_root(c_pair a)
{
    const double hi = sqrt(a.hi), rest = fma(-hi, hi, a.hi) + a.lo;

    return c_pair_join(hi, rest / (2 * hi));
}

/* a + f (b + f * rest), the last two terms as pairs. */
GARRAY_PART_FN c_pair w_terms(c_pair a, c_pair b, c_pair f, double rest)
{
    const c_pair inner = c_pair_add(b, w_times(f, rest));

    return c_pair_add(a, c_pair_multiply(f, inner));
}

/* m * 2^k, rounded once, for an integer |k| < 2040. */
GARRAY_PART_FN double w_scale(double m, double k)
{
    const double half = rint(0.5 * k);

    return GARRAY_PRODUCT(m * e_power_of_two(half + E_ROUND)) * e_power_of_two((k - half) + E_ROUND);
}

/* ---- exp and log ---- */

/* exp(x) = (hi + lo) 2^k, sqrt(1/2) <= hi <= sqrt(2), for |x| < 2^10: 2^-59. */
typedef struct w_power {
    c_pair m;
    double k;
} w_power;

GARRAY_PART_FN w_power w_exp(c_pair x)
{
    const double z = fma(x.hi, W_LOG2E, E_ROUND), k = z - E_ROUND;
    /* log(2) in three parts: the products of k with the first are exact. */
    const c_pair part = w_sum(fma(-k, 0x1.62e42fefa3800p-1, x.hi), fma(-k, 0x1.ef35793c76730p-45, x.lo));
    const c_pair r = c_pair_join(part.hi, part.lo);
    const double square = r.hi * r.hi, square_low = fma(r.hi, r.hi, -square);
    const double rest = fma(GARRAY_PRODUCT(square * r.hi), e_poly_exp_rest(r.hi),
                            fma(r.hi, r.lo, fma(0.5, square_low, r.lo)));
    const c_pair linear = c_pair_join(1, r.hi), whole = c_pair_join(linear.hi, 0.5 * square);
    w_power p;

    p.m = c_pair_join(whole.hi, (linear.lo + whole.lo) + rest);
    p.k = k;
    return p;
}

/* 2 atanh(s), |s| < 0.1716: 2^-65. */
GARRAY_PART_FN c_pair w_twice_atanh(c_pair s)
{
    const c_pair u = c_pair_multiply(s, s);
    const c_pair third = c_pair_multiply(u, w_pair(0x1.5555555555555p-2, 0x1.5555555555555p-56));
    const c_pair series = c_pair_add(w_pair(1, 0), w_plus(third, GARRAY_PRODUCT(u.hi * u.hi) * e_poly_atanh_rest(u.hi)));

    return c_pair_multiply(w_pair(2 * s.hi, 2 * s.lo), series);
}

/* log(x) of a positive x: 2^-65 of the larger of its two terms. */
GARRAY_PART_FN c_pair w_log(c_pair x)
{
    const double scale = x.hi < 0x1p-900 ? 0x1p100 : x.hi > 0x1p900 ? 0x1p-200 : 1, top = x.hi * scale;
    const uint64_t power = e_nearest_power(top);
    const double raised = x.hi < 0x1p-900 ? 100 : x.hi > 0x1p900 ? -200 : 0;
    const double k = e_power_exponent(power) - raised, inverse = e_power_inverse(power);
    const double m = top * inverse, low = x.lo * scale * inverse;
    const c_pair s = w_divide(w_sum(m - 1, low), w_plus(w_sum(1, m), low));
    const c_pair whole = w_sum(GARRAY_PRODUCT(k * 0x1.62e42fefa3800p-1), k * 0x1.ef35793c76730p-45);

    return c_pair_add(whole, w_twice_atanh(s));
}

/* log(1 + e) to 2^-59 of itself, for 0 <= e < 2^1000; 1 + e = 2^k (1 + f), and f = e where k = 0. */
GARRAY_PART_FN c_pair w_log1p(c_pair e)
{
    const c_pair sum = c_pair_add(w_sum(1, e.hi), w_pair(e.lo, 0));
    const uint64_t power = e_nearest_power(sum.hi);
    const double k = e_power_exponent(power), inverse = e_power_inverse(power);
    const int near = k == 0;
    const c_pair far = w_sum(sum.hi * inverse - 1, sum.lo * inverse), f = near ? e : far;
    const c_pair s = w_divide(f, w_plus(w_sum(2, f.hi), f.lo));
    const c_pair whole = w_sum(GARRAY_PRODUCT(k * 0x1.62e42fefa3800p-1), k * 0x1.ef35793c76730p-45);

    return c_pair_add(whole, w_twice_atanh(s));
}

/* ---- sin(pi x) of x >= 0; 0 of integers ---- */
GARRAY_PART_FN c_pair w_sinpi(double x)
{
    const double n = rint(2 * x), r = fma(-0.5, n, x), quarters = n - 4 * rint(0.25 * n);
    const c_pair t = w_times(w_pair(W_PI, W_PI_LOW), r), u = c_pair_multiply(t, t);
    const c_pair cubic = c_pair_multiply(u, w_pair(-0x1.5555555555555p-3, -0x1.5555555555555p-57));
    const c_pair sine = c_pair_multiply(t, c_pair_add(w_pair(1, 0), w_plus(cubic,
                                                      GARRAY_PRODUCT(u.hi * u.hi) * e_poly_sin_rest(u.hi))));
    const c_pair cosine = c_pair_add(w_pair(1, 0), w_plus(w_pair(-0.5 * u.hi, -0.5 * u.lo),
                                                         GARRAY_PRODUCT(u.hi * u.hi) * e_poly_cos_rest(u.hi)));
    const int odd = (quarters == 1) | (quarters == -1);
    const c_pair y = odd ? cosine : sine;

    const int below = (quarters == -1) | (quarters == 2) | (quarters == -2);

    return below ? c_pair_negative(y) : y;
}

#endif
