/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels around cuSOLVER's SVD, QR and eigenvalues: copies, phases by the rule of phase.h, the check of an SVD, the
 * order of eigenvalues. */
#include "cuda/solve_launch.cuh"
#include "cuda/vectors.h"

using namespace garray__cuda;

namespace {

template <class T> __device__ __forceinline__ double re_of(T x)
{
    if constexpr (IS_COMPLEX<T>)
        return (double)x.re;
    else
        return (double)x;
}

template <class T> __device__ __forceinline__ double im_of(T x)
{
    if constexpr (IS_COMPLEX<T>)
        return (double)x.im;
    else
        return 0;
}

template <class T> __device__ __forceinline__ T made_of(double re, double im)
{
    typedef typename number<T>::Real Real;
    if constexpr (IS_COMPLEX<T>)
        return T{(Real)re, (Real)im};
    else
        return (T)re;
}

/* The sum of a block's values, in a fixed order, in thread 0. */
__device__ __forceinline__ double block_sum(double x)
{
    __shared__ double sums[THREADS];
    sums[threadIdx.x] = x;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d)
            sums[threadIdx.x] += sums[threadIdx.x + d];
    }
    return sums[0];
}

/* `share` blocks an item.  Numbers above 0 have the order of their bits. */
template <class T>
__global__ void __launch_bounds__(THREADS) find_range(const T *a, int64_t size, int64_t share, int *bad, unsigned long long *most)
{
    __shared__ double sizes[THREADS];
    const int64_t item = blockIdx.x / share, part = blockIdx.x - item * share;
    double best = 0;
    bool wrong = false;
    for (int64_t i = part * THREADS + threadIdx.x; i < size; i += share * THREADS) {
        const T x = a[item * size + i];
        wrong |= !number<T>::finite(x);
        best = fmax(best, fmax(fabs(re_of(x)), fabs(im_of(x))));
    }
    if (wrong)
        bad[item] = 1;
    if (!most)
        return;
    sizes[threadIdx.x] = wrong ? 0 : best;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d)
            sizes[threadIdx.x] = fmax(sizes[threadIdx.x], sizes[threadIdx.x + d]);
    }
    if (threadIdx.x == 0)
        atomicMax(&most[item], (unsigned long long)__double_as_longlong(sizes[0]));
}

/* The power of two that a matrix is divided by: 0 unless its squares could overflow or vanish. */
template <class T> __device__ __forceinline__ int scale_of(const double *most)
{
    const int range = sizeof(typename number<T>::Real) == 4 ? 30 : 400;
    if (!most || !(*most > 0))
        return 0;
    const int exponent = ilogb(*most);
    return exponent < -range || exponent > range ? exponent : 0;
}

/* A tile of SIDE x SIDE items, of which place is the number. */
template <class T>
__global__ void __launch_bounds__(THREADS)
vectors_copy(const T *a, T *out, int64_t rows, int64_t columns, int transposed, const int *bad, const double *most)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (columns + SIDE - 1) / SIDE, row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const bool wrong = bad && *bad;
    const int scale = wrong ? 0 : scale_of<T>(most);
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + j < rows && column + x < columns) {
            T v = wrong ? number<T>::of(row + j == column + x) : a[(row + j) * columns + column + x];
            if (scale != 0)
                v = made_of<T>(scalbn(re_of(v), -scale), scalbn(im_of(v), -scale));
            if (transposed)
                tile[j][x] = v;
            else
                out[(row + j) * columns + column + x] = v;
        }
    if (!transposed)
        return;
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (column + j < columns && row + x < rows)
            out[(column + j) * rows + row + x] = tile[x][j];
}

