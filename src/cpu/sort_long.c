/* SPDX-License-Identifier: BSD-3-Clause
 * One long row sorted by all threads.  Where keys are dealt out by vectors, each part of the row is split by the same
 * pivots, and then the runs between two pivots are brought together and sorted; else parts are sorted and merged.  The order
 * is total (rank, then place), so neither the cuts nor the number of threads show. */
#include <string.h>
#include "cpu/loops.h"
#include "cpu/sort.h"
#include "cpu/sort_vector.h"

enum {
    PARTS = GARRAY_SORT_PARTS,  /* that are merged, at most */
    PART = 32768,               /* items of one, at least */
    SEGMENT = 65536,            /* merged items per task */
    BLOCK = 256,                /* places taken out of items at a time */
    CUTS = 64,                  /* parts that are split, and runs of each, at most */
    PER_THREAD = 8,             /* of them; so threads that are held up have others take over */
    RUN = 512,                  /* items of a run, about, at least */
    SAMPLES = 64                /* items looked at for each pivot */
};

typedef struct {
    const garray__sort_job *j;
    const garray__vector_sorts *vector;
    int64_t parts, width;       /* of the row, and their length */
    char *from, *to;            /* arrays of items */
    const char *in;             /* the row, or its copy where it is sorted in place */
    garray__zeros zeros[CUTS];
    /* split: the pivots, where the runs of each part end, and where those of all parts begin in the row */
    int64_t runs;
    uint64_t pivots[CUTS];      /* or 32-bit ones */
    int64_t end[CUTS][CUTS], begin[CUTS + 1];
} job;

static int64_t part_length(const job *w, int64_t part)
{
    int64_t left = w->j->plan->n - part * w->width;
    return left < 0 ? 0 : left < w->width ? left : w->width;
}

static void load(const job *w, char *to, int64_t first, int64_t n, garray__zeros *zeros)
{
    const garray__sort_job *j = w->j;
    const garray_sort_plan *p = j->plan;
    const char *in = garray__sort_input(j, j->row) + first * j->item;
    if (j->keys)
        garray__encode(to, in, n, p->dtype, p->descending != 0, zeros);
    else
        j->items->load(to, in, n, first, p->dtype, j->order);
}

/* Sorted items [begin, end) of w->from to their places in the results. */
static void store(const job *w, int64_t begin, int64_t end)
{
    const garray__sort_job *j = w->j;
    const garray_sort_plan *p = j->plan;
    const char *from = w->from + begin * j->items->size;
    if (j->keys) {
        garray__decode(garray__sort_output(j, j->row) + begin * j->item, from, end - begin, p->dtype, p->descending != 0);
        return;
    }
    int64_t block[BLOCK];
    for (int64_t i = begin; i < end; i += BLOCK) {
        int64_t m = end - i < BLOCK ? end - i : BLOCK;
        int64_t *places = p->indices ? p->indices + j->row * p->n + i : block;
        j->items->places(places, w->from + i * j->items->size, m);
        for (int64_t k = 0; p->values && k < m; k++)
            memcpy(garray__sort_output(j, j->row) + (i + k) * j->item, w->in + places[k] * j->item, (size_t)j->item);
    }
}

/* ---- parts that are merged ----------------------------------------------------------------------------- */
static void load_part(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    for (int64_t t = begin; t < end; t++)
        if (part_length(w, t) > 0)
            load(w, w->from + t * w->width * w->j->items->size, t * w->width, part_length(w, t), &w->zeros[t]);
}

static void sort_part(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    const int64_t size = w->j->items->size;
    for (int64_t t = begin; t < end; t++)
        if (part_length(w, t) > 0)
            w->j->items->sort(w->from + t * w->width * size, w->to + t * w->width * size, part_length(w, t));
}

/* Output items [begin, end) of a round of merges: a segment may span several pairs of parts. */
static void merge_segment(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    int64_t size = w->j->items->size, n = w->j->plan->n;
    while (begin < end) {
        int64_t pair = begin / (2 * w->width) * 2 * w->width, middle = pair + w->width, last = pair + 2 * w->width;
        middle = middle < n ? middle : n;
        last = last < n ? last : n;
        int64_t stop = end < last ? end : last;
        w->j->items->merge_part(w->to + pair * size, w->from + pair * size, middle - pair, w->from + middle * size,
                                last - middle, begin - pair, stop - pair);
        begin = stop;
    }
}

static void store_segment(void *ctx, int64_t begin, int64_t end)
{
    store(ctx, begin, end);
}

static void merge_parts(job *w, double cost)
{
    const int64_t n = w->j->plan->n;
    garray__cpu_parallel(w->parts, 1, cost, sort_part, w);
    for (; w->width < n; w->width *= 2) {
        garray__cpu_parallel(n, SEGMENT, cost, merge_segment, w);
        char *t = w->from;
        w->from = w->to;
        w->to = t;
    }
    garray__cpu_parallel(n, SEGMENT, cost, store_segment, w);
}

/* ---- parts that are split ------------------------------------------------------------------------------ */
static void load_and_split(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    for (int64_t t = begin; t < end; t++) {
        const int64_t n = part_length(w, t);
        char *part = w->from + t * w->width * w->j->items->size;
        if (n > 0)
            load(w, part, t * w->width, n, &w->zeros[t]);
        if (w->j->items->size == 4)
            w->vector->split32((uint32_t *)(void *)part, n, (const uint32_t *)w->pivots, (int)w->runs - 1, w->end[t]);
        else
            w->vector->split64((uint64_t *)(void *)part, n, w->pivots, (int)w->runs - 1, w->end[t]);
    }
}

