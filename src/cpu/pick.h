/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics of keys: the kernels of one instruction set. */
#ifndef GARRAY_CPU_PICK_H
#define GARRAY_CPU_PICK_H

#include "cpu/cpu.h"

/* An interval of keys in which a wanted one is looked for. */
typedef struct garray__bracket {
    uint64_t low, high;         /* low <= high */
    int64_t below, at_low, between, at_high;    /* keys seen; where low is high, at_high stays 0 */
    void *found;                /* those between, as long as there is room */
    int64_t held, room;         /* between > held: there was none */
} garray__bracket;

enum { GARRAY_PICK_BLOCK = 1024 };

typedef struct garray__pick_kernels {
    /* At most GARRAY_PICK_BLOCK keys against a bracket. */
    void (*narrow32)(garray__bracket *b, const uint32_t *keys, int64_t n);
    void (*narrow64)(garray__bracket *b, const uint64_t *keys, int64_t n);
    /* The key that sorting would put at place k; keys are permuted: lower or equal ones before it, others behind. */
    uint32_t (*nth32)(uint32_t *keys, int64_t n, int64_t k);
    uint64_t (*nth64)(uint64_t *keys, int64_t n, int64_t k);
    /* mask[i] = low <= keys[i] <= high */
    void (*within32)(uint8_t *mask, const uint32_t *keys, int64_t n, uint32_t low, uint32_t high);
    void (*within64)(uint8_t *mask, const uint64_t *keys, int64_t n, uint64_t low, uint64_t high);
} garray__pick_kernels;

GARRAY_ISA_DECLARE(const garray__pick_kernels, garray__cpu_pick_kernels);

#endif
