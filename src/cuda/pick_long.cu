/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics of a long row by Floyd and Rivest's sampling: the row is read once, some hundredths of it are kept, and
 * the next rounds deal with these.  Everything that later kernels need to know stays on the device. */
#include "cuda/kernel.cuh"
#include "cuda/pick.h"

using namespace garray__cuda;

namespace {

constexpr int SAMPLE = GARRAY_CUDA_PICK_SAMPLE, SAMPLERS = 1024, THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;
constexpr uint32_t ALL_LANES = 0xffffffffu;

/* ---- the bracket of a round ---- */
/* What the last round counted: ranks that are resolved get their keys, the others go on with what was kept. */
__device__ void digest(const garray__pick_args &a, garray__pick_state &s)
{
    const uint64_t under = s.below, low_end = under + s.at_low, kept_end = low_end + s.between, high_end = kept_end + s.at_high;
    bool waiting = false;
    for (int j = 0; j < a.ranks; j++) {
        if (s.resolved >> j & 1)
            continue;
        const uint64_t k = (uint64_t)a.kth[a.first + j] - s.base;
        if (k >= under && k < low_end) {
            a.keys[a.first + j] = s.low;
            s.resolved |= 1u << j;
        } else if (k >= kept_end && k < high_end) {
            a.keys[a.first + j] = s.high;
            s.resolved |= 1u << j;
        } else if (k >= low_end && k < kept_end && s.between <= a.source_room) {
            waiting = true;
        } else {
            s.failed = 1;
        }
    }
    s.base += low_end;
    s.count = s.between;
    s.done = s.failed || !waiting;
    s.below = s.at_low = s.between = s.at_high = 0;
}

__device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* One block.  A source that fits it is sorted, which answers; of a larger one a sample is. */
template <class K> __global__ void __launch_bounds__(SAMPLERS) pick_sample(const __grid_constant__ garray__pick_args a)
{
    __shared__ K key[SAMPLE];
    __shared__ uint64_t shared_count;
    garray__pick_state &s = *a.state;
    const int thread = threadIdx.x;
    if (thread == 0) {
        if (a.round == 0) {
            s.count = (uint64_t)a.n;
        } else if (!s.done) {
            digest(a, s);
        }
        if (a.round == 1 && a.top >= 0)
            a.keys[a.top] = s.top;
        shared_count = s.done ? 0 : s.count;
    }
    __syncthreads();
    const uint64_t count = shared_count;
    if (count == 0)
        return;
    const bool whole = count <= SAMPLE;
    const uint64_t stride = whole ? 1 : count / SAMPLE;
    for (int i = thread; i < SAMPLE; i += SAMPLERS) {
        const uint64_t at = (uint64_t)i * stride + (whole ? 0 : mix((uint64_t)i + 1) % stride);
        K k = (K)~(K)0;
        if (at < count)
            k = a.source ? ((const K *)a.source)[at] : (K)total_item(a.order, a.size, a.in, (int64_t)at);
        key[i] = k;
    }
    __syncthreads();
    for (int size = 2; size <= SAMPLE; size <<= 1)
        for (int half = size >> 1; half > 0; half >>= 1) {
            for (int pair = thread; pair < SAMPLE / 2; pair += SAMPLERS) {
                const int i = 2 * pair - (pair & (half - 1));
                const K x = key[i], y = key[i + half];
                if ((x > y) == ((i & size) == 0)) {
                    key[i] = y;
                    key[i + half] = x;
                }
            }
            __syncthreads();
        }
    if (thread != 0)
        return;
    if (whole) {
        for (int j = 0; j < a.ranks; j++)
            if (!(s.resolved >> j & 1)) {
                a.keys[a.first + j] = key[(uint64_t)a.kth[a.first + j] - s.base];
                s.resolved |= 1u << j;
            }
        s.done = 1;
        return;
    }
    int first = -1, last = -1;
    for (int j = 0; j < a.ranks; j++)
        if (!(s.resolved >> j & 1)) {
            first = first < 0 ? j : first;
            last = j;
        }
    const double per = (double)SAMPLE / (double)count;
    const double from = ((double)((uint64_t)a.kth[a.first + first] - s.base) + 0.5) * per;
    const double to = ((double)((uint64_t)a.kth[a.first + last] - s.base) + 0.5) * per;
    const int low = (int)floor(from - 4 * sqrt(from * (1 - from / SAMPLE)) - 4);
    const int high = (int)ceil(to + 4 * sqrt(to * (1 - to / SAMPLE)) + 4);
    s.low = low < 0 ? 0 : key[low];
    s.high = high >= SAMPLE ? (K)~(K)0 >> (8 * sizeof(K) - 8 * min(a.size, (int)sizeof(K))) : key[high];
}

/* ---- counting and keeping ---- */
/* U: what the source holds; KEYS: these are keys already. */
template <class U, class K, bool KEYS> __global__ void __launch_bounds__(THREADS)
    pick_narrow(const __grid_constant__ garray__pick_args a)
{
    constexpr int PER = 16 / (int)sizeof(U), VECTORS = PER >= 4 ? 16 / PER : 4, ITEMS = VECTORS * PER, TILE = THREADS * ITEMS;
    __shared__ uint32_t warp_kept[WARPS];
    __shared__ unsigned long long tile_at;
    garray__pick_state &s = *a.state;
    if (s.done)
        return;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const U *source = KEYS ? (const U *)a.source : (const U *)a.in;
    const int64_t count = (int64_t)s.count;
    const K low = (K)s.low, high = (K)s.high;
    const bool aligned = ((uintptr_t)source & 15) == 0;
    unsigned long long below = 0, at_low = 0, at_high = 0;
    K top = 0;
    for (int64_t begin = (int64_t)blockIdx.x * TILE; begin < count; begin += (int64_t)gridDim.x * TILE) {
        K key[ITEMS];
        uint64_t valid = ~0ull, kept = 0;
        if (aligned && begin + TILE <= count) {
            pack<16> v[VECTORS];
#pragma unroll
            for (int m = 0; m < VECTORS; m++)
                v[m] = load_aligned<16>(source + begin + (int64_t)(m * THREADS + thread) * PER);
#pragma unroll
            for (int m = 0; m < VECTORS; m++)
#pragma unroll
                for (int e = 0; e < PER; e++) {
                    const U x = item<U>(v[m], e);
                    key[m * PER + e] = KEYS ? (K)x : (K)total_key<U>(a.order, x);
                }
        } else {
            valid = 0;
#pragma unroll
            for (int m = 0; m < ITEMS; m++) {
                const int64_t i = begin + m * THREADS + thread;
                key[m] = 0;
                if (i < count) {
                    key[m] = KEYS ? (K)source[i] : (K)total_key<U>(a.order, source[i]);
                    valid |= 1ull << m;
                }
            }
        }
        uint32_t tile_below = 0, tile_low = 0, tile_high = 0;
#pragma unroll
        for (int m = 0; m < ITEMS; m++) {
            const bool is = valid >> m & 1;
            tile_below += is && key[m] < low;
            tile_low += is && key[m] == low;
            tile_high += is && key[m] == high;
            kept |= (uint64_t)(is && key[m] > low && key[m] < high) << m;
            top = is && key[m] > top ? key[m] : top;
        }
        below += tile_below;
        at_low += tile_low;
        at_high += tile_high;
        const uint32_t mine = (uint32_t)__popcll(kept);
        uint32_t before = mine;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const uint32_t other = __shfl_up_sync(ALL_LANES, before, d);
            before += lane >= d ? other : 0;
        }
        if (lane == 31)
            warp_kept[warp] = before;
        __syncthreads();
        uint32_t total = 0, ahead = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            ahead += w < warp ? warp_kept[w] : 0;
            total += warp_kept[w];
        }
        if (thread == 0 && total > 0)
            tile_at = atomicAdd(&s.between, (unsigned long long)total);
        __syncthreads();                /* warp_kept has been read, tile_at is there */
        if (total == 0)
            continue;
        uint64_t at = tile_at + ahead + before - mine;
#pragma unroll
        for (int m = 0; m < ITEMS; m++)
            if (kept >> m & 1) {
                if (at < a.room)
                    ((K *)a.kept)[at] = key[m];
                at++;
            }
    }
    if (low == high)
        at_high = 0;
    for (int d = 16; d > 0; d >>= 1) {
        below += __shfl_down_sync(ALL_LANES, below, d);
        at_low += __shfl_down_sync(ALL_LANES, at_low, d);
        at_high += __shfl_down_sync(ALL_LANES, at_high, d);
        const K other = __shfl_down_sync(ALL_LANES, top, d);
        top = other > top ? other : top;
    }
    if (lane == 0) {
        atomicAdd(&s.below, below);
        atomicAdd(&s.at_low, at_low);
        atomicAdd(&s.at_high, at_high);
        if (!KEYS)
            atomicMax(&s.top, (unsigned long long)top);
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_pick_sample(const garray__queue *q, const garray__pick_args *args)
{
    garray__pick_args a = *args;
    void *list[] = {&a};
    const void *kernel = a.size == 8 ? (const void *)pick_sample<uint64_t> : (const void *)pick_sample<uint32_t>;
    return garray__cuda_launch(q, "partition", kernel, dim3(1), dim3(SAMPLERS), 0, list);
}

extern "C" garray_status garray__cuda_pick_narrow(const garray__queue *q, const garray__pick_args *args)
{
    garray__pick_args a = *args;
    void *list[] = {&a};
    const int width = a.source ? (a.size == 8 ? 8 : 4) : a.size;
    const void *kernel = a.source ? (width == 8 ? (const void *)pick_narrow<uint64_t, uint64_t, true>
                                                : (const void *)pick_narrow<uint32_t, uint32_t, true>)
                         : width == 1 ? (const void *)pick_narrow<uint8_t, uint32_t, false>
                         : width == 2 ? (const void *)pick_narrow<uint16_t, uint32_t, false>
                         : width == 4 ? (const void *)pick_narrow<uint32_t, uint32_t, false>
                                      : (const void *)pick_narrow<uint64_t, uint64_t, false>;
    const int64_t tile = THREADS * (width == 8 ? 8 : 16), most = a.source ? (int64_t)a.source_room : a.n;
    const int64_t resident = 8 * (int64_t)garray__cuda_device_of(q)->multiprocessors;
    int64_t blocks = (most + tile - 1) / tile;
    blocks = blocks < resident ? blocks : resident;
    return garray__cuda_launch(q, "partition", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}
