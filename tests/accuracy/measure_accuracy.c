/* SPDX-License-Identifier: BSD-3-Clause
 * Measures the elementary functions as programs call them: the largest error in units in the last place, per function
 * and dtype, on one device or two.
 *
 *     measure_accuracy [--device cpu] [--other cuda] [--dtype float32] [--only exp,log] [--points N] [--threads N]
 *
 * One-argument functions of 16-bit floats and float32 are tried on every input unless --points says how many; float64
 * ones and functions of two arguments on that many (10^7 by default): half of them any bits, half of ordinary size, and
 * cases known to be hard.  The references are float64 functions of the C library for 16-bit floats and float32, 113-bit
 * ones of libquadmath for float64, so neither is code of this library.  With --other the results of both devices are
 * compared bit by bit.  A line per function and dtype: name, dtype, device, points, largest error in ulp, where, number of
 * points at which the other device differs (- without one).  Larger than the stated bound, or signs of NaN and infinity
 * that differ from the reference's: exit code 1. */
#include <math.h>
#include <pthread.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <garray/garray.h>

typedef __float128 quad;

/* ---- references ---- */
static double sigmoid1(double x) { return 1 / (1 + exp(-x)); }
static quad sigmoidq(quad x) { return 1 / (1 + expq(-x)); }
static double rsqrt1(double x) { return 1 / sqrt(x); }
static quad rsqrtq(quad x) { return 1 / sqrtq(x); }
static double logaddexp2(double x, double y)
{
    if (x == y)
        return x + 0.69314718055994530942;
    return x > y ? x + log1p(exp(y - x)) : x < y ? y + log1p(exp(x - y)) : x + y;
}
static quad logaddexpq(quad x, quad y)
{
    if (x == y)
        return x + M_LN2q;
    return x > y ? x + log1pq(expq(y - x)) : x < y ? y + log1pq(expq(x - y)) : x + y;
}
static quad exp2of(quad x) { return powq(2, x); }
static quad tgammaof(quad x) { return tgammaq(x); }

typedef struct function {
    const char *name;
    int op, arguments;
    double (*one)(double);
    quad (*oneq)(quad);
    double (*two)(double, double);
    quad (*twoq)(quad, quad);
} function;

