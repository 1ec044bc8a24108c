/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that arrays share: one buffer under an array and all its views.  It counts its owners and remembers
 * which streams used it last, so that other streams can be made to wait. */
#ifndef GARRAY_CORE_BUFFER_H
#define GARRAY_CORE_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "garray/status.h"

struct garray__device;

/* One use of memory: everything enqueued on stream `number` up to `ticket`.  Ticket 0: no use. */
typedef struct garray__use {
    uint64_t ticket;
    int32_t number;
    int32_t reserved;
} garray__use;

#define GARRAY__READERS 3

/* The last writer and who has read since; guarded by its own short lock, since several threads may read one
 * array. Unused on devices whose work is done when the call returns. */
typedef struct garray__order {
    atomic_flag lock;
    int32_t nreaders;
    garray__use writer;
    /* One per stream; a further stream waits for an older one and so stands for it. */
    garray__use reader[GARRAY__READERS];
} garray__order;

typedef struct garray__buffer {
    _Atomic int32_t refs;
    _Atomic int32_t exported;       /* DLPack exports and holds by begin(): the memory is visible to others */
    struct garray__device *device;
    void *data;                     /* aligned to 256 bytes if from the pool; never NULL, also for size 0 */
    size_t size;                    /* bytes asked for */
    garray__order order;
    void (*foreign_free)(void *ctx);
    void *foreign_ctx;              /* memory that is not the pool's: what its owner wants called, once */
    int32_t foreign, reserved;
} garray__buffer;

/* Uninitialised memory from the device's pool, in the order of the calling thread's current stream; one
 * owner. Fails with NOMEM or DEVICE_NOMEM, whose text tells bytes asked for, in use, cached and the limit. */
garray_status garray__buffer_new(struct garray__device *device, size_t size, garray__buffer **out);

/* A buffer over memory of somebody else; `release` (may be NULL) is called with ctx when the last owner lets
 * go, on whatever thread that is, after no stream of the library uses the memory any more.  On failure it is
 * not called. */
garray_status garray__buffer_wrap(struct garray__device *device, void *data, size_t size,
                                  void (*release)(void *ctx), void *ctx, garray__buffer **out);

/* The last owner has gone; for garray__buffer_release() alone. */
void garray__buffer_free(garray__buffer *buffer);

static inline garray__buffer *garray__buffer_retain(garray__buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
    return buffer;
}

/* Accepts NULL.  Never blocks.  Pool memory is not reused before every stream is done with it.  The owner of
 * foreign memory is called at once if no stream uses it any more, else by a later call of the library. */
static inline void garray__buffer_release(garray__buffer *buffer)
{
    if (!buffer)
        return;
    /* A sole owner cannot be raced: nobody else can retain, so the costly exchange is saved. */
    if (atomic_load_explicit(&buffer->refs, memory_order_acquire) == 1 ||
        atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) == 1)
        garray__buffer_free(buffer);
}

/* One owner and not visible to others: its memory may be reused for a result. */
static inline int garray__buffer_is_private(const garray__buffer *buffer)
{
    return atomic_load_explicit(&((garray__buffer *)buffer)->refs, memory_order_acquire) == 1 &&
           atomic_load_explicit(&((garray__buffer *)buffer)->exported, memory_order_acquire) == 0;
}

#endif
