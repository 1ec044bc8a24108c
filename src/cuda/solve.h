/* SPDX-License-Identifier: BSD-3-Clause
 * Between solve.c and the small kernels around LAPACK calls (solve.cu).  dtype: float32, float64, complex64 or
 * complex128; matrices are n x n, one after the other. */
#ifndef GARRAY_CUDA_SOLVE_H
#define GARRAY_CUDA_SOLVE_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* pointers[i] = base + i * stride bytes. */
garray_status garray__cuda_make_pointers(const garray__queue *q, void **pointers, void *base, int64_t stride, int64_t batch);

/* Reports the first item whose info is not 0. */
garray_status garray__cuda_report_info(const garray__queue *q, const int *info, int64_t batch, garray__late_kind kind);

/* Cholesky works on the upper triangles of row-major matrices, which is cuSOLVER's faster side.  mirror() fills them from
 * the lower ones.  finish_cholesky(): the factor is there; unless upper, it goes to the lower triangle; the other one
 * becomes 0, and info is set where a pivot is not above 0 or not finite. */
garray_status garray__cuda_mirror(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch);
garray_status garray__cuda_finish_cholesky(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch, bool upper,
                                           int *info);

/* out (columns x rows) = in (rows x columns) transposed, per item. */
garray_status garray__cuda_transpose(const garray__queue *q, int dtype, const void *in, void *out, int64_t rows,
                                     int64_t columns, int64_t batch);

/* Copies matrices; one whose read triangle has an infinity or a NaN is replaced by the identity, and bad set for it. */
garray_status garray__cuda_begin_eigh(const garray__queue *q, int dtype, const void *a, void *copy, int64_t n, int64_t batch,
                                      bool upper, int *bad);

/* vectors: of the conjugate matrices, one after the other, or NULL; to columns of a, turned by the rule of phase.h.
 * factors: batch * n items of scratch.  Bad items become NaN. */
garray_status garray__cuda_finish_eigh(const garray__queue *q, int dtype, const void *vectors, void *a, void *w, void *factors,
                                       int64_t n, int64_t batch, const int *bad, int *info);

/* solve_small.cu: matrices up to GARRAY_CUDA_SOLVE_SMALL.  Cholesky and linear systems whole, info set for every item; b
 * (n x nrhs, row-major) becomes the solution, its columns one after the other, so up to GARRAY_CUDA_SOLVE_COLUMNS.  eigh's
 * steps as above, bad set for every item. */
enum { GARRAY_CUDA_SOLVE_SMALL = 32, GARRAY_CUDA_SOLVE_COLUMNS = 64 };
garray_status garray__cuda_small_cholesky(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch, bool upper,
                                          int *info);
garray_status garray__cuda_small_solve(const garray__queue *q, int dtype, const void *a, void *b, int64_t n, int64_t nrhs,
                                       int64_t batch, int *info);
garray_status garray__cuda_small_begin_eigh(const garray__queue *q, int dtype, const void *a, void *copy, int64_t n,
                                            int64_t batch, bool upper, int *bad);
garray_status garray__cuda_small_finish_eigh(const garray__queue *q, int dtype, const void *vectors, void *a, void *w,
                                             int64_t n, int64_t batch, const int *bad, int *info);

#ifdef __cplusplus
}
#endif
#endif
