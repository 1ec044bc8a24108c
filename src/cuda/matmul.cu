/* SPDX-License-Identifier: BSD-3-Clause
 * Products that cuBLAS does not have: integers (which wrap) and bool (or of ands) by 64 x 64 tiles in shared memory,
 * and inner products of long rows, summed wide and in a fixed order. */
#include "cuda/kernel.cuh"
#include "cuda/matmul.h"
#include "cuda/scan_ops.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_BLOCK, SIDE = 64, EACH = 4;

__device__ __forceinline__ const garray__axis *axes_of(const garray__product_args &p)
{
    return p.far_axes ? p.far_axes : p.axes;
}

/* ---- integers ------------------------------------------------------------------------------------------------ */
/* How the threads of a block bring a tile of DEPTH x WIDTH items: along the axis with step 1.  An item of a thread lies `along`
 * and `deep` beyond the one before it. */
template <class T, int WIDTH, int DEPTH> struct tile_reader {
    static constexpr int COUNT = WIDTH * DEPTH / THREADS;
    const T *from;                      /* the thread's first item of the next tile */
    int64_t step, next, left, wide;     /* to its next item, to the next tile; places of both axes that are left */
    int first_along, first_deep, along, deep;

    __device__ __forceinline__ tile_reader(const T *p, int64_t begin, int64_t width, int64_t depth, int64_t step_along,
                                           int64_t step_deep)
    {
        const bool deep_first = step_deep == 1;
        first_along = deep_first ? threadIdx.x / DEPTH : threadIdx.x % WIDTH;
        first_deep = deep_first ? threadIdx.x % DEPTH : threadIdx.x / WIDTH;
        along = deep_first ? THREADS / DEPTH : 0;
        deep = deep_first ? 0 : THREADS / WIDTH;
        from = p + (begin + first_along) * step_along + first_deep * step_deep;
        step = along * step_along + deep * step_deep;
        next = DEPTH * step_deep;
        wide = width - begin - first_along;
        left = depth - first_deep;
    }
    __device__ __forceinline__ void fetch(T (&x)[COUNT])
    {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            x[j] = j * along < wide && j * deep < left ? from[j * step] : 0;
        from += next;
        left -= DEPTH;
    }
    template <class Sum> __device__ __forceinline__ void put(Sum (*room)[WIDTH + 1], const T (&x)[COUNT]) const
    {
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            room[first_deep + j * deep][first_along + j * along] = (Sum)x[j];
    }
};

/* A sum of products modulo 2^32 or 2^64, or the or of ands. */
template <class T, bool BOOLEAN> struct wrapping_sum {
    typedef uint32_t Item;
    uint32_t total = 0;
    __device__ __forceinline__ void add(uint32_t a, uint32_t b)
    {
        if constexpr (BOOLEAN)
            total |= a & b;
        else
            total += a * b;
    }
    __device__ __forceinline__ uint32_t value() const { return total; }
};
/* What the cross products add to the upper word is kept apart: three instructions a product, where a plain sum has six. */
template <> struct wrapping_sum<uint64_t, false> {
    typedef uint64_t Item;
    uint64_t low = 0;
    uint32_t cross = 0;
    __device__ __forceinline__ void add(uint64_t a, uint64_t b)
    {
        asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(low) : "r"((uint32_t)a), "r"((uint32_t)b));
        cross += (uint32_t)a * (uint32_t)(b >> 32);
        cross += (uint32_t)(a >> 32) * (uint32_t)b;
    }
    __device__ __forceinline__ uint64_t value() const { return low + ((uint64_t)cross << 32); }
};

/* One type per width: wrapping products do not know signs.  A thread has TALL x 4 sums; the next items come from memory while
 * those of the tile are multiplied. */
template <class T, bool BOOLEAN, int TALL>
__global__ void __launch_bounds__(THREADS, 2) integer_product(const __grid_constant__ garray__product_args p)
{
    typedef wrapping_sum<T, BOOLEAN> Total;
    typedef typename Total::Item Sum;
    constexpr int HEIGHT = 16 * TALL, DEPTH = 16;
    __shared__ Sum left[DEPTH][HEIGHT + 1], right[DEPTH][SIDE + 1];
    const int64_t columns = (p.n + SIDE - 1) / SIDE, rows = (p.m + HEIGHT - 1) / HEIGHT;
    const int64_t tile = blockIdx.x % (columns * rows), item = blockIdx.x / (columns * rows);
    const int64_t row = tile / columns * HEIGHT, column = tile % columns * SIDE;
    int64_t offset[3] = {0, 0, 0};
    axis_walk<3>(axes_of(p), p.nbatch, true, item, offset);
    tile_reader<T, HEIGHT, DEPTH> a((const T *)p.a + offset[0], row, p.m, p.k, p.a_row, p.a_col);
    tile_reader<T, SIDE, DEPTH> b((const T *)p.b + offset[1], column, p.n, p.k, p.b_col, p.b_row);
    T *c = (T *)p.c + offset[2];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    T next_a[a.COUNT], next_b[b.COUNT];
    Total sum[TALL][EACH];

    a.fetch(next_a);
    b.fetch(next_b);
    for (int64_t k = 0; k < p.k; k += DEPTH) {
        a.put(left, next_a);
        b.put(right, next_b);
        __syncthreads();
        a.fetch(next_a);
        b.fetch(next_b);
#pragma unroll 4
        for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int i = 0; i < TALL; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sum[i][j].add(left[d][y + 16 * i], right[d][x + 16 * j]);
        __syncthreads();
    }
    const Sum alpha = (Sum)(int64_t)p.alpha[0], beta = (Sum)(int64_t)p.beta[0];
#pragma unroll
    for (int i = 0; i < TALL; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int64_t r = row + y + 16 * i, s = column + x + 16 * j;
            if (r >= p.m || s >= p.n)
                continue;
            T *to = &c[r * p.c_row + s];
            const Sum old = beta != 0 ? (Sum)*to : 0, total = sum[i][j].value();
            *to = BOOLEAN ? (T)((alpha != 0 && total != 0) || old != 0) : (T)(alpha * total + beta * old);
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
    static const void *const kernels[][2] = {
        {(const void *)integer_product<uint8_t, false, 4>, (const void *)integer_product<uint8_t, false, 8>},
        {(const void *)integer_product<uint16_t, false, 4>, (const void *)integer_product<uint16_t, false, 8>},
        {(const void *)integer_product<uint32_t, false, 4>, (const void *)integer_product<uint32_t, false, 8>},
        {(const void *)integer_product<uint64_t, false, 4>},        /* more sums do not fit the registers */
        {(const void *)integer_product<uint8_t, true, 4>, (const void *)integer_product<uint8_t, true, 8>},
    };
    const int width = dtype == GARRAY_BOOL ? 4 : (dtype - GARRAY_INT8) % 4;
    const int64_t strips = (args->n + SIDE - 1) / SIDE * args->batch, low = (args->m + 63) / 64, high = (args->m + 127) / 128;
    /* high tiles read shared memory less, if there are enough of them for all multiprocessors */
    const bool is_high = kernels[width][1] && high * strips >= 2 * garray__cuda_device_of(q)->multiprocessors;
    return launch(q, kernels[width][is_high], (is_high ? high : low) * strips, args);
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
