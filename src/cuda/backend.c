/* SPDX-License-Identifier: BSD-3-Clause
 * The backend table, devices, and what stands before each entry: a lost device is refused, and the queue's device is
 * made current and the caller's put back. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda.h"
#include "cuda/elementwise.h"
#include "cuda/graph.h"
#undef GARRAY_CUDA              /* not used here; the public header has a macro of this name */
#include "garray/device.h"

const garray_host *garray__cuda_host;

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* After these the context cannot be used any more. */
static bool is_sticky(cudaError_t e)
{
    switch (e) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorAssert:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
    case cudaErrorDevicesUnavailable:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorContained:
        return true;
    default:
        return false;
    }
}

garray_status garray__cuda_error(garray__cuda_device *dev, cudaError_t error, const char *what)
{
    const int index = dev != NULL ? dev->index : -1;
    const int length = (int)strcspn(what, "(");
    (void)cudaGetLastError();           /* the runtime remembers an error until it is asked */
    if (error == cudaErrorMemoryAllocation)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "out of memory on cuda:%d (%.*s)", index, length, what);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver || error == cudaErrorInitializationError
        || error == cudaErrorStubLibrary || error == cudaErrorNoKernelImageForDevice || error == cudaErrorUnsupportedPtxVersion)
        return garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "cuda:%d cannot be used: %s (%s, %.*s)", index,
                                       cudaGetErrorString(error), cudaGetErrorName(error), length, what);
    if (is_sticky(error)) {
        if (dev != NULL)
            dev->lost = 1;
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_LOST, "cuda:%d failed: %s (%s, %.*s)", index,
                                       cudaGetErrorString(error), cudaGetErrorName(error), length, what);
    }
    if (error >= cudaErrorStreamCaptureUnsupported && error <= cudaErrorStreamCaptureWrongThread)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "this work cannot be part of a graph (%s, %.*s)",
                                       cudaGetErrorName(error), length, what);
    return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "%.*s on cuda:%d: %s (%s)", length, what, index,
                                   cudaGetErrorString(error), cudaGetErrorName(error));
}

/* ---- the current device ------------------------------------------------------------------------------------------ */

/* previous: the device to put back, or -1. */
static garray_status enter(garray__cuda_device *dev, int *previous)
{
    int current = -1;
    *previous = -1;
    if (dev->lost)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_LOST, "cuda:%d failed earlier and cannot be used any more",
                                       (int)dev->index);
    cudaError_t e = cudaGetDevice(&current);
    if (e == cudaSuccess && current != dev->index)
        e = cudaSetDevice(dev->index);
    if (e != cudaSuccess)
        return garray__cuda_error(dev, e, "cudaSetDevice");
    if (current != dev->index)
        *previous = current;
    return GARRAY_OK;
}

static void leave(int previous)
{
    if (previous >= 0)
        (void)cudaSetDevice(previous);
}

#define INSIDE(device, call)                                            \
    do {                                                                \
        int previous;                                                   \
        garray_status st = enter((garray__cuda_device *)(device), &previous); \
        if (st == GARRAY_OK) {                                          \
            st = (call);                                                \
            leave(previous);                                            \
        }                                                               \
        return st;                                                      \
    } while (0)

/* For what frees: on a lost device there is nothing left to free. */
#define INSIDE_QUIETLY(device, call)                                    \
    do {                                                                \
        int previous;                                                   \
        garray__cuda_device *dev_ = (garray__cuda_device *)(device);    \
        if (!dev_->lost && enter(dev_, &previous) == GARRAY_OK) {       \
            call;                                                       \
            leave(previous);                                            \
        }                                                               \
    } while (0)

/* ---- devices ------------------------------------------------------------------------------------------------------ */

garray_status garray__cuda_count(int *count)
{
    int n = 0;
    const cudaError_t e = cudaGetDeviceCount(&n);
    *count = 0;
    if (e == cudaSuccess) {
        *count = n;
        return GARRAY_OK;
    }
    (void)cudaGetLastError();
    if (e == cudaErrorInsufficientDriver) {
        int driver = 0, runtime = 0;
        (void)cudaDriverGetVersion(&driver);
        (void)cudaRuntimeGetVersion(&runtime);
        if (driver == 0)
            (void)garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "no CUDA driver (libcuda.so.1) is installed");
        else
            (void)garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE,
                                          "the CUDA driver is too old: it supports CUDA %d.%d, needed is %d.%d",
                                          driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
        return GARRAY_OK;
    }
    (void)garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "no CUDA device: %s (%s)", cudaGetErrorString(e), cudaGetErrorName(e));
    return GARRAY_OK;
}

