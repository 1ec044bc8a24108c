/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as the plain fields that Python libraries exchange: the CUDA Array Interface (__cuda_array_interface__) for arrays
 * on a CUDA device, NumPy's array interface (__array_interface__) for those on the CPU. Both are version 3 of one
 * protocol; DLPack (dlpack.h) carries more dtypes and says who owns the memory. */
#ifndef GARRAY_ARRAY_INTERFACE_H
#define GARRAY_ARRAY_INTERFACE_H

#include <garray/array.h>

GARRAY_BEGIN

typedef struct { /* the fields of the protocol */
    char typestr[8];        /* "<f4": byte order, kind, bytes of an item; ends with a zero */
    int32_t version;        /* of the interface */
    int32_t ndim;           /* the number of axes */
    const int64_t *shape;   /* NULL allowed without axes */
    const int64_t *strides; /* in bytes; NULL: row-major without gaps, or empty */
    void *data;             /* of element [0, ..., 0]; NULL where there is none */
    int32_t readonly;       /* 1: must not be written */
    int32_t has_stream;     /* CUDA only. 0: the data may be used at once, on any stream */
    void *stream;           /* what is on it now must be over before: a cudaStream_t, GARRAY_STREAM_LEGACY or
                               GARRAY_STREAM_PER_THREAD; never NULL, which could mean either */
    const void *mask;       /* NULL */
    garray_device device;   /* whose memory it is; the protocol does not tell */
    uint64_t reserved[4];
} garray_array_interface;

/* The fields of x, of version 3. They are valid while x is; what they show is x's memory, which the caller must not let the
 * library use for another result (as garray_add(x, y, &x) does) while somebody else looks at it. On a CUDA device the
 * stream is the calling thread's current one, made to wait for all work on x. The library does not see what others
 * enqueue: before it uses x again, let it wait for their stream (garray_stream_wait()), or put the use between
 * garray_begin() and garray_end(). DTYPE for bfloat16, which has no typestr. */
GARRAY_STATUS garray_to_array_interface(const garray_t *x, garray_array_interface *out);

/* An array over the memory that the fields show, which are read and not kept. release(ctx) is called, on any thread, when
 * the memory is needed no more (NULL: it stays as long as the program runs); on failure it is not called. Later work of
 * the library runs after what is on the stream now. Data need not be aligned. Of a CUDA device the index may be -1: the one
 * whose memory it is (0 where there is none).
 *
 * UNSUPPORTED for a mask or a version that is not 0 to 3, DTYPE for a typestr that is no dtype here (other byte order
 * included), NO_DEVICE, INVALID for stream NULL, a stream on the CPU, a device that is none, FORMAT for negative or overflowing lengths and
 * strides, data NULL, and memory that is not the device's. */
GARRAY_STATUS garray_from_array_interface(const garray_array_interface *fields, void (*release)(void *ctx), void *ctx,
                                          garray_t **out);

GARRAY_END

#endif
