/* SPDX-License-Identifier: BSD-3-Clause
 * Combining values at index arrays.  Sums of floats are wider than their dtype: a state for each item of base that is named,
 * in an array over all of base (of few items several arrays, for several threads), or, where that would be much larger than
 * the number of positions, found by a hash table.  Many positions among many items: combine_blocks.c. */
#include <string.h>
#include "cpu/index.h"

enum { BLOCK = 65536 };         /* states of a task */
enum { PARTS = 8, FEW = 16384 };    /* parts of the positions that have states of their own, where there are FEW items at most */

typedef struct {
    const garray__cpu_index_walk *walk;
    garray__cpu_combining c;
    const garray__cpu_combine_loops *loops;
    int64_t low, items;         /* dense: state of an item by its distance from the lowest one; states */
    int shift, reserved;        /* log2 of an item's size */
    int64_t *table;             /* offset and number of a row, from 1 on, in pairs; NULL: dense */
    int64_t mask, rows;
    int64_t row;                /* items of a row */
    int64_t *where;
} job;

static const garray__cpu_combine_loops *loops_of(int dtype)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...) \
    case value: return GARRAY_ISA_PICK(garray__cpu_combine_##name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return NULL;
    }
}

static void update(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    const job *j = ctx;
    j->loops->update(&j->c, at, values, step, n, row);
}

/* The number of the row at an offset; a new one gets the next. */
static int64_t number_of(job *j, int64_t offset)
{
    uint64_t h = (uint64_t)offset * 0x9e3779b97f4a7c15u;
    for (int64_t k = (int64_t)(h >> 20) & j->mask;; k = (k + 1) & j->mask) {
        int64_t *entry = &j->table[2 * k];
        if (entry[1] == 0) {
            entry[0] = offset;
            entry[1] = ++j->rows;
        }
        if (entry[0] == offset)
            return entry[1] - 1;
    }
}

static void find_states(job *j, const int64_t *at, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        j->where[i] = j->table ? number_of(j, at[i]) * j->row : (at[i] - j->low) >> j->shift;
}

static void add(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    job *j = ctx;
    find_states(j, at, n);
    j->loops->add(&j->c, at, values, step, n, row);
}

/* Part k of the positions, into states of its own.  The parts depend on the number of positions alone. */
static void add_parts(void *ctx, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        job part = *(const job *)ctx;
        int64_t where[GARRAY_CPU_INDEX_BLOCK], count = part.walk->count;
        part.c.states = (char *)part.c.states + (size_t)(k * part.items) * part.loops->state_size;
        part.c.where = part.where = where;
        part.loops->start(part.c.states, part.items);
        garray__cpu_index_visit_all(part.walk, count * k / PARTS, count * (k + 1) / PARTS, add, &part);
    }
}

/* The items from the lowest to the highest that positions can name; false if they do not lie whole items apart. */
static bool span_of(const garray_index_plan *plan, int64_t *low, int64_t *items)
{
    int64_t high = *low = 0, apart = 0;
    for (int d = 0; d < plan->ndim + plan->narrays; d++) {
        int64_t step = d < plan->ndim ? plan->base_strides[d] : plan->array[d - plan->ndim].step;
        int64_t reach = step * ((d < plan->ndim ? plan->shape[d] : plan->array[d - plan->ndim].length) - 1);
        *(reach < 0 ? low : &high) += reach;
        apart |= step % plan->itemsize;
    }
    *items = (high - *low) / plan->itemsize + 1;
    return apart == 0;
}

static garray_status scratch(const garray__queue *q, int64_t count, size_t size, void **memory)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, size, &bytes))
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "out of memory for wide sums");
    return garray__cpu_host->scratch(q, bytes, memory);
}

/* States in order, and the items that they belong to: blocks of both. */
static void start_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    j->loops->start((char *)j->c.states + (size_t)begin * j->loops->state_size, end - begin);
}

static void finish_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const char *states = (const char *)j->c.states;
    if (!j->table) {
        j->loops->finish(j->c.base + j->low + (begin << j->shift), states + (size_t)begin * j->loops->state_size, end - begin);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        const int64_t *entry = &j->table[2 * k];
        if (entry[1])
            j->loops->finish(j->c.base + entry[0], states + (size_t)((entry[1] - 1) * j->row) * j->loops->state_size, j->row);
    }
}

static garray_status open_table(const garray__queue *q, job *j, int64_t rows)
{
    void *memory;
    int64_t size = 1;
    while (size < 2 * rows)
        size *= 2;
    GARRAY_TRY(scratch(q, 2 * size, sizeof(int64_t), &memory));
    memset(memory, 0, (size_t)(2 * size) * sizeof(int64_t));
    j->table = memory;
    j->mask = size - 1;
    return GARRAY_OK;
}

static garray_status add_wide(const garray__queue *q, bool dense, job *j)
{
    const garray_index_plan *plan = j->walk->plan;
    int64_t where[GARRAY_CPU_INDEX_BLOCK], states = dense ? j->items : plan->count;
    j->row = j->walk->row / plan->itemsize;
    j->c.where = j->where = where;
    if (!dense)
        GARRAY_TRY(open_table(q, j, j->walk->count));
    if (dense && states <= FEW && j->walk->count >= 4 * PARTS * states && plan->count >= BLOCK) {
        GARRAY_TRY(scratch(q, PARTS * states, j->loops->state_size, &j->c.states));
        garray__cpu_parallel(PARTS, 1, (double)plan->count * 5, add_parts, j);
        for (int64_t k = 1; k < PARTS; k++)
            j->loops->merge(j->c.states, (const char *)j->c.states + (size_t)(k * states) * j->loops->state_size, states);
    } else {
        GARRAY_TRY(scratch(q, states, j->loops->state_size, &j->c.states));
        garray__cpu_parallel(states, BLOCK, (double)states, start_block, j);
        garray__cpu_index_visit_all(j->walk, 0, j->walk->count, add, j);
    }
    garray__cpu_parallel(dense ? states : j->mask + 1, BLOCK, (double)states * 2, finish_block, j);
    return GARRAY_OK;
}

static bool is_inexact(int dtype)
{
    return dtype >= GARRAY_FLOAT16;
}

garray_status garray__cpu_combine(const garray__queue *q, const garray_index_plan *plan)
{
    garray__cpu_index_walk walk;
    job j = { .walk = &walk, .c = { .op = plan->op, .base = plan->base }, .loops = loops_of(plan->dtype),
              .shift = __builtin_ctz((unsigned)plan->itemsize) };
    GARRAY_TRY(garray__cpu_index_open(&walk, plan));
    bool whole = span_of(plan, &j.low, &j.items);
    if (whole && garray__cpu_combine_by_blocks(&walk, j.items))
        return garray__cpu_combine_blocks(q, &walk, j.loops, j.low, j.items);
    if (plan->op != GARRAY_OP_add || !is_inexact(plan->dtype)) {
        garray__cpu_index_visit_all(&walk, 0, walk.count, update, &j);
        return GARRAY_OK;
    }
    garray_status st = add_wide(q, whole && j.items <= 4 * plan->count + 65536, &j);
    if (j.c.states)
        garray__cpu_host->scratch_free(q, j.c.states);
    if (j.table)
        garray__cpu_host->scratch_free(q, j.table);
    return st;
}
