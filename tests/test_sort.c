/* SPDX-License-Identifier: BSD-3-Clause
 * sort, argsort and top_k against an insertion of one element after the other: all short rows of special numbers, long
 * random rows of every dtype, every axis and layout. */
#include "wide.h"

/* ---- the order, written down again ----
 * Ascending: numbers, then NaN; of complex numbers (number, number), (number, NaN), (NaN, number), (NaN, NaN).
 * Descending reverses the numbers within each of these; the largest of top_k reverse all of it.  Equal elements, the
 * two zeros among them, keep their order. */
enum order { ASCENDING, DESCENDING, LARGEST };

static int class_of(double re, double im)
{
    return 2 * !!isnan(re) + !!isnan(im);
}

static int compare_parts(double a, double b)
{
    return isnan(a) || isnan(b) ? 0 : (a > b) - (a < b);
}

/* Negative: a comes first. */
static int compare(int dtype, enum order order, const char *a, const char *b)
{
    if (!test_is_inexact(dtype)) {
        test_wide p = test_load_wide(dtype, a), q = test_load_wide(dtype, b);
        int c = (p > q) - (p < q);
        return order == ASCENDING ? c : -c;
    }
    double p[2], q[2];
    test_load_complex(dtype, a, &p[0], &p[1]);
    test_load_complex(dtype, b, &q[0], &q[1]);
    int classes = class_of(p[0], p[1]) - class_of(q[0], q[1]);
    if (classes)
        return order == LARGEST ? -classes : classes;
    int c = compare_parts(p[0], q[0]);
    c = c ? c : compare_parts(p[1], q[1]);
    return order == ASCENDING ? c : -c;
}

/* Stable merge sort of indices of n elements, `step` elements apart. */
static void order_line(int dtype, enum order order, const char *values, int64_t step, int64_t n, int64_t *at, int64_t *room)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    if (n == 1)
        return;
    int64_t half = n / 2, i = 0, j = half;
    order_line(dtype, order, values, step, half, at, room);
    order_line(dtype, order, values, step, n - half, at + half, room);
    for (int64_t k = 0; k < n; k++) {
        bool right = i == half || (j < n && compare(dtype, order, values + (size_t)(at[j] * step) * item,
                                                    values + (size_t)(at[i] * step) * item) < 0);
        room[k] = right ? at[j++] : at[i++];
    }
    memcpy(at, room, (size_t)n * sizeof *at);
}

/* ---- one array, every call ---- */

/* Element by element: the same bits, but any NaN for a NaN. */
static void expect_values(const char *what, const garray_t *y, int dtype, const char *values, const int64_t *positions, int64_t n)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    if (!TEST_EXPECT(garray_size(y) == n && (int)garray_dtype_of(y) == dtype, "%s: dtype or size is wrong", what))
        return;
    char *got = test_read(y);
    for (int64_t i = 0; i < n; i++) {
        const char *e = values + (size_t)positions[i] * item, *g = got + (size_t)i * item;
        if (!TEST_EXPECT(test_ulps(dtype, g, e) == 0, "%s: element %lld of %lld is %s, not %s", what, (long long)i, (long long)n,
                         test_text(dtype, g), test_text(dtype, e)))
            break;
    }
    free(got);
}

/* Lines of x along an axis in order: expected positions (in row-major elements of x) and indices of the first k. */
static void expect_lines(int dtype, enum order order, const char *values, garray_shape shape, int axis, int64_t k,
                         int64_t *positions, int64_t *indices)
{
    int64_t inner = 1, n = shape.v[axis], outer = 1;
    for (int i = 0; i < axis; i++)
        outer *= shape.v[i];
    for (int64_t i = axis + 1; i < shape.n; i++)
        inner *= shape.v[i];
    int64_t *at = malloc((size_t)(n + 1) * sizeof *at), *room = malloc((size_t)(n + 1) * sizeof *room);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t c = 0; c < inner; c++) {
            for (int64_t i = 0; i < n; i++)
                at[i] = i;
            if (n)
                order_line(dtype, order, values + (size_t)(o * n * inner + c) * garray_dtype_size((garray_dtype)dtype), inner, n,
                           at, room);
            for (int64_t i = 0; i < k; i++) {
                positions[(o * k + i) * inner + c] = (o * n + at[i]) * inner + c;
                indices[(o * k + i) * inner + c] = at[i];
            }
        }
    free(at);
    free(room);
}

