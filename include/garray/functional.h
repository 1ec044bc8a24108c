/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of the caller over arrays. They run on the calling thread, get `ctx` as it was given, and may call the library.
 * A status other than GARRAY_OK that they return ends the call and is passed on; results that they made before are
 * released. */
#ifndef GARRAY_FUNCTIONAL_H
#define GARRAY_FUNCTIONAL_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* *out = f(line); *out is NULL at first. The line is a view that is valid during the call. */
typedef garray_status garray_line_function(void *ctx, const garray_t *line, garray_t **out);

/* f of each line along an axis, in row-major order of the other axes. All results have the shape of the first (SHAPE) and
 * are cast to its dtype; their axes take the place of the axis. INVALID where there is no line. */
GARRAY_STATUS garray_apply_along_axis(const garray_t *x, int axis, garray_line_function *f, void *ctx, garray_t **out);

/* *out = f(x, axis), with that axis of length 1 or without it. */
typedef garray_status garray_axis_function(void *ctx, const garray_t *x, int axis, garray_t **out);

/* f applied one axis after the other; an axis that it removes comes back with length 1. SHAPE for other results. */
GARRAY_STATUS garray_apply_over_axes(const garray_t *x, garray_axes axes, garray_axis_function *f, void *ctx,
                                     garray_t **out);

/* *out = f(coordinates): one read-only array per axis, all of one shape. */
typedef garray_status garray_grid_function(void *ctx, garray_list coordinates, garray_t **out);

/* What f makes of the indices of a shape's elements, given to it as arrays of a dtype (float64 by default). */
GARRAY_STATUS garray_fromfunction(garray_shape shape, garray_grid_function *f, void *ctx, garray_dtype dtype,
                                  garray_device device, garray_t **out);

/* Writes the next element to host memory, or sets *end to true when there is none. */
typedef garray_status garray_next_function(void *ctx, void *element, bool *end);

/* A vector of the elements that `next` gives: count of them (INVALID if it ends before), or all for -1. The dtype must be
 * given. */
GARRAY_STATUS garray_fromiter(garray_next_function *next, void *ctx, garray_dtype dtype, int64_t count,
                              garray_device device, garray_t **out);

GARRAY_END

#endif
