/* SPDX-License-Identifier: BSD-3-Clause
 * Items that are sorted: keys alone, or a key and the place where it stood. */
#ifndef GARRAY_CPU_SORT_H
#define GARRAY_CPU_SORT_H

#include "cpu/sort_key.h"

typedef enum {
    GARRAY_ITEM_KEY8, GARRAY_ITEM_KEY16, GARRAY_ITEM_KEY32, GARRAY_ITEM_KEY64,     /* values as keys */
    GARRAY_ITEM_PACKED,         /* a rank of 32 bits above a place of 32 bits in a uint64 */
    GARRAY_ITEM_PAIR,           /* a rank and a place, 64 bits each */
    GARRAY_ITEM_COMPLEX,        /* two ranks and a place */
    GARRAY_ITEM_KINDS
} garray__item_kind;

typedef struct garray__items {
    int64_t size;
    void (*sort)(void *a, void *b, int64_t n);              /* stable; b: room for as many */
    void (*select)(void *a, void *b, int64_t n, int64_t k); /* the k least of a to its front, in their order */
    /* Items [begin, end) of the merger of x and y, of equal ones those of x first. */
    void (*merge_part)(void *to, const void *x, int64_t nx, const void *y, int64_t ny, int64_t begin, int64_t end);
    /* n items from a run of values; the first has this place; not for keys. */
    void (*load)(void *items, const void *from, int64_t n, int64_t place, int dtype, garray__key_order order);
    void (*places)(int64_t *to, const void *items, int64_t n);
} garray__items;

extern const garray__items garray__items_of[GARRAY_ITEM_KINDS];

/* partition.c: plans of kind PARTITION and PICK. */
garray_status garray__cpu_partition(const garray__queue *q, const garray_sort_plan *plan);

#endif
