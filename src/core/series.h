/* SPDX-License-Identifier: BSD-3-Clause
 * Evenly spaced values where a bound is an array. */
#ifndef GARRAY_CORE_SERIES_H
#define GARRAY_CORE_SERIES_H

#include "core/array.h"

/* num values from start to stop along a new axis; at least one of them is an array, on the device. dtype 0: that of the
 * bounds, at least a float. */
garray_status garray__linspace_arrays(garray_operand start, garray_operand stop, int64_t num, bool endpoint, int dtype, int axis,
                                      garray__device *device, garray_t **out);

#endif
