/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection, a word of 64 mask items at a time.  With AVX-512 vectors are compressed; else the set bits of a word
 * are found one by one if they are few, or every item is written where the next selected one belongs, and the place moves
 * on if it was selected. */
#include <string.h>
#include "core/complex.h"
#include "cpu/select.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { FEW = 12 };              /* set bits of a word, or fewer: found one by one */

/* The bits of 64 bytes. */
static inline uint64_t word_of(const uint8_t *mask)
{
#if defined(__AVX512BW__)
    const __m512i v = _mm512_loadu_si512(mask);
    return _mm512_test_epi8_mask(v, v);
#elif defined(__SSE2__)
    uint64_t none = 0;
    for (int k = 0; k < 4; k++) {
        const __m128i v = _mm_loadu_si128((const void *)(mask + 16 * k));
        none |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) << 16 * k;
    }
    return ~none;
#else
    uint64_t bits = 0;
    for (int k = 0; k < 64; k++)
        bits |= (uint64_t)(mask[k] != 0) << k;
    return bits;
#endif
}

static int64_t count(uint64_t *bits, const uint8_t *mask, int64_t n)
{
    int64_t total = 0, i = 0;
    for (; i + 64 <= n; i += 64) {
        const uint64_t word = word_of(mask + i);
        total += __builtin_popcountll(word);
        bits[i / 64] = word;
    }
    if (i < n) {
        uint8_t last[64] = { 0 };
        memcpy(last, mask + i, (size_t)(n - i));
        bits[i / 64] = word_of(last);
        total += __builtin_popcountll(bits[i / 64]);
    }
    return total;
}

#if defined(__AVX512F__)
/* Parts of `lanes` items; of those that are not selected none is read, there may be none. */
#define COMPRESS(name, T, lanes, part)                                                                       \
    static int64_t name(char *to, const char *from, const uint64_t *bits, int64_t n)                         \
    {                                                                                                        \
        const char *begin = to;                                                                              \
        for (int64_t i = 0; i < n; i += 64) {                                                                \
            uint64_t word = bits[i / 64];                                                                    \
            for (int64_t k = i; word; k += lanes, word >>= lanes) {                                          \
                const unsigned some = (unsigned)(word & ((1u << lanes) - 1));                                \
                part(to, from + k * (int64_t)sizeof(T), some);                                               \
                to += __builtin_popcount(some) * (int)sizeof(T);                                             \
            }                                                                                                \
        }                                                                                                    \
        return (to - begin) / (int64_t)sizeof(T);                                                            \
    }
#define PART_1(to, from, some)                                                                               \
    _mm_storeu_si128((void *)(to), _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32((__mmask16)(some),       \
                     _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8((__mmask16)(some), from)))))
#define PART_2(to, from, some)                                                                               \
    _mm256_storeu_si256((void *)(to), _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32((__mmask16)(some),   \
                        _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16((__mmask16)(some), from)))))
#define PART_4(to, from, some)                                                                               \
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)(some), _mm512_maskz_loadu_epi32((__mmask16)(some), from)))
#define PART_8(to, from, some)                                                                               \
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)(some), _mm512_maskz_loadu_epi64((__mmask8)(some), from)))
/* Each bit twice, for the two halves of an item. */
#define PART_16(to, from, some)                                                                              \
    const unsigned both = _pdep_u32(some, 0x55) * 3;                                                         \
    PART_8(to, from, both)
COMPRESS(items_1, uint8_t, 16, PART_1)
COMPRESS(items_2, uint16_t, 16, PART_2)
COMPRESS(items_4, uint32_t, 16, PART_4)
COMPRESS(items_8, uint64_t, 8, PART_8)
COMPRESS(items_16, garray__c128, 4, PART_16)

/* As 32-bit numbers first, which are widened when all have been found. */
static int64_t places(int64_t *to, int64_t first, const uint64_t *bits, int64_t n)
{
    const int64_t *begin = to;
    enum { PIECE = 1024 };
    uint32_t some[PIECE + 16];
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int64_t piece = 0; piece < n; piece += PIECE) {
        const int64_t end = n - piece < PIECE ? n - piece : PIECE;
        const __m512i base = _mm512_set1_epi64(first + piece);
        int64_t found = 0;
        for (int64_t i = 0; i < end; i += 64) {
            const uint64_t word = bits[(piece + i) / 64];
            for (int k = 0; k < 64 && word; k += 16) {
                const unsigned part = (unsigned)(word >> k) & 0xffff;
                const __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i + k));
                _mm512_storeu_si512(some + found, _mm512_maskz_compress_epi32((__mmask16)part, at));
                found += __builtin_popcount(part);
            }
        }
        for (int64_t i = 0; i < found; i += 8) {
            const __m256i v = _mm256_loadu_si256((const void *)(some + i));
            _mm512_storeu_si512(to + i, _mm512_add_epi64(base, _mm512_cvtepu32_epi64(v)));
        }
        to += found;
    }
    return to - begin;
}
#else
#define ITEMS(name, T)                                                                                       \
    static int64_t name(char *to, const char *from, const uint64_t *bits, int64_t n)                         \
    {                                                                                                        \
        const char *begin = to;                                                                              \
        enum { SIZE = sizeof(T) };                                                                           \
        for (int64_t i = 0; i < n; i += 64, from += 64 * SIZE) {                                             \
            uint64_t word = bits[i / 64];                                                                    \
            const int selected = __builtin_popcountll(word);                                                 \
            if (selected == 64) {                                                                            \
                memcpy(to, from, 64 * SIZE);                                                                 \
                to += 64 * SIZE;                                                                             \
            } else if (selected <= FEW) {                                                                    \
                for (; word; word &= word - 1, to += SIZE)                                                   \
                    memcpy(to, from + __builtin_ctzll(word) * SIZE, SIZE);                                   \
            } else {                                                                                         \
                for (const char *x = from; word; x += SIZE, word >>= 1) {                                    \
                    memcpy(to, x, SIZE);                                                                     \
                    to += (word & 1) * SIZE;                                                                 \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
        return (to - begin) / SIZE;                                                                          \
    }
ITEMS(items_1, uint8_t)
ITEMS(items_2, uint16_t)
ITEMS(items_4, uint32_t)
ITEMS(items_8, uint64_t)
ITEMS(items_16, garray__c128)

static int64_t places(int64_t *to, int64_t first, const uint64_t *bits, int64_t n)
{
    const int64_t *begin = to;
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = bits[i / 64];
        if (__builtin_popcountll(word) <= FEW) {
            for (; word; word &= word - 1)
                *to++ = first + i + __builtin_ctzll(word);
        } else {
            for (int64_t k = first + i; word; k++, word >>= 1) {
                *to = k;
                to += word & 1;
            }
        }
    }
    return to - begin;
}
#endif

const garray__select_kernels GARRAY_ISA_NAME(garray__cpu_select_kernels) = {
    .count = count,
    .items = { items_1, items_2, items_4, items_8, items_16 },
    .places = places,
};
