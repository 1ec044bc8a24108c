/* SPDX-License-Identifier: BSD-3-Clause
 * Stacks of small matrices over the threads: each block of the stack has its own memory to work in, and each matrix its own
 * lane, so results do not depend on the number of threads. */
#include <stdatomic.h>
#include "cpu/jacobi.h"
#include "cpu/vectors.h"

enum { LINE = 64 };

typedef struct {
    const garray_solve_plan *plan;
    garray__cpu_jacobi_kernel *kernel;
    char *work;
    int64_t work_size, lanes, share;            /* share: matrices of a block */
    int64_t a_size, first_size, second_size, values_size;
    atomic_llong bad;                           /* the first item that failed */
} stack;

static char *item_of(void *base, int64_t size, int64_t index)
{
    return base ? (char *)base + index * size : NULL;
}

static void run_block(void *ctx, int64_t begin, int64_t end)
{
    stack *s = ctx;
    const garray_solve_plan *p = s->plan;
    const bool eigh = p->kind == GARRAY_SOLVE_EIGH;
    for (int64_t block = begin; block < end; block++) {
        const int64_t last = (block + 1) * s->share < p->batch ? (block + 1) * s->share : p->batch;
        for (int64_t i = block * s->share; i < last; i += s->lanes) {
            uint8_t failed[LINE / 4] = { 0 };
            garray__cpu_jacobi_job job = { .a = item_of(p->a, s->a_size, i), .m = eigh ? p->n : p->m, .n = p->n,
                                           .full = p->full, .upper = p->upper, .work = s->work + block * s->work_size,
                                           .failed = failed };
            job.count = (int)(last - i < s->lanes ? last - i : s->lanes);
            job.first = item_of(eigh ? (p->vectors ? p->a : NULL) : p->c, s->first_size, i);
            job.second = item_of(eigh ? NULL : p->d, s->second_size, i);
            job.values = item_of(p->w, s->values_size, i);
            s->kernel(&job);
            for (int l = 0; l < job.count; l++) {
                long long seen = atomic_load(&s->bad);
                while (failed[l] && i + l < seen && !atomic_compare_exchange_weak(&s->bad, &seen, i + l))
                    ;
            }
        }
    }
}

bool garray__cpu_jacobi_takes(const garray_solve_plan *p)
{
    return (p->kind == GARRAY_SOLVE_EIGH || ((p->kind == GARRAY_SOLVE_SVD || p->kind == GARRAY_SOLVE_QR) &&
                                             p->m <= GARRAY_CPU_JACOBI_SIDE)) &&
           p->batch > 1 && p->n <= GARRAY_CPU_JACOBI_SIDE;
}

garray_status garray__cpu_jacobi_run(const garray__queue *q, const garray_solve_plan *p)
{
    const garray__cpu_jacobi *kernels = GARRAY_ISA_PICK(garray__cpu_jacobi_kernels);
    const int row = p->dtype - GARRAY_FLOAT32;
    const int64_t part = row % 2 == 0 ? 4 : 8, item = row < 2 ? part : 2 * part, n = p->n;
    const int64_t m = p->kind == GARRAY_SOLVE_EIGH ? n : p->m, k = m < n ? m : n, rows = p->full ? m : k;
    stack s = { .plan = p, .lanes = LINE / part, .a_size = m * n * item, .values_size = k * part };
    double flops = 4;
    if (p->kind == GARRAY_SOLVE_SVD) {
        s.kernel = kernels->svd[row];
        s.first_size = m * rows * item;
        s.second_size = n * (p->full ? n : k) * item;
        flops = p->vectors ? 12 : 8;
    } else if (p->kind == GARRAY_SOLVE_QR) {
        s.kernel = kernels->qr[row];
        s.first_size = m * rows * item;
        s.second_size = rows * n * item;
        flops = 1;
    } else {
        s.kernel = kernels->eigh[row];
        s.first_size = s.a_size;
    }
    const int64_t groups = (p->batch + s.lanes - 1) / s.lanes, most = 4 * (int64_t)garray__cpu_threads();
    const int64_t blocks = groups < most ? groups : most, longer = m < n ? n : m;
    void *memory;
    s.work_size = 2 * longer * longer * item * s.lanes;
    s.share = (groups + blocks - 1) / blocks * s.lanes;
    atomic_init(&s.bad, p->batch);
    garray_status st = garray__cpu_host->scratch(q, (size_t)(blocks * s.work_size + LINE), &memory);
    if (st != GARRAY_OK)
        return st;
    s.work = (char *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
    garray__cpu_parallel((p->batch + s.share - 1) / s.share, 1, flops * (double)(k * k * longer * p->batch), run_block, &s);
    garray__cpu_host->scratch_free(q, memory);
    const int64_t bad = atomic_load(&s.bad);
    return bad < p->batch ? garray__cpu_no_convergence(p, p->kind == GARRAY_SOLVE_SVD ? "SVD" : "Eigenvalues", bad) : GARRAY_OK;
}
