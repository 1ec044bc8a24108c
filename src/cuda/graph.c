/* SPDX-License-Identifier: BSD-3-Clause
 * CUDA graphs: a stream is recorded, and what it would have done is launched again and again. */
#include "cuda/blas.h"
#include "cuda/graph.h"
#include "cuda/tuning.h"

/* Whether kernels of the recording may get ready before the one in front of them has ended: those of capability 9.0 know how,
 * if the driver does.  A recording that has failed is tried again without. */
static __thread bool overlaps, plainly;

garray_status garray__cuda_launch_next(const garray__queue *q, const char *what, const void *kernel, dim3 grid, dim3 block,
                                       void **args, int32_t *next)
{
    *next = overlaps && grid.x <= GARRAY_CUDA_NEXT_BLOCKS;
    if (!*next)
        return garray__cuda_launch(q, what, kernel, grid, block, 0, args);
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {.gridDim = grid, .blockDim = block, .stream = garray__cuda_stream_of(q),
                                       .attrs = &attribute, .numAttrs = 1};
    const cudaError_t e = cudaLaunchKernelExC(&config, kernel, args);
    return e == cudaSuccess ? GARRAY_OK : garray__cuda_error(garray__cuda_device_of(q), e, what);
}

/* Relaxed: memory may be allocated and kernels loaded on the way; the recorded stream is nobody else's. */
garray_status garray__cuda_graph_begin(const garray__queue *q)
{
    GARRAY_CUDA(q, cudaStreamBeginCapture(garray__cuda_stream_of(q), cudaStreamCaptureModeRelaxed));
    overlaps = garray__cuda_device_of(q)->capability >= 900 && !plainly;
    plainly = false;
    return GARRAY_OK;
}

garray_status garray__cuda_graph_end(const garray__queue *q, void **graph)
{
    cudaGraph_t recorded = NULL;
    cudaGraphExec_t ready = NULL;
    plainly = overlaps;                 /* for what is tried again */
    overlaps = false;
    cudaError_t e = cudaStreamEndCapture(garray__cuda_stream_of(q), &recorded);
    if (e == cudaSuccess && graph != NULL)
        e = cudaGraphInstantiate(&ready, recorded, 0);
    if (recorded != NULL)
        (void)cudaGraphDestroy(recorded);
    if (graph == NULL) {
        (void)cudaGetLastError();       /* a failed recording says so again */
        return GARRAY_OK;
    }
    if (e == cudaSuccess)
        e = cudaGraphUpload(ready, garray__cuda_stream_of(q));
    if (e == cudaSuccess)               /* the first launch may come on any stream */
        e = cudaStreamSynchronize(garray__cuda_stream_of(q));
    if (e == cudaSuccess) {
        plainly = false;
        *graph = ready;
        return GARRAY_OK;
    }
    if (ready != NULL)
        (void)cudaGraphExecDestroy(ready);
    return garray__cuda_error(garray__cuda_device_of(q), e, "cudaGraphInstantiate");
}

garray_status garray__cuda_graph_launch(const garray__queue *q, void *graph)
{
    GARRAY_CUDA(q, cudaGraphLaunch((cudaGraphExec_t)graph, garray__cuda_stream_of(q)));
    return GARRAY_OK;
}

/* What still runs goes on: the driver frees it afterwards. */
void garray__cuda_graph_free(void *device, void *graph)
{
    const cudaError_t e = cudaGraphExecDestroy((cudaGraphExec_t)graph);
    if (e != cudaSuccess)
        (void)garray__cuda_error((garray__cuda_device *)device, e, "cudaGraphExecDestroy");
}

garray_status garray__cuda_graph_prepare(const garray__queue *q, const garray_matmul_plan *matmul, const garray_solve_plan *solve,
                                         const garray_fft_plan *fft)
{
    if (matmul != NULL) {
        garray__blas_call call;         /* makes the handle */
        GARRAY_CUDA_TRY(garray__cuda_blas_begin(q, &call));
        garray__cuda_blas_end(&call);
    }
    if (solve != NULL)
        GARRAY_CUDA_TRY(garray__cuda_solve_prepare(q));
    return fft != NULL ? garray__cuda_fft_prepare(q, fft) : GARRAY_OK;
}

bool garray__cuda_is_recorded(const garray__queue *q)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(garray__cuda_stream_of(q), &status) == cudaSuccess)
        return status != cudaStreamCaptureStatusNone;
    (void)cudaGetLastError();           /* a default stream, while the caller records one of its own */
    return false;
}

garray_status garray__cuda_not_recorded(const garray__queue *q, const char *what)
{
    return garray__cuda_is_recorded(q) ? garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "%s cannot be part of a graph", what)
                                       : GARRAY_OK;
}
