/* SPDX-License-Identifier: BSD-3-Clause
 * The tables and what is made from them: numbers and names that are fixed for ever, and for each operation
 * loops for exactly the dtypes that its classes say. */
#include <stdio.h>
#include "operations.h"

/* ---- fixed numbers ---- */

Test(tables, dtypes)
{
    static const struct {
        int value;
        const char *name;
        size_t size;
        int kind;
    } table[] = {
        { 1, "bool", 1, GARRAY_KIND_BOOL },
        { 2, "int8", 1, GARRAY_KIND_SIGNED },
        { 3, "int16", 2, GARRAY_KIND_SIGNED },
        { 4, "int32", 4, GARRAY_KIND_SIGNED },
        { 5, "int64", 8, GARRAY_KIND_SIGNED },
        { 6, "uint8", 1, GARRAY_KIND_UNSIGNED },
        { 7, "uint16", 2, GARRAY_KIND_UNSIGNED },
        { 8, "uint32", 4, GARRAY_KIND_UNSIGNED },
        { 9, "uint64", 8, GARRAY_KIND_UNSIGNED },
        { 10, "float16", 2, GARRAY_KIND_FLOATING },
        { 11, "bfloat16", 2, GARRAY_KIND_FLOATING },
        { 12, "float32", 4, GARRAY_KIND_FLOATING },
        { 13, "float64", 8, GARRAY_KIND_FLOATING },
        { 14, "complex64", 8, GARRAY_KIND_COMPLEX },
        { 15, "complex128", 16, GARRAY_KIND_COMPLEX },
    };
    static const int kinds[] = { GARRAY_KIND_BOOL, GARRAY_KIND_SIGNED, GARRAY_KIND_UNSIGNED,
                                 GARRAY_KIND_FLOATING, GARRAY_KIND_COMPLEX };
    TEST_EXPECT(sizeof table / sizeof table[0] == TEST_DTYPE_COUNT, "another number of dtypes");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        garray_dtype dtype = (garray_dtype)table[i].value, found = GARRAY_DTYPE_DEFAULT;
        test_context("%s", table[i].name);
        TEST_EXPECT(strcmp(garray_dtype_name(dtype), table[i].name) == 0, "is called %s",
                    garray_dtype_name(dtype));
        TEST_EXPECT(garray_dtype_size(dtype) == table[i].size, "has %zu bytes", garray_dtype_size(dtype));
        TEST_OK(garray_dtype_from_name(table[i].name, &found));
        TEST_EXPECT(found == dtype, "the name gives %d", (int)found);
        for (size_t k = 0; k < 5; k++)
            TEST_EXPECT(garray_isdtype(dtype, kinds[k]) == (kinds[k] == table[i].kind), "kind %d is wrong",
                        kinds[k]);
        TEST_EXPECT(garray_isdtype(dtype, GARRAY_KIND_NUMERIC) == (i > 0), "numeric is wrong");
    }
    test_context("no dtype");
    garray_dtype found = GARRAY_INT8;
    TEST_STATUS(ERR_DTYPE, garray_dtype_from_name("float", &found));
    TEST_MESSAGE("garray_dtype_from_name", "data type 'float' not understood");
    TEST_STATUS(ERR_DTYPE, garray_dtype_from_name("", &found));
    TEST_STATUS(ERR_INVALID, garray_dtype_from_name(NULL, &found));
    TEST_STATUS(ERR_INVALID, garray_dtype_from_name("int8", NULL));
    TEST_EXPECT(found == GARRAY_INT8, "a failed call wrote");
    const int none[] = { 0, -1, 16, 1000000 };
    for (size_t i = 0; i < 4; i++) {
        TEST_EXPECT(garray_dtype_size((garray_dtype)none[i]) == 0, "%d has a size", none[i]);
        TEST_EXPECT(strcmp(garray_dtype_name((garray_dtype)none[i]), "?") == 0, "%d has a name", none[i]);
        TEST_EXPECT(!garray_isdtype((garray_dtype)none[i], 31), "%d has a kind", none[i]);
    }
}

