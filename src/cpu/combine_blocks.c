/* SPDX-License-Identifier: BSD-3-Clause
 * Combining many values at single items of a large array: the positions are first sorted by blocks of the array, so that
 * what is read and written at random stays in a cache, and so that threads share the work.  The sort keeps the order of the
 * positions (a count for each part and block, then every part writes its own), so results are those of one thread that goes
 * through them in order. */
#include <string.h>
#include "cpu/index.h"

enum { PARTS = 16, TASKS = 32, CHUNK = GARRAY_CPU_INDEX_BLOCK };
enum { LEAST_BITS = 13, MOST_BLOCKS = 4096 };           /* items of a block, at least; blocks */
enum { LEAST_POSITIONS = 1 << 18, LEAST_ITEMS = 1 << 17, MOST_APART = 64 };     /* items for a position, at most */

typedef struct {
    const garray__cpu_index_walk *walk;
    const garray__cpu_combine_loops *loops;
    int64_t low, items, blocks, tasks;
    int bits, shift;                /* log2 of a block's items and of an item's bytes */
    bool wide;                      /* sums with states */
    int64_t *next;                  /* [part][block]: positions there; then the entry that comes next */
    int64_t *first;                 /* [block]: its first entry, and the end */
    uint32_t *place;                /* of the entries, within their block */
    char *values, *states;
} job;

typedef struct {
    const job *j;
    int64_t *next;
} part;

bool garray__cpu_combine_by_blocks(const garray__cpu_index_walk *w, int64_t items)
{
    return w->row == w->plan->itemsize && w->count >= LEAST_POSITIONS && items >= LEAST_ITEMS &&
           items / MOST_APART <= w->count && items <= (int64_t)MOST_BLOCKS << 31;
}

static void count_run(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    const part *p = ctx;
    const int shift = p->j->shift + p->j->bits;
    (void)values, (void)step, (void)row;
    for (int64_t i = 0; i < n; i++)
        p->next[(at[i] - p->j->low) >> shift]++;
}

#define PLACE(T)                                                                       \
    for (int64_t i = 0; i < n; i++, values += step) {                                  \
        const int64_t item = (at[i] - j->low) >> j->shift, k = p->next[item >> j->bits]++; \
        j->place[k] = (uint32_t)(item & mask);                                         \
        memcpy(j->values + k * (int64_t)sizeof(T), values, sizeof(T));                 \
    }                                                                                  \
    break;

static void place_run(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    const part *p = ctx;
    const job *j = p->j;
    const int64_t mask = ((int64_t)1 << j->bits) - 1;
    typedef struct { uint64_t half[2]; } sixteen;
    (void)row;
    switch (j->shift) {
    case 0: PLACE(uint8_t)
    case 1: PLACE(uint16_t)
    case 2: PLACE(uint32_t)
    case 3: PLACE(uint64_t)
    default: PLACE(sixteen)
    }
}

static void visit_parts(const job *j, int64_t begin, int64_t end, garray__cpu_index_visit *visit)
{
    for (int64_t k = begin; k < end; k++) {
        part p = { j, j->next + k * j->blocks };
        garray__cpu_index_visit_all(j->walk, j->walk->count * k / PARTS, j->walk->count * (k + 1) / PARTS, visit, &p);
    }
}
static void count_parts(void *ctx, int64_t begin, int64_t end) { visit_parts(ctx, begin, end, count_run); }
static void place_parts(void *ctx, int64_t begin, int64_t end) { visit_parts(ctx, begin, end, place_run); }

/* The counts become the places of each part's first entries. */
static void add_up(const job *j)
{
    int64_t total = 0;
    for (int64_t b = 0; b < j->blocks; b++) {
        j->first[b] = total;
        for (int64_t k = 0; k < PARTS; k++) {
            int64_t *n = &j->next[k * j->blocks + b], count = *n;
            *n = total;
            total += count;
        }
    }
    j->first[j->blocks] = total;
}

static int64_t items_of(const job *j, int64_t block)
{
    int64_t all = (int64_t)1 << j->bits, left = j->items - (block << j->bits);
    return left < all ? left : all;
}

