/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values of stacks of matrices by one-sided Jacobi rotations, a block a matrix, where cuSOLVER would take one
 * after the other.  The arithmetic is that of svd_small.cu: x has at least as many rows as columns and is scaled by a power
 * of two; x w stays what it was times the rotations until x's columns are orthogonal: x = (l s) w^H.
 *
 * Columns lie one after the other in memory.  In a round of a sweep each column meets one other (the circle method), a warp
 * works on a pair, and the block waits; a sweep meets every pair.  Columns of l without a direction of their own, and those
 * that complete it, are made at the end: the unit vector farthest from those there are, made orthogonal to them twice. */
#include "cuda/jacobi.cuh"
#include "cuda/vectors.h"

using namespace garray__cuda;

namespace {

constexpr int BLOCK_WARPS = THREADS / 32, MOST_ROWS = GARRAY_CUDA_SVD_STACK_ROWS, MOST_COLUMNS = GARRAY_CUDA_SVD_STACK_COLUMNS;

/* What the threads of a block share. */
template <class T> struct shared {
    double value[BLOCK_WARPS];
    int place_of[BLOCK_WARPS];
    typename number<T>::Real sigma[MOST_COLUMNS];
    int place[MOST_COLUMNS];
    T share[MOST_ROWS], v[MOST_ROWS];
    double rest[MOST_ROWS];
};

template <class Real> __device__ __forceinline__ Real warp_sum(Real x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(ALL, x, d);
    return x;
}

template <class T> __device__ __forceinline__ T warp_total(T x)
{
    if constexpr (IS_COMPLEX<T>)
        return T{warp_sum(x.re), warp_sum(x.im)};
    else
        return warp_sum(x);
}

/* The largest of a block's numbers and the lowest place that has it; all threads get both.  Ends behind a barrier. */
__device__ __forceinline__ double block_most(double x, int *place, double *values, int *places)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const double other = __shfl_xor_sync(ALL, x, d);
        const int at = __shfl_xor_sync(ALL, *place, d);
        if (other > x || (other == x && at < *place)) {
            x = other;
            *place = at;
        }
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) {
        values[threadIdx.x >> 5] = x;
        places[threadIdx.x >> 5] = *place;
    }
    __syncthreads();
    x = values[0];
    *place = places[0];
    for (int i = 1; i < BLOCK_WARPS; i++)
        if (values[i] > x || (values[i] == x && places[i] < *place)) {
            x = values[i];
            *place = places[i];
        }
    return x;
}

__device__ __forceinline__ double block_sum(double x, double *values)
{
    x = warp_sum(x);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        values[threadIdx.x >> 5] = x;
    __syncthreads();
    x = values[0];
    for (int i = 1; i < BLOCK_WARPS; i++)
        x += values[i];
    return x;
}

/* One pair of columns by a warp; whether they were not orthogonal.  w may be NULL. */
template <class T>
__device__ __forceinline__ bool rotate_pair(T *p, T *q, int rows, T *wp, T *wq, int columns, typename number<T>::Real tolerance)
{
    typedef typename number<T>::Real Real;
    const int lane = threadIdx.x & 31;
    const Real tiny = jacobi_tiny<Real>();
    T product = number<T>::zero();
    Real alpha = 0, beta = 0;
#pragma unroll 4
    for (int i = lane; i < rows; i += 32) {
        const T x = p[i], y = q[i];
        product = add_product(product, x, y);
        alpha = add_square<T>(alpha, x);
        beta = add_square<T>(beta, y);
    }
    product = warp_total(product);
    alpha = warp_sum(alpha);
    beta = warp_sum(beta);
    Real size;
    if constexpr (IS_COMPLEX<T>) {
        const Real most = fmax(fabs(product.re), fabs(product.im)), re = product.re / most, im = product.im / most;
        size = most > 0 ? most * sqrt(re * re + im * im) : 0;
    } else {
        size = fabs(product);
    }
    if (!(alpha > tiny && beta > tiny && size > tolerance * sqrt(alpha) * sqrt(beta)))
        return false;
    const Real zeta = (beta - alpha) / (2 * size), steep = fabs(zeta);      /* its square must not overflow */
    const Real t = copysign(steep > (Real)1e9 ? (Real)0.5 / steep : 1 / (steep + sqrt(fma(steep, steep, (Real)1))), zeta);
    const Real c = 1 / sqrt(fma(t, t, (Real)1)), s = c * t;
    T back;                                     /* conj(product) / size */
    if constexpr (IS_COMPLEX<T>)
        back = T{product.re / size, -product.im / size};
    else
        back = product < 0 ? (T)-1 : (T)1;
    const T a = number<T>::of(c), b = scaled(back, -s), d = scaled(back, c), e = number<T>::of(s);
#pragma unroll 4
    for (int i = lane; i < rows; i += 32) {
        const T x = p[i], y = q[i];
        p[i] = rotate(a, x, b, y);
        q[i] = rotate(d, y, e, x);
    }
    if (wp)
#pragma unroll 4
        for (int i = lane; i < columns; i += 32) {
            const T x = wp[i], y = wq[i];
            wp[i] = rotate(a, x, b, y);
            wq[i] = rotate(d, y, e, x);
        }
    return true;
}

