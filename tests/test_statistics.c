/* SPDX-License-Identifier: BSD-3-Clause
 * Statistics, differences and reductions without NaN: NumPy's values (tools/make_golden_statistics.py), results in the
 * place of operands, errors. */
#include "test.h"

enum { ALL = -100 };
enum {
    PTP, CUMSUM, CUMPROD, NANSUM, NANPROD, NANMIN, NANMAX, NANMEAN, NANVAR, NANSTD, NANARGMIN, NANARGMAX, NANCUMSUM, NANCUMPROD,
    AVERAGE, MEDIAN, NANMEDIAN, QUANTILE, PERCENTILE, NANQUANTILE, NANPERCENTILE, COV, CORRCOEF, DIFF, EDIFF1D, GRADIENT,
    TRAPEZOID
};

/* What a case is called with: x, its axis, and up to two more arrays. */
typedef struct {
    int function, keepdims, numbers[2];
    garray_axes axes;
    const garray_t *more[2];
} arguments;

static garray_operand given(const garray_t *x)
{
    return x ? garray_operand_array(x) : GARRAY_NONE;
}

static garray_status call_cov(const arguments *a, const garray_t *x, garray_t **out)
{
    garray_cov_opts o = { .columns = a->numbers[0] & 1, .bias = a->numbers[0] >> 1, .fweights = given(a->more[0]),
                          .aweights = given(a->more[1]) };
    if (a->numbers[1] != ALL)
        o.ddof = GARRAY_VAL(a->numbers[1]);
    return garray_cov(x, &o, out);
}

static garray_status call_gradient(const arguments *a, const garray_t *x, garray_t **out)
{
    garray_operand spacing = given(a->more[0]);
    garray_gradient_opts o = { .edge_order = a->numbers[0], .nspacing = a->more[0] != NULL, .spacing = &spacing };
    return garray_gradient(x, a->axes, &o, 1, out);
}

static garray_status call_quantile(const arguments *a, const garray_t *x, garray_t **out)
{
    garray_quantile_opts o = { .keepdims = a->keepdims, .method = (garray_quantile_method)a->numbers[0],
                               .weights = given(a->more[1]) };
    garray_operand q = given(a->more[0]);
    if (garray_ndim(a->more[0]) == 0) {         /* a weak number */
        double v;
        garray_status st = garray_item(a->more[0], &v);
        if (st != GARRAY_OK)
            return st;
        q = garray_operand_double(v);
    }
    switch (a->function) {
    case QUANTILE: return garray_quantile(x, q, a->axes, &o, out);
    case PERCENTILE: return garray_percentile(x, q, a->axes, &o, out);
    case NANQUANTILE: return garray_nanquantile(x, q, a->axes, &o, out);
    default: return garray_nanpercentile(x, q, a->axes, &o, out);
    }
}

static garray_status call(const arguments *a, const garray_t *x, garray_t **out)
{
    garray_reduce_opts r = { .keepdims = a->keepdims };
    garray_var_opts v = { .keepdims = a->keepdims };
    garray_arg_opts g = { .keepdims = a->keepdims };
    garray_median_opts m = { .keepdims = a->keepdims };
    garray_average_opts w = { .keepdims = a->keepdims, .weights = given(a->more[0]) };
    garray_diff_opts d = { .prepend = given(a->more[0]) };
    garray_ediff1d_opts e = { .to_begin = given(a->more[0]), .to_end = given(a->more[1]) };
    garray_trapezoid_opts t = { .x = given(a->more[0]) };
    if (a->numbers[0])
        v.correction = GARRAY_VAL(a->numbers[0]);
    int axis = a->axes.n ? a->axes.v[0] : 0;
    switch (a->function) {
    case PTP: return garray_ptp(x, a->axes, &r, out);
    case CUMSUM: return garray_cumsum(x, a->axes, NULL, out);
    case CUMPROD: return garray_cumprod(x, a->axes, NULL, out);
    case NANSUM: return garray_nansum(x, a->axes, &r, out);
    case NANPROD: return garray_nanprod(x, a->axes, &r, out);
    case NANMIN: return garray_nanmin(x, a->axes, &r, out);
    case NANMAX: return garray_nanmax(x, a->axes, &r, out);
    case NANMEAN: return garray_nanmean(x, a->axes, &r, out);
    case NANVAR: return garray_nanvar(x, a->axes, &v, out);
    case NANSTD: return garray_nanstd(x, a->axes, &v, out);
    case NANARGMIN: return garray_nanargmin(x, a->axes, &g, out);
    case NANARGMAX: return garray_nanargmax(x, a->axes, &g, out);
    case NANCUMSUM: return garray_nancumsum(x, a->axes, NULL, out);
    case NANCUMPROD: return garray_nancumprod(x, a->axes, NULL, out);
    case AVERAGE: return garray_average(x, a->axes, &w, out, NULL);
    case MEDIAN: return garray_median(x, a->axes, &m, out);
    case NANMEDIAN: return garray_nanmedian(x, a->axes, &m, out);
    case COV: return call_cov(a, x, out);
    case CORRCOEF: return garray_corrcoef(x, NULL, out);
    case DIFF: return garray_diff(x, a->numbers[0], axis, &d, out);
    case EDIFF1D: return garray_ediff1d(x, &e, out);
    case GRADIENT: return call_gradient(a, x, out);
    case TRAPEZOID: return garray_trapezoid(x, axis, &t, out);
    default: return call_quantile(a, x, out);
    }
}

