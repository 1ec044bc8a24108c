/* SPDX-License-Identifier: BSD-3-Clause
 * Sort keys: unsigned integers whose order is the wanted order of the items. */
#ifndef GARRAY_CPU_SORT_KEY_H
#define GARRAY_CPU_SORT_KEY_H

#include "cpu/cpu.h"

typedef enum {
    GARRAY_KEY_UP,              /* NaN last */
    GARRAY_KEY_DOWN,            /* numbers reversed, NaN last */
    GARRAY_KEY_LARGEST          /* numbers reversed, NaN first */
} garray__key_order;

/* Ranks: equal items (-0 and 0, all NaNs) have equal keys.  32 bits for dtypes of at most 32 bits, else 64; of a
 * complex dtype give its real one and n parts. */
void garray__rank32(uint32_t *to, const void *from, int64_t n, int dtype, garray__key_order order);
void garray__rank64(uint64_t *to, const void *from, int64_t n, int dtype, garray__key_order order);

/* How often zeros of each sign came in a run. */
typedef struct garray__zeros {
    int64_t positive, negative;
} garray__zeros;

/* Values of a real dtype as keys of its own width and back; to may be from.  -0 goes below 0; a NaN loses its
 * sign. */
void garray__encode(void *to, const void *from, int64_t n, int dtype, bool descending, garray__zeros *zeros);
void garray__decode(void *to, const void *from, int64_t n, int dtype, bool descending);

/* Whether a key is that of 0, and of -0. */
bool garray__key_is_zero(const void *keys, int64_t i, int dtype, bool descending, bool *negative);

#endif
