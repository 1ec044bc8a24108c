/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics and partitions of rows.  A sample of a row tells between which two keys each wanted one almost surely
 * lies (Floyd and Rivest, "Expected time bounds for selection", CACM 18, 1975); one pass counts what is below and collects
 * what is between, and the wanted one is selected from those few.  Where the sample misled, its digits are found one by
 * one.  Keys are total ranks, so the result does not depend on how the work is cut. */
#include <math.h>
#include <string.h>
#include "cpu/loops.h"
#include "cpu/pick.h"
#include "cpu/select.h"
#include "cpu/sort.h"
#include "cpu/sort_vector.h"

enum {
    DIRECT = 2048,              /* rows up to this long are selected from as they are */
    SAMPLE = 8192,              /* at most */
    PARTS = 32,                 /* of a long row */
    PART = 16384,               /* items of a part, at least */
    SLOTS = 64,                 /* groups of rows under way at once */
    GROUPS = 2 * GARRAY_SORT_RANKS + 1,
    BLOCK = GARRAY_PICK_BLOCK
};

/* Wanted ranks that share a bracket; its ends are places in the sorted sample, -1 and the sample's length for none. */
typedef struct {
    int64_t low_at, high_at, room;      /* room: keys that a part may find */
    int first, count;
} span;

typedef struct {
    const garray_sort_plan *plan;
    const garray__pick_kernels *kernels;
    const garray__select_kernels *select;
    const garray__vector_sorts *vector;
    const garray__items *keys_sort;
    garray__key_order order;
    int item, size;             /* bytes of a value and of a key */
    int64_t sample, parts, width;       /* width: items of a part */
    int nspans;
    span spans[GARRAY_SORT_RANKS];
    int64_t span_bytes, row_scratch;
    char *scratch;
} job;

/* A row's work space. */
typedef struct {
    const job *j;
    const char *in;
    int64_t row;
    char *keys;                         /* the sample, or all of a short row; as much room behind it */
    garray__bracket *bracket;           /* [part][span] */
    char *found;                        /* [span][part][room] */
    int64_t *count;                     /* [part][group], then where each begins */
    int ngroups;
    uint64_t low[GROUPS], high[GROUPS];
} space;

static void load_keys(const job *j, void *to, const char *from, int64_t n)
{
    if (j->size == 4)
        garray__rank32(to, from, n, j->plan->dtype, j->order);
    else
        garray__rank64(to, from, n, j->plan->dtype, j->order);
}

