/* SPDX-License-Identifier: BSD-3-Clause
 * QR by LAPACK's geqrf and orgqr, one matrix after the other, alone in the library (blas.h).  LAPACK counts columns first,
 * so the matrix is transposed before and Q after; R is taken from the factored matrix. */
#include "cpu/blas.h"
#include "cpu/lapack.h"
#include "cpu/solve.h"
#include "cpu/vectors.h"

typedef struct {
    const garray__cpu_vector_job *j;
    lapack_int m, n, k, rows, items;    /* rows: of R, columns of Q */
    char *h, *tau, *work;
    double *factors;
} qr_call;

static lapack_int factor(const qr_call *c, void *a, void *tau, void *work, lapack_int items)
{
    lapack_int info = 0;
    switch (c->j->row) {
    case 0: sgeqrf_(&c->m, &c->n, a, &c->m, tau, work, &items, &info); break;
    case 1: dgeqrf_(&c->m, &c->n, a, &c->m, tau, work, &items, &info); break;
    case 2: cgeqrf_(&c->m, &c->n, a, &c->m, tau, work, &items, &info); break;
    default: zgeqrf_(&c->m, &c->n, a, &c->m, tau, work, &items, &info); break;
    }
    return info;
}

static lapack_int form(const qr_call *c, void *a, void *tau, void *work, lapack_int items)
{
    lapack_int info = 0;
    switch (c->j->row) {
    case 0: sorgqr_(&c->m, &c->rows, &c->k, a, &c->m, tau, work, &items, &info); break;
    case 1: dorgqr_(&c->m, &c->rows, &c->k, a, &c->m, tau, work, &items, &info); break;
    case 2: cungqr_(&c->m, &c->rows, &c->k, a, &c->m, tau, work, &items, &info); break;
    default: zungqr_(&c->m, &c->rows, &c->k, a, &c->m, tau, work, &items, &info); break;
    }
    return info;
}

/* What the routines want to work in: a multiple of a block of columns, so that INT32_MAX is far. */
static lapack_int best_size(const qr_call *c)
{
    double answer[2] = { 0, 0 }, most = 1;
    for (int pass = 0; pass < 2; pass++) {
        (void)(pass ? form : factor)(c, c->h, c->tau, answer, -1);
        const double size = garray__cpu_work_items(answer, c->j->part);
        most = size > most ? size : most;
    }
    return most < INT32_MAX ? (lapack_int)most : INT32_MAX;
}

/* Between LAPACK's matrix and ours, by all threads. */
typedef struct {
    const qr_call *call;
    const char *h;
    char *to;
} copy;

static void take_rows(void *ctx, int64_t begin, int64_t end)
{
    const copy *t = ctx;
    const garray__cpu_vector_job *j = t->call->j;
    j->steps->take_r(t->h, t->to, t->call->factors, j->plan->m, j->plan->n, begin, end);
}

static void take_columns(void *ctx, int64_t begin, int64_t end)
{
    const copy *t = ctx;
    const garray__cpu_vector_job *j = t->call->j;
    j->steps->transpose_turned(t->to, t->h, t->call->rows, j->plan->m, t->call->factors, begin, end);
}

static garray_status each(const void *ctx)
{
    const qr_call *c = ctx;
    const garray__cpu_vector_job *j = c->j;
    const garray_solve_plan *p = j->plan;
    const bool raw = p->kind == GARRAY_SOLVE_QR_RAW;
    for (int64_t i = 0; i < p->batch; i++) {
        char *h = raw ? (char *)p->c + i * p->m * p->n * j->item : c->h, *tau = raw ? (char *)p->d + i * j->k * j->item : c->tau;
        garray__cpu_transpose(j->item, h, (const char *)p->a + i * p->m * p->n * j->item, p->m, p->n);
        lapack_int info = factor(c, h, tau, c->work, c->items);
        if (info < 0)
            return garray__cpu_bad_argument("geqrf", info);
        if (raw)
            continue;
        copy rest = { .call = c, .h = h, .to = (char *)p->d + i * c->rows * p->n * j->item };
        j->steps->row_factors(h, c->factors, p->m, j->k, c->rows);
        garray__cpu_parallel(c->rows, 64, (double)(c->rows * p->n * j->item) * 0.1, take_rows, &rest);
        if (!p->c)
            continue;
        info = form(c, h, tau, c->work, c->items);
        if (info < 0)
            return garray__cpu_bad_argument("orgqr", info);
        for (int64_t r = 0; r < c->rows; r++)
            c->factors[2 * r + 1] = -c->factors[2 * r + 1];
        rest.to = (char *)p->c + i * p->m * c->rows * j->item;
        garray__cpu_parallel(p->m, 64, (double)(c->rows * p->m * j->item) * 0.12, take_columns, &rest);
    }
    return GARRAY_OK;
}

garray_status garray__cpu_qr(const garray__cpu_vector_job *j)
{
    const garray_solve_plan *p = j->plan;
    const int64_t rows = p->full ? p->m : j->k, columns = rows > p->n ? rows : p->n;
    const int64_t h = p->kind == GARRAY_SOLVE_QR_RAW ? 0 : p->m * columns * j->item;        /* with room for a square Q */
    qr_call c = { .j = j, .m = (lapack_int)p->m, .n = (lapack_int)p->n, .k = (lapack_int)j->k, .rows = (lapack_int)rows };
    void *memory;
    garray_status st = garray__cpu_host->scratch(j->q, (size_t)(rows * 16 + j->k * j->item + h + 64), &memory);
    if (st != GARRAY_OK)
        return st;
    c.factors = memory;
    c.tau = (char *)memory + rows * 16;
    c.h = (char *)memory + (rows * 16 + j->k * j->item + 15) / 16 * 16;
    garray__blas_enter(GARRAY_BLAS_ALONE);
    c.items = best_size(&c);
    st = garray__cpu_with_work(j, c.items, &c.work, each, &c);
    garray__blas_leave();
    garray__cpu_host->scratch_free(j->q, memory);
    return st;
}