static void work_on(const job *j, int64_t block, garray__cpu_combining *c, int64_t *where)
{
    int64_t begin = j->first[block], end = j->first[block + 1], items = items_of(j, block);
    c->base = (char *)j->walk->plan->base + j->low + (block << (j->bits + j->shift));
    for (int64_t i = begin, n; i < end; i += n) {
        n = end - i < CHUNK ? end - i : CHUNK;
        for (int64_t k = 0; k < n; k++)
            where[k] = (int64_t)j->place[i + k] << (j->wide ? 0 : j->shift);
        (j->wide ? j->loops->add : j->loops->update)(c, where, j->values + (i << j->shift), (int64_t)1 << j->shift, n, 1);
    }
    if (!j->wide)
        return;
    if (end - begin > items / 2) {
        j->loops->finish(c->base, c->states, items);
        j->loops->start(c->states, items);
        return;
    }
    for (int64_t i = begin, n; i < end; i += n) {
        n = end - i < CHUNK ? end - i : CHUNK;
        for (int64_t k = 0; k < n; k++)
            where[k] = j->place[i + k];
        j->loops->settle(c, n);
    }
}

static void work_on_blocks(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t t = begin; t < end; t++) {
        int64_t where[CHUNK];
        garray__cpu_combining c = { .op = j->walk->plan->op, .where = where };
        if (j->wide) {
            c.states = j->states + (size_t)(t << j->bits) * j->loops->state_size;
            j->loops->start(c.states, items_of(j, 0));
        }
        for (int64_t b = j->blocks * t / j->tasks; b < j->blocks * (t + 1) / j->tasks; b++)
            work_on(j, b, &c, where);
    }
}

static garray_status scratch(const garray__queue *q, int64_t count, size_t size, void **memory)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, size, &bytes))
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "out of memory for %lld positions", (long long)count);
    return garray__cpu_host->scratch(q, bytes, memory);
}

static garray_status open(const garray__queue *q, job *j)
{
    void *next, *place, *values, *states = NULL;
    GARRAY_TRY(scratch(q, (PARTS + 1) * j->blocks + 1, sizeof(int64_t), &next));
    j->next = next;
    GARRAY_TRY(scratch(q, j->walk->count, sizeof(uint32_t), &place));
    j->place = place;
    GARRAY_TRY(scratch(q, j->walk->count, (size_t)1 << j->shift, &values));
    j->values = values;
    if (j->wide)
        GARRAY_TRY(scratch(q, j->tasks << j->bits, j->loops->state_size, &states));
    j->states = states;
    j->first = j->next + PARTS * j->blocks;
    memset(j->next, 0, (size_t)(PARTS * j->blocks) * sizeof(int64_t));
    return GARRAY_OK;
}

garray_status garray__cpu_combine_blocks(const garray__queue *q, const garray__cpu_index_walk *w,
                                         const garray__cpu_combine_loops *loops, int64_t low, int64_t items)
{
    job j = { .walk = w, .loops = loops, .low = low, .items = items, .bits = LEAST_BITS,
              .shift = __builtin_ctz((unsigned)w->plan->itemsize), .wide = w->plan->op == GARRAY_OP_add && loops->add };
    while ((items - 1) >> j.bits >= MOST_BLOCKS)
        j.bits++;
    j.blocks = ((items - 1) >> j.bits) + 1;
    j.tasks = j.blocks < TASKS ? j.blocks : TASKS;
    const double count = (double)w->count;
    garray_status st = open(q, &j);
    if (st == GARRAY_OK) {
        garray__cpu_parallel(PARTS, 1, count, count_parts, &j);
        add_up(&j);
        garray__cpu_parallel(PARTS, 1, count * 4, place_parts, &j);
        garray__cpu_parallel(j.tasks, 1, count * 4, work_on_blocks, &j);
    }
    void *const memory[] = { j.states, j.values, j.place, j.next };
    for (int i = 0; i < 4; i++) {
        if (memory[i])
            garray__cpu_host->scratch_free(q, memory[i]);
    }
    return st;
}
