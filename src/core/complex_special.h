/* SPDX-License-Identifier: BSD-3-Clause
 * Complex 2^z and sin(pi z) / (pi z) on complex128. */
#ifndef GARRAY__COMPLEX_SPECIAL_H
#define GARRAY__COMPLEX_SPECIAL_H

#include "complex_exp.h"
#include "complex_trig.h"
#include "elementary.h"

/* 2^x (cos(t) + i sin(t)) with t = y log(2) to twice the precision, as far as that can matter; 2^x in two factors where
 * it alone may overflow. */
GARRAY_FN garray__c128 c_exp2(garray__c128 z)
{
    const double x = z.re, y = z.im, turn = y * 0x1.62e42fefa39efp-1;

    if (y == 0)
        return c_make(exp2(x), y);
    if (!(fabs(x) < INFINITY) || !(fabs(y) < INFINITY))
        return c_exp(c_make(x, turn));

    const double low = fma(y, 0x1.62e42fefa39efp-1, -turn) + GARRAY_PRODUCT(y * 0x1.abc9e3b39803fp-56);
    const double rest = fabs(y) < 0x1p40 ? low : 0, c = cos(turn), s = sin(turn);
    const double size = exp2(x > 1000 ? x - 1000 : x), last = x > 1000 ? 0x1p1000 : 1;

    return c_make((c - GARRAY_PRODUCT(s * rest)) * size * last, (s + GARRAY_PRODUCT(c * rest)) * size * last);
}

/* The real part is reduced before it is multiplied by pi, so that zeros are zeros; the imaginary part, of which
 * exponentials are taken, is multiplied to twice the precision.  Where sin(pi z) may overflow, it is divided before it
 * is multiplied by exp(|t|) / 2. */
GARRAY_FN garray__c128 c_sinc(garray__c128 z)
{
    const double n = rint(z.re), half = 0.5 * n, sign = half == rint(half) ? 1 : -1;
    const double u = E_PI * (z.re - n), t = E_PI * z.im;
    const double rest = fma(E_PI, z.im, -t) + GARRAY_PRODUCT(E_PI_LOW * z.im);
    const garray__c128 divisor = c_make(E_PI * z.re, t);
    garray__c128 s, q;

    if (z.re == 0 && z.im == 0)
        return c_make(1, 0);
    if (!c_isfinite(divisor))
        return c_divide(c_sin(divisor), divisor);
    if (fabs(t) < 22) {
        const garray__c128 slope = c_cos(c_make(u, t));
        s = c_sin(c_make(u, t));
        s = c_make(sign * (s.re - GARRAY_PRODUCT(rest * slope.im)), sign * (s.im + GARRAY_PRODUCT(rest * slope.re)));
        return c_divide(s, divisor);
    }
    const double root = exp(0.5 * fabs(t)), factor = 0.5 + 0.5 * (t < 0 ? -rest : rest);

    q = c_divide(c_make(sign * sin(u), t < 0 ? -sign * cos(u) : sign * cos(u)), divisor);
    /* A zero stays one beside an overflow. */
    return c_make(q.re == 0 ? q.re : q.re * root * factor * root, q.im == 0 ? q.im : q.im * root * factor * root);
}

#endif