/* Whether the columns became orthogonal. */
template <class T> __device__ __forceinline__ bool rotate_all(T *x, T *w, int rows, int columns)
{
    typedef typename number<T>::Real Real;
    const Real tolerance = (sizeof(Real) == 4 ? (Real)0x1p-23 : (Real)0x1p-52) * (Real)(8 + rows / 32);
    const int warp = threadIdx.x >> 5, circle = (columns + 1) / 2 * 2 - 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int moved = 0;
        for (int round = 0; round < circle; round++) {
            for (int i = warp; i <= circle / 2; i += BLOCK_WARPS) {
                const int one = (round + i) % circle, two = i == 0 ? circle : (round - i + circle) % circle;
                const int p = one < two ? one : two, q = one < two ? two : one;
                if (q < columns)
                    moved |= rotate_pair(x + (int64_t)p * rows, x + (int64_t)q * rows, rows, w ? w + (int64_t)p * columns : NULL,
                                         w ? w + (int64_t)q * columns : NULL, columns, tolerance);
            }
            __syncthreads();
        }
        if (!__syncthreads_or(moved))
            return true;
    }
    return false;
}

/* What turns a vector by the rule, found by a warp. */
template <class T> __device__ __forceinline__ void warp_phase(const T *v, int n, double *re, double *im)
{
    typedef typename number<T>::Real Real;
    const int lane = threadIdx.x & 31;
    Real most = 0;
    for (int i = lane; i < n; i += 32)
        most = fmax(most, weight(v[i]));
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        most = fmax(most, __shfl_xor_sync(ALL, most, d));
    int at = n;
    for (int i = lane; i < n && at == n; i += 32)
        if (most > 0 && GARRAY__PHASE_NEAR(weight(v[i]), most))
            at = i;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const int other = __shfl_xor_sync(ALL, at, d);
        at = other < at ? other : at;
    }
    phase_of(at < n ? v[at] : number<T>::of(1), re, im);
}

/* Row `column` of l (rows numbers each) becomes a unit vector orthogonal to those before it, turned by the rule. */
template <class T> __device__ __forceinline__ void complete(T *l, int rows, int column, shared<T> *m)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, thread = threadIdx.x;
    double most = -1;
    int at = rows;
    for (int i = thread; i < rows; i += THREADS)
        if (m->rest[i] > most) {
            most = m->rest[i];
            at = i;
        }
    (void)block_most(most, &at, m->value, m->place_of);
    for (int i = thread; i < rows; i += THREADS)
        m->v[i] = number<T>::of(i == at ? 1 : 0);
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        for (int j = warp; j < column; j += BLOCK_WARPS) {
            T sum = number<T>::zero();
            for (int i = lane; i < rows; i += 32)
                sum = add_product(sum, l[(int64_t)j * rows + i], m->v[i]);
            sum = warp_total(sum);
            if (lane == 0)
                m->share[j] = scaled(sum, -1);
        }
        __syncthreads();
        double square = 0;
        for (int i = thread; i < rows; i += THREADS) {
            T v = m->v[i];
            for (int j = 0; j < column; j++)
                v = add_product(v, conjugate(l[(int64_t)j * rows + i]), m->share[j]);
            m->v[i] = v;
            square += (double)weight(v);
        }
        const double length = sqrt(block_sum(square, m->value));
        if (length > 0)
            for (int i = thread; i < rows; i += THREADS)
                m->v[i] = scaled(m->v[i], (typename number<T>::Real)(1 / length));
    }
    __syncthreads();
    double re, im;
    warp_phase(m->v, rows, &re, &im);
    for (int i = thread; i < rows; i += THREADS) {
        const T v = turned(m->v[i], re, im);
        l[(int64_t)column * rows + i] = v;
        m->rest[i] -= (double)weight(v);
    }
    __syncthreads();
}

/* x: columns of `rows` numbers.  w: room for columns x columns.  l (`wanted` rows of `rows`) and r (columns x columns): the
 * left vectors and the conjugates of the right ones, a vector a row.  w, l and r are NULL for values alone.  by_left: whose
 * phases are turned by the rule. */
