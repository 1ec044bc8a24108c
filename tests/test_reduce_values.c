/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions: NumPy's values for special numbers, accuracy where plain summation fails, the same bits for any number
 * of threads, results into views, and errors. */
#include "reductions.h"
#include "wide.h"

static garray_status call(int op, const garray_t *x, garray_axes axes, bool keepdims, garray_t **out)
{
    return reduction(op, x, axes, (garray_reduce_opts){ .keepdims = keepdims }, GARRAY_NONE, out);
}

/* ---- golden: all short rows of special numbers, and random rows, along both axes ---- */

/* Which of several complex NaNs is the minimum depends on the order of the reduction: any will do. */
static void same_nan(const garray_t *y, const test_block *expected, double *room)
{
    double *got = test_read(y);
    memcpy(room, expected->data, (size_t)expected->n * garray_dtype_size((garray_dtype)expected->dtype));
    for (int i = 0; i < expected->n; i++) {
        size_t at = (size_t)i * garray_dtype_size((garray_dtype)expected->dtype);
        double a[2], b[2];
        test_load_complex(expected->dtype, (char *)got + at, &a[0], &a[1]);
        test_load_complex(expected->dtype, (char *)room + at, &b[0], &b[1]);
        if ((isnan(a[0]) || isnan(a[1])) && (isnan(b[0]) || isnan(b[1])))
            memcpy((char *)room + at, (char *)got + at, garray_dtype_size((garray_dtype)expected->dtype));
    }
    free(got);
}

/* y is what was expected. */
static void compare(int op, const garray_t *y, const test_block *expected, double ulps)
{
    if (test_is_complex(expected->dtype) && (op == GARRAY_RED_MIN || op == GARRAY_RED_MAX)) {
        double *room = malloc((size_t)expected->n * 16);
        same_nan(y, expected, room);
        TEST_EQUAL(y, room, ulps);
        free(room);
    } else {
        TEST_EQUAL(y, expected->data, ulps);
    }
}

Test(reduce_values, against_numpy)
{
    const test_golden *golden = test_golden_open("reduce");
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        int op = row[0], columns = row[1];
        const test_block *in = &golden->block[row[2]], *expected = &golden->block[row[3]];
        size_t item = garray_dtype_size((garray_dtype)in->dtype);
        garray_shape shape = GARRAY_SHAPE(in->n / columns, columns);
        char *values = malloc((size_t)in->n * item);
        memcpy(values, in->data, (size_t)in->n * item);
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            if (test_layout_repeats(layout))
                continue;
            garray_t *x = test_array(in->dtype, layout, shape, values), *y = NULL, *turned = NULL;
            test_context("op %d of %s, rows of %d, %s", op, garray_dtype_name((garray_dtype)in->dtype), columns,
                         test_layout_name(layout));
            if (TEST_OK(call(op, x, GARRAY_AXES(1), false, &y)) &&
                TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s",
                            garray_dtype_name(garray_dtype_of(y))))
                compare(op, y, expected, row[4] / 100.0);
            if (TEST_OK(garray_matrix_transpose(x, &turned)) && TEST_OK(garray_copy(turned, &turned))
                && TEST_OK(call(op, turned, GARRAY_AXES(0), false, &y)))
                compare(op, y, expected, row[4] / 100.0);
            garray_release(x);
            garray_release(y);
            garray_release(turned);
        }
        free(values);
    }
}

/* ---- accuracy ---- */

