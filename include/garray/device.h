/* SPDX-License-Identifier: BSD-3-Clause
 * Devices, streams, events, device memory, and the few settings of the whole process. */
#ifndef GARRAY_DEVICE_H
#define GARRAY_DEVICE_H

#include <garray/status.h>

/* ---- devices ----
 * Creation and random draws take a device; everything else runs where its operands are. Nothing is copied
 * between devices unless garray_to_device() says so. */

typedef enum { /* types of devices */
    GARRAY_DEVICE_CPU = 0,
    GARRAY_DEVICE_CUDA = 1,
    GARRAY_DEVICE_TYPE_MAX_ENUM = 0x7fffffff
} garray_device_type;

/* A device by type and number; all zero is the CPU. */
typedef struct {
    int32_t type; /* a garray_device_type */
    int32_t index; /* 0 for the first */
} garray_device;

#ifdef __cplusplus
#define GARRAY_CPU (garray_device{ GARRAY_DEVICE_CPU, 0 })
#define GARRAY_CUDA(i) (garray_device{ GARRAY_DEVICE_CUDA, static_cast<int32_t>(i) })
#else
#define GARRAY_CPU ((garray_device){ GARRAY_DEVICE_CPU, 0 }) /* the CPU */
#define GARRAY_CUDA(i) ((garray_device){ GARRAY_DEVICE_CUDA, (i) }) /* the i-th CUDA device, counted from 0 */
#endif

GARRAY_BEGIN

/* Reads "cpu", "cuda", "cuda:1", or "auto" (the first CUDA device, the CPU where there is none) and makes
 * sure that the device works. INVALID for another text, NO_DEVICE with the reason when the device cannot be
 * used. */
GARRAY_STATUS garray_device_parse(const char *text, garray_device *device);

/* The number of usable devices of a type. No driver, or none new enough, is 0 and not an error. */
GARRAY_STATUS garray_device_count(garray_device_type type, int *count);

/* Writes the device's name ("NVIDIA L4", or the processor's model) to buf, cut to size, with a final zero. */
GARRAY_STATUS garray_device_name(garray_device device, char *buf, size_t size);

/* Waits until all work of this process on the device is done, and returns a fault found late. Nothing to
 * wait for on the CPU. */
GARRAY_STATUS garray_synchronize(garray_device device);

/* ---- streams ----
 * Work on a CUDA device is asynchronous, on the calling thread's current stream of that device: at first the
 * library's own one. The library orders work on different streams by itself, with events and without
 * blocking the host. On the CPU streams exist and order nothing: work is done when the call returns. A
 * stream may be used from any thread. */

typedef struct garray_stream garray_stream; /* an order of work on a device */

/* A new non-blocking stream of the device. */
GARRAY_STATUS garray_stream_new(garray_device device, garray_stream **stream);

/* The same with a priority: 0 is that of other streams, numbers below it are more urgent. A device takes what it has
 * nearest to it; CUDA's go from -5 to 0. */
GARRAY_STATUS garray_stream_new_priority(garray_device device, int priority, garray_stream **stream);

/* CUDA's two default streams as it names them. NULL is the legacy one, too. */
#define GARRAY_STREAM_LEGACY ((void *)1)
#define GARRAY_STREAM_PER_THREAD ((void *)2)

/* The caller's own stream, a cudaStream_t (or CUstream), which must stay alive until garray_stream_free(). The
 * per-thread default stream is another one in each thread: only the thread that wraps it may make it its current one,
 * and each piece of work on it records an event, so that other threads can wait for it. */
GARRAY_STATUS garray_stream_wrap(garray_device device, void *native, garray_stream **stream);

/* Frees a stream, or lets go of a wrapped one; arrays it worked on stay in order. Accepts NULL. No thread
 * may have it as its current stream any more. */
GARRAY_API void garray_stream_free(garray_stream *stream);

/* Lets later work on stream wait for what is on other now; the host goes on. The library does so by itself where both
 * use the same array. Either may be NULL: the calling thread's current stream of the other one's device. */
GARRAY_STATUS garray_stream_wait(garray_stream *stream, garray_stream *other);

