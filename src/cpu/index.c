/* SPDX-License-Identifier: BSD-3-Clause
 * Gather and scatter by integer arrays.  All indices are checked before anything moves.  Then whole rows are
 * copied where the innermost axes take no index and are contiguous, single items otherwise.  A scatter keeps the
 * order of its positions, for of equal ones the last wins; only the columns of long rows go to several threads. */
#include <stdatomic.h>
#include <string.h>
#include "cpu/index.h"

enum { SHARE = 65536, BLOCK = GARRAY_CPU_INDEX_BLOCK };     /* bytes or items per task, about; positions found at a time */

typedef garray__cpu_index_walk job;

/* ---- runs of indices ----------------------------------------------------------------------------------- */
#define WIDEN(T)                                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        T v;                                                                                                 \
        memcpy(&v, p + i * step, sizeof v);                                                                  \
        to[i] = (int64_t)v;                                                                                  \
    }                                                                                                        \
    break;

/* n indices of one array, step bytes apart, as int64; a uint64 too large for it is out of range either way. */
static void load_run(int64_t *to, const char *p, int64_t step, int dtype, int64_t n)
{
    switch (dtype) {
    case GARRAY_INT8:
        WIDEN(int8_t)
    case GARRAY_UINT8:
        WIDEN(uint8_t)
    case GARRAY_INT16:
        WIDEN(int16_t)
    case GARRAY_UINT16:
        WIDEN(uint16_t)
    case GARRAY_INT32:
        WIDEN(int32_t)
    case GARRAY_UINT32:
        WIDEN(uint32_t)
    case GARRAY_UINT64:
        for (int64_t i = 0; i < n; i++) {
            uint64_t v;
            memcpy(&v, p + i * step, sizeof v);
            to[i] = v > INT64_MAX ? INT64_MAX : (int64_t)v;
        }
        break;
    default:
        WIDEN(int64_t)
    }
}

/* ---- a walk over the indexed axes ---------------------------------------------------------------------- */
typedef struct {
    int64_t at[GARRAY_MAX_NDIM];
    int64_t base, value, array[GARRAY_INDEX_ARRAYS];
} place;

static void seek(place *p, const job *j, int64_t flat)
{
    const garray_index_plan *plan = j->plan;
    memset(p, 0, sizeof *p);
    for (int d = j->nindexed - 1; d >= 0; d--) {
        p->at[d] = flat % j->shape[d];
        flat /= j->shape[d];
        p->base += p->at[d] * plan->base_strides[d];
        p->value += p->at[d] * plan->value_strides[d];
        for (int a = 0; a < plan->narrays; a++)
            p->array[a] += p->at[d] * plan->array[a].strides[d];
    }
}

/* By `steps` along the last indexed axis, not past its end. */
static void move(place *p, const job *j, int64_t steps)
{
    const garray_index_plan *plan = j->plan;
    for (int d = j->nindexed - 1; d >= 0; d--, steps = 1) {
        p->at[d] += steps;
        int64_t over = p->at[d] < j->shape[d] ? 0 : p->at[d], by = steps - over;
        p->base += by * plan->base_strides[d];
        p->value += by * plan->value_strides[d];
        for (int a = 0; a < plan->narrays; a++)
            p->array[a] += by * plan->array[a].strides[d];
        if (!over)
            return;
        p->at[d] = 0;
    }
}

/* ---- checking ------------------------------------------------------------------------------------------ */
/* The distinct items of one index array: its axes of step 0 are left out. */
typedef struct {
    const garray_index_operand *array;
    int ndim;
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM], count;
    atomic_llong bad;           /* the first item that is out of range */
} check;

static const char *check_place(const check *c, int64_t flat, int64_t *run)
{
    const char *p = c->array->data;
    *run = 1;
    for (int d = c->ndim - 1; d >= 0; d--) {
        int64_t at = flat % c->shape[d];
        flat /= c->shape[d];
        p += at * c->strides[d];
        if (d == c->ndim - 1)
            *run = c->shape[d] - at;
    }
    return p;
}

static bool all_within(const int64_t *index, int64_t n, int64_t length)
{
    int64_t wrong = 0;              /* the sign of index + length and of length - 1 - index */
    for (int64_t i = 0; i < n; i++)
        wrong |= (int64_t)((uint64_t)index[i] + (uint64_t)length) | (int64_t)((uint64_t)(length - 1) - (uint64_t)index[i]);
    return wrong >= 0;
}

