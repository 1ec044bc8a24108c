/* SPDX-License-Identifier: BSD-3-Clause
 * Products over axes: dot, tensordot, einsum and their kin. matmul and vecdot are in linalg.h.
 *
 * The dtypes promote. 16-bit floats accumulate in float32, integers wrap, bools are joined by or. Transposed and
 * sliced operands go to BLAS without copies where their strides allow it. INVALID for two numbers without an array
 * and for arrays on two devices. */
#ifndef GARRAY_PRODUCT_H
#define GARRAY_PRODUCT_H

#include <garray/operand.h>

GARRAY_BEGIN

/* The sum over the last axis of a and the last but one of b (its only one, for a vector); the result has the other
 * axes of a, then those of b. With a number or an array without axes, the elementwise product. SHAPE for lengths that
 * differ. */
GARRAY_STATUS garray_dot(garray_operand a, garray_operand b, garray_t **out);

/* The same over the last axis of both. */
GARRAY_STATUS garray_inner(garray_operand a, garray_operand b, garray_t **out);

/* The sum of conj(a) * b over all elements, both flattened: an array without axes. */
GARRAY_STATUS garray_vdot(garray_operand a, garray_operand b, garray_t **out);

/* a[:, None] * b[None, :], both flattened. */
GARRAY_STATUS garray_outer(garray_operand a, garray_operand b, garray_t **out);

/* Stacks of matrices (..., m, n) times stacks of vectors (..., n): (..., m). */
GARRAY_STATUS garray_matvec(garray_operand a, garray_operand x, garray_t **out);

/* Stacks of vectors (..., m), conjugated, times stacks of matrices (..., m, n): (..., n). */
GARRAY_STATUS garray_vecmat(garray_operand x, garray_operand a, garray_t **out);

/* The sum over pairs of axes, the i-th of axes_a with the i-th of axes_b; the result has the other axes of a, then those
 * of b. AXIS for one out of range or named twice, SHAPE for lengths or numbers of axes that differ. */
GARRAY_STATUS garray_tensordot(garray_operand a, garray_operand b, garray_axes axes_a, garray_axes axes_b, garray_t **out);

/* The sum over the last n axes of a and the first n of b, in order: NumPy's tensordot with a number; 0 is the outer
 * product. AXIS where an array has fewer. */
GARRAY_STATUS garray_tensordot_n(garray_operand a, garray_operand b, int n, garray_t **out);

/* The Kronecker product: blocks a[i, ...] * b; the shape with fewer axes gets axes of length 1 in front. */
GARRAY_STATUS garray_kron(garray_operand a, garray_operand b, garray_t **out);

/* The vector product along an axis of length 3; the other axes broadcast. SHAPE for another length. */
GARRAY_STATUS garray_cross(garray_operand a, garray_operand b, int axis, garray_t **out);

/* The product of a chain of two or more matrices, in the order of fewest multiplications; the first and the last may be
 * vectors. */
GARRAY_STATUS garray_linalg_multi_dot(garray_list arrays, garray_t **out);

/* The n-th power of square matrices by repeated squaring; 0 is the identity, negative powers are those of the inverse
 * (SINGULAR, found late on a GPU). */
GARRAY_STATUS garray_linalg_matrix_power(const garray_t *x, int64_t n, garray_t **out);

/* Einstein's summation: "ij,jk->ik". Letters name axes; those that are not behind the arrow are summed over; a letter
 * twice in one operand is its diagonal; "..." are axes that broadcast, and stand in the result too; without an arrow the
 * result has the letters that occur once, in alphabetical order. The operands are joined two at a time, cheapest first, by
 * matmul. INVALID for a malformed text, SHAPE for lengths that differ (1 broadcasts). */
GARRAY_STATUS garray_einsum(const char *subscripts, garray_list operands, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_dot(a, b, out) (garray_dot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_inner(a, b, out) (garray_inner)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_vdot(a, b, out) (garray_vdot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_outer(a, b, out) (garray_outer)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_matvec(a, x, out) (garray_matvec)(GARRAY_OPERAND(a), GARRAY_OPERAND(x), out)
#define garray_vecmat(x, a, out) (garray_vecmat)(GARRAY_OPERAND(x), GARRAY_OPERAND(a), out)
#define garray_tensordot(a, b, axes_a, axes_b, out) \
    (garray_tensordot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), axes_a, axes_b, out)
#define garray_tensordot_n(a, b, n, out) (garray_tensordot_n)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), n, out)
#define garray_kron(a, b, out) (garray_kron)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_cross(a, b, axis, out) (garray_cross)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), axis, out)
#endif

#endif
