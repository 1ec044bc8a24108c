/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky factors, linear systems and Hermitian eigenproblems by LAPACK, one matrix after the other, alone in the
 * library (blas.h).
 *
 * LAPACK counts columns first, so it sees the transpose of a row-major matrix: for a Hermitian one its conjugate, with
 * the triangles exchanged.  A factor comes out right by asking for the other triangle; eigenvectors are conjugated and
 * transposed back; a general matrix is transposed first, so that pivots and singular cases are NumPy's.
 *
 * Signs and phases of eigenvectors follow the rule of phase.h.
 *
 * A matrix with an infinity or NaN in the triangle that counts is not positive definite, and its eigenvalues do not
 * converge; LAPACK is not asked, for it may not return.  A linear system gives NaN, as in NumPy. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "cpu/blas.h"
#include "cpu/jacobi.h"
#include "cpu/lapack.h"
#include "cpu/loops.h"
#include "cpu/solve.h"
#include "cpu/vectors.h"

typedef garray__solve_job job;

/* ---- items -------------------------------------------------------------------------------------------------------- */
#define real_at garray__solve_real
#define set_real garray__solve_set_real

/* Is the triangle that counts finite? */
static bool finite_triangle(const job *j, const char *a)
{
    const garray__cpu_vector_steps *steps = &garray__cpu_vector_steps_of[j->plan->dtype - GARRAY_FLOAT32];
    for (int64_t i = 0; i < j->n; i++) {
        int64_t begin = j->plan->upper ? i : 0, end = j->plan->upper ? j->n : i + 1;
        if (!steps->finite(a + (i * j->n + begin) * j->item, end - begin))
            return false;
    }
    return true;
}

static void conjugate(const job *j, char *a, int64_t items)
{
    for (int64_t i = 0; j->has_imag && i < items; i++) {
        char *im = a + i * j->item + j->part;
        set_real(j, im, -real_at(j, im));
    }
}

/* ---- transposes ---- */

typedef struct {
    const char *from;
    char *to;
    int64_t rows, columns;
} turn;

typedef struct {
    uint64_t word[2];
} item16;

/* Columns [begin, end), in blocks that stay in the cache. */
#define TURN(T)                                                                                             \
    static void turn_##T(void *ctx, int64_t begin, int64_t end)                                             \
    {                                                                                                       \
        enum { BLOCK = 32 };                                                                                \
        const turn *t = ctx;                                                                                \
        const T *from = (const T *)(const void *)t->from;                                                   \
        T *to = (T *)(void *)t->to;                                                                         \
        for (int64_t r0 = 0; r0 < t->rows; r0 += BLOCK)                                                     \
            for (int64_t c0 = begin; c0 < end; c0 += BLOCK) {                                               \
                const int64_t r_end = t->rows - r0 < BLOCK ? t->rows : r0 + BLOCK;                          \
                const int64_t c_end = end - c0 < BLOCK ? end : c0 + BLOCK;                                  \
                for (int64_t c = c0; c < c_end; c++)                                                        \
                    for (int64_t r = r0; r < r_end; r++)                                                    \
                        to[c * t->rows + r] = from[r * t->columns + c];                                     \
            }                                                                                               \
    }
TURN(uint32_t)
TURN(uint64_t)
TURN(item16)
#undef TURN

void garray__cpu_transpose(int64_t item, void *to, const void *from, int64_t rows, int64_t columns)
{
    turn t = { .from = from, .to = to, .rows = rows, .columns = columns };
    garray__cpu_parallel(columns, 128, (double)(rows * columns * item) * 0.12,
                         item == 4 ? turn_uint32_t : item == 8 ? turn_uint64_t : turn_item16, &t);
}

void garray__solve_transpose(const job *j, char *to, const char *from, int64_t rows, int64_t columns)
{
    garray__cpu_transpose(j->item, to, from, rows, columns);
}

/* ---- Cholesky -------------------------------------------------------------------------------------------------------- */
garray_status garray__cpu_not_positive(const garray_solve_plan *plan, int64_t index)
{
    if (plan->batch > 1)
        return garray__cpu_host->fail(GARRAY_ERR_SINGULAR, "Matrix is not positive definite (item %lld of the batch)",
                                      (long long)index);
    return garray__cpu_host->fail(GARRAY_ERR_SINGULAR, "Matrix is not positive definite");
}

typedef struct {
    const job *j;
    const char *from;
    char *to;
    atomic_bool bad;
} triangle;

