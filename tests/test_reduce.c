/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions: every one on every dtype and layout over every set of axes against plain loops in wider arithmetic;
 * NumPy's values for special numbers; accuracy; the same bits whatever the number of threads. */
#include <stdio.h>
#include "reductions.h"
#include "wide.h"

static const char *const op_names[OPS] = { "", "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count_nonzero",
                                           "argmin", "argmax" };

/* What is asked for. */
struct how {
    int op, in, run, out;               /* dtypes: of x, of the computation, of the result */
    bool has_initial;
    double initial, correction;
    const uint8_t *where;               /* an element of x each, or NULL */
};

static bool is_arg(int op)
{
    return op >= GARRAY_RED_ARGMIN;
}

/* ---- dtypes, written down again ---- */

static int run_dtype(int op, int in)
{
    if (op == GARRAY_RED_SUM || op == GARRAY_RED_PROD)
        return in <= GARRAY_INT64 ? GARRAY_INT64 : in <= GARRAY_UINT64 ? GARRAY_UINT64 : in;
    if (op >= GARRAY_RED_MEAN && op <= GARRAY_RED_STD)
        return test_is_inexact(in) ? in : GARRAY_FLOAT64;
    return in;
}

static int out_dtype(int op, int run)
{
    if (op == GARRAY_RED_VAR || op == GARRAY_RED_STD)
        return test_part(run);
    if (op == GARRAY_RED_ANY || op == GARRAY_RED_ALL)
        return GARRAY_BOOL;
    return op >= GARRAY_RED_COUNT_NONZERO ? GARRAY_INT64 : run;
}

static struct how how_of(int op, int in)
{
    struct how h = { .op = op, .in = in, .run = run_dtype(op, in) };
    h.out = out_dtype(op, h.run);
    return h;
}

/* ---- plain loops ---- */

static const char *element(const struct how *h, const char *values, int64_t i)
{
    return values + (size_t)i * garray_dtype_size((garray_dtype)h->in);
}

/* An element as the computation sees it: cast to its dtype. */
static uint64_t int_term(const struct how *h, const char *e)
{
    if (!test_is_inexact(h->in))
        return h->run == GARRAY_BOOL ? test_load_bits(h->in, e) != 0 : test_load_bits(h->in, e);
    return h->run == GARRAY_BOOL ? test_load(h->in, e) != 0 : (uint64_t)(int64_t)test_load(h->in, e);
}

static void wide_term(const struct how *h, const char *e, test_wide *re, test_wide *im)
{
    *im = 0;
    if (h->in == h->run) {
        double a, b;
        test_load_complex(h->in, e, &a, &b);
        *re = (test_wide)a;
        *im = (test_wide)b;
    } else {
        char cast[16];
        double a, b;
        test_load_complex(h->in, e, &a, &b);
        if (!test_is_inexact(h->in))
            a = (double)test_load_wide(h->in, e);
        test_store(h->run, cast, a, b);
        test_load_complex(h->run, cast, &a, &b);
        *re = (test_wide)a;
        *im = (test_wide)b;
    }
}

/* What was expected last, for the message. */
static char expected_text[80];
static void exact_text(test_wide re, test_wide im)
{
    snprintf(expected_text, sizeof expected_text, "%.17g%+.17gj", (double)re, (double)im);
}

