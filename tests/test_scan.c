/* SPDX-License-Identifier: BSD-3-Clause
 * Cumulative sums and products: every prefix held to the bound of a sum, for every dtype, layout and axis. */
#include "core/backend.h"
#include "wide.h"

static garray_status call(bool product, const garray_t *x, int32_t axis, garray_cumulative_opts opts, garray_t **out)
{
    garray_axes axes = { 1, &axis };
    return product ? garray_cumulative_prod(x, axes, &opts, out) : garray_cumulative_sum(x, axes, &opts, out);
}

static int result_dtype(int in)
{
    return in <= GARRAY_INT64 ? GARRAY_INT64 : in <= GARRAY_UINT64 ? GARRAY_UINT64 : in;
}

/* Factors near one, terms of any kind. */
static void make_values(bool product, int dtype, int64_t n, char *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    test_random(dtype, n, (uint64_t)dtype, values);
    for (int64_t i = 0; i < n && product && test_is_inexact(dtype); i++) {
        double re, im;
        test_load_complex(dtype, values + (size_t)i * item, &re, &im);
        test_store(dtype, values + (size_t)i * item, copysign(0.875 + fabs(re) / 32, re), im / 32);
    }
}

/* One line of n elements, `step` elements apart: got has `extra` elements more at its beginning. */
static bool check_line(bool product, int in, int run, const char *values, int64_t step, int64_t n, const char *got, int extra)
{
    size_t in_item = garray_dtype_size((garray_dtype)in), item = garray_dtype_size((garray_dtype)run);
    test_wide re = product, im = 0, size = 0;
    uint64_t bits = product;
    for (int64_t i = -extra; i < n; i++) {
        const char *e = i < 0 ? values : values + (size_t)(i * step) * in_item, *g = got + (size_t)((i + extra) * step) * item;
        if (i >= 0 && !test_is_inexact(run)) {
            uint64_t term = test_is_inexact(in) ? (uint64_t)(int64_t)test_load(in, e) : test_load_bits(in, e);
            bits = product ? bits * term : bits + term;
        } else if (i >= 0) {
            double a, b;
            char cast[16];
            test_load_complex(in, e, &a, &b);
            test_store(run, cast, test_is_inexact(in) ? a : (double)test_load_wide(in, e), b);
            test_load_complex(run, cast, &a, &b);
            test_wide p = product ? re * (test_wide)a - im * (test_wide)b : re + (test_wide)a;
            im = product ? re * (test_wide)b + im * (test_wide)a : im + (test_wide)b;
            re = p;
            size += test_wide_abs((test_wide)a) + test_wide_abs((test_wide)b);
        }
        if (!test_is_inexact(run)) {
            if (memcmp(g, &bits, item) != 0)
                return false;
            continue;
        }
        double unit = test_part(run) == GARRAY_FLOAT64 ? 0x1p-102 : 0x1p-52, x, y;
        test_wide slack = product ? (test_wide_abs(re) + test_wide_abs(im)) * (test_wide)(n + 1) * 0x1p-51
                          : size * (test_wide)(n + 1) * (test_wide)unit;
        test_load_complex(run, g, &x, &y);
        if (!test_near(test_part(run), x, re, slack) || (test_is_complex(run) && !test_near(test_part(run), y, im, slack)))
            return false;
    }
    return true;
}

static void check(bool product, int in, int run, garray_shape shape, int axis, int extra, const char *values, const garray_t *y)
{
    int64_t outer = 1, inner = 1, n = shape.v[axis];
    bool same = garray_ndim(y) == shape.n && (int)garray_dtype_of(y) == run;
    for (int i = 0; i < shape.n && same; i++)
        same = garray_shape_of(y).v[i] == shape.v[i] + (i == axis ? extra : 0);
    if (!TEST_EXPECT(same, "dtype or shape is wrong"))
        return;
    for (int i = 0; i < axis; i++)
        outer *= shape.v[i];
    for (int64_t i = axis + 1; i < shape.n; i++)
        inner *= shape.v[i];
    char *got = test_read(y);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t k = 0; k < inner; k++)
            if (!check_line(product, in, run, values + (size_t)(o * n * inner + k) * garray_dtype_size((garray_dtype)in), inner,
                            n, got + (size_t)(o * (n + extra) * inner + k) * garray_dtype_size((garray_dtype)run), extra)) {
                test_fail(__FILE__, __LINE__, "line %lld, %lld is wrong", (long long)o, (long long)k);
                o = outer - 1;
                break;
            }
    free(got);
}

