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

/* Reports the first item whose info is not 0; info is aligned to 16 bytes. */
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

/* solve_lu.cu: around the LU factorization.  identity(): unit matrices.  spoil(): what info has a fault for becomes
 * NaN.  to_pivots(): pivots that count from 1, of 4 or 8 bytes, become int64 ones that count from 0; from and to may be the
 * same.  determinant(): the products of the diagonals of LU factors, with signs by pivots that count from 1; logarithm: NULL,
 * or where the logarithms go and `out` has the signs.  check_diagonal(): sets info where a diagonal has a 0. */
garray_status garray__cuda_identity(const garray__queue *q, int dtype, void *out, int64_t n, int64_t batch);
garray_status garray__cuda_spoil(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch, const int *info);
garray_status garray__cuda_to_pivots(const garray__queue *q, const void *from, int size, int64_t *to, int64_t count);
garray_status garray__cuda_determinant(const garray__queue *q, int dtype, const void *lu, const void *pivots, int size, void *out,
                                       void *logarithm, int64_t n, int64_t batch);
garray_status garray__cuda_check_diagonal(const garray__queue *q, int dtype, const void *a, int64_t n, int64_t batch, int *info);

/* The order of n rows that nrhs exchanges make, or its inverse; a pivot out of range is a late INDEX error. */
garray_status garray__cuda_permutation(const garray__queue *q, const int64_t *pivots, int64_t *order, int64_t n, int64_t nrhs,
                                       int64_t batch, bool inverse);

/* solve_small.cu: matrices up to GARRAY_CUDA_SOLVE_SMALL.  Cholesky factors of a go to out, info set for every item. */
enum { GARRAY_CUDA_SOLVE_SMALL = 32, GARRAY_CUDA_SOLVE_COLUMNS = 64 };
garray_status garray__cuda_small_cholesky(const garray__queue *q, int dtype, const void *a, void *out, int64_t n, int64_t batch,
                                          bool upper, int *info);

/* solve_lu.c, by solve_small_lu_tmpl.cu for the dtype: the plan's matrices (kinds LINEAR with up to GARRAY_CUDA_SOLVE_COLUMNS
 * right-hand sides, INVERSE, LU and DETERMINANT), none with more rows or columns than GARRAY_CUDA_SOLVE_SMALL.  info, where not
 * NULL, is set for every item. */
garray_status garray__cuda_small_lu(const garray__queue *q, const garray_solve_plan *plan, int *info);
garray_status garray__cuda_small_lu_float32(const garray__queue *q, const garray_solve_plan *plan, int *info);
garray_status garray__cuda_small_lu_float64(const garray__queue *q, const garray_solve_plan *plan, int *info);
garray_status garray__cuda_small_lu_complex64(const garray__queue *q, const garray_solve_plan *plan, int *info);
garray_status garray__cuda_small_lu_complex128(const garray__queue *q, const garray_solve_plan *plan, int *info);

#ifdef __cplusplus
}
#endif
#endif
