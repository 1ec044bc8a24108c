/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of reductions: picks the kernel, the shape of its blocks and the number of segments of each output.
 * All of it follows from the plan alone, never from the processor, so that results do not depend on it. */
#include <string.h>
#include "cuda/reduce.h"
#include "cuda/scratch.h"
#include "cuda/tuning.h"

enum {
    BLOCK_LOG = 8,                      /* log2 of GARRAY_CUDA_BLOCK */
    BLOCKS = 2112,                      /* blocks that fill a large processor evenly; a constant, see above */
    SEGMENT_BYTES = 32768,              /* an output's segments are at least this long */
    ROW_BYTES = 8192,                   /* rows this long get a block of their own */
    VECTOR_BYTES = 64,                  /* what a thread reads at a time */
};

_Static_assert(1 << BLOCK_LOG == GARRAY_CUDA_BLOCK, "log2");

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* log2 of the smallest power of two that is at least n, at most limit. */
static int log2_up(int64_t n, int limit)
{
    int log = 0;
    while (log < limit && ((int64_t)1 << log) < n)
        log++;
    return log;
}

static size_t item_size(int dtype)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[dtype];
}

static bool is_integer(int dtype) { return dtype >= GARRAY_BOOL && dtype <= GARRAY_UINT64; }

static garray__reduce_kind kind_of(const garray_reduce_plan *plan)
{
    const bool real = is_integer(plan->in_dtype) && plan->acc_dtype == GARRAY_FLOAT64;
    switch (plan->op) {
    case GARRAY_RED_PROD:
        return real ? GARRAY__REDUCE_FPROD : GARRAY__REDUCE_PROD;
    case GARRAY_RED_MIN: case GARRAY_RED_MAX:
        return GARRAY__REDUCE_EXTREMUM;
    case GARRAY_RED_ARGMIN: case GARRAY_RED_ARGMAX:
        return GARRAY__REDUCE_ARG;
    case GARRAY_RED_VAR: case GARRAY_RED_STD:
        return GARRAY__REDUCE_VAR;
    default:
        return real ? GARRAY__REDUCE_FSUM : GARRAY__REDUCE_SUM;
    }
}

static bool is_count(int op)
{
    return op == GARRAY_RED_ANY || op == GARRAY_RED_ALL || op == GARRAY_RED_COUNT_NONZERO;
}

static bool is_arg(int op) { return op == GARRAY_RED_ARGMIN || op == GARRAY_RED_ARGMAX; }

static const garray__reduce_kernels *kernels_of(const garray_reduce_plan *plan)
{
    const garray__reduce_kind kind = kind_of(plan);
    if (is_count(plan->op))
        return garray__cuda_reduce_count(item_size(plan->in_dtype));
    if (is_integer(plan->in_dtype))
        return garray__cuda_reduce_integer(plan->in_dtype, kind);
    if (plan->in_dtype <= GARRAY_FLOAT64)
        return garray__cuda_reduce_float(plan->in_dtype, kind);
    return garray__cuda_reduce_complex(plan->in_dtype, kind);
}

/* The bits that turn the order round, or that make an item count. */
static void set_flip(const garray_reduce_plan *plan, uint64_t flip[2])
{
    static const uint64_t sign[] = {[GARRAY_FLOAT16] = 0x8000, [GARRAY_BFLOAT16] = 0x8000,
                                    [GARRAY_FLOAT32] = 0x80000000u, [GARRAY_FLOAT64] = 1ull << 63,
                                    [GARRAY_COMPLEX64] = 0x80000000u, [GARRAY_COMPLEX128] = 1ull << 63};
    const int dtype = plan->in_dtype;
    flip[0] = flip[1] = 0;
    if (is_count(plan->op)) {
        flip[0] = flip[1] = is_integer(dtype) ? ~0ull : ~sign[dtype];
        if (dtype == GARRAY_COMPLEX64)
            flip[0] = 0x7fffffff7fffffffull;
    } else if (plan->op == GARRAY_RED_MIN || plan->op == GARRAY_RED_ARGMIN) {
        /* 16-bit floats are computed as float */
        flip[0] = is_integer(dtype) ? ~0ull : dtype <= GARRAY_FLOAT32 ? 0x80000000u : sign[dtype];
    }
}

