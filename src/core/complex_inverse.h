/* SPDX-License-Identifier: BSD-3-Clause
 * Complex inverse trigonometric and hyperbolic functions on complex128, after Hull, Fairgrieve and Tang,
 * "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23 (1997).
 * Special values follow C11 Annex G; on a cut the sign of the zero part says which side is meant. */
#ifndef GARRAY__COMPLEX_INVERSE_H
#define GARRAY__COMPLEX_INVERSE_H

#include "complex_arith.h"
#include "complex_exp.h"

#define EPSILON 0x1p-52
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define LN2 0x1.62e42fefa39efp-1

/* What both functions are made of, for x, y >= 0, with a = (|z + 1| + |z - 1|) / 2 and b = x / a:
 * acosh(a), the size of the imaginary part, and the angle as asin(b) or as atan2(sine, cosine). */
typedef struct c_arcs {
    double acosh_a;
    double b;
    double sine, cosine;
    int use_b; /* b is far enough from 1 for asin(b) and acos(b) */
} c_arcs;

/* (c_modulus(u, v) - v) / 2 without cancellation, given r = c_modulus(u, v). */
GARRAY_FN double c_half_difference(double u, double v, double r)
{
    return v <= 0 ? 0.5 * (r - v) : 0.5 * (u * u / (r + v));
}

GARRAY_LONG_FN c_arcs c_find_arcs(double x, double y)
{
    const double r = c_modulus(x + 1, y), s = c_modulus(x - 1, y);
    const double mean = 0.5 * (r + s), a = mean < 1 ? 1 : mean;
    c_arcs arcs;

    arcs.b = x / a;
    arcs.use_b = arcs.b <= 0.6417;
    arcs.sine = x;
    arcs.cosine = 1;

    /* acosh(a) = log(a + sqrt(a^2 - 1)), through a - 1 while a is not large. */
    if (a >= 10) {
        arcs.acosh_a = log(a + sqrt(GARRAY_PRODUCT(a * a) - 1));
    } else if (x == 1 && y < EPSILON * EPSILON / 128) {
        arcs.acosh_a = sqrt(y);
    } else if (y >= EPSILON * fabs(x - 1)) {
        const double excess = c_half_difference(y, 1 + x, r) + c_half_difference(y, 1 - x, s);
        arcs.acosh_a = log1p(excess + sqrt(excess * (a + 1)));
    } else if (x < 1) {
        arcs.acosh_a = y / sqrt((1 - x) * (1 + x));
    } else {
        arcs.acosh_a = log1p((x - 1) + sqrt((x - 1) * (x + 1)));
    }

    /* For b near 1 the angle has the tangent x / sqrt(a^2 - x^2), through a - x.  Tiny values of y make tiny
     * cosines: both sides of the tangent are scaled up. */
    if (!arcs.use_b) {
        if (x == 1 && y < EPSILON / 128) {
            arcs.cosine = sqrt(y) * sqrt(0.5 * (a + x));
        } else if (y >= EPSILON * fabs(x - 1)) {
            const double a_minus_x = c_half_difference(y, x + 1, r) + c_half_difference(y, x - 1, s);
            arcs.cosine = sqrt(a_minus_x * (a + x));
        } else if (x > 1) {
            arcs.sine = x * 0x1p106;
            arcs.cosine = y * 0x1p106 * x / sqrt((x + 1) * (x - 1));
        } else {
            arcs.cosine = sqrt((1 - x) * (1 + x));
        }
    }
    return arcs;
}

/* log|2 z| for z so large that 1 does not count, or infinite; the larger part is at least 2^52. */
GARRAY_FN double c_log_twice(double x, double y)
{
    return c_log_modulus(c_make(x, y), 0) + LN2;
}