/* sum, prod, mean, var, std of the n elements in list. */
static bool check_float(const struct how *h, const char *values, const int64_t *list, int64_t n, const void *got)
{
    test_wide re = 0, im = 0, size = 0, a, b, slack = 0;
    bool narrow = test_part(h->run) != GARRAY_FLOAT64;
    if (h->op == GARRAY_RED_PROD)
        re = 1;
    if (h->has_initial)
        re = (test_wide)h->initial;
    for (int64_t i = 0; i < n; i++) {
        wide_term(h, element(h, values, list[i]), &a, &b);
        if (h->op == GARRAY_RED_PROD) {
            test_wide t = re * a - im * b;
            im = re * b + im * a;
            re = t;
        } else {
            re += a;
            im += b;
            size += test_wide_abs(a) + test_wide_abs(b);
        }
    }
    size += h->has_initial ? test_wide_abs((test_wide)h->initial) : 0;
    if (h->op == GARRAY_RED_SUM || h->op == GARRAY_RED_MEAN)
        slack = size * (test_wide)(n + 1) * (narrow ? 0x1p-52 : 0x1p-102);
    else if (h->op == GARRAY_RED_PROD)
        slack = (test_wide_abs(re) + test_wide_abs(im)) * (test_wide)(n + 1) * 0x1p-51;
    if (!test_is_inexact(h->in))
        slack += size * 0x1p-53;
    if (h->op >= GARRAY_RED_MEAN && h->op <= GARRAY_RED_STD) {
        re /= (test_wide)n;
        im /= (test_wide)n;
        slack /= (test_wide)(n ? n : 1);
        /* the quotient is rounded from a rounded sum */
        slack += (test_wide_abs(re) + test_wide_abs(im)) * 0x1p-53;
    }
    if (h->op == GARRAY_RED_VAR || h->op == GARRAY_RED_STD) {
        test_wide squares = 0, divisor = (test_wide)n - (test_wide)h->correction, largest = 0;
        for (int64_t i = 0; i < n; i++) {
            wide_term(h, element(h, values, list[i]), &a, &b);
            largest = a * a + b * b > largest ? a * a + b * b : largest;
            squares += (a - re) * (a - re) + (b - im) * (b - im);
        }
        re = squares / (divisor > 0 ? divisor : 0);
        im = 0;
        /* 4 ulp; devices add more partial sums */
        slack = (8 + (test_wide)(test_on_gpu() ? n / 16 : 0)) * (test_wide)test_half_ulp(test_part(h->out), re) +
                largest * (narrow ? 0x1p-46 : 0x1p-98) * (test_wide)(n / (divisor > 0 ? divisor : 1));
        if (h->op == GARRAY_RED_STD) {
            test_wide root = test_wide_sqrt(re);
            slack = root > 0 ? slack / root : test_wide_sqrt(slack);
            re = root;
        }
    }
    double x, y;
    test_load_complex(h->out, got, &x, &y);
    exact_text(re, im);
    return test_near(test_part(h->out), x, re, slack) && (!test_is_complex(h->out) || test_near(test_part(h->out), y, im, slack));
}

/* a before b in the order of the dtype; NaN before all if nan_first. */
static bool before(int dtype, const char *a, const char *b, bool nan_first)
{
    if (!test_is_inexact(dtype))
        return test_load_wide(dtype, a) < test_load_wide(dtype, b);
    double p[2], q[2];
    test_load_complex(dtype, a, &p[0], &p[1]);
    test_load_complex(dtype, b, &q[0], &q[1]);
    bool a_nan = isnan(p[0]) || isnan(p[1]), b_nan = isnan(q[0]) || isnan(q[1]);
    if (a_nan || b_nan)
        return nan_first ? a_nan && !b_nan : b_nan && !a_nan;
    return p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]);
}

/* min, max, argmin, argmax. */
static bool check_order(const struct how *h, const char *values, const int64_t *list, int64_t n, const void *got)
{
    bool least = h->op == GARRAY_RED_MIN || h->op == GARRAY_RED_ARGMIN;
    char initial[16];
    const char *best = NULL;
    int64_t at = 0;
    if (h->has_initial) {
        test_store(h->in, initial, h->initial, 0);
        best = initial;
    }
    for (int64_t i = 0; i < n; i++) {
        const char *e = element(h, values, list[i]);
        if (!best || (least ? before(h->in, e, best, true) : before(h->in, best, e, false))) {
            best = e;
            at = i;
        }
    }
    if (is_arg(h->op))
        return memcmp(got, &at, 8) == 0;
    return best && test_ulps(h->in, got, best) == 0;
}

static bool check_one(const struct how *h, const char *values, const int64_t *list, int64_t n, const void *got)
{
    int64_t nonzero = 0;
    *expected_text = 0;
    switch (h->op) {
    case GARRAY_RED_ANY:
    case GARRAY_RED_ALL:
    case GARRAY_RED_COUNT_NONZERO:
        for (int64_t i = 0; i < n; i++) {
            double re, im;
            test_load_complex(h->in, element(h, values, list[i]), &re, &im);
            nonzero += re != 0 || im != 0;
        }
        if (h->op == GARRAY_RED_COUNT_NONZERO)
            return memcmp(got, &nonzero, 8) == 0;
        return *(const uint8_t *)got == (h->op == GARRAY_RED_ANY ? nonzero > 0 : nonzero == n);
    case GARRAY_RED_SUM:
    case GARRAY_RED_PROD:
        if (!test_is_inexact(h->run)) {
            uint64_t value = h->op == GARRAY_RED_PROD;
            if (h->has_initial)
                value = (uint64_t)(int64_t)h->initial;
            for (int64_t i = 0; i < n; i++) {
                uint64_t term = int_term(h, element(h, values, list[i]));
                value = h->op == GARRAY_RED_PROD ? value * term : value + term;
                value = h->run == GARRAY_BOOL ? value != 0 : value;
            }
            return memcmp(got, &value, garray_dtype_size((garray_dtype)h->out)) == 0;
        }
        return check_float(h, values, list, n, got);
    case GARRAY_RED_MIN:
    case GARRAY_RED_MAX:
    case GARRAY_RED_ARGMIN:
    case GARRAY_RED_ARGMAX: return check_order(h, values, list, n, got);
    default: return check_float(h, values, list, n, got);
    }
}