/* The sum of equal numbers is their number times them, to one rounding, along either axis. */
Test(reduce_values, equal_terms)
{
    static const struct {
        int dtype;
        int64_t rows, columns;
    } table[] = {
        { GARRAY_FLOAT32, 1, 1 << 22 }, { GARRAY_FLOAT32, 1 << 21, 2 }, { GARRAY_FLOAT32, 1 << 11, 1 << 11 },
        { GARRAY_FLOAT32, 2, 1 << 21 }, { GARRAY_FLOAT64, 1, 1 << 20 }, { GARRAY_FLOAT64, 1 << 20, 2 },
        { GARRAY_FLOAT16, 1, 1 << 12 }, { GARRAY_FLOAT16, 1 << 12, 3 }, { GARRAY_BFLOAT16, 1, 1 << 20 },
        { GARRAY_BFLOAT16, 1 << 19, 2 }, { GARRAY_COMPLEX64, 1 << 19, 2 }, { GARRAY_COMPLEX128, 1, 1 << 18 },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        int d = table[t].dtype;
        garray_t *x = NULL, *y = NULL;
        test_context("%s, (%d, %d)", garray_dtype_name((garray_dtype)d), (int)table[t].rows, (int)table[t].columns);
        if (!TEST_OK(garray_full(GARRAY_SHAPE(table[t].rows, table[t].columns), 0.1, (garray_dtype)d, test_device(), &x)))
            return;
        char tenth[16], expected[16];
        test_store(d, tenth, 0.1, 0);
        double value = test_load(d, tenth);
        int64_t counts[3] = { table[t].rows * table[t].columns, table[t].rows, table[t].columns };
        for (int how = 0; how < 3; how++) {
            int32_t axis = how - 1;
            garray_axes axes = how == 0 ? GARRAY_ALL_AXES : (garray_axes){ 1, &axis };
            garray_t *first = NULL;
            test_store(d, expected, value * (double)counts[how], 0);
            if (TEST_OK(garray_sum(x, axes, NULL, &y)) && TEST_OK(garray_ravel(y, &first))
                && TEST_OK(garray_getitem(first, GARRAY_AT(GARRAY_RANGE(-1, INT64_MAX)), &first)))
                TEST_EQUAL(first, expected, 0);
            if (TEST_OK(garray_mean(x, axes, NULL, &y)) && TEST_OK(garray_ravel(y, &first))
                && TEST_OK(garray_getitem(first, GARRAY_AT(0), &first)))
                TEST_EQUAL(first, tenth, 0);
            char zero[16] = { 0 };
            if (TEST_OK(garray_var(x, axes, NULL, &y)) && TEST_OK(garray_ravel(y, &first))
                && TEST_OK(garray_getitem(first, GARRAY_AT(0), &first)))
                TEST_EQUAL(first, zero, 0);
            garray_release(first);
        }
        garray_release(x);
        garray_release(y);
    }
}

/* Positions in rows about as long as blocks and warps take: ties go to the first, NaN wins, the zeros are level, and rows of
 * the least value of all have an answer too. */
Test(reduce_values, positions_in_rows)
{
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT16, GARRAY_BFLOAT16, GARRAY_FLOAT64, GARRAY_INT32, GARRAY_UINT8,
                                  GARRAY_INT64 };
    static const int64_t lengths[] = { 33, 255, 1024, 2049, 4096, 10007 };
    enum { ROWS = 41, KINDS = 8 };
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (int least = 0; least < 2; least++) {
                const int d = dtypes[k];
                const int64_t n = lengths[l];
                const size_t item = garray_dtype_size((garray_dtype)d);
                const bool real = test_is_inexact(d);
                char *values = calloc(ROWS * (size_t)n + 1, item);
                int64_t expected[ROWS];
                garray_t *x = NULL, *y = NULL;
                test_context("%s, rows of %lld, arg%s", garray_dtype_name((garray_dtype)d), (long long)n, least ? "min" : "max");
                for (int64_t r = 0; r < ROWS; r++) {
                    const int kind = (int)(r % KINDS);
                    double best = 0;
                    expected[r] = -1;
                    for (int64_t i = 0; i < n; i++) {
                        const uint32_t mixed = (uint32_t)(i * 2654435761u + r * 40503u) >> 7;
                        double v = kind == 0   ? (double)(mixed % 120)
                                   : kind == 1 ? (double)(mixed % 3)
                                   : kind == 2 ? (double)(i * 100 / n)
                                   : kind == 3 ? (double)(100 - i * 100 / n)
                                   : kind == 4 ? 5
                                   : kind == 5 ? (i % 2 ? -0.0 : 0.0)
                                   : kind == 6 ? (real ? (mixed % (uint32_t)n == 0 || i == n - 1 ? NAN : (double)(mixed % 9)) : 1)
                                               : (real ? (least ? INFINITY : -INFINITY) : 0);
                        char *at = values + (size_t)(1 + r * n + i) * item;
                        test_store(d, at, v, 0);
                        v = test_load(d, at);
                        if (expected[r] < 0 || (!isnan(best) && (isnan(v) || (least ? v < best : v > best)))) {
                            expected[r] = i;
                            best = v;
                        }
                    }
                }
                for (int view = 0; view < 2; view++) {      /* whole, and rows that begin between two vectors */
                    garray_t *flat = NULL;
                    if (TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(ROWS * n + 1), NULL, test_device(), &flat))
                        && TEST_OK(garray_getitem(flat, GARRAY_AT(GARRAY_RANGE(1, ROWS * n + 1)), &x))
                        && TEST_OK(garray_reshape(x, GARRAY_SHAPE(ROWS, n), &x))) {
                        if (view == 0)
                            TEST_OK(garray_copy(x, &x));
                        if (TEST_OK(call(least ? GARRAY_RED_ARGMIN : GARRAY_RED_ARGMAX, x, GARRAY_AXES(1), false, &y)))
                            TEST_EQUAL(y, expected, 0);
                    }
                    garray_release(flat);
                }
                garray_release(x);
                garray_release(y);
                free(values);
            }
}

