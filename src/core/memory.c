/* SPDX-License-Identifier: BSD-3-Clause
 * Public functions on device memory: statistics, trimming, the limit. */
#include "core/pool.h"

garray_status garray_memory_stats(garray_device id, garray_memory_info *info)
{
    GARRAY_ENTER("garray_memory_stats");
    GARRAY_REQUIRE(info, INVALID, "info is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    garray__pool_info(device->pool, info);
    return GARRAY_OK;
}

garray_status garray_memory_reset_peak(garray_device id)
{
    GARRAY_ENTER("garray_memory_reset_peak");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    atomic_store(&device->pool->peak, atomic_load(&device->pool->live));
    return GARRAY_OK;
}

garray_status garray_memory_trim(garray_device id)
{
    GARRAY_ENTER("garray_memory_trim");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    garray__pool_deferred(device->pool, true);
    return garray__pool_trim(device->pool);
}

garray_status garray_memory_set_limit(garray_device id, int64_t bytes)
{
    GARRAY_ENTER("garray_memory_set_limit");
    GARRAY_REQUIRE(bytes >= 0, INVALID, "a limit of %lld bytes", (long long)bytes);
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    atomic_store(&device->pool->limit, bytes);
    return GARRAY_OK;
}
