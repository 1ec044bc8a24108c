/* SPDX-License-Identifier: BSD-3-Clause
 * The signal_ functions of signal.h against SciPy's values in every layout, and errors. */
#include "test.h"

enum { CONVOLVE = 1, CORRELATE, CONVOLVE2D, CORRELATE2D, SEPFIR2D, LFILTER, MEDFILT, FFTCONVOLVE };
static const char *const names[] = { "", "convolve", "correlate", "convolve2d", "correlate2d", "sepfir2d", "lfilter", "medfilt",
                                     "fftconvolve" };

/* The columns of a case. */
enum { FUNCTION, X, Y, Z, X_SHAPE, Y_SHAPE, Z_SHAPE, FIRST, SECOND, FIRST_SHAPE, NUMBERS, FLAG, OTHER, BOUND };

static garray_t *open_array(const test_golden *g, int values, int shape, int layout)
{
    if (values < 0)
        return NULL;
    const test_block *block = &g->block[values];
    size_t bytes = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *copy = malloc(bytes + 1);
    memcpy(copy, block->data, bytes);
    garray_t *x = test_array(block->dtype, layout, GARRAY_DIMS(g->block[shape].n, g->block[shape].data), copy);
    free(copy);
    return x;
}

/* The states before, which follow the first of the numbers: of x's shape with the order at the axis. */
static garray_t *open_states(const garray_t *x, int axis, const garray_t *b, const garray_t *a, const double *values,
                             garray_dtype dtype)
{
    int64_t shape[8];
    garray_t *zi = NULL;
    const garray_shape of = garray_shape_of(x);
    memcpy(shape, of.v, (size_t)of.n * sizeof *shape);
    shape[axis < 0 ? axis + of.n : axis] = (garray_size(b) > garray_size(a) ? garray_size(b) : garray_size(a)) - 1;
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_DIMS(of.n, shape), NULL, test_device(), &zi));
    TEST_OK(garray_astype(zi, dtype, &zi));
    return zi;
}

static garray_status call(const test_golden *g, const int32_t *row, garray_t *const *x, garray_t **first, garray_t **second)
{
    const test_block *given = row[NUMBERS] < 0 ? NULL : &g->block[row[NUMBERS]];
    const double *p = given ? given->data : NULL;
    garray_convolve_opts opts = { .mode = (garray_convolve_mode)row[FLAG] };
    int64_t size[8];
    garray_t *zi = NULL;
    garray_status st;
    if (row[FUNCTION] == CONVOLVE2D || row[FUNCTION] == CORRELATE2D) {
        opts.boundary = (garray_boundary)row[OTHER];
        if (given)
            opts.fill = GARRAY_VAL(p[0]);
    }
    switch (row[FUNCTION]) {
    case CONVOLVE: return garray_signal_convolve(x[0], x[1], &opts, first);
    case CORRELATE: return garray_signal_correlate(x[0], x[1], &opts, first);
    case CONVOLVE2D: return garray_signal_convolve2d(x[0], x[1], &opts, first);
    case CORRELATE2D: return garray_signal_correlate2d(x[0], x[1], &opts, first);
    case SEPFIR2D: return garray_signal_sepfir2d(x[0], x[1], x[2], first);
    case FFTCONVOLVE:
        return garray_signal_fftconvolve(x[0], x[1], row[OTHER] < 0 ? GARRAY_ALL_AXES : GARRAY_AXES(row[OTHER]), &opts, first);
    case LFILTER:
        if (given)
            zi = open_states(x[0], row[FLAG], x[1], x[2], p + 1, (garray_dtype)g->block[row[SECOND]].dtype);
        st = garray_signal_lfilter(x[1], x[2], x[0], row[FLAG], zi, first, given ? second : NULL);
        garray_release(zi);
        return st;
    default:
        for (int i = 0; i < given->n; i++)
            size[i] = (int64_t)p[i];
        return garray_signal_medfilt(x[0], GARRAY_DIMS(given->n, size), first);
    }
}

/* Recursive filters and transforms are off by some units of their largest item. */
static void compare_near(const garray_t *y, const test_block *expected, double ulps)
{
    double largest = 0, re, im, want_re, want_im;
    const int size = (int)garray_dtype_size((garray_dtype)expected->dtype);
    const bool narrow = expected->dtype == GARRAY_FLOAT32 || expected->dtype == GARRAY_COMPLEX64;
    char *got = test_read(y);
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &re, &im);
        largest = fmax(largest, fmax(fabs(re), fabs(im)));
    }
    const double limit = ulps * largest * (narrow ? 0x1p-24 : 0x1p-53);
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &want_re, &want_im);
        test_load_complex(expected->dtype, got + i * size, &re, &im);
        if (!TEST_EXPECT(fabs(re - want_re) <= limit && fabs(im - want_im) <= limit, "item %d is %.17g%+.17gj, not %.17g%+.17gj",
                         i, re, im, want_re, want_im))
            break;
    }
    free(got);
}

