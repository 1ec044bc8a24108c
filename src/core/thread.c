/* SPDX-License-Identifier: BSD-3-Clause
 * The record of each thread: made at first need, found by a thread-local pointer, given back by a key's
 * destructor when the thread ends. */
#include <pthread.h>
#include <stdlib.h>
#include "core/pool.h"
#include "core/thread.h"

GARRAY__THREAD garray__thread *garray__self;
static GARRAY__THREAD bool ended;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static garray__thread *list;

static void thread_free(void *record)
{
    garray__thread *self = record;
    ended = true;       /* destructors that run later still may call the library, without a record */
    garray__cache_flush(&self->cache);
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
    pthread_mutex_unlock(&list_lock);
    garray__text_forget(self);
    garray__self = NULL;
    free(self);
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