/* Rows [begin, end): the triangle that counts is copied, and must be finite; the other one becomes 0. */
static void take_triangle(void *ctx, int64_t begin, int64_t end)
{
    triangle *t = ctx;
    const job *j = t->j;
    const bool upper = j->plan->upper;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = upper ? i : 0, count = upper ? j->n - i : i + 1, row = i * j->n;
        const char *from = t->from + (row + first) * j->item;
        if (!garray__cpu_vector_steps_of[j->plan->dtype - GARRAY_FLOAT32].finite(from, count))
            atomic_store_explicit(&t->bad, true, memory_order_relaxed);
        memcpy(t->to + (row + first) * j->item, from, (size_t)(count * j->item));
        memset(t->to + (upper ? row : row + i + 1) * j->item, 0, (size_t)((j->n - count) * j->item));
    }
}

static garray_status cholesky(const job *j, const char *matrix, char *a, int64_t index)
{
    lapack_int n = (lapack_int)j->n, info = 0;
    const char *uplo = j->plan->upper ? "L" : "U";
    triangle t = { .j = j, .from = matrix, .to = a };
    garray__cpu_parallel(j->n, 32, (double)(j->n * j->n * j->item) * 0.1, take_triangle, &t);
    if (t.bad)
        info = 1;
    else if (j->has_imag)
        (j->wide ? zpotrf_ : cpotrf_)(uplo, &n, a, &n, &info, 1);
    else
        (j->wide ? dpotrf_ : spotrf_)(uplo, &n, a, &n, &info, 1);
    if (info < 0)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "cholesky: argument %d of potrf is wrong", (int)-info);
    return info ? garray__cpu_not_positive(j->plan, index) : GARRAY_OK;
}

/* ---- linear systems ----------------------------------------------------------------------------------------------------- */
static garray_status linear(const job *j, const char *a, char *b, int64_t index)
{
    lapack_int n = (lapack_int)j->n, nrhs = (lapack_int)j->plan->nrhs, info = 0;
    int64_t square = j->n * j->n * j->item, right = j->n * j->plan->nrhs * j->item;
    char *at = j->work, *bt = at + square;
    lapack_int *pivots = (lapack_int *)(void *)(bt + right);
    garray__solve_transpose(j, at, a, j->n, j->n);
    garray__solve_transpose(j, bt, b, j->n, j->plan->nrhs);
    if (j->has_imag)
        (j->wide ? zgesv_ : cgesv_)(&n, &nrhs, at, &n, pivots, bt, &n, &info);
    else
        (j->wide ? dgesv_ : sgesv_)(&n, &nrhs, at, &n, pivots, bt, &n, &info);
    if (info < 0)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "solve: argument %d of gesv is wrong", (int)-info);
    if (info)
        return garray__cpu_singular(j->plan, index);
    garray__solve_transpose(j, b, bt, j->plan->nrhs, j->n);
    return GARRAY_OK;
}

/* ---- eigenproblems --------------------------------------------------------------------------------------------------------- */
/* Of work: the items, and the real and integer workspace of complex matrices and of divide and conquer. */
typedef struct {
    int64_t items, reals, integers;
    bool divide;                /* divide and conquer: its workspace of 2 n^2 must be countable in 32 bits */
} eigh_work;

static eigh_work eigh_sizes(int64_t n, bool vectors, bool has_imag)
{
    eigh_work w = { 0 };
    int64_t large = 1 + 5 * n + 2 * n * n, block = 64;
    w.divide = 1 + 6 * n + 2 * n * n <= INT32_MAX;
    w.integers = vectors ? 3 + 5 * n : 1;
    if (has_imag) {
        w.items = w.divide && vectors ? 2 * n + n * n : (block + 1) * n;
        w.reals = w.divide && vectors ? large : 3 * n;
    } else {
        w.items = w.divide && vectors ? 1 + 6 * n + 2 * n * n : (block + 2) * n + 1;
    }
    if (w.items < (block + 2) * n + 1)
        w.items = (block + 2) * n + 1;
    w.reals += 1;
    return w;
}

static lapack_int eigh_call(const job *j, char *a, char *w)
{
    eigh_work s = eigh_sizes(j->n, j->plan->vectors, j->has_imag);
    lapack_int n = (lapack_int)j->n, info = 0, items = (lapack_int)s.items, reals = (lapack_int)s.reals;
    lapack_int integers = (lapack_int)s.integers;
    const char *jobz = j->plan->vectors ? "V" : "N", *uplo = j->plan->upper ? "L" : "U";
    char *rwork = j->work + s.items * j->item;
    lapack_int *iwork = (lapack_int *)(void *)(rwork + s.reals * j->part);
    if (j->has_imag && s.divide)
        (j->wide ? zheevd_ : cheevd_)(jobz, uplo, &n, a, &n, w, j->work, &items, rwork, &reals, iwork, &integers,
                                      &info, 1, 1);
    else if (j->has_imag)
        (j->wide ? zheev_ : cheev_)(jobz, uplo, &n, a, &n, w, j->work, &items, rwork, &info, 1, 1);
    else if (s.divide)
        (j->wide ? dsyevd_ : ssyevd_)(jobz, uplo, &n, a, &n, w, j->work, &items, iwork, &integers, &info, 1, 1);
    else
        (j->wide ? dsyev_ : ssyev_)(jobz, uplo, &n, a, &n, w, j->work, &items, &info, 1, 1);
    return info;
}

