/* SPDX-License-Identifier: BSD-3-Clause
 * Many small matrices, up to 32 x 32, by LU factors with partial pivoting: linear systems, inverses, determinants and the
 * factors themselves.  Compiled for each dtype of linalg (GARRAY_DTYPE_OF_MATRICES): it takes nvcc long.
 *
 * N lanes of a warp share a matrix, each with a row in registers.  Rows stay where they are until all steps are done; a lane
 * knows the place that its row has by then.  The factors go to shared memory in the order of places.  A few right-hand sides
 * are solved by the lanes together, a row each; more of them a column each. */
#include "cuda/solve.h"
#include "cuda/solve_lanes.cuh"

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

using namespace garray__cuda;

namespace {

enum { TOGETHER = 4 };          /* right-hand sides up to which lanes solve each together */

/* Of the lanes of a group that hold a key, the first with the largest; 0 is a key below all others. */
template <int N> __device__ __forceinline__ int first_largest(uint32_t key, int row, unsigned group, int begin)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    (void)row;
    const uint32_t most = __reduce_max_sync(group, key);
    return __ffs(__ballot_sync(ALL, key == most) & group) - 1 - begin;
#else
    (void)group;
    (void)begin;
    int at = row;
    for (int d = N / 2; d > 0; d /= 2) {
        const uint32_t other = __shfl_xor_sync(ALL, key, d, N);
        const int other_at = __shfl_xor_sync(ALL, at, d, N);
        if (other > key || (other == key && other_at < at)) {
            key = other;
            at = other_at;
        }
    }
    return at;
#endif
}

/* Weights of pivots in two words: the order of non-negative floats is that of their bits.  Pivots are chosen by the upper
 * word, which is all of a float and the first 20 bits of a double's fraction; one that is off by so little does no harm. */
template <class Real> __device__ __forceinline__ uint32_t upper_word(Real w)
{
    if constexpr (sizeof(Real) == sizeof(float))
        return __float_as_uint(w);
    else
        return (uint32_t)__double2hiint(w);
}

/* Adds the determinant of the other factors of a group to a lane's own. */
template <int N> __device__ __forceinline__ garray__scaled product_of_lanes(garray__scaled s, bool is_complex)
{
    for (int d = N / 2; d > 0; d /= 2) {
        const double re = __shfl_down_sync(ALL, s.re, d, N), im = __shfl_down_sync(ALL, s.im, d, N);
        s.exponent += __shfl_down_sync(ALL, (long long)s.exponent, d, N);
        garray__scaled_multiply(&s, re, im, is_complex);
    }
    return s;
}

