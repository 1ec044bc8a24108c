/* SPDX-License-Identifier: BSD-3-Clause
 * Gather and scatter by integer arrays.  All indices are looked at before anything is written.  Then the plan is walked
 * row by row: a row whose inner axis no array indexes is moved as a whole. */
#include <stdatomic.h>
#include <string.h>
#include "cpu/cpu.h"

static int64_t load_index(const char *p, int dtype)
{
    switch (dtype) {
    case GARRAY_INT8: return *(const int8_t *)p;
    case GARRAY_UINT8: return *(const uint8_t *)p;
    case GARRAY_INT16: { int16_t v; memcpy(&v, p, 2); return v; }
    case GARRAY_UINT16: { uint16_t v; memcpy(&v, p, 2); return v; }
    case GARRAY_INT32: { int32_t v; memcpy(&v, p, 4); return v; }
    case GARRAY_UINT32: { uint32_t v; memcpy(&v, p, 4); return v; }
    case GARRAY_UINT64: { uint64_t v; memcpy(&v, p, 8); return v > INT64_MAX ? INT64_MAX : (int64_t)v; }
    default: { int64_t v; memcpy(&v, p, 8); return v; }
    }
}

/* ---- the check ----------------------------------------------------------------------------------------- */

struct check {
    const garray_index_operand *a;
    int ndim;                       /* the axes that the array really has */
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    _Atomic int64_t bad;            /* flat number of an index out of range; INT64_MAX: none seen */
};

static const char *element(const struct check *c, int64_t flat)
{
    const char *p = c->a->data;
    for (int d = c->ndim - 1; d >= 0; d--) {
        p += flat % c->shape[d] * c->strides[d];
        flat /= c->shape[d];
    }
    return p;
}

static void check_block(void *ctx, int64_t begin, int64_t end)
{
    struct check *c = ctx;
    int64_t n = c->a->length, inner = c->ndim ? c->shape[c->ndim - 1] : 1, step = c->ndim ? c->strides[c->ndim - 1] : 0;
    for (int64_t i = begin; i < end;) {
        const char *p = element(c, i);
        int64_t run = inner - i % inner;
        run = run < end - i ? run : end - i;
        int64_t first_bad = run;
        if (c->a->dtype == GARRAY_INT64 && step == 8 && (uintptr_t)p % 8 == 0) {
            const int64_t *v = (const int64_t *)(const void *)p;
            int bad = 0;
            for (int64_t k = 0; k < run; k++)
                bad |= v[k] >= n || v[k] < -n;
            first_bad = bad ? 0 : run;
        } else {
            first_bad = 0;
        }
        for (int64_t k = first_bad; k < run; k++) {
            int64_t v = load_index(p + k * step, c->a->dtype);
            if (v >= n || v < -n) {
                int64_t seen = atomic_load_explicit(&c->bad, memory_order_relaxed);
                while (i + k < seen && !atomic_compare_exchange_weak(&c->bad, &seen, i + k))
                    ;
                return;
            }
        }
        i += run;
    }
}

static garray_status check_array(const garray_index_plan *plan, const garray_index_operand *a)
{
    struct check c = { .a = a, .bad = INT64_MAX };
    int64_t count = 1;
    for (int d = 0; d < plan->ndim; d++)
        if (a->strides[d] != 0) {
            c.shape[c.ndim] = plan->shape[d];
            c.strides[c.ndim++] = a->strides[d];
            count *= plan->shape[d];
        }
    garray__cpu_parallel(count, 1 << 15, 0.5 * (double)count, check_block, &c);
    if (c.bad == INT64_MAX)
        return GARRAY_OK;
    return garray__cpu_host->fail(GARRAY_ERR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                                  (long long)load_index(element(&c, c.bad), a->dtype), (int)a->axis, (long long)a->length);
}

/* ---- the move ------------------------------------------------------------------------------------------ */

static int64_t offset_of(const garray_index_operand *a, const char *p)
{
    int64_t v = load_index(p, a->dtype);
    return (v < 0 ? v + a->length : v) * a->step;
}

static void move_item(char *to, const char *from, int itemsize)
{
    switch (itemsize) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16);
    }
}

