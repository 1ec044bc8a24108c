/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection in two reads of the mask: count per tile, sum the counts, write.  A tile's mask becomes one bit an
 * item in shared memory, so that a warp reads 32 neighbouring items at once and writes those that stay side by side. */
#include "cuda/kernel.cuh"
#include "cuda/select.h"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32, TILE = GARRAY_CUDA_SELECT_TILE;
static_assert(TILE == 32 * THREADS, "a thread makes one word of bits");

/* The 32 mask bytes of this thread as bits. */
__device__ __forceinline__ uint32_t mask_word(const garray__select_args &a, int64_t tile)
{
    const int64_t first = tile * TILE + threadIdx.x * 32;
    uint32_t word = 0;
    if (first + 32 <= a.n) {
        const bool aligned = ((uintptr_t)a.mask & 15) == 0;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const uint8_t *p = a.mask + first + 16 * h;
            const pack<16> v = aligned ? load_aligned<16>(p) : load_shifted<1>(p);
#pragma unroll
            for (int i = 0; i < 4; i++) {       /* four bytes of 0 or 1 to four bits */
                const uint32_t ones = __vcmpne4(v.w[i], 0) & 0x01010101u;
                word |= (ones * 0x01020408u >> 24 & 15u) << (16 * h + 4 * i);
            }
        }
        return word;
    }
    for (int i = 0; i < 32 && first + i < a.n; i++)
        word |= (uint32_t)(a.mask[first + i] != 0) << i;
    return word;
}

/* Exclusive over the block; total in *total. */
template <class T> __device__ __forceinline__ T block_prefix(T v, T *total, T *warps)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T sum = v;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const T other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d)
            sum += other;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    T before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = all;
        all += warps[w];
    }
    *total = all;
    __syncthreads();
    return before + sum - v;
}

__global__ void __launch_bounds__(THREADS) select_count(const __grid_constant__ garray__select_args a)
{
    __shared__ int warps[WARPS];
    int total;
    block_prefix(__popc(mask_word(a, blockIdx.x)), &total, warps);
    if (threadIdx.x == 0)
        a.before[blockIdx.x] = total;
}

/* One block; each thread has a run of tiles. */
__global__ void __launch_bounds__(THREADS) select_sum(const __grid_constant__ garray__select_args a)
{
    __shared__ long long warps[WARPS];
    const int64_t run = (a.tiles + THREADS - 1) / THREADS, first = threadIdx.x * run, last = min(first + run, a.tiles);
    long long sum = 0, total;
    for (int64_t t = first; t < last; t++)
        sum += a.before[t];
    long long before = block_prefix(sum, &total, warps);
    for (int64_t t = first; t < last; t++) {
        const int64_t count = a.before[t];
        a.before[t] = before;
        before += count;
    }
    if (threadIdx.x == 0)
        a.before[a.tiles] = total;
}

/* A tile's mask as bits, and how many true items are before each word of it. */
struct tile_bits {
    uint32_t words[THREADS];
    int starts[THREADS];
};

__device__ __forceinline__ void make_bits(const garray__select_args &a, tile_bits &bits)
{
    __shared__ int warps[WARPS];
    int total;
    const uint32_t word = mask_word(a, blockIdx.x);
    bits.words[threadIdx.x] = word;
    bits.starts[threadIdx.x] = block_prefix(__popc(word), &total, warps);
    __syncthreads();
}

/* Items are read eight at a time before any is written: out may be anywhere, so the compiler must keep the order. */
template <class T> __global__ void __launch_bounds__(THREADS) select_items(const __grid_constant__ garray__select_args a)
{
    constexpr int batch = 8;
    __shared__ tile_bits bits;
    make_bits(a, bits);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const T *in = (const T *)a.in + (int64_t)blockIdx.x * TILE;
    T *out = (T *)a.out[0] + a.before[blockIdx.x];
    for (int i = 0; i < 32; i += batch) {
        T v[batch];
#pragma unroll
        for (int j = 0; j < batch; j++) {
            const int w = (i + j) * WARPS + warp;
            if (bits.words[w] >> lane & 1)
                v[j] = in[w * 32 + lane];
        }
#pragma unroll
        for (int j = 0; j < batch; j++) {
            const int w = (i + j) * WARPS + warp;
            const uint32_t word = bits.words[w];
            if (word >> lane & 1)
                out[bits.starts[w] + __popc(word & ((1u << lane) - 1))] = v[j];
        }
    }
}

__global__ void __launch_bounds__(THREADS) select_coordinates(const __grid_constant__ garray__select_args a)
{
    const garray__axis *axes = a.far_axes ? a.far_axes : a.axes;
    __shared__ tile_bits bits;
    make_bits(a, bits);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t before = a.before[blockIdx.x], first = (int64_t)blockIdx.x * TILE;
    for (int w = warp; w < THREADS; w += WARPS) {
        const uint32_t word = bits.words[w];
        if (!(word >> lane & 1))
            continue;
        const int64_t place = before + bits.starts[w] + __popc(word & ((1u << lane) - 1));
        int64_t i = first + w * 32 + lane;
        for (int d = a.ndim - 1; d > 0; d--) {
            const int64_t q = a.wide ? i / axes[d].length : (int64_t)garray__fastdiv((uint32_t)i, axes[d].div);
            ((int64_t *)a.out[d])[place] = i - q * axes[d].length;
            i = q;
        }
        ((int64_t *)a.out[0])[place] = i;
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) select_copy(const __grid_constant__ garray__select_args a)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.count * a.units)
        return;
    const int64_t row = i / a.units, unit = i - row * a.units;
    ((T *)a.out[0])[i] = ((const T *)a.in)[a.positions[row] * a.units + unit];
}

} /* namespace */

extern "C" garray_status garray__cuda_select_step(const garray__queue *q, garray__select_step step, int unit,
                                                  const garray__select_args *args)
{
#define BY_SIZE(kernel)                                                                                         \
    {(const void *)kernel<uint8_t>, (const void *)kernel<uint16_t>, (const void *)kernel<uint32_t>,             \
     (const void *)kernel<uint64_t>, (const void *)kernel<uint4>}
    static const void *const items[] = BY_SIZE(select_items);
    static const void *const copies[] = BY_SIZE(select_copy);
#undef BY_SIZE
    garray__select_args a = *args;
    void *list[] = {&a};
    const int log = unit == 16 ? 4 : unit == 8 ? 3 : unit == 4 ? 2 : unit == 2 ? 1 : 0;
    int64_t blocks = a.tiles;
    const void *kernel = NULL;
    switch (step) {
    case GARRAY__SELECT_COUNT: kernel = (const void *)select_count; break;
    case GARRAY__SELECT_SUM: kernel = (const void *)select_sum, blocks = 1; break;
    case GARRAY__SELECT_ITEMS: kernel = items[log]; break;
    case GARRAY__SELECT_COORDINATES: kernel = (const void *)select_coordinates; break;
    case GARRAY__SELECT_COPY: kernel = copies[log], blocks = (a.count * a.units + THREADS - 1) / THREADS; break;
    }
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "selection from %lld items is too large for one launch",
                                       (long long)a.n);
    return garray__cuda_launch(q, "select", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}
