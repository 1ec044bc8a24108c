/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms: each chunk of the items has tables of its own, which are added in the order of the chunks; how many there
 * are depends on the sizes alone.  Within a chunk a tile at a time is brought to bins, then counted. */
#include <string.h>
#include "cpu/histogram.h"
#include "cpu/loops.h"

enum {
    TILE = 2048,                /* items whose bins are found at once */
    WAYS = 4,                   /* tables of few bins: neighbours that are equal need not wait for each other */
    FEW_BINS = 4096,
    CHUNK = 65536,              /* items that pay for a table at least */
    MOST_CHUNKS = 64,
};

typedef struct {
    const garray_histogram_plan *plan;
    const garray__histogram_kernels *kernels;
    garray__bins bins;
    int working;                /* the dtype that items are brought to: float32, float64 or int64 */
    int itemsize, ways;
    int64_t chunk;              /* items */
    uint32_t *counts;           /* per chunk: ways * (bins + 1) */
    double *sums;               /* per chunk: bins + 1 */
    int64_t *extents;           /* per chunk: 2 */
} job;

/* ---- a tile ---- */

/* n items from `first` on in the working dtype: where they lie, or in room. */
static const void *load(const job *j, int64_t first, int32_t n, void *room)
{
    const void *in = (const char *)j->plan->in + first * j->itemsize;
    if (j->plan->dtype == j->working)
        return in;
    garray__cpu_dtypes[j->plan->dtype]->cast[j->working](room, in, n);
    return room;
}

/* The bin of each item; the number of bins where it has none. */
static void find_bins(const job *j, const void *items, int32_t n, int32_t *bin)
{
    const float *f = items;
    const double *d = items;
    const bool is_float = j->working == GARRAY_FLOAT32;
    const int32_t none = (int32_t)j->plan->bins;
    int32_t unsure = n;
    if (j->working == GARRAY_INT64) {
        j->kernels->values(j->plan->bins, items, n, bin);
        return;
    }
    if (is_float ? j->bins.slack_f < 1 : j->bins.slack < 1)
        unsure = is_float ? j->kernels->guess_float(&j->bins, f, n, bin) : j->kernels->guess_double(&j->bins, d, n, bin);
    else
        memset(bin, 0xff, (size_t)n * sizeof *bin);     /* UNSURE */
    for (int32_t i = 0; i < n && unsure > 0; i++) {
        if (bin[i] != GARRAY_CPU_UNSURE)
            continue;
        const int64_t k = garray__bin_of(&j->bins, is_float ? (double)f[i] : d[i]);
        bin[i] = k < 0 ? none : (int32_t)k;
        unsure--;
    }
}

static void count_tile(const job *j, uint32_t *table, const int32_t *bin, int32_t n)
{
    int32_t i = 0;
    if (j->ways == WAYS) {
        const int64_t step = j->plan->bins + 1;
        uint32_t *second = table + step, *third = second + step, *fourth = third + step;
        for (; i + WAYS <= n; i += WAYS) {
            table[bin[i]]++;
            second[bin[i + 1]]++;
            third[bin[i + 2]]++;
            fourth[bin[i + 3]]++;
        }
    }
    for (; i < n; i++)
        table[bin[i]]++;
}

static void place_tile(const job *j, int64_t *places, const int32_t *bin, int32_t n)
{
    const int64_t bins = j->plan->bins;
    for (int32_t i = 0; i < n; i++)
        places[i] = places[i] < 0 || bin[i] == bins ? -1 : places[i] * bins + bin[i];
}

/* ---- a chunk ---- */

static void run_chunk(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_histogram_plan *p = j->plan;
    const int64_t c = begin / j->chunk, slots = p->bins + 1;
    uint32_t *counts = j->counts ? j->counts + c * j->ways * slots : NULL;
    double *sums = j->sums ? j->sums + c * slots : NULL;
    int64_t *extent = j->extents ? j->extents + 2 * c : NULL, room[TILE];
    int32_t bin[TILE];
    if (counts)
        memset(counts, 0, (size_t)(j->ways * slots) * sizeof *counts);
    if (sums)
        memset(sums, 0, (size_t)slots * sizeof *sums);
    if (extent) {
        extent[0] = INT64_MAX;
        extent[1] = INT64_MIN;
    }
    for (int64_t i = begin; i < end; i += TILE) {
        const int32_t n = end - i < TILE ? (int32_t)(end - i) : TILE;
        const void *items = load(j, i, n, room);
        if (extent)
            j->kernels->extent(items, n, extent);
        if (!counts && !sums && !p->places)
            continue;
        find_bins(j, items, n, bin);
        if (counts)
            count_tile(j, counts, bin, n);
        if (p->places)
            place_tile(j, p->places + i, bin, n);
        for (int32_t k = 0; k < n && sums; k++)
            sums[bin[k]] += p->weights[i + k];
    }
}

