/* SPDX-License-Identifier: BSD-3-Clause
 * Selection by a boolean mask: blocks of the mask are counted, their counts summed up, and each block writes from
 * its own place on.  The state between the calls is the array of these places. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/select.h"

enum { BLOCK = 16384 };         /* items of the mask */

typedef struct {
    const garray_select_plan *plan;
    const garray__select_kernels *kernels;
    int64_t *start;             /* per block the count, then where it begins; behind them the total */
    int item;                   /* which items kernel, or -1 */
} job;

static int64_t blocks_of(const garray_select_plan *p)
{
    return (p->n + BLOCK - 1) / BLOCK;
}

static void count_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t b = begin; b < end; b++) {
        int64_t first = b * BLOCK, n = j->plan->n - first < BLOCK ? j->plan->n - first : BLOCK;
        j->start[b] = j->kernels->count(j->plan->mask + first, n);
    }
}

garray_status garray__cpu_select_count(const garray__queue *q, garray_select_plan *plan)
{
    void *state;
    int64_t blocks = blocks_of(plan), total = 0;
    plan->state = NULL;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(blocks + 1) * sizeof(int64_t), &state));
    job j = { plan, GARRAY_ISA_PICK(garray__cpu_select_kernels), state, -1 };
    garray__cpu_parallel(blocks, 8, (double)plan->n * 0.05, count_block, &j);
    for (int64_t b = 0; b < blocks; b++) {
        int64_t n = j.start[b];
        j.start[b] = total;
        total += n;
    }
    j.start[blocks] = total;
    plan->count = total;
    plan->state = state;
    return GARRAY_OK;
}

/* Coordinates of the set items of one block, row after row of the mask's last axis. */
static void write_places(const job *j, int64_t first, int64_t n, int64_t at, int64_t total)
{
    const garray_select_plan *p = j->plan;
    int64_t where[GARRAY_MAX_NDIM], rest = first, done = 0;
    int last = p->ndim - 1;
    if (p->ndim == 1) {
        j->kernels->places((int64_t *)p->out[0] + at, first, p->mask + first, n, total);
        return;
    }
    for (int d = last; d >= 0; d--) {
        where[d] = rest % p->shape[d];
        rest /= p->shape[d];
    }
    for (int64_t i = 0, run; i < n && done < total; i += run) {
        const uint8_t *mask = p->mask + first + i;
        run = p->shape[last] - where[last] < n - i ? p->shape[last] - where[last] : n - i;
        int64_t found = j->kernels->count(mask, run);
        if (found) {
            j->kernels->places((int64_t *)p->out[last] + at + done, where[last], mask, run, found);
            for (int d = 0; d < last; d++)
                for (int64_t k = 0; k < found; k++)
                    ((int64_t *)p->out[d])[at + done + k] = where[d];
        }
        done += found;
        where[last] += run;
        for (int d = last; d > 0 && where[d] == p->shape[d]; d--) {
            where[d] = 0;
            where[d - 1]++;
        }
    }
}

static void write_rows(char *to, const char *from, int64_t row, const uint8_t *mask, int64_t total)
{
    for (int64_t i = 0; total > 0; i++)
        if (mask[i]) {
            memcpy(to, from + i * row, (size_t)row);
            to += row;
            total--;
        }
}

static void write_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_select_plan *p = j->plan;
    for (int64_t b = begin; b < end; b++) {
        int64_t first = b * BLOCK, n = p->n - first < BLOCK ? p->n - first : BLOCK;
        int64_t at = j->start[b], total = j->start[b + 1] - at;
        if (total == 0)
            continue;
        if (p->kind == GARRAY_SELECT_INDEX) {
            write_places(j, first, n, at, total);
            continue;
        }
        const char *from = (const char *)p->in + first * p->row_bytes;
        char *to = (char *)p->out[0] + at * p->row_bytes;
        if (j->item >= 0)
            j->kernels->items[j->item](to, from, p->mask + first, n, total);
        else
            write_rows(to, from, p->row_bytes, p->mask + first, total);
    }
}

garray_status garray__cpu_select_write(const garray__queue *q, garray_select_plan *plan)
{
    int64_t row = plan->row_bytes, blocks = blocks_of(plan);
    bool index = plan->kind == GARRAY_SELECT_INDEX;
    job j = { plan, GARRAY_ISA_PICK(garray__cpu_select_kernels), plan->state, -1 };
    if (row == 1 || row == 2 || row == 4 || row == 8 || row == 16)
        j.item = garray__cpu_width((int)row);
    double cost = (double)plan->n * 0.3 + (double)plan->count * 0.2 * (double)(index ? 8 * plan->ndim : row);
    garray__cpu_parallel(blocks, row > 256 ? 1 : 4, cost, write_block, &j);
    garray__cpu_select_drop(q, plan);
    return GARRAY_OK;
}

void garray__cpu_select_drop(const garray__queue *q, garray_select_plan *plan)
{
    if (plan->state)
        garray__cpu_host->scratch_free(q, plan->state);
    plan->state = NULL;
}
