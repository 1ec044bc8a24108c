/* SPDX-License-Identifier: BSD-3-Clause
 * Between the scan entry (scan.c) and its kernels (scan_tmpl.c). */
#ifndef GARRAY_CPU_SCAN_H
#define GARRAY_CPU_SCAN_H

#include "cpu/cpu.h"

/* Sequences are summed in blocks of this many items, each from nothing, and then added to what came before: so blocks
 * can be summed at once, and the result is the same for any number of threads. */
enum { GARRAY_CPU_SCAN_BLOCK = 4096, GARRAY_CPU_SCAN_COLUMNS = 2048, GARRAY_CPU_SCAN_STATE = 32 };

typedef void garray__cpu_deliver(void *to, const void *from, int64_t bytes);

/* A running state is GARRAY_CPU_SCAN_STATE bytes of the kernel's own. Steps are in bytes. */
typedef struct garray__cpu_scan {
    void (*start)(void *state);
    /* state = state and then `next`. */
    void (*merge)(void *state, const void *next);
    /* The state of one block of n items. */
    void (*total)(const char *in, int64_t in_step, int64_t n, void *state);
    /* Writes the prefixes of one block after `before`, and adds the block to it. */
    void (*block)(const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n, void *before);
    /* Scans rows of up to GARRAY_CPU_SCAN_COLUMNS neighbouring sequences at once.  With deliver, which is like memcpy, each
     * row of neighbouring results is written by it. */
    void (*columns)(const char *in, int64_t in_row, int64_t in_column, char *out, int64_t out_row, int64_t out_column,
                    int64_t rows, int64_t columns, garray__cpu_deliver *deliver);
} garray__cpu_scan_kernel;

/* Index: 2 * dtype + (op is PROD). */
typedef struct garray__cpu_scans {
    garray__cpu_scan_kernel kernel[32];
} garray__cpu_scans;
GARRAY_ISA_DECLARE(const garray__cpu_scans, garray__cpu_scan_table);

/* scan_order.c: op MIN and MAX. */
garray_status garray__cpu_scan_order(const garray__queue *q, const garray_scan_plan *plan);

#endif