static void merge_counts(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const int64_t slots = j->plan->bins + 1, tables = (j->plan->n + j->chunk - 1) / j->chunk * j->ways;
    int64_t *out = j->plan->counts;
    for (int64_t b = begin; b < end; b++)
        out[b] = 0;
    for (int64_t t = 0; t < tables; t++)
        for (int64_t b = begin; b < end; b++)
            out[b] += j->counts[t * slots + b];
}

static void merge_sums(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const int64_t slots = j->plan->bins + 1, chunks = (j->plan->n + j->chunk - 1) / j->chunk;
    double *out = j->plan->sums;
    memcpy(out + begin, j->sums + begin, (size_t)(end - begin) * sizeof *out);
    for (int64_t c = 1; c < chunks; c++)
        for (int64_t b = begin; b < end; b++)
            out[b] += j->sums[c * slots + b];
}

garray_status garray__cpu_histogram(const garray__queue *q, const garray_histogram_plan *plan)
{
    job j = { .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_histogram_kernels), .bins = garray__bins_of(plan) };
    j.working = plan->kind == GARRAY_HISTOGRAM_COUNT ? GARRAY_INT64
                : garray__bins_take_float(&j.bins, plan->dtype) ? GARRAY_FLOAT32 : GARRAY_FLOAT64;
    j.itemsize = garray__cpu_itemsize(plan->dtype);
    j.ways = plan->bins <= FEW_BINS ? WAYS : 1;
    const int64_t slots = plan->bins + 1, least = 4 * slots * j.ways > CHUNK ? 4 * slots * j.ways : CHUNK;
    int64_t chunks = plan->n / least < 1 ? 1 : plan->n / least > MOST_CHUNKS ? MOST_CHUNKS : plan->n / least;
    if (plan->n / chunks > UINT32_MAX / 2)              /* a table counts in 32 bits */
        chunks = plan->n / (UINT32_MAX / 2) + 1;
    j.chunk = (plan->n + chunks - 1) / chunks;
    chunks = (plan->n + j.chunk - 1) / j.chunk;
    void *memory = NULL;
    const int64_t counts = plan->counts ? chunks * j.ways * slots : 0, sums = plan->sums ? chunks * slots : 0;
    const int64_t size = (counts + 1) / 2 * 2 * (int64_t)sizeof(uint32_t) + sums * (int64_t)sizeof(double)
                         + (plan->extent ? 2 * chunks * (int64_t)sizeof(int64_t) : 0);
    if (size > 0)
        GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)size, &memory));
    char *next = memory;
    if (plan->sums) {
        j.sums = (double *)(void *)next;
        next += sums * (int64_t)sizeof(double);
    }
    if (plan->extent) {
        j.extents = (int64_t *)(void *)next;
        next += 2 * chunks * (int64_t)sizeof(int64_t);
    }
    if (plan->counts)
        j.counts = (uint32_t *)(void *)next;
    const double each = plan->kind == GARRAY_HISTOGRAM_EDGES ? 10 : 1.5;        /* nanoseconds of an item */
    garray__cpu_parallel(plan->n, j.chunk, each * (double)plan->n, run_chunk, &j);
    if (plan->counts)
        garray__cpu_parallel(plan->bins, 4096, (double)counts * 0.3, merge_counts, &j);
    if (plan->sums)
        garray__cpu_parallel(plan->bins, 4096, (double)sums * 0.5, merge_sums, &j);
    for (int64_t c = 0; c < chunks && plan->extent; c++)
        for (int k = 0; k < 2; k++)
            if (c == 0 || (k ? j.extents[2 * c + 1] > plan->extent[1] : j.extents[2 * c] < plan->extent[0]))
                plan->extent[k] = j.extents[2 * c + k];
    if (memory)
        garray__cpu_host->scratch_free(q, memory);
    return GARRAY_OK;
}
