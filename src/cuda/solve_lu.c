/* SPDX-License-Identifier: BSD-3-Clause
 * LU factors and what they give: inverses, determinants, and triangular systems.  Matrices up to 32 x 32 by kernels of our
 * own (solve_small_lu_tmpl.cu), batches of larger ones by cuBLAS, large ones each by cuSOLVER.
 *
 * A row-major matrix is its transpose to the vendor's libraries: determinants are the same, the inverse comes out in the
 * right order, and triangular systems are those of the transpose from the right.  The factors themselves need a transposed
 * copy. */
#include "cuda/solver.h"

typedef garray__solver_job job;

garray_status garray__cuda_small_lu(const garray__queue *q, const garray_solve_plan *plan, int *info)
{
    switch (plan->dtype) {
    case GARRAY_FLOAT32: return garray__cuda_small_lu_float32(q, plan, info);
    case GARRAY_FLOAT64: return garray__cuda_small_lu_float64(q, plan, info);
    case GARRAY_COMPLEX64: return garray__cuda_small_lu_complex64(q, plan, info);
    default: return garray__cuda_small_lu_complex128(q, plan, info);
    }
}

static garray_status blas_status(const job *j, cublasStatus_t s, const char *what)
{
    return s == CUBLAS_STATUS_SUCCESS ? GARRAY_OK : garray__cuda_blas_error(j->q, s, what);
}

/* LU factors of a batch of square matrices by cuBLAS; pivots: int, from 1. */
static garray_status factor_batched(job *j, void *a, int *pivots, void ***pointers, const char *what)
{
    const garray_solve_plan *p = j->plan;
    garray__blas_call call;
    GARRAY_CUDA_TRY(garray__solver_pointers(j, a, (size_t)(p->n * p->n) * j->item, pointers));
    GARRAY_CUDA_TRY(garray__cuda_blas_begin(j->q, &call));
    const cublasStatus_t s = garray__cuda_blas.getrf_batched[j->row](call.handle, (int)p->n, *pointers, (int)p->n, pivots,
                                                                     j->info, (int)p->batch);
    garray__cuda_blas_end(&call);
    return blas_status(j, s, what);
}

/* Of each matrix, rows x columns by columns, by cuSOLVER; pivots: int64, from 1, min(rows, columns) of each. */
static garray_status factor_each(job *j, void *a, int64_t rows, int64_t columns, int64_t *pivots, const char *what)
{
    const garray__solver_functions *f = &garray__cuda_solver;
    const int64_t steps = rows < columns ? rows : columns;
    size_t device = 0, host = 0;
    GARRAY_CUDA_SOLVER(j->q, what, f->getrf_size(j->s->handle, j->s->params, rows, columns, j->type, a, rows, j->type, &device,
                                                 &host));
    GARRAY_CUDA_TRY(garray__solver_workspaces(j, device, host));
    for (int64_t i = 0; i < j->plan->batch; i++)
        GARRAY_CUDA_SOLVER(j->q, what, f->getrf(j->s->handle, j->s->params, rows, columns, j->type,
                                                (char *)a + (size_t)(i * rows * columns) * j->item, rows, pivots + i * steps,
                                                j->type, j->work, device, j->s->host, host, j->info + i));
    return GARRAY_OK;
}

/* ---- inverses ---- */

static garray_status inverse_batched(job *j, void *a)
{
    const garray_solve_plan *p = j->plan;
    void **from, **to, *pivots, *unused;
    garray__blas_call call;
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->n * p->batch) * sizeof(int), &pivots));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)p->batch * sizeof(int), &unused));
    GARRAY_CUDA_TRY(factor_batched(j, a, pivots, &from, "inv"));
    GARRAY_CUDA_TRY(garray__solver_pointers(j, p->b, (size_t)(p->n * p->n) * j->item, &to));
    GARRAY_CUDA_TRY(garray__cuda_blas_begin(j->q, &call));
    const cublasStatus_t s = garray__cuda_blas.getri_batched[j->row](call.handle, (int)p->n, (const void *const *)from, (int)p->n,
                                                                     pivots, to, (int)p->n, unused, (int)p->batch);
    garray__cuda_blas_end(&call);
    return blas_status(j, s, "inv");
}

static garray_status inverse_each(job *j, void *a)
{
    const garray__solver_functions *f = &garray__cuda_solver;
    const garray_solve_plan *p = j->plan;
    void *pivots, *unused;
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->n * p->batch) * sizeof(int64_t), &pivots));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, sizeof(int), &unused));
    GARRAY_CUDA_TRY(garray__cuda_identity(j->q, p->dtype, p->b, p->n, p->batch));
    GARRAY_CUDA_TRY(factor_each(j, a, p->n, p->n, pivots, "inv"));
    for (int64_t i = 0; i < p->batch; i++)
        GARRAY_CUDA_SOLVER(j->q, "inv", f->getrs(j->s->handle, j->s->params, CUBLAS_OP_N, p->n, p->n, j->type,
                                                 garray__solver_matrix(j, a, i), p->n, (int64_t *)pivots + i * p->n, j->type,
                                                 garray__solver_matrix(j, p->b, i), p->n, unused));
    return GARRAY_OK;
}

static garray_status inverse(job *j)
{
    const garray_solve_plan *p = j->plan;
    void *a;
    if (p->n <= GARRAY_CUDA_SOLVE_SMALL) {
        GARRAY_CUDA_TRY(garray__cuda_small_lu(j->q, p, j->info));
    } else {
        GARRAY_CUDA_TRY(garray__solver_copy(j, &a));
        GARRAY_CUDA_TRY(garray__solver_batched(p) ? inverse_batched(j, a) : inverse_each(j, a));
    }
    if (!p->checked)
        return garray__cuda_spoil(j->q, p->dtype, p->b, p->n, p->batch, j->info);
    return garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SINGULAR);
}

