/* SPDX-License-Identifier: BSD-3-Clause
 * Functions by tables: the kernels of one instruction set. */
#ifndef GARRAY_CPU_EVALUATE_H
#define GARRAY_CPU_EVALUATE_H

#include "cpu/cpu.h"

typedef struct garray__evaluate_kernels {
    void (*polynomial[16])(const void *table, int64_t n, const void *x, void *out, int64_t count);
    void (*lines)(const garray_evaluate_plan *plan, int64_t begin, int64_t end);
} garray__evaluate_kernels;

GARRAY_ISA_DECLARE(const garray__evaluate_kernels, garray__cpu_evaluate_kernels);

#endif
