/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values: small matrices, and stacks of those up to 512 x 256, by kernels of our own (svd_small.cu, svd_stack.cu),
 * others by cuSOLVER, one after the other.
 *
 * gesvdp (polar decomposition, then eigh) is four times as fast as gesvd (QR sweeps), but not always as accurate: a matrix
 * with singular values near 0 is perturbed.  So its result is checked: the residual, both sets of vectors and the order of
 * the values are computed (three products, a hundredth of the time), and the host waits for the answer; where they are
 * not as good as LAPACK's, gesvd does the work again.  Values alone come from gesvd.  Neither of the two works on tiny or
 * huge numbers, so such matrices are scaled.
 *
 * cuSOLVER wants at least as many rows as columns, column by column: that is x^T as it lies in memory if x is wide,
 * x transposed if it is tall.  left and right are the vectors of that matrix, one after the other in memory:
 * wide: vh^T = left and u = conj(right); tall: u = left and vh = right^H. */
#include <math.h>
#include "cuda/solver.h"
#include "cuda/vectors.h"

typedef struct functions {
    cusolverStatus_t (*gesvd_size)(cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, int64_t, int64_t,
                                   cudaDataType, const void *, int64_t, cudaDataType, const void *, cudaDataType,
                                   const void *, int64_t, cudaDataType, const void *, int64_t, cudaDataType, size_t *,
                                   size_t *);
    cusolverStatus_t (*gesvd)(cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, int64_t, int64_t, cudaDataType,
                              void *, int64_t, cudaDataType, void *, cudaDataType, void *, int64_t, cudaDataType, void *,
                              int64_t, cudaDataType, void *, size_t, void *, size_t, int *);
    cusolverStatus_t (*gesvdp_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, int, int64_t, int64_t,
                                    cudaDataType, const void *, int64_t, cudaDataType, const void *, cudaDataType,
                                    const void *, int64_t, cudaDataType, const void *, int64_t, cudaDataType, size_t *,
                                    size_t *);
    cusolverStatus_t (*gesvdp)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, int, int64_t, int64_t, cudaDataType,
                               void *, int64_t, cudaDataType, void *, cudaDataType, void *, int64_t, cudaDataType, void *,
                               int64_t, cudaDataType, void *, size_t, void *, size_t, int *, double *);
} functions;

static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
static const char *const symbols[] = {"cusolverDnXgesvd_bufferSize", "cusolverDnXgesvd", "cusolverDnXgesvdp_bufferSize",
                                      "cusolverDnXgesvdp", NULL};
static functions f;
static garray__cuda_library library = {"cuSOLVER", names, symbols, (void **)&f, 0};

_Static_assert(sizeof f / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

/* One call; the matrix that cuSOLVER sees is rows x k. */
typedef struct svd {
    garray__solver_job *j;
    int64_t m, n, k, rows, columns_u, rows_vh, columns_left;
    bool tall;
    void *x, *left, *right, *turned;    /* left: of tall matrices; turned: right^H, as gesvd gives it */
    double *factors, *partial, *answer, *most;
    int *bad;
    size_t device_p, device_q, host_p, host_q;
} svd;

static garray_status take(garray__solver_job *j, int64_t items, size_t size, void *out)
{
    void *memory;
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)items * size, &memory));
    *(void **)out = memory;
    return GARRAY_OK;
}

static garray_status sizes(svd *s)
{
    garray__solver_job *j = s->j;
    const garray_solve_plan *p = j->plan;
    const signed char left = !p->vectors ? 'N' : p->full ? 'A' : 'S', right = !p->vectors ? 'N' : 'S';
    void *const left_to = s->tall ? s->left : p->d;
    GARRAY_CUDA_SOLVER(j->q, "svd", f.gesvd_size(j->s->handle, j->s->params, left, right, s->rows, s->k, j->type, s->x, s->rows,
                                                 j->real, p->w, j->type, left_to, s->rows, j->type, s->turned, s->k, j->type,
                                                 &s->device_q, &s->host_q));
    if (p->vectors)
        GARRAY_CUDA_SOLVER(j->q, "svd", f.gesvdp_size(j->s->handle, j->s->params, CUSOLVER_EIG_MODE_VECTOR, !p->full, s->rows,
                                                      s->k, j->type, s->x, s->rows, j->real, p->w, j->type, left_to, s->rows,
                                                      j->type, s->right, s->k, j->type, &s->device_p, &s->host_p));
    const size_t device = s->device_p > s->device_q ? s->device_p : s->device_q;
    const size_t host = s->host_p > s->host_q ? s->host_p : s->host_q;
    return garray__solver_workspaces(j, device, host);
}

