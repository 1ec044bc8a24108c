/* SPDX-License-Identifier: BSD-3-Clause
 * What can be asked of dtypes: their limits, the smallest one for a value, the one for arithmetic in common. */
#include <math.h>
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "garray/array.h"
#include "garray/dtype_info.h"

garray_status garray_finfo(garray_dtype dtype, garray_float_info *info)
{
    GARRAY_ENTER("garray_finfo");
    /*                                  bits  digits mantissa exponent bits, exponents */
    static const garray_float_info infos[] = {
        { .bits = 16, .precision = 3, .nmant = 10, .nexp = 5, .maxexp = 16, .minexp = -14 },
        { .bits = 16, .precision = 2, .nmant = 7, .nexp = 8, .maxexp = 128, .minexp = -126 },
        { .bits = 32, .precision = 6, .nmant = 23, .nexp = 8, .maxexp = 128, .minexp = -126 },
        { .bits = 64, .precision = 15, .nmant = 52, .nexp = 11, .maxexp = 1024, .minexp = -1022 },
    };
    GARRAY_REQUIRE(info, INVALID, "info is NULL");
    int real = garray__is_dtype(dtype) ? garray__real_of(dtype) : 0;
    GARRAY_REQUIRE(real && garray__kind_of(real) == GARRAY__K_FLOAT, DTYPE, "data type '%s' not inexact", garray__name_of(dtype));
    *info = infos[real - GARRAY_FLOAT16];
    info->dtype = (garray_dtype)real;
    info->eps = ldexp(1, -info->nmant);
    info->epsneg = ldexp(1, -info->nmant - 1);
    info->max = ldexp(2 - info->eps, info->maxexp - 1);
    info->min = -info->max;
    info->smallest_normal = ldexp(1, info->minexp);
    info->smallest_subnormal = ldexp(1, info->minexp - info->nmant);
    info->resolution = real == GARRAY_BFLOAT16 ? 0.01 : real == GARRAY_FLOAT16 ? 1e-3 : real == GARRAY_FLOAT32 ? 1e-6 : 1e-15;
    return GARRAY_OK;
}

garray_status garray_iinfo(garray_dtype dtype, garray_int_info *info)
{
    GARRAY_ENTER("garray_iinfo");
    GARRAY_REQUIRE(info, INVALID, "info is NULL");
    GARRAY_REQUIRE(garray__is_dtype(dtype) && garray__is_integer(dtype), DTYPE, "data type '%s' not an integer",
                   garray__name_of(dtype));
    bool is_signed = garray__kind_of(dtype) == GARRAY__K_SINT;
    int bits = 8 * garray__size_of(dtype);
    *info = (garray_int_info){ .dtype = dtype, .bits = bits, .min = is_signed ? INT64_MIN >> (64 - bits) : 0,
                               .max = UINT64_MAX >> (64 - bits + is_signed) };
    return GARRAY_OK;
}

/* The smallest dtype for one value of a kind, by NumPy's bounds. */
static int smallest_for(const garray_operand *value, int dtype)
{
    uint64_t bits[2];
    double v[2] = { 0, 0 };
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL:
        return GARRAY_BOOL;
    case GARRAY__K_SINT:
    case GARRAY__K_UINT:
        if (value->kind != GARRAY_OPERAND_UINT && (int64_t)value->bits[0] < 0) {
            int64_t i = (int64_t)value->bits[0];
            return i >= INT8_MIN ? GARRAY_INT8 : i >= INT16_MIN ? GARRAY_INT16 : i >= INT32_MIN ? GARRAY_INT32 : GARRAY_INT64;
        }
        return value->bits[0] <= UINT8_MAX ? GARRAY_UINT8 : value->bits[0] <= UINT16_MAX ? GARRAY_UINT16
               : value->bits[0] <= UINT32_MAX ? GARRAY_UINT32 : GARRAY_UINT64;
    case GARRAY__K_FLOAT:
        if (garray__size_of(dtype) == 2)
            return dtype;
        garray__scalar_cast(value, GARRAY_FLOAT64, bits);
        memcpy(v, bits, sizeof v[0]);
        if (!isfinite(v[0]) || fabs(v[0]) < 65000)
            return GARRAY_FLOAT16;
        return dtype == GARRAY_FLOAT32 || fabs(v[0]) < 3.4e38 ? GARRAY_FLOAT32 : GARRAY_FLOAT64;
    default:
        garray__scalar_cast(value, GARRAY_COMPLEX128, bits);
        memcpy(v, bits, sizeof v);
        return dtype == GARRAY_COMPLEX64 || (fabs(v[0]) < 3.4e38 && fabs(v[1]) < 3.4e38) ? GARRAY_COMPLEX64 : GARRAY_COMPLEX128;
    }
}

garray_status (garray_min_scalar_type)(garray_operand value, garray_dtype *dtype)
{
    GARRAY_ENTER("garray_min_scalar_type");
    char element[16];
    garray_status st = garray__operand_check(&value, "the value");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(dtype, INVALID, "dtype is NULL");
    int natural = garray__common_dtype(1, &value);
    if (value.kind == GARRAY_OPERAND_ARRAY) {
        const garray_t *x = value.array;
        natural = x->dtype;
        if (x->ndim > 0) {
            *dtype = (garray_dtype)x->dtype;
            return GARRAY_OK;
        }
        st = (garray_item)(x, (garray_dtype)x->dtype, element);
        if (st != GARRAY_OK)
            return st;
        value = garray__scalar_at(element, x->dtype);
    }
    *dtype = (garray_dtype)smallest_for(&value, natural);
    return GARRAY_OK;
}

garray_status garray_common_type(garray_list arrays, garray_dtype *dtype)
{
    GARRAY_ENTER("garray_common_type");
    int common = GARRAY_FLOAT16;
    bool first = true, complex_numbers = false;
    GARRAY_REQUIRE(dtype, INVALID, "dtype is NULL");
    GARRAY_REQUIRE(arrays.n >= 0 && (arrays.v || arrays.n == 0), INVALID, "the list of arrays is malformed");
    for (int64_t i = 0; i < arrays.n; i++) {
        GARRAY_REQUIRE(arrays.v[i], INVALID, "array %lld is NULL", (long long)i);
        int d = arrays.v[i]->dtype;
        GARRAY_REQUIRE(d != GARRAY_BOOL, DTYPE, "can't get common type for non-numeric array");
        complex_numbers = complex_numbers || garray__kind_of(d) == GARRAY__K_COMPLEX;
        d = garray__is_integer(d) ? GARRAY_FLOAT64 : garray__real_of(d);
        common = first ? d : garray__promote(common, d);
        first = false;
    }
    *dtype = (garray_dtype)(complex_numbers ? garray__complex_of(common) : common);
    return GARRAY_OK;
}
