/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of complex numbers. */
#include "cuda/reduce_kernels.cuh"

using namespace garray__cuda;

#define COLUMN(T)                                                                                               \
    {GARRAY_REDUCE_KERNELS(complex_sum<T>), GARRAY_REDUCE_KERNELS(complex_product<T>), {}, {},                  \
     GARRAY_REDUCE_KERNELS(extremum<T>), GARRAY_REDUCE_KERNELS(arg_extremum<T>),                                \
     GARRAY_REDUCE_KERNELS(complex_variance<T>)}

/* Filled when the module is loaded. */
static const garray__reduce_kernels table[][GARRAY__REDUCE_KINDS] = {
    COLUMN(garray__c64), COLUMN(garray__c128),
};

extern "C" const garray__reduce_kernels *garray__cuda_reduce_complex(int dtype, garray__reduce_kind kind)
{
    return dtype >= GARRAY_COMPLEX64 && dtype <= GARRAY_COMPLEX128 && table[dtype - GARRAY_COMPLEX64][kind].grid
               ? &table[dtype - GARRAY_COMPLEX64][kind] : NULL;
}
