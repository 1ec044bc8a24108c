/* SPDX-License-Identifier: BSD-3-Clause
 * Norms, and what singular values tell of a matrix, part of the linalg namespace: condition, rank, pseudoinverse, least
 * squares; systems of tensors.
 *
 * Leading axes are stacks of matrices. Integers become float64. Norms take 16-bit floats too and are computed in float32
 * for them; what needs a factorization refuses them (DTYPE). What rests on singular values may be NOCONVERGE, on a GPU
 * found late. */
#ifndef GARRAY_NORM_H
#define GARRAY_NORM_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef enum { /* norms that no number names */
    GARRAY_NORM_FROBENIUS = 1, /* 'fro': the root of the sum of squares of all elements */
    GARRAY_NORM_NUCLEAR = 2,   /* 'nuc': the sum of singular values */
    GARRAY_NORM_MAX_ENUM = 0x7fffffff
} garray_norm_kind;

typedef struct {
    garray_operand ord;    /* a number, also INFINITY or -INFINITY; GARRAY_NONE: the default of the function */
    garray_norm_kind kind; /* of a matrix, instead of ord; 0: none */
    int32_t keepdims;      /* 1: the axes stay, with length 1 */
    uint64_t reserved[4];
} garray_norm_opts;

/* The norm over some axes, as of one vector: the sum of |x|^ord to the power 1/ord; 2 by default; INFINITY and -INFINITY
 * are the largest and the smallest |x|, 0 counts what is not 0. The result is real. Of no elements it is 0, but SHAPE
 * for -INFINITY. INVALID for a kind. */
GARRAY_STATUS garray_linalg_vector_norm(const garray_t *x, garray_axes axes, const garray_norm_opts *opts,
                                        garray_t **out);

/* Of matrices in the last two axes: Frobenius' by default, or the nuclear one; ord 1 and -1 are the largest and the
 * smallest sum of |x| down a column, INFINITY and -INFINITY those along a row, 2 and -2 the largest and the smallest
 * singular value. INVALID for another ord. */
GARRAY_STATUS garray_linalg_matrix_norm(const garray_t *x, const garray_norm_opts *opts, garray_t **out);

/* NumPy's norm: over one axis as vector_norm, over two as matrix_norm. GARRAY_ALL_AXES are those of x, or, without an ord
 * or a kind, any number of them as one vector. INVALID for another number of axes. */
GARRAY_STATUS garray_linalg_norm(const garray_t *x, garray_axes axes, const garray_norm_opts *opts, garray_t **out);

/* How the solution of a linear system follows its input: the norm of x times that of its inverse, by default and for 2 the
 * largest singular value over the smallest (-2: the other way round), which x need not be square for. Infinite for a
 * singular matrix, NaN only where x has one. SHAPE for matrices without elements. keepdims must be 0. */
GARRAY_STATUS garray_linalg_cond(const garray_t *x, const garray_norm_opts *opts, garray_t **out);

typedef struct {
    garray_operand tol;  /* number or array, one a matrix: singular values above it count */
    garray_operand rtol; /* the same, times the largest singular value; max(m, n) * eps by default */
    int32_t hermitian;   /* 1: x is, and its eigenvalues are used */
    int32_t reserved32;  /* zero */
    uint64_t reserved[4];
} garray_rank_opts;

/* How many singular values are not negligible, as int64; of a vector or a number, whether it has an element other than 0.
 * INVALID if both tol and rtol are given. */
GARRAY_STATUS garray_linalg_matrix_rank(const garray_t *x, const garray_rank_opts *opts, garray_t **out);

/* The pseudoinverse of Moore and Penrose, by singular values: those up to rtol times the largest count as 0. tol must not
 * be given (INVALID). The default of rtol is the standard's; NumPy's is 1e-15. */
GARRAY_STATUS garray_linalg_pinv(const garray_t *x, const garray_rank_opts *opts, garray_t **out);

typedef struct {
    garray_operand rcond; /* a number: singular values up to it times the largest count as 0; max(m, n) * eps by default */
    uint64_t reserved[4];
} garray_lstsq_opts;

/* The solution of a x = b that is best in the sense of least squares, and smallest among those; b is a vector if it has
 * one axis. residuals: for each column the sum of squares of a x - b; as in NumPy there are none, (..., 0), where m <= n,
 * and, for a single matrix, where its rank is below n (which the call waits for, if residuals are wanted); in a stack,
 * whose axes broadcast, they are NaN there. rank: int64; s: the singular values of a. Any of them may be NULL. */
GARRAY_STATUS garray_linalg_lstsq(garray_operand a, garray_operand b, const garray_lstsq_opts *opts, garray_t **x,
                                  garray_t **residuals, garray_t **rank, garray_t **s);

/* The inverse for tensordot_n(a, ., ind): x as the matrix of its first ind axes and the others, inverted. INVALID if ind is
 * not above 0, SHAPE if that matrix is not square. */
GARRAY_STATUS garray_linalg_tensorinv(const garray_t *x, int ind, garray_t **out);

/* The solution x of tensordot_n(a, x, ndim of x) = b, after the given axes of a have moved to its end; GARRAY_ALL_AXES:
 * none are moved. */
GARRAY_STATUS garray_linalg_tensorsolve(const garray_t *a, const garray_t *b, garray_axes axes, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_linalg_lstsq(a, b, opts, x, residuals, rank, s) \
    (garray_linalg_lstsq)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), opts, x, residuals, rank, s)
#endif

#endif
