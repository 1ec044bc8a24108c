/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of up to some thousand items, a block for each: a radix sort of 8 bits a pass whose keys stay in registers and
 * change places through shared memory.  Ranks are counted by warps that compare digits lane by lane, so equal keys keep
 * their order.  Values are carried as keys that turn back, with digits of their level keys; indices as level keys with
 * 16-bit places. */
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/sort.h"

using namespace garray__cuda;

namespace {

constexpr unsigned ALL = 0xffffffffu;
constexpr int BINS = 256;

/* The lanes that have the same digit. */
__device__ __forceinline__ uint32_t lanes_with(uint32_t digit)
{
    uint32_t same = ALL;
#pragma unroll
    for (int b = 0; b < 8; b++) {
        const bool bit = digit >> b & 1;
        const uint32_t with = __ballot_sync(ALL, bit);
        same &= bit ? with : ~with;
    }
    return same;
}

template <class K> __device__ __forceinline__ K load_key(const garray__sort_args &a, int64_t at, bool places)
{
    const garray__sort_order &o = a.order;
    if constexpr (sizeof(K) == 8) {
        if (places)
            return level_item(o, 8, a.in, at, a.flip);
        return key_of_number<uint64_t>(o, ((const uint64_t *)a.in)[at]);
    } else {
        const uint32_t key = a.size == 4   ? key_of_number<uint32_t>(o, ((const uint32_t *)a.in)[at])
                             : a.size == 2 ? key_of_number<uint16_t>(o, ((const uint16_t *)a.in)[at])
                                           : key_of_number<uint8_t>(o, ((const uint8_t *)a.in)[at]);
        return places ? level_key<uint32_t>(o, key) : key;
    }
}

template <class K> __device__ __forceinline__ void store_key(const garray__sort_args &a, int64_t at, K key)
{
    const garray__sort_order &o = a.order;
    if constexpr (sizeof(K) == 8) {
        ((uint64_t *)a.values)[at] = number_of_key<uint64_t>(o, key);
    } else {
        if (a.size == 4)
            ((uint32_t *)a.values)[at] = number_of_key<uint32_t>(o, key);
        else if (a.size == 2)
            ((uint16_t *)a.values)[at] = number_of_key<uint16_t>(o, (uint16_t)key);
        else
            ((uint8_t *)a.values)[at] = number_of_key<uint8_t>(o, (uint8_t)key);
    }
}

template <class T, int THREADS, int PER>
__device__ __forceinline__ void gather_items(const garray__sort_args &a, int64_t row, const uint16_t *places)
{
    T v[PER];
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const int e = i * THREADS + threadIdx.x;
        if (e < a.k)
            v[i] = ((const T *)a.in)[row * a.stride + places[e]];
    }
    __syncthreads();                    /* out may be in */
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const int e = i * THREADS + threadIdx.x;
        if (e < a.k)
            ((T *)a.values)[row * a.k + e] = v[i];
    }
}

/* Shared memory: the counts of each warp and digit, the first rank of each digit, then keys and places by rank. */
template <class K, bool PLACES, int THREADS> constexpr int memory_of(int per)
{
    return (THREADS / 32 + 1) * BINS * 4 + THREADS * per * ((int)sizeof(K) + (PLACES ? 2 : 0));
}

template <class K, bool PLACES, int THREADS, int PER>
__global__ void __launch_bounds__(THREADS, THREADS * PER * (int)sizeof(K) <= 40960 ? 1024 / THREADS : 1)
sort_tile(const __grid_constant__ garray__sort_args a)
{
    constexpr int WARPS = THREADS / 32, TILE = THREADS * PER;
    extern __shared__ uint4 shared[];
    __shared__ uint32_t warp_sums[BINS / 32];
    __shared__ int nothing_to_move;
    K *keys = (K *)shared;
    uint32_t(*counts)[BINS] = (uint32_t(*)[BINS])(keys + TILE);
    uint32_t *starts = (uint32_t *)(counts + WARPS);
    uint16_t *places = (uint16_t *)(starts + BINS);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, first = warp * 32 * PER + lane;
    const int64_t row = blockIdx.x;
    const uint32_t before = (1u << lane) - 1;

    K key[PER];
    uint32_t tag[PER];                  /* the place above the rank within the warp and digit */
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const int e = first + 32 * i;
        key[i] = e < a.n ? load_key<K>(a, row * a.stride + e, PLACES) : (K)~(K)0;
        tag[i] = (uint32_t)e << 16;
    }
