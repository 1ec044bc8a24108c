/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws over a range of elements, compiled per level.  What a draw is stands in core/philox.h; here
 * blocks are made a vector at a time, and the few rejected integers are drawn again one by one. */
#include <string.h>
#include "core/philox.h"
#include "cpu/half_block.h"
#include "cpu/random.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum { LANES = VECTOR_BYTES / 8, BLOCKS = 128, WORDS = BLOCKS * 4 };

/* 32-bit words in 64-bit lanes, whose upper halves are anything: the product of the lower halves is one instruction. */
typedef uint64_t lanes __attribute__((vector_size(VECTOR_BYTES)));
#if defined(__AVX512F__)
#define MULTIPLY(a, b) ((lanes)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#elif defined(__AVX2__)
#define MULTIPLY(a, b) ((lanes)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#else
#if defined(__x86_64__)
#define MULTIPLY(a, b) ((lanes)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#else
#define MULTIPLY(a, b) (((a) & UINT32_MAX) * ((b) & UINT32_MAX))
#endif
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

/* The words of the blocks first .. first + BLOCKS - 1 (attempt 0); counters one lane each.  Even lanes hold the first
 * half of the blocks and odd lanes the second, which is how they come out in order. */
static void draw_blocks(uint32_t *out, const garray_random_plan *p, uint64_t first)
{
    const lanes none = { 0 }, k0 = none + 0xd2511f53u, k1 = none + 0xcd9e8d57u, low = none + UINT32_MAX;
    lanes order;
    for (unsigned i = 0; i < LANES; i++)
        order[i] = i / 2 + i % 2 * (LANES / 2);
    for (uint64_t begin = 0; begin < BLOCKS; begin += LANES, out += 4 * LANES) {
        lanes c0 = order + (first + begin), c1 = c0 >> 32, c2 = none + p->stream, c3 = c2 >> 32;
        uint32_t key0 = (uint32_t)p->seed, key1 = (uint32_t)(p->seed >> 32);
        for (int round = 0; round < 10; round++) {
            const lanes m0 = MULTIPLY(k0, c0), m1 = MULTIPLY(k1, c2);
            c0 = (m1 >> 32) ^ c1 ^ (none + key0);
            c1 = m1;
            c2 = (m0 >> 32) ^ c3 ^ (none + key1);
            c3 = m0;
            key0 += 0x9e3779b9u;
            key1 += 0xbb67ae85u;
        }
        const lanes a = (c0 & low) | c1 << 32, b = (c2 & low) | c3 << 32, x = EVEN(a, b), y = ODD(a, b);
        memcpy(out, &x, sizeof x);
        memcpy(out + 2 * LANES, &y, sizeof y);
    }
}

static uint64_t wide(const uint32_t *word, int64_t i)
{
    return word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
}

/* ---- one buffer of words to n elements ----------------------------------------------------------------- */
static void uniform(const garray_random_plan *p, char *out, const uint32_t *word, int64_t n)
{
    const double low = p->low, high = p->high;
    if (p->dtype == GARRAY_FLOAT64) {
        double v[WORDS / 2];
        for (int64_t i = 0; i < n; i++)
            v[i] = garray__uniform_double(wide(word, i), low, high);
        memcpy(out, v, (size_t)n * 8);
        return;
    }
    if (p->dtype == GARRAY_FLOAT32) {
        garray__f32 *y = (void *)out;
        for (int64_t i = 0; i < n; i++)
            y[i] = garray__uniform_float(word[i], low, high);
        return;
    }
    garray__u16 *y = (void *)out;
    const int bfloat = p->dtype == GARRAY_BFLOAT16;
    for (int64_t i = 0; i < n; i++)
        y[i] = garray__uniform_16(word[i], low, high, bfloat);
}

static void normal(const garray_random_plan *p, char *out, const uint32_t *word, int64_t n)
{
    double z[WORDS / 2 + 1];
    float f[WORDS / 2 + 1];
    for (int64_t i = 0; i < (n + 1) / 2; i++)
        garray__normal_pair(wide(word, 2 * i), wide(word, 2 * i + 1), &z[2 * i], &z[2 * i + 1]);
    for (int64_t i = 0; i < n; i++) {
        const double scaled = p->high * z[i];
        z[i] = p->low + scaled;
    }
    if (p->dtype == GARRAY_FLOAT64) {
        memcpy(out, z, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        f[i] = (float)z[i];
    if (p->dtype == GARRAY_FLOAT32)
        memcpy(out, f, (size_t)n * 4);
    else if (p->dtype == GARRAY_FLOAT16)
        garray__narrow_half((garray__u16 *)out, f, n);
    else
        garray__narrow_bfloat((garray__u16 *)out, f, n);
}

#define STORE_ALL(T)                                                                                        \
    {                                                                                                       \
        T v[WORDS];                                                                                         \
        for (int64_t i = 0; i < n; i++)                                                                     \
            v[i] = (T)value[i];                                                                             \
        memcpy(out, v, (size_t)n * sizeof(T));                                                              \
    }

static void integers(const garray_random_plan *p, char *out, const uint32_t *word, int64_t first, int64_t n)
{
    uint64_t value[WORDS];
    if (p->irange <= UINT32_MAX) {
        const uint64_t range = p->irange + 1;
        const uint32_t least = garray__bounded_least32((uint32_t)p->irange);
        uint32_t rejected = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t m = word[i] * range;
            rejected |= (uint32_t)m < least;
            value[i] = p->ilow + (m >> 32);
        }
        for (int64_t i = 0; rejected && i < n; i++)
            if ((uint32_t)(word[i] * range) < least)
                value[i] = p->ilow + garray__bounded32(p->seed, p->stream, p->position, (uint64_t)(first + i),
                                                       (uint32_t)p->irange, least);
    } else {
        const uint64_t least = garray__bounded_least64(p->irange);
        for (int64_t i = 0; i < n; i++) {
            uint64_t high = wide(word, i), low = UINT64_MAX;
            if (p->irange != UINT64_MAX)
                garray__multiply64(wide(word, i), p->irange + 1, &high, &low);
            if (low < least)
                high = garray__bounded64(p->seed, p->stream, p->position, (uint64_t)(first + i), p->irange,
                                         least);
            value[i] = p->ilow + high;
        }
    }
    switch (garray__cpu_itemsize(p->dtype)) {
    case 1: STORE_ALL(uint8_t) break;
    case 2: STORE_ALL(uint16_t) break;
    case 4: STORE_ALL(uint32_t) break;
    default: STORE_ALL(uint64_t)
    }
}

static void draw(const garray_random_plan *p, bool narrow, int64_t begin, int64_t end)
{
    uint32_t word[WORDS];
    const int itemsize = garray__cpu_itemsize(p->dtype);
    const int64_t step = narrow ? WORDS : WORDS / 2;
    for (int64_t i = begin; i < end; i += step) {
        const int64_t n = end - i < step ? end - i : step;
        char *out = (char *)p->out + i * itemsize;
        draw_blocks(word, p, p->position + (uint64_t)(narrow ? i / 4 : i / 2));
        switch (p->kind) {
        case GARRAY_RANDOM_UNIFORM: uniform(p, out, word, n); break;
        case GARRAY_RANDOM_NORMAL: normal(p, out, word, n); break;
        case GARRAY_RANDOM_INTEGERS: integers(p, out, word, i, n); break;
        default: memcpy(out, word, (size_t)(n * itemsize));
        }
    }
}

const garray__cpu_drawer GARRAY_ISA_NAME(garray__cpu_drawer) = { draw };
