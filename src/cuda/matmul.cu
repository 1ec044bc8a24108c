/* SPDX-License-Identifier: BSD-3-Clause
 * Products that cuBLAS does not have: integers (which wrap) and bool (or of ands) by 64 x 64 tiles in shared memory,
 * and inner products of long rows, summed wide and in a fixed order. */
#include "cuda/kernel.cuh"
#include "cuda/matmul.h"
#include "cuda/scan_ops.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, SIDE = 64, DEPTH = 16, EACH = 4;

__device__ __forceinline__ const garray__axis *axes_of(const garray__product_args &p)
{
    return p.far_axes ? p.far_axes : p.axes;
}

/* ---- integers ------------------------------------------------------------------------------------------------ */
/* One type per width: wrapping products do not know signs.  A thread has 4 x 4 sums. */
template <class T, class Sum>
__global__ void __launch_bounds__(THREADS) integer_product(const __grid_constant__ garray__product_args p)
{
    __shared__ Sum left[DEPTH][SIDE + 1], right[DEPTH][SIDE + 1];
    const int64_t columns = (p.n + SIDE - 1) / SIDE, rows = (p.m + SIDE - 1) / SIDE;
    const int64_t tile = blockIdx.x % (columns * rows), item = blockIdx.x / (columns * rows);
    const int64_t row = tile / columns * SIDE, column = tile % columns * SIDE;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item, offset);
    const T *a = (const T *)p.a + offset[0], *b = (const T *)p.b + offset[1];
    T *c = (T *)p.c + offset[2];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    Sum sum[EACH][EACH] = {};

    for (int64_t k = 0; k < p.k; k += DEPTH) {
        for (int i = threadIdx.x; i < SIDE * DEPTH; i += THREADS) {
            /* the axis with step 1 runs along the threads */
            const int ar = p.a_col == 1 ? i / DEPTH : i % SIDE, ak = p.a_col == 1 ? i % DEPTH : i / SIDE;
            const int bc = p.b_col == 1 ? i % SIDE : i / DEPTH, bk = p.b_col == 1 ? i / SIDE : i % DEPTH;
            left[ak][ar] = row + ar < p.m && k + ak < p.k ? (Sum)a[(row + ar) * p.a_row + (k + ak) * p.a_col] : 0;
            right[bk][bc] = column + bc < p.n && k + bk < p.k ? (Sum)b[(k + bk) * p.b_row + (column + bc) * p.b_col] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    if (p.boolean)
                        sum[i][j] |= left[d][y + 16 * i] & right[d][x + 16 * j];
                    else
                        sum[i][j] += left[d][y + 16 * i] * right[d][x + 16 * j];
                }
        __syncthreads();
    }
    const Sum alpha = (Sum)(int64_t)p.alpha[0], beta = (Sum)(int64_t)p.beta[0];
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int64_t r = row + y + 16 * i, s = column + x + 16 * j;
            if (r >= p.m || s >= p.n)
                continue;
            T *to = &c[r * p.c_row + s];
            const Sum old = beta != 0 ? (Sum)*to : 0;
            *to = p.boolean ? (T)((alpha != 0 && sum[i][j] != 0) || old != 0) : (T)(alpha * sum[i][j] + beta * old);
        }
}

/* ---- inner products -------------------------------------------------------------------------------------------- */
template <class T> struct integer_inner {
    typedef T In;
    typedef uint64_t State;
    __device__ static __forceinline__ State empty() { return 0; }
    __device__ static __forceinline__ void merge(State &s, State t) { s += t; }
    __device__ static __forceinline__ void take(State &s, T a, T b, const garray__product_args &p)
    {
        if (p.boolean)
            s |= (State)(a & b);
        else
            s += (State)a * (State)b;
    }
    __device__ static __forceinline__ void put(T *c, State s, const garray__product_args &p)
    {
        const State alpha = (State)(int64_t)p.alpha[0], beta = (State)(int64_t)p.beta[0], old = beta ? (State)*c : 0;
        *c = p.boolean ? (T)((alpha && s) || old) : (T)(alpha * s + beta * old);
    }
};

/* Products of floats of up to 32 bits are exact in double; those of doubles are pairs, as their sums are. */
__device__ __forceinline__ void add_product(double &s, double a, double b) { s += a * b; }

__device__ __forceinline__ void add_product(pair &s, double a, double b)
{
    const double product = a * b;
    wide_add(s, product);
    if (isfinite(product))
        s.lo += fma(a, b, -product);
}

