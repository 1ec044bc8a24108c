/* SPDX-License-Identifier: BSD-3-Clause
 * The memory pool: above a backend's raw alloc and free, below buffers.
 *
 * Segments come from the backend; a segment belongs to one stream's arena and is cut into blocks.  A free
 * block may be handed out again on its own stream at once, since the stream's order protects it; on another
 * stream only when its uses are over, or behind a wait.  Small blocks (to 1 MiB, steps of 512 bytes) and
 * large ones (steps of 2 MiB) live in different segments.  Free blocks lie in bins of one size each and are
 * merged only when a search fails, so that a loop which frees and allocates the same sizes does neither split
 * nor merge. */
#ifndef GARRAY_CORE_POOL_H
#define GARRAY_CORE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include "core/buffer.h"
#include "core/device.h"
#include "core/stream.h"

/* Host memory that is free is marked as such for the address checker, of which gcc and clang tell in two ways. */
#if defined(__has_feature)
#define GARRAY__HAS_FEATURE(x) __has_feature(x)
#else
#define GARRAY__HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || GARRAY__HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define GARRAY__MARK_FREE(data, size) __asan_poison_memory_region(data, size)
#define GARRAY__MARK_USED(data, size) __asan_unpoison_memory_region(data, size)
#else
#define GARRAY__MARK_FREE(data, size) ((void)0)
#define GARRAY__MARK_USED(data, size) ((void)0)
#endif

#define GARRAY__SMALL_STEP ((size_t)512)
#define GARRAY__SMALL_MAX ((size_t)1 << 20)
#define GARRAY__SMALL_SEGMENT ((size_t)2 << 20)
#define GARRAY__LARGE_STEP ((size_t)2 << 20)
#define GARRAY__LARGE_SEGMENT ((size_t)32 << 20)        /* for blocks up to half of it */
#define GARRAY__LARGE_BINNED ((size_t)64 << 20)         /* larger blocks are not split */
#define GARRAY__SMALL_BINS ((int)(GARRAY__SMALL_SEGMENT / GARRAY__SMALL_STEP) + 1)
#define GARRAY__LARGE_BINS ((int)(GARRAY__LARGE_BINNED / GARRAY__LARGE_STEP) + 1)

typedef struct garray__segment {
    void *base;
    size_t size;
    bool small;
    struct garray__block *first;        /* lowest address */
    struct garray__segment *next, *previous;
} garray__segment;

/* A block is a buffer with a place: the buffer handed out is its first member.  While the block is free, the
 * buffer's order tells what must be over before the memory is used on another stream. */
typedef struct garray__block {
    garray__buffer buffer;
    struct garray__pool *pool;          /* NULL: foreign memory */
    struct garray__arena *arena;        /* NULL: a block of its own (upstream.c) */
    garray__segment *segment;
    size_t capacity;
    struct garray__block *below, *above;        /* neighbours in the segment */
    struct garray__block *link, *back;          /* free list, cache list, list of live scratch memory */
    bool free;
    bool hot;                           /* kept by a thread, or in use and counted by threads: block.c */
    /* Memory of a graph (capture.c). */
    struct garray_graph *_Atomic graph;
    struct garray__block *of_graph;             /* the next one of the graph's */
    bool is_kept;                       /* free, for the graph alone */
    int phase;                          /* of the graph, when it was taken */
} garray__block;

/* The free memory in the order of one stream. */
typedef struct garray__arena {
    pthread_mutex_t lock;
    struct garray__pool *pool;
    garray__stream *stream;
    garray__segment *segments;
    garray__block *small[GARRAY__SMALL_BINS], *large[GARRAY__LARGE_BINS];
    garray__block *huge;                        /* above the bins, unordered */
    /* A bit per bin that holds blocks. */
    uint64_t small_map[(GARRAY__SMALL_BINS + 63) / 64], large_map[(GARRAY__LARGE_BINS + 63) / 64];
    garray__block *scratch;                     /* handed to the backend */
    garray__block *spare;                       /* descriptors without memory */
    int64_t unmerged;                           /* blocks freed since the last merge */
} garray__arena;

/* Who is told of each block that goes out and comes back. */
typedef struct garray__memory_log {
    garray_memory_log_fn function;
    void *ctx;
    struct garray__memory_log *older;   /* another thread may be calling it still: kept as long as the pool */
} garray__memory_log;

typedef struct garray__pool {
    garray__device *device;
    _Atomic int kind;                   /* GARRAY_ALLOCATOR_... */
    garray_allocator user;              /* GARRAY_ALLOCATOR_USER */
    bool poison, host_memory;
    bool lasting;                       /* lives as long as the process, so threads may keep small blocks of it */
    pthread_mutex_t grow;               /* taken before any arena's lock; for all but the common case */
    /* Bytes; held = live + cached.  What is live is `live` and what the threads count for themselves, which hot is
     * never less than. */
    _Atomic int64_t live, peak, held, limit, hot;
    _Atomic int64_t driver_allocations, driver_frees;
    _Atomic int64_t other_allocations, other_frees;     /* not counted by a living thread */
    _Atomic uint32_t epoch; /* caches of other threads empty themselves when it has moved */
    _Atomic(garray__memory_log *) log;
    _Atomic(struct garray__pinned *) pinned;    /* pinned host memory (pinned.c); NULL until it is asked for */
    pthread_mutex_t deferred_lock;
    garray__block *deferred;                    /* foreign memory whose owner waits for our streams */
    _Atomic int deferred_count;
} garray__pool;