#pragma unroll 1
    for (int shift = 0; shift < 8 * a.size; shift += 8) {
#pragma unroll
        for (int b = lane; b < BINS; b += 32)
            counts[warp][b] = 0;
        if (threadIdx.x == 0)
            nothing_to_move = 0;
        __syncwarp();
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const uint32_t digit = (uint32_t)((PLACES ? key[i] : level_key<K>(a.order, key[i])) >> shift) & 255;
            const uint32_t same = lanes_with(digit), had = counts[warp][digit];
            tag[i] = (tag[i] & 0xffff0000u) | (had + __popc(same & before));
            __syncwarp();
            if (lane == 31 - __clz(same))
                counts[warp][digit] = had + __popc(same);
            __syncwarp();
        }
        __syncthreads();
        /* counts of a digit become where the warp's ranks begin; threads of the first warps scan the digits */
        constexpr int EACH = THREADS < BINS ? BINS / THREADS : 1;
        uint32_t total[EACH], sum = 0;
        if (threadIdx.x * EACH < BINS) {
#pragma unroll
            for (int d = 0; d < EACH; d++) {
                const int digit = threadIdx.x * EACH + d;
                total[d] = 0;
                for (int w = 0; w < WARPS; w++) {
                    const uint32_t c = counts[w][digit];
                    counts[w][digit] = total[d];
                    total[d] += c;
                }
                sum += total[d];
                /* all in one bin, but for the padding in the last: they stay where they are */
                if (total[d] == (digit == 255 ? TILE : a.n))
                    nothing_to_move = 1;
            }
            uint32_t through = sum;
            for (int d = 1; d < 32; d *= 2) {
                const uint32_t other = __shfl_up_sync(ALL, through, d);
                if (lane >= d)
                    through += other;
            }
            if (lane == 31)
                warp_sums[warp] = through;
            sum = through - sum;
        }
        __syncthreads();
        if (nothing_to_move) {
            __syncthreads();
            continue;
        }
        if (threadIdx.x * EACH < BINS) {
            for (int w = 0; w < warp; w++)
                sum += warp_sums[w];
#pragma unroll
            for (int d = 0; d < EACH; d++) {
                starts[threadIdx.x * EACH + d] = sum;
                sum += total[d];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const uint32_t digit = (uint32_t)((PLACES ? key[i] : level_key<K>(a.order, key[i])) >> shift) & 255;
            const uint32_t at = starts[digit] + counts[warp][digit] + (tag[i] & 0xffff);
            keys[at] = key[i];
            if constexpr (PLACES)
                places[at] = (uint16_t)(tag[i] >> 16);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PER; i++) {
            key[i] = keys[first + 32 * i];
            if constexpr (PLACES)
                tag[i] = (uint32_t)places[first + 32 * i] << 16;
        }
        __syncthreads();
    }
    if constexpr (!PLACES) {
#pragma unroll
        for (int i = 0; i < PER; i++)
            if (first + 32 * i < a.k)
                store_key<K>(a, row * a.k + first + 32 * i, key[i]);
    } else {
        if (a.indices)
#pragma unroll
            for (int i = 0; i < PER; i++)
                if (first + 32 * i < a.k)
                    a.indices[row * a.k + first + 32 * i] = tag[i] >> 16;
        if (!a.values)
            return;
#pragma unroll
        for (int i = 0; i < PER; i++)
            places[first + 32 * i] = (uint16_t)(tag[i] >> 16);
        __syncthreads();
        if constexpr (sizeof(K) == 8)
            gather_items<uint64_t, THREADS, PER>(a, row, places);
        else if (a.size == 4)
            gather_items<uint32_t, THREADS, PER>(a, row, places);
        else if (a.size == 2)
            gather_items<uint16_t, THREADS, PER>(a, row, places);
        else
            gather_items<uint8_t, THREADS, PER>(a, row, places);
    }
}

struct choice {
    const void *kernel;
    int threads, memory;
};

template <class K, bool PLACES> choice choose(int64_t n)
{
#define TRY(threads, per)                                                                                       \
    if (n <= (threads) * (per))                                                                                 \
        return {(const void *)sort_tile<K, PLACES, threads, per>, threads, memory_of<K, PLACES, threads>(per)}
    TRY(128, 8);
    TRY(256, 8);
    TRY(512, 8);
    if constexpr (sizeof(K) == 4) {
        TRY(512, 14);
        TRY(512, 20);
    } else {
        TRY(512, 12);
    }
#undef TRY
    return {nullptr, 0, 0};
}

choice choose(const garray__sort_args &a)
{
    /* keys of complex numbers do not keep what a NaN carries */
    const bool places = a.indices || a.order.kind == GARRAY_SORT_COMPLEX;
    if (a.size == 8)
        return places ? choose<uint64_t, true>(a.n) : choose<uint64_t, false>(a.n);
    return places ? choose<uint32_t, true>(a.n) : choose<uint32_t, false>(a.n);
}

} /* namespace */

extern "C" bool garray__cuda_sort_is_tile(const garray__queue *q, const garray__sort_args *args)
{
    if (args->size == 16 || args->rows > INT32_MAX)
        return false;
    const choice c = choose(*args);
    /* what a block may have: 64 KiB on compute capability 7.5, 99 and more on all newer; 1 KiB is for what is static */
    return c.kernel && c.memory <= (garray__cuda_device_of(q)->capability < 800 ? 63 : 98) * 1024;
}

extern "C" garray_status garray__cuda_sort_tile(const garray__queue *q, const garray__sort_args *args)
{
    garray__sort_args a = *args;
    void *list[] = {&a};
    const choice c = choose(a);
    if (c.memory > 48 * 1024)
        GARRAY_CUDA(q, cudaFuncSetAttribute(c.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c.memory));
    return garray__cuda_launch(q, "sort", c.kernel, dim3((unsigned)a.rows), dim3((unsigned)c.threads), (size_t)c.memory, list);
}
