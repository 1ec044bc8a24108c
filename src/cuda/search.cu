/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search: a thread for each value; items are compared as level keys (sort_key.h). */
#include "cuda/kernel.cuh"
#include "cuda/scalar.cuh"
#include "cuda/sort.h"

using namespace garray__cuda;

namespace {

struct search_args {
    const void *sorted, *values;
    void *out;
    int64_t n, count;
    int32_t kind, has_nan;
    garray__sort_order order;
};

/* An item as one or two numbers that compare as it does. */
template <int SIZE> struct key_of {
    uint64_t k;

    __device__ __forceinline__ key_of(const garray__sort_order &o, const void *base, int64_t i)
        : k(level_item(o, SIZE, base, i, 0))
    {
    }
    __device__ __forceinline__ bool less(const key_of &b) const { return k < b.k; }
    __device__ __forceinline__ bool is_nan(const garray__sort_order &o) const
    {
        return o.kind == GARRAY_SORT_COMPLEX ? (uint32_t)(k >> 32) >= (uint32_t)o.nan : k == o.nan_level;
    }
};

template <> struct key_of<16> {
    uint64_t upper, lower;

    __device__ __forceinline__ key_of(const garray__sort_order &o, const void *base, int64_t i)
    {
        const uint64_t *item = (const uint64_t *)base + 2 * i;
        keys_of_complex128(o, item[0], item[1], upper, lower);
    }
    __device__ __forceinline__ bool less(const key_of &b) const
    {
        return upper < b.upper || (upper == b.upper && lower < b.lower);
    }
    __device__ __forceinline__ bool is_nan(const garray__sort_order &o) const { return upper >= o.nan; }
};

template <int SIZE> __global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) search(const __grid_constant__ search_args a)
{
    const bool right = a.kind == GARRAY_SEARCH_RIGHT;
    for (int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x; i < a.count;
         i += (int64_t)gridDim.x * GARRAY_CUDA_BLOCK) {
        const key_of<SIZE> key(a.order, a.values, i);
        /* The probes are those of the CPU, so that lines which are not sorted (weights of a wrong sign, say) lead to the
         * same places too. */
        int64_t low = 0, left = a.n;
        while (left > 1) {
            const int64_t half = left >> 1;
            const key_of<SIZE> at(a.order, a.sorted, low + half - 1);
            low += (right ? !key.less(at) : at.less(key)) ? half : 0;
            left -= half;
        }
        if (left > 0) {
            const key_of<SIZE> at(a.order, a.sorted, low);
            low += right ? !key.less(at) : at.less(key);
        }
        if (a.kind == GARRAY_SEARCH_FOUND) {
            bool found = low < a.n && !(a.has_nan && key.is_nan(a.order));
            if (found)
                found = !key.less(key_of<SIZE>(a.order, a.sorted, low));
            ((uint8_t *)a.out)[i] = found;
        } else {
            ((int64_t *)a.out)[i] = low;
        }
    }
}

} /* namespace */

extern "C" garray_status garray__cuda_search(const garray__queue *q, const garray_search_plan *plan)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    search_args a = {plan->sorted, plan->values, plan->out, plan->n, plan->count, plan->kind,
                     plan->dtype >= GARRAY_FLOAT16, garray__cuda_sort_order(plan->dtype, false, false)};
    void *list[] = {&a};
    const int size = sizes[plan->dtype];
    const void *kernel = size == 1   ? (const void *)search<1>
                         : size == 2 ? (const void *)search<2>
                         : size == 4 ? (const void *)search<4>
                         : size == 8 ? (const void *)search<8>
                                     : (const void *)search<16>;
    int64_t blocks = (plan->count + GARRAY_CUDA_BLOCK - 1) / GARRAY_CUDA_BLOCK;
    blocks = blocks < 1 << 20 ? blocks : 1 << 20;
    return garray__cuda_launch(q, "search", kernel, dim3((unsigned)blocks), dim3(GARRAY_CUDA_BLOCK), 0, list);
}
