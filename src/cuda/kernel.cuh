/* SPDX-License-Identifier: BSD-3-Clause
 * What kernels are made of: 16-byte vectors at any alignment, division by a number known at launch, the walk from
 * an index to offsets, and late errors.  No heavy header may be included here. */
#ifndef GARRAY_CUDA_KERNEL_CUH
#define GARRAY_CUDA_KERNEL_CUH

#include <stdint.h>
#include <string.h>
#include "cuda/cuda.h"
#include "cuda/fastdiv.h"
#include "cuda/tuning.h"

namespace garray__cuda {

/* BYTES bytes in registers, as words; items are numbered from the lowest address. */
template <int BYTES> struct pack {
    static constexpr int words = (BYTES + 3) / 4;
    uint32_t w[words];
};

/* Item e of a pack; e must be known at compile time (unrolled loops), or the pack goes to local memory. */
template <class T, int BYTES> __device__ __forceinline__ T item(const pack<BYTES> &v, int e)
{
    T x;
    if constexpr (sizeof(T) == 1) {
        const uint8_t b = (uint8_t)(v.w[e / 4] >> (8 * (e % 4)));
        memcpy(&x, &b, 1);
    } else if constexpr (sizeof(T) == 2) {
        const uint16_t b = (uint16_t)(v.w[e / 2] >> (16 * (e % 2)));
        memcpy(&x, &b, 2);
    } else {
        constexpr int n = sizeof(T) / 4;
        uint32_t b[n];
#pragma unroll
        for (int i = 0; i < n; i++)
            b[i] = v.w[e * n + i];
        memcpy(&x, b, sizeof x);
    }
    return x;
}

/* Puts an item into a pack whose bytes there are 0. */
template <class T, int BYTES> __device__ __forceinline__ void set_item(pack<BYTES> &v, int e, T x)
{
    if constexpr (sizeof(T) == 1) {
        uint8_t b;
        memcpy(&b, &x, 1);
        v.w[e / 4] |= (uint32_t)b << (8 * (e % 4));
    } else if constexpr (sizeof(T) == 2) {
        uint16_t b;
        memcpy(&b, &x, 2);
        v.w[e / 2] |= (uint32_t)b << (16 * (e % 2));
    } else {
        constexpr int n = sizeof(T) / 4;
        uint32_t b[n];
        memcpy(b, &x, sizeof x);
#pragma unroll
        for (int i = 0; i < n; i++)
            v.w[e * n + i] = b[i];
    }
}

template <int BYTES> __device__ __forceinline__ pack<BYTES> zero_pack()
{
    pack<BYTES> v;
#pragma unroll
    for (int i = 0; i < pack<BYTES>::words; i++)
        v.w[i] = 0;
    return v;
}

/* One access of BYTES bytes (1, 2, 4, 8 or 16); p is aligned to BYTES. */
template <int BYTES> __device__ __forceinline__ pack<BYTES> load_aligned(const void *p)
{
    pack<BYTES> v;
    if constexpr (BYTES == 16) {
        const uint4 x = *(const uint4 *)p;
        v.w[0] = x.x, v.w[1] = x.y, v.w[2] = x.z, v.w[3] = x.w;
    } else if constexpr (BYTES == 8) {
        const uint2 x = *(const uint2 *)p;
        v.w[0] = x.x, v.w[1] = x.y;
    } else if constexpr (BYTES == 4) {
        v.w[0] = *(const uint32_t *)p;
    } else if constexpr (BYTES == 2) {
        v.w[0] = *(const uint16_t *)p;
    } else {
        v.w[0] = *(const uint8_t *)p;
    }
    return v;
}

/* The intrinsics keep a store whole: the compiler takes plain ones of vectors apart and may not join them again. */
template <int BYTES> __device__ __forceinline__ void store_aligned(void *p, const pack<BYTES> &v)
{
    if constexpr (BYTES == 16)
        __stwb((uint4 *)p, make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]));
    else if constexpr (BYTES == 8)
        __stwb((uint2 *)p, make_uint2(v.w[0], v.w[1]));
    else if constexpr (BYTES == 4)
        *(uint32_t *)p = v.w[0];
    else if constexpr (BYTES == 2)
        *(uint16_t *)p = (uint16_t)v.w[0];
    else
        *(uint8_t *)p = (uint8_t)v.w[0];
}

/* The same into shared memory, where the intrinsics of store_aligned may not write. */
__device__ __forceinline__ void store_shared(uint4 *p, const pack<16> &v) { *p = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]); }

/* The 16 bytes that begin s bytes into the vectors a and b; s is a multiple of GRAIN. */
template <int GRAIN> __device__ __forceinline__ pack<16> shifted(const pack<16> &a, const pack<16> &b, uint32_t s)
{
    uint32_t w[8] = {a.w[0], a.w[1], a.w[2], a.w[3], b.w[0], b.w[1], b.w[2], b.w[3]};
    if (s & 8) {
#pragma unroll
        for (int i = 0; i < 6; i++)
            w[i] = w[i + 2];
    }
    if constexpr (GRAIN <= 4) {
        if (s & 4) {
#pragma unroll
            for (int i = 0; i < 5; i++)
                w[i] = w[i + 1];
        }
    }
    pack<16> v;
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.w[i] = GRAIN <= 2 ? __funnelshift_r(w[i], w[i + 1], (s & 3) * 8) : w[i];
    return v;
}

/* 16 bytes at an address that is a multiple of GRAIN: the two aligned vectors around it, shifted together.  Both
 * hold at least one byte that was asked for, so nothing beyond the allocation's last 16 bytes is read; the second
 * one is the neighbour's first and comes from the cache. */
template <int GRAIN> __device__ __forceinline__ pack<16> load_shifted(const void *p)
{
    const uint32_t s = (uint32_t)(uintptr_t)p & 15;
    const char *q = (const char *)p - s;
    return shifted<GRAIN>(load_aligned<16>(q), load_aligned<16>(q + 16), s);
}

/* Fills a pack with one item. */
template <class T, int BYTES> __device__ __forceinline__ pack<BYTES> splat(T x)
{
    pack<BYTES> v = zero_pack<BYTES>();
#pragma unroll
    for (int e = 0; e < BYTES / (int)sizeof(T); e++)
        set_item<T>(v, e, x);
    return v;
}

/* Index to offsets of operand k: the innermost axis is the last. */
__device__ __forceinline__ int32_t walk_offset(const garray__walk &walk, int k, uint32_t index)
{
    int32_t offset = 0;
#pragma unroll 1
    for (int d = walk.ndim - 1; d >= 0; d--) {
        const uint32_t q = garray__fastdiv(index, walk.div[d]);
        offset += (int32_t)(index - q * walk.div[d].divisor) * walk.stride[k][d];
        index = q;
    }
    return offset;
}

/* Reports a late error: the first one since the last poll() stays. */
__device__ __forceinline__ void report_late(garray__late *late, uint32_t kind, int64_t where, int64_t value, int64_t limit)
{
    if (atomicCAS(&late->claimed, 0u, 1u) != 0)
        return;
    late->where = where;
    late->value = value;
    late->limit = limit;
    __threadfence_system();
    *(volatile uint32_t *)&late->kind = kind;
}

/* Blocks that give each of n items a thread (64-bit; n / block must fit a grid's x). */
static inline dim3 grid_for(int64_t n, int block)
{
    return dim3((unsigned)((n + block - 1) / block));
}

} /* namespace garray__cuda */
#endif
