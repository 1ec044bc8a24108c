/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of weights by bin, the same bits in each run: no atomic additions.  The order depends on the sizes alone, not on the
 * GPU.
 *
 * Few bins: a warp goes through a chunk of the items, 32 at a time, with a table of its own in shared memory; lanes that
 * meet in a bin add one after the other.  Tables are then added warp by warp, block by block.
 * Many bins: the items have been sorted by bin; a warp adds those of one bin. */
#include "cuda/histogram.h"
#include "cuda/kernel.cuh"

using namespace garray__cuda;

namespace {

constexpr unsigned ALL = 0xffffffffu;
constexpr int SEGMENT_WARPS = 8;

__global__ void sums_of_warps(const __grid_constant__ garray__histogram_sums a)
{
    extern __shared__ double tables[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, bins = (int)a.bins;
    double *table = tables + (int64_t)warp * bins;
    for (int b = lane; b < bins; b += 32)
        table[b] = 0;
    __syncwarp();
    const int64_t begin = ((int64_t)blockIdx.x * a.warps + warp) * a.chunk, end = min(begin + a.chunk, a.n);
    for (int64_t i = begin; i < end; i += 32) {
        const bool mine = i + lane < end;
        const int32_t k = mine ? a.bin[i + lane] : -1;
        const double w = k >= 0 ? a.weights[i + lane] : 0;
        const unsigned peers = __match_any_sync(ALL, k);
        const int rank = k >= 0 ? __popc(peers & ((1u << lane) - 1)) : -1;
        for (int turn = 0; __any_sync(ALL, rank >= turn); turn++) {
            if (rank == turn)
                table[k] += w;
            __syncwarp();
        }
    }
    __syncthreads();
    double *partial = a.partial + (int64_t)blockIdx.x * a.bins;
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        double sum = tables[b];
        for (int w = 1; w < a.warps; w++)
            sum += tables[(int64_t)w * bins + b];
        partial[b] = sum;
    }
}

__device__ __forceinline__ double warp_sum(double v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(ALL, v, d);
    return v;
}

/* A warp adds the partial sums of one bin. */
__global__ void __launch_bounds__(32 * SEGMENT_WARPS) sums_of_blocks(const __grid_constant__ garray__histogram_sums a)
{
    const int lane = threadIdx.x & 31;
    const int64_t b = (int64_t)blockIdx.x * SEGMENT_WARPS + (threadIdx.x >> 5);
    if (b >= a.bins)
        return;
    double sum = 0;
    for (int64_t i = lane; i < a.blocks; i += 32)
        sum += a.partial[i * a.bins + b];
    sum = warp_sum(sum);
    if (lane == 0)
        a.sums[b] = sum;
}

/* Where the items of bins from b on begin in their order; those of no bin, -1, come first. */
__device__ int64_t first_of(const garray__histogram_sums &a, int64_t b)
{
    int64_t low = 0, high = a.n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (a.bin[a.order[middle]] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void __launch_bounds__(32 * SEGMENT_WARPS) sums_of_segments(const __grid_constant__ garray__histogram_sums a)
{
    const int lane = threadIdx.x & 31;
    const int64_t b = (int64_t)blockIdx.x * SEGMENT_WARPS + (threadIdx.x >> 5);
    if (b >= a.bins)
        return;
    const long long edge = lane < 2 ? first_of(a, b + lane) : 0;
    const int64_t begin = __shfl_sync(ALL, edge, 0), end = __shfl_sync(ALL, edge, 1);
    double sum = 0;
    for (int64_t i = begin + lane; i < end; i += 32)
        sum += a.weights[a.order[i]];
    sum = warp_sum(sum);
    if (lane == 0)
        a.sums[b] = sum;
}

} /* namespace */

extern "C" garray_status garray__cuda_histogram_few(const garray__queue *q, const garray__histogram_sums *args)
{
    garray__histogram_sums a = *args;
    void *list[] = {&a};
    const size_t shared = (size_t)a.warps * (size_t)a.bins * sizeof(double);
    GARRAY_CUDA_TRY(garray__cuda_launch(q, "histogram", (const void *)sums_of_warps, dim3((unsigned)a.blocks),
                                        dim3(32 * (unsigned)a.warps), shared, list));
    return garray__cuda_launch(q, "histogram", (const void *)sums_of_blocks, grid_for(a.bins, SEGMENT_WARPS),
                               dim3(32 * SEGMENT_WARPS), 0, list);
}

extern "C" garray_status garray__cuda_histogram_many(const garray__queue *q, const garray__histogram_sums *args)
{
    garray__histogram_sums a = *args;
    void *list[] = {&a};
    return garray__cuda_launch(q, "histogram", (const void *)sums_of_segments, grid_for(a.bins, SEGMENT_WARPS),
                               dim3(32 * SEGMENT_WARPS), 0, list);
}
