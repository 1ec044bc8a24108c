/* SPDX-License-Identifier: BSD-3-Clause
 * Elementwise functions with two results, each from a row of its own: divmod, frexp, modf. */
#include "core/compose.h"
#include "core/result.h"
#include "garray/math.h"

/* The rows of the two results. */
static void rows_of(int op, int rows[2])
{
    switch (op) {
#define GARRAY_UNARY(...)
#define GARRAY_PAIR(number, name, nin, first, second) case number: rows[0] = first; rows[1] = second; break;
#include "core/ops.def"
    default: break;
    }
}

/* modf's second row, trunc, leaves integers as they are; both results have the dtype of the first. */
static int dtype_of_both(int op, const garray_operand *in, int dtype)
{
    if (op != GARRAY_OP_modf || dtype || in->kind != GARRAY_OPERAND_ARRAY || !in->array)
        return dtype;
    return garray__compute_dtype(GARRAY__OP_modf_fraction, in->array->dtype);
}

garray_status garray__pair(int op, const garray_operand *in, int dtype, garray_t **first, garray_t **second)
{
    garray_t **const outs[2] = { first, second };
    garray_t *values[2] = { NULL, NULL };
    int rows[2] = { 0, 0 };
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    rows_of(op, rows);
    int compute = dtype_of_both(op, in, dtype);
    /* Nothing is assigned before both are there: a variable may be an operand too. */
    for (int k = 0; k < 2; k++)
        if (outs[k])
            GARRAY__TRY(garray__elementwise(rows[k], garray__ops[op].nin, in, compute, &values[k]));
done:
    return garray__assign_outs(2, outs, values, st);
}

garray_status (garray_divmod)(garray_operand a, garray_operand b, garray_t **quotient, garray_t **remainder)
{
    GARRAY_ENTER("garray_divmod");
    garray_operand in[2] = { a, b };
    return garray__pair(GARRAY_OP_divmod, in, 0, quotient, remainder);
}

garray_status (garray_frexp)(garray_operand x, garray_t **fraction, garray_t **exponent)
{
    GARRAY_ENTER("garray_frexp");
    return garray__pair(GARRAY_OP_frexp, &x, 0, fraction, exponent);
}

garray_status (garray_modf)(garray_operand x, garray_t **fraction, garray_t **integral)
{
    GARRAY_ENTER("garray_modf");
    return garray__pair(GARRAY_OP_modf, &x, 0, fraction, integral);
}
