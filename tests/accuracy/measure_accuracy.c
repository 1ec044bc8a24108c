/* SPDX-License-Identifier: BSD-3-Clause
 * Measures the elementary functions as programs call them: the largest error in units in the last place, per function
 * and dtype, on one device or two.
 *
 *     measure_accuracy [--device cpu] [--other cuda] [--dtype float32] [--only exp,log] [--points N] [--threads N]
 *
 * One-argument functions of 16-bit floats and float32 are tried on every input unless --points says how many; float64
 * ones and functions of two arguments on that many (10^7 by default): half of them any bits, half of ordinary size, and
 * cases known to be hard.  The references are float64 functions of the C library for 16-bit floats and float32, MPFR for
 * float64, so neither is code of this library; MPFR is asked only where the C library's long double says that the error
 * may be the largest yet.  With --other the results of both devices are compared bit by bit.  A line per function and dtype: name, dtype, device, points, largest error in ulp, where, number of
 * points at which the other device differs (- without one).  Larger than the stated bound, or signs of NaN and infinity
 * that differ from the reference's: exit code 1. */
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <garray/garray.h>
#include "../splitmix.h"

/* ---- references ---- */
enum { BITS = 320 };    /* of MPFR's numbers: enough for the differences in logaddexp() and sigmoid() */

typedef void many(mpfr_t out, const mpfr_t x, const mpfr_t y);

