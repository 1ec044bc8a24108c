/* SPDX-License-Identifier: BSD-3-Clause
 * Axes of plans with 64-bit counts as kernels take them: length, up to three byte strides, and the divisor that
 * the walk from a flat index needs.  The first GARRAY_CUDA_INLINE_AXES travel in the kernel's arguments; a plan
 * with more keeps its axes in scratch memory.  And items of any alignment, which such strides lead to. */
#ifndef GARRAY_CUDA_AXIS_H
#define GARRAY_CUDA_AXIS_H

#include <stdbool.h>
#include "cuda/fastdiv.h"

#define GARRAY_CUDA_INLINE_AXES 8

typedef struct garray__axis {
    int64_t length;
    int64_t stride[3];
    garray__divisor div;                /* of length, where that is below 2^31 */
    uint32_t reserved;
} garray__axis;

static inline garray__axis garray__axis_of(int64_t length, int64_t first, int64_t second, int64_t third)
{
    garray__axis axis = {length, {first, second, third}, {1, 0, 0}, 0};
    if (length >= 1 && length < ((int64_t)1 << 31))
        axis.div = garray__divisor_of((uint32_t)length);
    return axis;
}

#ifdef __CUDACC__

namespace garray__cuda {

/* a / b of numbers that are not negative: 64-bit divisions are slow, and most numbers are short. */
__device__ __forceinline__ int64_t quotient(int64_t a, int64_t b)
{
    return (uint64_t)(a | b) >> 32 == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

/* Adds to offset[] the offsets of flat index i over axes[0..n), the innermost last.  wide: the product of the
 * lengths may reach 2^31. */
template <int N>
__device__ __forceinline__ void axis_walk(const garray__axis *axes, int n, bool wide, int64_t i, int64_t (&offset)[N])
{
#pragma unroll 1
    for (int d = n - 1; d > 0; d--) {
        const int64_t q = wide ? i / axes[d].length : (int64_t)garray__fastdiv((uint32_t)i, axes[d].div);
        const int64_t c = i - q * axes[d].length;
#pragma unroll
        for (int s = 0; s < N; s++)
            offset[s] += c * axes[d].stride[s];
        i = q;
    }
    if (n > 0)
#pragma unroll
        for (int s = 0; s < N; s++)
            offset[s] += i * axes[0].stride[s];
}

/* An item of any alignment. */
template <class T> __device__ __forceinline__ T item_load(const char *p, bool unaligned)
{
    T value;
    if (!unaligned)
        return *(const T *)p;
    unsigned char b[sizeof(T)];
#pragma unroll
    for (unsigned i = 0; i < sizeof(T); i++)
        b[i] = (unsigned char)p[i];
    memcpy(&value, b, sizeof value);
    return value;
}

template <class T> __device__ __forceinline__ void item_store(char *p, T value, bool unaligned)
{
    if (!unaligned) {
        *(T *)p = value;
        return;
    }
    unsigned char b[sizeof(T)];
    memcpy(b, &value, sizeof value);
#pragma unroll
    for (unsigned i = 0; i < sizeof(T); i++)
        p[i] = (char)b[i];
}

/* The same where each address is looked at. */
template <class T> __device__ __forceinline__ T item_load(const char *p)
{
    return item_load<T>(p, (uintptr_t)p % alignof(T) != 0);
}

template <class T> __device__ __forceinline__ void item_store(char *p, T value)
{
    item_store<T>(p, value, (uintptr_t)p % alignof(T) != 0);
}

} /* namespace garray__cuda */

#endif
#endif
