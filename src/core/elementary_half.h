/* SPDX-License-Identifier: BSD-3-Clause
 * exp of float16 and bfloat16 in float32 alone; read elementary.h first.
 *
 * A result of 11 or 8 bits does not need float64, whose conversions and operations bound a GPU. Each function is wrong by
 * about 2^-23 before it is rounded to 16 bits, and gives the same 16 bits as the float32 function would, for every
 * argument (tests/accuracy/check_half.c). */
#ifndef GARRAY_CORE_ELEMENTARY_HALF_H
#define GARRAY_CORE_ELEMENTARY_HALF_H

#include "elementary.h"

/* Adding it rounds to an integer, which stands in the low bits. */
#define E_SHIFT32 12582912.0f

E_FN float e_fma32(float a, float b, float c) { return fmaf(a, b, c); }

/* 2^f, |f| <= 1/2: 2^-28.9 before roundings */
E_FN float e_exp2_float(float f)
{
    float p = 0.00015353363f;
    p = e_fma32(p, f, 0.0013398874f);
    p = e_fma32(p, f, 0.0096184374f);
    p = e_fma32(p, f, 0.055503325f);
    p = e_fma32(p, f, 0.24022648f);
    p = e_fma32(p, f, 0.6931472f);
    return e_fma32(p, f, 1.0f);
}

/* 2^(x (high + low)), normal: high + low is log2(e) or half of it. */
E_FN float e_exp_float(float x, float high, float low)
{
    float z = e_fma32(x, high, E_SHIFT32);
    float f = e_fma32(x, high, E_SHIFT32 - z);
    return e_float(e_bits32(e_exp2_float(e_fma32(x, low, f))) + (e_bits32(z) << 23));
}

/* Below exp(-18) and above exp(12) float16 has 0 and infinity. */
E_FN float e_exp_half(float a)
{
    float r = e_exp_float(e_clamp(a, -18.0f, 12.0f), 1.442695f, 1.925963e-8f);
    return a == a ? r : E_NAN;
}

/* The square of the root reaches subnormal numbers by one multiplication. */
E_FN float e_exp_bfloat(float a)
{
    float root = e_exp_float(e_clamp(a, -110.0f, 100.0f), 0.7213475f, 9.629815e-9f);
    return a == a ? root * root : E_NAN;
}

#endif