/* kind: GARRAY_SOLVE_...; rows: m for LU, n otherwise.  Where there is a b, it is b of the plan; w and c likewise. */
template <class T, int N>
__global__ void __launch_bounds__(32 * WARPS<T>)
small_lu(const T *a, T *b, typename number<T>::Real *w, int64_t *c, int kind, int rows, int n, int nrhs, int64_t batch, int *info)
{
    typedef typename number<T>::Real Real;
    __shared__ T tiles[WARPS<T>][32 / N][N][N + 1];
    __shared__ int orders[WARPS<T>][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = lane % N, begin = lane - row;
    const int steps = rows < n ? rows : n;
    const unsigned group = N == 32 ? ALL : ((1u << (N & 31)) - 1) << begin;
    const int64_t first = ((int64_t)blockIdx.x * WARPS<T> + warp) * (32 / N), item = first + lane / N;
    const bool valid = item < batch;
    read_tiles<T, N>(tiles[warp], a, first, batch, rows, n);
    __syncwarp();

    T(&tile)[N][N + 1] = tiles[warp][lane / N];
    int *order = orders[warp] + begin;
    T x[N];
#pragma unroll
    for (int j = 0; j < N; j++)
        x[j] = valid && row < rows && j < n ? tile[row][j] : number<T>::zero();
    int place = row, pivot_of_step = row, fault = 0;
#pragma unroll
    for (int k = 0; k < N; k++)
        if (k < steps) {
            const bool candidate = place >= k && row < rows;
            const Real own = pivot_weight(x[k]);
            int at = first_largest<N>(candidate ? upper_word(own) + 1 : 0, row, group, begin);
            if constexpr (sizeof(Real) == 8) {
                /* the least doubles have nothing in their upper words */
                const bool none = upper_word(__shfl_sync(ALL, own, at, N)) == 0;
                if (__any_sync(ALL, none)) {
                    const int other = first_largest<N>(candidate ? (uint32_t)__double2loint(own) / 2 + 1 : 0, row, group, begin);
                    if (none)
                        at = other;
                }
            }
            const T pivot = from_lane(x[k], at, N);
            const int from = __shfl_sync(ALL, place, at, N);
            const bool is_zero = pivot_weight(pivot) == 0;
            if (is_zero && fault == 0)
                fault = k + 1;
            if (row == k)
                pivot_of_step = from;
            if (row == at)
                place = k;
            else if (place == k)
                place = from;
            const bool below = candidate && row != at;
            const T factor = below && !is_zero ? divide(x[k], pivot) : number<T>::zero();
            if (below && !is_zero)
                x[k] = factor;
#pragma unroll
            for (int j = k + 1; j < N; j++) {
                const T p = from_lane(x[j], at, N);
                if (below)
                    x[j] = subtract_product(x[j], factor, conjugate(p));
            }
        }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < N; j++)
        tile[place][j] = x[j];
    order[place] = row;
    if (row == 0 && valid && info)
        info[item] = fault;
    __syncwarp();

    if (kind == GARRAY_SOLVE_LU) {
        if (valid && row < steps)
            c[item * steps + row] = pivot_of_step;
        write_tiles<T, N>(const_cast<T *>(a), tiles[warp], first, batch, rows, n);
    } else if (kind == GARRAY_SOLVE_DETERMINANT) {
        garray__scaled s = {1, 0, 0};
        if (row < n)
            times_pivot(&s, tile[row][row], pivot_of_step == row);
        s = product_of_lanes<N>(s, IS_COMPLEX<T>);
        if (row == 0 && valid)
            store_determinant(s, b + item, w ? w + item : nullptr);
    } else if (kind == GARRAY_SOLVE_LINEAR && nrhs <= TOGETHER) {
        const bool has_row = valid && row < n;
        const int from = order[row];
#pragma unroll
        for (int j = 0; j < N; j++)
            x[j] = tile[row][j];
        const T inverse = has_row ? divide(number<T>::of(1), tile[row][row]) : number<T>::zero();
        for (int column = 0; column < nrhs; column++) {
            T v = has_row ? b[(item * n + from) * nrhs + column] : number<T>::zero();
#pragma unroll
            for (int k = 0; k < N; k++)
                if (k < n) {
                    const T y = from_lane(v, k, N);
                    if (row > k)
                        v = subtract_product(v, x[k], conjugate(y));
                }
#pragma unroll
            for (int k = N - 1; k >= 0; k--)
                if (k < n) {
                    if (row == k)       /* v times the inverse: 0 less their product, negated */
                        v = subtract_product(number<T>::zero(), inverse, conjugate(scaled(v, (Real)-1)));
                    const T y = from_lane(v, k, N);
                    if (row < k)
                        v = subtract_product(v, x[k], conjugate(y));
                }
            __syncwarp();               /* all have read this column before it is overwritten */
            if (has_row)
                b[(item * n + row) * nrhs + column] = v;
        }
    } else {
        const int columns = kind == GARRAY_SOLVE_INVERSE ? n : nrhs;
        const bool has_row = valid && row < n;
        /* the diagonal is needed inverted only */
        const T inverse = has_row ? divide(number<T>::of(1), tile[row][row]) : number<T>::zero();
        __syncwarp();
        if (has_row)
            tile[row][row] = inverse;
        __syncwarp();
        for (int base = 0; base < columns; base += N) {
            const int column = base + row;
            const bool has_column = valid && column < columns;
            T y[N];
#pragma unroll
            for (int r = 0; r < N; r++)
                y[r] = r >= n || !has_column           ? number<T>::zero()
                       : kind == GARRAY_SOLVE_INVERSE ? number<T>::of(order[r] == column)
                                                       : b[(item * n + order[r]) * columns + column];
#pragma unroll
            for (int k = 0; k < N; k++)
                if (k < n) {
#pragma unroll
                    for (int i = k + 1; i < N; i++)
                        if (i < n)
                            y[i] = subtract_product(y[i], tile[i][k], conjugate(y[k]));
                }
#pragma unroll
            for (int k = N - 1; k >= 0; k--)
                if (k < n) {
                    y[k] = subtract_product(number<T>::zero(), tile[k][k], conjugate(scaled(y[k], (Real)-1)));
#pragma unroll
                    for (int i = 0; i < k; i++)
                        y[i] = subtract_product(y[i], tile[i][k], conjugate(y[k]));
                }
#pragma unroll
            for (int r = 0; r < N; r++)
                if (r < n && has_column)
                    b[(item * n + r) * columns + column] = y[r];
        }
    }
}

typedef JOINED(type_, GARRAY_DTYPE_OF_MATRICES) element;

const void *kernel_of(int lanes)
{
    return lanes == 4    ? (const void *)small_lu<element, 4>
           : lanes == 8  ? (const void *)small_lu<element, 8>
           : lanes == 16 ? (const void *)small_lu<element, 16>
                         : (const void *)small_lu<element, 32>;
}

} /* namespace */

extern "C" garray_status JOINED(garray__cuda_small_lu_, GARRAY_DTYPE_OF_MATRICES)(
    const garray__queue *q, const garray_solve_plan *plan, int *info)
{
    const void *a = plan->a;
    void *b = plan->b, *w = plan->w, *c = plan->c;
    int kind = plan->kind, n = (int)plan->n, rows = kind == GARRAY_SOLVE_LU ? (int)plan->m : n, nrhs = (int)plan->nrhs;
    int64_t batch = plan->batch;
    void *args[] = {&a, &b, &w, &c, &kind, &rows, &n, &nrhs, &batch, &info};
    const int longer = rows > n ? rows : n, lanes = longer <= 4 ? 4 : lanes_for(longer);
    return launch_lanes(q, "lu", kernel_of(lanes), plan->dtype, lanes, batch, args);
}
