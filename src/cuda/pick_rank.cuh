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

/* Which item of `count`, of at least `samples`, stands for the i-th of so many stretches: one at random, always the same. */
__device__ __forceinline__ uint64_t sampled_item(uint64_t i, uint64_t count, uint64_t samples)
{
    const uint64_t begin = i * count / samples, end = (i + 1) * count / samples;
    return begin + mix(i + 1) % (end - begin);
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
    unsigned long long low, high;

    __device__ void begin()             /* all threads; the range is in shared memory */
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            low = ~0ull;
            high = 0;
        }
        __syncthreads();
    }
    __device__ void add(K least, K most)
    {
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const K a = __shfl_xor_sync(ALL_LANES, least, d), b = __shfl_xor_sync(ALL_LANES, most, d);
            least = a < least ? a : least;
            most = b > most ? b : most;
        }
        if ((threadIdx.x & 31) == 0) {
            atomicMin(&low, (unsigned long long)least);
            atomicMax(&high, (unsigned long long)most);
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
