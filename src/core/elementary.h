/* SPDX-License-Identifier: BSD-3-Clause
 * Elementary functions of float32, the same text for C and for CUDA: the same bits on every device, at every
 * instruction set and with every compiler, and within 0.51 ULP of the true value.
 *
 * How: an argument is widened to float64, where the error of a short polynomial (2^-33) vanishes under the
 * one rounding back to float32.  Only + - * / sqrt fma, conversions, comparisons and integer operations are
 * used: IEEE 754 fixes their bits.  So this file must be compiled without contraction (-ffp-contract=off,
 * nvcc -fmad=false) and without -ffast-math.  Subnormal numbers are kept, signed zeros and infinities are
 * those of C99 and NumPy, and a NaN result is always the positive quiet one, because devices differ in the
 * NaN that they make.
 *
 * For a function f there are
 *   e_f(a)        complete: for CUDA and for scalar code
 *   e_f_fast(a)   without branches, so that loops over it become vector code; right where E_RARE_f(a) is 0
 *   E_RARE_f(a)   1 for the few arguments that need e_f_slow; the constant 0 where there are none
 * A block loop runs e_f_fast over a block, collects E_RARE_f by |=, and repeats the block with e_f if it is
 * set. */
#ifndef GARRAY_CORE_ELEMENTARY_H
#define GARRAY_CORE_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "inline.h"

#define E_FN GARRAY_FN

/* Parts of formulas so large that compilers leave them out of line, where a loop over them would not become vector code. */
#ifndef GARRAY_PART_FN
#if defined(__CUDACC__) || !defined(__GNUC__)
#define GARRAY_PART_FN GARRAY_FN
#else
#define GARRAY_PART_FN static inline __attribute__((always_inline))
#endif
#endif

/* The coefficients of a polynomial. */
#define E_TABLE(name, n) GARRAY_TABLE e_k_##name[n]
#define E_K(name, i) e_k_##name[i]

/* ---- bits ---- */
#ifdef __CUDA_ARCH__
E_FN uint64_t e_bits64(double x) { return (uint64_t)__double_as_longlong(x); }
E_FN double e_double(uint64_t bits) { return __longlong_as_double((long long)bits); }
E_FN uint32_t e_bits32(float x) { return __float_as_uint(x); }
E_FN float e_float(uint32_t bits) { return __uint_as_float(bits); }
#else
E_FN uint64_t e_bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

E_FN double e_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

E_FN uint32_t e_bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

E_FN float e_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

/* ---- words of the formulas ---- */
#define E_NAN e_float(0x7fc00000u)
#define E_INF e_float(0x7f800000u)
#define E_LN2 0.6931471805599453
#define E_LOG2E 1.4426950408889634
#define E_LOG10E 0.4342944819032518
#define E_PI 3.141592653589793
#define E_PI_LOW 1.2246467991473532e-16 /* pi - E_PI */
#define E_EXPONENT 0xfff0000000000000u  /* sign and exponent of a float64 */

/* Adding this number rounds to an integer n and leaves n + 1023 in the low bits, one shift away from 2^n. */
#define E_ROUND (6755399441055744.0 + 1023.0)

E_FN double e_fma(double a, double b, double c) { return fma(a, b, c); }
E_FN float e_abs(float a) { return e_float(e_bits32(a) & 0x7fffffffu); }

/* a moved into low .. high, low < 0 < high, by comparing bits: an integer minimum is one instruction, and
 * floats of one sign are in the order of their bits.  A NaN becomes a number, so its callers select by a == a
 * at the end. */
E_FN float e_clamp(float a, float low, float high)
{
    int32_t bits = (int32_t)e_bits32(a), upper = (int32_t)e_bits32(high);
    uint32_t below = (uint32_t)(bits < upper ? bits : upper), lower = e_bits32(low);
    return e_float(below < lower ? below : lower);
}

/* |a|, at most high; a NaN becomes high. */
E_FN float e_clamp_size(float a, float high)
{
    uint32_t bits = e_bits32(a) & 0x7fffffffu, upper = e_bits32(high);
    return e_float(bits < upper ? bits : upper);
}

