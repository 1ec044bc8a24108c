/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas of the special functions of floats.  Those of float are in elementary_special.h.  Of double, exp2 and erf are
 * the library's; the others are here, within 1 ulp, and with the same bits on every device. */
#ifndef GARRAY__FORMULA_SPECIAL_H
#define GARRAY__FORMULA_SPECIAL_H

#if GARRAY_WIDTH == 64

#include "formula_triple.h"

GARRAY_FN ct f_degrees(ct a) { return a * 57.29577951308232; }
GARRAY_FN ct f_radians(ct a) { return a * 0.017453292519943295; }

/* Gamma(x) of 0 < x < 186 as q 2^k, by Stirling's series, below 8 that of x + 8 over the eight factors between. */
GARRAY_PART_FN w_power f_gamma_positive(double x)
{
    const int near = x < 8;
    const c_pair y = w_sum(x, near ? 8 : 0), u = w_times(w_sum(x, 7), x);
    const double inverse = 1 / y.hi;
    const c_pair power = c_pair_add(c_pair_multiply(w_log(y), w_plus(y, -0.5)), c_pair_negative(y));
    const c_pair rest = w_plus(w_pair(W_HALF_LOG_2PI, W_HALF_LOG_2PI_LOW), inverse * e_poly_stirling_long(inverse * inverse));
    const c_pair factors = c_pair_multiply(c_pair_multiply(u, w_plus(u, 6)), c_pair_multiply(w_plus(u, 10), w_plus(u, 12)));
    w_power p = w_exp(c_pair_add(power, rest));

    p.m = w_divide(p.m, near ? factors : w_pair(1, 0));
    return p;
}

/* Below 0 by reflection. */
GARRAY_PART_FN ct f_gamma(ct a)
{
    const double x = fabs(a), size = x < 185 ? (x > 0x1p-60 ? x : 0x1p-60) : 185;
    const w_power p = f_gamma_positive(size);
    const c_pair sine = w_sinpi(x < INFINITY ? x : 0), below = c_pair_multiply(c_pair_multiply(w_times(sine, size), p.m),
                                                                           w_pair(-1, 0));
    const double reflected = w_scale(w_divide(w_pair(W_PI, W_PI_LOW), below).hi, -p.k);
    const double whole = a < 0 ? (sine.hi == 0 ? NAN : reflected) : w_scale(p.m.hi, p.k);
    const double y = x > 0x1p-60 ? whole : 1 / a;

    return a == a ? (a < INFINITY ? y : a) : a;
}

/* log(gamma(2 + f)), |f| <= 1/2, with a small relative error. */
GARRAY_PART_FN c_pair f_lgamma_near(double f)
{
    const c_pair x = w_pair(f, 0);

    return w_times(w_terms(w_pair(W_LGAMMA_0, W_LGAMMA_0_LOW), w_pair(W_LGAMMA_1, W_LGAMMA_1_LOW), x,
                           e_poly_lgamma_rest(f)), f);
}

/* log(gamma(x)) of positive and finite x. */
GARRAY_LONG_FN c_pair f_lgamma_positive(double x)
{
    if (x < 0.5)
        return c_pair_add(f_lgamma_near(x), c_pair_negative(c_pair_add(w_log(w_pair(x, 0)), w_log1p(w_pair(x, 0)))));
    if (x < 1.5)
        return c_pair_add(f_lgamma_near(x - 1), c_pair_negative(w_log(w_pair(x, 0))));
    if (x < 8) {
        c_pair product = w_pair(1, 0);
        while (x > 2.5) {
            x -= 1;
            product = w_times(product, x);
        }
        return c_pair_add(w_log(product), f_lgamma_near(x - 2));
    }
    if (x > 0x1p60) {
        const c_pair l = w_plus(w_log(w_pair(x, 0)), -1);
        return l.hi * x < INFINITY ? w_times(l, x) : w_pair(INFINITY, 0);
    }
    const double inverse = 1 / x, rest = inverse * e_poly_stirling_long(inverse * inverse);
    const c_pair power = c_pair_multiply(w_log(w_pair(x, 0)), w_sum(x, -0.5));
    return c_pair_add(w_plus(power, -x), w_plus(w_pair(W_HALF_LOG_2PI, W_HALF_LOG_2PI_LOW), rest));
}