static uint64_t key_at(const job *j, const void *keys, int64_t i)
{
    return j->size == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static uint64_t nth(const job *j, void *keys, int64_t n, int64_t k)
{
    if (j->vector->nth32)
        return j->size == 4 ? j->vector->nth32(keys, n, k, j->kernels->nth32) : j->vector->nth64(keys, n, k, j->kernels->nth64);
    return j->size == 4 ? j->kernels->nth32(keys, n, k) : j->kernels->nth64(keys, n, k);
}

static uint64_t highest(const job *j)
{
    return j->size == 4 ? UINT32_MAX : UINT64_MAX;
}

/* ---- the keys of the wanted ranks ---- */
/* One pass a byte of the key: always right, never needed but for a misleading sample. */
static uint64_t by_digits(const space *s, int64_t k)
{
    const job *j = s->j;
    uint64_t prefix = 0, block[BLOCK];
    for (int shift = 8 * j->size - 8; shift >= 0; shift -= 8) {
        int64_t count[256] = { 0 };
        int v = 0;
        for (int64_t i = 0; i < j->plan->n; i += BLOCK) {
            int64_t m = j->plan->n - i < BLOCK ? j->plan->n - i : BLOCK;
            load_keys(j, block, s->in + i * j->item, m);
            for (int64_t b = 0; b < m; b++) {
                uint64_t rest = (key_at(j, block, b) ^ prefix) >> shift;
                if (rest < 256)
                    count[rest]++;
            }
        }
        for (; k >= count[v]; v++)
            k -= count[v];
        prefix |= (uint64_t)v << shift;
    }
    return prefix;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* One item from each of `sample` equal strides, anywhere in it. */
static void take_sample(const space *s)
{
    const job *j = s->j;
    char *items = s->keys + j->sample * j->size;
    int64_t stride = j->plan->n / j->sample;
    for (int64_t i = 0; i < j->sample; i++) {
        int64_t at = i * stride + (int64_t)(mix((uint64_t)i + 1) % (uint64_t)stride);
        memcpy(items + i * j->item, s->in + at * j->item, (size_t)j->item);
    }
    load_keys(j, s->keys, items, j->sample);
    j->keys_sort->sort(s->keys, items, j->sample);
}

/* A part takes every parts-th block: of sorted items too, each then finds its share. */
static void narrow_parts(void *ctx, int64_t begin, int64_t end)
{
    const space *s = ctx;
    const job *j = s->j;
    uint64_t block[BLOCK];
    for (int64_t p = begin; p < end; p++) {
        const int64_t n = j->plan->n;
        garray__bracket *b = s->bracket + p * j->nspans;
        for (int64_t i = p * BLOCK; i < n; i += j->parts * BLOCK) {
            int64_t m = n - i < BLOCK ? n - i : BLOCK;
            load_keys(j, block, s->in + i * j->item, m);
            for (int k = 0; k < j->nspans; k++)
                if (j->size == 4)
                    j->kernels->narrow32(&b[k], (const uint32_t *)(const void *)block, m);
                else
                    j->kernels->narrow64(&b[k], block, m);
        }
    }
}

/* The ranks of one span, from what the parts found. */
static void resolve(const space *s, int which, char *found, uint64_t *keys)
{
    const job *j = s->j;
    const span *p = &j->spans[which];
    garray__bracket all = s->bracket[which];
    int64_t held = all.between, done = 0;
    bool full = all.between > all.room;
    for (int64_t t = 1; t < j->parts; t++) {
        const garray__bracket *b = &s->bracket[t * j->nspans + which];
        all.below += b->below;
        all.at_low += b->at_low;
        all.between += b->between;
        all.at_high += b->at_high;
        full = full || b->between > b->room;
        if (!full) {
            memmove(found + held * j->size, b->found, (size_t)(b->between * j->size));
            held += b->between;
        }
    }
    for (int i = p->first; i < p->first + p->count; i++) {
        int64_t k = j->plan->kth[i] - all.below;
        if (k >= 0 && k < all.at_low) {
            keys[i] = all.low;
            continue;
        }
        k -= all.at_low;
        if (k >= all.between && k < all.between + all.at_high)
            keys[i] = all.high;
        else if (k < 0 || k >= all.between || full)
            keys[i] = by_digits(s, j->plan->kth[i]);
        else {                          /* those below done are below what was found before */
            keys[i] = nth(j, found + done * j->size, held - done, k - done);
            done = k;
        }
    }
}

static void find_keys(space *s, uint64_t *keys)
{
    const job *j = s->j;
    const garray_sort_plan *p = j->plan;
    if (j->sample == 0) {
        load_keys(j, s->keys, s->in, p->n);
        for (int64_t i = 0, done = 0; i < p->nkth; done = p->kth[i++])
            keys[i] = nth(j, s->keys + done * j->size, p->n - done, p->kth[i] - done);
        return;
    }
    take_sample(s);
    char *found = s->found;
    for (int k = 0; k < j->nspans; k++) {
        const span *w = &j->spans[k];
        for (int64_t t = 0; t < j->parts; t++, found += w->room * j->size)
            s->bracket[t * j->nspans + k] = (garray__bracket){
                .low = w->low_at < 0 ? 0 : key_at(j, s->keys, w->low_at),
                .high = w->high_at >= j->sample ? highest(j) : key_at(j, s->keys, w->high_at),
                .found = found, .room = w->room,
            };
    }
    garray__cpu_parallel(j->parts, 1, (double)p->n * j->nspans, narrow_parts, s);
    found = s->found;
    for (int k = 0; k < j->nspans; k++) {
        resolve(s, k, found, keys);
        found += j->parts * j->spans[k].room * j->size;
    }
}

/* ---- dealing out ---- */
static int64_t mask_group(const space *s, uint64_t *bits, const void *keys, int64_t n, int g)
{
    const job *j = s->j;
    uint8_t mask[BLOCK];
    if (j->size == 4)
        j->kernels->within32(mask, keys, n, (uint32_t)s->low[g], (uint32_t)s->high[g]);
    else
        j->kernels->within64(mask, keys, n, s->low[g], s->high[g]);
    return j->select->count(bits, mask, n);
}

static void count_parts(void *ctx, int64_t begin, int64_t end)
{
    const space *s = ctx;
    const job *j = s->j;
    uint64_t block[BLOCK], bits[BLOCK / 64];
    for (int64_t p = begin; p < end; p++) {
        int64_t last = (p + 1) * j->width < j->plan->n ? (p + 1) * j->width : j->plan->n, *count = s->count + p * GROUPS;
        memset(count, 0, GROUPS * sizeof *count);
        for (int64_t i = p * j->width; i < last; i += BLOCK) {
            int64_t m = last - i < BLOCK ? last - i : BLOCK;
            load_keys(j, block, s->in + i * j->item, m);
            for (int g = 0; g < s->ngroups; g++)
                count[g] += mask_group(s, bits, block, m, g);
        }
    }
}

static void deal_parts(void *ctx, int64_t begin, int64_t end)
{
    const space *s = ctx;
    const job *j = s->j;
    const garray_sort_plan *plan = j->plan;
    uint64_t block[BLOCK], bits[BLOCK / 64];
    char moved[BLOCK * 8 + GARRAY_SELECT_SLACK] __attribute__((aligned(64)));      /* items or places */
    int width = garray__cpu_width(j->item);
    char *values = plan->values ? (char *)plan->values + s->row * plan->n * j->item : NULL;
    for (int64_t p = begin; p < end; p++) {
        int64_t last = (p + 1) * j->width < plan->n ? (p + 1) * j->width : plan->n, *at = s->count + p * GROUPS;
        for (int64_t i = p * j->width; i < last; i += BLOCK) {
            int64_t m = last - i < BLOCK ? last - i : BLOCK;
            load_keys(j, block, s->in + i * j->item, m);
            for (int g = 0; g < s->ngroups; g++) {
                int64_t total = mask_group(s, bits, block, m, g);
                if (total == 0)
                    continue;
                if (plan->values) {
                    j->select->items[width](moved, s->in + i * j->item, bits, m);
                    memcpy(values + at[g] * j->item, moved, (size_t)(total * j->item));
                } else {
                    j->select->places((int64_t *)(void *)moved, i, bits, m);
                    memcpy(plan->indices + s->row * plan->n + at[g], moved, (size_t)total * sizeof(int64_t));
                }
                at[g] += total;
            }
        }
    }
}

/* Below the first key, equal to it, between it and the second, ..., above the last; both ends belong to a group. */
static void make_groups(space *s, const uint64_t *keys)
{
    uint64_t begin = 0, top = highest(s->j);
    bool open = true;                   /* begin is not past the highest key */
    s->ngroups = 0;
    for (int i = 0; i < s->j->plan->nkth; i++) {
        if (i > 0 && keys[i] == keys[i - 1])
            continue;
        if (begin < keys[i]) {
            s->low[s->ngroups] = begin;
            s->high[s->ngroups++] = keys[i] - 1;
        }
        s->low[s->ngroups] = s->high[s->ngroups] = keys[i];
        s->ngroups++;
        open = keys[i] < top;
        begin = keys[i] + 1;
    }
    if (open) {
        s->low[s->ngroups] = begin;
        s->high[s->ngroups++] = top;
    }
}

static void deal(space *s, const uint64_t *keys)
{
    const job *j = s->j;
    double cost = (double)j->plan->n * 2;
    int64_t place = 0;
    make_groups(s, keys);
    garray__cpu_parallel(j->parts, 1, cost, count_parts, s);
    for (int g = 0; g < s->ngroups; g++)
        for (int64_t p = 0; p < j->parts; p++) {
            int64_t n = s->count[p * GROUPS + g];
            s->count[p * GROUPS + g] = place;
            place += n;
        }
    garray__cpu_parallel(j->parts, 1, cost, deal_parts, s);
}

/* ---- rows ---- */
static void do_row(const job *j, int64_t row, char *memory)
{
    const garray_sort_plan *p = j->plan;
    uint64_t keys[GARRAY_SORT_RANKS];
    space s = { .j = j, .in = (const char *)p->in + row * p->n * j->item, .row = row };
    s.bracket = (garray__bracket *)(void *)memory;
    s.count = (int64_t *)(void *)(s.bracket + j->parts * j->nspans);
    s.keys = (char *)(s.count + j->parts * GROUPS);
    s.found = s.keys + (j->sample ? 2 * j->sample : p->n) * j->size;
    find_keys(&s, keys);
    if (p->kind == GARRAY_SORT_PARTITION) {
        deal(&s, keys);
        return;
    }
    for (int i = 0; i < p->nkth; i++) {
        char *value = (char *)p->values + (row * p->nkth + i) * j->item;
        memcpy(value, &keys[i], (size_t)j->item);
        garray__decode(value, value, 1, p->dtype, p->descending != 0);
    }
}

static void do_rows(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t slot = begin; slot < end; slot++)
        for (int64_t row = j->plan->rows * slot / SLOTS; row < j->plan->rows * (slot + 1) / SLOTS; row++)
            do_row(j, row, j->scratch + slot * j->row_scratch);
}

/* Brackets that hold a rank in all but one of some thousand samples; those that meet become one. */
static void make_spans(job *j)
{
    const garray_sort_plan *p = j->plan;
    double per = (double)j->sample / (double)p->n;
    for (int i = 0; i < p->nkth; i++) {
        double at = ((double)p->kth[i] + 0.5) * per;
        double away = 3.5 * sqrt(at * (1 - at / (double)j->sample)) + 3;
        int64_t low = (int64_t)floor(at - away), high = (int64_t)ceil(at + away);
        low = low < 0 ? -1 : low;
        high = high > j->sample ? j->sample : high;
        if (j->nspans > 0 && low <= j->spans[j->nspans - 1].high_at) {
            j->spans[j->nspans - 1].high_at = high;
            j->spans[j->nspans - 1].count++;
        } else {
            j->spans[j->nspans++] = (span){ .low_at = low, .high_at = high, .first = i, .count = 1 };
        }
    }
    for (int k = 0; k < j->nspans; k++) {
        double share = (double)(j->spans[k].high_at - j->spans[k].low_at) / (double)j->sample;
        double room = share * 1.5 * (double)j->width + (j->parts > 1 ? 2 * BLOCK : 64), most = (double)(j->width + BLOCK);
        j->spans[k].room = (int64_t)(room < most ? room : most);
        j->spans[k].room = (j->spans[k].room + 1) & ~(int64_t)1;
        j->span_bytes += j->spans[k].room * j->parts * j->size;
    }
}

garray_status garray__cpu_partition(const garray__queue *q, const garray_sort_plan *plan)
{
    job j = { .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_pick_kernels),
              .select = GARRAY_ISA_PICK(garray__cpu_select_kernels),
              .vector = GARRAY_ISA_PICK(garray__cpu_vector_sorts) };
    int64_t n = plan->n;
    j.order = plan->descending ? GARRAY_KEY_TOTAL_DOWN : GARRAY_KEY_TOTAL;
    j.item = garray__cpu_itemsize(plan->dtype);
    j.size = j.item == 8 ? 8 : 4;
    j.keys_sort = &garray__items_of[j.size == 8 ? GARRAY_ITEM_KEY64 : GARRAY_ITEM_KEY32];
    bool few = plan->rows < garray__cpu_threads() || plan->rows < 4;
    j.parts = few ? n / PART : 1;
    j.parts = j.parts < 1 ? 1 : j.parts > PARTS ? PARTS : j.parts;
    j.width = (n + j.parts - 1) / j.parts;
    if (n > DIRECT) {
        j.sample = n / 32 < 256 ? 256 : n / 32 > SAMPLE ? SAMPLE : n / 32;
        make_spans(&j);
    }
    j.row_scratch = j.parts * (j.nspans * (int64_t)sizeof(garray__bracket) + GROUPS * (int64_t)sizeof(int64_t))
                    + (j.sample ? 2 * j.sample : n) * j.size + j.span_bytes;
    j.row_scratch = (j.row_scratch + 63) & ~(int64_t)63;
    void *scratch;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)((few ? 1 : SLOTS) * j.row_scratch), &scratch));
    j.scratch = scratch;
    if (few)
        for (int64_t row = 0; row < plan->rows; row++)
            do_row(&j, row, j.scratch);
    else
        garray__cpu_parallel(SLOTS, 1, (double)plan->rows * (double)n * 3, do_rows, &j);
    garray__cpu_host->scratch_free(q, scratch);
    return GARRAY_OK;
}
