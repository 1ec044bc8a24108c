/* SPDX-License-Identifier: BSD-3-Clause
 * Minima, maxima, their positions and counts: the kernels of one instruction set, for the real dtypes.
 * Floats are compared as integers: flipping the lower bits of negative ones makes their bit patterns ordered, with
 * -0 below 0; a NaN becomes the key that wins.  For positions -0 equals 0. */
#include <string.h>
#include "cpu/reduce.h"
#include "cpu/scalar.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */
/* Of a float's bits b, as a signed integer type of their width. */
#define FLOAT_KEY(T, b) ((T)((b) ^ (T)(((b) >> (sizeof(T) * 8 - 1)) & MOST_##T)))
#define FLOAT_NAN(T, b, infinity) ((T)((b) & MOST_##T) > (T)(infinity))
#define MOST_int8_t INT8_MAX
#define MOST_int16_t INT16_MAX
#define MOST_int32_t INT32_MAX
#define MOST_int64_t INT64_MAX
#define LEAST_int8_t INT8_MIN
#define LEAST_int16_t INT16_MIN
#define LEAST_int32_t INT32_MIN
#define LEAST_int64_t INT64_MIN
#define MOST_uint8_t UINT8_MAX
#define MOST_uint16_t UINT16_MAX
#define MOST_uint32_t UINT32_MAX
#define MOST_uint64_t UINT64_MAX
#define LEAST_uint8_t 0
#define LEAST_uint16_t 0
#define LEAST_uint32_t 0
#define LEAST_uint64_t 0

/* Per dtype: T its items as integers, S the signed type of that width; the key whose least or most is sought, and
 * the key whose most is the position sought. */
