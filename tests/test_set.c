/* SPDX-License-Identifier: BSD-3-Clause
 * Different elements, membership and sets: every result against plain loops on every dtype, and small cases by hand. */
#include "wide.h"

/* Equal as == is, or both NaN. */
static bool same(int dtype, const char *a, const char *b, bool nan_too)
{
    if (!test_is_inexact(dtype))
        return test_load_wide(dtype, a) == test_load_wide(dtype, b);
    double p[2], q[2];
    test_load_complex(dtype, a, &p[0], &p[1]);
    test_load_complex(dtype, b, &q[0], &q[1]);
    bool nan_a = isnan(p[0]) || isnan(p[1]), nan_b = isnan(q[0]) || isnan(q[1]);
    return nan_a || nan_b ? nan_too && nan_a && nan_b : p[0] == q[0] && p[1] == q[1];
}

static void few_values(int dtype, int64_t n, int different, uint64_t seed, char *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = test_random_word(&state) % (uint64_t)different;
        double v = dtype == GARRAY_BOOL ? (double)(word & 1) : (double)word;
        if (test_is_inexact(dtype) && word == 1)
            v = NAN;
        if (test_is_inexact(dtype) && word == 2)
            v = -0.0;
        test_store(dtype, values + (size_t)i * item, v, (double)(word % 3));
    }
}

static bool is_nan(int dtype, const char *v)
{
    return test_is_inexact(dtype) && !same(dtype, v, v, false);
}

static void check_unique(int dtype, const char *values, int64_t n, bool distinct_nan, garray_t *const *results)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *got = test_read(results[0]);
    int64_t *index = test_read(results[1]), *inverse = test_read(results[2]), *counts = test_read(results[3]);
    int64_t m = garray_size(results[0]), total = 0;
    bool good = TEST_EXPECT(garray_size(results[1]) == m && garray_size(results[2]) == n && garray_size(results[3]) == m,
                            "lengths do not fit");
    for (int64_t i = 0; i < m && good; i++) {
        const char *v = got + (size_t)i * item;
        int64_t first = 0, count = 0;
        while (first < n && !same(dtype, values + (size_t)first * item, v, true))
            first++;
        for (int64_t j = 0; j < n; j++)
            count += same(dtype, values + (size_t)j * item, v, true);
        bool apart = distinct_nan && is_nan(dtype, v);
        good = TEST_EXPECT(first < n, "value %lld comes from nowhere", (long long)i)
               && TEST_EXPECT(index[i] >= 0 && index[i] < n && (apart || index[i] == first), "index %lld is %lld", (long long)i,
                              (long long)index[i])
               && TEST_EXPECT(counts[i] == (apart ? 1 : count), "count %lld is %lld", (long long)i, (long long)counts[i])
               && TEST_EXPECT(i == 0 || apart || !same(dtype, v, v - item, true), "value %lld comes twice", (long long)i);
        total += counts[i];
    }
    good = good && TEST_EXPECT(total == n, "the counts add up to %lld", (long long)total);
    for (int64_t j = 0; j < n && good; j++)
        good = TEST_EXPECT(inverse[j] >= 0 && inverse[j] < m
                               && same(dtype, got + (size_t)inverse[j] * item, values + (size_t)j * item, true),
                           "inverse %lld is %lld", (long long)j, (long long)inverse[j]);
    free(got);
    free(index);
    free(inverse);
    free(counts);
}

