/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics of short and middling rows, and the steps around them. */
#include "cuda/kernel.cuh"
#include "cuda/pick.h"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, WARPS = THREADS / 32;

/* ---- a row in the registers of a warp ---- */
/* The k-th key is the highest number that at most k keys are below; it is found bit by bit.  What pads the row is all
 * ones, which is below nothing. */
template <class K, int PER> __global__ void __launch_bounds__(THREADS) pick_warp(const __grid_constant__ garray__pick_args a)
{
    const int lane = threadIdx.x & 31;
    const int64_t warps = (int64_t)gridDim.x * WARPS;
    for (int64_t row = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5); row < a.rows; row += warps) {
        K key[PER];
#pragma unroll
        for (int m = 0; m < PER; m++) {
            const int i = m * 32 + lane;
            key[m] = i < a.n ? (K)total_item(a.order, a.size, a.in, row * a.n + i) : (K)~(K)0;
        }
        for (int j = 0; j < a.nkth; j++) {
            const int k = (int)a.kth[j];
            K found = 0;
            for (int bit = 8 * a.size - 1; bit >= 0; bit--) {
                const K tried = found | (K)1 << bit;
                int below = 0;
#pragma unroll
                for (int m = 0; m < PER; m++)
                    below += __popc(__ballot_sync(0xffffffffu, key[m] < tried));
                found = below <= k ? tried : found;
            }
            if (lane == 0)
                a.keys[row * a.nkth + j] = found;
        }
    }
}

/* ---- a row by a block ---- */
/* Digit by digit from the top, over the items that agree with the digits found; each warp counts for itself. */
__global__ void __launch_bounds__(THREADS) pick_block(const __grid_constant__ garray__pick_args a)
{
    __shared__ uint32_t bins[WARPS][256];
    __shared__ uint64_t prefix, rank;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    if (a.state && !a.state->failed)
        return;
    for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
        const int64_t base = row * a.n;
        for (int j = a.first; j < a.first + a.ranks; j++) {
            __syncthreads();
            if (thread == 0) {
                prefix = 0;
                rank = (uint64_t)a.kth[j];
            }
            for (int shift = 8 * a.size - 8; shift >= 0; shift -= 8) {
                for (int w = 0; w < WARPS; w++)
                    bins[w][thread] = 0;
                __syncthreads();
                const uint64_t agreed = prefix;
                for (int64_t i = thread; i < a.n; i += THREADS) {
                    const uint64_t rest = (total_item(a.order, a.size, a.in, base + i) ^ agreed) >> shift;
                    if (rest < 256)
                        atomicAdd(&bins[warp][rest], 1u);
                }
                __syncthreads();
                if (warp == 0) {
                    uint64_t count[8], sum = 0;
#pragma unroll
                    for (int b = 0; b < 8; b++) {
                        count[b] = 0;
                        for (int w = 0; w < WARPS; w++)
                            count[b] += bins[w][8 * lane + b];
                        sum += count[b];
                    }
                    uint64_t before = sum;
                    for (int d = 1; d < 32; d <<= 1) {
                        const uint64_t other = __shfl_up_sync(0xffffffffu, before, d);
                        if (lane >= d)
                            before += other;
                    }
                    before -= sum;
                    const uint64_t wanted = rank;
                    __syncwarp();
                    if (before <= wanted && wanted < before + sum) {        /* one lane */
                        int b = 0;
                        while (before + count[b] <= wanted)
                            before += count[b++];
                        prefix = agreed | (uint64_t)(8 * lane + b) << shift;
                        rank = wanted - before;
                    }
                }
                __syncthreads();
            }
            if (thread == 0)
                a.keys[row * a.nkth + j] = prefix;
        }
    }
}

/* ---- steps ---- */
__global__ void __launch_bounds__(THREADS) pick_values(const __grid_constant__ garray__pick_args a)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.rows * a.nkth)
        return;
    const uint64_t key = a.keys[i];
    /* a NaN's key is all ones: any NaN does, and this one has all bits but the sign */
    const bool nan = a.order.nans != 0 && key == (~0ull >> (64 - 8 * a.size));
    const uint64_t quiet = a.order.top - 1;
    switch (a.size) {
    case 1: ((uint8_t *)a.values)[i] = number_of_key<uint8_t>(a.order, (uint8_t)key); break;
    case 2: ((uint16_t *)a.values)[i] = nan ? (uint16_t)quiet : number_of_key<uint16_t>(a.order, (uint16_t)key); break;
    case 4: ((uint32_t *)a.values)[i] = nan ? (uint32_t)quiet : number_of_key<uint32_t>(a.order, (uint32_t)key); break;
    default: ((uint64_t *)a.values)[i] = nan ? quiet : number_of_key<uint64_t>(a.order, key); break;
    }
}

__global__ void __launch_bounds__(THREADS) pick_groups(const __grid_constant__ garray__pick_args a)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.rows * a.n)
        return;
    const int64_t row = i / a.n;
    const uint64_t key = total_item(a.order, a.size, a.in, i), *limit = a.keys + row * a.nkth;
    uint32_t group = 0;
    for (int j = 0; j < a.nkth; j++)
        group += (key >= limit[j]) + (key > limit[j]);
    a.groups[i] = (uint32_t)row * (uint32_t)(2 * a.nkth + 1) + group;
    a.places[i] = (uint32_t)i;
}

template <class K> const void *warp_kernel(int64_t n)
{
    return n <= 32    ? (const void *)pick_warp<K, 1>
           : n <= 64  ? (const void *)pick_warp<K, 2>
           : n <= 128 ? (const void *)pick_warp<K, 4>
           : n <= 256 ? (const void *)pick_warp<K, 8>
           : n <= 512 ? (const void *)pick_warp<K, 16>
                      : (const void *)pick_warp<K, 32>;
}

} /* namespace */

extern "C" garray_status garray__cuda_pick_step(const garray__queue *q, garray__pick_step step, const garray__pick_args *args)
{
    garray__pick_args a = *args;
    void *list[] = {&a};
    const void *kernel = NULL;
    int64_t blocks = 1;
    switch (step) {
    case GARRAY__PICK_WARP:
        kernel = a.size == 8 ? warp_kernel<uint64_t>(a.n) : warp_kernel<uint32_t>(a.n);
        blocks = (a.rows + WARPS - 1) / WARPS;
        blocks = blocks < 1 << 20 ? blocks : 1 << 20;
        break;
    case GARRAY__PICK_BLOCK:
        kernel = (const void *)pick_block;
        blocks = a.rows < 1 << 20 ? a.rows : 1 << 20;
        break;
    case GARRAY__PICK_SAMPLE: return garray__cuda_pick_sample(q, args);
    case GARRAY__PICK_NARROW: return garray__cuda_pick_narrow(q, args);
    case GARRAY__PICK_VALUES:
        kernel = (const void *)pick_values;
        blocks = (a.rows * a.nkth + THREADS - 1) / THREADS;
        break;
    case GARRAY__PICK_GROUPS:
        kernel = (const void *)pick_groups;
        blocks = (a.rows * a.n + THREADS - 1) / THREADS;
        break;
    }
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "partition of %lld rows of %lld items is too large for one "
                                       "launch", (long long)a.rows, (long long)a.n);
    return garray__cuda_launch(q, "partition", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}
