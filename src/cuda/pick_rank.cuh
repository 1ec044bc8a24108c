/* SPDX-License-Identifier: BSD-3-Clause
 * What the searches for ranks share (pick_long.cu, top_long.cu): numbers as the processor compares them, ranks among keys
 * in the registers of a block, and sums of a warp. */
#ifndef GARRAY_CUDA_PICK_RANK_CUH
#define GARRAY_CUDA_PICK_RANK_CUH

#include <math.h>
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/sort_key.h"

namespace garray__cuda {

constexpr uint32_t ALL_LANES = 0xffffffffu;

__device__ __forceinline__ uint32_t warp_sum(uint32_t x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, x);
#else
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        x += __shfl_xor_sync(ALL_LANES, x, d);
    return x;
#endif
}

__device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Which item of `count`, of at least SAMPLES, stands for the i-th of so many stretches: one at random, always the same; of
 * several draws from a stretch this is number `draw`. */
template <int SAMPLES> __device__ __forceinline__ uint64_t sampled_item(uint32_t i, uint64_t count, uint32_t draw = 0)
{
    static_assert((SAMPLES & (SAMPLES - 1)) == 0, "a shift divides by it");
    const uint64_t begin = i * count / SAMPLES, end = (i + 1) * count / SAMPLES;
    return begin + __umul64hi(mix(i + 1 + (uint64_t)draw * SAMPLES), end - begin);
}

/* ---- numbers ---- */
/* N is the type of the numbers, or an unsigned one for keys.  Turned by `flip`, numbers ascend as their keys do, but for
 * NaNs, which are beside all, and the two zeros, which are one. */
template <class N> struct is_floating { static constexpr bool value = false; };
template <> struct is_floating<float> { static constexpr bool value = true; };
template <> struct is_floating<double> { static constexpr bool value = true; };

template <class N, class U> __device__ __forceinline__ N number_of_bits(U bits, U flip)
{
    static_assert(sizeof(N) == sizeof(U), "bits of the number");
    const U turned = bits ^ flip;
    N x;
    memcpy(&x, &turned, sizeof x);
    return x;
}

template <class N, class U> __device__ __forceinline__ U flip_of(const garray__sort_order &o)
{
    return !o.descending ? (U)0 : is_floating<N>::value ? (U)o.top : (U)~(U)0;
}

/* ---- ranks ---- */
/* Counters of one search. */
struct rank_room {
    uint32_t bins[256];
    uint32_t digit, before, here;
};

/* What a search found: no more than the wanted rank of the items are below `found`, of which `under` are, and more than that
 * below `above`, of which `over` are.  exact: above is found + 1 (it may not fit K), and found is that rank's key; otherwise
 * above may be 0: beyond all keys. */
template <class K> struct rank_found {
    K found, above;
    uint32_t under, over;
    bool exact;
};

/* Searches the block's `all` keys, from low to high, for a rank, digit by digit from the top.  each(take): calls take with each
 * of the thread's own keys; keys above high may be among them, and count for nothing.  slack > 0: the search may stop when no
 * more items than that are left between. */
template <class K, class Each>
__device__ rank_found<K> block_rank(rank_room &room, K low, K high, uint32_t rank, uint32_t all, uint32_t slack, const Each &each)
{
    const K span = high - low;
    int left = span > 0 ? 64 - __clzll((long long)(uint64_t)span) : 0;
    K found = 0;
    rank_found<K> r = {low, 0, 0, all, false};
    while (left > 0 && (slack == 0 || r.over - r.under > slack)) {
        left -= left < 8 ? left : 8;
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x)
            room.bins[i] = 0;
        __syncthreads();
        each([&](K key) {
            const K rest = ((K)(key - low) ^ found) >> left;
            if (rest < 256 && key <= high)
                atomicAdd(&room.bins[rest], 1u);
        });
        __syncthreads();
        if (threadIdx.x < 32) {
            const int lane = threadIdx.x;
            uint32_t count[8], sum = 0;
#pragma unroll
            for (int b = 0; b < 8; b++) {
                count[b] = room.bins[8 * lane + b];
                sum += count[b];
            }
            uint32_t before = sum;
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const uint32_t other = __shfl_up_sync(ALL_LANES, before, d);
                before += lane >= d ? other : 0;
            }
            before -= sum;
            const uint32_t wanted = rank - r.under;
            if (before <= wanted && wanted < before + sum) {    /* one lane */
                uint32_t digit = 0, here = 0;
                bool past = false;
#pragma unroll
                for (int b = 0; b < 8; b++) {
                    past = past || before + count[b] > wanted;
                    before += past ? 0 : count[b];
                    digit += !past;
                }
#pragma unroll
                for (int b = 0; b < 8; b++)
                    here = (uint32_t)b == digit ? count[b] : here;
                room.digit = 8 * (uint32_t)lane + digit;
                room.before = before;
                room.here = here;
            }
        }
        __syncthreads();
        found |= (K)room.digit << left;
        r.under += room.before;
        r.over = r.under + room.here;
    }
    const K last = found | (K)(((K)1 << left) - 1);     /* left is below the bits of K: at least a digit has been found, or 0 */
    r.found = low + found;
    r.above = last >= span ? (K)(high + 1) : (K)(low + last + 1);
    r.exact = left == 0;
    return r;
}

/* The least and the most of the block's keys.  Items that do not count are left out. */
template <class K> struct key_range {
    K least_of[32], most_of[32];        /* of each warp */
    K low, high;

    __device__ void find(K least, K most)   /* all threads; the range is in shared memory */
    {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        const auto reduce = [&]() {
#pragma unroll
            for (int d = 16; d > 0; d >>= 1) {
                const K a = __shfl_xor_sync(ALL_LANES, least, d), b = __shfl_xor_sync(ALL_LANES, most, d);
                least = a < least ? a : least;
                most = b > most ? b : most;
            }
        };
        __syncthreads();
        reduce();
        if (lane == 0) {
            least_of[warp] = least;
            most_of[warp] = most;
        }
        __syncthreads();
        if (warp == 0) {
            const bool is = lane < (int)blockDim.x / 32;
            least = is ? least_of[lane] : (K)~(K)0;
            most = is ? most_of[lane] : 0;
            reduce();
            if (lane == 0) {
                low = least;
                high = most;
            }
        }
        __syncthreads();
    }
};

} /* namespace garray__cuda */
#endif
