/* SPDX-License-Identifier: BSD-3-Clause
 * Handing out blocks and taking them back: what threads keep for themselves, the counters, and who is told.
 *
 * Two kinds of keeping.  Small blocks of the host's memory lie in lists of exact sizes, one per thread.  Other blocks
 * lie in a few slots per thread and pool (garray__hot): a loop that frees and allocates the same sizes on the same
 * stream finds them there, and touches nothing that other threads write.  A block that was in a slot is "hot": while
 * it is in use the threads count it (garray__hot.live, which is below 0 for who frees more than it took), and the
 * pool's counter `hot` holds the bytes of all hot blocks, in use or not.  So `live + hot` is never less than what is
 * in use, and only where it is more than the peak so far must the threads be asked whether there is a new one. */
#include <stdlib.h>
#include "core/graph.h"
#include "core/pool.h"

/* ---- lists of small blocks ---- */
static size_t cache_limit(size_t class)
{
    size_t fit = GARRAY__CACHE_BYTES / (class * GARRAY__CACHE_STEP);
    return fit < 4 ? 4 : fit;
}

/* Gives back all but the newest `keep` blocks of a class. */
static void cache_shrink(garray__cache *cache, size_t class, size_t keep)
{
    garray__block **at = &cache->first[class];
    for (size_t i = 0; i < keep && *at; i++)
        at = &(*at)->link;
    garray__block *block = *at, *next;
    *at = NULL;
    if (cache->count[class] > keep)
        cache->count[class] = (uint16_t)keep;
    for (; block; block = next) {
        next = block->link;
        block->link = NULL;
        garray__pool_give(block);
    }
}

void garray__cache_flush(garray__cache *cache)
{
    if (!cache->pool)
        return;
    for (size_t class = 1; class <= GARRAY__CACHE_CLASSES; class++)
        cache_shrink(cache, class, 0);
    cache->epoch = atomic_load_explicit(&cache->pool->epoch, memory_order_relaxed);
}

/* The calling thread's lists if they may serve the pool: host memory, and no other pool was first. */
static inline garray__cache *cache_of(garray__thread *self, garray__pool *pool)
{
    if (!pool->lasting || !pool->host_memory || !self ||
        atomic_load_explicit(&pool->kind, memory_order_relaxed) != GARRAY_ALLOCATOR_POOL)
        return NULL;
    garray__cache *cache = &self->cache;
    garray__pool *owner = atomic_load_explicit(&cache->pool, memory_order_relaxed);
    if (GARRAY__UNLIKELY(owner != pool)) {
        if (owner)
            return NULL;
        atomic_store_explicit(&cache->pool, pool, memory_order_release);
    }
    if (GARRAY__UNLIKELY(cache->epoch != atomic_load_explicit(&pool->epoch, memory_order_relaxed)))
        garray__cache_flush(cache);
    return cache;
}

/* ---- slots of hot blocks ---- */
/* The calling thread's slots for the pool, NULL if it keeps those of other pools. */
static inline garray__hot *hot_of(garray__thread *self, garray__pool *pool)
{
    if (!self)
        return NULL;
    garray__hot *unused = NULL;
    for (int i = 0; i < GARRAY__HOT_POOLS; i++) {
        const garray__pool *owner = atomic_load_explicit(&self->hot[i].pool, memory_order_relaxed);
        if (owner == pool)
            return &self->hot[i];
        if (!owner && !unused)
            unused = &self->hot[i];
    }
    if (unused)
        atomic_store_explicit(&unused->pool, pool, memory_order_release);
    return unused;
}

static inline garray__block *hot_take(garray__hot *hot, const garray__arena *arena, size_t size)
{
    for (int i = 0; i < GARRAY__HOT_SLOTS; i++)
        if (hot->slot[i].size == size && hot->slot[i].arena == arena &&
            atomic_load_explicit(&hot->slot[i].block, memory_order_relaxed)) {
            garray__block *block = atomic_exchange_explicit(&hot->slot[i].block, NULL, memory_order_acquire);
            if (block)
                return block;
        }
    return NULL;
}

void garray__blocks_cool(garray__block *list)
{
    while (list) {
        garray__block *block = list;
        list = block->link;
        block->link = NULL;
        block->hot = false;
        atomic_fetch_sub_explicit(&block->pool->hot, (int64_t)block->buffer.size, memory_order_relaxed);
        garray__pool_give(block);
    }
}

