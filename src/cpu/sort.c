/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of sort, argsort and top-k.  Values of real dtypes are sorted as keys of their own width; all else
 * sorts ranks with places.  Many rows are shared among threads; a long one is cut (sort_long.c).
 * The order is total (rank, then place), so how the work is cut does not show. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/sort.h"

enum {
    LONG = 1 << 17,             /* items of a row that several threads sort */
    PARTS = GARRAY_SORT_PARTS,
    TOP_BLOCK = 256,            /* items looked at together by top-k */
    TOP_LONG = 1 << 18          /* items of a row that top-k cuts into parts */
};
#define SCRATCH_MAX ((int64_t)256 << 20)        /* for the rows that are under way at once, if one needs no more */

typedef garray__sort_job job;

/* ---- zeros --------------------------------------------------------------------------------------------- */
static bool key_is_zero(const void *keys, int64_t i, int64_t size, bool descending, bool *negative)
{
    uint64_t key = 0, zero = 1ull << (8 * size - 1), below = zero - 1;
    if (size == 2)
        key = ((const uint16_t *)keys)[i];
    else if (size == 4)
        key = ((const uint32_t *)keys)[i];
    else
        key = ((const uint64_t *)keys)[i];
    *negative = key == (descending ? zero : below);
    return key == zero || key == below;
}

void garray__remember_zeros(const job *j, const void *keys, uint8_t *signs)
{
    int64_t z = 0;
    bool negative;
    for (int64_t i = 0; i < j->plan->n; i++)
        if (key_is_zero(keys, i, j->item, j->plan->descending != 0, &negative)) {
            uint8_t bit = (uint8_t)(1u << (z & 7));
            signs[z >> 3] = negative ? signs[z >> 3] | bit : (uint8_t)(signs[z >> 3] & ~bit);
            z++;
        }
}

/* The zeros of sorted values are neighbours. */
void garray__restore_zeros(const job *j, char *values, const uint8_t *signs, int64_t zeros)
{
    int64_t low = 0, high = j->plan->n, size = j->item;
    static const uint8_t none[8];
    for (; low < high; low++) {         /* the first zero: all bits but the sign are 0 */
        char v[8];
        memcpy(v, values + low * size, (size_t)size);
        v[size - 1] = (char)(v[size - 1] & 0x7f);
        if (!memcmp(v, none, (size_t)size))
            break;
    }
    for (int64_t z = 0; z < zeros; z++) {
        char *p = values + (low + z) * size;
        p[size - 1] = (char)(signs[z >> 3] & (1u << (z & 7)) ? 0x80 : 0);
    }
}

/* ---- rows, each by one thread -------------------------------------------------------------------------- */
/* Values by their places; where the row is sorted in place, it is copied to spare first. */
static void gather_values(const job *j, int64_t row, const int64_t *places, int64_t k, char *spare)
{
    const char *in = garray__sort_input(j, row);
    char *out = garray__sort_output(j, row);
    if (spare && in == out) {
        memcpy(spare, in, (size_t)(j->plan->n * j->item));
        in = spare;
    }
    for (int64_t i = 0; i < k; i++)
        memcpy(out + i * j->item, in + places[i] * j->item, (size_t)j->item);
}

static void sort_keys(const job *j, int64_t row, char *scratch)
{
    const garray_sort_plan *p = j->plan;
    char *values = garray__sort_output(j, row);
    uint8_t *signs = (uint8_t *)scratch + p->n * j->item;
    garray__zeros zeros = { 0, 0 };
    garray__encode(values, garray__sort_input(j, row), p->n, p->dtype, p->descending != 0, &zeros);
    bool mixed = zeros.positive && zeros.negative;
    if (mixed)
        garray__remember_zeros(j, values, signs);
    j->items->sort(values, scratch, p->n);
    garray__decode(values, values, p->n, p->dtype, p->descending != 0);
    if (mixed)
        garray__restore_zeros(j, values, signs, zeros.positive + zeros.negative);
}

static void sort_places(const job *j, int64_t row, char *scratch)
{
    const garray_sort_plan *p = j->plan;
    char *a = scratch, *b = a + p->n * j->items->size;
    j->items->load(a, garray__sort_input(j, row), p->n, 0, p->dtype, j->order);
    if (j->k < p->n)
        j->items->select(a, b, p->n, j->k);
    j->items->sort(a, b, j->k);
    int64_t *places = p->indices ? p->indices + row * j->k : (int64_t *)(void *)b;
    j->items->places(places, a, j->k);
    if (p->values)
        gather_values(j, row, places, j->k, a);
}

