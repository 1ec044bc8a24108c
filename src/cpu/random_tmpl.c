/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws over a range of elements, compiled per level.  What a draw is stands in core/philox.h; here
 * blocks are made a vector at a time, and the few rejected integers are drawn again one by one. */
#include "core/draw_narrow.h"
#include "cpu/half_block.h"
#include "cpu/philox_blocks.h"

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

/* n numbers of float32 as dtype. */
static void store_narrow(int dtype, char *out, const float *f, int64_t n)
{
    if (dtype == GARRAY_FLOAT32)
        memcpy(out, f, (size_t)n * 4);
    else if (dtype == GARRAY_FLOAT16)
        garray__narrow_half((garray__u16 *)out, f, n);
    else
        garray__narrow_bfloat((garray__u16 *)out, f, n);
}

static void normal(const garray_random_plan *p, char *out, const uint32_t *word, int64_t n)
{
    double z[WORDS / 2];
    for (int64_t i = 0; i < (n + 1) / 2; i++)
        garray__normal_pair(wide(word, 2 * i), wide(word, 2 * i + 1), &z[2 * i], &z[2 * i + 1]);
    for (int64_t i = 0; i < n; i++) {
        const double scaled = p->high * z[i];
        z[i] = p->low + scaled;
    }
    memcpy(out, z, (size_t)n * 8);
}

static void normal_narrow(const garray_random_plan *p, char *out, const uint32_t *word, int64_t n)
{
    float z[WORDS];
    const bool plain = p->low == 0 && p->high == 1;
    for (int64_t i = 0; i < (n + 1) / 2; i++)
        garray__narrow_normal(word[2 * i], word[2 * i + 1], &z[2 * i], &z[2 * i + 1]);
    for (int64_t i = 0; !plain && i < n; i++) {
        const double scaled = p->high * (double)z[i];
        z[i] = (float)(p->low + scaled);
    }
    store_narrow(p->dtype, out, z, n);
}

static void exponential_narrow(const garray_random_plan *p, char *out, const uint32_t *word, int64_t n)
{
    float z[WORDS];
    const double scale = p->number[0];
    for (int64_t i = 0; i < n; i++)
        z[i] = garray__narrow_draw(word[i]);
    for (int64_t i = 0; scale != 1 && i < n; i++)
        z[i] = (float)(scale * (double)z[i]);
    store_narrow(p->dtype, out, z, n);
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
        case GARRAY_RANDOM_NORMAL: (narrow ? normal_narrow : normal)(p, out, word, n); break;
        case GARRAY_RANDOM_exponential: exponential_narrow(p, out, word, n); break;
        case GARRAY_RANDOM_INTEGERS: integers(p, out, word, i, n); break;
        default: memcpy(out, word, (size_t)(n * itemsize));
        }
    }
}

const garray__cpu_drawer GARRAY_ISA_NAME(garray__cpu_drawer) = { draw };
