/* SPDX-License-Identifier: BSD-3-Clause
 * QR of stacks of matrices by Householder reflections, a block a matrix, where cuSOLVER would take one after the other.
 *
 * Everything stays row-major: a thread has a column, or a share of its rows, so that the products with a reflection's
 * vector, which all columns share, read and write whole lines.  Reflections are LAPACK's (larfg): I - tau v v^H with v's
 * first component 1; the others stay below the diagonal, as geqrf leaves them.  Columns are scaled by a power of two before
 * their length is taken. */
#include "cuda/solve_lanes.cuh"
#include "cuda/vectors.h"

using namespace garray__cuda;

namespace {

constexpr int BLOCK_WARPS = THREADS / 32;

/* sum + x y */
template <class T> __device__ __forceinline__ T add_product(T sum, T x, T y)
{
    if constexpr (IS_COMPLEX<T>)
        return T{fma(x.re, y.re, fma(-x.im, y.im, sum.re)), fma(x.re, y.im, fma(x.im, y.re, sum.im))};
    else
        return fma(x, y, sum);
}

template <class T> __device__ __forceinline__ T product(T x, T y) { return add_product(number<T>::zero(), x, y); }

template <class T> __device__ __forceinline__ T negative(T x)
{
    if constexpr (IS_COMPLEX<T>)
        return T{-x.re, -x.im};
    else
        return -x;
}

template <class T> __device__ __forceinline__ T sum_of(T x, T y)
{
    if constexpr (IS_COMPLEX<T>)
        return T{x.re + y.re, x.im + y.im};
    else
        return x + y;
}

template <class T> __device__ __forceinline__ T times_sign(T x, int sign)
{
    return sign < 0 ? negative(x) : x;
}

/* 1 / x, of an absolute value not far from 1 */
template <class T> __device__ __forceinline__ T inverse(T x)
{
    if constexpr (IS_COMPLEX<T>) {
        const typename number<T>::Real size = fma(x.re, x.re, x.im * x.im);
        return T{x.re / size, -x.im / size};
    } else {
        return 1 / x;
    }
}

/* The largest and the sum of a block's numbers, for all its threads; `room` may be used again after the next barrier. */
__device__ __forceinline__ double block_max(double x, double *room)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        x = fmax(x, __shfl_xor_sync(ALL, x, d));
    if ((threadIdx.x & 31) == 0)
        room[threadIdx.x >> 5] = x;
    __syncthreads();
    x = room[0];
    for (int i = 1; i < (int)(blockDim.x >> 5); i++)
        x = fmax(x, room[i]);
    return x;
}

__device__ __forceinline__ double block_sum(double x, double *room)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(ALL, x, d);
    if ((threadIdx.x & 31) == 0)
        room[threadIdx.x >> 5] = x;
    __syncthreads();
    x = room[0];
    for (int i = 1; i < (int)(blockDim.x >> 5); i++)
        x += room[i];
    return x;
}

/* Columns [first, n) of x, from row `top` on, become x - factor v (v^H x).  A warp sums some of the rows of 32 columns;
 * two sets of partial sums take turns, so that one barrier a tile is enough. */
template <class T>
__device__ __forceinline__ void reflect(T *x, int m, int n, int top, int first, const T *v, T factor,
                                        T (*partial)[BLOCK_WARPS][32])
{
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), warps = (int)(blockDim.x >> 5);
    for (int tile = first, turn = 0; tile < n; tile += 32, turn ^= 1) {
        const int column = tile + lane;
        T sum = number<T>::zero();
        if (column < n)
#pragma unroll 4
            for (int i = top + warp; i < m; i += warps)
                sum = add_product(sum, conjugate(v[i]), x[(int64_t)i * n + column]);
        partial[turn][warp][lane] = sum;
        __syncthreads();
        sum = partial[turn][0][lane];
        for (int i = 1; i < warps; i++)
            sum = sum_of(sum, partial[turn][i][lane]);
        const T step = negative(product(factor, sum));
        if (column < n)
#pragma unroll 4
            for (int i = top + warp; i < m; i += warps)
                x[(int64_t)i * n + column] = add_product(x[(int64_t)i * n + column], v[i], step);
    }
}

/* Column j of x from its diagonal on: v, tau, and what geqrf leaves in its place. */
template <class T>
__device__ __forceinline__ void make_reflection(T *x, int m, int n, int j, T *v, T *tau, double (*room)[BLOCK_WARPS])
{
    typedef typename number<T>::Real Real;
    double most = 0, square = 0;
    for (int i = j + (int)threadIdx.x; i < m; i += (int)blockDim.x) {
        const T item = x[(int64_t)i * n + j];
        v[i] = item;
        if constexpr (IS_COMPLEX<T>)
            most = fmax(most, (double)fmax(fabs(item.re), fabs(item.im)));
        else
            most = fmax(most, (double)fabs(item));
    }
    most = block_max(most, room[0]);
    const int exponent = most > 0 && isfinite(most) ? ilogb(most) : 0;
    for (int i = j + (int)threadIdx.x; i < m; i += (int)blockDim.x) {
        const T item = shifted(v[i], -exponent);
        v[i] = item;
        if (i == j)
            continue;
        if constexpr (IS_COMPLEX<T>)
            square += (double)item.re * (double)item.re + (double)item.im * (double)item.im;
        else
            square += (double)item * (double)item;
    }
    square = block_sum(square, room[1]);
    const T first = v[j];
    double re = (double)number<T>::real(first), im = 0;
    if constexpr (IS_COMPLEX<T>)
        im = (double)first.im;
    const bool is_done = square == 0 && im == 0;    /* nothing to annihilate; not so with a NaN */
    const Real beta = is_done ? (Real)re : (Real)-copysign(sqrt(re * re + im * im + square), re);
    T own = number<T>::zero(), divisor = number<T>::of(1);
    if (!is_done) {
        if constexpr (IS_COMPLEX<T>) {
            own = T{(beta - first.re) / beta, -first.im / beta};
            divisor = inverse(T{first.re - beta, first.im});
        } else {
            own = (beta - first) / beta;
            divisor = inverse(first - beta);
        }
    }
    __syncthreads();                                /* all have read v[j] */
    for (int i = j + (int)threadIdx.x; i < m; i += (int)blockDim.x) {
        const T item = i == j ? number<T>::of(1) : product(v[i], divisor);
        v[i] = item;
        x[(int64_t)i * n + j] = i == j ? number<T>::of((Real)scalbn(beta, exponent)) : item;
    }
    if (threadIdx.x == 0)
        *tau = own;
    __syncthreads();
}