/* Whether work on another stream than its arena's may use the memory still: it had better not be the next to go out. */
static inline bool is_elsewhere(const garray__block *block)
{
    const garray__order *order = &block->buffer.order;
    const int32_t number = block->arena->stream->queue.number;
    if (order->writer.number != number && !garray__use_is_over(order->writer))
        return true;
    for (int i = 0; i < order->nreaders; i++)
        if (order->reader[i].number != number && !garray__use_is_over(order->reader[i]))
            return true;
    return false;
}

static inline void hot_give(garray__hot *hot, garray__block *block)
{
    int i = 0;
    while (i < GARRAY__HOT_SLOTS && atomic_load_explicit(&hot->slot[i].block, memory_order_relaxed))
        i++;
    if (GARRAY__UNLIKELY(i == GARRAY__HOT_SLOTS)) {
        i = (int)(hot->next++ % GARRAY__HOT_SLOTS);
        garray__block *old = atomic_exchange_explicit(&hot->slot[i].block, NULL, memory_order_acquire);
        if (old) {
            old->link = NULL;
            garray__blocks_cool(old);
        }
    }
    if (!block->hot) {
        block->hot = true;
        atomic_fetch_add_explicit(&block->pool->hot, (int64_t)block->buffer.size, memory_order_relaxed);
    }
    hot->slot[i].size = block->buffer.size;
    hot->slot[i].arena = block->arena;
    atomic_store_explicit(&hot->slot[i].block, block, memory_order_release);
}

/* ---- counters ---- */
static inline void add(_Atomic int64_t *counter, int64_t n)
{
    /* One writer: no need for an atomic addition. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

int64_t garray__pool_live(const garray__pool *pool)
{
    return garray__thread_live(pool);
}

__attribute__((cold)) static void new_peak(garray__pool *pool, int64_t live)
{
    if (atomic_load_explicit(&pool->hot, memory_order_relaxed) != 0)
        live = garray__pool_live(pool);
    int64_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak_explicit(&pool->peak, &peak, live, memory_order_relaxed,
                                                                 memory_order_relaxed))
        continue;
}

/* live: the pool's counter of that name, just now. */
static inline void note_peak(garray__pool *pool, int64_t live)
{
    if (GARRAY__UNLIKELY(live + atomic_load_explicit(&pool->hot, memory_order_relaxed) >
                         atomic_load_explicit(&pool->peak, memory_order_relaxed)))
        new_peak(pool, live);
}

/* ---- the log ---- */
__attribute__((cold)) static void tell(const garray__memory_log *log, int kind, const garray__block *block, size_t size,
                                       const garray__stream *stream)
{
    static GARRAY__THREAD bool telling;         /* what the callback itself allocates is not told */
    if (!log->function || telling)
        return;
    garray_memory_event event = { .kind = kind, .device = block->pool->device->id, .ptr = block->buffer.data,
                                  .size = (int64_t)size, .stream = stream ? stream->queue.stream : NULL };
    telling = true;
    log->function(log->ctx, &event);
    telling = false;
}

/* ---- both ways ---- */
static inline garray_status take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out)
{
    garray__thread *self = garray__self ? garray__self : garray__thread_new();
    garray__cache *cache = cache_of(self, pool);
    garray__hot *hot = NULL;
    size_t class = size ? (size + GARRAY__CACHE_STEP - 1) / GARRAY__CACHE_STEP : 1;
    garray__block *block = NULL;
    garray_status st = GARRAY_OK;
    if (cache && size <= GARRAY__CACHE_STEP * GARRAY__CACHE_CLASSES) {
        block = cache->first[class];
        if (block) {
            cache->first[class] = block->link;
            cache->count[class]--;
            block->link = NULL;
        }
    } else if ((hot = hot_of(self, pool)) != NULL && (block = hot_take(hot, stream->arena, size)) != NULL) {
        st = pool->host_memory ? GARRAY_OK : garray__block_ready(block, stream);
        if (GARRAY__UNLIKELY(st != GARRAY_OK)) {
            block->link = NULL;
            garray__blocks_cool(block);
            return st;
        }
    }
    if (!block && GARRAY__UNLIKELY((st = garray__pool_take(pool, stream, size, &block)) != GARRAY_OK))
        return st;
    if (cache)
        add(&cache->allocations, 1);
    else if (hot)
        add(&hot->allocations, 1);
    else
        atomic_fetch_add_explicit(&pool->other_allocations, 1, memory_order_relaxed);
    if (block->hot) {
        add(&hot->live, (int64_t)size);
        note_peak(pool, atomic_load_explicit(&pool->live, memory_order_relaxed));
    } else
        note_peak(pool, atomic_fetch_add_explicit(&pool->live, (int64_t)size, memory_order_relaxed) + (int64_t)size);
    block->buffer.size = size;
    if (pool->host_memory)
        GARRAY__MARK_USED(block->buffer.data, size);
    const garray__memory_log *log = atomic_load_explicit(&pool->log, memory_order_acquire);
    if (GARRAY__UNLIKELY(log != NULL))
        tell(log, GARRAY_MEMORY_ALLOCATED, block, size, stream);
    *out = block;
    return GARRAY_OK;
}

