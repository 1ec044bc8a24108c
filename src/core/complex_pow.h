/* SPDX-License-Identifier: BSD-3-Clause
 * Complex power on complex128.  exp(b log a) in double would lose the digits of |b log a|; so the logarithm
 * and the product are carried as sums of two doubles, and small integer powers are products of such sums. */
#ifndef GARRAY__COMPLEX_POW_H
#define GARRAY__COMPLEX_POW_H

#include "complex_arith.h"
#include "complex_exp.h"

typedef struct c_wide {
    c_pair re, im;
} c_wide;

GARRAY_FN c_wide c_widen(garray__c128 a)
{
    c_wide z;

    z.re.hi = a.re;
    z.im.hi = a.im;
    z.re.lo = z.im.lo = 0;
    return z;
}

GARRAY_LONG_FN c_wide c_wide_multiply(c_wide a, c_wide b)
{
    c_wide product;

    product.re = c_pair_add(c_pair_multiply(a.re, b.re), c_pair_negative(c_pair_multiply(a.im, b.im)));
    product.im = c_pair_add(c_pair_multiply(a.re, b.im), c_pair_multiply(a.im, b.re));
    return product;
}

/* 1 + a * b * factor, the step of a Taylor series in Horner's form. */
GARRAY_FN c_wide c_wide_step(c_wide a, c_wide b, c_pair factor)
{
    const c_pair one = {1, 0};
    c_wide z = c_wide_multiply(a, b);

    z.re = c_pair_add(one, c_pair_multiply(z.re, factor));
    z.im = c_pair_multiply(z.im, factor);
    return z;
}

/* exp(-w) for |Re w| <= 1.1 and |Im w| <= pi, good to about 80 bits. */
GARRAY_LONG_FN c_wide c_wide_exp_negative(garray__c128 w)
{
    const double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;
    const c_pair one = {1, 0}, half = {0.5, 0}, quarter = {0.25, 0};
    const c_pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    const double turns = rint(w.im / half_pi), left = w.im - turns * half_pi;
    c_wide v, z;
    garray__c128 tail;

    /* Into the first octant, and by a further 64 into the reach of a short series. */
    v.re.hi = -0x1p-6 * w.re;
    v.re.lo = 0;
    v.im = c_pair_add(c_widen(c_make(-left, 0)).re, c_widen(c_make(turns * half_pi_low, 0)).re);
    v.im.hi *= 0x1p-6;
    v.im.lo *= 0x1p-6;

    /* Terms from the fifth on are small enough for double. */
    tail = c_make(1, 0);
    for (int n = 12; n >= 5; n--) {
        tail = c_multiply(tail, c_make(v.re.hi / n, v.im.hi / n));
        if (n > 5)
            tail.re += 1;
    }
    z = c_widen(tail);
    z.re = c_pair_add(one, z.re);
    z = c_wide_step(v, z, quarter);
    z = c_wide_step(v, z, third);
    z = c_wide_step(v, z, half);
    z = c_wide_step(v, z, one);
    for (int i = 0; i < 6; i++)
        z = c_wide_multiply(z, z);

    /* exp(-i pi / 2) = -i for each quarter turn. */
    for (int i = (int)turns & 3; i > 0; i--) {
        const c_pair re = z.re;
        z.re = z.im;
        z.im = c_pair_negative(re);
    }
    return z;
}

/* log(z) for finite z other than 0: a double logarithm and one Newton step. */
GARRAY_LONG_FN c_wide c_wide_log(garray__c128 z)
{
    const c_pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, minus_one = {-1, 0};
    const int exponent = c_exponent(z);
    const garray__c128 scaled = c_scale(z, -exponent);
    const int extra = c_exponent(scaled); /* not 0 only for subnormal z */
    const garray__c128 u = c_scale(scaled, -extra);
    const garray__c128 first = c_log(u);
    const c_wide ratio = c_wide_multiply(c_widen(u), c_wide_exp_negative(first));
    const c_pair excess = c_pair_add(ratio.re, minus_one);
    const c_pair octaves = c_pair_multiply(c_widen(c_make(exponent + extra, 0)).re, ln2);
    c_wide result;

    result.re = c_pair_add(octaves, c_pair_add(c_widen(first).re, excess));
    result.im = c_pair_add(c_widen(first).im, ratio.im);
    return result;
}

/* z * (1 + rest) for a small rest; a zero that needs no correction keeps its sign. */
GARRAY_FN garray__c128 c_correct(garray__c128 z, garray__c128 rest)
{
    const garray__c128 change = c_multiply(z, rest);

    return c_make(change.re == 0 ? z.re : z.re + change.re, change.im == 0 ? z.im : z.im + change.im);
}

/* a^n for finite a other than 0 and 0 < |n| <= 512.  With the larger part of a scaled to 1 nothing
 * overflows. */
GARRAY_LONG_FN garray__c128 c_integer_power(garray__c128 a, int n)
{
    const int exponent = c_exponent(a);
    garray__c128 base = c_scale(a, -exponent);
    const int extra = c_exponent(base); /* not 0 only for subnormal a */
    c_wide square, power;
    int shift = n * (exponent + extra), started = 0;

    base = c_scale(base, -extra);
    square = c_widen(base);
    power = square;
    for (int m = n < 0 ? -n : n;;) {
        if (m & 1) {
            power = started ? c_wide_multiply(power, square) : square;
            started = 1;
        }
        m >>= 1;
        if (m == 0)
            break;
        square = c_wide_multiply(square, square);
    }

    garray__c128 result = c_make(power.re.hi, power.im.hi);
    if (n < 0) {
        /* One Newton step makes up for the digits that the double quotient has not seen. */
        const c_pair one = {1, 0};
        const garray__c128 inverse = c_reciprocal(result);
        const c_wide product = c_wide_multiply(power, c_widen(inverse));
        const double rest_re = c_pair_add(one, c_pair_negative(product.re)).hi;
        result = c_correct(inverse, c_make(rest_re, -product.im.hi));
    }
    shift = shift > 2044 ? 2044 : shift < -2044 ? -2044 : shift;
    return c_scale(result, shift);
}

/* Powers of zero are NumPy's: 1 for the power 0, 0 for a positive real part, NaN otherwise.  A result that is
 * narrowed to complex64 needs no extended logarithm. */
GARRAY_LONG_FN garray__c128 c_pow(garray__c128 a, garray__c128 b, int extended)
{
    if (b.re == 0 && b.im == 0)
        return c_make(1, 0);
    if (a.re == 0 && a.im == 0)
        return b.re > 0 ? c_make(0, 0) : c_make(NAN, NAN);
    if (!c_isfinite(a) || !c_isfinite(b))
        return c_exp(c_multiply(b, c_log(a)));
    if (b.im == 0 && fabs(b.re) <= 512 && b.re == rint(b.re))
        return c_integer_power(a, (int)b.re);
    if (a.im == 0 && b.im == 0 && a.re > 0)
        return c_make(pow(a.re, b.re), a.im * b.re);
    if (!extended)
        return c_exp(c_multiply(b, c_log(a)));

    const c_wide exponent = c_wide_multiply(c_wide_log(a), c_widen(b));
    const garray__c128 low = c_make(exponent.re.lo, exponent.im.lo);
    const garray__c128 power = c_exp(c_make(exponent.re.hi, exponent.im.hi));

    if (!c_isfinite(low) || !c_isfinite(power))
        return power;
    if (fabs(low.im) > 0x1p-30)
        return c_multiply(power, c_exp(low));
    return c_correct(power, low);
}

#endif
