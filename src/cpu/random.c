/* SPDX-License-Identifier: BSD-3-Clause
 * The random entry.  Elements are independent of each other, so threads take fixed blocks of them. */
#include "cpu/random.h"

typedef struct job {
    const garray_random_plan *plan;
    const garray__cpu_drawer *drawer;
    bool narrow;
} job;

static void draw_range(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    j->drawer->draw(j->plan, j->narrow, begin, end);
}

garray_status garray__cpu_random(const garray__queue *q, const garray_random_plan *plan)
{
    job j = { plan, GARRAY_ISA_PICK(garray__cpu_drawer), false };
    switch (plan->kind) {
    case GARRAY_RANDOM_BITS:
        j.narrow = garray__cpu_itemsize(plan->dtype) == 4;
        break;
    case GARRAY_RANDOM_UNIFORM:
        j.narrow = plan->dtype != GARRAY_FLOAT64;
        break;
    case GARRAY_RANDOM_INTEGERS:
        j.narrow = plan->irange <= UINT32_MAX;
        break;
    case GARRAY_RANDOM_NORMAL:
        break;
    default:
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "random: no kind %d", plan->kind);
    }
    garray__cpu_parallel(plan->count, 16384, 2.0 * (double)plan->count, draw_range, &j);
    return GARRAY_OK;
}
