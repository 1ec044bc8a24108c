/* SPDX-License-Identifier: BSD-3-Clause
 * Casts of a plan's scalars on the host, by the same rules as the kernels' casts. */
#include <math.h>
#include <string.h>
#include "core/half.h"
#include "cuda/dtype.h"
#include "cuda/elementwise.h"

/* A value in the widest form of its kind. */
struct value {
    int kind;
    uint64_t integer;           /* two's complement */
    double re, im;
};

static struct value value_of(int dtype, const uint64_t bits[2])
{
    struct value v = {garray__cuda_kind(dtype), bits[0], 0, 0};
    float f[2];
    switch (dtype) {
    case GARRAY__CUDA_bool: v.integer = (bits[0] & 0xff) != 0; break;
    case GARRAY__CUDA_int8: v.integer = (uint64_t)(int64_t)(int8_t)bits[0]; break;
    case GARRAY__CUDA_int16: v.integer = (uint64_t)(int64_t)(int16_t)bits[0]; break;
    case GARRAY__CUDA_int32: v.integer = (uint64_t)(int64_t)(int32_t)bits[0]; break;
    case GARRAY__CUDA_uint8: v.integer = bits[0] & 0xff; break;
    case GARRAY__CUDA_uint16: v.integer = bits[0] & 0xffff; break;
    case GARRAY__CUDA_uint32: v.integer = bits[0] & 0xffffffffu; break;
    case GARRAY__CUDA_float16: v.re = garray__half_to_float((uint16_t)bits[0]); break;
    case GARRAY__CUDA_bfloat16: v.re = garray__bfloat_to_float((uint16_t)bits[0]); break;
    case GARRAY__CUDA_float32:
    case GARRAY__CUDA_complex64:
        memcpy(f, bits, 8);
        v.re = f[0], v.im = dtype == GARRAY__CUDA_complex64 ? f[1] : 0;
        break;
    case GARRAY__CUDA_float64: memcpy(&v.re, bits, 8); break;
    case GARRAY__CUDA_complex128: memcpy(&v.re, bits, 8), memcpy(&v.im, bits + 1, 8); break;
    default: break;
    }
    return v;
}

static uint64_t saturate(double x, int kind, int size)
{
    const double top = ldexp(1, kind == GARRAY__CUDA_KIND_UINT ? 8 * size : 8 * size - 1);
    if (x != x)
        return 0;
    if (kind == GARRAY__CUDA_KIND_UINT)
        return x <= 0 ? 0 : x >= top ? UINT64_MAX : (uint64_t)x;
    return x >= top ? ((uint64_t)1 << (8 * size - 1)) - 1 : x < -top ? (uint64_t)0 - ((uint64_t)1 << (8 * size - 1))
                                                                     : (uint64_t)(int64_t)x;
}

/* An integer as a double whose last bit tells whether it is inexact: rounding it again to 16 bits rounds once. */
static double odd_double(uint64_t integer, int kind)
{
    const int negative = kind == GARRAY__CUDA_KIND_SINT && (int64_t)integer < 0;
    uint64_t magnitude = negative ? 0 - integer : integer;
    if (magnitude >> 54)
        magnitude = (magnitude & ~(uint64_t)0x7ff) | (uint64_t)((magnitude & 0x7ff) != 0) << 11;
    return negative ? -(double)magnitude : (double)magnitude;
}

void garray__cuda_cast_bits(int from, const uint64_t from_bits[2], int to, uint64_t to_bits[2])
{
    const struct value v = value_of(from, from_bits);
    const int kind = garray__cuda_kind(to), size = garray__cuda_size(to);
    const int is_integer = v.kind <= GARRAY__CUDA_KIND_UINT;
    const double real = !is_integer ? v.re : v.kind == GARRAY__CUDA_KIND_SINT ? (double)(int64_t)v.integer : (double)v.integer;
    const double narrow = is_integer ? odd_double(v.integer, v.kind) : v.re;
    float f[2];

    to_bits[0] = to_bits[1] = 0;
    switch (kind) {
    case GARRAY__CUDA_KIND_BOOL:
        to_bits[0] = is_integer ? v.integer != 0 : v.re != 0 || v.im != 0;
        return;
    case GARRAY__CUDA_KIND_SINT:
    case GARRAY__CUDA_KIND_UINT:
        to_bits[0] = is_integer ? v.integer : saturate(v.re, kind, size);
        if (size < 8)
            to_bits[0] &= ((uint64_t)1 << (8 * size)) - 1;
        return;
    default:
        break;
    }
    switch (to) {
    case GARRAY__CUDA_float16: to_bits[0] = garray__double_to_half(narrow); break;
    case GARRAY__CUDA_bfloat16: to_bits[0] = garray__double_to_bfloat(narrow); break;
    case GARRAY__CUDA_float32:
    case GARRAY__CUDA_complex64:
        f[0] = !is_integer ? (float)v.re : v.kind == GARRAY__CUDA_KIND_SINT ? (float)(int64_t)v.integer : (float)v.integer;
        f[1] = to == GARRAY__CUDA_complex64 ? (float)v.im : 0;
        memcpy(to_bits, f, 8);
        break;
    default:
        memcpy(to_bits, &real, 8);
        if (to == GARRAY__CUDA_complex128)
            memcpy(to_bits + 1, &v.im, 8);
        break;
    }
}
