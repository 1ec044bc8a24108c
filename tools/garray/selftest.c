/* SPDX-License-Identifier: BSD-3-Clause
 * garray selftest: results of the library against plain loops, for the machine that it runs on.  Values are small whole
 * numbers where results must be exact in every dtype, and of all kinds where a rounding is allowed for. */
#include <complex.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tool.h"

typedef double _Complex number;

enum { ROWS = 37, COLS = 211, COUNT = ROWS * COLS };

static garray_device device;
static bool verbose;
static int passed, failed, done;
static char context[200];

/* ---- reporting ---- */
static void at(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    enum { ABOUT = 1900 };              /* checks in all, for the bar */
    if (!verbose)
        progress(done < ABOUT ? done : ABOUT, ABOUT, context);
    done++;
}

static void verdict(bool good, const char *format, ...)
{
    va_list args;
    if (good) {
        passed++;
        if (verbose)
            printf("ok      %s\n", context);
        return;
    }
    failed++;
    progress(0, 0, "");
    printf("WRONG   %s: ", context);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Whether a call worked; what no dtype of this kind has is no failure. */
static bool worked(garray_status st)
{
    if (st != GARRAY_OK && st != GARRAY_ERR_DTYPE)
        verdict(false, "%s", garray_error_message());
    return st == GARRAY_OK;
}

/* ---- values ---- */
static unsigned random_state = 1;

static int draw(int low, int high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (int)((random_state >> 8) % (unsigned)(high - low + 1));
}

static bool is_float(garray_dtype d) { return d >= GARRAY_FLOAT16 && d <= GARRAY_FLOAT64; }
static bool is_complex(garray_dtype d) { return d >= GARRAY_COMPLEX64; }
static bool is_unsigned(garray_dtype d) { return d == GARRAY_BOOL || (d >= GARRAY_UINT8 && d <= GARRAY_UINT64); }

/* The distance of two neighbouring numbers at 1. */
static double unit(garray_dtype d)
{
    switch (d) {
    case GARRAY_FLOAT16: return 0x1p-10;
    case GARRAY_BFLOAT16: return 0x1p-7;
    case GARRAY_FLOAT32:
    case GARRAY_COMPLEX64: return 0x1p-23;
    case GARRAY_FLOAT64:
    case GARRAY_COMPLEX128: return 0x1p-52;
    default: return 0;
    }
}

static void whole_numbers(garray_dtype d, number *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = d == GARRAY_BOOL ? draw(0, 1) : is_unsigned(d) ? draw(0, 7) : is_complex(d) ? draw(-4, 4) + I * draw(-4, 4)
               : draw(-7, 7);
}

enum layout { CONTIGUOUS, TRANSPOSED, REVERSED, STEPPED, REPEATED, LAYOUTS };
static const char *const layouts[] = { "contiguous", "transposed", "reversed", "stepped", "repeated" };

/* rows x cols values as an array of a dtype in a layout; where rows are repeated, the first one counts. */
static garray_status make(garray_dtype d, enum layout layout, int rows, int cols, number *v, garray_t **out)
{
    int n = rows * cols, width = layout == STEPPED ? 2 * cols : cols;
    number *m = calloc((size_t)(rows * width) + 1, sizeof *m);
    if (!m)
        return GARRAY_ERR_NOMEM;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            if (layout == REPEATED)
                v[i * cols + j] = v[j];
            int to = layout == TRANSPOSED ? j * rows + i : layout == REVERSED ? n - 1 - (i * cols + j)
                     : layout == STEPPED ? i * width + 2 * j : i * cols + j;
            m[to] = v[i * cols + j];
        }
    garray_shape shape = layout == TRANSPOSED ? GARRAY_SHAPE(cols, rows) : layout == REPEATED ? GARRAY_SHAPE(1, cols)
                         : GARRAY_SHAPE(rows, width);
    garray_status st = garray_from_host(m, GARRAY_COMPLEX128, shape, NULL, device, out);
    free(m);
    if (st == GARRAY_OK && d != GARRAY_COMPLEX128)
        st = is_complex(d) ? garray_astype(*out, d, out) : garray_real(*out, out);
    if (st == GARRAY_OK && !is_complex(d))
        st = garray_astype(*out, d, out);
    if (st != GARRAY_OK)
        return st;
    switch (layout) {
    case TRANSPOSED: return garray_permute_dims(*out, GARRAY_AXES(1, 0), out);
    case REVERSED: return garray_getitem(*out, GARRAY_AT(GARRAY_REVERSED, GARRAY_REVERSED), out);
    case STEPPED: return garray_getitem(*out, GARRAY_AT(GARRAY_ALL, GARRAY_EVERY(2)), out);
    case REPEATED: return garray_broadcast_to(*out, GARRAY_SHAPE(rows, cols), out);
    default: return st;
    }
}