/* y against the loops; reduced: a bit per axis. */
static void check(const struct how *h, garray_shape shape, const char *values, unsigned reduced, bool keepdims, const garray_t *y)
{
    int64_t out_shape[GARRAY_MAX_NDIM], ndim = 0, outputs = 1, count = 1, size = test_count(shape);
    for (int64_t i = 0; i < shape.n; i++) {
        bool gone = reduced >> i & 1;
        if (!gone || keepdims)
            out_shape[ndim++] = gone ? 1 : shape.v[i];
        *(gone ? &count : &outputs) *= shape.v[i];
    }
    bool same = garray_ndim(y) == ndim;
    for (int64_t i = 0; i < ndim && same; i++)
        same = garray_shape_of(y).v[i] == out_shape[i];
    if (!TEST_EXPECT(same, "the result's shape is wrong")
        || !TEST_EXPECT((int)garray_dtype_of(y) == h->out, "the result is %s, not %s", garray_dtype_name(garray_dtype_of(y)),
                        garray_dtype_name((garray_dtype)h->out)))
        return;
    /* the elements of each output, in row-major order */
    int64_t *list = malloc((size_t)(size + 1) * sizeof *list), *fill = calloc((size_t)outputs + 1, sizeof *fill);
    for (int64_t e = 0; e < size; e++) {
        int64_t o = 0, rest = e, step = size;
        for (int64_t i = 0; i < shape.n; i++) {
            step /= shape.v[i];
            if (!(reduced >> i & 1))
                o = o * shape.v[i] + rest / step;
            rest %= step;
        }
        if (!h->where || h->where[e])
            list[o * count + fill[o]++] = e;
    }
    char *got = test_read(y);
    size_t item = garray_dtype_size((garray_dtype)h->out);
    for (int64_t o = 0; o < outputs; o++)
        if (!check_one(h, values, list + o * count, fill[o], got + (size_t)o * item)) {
            test_fail(__FILE__, __LINE__, "result %lld of %lld is %s, not %s", (long long)o, (long long)outputs,
                      test_text(h->out, got + (size_t)o * item), expected_text);
            break;
        }
    free(got);
    free(list);
    free(fill);
}

/* Axes by their bits, every second set of them with negative numbers. */
static garray_axes axes_of(unsigned reduced, int64_t ndim, int32_t *room)
{
    garray_axes axes = { 0, room };
    if (reduced == (1u << ndim) - 1 && ndim % 2)
        return GARRAY_ALL_AXES;
    for (int32_t i = 0; i < ndim; i++)
        if (reduced >> i & 1)
            room[axes.n++] = reduced % 2 ? i : i - (int32_t)ndim;
    return axes;
}

/* ---- values that suit an operation ---- */

enum { RANDOM, NEAR_ONE, SMALL, VALUES };

static void make_values(int kind, int dtype, int64_t n, uint64_t seed, char *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    test_random(dtype, n, seed, values);
    for (int64_t i = 0; i < n && kind != RANDOM; i++) {
        uint64_t word = test_random_word(&seed);
        double re, im;
        test_load_complex(dtype, values + (size_t)i * item, &re, &im);
        if (kind == SMALL) {            /* zeros and ties */
            re = (double)(word % 5) - (test_is_signed(dtype) || test_is_inexact(dtype) ? 2 : 0);
            im = (double)(word >> 8) > 0 ? (double)(word >> 8 & 1) : 0;
            test_store(dtype, values + (size_t)i * item, re == 0 ? 0 : re, re == 0 ? 0 : im);
        } else if (test_is_inexact(dtype)) {
            test_store(dtype, values + (size_t)i * item, copysign(0.75 + fabs(re) / 16, re),
                       test_is_complex(dtype) ? im / 16 : 0);
        }
    }
}

static int values_for(int op)
{
    return op == GARRAY_RED_PROD ? NEAR_ONE : op >= GARRAY_RED_ANY ? SMALL : RANDOM;
}

/* ---- every operation, dtype, layout, shape, set of axes ---- */

