/* SPDX-License-Identifier: BSD-3-Clause
 * The dtype being compiled, seen from C: its storage type st beside the types of kinds.h, loads and stores
 * at any alignment; and the 16-bit floats, in a form that vectorizes. */
#ifndef GARRAY_CPU_SCALAR_H
#define GARRAY_CPU_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "core/complex.h"
#ifdef GARRAY_KIND
#include "core/kinds.h"
#endif
/* Only files that convert single 16-bit floats read <immintrin.h>, which takes longer than the rest of most of them. */
#if defined(GARRAY_HALF_BLOCK) || (defined(GARRAY_KIND) && GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16)
#define GARRAY_CONVERTS_HALF
#if defined(__F16C__)
#include <immintrin.h>
#endif
#endif

/* ---- 16-bit floats: bits to float and back, to nearest even; NaN stays NaN ----------------------------- */
static inline float garray__bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t garray__float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

#ifdef GARRAY_CONVERTS_HALF
static inline float garray__from_half(uint16_t h)
{
#if defined(__F16C__)
    return _cvtsh_ss(h);
#else
    /* Exponent and mantissa moved to a float's place, then scaled by 2^112: right for subnormals too. */
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = (uint32_t)(h & 0x7fffu) << 13;
    float f = garray__bits_float(magnitude) * 0x1p112f;
    uint32_t u = garray__float_bits(f);
    /* Infinity and NaN have the top exponent; a NaN becomes quiet. */
    u = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? 0x400000u : 0) : u;
    return garray__bits_float(u | sign);
#endif
}

static inline uint16_t garray__to_half(float f)
{
#if defined(__F16C__)
    return _cvtss_sh(f, 0);
#else
    uint32_t u = garray__float_bits(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    /* Subnormal halves: adding 0.5 aligns the last bit of the sum with 2^-24 and the addition rounds. */
    uint32_t small = garray__float_bits(garray__bits_float(a) + 0.5f) - 0x3f000000u;
    uint32_t normal = (a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13;
    uint32_t h = a < 0x38800000u ? small : normal;
    h = a >= 0x477ff000u ? 0x7c00u : h;                                 /* 65520 and above */
    h = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : h;
    return (uint16_t)(h | sign);
#endif
}
#endif

static inline float garray__from_bfloat(uint16_t b)
{
    return garray__bits_float((uint32_t)b << 16);
}

static inline uint16_t garray__to_bfloat(float f)
{
    uint32_t u = garray__float_bits(f);
    uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16 | 0x40u) : rounded);
}

/* A double rounded once to a 16-bit float: first to float by rounding to odd, which keeps what the second
 * rounding needs to know. */
static inline float garray__double_to_odd(double d)
{
    float f = (float)d;
    uint32_t u = garray__float_bits(f);
    double back = f;
    if (back != d && d == d) {
        /* Toward zero, then set the last bit: inexact. */
        bool away = (back < 0 ? -back : back) > (d < 0 ? -d : d);
        u = (u - away) | 1u;
        f = garray__bits_float(u);
    }
    return f;
}

/* ---- the dtype being compiled -------------------------------------------------------------------------- */
/* Data may have any alignment and belongs to no declared object: values are read and written through these
 * types. */
typedef uint8_t __attribute__((may_alias)) garray__u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) garray__u16;
typedef float __attribute__((aligned(1), may_alias)) garray__f32;
typedef double __attribute__((aligned(1), may_alias)) garray__f64;

#ifdef GARRAY_KIND
#if GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16
typedef uint16_t st;
#else
typedef ct st;
#endif
typedef rt __attribute__((aligned(1), may_alias)) rt_any;
/* GET reads what a st_any holds as a ct; PUT writes a value of type ct. */
#if GARRAY_KIND == K_COMPLEX
typedef struct ct_any {
    rt re, im;
} __attribute__((packed, may_alias)) ct_any;
typedef ct_any st_any;
#define GET(x) ((ct){ (x).re, (x).im })
#define PUT(y, v) garray__put(&(y), v)
static inline void garray__put(ct_any *y, ct v)
{
    y->re = v.re;
    y->im = v.im;
}
#else
typedef ct __attribute__((aligned(1), may_alias)) ct_any;
typedef st __attribute__((aligned(1), may_alias)) st_any;
#if GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16
#define GET(x) (GARRAY_IS_BFLOAT16 ? garray__from_bfloat(x) : garray__from_half(x))
#define PUT(y, v) ((y) = GARRAY_IS_BFLOAT16 ? garray__to_bfloat(v) : garray__to_half(v))
#else
#define GET(x) (x)
#define PUT(y, v) ((y) = (v))
#endif
#endif

static inline ct garray__load(const void *p)
{
    return GET(*(const st_any *)p);
}

static inline void garray__store(void *p, ct c)
{
    PUT(*(st_any *)p, c);
}
#endif
#endif
