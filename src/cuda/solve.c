/* SPDX-License-Identifier: BSD-3-Clause
 * LAPACK on the device: cuSOLVER, and cuBLAS's batched LU for many small systems.  LU factors and what they give are in
 * solve_lu.c.
 *
 * Matrices are row-major and LAPACK is column-major: it sees each matrix transposed.  Cholesky then has the other
 * triangle's name and the same memory; LU solves with the transpose; eigh sees the conjugate matrix.  cuSOLVER factors
 * its upper triangle at half the speed of the lower one, so lower factors are mirrored there and back.  Matrices up to
 * 32 x 32 have kernels of our own (solve_small.cu, eigh_small.cu).  Which item failed is known on the device only: a small
 * kernel leaves it in the stream's late-error word, and nothing waits.
 *
 * Signs and phases of eigenvectors follow the rule of phase.h.  eigh of a matrix with an infinity or a NaN in its
 * triangle is NOCONVERGE. */
#include <pthread.h>
#include <stdlib.h>
#include "cuda/graph.h"
#include "cuda/solver.h"
#include "cuda/vectors.h"

#define SOLVER GARRAY_CUDA_SOLVER

typedef garray__solver solver;
typedef garray__solver_job job;

static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
static const char *const symbols[] = {
    "cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream", "cusolverDnCreateParams", "cusolverDnDestroyParams",
    "cusolverDnXpotrf_bufferSize", "cusolverDnXpotrf", "cusolverDnSpotrfBatched", "cusolverDnDpotrfBatched",
    "cusolverDnCpotrfBatched", "cusolverDnZpotrfBatched", "cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf",
    "cusolverDnXgetrs", "cusolverDnXsyevd_bufferSize", "cusolverDnXsyevd", "cusolverDnXsyevBatched_bufferSize",
    "cusolverDnXsyevBatched", NULL,
};

garray__solver_functions garray__cuda_solver;
static const garray__solver_functions *const f = &garray__cuda_solver;
static garray__cuda_library library = {"cuSOLVER", names, symbols, (void **)&garray__cuda_solver, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(sizeof garray__cuda_solver / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

garray_status garray__cuda_solver_error(const garray__queue *q, cusolverStatus_t status, const char *what)
{
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        return garray__cuda_error(garray__cuda_device_of(q), e, what);
    if (status == CUSOLVER_STATUS_ALLOC_FAILED)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "%s: cuSOLVER ran out of memory", what);
    return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "%s: cuSOLVER status %d", what, (int)status);
}

static void solver_free(solver *s)
{
    if (s->params)
        f->destroy_params(s->params);
    if (s->handle)
        f->destroy(s->handle);
    if (s->used)
        (void)cudaEventDestroy(s->used);
    free(s->host);
    free(s);
}

/* The device's handle, for the queue; the caller holds the lock. */
static garray_status prepare(const garray__queue *q, solver **out)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    if (!dev->solver) {
        solver *s = calloc(1, sizeof *s);
        if (!s)
            return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "out of host memory");
        cusolverStatus_t status = f->create(&s->handle);
        if (status == CUSOLVER_STATUS_SUCCESS)
            status = f->create_params(&s->params);
        if (status != CUSOLVER_STATUS_SUCCESS) {
            solver_free(s);
            return garray__cuda_solver_error(q, status, "cuSOLVER cannot start");
        }
        const cudaError_t e = cudaEventCreateWithFlags(&s->used, cudaEventDisableTiming);
        if (e != cudaSuccess) {
            solver_free(s);
            return garray__cuda_error(dev, e, "cuSOLVER cannot start");
        }
        dev->solver = s;
    }
    *out = dev->solver;
    SOLVER(q, "cuSOLVER", f->set_stream((*out)->handle, garray__cuda_stream_of(q)));
    return GARRAY_OK;
}

garray_status garray__cuda_solve_prepare(const garray__queue *q)
{
    solver *s;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    pthread_mutex_lock(&lock);
    const garray_status st = prepare(q, &s);
    pthread_mutex_unlock(&lock);
    return st;
}

void garray__cuda_solve_close(garray__cuda_device *dev)
{
    if (dev->solver)
        solver_free(dev->solver);
    dev->solver = NULL;
}

