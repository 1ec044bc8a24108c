/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search, shared among threads by blocks of values. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/search.h"

enum { BLOCK = 1024 };

typedef struct {
    const garray_search_plan *plan;
    garray__search_loop *loop;
    int item, result;           /* bytes */
} job;

static void search_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_search_plan *p = j->plan;
    j->loop(p->kind, p->sorted, p->n, (const char *)p->values + begin * j->item, end - begin,
            (char *)p->out + begin * j->result);
}

garray_status garray__cpu_search(const garray__queue *q, const garray_search_plan *plan)
{
    job j = { plan, GARRAY_ISA_PICK(garray__cpu_search_kernels)->loop[plan->dtype], garray__cpu_itemsize(plan->dtype),
              plan->kind == GARRAY_SEARCH_FOUND ? 1 : 8 };
    double steps = 1;
    (void)q;
    if (plan->n == 0) {
        memset(plan->out, 0, (size_t)(plan->count * j.result));
        return GARRAY_OK;
    }
    for (int64_t n = plan->n; n > 1; n /= 2)
        steps++;
    garray__cpu_parallel(plan->count, BLOCK, (double)plan->count * steps, search_block, &j);
    return GARRAY_OK;
}
