/* SPDX-License-Identifier: BSD-3-Clause
 * arange, linspace and eye: every value from its own index, so that the result does not depend on the grid. */
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

template <class T> __global__ void __launch_bounds__(BLOCK) generate(const __grid_constant__ garray_gen_plan p, int shift)
{
    constexpr int V = 16 / sizeof(T);
    T *out = (T *)p.out;
#pragma unroll 1
    for (int k = 0; k < K; k++) {
        const int64_t first = ((int64_t)blockIdx.x * K + k) * (BLOCK * V) + threadIdx.x * V - shift;
        if (shift < V && first >= 0 && first + V <= p.count) {
            pack<16> v = zero_pack<16>();
#pragma unroll
            for (int e = 0; e < V; e++)
                set_item(v, e, generated<T>(p, first + e));
            store_aligned<16>(out + first, v);
        } else {
#pragma unroll 1
            for (int e = 0; e < V; e++)
                if (first + e >= 0 && first + e < p.count)
                    out[first + e] = generated<T>(p, first + e);
        }
    }
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
    void *args[] = {&p, &shift};
    const int64_t per_block = (int64_t)garray__cuda::BLOCK * garray__cuda::K * vector;
    if (plan->kind < GARRAY_GEN_ARANGE || plan->kind > GARRAY_GEN_EYE)
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "generate: no kind %d", (int)plan->kind);
    return garray__cuda_launch(q, "generate", kernel_of(plan->dtype), dim3((unsigned)((plan->count + shift + per_block - 1) / per_block)),
                               dim3(garray__cuda::BLOCK), 0, args);
}
