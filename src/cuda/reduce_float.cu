/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of real floats. */
#include "cuda/reduce_kernels.cuh"

using namespace garray__cuda;

#define COLUMN(T)                                                                                               \
    {GARRAY_REDUCE_KERNELS(real_sum<T, T>), GARRAY_REDUCE_KERNELS(real_product<T, T>), {}, {},                  \
     GARRAY_REDUCE_KERNELS(extremum<T>), GARRAY_REDUCE_KERNELS(arg_extremum<T>),                                \
     GARRAY_REDUCE_KERNELS(variance<T, T>)}

/* Filled when the module is loaded. */
static const garray__reduce_kernels table[][GARRAY__REDUCE_KINDS] = {
    COLUMN(half16), COLUMN(bfloat), COLUMN(float), COLUMN(double),
};

extern "C" const garray__reduce_kernels *garray__cuda_reduce_float(int dtype, garray__reduce_kind kind)
{
    return dtype >= GARRAY_FLOAT16 && dtype <= GARRAY_FLOAT64 && table[dtype - GARRAY_FLOAT16][kind].grid
               ? &table[dtype - GARRAY_FLOAT16][kind] : NULL;
}