static garray_t *array_of(const test_block *block, int layout, garray_shape shape)
{
    size_t size = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *values = malloc(size + 1);
    memcpy(values, block->data, size);
    garray_t *x = test_array(block->dtype, layout, shape, values);
    free(values);
    return x;
}

/* More arguments: of x's shape if they are as many, 0-d where the result is not longer for it, else one axis. */
static garray_t *more_of(const test_block *block, const test_block *x, garray_shape shape, bool scalar)
{
    if (scalar && block->n == 1)
        return array_of(block, TEST_CONTIGUOUS, GARRAY_0D);
    return array_of(block, TEST_CONTIGUOUS, block->n == x->n ? shape : GARRAY_SHAPE(block->n));
}

static bool same_shape(const garray_t *y, int ndim, const int32_t *lengths)
{
    garray_shape s = garray_shape_of(y);
    bool same = s.n == ndim;
    for (int i = 0; i < ndim && same; i++)
        same = s.v[i] == lengths[i];
    return same;
}

Test(statistics, against_numpy)
{
    const test_golden *golden = test_golden_open("statistics");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *c = golden->cases + (size_t)i * (size_t)golden->width;
        const test_block *in = &golden->block[c[1]], *expected = &golden->block[c[12]];
        int64_t lengths[3] = { c[3], c[4], c[5] };
        int32_t axis = c[6];
        garray_shape shape = GARRAY_DIMS(c[2], lengths);
        arguments a = { .function = c[0], .keepdims = c[7], .numbers = { c[8], c[9] },
                        .axes = axis == ALL ? GARRAY_ALL_AXES : (garray_axes){ 1, &axis } };
        bool quantile = c[0] >= QUANTILE && c[0] <= NANPERCENTILE, flat = c[0] == EDIFF1D || c[0] == COV || c[0] == GRADIENT
                                                                      || c[0] == TRAPEZOID || quantile;
        garray_t *more[2] = { NULL, NULL };
        for (int k = 0; k < 2; k++) {
            if (c[10 + k] < 0)
                continue;
            const test_block *block = &golden->block[c[10 + k]];
            more[k] = flat && !(quantile && k == 1) ? more_of(block, in, GARRAY_SHAPE(block->n), quantile)
                                                    : more_of(block, in, shape, false);
            a.more[k] = more[k];
        }
        /* every layout would take long, and the pieces are tested on their own */
        const int layouts[2] = { TEST_CONTIGUOUS, i % TEST_LAYOUTS };
        for (int l = 0; l < 2; l++) {
            if (test_layout_repeats(layouts[l]))
                continue;
            test_context("case %d: function %d of %s, axis %d, %s", i, c[0], garray_dtype_name((garray_dtype)in->dtype), axis,
                         test_layout_name(layouts[l]));
            garray_t *x = array_of(in, layouts[l], shape), *y = NULL;
            /* once into a new variable, once into that of the operand */
            if (TEST_OK(call(&a, x, &y)) && TEST_OK(call(&a, x, &x)))
                for (int k = 0; k < 2; k++) {
                    garray_t *result = k ? x : y;
                    TEST_EXPECT((int)garray_dtype_of(result) == expected->dtype, "the result is %s",
                                garray_dtype_name(garray_dtype_of(result)));
                    if (TEST_EXPECT(same_shape(result, c[13], c + 14), "the result has %d axes, first %d", garray_ndim(result),
                                    garray_ndim(result) ? (int)garray_shape_of(result).v[0] : 0)
                        && (int)garray_dtype_of(result) == expected->dtype)
                        TEST_EQUAL(result, expected->data, c[18] / 100.0);
                }
            garray_release(x);
            garray_release(y);
        }
        garray_release(more[0]);
        garray_release(more[1]);
    }
    TEST_NO_LEAK(mark);
}

