/* SPDX-License-Identifier: BSD-3-Clause
 * Pinned blocks that staging borrows: see staging.h. */
#ifndef GARRAY_CORE_PINNED_H
#define GARRAY_CORE_PINNED_H

#include "core/buffer.h"
#include "core/device.h"

/* A block of pinned host memory.  As a slot it may still be in use by copies when it is given back; an array's is not. */
typedef struct garray__pinned_block {
    void *data;
    size_t capacity;
    int64_t size;               /* of an array: bytes asked for */
    struct garray__pinned *pool;
    garray__use use;            /* of a slot: the last copy from or to it */
    struct garray__pinned_block *next;
} garray__slot;

/* Slots that one device can have lent at once, over all threads; what comes later goes without. */
#define GARRAY__SLOTS 16

/* Up to `wanted` slots of at least `size` bytes, each with the use that must be over before it is written; returns how
 * many, 0 where none can be had now.  idle: a new slot, if one may be made, goes before one whose use is not over.  Sets
 * no error text. */
int garray__slots_take(garray__device *device, size_t size, int wanted, bool idle, garray__slot **slots);
void garray__slots_give(garray__device *device, int count, garray__slot **slots);

/* Whether the buffer is pinned memory of this library. */
bool garray__is_pinned(const garray__buffer *buffer);

#endif
