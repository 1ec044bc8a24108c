/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws from Philox4x32-10 (Salmon et al., 2011), one text for C and CUDA: the same bits everywhere.
 *
 * A block is philox(key, counter): four 32-bit words.
 *   key      = seed (low word first)
 *   counter  = { block, low word; block, high word; stream, low word; stream, bits 32..55, and the attempt in
 *              bits 24..31 }
 *   block    = position + index of the block within the call
 *   stream   = below 2^56
 *   attempt  = 0, and counts up where a bounded integer is rejected
 * Draw i of a call takes, by what it needs,
 *   32 bits  word i mod 4 of block i div 4: uint32 words, float32 and 16-bit uniforms, integers whose range
 *            (highest minus lowest) is below 2^32
 *   64 bits  words 2 (i mod 2) (low) and 2 (i mod 2) + 1 (high) of block i div 2: uint64 words, float64
 *            uniforms, integers of a wider range
 *   a pair   block i div 2 gives normals i and i xor 1 of float64: words 0 and 1 the radius, words 2 and 3 the
 *            angle; of float32 and 16-bit floats words i - i mod 2 (radius) and the next one (angle), counted as for 32
 *            bits, give them (draw_narrow.h)
 *   a source block i, with attempts 0, 1, 2 ... (draw_gamma.h): distributions that draw until something is accepted
 * garray__philox_blocks() says how many blocks a call uses (of sources: one each): the caller moves position on by as much.
 *
 * Only + - * / sqrt, explicit fma and integer operations, without contraction: so normals have the same bits too. */
#ifndef GARRAY_CORE_PHILOX_H
#define GARRAY_CORE_PHILOX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "inline.h"

typedef struct garray__philox {
    uint32_t word[4];
} garray__philox;

/* One instruction on a GPU, where the compiler makes a product of 64 bits, and two more additions, of the plain text. */
GARRAY_FN uint64_t garray__multiply32(uint32_t a, uint32_t b)
{
#ifdef __CUDACC__
    uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t)a * b;
#endif
}

GARRAY_FN garray__philox garray__philox_block(uint64_t seed, uint64_t stream, uint64_t block,
                                              uint32_t attempt)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32) ^ attempt << 24;
    garray__philox out;
    for (int round = 0; round < 10; round++) {
        const uint64_t m0 = garray__multiply32(0xd2511f53u, c0), m1 = garray__multiply32(0xcd9e8d57u, c2);
        c0 = (uint32_t)(m1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)m1;
        c2 = (uint32_t)(m0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)m0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out.word[0] = c0;
    out.word[1] = c1;
    out.word[2] = c2;
    out.word[3] = c3;
    return out;
}

/* Word i mod 4 of a block, and its 64-bit half i mod 2, without an array that is indexed at run time. */
GARRAY_FN uint32_t garray__philox_word(garray__philox b, uint64_t i)
{
    const uint32_t even = i & 2 ? b.word[2] : b.word[0], odd = i & 2 ? b.word[3] : b.word[1];
    return i & 1 ? odd : even;
}

GARRAY_FN uint64_t garray__philox_half(garray__philox b, uint64_t i)
{
    return i & 1 ? b.word[2] | (uint64_t)b.word[3] << 32 : b.word[0] | (uint64_t)b.word[1] << 32;
}

/* ---- uniform: low + (high - low) * u in float64, rounded to the dtype, and never high ------------------ */
/* u has the upper 53 bits of a 64-bit draw, or 24 (float16: 11, bfloat16: 8) of a 32-bit one. */
GARRAY_FN double garray__uniform_double(uint64_t bits, double low, double high)
{
    const double u = (double)(int64_t)(bits >> 11) * 0x1p-53;
    const double span = (high - low) * u, v = low + span;
    int64_t b;
    double below;
    memcpy(&b, &v, 8);
    b = v > 0 ? b - 1 : v < 0 ? b + 1 : INT64_MIN + 1;      /* the next lower number */
    memcpy(&below, &b, 8);
    return v < high ? v : below;
}

GARRAY_FN float garray__uniform_float(uint32_t bits, double low, double high)
{
    const double u = (double)(int32_t)(bits >> 8) * 0x1p-24;
    const double span = (high - low) * u;
    const float v = (float)(low + span);
    int32_t b;
    float below;
    memcpy(&b, &v, 4);
    b = v > 0 ? b - 1 : v < 0 ? b + 1 : INT32_MIN + 1;
    memcpy(&below, &b, 4);
    return (double)v < high ? v : below;
}

