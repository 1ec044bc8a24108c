/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors as wide as the instruction set being compiled for, and the 32 virtual lanes in which sums are taken:
 * item i goes to lane i % 32 whatever the width, and lanes are folded in halves, so the bits do not depend on it.
 * Vectors are a gcc and clang extension; they come without the compiler's licence to reorder anything. */
#ifndef GARRAY_CPU_LANES_H
#define GARRAY_CPU_LANES_H

#include <stdint.h>
#include "cpu/half_block.h"
#include "cpu/vector_bytes.h"
#if defined(__AVX__)
#include <immintrin.h>
#endif

enum { LANES = 32, VECTOR_DOUBLES = VECTOR_BYTES / 8, VECTORS = LANES / VECTOR_DOUBLES };

typedef double vd __attribute__((vector_size(VECTOR_BYTES)));
typedef double vd_any __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef float vf_any __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));

/* gcc takes a conversion of vectors to pieces. */
#if defined(__AVX512F__)
#define LOAD_float(p) ((vd)_mm512_cvtps_pd(_mm256_loadu_ps((const float *)(p))))
#elif defined(__AVX__)
#define LOAD_float(p) ((vd)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(p))))
#else
#define LOAD_float(p) __builtin_convertvector(*(const vf_any *)(p), vd)
#endif
#define LOAD_double(p) (*(const vd_any *)(p))

/* Calls for the lines of n items that are read a little later: on its own a core has too few of them under way. */
#define CALL_AHEAD(p, n)                                                                                      \
    do {                                                                                                      \
        for (int line_ = 0; line_ < (int)((n) * sizeof *(p)); line_ += 64)                                    \
            __builtin_prefetch((const char *)(p) + 2048 + line_);                                             \
    } while (0)

/* s + x; what the rounding lost is added to e. */
static inline double two_sum(double s, double x, double *e)
{
    double t = s + x, b = t - s;
    *e += (s - (t - b)) + (x - b);
    return t;
}

static inline void fold_sum(double *lane, int width)
{
    for (int h = LANES / 2; h >= width; h /= 2)
        for (int j = 0; j < h; j++)
            lane[j] += lane[j + h];
}

static inline void fold_prod(double *lane, int width)
{
    for (int h = LANES / 2; h >= width; h /= 2)
        for (int j = 0; j < h; j++)
            lane[j] *= lane[j + h];
}

static inline void fold_two_sum(double *s, double *e, int width)
{
    for (int h = LANES / 2; h >= width; h /= 2)
        for (int j = 0; j < h; j++) {
            s[j] = two_sum(s[j], s[j + h], &e[j]);
            e[j] += e[j + h];
        }
}

#endif
