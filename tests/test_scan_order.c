/* SPDX-License-Identifier: BSD-3-Clause
 * Running maxima and minima against a plain walk, and scans that are exclusive or run backwards against the plain ones of
 * turned and shifted arrays: every dtype, layout and axis, and sequences that several blocks or threads share. */
#include "wide.h"

static bool is_nan(int dtype, const char *v)
{
    double re, im;
    if (!test_is_inexact(dtype))
        return false;
    test_load_complex(dtype, v, &re, &im);
    return isnan(re) || isnan(im);
}

static int compare_reals(double a, double b)
{
    return a == 0 && b == 0 ? !!signbit(b) - !!signbit(a) : (a > b) - (a < b);
}

/* No NaN.  Complex zeros of either sign are equal. */
static int compare(int dtype, const char *a, const char *b)
{
    if (!test_is_inexact(dtype)) {
        test_wide p = test_load_wide(dtype, a), q = test_load_wide(dtype, b);
        return (p > q) - (p < q);
    }
    double p[2], q[2];
    test_load_complex(dtype, a, &p[0], &p[1]);
    test_load_complex(dtype, b, &q[0], &q[1]);
    if (dtype < GARRAY_COMPLEX64)
        return compare_reals(p[0], q[0]);
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static void expect_lines(int dtype, bool minimum, const char *values, garray_shape shape, int axis, char *expected)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    int64_t inner = 1, n = shape.v[axis], size = test_count(shape);
    for (int64_t i = axis + 1; i < shape.n; i++)
        inner *= shape.v[i];
    for (int64_t line = 0; n > 0 && line < size / n; line++) {
        int64_t first = line / inner * n * inner + line % inner, best = first;
        for (int64_t i = 0; i < n; i++) {
            const char *v = values + (size_t)(first + i * inner) * item, *so_far = values + (size_t)best * item;
            if (!is_nan(dtype, so_far)
                && (is_nan(dtype, v) || (minimum ? compare(dtype, v, so_far) < 0 : compare(dtype, v, so_far) > 0)))
                best = first + i * inner;
            memcpy(expected + (size_t)(first + i * inner) * item, values + (size_t)best * item, item);
        }
    }
}

static void make_values(int dtype, int64_t n, uint64_t seed, char *values)
{
    static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN };
    size_t item = garray_dtype_size((garray_dtype)dtype);
    uint64_t state = seed;
    test_random(dtype, n, seed, values);
    for (int64_t i = 0; i < n && test_is_inexact(dtype); i++) {
        uint64_t word = test_random_word(&state) % 60;
        if (word < 4 || (word == 4 && seed % 3 == 0))
            test_store(dtype, values + (size_t)i * item, special[word], (double)(seed % 2));
    }
}

typedef garray_status scan_call(const garray_t *, garray_axes, const garray_cumulative_opts *, garray_t **);

/* Sums of floats follow a tree that depends on the length, and a plain scan of n - 1 elements has another length than an
 * exclusive one of n: they may be neighbours, products of complex numbers a rounding for each factor apart.  An overflow on
 * the way may be NaN in one part of a complex number, and so may the sign of a part that is zero differ. */
static void compare_lines(const garray_t *got, const void *values, double ulps)
{
    int dtype = (int)garray_dtype_of(got);
    if (dtype < GARRAY_FLOAT16) {
        TEST_EQUAL(got, values, 0);
        return;
    }
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *items = test_read(got);
    for (int64_t i = 0; i < garray_size(got); i++) {
        double re[2], im[2];
        const char *const pair[2] = { items + (size_t)i * item, (const char *)values + (size_t)i * item };
        for (int k = 0; k < 2; k++)
            test_load_complex(dtype, pair[k], &re[k], &im[k]);
        bool lost = !(isfinite(re[0]) && isfinite(im[0])) && !(isfinite(re[1]) && isfinite(im[1]));
        bool equal = re[0] == re[1] && im[0] == im[1];
        if (!((lost || equal) && dtype >= GARRAY_COMPLEX64)
            && !TEST_EXPECT(test_ulps(dtype, pair[0], pair[1]) <= ulps, "element %lld is %s, not %s", (long long)i,
                            test_text(dtype, pair[0]), test_text(dtype, pair[1])))
            break;
    }
    free(items);
}

/* scan(x, ...opts) is what the plain scan makes of x turned, cut and turned back. */
static void check_options(scan_call *call, const garray_t *x, int axis)
{
    int64_t n = garray_shape_of(x).v[axis];
    garray_index items[8];
    for (int reverse = 0; reverse < 2; reverse++)
        for (int exclusive = 0; exclusive < 2; exclusive++) {
            garray_cumulative_opts opts = { .exclusive = exclusive, .reverse = reverse };
            garray_cumulative_opts plain = { .include_initial = exclusive };
            garray_t *source = NULL, *expected = NULL, *got = NULL;
            TEST_OK(reverse ? garray_flip(x, GARRAY_AXES(axis), &source) : garray_copy(x, &source));
            for (int i = 0; i < 8; i++)
                items[i] = GARRAY_ALL;
            items[axis] = GARRAY_TO(n - 1);
            if (exclusive && n > 0)
                TEST_OK(garray_getitem(source, (garray_indices){ axis + 1, items }, &source));
            if (exclusive && n == 0)
                plain.include_initial = 0;
            TEST_OK(call(source, GARRAY_AXES(axis), &plain, &expected));
            if (reverse)
                TEST_OK(garray_flip(expected, GARRAY_AXES(axis), &expected));
            if (TEST_OK(call(x, GARRAY_AXES(axis), &opts, &got))) {
                void *values = test_read(expected);
                TEST_EXPECT(garray_dtype_of(got) == garray_dtype_of(expected), "the dtype differs");
                compare_lines(got, values, call == garray_cumulative_prod ? 2 + 2 * (double)n : 2);
                free(values);
            }
            garray_release(source);
            garray_release(expected);
            garray_release(got);
        }
}