/* n items of a row, `from` and `to` in steps. */
static void move_strided(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int itemsize)
{
    if (to_step == itemsize && from_step == itemsize) {
        memcpy(to, from, (size_t)n * (size_t)itemsize);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        move_item(to + i * to_step, from + i * from_step, itemsize);
}

/* One array of int64 along the row, the commonest case; type is as wide as an item. */
#define MOVE_ROW(type)                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        int64_t v;                                                                                           \
        memcpy(&v, index + i * index_step, 8);                                                               \
        char *place = base + i * base_step + (v < 0 ? v + a->length : v) * a->step;                          \
        type item;                                                                                           \
        if (gather) {                                                                                        \
            memcpy(&item, place, sizeof item);                                                               \
            memcpy(value + i * value_step, &item, sizeof item);                                              \
        } else {                                                                                             \
            memcpy(&item, value + i * value_step, sizeof item);                                              \
            memcpy(place, &item, sizeof item);                                                               \
        }                                                                                                    \
    }

static void move_indexed_int64(const garray_index_plan *plan, char *base, char *value, const char *index, int64_t n)
{
    const garray_index_operand *a = &plan->array[0];
    int inner = plan->ndim - 1;
    int64_t base_step = plan->base_strides[inner], value_step = plan->value_strides[inner], index_step = a->strides[inner];
    const bool gather = plan->kind == GARRAY_INDEX_GATHER;
    switch (plan->itemsize) {
    case 1: MOVE_ROW(uint8_t) break;
    case 2: MOVE_ROW(uint16_t) break;
    case 4: MOVE_ROW(uint32_t) break;
    case 8: MOVE_ROW(uint64_t) break;
    default: MOVE_ROW(struct { uint64_t part[2]; })
    }
}

/* n items of the innermost axis from a place given by pointers. */
static void move_row(const garray_index_plan *plan, char *base, char *value, const char *const *index, int64_t n)
{
    int inner = plan->ndim - 1;
    bool gather = plan->kind == GARRAY_INDEX_GATHER, indexed = false;
    int64_t base_step = inner >= 0 ? plan->base_strides[inner] : 0, value_step = inner >= 0 ? plan->value_strides[inner] : 0;
    for (int k = 0; k < plan->narrays; k++)
        indexed |= inner >= 0 && plan->array[k].strides[inner] != 0;
    if (!indexed) {
        for (int k = 0; k < plan->narrays; k++)
            base += offset_of(&plan->array[k], index[k]);
        if (gather)
            move_strided(value, value_step, base, base_step, n, plan->itemsize);
        else
            move_strided(base, base_step, value, value_step, n, plan->itemsize);
        return;
    }
    if (plan->narrays == 1 && plan->array[0].dtype == GARRAY_INT64) {
        move_indexed_int64(plan, base, value, index[0], n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *place = base + i * base_step, *item = value + i * value_step;
        for (int k = 0; k < plan->narrays; k++)
            place += offset_of(&plan->array[k], index[k] + i * plan->array[k].strides[inner]);
        move_item(gather ? item : place, gather ? place : item, plan->itemsize);
    }
}

/* Items [begin, end) of the plan in C order. */
static void move_block(void *ctx, int64_t begin, int64_t end)
{
    const garray_index_plan *plan = ctx;
    int64_t length = plan->ndim ? plan->shape[plan->ndim - 1] : 1;
    for (int64_t i = begin; i < end;) {
        char *base = plan->base, *value = plan->values;
        const char *index[GARRAY_INDEX_ARRAYS];
        int64_t rest = i, run = length - i % length;
        for (int k = 0; k < plan->narrays; k++)
            index[k] = plan->array[k].data;
        for (int d = plan->ndim - 1; d >= 0; d--) {
            int64_t at = rest % plan->shape[d];
            rest /= plan->shape[d];
            base += at * plan->base_strides[d];
            value += at * plan->value_strides[d];
            for (int k = 0; k < plan->narrays; k++)
                index[k] += at * plan->array[k].strides[d];
        }
        run = run < end - i ? run : end - i;
        move_row(plan, base, value, index, run);
        i += run;
    }
}

garray_status garray__cpu_index(const garray__queue *q, const garray_index_plan *plan)
{
    (void)q;
    for (int k = 0; k < plan->narrays; k++) {
        garray_status st = check_array(plan, &plan->array[k]);
        if (st != GARRAY_OK)
            return st;
    }
    /* a position may come twice in a scatter, and then the last one counts: one thread, in order */
    if (plan->kind == GARRAY_INDEX_SCATTER)
        move_block((void *)plan, 0, plan->count);
    else
        garray__cpu_parallel(plan->count, 1 << 14, (0.5 + 0.05 * plan->itemsize) * (double)plan->count, move_block, (void *)plan);
    return GARRAY_OK;
}
