/* SPDX-License-Identifier: BSD-3-Clause
 * Batches of matrices up to 32 x 32: Cholesky factors, linear systems, inverses and determinants by own kernels
 * (solve_small_tmpl.c), a matrix for each lane of a vector, shared among the threads. */
#include <stdatomic.h>
#include "cpu/solve.h"

enum { SMALL = 32, SMALL_COLUMNS = 64, LANES_MOST = 16, ALONE = 8 };

bool garray__cpu_small_takes(const garray_solve_plan *p)
{
    if (p->n > SMALL || (p->batch == 1 && p->n > ALONE))
        return false;
    switch (p->kind) {
    case GARRAY_SOLVE_LINEAR: return p->nrhs <= SMALL_COLUMNS;
    case GARRAY_SOLVE_CHOLESKY:
    case GARRAY_SOLVE_INVERSE:
    case GARRAY_SOLVE_DETERMINANT: return true;
    default: return false;
    }
}

typedef struct {
    const garray__solve_job *job;
    int64_t grain, work_size;
    char *work;
    _Atomic int64_t first_bad;  /* batch: none */
} batch_job;

/* Bytes for the matrices of one vector's lanes: a and, beside it, the right-hand sides; then pivots. */
static int64_t work_size(const garray_solve_plan *p, int64_t parts)
{
    int64_t columns = p->kind == GARRAY_SOLVE_LINEAR ? p->nrhs : p->kind == GARRAY_SOLVE_INVERSE ? p->n : 0;
    return (p->n * (p->n + columns) * parts + p->n + 2) * 64;
}

static void run_block(void *ctx, int64_t begin, int64_t end)
{
    batch_job *b = ctx;
    const garray_solve_plan *p = b->job->plan;
    garray__small_part part = { .job = b->job, .begin = begin, .end = end, .first_bad = -1 };
    part.work = b->work + begin / b->grain * b->work_size;
    GARRAY_ISA_PICK(garray__cpu_small_kernels)->run[p->dtype - GARRAY_FLOAT32](&part);
    int64_t seen = atomic_load(&b->first_bad);
    while (part.first_bad >= 0 && part.first_bad < seen
           && !atomic_compare_exchange_weak(&b->first_bad, &seen, part.first_bad))
        ;
}

garray_status garray__cpu_small_run(const garray__queue *q, const garray__solve_job *j)
{
    const garray_solve_plan *p = j->plan;
    batch_job b = { .job = j };
    double n = (double)p->n, columns = p->kind == GARRAY_SOLVE_LINEAR ? (double)p->nrhs : p->kind == GARRAY_SOLVE_INVERSE ? n : 0;
    double each = (n * n * n / 3 + n * n * (2 + columns)) * (j->has_imag ? 0.8 : 0.25) + 20;
    void *memory;
    atomic_init(&b.first_bad, p->batch);
    /* blocks of one size for any number of threads: enough of them, and their work areas together not large */
    b.grain = (p->batch + 63) / 64;
    b.grain = (b.grain + LANES_MOST - 1) / LANES_MOST * LANES_MOST;
    b.work_size = (work_size(p, j->has_imag ? 2 : 1) + 63) / 64 * 64;
    int64_t blocks = (p->batch + b.grain - 1) / b.grain;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(b.work_size * blocks), &memory));
    b.work = memory;
    garray__cpu_parallel(p->batch, b.grain, each * (double)p->batch, run_block, &b);
    garray__cpu_host->scratch_free(q, memory);
    int64_t bad = atomic_load(&b.first_bad);
    if (bad == p->batch)
        return GARRAY_OK;
    return p->kind == GARRAY_SOLVE_CHOLESKY ? garray__cpu_not_positive(p, bad) : garray__cpu_singular(p, bad);
}
