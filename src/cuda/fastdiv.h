/* SPDX-License-Identifier: BSD-3-Clause
 * Division of numbers below 2^31 by a divisor known at launch, as one high product, one sum and one shift (Granlund
 * and Montgomery), and the tables of a walk over axes; C, so that host files fill what kernels read. */
#ifndef GARRAY_CUDA_FASTDIV_H
#define GARRAY_CUDA_FASTDIV_H

#include <stdint.h>

#ifdef __CUDACC__
#define GARRAY__HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define GARRAY__HOST_DEVICE static inline
#endif

typedef struct garray__divisor {
    uint32_t divisor, multiplier, shift;
} garray__divisor;

/* 1 <= d < 2^31. */
static inline garray__divisor garray__divisor_of(uint32_t d)
{
    garray__divisor r = {d, 0, 0};
    while (r.shift < 31 && (1u << r.shift) < d)
        r.shift++;
    r.multiplier = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << r.shift) - d)) / d + 1);
    return r;
}

GARRAY__HOST_DEVICE uint32_t garray__fastdiv(uint32_t n, garray__divisor d)
{
#ifdef __CUDA_ARCH__
    return (__umulhi(n, d.multiplier) + n) >> d.shift;
#else
    return (uint32_t)((((uint64_t)n * d.multiplier) >> 32) + n) >> d.shift;
#endif
}

/* Axes are at least 2 long and a plan's index is below 2^31, so there are at most 31 of them. */
#define GARRAY_CUDA_AXES 31
#define GARRAY_CUDA_WALK_OPERANDS 4

typedef struct garray__walk {
    int32_t ndim;
    garray__divisor div[GARRAY_CUDA_AXES];
    int32_t stride[GARRAY_CUDA_WALK_OPERANDS][GARRAY_CUDA_AXES];        /* bytes */
} garray__walk;

#endif