static double sigmoid1(double x) { return 1 / (1 + exp(-x)); }
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static double rsqrt1(double x) { return 1 / sqrt(x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static double logaddexp2(double x, double y)
{
    if (x == y)
        return x + 0.69314718055994530942;
    return x > y ? x + log1p(exp(y - x)) : x < y ? y + log1p(exp(x - y)) : x + y;
}
static long double logaddexpl(long double x, long double y)
{
    if (x == y)
        return x + 0.693147180559945309417232121458176568L;
    return x > y ? x + log1pl(expl(y - x)) : x < y ? y + log1pl(expl(x - y)) : x + y;
}

#define OF_MPFR(name, function)                                                                              \
    static void name##_many(mpfr_t out, const mpfr_t x, const mpfr_t y)                                      \
    {                                                                                                        \
        (void)y;                                                                                             \
        function(out, x, MPFR_RNDN);                                                                         \
    }
#define OF_MPFR_TWO(name, function)                                                                          \
    static void name##_many(mpfr_t out, const mpfr_t x, const mpfr_t y) { function(out, x, y, MPFR_RNDN); }
OF_MPFR(exp, mpfr_exp)
OF_MPFR(expm1, mpfr_expm1)
OF_MPFR(log, mpfr_log)
OF_MPFR(log1p, mpfr_log1p)
OF_MPFR(log2, mpfr_log2)
OF_MPFR(log10, mpfr_log10)
OF_MPFR(sin, mpfr_sin)
OF_MPFR(cos, mpfr_cos)
OF_MPFR(tan, mpfr_tan)
OF_MPFR(asin, mpfr_asin)
OF_MPFR(acos, mpfr_acos)
OF_MPFR(atan, mpfr_atan)
OF_MPFR(sinh, mpfr_sinh)
OF_MPFR(cosh, mpfr_cosh)
OF_MPFR(tanh, mpfr_tanh)
OF_MPFR(asinh, mpfr_asinh)
OF_MPFR(acosh, mpfr_acosh)
OF_MPFR(atanh, mpfr_atanh)
OF_MPFR(sqrt, mpfr_sqrt)
OF_MPFR(cbrt, mpfr_cbrt)
OF_MPFR(exp2, mpfr_exp2)
OF_MPFR(rsqrt, mpfr_rec_sqrt)
OF_MPFR(erf, mpfr_erf)
OF_MPFR(erfc, mpfr_erfc)
OF_MPFR(gamma, mpfr_gamma)
OF_MPFR_TWO(pow, mpfr_pow)
OF_MPFR_TWO(atan2, mpfr_atan2)
OF_MPFR_TWO(hypot, mpfr_hypot)

static void lgamma_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    int sign;
    (void)y;
    mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}

static void sigmoid_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    (void)y;
    mpfr_neg(out, x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void logaddexp_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    const bool above = mpfr_greater_p(x, y);
    mpfr_sub(out, above ? y : x, above ? x : y, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_log1p(out, out, MPFR_RNDN);
    mpfr_add(out, out, above ? x : y, MPFR_RNDN);
}

static double logaddexp2_1(double x, double y)
{
    if (x == y)
        return x + 1;
    return x > y ? x + log1p(exp2(y - x)) * M_LOG2E : x < y ? y + log1p(exp2(x - y)) * M_LOG2E : x + y;
}

static long double logaddexp2_1l(long double x, long double y)
{
    const long double log2e = 1.442695040888963407359924681001892137L;
    if (x == y)
        return x + 1;
    return x > y ? x + log1pl(exp2l(y - x)) * log2e : x < y ? y + log1pl(exp2l(x - y)) * log2e : x + y;
}

static void logaddexp2_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    const bool above = mpfr_greater_p(x, y);
    mpfr_t unit;
    mpfr_init2(unit, BITS);
    mpfr_const_log2(unit, MPFR_RNDN);
    mpfr_sub(out, above ? y : x, above ? x : y, MPFR_RNDN);
    mpfr_exp2(out, out, MPFR_RNDN);
    mpfr_log1p(out, out, MPFR_RNDN);
    mpfr_div(out, out, unit, MPFR_RNDN);
    mpfr_add(out, out, above ? x : y, MPFR_RNDN);
    mpfr_clear(unit);
}

/* The series of I0, whose terms are positive. */
static long double i0l(long double x)
{
    const long double u = x * x / 4;
    long double term = 1, sum = 1;
    if (isnan(x) || fabsl(x) > 720)
        return fabsl(x) > 720 ? INFINITY : x;
    for (int k = 1; term > sum * 0x1p-70L; k++)
        sum += term *= u / ((long double)k * k);
    return sum;
}
static double i01(double x) { return (double)i0l(x); }

static void i0_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    mpfr_t u, term, least;
    (void)y;
    mpfr_inits2(BITS, u, term, least, (mpfr_ptr)0);
    mpfr_sqr(u, x, MPFR_RNDN);
    mpfr_div_ui(u, u, 4, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(out, 1, MPFR_RNDN);
    for (unsigned long k = 1; k < 4000; k++) {
        mpfr_mul(term, term, u, MPFR_RNDN);
        mpfr_div_ui(term, term, k * k, MPFR_RNDN);
        mpfr_add(out, out, term, MPFR_RNDN);
        mpfr_mul_2si(least, out, -200, MPFR_RNDN);
        if (mpfr_less_p(term, least))
            break;
    }
    mpfr_clears(u, term, least, (mpfr_ptr)0);
}

/* Newton's steps, halved by their curvature, on erf, or on erfc where that is small, from Winitzki's approximation. */
static long double erfinvl(long double x)
{
    const long double size = fabsl(x), w = logl((1 - size) * (1 + size)), part = 2 / (M_PI * 0.147L) + w / 2;
    if (!(size < 1))
        return size == 1 ? copysignl(INFINITY, x) : NAN;
    long double y = size < 1e-5L ? size / M_2_SQRTPI : sqrtl(sqrtl(part * part - w / 0.147L) - part);
    for (int i = 0; i < 4; i++) {
        const long double rest = size < 0.5L ? erfl(y) - size : (1 - size) - erfcl(y);
        const long double step = rest * expl(y * y) * 0.886226925452758013649083741670572591L;
        y -= step / (1 + y * step);
    }
    return copysignl(y, x);
}
static double erfinv1(double x) { return (double)erfinvl(x); }

static void erfinv_many(mpfr_t out, const mpfr_t x, const mpfr_t y)
{
    mpfr_t rest, step, size;
    (void)y;
    mpfr_inits2(BITS, rest, step, size, (mpfr_ptr)0);
    mpfr_abs(size, x, MPFR_RNDN);
    mpfr_set_ld(out, erfinvl(mpfr_get_ld(size, MPFR_RNDN)), MPFR_RNDN);
    for (int i = 0; i < 3; i++) {
        if (mpfr_cmp_d(size, 0.5) < 0) {
            mpfr_erf(rest, out, MPFR_RNDN);
            mpfr_sub(rest, rest, size, MPFR_RNDN);
        } else {
            mpfr_erfc(rest, out, MPFR_RNDN);
            mpfr_add(rest, rest, size, MPFR_RNDN);
            mpfr_ui_sub(rest, 1, rest, MPFR_RNDN);
        }
        mpfr_sqr(step, out, MPFR_RNDN);
        mpfr_exp(step, step, MPFR_RNDN);
        mpfr_mul(rest, rest, step, MPFR_RNDN);
        mpfr_const_pi(step, MPFR_RNDN);
        mpfr_sqrt(step, step, MPFR_RNDN);
        mpfr_mul(rest, rest, step, MPFR_RNDN);
        mpfr_div_ui(rest, rest, 2, MPFR_RNDN);
        mpfr_sub(out, out, rest, MPFR_RNDN);
    }
    mpfr_copysign(out, out, x, MPFR_RNDN);
    mpfr_clears(rest, step, size, (mpfr_ptr)0);
}

typedef struct function {
    const char *name;
    int op, arguments;
    double (*one)(double);
    long double (*onel)(long double);
    double (*two)(double, double);
    long double (*twol)(long double, long double);
    many *exact;
} function;

#define ONE(name, reference) { #name, GARRAY_OP_##name, 1, reference, reference##l, NULL, NULL, name##_many }
#define OWN(name, reference, wide) { #name, GARRAY_OP_##name, 1, reference, wide, NULL, NULL, name##_many }
#define TWO(name, reference, wide) { #name, GARRAY_OP_##name, 2, NULL, NULL, reference, wide, name##_many }
static const function functions[] = {
    ONE(exp, exp),     ONE(expm1, expm1), ONE(log, log),     ONE(log1p, log1p), ONE(log2, log2),   ONE(log10, log10),
    ONE(sin, sin),     ONE(cos, cos),     ONE(tan, tan),     ONE(asin, asin),   ONE(acos, acos),   ONE(atan, atan),
    ONE(sinh, sinh),   ONE(cosh, cosh),   ONE(tanh, tanh),   ONE(asinh, asinh), ONE(acosh, acosh), ONE(atanh, atanh),
    ONE(sqrt, sqrt),   ONE(cbrt, cbrt),   ONE(exp2, exp2),   OWN(rsqrt, rsqrt1, rsqrtl),
    ONE(erf, erf),     ONE(erfc, erfc),   OWN(sigmoid, sigmoid1, sigmoidl),     ONE(gamma, tgamma),
    ONE(lgamma, lgamma), OWN(erfinv, erfinv1, erfinvl),              OWN(i0, i01, i0l),
    TWO(pow, pow, powl), TWO(atan2, atan2, atan2l), TWO(hypot, hypot, hypotl), TWO(logaddexp, logaddexp2, logaddexpl),
    TWO(logaddexp2, logaddexp2_1, logaddexp2_1l),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- dtypes ---- */
typedef struct format {
    const char *name;
    garray_dtype dtype;
    int bytes, digits, least;   /* of the significand; exponent of the smallest number */
} format;

static const format formats[] = {
    { "float16", GARRAY_FLOAT16, 2, 11, -24 },
    { "bfloat16", GARRAY_BFLOAT16, 2, 8, -133 },
    { "float32", GARRAY_FLOAT32, 4, 24, -149 },
    { "float64", GARRAY_FLOAT64, 8, 53, -1074 },
};

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double x = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h >> 15 ? -x : x;
}

static double value_of(const format *f, const void *items, int64_t i)
{
    if (f->dtype == GARRAY_FLOAT64)
        return ((const double *)items)[i];
    if (f->dtype == GARRAY_FLOAT32)
        return ((const float *)items)[i];
    uint16_t h = ((const uint16_t *)items)[i];
    if (f->dtype == GARRAY_FLOAT16)
        return half_value(h);
    uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- points ---- */
/* Float64 inputs that are hard for some function: close to a multiple of pi/2, to 1, to where results leave the range. */
static const double hard[] = {
    0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.921fb54442d18p+30, 0x1.fffffffffffffp-1,
    0x1.0000000000001p+0, 0x1.62e42fefa39efp+9, -0x1.74910d52d3051p+9, 0x1.2b7151628aed3p+8, 0x1p-1074, 0x1p-1022, 0x1p-30,
    0x1.fffffffffffffp+1023, 0x1p-53, 0x1.8p-27, 22, 711, -745.2, 170.6, 1.4616321449683622, -2.0000000000000004,
    0x1.2345678p+20, 0x1p+52, 0x1p+53, 0.5, 0.49999999999999994, 0x1.b7e151628aed3p+1,
};
enum { HARD = sizeof hard / sizeof *hard };

static void random_items(const format *f, uint64_t *state, int64_t n, void *items)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = splitmix(state);
        double ordinary = ldexp((double)(int64_t)splitmix(state), -60);     /* below 8 */
        if (f->dtype == GARRAY_FLOAT64) {
            if (word & 1)
                ((double *)items)[i] = word & 2 ? ordinary : ordinary * 64;
            else if (word % 1000 == 0)
                ((double *)items)[i] = (word & 1024 ? -1 : 1) * hard[word / 1000 % HARD];
            else
                ((uint64_t *)items)[i] = splitmix(state);
        } else if (f->dtype == GARRAY_FLOAT32) {
            if (word & 1)
                ((float *)items)[i] = (float)ordinary;
            else
                ((uint32_t *)items)[i] = (uint32_t)(word >> 32);
        } else {
            ((uint16_t *)items)[i] = (uint16_t)(word >> 48);
        }
    }
}

