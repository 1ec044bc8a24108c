/* SPDX-License-Identifier: BSD-3-Clause
 * One-sided Jacobi rotations by lanes of a warp, for svd_small.cu and eigh_small.cu: N lanes for a matrix, 32 / N matrices
 * a warp, a column of it in the registers of each lane.  In step r of a sweep a lane works with lane ^ r, so that N - 1
 * steps meet every pair once. */
#ifndef GARRAY_CUDA_JACOBI_CUH
#define GARRAY_CUDA_JACOBI_CUH

#include "cuda/solve_lanes.cuh"

namespace garray__cuda {

constexpr int SWEEPS = 40;

template <class T> __device__ __forceinline__ T from_pair(T x, int mask)
{
    if constexpr (IS_COMPLEX<T>)
        return T{__shfl_xor_sync(ALL, x.re, mask), __shfl_xor_sync(ALL, x.im, mask)};
    else
        return __shfl_xor_sync(ALL, x, mask);
}

template <class T> __device__ __forceinline__ typename number<T>::Real weight(T x)
{
    if constexpr (IS_COMPLEX<T>)
        return GARRAY__PHASE_WEIGHT(x.re, x.im);
    else
        return x * x;
}

/* sum + |x|^2 */
template <class T> __device__ __forceinline__ typename number<T>::Real add_square(typename number<T>::Real sum, T x)
{
    if constexpr (IS_COMPLEX<T>)
        return fma(x.re, x.re, fma(x.im, x.im, sum));
    else
        return fma(x, x, sum);
}

/* sum + conj(a) b */
template <class T> __device__ __forceinline__ T add_product(T sum, T a, T b)
{
    if constexpr (IS_COMPLEX<T>)
        return T{fma(a.re, b.re, fma(a.im, b.im, sum.re)), fma(a.re, b.im, fma(-a.im, b.re, sum.im))};
    else
        return fma(a, b, sum);
}

/* a x + b y, a and b being c and s of a rotation, one of them perhaps turned */
template <class T> __device__ __forceinline__ T rotate(T a, T x, T b, T y)
{
    if constexpr (IS_COMPLEX<T>)
        return T{fma(a.re, x.re, fma(-a.im, x.im, fma(b.re, y.re, -b.im * y.im))),
                 fma(a.re, x.im, fma(a.im, x.re, fma(b.re, y.im, b.im * y.re)))};
    else
        return fma(a, x, b * y);
}

/* What counts as orthogonal for columns of `rows` numbers, and the square below which one has no direction. */
template <class Real> __device__ __forceinline__ Real jacobi_tolerance(int rows)
{
    return (sizeof(Real) == 4 ? (Real)0x1p-23 : (Real)0x1p-52) * (rows > 8 ? (Real)rows / 2 : (Real)4);
}

template <class Real> __device__ __forceinline__ Real jacobi_tiny()
{
    return sizeof(Real) == 4 ? (Real)0x1p-100 : (Real)0x1p-1000;
}

/* The numbers of a matrix, each by the lane that reads it: whether one is not finite, and the largest part of any. */
template <class T> struct extent {
    typename number<T>::Real most = 0;
    bool wrong = false;

    __device__ __forceinline__ void check(T x) { wrong |= !number<T>::finite(x); }

    __device__ __forceinline__ void measure(T x)
    {
        if constexpr (IS_COMPLEX<T>)
            most = fmax(most, fmax(fabs(x.re), fabs(x.im)));
        else
            most = fmax(most, fabs(x));
    }

    /* Those of the whole warp. */
    __device__ __forceinline__ void join()
    {
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
            most = fmax(most, __shfl_xor_sync(ALL, most, d));
        wrong = __any_sync(ALL, wrong);
    }

    __device__ __forceinline__ int exponent() const { return wrong || !(most > 0) ? 0 : ilogb(most); }
};

template <class T> __device__ __forceinline__ void phase_of(T x, double *re, double *im)
{
    if constexpr (IS_COMPLEX<T>)
        garray__phase(x.re, x.im, re, im);
    else
        garray__phase(x, 0, re, im);
}

/* The phase of a vector in registers. */
template <class T, int N> __device__ __forceinline__ void phase_of_column(const T (&x)[N], double *re, double *im)
{
    typedef typename number<T>::Real Real;
    Real most = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        most = fmax(most, weight(x[i]));
    T chosen = number<T>::of(1);
    bool found = false;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (!found && most > 0 && GARRAY__PHASE_NEAR(weight(x[i]), most)) {
            chosen = x[i];
            found = true;
        }
    phase_of(chosen, re, im);
}

/* The bits of a vote that belong to the N lanes of this thread's matrix. */
template <int N> __device__ __forceinline__ unsigned own_votes(unsigned votes)
{
    const int lane = threadIdx.x & 31;
    return votes >> (lane / N * N) & (N == 32 ? ALL : (1u << (N & 31)) - 1);
}

template <class Real, int N> __device__ __forceinline__ Real sum_of_lanes(Real x)
{
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(ALL, x, d);
    return x;
}

/* Rotates until all pairs of columns are orthogonal; whether they became so.  All lanes of the warp take part.  WITH_W: w, if
 * wanted, is rotated too.  A column whose square is below tiny has no direction of its own. */
template <class T, int N, bool WITH_W>
__device__ __forceinline__ bool orthogonalize(T (&x)[N], T (&w)[N], int wanted, int sub, typename number<T>::Real tolerance,
                                              typename number<T>::Real tiny)
{
    typedef typename number<T>::Real Real;
    constexpr bool HOLD = N * sizeof(T) <= 128;         /* the other column in registers, or fetched twice */
    bool moved = false;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        moved = false;
#pragma unroll 1
        for (int r = 1; r < N; r++) {
            T y[HOLD ? N : 1];
            T product = number<T>::zero();
            Real own = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
                const T other = from_pair(x[i], r);
                if constexpr (HOLD)
                    y[i] = other;
                product = add_product(product, x[i], other);
                own = add_square<T>(own, x[i]);
            }
            const Real other = __shfl_xor_sync(ALL, own, r), length = sqrt(own), other_length = __shfl_xor_sync(ALL, length, r);
            const bool upper = (sub ^ r) < sub;
            if constexpr (IS_COMPLEX<T>) {      /* both lanes go by what the lower one found */
                const T theirs = from_pair(product, r);
                if (upper)
                    product = theirs;
            }
            const Real alpha = upper ? other : own, beta = upper ? own : other;
            Real size;
            if constexpr (IS_COMPLEX<T>) {
                const Real most = fmax(fabs(product.re), fabs(product.im));
                const Real a = product.re / most, b = product.im / most;
                size = most > 0 ? most * sqrt(a * a + b * b) : 0;
            } else {
                size = fabs(product);
            }
            const bool turn = alpha > tiny && beta > tiny && size > tolerance * length * other_length;
            if (!__any_sync(ALL, turn))
                continue;
            moved |= turn;
            T a = number<T>::of(1), b = number<T>::zero();
            if (turn) {
                const Real zeta = (beta - alpha) / (2 * size);
                const Real steep = fabs(zeta);          /* its square must not overflow */
                const Real t = copysign(steep > (Real)1e9 ? (Real)0.5 / steep
                                                          : 1 / (steep + sqrt(fma(steep, steep, (Real)1))), zeta);
                const Real c = 1 / sqrt(fma(t, t, (Real)1)), s = c * t;
                T back;                         /* conj(product) / size */
                if constexpr (IS_COMPLEX<T>)
                    back = T{product.re / size, -product.im / size};
                else
                    back = product < 0 ? (T)-1 : (T)1;
                a = upper ? scaled(back, c) : number<T>::of(c);
                b = upper ? number<T>::of(s) : scaled(back, -s);
            }
#pragma unroll
            for (int i = 0; i < N; i++) {
                T theirs;
                if constexpr (HOLD)
                    theirs = y[i];
                else
                    theirs = from_pair(x[i], r);
                x[i] = rotate(a, x[i], b, theirs);
            }
            if constexpr (WITH_W)
                if (wanted) {
#pragma unroll
                    for (int i = 0; i < N; i++)
                        w[i] = rotate(a, w[i], b, from_pair(w[i], r));
                }
        }
        if (!__any_sync(ALL, moved))
            return true;
    }
    return !moved;
}

} /* namespace garray__cuda */

#endif
