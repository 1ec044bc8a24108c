/* SPDX-License-Identifier: BSD-3-Clause
 * log, log1p, log2, log10, asinh, acosh, atanh of float32; read elementary.h first.
 *
 * All find the power of two 2^k nearest to their argument, 1/sqrt(2) <= x / 2^k < sqrt(2), by integer
 * operations on its bits, and take log(x) = k log(2) + log(1 + f) with f = x / 2^k - 1, which is exact and
 * keeps log(x) relatively accurate near 1, where k is 0. */
#ifndef GARRAY_CORE_ELEMENTARY_LOG_H
#define GARRAY_CORE_ELEMENTARY_LOG_H

/* The biased exponent k + 1023 in its place, for positive x. */
E_FN uint64_t e_nearest_power(double x)
{
    return (e_bits64(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) & E_EXPONENT;
}

/* 2^-k. */
E_FN double e_power_inverse(uint64_t power) { return e_double(0x7fe0000000000000u - power); }

/* k as a number: the bits of 2^52 + k + 1023. */
E_FN double e_power_exponent(uint64_t power)
{
    return e_double((power >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
}

/* log(x) of a positive, finite x. */
E_FN double e_log_double(double x)
{
    uint64_t power = e_nearest_power(x);
    double f = e_fma(x, e_power_inverse(power), -1.0);
    return e_fma(e_power_exponent(power), E_LN2, f * e_poly_log(f));
}

/* What all logarithms do outside the positive finite numbers: r is the result inside, x the argument of
 * log. */
E_FN float e_log_edges(float r, float x)
{
    r = x < E_INF ? r : x;
    return x > 0.0f ? r : x == 0.0f ? -E_INF : E_NAN;
}

E_FN float e_log_fast(float a) { return e_log_edges((float)e_log_double(a), a); }

E_FN float e_log2_fast(float a)
{
    double x = a;
    uint64_t power = e_nearest_power(x);
    double f = e_fma(x, e_power_inverse(power), -1.0);
    return e_log_edges((float)e_fma(f * e_poly_log(f), E_LOG2E, e_power_exponent(power)), a);
}

E_FN float e_log10_fast(float a) { return e_log_edges((float)(e_log_double(a) * E_LOG10E), a); }

/* The nearest power is that of 1 + x, and f = (1 + x) / 2^k - 1 does without the rounding of 1 + x. */
E_FN float e_log1p_fast(float a)
{
    double x = a;
    uint64_t power = e_nearest_power(1.0 + x);
    double inverse = e_power_inverse(power);
    double f = e_fma(x, inverse, inverse - 1.0);
    float r = (float)e_fma(e_power_exponent(power), E_LN2, f * e_poly_log(f));
    r = a == 0.0f ? a : r;
    r = a < E_INF ? r : a;
    return a > -1.0f ? r : a == -1.0f ? -E_INF : E_NAN;
}

/* log(t + sqrt(t^2 + 1)) of t = |x|, and below 2^-6, where that cancels, three terms of the series. */
E_FN float e_asinh_fast(float a)
{
    double t = e_abs(a), u = t * t;
    double large = e_log_double(t + sqrt(u + 1.0));
    double small = t * e_fma(u, e_fma(u, 0.075, -1.0 / 6.0), 1.0);
    float r = (float)(t < 0.015625 ? small : large);
    r = e_abs(a) < E_INF ? r : E_INF;
    return a == a ? e_signed(r, a) : E_NAN;
}

E_FN float e_acosh_fast(float a)
{
    double x = a;
    float r = (float)e_log_double(x + sqrt(e_fma(x, x, -1.0)));
    r = a < E_INF ? r : a;
    return a >= 1.0f ? r : E_NAN;
}

/* atanh(t) = log((1 + t) / (1 - t)) / 2 = k log(2) / 2 + atanh(s), where with K = 2^k near (1 + t) / (1 - t)
 * s = ((1 + t) - K (1 - t)) / ((1 + t) + K (1 - t)); |s| <= 0.2003, and s = t while K is 1. */
E_FN float e_atanh_fast(float a)
{
    double t = e_abs(a);
    uint64_t difference = (e_bits64(1.0 + t) - e_bits64(1.0 - t) + 0x0008000000000000u) & E_EXPONENT;
    double power = e_double(difference + 0x3ff0000000000000u);
    double k = e_double((difference >> 52) | 0x4330000000000000u) - 4503599627370496.0;
    double s = e_fma(t, 1.0 + power, 1.0 - power) * e_reciprocal(e_fma(t, 1.0 - power, 1.0 + power));
    double u = s * s;
    float r = (float)e_fma(k, 0.5 * E_LN2, s * e_fma(u, e_poly_atanh(u), 1.0));
    r = e_abs(a) < 1.0f ? r : E_INF;
    return e_abs(a) <= 1.0f ? e_signed(r, a) : E_NAN;
}

#define E_RARE_log(a) 0
#define E_RARE_log2(a) 0
#define E_RARE_log10(a) 0
#define E_RARE_log1p(a) 0
#define E_RARE_asinh(a) 0
#define E_RARE_acosh(a) 0
#define E_RARE_atanh(a) 0
E_PLAIN1(log)
E_PLAIN1(log2)
E_PLAIN1(log10)
E_PLAIN1(log1p)
E_PLAIN1(asinh)
E_PLAIN1(acosh)
E_PLAIN1(atanh)

#endif
