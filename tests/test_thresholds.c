/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of float64 where their results overflow, become subnormal or 0 or 1, and where formulas change: every
 * number next to such a place, against the C library's long double functions. */
#include <float.h>
#include "test.h"

enum { NEAR = 60, SPREAD = 200, PLACES = 12 };

static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }

typedef struct function {
    const char *name;
    garray_op op;
    long double (*one)(long double), (*two)(long double, long double);
    double at[PLACES], other[PLACES];       /* up to the first 0; the second argument */
    bool even;                              /* at -x too */
} function;

#define ONE(f, even, ...) { #f, GARRAY_OP_##f, f##l, NULL, { __VA_ARGS__ }, { 0 }, even }
#define TINY 5e-324, DBL_MIN, 0x1p-54, 0x1p-28
static const function functions[] = {
    ONE(exp, false, 709.782712893384, 709.0, 708.0, -708.0, -708.3964185322641, -744.4400719213812, -745.1332191019412, TINY),
    ONE(exp2, false, 1024.0, -1022.0, -1074.0, -1075.0, TINY),
    ONE(expm1, true, 709.782712893384, 36.7368005696771, 37.42994775023705, 0.34657359027997264, 36.67, TINY),
    ONE(sinh, true, 710.4758600739439, 709.782712893384, 18.714973875118524, 0.34657359027997264, TINY),
    ONE(cosh, true, 710.4758600739439, 709.782712893384, 18.714973875118524, 0.34657359027997264, TINY),
    ONE(tanh, true, 19.06154746539849, 18.714973875118524, 0.17328679513998632, TINY),
    ONE(sigmoid, true, 709.782712893384, 745.1332191019412, 36.7368005696771, TINY),
    ONE(log, false, DBL_MAX, 0x1p1022, DBL_MIN, 5e-324, 1.0, M_SQRT2, M_SQRT1_2),
    ONE(log2, false, DBL_MAX, DBL_MIN, 5e-324, 1.0, M_SQRT2, M_SQRT1_2),
    ONE(log10, false, DBL_MAX, DBL_MIN, 5e-324, 1.0, M_SQRT2, M_SQRT1_2),
    ONE(log1p, false, DBL_MAX, 1e300, 0x1p53, TINY, -5e-324, -DBL_MIN, -0x1p-54, -0x1p-28, -1.0),
    ONE(sin, true, 0x1p24, DBL_MAX, M_PI, M_PI_2, M_PI_4, TINY),
    ONE(cos, true, 0x1p24, DBL_MAX, M_PI, M_PI_2, M_PI_4, TINY),
    ONE(tan, true, 0x1p24, DBL_MAX, M_PI, M_PI_2, M_PI_4, TINY),
    ONE(asin, true, 1.0, 0.5, TINY),
    ONE(acos, true, 1.0, 0.5, TINY),
    ONE(atan, true, DBL_MAX, 0x1p53, 1.0, TINY),
    ONE(asinh, true, DBL_MAX, 0x1p512, 1e150, 0x1p53, TINY),
    ONE(acosh, false, DBL_MAX, 0x1p512, 1e150, 0x1p53, 1.0),
    ONE(atanh, true, 1.0, 0.5, TINY),
    ONE(cbrt, true, DBL_MAX, 1.0, TINY),
    ONE(rsqrt, false, DBL_MAX, 0x1p-900, 1.0, TINY),
    ONE(erf, true, 5.863584748755167, 1.0, TINY),
    ONE(erfc, false, 26.543258430632299, 27.226017111108363, -5.863584748755167, 0.5, 28.0, TINY),
    { "gamma", GARRAY_OP_gamma, tgammal, NULL, { 171.62437695630272, -170.56749726612, -177.5, -182.9, 8, TINY }, { 0 }, false },
    { "lgamma", GARRAY_OP_lgamma, lgammal, NULL, { 2.556348e305, 0x1p60, 0.5, 1.5, 2.5, 8, TINY }, { 0 }, false },
    { "pow", GARRAY_OP_pow, NULL, powl, { 2, 2, 2, 10, 0.5, 0.5, 1.0000001, 1e154, 1e-154, 7 },
      { 1024, -1022, -1074, 308.2547155599167, 1022, 1074, 7.0978271289338e9, 2, 2.0130718954248366, -383.3 }, false },
    { "atan2", GARRAY_OP_atan2, NULL, atan2l, { 0x1p-1000, 0x1p-1022, 0x1p-1060, DBL_MAX, DBL_MAX },
      { 0x1p22, 0x1p52, 1, 1, DBL_MAX },
      true },
    { "hypot", GARRAY_OP_hypot, NULL, hypotl, { 1.2711610061536462e308, DBL_MAX, DBL_MIN, 5e-324, 0x1p-500 },
      { 1.2711610061536462e308, 1, DBL_MIN, 5e-324, 0x1p-530 }, true },
};