template <class T> struct real_inner : scan_real_sum<T> {
    typedef typename scan_real_sum<T>::State State;
    __device__ static __forceinline__ void take(State &s, T a, T b, const garray__product_args &)
    {
        add_product(s, (double)value_of(a), (double)value_of(b));
    }
    __device__ static __forceinline__ void put(T *c, const State &s, const garray__product_args &p)
    {
        double v = p.alpha[0] * wide_value(s);
        if (p.beta[0] != 0)
            v += p.beta[0] * (double)value_of(*c);
        *c = store_as<T>(v);
    }
};

template <class T> struct complex_inner : scan_complex_sum<T> {
    typedef typename scan_complex_sum<T>::State State;
    typedef decltype(T::re) Real;
    __device__ static __forceinline__ void take(State &s, T a, T b, const garray__product_args &p)
    {
        const double ai = p.conj_a ? -(double)a.im : (double)a.im, bi = p.conj_b ? -(double)b.im : (double)b.im;
        add_product(s.re, a.re, b.re);
        add_product(s.re, -ai, bi);
        add_product(s.im, a.re, bi);
        add_product(s.im, ai, b.re);
    }
    __device__ static __forceinline__ void put(T *c, const State &s, const garray__product_args &p)
    {
        const double re = wide_value(s.re), im = wide_value(s.im);
        const bool plain = p.alpha[1] == 0, add = p.beta[0] != 0 || p.beta[1] != 0;
        double x = plain ? p.alpha[0] * re : p.alpha[0] * re - p.alpha[1] * im;
        double y = plain ? p.alpha[0] * im : p.alpha[0] * im + p.alpha[1] * re;
        if (add) {
            x += p.beta[0] * c->re - p.beta[1] * c->im;
            y += p.beta[0] * c->im + p.beta[1] * c->re;
        }
        *c = T{(Real)x, (Real)y};
    }
};

template <class Op> __device__ __forceinline__ typename Op::State block_sum(typename Op::State s)
{
    typedef typename Op::State State;
    __shared__ alignas(16) unsigned char room[sizeof(State) * THREADS];
    State *states = (State *)room;
    states[threadIdx.x] = s;
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) {
            Op::merge(s, states[threadIdx.x + d]);
            states[threadIdx.x] = s;
        }
    }
    return s;
}

/* A vector of items, at any address. */
template <class T> __device__ __forceinline__ pack<16> load_vector(const T *p)
{
    constexpr int GRAIN = is_complex<T>::value ? sizeof(T) / 2 : sizeof(T);
    return ((uintptr_t)p & 15) == 0 ? load_aligned<16>(p) : load_shifted<GRAIN>(p);
}

/* A thread takes vectors of items, THREADS vectors apart, wherever they lie: the layout does not change the sum. */
template <class Op> __global__ void __launch_bounds__(THREADS) inner_product(const __grid_constant__ garray__product_args p)
{
    typedef typename Op::In T;
    typedef typename Op::State State;
    constexpr int EACH = 16 / (int)sizeof(T), UNROLL = 4;
    const int64_t item_of = blockIdx.x / p.segments, segment = blockIdx.x % p.segments;
    const int64_t begin = segment * p.segment, length = min(p.segment, p.k - begin), vectors = length / EACH;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item_of, offset);
    const T *a = (const T *)p.a + offset[0] + begin * p.a_col, *b = (const T *)p.b + offset[1] + begin * p.b_row;
    const bool flat = p.a_col == 1 && p.b_row == 1, aligned = flat && (((uintptr_t)a | (uintptr_t)b) & 15) == 0;
    State s = Op::empty();
    const auto take = [&](const pack<16> &x, const pack<16> &y) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            Op::take(s, item<T>(x, e), item<T>(y, e), p);
    };
    int64_t v = threadIdx.x;
    for (; aligned && v + (UNROLL - 1) * THREADS < vectors; v += UNROLL * THREADS) {
        pack<16> x[UNROLL], y[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            x[u] = load_aligned<16>(a + (v + u * THREADS) * EACH);
            y[u] = load_aligned<16>(b + (v + u * THREADS) * EACH);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            take(x[u], y[u]);
    }
#pragma unroll 2
    for (; flat && v < vectors; v += THREADS)
        take(load_vector(a + v * EACH), load_vector(b + v * EACH));
#pragma unroll 2
    for (; v < vectors; v += THREADS) {
        pack<16> x = zero_pack<16>(), y = zero_pack<16>();
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            set_item(x, e, a[(v * EACH + e) * p.a_col]);
            set_item(y, e, b[(v * EACH + e) * p.b_row]);
        }
        take(x, y);
    }
    const int64_t rest = vectors * EACH + threadIdx.x;
    if (rest < length)
        Op::take(s, a[rest * p.a_col], b[rest * p.b_row], p);
    s = block_sum<Op>(s);
    if (threadIdx.x != 0)
        return;
    if (p.segments > 1)
        ((State *)p.partial)[item_of * p.segments + segment] = s;
    else
        Op::put((T *)p.c + offset[2], s, p);
}

