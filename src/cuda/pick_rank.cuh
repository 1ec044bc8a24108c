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
/* Counters of one search: three, so that one barrier a step is enough. */
struct rank_room {
    uint32_t count[3];
};

/* What a search found: no more than the wanted rank of the items are below `found`, of which `under` are, and more than that
 * below `above`, of which `over` are.  exact: above is found + 1 (it may not fit K), and found is that rank's key; otherwise
 * above may be 0: beyond all keys. */
template <class K> struct rank_found {
    K found, above;
    uint32_t under, over;
    bool exact;
};

/* How many of `count` keys are below t.  The borrow of a difference is counted: two instructions a key, where a comparison and
 * a sum make three. */
template <int COUNT> __device__ __forceinline__ uint32_t count_below(const uint32_t (&key)[COUNT], uint32_t t)
{
    uint32_t n[2] = {0, 0};
#pragma unroll
    for (int m = 0; m < COUNT; m++)
        asm("{ .reg .u32 lost; sub.cc.u32 lost, %1, %2; subc.u32 %0, %0, 0; }" : "+r"(n[m % 2]) : "r"(key[m]), "r"(t));
    return 0u - (n[0] + n[1]);
}

template <int COUNT> __device__ __forceinline__ uint32_t count_below(const uint64_t (&key)[COUNT], uint64_t t)
{
    uint32_t n = 0;
#pragma unroll
    for (int m = 0; m < COUNT; m++)
        n += key[m] < t;
    return n;
}

/* Searches the block's `all` keys, which agree with `floor` above their low `bits` bits, for a rank.  below(t): how many of
 * the thread's own are below t.  slack > 0: the search may stop when no more items than that are left between. */
template <class K, class Below>
__device__ rank_found<K> block_rank(rank_room &room, int bits, K floor, uint32_t rank, uint32_t all, uint32_t slack,
                                    const Below &below)
{
    rank_found<K> r = {floor, 0, 0, all, false};
    int step = 0, bit = bits - 1;
    __syncthreads();
    if (threadIdx.x == 0)
        room.count[0] = room.count[1] = room.count[2] = 0;
    __syncthreads();
    for (; bit >= 0 && (slack == 0 || r.over - r.under > slack); bit--) {
        const K tried = r.found | (K)1 << bit;
        const uint32_t mine = warp_sum(below(tried));
        if ((threadIdx.x & 31) == 0 && mine > 0)
            atomicAdd(&room.count[step], mine);
        if (threadIdx.x == 0)
            room.count[step == 2 ? 0 : step + 1] = 0;
        __syncthreads();
        const uint32_t n = room.count[step];
        step = step == 2 ? 0 : step + 1;
        if (n <= rank) {
            r.found = tried;
            r.under = n;
        } else {
            r.above = tried;
            r.over = n;
        }
    }
    r.exact = bit < 0;
    return r;
}

/* How many low bits the block's keys differ in, and what is above them.  Items that do not count are left out. */
template <class K> struct key_range {
    K least_of[32], most_of[32];        /* of each warp */
    unsigned long long low, high;

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
    __device__ int bits() const { return high > low ? 64 - __clzll((long long)(low ^ high)) : 0; }
    __device__ K floor() const
    {
        const int n = bits();
        return (K)(n < 64 ? low >> n << n : 0);
    }
};

} /* namespace garray__cuda */
#endif
