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

enum {
    GARRAY_CUDA_SHORT_OUTPUTS = 4,      /* of a thread of the kernel for few items */
    GARRAY_CUDA_ROW_ITEMS = 1 << 30,    /* of a unit of the kernel for rows */
    GARRAY_CUDA_PACKED_BYTES = 16384,   /* items of a block of the kernel for packed ones */
};

typedef struct garray__reduce_place { int64_t in, out; } garray__reduce_place;

/* Threads of a block are x (outputs) by y (places along the reduction); both are powers of two. */
typedef struct garray__reduce_args {
    const char *in;
    char *out;
    const uint8_t *mask;
    const garray__axis *far_axes;       /* NULL: axes[] holds them */
    const garray__reduce_place *keep_places;    /* of each output, or vector of them; NULL: at most 2 axes, in axes[] */
    const garray__reduce_place *red_places;     /* of each segment, where nred is above 1 */
    void *partial;                      /* keep * segments partial results, or NULL: outputs are written at once */
    int64_t keep, red, segments, segment;       /* segment: items of the reduction per segment */
    int64_t units;                      /* keep * segments */
    int64_t tiles;                      /* blocks along the outputs, of one segment */
    int32_t nkeep, nred;                /* axes: the kept ones (in, out, mask), then the reduced ones (in, -, mask) */
    int32_t log_x, log_y;
    int32_t wide;                       /* keep or red reaches 2^31 */
    int32_t unaligned;                  /* an address or stride is no multiple of the item size */
    int32_t y_fastest;                  /* neighbouring threads are neighbours along the reduction */
    int32_t by_segment;                 /* partial results: those of a segment are neighbours, not those of an output */
    int32_t out_vector;                 /* the outputs of a thread's neighbours can be written as one vector */
    int32_t log_neighbours;             /* outputs of a thread along the last kept axis, which then counts vectors of them */
    int32_t op, acc_dtype, has_initial;
    int64_t red_stride;                 /* of the innermost reduced axis */
    int64_t out_step;                   /* bytes from an output to its neighbour along the last kept axis */
    uint64_t flip[2];                   /* MIN, ARGMIN: what turns the order round; COUNT: the bits that count */
    uint64_t initial[2];
    double correction;
    garray__axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__reduce_args;

typedef struct garray__reduce_kernels {
    const void *grid;                   /* any layout */
    const void *merge;                  /* partial results to outputs */
    size_t partial_size;
    /* NULL where an operation has only those: */
    const void *rows;                   /* contiguous items */
    const void *columns;                /* contiguous outputs */
    const void *few;                    /* few items an output */
    const void *packed;                 /* few items an output, everything contiguous */
    const void *neighbour_columns, *few_neighbours;     /* several outputs of a thread as one vector, or NULL */
    int32_t neighbours, short_neighbours;       /* so many */
    int32_t blocks;                     /* of rows, that a multiprocessor holds */
    int32_t reserved;
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

/* The kernel that fills places, and what it takes. */
typedef struct garray__place_args {
    const garray__axis *far_axes;       /* as above */
    garray__reduce_place *places;
    int64_t count;
    int32_t naxes, wide;
    garray__axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__place_args;

const void *garray__cuda_reduce_places(void);

#ifdef __cplusplus
}
#endif
#endif
