/* SPDX-License-Identifier: BSD-3-Clause
 * Philox blocks, a vector of them at a time, for the level being compiled. */
#ifndef GARRAY_CPU_PHILOX_BLOCKS_H
#define GARRAY_CPU_PHILOX_BLOCKS_H

#include <string.h>
#include "core/philox.h"
#include "cpu/random.h"
#include "cpu/vector_bytes.h"
#if defined(__x86_64__)
#include <immintrin.h>
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

/* The words of the blocks first .. first + BLOCKS - 1; counters one lane each.  Even lanes hold the first
 * half of the blocks and odd lanes the second, which is how they come out in order. */
static void draw_attempt(uint32_t *out, const garray_random_plan *p, uint64_t first, uint64_t attempt)
{
    const lanes none = { 0 }, k0 = none + 0xd2511f53u, k1 = none + 0xcd9e8d57u, low = none + UINT32_MAX;
    lanes order;
    for (unsigned i = 0; i < LANES; i++)
        order[i] = i / 2 + i % 2 * (LANES / 2);
    for (uint64_t begin = 0; begin < BLOCKS; begin += LANES, out += 4 * LANES) {
        lanes c0 = order + (first + begin), c1 = c0 >> 32, c2 = none + (p->stream | attempt << 56), c3 = c2 >> 32;
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

static void draw_blocks(uint32_t *out, const garray_random_plan *p, uint64_t first)
{
    draw_attempt(out, p, first, 0);
}

static uint64_t wide(const uint32_t *word, int64_t i)
{
    return word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
}

#endif