/* float to a 16-bit float of `digits` fraction bits (10 with 5 exponent bits, 7 with 8), to nearest even. */
GARRAY_FN uint16_t garray__philox_narrow(float f, int bfloat)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    const uint32_t sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    if (bfloat)
        return (uint16_t)(a > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1)) >> 16);
    float magnitude;
    memcpy(&magnitude, &a, 4);
    magnitude += 0.5f;          /* aligns a subnormal half's last bit with the sum's */
    uint32_t small;
    memcpy(&small, &magnitude, 4);
    small -= 0x3f000000u;
    uint32_t h = a < 0x38800000u ? small : (a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13;
    h = a >= 0x477ff000u ? 0x7c00u : h;
    h = a > 0x7f800000u ? 0x7e00u : h;
    return (uint16_t)(h | sign);
}

GARRAY_FN float garray__philox_widen(uint16_t h, int bfloat)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t magnitude = (uint32_t)(h & 0x7fffu) << (bfloat ? 16 : 13);
    float f;
    uint32_t u;
    memcpy(&f, &magnitude, 4);
    f *= bfloat ? 1.0f : 0x1p112f;
    memcpy(&u, &f, 4);
    u = !bfloat && magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : u;
    u |= sign;
    memcpy(&f, &u, 4);
    return f;
}

GARRAY_FN uint16_t garray__uniform_16(uint32_t bits, double low, double high, int bfloat)
{
    bits &= bfloat ? 0xff000000u : 0xffe00000u;     /* as many bits as the dtype's numbers of [0.5, 1) have */
    const uint16_t v = garray__philox_narrow(garray__uniform_float(bits, low, high), bfloat);
    const uint16_t below = (uint16_t)((v & 0x7fff) == 0 ? 0x8001 : v & 0x8000 ? v + 1 : v - 1);
    return (double)garray__philox_widen(v, bfloat) < high ? v : below;
}

/* ---- normal: Box and Muller's pair of float64; draw_narrow.h has that of float32 ------------------------ */
GARRAY_FN uint64_t garray__normal_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

GARRAY_FN double garray__normal_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* n times scale for n <= 2^53, a power of two; of integers and sums alone, as converters of 64 bits are slow or missing:
 * the halves of n become 2^84 + 2^32 high and 2^52 + low. */
GARRAY_FN double garray__normal_integer(uint64_t n, double scale)
{
    const double high = garray__normal_double(n >> 32 | 0x4530000000000000u);
    const double low = garray__normal_double((n & 0xffffffffu) | 0x4330000000000000u);
    return ((high - (0x1p84 + 0x1p52)) + low) * scale;
}

/* fdlibm's polynomials. */
GARRAY_TABLE garray__normal_odd[4] = { 6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01,
                                       1.479819860511658591e-01 };
GARRAY_TABLE garray__normal_even[3] = { 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01 };
GARRAY_TABLE garray__normal_sin[6] = { -1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                       -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                       -2.50507602534068634195e-08, 1.58969099521155010221e-10 };
GARRAY_TABLE garray__normal_cos[6] = { 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                       2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                       2.08757232129817482790e-09, -1.13596475577881948265e-11 };
GARRAY_TABLE garray__normal_split[3] = { 6.93147180369123816490e-01, 1.90821492927058770002e-10, /* log(2), two parts */
                                         1.57079632679489661923 };

/* log of a positive, normal and finite x: fdlibm's polynomial in s = f / (2 + f), 1 + f between sqrt(1/2) and sqrt(2). */
GARRAY_FN double garray__normal_log(double x)
{
    const uint64_t bits = garray__normal_bits(x), power = bits - 0x3fe6a09e00000000u + 0x3ff0000000000000u;
    const double m = garray__normal_double(bits - (power & 0xfff0000000000000u) + 0x3ff0000000000000u);
    const double k = garray__normal_double(power >> 52 | 0x4330000000000000u) - (0x1p52 + 1023.0);
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z;
    const double *odds = garray__normal_odd, *evens = garray__normal_even;
    const double even = w * fma(w, fma(w, evens[2], evens[1]), evens[0]);
    const double odd = z * fma(w, fma(w, fma(w, odds[3], odds[2]), odds[1]), odds[0]);
    const double half = 0.5 * f * f;
    const double rest = half - fma(s, half + (even + odd), k * garray__normal_split[1]);
    return fma(k, garray__normal_split[0], f - rest);
}