typedef struct axes {
    int nkeep, nred;
    garray__axis axis[2 * GARRAY_MAX_NDIM];
} axes;

/* Collects the axes; what does not depend on the order of items runs forwards in memory, its longest steps outside. */
static void collect_axes(const garray_reduce_plan *plan, garray__reduce_args *a, axes *list)
{
    list->nkeep = plan->nkeep;
    list->nred = 0;
    for (int d = 0; d < plan->nkeep; d++)
        list->axis[d] = garray__axis_of(plan->keep_shape[d], plan->in_keep[d], plan->out_keep[d],
                                        plan->mask ? plan->mask_keep[d] : 0);
    garray__axis *red = list->axis + list->nkeep;
    for (int d = 0; d < plan->nred; d++) {
        int64_t in = plan->in_red[d], mask = plan->mask ? plan->mask_red[d] : 0;
        if (plan->red_shape[d] == 1)
            continue;
        if (in < 0 && !is_arg(plan->op)) {
            a->in += (plan->red_shape[d] - 1) * in;
            if (a->mask)
                a->mask += (plan->red_shape[d] - 1) * mask;
            in = -in, mask = -mask;
        }
        int at = list->nred++;
        for (; at > 0 && !is_arg(plan->op) && red[at - 1].stride[0] < in; at--)
            red[at] = red[at - 1];
        red[at] = garray__axis_of(plan->red_shape[d], in, 0, mask);
    }
    if (list->nred == 0)
        red[list->nred++] = garray__axis_of(plan->red_count == 0 ? 0 : 1, 0, 0, 0);
    /* Axes that became one by turning round or sorting. */
    for (int d = list->nred - 1; d > 0; d--)
        if (!a->mask && red[d - 1].stride[0] == red[d].stride[0] * red[d].length) {
            red[d - 1] = garray__axis_of(red[d - 1].length * red[d].length, red[d].stride[0], 0, 0);
            memmove(red + d, red + d + 1, (size_t)(list->nred - 1 - d) * sizeof *red);
            list->nred--;
        }
}

static bool is_unaligned(const garray__reduce_args *a, const axes *list, size_t size)
{
    uint64_t all = (uint64_t)(uintptr_t)a->in;
    for (int d = 0; d < list->nkeep + list->nred; d++)
        all |= (uint64_t)list->axis[d].stride[0];
    size_t align = size > 8 ? 8 : size;
    return all & (align - 1);
}

/* Rows of contiguous items: a block for each long row, more where rows are few, a part of a warp for short ones. */
static int64_t shape_rows(garray__reduce_args *a, size_t size)
{
    const int64_t bytes = a->red * (int64_t)size;
    a->log_y = bytes >= ROW_BYTES || (bytes >= 1024 && a->keep < 4096) ? BLOCK_LOG
                                                                       : log2_up(bytes / VECTOR_BYTES, 5);
    a->log_x = BLOCK_LOG - a->log_y;
    if (a->log_y == BLOCK_LOG && bytes > 4 * SEGMENT_BYTES && a->keep < BLOCKS / 2)
        a->segments = min64(bytes / SEGMENT_BYTES, ceil_div(BLOCKS, a->keep));
    if (a->segments > 1) {
        /* whole vectors, so that every segment starts as the row does */
        a->segment = ceil_div(ceil_div(a->red, a->segments), 1024) * 1024;
        a->segments = ceil_div(a->red, a->segment);
    }
    return ceil_div(a->keep * a->segments, (int64_t)1 << a->log_x);
}

