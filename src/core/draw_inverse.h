/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions that are a formula of one uniform number, one text for C and CUDA.  garray__draw_NAME(bits, a, b, c) is
 * the draw that 64 random bits make with the parameters of the row in core/draws.def; in lognormal bits are a normal
 * number. */
#ifndef GARRAY_CORE_DRAW_INVERSE_H
#define GARRAY_CORE_DRAW_INVERSE_H

#include "core/draw_math.h"

#define GARRAY_INVERSE(name) \
    GARRAY_FN double garray__draw_##name(uint64_t bits, double a, double b, double c)
#define UNUSED2 (void)b, (void)c

GARRAY_INVERSE(exponential)
{
    UNUSED2;
    return a * d_exponential(bits);
}

/* The side and the logarithm of twice the distance from the nearer end. */
GARRAY_INVERSE(laplace)
{
    (void)c;
    const double u = d_open(bits), side = u < 0.5 ? u + u : 2.0 - (u + u), l = garray__normal_log(side);
    const double step = b * l;
    return u < 0.5 ? a + step : a - step;
}

GARRAY_INVERSE(gumbel)
{
    (void)c;
    const double step = b * garray__normal_log(-garray__normal_log(d_open(bits)));
    return a - step;
}

GARRAY_INVERSE(logistic)
{
    (void)c;
    const double u = d_open(bits), step = b * garray__normal_log(u / (1.0 - u));
    return a + step;
}

/* The cotangent of pi u. */
GARRAY_INVERSE(standard_cauchy)
{
    (void)a, UNUSED2;
    double cosine, sine;
    garray__normal_turn(2.0 * d_open(bits), &cosine, &sine);
    return cosine / sine;
}

GARRAY_INVERSE(pareto)
{
    UNUSED2;
    return d_expm1(d_exponential(bits) / a);
}

GARRAY_INVERSE(weibull)
{
    UNUSED2;
    const double e = -garray__normal_log(d_open(bits)), x = d_exp(garray__normal_log(e) / a);
    return garray__normal_double(garray__normal_bits(x) & (0 - (uint64_t)(a != 0)));       /* 0 where a is */
}

GARRAY_INVERSE(power)
{
    UNUSED2;
    return d_exp(garray__normal_log(garray__normal_integer((bits >> 11) + 1, 0x1p-53)) / a);
}

GARRAY_INVERSE(rayleigh)
{
    UNUSED2;
    return a * sqrt(2.0 * d_exponential(bits));
}

/* a, b, c: left, mode, right */
GARRAY_INVERSE(triangular)
{
    const double u = d_open(bits), base = c - a, left = b - a, ratio = left / base;
    const double lower = sqrt(u * (left * base)), upper = sqrt((1.0 - u) * ((c - b) * base));
    return u <= ratio ? a + lower : c - upper;
}

GARRAY_INVERSE(geometric)
{
    UNUSED2;
    const double x = ceil(d_exponential(bits) / -d_log1p(-a));
    return x > 1.0 ? x : 1.0;
}

GARRAY_FN double garray__draw_lognormal(double normal, double a, double b, double c)
{
    (void)c;
    const double step = b * normal;
    return d_exp(a + step);
}

#undef UNUSED2
#undef GARRAY_INVERSE
#endif
