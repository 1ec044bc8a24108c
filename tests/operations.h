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
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};
extern const test_operation test_operations[TEST_OPERATIONS];

/* Calls the short function of an operation. */
garray_status test_apply(int op, const garray_operand *in, garray_t **out);

#endif