static void every_axis(int dtype, int layout, garray_shape shape)
{
    char *values = malloc((size_t)test_count(shape) * 16 + 1);
    for (int product = 0; product < 2; product++) {
        make_values(product, dtype, test_count(shape), values);
        garray_t *x = test_array(dtype, layout, shape, values), *y = NULL;
        for (int axis = 0; axis < shape.n; axis++)
            for (int extra = 0; extra < 2; extra++) {
                test_context("%s of %s, %s, shape of %d axes and %d elements, axis %d, initial %d", product ? "product" : "sum",
                             garray_dtype_name((garray_dtype)dtype), test_layout_name(layout), (int)shape.n,
                             (int)test_count(shape), axis, extra);
                if (TEST_OK(call(product, x, extra ? axis - (int32_t)shape.n : axis,
                                 (garray_cumulative_opts){ .include_initial = extra }, &y)))
                    check(product, dtype, result_dtype(dtype), shape, axis, extra, values, y);
            }
        garray_release(x);
        garray_release(y);
    }
    free(values);
}

Test(scan, every_layout)
{
    test_mark mark = test_memory();
    static const int64_t lengths[][3] = { { 1, 1, 9001 }, { 3, 2053, 5 }, { 1100, 2, 3 }, { 2, 3, 1025 }, { 5, 1, 100 },
                                          { 3, 1, 230 } };
    for (TEST_DTYPES(d)) {
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++)
                every_axis(d, layout, test_shapes[s]);
        for (size_t s = 0; s < sizeof lengths / sizeof lengths[0]; s++)
            every_axis(d, (int)(s + (size_t)d) % TEST_LAYOUTS, GARRAY_DIMS(3, lengths[s]));
    }
    TEST_NO_LEAK(mark);
}

/* Many columns, and many sequences of a few hundred items. */
Test(scan, wide_arrays)
{
    static const struct {
        int dtype, layout, axis;
        int64_t shape[3];
    } table[] = {
        { GARRAY_FLOAT32, TEST_CONTIGUOUS, 1, { 128, 260, 32 } }, { GARRAY_INT64, TEST_CONTIGUOUS, 1, { 128, 140, 32 } },
        { GARRAY_COMPLEX128, TEST_CONTIGUOUS, 1, { 64, 70, 33 } }, { GARRAY_FLOAT16, TEST_MISALIGNED, 1, { 64, 260, 40 } },
        { GARRAY_FLOAT64, TEST_CONTIGUOUS, 2, { 4100, 1, 130 } }, { GARRAY_FLOAT32, TEST_MISALIGNED, 2, { 4100, 1, 260 } },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        garray_shape shape = GARRAY_DIMS(3, table[t].shape);
        char *values = malloc((size_t)test_count(shape) * 16);
        make_values(false, table[t].dtype, test_count(shape), values);
        garray_t *x = test_array(table[t].dtype, table[t].layout, shape, values), *y = NULL;
        test_context("%s, %s, row %zu", garray_dtype_name((garray_dtype)table[t].dtype), test_layout_name(table[t].layout), t);
        if (TEST_OK(call(false, x, table[t].axis, (garray_cumulative_opts){ 0 }, &y)))
            check(false, table[t].dtype, result_dtype(table[t].dtype), shape, table[t].axis, 0, values, y);
        garray_release(x);
        garray_release(y);
        free(values);
    }
}

Test(scan, against_numpy)
{
    const test_golden *golden = test_golden_open("scan");
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        bool product = row[0] == GARRAY_RED_PROD;
        const test_block *in = &golden->block[row[2]], *expected = &golden->block[row[3]];
        garray_t *x = NULL, *y = NULL, *turned = NULL;
        test_context("%s of %s, rows of %d", product ? "product" : "sum", garray_dtype_name((garray_dtype)in->dtype), row[1]);
        if (!TEST_OK(garray_from_host(in->data, (garray_dtype)in->dtype, GARRAY_SHAPE(in->n / row[1], row[1]), NULL,
                                      test_device(), &x)))
            return;
        if (TEST_OK(call(product, x, 1, (garray_cumulative_opts){ 0 }, &y))
            && TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s", garray_dtype_name(garray_dtype_of(y))))
            TEST_EQUAL(y, expected->data, row[4] / 100.0);
        if (TEST_OK(garray_matrix_transpose(x, &turned)) && TEST_OK(garray_copy(turned, &turned))
            && TEST_OK(call(product, turned, 0, (garray_cumulative_opts){ 0 }, &y)) && TEST_OK(garray_matrix_transpose(y, &y)))
            TEST_EQUAL(y, expected->data, row[4] / 100.0);
        garray_release(x);
        garray_release(y);
        garray_release(turned);
    }
}

