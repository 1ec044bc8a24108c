/* SPDX-License-Identifier: BSD-3-Clause
 * The small kernels around LAPACK calls. */
#include "cuda/solve.h"
#include "cuda/solve_launch.cuh"

using namespace garray__cuda;

namespace {

constexpr int REPORTERS = 1024;

__global__ void __launch_bounds__(THREADS) make_pointers(void **pointers, char *base, int64_t stride, int64_t batch)
{
    const int64_t i = this_item();
    if (i < batch)
        pointers[i] = base + i * stride;
}

/* One block: its threads look at four items at a time, so that few loads wait for each other. */
__global__ void __launch_bounds__(REPORTERS) report_info(const int *info, int64_t batch, uint32_t kind, garray__late *late)
{
    __shared__ unsigned long long first;
    if (threadIdx.x == 0)
        first = ~0ull;
    __syncthreads();
    for (int64_t i = (int64_t)threadIdx.x * 4; i < batch; i += REPORTERS * 4) {
        int4 some = {0, 0, 0, 0};
        if (i + 4 <= batch) {
            some = *(const int4 *)(info + i);
        } else {
            some.x = info[i];
            some.y = i + 1 < batch ? info[i + 1] : 0;
            some.z = i + 2 < batch ? info[i + 2] : 0;
        }
        if ((some.x | some.y | some.z | some.w) != 0) {
            atomicMin(&first, (unsigned long long)(i + (some.x ? 0 : some.y ? 1 : some.z ? 2 : 3)));
            break;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && first != ~0ull)
        report_late(late, kind, info[first], (int64_t)first, batch);
}

/* The lower triangle of each matrix becomes its upper one, transposed and without conjugation. */
template <class T> __global__ void __launch_bounds__(THREADS) mirror(T *a, int64_t n)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (n + SIDE - 1) / SIDE, item = blockIdx.x / (across * across), place = blockIdx.x % (across * across);
    const int64_t row = place / across * SIDE, column = place % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    if (row < column)
        return;
    a += item * n * n;
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + j < n && column + x < n)
            tile[j][x] = a[(row + j) * n + column + x];
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + x < n && column + j < n && row + x > column + j)
            a[(column + j) * n + row + x] = tile[x][j];
}

/* The factor is the upper triangle.  down: it becomes the lower one, transposed.  The other triangle becomes 0, and info
 * is set where a pivot is not above 0 or not finite. */
template <class T>
__global__ void __launch_bounds__(THREADS) finish_cholesky(T *a, int64_t n, int down, int *info)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (n + SIDE - 1) / SIDE, item = blockIdx.x / (across * across), place = blockIdx.x % (across * across);
    const int64_t row = place / across * SIDE, column = place % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    if (row > column)
        return;
    a += item * n * n;
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + j < n && column + x < n) {
            T *at = &a[(row + j) * n + column + x];
            tile[j][x] = *at;
            if (row + j == column + x) {
                const double d = (double)number<T>::real(*at);
                if (!(d > 0 && d <= 1.7976931348623157e308) && info[item] == 0)
                    info[item] = (int)(row + j + 1);
            } else if (down && row + j < column + x) {
                *at = number<T>::zero();
            }
        }
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (column + j < n && row + x < n && column + j > row + x)
            a[(column + j) * n + row + x] = down ? tile[x][j] : number<T>::zero();
}

/* factors: NULL, or what column r of the result is turned by (r: row of in), and bad items become NaN. */
template <class T>
__global__ void __launch_bounds__(THREADS) transpose(const T *in, T *out, int64_t rows, int64_t columns, const T *factors,
                                                     const int *bad)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (columns + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
    const int64_t item = blockIdx.x / (across * down), place = blockIdx.x % (across * down);
    const int64_t row = place / across * SIDE, column = place % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    in += item * rows * columns;
    out += item * rows * columns;
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + j < rows && column + x < columns) {
            T v = in[(row + j) * columns + column + x];
            if (factors)
                v = number<T>::turn(v, factors[item * rows + row + j]);
            if (bad && bad[item])
                v = number<T>::of((typename number<T>::Real)NAN);
            tile[j][x] = v;
        }
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (column + j < columns && row + x < rows)
            out[(column + j) * rows + row + x] = tile[x][j];
}

template <class T>
__global__ void __launch_bounds__(THREADS) find_bad(const T *a, int64_t n, int64_t batch, int upper, int *bad)
{
    const int64_t i = this_item();
    if (i >= batch * n * n)
        return;
    const int64_t item = i / (n * n), rest = i - item * n * n, row = rest / n, column = rest - row * n;
    if ((upper ? row <= column : row >= column) && !number<T>::finite(a[i]))
        bad[item] = 1;
}

template <class T>
__global__ void __launch_bounds__(THREADS) copy_good(const T *a, T *copy, int64_t n, int64_t batch, const int *bad)
{
    const int64_t i = this_item();
    if (i >= batch * n * n)
        return;
    const int64_t item = i / (n * n), rest = i - item * n * n, row = rest / n, column = rest - row * n;
    copy[i] = bad[item] ? number<T>::of(row == column) : a[i];
}

