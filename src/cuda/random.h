/* SPDX-License-Identifier: BSD-3-Clause
 * Between random.cu, which has the entry, draw.cu, which has the distributions with parameters, and curand.c. */
#ifndef GARRAY_CUDA_RANDOM_H
#define GARRAY_CUDA_RANDOM_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds from GARRAY_RANDOM_ORDER on. */
garray_status garray__cuda_distribution(const garray__queue *q, const garray_random_plan *plan);

/* GARRAY_RANDOM_VENDOR (curand.c). */
garray_status garray__cuda_vendor_random(const garray__queue *q, const garray_random_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
