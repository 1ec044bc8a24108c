/* SPDX-License-Identifier: BSD-3-Clause
 * Where a quantile lies among sorted values: NumPy's thirteen methods. */
#ifndef GARRAY_CORE_QUANTILE_PLACE_H
#define GARRAY_CORE_QUANTILE_PLACE_H

#include "core/array.h"
#include "garray/statistics.h"

/* Of a method, DEFAULT included: whether it picks one of the values and never stands between two. */
bool garray__quantile_picks(garray_quantile_method method);

/* Of n >= 1 sorted values: the quantile is value[low] + t * (value[high] - value[low]); of methods that pick low == high and
 * t is 0. */
void garray__quantile_place(garray_quantile_method method, int64_t n, double q, int64_t *low, int64_t *high, double *t);

/* The same for many counts at once: count (int64, not 0 where it matters) broadcasts with q (float64); low and high are
 * int64, t float64 or, of methods that pick, NULL. */
garray_status garray__quantile_places(garray_quantile_method method, const garray_t *count, const garray_t *q, garray_t **low,
                                      garray_t **high, garray_t **t);

#endif
