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

/* -log(u), u = (word / 2 + tail) 2^-31, 0 < tail < 1.  Above sqrt(1/2) it is taken from 1 - u, which is exact there: so small
 * results are as fine as large ones.  Cephes' polynomial, within 3 ULP. */
GARRAY_FN float garray__narrow_exponential(uint32_t word, float tail)
{
    const int near = word >= 0xb504f334u;
    const int32_t digits = (int32_t)((near ? ~word : word) >> 1);
    const float x = fmaf((float)digits, 0x1p-31f, tail * 0x1p-31f);
    const uint32_t bits = garray__narrow_bits(x), power = bits - 0x3f3504f3u + 0x3f800000u;
    const float m = garray__narrow_float(bits - (power & 0xff800000u) + 0x3f800000u);
    const float k = garray__narrow_float(power >> 23 | 0x4b000000u) - (0x1p23f + 127.0f);
    const float f = near ? -x : m - 1.0f, e = near ? 0.0f : k, z = f * f;
    float p = fmaf(7.0376836292e-2f, f, -1.1514610310e-1f);
    p = fmaf(p, f, 1.1676998740e-1f);
    p = fmaf(p, f, -1.2420140846e-1f);
    p = fmaf(p, f, 1.4249322787e-1f);
    p = fmaf(p, f, -1.6668057665e-1f);
    p = fmaf(p, f, 2.0000714765e-1f);
    p = fmaf(p, f, -2.4999993993e-1f);
    p = fmaf(p, f, 3.3333331174e-1f);
    return -fmaf(e, 0.69314718f, fmaf(z, fmaf(p, f, -0.5f), f));
}

/* A standard exponential number. */
GARRAY_FN float garray__narrow_draw(uint32_t word) { return garray__narrow_exponential(word, 0.5f); }

/* Box and Muller's pair: word `radius` and 9 bits of `angle` make the radius, the other 23 the angle, which is never a
 * multiple of a quarter turn. */
GARRAY_FN void garray__narrow_normal(uint32_t radius, uint32_t angle, float *first, float *second)
{
    const float tail = fmaf((float)(int32_t)(angle & 0x1ffu), 0x1p-9f, 0x1p-10f);
    const float r = sqrtf(2.0f * garray__narrow_exponential(radius, tail));
    const float t = fmaf((float)(int32_t)(angle >> 9), 0x1p-21f, 0x1p-22f);        /* (0, 4): in quarter turns */
    const float shifted = t + 0x1.8p23f, q = shifted - 0x1.8p23f;
    const float x = t - q, z = x * x;
    const float sine = x * fmaf(z, fmaf(z, fmaf(z, -0.00460214913f, 0.0796802193f), -0.64596349f), 1.57079637f);
    const float cosine = fmaf(z, fmaf(z, fmaf(z, fmaf(z, 0.000906739908f, -0.0208615288f), 0.253669411f), -1.23370051f), 1.0f);
    const uint32_t quarter = garray__narrow_bits(shifted);
    const float c = quarter & 1 ? sine : cosine, s = quarter & 1 ? cosine : sine;
    *first = r * garray__narrow_float(garray__narrow_bits(c) ^ ((quarter + 1) >> 1 & 1) << 31);
    *second = r * garray__narrow_float(garray__narrow_bits(s) ^ (quarter >> 1 & 1) << 31);
}

#endif
