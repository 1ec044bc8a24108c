/* SPDX-License-Identifier: BSD-3-Clause
 * Complex division, sign and reciprocal on complex128, scaled so that nothing overflows or vanishes on the
 * way to a result that does not; and the helpers of the other complex_*.h files. */
#ifndef GARRAY__COMPLEX_ARITH_H
#define GARRAY__COMPLEX_ARITH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kinds.h"

/* gcc 12 fuses the products of complex expressions when it vectorizes, even with -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && __GNUC__ >= 12
#define GARRAY_PRODUCT(x) __builtin_assoc_barrier(x)
#else
#define GARRAY_PRODUCT(x) (x)
#endif

GARRAY_FN garray__c128 c_make(double re, double im)
{
    garray__c128 z;

    z.re = re;
    z.im = im;
    return z;
}

GARRAY_FN int c_isfinite(garray__c128 a) { return (fabs(a.re) < INFINITY) & (fabs(a.im) < INFINITY); }

/* 2^n for n in -1022..1023. */
GARRAY_FN double c_power_of_two(int n)
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/* a * 2^n for n in -2044..2046: two factors, because one cannot hold every n. */
GARRAY_FN double c_scale_part(double a, int n)
{
    const int half = n / 2;

    return a * c_power_of_two(half) * c_power_of_two(n - half);
}

GARRAY_FN garray__c128 c_scale(garray__c128 a, int n)
{
    return c_make(c_scale_part(a.re, n), c_scale_part(a.im, n));
}

/* The exponent that brings the larger part into [1, 2); subnormal ones come as far as 2^1022 allows. */
GARRAY_FN int c_exponent(garray__c128 a)
{
    const double larger = fabs(a.re) > fabs(a.im) ? fabs(a.re) : fabs(a.im);
    uint64_t bits;
    int exponent;

    memcpy(&bits, &larger, sizeof bits);
    exponent = (int)(bits >> 52) - 1023;
    return exponent < -1022 ? -1022 : exponent;
}

GARRAY_FN garray__c128 c_multiply(garray__c128 a, garray__c128 b)
{
    return c_make(GARRAY_PRODUCT(a.re * b.re) - GARRAY_PRODUCT(a.im * b.im),
                  GARRAY_PRODUCT(a.re * b.im) + GARRAY_PRODUCT(a.im * b.re));
}

/* hi + lo with |lo| at most half an ulp of hi. */
typedef struct c_pair {
    double hi, lo;
} c_pair;

/* For |a| >= |b|. */
GARRAY_FN c_pair c_pair_join(double a, double b)
{
    c_pair sum;

    sum.hi = a + b;
    sum.lo = b - (sum.hi - a);
    return sum;
}

GARRAY_FN c_pair c_pair_add(c_pair a, c_pair b)
{
    const double hi = a.hi + b.hi, part = hi - a.hi;
    const double lo = (a.hi - (hi - part)) + (b.hi - part);

    return c_pair_join(hi, lo + (a.lo + b.lo));
}

GARRAY_FN c_pair c_pair_negative(c_pair a)
{
    a.hi = -a.hi;
    a.lo = -a.lo;
    return a;
}

GARRAY_FN c_pair c_pair_multiply(c_pair a, c_pair b)
{
    const double hi = GARRAY_PRODUCT(a.hi * b.hi);
    const double lo = fma(a.hi, b.hi, -hi);

    return c_pair_join(hi, lo + (GARRAY_PRODUCT(a.hi * b.lo) + GARRAY_PRODUCT(a.lo * b.hi)));
}

/* a * b + c * d and a * b - c * d, exact but for the last bits of lo. */
GARRAY_FN c_pair c_pair_products(double a, double b, double c, double d, double sign)
{
    const double p = GARRAY_PRODUCT(a * b), q = GARRAY_PRODUCT(c * d);
    c_pair first, second;

    first.hi = p;
    first.lo = fma(a, b, -p);
    second.hi = sign * q;
    second.lo = sign * fma(c, d, -q);
    return c_pair_add(first, second);
}

/* A power of four whose product with z can be squared with all digits, for the sizes that need one; 1 for
 * the others and for infinities and NaN.  Selections, not exponents, so that loops become vector code. */
GARRAY_FN double c_half_scale(garray__c128 z)
{
    const double larger = fabs(z.re) > fabs(z.im) ? fabs(z.re) : fabs(z.im);

    return larger > 0x1p500 ? 0x1p-300 : larger < 0x1p-400 ? 0x1p300 : 1;
}

/* |z| within 0.6 ulp, without overflow on the way; hypot of the libraries differs in its last bits. */
GARRAY_FN double c_modulus(double x, double y)
{
    const double half = c_half_scale(c_make(x, y)), scale = half * half;
    const double u = x * scale, v = y * scale;
    const c_pair square = c_pair_products(u, u, v, v, 1);
    const double root = sqrt(square.hi);
    const double rest = fma(-root, root, square.hi) + square.lo;
    const double modulus = root > 0 ? root + 0.5 * rest / root : root;
    const int infinite = (fabs(x) == INFINITY) | (fabs(y) == INFINITY);

    return infinite ? INFINITY : modulus / half / half;
}

