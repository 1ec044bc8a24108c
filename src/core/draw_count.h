/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions of integers that draw until something is accepted, one text for C and CUDA: binomial and Poisson's by
 * searching from 0 where the mean is below 10, else by transformed rejection (Hoermann, 1993), with log probabilities
 * that keep their accuracy for large means (Loader, 2000); the hypergeometric by Stadlober's ratio of uniforms; the others
 * as in NumPy.  Draws are integers in float64. */
#ifndef GARRAY_CORE_DRAW_COUNT_H
#define GARRAY_CORE_DRAW_COUNT_H

#include "core/draw_gamma.h"

#define D_MOST 9223372036854775807.0
#define UNUSED2 (void)b, (void)c

/* ---- Poisson ---- */

/* A step of the search: what is left of u, the probability of k, and k. 0: the search has ended. */
GARRAY_FN int garray__poisson_step(double mean, double *u, double *p, double *k)
{
    const int goes = (*u > *p) & (*k < 200.0);
    const double next = *k + 1.0, left = *u - *p, probability = *p * (mean / next);
    *u = goes ? left : *u;
    *p = goes ? probability : *p;
    *k = goes ? next : *k;
    return goes;
}

/* A block's number for a mean of 10 or more; taken: it may be taken without another look, as most may. */
typedef struct garray__count_try {
    double k, us, v;
    int taken;
} garray__count_try;

GARRAY_FN garray__count_try garray__transformed(garray__philox block, double a, double b, double center, double quick)
{
    garray__count_try y;
    const double u = d_open(garray__philox_half(block, 0)) - 0.5;
    y.v = d_open(garray__philox_half(block, 1));
    y.us = 0.5 - fabs(u);
    y.k = floor((2.0 * a / y.us + b) * u + center);
    y.taken = (y.us >= 0.07) & (y.v <= quick);
    return y;
}

GARRAY_FN garray__count_try garray__poisson_block(garray__philox block, double mean)
{
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    return garray__transformed(block, a, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2.0));
}

/* Whether k is accepted in the end, from the log of its probability. */
GARRAY_FN int garray__poisson_takes(garray__count_try y, double mean, double log_probability)
{
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const int inside = !((y.us < 0.013) & (y.v > y.us));
    return inside & (d_log(y.v * inverse_alpha / (a / (y.us * y.us) + b)) <= log_probability);
}

GARRAY_LONG_FN double garray__poisson_of(garray__source *s, double mean)
{
    garray__philox block = garray__source_next(s);
    if (mean < 10.0) {
        double u = d_open(garray__philox_half(block, 0)), p = d_exp(-mean), k = 0.0;
        while (garray__poisson_step(mean, &u, &p, &k))
            ;
        return k;
    }
    for (;; block = garray__source_next(s)) {
        const garray__count_try y = garray__poisson_block(block, mean);
        if (y.taken)
            return y.k;
        if (y.k >= 0.0 && garray__poisson_takes(y, mean, d_log_poisson(y.k, mean)))
            return y.k;
        if (garray__source_ends(s))
            return floor(mean);
    }
}

GARRAY_EVENT(poisson)
{
    UNUSED2;
    return garray__poisson_of(s, a);
}

GARRAY_EVENT(negative_binomial)
{
    (void)c;
    const double mean = garray__gamma_of(s, a) * ((1.0 - b) / b);
    return garray__poisson_of(s, mean);
}

/* ---- made of these and of gamma ---- */

GARRAY_LONG_FN double garray__noncentral_of(garray__source *s, double df, double nonc)
{
    if (nonc != nonc)
        return nonc;
    if (nonc == 0.0)
        return 2.0 * garray__gamma_of(s, 0.5 * df);
    if (df > 1.0) {
        const double x = garray__block_normal(garray__source_next(s)) + sqrt(nonc), square = x * x;
        return 2.0 * garray__gamma_of(s, 0.5 * (df - 1.0)) + square;
    }
    const double more = garray__poisson_of(s, 0.5 * nonc);
    return 2.0 * garray__gamma_of(s, 0.5 * df + more);
}

GARRAY_EVENT(noncentral_chisquare)
{
    (void)c;
    return garray__noncentral_of(s, a, b);
}

GARRAY_EVENT(noncentral_f)
{
    const double x = garray__noncentral_of(s, a, c) * b;
    return x / (2.0 * garray__gamma_of(s, 0.5 * b) * a);
}

/* ---- binomial ---- */