/* All elements, row by row; NULL after a verdict. */
static number *read_all(const garray_t *x)
{
    GARRAY_AUTO garray_t *wide = NULL;
    size_t size = (size_t)garray_size(x) * sizeof(number);
    number *v = malloc(size + 1);
    if (v && garray_astype(x, GARRAY_COMPLEX128, &wide) == GARRAY_OK && garray_to_host(wide, v, NULL, size) == GARRAY_OK)
        return v;
    verdict(false, "%s", garray_error_message());
    free(v);
    return NULL;
}

/* The elements against n expected ones; allowed: relative to each, and absolute. */
static void expect(const garray_t *x, const number *want, int n, double relative, double absolute)
{
    number *got = read_all(x);
    if (!got)
        return;
    int wrong = garray_size(x) == n ? -1 : 0;
    for (int i = 0; i < n && wrong < 0; i++) {
        bool nan = isnan(creal(got[i])) && isnan(creal(want[i]));
        if (!nan && got[i] != want[i] && !(cabs(got[i] - want[i]) <= relative * cabs(want[i]) + absolute))
            wrong = i;
    }
    if (wrong < 0)
        verdict(true, "%s", "");
    else if (garray_size(x) != n)
        verdict(false, "%lld elements instead of %d", (long long)garray_size(x), n);
    else
        verdict(false, "element %d is %.17g%+.17gj, not %.17g%+.17gj", wrong, creal(got[wrong]), cimag(got[wrong]),
                creal(want[wrong]), cimag(want[wrong]));
    free(got);
}

/* ---- elementwise ---- */
static number add(number a, number b) { return a + b; }
static number subtract(number a, number b) { return a - b; }
static number multiply(number a, number b) { return a * b; }
static number larger(number a, number b) { return creal(a) > creal(b) ? a : b; }
static number smaller(number a, number b) { return creal(a) < creal(b) ? a : b; }
static number is_less(number a, number b) { return creal(a) < creal(b); }
static number is_equal(number a, number b) { return a == b; }

static const struct {
    const char *name;
    garray_op op;
    number (*plain)(number a, number b);
    bool ordered;                       /* not for complex numbers here */
} pairs[] = {
    { "add", GARRAY_OP_add, add, false },         { "subtract", GARRAY_OP_subtract, subtract, false },
    { "multiply", GARRAY_OP_multiply, multiply, false }, { "maximum", GARRAY_OP_maximum, larger, true },
    { "minimum", GARRAY_OP_minimum, smaller, true }, { "less", GARRAY_OP_less, is_less, true },
    { "equal", GARRAY_OP_equal, is_equal, false },
};

static void check_pairs(garray_dtype d)
{
    static number a[COUNT], b[COUNT], want[COUNT];
    for (size_t op = 0; op < sizeof pairs / sizeof pairs[0]; op++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            GARRAY_AUTO garray_t *x = NULL, *y = NULL, *z = NULL;
            if (pairs[op].ordered && is_complex(d))
                continue;
            at("%s of %s, %s", pairs[op].name, garray_dtype_name(d), layouts[layout]);
            whole_numbers(d, a, COUNT);
            whole_numbers(d, b, COUNT);
            if (!worked(make(d, (enum layout)layout, ROWS, COLS, a, &x)) || !worked(make(d, CONTIGUOUS, ROWS, COLS, b, &y)))
                continue;
            garray_operand in[2] = { garray_operand_array(x), garray_operand_array(y) };
            garray_t **slot = &z;
            if (!worked(garray_ufunc(pairs[op].op, 2, in, NULL, 1, &slot)))
                continue;
            for (int i = 0; i < COUNT; i++) {
                number r = pairs[op].plain(a[i], b[i]);
                if (d == GARRAY_BOOL)
                    r = r != 0;
                else if (is_unsigned(d) && creal(r) < 0)        /* it wraps */
                    r += ldexp(1, 8 * (int)garray_dtype_size(d));
                want[i] = r;
            }
            /* what wraps at 2^64 has no exact double: both sides round it alike */
            expect(z, want, COUNT, 0, 0);
        }
}

