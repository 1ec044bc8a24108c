/* SPDX-License-Identifier: BSD-3-Clause
 * Linear recurrences: groups of rows, shared among threads. */
#include "cpu/recur.h"

typedef struct job {
    const garray_recur_plan *plan;
    const garray__recur_kernels *kernels;
    char *room;
    int64_t size, grain;        /* bytes for a part of the work; groups of such a part */
} job;

static void groups(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const int64_t rows = j->plan->outer * j->plan->inner;
    for (int64_t g = begin; g < end; g++) {
        const int64_t first = g * GARRAY_RECUR_LANES, m = rows - first < GARRAY_RECUR_LANES ? rows - first : GARRAY_RECUR_LANES;
        j->kernels->filter[j->plan->dtype](j->plan, first, (int)m, j->room + begin / j->grain * j->size);
    }
}

garray_status garray__cpu_recur(const garray__queue *q, const garray_recur_plan *plan)
{
    const int64_t rows = plan->outer * plan->inner, all = (rows + GARRAY_RECUR_LANES - 1) / GARRAY_RECUR_LANES;
    job j = { .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_recur_kernels), .grain = (all + 63) / 64 };
    void *room = NULL;
    j.size = ((int64_t)plan->order + 1) * GARRAY_RECUR_LANES * 16;
    garray_status st = garray__cpu_host->scratch(q, (size_t)((all + j.grain - 1) / j.grain * j.size), &room);
    if (st != GARRAY_OK)
        return st;
    j.room = room;
    garray__cpu_parallel(all, j.grain, (double)rows * (double)plan->n * (2 + plan->order), groups, &j);
    garray__cpu_host->scratch_free(q, room);
    return GARRAY_OK;
}