/* left, right and the values of item i, by gesvdp or by gesvd; x is destroyed. */
static garray_status factor(const svd *s, bool polar, void *left, void *values, int *info)
{
    garray__solver_job *j = s->j;
    const garray_solve_plan *p = j->plan;
    if (polar) {
        double perturbation = 0;
        GARRAY_CUDA_SOLVER(j->q, "svd", f.gesvdp(j->s->handle, j->s->params, CUSOLVER_EIG_MODE_VECTOR, !p->full, s->rows, s->k,
                                                 j->type, s->x, s->rows, j->real, values, j->type, left, s->rows, j->type,
                                                 s->right, s->k, j->type, j->work, s->device_p, j->s->host, s->host_p, info,
                                                 &perturbation));
        return GARRAY_OK;
    }
    const signed char of_left = !p->vectors ? 'N' : p->full ? 'A' : 'S', of_right = !p->vectors ? 'N' : 'S';
    GARRAY_CUDA_SOLVER(j->q, "svd", f.gesvd(j->s->handle, j->s->params, of_left, of_right, s->rows, s->k, j->type, s->x, s->rows,
                                            j->real, values, j->type, left, s->rows, j->type, s->turned, s->k, j->type,
                                            j->work, s->device_q, j->s->host, s->host_q, info));
    if (!p->vectors)
        return GARRAY_OK;
    const garray__turn back = {.in = s->turned, .out = s->right, .rows = s->k, .columns = s->k, .out_step = s->k,
                               .conjugated = 1, .transposed = 1};
    return garray__cuda_turn(j->q, p->dtype, &back);
}

/* u and vh of one item from left and right, turned by the rule. */
static garray_status finish(const svd *s, void *left, void *u, void *vh, const int *bad)
{
    const garray__queue *q = s->j->q;
    const int dtype = s->j->plan->dtype;
    if (s->tall) {
        const garray__turn to_u = {.in = left, .out = u, .rows = s->columns_u, .columns = s->m, .out_step = s->columns_u,
                                   .factors = s->factors, .transposed = 1};
        const garray__turn to_vh = {.in = s->right, .out = vh, .rows = s->k, .columns = s->n, .out_step = s->n,
                                    .factors = s->factors, .conjugated = 1, .conjugate_factors = 1};
        GARRAY_CUDA_TRY(garray__cuda_find_phases(q, dtype, left, s->factors, s->m, s->columns_u, s->m, 1, false, bad));
        GARRAY_CUDA_TRY(garray__cuda_turn(q, dtype, &to_u));
        return garray__cuda_turn(q, dtype, &to_vh);
    }
    const garray__turn to_u = {.in = s->right, .out = u, .rows = s->k, .columns = s->m, .out_step = s->k,
                               .factors = s->factors, .conjugated = 1, .transposed = 1};
    const garray__turn to_vh = {.in = vh, .out = vh, .rows = s->k, .columns = s->n, .out_step = s->n, .factors = s->factors,
                                .conjugate_factors = 1};
    GARRAY_CUDA_TRY(garray__cuda_find_phases(q, dtype, s->right, s->factors, s->m, s->k, s->m, 1, true, bad));
    GARRAY_CUDA_TRY(garray__cuda_turn(q, dtype, &to_u));
    GARRAY_CUDA_TRY(garray__cuda_turn(q, dtype, &to_vh));
    if (s->rows_vh == s->k)
        return GARRAY_OK;
    void *rest = (char *)vh + (size_t)(s->k * s->n) * s->j->item;
    const garray__turn alone = {.in = rest, .out = rest, .rows = s->rows_vh - s->k, .columns = s->n, .out_step = s->n,
                                .factors = s->factors};
    GARRAY_CUDA_TRY(garray__cuda_find_phases(q, dtype, rest, s->factors, s->n, s->rows_vh - s->k, s->n, 1, false, bad));
    return garray__cuda_turn(q, dtype, &alone);
}

