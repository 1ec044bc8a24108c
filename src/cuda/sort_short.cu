/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of up to 512 items, sorted in registers: some lanes of a warp for each row, R neighbouring ranks in each lane.  The
 * network is bitonic; distances up to R are within a lane, others are shuffles.
 *
 * Values alone are sorted as keys without places.  Only zeros of both signs and NaNs of several kinds are then out of
 * their order, and are written again, in the order of the row.  All else is sorted as (key, place), which no two items
 * share: so the sort is stable. */
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/sort.h"

using namespace garray__cuda;

namespace {

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARPS = 4;

/* KEY32, KEY64: keys that turn back to items.  PLACE32: a 16-bit key above the place, PLACE64: a 32-bit one. */
enum { KEY32, KEY64, PLACE32, PLACE64, PLACE96 };

struct word96 {
    uint64_t k;
    uint32_t p;
};

template <int KIND> struct word_of { typedef uint64_t type; };
template <> struct word_of<KEY32> { typedef uint32_t type; };
template <> struct word_of<PLACE32> { typedef uint32_t type; };
template <> struct word_of<PLACE96> { typedef word96 type; };

__device__ __forceinline__ bool less(uint64_t a, uint64_t b) { return a < b; }
__device__ __forceinline__ bool less(const word96 &a, const word96 &b) { return a.k < b.k || (a.k == b.k && a.p < b.p); }

__device__ __forceinline__ uint32_t exchange(uint32_t x, int mask) { return __shfl_xor_sync(ALL, x, mask); }
__device__ __forceinline__ uint64_t exchange(uint64_t x, int mask) { return __shfl_xor_sync(ALL, x, mask); }
__device__ __forceinline__ word96 exchange(const word96 &x, int mask)
{
    return {__shfl_xor_sync(ALL, x.k, mask), __shfl_xor_sync(ALL, x.p, mask)};
}

/* All bits turned where mask is all ones: the order reversed. */
__device__ __forceinline__ uint32_t turn(uint32_t x, uint32_t mask) { return x ^ mask; }
__device__ __forceinline__ uint64_t turn(uint64_t x, uint32_t mask) { return x ^ ((uint64_t)mask << 32 | mask); }
__device__ __forceinline__ word96 turn(const word96 &x, uint32_t mask) { return {turn(x.k, mask), x.p ^ mask}; }

__device__ __forceinline__ void sort_pair(uint32_t &a, uint32_t &b)
{
    const uint32_t low = min(a, b);
    b = max(a, b);
    a = low;
}

template <class W> __device__ __forceinline__ void sort_pair(W &a, W &b)
{
    const bool swap = less(b, a);
    const W low = swap ? b : a;
    b = swap ? a : b;
    a = low;
}

__device__ __forceinline__ uint32_t pick(uint32_t mine, uint32_t other, bool least)
{
    return least ? min(mine, other) : max(mine, other);
}

template <class W> __device__ __forceinline__ W pick(const W &mine, const W &other, bool least)
{
    return less(other, mine) == least ? other : mine;
}

/* The last steps of a merge, within lanes. */
template <class W, int R> __device__ __forceinline__ void merge_lane(W (&x)[R])
{
#pragma unroll
    for (int d = R / 2; d > 0; d /= 2)
#pragma unroll
        for (int r = 0; r < R; r++)
            if ((r & d) == 0)
                sort_pair(x[r], x[r + d]);
}

/* Sorts the R * lanes words of each group of lanes; lane: within the group. */
template <class W, int R> __device__ __forceinline__ void sort_words(W (&x)[R], int lane, int lanes)
{
#pragma unroll
    for (int size = 2; size < R; size *= 2)
#pragma unroll
        for (int d = size / 2; d > 0; d /= 2)
#pragma unroll
            for (int r = 0; r < R; r++)
                if ((r & d) == 0) {
                    if ((r & size) == 0)
                        sort_pair(x[r], x[r + d]);
                    else
                        sort_pair(x[r + d], x[r]);
                }
    /* runs of R and more: descending ones are turned, so that every step sorts the same way */
    uint32_t turned = 0;
#pragma unroll 1
    for (int run = 1; run <= lanes; run *= 2) {
        const uint32_t wanted = (lane & run & (lanes - 1)) ? ALL : 0;
#pragma unroll
        for (int r = 0; r < R; r++)
            x[r] = turn(x[r], turned ^ wanted);
        turned = wanted;
#pragma unroll 1
        for (int d = run / 2; d > 0; d /= 2) {
            const bool least = (lane & d) == 0;
#pragma unroll
            for (int r = 0; r < R; r++)
                x[r] = pick(x[r], exchange(x[r], d), least);
        }
        merge_lane<W, R>(x);
    }
}

template <class U> __device__ __forceinline__ U item_key(const garray__sort_order &o, const void *in, int64_t at)
{
    return key_of_number<U>(o, ((const U *)in)[at]);
}

template <int KIND>
__device__ __forceinline__ typename word_of<KIND>::type load_word(const garray__sort_args &a, int64_t at, int place)
{
    if constexpr (KIND == KEY32)
        return a.size == 4   ? item_key<uint32_t>(a.order, a.in, at)
               : a.size == 2 ? item_key<uint16_t>(a.order, a.in, at) : item_key<uint8_t>(a.order, a.in, at);
    else if constexpr (KIND == KEY64)
        return item_key<uint64_t>(a.order, a.in, at);
    else if constexpr (KIND == PLACE96)
        return word96{level_item(a.order, 8, a.in, at, a.flip), (uint32_t)place};
    else if constexpr (KIND == PLACE64)
        return level_item(a.order, 4, a.in, at, 0) << 32 | (uint32_t)place;
    else
        return (uint32_t)level_item(a.order, a.size, a.in, at, 0) << 16 | (uint32_t)place;
}

__device__ __forceinline__ uint32_t place_of(uint32_t x) { return x & 0xffff; }
__device__ __forceinline__ uint32_t place_of(uint64_t x) { return (uint32_t)x; }
__device__ __forceinline__ uint32_t place_of(const word96 &x) { return x.p; }

template <class W> __device__ __forceinline__ W last_word()
{
    if constexpr (sizeof(W) == 16)
        return W{~0ull, ALL};
    else
        return (W)~(W)0;
}

/* A group of lanes and its row. */
struct row_of_group {
    int64_t first;                      /* of the row's items in memory */
    int64_t row;
    int lane, lanes;
    uint32_t members;                   /* lanes of the group */
    bool valid;
};

/* Puts the items of one class (zeros, NaNs) into the places of that class, in the order of the row. */
template <int KIND, int R, class W, class Is>
__device__ __forceinline__ void put_in_order(const garray__sort_args &a, const row_of_group &g, W *sorted, int base, Is is)
{
    const uint32_t before = g.members & ((1u << (threadIdx.x & 31)) - 1);
#pragma unroll 1
    for (int r = 0; r < R; r++) {
        const int e = r * g.lanes + g.lane;
        W x = 0;
        bool in_class = false;
        if (g.valid && e < a.n) {
            x = load_word<KIND>(a, g.first + e, e);
            in_class = is(x);
        }
        const uint32_t found = __ballot_sync(ALL, in_class);
        if (in_class)
            sorted[base + __popc(found & before)] = x;
        base += __popc(found & g.members);
    }
}

__device__ __forceinline__ int sum_of_group(int x, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(ALL, x, d);
    return x;
}

template <class T, int R, class W>
__device__ __forceinline__ void gather_items(const garray__sort_args &a, const row_of_group &g, const W *sorted)
{
    T v[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int e = r * g.lanes + g.lane;
        if (g.valid && e < a.k)
            v[r] = ((const T *)a.in)[g.first + place_of(sorted[e])];
    }
    __syncwarp();                       /* out may be in */
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int e = r * g.lanes + g.lane;
        if (g.valid && e < a.k)
            ((T *)a.values)[g.row * a.k + e] = v[r];
    }
}

