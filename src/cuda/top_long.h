/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of sorts (sort.c) and the kernels of top_k in long rows (top_long.cu): a sample draws a bound that the k
 * items are below, one read of the row keeps what is, and a block finds the k among these.  Items are compared by their level
 * keys and then their places, so that equal ones are as good as different ones. */
#ifndef GARRAY_CUDA_TOP_LONG_H
#define GARRAY_CUDA_TOP_LONG_H

#include "cuda/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GARRAY_CUDA_TOP_LONG = 1 << 16 };        /* rows from this length on */

typedef struct garray__top_args {
    const void *in;
    int64_t rows, n;
    int32_t dtype, size, k, blocks;     /* blocks: those that read one row */
    uint64_t flip;                      /* as in garray__sort_args */
    uint32_t rank, slack, room;         /* rank of the bound in the sample, and how far beyond it may be; items kept of a row */
    uint32_t draws, reserved;           /* of which the first stands in the sample: 1 or 8 */
    garray__top_state *states;
    void *sample;                       /* rows * sample size keys, of 4 or 8 bytes as the item is */
    void *keys[2];                      /* rows * room each */
    uint32_t *places[2];
    uint64_t *top_keys;                 /* rows * k each: the answer, in no order */
    uint32_t *top_places;
    garray__sort_order order;
} garray__top_args;

/* Sets rank, slack, room, draws and blocks of rows of n items. */
void garray__cuda_top_plan(garray__top_args *args, int multiprocessors);
int garray__cuda_top_sample_size(int size);

garray_status garray__cuda_top_find(const garray__queue *q, const garray__top_args *args);

#ifdef __cplusplus
}
#endif
#endif
