/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas of the real floats.  float16 and bfloat16 are computed in float and rounded once when stored; with
 * float's 24 bits that equals rounding the exact result of + - * / and sqrt.  Elementary functions of float
 * are those of elementary.h; of double those of the C or CUDA library, hypot and cbrt apart. */
#ifndef GARRAY__FORMULA_FLOAT_H
#define GARRAY__FORMULA_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elementary.h"
#include "elementary_half.h"
#include "kinds.h"

/* LIBRARY(fabs) is the exact library function of the compute type, ELEMENTARY(exp) the rounded one. */
#if GARRAY_WIDTH == 64
#include "complex_arith.h"
#define LIBRARY(name) name
#define ELEMENTARY(name) name
typedef uint64_t garray__bits;
#define SIGN_BIT ((garray__bits)1 << 63)
#else
#define LIBRARY(name) name##f
#define ELEMENTARY(name) e_##name
typedef uint32_t garray__bits;
#define SIGN_BIT ((garray__bits)1 << 31)
#endif

GARRAY_FN garray__bits f_bits(ct a)
{
    garray__bits bits;

    memcpy(&bits, &a, sizeof bits);
    return bits;
}

GARRAY_FN ct f_from_bits(garray__bits bits)
{
    ct a;

    memcpy(&a, &bits, sizeof a);
    return a;
}

GARRAY_FN ct f_abs(ct a) { return LIBRARY(fabs)(a); }
GARRAY_FN ct f_conj(ct a) { return a; }
GARRAY_FN ct f_real(ct a) { return a; }
GARRAY_FN ct f_imag(ct a) { (void)a; return 0; }
GARRAY_FN ct f_ceil(ct a) { return LIBRARY(ceil)(a); }
GARRAY_FN ct f_floor(ct a) { return LIBRARY(floor)(a); }
GARRAY_FN ct f_trunc(ct a) { return LIBRARY(trunc)(a); }
GARRAY_FN ct f_round(ct a) { return LIBRARY(rint)(a); } /* ties to even */
GARRAY_FN ct f_sqrt(ct a) { return LIBRARY(sqrt)(a); }
GARRAY_FN ct f_negative(ct a) { return -a; }
GARRAY_FN ct f_copysign(ct a, ct b) { return LIBRARY(copysign)(a, b); }

GARRAY_FN ct f_add(ct a, ct b) { return a + b; }
GARRAY_FN ct f_subtract(ct a, ct b) { return a - b; }
GARRAY_FN ct f_multiply(ct a, ct b) { return a * b; }
GARRAY_FN ct f_divide(ct a, ct b) { return a / b; }
GARRAY_FN ct f_reciprocal(ct a) { return 1 / a; }

GARRAY_FN int f_isfinite(ct a) { return LIBRARY(fabs)(a) < (ct)INFINITY; }
GARRAY_FN int f_isinf(ct a) { return LIBRARY(fabs)(a) == (ct)INFINITY; }
GARRAY_FN int f_isnan(ct a) { return a != a; }
GARRAY_FN int f_isposinf(ct a) { return a == (ct)INFINITY; }
GARRAY_FN int f_isneginf(ct a) { return a == -(ct)INFINITY; }
GARRAY_FN int f_isreal(ct a) { (void)a; return 1; }
GARRAY_FN int f_iscomplex(ct a) { (void)a; return 0; }
GARRAY_FN int f_signbit(ct a) { return (f_bits(a) & SIGN_BIT) != 0; }
GARRAY_FN int f_truth(ct a) { return a != 0; }

GARRAY_FN int f_equal(ct a, ct b) { return a == b; }
GARRAY_FN int f_less(ct a, ct b) { return a < b; }
GARRAY_FN int f_less_equal(ct a, ct b) { return a <= b; }

/* The first NaN wins.  Equal numbers have equal bits, zeros apart: the bits of two zeros combine to +0 in a
 * maximum and to -0 in a minimum. */
