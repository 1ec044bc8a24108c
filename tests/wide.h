/* SPDX-License-Identifier: BSD-3-Clause
 * Reference arithmetic wider than any dtype, and the bound that results of sums and products are held to: half a unit
 * in the last place for the one rounding, plus what the inner arithmetic may lose. */
#ifndef GARRAY_TESTS_WIDE_H
#define GARRAY_TESTS_WIDE_H

#include "test.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 test_wide;
#else
typedef long double test_wide;
#endif

static inline int test_part(int dtype)
{
    return dtype == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : dtype == GARRAY_COMPLEX128 ? GARRAY_FLOAT64 : dtype;
}

static inline bool test_is_complex(int dtype)
{
    return dtype >= GARRAY_COMPLEX64;
}

static inline bool test_is_inexact(int dtype)
{
    return dtype >= GARRAY_FLOAT16;
}

static inline bool test_is_signed(int dtype)
{
    return dtype >= GARRAY_INT8 && dtype <= GARRAY_INT64;
}

/* An integer or bool as 64 bits: sign-extended, or zero-extended. */
static inline uint64_t test_load_bits(int dtype, const void *element)
{
    int bits = 8 * (int)garray_dtype_size((garray_dtype)dtype);
    uint64_t word = 0;
    memcpy(&word, element, (size_t)bits / 8);
    return test_is_signed(dtype) && bits < 64 && word >> (bits - 1) ? word | UINT64_MAX << bits : word;
}

static inline test_wide test_load_wide(int dtype, const void *element)
{
    if (test_is_inexact(dtype))
        return (test_wide)test_load(dtype, element);
    uint64_t word = test_load_bits(dtype, element);
    return test_is_signed(dtype) ? (test_wide)(int64_t)word : (test_wide)word;
}

static inline test_wide test_wide_abs(test_wide x)
{
    return x < 0 ? -x : x;
}

static inline test_wide test_wide_sqrt(test_wide x)
{
    test_wide root = (test_wide)sqrt((double)x);
    return root > 0 && x - x == 0 ? root + (x - root * root) / (2 * root) : root;
}

/* Half the distance between neighbours of a real dtype at x. */
static inline double test_half_ulp(int dtype, test_wide x)
{
    int digits = dtype == GARRAY_FLOAT16 ? 11 : dtype == GARRAY_BFLOAT16 ? 8 : dtype == GARRAY_FLOAT32 ? 24 : 53;
    int least = dtype == GARRAY_FLOAT16 ? -24 : dtype == GARRAY_BFLOAT16 ? -133 : dtype == GARRAY_FLOAT32 ? -149 : -1074;
    int exponent = 0;
    frexp((double)x, &exponent);
    int unit = x != 0 && exponent - digits > least ? exponent - digits : least;
    return dtype == GARRAY_FLOAT64 && unit == least ? 0x1p-1074 : ldexp(0.5, unit);
}

/* Whether a number of a real dtype is `exact` rounded once, give or take slack. */
static inline bool test_near(int dtype, double got, test_wide exact, test_wide slack)
{
    if (exact != exact)
        return isnan(got);
    if (exact - exact != 0)
        return isinf(got) && (got > 0) == (exact > 0);
    double largest = dtype == GARRAY_FLOAT16 ? 65504 : dtype == GARRAY_BFLOAT16 ? 0x1.fep127
                     : dtype == GARRAY_FLOAT32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    test_wide half = (test_wide)test_half_ulp(dtype, exact);
    if (isinf(got))
        return test_wide_abs(exact) + slack + (test_wide)test_half_ulp(dtype, (test_wide)largest) >= (test_wide)largest
               && (got > 0) == (exact > 0);
    return test_wide_abs((test_wide)got - exact) <= half + slack;
}

#endif