/* The sign that row i of R and column i of Q are multiplied by: the diagonal is real and gets to be not negative. */
template <class T> __device__ __forceinline__ int sign_of(const T *x, int n, int i)
{
    return number<T>::real(x[(int64_t)i * n + i]) < 0 ? -1 : 1;
}

/* x: the matrices, factored in place.  q (m x rows) may be NULL; with raw (n x m) there are neither q nor r (rows x n), but
 * the factors of the reflections in factors. */
template <class T>
__global__ void __launch_bounds__(THREADS) qr_stack(T *x, T *q, T *r, T *raw, T *factors, int m, int n, int rows)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ __align__(16) char partial_memory[2 * BLOCK_WARPS * 32 * sizeof(T)];
    __shared__ double room[2][BLOCK_WARPS];
    T(*partial)[BLOCK_WARPS][32] = (T(*)[BLOCK_WARPS][32])partial_memory;
    const int k = m < n ? m : n;
    const int64_t item = blockIdx.x;
    T *v = (T *)memory, *tau = v + m;
    x += item * m * n;
    for (int j = 0; j < k; j++) {
        make_reflection(x, m, n, j, v, &tau[j], room);
        reflect(x, m, n, j, j + 1, v, conjugate(tau[j]), partial);
        __syncthreads();
    }
    if (raw) {
        raw += item * m * n;
        for (int i = (int)threadIdx.x; i < m * n; i += (int)blockDim.x)
            raw[i] = x[(int64_t)(i % m) * n + i / m];
        for (int j = (int)threadIdx.x; j < k; j += (int)blockDim.x)
            factors[item * k + j] = tau[j];
        return;
    }
    r += item * rows * n;
    for (int i = (int)threadIdx.x; i < rows * n; i += (int)blockDim.x) {
        const int row = i / n, column = i - row * n;
        r[i] = row >= k || column < row ? number<T>::zero() : times_sign(x[i], sign_of(x, n, row));
    }
    if (!q)
        return;
    q += item * m * rows;
    for (int i = (int)threadIdx.x; i < m * rows; i += (int)blockDim.x) {
        const int row = i / rows, column = i - row * rows;
        q[i] = number<T>::of(row != column ? 0 : row < k ? sign_of(x, n, row) : 1);
    }
    for (int j = k - 1; j >= 0; j--) {
        __syncthreads();
        for (int i = j + (int)threadIdx.x; i < m; i += (int)blockDim.x)
            v[i] = i == j ? number<T>::of(1) : x[(int64_t)i * n + j];
        __syncthreads();
        reflect(q, m, rows, j, j, v, tau[j], partial);
    }
}

} /* namespace */

/* cuSOLVER's time for a matrix grows with its columns, a block's with its items times its columns: the larger the matrices,
 * the more of them it takes to pay. */
extern "C" bool garray__cuda_qr_stack_pays(const garray_solve_plan *p)
{
    return p->m <= GARRAY_CUDA_QR_STACK && p->n <= GARRAY_CUDA_QR_STACK && p->batch <= INT32_MAX &&
           (p->m * p->n <= 1024 || (p->batch > 1 && p->batch >= p->m * p->n >> 14));
}

extern "C" garray_status garray__cuda_qr_stack(const garray__queue *q, const garray_solve_plan *p, size_t item)
{
    const bool is_raw = p->kind == GARRAY_SOLVE_QR_RAW;
    const int64_t k = p->m < p->n ? p->m : p->n, size = p->m * p->n;
    const int threads = size <= 1024 ? 64 : size <= 4096 ? 128 : THREADS;
    int m = (int)p->m, n = (int)p->n, rows = (int)(p->full ? p->m : k);
    void *x = p->a, *left = is_raw ? NULL : p->c, *right = is_raw ? NULL : p->d, *raw = is_raw ? p->c : NULL;
    void *factors = is_raw ? p->d : NULL;
    void *args[] = {&x, &left, &right, &raw, &factors, &m, &n, &rows};
    return garray__cuda_launch(q, "qr", GARRAY_CUDA_OF_DTYPE(p->dtype, qr_stack), dim3((unsigned)p->batch),
                               dim3((unsigned)threads), (size_t)(p->m + k) * item, args);
}
