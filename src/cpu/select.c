/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection by a mask: blocks of the mask are turned into bits and counted, their counts summed up, and each block
 * writes from its own place on.  The state between the calls is the array of these places and the bits, an eighth of the
 * mask, which is so read only once. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/select.h"

enum {
    BLOCK = 16384,              /* items of the mask that are counted together */
    PIECE = 4096                /* items that are selected together, into a buffer in the cache */
};

typedef struct {
    const garray_select_plan *plan;
    const garray__select_kernels *kernels;
    int64_t *start;             /* per block the count, then where it begins; behind them the total */
    uint64_t *bits;
    int item;                   /* which items kernel, or -1 */
    bool stream;                /* the result goes past the caches */
} job;

static int64_t blocks_of(const garray_select_plan *p)
{
    return (p->n + BLOCK - 1) / BLOCK;
}

static job job_of(const garray_select_plan *plan, void *state)
{
    int64_t *start = state;
    return (job){ .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_select_kernels), .start = start,
                  .bits = (uint64_t *)(start + blocks_of(plan) + 1), .item = -1 };
}

static void count_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t b = begin; b < end; b++) {
        int64_t first = b * BLOCK, n = j->plan->n - first < BLOCK ? j->plan->n - first : BLOCK;
        j->start[b] = j->kernels->count(j->bits + first / 64, j->plan->mask + first, n);
    }
}

garray_status garray__cpu_select_count(const garray__queue *q, garray_select_plan *plan)
{
    void *state;
    int64_t blocks = blocks_of(plan), words = (plan->n + 63) / 64, total = 0;
    plan->state = NULL;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(blocks + 1 + words) * 8, &state));
    job j = job_of(plan, state);
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

static void deliver(const job *j, char *to, const void *from, int64_t bytes)
{
    if (j->stream)
        garray__cpu_move->stream(to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

/* Places in the flattened mask as coordinates, row after row of its last axis. */
static void write_coordinates(const garray_select_plan *p, const int64_t *place, int64_t found, int64_t at)
{
    const int last = p->ndim - 1;
    const int64_t row = p->shape[last];
    int64_t where[GARRAY_MAX_NDIM];
    for (int64_t i = 0, next; i < found; i = next) {
        int64_t rest = place[i] / row, begin = rest * row;
        for (int d = last - 1; d > 0; d--) {
            where[d] = rest % p->shape[d];
            rest /= p->shape[d];
        }
        where[0] = rest;
        for (next = i; next < found && place[next] - begin < row; next++)
            ((int64_t *)p->out[last])[at + next] = place[next] - begin;
        for (int d = 0; d < last; d++)
            for (int64_t k = i; k < next; k++)
                ((int64_t *)p->out[d])[at + k] = where[d];
    }
}

/* The pieces of one block go to a buffer, so kernels write whole vectors, and from there to their place. */
static void write_places(const job *j, int64_t first, int64_t n, int64_t at)
{
    const garray_select_plan *p = j->plan;
    int64_t place[PIECE + GARRAY_SELECT_SLACK / 8];
    for (int64_t i = 0; i < n; i += PIECE) {
        const int64_t m = n - i < PIECE ? n - i : PIECE;
        const int64_t found = j->kernels->places(place, first + i, j->bits + (first + i) / 64, m);
        if (p->ndim == 1)
            deliver(j, (char *)p->out[0] + at * 8, place, found * 8);
        else
            write_coordinates(p, place, found, at);
        at += found;
    }
}

static void write_items(const job *j, char *to, const char *from, const uint64_t *bits, int64_t n)
{
    const int64_t row = j->plan->row_bytes;
    char buffer[PIECE * 16 + GARRAY_SELECT_SLACK] __attribute__((aligned(64)));
    for (int64_t i = 0; i < n; i += PIECE) {
        const int64_t m = n - i < PIECE ? n - i : PIECE;
        const int64_t bytes = j->kernels->items[j->item](buffer, from + i * row, bits + i / 64, m) * row;
        deliver(j, to, buffer, bytes);
        to += bytes;
    }
}

static void write_rows(const job *j, char *to, const char *from, const uint64_t *bits, int64_t n)
{
    const int64_t row = j->plan->row_bytes;
    for (int64_t i = 0; i < n; i += 64)
        for (uint64_t word = bits[i / 64]; word; word &= word - 1, to += row)
            memcpy(to, from + (i + __builtin_ctzll(word)) * row, (size_t)row);
}

static void write_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_select_plan *p = j->plan;
    for (int64_t b = begin; b < end; b++) {
        const int64_t first = b * BLOCK, n = p->n - first < BLOCK ? p->n - first : BLOCK, at = j->start[b];
        if (j->start[b + 1] == at)
            continue;
        if (p->kind == GARRAY_SELECT_INDEX) {
            write_places(j, first, n, at);
            continue;
        }
        const char *from = (const char *)p->in + first * p->row_bytes;
        char *to = (char *)p->out[0] + at * p->row_bytes;
        if (j->item >= 0)
            write_items(j, to, from, j->bits + first / 64, n);
        else
            write_rows(j, to, from, j->bits + first / 64, n);
    }
    if (j->stream)
        garray__cpu_move->stream_done();
}

garray_status garray__cpu_select_write(const garray__queue *q, garray_select_plan *plan)
{
    bool index = plan->kind == GARRAY_SELECT_INDEX;
    int64_t row = index ? 8 : plan->row_bytes, blocks = blocks_of(plan);
    job j = job_of(plan, plan->state);
    j.stream = plan->count >= garray__cpu_stream_size / row;
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
