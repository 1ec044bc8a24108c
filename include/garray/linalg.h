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

typedef struct {
    garray_operand alpha; /* a number that a @ b is multiplied by; 1 by default */
    garray_operand beta;  /* a number that c is multiplied by; 1 by default, and 0 does not read c */
    int32_t tf32;         /* 1: on a GPU products of float32 and complex64 may round their factors to TF32 (10 bits) */
    int32_t fast_half;    /* 1: on a GPU sums of 16-bit floats may be kept in 16 bits */
    uint64_t reserved[4];
} garray_gemm_opts;

/* alpha * a @ b + beta * c, with a and b as for matmul; c broadcasts to their product, GARRAY_NONE: nothing is added. The
 * dtypes of all three promote. garray_into(c) adds to c where it is. Without the options tf32 and fast_half no precision is
 * given up. alpha and beta are DTYPE errors for integers. */
GARRAY_STATUS garray_gemm(garray_operand a, garray_operand b, garray_operand c, const garray_gemm_opts *opts,
                          garray_t **out);

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

/* ---- inverses and determinants ---- */

/* The inverse. SINGULAR for a matrix without one. */
GARRAY_STATUS garray_linalg_inv(const garray_t *x, garray_t **out);

/* The determinant, the product of the pivots of an LU factorization, 0 of a singular matrix and 1 of one without elements.
 * It neither overflows nor vanishes on the way. */
GARRAY_STATUS garray_linalg_det(const garray_t *x, garray_t **out);

/* Its sign (of a complex one, its phase; 0 for 0) and the natural logarithm of its absolute value (-inf for 0); sign or
 * logabsdet may be NULL. */
GARRAY_STATUS garray_linalg_slogdet(const garray_t *x, garray_t **sign, garray_t **logabsdet);

/* ---- LU factors and triangular systems ----
 * As SciPy has them, for stacks of matrices. Right-hand sides: as for garray_linalg_solve. */

typedef struct {
    int32_t p_indices; /* 1: p holds row numbers (..., m), with x == l[p, :] @ u */
    int32_t permute_l; /* 1: l is p @ l already, with x == l @ u; p must be NULL */
    uint64_t reserved[4];
} garray_lu_opts;

/* x = p @ l @ u for x (..., m, n): p a real permutation matrix, l (..., m, k) lower triangular with ones on its diagonal, u
 * (..., k, n) upper triangular, k = min(m, n). Partial pivoting; a singular matrix is no error. Any of them may be NULL. */
GARRAY_STATUS garray_linalg_lu(const garray_t *x, const garray_lu_opts *opts, garray_t **p, garray_t **l, garray_t **u);

/* The same in one matrix lu (..., m, n), the ones of l left out, and int64 pivots (..., k): row i was exchanged with row
 * pivots[i]. */
GARRAY_STATUS garray_linalg_lu_factor(const garray_t *x, garray_t **lu, garray_t **pivots);

typedef struct {
    int32_t trans;      /* 0: x s = b; 1: transpose(x) s = b; 2: conj(transpose(x)) s = b */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_lu_solve_opts;

/* The solution s by what lu_factor gave for x; not finite where x was singular. INDEX for pivots out of range. */
GARRAY_STATUS garray_linalg_lu_solve(const garray_t *lu, const garray_t *pivots, garray_operand b,
                                     const garray_lu_solve_opts *opts, garray_t **out);

typedef struct {
    int32_t upper;         /* 1: a is upper triangular, not lower */
    int32_t trans;         /* 0, 1 or 2, as for lu_solve */
    int32_t unit_diagonal; /* 1: ones are on the diagonal, whatever it holds */
    int32_t reserved32;    /* zero */
    uint64_t reserved[4];
} garray_triangular_opts;

/* The solution of op(a) x = b for a triangular a, whose other triangle is not read. SINGULAR where its diagonal has a 0. */
GARRAY_STATUS garray_linalg_solve_triangular(garray_operand a, garray_operand b, const garray_triangular_opts *opts,
                                             garray_t **out);

/* The solution of x s = b by the factor that garray_linalg_cholesky gave for x, with the same options. */
GARRAY_STATUS garray_linalg_cho_solve(const garray_t *factor, garray_operand b, const garray_cholesky_opts *opts,
                                      garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_matmul(a, b, out) (garray_matmul)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_gemm(a, b, c, opts, out) \
    (garray_gemm)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), GARRAY_OPERAND(c), opts, out)
#define garray_vecdot(a, b, axis, out) (garray_vecdot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), axis, out)
#define garray_linalg_solve(a, b, out) (garray_linalg_solve)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_linalg_lu_solve(lu, pivots, b, opts, out) \
    (garray_linalg_lu_solve)(lu, pivots, GARRAY_OPERAND(b), opts, out)
#define garray_linalg_solve_triangular(a, b, opts, out) \
    (garray_linalg_solve_triangular)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), opts, out)
#define garray_linalg_cho_solve(factor, b, opts, out) (garray_linalg_cho_solve)(factor, GARRAY_OPERAND(b), opts, out)
#endif

#endif