/* ---- one block on the devices ---- */
enum { BLOCK = 1 << 24, THREADS = 256 };

typedef struct worst {
    double ulps;
    double at[2];
    int64_t special;            /* points where NaN or an infinity is wrong */
} worst;

typedef struct block {
    const function *f;
    const format *form;
    int64_t begin, n;           /* its first point, and how many */
    bool every;                 /* the points are the bits themselves */
    void *in[2];                /* host memory */
    garray_t *a, *b;            /* the same as arrays of the CPU, without a copy */
    void *out[2];               /* what each device gave */
} block;

/* Runs over a block, a share of it in each thread. */
typedef struct share {
    void (*work)(const block *, int64_t begin, int64_t end, int which, worst *);
    const block *b;
    int64_t begin, end;
    int which;
    worst found;
} share;

static void *share_runs(void *arg)
{
    share *s = arg;
    s->work(s->b, s->begin, s->end, s->which, &s->found);
    mpfr_free_cache();
    return NULL;
}

static void in_threads(int threads, void (*work)(const block *, int64_t, int64_t, int, worst *), const block *b, int which, worst *w)
{
    share shares[THREADS];
    pthread_t thread[THREADS];
    const double sofar = w->ulps;
    for (int t = 0; t < threads; t++) {
        shares[t] = (share){ work, b, b->n * t / threads, b->n * (t + 1) / threads, which, { sofar, { 0, 0 }, 0 } };
        if (t > 0 && pthread_create(&thread[t], NULL, share_runs, &shares[t]) != 0)
            exit(2);
    }
    share_runs(&shares[0]);
    for (int t = 0; t < threads; t++) {
        if (t > 0)
            pthread_join(thread[t], NULL);
        w->special += shares[t].found.special;
        if (shares[t].found.ulps > w->ulps) {
            w->ulps = shares[t].found.ulps;
            memcpy(w->at, shares[t].found.at, sizeof w->at);
        }
    }
}