/* A block for each vector: the rule of phase.h. */
template <class T> __global__ void __launch_bounds__(THREADS) find_factors(const T *vectors, T *factors, int64_t n)
{
    typedef typename number<T>::Real Real;
    __shared__ Real sizes[THREADS];
    __shared__ int64_t places[THREADS];
    const T *v = vectors + blockIdx.x * n;
    Real best = -1;
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        best = fmax(best, number<T>::size(v[i]));
    sizes[threadIdx.x] = best;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d)
            sizes[threadIdx.x] = fmax(sizes[threadIdx.x], sizes[threadIdx.x + d]);
    }
    /* the first that is near it */
    __syncthreads();
    best = sizes[0];
    int64_t place = n;
    for (int64_t i = threadIdx.x; i < n && place == n; i += THREADS)
        if (GARRAY__PHASE_NEAR(number<T>::size(v[i]) * number<T>::size(v[i]), best * best))
            place = i;
    places[threadIdx.x] = place;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d && places[threadIdx.x + d] < places[threadIdx.x])
            places[threadIdx.x] = places[threadIdx.x + d];
    }
    if (threadIdx.x == 0) {
        const T first = places[0] < n ? v[places[0]] : number<T>::of(1);
        factors[blockIdx.x] = number<T>::factor(first, number<T>::size(first));
    }
}

/* Values of bad items become NaN, and count as not converged. */
template <class Real>
__global__ void __launch_bounds__(THREADS) finish_values(Real *w, int64_t n, int64_t batch, const int *bad, int *info)
{
    const int64_t i = this_item();
    if (i >= batch * n || !bad[i / n])
        return;
    w[i] = (Real)NAN;
    info[i / n] = 1;
}

garray_status transpose_with(const garray__queue *q, int dtype, const void *in, void *out, int64_t rows, int64_t columns,
                             int64_t batch, const void *factors, const int *bad)
{
    void *args[] = {&in, &out, &rows, &columns, &factors, &bad};
    return launch(q, "transpose", GARRAY_CUDA_OF_DTYPE(dtype, transpose), tiles_of(rows, columns) * batch, args);
}

} /* namespace */

extern "C" {

garray_status garray__cuda_make_pointers(const garray__queue *q, void **pointers, void *base, int64_t stride, int64_t batch)
{
    void *args[] = {&pointers, &base, &stride, &batch};
    return launch(q, "pointers", (const void *)make_pointers, blocks_for(batch), args);
}

garray_status garray__cuda_report_info(const garray__queue *q, const int *info, int64_t batch, garray__late_kind kind)
{
    garray__late *late;
    uint32_t k = kind;
    GARRAY_CUDA_TRY(garray__cuda_late(q, &late));
    void *args[] = {&info, &batch, &k, &late};
    return launch(q, "report", (const void *)report_info, 1, args, REPORTERS);
}

garray_status garray__cuda_mirror(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch)
{
    void *args[] = {&a, &n};
    return launch(q, "cholesky", GARRAY_CUDA_OF_DTYPE(dtype, mirror), tiles_of(n, n) * batch, args);
}

garray_status garray__cuda_finish_cholesky(const garray__queue *q, int dtype, void *a, int64_t n, int64_t batch, bool upper,
                                           int *info)
{
    int down = !upper;
    void *args[] = {&a, &n, &down, &info};
    return launch(q, "cholesky", GARRAY_CUDA_OF_DTYPE(dtype, finish_cholesky), tiles_of(n, n) * batch, args);
}

garray_status garray__cuda_transpose(const garray__queue *q, int dtype, const void *in, void *out, int64_t rows,
                                     int64_t columns, int64_t batch)
{
    return transpose_with(q, dtype, in, out, rows, columns, batch, NULL, NULL);
}

garray_status garray__cuda_begin_eigh(const garray__queue *q, int dtype, const void *a, void *copy, int64_t n, int64_t batch,
                                      bool upper, int *bad)
{
    int up = upper;
    void *find[] = {&a, &n, &batch, &up, &bad}, *fill[] = {&a, &copy, &n, &batch, &bad};
    GARRAY_CUDA_TRY(launch(q, "eigh", GARRAY_CUDA_OF_DTYPE(dtype, find_bad), blocks_for(batch * n * n), find));
    return launch(q, "eigh", GARRAY_CUDA_OF_DTYPE(dtype, copy_good), blocks_for(batch * n * n), fill);
}

garray_status garray__cuda_finish_eigh(const garray__queue *q, int dtype, const void *vectors, void *a, void *w, void *factors,
                                       int64_t n, int64_t batch, const int *bad, int *info)
{
    void *values[] = {&w, &n, &batch, &bad, &info};
    const bool single = dtype == GARRAY_FLOAT32 || dtype == GARRAY_COMPLEX64;
    GARRAY_CUDA_TRY(launch(q, "eigh", single ? (const void *)finish_values<float> : (const void *)finish_values<double>,
                           blocks_for(batch * n), values));
    if (!vectors)
        return GARRAY_OK;
    void *find[] = {&vectors, &factors, &n};
    GARRAY_CUDA_TRY(launch(q, "eigh", GARRAY_CUDA_OF_DTYPE(dtype, find_factors), batch * n, find));
    return transpose_with(q, dtype, vectors, a, n, n, batch, factors, bad);
}

} /* extern "C" */
