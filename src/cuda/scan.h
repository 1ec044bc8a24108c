/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of scans (scan.c) and their kernels (scan.cu). */
#ifndef GARRAY_CUDA_SCAN_H
#define GARRAY_CUDA_SCAN_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct garray__scan_args {
    const char *in;
    char *out;
    int64_t outer, n, inner;
    int64_t in_stride[3], out_stride[3];
    int32_t unaligned, boolean;
    int64_t segments, segment;          /* parts of a sequence that blocks share, and the items of each */
    void *totals;                       /* a state for each segment of each sequence: its total, then what is before it */
    /* columns */
    int32_t log_x, totals_only;
} garray__scan_args;

typedef struct garray__scan_kernels {
    const void *tiles, *segment_totals, *segment_starts, *warps, *columns;
    int32_t tile;                       /* items of a tile */
    int32_t state_size;
} garray__scan_kernels;

enum { GARRAY_CUDA_SCAN_THREADS = 512 };        /* of the tiles and segment_totals kernels */
enum { GARRAY_CUDA_SCAN_ROWS = 16 };    /* rows that a thread of the columns kernel takes at a time */

const garray__scan_kernels *garray__cuda_scan_kernels(int dtype, bool product);

/* scan_order.cu: op MIN and MAX. */
garray_status garray__cuda_scan_order(const garray__queue *q, const garray_scan_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