static void fill(const block *b, int64_t begin, int64_t end, int which, worst *w)
{
    (void)which;
    (void)w;
    if (b->every) {
        for (int64_t i = begin; i < end; i++)
            if (b->form->bytes == 4)
                ((uint32_t *)b->in[0])[i] = (uint32_t)(b->begin + i);
            else
                ((uint16_t *)b->in[0])[i] = (uint16_t)(b->begin + i);
        return;
    }
    /* a sequence of its own for every 2^16 points, so that the points do not depend on the threads */
    for (int k = 0; k < 2; k++)
        for (int64_t i = begin; i < end;) {
            int64_t place = b->begin + i, stop = i + 0x10000 - place % 0x10000;
            uint64_t state = (uint64_t)(place / 0x10000) * 2 + (uint64_t)k, skip = state;
            state = splitmix(&skip);
            random_items(b->form, &state, stop < end ? stop - i : end - i, (char *)b->in[k] + i * b->form->bytes);
            i = stop;
        }
}

static garray_status run(const block *b, garray_device device, void *out)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *z = NULL;
    if (device.type == GARRAY_DEVICE_CPU) {
        x = garray_retain(b->a);
        y = garray_retain(b->b);
        GARRAY_TRY(garray_frombuffer(out, (size_t)(b->n * b->form->bytes), b->form->dtype, NULL, NULL, NULL, &z));
    } else {
        GARRAY_TRY(garray_to_device(b->a, device, &x));
        GARRAY_TRY(garray_to_device(b->b, device, &y));
    }
    const garray_operand operands[2] = { garray_operand_array(x), garray_operand_array(y) };
    garray_t **outs[1] = { device.type == GARRAY_DEVICE_CPU ? garray_into(z) : &z };
    GARRAY_TRY(garray_ufunc((garray_op)b->f->op, b->f->arguments, operands, NULL, 1, outs));
    return device.type == GARRAY_DEVICE_CPU ? GARRAY_OK : garray_to_host(z, out, NULL, (size_t)(b->n * b->form->bytes));
}

