/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms of single rows of complex items. */
#ifndef GARRAY_CPU_FFT_ROWS_H
#define GARRAY_CPU_FFT_ROWS_H

#include <stdatomic.h>
#include "cpu/fft.h"

/* Memory for calls that run at once: each takes a slot while it works. */
enum { GARRAY_FFT_SLOTS = 256 };

typedef struct garray__fft_slots {
    atomic_bool busy[GARRAY_FFT_SLOTS];
    char *memory;
    int64_t size;                   /* of a slot, bytes */
    int count;
} garray__fft_slots;

int garray__fft_slot_take(garray__fft_slots *slots);
void garray__fft_slot_leave(garray__fft_slots *slots, int slot);

/* One row and where it is worked on. */
typedef struct garray__fft_row {
    const garray__fft_rows *rows;
    const garray__fft_kernels *kernels;
    const void *in;                 /* n complex items; out may be the same */
    void *out;
    bool inverse;
    double scale;
    char *matrix;                   /* garray__fft_matrix_size() bytes */
    garray__fft_slots *slots;       /* of rows->work bytes */
} garray__fft_row;

int64_t garray__fft_matrix_size(const garray__fft_rows *rows, int width);

/* Both steps, or Bluestein's algorithm; blocks of a step run in parallel. */
void garray__fft_run_row(const garray__fft_row *row);

/* The plain transform of double items on the calling thread; room: the matrix and rows->work bytes. */
void garray__fft_transform_row(const garray__fft_rows *rows, const garray__fft_kernels *kernels, const void *in, void *out,
                               void *room);

#endif
