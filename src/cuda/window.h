/* SPDX-License-Identifier: BSD-3-Clause
 * The kinds of windows, each with kernels of its own. */
#ifndef GARRAY_CUDA_WINDOW_H
#define GARRAY_CUDA_WINDOW_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

garray_status garray__cuda_convolve(const garray__queue *q, const garray_window_plan *plan);
garray_status garray__cuda_rank(const garray__queue *q, const garray_window_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
