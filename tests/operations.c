/* SPDX-License-Identifier: BSD-3-Clause
 * See operations.h. */
#include "operations.h"

const test_operation test_operations[TEST_OPERATIONS] = {
#define GARRAY_UNARY(number, name, ...) [number] = { #name, 1, (garray_##name), NULL, NULL },
#define GARRAY_BINARY(number, name, ...) [number] = { #name, 2, NULL, (garray_##name), NULL },
#define GARRAY_TERNARY(number, name, ...) [number] = { #name, 3, NULL, NULL, (garray_##name) },
#define GARRAY_SELECT GARRAY_TERNARY
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

garray_status test_apply(int op, const garray_operand *in, garray_t **out)
{
    const test_operation *operation = &test_operations[op];
    switch (operation->nin) {
    case 1: return operation->unary(in[0], out);
    case 2: return operation->binary(in[0], in[1], out);
    default: return operation->ternary(in[0], in[1], in[2], out);
    }
}
