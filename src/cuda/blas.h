/* SPDX-License-Identifier: BSD-3-Clause
 * cuBLAS as matmul.c opens it; solve.c uses its batched factorizations too.  One handle a device, used by one thread
 * at a time with the stream and workspace of its call: results do not depend on what other streams do. */
#ifndef GARRAY_CUDA_BLAS_H
#define GARRAY_CUDA_BLAS_H

#include <cublas_v2.h>
#include "cuda/cuda.h"

typedef cublasStatus_t garray__sgemv(cublasHandle_t, cublasOperation_t, int64_t, int64_t, const float *, const float *,
                                     int64_t, const float *, int64_t, const float *, float *, int64_t);
typedef cublasStatus_t garray__dgemv(cublasHandle_t, cublasOperation_t, int64_t, int64_t, const double *, const double *,
                                     int64_t, const double *, int64_t, const double *, double *, int64_t);
/* Complex pointers, and those of all batched functions, as void: one type serves both precisions. */
typedef cublasStatus_t garray__xgemv(cublasHandle_t, cublasOperation_t, int64_t, int64_t, const void *, const void *,
                                     int64_t, const void *, int64_t, const void *, void *, int64_t);
typedef cublasStatus_t garray__getrf_batched(cublasHandle_t, int n, void *const a[], int lda, int *pivots, int *info,
                                             int batch);
typedef cublasStatus_t garray__getrs_batched(cublasHandle_t, cublasOperation_t, int n, int nrhs, const void *const a[],
                                             int lda, const int *pivots, void *const b[], int ldb, int *info, int batch);
typedef cublasStatus_t garray__getri_batched(cublasHandle_t, int n, const void *const a[], int lda, const int *pivots,
                                             void *const c[], int ldc, int *info, int batch);
typedef cublasStatus_t garray__trsm_batched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                                            cublasDiagType_t, int m, int n, const void *alpha, const void *const a[], int lda,
                                            void *const b[], int ldb, int batch);
typedef cublasStatus_t garray__trsm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                                    int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb);

/* In the order of the symbols in matmul.c. */
typedef struct garray__blas_functions {
    cublasStatus_t (*create)(cublasHandle_t *);
    cublasStatus_t (*destroy)(cublasHandle_t);
    cublasStatus_t (*set_stream)(cublasHandle_t, cudaStream_t);
    cublasStatus_t (*set_workspace)(cublasHandle_t, void *, size_t);
    cublasStatus_t (*set_math_mode)(cublasHandle_t, cublasMath_t);
    const char *(*status_string)(cublasStatus_t);
    cublasStatus_t (*gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t m, int64_t n, int64_t k,
                              const void *alpha, const void *a, cudaDataType, int64_t lda, const void *b, cudaDataType,
                              int64_t ldb, const void *beta, void *c, cudaDataType, int64_t ldc, cublasComputeType_t,
                              cublasGemmAlgo_t);
    cublasStatus_t (*gemm_strided_batched_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t m, int64_t n,
                                              int64_t k, const void *alpha, const void *a, cudaDataType, int64_t lda,
                                              long long stride_a, const void *b, cudaDataType, int64_t ldb,
                                              long long stride_b, const void *beta, void *c, cudaDataType, int64_t ldc,
                                              long long stride_c, int64_t batch, cublasComputeType_t, cublasGemmAlgo_t);
    garray__sgemv *sgemv;
    garray__dgemv *dgemv;
    garray__xgemv *cgemv, *zgemv;
    garray__getrf_batched *getrf_batched[4];    /* float, double, complex64, complex128 */
    garray__getrs_batched *getrs_batched[4];
    garray__getri_batched *getri_batched[4];
    garray__trsm_batched *trsm_batched[4];
    garray__trsm *trsm[4];
} garray__blas_functions;

extern garray__blas_functions garray__cuda_blas;

typedef struct garray__blas_call {
    const garray__queue *q;
    cublasHandle_t handle;
    void *workspace;
} garray__blas_call;

/* Opens cuBLAS if need be and prepares its handle for the queue; holds a lock until end(). */
garray_status garray__cuda_blas_begin(const garray__queue *q, garray__blas_call *call);
void garray__cuda_blas_end(garray__blas_call *call);
garray_status garray__cuda_blas_error(const garray__queue *q, cublasStatus_t status, const char *what);

#endif
