/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of other libraries: what they say about it is checked before an array is made over it, and the order between
 * their streams and ours.  For DLPack and the array interface. */
#ifndef GARRAY_CORE_FOREIGN_H
#define GARRAY_CORE_FOREIGN_H

#include "core/array.h"

/* Elements somewhere in memory.  The caller sets the first group, which stays true while the array is being made;
 * garray__foreign_check() the second. */
typedef struct garray__foreign {
    const char *what;               /* "tensor": what messages speak of */
    int dtype, ndim;
    bool writeable;
    garray__device *device;
    const int64_t *shape;           /* NULL only without axes */
    const int64_t *steps;           /* from element to element along each axis; NULL: C order */
    int64_t unit;                   /* bytes of a step of 1 */
    const void *start;              /* of element [0, ..., 0], less the offset */
    uint64_t offset;                /* bytes */

    int64_t count, strides[GARRAY_MAX_NDIM];        /* in bytes */
    char *data, *low;
    size_t span;                    /* bytes from low */
} garray__foreign;

/* FORMAT for lengths, steps or addresses that cannot be, in arithmetic that cannot wrap unnoticed. */
garray_status garray__foreign_check(garray__foreign *f);

/* FORMAT unless the driver knows the memory as the device's; asks only for devices that have memory of their own.
 * f has elements. */
garray_status garray__foreign_check_owner(const garray__foreign *f);

/* Who is told when the memory is needed no more. */
typedef struct garray__owner {
    void (*release)(void *ctx);     /* NULL: nobody */
    void *ctx;
} garray__owner;

/* The other side's stream: what it has enqueued there, and what it will. */
typedef struct garray__foreign_stream {
    bool given;                     /* else the calling thread's current stream */
    void *native;                   /* GARRAY_STREAM_NO_WAIT: nobody waits */
} garray__foreign_stream;

/* *out becomes an array over the memory, whose elements have been checked, or a copy of it, for work behind what is on the
 * stream now.  On success release(ctx) is called when the memory is needed no
 * more, at once if there are no elements or they are copied. */
garray_status garray__foreign_take(const garray__foreign *f, garray__foreign_stream stream, bool copy, garray__owner owner,
                                   garray_t **out);

/* The stream waits for the library's work on x, reads included if x may be written. */
garray_status garray__foreign_lend(const garray_t *x, garray__foreign_stream stream);

/* The other side is done with memory that garray__foreign_lend() lent it: what it has enqueued on the stream comes before
 * the memory's next use.  Only for streams that cannot have been destroyed since: `home` is the library's that
 * was current. */
void garray__foreign_return(const garray_t *x, garray__foreign_stream stream, struct garray_stream *home);

#endif
