/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection: the true items of each block of the mask are counted, so that every block knows its place in the
 * output and all of them can be written at once. */
#include <stdlib.h>
#include <string.h>
#include "cpu/cpu.h"

enum { BLOCK = 1 << 16 };       /* items of the mask; fixed, though the result would not depend on it */

struct counting {
    const garray_select_plan *plan;
    int64_t *before;            /* per block, first its count, then the true items before it */
};

static void count_block(void *ctx, int64_t begin, int64_t end)
{
    struct counting *c = ctx;
    const uint8_t *mask = c->plan->mask;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++)
        count += mask[i] != 0;
    c->before[begin / BLOCK] = count;
}

garray_status garray__cpu_select_count(const garray__queue *q, garray_select_plan *plan)
{
    int64_t blocks = (plan->n + BLOCK - 1) / BLOCK, total = 0;
    struct counting c = { plan, malloc(sizeof(int64_t) * (size_t)blocks) };
    (void)q;
    if (!c.before)
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "no memory to count the true items of %lld", (long long)plan->n);
    garray__cpu_parallel(plan->n, BLOCK, 0.06 * (double)plan->n, count_block, &c);
    for (int64_t b = 0; b < blocks; b++) {
        int64_t count = c.before[b];
        c.before[b] = total;
        total += count;
    }
    plan->count = total;
    plan->state = c.before;
    return GARRAY_OK;
}

void garray__cpu_select_drop(const garray__queue *q, garray_select_plan *plan)
{
    (void)q;
    free(plan->state);
    plan->state = NULL;
}

/* Each item is stored where the next true one belongs, and the place moves on only if it was one: no branch depends on
 * the data.  It ends with the block's last true item, before it could store past its own part. */
#define COMPACT(type)                                                                                        \
    do {                                                                                                     \
        const type *in = (const type *)plan->in;                                                             \
        type *out = (type *)plan->out[0];                                                                    \
        for (int64_t i = begin; k < last; i++) {                                                             \
            out[k] = in[i];                                                                                  \
            k += mask[i] != 0;                                                                               \
        }                                                                                                    \
    } while (0)

typedef struct wide { uint64_t part[2]; } wide;

static void write_rows(const garray_select_plan *plan, int64_t begin, int64_t k, int64_t last)
{
    const uint8_t *mask = plan->mask;
    size_t bytes = (size_t)plan->row_bytes;
    uint64_t low = (uint64_t)(uintptr_t)plan->in | (uint64_t)(uintptr_t)plan->out[0];
    if (bytes == 1) {
        COMPACT(uint8_t);
    } else if (bytes == 2 && low % 2 == 0) {
        COMPACT(uint16_t);
    } else if (bytes == 4 && low % 4 == 0) {
        COMPACT(uint32_t);
    } else if (bytes == 8 && low % 8 == 0) {
        COMPACT(uint64_t);
    } else if (bytes == 16 && low % 8 == 0) {
        COMPACT(wide);
    } else {
        const char *in = plan->in;
        char *out = plan->out[0];
        for (int64_t i = begin; k < last; i++)
            if (mask[i])
                memcpy(out + (size_t)k++ * bytes, in + (size_t)i * bytes, bytes);
    }
}

static void write_coordinates(const garray_select_plan *plan, int64_t begin, int64_t k, int64_t last)
{
    const uint8_t *mask = plan->mask;
    int n = plan->ndim;
    if (n == 1) {
        int64_t *out = plan->out[0];
        for (int64_t i = begin; k < last; i++) {
            out[k] = i;
            k += mask[i] != 0;
        }
        return;
    }
    int64_t at[GARRAY_MAX_NDIM], rest = begin, inner = plan->shape[n - 1];
    for (int d = n - 1; d >= 0; d--) {
        at[d] = rest % plan->shape[d];
        rest /= plan->shape[d];
    }
    for (int64_t i = begin; k < last;) {
        for (; at[n - 1] < inner && k < last; at[n - 1]++, i++) {
            if (!mask[i])
                continue;
            for (int d = 0; d < n; d++)
                ((int64_t *)plan->out[d])[k] = at[d];
            k++;
        }
        at[n - 1] = 0;
        for (int d = n - 2; d >= 0 && ++at[d] == plan->shape[d]; d--)
            at[d] = 0;
    }
}

static void write_block(void *ctx, int64_t begin, int64_t end)
{
    const garray_select_plan *plan = ctx;
    const int64_t *before = plan->state;
    int64_t block = begin / BLOCK, last = end < plan->n ? before[block + 1] : plan->count;
    if (plan->kind == GARRAY_SELECT_ROWS)
        write_rows(plan, begin, before[block], last);
    else
        write_coordinates(plan, begin, before[block], last);
}

garray_status garray__cpu_select_write(const garray__queue *q, garray_select_plan *plan)
{
    double bytes = plan->kind == GARRAY_SELECT_ROWS ? (double)plan->row_bytes : 8 * (double)plan->ndim;
    garray__cpu_parallel(plan->n, BLOCK, 0.4 * (double)plan->n + 0.1 * bytes * (double)plan->count, write_block, plan);
    garray__cpu_select_drop(q, plan);
    return GARRAY_OK;
}
