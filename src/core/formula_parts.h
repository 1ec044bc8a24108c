/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas that take floats apart and put them together: frexp, ldexp, modf, spacing; and heaviside.  All are exact,
 * or rounded once; subnormal numbers are taken apart as the numbers that they are. */
#ifndef GARRAY__FORMULA_PARTS_H
#define GARRAY__FORMULA_PARTS_H

/* A number that is not 0, as fraction * 2^exponent with 1/2 <= |fraction| < 1; in double no float is subnormal. */
#if GARRAY_WIDTH == 64
#define SUBNORMAL(a) (fabs(a) < 0x1p-1022)
#else
#define SUBNORMAL(a) 0
#endif

GARRAY_FN uint64_t f_double_bits(ct a)
{
    const double x = SUBNORMAL(a) ? a * 0x1p54 : a;
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

GARRAY_FN int f_has_parts(ct a) { return (a != 0) & (a - a == 0); }

/* Zeros, infinities and NaN are their own fractions, with the exponent 0. */
GARRAY_FN ct f_frexp_fraction(ct a)
{
    const uint64_t bits = (f_double_bits(a) & 0x800fffffffffffffu) | 0x3fe0000000000000u;
    double fraction;

    memcpy(&fraction, &bits, sizeof fraction);
    return f_has_parts(a) ? (ct)fraction : a;
}

GARRAY_FN ct f_frexp_exponent(ct a)
{
    const int exponent = (int)(f_double_bits(a) >> 52 & 0x7ff) - 1022;

    return f_has_parts(a) ? (ct)(SUBNORMAL(a) ? exponent - 54 : exponent) : 0;
}
#undef SUBNORMAL

/* a * 2^b for an integer b.  Past the clamp there are only zeros and infinities. */
GARRAY_FN ct f_ldexp(ct a, ct b)
{
    const int n = b > 2200 ? 2200 : b < -2200 ? -2200 : (int)b;
#if GARRAY_WIDTH == 64
    const int quarter = n / 4, exponent = (int)f_frexp_exponent(a) + n;
    const double power = c_power_of_two(quarter);

    if (!f_has_parts(a))
        return a;
    if (exponent > -1000)           /* normal all the way, or overflow */
        return a * power * power * power * c_power_of_two(n - 3 * quarter);
    /* The last of the products is the only one that rounds. */
    return f_frexp_fraction(a) * c_power_of_two(exponent < -1100 ? -78 : exponent + 1022) * 0x1p-1022;
#else
    const uint64_t bits = (uint64_t)((n < -400 ? -400 : n > 400 ? 400 : n) + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof power);
    return (float)((double)a * power);
#endif
}

/* The part behind the point, with the sign of a; 0 of infinities. */
GARRAY_FN ct f_modf_fraction(ct a)
{
    const ct size = LIBRARY(fabs)(a), rest = a - LIBRARY(trunc)(a);

    return LIBRARY(copysign)(size == (ct)INFINITY ? 0 : rest, a);
}

/* From a to the next number away from 0, with the sign of a; of both zeros the least positive number. */
GARRAY_FN ct f_spacing(ct a)
{
    const ct size = LIBRARY(fabs)(a);
    ct step;

    if (!(size < (ct)INFINITY))
        return f_from_bits((f_bits((ct)INFINITY) | f_bits((ct)INFINITY) >> 1));
#if GARRAY_WIDTH == 16 && !GARRAY_IS_BFLOAT16
    step = size < 0x1p-14f ? 0x1p-24f : f_from_bits(f_bits(size) & 0x7f800000u) * 0x1p-10f;
    step = size + step > 65504.0f ? INFINITY : step;
#else
    step = f_from_bits(f_bits(size) + (GARRAY_IS_BFLOAT16 ? 0x10000 : 1)) - size;
#endif
    return a < 0 ? -step : step;
}

/* 0 below 0, 1 above, b at 0. */
GARRAY_FN ct f_heaviside(ct a, ct b)
{
    const ct step = a < 0 ? 0 : a > 0 ? 1 : b;

    return a != a ? a : step;
}

#endif
