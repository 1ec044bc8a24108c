/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of bool and integers, counting by item size, and the walk to places of any number of axes. */
#include "cuda/reduce_kernels.cuh"

using namespace garray__cuda;

/* Sums in double of items of up to 32 bits come from the exact integer sum. */
#define NARROW(T)                                                                                               \
    {GARRAY_REDUCE_KERNELS(integer_sum<T>), GARRAY_REDUCE_KERNELS(integer_product<T>),                          \
     GARRAY_REDUCE_KERNELS(integer_sum<T>), GARRAY_REDUCE_KERNELS(real_product<T, double>),                     \
     GARRAY_REDUCE_KERNELS(extremum<T>), GARRAY_REDUCE_KERNELS(arg_extremum<T>)}
#define LONG(T)                                                                                                 \
    {GARRAY_REDUCE_KERNELS(integer_sum<uint64_t>), GARRAY_REDUCE_KERNELS(integer_product<uint64_t>),            \
     GARRAY_REDUCE_KERNELS(real_sum<T, double>), GARRAY_REDUCE_KERNELS(real_product<T, double>),                \
     GARRAY_REDUCE_KERNELS(extremum<T>), GARRAY_REDUCE_KERNELS(arg_extremum<T>)}

/* Filled when the module is loaded. */
static const garray__reduce_kernels table[][GARRAY__REDUCE_VAR] = {
    NARROW(int8_t), NARROW(int16_t), NARROW(int32_t), LONG(int64_t),
    NARROW(uint8_t), NARROW(uint16_t), NARROW(uint32_t), LONG(uint64_t),
};

extern "C" const garray__reduce_kernels *garray__cuda_reduce_integer(int dtype, garray__reduce_kind kind)
{
    if (kind >= GARRAY__REDUCE_VAR)
        return NULL;
    if (dtype == GARRAY_BOOL)
        dtype = GARRAY_UINT8;
    return dtype >= GARRAY_INT8 && dtype <= GARRAY_UINT64 ? &table[dtype - GARRAY_INT8][kind] : NULL;
}

static const garray__reduce_kernels counts[] = {
    GARRAY_REDUCE_KERNELS(nonzero_count<uint8_t>), GARRAY_REDUCE_KERNELS(nonzero_count<uint16_t>),
    GARRAY_REDUCE_KERNELS(nonzero_count<uint32_t>), GARRAY_REDUCE_KERNELS(nonzero_count<uint64_t>),
    GARRAY_REDUCE_KERNELS(nonzero_count<garray__c128>),
};

extern "C" const garray__reduce_kernels *garray__cuda_reduce_count(size_t itemsize)
{
    for (int i = 0; i < 5; i++)
        if (itemsize == (size_t)1 << i)
            return &counts[i];
    return NULL;
}

static __global__ void __launch_bounds__(GARRAY_CUDA_BLOCK) reduce_places(const __grid_constant__ garray__place_args a)
{
    const int64_t i = (int64_t)blockIdx.x * GARRAY_CUDA_BLOCK + threadIdx.x;
    int64_t offset[2] = {0, 0};
    if (i >= a.count)
        return;
    axis_walk<2>(a.far_axes ? a.far_axes : a.axes, a.naxes, a.wide, i, offset);
    a.places[i] = garray__reduce_place{offset[0], offset[1]};
}

extern "C" const void *garray__cuda_reduce_places(void) { return (const void *)reduce_places; }