template <int KIND, int R>
__global__ void __launch_bounds__(32 * WARPS) sort_short(const __grid_constant__ garray__sort_args a)
{
    typedef typename word_of<KIND>::type W;
    __shared__ __align__(16) W tiles[WARPS][32 * R];
    const int warp_lane = threadIdx.x & 31, lanes = a.padded / R;
    row_of_group g;
    g.lanes = lanes;
    g.lane = warp_lane & (lanes - 1);
    g.row = ((int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5)) * (32 / lanes) + (warp_lane - g.lane) / lanes;
    g.valid = g.row < a.rows;
    g.first = g.row * a.stride;
    g.members = (lanes == 32 ? ALL : (1u << lanes) - 1) << (warp_lane - g.lane);
    W *sorted = tiles[threadIdx.x >> 5] + (warp_lane - g.lane) * R;
    const garray__sort_order &o = a.order;

    W x[R];
    uint32_t seen = 0;                  /* 1: -0, 2: +0, 4: the common NaN, 8: others */
    const bool floats = KIND <= KEY64 && o.shift != 0;
    W common = last_word<W>();
    if constexpr (KIND == KEY32)
        common = a.size == 4 ? key_of_number<uint32_t>(o, (uint32_t)a.common_nan)
                             : key_of_number<uint16_t>(o, (uint16_t)a.common_nan);
    else if constexpr (KIND == KEY64)
        common = key_of_number<uint64_t>(o, a.common_nan);
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int e = r * lanes + g.lane;
        x[r] = last_word<W>();
        if (g.valid && e < a.n) {
            x[r] = load_word<KIND>(a, g.first + e, e);
            if constexpr (KIND <= KEY64)
                if (floats)
                    seen |= x[r] == (W)o.minus ? 1 : x[r] == (W)o.plus ? 2
                            : (W)(x[r] - (W)o.nan) <= (W)o.nans ? (x[r] == common ? 4 : 8) : 0;
        }
    }
    sort_words<W, R>(x, g.lane, lanes);
