/* SPDX-License-Identifier: BSD-3-Clause
 * The dtype that the loops of a row of ops.def store, for both backends.  What core has cast to another one (BYTE, INT)
 * leaves the loop in the compute dtype. */
#ifndef GARRAY_CORE_OP_RESULT_H
#define GARRAY_CORE_OP_RESULT_H

#include "backend.h"

enum {
    GARRAY__STORED_SAME = 1, GARRAY__STORED_BOOL, GARRAY__STORED_REAL,
    GARRAY__STORED_BYTE = GARRAY__STORED_SAME, GARRAY__STORED_INT = GARRAY__STORED_SAME
};

static inline int garray__stored_dtype(int op, int compute)
{
    static const uint8_t stored[GARRAY_OP_LIMIT] = {
#define GARRAY_UNARY(number, name, classes, outside, result, ...) [number] = GARRAY__STORED_##result,
#include "ops.def"
    };
    switch (stored[op]) {
    case GARRAY__STORED_BOOL: return GARRAY_BOOL;
    case GARRAY__STORED_REAL:
        return compute == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : compute == GARRAY_COMPLEX128 ? GARRAY_FLOAT64 : compute;
    default: return compute;
    }
}

#endif
