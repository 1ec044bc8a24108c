/* SPDX-License-Identifier: BSD-3-Clause
 * The record of each thread: made at first need, found by a thread-local pointer, given back by a key's
 * destructor when the thread ends. */
#include <pthread.h>
#include <stdlib.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/thread.h"

GARRAY__THREAD garray__thread *garray__self;
static GARRAY__THREAD bool ended;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static garray__thread *list;

/* Adds the blocks in the slots to a list. */
static garray__block *empty_slots(garray__hot *hot, garray__block *list_of_blocks)
{
    for (int i = 0; i < GARRAY__HOT_SLOTS; i++) {
        garray__block *block = NULL;
        if (atomic_load_explicit(&hot->slot[i].block, memory_order_relaxed))
            block = atomic_exchange_explicit(&hot->slot[i].block, NULL, memory_order_acquire);
        if (block) {
            block->link = list_of_blocks;
            list_of_blocks = block;
        }
    }
    return list_of_blocks;
}

static void thread_free(void *record)
{
    garray__thread *self = record;
    garray__capture_drop(self);
    ended = true;       /* destructors that run later still may call the library, without a record */
    garray__cache_flush(&self->cache);
    for (int i = 0; i < GARRAY__HOT_POOLS; i++)
        garray__blocks_cool(empty_slots(&self->hot[i], NULL));
    pthread_mutex_lock(&list_lock);
    if (self->next)
        self->next->previous = self->previous;
    if (self->previous)
        self->previous->next = self->next;
    else
        list = self->next;
    garray__pool *pool = self->cache.pool;
    if (pool) {
        atomic_fetch_add(&pool->other_allocations, atomic_load(&self->cache.allocations));
        atomic_fetch_add(&pool->other_frees, atomic_load(&self->cache.frees));
    }
    for (int i = 0; i < GARRAY__HOT_POOLS; i++) {
        garray__hot *hot = &self->hot[i];
        pool = atomic_load(&hot->pool);
        if (pool) {
            atomic_fetch_add(&pool->other_allocations, atomic_load(&hot->allocations));
            atomic_fetch_add(&pool->other_frees, atomic_load(&hot->frees));
            atomic_fetch_add(&pool->live, atomic_load(&hot->live));
        }
    }
    pthread_mutex_unlock(&list_lock);
    garray__text_forget(self);
    garray__self = NULL;
    free(self);
}

void garray__thread_end(void)
{
    if (!garray__self)
        return;
    pthread_setspecific(key, NULL);
    thread_free(garray__self);
    ended = false;
}

/* A thread's cache that serves the pool, or NULL. */
static garray__cache *cache_with(const garray__pool *pool)
{
    garray__cache *found = NULL;
    pthread_mutex_lock(&list_lock);
    for (garray__thread *t = list; t && !found; t = t->next)
        if (atomic_load_explicit(&t->cache.pool, memory_order_acquire) == pool)
            found = &t->cache;
    pthread_mutex_unlock(&list_lock);
    return found;
}

void garray__thread_drop_caches(garray__pool *pool)
{
    garray__cache *cache;
    while ((cache = cache_with(pool))) {
        garray__cache_flush(cache);
        atomic_fetch_add(&pool->other_allocations, atomic_exchange(&cache->allocations, 0));
        atomic_fetch_add(&pool->other_frees, atomic_exchange(&cache->frees, 0));
        atomic_store(&cache->pool, NULL);
    }
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, thread_free) == 0;
}

/* A library that is unloaded while threads live must not leave them a destructor that is gone. */
__attribute__((destructor)) static void delete_key(void)
{
    if (key_made)
        pthread_key_delete(key);
}

garray__thread *garray__thread_new(void)
{
    if (garray__self || ended)
        return garray__self;
    pthread_once(&key_once, make_key);
    if (!key_made)
        return NULL;
    garray__thread *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    if (pthread_setspecific(key, self) != 0) {
        free(self);
        return NULL;
    }
    pthread_mutex_lock(&list_lock);
    self->next = list;
    if (list)
        list->previous = self;
    list = self;
    pthread_mutex_unlock(&list_lock);
    garray__self = self;
    return self;
}

void garray__thread_counts(const struct garray__pool *pool, int64_t *allocations, int64_t *frees)
{
    pthread_mutex_lock(&list_lock);
    *allocations += atomic_load(&pool->other_allocations);
    *frees += atomic_load(&pool->other_frees);
    for (garray__thread *t = list; t; t = t->next)
        if (atomic_load_explicit(&t->cache.pool, memory_order_acquire) == pool) {
            *allocations += atomic_load_explicit(&t->cache.allocations, memory_order_relaxed);
            *frees += atomic_load_explicit(&t->cache.frees, memory_order_relaxed);
        }
    for (garray__thread *t = list; t; t = t->next)
        for (int i = 0; i < GARRAY__HOT_POOLS; i++)
            if (atomic_load_explicit(&t->hot[i].pool, memory_order_acquire) == pool) {
                *allocations += atomic_load_explicit(&t->hot[i].allocations, memory_order_relaxed);
                *frees += atomic_load_explicit(&t->hot[i].frees, memory_order_relaxed);
            }
    pthread_mutex_unlock(&list_lock);
}

static garray__hot *hot_of(garray__thread *thread, const garray__pool *pool)
{
    for (int i = 0; i < GARRAY__HOT_POOLS; i++)
        if (atomic_load_explicit(&thread->hot[i].pool, memory_order_acquire) == pool)
            return &thread->hot[i];
    return NULL;
}

garray__block *garray__thread_take_hot(const garray__pool *pool)
{
    garray__block *taken = NULL;
    pthread_mutex_lock(&list_lock);
    for (garray__thread *t = list; t; t = t->next) {
        garray__hot *hot = hot_of(t, pool);
        if (hot)
            taken = empty_slots(hot, taken);
    }
    pthread_mutex_unlock(&list_lock);
    return taken;
}

int64_t garray__thread_live(const garray__pool *pool)
{
    pthread_mutex_lock(&list_lock);
    int64_t live = atomic_load_explicit(&((garray__pool *)pool)->live, memory_order_relaxed);
    for (garray__thread *t = list; t; t = t->next) {
        const garray__hot *hot = hot_of(t, pool);
        if (hot)
            live += atomic_load_explicit(&((garray__hot *)hot)->live, memory_order_relaxed);
    }
    pthread_mutex_unlock(&list_lock);
    return live;
}

void garray__thread_forget(const garray__pool *pool)
{
    pthread_mutex_lock(&list_lock);
    for (garray__thread *t = list; t; t = t->next) {
        garray__hot *hot = hot_of(t, pool);
        if (hot) {
            atomic_store(&hot->live, 0);
            atomic_store(&hot->allocations, 0);
            atomic_store(&hot->frees, 0);
            atomic_store(&hot->pool, NULL);
        }
    }
    pthread_mutex_unlock(&list_lock);
}

void garray__thread_lock(void)
{
    pthread_mutex_lock(&list_lock);
}

void garray__thread_unlock(void)
{
    pthread_mutex_unlock(&list_lock);
}
