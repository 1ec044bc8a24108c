/* SPDX-License-Identifier: BSD-3-Clause
 * Elementwise operations for the rest of core: the table's rows, and calls with arrays of known devices. */
#ifndef GARRAY_CORE_ELEMENTWISE_H
#define GARRAY_CORE_ELEMENTWISE_H

#include "core/array.h"

enum { GARRAY__OUTSIDE_UP = 1, GARRAY__OUTSIDE_DOUBLE, GARRAY__OUTSIDE_STRICT };
enum { GARRAY__RESULT_SAME = 1, GARRAY__RESULT_BOOL, GARRAY__RESULT_REAL, GARRAY__RESULT_BYTE, GARRAY__RESULT_INT };

/* The hidden operations, for the files that make functions from them. */
enum {
#define GARRAY_UNARY(...)
#define GARRAY_HIDDEN(number, name, ...) GARRAY__OP_##name = number,
#include "core/ops.def"
};

typedef struct garray__op_info {
    const char *name;
    uint16_t classes;               /* bit d: dtype d has a loop */
    uint8_t nin, outside, result, hidden, results;
} garray__op_info;

/* Indexed by operation number; name is NULL where there is none. */
extern const garray__op_info garray__ops[GARRAY_OP_LIMIT];

/* The dtype an operation computes in, given the common dtype of its operands; 0 if it has none. */
int garray__compute_dtype(int op, int common);

/* The dtype of its result. */
int garray__result_dtype(int op, int compute);

/* op(operands) into out, everything included: promotion, broadcasting, overlap.  dtype: to compute in, or 0. */
garray_status garray__elementwise(int op, int nin, const garray_operand *in, int dtype, garray_t **out);

/* The same with a result of another dtype than the operation's, cast before it is stored; 0: none. */
garray_status garray__elementwise_as(int op, int nin, const garray_operand *in, int dtype, int result, garray_t **out);

/* An operation of two results, of which each may be NULL (pair.c). */
garray_status garray__pair(int op, const garray_operand *in, int dtype, garray_t **first, garray_t **second);

/* The array of an operand that is one, its transpose and conjugate flags carried out; a reference of ours. */
garray_status garray__operand_array(const garray_operand *operand, garray_t **out);

/* INVALID for an operand that is not given, malformed or NULL. */
garray_status garray__operand_check(const garray_operand *operand, const char *name);

/* Checks an option that may be left out: INVALID for another kind than it takes, and for one that no macro makes, as that of
 * `.initial = 3` without GARRAY_VAL(). */
typedef enum { GARRAY__INTEGER, GARRAY__REAL, GARRAY__NUMBER, GARRAY__MASK, GARRAY__VALUE } garray__option;
garray_status garray__option_check(const garray_operand *option, const char *name, garray__option wanted);

#endif