static double square(double x) { return x * x; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static const struct {
    const char *name;
    garray_op op;
    double (*plain)(double x);
    double low, high;
} functions[] = {
    { "sqrt", GARRAY_OP_sqrt, sqrt, 0, 1000 },      { "exp", GARRAY_OP_exp, exp, -10, 10 },
    { "exp2", GARRAY_OP_exp2, exp2, -10, 10 },      { "expm1", GARRAY_OP_expm1, expm1, -3, 3 },
    { "log", GARRAY_OP_log, log, 0.001, 1000 },     { "log2", GARRAY_OP_log2, log2, 0.001, 1000 },
    { "log10", GARRAY_OP_log10, log10, 0.001, 1000 }, { "log1p", GARRAY_OP_log1p, log1p, -0.5, 100 },
    { "sin", GARRAY_OP_sin, sin, -100, 100 },       { "cos", GARRAY_OP_cos, cos, -100, 100 },
    { "tan", GARRAY_OP_tan, tan, -1.5, 1.5 },       { "asin", GARRAY_OP_asin, asin, -1, 1 },
    { "acos", GARRAY_OP_acos, acos, -1, 1 },        { "atan", GARRAY_OP_atan, atan, -100, 100 },
    { "sinh", GARRAY_OP_sinh, sinh, -8, 8 },        { "cosh", GARRAY_OP_cosh, cosh, -8, 8 },
    { "tanh", GARRAY_OP_tanh, tanh, -5, 5 },        { "asinh", GARRAY_OP_asinh, asinh, -100, 100 },
    { "acosh", GARRAY_OP_acosh, acosh, 1, 100 },    { "atanh", GARRAY_OP_atanh, atanh, -0.9, 0.9 },
    { "cbrt", GARRAY_OP_cbrt, cbrt, -1000, 1000 },  { "floor", GARRAY_OP_floor, floor, -100, 100 },
    { "ceil", GARRAY_OP_ceil, ceil, -100, 100 },    { "trunc", GARRAY_OP_trunc, trunc, -100, 100 },
    { "rint", GARRAY_OP_rint, rint, -100, 100 },    { "square", GARRAY_OP_square, square, -100, 100 },
    { "abs", GARRAY_OP_abs, fabs, -100, 100 },      { "erf", GARRAY_OP_erf, erf, -3, 3 },
    { "erfc", GARRAY_OP_erfc, erfc, -3, 3 },        { "sigmoid", GARRAY_OP_sigmoid, sigmoid, -8, 8 },
};

static void check_functions(garray_dtype d)
{
    static number a[COUNT], want[COUNT];
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        for (int layout = 0; layout < LAYOUTS; layout += 1 + (f > 2)) {
            GARRAY_AUTO garray_t *x = NULL, *y = NULL;
            at("%s of %s, %s", functions[f].name, garray_dtype_name(d), layouts[layout]);
            for (int i = 0; i < COUNT; i++)
                a[i] = functions[f].low + (functions[f].high - functions[f].low) * draw(0, 1 << 22) / (1 << 22);
            if (!worked(make(d, CONTIGUOUS, ROWS, COLS, a, &x)))
                continue;
            number *rounded = read_all(x);      /* to the dtype */
            if (!rounded)
                continue;
            memcpy(a, rounded, sizeof a);
            free(rounded);
            if (!worked(make(d, (enum layout)layout, ROWS, COLS, a, &x)))
                continue;
            garray_operand in = garray_operand_array(x);
            garray_t **slot = &y;
            if (!worked(garray_ufunc(functions[f].op, 1, &in, NULL, 1, &slot)))
                continue;
            for (int i = 0; i < COUNT; i++)
                want[i] = functions[f].plain(creal(a[i]));
            expect(y, want, COUNT, 8 * unit(d), d == GARRAY_FLOAT16 ? 0x1p-24 : 1e-15);
        }
}

/* ---- reductions, scans, sorts ---- */
static void check_reductions(garray_dtype d)
{
    static number a[COUNT], want[COUNT];
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int axis = -1; axis < 2; axis++) {
            GARRAY_AUTO garray_t *x = NULL, *y = NULL;
            garray_axes axes = axis < 0 ? GARRAY_ALL_AXES : GARRAY_AXES(axis);
            int n = axis < 0 ? 1 : axis == 0 ? COLS : ROWS;
            whole_numbers(d, a, COUNT);
            if (!worked(make(d, (enum layout)layout, ROWS, COLS, a, &x)))
                return;
            at("sum of %s, %s, axis %d", garray_dtype_name(d), layouts[layout], axis);
            memset(want, 0, sizeof want);
            for (int i = 0; i < COUNT; i++)
                want[axis < 0 ? 0 : axis == 0 ? i % COLS : i / COLS] += a[i];
            if (worked(garray_sum(x, axes, GARRAY_KW(reduce, .dtype = is_float(d) && d < GARRAY_FLOAT32 ? GARRAY_FLOAT32
                                                                    : GARRAY_DTYPE_DEFAULT), &y)))
                expect(y, want, n, 0, 0);
            at("max of %s, %s, axis %d", garray_dtype_name(d), layouts[layout], axis);
            for (int i = 0; i < n; i++)
                want[i] = -1e9;
            for (int i = 0; i < COUNT; i++) {
                number *w = &want[axis < 0 ? 0 : axis == 0 ? i % COLS : i / COLS];
                *w = creal(a[i]) > creal(*w) ? a[i] : *w;
            }
            if (!is_complex(d) && worked(garray_max(x, axes, NULL, &y)))
                expect(y, want, n, 0, 0);
            if (axis < 0)
                continue;
            at("cumulative_sum of %s, %s, axis %d", garray_dtype_name(d), layouts[layout], axis);
            for (int i = 0; i < COUNT; i++) {
                bool begins = axis == 0 ? i < COLS : i % COLS == 0;
                want[i] = a[i] + (begins ? 0 : want[axis == 0 ? i - COLS : i - 1]);
            }
            if (worked(garray_cumulative_sum(x, GARRAY_AXES(axis), GARRAY_KW(cumulative, .dtype = is_float(d) ? GARRAY_FLOAT64
                                                                                                 : GARRAY_DTYPE_DEFAULT), &y)))
                expect(y, want, COUNT, 0, 0);
        }
}

