/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search: the kernels of one instruction set. */
#ifndef GARRAY_CPU_SEARCH_H
#define GARRAY_CPU_SEARCH_H

#include "cpu/cpu.h"

/* Looks count values up in n > 0 sorted items; kind and out are those of garray_search_plan. */
typedef void garray__search_loop(int kind, const void *sorted, int64_t n, const void *values, int64_t count, void *out);

typedef struct garray__search_kernels {
    garray__search_loop *loop[16];      /* by dtype */
} garray__search_kernels;

GARRAY_ISA_DECLARE(const garray__search_kernels, garray__cpu_search_kernels);

#endif
