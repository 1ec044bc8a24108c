/* SPDX-License-Identifier: BSD-3-Clause
 * Windows: the kernels of one instruction set. */
#ifndef GARRAY_CPU_WINDOW_H
#define GARRAY_CPU_WINDOW_H

#include "cpu/cpu.h"

/* What sums are computed in, by dtype: bools as bytes that are 0 or 1, integers as unsigned ones of their size, 16-bit
 * floats as float, all else as double; of complex numbers real and imaginary parts apart, in two planes. */
typedef struct garray__window_kernels {
    /* n items at a byte step to numbers side by side; im for complex items. */
    void (*load[16])(void *to, void *im, const char *from, int64_t step, int64_t n);
    void (*store[16])(char *to, int64_t step, const void *from, const void *im, int64_t n);
    /* For each i below n, one k below taps after the other: sum[i] += x[i + k] * w[k]. */
    void (*sum[16])(void *sum, void *sum_im, const void *x, const void *x_im, const void *w, const void *w_im, int64_t taps,
                    int64_t n);
} garray__window_kernels;

GARRAY_ISA_DECLARE(const garray__window_kernels, garray__cpu_window_kernels);

/* Items as signed integers that are in order (keys), and the selection of one rank among them. */
typedef struct garray__rank_kernels {
    void (*keys[16])(void *to, const char *from, int64_t step, int64_t n);
    void (*items[16])(char *to, int64_t step, const void *from, int64_t n);
    /* out[i] is the key of the rank among row[r][i + k], for r below rows and k below taps; room: (rows * taps + 2) * 72
     * bytes at a multiple of 64. */
    void (*select[16])(void *out, const void *const *row, int64_t rows, int64_t taps, int64_t rank, void *room, int64_t n);
} garray__rank_kernels;

GARRAY_ISA_DECLARE(const garray__rank_kernels, garray__cpu_rank_kernels);

/* A part of a row of outputs, and its way over the rows of the window: begin, then next until it says no. */
typedef struct garray__window_place {
    const garray_window_plan *plan;
    int64_t start, n;           /* along the last axis of the output */
    int64_t coord[GARRAY_MAX_NDIM], tap[GARRAY_MAX_NDIM];
    char *out;                  /* the first output */
    int64_t row;                /* of the window: which, in row-major order */
    const char *in;             /* the first item of the input's row under it; NULL: outside */
} garray__window_place;

enum { GARRAY_WINDOW_SEGMENT = 512 };   /* outputs that are made together */

void garray__window_begin(garray__window_place *p, const garray_window_plan *plan, int64_t unit);
bool garray__window_next(garray__window_place *p);
int64_t garray__window_units(const garray_window_plan *plan);

garray_status garray__cpu_convolve(const garray__queue *q, const garray_window_plan *plan);
garray_status garray__cpu_rank(const garray__queue *q, const garray_window_plan *plan);

#endif
