/* SPDX-License-Identifier: BSD-3-Clause
 * The planner of reductions: picks the kernel, the shape of its blocks and the number of segments of each output.
 * All of it follows from the plan alone, never from the processor, so that results do not depend on it. */
#include <string.h>
#include "cuda/reduce.h"
#include "cuda/scratch.h"
#include "cuda/tuning.h"

enum {
    BLOCK_LOG = 8,                      /* log2 of GARRAY_CUDA_BLOCK */
    PROCESSORS = 132,                   /* multiprocessors of a large processor; a constant, see above */
    COLUMN_BLOCKS = 2640,               /* blocks of columns that fill it several times */
    GRID_BLOCKS = 4224,
    SEGMENT_BYTES = 32768,              /* an output's segments are at least this long */
    ROW_BYTES = 8192,                   /* rows this long get a block of their own */
    VECTOR_BYTES = 64,                  /* what a thread reads at a time */
};

_Static_assert(1 << BLOCK_LOG == GARRAY_CUDA_BLOCK, "log2");

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
    return all & (size - 1);            /* complex128 too: fast kernels read 16 bytes at once */
}

/* How a call is done. */
typedef struct shape {
    const void *kernel;
    int64_t blocks;
} shape;

/* Whether n outputs of a thread can be neighbours that are read as one vector. */
static bool has_neighbours(int n, const garray__reduce_args *a, const axes *list, size_t size)
{
    const int64_t vector = n * (int64_t)size;
    if (n == 0 || list->nkeep == 0 || list->axis[list->nkeep - 1].stride[0] != (int64_t)size ||
        list->axis[list->nkeep - 1].length % n != 0)
        return false;
    uint64_t all = (uint64_t)(uintptr_t)a->in;
    for (int d = 0; d < list->nkeep + list->nred; d++)
        if (d != list->nkeep - 1)
            all |= (uint64_t)list->axis[d].stride[0];
    return (all & (uint64_t)(vector - 1)) == 0;
}

/* Makes the last kept axis one of vectors. */
static void join_neighbours(int n, garray__reduce_args *a, axes *list, size_t size)
{
    garray__axis *last = &list->axis[list->nkeep - 1];
    uint64_t all = (uint64_t)(uintptr_t)a->out;
    for (int d = 0; d < list->nkeep - 1; d++)
        all |= (uint64_t)list->axis[d].stride[1];
    a->out_vector = last->stride[1] == (int64_t)size && (all & (uint64_t)(n * (int64_t)size - 1)) == 0;
    a->log_neighbours = log2_up(n, 8);
    *last = garray__axis_of(last->length / n, last->stride[0] * n, last->stride[1] * n, last->stride[2] * n);
}

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

/* Splits the one reduced axis into at most `wanted` parts of at least `least` items, or makes each run of the innermost
 * of several a part. */
static void split(garray__reduce_args *a, const garray__axis *inner, int64_t wanted, int64_t least, int64_t step)
{
    a->segments = 1;
    a->segment = a->red;
    if (a->nred > 1) {
        a->segment = inner->length;
        a->segments = a->red / inner->length;
    } else if (wanted > 1 && a->red > 2 * least) {
        a->segment = max64(least, ceil_div(a->red, wanted));
        a->segment = ceil_div(a->segment, step) * step;
        a->segments = ceil_div(a->red, a->segment);
    }
}

/* Segments of each of `rows`, so that all together make whole rounds of `resident` blocks, as nearly as four rounds allow. */
static int64_t segments_of_rows(int64_t rows, int64_t resident)
{
    int64_t best = 1;
    double best_share = 0;
    for (int64_t s = max64(1, resident / rows); (s - 1) * rows < 4 * resident && best_share < 0.97; s++) {
        const double share = (double)(s * rows) / (double)(ceil_div(s * rows, resident) * resident);
        if (share > best_share) {
            best = s;
            best_share = share;
        }
    }
    return best;
}

