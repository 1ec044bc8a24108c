/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions and scans that leave NaN out. Of bool and integers, which have none, they are the plain ones.
 * NumPy's warnings about slices that are NaN throughout do not exist: their result is NaN. */
#ifndef GARRAY_NAN_H
#define GARRAY_NAN_H

#include <garray/reduce.h>

GARRAY_BEGIN

/* ---- reductions ----
 * Axes, options, dtypes and errors are those of the plain function. A complex number is NaN if a part is. */

/* The sum, NaN counting as 0. */
GARRAY_STATUS garray_nansum(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* The product, NaN counting as 1. */
GARRAY_STATUS garray_nanprod(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                             garray_t **out);

/* The smallest and the largest number; NaN where there is none, unless `initial` is given. */
GARRAY_STATUS garray_nanmin(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);
GARRAY_STATUS garray_nanmax(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* The mean of the numbers; NaN where there is none. */
GARRAY_STATUS garray_nanmean(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                             garray_t **out);

/* Variance and standard deviation of the numbers; NaN where there are not more of them than `correction`. */
GARRAY_STATUS garray_nanvar(const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out);
GARRAY_STATUS garray_nanstd(const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out);

/* The int64 index of the smallest and the largest number, as argmin and argmax. INVALID ("All-NaN slice
 * encountered") where there is none: it waits to find out, unless x has no NaN by its dtype. */
GARRAY_STATUS garray_nanargmin(const garray_t *x, garray_axes axis, const garray_arg_opts *opts, garray_t **out);
GARRAY_STATUS garray_nanargmax(const garray_t *x, garray_axes axis, const garray_arg_opts *opts, garray_t **out);

/* ---- scans ----
 * Axes and options are those of cumsum: GARRAY_ALL_AXES flattens. */

/* Sums so far, NaN counting as 0. */
GARRAY_STATUS garray_nancumsum(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                               garray_t **out);

/* Products so far, NaN counting as 1. */
GARRAY_STATUS garray_nancumprod(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                                garray_t **out);

GARRAY_END

#endif
