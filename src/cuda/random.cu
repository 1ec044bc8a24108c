/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws: a thread makes some Philox blocks and what they give, four draws or two each (core/philox.h says
 * which).  Blocks of a thread share the keys of the rounds and the constants of the formulas. */
#include "core/draw_narrow.h"
#include "cuda/random.h"
#include "cuda/random.cuh"

namespace garray__cuda {

template <class T> __global__ void __launch_bounds__(BLOCK) draw_bits(const __grid_constant__ draws d)
{
    constexpr int N = 16 / sizeof(T);
    draw<T, N>(d, [&](const garray__philox &b, int64_t, T (&x)[N]) {
#pragma unroll
        for (int e = 0; e < N; e++)
            x[e] = sizeof(T) == 8 ? (T)garray__philox_half(b, e) : (T)b.word[e];
    });
}

/* garray__uniform_float() with fewer conversions: u comes from its digits, and v < high is asked in float, of the
 * least float that is not below high.  All of that is exact, so the draws have the same bits. */
__device__ __forceinline__ float uniform_float(uint32_t bits, double low, double span, float limit)
{
    const double u = __hiloint2double((int)(0x3ff00000u | bits >> 12), (int)(bits << 20 & 0xf0000000u)) - 1.0;
    const double offset = span * u;
    const float v = (float)(low + offset);
    const int32_t b = __float_as_int(v);
    const int32_t below = v > 0 ? b - 1 : v < 0 ? b + 1 : INT32_MIN + 1;
    return v < limit ? v : __int_as_float(below);
}

/* UNIT: of [0, 1), where every u is a float itself. */
template <class T, bool UNIT> __global__ void __launch_bounds__(BLOCK) draw_uniform(const __grid_constant__ draws d)
{
    constexpr int N = sizeof(T) == 8 ? 2 : 4;
    const double low = d.plan.low, high = d.plan.high, span = high - low;
    const float limit = __double2float_ru(high);
    draw<T, N>(d, [&](const garray__philox &b, int64_t, T (&x)[N]) {
#pragma unroll
        for (int e = 0; e < N; e++) {
            if constexpr (sizeof(T) == 8)
                x[e] = garray__uniform_double(garray__philox_half(b, e), low, high);
            else if constexpr (sizeof(T) == 4 && UNIT)
                x[e] = (float)(b.word[e] >> 8) * 0x1p-24f;
            else if constexpr (sizeof(T) == 4)
                x[e] = uniform_float(b.word[e], low, span, limit);
            else
                x[e] = T{garray__uniform_16(b.word[e], low, high, same<T, bfloat>::value)};
        }
    });
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

__global__ void __launch_bounds__(BLOCK) draw_normal(const __grid_constant__ draws d)
{
    draw<double, 2>(d, [&](const garray__philox &b, int64_t, double (&x)[2]) {
        garray__normal_pair(garray__philox_half(b, 0), garray__philox_half(b, 1), &x[0], &x[1]);
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const double scaled = d.plan.high * x[e];
            x[e] = d.plan.low + scaled;
        }
    });
}

/* Numbers made in float32, four of a block; PLAIN: standard ones, which are not scaled in float64. */
template <class T, bool PLAIN>
__device__ __forceinline__ void scale_narrow(double loc, double scale, const float (&z)[4], T (&x)[4])
{
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if constexpr (PLAIN) {
            x[e] = store_as<T>(z[e]);
        } else {
            const double scaled = scale * (double)z[e];
            x[e] = store_as<T>((float)(loc + scaled));
        }
    }
}

template <class T, bool PLAIN> __global__ void __launch_bounds__(BLOCK) draw_normal_narrow(const __grid_constant__ draws d)
{
    draw<T, 4>(d, [&](const garray__philox &b, int64_t, T (&x)[4]) {
        float z[4];
        garray__narrow_normal(b.word[0], b.word[1], &z[0], &z[1]);
        garray__narrow_normal(b.word[2], b.word[3], &z[2], &z[3]);
        scale_narrow<T, PLAIN>(d.plan.low, d.plan.high, z, x);
    });
}

