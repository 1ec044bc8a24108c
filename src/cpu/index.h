/* SPDX-License-Identifier: BSD-3-Clause
 * Index plans on the CPU: the walk in order that combining shares with gather and scatter, and the loops of a dtype. */
#ifndef GARRAY_CPU_INDEX_H
#define GARRAY_CPU_INDEX_H

#include "cpu/cpu.h"

enum { GARRAY_CPU_INDEX_BLOCK = 256 };  /* positions of a visit, at most */

/* n rows of `row` contiguous items: at base + at[i], and step bytes apart from `values` on. */
typedef void garray__cpu_index_visit(void *ctx, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row);

/* All indices are checked, then the positions visited in order. */
garray_status garray__cpu_index_runs(const garray_index_plan *plan, garray__cpu_index_visit *visit, void *ctx);

garray_status garray__cpu_combine(const garray__queue *q, const garray_index_plan *plan);

/* What the loops of combine_tmpl.c work on.  update: base is op of itself and the values, one after another.  For sums
 * wider than their dtype there are states: start makes n empty ones, add puts values into those from where[i] on, finish
 * adds n of them to as many items of base. */
typedef struct garray__cpu_combining {
    int32_t op, reserved;
    char *base;
    void *states;               /* of state_size bytes each */
    const int64_t *where;
} garray__cpu_combining;

typedef void garray__cpu_combine_loop(const garray__cpu_combining *c, const int64_t *at, const char *values, int64_t step,
                                      int64_t n, int64_t row);

typedef struct garray__cpu_combine_loops {
    garray__cpu_combine_loop *update, *add;     /* add, start and finish: NULL but for floats and complex numbers */
    void (*start)(void *states, int64_t n);
    void (*finish)(char *base, const void *states, int64_t n);
    size_t state_size;
} garray__cpu_combine_loops;

#define GARRAY_DTYPE(value, name, ...) GARRAY_ISA_DECLARE(const garray__cpu_combine_loops, garray__cpu_combine_##name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

#endif
