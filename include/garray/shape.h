/* SPDX-License-Identifier: BSD-3-Clause
 * Other shapes of the same elements, and arrays joined. */
#ifndef GARRAY_SHAPE_H
#define GARRAY_SHAPE_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- views ----
 * These copy nothing: the result is a view of x's buffer, which lives on as long as a view does. AXIS for
 * an axis out of range or named twice. With garray_into() the elements are copied instead. */

/* Another shape of the same size, elements in row-major order; one length may be -1, to be computed. A view
 * where the strides allow it, a copy otherwise, as in NumPy. */
GARRAY_STATUS garray_reshape(const garray_t *x, garray_shape shape, garray_t **out);

/* One axis: reshape to {-1}. */
GARRAY_STATUS garray_ravel(const garray_t *x, garray_t **out);

/* Axes in another order, all of them named; GARRAY_ALL_AXES reverses them, as NumPy's x.T. */
GARRAY_STATUS garray_permute_dims(const garray_t *x, garray_axes axes, garray_t **out);

/* The last two axes exchanged; GARRAY_MT(x) does it inside a call. */
GARRAY_STATUS garray_matrix_transpose(const garray_t *x, garray_t **out);

/* Axes moved from the places in source to those in destination; the others keep their order. */
GARRAY_STATUS garray_moveaxis(const garray_t *x, garray_axes source, garray_axes destination, garray_t **out);

/* Two axes exchanged. */
GARRAY_STATUS garray_swapaxes(const garray_t *x, int axis1, int axis2, garray_t **out);

/* Without the given axes, which must have length 1 (SHAPE); GARRAY_ALL_AXES: without all such. */
GARRAY_STATUS garray_squeeze(const garray_t *x, garray_axes axes, garray_t **out);

/* With new axes of length 1 at the given places of the result; at least one must be given. */
GARRAY_STATUS garray_expand_dims(const garray_t *x, garray_axes axes, garray_t **out);

/* Reversed along the given axes. */
GARRAY_STATUS garray_flip(const garray_t *x, garray_axes axes, garray_t **out);

/* Repeated to a larger shape, a read-only view with strides 0. SHAPE when x does not broadcast to it. */
GARRAY_STATUS garray_broadcast_to(const garray_t *x, garray_shape shape, garray_t **out);

/* The shape that n shapes broadcast to. Its lengths go to `lengths`, which *result then refers to. */
GARRAY_STATUS garray_broadcast_shapes(int n, const garray_shape *shapes, int64_t lengths[GARRAY_MAX_NDIM],
                                      garray_shape *result);

/* ---- joining ----
 * GARRAY_LIST(a, b, c), or GARRAY_ARRAYS(n, pointer); at least one array. The dtypes promote. */

/* Arrays one after the other along an axis that they have; the other lengths agree (SHAPE). */
GARRAY_STATUS garray_concat(garray_list arrays, int axis, garray_t **out);

/* Arrays of one shape beside each other along a new axis. */
GARRAY_STATUS garray_stack(garray_list arrays, int axis, garray_t **out);

GARRAY_END

#endif
