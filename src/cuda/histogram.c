/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms: how bins are found, where they are counted, and how weights are added. */
#include "cuda/histogram.h"
#include "cuda/scratch.h"

enum {
    THREADS = GARRAY_CUDA_HISTOGRAM_THREADS,
    BLOCKS = 4,                         /* of a multiprocessor, at most */
    WARPS = 8,                          /* of a block that adds weights, at most */
    CHUNK = 1024,                       /* items of such a warp, at least */
    MOST_BLOCKS = 1024,
    EVEN_ITEMS = 1 << 20,               /* of which few even bins are counted without atomics */
    PARTIALS = 1 << 22,                 /* partial sums of all blocks, at most, unless one block has more bins */
};

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* No more blocks than run at the same time: a few that begin later would take as long as all others. */
static unsigned grid_of(const garray__queue *q, const void *kernel, int threads, size_t shared, int64_t n, int64_t per_block)
{
    int fit = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared) != cudaSuccess) {
        (void)cudaGetLastError();       /* the launch will say what is wrong */
        fit = BLOCKS;
    }
    const int64_t most = (int64_t)garray__cuda_device_of(q)->multiprocessors * max64(1, min64(fit, BLOCKS));
    return (unsigned)max64(1, min64(most, (n + per_block - 1) / per_block));
}

static garray_status count_even(const garray__queue *q, const garray_histogram_plan *plan, garray__histogram_args *a)
{
    const void *kernel = garray__cuda_histogram_even_kernel(plan->dtype);
    const int threads = GARRAY_CUDA_HISTOGRAM_EVEN_THREADS;
    const size_t shared = (size_t)(plan->bins + 1) * (size_t)threads;
    void *list[] = {a};
    if (shared > 48 * 1024)
        GARRAY_CUDA(q, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    const dim3 grid = {grid_of(q, kernel, threads, shared, plan->n, (int64_t)threads * 64), 1, 1};
    const dim3 block = {(unsigned)threads, 1, 1};
    return garray__cuda_launch(q, "histogram", kernel, grid, block, shared, list);
}

static garray_status launch(const garray__queue *q, const garray_histogram_plan *plan, garray__histogram_args *a, bool count)
{
    const garray__histogram_finder finder = plan->kind == GARRAY_HISTOGRAM_COUNT ? GARRAY__HISTOGRAM_VALUE
                                            : garray__bins_take_float(&a->bins, plan->dtype) ? GARRAY__HISTOGRAM_FLOAT
                                                                                             : GARRAY__HISTOGRAM_DOUBLE;
    const void *kernel = garray__cuda_histogram_kernel(plan->dtype, finder, count);
    void *list[] = {a};
    size_t shared = 0;
    int64_t per_block = (int64_t)THREADS * 4;
    if (!kernel)
        return garray__cuda_host->fail(GARRAY_ERR_DTYPE, "no histogram for this dtype");
    if (count && finder == GARRAY__HISTOGRAM_FLOAT && plan->counts && !a->extent && plan->n >= EVEN_ITEMS
        && plan->bins <= GARRAY_CUDA_HISTOGRAM_EVEN_THREADS)
        return count_even(q, plan, a);
    if (count) {
        a->shared = plan->counts && plan->bins <= GARRAY_CUDA_HISTOGRAM_MOST;
        while (a->shared && a->log_copies < 5 && plan->bins << (a->log_copies + 1) <= GARRAY_CUDA_HISTOGRAM_WORDS)
            a->log_copies++;
        shared = a->shared ? (size_t)(plan->bins << a->log_copies) * sizeof(uint32_t) : 0;
        per_block = max64(per_block * 4, (int64_t)(shared / sizeof(uint32_t)));       /* clearing the counters must pay */
    }
    const dim3 grid = {grid_of(q, kernel, THREADS, shared, plan->n, per_block), 1, 1}, block = {THREADS, 1, 1};
    return garray__cuda_launch(q, "histogram", kernel, grid, block, shared, list);
}

static garray_status count(const garray__queue *q, const garray_histogram_plan *plan, garray__histogram_args *a)
{
    a->counts = plan->counts;
    a->extent = plan->extent;
    GARRAY_CUDA_TRY(garray__cuda_histogram_start(q, a));
    return launch(q, plan, a, true);
}

static garray_status add_few(const garray__queue *q, garray__histogram_sums *s, garray__scratch *scratch)
{
    void *partial;
    s->warps = (int32_t)max64(1, min64(WARPS, GARRAY_CUDA_HISTOGRAM_SUMS / s->bins));
    const int64_t most = max64(1, min64(MOST_BLOCKS, PARTIALS / s->bins)), least = (int64_t)s->warps * CHUNK;
    s->blocks = max64(1, min64(most, (s->n + least - 1) / least));
    const int64_t warps = s->blocks * s->warps;
    s->chunk = ((s->n + warps - 1) / warps + 31) / 32 * 32;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)(s->blocks * s->bins) * sizeof(double), &partial));
    s->partial = partial;
    return garray__cuda_histogram_few(q, s);
}

/* Sorted by bin, in the order of the items within each. */
static garray_status add_many(const garray__queue *q, garray__histogram_sums *s, garray__scratch *scratch)
{
    void *order;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)s->n * sizeof(int64_t), &order));
    const garray_sort_plan sort = {.kind = GARRAY_SORT_INDICES, .dtype = GARRAY_INT32, .in = s->bin, .indices = order, .rows = 1,
                                   .n = s->n};
    GARRAY_CUDA_TRY(garray__cuda_sort(q, &sort));
    s->order = order;
    return garray__cuda_histogram_many(q, s);
}

static garray_status add(const garray__queue *q, const garray_histogram_plan *plan, garray__histogram_args *a,
                         garray__scratch *scratch)
{
    void *bin;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)plan->n * sizeof(int32_t), &bin));
    a->bin = bin;
    GARRAY_CUDA_TRY(launch(q, plan, a, false));
    garray__histogram_sums s = {.bin = bin, .weights = plan->weights, .n = plan->n, .bins = plan->bins, .sums = plan->sums};
    return plan->bins <= GARRAY_CUDA_HISTOGRAM_SUMS ? add_few(q, &s, scratch) : add_many(q, &s, scratch);
}

garray_status garray__cuda_histogram(const garray__queue *q, const garray_histogram_plan *plan)
{
    garray__histogram_args a = {.in = plan->in, .n = plan->n, .bins = garray__bins_of(plan)};
    garray__scratch scratch = {.q = q};
    garray_status status = GARRAY_OK;
    if (plan->counts || plan->extent)
        status = count(q, plan, &a);
    if (status == GARRAY_OK && plan->sums) {
        garray__histogram_args sums = {.in = plan->in, .n = plan->n, .bins = a.bins};
        status = add(q, plan, &sums, &scratch);
    }
    if (status == GARRAY_OK && plan->places) {
        garray__histogram_args places = {.in = plan->in, .n = plan->n, .bins = a.bins, .places = plan->places};
        status = launch(q, plan, &places, false);
    }
    garray__scratch_drop(&scratch);
    return status;
}