/* The items between two pivots, from all parts. */
static void gather_run(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    const int64_t size = w->j->items->size;
    for (int64_t r = begin; r < end; r++) {
        char *to = w->to + w->begin[r] * size;
        for (int64_t t = 0; t < w->parts; t++) {
            const int64_t first = r ? w->end[t][r - 1] : 0, bytes = (w->end[t][r] - first) * size;
            memcpy(to, w->from + (t * w->width + first) * size, (size_t)bytes);
            to += bytes;
        }
    }
}

static void sort_run(void *ctx, int64_t begin, int64_t end)
{
    job *w = ctx;
    const int64_t size = w->j->items->size;
    for (int64_t r = begin; r < end; r++)
        if (w->begin[r + 1] > w->begin[r]) {
            w->j->items->sort(w->from + w->begin[r] * size, w->to + w->begin[r] * size, w->begin[r + 1] - w->begin[r]);
            store(w, w->begin[r], w->begin[r + 1]);
        }
}

/* False: two are the same, so that one run would have more than its share. */
static bool find_pivots(job *w)
{
    const int64_t count = w->runs * SAMPLES, step = w->j->plan->n / count, size = w->j->items->size;
    garray__zeros zeros = { 0, 0 };
    for (int64_t i = 0; i < count; i++)
        load(w, w->to + i * size, i * step + step / 2, 1, &zeros);
    w->j->items->sort(w->to, w->to + count * size, count);
    for (int64_t r = 1; r < w->runs; r++)
        memcpy((char *)w->pivots + (r - 1) * size, w->to + r * SAMPLES * size, (size_t)size);
    for (int64_t r = 2; r < w->runs; r++)
        if (memcmp((const char *)w->pivots + (r - 2) * size, (const char *)w->pivots + (r - 1) * size, (size_t)size) == 0)
            return false;
    return true;
}

static void sort_runs(job *w, double cost)
{
    w->begin[0] = 0;
    for (int64_t r = 0; r < w->runs; r++) {
        w->begin[r + 1] = w->begin[r];
        for (int64_t t = 0; t < w->parts; t++)
            w->begin[r + 1] += w->end[t][r] - (r ? w->end[t][r - 1] : 0);
    }
    garray__cpu_parallel(w->runs, 1, cost, gather_run, w);
    char *t = w->from;
    w->from = w->to;
    w->to = t;
    garray__cpu_parallel(w->runs, 1, cost, sort_run, w);
}

/* ---- the row ------------------------------------------------------------------------------------------- */
/* Splitting is not stable: it is for keys, of which equal ones are the same. */
static bool can_split(const job *w)
{
    return w->vector->split32 && w->j->keys && w->j->items->size >= 4;
}

/* Two arrays of items, the signs of zeros, and a copy of the row where it is sorted in place. */
int64_t garray__sort_long_scratch(const garray__sort_job *j)
{
    const int64_t n = j->plan->n;
    return 2 * n * j->items->size + n * j->item + n / 8 + 8;
}

void garray__sort_long(garray__sort_job *j, int64_t row)
{
    const int64_t n = j->plan->n, bytes = n * j->items->size, threads = garray__cpu_threads();
    const double cost = (double)n * 20;
    uint8_t *rest = (uint8_t *)j->scratch + 2 * bytes;
    garray__zeros zeros = { 0, 0 };
    job w = { .j = j, .vector = GARRAY_ISA_PICK(garray__cpu_vector_sorts), .from = j->scratch, .to = j->scratch + bytes,
              .parts = 1, .runs = 1 };
    j->row = row;
    w.in = garray__sort_input(j, row);
    bool split = threads > 1 && can_split(&w);
    if (split) {
        while (w.runs < CUTS && w.runs < PER_THREAD * threads && n / (4 * w.runs * w.runs) >= RUN)
            w.runs *= 2;
        split = find_pivots(&w);
    }
    if (split) {
        w.parts = w.runs;
    } else {
        while (w.parts < PARTS && w.parts < threads && n / (2 * w.parts) >= PART)
            w.parts *= 2;
    }
    w.width = (n + w.parts - 1) / w.parts;
    garray__cpu_parallel(w.parts, 1, cost, split ? load_and_split : load_part, &w);
    for (int i = 0; i < CUTS; i++) {
        zeros.positive += w.zeros[i].positive;
        zeros.negative += w.zeros[i].negative;
    }
    const bool mixed = j->keys && zeros.positive && zeros.negative;
    if (mixed) {                /* the keys in their order again, if they have been split */
        garray__zeros again = { 0, 0 };
        if (split)
            load(&w, w.to, 0, n, &again);
        garray__remember_zeros(j, split ? w.to : w.from, rest);
    }
    if (!j->keys && j->plan->values && w.in == garray__sort_output(j, row)) {
        memcpy(rest, w.in, (size_t)(n * j->item));
        w.in = (const char *)rest;
    }
    if (split)
        sort_runs(&w, cost);
    else
        merge_parts(&w, cost);
    if (mixed)
        garray__restore_zeros(j, garray__sort_output(j, row), rest, zeros.positive + zeros.negative);
}
