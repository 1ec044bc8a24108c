/* SPDX-License-Identifier: BSD-3-Clause
 * What core knows of dtypes: kinds, sizes, promotion and the values of scalars. */
#ifndef GARRAY_CORE_DTYPE_H
#define GARRAY_CORE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>
#include "garray/dtype.h"
#include "garray/operand.h"
#include "garray/status.h"

enum { GARRAY__K_BOOL = 1, GARRAY__K_SINT, GARRAY__K_UINT, GARRAY__K_FLOAT, GARRAY__K_COMPLEX };
#define GARRAY__DTYPES 16           /* one more than the highest dtype */

typedef struct garray__dtype_info {
    const char *name;
    uint8_t kind, size;
    char code;                      /* NumPy's character */
} garray__dtype_info;
extern const garray__dtype_info garray__dtypes[GARRAY__DTYPES];

static inline bool garray__is_dtype(int64_t dtype) { return dtype >= 1 && dtype < GARRAY__DTYPES; }
static inline int garray__size_of(int dtype) { return garray__dtypes[dtype].size; }
static inline int garray__kind_of(int dtype) { return garray__dtypes[dtype].kind; }
static inline const char *garray__name_of(int dtype) { return garray__is_dtype(dtype) ? garray__dtypes[dtype].name : "?"; }
static inline bool garray__is_integer(int dtype)
{
    return garray__kind_of(dtype) == GARRAY__K_SINT || garray__kind_of(dtype) == GARRAY__K_UINT;
}

/* NumPy 2's promote_types; bfloat16 as float16, and with it float32. */
int garray__promote(int a, int b);
/* complex64 to float32, complex128 to float64; others stay. */
int garray__real_of(int dtype);
/* float16, bfloat16 and float32 to complex64, float64 to complex128; others stay. */
int garray__complex_of(int dtype);

/* The dtype of arrays together, given as a set (bit d: dtype d); 0 for none.  The highest kind comes first, as in NumPy:
 * uint16, int16 and float16 are float32 in any order, where uint16 with int16 is int32, and that with float16 float64. */
int garray__promote_set(uint32_t set);

/* The common dtype of operands by NEP 50: arrays by promotion, then C scalars as weak ones.  Operands that are not
 * given (kind 0) do not count.  With scalars alone: the default dtype of their kind. */
int garray__common_dtype(int n, const garray_operand *operands);

/* Whether value, a scalar operand, is an integer that dtype (an integer dtype) cannot hold. */
bool garray__out_of_range(const garray_operand *value, int dtype);

/* The scalar's value as an element of dtype; INVALID as NumPy's OverflowError for an integer that does not fit, DTYPE
 * for a complex value and a real dtype. */
garray_status garray__scalar_bits(const garray_operand *value, int dtype, uint64_t bits[2]);

/* The same without checks: the written casting rules (integers wrap, floats saturate). */
void garray__scalar_cast(const garray_operand *value, int dtype, uint64_t bits[2]);

/* An element in memory as a scalar operand, and its real value. */
garray_operand garray__scalar_at(const void *element, int dtype);

#endif