/* Contiguous items: a block for each long row, more where rows are few, a part of a warp for short ones. */
static shape shape_rows(const garray__reduce_kernels *kernels, garray__reduce_args *a, const garray__axis *inner, size_t size)
{
    const int64_t bytes = inner->length * (int64_t)size, rows = a->keep * (a->red / inner->length);
    a->log_y = bytes >= ROW_BYTES || (bytes >= 1024 && rows < 4096) ? BLOCK_LOG : log2_up(bytes / VECTOR_BYTES, 5);
    a->log_x = BLOCK_LOG - a->log_y;
    split(a, inner, a->log_y == BLOCK_LOG && bytes > 4 * SEGMENT_BYTES
                        ? max64(segments_of_rows(a->keep, PROCESSORS * kernels->blocks),
                                ceil_div(a->red, GARRAY_CUDA_ROW_ITEMS / 2)) : 1,
          SEGMENT_BYTES / (int64_t)size, SEGMENT_BYTES / 8 / (int64_t)size);   /* a vector for each thread */
    return (shape){kernels->rows, ceil_div(a->keep * a->segments, (int64_t)1 << a->log_x)};
}

/* Contiguous outputs: threads along them, at most 2^most, the rest of the block along the reduction. */
static void set_columns(garray__reduce_args *a, int64_t along, int most)
{
    const int64_t vectors = a->keep >> a->log_neighbours;
    a->log_x = log2_up(vectors, most);
    a->log_y = BLOCK_LOG - a->log_x;
    while (a->log_y > 0 && ((int64_t)8 << a->log_y) > along)
        a->log_y--;
    a->log_x = BLOCK_LOG - a->log_y;    /* threads that the reduction cannot use take more outputs */
    a->tiles = ceil_div(vectors, (int64_t)1 << a->log_x);
}

static shape shape_columns(garray__reduce_args *a, const garray__axis *inner, const void *kernel, size_t size)
{
    set_columns(a, inner->length, a->log_neighbours > 0 ? 5 : 6);
    split(a, inner, a->tiles < COLUMN_BLOCKS / 4 ? ceil_div(COLUMN_BLOCKS >> (a->log_neighbours > 0), a->tiles) : 1,
          max64((int64_t)32 << a->log_y, SEGMENT_BYTES / (int64_t)size >> a->log_x >> a->log_neighbours),
          (int64_t)16 << a->log_y);
    a->by_segment = 1;
    return (shape){kernel, a->tiles * a->segments};
}

/* Any layout: neighbouring threads run along what is nearer in memory. */
static shape shape_grid(garray__reduce_args *a, const garray__axis *inner, const void *kernel, int64_t across, size_t size)
{
    a->y_fastest = magnitude(inner->stride[0]) < across && a->red >= 16;
    if (a->y_fastest) {
        a->log_y = a->keep < 1024 && a->red > 512 ? BLOCK_LOG : log2_up(a->red / 8, 5);
        a->log_x = BLOCK_LOG - a->log_y;
        a->tiles = ceil_div(a->keep, (int64_t)1 << a->log_x);
    } else {
        set_columns(a, a->red, 6);
    }
    a->by_segment = !a->y_fastest;
    a->segments = 1;
    a->segment = a->red;
    const int64_t wanted = ceil_div(GRID_BLOCKS, a->tiles);
    const int64_t least = max64((int64_t)16 << a->log_y, SEGMENT_BYTES / (int64_t)size >> a->log_x);
    if (wanted > 1 && a->red > 2 * least) {
        a->segment = max64(least, ceil_div(a->red, wanted));
        a->segments = ceil_div(a->red, a->segment);
    }
    return (shape){kernel, a->tiles * a->segments};
}