static cudaError_t attribute(int *value, enum cudaDeviceAttr which, int index)
{
    return cudaDeviceGetAttribute(value, which, index);
}

garray_status garray__cuda_open(int index, void **device)
{
    int count = 0, major = 0, minor = 0;
    GARRAY_CUDA_TRY(garray__cuda_count(&count));
    if (index < 0 || index >= count)
        return garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "cuda:%d does not exist: there are %d CUDA devices", index, count);
    garray__cuda_device *dev = (garray__cuda_device *)calloc(1, sizeof *dev);
    if (dev == NULL)
        return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "no memory for the state of cuda:%d", index);
    dev->index = index;

    /* Attributes one by one: cudaGetDeviceProperties asks for all of them and takes milliseconds. */
    int previous = -1;
    cudaError_t e = attribute(&major, cudaDevAttrComputeCapabilityMajor, index);
    if (e == cudaSuccess)
        e = attribute(&minor, cudaDevAttrComputeCapabilityMinor, index);
    if (e == cudaSuccess)
        e = attribute(&dev->multiprocessors, cudaDevAttrMultiProcessorCount, index);
    if (e == cudaSuccess)
        e = attribute(&dev->l2_size, cudaDevAttrL2CacheSize, index);
    dev->capability = 100 * major + minor;
    garray_status st = e == cudaSuccess ? enter(dev, &previous) : garray__cuda_error(dev, e, "cudaDeviceGetAttribute");
    if (st == GARRAY_OK) {
        struct cudaFuncAttributes code;
        e = cudaFuncGetAttributes(&code, garray__cuda_kernel_float32(GARRAY_OP_add, GARRAY__EW_CONTIGUOUS_KERNEL));
        if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction || e == cudaErrorUnsupportedPtxVersion) {
            (void)cudaGetLastError();
            st = garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE,
                                         "cuda:%d has compute capability %d.%d, for which this build has no code",
                                         index, major, minor);
        } else if (e != cudaSuccess) {
            st = garray__cuda_error(dev, e, "cudaFuncGetAttributes");
        }
        leave(previous);
    }
    if (st != GARRAY_OK) {
        free(dev);
        return st;
    }
    *device = dev;
    return GARRAY_OK;
}

void garray__cuda_close(void *device)
{
    garray__cuda_device *dev = (garray__cuda_device *)device;
    int previous;
    if (!dev->lost && enter(dev, &previous) == GARRAY_OK) {
        garray__cuda_matmul_close(dev);
        garray__cuda_solve_close(dev);
        garray__cuda_fft_close(dev);
        garray__cuda_curand_close(dev);
        for (int i = 0; i < GARRAY_CUDA_LATE_CHUNKS; i++)
            if (dev->late[i] != NULL)
                (void)cudaFreeHost(dev->late[i]);
        leave(previous);
    }
    free(dev);
}

