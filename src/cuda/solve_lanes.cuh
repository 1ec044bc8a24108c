/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic of small matrices whose rows are spread over the lanes of a warp, real and complex alike. */
#ifndef GARRAY_CUDA_SOLVE_LANES_CUH
#define GARRAY_CUDA_SOLVE_LANES_CUH

#include "cuda/solve.h"
#include "cuda/solve_number.cuh"

namespace garray__cuda {

constexpr unsigned ALL = 0xffffffffu;

/* Warps of a block, so that their tiles fit 48 KiB. */
template <class T> constexpr int WARPS = sizeof(T) == 16 ? 2 : 4;

template <class T> __device__ __forceinline__ T from_lane(T x, int lane, int width)
{
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real))
        return T{__shfl_sync(ALL, x.re, lane, width), __shfl_sync(ALL, x.im, lane, width)};
    else
        return __shfl_sync(ALL, x, lane, width);
}

template <class T> __device__ __forceinline__ T conjugate(T x)
{
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real))
        x.im = -x.im;
    return x;
}

template <class T> __device__ __forceinline__ T scale(T x, typename number<T>::Real s)
{
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real))
        return T{x.re * s, x.im * s};
    else
        return x * s;
}

/* c - a conj(b) */
template <class T> __device__ __forceinline__ T subtract_product(T c, T a, T b)
{
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real))
        return T{fma(-a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(-a.im, b.re, c.im))};
    else
        return fma(-a, b, c);
}

template <class T> __device__ __forceinline__ T divide(T a, T b)
{
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real)) {
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
template <class T> __device__ __forceinline__ typename number<T>::Real weight(T x)
{
    typename number<T>::Real w;
    if constexpr (sizeof(T) > sizeof(typename number<T>::Real))
        w = fabs(x.re) + fabs(x.im);
    else
        w = fabs(x);
    return isnan(w) ? (typename number<T>::Real)INFINITY : w;
}

} /* namespace garray__cuda */

#endif