/* cos and sin of t quarter turns, 0 <= t < 2^50. */
GARRAY_FN void garray__normal_turn(double t, double *cosine_of, double *sine_of)
{
    const double shifted = t + 0x1.8p52, q = shifted - 0x1.8p52;            /* the nearest integer, in the low bits too */
    const double x = (t - q) * garray__normal_split[2], z = x * x;
    /* on [-pi/4, pi/4] */
    const double *sines = garray__normal_sin, *cosines = garray__normal_cos;
    const double sine = fma(x * z, fma(z, fma(z, fma(z, fma(z, fma(z, sines[5], sines[4]), sines[3]), sines[2]), sines[1]),
                                       sines[0]), x);
    const double tail = z * fma(z, fma(z, fma(z, fma(z, fma(z, cosines[5], cosines[4]), cosines[3]), cosines[2]), cosines[1]),
                                cosines[0]);
    const double cosine = fma(z, tail - 0.5, 1.0);
    const uint32_t quarter = (uint32_t)garray__normal_bits(shifted);
    const double c = quarter & 1 ? sine : cosine, s = quarter & 1 ? cosine : sine;
    const uint64_t turn_cosine = (uint64_t)((quarter + 1) >> 1 & 1) << 63, turn_sine = (uint64_t)(quarter >> 1 & 1) << 63;
    *cosine_of = garray__normal_double(garray__normal_bits(c) ^ turn_cosine);
    *sine_of = garray__normal_double(garray__normal_bits(s) ^ turn_sine);
}

/* Normals i = 2 b (*first, the cosine) and 2 b + 1 (*second) of block b. */
GARRAY_FN void garray__normal_pair(uint64_t radius, uint64_t angle, double *first, double *second)
{
    const double u = garray__normal_integer((radius >> 11) + 1, 0x1p-53);   /* (0, 1] */
    const double r = sqrt(-2.0 * garray__normal_log(u));
    double cosine, sine;
    garray__normal_turn(garray__normal_integer(angle >> 11, 0x1p-51), &cosine, &sine);     /* [0, 4) */
    *first = r * cosine;
    *second = r * sine;
}

/* ---- bounded integers: Lemire's multiply-and-reject ---------------------------------------------------- */
/* A draw w stands for the high half of w * (range + 1); it is rejected where the low half is below
 * 2^32 (or 2^64) mod (range + 1), and then taken again from the same place at the next attempt. */
GARRAY_FN uint32_t garray__bounded_least32(uint32_t range)
{
    const uint32_t n = range + 1;
    return n == 0 ? 0 : (0u - n) % n;
}

GARRAY_FN uint64_t garray__bounded_least64(uint64_t range)
{
    const uint64_t n = range + 1;
    return n == 0 ? 0 : (0u - n) % n;
}

/* Draws i; least from the functions above. */
GARRAY_FN uint32_t garray__bounded32(uint64_t seed, uint64_t stream, uint64_t position, uint64_t i,
                                     uint32_t range, uint32_t least)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint32_t w =
            garray__philox_word(garray__philox_block(seed, stream, position + i / 4, attempt), i);
        const uint64_t m = (uint64_t)w * ((uint64_t)range + 1);
        /* After 255 attempts (chance below 2^-255) the draw is taken as it is. */
        if ((uint32_t)m >= least || attempt == 255)
            return (uint32_t)(m >> 32);
    }
}

GARRAY_FN void garray__multiply64(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
#ifdef __CUDACC__
    *high = __umul64hi(a, b);
    *low = a * b;
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), cross = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (cross >> 32);
    *low = a * b;
#endif
}

GARRAY_FN uint64_t garray__bounded64(uint64_t seed, uint64_t stream, uint64_t position, uint64_t i,
                                     uint64_t range, uint64_t least)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint64_t w =
            garray__philox_half(garray__philox_block(seed, stream, position + i / 2, attempt), i);
        uint64_t high, low;
        if (range == UINT64_MAX)
            return w;
        garray__multiply64(w, range + 1, &high, &low);
        if (low >= least || attempt == 255)
            return high;
    }
}

/* ---- blocks used by a call of count draws: draws of 32 bits, else of 64 bits or pairs ------------------ */
#ifndef __CUDACC__
static inline uint64_t garray__philox_blocks(int draws_of_32_bits, int64_t count)
{
    const uint64_t n = (uint64_t)count;
    return draws_of_32_bits ? n / 4 + (n % 4 != 0) : n / 2 + (n % 2 != 0);
}
#endif

#endif
