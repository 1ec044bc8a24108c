/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of boolean selection (select.c) and its kernels (select.cu). */
#ifndef GARRAY_CUDA_SELECT_H
#define GARRAY_CUDA_SELECT_H

#include "cuda/axis.h"
#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GARRAY_CUDA_SELECT_TILE = 8192,     /* mask items of a block */
    GARRAY_CUDA_SELECT_THREADS = 1024,  /* of the block that sums, each of which takes four tiles a round */
    GARRAY_CUDA_SELECT_ROUND = 4 * GARRAY_CUDA_SELECT_THREADS,
};

typedef struct garray__select_args {
    const uint8_t *mask;
    int64_t n, tiles;
    int64_t *before;                    /* true items before each tile, and the total; room for whole rounds of the sum */
    int32_t *counts;                    /* true items of each tile, likewise */
    uint32_t *words;                    /* the mask, one bit an item */
    int64_t *answer;                    /* the total, where the host sees it */
    const char *in;
    int64_t count;
    int64_t units;                      /* of a row, in the copy of rows by positions */
    const int64_t *positions;
    int32_t ndim, wide;
    const garray__axis *far_axes;
    void *out[GARRAY_MAX_NDIM];
    garray__axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__select_args;

typedef enum {
    GARRAY__SELECT_COUNT,               /* true items of each tile */
    GARRAY__SELECT_SUM,                 /* counts to prefixes */
    GARRAY__SELECT_ITEMS,               /* items of 1, 2, 4, 8 or 16 bytes */
    GARRAY__SELECT_COORDINATES,
    GARRAY__SELECT_COPY,                /* rows at positions, in units of 1 to 16 bytes */
} garray__select_step;

garray_status garray__cuda_select_step(const garray__queue *q, garray__select_step step, int unit,
                                       const garray__select_args *args);

#ifdef __cplusplus
}
#endif
#endif
