/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of scans: sequences by tiles or by warps where the scanned axis is the nearer one in memory, strips of
 * columns where it is not.  As with reductions, sizes alone decide. */
#include "cuda/scan.h"
#include "cuda/scratch.h"
#include "cuda/tuning.h"

enum {
    BLOCKS = 528,                       /* blocks that keep a large processor busy; a constant, as in reduce.c */
    CHAINED_STRIPS = 128,               /* columns of so many strips are chained */
    PIECE_BYTES = 512,                  /* of a warp that has one vector a lane */
    WARP_ITEMS = 4096,                  /* sequences up to this long are a warp's work where they are many */
    MANY = 4096,
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

static garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, unsigned threads,
                            garray__scan_args *a)
{
    void *args[] = {a};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a scan of (%lld, %lld, %lld) items is too large for "
                                       "one launch", (long long)a->outer, (long long)a->n, (long long)a->inner);
    return garray__cuda_launch(q, "scan", kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){threads, 1, 1}, 0,
                               args);
}

static garray_status run_columns(const garray__queue *q, const garray__scan_kernels *k, garray__scan_args *a,
                                 garray__scratch *scratch)
{
    a->log_x = a->inner >= 32 * 256 ? 5 : 4;    /* 128 bytes of a row where that leaves enough blocks */
    while (a->log_x > 0 && (int64_t)1 << (a->log_x - 1) >= a->inner)
        a->log_x--;
    const int64_t strips = ceil_div(a->inner, (int64_t)1 << a->log_x) * a->outer;
    const int64_t step = (int64_t)(GARRAY_CUDA_BLOCK >> a->log_x) * GARRAY_CUDA_SCAN_ROWS;
    a->segments = 1;
    a->segment = a->n;
    if (strips < BLOCKS / 2 && a->n >= 4 * step) {
        const int64_t wanted = ceil_div(BLOCKS, strips), steps = ceil_div(a->n, step);
        a->segment = ceil_div(steps, wanted < steps / 2 ? wanted : steps / 2) * step;
        a->segments = ceil_div(a->n, a->segment);
    }
    if (a->segments > 1) {
        GARRAY_CUDA_TRY(garray__scratch_take(
            scratch, (size_t)(a->segments * a->outer * a->inner) * (size_t)k->state_size, &a->totals));
        a->totals_only = 1;
        GARRAY_CUDA_TRY(launch(q, k->columns, strips * a->segments, GARRAY_CUDA_BLOCK, a));
        a->totals_only = 0;
    }
    return launch(q, k->columns, strips * a->segments, GARRAY_CUDA_BLOCK, a);
}

/* Zeroed slots and the ticket, which the blocks of a chain share. */
static garray_status take_slots(const garray__queue *q, const garray__scan_kernels *k, int64_t slots, garray__scan_args *a,
                                garray__scratch *scratch)
{
    const size_t size = 16 + (size_t)slots * (size_t)k->slot_size;
    void *room;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, size, &room));
    GARRAY_CUDA(q, cudaMemsetAsync(room, 0, size, garray__cuda_stream_of(q)));
    a->ticket = room;
    a->slots = (char *)room + 16;
    return GARRAY_OK;
}

static garray_status run_tiles(const garray__queue *q, const garray__scan_kernels *k, garray__scan_args *a,
                               garray__scratch *scratch)
{
    const int64_t sequences = a->outer * a->inner;
    a->tiles = ceil_div(a->n, k->tile);
    if (a->tiles > 1)
        GARRAY_CUDA_TRY(take_slots(q, k, sequences * garray__scan_slots(a->tiles), a, scratch));
    return launch(q, k->tiles, sequences * a->tiles, GARRAY_CUDA_BLOCK, a);
}

static garray_status run_chained_columns(const garray__queue *q, const garray__scan_kernels *k, garray__scan_args *a,
                                         garray__scratch *scratch)
{
    const int64_t strips = ceil_div(a->inner, GARRAY_CUDA_SCAN_STRIP) * a->outer;
    a->tiles = ceil_div(a->n, k->rows);
    if (a->tiles > 1)
        GARRAY_CUDA_TRY(take_slots(q, k, a->tiles * strips * GARRAY_CUDA_SCAN_STRIP, a, scratch));
    return launch(q, k->chained_columns, strips * a->tiles, GARRAY_CUDA_BLOCK, a);
}

static bool is_vector(const void *base, const int64_t *stride, const garray__scan_args *a, size_t size)
{
    uint64_t bits = (uint64_t)(uintptr_t)base;
    if (a->outer > 1)
        bits |= (uint64_t)stride[0];
    if (a->inner > 1)
        bits |= (uint64_t)stride[2];
    return stride[1] == (int64_t)size && (bits & 15) == 0;
}

garray_status garray__cuda_scan(const garray__queue *q, const garray_scan_plan *plan)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    if (plan->op == GARRAY_RED_MAX || plan->op == GARRAY_RED_MIN)
        return garray__cuda_scan_order(q, plan);
    const garray__scan_kernels *k = garray__cuda_scan_kernels(plan->dtype, plan->op == GARRAY_RED_PROD);
    if (!k || (plan->op != GARRAY_RED_SUM && plan->op != GARRAY_RED_PROD))
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "no scan %d of dtype %d on the CUDA device",
                                       (int)plan->op, (int)plan->dtype);
    garray__scan_args a = {.in = plan->in, .out = plan->out, .outer = plan->outer, .n = plan->n, .inner = plan->inner,
                           .boolean = plan->dtype == GARRAY_BOOL};
    uint64_t bits = (uint64_t)(uintptr_t)plan->in | (uint64_t)(uintptr_t)plan->out;
    for (int d = 0; d < 3; d++) {
        a.in_stride[d] = plan->in_strides[d];
        a.out_stride[d] = plan->out_strides[d];
        bits |= (uint64_t)a.in_stride[d] | (uint64_t)a.out_stride[d];
    }
    const size_t size = sizes[plan->dtype];
    a.unaligned = (bits & ((size > 8 ? 8 : size) - 1)) != 0;

    a.in_vector = is_vector(a.in, a.in_stride, &a, size);
    a.out_vector = is_vector(a.out, a.out_stride, &a, size);

    const int64_t sequences = a.outer * a.inner;
    garray__scratch scratch = {.q = q};
    garray_status status;
    if (a.inner > 1 && magnitude(a.in_stride[2]) < magnitude(a.in_stride[1])) {
        if (a.inner >= GARRAY_CUDA_SCAN_STRIP && ceil_div(a.inner, GARRAY_CUDA_SCAN_STRIP) * a.outer >= CHAINED_STRIPS)
            status = run_chained_columns(q, k, &a, &scratch);
        else
            status = run_columns(q, k, &a, &scratch);
    } else if (sequences > 1 && (a.n * (int64_t)size <= 2 * PIECE_BYTES || (sequences > MANY && a.n <= WARP_ITEMS))) {
        const int vectors = a.n * (int64_t)size <= PIECE_BYTES ? 0 : a.n * (int64_t)size <= 2 * PIECE_BYTES ? 1 : 2;
        status = launch(q, k->warps[vectors], ceil_div(sequences, GARRAY_CUDA_BLOCK / 32), GARRAY_CUDA_BLOCK, &a);
    } else {
        status = run_tiles(q, k, &a, &scratch);
    }
    garray__scratch_drop(&scratch);
    return status;
}
