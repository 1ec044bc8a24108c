/* SPDX-License-Identifier: BSD-3-Clause
 * Between random.cu, which has the entry, and draw.cu, which has the distributions with parameters. */
#ifndef GARRAY_CUDA_RANDOM_H
#define GARRAY_CUDA_RANDOM_H

#include "cuda/cuda.h"

/* Kinds from GARRAY_RANDOM_ORDER on. */
garray_status garray__cuda_distribution(const garray__queue *q, const garray_random_plan *plan);

#endif
