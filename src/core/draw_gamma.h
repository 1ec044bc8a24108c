/* SPDX-License-Identifier: BSD-3-Clause
 * Real distributions that draw until something is accepted, one text for C and CUDA: the gamma distribution by Marsaglia
 * and Tsang (2000) and those made of it, von Mises' by Best and Fisher (1979), Wald's by Michael, Schucany and Haas.
 *
 * An element has a source of its own: blocks of Philox with one block number and attempts 0, 1, 2 ...  So its draws do
 * not depend on those of others.  garray__draw_NAME(source, a, b, c) is the draw. */
#ifndef GARRAY_CORE_DRAW_GAMMA_H
#define GARRAY_CORE_DRAW_GAMMA_H

#include "core/draw_math.h"

typedef struct garray__source {
    uint64_t seed, stream, block;
    uint32_t attempt, ready;            /* attempts below `ready` are there already */
#ifndef __CUDACC__
    const garray__philox *first, *second;
#endif
} garray__source;

/* Attempt 255 is the last one and comes again: what is drawn from it must be taken. */
GARRAY_FN garray__philox garray__source_next(garray__source *s)
{
#ifndef __CUDACC__
    if (s->attempt < s->ready)
        return *(s->attempt++ ? s->second : s->first);
#endif
    const garray__philox b = garray__philox_block(s->seed, s->stream, s->block, s->attempt);
    s->attempt += s->attempt < 255;
    return b;
}

GARRAY_FN int garray__source_ends(const garray__source *s) { return s->attempt == 255; }

#define GARRAY_EVENT(name) \
    GARRAY_LONG_FN double garray__draw_##name(garray__source *s, double a, double b, double c)
#define UNUSED2 (void)b, (void)c

/* A normal number of a block's first three words; the fourth is free. */
GARRAY_FN double garray__block_normal(garray__philox b)
{
    double cosine, sine;
    const double u = garray__normal_integer((garray__philox_half(b, 0) >> 11) + 1, 0x1p-53);
    garray__normal_turn(garray__normal_integer((uint64_t)b.word[2] << 1 | 1, 0x1p-31), &cosine, &sine);
    return sqrt(-2.0 * garray__normal_log(u)) * cosine;
}

/* A gamma number of shape a is d v exp(boost): v of a shape of 1 and more; smaller shapes are drawn as a + 1 and
 * multiplied by u^(1/a), whose logarithm is boost. */
typedef struct garray__gamma {
    double d, v, boost;
} garray__gamma;

/* What a block gives: v, and whether it is accepted; quick: without a logarithm, as most are. */
typedef struct garray__gamma_try {
    double v;
    int quick, slow;
} garray__gamma_try;

GARRAY_FN garray__gamma_try garray__gamma_block(garray__philox b, double d, double k, int need_slow)
{
    garray__gamma_try y;
    const double x = garray__block_normal(b), u = d_open32(b.word[3]), t = fma(k, x, 1.0), z = x * x;
    y.v = t * t * t;
    y.quick = (t > 0) & (u < 1.0 - 0.0331 * (z * z));
    y.slow = 0;
    if (need_slow || !y.quick)
        y.slow = (t > 0) & (d_log(u) < 0.5 * z + d * ((1.0 - y.v) + d_log(y.v)));
    return y;
}

GARRAY_FN double garray__gamma_d(double a) { return (a < 1.0 ? a + 1.0 : a) - 1.0 / 3.0; }
GARRAY_FN double garray__gamma_k(double d) { return 1.0 / sqrt(9.0 * d); }
GARRAY_FN double garray__gamma_boost(uint64_t bits, double a) { return -d_exponential(bits) / a; }

GARRAY_LONG_FN garray__gamma garray__gamma_parts(garray__source *s, double a)
{
    garray__gamma g;
    g.d = garray__gamma_d(a);
    const double k = garray__gamma_k(g.d);
    for (;;) {
        const garray__gamma_try y = garray__gamma_block(garray__source_next(s), g.d, k, 0);
        g.v = y.v;
        if (y.quick | y.slow)
            break;
        if (garray__source_ends(s)) {
            g.v = 1.0;
            break;
        }
    }
    g.boost = a < 1.0 ? garray__gamma_boost(garray__philox_half(garray__source_next(s), 0), a) : 0.0;
    return g;
}

