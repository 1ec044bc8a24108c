/* SPDX-License-Identifier: BSD-3-Clause
 * The public elementwise functions by the rows of ops.def. */
#ifndef GARRAY_TESTS_OPERATIONS_H
#define GARRAY_TESTS_OPERATIONS_H

#include "test.h"

typedef struct test_operation {
    const char *name;
    int nin;                    /* 0: no such number */
    garray_status (*unary)(garray_operand x, garray_t **out);
    garray_status (*binary)(garray_operand a, garray_operand b, garray_t **out);
    garray_status (*ternary)(garray_operand a, garray_operand b, garray_operand c, garray_t **out);
} test_operation;

/* Numbers are below this. */
enum {
    TEST_OPERATIONS = 1
#define GARRAY_UNARY(...) + 1
#define GARRAY_BINARY GARRAY_UNARY
#define GARRAY_TERNARY GARRAY_UNARY
#define GARRAY_SELECT GARRAY_UNARY
#define GARRAY_HIDDEN(...)
#define GARRAY_HIDDEN1(...)
#define GARRAY_HIDDEN3(...)
#include "core/ops.def"
#undef GARRAY_UNARY
#undef GARRAY_BINARY
#undef GARRAY_TERNARY
#undef GARRAY_SELECT
#undef GARRAY_HIDDEN
#undef GARRAY_HIDDEN1
#undef GARRAY_HIDDEN3
};
extern const test_operation test_operations[TEST_OPERATIONS];

/* Calls the short function of an operation. */
garray_status test_apply(int op, const garray_operand *in, garray_t **out);

#endif
