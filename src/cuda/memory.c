/* SPDX-License-Identifier: BSD-3-Clause
 * Device and pinned host memory, and copies.  Core's pool sits above: what is asked for here is large and rare. */
#include "cuda/cuda.h"

/* Kernels read aligned vectors whole where an item of the array lies in one: what is left of the last vector belongs to the
 * block too, and is set, so that memory checkers (GARRAY_POOL=direct) have nothing to say. */
#define VECTOR ((size_t)16)

garray_status garray__cuda_alloc(void *device, size_t size, void **ptr)
{
    void *p = NULL;
    const size_t left = (VECTOR - size % VECTOR) % VECTOR;
    cudaError_t e = cudaMalloc(&p, size + left);
    if (e == cudaSuccess && left > 0) {
        e = cudaMemset((char *)p + size, 0, left);
        if (e != cudaSuccess)
            (void)cudaFree(p);
    }
    if (e == cudaErrorMemoryAllocation) {
        size_t free_memory = 0, total = 0;
        (void)cudaGetLastError();
        if (cudaMemGetInfo(&free_memory, &total) == cudaSuccess)
            return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM,
                                           "cannot allocate %zu bytes on cuda:%d: %zu of %zu bytes are free",
                                           size, (int)((garray__cuda_device *)device)->index, free_memory, total);
    }
    if (e != cudaSuccess)
        return garray__cuda_error((garray__cuda_device *)device, e, "cudaMalloc");
    *ptr = p;
    return GARRAY_OK;
}

/* The memory of a lost device goes with it. */
void garray__cuda_free(void *device, void *ptr, size_t size)
{
    (void)size;
    const cudaError_t e = cudaFree(ptr);
    if (e != cudaSuccess)
        (void)garray__cuda_error((garray__cuda_device *)device, e, "cudaFree");
}

garray_status garray__cuda_alloc_async(const garray__queue *q, size_t size, void **ptr)
{
    void *p = NULL;
    const cudaError_t e = cudaMallocAsync(&p, size, garray__cuda_stream_of(q));
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "cudaMallocAsync has no %zu bytes on cuda:%d", size,
                                       (int)garray__cuda_device_of(q)->index);
    }
    if (e != cudaSuccess)
        return garray__cuda_error(garray__cuda_device_of(q), e, "cudaMallocAsync");
    *ptr = p;
    return GARRAY_OK;
}

void garray__cuda_free_async(const garray__queue *q, void *ptr, size_t size)
{
    (void)size;
    const cudaError_t e = cudaFreeAsync(ptr, garray__cuda_stream_of(q));
    if (e != cudaSuccess)
        (void)garray__cuda_error(garray__cuda_device_of(q), e, "cudaFreeAsync");
}

garray_status garray__cuda_host_alloc(void *device, size_t size, void **ptr)
{
    void *p = NULL;
    const cudaError_t e = cudaHostAlloc(&p, size, cudaHostAllocPortable);
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return garray__cuda_host->fail(GARRAY_ERR_NOMEM, "cannot allocate %zu bytes of pinned host memory", size);
    }
    if (e != cudaSuccess)
        return garray__cuda_error((garray__cuda_device *)device, e, "cudaHostAlloc");
    *ptr = p;
    return GARRAY_OK;
}

void garray__cuda_host_free(void *device, void *ptr, size_t size)
{
    (void)size;
    const cudaError_t e = cudaFreeHost(ptr);
    if (e != cudaSuccess)
        (void)garray__cuda_error((garray__cuda_device *)device, e, "cudaFreeHost");
}

/* The runtime copies so much pageable memory aside before cudaMemcpyAsync() returns. */
#define STAGED_BY_DRIVER ((size_t)64 << 10)

static bool is_pageable(const void *ptr)
{
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, ptr) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeUnregistered;
}

/* Whether memory of the host that a copy to the device has been enqueued from may be changed now. */
static bool may_reuse(const garray_copy_plan *plan)
{
    return plan->size <= STAGED_BY_DRIVER && is_pageable(plan->src) && is_pageable((const char *)plan->src + plan->size - 1);
}

/* Lets copies go straight to the peer's memory, once for each pair.  Where the hardware cannot, the runtime copies through
 * the host: nothing here is an error. */
static void reach_peer(garray__cuda_device *dev, int peer)
{
    const uint64_t bit = (uint64_t)1 << peer % 64;
    int can = 0;
    if (__atomic_load_n(&dev->peers, __ATOMIC_ACQUIRE) & bit)
        return;
    if (cudaDeviceCanAccessPeer(&can, dev->index, peer) == cudaSuccess && can) {
        const struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice, .id = dev->index},
                                                 .flags = cudaMemAccessFlagsProtReadWrite};
        cudaMemPool_t pool;
        (void)cudaDeviceEnablePeerAccess(peer, 0);      /* also when the program itself has done so */
        if (cudaDeviceGetDefaultMemPool(&pool, peer) == cudaSuccess)    /* that of cudaMallocAsync */
            (void)cudaMemPoolSetAccess(pool, &access, 1);
    }
    (void)cudaGetLastError();
    __atomic_fetch_or(&dev->peers, bit, __ATOMIC_ACQ_REL);
}

garray_status garray__cuda_copy(const garray__queue *q, const garray_copy_plan *plan)
{
    cudaStream_t stream = garray__cuda_stream_of(q);
    switch (plan->kind) {
    case GARRAY_COPY_TO_DEVICE:
        GARRAY_CUDA(q, cudaMemcpyAsync(plan->dst, plan->src, plan->size, cudaMemcpyHostToDevice, stream));
        break;
    case GARRAY_COPY_TO_HOST:
        GARRAY_CUDA(q, cudaMemcpyAsync(plan->dst, plan->src, plan->size, cudaMemcpyDeviceToHost, stream));
        break;
    case GARRAY_COPY_ON_DEVICE:
        GARRAY_CUDA(q, cudaMemcpyAsync(plan->dst, plan->src, plan->size, cudaMemcpyDeviceToDevice, stream));
        return GARRAY_OK;
    case GARRAY_COPY_TO_PEER:
        reach_peer(garray__cuda_device_of(q), plan->peer_index);
        GARRAY_CUDA(q, cudaMemcpyPeerAsync(plan->dst, plan->peer_index, plan->src, garray__cuda_device_of(q)->index, plan->size,
                                           stream));
        return GARRAY_OK;
    default:
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "copy of unknown kind %d", (int)plan->kind);
    }
    if (!plan->wait || (plan->wait == 2 && may_reuse(plan)))
        return GARRAY_OK;
    GARRAY_CUDA(q, cudaStreamSynchronize(stream));
    return GARRAY_OK;           /* core asks for late errors, in the words of the call they belong to */
}

garray_status garray__cuda_pointer_info(void *device, const void *ptr, int32_t *device_index)
{
    struct cudaPointerAttributes attributes;
    const cudaError_t e = cudaPointerGetAttributes(&attributes, ptr);
    *device_index = -1;
    if (e == cudaErrorInvalidValue) {
        (void)cudaGetLastError();
        return GARRAY_OK;
    }
    if (e != cudaSuccess)
        return garray__cuda_error((garray__cuda_device *)device, e, "cudaPointerGetAttributes");
    if (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged)
        *device_index = attributes.device;
    else if (attributes.type == cudaMemoryTypeHost)
        *device_index = -2;
    return GARRAY_OK;
}
