/* SPDX-License-Identifier: BSD-3-Clause
 * cuSOLVER as solve.c opens it, and one call of the entry solve, for the files of its kinds. */
#ifndef GARRAY_CUDA_SOLVER_H
#define GARRAY_CUDA_SOLVER_H

#include <cusolverDn.h>
#include "cuda/blas.h"
#include "cuda/scratch.h"
#include "cuda/solve.h"

enum { GARRAY_CUDA_SOLVE_BATCHED = 256 };       /* matrices up to this size are worth the batched routines */

/* In the order of the symbols in solve.c; tables by float, double, complex64, complex128. */
typedef struct garray__solver_functions {
    cusolverStatus_t (*create)(cusolverDnHandle_t *);
    cusolverStatus_t (*destroy)(cusolverDnHandle_t);
    cusolverStatus_t (*set_stream)(cusolverDnHandle_t, cudaStream_t);
    cusolverStatus_t (*create_params)(cusolverDnParams_t *);
    cusolverStatus_t (*destroy_params)(cusolverDnParams_t);
    cusolverStatus_t (*potrf_size)(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, int64_t, cudaDataType,
                                   const void *, int64_t, cudaDataType, size_t *, size_t *);
    cusolverStatus_t (*potrf)(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, int64_t, cudaDataType, void *,
                              int64_t, cudaDataType, void *, size_t, void *, size_t, int *);
    cusolverStatus_t (*potrf_batched[4])(cusolverDnHandle_t, cublasFillMode_t, int, void **, int, int *, int);
    cusolverStatus_t (*getrf_size)(cusolverDnHandle_t, cusolverDnParams_t, int64_t, int64_t, cudaDataType, const void *,
                                   int64_t, cudaDataType, size_t *, size_t *);
    cusolverStatus_t (*getrf)(cusolverDnHandle_t, cusolverDnParams_t, int64_t, int64_t, cudaDataType, void *, int64_t,
                              int64_t *, cudaDataType, void *, size_t, void *, size_t, int *);
    cusolverStatus_t (*getrs)(cusolverDnHandle_t, cusolverDnParams_t, cublasOperation_t, int64_t, int64_t, cudaDataType,
                              const void *, int64_t, const int64_t *, cudaDataType, void *, int64_t, int *);
    cusolverStatus_t (*syevd_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, int64_t,
                                   cudaDataType, const void *, int64_t, cudaDataType, const void *, cudaDataType, size_t *,
                                   size_t *);
    cusolverStatus_t (*syevd)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, int64_t,
                              cudaDataType, void *, int64_t, cudaDataType, void *, cudaDataType, void *, size_t, void *,
                              size_t, int *);
    cusolverStatus_t (*syev_batched_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,
                                          int64_t, cudaDataType, const void *, int64_t, cudaDataType, const void *,
                                          cudaDataType, size_t *, size_t *, int64_t);
    cusolverStatus_t (*syev_batched)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, int64_t,
                                     cudaDataType, void *, int64_t, cudaDataType, void *, cudaDataType, void *, size_t,
                                     void *, size_t, int *, int64_t);
} garray__solver_functions;

extern garray__solver_functions garray__cuda_solver;

/* What a device keeps: dev->solver. */
typedef struct garray__solver {
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
    void *host;                         /* host workspace, grown as needed */
    size_t host_size;
    cudaEvent_t used;                   /* behind what the last call gave its stream */
} garray__solver;

/* One call of the entry. */
typedef struct garray__solver_job {
    const garray__queue *q;
    const garray_solve_plan *plan;
    garray__solver *s;
    garray__scratch scratch;
    cudaDataType type, real;
    int row;                            /* of the tables by dtype */
    size_t item;
    int *info;                          /* per batch item, zeroed */
    void *work;                         /* device workspace */
    size_t work_size;
    bool turn;                          /* cuSOLVER has been given work */
} garray__solver_job;

/* DEVICE_NOMEM, or INTERNAL with cuSOLVER's number. */
garray_status garray__cuda_solver_error(const garray__queue *q, cusolverStatus_t status, const char *what);

#define GARRAY_CUDA_SOLVER(q, what, call)                                                   \
    do {                                                                        \
        cusolverStatus_t garray_status_ = (call);                               \
        if (garray_status_ != CUSOLVER_STATUS_SUCCESS)                          \
            return garray__cuda_solver_error(q, garray_status_, what);                       \
    } while (0)

/* Sets j->work, of j->work_size bytes, and j->s->host. */
garray_status garray__solver_workspaces(garray__solver_job *j, size_t device, size_t host);

/* Device memory: pointers to the matrices of a batch, each of so many bytes. */
garray_status garray__solver_pointers(garray__solver_job *j, void *base, size_t bytes, void ***out);

/* Device memory: a copy of all matrices of a (n x n). */
garray_status garray__solver_copy(garray__solver_job *j, void **copy);

static inline bool garray__solver_batched(const garray_solve_plan *plan)
{
    return plan->batch > 1 && plan->n <= GARRAY_CUDA_SOLVE_BATCHED && plan->batch <= INT32_MAX && plan->nrhs <= INT32_MAX;
}

/* Matrix `item` of a batch of n x n. */
static inline void *garray__solver_matrix(const garray__solver_job *j, void *base, int64_t item)
{
    return (char *)base + (size_t)(item * j->plan->n * j->plan->n) * j->item;
}

/* solve_lu.c: the kinds 10 to 19. */
garray_status garray__cuda_lu(garray__solver_job *j);

/* solve_svd.c, solve_qr.c, solve_eig.c. */
garray_status garray__cuda_svd(garray__solver_job *j);
garray_status garray__cuda_qr(garray__solver_job *j);
garray_status garray__cuda_eig(garray__solver_job *j);

#endif
