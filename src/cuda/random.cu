/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws: a thread makes one Philox block and what it gives, four draws or two (core/philox.h says which). */
#include "core/philox.h"
#include "cuda/dtype.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

namespace garray__cuda {

constexpr int BLOCK = GARRAY_CUDA_BLOCK;

struct draws {
    garray_random_plan plan;
    uint64_t least;                     /* INTEGERS: what rejects a draw */
    int32_t aligned, reserved;          /* a block's results can be stored at once */
};

/* Draw i (of N in its block) as an item. */
template <class T> __device__ __forceinline__ T uniform(const garray_random_plan &p, const garray__philox &b, int e)
{
    if constexpr (sizeof(T) == 8)
        return garray__uniform_double(garray__philox_half(b, e), p.low, p.high);
    else if constexpr (sizeof(T) == 4)
        return garray__uniform_float(b.word[e], p.low, p.high);
    else
        return T{garray__uniform_16(b.word[e], p.low, p.high, same<T, bfloat>::value)};
}

template <class T, int N> __device__ __forceinline__ void store_draws(const draws &d, int64_t first, const T (&x)[N])
{
    T *out = (T *)d.plan.out;
    if (d.aligned && first + N <= d.plan.count) {
        pack<N * sizeof(T)> v = zero_pack<N * sizeof(T)>();
#pragma unroll
        for (int e = 0; e < N; e++)
            set_item(v, e, x[e]);
        if constexpr (N * sizeof(T) <= 16) {
            store_aligned<N * sizeof(T)>(out + first, v);
        } else {
            const pack<16> low = {{v.w[0], v.w[1], v.w[2], v.w[3]}}, high = {{v.w[4], v.w[5], v.w[6], v.w[7]}};
            store_aligned<16>(out + first, low);
            store_aligned<16>(out + first + N / 2, high);
        }
    } else {
#pragma unroll
        for (int e = 0; e < N; e++)
            if (first + e < d.plan.count)
                out[first + e] = x[e];
    }
}

template <class T> __global__ void __launch_bounds__(BLOCK) draw_bits(const __grid_constant__ draws d)
{
    constexpr int N = 16 / sizeof(T);
    const int64_t block = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (block * N >= d.plan.count)
        return;
    const garray__philox b = garray__philox_block(d.plan.seed, d.plan.stream, d.plan.position + block, 0);
    T x[N];
#pragma unroll
    for (int e = 0; e < N; e++)
        x[e] = sizeof(T) == 8 ? (T)garray__philox_half(b, e) : (T)b.word[e];
    store_draws(d, block * N, x);
}

template <class T> __global__ void __launch_bounds__(BLOCK) draw_uniform(const __grid_constant__ draws d)
{
    constexpr int N = sizeof(T) == 8 ? 2 : 4;
    const int64_t block = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (block * N >= d.plan.count)
        return;
    const garray__philox b = garray__philox_block(d.plan.seed, d.plan.stream, d.plan.position + block, 0);
    T x[N];
#pragma unroll
    for (int e = 0; e < N; e++)
        x[e] = uniform<T>(d.plan, b, e);
    store_draws(d, block * N, x);
}

/* To 16 bits by way of float, as the CPU does. */
template <class T> __device__ __forceinline__ T scaled(const garray_random_plan &p, double z)
{
    const double product = p.high * z, value = p.low + product;
    if constexpr (sizeof(T) == 8)
        return value;
    else
        return store_as<T>((float)value);
}

template <class T> __global__ void __launch_bounds__(BLOCK) draw_normal(const __grid_constant__ draws d)
{
    const int64_t block = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (block * 2 >= d.plan.count)
        return;
    const garray__philox b = garray__philox_block(d.plan.seed, d.plan.stream, d.plan.position + block, 0);
    double first, second;
    garray__normal_pair(garray__philox_half(b, 0), garray__philox_half(b, 1), &first, &second);
    const T x[2] = {scaled<T>(d.plan, first), scaled<T>(d.plan, second)};
    store_draws(d, block * 2, x);
}

/* T: the unsigned type of the item's size.  A rejected draw, which is rare, is drawn anew by itself. */
template <class T, bool NARROW> __global__ void __launch_bounds__(BLOCK) draw_integers(const __grid_constant__ draws d)
{
    constexpr int N = NARROW ? 4 : 2;
    const garray_random_plan &p = d.plan;
    const int64_t block = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (block * N >= p.count)
        return;
    const garray__philox b = garray__philox_block(p.seed, p.stream, p.position + block, 0);
    T x[N];
#pragma unroll
    for (int e = 0; e < N; e++) {
        uint64_t value;
        if constexpr (NARROW) {
            const uint64_t m = b.word[e] * (p.irange + 1);
            value = m >> 32;
            if ((uint32_t)m < (uint32_t)d.least)
                value = garray__bounded32(p.seed, p.stream, p.position, block * N + e, (uint32_t)p.irange, (uint32_t)d.least);
        } else {
            const uint64_t w = garray__philox_half(b, e);
            uint64_t low = UINT64_MAX;
            value = w;
            if (p.irange != UINT64_MAX)
                garray__multiply64(w, p.irange + 1, &value, &low);
            if (low < d.least)
                value = garray__bounded64(p.seed, p.stream, p.position, block * N + e, p.irange, d.least);
        }
        x[e] = (T)(p.ilow + value);
    }
    store_draws(d, block * N, x);
}

template <bool NARROW> static const void *integers_of(int size)
{
    switch (size) {
    case 1: return (const void *)draw_integers<uint8_t, NARROW>;
    case 2: return (const void *)draw_integers<uint16_t, NARROW>;
    case 4: return (const void *)draw_integers<uint32_t, NARROW>;
    default: return (const void *)draw_integers<uint64_t, NARROW>;
    }
}

} /* namespace garray__cuda */

