/* SPDX-License-Identifier: BSD-3-Clause
 * Other shapes of the same elements; join.h with it. */
#ifndef GARRAY_SHAPE_H
#define GARRAY_SHAPE_H

#include <garray/join.h>
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

/* With new axes of length 1 at the given places of the result; AXIS for GARRAY_ALL_AXES. */
GARRAY_STATUS garray_expand_dims(const garray_t *x, garray_axes axes, garray_t **out);

/* Reversed along the given axes. */
GARRAY_STATUS garray_flip(const garray_t *x, garray_axes axes, garray_t **out);

/* Repeated to a larger shape, a read-only view with strides 0. SHAPE when x does not broadcast to it. */
GARRAY_STATUS garray_broadcast_to(const garray_t *x, garray_shape shape, garray_t **out);

/* The shape that n shapes broadcast to. Its lengths go to `lengths`, which *result then refers to. */
GARRAY_STATUS garray_broadcast_shapes(int n, const garray_shape *shapes, int64_t lengths[GARRAY_MAX_NDIM],
                                      garray_shape *result);

/* ---- more views ---- */

/* One axis moved to before the place `start`, counted in x; moveaxis is easier to understand. */
GARRAY_STATUS garray_rollaxis(const garray_t *x, int axis, int start, garray_t **out);

/* With axes of length 1 added until there are 1, 2 or 3: in front, but a vector becomes (1, n, 1) of three and a matrix
 * (m, n, 1). */
GARRAY_STATUS garray_atleast_1d(const garray_t *x, garray_t **out);
GARRAY_STATUS garray_atleast_2d(const garray_t *x, garray_t **out);
GARRAY_STATUS garray_atleast_3d(const garray_t *x, garray_t **out);

/* Reversed along axis 0, and along axis 1. SHAPE for fewer axes. */
GARRAY_STATUS garray_flipud(const garray_t *x, garray_t **out);
GARRAY_STATUS garray_fliplr(const garray_t *x, garray_t **out);

/* Turned k times by 90 degrees from the first towards the second of two axes; GARRAY_ALL_AXES stands for axes 0 and 1. */
GARRAY_STATUS garray_rot90(const garray_t *x, int64_t k, garray_axes axes, garray_t **out);

typedef struct {
    int32_t readonly; /* 1: nothing may be written through the view */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_strided_opts;

/* Any shape and strides in bytes (NULL: those of x) from x's first element on. INVALID when an element would lie outside
 * of the buffer. Elements may share their place: then writing through the view gives arbitrary ones of the values. */
GARRAY_STATUS garray_as_strided(const garray_t *x, garray_shape shape, const int64_t *byte_strides,
                                const garray_strided_opts *opts, garray_t **out);

typedef struct {
    int32_t writeable; /* 1: as writeable as x, though windows share elements */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_window_opts;

/* All windows of the given lengths, one per axis named (GARRAY_ALL_AXES: per axis of x): the axes shrink to the number of
 * places, and the windows' own axes follow at the end. A read-only view. SHAPE for windows longer than their axis. */
GARRAY_STATUS garray_sliding_window_view(const garray_t *x, garray_shape window, garray_axes axes,
                                         const garray_window_opts *opts, garray_t **out);

/* The same bytes as elements of another dtype, x.view(dtype). Where the sizes differ the last axis, which must lie without
 * gaps, becomes longer or shorter (SHAPE). DTYPE for bool, whose bytes are 0 or 1, of another dtype. */
GARRAY_STATUS garray_view(const garray_t *x, garray_dtype dtype, garray_t **out);

/* A copy with the bytes of each element in the opposite order, of complex numbers those of each part. */
GARRAY_STATUS garray_byteswap(const garray_t *x, garray_t **out);

/* A copy in one axis, row-major. Column-major: of garray_permute_dims(x, GARRAY_ALL_AXES). */
GARRAY_STATUS garray_flatten(const garray_t *x, garray_t **out);

GARRAY_END

#endif