garray_status garray__pool_new(garray__device *device, garray__pool **out);
void garray__pool_free(garray__pool *pool);
garray_status garray__arena_new(garray__pool *pool, garray__stream *stream, garray__arena **out);

/* ---- one arena (arena.c); its lock is held ---- */
/* What a request takes from a segment: steps of 512 bytes or 2 MiB. */
size_t garray__block_size(size_t size);

/* Which free memory serves: all of it; what work on the arena's own stream may use without a wait; what no stream uses. */
typedef enum garray__readiness { GARRAY__READY_LATER, GARRAY__READY_HERE, GARRAY__READY_NOW } garray__readiness;

/* A free block of at least that capacity, or NULL.  Requests up to 16 MiB share segments: the block is cut, and none above
 * 32 MiB is taken for it.  Larger ones have segments of their own, which are neither cut nor wasted by more than a
 * quarter.  splinter drops both rules. */
garray__block *garray__arena_take(garray__arena *arena, size_t capacity, bool splinter, garray__readiness least);
void garray__arena_give(garray__arena *arena, garray__block *block);

/* Joins free neighbours. */
void garray__arena_merge(garray__arena *arena);

/* Adds the free bytes to *all, and raises *largest to the largest free block. */
void garray__arena_free_bytes(const garray__arena *arena, int64_t *largest, int64_t *all);

/* Adds fresh memory as one free block; false when there is no host memory for its description. */
bool garray__arena_add(garray__arena *arena, void *base, size_t size, bool small);

/* Takes out a segment of which all is free, its blocks with it; NULL when there is none. */
garray__segment *garray__arena_detach(garray__arena *arena);
void garray__arena_attach(garray__arena *arena, garray__segment *segment);
void garray__segment_free(garray__arena *arena, garray__segment *segment);

/* Gives back descriptors that describe nothing. */
void garray__arena_drop_spares(garray__arena *arena);

/* ---- the pool (pool.c) ---- */
/* A block of at least size bytes for work on the stream, not counted as handed out yet.  Its order says which
 * work on that stream comes before. */
garray_status garray__pool_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out);
void garray__pool_give(garray__block *block);

/* Records events behind the block's last uses on streams other than its own, so that whoever gets its memory next
 * does not wait for what these streams do later. */
void garray__pool_mark(const garray__block *block);

/* The memory's last uses on other streams come before work on this one: what a block needs that goes out. */
garray_status garray__block_ready(garray__block *block, garray__stream *stream);

/* Takes new memory into account, or refuses it for the limit; false: refused. */
bool garray__pool_hold(garray__pool *pool, size_t size);
void garray__pool_unhold(garray__pool *pool, size_t size);

/* DEVICE_NOMEM (the host's memory: NOMEM) with what was asked for, what is in use, cached, and the limit. */
garray_status garray__pool_fail(garray__pool *pool, size_t size) __attribute__((cold));

static inline bool garray__is_nomem(garray_status st)
{
    return st == GARRAY_ERR_NOMEM || st == GARRAY_ERR_DEVICE_NOMEM;
}

/* ---- blocks that come from no arena (upstream.c): from the device one by one, or from the user ---- */
garray_status garray__upstream_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out);
void garray__upstream_give(garray__block *block);

/* Frees the pool of pinned memory; accepts NULL. */
void garray__pinned_free(struct garray__pinned *pool);

/* ---- handing out (block.c) ---- */
/* A block, counted; its memory may be used by work on the stream. */
garray_status garray__block_take(garray__pool *pool, garray__stream *stream, size_t size, garray__block **out);
void garray__block_give(garray__block *block);

/* A block that is out has another size from now on. */
void garray__block_resize(garray__block *block, size_t size);

/* Blocks that threads have kept, as a list, go back to their arenas. */
void garray__blocks_cool(garray__block *list);

/* Bytes in use. */
int64_t garray__pool_live(const garray__pool *pool);

/* For the fork handlers of the device registry: every lock of the pool. */
void garray__pool_lock(garray__pool *pool);
void garray__pool_unlock(garray__pool *pool);

/* Gives all cached memory back to the backend, waiting for the work that still uses it. */
garray_status garray__pool_trim(garray__pool *pool);

void garray__pool_info(garray__pool *pool, garray_memory_info *info);

/* Calls the owners of foreign memory that no stream uses any more; with wait, of all. */
void garray__pool_deferred(garray__pool *pool, bool wait);

/* Keeps a block with foreign_free until its last uses are over. */
void garray__pool_defer(garray__block *block);

/* Empties the calling thread's cache. */
void garray__cache_flush(garray__cache *cache);

/* What core offers to backends. */
garray_status garray__scratch(const garray__queue *queue, size_t size, void **out);
void garray__scratch_free(const garray__queue *queue, void *ptr);

#endif
