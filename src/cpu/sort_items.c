/* SPDX-License-Identifier: BSD-3-Clause
 * The types of sorted items, each with its copy of the template in sort_items.h. */
#include <string.h>
#include "cpu/sort.h"
#include "cpu/sort_vector.h"

typedef struct {
    uint64_t key, place;
} pair;

/* group: 0 no NaN, 1 in the imaginary part, 2 in the real part, 3 in both, in NumPy's order; in the top bits of
 * place. */
typedef struct {
    uint64_t re, im, place;
} complex_item;

enum { GROUP_SHIFT = 62 };

#define PLAIN_LESS(a, b) ((a) < (b))
#define PLAIN_DIGIT(a, i) ((uint8_t)((a) >> 8 * (i)))

#define ITEM uint8_t
#define NAME(x) key8_##x
#define LESS PLAIN_LESS
#define DIGITS 1
#define DIGIT PLAIN_DIGIT
#include "cpu/sort_items.h"

#define ITEM uint16_t
#define NAME(x) key16_##x
#define LESS PLAIN_LESS
#define DIGITS 2
#define DIGIT PLAIN_DIGIT
#include "cpu/sort_items.h"

#define ITEM uint32_t
#define NAME(x) key32_##x
#define LESS PLAIN_LESS
#define DIGITS 4
#define DIGIT PLAIN_DIGIT
#include "cpu/sort_items.h"

#define ITEM uint64_t
#define NAME(x) key64_##x
#define LESS PLAIN_LESS
#define DIGITS 8
#define DIGIT PLAIN_DIGIT
#include "cpu/sort_items.h"

#define ITEM uint64_t
#define NAME(x) packed_##x
#define LESS PLAIN_LESS
#define DIGITS 4
#define DIGIT(a, i) ((uint8_t)((a) >> (32 + 8 * (i))))
#include "cpu/sort_items.h"

#define ITEM pair
#define NAME(x) pair_##x
#define LESS(a, b) ((a).key < (b).key)
#define DIGITS 8
#define DIGIT(a, i) ((uint8_t)((a).key >> 8 * (i)))
#include "cpu/sort_items.h"

static inline bool complex_less(const complex_item *a, const complex_item *b)
{
    uint64_t ga = a->place >> GROUP_SHIFT, gb = b->place >> GROUP_SHIFT;
    if (ga != gb)
        return ga < gb;
    return a->re != b->re ? a->re < b->re : a->im < b->im;
}

static inline uint8_t complex_digit(const complex_item *a, int i)
{
    return (uint8_t)(i < 8 ? a->im >> 8 * i : i < 16 ? a->re >> 8 * (i - 8) : a->place >> GROUP_SHIFT);
}

#define ITEM complex_item
#define NAME(x) complex_##x
#define LESS(a, b) complex_less(&(a), &(b))
#define DIGITS 17
#define DIGIT(a, i) complex_digit(&(a), i)
#include "cpu/sort_items.h"

/* ---- loading and unloading ----------------------------------------------------------------------------- */
enum { BLOCK = 256 };

static void packed_load(void *items, const void *from, int64_t n, int64_t place, int dtype, garray__key_order order)
{
    uint64_t *a = items;
    uint32_t key[BLOCK];
    int size = dtype == GARRAY_BOOL || dtype == GARRAY_INT8 || dtype == GARRAY_UINT8 ? 1
             : dtype == GARRAY_INT32 || dtype == GARRAY_UINT32 || dtype == GARRAY_FLOAT32 ? 4 : 2;
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t m = n - begin < BLOCK ? n - begin : BLOCK;
        garray__rank32(key, (const char *)from + begin * size, m, dtype, order);
        for (int64_t i = 0; i < m; i++)
            a[begin + i] = (uint64_t)key[i] << 32 | (uint64_t)(place + begin + i);
    }
}

static void packed_places(int64_t *to, const void *items, int64_t n)
{
    const uint64_t *a = items;
    for (int64_t i = 0; i < n; i++)
        to[i] = (int64_t)(a[i] & UINT32_MAX);
}

/* A dtype of 32 bits has pairs where places need more. */
static void pair_load(void *items, const void *from, int64_t n, int64_t place, int dtype, garray__key_order order)
{
    pair *a = items;
    uint64_t key[BLOCK];
    if (dtype != GARRAY_INT64 && dtype != GARRAY_UINT64 && dtype != GARRAY_FLOAT64) {
        for (int64_t begin = 0; begin < n; begin += BLOCK) {
            int64_t m = n - begin < BLOCK ? n - begin : BLOCK;
            packed_load(key, from, m, 0, dtype, order);
            from = (const char *)from + m * (dtype == GARRAY_BOOL || dtype == GARRAY_INT8 || dtype == GARRAY_UINT8 ? 1
                 : dtype == GARRAY_INT32 || dtype == GARRAY_UINT32 || dtype == GARRAY_FLOAT32 ? 4 : 2);
            for (int64_t i = 0; i < m; i++)
                a[begin + i] = (pair){ key[i] >> 32, (uint64_t)(place + begin + i) };
        }
        return;
    }
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t m = n - begin < BLOCK ? n - begin : BLOCK;
        garray__rank64(key, (const uint64_t *)from + begin, m, dtype, order);
        for (int64_t i = 0; i < m; i++)
            a[begin + i] = (pair){ key[i], (uint64_t)(place + begin + i) };
    }
}

