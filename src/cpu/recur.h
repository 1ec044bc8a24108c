/* SPDX-License-Identifier: BSD-3-Clause
 * Linear recurrences: the kernels of one instruction set. */
#ifndef GARRAY_CPU_RECUR_H
#define GARRAY_CPU_RECUR_H

#include "cpu/cpu.h"

enum { GARRAY_RECUR_LANES = 8 };    /* rows that are filtered together */

typedef struct garray__recur_kernels {
    /* Rows [first, first + m) of the plan, m of at most GARRAY_RECUR_LANES; room: (order + 1) * lanes * 16 bytes. */
    void (*filter[16])(const garray_recur_plan *plan, int64_t first, int m, void *room);
} garray__recur_kernels;

GARRAY_ISA_DECLARE(const garray__recur_kernels, garray__cpu_recur_kernels);

#endif