static void check_block(void *ctx, int64_t begin, int64_t end)
{
    check *c = ctx;
    int64_t length = c->array->length, buffer[BLOCK], run;
    for (int64_t at = begin, n; at < end; at += n) {
        const char *p = check_place(c, at, &run);
        int64_t step = c->ndim ? c->strides[c->ndim - 1] : 0;
        const int64_t *index = buffer;
        n = run < end - at ? run : end - at;
        if (c->array->dtype == GARRAY_INT64 && step == 8 && (uintptr_t)p % 8 == 0) {
            index = (const int64_t *)(const void *)p;
        } else {
            n = n < BLOCK ? n : BLOCK;
            load_run(buffer, p, step, c->array->dtype, n);
        }
        if (all_within(index, n, length))
            continue;
        for (int64_t i = 0; i < n; i++) {
            if (index[i] >= -length && index[i] < length)
                continue;
            long long first = atomic_load(&c->bad);
            while (at + i < first && !atomic_compare_exchange_weak(&c->bad, &first, at + i))
                continue;
            return;
        }
    }
}

static garray_status check_array(const job *j, const garray_index_operand *array)
{
    check c = { .array = array, .count = 1 };
    int64_t run, index;
    for (int d = 0; d < j->plan->ndim; d++) {
        if (array->strides[d] == 0 || j->plan->shape[d] == 1)
            continue;
        int64_t len = j->plan->shape[d], step = array->strides[d];
        c.count *= len;
        if (c.ndim && c.strides[c.ndim - 1] == step * len) {
            c.shape[c.ndim - 1] *= len;
            c.strides[c.ndim - 1] = step;
        } else {
            c.shape[c.ndim] = len;
            c.strides[c.ndim++] = step;
        }
    }
    atomic_init(&c.bad, INT64_MAX);
    garray__cpu_parallel(c.count, SHARE, (double)c.count * 0.5, check_block, &c);
    int64_t bad = atomic_load(&c.bad);
    if (bad == INT64_MAX)
        return GARRAY_OK;
    const char *p = check_place(&c, bad, &run);
    if (array->dtype == GARRAY_UINT64) {
        uint64_t v;
        memcpy(&v, p, 8);
        return garray__cpu_host->fail(GARRAY_ERR_INDEX, "index %llu is out of bounds for axis %d with size %lld",
                                      (unsigned long long)v, (int)array->axis, (long long)array->length);
    }
    load_run(&index, p, 0, array->dtype, 1);
    return garray__cpu_host->fail(GARRAY_ERR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                                  (long long)index, (int)array->axis, (long long)array->length);
}

/* ---- moving -------------------------------------------------------------------------------------------- */
/* Offsets into base of n positions from p on, along the last indexed axis. */
static void offsets(int64_t *to, const job *j, const place *p, int64_t n)
{
    const garray_index_plan *plan = j->plan;
    int last = j->nindexed - 1;
    int64_t step = last < 0 ? 0 : plan->base_strides[last], index[BLOCK];
    for (int64_t i = 0; i < n; i++)
        to[i] = p->base + i * step;
    for (int a = 0; a < plan->narrays; a++) {
        const garray_index_operand *x = &plan->array[a];
        load_run(index, (const char *)x->data + p->array[a], last < 0 ? 0 : x->strides[last], x->dtype, n);
        for (int64_t i = 0; i < n; i++)
            to[i] += (index[i] + (index[i] < 0 ? x->length : 0)) * x->step;
    }
}

typedef struct {
    uint64_t part[2];
} pair;

#define MOVE(T)                                                                                              \
    for (int64_t i = 0; i < n; i++, value += step)                                                           \
        memcpy(gather ? value : base + at[i], gather ? base + at[i] : value, sizeof(T));                     \
    break;

/* n rows between value, step bytes apart, and base, where at says. */
static inline void move_run(bool gather, char *value, int64_t step, char *base, const int64_t *at, int64_t n,
                            int64_t row)
{
    switch (row) {
    case 1:
        MOVE(uint8_t)
    case 2:
        MOVE(uint16_t)
    case 4:
        MOVE(uint32_t)
    case 8:
        MOVE(uint64_t)
    case 16:
        MOVE(pair)
    default:
        for (int64_t i = 0; i < n; i++, value += step)
            memcpy(gather ? value : base + at[i], gather ? base + at[i] : value, (size_t)row);
    }
}

/* The everyday case, one array of int64 and items of a register's size: no offsets in between. */
#define TAKE(T)                                                                                              \
    for (int64_t i = 0; i < n; i++, index += index_step, base += base_step, value += value_step) {           \
        int64_t at;                                                                                          \
        memcpy(&at, index, sizeof at);                                                                       \
        at += at < 0 ? length : 0;                                                                           \
        memcpy(gather ? value : base + at * step, gather ? base + at * step : value, sizeof(T));             \
    }                                                                                                        \
    return true;

static inline bool take_run(bool gather, char *value, int64_t value_step, char *base, int64_t base_step,
                            const char *index, int64_t index_step, int64_t length, int64_t step, int64_t n,
                            int64_t row)
{
    switch (row) {
    case 1:
        TAKE(uint8_t)
    case 2:
        TAKE(uint16_t)
    case 4:
        TAKE(uint32_t)
    case 8:
        TAKE(uint64_t)
    case 16:
        TAKE(pair)
    default:
        return false;
    }
}

