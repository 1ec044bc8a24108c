/* SPDX-License-Identifier: BSD-3-Clause
 * Promotion against NumPy: all pairs of dtypes, weak scalars, casting rules, operations on two dtypes, and
 * integers that do not fit. */
#include "operations.h"

enum { PAIR, WEAK, CAN_CAST, MIXED, SCALAR };
/* What a weak scalar of the data is. */
enum { WEAK_BOOL = 2, WEAK_INT = 3, WEAK_FLOAT = 5, WEAK_COMPLEX = 6 };

static const char *name_of(int dtype)
{
    return garray_dtype_name((garray_dtype)dtype);
}

/* A weak scalar of the kind of its block. */
static garray_operand scalar_of(const test_block *block)
{
    double re, im;
    int64_t integer;
    test_load_complex(block->dtype, block->data, &re, &im);
    memcpy(&integer, block->data, block->dtype == GARRAY_BOOL ? 1 : 8);
    switch (block->dtype) {
    case GARRAY_BOOL: return garray_operand_bool(re != 0);
    case GARRAY_INT64: return garray_operand_int(integer);
    case GARRAY_UINT64: return garray_operand_uint((uint64_t)integer);
    case GARRAY_FLOAT64: return garray_operand_double(re);
    default: return garray_operand_complex(re, im);
    }
}

static garray_t *array_of(const test_block *block)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(block->data, (garray_dtype)block->dtype, GARRAY_SHAPE(block->n), NULL,
                             test_device(), &x));
    return x;
}

static void check_values(int op, garray_operand a, garray_operand b, const test_block *expected)
{
    garray_operand in[2] = { a, b };
    garray_t *y = NULL;
    if (!expected) {
        TEST_STATUS(ERR_INVALID, test_apply(op, in, &y));
        TEST_MESSAGE("out of bounds for");
    } else if (TEST_OK(test_apply(op, in, &y))
               && TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                              name_of(garray_dtype_of(y)), name_of(expected->dtype))) {
        TEST_EQUAL(y, expected->data, 0);
    }
    garray_release(y);
}

Test(promotion, against_numpy)
{
    const test_golden *golden = test_golden_open("promotion");
    int seen[5] = { 0 };
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *c = golden->cases + (size_t)i * (size_t)golden->width;
        const test_block *block = golden->block;
        garray_dtype result = GARRAY_DTYPE_DEFAULT;
        seen[c[0]]++;
        if (c[0] == PAIR) {
            test_context("%s with %s", name_of(c[1]), name_of(c[2]));
            if (TEST_OK(garray_promote((garray_dtype)c[1], (garray_dtype)c[2], &result)))
                TEST_EXPECT((int)result == c[3], "promote to %s, not %s", name_of(result), name_of(c[3]));
        } else if (c[0] == WEAK) {
            garray_t *x = NULL;
            test_context("%s with a scalar of kind %d", name_of(c[1]), c[2]);
            garray_operand in[2] = { GARRAY_NONE, c[2] == WEAK_BOOL ? garray_operand_bool(true)
                                     : c[2] == WEAK_INT ? garray_operand_int(1)
                                     : c[2] == WEAK_FLOAT ? garray_operand_double(1)
                                     : c[2] == WEAK_COMPLEX ? garray_operand_complex(0, 1) : GARRAY_NONE };
            if (TEST_OK(garray_zeros(GARRAY_SHAPE(2), (garray_dtype)c[1], test_device(), &x))) {
                in[0] = garray_operand_array(x);
                if (TEST_OK(garray_result_type(2, in, &result)))
                    TEST_EXPECT((int)result == c[3], "gives %s, not %s", name_of(result), name_of(c[3]));
            }
            garray_release(x);
        } else if (c[0] == CAN_CAST) {
            bool can = garray_can_cast((garray_dtype)c[1], (garray_dtype)c[2], (garray_casting)c[3]);
            TEST_EXPECT(can == c[4], "can_cast(%s, %s, %s) is %d", name_of(c[1]), name_of(c[2]),
                        c[3] == GARRAY_CAST_SAFE ? "safe" : "same_kind", can);
        } else if (c[0] == MIXED) {
            garray_t *a = array_of(&block[c[2]]), *b = array_of(&block[c[3]]);
            test_context("%s of %s and %s", test_operations[c[1]].name, name_of(block[c[2]].dtype),
                         name_of(block[c[3]].dtype));
            check_values(c[1], garray_operand_array(a), garray_operand_array(b), &block[c[4]]);
            garray_release(a);
            garray_release(b);
        } else {
            garray_t *x = array_of(&block[c[2]]);
            garray_operand array = garray_operand_array(x), scalar = scalar_of(&block[c[3]]);
            test_context("%s of %s and %s%s", test_operations[c[1]].name, name_of(block[c[2]].dtype),
                         test_text(block[c[3]].dtype, block[c[3]].data), c[5] ? ", exchanged" : "");
            check_values(c[1], c[5] ? scalar : array, c[5] ? array : scalar, c[4] < 0 ? NULL : &block[c[4]]);
            garray_release(x);
        }
    }
    for (int kind = 0; kind < 5; kind++)
        TEST_EXPECT(seen[kind] > 50, "only %d cases of kind %d", seen[kind], kind);
}

/* Scalars alone have NumPy's default dtypes; the rules that need no values. */
Test(promotion, rules)
{
    garray_dtype result;
    static const struct {
        int kind, dtype;
    } alone[] = { { GARRAY_OPERAND_BOOL, GARRAY_BOOL }, { GARRAY_OPERAND_INT, GARRAY_INT64 },
                  { GARRAY_OPERAND_UINT, GARRAY_INT64 }, { GARRAY_OPERAND_DOUBLE, GARRAY_FLOAT64 },
                  { GARRAY_OPERAND_COMPLEX, GARRAY_COMPLEX128 } };
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        garray_operand o = { .kind = alone[i].kind };
        if (TEST_OK(garray_result_type(1, &o, &result)))
            TEST_EXPECT((int)result == alone[i].dtype, "kind %d alone gives %s", alone[i].kind,
                        name_of(result));
    }
    for (TEST_DTYPES(a))
        for (TEST_DTYPES(b)) {
            test_context("%s to %s", name_of(a), name_of(b));
            TEST_EXPECT(garray_can_cast((garray_dtype)a, (garray_dtype)b, GARRAY_CAST_UNSAFE),
                        "unsafe refused");
            TEST_EXPECT(garray_can_cast((garray_dtype)a, (garray_dtype)b, GARRAY_CAST_NO) == (a == b),
                        "no is wrong");
            TEST_EXPECT(garray_can_cast((garray_dtype)a, (garray_dtype)b, GARRAY_CAST_EQUIV) == (a == b),
                        "equiv is wrong");
        }
    TEST_EXPECT(!garray_can_cast((garray_dtype)0, GARRAY_INT8, GARRAY_CAST_UNSAFE), "0 is no dtype");
    TEST_EXPECT(!garray_can_cast(GARRAY_INT8, (garray_dtype)16, GARRAY_CAST_UNSAFE), "16 is no dtype");
    TEST_STATUS(ERR_DTYPE, garray_promote((garray_dtype)0, GARRAY_INT8, &result));
    TEST_STATUS(ERR_DTYPE, garray_promote(GARRAY_INT8, (garray_dtype)99, &result));
    TEST_STATUS(ERR_INVALID, garray_promote(GARRAY_INT8, GARRAY_INT8, NULL));
    TEST_STATUS(ERR_INVALID, garray_result_type(0, NULL, &result));
}
