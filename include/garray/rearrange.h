/* SPDX-License-Identifier: BSD-3-Clause
 * Copies with the elements in other places: repeated, rolled, with some left out or put in, with a border. */
#ifndef GARRAY_REARRANGE_H
#define GARRAY_REARRANGE_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- repeated and moved ---- */

/* x laid out reps times along each axis, GARRAY_SHAPE(2, 3). A shorter list belongs to the last axes; for a longer one x
 * gets axes of length 1 in front. */
GARRAY_STATUS garray_tile(const garray_t *x, garray_shape reps, garray_t **out);

/* Each element along an axis repeats times, itself behind itself; of the flattened array for GARRAY_ALL_AXES. repeats is
 * a number, or a vector of integers, one count per element. Waits where the counts are in an array, since they decide
 * the shape. INVALID for negative ones, SHAPE for another number of them than the axis' length. */
GARRAY_STATUS garray_repeat(const garray_t *x, garray_operand repeats, garray_axes axis, garray_t **out);

/* A new shape, filled with x's elements in row-major order, over and over; with zeros if x has none. */
GARRAY_STATUS garray_resize(const garray_t *x, garray_shape shape, garray_t **out);

/* Elements shifted to higher places along the given axes; what leaves at the end comes in at the front. One shift for all
 * axes, or one each; an axis named twice shifts twice. GARRAY_ALL_AXES: in the flattened array. */
GARRAY_STATUS garray_roll(const garray_t *x, garray_shape shifts, garray_axes axes, garray_t **out);

/* ---- left out and put in ----
 * `where` is one index item as in x[...]: GARRAY_AT(3), GARRAY_AT(GARRAY_RANGE(1, 4)), GARRAY_AT(array) with an array of
 * integers or bools. The axis is one axis, or GARRAY_ALL_AXES for the flattened array. INDEX for a number out of range; in
 * an array on a GPU that is found late. */

/* x without what the item names. Waits for arrays, since they decide the shape. */
GARRAY_STATUS garray_delete(const garray_t *x, garray_indices where, garray_axes axis, garray_t **out);

/* x with values, cast to its dtype, before the places that the item names (the length of the axis: at its end), which
 * count as in x itself. As in NumPy: at a number, all of values go in, an array as long as it likes along the axis;
 * at an array or a range with several places, values broadcast to one slice per place. Waits for arrays. */
GARRAY_STATUS garray_insert(const garray_t *x, garray_indices where, garray_operand values, garray_axes axis,
                            garray_t **out);

/* A view without the slices at the ends of the given axes (GARRAY_ALL_AXES: of each) where all elements are zero. trim
 * says at which: "f" front, "b" back, "fb" or NULL both. Waits, since the elements decide the shape. */
GARRAY_STATUS garray_trim_zeros(const garray_t *x, const char *trim, garray_axes axes, garray_t **out);

/* ---- with a border ---- */

typedef enum { /* what the border is made of */
    GARRAY_PAD_CONSTANT = 1, /* the default: `values`, or 0 */
    GARRAY_PAD_EDGE = 2,     /* the outermost element */
    GARRAY_PAD_LINEAR_RAMP = 3, /* from the outermost element to one of `values`, or 0, in equal steps */
    GARRAY_PAD_MAXIMUM = 4,  /* these four: of the line, or of its stat_length elements at that end */
    GARRAY_PAD_MEAN = 5,
    GARRAY_PAD_MEDIAN = 6,
    GARRAY_PAD_MINIMUM = 7,
    GARRAY_PAD_REFLECT = 8,  /* mirrored at the outermost element */
    GARRAY_PAD_SYMMETRIC = 9, /* mirrored at the edge, so that the outermost element comes twice */
    GARRAY_PAD_WRAP = 10,    /* from the other end */
    GARRAY_PAD_EMPTY = 11,   /* arbitrary */
    GARRAY_PAD_MAX_ENUM = 0x7fffffff
} garray_pad_mode;

typedef struct {
    garray_pad_mode mode;
    int32_t odd;             /* reflect, symmetric: 1: twice the edge value minus the mirrored one */
    garray_operand values;   /* constant, linear_ramp: a number, or an array that broadcasts to (ndim, 2) */
    garray_shape stat_length; /* maximum, mean, median, minimum: lengths given as the widths; none: whole lines */
    uint64_t reserved[4];
} garray_pad_opts;

/* x with a border. widths: one number for all sides; two for the front and the back of every axis; or two per axis,
 * front and back of the first, then of the next. Later axes see what earlier ones have added, as in NumPy. INVALID for
 * negative widths, and for empty axes of which a value would be taken. */
GARRAY_STATUS garray_pad(const garray_t *x, garray_shape widths, const garray_pad_opts *opts, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_repeat(x, repeats, axis, out) (garray_repeat)(x, GARRAY_OPERAND(repeats), axis, out)
#define garray_insert(x, where, values, axis, out) (garray_insert)(x, where, GARRAY_OPERAND(values), axis, out)
#endif

#endif
