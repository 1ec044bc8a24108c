/* SPDX-License-Identifier: BSD-3-Clause
 * The memory pool of a device: where blocks come from when a stream's own free memory does not serve, what
 * happens when there is no more, and the statistics. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/pool.h"
#include "core/report.h"

/* Host memory is never refused by the system until it is too late, so what is cached stays below the peak and
 * this. */
#define HOST_CACHE ((int64_t)256 << 20)

garray_status garray__pool_new(garray__device *device, garray__pool **out)
{
    garray__pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a memory pool");
    pool->device = device;
    pool->host_memory = !garray__device_is_async(device);
    const char *mode = getenv("GARRAY_POOL"), *poison = getenv("GARRAY_POOL_POISON");
    pool->kind = GARRAY_ALLOCATOR_POOL;
    if (mode && strcmp(mode, "direct") == 0)
        pool->kind = GARRAY_ALLOCATOR_DIRECT;
    else if (mode && strcmp(mode, "async") == 0 && device->backend->alloc_async)
        pool->kind = GARRAY_ALLOCATOR_ASYNC;
    pool->poison = poison && strcmp(poison, "1") == 0;
    pthread_mutex_init(&pool->grow, NULL);
    pthread_mutex_init(&pool->deferred_lock, NULL);
    *out = pool;
    return GARRAY_OK;
}

/* The arenas of all the device's streams, dead ones included. */
static garray__stream *first_stream(const garray__pool *pool)
{
    return atomic_load_explicit(&pool->device->streams, memory_order_acquire);
}

bool garray__pool_hold(garray__pool *pool, size_t size)
{
    int64_t limit = atomic_load(&pool->limit);
    if (size > PTRDIFF_MAX)
        return false;
    if (limit > 0 && atomic_load(&pool->held) > limit - (int64_t)size)
        return false;
    int64_t held = atomic_fetch_add(&pool->held, (int64_t)size) + (int64_t)size;
    if (limit > 0 && held > limit) {            /* another thread was faster */
        atomic_fetch_sub(&pool->held, (int64_t)size);
        return false;
    }
    return true;
}

void garray__pool_unhold(garray__pool *pool, size_t size)
{
    atomic_fetch_sub(&pool->held, (int64_t)size);
}

static void raw_free(garray__pool *pool, void *data, size_t size)
{
    if (pool->host_memory)
        GARRAY__MARK_USED(data, size);
    pool->device->backend->free(pool->device->handle, data, size);
    garray__pool_unhold(pool, size);
    atomic_fetch_add(&pool->driver_frees, 1);
}

/* ---- asking the backend; pool->grow is locked ---- */
static garray_status raw_alloc(garray__pool *pool, size_t size, void **data)
{
    if (!garray__pool_hold(pool, size))
        return GARRAY_ERR_DEVICE_NOMEM;
    garray_status st = pool->device->backend->alloc(pool->device->handle, size, data);
    if (st != GARRAY_OK) {
        garray__pool_unhold(pool, size);
        return garray__device_note(pool->device, st);
    }
    atomic_fetch_add(&pool->driver_allocations, 1);
    return GARRAY_OK;
}

garray_status garray__pool_fail(garray__pool *pool, size_t size)
{
    int64_t live = garray__pool_live(pool), held = atomic_load(&pool->held);
    int64_t limit = atomic_load(&pool->limit);
    char bound[48] = "no limit set";
    if (limit > 0)
        snprintf(bound, sizeof bound, "limit %" PRId64, limit);
    return garray__fail(pool->host_memory ? GARRAY_ERR_NOMEM : GARRAY_ERR_DEVICE_NOMEM,
                        "out of memory on %s: %zu bytes asked for, %" PRId64 " in use, %" PRId64
                        " cached, %s",
                        garray__device_text(pool->device->id), size, live, held - live, bound);
}

