/* SPDX-License-Identifier: BSD-3-Clause
 * Launches of linear algebra's kernels: a thread for each item, a block for each tile or matrix, or some lanes of a warp for
 * each small matrix. */
#ifndef GARRAY_CUDA_SOLVE_LAUNCH_CUH
#define GARRAY_CUDA_SOLVE_LAUNCH_CUH

#include "cuda/kernel.cuh"
#include "cuda/solve_number.cuh"

namespace garray__cuda {

constexpr int THREADS = GARRAY_CUDA_BLOCK;      /* of a block */
constexpr int SIDE = 32;                        /* of a tile */

__device__ __forceinline__ int64_t this_item() { return (int64_t)blockIdx.x * THREADS + threadIdx.x; }

inline int64_t blocks_for(int64_t n) { return (n + THREADS - 1) / THREADS; }
inline int64_t tiles_of(int64_t rows, int64_t columns) { return (rows + SIDE - 1) / SIDE * ((columns + SIDE - 1) / SIDE); }

inline garray_status launch(const garray__queue *q, const char *what, const void *kernel, int64_t blocks, void **args,
                            int threads = THREADS)
{
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "%s: the batch of matrices is too large for one launch", what);
    return garray__cuda_launch(q, what, kernel, dim3((unsigned)blocks), dim3((unsigned)threads), 0, args);
}

/* The lanes for a matrix whose longer side is n <= 32. */
inline int lanes_for(int64_t n) { return n <= 8 ? 8 : n <= 16 ? 16 : 32; }

/* Warps of a block, so that their tiles fit 48 KiB. */
template <class T> constexpr int WARPS = sizeof(T) == 16 ? 2 : 4;

inline garray_status launch_lanes(const garray__queue *q, const char *what, const void *kernel, int dtype, int lanes,
                                  int64_t batch, void **args)
{
    const int warps = dtype == GARRAY_COMPLEX128 ? WARPS<garray__c128> : WARPS<garray__c64>, per_block = warps * (32 / lanes);
    return launch(q, what, kernel, (batch + per_block - 1) / per_block, args, 32 * warps);
}

} /* namespace garray__cuda */

/* The kernel of a dtype. */
#define GARRAY_CUDA_OF_DTYPE(dtype, kernel)                                                                     \
    ((dtype) == GARRAY_FLOAT32 ? (const void *)kernel<float> : (dtype) == GARRAY_FLOAT64 ? (const void *)kernel<double> \
     : (dtype) == GARRAY_COMPLEX64 ? (const void *)kernel<garray__c64> : (const void *)kernel<garray__c128>)

/* The kernel of a dtype and of 8, 16 or 32 lanes a matrix. */
#define GARRAY_CUDA_OF_LANES(dtype, lanes, kernel)                                                              \
    ((lanes) == 8 ? GARRAY_CUDA_OF_DTYPE_N(dtype, kernel, 8)                                                    \
     : (lanes) == 16 ? GARRAY_CUDA_OF_DTYPE_N(dtype, kernel, 16) : GARRAY_CUDA_OF_DTYPE_N(dtype, kernel, 32))
#define GARRAY_CUDA_OF_DTYPE_N(dtype, kernel, n)                                                                \
    ((dtype) == GARRAY_FLOAT32     ? (const void *)kernel<float, n>                                             \
     : (dtype) == GARRAY_FLOAT64   ? (const void *)kernel<double, n>                                            \
     : (dtype) == GARRAY_COMPLEX64 ? (const void *)kernel<garray__c64, n>                                       \
                                   : (const void *)kernel<garray__c128, n>)

#endif
