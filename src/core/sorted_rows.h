/* SPDX-License-Identifier: BSD-3-Clause
 * The slices along the reduced axes as rows: what medians and quantiles pick from. */
#ifndef GARRAY_CORE_SORTED_ROWS_H
#define GARRAY_CORE_SORTED_ROWS_H

#include "core/array.h"

/* x with the kept axes first and the reduced ones as one last axis, each row sorted, NaN last. */
garray_status garray__sorted_rows(const garray_t *x, const bool *reduced, garray_t **rows);

/* How many elements of each row are not NaN, int64, with a last axis of length 1. */
garray_status garray__count_numbers(const garray_t *rows, garray_t **count);

/* value where the last element of its row, the largest, is not NaN, that element otherwise.  `value` has the rows'
 * kept axes and one more; it is replaced. */
garray_status garray__spread_nan(const garray_t *rows, garray_t **value);

/* The shape of x with the reduced axes left out, or as 1 with keepdims; the number of axes. */
int garray__reduced_shape(const garray_t *x, const bool *reduced, bool keepdims, int64_t *shape);

#endif
