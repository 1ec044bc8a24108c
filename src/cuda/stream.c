/* SPDX-License-Identifier: BSD-3-Clause
 * Streams, events, and the errors that a device reports late. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/draw_fault.h"
#include "cuda/cuda.h"
#ifdef GARRAY_NVTX
#include <nvtx3/nvToolsExtCudaRt.h>
#endif

/* Devices whose streams are counted for their names. */
enum { GARRAY_CUDA_NAMED = 16 };

static garray__cuda_device *device_of(void *device)
{
    return (garray__cuda_device *)device;
}

/* DEVICE: like GARRAY_CUDA, for entries that have a device and no queue. */
#define DEVICE(device, call)                                                        \
    do {                                                                            \
        cudaError_t garray_error_ = (call);                                         \
        if (garray_error_ != cudaSuccess)                                           \
            return garray__cuda_error(device_of(device), garray_error_, #call);     \
    } while (0)

#ifdef GARRAY_NVTX
/* With GARRAY_NVTX=1 profilers show "garray cuda:0 stream 2"; 0 is the library's own. */
static void name_stream(const garray__cuda_device *device, cudaStream_t stream)
{
    static atomic_int made[GARRAY_CUDA_NAMED];
    const char *value = secure_getenv("GARRAY_NVTX");
    char name[64];
    if (!value || !*value || strcmp(value, "0") == 0)
        return;
    snprintf(name, sizeof name, "garray cuda:%d stream %d", (int)device->index,
             atomic_fetch_add(&made[(unsigned)device->index % GARRAY_CUDA_NAMED], 1));
    nvtxNameCudaStreamA(stream, name);
}
#else
static void name_stream(const garray__cuda_device *device, cudaStream_t stream)
{
    (void)device;
    (void)stream;
}
#endif

garray_status garray__cuda_stream_new(void *device, int priority, void **stream)
{
    cudaStream_t s = NULL;
    DEVICE(device, cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, priority));
    name_stream(device_of(device), s);
    *stream = s;
    return GARRAY_OK;
}

void garray__cuda_stream_free(void *device, void *stream)
{
    const cudaError_t e = cudaStreamDestroy((cudaStream_t)stream);
    if (e != cudaSuccess)
        (void)garray__cuda_error(device_of(device), e, "cudaStreamDestroy");
}

garray_status garray__cuda_stream_wait_host(const garray__queue *q)
{
    GARRAY_CUDA(q, cudaStreamSynchronize(garray__cuda_stream_of(q)));
    return GARRAY_OK;
}

static garray_status query(garray__cuda_device *dev, cudaError_t e, bool *done, const char *what)
{
    if (e == cudaErrorNotReady) {
        (void)cudaGetLastError();
        *done = false;
        return GARRAY_OK;
    }
    if (e != cudaSuccess)
        return garray__cuda_error(dev, e, what);
    *done = true;
    return GARRAY_OK;
}

garray_status garray__cuda_stream_query(const garray__queue *q, bool *done)
{
    return query(garray__cuda_device_of(q), cudaStreamQuery(garray__cuda_stream_of(q)), done, "cudaStreamQuery");
}

garray_status garray__cuda_event_new(void *device, bool timing, void **event)
{
    cudaEvent_t e = NULL;
    DEVICE(device, cudaEventCreateWithFlags(&e, timing ? cudaEventDefault : cudaEventDisableTiming));
    *event = e;
    return GARRAY_OK;
}

void garray__cuda_event_free(void *device, void *event)
{
    const cudaError_t e = cudaEventDestroy((cudaEvent_t)event);
    if (e != cudaSuccess)
        (void)garray__cuda_error(device_of(device), e, "cudaEventDestroy");
}

garray_status garray__cuda_event_record(const garray__queue *q, void *event)
{
    GARRAY_CUDA(q, cudaEventRecord((cudaEvent_t)event, garray__cuda_stream_of(q)));
    return GARRAY_OK;
}

garray_status garray__cuda_event_wait(const garray__queue *q, void *event)
{
    GARRAY_CUDA(q, cudaStreamWaitEvent(garray__cuda_stream_of(q), (cudaEvent_t)event, 0));
    return GARRAY_OK;
}

garray_status garray__cuda_event_wait_host(void *device, void *event)
{
    DEVICE(device, cudaEventSynchronize((cudaEvent_t)event));
    return GARRAY_OK;
}

