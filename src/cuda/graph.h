/* SPDX-License-Identifier: BSD-3-Clause
 * Between graph.c and the entries whose work differs where it is recorded into a graph. */
#ifndef GARRAY_CUDA_GRAPH_H
#define GARRAY_CUDA_GRAPH_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

bool garray__cuda_is_recorded(const garray__queue *q);

/* UNSUPPORTED where the queue is recorded; what: whose work cannot be. */
garray_status garray__cuda_not_recorded(const garray__queue *q, const char *what);

/* Launches a kernel that begins with follow() (elementwise_tmpl.cu) if *next is set: in a graph a small one gets ready while
 * the one before it ends.  next lies in what args point to. */
garray_status garray__cuda_launch_next(const garray__queue *q, const char *what, const void *kernel, dim3 grid, dim3 block,
                                       void **args, int32_t *next);

/* Make what vendor libraries need at their first use (solve.c, fft.c). */
garray_status garray__cuda_solve_prepare(const garray__queue *q);
garray_status garray__cuda_fft_prepare(const garray__queue *q, const garray_fft_plan *plan);

/* Writes host memory to device memory on the queue, by way of the arguments of kernels: in a graph the bytes stay with it,
 * and nothing waits.  size and both addresses are multiples of 8. */
garray_status garray__cuda_place(const garray__queue *q, void *dst, const void *src, size_t size);

#ifdef __cplusplus
}
#endif
#endif
