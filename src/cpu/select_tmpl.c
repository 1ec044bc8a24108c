/* SPDX-License-Identifier: BSD-3-Clause
 * Boolean selection without branches: every item is written where the next selected one belongs, and the place moves
 * on if it was selected.  The loops stop with the last selected item, so nothing is written behind it.  With AVX-512
 * a vector at a time is compressed. */
#include <string.h>
#include "cpu/scalar.h"
#include "cpu/select.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

static int64_t count(const uint8_t *mask, int64_t n)
{
    int64_t total = 0, i = 0;
    for (; i + 192 <= n; i += 192) {    /* so many ones fit a byte */
        uint8_t some = 0;
        for (int j = 0; j < 192; j++)
            some += mask[i + j] != 0;
        total += some;
    }
    for (; i < n; i++)
        total += mask[i] != 0;
    return total;
}

typedef struct {
    uint64_t part[2];
} pair;

#define PLAIN(T)                                                                                             \
    for (; done < total; i++) {                                                                              \
        memcpy(to + done * (int64_t)sizeof(T), from + i * (int64_t)sizeof(T), sizeof(T));                    \
        done += mask[i] != 0;                                                                                \
    }

#if defined(__AVX512F__)
/* Writes whole vectors as long as there is room for them. */
#define COMPRESS(T, lanes, compress)                                                                         \
    for (; i + lanes <= n && done + lanes <= total; i += lanes) {                                            \
        __m128i m = _mm_setzero_si128();                                                                     \
        memcpy(&m, mask + i, lanes);                                                                         \
        unsigned bits = _mm_test_epi8_mask(m, m);                                                            \
        __m512i v = _mm512_loadu_si512(from + i * (int64_t)sizeof(T));                                       \
        _mm512_storeu_si512(to + done * (int64_t)sizeof(T), compress(bits, v));                              \
        done += __builtin_popcount(bits);                                                                    \
    }
#define COMPRESS_4 COMPRESS(uint32_t, 16, COMPRESS_32)
#define COMPRESS_8 COMPRESS(uint64_t, 8, COMPRESS_64)
#define COMPRESS_32(bits, v) _mm512_maskz_compress_epi32((__mmask16)(bits), v)
#define COMPRESS_64(bits, v) _mm512_maskz_compress_epi64((__mmask8)(bits), v)
#else
#define COMPRESS_4
#define COMPRESS_8
#endif

#define ITEMS(name, T, vectors)                                                                              \
    static void name(char *to, const char *from, const uint8_t *mask, int64_t n, int64_t total)              \
    {                                                                                                        \
        int64_t i = 0, done = 0;                                                                             \
        (void)n;                                                                                             \
        vectors                                                                                              \
        PLAIN(T)                                                                                             \
    }
ITEMS(items_1, uint8_t, )
ITEMS(items_2, uint16_t, )
ITEMS(items_4, uint32_t, COMPRESS_4)
ITEMS(items_8, uint64_t, COMPRESS_8)
ITEMS(items_16, pair, )

static void places(int64_t *to, int64_t first, const uint8_t *mask, int64_t n, int64_t total)
{
    int64_t i = 0, done = 0;
    (void)n;
#if defined(__AVX512F__)
    __m512i at = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    for (; i + 8 <= n && done + 8 <= total; i += 8) {
        __m128i m = _mm_loadl_epi64((const void *)(mask + i));
        unsigned bits = _mm_test_epi8_mask(m, m);
        _mm512_storeu_si512(to + done, COMPRESS_64(bits, at));
        done += __builtin_popcount(bits);
        at = _mm512_add_epi64(at, _mm512_set1_epi64(8));
    }
#endif
    for (; done < total; i++) {
        to[done] = first + i;
        done += mask[i] != 0;
    }
}

const garray__select_kernels GARRAY_ISA_NAME(garray__cpu_select_kernels) = {
    .count = count,
    .items = { items_1, items_2, items_4, items_8, items_16 },
    .places = places,
};
