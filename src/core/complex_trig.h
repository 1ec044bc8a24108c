/* SPDX-License-Identifier: BSD-3-Clause
 * Complex trigonometric and hyperbolic functions on complex128.  The circular ones are the hyperbolic ones of
 * i z or -i z, turned back: special values and signed zeros (C11 Annex G) then need stating once.  Where
 * Annex G leaves a sign open, it is the one that the GNU library, and so NumPy, chooses. */
#ifndef GARRAY__COMPLEX_TRIG_H
#define GARRAY__COMPLEX_TRIG_H

#include "complex_arith.h"
#include "complex_exp.h"

/* From here on cosh(x) = |sinh(x)| = exp(|x|) / 2 in double, and cosh alone would soon overflow. */
#define HYPERBOLIC_LARGE 22.0

GARRAY_FN garray__c128 c_cosh(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (y == 0)
        return c_make(cosh(x), x != x ? y : copysign(0.0, x) * y);
    if (!(fabs(y) < INFINITY)) {
        if (fabs(x) == INFINITY)
            return c_make(INFINITY, NAN);
        return c_make(NAN, x == 0 ? 0 : NAN);
    }
    if (fabs(x) == INFINITY)
        return c_make(INFINITY * cos(y), x * sin(y));
    if (fabs(x) > HYPERBOLIC_LARGE) {
        const garray__c128 w = c_exp_finite(fabs(x), y, 0.5);
        return c_make(w.re, copysign(1.0, x) * w.im);
    }
    return c_make(cosh(x) * cos(y), sinh(x) * sin(y));
}

GARRAY_FN garray__c128 c_sinh(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (y == 0)
        return c_make(sinh(x), y);
    if (!(fabs(y) < INFINITY))
        return c_make(x == 0 ? x : fabs(x) == INFINITY ? INFINITY : NAN, NAN);
    if (fabs(x) == INFINITY)
        return c_make(x * cos(y), INFINITY * sin(y));
    if (fabs(x) > HYPERBOLIC_LARGE) {
        const garray__c128 w = c_exp_finite(fabs(x), y, 0.5);
        return c_make(copysign(1.0, x) * w.re, w.im);
    }
    return c_make(sinh(x) * cos(y), cosh(x) * sin(y));
}

/* Kahan's formula, which divides by a sum of positive terms. */
GARRAY_FN garray__c128 c_tanh(garray__c128 z)
{
    const double x = z.re, y = z.im;

    if (x != x)
        return c_make(x, y == 0 ? y : NAN);
    if (fabs(x) == INFINITY) {
        const double turn = fabs(y) < INFINITY ? sin(y) * cos(y) : y;
        return c_make(copysign(1.0, x), copysign(0.0, turn));
    }
    if (!(fabs(y) < INFINITY))
        return c_make(x == 0 ? x : NAN, NAN);
    if (fabs(x) > HYPERBOLIC_LARGE) {
        const double e = exp(-fabs(x));
        return c_make(copysign(1.0, x), 4 * sin(y) * cos(y) * e * e);
    }

    const double t = tan(y), s = sinh(x);
    const double secant2 = 1 + GARRAY_PRODUCT(t * t), cosh_x = sqrt(1 + GARRAY_PRODUCT(s * s));
    const double d = 1 + GARRAY_PRODUCT(secant2 * s * s);
    return c_make(secant2 * cosh_x * s / d, t / d);
}

#undef HYPERBOLIC_LARGE

GARRAY_FN garray__c128 c_sin(garray__c128 z)
{
    const garray__c128 w = c_sinh(c_make(z.im, -z.re));

    return c_make(-w.im, w.re);
}

GARRAY_FN garray__c128 c_cos(garray__c128 z)
{
    return c_cosh(c_make(-z.im, z.re));
}

GARRAY_FN garray__c128 c_tan(garray__c128 z)
{
    const garray__c128 w = c_tanh(c_make(-z.im, z.re));

    return c_make(w.im, -w.re);
}

#endif
