/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of elements that take options: comparisons with a tolerance, repairs of values, phases, softmax. */
#ifndef GARRAY_NUMERIC_H
#define GARRAY_NUMERIC_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- Comparisons of whole arrays ---- */

typedef struct {
    garray_operand rtol, atol; /* numbers or arrays; 1e-5 and 1e-8 if not given */
    int32_t equal_nan;         /* 1: NaN is close to NaN */
    int32_t reserved32;        /* zero */
    uint64_t reserved[4];
} garray_close_opts;

/* Where |a - b| <= atol + rtol * |b|, as bools; infinities are close to themselves alone. The operands broadcast. The
 * tolerance is computed in the dtype of b (integers: float64), the rest in the common one; 16-bit floats in float32. */
GARRAY_STATUS garray_isclose(garray_operand a, garray_operand b, const garray_close_opts *opts, garray_t **out);

/* Whether all elements are close; true of empty arrays. Waits. */
GARRAY_STATUS garray_allclose(garray_operand a, garray_operand b, const garray_close_opts *opts, bool *result);

/* Whether a and b have the same shape and equal elements, of any dtypes; a number has no axes. equal_nan: NaN equals
 * NaN. Waits. MIXED_DEVICES for arrays of two devices; INVALID for numbers alone. */
GARRAY_STATUS garray_array_equal(garray_operand a, garray_operand b, bool equal_nan, bool *result);

/* Whether a and b broadcast and all pairs of elements are equal. Waits. */
GARRAY_STATUS garray_array_equiv(garray_operand a, garray_operand b, bool *result);

/* ---- Values ---- */

/* The angle of complex numbers, atan2(imag, real): from -pi to pi, or of degrees from -180 to 180. Of real numbers 0 or
 * pi; integers become floats as in exp. */
GARRAY_STATUS garray_angle(const garray_t *z, bool degrees, garray_t **out);

typedef struct {
    garray_operand nan, posinf, neginf; /* numbers; 0 and the largest and lowest number if not given */
    uint64_t reserved[4];
} garray_nan_to_num_opts;

/* A copy of x with numbers for NaN and infinities, in both parts of complex numbers. Integers have none. */
GARRAY_STATUS garray_nan_to_num(const garray_t *x, const garray_nan_to_num_opts *opts, garray_t **out);

typedef struct {
    garray_operand tol; /* a number; 100 if not given. Above 1 it counts epsilons of the dtype */
    uint64_t reserved[4];
} garray_real_if_close_opts;

/* A copy of x, real if all imaginary parts are below the tolerance. The result's dtype depends on the data: waits. */
GARRAY_STATUS garray_real_if_close(const garray_t *x, const garray_real_if_close_opts *opts, garray_t **out);

typedef struct {
    garray_operand discont; /* a number: steps below it stay; half the period if not given */
    garray_operand period;  /* a number; 2 pi if not given */
    uint64_t reserved[4];
} garray_unwrap_opts;

/* Phases along an axis with multiples of the period added, so that no step is larger than half of it. Integers with an
 * integer period stay integers. DTYPE for bools, complex numbers, and unsigned integers with an integer period. */
GARRAY_STATUS garray_unwrap(const garray_t *p, int axis, const garray_unwrap_opts *opts, garray_t **out);

/* ---- Softmax ----
 * Stable: the largest element is subtracted first. Integers are computed in float64; the 16-bit floats in float32 and
 * rounded once. DTYPE for complex numbers. */

typedef struct {
    int32_t keepdims;   /* 1: reduced axes stay, with length 1 */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_logsumexp_opts;

/* log(sum(exp(x))) over axes; -inf of nothing. */
GARRAY_STATUS garray_logsumexp(const garray_t *x, garray_axes axes, const garray_logsumexp_opts *opts,
                               garray_t **out);

/* exp(x) / sum(exp(x)) over axes. */
GARRAY_STATUS garray_softmax(const garray_t *x, garray_axes axes, garray_t **out);

/* ---- Packed bits ---- */

typedef struct {
    garray_operand count; /* unpackbits: an integer, how many bits are wanted; below 0: all but so many */
    int32_t little;       /* 1: the first element is the lowest bit of its byte, not the highest */
    int32_t reserved32;   /* zero */
    uint64_t reserved[4];
} garray_bits_opts;

/* Eight elements in one uint8, 1 for those that are not 0, along one axis, or of the flattened array for
 * GARRAY_ALL_AXES; the last byte is filled up with zeros. DTYPE unless x is bool or integers. */
GARRAY_STATUS garray_packbits(const garray_t *x, garray_axes axis, const garray_bits_opts *opts, garray_t **out);

/* The reverse: eight uint8 elements, 0 or 1, of each byte; zeros where more bits are wanted than there are. DTYPE unless
 * x is uint8. */
GARRAY_STATUS garray_unpackbits(const garray_t *x, garray_axes axis, const garray_bits_opts *opts, garray_t **out);

GARRAY_END

#ifndef __cplusplus

#define garray_isclose(a, b, opts, out) (garray_isclose)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), opts, out)
#define garray_allclose(a, b, opts, result) (garray_allclose)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), opts, result)
#define garray_array_equal(a, b, equal_nan, result) \
    (garray_array_equal)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), equal_nan, result)
#define garray_array_equiv(a, b, result) (garray_array_equiv)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), result)

#endif

#endif