/* A step of the search, x the probability of k; most: beyond it another number is drawn. */
GARRAY_FN double garray__binomial_first(double n, double p) { return d_exp(n * d_log1p(-p)); }
GARRAY_FN double garray__binomial_most(double n, double p) { return n * p + 10.0 * sqrt(n * p * (1.0 - p) + 1.0); }

GARRAY_FN int garray__binomial_step(double n, double ratio, double most, double *u, double *x, double *k)
{
    const int goes = (*u > *x) & (*k < n) & (*k < most);
    const double left = *u - *x, next = *k + 1.0, probability = *x * (ratio * ((n - *k) / next));
    *u = goes ? left : *u;
    *x = goes ? probability : *x;
    *k = goes ? next : *k;
    return goes;
}

GARRAY_FN garray__count_try garray__binomial_block(garray__philox block, double n, double p)
{
    const double mean = n * p, b = 1.15 + 2.53 * sqrt(mean * (1.0 - p)), a = -0.0873 + 0.0248 * b + 0.01 * p;
    return garray__transformed(block, a, b, mean + 0.5, 0.92 - 4.2 / b);
}

GARRAY_FN double garray__binomial_mode(double n, double p) { return floor((n + 1.0) * p); }

/* Whether k is accepted in the end, from the log of its probability divided by the mode's. */
GARRAY_FN int garray__binomial_takes(garray__count_try y, double n, double p, double log_ratio)
{
    const double deviation = sqrt(n * p * (1.0 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double alpha = (2.83 + 5.1 / b) * deviation;
    return d_log(y.v * alpha / (a / (y.us * y.us) + b)) <= log_ratio;
}

/* 0 < p <= 1/2 */
GARRAY_LONG_FN double garray__binomial_half(garray__source *s, double n, double p)
{
    const double q = 1.0 - p, mean = n * p;
    garray__philox block = garray__source_next(s);
    if (mean < 10.0) {
        const double first = garray__binomial_first(n, p), most = garray__binomial_most(n, p);
        for (;; block = garray__source_next(s)) {
            double u = d_open(garray__philox_half(block, 0)), x = first, k = 0.0;
            while (garray__binomial_step(n, p / q, most, &u, &x, &k))
                ;
            if (u <= x || garray__source_ends(s))
                return k;
        }
    }
    const double mode = garray__binomial_mode(n, p);
    for (;; block = garray__source_next(s)) {
        const garray__count_try y = garray__binomial_block(block, n, p);
        if (y.taken)
            return y.k;
        if (y.k >= 0.0 && y.k <= n
            && garray__binomial_takes(y, n, p, d_log_binomial(y.k, n, p, q) - d_log_binomial(mode, n, p, q)))
            return y.k;
        if (garray__source_ends(s))
            return mode;
    }
}

GARRAY_LONG_FN double garray__binomial_of(garray__source *s, double n, double p)
{
    if (!(n > 0.0 && p > 0.0))
        return 0.0;
    if (p >= 1.0)
        return n;
    return p <= 0.5 ? garray__binomial_half(s, n, p) : n - garray__binomial_half(s, n, 1.0 - p);
}

GARRAY_EVENT(binomial)
{
    (void)c;
    return garray__binomial_of(s, a, b);
}

/* ---- hypergeometric ---- */

/* By drawing: at most 10 of them. */
GARRAY_LONG_FN double garray__hypergeometric_few(garray__source *s, double good, double total, double few)
{
    garray__philox block = { { 0, 0, 0, 0 } };
    double left = good, drawn = 0.0;
    for (double i = 0.0; i < few && left > 0.0; i += 1.0, drawn += 1.0) {
        if (left == total - i) {        /* nothing else remains */
            left -= few - i;
            break;
        }
        const int second = (int)i & 1;
        if (!second)
            block = garray__source_next(s);
        if (d_open(garray__philox_half(block, (uint64_t)second)) * (total - i) < left)
            left -= 1.0;
    }
    return good - left;
}

/* Ratio of uniforms (HRUA). */
GARRAY_LONG_FN double garray__hypergeometric_ratio(garray__source *s, double good, double bad, double sample)
{
    const double total = good + bad, fewer = good < bad ? good : bad, more = good < bad ? bad : good;
    const double taken = sample < total - sample ? sample : total - sample;
    const double p = fewer / total, q = more / total, a = taken * p + 0.5;
    const double variance = (total - taken) * taken * p * q / (total - 1.0), deviation = sqrt(variance + 0.5);
    const double h = 1.7155277699214135 * deviation + 0.8989161620588988;
    const double mode = floor((taken + 1.0) * (fewer + 1.0) / (total + 2.0));
    const double least = (taken < fewer ? taken : fewer) + 1.0, spread = floor(a + 16.0 * deviation);
    const double end = least < spread ? least : spread;
    const double top = d_log_factorial(mode) + d_log_factorial(fewer - mode) + d_log_factorial(taken - mode)
                       + d_log_factorial(more - taken + mode);
    double k = mode;
    for (;;) {
        const garray__philox block = garray__source_next(s);
        const double u = d_open(garray__philox_half(block, 0)), v = d_open(garray__philox_half(block, 1));
        const double x = a + h * (v - 0.5) / u;
        if (x >= 0.0 && x < end) {
            k = floor(x);
            const double t = top - (d_log_factorial(k) + d_log_factorial(fewer - k) + d_log_factorial(taken - k)
                                    + d_log_factorial(more - taken + k));
            if (u * (4.0 - u) - 3.0 <= t || (u * (u - t) < 1.0 && 2.0 * d_log(u) <= t))
                break;
        }
        if (garray__source_ends(s)) {
            k = mode;
            break;
        }
    }
    k = good > bad ? taken - k : k;
    return taken < sample ? good - k : k;
}

GARRAY_LONG_FN double garray__hypergeometric_of(garray__source *s, double good, double bad, double sample)
{
    const double total = good + bad;
    if (sample >= 10.0 && sample <= total - 10.0)
        return garray__hypergeometric_ratio(s, good, bad, sample);
    return sample > total - sample ? good - garray__hypergeometric_few(s, good, total, total - sample)
                                   : garray__hypergeometric_few(s, good, total, sample);
}

GARRAY_EVENT(hypergeometric) { return garray__hypergeometric_of(s, a, b, c); }

/* ---- others ---- */

/* As NumPy: rejection from floor(u^(-1 / (a - 1))), u above the value that gives 2^63. */
GARRAY_EVENT(zipf)
{
    UNUSED2;
    if (a >= 1025.0)
        return 1.0;
    const double e = a - 1.0, least = d_exp(-e * 43.66827237527655449), base = d_expm1(e * 0.69314718055994530942);
    for (;;) {
        const garray__philox block = garray__source_next(s);
        const double u = d_open(garray__philox_half(block, 0)), v = d_open(garray__philox_half(block, 1));
        const double x = floor(d_exp(-d_log(u * least + (1.0 - u)) / e));
        if (x >= 1.0 && x <= D_MOST) {
            const double t = d_expm1(e * d_log1p(1.0 / x));
            if (v * x * t / base <= (1.0 + t) / (1.0 + base))
                return x;
        }
        if (garray__source_ends(s))
            return 1.0;
    }
}

/* Kemp's (1981). */
GARRAY_EVENT(logseries)
{
    UNUSED2;
    const double r = d_log1p(-a);
    for (;;) {
        const garray__philox block = garray__source_next(s);
        const double v = d_open(garray__philox_half(block, 0));
        if (v >= a)
            return 1.0;
        const double q = -d_expm1(r * d_open(garray__philox_half(block, 1)));
        if (v > q * q)
            return v >= q ? 1.0 : 2.0;
        const double k = floor(1.0 + d_log(v) / d_log(q));
        if (k >= 1.0 || garray__source_ends(s))
            return k >= 1.0 ? k : 1.0;
    }
}

/* Lemire's multiply-and-reject, as bounded integers of numbers; a draw is repeated from the element's next attempt. */
GARRAY_EVENT(integers_between)
{
    const uint64_t first = (uint64_t)(int64_t)a, n = (uint64_t)(int64_t)b - first + (c < 0), least = n > 1 ? (0 - n) % n : 0;
    uint64_t high, low;
    do
        garray__multiply64(garray__philox_half(garray__source_next(s), 0), n, &high, &low);
    while (low < least && !garray__source_ends(s));
    return (double)(int64_t)(first + high);
}

/* What Efraimidis and Spirakis (2006) sort by: the time of the first event at a rate of a. */
GARRAY_EVENT(weights)
{
    UNUSED2;
    const double e = -garray__normal_log(d_open(garray__philox_half(garray__source_next(s), 0)));
    return a > 0 ? e / a : D_INF;
}

#undef UNUSED2
#undef GARRAY_EVENT
#endif
