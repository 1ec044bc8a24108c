/* SPDX-License-Identifier: BSD-3-Clause
 * The loops over the formulas of vecmath_exp.h, vecmath_log.h and vecmath_trig.h.  Part of vecmath.h.  A block may be
 * computed in place; what a number gives does not depend on the others in its block. */
#ifndef GARRAY_CPU_VECMATH_FORMULAS_H
#define GARRAY_CPU_VECMATH_FORMULAS_H

#include "cpu/vecmath_poly.h"
#include "cpu/vecmath_exp.h"
#include "cpu/vecmath_log.h"
#include "cpu/vecmath_trig.h"

/* Negative where |x| >= limit, or NaN. */
static inline int64_t beyond(double x, double limit)
{
    return (int64_t)(e_bits64(limit) - 1) - (int64_t)(e_bits64(x) & ~(UINT64_C(1) << 63));
}

/* The whole formula, by the C library without fma. */
#define FORMULA(name)                                                                                       \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        if (!vector_usable()) {                                                                             \
            for (int64_t i = 0; i < n; i++)                                                                 \
                y[i] = f_##name(a[i]);                                                                      \
            return;                                                                                         \
        }                                                                                                   \
        for (int64_t begin = 0; begin < n; begin += RUN) {                                                  \
            const int64_t m = n - begin < RUN ? n - begin : RUN;                                            \
            ask_ahead(a + begin, m * 8);                                                                    \
            _Pragma("omp simd") for (int64_t i = begin; i < begin + m; i++) y[i] = v_##name(a[i]);          \
        }                                                                                                   \
    }
FORMULA(expm1)
FORMULA(tanh)
FORMULA(sinh)
FORMULA(cosh)
#undef FORMULA

/* The shorter formula for blocks without the arguments for which edge is negative: the bits are the same. */
#define FORMULA_MOST(name, edge)                                                                            \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        for (int64_t begin = 0; begin < n; begin += RUN) {                                                  \
            const int64_t m = n - begin < RUN ? n - begin : RUN;                                            \
            const garray__f64 *from = a + begin;                                                            \
            garray__f64 *to = y + begin;                                                                    \
            int64_t found = 0;                                                                              \
            ask_ahead(from, m * 8);                                                                         \
            for (int64_t i = 0; i < m; i++) {                                                               \
                const double x = from[i];                                                                   \
                found |= edge;                                                                              \
            }                                                                                               \
            if (!vector_usable())                                                                           \
                for (int64_t i = 0; i < m; i++)                                                             \
                    to[i] = f_##name(from[i]);                                                              \
            else if (found < 0)                                                                             \
                _Pragma("omp simd") for (int64_t i = 0; i < m; i++) to[i] = v_##name(from[i]);              \
            else                                                                                            \
                _Pragma("omp simd") for (int64_t i = 0; i < m; i++) to[i] = v_##name##_most(from[i]);       \
        }                                                                                                   \
    }
FORMULA_MOST(exp, beyond(x, 708))
FORMULA_MOST(log, ((int64_t)e_bits64(x) | (int64_t)(e_bits64(x) - e_bits64(0x1p-1022)) |
                   (int64_t)(e_bits64(0x1p1022) - 1 - e_bits64(x))))
#undef FORMULA_MOST

/* Larger arguments are SLEEF's. */
#define FORMULA_BELOW(name)                                                                                 \
    PLAIN(name, most_##name, u10)                                                                           \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        for (int64_t begin = 0; begin < n; begin += RUN) {                                                  \
            const int64_t m = n - begin < RUN ? n - begin : RUN;                                            \
            const garray__f64 *from = a + begin;                                                            \
            garray__f64 *to = y + begin;                                                                    \
            double large[RUN];                                                                              \
            int64_t found = 0;                                                                              \
            ask_ahead(from, m * 8);                                                                         \
            for (int64_t i = 0; i < m; i++)                                                                 \
                found |= beyond(from[i], V_TRIG_LIMIT);                                                     \
            if (!vector_usable()) {                                                                         \
                most_##name(to, from, m);                                                                   \
            } else if (found < 0) {                                                                         \
                most_##name((garray__f64 *)large, from, m);                                                 \
                _Pragma("omp simd") for (int64_t i = 0; i < m; i++)                                         \
                    to[i] = fabs(from[i]) < V_TRIG_LIMIT ? v_##name(from[i]) : large[i];                    \
            } else {                                                                                        \
                _Pragma("omp simd") for (int64_t i = 0; i < m; i++) to[i] = v_##name(from[i]);              \
            }                                                                                               \
        }                                                                                                   \
    }
FORMULA_BELOW(sin)
FORMULA_BELOW(cos)
#undef FORMULA_BELOW

#endif