/* The same for float64, whose compilers have a signed minimum only. */
E_FN double e_clamp_size64(double x, double high)
{
    int64_t bits = (int64_t)(e_bits64(x) & 0x7fffffffffffffffu), upper = (int64_t)e_bits64(high);
    return e_double((uint64_t)(bits < upper ? bits : upper));
}

/* 1 where the sign bit of x is set, else 0: a selection that compilers cannot take for a branch. */
E_FN double e_negative(double x) { return e_double((0 - (e_bits64(x) >> 63)) & 0x3ff0000000000000u); }

/* The one rounding; every NaN becomes the same NaN. */
E_FN float e_round(double y)
{
    float r = (float)y;
    return r == r ? r : E_NAN;
}

/* The sign of a for a magnitude that has none. */
E_FN float e_signed(float magnitude, float a)
{
    return e_float(e_bits32(magnitude) | (e_bits32(a) & 0x80000000u));
}

E_FN double e_signed64(double magnitude, double a)
{
    return e_double(e_bits64(magnitude) | (e_bits64(a) & 0x8000000000000000u));
}

/* ---- conversions by integer operations, where a GPU has few units for the real ones ---- */
#ifdef __CUDA_ARCH__
/* a, which is positive and normal */
E_FN double e_widen_positive(float a)
{
    return __hiloint2double((int)((e_bits32(a) >> 3) + 0x38000000u), (int)(e_bits32(a) << 29));
}

/* a where it is normal; else some number below 2^-126 of its sign */
E_FN double e_widen_loosely(float a)
{
    uint32_t size = e_bits32(a) & 0x7fffffffu;
    return __hiloint2double((int)(((size >> 3) + 0x38000000u) | (e_bits32(a) & 0x80000000u)), (int)(size << 29));
}

/* x rounded towards 0; x is positive and normal as a float32 */
E_FN float e_truncate_positive(double x)
{
    return e_float(__funnelshift_l((uint32_t)__double2loint(x), (uint32_t)__double2hiint(x), 3) - 0xc0000000u);
}

/* x moved into -limit .. limit, which may be passed by 2^-20 of it */
E_FN double e_limit(double x, double limit)
{
    uint32_t size = (uint32_t)__double2hiint(x) & 0x7fffffffu, most = (uint32_t)__double2hiint(limit);
    size = size < most ? size : most;
    return __hiloint2double((int)(size | ((uint32_t)__double2hiint(x) & 0x80000000u)), __double2loint(x));
}
#else
E_FN double e_widen_positive(float a) { return a; }
E_FN double e_widen_loosely(float a) { return a; }
E_FN float e_truncate_positive(double x) { return (float)e_double(e_bits64(x) & 0xffffffffe0000000u); }

E_FN double e_limit(double x, double limit)
{
    x = x > limit ? limit : x;
    return x < -limit ? -limit : x;
}
#endif

/* 1/d to 2^-45 for a positive d inside the range of float32: by integers to 10 %, by Newton's steps in float32, of which
 * all devices do many, and one in float64. */
E_FN double e_reciprocal(double d)
{
    float t = e_truncate_positive(d), s = e_float(0x7ef477d5u - e_bits32(t));
    double r;
    s = fmaf(s, fmaf(-t, s, 1.0f), s);
    s = fmaf(s, fmaf(-t, s, 1.0f), s);
    s = fmaf(s, fmaf(-t, s, 1.0f), s);
    r = e_widen_positive(s);
    return r * e_fma(-d, r, 2.0);
}

/* For functions without rare arguments. */
#define E_PLAIN1(f) \
    E_FN float e_##f(float a) { return e_##f##_fast(a); }
#define E_PLAIN2(f) \
    E_FN float e_##f(float a, float b) { return e_##f##_fast(a, b); }

#include "elementary_poly.h"
#include "elementary_exp.h"
#include "elementary_log.h"
#include "elementary_trig.h"
#include "elementary_pow.h"
#include "elementary_special.h"

#endif
