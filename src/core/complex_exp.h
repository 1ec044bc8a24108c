/* SPDX-License-Identifier: BSD-3-Clause
 * Complex exponential, logarithms and square root on complex128.  Special values follow C11 Annex G and the
 * array API; zeros keep their sign, so that a cut belongs to the side its zero says. */
#ifndef GARRAY__COMPLEX_EXP_H
#define GARRAY__COMPLEX_EXP_H

#include "complex_arith.h"

/* factor * exp(x) * (cos(y) + i sin(y)) for finite y, as long as that is in range: exp alone may not be. */
GARRAY_LONG_FN garray__c128 c_exp_finite(double x, double y, double factor)
{
    const double step = 709.0, exp_step = 0x1.d422d2be5dc9bp+1022;
    double re = cos(y), im = sin(y), last = 1;

    if (x > step) {
        x -= step;
        re *= exp_step;
        im *= exp_step;
    }
    if (x > step) {
        x -= step;
        last = exp_step;
    }
    x = factor * exp(x);
    return c_make(re * x * last, im * x * last);
}

GARRAY_FN garray__c128 c_exp(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (y == 0)
        return c_make(exp(x), y);
    if (x == -INFINITY) {
        if (fabs(y) < INFINITY)
            return c_make(copysign(0.0, cos(y)), copysign(0.0, sin(y)));
        return c_make(0, copysign(0.0, y));
    }
    if (!(fabs(y) < INFINITY))
        return c_make(x == INFINITY ? x : NAN, NAN);
    if (x == INFINITY)
        return c_make(x * cos(y), x * sin(y));
    return c_exp_finite(x, y, 1);
}

/* Where the two terms of the real part cancel, the imaginary part is much larger than their rounding. */
GARRAY_FN garray__c128 c_expm1(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (y == 0)
        return c_make(expm1(x), y);
    if (!c_isfinite(z) || x > 700) {
        const garray__c128 w = c_exp(z);
        return c_make(w.re - 1, w.im);
    }

    const double half_sin = sin(0.5 * y);
    return c_make(GARRAY_PRODUCT(expm1(x) * cos(y)) - GARRAY_PRODUCT(2 * half_sin * half_sin),
                  exp(x) * sin(y));
}

/* log|z| to the given base (0 for e).  Near the unit circle |z|^2 - 1 is formed without forming |z|. */
GARRAY_FN double c_log_modulus(garray__c128 z, int base)
{
    const double ax = fabs(z.re), ay = fabs(z.im);
    const double larger = ax > ay ? ax : ay, lesser = ax > ay ? ay : ax;
    double modulus, shift = 0;

    if (larger >= 0.5 && larger <= 1.5 && lesser <= 1.5) {
        const double excess = GARRAY_PRODUCT((larger - 1) * (larger + 1)) + GARRAY_PRODUCT(lesser * lesser);
        if (excess > -0.5 && excess < 2) {
            const double natural = 0.5 * log1p(excess);
            const double unit = base == 2 ? 0x1.71547652b82fep+0 : base == 10 ? 0x1.bcb7b1526e50ep-2 : 1;
            return natural * unit;
        }
    }
    if (larger > 0x1p1000 && larger < INFINITY) {
        modulus = c_modulus(0x1p-100 * z.re, 0x1p-100 * z.im);
        shift = 100;
    } else if (larger < 0x1p-900 && larger > 0) {
        modulus = c_modulus(0x1p200 * z.re, 0x1p200 * z.im);
        shift = -200;
    } else {
        modulus = c_modulus(z.re, z.im);
    }
    if (base == 2)
        return log2(modulus) + shift;
    if (base == 10)
        return log10(modulus) + GARRAY_PRODUCT(shift * 0x1.34413509f79ffp-2);
    return log(modulus) + GARRAY_PRODUCT(shift * 0x1.62e42fefa39efp-1);
}

GARRAY_FN garray__c128 c_log(garray__c128 z)
{
    return c_make(c_log_modulus(z, 0), atan2(z.im, z.re));
}

GARRAY_FN garray__c128 c_log2(garray__c128 z)
{
    return c_make(c_log_modulus(z, 2), atan2(z.im, z.re) * 0x1.71547652b82fep+0);
}

GARRAY_FN garray__c128 c_log10(garray__c128 z)
{
    return c_make(c_log_modulus(z, 10), atan2(z.im, z.re) * 0x1.bcb7b1526e50ep-2);
}

/* Near 0 the sum 1 + z loses digits of z, elsewhere its rounding is a small part of the result. */
GARRAY_FN garray__c128 c_log1p(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (fabs(x) < 0.5 && fabs(y) < 0.5)
        return c_make(0.5 * log1p(GARRAY_PRODUCT(x * (2 + x)) + GARRAY_PRODUCT(y * y)), atan2(y, 1 + x));
    return c_log(c_make(1 + x, y));
}

GARRAY_FN garray__c128 c_sqrt(garray__c128 z)
{
    double x = z.re, y = z.im, scale = 1;

    if (x == 0 && y == 0)
        return c_make(0, y);
    if (fabs(y) == INFINITY)
        return c_make(INFINITY, y);
    if (x != x || y != y) {
        if (fabs(x) == INFINITY)
            return x > 0 ? c_make(x, y) : c_make(y, -x);
        return c_make(NAN, NAN);
    }
    if (x == INFINITY)
        return c_make(x, copysign(0.0, y));
    if (x == -INFINITY)
        return c_make(0, copysign(-x, y));

    if (fabs(x) > 0x1p1020 || fabs(y) > 0x1p1020) {
        x *= 0x1p-4;
        y *= 0x1p-4;
        scale = 0x1p2;
    } else if (fabs(x) < 0x1p-900 && fabs(y) < 0x1p-900) {
        x *= 0x1p200;
        y *= 0x1p200;
        scale = 0x1p-100;
    }

    const double t = sqrt(0.5 * (fabs(x) + c_modulus(x, y)));
    const double u = y / (2 * t);
    return x >= 0 ? c_make(scale * t, scale * u) : c_make(scale * fabs(u), copysign(scale * t, y));
}

#endif
