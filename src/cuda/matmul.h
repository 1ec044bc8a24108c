/* SPDX-License-Identifier: BSD-3-Clause
 * Between matmul.c and its own kernels: integer and bool products, inner products of single rows, conjugated copies
 * (matmul.cu), and products of a matrix and a vector (matvec.cu). */
#ifndef GARRAY_CUDA_MATMUL_H
#define GARRAY_CUDA_MATMUL_H

#include "cuda/axis.h"
#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Strides in items. */
typedef struct garray__product_args {
    const void *a, *b;
    void *c;
    int64_t m, n, k, batch;
    int64_t a_row, a_col, b_row, b_col, c_row;
    int32_t nbatch, conj_a, conj_b, boolean;
    int32_t along, lanes;               /* a matrix and a vector */
    double alpha[2], beta[2];
    int64_t segments, segment;          /* parts of k, and what they leave */
    void *partial;
    const garray__axis *far_axes;       /* strides: a, b, c in items */
    garray__axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__product_args;

garray_status garray__cuda_integer_product(const garray__queue *q, int dtype, const garray__product_args *args);

/* m = n = 1; partial (when segments > 1) has batch * segments states of 32 bytes. */
garray_status garray__cuda_inner_product(const garray__queue *q, int dtype, const garray__product_args *args);

/* dtype: a real float.  a times the vector b, whose items are b_row apart: m results, c_row apart, of k products each.  along: a
 * has m rows of k items (of step 1), `lanes` (4, 32, 128 or 256) threads for a segment of one; else k rows of m items (of step 1),
 * `lanes` (4 or 32) vectors of columns and a segment of the rows for a block.  partial (when segments > 1) has batch * segments *
 * m sums of up to 8 bytes. */
garray_status garray__cuda_matvec(const garray__queue *q, int dtype, const garray__product_args *args);

/* c, C-contiguous rows of n, = conj(a): m x n per batch item. */
garray_status garray__cuda_conj_copy(const garray__queue *q, int dtype, const garray__product_args *args);

#ifdef __cplusplus
}
#endif
#endif
