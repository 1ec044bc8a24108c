/* SPDX-License-Identifier: BSD-3-Clause
 * Normal and exponential numbers of float32 and below, made of 32-bit words in float32 arithmetic, one text for C and
 * CUDA: the same bits everywhere, as nothing is used but + * sqrt fma, conversions and integer operations. */
#ifndef GARRAY_CORE_DRAW_NARROW_H
#define GARRAY_CORE_DRAW_NARROW_H

#include "core/philox.h"

GARRAY_FN uint32_t garray__narrow_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

GARRAY_FN float garray__narrow_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* (bits & mask) | set: one instruction on a GPU, of which the compiler makes two. */
GARRAY_FN float garray__narrow_joined(uint32_t bits, uint32_t mask, uint32_t set)
{
#ifdef __CUDACC__
    uint32_t joined;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(joined) : "r"(bits), "r"(mask), "r"(set));
    return garray__narrow_float(joined);
#else
    return garray__narrow_float((bits & mask) | set);
#endif
}

/* -log(u), u = (word + tail) 2^-32, 0 < tail < 1; within 5 ULP.  x is 2^32 u or, where the word is a negative integer,
 * 2^32 (u - 1): so that small results are as fine as large ones.  u = 2^-k (1 - y/2), and -log(1 - y/2) is y by a polynomial. */
GARRAY_FN float garray__narrow_exponential(uint32_t word, float tail)
{
    const float x = (float)(int32_t)word + tail;
    const uint32_t bits = garray__narrow_bits(x);
    const float m = garray__narrow_joined(bits, 0x007fffffu, 0x3f800000u);                        /* [1, 2) */
    const float k = garray__narrow_float((bits >> 23) + 0x4b000000u) - (0x1p23f + 158.0f);        /* -1 of [1/4, 1/2) */
    const float y = x < 0 ? x * -0x1p-31f : 2.0f - m, e = x < 0 ? 0.0f : k * -0.693147182f;
    float p = fmaf(0.00462863827f, y, -0.00844953209f);
    p = fmaf(p, y, 0.0122723589f);
    p = fmaf(p, y, 0.00118806504f);
    p = fmaf(p, y, 0.0170156583f);
    p = fmaf(p, y, 0.0414828286f);
    p = fmaf(p, y, 0.125009134f);
    p = fmaf(p, y, 0.49999994f);
    return fmaf(p, y, e);
}

/* A standard exponential number. */
GARRAY_FN float garray__narrow_draw(uint32_t word) { return garray__narrow_exponential(word, 0.5f); }

/* Of a normal number well within the range: on a GPU what the compiler makes of sqrtf(), without what other numbers need. */
GARRAY_FN float garray__narrow_root(float x)
{
#ifdef __CUDACC__
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float root = x * inverse;
    return fmaf(fmaf(-root, root, x), 0.5f * inverse, root);
#else
    return sqrtf(x);
#endif
}

/* Box and Muller's pair.  The tail of the radius is the lower 23 bits of `angle`, the last one set, which reach no deeper into
 * the angle than its fraction of an eighth turn.  The angle's lower 30 bits give one between -1/8 and 1/8 turns, the upper two
 * a reflection at either diagonal; it is never 0.  The factor sqrt(2) of the radius is part of the polynomials. */
GARRAY_FN void garray__narrow_normal(uint32_t radius, uint32_t angle, float *first, float *second)
{
    const float tail = garray__narrow_joined(angle, 0x007fffffu, 0x3f800001u) - 1.0f;
    const float r = garray__narrow_root(garray__narrow_exponential(radius, tail));
    const float x = fmaf((float)(int32_t)(angle << 2), 0x1p-32f, 0x1p-31f), z = x * x;            /* quarter turns */
    const float rx = r * x;
    const float sine = rx * fmaf(z, fmaf(z, fmaf(z, -0.00650772685f, 0.112684585f), -0.91353029f), 2.22144151f);
    const float cosine = r * fmaf(z, fmaf(z, fmaf(z, -0.0288479514f, 0.358637422f), -1.74471056f), 1.41421354f);
    const float turned = garray__narrow_float(garray__narrow_bits(cosine) ^ (angle & 0x80000000u));
    *first = angle & 0x40000000u ? sine : turned;
    *second = angle & 0x40000000u ? turned : sine;
}

#endif
