/* SPDX-License-Identifier: BSD-3-Clause
 * Elements and parts of arrays: x[...], x[...] = v, take and put, masks, choices between arrays, and scatter. */
#ifndef GARRAY_INDEX_H
#define GARRAY_INDEX_H

#include <garray/dtype.h>

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

/* What becomes of an index that is out of range. */
typedef enum {
    GARRAY_MODE_DEFAULT = 0, /* RAISE */
    GARRAY_MODE_RAISE = 1,   /* an INDEX error */
    GARRAY_MODE_WRAP = 2,    /* it is taken modulo the length */
    GARRAY_MODE_CLIP = 3,    /* the nearest index in range; negative ones do not count from the end, but are 0 */
    GARRAY_MODE_MAX_ENUM = 0x7fffffff
} garray_index_mode;

/* take with NumPy's mode=. Nothing but an empty selection can be taken from an empty axis. */
GARRAY_STATUS garray_take_mode(const garray_t *x, garray_operand indices, garray_axes axis, garray_index_mode mode,
                               garray_t **out);

/* For each line along an axis the elements at that line's own indices, as argsort gives them. The other axes
 * broadcast. */
GARRAY_STATUS garray_take_along_axis(const garray_t *x, const garray_t *indices, int axis, garray_t **out);

/* x.flat[indices] = values, in row-major order of the indices; values are cast whatever is lost, and begin
 * again where they are fewer than the indices. Nothing happens when there are none. Of indices named twice
 * the last one wins. */
GARRAY_STATUS garray_put(garray_t *x, garray_operand indices, garray_operand values, garray_index_mode mode);

/* The elements that take_along_axis would read are assigned; values broadcast to the shape that it would
 * give. */
GARRAY_STATUS garray_put_along_axis(garray_t *x, const garray_t *indices, garray_operand values, int axis);

/* ---- by masks ----
 * A mask is of any dtype; what is not zero is true. */

/* The indices of the elements that are not zero, in row-major order: one int64 array per axis. nout must be
 * the number of axes (at least 1); outs are as many slots, each NULL or an array, and assigned. Waits. */
GARRAY_STATUS garray_nonzero(const garray_t *x, int nout, garray_t **outs);

/* The same of the flattened array, which may have no axes. Waits. */
GARRAY_STATUS garray_flatnonzero(const garray_t *x, garray_t **out);

/* The same as rows of one int64 array, a row for each element and a column for each axis (as in NumPy, the
 * transpose of a contiguous array). Waits. */
GARRAY_STATUS garray_argwhere(const garray_t *x, garray_t **out);

/* The elements of the flattened x at which the flattened condition is true. The condition may be shorter, and
 * longer where it is not true beyond x (INDEX). Waits. */
GARRAY_STATUS garray_extract(const garray_t *condition, const garray_t *x, garray_t **out);

/* The slices of x along one axis, or the elements of the flattened x for GARRAY_ALL_AXES, at which the
 * one-dimensional condition is true. Its length may differ as for extract. Waits. */
GARRAY_STATUS garray_compress(const garray_t *condition, const garray_t *x, garray_axes axis, garray_t **out);

/* x.flat[i] = values.flat[i mod their number] for each i where mask.flat is true. The mask has as many
 * elements as x (SHAPE). DTYPE where values do not cast safely to x's dtype, as in NumPy. */
GARRAY_STATUS garray_putmask(garray_t *x, const garray_t *mask, garray_operand values);

/* The elements at which the mask is true become the values, one after another, which begin again where they
 * are too few. INVALID for no values and a mask that is true somewhere (only this case waits); else as
 * putmask. */
GARRAY_STATUS garray_place(garray_t *x, const garray_t *mask, garray_operand values);

typedef struct {
    garray_operand where;   /* a bool array that broadcasts to x: the elements to assign */
    garray_casting casting; /* GARRAY_CAST_SAME_KIND by default */
    int32_t reserved32;     /* zero */
    uint64_t reserved[4];
} garray_copyto_opts;

