/* SPDX-License-Identifier: BSD-3-Clause
 * The numbers of linear algebra: real and complex ones under the same names. */
#ifndef GARRAY_CUDA_SOLVE_NUMBER_CUH
#define GARRAY_CUDA_SOLVE_NUMBER_CUH

#include "cuda/scalar.cuh"

namespace garray__cuda {

template <class T> struct number {
    typedef T Real;
    __device__ static __forceinline__ T zero() { return 0; }
    __device__ static __forceinline__ T of(Real x) { return x; }
    __device__ static __forceinline__ Real real(T x) { return x; }
    __device__ static __forceinline__ bool finite(T x) { return isfinite(x); }
    __device__ static __forceinline__ Real size(T x) { return fabs(x); }
    /* What a vector is multiplied by so that its component x, of absolute value size, becomes real and positive. */
    __device__ static __forceinline__ T factor(T x, Real) { return x < 0 ? (T)-1 : (T)1; }
    __device__ static __forceinline__ T turn(T x, T factor) { return x * factor; }
};

/* The vectors are those of the conjugate matrix: turn() conjugates. */
template <class T> struct complex_number {
    typedef decltype(T::re) Real;
    __device__ static __forceinline__ T zero() { return T{0, 0}; }
    __device__ static __forceinline__ T of(Real x) { return T{x, 0}; }
    __device__ static __forceinline__ Real real(T x) { return x.re; }
    __device__ static __forceinline__ bool finite(T x) { return isfinite(x.re) && isfinite(x.im); }
    __device__ static __forceinline__ Real size(T x) { return (Real)hypot((double)x.re, (double)x.im); }
    __device__ static __forceinline__ T factor(T x, Real size)
    {
        return size > 0 ? T{x.re / size, x.im / size} : T{1, 0};
    }
    __device__ static __forceinline__ T turn(T x, T f)
    {
        const Real a = x.re * f.im, b = x.im * f.re, im = a - b;
        const bool is_real = fabs(im) <= (sizeof(Real) == 4 ? (Real)0x1p-22 : (Real)0x1p-50) * (fabs(a) + fabs(b));
        return T{x.re * f.re + x.im * f.im, is_real ? (Real)0 : im};    /* what lies on the real axis but for rounding */
    }
};

template <> struct number<garray__c64> : complex_number<garray__c64> {};
template <> struct number<garray__c128> : complex_number<garray__c128> {};

/* The kernel of a dtype. */
#define GARRAY_CUDA_OF_DTYPE(dtype, kernel)                                                                     \
    ((dtype) == GARRAY_FLOAT32 ? (const void *)kernel<float> : (dtype) == GARRAY_FLOAT64 ? (const void *)kernel<double> \
     : (dtype) == GARRAY_COMPLEX64 ? (const void *)kernel<garray__c64> : (const void *)kernel<garray__c128>)

} /* namespace garray__cuda */

#endif
