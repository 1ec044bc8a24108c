/* SPDX-License-Identifier: BSD-3-Clause
 * What core keeps per thread: the current stream of each device and, for small host blocks, lists that need
 * no lock.  Made at first need and given back when the thread ends. */
#ifndef GARRAY_CORE_THREAD_H
#define GARRAY_CORE_THREAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "core/device.h"

struct garray__block;
struct garray__pool;

#define GARRAY__TEXT_SIZE 2048
#define GARRAY__CACHE_STEP 512                  /* bytes between size classes */
#define GARRAY__CACHE_CLASSES 128               /* so blocks up to 64 KiB */
#define GARRAY__CACHE_BYTES (64 * 1024)         /* per class at most; at least 4 blocks */

/* Free blocks of one pool, exact sizes only.  Written by its thread alone; others read the counters. */
typedef struct garray__cache {
    struct garray__pool *_Atomic pool;
    uint32_t epoch;                             /* of the pool when last emptied */
    _Atomic int64_t allocations, frees;
    struct garray__block *first[GARRAY__CACHE_CLASSES + 1];
    uint16_t count[GARRAY__CACHE_CLASSES + 1];
} garray__cache;

#define GARRAY__HOT_SLOTS 8
#define GARRAY__HOT_POOLS 4

/* The blocks that the thread freed last, of one pool, kept to be taken again for the same size and stream: without a
 * lock and without a counter that other threads write.  Only the thread itself puts blocks in, anybody may take them
 * out, so that nothing is kept back from those who need memory. */
typedef struct garray__hot {
    struct garray__pool *_Atomic pool;
    _Atomic int64_t live;                       /* bytes that the thread took from here less those it gave back */
    _Atomic int64_t allocations, frees;
    unsigned next;                              /* the slot that is emptied next */
    struct {
        struct garray__block *_Atomic block;
        const struct garray__arena *arena;      /* of the block that was put in last; the thread's alone */
        size_t size;
    } slot[GARRAY__HOT_SLOTS];
} garray__hot;

typedef struct garray__thread {
    char text[GARRAY__TEXT_SIZE];               /* the error text */
    /* Of each device; NULL: the library's own. */
    struct garray_stream *current[GARRAY__DEVICE_TYPES][GARRAY__DEVICES_PER_TYPE];
    garray__cache cache;
    garray__hot hot[GARRAY__HOT_POOLS];
    struct garray_graph *capture;               /* that goes on; NULL: none */
    struct garray__thread *next, *previous;     /* of all threads, for statistics */
} garray__thread;

/* Lets go of the error text that lies in the record. */
void garray__text_forget(const garray__thread *self);

/* For the fork handlers of the device registry. */
void garray__thread_lock(void);
void garray__thread_unlock(void);

extern GARRAY__THREAD garray__thread *garray__self;

/* Makes garray__self; NULL when there is no memory for it, or when the thread is ending. */
garray__thread *garray__thread_new(void) __attribute__((cold));

/* The blocks that all threads keep of a pool, out of their slots, as a list. */
struct garray__block *garray__thread_take_hot(const struct garray__pool *pool);

/* The bytes of the pool's memory that are in use, as the threads count them together. */
int64_t garray__thread_live(const struct garray__pool *pool);

/* No other thread is in the library, and none will be before this returns.  drop_caches(): blocks of the pool that threads
 * keep in their lists go back to it.  end(): the calling thread's record is freed, a later call makes a new one. */
void garray__thread_drop_caches(struct garray__pool *pool);
void garray__thread_end(void);

/* A pool without users is about to be freed: nothing of it is kept. */
void garray__thread_forget(const struct garray__pool *pool);

/* Adds what the caches of the living threads counted for the pool; a thread that ends leaves its part with
 * the pool. */
void garray__thread_counts(const struct garray__pool *pool, int64_t *allocations, int64_t *frees);

#endif
