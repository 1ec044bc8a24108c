/* SPDX-License-Identifier: BSD-3-Clause
 * QR: stacks by a kernel of our own (qr_stack.cu), few and large matrices by cuSOLVER's geqrf and orgqr, which count columns
 * first, so the matrix is transposed before and Q after; R is taken from the factored matrix, with its diagonal turned to
 * be real and not negative. */
#include "cuda/solver.h"
#include "cuda/vectors.h"

typedef cusolverStatus_t orgqr_size(cusolverDnHandle_t, int m, int n, int k, const void *a, int lda, const void *tau, int *size);
typedef cusolverStatus_t orgqr(cusolverDnHandle_t, int m, int n, int k, void *a, int lda, const void *tau, void *work, int size,
                               int *info);

typedef struct functions {
    cusolverStatus_t (*geqrf_size)(cusolverDnHandle_t, cusolverDnParams_t, int64_t, int64_t, cudaDataType, const void *, int64_t,
                                   cudaDataType, const void *, cudaDataType, size_t *, size_t *);
    cusolverStatus_t (*geqrf)(cusolverDnHandle_t, cusolverDnParams_t, int64_t, int64_t, cudaDataType, void *, int64_t,
                              cudaDataType, void *, cudaDataType, void *, size_t, void *, size_t, int *);
    orgqr_size *form_size[4];           /* float, double, complex64, complex128 */
    orgqr *form[4];
} functions;

static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
static const char *const symbols[] = {
    "cusolverDnXgeqrf_bufferSize", "cusolverDnXgeqrf", "cusolverDnSorgqr_bufferSize", "cusolverDnDorgqr_bufferSize",
    "cusolverDnCungqr_bufferSize", "cusolverDnZungqr_bufferSize", "cusolverDnSorgqr", "cusolverDnDorgqr", "cusolverDnCungqr",
    "cusolverDnZungqr", NULL,
};
static functions f;
static garray__cuda_library library = {"cuSOLVER", names, symbols, (void **)&f, 0};

_Static_assert(sizeof f / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

static garray_status take(garray__solver_job *j, int64_t items, size_t size, void **out)
{
    return garray__scratch_take(&j->scratch, (size_t)items * size, out);
}

garray_status garray__cuda_qr(garray__solver_job *j)
{
    const garray_solve_plan *p = j->plan;
    const bool raw = p->kind == GARRAY_SOLVE_QR_RAW;
    const int64_t m = p->m, n = p->n, k = m < n ? m : n, rows = p->full ? m : k, columns_h = rows > n ? rows : n;
    void *h = NULL, *tau, *factors = NULL;
    size_t device = 0, host = 0;
    int form = 0;
    if (garray__cuda_qr_stack_pays(p))
        return garray__cuda_qr_stack(j->q, p, j->item);
    if (m > INT32_MAX || n > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a matrix of %lld x %lld is larger than cuSOLVER can take",
                                       (long long)m, (long long)n);
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    GARRAY_CUDA_TRY(take(j, m * columns_h, j->item, &h));       /* with room for a square Q */
    GARRAY_CUDA_TRY(take(j, k, j->item, &tau));
    GARRAY_CUDA_TRY(take(j, 2 * rows, sizeof(double), &factors));
    GARRAY_CUDA_SOLVER(j->q, "qr", f.geqrf_size(j->s->handle, j->s->params, m, n, j->type, h, m, j->type, tau, j->type, &device,
                                                &host));
    if (!raw && p->c)
        GARRAY_CUDA_SOLVER(j->q, "qr", f.form_size[j->row](j->s->handle, (int)m, (int)rows, (int)k, h, (int)m, tau, &form));
    if (device < (size_t)form * j->item)
        device = (size_t)form * j->item;
    GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
    for (int64_t i = 0; i < p->batch; i++) {
        const char *a = (const char *)p->a + (size_t)(i * m * n) * j->item;
        char *at = raw ? (char *)p->c + (size_t)(i * m * n) * j->item : h;
        char *tau_at = raw ? (char *)p->d + (size_t)(i * k) * j->item : tau;
        GARRAY_CUDA_TRY(garray__cuda_vectors_copy(j->q, p->dtype, a, at, m, n, true, NULL, NULL));
        GARRAY_CUDA_SOLVER(j->q, "qr", f.geqrf(j->s->handle, j->s->params, m, n, j->type, at, m, j->type, tau_at, j->type,
                                               j->work, device, j->s->host, host, j->info + i));
        if (raw)
            continue;
        char *r = (char *)p->d + (size_t)(i * rows * n) * j->item;
        GARRAY_CUDA_TRY(garray__cuda_take_r(j->q, p->dtype, h, r, factors, m, n, rows));
        if (!p->c)
            continue;
        GARRAY_CUDA_SOLVER(j->q, "qr", f.form[j->row](j->s->handle, (int)m, (int)rows, (int)k, h, (int)m, tau, j->work, form,
                                                      j->info + i));
        const garray__turn to_q = {.in = h, .out = (char *)p->c + (size_t)(i * m * rows) * j->item, .rows = rows, .columns = m,
                                   .out_step = rows, .factors = factors, .transposed = 1};
        GARRAY_CUDA_TRY(garray__cuda_turn(j->q, p->dtype, &to_q));
    }
    return GARRAY_OK;
}