static void every_reduction(int dtype, int layout, garray_shape shape)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values[VALUES];
    garray_t *x[VALUES], *y = NULL;
    for (int k = 0; k < VALUES; k++) {
        values[k] = malloc((size_t)test_count(shape) * item + 1);
        make_values(k, dtype, test_count(shape), (uint64_t)(100 * dtype + layout), values[k]);
        x[k] = test_array(dtype, layout, shape, values[k]);
    }
    for (int op = GARRAY_RED_SUM; op < OPS; op++)
        for (unsigned reduced = 0; reduced < 1u << shape.n; reduced++) {
            bool keepdims = (reduced + (unsigned)op) & 1, single = reduced && !(reduced & (reduced - 1));
            bool trivial = false;
            for (int64_t i = 0; i < shape.n; i++)
                trivial |= (reduced >> i & 1) && shape.v[i] == 1 && test_count(shape) > 1000;
            if (trivial || (reduced == 0 && test_count(shape) > 1000))
                continue;
            if (is_arg(op) && !single && reduced != (1u << shape.n) - 1)
                continue;
            int32_t room[8];
            garray_axes axes = is_arg(op) && !single ? GARRAY_ALL_AXES : axes_of(reduced, shape.n, room);
            struct how h = how_of(op, dtype);
            int64_t count = 1;
            for (int64_t i = 0; i < shape.n; i++)
                count *= reduced >> i & 1 ? shape.v[i] : 1;
            test_context("%s of %s, %s, shape of %d axes and %d elements, axes %x, keepdims %d", op_names[op],
                         garray_dtype_name((garray_dtype)dtype), test_layout_name(layout), (int)shape.n, (int)test_count(shape),
                         reduced, keepdims);
            garray_status st = reduction(op, x[values_for(op)], axes, (garray_reduce_opts){ .keepdims = keepdims }, GARRAY_NONE, &y);
            if (count == 0 && (is_arg(op) || op == GARRAY_RED_MIN || op == GARRAY_RED_MAX))
                TEST_STATUS(ERR_SHAPE, st);
            else if (TEST_OK(st))
                check(&h, shape, values[values_for(op)], reduced, keepdims, y);
        }
    garray_release(y);
    for (int k = 0; k < VALUES; k++) {
        free(values[k]);
        garray_release(x[k]);
    }
}

Test(reduce, every_layout)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++)
                every_reduction(d, layout, test_shapes[s]);
    TEST_NO_LEAK(mark);
}

/* Longer axes, so that blocks, tails and several levels of merging take part. */
Test(reduce, long_axes)
{
    static const int64_t shapes[][3] = { { 1, 1, 20011 }, { 1, 4099, 3 }, { 1, 3, 5001 }, { 31, 33, 17 }, { 517, 1, 37 },
                                         { 3, 1300, 2 }, { 1, 5, 1024 }, { 1, 1030, 3 }, { 2, 30, 132 } };
    for (TEST_DTYPES(d))
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            every_reduction(d, (int)(s + (size_t)d) % 2 ? TEST_CONTIGUOUS : TEST_MISALIGNED, GARRAY_DIMS(3, shapes[s]));
    every_reduction(GARRAY_FLOAT32, TEST_MIXED, GARRAY_SHAPE(31, 33, 17));
    every_reduction(GARRAY_INT16, TEST_TRANSPOSED, GARRAY_SHAPE(31, 33, 17));
    every_reduction(GARRAY_COMPLEX128, TEST_NEGATIVE, GARRAY_SHAPE(31, 33, 17));
    /* Long columns of few neighbours, and more rows than blocks run together. */
    static const int dtypes[] = { GARRAY_INT8, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64 };
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        every_reduction(dtypes[d], TEST_CONTIGUOUS, GARRAY_SHAPE(9000, 8));
    every_reduction(GARRAY_FLOAT32, TEST_CONTIGUOUS, GARRAY_SHAPE(800, 301));
    every_reduction(GARRAY_FLOAT64, TEST_CONTIGUOUS, GARRAY_SHAPE(700, 300));
}

/* ---- where, initial, dtype, correction ---- */

static bool takes_initial(int op)
{
    return op <= GARRAY_RED_MAX;
}