/* Below 0 by reflection, but next to the zeros there, where that cancels. */
GARRAY_FN ct f_lgamma(ct a)
{
    const double x = fabs(a);

    if (a != a || x == INFINITY)
        return x;
    if (x < 0x1p-60)
        return x == 0 ? INFINITY : c_pair_negative(w_log(w_pair(x, 0))).hi;
    if (a > 0)
        return f_lgamma_positive(x).hi;
    if (x >= 0x1p52)
        return INFINITY;

    c_pair sine = w_sinpi(x);
    if (sine.hi == 0)
        return INFINITY;
    if (sine.hi < 0)
        sine = c_pair_negative(sine);
    const c_pair mirror = f_lgamma_positive(x), factor = w_log(w_times(sine, x));
    const c_pair y = c_pair_add(c_pair_add(w_pair(W_LOG_PI, W_LOG_PI_LOW), c_pair_negative(factor)), c_pair_negative(mirror));
    return x < 40 && fabs(y.hi) < 0.0625 * (1 + fabs(mirror.hi)) ? t_lgamma(a) : y.hi;
}

/* The root and the quotient are corrected by what they leave over.  Subnormal numbers are scaled, or the rest of the
 * root would be lost. */
GARRAY_FN ct f_rsqrt(ct a)
{
    const double scale = a < 0x1p-900 ? 0x1p200 : 1, x = a * scale;
    const double root = sqrt(x), r = 1 / root;
    const double root_rest = fma(-root, root, x), rest = fma(-root, r, 1.0);
    const double y = fma(r, rest - 0.5 * (root_rest * r) * r, r) * (a < 0x1p-900 ? 0x1p100 : 1);

    return ((a > 0) & (a < INFINITY)) ? y : r;
}

/* 1 / (1 + e) or e / (1 + e) with e = exp(-|a|). */
GARRAY_PART_FN ct f_sigmoid(ct a)
{
    const double x = fabs(a) < 800 ? fabs(a) : 800;
    const w_power p = w_exp(w_pair(-x, 0));
    const c_pair sum = w_plus(w_sum(1, w_scale(p.m.hi, p.k)), w_scale(p.m.lo, p.k));
    const c_pair q = w_divide(a < 0 ? p.m : w_pair(1, 0), sum);

    return a == a ? w_scale(q.hi, a < 0 ? p.k : 0) : a;
}

/* erfc(x) of 1/2 <= x <= 28 as m 2^k, and exp(-x^2) as power 2^k. */
typedef struct f_flank {
    c_pair m, power;
    double k;
} f_flank;

GARRAY_PART_FN f_flank f_erfc_flank(double x)
{
    const w_power p = w_exp(c_pair_negative(w_product(x, x)));
    const c_pair f = w_divide(w_sum(x, -2), w_sum(x, 2));
    const c_pair slow = w_terms(w_pair(W_ERFC_0, W_ERFC_0_LOW), w_pair(W_ERFC_1, W_ERFC_1_LOW), f, e_poly_erfc_rest(f.hi));
    f_flank r;

    r.m = w_divide(c_pair_multiply(p.m, slow), w_sum(1, 2 * x));
    r.power = p.m;
    r.k = p.k;
    return r;
}

