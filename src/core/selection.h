/* SPDX-License-Identifier: BSD-3-Clause
 * What x[items] selects: a view by the integers, ranges and new axes, and the index arrays that are left. */
#ifndef GARRAY_CORE_SELECTION_H
#define GARRAY_CORE_SELECTION_H

#include "core/array.h"
#include "garray/index.h"

struct garray__selection {
    garray_t *view;             /* after the basic items; axes that arrays index are whole */
    int narrays;
    struct {
        const garray_t *index;  /* integers over one axis of the view, or bools over as many as it has */
        int axis;
        int shift;              /* x calls it axis + shift */
    } array[GARRAY_MAX_NDIM];
    int place;                  /* NumPy's rule: where the broadcast axes of the index arrays go in the result */
};

/* Takes x apart by NumPy's rules; INDEX errors in its words.  The caller releases s->view. */
garray_status garray__select_items(const garray_t *x, garray_indices items, struct garray__selection *s);

/* "1:5, ::-1, None, ..., 0" as items; returns how many, with room for GARRAY_MAX_NDIM + 1. */
garray_status garray__parse_items(const char *text, garray_index *items, int *count);

/* What is selected by arrays, as a result. */
garray_status garray__read_selection(const struct garray__selection *s, garray_t **out);

/* What is selected by arrays = value (SCATTER), or op of both (COMBINE). */
garray_status garray__assign_selection(int kind, int op, const struct garray__selection *s, const garray_operand *value);

/* The coordinates of the true items of a bool mask: ndim int64 vectors of one length.  Waits for the count. */
garray_status garray__mask_coordinates(const garray_t *mask, garray_t **coordinates);

/* values[...] = base at the index arrays (gather), or base there = values (scatter), or op(base there, values) (combine).  The
 * result's axes are the broadcast axes of the arrays, put at `place` among the axes of base that are not indexed; values has
 * that shape. */
struct garray__indexed_axis {
    const garray_t *index;      /* integers */
    int axis;
    int shift;                  /* messages call it axis + shift */
};
/* shape of the result; also SHAPE errors of index arrays that do not broadcast. */
garray_status garray__indexed_shape(const garray_t *base, int n, const struct garray__indexed_axis *axes, int place, int *ndim,
                                    int64_t *shape);
garray_status garray__index_run(int kind, int op, const garray_t *base, int n, const struct garray__indexed_axis *axes, int place,
                                const garray_t *values);

/* ---- shared by the functions of index.h ---- */

/* Whether a backend combines values of a dtype by an operation (GARRAY_INDEX_COMBINE). */
bool garray__can_combine(int op, int dtype);

/* x[items] = op(x[items], values), every value in turn, with values cast to x's dtype; garray__can_combine() says yes. */
garray_status garray__combine(int op, garray_t *x, garray_indices items, const garray_operand *values);

/* Indices given as an operand: an array as it is, or a number as an int64 array of no axes (DTYPE for others). */
garray_status garray__index_operand(const garray_operand *indices, garray__device *device, garray_t **out);

/* Indices into an axis of some length as the mode makes them; INDEX for any into an empty axis. */
garray_status garray__index_in_mode(const garray_t *index, garray_index_mode mode, int64_t length, garray_t **out);

/* take by an array of integers. */
garray_status garray__take(const garray_t *x, const garray_t *index, garray_axes axis, garray_t **out);

/* x as one axis: a view of x if it is contiguous, of a copy otherwise. */
garray_status garray__flatten(const garray_t *x, garray_t **out);

/* Leading axes of length 1 that a value has in excess of ndim are dropped, as in NumPy. */
garray_status garray__drop_leading(garray_t **value, int ndim);

/* x as one axis that can be written through; NULL where its strides are not those of one. */
garray_status garray__flat_view(garray_t *x, garray_t **out);

/* A value for assignment to (parts of) x: an array of x's dtype that x does not overlap, without axes of length 1 that
 * it has in front in excess of ndim. */
garray_status garray__assigned_value(const garray_t *x, const garray_operand *value, int ndim, garray_t **out);

#endif