static void every_call(int dtype, int layout, garray_shape shape, int axis, char *values)
{
    garray_t *x = test_array(dtype, layout, shape, values), *y = NULL, *index = NULL;
    int64_t size = test_count(shape), n = shape.v[axis], lines = n ? size / n : 0;
    int64_t *positions = malloc((size_t)(size + 1) * sizeof *positions), *indices = malloc((size_t)(size + 1) * sizeof *indices);
    int given = layout % 2 ? axis : axis - (int)shape.n;
    for (int descending = 0; descending < 2; descending++) {
        expect_lines(dtype, descending ? DESCENDING : ASCENDING, values, shape, axis, n, positions, indices);
        if (TEST_OK(garray_argsort(x, given, GARRAY_KW(sort, .descending = descending), &index)))
            TEST_EQUAL(index, indices, 0);
        for (int unstable = 0; unstable < 2; unstable++) {
            if (TEST_OK(garray_sort(x, given, GARRAY_KW(sort, .descending = descending, .unstable = unstable), &y)) && !unstable)
                expect_values(descending ? "descending sort" : "sort", y, dtype, values, positions, size);
            /* any order of equal elements is a right one */
            if (TEST_OK(garray_argsort(x, given, GARRAY_KW(sort, .descending = descending, .unstable = unstable), &index))
                && TEST_OK(garray_take_along_axis(x, index, given, &index))) {
                char *got = test_read(index), *sorted = test_read(y);
                size_t item = garray_dtype_size((garray_dtype)dtype);
                for (int64_t i = 0; i < size; i++)
                    if (!TEST_EXPECT(compare(dtype, ASCENDING, got + (size_t)i * item, sorted + (size_t)i * item) == 0,
                                     "argsort and sort differ at %lld", (long long)i))
                        break;
                free(got);
                free(sorted);
            }
        }
    }
    int64_t ks[] = { 0, 1, n / 2, n };
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 4; i++) {
            int64_t k = ks[i] < n ? ks[i] : n;
            garray_topk_opts opts = { .smallest = s };
            expect_lines(dtype, s ? ASCENDING : LARGEST, values, shape, axis, k, positions, indices);
            if (TEST_OK(garray_top_k(x, k, given, &opts, &y, &index))) {
                expect_values(s ? "smallest" : "largest", y, dtype, values, positions, lines * k);
                if (TEST_EXPECT(garray_size(index) == lines * k && garray_dtype_of(index) == GARRAY_INT64,
                                "the indices' size is wrong"))
                    TEST_EQUAL(index, indices, 0);
            }
            if (TEST_OK(garray_top_k(x, k, given, &opts, NULL, &index)))
                TEST_EQUAL(index, indices, 0);
            if (TEST_OK(garray_top_k(x, k, given, &opts, &y, NULL)))
                expect_values("values alone", y, dtype, values, positions, lines * k);
        }
    garray_release(x);
    garray_release(y);
    garray_release(index);
    free(positions);
    free(indices);
}

/* ---- all rows of special numbers of length up to five ---- */

Test(sort, special_rows)
{
    static const double special[] = { -INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN };
    static const int dtypes[] = { GARRAY_FLOAT16, GARRAY_BFLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64 };
    test_mark mark = test_memory();
    for (int64_t length = 1; length <= 5; length++) {
        int64_t rows = 1;
        for (int64_t i = 0; i < length; i++)
            rows *= 7;
        char *values = malloc((size_t)(rows * length) * 8);
        for (size_t k = 0; k < 4; k++)
            for (int axis = 0; axis < 2; axis++) {
                int d = dtypes[k];
                for (int64_t r = 0; r < rows; r++) {
                    int64_t rest = r;
                    for (int64_t i = 0; i < length; i++, rest /= 7)
                        test_store(d,
                                   values + (size_t)(axis ? r * length + i : i * rows + r) * garray_dtype_size((garray_dtype)d),
                                   special[rest % 7], 0);
                }
                test_context("%s, rows of %d, axis %d", garray_dtype_name((garray_dtype)d), (int)length, axis);
                every_call(d, TEST_CONTIGUOUS, axis ? GARRAY_SHAPE(rows, length) : GARRAY_SHAPE(length, rows), axis, values);
            }
        free(values);
    }
    TEST_NO_LEAK(mark);
}

