/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms and counts: NumPy's, edges to the bit (tools/make_golden_histogram.py); all items in one bin, many items,
 * the same sums in each run; errors. */
#include "test.h"

enum { HISTOGRAM, BINCOUNT, HISTOGRAM2D, DIGITIZE };

/* A golden block as an array of one axis; NULL for none. */
static garray_t *array_of(const test_golden *golden, int block, int layout)
{
    if (block < 0)
        return NULL;
    const test_block *b = &golden->block[block];
    size_t size = (size_t)b->n * garray_dtype_size((garray_dtype)b->dtype);
    void *values = malloc(size + 1);
    memcpy(values, b->data, size);
    garray_t *x = test_array(b->dtype, layout, GARRAY_SHAPE(b->n), values);
    free(values);
    return x;
}

static garray_operand given(const garray_t *x)
{
    return x ? garray_operand_array(x) : GARRAY_NONE;
}

static garray_operand number(int bins)
{
    return bins ? garray_operand_int(bins) : GARRAY_NONE;
}

static garray_status call(const test_golden *golden, const int32_t *c, const garray_t *x, const garray_t *edges,
                          const garray_t *weights, garray_t **results)
{
    if (c[0] == BINCOUNT) {
        garray_bincount_opts o = { .weights = given(weights), .minlength = c[8] };
        return garray_bincount(x, &o, &results[0]);
    }
    if (c[0] == DIGITIZE) {
        garray_digitize_opts o = { .right = c[8] };
        return garray_digitize(x, edges, &o, &results[0]);
    }
    if (c[0] == HISTOGRAM2D) {
        garray_histogramdd_opts o = { .weights = given(weights) };
        garray_t *y = NULL;
        garray_status st = garray_flip(x, GARRAY_ALL_AXES, &y);
        if (st == GARRAY_OK)
            st = garray_histogram2d(x, y, number(c[2]), edges ? given(edges) : number(c[2]), &o, &results[0], &results[1],
                                    &results[2]);
        garray_release(y);
        return st;
    }
    garray_histogram_opts o = { .weights = given(weights), .density = c[6], .rule = (garray_bin_rule)c[7] };
    if (c[4] >= 0) {
        const double *span = golden->block[c[4]].data;
        o.low = GARRAY_VAL(span[0]);
        o.high = GARRAY_VAL(span[1]);
    }
    return garray_histogram(x, edges ? given(edges) : number(c[2]), &o, &results[0], &results[1]);
}

static void compare(const test_golden *golden, int block, const garray_t *y, const char *what, double ulps)
{
    const test_block *expected = &golden->block[block];
    if (TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype && garray_size(y) == expected->n, "the %s: %d %s, not %d %s", what,
                    (int)garray_size(y), garray_dtype_name(garray_dtype_of(y)), expected->n,
                    garray_dtype_name((garray_dtype)expected->dtype)))
        TEST_EQUAL(y, expected->data, ulps);
}

Test(histogram, against_numpy)
{
    const test_golden *golden = test_golden_open("histogram");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *c = golden->cases + (size_t)i * (size_t)golden->width;
        const int layout = test_layout_repeats(i % TEST_LAYOUTS) ? TEST_CONTIGUOUS : i % TEST_LAYOUTS;
        garray_t *x = array_of(golden, c[1], layout), *edges = array_of(golden, c[3], TEST_CONTIGUOUS),
                 *weights = array_of(golden, c[5], TEST_CONTIGUOUS), *results[3] = { NULL, NULL, NULL };
        test_context("case %d: function %d of %d %s, %s; bins %d, rule %d", i, c[0], (int)garray_size(x),
                     garray_dtype_name(garray_dtype_of(x)), test_layout_name(layout), c[2], c[7]);
        if (TEST_OK(call(golden, c, x, edges, weights, results)))
            for (int k = 0; k < 3; k++)
                if (c[9 + k] >= 0)
                    compare(golden, c[9 + k], results[k], k ? "edges" : "histogram", c[12] / 100.0);
        garray_release(x);
        garray_release(edges);
        garray_release(weights);
        for (int k = 0; k < 3; k++)
            garray_release(results[k]);
    }
    TEST_NO_LEAK(mark);
}

/* Many items: each number below `bins` as often as the others, or all in one bin, on the edges or in the middle; counts, and
 * sums of a tenth each, which have no exact value: twice, the same bits. */
