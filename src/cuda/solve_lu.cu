/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels around LU factorizations: unit matrices, pivots, determinants, diagonals, and the order that pivots make. */
#include "cuda/solve.h"
#include "cuda/solve_launch.cuh"

using namespace garray__cuda;

namespace {

enum { NEAR_ROWS = 8192 };      /* an order of so many rows is made in shared memory */

template <class T> __global__ void __launch_bounds__(THREADS) identity(T *out, int64_t n, int64_t count)
{
    const int64_t i = this_item();
    if (i < count)
        out[i] = number<T>::of(i % (n * n) % (n + 1) == 0);
}

/* Matrices whose factorization met a zero become NaN. */
template <class T> __global__ void __launch_bounds__(THREADS) spoil(T *a, int64_t n, int64_t count, const int *info)
{
    const int64_t i = this_item();
    if (i < count && info[i / (n * n)] != 0)
        a[i] = number<T>::of((typename number<T>::Real)NAN);
}

/* In place where the sizes agree: each thread has read its own before it writes. */
template <class P> __global__ void __launch_bounds__(THREADS) to_pivots(const P *from, int64_t *to, int64_t count)
{
    const int64_t i = this_item();
    if (i < count)
        to[i] = (int64_t)from[i] - 1;
}

/* A block for each matrix. */
template <class T>
__global__ void __launch_bounds__(THREADS)
determinant(const T *lu, const void *pivots, int size, T *out, typename number<T>::Real *logarithm, int64_t n)
{
    __shared__ garray__scaled parts[THREADS];
    const int64_t item = blockIdx.x;
    garray__scaled s = {1, 0, 0};
    lu += item * n * n;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        const int64_t pivot = size == 4 ? ((const int *)pivots)[item * n + i] : ((const int64_t *)pivots)[item * n + i];
        times_pivot(&s, lu[i * (n + 1)], pivot == i + 1);
    }
    parts[threadIdx.x] = s;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) {
            const garray__scaled other = parts[threadIdx.x + d];
            s.exponent += other.exponent;
            garray__scaled_multiply(&s, other.re, other.im, IS_COMPLEX<T>);
            parts[threadIdx.x] = s;
        }
    }
    if (threadIdx.x == 0)
        store_determinant(s, out + item, logarithm ? logarithm + item : nullptr);
}

__device__ __forceinline__ bool is_zero(float x) { return x == 0; }
__device__ __forceinline__ bool is_zero(double x) { return x == 0; }
__device__ __forceinline__ bool is_zero(garray__c64 x) { return x.re == 0 && x.im == 0; }
__device__ __forceinline__ bool is_zero(garray__c128 x) { return x.re == 0 && x.im == 0; }

template <class T> __global__ void __launch_bounds__(THREADS) check_diagonal(const T *a, int64_t n, int64_t batch, int *info)
{
    const int64_t i = this_item();
    if (i >= batch * n)
        return;
    const int64_t item = i / n, row = i - item * n;
    if (is_zero(a[item * n * n + row * (n + 1)]))
        info[item] = 1;
}

/* A block for each order; one thread makes the exchanges, in shared memory where they fit, and all fetch pivots for it. */
__global__ void __launch_bounds__(THREADS)
permutation(const int64_t *pivots, int64_t *order, int64_t n, int64_t nrhs, int inverse, garray__late *late)
{
    __shared__ int64_t some[THREADS];
    __shared__ int near_order[NEAR_ROWS];
    const bool is_near = n <= NEAR_ROWS;
    pivots += blockIdx.x * nrhs;
    order += blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        if (is_near)
            near_order[i] = (int)i;
        else
            order[i] = i;
    }
    for (int64_t base = 0; base < nrhs; base += THREADS) {
        const int64_t step = base + threadIdx.x;
        if (step < nrhs)
            some[threadIdx.x] = pivots[inverse ? nrhs - 1 - step : step];
        __syncthreads();
        for (int t = 0; threadIdx.x == 0 && t < THREADS && base + t < nrhs; t++) {
            const int64_t i = inverse ? nrhs - 1 - (base + t) : base + t, at = some[t];
            if (at < 0 || at >= n) {
                report_late(late, GARRAY__LATE_INDEX, 0, at, n);
            } else if (is_near) {
                const int held = near_order[i];
                near_order[i] = near_order[at];
                near_order[at] = held;
            } else {
                const int64_t held = order[i];
                order[i] = order[at];
                order[at] = held;
            }
        }
        __syncthreads();
    }
    for (int64_t i = threadIdx.x; is_near && i < n; i += THREADS)
        order[i] = near_order[i];
}

} /* namespace */

extern "C" {

garray_status garray__cuda_identity(const garray__queue *q, int dtype, void *out, int64_t n, int64_t batch)
{
    int64_t count = batch * n * n;
    void *args[] = {&out, &n, &count};
    return launch(q, "inv", GARRAY_CUDA_OF_DTYPE(dtype, identity), blocks_for(count), args);
}

garray_status garray__cuda_spoil(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch, const int *info)
{
    int64_t count = batch * n * n;
    void *args[] = {&a, &n, &count, &info};
    return launch(q, "inv", GARRAY_CUDA_OF_DTYPE(dtype, spoil), blocks_for(count), args);
}

garray_status garray__cuda_to_pivots(const garray__queue *q, const void *from, int size, int64_t *to, int64_t count)
{
    void *args[] = {&from, &to, &count};
    return launch(q, "lu", size == 4 ? (const void *)to_pivots<int> : (const void *)to_pivots<int64_t>, blocks_for(count), args);
}

garray_status garray__cuda_determinant(const garray__queue *q, int dtype, const void *lu, const void *pivots, int size, void *out,
                                       void *logarithm, int64_t n, int64_t batch)
{
    void *args[] = {&lu, &pivots, &size, &out, &logarithm, &n};
    return launch(q, "det", GARRAY_CUDA_OF_DTYPE(dtype, determinant), batch, args);
}

garray_status garray__cuda_check_diagonal(const garray__queue *q, int dtype, const void *a, int64_t n, int64_t batch, int *info)
{
    void *args[] = {&a, &n, &batch, &info};
    return launch(q, "solve_triangular", GARRAY_CUDA_OF_DTYPE(dtype, check_diagonal), blocks_for(batch * n), args);
}

garray_status garray__cuda_permutation(const garray__queue *q, const int64_t *pivots, int64_t *order, int64_t n, int64_t nrhs,
                                       int64_t batch, bool inverse)
{
    garray__late *late;
    int back = inverse;
    GARRAY_CUDA_TRY(garray__cuda_late(q, &late));
    void *args[] = {&pivots, &order, &n, &nrhs, &back, &late};
    return launch(q, "order of rows", (const void *)permutation, batch, args);
}

} /* extern "C" */
