/* SPDX-License-Identifier: BSD-3-Clause
 * Many small matrices, up to 32 x 32: Cholesky by lanes of a warp, and the steps before and after cuSOLVER's batched Jacobi
 * eigensolver, a warp for each matrix.  All of them read and write matrices in the order of
 * memory, through a tile of shared memory. */
#include "cuda/kernel.cuh"
#include "cuda/solve.h"
#include "cuda/solve_lanes.cuh"
#include "core/phase.h"

using namespace garray__cuda;

namespace {

/* N lanes for a matrix, each of which has a row of the lower triangle in registers; 32 / N matrices a warp.  upper: the
 * triangle that is read, and the factor, is the conjugate transpose. */
template <class T, int N>
__global__ void __launch_bounds__(32 * WARPS<T>) small_cholesky(const T *a, T *out, int n, int64_t batch, int upper, int *info)
{
    typedef typename number<T>::Real Real;
    __shared__ T tiles[WARPS<T>][32 / N][N][N + 1];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane % N, size = n * n;
    const int64_t first = ((int64_t)blockIdx.x * WARPS<T> + warp) * (32 / N);
    for (int m = 0; m < 32 / N; m++)
        if (first + m < batch)
            for (int e = lane; e < size; e += 32)
                (n == N ? tiles[warp][m][e / N][e % N] : tiles[warp][m][e / n][e % n]) = a[(first + m) * size + e];
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
            x[k] = row == k ? number<T>::of(root) : scale(x[k], 1 / root);
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
    for (int m = 0; m < 32 / N; m++)
        if (first + m < batch)
            for (int e = lane; e < size; e += 32)
                out[(first + m) * size + e] = n == N ? tiles[warp][m][e / N][e % N] : tiles[warp][m][e / n][e % n];
}

/* Copies a matrix, or the identity for one whose read triangle has an infinity or a NaN; bad says which. */
template <class T>
__global__ void __launch_bounds__(128) small_begin(const T *a, T *copy, int n, int64_t batch, int upper, int *bad)
{
    const int lane = threadIdx.x & 31, size = n * n;
    const int64_t item = (int64_t)blockIdx.x * 4 + (threadIdx.x >> 5);
    if (item >= batch)
        return;
    a += item * size;
    copy += item * size;
    bool wrong = false;
    for (int e = lane; e < size; e += 32) {
        const int row = e / n, column = e - row * n;
        wrong |= (upper ? row <= column : row >= column) && !number<T>::finite(a[e]);
    }
    wrong = __any_sync(ALL, wrong);
    for (int e = lane; e < size; e += 32)
        copy[e] = wrong ? number<T>::of(e / n == e % n) : a[e];
    if (lane == 0)
        bad[item] = wrong;
}

/* vectors: of the conjugate matrix, one after the other; they become columns of a, turned by the rule of
 * phase.h. */
template <class T>
__global__ void __launch_bounds__(32 * WARPS<T>)
small_finish(const T *vectors, T *a, typename number<T>::Real *w, int n, int64_t batch, const int *bad, int *info)
{
    typedef typename number<T>::Real Real;
    __shared__ T tiles[WARPS<T>][32][33];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, size = n * n;
    const int64_t item = (int64_t)blockIdx.x * WARPS<T> + warp;
    if (item >= batch)
        return;
    const bool wrong = bad[item] != 0;
    if (wrong && lane < n)
        w[item * n + lane] = (Real)NAN;
    if (wrong && lane == 0)
        info[item] = 1;
    if (!vectors)
        return;
    T(&tile)[32][33] = tiles[warp];
    for (int e = lane; e < size; e += 32)
        tile[e / n][e % n] = vectors[item * size + e];
    __syncwarp();
    if (lane < n) {                     /* a lane for each vector */
        Real best = 0;
        int place = n - 1;
        for (int c = 0; c < n; c++)
            best = fmax(best, number<T>::size(tile[lane][c]));
        for (int c = n - 1; c >= 0; c--) {
            const Real s = number<T>::size(tile[lane][c]);
            if (GARRAY__PHASE_NEAR(s * s, best * best))
                place = c;
        }
        const T f = number<T>::factor(tile[lane][place], number<T>::size(tile[lane][place]));
        for (int c = 0; c < n; c++)
            tile[lane][c] = wrong ? number<T>::of((Real)NAN) : number<T>::turn(tile[lane][c], f);
    }
    __syncwarp();
    for (int e = lane; e < size; e += 32)
        a[item * size + e] = tile[e % n][e / n];
}

garray_status launch(const garray__queue *q, const char *what, const void *kernel, int64_t blocks, int threads, void **args)
{
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "%s: the batch of matrices is too large for one launch", what);
    return garray__cuda_launch(q, what, kernel, dim3((unsigned)blocks), dim3((unsigned)threads), 0, args);
}

template <int N> const void *cholesky_of(int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT32: return (const void *)small_cholesky<float, N>;
    case GARRAY_FLOAT64: return (const void *)small_cholesky<double, N>;
    case GARRAY_COMPLEX64: return (const void *)small_cholesky<garray__c64, N>;
    default: return (const void *)small_cholesky<garray__c128, N>;
    }
}

} /* namespace */

extern "C" {

garray_status garray__cuda_small_cholesky(const garray__queue *q, int dtype, const void *a, void *out, int64_t n, int64_t batch,
                                          bool upper, int *info)
{
    int size = (int)n, up = upper;
    void *args[] = {&a, &out, &size, &batch, &up, &info};
    const int lanes = n <= 8 ? 8 : n <= 16 ? 16 : 32, warps = dtype == GARRAY_COMPLEX128 ? 2 : 4;
    const int per_block = warps * (32 / lanes);
    const void *kernel = lanes == 8 ? cholesky_of<8>(dtype) : lanes == 16 ? cholesky_of<16>(dtype) : cholesky_of<32>(dtype);
    return launch(q, "cholesky", kernel, (batch + per_block - 1) / per_block, 32 * warps, args);
}

garray_status garray__cuda_small_begin_eigh(const garray__queue *q, int dtype, const void *a, void *copy, int64_t n,
                                            int64_t batch, bool upper, int *bad)
{
    int size = (int)n, up = upper;
    void *args[] = {&a, &copy, &size, &batch, &up, &bad};
    return launch(q, "eigh", GARRAY_CUDA_OF_DTYPE(dtype, small_begin), (batch + 3) / 4, 128, args);
}

garray_status garray__cuda_small_finish_eigh(const garray__queue *q, int dtype, const void *vectors, void *a, void *w,
                                             int64_t n, int64_t batch, const int *bad, int *info)
{
    int size = (int)n;
    void *args[] = {&vectors, &a, &w, &size, &batch, &bad, &info};
    const int warps = dtype == GARRAY_COMPLEX128 ? 2 : 4;
    return launch(q, "eigh", GARRAY_CUDA_OF_DTYPE(dtype, small_finish), (batch + warps - 1) / warps, 32 * warps, args);
}

} /* extern "C" */