static int by_value(const void *a, const void *b)
{
    double x = creal(*(const number *)a), y = creal(*(const number *)b);
    return (x > y) - (x < y);
}

static void check_sorts(garray_dtype d)
{
    static number a[COUNT], want[COUNT];
    for (int layout = 0; layout < LAYOUTS && !is_complex(d); layout++) {
        GARRAY_AUTO garray_t *x = NULL, *y = NULL, *order = NULL;
        at("sort of %s, %s", garray_dtype_name(d), layouts[layout]);
        whole_numbers(d, a, COUNT);
        if (!worked(make(d, (enum layout)layout, ROWS, COLS, a, &x)) || !worked(garray_sort(x, 1, NULL, &y)))
            return;
        memcpy(want, a, sizeof a);
        for (int i = 0; i < ROWS; i++)
            qsort(want + i * COLS, COLS, sizeof *want, by_value);
        expect(y, want, COUNT, 0, 0);
        at("argsort and take_along_axis of %s, %s", garray_dtype_name(d), layouts[layout]);
        if (worked(garray_argsort(x, 1, NULL, &order)) && worked(garray_take_along_axis(x, order, 1, &y)))
            expect(y, want, COUNT, 0, 0);
        at("mask and count of %s, %s", garray_dtype_name(d), layouts[layout]);
        int n = 0;
        for (int i = 0; i < COUNT; i++)
            if (a[i] != 0)
                want[n++] = a[i];
        if (worked(garray_not_equal(x, 0, &order)) && worked(garray_getitem(x, GARRAY_AT(order), &y)))
            expect(y, want, n, 0, 0);
    }
}