/* A new segment in the stream's arena: of the usual size if that can be had, else of what is needed. */
static garray_status add_segment(garray__pool *pool, garray__stream *stream, size_t capacity)
{
    bool small = capacity <= GARRAY__SMALL_MAX;
    size_t size = small ? GARRAY__SMALL_SEGMENT
                        : capacity <= GARRAY__LARGE_SEGMENT / 2 ? GARRAY__LARGE_SEGMENT : capacity;
    void *data;
    garray_status st = raw_alloc(pool, size, &data);
    if (garray__is_nomem(st) && size > capacity && !small)
        st = raw_alloc(pool, size = capacity, &data);
    if (st != GARRAY_OK)
        return st;
    pthread_mutex_lock(&stream->arena->lock);
    bool added = garray__arena_add(stream->arena, data, size, small);
    pthread_mutex_unlock(&stream->arena->lock);
    if (!added) {
        raw_free(pool, data, size);
        return GARRAY_ERR_NOMEM;
    }
    return GARRAY_OK;
}

static garray__block *take_from(garray__arena *arena, size_t capacity, bool splinter, garray__readiness least)
{
    pthread_mutex_lock(&arena->lock);
    garray__block *block = garray__arena_take(arena, capacity, splinter, least);
    if (!block && arena->unmerged) {
        garray__arena_merge(arena);
        block = garray__arena_take(arena, capacity, splinter, least);
    }
    pthread_mutex_unlock(&arena->lock);
    return block;
}

/* A block of another stream's arena, to which it will go back. */
static garray__block *take_elsewhere(garray__pool *pool, garray__stream *stream, size_t capacity,
                                     bool splinter, garray__readiness least)
{
    garray__block *block = NULL;
    for (garray__stream *s = first_stream(pool); s && !block; s = s->next)
        if (s != stream)
            block = take_from(s->arena, capacity, splinter, least);
    return block;
}

/* The host waits until nothing uses the segment's memory any more. */
static garray_status wait_segment(const garray__segment *segment)
{
    for (const garray__block *block = segment->first; block; block = block->above) {
        garray__use use[1 + GARRAY__READERS];
        int n = garray__order_list(&block->buffer.order, use);
        for (int i = 0; i < n; i++) {
            garray_status st = garray__use_wait(use[i]);
            if (st != GARRAY_OK && st != GARRAY_ERR_DEVICE_LOST)        /* on a lost device nothing runs */
                return st;
        }
    }
    return GARRAY_OK;
}

/* What threads keep goes back to the arenas. */
static void cool(garray__pool *pool)
{
    if (atomic_load(&pool->hot) != 0)
        garray__blocks_cool(garray__thread_take_hot(pool));
}

/* Gives free segments back to the backend once their last uses are over. */
static garray_status release_cached(garray__pool *pool)
{
    garray_status st = GARRAY_OK;
    cool(pool);
    for (garray__stream *s = first_stream(pool); s && st == GARRAY_OK; s = s->next) {
        garray__arena *arena = s->arena;
        garray__segment *segment;
        pthread_mutex_lock(&arena->lock);
        garray__arena_merge(arena);
        while (st == GARRAY_OK && (segment = garray__arena_detach(arena))) {
            /* Waiting with the lock held would stop the threads that use this stream. */
            pthread_mutex_unlock(&arena->lock);
            st = wait_segment(segment);
            if (st == GARRAY_OK)
                raw_free(pool, segment->base, segment->size);
            pthread_mutex_lock(&arena->lock);
            if (st == GARRAY_OK)
                garray__segment_free(arena, segment);
            else
                garray__arena_attach(arena, segment);
        }
        pthread_mutex_unlock(&arena->lock);
    }
    return st;
}

/* ---- taking ---- */
/* What the stream's own free memory cannot serve without a wait for another stream that had it meanwhile: independent
 * streams would go on one after the other.  In this order: memory of other streams that is not in use any more, new memory,
 * own memory and that of other streams behind a wait, new memory after all cached has been given back, parts of large
 * blocks. */