/* x[...] = values, which broadcast to x. DTYPE where the casting rule forbids it; a C scalar's value casts to
 * its kind and those above. */
GARRAY_STATUS garray_copyto(garray_t *x, garray_operand values, const garray_copyto_opts *opts);

/* ---- choices between arrays ---- */

/* For each element of the integer or bool array `index` that of choices[index], which GARRAY_OPERANDS() makes;
 * index and the n choices broadcast, and the dtype is that which the choices have in common. Unlike in take, negative
 * indices are out of range. */
GARRAY_STATUS garray_choose(const garray_t *index, int n, const garray_operand *choices, garray_index_mode mode,
                            garray_t **out);

/* For each element that of the first choice whose condition is true, and of `otherwise` where none is.
 * conditions are at least one bool array (DTYPE), choices as many operands; all broadcast with each other and
 * with `otherwise`, and the dtype is what choices and `otherwise` have in common. */
GARRAY_STATUS garray_select(garray_list conditions, const garray_operand *choices, garray_operand otherwise,
                            garray_t **out);

/* An array like x with the value of the last condition that is true, values[conditions.n] where none is if
 * there is one value more than conditions, and 0 otherwise. Conditions (bool) and values broadcast to x;
 * values are cast to its dtype, whatever is lost. NumPy would call functions here: compute their values
 * first. */
GARRAY_STATUS garray_piecewise(const garray_t *x, garray_list conditions, int nvalues, const garray_operand *values,
                               garray_t **out);

/* ---- scatter ----
 * x[items] = op(x[items], values), where of places named more than once every value counts, in row-major order
 * of the indices. Items and values as for garray_setitem(); values are cast to x's dtype first. Sums of floats
 * are wider than their dtype and rounded once, so that the order does not matter: the same call gives the same
 * bits each time. On a GPU an index out of range adds nothing, and is reported late. garray_ufunc_at() does
 * the same for every operation. */

/* x[items] += values, all of them. */
GARRAY_STATUS garray_scatter_add(garray_t *x, garray_indices items, garray_operand values);

/* x[items] = minimum(x[items], values); a NaN wins. */
GARRAY_STATUS garray_scatter_min(garray_t *x, garray_indices items, garray_operand values);

/* x[items] = maximum(x[items], values); a NaN wins. */
GARRAY_STATUS garray_scatter_max(garray_t *x, garray_indices items, garray_operand values);

GARRAY_END

#ifndef __cplusplus
#define garray_scatter_add(x, items, values) (garray_scatter_add)(x, items, GARRAY_OPERAND(values))
#define garray_scatter_min(x, items, values) (garray_scatter_min)(x, items, GARRAY_OPERAND(values))
#define garray_scatter_max(x, items, values) (garray_scatter_max)(x, items, GARRAY_OPERAND(values))
#define garray_setitem(x, items, value) (garray_setitem)(x, items, GARRAY_OPERAND(value))
#define garray_setitem_text(x, items, value) (garray_setitem_text)(x, items, GARRAY_OPERAND(value))
#define garray_take(x, indices, axis, out) (garray_take)(x, GARRAY_OPERAND(indices), axis, out)
#define garray_take_mode(x, indices, axis, mode, out) \
    (garray_take_mode)(x, GARRAY_OPERAND(indices), axis, mode, out)
#define garray_put(x, indices, values, mode) \
    (garray_put)(x, GARRAY_OPERAND(indices), GARRAY_OPERAND(values), mode)
#define garray_put_along_axis(x, indices, values, axis) \
    (garray_put_along_axis)(x, indices, GARRAY_OPERAND(values), axis)
#define garray_putmask(x, mask, values) (garray_putmask)(x, mask, GARRAY_OPERAND(values))
#define garray_place(x, mask, values) (garray_place)(x, mask, GARRAY_OPERAND(values))
#define garray_copyto(x, values, opts) (garray_copyto)(x, GARRAY_OPERAND(values), opts)
#define garray_select(conditions, choices, otherwise, out) \
    (garray_select)(conditions, choices, GARRAY_OPERAND(otherwise), out)
#endif

#endif