static void check(int dtype, int layout, garray_shape shape, int axis, uint64_t seed)
{
    size_t bytes = (size_t)test_count(shape) * garray_dtype_size((garray_dtype)dtype) + 16;
    char *values = malloc(bytes), *expected = malloc(bytes);
    make_values(dtype, test_count(shape), seed, values);
    garray_t *x = test_array(dtype, layout, shape, values), *y = NULL;
    for (int minimum = 0; minimum < 2; minimum++) {
        scan_call *call = minimum ? garray_cummin : garray_cummax;
        expect_lines(dtype, minimum, values, shape, axis, expected);
        if (TEST_OK(call(x, GARRAY_AXES(axis), NULL, &y))) {
            TEST_EXPECT((int)garray_dtype_of(y) == dtype, "the dtype is not x's");
            TEST_EQUAL(y, expected, 0);
        }
        check_options(call, x, axis);
    }
    if (dtype != GARRAY_BOOL) {
        check_options(garray_cumulative_sum, x, axis);
        check_options(garray_cumulative_prod, x, axis);
    }
    garray_release(x);
    garray_release(y);
    free(values);
    free(expected);
}

Test(scan_order, every_layout, .timeout = 300)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++)
                for (int axis = 0; axis < test_shapes[s].n && axis < 7; axis++) {
                    test_context("%s, %s, shape %d, axis %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout), s,
                                 axis);
                    check(d, layout, test_shapes[s], axis, (uint64_t)(d + layout + s));
                }
    TEST_NO_LEAK(mark);
}

Test(scan_order, long_sequences, .timeout = 300)
{
    static const int64_t shapes[][2] = { { 1, 100003 }, { 3, 20000 }, { 5, 1025 }, { 2000, 3 }, { 30001, 5 }, { 700, 300 } };
    for (TEST_DTYPES(d))
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int axis = 0; axis < 2; axis++) {
                if ((d + (int)s + axis) % 3 && d != GARRAY_FLOAT32 && d != GARRAY_COMPLEX64)
                    continue;
                test_context("%s, (%d, %d), axis %d", garray_dtype_name((garray_dtype)d), (int)shapes[s][0], (int)shapes[s][1],
                             axis);
                check(d, s % 2 ? TEST_CONTIGUOUS : TEST_TRANSPOSED, GARRAY_DIMS(2, shapes[s]), axis, (uint64_t)(d + 3 * (int)s));
            }
}

Test(scan_order, ends_and_errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = NULL, *y = NULL, *b = NULL;
    TEST_OK(garray_from_host((const int16_t[]){ 3, 1, 4 }, GARRAY_INT16, GARRAY_SHAPE(3), NULL, device, &x));
    TEST_OK(garray_cummax(x, GARRAY_ALL_AXES, GARRAY_KW(cumulative, .include_initial = true), &y));
    TEST_EQUAL(y, ((const int16_t[]){ INT16_MIN, 3, 3, 4 }), 0);
    TEST_OK(garray_cummin(x, GARRAY_ALL_AXES, GARRAY_KW(cumulative, .exclusive = true, .reverse = true), &y));
    TEST_EQUAL(y, ((const int16_t[]){ 1, 4, INT16_MAX }), 0);
    TEST_OK(garray_cummax(x, GARRAY_AXES(0), GARRAY_KW(cumulative, .dtype = GARRAY_FLOAT32, .exclusive = true), &y));
    TEST_EQUAL(y, ((const float[]){ -INFINITY, 3, 3 }), 0);
    TEST_OK(garray_cumulative_sum(x, GARRAY_AXES(0), GARRAY_KW(cumulative, .include_initial = true, .reverse = true), &y));
    TEST_EQUAL(y, ((const int64_t[]){ 8, 5, 4, 0 }), 0);
    TEST_OK(garray_cumulative_prod(x, GARRAY_AXES(0), GARRAY_KW(cumulative, .exclusive = true), &y));
    TEST_EQUAL(y, ((const int64_t[]){ 1, 3, 3 }), 0);
    TEST_OK(garray_from_host((const uint8_t[]){ 0, 1, 0 }, GARRAY_BOOL, GARRAY_SHAPE(3), NULL, device, &b));
    TEST_OK(garray_cummax(b, GARRAY_AXES(0), NULL, garray_into(b)));
    TEST_EQUAL(b, ((const uint8_t[]){ 0, 1, 1 }), 0);
    TEST_OK(garray_cummin(b, GARRAY_AXES(0), GARRAY_KW(cumulative, .include_initial = true), &b));
    TEST_EQUAL(b, ((const uint8_t[]){ 1, 0, 0, 0 }), 0);
    TEST_OK(garray_cummax(x, GARRAY_AXES(0), NULL, &x));
    TEST_EQUAL(x, ((const int16_t[]){ 3, 3, 4 }), 0);
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_INVALID, garray_cummax(x, GARRAY_AXES(0),
                                           GARRAY_KW(cumulative, .include_initial = true, .exclusive = true), &y));
    TEST_STATUS(ERR_AXIS, garray_cummax(x, GARRAY_AXES(1), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_cummin(NULL, GARRAY_AXES(0), NULL, &y));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
    garray_release(b);
    TEST_NO_LEAK(mark);
}