/* float64 terms that cancel to a millionth of a billionth of their size. */
Test(reduce_values, cancellation)
{
    enum { N = 100003 };
    double *values = malloc(N * sizeof *values), *turned = malloc(2 * N * sizeof *values);
    uint64_t state = 5;
    for (int round = 0; round < 6; round++) {
        test_wide exact = 0, size = 0;
        for (int64_t i = 0; i < N; i++) {
            double v = (double)(int64_t)test_random_word(&state) * 0x1p-63;
            values[i] = ldexp(v, round == 0 ? 0 : (int)(test_random_word(&state) % (unsigned)(20 * round)));
        }
        /* each large term comes again with the other sign, somewhere else */
        for (int64_t i = 0; i < N / 2; i++)
            if (fabs(values[i]) > 1)
                values[N - 1 - (i * 7919) % (N / 2)] = -values[i];
        for (int64_t i = 0; i < N; i++) {
            exact += (test_wide)values[i];
            size += (test_wide)fabs(values[i]);
            turned[2 * i] = values[i];
            turned[2 * i + 1] = -values[N - 1 - i];
        }
        test_wide slack = size * (test_wide)N * 0x1p-104;
        for (int how = 0; how < 3; how++) {
            garray_t *x = NULL, *y = NULL;
            test_context("round %d, way %d", round, how);
            if (how == 0) {
                if (TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(N), NULL, test_device(), &x)))
                    (void)TEST_OK(garray_sum(x, GARRAY_ALL_AXES, NULL, &y));
            } else {
                garray_shape shape = GARRAY_SHAPE(N, 2);
                if (TEST_OK(garray_from_host(turned, GARRAY_FLOAT64, shape, NULL, test_device(), &x))) {
                    if (how == 2 && TEST_OK(garray_matrix_transpose(x, &x)))
                        (void)TEST_OK(garray_copy(x, &x));
                    (void)TEST_OK(garray_sum(x, GARRAY_AXES(how == 1 ? 0 : 1), NULL, &y));
                }
            }
            if (y) {
                double *got = test_read(y);
                TEST_EXPECT(test_near(GARRAY_FLOAT64, got[0], exact, slack), "the sum is %.17g, not %.17g", got[0],
                            (double)exact);
                if (how > 0)
                    TEST_EXPECT(test_near(GARRAY_FLOAT64, got[1], -exact, slack), "the sum is %.17g, not %.17g", got[1],
                                -(double)exact);
                free(got);
            }
            garray_release(x);
            garray_release(y);
        }
    }
    free(values);
    free(turned);
}

