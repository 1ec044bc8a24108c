/* SPDX-License-Identifier: BSD-3-Clause
 * Index plans on the CPU: the walk in order that combining shares with gather and scatter, and the loops of a dtype. */
#ifndef GARRAY_CPU_INDEX_H
#define GARRAY_CPU_INDEX_H

#include "cpu/cpu.h"

enum { GARRAY_CPU_INDEX_BLOCK = 256 };  /* positions of a visit, at most */

/* n rows of `row` contiguous items: at base + at[i], and step bytes apart from `values` on. */
typedef void garray__cpu_index_visit(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row);

/* A plan as it is walked: the first axes take indices, the rest lie in a row. */
typedef struct garray__cpu_index_walk {
    const garray_index_plan *plan;
    int nindexed;
    int64_t count, row;             /* positions; bytes at each */
    int64_t shape[GARRAY_MAX_NDIM];
} garray__cpu_index_walk;

garray_status garray__cpu_index_open(garray__cpu_index_walk *w, const garray_index_plan *plan);    /* checks all indices */
/* Positions [begin, end) in order. */
void garray__cpu_index_visit_all(const garray__cpu_index_walk *w, int64_t begin, int64_t end, garray__cpu_index_visit *visit,
                                 void *ctx);

garray_status garray__cpu_combine(const garray__queue *q, const garray_index_plan *plan);

/* What the loops of combine_tmpl.c work on.  update: base is op of itself and the values, one after another.  For sums
 * wider than their dtype there are states: start makes n empty ones, add puts values into those from where[i] on, merge
 * puts n of them behind as many others, finish adds n of them to as many items of base; settle adds those of n single
 * items, where[i] in states and base alike, and leaves them empty. */
typedef struct garray__cpu_combining {
    int32_t op, reserved;
    char *base;
    void *states;               /* of state_size bytes each */
    const int64_t *where;
} garray__cpu_combining;

typedef void garray__cpu_combine_loop(const garray__cpu_combining *c, const int64_t *at, const char *values, int64_t step,
                                      int64_t n, int64_t row);

typedef struct garray__cpu_combine_loops {
    garray__cpu_combine_loop *update, *add;     /* add and all below: NULL but for floats and complex numbers */
    void (*start)(void *states, int64_t n);
    void (*merge)(void *states, const void *more, int64_t n);
    void (*finish)(char *base, const void *states, int64_t n);
    void (*settle)(const garray__cpu_combining *c, int64_t n);
    size_t state_size;
} garray__cpu_combine_loops;

/* For many positions among many items, which lie whole items apart from low on: the positions are sorted by blocks of the
 * array that a cache holds, in their order, and the blocks are worked on by all threads. */
bool garray__cpu_combine_by_blocks(const garray__cpu_index_walk *w, int64_t items);
garray_status garray__cpu_combine_blocks(const garray__queue *q, const garray__cpu_index_walk *w,
                                         const garray__cpu_combine_loops *loops, int64_t low, int64_t items);

#define GARRAY_DTYPE(value, name, ...) GARRAY_ISA_DECLARE(const garray__cpu_combine_loops, garray__cpu_combine_##name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

#endif
