/* SPDX-License-Identifier: BSD-3-Clause
 * Quicksort and quickselect of unsigned keys with AVX-512, after Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512"
 * (IJACSA 8, 2017): a vector's keys below the pivot are compressed to one end, the others to the other end; runs of up
 * to 16 vectors are sorted in registers by bitonic networks (Batcher, 1968). */
#include "cpu/sort_vector.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#include <string.h>

enum { VECTORS = 16 };

#define KEYS(bits, K, LANES, MASK, ...)                                                                      \
    enum { FEW##bits = LANES * VECTORS };                                                                    \
    static const K lane##bits[] = { __VA_ARGS__ };                                                           \
    /* Lanes i and i ^ by in order, the higher of them where i & by is set. */                               \
    static inline __m512i order##bits(__m512i v, int by, MASK upper)                                         \
    {                                                                                                        \
        __m512i at = _mm512_xor_si512(_mm512_loadu_si512(lane##bits), _mm512_set1_epi##bits(by));            \
        __m512i w = _mm512_permutexvar_epi##bits(at, v);                                                     \
        return _mm512_mask_max_epu##bits(_mm512_min_epu##bits(v, w), upper, v, w);                           \
    }                                                                                                        \
    static inline __m512i reverse##bits(__m512i v)                                                           \
    {                                                                                                        \
        __m512i at = _mm512_xor_si512(_mm512_loadu_si512(lane##bits), _mm512_set1_epi##bits(LANES - 1));     \
        return _mm512_permutexvar_epi##bits(at, v);                                                          \
    }                                                                                                        \
    /* Each vector, a bitonic sequence, in order. */                                                         \
    static inline __m512i clean##bits(__m512i v)                                                             \
    {                                                                                                        \
        if (LANES == 16)                                                                                     \
            v = order##bits(v, 8, (MASK)0xff00);                                                             \
        v = order##bits(v, 4, (MASK)0xf0f0);                                                                 \
        v = order##bits(v, 2, (MASK)0xcccc);                                                                 \
        return order##bits(v, 1, (MASK)0xaaaa);                                                              \
    }                                                                                                        \
    /* Any vector in order: its runs of 2, 4, 8 (and 16), the second half of each read backwards. */         \
    static inline __m512i arrange##bits(__m512i v)                                                           \
    {                                                                                                        \
        v = order##bits(v, 1, (MASK)0xaaaa);                                                                 \
        v = order##bits(v, 3, (MASK)0xcccc);                                                                 \
        v = order##bits(v, 1, (MASK)0xaaaa);                                                                 \
        v = order##bits(v, 7, (MASK)0xf0f0);                                                                 \
        v = order##bits(v, 2, (MASK)0xcccc);                                                                 \
        v = order##bits(v, 1, (MASK)0xaaaa);                                                                 \
        if (LANES == 16) {                                                                                   \
            v = order##bits(v, 15, (MASK)0xff00);                                                            \
            v = order##bits(v, 4, (MASK)0xf0f0);                                                             \
            v = order##bits(v, 2, (MASK)0xcccc);                                                             \
            v = order##bits(v, 1, (MASK)0xaaaa);                                                             \
        }                                                                                                    \
        return v;                                                                                            \
    }                                                                                                        \
    static inline void exchange##bits(__m512i *a, __m512i *b)                                                \
    {                                                                                                        \
        __m512i low = _mm512_min_epu##bits(*a, *b);                                                          \
        *b = _mm512_max_epu##bits(*a, *b);                                                                   \
        *a = low;                                                                                            \
    }                                                                                                        \
    /* Two sorted halves of `count` vectors (a power of two) become one. */                                  \
    static inline __attribute__((always_inline)) void join##bits(__m512i *v, int count)                      \
    {                                                                                                        \
        for (int i = 0; i < count / 2; i++) {                                                                \
            __m512i other = reverse##bits(v[count - 1 - i]);                                                 \
            exchange##bits(&v[i], &other);                                                                   \
            v[count - 1 - i] = reverse##bits(other);                                                         \
        }                                                                                                    \
        for (int by = count / 4; by > 0; by /= 2)                                                            \
            for (int i = 0; i < count; i++)                                                                  \
                if (!(i & by))                                                                               \
                    exchange##bits(&v[i], &v[i + by]);                                                       \
        for (int i = 0; i < count; i++)                                                                      \
            v[i] = clean##bits(v[i]);                                                                        \
    }                                                                                                        \
    static inline __attribute__((always_inline)) void network##bits(K *a, int64_t n, int count)              \
    {                                                                                                        \
        __m512i v[VECTORS];                                                                                  \
        for (int i = 0; i < count; i++) {                                                                    \
            int64_t left = n - (int64_t)i * LANES;                                                           \
            MASK m = left >= LANES ? (MASK)~(MASK)0 : left > 0 ? (MASK)((1u << left) - 1) : 0;               \
            v[i] = arrange##bits(_mm512_mask_loadu_epi##bits(_mm512_set1_epi##bits(-1), m, a + i * LANES));  \
        }                                                                                                    \
        for (int width = 2; width <= count; width *= 2)                                                      \
            for (int i = 0; i < count; i += width)                                                           \
                join##bits(v + i, width);                                                                    \
        for (int i = 0; i < count; i++) {                                                                    \
            int64_t left = n - (int64_t)i * LANES;                                                           \
            MASK m = left >= LANES ? (MASK)~(MASK)0 : left > 0 ? (MASK)((1u << left) - 1) : 0;               \
            _mm512_mask_storeu_epi##bits(a + i * LANES, m, v[i]);                                            \
        }                                                                                                    \
    }                                                                                                        \
    static __attribute__((noinline)) void few##bits(K *a, int64_t n)                                         \
    {                                                                                                        \
        if (n <= LANES)                                                                                      \
            network##bits(a, n, 1);                                                                          \
        else if (n <= 2 * LANES)                                                                             \
            network##bits(a, n, 2);                                                                          \
        else if (n <= 4 * LANES)                                                                             \
            network##bits(a, n, 4);                                                                          \
        else if (n <= 8 * LANES)                                                                             \
            network##bits(a, n, 8);                                                                          \
        else                                                                                                 \
            network##bits(a, n, 16);                                                                         \
    }                                                                                                        \
    /* The middle one of some keys from all over a. */                                                       \
    static K pivot##bits(const K *a, int64_t n)                                                              \
    {                                                                                                        \
        K some[4 * LANES];                                                                                   \
        const int64_t count = n > 64 * VECTORS * LANES ? 4 * LANES : LANES, step = n / count;                \
        for (int64_t i = 0; i < count; i++)                                                                  \
            some[i] = a[i * step + (step >> 1)];                                                             \
        few##bits(some, count);                                                                              \
        return some[count / 2];                                                                              \
    }                                                                                                        \
    /* One vector, its keys at `valid`, to the two ends of the free room. */                                 \
    static inline __attribute__((always_inline)) void part##bits(K *a, __m512i v, __m512i p, MASK valid, bool up_to,     \
                                                                 int64_t *low, int64_t *high)                \
    {                                                                                                        \
        MASK m = up_to ? _mm512_mask_cmple_epu##bits##_mask(valid, v, p)                                     \
                       : _mm512_mask_cmplt_epu##bits##_mask(valid, v, p);                                    \
        MASK rest = (MASK)(valid & ~m);                                                                      \
        int below = __builtin_popcount(m), above = __builtin_popcount(rest);                                 \
        _mm512_mask_storeu_epi##bits(a + *low, (MASK)((1u << below) - 1), _mm512_maskz_compress_epi##bits(m, v)); \
        *low += below;                                                                                       \
        *high -= above;                                                                                      \
        _mm512_mask_storeu_epi##bits(a + *high, (MASK)((1u << above) - 1), _mm512_maskz_compress_epi##bits(rest, v)); \
    }                                                                                                        \
    /* Keys below the pivot (or up to it) to the front; how many.  Some keys of both ends are kept aside; then a step is \
     * always read from the side with less room, so that both have room for all of it. */                    \
    static inline __attribute__((always_inline)) int64_t deal##bits(K *a, int64_t n, K pivot, bool up_to)    \
    {                                                                                                        \
        enum { STEP = 8 * LANES };                                                                           \
        const __m512i p = _mm512_set1_epi##bits((int##bits)pivot);                                           \
        const MASK all = (MASK)~(MASK)0;                                                                     \
        K kept[3 * STEP];                                                                                    \
        int64_t begin = n % STEP + STEP, end = n - STEP, low = 0, high = n, aside = begin + STEP;            \
        memcpy(kept, a, (size_t)begin * sizeof(K));                                                          \
        memcpy(kept + begin, a + end, STEP * sizeof(K));                                                     \
        while (begin < end) {                                                                                \
            const K *from;                                                                                   \
            if (begin - low <= high - end) {                                                                 \
                from = a + begin;                                                                            \
                begin += STEP;                                                                               \
            } else {                                                                                         \
                end -= STEP;                                                                                 \
                from = a + end;                                                                              \
            }                                                                                                \
            __m512i v[8];                                                                                    \
            for (int i = 0; i < 8; i++)                                                                      \
                v[i] = _mm512_loadu_si512(from + i * LANES);                                                 \
            for (int i = 0; i < 8; i++)                                                                      \
                part##bits(a, v[i], p, all, up_to, &low, &high);                                             \
        }                                                                                                    \
        for (int64_t i = 0; i < aside; i += LANES) {                                                         \
            MASK valid = aside - i >= LANES ? all : (MASK)((1u << (aside - i)) - 1);                         \
            part##bits(a, _mm512_maskz_loadu_epi##bits(valid, kept + i), p, valid, up_to, &low, &high);      \
        }                                                                                                    \
        return low;                                                                                          \
    }                                                                                                        \
    static void quick##bits(K *a, K *b, int64_t n, int left, void (*other)(K *, K *, int64_t))               \
    {                                                                                                        \
        while (n > FEW##bits) {                                                                              \
            if (left-- == 0) {                                                                               \
                other(a, b, n);                                                                              \
                return;                                                                                      \
            }                                                                                                \
            K pivot = pivot##bits(a, n);                                                                     \
            int64_t low = deal##bits(a, n, pivot, false);                                                    \
            if (low == 0) {                     /* the least key: those equal to it are in place */          \
                low = deal##bits(a, n, pivot, true);                                                         \
            } else {                                                                                         \
                quick##bits(a, b, low, left, other);                                                         \
            }                                                                                                \
            a += low;                                                                                        \
            n -= low;                                                                                        \
        }                                                                                                    \
        if (n > 1)                                                                                           \
            few##bits(a, n);                                                                                 \
    }                                                                                                        \
    static K nth##bits(K *a, int64_t n, int64_t k, K (*other)(K *, int64_t, int64_t))                        \
    {                                                                                                        \
        int left = 8;                                                                                        \
        for (int64_t m = n; m > 0; m /= 2)                                                                   \
            left += 2;                                                                                       \
        while (n > FEW##bits) {                                                                              \
            if (left-- == 0)                                                                                 \
                return other(a, n, k);                                                                       \
            K pivot = pivot##bits(a, n);                                                                     \
            int64_t low = deal##bits(a, n, pivot, false);                                                    \
            if (k < low) {                                                                                   \
                n = low;                                                                                     \
                continue;                                                                                    \
            }                                                                                                \
            if (low == 0) {                                                                                  \
                low = deal##bits(a, n, pivot, true);                                                         \
                if (k < low)                                                                                 \
                    return pivot;                                                                            \
            }                                                                                                \
            a += low;                                                                                        \
            n -= low;                                                                                        \
            k -= low;                                                                                        \
        }                                                                                                    \
        few##bits(a, n);                                                                                     \
        return a[k];                                                                                         \
    }                                                                                                        \
    static void sort##bits(K *a, K *b, int64_t n, void (*other)(K *, K *, int64_t))                          \
    {                                                                                                        \
        int left = 8;                                                                                        \
        for (int64_t m = n; m > 0; m /= 2)                                                                   \
            left += 2;                                                                                       \
        quick##bits(a, b, n, left, other);                                                                   \
    }                                                                                                        \
    static void split##bits(K *a, int64_t n, const K *pivots, int count, int64_t *end)                       \
    {                                                                                                        \
        const int middle = count / 2;                                                                        \
        int64_t low = 0;                                                                                     \
        if (count == 0) {                                                                                    \
            end[0] = n;                                                                                      \
            return;                                                                                          \
        }                                                                                                    \
        if (n > FEW##bits) {                                                                                 \
            low = deal##bits(a, n, pivots[middle], false);                                                   \
        } else if (n > 0) {                                                                                  \
            few##bits(a, n);                                                                                 \
            while (low < n && a[low] < pivots[middle])                                                       \
                low++;                                                                                       \
        }                                                                                                    \
        split##bits(a, low, pivots, middle, end);                                                            \
        split##bits(a + low, n - low, pivots + middle + 1, count - middle - 1, end + middle + 1);            \
        for (int i = middle + 1; i <= count; i++)                                                            \
            end[i] += low;                                                                                   \
    }

typedef int int32;
typedef long long int64;
KEYS(32, uint32_t, 16, __mmask16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
KEYS(64, uint64_t, 8, __mmask8, 0, 1, 2, 3, 4, 5, 6, 7)

const garray__vector_sorts GARRAY_ISA_NAME(garray__cpu_vector_sorts) = { sort32, sort64, nth32, nth64, split32, split64 };
#else
const garray__vector_sorts GARRAY_ISA_NAME(garray__cpu_vector_sorts) = { NULL, NULL, NULL, NULL, NULL, NULL };
#endif