/* A block a vector. */
template <class T>
__global__ void __launch_bounds__(THREADS) find_phases(const T *vectors, double *factors, int64_t n, int64_t vector_step,
                                                       int64_t item_step, int conjugated, const int *bad)
{
    __shared__ double most[THREADS];
    __shared__ long long place;
    const T *v = vectors + blockIdx.x * vector_step;
    double best = 0;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        const T x = v[i * item_step];
        best = fmax(best, GARRAY__PHASE_WEIGHT(re_of(x), im_of(x)));
    }
    most[threadIdx.x] = best;
    if (threadIdx.x == 0)
        place = n;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d)
            most[threadIdx.x] = fmax(most[threadIdx.x], most[threadIdx.x + d]);
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        const T x = v[i * item_step];
        if (GARRAY__PHASE_NEAR(GARRAY__PHASE_WEIGHT(re_of(x), im_of(x)), most[0])) {
            atomicMin(&place, (long long)i);
            break;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double re = 1, im = 0;
        if (place < n) {
            const T x = v[place * item_step];
            garray__phase(re_of(x), conjugated ? -im_of(x) : im_of(x), &re, &im);
        }
        if (bad && *bad)
            re = im = (double)NAN;
        factors[2 * (int64_t)blockIdx.x] = re;
        factors[2 * (int64_t)blockIdx.x + 1] = im;
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) turn(garray__turn t)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const T *in = (const T *)t.in;
    T *out = (T *)t.out;
    const int64_t across = (t.columns + SIDE - 1) / SIDE, row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (row + j < t.rows && column + x < t.columns) {
            T v = in[(row + j) * t.columns + column + x];
            if (t.conjugated)
                v = made_of<T>(re_of(v), -im_of(v));
            if (t.factors) {
                const double im = t.factors[2 * (row + j) + 1];
                v = turned(v, t.factors[2 * (row + j)], t.conjugate_factors ? -im : im);
            }
            if (t.transposed)
                tile[j][x] = v;
            else
                out[(row + j) * t.out_step + column + x] = v;
        }
    if (!t.transposed)
        return;
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (column + j < t.columns && row + x < t.rows)
            out[(column + j) * t.out_step + row + x] = tile[x][j];
}

/* ---- the check of an SVD ---- */

template <class T>
__global__ void __launch_bounds__(THREADS) scale_columns(const T *u, const typename number<T>::Real *s, T *out, int64_t m,
                                                         int64_t k, int64_t columns_u)
{
    const int64_t i = this_item();
    if (i >= m * k)
        return;
    const int64_t row = i / k, column = i - row * k;
    const T v = u[row * columns_u + column];
    out[i] = made_of<T>(re_of(v) * (double)s[column], im_of(v) * (double)s[column]);
}

