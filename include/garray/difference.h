/* SPDX-License-Identifier: BSD-3-Clause
 * Differences of neighbours, derivatives and integrals of samples. */
#ifndef GARRAY_DIFFERENCE_H
#define GARRAY_DIFFERENCE_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef struct {
    garray_operand prepend; /* what stands before x along the axis: an array that joins it, or one value */
    garray_operand append;  /* what stands behind it */
    uint64_t reserved[4];
} garray_diff_opts;

/* The n-th differences along an axis: n times x[i + 1] - x[i] (of bool: whether they differ). Numbers that
 * are prepended or appended are weak: they take x's dtype where it holds their kind. INVALID for n < 0, SHAPE
 * for an array without axes. n = 0 gives a copy. */
GARRAY_STATUS garray_diff(const garray_t *x, int64_t n, int axis, const garray_diff_opts *opts, garray_t **out);

typedef struct {
    garray_operand to_begin; /* what the result starts with, an array (flattened) or a number */
    garray_operand to_end;   /* what it ends with */
    uint64_t reserved[4];
} garray_ediff1d_opts;

/* The differences of neighbours in the flattened array, in x's dtype. DTYPE for bool, and where to_begin or
 * to_end does not cast to that dtype by same_kind. */
GARRAY_STATUS garray_ediff1d(const garray_t *x, const garray_ediff1d_opts *opts, garray_t **out);

typedef struct {
    int32_t edge_order; /* of the difference at the ends: 1 (default) or 2 */
    int32_t nspacing;   /* 0: distance 1; 1: one number for all axes; else one entry per axis */
    const garray_operand *spacing; /* numbers, or one-dimensional arrays of places, as long as their axis */
    uint64_t reserved[4];
} garray_gradient_opts;

/* The derivative along each of the axes (all of them for GARRAY_ALL_AXES) by second order central
 * differences, in x's dtype, float64 for integers. nout is the number of axes; outs are as many slots, each
 * NULL or an array, and assigned. With places it waits, to see whether they are evenly spaced. SHAPE for an
 * axis shorter than edge_order + 1. */
GARRAY_STATUS garray_gradient(const garray_t *x, garray_axes axes, const garray_gradient_opts *opts, int nout,
                              garray_t **outs);

typedef struct {
    garray_operand x;  /* the places of the samples: an array that broadcasts to y, or one axis of them */
    garray_operand dx; /* without x: their distance, 1 by default; a number or an array */
    uint64_t reserved[4];
} garray_trapezoid_opts;

/* The integral along an axis by the trapezoidal rule. */
GARRAY_STATUS garray_trapezoid(const garray_t *y, int axis, const garray_trapezoid_opts *opts, garray_t **out);

GARRAY_END

#endif
