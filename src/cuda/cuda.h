/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the CUDA backend share on the host: the device, error and launch macros, late errors, vendor
 * libraries, and the prototypes of the entries.
 *
 * backend.c wraps each entry of the table: the wrapper refuses a lost device and makes the queue's device current
 * (and puts the caller's back), so the entries themselves call the runtime without further ceremony. */
#ifndef GARRAY_CUDA_CUDA_H
#define GARRAY_CUDA_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GARRAY_CUDA_LATE_CHUNK 256      /* late-error words are allocated for this many streams at a time */
#define GARRAY_CUDA_LATE_CHUNKS 64

/* An error that the device finds while it works: one word a stream, in host memory that the device sees.  The first
 * report since the last poll() wins. */
typedef enum {
    GARRAY__LATE_NONE = 0,
    GARRAY__LATE_INDEX = 1,             /* where: axis, value: the index, limit: length of the axis */
    GARRAY__LATE_SINGULAR = 2,          /* where: 0, value: batch item, limit: LAPACK's info */
    GARRAY__LATE_NOT_POSITIVE = 3,      /* likewise, Cholesky */
    GARRAY__LATE_NOCONVERGE = 4,        /* likewise, eigenvalues */
    GARRAY__LATE_SVD = 20,              /* likewise, singular values */
    GARRAY__LATE_PARAMETER = 5,         /* of a random draw; where: its kind, value: the fault, limit: the bits of the number */
    GARRAY__LATE_MAX_ENUM = 0x7fffffff
} garray__late_kind;

typedef struct garray__late {
    uint32_t claimed;                   /* set by the device thread that reports */
    uint32_t kind;                      /* written last */
    int64_t where, value, limit;
    int64_t answer;                     /* no error: a number that a call of this stream waits for (select.c) */
} garray__late;

typedef struct garray__cuda_device {
    int32_t index;
    int32_t multiprocessors;
    int32_t capability;                 /* 100 * major + minor, as garray_device_info has it */
    int32_t l2_size;                    /* bytes */
    volatile int32_t lost;              /* after a sticky error; never cleared */
    int32_t reserved;
    uint64_t peers;                     /* a bit for each device whose memory copies of this one may reach, or have tried to */
    garray__late *late[GARRAY_CUDA_LATE_CHUNKS];        /* by stream number / chunk; allocated at first use */
    void *blas, *solver, *fft, *curand; /* per-device state of matmul, solve, fft and random, made at first use; NULL before */
    char name[256];
} garray__cuda_device;

/* Core's services; set by garray_backend_module() before any other entry runs. */
extern const garray_host *garray__cuda_host;

static inline garray__cuda_device *garray__cuda_device_of(const garray__queue *q)
{
    return (garray__cuda_device *)q->device;
}

static inline cudaStream_t garray__cuda_stream_of(const garray__queue *q)
{
    return (cudaStream_t)q->stream;
}

/* Turns an error of the runtime into a status with a text: DEVICE_NOMEM, DEVICE_LOST (sticky errors, which mark dev
 * as lost), NO_DEVICE or INTERNAL.  what: the call or kernel, for the text.  dev may be NULL. */
garray_status garray__cuda_error(garray__cuda_device *dev, cudaError_t error, const char *what);

/* GARRAY_CUDA(q, call): returns from the calling function when a call of the runtime fails.
 * GARRAY_CUDA_TRY(call): the same for anything that returns a status.
 * Functions that hold something to free use the value of garray__cuda_error() instead. */
#define GARRAY_CUDA(q, call)                                                                    \
    do {                                                                                        \
        cudaError_t garray_error_ = (call);                                                     \
        if (garray_error_ != cudaSuccess)                                                       \
            return garray__cuda_error(garray__cuda_device_of(q), garray_error_, #call);         \
    } while (0)

#define GARRAY_CUDA_TRY(call)                                                                   \
    do {                                                                                        \
        garray_status garray_status_ = (call);                                                  \
        if (garray_status_ != GARRAY_OK)                                                        \
            return garray_status_;                                                              \
    } while (0)

/* Launches a kernel by its address (a table of kernels is a table of addresses); one runtime call, checked. */
static inline garray_status garray__cuda_launch(const garray__queue *q, const char *what, const void *kernel,
                                                dim3 grid, dim3 block, size_t shared, void **args)
{
    cudaError_t e = cudaLaunchKernel(kernel, grid, block, args, shared, garray__cuda_stream_of(q));
    return e == cudaSuccess ? GARRAY_OK : garray__cuda_error(garray__cuda_device_of(q), e, what);
}

/* The queue's late-error word; hand its address to kernels.  Allocated at the first call for a stream. */
garray_status garray__cuda_late(const garray__queue *q, garray__late **word);

/* A vendor library, opened once for the process at its first use.  functions is an array of function pointers (or a
 * struct that holds nothing else) in the order of symbols, which a NULL ends, as it ends names. */
typedef struct garray__cuda_library {
    const char *label;                  /* "cuBLAS", for messages */
    const char *const *names;           /* file names to try, newest first */
    const char *const *symbols;
    void **functions;
    int state;                          /* 0: untried, 1: open; private to library.c, which has the lock */
} garray__cuda_library;

/* NO_DEVICE with every file tried and the loader's words when it cannot be had; tried again at the next call. */
garray_status garray__cuda_library_open(garray__cuda_library *library);

/* Entries; see core/backend.h. */
garray_status garray__cuda_count(int *count);
garray_status garray__cuda_open(int index, void **device);
void garray__cuda_close(void *device);
garray_status garray__cuda_info(void *device, garray_device_info *info);
garray_status garray__cuda_alloc(void *device, size_t size, void **ptr);
void garray__cuda_free(void *device, void *ptr, size_t size);
garray_status garray__cuda_alloc_async(const garray__queue *q, size_t size, void **ptr);
void garray__cuda_free_async(const garray__queue *q, void *ptr, size_t size);
garray_status garray__cuda_host_alloc(void *device, size_t size, void **ptr);
void garray__cuda_host_free(void *device, void *ptr, size_t size);
garray_status garray__cuda_pointer_info(void *device, const void *ptr, int32_t *device_index);
garray_status garray__cuda_stream_new(void *device, int priority, void **stream);
void garray__cuda_stream_free(void *device, void *stream);
garray_status garray__cuda_stream_wait_host(const garray__queue *q);
garray_status garray__cuda_stream_query(const garray__queue *q, bool *done);
garray_status garray__cuda_event_new(void *device, bool timing, void **event);
void garray__cuda_event_free(void *device, void *event);
garray_status garray__cuda_event_record(const garray__queue *q, void *event);
garray_status garray__cuda_event_wait(const garray__queue *q, void *event);
garray_status garray__cuda_event_wait_host(void *device, void *event);
garray_status garray__cuda_event_query(void *device, void *event, bool *done);
garray_status garray__cuda_event_elapsed(void *device, void *begin, void *end, double *milliseconds);
garray_status garray__cuda_poll(const garray__queue *q);
garray_status garray__cuda_graph_begin(const garray__queue *q);
garray_status garray__cuda_graph_end(const garray__queue *q, void **graph);
garray_status garray__cuda_graph_launch(const garray__queue *q, void *graph);
void garray__cuda_graph_free(void *device, void *graph);
garray_status garray__cuda_graph_prepare(const garray__queue *q, const garray_matmul_plan *matmul, const garray_solve_plan *solve,
                                         const garray_fft_plan *fft);
#define GARRAY_ENTRY(number, name, plan_type) garray_status garray__cuda_##name(const garray__queue *q, plan_type *plan);
#include "core/entries.def"
void garray__cuda_select_drop(const garray__queue *q, garray_select_plan *plan);

/* close() calls these to free dev->blas and dev->solver; NULL is fine. */
void garray__cuda_matmul_close(garray__cuda_device *dev);
void garray__cuda_solve_close(garray__cuda_device *dev);
void garray__cuda_fft_close(garray__cuda_device *dev);
void garray__cuda_curand_close(garray__cuda_device *dev);

#ifdef __cplusplus
}
#endif
#endif
