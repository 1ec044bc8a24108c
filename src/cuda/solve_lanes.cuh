/* SPDX-License-Identifier: BSD-3-Clause
 * Small matrices spread over the lanes of a warp: on their way through shared memory, and their arithmetic. */
#ifndef GARRAY_CUDA_SOLVE_LANES_CUH
#define GARRAY_CUDA_SOLVE_LANES_CUH

#include "cuda/solve_launch.cuh"

namespace garray__cuda {

constexpr unsigned ALL = 0xffffffffu;

template <class T> __device__ __forceinline__ T from_lane(T x, int lane, int width)
{
    if constexpr (IS_COMPLEX<T>)
        return T{__shfl_sync(ALL, x.re, lane, width), __shfl_sync(ALL, x.im, lane, width)};
    else
        return __shfl_sync(ALL, x, lane, width);
}

/* The matrices of a warp, rows x n from item `first` on, between memory, in its order, and tiles. */
template <class T, int N>
__device__ __forceinline__ void read_tiles(T (*tiles)[N][N + 1], const T *a, int64_t first, int64_t batch, int rows, int n)
{
    const int lane = threadIdx.x & 31, size = rows * n;
    for (int m = 0; m < 32 / N; m++)
        if (first + m < batch)
            for (int e = lane; e < size; e += 32)
                (n == N ? tiles[m][e / N][e % N] : tiles[m][e / n][e % n]) = a[(first + m) * size + e];
}

template <class T, int N>
__device__ __forceinline__ void write_tiles(T *out, const T (*tiles)[N][N + 1], int64_t first, int64_t batch, int rows, int n)
{
    const int lane = threadIdx.x & 31, size = rows * n;
    for (int m = 0; m < 32 / N; m++)
        if (first + m < batch)
            for (int e = lane; e < size; e += 32)
                out[(first + m) * size + e] = n == N ? tiles[m][e / N][e % N] : tiles[m][e / n][e % n];
}

/* c - a conj(b) */
template <class T> __device__ __forceinline__ T subtract_product(T c, T a, T b)
{
    if constexpr (IS_COMPLEX<T>)
        return T{fma(-a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(-a.im, b.re, c.im))};
    else
        return fma(-a, b, c);
}

template <class T> __device__ __forceinline__ T divide(T a, T b)
{
    if constexpr (IS_COMPLEX<T>) {
        if (fabs(b.re) >= fabs(b.im)) { /* Smith's way: no square overflows */
            const auto r = b.im / b.re, d = fma(b.im, r, b.re);
            return T{fma(a.im, r, a.re) / d, fma(-a.re, r, a.im) / d};
        }
        const auto r = b.re / b.im, d = fma(b.re, r, b.im);
        return T{fma(a.re, r, a.im) / d, fma(a.im, r, -a.re) / d};
    } else {
        return a / b;
    }
}

/* What pivots are chosen by; a NaN counts as infinity, so that all lanes choose alike. */
template <class T> __device__ __forceinline__ typename number<T>::Real pivot_weight(T x)
{
    typename number<T>::Real w;
    if constexpr (IS_COMPLEX<T>)
        w = fabs(x.re) + fabs(x.im);
    else
        w = fabs(x);
    return isnan(w) ? (typename number<T>::Real)INFINITY : w;
}

} /* namespace garray__cuda */

#endif
