/* SPDX-License-Identifier: BSD-3-Clause
 * LU factors and what they give: inverses, determinants; triangular systems; the order of rows that pivots make.  By LAPACK
 * and BLAS, one matrix after the other, alone in the library (blas.h).
 *
 * A matrix is transposed for the LU factorization, so that pivots and singular cases are NumPy's.  Triangular systems go
 * to the BLAS row by row as they are. */
#include <string.h>
#include "core/determinant.h"
#include "cpu/blas.h"
#include "cpu/lapack.h"
#include "cpu/solve.h"

enum { BLOCK = 64 };            /* of getri: no less than ilaenv says */

static bool is_complex(const garray__solve_job *j)
{
    return j->has_imag;
}

/* The LU factors of a rows x columns matrix, by columns; info is getrf's. */
static garray_status factor(const garray__solve_job *j, char *a, int64_t rows, int64_t columns, lapack_int *pivots,
                            lapack_int *info)
{
    lapack_int m = (lapack_int)rows, n = (lapack_int)columns, lead = m > 1 ? m : 1;
    if (is_complex(j))
        (j->wide ? zgetrf_ : cgetrf_)(&m, &n, a, &lead, pivots, info);
    else
        (j->wide ? dgetrf_ : sgetrf_)(&m, &n, a, &lead, pivots, info);
    if (*info < 0)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "argument %d of getrf is wrong", (int)-*info);
    return GARRAY_OK;
}

garray_status garray__cpu_singular(const garray_solve_plan *plan, int64_t index)
{
    if (plan->batch > 1)
        return garray__cpu_host->fail(GARRAY_ERR_SINGULAR, "Singular matrix (item %lld of the batch)", (long long)index);
    return garray__cpu_host->fail(GARRAY_ERR_SINGULAR, "Singular matrix");
}

static garray_status inverse(const garray__solve_job *j, const char *a, char *b, int64_t index)
{
    int64_t n = j->n, square = n * n * j->item;
    char *at = j->work, *extra = at + square;
    lapack_int order = (lapack_int)n, info = 0, size = (lapack_int)(BLOCK * n);
    lapack_int *pivots = (lapack_int *)(void *)(extra + BLOCK * n * j->item);
    garray__solve_transpose(j, at, a, n, n);
    GARRAY_TRY(factor(j, at, n, n, pivots, &info));
    if (info == 0 && is_complex(j))
        (j->wide ? zgetri_ : cgetri_)(&order, at, &order, pivots, extra, &size, &info);
    else if (info == 0)
        (j->wide ? dgetri_ : sgetri_)(&order, at, &order, pivots, extra, &size, &info);
    if (info && j->plan->checked)
        return garray__cpu_singular(j->plan, index);
    for (int64_t p = 0; info && p < square; p += j->part)
        garray__solve_set_real(j, at + p, (double)NAN);
    garray__solve_transpose(j, b, at, n, n);
    return GARRAY_OK;
}

static garray_status lu(const garray__solve_job *j, char *a, int64_t *c)
{
    int64_t m = j->plan->m, n = j->n, steps = m < n ? m : n;
    lapack_int *pivots = (lapack_int *)(void *)(j->work + m * n * j->item), info;
    garray__solve_transpose(j, j->work, a, m, n);
    GARRAY_TRY(factor(j, j->work, m, n, pivots, &info));
    garray__solve_transpose(j, a, j->work, n, m);
    for (int64_t i = 0; i < steps; i++)
        c[i] = pivots[i] - 1;
    return GARRAY_OK;
}

void garray__solve_determinant(const garray__solve_job *j, const garray__scaled *s, int64_t index)
{
    double re, im, logarithm;
    char *b = (char *)j->plan->b + index * j->item;
    if (j->plan->w) {
        garray__scaled_log(s, &re, &im, &logarithm);
        garray__solve_set_real(j, (char *)j->plan->w + index * j->part, logarithm);
    } else {
        garray__scaled_value(s, &re, &im);
    }
    garray__solve_set_real(j, b, re);
    if (j->has_imag)
        garray__solve_set_real(j, b + j->part, im);
}

static garray_status determinant(const garray__solve_job *j, const char *a, int64_t index)
{
    int64_t n = j->n;
    lapack_int *pivots = (lapack_int *)(void *)(j->work + n * n * j->item), info;
    garray__scaled s = { 1, 0, 0 };
    garray__solve_transpose(j, j->work, a, n, n);
    GARRAY_TRY(factor(j, j->work, n, n, pivots, &info));
    for (int64_t i = 0; i < n; i++) {
        const char *p = j->work + i * (n + 1) * j->item;
        double sign = pivots[i] == i + 1 ? 1 : -1;
        garray__scaled_multiply(&s, sign * garray__solve_real(j, p), j->has_imag ? sign * garray__solve_real(j, p + j->part) : 0,
                                j->has_imag);
    }
    garray__solve_determinant(j, &s, index);
    return GARRAY_OK;
}

/* ---- triangular systems ---- */

