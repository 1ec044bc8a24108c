/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of histograms (histogram.c) and their kernels (histogram.cu, histogram_sums.cu). */
#ifndef GARRAY_CUDA_HISTOGRAM_H
#define GARRAY_CUDA_HISTOGRAM_H

#include "core/bins.h"
#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GARRAY_CUDA_HISTOGRAM_THREADS = 512,
    GARRAY_CUDA_HISTOGRAM_WORDS = 8192,         /* counters of a block in shared memory, all copies together */
    GARRAY_CUDA_HISTOGRAM_MOST = 12288,         /* as many, where one copy is all */
    GARRAY_CUDA_HISTOGRAM_SUMS = 6144,          /* sums in shared memory, of all warps together */
    GARRAY_CUDA_HISTOGRAM_EVEN_THREADS = 256,   /* of which each has a byte for each of at most as many counters */
};

typedef struct garray__histogram_args {
    const void *in;
    int64_t n;
    garray__bins bins;
    int64_t *counts, *places, *extent;
    int32_t *bin;                       /* the bin of each item, -1 for none */
    int32_t shared, log_copies;         /* counters in shared memory: whether, and how many copies of them */
} garray__histogram_args;

typedef struct garray__histogram_sums {
    const int32_t *bin;
    const double *weights;
    const int64_t *order;               /* of the items by bin: where the bins are too many for shared memory */
    int64_t n, bins, chunk;             /* chunk: items of a warp */
    int64_t blocks;
    int32_t warps;                      /* of a block */
    double *partial, *sums;             /* partial: blocks * bins */
} garray__histogram_sums;

/* How the bin of an item is found. */
typedef enum {
    GARRAY__HISTOGRAM_VALUE,            /* it is the bin */
    GARRAY__HISTOGRAM_FLOAT,            /* guessed in float */
    GARRAY__HISTOGRAM_DOUBLE,           /* guessed in double, or searched */
    GARRAY__HISTOGRAM_FINDERS
} garray__histogram_finder;

/* NULL where there is no such kernel.  count: into counts, and the extent; else into bin or places. */
const void *garray__cuda_histogram_kernel(int dtype, garray__histogram_finder finder, bool count);

/* Counts of up to EVEN_THREADS bins by GARRAY__HISTOGRAM_FLOAT, in blocks of EVEN_THREADS threads and as many bytes of
 * shared memory for each bin and one more. */
const void *garray__cuda_histogram_even_kernel(int dtype);

/* Zeroes the counts and begins the extent. */
garray_status garray__cuda_histogram_start(const garray__queue *q, const garray__histogram_args *args);

/* Sums of few bins: by warps with tables of their own, then all tables; of many: by the order of the items. */
garray_status garray__cuda_histogram_few(const garray__queue *q, const garray__histogram_sums *args);
garray_status garray__cuda_histogram_many(const garray__queue *q, const garray__histogram_sums *args);

#ifdef __cplusplus
}
#endif
#endif