static int compare(const function *f, int64_t n, const double *x, const double *y, const double *got)
{
    const double bound = test_on_gpu() ? 2 : 1;
    for (int64_t i = 0; i < n; i++) {
        const long double expected = f->one ? f->one(x[i]) : f->two(x[i], y[i]);
        const double rounded = (double)expected;
        if (isnan(rounded) || rounded == 0 || isinf(rounded) || isinf(got[i])) {
            /* the infinity or the largest number where rounding may stop at either */
            const bool last = fabsl(expected) >= DBL_MAX && fabs(got[i]) >= DBL_MAX && (expected > 0) == (got[i] > 0);
            /* 0 or the least number, of which half is next to here */
            const bool least = fabsl(expected) < 0x1p-1074L && fabs(got[i]) <= 0x1p-1074 && !signbit(got[i]) == !signbit(rounded);
            if (!TEST_EXPECT(last || least || (isnan(got[i]) && isnan(rounded)), "%s(%a, %a) is %a, not %La", f->name, x[i],
                             f->one ? 0 : y[i], got[i], expected))
                return 1;
            continue;
        }
        int exponent;
        frexp(rounded, &exponent);
        exponent = exponent - 53 > -1074 ? exponent - 53 : -1074;
        const double ulps = (double)ldexpl(fabsl(got[i] - expected), -exponent);
        if (!TEST_EXPECT(ulps <= bound, "%s(%a, %a) is %a, by %.3f ulp", f->name, x[i], f->one ? 0 : y[i], got[i], ulps))
            return 1;
    }
    return 0;
}

/* The numbers next to a place, and some in its neighbourhood. */
static int64_t around(double place, double *x)
{
    int64_t n = 0;
    double up = place, down = place;
    for (int i = 0; i < NEAR; i++) {
        x[n++] = up;
        x[n++] = down;
        up = nextafter(up, INFINITY);
        down = nextafter(down, -INFINITY);
    }
    for (int i = 1; i <= SPREAD; i++) {
        x[n++] = place * (1 + i * 0x1.6a09ep-17);
        x[n++] = place * (1 - i * 0x1.6a09ep-17);
    }
    return n;
}

Test(thresholds, against_long_double)
{
    if (LDBL_MANT_DIG < 64)
        return;
    double x[2 * (NEAR + SPREAD)], y[2 * (NEAR + SPREAD)];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        for (int sign = 1; sign >= (functions[k].even ? -1 : 1); sign -= 2)
            for (int p = 0; p < PLACES && functions[k].at[p] != 0; p++) {
                const function *f = &functions[k];
                const int64_t n = around(sign * f->at[p], x);
                for (int64_t i = 0; i < n; i++)
                    y[i] = f->other[p];
                test_context("%s next to %g", f->name, f->at[p]);
                garray_t *u = test_array(GARRAY_FLOAT64, TEST_CONTIGUOUS, GARRAY_SHAPE(n), x), *z = NULL;
                garray_t *v = test_array(GARRAY_FLOAT64, TEST_CONTIGUOUS, GARRAY_SHAPE(n), y);
                const garray_operand operands[] = { garray_operand_array(u), garray_operand_array(v) };
                garray_t **outs[] = { &z };
                if (TEST_OK(garray_ufunc(f->op, f->one ? 1 : 2, operands, NULL, 1, outs))) {
                    double *got = test_read(z);
                    compare(f, n, x, y, got);
                    free(got);
                }
                garray_release(u);
                garray_release(v);
                garray_release(z);
            }
}
