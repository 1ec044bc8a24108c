/* SPDX-License-Identifier: BSD-3-Clause
 * What elementwise.c hands to the kernels of elementwise_tmpl.cu.
 *
 * A thread works on vectors of V items, where V items of the compute dtype are 16 bytes.  Where V items lie is
 * chosen so that the output's vectors are aligned: `shift` items before the first one there is a boundary. */
#ifndef GARRAY_CUDA_ELEMENTWISE_H
#define GARRAY_CUDA_ELEMENTWISE_H

#include <stdint.h>
#include "cuda/cuda.h"
#include "cuda/fastdiv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A column of kernels for each dtype, from elementwise_tmpl.cu: NULL where there is none. */
#define GARRAY_DTYPE(value, name, ...) const void *garray__cuda_kernel_##name(int op, int shape);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

enum {
    GARRAY__EW_SCALAR = 0,              /* bits, already repeated to fill a vector */
    GARRAY__EW_ALIGNED = 1,             /* contiguous items of the compute dtype, at vector boundaries */
    GARRAY__EW_SHIFTED = 2,             /* contiguous: the same, elsewhere */
    GARRAY__EW_SPLAT = 3,               /* step 0: one item (rows: an item a row) */
    GARRAY__EW_GATHER = 4,              /* one by one: another dtype, another step */
    GARRAY__EW_CAST = 5,                /* mixed: vectors of another dtype, at vector boundaries */
    GARRAY__EW_SHORT = 6,               /* mixed: rows of `length` items, of the compute dtype */
    GARRAY__EW_SECOND = 7,              /* sweep: every second item; V of them begin a vector, or an item behind one */
    GARRAY__EW_ROW = 8,                 /* contiguous: vectors of a row vector, at vector boundaries */
    GARRAY__EW_COLUMN = 9,              /* contiguous: an item of a column vector for each row */
};

/* The kernels of an operation; the sweep is missing for some. */
enum {
    GARRAY__EW_CONTIGUOUS_KERNEL = 0,
    GARRAY__EW_ROWS_KERNEL = 1,
    GARRAY__EW_SWEEP_KERNEL = 2,
    GARRAY__EW_MIXED_KERNEL = 3,
};

typedef struct garray__ew_input {
    const char *data;
    uint32_t bits[4];
    int32_t mode, dtype;
    int32_t step, row;                  /* rows, SHORT, COLUMN: bytes along the inner axis and from row to row */
} garray__ew_input;

/* The output is contiguous and its vectors are aligned.  op and the output's mode, dtype and size are for the mixed kernel, as
 * are dtype and step of the inputs. */
typedef struct garray__ew_flat {
    char *out;
    int64_t count;
    int32_t shift, op;
    int32_t out_mode, out_dtype, out_size;
    int32_t next;                       /* contiguous: set by garray__cuda_launch_next() */
    garray__divisor length;             /* of rows: items for SHORT inputs, vectors for ROW and COLUMN */
    garray__ew_input in[3];
} garray__ew_flat;

/* Rows: thread t does chunk t % chunks of the rows class, class + period, ... of a slab; rows of a class have the
 * same alignment.  walk: the axes beyond the two inner ones.  The output's mode is ALIGNED (contiguous along the
 * inner axis, of the result's dtype) or GATHER.
 * Walked: the items are numbered through, walk has all axes, period is 0 and length is their
 * number. */
typedef struct garray__ew_rows {
    char *out;
    int32_t op, reserved;
    int32_t out_mode, out_dtype, out_step, out_row;
    uint32_t length, rows;              /* of the inner axis, and the number of rows (walked: items, 1) */
    uint32_t period, slab;              /* slab: rows that a thread does */
    uint32_t threads;
    garray__divisor chunks, classes, slabs;
    garray__ew_input in[3];
    garray__walk walk;
} garray__ew_rows;

/* Elementwise plans as the kernels want them; operands are aligned to their items. */
garray_status garray__cuda_run_elementwise(const garray__queue *q, const garray_ew_plan *plan);

/* Runs a plan some of whose operands are not aligned to their items, through aligned copies in scratch memory. */
garray_status garray__cuda_run_unaligned(const garray__queue *q, const garray_ew_plan *plan,
                                         garray_status (*run)(const garray__queue *q, const garray_ew_plan *plan));
bool garray__cuda_is_aligned(const garray_ew_plan *plan);

/* Copies items of itemsize bytes at any addresses and strides (bytes; at most 31 axes of less than 2^31 items). */
garray_status garray__cuda_copy_bytes(const garray__queue *q, int itemsize, int ndim, const int64_t *shape, void *dst,
                                      const int64_t *dst_strides, const void *src, const int64_t *src_strides);

/* What a scalar's bits become as a value of another dtype. */
void garray__cuda_cast_bits(int from, const uint64_t from_bits[2], int to, uint64_t to_bits[2]);

#ifdef __cplusplus
}
#endif
#endif
