/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks in windows.  Items become signed integers in their order.  Small windows are selected in lanes, an output each:
 * medians of an odd number by forgetting the smallest and the largest of a few more than half of the items whenever
 * another one comes (N. Devillard, Fast median search, 1998), other ranks by exchanges; large ones item by item. */
#include <stdbool.h>
#include <string.h>
#include "cpu/lanes.h"
#include "cpu/window.h"

enum { LARGE = 128 };               /* from so many items on a window is large */

typedef int8_t __attribute__((may_alias)) any_int8_t;
typedef int16_t __attribute__((aligned(1), may_alias)) any_int16_t;
typedef int32_t __attribute__((aligned(1), may_alias)) any_int32_t;
typedef int64_t __attribute__((aligned(1), may_alias)) any_int64_t;

/* ---- keys; the second step leads back ---- */
#define KEY_SINT(T, v, infinity) (v)
#define KEY_UINT(T, v, infinity) ((T)((v) ^ (T)((uint64_t)1 << (sizeof(T) * 8 - 1))))
/* NaN: the largest positive one, whatever its sign */
#define MAGNITUDE(T) ((T)(((uint64_t)1 << (sizeof(T) * 8 - 1)) - 1))
#define KEY_FLOAT(T, v, infinity) (((v) & MAGNITUDE(T)) > (T)(infinity) ? MAGNITUDE(T) : FOLD(T, v))
#define FOLD(T, v) ((T)((v) ^ (((v) >> (sizeof(T) * 8 - 1)) & MAGNITUDE(T))))
#define ITEM_SINT(T, v) (v)
#define ITEM_UINT(T, v) KEY_UINT(T, v, 0)
#define ITEM_FLOAT(T, v) FOLD(T, v)