/* Pairs and triples of complex numbers with NaN in their parts, zeros of both signs, ties. */
Test(sort, special_complex)
{
    static const double parts[] = { -1, -0.0, 0.0, 2, NAN };
    for (int d = GARRAY_COMPLEX64; d <= GARRAY_COMPLEX128; d++)
        for (int64_t length = 2; length <= 3; length++) {
            size_t item = garray_dtype_size((garray_dtype)d);
            int64_t rows = length == 2 ? 625 : 15625;
            char *values = malloc((size_t)(rows * length) * item);
            for (int64_t r = 0; r < rows; r++) {
                int64_t rest = r;
                for (int64_t i = 0; i < length; i++, rest /= 25)
                    test_store(d, values + (size_t)(r * length + i) * item, parts[rest % 5], parts[rest / 5 % 5]);
            }
            test_context("%s, rows of %d", garray_dtype_name((garray_dtype)d), (int)length);
            every_call(d, TEST_CONTIGUOUS, GARRAY_SHAPE(rows, length), 1, values);
            free(values);
        }
}

/* ---- every dtype, layout, shape and axis ---- */

/* Random bits or numbers; with ties where `few`; floats with some NaN and infinities. */
static void make_values(int dtype, int64_t n, bool few, char *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    uint64_t state = (uint64_t)(n + dtype);
    test_random(dtype, n, state, values);
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = test_random_word(&state);
        double sign = word >> 59 & 1 ? -1 : 1;          /* of zeros and NaNs, which is no part of the order */
        if (few) {
            double value = (double)(word % 6) - (dtype >= GARRAY_FLOAT16 || test_is_signed(dtype) ? 3 : 0);
            test_store(dtype, values + (size_t)i * item, value != 0 || !test_is_inexact(dtype) ? value : copysign(0, sign),
                       (double)(word >> 60));
        } else if (test_is_inexact(dtype) && word % 50 < 3) {
            test_store(dtype, values + (size_t)i * item,
                       word % 50 == 0 ? copysign(NAN, sign) : word % 50 == 1 ? INFINITY : -INFINITY, 1);
        }
    }
}

Test(sort, every_layout)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++)
                for (int axis = 0; axis < test_shapes[s].n; axis++) {
                    char *values = malloc((size_t)test_count(test_shapes[s]) * 16 + 1);
                    make_values(d, test_count(test_shapes[s]), (s + layout) % 2, values);
                    test_context("%s, %s, shape %d, axis %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout), s,
                                 axis);
                    every_call(d, layout, test_shapes[s], axis, values);
                    free(values);
                }
    TEST_NO_LEAK(mark);
}

Test(sort, long_rows)
{
    static const int64_t shapes[][2] = { { 1, 30011 }, { 3, 4099 }, { 2053, 3 }, { 40, 257 }, { 1, 70001 }, { 70, 100 }, { 5, 512 },
                                         { 3, 1024 }, { 2, 6131 }, { 2, 9973 } };
    for (TEST_DTYPES(d))
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            if (s == 4 && d != GARRAY_FLOAT32 && d != GARRAY_INT64)
                continue;
            char *values = malloc((size_t)(shapes[s][0] * shapes[s][1]) * 16);
            make_values(d, shapes[s][0] * shapes[s][1], (d + (int)s) % 3 == 0, values);
            test_context("%s, (%d, %d)", garray_dtype_name((garray_dtype)d), (int)shapes[s][0], (int)shapes[s][1]);
            every_call(d, TEST_CONTIGUOUS, GARRAY_DIMS(2, shapes[s]), s == 2 ? 0 : 1, values);
            free(values);
        }
}