static bool singular_triangle(const garray__solve_job *j, const char *a)
{
    for (int64_t i = 0; i < j->n; i++) {
        const char *p = a + i * (j->n + 1) * j->item;
        if (garray__solve_real(j, p) == 0 && (!j->has_imag || garray__solve_real(j, p + j->part) == 0))
            return true;
    }
    return false;
}

static garray_status triangular(const garray__solve_job *j, const void *a, void *b, int64_t index)
{
    static const double one_wide[2] = { 1, 0 };
    static const float one[2] = { 1, 0 };
    const garray_solve_plan *p = j->plan;
    const CBLAS_UPLO uplo = p->upper ? CblasUpper : CblasLower;
    const CBLAS_TRANSPOSE trans = p->trans == 0 ? CblasNoTrans : p->trans == 1 ? CblasTrans : CblasConjTrans;
    const CBLAS_DIAG diagonal = p->unit ? CblasUnit : CblasNonUnit;
    const int n = (int)p->n, nrhs = (int)p->nrhs;
    if (p->checked && !p->unit && singular_triangle(j, a))
        return garray__cpu_singular(p, index);
    if (nrhs == 1 && is_complex(j))
        (j->wide ? cblas_ztrsv : cblas_ctrsv)(CblasRowMajor, uplo, trans, diagonal, n, a, n, b, 1);
    else if (nrhs == 1 && j->wide)
        cblas_dtrsv(CblasRowMajor, uplo, trans, diagonal, n, a, n, b, 1);
    else if (nrhs == 1)
        cblas_strsv(CblasRowMajor, uplo, trans, diagonal, n, a, n, b, 1);
    else if (is_complex(j))
        (j->wide ? cblas_ztrsm : cblas_ctrsm)(CblasRowMajor, CblasLeft, uplo, trans, diagonal, n, nrhs,
                                              j->wide ? (const void *)one_wide : (const void *)one, a, n, b, nrhs);
    else if (j->wide)
        cblas_dtrsm(CblasRowMajor, CblasLeft, uplo, trans, diagonal, n, nrhs, 1, a, n, b, nrhs);
    else
        cblas_strsm(CblasRowMajor, CblasLeft, uplo, trans, diagonal, n, nrhs, 1, a, n, b, nrhs);
    return GARRAY_OK;
}

/* ---- the order of rows ---- */

static garray_status permutation(const garray_solve_plan *p)
{
    for (int64_t t = 0; t < p->batch; t++) {
        const int64_t *c = (const int64_t *)p->c + t * p->nrhs;
        int64_t *d = (int64_t *)p->d + t * p->n;
        for (int64_t i = 0; i < p->n; i++)
            d[i] = i;
        /* the exchanges in turn give the order, those of the inverse come from the last one */
        for (int64_t k = 0; k < p->nrhs; k++) {
            int64_t i = p->trans ? p->nrhs - 1 - k : k, at = c[i];
            if (at < 0 || at >= p->n)
                return garray__cpu_host->fail(GARRAY_ERR_INDEX, "pivot %lld is out of bounds for %lld rows", (long long)at,
                                              (long long)p->n);
            int64_t held = d[i];
            d[i] = d[at];
            d[at] = held;
        }
    }
    return GARRAY_OK;
}

/* ---- the way in ---- */

int64_t garray__cpu_lu_work(const garray__solve_job *j)
{
    int64_t n = j->n, m = j->plan->m;
    switch (j->plan->kind) {
    case GARRAY_SOLVE_INVERSE: return (n * n + BLOCK * n) * j->item + n * 4;
    case GARRAY_SOLVE_LU: return m * n * j->item + (m < n ? m : n) * 4;
    case GARRAY_SOLVE_DETERMINANT: return n * n * j->item + n * 4;
    default: return 0;
    }
}

garray_status garray__cpu_lu(const garray__solve_job *j)
{
    const garray_solve_plan *p = j->plan;
    garray_status st = GARRAY_OK;
    int64_t rows = p->kind == GARRAY_SOLVE_LU ? p->m : p->n, steps = rows < p->n ? rows : p->n;
    if (p->kind == GARRAY_SOLVE_PERMUTATION)
        return permutation(p);
    garray__blas_enter(GARRAY_BLAS_ALONE);
    for (int64_t i = 0; i < p->batch && st == GARRAY_OK; i++) {
        char *a = (char *)p->a + i * rows * p->n * j->item;
        if (p->kind == GARRAY_SOLVE_INVERSE)
            st = inverse(j, a, (char *)p->b + i * p->n * p->n * j->item, i);
        else if (p->kind == GARRAY_SOLVE_LU)
            st = lu(j, a, (int64_t *)p->c + i * steps);
        else if (p->kind == GARRAY_SOLVE_DETERMINANT)
            st = determinant(j, a, i);
        else
            st = triangular(j, a, (char *)p->b + i * p->n * p->nrhs * j->item, i);
    }
    garray__blas_leave();
    return st;
}
