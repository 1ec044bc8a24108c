/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky factors of many small matrices, up to 32 x 32, by lanes of a warp.  Matrices are read and written in the order
 * of memory, through a tile of shared memory. */
#include "cuda/solve.h"
#include "cuda/solve_lanes.cuh"

using namespace garray__cuda;

namespace {

/* N lanes for a matrix, each of which has a row of the lower triangle in registers; 32 / N matrices a warp.  upper: the
 * triangle that is read, and the factor, is the conjugate transpose. */
template <class T, int N>
__global__ void __launch_bounds__(32 * WARPS<T>) small_cholesky(const T *a, T *out, int n, int64_t batch, int upper, int *info)
{
    typedef typename number<T>::Real Real;
    __shared__ T tiles[WARPS<T>][32 / N][N][N + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane % N;
    const int64_t first = ((int64_t)blockIdx.x * WARPS<T> + warp) * (32 / N);
    read_tiles<T, N>(tiles[warp], a, first, batch, n, n);
    __syncwarp();

    T(&tile)[N][N + 1] = tiles[warp][lane / N];
    T x[N];
    int fault = 0;
#pragma unroll
    for (int j = 0; j < N; j++)
        x[j] = j > row || row >= n ? number<T>::zero() : upper ? conjugate(tile[j][row]) : tile[row][j];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < N; k++)
        if (k < n) {
            const Real pivot = __shfl_sync(ALL, number<T>::real(x[k]), k, N);
            /* an infinity or a NaN anywhere in the triangle reaches a pivot */
            if (!(pivot > 0 && pivot <= (sizeof(Real) == 4 ? (Real)3.4028234663852886e38 : (Real)1.7976931348623157e308)) &&
                fault == 0)
                fault = k + 1;
            const Real root = sqrt(pivot);
            x[k] = row == k ? number<T>::of(root) : scaled(x[k], 1 / root);
#pragma unroll
            for (int j = k + 1; j < N; j++)
                if (j < n)
                    x[j] = subtract_product(x[j], x[k], from_lane(x[k], j, N));
        }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (row < n && j < n) {
            const T v = j <= row ? x[j] : number<T>::zero();
            if (upper)
                tile[j][row] = conjugate(v);
            else
                tile[row][j] = v;
        }
    if (row == 0 && first + lane / N < batch)
        info[first + lane / N] = fault;
    __syncwarp();
    write_tiles<T, N>(out, tiles[warp], first, batch, n, n);
}

} /* namespace */

extern "C" {

garray_status garray__cuda_small_cholesky(const garray__queue *q, int dtype, const void *a, void *out, int64_t n, int64_t batch,
                                          bool upper, int *info)
{
    int size = (int)n, up = upper;
    void *args[] = {&a, &out, &size, &batch, &up, &info};
    const int lanes = lanes_for(n);
    return launch_lanes(q, "cholesky", GARRAY_CUDA_OF_LANES(dtype, lanes, small_cholesky), dtype, lanes, batch, args);
}

} /* extern "C" */
