/* SPDX-License-Identifier: BSD-3-Clause
 * The product of the pivots of an LU factorization, as one text for both backends: in double, with a power of two apart,
 * so that no product of many factors overflows or vanishes on the way. */
#ifndef GARRAY_CORE_DETERMINANT_H
#define GARRAY_CORE_DETERMINANT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/inline.h"

/* (re + i im) * 2^exponent */
typedef struct garray__scaled {
    double re, im;
    int64_t exponent;
} garray__scaled;

/* Brings the larger part near 1, or leaves it where it is 0 or not finite. */
GARRAY_FN void garray__scaled_settle(garray__scaled *s)
{
    const double size = fmax(fabs(s->re), fabs(s->im));
    if (size > 0x1p300) {
        s->re *= 0x1p-600;
        s->im *= 0x1p-600;
        s->exponent += 600;
    } else if (size < 0x1p-300 && size > 0) {
        s->re *= 0x1p600;
        s->im *= 0x1p600;
        s->exponent -= 600;
    }
}

/* Of settled numbers the product is at least 2^-948 and at most 2^848. */
GARRAY_FN void garray__scaled_multiply(garray__scaled *s, double re, double im, bool is_complex)
{
    garray__scaled x;
    x.re = re;
    x.im = im;
    x.exponent = s->exponent;
    garray__scaled_settle(&x);
    if (is_complex) {
        re = s->re * x.re - s->im * x.im;
        im = s->re * x.im + s->im * x.re;
        x.re = re;
        x.im = im;
    } else {
        x.re *= s->re;
    }
    garray__scaled_settle(&x);
    *s = x;
}

/* The number itself: 0 or infinite where it is out of range. */
GARRAY_FN void garray__scaled_value(const garray__scaled *s, double *re, double *im)
{
    const int64_t e = s->exponent;
    const int exponent = (int)(e > 6000 ? 6000 : e < -6000 ? -6000 : e);
    *re = ldexp(s->re, exponent);
    *im = ldexp(s->im, exponent);
}

/* Its sign, a complex number of absolute value 1 (0 for 0), and the logarithm of its absolute value. */
GARRAY_FN void garray__scaled_log(const garray__scaled *s, double *re, double *im, double *logarithm)
{
    const double size = s->im == 0 ? fabs(s->re) : hypot(s->re, s->im);
    *re = size > 0 && s->im == 0 && size == size ? (s->re > 0 ? 1 : -1) : size > 0 ? s->re / size : size;
    *im = size > 0 && s->im != 0 ? s->im / size : 0;
    *logarithm = size > 0 ? log(size) + (double)s->exponent * 0.693147180559945309417 : size == 0 ? -(double)INFINITY : size;
}

#endif