/* ---- comparing ---- */

/* As frexp(), of what is not subnormal in float64, and inlined: it runs 2^32 times a function. */
static inline int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 2047) - 1022;
}

static inline double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void note(worst *w, double error, double x, double y)
{
    if (error > w->ulps) {
        w->ulps = error;
        w->at[0] = x;
        w->at[1] = y;
    }
}

/* NaN and what is beyond the range: true if that settles it. */
static bool settle(const format *form, double got, double reference, worst *w)
{
    if (isnan(reference) || isnan(got)) {
        w->special += isnan(reference) != isnan(got);
        return true;
    }
    double largest = form->dtype == GARRAY_FLOAT16 ? 65504 : form->dtype == GARRAY_BFLOAT16 ? 0x1.fep127
                     : form->dtype == GARRAY_FLOAT32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (isinf(got) || isinf(reference) || fabs(reference) > largest) {
        /* beyond the range: the infinity, or the largest number where rounding may stop there */
        bool near = fabs(reference) >= largest * (1 - ldexp(1, -form->digits)) && fabs(got) >= largest;
        w->special += !(near && (reference > 0) == (got > 0));
        return true;
    }
    return false;
}

static int unit_of(const format *form, double reference)
{
    int exponent = exponent_of(reference) - form->digits;
    return exponent > form->least ? exponent : form->least;
}

static void compare_item(const block *b, double got, double reference, double x, double y, worst *w)
{
    /* the difference of near numbers is exact in float64 */
    if (!settle(b->form, got, reference, w))
        note(w, fabs(got - reference) * power_of_two(-unit_of(b->form, reference)), x, y);
}

static void compare_narrow(const block *b, int64_t begin, int64_t end, int which, worst *w)
{
    for (int64_t i = begin; i < end; i++) {
        double x = value_of(b->form, b->in[0], i), y = b->f->arguments == 2 ? value_of(b->form, b->in[1], i) : 0;
        compare_item(b, value_of(b->form, b->out[which], i), b->f->arguments == 2 ? b->f->two(x, y) : b->f->one(x), x, y, w);
    }
}

