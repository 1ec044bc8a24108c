/* SPDX-License-Identifier: BSD-3-Clause
 * Copies between host memory and arrays that the host does not wait for.
 *
 * garray_from_host() and garray_to_host() return when the host memory is the program's again, or complete. The functions
 * here enqueue the same copies on the calling thread's current stream of the device, ordered with other work as every
 * call is, and mark their end by an event: garray_event_synchronize() and garray_event_query() tell the host when it is
 * reached. So copies and the work of other streams run side by side, and the host goes on. On the CPU the same calls work at
 * once.
 *
 * How far they are asynchronous is a matter of the host memory. What is pinned (garray_empty_pinned(), cudaHostAlloc(),
 * cudaHostRegister()) and without gaps is read and written by the device while the host goes on. Other memory passes
 * through the library's pinned blocks, a part of it by the hands of the host, within the call. */
#ifndef GARRAY_TRANSFER_H
#define GARRAY_TRANSFER_H

#include <garray/array.h>
#include <garray/device.h>

GARRAY_BEGIN

/* garray_from_host() without a wait for the copy. The array may be used at once, on any stream.
 *
 * When the source may be changed or freed: pinned memory not before the event is reached; other memory, and what has gaps
 * (byte_strides), as soon as the call returns, since the host has then copied it to pinned blocks. That the call waits
 * for blocks to become free, where the source is larger than all of them, and for the whole copy where there are none.
 * A pinned array that the source belongs to must not be released before, either.
 *
 * event (NULL: none) is recorded behind the copy, as garray_event_record() does; INVALID unless it is of this device. With
 * garray_into(v) as result it is behind the copy into v. A call that fails has let go of the source. UNSUPPORTED while the
 * thread captures a graph of the device. */
GARRAY_STATUS garray_from_host_async(const void *data, garray_dtype dtype, garray_shape shape, const int64_t *byte_strides,
                                     garray_device device, garray_event *event, garray_t **out);

/* garray_to_host() without a wait, where data is pinned and without gaps (byte_strides NULL, or those of a contiguous
 * array): it is complete when the event is reached, and must not be read, changed or freed before. Memory that is not
 * pinned, or has gaps, is complete when the call returns: it is the host that writes it, and the call waits. In any case
 * the array may be changed and released at once.
 *
 * event (NULL: none) is recorded behind the copy; INVALID unless it is of the array's device. A fault of earlier work
 * ("earlier: garray_take: ...") is not looked for unless the call waits; garray_stream_synchronize() returns it. A call
 * that fails has let go of the memory, whose contents are then anything. UNSUPPORTED while the thread captures a graph of
 * the device. */
GARRAY_STATUS garray_to_host_async(const garray_t *x, void *data, const int64_t *byte_strides, size_t capacity,
                                   garray_event *event);

GARRAY_END

#endif