template <class T, bool PLAIN> __global__ void __launch_bounds__(BLOCK) draw_exponential_narrow(const __grid_constant__ draws d)
{
    draw<T, 4, GARRAY_CUDA_EXPONENTIAL_DRAWS>(d, [&](const garray__philox &b, int64_t, T (&x)[4]) {
        float z[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            z[e] = garray__narrow_draw(b.word[e]);
        scale_narrow<T, PLAIN>(-0.0, d.plan.number[0], z, x);          /* -0 leaves every number as it is */
    });
}

template <bool PLAIN> static const void *narrow_of(int kind, int dtype)
{
    const bool normal = kind == GARRAY_RANDOM_NORMAL;
    switch (dtype) {
    case GARRAY__CUDA_float16:
        return normal ? (const void *)draw_normal_narrow<half16, PLAIN> : (const void *)draw_exponential_narrow<half16, PLAIN>;
    case GARRAY__CUDA_bfloat16:
        return normal ? (const void *)draw_normal_narrow<bfloat, PLAIN> : (const void *)draw_exponential_narrow<bfloat, PLAIN>;
    case GARRAY__CUDA_float32:
        return normal ? (const void *)draw_normal_narrow<float, PLAIN> : (const void *)draw_exponential_narrow<float, PLAIN>;
    default: return nullptr;
    }
}

/* T: the unsigned type of the item's size.  A rejected draw, which is rare, is drawn anew by itself. */
template <class T, bool NARROW> __global__ void __launch_bounds__(BLOCK) draw_integers(const __grid_constant__ draws d)
{
    constexpr int N = NARROW ? 4 : 2;
    const garray_random_plan &p = d.plan;
    draw<T, N>(d, [&](const garray__philox &b, int64_t block, T (&x)[N]) {
#pragma unroll
        for (int e = 0; e < N; e++) {
            uint64_t value;
            if constexpr (NARROW) {
                const uint64_t m = b.word[e] * (p.irange + 1);
                value = m >> 32;
                if ((uint32_t)m < (uint32_t)d.least)
                    value = garray__bounded32(p.seed, p.stream, position_of(p), block * N + e, (uint32_t)p.irange,
                                              (uint32_t)d.least);
            } else {
                const uint64_t w = garray__philox_half(b, e);
                uint64_t low = UINT64_MAX;
                value = w;
                if (p.irange != UINT64_MAX)
                    garray__multiply64(w, p.irange + 1, &value, &low);
                if (low < d.least)
                    value = garray__bounded64(p.seed, p.stream, position_of(p), block * N + e, p.irange, d.least);
            }
            x[e] = (T)(p.ilow + value);
        }
    });
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
        case GARRAY__CUDA_float16: return (const void *)draw_uniform<half16, false>;
        case GARRAY__CUDA_bfloat16: return (const void *)draw_uniform<bfloat, false>;
        case GARRAY__CUDA_float32:
            return plan->low == 0 && plan->high == 1 ? (const void *)draw_uniform<float, true>
                                                     : (const void *)draw_uniform<float, false>;
        case GARRAY__CUDA_float64: return (const void *)draw_uniform<double, false>;
        default: return nullptr;
        }
    case GARRAY_RANDOM_NORMAL:
        if (size == 8)
            return (const void *)draw_normal;
        *draws_of_a_block = 4;
        return plan->low == 0 && plan->high == 1 ? narrow_of<true>(plan->kind, plan->dtype)
                                                 : narrow_of<false>(plan->kind, plan->dtype);
    case GARRAY_RANDOM_exponential:
        *draws_of_a_block = 4;
        return plan->number[0] == 1 ? narrow_of<true>(plan->kind, plan->dtype) : narrow_of<false>(plan->kind, plan->dtype);
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
    if (plan->kind == GARRAY_RANDOM_VENDOR)
        return garray__cuda_vendor_random(q, plan);
    if (plan->kind >= GARRAY_RANDOM_ORDER && !(plan->kind == GARRAY_RANDOM_exponential && plan->dtype != GARRAY_FLOAT64))
        return garray__cuda_distribution(q, plan);
    const void *kernel = kernel_of(plan, &per_block);
    if (kernel == nullptr)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "random: no kind %d of dtype %d", (int)plan->kind, (int)plan->dtype);
    const int bytes = per_block * garray__cuda_size(plan->dtype);
    const bool aligned = (uintptr_t)plan->out % (unsigned)(bytes < 16 ? bytes : 16) == 0;
    garray__cuda::draws d = {*plan, least_of(plan->irange), aligned, 0, nullptr};
    void *args[] = {&d};
    const int64_t blocks = (plan->count + per_block - 1) / per_block;
    const int of_thread = plan->kind == GARRAY_RANDOM_exponential ? GARRAY_CUDA_EXPONENTIAL_DRAWS : garray__cuda::DRAWS;
    return garray__cuda_launch(q, "random", kernel, garray__cuda::grid_for(blocks, garray__cuda::BLOCK * of_thread),
                               dim3(garray__cuda::BLOCK), 0, args);
}
