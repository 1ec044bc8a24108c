/* SPDX-License-Identifier: BSD-3-Clause
 * Functions by tables, shared among threads by blocks of places. */
#include "cpu/evaluate.h"
#include "cpu/loops.h"

enum { BLOCK = 2048 };

typedef struct job {
    const garray_evaluate_plan *plan;
    const garray__evaluate_kernels *kernels;
    int item;                   /* bytes */
} job;

static void block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_evaluate_plan *p = j->plan;
    if (p->kind == GARRAY_EVALUATE_LINES)
        j->kernels->lines(p, begin, end);
    else
        j->kernels->polynomial[p->dtype](p->table, p->n, (const char *)p->x + begin * j->item, (char *)p->out + begin * j->item,
                                         end - begin);
}

garray_status garray__cpu_evaluate(const garray__queue *q, const garray_evaluate_plan *plan)
{
    job j = { plan, GARRAY_ISA_PICK(garray__cpu_evaluate_kernels), garray__cpu_itemsize(plan->dtype) };
    double steps = 4;           /* about 1 ns each */
    (void)q;
    if (plan->kind == GARRAY_EVALUATE_LINES)
        for (int64_t n = plan->n; n > 1; n /= 2)
            steps++;
    else
        steps = 0.5 + 0.2 * (double)plan->n;
    garray__cpu_parallel(plan->count, BLOCK, (double)plan->count * steps, block, &j);
    return GARRAY_OK;
}
