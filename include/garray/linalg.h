/* SPDX-License-Identifier: BSD-3-Clause
 * Products and the linalg namespace.
 *
 * Leading axes are stacks of matrices and broadcast. GARRAY_MT(x) and GARRAY_MH(x) are transposed operands
 * without a copy. Solvers and factorizations compute in float32, float64, complex64 or complex128; integers become
 * float64, 16-bit floats are a DTYPE error. On a GPU, SINGULAR and NOCONVERGE are found late. */
#ifndef GARRAY_LINALG_H
#define GARRAY_LINALG_H

#include <garray/operand.h>

GARRAY_BEGIN

/* a @ b: the matrix product; a one-dimensional operand is a row on the left, a column on the right, and
 * loses that axis in the result. 16-bit floats accumulate in float32. SHAPE for an array without axes
 * and for lengths that do not fit, INVALID for a number. */
GARRAY_STATUS garray_matmul(garray_operand a, garray_operand b, garray_t **out);

/* The sum of conj(a) * b along an axis (negative, counted from the end, as the standard says); the other axes
 * broadcast. */
GARRAY_STATUS garray_vecdot(garray_operand a, garray_operand b, int axis, garray_t **out);

/* The solution of a x = b. b is a vector only if it has one axis, as in NumPy 2; otherwise a stack of
 * matrices. */
GARRAY_STATUS garray_linalg_solve(garray_operand a, garray_operand b, garray_t **out);

typedef struct {
    int32_t upper;      /* 1: the factor is upper triangular */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_cholesky_opts;

/* The triangular factor L with x = L L^H of a Hermitian positive definite matrix, of which only that
 * triangle is read; the other one of the result is 0. SINGULAR when x is not positive definite. */
GARRAY_STATUS garray_linalg_cholesky(const garray_t *x, const garray_cholesky_opts *opts, garray_t **out);

typedef struct {
    int32_t upper;      /* 1: read the upper triangle instead of the lower */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_eigh_opts;

/* Eigenvalues w in ascending order, and eigenvectors as columns of v, of a Hermitian matrix. w or v may be
 * NULL. Signs and phases of eigenvectors follow the rule in decompose.h. */
GARRAY_STATUS garray_linalg_eigh(const garray_t *x, const garray_eigh_opts *opts, garray_t **w, garray_t **v);

/* Eigenvalues alone, which takes less time. */
GARRAY_STATUS garray_linalg_eigvalsh(const garray_t *x, const garray_eigh_opts *opts, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_matmul(a, b, out) (garray_matmul)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_vecdot(a, b, axis, out) (garray_vecdot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), axis, out)
#define garray_linalg_solve(a, b, out) (garray_linalg_solve)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#endif

#endif