static void compare(int function, const garray_t *y, const test_block *expected, double ulps)
{
    if (TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                    garray_dtype_name(garray_dtype_of(y)), garray_dtype_name((garray_dtype)expected->dtype)) &&
        TEST_EXPECT(garray_size(y) == expected->n, "the result has another size")) {
        if (function == LFILTER || function == FFTCONVOLVE)
            compare_near(y, expected, ulps);
        else
            TEST_EQUAL(y, expected->data, 0);
    }
}

Test(filter, against_scipy)
{
    const test_golden *golden = test_golden_open("filter");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            garray_t *x[3], *y[2] = { NULL, NULL };
            if (test_layout_repeats(layout) || (layout && i % TEST_LAYOUTS != layout && i % 3))
                continue;
            test_context("case %d: %s, %s", i, names[row[FUNCTION]], test_layout_name(layout));
            for (int k = 0; k < 3; k++)
                x[k] = open_array(golden, row[X + k], row[X_SHAPE + k], layout);
            if (TEST_OK(call(golden, row, x, &y[0], &y[1])))
                for (int k = 0; k < 2; k++)
                    if (row[FIRST + k] >= 0)
                        compare(row[FUNCTION], y[k], &golden->block[row[FIRST + k]], row[BOUND] / 100.0);
            const test_block *shape = &golden->block[row[FIRST_SHAPE]];
            TEST_EXPECT(garray_ndim(y[0]) == shape->n &&
                            memcmp(garray_shape_of(y[0]).v, shape->data, (size_t)shape->n * sizeof(int64_t)) == 0,
                        "the result has another shape");
            for (int k = 0; k < 3; k++)
                garray_release(x[k]);
            garray_release(y[0]);
            garray_release(y[1]);
        }
    }
    TEST_NO_LEAK(mark);
}

/* Sums of all in a box, by the formula for a product of arithmetic series; long rows, many rows, and a large window. */
Test(filter, boxes)
{
    static const int64_t sizes[][4] = { { 70, 1100, 5, 9 }, { 1100, 70, 33, 3 }, { 3, 20000, 2, 300 }, { 20000, 3, 40, 2 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int d = 0; d < 2; d++) {
            const int64_t *s = sizes[i], rows = s[0] - s[2] + 1, columns = s[1] - s[3] + 1;
            garray_t *x = NULL, *box = NULL, *y = NULL;
            test_context("%d by %d", (int)s[0], (int)s[1]);
            TEST_OK(garray_arange(0, s[0] * s[1], 1, GARRAY_INT64, test_device(), &x));
            TEST_OK(garray_astype(x, d ? GARRAY_FLOAT64 : GARRAY_INT64, &x));
            TEST_OK(garray_reshape(x, GARRAY_SHAPE(s[0], s[1]), &x));
            TEST_OK(garray_ones(GARRAY_SHAPE(s[2], s[3]), GARRAY_INT64, test_device(), &box));
            if (TEST_OK(garray_signal_convolve(x, box, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_VALID), &y)) &&
                TEST_OK(garray_astype(y, GARRAY_INT64, &y)) && TEST_EXPECT(garray_size(y) == rows * columns, "another size")) {
                int64_t *got = test_read(y);
                for (int64_t k = 0; k < rows * columns; k++) {
                    const int64_t r = k / columns, c = k % columns;
                    const int64_t twice = s[2] * s[3] * (s[1] * (2 * r + s[2] - 1) + 2 * c + s[3] - 1);
                    if (!TEST_EXPECT(2 * got[k] == twice, "item %lld", (long long)k))
                        break;
                }
                free(got);
            }
            garray_release(x);
            garray_release(box);
            garray_release(y);
        }
}