/* The spread of numbers that are large against it. */
Test(reduce_values, small_variance)
{
    static const struct {
        int dtype;
        double mean;
    } table[] = { { GARRAY_FLOAT64, 1e3 },
                  { GARRAY_FLOAT64, 1e6 },
                  { GARRAY_FLOAT64, -1e9 },
                  { GARRAY_FLOAT32, 100 },
                  { GARRAY_FLOAT32, -4e4 } };
    enum { N = 30011 };
    double *values = malloc(N * 8);
    float *narrow = malloc(N * 4);
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++)
        for (int axis = 0; axis < 2; axis++) {
            test_wide mean = 0, squares = 0;
            test_random(GARRAY_FLOAT64, N, 3, values);
            for (int i = 0; i < N; i++) {
                values[i] += table[t].mean;
                narrow[i] = (float)values[i];
                values[i] = table[t].dtype == GARRAY_FLOAT32 ? (double)narrow[i] : values[i];
                mean += (test_wide)values[i] / N;
            }
            for (int i = 0; i < N; i++)
                squares += ((test_wide)values[i] - mean) * ((test_wide)values[i] - mean);
            garray_t *x = NULL, *y = NULL;
            double got, expected = (double)(squares / N);
            test_context("%s around %g, axis %d", garray_dtype_name((garray_dtype)table[t].dtype), table[t].mean, axis);
            garray_shape shape = axis ? GARRAY_SHAPE(1, N) : GARRAY_SHAPE(N, 1);
            if (TEST_OK(garray_from_host(table[t].dtype == GARRAY_FLOAT32 ? (void *)narrow : values, (garray_dtype)table[t].dtype,
                                         shape, NULL, test_device(), &x)) &&
                TEST_OK(garray_var(x, GARRAY_AXES(axis), NULL, &y)) && TEST_OK(garray_item(y, &got)))
                TEST_EXPECT(fabs(got / expected - 1) < (table[t].dtype == GARRAY_FLOAT32 ? 1.2e-7 : 1e-13), "%.17g, not %.17g",
                            got, expected);
            garray_release(x);
            garray_release(y);
        }
    free(values);
    free(narrow);
}

/* ---- the same bits ---- */

Test(reduce_values, threads)
{
    static const int64_t shapes[][3] = { { 1, 1, 300007 }, { 1, 150001, 2 }, { 1, 601, 503 }, { 67, 61, 73 }, { 60001, 1, 5 } };
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_FLOAT16, GARRAY_COMPLEX64, GARRAY_INT32 };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
            int d = dtypes[k];
            int64_t n = test_count(GARRAY_DIMS(3, shapes[s]));
            char *values = malloc((size_t)n * garray_dtype_size((garray_dtype)d));
            test_random(d, n, s + 1, values);
            garray_t *x = NULL;
            if (!TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_DIMS(3, shapes[s]), NULL, test_device(), &x)))
                return;
            for (int op = GARRAY_RED_SUM; op < OPS; op++)
                for (int axis = 0; axis < 4; axis++) {
                    char *expected = NULL;
                    for (int threads = 1; threads <= 3; threads++) {
                        garray_t *y = NULL;
                        int32_t a = axis;
                        test_context("op %d of %s, shape %zu, axis %d, %d threads", op, garray_dtype_name((garray_dtype)d), s,
                                     axis, threads);
                        (void)TEST_OK(garray_set_num_threads(threads));
                        if (TEST_OK(call(op, x, axis == 3 ? GARRAY_ALL_AXES : (garray_axes){ 1, &a }, false, &y))) {
                            if (expected)
                                TEST_EQUAL(y, expected, 0);
                            else
                                expected = test_read(y);
                        }
                        garray_release(y);
                    }
                    free(expected);
                }
            garray_release(x);
            free(values);
        }
    (void)TEST_OK(garray_set_num_threads(0));
}

/* ---- results into views; errors ---- */

Test(reduce_values, into_views)
{
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            if (test_layout_repeats(layout))
                continue;
            garray_t *x = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(5, 7, 3), NULL), *y = NULL, *cast = NULL;
            for (int op = GARRAY_RED_SUM; op < OPS; op++) {
                test_context("op %d of %s, into %s", op, garray_dtype_name((garray_dtype)d), test_layout_name(layout));
                if (!TEST_OK(call(op, x, GARRAY_AXES(1), false, &y)))
                    continue;
                int to = garray_dtype_of(y) == GARRAY_FLOAT64 ? GARRAY_FLOAT32 : (int)garray_dtype_of(y);
                garray_t *view = test_array(to, layout, GARRAY_SHAPE(5, 3), NULL);
                size_t size;
                unsigned char *before = test_snapshot(view, &size);
                if (TEST_OK(call(op, x, GARRAY_AXES(1), false, garray_into(view))) &&
                    TEST_OK(garray_astype(y, (garray_dtype)to, &cast))) {
                    void *expected = test_read(cast);
                    TEST_EQUAL(view, expected, 0);
                    free(expected);
                }
                unsigned char *after = test_snapshot(view, &size);
                test_erase(view, before);
                test_erase(view, after);
                TEST_EXPECT(memcmp(before, after, size) == 0, "wrote beside the view");
                free(before);
                free(after);
                garray_release(view);
            }
            garray_release(x);
            garray_release(y);
            garray_release(cast);
        }
}

