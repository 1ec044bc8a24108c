/* SPDX-License-Identifier: BSD-3-Clause
 * Polynomials as vectors of coefficients, that of the highest power first, as numpy.polyval has them. A number is a
 * polynomial without x. */
#ifndef GARRAY_POLYNOMIAL_H
#define GARRAY_POLYNOMIAL_H

#include <garray/operand.h>

GARRAY_BEGIN

/* The values of a polynomial at x, of any shape, in the common dtype by Horner's rule, read and written once; of no
 * coefficients 0. 16-bit floats are computed in float32. SHAPE unless p is a vector. */
GARRAY_STATUS garray_polyval(const garray_t *p, garray_operand x, garray_t **out);

/* Sum, difference and product. The product loses leading zeros of its factors, as in NumPy, for which it waits. */
GARRAY_STATUS garray_polyadd(garray_operand a1, garray_operand a2, garray_t **out);
GARRAY_STATUS garray_polysub(garray_operand a1, garray_operand a2, garray_t **out);
GARRAY_STATUS garray_polymul(garray_operand a1, garray_operand a2, garray_t **out);

/* Quotient and remainder of u / v by long division, float64 for integers. The remainder loses leading coefficients of at
 * most 1e-8, for which it waits. Either result may be NULL. INDEX for an empty polynomial. */
GARRAY_STATUS garray_polydiv(garray_operand u, garray_operand v, garray_t **quotient, garray_t **remainder);

/* The m-th derivative. The powers are int64, so that float32 gives float64, as in NumPy. INVALID for m < 0. */
GARRAY_STATUS garray_polyder(const garray_t *p, int64_t m, garray_t **out);

typedef struct {
    /* the constants, that of the first integration first: a vector of at least m, or one number for all; 0 by default */
    garray_operand k;
    uint64_t reserved[4];
} garray_polyint_opts;

/* The m-th antiderivative, at least float64. INVALID for m < 0, SHAPE for too few constants. */
GARRAY_STATUS garray_polyint(const garray_t *p, int64_t m, const garray_polyint_opts *opts, garray_t **out);

/* The coefficients of the polynomial with the given zeros, or of the characteristic polynomial of a square matrix (for
 * which see garray_linalg_eigvals()), that of the highest power 1: float64 for integers and 16-bit floats. Complex zeros that
 * come in conjugate pairs give a real result, for which it waits. SHAPE for other ranks. */
GARRAY_STATUS garray_poly(const garray_t *zeros, garray_t **out);

/* The zeros of a polynomial as eigenvalues of its companion matrix: real if all zeros of a real one are, else complex, in
 * the order of garray_linalg_eigvals(), those that are 0 last. Waits, to see which coefficients are 0, and what is real. */
GARRAY_STATUS garray_roots(const garray_t *p, garray_t **out);

/* ---- least squares ---- */

typedef struct {
    const garray_t *w;      /* weights: y[i] - p(x[i]) is multiplied by w[i] before it is squared; NULL: 1 */
    garray_operand rcond;   /* a number: singular values below this part of the largest count as 0; len(x) epsilons of x */
    uint64_t reserved[4];
} garray_polyfit_opts;

/* The polynomial of degree deg that fits the points (x, y) best; y may be a matrix, whose columns are fitted one by one.
 * Computed by singular values; the result is float64, complex128 if an operand is complex, as NumPy's. There is no
 * warning where the fit is poorly conditioned: see the rank. */
GARRAY_STATUS garray_polyfit(const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts, garray_t **p);

/* Also, each NULL if not wanted: the sums of squared residuals (none where the rank is not deg + 1 or there are no more
 * points than that, for which it waits), the rank (int64) and the singular values of the scaled matrix of powers. */
GARRAY_STATUS garray_polyfit_full(const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts,
                                  garray_t **p, garray_t **residuals, garray_t **rank, garray_t **singular_values);

/* Also the covariance of the coefficients, a matrix for each column of y (along a third axis); not scaled by the residuals
 * if `unscaled`, else INVALID unless there are more points than coefficients. */
GARRAY_STATUS garray_polyfit_cov(const garray_t *x, const garray_t *y, int64_t deg, bool unscaled,
                                 const garray_polyfit_opts *opts, garray_t **p, garray_t **cov);

GARRAY_END

#ifndef __cplusplus
#define garray_polyval(p, x, out) (garray_polyval)(p, GARRAY_OPERAND(x), out)
#define garray_polyadd(a1, a2, out) (garray_polyadd)(GARRAY_OPERAND(a1), GARRAY_OPERAND(a2), out)
#define garray_polysub(a1, a2, out) (garray_polysub)(GARRAY_OPERAND(a1), GARRAY_OPERAND(a2), out)
#define garray_polymul(a1, a2, out) (garray_polymul)(GARRAY_OPERAND(a1), GARRAY_OPERAND(a2), out)
#define garray_polydiv(u, v, quotient, remainder) \
    (garray_polydiv)(GARRAY_OPERAND(u), GARRAY_OPERAND(v), quotient, remainder)
#endif

#endif
