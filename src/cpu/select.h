/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection: the kernels of one instruction set over a piece of a mask. */
#ifndef GARRAY_CPU_SELECT_H
#define GARRAY_CPU_SELECT_H

#include "cpu/cpu.h"

enum { GARRAY_SELECT_SLACK = 64 };      /* bytes that a kernel may write behind its last item */

/* A mask as bits: item i is bit i % 64 of word i / 64, and bits behind the last item are 0. */
typedef struct garray__select_kernels {
    /* The bits of n bytes, a byte being set if it is not 0; returns how many are. */
    int64_t (*count)(uint64_t *bits, const uint8_t *mask, int64_t n);
    /* Items of 1, 2, 4, 8 and 16 bytes whose bit is set, one after another, and slack behind them; returns how many. */
    int64_t (*items[5])(char *to, const char *from, const uint64_t *bits, int64_t n);
    /* first + i for each bit i that is set, likewise. */
    int64_t (*places)(int64_t *to, int64_t first, const uint64_t *bits, int64_t n);
} garray__select_kernels;

GARRAY_ISA_DECLARE(const garray__select_kernels, garray__cpu_select_kernels);

#endif