/* ---- BLAS, LAPACK, transforms ---- */
static void check_matmul(garray_dtype d)
{
    enum { M = 45, K = 61, N = 33 };
    static number a[M * K], b[K * N], want[M * N];
    for (int first = 0; first < LAYOUTS; first++)
        for (int second = 0; second < 2; second++) {
            GARRAY_AUTO garray_t *x = NULL, *y = NULL, *z = NULL;
            at("matmul of %s, %s by %s", garray_dtype_name(d), layouts[first], layouts[second]);
            whole_numbers(d, a, M * K);
            whole_numbers(d, b, K * N);
            for (int i = 0; i < M * K && d == GARRAY_FLOAT16; i++)
                a[i] = creal(a[i]) > 0;         /* sums must fit */
            for (int i = 0; i < M * K && d == GARRAY_BFLOAT16; i++)
                a[i] = i % 16 == 0;
            for (int i = 0; i < M * K && garray_dtype_size(d) == 1; i++)
                a[i] = i % 5 == 0;
            if (!worked(make(d, (enum layout)first, M, K, a, &x)) || !worked(make(d, (enum layout)second, K, N, b, &y))
                || !worked(garray_matmul(x, y, &z)))
                continue;
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    number sum = 0;
                    for (int k = 0; k < K; k++)
                        sum += a[i * K + k] * b[k * N + j];
                    want[i * N + j] = d == GARRAY_BOOL ? sum != 0 : sum;
                }
            expect(z, want, M * N, 0, 0);
        }
}

/* Whether a product gives back what was decomposed. */
static void expect_close(const garray_t *x, const number *want, int n, garray_dtype d)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, cabs(want[i]));
    expect(x, want, n, 0, 200 * unit(d) * most);
}

static void check_lapack(garray_dtype d)
{
    enum { N = 40 };
    static number a[N * N], p[N * N], identity[N * N];
    GARRAY_AUTO garray_t *x = NULL, *s = NULL, *y = NULL, *z = NULL, *w = NULL, *v = NULL;
    whole_numbers(d, a, N * N);
    for (int i = 0; i < N; i++) {
        a[i * N + i] += 60;
        identity[i * N + i] = 1;
    }
    /* symmetric and positive: a a^H / 60 */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            p[i * N + j] = 0;
            for (int k = 0; k < N; k++)
                p[i * N + j] += a[i * N + k] * conj(a[j * N + k]) / 64;
        }
    if (!worked(make(d, CONTIGUOUS, N, N, a, &x)) || !worked(make(d, CONTIGUOUS, N, N, p, &s)))
        return;
    at("solve of %s", garray_dtype_name(d));
    if (worked(garray_linalg_solve(x, s, &y)) && worked(garray_matmul(x, y, &z)))
        expect_close(z, p, N * N, d);
    at("cholesky of %s", garray_dtype_name(d));
    if (worked(garray_linalg_cholesky(s, NULL, &y)) && worked(garray_matmul(y, GARRAY_MH(y), &z)))
        expect_close(z, p, N * N, d);
    at("eigh of %s", garray_dtype_name(d));
    if (worked(garray_linalg_eigh(s, NULL, &w, &v)) && worked(garray_multiply(v, w, &y))
        && worked(garray_matmul(y, GARRAY_MH(v), &z)))
        expect_close(z, p, N * N, d);
    at("svd of %s", garray_dtype_name(d));
    GARRAY_AUTO garray_t *u = NULL, *vh = NULL;
    if (worked(garray_linalg_svd(x, NULL, &u, &w, &vh)) && worked(garray_multiply(u, w, &y)) && worked(garray_matmul(y, vh, &z)))
        expect_close(z, a, N * N, d);
    at("singular vectors of %s", garray_dtype_name(d));
    if (u && worked(garray_matmul(GARRAY_MH(u), u, &z)))
        expect_close(z, identity, N * N, d);
}

static void check_transforms(garray_dtype d)
{
    static const int lengths[] = { 1, 2, 16, 60, 97, 128, 210 };
    static number a[256], want[256];
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        GARRAY_AUTO garray_t *x = NULL, *y = NULL, *z = NULL;
        int n = lengths[l];
        at("fft of %s, length %d", garray_dtype_name(d), n);
        whole_numbers(d, a, n);
        if (!worked(make(d, CONTIGUOUS, 1, n, a, &x)) || !worked(garray_fft_fft(x, 1, NULL, &y)))
            continue;
        for (int k = 0; k < n; k++) {
            want[k] = 0;
            for (int j = 0; j < n; j++)
                want[k] += a[j] * cexp(-2 * I * acos(-1) * (j * k % n) / n);
        }
        expect_close(y, want, n, d);
        at("ifft of %s, length %d", garray_dtype_name(d), n);
        if (worked(garray_fft_ifft(y, 1, NULL, &z)))
            expect_close(z, a, n, d);
    }
}

