/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions with parameters, and permutations.  The formulas are those of core/draw_*.h.  Where a draw gives a number,
 * a thread makes some Philox blocks of two; where draws are repeated, a thread has an element; of rows it has one. */
#include "core/draw_inverse.h"
#include "core/draw_order.h"
#include "core/draw_rows.h"
#include "cuda/random.h"
#include "cuda/random.cuh"

namespace garray__cuda {

enum { family_of_NONE, family_of_INVERSE, family_of_PAIR, family_of_EVENT, family_of_ROW };

/* A number in the dtype of the plan. */
__device__ __forceinline__ void put(const draws &d, int64_t i, double x)
{
    void *out = d.plan.out;
    switch (d.plan.dtype) {
    case GARRAY__CUDA_float64: ((double *)out)[i] = x; break;
    case GARRAY__CUDA_float32: ((float *)out)[i] = (float)x; break;
    case GARRAY__CUDA_float16: ((half16 *)out)[i] = store_as<half16>((float)x); break;
    case GARRAY__CUDA_bfloat16: ((bfloat *)out)[i] = store_as<bfloat>((float)x); break;
    default: ((int64_t *)out)[i] = d_count(x); break;
    }
}

/* The two numbers of a block, i even. */
__device__ __forceinline__ void put_two(const draws &d, int64_t i, double x, double y)
{
    if (d.plan.dtype == GARRAY__CUDA_float64 && i + 1 < d.plan.count && d.aligned) {
        const double two[2] = {x, y};
        store_aligned<16>((double *)d.plan.out + i, pack_of(two));
        return;
    }
    put(d, i, x);
    if (i + 1 < d.plan.count)
        put(d, i + 1, y);
}

__device__ __forceinline__ double parameter(const draws &d, int which, int64_t i)
{
    const double *array = d.plan.param[which];
    return array ? array[i * d.plan.param_step[which]] : d.plan.number[which];
}

__device__ __noinline__ void report(garray__late *late, int kind, int fault, double a, double b, double c)
{
    const double value = fault == GARRAY__FAULT_FIRST + 1 ? b : fault == GARRAY__FAULT_FIRST + 2 ? c : a;
    report_late(late, GARRAY__LATE_PARAMETER, kind, fault, __double_as_longlong(value));
}

/* The parameters of element i; reported if they are out of range. */
struct parameters {
    double a, b, c;
    __device__ __forceinline__ parameters(const draws &d, int kind, int64_t i)
        : a(parameter(d, 0, i)), b(parameter(d, 1, i)), c(parameter(d, 2, i))
    {
        if (d.late != nullptr) {
            const int fault = garray__draw_fault(kind, a, b, c);
            if (fault)
                report(d.late, kind, fault, a, b, c);
        }
    }
};

template <class Draw> __device__ __forceinline__ void each_block(const draws &d, Draw draw_two)
{
    const int64_t begin = (int64_t)blockIdx.x * (BLOCK * DRAWS);
#pragma unroll 1
    for (int k = 0; k < DRAWS; k++) {
        const int64_t block = begin + k * BLOCK + (int)threadIdx.x;
        if (2 * block >= d.plan.count)
            return;
        draw_two(block);
    }
}

#define INVERSE(name)                                                                                              \
    __global__ void __launch_bounds__(BLOCK) draw_##name(const __grid_constant__ draws d)                          \
    {                                                                                                              \
        each_block(d, [&](int64_t block) {                                                                         \
            const int64_t i = 2 * block, j = i + 1 < d.plan.count ? i + 1 : i;                                     \
            const garray__philox w = philox_of(d, block);                                                          \
            const parameters p(d, GARRAY_RANDOM_##name, i), q(d, GARRAY_RANDOM_##name, j);                         \
            put_two(d, i, garray__draw_##name(garray__philox_half(w, 0), p.a, p.b, p.c),                           \
                    garray__draw_##name(garray__philox_half(w, 1), q.a, q.b, q.c));                                \
        });                                                                                                        \
    }
#define PAIR(name)                                                                                                 \
    __global__ void __launch_bounds__(BLOCK) draw_##name(const __grid_constant__ draws d)                          \
    {                                                                                                              \
        each_block(d, [&](int64_t block) {                                                                         \
            const int64_t i = 2 * block, j = i + 1 < d.plan.count ? i + 1 : i;                                     \
            const garray__philox w = philox_of(d, block);                                                          \
            const parameters p(d, GARRAY_RANDOM_##name, i), q(d, GARRAY_RANDOM_##name, j);                         \
            double x, y;                                                                                           \
            garray__normal_pair(garray__philox_half(w, 0), garray__philox_half(w, 1), &x, &y);                     \
            put_two(d, i, garray__draw_##name(x, p.a, p.b, p.c), garray__draw_##name(y, q.a, q.b, q.c));           \
        });                                                                                                        \
    }
#define EVENT(name)                                                                                                \
    __global__ void __launch_bounds__(BLOCK) draw_##name(const __grid_constant__ draws d)                          \
    {                                                                                                              \
        const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;                                               \
        if (i >= d.plan.count)                                                                                     \
            return;                                                                                                \
        const parameters p(d, GARRAY_RANDOM_##name, i);                                                            \
        garray__source s = {d.plan.seed, d.plan.stream, position_of(d.plan) + (uint64_t)i, 0, 0};                  \
        put(d, i, garray__draw_##name(&s, p.a, p.b, p.c));                                                         \
    }
#define ROW(name)
#define GARRAY_DRAW(number, name, family, ...) family(name)
#include "core/draws.def"
#undef GARRAY_DRAW
#undef INVERSE
#undef PAIR
#undef EVENT
#undef ROW

__global__ void __launch_bounds__(BLOCK) draw_rows(const __grid_constant__ draws d)
{
    const garray_random_plan &p = d.plan;
    const int64_t r = (int64_t)blockIdx.x * BLOCK + threadIdx.x, row = p.row;
    if (r >= p.count / row)
        return;
    const double n = parameter(d, 0, r), *items = p.param[1] + r * p.param_step[1] * row;
    const int fault = garray__row_fault(p.kind, n, items, row);
    if (fault) {
        report(d.late, p.kind, fault, n, 0, 0);
        return;
    }
    garray__source s = {p.seed, p.stream, position_of(p) + (uint64_t)(r * row), 0, 0};
    garray__row_draw(p.kind, &s, n, items, row, (int64_t *)p.out + r * row);
}

__global__ void __launch_bounds__(BLOCK) check(const __grid_constant__ draws d)
{
    const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= d.plan.count)
        return;
    const double a = parameter(d, 0, i), b = parameter(d, 1, i), c = parameter(d, 2, i);
    const int fault = garray__draw_fault(d.plan.checked, a, b, c);
    if (fault)
        report(d.late, d.plan.checked, fault, a, b, c);
}

/* The keys where the plan's are not meant: those of core/shuffle.c. */
__device__ void moved_keys(const garray_random_plan &p, uint32_t *key)
{
    if (threadIdx.x < GARRAY_ORDER_KEYS)
        key[threadIdx.x] = garray__philox_word(
            garray__philox_block(p.seed, p.stream, position_of(p) + threadIdx.x / 4, 0), (uint64_t)threadIdx.x);
    __syncthreads();
}

/* A thread goes to its next place as soon as one is done, so that a warp does not wait at each place for the one that is
 * mapped most often. */
template <bool MOVED> __global__ void __launch_bounds__(BLOCK) draw_order(const __grid_constant__ draws d)
{
    __shared__ uint32_t keys[MOVED ? GARRAY_ORDER_KEYS : 1];
    if constexpr (MOVED)
        moved_keys(d.plan, keys);
    const garray__order o = garray__order_of(d.plan.irange);
    const uint64_t last = d.plan.irange;
    const int64_t end = min((int64_t)(blockIdx.x + 1) * (BLOCK * GARRAY_CUDA_ORDER), d.plan.count);
    int64_t i = (int64_t)blockIdx.x * (BLOCK * GARRAY_CUDA_ORDER) + threadIdx.x;
    uint64_t x = (uint64_t)i;
#pragma unroll 1
    while (i < end) {
        x = garray__order_image(o, MOVED ? keys : d.plan.key, x);
        if (x <= last) {
            ((int64_t *)d.plan.out)[i] = (int64_t)x;
            i += BLOCK;
            x = (uint64_t)i;
        }
    }
}

} /* namespace garray__cuda */

using namespace garray__cuda;

static const void *kernel_of(int kind, int *family)
{
    switch (kind) {
#define INVERSE(name) return (const void *)draw_##name
#define PAIR(name) return (const void *)draw_##name
#define EVENT(name) return (const void *)draw_##name
#define ROW(name) return (const void *)draw_rows
#define GARRAY_DRAW(number, name, family_, ...)           \
    case number:                                          \
        *family = family_of_##family_;                    \
        family_(name);
#include "core/draws.def"
#undef GARRAY_DRAW
#undef INVERSE
#undef PAIR
#undef EVENT
#undef ROW
    default: return nullptr;
    }
}

garray_status garray__cuda_distribution(const garray__queue *q, const garray_random_plan *plan)
{
    draws d = {*plan, 0, (uintptr_t)plan->out % 16 == 0, 0, nullptr};
    int family = family_of_NONE;
    int64_t n = plan->count, per_block = BLOCK;
    const void *kernel;
    if (plan->kind == GARRAY_RANDOM_ORDER) {
        kernel = plan->moved != nullptr ? (const void *)draw_order<true> : (const void *)draw_order<false>;
        per_block = BLOCK * GARRAY_CUDA_ORDER;
    } else if (plan->kind == GARRAY_RANDOM_CHECK) {
        kernel = (const void *)check;
    } else {
        kernel = kernel_of(plan->kind, &family);
    }
    if (kernel == nullptr)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "random: no kind %d", (int)plan->kind);
    if (family == family_of_INVERSE || family == family_of_PAIR) {
        n = n / 2 + n % 2;
        per_block = BLOCK * DRAWS;
    } else if (family == family_of_ROW) {
        n = plan->count / plan->row;
    }
    if (plan->param[0] != nullptr || plan->param[1] != nullptr || plan->param[2] != nullptr)
        GARRAY_CUDA_TRY(garray__cuda_late(q, &d.late));
    void *args[] = {&d};
    return garray__cuda_launch(q, "random", kernel, grid_for(n, (int)per_block), dim3(BLOCK), 0, args);
}