static bool take(const job *j, const place *p, char *value, char *base, int64_t n, int64_t row)
{
    const garray_index_operand *x = &j->plan->array[0];
    int last = j->nindexed - 1;
    if (j->plan->narrays != 1 || x->dtype != GARRAY_INT64 || last < 0)
        return false;
    const char *index = (const char *)x->data + p->array[0];
    int64_t value_step = j->plan->value_strides[last], base_step = j->plan->base_strides[last];
    if (j->plan->kind == GARRAY_INDEX_GATHER)
        return take_run(true, value + p->value, value_step, base + p->base, base_step, index, x->strides[last],
                        x->length, x->step, n, row);
    return take_run(false, value + p->value, value_step, base + p->base, base_step, index, x->strides[last],
                    x->length, x->step, n, row);
}

/* Positions [begin, end), of each row the bytes [from, from + bytes). */
static void walk(const job *j, int64_t begin, int64_t end, int64_t from, int64_t bytes)
{
    const garray_index_plan *plan = j->plan;
    int last = j->nindexed - 1;
    int64_t step = last < 0 ? 0 : plan->value_strides[last], length = last < 0 ? 1 : j->shape[last], at[BLOCK];
    char *base = (char *)plan->base + from, *value = (char *)plan->values + from;
    place p;
    seek(&p, j, begin);
    for (int64_t i = begin, n; i < end; i += n) {
        n = length - (last < 0 ? 0 : p.at[last]);
        n = n < end - i ? n : end - i;
        if (!take(j, &p, value, base, n, bytes)) {
            n = n < BLOCK ? n : BLOCK;
            offsets(at, j, &p, n);
            if (plan->kind == GARRAY_INDEX_GATHER)
                move_run(true, value + p.value, step, base, at, n, bytes);
            else
                move_run(false, value + p.value, step, base, at, n, bytes);
        }
        move(&p, j, n);
    }
}

static void gather_block(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    walk(j, begin, end, 0, j->row);
}

/* Part [begin, end) of every row. */
static void scatter_columns(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    walk(j, 0, j->count, begin, end - begin);
}

garray_status garray__cpu_index_open(job *j, const garray_index_plan *plan)
{
    memset(j, 0, sizeof *j);
    j->plan = plan;
    j->nindexed = plan->ndim;
    j->row = plan->itemsize;
    j->count = plan->count;
    for (int a = 0; a < plan->narrays; a++)
        GARRAY_TRY(check_array(j, &plan->array[a]));
    for (int d = 0; d < plan->ndim; d++)
        j->shape[d] = plan->shape[d];
    /* The innermost axes that no array indexes and that are contiguous on both sides make up a row. */
    while (j->nindexed > 0) {
        int d = j->nindexed - 1;
        bool whole = plan->base_strides[d] == j->row && plan->value_strides[d] == j->row;
        for (int a = 0; a < plan->narrays; a++)
            whole = whole && plan->array[a].strides[d] == 0;
        if (!whole && plan->shape[d] != 1)
            break;
        j->row *= plan->shape[d];
        j->count /= plan->shape[d];
        j->nindexed--;
    }
    return GARRAY_OK;
}

void garray__cpu_index_visit_all(const job *j, int64_t begin, int64_t end, garray__cpu_index_visit *visit, void *ctx)
{
    const garray_index_plan *plan = j->plan;
    int last = j->nindexed - 1;
    int64_t step = last < 0 ? 0 : plan->value_strides[last], length = last < 0 ? 1 : j->shape[last], at[BLOCK];
    place p;
    seek(&p, j, begin);
    for (int64_t i = begin, n; i < end; i += n) {
        n = length - (last < 0 ? 0 : p.at[last]);
        n = n < end - i ? n : end - i;
        n = n < BLOCK ? n : BLOCK;
        offsets(at, j, &p, n);
        visit(ctx, at, (const char *)plan->values + p.value, step, n, j->row / plan->itemsize);
        move(&p, j, n);
    }
}

garray_status garray__cpu_index(const garray__queue *q, const garray_index_plan *plan)
{
    job j;
    if (plan->kind == GARRAY_INDEX_COMBINE)
        return garray__cpu_combine(q, plan);
    GARRAY_TRY(garray__cpu_index_open(&j, plan));
    double cost = (double)j.count * (2 + (double)j.row * 0.1);
    if (plan->kind == GARRAY_INDEX_GATHER) {
        int64_t grain = SHARE / (j.row + 8);
        garray__cpu_parallel(j.count, grain < 1 ? 1 : grain, cost, gather_block, &j);
    } else if (j.row >= 4096) {
        int64_t part = j.row / 8 < 2048 ? 2048 : (j.row / 8 + 63) & ~(int64_t)63;
        garray__cpu_parallel(j.row, part, cost, scatter_columns, &j);
    } else {
        walk(&j, 0, j.count, 0, j.row);
    }
    return GARRAY_OK;
}
