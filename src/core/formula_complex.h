/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas of the complex dtypes: arithmetic, comparisons and rounding here, functions in complex_*.h.
 *
 * Sums, products and comparisons work in the dtype's own parts, as NumPy's do: no recovery of infinities in a
 * product, lexicographic order, NaN if either part is.  Everything else is one text on complex128 with names
 * c_<name>; complex64 converts, and rounds once. */
#ifndef GARRAY__FORMULA_COMPLEX_H
#define GARRAY__FORMULA_COMPLEX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kinds.h"
#include "complex_arith.h"
#include "complex_exp.h"
#include "complex_pow.h"
#include "complex_trig.h"
#include "complex_inverse.h"
#include "complex_special.h"

GARRAY_FN ct f_make(rt re, rt im)
{
    ct z;

    z.re = re;
    z.im = im;
    return z;
}

#if GARRAY_WIDTH == 64
GARRAY_FN garray__c128 f_widen(ct a) { return a; }
GARRAY_FN ct f_narrow(garray__c128 a) { return a; }
#else
GARRAY_FN garray__c128 f_widen(ct a) { return c_make(a.re, a.im); }
GARRAY_FN ct f_narrow(garray__c128 a) { return f_make((float)a.re, (float)a.im); }
#endif

GARRAY_FN rt f_real(ct a) { return a.re; }
GARRAY_FN rt f_imag(ct a) { return a.im; }
GARRAY_FN ct f_conj(ct a) { return f_make(a.re, -a.im); }
GARRAY_FN ct f_negative(ct a) { return f_make(-a.re, -a.im); }

GARRAY_FN ct f_add(ct a, ct b) { return f_make(a.re + b.re, a.im + b.im); }
GARRAY_FN ct f_subtract(ct a, ct b) { return f_make(a.re - b.re, a.im - b.im); }

GARRAY_FN ct f_multiply(ct a, ct b)
{
    return f_make(GARRAY_PRODUCT(a.re * b.re) - GARRAY_PRODUCT(a.im * b.im),
                  GARRAY_PRODUCT(a.re * b.im) + GARRAY_PRODUCT(a.im * b.re));
}

GARRAY_FN int f_isnan(ct a) { return (a.re != a.re) | (a.im != a.im); }
GARRAY_FN int f_isreal(ct a) { return a.im == 0; }
GARRAY_FN int f_iscomplex(ct a) { return a.im != 0; }

#if GARRAY_WIDTH == 64

GARRAY_FN int f_isfinite(ct a) { return (fabs(a.re) < INFINITY) & (fabs(a.im) < INFINITY); }
GARRAY_FN int f_isinf(ct a) { return (fabs(a.re) == INFINITY) | (fabs(a.im) == INFINITY); }
GARRAY_FN ct f_round(ct a) { return f_make(rint(a.re), rint(a.im)); }
GARRAY_FN rt f_abs(ct a) { return c_modulus(a.re, a.im); }
GARRAY_FN ct f_divide(ct a, ct b) { return c_divide(a, b); }
GARRAY_FN ct f_pow(ct a, ct b) { return c_pow(a, b, 1); }

#else

GARRAY_FN int f_isfinite(ct a) { return (fabsf(a.re) < INFINITY) & (fabsf(a.im) < INFINITY); }
GARRAY_FN int f_isinf(ct a) { return (fabsf(a.re) == INFINITY) | (fabsf(a.im) == INFINITY); }
GARRAY_FN ct f_round(ct a) { return f_make(rintf(a.re), rintf(a.im)); }

/* Squares of floats neither overflow nor vanish in double, and are exact. */
GARRAY_FN rt f_abs(ct a)
{
    const double re = a.re, im = a.im;
    const float modulus = (float)sqrt(GARRAY_PRODUCT(re * re) + GARRAY_PRODUCT(im * im));

    return f_isinf(a) ? (float)INFINITY : modulus;
}

GARRAY_FN ct f_divide(ct a, ct b) { return f_narrow(c_divide_smith(f_widen(a), f_widen(b))); }
GARRAY_FN ct f_pow(ct a, ct b) { return f_narrow(c_pow(f_widen(a), f_widen(b), 0)); }

#endif

GARRAY_FN int f_truth(ct a) { return (a.re != 0) | (a.im != 0); }
GARRAY_FN int f_equal(ct a, ct b) { return (a.re == b.re) & (a.im == b.im); }

/* By real part, then by imaginary part; false if a NaN takes part in the decision or stands beside it. */
GARRAY_FN int f_less(ct a, ct b)
{
    const int imaginary_numbers = (a.im == a.im) & (b.im == b.im);

    return ((a.re < b.re) & imaginary_numbers) | ((a.re == b.re) & (a.im < b.im));
}

GARRAY_FN int f_less_equal(ct a, ct b)
{
    const int imaginary_numbers = (a.im == a.im) & (b.im == b.im);

    return ((a.re < b.re) & imaginary_numbers) | ((a.re == b.re) & (a.im <= b.im));
}

/* The first NaN wins, and the first of two equal values. */
GARRAY_FN ct f_maximum(ct a, ct b)
{
    const int first = f_isnan(a) | f_less_equal(b, a);

    return f_make(first ? a.re : b.re, first ? a.im : b.im);
}

GARRAY_FN ct f_minimum(ct a, ct b)
{
    const int first = f_isnan(a) | f_less_equal(a, b);

    return f_make(first ? a.re : b.re, first ? a.im : b.im);
}

/* Of a number and NaN the number. */
GARRAY_FN ct f_fmax(ct a, ct b)
{
    const int first = f_isnan(b) | f_less_equal(b, a);

    return f_make(first ? a.re : b.re, first ? a.im : b.im);
}

GARRAY_FN ct f_fmin(ct a, ct b)
{
    const int first = f_isnan(b) | f_less_equal(a, b);

    return f_make(first ? a.re : b.re, first ? a.im : b.im);
}

/* isclose, as in formula_special.h; b and c are real. */
GARRAY_FN rt f_tolerance(ct a, ct b, ct c) { return c.re + GARRAY_PRODUCT(b.re * f_abs(a)); }
GARRAY_FN int f_close(ct a, ct b, ct c)
{
    return ((f_abs(f_subtract(a, b)) <= c.re) & f_isfinite(b)) | f_equal(a, b);
}

#define ONE_ARGUMENT(name) GARRAY_FN ct f_##name(ct a) { return f_narrow(c_##name(f_widen(a))); }
ONE_ARGUMENT(sign)
ONE_ARGUMENT(reciprocal)
ONE_ARGUMENT(sqrt)
ONE_ARGUMENT(exp)
ONE_ARGUMENT(exp2)
ONE_ARGUMENT(expm1)
ONE_ARGUMENT(log)
ONE_ARGUMENT(log1p)
ONE_ARGUMENT(log2)
ONE_ARGUMENT(log10)
ONE_ARGUMENT(sin)
ONE_ARGUMENT(cos)
ONE_ARGUMENT(tan)
ONE_ARGUMENT(sinh)
ONE_ARGUMENT(cosh)
ONE_ARGUMENT(tanh)
ONE_ARGUMENT(asin)
ONE_ARGUMENT(acos)
ONE_ARGUMENT(atan)
ONE_ARGUMENT(asinh)
ONE_ARGUMENT(acosh)
ONE_ARGUMENT(atanh)
ONE_ARGUMENT(sinc)
#undef ONE_ARGUMENT

#endif