/* The handle has memory of its own on the device: what one stream was given with it is done before another's work begins. */
static garray_status take_turn(job *j)
{
    if (j->turn || garray__cuda_is_recorded(j->q))
        return GARRAY_OK;
    GARRAY_CUDA(j->q, cudaStreamWaitEvent(garray__cuda_stream_of(j->q), j->s->used, 0));
    j->turn = true;
    return GARRAY_OK;
}

static garray_status end_turn(const job *j, garray_status status)
{
    const cudaError_t e = j->turn ? cudaEventRecord(j->s->used, garray__cuda_stream_of(j->q)) : cudaSuccess;
    return e == cudaSuccess || status != GARRAY_OK ? status : garray__cuda_error(garray__cuda_device_of(j->q), e, "cuSOLVER");
}

garray_status garray__solver_workspaces(job *j, size_t device, size_t host)
{
    GARRAY_CUDA_TRY(take_turn(j));
    j->work_size = device;
    GARRAY_CUDA_TRY(garray__cuda_not_recorded(j->q, "a factorization by cuSOLVER"));     /* it has memory of the host's */
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, device, &j->work));
    if (host > j->s->host_size) {
        void *grown = realloc(j->s->host, host);
        if (!grown)
            return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "out of host memory: %zu bytes", host);
        j->s->host = grown;
        j->s->host_size = host;
    }
    return GARRAY_OK;
}

garray_status garray__solver_pointers(job *j, void *base, size_t bytes, void ***out)
{
    void *memory;
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)j->plan->batch * sizeof(void *), &memory));
    *out = memory;
    return garray__cuda_make_pointers(j->q, memory, base, (int64_t)bytes, j->plan->batch);
}

garray_status garray__solver_copy(job *j, void **copy)
{
    const size_t bytes = (size_t)(j->plan->batch * j->plan->n * j->plan->n) * j->item;
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, bytes, copy));
    GARRAY_CUDA(j->q, cudaMemcpyAsync(*copy, j->plan->a, bytes, cudaMemcpyDeviceToDevice, garray__cuda_stream_of(j->q)));
    return GARRAY_OK;
}

/* ---- cholesky -------------------------------------------------------------------------------------------------- */

static garray_status cholesky(job *j)
{
    const garray_solve_plan *p = j->plan;
    const cublasFillMode_t fill = CUBLAS_FILL_MODE_LOWER;
    if (p->n <= GARRAY_CUDA_SOLVE_SMALL) {
        GARRAY_CUDA_TRY(garray__cuda_small_cholesky(j->q, p->dtype, p->a, p->b, p->n, p->batch, p->upper, j->info));
        return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_NOT_POSITIVE);
    }
    GARRAY_CUDA(j->q, cudaMemcpyAsync(p->b, p->a, (size_t)(p->batch * p->n * p->n) * j->item, cudaMemcpyDeviceToDevice,
                                      garray__cuda_stream_of(j->q)));
    if (!p->upper)
        GARRAY_CUDA_TRY(garray__cuda_mirror(j->q, p->dtype, p->b, p->n, p->batch));
    if (garray__solver_batched(p)) {
        void **pointers;
        GARRAY_CUDA_TRY(garray__solver_pointers(j, p->b, (size_t)(p->n * p->n) * j->item, &pointers));
        GARRAY_CUDA_TRY(take_turn(j));
        SOLVER(j->q, "cholesky", f->potrf_batched[j->row](j->s->handle, fill, (int)p->n, pointers, (int)p->n, j->info,
                                                         (int)p->batch));
    } else {
        size_t device = 0, host = 0;
        SOLVER(j->q, "cholesky", f->potrf_size(j->s->handle, j->s->params, fill, p->n, j->type, p->b, p->n, j->type, &device,
                                              &host));
        GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
        for (int64_t i = 0; i < p->batch; i++)
            SOLVER(j->q, "cholesky", f->potrf(j->s->handle, j->s->params, fill, p->n, j->type,
                                              garray__solver_matrix(j, p->b, i), p->n, j->type, j->work, device, j->s->host, host,
                                              j->info + i));
    }
    GARRAY_CUDA_TRY(garray__cuda_finish_cholesky(j->q, p->dtype, p->b, p->n, p->batch, p->upper, j->info));
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_NOT_POSITIVE);
}

/* ---- linear systems -------------------------------------------------------------------------------------------- */