Test(histogram, many)
{
    static const struct {
        int dtype;
        int64_t n, bins;
        bool one, middle;
    } table[] = {
        { GARRAY_INT64, 3000000, 1000, false, false },    { GARRAY_INT32, 1 << 20, 1 << 16, false, false },
        { GARRAY_UINT8, 2500000, 250, false, false },     { GARRAY_FLOAT32, 3000000, 256, false, false },
        { GARRAY_FLOAT64, 1 << 20, 20000, false, false }, { GARRAY_FLOAT32, 2000001, 7, true, false },
        { GARRAY_INT16, 2000001, 9000, true, false },     { GARRAY_INT64, 700000, 100000, true, false },
        { GARRAY_FLOAT16, 1 << 20, 1024, false, false },  { GARRAY_FLOAT32, 3000001, 256, false, true },
        { GARRAY_UINT8, 2500003, 256, false, true },      { GARRAY_FLOAT16, 1500001, 100, false, true },
        { GARRAY_FLOAT32, 3000000, 300, false, true },    { GARRAY_FLOAT32, 2000001, 255, true, true },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        const int64_t n = table[t].n, bins = table[t].bins;
        garray_t *x = NULL, *w = NULL, *hist = NULL, *sums = NULL, *again = NULL, *same = NULL;
        const double low = table[t].middle ? -0.5 : 0;
        garray_histogram_opts o = { .low = GARRAY_VAL(low), .high = GARRAY_VAL(low + (double)bins) };
        bool equal = false;
        test_context("%d of %s in %d bins", (int)n, garray_dtype_name((garray_dtype)table[t].dtype), (int)bins);
        TEST_OK(garray_arange(0, n, 1, GARRAY_INT64, test_device(), &x));
        if (table[t].one)
            TEST_OK(garray_full(GARRAY_SHAPE(n), bins - 1, GARRAY_INT64, test_device(), &x));
        else
            TEST_OK(garray_remainder(x, bins, &x));
        TEST_OK(garray_astype(x, (garray_dtype)table[t].dtype, &x));
        TEST_OK(garray_full(GARRAY_SHAPE(n), 0.1, GARRAY_FLOAT64, test_device(), &w));
        TEST_OK(garray_histogram(x, bins, &o, &hist, NULL));
        o.weights = GARRAY_VAL(w);
        TEST_OK(garray_histogram(x, bins, &o, &sums, NULL));
        TEST_OK(garray_histogram(x, bins, &o, &again, NULL));
        TEST_OK(garray_equal(sums, again, &same));
        TEST_OK(garray_all(same, GARRAY_ALL_AXES, NULL, &same));
        TEST_OK(garray_item(same, &equal));
        TEST_EXPECT(equal, "other sums at the second time");
        int64_t *counts = test_read(hist);
        double *tenths = test_read(sums);
        for (int64_t b = 0; b < bins; b++) {
            int64_t expected = table[t].one ? (b == bins - 1 ? n : 0) : n / bins + (b < n % bins);
            if (!TEST_EXPECT(counts[b] == expected, "%lld items in bin %lld, not %lld", (long long)counts[b], (long long)b,
                             (long long)expected)
                || !TEST_EXPECT(fabs(tenths[b] - 0.1 * (double)expected) <= 1e-9 * (double)expected, "%.17g in bin %lld",
                                tenths[b], (long long)b))
                break;
        }
        free(counts);
        free(tenths);
        garray_release(x);
        garray_release(w);
        garray_release(hist);
        garray_release(sums);
        garray_release(again);
        garray_release(same);
    }
}

/* Three dimensions: as many points in each cell as were put there, and the edges. */
Test(histogram, three_dimensions)
{
    enum { N = 2000 };
    double points[N][3], expected[2][3][4] = { { { 0 } } }, low[3] = { 0, 0, NAN }, high[3] = { 2, 3, NAN };
    const double third[5] = { -1, -0.5, 0, 0.5, 1 };
    uint64_t state = 3;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            points[i][k] = (double)(test_random_word(&state) >> 40) * 0x1p-24 * (k == 2 ? 2 : k + 3) - (k == 2 ? 1 : 0);
        if (i < 2)
            points[i][2] = i ? 1 : -1;          /* the range of the third */
        int a = (int)floor(points[i][0]), b = (int)floor(points[i][1]), c = (int)floor((points[i][2] + 1) * 2);
        if (a < 2 && b < 3)
            expected[a][b][c < 4 ? c : 3]++;
    }
    garray_t *x = NULL, *hist = NULL, *edges[3] = { NULL, NULL, NULL };
    const garray_operand bins[3] = { GARRAY_VAL(2), GARRAY_VAL(3), GARRAY_VAL(4) };
    garray_histogramdd_opts o = { .low = low, .high = high };
    test_mark mark = test_memory();
    TEST_OK(garray_from_host(points, GARRAY_FLOAT64, GARRAY_SHAPE(N, 3), NULL, test_device(), &x));
    TEST_OK(garray_histogramdd(x, 3, bins, &o, &hist, edges));
    TEST_EXPECT(garray_ndim(hist) == 3, "%d axes", garray_ndim(hist));
    TEST_EQUAL(hist, expected, 0);
    TEST_EQUAL(edges[2], third, 0);
    TEST_OK(garray_histogramdd(x, 1, bins, NULL, NULL, edges));
    TEST_EXPECT(garray_size(edges[2]) == 3, "%d edges", (int)garray_size(edges[2]));
    garray_release(x);
    garray_release(hist);
    for (int k = 0; k < 3; k++)
        garray_release(edges[k]);
    TEST_NO_LEAK(mark);
}

