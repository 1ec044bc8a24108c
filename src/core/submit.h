/* SPDX-License-Identifier: BSD-3-Clause
 * The one place that every plan passes on its way to a backend: order between streams before and after it,
 * late errors, strict mode, the report. */
#ifndef GARRAY_CORE_SUBMIT_H
#define GARRAY_CORE_SUBMIT_H

#include "core/buffer.h"
#include "core/device.h"

/* The entries of the backend table that do work, in the order of entries.def. */
typedef enum garray__entry {
#define GARRAY_ENTRY(number, ...) GARRAY__##number,
#include "core/entries.def"
    GARRAY__ENTRY_COUNT
} garray__entry;

#define GARRAY__USES_READ 8
#define GARRAY__USES_WRITE GARRAY_MAX_NDIM

/* The buffers that a plan touches; fill in the counts and as many pointers, the rest may be garbage.  A
 * buffer that is read and written stands under write alone.  Buffers of a synchronous device need no order
 * and may be left out: a copy from or to host memory must therefore ask to wait. */
typedef struct garray__uses {
    garray__device *device;         /* whose current stream runs the plan */
    int32_t nread, nwrite;
    garray__buffer *read[GARRAY__USES_READ];
    garray__buffer *write[GARRAY__USES_WRITE];
} garray__uses;

/* Makes the current stream wait for what the buffers need, calls the backend, notes the uses.  plan is the
 * struct that the backend's entry takes.  On failure nothing is enqueued. */
garray_status garray__submit(garray__entry entry, void *plan, const garray__uses *uses);

/* The same on a queue without order: with report and shadow, where they are on. */
garray_status garray__run_plan(garray__device *device, const garray__queue *queue, garray__entry entry, void *plan);

/* What a device may find wrong with the plan later: GARRAY__LATE_..., or -1. */
int garray__late_kind(garray__entry entry, const void *plan);

/* Work that moves less is over so soon that waiting for a little too much costs nothing. */
#define GARRAY__EAGER_BYTES (1 << 20)

/* The backend's entry for a plan, without order, report or anything else around it. */
garray_status garray__call_backend(const garray_backend *backend, garray__entry entry, const garray__queue *queue, void *plan);

/* Frees the state of a select plan whose select_write() will not be called. */
void garray__select_drop(garray_select_plan *plan, const garray__uses *uses);

/* The two halves for work that the library does not launch itself (begin/end, DLPack): queue is that of a
 * stream.  order_before makes the stream wait, order_after notes that it used the buffers. */
garray_status garray__order_before(const garray__uses *uses, const garray__queue *queue);
garray_status garray__order_after(const garray__uses *uses, const garray__queue *queue);

/* The same for one buffer. */
garray_status garray__order_wait(garray__buffer *buffer, bool writes, struct garray_stream *stream);
void garray__order_note(garray__buffer *buffer, bool writes, struct garray_stream *stream, uint64_t ticket);

/* The queue of the calling thread's current stream of the device. */
const garray__queue *garray__queue_current(const garray__device *device);

/* A stream of the caller, by its native handle, that runs no work of the library: makes it wait for the last
 * writer of the buffer and, if it will write, for the readers too.  For DLPack and the like; costs at most
 * one event each. */
garray_status garray__order_native(garray__buffer *buffer, bool writes, void *native);

/* The host waits until the last writer is done, then returns late errors of that stream, once: "earlier: garray_take:
 * index 7 is out of bounds ...". */
garray_status garray__wait_buffer(garray__buffer *buffer);

#endif