GARRAY_FN ct f_maximum(ct a, ct b)
{
    const ct greater = a > b ? a : b;
    const ct number = a == b ? f_from_bits(f_bits(a) & f_bits(b)) : greater;

    return a != a ? a : number;
}

GARRAY_FN ct f_minimum(ct a, ct b)
{
    const ct lesser = a < b ? a : b;
    const ct number = a == b ? f_from_bits(f_bits(a) | f_bits(b)) : lesser;

    return a != a ? a : number;
}

/* NaN for NaN, +0 for both zeros. */
GARRAY_FN ct f_sign(ct a)
{
    const ct sign = (ct)((a > 0) - (a < 0));

    return a != a ? a : sign;
}

/* fmod, exact.  The library's works through the exponents bit by bit, so the common case is done with one
 * division; that quotient is never below the true one's integer part, and at most one above it. */
GARRAY_FN ct f_fmod(ct a, ct b)
{
    if (LIBRARY(fabs)(a) < LIBRARY(fabs)(b))
        return a;
#if GARRAY_WIDTH == 64
    const double q = trunc(a / b);
    if (fabs(q) < 0x1p53) {
        double r = fma(-q, b, a);
        if (r != 0 && (r < 0) != (a < 0))
            r += (a < 0) == (b < 0) ? b : -b;
        return copysign(r, a);
    }
#else
    /* Below 2^28 the double quotient truncates right and the product has at most 52 bits. */
    const double q = trunc((double)a / (double)b);
    if (fabs(q) < 0x1p28)
        return copysignf((float)((double)a - q * (double)b), a);
#endif
    return LIBRARY(fmod)(a, b);
}

/* NumPy's (and Python's) division: the remainder has the sign of the divisor, also when it is zero. */
GARRAY_FN ct f_remainder(ct a, ct b)
{
    const ct r = f_fmod(a, b);

    if (b == 0)
        return r;
    if (r == 0)
        return LIBRARY(copysign)((ct)0, b);
    return (b < 0) != (r < 0) ? r + b : r;
}

GARRAY_FN ct f_floor_divide(ct a, ct b)
{
    if (b == 0)
        return a / b;

    const ct r = f_fmod(a, b);
    ct q = (a - r) / b;

    if (r != 0 && (b < 0) != (r < 0))
        q -= 1;
    if (q == 0)
        return LIBRARY(copysign)((ct)0, a / b);

    /* (a - r) / b is within rounding of an integer; take the nearest. */
    const ct floored = LIBRARY(floor)(q);
    return q - floored > (ct)0.5 ? floored + 1 : floored;
}

/* Of a number and NaN the number. */
GARRAY_FN ct f_fmax(ct a, ct b)
{
    const ct number = f_maximum(a, b);

    return a != a ? b : b != b ? a : number;
}

GARRAY_FN ct f_fmin(ct a, ct b)
{
    const ct number = f_minimum(a, b);

    return a != a ? b : b != b ? a : number;
}

/* The next number of the stored dtype's own grid. */
GARRAY_FN ct f_nextafter(ct a, ct b)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;

#if GARRAY_WIDTH == 16 && !GARRAY_IS_BFLOAT16
    const int outward = a == 0 || (a < b) == (a > 0);
    const float magnitude = fabsf(a);
    float next;

    if (magnitude == INFINITY) {
        next = 65504.0f;
    } else if (magnitude < 0x1p-14f) {
        next = outward ? magnitude + 0x1p-24f : magnitude - 0x1p-24f;
    } else {
        const uint32_t bits = f_bits(magnitude);
        const float ulp = f_from_bits(bits & 0x7f800000u) * 0x1p-10f;
        const int halved = (bits & 0x007fffffu) == 0 && magnitude > 0x1p-14f;
        next = outward ? magnitude + ulp : magnitude - (halved ? 0.5f * ulp : ulp);
        if (next > 65504.0f)
            next = INFINITY;
    }
    return copysignf(next, a == 0 ? b : a);
