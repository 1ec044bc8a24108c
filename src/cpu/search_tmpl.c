/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search without branches, for groups of values at once: their reads do not wait for each other.  Items are
 * compared as ranks (sort_key.h): integers in NumPy's order. */
#include <stdbool.h>
#include <string.h>
#include "cpu/search.h"

enum { GROUP = 16 };

typedef uint8_t __attribute__((may_alias)) any_uint8_t;
typedef uint16_t __attribute__((may_alias)) any_uint16_t;
typedef uint32_t __attribute__((may_alias)) any_uint32_t;
typedef uint64_t __attribute__((may_alias)) any_uint64_t;

#define TOP(U) ((U)((U)1 << (sizeof(U) * 8 - 1)))
#define RANK_BOOL(U, v, infinity) ((U)((v) != 0))
#define RANK_UINT(U, v, infinity) (v)
#define RANK_SINT(U, v, infinity) ((U)((v) ^ TOP(U)))
#define RANK_FLOAT(U, v, infinity)                                                                           \
    ((U)((v) & (U)~TOP(U)) > (U)(infinity) ? (U)~(U)0                                                        \
     : (v) & (U)~TOP(U) ? ((v) & TOP(U) ? (U)~(v) : (U)((v) | TOP(U))) : TOP(U))

#define NAN_BOOL(U, key) 0
#define NAN_UINT(U, key) 0
#define NAN_SINT(U, key) 0
#define NAN_FLOAT(U, key) ((key) == (U)~(U)0)

/* The number of items below each of up to GROUP keys (bound 0), or not above it (bound 1): of the last `left` items at
 * `base` some may be; half of them are ruled out at a time. */
#define SEARCH(name, U, kind_of_rank, infinity)                                                              \
    static inline U name##_rank(const void *p, int64_t i)                                                    \
    {                                                                                                        \
        U v = ((const any_##U *)p)[i];                                                                       \
        return RANK_##kind_of_rank(U, v, infinity);                                                          \
    }                                                                                                        \
    static inline void name##_bound(int upper, const void *sorted, int64_t n, const U *key, int m, int64_t *base)      \
    {                                                                                                        \
        for (int k = 0; k < m; k++)                                                                          \
            base[k] = 0;                                                                                     \
        int64_t left = n;                                                                                    \
        while (left > 1) {                                                                                   \
            int64_t half = left / 2;                                                                         \
            for (int k = 0; k < m; k++) {                                                                    \
                U v = name##_rank(sorted, base[k] + half - 1);                                               \
                base[k] += (upper ? v <= key[k] : v < key[k]) ? half : 0;                                    \
            }                                                                                                \
            left -= half;                                                                                    \
        }                                                                                                    \
        for (int k = 0; k < m; k++) {                                                                        \
            U v = name##_rank(sorted, base[k]);                                                              \
            base[k] += upper ? v <= key[k] : v < key[k];                                                     \
        }                                                                                                    \
    }                                                                                                        \
    static void name(int kind, const void *sorted, int64_t n, const void *values, int64_t count, void *out)  \
    {                                                                                                        \
        for (int64_t i = 0; i < count; i += GROUP) {                                                         \
            int m = count - i < GROUP ? (int)(count - i) : GROUP;                                            \
            U key[GROUP] = { 0 };                                                                            \
            int64_t base[GROUP];                                                                             \
            for (int k = 0; k < m; k++)                                                                      \
                key[k] = name##_rank(values, i + k);                                                         \
            if (kind == GARRAY_SEARCH_RIGHT)                                                                 \
                name##_bound(1, sorted, n, key, GROUP, base);                                                \
            else                                                                                             \
                name##_bound(0, sorted, n, key, GROUP, base);                                                \
            if (kind != GARRAY_SEARCH_FOUND)                                                                 \
                memcpy((int64_t *)out + i, base, (size_t)m * sizeof *base);                                  \
            else                                                                                             \
                for (int k = 0; k < m; k++) {                                                                \
                    int64_t at = base[k] < n ? base[k] : n - 1;                                              \
                    ((uint8_t *)out)[i + k] = !NAN_##kind_of_rank(U, key[k]) && name##_rank(sorted, at) == key[k];     \
                }                                                                                            \
        }                                                                                                    \
    }

SEARCH(search_bool, uint8_t, BOOL, 0)
SEARCH(search_int8, uint8_t, SINT, 0)
SEARCH(search_int16, uint16_t, SINT, 0)
SEARCH(search_int32, uint32_t, SINT, 0)
SEARCH(search_int64, uint64_t, SINT, 0)
SEARCH(search_uint8, uint8_t, UINT, 0)
SEARCH(search_uint16, uint16_t, UINT, 0)
SEARCH(search_uint32, uint32_t, UINT, 0)
SEARCH(search_uint64, uint64_t, UINT, 0)
SEARCH(search_float16, uint16_t, FLOAT, 0x7c00)
SEARCH(search_bfloat16, uint16_t, FLOAT, 0x7f80)
SEARCH(search_float32, uint32_t, FLOAT, 0x7f800000)
SEARCH(search_float64, uint64_t, FLOAT, 0x7ff0000000000000)

/* Complex items: what is NaN decides first (none, the imaginary part, the real part, both), then the parts. */
#define COMPLEX(name, U, infinity)                                                                           \
    typedef struct {                                                                                         \
        U group, re, im;                                                                                     \
    } name##_key;                                                                                            \
    static inline name##_key name##_rank(const void *p, int64_t i)                                           \
    {                                                                                                        \
        U re = ((const any_##U *)p)[2 * i], im = ((const any_##U *)p)[2 * i + 1];                            \
        re = RANK_FLOAT(U, re, infinity);                                                                    \
        im = RANK_FLOAT(U, im, infinity);                                                                    \
        return (name##_key){ (U)((re == (U)~(U)0) << 1 | (im == (U)~(U)0)), re, im };                        \
    }                                                                                                        \
    static inline bool name##_less(name##_key a, name##_key b)                                               \
    {                                                                                                        \
        return a.group != b.group ? a.group < b.group : a.re != b.re ? a.re < b.re : a.im < b.im;            \
    }                                                                                                        \
    static void name(int kind, const void *sorted, int64_t n, const void *values, int64_t count, void *out)  \
    {                                                                                                        \
        for (int64_t i = 0; i < count; i++) {                                                                \
            name##_key key = name##_rank(values, i);                                                         \
            int64_t low = 0, left = n;                                                                       \
            for (;;) {                                                                                       \
                const int64_t half = left > 1 ? left / 2 : 1;                                                \
                const name##_key v = name##_rank(sorted, low + half - 1);                                    \
                const bool before = kind == GARRAY_SEARCH_RIGHT ? !name##_less(key, v) : name##_less(v, key);\
                low += before ? half : 0;                                                                    \
                if (left <= 1)                                                                               \
                    break;                                                                                   \
                left -= half;                                                                                \
            }                                                                                                \
            if (kind == GARRAY_SEARCH_FOUND)                                                                 \
                ((uint8_t *)out)[i] = !key.group && low < n && !name##_less(key, name##_rank(sorted, low));  \
            else                                                                                             \
                ((int64_t *)out)[i] = low;                                                                   \
        }                                                                                                    \
    }

COMPLEX(search_complex64, uint32_t, 0x7f800000)
COMPLEX(search_complex128, uint64_t, 0x7ff0000000000000)

const garray__search_kernels GARRAY_ISA_NAME(garray__cpu_search_kernels) = { .loop = {
#define GARRAY_DTYPE(value, name, ...) [value] = search_##name,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
} };