#define ARGMAX_SINT(T, v) (v)
#define ARGMIN_SINT(T, v) ((T)~(v))
#define ARGMAX_UINT(S, v) ((S)((v) ^ (1ull << (sizeof(S) * 8 - 1))))
#define ARGMIN_UINT(S, v) ((S)~ARGMAX_UINT(S, v))
/* Written with masks: a compiler that sees two selections in a row makes a jump of them and no vectors. */
#define FLOAT_KEYS(name, T, infinity)                                                                        \
    static inline T min_key_##name(T b)                                                                      \
    {                                                                                                        \
        T nan = (T)-(T)FLOAT_NAN(T, b, infinity);                                                            \
        return (T)((FLOAT_KEY(T, b) & ~nan) | (nan & LEAST_##T));                                            \
    }                                                                                                        \
    static inline T max_key_##name(T b)                                                                      \
    {                                                                                                        \
        T nan = (T)-(T)FLOAT_NAN(T, b, infinity);                                                            \
        return (T)((FLOAT_KEY(T, b) | nan) & ~(nan & LEAST_##T));                                            \
    }                                                                                                        \
    static inline T argmax_key_##name(T b)                                                                   \
    {                                                                                                        \
        T nan = (T)-(T)FLOAT_NAN(T, b, infinity), zero = (T)-(T)(b == LEAST_##T);                            \
        return (T)(((FLOAT_KEY(T, b) & ~zero) | nan) & ~(nan & LEAST_##T));                                  \
    }                                                                                                        \
    static inline T argmin_key_##name(T b)                                                                   \
    {                                                                                                        \
        T nan = (T)-(T)FLOAT_NAN(T, b, infinity), zero = (T)-(T)(b == LEAST_##T);                            \
        return (T)((~(FLOAT_KEY(T, b) & ~zero) | nan) & ~(nan & LEAST_##T));                                 \
    }
#define INT_KEYS(name, T, S, kind)                                                                           \
    static inline T min_key_##name(T v) { return v; }                                                        \
    static inline T max_key_##name(T v) { return v; }                                                        \
    static inline S argmax_key_##name(T v) { return ARGMAX_##kind(S, v); }                                   \
    static inline S argmin_key_##name(T v) { return ARGMIN_##kind(S, v); }

INT_KEYS(i8, int8_t, int8_t, SINT)
INT_KEYS(i16, int16_t, int16_t, SINT)
INT_KEYS(i32, int32_t, int32_t, SINT)
INT_KEYS(i64, int64_t, int64_t, SINT)
INT_KEYS(u8, uint8_t, int8_t, UINT)
INT_KEYS(u16, uint16_t, int16_t, UINT)
INT_KEYS(u32, uint32_t, int32_t, UINT)
INT_KEYS(u64, uint64_t, int64_t, UINT)
FLOAT_KEYS(f16, int16_t, 0x7c00)
FLOAT_KEYS(bf16, int16_t, 0x7f80)
FLOAT_KEYS(f32, int32_t, 0x7f800000)
FLOAT_KEYS(f64, int64_t, 0x7ff0000000000000)

/* ---- minima and maxima --------------------------------------------------------------------------------- */
#define EXTREMUM(name, T, op, better)                                                                        \
    static void op##_##name##_row(void *state, const void *x, int64_t n, int64_t index)                      \
    {                                                                                                        \
        const T __attribute__((may_alias)) *a = x;                                                           \
        T m = *(T *)state;                                                                                   \
        (void)index;                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            T k = op##_key_##name(a[i]);                                                                     \
            m = k better m ? k : m;                                                                          \
        }                                                                                                    \
        *(T *)state = m;                                                                                     \
    }                                                                                                        \
    static void op##_##name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,       \
                                  int64_t columns, int64_t index)                                            \
    {                                                                                                        \
        T *restrict s = state;                                                                               \
        const char *at = x;                                                                                  \
        (void)cap, (void)index;                                                                              \
        for (; rows >= 4; rows -= 4, at += 4 * step) {                                                       \
            const T __attribute__((may_alias)) *restrict a0 = (const void *)at;                              \
            const T __attribute__((may_alias)) *restrict a1 = (const void *)(at + step);                     \
            const T __attribute__((may_alias)) *restrict a2 = (const void *)(at + 2 * step);                 \
            const T __attribute__((may_alias)) *restrict a3 = (const void *)(at + 3 * step);                 \
            for (int64_t c = 0; c < columns; c++) {                                                          \
                T k0 = op##_key_##name(a0[c]), k1 = op##_key_##name(a1[c]), k2 = op##_key_##name(a2[c]);     \
                T k3 = op##_key_##name(a3[c]), k4 = k0 better k1 ? k0 : k1, k5 = k2 better k3 ? k2 : k3;     \
                T k6 = k4 better k5 ? k4 : k5;                                                               \
                s[c] = k6 better s[c] ? k6 : s[c];                                                           \
            }                                                                                                \
        }                                                                                                    \
        for (; rows > 0; rows--, at += step) {                                                               \
            const T __attribute__((may_alias)) *restrict a = (const void *)at;                               \
            for (int64_t c = 0; c < columns; c++) {                                                          \
                T k = op##_key_##name(a[c]);                                                                 \
                s[c] = k better s[c] ? k : s[c];                                                             \
            }                                                                                                \
        }                                                                                                    \
    }

#define EXTREMUM_STATE(T, op, better, identity)                                                              \
    static void op##_init_##T(void *state, int64_t cap, int64_t columns, int64_t index)                      \
    {                                                                                                        \
        (void)cap, (void)index;                                                                              \
        for (int64_t c = 0; c < columns; c++)                                                                \
            ((T *)state)[c] = identity##_##T;                                                                \
    }                                                                                                        \
    static void op##_merge_##T(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)      \
    {                                                                                                        \
        T *s = dst;                                                                                          \
        const T *x = (const T *)src + first;                                                                 \
        (void)cap;                                                                                           \
        for (int64_t c = 0; c < columns; c++)                                                                \
            s[c] = x[c] better s[c] ? x[c] : s[c];                                                           \
    }
#define EXTREMA_STATE(T) EXTREMUM_STATE(T, min, <, MOST) EXTREMUM_STATE(T, max, >, LEAST)
EXTREMA_STATE(int8_t)
EXTREMA_STATE(int16_t)
EXTREMA_STATE(int32_t)
EXTREMA_STATE(int64_t)
EXTREMA_STATE(uint8_t)
EXTREMA_STATE(uint16_t)
EXTREMA_STATE(uint32_t)
EXTREMA_STATE(uint64_t)

/* ---- positions: key and index -------------------------------------------------------------------------- */
static void position_init(void *state, int64_t cap, int64_t columns, int64_t index)
{
    int64_t *key = state, *at = key + cap;
    for (int64_t c = 0; c < columns; c++) {
        key[c] = INT64_MIN;
        at[c] = index;
    }
}

/* Of equal keys the lower index: merges may come in any order. */
static void position_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    int64_t *key = dst, *at = key + cap;
    const int64_t *k = (const int64_t *)src + first, *i = k + cap;
    for (int64_t c = 0; c < columns; c++) {
        bool better = k[c] > key[c] || (k[c] == key[c] && i[c] < at[c]);
        key[c] = better ? k[c] : key[c];
        at[c] = better ? i[c] : at[c];
    }
}

/* The row kernel looks for the position only in a piece that has a new extremum: few have. */
#define POSITION(name, T, K, op)                                                                             \
    static void op##_##name##_row(void *state, const void *x, int64_t n, int64_t index)                      \
    {                                                                                                        \
        const T __attribute__((may_alias)) *a = x;                                                           \
        int64_t *s = state, i = 0;                                                                           \
        K m = LEAST_##K;                                                                                     \
        for (; i < n; i++) {                                                                                 \
            K k = op##_key_##name(a[i]);                                                                     \
            m = k > m ? k : m;                                                                               \
        }                                                                                                    \
        if (m <= s[0] && s[1] != GARRAY_REDUCE_NONE)                                                         \
            return;                                                                                          \
        for (i = 0; i + 64 <= n; i += 64) {                                                                  \
            K found = 0;                                                                                     \
            for (int j = 0; j < 64; j++)                                                                     \
                found |= op##_key_##name(a[i + j]) == m;                                                     \
            if (found)                                                                                       \
                break;                                                                                       \
        }                                                                                                    \
        while (op##_key_##name(a[i]) != m)                                                                   \
            i++;                                                                                             \
        s[0] = m;                                                                                            \
        s[1] = index + i;                                                                                    \
    }                                                                                                        \
    static void op##_##name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,       \
                                  int64_t columns, int64_t index)                                            \
    {                                                                                                        \
        int64_t *restrict key = state, *restrict at = key + cap;                                             \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const T __attribute__((may_alias)) *restrict a = (const void *)((const char *)x + r * step);     \
            for (int64_t c = 0; c < columns; c++) {                                                          \
                int64_t k = op##_key_##name(a[c]);                                                           \
                bool better = k > key[c];                                                                    \
                key[c] = better ? k : key[c];                                                                \
                at[c] = better ? index + r : at[c];                                                          \
            }                                                                                                \
        }                                                                                                    \
    }

#define ORDER(name, T, K)                                                                                    \
    EXTREMUM(name, T, min, <)                                                                                \
    EXTREMUM(name, T, max, >)                                                                                \
    POSITION(name, T, K, argmin)                                                                             \
    POSITION(name, T, K, argmax)
ORDER(i8, int8_t, int8_t)
ORDER(i16, int16_t, int16_t)
ORDER(i32, int32_t, int32_t)
ORDER(i64, int64_t, int64_t)
ORDER(u8, uint8_t, int8_t)
ORDER(u16, uint16_t, int16_t)
ORDER(u32, uint32_t, int32_t)
ORDER(u64, uint64_t, int64_t)
ORDER(f16, int16_t, int16_t)
ORDER(bf16, int16_t, int16_t)
ORDER(f32, int32_t, int32_t)
ORDER(f64, int64_t, int64_t)

/* ---- counts of items that are not 0 -------------------------------------------------------------------- */
static void count_init(void *state, int64_t cap, int64_t columns, int64_t index)
{
    (void)cap, (void)index;
    memset(state, 0, (size_t)columns * 8);
}

static void count_merge(void *dst, const void *src, int64_t cap, int64_t columns, int64_t first)
{
    uint64_t *s = dst;
    const uint64_t *x = (const uint64_t *)src + first;
    (void)cap;
    for (int64_t c = 0; c < columns; c++)
        s[c] += x[c];
}

/* An item is 0 if no bit of mask is set (the sign does not count).  Short runs are counted in the item's own
 * width, which keeps the vectors full; 192 ones fit a byte. */
#define COUNT(name, T, mask)                                                                                 \
    static void count_##name##_row(void *state, const void *x, int64_t n, int64_t index)                     \
    {                                                                                                        \
        const T __attribute__((may_alias)) *a = x;                                                           \
        uint64_t count = 0;                                                                                  \
        int64_t i = 0, run = sizeof(T) == 1 ? 192 : 4096;                                                    \
        (void)index;                                                                                         \
        for (; i + run <= n; i += run) {                                                                     \
            T some = 0;                                                                                      \
            for (int64_t j = 0; j < (sizeof(T) == 1 ? 192 : 4096); j++)                                      \
                some += (a[i + j] & (T)(mask)) != 0;                                                         \
            count += some;                                                                                   \
        }                                                                                                    \
        T rest = 0;                                                                                          \
        for (; i < n; i++)                                                                                   \
            rest += (a[i] & (T)(mask)) != 0;                                                                 \
        *(uint64_t *)state += count + rest;                                                                  \
    }                                                                                                        \
    static void count_##name##_col(void *state, int64_t cap, const void *x, int64_t step, int64_t rows,      \
                                   int64_t columns, int64_t index)                                           \
    {                                                                                                        \
        uint64_t *restrict s = state;                                                                        \
        (void)cap, (void)index;                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const T __attribute__((may_alias)) *restrict a = (const void *)((const char *)x + r * step);     \
            for (int64_t c = 0; c < columns; c++)                                                            \
                s[c] += (a[c] & (T)(mask)) != 0;                                                             \
        }                                                                                                    \
    }
COUNT(8, uint8_t, UINT8_MAX)
COUNT(16, uint16_t, UINT16_MAX)
COUNT(32, uint32_t, UINT32_MAX)
COUNT(64, uint64_t, UINT64_MAX)
COUNT(f16, uint16_t, 0x7fff)
COUNT(f32, uint32_t, 0x7fffffff)
COUNT(f64, uint64_t, 0x7fffffffffffffff)
COUNT(c64, uint64_t, 0x7fffffff7fffffff)

/* ---- the table ----------------------------------------------------------------------------------------- */
#define MIN(name, T)                                                                                         \
    { .arrays = 1, .slot = sizeof(T), .width = 1, .init = min_init_##T, .row = min_##name##_row,             \
      .col = min_##name##_col, .merge = min_merge_##T }
#define MAX(name, T)                                                                                         \
    { .arrays = 1, .slot = sizeof(T), .width = 1, .init = max_init_##T, .row = max_##name##_row,             \
      .col = max_##name##_col, .merge = max_merge_##T }
#define POSITION_KERNEL(name, op)                                                                            \
    { .arrays = 2, .slot = 8, .width = 1, .init = position_init, .row = op##_##name##_row,                   \
      .col = op##_##name##_col, .merge = position_merge }
#define ARGMIN(name, T) POSITION_KERNEL(name, argmin)
#define ARGMAX(name, T) POSITION_KERNEL(name, argmax)
#define COUNT_KERNEL(name)                                                                                   \
    { .arrays = 1, .slot = 8, .width = 1, .init = count_init, .row = count_##name##_row,                     \
      .col = count_##name##_col, .merge = count_merge }
#define FOR_REALS(X)                                                                                         \
    [GARRAY_BOOL] = X(u8, uint8_t), [GARRAY_INT8] = X(i8, int8_t), [GARRAY_INT16] = X(i16, int16_t),         \
    [GARRAY_INT32] = X(i32, int32_t), [GARRAY_INT64] = X(i64, int64_t), [GARRAY_UINT8] = X(u8, uint8_t),     \
    [GARRAY_UINT16] = X(u16, uint16_t), [GARRAY_UINT32] = X(u32, uint32_t), [GARRAY_UINT64] = X(u64, uint64_t), \
    [GARRAY_FLOAT16] = X(f16, int16_t), [GARRAY_BFLOAT16] = X(bf16, int16_t), [GARRAY_FLOAT32] = X(f32, int32_t), \
    [GARRAY_FLOAT64] = X(f64, int64_t)

const garray__order_table GARRAY_ISA_NAME(garray__cpu_reduce_order) = {
    .min = { FOR_REALS(MIN) },
    .max = { FOR_REALS(MAX) },
    .argmin = { FOR_REALS(ARGMIN) },
    .argmax = { FOR_REALS(ARGMAX) },
    .count = {
        [GARRAY_BOOL] = COUNT_KERNEL(8), [GARRAY_INT8] = COUNT_KERNEL(8), [GARRAY_UINT8] = COUNT_KERNEL(8),
        [GARRAY_INT16] = COUNT_KERNEL(16), [GARRAY_UINT16] = COUNT_KERNEL(16), [GARRAY_INT32] = COUNT_KERNEL(32),
        [GARRAY_UINT32] = COUNT_KERNEL(32), [GARRAY_INT64] = COUNT_KERNEL(64), [GARRAY_UINT64] = COUNT_KERNEL(64),
        [GARRAY_FLOAT16] = COUNT_KERNEL(f16), [GARRAY_BFLOAT16] = COUNT_KERNEL(f16),
        [GARRAY_FLOAT32] = COUNT_KERNEL(f32), [GARRAY_FLOAT64] = COUNT_KERNEL(f64),
        [GARRAY_COMPLEX64] = COUNT_KERNEL(c64),
    },
};
