/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms: the kernels of one instruction set over a tile of items. */
#ifndef GARRAY_CPU_HISTOGRAM_H
#define GARRAY_CPU_HISTOGRAM_H

#include "core/bins.h"
#include "cpu/cpu.h"

enum { GARRAY_CPU_UNSURE = -1 };        /* a bin that the guess leaves to the search */

typedef struct garray__histogram_kernels {
    /* The bins of n items; UNSURE where an edge is near, the number of bins where there is none.  Returns how many are
     * unsure. */
    int32_t (*guess_float)(const garray__bins *b, const float *v, int32_t n, int32_t *bin);
    int32_t (*guess_double)(const garray__bins *b, const double *v, int32_t n, int32_t *bin);
    /* Integers as bins, the number of bins for those outside. */
    void (*values)(int64_t bins, const int64_t *v, int32_t n, int32_t *bin);
    /* Widens an extent (smallest, largest). */
    void (*extent)(const int64_t *v, int32_t n, int64_t extent[2]);
} garray__histogram_kernels;

GARRAY_ISA_DECLARE(const garray__histogram_kernels, garray__cpu_histogram_kernels);

#endif
