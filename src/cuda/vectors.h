/* SPDX-License-Identifier: BSD-3-Clause
 * Between the files of SVD, QR and eigenvalues: their kernels, in vectors.cu, svd_small.cu, svd_stack.cu, qr_stack.cu and
 * eigh_small.cu.  dtype: float32, float64, complex64 or complex128.  factors are two doubles for each vector, what phase.h
 * multiplies it by. */
#ifndef GARRAY_CUDA_VECTORS_H
#define GARRAY_CUDA_VECTORS_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of matrices of `size` items: bad[item] = 1 where one is not finite, most[item] the largest absolute value of a part (or
 * NULL).  Both are zeroed before. */
garray_status garray__cuda_find_range(const garray__queue *q, int dtype, const void *a, int64_t size, int64_t batch, int *bad,
                                      double *most);

/* One matrix, rows x columns: a copy, transposed or not, and with ones on the diagonal of zeros where *bad (NULL: nowhere).
 * A matrix whose largest value *most (or NULL) is tiny or huge is scaled by a power of two. */
garray_status garray__cuda_vectors_copy(const garray__queue *q, int dtype, const void *a, void *out, int64_t rows,
                                        int64_t columns, bool transposed, const int *bad, const double *most);

/* Takes the scale off `count` real values of a matrix. */
garray_status garray__cuda_unscale(const garray__queue *q, int dtype, void *values, int64_t count, const double *most);

/* Factors of `count` vectors of n items: vector v begins at v * vector_step, its items are item_step apart.  conjugated:
 * of the conjugate vectors.  NaN where *bad (NULL: nowhere). */
garray_status garray__cuda_find_phases(const garray__queue *q, int dtype, const void *vectors, double *factors, int64_t n,
                                       int64_t count, int64_t vector_step, int64_t item_step, bool conjugated,
                                       const int *bad);

/* out = in, rows x columns of in: conjugated or not, then each row times its factor or the conjugate one, then transposed or
 * not (not: out may be in).  out_step: from row to row of out.  factors NULL: not turned. */
typedef struct garray__turn {
    const void *in;
    void *out;
    int64_t rows, columns, out_step;
    const double *factors;
    int32_t conjugated, transposed, conjugate_factors, reserved;
} garray__turn;
garray_status garray__cuda_turn(const garray__queue *q, int dtype, const garray__turn *t);

/* What an SVD leaves, as sums of squares in answer[0..2] on the device: of a - u diag(s) vh (m x n, a as vectors_copy()
 * scales it), of u^H u - 1 and of vh vh^H - 1 (k x k); answer[3] counts values out of order or below 0, answer[4] is the
 * largest value. u_s: room for m x k.  product: room for m x n and for k x k.  u has columns_u columns. */
garray_status garray__cuda_check_svd(const garray__queue *q, int dtype, const void *a, const void *u, int64_t columns_u,
                                     const void *s, const void *vh, int64_t m, int64_t n, void *u_s, void *product,
                                     double *partial, double *answer, const double *most);

/* R of a QR factorization (m x n, column by column; r: rows x n) with its diagonal turned; factors for the columns of Q. */
garray_status garray__cuda_take_r(const garray__queue *q, int dtype, const void *h, void *r, double *factors, int64_t m,
                                  int64_t n, int64_t rows);

/* Eigenvalues as geev leaves them (of a real matrix: n real parts, then n imaginary ones) in ascending order to w, and the
 * place of each in rank; NaN where *bad, which sets *info. */
garray_status garray__cuda_order_values(const garray__queue *q, int dtype, const void *values, void *w, int *rank, int64_t n,
                                        const int *bad, int *info);
/* Its vectors, one after the other (of a real matrix pairs as real and imaginary part), to complex ones in that order. */
garray_status garray__cuda_order_vectors(const garray__queue *q, int dtype, const void *values, const void *vectors, void *out,
                                         const int *rank, int64_t n);

/* svd_small.cu: matrices up to 32 x 32, whole; u and vh NULL: values alone.  full as in the plan. */
enum { GARRAY_CUDA_SVD_SMALL = 32 };
garray_status garray__cuda_small_svd(const garray__queue *q, int dtype, const void *a, void *u, void *s, void *vh, int64_t m,
                                     int64_t n, int64_t batch, bool full, int *info);

/* svd_stack.cu: matrices x of columns that lie one after the other (destroyed), at least as many rows as columns; w: room for
 * columns x columns each.  l: `wanted` left vectors of x, a row each; r: the conjugates of its right vectors.  w, l and r
 * NULL: values alone.  by_left: the left vectors are turned by the rule of phase.h, else the right ones, and those of l that
 * have no value above 0. */
enum { GARRAY_CUDA_SVD_STACK_ROWS = 512, GARRAY_CUDA_SVD_STACK_COLUMNS = 256 };
garray_status garray__cuda_svd_stack(const garray__queue *q, int dtype, void *x, void *w, void *l, void *r, void *s, int64_t rows,
                                     int64_t columns, int64_t wanted, int64_t batch, bool by_left, int *info);

/* qr_stack.cu: QR of stacks of matrices up to GARRAY_CUDA_QR_STACK each way, if it is faster than one after the other; item:
 * bytes of one.  The plan's matrices are factored in place. */
enum { GARRAY_CUDA_QR_STACK = 1024 };
bool garray__cuda_qr_stack_pays(const garray_solve_plan *plan);
garray_status garray__cuda_qr_stack(const garray__queue *q, const garray_solve_plan *plan, size_t item);

/* eigh_small.cu: Hermitian matrices up to 32 x 32, whole; v: where the vectors go (may be a), or NULL. */
enum { GARRAY_CUDA_EIGH_SMALL = 32 };
garray_status garray__cuda_small_eigh(const garray__queue *q, int dtype, const void *a, void *v, void *w, int64_t n,
                                      int64_t batch, bool upper, int *info);

#ifdef __cplusplus
}
#endif
#endif