/* Whether the item is as good as LAPACK's would be: within 8 n u, where its tests allow 30 n u.  Waits. */
static garray_status is_good(const svd *s, const void *a, const void *u, const void *values, const void *vh, int64_t item,
                             bool *good)
{
    const garray__queue *q = s->j->q;
    cudaStream_t stream = garray__cuda_stream_of(q);
    double answer[5];
    int bad = 0;
    GARRAY_CUDA_TRY(garray__cuda_check_svd(q, s->j->plan->dtype, a, u, s->columns_u, values, vh, s->m, s->n,
                                           s->tall ? s->left : s->right, s->x, s->partial, s->answer, s->most + item));
    GARRAY_CUDA(q, cudaMemcpyAsync(answer, s->answer, sizeof answer, cudaMemcpyDeviceToHost, stream));
    GARRAY_CUDA(q, cudaMemcpyAsync(&bad, s->bad + item, sizeof bad, cudaMemcpyDeviceToHost, stream));
    GARRAY_CUDA(q, cudaStreamSynchronize(stream));
    const double unit = s->j->real == CUDA_R_32F ? 0x1p-24 : 0x1p-53, bound = 8 * (double)s->rows * unit;
    *good = bad || (sqrt(answer[0]) <= bound * answer[4] && sqrt(answer[1]) <= bound && sqrt(answer[2]) <= bound &&
                    answer[3] == 0);
    return GARRAY_OK;
}

static garray_status each(const svd *s)
{
    garray__solver_job *j = s->j;
    const garray_solve_plan *p = j->plan;
    const size_t part = j->real == CUDA_R_32F ? 4 : 8;
    for (int64_t i = 0; i < p->batch; i++) {
        char *a = (char *)p->a + (size_t)(i * s->m * s->n) * j->item, *values = (char *)p->w + (size_t)(i * s->k) * part;
        char *u = (char *)p->c + (size_t)(i * s->m * s->columns_u) * j->item;
        char *vh = (char *)p->d + (size_t)(i * s->rows_vh * s->n) * j->item, *left = s->tall ? s->left : vh;
        bool good = false;
        for (int polar = p->vectors != 0; !good && polar >= 0; polar--) {
            GARRAY_CUDA_TRY(garray__cuda_vectors_copy(j->q, p->dtype, a, s->x, s->m, s->n, s->tall, s->bad + i,
                                                      s->most + i));
            GARRAY_CUDA_TRY(factor(s, polar, left, values, j->info + i));
            if (p->vectors)
                GARRAY_CUDA_TRY(finish(s, left, u, vh, s->bad + i));
            if (polar)
                GARRAY_CUDA_TRY(is_good(s, a, u, values, vh, i, &good));
        }
        GARRAY_CUDA_TRY(garray__cuda_unscale(j->q, p->dtype, values, s->k, s->most + i));
    }
    return GARRAY_OK;
}

static garray_status large(svd *s)
{
    garray__solver_job *j = s->j;
    const garray_solve_plan *p = j->plan;
    const int64_t most = s->m > s->n ? s->m : s->n;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    GARRAY_CUDA_TRY(take(j, s->m * s->n, j->item, &s->x));
    if (p->vectors) {
        if (s->tall)
            GARRAY_CUDA_TRY(take(j, s->m * s->columns_u, j->item, &s->left));
        GARRAY_CUDA_TRY(take(j, s->k * s->k, j->item, &s->right));
        GARRAY_CUDA_TRY(take(j, s->k * s->k, j->item, &s->turned));
        GARRAY_CUDA_TRY(take(j, 2 * most, sizeof(double), &s->factors));
        GARRAY_CUDA_TRY(take(j, most, sizeof(double), &s->partial));
        GARRAY_CUDA_TRY(take(j, 8, sizeof(double), &s->answer));
    }
    GARRAY_CUDA_TRY(take(j, p->batch, sizeof(int), &s->bad));
    GARRAY_CUDA_TRY(take(j, p->batch, sizeof(double), &s->most));
    GARRAY_CUDA(j->q, cudaMemsetAsync(s->bad, 0, (size_t)p->batch * sizeof(int), garray__cuda_stream_of(j->q)));
    GARRAY_CUDA(j->q, cudaMemsetAsync(s->most, 0, (size_t)p->batch * sizeof(double), garray__cuda_stream_of(j->q)));
    GARRAY_CUDA_TRY(garray__cuda_find_range(j->q, p->dtype, p->a, s->m * s->n, p->batch, s->bad, s->most));
    GARRAY_CUDA_TRY(sizes(s));
    GARRAY_CUDA_TRY(each(s));
    /* values of bad items become NaN, and their info 1 */
    GARRAY_CUDA_TRY(garray__cuda_finish_eigh(j->q, p->dtype, NULL, NULL, p->w, NULL, s->k, p->batch, s->bad, j->info));
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SVD);
}