static garray_status lu_batched(job *j, void *a, void *b)
{
    const garray_solve_plan *p = j->plan;
    const int n = (int)p->n, nrhs = (int)p->nrhs, batch = (int)p->batch;
    void **a_pointers, **b_pointers, *pivots;
    garray__blas_call call;
    int bad_argument = 0;
    GARRAY_CUDA_TRY(garray__solver_pointers(j, a, (size_t)(p->n * p->n) * j->item, &a_pointers));
    GARRAY_CUDA_TRY(garray__solver_pointers(j, b, (size_t)(p->n * p->nrhs) * j->item, &b_pointers));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->n * p->batch) * sizeof(int), &pivots));
    GARRAY_CUDA_TRY(garray__cuda_blas_begin(j->q, &call));
    cublasStatus_t s = garray__cuda_blas.getrf_batched[j->row](call.handle, n, a_pointers, n, pivots, j->info, batch);
    if (s == CUBLAS_STATUS_SUCCESS)
        s = garray__cuda_blas.getrs_batched[j->row](call.handle, CUBLAS_OP_T, n, nrhs, (const void *const *)a_pointers, n,
                                                    pivots, b_pointers, n, &bad_argument, batch);
    garray__cuda_blas_end(&call);
    return s == CUBLAS_STATUS_SUCCESS ? GARRAY_OK : garray__cuda_blas_error(j->q, s, "solve");
}

static garray_status lu_each(job *j, void *a, void *b)
{
    const garray_solve_plan *p = j->plan;
    size_t device = 0, host = 0;
    void *pivots, *unused;
    SOLVER(j->q, "solve", f->getrf_size(j->s->handle, j->s->params, p->n, p->n, j->type, a, p->n, j->type, &device, &host));
    GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)p->n * sizeof(int64_t), &pivots));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, sizeof(int), &unused));
    for (int64_t i = 0; i < p->batch; i++) {
        SOLVER(j->q, "solve", f->getrf(j->s->handle, j->s->params, p->n, p->n, j->type, garray__solver_matrix(j, a, i), p->n,
                                       pivots, j->type, j->work, device, j->s->host, host, j->info + i));
        SOLVER(j->q, "solve", f->getrs(j->s->handle, j->s->params, CUBLAS_OP_T, p->n, p->nrhs, j->type,
                                       garray__solver_matrix(j, a, i), p->n, pivots, j->type,
                                       (char *)b + (size_t)(i * p->n * p->nrhs) * j->item, p->n, unused));
    }
    return GARRAY_OK;
}

static garray_status linear(job *j)
{
    const garray_solve_plan *p = j->plan;
    void *a, *b = p->b;                 /* LAPACK wants the right-hand sides as columns */
    if (p->nrhs == 0)
        return GARRAY_OK;
    if (p->n <= GARRAY_CUDA_SOLVE_SMALL && p->nrhs <= GARRAY_CUDA_SOLVE_COLUMNS) {
        GARRAY_CUDA_TRY(garray__cuda_small_lu(j->q, p, j->info));
        return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SINGULAR);
    }
    GARRAY_CUDA_TRY(garray__solver_copy(j, &a));
    if (p->nrhs > 1) {
        GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->batch * p->n * p->nrhs) * j->item, &b));
        GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, p->b, b, p->n, p->nrhs, p->batch));
    }
    GARRAY_CUDA_TRY(garray__solver_batched(p) ? lu_batched(j, a, b) : lu_each(j, a, b));
    if (p->nrhs > 1)
        GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, b, p->b, p->nrhs, p->n, p->batch));
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SINGULAR);
}

/* ---- eigh ------------------------------------------------------------------------------------------------------ */

