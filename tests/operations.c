/* SPDX-License-Identifier: BSD-3-Clause
 * See operations.h. */
#include "operations.h"

const test_operation test_operations[TEST_OPERATIONS] = {
#define GARRAY_UNARY(number, name, ...) [number] = { #name, 1, (garray_##name), NULL, NULL },
#define GARRAY_BINARY(number, name, ...) [number] = { #name, 2, NULL, (garray_##name), NULL },
#define GARRAY_TERNARY(number, name, ...) [number] = { #name, 3, NULL, NULL, (garray_##name) },
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
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
