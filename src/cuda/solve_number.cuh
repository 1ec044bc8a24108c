/* SPDX-License-Identifier: BSD-3-Clause
 * The numbers of linear algebra: real and complex ones under the same names. */
#ifndef GARRAY_CUDA_SOLVE_NUMBER_CUH
#define GARRAY_CUDA_SOLVE_NUMBER_CUH

#include "core/determinant.h"
#include "core/phase.h"
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

template <class T> constexpr bool IS_COMPLEX = sizeof(T) > sizeof(typename number<T>::Real);

template <class T> __device__ __forceinline__ T conjugate(T x)
{
    if constexpr (IS_COMPLEX<T>)
        x.im = -x.im;
    return x;
}

template <class T> __device__ __forceinline__ T scaled(T x, typename number<T>::Real s)
{
    if constexpr (IS_COMPLEX<T>)
        return T{x.re * s, x.im * s};
    else
        return x * s;
}

/* x times 2^exponent */
template <class T> __device__ __forceinline__ T shifted(T x, int exponent)
{
    if constexpr (IS_COMPLEX<T>)
        return T{scalbn(x.re, exponent), scalbn(x.im, exponent)};
    else
        return scalbn(x, exponent);
}

/* x times what garray__phase() found for its vector. */
template <class T> __device__ __forceinline__ T turned(T x, double re, double im)
{
    if constexpr (IS_COMPLEX<T>) {
        double a = x.re, b = x.im;
        garray__phase_turn(&a, &b, re, im, sizeof(T) == 8 ? 0x1p-22 : 0x1p-50);
        return T{(decltype(x.re))a, (decltype(x.re))b};
    } else {
        return x * (T)re;
    }
}

/* Multiplies a determinant by a pivot; kept: its row had its place. */
template <class T> __device__ __forceinline__ void times_pivot(garray__scaled *s, T pivot, bool kept)
{
    const double sign = kept ? 1 : -1;
    if constexpr (IS_COMPLEX<T>)
        garray__scaled_multiply(s, sign * pivot.re, sign * pivot.im, true);
    else
        garray__scaled_multiply(s, sign * pivot, 0, false);
}

/* The determinant to out; or its sign there, and its logarithm. */
template <class T>
__device__ __forceinline__ void store_determinant(const garray__scaled &s, T *out, typename number<T>::Real *logarithm)
{
    typedef typename number<T>::Real Real;
    double re, im, l;
    if (logarithm) {
        garray__scaled_log(&s, &re, &im, &l);
        *logarithm = (Real)l;
    } else {
        garray__scaled_value(&s, &re, &im);
    }
    if constexpr (IS_COMPLEX<T>)
        *out = T{(Real)re, (Real)im};
    else
        *out = (Real)re;
}

} /* namespace garray__cuda */

#endif