GARRAY_PART_FN ct f_erfc(ct a)
{
    const double x = fabs(a), near = x < 0.5 ? x : 0.5, far = x < 0.5 ? 0.5 : x < 28 ? x : 28, u = near * near;
    const c_pair erf = w_plus(w_times(w_pair(W_ROOT_PI_2, W_ROOT_PI_2_LOW), near), near * u * e_poly_erf_rest(u));
    const c_pair middle = c_pair_add(w_pair(1, 0), a < 0 ? erf : c_pair_negative(erf));
    const f_flank flank = f_erfc_flank(far);
    const double y = w_scale(flank.m.hi, flank.k), outer = a < 0 ? 2 - y : y;

    return a == a ? (x < 0.5 ? middle.hi : outer) : a;
}

/* The far flanks of Wichura's AS 241. */
GARRAY_PART_FN double f_quantile_tail(double r)
{
    double num = 2.01033439929228813265e-7, den = 2.04426310338993978564e-15;

    num = fma(num, r, 2.71155556874348757815e-5);
    den = fma(den, r, 1.4215117583164458887e-7);
    num = fma(num, r, 1.24266094738807843860e-3);
    den = fma(den, r, 1.8463183175100546818e-5);
    num = fma(num, r, 2.65321895265761230930e-2);
    den = fma(den, r, 7.868691311456132591e-4);
    num = fma(num, r, 2.96560571828504891230e-1);
    den = fma(den, r, 1.48753612908506148525e-2);
    num = fma(num, r, 1.78482653991729133580);
    den = fma(den, r, 1.3692988092273580531e-1);
    num = fma(num, r, 5.46378491116411436990);
    den = fma(den, r, 5.9983220655588793769e-1);
    num = fma(num, r, 6.65790464350110377720);
    return num / fma(den, r, 1.0);
}

/* A series up to 0.5225, whose result is 0.502; beyond, AS 241 and a step of Newton's on erfc. */
GARRAY_PART_FN ct f_erfinv(ct a)
{
    const double x = fabs(a), near = x < 0.5225 ? x : 0.5225, far = x < 0.5225 ? 0.5225 : x < 1 ? x : 0x1.fffffffffffffp-1;
    const double u = near * near, half = 0.5 * far, left = 1 - far, r = sqrt(-e_log_long(0.5 * left));
    /* the smallest numbers are raised, or the lower part of the product would be lost */
    const double raise = x < 0x1p-900 ? 0x1p200 : 1, raised = near * raise;
    const c_pair series = w_plus(w_times(w_pair(W_ERFINV_0, W_ERFINV_0_LOW), raised), raised * u * e_poly_erfinv_rest(u));
    const int central = far <= 0.85;
    const double ratio = e_quantile_ratio(central ? fma(-half, half, 0.180625) : r - 1.6, central);
    const double start = E_ROOT_HALF * (((r <= 5) | central) ? ratio * (central ? half : 1) : f_quantile_tail(r - 5));
    const f_flank flank = f_erfc_flank(start);
    const double rest = (flank.m.hi - w_scale(left, -flank.k)) + flank.m.lo;
    const double y = x < 0.5225 ? series.hi / raise : start + GARRAY_PRODUCT(W_ERFINV_0 * rest) / flank.power.hi;

    return x < 1 ? copysign(y, a) : x == 1 ? copysign(INFINITY, a) : NAN;
}

/* sin(pi a) / (pi a), 0 of integers; the rounding of the divisor comes back into the quotient. */
GARRAY_FN ct f_sinc(ct a)
{
    const double s = e_sinpi(a), d = a * E_PI, rest = fma(a, E_PI, -d) + GARRAY_PRODUCT(a * E_PI_LOW);
    const double q = s / d, y = q + (fma(-q, d, s) - GARRAY_PRODUCT(q * rest)) / d;

    return a == 0 ? 1 : s == 0 ? 0 : y;
}

/* What e_poly_i0 has from u^6 on, over u^6. */
GARRAY_PART_FN double f_i0_end(double u)
{
    double end = E_K(i0, 14);

    end = fma(end, u, E_K(i0, 13));
    end = fma(end, u, E_K(i0, 12));
    end = fma(end, u, E_K(i0, 11));
    end = fma(end, u, E_K(i0, 10));
    end = fma(end, u, E_K(i0, 9));
    end = fma(end, u, E_K(i0, 8));
    end = fma(end, u, E_K(i0, 7));
    return fma(end, u, E_K(i0, 6));
}

