/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of float64 for random draws, one text for C and CUDA: the same bits everywhere.  They are within a few ULP
 * of the true value, which a draw cannot tell from it.  No call of a library but sqrt, fma and floor, which IEEE 754
 * fixes; no branch where a loop over elements should become vector code. */
#ifndef GARRAY_CORE_DRAW_MATH_H
#define GARRAY_CORE_DRAW_MATH_H

#include "core/philox.h"

#define D_INF garray__normal_double(0x7ff0000000000000u)
#define D_NAN garray__normal_double(0x7ff8000000000000u)
#define D_PI 3.14159265358979323846

/* ---- uniform numbers, never an end of the interval ---- */
/* Of 64 bits: the odd multiples of 2^-53. */
GARRAY_FN double d_open(uint64_t bits) { return garray__normal_integer(bits >> 11 | 1, 0x1p-53); }
/* Of 32 bits: the odd multiples of 2^-33. */
GARRAY_FN double d_open32(uint32_t bits) { return garray__normal_integer((uint64_t)bits << 1 | 1, 0x1p-33); }

/* A standard exponential number of 64 bits: -log of a multiple of 2^-53 in (0, 1]. */
GARRAY_FN double d_exponential(uint64_t bits)
{
    const double e = -garray__normal_log(garray__normal_integer((bits >> 11) + 1, 0x1p-53));
    return e > 0 ? e : 0.0;
}

/* ---- elementary functions ---- */

GARRAY_FN double d_log(double x)
{
    const int small = x < 0x1p-1022;
    const double r = garray__normal_log(small ? x * 0x1p54 : x) - (small ? 37.42994775023704676 : 0.0);
    const double in_range = x < D_INF ? r : x;
    return x > 0 ? in_range : x == 0 ? -D_INF : D_NAN;
}

/* 1/2!, 1/3! ... 1/13! */
GARRAY_TABLE d_inverse_factorial[12] = { 5.00000000000000000e-01, 1.66666666666666657e-01, 4.16666666666666644e-02,
                                         8.33333333333333322e-03, 1.38888888888888894e-03, 1.98412698412698413e-04,
                                         2.48015873015873016e-05, 2.75573192239858925e-06, 2.75573192239858883e-07,
                                         2.50521083854417202e-08, 2.08767569878681002e-09, 1.60590438368216133e-10 };

/* exp(r) - 1 for |r| < 0.35, by Taylor's series. */
GARRAY_FN double d_expm1_near(double r)
{
    const double *c = d_inverse_factorial;
    double p = c[11];
    p = fma(p, r, c[10]);
    p = fma(p, r, c[9]);
    p = fma(p, r, c[8]);
    p = fma(p, r, c[7]);
    p = fma(p, r, c[6]);
    p = fma(p, r, c[5]);
    p = fma(p, r, c[4]);
    p = fma(p, r, c[3]);
    p = fma(p, r, c[2]);
    p = fma(p, r, c[1]);
    p = fma(p, r, c[0]);
    return fma(p * r, r, r);
}

/* x = n log(2) + r. */
GARRAY_FN double d_reduce_exp(double x, double *n)
{
    *n = fma(x, 1.44269504088896340736, 0x1.8p52) - 0x1.8p52;
    return fma(-*n, garray__normal_split[1], fma(-*n, garray__normal_split[0], x));
}

/* 2^n of an integer -1022 <= n <= 1023. */
GARRAY_FN double d_two_to(double n)
{
    return garray__normal_double(garray__normal_bits(n + (0x1p52 + 1023.0)) << 52);
}

GARRAY_FN double d_exp(double x)
{
    const double high = x < 710.0 ? x : 710.0, limited = high > -746.0 ? high : -746.0;
    double n;
    const double r = d_reduce_exp(limited, &n), y = d_expm1_near(r) + 1.0;
    const double half = floor(n * 0.5);                         /* in two steps: results may be subnormal */
    const double value = y * d_two_to(half) * d_two_to(n - half);
    return x == x ? value : x;
}

GARRAY_FN double d_expm1(double x)
{
    const double high = x < 710.0 ? x : 710.0, limited = high > -40.0 ? high : -40.0;
    double n;
    const double r = d_reduce_exp(limited, &n), half = floor(n * 0.5), power = d_two_to(half);
    const double rest = d_two_to(n - half);
    /* 2^n (expm1(r) + 1) - 1, the powers apart as 2^1024 is none */
    const double value = fma(d_expm1_near(r) * power, rest, power * rest - 1.0);
    const double large = d_expm1_near(r) * power * rest + power * rest;
    return x == x ? (x > 600.0 ? large : value) : x;
}

GARRAY_FN double d_log1p(double x)
{
    const double u = 1.0 + x, lost = (x - (u - 1.0)) / u, y = d_log(u) + lost;
    const double inner = u == 1.0 ? x : y;
    return u > 0 && u < D_INF ? inner : d_log(u);
}

