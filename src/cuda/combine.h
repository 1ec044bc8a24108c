/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of combining (combine.c) and its kernels (combine_tmpl.cu).
 *
 * Axes along which an index array runs, or where base does not move, are numbered through by ordinals; the others are free
 * and numbered by `free`: what is said of an ordinal holds for each free item.  Ordinals that name one place have one slot.
 * They are sorted by slot (a stable sort, so in order within a slot), and then reduced by levels: a thread takes `chunk`
 * entries in turn.  What belongs to one slot and lies within a chunk is done and goes to base; what reaches over a border
 * becomes a partial result, of which each chunk has up to two, and these are the entries of the next level.  All of this
 * depends on the plan alone, so the result is the same each time. */
#ifndef GARRAY_CUDA_COMBINE_H
#define GARRAY_CUDA_COMBINE_H

#include "cuda/index.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GARRAY_CUDA_COMBINE_CHUNK = 16 };

typedef struct garray__combine_args {
    garray__index_args at;              /* its axes: those with ordinals */
    const garray__index_axis *far_free;
    int64_t first;                      /* ordinal of the first entry; places count from it */
    int64_t entries, free;              /* of this level; free items */
    int64_t slots;                      /* a slot this high is that of an index out of range */
    void *keys;                         /* slots, 32 or 64 bits wide */
    uint32_t *places;
    const void *states;                 /* of partial results (level 0: NULL, the values themselves), entries * free */
    void *next_keys, *next_states;      /* two for each chunk */
    uint32_t *next_places;
    int32_t op, wide_keys, nfree, unaligned;
    garray__index_axis free_axes[GARRAY_CUDA_INLINE_AXES];
} garray__combine_args;

typedef struct garray__combine_kernels {
    const void *find;                   /* slots and places of the entries of level 0; a thread each */
    const void *reduce;                 /* a thread for each chunk and free item */
    const void *atomic;                 /* a thread for each item of the plan (all axes in `at`); NULL: not for this dtype */
    size_t state_size;
} garray__combine_kernels;

garray_status garray__cuda_combine(const garray__queue *q, const garray_index_plan *plan);

#define GARRAY_DTYPE(value, name, ...) void garray__cuda_combine_##name(garray__combine_kernels *kernels);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

#ifdef __cplusplus
}
#endif
#endif