/* The same by transforms, asked for and chosen. */
Test(filter, by_transforms)
{
    garray_t *x = NULL, *w = NULL, *direct = NULL, *fft = NULL, *none = NULL;
    for (TEST_DTYPES(d)) {
        bool same = false;
        test_context("%s", garray_dtype_name((garray_dtype)d));
        TEST_OK(garray_arange(0, 61 * 45, 1, GARRAY_INT64, test_device(), &x));
        TEST_OK(garray_remainder(x, 5, &x));
        TEST_OK(garray_astype(x, (garray_dtype)d, &x));
        TEST_OK(garray_reshape(x, GARRAY_SHAPE(61, 45), &x));
        TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_STEP(20, 50, 3), GARRAY_RANGE(1, 30)), &w));
        TEST_OK(garray_signal_convolve(x, w, GARRAY_KW(convolve, .method = GARRAY_CONVOLVE_DIRECT), &direct));
        TEST_OK(garray_signal_convolve(x, w, GARRAY_KW(convolve, .method = GARRAY_CONVOLVE_FFT), &fft));
        TEST_OK(garray_allclose(fft, direct, GARRAY_KW(close, .rtol = GARRAY_VAL(1e-2), .atol = GARRAY_VAL(1e-9)), &same));
        TEST_EXPECT(same && garray_dtype_of(fft) == (garray_dtype)d, "transforms give something else");
        TEST_OK(garray_signal_convolve(x, w, NULL, &none));
        TEST_OK(garray_allclose(none, direct, GARRAY_KW(close, .rtol = GARRAY_VAL(1e-6), .atol = GARRAY_VAL(1e-9)), &same));
        TEST_EXPECT(same, "the choice gives something else");
    }
    garray_t *all[] = { x, w, direct, fft, none };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        garray_release(all[i]);
}

/* Running sums by recurrence, of many rows and of one, with the states handed on. */
Test(filter, recurrences)
{
    static const int64_t shapes[][2] = { { 1, 5000 }, { 300, 40 }, { 40, 300 }, { 1, 20000 }, { 3, 33001 }, { 12001, 5 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t *s = shapes[i], n = s[axis], half = n / 2;
            garray_t *x = NULL, *b = NULL, *a = NULL, *y = NULL, *zf = NULL, *head = NULL, *tail = NULL;
            test_context("%d by %d, axis %d", (int)s[0], (int)s[1], axis);
            TEST_OK(garray_ones(GARRAY_DIMS(2, s), GARRAY_FLOAT64, test_device(), &x));
            TEST_OK(garray_from_host((double[]){ 1 }, GARRAY_FLOAT64, GARRAY_SHAPE(1), NULL, test_device(), &b));
            TEST_OK(garray_from_host((double[]){ 1, -1 }, GARRAY_FLOAT64, GARRAY_SHAPE(2), NULL, test_device(), &a));
            if (axis) {
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_TO(half)), &head));
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_FROM(half)), &tail));
            } else {
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_TO(half)), &head));
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_FROM(half)), &tail));
            }
            TEST_OK(garray_signal_lfilter(b, a, head, axis, NULL, &y, &zf));
            if (TEST_OK(garray_signal_lfilter(b, a, tail, axis, zf, &y, &zf))) {
                double *got = test_read(y), *end = test_read(zf);
                for (int64_t k = 0; k < garray_size(y); k++) {
                    const int64_t at = axis ? k % (n - half) : k / s[1];
                    if (!TEST_EXPECT(got[k] == (double)(half + at + 1), "item %lld is %g", (long long)k, got[k]))
                        break;
                }
                for (int64_t k = 0; k < garray_size(zf); k++)
                    TEST_EXPECT(end[k] == (double)n, "the state is %g", end[k]);
                free(got);
                free(end);
            }
            garray_t *all[] = { x, b, a, y, zf, head, tail };
            for (size_t k = 0; k < sizeof all / sizeof *all; k++)
                garray_release(all[k]);
        }
}

/* The difference equation itself, for long rows. */
static void by_definition(int order, const double *b, const double *a, int64_t n, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        long double sum = 0;
        for (int k = 0; k <= order && k <= i; k++)
            sum += (long double)b[k] * x[i - k] - (k ? (long double)a[k] * y[i - k] : 0);
        y[i] = (double)sum;
    }
}