/* ---- stacks ---- */

enum { STACK_BYTES = 1 << 28 };     /* of room at a time */

/* A rotation of two columns costs as much as their length, and a sweep has columns^2 of them: the larger the matrices, the
 * more of them it takes to pay. */
static bool stack_pays(const svd *s, int64_t batch)
{
    return s->rows <= GARRAY_CUDA_SVD_STACK_ROWS && s->k <= GARRAY_CUDA_SVD_STACK_COLUMNS && batch > 1 &&
           batch >= s->rows * s->k * s->k >> 19;
}

/* x is the transpose of tall matrices; of wide ones it is a, as it lies. */
static garray_status stack(const svd *s)
{
    garray__solver_job *j = s->j;
    const garray_solve_plan *p = j->plan;
    const int64_t left = p->full ? s->rows : s->k, a_size = s->m * s->n, l_size = left * s->rows, r_size = s->k * s->k;
    const size_t part = j->real == CUDA_R_32F ? 4 : 8;
    const int64_t per_item = (a_size + (p->vectors ? l_size + 2 * r_size : 0)) * (int64_t)j->item;
    int64_t chunk = STACK_BYTES / per_item;
    void *x = NULL, *w = NULL, *l = NULL, *r = NULL;
    chunk = chunk < 1 ? 1 : chunk < p->batch ? chunk : p->batch;
    if (s->tall)
        GARRAY_CUDA_TRY(take(j, chunk * a_size, j->item, &x));
    if (p->vectors) {
        GARRAY_CUDA_TRY(take(j, chunk * r_size, j->item, &w));
        GARRAY_CUDA_TRY(take(j, chunk * (s->tall ? l_size : r_size), j->item, s->tall ? &l : &r));
    }
    for (int64_t first = 0; first < p->batch; first += chunk) {
        const int64_t count = p->batch - first < chunk ? p->batch - first : chunk;
        char *a = (char *)p->a + (size_t)(first * a_size) * j->item;
        char *u = p->vectors ? (char *)p->c + (size_t)(first * s->m * s->columns_u) * j->item : NULL;
        char *vh = p->vectors ? (char *)p->d + (size_t)(first * s->rows_vh * s->n) * j->item : NULL;
        if (s->tall)
            GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, a, x, s->m, s->n, count));
        GARRAY_CUDA_TRY(garray__cuda_svd_stack(j->q, p->dtype, s->tall ? x : a, w, s->tall ? l : vh, s->tall ? vh : r,
                                               (char *)p->w + (size_t)(first * s->k) * part, s->rows, s->k, left, count,
                                               s->tall, j->info + first));
        if (p->vectors && s->tall)
            GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, l, u, left, s->rows, count));
        else if (p->vectors)
            GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, r, u, s->k, s->k, count));
    }
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SVD);
}

garray_status garray__cuda_svd(garray__solver_job *j)
{
    const garray_solve_plan *p = j->plan;
    svd s = {.j = j, .m = p->m, .n = p->n, .k = p->m < p->n ? p->m : p->n, .tall = p->m > p->n};
    if (p->m <= GARRAY_CUDA_SVD_SMALL && p->n <= GARRAY_CUDA_SVD_SMALL) {
        GARRAY_CUDA_TRY(garray__cuda_small_svd(j->q, p->dtype, p->a, p->c, p->w, p->d, p->m, p->n, p->batch, p->full, j->info));
        return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SVD);
    }
    s.rows = s.tall ? s.m : s.n;
    s.columns_u = p->full ? s.m : s.k;
    s.rows_vh = p->full ? s.n : s.k;
    return stack_pays(&s, p->batch) ? stack(&s) : large(&s);
}
