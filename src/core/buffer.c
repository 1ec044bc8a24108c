/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers from the pool and around foreign memory, and scratch memory for backends. */
#include <stdlib.h>
#include <string.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/report.h"

/* ---- buffers ---- */
/* All bits one: a NaN in every float, so that a read before the first write shows. */
static garray_status poison(garray__pool *pool, garray__stream *stream, garray__buffer *buffer)
{
    if (buffer->size == 0)
        return GARRAY_OK;
    if (pool->host_memory) {
        memset(buffer->data, 0xff, buffer->size);
        return GARRAY_OK;
    }
    garray_ew_plan plan = { .dtype = GARRAY_UINT8, .nop = 2, .ndim = 1, .layout = GARRAY_EW_CONTIGUOUS,
                            .count = (int64_t)buffer->size };
    plan.shape[0] = (int64_t)buffer->size;
    plan.operand[0].data = buffer->data;
    plan.operand[0].dtype = plan.operand[1].dtype = GARRAY_UINT8;
    plan.operand[0].strides[0] = 1;
    plan.operand[1].bits[0] = 0xff;
    garray_status st =
        garray__device_note(pool->device, pool->device->backend->convert(&stream->queue, &plan));
    if (st == GARRAY_OK) {
        buffer->order.nreaders = 0;
        buffer->order.writer = (garray__use){ garray__stream_ticket(stream), stream->queue.number, 0 };
    }
    return st;
}

garray_status garray__buffer_new(struct garray__device *device, size_t size, garray__buffer **out)
{
    garray__pool *pool = device->pool;
    garray_status st = garray__device_check(device);
    if (GARRAY__UNLIKELY(st != GARRAY_OK))
        return st;
    if (GARRAY__UNLIKELY(atomic_load_explicit(&pool->deferred_count, memory_order_relaxed) != 0))
        garray__pool_deferred(pool, false);
    garray__stream *stream = garray__stream_current(device);
    garray__block *block;
    st = garray__block_take(pool, stream, size, &block);
    if (GARRAY__UNLIKELY(st != GARRAY_OK))
        return st;
    garray__buffer *buffer = &block->buffer;
    atomic_store_explicit(&buffer->refs, 1, memory_order_relaxed);
    /* What launches of a graph write is not the array's alone. */
    const bool shared = atomic_load_explicit(&block->graph, memory_order_relaxed) != NULL;
    atomic_store_explicit(&buffer->exported, shared, memory_order_relaxed);
    if (GARRAY__UNLIKELY(pool->poison)) {
        st = poison(pool, stream, buffer);
        if (st != GARRAY_OK) {
            garray__block_give(block);
            return st;
        }
    }
    *out = buffer;
    return GARRAY_OK;
}

garray_status garray__buffer_wrap(struct garray__device *device, void *data, size_t size,
                                  void (*release)(void *ctx), void *ctx, garray__buffer **out)
{
    static char nothing[64];            /* what an empty tensor points to if its data is NULL */
    garray_status st = garray__device_check(device);
    if (st == GARRAY_OK)
        st = garray__not_captured(device, "memory of others does not belong to the graph");
    if (st != GARRAY_OK)
        return st;
    garray__block *block = calloc(1, sizeof *block);
    if (!block)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a buffer");
    garray__buffer *buffer = &block->buffer;
    atomic_store_explicit(&buffer->refs, 1, memory_order_relaxed);
    buffer->device = device;
    buffer->data = data ? data : nothing;
    buffer->size = size;
    buffer->foreign = 1;
    buffer->foreign_free = release;
    buffer->foreign_ctx = ctx;
    *out = buffer;
    return GARRAY_OK;
}

static bool foreign_done(const garray__block *block, bool wait)
{
    GARRAY__QUIETLY;
    garray__use use[1 + GARRAY__READERS];
    int n = garray__order_list(&block->buffer.order, use);
    for (int i = 0; i < n; i++)
        if (wait) {
            garray_status st = garray__use_wait(use[i]);
            if (st != GARRAY_OK && st != GARRAY_ERR_DEVICE_LOST)        /* on a lost device nothing runs */
                return false;
        }
        else if (!garray__use_done(use[i]))
            return false;
    return true;
}

static void foreign_free(garray__block *block)
{
    if (block->buffer.foreign_free)
        block->buffer.foreign_free(block->buffer.foreign_ctx);
    free(block);
}

