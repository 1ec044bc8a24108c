/* SPDX-License-Identifier: BSD-3-Clause
 * arange, linspace, eye, numbers of runs: every value from its own index, so that the result does not depend on the grid. */
#include "cuda/dtype.h"
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"

namespace garray__cuda {

constexpr int BLOCK = GARRAY_CUDA_BLOCK, K = 2;

__device__ __forceinline__ double ramp(double first, double step, double last, bool is_last, int64_t i)
{
    const double offset = (double)i * step;
    return is_last ? last : first + offset;
}

template <class T> __device__ __forceinline__ T generated(const garray_gen_plan &p, int64_t i)
{
    typedef typename compute_of<T>::type value;
    if (p.kind == GARRAY_GEN_EYE) {
        /* k may be any number: it is compared with a difference that cannot overflow. */
        const int64_t row = p.count < ((int64_t)1 << 31) ? (int64_t)((uint32_t)i / (uint32_t)p.columns) : i / p.columns;
        return store_as<T>((uint8_t)(i - row * p.columns - row == p.k));
    }
    if constexpr (same<T, boolean>::value || is_integer<value>::value)
        if (p.kind == GARRAY_GEN_ARANGE)
            return store_as<T>((int64_t)((uint64_t)p.ifirst + (uint64_t)i * (uint64_t)p.istep));
    const bool is_last = p.has_last && i == p.count - 1 && p.count > 1;
    const double re = ramp(p.first, p.step, p.last, is_last, i);
    if constexpr (is_complex<T>::value)
        return store_as<T>(garray__c128{re, ramp(p.first_im, p.step_im, p.last_im, is_last, i)});
    else if constexpr (is_integer<value>::value && !same<T, boolean>::value)
        return store_as<T>(floor(re));  /* of a linspace, as NumPy's */
    else
        return store_as<T>(re);
}

/* Items first .. first + V - 1, none of which is a linspace's last: the same values with less work for each. */
template <class T> __device__ __forceinline__ pack<16> generated_vector(const garray_gen_plan &p, int64_t first)
{
    typedef typename compute_of<T>::type value;
    constexpr int V = 16 / sizeof(T);
    pack<16> v = zero_pack<16>();
    if (p.kind == GARRAY_GEN_EYE) {
        /* Where the ones of the first item's row and of the next one are, seen from the first item. */
        const int64_t row = p.count < ((int64_t)1 << 31) ? (int64_t)((uint32_t)first / (uint32_t)p.columns) : first / p.columns;
        const int64_t column = row + p.k, one = row * p.columns + column - first, next = one + p.columns + 1;
        const int here = column >= 0 && column < p.columns && one >= 0 && one < V ? (int)one : -1;
        const int there = column + 1 >= 0 && column + 1 < p.columns && next >= 0 && next < V ? (int)next : -1;
#pragma unroll
        for (int e = 0; e < V; e++)
            set_item(v, e, store_as<T>((uint8_t)(e == here || e == there)));
        return v;
    }
    const double base = (double)first;
#pragma unroll
    for (int e = 0; e < V; e++) {
        const double i = base + e;      /* exact */
        const double re_offset = i * p.step, re = p.first + re_offset;
        if constexpr (is_complex<T>::value) {
            const double im_offset = i * p.step_im;
            set_item(v, e, store_as<T>(garray__c128{re, p.first_im + im_offset}));
        } else if constexpr (same<T, boolean>::value || is_integer<value>::value) {
            if (p.kind == GARRAY_GEN_ARANGE)
                set_item(v, e, store_as<T>((int64_t)((uint64_t)p.ifirst + (uint64_t)(first + e) * (uint64_t)p.istep)));
            else if constexpr (same<T, boolean>::value)
                set_item(v, e, store_as<T>(re));
            else
                set_item(v, e, store_as<T>(floor(re)));
        } else {
            set_item(v, e, store_as<T>(re));
        }
    }
    return v;
}

template <class T> __global__ void __launch_bounds__(BLOCK) generate(const __grid_constant__ garray_gen_plan p, int shift)
{
    constexpr int V = 16 / sizeof(T);
    T *out = (T *)p.out;
    const bool vectors = shift < V && (p.kind != GARRAY_GEN_EYE || p.columns >= V);
    const int64_t end = p.has_last ? p.count - 1 : p.count;
#pragma unroll 1
    for (int k = 0; k < K; k++) {
        const int64_t first = ((int64_t)blockIdx.x * K + k) * (BLOCK * V) + threadIdx.x * V - shift;
        if (vectors && first >= 0 && first + V <= end) {
            store_aligned<16>(out + first, generated_vector<T>(p, first));
        } else {
#pragma unroll 1
            for (int e = 0; e < V; e++)
                if (first + e >= 0 && first + e < p.count)
                    out[first + e] = generated<T>(p, first + e);
        }
    }
}

/* ---- numbers of runs ---- */

constexpr int RUN_ITEMS = 8;        /* per thread */

/* The first r in [low, high] with ends[r] > i; ends[high] > i. */
__device__ __forceinline__ int64_t run_of(const int64_t *ends, int64_t low, int64_t high, int64_t i)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ends[middle] > i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A block finds the runs of its first and its last item, and each item looks between them. */
__global__ void __launch_bounds__(BLOCK) run_numbers(const __grid_constant__ garray_gen_plan p)
{
    __shared__ int64_t bound[2];
    const int64_t first = (int64_t)blockIdx.x * (BLOCK * RUN_ITEMS);
    const int64_t last = first + BLOCK * RUN_ITEMS < p.count ? first + BLOCK * RUN_ITEMS - 1 : p.count - 1;
    if (threadIdx.x < 2)
        bound[threadIdx.x] = run_of(p.ends, 0, p.nends - 1, threadIdx.x == 0 ? first : last);
    __syncthreads();
    const int64_t low = bound[0], high = bound[1];
#pragma unroll 1
    for (int64_t i = first + threadIdx.x; i <= last; i += BLOCK)
        ((int64_t *)p.out)[i] = run_of(p.ends, low, high, i);
}

} /* namespace garray__cuda */

