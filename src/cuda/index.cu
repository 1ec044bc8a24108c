/* SPDX-License-Identifier: BSD-3-Clause
 * Gather and scatter by integer arrays.  An index out of range is reported through the queue's late-error word. */
#include "cuda/index.h"
#include "cuda/index_place.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, ITEMS = GARRAY_CUDA_INDEX_ITEMS, RUN_ITEMS = GARRAY_CUDA_RUN_ITEMS;

struct alignas(8) two_words { uint64_t a, b; };

template <class T> __global__ void __launch_bounds__(THREADS, 4) gather(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    place p[ITEMS];
    T v[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count)
            p[u] = find<false>(a, first + u * THREADS);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count) {
            if (p[u].valid)
                v[u] = item_load<T>(a.base + p[u].base, a.unaligned);
            else
                memset(&v[u], 0, sizeof v[u]);
        }
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count)
            item_store<T>(a.values + p[u].value, v[u], a.unaligned);
}

__device__ __forceinline__ uint64_t hash(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

/* The place of a slot's winner; a slot that is not in the table yet is put there. */
__device__ __forceinline__ uint64_t winner_of(const garray__index_args &a, int64_t slot)
{
    if (!a.table)
        return (uint64_t)slot;
    const unsigned long long key = (unsigned long long)slot + 1;
    uint64_t h = hash(key) & a.table_mask;
    for (;;) {
        unsigned long long there = *(volatile unsigned long long *)&a.table[h];
        if (there == 0)
            there = atomicCAS(&a.table[h], 0ull, key);
        if (there == 0 || there == key)
            return h;
        h = (h + 1) & a.table_mask;
    }
}

/* A thread for each ordinal; the axes are those that have one. */
__global__ void __launch_bounds__(THREADS) claim(const __grid_constant__ garray__index_args a)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.count)
        return;
    const place p = find<true>(a, i);
    if (p.valid)
        atomicMax(&a.winners[winner_of(a, p.slot)], (uint32_t)i + 1);
}

/* Leaves in each slot the highest ordinal plus 1 with its item beneath. */
template <class T> __global__ void __launch_bounds__(THREADS) pack_items(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    place p[ITEMS];
    T v[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        p[u].valid = false;
        if (first + u * THREADS < a.count)
            p[u] = find<true>(a, first + u * THREADS);
    }
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (p[u].valid)
            v[u] = item_load<T>(a.values + p[u].value, a.unaligned);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (p[u].valid)
            atomicMax(&a.packed[p[u].slot], (unsigned long long)(uint32_t)(p[u].ordinal + 1) << 32 | v[u]);
}

/* Where a slot is; an index array of length n has n slots, the last array's are neighbours. */
__device__ __forceinline__ int64_t place_of_slot(const garray__index_args &a, int64_t slot)
{
    int64_t base = 0;
#pragma unroll 1
    for (int k = a.narrays - 1; k > 0; k--) {
        const int64_t q = slot / a.array[k].length;
        base += (slot - q * a.array[k].length) * a.array[k].step;
        slot = q;
    }
    return base + slot * a.array[0].step;
}

/* A thread for some slots. */
template <class T> __global__ void __launch_bounds__(THREADS) unpack_items(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    unsigned long long v[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        v[u] = first + u * THREADS < a.count ? a.packed[first + u * THREADS] : 0;
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (v[u] != 0)
            item_store<T>(a.base + place_of_slot(a, first + u * THREADS), (T)v[u], a.unaligned);
}

/* Every item beside its slot, in the order of the ordinals; what has no place gets the slot behind the last. */
template <class T> __global__ void __launch_bounds__(THREADS, 4) list_items(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    place p[ITEMS];
    T v[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count)
            p[u] = find<true>(a, first + u * THREADS);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count)
            v[u] = item_load<T>(a.values + p[u].value, a.unaligned);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (first + u * THREADS < a.count) {
            a.listed[p[u].ordinal] = p[u].valid ? (uint32_t)p[u].slot : a.slots;
            a.items[p[u].ordinal] = (uint32_t)v[u];
        }
}

/* They, sorted by slot: the last one of each goes to its place. */
template <class T> __global__ void __launch_bounds__(THREADS) put_listed(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    uint32_t slot[ITEMS], next[ITEMS], v[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        const int64_t i = first + u * THREADS;
        slot[u] = i < a.count ? a.listed[i] : a.slots;
        next[u] = i + 1 < a.count ? a.listed[i + 1] : a.slots;
        v[u] = i < a.count ? a.items[i] : 0;
    }
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (slot[u] < a.slots && slot[u] != next[u])
            item_store<T>(a.base + place_of_slot(a, slot[u]), (T)v[u], a.unaligned);
}

