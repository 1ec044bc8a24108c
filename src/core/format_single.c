/* SPDX-License-Identifier: BSD-3-Clause
 * Single numbers as text: format_float_positional and its relative. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "core/elementwise.h"
#include "core/format.h"
#include "core/submit.h"
#include "garray/text.h"

#define NUMBER_MAX 1000             /* of every option: no double has more digits behind its point that matter */

/* An option, -1 where it is not given. */
static garray_status read_number(const garray_operand *o, const char *name, int *value)
{
    *value = -1;
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(o, name, GARRAY__REAL));
    GARRAY_REQUIRE(o->kind == GARRAY_OPERAND_INT || o->kind == GARRAY_OPERAND_UINT || o->kind == GARRAY_OPERAND_BOOL, INVALID,
                   "%s must be an integer", name);
    GARRAY_REQUIRE(o->bits[0] <= NUMBER_MAX, INVALID, "%s must be from 0 to %d", name, NUMBER_MAX);
    *value = (int)o->bits[0];
    return GARRAY_OK;
}

static garray_status read_form(const garray_format_float_opts *o, bool exponent, garray__float_form *form)
{
    int left, right, digits;
    garray_status st = read_number(&o->precision, "precision", &form->precision);
    if (st == GARRAY_OK)
        st = read_number(&o->min_digits, "min_digits", &form->least);
    if (st == GARRAY_OK)
        st = read_number(&o->pad_left, "pad_left", &left);
    if (st == GARRAY_OK)
        st = read_number(&o->pad_right, "pad_right", &right);
    if (st == GARRAY_OK)
        st = read_number(&o->exp_digits, "exp_digits", &digits);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(digits <= 5, INVALID, "exp_digits must be from 0 to 5");
    GARRAY_REQUIRE(!exponent || right < 0, INVALID, "pad_right is of the positional form alone");
    GARRAY_REQUIRE(exponent || digits < 0, INVALID, "exp_digits is of the scientific form alone");
    GARRAY_REQUIRE(!exponent || !o->significant, INVALID, "significant is of the positional form alone");
    GARRAY_REQUIRE(!o->exact || form->precision >= 0, INVALID, "in non-unique mode `precision` must be supplied");
    GARRAY_REQUIRE(!o->significant || form->precision != 0, INVALID, "precision must be greater than 0 if fractional=False");
    GARRAY_REQUIRE(form->precision <= 0 || form->least <= form->precision, INVALID,
                   "min_digits must be less than or equal to precision");
    GARRAY_REQUIRE(o->trim == 0 || o->trim == 'k' || o->trim == '.' || o->trim == '0' || o->trim == '-', INVALID,
                   "if supplied, trim must be 'k', '.', '0' or '-' found `%c`", (char)o->trim);
    form->trim = o->trim == '.' ? GARRAY__KEEP_POINT : o->trim == '0' ? GARRAY__KEEP_ONE_ZERO
                 : o->trim == '-' ? GARRAY__KEEP_NOTHING : GARRAY__KEEP_ZEROS;
    form->left = left;
    form->right = right;
    form->exponent_digits = digits == 0 ? 1 : digits;      /* -1: two */
    form->sign = o->sign ? '+' : '-';
    form->exact = o->exact != 0;
    form->significant = o->significant != 0;
    return GARRAY_OK;
}

/* The value and the dtype that it is written as: integers as float64. */
static garray_status read_value(const garray_operand *x, double *value, int *dtype)
{
    uint64_t element[2] = { 0 };
    uint64_t bits[2];
    garray_operand o = *x;
    *dtype = GARRAY_FLOAT64;
    garray_status st = garray__operand_check(x, "x");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->kind != GARRAY_OPERAND_NONE, INVALID, "x is not given");
    if (x->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY_REQUIRE(x->array->size == 1, SHAPE, "only arrays of one element can be written as a number");
        if (garray__kind_of(x->array->dtype) == GARRAY__K_FLOAT)
            *dtype = x->array->dtype;
        st = (garray_item)(x->array, (garray_dtype)x->array->dtype, element);
        if (st != GARRAY_OK)
            return st;
        o = garray__scalar_at(element, x->array->dtype);
    }
    GARRAY_REQUIRE(o.kind != GARRAY_OPERAND_COMPLEX, DTYPE, "complex numbers are written part by part");
    st = garray__scalar_bits(&o, GARRAY_FLOAT64, bits);
    if (st == GARRAY_OK)
        memcpy(value, &bits[0], 8);
    return st;
}

static garray_status write_float(const garray_operand *x, const garray_format_float_opts *opts, bool exponent, char *buf,
                                 size_t size, size_t *length)
{
    static const garray_format_float_opts defaults;
    char text[2 * GARRAY__WORD];
    garray__float_form form;
    double value = 0;
    int dtype, n = 0;
    GARRAY_REQUIRE(buf || size == 0, INVALID, "buf is NULL");
    garray_status st = read_form(opts ? opts : &defaults, exponent, &form);
    if (st == GARRAY_OK)
        st = read_value(x, &value, &dtype);
    if (st != GARRAY_OK)
        return st;
    if (isfinite(value)) {
        n = exponent ? garray__scientific(text, value, dtype, &form) : garray__positional(text, value, dtype, &form);
    } else {
        if (isinf(value) && (value < 0 || form.sign == '+'))
            text[n++] = value < 0 ? '-' : '+';
        memcpy(text + n, isnan(value) ? "nan" : "inf", 3);
        n += 3;
    }
    if (size > 0) {
        size_t part = (size_t)n < size ? (size_t)n : size - 1;
        memcpy(buf, text, part);
        buf[part] = 0;
    }
    if (length)
        *length = (size_t)n;
    return GARRAY_OK;
}

garray_status (garray_format_float_positional)(garray_operand x, const garray_format_float_opts *opts, char *buf, size_t size,
                                               size_t *length)
{
    GARRAY_ENTER("garray_format_float_positional");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    return write_float(&x, opts, false, buf, size, length);
}

garray_status (garray_format_float_scientific)(garray_operand x, const garray_format_float_opts *opts, char *buf, size_t size,
                                               size_t *length)
{
    GARRAY_ENTER("garray_format_float_scientific");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    return write_float(&x, opts, true, buf, size, length);
}
