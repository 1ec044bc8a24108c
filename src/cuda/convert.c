/* SPDX-License-Identifier: BSD-3-Clause
 * Copies, casts and fills: the kernel for each plan.  Contiguous ones have kernels of their own, a copy whose
 * fast axes differ goes by tiles, and the rest is an elementwise identity. */
#include <string.h>
#include "cuda/convert.h"
#include "cuda/dtype.h"
#include "cuda/elementwise.h"
#include "cuda/tuning.h"

static dim3 blocks_of(int64_t n, int64_t per_block)
{
    return (dim3){(unsigned)((n + per_block - 1) / per_block), 1, 1};
}

static const dim3 block = {GARRAY_CUDA_BLOCK, 1, 1};

/* The contiguous plan's operands lie item by item. */
static bool steps_are_items(const garray_ew_plan *plan, int k)
{
    return plan->layout == GARRAY_EW_CONTIGUOUS
        && (plan->count == 1 || plan->operand[k].strides[0] == garray__cuda_size(plan->operand[k].dtype));
}

static garray_status run_fill(const garray__queue *q, const garray_ew_plan *plan)
{
    const garray_ew_operand *out = &plan->operand[0], *in = &plan->operand[1];
    const int size = garray__cuda_size(out->dtype);
    uint64_t bits[2] = {in->bits[0], in->bits[1]};
    garray__fill p;
    void *args[] = {&p};

    if (in->dtype != out->dtype)
        garray__cuda_cast_bits(in->dtype, in->bits, out->dtype, bits);
    p.out = (char *)out->data;
    p.size = plan->count * size;
    p.shift = (int)((uintptr_t)p.out % 16);
    for (int b = 0; b < 16; b++)        /* vectors lie at multiples of 16, items where they lie */
        ((char *)p.pattern)[b] = ((const char *)bits)[(b - p.shift + 16) % size];
    return garray__cuda_launch(q, "fill", garray__cuda_fill_kernel(), blocks_of(p.size + p.shift, GARRAY_CUDA_BLOCK * 64), block,
                               0, args);
}

static garray_status run_cast(const garray__queue *q, const garray_ew_plan *plan)
{
    const garray_ew_operand *out = &plan->operand[0], *in = &plan->operand[1];
    const int to = garray__cuda_size(out->dtype), from = garray__cuda_size(in->dtype);
    const int vector = garray__cast_vector(to, from);
    garray__cast p = {(char *)out->data, (const char *)in->data, plan->count, 0, 0};
    void *args[] = {&p};

    p.shift = (int)((uintptr_t)p.out / (unsigned)to % (unsigned)vector);
    p.aligned = ((uintptr_t)p.in - (unsigned)(p.shift * from)) % (unsigned)(vector * from) == 0;
    return garray__cuda_launch(q, "cast", garray__cuda_cast_kernel(out->dtype, in->dtype),
                               blocks_of(p.count + p.shift,
                                         (int64_t)GARRAY_CUDA_BLOCK * GARRAY_CUDA_CAST_VECTORS * vector), block,
                               0, args);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

#define LEAST_TILED 16          /* an axis shorter than this wastes the tile */
#define SECTOR 32u              /* bytes that memory is written by */

/* Items of less than a word move as words where every address that a word would begin at is one of a word. */
static bool words_fit(const garray_ew_plan *plan, int x, int y, int size)
{
    uint64_t bits = (uint64_t)(uintptr_t)plan->operand[0].data | (uint64_t)(uintptr_t)plan->operand[1].data
                  | (uint64_t)(plan->shape[x] * size) | (uint64_t)(plan->shape[y] * size);
    for (int d = 0; d < plan->ndim; d++) {
        if (plan->shape[d] == 1)
            continue;
        bits |= d != x ? (uint64_t)plan->operand[0].strides[d] : 0;
        bits |= d != y ? (uint64_t)plan->operand[1].strides[d] : 0;
    }
    return size < 4 && bits % 4 == 0;
}

/* form: which kernel; PADDED where rows of the output do not all begin at a sector. */
static bool plan_tiles(garray__tiles *p, const garray_ew_plan *plan, int size, int *form)
{
    const int64_t *out = plan->operand[0].strides, *in = plan->operand[1].strides;
    int x = -1, y = -1;
    for (int d = 0; d < plan->ndim; d++) {
        if (plan->shape[d] < LEAST_TILED)
            continue;
        if (out[d] == size && in[d] != size && in[d] != 0)
            x = d;
        else if (in[d] == size && out[d] != size)
            y = d;
    }
    if (x < 0 || y < 0 || ((uintptr_t)plan->operand[0].data | (uintptr_t)plan->operand[1].data) % (unsigned)size != 0)
        return false;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->shape[d] > 1 && (out[d] % size != 0 || in[d] % size != 0))
            return false;

    const bool words = words_fit(plan, x, y, size);
    const int tile = words ? GARRAY_CUDA_WORD_TILE(size) : size == 16 ? GARRAY_CUDA_TILE / 2 : GARRAY_CUDA_TILE;
    bool padded = !words && (uintptr_t)plan->operand[0].data % SECTOR != 0;
    for (int d = 0; d < plan->ndim; d++)
        padded = padded || (!words && d != x && plan->shape[d] > 1 && out[d] % SECTOR != 0);
    *form = words ? GARRAY__TILES_WORDS : padded ? GARRAY__TILES_PADDED : GARRAY__TILES_PLAIN;
    p->out = (char *)plan->operand[0].data;
    p->in = (const char *)plan->operand[1].data;
    p->x = (uint32_t)plan->shape[x];
    p->y = (uint32_t)plan->shape[y];
    p->out_y = (int32_t)out[y];
    p->in_x = (int32_t)in[x];
    const uint32_t back = padded ? SECTOR / (uint32_t)size - 1 : 0;
    p->tiles_x = garray__divisor_of((p->x + back + (uint32_t)tile - 1) / (uint32_t)tile);
    p->tiles_y = garray__divisor_of((p->y + (uint32_t)tile - 1) / (uint32_t)tile);
    p->walk.ndim = 0;
    for (int d = 0; d < plan->ndim; d++) {
        if (d == x || d == y || plan->shape[d] == 1)
            continue;
        p->walk.div[p->walk.ndim] = garray__divisor_of((uint32_t)plan->shape[d]);
        p->walk.stride[0][p->walk.ndim] = (int32_t)out[d];
        p->walk.stride[1][p->walk.ndim++] = (int32_t)in[d];
    }
    return true;
}