static void pair_places(int64_t *to, const void *items, int64_t n)
{
    const pair *a = items;
    for (int64_t i = 0; i < n; i++)
        to[i] = (int64_t)a[i].place;
}

/* A NaN's rank is that of all ones, or 0 where the largest come first. */
static void complex_load(void *items, const void *from, int64_t n, int64_t place, int dtype, garray__key_order order)
{
    complex_item *a = items;
    for (int64_t i = 0; i < n; i++) {
        uint64_t part[2], nan = order == GARRAY_KEY_LARGEST ? 0 : UINT64_MAX;
        if (dtype == GARRAY_COMPLEX128) {
            garray__rank64(part, (const char *)from + i * 16, 2, GARRAY_FLOAT64, order);
        } else {
            uint32_t half[2];
            garray__rank32(half, (const char *)from + i * 8, 2, GARRAY_FLOAT32, order);
            nan = nan ? UINT32_MAX : 0;
            part[0] = half[0];
            part[1] = half[1];
        }
        uint64_t group = (uint64_t)(part[0] == nan) << 1 | (part[1] == nan);
        if (order == GARRAY_KEY_LARGEST)
            group = 3 - group;
        a[i] = (complex_item){ part[0], part[1], group << GROUP_SHIFT | (uint64_t)(place + i) };
    }
}

static void complex_places(int64_t *to, const void *items, int64_t n)
{
    const complex_item *a = items;
    for (int64_t i = 0; i < n; i++)
        to[i] = (int64_t)(a[i].place & ((1ull << GROUP_SHIFT) - 1));
}

/* ---- the table ----------------------------------------------------------------------------------------- */
#define SORT(name, T)                                                                                        \
    static void name##_sort_any(void *a, void *b, int64_t n)                                                 \
    {                                                                                                        \
        name##_sort((T *)a, (T *)b, n);                                                                      \
    }
SORT(key8, uint8_t)
SORT(key16, uint16_t)
SORT(pair, pair)
SORT(complex, complex_item)

/* Equal keys cannot be told apart, and packed ones are never equal: any sort is stable. */
#define VECTOR_SORT(name, bits, most)                                                                        \
    static void name##_sort_any(void *a, void *b, int64_t n)                                                 \
    {                                                                                                        \
        const garray__vector_sorts *v = GARRAY_ISA_PICK(garray__cpu_vector_sorts);                           \
        if (v->sort##bits && n <= (most))                                                                    \
            v->sort##bits((uint##bits##_t *)a, (uint##bits##_t *)b, n, name##_sort);                         \
        else                                                                                                 \
            name##_sort((uint##bits##_t *)a, (uint##bits##_t *)b, n);                                        \
    }
VECTOR_SORT(key32, 32, INT64_MAX)
VECTOR_SORT(key64, 64, INT64_MAX)
VECTOR_SORT(packed, 64, 16384)

#define FUNCTIONS(name, T)                                                                                   \
    static void name##_select_any(void *a, void *b, int64_t n, int64_t k)                                    \
    {                                                                                                        \
        name##_select((T *)a, (T *)b, n, k);                                                                 \
    }                                                                                                        \
    static void name##_merge_any(void *to, const void *x, int64_t nx, const void *y, int64_t ny,             \
                                 int64_t begin, int64_t end)                                                 \
    {                                                                                                        \
        name##_merge_part((T *)to, (const T *)x, nx, (const T *)y, ny, begin, end);                          \
    }
FUNCTIONS(key8, uint8_t)
FUNCTIONS(key16, uint16_t)
FUNCTIONS(key32, uint32_t)
FUNCTIONS(key64, uint64_t)
FUNCTIONS(packed, uint64_t)
FUNCTIONS(pair, pair)
FUNCTIONS(complex, complex_item)

#define ITEMS(name, T, load, places) \
    { sizeof(T), name##_sort_any, name##_select_any, name##_merge_any, load, places }
const garray__items garray__items_of[GARRAY_ITEM_KINDS] = {
    [GARRAY_ITEM_KEY8] = ITEMS(key8, uint8_t, NULL, NULL),
    [GARRAY_ITEM_KEY16] = ITEMS(key16, uint16_t, NULL, NULL),
    [GARRAY_ITEM_KEY32] = ITEMS(key32, uint32_t, NULL, NULL),
    [GARRAY_ITEM_KEY64] = ITEMS(key64, uint64_t, NULL, NULL),
    [GARRAY_ITEM_PACKED] = ITEMS(packed, uint64_t, packed_load, packed_places),
    [GARRAY_ITEM_PAIR] = ITEMS(pair, pair, pair_load, pair_places),
    [GARRAY_ITEM_COMPLEX] = ITEMS(complex, complex_item, complex_load, complex_places),
};
