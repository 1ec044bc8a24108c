/* SPDX-License-Identifier: BSD-3-Clause
 * Eigenvalues of general matrices by cuSOLVER's geev (CUDA 12.8 and later), one after the other.  The matrix is
 * transposed, for it counts columns first; values of a real matrix come as real and imaginary parts, and its vectors in
 * pairs, as from LAPACK.  Then all are sorted, and vectors turned by the rule of phase.h. */
#include "cuda/solver.h"
#include "cuda/vectors.h"

typedef struct functions {
    cusolverStatus_t (*size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cusolverEigMode_t, int64_t, cudaDataType,
                             const void *, int64_t, cudaDataType, const void *, cudaDataType, const void *, int64_t,
                             cudaDataType, const void *, int64_t, cudaDataType, size_t *, size_t *);
    cusolverStatus_t (*geev)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cusolverEigMode_t, int64_t, cudaDataType,
                             void *, int64_t, cudaDataType, void *, cudaDataType, void *, int64_t, cudaDataType, void *, int64_t,
                             cudaDataType, void *, size_t, void *, size_t, int *);
} functions;

static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
static const char *const symbols[] = {"cusolverDnXgeev_bufferSize", "cusolverDnXgeev", NULL};
static functions f;
static garray__cuda_library library = {"cuSOLVER with geev", names, symbols, (void **)&f, 0};

_Static_assert(sizeof f / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

garray_status garray__cuda_eig(garray__solver_job *j)
{
    const garray_solve_plan *p = j->plan;
    const int64_t n = p->n;
    const int complex = p->dtype == GARRAY_FLOAT32 ? GARRAY_COMPLEX64 : p->dtype == GARRAY_FLOAT64 ? GARRAY_COMPLEX128 : p->dtype;
    const size_t part = j->real == CUDA_R_32F ? 4 : 8;
    const cusolverEigMode_t none = CUSOLVER_EIG_MODE_NOVECTOR, right = p->vectors ? CUSOLVER_EIG_MODE_VECTOR : none;
    size_t device = 0, host = 0;
    void *x, *values, *rank, *bad, *vectors = NULL, *sorted = NULL, *factors = NULL;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(n * n) * j->item, &x));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)n * 2 * part, &values));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)n * sizeof(int), &rank));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)p->batch * sizeof(int), &bad));
    if (p->vectors) {
        GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(n * n) * j->item, &vectors));
        GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(n * n) * 2 * part, &sorted));
        GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)n * 2 * sizeof(double), &factors));
    }
    GARRAY_CUDA(j->q, cudaMemsetAsync(bad, 0, (size_t)p->batch * sizeof(int), garray__cuda_stream_of(j->q)));
    GARRAY_CUDA_TRY(garray__cuda_find_range(j->q, p->dtype, p->a, n * n, p->batch, bad, NULL));
    GARRAY_CUDA_SOLVER(j->q, "eig", f.size(j->s->handle, j->s->params, none, right, n, j->type, x, n, j->type, values, j->type,
                                           NULL, n, j->type, vectors, n, j->type, &device, &host));
    GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
    for (int64_t i = 0; i < p->batch; i++) {
        const char *a = (const char *)p->a + (size_t)(i * n * n) * j->item;
        const int *bad_at = (const int *)bad + i;
        GARRAY_CUDA_TRY(garray__cuda_vectors_copy(j->q, p->dtype, a, x, n, n, true, bad_at, NULL));
        GARRAY_CUDA_SOLVER(j->q, "eig", f.geev(j->s->handle, j->s->params, none, right, n, j->type, x, n, j->type, values,
                                               j->type, NULL, n, j->type, vectors, n, j->type, j->work, device, j->s->host,
                                               host, j->info + i));
        GARRAY_CUDA_TRY(garray__cuda_order_values(j->q, p->dtype, values, (char *)p->w + (size_t)(i * n) * 2 * part, rank, n,
                                                  bad_at, j->info + i));
        if (!p->vectors)
            continue;
        const garray__turn to_v = {.in = sorted, .out = (char *)p->c + (size_t)(i * n * n) * 2 * part, .rows = n, .columns = n,
                                   .out_step = n, .factors = factors, .transposed = 1};
        GARRAY_CUDA_TRY(garray__cuda_order_vectors(j->q, p->dtype, values, vectors, sorted, rank, n));
        GARRAY_CUDA_TRY(garray__cuda_find_phases(j->q, complex, sorted, factors, n, n, n, 1, false, bad_at));
        GARRAY_CUDA_TRY(garray__cuda_turn(j->q, complex, &to_v));
    }
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_NOCONVERGE);
}
