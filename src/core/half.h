/* SPDX-License-Identifier: BSD-3-Clause
 * 16-bit floats as bit patterns: to float exactly, from double with one rounding to nearest even. */
#ifndef GARRAY_CORE_HALF_H
#define GARRAY_CORE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float garray__half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, fraction = h & 0x3ffu, bits;
    float value;
    if (exponent == 0) {            /* zero or subnormal: fraction * 2^-24 */
        value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    } else if (exponent == 31) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else {
        bits = sign | (exponent + 112u) << 23 | fraction << 13;
    }
    memcpy(&value, &bits, 4);
    return value;
}

static inline float garray__bfloat_to_float(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* Rounds to a float with `digits` bits of fraction and exponents from `least` (the smallest normal), then packs. */
static inline uint16_t garray__double_to_16(double x, int digits, int least, int bias)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u), infinity = (uint16_t)((2u * (unsigned)bias + 1u) << digits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & 0xfffffffffffffull;
    if (exponent == 1024)
        return (uint16_t)(sign | infinity
                          | (fraction ? (uint16_t)(1u << (digits - 1)) | (uint16_t)(fraction >> (52 - digits)) : 0));
    if (exponent < least - digits - 1)
        return sign;
    int drop = 52 - digits;         /* bits of the significand that go */
    uint64_t significand = fraction | 1ull << 52;
    if (exponent < least)
        drop += least - exponent;
    uint64_t kept = significand >> drop, rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (exponent >= least)          /* the leading bit of kept adds one to the exponent field */
        kept += (uint64_t)(exponent + bias - 1) << digits;
    return (uint16_t)(sign | (kept >= infinity ? infinity : kept));
}

static inline uint16_t garray__double_to_half(double x)
{
    return garray__double_to_16(x, 10, -14, 15);
}

static inline uint16_t garray__double_to_bfloat(double x)
{
    return garray__double_to_16(x, 7, -126, 127);
}

#endif
