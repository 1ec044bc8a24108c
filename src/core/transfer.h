/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays across the bus, for the rest of core. */
#ifndef GARRAY_CORE_TRANSFER_H
#define GARRAY_CORE_TRANSFER_H

#include "core/array.h"

/* dst[...] = src for arrays of one shape on two devices, cast to the dtype of dst.  dst has any strides on the CPU and is
 * contiguous elsewhere.  Host memory may be reused when the call returns, and is complete. */
garray_status garray__transfer(garray_t *dst, const garray_t *src);

/* A new contiguous array on another device, cast on the way. */
garray_status garray__to_device_as(const garray_t *x, int dtype, garray__device *device, garray_t **out);

#endif
