/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions: the state of a result under way, and the kernels that reduce.c drives.
 *
 * A state is a few arrays of `cap` 8-byte slots, one array after the other; column c of array i is at
 * i * cap * 8 + c * slot.  A column is one real result: a complex sum, mean or variance has two per item.
 *   sums of 16- and 32-bit floats, products   a double
 *   sums of doubles                           sum and compensation
 *   sums and products of integers, counts     uint64, wrapping
 *   minima and maxima                         the ordered key, an integer as wide as the item
 *   positions                                 the ordered key as int64, the index
 *   variances                                 count, mean, what mean lacks, sum of squared deviations, what it lacks
 *   complex products; extrema; positions      re, im; re, im, seen; re, im, index */
#ifndef GARRAY_CPU_REDUCE_H
#define GARRAY_CPU_REDUCE_H

#include "cpu/cpu.h"

enum {
    GARRAY_REDUCE_TILE = 1024,          /* columns of a state at most */
    GARRAY_REDUCE_ARRAYS = 5,           /* arrays of a state at most */
    GARRAY_REDUCE_PIECE = 4096,         /* items given to row() at a time, at most */
    GARRAY_REDUCE_BUFFER = 32768        /* bytes of a buffer of items */
};

/* The index of a position that has seen nothing. */
#define GARRAY_REDUCE_NONE INT64_MAX

typedef struct garray__reduce_kernel {
    int32_t arrays, slot;               /* arrays of the state; bytes from column to column */
    int32_t width, reserved;            /* columns per item */
    /* The state of no items; index: the first row that comes (positions only). */
    void (*init)(void *state, int64_t cap, int64_t columns, int64_t index);
    /* n items in a row into a state of one item (cap == width); the first has this index. */
    void (*row)(void *state, const void *x, int64_t n, int64_t index);
    /* rows of `columns` reals each into a state of so many columns; NULL: there is only row(). */
    void (*col)(void *state, int64_t cap, const void *x, int64_t row_step, int64_t rows, int64_t columns, int64_t index);
    /* Columns [src_column, src_column + columns) of src, which come later, into dst from column 0. */
    void (*merge)(void *dst, const void *src, int64_t cap, int64_t columns, int64_t src_column);
} garray__reduce_kernel;

typedef enum {
    GARRAY_REDUCE_SUM,                  /* in the wide type of the dtype */
    GARRAY_REDUCE_SUM_DOUBLE,           /* of integers, as doubles */
    GARRAY_REDUCE_PROD,
    GARRAY_REDUCE_PROD_DOUBLE,
    GARRAY_REDUCE_MIN,
    GARRAY_REDUCE_MAX,
    GARRAY_REDUCE_ARGMIN,
    GARRAY_REDUCE_ARGMAX,
    GARRAY_REDUCE_COUNT,                /* items that are not 0 */
    GARRAY_REDUCE_VAR,
    GARRAY_REDUCE_KERNELS
} garray__reduce_kind;

/* By dtype number; arrays == 0: there is none. */
typedef struct garray__reduce_table {
    garray__reduce_kernel sum[16], sum_double[16], prod[16], prod_double[16], var[16];
} garray__reduce_table;

typedef struct garray__order_table {
    garray__reduce_kernel min[16], max[16], argmin[16], argmax[16], count[16];
} garray__order_table;

GARRAY_ISA_DECLARE(const garray__reduce_table, garray__cpu_reduce_sums);
GARRAY_ISA_DECLARE(const garray__order_table, garray__cpu_reduce_order);
/* Complex products, extrema and positions: reduce_complex.c; NULL for what is not there. */
const garray__reduce_kernel *garray__reduce_complex(garray__reduce_kind kind, int dtype);

/* Writes `items` results from a state: reduce_finish.c.  n: how many items took part in each, or count[i]. */
void garray__reduce_finish(const garray_reduce_plan *plan, const void *state, int64_t cap, int64_t items,
                           char *out, int64_t out_step, int64_t n, const int64_t *count);

#endif
