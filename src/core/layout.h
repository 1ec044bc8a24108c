/* SPDX-License-Identifier: BSD-3-Clause
 * Views under construction: the layout of an array, changed and then made a view of it. */
#ifndef GARRAY_CORE_LAYOUT_H
#define GARRAY_CORE_LAYOUT_H

#include "core/array.h"

/* What a view is made of; starts as the array itself. */
struct garray__layout {
    int ndim;
    char *data;
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
};

/* Checks out and x, the first two checks of every function that makes a view. */
garray_status garray__layout_open(const garray_t *x, garray_t **out, struct garray__layout *l);

/* The layout alone. */
void garray__layout_of(const garray_t *x, struct garray__layout *l);

/* The view, a new reference. */
garray_status garray__layout_view(const garray_t *x, const struct garray__layout *l, bool writeable, garray_t **view);

/* The view, assigned to out. */
garray_status garray__layout_assign(const garray_t *x, const struct garray__layout *l, garray_t **out);

/* Elements start, start + step, ... of an axis, `length` of them; the caller answers for the bounds. */
void garray__layout_range(struct garray__layout *l, int axis, int64_t start, int64_t step, int64_t length);

/* Axis i of l becomes axis from[i] of what it was. */
void garray__layout_permute(struct garray__layout *l, const int *from);

/* x under another shape of the same size: a view where the strides allow it, else a copy.  A new reference. */
garray_status garray__reshaped(const garray_t *x, int ndim, const int64_t *shape, garray_t **out);

/* dst[...] = src of the same or a broadcastable shape, where they share no element though they may share a buffer. */
garray_status garray__assign_apart(garray_t *dst, const garray_t *src);

/* target[...], which is contiguous, = the elements of one axis in turn, over and over; neither is empty. */
garray_status garray__fill_cyclic(const garray_t *target, const garray_t *flat);

/* One copy from part of x to part of a target, axis by axis.  Axes of length 1 are left out, so that there is room for more
 * axes than the arrays have: the lengths of the others are at least 2, and their product fits 63 bits. */
struct garray__sides {
    struct garray__layout to, from;
};
void garray__sides_open(struct garray__sides *s, char *to, char *from);
void garray__sides_axis(struct garray__sides *s, int64_t length, int64_t to_step, int64_t from_step);
garray_status garray__sides_copy(const garray_t *target, const garray_t *x, const struct garray__sides *s);

#endif