template <class T> __global__ void __launch_bounds__(THREADS) scatter(const __grid_constant__ garray__index_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
    place p[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        p[u].valid = false;
        if (first + u * THREADS < a.count)
            p[u] = find<true>(a, first + u * THREADS);
    }
    if (a.winners)
#pragma unroll
        for (int u = 0; u < ITEMS; u++)
            if (p[u].valid)
                p[u].valid = a.winners[winner_of(a, p[u].slot)] == (uint32_t)p[u].ordinal + 1;
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        if (p[u].valid)
            item_store<T>(a.base + p[u].base, item_load<T>(a.values + p[u].value, a.unaligned), a.unaligned);
}

/* Long runs of neighbouring items: the index arrays are read once for each run, by all threads of a block, which moves a
 * chunk of the run. */
template <class T, bool SCATTER>
__global__ void __launch_bounds__(THREADS) move_runs(const __grid_constant__ garray__index_args a)
{
    const int64_t run = blockIdx.x / a.chunks, begin = blockIdx.x % a.chunks * a.chunk;
    const int64_t end = min(begin + a.chunk, a.run);
    const place p = find<SCATTER>(a, run * a.run);
    if (SCATTER && (!p.valid || (a.winners && a.winners[winner_of(a, p.slot)] != (uint32_t)p.ordinal + 1)))
        return;
    const T *from = (const T *)(SCATTER ? a.values + p.value : a.base + p.base);
    T *to = (T *)(SCATTER ? a.base + p.base : a.values + p.value);
    T v[RUN_ITEMS];
#pragma unroll
    for (int u = 0; u < RUN_ITEMS; u++) {
        const int64_t i = begin + u * THREADS + threadIdx.x;
        memset(&v[u], 0, sizeof v[u]);
        if (i < end && p.valid)
            v[u] = item_load<T>((const char *)(from + i), a.unaligned);
    }
#pragma unroll
    for (int u = 0; u < RUN_ITEMS; u++) {
        const int64_t i = begin + u * THREADS + threadIdx.x;
        if (i < end)
            item_store<T>((char *)(to + i), v[u], a.unaligned);
    }
}

} /* namespace */

extern "C" const void *garray__cuda_run_kernel(int size, bool scatter)
{
    switch (size) {
    case 4: return scatter ? (const void *)move_runs<uint32_t, true> : (const void *)move_runs<uint32_t, false>;
    case 8: return scatter ? (const void *)move_runs<uint64_t, true> : (const void *)move_runs<uint64_t, false>;
    default: return scatter ? (const void *)move_runs<uint4, true> : (const void *)move_runs<uint4, false>;
    }
}

extern "C" const void *garray__cuda_gather_kernel(int size)
{
    switch (size) {
    case 1: return (const void *)gather<uint8_t>;
    case 2: return (const void *)gather<uint16_t>;
    case 4: return (const void *)gather<uint32_t>;
    case 8: return (const void *)gather<uint64_t>;
    case 16: return (const void *)gather<uint4>;
    default: return (const void *)gather<two_words>;
    }
}

extern "C" const void *garray__cuda_scatter_kernel(int size)
{
    switch (size) {
    case 1: return (const void *)scatter<uint8_t>;
    case 2: return (const void *)scatter<uint16_t>;
    case 4: return (const void *)scatter<uint32_t>;
    case 8: return (const void *)scatter<uint64_t>;
    case 16: return (const void *)scatter<uint4>;
    default: return (const void *)scatter<two_words>;
    }
}

extern "C" const void *garray__cuda_claim_kernel(void)
{
    return (const void *)claim;
}

extern "C" const void *garray__cuda_pack_kernel(int size)
{
    return size == 1   ? (const void *)pack_items<uint8_t>
           : size == 2 ? (const void *)pack_items<uint16_t> : (const void *)pack_items<uint32_t>;
}

extern "C" const void *garray__cuda_unpack_kernel(int size)
{
    return size == 1   ? (const void *)unpack_items<uint8_t>
           : size == 2 ? (const void *)unpack_items<uint16_t> : (const void *)unpack_items<uint32_t>;
}

extern "C" const void *garray__cuda_list_kernel(int size)
{
    return size == 1   ? (const void *)list_items<uint8_t>
           : size == 2 ? (const void *)list_items<uint16_t> : (const void *)list_items<uint32_t>;
}

extern "C" const void *garray__cuda_put_listed_kernel(int size)
{
    return size == 1   ? (const void *)put_listed<uint8_t>
           : size == 2 ? (const void *)put_listed<uint16_t> : (const void *)put_listed<uint32_t>;
}
