/* SPDX-License-Identifier: BSD-3-Clause
 * Prefixes of a run of items in place, STEP neighbours at a time: within them by doubling (Hillis and Steele), and the
 * sum of the STEPs before is carried on.  Every instruction set joins the same items in the same tree, so the bits agree.
 * The items are WIDTH interleaved sequences: 1, or 2 of complex numbers. */
#ifndef GARRAY_CPU_SCAN_PREFIX_H
#define GARRAY_CPU_SCAN_PREFIX_H

#include "cpu/lanes.h"

enum { STEP = 8, PARTS = STEP / VECTOR_DOUBLES };

typedef uint64_t vw __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vw_any __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

/* The vector that ends k items before the end of b, a standing before it; and the last one or two items everywhere. */
#if VECTOR_BYTES == 64
#define ACROSS_1(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#define ACROSS_2(a, b) __builtin_shufflevector(a, b, 6, 7, 8, 9, 10, 11, 12, 13)
#define ACROSS_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 8, 9, 10, 11)
#define LAST_1(a) __builtin_shufflevector(a, a, 7, 7, 7, 7, 7, 7, 7, 7)
#define LAST_2(a) __builtin_shufflevector(a, a, 6, 7, 6, 7, 6, 7, 6, 7)
#elif VECTOR_BYTES == 32
#define ACROSS_1(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#define ACROSS_2(a, b) __builtin_shufflevector(a, b, 2, 3, 4, 5)
#define ACROSS_4(a, b) (a)
#define LAST_1(a) __builtin_shufflevector(a, a, 3, 3, 3, 3)
#define LAST_2(a) __builtin_shufflevector(a, a, 2, 3, 2, 3)
#else
#define ACROSS_1(a, b) __builtin_shufflevector(a, b, 1, 2)
#define ACROSS_2(a, b) (a)
#define ACROSS_4(a, b) (a)
#define LAST_1(a) __builtin_shufflevector(a, a, 1, 1)
#define LAST_2(a) (a)
#endif

/* Of the vectors v, number k moved up by so many items, NOTHING coming in. */
#define PART(v, k, NOTHING) ((k) < 0 ? (NOTHING) : (v)[(k) < 0 ? 0 : (k)])
#define MOVED(v, k, by, NOTHING)                                                                              \
    ((by) >= VECTOR_DOUBLES ? PART(v, (k) - (by) / VECTOR_DOUBLES, NOTHING)                                   \
                            : ACROSS_##by(PART(v, (k) - 1, NOTHING), (v)[k]))

/* x = JOIN of what came before and x */
#define DOUBLE_UP(by)                                                                                         \
    for (int k = PARTS - 1; k >= 0; k--)                                                                      \
        v[k] = JOIN(MOVED(v, k, by, nothing), v[k]);

/* inside: the items before x, of which the last is carried on; base: what came before those (NULL: the prefixes are
 * not wanted).  n is a multiple of STEP. */
#define DEFINE_PREFIX(name, T, V, V_ANY, WIDTH, NOTHING)                                                      \
    static inline void name(T *x, int64_t n, T *inside, const T *base)                                        \
    {                                                                                                         \
        V v[PARTS], nothing = { 0 }, carry = { 0 }, first = { 0 };                                            \
        for (int j = 0; j < VECTOR_DOUBLES; j++) {                                                            \
            nothing[j] = NOTHING;                                                                             \
            carry[j] = inside[j % WIDTH];                                                                     \
            first[j] = base ? base[j % WIDTH] : 0;                                                            \
        }                                                                                                     \
        for (int64_t i = 0; i < n; i += STEP) {                                                               \
            for (int k = 0; k < PARTS; k++)                                                                   \
                v[k] = *(const V_ANY *)(x + i + k * VECTOR_DOUBLES);                                          \
            if (WIDTH == 1) {                                                                                 \
                DOUBLE_UP(1)                                                                                  \
            }                                                                                                 \
            DOUBLE_UP(2)                                                                                      \
            DOUBLE_UP(4)                                                                                      \
            if (base) {                                                                                       \
                const V before = JOIN(first, carry);                                                          \
                for (int k = 0; k < PARTS; k++)                                                               \
                    *(V_ANY *)(x + i + k * VECTOR_DOUBLES) = JOIN(before, v[k]);                              \
            }                                                                                                 \
            const V all = LAST_##WIDTH(v[PARTS - 1]);                                                         \
            carry = JOIN(carry, all);                                                                         \
        }                                                                                                     \
        for (int w = 0; w < WIDTH; w++)                                                                       \
            inside[w] = carry[w];                                                                             \
    }

/* -0 + x is x for every x: a sum of -0 alone stays -0. */
#define JOIN(a, b) ((a) + (b))
DEFINE_PREFIX(prefix_sum, double, vd, vd_any, 1, -0.0)
DEFINE_PREFIX(prefix_sum_2, double, vd, vd_any, 2, -0.0)
DEFINE_PREFIX(prefix_word_sum, uint64_t, vw, vw_any, 1, 0)
#undef JOIN
#define JOIN(a, b) ((a) * (b))
DEFINE_PREFIX(prefix_prod, double, vd, vd_any, 1, 1)
DEFINE_PREFIX(prefix_word_prod, uint64_t, vw, vw_any, 1, 1)
#undef JOIN
#undef DOUBLE_UP

#undef MOVED
#undef PART
#endif
