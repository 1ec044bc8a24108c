/* SPDX-License-Identifier: BSD-3-Clause
 * The arithmetic of scans: a wide running state, an item taken in, two states merged, and the rounded prefix. */
#ifndef GARRAY_CUDA_SCAN_OPS_CUH
#define GARRAY_CUDA_SCAN_OPS_CUH

#include "cuda/scalar.cuh"
#include "cuda/wide.cuh"

namespace garray__cuda {

/* Sums start with -0: -0 + x is x for every x, so that a sum of -0 alone stays -0. */
__device__ __forceinline__ void scan_nothing(double &s) { s = -0.0; }
__device__ __forceinline__ void scan_nothing(pair &s) { s.hi = -0.0, s.lo = 0; }
__device__ __forceinline__ double scan_value(double s) { return s; }
__device__ __forceinline__ double scan_value(const pair &s) { return s.lo != 0 ? wide_value(s) : s.hi; }

/* Integers wrap at their own width, whatever their sign: one operation per width.  A bool is true where the sum or
 * product is not 0. */
template <class T, bool PROD> struct scan_integer {
    typedef T In;
    typedef uint64_t State;
    __device__ static __forceinline__ State empty() { return PROD ? 1 : 0; }
    __device__ static __forceinline__ void merge(State &s, State t) { s = PROD ? s * t : s + t; }
    __device__ static __forceinline__ void take(State &s, T v) { merge(s, v); }
    __device__ static __forceinline__ T value(State s, bool boolean) { return boolean ? (T)(s != 0) : (T)s; }
};

template <class T> struct scan_real_sum {
    typedef T In;
    typedef typename wide_of<T>::type State;
    __device__ static __forceinline__ State empty()
    {
        State s;
        scan_nothing(s);
        return s;
    }
    __device__ static __forceinline__ void merge(State &s, const State &t) { wide_add(s, t); }
    __device__ static __forceinline__ void take(State &s, T v) { wide_add(s, (double)value_of(v)); }
    __device__ static __forceinline__ T value(const State &s, bool) { return store_as<T>(scan_value(s)); }
};

template <class T> struct scan_real_product {
    typedef T In;
    typedef double State;
    __device__ static __forceinline__ State empty() { return 1; }
    __device__ static __forceinline__ void merge(State &s, State t) { s *= t; }
    __device__ static __forceinline__ void take(State &s, T v) { s *= (double)value_of(v); }
    __device__ static __forceinline__ T value(State s, bool) { return store_as<T>(s); }
};

template <class T> struct scan_complex_sum {
    typedef T In;
    typedef decltype(T::re) Real;
    typedef typename wide_of<Real>::type Part;
    struct State { Part re, im; };
    __device__ static __forceinline__ State empty()
    {
        State s;
        scan_nothing(s.re);
        scan_nothing(s.im);
        return s;
    }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        wide_add(s.re, t.re);
        wide_add(s.im, t.im);
    }
    __device__ static __forceinline__ void take(State &s, T v)
    {
        wide_add(s.re, (double)v.re);
        wide_add(s.im, (double)v.im);
    }
    __device__ static __forceinline__ T value(const State &s, bool)
    {
        return T{(Real)scan_value(s.re), (Real)scan_value(s.im)};
    }
};

template <class T> struct scan_complex_product {
    typedef T In;
    typedef decltype(T::re) Real;
    typedef garray__c128 State;
    __device__ static __forceinline__ State empty() { return State{1, 0}; }
    __device__ static __forceinline__ void merge(State &s, const State &t)
    {
        const double re = s.re * t.re - s.im * t.im, im = s.re * t.im + s.im * t.re;
        s.re = re, s.im = im;
    }
    __device__ static __forceinline__ void take(State &s, T v) { merge(s, State{(double)v.re, (double)v.im}); }
    __device__ static __forceinline__ T value(const State &s, bool) { return T{(Real)s.re, (Real)s.im}; }
};

} /* namespace garray__cuda */
#endif