static garray_status take_slowly(garray__pool *pool, garray__stream *stream, size_t size, size_t capacity,
                                 garray__block **out)
{
    garray_status st = GARRAY_OK;
    pthread_mutex_lock(&pool->grow);
    cool(pool);
    /* Another thread may have grown this arena meanwhile. */
    garray__block *block = take_from(stream->arena, capacity, false, GARRAY__READY_HERE);
    if (!block)
        block = take_elsewhere(pool, stream, capacity, false, GARRAY__READY_NOW);
    if (!block) {
        int64_t held = atomic_load(&pool->held);
        if (pool->host_memory && held + (int64_t)(capacity < INT64_MAX / 2 ? capacity : 0) >
                                     2 * atomic_load(&pool->peak) + HOST_CACHE)
            (void)release_cached(pool);
        st = add_segment(pool, stream, capacity);
        if (st == GARRAY_OK)
            block = take_from(stream->arena, capacity, false, GARRAY__READY_HERE);
    }
    if (!block && (st == GARRAY_OK || garray__is_nomem(st)))
        block = take_from(stream->arena, capacity, false, GARRAY__READY_LATER);
    if (!block && (st == GARRAY_OK || garray__is_nomem(st)))
        block = take_elsewhere(pool, stream, capacity, false, GARRAY__READY_LATER);
    if (!block && (st == GARRAY_OK || garray__is_nomem(st))) {
        garray__clear_error();
        if (pool->host_memory)
            atomic_fetch_add(&pool->epoch, 1);      /* other threads: empty your caches */
        if (garray__self)
            garray__cache_flush(&garray__self->cache);
        st = release_cached(pool);
        if (st == GARRAY_OK)
            st = add_segment(pool, stream, capacity);
        if (st == GARRAY_OK)
            block = take_from(stream->arena, capacity, false, GARRAY__READY_LATER);
        if (!block && (st == GARRAY_OK || garray__is_nomem(st)))        /* large blocks in pieces: the last resort */
            block = take_from(stream->arena, capacity, true, GARRAY__READY_LATER);
        if (!block && (st == GARRAY_OK || garray__is_nomem(st)))
            block = take_elsewhere(pool, stream, capacity, true, GARRAY__READY_LATER);
    }
    pthread_mutex_unlock(&pool->grow);
    if (block) {
        *out = block;
        return GARRAY_OK;
    }
    return st == GARRAY_OK || garray__is_nomem(st) ? garray__pool_fail(pool, size) : st;
}

/* The memory's last uses on other streams must be over before work on this one touches it; afterwards its
 * history is one ticket of this stream. */
garray_status garray__block_ready(garray__block *block, garray__stream *stream)
{
    garray__order *order = &block->buffer.order;
    garray__use use[1 + GARRAY__READERS];
    int n = garray__order_list(order, use);
    bool waited = false;
    for (int i = 0; i < n; i++)
        if (use[i].number != stream->queue.number) {
            garray_status st = garray__stream_wait(stream, use[i]);
            if (st != GARRAY_OK)
                return st;
            waited = true;
        }
    if (waited || order->nreaders) {
        uint64_t ticket = waited ? garray__stream_ticket(stream) : 0;
        for (int i = 0; i < n; i++)
            if (use[i].number == stream->queue.number && use[i].ticket > ticket)
                ticket = use[i].ticket;
        order->writer = (garray__use){ .ticket = ticket, .number = stream->queue.number };
        order->nreaders = 0;
    }
    return GARRAY_OK;
}

garray_status garray__pool_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out)
{
    if (GARRAY__UNLIKELY(atomic_load_explicit(&pool->kind, memory_order_relaxed) != GARRAY_ALLOCATOR_POOL))
        return garray__upstream_take(pool, stream, size, out);
    if (size > PTRDIFF_MAX - GARRAY__LARGE_STEP)
        return garray__pool_fail(pool, size);
    size_t capacity = garray__block_size(size);
    garray_status st = GARRAY_OK;
    garray__block *block = take_from(stream->arena, capacity, false, GARRAY__READY_HERE);
    if (GARRAY__UNLIKELY(!block)) {
        st = take_slowly(pool, stream, size, capacity, &block);
        if (st != GARRAY_OK)
            return st;
    }
    st = garray__block_ready(block, stream);
    if (GARRAY__UNLIKELY(st != GARRAY_OK)) {
        garray__pool_give(block);
        return st;
    }
    *out = block;
    return GARRAY_OK;
}