#else
    const garray__bits step = GARRAY_IS_BFLOAT16 ? 0x10000 : 1;
    const garray__bits bits = f_bits(a);

    if (a == 0)
        return LIBRARY(copysign)(f_from_bits(step), b);
    return f_from_bits((a < b) == (a > 0) ? bits + step : bits - step);
#endif
}

#if GARRAY_WIDTH == 16
GARRAY_FN ct f_exp(ct a) { return GARRAY_IS_BFLOAT16 ? e_exp_bfloat(a) : e_exp_half(a); }
#else
GARRAY_FN ct f_exp(ct a) { return ELEMENTARY(exp)(a); }
#endif
GARRAY_FN ct f_expm1(ct a) { return ELEMENTARY(expm1)(a); }
GARRAY_FN ct f_log(ct a) { return ELEMENTARY(log)(a); }
GARRAY_FN ct f_log1p(ct a) { return ELEMENTARY(log1p)(a); }
GARRAY_FN ct f_log2(ct a) { return ELEMENTARY(log2)(a); }
GARRAY_FN ct f_log10(ct a) { return ELEMENTARY(log10)(a); }
GARRAY_FN ct f_sin(ct a) { return ELEMENTARY(sin)(a); }
GARRAY_FN ct f_cos(ct a) { return ELEMENTARY(cos)(a); }
GARRAY_FN ct f_tan(ct a) { return ELEMENTARY(tan)(a); }
GARRAY_FN ct f_asin(ct a) { return ELEMENTARY(asin)(a); }
GARRAY_FN ct f_acos(ct a) { return ELEMENTARY(acos)(a); }
GARRAY_FN ct f_atan(ct a) { return ELEMENTARY(atan)(a); }
GARRAY_FN ct f_atan2(ct a, ct b) { return ELEMENTARY(atan2)(a, b); }
GARRAY_FN ct f_sinh(ct a) { return ELEMENTARY(sinh)(a); }
GARRAY_FN ct f_cosh(ct a) { return ELEMENTARY(cosh)(a); }
GARRAY_FN ct f_tanh(ct a) { return ELEMENTARY(tanh)(a); }
#if GARRAY_WIDTH != 64
GARRAY_FN ct f_asinh(ct a) { return e_asinh(a); }
GARRAY_FN ct f_acosh(ct a) { return e_acosh(a); }
#endif
GARRAY_FN ct f_atanh(ct a) { return ELEMENTARY(atanh)(a); }
GARRAY_FN ct f_pow(ct a, ct b) { return ELEMENTARY(pow)(a, b); }

#if GARRAY_WIDTH == 64
/* Vector code, and the same bits on every device; the libraries' hypot is neither. */
GARRAY_FN ct f_hypot(ct a, ct b) { return c_modulus(a, b); }

/* One Newton step on the cube root of elementary_pow.h, its residual to twice the precision: 0.5001 ULP, vector
 * code, and the same bits on every device. */
GARRAY_FN ct f_cbrt(ct a)
{
    const double size = fabs(a);
    const struct e_cube c = e_cube_of(size < 0x1p-1022 ? size * 0x1p54 : size);
    const double power = size < 0x1p-1022 ? c.power * 0x1p-18 : c.power;
    const double square = c.root * c.root, cube = square * c.root;
    const double tail = fma(c.root, c.root, -square) * c.root + fma(square, c.root, -cube);
    const double root = c.root - ((cube - c.reduced) + tail) / (3 * square);

    return ((size > 0) & (size < INFINITY)) ? copysign(root * power, a) : a + a;
}

#else
GARRAY_FN ct f_hypot(ct a, ct b) { return e_hypot(a, b); }
GARRAY_FN ct f_cbrt(ct a) { return e_cbrt(a); }
#endif

#include "formula_parts.h"
#include "formula_special.h"

#undef LIBRARY
#undef ELEMENTARY
#undef SIGN_BIT

#endif
