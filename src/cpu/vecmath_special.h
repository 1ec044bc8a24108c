/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions of float64 in loops: SLEEF's where it has them, else formula_special.h around vector_exp() and its
 * like. Part of vecmath.h. */
#ifndef GARRAY_CPU_VECMATH_SPECIAL_H
#define GARRAY_CPU_VECMATH_SPECIAL_H

#define f_tgamma f_gamma

UNARY_RARE(exp2, u10, (fabs(x) > 1022))
UNARY(erf, u10)
UNARY_RARE(erfc, u15, (x > 26))
/* Next to its underflow SLEEF rounds a second time. */
UNARY_RARE(tgamma, u10, ((fabs(x) < 1e-300) | (x > 170) | (x < -168) | ((x < 0) & (x == rint(x)))))
UNARY_RARE(lgamma, u10, (!(x > 1e-300) | (x > 1e300)))
#define vector_gamma vector_tgamma
#define vector_float_power vector_pow

/* The formula over a block, without branches. */
#define FORMULA(name)                                                                                       \
    static void vector_##name(garray__f64 *y, const garray__f64 *a, int64_t n)                              \
    {                                                                                                       \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) y[i] = f_##name(a[i]);                          \
    }
FORMULA(rsqrt)
FORMULA(sinc)
FORMULA(erfinv)
#undef FORMULA

static void vector_sigmoid(garray__f64 *y, const garray__f64 *a, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t m = n - begin < RUN ? n - begin : RUN;
        garray__f64 power[RUN];
        for (int64_t i = 0; i < m; i++)
            power[i] = -fabs(a[begin + i]);
        vector_exp(power, power, m);
        for (int64_t i = 0; i < m; i++)
            y[begin + i] = f_sigmoid_of(a[begin + i], power[i]);
    }
}

static void vector_i0(garray__f64 *y, const garray__f64 *a, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t m = n - begin < RUN ? n - begin : RUN;
        garray__f64 power[RUN];
        for (int64_t i = 0; i < m; i++) {
            const double x = fabs(a[begin + i]);
            power[i] = x > 700 ? 0.5 * x : x;
        }
        vector_exp(power, power, m);
        for (int64_t i = 0; i < m; i++)
            y[begin + i] = f_i0_of(fabs(a[begin + i]), power[i]);
    }
}

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

/* As vector_logaddexp. */
static void vector_logaddexp2(garray__f64 *y, const garray__f64 *a, const garray__f64 *b, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t m = n - begin < RUN ? n - begin : RUN;
        garray__f64 larger[RUN], gap[RUN], bent[RUN];
        for (int64_t i = 0; i < m; i++) {
            const double u = a[begin + i], v = b[begin + i];
            larger[i] = u > v ? u : v;
            gap[i] = u == v ? 0 : fabs(u - v);
            bent[i] = -gap[i];
        }
        vector_exp2(bent, bent, m);
        vector_log1p(bent, bent, m);
        for (int64_t i = 0; i < m; i++)
            y[begin + i] = gap[i] != gap[i] ? gap[i]
                         : larger[i] + (gap[i] == 0 ? 1 : GARRAY_PRODUCT(bent[i] * E_LOG2E));
    }
}

#endif