/* Few items for each of many outputs. */
static shape shape_few(const garray__reduce_kernels *kernels, garray__reduce_args *a, axes *list, int64_t across, size_t size)
{
    const int64_t bytes = a->red * (int64_t)size;
    const int64_t along = list->axis[list->nkeep + list->nred - 1].stride[0];
    if (list->nkeep == 1 && list->axis[0].stride[0] == bytes && along == (int64_t)size && ((uintptr_t)a->in & 15) == 0) {
        a->log_x = BLOCK_LOG;
        while (bytes << (a->log_x + 1) <= GARRAY_CUDA_PACKED_BYTES)
            a->log_x++;
        return (shape){kernels->packed, ceil_div(a->keep, (int64_t)1 << a->log_x)};
    }
    if (across == (int64_t)size && has_neighbours(kernels->short_neighbours, a, list, size)) {
        join_neighbours(kernels->short_neighbours, a, list, size);
        return (shape){kernels->few_neighbours, ceil_div(a->keep >> a->log_neighbours, GARRAY_CUDA_BLOCK)};
    }
    return (shape){kernels->few, ceil_div(a->keep, GARRAY_CUDA_BLOCK * GARRAY_CUDA_SHORT_OUTPUTS)};
}

static shape choose(const garray__reduce_kernels *kernels, garray__reduce_args *a, axes *list, size_t size)
{
    const garray__axis *inner = &list->axis[list->nkeep + list->nred - 1];
    const int64_t along = magnitude(inner->stride[0]), bytes = a->red * (int64_t)size;
    int64_t across = INT64_MAX;         /* the step between outputs, if there is one */
    if (list->nkeep > 0 && list->axis[list->nkeep - 1].stride[0] != 0)
        across = magnitude(list->axis[list->nkeep - 1].stride[0]);
    const bool plain = kernels->rows && !a->mask && !a->unaligned && a->red > 0;
    /* Partial results of runs must be few against what is read. */
    const bool runs = list->nred == 1 || inner->length * (int64_t)size >= 256;
    const bool rows = runs && inner->stride[0] == (int64_t)size && (list->nred == 1 || inner->length <= GARRAY_CUDA_ROW_ITEMS);
    if (plain && list->nred == 1 && a->red <= 32 && a->keep >= 1024 &&
        (across <= 16 || bytes <= 32 || (bytes <= 64 && across == bytes)))
        return shape_few(kernels, a, list, across, size);
    if (plain && rows && a->red >= 8)
        return shape_rows(kernels, a, inner, size);
    if (plain && (list->nred == 1 ? across <= along || a->keep <= 4 : across <= along && inner->length >= 64)) {
        if (!has_neighbours(kernels->neighbours, a, list, size))
            return shape_columns(a, inner, kernels->columns, size);
        join_neighbours(kernels->neighbours, a, list, size);
        return shape_columns(a, inner, kernels->neighbour_columns, size);
    }
    return shape_grid(a, inner, kernels->grid, across, size);
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

static garray_status too_large(const garray__reduce_args *a)
{
    return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a reduction of %lld items to each of %lld outputs is too large "
                                   "for one launch", (long long)a->red, (long long)a->keep);
}

static garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, garray__reduce_args *a)
{
    void *args[] = {a};
    if (blocks > INT32_MAX)
        return too_large(a);
    return garray__cuda_launch(q, "reduce", kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0,
                               args);
}

