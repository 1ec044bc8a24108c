/* SPDX-License-Identifier: BSD-3-Clause
 * Storage types that C++ can tell apart (bool, float16 and bfloat16 are integers in dtypes.def), their computing
 * values, casts by the contract of backend.h, and, in a file compiled per dtype, that dtype's own st. */
#ifndef GARRAY_CUDA_SCALAR_CUH
#define GARRAY_CUDA_SCALAR_CUH

#include <stdint.h>
#include <string.h>
#include "core/complex.h"

namespace garray__cuda {

struct boolean { uint8_t v; };
struct half16 { uint16_t bits; };
struct bfloat { uint16_t bits; };

typedef boolean type_bool;
typedef int8_t type_int8;
typedef int16_t type_int16;
typedef int32_t type_int32;
typedef int64_t type_int64;
typedef uint8_t type_uint8;
typedef uint16_t type_uint16;
typedef uint32_t type_uint32;
typedef uint64_t type_uint64;
typedef half16 type_float16;
typedef bfloat type_bfloat16;
typedef float type_float32;
typedef double type_float64;
typedef garray__c64 type_complex64;
typedef garray__c128 type_complex128;

/* The type that a storage type is computed in. */
template <class T> struct compute_of { typedef T type; };
template <> struct compute_of<boolean> { typedef uint8_t type; };
template <> struct compute_of<half16> { typedef float type; };
template <> struct compute_of<bfloat> { typedef float type; };

template <class T> struct is_integer { static constexpr bool value = false, is_signed = false; };
template <> struct is_integer<int8_t> { static constexpr bool value = true, is_signed = true; };
template <> struct is_integer<int16_t> { static constexpr bool value = true, is_signed = true; };
template <> struct is_integer<int32_t> { static constexpr bool value = true, is_signed = true; };
template <> struct is_integer<int64_t> { static constexpr bool value = true, is_signed = true; };
template <> struct is_integer<uint8_t> { static constexpr bool value = true, is_signed = false; };
template <> struct is_integer<uint16_t> { static constexpr bool value = true, is_signed = false; };
template <> struct is_integer<uint32_t> { static constexpr bool value = true, is_signed = false; };
template <> struct is_integer<uint64_t> { static constexpr bool value = true, is_signed = false; };

template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };

template <class T> struct is_complex { static constexpr bool value = false; };
template <> struct is_complex<garray__c64> { static constexpr bool value = true; };
template <> struct is_complex<garray__c128> { static constexpr bool value = true; };

/* ---- 16-bit floats ------------------------------------------------------------------------------------------- */
__device__ __forceinline__ float half_to_float(uint16_t bits)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    /* the conversion makes every NaN a positive one; signbit and copysign look at the sign */
    return __uint_as_float(__float_as_uint(f) | (uint32_t)(bits & 0x8000u) << 16);
}

__device__ __forceinline__ uint16_t float_to_half(float f)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    return bits;
}

__device__ __forceinline__ float bfloat_to_float(uint16_t bits)
{
    return __uint_as_float((uint32_t)bits << 16);
}

__device__ __forceinline__ uint16_t float_to_bfloat(float f)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    return bits;
#else
    const uint32_t u = __float_as_uint(f);
    return (uint16_t)(f != f ? 0x7fffu : (u + 0x7fffu + (u >> 16 & 1)) >> 16);
#endif
}