GARRAY_FN garray__c128 c_acos(garray__c128 z)
{
    const double ax = fabs(z.re), ay = fabs(z.im);

    if (ax != ax || ay != ay) {
        if (ax == INFINITY)
            return c_make(NAN, -INFINITY);
        if (ay == INFINITY)
            return c_make(NAN, -z.im);
        return c_make(ax == 0 ? HALF_PI : NAN, NAN);
    }
    if (ax > 1 / EPSILON || ay > 1 / EPSILON)
        return c_make(fabs(atan2(z.im, z.re)), copysign(c_log_twice(ax, ay), -z.im));
    if (z.re == 1 && z.im == 0)
        return c_make(0, -z.im);
    if (ax < EPSILON && ay < EPSILON)
        return c_make(HALF_PI - (z.re - HALF_PI_LOW), -z.im);

    const c_arcs arcs = c_find_arcs(ax, ay);
    double angle;

    if (arcs.use_b)
        angle = acos(copysign(arcs.b, z.re));
    else
        angle = atan2(arcs.cosine, copysign(arcs.sine, z.re));
    return c_make(angle, copysign(arcs.acosh_a, -z.im));
}

GARRAY_FN garray__c128 c_asin(garray__c128 z)
{
    const double ax = fabs(z.re), ay = fabs(z.im);

    if (ax != ax || ay != ay) {
        if (ay == INFINITY)
            return c_make(NAN, z.im);
        if (ax == INFINITY)
            return c_make(NAN, INFINITY);
        return c_make(ax == 0 ? z.re : NAN, NAN);
    }
    if (ax > 1 / EPSILON || ay > 1 / EPSILON)
        return c_make(copysign(atan2(ax, ay), z.re), copysign(c_log_twice(ax, ay), z.im));
    if (ax < 0x1p-27 && ay < 0x1p-27)
        return z;

    const c_arcs arcs = c_find_arcs(ax, ay);
    const double angle = arcs.use_b ? asin(arcs.b) : atan2(arcs.sine, arcs.cosine);
    return c_make(copysign(angle, z.re), copysign(arcs.acosh_a, z.im));
}

/* asinh(z) = -i asin(i z), written so that every zero keeps its sign. */
GARRAY_FN garray__c128 c_asinh(garray__c128 z)
{
    const garray__c128 w = c_asin(c_make(z.im, z.re));

    return c_make(w.im, w.re);
}

/* acosh(z) = i acos(z) or -i acos(z), whichever has a positive real part. */
GARRAY_FN garray__c128 c_acosh(garray__c128 z)
{
    const garray__c128 w = c_acos(z);

    if (w.im != w.im)
        return c_make(NAN, w.re);
    return c_make(fabs(w.im), w.re != w.re ? w.re : copysign(w.re, z.im));
}

GARRAY_FN garray__c128 c_atanh(garray__c128 z)
{
    const double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
    double re, im;

    if (ay == 0 && ax <= 1)
        return c_make(atanh(x), y);
    if (ax == 0)
        return c_make(x, atan(y));
    if (ax != ax || ay != ay) {
        if (ax == INFINITY)
            return c_make(copysign(0.0, x), NAN);
        if (ay == INFINITY)
            return c_make(copysign(0.0, x), copysign(HALF_PI, y));
        return c_make(NAN, NAN);
    }
    if (ax > 1 / EPSILON || ay > 1 / EPSILON) {
        const double inverse = ax == INFINITY || ay == INFINITY ? 0 : c_divide(c_make(1, 0), z).re;
        return c_make(copysign(inverse, x), copysign(HALF_PI, y));
    }
    if (ax < 0x1p-27 && ay < 0x1p-27)
        return z;

    if (ax == 1 && ay < EPSILON) {
        re = 0.5 * (LN2 - log(ay));
    } else {
        const double distance2 = GARRAY_PRODUCT((ax - 1) * (ax - 1)) + GARRAY_PRODUCT(ay * ay);
        re = 0.25 * log1p(4 * ax / distance2);
    }
    im = 0.5 * atan2(2 * ay, GARRAY_PRODUCT((1 - ax) * (1 + ax)) - GARRAY_PRODUCT(ay * ay));
    return c_make(copysign(re, x), copysign(im, y));
}

/* atan(z) = -i atanh(i z). */
GARRAY_FN garray__c128 c_atan(garray__c128 z)
{
    const garray__c128 w = c_atanh(c_make(z.im, z.re));

    return c_make(w.im, w.re);
}

#undef EPSILON
#undef HALF_PI
#undef HALF_PI_LOW
#undef LN2

#endif