/* Whether all work on the stream is done, at once. INVALID for NULL. */
GARRAY_STATUS garray_stream_query(garray_stream *stream, bool *done);

/* Makes a stream the calling thread's current one of its device; NULL: the library's own. *old, where old
 * is not NULL, receives the one before (NULL: the library's own), to be put back by another swap. */
GARRAY_STATUS garray_stream_swap(garray_stream *stream, garray_device device, garray_stream **old);

/* Waits until all work on the stream is done, and returns a fault found late. INVALID for NULL:
 * garray_synchronize() waits for a whole device. */
GARRAY_STATUS garray_stream_synchronize(garray_stream *stream);

/* The cudaStream_t to launch own kernels on; with stream NULL that of the calling thread's current stream of
 * the device. NULL on the CPU. */
GARRAY_STATUS garray_stream_native(const garray_stream *stream, garray_device device, void **native);

/* ---- events ----
 * Marks in a stream, to wait for and to measure with. Where a stream is NULL, the calling thread's current
 * stream of the event's device is meant. */

typedef struct garray_event garray_event; /* a mark in a stream */

GARRAY_STATUS garray_event_new(garray_device device, garray_event **event); /* an event, not recorded yet */

/* Frees an event. Accepts NULL. */
GARRAY_API void garray_event_free(garray_event *event);

/* Marks the present end of the stream's work. */
GARRAY_STATUS garray_event_record(garray_event *event, garray_stream *stream);

/* Blocks the host until the mark is reached; returns at once for an event never recorded. */
GARRAY_STATUS garray_event_synchronize(garray_event *event);

/* Whether the mark is reached, at once; true for an event never recorded. */
GARRAY_STATUS garray_event_query(garray_event *event, bool *done);

/* Lets later work on the stream wait for the mark; the host goes on. */
GARRAY_STATUS garray_event_wait(garray_stream *stream, garray_event *event);

/* The device's time between two marks, in milliseconds. Waits for both. INVALID unless both are recorded
 * and of one device. */
GARRAY_STATUS garray_event_elapsed(garray_event *start, garray_event *end, double *milliseconds);

/* ---- memory ----
 * Freed buffers are kept for the next array; statistics are exact. */

typedef struct { /* what garray_memory_stats() tells */
    int64_t live_bytes;         /* in arrays now */
    int64_t cached_bytes;       /* held for reuse */
    int64_t peak_bytes;         /* the most that was live, since the start or garray_memory_reset_peak() */
    int64_t limit_bytes;        /* the most that may be taken from the device; 0: no limit */
    int64_t allocations;        /* buffers handed out, and given back */
    int64_t frees;              /* of those, given back */
    int64_t driver_allocations; /* those that had to ask the device (on the CPU: the system) */
    int64_t driver_frees;       /* and given back to it */
    int64_t live_blocks;        /* buffers out now */
    int64_t largest_free_bytes; /* the largest buffer that could be had without asking the device */
    double fragmentation;       /* the part of the free memory that is not in that one: 0 to 1 */
    int64_t reserved[5];        /* zero */
} garray_memory_info;

/* What the library holds on a device. */
GARRAY_STATUS garray_memory_stats(garray_device device, garray_memory_info *info);

/* Starts peak_bytes anew at what is live now. */
GARRAY_STATUS garray_memory_reset_peak(garray_device device);

/* Gives cached memory back to the device, but for what shares a block of the device's with arrays in use.
 * Waits for work that still uses it. */
GARRAY_STATUS garray_memory_trim(garray_device device);

/* Lets the library take at most so many bytes of the device, live and cached; 0: no limit. What is live
 * stays. A call that needs more trims the cache, then fails with DEVICE_NOMEM (NOMEM on the CPU). */
GARRAY_STATUS garray_memory_set_limit(garray_device device, int64_t bytes);

enum { GARRAY_MEMORY_ALLOCATED = 1, GARRAY_MEMORY_FREED = 2 };