static void sort_rows(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t r = begin; r < end; r++) {
        char *scratch = j->scratch + r * j->row_scratch;
        if (j->keys)
            sort_keys(j, j->first + r, scratch);
        else
            sort_places(j, j->first + r, scratch);
    }
}

/* ---- top-k --------------------------------------------------------------------------------------------- */
/* Of items [begin, end) of a row the first k in order of place, to `kept`; returns how many.  Items above the k-th
 * best so far are passed over a block at a time; the others are collected, and sifted when there is no more room. */
static int64_t sift(const job *j, int64_t row, int64_t begin, int64_t end, char *kept, char *spare)
{
    const garray_sort_plan *p = j->plan;
    const char *in = garray__sort_input(j, row);
    int64_t held = 0, size = j->items->size;
    bool wide = j->items == &garray__items_of[GARRAY_ITEM_PAIR];
    bool have_limit = false;
    uint64_t limit = UINT64_MAX;        /* ranks at or above it are out: later items lose a tie */
    uint32_t rank[TOP_BLOCK];
    uint64_t rank_wide[TOP_BLOCK];
    for (int64_t at = begin; at < end; at += TOP_BLOCK) {
        int64_t m = end - at < TOP_BLOCK ? end - at : TOP_BLOCK, some = 0;
        if (have_limit && j->items != &garray__items_of[GARRAY_ITEM_COMPLEX]) {
            if (wide) {
                garray__rank64(rank_wide, in + at * j->item, m, p->dtype, j->order);
                for (int64_t i = 0; i < m; i++)
                    some += rank_wide[i] < limit;
            } else {
                uint32_t most = (uint32_t)limit;
                garray__rank32(rank, in + at * j->item, m, p->dtype, j->order);
                for (int64_t i = 0; i < m; i++)
                    some += rank[i] < most;
            }
            if (some == 0)
                continue;
            for (int64_t i = 0; i < m; i++) {
                if ((wide ? rank_wide[i] : rank[i]) >= limit)
                    continue;
                j->items->load(kept + held * size, in + (at + i) * j->item, 1, at + i, p->dtype, j->order);
                held++;
            }
        } else {
            j->items->load(kept + held * size, in + at * j->item, m, at, p->dtype, j->order);
            held += m;
        }
        if (held + TOP_BLOCK > j->cap) {
            j->items->select(kept, spare, held, j->k);
            held = j->k < held ? j->k : held;
            have_limit = true;
            limit = 0;
            for (int64_t i = 0; i < held; i++) {
                uint64_t v;
                memcpy(&v, kept + i * size, 8);
                v = wide ? v : v >> 32;
                limit = v > limit ? v : limit;
            }
        }
    }
    if (held > j->k) {
        j->items->select(kept, spare, held, j->k);
        held = j->k;
    }
    return held;
}

static void top_finish(const job *j, int64_t row, char *items, char *spare)
{
    const garray_sort_plan *p = j->plan;
    j->items->sort(items, spare, j->k);
    int64_t *places = p->indices ? p->indices + row * j->k : (int64_t *)(void *)spare;
    j->items->places(places, items, j->k);
    if (p->values)
        gather_values(j, row, places, j->k, NULL);
}

static void top_rows(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t r = begin; r < end; r++) {
        char *kept = j->scratch + r * j->row_scratch, *spare = kept + j->cap * j->items->size;
        sift(j, j->first + r, 0, j->plan->n, kept, spare);
        top_finish(j, j->first + r, kept, spare);
    }
}

static void top_parts(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    int64_t room = j->cap * j->items->size;
    for (int64_t t = begin; t < end; t++) {
        int64_t first = t * j->width;
        char *kept = j->scratch + 2 * t * room;
        if (first < j->plan->n)
            sift(j, j->row, first, garray__sort_part_end(j, t), kept, kept + room);
    }
}

