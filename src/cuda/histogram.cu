/* SPDX-License-Identifier: BSD-3-Clause
 * Counting items by bin.  A block counts in shared memory, in as many copies of its counters as there is room for: with
 * 32 of them each lane has a bank of its own and nothing collides.  Counts are integers, so that the order of the atomic
 * additions does not matter. */
#include "cuda/histogram.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

using namespace garray__cuda;

namespace {

constexpr int THREADS = GARRAY_CUDA_HISTOGRAM_THREADS, BATCH = 4;

/* ---- from an item to its bin ---- */
/* guess() says whether it is sure; exact() always is.  -1: no bin. */

__device__ __noinline__ int64_t exact_bin(const garray__bins *b, double v) { return garray__bin_of(b, v); }

template <class T> struct find_value {
    typedef int64_t Bin;
    int64_t bins;
    __device__ __forceinline__ find_value(const garray__histogram_args &a) : bins(a.bins.bins) {}
    __device__ __forceinline__ int64_t guess(T x, bool &sure) const
    {
        const int64_t v = (int64_t)value_of(x);
        sure = true;
        return (uint64_t)v < (uint64_t)bins ? v : -1;
    }
    __device__ __forceinline__ int64_t exact(T) const { return -1; }
};

template <class T> struct find_float {
    typedef int32_t Bin;
    const garray__bins &b;
    float first, low, high, scale, slack;
    __device__ __forceinline__ find_float(const garray__histogram_args &a)
        : b(a.bins), first(b.first_f), low(b.low_f), high(b.high_f), scale(b.scale_f), slack(b.slack_f)
    {
    }
    /* The nearest integer comes from an addition that leaves it in the low bits: conversions run at a quarter of the speed.
     * There are fewer than 2^22 bins, or the slack would be too large for this finder. */
    __device__ __forceinline__ int32_t guess(T x, bool &sure) const
    {
        const float v = (float)value_of(x), t = (v - first) * scale, shifted = t + 0x1.8p23f, part = t - (shifted - 0x1.8p23f);
        const int32_t near = __float_as_int(shifted) - __float_as_int(0x1.8p23f);
        const bool outside = !(v >= low && v <= high);
        sure = outside || fabsf(part) > slack;
        return outside ? -1 : near - (part < 0);
    }
    __device__ __forceinline__ int32_t exact(T x) const { return (int32_t)exact_bin(&b, (double)(float)value_of(x)); }
};

template <class T> struct find_double {
    typedef int64_t Bin;
    const garray__bins &b;
    bool guesses;
    __device__ __forceinline__ find_double(const garray__histogram_args &a) : b(a.bins), guesses(b.uniform && b.slack < 1) {}
    __device__ __forceinline__ int64_t guess(T x, bool &sure) const
    {
        const double v = (double)value_of(x), t = (v - b.first) * b.scale;
        const bool outside = !(v >= b.first && v <= b.last);
        const int32_t k = (int32_t)t;
        const double part = t - (double)k;
        sure = guesses && (outside || (part > b.slack && part < 1 - b.slack));
        return outside ? -1 : k;
    }
    __device__ __forceinline__ int64_t exact(T x) const { return exact_bin(&b, (double)value_of(x)); }
};

/* ---- counting ---- */

__device__ __forceinline__ void add(int64_t *count, uint32_t n)
{
    atomicAdd((unsigned long long *)count, (unsigned long long)n);
}

/* The smallest and largest item of a thread, to those of all. */
template <class T> struct extent_of {
    int64_t low, high;
    __device__ __forceinline__ extent_of() : low(INT64_MAX), high(INT64_MIN) {}
    __device__ __forceinline__ void take(T x)
    {
        if constexpr (is_integer<T>::value || same<T, boolean>::value) {
            const int64_t v = (int64_t)value_of(x);
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    __device__ __forceinline__ void store(int64_t *extent) const
    {
        long long l = low, h = high;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const long long other_l = __shfl_xor_sync(0xffffffffu, l, d), other_h = __shfl_xor_sync(0xffffffffu, h, d);
            l = other_l < l ? other_l : l;
            h = other_h > h ? other_h : h;
        }
        if ((threadIdx.x & 31) == 0) {
            atomicMin((long long *)extent, l);
            atomicMax((long long *)extent + 1, h);
        }
    }
};

template <class T, class Find>
__global__ void __launch_bounds__(THREADS, 3) histogram_count(const __grid_constant__ garray__histogram_args a)
{
    extern __shared__ uint32_t table[];
    constexpr int items = 16 / (int)sizeof(T);
    const Find find(a);
    const int64_t bins = a.bins.bins;
    const int words = a.shared ? (int)bins << a.log_copies : 0, log = a.log_copies;
    uint32_t *const mine = table + (threadIdx.x & ((1u << log) - 1));
    const bool in_shared = a.shared, with_extent = a.extent != NULL, with_counts = a.counts != NULL;
    extent_of<T> extent;
    for (int i = threadIdx.x; i < words; i += THREADS)
        table[i] = 0;
    __syncthreads();

    const auto take = [&](const auto &x) {      /* an array of items; the few that are not sure cost no branch each */
        constexpr int n = sizeof x / sizeof x[0];
        typename Find::Bin k[n];
        uint32_t unsure = 0;
#pragma unroll
        for (int e = 0; e < n && with_extent; e++)
            extent.take(x[e]);
        if (!with_counts)
            return;
#pragma unroll
        for (int e = 0; e < n; e++) {
            bool sure;
            k[e] = find.guess(x[e], sure);
            unsure |= (uint32_t)!sure << e;
        }
        if (unsure != 0)
#pragma unroll
            for (int e = 0; e < n; e++)
                if (unsure >> e & 1)
                    k[e] = find.exact(x[e]);
#pragma unroll
        for (int e = 0; e < n; e++) {
            if (k[e] < 0)
                continue;
            if (in_shared)
                atomicAdd(&mine[(uint32_t)k[e] << log], 1u);
            else
                add(a.counts + k[e], 1);
        }
    };
    const auto take_one = [&](T x) {
        const T one[1] = {x};
        take(one);
    };
    const auto take_vector = [&](const pack<16> &p) {
        T x[items];
#pragma unroll
        for (int e = 0; e < items; e++)
            x[e] = item<T>(p, e);
        take(x);
    };
    /* items up to a multiple of 16 bytes, then vectors, then the rest */
    const T *in = (const T *)a.in;
    int64_t head = (int64_t)((16 - ((uintptr_t)in & 15)) & 15) / (int)sizeof(T);
    head = head < a.n ? head : a.n;
    const int64_t vectors = (a.n - head) / items, tail = head + vectors * items;
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x, threads = (int64_t)gridDim.x * THREADS;
    if (thread < head)
        take_one(in[thread]);
    if (thread < a.n - tail)
        take_one(in[tail + thread]);
    const char *vector = (const char *)(in + head);
    int64_t v = thread;
    for (; v + (BATCH - 1) * threads < vectors; v += BATCH * threads) {
        pack<16> p[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            p[i] = load_aligned<16>(vector + 16 * (v + i * threads));
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            take_vector(p[i]);
    }
    for (; v < vectors; v += threads)
        take_vector(load_aligned<16>(vector + 16 * v));

    if (with_extent)
        extent.store(a.extent);
    __syncthreads();
    for (int b = threadIdx.x; in_shared && b < (int)bins; b += THREADS) {
        uint32_t sum = 0;
        for (int c = 0; c < 1 << log; c++)
            sum += table[(b << log) + ((c + b) & ((1 << log) - 1))];    /* neighbours begin at different banks */
        if (sum)
            add(a.counts + b, sum);
    }
}

/* Few even bins of numbers that float holds, without atomics: additions in shared memory at the same time take four times as
 * long as what is here.  A thread has a byte for each counter, lanes on different banks, and before a byte can overflow a thread
 * adds up those of one counter.
 * The nearest whole number of the guess less a half is the bin, unless an edge is near, and lies in the low bits of a sum,
 * from where it goes into an address.  What is near an edge is found exactly, behind the other items of its vector; it and what
 * is outside are counted beyond the last bin, as a choice of address costs less than a branch. */
constexpr int EVEN = GARRAY_CUDA_HISTOGRAM_EVEN_THREADS;

template <class T>
__global__ void __launch_bounds__(EVEN, 3) histogram_count_even(const __grid_constant__ garray__histogram_args a)
{
    extern __shared__ uint32_t table[];         /* [counter][thread] of bytes */
    constexpr int items = 16 / (int)sizeof(T), period = (EVEN - 3) / (BATCH * items), words = EVEN / 4;
    constexpr uint32_t shifter = 0x4b400000u;   /* 1.5 * 2^23 */
    const garray__bins &b = a.bins;
    const int bins = (int)b.bins, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float first = b.first_f, low = b.low_f, high = b.high_f, scale = b.scale_f, limit = __fsub_rd(0.5f, b.slack_f);
    const float beyond = 0x1.8p23f + (float)bins;
    /* four warps share the words of their lanes */
    unsigned char *const mine = (unsigned char *)table + lane * 4 + warp % 4 + warp / 4 * 128;
    for (int i = threadIdx.x; i < (bins + 1) * words; i += EVEN)
        table[i] = 0;
    __syncthreads();

    const auto look = [&](T x, float &shifted, bool &inside) {
        const float v = (float)value_of(x), s = fmaf(v - first, scale, -0.5f);
        shifted = s + 0x1.8p23f;
        inside = v >= low && v <= high;
        return fabsf(s - (shifted - 0x1.8p23f)) < limit;
    };
    const auto take = [&](T x) {        /* whether it is left for an exact search */
        float shifted;
        bool inside;
        const bool clear = look(x, shifted, inside);
        mine[(__float_as_uint(inside && clear ? shifted : beyond) - shifter) * EVEN]++;
        return inside && !clear;
    };
    const auto take_exactly = [&](T x) {
        const int64_t k = exact_bin(&b, (double)(float)value_of(x));
        if (k >= 0)
            mine[(uint32_t)k * EVEN]++;
    };
    const auto take_vector = [&](const pack<16> &p) {
        bool left = false;
#pragma unroll
        for (int e = 0; e < items; e++)
            left |= take(item<T>(p, e));
        if (left)
#pragma unroll
            for (int e = 0; e < items; e++) {
                float shifted;
                bool inside;
                if (!look(item<T>(p, e), shifted, inside) && inside)
                    take_exactly(item<T>(p, e));
            }
    };
    const auto take_one = [&](T x) {
        if (take(x))
            take_exactly(x);
    };
    uint32_t total = 0;                 /* of the thread's counter */
    const auto add_up = [&]() {
        __syncthreads();
        if ((int)threadIdx.x < bins) {
            uint32_t *const row = table + threadIdx.x * words;
#pragma unroll 8
            for (int i = 0; i < words; i++) {
                const int w = (i + lane) % words;       /* lanes begin at different banks */
                total = __dp4a(row[w], 0x01010101u, total);
                row[w] = 0;
            }
        }
        __syncthreads();
    };

    const T *in = (const T *)a.in;
    int64_t head = (int64_t)((16 - ((uintptr_t)in & 15)) & 15) / (int)sizeof(T);
    head = head < a.n ? head : a.n;
    const int64_t vectors = (a.n - head) / items, tail = head + vectors * items;
    const int64_t thread = (int64_t)blockIdx.x * EVEN + threadIdx.x, threads = (int64_t)gridDim.x * EVEN;
    if (thread < head)
        take_one(in[thread]);
    if (thread < a.n - tail)
        take_one(in[tail + thread]);
    const char *vector = (const char *)(in + head);
    /* the steps that all threads of the block have, since they add up together; fewer than 2 * BATCH vectors are left to each */
    const int64_t last = (int64_t)(blockIdx.x + 1) * EVEN - 1 + (BATCH - 1) * threads;
    const int64_t steps = vectors > last ? (vectors - 1 - last) / (BATCH * threads) + 1 : 0;
    int64_t v = thread;
    for (int64_t step = 0; step < steps; step++, v += BATCH * threads) {
        pack<16> p[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            p[i] = load_aligned<16>(vector + 16 * (v + i * threads));
        if (step % period == period - 1)
            add_up();
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            take_vector(p[i]);
    }
    add_up();
    for (; v < vectors; v += threads)
        take_vector(load_aligned<16>(vector + 16 * v));
    add_up();
    if (total > 0)
        add(a.counts + threadIdx.x, total);
}

/* The bin of each item, or its place so far times the bins, and the bin. */
template <class T, class Find>
__global__ void __launch_bounds__(THREADS) histogram_find(const __grid_constant__ garray__histogram_args a)
{
    const Find find(a);
    const T *in = (const T *)a.in;
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < a.n; i += threads) {
        bool sure;
        int64_t k = find.guess(in[i], sure);
        if (!sure)
            k = find.exact(in[i]);
        if (a.bin) {
            a.bin[i] = (int32_t)k;
        } else {
            const int64_t place = a.places[i];
            a.places[i] = place < 0 || k < 0 ? -1 : place * a.bins.bins + k;
        }
    }
}

__global__ void __launch_bounds__(THREADS) histogram_start(int64_t *counts, int64_t bins, int64_t *extent)
{
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x, threads = (int64_t)gridDim.x * THREADS;
    if (extent && thread == 0) {
        extent[0] = INT64_MAX;
        extent[1] = INT64_MIN;
    }
    for (int64_t b = thread; counts && b < bins; b += threads)
        counts[b] = 0;
}

} /* namespace */

extern "C" const void *garray__cuda_histogram_even_kernel(int dtype)
{
    switch (dtype) {
    case GARRAY_BOOL: return (const void *)histogram_count_even<boolean>;
    case GARRAY_INT8: return (const void *)histogram_count_even<int8_t>;
    case GARRAY_INT16: return (const void *)histogram_count_even<int16_t>;
    case GARRAY_UINT8: return (const void *)histogram_count_even<uint8_t>;
    case GARRAY_UINT16: return (const void *)histogram_count_even<uint16_t>;
    case GARRAY_FLOAT16: return (const void *)histogram_count_even<half16>;
    case GARRAY_BFLOAT16: return (const void *)histogram_count_even<bfloat>;
    default: return (const void *)histogram_count_even<float>;
    }
}

extern "C" const void *garray__cuda_histogram_kernel(int dtype, garray__histogram_finder finder, bool count)
{
    const void *found = NULL;
#define KERNEL(T, F) found = count ? (const void *)histogram_count<T, F<T>> : (const void *)histogram_find<T, F<T>>
#define INTEGER(number, T)                                             \
    case number:                                                       \
        if (finder == GARRAY__HISTOGRAM_VALUE)                         \
            KERNEL(T, find_value);                                     \
        else                                                           \
            KERNEL(T, find_double);                                    \
        break;
#define NARROW_INTEGER(number, T)                                      \
    case number:                                                       \
        if (finder == GARRAY__HISTOGRAM_VALUE)                         \
            KERNEL(T, find_value);                                     \
        else if (finder == GARRAY__HISTOGRAM_FLOAT)                    \
            KERNEL(T, find_float);                                     \
        else                                                           \
            KERNEL(T, find_double);                                    \
        break;
#define NARROW_FLOAT(number, T)                                        \
    case number:                                                       \
        if (finder == GARRAY__HISTOGRAM_FLOAT)                         \
            KERNEL(T, find_float);                                     \
        else if (finder == GARRAY__HISTOGRAM_DOUBLE)                   \
            KERNEL(T, find_double);                                    \
        break;
    switch (dtype) {
        NARROW_INTEGER(GARRAY_BOOL, boolean)
        NARROW_INTEGER(GARRAY_INT8, int8_t)
        NARROW_INTEGER(GARRAY_INT16, int16_t)
        INTEGER(GARRAY_INT32, int32_t)
        INTEGER(GARRAY_INT64, int64_t)
        NARROW_INTEGER(GARRAY_UINT8, uint8_t)
        NARROW_INTEGER(GARRAY_UINT16, uint16_t)
        INTEGER(GARRAY_UINT32, uint32_t)
        INTEGER(GARRAY_UINT64, uint64_t)
        NARROW_FLOAT(GARRAY_FLOAT16, half16)
        NARROW_FLOAT(GARRAY_BFLOAT16, bfloat)
        NARROW_FLOAT(GARRAY_FLOAT32, float)
    case GARRAY_FLOAT64:
        if (finder == GARRAY__HISTOGRAM_DOUBLE)
            KERNEL(double, find_double);
        break;
    }
#undef KERNEL
#undef INTEGER
#undef NARROW_INTEGER
#undef NARROW_FLOAT
    return found;
}

extern "C" garray_status garray__cuda_histogram_start(const garray__queue *q, const garray__histogram_args *args)
{
    int64_t *counts = args->counts, bins = args->bins.bins, *extent = args->extent;
    void *list[] = {&counts, &bins, &extent};
    const int64_t blocks = (bins + THREADS - 1) / THREADS;
    const unsigned grid = blocks < 1 ? 1 : blocks > 4096 ? 4096 : (unsigned)blocks;
    return garray__cuda_launch(q, "histogram", (const void *)histogram_start, dim3(grid), dim3(THREADS), 0, list);
}
