/* SPDX-License-Identifier: BSD-3-Clause
 * What averages, quantiles and covariances share. */
#ifndef GARRAY_CORE_STATISTICS_H
#define GARRAY_CORE_STATISTICS_H

#include "core/array.h"

/* The weights of an option that is given, of x's shape or of the lengths of the axes: a view that broadcasts to x. */
garray_status garray__open_weights(const garray_operand *o, const garray_t *x, garray_axes axes, garray_t **weights);

/* garray_average() without checks of its arguments; a result may be NULL. */
garray_status garray__average(const garray_t *x, garray_axes axes, const garray_operand *weights, int keepdims,
                              garray_t **average, garray_t **weight);

#endif