/* What must fail, how, and with which words; results stay as they were. */
static int ascend(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows about as long as those that are not sorted any more, with even and odd numbers of NaNs and of numbers, infinities among these, along either
 * axis: what sorting the numbers says. */
Test(statistics, median_of_long_rows)
{
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_FLOAT16, GARRAY_BFLOAT16 };
    enum { KINDS = 9, MOST = 65537 };
    for (int k = 0; k < 4; k++)
        for (int64_t n = 65535; n <= MOST; n++) {
            const int d = dtypes[k];
            const size_t item = garray_dtype_size((garray_dtype)d);
            char *values = malloc((size_t)KINDS * MOST * item), expected[KINDS * 8];
            double *row = malloc(MOST * sizeof *row);
            garray_t *x = NULL, *y = NULL;
            test_context("%s, rows of %lld", garray_dtype_name((garray_dtype)d), (long long)n);
            for (int kind = 0; kind < KINDS; kind++) {
                int64_t c = 0;
                for (int64_t i = 0; i < n; i++) {
                    const uint32_t mixed = (uint32_t)(i * 2654435761u + (uint32_t)kind * 40503u) >> 9;
                    const bool nan = kind == 1   ? i == n / 3
                                     : kind == 2 ? i == 0 || i == n - 1
                                     : kind == 3 ? mixed % 3 == 0
                                     : kind == 4 ? i != n / 2
                                     : kind == 5 ? i != n / 2 && i != 7
                                     : kind == 6 ? true
                                                 : kind == 7 && i % 2 == 0;
                    const double number = mixed % 50 == 0 ? INFINITY : mixed % 50 == 1 ? -INFINITY : (double)(mixed % 701) - 350;
                    const double v = nan ? NAN : kind < 8 ? number : i % 2 ? -INFINITY : INFINITY;
                    char *at = values + ((size_t)kind * (size_t)n + (size_t)i) * item;
                    test_store(d, at, v, 0);
                    if (!nan)
                        row[c++] = test_load(d, at);
                }
                qsort(row, (size_t)c, sizeof *row, ascend);
                test_store(d, expected + (size_t)kind * item, c == 0 ? NAN : (row[(c - 1) / 2] + row[c / 2]) / 2, 0);
            }
            if (TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(KINDS, n), NULL, test_device(), &x))) {
                if (TEST_OK(garray_nanmedian(x, GARRAY_AXES(1), NULL, &y)))
                    TEST_EQUAL(y, expected, 0);
                if (TEST_OK(garray_permute_dims(x, GARRAY_AXES(1, 0), &x)) && TEST_OK(garray_copy(x, &x))
                    && TEST_OK(garray_nanmedian(x, GARRAY_AXES(0), NULL, &y)))
                    TEST_EQUAL(y, expected, 0);
            }
            garray_release(x);
            garray_release(y);
            free(values);
            free(row);
        }
}

Test(statistics, errors)
{
    const double values[6] = { 3, 1, NAN, 2, 5, 4 };
    garray_t *x = NULL, *nothing = NULL, *flags = NULL, *minus = NULL, *out = NULL, *sum = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(2, 3), NULL, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 0), GARRAY_FLOAT64, test_device(), &nothing));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_BOOL, test_device(), &flags));
    TEST_OK(garray_full(GARRAY_SHAPE(3), -1.5, GARRAY_FLOAT64, test_device(), &minus));