Test(set, unique, .timeout = 120)
{
    static const int64_t lengths[] = { 0, 1, 2, 50, 3000 };
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (int different = 1; different <= 40; different += 13)
                for (int distinct = 0; distinct < 2; distinct++) {
                    int64_t n = lengths[l];
                    char *values = malloc((size_t)(n + 1) * garray_dtype_size((garray_dtype)d));
                    few_values(d, n, different, (uint64_t)(n + d), values);
                    test_context("%s, %lld elements, up to %d different", garray_dtype_name((garray_dtype)d), (long long)n,
                                 different);
                    garray_t *x = test_array(d, n % 2 ? TEST_CONTIGUOUS : TEST_NEGATIVE, GARRAY_SHAPE(n), values);
                    garray_t *results[4] = { NULL }, *alone = NULL;
                    garray_unique_opts opts = { .distinct_nan = distinct };
                    if (TEST_OK(garray_unique(x, GARRAY_ALL_AXES, &opts, &results[0], &results[1], &results[2], &results[3])))
                        check_unique(d, values, n, distinct, results);
                    void *expected = test_read(results[0]);
                    TEST_OK(garray_unique(x, GARRAY_AXES(0), &opts, &alone, NULL, NULL, NULL));
                    TEST_EQUAL(alone, expected, 0);
                    if (distinct) {
                        TEST_OK(garray_unique_values(x, &alone));
                        TEST_EQUAL(alone, expected, 0);
                        TEST_OK(garray_unique_counts(x, &alone, &results[3]));
                        TEST_OK(garray_unique_inverse(x, &results[0], &results[2]));
                        TEST_OK(garray_unique_all(x, &results[0], &results[1], &results[2], &results[3]));
                        check_unique(d, values, n, true, results);
                    }
                    garray_release(x);
                    garray_release(alone);
                    for (int i = 0; i < 4; i++)
                        garray_release(results[i]);
                    free(expected);
                    free(values);
                }
    TEST_NO_LEAK(mark);
}

/* Integers that lie close together are counted: without an index, and the same with one. */
Test(set, unique_integers)
{
    enum { N = 20000 };
    test_mark mark = test_memory();
    for (int d = GARRAY_BOOL; d <= GARRAY_UINT64; d++)
        for (int kind = 0; kind < 4; kind++) {
            size_t item = garray_dtype_size((garray_dtype)d);
            char *values = malloc(N * item);
            uint64_t state = (uint64_t)(d + kind);
            test_random(d, N, state, values);
            int different = d != GARRAY_BOOL ? 120 : kind == 2 ? 1 : 2;
            double base = d == GARRAY_BOOL                 ? kind == 2
                          : kind == 1 && test_is_signed(d) ? -100
                          : kind == 2 && item == 8         ? 9e15
                          : kind == 3 && item > 1          ? 30000
                                                           : 0;
            for (int i = 0; i < N && kind > 0; i++)
                test_store(d, values + (size_t)i * item, base + (double)(test_random_word(&state) % (uint64_t)different), 0);
            test_context("%s, kind %d", garray_dtype_name((garray_dtype)d), kind);
            garray_t *x = test_array(d, kind % 2 ? TEST_SLICED : TEST_CONTIGUOUS, GARRAY_SHAPE(N), values);
            garray_t *all[4] = { NULL }, *some[4] = { NULL };
            if (TEST_OK(garray_unique(x, GARRAY_ALL_AXES, NULL, &all[0], &all[1], &all[2], &all[3]))
                && TEST_OK(garray_unique(x, GARRAY_ALL_AXES, NULL, &some[0], NULL, &some[2], &some[3]))) {
                if (kind > 0)
                    check_unique(d, values, N, false, all);
                for (int i = 0; i < 4; i++)
                    if (i != 1) {
                        void *expected = test_read(all[i]);
                        TEST_EXPECT(garray_dtype_of(some[i]) == garray_dtype_of(all[i]), "dtypes differ");
                        TEST_EQUAL(some[i], expected, 0);
                        free(expected);
                    }
            }
            garray_release(x);
            for (int i = 0; i < 4; i++) {
                garray_release(all[i]);
                garray_release(some[i]);
            }
            free(values);
        }
    TEST_NO_LEAK(mark);
}