Test(tables, statuses)
{
    static const char *const names[] = {
        "GARRAY_OK",
        "GARRAY_ERR_INVALID",
        "GARRAY_ERR_SHAPE",
        "GARRAY_ERR_DTYPE",
        "GARRAY_ERR_AXIS",
        "GARRAY_ERR_INDEX",
        "GARRAY_ERR_MIXED_DEVICES",
        "GARRAY_ERR_NO_DEVICE",
        "GARRAY_ERR_DEVICE_LOST",
        "GARRAY_ERR_NOMEM",
        "GARRAY_ERR_DEVICE_NOMEM",
        "GARRAY_ERR_UNSUPPORTED",
        "GARRAY_ERR_READONLY",
        "GARRAY_ERR_IO",
        "GARRAY_ERR_FORMAT",
        "GARRAY_ERR_SINGULAR",
        "GARRAY_ERR_NOCONVERGE",
        "GARRAY_ERR_FORKED",
        "GARRAY_ERR_INTERNAL",
    };
    for (int i = 0; i < 19; i++) {
        TEST_EXPECT(strcmp(garray_status_name((garray_status)i), names[i]) == 0, "%d is %s", i,
                    garray_status_name((garray_status)i));
        TEST_EXPECT(strlen(garray_status_text((garray_status)i)) > 4, "%d has no text", i);
    }
    TEST_EXPECT(strcmp(garray_status_name((garray_status)19), "GARRAY_ERR_?") == 0, "19 is %s",
                garray_status_name((garray_status)19));
    TEST_EXPECT(strcmp(garray_status_name((garray_status)-1), "GARRAY_ERR_?") == 0, "-1 is %s",
                garray_status_name((garray_status)-1));
    TEST_EXPECT(strlen(garray_status_text((garray_status)99)) > 0, "99 has no text");
}

/* In the order of their numbers; a new operation is added at the end. */
Test(tables, operations)
{
    static const char *const names[] = {
        "abs",
        "acos",
        "acosh",
        "add",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "bitwise_and",
        "bitwise_invert",
        "bitwise_left_shift",
        "bitwise_or",
        "bitwise_right_shift",
        "bitwise_xor",
        "ceil",
        "conj",
        "copysign",
        "cos",
        "cosh",
        "divide",
        "equal",
        "exp",
        "expm1",
        "floor",
        "floor_divide",
        "greater",
        "greater_equal",
        "hypot",
        "imag",
        "isfinite",
        "isinf",
        "isnan",
        "less",
        "less_equal",
        "log",
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "logical_and",
        "logical_not",
        "logical_or",
        "logical_xor",
        "maximum",
        "minimum",
        "multiply",
        "negative",
        "nextafter",
        "not_equal",
        "positive",
        "pow",
        "real",
        "reciprocal",
        "remainder",
        "round",
        "sign",
        "signbit",
        "sin",
        "sinh",
        "sqrt",
        "square",
        "subtract",
        "tan",
        "tanh",
        "trunc",
        "clip",
        "where",
        "cbrt",
        "bitwise_count",
        "degrees",
        "radians",
        "exp2",
        "fabs",
        "fmax",
        "fmin",
        "fmod",
        "gcd",
        "lcm",
        "heaviside",
        "logaddexp2",
        "rint",
        "spacing",
        "fix",
        "float_power",
        "rsqrt",
        "sigmoid",
        "erf",
        "erfc",
        "erfinv",
        "gamma",
        "lgamma",
        "sinc",
        "i0",
        "isneginf",
        "isposinf",
        "isreal",
        "iscomplex",
        "ldexp",
    };
    TEST_EXPECT(sizeof names / sizeof names[0] == TEST_OPERATIONS - 1, "another number of operations");
    for (int i = 1; i < TEST_OPERATIONS; i++)
        TEST_EXPECT(test_operations[i].nin > 0 && strcmp(test_operations[i].name, names[i - 1]) == 0,
                    "operation %d is %s", i, test_operations[i].nin ? test_operations[i].name : "missing");
    TEST_EXPECT(GARRAY_OP_abs == 1 && GARRAY_OP_ldexp == TEST_OPERATIONS - 1, "the enumerators moved");
}