/* Whether the device code waits for the launch before it by itself: code for 9.0 and newer does. */
static bool can_overlap(const garray__queue *q, const void *kernel)
{
    static int answer;                  /* of such devices; 0: not known yet; threads that race here find the same */
    if (garray__cuda_device_of(q)->capability < 900)
        return false;
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (known == 0) {
        struct cudaFuncAttributes code;
        const bool ok = cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90 &&
                        code.binaryVersion >= 90;
        (void)cudaGetLastError();
        known = ok ? 1 : 2;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known == 1;
}

/* The merge is set up while the first launch still runs, which hides most of what a second launch costs. */
static garray_status launch_merge(const garray__queue *q, const void *kernel, garray__reduce_args *a)
{
    void *args[] = {a};
    cudaLaunchAttribute overlap = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    a->log_y = a->segments > 256 && a->keep < 1024 ? BLOCK_LOG : log2_up(a->segments, 5);
    if (a->by_segment)                  /* threads along the outputs read what is side by side */
        a->log_y = BLOCK_LOG - log2_up(a->keep, BLOCK_LOG - log2_up(a->segments, 3));
    a->log_x = BLOCK_LOG - a->log_y;
    const int64_t blocks = ceil_div(a->keep, (int64_t)1 << a->log_x);
    if (blocks > INT32_MAX)
        return too_large(a);
    if (!can_overlap(q, kernel))
        return launch(q, kernel, blocks, a);
    overlap.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {.gridDim = {(unsigned)blocks, 1, 1}, .blockDim = {GARRAY_CUDA_BLOCK, 1, 1},
                                       .stream = garray__cuda_stream_of(q), .attrs = &overlap, .numAttrs = 1};
    const cudaError_t e = cudaLaunchKernelExC(&config, kernel, args);
    return e == cudaSuccess ? GARRAY_OK : garray__cuda_error(garray__cuda_device_of(q), e, "reduce");
}

/* Writes the places of all indices over some of the axes. */
static garray_status find_places(const garray__queue *q, const garray__reduce_args *a, int first, int naxes, int64_t count,
                                 garray__scratch *scratch, const garray__reduce_place **places)
{
    void *room;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)count * sizeof **places, &room));
    garray__place_args p = {.far_axes = a->far_axes ? a->far_axes + first : NULL, .places = room, .count = count,
                            .naxes = naxes, .wide = a->wide};
    for (int d = 0; d < naxes && !a->far_axes; d++)
        p.axes[d] = a->axes[first + d];
    const int64_t blocks = ceil_div(count, GARRAY_CUDA_BLOCK);
    void *args[] = {&p};
    *places = room;
    if (blocks > INT32_MAX)
        return too_large(a);
    return garray__cuda_launch(q, "reduce", garray__cuda_reduce_places(), (dim3){(unsigned)blocks, 1, 1},
                               (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0, args);
}

static garray_status run(const garray__queue *q, const garray__reduce_kernels *kernels, const shape *s,
                         garray__reduce_args *a, garray__scratch *scratch)
{
    const bool walks = s->kernel == kernels->grid;      /* by itself */
    int64_t blocks = s->blocks;
    if (s->kernel == kernels->rows) {   /* its blocks take one unit after the other: no more of them than run together */
        const int64_t most = (int64_t)garray__cuda_device_of(q)->multiprocessors * kernels->blocks;
        blocks = blocks < most ? blocks : most;
    }
    if ((a->nkeep > 2 || a->far_axes) && (!walks || a->segments > 1))
        GARRAY_CUDA_TRY(find_places(q, a, 0, a->nkeep, a->keep >> a->log_neighbours, scratch, &a->keep_places));
    if (a->nred > 1 && !walks)
        GARRAY_CUDA_TRY(find_places(q, a, a->nkeep, a->nred - 1, a->segments, scratch, &a->red_places));
    if (a->segments > 1)
        GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)a->units * kernels->partial_size, &a->partial));
    GARRAY_CUDA_TRY(launch(q, s->kernel, blocks, a));
    return a->segments > 1 ? launch_merge(q, kernels->merge, a) : GARRAY_OK;
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
        .segments = 1, .segment = plan->red_count, .tiles = 1, .op = plan->op, .acc_dtype = plan->acc_dtype,
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
    a.out_step = list.nkeep > 0 ? list.axis[list.nkeep - 1].stride[1] : 0;
    const shape s = choose(kernels, &a, &list, size);
    a.units = a.keep * a.segments;

    garray__scratch scratch = {.q = q};
    void *far_axes = NULL;
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, list.axis, list.nkeep + list.nred, a.axes, &far_axes));
    if (far_axes)
        scratch.area[scratch.count++] = far_axes;
    a.far_axes = far_axes;
    a.red_stride = list.axis[list.nkeep + list.nred - 1].stride[0];
    const garray_status status = run(q, kernels, &s, &a, &scratch);
    garray__scratch_drop(&scratch);
    return status;
}