#define ONE(name, reference) { #name, GARRAY_OP_##name, 1, reference, reference##q, NULL, NULL }
#define OWN(name, reference, wide) { #name, GARRAY_OP_##name, 1, reference, wide, NULL, NULL }
#define TWO(name, reference, wide) { #name, GARRAY_OP_##name, 2, NULL, NULL, reference, wide }
static const function functions[] = {
    ONE(exp, exp),     ONE(expm1, expm1), ONE(log, log),     ONE(log1p, log1p), ONE(log2, log2),   ONE(log10, log10),
    ONE(sin, sin),     ONE(cos, cos),     ONE(tan, tan),     ONE(asin, asin),   ONE(acos, acos),   ONE(atan, atan),
    ONE(sinh, sinh),   ONE(cosh, cosh),   ONE(tanh, tanh),   ONE(asinh, asinh), ONE(acosh, acosh), ONE(atanh, atanh),
    ONE(sqrt, sqrt),   ONE(cbrt, cbrt),   OWN(exp2, exp2, exp2of),              OWN(rsqrt, rsqrt1, rsqrtq),
    ONE(erf, erf),     ONE(erfc, erfc),   OWN(sigmoid, sigmoid1, sigmoidq),     OWN(gamma, tgamma, tgammaof),
    ONE(lgamma, lgamma),
    TWO(pow, pow, powq), TWO(atan2, atan2, atan2q), TWO(hypot, hypot, hypotq), TWO(logaddexp, logaddexp2, logaddexpq),
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
static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

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
        uint64_t word = random_word(state);
        double ordinary = ldexp((double)(int64_t)random_word(state), -60);     /* below 8 */
        if (f->dtype == GARRAY_FLOAT64) {
            if (word & 1)
                ((double *)items)[i] = word & 2 ? ordinary : ordinary * 64;
            else if (word % 1000 == 0)
                ((double *)items)[i] = (word & 1024 ? -1 : 1) * hard[word / 1000 % HARD];
            else
                ((uint64_t *)items)[i] = random_word(state);
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
enum { BLOCK = 1 << 24 };

static garray_status run(const function *f, const format *form, garray_device device, int64_t n, void *const *in, void *out)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL, *y = NULL;
    GARRAY_TRY(garray_from_host(in[0], form->dtype, GARRAY_SHAPE(n), NULL, device, &a));
    if (f->arguments == 2)
        GARRAY_TRY(garray_from_host(in[1], form->dtype, GARRAY_SHAPE(n), NULL, device, &b));
    const garray_operand operands[2] = { garray_operand_array(a), garray_operand_array(b) };
    garray_t **outs[1] = { &y };
    GARRAY_TRY(garray_ufunc((garray_op)f->op, f->arguments, operands, NULL, 1, outs));
    return garray_to_host(y, out, NULL, (size_t)(n * form->bytes));
}

/* ---- comparing ---- */
typedef struct worst {
    double ulps;
    double at[2];
    int64_t special;            /* points where NaN or an infinity is wrong */
} worst;

typedef struct share {
    const function *f;
    const format *form;
    void *const *in;
    const void *out;
    int64_t begin, end;
    worst found;
} share;

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

static void compare_item(share *s, int64_t i)
{
    const format *form = s->form;
    double x = value_of(form, s->in[0], i), y = s->f->arguments == 2 ? value_of(form, s->in[1], i) : 0;
    double got = value_of(form, s->out, i), error;
    quad wide = 0;
    double narrow;
    if (form->dtype == GARRAY_FLOAT64) {
        wide = s->f->arguments == 2 ? s->f->twoq((quad)x, (quad)y) : s->f->oneq((quad)x);
        narrow = (double)wide;
    } else {
        narrow = s->f->arguments == 2 ? s->f->two(x, y) : s->f->one(x);
    }
    if (isnan(narrow) || isnan(got)) {
        s->found.special += isnan(narrow) != isnan(got);
        return;
    }
    const int exponent = exponent_of(narrow);
    double largest = form->dtype == GARRAY_FLOAT16 ? 65504 : form->dtype == GARRAY_BFLOAT16 ? 0x1.fep127
                     : form->dtype == GARRAY_FLOAT32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (isinf(got) || isinf(narrow) || fabs(narrow) > largest) {
        /* beyond the range: the infinity, or the largest number where rounding may stop there */
        bool near = fabs(narrow) >= largest * (1 - ldexp(1, -form->digits)) && fabs(got) >= largest;
        s->found.special += !(near && (narrow > 0) == (got > 0));
        return;
    }
    int unit = exponent - form->digits > form->least ? exponent - form->digits : form->least;
    /* against a float64 reference the difference of near numbers is exact in float64 */
    if (form->dtype == GARRAY_FLOAT64)
        error = (double)(fabsq((quad)got - wide) * scalbnq(1, -unit));
    else
        error = fabs(got - narrow) * power_of_two(-unit);
    if (error > s->found.ulps) {
        s->found.ulps = error;
        s->found.at[0] = x;
        s->found.at[1] = y;
    }
}

static void *compare_share(void *arg)
{
    share *s = arg;
    for (int64_t i = s->begin; i < s->end; i++)
        compare_item(s, i);
    return NULL;
}

static void compare(const function *f, const format *form, int64_t n, void *const *in, const void *out, int threads, worst *w)
{
    share shares[256];
    pthread_t thread[256];
    for (int t = 0; t < threads; t++) {
        shares[t] = (share){ f, form, in, out, n * t / threads, n * (t + 1) / threads, { 0, { 0, 0 }, 0 } };
        if (t > 0 && pthread_create(&thread[t], NULL, compare_share, &shares[t]) != 0)
            exit(2);
    }
    compare_share(&shares[0]);
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
        return gamma ? 16 : gpu ? 2 : 1;
    return gamma ? 1 : 0.51;
}

static bool measure(const function *f, const format *form, const options *o)
{
    void *in[2], *out[2];
    garray_device device[2];
    worst w[2] = { { 0, { 0, 0 }, 0 }, { 0, { 0, 0 }, 0 } };
    int64_t differs = 0, all = f->arguments == 1 && form->bytes < 8 ? INT64_C(1) << 8 * form->bytes : 0;
    int64_t points = o->points ? o->points : all ? all : 10000000;
    uint64_t state = 1;
    bool every = all && points >= all, good = true;
    int devices = o->other ? 2 : 1;
    if (every)
        points = all;
    GARRAY_CHECK(garray_device_parse(o->device, &device[0]));
    if (o->other)
        GARRAY_CHECK(garray_device_parse(o->other, &device[1]));
    for (int k = 0; k < 2; k++) {
        in[k] = malloc((size_t)BLOCK * 8);
        out[k] = malloc((size_t)BLOCK * 8);
        if (!in[k] || !out[k])
            exit(2);
    }
    for (int64_t begin = 0; begin < points; begin += BLOCK) {
        int64_t n = points - begin < BLOCK ? points - begin : BLOCK;
        if (every) {
            for (int64_t i = 0; i < n; i++)
                if (form->bytes == 4)
                    ((uint32_t *)in[0])[i] = (uint32_t)(begin + i);
                else
                    ((uint16_t *)in[0])[i] = (uint16_t)(begin + i);
        } else {
            random_items(form, &state, n, in[0]);
            random_items(form, &state, n, in[1]);
        }
        for (int k = 0; k < devices; k++) {
            GARRAY_CHECK(run(f, form, device[k], n, in, out[k]));
            /* equal bits have equal errors */
            if (k == 0 || form->dtype == GARRAY_FLOAT64 || differing(form, n, out[0], out[1]) > 0)
                compare(f, form, n, in, out[k], o->threads, &w[k]);
        }
        if (devices == 2)
            differs += differing(form, n, out[0], out[1]);
    }
    if (devices == 2 && differs == 0)
        w[1] = w[0];
    for (int k = 0; k < devices; k++) {
        bool gpu = device[k].type != GARRAY_DEVICE_CPU;
        printf("%s\t%s\t%s\t%lld\t%.4f\t%a", f->name, form->name, k ? o->other : o->device, (long long)points, w[k].ulps, w[k].at[0]);
        if (f->arguments == 2)
            printf(",%a", w[k].at[1]);
        if (devices == 2)
            printf("\t%lld", (long long)differs);
        else
            printf("\t-");
        printf("\t%lld\n", (long long)w[k].special);
        fflush(stdout);
        good = good && w[k].special == 0 && w[k].ulps <= bound_of(f, form, gpu);
    }
    for (int k = 0; k < 2; k++) {
        free(in[k]);
        free(out[k]);
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
    if (o.threads < 1 || o.threads > 256)
        o.threads = 1;
    bool good = true;
    for (int i = 0; i < FUNCTIONS; i++)
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
            if (chosen(o.only, functions[i].name) && chosen(o.dtype, formats[k].name))
                good = measure(&functions[i], &formats[k], &o) && good;
    return good ? 0 : 1;
}