static const void *kernel_of(int dtype)
{
    switch (dtype) {
#define GARRAY_DTYPE(value, name, ...) case value: return (const void *)garray__cuda::generate<garray__cuda::type_##name>;
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    default: return nullptr;
    }
}

garray_status garray__cuda_generate(const garray__queue *q, const garray_gen_plan *plan)
{
    const unsigned size = (unsigned)garray__cuda_size(plan->dtype), vector = 16 / size;
    /* A complex output may lie where no vector of it is aligned: a shift of a whole vector says so. */
    int shift = (uintptr_t)plan->out % size == 0 ? (int)((uintptr_t)plan->out / size % vector) : (int)vector;
    garray_gen_plan p = *plan;
    if (p.kind == GARRAY_GEN_EYE && p.columns > 0) {
        /* A diagonal beyond the matrix, as near to it as can be: sums with it cannot overflow. */
        const int64_t lowest = -p.count / p.columns - 1;
        p.k = p.k > p.columns ? p.columns : p.k < lowest ? lowest : p.k;
    }
    void *args[] = {&p, &shift};
    const int64_t per_block = (int64_t)garray__cuda::BLOCK * garray__cuda::K * vector;
    if (plan->kind == GARRAY_GEN_RUNS) {
        const int64_t items = (int64_t)garray__cuda::BLOCK * garray__cuda::RUN_ITEMS;
        void *run_args[] = {&p};
        return garray__cuda_launch(q, "runs", (const void *)garray__cuda::run_numbers,
                                   dim3((unsigned)((plan->count + items - 1) / items)), dim3(garray__cuda::BLOCK), 0, run_args);
    }
    if (plan->kind < GARRAY_GEN_ARANGE || plan->kind > GARRAY_GEN_EYE)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "generate: no kind %d", (int)plan->kind);
    return garray__cuda_launch(q, "generate", kernel_of(plan->dtype),
                               dim3((unsigned)((plan->count + shift + per_block - 1) / per_block)),
                               dim3(garray__cuda::BLOCK), 0, args);
}
