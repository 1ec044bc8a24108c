/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of scans (scan.c) and their kernels (scan.cu). */
#ifndef GARRAY_CUDA_SCAN_H
#define GARRAY_CUDA_SCAN_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sequence's tiles form groups of this many, and its groups super-groups of as many. */
#define GARRAY_CUDA_SCAN_GROUP 32

typedef struct garray__scan_args {
    const char *in;
    char *out;
    int64_t outer, n, inner;
    int64_t in_stride[3], out_stride[3];
    int32_t unaligned, boolean;
    /* tiles: taken by whichever block is free and chained through the words below, or one block a sequence (tickets is
     * NULL) */
    int64_t tiles, groups, supers;      /* of each sequence */
    uint32_t *tickets;                  /* the ticket counter, then the flags of tiles, groups and super-groups: zeroed */
    void *states;                       /* of tiles, groups and super-groups */
    /* columns */
    int32_t log_x, totals_only;
    int64_t segments, segment;
    void *totals;                       /* of each segment of each column */
} garray__scan_args;

typedef struct garray__scan_kernels {
    const void *tiles, *warps, *columns;
    int32_t tile;                       /* items of a tile */
    int32_t state_size;
} garray__scan_kernels;

enum { GARRAY_CUDA_SCAN_THREADS = 512 };        /* of the tiles kernel */
enum { GARRAY_CUDA_SCAN_ROWS = 16 };    /* rows that a thread of the columns kernel takes at a time */

const garray__scan_kernels *garray__cuda_scan_kernels(int dtype, bool product);

#ifdef __cplusplus
}
#endif
#endif