template <class T>
__global__ void __launch_bounds__(THREADS)
svd_stack(T *x, T *w, T *l, T *r, typename number<T>::Real *s, int rows, int columns, int wanted, int by_left, int *info)
{
    typedef typename number<T>::Real Real;
    extern __shared__ __align__(16) char memory[];
    shared<T> *m = (shared<T> *)memory;
    const int64_t item = blockIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, thread = threadIdx.x, size = rows * columns;
    x += item * size;
    s += item * columns;
    double most = 0;
    int wrong = 0, at = 0;
    for (int i = thread; i < size; i += THREADS) {
        const T v = x[i];
        wrong |= !number<T>::finite(v);
        if constexpr (IS_COMPLEX<T>)
            most = fmax(most, (double)fmax(fabs(v.re), fabs(v.im)));
        else
            most = fmax(most, (double)fabs(v));
    }
    wrong = __syncthreads_or(wrong);
    most = block_most(most, &at, m->value, m->place_of);
    if (w) {
        w += item * columns * columns;
        l += item * wanted * rows;
        r += item * columns * columns;
    }
    if (wrong) {
        for (int i = thread; i < columns; i += THREADS)
            s[i] = (Real)NAN;
        for (int i = thread; w && i < wanted * rows; i += THREADS)
            l[i] = number<T>::of((Real)NAN);
        for (int i = thread; w && i < columns * columns; i += THREADS)
            r[i] = number<T>::of((Real)NAN);
        if (thread == 0)
            info[item] = 1;
        return;
    }
    const int exponent = most > 0 ? ilogb(most) : 0;
    for (int i = thread; i < size; i += THREADS)
        x[i] = shifted(x[i], -exponent);
    for (int i = thread; w && i < columns * columns; i += THREADS)
        w[i] = number<T>::of(i / columns == i % columns ? 1 : 0);
    __syncthreads();
    const bool done = rotate_all(x, w, rows, columns);
    if (thread == 0)
        info[item] = !done;

    /* lengths, and their places in descending order */
    int good = 0;
    for (int c = warp; c < columns; c += BLOCK_WARPS) {
        Real square = 0;
        for (int i = lane; i < rows; i += 32)
            square = add_square<T>(square, x[(int64_t)c * rows + i]);
        square = warp_sum(square);
        if (lane == 0)
            m->sigma[c] = sqrt(square);
        good += square > jacobi_tiny<Real>();
    }
    good = (int)block_sum(lane == 0 ? good : 0, m->value);
    for (int c = thread; c < columns; c += THREADS) {
        const Real own = m->sigma[c];
        int place = 0;
        for (int j = 0; j < columns; j++)
            place += m->sigma[j] > own || (m->sigma[j] == own && j < c);
        m->place[c] = place;
        s[place] = scalbn(own, exponent);
    }
    if (!w)
        return;
    __syncthreads();
    for (int c = warp; c < columns; c += BLOCK_WARPS) {
        const int place = m->place[c];
        const bool has_direction = place < good;
        const Real inverse = has_direction ? 1 / m->sigma[c] : (Real)0;
        T *own = x + (int64_t)c * rows, *right = w + (int64_t)c * columns;
        double re = 1, im = 0;
        for (int i = lane; i < rows; i += 32)
            own[i] = scaled(own[i], inverse);
        __syncwarp();
        if (!by_left)
            warp_phase(right, columns, &re, &im);
        else if (has_direction)
            warp_phase(own, rows, &re, &im);
        for (int i = lane; i < rows; i += 32)
            l[(int64_t)place * rows + i] = turned(own[i], re, im);
        for (int i = lane; i < columns; i += 32)
            r[(int64_t)place * columns + i] = conjugate(turned(right[i], re, im));
    }
    if (good == wanted)
        return;
    __syncthreads();
    for (int i = thread; i < rows; i += THREADS) {
        double rest = 1;
        for (int j = 0; j < good; j++)
            rest -= (double)weight(l[(int64_t)j * rows + i]);
        m->rest[i] = rest;
    }
    __syncthreads();
    for (int column = good; column < wanted; column++)
        complete(l, rows, column, m);
}

size_t shared_size(int dtype)
{
    switch (dtype) {
    case GARRAY_FLOAT32: return sizeof(shared<float>);
    case GARRAY_FLOAT64: return sizeof(shared<double>);
    case GARRAY_COMPLEX64: return sizeof(shared<garray__c64>);
    default: return sizeof(shared<garray__c128>);
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_svd_stack(const garray__queue *q, int dtype, void *x, void *w, void *l, void *r, void *s,
                                                int64_t rows, int64_t columns, int64_t wanted, int64_t batch, bool by_left,
                                                int *info)
{
    int m = (int)rows, n = (int)columns, vectors = (int)wanted, left = by_left;
    void *args[] = {&x, &w, &l, &r, &s, &m, &n, &vectors, &left, &info};
    return garray__cuda_launch(q, "svd", GARRAY_CUDA_OF_DTYPE(dtype, svd_stack), dim3((unsigned)batch), dim3(THREADS),
                               shared_size(dtype), args);
}
