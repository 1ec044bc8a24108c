/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection: one read of the mask counts each tile's true items and keeps the mask as bits; then the counts
 * are summed; then the tiles write.  A tile lists its true items in shared memory first, so that reading and writing
 * keep every lane busy whatever share of the mask is true. */
#include "cuda/kernel.cuh"
#include "cuda/select.h"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, TILE = GARRAY_CUDA_SELECT_TILE;
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

/* Exclusive over a block of N threads; total in *total. */
template <int N, class T> __device__ __forceinline__ T block_prefix(T v, T *total)
{
    __shared__ T warps[N / 32];
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
    for (int w = 0; w < N / 32; w++) {
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
    int total;
    const uint32_t word = mask_word(a, blockIdx.x);
    a.words[(int64_t)blockIdx.x * THREADS + threadIdx.x] = word;
    block_prefix<THREADS>(__popc(word), &total);
    if (threadIdx.x == 0)
        a.counts[blockIdx.x] = total;
}

/* One block, four neighbouring tiles of a thread in each round; places past the last tile exist in `before`. */
__global__ void __launch_bounds__(GARRAY_CUDA_SELECT_THREADS) select_sum(const __grid_constant__ garray__select_args a)
{
    long long carry = 0;
#pragma unroll 1
    for (int64_t first = 0; first < a.tiles; first += GARRAY_CUDA_SELECT_ROUND) {
        const int64_t t = first + 4 * threadIdx.x;
        long long count[4] = {}, sum = 0, total;
        if (t + 4 <= a.tiles) {
            const pack<16> p = load_aligned<16>(a.counts + t);
#pragma unroll
            for (int i = 0; i < 4; i++)
                count[i] = (int)p.w[i];
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (t + i < a.tiles)
                    count[i] = (int)a.counts[t + i];
        }
        sum = count[0] + count[1] + count[2] + count[3];
        long long before = carry + block_prefix<GARRAY_CUDA_SELECT_THREADS>(sum, &total);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            a.before[t + i] = before;
            before += count[i];
        }
        carry += total;
    }
    if (threadIdx.x == 0)
        *a.answer = carry;
}

/* The places of a tile's true items in it, in order; their number. */
__device__ __forceinline__ int list_tile(const garray__select_args &a, uint16_t (&list)[TILE])
{
    int total;
    uint32_t word = a.words[(int64_t)blockIdx.x * THREADS + threadIdx.x];
    int at = block_prefix<THREADS>(__popc(word), &total);
    for (; word; word &= word - 1)
        list[at++] = (uint16_t)(threadIdx.x * 32 + __ffs((int)word) - 1);
    __syncthreads();
    return total;
}

/* Items are read eight at a time before any is written: out may be anywhere, so the compiler must keep the order. */
template <class T> __global__ void __launch_bounds__(THREADS) select_items(const __grid_constant__ garray__select_args a)
{
    constexpr int batch = 8;
    __shared__ uint16_t list[TILE];
    const int64_t before = a.before[blockIdx.x];
    const int count = list_tile(a, list);
    const T *in = (const T *)a.in + (int64_t)blockIdx.x * TILE;
    T *out = (T *)a.out[0] + before;
    for (int i = threadIdx.x; i < count; i += batch * THREADS) {
        T v[batch];
#pragma unroll
        for (int j = 0; j < batch; j++)
            if (i + j * THREADS < count)
                v[j] = in[list[i + j * THREADS]];
#pragma unroll
        for (int j = 0; j < batch; j++)
            if (i + j * THREADS < count)
                out[i + j * THREADS] = v[j];
    }
}

__global__ void __launch_bounds__(THREADS) select_coordinates(const __grid_constant__ garray__select_args a)
{
    const garray__axis *axes = a.far_axes ? a.far_axes : a.axes;
    __shared__ uint16_t list[TILE];
    const int64_t before = a.before[blockIdx.x], first = (int64_t)blockIdx.x * TILE;
    const int count = list_tile(a, list);
    for (int place = threadIdx.x; place < count; place += THREADS) {
        int64_t i = first + list[place];
        for (int d = a.ndim - 1; d > 0; d--) {
            const int64_t q = a.wide ? i / axes[d].length : (int64_t)garray__fastdiv((uint32_t)i, axes[d].div);
            ((int64_t *)a.out[d])[before + place] = i - q * axes[d].length;
            i = q;
        }
        ((int64_t *)a.out[0])[before + place] = i;
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
    unsigned threads = THREADS;
    const void *kernel = NULL;
    switch (step) {
    case GARRAY__SELECT_COUNT: kernel = (const void *)select_count; break;
    case GARRAY__SELECT_SUM: kernel = (const void *)select_sum, blocks = 1, threads = GARRAY_CUDA_SELECT_THREADS; break;
    case GARRAY__SELECT_ITEMS: kernel = items[log]; break;
    case GARRAY__SELECT_COORDINATES: kernel = (const void *)select_coordinates; break;
    case GARRAY__SELECT_COPY: kernel = copies[log], blocks = (a.count * a.units + THREADS - 1) / THREADS; break;
    }
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "selection from %lld items is too large for one launch",
                                       (long long)a.n);
    return garray__cuda_launch(q, "select", kernel, dim3((unsigned)blocks), dim3(threads), 0, list);
}
