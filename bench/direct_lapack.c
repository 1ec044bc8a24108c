/* SPDX-License-Identifier: BSD-3-Clause
 * LAPACK called directly, with the routines and work sizes that the library takes: the cases of bench_linalg().  Stacks are
 * loops.  LAPACK destroys its input; putting it back is not measured, and neither is what it takes to count columns first. */
#define _GNU_SOURCE
#include <cblas.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include "cpu/lapack.h"
#include "direct.h"

void dgelsd_(const lapack_int *m, const lapack_int *n, const lapack_int *nrhs, double *a, const lapack_int *lda, double *b,
             const lapack_int *ldb, double *s, const double *rcond, lapack_int *rank, double *work, const lapack_int *lwork,
             lapack_int *iwork, lapack_int *info);

/* `batch` systems of m x n matrices and right-hand sides, as they are given, and as a routine leaves them. */
typedef struct {
    lapack_int m, n, nrhs, size, isize;
    int64_t batch;
    double *a, *b, *a_in, *b_in, *w, *u, *v, *tau, *work;
    lapack_int *pivots, *iwork;
    size_t bytes_a, bytes_b;
} task;

typedef void call(task *t, double *a, double *b);

static void cholesky(task *t, double *a, double *b)
{
    lapack_int info;
    (void)b;
    dpotrf_("U", &t->n, a, &t->n, &info, 1);
}

static void solve(task *t, double *a, double *b)
{
    lapack_int info;
    dgesv_(&t->n, &t->nrhs, a, &t->n, t->pivots, b, &t->n, &info);
}

static void inverse(task *t, double *a, double *b)
{
    lapack_int info;
    (void)b;
    dgetrf_(&t->n, &t->n, a, &t->n, t->pivots, &info);
    dgetri_(&t->n, a, &t->n, t->pivots, t->work, &t->size, &info);
}

static void factor(task *t, double *a, double *b)
{
    lapack_int info;
    (void)b;
    dgetrf_(&t->n, &t->n, a, &t->n, t->pivots, &info);
}

static void eigh(task *t, double *a, double *b)
{
    lapack_int info, size = 1 + 6 * t->n + 2 * t->n * t->n;
    (void)b;
    dsyevd_("V", "U", &t->n, a, &t->n, t->w, t->work, &size, t->iwork, &t->isize, &info, 1, 1);
}

static void qr(task *t, double *a, double *b)
{
    lapack_int info;
    (void)b;
    dgeqrf_(&t->m, &t->n, a, &t->m, t->tau, t->work, &t->size, &info);
    dorgqr_(&t->m, &t->n, &t->n, a, &t->m, t->tau, t->work, &t->size, &info);
}

static void svd(task *t, double *a, double *b)
{
    lapack_int info;
    (void)b;
    dgesdd_("A", &t->m, &t->n, a, &t->m, t->w, t->u, &t->m, t->v, &t->n, t->work, &t->size, t->iwork, &info, 1);
}

static void eig(task *t, double *a, double *b)
{
    lapack_int info, one = 1;
    (void)b;
    dgeev_("N", "V", &t->n, a, &t->n, t->w, t->w + t->n, NULL, &one, t->v, &t->n, t->work, &t->size, &info, 1, 1);
}

static void triangular(task *t, double *a, double *b)
{
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, t->n, t->nrhs, 1, a, t->n, b, t->nrhs);
}

/* As NumPy does it: by divide and conquer. */
static void least_squares(task *t, double *a, double *b)
{
    lapack_int info, rank;
    const double rcond = 0x1p-52 * t->m;
    dgelsd_(&t->m, &t->n, &t->nrhs, a, &t->m, b, &t->m, t->w, &rcond, &rank, t->work, &t->size, t->iwork, &info);
}

enum kind { GENERAL, POSITIVE, LOWER };

static void fill(task *t, enum kind kind)
{
    const int64_t size = (int64_t)t->m * t->n;
    const double bound = sqrt(3 * exp(1) / t->m);
    for (int64_t i = 0; i < size * t->batch; i++)
        t->a_in[i] = kind == GENERAL ? bound * (2 * direct_uniform() - 1) : direct_uniform();
    for (int64_t i = 0; i < (int64_t)t->m * t->nrhs * t->batch; i++)
        t->b_in[i] = direct_uniform();
    for (int64_t k = 0; k < t->batch && kind != GENERAL; k++) {
        double *a = t->a_in + k * size;
        if (kind == POSITIVE) {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t->n, t->n, t->n, 1, a, t->n, a, t->n, 0, t->a, t->n);
            memcpy(a, t->a, (size_t)size * 8);
        }
        for (int64_t i = 0; i < t->n; i++)
            a[i * (t->n + 1)] += t->n;
    }
}