static garray_status run_tiles(const garray__queue *q, garray__tiles *p, const void *kernel)
{
    void *args[] = {p};
    uint64_t blocks = (uint64_t)p->tiles_x.divisor * p->tiles_y.divisor;
    for (int d = 0; d < p->walk.ndim; d++)
        blocks *= p->walk.div[d].divisor;
    return garray__cuda_launch(q, "transposing copy", kernel, (dim3){(unsigned)blocks, 1, 1}, block, 0, args);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------ */

/* Items keep their bits under the identity of an unsigned integer; complex ones may be aligned to half an item. */
static int carrier(int dtype)
{
    if (garray__cuda_kind(dtype) == GARRAY__CUDA_KIND_COMPLEX)
        return dtype;
    switch (garray__cuda_size(dtype)) {
    case 1: return GARRAY__CUDA_uint8;
    case 2: return GARRAY__CUDA_uint16;
    case 4: return GARRAY__CUDA_uint32;
    default: return GARRAY__CUDA_uint64;
    }
}

static garray_status run_identity(const garray__queue *q, const garray_ew_plan *plan)
{
    garray_ew_plan identity = *plan;
    if (plan->operand[0].dtype == plan->operand[1].dtype)
        identity.operand[0].dtype = identity.operand[1].dtype = carrier(plan->operand[0].dtype);
    identity.nop = 2;
    identity.dtype = identity.operand[0].dtype;
    identity.op = identity.dtype == GARRAY__CUDA_bool ? GARRAY_OP_real : GARRAY_OP_positive;
    return garray__cuda_run_elementwise(q, &identity);
}

static garray_status run_convert(const garray__queue *q, const garray_ew_plan *plan)
{
    const garray_ew_operand *out = &plan->operand[0], *in = &plan->operand[1];
    const int size = garray__cuda_size(out->dtype);
    garray__tiles tiles;
    int form = GARRAY__TILES_PLAIN;

    if (steps_are_items(plan, 0)) {
        if (in->data == NULL)
            return run_fill(q, plan);
        if (steps_are_items(plan, 1) && in->dtype != out->dtype && (uintptr_t)out->data % (unsigned)size == 0)
            return run_cast(q, plan);
    }
    if (in->data != NULL && in->dtype == out->dtype && plan->ndim > 1) {
        if (plan_tiles(&tiles, plan, size, &form))
            return run_tiles(q, &tiles, garray__cuda_tiles_kernel(size, form));
    }
    return run_identity(q, plan);
}

garray_status garray__cuda_convert(const garray__queue *q, const garray_ew_plan *plan)
{
    const garray_ew_operand *out = &plan->operand[0], *in = &plan->operand[1];
    if (steps_are_items(plan, 0) && in->data == NULL)
        return run_fill(q, plan);
    if (steps_are_items(plan, 0) && steps_are_items(plan, 1) && in->dtype == out->dtype) {
        GARRAY_CUDA(q, cudaMemcpyAsync(out->data, in->data, (size_t)plan->count * (size_t)garray__cuda_size(out->dtype),
                                       cudaMemcpyDeviceToDevice, garray__cuda_stream_of(q)));
        return GARRAY_OK;
    }
    if (!garray__cuda_is_aligned(plan))
        return garray__cuda_run_unaligned(q, plan, run_convert);
    return run_convert(q, plan);
}

garray_status garray__cuda_copy_bytes(const garray__queue *q, int itemsize, int ndim, const int64_t *shape, void *dst,
                                      const int64_t *dst_strides, const void *src, const int64_t *src_strides)
{
    garray__bytes p;
    void *args[] = {&p};
    int64_t count = 1, step = itemsize;
    bool contiguous = true;
    for (int d = ndim - 1; d >= 0; d--) {
        count *= shape[d];
        contiguous = contiguous && (shape[d] == 1 || (dst_strides[d] == step && src_strides[d] == step));
        step *= shape[d];
    }
    if (contiguous) {
        GARRAY_CUDA(q, cudaMemcpyAsync(dst, src, (size_t)count * (size_t)itemsize, cudaMemcpyDeviceToDevice,
                                       garray__cuda_stream_of(q)));
        return GARRAY_OK;
    }
    p.out = (char *)dst;
    p.in = (const char *)src;
    p.count = (uint32_t)count;
    p.itemsize = itemsize;
    p.walk.ndim = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1)
            continue;
        p.walk.div[p.walk.ndim] = garray__divisor_of((uint32_t)shape[d]);
        p.walk.stride[0][p.walk.ndim] = (int32_t)dst_strides[d];
        p.walk.stride[1][p.walk.ndim++] = (int32_t)src_strides[d];
    }
    return garray__cuda_launch(q, "copy of unaligned items", garray__cuda_bytes_kernel(),
                               blocks_of(count, GARRAY_CUDA_BLOCK), block,
                               0, args);
}