/* 2^32 points a function: what is rounded as the reference is not looked at again, its error is at most half a unit. */
static void compare_float32(const block *b, int64_t begin, int64_t end, int which, worst *w)
{
    const float *xs = b->in[0], *outs = b->out[which];
    if (b->f->arguments == 2) {
        compare_narrow(b, begin, end, which, w);
        return;
    }
    w->ulps = fmax(w->ulps, 0.5);
    for (int64_t i = begin; i < end; i++) {
        const double reference = b->f->one(xs[i]);
        if ((float)reference != outs[i])
            compare_item(b, outs[i], reference, xs[i], 0, w);
    }
}

static void compare_float64(const block *b, int64_t begin, int64_t end, int which, worst *w)
{
    const double *xs = b->in[0], *ys = b->in[1], *outs = b->out[which];
    mpfr_t x, y, z;
    mpfr_inits2(BITS, x, y, z, (mpfr_ptr)0);
    for (int64_t i = begin; i < end; i++) {
        const long double wide = b->f->arguments == 2 ? b->f->twol(xs[i], ys[i]) : b->f->onel(xs[i]);
        if (settle(b->form, outs[i], (double)wide, w))
            continue;
        int unit = unit_of(b->form, (double)wide);
        /* the long double is off by less than .01 of a unit, or by more and then the result seems to be */
        if ((double)scalbnl(fabsl(outs[i] - wide), -unit) < w->ulps - 0.01)
            continue;
        mpfr_set_d(x, xs[i], MPFR_RNDN);
        mpfr_set_d(y, ys[i], MPFR_RNDN);
        b->f->exact(z, x, y);
        unit = unit_of(b->form, mpfr_get_d(z, MPFR_RNDN));
        mpfr_sub_d(z, z, outs[i], MPFR_RNDN);
        mpfr_mul_2si(z, z, -unit, MPFR_RNDN);
        note(w, fabs(mpfr_get_d(z, MPFR_RNDN)), xs[i], ys[i]);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* Items with other bits; all NaN are one. */
static int64_t differing(const format *form, int64_t n, const char *a, const char *b)
{
    int64_t count = 0;
    if (memcmp(a, b, (size_t)(n * form->bytes)) == 0)
        return 0;
    for (int64_t i = 0; i < n; i++)
        if (memcmp(a + i * form->bytes, b + i * form->bytes, (size_t)form->bytes) != 0)
            count += !(isnan(value_of(form, a, i)) && isnan(value_of(form, b, i)));
    return count;
}

typedef struct options {
    const char *device, *other, *dtype, *only;
    int64_t points;             /* 0: all there are, or 10^7 */
    int threads;
} options;

/* What the documentation promises. */
static double bound_of(const function *f, const format *form, bool gpu)
{
    bool gamma = f->op == GARRAY_OP_gamma || f->op == GARRAY_OP_lgamma;
    if (form->dtype == GARRAY_FLOAT64)
        return gpu ? 2 : 1;
    return gamma ? 1 : 0.51;
}

static bool measure(const function *f, const format *form, const options *o)
{
    block b = { .f = f, .form = form };
    garray_device device[2];
    worst w[2] = { { 0, { 0, 0 }, 0 }, { 0, { 0, 0 }, 0 } }, unused = w[0];
    int64_t differs = 0, all = f->arguments == 1 && form->bytes < 8 ? INT64_C(1) << 8 * form->bytes : 0;
    int64_t points = o->points ? o->points : all ? all : 10000000;
    void (*const compare)(const block *, int64_t, int64_t, int, worst *) =
        form->dtype == GARRAY_FLOAT64 ? compare_float64 : form->dtype == GARRAY_FLOAT32 ? compare_float32 : compare_narrow;
    bool good = true;
    int devices = o->other ? 2 : 1;
    b.every = all && points >= all;
    if (b.every)
        points = all;
    GARRAY_CHECK(garray_device_parse(o->device, &device[0]));
    if (o->other)
        GARRAY_CHECK(garray_device_parse(o->other, &device[1]));
    for (int k = 0; k < 2; k++) {
        b.in[k] = aligned_alloc(64, (size_t)BLOCK * 8);
        b.out[k] = aligned_alloc(64, (size_t)BLOCK * 8);
        if (!b.in[k] || !b.out[k])
            exit(2);
    }
    for (b.begin = 0; b.begin < points; b.begin += BLOCK) {
        b.n = points - b.begin < BLOCK ? points - b.begin : BLOCK;
        in_threads(o->threads, fill, &b, 0, &unused);
        GARRAY_CHECK(garray_frombuffer(b.in[0], (size_t)(b.n * form->bytes), form->dtype, NULL, NULL, NULL, &b.a));
        GARRAY_CHECK(garray_frombuffer(b.in[1], (size_t)(b.n * form->bytes), form->dtype, NULL, NULL, NULL, &b.b));
        int64_t others = 0;
        for (int k = 0; k < devices; k++) {
            GARRAY_CHECK(run(&b, device[k], b.out[k]));
            if (k == 1)
                others = differing(form, b.n, b.out[0], b.out[1]);
            /* equal bits have equal errors */
            if (k == 0 || others > 0)
                in_threads(o->threads, compare, &b, k, &w[k]);
            else if (w[0].ulps > w[1].ulps)
                w[1].ulps = w[0].ulps, memcpy(w[1].at, w[0].at, sizeof w->at);
        }
        differs += others;
    }
    if (devices == 2 && differs == 0)
        w[1] = w[0];
    for (int k = 0; k < devices; k++) {
        bool gpu = device[k].type != GARRAY_DEVICE_CPU;
        printf("%s\t%s\t%s\t%lld\t%.4f\t", f->name, form->name, k ? o->other : o->device, (long long)points, w[k].ulps);
        if (w[k].ulps == 0.5 && w[k].at[0] == 0 && w[k].at[1] == 0)
            printf("-");        /* everywhere rounded as the reference */
        else if (f->arguments == 2)
            printf("%a,%a", w[k].at[0], w[k].at[1]);
        else
            printf("%a", w[k].at[0]);
        if (devices == 2)
            printf("\t%lld", (long long)differs);
        else
            printf("\t-");
        printf("\t%lld\n", (long long)w[k].special);
        fflush(stdout);
        good = good && w[k].special == 0 && w[k].ulps <= bound_of(f, form, gpu);
    }
    garray_release(b.a);
    garray_release(b.b);
    for (int k = 0; k < 2; k++) {
        free(b.in[k]);
        free(b.out[k]);
    }
    return good;
}

static bool chosen(const char *list, const char *name)
{
    size_t n = strlen(name);
    if (!list)
        return true;
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    options o = { .device = "cpu", .threads = 1 };
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0 || !value) {
            printf("usage: %s [--device cpu] [--other cuda] [--dtype float32,float64] [--only exp,log] [--points N] [--threads N]\n"
                   "function, dtype, device, points, largest error in ulp, where, points at which the other device differs,\n"
                   "points with a wrong NaN or infinity\n", argv[0]);
            return strcmp(argv[i], "--help") == 0 ? 0 : 2;
        }
        if (strcmp(argv[i], "--device") == 0)
            o.device = value;
        else if (strcmp(argv[i], "--other") == 0)
            o.other = value;
        else if (strcmp(argv[i], "--dtype") == 0)
            o.dtype = value;
        else if (strcmp(argv[i], "--only") == 0)
            o.only = value;
        else if (strcmp(argv[i], "--points") == 0)
            o.points = atoll(value);
        else if (strcmp(argv[i], "--threads") == 0)
            o.threads = atoi(value);
        else {
            fprintf(stderr, "%s: unknown option %s; --help tells\n", argv[0], argv[i]);
            return 2;
        }
        i++;
    }
    if (o.threads < 1 || o.threads > THREADS)
        o.threads = 1;
    bool good = true;
    for (int i = 0; i < FUNCTIONS; i++)
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
            if (chosen(o.only, functions[i].name) && chosen(o.dtype, formats[k].name))
                good = measure(&functions[i], &formats[k], &o) && good;
    return good ? 0 : 1;
}