/* The first items of rows so long that samples are drawn: random numbers, few different ones, sorted ones, one in all places. */
Test(sort, top_of_long_rows, .timeout = 300)
{
    static const int64_t shapes[][2] = { { 1, 65536 }, { 3, 70001 }, { 1, 400009 } };
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_INT64, GARRAY_FLOAT64, GARRAY_UINT8, GARRAY_FLOAT16, GARRAY_INT32,
                                  GARRAY_COMPLEX64, GARRAY_UINT64 };
    static const int64_t ks[] = { 1, 100, 2048 };
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int kind = 0; kind < 4; kind++) {
                int d = dtypes[t], smallest = (kind + (int)s + (int)t) % 2;
                int64_t rows = shapes[s][0], n = shapes[s][1], size = rows * n, k = ks[(kind + t) % 3];
                size_t item = garray_dtype_size((garray_dtype)d);
                garray_topk_opts opts = { .smallest = smallest };
                garray_t *x = NULL, *y = NULL, *index = NULL;
                if (s == 2 && (t + (size_t)kind) % 3)
                    continue;
                char *values = malloc((size_t)(size + 1) * item);
                make_values(d, size + 1, kind == 1, values);
                if (kind >= 2)
                    for (int64_t i = 0; i <= size; i++)
                        test_store(d, values + (size_t)i * item, kind == 2 ? (double)(i % n * 200 / n) : 7, 0);
                int64_t *positions = malloc((size_t)(rows * k) * sizeof *positions);
                int64_t *indices = malloc((size_t)(rows * k) * sizeof *indices);
                test_context("%s, (%d, %d), kind %d, %d %s", garray_dtype_name((garray_dtype)d), (int)rows, (int)n, kind, (int)k,
                             smallest ? "smallest" : "largest");
                /* all but the first item of a longer array: nothing lies at a boundary of vectors */
                TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(size + 1), NULL, test_device(), &x));
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(1, size + 1)), &x));
                TEST_OK(garray_reshape(x, GARRAY_SHAPE(rows, n), &x));
                expect_lines(d, smallest ? ASCENDING : LARGEST, values + item, GARRAY_SHAPE(rows, n), 1, k, positions, indices);
                if (TEST_OK(garray_top_k(x, k, -1, &opts, &y, &index))) {
                    expect_values("values", y, d, values + item, positions, rows * k);
                    TEST_EQUAL(index, indices, 0);
                }
                garray_release(x);
                garray_release(y);
                garray_release(index);
                free(values);
                free(positions);
                free(indices);
            }
}

/* Rows that are sorted already, backwards, constant, saw-toothed: quadratic time would show. */
Test(sort, patterns, .timeout = 120)
{
    enum { N = 1000000 };
    float *values = malloc(N * sizeof *values);
    for (int kind = 0; kind < 5; kind++) {
        garray_t *x = NULL, *y = NULL, *index = NULL;
        for (int i = 0; i < N; i++)
            values[i] = kind == 0   ? (float)i
                        : kind == 1 ? (float)(N - i)
                        : kind == 2 ? 1
                        : kind == 3 ? (float)(i % 1000)
                                    : (float)(i < N / 2 ? i : N - i);
        test_context("kind %d", kind);
        TEST_OK(garray_from_host(values, GARRAY_FLOAT32, GARRAY_SHAPE(N), NULL, test_device(), &x));
        if (TEST_OK(garray_sort(x, -1, NULL, &y)) && TEST_OK(garray_argsort(x, -1, NULL, &index))) {
            float *got = test_read(y);
            int64_t *at = test_read(index);
            bool sorted = true;
            for (int i = 0; i < N && sorted; i++)
                sorted =
                    got[i] == values[at[i]] && (i == 0 || got[i - 1] < got[i] || (got[i - 1] == got[i] && at[i - 1] < at[i]));
            TEST_EXPECT(sorted, "not in order");
            free(got);
            free(at);
        }
        garray_release(x);
        garray_release(y);
        garray_release(index);
    }
    free(values);
}

/* The same for keys of each width, either way, into new memory and in place: the rows so long that several threads share
 * them, with few different values, zeros of both signs and NaNs among them. */