/* A buffer, or scratch memory of an operation, that goes out or comes back. */
typedef struct {
    int32_t kind;               /* GARRAY_MEMORY_... */
    int32_t reserved32;
    garray_device device;       /* whose memory */
    void *ptr;                  /* the buffer */
    int64_t size;               /* bytes asked for */
    void *stream;               /* in whose order its memory is */
    uint64_t reserved[3];
} garray_memory_event;

/* May be called from any thread, while other threads go on. It may call the library; what it allocates itself is not
 * told. */
typedef void (*garray_memory_log_fn)(void *ctx, const garray_memory_event *event);

/* Tells fn of each buffer of the device from now on; NULL: nobody, as at the start. */
GARRAY_STATUS garray_memory_set_log(garray_device device, garray_memory_log_fn fn, void *ctx);

typedef enum { /* kinds of allocators */
    GARRAY_ALLOCATOR_POOL = 1,  /* the library's own pool: the default */
    GARRAY_ALLOCATOR_DIRECT = 2, /* each buffer from the device, and back at once: slow; for memory checkers */
    GARRAY_ALLOCATOR_ASYNC = 3, /* cudaMallocAsync() and the driver's pool */
    GARRAY_ALLOCATOR_USER = 4,  /* the functions below */
    GARRAY_ALLOCATOR_MAX_ENUM = 0x7fffffff
} garray_allocator_kind;

/* Where the memory of a device comes from. The functions are called with no lock held, from any thread, in the order of
 * a stream, as RMM and PyTorch have it: alloc() returns memory for work on the stream (NULL: there is none; aligned to 16
 * bytes, better to 256), and what is enqueued on free()'s stream comes after all work of the library on it. On the CPU
 * the stream is NULL. */
typedef struct {
    int32_t kind; /* a garray_allocator_kind; 0: POOL */
    int32_t reserved32;
    void *(*alloc)(size_t size, garray_device device, void *stream, void *ctx); /* memory, or NULL */
    void (*free)(void *ptr, size_t size, garray_device device, void *stream, void *ctx); /* takes it back */
    void *ctx;
    uint64_t reserved[4];
} garray_allocator;

/* Chooses where the device's memory comes from, at the start: before the first array on it, or when there is none any
 * more (INVALID while there is), and while no other thread uses it. NULL: the pool. UNSUPPORTED for what the device does
 * not have. Statistics and limit go on. */
GARRAY_STATUS garray_memory_set_allocator(garray_device device, const garray_allocator *allocator);

/* ---- settings of the process ---- */

/* Gives back what the library holds: memory, streams and handles of all devices, its threads, this thread's record. For
 * memory checkers, and before a program drops the library. All arrays, streams, events and graphs must have been released,
 * and no other thread may be in the library: INVALID, with nothing closed, where something is seen to be in use. A later
 * call opens devices again, with the settings of their memory as at the start; calling it twice is fine. A program that
 * ends need not call it. */
GARRAY_STATUS garray_shutdown(void);

/* Strict mode: each call waits for its result and returns its own faults, as GARRAY_SYNC=1 in the
 * environment does. To find out which call is at fault; slow. */
GARRAY_API void garray_set_strict(bool strict);

typedef enum { /* how much a message matters */
    GARRAY_LOG_DEBUG = 1,
    GARRAY_LOG_INFO = 2,
    GARRAY_LOG_WARNING = 3,
    GARRAY_LOG_ERROR = 4,
    GARRAY_LOG_MAX_ENUM = 0x7fffffff
} garray_log_level;

/* Receives one line, without newline. May be called from any thread; must not call the library. */
typedef void (*garray_log_fn)(void *ctx, garray_log_level level, const char *message);

/* Sends the library's messages to fn with ctx; NULL: nowhere, as at the start. */
GARRAY_API void garray_set_log(garray_log_fn fn, void *ctx);

/* How many threads the CPU backend uses, BLAS included; 0: one per processor this process may use. Results
 * other than those of BLAS and LAPACK do not depend on it. INVALID below 0. */
GARRAY_STATUS garray_set_num_threads(int n);

/* How many threads the CPU backend uses. */
GARRAY_API int garray_num_threads(void);

GARRAY_END

#endif
