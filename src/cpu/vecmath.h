/* SPDX-License-Identifier: BSD-3-Clause
 * float64 elementary functions by SLEEF at 1 ULP, for the level being compiled.  SLEEF's "finz" forms give the same
 * bits with one, four and eight lanes (all use fma); arguments that are not a full vector are padded.  At level v2
 * the one-lane form needs a processor with fma; where there is none, the C library's functions are used.
 * Results that differ from C99's special values are repaired here. */
#ifndef GARRAY_CPU_VECMATH_H
#define GARRAY_CPU_VECMATH_H

#include <immintrin.h>
#include <math.h>
#include "cpu/scalar.h"

#define GARRAY_VECMATH 1

#if defined(__AVX512F__)
typedef __m512d vector;
#define LANES 8
#define SLEEF(name, ulp) Sleef_finz_##name##d8_##ulp##avx512f
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#elif defined(__AVX2__)
typedef __m256d vector;
#define LANES 4
#define SLEEF(name, ulp) Sleef_finz_##name##d4_##ulp##avx2
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
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

#define UNARY(name, ulp)                                                                                            \
    extern vector SLEEF(name, ulp)(vector);                                                                         \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                                      \
    {                                                                                                               \
        int64_t i = 0;                                                                                              \
        if (!vector_usable()) {                                                                                     \
            for (; i < n; i++)                                                                                      \
                y[i] = f_##name(a[i]);                                                                              \
            return;                                                                                                 \
        }                                                                                                           \
        for (; i + LANES <= n; i += LANES)                                                                          \
            STORE(y + i, SLEEF(name, ulp)(LOAD(a + i)));                                                            \
        if (i < n) {                                                                                                \
            double pa[LANES] = { 0 };                                                                               \
            memcpy(pa, a + i, (size_t)(n - i) * 8);                                                                 \
            STORE(pa, SLEEF(name, ulp)(LOAD(pa)));                                                                  \
            memcpy(y + i, pa, (size_t)(n - i) * 8);                                                                 \
        }                                                                                                           \
    }

#define BINARY(name, ulp)                                                                                           \
    extern vector SLEEF(name, ulp)(vector, vector);                                                                 \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)                \
    {                                                                                                               \
        int64_t i = 0;                                                                                              \
        if (!vector_usable()) {                                                                                     \
            for (; i < n; i++)                                                                                      \
                y[i] = f_##name(a[i], b[i]);                                                                        \
            return;                                                                                                 \
        }                                                                                                           \
        for (; i + LANES <= n; i += LANES)                                                                          \
            STORE(y + i, SLEEF(name, ulp)(LOAD(a + i), LOAD(b + i)));                                               \
        if (i < n) {                                                                                                \
            double pa[LANES] = { 0 }, pb[LANES] = { 0 };                                                            \
            memcpy(pa, a + i, (size_t)(n - i) * 8);                                                                 \
            memcpy(pb, b + i, (size_t)(n - i) * 8);                                                                 \
            STORE(pa, SLEEF(name, ulp)(LOAD(pa), LOAD(pb)));                                                        \
            memcpy(y + i, pa, (size_t)(n - i) * 8);                                                                 \
        }                                                                                                           \
    }

UNARY(acos, u10)
UNARY(acosh, u10)
UNARY(asin, u10)
UNARY(asinh, u10)
UNARY(atan, u10)
UNARY(atanh, u10)
UNARY(cos, u10)
UNARY(cosh, u10)
UNARY(exp, u10)
UNARY(expm1, u10)
UNARY(log, u10)
UNARY(log10, u10)
UNARY(log1p, u10)
UNARY(log2, u10)
UNARY(sin, u10)
UNARY(sinh, u10)
UNARY(tan, u10)
UNARY(tanh, u10)
BINARY(atan2, u10)
BINARY(hypot, u05)
BINARY(pow, u10)

/* As f_logaddexp, block by block. */
static void vector_logaddexp(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)
{
    enum { RUN = 256 };
    for (int64_t begin = 0; begin < n; begin += RUN) {
        int64_t m = n - begin < RUN ? n - begin : RUN;
        double larger[RUN], gap[RUN], bent[RUN];
        for (int64_t i = 0; i < m; i++) {
            const double u = a[begin + i], v = b[begin + i];
            larger[i] = u > v ? u : v;
            /* Equal infinities have no difference. */
            gap[i] = u == v ? 0 : fabs(u - v);
            bent[i] = -gap[i];
        }
        vector_exp(bent, bent, m);
        vector_log1p(bent, bent, m);
        for (int64_t i = 0; i < m; i++)
            y[begin + i] = gap[i] != gap[i] ? gap[i] : larger[i] + (gap[i] == 0 ? 0x1.62e42fefa39efp-1 : bent[i]);
    }
}

#undef UNARY
#undef BINARY
#endif