Test(scan, dtypes)
{
    static const int pairs[][2] = { { GARRAY_FLOAT32, GARRAY_FLOAT64 },   { GARRAY_FLOAT64, GARRAY_FLOAT32 },
                                    { GARRAY_INT8, GARRAY_INT8 },         { GARRAY_INT8, GARRAY_INT16 },
                                    { GARRAY_UINT8, GARRAY_FLOAT32 },     { GARRAY_BOOL, GARRAY_UINT8 },
                                    { GARRAY_FLOAT16, GARRAY_COMPLEX64 }, { GARRAY_BFLOAT16, GARRAY_INT32 },
                                    { GARRAY_BOOL, GARRAY_BFLOAT16 },     { GARRAY_INT16, GARRAY_COMPLEX128 } };
    garray_shape shape = GARRAY_SHAPE(7, 9);
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        char values[63 * 16];
        make_values(false, pairs[p][0], 63, values);
        garray_t *x = test_array(pairs[p][0], TEST_SLICED, shape, values), *y = NULL;
        test_context("%s in %s", garray_dtype_name((garray_dtype)pairs[p][0]), garray_dtype_name((garray_dtype)pairs[p][1]));
        if (TEST_OK(call(false, x, 0, (garray_cumulative_opts){ .dtype = (garray_dtype)pairs[p][1] }, &y)))
            check(false, pairs[p][0], pairs[p][1], shape, 0, 0, values, y);
        garray_release(x);
        garray_release(y);
    }
}

/* Every prefix of a long sum of 0.1 is right to one rounding, along either axis; the same bits for any number of
 * threads, and each time. */
Test(scan, long_sums)
{
    static const struct {
        int dtype;
        int64_t rows, columns;
    } table[] = { { GARRAY_FLOAT32, 1, 1 << 20 }, { GARRAY_FLOAT32, 1 << 19, 2 }, { GARRAY_FLOAT64, 1, 1 << 19 },
                  { GARRAY_FLOAT64, 1 << 18, 2 }, { GARRAY_BFLOAT16, 1, 1 << 18 }, { GARRAY_COMPLEX64, 1, 1 << 18 },
                  { GARRAY_FLOAT32, 700, 700 }, { GARRAY_COMPLEX128, 1, 1200000 }, { GARRAY_FLOAT32, 1000, 4100 },
                  { GARRAY_FLOAT64, 1, 4200001 }, { GARRAY_FLOAT32, 1030, 8191 } };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        int d = table[t].dtype, part = test_part(d);
        int axis = table[t].rows > 1 ? 0 : 1;
        int64_t n = table[t].rows > 1 ? table[t].rows : table[t].columns, step = axis ? 1 : table[t].columns;
        garray_t *x = NULL, *y = NULL;
        char *first = NULL, tenth[16];
        test_store(part, tenth, 0.1, 0);
        double value = test_load(part, tenth);
        size_t item = garray_dtype_size((garray_dtype)d);
        if (!TEST_OK(garray_full(GARRAY_SHAPE(table[t].rows, table[t].columns), 0.1, (garray_dtype)d, test_device(), &x)))
            return;
        for (int threads = 1; threads <= 3; threads++) {
            test_context("%s, (%d, %d), %d threads", garray_dtype_name((garray_dtype)d), (int)table[t].rows,
                         (int)table[t].columns, threads);
            (void)TEST_OK(garray_set_num_threads(threads));
            if (!TEST_OK(call(false, x, axis, (garray_cumulative_opts){ 0 }, &y)))
                break;
            if (first) {
                TEST_EQUAL(y, first, 0);
                continue;
            }
            first = test_read(y);
            for (int64_t i = 0; i < n; i++) {
                double got = test_load(part, first + (size_t)(i * step) * item);
                test_wide exact = (test_wide)value * (test_wide)(i + 1);
                test_wide slack = exact * (test_wide)(i + 1) * (test_wide)(part == GARRAY_FLOAT64 ? 0x1p-104 : 0x1p-53);
                if (!TEST_EXPECT(test_near(part, got, exact, slack), "prefix %lld is %.17g, not %.17g", (long long)i, got,
                                 (double)exact))
                    break;
            }
        }
        free(first);
        garray_release(x);
        garray_release(y);
    }
    (void)TEST_OK(garray_set_num_threads(0));
}

