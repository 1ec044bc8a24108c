/* SPDX-License-Identifier: BSD-3-Clause
 * Prefixes of a run of items in place, STEP neighbours at a time: within them by doubling (Hillis and Steele), and the
 * sum of the STEPs before is carried on.  Every instruction set joins the same items in the same tree, so the bits agree.
 * The items are WIDTH interleaved sequences: 1, or 2 of complex numbers. */
#ifndef GARRAY_CPU_SCAN_PREFIX_H
#define GARRAY_CPU_SCAN_PREFIX_H

#include "cpu/lanes.h"

enum { STEP = 8, PARTS = STEP / VECTOR_DOUBLES };

typedef uint64_t vw __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t vmask __attribute__((vector_size(VECTOR_BYTES)));
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

/* ---- one value per item: x = JOIN of what came before and x ---- */
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

/* ---- pairs of doubles: a value and what its rounding lost ---- */
typedef struct {
    vd high, low;
} vpair;

static inline vpair vpair_join(vpair a, vpair b)
{
    vd s = a.high + b.high, t = s - a.high, e = (a.high - (s - t)) + (b.high - t), low = a.low + b.low + e;
    /* an infinity or NaN has no error term */
    return (vpair){ s, (vd)((vmask)low & (vmask)(low - low == 0)) };
}

#define DOUBLE_UP(by)                                                                                         \
    for (int k = PARTS - 1; k >= 0; k--)                                                                      \
        v[k] = vpair_join((vpair){ MOVED(high, k, by, nothing), MOVED(low, k, by, zero) }, v[k]);             \
    for (int k = 0; k < PARTS; k++) {                                                                         \
        high[k] = v[k].high;                                                                                  \
        low[k] = v[k].low;                                                                                    \
    }

/* The sums of x as pairs (x, lost); inside and base: WIDTH pairs. */
#define DEFINE_PREFIX_PAIRS(name, WIDTH)                                                                      \
    static inline void name(double *x, double *lost, int64_t n, double *inside, const double *base)           \
    {                                                                                                         \
        const vd nothing = -(vd){ 0 }, zero = { 0 };                                                          \
        vpair v[PARTS], carry = { zero, zero }, first = carry;                                                \
        vd high[PARTS], low[PARTS];                                                                           \
        for (int j = 0; j < VECTOR_DOUBLES; j++) {                                                            \
            carry.high[j] = inside[j % WIDTH * 2];                                                            \
            carry.low[j] = inside[j % WIDTH * 2 + 1];                                                         \
            first.high[j] = base ? base[j % WIDTH * 2] : 0;                                                   \
            first.low[j] = base ? base[j % WIDTH * 2 + 1] : 0;                                                \
        }                                                                                                     \
        for (int64_t i = 0; i < n; i += STEP) {                                                               \
            for (int k = 0; k < PARTS; k++) {                                                                 \
                high[k] = *(const vd_any *)(x + i + k * VECTOR_DOUBLES);                                      \
                low[k] = zero;                                                                                \
                v[k] = (vpair){ high[k], zero };                                                              \
            }                                                                                                 \
            if (WIDTH == 1) {                                                                                 \
                DOUBLE_UP(1)                                                                                  \
            }                                                                                                 \
            DOUBLE_UP(2)                                                                                      \
            DOUBLE_UP(4)                                                                                      \
            if (base) {                                                                                       \
                const vpair before = vpair_join(first, carry);                                                \
                for (int k = 0; k < PARTS; k++) {                                                             \
                    const vpair y = vpair_join(before, v[k]);                                                 \
                    *(vd_any *)(x + i + k * VECTOR_DOUBLES) = y.high;                                         \
                    *(vd_any *)(lost + i + k * VECTOR_DOUBLES) = y.low;                                       \
                }                                                                                             \
            }                                                                                                 \
            carry = vpair_join(carry, (vpair){ LAST_##WIDTH(high[PARTS - 1]), LAST_##WIDTH(low[PARTS - 1]) });\
        }                                                                                                     \
        for (int w = 0; w < WIDTH; w++) {                                                                     \
            inside[2 * w] = carry.high[w];                                                                    \
            inside[2 * w + 1] = carry.low[w];                                                                 \
        }                                                                                                     \
    }
DEFINE_PREFIX_PAIRS(prefix_pairs, 1)
DEFINE_PREFIX_PAIRS(prefix_pairs_2, 2)

#undef DOUBLE_UP
#undef MOVED
#undef PART
#endif
