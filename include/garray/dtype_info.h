/* SPDX-License-Identifier: BSD-3-Clause
 * What can be asked of single dtypes and of values: limits, the smallest dtype, the one for arithmetic in common. */
#ifndef GARRAY_DTYPE_INFO_H
#define GARRAY_DTYPE_INFO_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef struct { /* what garray_finfo() tells */
    garray_dtype dtype; /* a real one: of a complex dtype that of its parts */
    int32_t bits;       /* of an element */
    int32_t precision;  /* decimal digits that are surely kept */
    int32_t nmant;      /* bits of the significand without the hidden one */
    int32_t nexp;       /* bits of the exponent */
    int32_t minexp;     /* smallest_normal is 2 to this */
    int32_t maxexp;     /* the smallest power of 2 that overflows */
    int32_t reserved;
    double eps, epsneg; /* from 1 to the next number above, and below */
    double min, max, smallest_normal, smallest_subnormal, resolution; /* the limits; resolution: 10 to -precision */
} garray_float_info;

/* The limits of a float or complex dtype, as NumPy's finfo. DTYPE for others. */
GARRAY_STATUS garray_finfo(garray_dtype dtype, garray_float_info *info);

typedef struct { /* what garray_iinfo() tells */
    garray_dtype dtype; /* the one asked for */
    int32_t bits;       /* of an element */
    int64_t min;        /* the least value */
    uint64_t max;       /* the largest */
} garray_int_info;

/* The limits of an integer dtype. DTYPE for others. */
GARRAY_STATUS garray_iinfo(garray_dtype dtype, garray_int_info *info);

/* The smallest dtype that holds a number, unsigned for integers of 0 or more; of floats, by their magnitude alone. The
 * dtype of an array with axes; of one without, as of its number, for which it waits. */
GARRAY_STATUS garray_min_scalar_type(garray_operand value, garray_dtype *dtype);

/* The float or complex dtype for arithmetic with all of the arrays, integers counting as float64; float16 for none. DTYPE
 * for bools. */
GARRAY_STATUS garray_common_type(garray_list arrays, garray_dtype *dtype);

GARRAY_END

#ifndef __cplusplus
#define garray_min_scalar_type(value, dtype) (garray_min_scalar_type)(GARRAY_OPERAND(value), dtype)
#endif

#endif
