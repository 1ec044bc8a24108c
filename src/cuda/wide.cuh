/* SPDX-License-Identifier: BSD-3-Clause
 * Wide sums: double for floats of up to 32 bits, an unevaluated pair of doubles (two-sum, Knuth) for doubles and
 * 64-bit integers.  Needs -fmad=false: a contracted two-sum is wrong. */
#ifndef GARRAY_CUDA_WIDE_CUH
#define GARRAY_CUDA_WIDE_CUH

#include "cuda/scalar.cuh"

namespace garray__cuda {

struct pair { double hi, lo; };

template <class T> struct wide_of { typedef double type; };
template <> struct wide_of<double> { typedef pair type; };
template <> struct wide_of<int64_t> { typedef pair type; };
template <> struct wide_of<uint64_t> { typedef pair type; };

template <class W> __device__ __forceinline__ W wide_zero() { return W(); }

__device__ __forceinline__ void wide_add(double &s, double x) { s += x; }

__device__ __forceinline__ void wide_add(pair &s, double x)
{
    const double sum = s.hi + x, part = sum - s.hi;
    s.lo += (s.hi - (sum - part)) + (x - part);
    s.hi = sum;
}

__device__ __forceinline__ void wide_add(pair &s, const pair &x)
{
    wide_add(s, x.hi);
    s.lo += x.lo;
}

__device__ __forceinline__ void wide_add_square(double &s, double d) { s += d * d; }

__device__ __forceinline__ void wide_add_square(pair &s, double d)
{
    const double square = d * d;
    s.lo += fma(d, d, -square);
    wide_add(s, square);
}

__device__ __forceinline__ double wide_value(double s) { return s; }

/* An infinity or NaN in hi leaves NaN in lo. */
__device__ __forceinline__ double wide_value(pair s) { return isfinite(s.hi) ? s.hi + s.lo : s.hi; }

__device__ __forceinline__ double wide_quotient(double s, double n) { return s / n; }

__device__ __forceinline__ double wide_quotient(pair s, double n)
{
    const double q = wide_value(s) / n;
    if (!isfinite(q) || n == 0)
        return q;
    const double rest = fma(-q, n, s.hi) + s.lo;
    return q + rest / n;
}

/* square - sum * sum / n: the second moment about the mean. */
__device__ __forceinline__ double wide_moment(double square, double sum, double n) { return square - sum * (sum / n); }

__device__ __forceinline__ double wide_moment(pair square, pair sum, double n)
{
    if (!isfinite(square.hi))           /* finite items whose squares are too large, or an infinity or a NaN among them */
        return isfinite(sum.hi) ? square.hi : NAN;
    const double hi = sum.hi + sum.lo, lo = (sum.hi - hi) + sum.lo;
    const double p = hi * hi, e = fma(hi, hi, -p) + 2 * hi * lo;
    const double q = p / n, r = (fma(-q, n, p) + e) / n;
    return (square.hi - q) + (square.lo - r);
}

/* Never negative; divides by n - correction, or by 0 where that is negative, as NumPy does. */
__device__ __forceinline__ double variance_of(double moment, double n, double correction)
{
    const double divisor = n - correction;
    return (moment < 0 ? 0 : moment) / (divisor > 0 ? divisor : 0);
}

} /* namespace garray__cuda */
#endif