/* A long row: the best of each part, then the best of those. */
static void top_long(job *j, int64_t row)
{
    int64_t size = j->items->size, found = 0;
    char *all = j->scratch + 2 * PARTS * j->cap * size;
    j->row = row;
    j->width = (j->plan->n + PARTS - 1) / PARTS;
    garray__cpu_parallel(PARTS, 1, (double)j->plan->n, top_parts, j);
    for (int64_t t = 0; t < PARTS; t++) {
        int64_t length = garray__sort_part_end(j, t) - t * j->width, n = length < j->k ? length : j->k;
        if (n <= 0)
            continue;
        memcpy(all + found * size, j->scratch + 2 * t * j->cap * size, (size_t)(n * size));
        found += n;
    }
    char *spare = all + PARTS * j->k * size;
    j->items->select(all, spare, found, j->k);
    top_finish(j, row, all, spare);
}

/* ---- the entry ----------------------------------------------------------------------------------------- */
static garray__item_kind kind_of(const garray_sort_plan *p, bool keys)
{
    int size = garray__cpu_itemsize(p->dtype);
    if (p->dtype == GARRAY_COMPLEX64 || p->dtype == GARRAY_COMPLEX128)
        return GARRAY_ITEM_COMPLEX;
    if (keys)
        return (garray__item_kind)(GARRAY_ITEM_KEY8 + garray__cpu_width(size));
    return size == 8 || p->n > UINT32_MAX ? GARRAY_ITEM_PAIR : GARRAY_ITEM_PACKED;
}

static garray_status one_by_one(const garray__queue *q, job *j, int64_t bytes, void (*row)(job *, int64_t))
{
    void *scratch;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)bytes, &scratch));
    j->scratch = scratch;
    for (int64_t r = 0; r < j->plan->rows; r++)
        row(j, r);
    garray__cpu_host->scratch_free(q, scratch);
    return GARRAY_OK;
}

garray_status garray__cpu_sort(const garray__queue *q, const garray_sort_plan *plan)
{
    job j;
    if (plan->kind == GARRAY_SORT_PARTITION || plan->kind == GARRAY_SORT_PICK)
        return garray__cpu_partition(q, plan);
    memset(&j, 0, sizeof j);
    bool top = plan->kind == GARRAY_SORT_TOPK, few = plan->rows < garray__cpu_threads();
    bool has_parts = plan->dtype == GARRAY_COMPLEX64 || plan->dtype == GARRAY_COMPLEX128;
    int64_t n = plan->n;
    j.plan = plan;
    j.keys = plan->kind == GARRAY_SORT_VALUES && !has_parts;
    j.items = &garray__items_of[kind_of(plan, j.keys)];
    j.order = !plan->descending ? GARRAY_KEY_UP : top ? GARRAY_KEY_LARGEST : GARRAY_KEY_DOWN;
    j.item = garray__cpu_itemsize(plan->dtype);
    j.k = top ? plan->k : n;
    if (j.k == 0)
        return GARRAY_OK;
    int64_t size = j.items->size;
    bool sifted = top && !has_parts && j.k <= n / 8 && n > 1024;
    if (sifted) {
        j.cap = (4 * j.k > 64 ? 4 * j.k : 64) + TOP_BLOCK;
        j.row_scratch = 2 * j.cap * size;
        if (few && n >= TOP_LONG && j.k <= n / 64)
            return one_by_one(q, &j, 2 * PARTS * j.cap * size + 2 * PARTS * j.k * size, top_long);
    } else {
        if (few && n >= LONG && !top)
            return one_by_one(q, &j, garray__sort_long_scratch(&j), garray__sort_long);
        j.row_scratch = j.keys ? n * j.item + n / 8 + 8 : 2 * n * size;
    }
    j.row_scratch = (j.row_scratch + 63) & ~(int64_t)63;
    int64_t rows = SCRATCH_MAX / j.row_scratch;
    rows = rows < 1 ? 1 : rows < plan->rows ? rows : plan->rows;
    double cost = (double)n * (sifted ? 1 : 10);
    int64_t grain = (int64_t)(20000 / cost) + 1;
    void *scratch;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(rows * j.row_scratch), &scratch));
    j.scratch = scratch;
    for (j.first = 0; j.first < plan->rows; j.first += rows) {
        int64_t now = plan->rows - j.first < rows ? plan->rows - j.first : rows;
        garray__cpu_parallel(now, grain, cost * (double)now, sifted ? top_rows : sort_rows, &j);
    }
    garray__cpu_host->scratch_free(q, scratch);
    return GARRAY_OK;
}
