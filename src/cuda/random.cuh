/* SPDX-License-Identifier: BSD-3-Clause
 * How kernels of random draws go over Philox blocks and store what these give. */
#ifndef GARRAY_CUDA_RANDOM_CUH
#define GARRAY_CUDA_RANDOM_CUH

#include "core/philox.h"
#include "cuda/dtype.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

namespace garray__cuda {

constexpr int BLOCK = GARRAY_CUDA_BLOCK;
constexpr int DRAWS = GARRAY_CUDA_DRAWS;

struct draws {
    garray_random_plan plan;
    uint64_t least;                     /* INTEGERS: what rejects a draw */
    int32_t aligned, reserved;          /* a block's results can be stored at once */
    garray__late *late;                 /* for parameters out of range; NULL where they are numbers */
};

template <class T, int N> __device__ __forceinline__ pack<N * sizeof(T)> pack_of(const T (&x)[N])
{
    pack<N * sizeof(T)> v = zero_pack<N * sizeof(T)>();
#pragma unroll
    for (int e = 0; e < N; e++)
        set_item(v, e, x[e]);
    return v;
}

/* 32 bytes of each thread of a warp; neighbours exchange halves, so that a store of the warp has no gaps. */
__device__ __forceinline__ void store_pairs(char *p, const pack<32> &v)
{
    const bool odd = threadIdx.x & 1;
    pack<16> first, second;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t other = __shfl_xor_sync(0xffffffffu, odd ? v.w[i] : v.w[4 + i], 1);
        first.w[i] = odd ? other : v.w[i];
        second.w[i] = odd ? v.w[4 + i] : other;
    }
    p += odd ? -16 : 0;
    store_aligned<16>(p, first);
    store_aligned<16>(p + 32, second);
}

/* Where the draws begin: in a graph they move on from launch to launch. */
__device__ __forceinline__ uint64_t position_of(const garray_random_plan &plan)
{
    return plan.moved ? plan.position + __ldg((const unsigned long long *)plan.moved) : plan.position;
}

__device__ __forceinline__ garray__philox philox_of(const draws &d, int64_t block)
{
    return garray__philox_block(d.plan.seed, d.plan.stream, position_of(d.plan) + block, 0);
}

/* Calls make(words, number of the block, x) for the blocks of this thread, BLOCK apart, and stores the N draws of each. */
template <class T, int N, int BLOCKS = DRAWS, class Make> __device__ __forceinline__ void draw(const draws &d, Make make)
{
    const int64_t begin = (int64_t)blockIdx.x * (BLOCK * BLOCKS);
    const uint64_t counter = position_of(d.plan) + (uint64_t)begin;
    const uint32_t low = (uint32_t)counter;
    T *out = (T *)d.plan.out;
    /* the upper word of the counter is that of all threads: what Philox makes of it alone is found once */
    if (d.aligned && (begin + BLOCK * BLOCKS) * N <= d.plan.count && low <= UINT32_MAX - BLOCK * BLOCKS) {
        T *to = out + (begin + (int)threadIdx.x) * N;
#pragma unroll
        for (int k = 0; k < BLOCKS; k++) {
            const uint64_t at = (counter & ~(uint64_t)UINT32_MAX) | (low + (uint32_t)(k * BLOCK + (int)threadIdx.x));
            T x[N];
            make(garray__philox_block(d.plan.seed, d.plan.stream, at, 0), begin + k * BLOCK + (int)threadIdx.x, x);
            if constexpr (N * sizeof(T) <= 16)
                store_aligned<N * sizeof(T)>(to + k * (BLOCK * N), pack_of(x));
            else
                store_pairs((char *)(to + k * (BLOCK * N)), pack_of(x));
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < BLOCKS; k++) {
            const int64_t block = begin + k * BLOCK + (int)threadIdx.x;
            if (block * N >= d.plan.count)
                return;
            T x[N];
            make(philox_of(d, block), block, x);
#pragma unroll
            for (int e = 0; e < N; e++)
                if (block * N + e < d.plan.count)
                    out[block * N + e] = x[e];
        }
    }
}

} /* namespace garray__cuda */
#endif
