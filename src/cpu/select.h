/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection: the kernels of one instruction set over a block of a mask. */
#ifndef GARRAY_CPU_SELECT_H
#define GARRAY_CPU_SELECT_H

#include "cpu/cpu.h"

typedef struct garray__select_kernels {
    int64_t (*count)(const uint8_t *mask, int64_t n);
    /* Items of 1, 2, 4, 8 and 16 bytes where mask is set; count of them, and no byte more, are written. */
    void (*items[5])(char *to, const char *from, const uint8_t *mask, int64_t n, int64_t count);
    /* first + i for each i where mask is set. */
    void (*places)(int64_t *to, int64_t first, const uint8_t *mask, int64_t n, int64_t count);
} garray__select_kernels;

GARRAY_ISA_DECLARE(const garray__select_kernels, garray__cpu_select_kernels);

#endif
