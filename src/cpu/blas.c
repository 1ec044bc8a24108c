/* SPDX-License-Identifier: BSD-3-Clause
 * The lock round the BLAS library and its number of threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1           /* pthread_rwlock_t */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include "cpu/blas.h"

/* Whoever wants the library alone must not wait for ever where calls overlap without a gap. Nobody locks twice. */
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define FREE_LOCK PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define FREE_LOCK PTHREAD_RWLOCK_INITIALIZER
#endif

static pthread_rwlock_t lock = FREE_LOCK;
static atomic_int threads;      /* what the library was told */

/* Before a fork OpenBLAS ends its threads; one that just then finishes its part of a product misses the word, and the
 * fork never returns.  So a fork waits until nobody is inside. */
static void before(void)
{
    pthread_rwlock_wrlock(&lock);
}

static void parent(void)
{
    pthread_rwlock_unlock(&lock);
}

static void child(void)
{
    lock = (pthread_rwlock_t)FREE_LOCK;
    atomic_store(&threads, 0);
}

static void watch_forks(void)
{
    pthread_atfork(before, parent, child);
}

void garray__blas_enter(garray__blas_use use)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int wanted = garray__cpu_threads();
    pthread_once(&once, watch_forks);
    if (atomic_load_explicit(&threads, memory_order_acquire) != wanted) {
        pthread_rwlock_wrlock(&lock);
        openblas_set_num_threads(wanted);
        atomic_store_explicit(&threads, wanted, memory_order_release);
        pthread_rwlock_unlock(&lock);
    }
    if (use == GARRAY_BLAS_ALONE)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
}

void garray__blas_leave(void)
{
    pthread_rwlock_unlock(&lock);
}
