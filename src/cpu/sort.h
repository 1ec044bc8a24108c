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

enum { GARRAY_SORT_PARTS = 16 };        /* of a long row */

/* A plan under way. */
typedef struct garray__sort_job {
    const garray_sort_plan *plan;
    const garray__items *items;
    bool keys;                  /* values as keys */
    garray__key_order order;
    int64_t item, k;            /* bytes of a value; top-k: results per row */
    int64_t first;              /* the row that the scratch begins with */
    char *scratch;
    int64_t row_scratch;
    int64_t cap;                /* top-k: items collected before they are sifted */
    int64_t row, width;         /* a long row, and the length of its parts */
} garray__sort_job;

static inline const char *garray__sort_input(const garray__sort_job *j, int64_t row)
{
    return (const char *)j->plan->in + row * j->plan->n * j->item;
}

static inline char *garray__sort_output(const garray__sort_job *j, int64_t row)
{
    return (char *)j->plan->values + row * j->k * j->item;
}

static inline int64_t garray__sort_part_end(const garray__sort_job *j, int64_t part)
{
    int64_t end = (part + 1) * j->width;
    return end < j->plan->n ? end : j->plan->n;
}

/* As keys -0 goes below 0, but both are equal and keep their order: the signs of the zeros are remembered in the
 * order in which they come, and put back on the sorted values of the row, decoded. */
void garray__remember_zeros(const garray__sort_job *j, const void *keys, uint8_t *signs);
void garray__restore_zeros(const garray__sort_job *j, char *values, const uint8_t *signs, int64_t zeros);

/* sort_long.c: one long row by all threads, and the bytes of scratch that it needs. */
void garray__sort_long(garray__sort_job *j, int64_t row);
int64_t garray__sort_long_scratch(const garray__sort_job *j);

/* partition.c: plans of kind PARTITION and PICK. */
garray_status garray__cpu_partition(const garray__queue *q, const garray_sort_plan *plan);

#endif
