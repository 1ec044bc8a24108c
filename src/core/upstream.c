/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that is not the pool's: each buffer from the device and back at once, from the driver's own stream-ordered
 * pool, or from callbacks of the user.
 *
 * The last two hand memory out and take it back in the order of a stream.  It is given back on the library's own
 * stream of the device, which waits for the last uses elsewhere: that stream lives as long as the device does. */
#include <stdlib.h>
#include "core/pool.h"

static garray_status fetch(garray__pool *pool, garray__stream *stream, size_t size, void **data)
{
    garray__device *device = pool->device;
    const garray_backend *backend = device->backend;
    switch (atomic_load_explicit(&pool->kind, memory_order_relaxed)) {
    case GARRAY_ALLOCATOR_DIRECT:
        return garray__device_note(device, backend->alloc(device->handle, size, data));
    case GARRAY_ALLOCATOR_ASYNC:
        return garray__device_note(device, backend->alloc_async(&stream->queue, size, data));
    default:
        *data = pool->user.alloc(size, device->id, stream->queue.stream, pool->user.ctx);
        if (!*data)
            return pool->host_memory ? GARRAY_ERR_NOMEM : GARRAY_ERR_DEVICE_NOMEM;
        if ((uintptr_t)*data % 16 == 0)
            return GARRAY_OK;
        pool->user.free(*data, size, device->id, stream->queue.stream, pool->user.ctx);
        return garray__fail(GARRAY_ERR_INVALID, "the allocator of %s gave memory that is not aligned to 16 bytes",
                            garray__device_text(device->id));
    }
}

/* Fetches within the limit. */
static garray_status hold(garray__pool *pool, garray__stream *stream, size_t size, void **data)
{
    if (!garray__pool_hold(pool, size))
        return GARRAY_ERR_DEVICE_NOMEM;
    garray_status st = fetch(pool, stream, size, data);
    if (st != GARRAY_OK)
        garray__pool_unhold(pool, size);
    return st;
}

/* No lock is held: an allocator of the user may call the library. */
garray_status garray__upstream_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out)
{
    garray__block *block = calloc(1, sizeof *block);
    if (!block)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a buffer");
    block->pool = pool;
    block->buffer.device = pool->device;
    block->capacity = size ? size : 1;
    garray_status st = hold(pool, stream, block->capacity, &block->buffer.data);
    if (garray__is_nomem(st)) {
        /* What waits for work of the device to end may come back by then: once more. */
        garray__clear_error();
        st = garray__device_finish(pool->device);
        if (st == GARRAY_OK) {
            garray__pool_deferred(pool, true);
            st = hold(pool, stream, block->capacity, &block->buffer.data);
        }
    }
    if (st != GARRAY_OK) {
        free(block);
        return garray__is_nomem(st) ? garray__pool_fail(pool, size) : st;
    }
    atomic_fetch_add(&pool->driver_allocations, 1);
    *out = block;
    return GARRAY_OK;
}

/* Work enqueued on the stream from now on comes after the block's last uses; with host they are over.  False: that could
 * not be had now. */
static bool wait_for_uses(garray__block *block, garray__stream *stream, bool host)
{
    garray__use use[1 + GARRAY__READERS];
    int n = block->pool->host_memory ? 0 : garray__order_list(&block->buffer.order, use);
    for (int i = 0; i < n; i++) {
        garray_status st = host ? GARRAY_ERR_INTERNAL : garray__stream_wait(stream, use[i]);
        if (st != GARRAY_OK)
            st = garray__use_wait(use[i]);
        if (st != GARRAY_OK && st != GARRAY_ERR_DEVICE_LOST)        /* on a lost device nothing runs */
            return false;
    }
    return true;
}

static void give_back(void *ctx)
{
    const garray__block *block = ctx;
    garray__pool *pool = block->pool;
    garray__device *device = pool->device;
    const garray__queue *queue = &device->stream->queue;
    const int kind = atomic_load_explicit(&pool->kind, memory_order_relaxed);
    if (kind == GARRAY_ALLOCATOR_DIRECT)
        device->backend->free(device->handle, block->buffer.data, block->capacity);
    else if (kind == GARRAY_ALLOCATOR_ASYNC)
        device->backend->free_async(queue, block->buffer.data, block->capacity);
    else
        pool->user.free(block->buffer.data, block->capacity, device->id, queue->stream, pool->user.ctx);
    garray__pool_unhold(pool, block->capacity);
    atomic_fetch_add(&pool->driver_frees, 1);
}

void garray__upstream_give(garray__block *block)
{
    GARRAY__QUIETLY;
    garray__pool *pool = block->pool;
    const bool host = atomic_load_explicit(&pool->kind, memory_order_relaxed) == GARRAY_ALLOCATOR_DIRECT;
    if (wait_for_uses(block, pool->device->stream, host)) {
        give_back(block);
        free(block);
        return;
    }
    /* As foreign memory: a later call of the library gives it back. */
    block->buffer.foreign_free = give_back;
    block->buffer.foreign_ctx = block;
    garray__pool_defer(block);
}
