/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of reductions (reduce.c) and their kernels (reduce_*.cu): the arguments of all kernels and the
 * table of kernels that an operation has for a dtype. */
#ifndef GARRAY_CUDA_REDUCE_H
#define GARRAY_CUDA_REDUCE_H

#include "cuda/axis.h"
#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GARRAY_CUDA_SHORT_OUTPUTS = 4 };          /* of a thread of the kernel for few items */

/* Threads of a block are x (outputs) by y (places along the reduction); both are powers of two. */
typedef struct garray__reduce_args {
    const char *in;
    char *out;
    const uint8_t *mask;
    const garray__axis *far_axes;       /* NULL: axes[] holds them */
    void *partial;                      /* keep * segments partial results, or NULL: outputs are written at once */
    int64_t keep, red, segments, segment;       /* segment: items of the reduction per segment */
    int64_t tiles;                      /* blocks along the outputs, of one segment */
    int32_t nkeep, nred;                /* axes: the kept ones (in, out, mask), then the reduced ones (in, -, mask) */
    int32_t log_x, log_y;
    int32_t wide;                       /* keep or red reaches 2^31 */
    int32_t unaligned;                  /* an address or stride is no multiple of the item size */
    int32_t y_fastest;                  /* neighbouring threads are neighbours along the reduction */
    int32_t op, acc_dtype, has_initial;
    int32_t reserved;
    uint64_t flip[2];                   /* MIN, ARGMIN: what turns the order round; COUNT: the bits that count */
    uint64_t initial[2];
    double correction;
    garray__axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__reduce_args;

typedef struct garray__reduce_kernels {
    const void *rows;                   /* contiguous items; these three NULL where an operation has only the next */
    const void *columns;                /* contiguous outputs */
    const void *few;                    /* few items an output; also NULL for ARGMIN and ARGMAX */
    const void *grid;                   /* any layout */
    const void *merge;                  /* partial results to outputs */
    size_t partial_size;
} garray__reduce_kernels;

/* What an operation does with an item, and so which kernels it has. */
typedef enum {
    GARRAY__REDUCE_SUM,                 /* wide: wrapping integers, or the floats' own wide arithmetic */
    GARRAY__REDUCE_PROD,
    GARRAY__REDUCE_FSUM,                /* integers in double */
    GARRAY__REDUCE_FPROD,
    GARRAY__REDUCE_EXTREMUM,
    GARRAY__REDUCE_ARG,
    GARRAY__REDUCE_VAR,
    GARRAY__REDUCE_KINDS
} garray__reduce_kind;

/* NULL where there is no such pair. */
const garray__reduce_kernels *garray__cuda_reduce_integer(int dtype, garray__reduce_kind kind);
const garray__reduce_kernels *garray__cuda_reduce_float(int dtype, garray__reduce_kind kind);
const garray__reduce_kernels *garray__cuda_reduce_complex(int dtype, garray__reduce_kind kind);
const garray__reduce_kernels *garray__cuda_reduce_count(size_t itemsize);

#ifdef __cplusplus
}
#endif
#endif
