/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas of the special functions of floats.  Those of float are in elementary_special.h.  Of double, exp2, erf, erfc,
 * gamma and lgamma are the library's; the others are here, within 2 ulp, and with the same bits on every device as far
 * as they use no function of the library. */
#ifndef GARRAY__FORMULA_SPECIAL_H
#define GARRAY__FORMULA_SPECIAL_H

#if GARRAY_WIDTH == 64

GARRAY_FN ct f_degrees(ct a) { return a * 57.29577951308232; }
GARRAY_FN ct f_radians(ct a) { return a * 0.017453292519943295; }
GARRAY_FN ct f_gamma(ct a) { return tgamma(a); }

#ifdef __CUDACC__
GARRAY_FN ct f_lgamma(ct a) { return lgamma(a); }
#else
GARRAY_FN ct f_lgamma(ct a)
{
    int sign;       /* lgamma() itself writes a variable of the whole process */

    return lgamma_r(a, &sign);
}
#endif

/* The root and the quotient are corrected by what they leave over.  Subnormal numbers are scaled, or the rest of the
 * root would be lost. */
GARRAY_FN ct f_rsqrt(ct a)
{
    const double scale = a < 0x1p-900 ? 0x1p200 : 1, x = a * scale;
    const double root = sqrt(x), r = 1 / root;
    const double root_rest = fma(-root, root, x), rest = fma(-root, r, 1.0);
    const double y = fma(r, rest - 0.5 * (root_rest * r) * r, r) * (a < 0x1p-900 ? 0x1p100 : 1);

    return (a > 0) & (a < INFINITY) ? y : r;
}

/* 1 / (1 + e) or e / (1 + e) with e = exp(-|a|); what the sum rounds off comes back into the quotient. */
GARRAY_FN ct f_sigmoid_of(ct a, double e)
{
    const double sum = 1 + e, rest = e - (sum - 1), top = a < 0 ? e : 1, q = top / sum;

    return q + (fma(-q, sum, top) - GARRAY_PRODUCT(q * rest)) / sum;
}

GARRAY_FN ct f_sigmoid(ct a) { return f_sigmoid_of(a, exp(-fabs(a))); }

/* The far flanks of Wichura's AS 241. */
GARRAY_FN double f_quantile_tail(double r)
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

GARRAY_FN ct f_erfinv(ct a)
{
    const double x = fabs(a), half = 0.5 * x;
    double y;

    if (!(x < 1))
        return x == 1 ? copysign(INFINITY, a) : NAN;
    if (x <= 0.85) {
        y = e_quantile_ratio(fma(-half, half, 0.180625), 1) * half;
    } else {
        const double r = sqrt(-log(0.5 - half));
        y = r <= 5 ? e_quantile_ratio(r - 1.6, 0) : f_quantile_tail(r - 5);
    }
    return copysign(y * E_ROOT_HALF, a);
}

/* sin(pi a) / (pi a), 0 of integers; the rounding of the divisor comes back into the quotient. */
GARRAY_FN ct f_sinc(ct a)
{
    const double s = e_sinpi(a), d = a * E_PI, rest = fma(a, E_PI, -d) + GARRAY_PRODUCT(a * E_PI_LOW);
    const double q = s / d, y = q + (fma(-q, d, s) - GARRAY_PRODUCT(q * rest)) / d;

    return a == 0 ? 1 : s == 0 ? 0 : y;
}

/* power: exp(x), or of x > 700, where that may overflow, exp(x / 2). */
GARRAY_FN ct f_i0_of(double x, double power)
{
    const double far = x < 8 ? 8 : x, u = 0.25 * x * x;
    const double low = fma(u, e_poly_i0(u), 1.0);
    const double high = power * (e_poly_i0_tail_long(1 / far) / sqrt(far)) * (x > 700 ? power : 1);

    return x < 8 ? low : x < INFINITY ? high : x;
}

GARRAY_FN ct f_i0(ct a)
{
    const double x = fabs(a);

    return f_i0_of(x, exp(x > 700 ? 0.5 * x : x));
}

/* As f_logaddexp. */
GARRAY_FN ct f_logaddexp2(ct a, ct b)
{
    const double larger = a > b ? a : b;
    const double gap = fabs(a - b);

    if (a == b)
        return a + 1;
    return gap != gap ? gap : larger + GARRAY_PRODUCT(E_LOG2E * log1p(exp2(-gap)));
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
GARRAY_FN ct f_logaddexp2(ct a, ct b) { return e_logaddexp2(a, b); }

#endif

#if GARRAY_WIDTH == 64
GARRAY_FN ct f_exp_difference(ct a, ct b) { return exp(a - b); }
#else
GARRAY_FN ct f_exp_difference(ct a, ct b) { return e_exp_difference(a, b); }
#endif

GARRAY_FN ct f_exp2(ct a) { return ELEMENTARY(exp2)(a); }
GARRAY_FN ct f_erf(ct a) { return ELEMENTARY(erf)(a); }
GARRAY_FN ct f_erfc(ct a) { return ELEMENTARY(erfc)(a); }

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