/* To float by rounding to odd: what is rounded again to 16 bits has then been rounded once. */
__device__ __forceinline__ float odd_float(double d)
{
    const float f = __double2float_rz(d);
    return (double)f != d && d == d ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

__device__ __forceinline__ float odd_float(uint64_t u)
{
    const float f = __ull2float_rz(u);
    return __float2ull_rz(f) != u ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

__device__ __forceinline__ float odd_float(int64_t i)
{
    const float f = __ll2float_rz(i);
    return __float2ll_rz(f) != i ? __uint_as_float(__float_as_uint(f) | 1u) : f;
}

__device__ __forceinline__ float odd_float(float f) { return f; }
__device__ __forceinline__ float odd_float(uint32_t u) { return odd_float((double)u); }
__device__ __forceinline__ float odd_float(int32_t i) { return odd_float((double)i); }
__device__ __forceinline__ float odd_float(uint16_t u) { return (float)u; }
__device__ __forceinline__ float odd_float(int16_t i) { return (float)i; }
__device__ __forceinline__ float odd_float(uint8_t u) { return (float)u; }
__device__ __forceinline__ float odd_float(int8_t i) { return (float)i; }

/* ---- storage and computing values ---------------------------------------------------------------------------- */
template <class T> __device__ __forceinline__ T value_of(T x) { return x; }
__device__ __forceinline__ uint8_t value_of(boolean x) { return x.v != 0; }
__device__ __forceinline__ float value_of(half16 x) { return half_to_float(x.bits); }
__device__ __forceinline__ float value_of(bfloat x) { return bfloat_to_float(x.bits); }

/* A float to an integer type: toward zero, saturating, NaN to 0.  The conversions of the processor saturate at 32
 * and 64 bits; what they make of NaN differs from type to type. */
template <class To, class F> __device__ __forceinline__ To float_to_integer(F f)
{
    if (f != f)
        return 0;
    if constexpr (sizeof(To) < 4) {
        const int32_t low = is_integer<To>::is_signed ? -(1 << (8 * sizeof(To) - 1)) : 0;
        const int32_t high = is_integer<To>::is_signed ? (1 << (8 * sizeof(To) - 1)) - 1 : (1 << (8 * sizeof(To))) - 1;
        const int32_t i = sizeof(F) == 4 ? __float2int_rz((float)f) : __double2int_rz((double)f);
        return (To)(i < low ? low : i > high ? high : i);
    } else if constexpr (sizeof(F) == 4) {
        if constexpr (sizeof(To) == 4)
            return is_integer<To>::is_signed ? (To)__float2int_rz(f) : (To)__float2uint_rz(f);
        else
            return is_integer<To>::is_signed ? (To)__float2ll_rz(f) : (To)__float2ull_rz(f);
    } else {
        if constexpr (sizeof(To) == 4)
            return is_integer<To>::is_signed ? (To)__double2int_rz(f) : (To)__double2uint_rz(f);
        else
            return is_integer<To>::is_signed ? (To)__double2ll_rz(f) : (To)__double2ull_rz(f);
    }
}

/* From a computing value (an integer, float, double or complex) to storage. */
template <class To, class V> __device__ __forceinline__ To store_as(V v)
{
    if constexpr (is_complex<V>::value) {
        if constexpr (is_complex<To>::value) {
            To c;
            c.re = v.re, c.im = v.im;
            return c;
        } else if constexpr (same<To, boolean>::value) {
            return boolean{(uint8_t)(v.re != 0 || v.im != 0)};
        } else {
            return store_as<To>(v.re);
        }
    } else if constexpr (is_complex<To>::value) {
        To c;
        c.re = v, c.im = 0;
        return c;
    } else if constexpr (same<To, boolean>::value) {
        return boolean{(uint8_t)(v != 0)};
    } else if constexpr (same<To, half16>::value) {
        return half16{float_to_half(odd_float(v))};
    } else if constexpr (same<To, bfloat>::value) {
        return bfloat{float_to_bfloat(odd_float(v))};
    } else if constexpr (is_integer<To>::value && !is_integer<V>::value) {
        return float_to_integer<To>(v);
    } else {
        return (To)v;
    }
}

/* From storage to storage: the casts of convert. */
template <class To, class From> __device__ __forceinline__ To cast(From x)
{
    if constexpr (same<To, From>::value && !same<To, boolean>::value)
        return x;
    else
        return store_as<To>(value_of(x));
}

/* ---- the dtype being compiled -------------------------------------------------------------------------------- */
#ifdef GARRAY_DT
#define GARRAY__PASTE_(a, b) a##b
#define GARRAY__PASTE(a, b) GARRAY__PASTE_(a, b)
typedef GARRAY__PASTE(type_, GARRAY_DT) st;
#endif

} /* namespace garray__cuda */
#endif