/* ---- determinants ---- */

static garray_status determinant(job *j)
{
    const garray_solve_plan *p = j->plan;
    const int size = garray__solver_batched(p) ? sizeof(int) : sizeof(int64_t);
    void *a, *pivots, **pointers;
    if (p->n <= GARRAY_CUDA_SOLVE_SMALL)
        return garray__cuda_small_lu(j->q, p, NULL);
    GARRAY_CUDA_TRY(garray__solver_copy(j, &a));
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->n * p->batch * size), &pivots));
    if (garray__solver_batched(p))
        GARRAY_CUDA_TRY(factor_batched(j, a, pivots, &pointers, "det"));
    else
        GARRAY_CUDA_TRY(factor_each(j, a, p->n, p->n, pivots, "det"));
    return garray__cuda_determinant(j->q, p->dtype, a, pivots, size, p->b, p->w, p->n, p->batch);
}

/* ---- the factors ---- */

static garray_status factors(job *j)
{
    const garray_solve_plan *p = j->plan;
    const int64_t count = p->batch * (p->m < p->n ? p->m : p->n);
    void *turned, *pivots, **pointers;
    if (p->n <= GARRAY_CUDA_SOLVE_SMALL && p->m <= GARRAY_CUDA_SOLVE_SMALL)
        return garray__cuda_small_lu(j->q, p, NULL);
    GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)(p->batch * p->m * p->n) * j->item, &turned));
    GARRAY_CUDA_TRY(garray__cuda_transpose(j->q, p->dtype, p->a, turned, p->m, p->n, p->batch));
    if (p->m == p->n && garray__solver_batched(p)) {
        GARRAY_CUDA_TRY(garray__scratch_take(&j->scratch, (size_t)count * sizeof(int), &pivots));
        GARRAY_CUDA_TRY(factor_batched(j, turned, pivots, &pointers, "lu"));
        GARRAY_CUDA_TRY(garray__cuda_to_pivots(j->q, pivots, sizeof(int), p->c, count));
    } else {
        GARRAY_CUDA_TRY(factor_each(j, turned, p->m, p->n, p->c, "lu"));
        GARRAY_CUDA_TRY(garray__cuda_to_pivots(j->q, p->c, sizeof(int64_t), p->c, count));
    }
    return garray__cuda_transpose(j->q, p->dtype, turned, p->a, p->n, p->m, p->batch);
}

/* ---- triangular systems ---- */

/* To cuBLAS the memory of a is the transpose m of a, and that of b the transpose of b: op(a) x = b is x^T op(a)^T = b^T with
 * op(a)^T = m, m^T or m^H, from the right.  A single right-hand side is a column as well as a row, and is solved from the
 * left, where the library is faster: op(a) is then m^T or m; a^H = conj(m) it does not know. */
static garray_status triangular(job *j)
{
    static const double one_wide[2] = {1, 0};
    static const float one[2] = {1, 0};
    static const cublasOperation_t operations[3] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    const garray_solve_plan *p = j->plan;
    const bool is_complex = j->row >= 2, left = p->nrhs == 1 && !(is_complex && p->trans == 2);
    const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    const cublasFillMode_t fill = p->upper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const cublasOperation_t op = left ? (p->trans ? CUBLAS_OP_N : CUBLAS_OP_T) : operations[p->trans];
    const cublasDiagType_t diagonal = p->unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const void *alpha = j->real == CUDA_R_64F ? (const void *)one_wide : (const void *)one;
    const int64_t height = left ? p->n : p->nrhs, width = left ? 1 : p->n;
    const size_t a_size = (size_t)(p->n * p->n) * j->item, b_size = (size_t)(p->n * p->nrhs) * j->item;
    garray__blas_call call;
    void **a = NULL, **b = NULL;
    cublasStatus_t s = CUBLAS_STATUS_SUCCESS;
    if (p->checked && !p->unit) {
        GARRAY_CUDA_TRY(garray__cuda_check_diagonal(j->q, p->dtype, p->a, p->n, p->batch, j->info));
        GARRAY_CUDA_TRY(garray__cuda_report_info(j->q, j->info, p->batch, GARRAY__LATE_SINGULAR));
    }
    if (garray__solver_batched(p)) {
        GARRAY_CUDA_TRY(garray__solver_pointers(j, p->a, a_size, &a));
        GARRAY_CUDA_TRY(garray__solver_pointers(j, p->b, b_size, &b));
    }
    GARRAY_CUDA_TRY(garray__cuda_blas_begin(j->q, &call));
    if (a)
        s = garray__cuda_blas.trsm_batched[j->row](call.handle, side, fill, op, diagonal, (int)height, (int)width, alpha,
                                                   (const void *const *)a, (int)p->n, b, (int)height, (int)p->batch);
    for (int64_t i = 0; !a && i < p->batch && s == CUBLAS_STATUS_SUCCESS; i++)
        s = garray__cuda_blas.trsm[j->row](call.handle, side, fill, op, diagonal, height, width, alpha,
                                           (const char *)p->a + (size_t)i * a_size, p->n, (char *)p->b + (size_t)i * b_size,
                                           height);
    garray__cuda_blas_end(&call);
    return blas_status(j, s, "solve_triangular");
}

garray_status garray__cuda_lu(job *j)
{
    switch (j->plan->kind) {
    case GARRAY_SOLVE_INVERSE: return inverse(j);
    case GARRAY_SOLVE_LU: return factors(j);
    case GARRAY_SOLVE_DETERMINANT: return determinant(j);
    default: return triangular(j);
    }
}