/* Random sums of which large parts cancel: the same bits for any number of threads. */
Test(scan, threads)
{
    static const int64_t lengths[][3] = { { 1, 1, 200003 }, { 3, 50021, 2 }, { 701, 3, 101 } };
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX128, GARRAY_INT32, GARRAY_FLOAT16 };
    for (size_t s = 0; s < 3; s++)
        for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
            for (int axis = 0; axis < 3; axis++) {
                garray_t *x = test_array(dtypes[k], TEST_CONTIGUOUS, GARRAY_DIMS(3, lengths[s]), NULL), *y = NULL;
                char *first = NULL;
                for (int threads = 1; threads <= 3; threads++) {
                    test_context("%s, shape %zu, axis %d, %d threads", garray_dtype_name((garray_dtype)dtypes[k]), s, axis,
                                 threads);
                    (void)TEST_OK(garray_set_num_threads(threads));
                    if (!TEST_OK(call(false, x, axis, (garray_cumulative_opts){ 0 }, &y)))
                        break;
                    if (first)
                        TEST_EQUAL(y, first, 0);
                    else
                        first = test_read(y);
                }
                free(first);
                garray_release(x);
                garray_release(y);
            }
    (void)TEST_OK(garray_set_num_threads(0));
}

Test(scan, into_and_errors)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *view = NULL, *y = NULL, *b = NULL;
    const double expected[] = { 0, 0, 1, 0, 3, 0, 6, 0 };
    TEST_OK(garray_arange(0, 4, 1, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(8), GARRAY_FLOAT64, test_device(), &y));
    TEST_OK(garray_getitem(y, GARRAY_AT(GARRAY_EVERY(2)), &view));
    TEST_OK(garray_cumulative_sum(x, GARRAY_ALL_AXES, NULL, garray_into(view)));
    TEST_EQUAL(y, expected, 0);
    /* the result over its own operand, shifted by one place */
    garray_t *head = NULL, *tail = NULL;
    const double shifted[] = { 1, 1, 2, 3, 4, 5 };
    TEST_OK(garray_ones(GARRAY_SHAPE(6), GARRAY_FLOAT64, test_device(), &b));
    TEST_OK(garray_getitem(b, GARRAY_AT(GARRAY_TO(5)), &head));
    TEST_OK(garray_getitem(b, GARRAY_AT(GARRAY_FROM(1)), &tail));
    TEST_OK(garray_cumulative_sum(head, GARRAY_AXES(0), NULL, garray_into(tail)));
    TEST_EQUAL(b, shifted, 0);
    garray_release(head);
    garray_release(tail);
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 3), GARRAY_BOOL, test_device(), &b));
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_AXIS, garray_cumulative_sum(b, GARRAY_ALL_AXES, NULL, &y));
    TEST_MESSAGE("garray_cumulative_sum: ", "an axis must be given");
    TEST_STATUS(ERR_AXIS, garray_cumulative_sum(b, GARRAY_AXES(2), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_cumulative_prod(b, GARRAY_AXES(0, 1), NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_cumulative_sum(b, GARRAY_AXES(0), GARRAY_KW(cumulative, .dtype = (garray_dtype)77), &y));
    TEST_STATUS(ERR_DTYPE, garray_cumulative_sum(b, GARRAY_AXES(0), GARRAY_KW(cumulative, .dtype = GARRAY_BOOL), &y));
    TEST_STATUS(ERR_INVALID, garray_cumulative_sum(NULL, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_cumulative_sum(b, GARRAY_AXES(0), NULL, garray_into(x)));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
    garray_release(view);
    garray_release(b);
    TEST_NO_LEAK(mark);
}