garray_status garray__cuda_event_query(void *device, void *event, bool *done)
{
    return query(device_of(device), cudaEventQuery((cudaEvent_t)event), done, "cudaEventQuery");
}

garray_status garray__cuda_event_elapsed(void *device, void *begin, void *end, double *milliseconds)
{
    float ms = 0;
    DEVICE(device, cudaEventElapsedTime(&ms, (cudaEvent_t)begin, (cudaEvent_t)end));
    *milliseconds = ms;
    return GARRAY_OK;
}

/* ---- late errors ----------------------------------------------------------------------------------------------- */

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;

/* Words of numbers beyond the table are shared by number modulo its size. */
static unsigned late_index(const garray__queue *q)
{
    return (uint32_t)q->number % (GARRAY_CUDA_LATE_CHUNK * GARRAY_CUDA_LATE_CHUNKS);
}

garray_status garray__cuda_late(const garray__queue *q, garray__late **word)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    const unsigned index = late_index(q);
    garray__late **slot = &dev->late[index / GARRAY_CUDA_LATE_CHUNK];
    garray__late *chunk = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (chunk == NULL) {
        cudaError_t e = cudaSuccess;
        pthread_mutex_lock(&late_lock);
        chunk = *slot;
        if (chunk == NULL) {
            const size_t size = GARRAY_CUDA_LATE_CHUNK * sizeof *chunk;
            void *p = NULL;
            e = cudaHostAlloc(&p, size, cudaHostAllocMapped | cudaHostAllocPortable);
            if (e == cudaSuccess) {
                memset(p, 0, size);
                chunk = (garray__late *)p;
                __atomic_store_n(slot, chunk, __ATOMIC_RELEASE);
            }
        }
        pthread_mutex_unlock(&late_lock);
        if (e != cudaSuccess)
            return garray__cuda_error(dev, e, "cudaHostAlloc");
    }
    /* With unified addressing (every 64-bit system) the host's address is the device's too. */
    *word = chunk + index % GARRAY_CUDA_LATE_CHUNK;
    return GARRAY_OK;
}

/* A failure of one matrix (value) of a batch (limit), in the words of the CPU backend. */
static garray_status fail_item(garray_status status, const char *what, const garray__late *error)
{
    if (error->limit > 1)
        return garray__cuda_host->fail(status, "%s (item %lld of the batch)", what, (long long)error->value);
    return garray__cuda_host->fail(status, "%s", what);
}

garray_status garray__cuda_poll(const garray__queue *q)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    const unsigned index = late_index(q);
    garray__late *chunk = __atomic_load_n(&dev->late[index / GARRAY_CUDA_LATE_CHUNK], __ATOMIC_ACQUIRE);
    if (chunk == NULL)
        return GARRAY_OK;
    garray__late *word = chunk + index % GARRAY_CUDA_LATE_CHUNK;
    const uint32_t kind = __atomic_load_n(&word->kind, __ATOMIC_ACQUIRE);
    if (kind == GARRAY__LATE_NONE)
        return GARRAY_OK;
    const garray__late error = *word;
    word->kind = GARRAY__LATE_NONE;
    __atomic_store_n(&word->claimed, 0, __ATOMIC_RELEASE);
    switch (kind) {
    case GARRAY__LATE_INDEX:
        return garray__cuda_host->fail(GARRAY_ERR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                                       (long long)error.value, (long long)error.where, (long long)error.limit);
    case GARRAY__LATE_SINGULAR:
        return fail_item(GARRAY_ERR_SINGULAR, "Singular matrix", &error);
    case GARRAY__LATE_NOT_POSITIVE:
        return fail_item(GARRAY_ERR_SINGULAR, "Matrix is not positive definite", &error);
    case GARRAY__LATE_NOCONVERGE:
        return fail_item(GARRAY_ERR_NOCONVERGE, "Eigenvalues did not converge", &error);
    case GARRAY__LATE_SVD:
        return fail_item(GARRAY_ERR_NOCONVERGE, "SVD did not converge", &error);
    case GARRAY__LATE_PARAMETER: {
        char text[GARRAY__FAULT_TEXT];
        double number;
        memcpy(&number, &error.limit, sizeof number);
        return garray__cuda_host->fail(GARRAY_ERR_INVALID, "%s",
                                       garray__fault_text((int)error.where, (int)error.value, number, text));
    }
    default:
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "unknown late error %u", (unsigned)kind);
    }
}