Test(filter, long_rows)
{
    static const double b[9] = { 0.2, -0.1, 0.4, 0.3, 0.1, -0.2, 0.05, 0.1, 0.3 };
    static const double a[9] = { 1, -0.5, 0.3, -0.1, 0.1, -0.05, 0.05, -0.02, 0.01 };
    enum { ROWS = 3, N = 9999 };
    double *x = malloc(ROWS * N * sizeof *x), *y = malloc(ROWS * N * sizeof *y);
    test_random(GARRAY_FLOAT64, ROWS * N, 5, x);
    for (int order = 1; order <= 9; order++)
        for (int d = 0; d < 3; d++) {
            const garray_dtype dtype = (const garray_dtype[]){ GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX128 }[d];
            const int used = order < 9 ? order : 8;
            garray_t *in = NULL, *fb = NULL, *fa = NULL, *out = NULL, *turned = NULL;
            double filter[10] = { 0 }, largest = 0;
            memcpy(filter, a, (size_t)(used + 1) * sizeof *a);
            test_context("order %d, %s", order, garray_dtype_name(dtype));
            TEST_OK(garray_from_host(x, GARRAY_FLOAT64, GARRAY_SHAPE(ROWS, N), NULL, test_device(), &in));
            TEST_OK(garray_astype(in, dtype, &in));
            TEST_OK(garray_from_host(b, GARRAY_FLOAT64, GARRAY_SHAPE(used + 1), NULL, test_device(), &fb));
            TEST_OK(garray_from_host(filter, GARRAY_FLOAT64, GARRAY_SHAPE(order + 1), NULL, test_device(), &fa));
            if (dtype == GARRAY_FLOAT32) {
                TEST_OK(garray_astype(in, GARRAY_FLOAT64, &in));        /* the sums begin with what float32 holds */
                double *rounded = test_read(in);
                for (int r = 0; r < ROWS; r++)
                    by_definition(used, b, filter, N, rounded + r * N, y + r * N);
                free(rounded);
                TEST_OK(garray_astype(in, dtype, &in));
                TEST_OK(garray_signal_lfilter(fb, fa, in, 1, NULL, &out, NULL));
            } else {
                for (int r = 0; r < ROWS; r++)
                    by_definition(used, b, filter, N, x + r * N, y + r * N);
                TEST_OK(garray_matrix_transpose(in, &turned));          /* along the other axis */
                TEST_OK(garray_signal_lfilter(fb, fa, turned, 0, NULL, &out, NULL));
                TEST_OK(garray_matrix_transpose(out, &out));
            }
            TEST_OK(garray_real(out, &out));
            TEST_OK(garray_astype(out, GARRAY_FLOAT64, &out));
            double *got = test_read(out);
            for (int i = 0; i < ROWS * N; i++)
                largest = fmax(largest, fabs(y[i]));
            for (int i = 0; i < ROWS * N; i++)
                if (!TEST_EXPECT(fabs(got[i] - y[i]) <= 1e-12 * largest, "item %d is %.17g, not %.17g", i, got[i], y[i]))
                    break;
            free(got);
            garray_t *all[] = { in, fb, fa, out, turned };
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                garray_release(all[i]);
        }
    free(x);
    free(y);
}

Test(filter, errors)
{
    garray_t *x = NULL, *v = NULL, *none = NULL, *z = NULL, *large = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 5), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT32, test_device(), &v));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 5), GARRAY_FLOAT32, test_device(), &none));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 7), GARRAY_FLOAT32, test_device(), &large));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 5), GARRAY_COMPLEX64, test_device(), &z));
    TEST_STATUS(ERR_SHAPE, garray_signal_convolve(x, v, NULL, &y));
    TEST_MESSAGE("in1 and in2 should have the same dimensionality");
    TEST_STATUS(ERR_INVALID, garray_signal_convolve(none, x, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_signal_convolve(x, large, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_VALID), &y));
    TEST_STATUS(ERR_SHAPE, garray_signal_convolve2d(v, v, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_signal_convolve(x, x, GARRAY_KW(convolve, .boundary = (garray_boundary)9), &y));
    TEST_STATUS(ERR_INVALID, garray_signal_convolve(
                                 x, x, GARRAY_KW(convolve, .boundary = GARRAY_BOUNDARY_WRAP, .fill = GARRAY_VAL(1)), &y));
    TEST_STATUS(ERR_SHAPE, garray_signal_sepfir2d(v, v, v, &y));
    TEST_STATUS(ERR_SHAPE, garray_signal_sepfir2d(x, x, v, &y));
    TEST_STATUS(ERR_SHAPE, garray_signal_lfilter(x, v, x, 0, NULL, &y, NULL));
    TEST_STATUS(ERR_AXIS, garray_signal_lfilter(v, v, x, 2, NULL, &y, NULL));
    TEST_STATUS(ERR_SHAPE, garray_signal_lfilter(v, v, x, 0, x, &y, NULL));
    TEST_MESSAGE("Unexpected shape for zi: expected (2,5), found (4,5).");
    TEST_STATUS(ERR_INVALID, garray_signal_medfilt(x, GARRAY_SHAPE(4), &y));
    TEST_MESSAGE("Each element of kernel_size should be odd.");
    TEST_STATUS(ERR_SHAPE, garray_signal_medfilt(x, GARRAY_SHAPE(3, 3, 3), &y));
    TEST_STATUS(ERR_DTYPE, garray_signal_medfilt(z, GARRAY_SHAPE(3), &y));
    TEST_EXPECT(!y, "a failed call gave a result");
    TEST_OK(garray_signal_medfilt(none, GARRAY_SHAPE(3), &y));
    TEST_OK(garray_signal_lfilter(v, v, none, 0, NULL, &y, NULL));
    TEST_EXPECT(garray_size(y) == 0, "of nothing is something");
    garray_t *all[] = { x, v, none, z, large, y };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        garray_release(all[i]);
}
