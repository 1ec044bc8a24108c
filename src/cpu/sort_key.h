/* SPDX-License-Identifier: BSD-3-Clause
 * Sort keys: unsigned integers whose order is the wanted order of the items. */
#ifndef GARRAY_CPU_SORT_KEY_H
#define GARRAY_CPU_SORT_KEY_H

#include "cpu/cpu.h"

typedef enum {
    GARRAY_KEY_UP,              /* NaN last */
    GARRAY_KEY_DOWN,            /* numbers reversed, NaN last */
    GARRAY_KEY_LARGEST,         /* numbers reversed, NaN first */
    GARRAY_KEY_TOTAL,           /* as UP, but -0 below 0 */
    GARRAY_KEY_TOTAL_DOWN       /* as DOWN, but 0 below -0 */
} garray__key_order;

/* How often zeros of each sign came in a run. */
typedef struct garray__zeros {
    int64_t positive, negative;
} garray__zeros;

/* The conversions of one instruction set. */
typedef struct garray__key_kernels {
    void (*rank32)(uint32_t *to, const void *from, int64_t n, int dtype, garray__key_order order);
    void (*rank64)(uint64_t *to, const void *from, int64_t n, int dtype, garray__key_order order);
    void (*encode)(void *to, const void *from, int64_t n, int dtype, bool descending, garray__zeros *zeros);
    void (*decode)(void *to, const void *from, int64_t n, int dtype, bool descending);
} garray__key_kernels;

GARRAY_ISA_DECLARE(const garray__key_kernels, garray__cpu_key_kernels);

#ifndef GARRAY_ISA    /* for those that use the kernels, not for the kernels */
/* Ranks: equal items (all NaNs; -0 and 0 but in a total order) have equal keys.  32 bits for dtypes of at most 32 bits,
 * else 64; of a complex dtype give its real one and n parts. */
static inline void garray__rank32(uint32_t *to, const void *from, int64_t n, int dtype, garray__key_order order)
{
    GARRAY_ISA_PICK(garray__cpu_key_kernels)->rank32(to, from, n, dtype, order);
}
static inline void garray__rank64(uint64_t *to, const void *from, int64_t n, int dtype, garray__key_order order)
{
    GARRAY_ISA_PICK(garray__cpu_key_kernels)->rank64(to, from, n, dtype, order);
}

/* Values of a real dtype as keys of its own width and back; to may be from.  -0 goes below 0; a NaN loses its
 * sign.  decode takes total ranks too. */
static inline void garray__encode(void *to, const void *from, int64_t n, int dtype, bool descending, garray__zeros *zeros)
{
    GARRAY_ISA_PICK(garray__cpu_key_kernels)->encode(to, from, n, dtype, descending, zeros);
}
static inline void garray__decode(void *to, const void *from, int64_t n, int dtype, bool descending)
{
    GARRAY_ISA_PICK(garray__cpu_key_kernels)->decode(to, from, n, dtype, descending);
}
#endif

#endif
