/* SPDX-License-Identifier: BSD-3-Clause
 * The order of items as the order of unsigned numbers.  In ascending order a float's bits become a number by the usual
 * turn (negative: all bits, positive: the sign), shifted so that both kinds of NaN end above infinity; descending
 * reverses the numbers below the NaNs.  The map is one to one, so that values can be sorted as keys and turned back.
 * Equal items (the two zeros, the NaNs) then still differ: level_key() makes them equal for comparison. */
#ifndef GARRAY_CUDA_SORT_KEY_H
#define GARRAY_CUDA_SORT_KEY_H

#include "cuda/cuda.h"
#include "cuda/fastdiv.h"

enum {
    GARRAY_SORT_PLAIN = 0,              /* one number */
    GARRAY_SORT_COMPLEX = 1,            /* complex64: two numbers in 64 bits; NaNs lose their payload */
    GARRAY_SORT_ROW_KEY = 2,            /* a row number above a 32-bit key that is a number already */
};

typedef struct garray__sort_order {
    uint64_t top, negative, positive;   /* the sign bit; what is flipped where it is set, and where not */
    uint64_t shift;                     /* how many NaNs have the sign bit */
    uint64_t last;                      /* descending: keys up to here are reversed */
    uint64_t minus, plus;               /* the keys of -0 and +0 */
    uint64_t nan, nans;                 /* the first NaN's key, and how many follow it */
    uint64_t nan_level;                 /* what stands for all of them: the highest number, or 0 where NaNs are first */
    int32_t kind, descending;
} garray__sort_order;

#ifdef __CUDACC__

namespace garray__cuda {

template <class U> __device__ __host__ __forceinline__ U key_of_number(const garray__sort_order &o, U b)
{
    U k = b ^ ((b & (U)o.top) ? (U)o.negative : (U)o.positive);
    k -= (U)o.shift;
    return o.descending && k <= (U)o.last ? (U)((U)o.last - k) : k;
}

template <class U> __device__ __host__ __forceinline__ U number_of_key(const garray__sort_order &o, U k)
{
    if (o.descending && k <= (U)o.last)
        k = (U)o.last - k;
    k += (U)o.shift;
    return k ^ ((k & (U)o.top) ? (U)o.positive : (U)o.negative);
}

/* Equal items get equal keys.  All ones stays what it is: CUB pads with it and counts on that. */
template <class U> __device__ __host__ __forceinline__ U level_key(const garray__sort_order &o, U k)
{
    if ((U)(k - (U)o.nan) <= (U)o.nans)
        return (U)o.nan_level;
    return k == (U)o.minus ? (U)o.plus : k;
}

/* complex64, NumPy's order: numbers, then (number, NaN), (NaN, number), (NaN, NaN).  What replaces a NaN in the upper
 * half is larger than any number's key.  nan_first is for level keys of real parts alone: complex numbers are always
 * kept NaN last here. */
__device__ __host__ __forceinline__ uint64_t key_of_complex(const garray__sort_order &o, uint64_t b)
{
    const uint32_t re = key_of_number<uint32_t>(o, (uint32_t)b), im = key_of_number<uint32_t>(o, (uint32_t)(b >> 32));
    const uint32_t numbers = (uint32_t)o.nan;
    const bool re_nan = re >= numbers, im_nan = im >= numbers;
    if (re_nan)
        return im_nan ? ~0ull : (uint64_t)(numbers + 1) << 32 | im;
    return im_nan ? (uint64_t)numbers << 32 | re : (uint64_t)re << 32 | im;
}

__device__ __host__ __forceinline__ uint64_t complex_of_key(const garray__sort_order &o, uint64_t k)
{
    const uint32_t upper = (uint32_t)(k >> 32), lower = (uint32_t)k, numbers = (uint32_t)o.nan, nan = 0x7fc00000u;
    uint32_t re = nan, im = nan;
    if (upper < numbers) {
        re = number_of_key<uint32_t>(o, upper);
        im = number_of_key<uint32_t>(o, lower);
    } else if (upper == numbers) {
        re = number_of_key<uint32_t>(o, lower);
    } else if (upper == numbers + 1) {
        im = number_of_key<uint32_t>(o, lower);
    }
    return (uint64_t)im << 32 | re;
}

__device__ __host__ __forceinline__ uint64_t level_complex(const garray__sort_order &o, uint64_t k)
{
    uint32_t upper = (uint32_t)(k >> 32), lower = (uint32_t)k;
    upper = upper == (uint32_t)o.minus ? (uint32_t)o.plus : upper;
    lower = lower == (uint32_t)o.minus ? (uint32_t)o.plus : lower;
    return (uint64_t)upper << 32 | lower;
}

/* The two 64-bit keys of a complex128; both are level. */
__device__ __forceinline__ void keys_of_complex128(const garray__sort_order &o, uint64_t re, uint64_t im,
                                                   uint64_t &upper, uint64_t &lower)
{
    const uint64_t r = level_key<uint64_t>(o, key_of_number<uint64_t>(o, re));
    const uint64_t i = level_key<uint64_t>(o, key_of_number<uint64_t>(o, im));
    const bool re_nan = r >= o.nan, im_nan = i >= o.nan;
    upper = re_nan ? o.nan + (im_nan ? 2 : 1) : im_nan ? o.nan : r;
    lower = re_nan ? (im_nan ? 0 : i) : im_nan ? r : i;
}

/* The level key of an item of 1 to 8 bytes.  flip: all ones for top_k's largest first of complex numbers, else 0. */
__device__ __forceinline__ uint64_t level_item(const garray__sort_order &o, int size, const void *base, int64_t i,
                                               uint64_t flip)
{
    switch (size) {
    case 1: return level_key<uint8_t>(o, key_of_number<uint8_t>(o, ((const uint8_t *)base)[i]));
    case 2: return level_key<uint16_t>(o, key_of_number<uint16_t>(o, ((const uint16_t *)base)[i]));
    case 4: return level_key<uint32_t>(o, key_of_number<uint32_t>(o, ((const uint32_t *)base)[i]));
    default: break;
    }
    const uint64_t b = ((const uint64_t *)base)[i];
    if (o.kind == GARRAY_SORT_COMPLEX)
        return flip ^ level_complex(o, key_of_complex(o, b));
    return level_key<uint64_t>(o, key_of_number<uint64_t>(o, b));
}

} /* namespace garray__cuda */

#endif
#endif
