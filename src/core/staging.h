/* SPDX-License-Identifier: BSD-3-Clause
 * Staging: what crosses the bus and does not lie in pinned memory goes piece by piece through pinned slots.  While the
 * device's copy engine moves one piece, the host fills or empties the next one, on the threads of the CPU's backend.
 *
 * What the host does with a slot is the caller's: packing an array that has gaps, a cast, reading a file.  Slots are lent
 * for the length of a transfer and go back with the use that may still read them, so that the host never waits for the
 * last pieces of a transfer to the device. */
#ifndef GARRAY_CORE_STAGING_H
#define GARRAY_CORE_STAGING_H

#include "core/array.h"
#include "core/pinned.h"

#define GARRAY__STAGE_SLOTS 8           /* of one transfer */

/* The numbers that decide speed: bytes of a slot, slots of a transfer, and the least transfer in bytes that is staged.
 * GARRAY_STAGING=SLOT,SLOTS,LEAST in the environment sets them, the first and the last in KiB. */
typedef struct garray__stage_settings {
    int64_t slot, slots, least;
} garray__stage_settings;

const garray__stage_settings *garray__stage_get(void);
void garray__stage_set(const garray__stage_settings *settings);         /* for tests */

/* How contiguous bytes are cut: a piece is `piece` bytes, or what is left of its line. */
typedef struct garray__pieces {
    int64_t all, line, piece;
} garray__pieces;

/* Pieces that are boxes of an array of this shape: whole items, whole rows, and so on; each fits into a slot. */
garray__pieces garray__pieces_of(int ndim, const int64_t *shape, int itemsize);

static inline int64_t garray__piece_at(const garray__pieces *p, int64_t at)
{
    const int64_t left = p->line - at % p->line;
    return left < p->piece ? left : p->piece;
}

typedef struct garray__stage {
    garray__device *device;
    garray__pieces pieces;
    int n;
    garray__slot *slot[GARRAY__STAGE_SLOTS];
} garray__stage;

/* Borrows slots; n is 0 where there are none now: then everything goes through ordinary memory, one piece after another.
 * idle: as few as possible that an earlier transfer still uses.  Each open needs a close. */
void garray__stage_open(garray__stage *stage, garray__device *device, const garray__pieces *pieces, bool idle);
void garray__stage_close(garray__stage *stage);

/* Writes to, or reads, the `size` bytes of a slot that are those from `at` on. */
typedef garray_status garray__stage_fn(void *ctx, char *slot, int64_t at, int64_t size);

/* All bytes of a contiguous array of the device.  in() returns when the last piece has been filled; out() when the last
 * one has been emptied, or with the late error of earlier work. */
garray_status garray__stage_in(garray__stage *stage, garray_t *dst, garray__stage_fn *fill, void *ctx);
garray_status garray__stage_out(garray__stage *stage, const garray_t *src, garray__stage_fn *drain, void *ctx);

/* Whether copies between this host memory and the device gain from staging: it is not pinned, as far as the device can
 * tell. */
bool garray__stage_pays(garray__device *device, const garray__buffer *buffer, const void *data, int64_t size);

#endif