static garray_status eigh(const job *j, char *a, char *w, int64_t index)
{
    lapack_int info = finite_triangle(j, a) ? eigh_call(j, a, w) : 1;
    if (info < 0)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "eigh: argument %d of syevd is wrong", (int)-info);
    if (info && j->plan->batch > 1)
        return garray__cpu_host->fail(GARRAY_ERR_NOCONVERGE, "Eigenvalues did not converge (item %lld of the batch)",
                                      (long long)index);
    if (info)
        return garray__cpu_host->fail(GARRAY_ERR_NOCONVERGE, "Eigenvalues did not converge");
    if (!j->plan->vectors)
        return GARRAY_OK;
    conjugate(j, a, j->n * j->n);
    garray__cpu_vector_steps_of[j->plan->dtype - GARRAY_FLOAT32].settle_rows(a, j->n, j->n);
    for (int64_t begin = 0; begin < j->n; begin += 64) {       /* transposed in place, block against block */
        int64_t end = begin + 64 < j->n ? begin + 64 : j->n;
        for (int64_t r = begin; r < j->n; r++)
            for (int64_t c = begin; c < end && c < r; c++) {
                char t[16], *x = a + (r * j->n + c) * j->item, *y = a + (c * j->n + r) * j->item;
                memcpy(t, x, (size_t)j->item);
                memcpy(x, y, (size_t)j->item);
                memcpy(y, t, (size_t)j->item);
            }
    }
    return GARRAY_OK;
}

/* ---- the entry --------------------------------------------------------------------------------------------- */
static int64_t work_size(const job *j)
{
    int64_t n = j->n;
    if (j->plan->kind == GARRAY_SOLVE_LINEAR)
        return (n * n + n * j->plan->nrhs) * j->item + n * 4;
    if (j->plan->kind == GARRAY_SOLVE_EIGH) {
        eigh_work s = eigh_sizes(n, j->plan->vectors, j->has_imag);
        return s.items * j->item + s.reals * j->part + s.integers * 4;
    }
    return garray__cpu_lu_work(j);
}

garray_status garray__cpu_solve(const garray__queue *q, const garray_solve_plan *plan)
{
    job j = { .plan = plan, .item = garray__cpu_itemsize(plan->dtype), .n = plan->n };
    garray_status st = GARRAY_OK;
    void *work = NULL;
    if (garray__cpu_jacobi_takes(plan))
        return garray__cpu_jacobi_run(q, plan);
    if (plan->kind >= GARRAY_SOLVE_SVD && plan->kind <= GARRAY_SOLVE_EIG)
        return garray__cpu_solve_vectors(q, plan);
    j.has_imag = plan->dtype == GARRAY_COMPLEX64 || plan->dtype == GARRAY_COMPLEX128;
    j.wide = plan->dtype == GARRAY_FLOAT64 || plan->dtype == GARRAY_COMPLEX128;
    j.part = j.has_imag ? j.item / 2 : j.item;
    if (plan->n > INT32_MAX || plan->nrhs > INT32_MAX || plan->m > INT32_MAX)
        return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED, "a matrix of %lld by %lld is larger than LAPACK can take",
                                      (long long)(plan->m > plan->n ? plan->m : plan->n),
                                      (long long)(plan->nrhs > plan->n ? plan->nrhs : plan->n));
    if (garray__cpu_small_takes(plan))
        return garray__cpu_small_run(q, &j);
    int64_t size = work_size(&j);
    if (size)
        GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)size, &work));
    j.work = work;
    if (plan->kind >= GARRAY_SOLVE_INVERSE && plan->kind <= GARRAY_SOLVE_PERMUTATION) {
        st = garray__cpu_lu(&j);
        if (work)
            garray__cpu_host->scratch_free(q, work);
        return st;
    }
    garray__blas_enter(GARRAY_BLAS_ALONE);
    for (int64_t i = 0; i < plan->batch && st == GARRAY_OK; i++) {
        char *a = (char *)plan->a + i * plan->n * plan->n * j.item;
        if (plan->kind == GARRAY_SOLVE_CHOLESKY)
            st = cholesky(&j, a, (char *)plan->b + i * plan->n * plan->n * j.item, i);
        else if (plan->kind == GARRAY_SOLVE_LINEAR)
            st = linear(&j, a, (char *)plan->b + i * plan->n * plan->nrhs * j.item, i);
        else
            st = eigh(&j, a, (char *)plan->w + i * plan->n * j.part, i);
    }
    garray__blas_leave();
    if (work)
        garray__cpu_host->scratch_free(q, work);
    return st;
}