/* Sets how many draws a block gives; NULL: no such draw. */
static const void *kernel_of(const garray_random_plan *plan, int *draws_of_a_block)
{
    using namespace garray__cuda;
    const int size = garray__cuda_size(plan->dtype);
    *draws_of_a_block = 2;
    switch (plan->kind) {
    case GARRAY_RANDOM_BITS:
        *draws_of_a_block = size == 8 ? 2 : 4;
        return size == 8 ? (const void *)draw_bits<uint64_t> : (const void *)draw_bits<uint32_t>;
    case GARRAY_RANDOM_UNIFORM:
        *draws_of_a_block = size == 8 ? 2 : 4;
        switch (plan->dtype) {
        case GARRAY__CUDA_float16: return (const void *)draw_uniform<half16>;
        case GARRAY__CUDA_bfloat16: return (const void *)draw_uniform<bfloat>;
        case GARRAY__CUDA_float32: return (const void *)draw_uniform<float>;
        case GARRAY__CUDA_float64: return (const void *)draw_uniform<double>;
        default: return nullptr;
        }
    case GARRAY_RANDOM_NORMAL:
        switch (plan->dtype) {
        case GARRAY__CUDA_float16: return (const void *)draw_normal<half16>;
        case GARRAY__CUDA_bfloat16: return (const void *)draw_normal<bfloat>;
        case GARRAY__CUDA_float32: return (const void *)draw_normal<float>;
        case GARRAY__CUDA_float64: return (const void *)draw_normal<double>;
        default: return nullptr;
        }
    case GARRAY_RANDOM_INTEGERS:
        *draws_of_a_block = plan->irange <= UINT32_MAX ? 4 : 2;
        return plan->irange <= UINT32_MAX ? integers_of<true>(size) : integers_of<false>(size);
    default:
        return nullptr;
    }
}

/* 2^32 or 2^64 modulo range + 1: the bias that rejection removes. */
static uint64_t least_of(uint64_t range)
{
    if (range <= UINT32_MAX) {
        const uint32_t n = (uint32_t)range + 1;
        return n == 0 ? 0 : (0u - n) % n;
    }
    const uint64_t n = range + 1;
    return n == 0 ? 0 : (0 - n) % n;
}

garray_status garray__cuda_random(const garray__queue *q, const garray_random_plan *plan)
{
    int per_block = 0;
    const void *kernel = kernel_of(plan, &per_block);
    if (kernel == nullptr)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "random: no kind %d of dtype %d", (int)plan->kind, (int)plan->dtype);
    const int bytes = per_block * garray__cuda_size(plan->dtype);
    garray__cuda::draws d = {*plan, least_of(plan->irange), (uintptr_t)plan->out % (unsigned)(bytes < 16 ? bytes : 16) == 0, 0};
    void *args[] = {&d};
    const int64_t blocks = (plan->count + per_block - 1) / per_block;
    return garray__cuda_launch(q, "random", kernel, garray__cuda::grid_for(blocks, garray__cuda::BLOCK), dim3(garray__cuda::BLOCK), 0,
                               args);
}
