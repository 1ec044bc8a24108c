/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values by LAPACK's gesdd, one matrix after the other, alone in the library (blas.h); stacks of small matrices
 * do not come here (jacobi.c).
 *
 * LAPACK counts columns first and sees the transpose of a row-major x: x^T = vh^T s u^T, so what it calls u is vh as we
 * store it, and the other way round; nothing is transposed. */
#include "cpu/blas.h"
#include "cpu/lapack.h"
#include "cpu/vectors.h"

typedef struct {
    const garray__cpu_vector_job *j;
    const char *jobz;
    lapack_int m, n, k, rows_vh, columns_u, items;      /* as LAPACK sees them: m x n is our n x m */
    char *work, *rwork;
    lapack_int *iwork;
    double *factors, *most;
    int64_t *place;
} svd_call;

static lapack_int call(const svd_call *c, void *a, void *s, void *u, void *vh, void *work, lapack_int items)
{
    lapack_int info = 0;
    switch (c->j->row) {
    case 0:
        sgesdd_(c->jobz, &c->m, &c->n, a, &c->m, s, vh, &c->m, u, &c->columns_u, work, &items, c->iwork, &info, 1);
        break;
    case 1:
        dgesdd_(c->jobz, &c->m, &c->n, a, &c->m, s, vh, &c->m, u, &c->columns_u, work, &items, c->iwork, &info, 1);
        break;
    case 2:
        cgesdd_(c->jobz, &c->m, &c->n, a, &c->m, s, vh, &c->m, u, &c->columns_u, work, &items, c->rwork, c->iwork, &info, 1);
        break;
    default:
        zgesdd_(c->jobz, &c->m, &c->n, a, &c->m, s, vh, &c->m, u, &c->columns_u, work, &items, c->rwork, c->iwork, &info, 1);
        break;
    }
    return info;
}

/* What gesdd wants to work in. */
static garray_status best_size(svd_call *c)
{
    double answer[2] = { 0, 0 };
    lapack_int info = call(c, answer, answer, answer, answer, answer, -1);
    const double size = garray__cpu_work_items(answer, c->j->part);
    if (info < 0)
        return garray__cpu_bad_argument("gesdd", info);
    if (size > INT32_MAX - 64)
        return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED, "a matrix of %lld x %lld is larger than LAPACK's gesdd can take",
                                      (long long)c->n, (long long)c->m);
    c->items = (lapack_int)size + 1;
    return GARRAY_OK;
}

/* u and vh by the rule: pairs by u; what completes one of them by itself. */
static void settle(const svd_call *c, char *u, char *vh)
{
    const garray__cpu_vector_job *j = c->j;
    j->steps->column_phases(u, c->n, c->columns_u, c->factors, c->most, c->place);
    j->steps->turn_columns(u, c->n, c->columns_u, c->factors);
    j->steps->turn_rows(vh, c->k, c->m, c->factors);
    j->steps->settle_rows(vh + (int64_t)c->k * c->m * j->item, c->rows_vh - c->k, c->m);
}

static garray_status each(const void *ctx)
{
    const svd_call *c = ctx;
    const garray__cpu_vector_job *j = c->j;
    const garray_solve_plan *p = j->plan;
    for (int64_t i = 0; i < p->batch; i++) {
        char *a = (char *)p->a + i * p->m * p->n * j->item, *s = (char *)p->w + i * j->k * j->part;
        char *u = p->vectors ? (char *)p->c + i * p->m * c->columns_u * j->item : NULL;
        char *vh = p->vectors ? (char *)p->d + i * c->rows_vh * p->n * j->item : NULL;
        const lapack_int info = j->steps->finite(a, p->m * p->n) ? call(c, a, s, u, vh, c->work, c->items) : 1;
        if (info < 0)
            return garray__cpu_bad_argument("gesdd", info);
        if (info > 0)
            return garray__cpu_no_convergence(p, "SVD", i);
        if (p->vectors)
            settle(c, u, vh);
    }
    return GARRAY_OK;
}

garray_status garray__cpu_svd(const garray__cpu_vector_job *j)
{
    const garray_solve_plan *p = j->plan;
    const int64_t k = j->k, most = p->m < p->n ? p->n : p->m;
    svd_call c = { .j = j, .m = (lapack_int)p->n, .n = (lapack_int)p->m, .k = (lapack_int)k };
    c.jobz = !p->vectors ? "N" : p->full ? "A" : "S";
    c.columns_u = (lapack_int)(p->full ? p->m : k);
    c.rows_vh = (lapack_int)(p->full ? p->n : k);
    int64_t reals = 7 * k;              /* of complex matrices; LAPACK before 3.6 asked for more */
    if (p->vectors)
        reals = k * (5 * k + 7 > 2 * most + 2 * k + 1 ? 5 * k + 7 : 2 * most + 2 * k + 1);
    const int64_t rwork = j->row < 2 ? 0 : reals * j->part, iwork = (8 * k * 4 + 15) / 16 * 16;
    void *memory;
    garray_status st = garray__cpu_host->scratch(j->q, (size_t)(rwork + iwork + most * 32 + 16), &memory);
    if (st != GARRAY_OK)
        return st;
    c.factors = memory;
    c.most = c.factors + 2 * most;
    c.place = (int64_t *)(void *)(c.most + most);
    c.iwork = (lapack_int *)(void *)(c.place + most);
    c.rwork = (char *)c.iwork + iwork;
    garray__blas_enter(GARRAY_BLAS_ALONE);
    st = best_size(&c);
    if (st == GARRAY_OK)
        st = garray__cpu_with_work(j, c.items, &c.work, each, &c);
    garray__blas_leave();
    garray__cpu_host->scratch_free(j->q, memory);
    return st;
}