garray_status garray__cuda_info(void *device, garray_device_info *info)
{
    garray__cuda_device *dev = (garray__cuda_device *)device;
    size_t free_memory = 0, total = 0;
    memset(info, 0, sizeof *info);
    if (dev->name[0] == '\0') {
        struct cudaDeviceProp properties;
        cudaError_t e = cudaGetDeviceProperties(&properties, dev->index);
        if (e != cudaSuccess)
            return garray__cuda_error(dev, e, "cudaGetDeviceProperties");
        memcpy(dev->name, properties.name, sizeof dev->name - 1);
    }
    cudaError_t e = cudaMemGetInfo(&free_memory, &total);
    if (e != cudaSuccess)
        return garray__cuda_error(dev, e, "cudaMemGetInfo");
    memcpy(info->name, dev->name, sizeof info->name);
    info->total_memory = (int64_t)total;
    info->free_memory = (int64_t)free_memory;
    info->multiprocessors = dev->multiprocessors;
    info->capability = dev->capability;
    return GARRAY_OK;
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

#define ON_DEVICE(name, parameters, ...) \
    static garray_status entry_##name parameters { INSIDE(device, garray__cuda_##name(__VA_ARGS__)); }
#define ON_QUEUE(name, parameters, ...) \
    static garray_status entry_##name parameters { INSIDE(q->device, garray__cuda_##name(__VA_ARGS__)); }
#define QUIETLY(name, parameters, device, ...) \
    static void entry_##name parameters { INSIDE_QUIETLY(device, garray__cuda_##name(__VA_ARGS__)); }

ON_DEVICE(info, (void *device, garray_device_info *info), device, info)
ON_DEVICE(alloc, (void *device, size_t size, void **ptr), device, size, ptr)
ON_DEVICE(host_alloc, (void *device, size_t size, void **ptr), device, size, ptr)
ON_DEVICE(pointer_info, (void *device, const void *ptr, int32_t *device_index), device, ptr, device_index)
ON_DEVICE(stream_new, (void *device, int priority, void **stream), device, priority, stream)
ON_DEVICE(event_new, (void *device, bool timing, void **event), device, timing, event)
ON_DEVICE(event_wait_host, (void *device, void *event), device, event)
ON_DEVICE(event_query, (void *device, void *event, bool *done), device, event, done)
ON_DEVICE(event_elapsed, (void *device, void *begin, void *end, double *milliseconds), device, begin, end, milliseconds)

QUIETLY(free, (void *device, void *ptr, size_t size), device, device, ptr, size)
QUIETLY(host_free, (void *device, void *ptr, size_t size), device, device, ptr, size)
QUIETLY(stream_free, (void *device, void *stream), device, device, stream)
QUIETLY(event_free, (void *device, void *event), device, device, event)
QUIETLY(select_drop, (const garray__queue *q, garray_select_plan *plan), q->device, q, plan)

QUIETLY(free_async, (const garray__queue *q, void *ptr, size_t size), q->device, q, ptr, size)
ON_QUEUE(alloc_async, (const garray__queue *q, size_t size, void **ptr), q, size, ptr)

ON_QUEUE(graph_begin, (const garray__queue *q), q)
ON_QUEUE(graph_end, (const garray__queue *q, void **graph), q, graph)
ON_QUEUE(graph_launch, (const garray__queue *q, void *graph), q, graph)
ON_QUEUE(graph_prepare, (const garray__queue *q, const garray_matmul_plan *matmul, const garray_solve_plan *solve,
                         const garray_fft_plan *fft), q, matmul, solve, fft)
QUIETLY(graph_free, (void *device, void *graph), device, device, graph)
ON_QUEUE(stream_wait_host, (const garray__queue *q), q)
ON_QUEUE(stream_query, (const garray__queue *q, bool *done), q, done)
ON_QUEUE(event_record, (const garray__queue *q, void *event), q, event)
ON_QUEUE(event_wait, (const garray__queue *q, void *event), q, event)
ON_QUEUE(poll, (const garray__queue *q), q)
#define GARRAY_ENTRY(number, name, plan_type) ON_QUEUE(name, (const garray__queue *q, plan_type *plan), q, plan)
#include "core/entries.def"

static const garray_backend backend = {
    .version = GARRAY_BACKEND_VERSION,
    .size = sizeof(garray_backend),
    .name = "cuda",
    .flags = GARRAY_BACKEND_SPLIT32 | GARRAY_BACKEND_ASYNC,
    .device_type = GARRAY_DEVICE_CUDA,
    .count = garray__cuda_count,
    .open = garray__cuda_open,
    .close = garray__cuda_close,
    .info = entry_info,
    .alloc = entry_alloc,
    .free = entry_free,
    .graph_begin = entry_graph_begin,
    .graph_end = entry_graph_end,
    .graph_launch = entry_graph_launch,
    .graph_free = entry_graph_free,
    .graph_prepare = entry_graph_prepare,
    .alloc_async = entry_alloc_async,
    .free_async = entry_free_async,
    .host_alloc = entry_host_alloc,
    .host_free = entry_host_free,
    .pointer_info = entry_pointer_info,
    .stream_new = entry_stream_new,
    .stream_free = entry_stream_free,
    .stream_wait_host = entry_stream_wait_host,
    .stream_query = entry_stream_query,
    .event_new = entry_event_new,
    .event_free = entry_event_free,
    .event_record = entry_event_record,
    .event_wait = entry_event_wait,
    .event_wait_host = entry_event_wait_host,
    .event_query = entry_event_query,
    .event_elapsed = entry_event_elapsed,
    .poll = entry_poll,
#define GARRAY_ENTRY(number, name, plan_type) .name = entry_##name,
#include "core/entries.def"
    .select_drop = entry_select_drop,
};

__attribute__((visibility("default"))) const garray_backend *garray_backend_module(const garray_host *host);

const garray_backend *garray_backend_module(const garray_host *host)
{
    if (host == NULL || host->version != GARRAY_BACKEND_VERSION || host->size < sizeof(garray_host))
        return NULL;
    garray__cuda_host = host;
    return &backend;
}
