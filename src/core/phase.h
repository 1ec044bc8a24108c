/* SPDX-License-Identifier: BSD-3-Clause
 * The one rule for signs and phases of vectors, for both backends; in words in garray/decompose.h.
 *
 * Of a vector of length about 1 the largest squared absolute value is found, then the first component near it, x: the
 * vector is divided by x / |x|.  The share is chosen apart from the ratios that structured vectors have. */
#ifndef GARRAY_CORE_PHASE_H
#define GARRAY_CORE_PHASE_H

#include "core/inline.h"

#define GARRAY__PHASE_WEIGHT(re, im) ((re) * (re) + (im) * (im))
/* Float or double; 0.98 squared. */
#define GARRAY__PHASE_NEAR(weight, most) ((double)(weight) >= 0.9604 * (double)(most))

/* conj(x) / |x|, and 1 for a vector without length. */
GARRAY_FN void garray__phase(double re, double im, double *factor_re, double *factor_im)
{
    const double most = fabs(re) > fabs(im) ? fabs(re) : fabs(im);
    *factor_re = 1;
    *factor_im = 0;
    if (!(most > 0))
        return;
    if (im == 0) {
        *factor_re = re < 0 ? -1 : 1;
        return;
    }
    const double x = re / most, y = im / most, length = sqrt(x * x + y * y);
    *factor_re = x / length;
    *factor_im = -y / length;
}

/* Multiplies by a factor.  What comes to lie on the real axis but for rounding is put there; unit: of the numbers' type. */
GARRAY_FN void garray__phase_turn(double *re, double *im, double factor_re, double factor_im, double unit)
{
    const double a = *re * factor_im, b = *im * factor_re, y = a + b;
    *re = *re * factor_re - *im * factor_im;
    *im = fabs(y) <= unit * (fabs(a) + fabs(b)) ? 0 : y;
}

#endif
