/* SPDX-License-Identifier: BSD-3-Clause
 * Elements and parts of arrays: x[...], x[...] = v, take, nonzero. */
#ifndef GARRAY_INDEX_H
#define GARRAY_INDEX_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- x[...] ----
 * Index items as GARRAY_AT() makes them. Arrays are of bools, as long as the axes they stand for, or of
 * integers; several broadcast with each other, and NumPy's rule says where their axes go. INDEX for a wrong
 * item; out of range is an INDEX error too, found late on a GPU when the index is in an array. */

/* x[items]: a view where all items are integers, ranges, newaxis or ellipsis, a copy where one is an array.
 * With a bool array it waits, since the length of the result is not known before. */
GARRAY_STATUS garray_getitem(const garray_t *x, garray_indices items, garray_t **out);

/* x[items] = value, where value broadcasts to the place and casts to x's dtype, whatever is lost, as in
 * NumPy. Where an integer array names a place twice, the last one wins. */
GARRAY_STATUS garray_setitem(garray_t *x, garray_indices items, garray_operand value);

/* The same with NumPy's text: "1:5, ::-1", "..., None, 0". Only integers, ranges, None and ... can be
 * written. */
GARRAY_STATUS garray_getitem_text(const garray_t *x, const char *items, garray_t **out);
GARRAY_STATUS garray_setitem_text(garray_t *x, const char *items, garray_operand value);

/* ---- by integer arrays ----
 * Indices are of an integer dtype; negative ones count from the end. */

/* The elements at indices along one axis, or of the flattened array for GARRAY_ALL_AXES; the axis is
 * replaced by the shape of indices. INDEX for one out of range, found late on a GPU. */
GARRAY_STATUS garray_take(const garray_t *x, garray_operand indices, garray_axes axis, garray_t **out);

/* For each line along an axis the elements at that line's own indices, as argsort gives them. The other axes
 * broadcast. */
GARRAY_STATUS garray_take_along_axis(const garray_t *x, const garray_t *indices, int axis, garray_t **out);

/* The indices of the elements that are not zero, in row-major order: one int64 array per axis. nout must be
 * the number of axes (at least 1); outs are as many slots, each NULL or an array, and assigned. Waits. */
GARRAY_STATUS garray_nonzero(const garray_t *x, int nout, garray_t **outs);

GARRAY_END

#ifndef __cplusplus
#define garray_setitem(x, items, value) (garray_setitem)(x, items, GARRAY_OPERAND(value))
#define garray_setitem_text(x, items, value) (garray_setitem_text)(x, items, GARRAY_OPERAND(value))
#define garray_take(x, indices, axis, out) (garray_take)(x, GARRAY_OPERAND(indices), axis, out)
#endif

#endif
