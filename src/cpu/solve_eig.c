/* SPDX-License-Identifier: BSD-3-Clause
 * Eigenvalues of general matrices by LAPACK's geev, one matrix after the other, alone in the library (blas.h).  The matrix
 * is transposed, for LAPACK counts columns first.  Values are sorted; of a real matrix the vectors come in pairs, as real
 * and imaginary part. */
#include <stdlib.h>
#include <string.h>
#include "cpu/blas.h"
#include "cpu/lapack.h"
#include "cpu/solve.h"
#include "cpu/vectors.h"

typedef struct {
    double re, im;
    int64_t index;
} value;

typedef struct {
    const garray__cpu_vector_job *j;
    lapack_int n, items;
    char *x, *vectors, *sorted, *values, *rwork, *work;
    value *order;
} eig_call;

static lapack_int call(const eig_call *c, void *work, lapack_int items)
{
    const char *jobvr = c->j->plan->vectors ? "V" : "N";
    const lapack_int *n = &c->n, one = 1;
    lapack_int info = 0;
    void *w = c->values, *imaginary = c->values + c->j->part * c->n;
    switch (c->j->row) {
    case 0: sgeev_("N", jobvr, n, c->x, n, w, imaginary, NULL, &one, c->vectors, n, work, &items, &info, 1, 1); break;
    case 1: dgeev_("N", jobvr, n, c->x, n, w, imaginary, NULL, &one, c->vectors, n, work, &items, &info, 1, 1); break;
    case 2: cgeev_("N", jobvr, n, c->x, n, w, NULL, &one, c->vectors, n, work, &items, c->rwork, &info, 1, 1); break;
    default: zgeev_("N", jobvr, n, c->x, n, w, NULL, &one, c->vectors, n, work, &items, c->rwork, &info, 1, 1); break;
    }
    return info;
}

static double real_at(const eig_call *c, const char *base, int64_t i)
{
    return c->j->part == 4 ? (double)((const float *)(const void *)base)[i] : ((const double *)(const void *)base)[i];
}

static void put_complex(const eig_call *c, char *base, int64_t i, double re, double im)
{
    if (c->j->part == 4) {
        ((float *)(void *)base)[2 * i] = (float)re;
        ((float *)(void *)base)[2 * i + 1] = (float)im;
    } else {
        ((double *)(void *)base)[2 * i] = re;
        ((double *)(void *)base)[2 * i + 1] = im;
    }
}

/* As complex numbers are sorted; equal ones stay in their order. */
static int compare(const void *left, const void *right)
{
    const value *a = left, *b = right;
    if (a->re != b->re)
        return a->re < b->re ? -1 : 1;
    if (a->im != b->im)
        return a->im < b->im ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void sort_values(const eig_call *c, char *w)
{
    const bool real = c->j->row < 2;
    for (int64_t i = 0; i < c->n; i++) {
        c->order[i].re = real_at(c, c->values, real ? i : 2 * i);
        c->order[i].im = real_at(c, c->values, real ? c->n + i : 2 * i + 1);
        c->order[i].index = i;
    }
    qsort(c->order, (size_t)c->n, sizeof *c->order, compare);
    for (int64_t i = 0; i < c->n; i++)
        put_complex(c, w, i, c->order[i].re, c->order[i].im);
}

/* The vectors in the order of the values, one after the other, then as turned columns of v. */
static void sort_vectors(const eig_call *c, char *v)
{
    const int64_t n = c->n, size = n * c->j->item;
    const garray__cpu_vector_steps *steps = &garray__cpu_vector_steps_of[c->j->row | 2];
    for (int64_t i = 0; i < n; i++) {
        const value *of = &c->order[i];
        char *to = c->sorted + i * n * 2 * c->j->part;
        const char *from = c->vectors + of->index * size;
        if (c->j->row >= 2) {
            memcpy(to, from, (size_t)size);
            continue;
        }
        /* the first of a pair has the positive imaginary part */
        const char *re = of->im < 0 ? from - size : from, *im = of->im < 0 ? from : of->im > 0 ? from + size : NULL;
        for (int64_t k = 0; k < n; k++) {
            const double part = im ? real_at(c, im, k) : 0;
            put_complex(c, to, k, real_at(c, re, k), of->im < 0 ? -part : part);
        }
    }
    steps->settle_rows(c->sorted, n, n);
    garray__cpu_transpose(2 * c->j->part, v, c->sorted, n, n);
}

static garray_status each(const void *ctx)
{
    const eig_call *c = ctx;
    const garray__cpu_vector_job *j = c->j;
    const garray_solve_plan *p = j->plan;
    for (int64_t i = 0; i < p->batch; i++) {
        const char *a = (const char *)p->a + i * p->n * p->n * j->item;
        const bool finite = j->steps->finite(a, p->n * p->n);
        if (finite)
            garray__cpu_transpose(j->item, c->x, a, p->n, p->n);
        const lapack_int info = finite ? call(c, c->work, c->items) : 1;
        if (info < 0)
            return garray__cpu_bad_argument("geev", info);
        if (info > 0)
            return garray__cpu_no_convergence(p, "Eigenvalues", i);
        sort_values(c, (char *)p->w + i * p->n * 2 * j->part);
        if (p->vectors)
            sort_vectors(c, (char *)p->c + i * p->n * p->n * 2 * j->part);
    }
    return GARRAY_OK;
}

garray_status garray__cpu_eig(const garray__cpu_vector_job *j)
{
    const garray_solve_plan *p = j->plan;
    const int64_t n = p->n, square = (n * n * j->item + 15) / 16 * 16, result = n * n * 2 * j->part;
    eig_call c = { .j = j, .n = (lapack_int)n };
    void *memory;
    const int64_t lists = (n * ((int64_t)sizeof(value) + 4 * j->part) + 15) / 16 * 16;
    garray_status st = garray__cpu_host->scratch(j->q, (size_t)(lists + square + (p->vectors ? square + result : 0)), &memory);
    if (st != GARRAY_OK)
        return st;
    c.order = memory;
    c.values = (char *)(c.order + n);
    c.rwork = c.values + n * 2 * j->part;
    c.x = (char *)memory + lists;
    c.vectors = p->vectors ? c.x + square : c.x;
    c.sorted = c.vectors + square;
    garray__blas_enter(GARRAY_BLAS_ALONE);
    double answer[2] = { 0, 0 };
    (void)call(&c, answer, -1);
    const double best = garray__cpu_work_items(answer, j->part);
    c.items = best < INT32_MAX ? (lapack_int)best : INT32_MAX;
    st = garray__cpu_with_work(j, c.items, &c.work, each, &c);
    garray__blas_leave();
    garray__cpu_host->scratch_free(j->q, memory);
    return st;
}
