/* SPDX-License-Identifier: BSD-3-Clause
 * Where an item of an index plan lies: the walk over its axes and its index arrays.  For kernels that gather, scatter or
 * combine. */
#ifndef GARRAY_CUDA_INDEX_PLACE_CUH
#define GARRAY_CUDA_INDEX_PLACE_CUH

#include "cuda/index.h"
#include "cuda/kernel.cuh"

namespace garray__cuda {

struct place {
    int64_t base, value, ordinal, slot;
    bool valid;
};

/* An index as int64; a uint64 beyond int64 becomes INT64_MIN, which no axis has. */
__device__ __forceinline__ int64_t load_index(const char *p, int dtype, bool unaligned)
{
    switch (dtype) {
    case GARRAY_INT8: return *(const int8_t *)p;
    case GARRAY_UINT8: return *(const uint8_t *)p;
    case GARRAY_INT16: return item_load<int16_t>(p, unaligned);
    case GARRAY_UINT16: return item_load<uint16_t>(p, unaligned);
    case GARRAY_INT32: return item_load<int32_t>(p, unaligned);
    case GARRAY_UINT32: return item_load<uint32_t>(p, unaligned);
    case GARRAY_UINT64: {
        const uint64_t v = item_load<uint64_t>(p, unaligned);
        return v >> 63 ? INT64_MIN : (int64_t)v;
    }
    default: return item_load<int64_t>(p, unaligned);
    }
}

/* Where item i of the plan is, with its index arrays read. */
template <bool SCATTER> __device__ __forceinline__ place find(const garray__index_args &a, int64_t i)
{
    const garray__index_axis *axes = a.far_axes ? a.far_axes : a.axes;
    place p = {0, 0, 0, 0, true};
    int64_t at[GARRAY_INDEX_ARRAYS] = {0, 0, 0, 0};
#pragma unroll 1
    for (int d = a.ndim - 1; d >= 0; d--) {
        const garray__index_axis &axis = axes[d];
        int64_t q = 0;
        if (d > 0)
            q = a.wide ? i / axis.length : (int64_t)garray__fastdiv((uint32_t)i, axis.div);
        const int64_t c = i - q * axis.length;
        i = q;
        p.base += c * axis.base;
        p.value += c * axis.value;
        if (SCATTER) {
            p.ordinal += c * axis.ordinal;
            p.slot += c * axis.slot;
        }
#pragma unroll
        for (int k = 0; k < GARRAY_INDEX_ARRAYS; k++)
            if (k < a.narrays)
                at[k] += c * axis.array[k];
    }
#pragma unroll
    for (int k = 0; k < GARRAY_INDEX_ARRAYS; k++)
        if (k < a.narrays) {
            const garray__index_operand &array = a.array[k];
            const int64_t given = load_index(array.data + at[k], array.dtype, a.unaligned_index);
            const int64_t index = given < 0 ? given + array.length : given;
            if ((uint64_t)index >= (uint64_t)array.length) {
                if (p.valid)
                    report_late(a.late, GARRAY__LATE_INDEX, array.axis, given, array.length);
                p.valid = false;
                continue;
            }
            p.base += index * array.step;
            if (SCATTER)
                p.slot += index * array.slot;
        }
    return p;
}

} /* namespace garray__cuda */
#endif