/* The modified Bessel function of order 0; the sum of its series in pairs where its terms are large. */
GARRAY_PART_FN ct f_i0(ct a)
{
    const double x = fabs(a), near = x < 8 ? x : 8, far = x < 8 ? 8 : x < 720 ? x : 720;
    const c_pair u = w_product(0.5 * near, 0.5 * near);
    c_pair low = w_pair(f_i0_end(u.hi), 0);
    low = c_pair_add(w_pair(E_K(i0, 5), 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(E_K(i0, 4), 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(E_K(i0, 3), 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(E_K(i0, 2), 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(E_K(i0, 1), 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(1, 0), c_pair_multiply(low, u));
    low = c_pair_add(w_pair(1, 0), c_pair_multiply(low, u));
    const double f = 16 / far - 1;
    const c_pair slow = w_plus(w_pair(W_I0_0, W_I0_0_LOW), f * e_poly_i0_rest(f));
    const w_power p = w_exp(w_pair(far, 0));
    const c_pair high = w_divide(c_pair_multiply(p.m, slow), w_root(w_pair(far, 0)));

    return x == x ? (x < 8 ? low.hi : w_scale(high.hi, p.k)) : x;
}

/* log(exp(a) + exp(b)) = larger + log(1 + exp(-gap)), or of powers of 2; rare: what is left may be so much smaller than
 * the two terms that only t_logaddexp has enough digits. */
GARRAY_PART_FN double f_logaddexp_most(double a, double b, int binary, int *rare)
{
    const double larger = a > b ? a : b, smaller = a > b ? b : a;
    const double limit = binary ? 1100 : 1000;
    const c_pair gap = w_sum(larger, -smaller), bent = gap.hi < limit ? c_pair_negative(gap) : w_pair(-limit, 0);
    const double whole = binary ? rint(bent.hi) : 0;
    const c_pair part = w_sum(bent.hi - whole, bent.lo), log2e = w_pair(W_LOG2E, W_LOG2E_LOW);
    const w_power p = w_exp(binary ? c_pair_multiply(part, w_pair(W_LN2, W_LN2_LOW)) : part);
    const double k = p.k + whole;
    const c_pair natural = w_log1p(w_pair(w_scale(p.m.hi, k), w_scale(p.m.lo, k)));
    /* of the smallest numbers the last product is rounded, not its factors */
    const c_pair tiny = w_pair(w_scale(binary ? c_pair_multiply(p.m, log2e).hi : p.m.hi, k), 0);
    const c_pair tail = k < -900 ? tiny : binary ? c_pair_multiply(natural, log2e) : natural;
    const double sum = w_plus(w_sum(larger, tail.hi), tail.lo).hi, y = (binary & (a == b)) ? a + 1 : sum;

    *rare = (fabs(y) < 0.0625 * tail.hi) & !(binary & (a == b));
    return ((gap.hi != gap.hi) & (a != b)) ? a + b : fabs(larger) < INFINITY ? y : larger;
}

GARRAY_FN ct f_logaddexp(ct a, ct b)
{
    int rare;
    const double y = f_logaddexp_most(a, b, 0, &rare);

    return rare ? t_logaddexp(a, b, 0) : y;
}

GARRAY_FN ct f_logaddexp2(ct a, ct b)
{
    int rare;
    const double y = f_logaddexp_most(a, b, 1, &rare);

    return rare ? t_logaddexp(a, b, 1) : y;
}

/* log(x + sqrt(x^2 +- 1)) as log1p; of a large x, log(2 x). */
GARRAY_FN ct f_asinh(ct a)
{
    const double x = fabs(a), small = x < 0x1p30 ? x : 0x1p30;
    const c_pair u = w_product(small, small), root = w_root(w_plus(u, 1));
    const c_pair near = w_log1p(c_pair_add(w_pair(small, 0), w_divide(u, w_plus(root, 1))));
    const c_pair far = c_pair_add(w_log(w_pair(x < INFINITY ? x : 1, 0)), w_pair(W_LN2, W_LN2_LOW));
    const double y = x < 0x1p30 ? near.hi : far.hi;

    return ((x < INFINITY) & (x > 0x1p-28)) ? copysign(y, a) : a;
}

GARRAY_FN ct f_acosh(ct a)
{
    const double t = a < 0x1p30 ? (a >= 1 ? a - 1 : 0) : 1;
    const c_pair near = w_log1p(w_plus(w_root(w_times(w_sum(2, t), t)), t));
    const c_pair far = c_pair_add(w_log(w_pair(((a < INFINITY) & (a > 1)) ? a : 1, 0)), w_pair(W_LN2, W_LN2_LOW));
    const double y = a < 0x1p30 ? near.hi : far.hi;

    return a > 1 ? (a < INFINITY ? y : a) : a == 1 ? 0 : NAN;
}

#else

GARRAY_FN ct f_degrees(ct a) { return e_degrees(a); }
GARRAY_FN ct f_radians(ct a) { return e_radians(a); }
GARRAY_FN ct f_gamma(ct a) { return e_gamma(a); }
GARRAY_FN ct f_lgamma(ct a) { return e_lgamma(a); }
GARRAY_FN ct f_rsqrt(ct a) { return e_rsqrt(a); }
GARRAY_FN ct f_sigmoid(ct a) { return e_sigmoid(a); }
GARRAY_FN ct f_erfinv(ct a) { return e_erfinv(a); }
GARRAY_FN ct f_sinc(ct a) { return e_sinc(a); }
GARRAY_FN ct f_i0(ct a) { return e_i0(a); }
GARRAY_FN ct f_logaddexp(ct a, ct b) { return e_logaddexp(a, b); }
GARRAY_FN ct f_logaddexp2(ct a, ct b) { return e_logaddexp2(a, b); }

#endif

#if GARRAY_WIDTH == 64
GARRAY_FN ct f_exp_difference(ct a, ct b) { return exp(a - b); }
#else
GARRAY_FN ct f_exp_difference(ct a, ct b) { return e_exp_difference(a, b); }
#endif

GARRAY_FN ct f_exp2(ct a) { return ELEMENTARY(exp2)(a); }
GARRAY_FN ct f_erf(ct a) { return ELEMENTARY(erf)(a); }
#if GARRAY_WIDTH != 64
GARRAY_FN ct f_erfc(ct a) { return e_erfc(a); }
#endif

/* ---- formulas that only core uses ---- */

/* isclose: how far apart two numbers may be, and whether they are. */
GARRAY_FN ct f_tolerance(ct a, ct b, ct c) { return c + b * LIBRARY(fabs)(a); }
GARRAY_FN int f_close(ct a, ct b, ct c)
{
    return ((LIBRARY(fabs)(a - b) <= c) & (LIBRARY(fabs)(b) < (ct)INFINITY)) | (a == b);
}

/* nan_to_num: b for NaN, c and -c for infinities. */
GARRAY_FN ct f_replace(ct a, ct b, ct c)
{
    const ct number = LIBRARY(fabs)(a) == (ct)INFINITY ? (a < 0 ? -c : c) : a;

    return a != a ? b : number;
}

/* unwrap: what to add for a step of a, with the period b; 0 for steps below c. */
GARRAY_FN ct f_unwrap(ct a, ct b, ct c)
{
    const ct high = b / 2;
    ct folded = f_remainder(a + high, b) - high;

    if (folded == -high && a > 0)
        folded = high;
    return LIBRARY(fabs)(a) < c ? 0 : folded - a;
}

#endif