/* Any layout: neighbouring threads run along what is nearer in memory. */
static int64_t shape_grid(garray__reduce_args *a, const axes *list, size_t size)
{
    const garray__axis *red = &list->axis[list->nkeep + list->nred - 1];
    const int64_t along = red->stride[0] < 0 ? -red->stride[0] : red->stride[0];
    int64_t across = INT64_MAX;
    if (list->nkeep > 0) {
        const int64_t stride = list->axis[list->nkeep - 1].stride[0];
        across = stride < 0 ? -stride : stride == 0 ? INT64_MAX : stride;
    }
    a->y_fastest = along < across && a->red >= 16;
    if (a->y_fastest) {
        a->log_y = a->keep < 1024 && a->red > 512 ? BLOCK_LOG : log2_up(a->red / 8, 5);
        a->log_x = BLOCK_LOG - a->log_y;
    } else {
        a->log_x = log2_up(a->keep, a->keep >= 128 ? 7 : 5);
        a->log_y = BLOCK_LOG - a->log_x;
        while (a->log_y > 0 && ((int64_t)8 << a->log_y) > a->red)
            a->log_y--;
        /* threads that the reduction cannot use take more outputs */
        a->log_x = BLOCK_LOG - a->log_y;
    }
    const int64_t tiles = ceil_div(a->keep, (int64_t)1 << a->log_x);
    const int64_t least = max64((int64_t)16 << a->log_y, SEGMENT_BYTES / (int64_t)size >> a->log_x);
    if (tiles < BLOCKS / 2)
        a->segments = max64(1, min64(a->red / least, ceil_div(BLOCKS, tiles)));
    if (a->segments > 1) {
        const int64_t step = (int64_t)8 << a->log_y;
        a->segment = ceil_div(ceil_div(a->red, a->segments), step) * step;
        a->segments = ceil_div(a->red, a->segment);
    }
    return tiles * a->segments;
}

static garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, garray__reduce_args *a)
{
    void *args[] = {a};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a reduction with %lld outputs is too large for one "
                                       "launch", (long long)a->keep);
    return garray__cuda_launch(q, "reduce", kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0,
                               args);
}

static garray_status run(const garray__queue *q, const garray__reduce_kernels *kernels, garray__reduce_args *a,
                         const axes *list, size_t size)
{
    const garray__axis *red = &list->axis[list->nkeep];
    const bool rows = kernels->rows && !a->mask && !a->unaligned && list->nred == 1 &&
                      red->stride[0] == (int64_t)size && a->red >= 16;
    const int64_t blocks = rows ? shape_rows(a, size) : shape_grid(a, list, size);
    void *partial = NULL;
    if (a->segments > 1) {
        GARRAY_CUDA_TRY(garray__cuda_host->scratch(q, (size_t)(a->keep * a->segments) * kernels->partial_size,
                                                   &partial));
        a->partial = partial;
    }
    garray_status status = launch(q, rows ? kernels->rows : kernels->grid, blocks, a);
    if (status == GARRAY_OK && a->segments > 1) {
        a->log_y = a->segments > 256 && a->keep < 1024 ? BLOCK_LOG : log2_up(a->segments, 5);
        a->log_x = BLOCK_LOG - a->log_y;
        status = launch(q, kernels->merge, ceil_div(a->keep, (int64_t)1 << a->log_x), a);
    }
    if (partial)
        garray__cuda_host->scratch_free(q, partial);
    return status;
}

garray_status garray__cuda_reduce(const garray__queue *q, const garray_reduce_plan *plan)
{
    const garray__reduce_kernels *kernels = kernels_of(plan);
    const size_t size = item_size(plan->in_dtype);
    if (!kernels)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "no reduction %d of dtype %d on the CUDA device",
                                       (int)plan->op, (int)plan->in_dtype);
    garray__reduce_args a = {
        .in = plan->in, .out = plan->out, .mask = plan->mask, .keep = plan->keep_count, .red = plan->red_count,
        .segments = 1, .segment = plan->red_count, .op = plan->op, .acc_dtype = plan->acc_dtype,
        .has_initial = plan->has_initial, .initial = {plan->initial[0], plan->initial[1]},
        .correction = plan->correction,
        .wide = plan->keep_count >= INT32_MAX || plan->red_count >= INT32_MAX,
    };
    axes list;
    set_flip(plan, a.flip);
    collect_axes(plan, &a, &list);
    a.nkeep = list.nkeep;
    a.nred = list.nred;
    a.unaligned = is_unaligned(&a, &list, size);

    void *far_axes = NULL;
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, list.axis, list.nkeep + list.nred, a.axes, &far_axes));
    a.far_axes = far_axes;
    const garray_status status = run(q, kernels, &a, &list, size);
    if (far_axes)
        garray__cuda_host->scratch_free(q, far_axes);
    return status;
}