Test(set, unique_slices)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    const int32_t rows[] = { 2, 7, 1, 9, 2, 7, 1, 3, 2, 7 };
    garray_t *x = NULL, *y = NULL, *index = NULL, *inverse = NULL, *counts = NULL;
    TEST_OK(garray_from_host(rows, GARRAY_INT32, GARRAY_SHAPE(5, 2), NULL, device, &x));
    TEST_OK(garray_unique(x, GARRAY_AXES(0), NULL, &y, &index, &inverse, &counts));
    TEST_EQUAL(y, ((const int32_t[]){ 1, 3, 1, 9, 2, 7 }), 0);
    TEST_EQUAL(index, ((const int64_t[]){ 3, 1, 0 }), 0);
    TEST_EQUAL(inverse, ((const int64_t[]){ 2, 1, 2, 0, 2 }), 0);
    TEST_EQUAL(counts, ((const int64_t[]){ 1, 1, 3 }), 0);
    TEST_OK(garray_matrix_transpose(x, &x));
    TEST_OK(garray_unique(x, GARRAY_AXES(-1), NULL, &y, NULL, &inverse, NULL));
    TEST_EQUAL(y, ((const int32_t[]){ 1, 1, 2, 3, 9, 7 }), 0);
    TEST_OK(garray_unique(x, GARRAY_ALL_AXES, NULL, NULL, NULL, &inverse, NULL));
    TEST_EXPECT(garray_shape_of(inverse).n == 2 && garray_shape_of(inverse).v[1] == 5, "the inverse has not x's shape");
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 0), GARRAY_FLOAT32, device, &x));
    TEST_OK(garray_unique(x, GARRAY_AXES(0), NULL, &y, NULL, NULL, &counts));
    TEST_EXPECT(garray_shape_of(y).v[0] == 1 && garray_shape_of(y).v[1] == 0, "empty slices are all one");
    TEST_EQUAL(counts, ((const int64_t[]){ 3 }), 0);
    TEST_OK(garray_unique(x, GARRAY_AXES(1), NULL, &y, &index, NULL, NULL));
    TEST_EXPECT(garray_size(index) == 0 && garray_shape_of(y).v[0] == 3, "no slices have none");
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_AXIS, garray_unique(x, GARRAY_AXES(2), NULL, &y, NULL, NULL, NULL));
    TEST_STATUS(ERR_AXIS, garray_unique(x, GARRAY_AXES(0, 1), NULL, &y, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_unique(x, GARRAY_AXES(0), NULL, NULL, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_unique(x, GARRAY_AXES(0), NULL, &y, &y, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_unique(NULL, GARRAY_AXES(0), NULL, &y, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_unique_values(x, NULL));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
    garray_release(index);
    garray_release(inverse);
    garray_release(counts);
    TEST_NO_LEAK(mark);
}

Test(set, membership)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int64_t m = 0; m < 30; m += 1 + 7 * (m > 2)) {
                enum { ROWS = 6, COLUMNS = 50, N = ROWS * COLUMNS };
                size_t item = garray_dtype_size((garray_dtype)d);
                char *values = malloc(N * item), *tests = malloc((size_t)(m + 1) * item);
                uint8_t expected[N];
                few_values(d, N, 30, (uint64_t)(d + layout), values);
                few_values(d, m, 30, (uint64_t)m, tests);
                test_context("%s, %s, in %lld", garray_dtype_name((garray_dtype)d), test_layout_name(layout), (long long)m);
                garray_t *x = test_array(d, layout, GARRAY_SHAPE(ROWS, COLUMNS), values), *t = NULL, *y = NULL;
                TEST_OK(garray_from_host(tests, (garray_dtype)d, GARRAY_SHAPE(m), NULL, test_device(), &t));
                for (int invert = 0; invert < 2; invert++) {
                    for (int i = 0; i < N; i++) {
                        expected[i] = invert != 0;
                        for (int64_t j = 0; j < m; j++)
                            if (same(d, values + (size_t)i * item, tests + (size_t)j * item, false))
                                expected[i] = !invert;
                    }
                    garray_set_opts opts = { .invert = invert };
                    if (TEST_OK(garray_isin(x, t, &opts, &y)))
                        TEST_EQUAL(y, expected, 0);
                }
                garray_release(x);
                garray_release(t);
                garray_release(y);
                free(values);
                free(tests);
            }
    TEST_NO_LEAK(mark);
}

Test(set, numbers_and_errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = NULL, *y = NULL;
    bool answer;
    TEST_OK(garray_from_host((const uint8_t[]){ 3, 1, 44 }, GARRAY_UINT8, GARRAY_SHAPE(3), NULL, device, &x));
    TEST_OK(garray_isin(x, 300, NULL, &y));             /* 300 is not 44 */
    TEST_EQUAL(y, ((const uint8_t[]){ 0, 0, 0 }), 0);
    TEST_OK(garray_isin(x, 1, NULL, &y));
    TEST_EQUAL(y, ((const uint8_t[]){ 0, 1, 0 }), 0);
    if (TEST_OK(garray_isin(1.5, x, NULL, &y)) && TEST_OK(garray_item(y, &answer)))
        TEST_EXPECT(!answer && garray_shape_of(y).n == 0, "1.5 is in it");
    if (TEST_OK(garray_isin(-1, x, GARRAY_KW(set, .invert = true), &y)) && TEST_OK(garray_item(y, &answer)))
        TEST_EXPECT(answer, "-1 is in it");
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_INVALID, garray_isin(1, 2, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_isin(x, GARRAY_NONE, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_union1d(x, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_intersect1d(x, x, NULL, &y, &y, NULL));
    TEST_STATUS(ERR_INVALID, garray_intersect1d(x, x, NULL, NULL, &y, NULL));
    TEST_STATUS(ERR_INVALID, garray_intersect1d(x, x, NULL, &y, NULL, garray_into(NULL)));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
    TEST_NO_LEAK(mark);
}

Test(set, operations)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *a = NULL, *b = NULL, *f = NULL, *none = NULL, *y = NULL, *index_a = NULL, *index_b = NULL;
    TEST_OK(garray_from_host((const int16_t[]){ 5, 1, 5, 2, 9, 1 }, GARRAY_INT16, GARRAY_SHAPE(2, 3), NULL, device, &a));
    TEST_OK(garray_from_host((const int32_t[]){ 9, 4, 5, 9 }, GARRAY_INT32, GARRAY_SHAPE(4), NULL, device, &b));
    TEST_OK(garray_from_host((const float[]){ NAN, 2, -0.0f, NAN }, GARRAY_FLOAT32, GARRAY_SHAPE(4), NULL, device, &f));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0), GARRAY_INT8, device, &none));
    TEST_OK(garray_intersect1d(a, b, NULL, &y, &index_a, &index_b));
    TEST_EQUAL(y, ((const int32_t[]){ 5, 9 }), 0);
    TEST_EQUAL(index_a, ((const int64_t[]){ 0, 4 }), 0);
    TEST_EQUAL(index_b, ((const int64_t[]){ 2, 0 }), 0);
    TEST_OK(garray_intersect1d(a, b, NULL, &y, NULL, &index_b));
    TEST_EQUAL(index_b, ((const int64_t[]){ 2, 0 }), 0);
    TEST_OK(garray_intersect1d(none, none, NULL, &y, &index_a, NULL));
    TEST_EXPECT(garray_size(y) == 0 && garray_dtype_of(y) == GARRAY_INT8 && garray_size(index_a) == 0, "nothing is in both");
    TEST_OK(garray_setdiff1d(a, b, NULL, &y));
    TEST_EQUAL(y, ((const int16_t[]){ 1, 2 }), 0);
    TEST_OK(garray_setdiff1d(a, b, GARRAY_KW(set, .assume_unique = true), &y));
    TEST_EQUAL(y, ((const int16_t[]){ 1, 2, 1 }), 0);
    TEST_OK(garray_setxor1d(a, b, NULL, &y));
    TEST_EQUAL(y, ((const int32_t[]){ 1, 2, 4 }), 0);
    TEST_OK(garray_union1d(a, b, &y));
    TEST_EQUAL(y, ((const int32_t[]){ 1, 2, 4, 5, 9 }), 0);
    TEST_OK(garray_union1d(f, a, &y));
    TEST_EQUAL(y, ((const float[]){ -0.0f, 1, 2, 5, 9, NAN }), 0);
    TEST_OK(garray_intersect1d(f, f, NULL, &y, NULL, NULL));        /* no NaN is in both */
    TEST_EQUAL(y, ((const float[]){ -0.0f, 2 }), 0);
    TEST_OK(garray_setdiff1d(f, f, NULL, &y));
    TEST_EQUAL(y, ((const float[]){ NAN }), 0);
    TEST_OK(garray_setxor1d(none, none, NULL, &y));
    TEST_EXPECT(garray_size(y) == 0, "nothing is in one alone");
    TEST_OK(garray_union1d(b, none, &b));
    TEST_EQUAL(b, ((const int32_t[]){ 4, 5, 9 }), 0);
    garray_release(a);
    garray_release(b);
    garray_release(f);
    garray_release(none);
    garray_release(y);
    garray_release(index_a);
    garray_release(index_b);
    TEST_NO_LEAK(mark);
}