Test(histogram, errors)
{
    const double values[4] = { 1, NAN, 2, 3 }, falling[3] = { 3, 2, 1 };
    const int32_t numbers[3] = { 0, -2, 1 };
    garray_t *x = NULL, *down = NULL, *integers = NULL, *wide = NULL, *z = NULL, *hist = NULL, *edges = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(4), NULL, test_device(), &x));
    TEST_OK(garray_from_host(falling, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, test_device(), &down));
    TEST_OK(garray_from_host(numbers, GARRAY_INT32, GARRAY_SHAPE(3), NULL, test_device(), &integers));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_UINT64, test_device(), &wide));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_COMPLEX64, test_device(), &z));
#define FAILS(status, words, ...) \
    if (TEST_STATUS(ERR_##status, __VA_ARGS__)) \
        TEST_MESSAGE(words)
    FAILS(INVALID, "autodetected range of [nan, nan] is not finite", garray_histogram(x, 3, NULL, &hist, &edges));
    garray_histogram_opts o = { .low = GARRAY_VAL(2), .high = GARRAY_VAL(1) };
    FAILS(INVALID, "max must be larger than min", garray_histogram(x, 3, &o, &hist, &edges));
    o.high = GARRAY_VAL(INFINITY);
    FAILS(INVALID, "is not finite", garray_histogram(x, 3, &o, &hist, &edges));
    o.high = GARRAY_NONE;
    FAILS(INVALID, "two numbers", garray_histogram(x, 3, &o, &hist, &edges));
    o.low = GARRAY_VAL(1);
    o.high = GARRAY_VAL(nextafter(1, 2));
    FAILS(INVALID, "Too many bins", garray_histogram(x, 3, &o, &hist, &edges));
    FAILS(INVALID, "must be positive", garray_histogram(x, 0, NULL, &hist, &edges));
    FAILS(INVALID, "integer or an array", garray_histogram(x, 2.5, NULL, &hist, &edges));
    FAILS(INVALID, "increase monotonically", garray_histogram(x, down, NULL, &hist, &edges));
    FAILS(DTYPE, "must be real", garray_histogram(z, 3, NULL, &hist, &edges));
    garray_histogram_opts weights = { .weights = GARRAY_VAL(down) };
    FAILS(SHAPE, "same shape", garray_histogram(down, 3, NULL, &hist, NULL) == GARRAY_OK
                                   ? garray_histogram(wide, 3, &weights, &hist, &edges) : GARRAY_OK);
    weights.rule = GARRAY_BINS_AUTO;
    FAILS(INVALID, "not supported for weighted data", garray_histogram(down, GARRAY_NONE, &weights, &hist, &edges));
    FAILS(INVALID, "a rule for them", garray_histogram(down, 3, GARRAY_KW(histogram, .rule = GARRAY_BINS_FD), &hist, &edges));
    FAILS(INVALID, "negative elements", garray_bincount(integers, NULL, &edges));
    FAILS(DTYPE, "Cannot cast", garray_bincount(wide, NULL, &edges));
    FAILS(DTYPE, "Cannot cast", garray_bincount(x, NULL, &edges));
    FAILS(INVALID, "minlength", garray_bincount(integers, GARRAY_KW(bincount, .minlength = -1), &edges));
    FAILS(INVALID, "monotonically increasing or decreasing", garray_digitize(1, integers, NULL, &edges));
    FAILS(DTYPE, "complex", garray_digitize(z, down, NULL, &edges));
    FAILS(SHAPE, "2 axes", garray_histogramdd(x, 1, &(garray_operand){ .kind = 0 }, NULL, &hist, NULL));
    FAILS(SHAPE, "same length", garray_histogram2d(x, down, 2, 2, NULL, &hist, NULL, NULL));
#undef FAILS
    TEST_EXPECT(!edges, "a failed call assigned its result");
    garray_release(x);
    garray_release(down);
    garray_release(integers);
    garray_release(wide);
    garray_release(z);
    garray_release(hist);
    TEST_NO_LEAK(mark);
}

/* Bools count as uint8: numpy.histogram(x, "fd") of 30 ones and 10 zeros has one bin, since the quartiles agree. */
Test(histogram, rules_of_bools)
{
    uint8_t values[40];
    for (int i = 0; i < 40; i++)
        values[i] = i % 4 != 0;
    garray_t *x = NULL, *hist = NULL, *edges = NULL;
    TEST_OK(garray_from_host(values, GARRAY_BOOL, GARRAY_SHAPE(40), NULL, test_device(), &x));
    if (TEST_OK(garray_histogram(x, GARRAY_NONE, GARRAY_KW(histogram, .rule = GARRAY_BINS_FD), &hist, &edges)))
        TEST_EQUAL(hist, ((const int64_t[]){ 40 }), 0);
    garray_release(x);
    garray_release(hist);
    garray_release(edges);
}