GARRAY_LONG_FN double garray__gamma_of(garray__source *s, double a)
{
    if (a == 0.0)
        return 0.0;
    const garray__gamma g = garray__gamma_parts(s, a);
    return g.boost != 0.0 ? g.d * g.v * d_exp(g.boost) : g.d * g.v;
}

GARRAY_LONG_FN double garray__log_gamma_of(garray__source *s, double a)
{
    if (a == 0.0)
        return -D_INF;
    const garray__gamma g = garray__gamma_parts(s, a);
    return d_log(g.d * g.v) + g.boost;
}

GARRAY_EVENT(gamma)
{
    (void)c;
    return b * garray__gamma_of(s, a);
}

GARRAY_EVENT(log_gamma)
{
    UNUSED2;
    return garray__log_gamma_of(s, a);
}

/* From logarithms, as small parameters make numbers far below the smallest one. */
GARRAY_FN double garray__beta_from(double x, double y) { return 1.0 / (1.0 + d_exp(y - x)); }

GARRAY_EVENT(beta)
{
    (void)c;
    const double x = garray__log_gamma_of(s, a);
    return garray__beta_from(x, garray__log_gamma_of(s, b));
}

GARRAY_EVENT(chisquare)
{
    UNUSED2;
    return 2.0 * garray__gamma_of(s, 0.5 * a);
}

GARRAY_FN double garray__f_from(double a, double b, double x, double y) { return (x * b) / (y * a); }

GARRAY_EVENT(f)
{
    (void)c;
    const double x = garray__gamma_of(s, 0.5 * a);
    return garray__f_from(a, b, x, garray__gamma_of(s, 0.5 * b));
}

GARRAY_FN double garray__t_from(double a, double normal, double y) { return sqrt(0.5 * a) * normal / sqrt(y); }

GARRAY_EVENT(standard_t)
{
    UNUSED2;
    const double normal = garray__block_normal(garray__source_next(s));
    return garray__t_from(a, normal, garray__gamma_of(s, 0.5 * a));
}

/* x moved into [-pi, pi). */
GARRAY_FN double garray__angle(double x)
{
    const double turns = floor((x + D_PI) / (2.0 * D_PI)), y = fma(-2.0 * D_PI, turns, x);
    return y < -D_PI ? -D_PI : y > D_PI ? D_PI : y;
}

GARRAY_EVENT(vonmises)
{
    (void)c;
    garray__philox block = garray__source_next(s);
    if (b != b)
        return b;
    if (b < 1e-8)
        return D_PI * (2.0 * d_open(garray__philox_half(block, 0)) - 1.0);
    if (b > 1e6)                        /* next to a normal distribution */
        return garray__angle(a + sqrt(1.0 / b) * garray__block_normal(block));
    double scale = 1.0 / b + b, w;
    if (b >= 1e-5) {
        const double r = 1.0 + sqrt(1.0 + 4.0 * b * b), rho = (r - sqrt(2.0 * r)) / (2.0 * b);
        scale = (1.0 + rho * rho) / (2.0 * rho);
    }
    for (;;) {
        double z, sine;
        const double v = d_open(garray__philox_half(block, 1));
        garray__normal_turn(2.0 * d_open(garray__philox_half(block, 0)), &z, &sine);
        w = (1.0 + scale * z) / (scale + z);
        const double y = b * (scale - w);
        if (y * (2.0 - y) - v >= 0.0 || d_log(y / v) + 1.0 - y >= 0.0 || garray__source_ends(s))
            break;
        block = garray__source_next(s);
    }
    /* the lowest bit has no part in v */
    const double angle = d_acos(w < -1.0 ? -1.0 : w > 1.0 ? 1.0 : w);
    return garray__angle(a + (block.word[2] & 1 ? -angle : angle));
}

/* mean, scale */
GARRAY_FN double garray__wald_block(garray__philox block, double a, double b)
{
    const double normal = garray__block_normal(block), u = d_open32(block.word[3]), y = a * (normal * normal);
    const double t = 4.0 * (b / y), root = 1.0 + sqrt(1.0 + t);
    const double x = y > 0 && !(t >= D_INF) ? a * ((t / root) / root) : a;     /* of NaN, NaN */
    return u * (a + x) <= a ? x : a * (a / x);
}

GARRAY_EVENT(wald)
{
    (void)c;
    return garray__wald_block(garray__source_next(s), a, b);
}

#undef UNUSED2
#endif
