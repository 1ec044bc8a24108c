/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of gather and scatter (index.c) and their kernels (index.cu). */
#ifndef GARRAY_CUDA_INDEX_H
#define GARRAY_CUDA_INDEX_H

#include "cuda/axis.h"
#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct garray__index_axis {
    int64_t length;
    int64_t base, value;                /* byte strides */
    int64_t array[GARRAY_INDEX_ARRAYS];
    int64_t ordinal, slot;              /* scatter: what a step adds to the ordinal and to the slot */
    garray__divisor div;
    uint32_t reserved;
} garray__index_axis;

typedef struct garray__index_operand {
    const char *data;
    int64_t length, step;
    int64_t slot;                       /* what an index of 1 adds to the slot */
    int32_t dtype, axis;
} garray__index_operand;

/* Scatter: repeated positions.  The part of a position that can repeat has a number, its slot; the items that may
 * write there are numbered in order, by ordinals.  A first pass leaves in each slot the highest ordinal plus 1; a
 * second one writes the items that won.  Slots are an array, or a hash table where they are many and items few.  Where
 * every item of up to 4 bytes has a slot of its own, the item travels beneath its ordinal in a 64-bit slot, and the second
 * pass reads the slots in their order instead of finding the winners again; or, where the slots would not fit the cache and
 * the items are many, these are sorted by slot: that is faster than even an unordered scatter. */
typedef struct garray__index_args {
    char *base, *values;
    garray__late *late;
    uint32_t *winners;                  /* NULL: nothing repeats */
    unsigned long long *table;          /* hash table of slot + 1, or NULL: winners is indexed by the slot */
    unsigned long long *packed;         /* slots of ordinal + 1 above the item, or NULL */
    uint32_t *listed, *items;           /* the slot of each ordinal and its item, to be sorted, or NULL */
    uint64_t table_mask;
    const garray__index_axis *far_axes;
    int64_t count;
    int64_t run, chunk, chunks;         /* long runs: items of the last axis, of a block, and blocks of a run */
    int32_t ndim, narrays, wide, unaligned, unaligned_index;
    uint32_t slots;                     /* of listed */
    garray__index_operand array[GARRAY_INDEX_ARRAYS];
    garray__index_axis axes[GARRAY_CUDA_INLINE_AXES];
} garray__index_args;

/* The arguments and the axes of a plan as it stands; its alignment, the axes' place and scatter's slots are the caller's. */
void garray__cuda_index_args(const garray_index_plan *plan, garray__index_args *a, garray__index_axis *axes);

/* size: 1, 2, 4, 8, 16, or 17 for 16 bytes that are aligned to 8 only. */
const void *garray__cuda_gather_kernel(int size);
const void *garray__cuda_scatter_kernel(int size);
const void *garray__cuda_run_kernel(int size, bool scatter);     /* 4, 8 or 16 */
const void *garray__cuda_claim_kernel(void);
const void *garray__cuda_pack_kernel(int size);
const void *garray__cuda_unpack_kernel(int size);
const void *garray__cuda_list_kernel(int size);
const void *garray__cuda_put_listed_kernel(int size);

/* Items of a thread of gather and scatter, the same of long runs, and how many items make a run long. */
enum { GARRAY_CUDA_INDEX_ITEMS = 4, GARRAY_CUDA_RUN_ITEMS = 4, GARRAY_CUDA_LONG_RUN = 192 };

#ifdef __cplusplus
}
#endif
#endif
