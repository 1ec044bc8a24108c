/* SPDX-License-Identifier: BSD-3-Clause
 * Order statistics of unsigned keys without sorting, and the masks of a partition's groups. */
#include "cpu/pick.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* ---- against a bracket ---- */
#if defined(__AVX512F__)
/* The keys strictly between, a vector at a time; whole vectors are stored, which stays within the n places. */
#define COLLECT_32                                                                                           \
    for (__m512i l = _mm512_set1_epi32((int)low), h = _mm512_set1_epi32((int)high); i + 16 <= n; i += 16) {  \
        __m512i v = _mm512_loadu_si512(keys + i);                                                            \
        __mmask16 m = _mm512_mask_cmplt_epu32_mask(_mm512_cmpgt_epu32_mask(v, l), v, h);                     \
        _mm512_storeu_si512(to + done, _mm512_maskz_compress_epi32(m, v));                                   \
        done += __builtin_popcount(m);                                                                       \
    }
#define COLLECT_64                                                                                           \
    for (__m512i l = _mm512_set1_epi64((long long)low), h = _mm512_set1_epi64((long long)high); i + 8 <= n; i += 8) {  \
        __m512i v = _mm512_loadu_si512(keys + i);                                                            \
        __mmask8 m = _mm512_mask_cmplt_epu64_mask(_mm512_cmpgt_epu64_mask(v, l), v, h);                      \
        _mm512_storeu_si512(to + done, _mm512_maskz_compress_epi64(m, v));                                   \
        done += __builtin_popcount(m);                                                                       \
    }
#else
#define COLLECT_32
#define COLLECT_64
#endif

/* Four counts, of a key's width so that they vectorize, say how the keys lie; few blocks have to be looked at again. */
#define NARROW(name, K, COLLECT)                                                                             \
    static void name(garray__bracket *b, const K *keys, int64_t n)                                           \
    {                                                                                                        \
        const K low = (K)b->low, high = (K)b->high;                                                          \
        K under = 0, to_low = 0, under_high = 0, to_high = 0;                                                \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            under += keys[i] < low;                                                                          \
            to_low += keys[i] <= low;                                                                        \
            under_high += keys[i] < high;                                                                    \
            to_high += keys[i] <= high;                                                                      \
        }                                                                                                    \
        b->below += (int64_t)under;                                                                          \
        b->at_low += (int64_t)(to_low - under);                                                              \
        if (low == high)                                                                                     \
            return;                                                                                          \
        b->at_high += (int64_t)(to_high - under_high);                                                       \
        int64_t between = (int64_t)(under_high - to_low), i = 0, done = 0;                                   \
        b->between += between;                                                                               \
        if (between == 0 || b->between > b->room)                                                            \
            return;                                                                                          \
        K *to = (K *)b->found + b->held;                                                                     \
        b->held += between;                                                                                  \
        if (b->held - between + n <= b->room) {                                                              \
            COLLECT                                                                                          \
            for (; i < n; i++) {                                                                             \
                to[done] = keys[i];                                                                          \
                done += keys[i] > low && keys[i] < high;                                                     \
            }                                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        for (; done < between; i++)                                                                          \
            if (keys[i] > low && keys[i] < high)                                                             \
                to[done++] = keys[i];                                                                        \
    }

/* ---- the k-th of a few ---- */
/* Moves the keys where `test` holds to the front, without branches; *front of them. */
#define FRONT(K, keys, begin, n, front, test)                                                                \
    do {                                                                                                     \
        int64_t f_ = begin;                                                                                  \
        for (int64_t j_ = begin; j_ < n; j_++) {                                                             \
            K x = keys[j_];                                                                                  \
            keys[j_] = keys[f_];                                                                             \
            keys[f_] = x;                                                                                    \
            f_ += (test);                                                                                    \
        }                                                                                                    \
        front = f_;                                                                                          \
    } while (0)

/* Quickselect; digits() finds the pivot where many were bad, so the time is linear whatever comes. */
#define NTH(name, K)                                                                                         \
    static K name##_median(const K *a, int64_t n)                                                            \
    {                                                                                                        \
        K x = a[n / 4], y = a[n / 2], z = a[n - 1 - n / 4];                                                  \
        K least = x < y ? x : y, most = x < y ? y : x;                                                       \
        return z < least ? least : z > most ? most : z;                                                      \
    }                                                                                                        \
    static K name##_digits(const K *a, int64_t n, int64_t k)                                                 \
    {                                                                                                        \
        K prefix = 0;                                                                                        \
        for (int shift = 8 * (int)sizeof(K) - 8; shift >= 0; shift -= 8) {                                   \
            int64_t count[256] = { 0 };                                                                      \
            int v = 0;                                                                                       \
            for (int64_t i = 0; i < n; i++)                                                                  \
                if (((a[i] ^ prefix) >> shift) < 256)                                                        \
                    count[(a[i] >> shift) & 255]++;                                                          \
            for (; k >= count[v]; v++)                                                                       \
                k -= count[v];                                                                               \
            prefix |= (K)v << shift;                                                                         \
        }                                                                                                    \
        return prefix;                                                                                       \
    }                                                                                                        \
    static K name(K *a, int64_t n, int64_t k)                                                                \
    {                                                                                                        \
        int left = 16;                                                                                       \
        for (int64_t m = n; m > 0; m /= 2)                                                                   \
            left += 2;                                                                                       \
        for (;;) {                                                                                           \
            K pivot = left-- > 0 ? name##_median(a, n) : name##_digits(a, n, k);                             \
            int64_t less, same;                                                                              \
            FRONT(K, a, 0, n, less, x < pivot);                                                              \
            if (k < less) {                                                                                  \
                n = less;                                                                                    \
                continue;                                                                                    \
            }                                                                                                \
            FRONT(K, a, less, n, same, x == pivot);                                                          \
            if (k < same)                                                                                    \
                return pivot;                                                                                \
            a += same;                                                                                       \
            n -= same;                                                                                       \
            k -= same;                                                                                       \
        }                                                                                                    \
    }

/* ---- groups ---- */
#define WITHIN(name, K)                                                                                      \
    static void name(uint8_t *mask, const K *keys, int64_t n, K low, K high)                                 \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                                      \
            mask[i] = (K)(keys[i] - low) <= (K)(high - low);                                                 \
    }

NARROW(narrow32, uint32_t, COLLECT_32)
NARROW(narrow64, uint64_t, COLLECT_64)
NTH(nth32, uint32_t)
NTH(nth64, uint64_t)
WITHIN(within32, uint32_t)
WITHIN(within64, uint64_t)

const garray__pick_kernels GARRAY_ISA_NAME(garray__cpu_pick_kernels) = {
    .narrow32 = narrow32, .narrow64 = narrow64, .nth32 = nth32, .nth64 = nth64, .within32 = within32, .within64 = within64,
};
