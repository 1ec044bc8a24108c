/* SPDX-License-Identifier: BSD-3-Clause
 * Diagonals and triangles of matrices, and the indices of their elements. The k-th diagonal has its elements where
 * column - row is k: above the main one for k > 0, below it for k < 0. */
#ifndef GARRAY_DIAGONAL_H
#define GARRAY_DIAGONAL_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- diagonals ---- */

/* The k-th diagonal of the matrices along two axes, which go; its elements come last. A read-only view, as in NumPy.
 * SHAPE for less than two axes, AXIS when they are the same. */
GARRAY_STATUS garray_diagonal(const garray_t *x, int64_t k, int axis1, int axis2, garray_t **out);

/* The sum of that diagonal, in a dtype or by default that of garray_sum(). */
GARRAY_STATUS garray_trace(const garray_t *x, int64_t k, int axis1, int axis2, garray_dtype dtype, garray_t **out);

/* Of a vector: a matrix with it on the k-th diagonal, zeros elsewhere. Of a matrix: its k-th diagonal, a read-only view.
 * SHAPE for others. */
GARRAY_STATUS garray_diag(const garray_t *x, int64_t k, garray_t **out);

/* A matrix with all elements of x, in row-major order, on the k-th diagonal. */
GARRAY_STATUS garray_diagflat(const garray_t *x, int64_t k, garray_t **out);

typedef struct {
    int32_t wrap; /* 1: in matrices with more rows than columns, begin again after each square */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_fill_diagonal_opts;

/* x[i, i, ...] = value, a number, or elements in row-major order that are used over and over. x has at least two axes;
 * more than two are of one length (SHAPE). */
GARRAY_STATUS garray_fill_diagonal(garray_t *x, garray_operand value, const garray_fill_diagonal_opts *opts);

/* ---- triangles ---- */

/* A matrix with ones on and below the k-th diagonal, zeros above it. */
GARRAY_STATUS garray_tri(int64_t rows, int64_t cols, int64_t k, garray_dtype dtype, garray_device device, garray_t **out);

/* x with zeros above, or below, the k-th diagonal of its last two axes. A vector becomes a matrix of that row first, as in
 * NumPy. SHAPE without axes. */
GARRAY_STATUS garray_tril(const garray_t *x, int64_t k, garray_t **out);
GARRAY_STATUS garray_triu(const garray_t *x, int64_t k, garray_t **out);

/* ---- indices ----
 * int64 vectors, one per axis. Lists of results as in join.h. */

/* Of the main diagonal of an array of nout axes, each of length n: nout vectors 0, 1, ... n - 1. */
GARRAY_STATUS garray_diag_indices(int64_t n, garray_device device, int nout, garray_t **outs);

/* The same for an array, which has nout axes, at least two, of one length (SHAPE). */
GARRAY_STATUS garray_diag_indices_from(const garray_t *x, int nout, garray_t **outs);

/* Rows and columns of the elements on and below, or above, the k-th diagonal, in row-major order; either may be NULL.
 * Waits. */
GARRAY_STATUS garray_tril_indices(int64_t rows, int64_t cols, int64_t k, garray_device device, garray_t **row,
                                  garray_t **column);
GARRAY_STATUS garray_triu_indices(int64_t rows, int64_t cols, int64_t k, garray_device device, garray_t **row,
                                  garray_t **column);

/* The same for a matrix (SHAPE). */
GARRAY_STATUS garray_tril_indices_from(const garray_t *x, int64_t k, garray_t **row, garray_t **column);
GARRAY_STATUS garray_triu_indices_from(const garray_t *x, int64_t k, garray_t **row, garray_t **column);

/* Changes a matrix of ones, as garray_triu(ones, k, out) does: what stays other than zero is meant. */
typedef garray_status garray_mask_function(void *ctx, const garray_t *ones, int64_t k, garray_t **out);

/* Rows and columns where the function leaves no zeros in an n by n matrix of ones (int64). A status other than GARRAY_OK
 * that it returns is passed on. Waits. */
GARRAY_STATUS garray_mask_indices(int64_t n, garray_mask_function *mask, void *ctx, int64_t k, garray_device device,
                                  garray_t **row, garray_t **column);

GARRAY_END

#ifndef __cplusplus
#define garray_fill_diagonal(x, value, opts) (garray_fill_diagonal)(x, GARRAY_OPERAND(value), opts)
#endif

#endif