/* ---- loops ---- */

enum {
    ANY = GARRAY_KIND_BOOL | GARRAY_KIND_NUMERIC,
    NUMBER = GARRAY_KIND_NUMERIC,
    REALS = GARRAY_KIND_BOOL | GARRAY_KIND_INTEGRAL | GARRAY_KIND_FLOATING,
    REAL = GARRAY_KIND_INTEGRAL | GARRAY_KIND_FLOATING,
    INEXACT = GARRAY_KIND_FLOATING | GARRAY_KIND_COMPLEX,
    FLOAT = GARRAY_KIND_FLOATING,
    BITS = GARRAY_KIND_BOOL | GARRAY_KIND_INTEGRAL,
    INTEGER = GARRAY_KIND_INTEGRAL,
    DOUBLES = 0, /* not a kind: float64 and complex128 */
};

static const int kinds_of[TEST_OPERATIONS] = {
#define GARRAY_UNARY(number, name, classes, ...) [number] = classes,
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};

/* Asked to compute in a dtype, an operation does so where its classes have it and refuses elsewhere; operands
 * of any dtype that casts to it come along, contiguous or not. */
Test(tables, loops)
{
    test_mark mark = test_memory();
    for (int op = 1; op < TEST_OPERATIONS; op++)
        for (TEST_DTYPES(d)) {
            garray_t *x[3] = { NULL }, *y = NULL, **slot = &y;
            garray_operand in[3];
            garray_ufunc_opts opts = { .dtype = (garray_dtype)d };
            int nin = test_operations[op].nin;
            bool has = kinds_of[op] == DOUBLES ? d == GARRAY_FLOAT64 || d == GARRAY_COMPLEX128
                                               : garray_isdtype((garray_dtype)d, kinds_of[op]);
            test_context("%s in %s", test_operations[op].name, garray_dtype_name((garray_dtype)d));
            for (int k = 0; k < nin; k++) {
                x[k] = test_array(op == GARRAY_OP_where && k == 0  ? GARRAY_BOOL
                                  : op == GARRAY_OP_ldexp && k == 1 ? GARRAY_INT32
                                                                    : d,
                                  k ? TEST_SLICED : TEST_CONTIGUOUS, GARRAY_SHAPE(5, 13), NULL);
                in[k] = garray_operand_array(x[k]);
            }
            if (has)
                TEST_OK(garray_ufunc((garray_op)op, nin, in, &opts, 1, &slot));
            else
                TEST_STATUS(ERR_DTYPE, garray_ufunc((garray_op)op, nin, in, &opts, 1, &slot));
            for (int k = 0; k < nin; k++)
                garray_release(x[k]);
            garray_release(y);
        }
    TEST_NO_LEAK(mark);
}

/* ---- structs that other languages fill ---- */

_Static_assert(sizeof(garray_operand) == 32, "an operand is 32 bytes");
_Static_assert(sizeof(garray_device) == 8, "a device is 8 bytes");
_Static_assert(sizeof(garray_shape) == 16 && sizeof(garray_axes) == 16 && sizeof(garray_list) == 16,
               "lists are 16 bytes");
_Static_assert(sizeof(garray_index) == 40, "an index item is 40 bytes");
_Static_assert(sizeof(garray_dtype) == 4 && sizeof(garray_op) == 4 && sizeof(garray_status) == 4,
               "enums are 32 bits");
_Static_assert(sizeof(garray_ufunc_opts) == 72, "no padding");
_Static_assert(sizeof(garray_linspace_opts) == 40, "no padding");

Test(tables, version)
{
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", GARRAY_VERSION_MAJOR, GARRAY_VERSION_MINOR, GARRAY_VERSION_PATCH);
    TEST_EXPECT(strcmp(text, GARRAY_VERSION) == 0, "the header says %s and %s", text, GARRAY_VERSION);
    TEST_EXPECT(strcmp(garray_version(), GARRAY_VERSION) == 0, "the library says %s", garray_version());
}
