/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays joined, and arrays taken apart.
 *
 * Lists of results are `int nout, garray_t **outs`: outs are nout slots, each NULL or an array that the caller owns. On
 * success all of them are assigned, on failure none. The caller says how many it expects; another number is INVALID. */
#ifndef GARRAY_JOIN_H
#define GARRAY_JOIN_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- joined ----
 * GARRAY_LIST(a, b, c), or GARRAY_ARRAYS(n, pointer); at least one array. The dtypes promote. */

enum {
    GARRAY_FLAT = -2147483647 - 1 /* as the axis of garray_concat(): the arrays are flattened first */
};

/* Arrays one after the other along an axis that they have; the other lengths agree (SHAPE). */
GARRAY_STATUS garray_concat(garray_list arrays, int axis, garray_t **out);

/* Arrays of one shape beside each other along a new axis. */
GARRAY_STATUS garray_stack(garray_list arrays, int axis, garray_t **out);

/* concat along axis 1, of arrays with one axis along that. */
GARRAY_STATUS garray_hstack(garray_list arrays, garray_t **out);

/* concat along axis 0 of matrices; vectors count as rows. */
GARRAY_STATUS garray_vstack(garray_list arrays, garray_t **out);

/* concat along axis 2, after garray_atleast_3d(). */
GARRAY_STATUS garray_dstack(garray_list arrays, garray_t **out);

/* concat along axis 1 of matrices; vectors count as columns. */
GARRAY_STATUS garray_column_stack(garray_list arrays, garray_t **out);

/* A matrix of blocks: the arrays of each row joined along the last axis, the rows along the one before it. Arrays with
 * fewer axes than the others (at least 2) get axes of length 1 in front. np.block([[a, b], [c]]) is
 * garray_block(2, (const garray_list[]){ GARRAY_LIST(a, b), GARRAY_LIST(c) }, &y). */
GARRAY_STATUS garray_block(int64_t n, const garray_list *rows, garray_t **out);

/* x with values behind it along an axis; both flattened for GARRAY_ALL_AXES, where values may be a
 * number, which gives way to x's dtype as everywhere. */
GARRAY_STATUS garray_append(const garray_t *x, garray_operand values, garray_axes axis, garray_t **out);

/* ---- taken apart ----
 * Into views of x along an axis. */

/* nout parts of equal length; SHAPE when the length cannot be divided so. */
GARRAY_STATUS garray_split(const garray_t *x, int axis, int nout, garray_t **outs);

/* nout parts of which the first ones are longer by one where the length cannot be divided. */
GARRAY_STATUS garray_array_split(const garray_t *x, int axis, int nout, garray_t **outs);

/* The parts before, between and behind the places (GARRAY_DIMS or GARRAY_SHAPE), cut as Python's slices
 * x[:p0], x[p0:p1], ... x[pn:]: one more than there are places. */
GARRAY_STATUS garray_split_at(const garray_t *x, garray_shape places, int axis, int nout, garray_t **outs);

/* split along axis 1 (of vectors 0), along axis 0 of at least two axes, along axis 2 of at least three. */
GARRAY_STATUS garray_hsplit(const garray_t *x, int nout, garray_t **outs);
GARRAY_STATUS garray_vsplit(const garray_t *x, int nout, garray_t **outs);
GARRAY_STATUS garray_dsplit(const garray_t *x, int nout, garray_t **outs);

/* x[0], x[1], ... along an axis, which the views lack; nout is its length. */
GARRAY_STATUS garray_unstack(const garray_t *x, int axis, int nout, garray_t **outs);

/* Each array repeated to the shape that all of them broadcast to: read-only views, one per array. */
GARRAY_STATUS garray_broadcast_arrays(garray_list arrays, int nout, garray_t **outs);

GARRAY_END

#ifndef __cplusplus
#define garray_append(x, values, axis, out) (garray_append)(x, GARRAY_OPERAND(values), axis, out)
#endif

#endif
