/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting keys by vectors: the functions of one instruction set, NULL where it has no use for them. */
#ifndef GARRAY_CPU_SORT_VECTOR_H
#define GARRAY_CPU_SORT_VECTOR_H

#include "cpu/cpu.h"

/* Sorts n keys with as much room in b; where the pivots are bad time after time, the rest is left to `other`. */
typedef struct garray__vector_sorts {
    void (*sort32)(uint32_t *a, uint32_t *b, int64_t n, void (*other)(uint32_t *a, uint32_t *b, int64_t n));
    void (*sort64)(uint64_t *a, uint64_t *b, int64_t n, void (*other)(uint64_t *a, uint64_t *b, int64_t n));
    /* The key that sorting would put at place k; keys are permuted: lower or equal ones before it, others behind. */
    uint32_t (*nth32)(uint32_t *a, int64_t n, int64_t k, uint32_t (*other)(uint32_t *a, int64_t n, int64_t k));
    uint64_t (*nth64)(uint64_t *a, int64_t n, int64_t k, uint64_t (*other)(uint64_t *a, int64_t n, int64_t k));
    /* Keys below the first pivot, those from it on below the second, ..., from the last on, in runs one after another, of
     * which end[i] is the end; pivots are in order. */
    void (*split32)(uint32_t *a, int64_t n, const uint32_t *pivots, int count, int64_t *end);
    void (*split64)(uint64_t *a, int64_t n, const uint64_t *pivots, int count, int64_t *end);
} garray__vector_sorts;

GARRAY_ISA_DECLARE(const garray__vector_sorts, garray__cpu_vector_sorts);

#endif
