/* SPDX-License-Identifier: BSD-3-Clause
 * Element types, and which type comes of which: NumPy 2's promotion. */
#ifndef GARRAY_DTYPE_H
#define GARRAY_DTYPE_H

#include <garray/operand.h>

GARRAY_BEGIN

/* Bytes per element; 0 for a value that is no dtype. */
GARRAY_API size_t garray_dtype_size(garray_dtype dtype);

/* NumPy's name of a dtype, "float32"; "?" for a value that is none. */
GARRAY_API const char *garray_dtype_name(garray_dtype dtype);

/* The dtype of a name as garray_dtype_name() gives it. DTYPE for another name. */
GARRAY_STATUS garray_dtype_from_name(const char *name, garray_dtype *dtype);

/* Sets of dtypes, for garray_isdtype(); combine them with |. */
enum {
    GARRAY_KIND_BOOL = 1,
    GARRAY_KIND_SIGNED = 2,   /* int8 to int64 */
    GARRAY_KIND_UNSIGNED = 4, /* uint8 to uint64 */
    GARRAY_KIND_INTEGRAL = 6,
    GARRAY_KIND_FLOATING = 8, /* float16, bfloat16, float32, float64 */
    GARRAY_KIND_COMPLEX = 16,
    GARRAY_KIND_NUMERIC = 30  /* all but bool */
};

/* Whether a dtype belongs to one of the kinds. */
GARRAY_API bool garray_isdtype(garray_dtype dtype, int kinds);

/* How much a cast may lose, from least to most. */
typedef enum {
    GARRAY_CAST_NO = 1,        /* same dtype */
    GARRAY_CAST_EQUIV = 2,     /* same dtype; kept for NumPy's name */
    GARRAY_CAST_SAFE = 3,      /* every value is kept */
    GARRAY_CAST_SAME_KIND = 4, /* safe, or to a smaller dtype of the same kind */
    GARRAY_CAST_UNSAFE = 5,    /* any */
    GARRAY_CASTING_MAX_ENUM = 0x7fffffff
} garray_casting;

/* Whether a cast is allowed by a rule; false for a value that is no dtype. */
GARRAY_API bool garray_can_cast(garray_dtype from, garray_dtype to, garray_casting casting);

/* The dtype that both cast to safely, as NumPy's promote_types. bfloat16 promotes as float16 does, and with
 * float16 to float32. */
GARRAY_STATUS garray_promote(garray_dtype a, garray_dtype b, garray_dtype *result);

/* The dtype of a result computed from n operands. C scalars are weak: they give way to the dtype of an
 * array of their kind or a higher one (NEP 50); alone they are int64, float64, complex128 or bool. */
GARRAY_STATUS garray_result_type(int n, const garray_operand *operands, garray_dtype *result);

GARRAY_END

#endif