/* partial[row] = the sum of |x - reference|^2 over the row; reference NULL: the identity. */
template <class Real>
__global__ void __launch_bounds__(THREADS) unscale(Real *values, int64_t count, const double *most)
{
    const int64_t i = this_item();
    const int scale = scale_of<Real>(most);
    if (i < count && scale != 0)
        values[i] = (Real)scalbn((double)values[i], scale);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
deviations(const T *x, const T *reference, int64_t columns, double *partial, const double *most)
{
    double sum = 0;
    const int scale = reference ? scale_of<T>(most) : 0;
    const int64_t row = blockIdx.x;
    for (int64_t j = threadIdx.x; j < columns; j += THREADS) {
        const T v = x[row * columns + j];
        const T r = reference ? reference[row * columns + j] : number<T>::of(row == j);
        const double re = re_of(v) - scalbn(re_of(r), -scale), im = im_of(v) - scalbn(im_of(r), -scale);
        sum += re * re + im * im;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[row] = sum;
}

__global__ void __launch_bounds__(THREADS) total(const double *partial, int64_t count, double *answer)
{
    double sum = 0;
    for (int64_t i = threadIdx.x; i < count; i += THREADS)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *answer = sum;
}

template <class Real> __global__ void __launch_bounds__(THREADS) check_values(const Real *s, int64_t k, double *answer)
{
    double wrong = 0;
    for (int64_t i = threadIdx.x; i < k; i += THREADS)
        wrong += !(s[i] >= 0) || (i > 0 && !(s[i] <= s[i - 1]));
    wrong = block_sum(wrong);
    if (threadIdx.x == 0) {
        answer[0] = wrong;
        answer[1] = (double)s[0];
    }
}

/* ---- QR ---- */

/* h holds R column by column; tiles as in vectors_copy().  The diagonal of a complex R is real but for its sign. */
template <class T>
__global__ void __launch_bounds__(THREADS) take_r(const T *h, T *r, double *factors, int64_t m, int64_t n, int64_t rows)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const int64_t across = (n + SIDE - 1) / SIDE, row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const int64_t k = m < n ? m : n;
    for (int j = y; j < SIDE; j += THREADS / SIDE)
        if (column + j < n && row + x < rows)
            tile[x][j] = h[(column + j) * m + row + x];
    __syncthreads();
    for (int j = y; j < SIDE; j += THREADS / SIDE) {
        const int64_t i = row + j;
        if (i >= rows || column + x >= n)
            continue;
        double re = 1, im = 0;
        if (i < k) {
            const T d = h[i * m + i];
            garray__phase(re_of(d), im_of(d), &re, &im);
        }
        r[i * n + column + x] = i <= column + x ? turned(tile[j][x], re, im) : number<T>::zero();
        if (column + x == 0) {
            factors[2 * i] = re;
            factors[2 * i + 1] = -im;
        }
    }
}

/* ---- eigenvalues ---- */

template <class T> __device__ __forceinline__ double value_re(const void *values, int64_t i)
{
    return re_of(((const T *)values)[i]);
}

template <class T> __device__ __forceinline__ double value_im(const void *values, int64_t n, int64_t i)
{
    return IS_COMPLEX<T> ? im_of(((const T *)values)[i]) : re_of(((const T *)values)[n + i]);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
order_values(const void *values, typename number<T>::Real *w, int *rank, int64_t n, const int *bad, int *info)
{
    typedef typename number<T>::Real Real;
    __shared__ double res[THREADS], ims[THREADS];
    const int64_t own = this_item();
    const bool valid = own < n;
    const double re = valid ? value_re<T>(values, own) : 0, im = valid ? value_im<T>(values, n, own) : 0;
    int64_t before = 0;
    for (int64_t begin = 0; begin < n; begin += THREADS) {
        __syncthreads();
        if (begin + threadIdx.x < n) {
            res[threadIdx.x] = value_re<T>(values, begin + threadIdx.x);
            ims[threadIdx.x] = value_im<T>(values, n, begin + threadIdx.x);
        }
        __syncthreads();
        const int count = n - begin < THREADS ? (int)(n - begin) : THREADS;
        for (int i = 0; i < count; i++)
            before += res[i] < re || (res[i] == re && (ims[i] < im || (ims[i] == im && begin + i < own)));
    }
    if (!valid)
        return;
    const bool wrong = *bad != 0;
    rank[own] = (int)(before < n ? before : 0);
    /* a value that is NaN has no place */
    const int64_t place = re == re && im == im && !wrong ? before : own;
    if (re != re || im != im)
        rank[own] = (int)own;
    w[2 * place] = wrong ? (Real)NAN : (Real)re;
    w[2 * place + 1] = wrong ? (Real)NAN : (Real)im;
    if (wrong && own == 0)
        *info = 1;
}

template <class T>
__global__ void __launch_bounds__(THREADS)
order_vectors(const void *values, const T *vectors, typename number<T>::Real *out, const int *rank, int64_t n)
{
    typedef typename number<T>::Real Real;
    const int64_t i = this_item();
    if (i >= n * n)
        return;
    const int64_t j = i / n, row = i - j * n;
    double re = re_of(vectors[i]), im = im_of(vectors[i]);
    if constexpr (!IS_COMPLEX<T>) {
        const double part = value_im<T>(values, n, j);
        if (part > 0 && j + 1 < n) {
            im = re_of(vectors[i + n]);
        } else if (part < 0 && j > 0) {
            im = -re;
            re = re_of(vectors[i - n]);
        }
    }
    out[2 * (rank[j] * n + row)] = (Real)re;
    out[2 * (rank[j] * n + row) + 1] = (Real)im;
}

bool is_single(int dtype) { return dtype == GARRAY_FLOAT32 || dtype == GARRAY_COMPLEX64; }

/* c (m x n) = conj?(a) b of row-major matrices; transposed_a: a is k x m and its transpose is meant. */
garray_status multiply(const garray__queue *q, int dtype, const void *a, int64_t a_step, bool conjugate_transposed_a,
                       const void *b, int64_t b_step, bool conjugate_transposed_b, void *c, int64_t m, int64_t n, int64_t k)
{
    garray_matmul_plan p;
    memset(&p, 0, sizeof p);
    p.dtype = dtype;
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = 1;
    p.a = a;
    p.b = b;
    p.c = c;
    p.conj_a = conjugate_transposed_a && dtype >= GARRAY_COMPLEX64;
    p.conj_b = conjugate_transposed_b && dtype >= GARRAY_COMPLEX64;
    p.a_row = conjugate_transposed_a ? 1 : a_step;
    p.a_col = conjugate_transposed_a ? a_step : 1;
    p.b_row = conjugate_transposed_b ? 1 : b_step;
    p.b_col = conjugate_transposed_b ? b_step : 1;
    p.c_row = n;
    p.alpha[0] = 1;
    return garray__cuda_matmul(q, &p);
}

} /* namespace */

extern "C" {

garray_status garray__cuda_find_range(const garray__queue *q, int dtype, const void *a, int64_t size, int64_t batch, int *bad,
                                      double *most)
{
    int64_t share = blocks_for(size) < 512 ? blocks_for(size) : 512;
    void *args[] = {&a, &size, &share, &bad, &most};
    return launch(q, "range", GARRAY_CUDA_OF_DTYPE(dtype, find_range), share * batch, args);
}

garray_status garray__cuda_unscale(const garray__queue *q, int dtype, void *values, int64_t count, const double *most)
{
    void *args[] = {&values, &count, &most};
    return launch(q, "svd", is_single(dtype) ? (const void *)unscale<float> : (const void *)unscale<double>, blocks_for(count),
                  args);
}

garray_status garray__cuda_vectors_copy(const garray__queue *q, int dtype, const void *a, void *out, int64_t rows,
                                        int64_t columns, bool transposed, const int *bad, const double *most)
{
    int turn_it = transposed;
    void *args[] = {&a, &out, &rows, &columns, &turn_it, &bad, &most};
    return launch(q, "copy", GARRAY_CUDA_OF_DTYPE(dtype, vectors_copy), tiles_of(rows, columns), args);
}

garray_status garray__cuda_find_phases(const garray__queue *q, int dtype, const void *vectors, double *factors, int64_t n,
                                       int64_t count, int64_t vector_step, int64_t item_step, bool conjugated,
                                       const int *bad)
{
    int conj = conjugated;
    void *args[] = {&vectors, &factors, &n, &vector_step, &item_step, &conj, &bad};
    return launch(q, "phases", GARRAY_CUDA_OF_DTYPE(dtype, find_phases), count, args);
}

garray_status garray__cuda_turn(const garray__queue *q, int dtype, const garray__turn *t)
{
    garray__turn copy = *t;
    void *args[] = {&copy};
    return launch(q, "turn", GARRAY_CUDA_OF_DTYPE(dtype, turn), tiles_of(t->rows, t->columns), args);
}

garray_status garray__cuda_check_svd(const garray__queue *q, int dtype, const void *a, const void *u, int64_t columns_u,
                                     const void *s, const void *vh, int64_t m, int64_t n, void *u_s, void *product,
                                     double *partial, double *answer, const double *most)
{
    int64_t k = m < n ? m : n;
    const void *none = nullptr;
    double *to = answer;
    void *scale[] = {&u, &s, &u_s, &m, &k, &columns_u};
    GARRAY_CUDA_TRY(launch(q, "svd", GARRAY_CUDA_OF_DTYPE(dtype, scale_columns), blocks_for(m * k), scale));
    GARRAY_CUDA_TRY(multiply(q, dtype, u_s, k, false, vh, n, false, product, m, n, k));
    void *residual[] = {&product, &a, &n, &partial, &most}, *skew[] = {&product, &none, &k, &partial, &most};
    void *sum_m[] = {&partial, &m, &to}, *sum_k[] = {&partial, &k, &to}, *values[] = {&s, &k, &to};
    GARRAY_CUDA_TRY(launch(q, "svd", GARRAY_CUDA_OF_DTYPE(dtype, deviations), m, residual));
    GARRAY_CUDA_TRY(launch(q, "svd", (const void *)total, 1, sum_m));
    to = answer + 1;
    GARRAY_CUDA_TRY(multiply(q, dtype, u, columns_u, true, u, columns_u, false, product, k, k, m));
    GARRAY_CUDA_TRY(launch(q, "svd", GARRAY_CUDA_OF_DTYPE(dtype, deviations), k, skew));
    GARRAY_CUDA_TRY(launch(q, "svd", (const void *)total, 1, sum_k));
    to = answer + 2;
    GARRAY_CUDA_TRY(multiply(q, dtype, vh, n, false, vh, n, true, product, k, k, n));
    GARRAY_CUDA_TRY(launch(q, "svd", GARRAY_CUDA_OF_DTYPE(dtype, deviations), k, skew));
    GARRAY_CUDA_TRY(launch(q, "svd", (const void *)total, 1, sum_k));
    to = answer + 3;
    return launch(q, "svd", is_single(dtype) ? (const void *)check_values<float> : (const void *)check_values<double>, 1, values);
}

garray_status garray__cuda_take_r(const garray__queue *q, int dtype, const void *h, void *r, double *factors, int64_t m,
                                  int64_t n, int64_t rows)
{
    void *args[] = {&h, &r, &factors, &m, &n, &rows};
    return launch(q, "qr", GARRAY_CUDA_OF_DTYPE(dtype, take_r), tiles_of(rows, n), args);
}

garray_status garray__cuda_order_values(const garray__queue *q, int dtype, const void *values, void *w, int *rank, int64_t n,
                                        const int *bad, int *info)
{
    void *args[] = {&values, &w, &rank, &n, &bad, &info};
    return launch(q, "eig", GARRAY_CUDA_OF_DTYPE(dtype, order_values), blocks_for(n), args);
}

garray_status garray__cuda_order_vectors(const garray__queue *q, int dtype, const void *values, const void *vectors, void *out,
                                         const int *rank, int64_t n)
{
    void *args[] = {&values, &vectors, &out, &rank, &n};
    return launch(q, "eig", GARRAY_CUDA_OF_DTYPE(dtype, order_vectors), blocks_for(n * n), args);
}

} /* extern "C" */