/* x^y for positive x; the error grows with |y log(x)|. */
GARRAY_FN double d_pow(double x, double y) { return d_exp(y * d_log(x)); }

/* Of x in [-1, 1], fdlibm's way. */
GARRAY_FN double d_acos_rest(double z)
{
    const double p = z * fma(z, fma(z, fma(z, fma(z, fma(z, 3.47933107596021167570e-05, 7.91534994289814532176e-04),
                                                 -4.00555345006794114027e-02), 2.01212532134862925881e-01),
                                    -3.25565818622400915405e-01), 1.66666666666666657415e-01);
    const double q = fma(z, fma(z, fma(z, fma(z, 7.70381505559019352791e-02, -6.88283971605453293030e-01),
                                       2.02094576023350569471e+00), -2.40339491173441421878e+00), 1.0);
    return p / q;
}

GARRAY_FN double d_acos(double x)
{
    const double size = fabs(x);
    if (size < 0.5)
        return 0.5 * D_PI - fma(x, d_acos_rest(x * x), x);
    const double z = 0.5 * (1.0 - size), root = sqrt(z > 0 ? z : 0.0), y = 2.0 * fma(root, d_acos_rest(z), root);
    return x < 0 ? D_PI - y : y;
}

/* ---- the gamma function and what follows from it ---- */

/* log(x!) - log(sqrt(2 pi x) (x / e)^x): Stirling's series, of x >= 10, and sum added. */
GARRAY_FN double d_stirling_far(double x, double sum)
{
    const double inverse = 1.0 / x, z = inverse * inverse;
    double series = fma(z, 1.0 / 156.0, -691.0 / 360360.0);
    series = fma(z, series, 1.0 / 1188.0);
    series = fma(z, series, -1.0 / 1680.0);
    series = fma(z, series, 1.0 / 1260.0);
    series = fma(z, series, -1.0 / 360.0);
    series = fma(z, series, 1.0 / 12.0);
    return fma(series, inverse, sum);
}

/* Of x > 0; below 10 from the next larger ones. */
GARRAY_LONG_FN double d_stirling(double x)
{
    double sum = 0.0;
    /* the difference of neighbours is (x + 1/2) log(1 + 1/x) - 1 */
    for (; x < 10.0; x += 1.0)
        sum += fma(x + 0.5, d_log1p(1.0 / x), -1.0);
    return d_stirling_far(x, sum);
}

/* log(k!) of an integer k >= 0. */
GARRAY_LONG_FN double d_log_factorial(double k)
{
    if (k < 2.0)
        return 0.0;
    return d_stirling(k) + fma(k + 0.5, d_log(k), -k) + 0.918938533204672741780;
}

/* x log(x / m) + m - x, the deviance (Loader, 2000), for x > 0: without cancellation where x is near m. */
GARRAY_FN double d_deviance(double x, double m)
{
    const double v = (x - m) / (x + m), z = v * v;          /* x log(x / m) = 2 x atanh(v) */
    double p = fma(z, 1.0 / 17.0, 1.0 / 15.0);
    p = fma(z, p, 1.0 / 13.0);
    p = fma(z, p, 1.0 / 11.0);
    p = fma(z, p, 1.0 / 9.0);
    p = fma(z, p, 1.0 / 7.0);
    p = fma(z, p, 1.0 / 5.0);
    p = fma(z, p, 1.0 / 3.0);
    const double near = fma(2.0 * x * v, z * p, (x - m) * v), far = fma(x, d_log(x / m), m - x);
    return fabs(v) < 0.1 ? near : far;
}

/* log of the probability of k: Poisson's with mean m, and binomial with 0 < p < 1, q = 1 - p.  The stirlings are those of k,
 * n and n - k; k is neither 0 nor n. */
GARRAY_FN double d_log_poisson_from(double k, double m, double stirling)
{
    return -stirling - d_deviance(k, m) - 0.5 * d_log(2.0 * D_PI * k);
}

GARRAY_FN double d_log_binomial_from(double k, double n, double p, double q, double of_n, double of_k, double of_rest)
{
    return of_n - of_k - of_rest - d_deviance(k, n * p) - d_deviance(n - k, n * q)
           - 0.5 * d_log(2.0 * D_PI * k * ((n - k) / n));
}

GARRAY_LONG_FN double d_log_poisson(double k, double m)
{
    return k > 0.0 ? d_log_poisson_from(k, m, d_stirling(k)) : -m;
}

GARRAY_LONG_FN double d_log_binomial(double k, double n, double p, double q)
{
    if (k == 0.0)
        return n * d_log1p(-p);
    if (k == n)
        return n * d_log(p);
    return d_log_binomial_from(k, n, p, q, d_stirling(n), d_stirling(k), d_stirling(n - k));
}

#endif