/* The largest workspace that the routine asks for; LAPACK asks for no more than so many items here. */
static size_t work_items(const task *t)
{
    const size_t m = (size_t)t->m, n = (size_t)t->n, most = m > n ? m : n;
    return 16 * most * (n > 64 ? n : 64) + 256 * most + 1024;
}

static void run(const char *name, call *routine, enum kind kind, task t, double bytes, double flops)
{
    const size_t side = (size_t)(t.m > t.n ? t.m : t.n), work = work_items(&t) * 8;
    double ms[DIRECT_REPEATS];
    t.bytes_a = (size_t)t.m * (size_t)t.n * (size_t)t.batch * 8;
    t.bytes_b = (size_t)t.m * (size_t)(t.nrhs ? t.nrhs : 1) * (size_t)t.batch * 8;
    t.a = direct_memory(t.bytes_a);
    t.a_in = direct_memory(t.bytes_a);
    t.b = direct_memory(t.bytes_b);
    t.b_in = direct_memory(t.bytes_b);
    t.work = direct_memory(work);
    t.w = direct_memory(2 * side * 8);
    t.tau = direct_memory(side * 8);
    t.u = direct_memory(side * side * 8);
    t.v = direct_memory(side * side * 8);
    t.pivots = direct_memory(side * 4);
    t.isize = (lapack_int)(16 * side + 64);
    t.iwork = direct_memory((size_t)t.isize * 4 * 16);
    t.size = (lapack_int)(work / 8);
    fill(&t, kind);
    for (int r = -1; r < DIRECT_REPEATS; r++) {
        memcpy(t.a, t.a_in, t.bytes_a);
        memcpy(t.b, t.b_in, t.bytes_b);
        const double start = direct_now();
        for (int64_t i = 0; i < t.batch; i++)
            routine(&t, t.a + i * t.m * t.n, t.b + i * t.m * t.nrhs);
        if (r >= 0)
            ms[r] = direct_now() - start;
    }
    direct_print(name, t.batch > 1 ? t.batch : t.m, "float64", ms, DIRECT_REPEATS, bytes * (double)t.batch,
                 flops * (double)t.batch);
    munmap(t.a, t.bytes_a);
    munmap(t.a_in, t.bytes_a);
    munmap(t.b, t.bytes_b);
    munmap(t.b_in, t.bytes_b);
    munmap(t.work, work);
    munmap(t.u, side * side * 8);
    munmap(t.v, side * side * 8);
}

void direct_lapack(void)
{
    enum { N = 1024, E = 256, S = 16, B = 10000, M = 64, C = 100 };
    const double n = N, n2 = n * n, n3 = n * n2, s2 = S * S, s3 = S * s2, e2 = (double)E * E, m2 = M * M, m3 = M * m2;
    const task one = { .m = N, .n = N, .nrhs = 16, .batch = 1 }, many = { .m = S, .n = S, .nrhs = 1, .batch = B };
    const task hundred = { .m = M, .n = M, .batch = C };
    task square = one, small = one, tall = one;
    square.nrhs = N;
    small.m = small.n = E;
    tall.n = N / 8;
    run("cholesky_f64", cholesky, POSITIVE, one, 16 * n2, n3 / 3);
    run("eigh_f64", eigh, POSITIVE, one, 16 * n2, 0);
    run("qr_f64", qr, GENERAL, one, 24 * n2, 8 * n3 / 3);
    run("svd_f64", svd, GENERAL, one, 24 * n2, 0);
    run("eig_f64", eig, GENERAL, small, 24 * e2, 0);
    run("solve_f64", solve, GENERAL, one, 8 * n2, 2 * n3 / 3 + 32 * n2);
    run("inv_f64", inverse, GENERAL, one, 16 * n2, 2 * n3);
    run("det_f64", factor, GENERAL, one, 8 * n2, 2 * n3 / 3);
    run("solve_triangular_f64", triangular, LOWER, square, 24 * n2, n3);
    run("lstsq_f64", least_squares, GENERAL, tall, n2, 0);
    run("solve_batched16_f64", solve, GENERAL, many, 8 * s2, 2 * s3 / 3 + 512);
    run("cholesky_batched16_f64", cholesky, POSITIVE, many, 16 * s2, s3 / 3);
    run("eigh_batched16_f64", eigh, POSITIVE, many, 16 * s2, 0);
    run("svd_batched16_f64", svd, GENERAL, many, 24 * s2, 0);
    run("qr_batched64_f64", qr, GENERAL, hundred, 24 * m2, 8 * m3 / 3);
    run("svd_batched64_f64", svd, GENERAL, hundred, 24 * m2, 0);
}
