/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays across the bus, for the rest of core. */
#ifndef GARRAY_CORE_TRANSFER_H
#define GARRAY_CORE_TRANSFER_H

#include "core/array.h"

/* A new contiguous array on another device, cast on the way. */
garray_status garray__to_device_as(const garray_t *x, int dtype, garray__device *device, garray_t **out);

#endif