/* Uniform draws: the same again from the same seed, and spread as they should be. */
static void check_random(garray_dtype d)
{
    enum { N = 100000 };
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *m = NULL;
    garray_rng first = { 7, 0, 0, 0 }, second = { 7, 0, 0, 0 };
    double mean, variance;
    bool same = false;
    at("random draws of %s", garray_dtype_name(d));
    if (!worked(garray_random_uniform(&first, 0, 1, GARRAY_SHAPE(N), d, device, &x))
        || !worked(garray_random_uniform(&second, 0, 1, GARRAY_SHAPE(N), d, device, &y))
        || !worked(garray_array_equal(x, y, false, &same))
        || !worked(garray_mean(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_FLOAT64), &m))
        || !worked(garray_item(m, &mean))
        || !worked(garray_var(x, GARRAY_ALL_AXES, GARRAY_KW(var, .dtype = GARRAY_FLOAT64), &m))
        || !worked(garray_item(m, &variance)))
        return;
    verdict(same && fabs(mean - 0.5) < 0.005 && fabs(variance - 1.0 / 12) < 0.002, "mean %g, variance %g%s", mean, variance,
            same ? "" : ", not the same again");
}

static void check_all(void)
{
    for (int i = GARRAY_BOOL; i <= GARRAY_COMPLEX128; i++) {
        garray_dtype d = (garray_dtype)i;
        check_pairs(d);
        check_reductions(d);
        check_sorts(d);
        check_matmul(d);
        if (is_float(d)) {
            check_functions(d);
            check_random(d);
        }
        if (d >= GARRAY_FLOAT32) {
            check_lapack(d);
            check_transforms(d);
        }
    }
}

/* ---- the levels of the CPU's loops ---- */
/* The same in a process of its own that goes up to a level; its exit code. */
static int run_level(const char *level, char **argv)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("GARRAY_CPU_ISA", level, 1);
        setenv("GARRAY_SELFTEST_LEVEL", level, 1);
        execv("/proc/self/exe", argv);
        _exit(TROUBLE);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return complain("the test of level %s ended early", level);
    return WEXITSTATUS(status);
}

static int run_levels(char **argv)
{
    static const char *const levels[] = { "v2", "v3", "v4" };
    garray_device_properties p;
    if (garray_device_describe(GARRAY_CPU, &p) != GARRAY_OK)
        return complain_library();
    int result = YES;
    for (int i = 0; i < 3; i++) {
        int one = run_level(levels[i], argv);
        result = one > result ? one : result;
        if (strstr(p.architecture, levels[i]))
            break;
    }
    return result;
}

int command_selftest(int argc, char **argv)
{
    static const struct option options[] = { { "device", required_argument, NULL, 'd' }, { "verbose", no_argument, NULL, 'v' },
        { NULL, 0, NULL, 0 } };
    const char *text = "cpu", *level = getenv("GARRAY_SELFTEST_LEVEL");
    garray_device_properties p;
    char *again[16] = { "garray" };
    if (argc > 14)
        return complain_usage("too many arguments");
    for (int i = 0; i < argc; i++)      /* getopt_long() may change their order */
        again[i + 1] = argv[i];
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'd': text = optarg; break;
        case 'v': verbose = true; break;
        default: return TROUBLE;
        }
    if (optind < argc)
        return complain_usage("'%s' is not expected", argv[optind]);
    if (garray_device_parse(text, &device) != GARRAY_OK || garray_device_describe(device, &p) != GARRAY_OK)
        return complain_library();
    if (level && !strstr(p.architecture, level))
        return YES;                             /* this build has no loops of the level */
    if (device.type == GARRAY_DEVICE_CPU && !level && strncmp(p.architecture, "x86-64-v", 8) == 0)
        return run_levels(again);
    check_all();
    progress(0, 0, "");
    printf("%s, %s: %d passed, %d failed\n", p.name, p.architecture, passed, failed);
    return failed ? NO : YES;
}
