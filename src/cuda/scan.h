/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of scans (scan.c) and their kernels (scan.cu, scan_columns.cu). */
#ifndef GARRAY_CUDA_SCAN_H
#define GARRAY_CUDA_SCAN_H

#include "cuda/cuda.h"
#include "cuda/fastdiv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct garray__scan_args {
    const char *in;
    char *out;
    int64_t outer, n, inner;
    int64_t in_stride[3], out_stride[3];
    int32_t unaligned, boolean;
    int32_t in_vector, out_vector;      /* items of a sequence are contiguous, and sequences begin at 16-byte boundaries */
    int64_t tiles;                      /* of a sequence, or of a column */
    void *slots;                        /* of the chains, zero */
    uint32_t *ticket;                   /* the next tile's number, zero */
    /* columns */
    int64_t segments, segment;          /* parts of a column that blocks share, and the items of each */
    void *totals;                       /* of each segment of each column */
    int32_t log_x, totals_only;
} garray__scan_args;

typedef struct garray__scan_kernels {
    const void *tiles, *warps[3];       /* sequences along the middle axis; warps: with 1, 2, 4 vectors of a lane */
    const void *columns, *chained_columns;      /* columns that are next to each other */
    int32_t tile;                       /* items of a tile */
    int32_t rows;                       /* of a tile of chained columns */
    int32_t state_size, slot_size;
} garray__scan_kernels;

enum { GARRAY_CUDA_SCAN_ROWS = 16 };    /* rows that a thread of the columns kernel takes at a time */
enum { GARRAY_CUDA_SCAN_STRIP = 32 };   /* columns of a tile of chained columns */

const garray__scan_kernels *garray__cuda_scan_kernels(int dtype, bool product);

/* scan_order.cu: op MIN and MAX. */
garray_status garray__cuda_scan_order(const garray__queue *q, const garray_scan_plan *plan);

/* Slots of the chain of a sequence. */
GARRAY__HOST_DEVICE int64_t garray__scan_slots(int64_t tiles)
{
    return tiles + ((tiles + 31) >> 5) + ((tiles + 1023) >> 10);
}

#ifdef __cplusplus
}
#endif
#endif