/* x = sum(x): the operand is read before it is released. */
Test(reduce_values, own_result)
{
    test_mark mark = test_memory();
    garray_t *x = NULL;
    double value = 0;
    TEST_OK(garray_arange(0, 1000, GARRAY_NONE, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .keepdims = true), &x));
    TEST_OK(garray_item(x, &value));
    TEST_EXPECT(value == 499500 && garray_ndim(x) == 1, "the sum is %g", value);
    TEST_STATUS(ERR_SHAPE, garray_max(x, GARRAY_ALL_AXES, NULL, garray_into(x)));
    garray_release(x);
    TEST_NO_LEAK(mark);
}

Test(reduce_values, errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = NULL, *c = NULL, *empty = NULL, *mask = NULL, *one = NULL, *y = NULL;
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 3, 4), GARRAY_FLOAT32, device, &x));
    TEST_OK(garray_ones(GARRAY_SHAPE(3), GARRAY_COMPLEX64, device, &c));
    TEST_OK(garray_ones(GARRAY_SHAPE(0, 3), GARRAY_INT32, device, &empty));
    TEST_OK(garray_ones(GARRAY_SHAPE(5), GARRAY_BOOL, device, &mask));
    TEST_STATUS(ERR_INVALID, garray_sum(NULL, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_sum(x, GARRAY_ALL_AXES, NULL, NULL));
    TEST_STATUS(ERR_AXIS, garray_sum(x, GARRAY_AXES(3), NULL, &y));
    TEST_MESSAGE("garray_sum: ", "axis 3 is out of bounds");
    TEST_STATUS(ERR_AXIS, garray_sum(x, GARRAY_AXES(-4), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_sum(x, GARRAY_AXES(0, -3), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_argmax(x, GARRAY_AXES(0, 1), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_argmax(x, GARRAY_AXES(3), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_max(empty, GARRAY_AXES(0), NULL, &y));
    TEST_MESSAGE("garray_max: ", "zero-size array to reduction operation maximum which has no identity");
    TEST_STATUS(ERR_SHAPE, garray_min(empty, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_argmin(empty, GARRAY_AXES(0), NULL, &y));
    TEST_MESSAGE("garray_argmin: ", "attempt to get argmin of an empty sequence");
    TEST_OK(garray_max(empty, GARRAY_AXES(1), NULL, &y));
    TEST_OK(garray_argmax(empty, GARRAY_AXES(1), NULL, &y));
    TEST_OK(garray_max(empty, GARRAY_AXES(0), GARRAY_KW(reduce, .initial = GARRAY_VAL(-3)), &y));
    TEST_EQUAL(y, ((const int32_t[]){ -3, -3, -3 }), 0);
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .where = GARRAY_VAL(mask)), &y));
    TEST_STATUS(ERR_DTYPE, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .where = GARRAY_VAL(x)), &y));
    TEST_STATUS(ERR_INVALID, garray_max(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .where = GARRAY_TRUE), &y));
    TEST_MESSAGE("garray_max: ", "does not have an identity");
    TEST_STATUS(ERR_INVALID, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .initial = GARRAY_VAL(x)), &y));
    TEST_STATUS(ERR_INVALID, garray_any(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .initial = GARRAY_VAL(1)), &y));
    TEST_STATUS(ERR_INVALID, garray_mean(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .initial = GARRAY_VAL(1)), &y));
    TEST_STATUS(ERR_DTYPE, garray_mean(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_INT32), &y));
    TEST_STATUS(ERR_DTYPE, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = (garray_dtype)99), &y));
    TEST_STATUS(ERR_INVALID, garray_any(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_BOOL), &y));
    TEST_STATUS(ERR_INVALID, garray_var(x, GARRAY_ALL_AXES, GARRAY_KW(var, .correction = GARRAY_VAL(x)), &y));
    TEST_STATUS(ERR_SHAPE, garray_sum(x, GARRAY_AXES(0), NULL, garray_into(x)));
    TEST_OK(garray_zeros(GARRAY_SHAPE(1), GARRAY_FLOAT32, device, &one));
    TEST_STATUS(ERR_DTYPE, garray_sum(c, GARRAY_AXES(0), GARRAY_KW(reduce, .keepdims = 1), garray_into(one)));
    garray_release(one);
    TEST_EXPECT(y == NULL, "out was changed");
    garray_release(x);
    garray_release(c);
    garray_release(empty);
    garray_release(mask);
    TEST_NO_LEAK(mark);
}