/* Takes what is done out of the list; the owners are called without a lock. */
static garray__block *take_deferred(garray__pool *pool, bool wait)
{
    garray__block *done = NULL;
    pthread_mutex_lock(&pool->deferred_lock);
    for (garray__block **at = &pool->deferred; *at;) {
        garray__block *block = *at;
        if (!foreign_done(block, wait)) {
            at = &block->link;
            continue;
        }
        *at = block->link;
        block->link = done;
        done = block;
        atomic_fetch_sub(&pool->deferred_count, 1);
    }
    pthread_mutex_unlock(&pool->deferred_lock);
    return done;
}

void garray__pool_deferred(garray__pool *pool, bool wait)
{
    do {
        garray__block *done = NULL;
        if (atomic_load_explicit(&pool->deferred_count, memory_order_acquire) != 0)
            done = take_deferred(pool, wait);
        if (!done)
            return;
        while (done) {
            garray__block *next = done->link;
            foreign_free(done);
            done = next;
        }
    } while (wait);             /* an owner may have been the last one of other foreign memory */
}

void garray__pool_defer(garray__block *block)
{
    garray__pool *pool = block->buffer.device->pool;
    pthread_mutex_lock(&pool->deferred_lock);
    block->link = pool->deferred;
    pool->deferred = block;
    atomic_fetch_add(&pool->deferred_count, 1);
    pthread_mutex_unlock(&pool->deferred_lock);
}

void garray__buffer_free(garray__buffer *buffer)
{
    garray__block *block = (garray__block *)buffer;
    garray__device *device = buffer->device;
    if (GARRAY__UNLIKELY(atomic_load_explicit(&device->state, memory_order_relaxed) ==
                         GARRAY__DEVICE_IS_FORKED))
        return;         /* the parent's memory: nothing of it is ours to free */
    if (GARRAY__LIKELY(!buffer->foreign)) {
        garray__block_give(block);
        return;
    }
    if (!garray__device_is_async(device) || foreign_done(block, false))
        foreign_free(block);
    else
        garray__pool_defer(block);
}

/* ---- scratch memory for backends ---- */
/* On the host the block is noted in front of the memory; elsewhere in a short list of the stream's arena. */
#define SCRATCH_HEAD ((size_t)256)

garray_status garray__scratch(const garray__queue *queue, size_t size, void **out)
{
    garray__stream *stream = garray__stream_of(queue);
    garray__pool *pool = stream->device->pool;
    garray__block *block;
    if (size > PTRDIFF_MAX - 2 * SCRATCH_HEAD)
        size = PTRDIFF_MAX;             /* refused with the pool's words */
    else if (pool->host_memory)
        size += 2 * SCRATCH_HEAD;
    garray_status st = garray__block_take(pool, stream, size, &block);
    if (st != GARRAY_OK)
        return st;
    if (pool->host_memory) {
        uintptr_t start =
            ((uintptr_t)block->buffer.data + 2 * SCRATCH_HEAD - 1) & ~(uintptr_t)(SCRATCH_HEAD - 1);
        ((garray__block **)start)[-1] = block;
        *out = (void *)start;
        return GARRAY_OK;
    }
    garray__arena *arena = stream->arena;
    pthread_mutex_lock(&arena->lock);
    block->link = arena->scratch;
    arena->scratch = block;
    pthread_mutex_unlock(&arena->lock);
    *out = block->buffer.data;
    return GARRAY_OK;
}

void garray__scratch_free(const garray__queue *queue, void *ptr)
{
    if (!ptr)
        return;
    garray__stream *stream = garray__stream_of(queue);
    if (stream->device->pool->host_memory) {
        garray__block_give(((garray__block **)ptr)[-1]);
        return;
    }
    garray__arena *arena = stream->arena;
    pthread_mutex_lock(&arena->lock);
    garray__block **at = &arena->scratch;
    while (*at && (*at)->buffer.data != ptr)
        at = &(*at)->link;
    garray__block *block = *at;
    if (block)
        *at = block->link;
    pthread_mutex_unlock(&arena->lock);
    if (!block)
        return;
    block->link = NULL;
    /* The call that used it has drawn no ticket yet: this one stands for its work.  Work of a graph has none. */
    if (!atomic_load_explicit(&block->graph, memory_order_relaxed)) {
        block->buffer.order.nreaders = 0;
        block->buffer.order.writer = (garray__use){ garray__stream_ticket(stream), queue->number, 0 };
    }
    garray__block_give(block);
}
