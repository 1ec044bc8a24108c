/* SPDX-License-Identifier: BSD-3-Clause
 * Casts of contiguous items (one small kernel for each pair of dtypes), fills, transposing copies by tiles, and
 * copies of items at any address.  Other strided copies and casts are an elementwise identity (convert.c). */
#include "cuda/convert.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

namespace garray__cuda {

constexpr int BLOCK = GARRAY_CUDA_BLOCK;

/* ---- casts ------------------------------------------------------------------------------------------------------ */

template <class To, class From> __global__ void __launch_bounds__(BLOCK) cast_items(const __grid_constant__ garray__cast p)
{
    constexpr int V = 16 / (sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From));
    constexpr int K = GARRAY_CUDA_CAST_VECTORS;
    const int64_t tile = (int64_t)blockIdx.x * (BLOCK * K * V) - p.shift;
    const From *in = (const From *)p.in;
    To *out = (To *)p.out;

    if (tile >= 0 && tile + BLOCK * K * V <= p.count && p.aligned) {
        const int64_t first = tile + threadIdx.x * V;
        pack<V * sizeof(From)> x[K];
#pragma unroll
        for (int k = 0; k < K; k++)
            x[k] = load_aligned<V * sizeof(From)>(in + first + k * (BLOCK * V));
#pragma unroll
        for (int k = 0; k < K; k++) {
            pack<V * sizeof(To)> y = zero_pack<V * sizeof(To)>();
#pragma unroll
            for (int e = 0; e < V; e++)
                set_item(y, e, cast<To>(item<From>(x[k], e)));
            store_aligned<V * sizeof(To)>(out + first + k * (BLOCK * V), y);
        }
    } else {
        /* An edge, or an input elsewhere: neighbours of a warp read neighbours of memory. */
        const int64_t end = tile + BLOCK * K * V < p.count ? tile + BLOCK * K * V : p.count;
#pragma unroll 4
        for (int64_t i = tile + threadIdx.x; i < end; i += BLOCK)
            if (i >= 0)
                out[i] = cast<To>(in[i]);
    }
}

/* ---- fill ------------------------------------------------------------------------------------------------------- */

constexpr int FILL = 4;                 /* vectors of a thread */

__global__ void __launch_bounds__(BLOCK) fill_bytes(const __grid_constant__ garray__fill p)
{
    const int64_t tile = (int64_t)blockIdx.x * (BLOCK * FILL * 16) - p.shift;
#pragma unroll
    for (int k = 0; k < FILL; k++) {
        const int64_t i = tile + (k * BLOCK + (int)threadIdx.x) * 16;
        if (i >= 0 && i + 16 <= p.size) {
            *(uint4 *)(p.out + i) = make_uint4(p.pattern[0], p.pattern[1], p.pattern[2], p.pattern[3]);
        } else {
            for (int b = 0; b < 16; b++)
                if (i + b >= 0 && i + b < p.size)
                    p.out[i + b] = ((const char *)p.pattern)[b];
        }
    }
}

/* ---- transposing copies ------------------------------------------------------------------------------------------ */

/* A tile is read along y and written along x; the odd row length keeps both free of bank conflicts.
 * PAD: rows of the output begin anywhere in a 32-byte sector (of PAD items).  Then each row of a tile is written from
 * sector to sector, up to PAD items to the left of where the tile stands, so that no sector is written in parts. */
template <class T, int TILE, int PAD> __global__ void __launch_bounds__(BLOCK) transpose_tiles(const __grid_constant__ garray__tiles p)
{
    constexpr int STEP = BLOCK / TILE, ROUNDS = TILE / STEP, PAD_ROUNDS = (PAD + STEP - 1) / STEP;
    __shared__ T tile[TILE + PAD_ROUNDS * STEP][TILE + 1];
    const uint32_t lane = threadIdx.x % TILE, line = threadIdx.x / TILE;
    const uint32_t q = garray__fastdiv(blockIdx.x, p.tiles_x);
    const int32_t x0 = (blockIdx.x - q * p.tiles_x.divisor) * TILE;
    const uint32_t outer = garray__fastdiv(q, p.tiles_y);
    const int32_t y0 = (q - outer * p.tiles_y.divisor) * TILE;
    const int32_t begin = x0 - PAD_ROUNDS * STEP;       /* x of the tile's first line */
    const char *in = p.in;
    char *out = p.out;
    if (p.walk.ndim > 0) {
        out += walk_offset(p.walk, 0, outer);
        in += walk_offset(p.walk, 1, outer);
    }
    in += (y0 + (int32_t)lane) * (int32_t)sizeof(T);

    if (begin >= 0 && x0 + TILE <= (int32_t)p.x && y0 + TILE <= (int32_t)p.y) {
        T held[ROUNDS + PAD_ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS + PAD_ROUNDS; r++)
            held[r] = *(const T *)(in + (begin + (int32_t)line + r * STEP) * p.in_x);
#pragma unroll
        for (int r = 0; r < ROUNDS + PAD_ROUNDS; r++)
            tile[line + r * STEP][lane] = held[r];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            const int32_t y = line + r * STEP;
            char *row = out + (y0 + y) * p.out_y;
            const int32_t back = PAD > 0 ? (int32_t)((uintptr_t)row / sizeof(T) % (PAD > 0 ? PAD : 1)) : 0;
            ((T *)row)[x0 + (int32_t)lane - back] = tile[lane - back + PAD_ROUNDS * STEP][y];
        }
    } else {
        for (int32_t x = begin + (int32_t)line; x < x0 + TILE; x += STEP)
            if (x >= 0 && x < (int32_t)p.x && y0 + (int32_t)lane < (int32_t)p.y)
                tile[x - begin][lane] = *(const T *)(in + x * p.in_x);
        __syncthreads();
        for (int32_t y = line; y < TILE && y0 + y < (int32_t)p.y; y += STEP) {
            char *row = out + (y0 + y) * p.out_y;
            const int32_t back = PAD > 0 ? (int32_t)((uintptr_t)row / sizeof(T) % (PAD > 0 ? PAD : 1)) : 0;
            const int32_t x = x0 + (int32_t)lane - back;
            if (x >= 0 && x < (int32_t)p.x)
                ((T *)row)[x] = tile[x - begin][y];
        }
    }
}

