/* SPDX-License-Identifier: BSD-3-Clause
 * The values of C scalars as elements of a dtype, and back. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "core/dtype.h"
#include "core/graph.h"
#include "core/half.h"
#include "core/status.h"

/* A scalar operand's value in every form that a cast may ask for. */
struct value {
    bool is_integer, is_negative;
    uint64_t integer;               /* two's complement */
    double re, im;
};

static struct value value_of(const garray_operand *o)
{
    struct value v = { .is_integer = o->kind <= GARRAY_OPERAND_UINT, .integer = o->bits[0] };
    if (o->kind == GARRAY_OPERAND_BOOL)
        v.integer = o->bits[0] != 0;
    if (o->kind == GARRAY_OPERAND_INT)
        v.is_negative = (int64_t)o->bits[0] < 0;
    if (v.is_integer) {
        v.re = v.is_negative ? (double)(int64_t)v.integer : (double)v.integer;
        return v;
    }
    memcpy(&v.re, &o->bits[0], 8);
    if (o->kind == GARRAY_OPERAND_COMPLEX)
        memcpy(&v.im, &o->bits[1], 8);
    return v;
}

/* float to integer: saturating, NaN to 0. */
static uint64_t saturate(double x, int dtype)
{
    int bits = 8 * garray__size_of(dtype);
    if (isnan(x))
        return 0;
    if (garray__kind_of(dtype) == GARRAY__K_UINT)
        return x <= 0 ? 0 : x >= ldexp(1, bits) ? UINT64_MAX : (uint64_t)x;
    if (x >= ldexp(1, bits - 1))
        return ((uint64_t)1 << (bits - 1)) - 1;
    if (x < -ldexp(1, bits - 1))
        return (uint64_t)-(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1;
    return (uint64_t)(int64_t)x;
}

void garray__scalar_cast(const garray_operand *operand, int dtype, uint64_t bits[2])
{
    struct value v = value_of(operand);
    if (garray__is_parameter(operand))
        (void)garray__parameter_refuse();       /* which is found at the end of the capture */
    bits[0] = bits[1] = 0;
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL:
        bits[0] = v.is_integer ? v.integer != 0 : v.re != 0 || v.im != 0;
        return;
    case GARRAY__K_SINT:
    case GARRAY__K_UINT: {
        uint64_t word = v.is_integer ? v.integer : saturate(v.re, dtype);
        memcpy(bits, &word, (size_t)garray__size_of(dtype));    /* little endian: the low bytes */
        return;
    }
    default: break;
    }
    float parts[2];
    uint16_t half;
    switch (dtype) {
    case GARRAY_FLOAT16:
        half = garray__double_to_half(v.re);
        memcpy(bits, &half, 2);
        break;
    case GARRAY_BFLOAT16:
        half = garray__double_to_bfloat(v.re);
        memcpy(bits, &half, 2);
        break;
    case GARRAY_FLOAT32:
    case GARRAY_COMPLEX64:
        /* an integer is rounded once, not by way of double */
        parts[0] = v.is_integer ? v.is_negative ? (float)(int64_t)v.integer : (float)v.integer : (float)v.re;
        parts[1] = (float)v.im;
        memcpy(bits, parts, (size_t)garray__size_of(dtype));
        break;
    default:
        memcpy(&bits[0], &v.re, 8);
        if (dtype == GARRAY_COMPLEX128)
            memcpy(&bits[1], &v.im, 8);
    }
}

bool garray__out_of_range(const garray_operand *operand, int dtype)
{
    struct value v = value_of(operand);
    if (!v.is_integer)
        return false;
    int bits = 8 * garray__size_of(dtype);
    if (garray__kind_of(dtype) == GARRAY__K_UINT)
        return v.is_negative || (bits < 64 && v.integer >> bits);
    if (garray__kind_of(dtype) != GARRAY__K_SINT)
        return false;
    if (v.is_negative)
        return (int64_t)v.integer < -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1;
    return v.integer >> (bits - 1);
}

garray_status garray__scalar_bits(const garray_operand *operand, int dtype, uint64_t bits[2])
{
    GARRAY_TRY(garray__plain_number(operand));
    if (garray__is_integer(dtype) && garray__out_of_range(operand, dtype)) {
        if (operand->kind == GARRAY_OPERAND_INT)
            return garray__fail(GARRAY_ERR_INVALID, "integer %" PRId64 " is out of bounds for %s",
                                (int64_t)operand->bits[0], garray__name_of(dtype));
        return garray__fail(GARRAY_ERR_INVALID, "integer %" PRIu64 " is out of bounds for %s", operand->bits[0],
                            garray__name_of(dtype));
    }
    if (operand->kind == GARRAY_OPERAND_COMPLEX && garray__kind_of(dtype) != GARRAY__K_COMPLEX)
        return garray__fail(GARRAY_ERR_DTYPE, "a complex number cannot become %s", garray__name_of(dtype));
    garray__scalar_cast(operand, dtype, bits);
    return GARRAY_OK;
}

garray_operand garray__scalar_at(const void *element, int dtype)
{
    uint64_t word = 0;
    float parts[2];
    switch (dtype) {
    case GARRAY_BOOL:
        return garray_operand_bool(*(const uint8_t *)element != 0);
    case GARRAY_FLOAT16:
        memcpy(&word, element, 2);
        return garray_operand_double((double)garray__half_to_float((uint16_t)word));
    case GARRAY_BFLOAT16:
        memcpy(&word, element, 2);
        return garray_operand_double((double)garray__bfloat_to_float((uint16_t)word));
    case GARRAY_FLOAT32:
        memcpy(parts, element, 4);
        return garray_operand_double((double)parts[0]);
    case GARRAY_COMPLEX64:
        memcpy(parts, element, 8);
        return garray_operand_complex((double)parts[0], (double)parts[1]);
    case GARRAY_FLOAT64:
        return garray_operand_scalar(GARRAY_OPERAND_DOUBLE, element, 8);
    case GARRAY_COMPLEX128:
        return garray_operand_scalar(GARRAY_OPERAND_COMPLEX, element, 16);
    default: break;
    }
    int bytes = garray__size_of(dtype);
    memcpy(&word, element, (size_t)bytes);
    if (garray__kind_of(dtype) == GARRAY__K_UINT)
        return garray_operand_uint(word);
    int shift = 64 - 8 * bytes;
    return garray_operand_int((int64_t)(word << shift) >> shift);
}
