/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays handed to and taken from other libraries by DLPack, without a copy. Include dlpack.h to look
 * inside. */
#ifndef GARRAY_DLPACK_H
#define GARRAY_DLPACK_H

#include <garray/array.h>
#include <garray/operand.h>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

GARRAY_BEGIN

/* The standard's -1 as a stream: nobody waits, the caller sees to the order. */
#define GARRAY_STREAM_NO_WAIT ((void *)-1)

/* The stream is the other side's cudaStream_t. Exported: it will wait for our work on the array; without
 * has_stream the calling thread's current stream is meant. Imported: our work will wait for what is on it
 * now; without has_stream the producer has made the tensor ready for the calling thread's current stream, as
 * the standard asks.
 *
 * A consumer's deleter may be called while its work is still on its stream. The memory's next use waits for
 * that if the stream was CUDA's legacy default stream or, without has_stream, the library's; for another one,
 * which might be gone by then, the consumer must wait before it lets go. */
typedef struct {
    garray_copy_mode copy;
    int32_t has_stream; /* 1: the stream that follows counts */
    void *stream; /* NULL with has_stream, or GARRAY_STREAM_LEGACY: CUDA's default stream */
    uint64_t reserved[4];
} garray_dlpack_opts;

/* A versioned tensor that shares x's memory and keeps it alive until its deleter is called, from any
 * thread. Read-only arrays are marked as such. Memory shared with another library is never reused in
 * place. */
GARRAY_STATUS garray_to_dlpack(const garray_t *x, const garray_dlpack_opts *opts,
                               struct DLManagedTensorVersioned **out);

/* The older form, which cannot mark an array as read-only: READONLY for such ones, unless copied. */
GARRAY_STATUS garray_to_dlpack_unversioned(const garray_t *x, const garray_dlpack_opts *opts,
                                           struct DLManagedTensor **out);

/* An array that shares the tensor's memory. On success the tensor belongs to it, and its deleter is called
 * when the memory is needed no more; on failure it still belongs to the caller. FORMAT for a malformed
 * tensor, DTYPE, UNSUPPORTED or NO_DEVICE for one that cannot be an array here. One exception: a tensor of
 * another major version than 1 is UNSUPPORTED, and its deleter has been called, as the standard asks. */
GARRAY_STATUS garray_from_dlpack(struct DLManagedTensorVersioned *tensor, const garray_dlpack_opts *opts,
                                 garray_t **out);

/* The same from the older form, which is taken as writeable. */
GARRAY_STATUS garray_from_dlpack_unversioned(struct DLManagedTensor *tensor, const garray_dlpack_opts *opts,
                                             garray_t **out);

GARRAY_END

#endif
