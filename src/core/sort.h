/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of sorting and of order statistics share: lines along an axis, brought to the end and back. */
#ifndef GARRAY_CORE_SORT_H
#define GARRAY_CORE_SORT_H

#include "core/array.h"
#include "garray/sort.h"

/* Fills in the plan's arrays and counts and runs it; values or indices may be NULL.  rows is not empty. */
garray_status garray__sort_submit(garray_sort_plan *plan, const garray_t *rows, garray_t *values, garray_t *indices);

/* Checks a sort's arguments.  With opts->flat *x becomes the flattened array, which the caller releases, and *axis 0. */
garray_status garray__sort_open(const garray_t **x, int *axis, const garray_sort_opts *opts, garray_t **out, garray_t **flat);

/* Runs a plan on the lines of x along an axis: to items, or to their places. */
garray_status garray__sort_axis(garray_sort_plan *plan, const garray_t *x, int axis, bool values, garray_t **out);

/* The items that sorting would put at places kth (0 <= kth[i] < the length of the last axis, in any order) along x's last
 * axis, as a new array whose last axis has length n.  Of the two zeros -0 comes first; NaNs come last. */
garray_status garray__pick(const garray_t *x, int64_t n, const int64_t *kth, garray_t **out);

#endif
