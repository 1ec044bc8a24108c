/* SPDX-License-Identifier: BSD-3-Clause
 * What functions composed of others are written with: operations on arrays by number, views of a part, values read
 * by the host. */
#ifndef GARRAY_CORE_COMPOSE_H
#define GARRAY_CORE_COMPOSE_H

#include "core/elementwise.h"

#define GARRAY__ARR(x) garray_operand_array(x)

static inline garray_status garray__unary(int op, garray_operand a, garray_t **out)
{
    return garray__elementwise(op, 1, &a, 0, out);
}

/* dtype: to compute in, or 0. */
static inline garray_status garray__binary(int op, garray_operand a, garray_operand b, int dtype, garray_t **out)
{
    const garray_operand in[2] = { a, b };
    return garray__elementwise(op, 2, in, dtype, out);
}

/* condition ? a : b */
static inline garray_status garray__choose(const garray_t *condition, garray_operand a, garray_operand b, garray_t **out)
{
    const garray_operand in[3] = { garray_operand_array(condition), a, b };
    return garray__elementwise(GARRAY_OP_where, 3, in, 0, out);
}

/* x itself, or a copy of it in another dtype. */
static inline garray_status garray__as(const garray_t *x, int dtype, garray_t **out)
{
    if (x->dtype != dtype)
        return garray__copy_as(x, dtype, out);
    *out = garray__share(x);
    return GARRAY_OK;
}

/* A view of count elements from `start` on along an axis, all of it within x; writeable if x is. */
garray_status garray__part(const garray_t *x, int axis, int64_t start, int64_t count, garray_t **out);

/* A view with the axis `from` moved to `to`. */
garray_status garray__move_axis(const garray_t *x, int from, int to, garray_t **out);

/* A view of x flattened where its strides allow it, a copy otherwise. */
garray_status garray__flat(const garray_t *x, garray_t **out);

/* The axes that are not reduced, then one axis of all reduced ones in their order; a view where strides allow it. */
garray_status garray__rows(const garray_t *x, const bool *reduced, garray_t **out);

/* The array of an option that is not given (NULL), an array with its flags, or a number, which becomes a 0-d array of
 * its default dtype on the device. */
garray_status garray__option_array(const garray_operand *o, const char *name, garray__device *device, garray_t **out);

/* Assigns several finished arrays at once, to all of outs or to none (NULL: not wanted); takes the references in every
 * case and sets them to NULL. */
garray_status garray__assign_all(int n, garray_t **const *outs, garray_t **values);

/* Around a function of several results: some is wanted, those that are can be used, and no two are the same variable; after
 * the work, all are assigned if st is OK, or values[] dropped. */
garray_status garray__check_outs(int n, garray_t **const *outs);
garray_status garray__assign_outs(int n, garray_t **const *outs, garray_t **values, garray_status st);

/* The elements of x as doubles, in row-major order, to memory from malloc (free() it).  Waits. */
garray_status garray__read(const garray_t *x, double **values);

/* Whether all elements of a bool array are true.  Waits. */
garray_status garray__is_all(const garray_t *x, bool *answer);

#endif