/* Smith's formula with NumPy's values for zero divisors, infinities and NaN.  Good enough for complex64,
 * whose quotients in double neither overflow nor lose digits that are wanted. */
GARRAY_FN garray__c128 c_divide_smith(garray__c128 a, garray__c128 b)
{
    const int along_re = fabs(b.re) >= fabs(b.im);
    const int zero = along_re & (b.re == 0);
    const double major = along_re ? b.re : b.im, minor = along_re ? b.im : b.re;
    const double ratio = minor / major;
    const double inverse = 1 / (major + GARRAY_PRODUCT(minor * ratio));
    const double re_ratio = GARRAY_PRODUCT(a.re * ratio), im_ratio = GARRAY_PRODUCT(a.im * ratio);
    const double re = (along_re ? a.re + im_ratio : re_ratio + a.im) * inverse;
    const double im = (along_re ? a.im - re_ratio : im_ratio - a.re) * inverse;

    return c_make(zero ? a.re * INFINITY : re, zero ? a.im * INFINITY : im);
}

/* Finite operands are scaled by powers of two, which is exact, so that the textbook quotient is safe; Smith's
 * own formula still overflows and loses digits at the ends of the range.  The sums of products are kept in
 * pairs: rounded at each step, the parts would be nearly 3 ulp of the modulus off. */
GARRAY_FN garray__c128 c_divide(garray__c128 a, garray__c128 b)
{
    if (!c_isfinite(a) || !c_isfinite(b) || (b.re == 0 && b.im == 0))
        return c_divide_smith(a, b);

    const double ha = c_half_scale(a), hb = c_half_scale(b), half = hb / ha;
    const garray__c128 n = c_make(a.re * ha * ha, a.im * ha * ha), d = c_make(b.re * hb * hb, b.im * hb * hb);
    const c_pair modulus2 = c_pair_products(d.re, d.re, d.im, d.im, 1);
    const c_pair re = c_pair_products(n.re, d.re, n.im, d.im, 1);
    const c_pair im = c_pair_products(n.im, d.re, n.re, d.im, -1);
    const double inverse = 1 / modulus2.hi;
    const garray__c128 q = c_make(re.hi / modulus2.hi, im.hi / modulus2.hi);
    const double re_rest = (re.lo - GARRAY_PRODUCT(q.re * modulus2.lo)) * inverse;
    const double im_rest = (im.lo - GARRAY_PRODUCT(q.im * modulus2.lo)) * inverse;
    return c_make((q.re + re_rest) * half * half, (q.im + im_rest) * half * half);
}

/* 1 / a, with NumPy's values where a is zero or not finite. */
GARRAY_FN garray__c128 c_reciprocal(garray__c128 a)
{
    if (c_isfinite(a) && (a.re != 0 || a.im != 0)) {
        const int exponent = c_exponent(a);
        const garray__c128 b = c_scale(a, -exponent);
        const c_pair d = c_pair_products(b.re, b.re, b.im, b.im, 1);
        const garray__c128 q = c_make(b.re / d.hi, -b.im / d.hi);
        const double rest = d.lo / d.hi;
        const double re = q.re - GARRAY_PRODUCT(q.re * rest), im = q.im - GARRAY_PRODUCT(q.im * rest);
        return c_scale(c_make(copysign(re, q.re), copysign(im, q.im)), -exponent);
    }
    if (fabs(a.im) <= fabs(a.re)) {
        const double ratio = a.im / a.re;
        const double d = a.re + GARRAY_PRODUCT(a.im * ratio);
        return c_make(1 / d, -ratio / d);
    }

    const double ratio = a.re / a.im;
    const double d = GARRAY_PRODUCT(a.re * ratio) + a.im;
    return c_make(ratio / d, -1 / d);
}

/* a / |a|; one infinite part gives the axis it lies on, whatever the other is, as in NumPy. */
GARRAY_FN garray__c128 c_sign(garray__c128 a)
{
    if (a.re == 0 && a.im == 0)
        return c_make(0, 0);
    if (c_isfinite(a)) {
        const garray__c128 scaled = c_scale(a, -c_exponent(a));
        const double modulus = c_modulus(scaled.re, scaled.im);
        return c_make(scaled.re / modulus, scaled.im / modulus);
    }
    if (fabs(a.re) == INFINITY && fabs(a.im) != INFINITY)
        return c_make(a.re > 0 ? 1 : -1, 0);
    if (fabs(a.im) == INFINITY && fabs(a.re) != INFINITY)
        return c_make(0, a.im > 0 ? 1 : -1);
    return c_make(NAN, NAN);
}

#endif