#define FAILS(status, words, ...) \
    if (TEST_STATUS(ERR_##status, __VA_ARGS__)) \
        TEST_MESSAGE(words)
    FAILS(SHAPE, "no values", garray_quantile(nothing, 0.5, GARRAY_AXES(1), NULL, &out));
    FAILS(INVALID, "range [0, 1]", garray_quantile(x, 1.5, GARRAY_ALL_AXES, NULL, &out));
    FAILS(INVALID, "range [0, 100]", garray_percentile(x, NAN, GARRAY_ALL_AXES, NULL, &out));
    FAILS(INVALID, "inverted_cdf",
          garray_quantile(x, 0.5, GARRAY_ALL_AXES, GARRAY_KW(quantile, .weights = GARRAY_VAL(x)), &out));
    garray_quantile_opts odd = { .method = (garray_quantile_method)99 };
    FAILS(INVALID, "valid method", garray_nanquantile(x, 0.5, GARRAY_ALL_AXES, &odd, &out));
    garray_quantile_opts negative = { .method = GARRAY_QUANTILE_INVERTED_CDF, .weights = GARRAY_VAL(minus) };
    FAILS(INVALID, "non-negative", garray_quantile(x, 0.5, GARRAY_AXES(1), &negative, &out));
    negative.weights = GARRAY_VAL(flags);
    FAILS(INVALID, "all zero", garray_quantile(x, 0.5, GARRAY_AXES(1), &negative, &out));
    FAILS(AXIS, "axis", garray_median(x, GARRAY_AXES(2), NULL, &out));
    FAILS(SHAPE, "no identity", garray_ptp(nothing, GARRAY_AXES(1), NULL, &out));
    FAILS(DTYPE, "subtract", garray_ptp(flags, GARRAY_ALL_AXES, NULL, &out));
    garray_average_opts weights = { .weights = GARRAY_VAL(flags) };
    FAILS(SHAPE, "Axis must be specified", garray_average(x, GARRAY_ALL_AXES, &weights, &out, &sum));
    FAILS(SHAPE, "consistent", garray_average(x, GARRAY_AXES(0), &weights, &out, &sum));
    garray_t *only = NULL;
    TEST_OK(garray_full(GARRAY_SHAPE(2, 2), NAN, GARRAY_FLOAT32, test_device(), &only));
    FAILS(INVALID, "All-NaN", garray_nanargmax(only, GARRAY_AXES(0), NULL, &out));
    garray_release(only);
    FAILS(INVALID, "order must be non-negative", garray_diff(x, -1, 0, NULL, &out));
    FAILS(SHAPE, "too small", garray_gradient(x, GARRAY_AXES(0), GARRAY_KW(gradient, .edge_order = 2), 1, &out));
    FAILS(INVALID, "2 derivatives", garray_gradient(x, GARRAY_ALL_AXES, NULL, 1, &out));
    FAILS(DTYPE, "bools", garray_ediff1d(flags, NULL, &out));
    garray_ediff1d_opts end = { .to_end = GARRAY_COMPLEX(0, 1) };
    FAILS(DTYPE, "same_kind", garray_ediff1d(x, &end, &out));
    FAILS(INVALID, "ddof must be integer", garray_cov(x, GARRAY_KW(cov, .ddof = GARRAY_VAL(0.5)), &out));
    FAILS(INVALID, "fweights must be integer", garray_cov(x, GARRAY_KW(cov, .fweights = GARRAY_VAL(minus)), &out));
    FAILS(INVALID, "aweights cannot be negative", garray_cov(x, GARRAY_KW(cov, .aweights = GARRAY_VAL(minus)), &out));
    FAILS(INVALID, "takes columns", garray_corrcoef(x, GARRAY_KW(cov, .bias = true), &out));
#undef FAILS
    TEST_EXPECT(!out && !sum, "a failed call assigned its result");
    garray_release(x);
    garray_release(nothing);
    garray_release(flags);
    garray_release(minus);
    TEST_NO_LEAK(mark);
}

/* Both results of the average, either of them alone, and into arrays. */
Test(statistics, two_results)
{
    const double values[6] = { 1, 2, 3, 4, 5, 6 }, weight[3] = { 1, 1, 2 }, averages[2] = { 2.25, 5.25 };
    const double sums[2] = { 4, 4 }, zeros[2] = { 0, 0 };
    garray_t *x = NULL, *w = NULL, *average = NULL, *sum = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(2, 3), NULL, test_device(), &x));
    TEST_OK(garray_from_host(weight, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, test_device(), &w));
    garray_average_opts o = { .weights = GARRAY_VAL(w) };
    TEST_OK(garray_average(x, GARRAY_AXES(1), &o, &average, &sum));
    TEST_EQUAL(average, averages, 0);
    TEST_EQUAL(sum, sums, 0);
    TEST_OK(garray_multiply(average, 0, garray_into(average)));
    TEST_STATUS(ERR_SHAPE, garray_average(x, GARRAY_AXES(1), &o, garray_into(average), garray_into(w)));
    TEST_EQUAL(average, zeros, 0);      /* both or none */
    TEST_OK(garray_average(x, GARRAY_AXES(1), &o, garray_into(average), garray_into(sum)));
    TEST_EQUAL(average, averages, 0);
    TEST_OK(garray_average(x, GARRAY_AXES(1), &o, NULL, &x));
    TEST_EQUAL(x, sums, 0);
    garray_release(x);
    garray_release(w);
    garray_release(average);
    garray_release(sum);
    TEST_NO_LEAK(mark);
}