void garray__block_resize(garray__block *block, size_t size)
{
    garray__pool *pool = block->pool;
    const int64_t more = (int64_t)size - (int64_t)block->buffer.size;
    block->buffer.size = size;
    garray__hot *hot = block->hot ? hot_of(garray__self ? garray__self : garray__thread_new(), pool) : NULL;
    if (block->hot)
        atomic_fetch_add_explicit(&pool->hot, more, memory_order_relaxed);
    if (hot)
        add(&hot->live, more);
    else
        atomic_fetch_add_explicit(&pool->live, more, memory_order_relaxed);
    note_peak(pool, atomic_load_explicit(&pool->live, memory_order_relaxed));
    if (pool->host_memory)
        GARRAY__MARK_USED(block->buffer.data, size);
}

garray_status garray__block_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out)
{
    garray_graph *graph = garray__graph_of_memory(pool->device);
    if (GARRAY__LIKELY(!graph))
        return take(pool, stream, size, out);
    *out = garray__graph_take(graph, size);
    if (*out)
        return GARRAY_OK;
    garray_status st = take(pool, stream, size, out);
    if (st == GARRAY_OK)
        garray__graph_own(graph, *out);
    return st == GARRAY_OK ? st : garray__capture_fail(graph, st);
}

void garray__block_give(garray__block *block)
{
    garray__pool *pool = block->pool;
    if (GARRAY__UNLIKELY(atomic_load_explicit(&block->graph, memory_order_acquire) != NULL) && garray__graph_keep(block))
        return;
    garray__thread *self = garray__self ? garray__self : garray__thread_new();
    garray__cache *cache = cache_of(self, pool);
    const int64_t size = (int64_t)block->buffer.size;
    const garray__memory_log *log = atomic_load_explicit(&pool->log, memory_order_acquire);
    if (GARRAY__UNLIKELY(log != NULL))
        tell(log, GARRAY_MEMORY_FREED, block, block->buffer.size, block->arena ? block->arena->stream : NULL);
    size_t class = block->capacity / GARRAY__CACHE_STEP;
    const bool small = cache && class <= GARRAY__CACHE_CLASSES && class * GARRAY__CACHE_STEP == block->capacity;
    garray__hot *hot = block->arena && !small ? hot_of(self, pool) : NULL;
    if (cache)
        add(&cache->frees, 1);
    else if (hot)
        add(&hot->frees, 1);
    else
        atomic_fetch_add_explicit(&pool->other_frees, 1, memory_order_relaxed);
    if (block->hot && hot)
        add(&hot->live, -size);
    else
        atomic_fetch_sub_explicit(&pool->live, size, memory_order_relaxed);
    if (pool->host_memory && block->arena)
        GARRAY__MARK_FREE(block->buffer.data, block->capacity);
    if (small) {
        block->link = cache->first[class];
        cache->first[class] = block;
        if (GARRAY__UNLIKELY(++cache->count[class] > cache_limit(class)))
            cache_shrink(cache, class, cache_limit(class) / 2);
    } else if (hot && size && !is_elsewhere(block)) {
        garray__pool_mark(block);
        hot_give(hot, block);
    } else if (block->hot) {
        block->link = NULL;
        garray__blocks_cool(block);
    } else
        garray__pool_give(block);
}