void garray__pool_mark(const garray__block *block)
{
    garray__use use[1 + GARRAY__READERS];
    int n = block->pool->host_memory ? 0 : garray__order_list(&block->buffer.order, use);
    for (int i = 0; i < n; i++)
        if (use[i].number != block->arena->stream->queue.number)
            garray__use_mark(use[i]);
}

void garray__pool_give(garray__block *block)
{
    if (GARRAY__UNLIKELY(!block->arena)) {
        garray__upstream_give(block);
        return;
    }
    garray__arena *arena = block->arena;
    garray__pool_mark(block);
    pthread_mutex_lock(&arena->lock);
    garray__arena_give(arena, block);
    pthread_mutex_unlock(&arena->lock);
}

/* ---- all of it ---- */
garray_status garray__pool_trim(garray__pool *pool)
{
    if (garray__self)
        garray__cache_flush(&garray__self->cache);
    atomic_fetch_add(&pool->epoch, 1);
    pthread_mutex_lock(&pool->grow);
    garray_status st = release_cached(pool);
    for (garray__stream *s = first_stream(pool); s; s = s->next) {
        pthread_mutex_lock(&s->arena->lock);
        garray__arena_drop_spares(s->arena);
        pthread_mutex_unlock(&s->arena->lock);
    }
    pthread_mutex_unlock(&pool->grow);
    return st;
}

void garray__pool_free(garray__pool *pool)
{
    cool(pool);
    garray__thread_forget(pool);
    garray__pinned_free(atomic_load(&pool->pinned));
    for (garray__memory_log *log = atomic_load(&pool->log), *older; log; log = older) {
        older = log->older;
        free(log);
    }
    for (garray__stream *s = first_stream(pool); s; s = s->next) {
        garray__arena *arena = s->arena;
        garray__segment *segment;
        garray__arena_merge(arena);
        while ((segment = garray__arena_detach(arena))) {
            raw_free(pool, segment->base, segment->size);
            garray__segment_free(arena, segment);
        }
        garray__arena_drop_spares(arena);
        pthread_mutex_destroy(&arena->lock);
        free(arena);
        s->arena = NULL;
    }
    pthread_mutex_destroy(&pool->grow);
    pthread_mutex_destroy(&pool->deferred_lock);
    free(pool);
}

void garray__pool_lock(garray__pool *pool)
{
    pthread_mutex_lock(&pool->grow);
    for (garray__stream *s = first_stream(pool); s; s = s->next)
        pthread_mutex_lock(&s->arena->lock);
    pthread_mutex_lock(&pool->deferred_lock);
}

void garray__pool_unlock(garray__pool *pool)
{
    pthread_mutex_unlock(&pool->deferred_lock);
    for (garray__stream *s = first_stream(pool); s; s = s->next)
        pthread_mutex_unlock(&s->arena->lock);
    pthread_mutex_unlock(&pool->grow);
}

/* The largest block that could be handed out without asking the device, and all bytes of such blocks. */
static void find_free(garray__pool *pool, int64_t *largest, int64_t *all)
{
    cool(pool);
    for (garray__stream *s = first_stream(pool); s; s = s->next) {
        pthread_mutex_lock(&s->arena->lock);
        garray__arena_merge(s->arena);
        garray__arena_free_bytes(s->arena, largest, all);
        pthread_mutex_unlock(&s->arena->lock);
    }
}

void garray__pool_info(garray__pool *pool, garray_memory_info *info)
{
    int64_t all = 0;
    *info = (garray_memory_info){ 0 };
    find_free(pool, &info->largest_free_bytes, &all);
    garray__thread_counts(pool, &info->allocations, &info->frees);
    int64_t live = garray__pool_live(pool);
    info->live_bytes = live;
    info->cached_bytes = atomic_load(&pool->held) - live;
    info->peak_bytes = atomic_load(&pool->peak);
    info->limit_bytes = atomic_load(&pool->limit);
    info->driver_allocations = atomic_load(&pool->driver_allocations);
    info->driver_frees = atomic_load(&pool->driver_frees);
    info->live_blocks = info->allocations - info->frees;
    info->fragmentation = all ? 1 - (double)info->largest_free_bytes / (double)all : 0;
}