/* Items of 1 and 2 bytes move as words of P items.  A thread turns P x P items in registers; the tile has 32 words a
 * line, rotated by line / P, which keeps both sides free of bank conflicts.  x, y and all strides are whole words. */
template <class T> __global__ void __launch_bounds__(BLOCK) transpose_words(const __grid_constant__ garray__tiles p)
{
    constexpr int P = 4 / sizeof(T), TILE = GARRAY_CUDA_WORD_TILE(sizeof(T)), LINES = BLOCK / 32, ROUNDS = 32 / LINES;
    __shared__ uint32_t tile[TILE][32];
    const int32_t lane = threadIdx.x % 32, line = threadIdx.x / 32;
    const uint32_t q = garray__fastdiv(blockIdx.x, p.tiles_x);
    const int32_t x0 = (blockIdx.x - q * p.tiles_x.divisor) * TILE;
    const uint32_t outer = garray__fastdiv(q, p.tiles_y);
    const int32_t y0 = (q - outer * p.tiles_y.divisor) * TILE;
    const char *in = p.in;
    char *out = p.out;
    if (p.walk.ndim > 0) {
        out += walk_offset(p.walk, 0, outer);
        in += walk_offset(p.walk, 1, outer);
    }
    in += (y0 + lane * P) * (int32_t)sizeof(T);

    uint32_t w[ROUNDS][P];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int32_t x = x0 + (line + r * LINES) * P;
        if (x < (int32_t)p.x && y0 + lane * P < (int32_t)p.y)
#pragma unroll
            for (int i = 0; i < P; i++)
                w[r][i] = *(const uint32_t *)(in + (x + i) * p.in_x);
    }
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t *column = &tile[lane * P][(line + r * LINES + lane) % 32];
        if constexpr (P == 2) {
            column[0] = __byte_perm(w[r][0], w[r][1], 0x5410);
            column[32] = __byte_perm(w[r][0], w[r][1], 0x7632);
        } else {
            const uint32_t a = __byte_perm(w[r][0], w[r][1], 0x5140), b = __byte_perm(w[r][2], w[r][3], 0x5140);
            const uint32_t c = __byte_perm(w[r][0], w[r][1], 0x7362), d = __byte_perm(w[r][2], w[r][3], 0x7362);
            column[0] = __byte_perm(a, b, 0x5410);
            column[32] = __byte_perm(a, b, 0x7632);
            column[64] = __byte_perm(c, d, 0x5410);
            column[96] = __byte_perm(c, d, 0x7632);
        }
    }
    __syncthreads();
    if (x0 + lane * P >= (int32_t)p.x)
        return;
#pragma unroll
    for (int r = 0; r < TILE / LINES; r++) {
        const int32_t y = line + r * LINES;
        if (y0 + y < (int32_t)p.y)
            *(uint32_t *)(out + (y0 + y) * p.out_y + (x0 + lane * P) * (int32_t)sizeof(T)) = tile[y][(lane + y / P) % 32];
    }
}

template <class T> static const void *tiles_of(int form)
{
    constexpr int TILE = sizeof(T) == 16 ? GARRAY_CUDA_TILE / 2 : GARRAY_CUDA_TILE, SECTOR = 32 / sizeof(T);
    if constexpr (sizeof(T) < 4)
        if (form == GARRAY__TILES_WORDS)
            return (const void *)transpose_words<T>;
    return form == GARRAY__TILES_PADDED ? (const void *)transpose_tiles<T, TILE, SECTOR>
                                        : (const void *)transpose_tiles<T, TILE, 0>;
}

/* ---- items at any address ---------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(BLOCK) copy_items(const __grid_constant__ garray__bytes p)
{
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.count)
        return;
    char *out = p.out + walk_offset(p.walk, 0, i);
    const char *in = p.in + walk_offset(p.walk, 1, i);
    for (int b = 0; b < p.itemsize; b++)
        out[b] = in[b];
}

template <class To> static const void *cast_from(int from)
{
    switch (from) {
#define GARRAY_DTYPE(value, name, ...) case value: return (const void *)cast_items<To, type_##name>;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return nullptr;
    }
}

} /* namespace garray__cuda */

const void *garray__cuda_cast_kernel(int to, int from)
{
    switch (to) {
#define GARRAY_DTYPE(value, name, ...) case value: return garray__cuda::cast_from<garray__cuda::type_##name>(from);
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return nullptr;
    }
}

const void *garray__cuda_fill_kernel(void)
{
    return (const void *)garray__cuda::fill_bytes;
}

const void *garray__cuda_tiles_kernel(int itemsize, int form)
{
    switch (itemsize) {
    case 1: return garray__cuda::tiles_of<uint8_t>(form);
    case 2: return garray__cuda::tiles_of<uint16_t>(form);
    case 4: return garray__cuda::tiles_of<uint32_t>(form);
    case 8: return garray__cuda::tiles_of<uint64_t>(form);
    default: return garray__cuda::tiles_of<uint4>(form);
    }
}

const void *garray__cuda_bytes_kernel(void)
{
    return (const void *)garray__cuda::copy_items;
}