static garray_status eigh(job *j)
{
    const garray_solve_plan *p = j->plan;
    const cublasFillMode_t fill = p->upper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const cusolverEigMode_t mode = p->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const size_t bytes = (size_t)(p->batch * p->n) * j->item, flags = (size_t)p->batch * sizeof(int);
    const size_t w_step = (size_t)p->n * (j->real == CUDA_R_32F ? 4 : 8);
    size_t device = 0, host = 0;
    void *copy, *bad, *factors;
    if (p->n <= GARRAY_CUDA_EIGH_SMALL) {
        GARRAY_CUDA_TRY(garray__cuda_small_eigh(j->q, p->dtype, p->a, p->vectors ? p->a : NULL, p->w, p->n, p->batch, p->upper,
                                                j->info));
        return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_NOCONVERGE);
    }
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, bytes * (size_t)p->n, &copy));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, bytes, &factors));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, flags, &bad));
    GARRAY_CUDA(j->q, cudaMemsetAsync(bad, 0, flags, garray__cuda_stream_of(j->q)));
    GARRAY_CUDA_TRY(garray__cuda_begin_eigh(j->q, p->dtype, p->a, copy, p->n, p->batch, p->upper, bad));
    if (garray__solver_batched(p)) {
        SOLVER(j->q, "eigh", f->syev_batched_size(j->s->handle, j->s->params, mode, fill, p->n, j->type, copy, p->n, j->real,
                                                 p->w, j->type, &device, &host, p->batch));
        GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
        SOLVER(j->q, "eigh", f->syev_batched(j->s->handle, j->s->params, mode, fill, p->n, j->type, copy, p->n, j->real, p->w,
                                            j->type, j->work, device, j->s->host, host, j->info, p->batch));
    } else {
        SOLVER(j->q, "eigh", f->syevd_size(j->s->handle, j->s->params, mode, fill, p->n, j->type, copy, p->n, j->real, p->w,
                                          j->type, &device, &host));
        GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
        for (int64_t i = 0; i < p->batch; i++)
            SOLVER(j->q, "eigh", f->syevd(j->s->handle, j->s->params, mode, fill, p->n, j->type,
                                          garray__solver_matrix(j, copy, i), p->n, j->real, (char *)p->w + (size_t)i * w_step,
                                          j->type, j->work, device, j->s->host, host, j->info + i));
    }
    GARRAY_CUDA_TRY(garray__cuda_finish_eigh(j->q, p->dtype, p->vectors ? copy : NULL, p->a, p->w, factors, p->n, p->batch,
                                             bad, j->info));
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_NOCONVERGE);
}

/* Whether the kernels of small matrices do it, which set info for every item. */
static bool sets_all(const garray_solve_plan *p)
{
    return p->n <= GARRAY_CUDA_SOLVE_SMALL &&
           (p->kind == GARRAY_SOLVE_CHOLESKY || p->kind == GARRAY_SOLVE_INVERSE ||
            (p->kind == GARRAY_SOLVE_LINEAR && p->nrhs <= GARRAY_CUDA_SOLVE_COLUMNS));
}

static garray_status run(job *j)
{
    const garray_solve_plan *p = j->plan;
    const size_t bytes = (size_t)p->batch * sizeof(int);
    void *info;
    GARRAY_CUDA_TRY(prepare(j->q, &j->s));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, bytes, &info));
    if (!sets_all(p))
        GARRAY_CUDA(j->q, cudaMemsetAsync(info, 0, bytes, garray__cuda_stream_of(j->q)));
    j->info = info;
    switch (p->kind) {
    case GARRAY_SOLVE_CHOLESKY: return cholesky(j);
    case GARRAY_SOLVE_LINEAR: return linear(j);
    case GARRAY_SOLVE_EIGH: return eigh(j);
    case GARRAY_SOLVE_INVERSE:
    case GARRAY_SOLVE_LU:
    case GARRAY_SOLVE_DETERMINANT:
    case GARRAY_SOLVE_TRIANGULAR: return garray__cuda_lu(j);
    case GARRAY_SOLVE_SVD: return garray__cuda_svd(j);
    case GARRAY_SOLVE_QR:
    case GARRAY_SOLVE_QR_RAW: return garray__cuda_qr(j);
    case GARRAY_SOLVE_EIG: return garray__cuda_eig(j);
    default: return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "solve of unknown kind %d", (int)p->kind);
    }
}

garray_status garray__cuda_solve(const garray__queue *q, const garray_solve_plan *plan)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    static const uint8_t sizes[] = {4, 8, 8, 16};
    const int row = plan->dtype - GARRAY_FLOAT32;
    if (plan->kind == GARRAY_SOLVE_PERMUTATION)
        return garray__cuda_permutation(q, plan->c, plan->d, plan->n, plan->nrhs, plan->batch, plan->trans);
    if (row < 0 || row > 3)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "no LAPACK for dtype %d", (int)plan->dtype);
    job j = {.q = q, .plan = plan, .scratch = {.q = q}, .type = types[row], .row = row, .item = sizes[row]};
    j.real = row % 2 == 0 ? CUDA_R_32F : CUDA_R_64F;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    pthread_mutex_lock(&lock);
    const garray_status status = end_turn(&j, run(&j));
    pthread_mutex_unlock(&lock);
    garray__scratch_drop(&j.scratch);
    return status;
}