template <class Op> __global__ void __launch_bounds__(THREADS) inner_merge(const __grid_constant__ garray__product_args p)
{
    typedef typename Op::State State;
    const State *from = (const State *)p.partial + blockIdx.x * p.segments;
    State s = Op::empty();
    for (int64_t i = threadIdx.x; i < p.segments; i += THREADS)
        Op::merge(s, from[i]);
    s = block_sum<Op>(s);
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, blockIdx.x, offset);
    if (threadIdx.x == 0)
        Op::put((typename Op::In *)p.c + offset[2], s, p);
}

/* ---- conjugated copies ----------------------------------------------------------------------------------------- */
template <class T> __global__ void __launch_bounds__(THREADS) conj_copy(const __grid_constant__ garray__product_args p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.batch * p.m * p.n)
        return;
    const int64_t item = i / (p.m * p.n), rest = i - item * (p.m * p.n), row = rest / p.n, column = rest - row * p.n;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item, offset);
    const T v = ((const T *)p.a)[offset[0] + row * p.a_row + column * p.a_col];
    ((T *)p.c)[i] = T{v.re, -v.im};
}

garray_status launch(const garray__queue *q, const void *kernel, int64_t blocks, const garray__product_args *args)
{
    garray__product_args p = *args;
    void *list[] = {&p};
    if (blocks > INT32_MAX)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "a matrix product with %lld x %lld x %lld and a batch of "
                                       "%lld is too large for one launch", (long long)p.m, (long long)p.k, (long long)p.n,
                                       (long long)p.batch);
    return garray__cuda_launch(q, "matmul", kernel, dim3((unsigned)blocks), dim3(THREADS), 0, list);
}

} /* namespace */

extern "C" garray_status garray__cuda_integer_product(const garray__queue *q, int dtype, const garray__product_args *args)
{
    static const void *const kernels[] = {(const void *)integer_product<uint8_t, uint32_t>,
                                          (const void *)integer_product<uint16_t, uint32_t>,
                                          (const void *)integer_product<uint32_t, uint32_t>,
                                          (const void *)integer_product<uint64_t, uint64_t>};
    const int width = dtype == GARRAY_BOOL ? 0 : (dtype - GARRAY_INT8) % 4;
    const int64_t tiles = (args->m + SIDE - 1) / SIDE * ((args->n + SIDE - 1) / SIDE);
    return launch(q, kernels[width], tiles * args->batch, args);
}

extern "C" garray_status garray__cuda_inner_product(const garray__queue *q, int dtype, const garray__product_args *args)
{
#define BOTH(...) {(const void *)inner_product<__VA_ARGS__>, (const void *)inner_merge<__VA_ARGS__>}
    static const void *const kernels[][2] = {
        BOTH(integer_inner<uint8_t>), BOTH(integer_inner<uint16_t>), BOTH(integer_inner<uint32_t>),
        BOTH(integer_inner<uint64_t>), BOTH(real_inner<half16>), BOTH(real_inner<bfloat>), BOTH(real_inner<float>),
        BOTH(real_inner<double>), BOTH(complex_inner<garray__c64>), BOTH(complex_inner<garray__c128>),
    };
#undef BOTH
    const int row = dtype == GARRAY_BOOL ? 0 : dtype <= GARRAY_UINT64 ? (dtype - GARRAY_INT8) % 4 : dtype - GARRAY_FLOAT16 + 4;
    GARRAY_CUDA_TRY(launch(q, kernels[row][0], args->batch * args->segments, args));
    return args->segments > 1 ? launch(q, kernels[row][1], args->batch, args) : GARRAY_OK;
}

extern "C" garray_status garray__cuda_conj_copy(const garray__queue *q, int dtype, const garray__product_args *args)
{
    const int64_t blocks = (args->batch * args->m * args->n + THREADS - 1) / THREADS;
    return launch(q, dtype == GARRAY_COMPLEX64 ? (const void *)conj_copy<garray__c64> : (const void *)conj_copy<garray__c128>,
                  blocks, args);
}