Test(sort, shared_rows, .timeout = 120)
{
    enum { N = 300007 };
    static const garray_dtype dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_INT64, GARRAY_UINT32, GARRAY_INT16 };
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++)
        for (int kind = 0; kind < 4; kind++) {
            const size_t item = garray_dtype_size(dtypes[t]);
            char *values = malloc(N * item);
            make_values(dtypes[t], N, kind == 1, values);
            for (int64_t i = 0; kind >= 2 && i < N; i++)
                test_store(dtypes[t], values + (size_t)i * item, kind == 2 ? 7 : (double)(i * 100 / N), 0);
            for (int descending = 0; descending < 2; descending++) {
                const garray_sort_opts opts = { .descending = descending };
                garray_t *x = NULL, *y = NULL, *index = NULL, *taken = NULL;
                test_context("%s, kind %d, descending %d", garray_dtype_name(dtypes[t]), kind, descending);
                TEST_OK(garray_from_host(values, dtypes[t], GARRAY_SHAPE(N), NULL, test_device(), &x));
                TEST_OK(garray_sort(x, -1, &opts, &y));
                TEST_OK(garray_argsort(x, -1, &opts, &index));
                TEST_OK(garray_take(x, index, GARRAY_AXES(0), &taken));
                TEST_OK(garray_sort(x, -1, &opts, garray_into(x)));
                char *sorted = test_read(y), *again = test_read(x), *chosen = test_read(taken);
                int64_t *at = test_read(index);
                bool right = memcmp(sorted, again, N * item) == 0;
                for (int64_t i = 0; i < N && right; i++) {      /* a NaN's sign and bits are no part of the order */
                    const char *v = chosen + (size_t)i * item;
                    const double value = test_load(dtypes[t], v), before = i ? test_load(dtypes[t], v - item) : value;
                    right = memcmp(v, sorted + (size_t)i * item, item) == 0 || isnan(value);
                    right = right && (isnan(value) || (descending ? before >= value : before <= value));
                    if (i > 0 && memcmp(v, v - item, item) == 0)
                        right = right && at[i - 1] < at[i];
                }
                TEST_EXPECT(right, "the values are not those of argsort");
                free(sorted);
                free(again);
                free(chosen);
                free(at);
                garray_release(x);
                garray_release(y);
                garray_release(index);
                garray_release(taken);
            }
            free(values);
        }
}

Test(sort, into_and_errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = NULL, *y = NULL, *z = NULL, *scalar = NULL, *part = NULL;
    const int32_t values[] = { 3, 1, 2, 9, 8, 7 }, sorted[] = { 1, 2, 3, 7, 8, 9 }, odd[] = { 2, 1, 3, 9, 8, 7 };
    TEST_OK(garray_from_host(values, GARRAY_INT32, GARRAY_SHAPE(2, 3), NULL, device, &x));
    /* x[0, ::2] sorted in place through a view */
    TEST_OK(garray_getitem(x, GARRAY_AT(0, GARRAY_EVERY(2)), &part));
    TEST_OK(garray_sort(part, 0, NULL, garray_into(part)));
    TEST_EQUAL(x, odd, 0);
    TEST_OK(garray_sort(x, -1, NULL, &x));
    TEST_EQUAL(x, sorted, 0);
    TEST_OK(garray_top_k(x, 1, -1, NULL, &x, &y));
    TEST_EQUAL(x, ((const int32_t[]){ 3, 9 }), 0);
    TEST_EQUAL(y, ((const int64_t[]){ 2, 2 }), 0);
    garray_release(y);
    y = NULL;
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_INT32, device, &scalar));
    TEST_STATUS(ERR_AXIS, garray_sort(x, 2, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_argsort(x, -3, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_sort(scalar, -1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_top_k(x, 2, -1, NULL, &y, &z));
    TEST_STATUS(ERR_SHAPE, garray_top_k(x, -1, -1, NULL, &y, &z));
    TEST_STATUS(ERR_AXIS, garray_top_k(x, 1, 2, NULL, &y, &z));
    TEST_STATUS(ERR_INVALID, garray_top_k(x, 1, -1, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_top_k(x, 1, -1, NULL, &y, &y));
    TEST_STATUS(ERR_INVALID, garray_sort(NULL, -1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_sort(x, -1, NULL, garray_into(part)));
    TEST_EXPECT(!y && !z, "out was changed");
    garray_release(x);
    garray_release(scalar);
    garray_release(part);
    TEST_NO_LEAK(mark);
}