#define KEYS(name, T, kind, infinity)                                                                        \
    static void keys_##name(void *to, const char *from, int64_t step, int64_t n)                             \
    {                                                                                                        \
        T *t = to;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const T v = *(const any_##T *)(from + i * step);                                                 \
            t[i] = KEY_##kind(T, v, infinity);                                                               \
        }                                                                                                    \
    }                                                                                                        \
    static void items_##name(char *to, int64_t step, const void *from, int64_t n)                            \
    {                                                                                                        \
        const T *f = from;                                                                                   \
        for (int64_t i = 0; i < n; i++)                                                                      \
            *(any_##T *)(to + i * step) = ITEM_##kind(T, f[i]);                                              \
    }
KEYS(int8, int8_t, SINT, 0)
KEYS(int16, int16_t, SINT, 0)
KEYS(int32, int32_t, SINT, 0)
KEYS(int64, int64_t, SINT, 0)
KEYS(uint8, int8_t, UINT, 0)
KEYS(uint16, int16_t, UINT, 0)
KEYS(uint32, int32_t, UINT, 0)
KEYS(uint64, int64_t, UINT, 0)
KEYS(float16, int16_t, FLOAT, 0x7c00)
KEYS(bfloat16, int16_t, FLOAT, 0x7f80)
KEYS(float32, int32_t, FLOAT, 0x7f800000)
KEYS(float64, int64_t, FLOAT, 0x7ff0000000000000)

/* ---- selection ---- */
#define SELECT(T)                                                                                            \
    enum { T##_lanes = 64 / (int)sizeof(T) };                                                                \
    static inline void T##_exchange(T *a, T *b)                                                              \
    {                                                                                                        \
        _Pragma("omp simd") for (int l = 0; l < T##_lanes; l++)                                              \
        {                                                                                                    \
            const T x = a[l], y = b[l];                                                                      \
            a[l] = x < y ? x : y;                                                                            \
            b[l] = x < y ? y : x;                                                                            \
        }                                                                                                    \
    }                                                                                                        \
    /* The smallest of m vectors to the first one, the largest to the last one. */                           \
    static inline void T##_ends(T *v, int64_t m)                                                             \
    {                                                                                                        \
        const int64_t lanes = T##_lanes;                                                                     \
        for (int64_t i = 0; i < m / 2; i++)                                                                  \
            T##_exchange(v + i * lanes, v + (m - 1 - i) * lanes);                                            \
        for (int64_t i = 1; i < (m + 1) / 2; i++)                                                            \
            T##_exchange(v, v + i * lanes);                                                                  \
        for (int64_t i = m / 2; i < m - 1; i++)                                                              \
            T##_exchange(v + i * lanes, v + (m - 1) * lanes);                                                \
    }                                                                                                        \
    static void T##_median(T *out, const T *const *item, int64_t all, int64_t i, T *v)       \
    {                                                                                                        \
        const int64_t lanes = T##_lanes;                                                                     \
        int64_t m = all / 2 + 2, next = m < all ? m : all;                                                   \
        m = next;                                                                                            \
        for (int64_t k = 0; k < m; k++)                                                                      \
            memcpy(v + k * lanes, item[k] + i, 64);                                                          \
        for (; m > 2; m--) {                                                                                 \
            T##_ends(v, m);                                                                                  \
            if (next < all)                                                                                  \
                memcpy(v, item[next++] + i, 64);                                                             \
            else                                                                                             \
                break;                                                                                       \
        }                                                                                                    \
        memcpy(out, m > 2 ? v + lanes : v, 64);                                                              \
    }                                                                                                        \
    static void T##_lane_rank(T *out, const T *const *item, int64_t all, int64_t i, int64_t rank, T *v)      \
    {                                                                                                        \
        const int64_t lanes = T##_lanes;                                                                     \
        const bool low = rank < all / 2;                                                                     \
        const int64_t rounds = low ? rank + 1 : all - rank;                                                  \
        for (int64_t k = 0; k < all; k++)                                                                    \
            memcpy(v + k * lanes, item[k] + i, 64);                                                          \
        for (int64_t r = 0; r < rounds; r++)                                                                 \
            for (int64_t k = r + 1; k < all; k++)                                                            \
                T##_exchange(low ? v + r * lanes : v + k * lanes, low ? v + k * lanes : v + r * lanes);      \
        memcpy(out, v + (rounds - 1) * lanes, 64);                                                           \
    }                                                                                                        \
    /* Quickselect (C. A. R. Hoare, Algorithm 65: Find, 1961). */                                            \
    static T T##_find(T *v, int64_t n, int64_t rank)                                                         \
    {                                                                                                        \
        int64_t low = 0, high = n - 1;                                                                       \
        while (low < high) {                                                                                 \
            const T pivot = v[low + (high - low) / 2];                                                       \
            int64_t i = low, j = high;                                                                       \
            while (i <= j) {                                                                                 \
                while (v[i] < pivot)                                                                         \
                    i++;                                                                                     \
                while (pivot < v[j])                                                                         \
                    j--;                                                                                     \
                if (i <= j) {                                                                                \
                    const T t = v[i];                                                                        \
                    v[i++] = v[j];                                                                           \
                    v[j--] = t;                                                                              \
                }                                                                                            \
            }                                                                                                \
            if (rank <= j)                                                                                   \
                high = j;                                                                                    \
            else if (rank >= i)                                                                              \
                low = i;                                                                                     \
            else                                                                                             \
                break;                                                                                       \
        }                                                                                                    \
        return v[rank];                                                                                      \
    }                                                                                                        \
    static void select_##T(void *out_, const void *const *row, int64_t rows, int64_t taps, int64_t rank, void *room, int64_t n)  \
    {                                                                                                        \
        T *out = out_, *v = room;                                                                            \
        const int64_t all = rows * taps, lanes = T##_lanes;                                                  \
        const T **item = (const T **)(v + (all + 2) * lanes);                                                \
        int64_t i = 0;                                                                                       \
        for (int64_t k = 0; k < all; k++)                                                                    \
            item[k] = (const T *)row[k / taps] + k % taps;                                                   \
        for (; all < LARGE && i < n; i += lanes) {                                                           \
            const int64_t at = n - i < lanes && n >= lanes ? n - lanes : i;     /* the last ones twice */    \
            if (n < lanes)                                                                                   \
                break;                                                                                       \
            if (all % 2 && rank == all / 2)                                                                  \
                T##_median(out + at, item, all, at, v);                                                      \
            else                                                                                             \
                T##_lane_rank(out + at, item, all, at, rank, v);                                             \
        }                                                                                                    \
        for (; i < n; i++) {                                                                                 \
            for (int64_t k = 0; k < all; k++)                                                                \
                v[k] = item[k][i];                                                                           \
            out[i] = T##_find(v, all, rank);                                                                 \
        }                                                                                                    \
    }
SELECT(int8_t)
SELECT(int16_t)
SELECT(int32_t)
SELECT(int64_t)

#define FOR_ALL(part)                                                                                        \
    {                                                                                                        \
        [GARRAY_INT8] = part##_int8, [GARRAY_INT16] = part##_int16, [GARRAY_INT32] = part##_int32,           \
        [GARRAY_INT64] = part##_int64, [GARRAY_UINT8] = part##_uint8, [GARRAY_UINT16] = part##_uint16,       \
        [GARRAY_UINT32] = part##_uint32, [GARRAY_UINT64] = part##_uint64, [GARRAY_FLOAT16] = part##_float16, \
        [GARRAY_BFLOAT16] = part##_bfloat16, [GARRAY_FLOAT32] = part##_float32, [GARRAY_FLOAT64] = part##_float64\
    }

const garray__rank_kernels GARRAY_ISA_NAME(garray__cpu_rank_kernels) = {
    .keys = FOR_ALL(keys), .items = FOR_ALL(items),
    .select = {
        [GARRAY_INT8] = select_int8_t, [GARRAY_INT16] = select_int16_t, [GARRAY_INT32] = select_int32_t,
        [GARRAY_INT64] = select_int64_t, [GARRAY_UINT8] = select_int8_t, [GARRAY_UINT16] = select_int16_t,
        [GARRAY_UINT32] = select_int32_t, [GARRAY_UINT64] = select_int64_t, [GARRAY_FLOAT16] = select_int16_t,
        [GARRAY_BFLOAT16] = select_int16_t, [GARRAY_FLOAT32] = select_int32_t, [GARRAY_FLOAT64] = select_int64_t,
    },
};