Test(reduce, options)
{
    static const int64_t lengths[3] = { 6, 7, 9 }, mask_shapes[][3] = { { 6, 7, 9 }, { 6, 1, 9 }, { 1, 7, 1 }, { 1, 1, 1 } };
    garray_shape shape = { 3, lengths };
    enum { N = 6 * 7 * 9 };
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int op = GARRAY_RED_SUM; op < GARRAY_RED_ARGMIN; op++)
            for (int m = 0; m < 5; m++)
                for (unsigned reduced = 0; reduced < 8; reduced++) {
                    char values[N * 16];
                    uint8_t small[N], where[N];
                    int layout = (m + (int)reduced) % TEST_LAYOUTS;
                    garray_t *x, *mask = NULL, *y = NULL;
                    struct how h = how_of(op, d);
                    garray_reduce_opts opts = { .keepdims = reduced & 1 };
                    garray_operand correction = GARRAY_NONE;
                    int32_t room[4];
                    test_context("%s of %s, %s, mask %d, axes %x", op_names[op], garray_dtype_name((garray_dtype)d),
                                 test_layout_name(layout), m, reduced);
                    make_values(values_for(op), d, N, (uint64_t)op, values);
                    x = test_array(d, layout, shape, values);
                    if (m < 4) {        /* the fifth round has no mask */
                        garray_shape ms = { 3, mask_shapes[m] };
                        test_random(GARRAY_BOOL, test_count(ms), (uint64_t)(m + 3), small);
                        mask = test_array(GARRAY_BOOL, (layout + 3) % TEST_LAYOUTS, ms, small);
                        for (int e = 0; e < N; e++) {
                            int64_t i = e / 63, j = e / 9 % 7, k = e % 9;
                            i = ms.v[0] == 1 ? 0 : i;
                            j = ms.v[1] == 1 ? 0 : j;
                            k = ms.v[2] == 1 ? 0 : k;
                            where[e] = small[(i * ms.v[1] + j) * ms.v[2] + k];
                        }
                        h.where = where;
                        opts.where = GARRAY_VAL(mask);
                    }
                    if (takes_initial(op)) {
                        h.has_initial = true;
                        h.initial = d == GARRAY_BOOL ? 1 : 3;
                        opts.initial = d == GARRAY_BOOL ? GARRAY_TRUE : GARRAY_VAL(3);
                        /* sums of bool start with an integer */
                        if (h.run != d)
                            opts.initial = GARRAY_VAL((int)h.initial);
                    }
                    if (op == GARRAY_RED_VAR || op == GARRAY_RED_STD) {
                        h.correction = m == 3 ? 0.5 : 1;
                        correction = GARRAY_VAL(h.correction);
                    }
                    if (TEST_OK(reduction(op, x, axes_of(reduced, 3, room), opts, correction, &y)))
                        check(&h, shape, values, reduced, opts.keepdims, y);
                    garray_release(x);
                    garray_release(mask);
                    garray_release(y);
                }
    TEST_NO_LEAK(mark);
}

/* dtype= from every dtype to those that take it without loss of the wrong kind. */
Test(reduce, dtypes)
{
    static const int64_t lengths[2] = { 11, 13 };
    static const int wanted[] = { GARRAY_BOOL,    GARRAY_INT8,      GARRAY_UINT16,    GARRAY_INT64,
                                  GARRAY_UINT64,  GARRAY_FLOAT16,   GARRAY_BFLOAT16,  GARRAY_FLOAT32,
                                  GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_COMPLEX128 };
    garray_shape shape = { 2, lengths };
    for (TEST_DTYPES(d))
        for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
            for (int op = GARRAY_RED_SUM; op <= GARRAY_RED_STD; op++) {
                int to = wanted[w];
                if (op == GARRAY_RED_MIN || op == GARRAY_RED_MAX || (test_is_complex(d) && !test_is_complex(to))
                    || (test_is_inexact(d) && to >= GARRAY_UINT8 && to <= GARRAY_UINT64))
                    continue;
                char values[11 * 13 * 16];
                garray_t *x, *y = NULL;
                struct how h = how_of(op, d);
                h.run = to;
                h.out = out_dtype(op, to);
                test_context("%s of %s in %s", op_names[op], garray_dtype_name((garray_dtype)d),
                             garray_dtype_name((garray_dtype)to));
                make_values(op == GARRAY_RED_PROD ? NEAR_ONE : SMALL, d, 11 * 13, 3, values);
                for (int i = 0; i < 11 * 13 && op == GARRAY_RED_PROD && !test_is_inexact(d); i++)
                    test_store(d, values + (size_t)i * garray_dtype_size((garray_dtype)d), 1 + i % 7 % 2, 0);
                x = test_array(d, TEST_SLICED, shape, values);
                garray_status st =
                    reduction(op, x, GARRAY_AXES(1), (garray_reduce_opts){ .dtype = (garray_dtype)to }, GARRAY_NONE, &y);
                if (op >= GARRAY_RED_MEAN && !test_is_inexact(to))
                    TEST_STATUS(ERR_DTYPE, st);
                else if (TEST_OK(st))
                    check(&h, shape, values, 2, false, y);
                garray_release(x);
                garray_release(y);
            }
}
