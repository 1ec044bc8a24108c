/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions of float64 in loops: SLEEF's exp2, erf and lgamma, else the formulas of formula_special.h. Part of
 * vecmath.h. */
#ifndef GARRAY_CPU_VECMATH_SPECIAL_H
#define GARRAY_CPU_VECMATH_SPECIAL_H

UNARY_RARE(exp2, u10, (fabs(x) > 1022))
UNARY(erf, u10)
UNARY_RARE(lgamma, u10, (!(x > 1e-300) | (x > 1e300)))
#define vector_float_power vector_pow

/* The formula over a block, without branches. */
#define FORMULA(name)                                                                                       \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) y[i] = f_##name(a[i]);                          \
    }
FORMULA(rsqrt)
FORMULA(sinc)
FORMULA(sigmoid)
FORMULA(erfc)
FORMULA(erfinv)
FORMULA(gamma)
FORMULA(i0)
#undef FORMULA

/* Blocks with a rare argument are done again, one by one.  The block may be computed in place. */
#define SUM_OF_POWERS(name, binary)                                                                         \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)        \
    {                                                                                                       \
        for (int64_t begin = 0; begin < n; begin += RUN) {                                                  \
            const int64_t m = n - begin < RUN ? n - begin : RUN;                                            \
            double sums[RUN];                                                                               \
            int found = 0;                                                                                  \
            _Pragma("omp simd reduction(|:found)") for (int64_t i = 0; i < m; i++) {                        \
                int rare;                                                                                   \
                sums[i] = f_logaddexp_most(a[begin + i], b[begin + i], binary, &rare);                      \
                found |= rare;                                                                              \
            }                                                                                               \
            for (int64_t i = 0; found && i < m; i++)                                                        \
                sums[i] = f_##name(a[begin + i], b[begin + i]);                                             \
            memcpy(y + begin, sums, (size_t)m * 8);                                                         \
        }                                                                                                   \
    }
SUM_OF_POWERS(logaddexp, 0)
SUM_OF_POWERS(logaddexp2, 1)
#undef SUM_OF_POWERS

static void vector_exp_difference(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t m = n - begin < RUN ? n - begin : RUN;
        garray__f64 difference[RUN];
        for (int64_t i = 0; i < m; i++)
            difference[i] = a[begin + i] - b[begin + i];
        vector_exp(y + begin, difference, m);
    }
}

#endif
