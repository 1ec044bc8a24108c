/* SPDX-License-Identifier: BSD-3-Clause
 * float64 elementary functions for the level being compiled: the exponentials, log, sin and cos by formulas that
 * compilers make vector code of, the others by SLEEF at 1 ULP.  SLEEF's "finz" forms give the same bits with one, four
 * and eight lanes (all use fma); arguments that are not a full vector are padded.  At level v2 a processor with fma is
 * needed; where there is none, the C library's functions are used.  Results of SLEEF that differ from C99's special
 * values are repaired here. */
#ifndef GARRAY_CPU_VECMATH_H
#define GARRAY_CPU_VECMATH_H

#include <immintrin.h>
#include <math.h>
#include "cpu/scalar.h"

#define GARRAY_VECMATH 1

enum { RUN = 128 };         /* arguments at a time, where there is more than one pass over them */

#if defined(__AVX512F__)
typedef __m512d vector;
#define LANES 8
#define SLEEF(name, ulp) Sleef_finz_##name##d8_##ulp##avx512f
#define LOAD(p) _mm512_loadu_pd((const void *)(p))
#define STORE(p, v) _mm512_storeu_pd((void *)(p), v)
#elif defined(__AVX2__)
typedef __m256d vector;
#define LANES 4
#define SLEEF(name, ulp) Sleef_finz_##name##d4_##ulp##avx2
#define LOAD(p) _mm256_loadu_pd((const void *)(p))
#define STORE(p, v) _mm256_storeu_pd((void *)(p), v)
#else
typedef double vector;
#define LANES 1
#define SLEEF(name, ulp) Sleef_finz_##name##d1_##ulp##purecfma
#define LOAD(p) (*(const garray__f64 *)(p))
#define STORE(p, v) (*(garray__f64 *)(p) = (v))
#endif

static inline bool vector_usable(void)
{
#if LANES == 1
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

#define UNARY(name, ulp) PLAIN(name, vector_##name, ulp)

/* SLEEF's acosh overflows, its log1p is no longer right at 1e308, and so on: where rare(x) holds for an
 * argument the C library's function is asked, which is the same at every level.  The block may be computed
 * in place. */
#define UNARY_RARE(name, ulp, rare) UNARY_KEEPING(name, ulp, 0, rare)

/* Of functions that are x next to 0: SLEEF's are up to 1 ulp off where |x| < 2^-28, so x is kept there. */
#define UNARY_ODD(name, ulp, rare) UNARY_KEEPING(name, ulp, 0x1p-28, rare)

#define UNARY_KEEPING(name, ulp, small, rare)                                                               \
    PLAIN(name, most_##name, ulp)                                                                           \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        for (int64_t begin = 0; begin < n; begin += RUN) {                                                  \
            const int64_t m = n - begin < RUN ? n - begin : RUN;                                            \
            double kept[RUN];                                                                               \
            unsigned found = 0;                                                                             \
            for (int64_t i = 0; i < m; i++) {                                                               \
                const double x = kept[i] = a[begin + i];                                                    \
                (void)x;                                                                                    \
                found |= rare;                                                                              \
            }                                                                                               \
            most_##name(y + begin, a + begin, m);                                                           \
            for (int64_t i = 0; small > 0 && i < m; i++)                                                    \
                y[begin + i] = fabs(kept[i]) < small ? kept[i] : y[begin + i];                              \
            for (int64_t i = 0; found && i < m; i++) {                                                      \
                const double x = kept[i];                                                                   \
                if (rare)                                                                                   \
                    y[begin + i] = f_##name(x);                                                             \
            }                                                                                               \
        }                                                                                                   \
    }

#define PLAIN(name, function, ulp)                                                                          \
    extern vector SLEEF(name, ulp)(vector);                                                                 \
    static void function(garray__f64 *y, const garray__f64 *a, int64_t n)                                   \
    {                                                                                                       \
        int64_t i = 0;                                                                                      \
        if (!vector_usable()) {                                                                             \
            for (; i < n; i++)                                                                              \
                y[i] = f_##name(a[i]);                                                                      \
            return;                                                                                         \
        }                                                                                                   \
        for (; i + LANES <= n; i += LANES) {                                                                \
            ask_ahead(a + i, LANES * 8);                                                                    \
            STORE(y + i, SLEEF(name, ulp)(LOAD(a + i)));                                                    \
        }                                                                                                   \
        if (i < n) {                                                                                        \
            double pa[LANES] = { 0 };                                                                       \
            memcpy(pa, a + i, (size_t)(n - i) * 8);                                                         \
            STORE(pa, SLEEF(name, ulp)(LOAD(pa)));                                                          \
            memcpy(y + i, pa, (size_t)(n - i) * 8);                                                         \
        }                                                                                                   \
    }

#define BINARY(word, name, ulp)                                                                             \
    extern vector SLEEF(name, ulp)(vector, vector);                                                         \
    static void vector_##word(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)        \
    {                                                                                                       \
        int64_t i = 0;                                                                                      \
        if (!vector_usable()) {                                                                             \
            for (; i < n; i++)                                                                              \
                y[i] = f_##name(a[i], b[i]);                                                                \
            return;                                                                                         \
        }                                                                                                   \
        for (; i + LANES <= n; i += LANES) {                                                                \
            ask_ahead(a + i, LANES * 8);                                                                    \
            ask_ahead(b + i, LANES * 8);                                                                    \
            STORE(y + i, SLEEF(name, ulp)(LOAD(a + i), LOAD(b + i)));                                       \
        }                                                                                                   \
        if (i < n) {                                                                                        \
            double pa[LANES] = { 0 }, pb[LANES] = { 0 };                                                    \
            memcpy(pa, a + i, (size_t)(n - i) * 8);                                                         \
            memcpy(pb, b + i, (size_t)(n - i) * 8);                                                         \
            STORE(pa, SLEEF(name, ulp)(LOAD(pa), LOAD(pb)));                                                \
            memcpy(y + i, pa, (size_t)(n - i) * 8);                                                         \
        }                                                                                                   \
    }

UNARY(acos, u10)
UNARY_RARE(acosh, u10, (x > 1e150))
UNARY(asin, u10)
UNARY_ODD(asinh, u10, (fabs(x) > 1e150))
UNARY(atan, u10)
UNARY_ODD(atanh, u10, 0)
UNARY(log10, u10)
UNARY_RARE(log1p, u10, ((x > 1e300) | (fabs(x) < 1e-300)))
UNARY(log2, u10)
UNARY_RARE(tan, u10, (fabs(x) < 1e-300))
BINARY(atan2, atan2, u10)
BINARY(power, pow, u10)

/* Next to overflow SLEEF gives infinity too early. */
static void vector_pow(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t m = n - begin < RUN ? n - begin : RUN;
        double p[RUN];
        unsigned found = 0;
        vector_power((garray__f64 *)p, a + begin, b + begin, m);
        for (int64_t i = 0; i < m; i++)
            found |= !(fabs(p[i]) < 1e308);
        for (int64_t i = 0; found && i < m; i++)
            if (!(fabs(p[i]) < 1e308))
                p[i] = f_pow(a[begin + i], b[begin + i]);
        memcpy(y + begin, p, (size_t)m * 8);
    }
}

#include "cpu/vecmath_formulas.h"
#include "cpu/vecmath_special.h"

#undef UNARY
#undef UNARY_RARE
#undef UNARY_ODD
#undef UNARY_KEEPING
#undef PLAIN
#undef BINARY
#endif