#pragma unroll
    for (int r = 0; r < R; r++)
        sorted[g.lane * R + r] = x[r];
    __syncwarp();

    if constexpr (KIND <= KEY64) {
        if (floats) {
            const bool zeros = __any_sync(ALL, (__ballot_sync(ALL, seen & 1) & g.members) != 0 &
                                                   (__ballot_sync(ALL, seen & 2) & g.members) != 0);
            if (zeros) {
                const W least = (W)min(o.minus, o.plus);
                int below = 0;
#pragma unroll
                for (int r = 0; r < R; r++)
                    below += x[r] < least;
                put_in_order<KIND, R>(a, g, sorted, sum_of_group(below, lanes),
                                      [&](W k) { return k == (W)o.minus || k == (W)o.plus; });
            }
            if (__any_sync(ALL, seen & 8)) {
                int below = 0;
#pragma unroll
                for (int r = 0; r < R; r++)
                    below += x[r] < (W)o.nan;
                put_in_order<KIND, R>(a, g, sorted, sum_of_group(below, lanes),
                                      [&](W k) { return (W)(k - (W)o.nan) <= (W)o.nans; });
            }
            __syncwarp();
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
            const int e = r * lanes + g.lane;
            if (!g.valid || e >= a.k)
                continue;
            const int64_t at = g.row * a.k + e;
            if constexpr (KIND == KEY64)
                ((uint64_t *)a.values)[at] = number_of_key<uint64_t>(o, sorted[e]);
            else if (a.size == 4)
                ((uint32_t *)a.values)[at] = number_of_key<uint32_t>(o, sorted[e]);
            else if (a.size == 2)
                ((uint16_t *)a.values)[at] = number_of_key<uint16_t>(o, (uint16_t)sorted[e]);
            else
                ((uint8_t *)a.values)[at] = number_of_key<uint8_t>(o, (uint8_t)sorted[e]);
        }
    } else {
        if (a.indices)
#pragma unroll
            for (int r = 0; r < R; r++) {
                const int e = r * lanes + g.lane;
                if (g.valid && e < a.k)
                    a.indices[g.row * a.k + e] = place_of(sorted[e]);
            }
        if (!a.values)
            return;
        if constexpr (KIND == PLACE96) {
            gather_items<uint64_t, R>(a, g, sorted);
        } else if constexpr (KIND == PLACE64) {
            gather_items<uint32_t, R>(a, g, sorted);
        } else {
            if (a.size == 2)
                gather_items<uint16_t, R>(a, g, sorted);
            else
                gather_items<uint8_t, R>(a, g, sorted);
        }
    }
}

template <int KIND> const void *kernel_of(int padded)
{
    if (padded <= 128)
        return (const void *)sort_short<KIND, 4>;
    if constexpr (KIND != KEY64 && KIND != PLACE96)
        if (padded > 256)
            return (const void *)sort_short<KIND, 16>;
    return (const void *)sort_short<KIND, 8>;
}

} /* namespace */

extern "C" bool garray__cuda_sort_is_short(const garray__sort_args *args)
{
    return args->size < 16 && args->n <= (args->size < 8 ? 512 : 256);
}

extern "C" garray_status garray__cuda_sort_short(const garray__queue *q, const garray__sort_args *args)
{
    garray__sort_args a = *args;
    void *list[] = {&a};
    const bool values_only = !a.indices && a.order.kind == GARRAY_SORT_PLAIN;
    const garray__sort_order &o = a.order;
    a.padded = 4;
    while (a.padded < a.n)
        a.padded *= 2;
    a.common_nan = ((o.top - 1) & ~o.shift) | ((o.shift + 1) >> 1);
    const void *kernel = a.size == 8   ? values_only ? kernel_of<KEY64>(a.padded) : kernel_of<PLACE96>(a.padded)
                         : values_only ? kernel_of<KEY32>(a.padded)
                         : a.size == 4 ? kernel_of<PLACE64>(a.padded) : kernel_of<PLACE32>(a.padded);
    const int64_t per_lane = a.padded <= 128 ? 4 : a.padded / 32, per_block = WARPS * (32 * per_lane / a.padded);
    const int64_t blocks = (a.rows + per_block - 1) / per_block;
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "sorting %lld rows of %lld items is too large for one launch",
                                       (long long)a.rows, (long long)a.n);
    return garray__cuda_launch(q, "sort", kernel, dim3((unsigned)blocks), dim3(32 * WARPS), 0, list);
}
