/* SPDX-License-Identifier: BSD-3-Clause
 * Public functions on device memory: statistics, trimming, the limit, the log, and who provides it. */
#include <stdlib.h>
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
    atomic_store(&device->pool->peak, garray__pool_live(device->pool));
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

garray_status garray_memory_set_log(garray_device id, garray_memory_log_fn fn, void *ctx)
{
    GARRAY_ENTER("garray_memory_set_log");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    garray__pool *pool = device->pool;
    garray__memory_log *log = calloc(1, sizeof *log);
    GARRAY_REQUIRE(log, NOMEM, "no host memory for the log");
    log->function = fn;
    log->ctx = ctx;
    log->older = atomic_load(&pool->log);
    while (!atomic_compare_exchange_weak(&pool->log, &log->older, log))
        continue;
    return GARRAY_OK;
}

garray_status garray_memory_set_allocator(garray_device id, const garray_allocator *allocator)
{
    GARRAY_ENTER("garray_memory_set_allocator");
    GARRAY_REQUIRE_OPTIONS(allocator, reserved);
    const garray_allocator pooled = { .kind = GARRAY_ALLOCATOR_POOL };
    const garray_allocator *chosen = allocator && allocator->kind ? allocator : &pooled;
    GARRAY_REQUIRE(chosen->kind >= GARRAY_ALLOCATOR_POOL && chosen->kind <= GARRAY_ALLOCATOR_USER, INVALID,
                   "allocator kind %d is unknown", (int)chosen->kind);
    GARRAY_REQUIRE(chosen->kind != GARRAY_ALLOCATOR_USER || (chosen->alloc && chosen->free), INVALID,
                   "the allocator needs both alloc and free");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_REQUIRE(chosen->kind != GARRAY_ALLOCATOR_ASYNC || device->backend->alloc_async, UNSUPPORTED,
                   "%s has no stream-ordered allocator of its own", garray__device_text(id));
    garray__pool *pool = device->pool;
    garray_memory_info info;
    garray__pool_info(pool, &info);
    GARRAY_REQUIRE(info.live_blocks == 0, INVALID,
                   "%lld buffers of %s are in use: the allocator is chosen before the first array",
                   (long long)info.live_blocks, garray__device_text(id));
    GARRAY_TRY(garray__pool_trim(pool));
    pool->user = *chosen;
    atomic_store(&pool->kind, (int)chosen->kind);
    return GARRAY_OK;
}
