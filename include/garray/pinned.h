/* SPDX-License-Identifier: BSD-3-Clause
 * Pinned host memory: what a GPU's copies reach without a detour. */
#ifndef GARRAY_PINNED_H
#define GARRAY_PINNED_H

#include <garray/array.h>

GARRAY_BEGIN

/* An array on the CPU, of arbitrary content, in host memory that is pinned for a device: copies between it and the
 * device run at the speed of the bus. Released memory is kept for the next such array, apart from the device's own.
 * Pinned memory is scarce: NOMEM where the driver has none left. Ordinary memory where the device is the CPU. */
GARRAY_STATUS garray_empty_pinned(garray_shape shape, garray_dtype dtype, garray_device device, garray_t **out);

/* The pinned memory that the library holds for a device; no limit is kept, and all of it counts for the fields that are
 * about the driver. Up to 64 MiB of what is cached are slots, through which ordinary host memory reaches the device and
 * comes back: the host fills and empties them while the device copies. */
GARRAY_STATUS garray_pinned_stats(garray_device device, garray_memory_info *info);

/* Gives the driver back what is not in use. */
GARRAY_STATUS garray_pinned_trim(garray_device device);

GARRAY_END

#endif
