/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of polynomial.h and signal.h against NumPy's values in every layout, and errors. */
#include "test.h"

enum { POLYVAL = 1, POLYADD, POLYSUB, POLYMUL, POLYDIV, POLYDER, POLYINT, CONVOLVE, CORRELATE, INTERP, BARTLETT, BLACKMAN,
       HAMMING, HANNING, KAISER };
static const char *const names[] = { "", "polyval", "polyadd", "polysub", "polymul", "polydiv", "polyder", "polyint", "convolve",
                                     "correlate", "interp", "bartlett", "blackman", "hamming", "hanning", "kaiser" };

static garray_status call(int function, garray_t *const *x, const double *p, int flag, garray_t **first, garray_t **second)
{
    const garray_device device = test_device();
    garray_convolve_opts mode = { .mode = (garray_convolve_mode)(function == CONVOLVE || function == CORRELATE ? flag : 0) };
    garray_polyint_opts constants = { .k = GARRAY_NONE };
    garray_interp_opts beside = { .left = GARRAY_NONE };
    switch (function) {
    case POLYVAL: return garray_polyval(x[0], x[1], first);
    case POLYADD: return garray_polyadd(x[0], x[1], first);
    case POLYSUB: return garray_polysub(x[0], x[1], first);
    case POLYMUL: return garray_polymul(x[0], x[1], first);
    case POLYDIV: return garray_polydiv(x[0], x[1], first, second);
    case POLYDER: return garray_polyder(x[0], flag, first);
    case POLYINT:
        if (x[1])
            constants.k = GARRAY_VAL(x[1]);
        return garray_polyint(x[0], flag, &constants, first);
    case CONVOLVE: return garray_convolve(x[0], x[1], &mode, first);
    case CORRELATE: return garray_correlate(x[0], x[1], &mode, first);
    case INTERP:
        if (flag & 1)
            beside.left = GARRAY_VAL(p[0]);
        if (flag & 2)
            beside.right = GARRAY_VAL(p[1]);
        if (flag & 4)
            beside.period = GARRAY_VAL(p[0]);
        return garray_interp(x[0], x[1], x[2], flag ? &beside : NULL, first);
    case BARTLETT: return garray_bartlett(flag, 0, device, first);
    case BLACKMAN: return garray_blackman(flag, 0, device, first);
    case HAMMING: return garray_hamming(flag, 0, device, first);
    case HANNING: return garray_hanning(flag, 0, device, first);
    default: return garray_kaiser(flag, p[0], 0, device, first);
    }
}

/* Windows are near 0 at their ends, where ulps say nothing. */
static void compare_window(const garray_t *y, const test_block *expected)
{
    double *got = test_read(y);
    const double *want = expected->data;
    for (int i = 0; i < expected->n; i++)
        TEST_EXPECT(fabs(got[i] - want[i]) <= 1e-15, "item %d is %.17g, not %.17g", i, got[i], want[i]);
    free(got);
}

static void compare(int function, const garray_t *y, const test_block *expected, double ulps)
{
    if (TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                    garray_dtype_name(garray_dtype_of(y)), garray_dtype_name((garray_dtype)expected->dtype)) &&
        TEST_EXPECT(garray_ndim(y) == 1 && garray_size(y) == expected->n, "the result has another size")) {
        if (function >= BARTLETT)
            compare_window(y, expected);
        else
            TEST_EQUAL(y, expected->data, ulps);
    }
}

static garray_t *open_vector(const test_block *block, int layout)
{
    size_t bytes = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *values = malloc(bytes + 1);
    memcpy(values, block->data, bytes);
    garray_t *x = test_array(block->dtype, layout, GARRAY_SHAPE(block->n), values);
    free(values);
    return x;
}

Test(signal, against_numpy)
{
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_NEGATIVE, TEST_SLICED, TEST_MISALIGNED };
    const test_golden *golden = test_golden_open("signal");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        const double ulps = row[8] / 100.0;
        for (int l = 0; l < (row[0] < BARTLETT ? 4 : 1); l++) {
            garray_t *x[3] = { NULL, NULL, NULL }, *y[2] = { NULL, NULL };
            test_context("case %d: %s, %s", i, names[row[0]], test_layout_name(layouts[l]));
            for (int k = 0; k < 3; k++)
                if (row[1 + k] >= 0)
                    x[k] = open_vector(&golden->block[row[1 + k]], layouts[l]);
            if (TEST_OK(call(row[0], x, row[6] < 0 ? NULL : golden->block[row[6]].data, row[7], &y[0], &y[1])))
                for (int k = 0; k < 2; k++)
                    if (row[4 + k] >= 0)
                        compare(row[0], y[k], &golden->block[row[4 + k]], ulps);
            for (int k = 0; k < 3; k++)
                garray_release(x[k]);
            garray_release(y[0]);
            garray_release(y[1]);
        }
    }
    TEST_NO_LEAK(mark);
}

static garray_t *numbers(garray_dtype dtype, int n, const double *values)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(n), NULL, test_device(), &x));
    TEST_OK(garray_astype(x, dtype, &x));
    return x;
}

/* 1, 2, 3 ... convolved with ones: sums of neighbours, by their formula.  Long enough for blocks, chunks and edges. */
Test(signal, long_vectors)
{
    static const int64_t lengths[][2] = { { 100000, 1 }, { 65537, 129 }, { 5000, 1000 }, { 3000, 3000 }, { 20000, 257 } };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int d = 0; d < 3; d++) {
            const garray_dtype dtype = (const garray_dtype[]){ GARRAY_INT64, GARRAY_FLOAT32, GARRAY_COMPLEX128 }[d];
            const int64_t n = lengths[i][0], m = lengths[i][1], length = n + m - 1;
            garray_t *a = NULL, *v = NULL, *y = NULL;
            test_context("%d and %d items, %s", (int)n, (int)m, garray_dtype_name(dtype));
            TEST_OK(garray_arange(1, n + 1, 1, GARRAY_INT64, test_device(), &a));
            TEST_OK(garray_remainder(a, 1000, &a));
            TEST_OK(garray_astype(a, dtype, &a));
            TEST_OK(garray_ones(GARRAY_SHAPE(m), dtype, test_device(), &v));
            if (TEST_OK(garray_convolve(a, v, NULL, &y)) && TEST_OK(garray_real(y, &y)) && TEST_OK(garray_rint(y, &y)) &&
                TEST_OK(garray_astype(y, GARRAY_INT64, &y)) && TEST_EXPECT(garray_size(y) == length, "another length")) {
                int64_t *got = test_read(y), sum = 0;
                for (int64_t k = 0; k < length; k++) {
                    sum += k < n ? (k + 1) % 1000 : 0;
                    sum -= k >= m ? (k - m + 1) % 1000 : 0;
                    if (!TEST_EXPECT(got[k] == sum, "item %lld is %lld, not %lld", (long long)k, (long long)got[k],
                                     (long long)sum))
                        break;
                }
                free(got);
            }
            garray_release(a);
            garray_release(v);
            garray_release(y);
        }
}

/* Numbers as operands, results that are operands, into(). */
Test(signal, operands)
{
    const double a[] = { 1, 2, 3 };
    garray_t *x = numbers(GARRAY_FLOAT32, 3, a), *i = numbers(GARRAY_INT8, 3, a), *y = NULL, *q = NULL, *r = NULL, *room = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_convolve(x, 2, NULL, &y));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT32, "a number changes the dtype");
    TEST_EQUAL(y, ((float[]){ 2, 4, 6 }), 0);
    TEST_OK(garray_polyadd(10, i, &y));
    TEST_EQUAL(y, ((int8_t[]){ 1, 2, 13 }), 0);
    TEST_OK(garray_polyval(i, 3, &y));
    TEST_EXPECT(garray_ndim(y) == 0, "the value at a number has axes");
    TEST_EQUAL(y, ((int8_t[]){ 18 }), 0);
    TEST_OK(garray_convolve(x, x, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_SAME), &x));
    TEST_EQUAL(x, ((float[]){ 4, 10, 12 }), 0);
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 2), GARRAY_FLOAT64, test_device(), &room));
    TEST_OK(garray_getitem(room, GARRAY_AT(GARRAY_REVERSED, 1), &y));
    TEST_OK(garray_correlate(x, 1, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_FULL), garray_into(y)));
    TEST_EQUAL(room, ((double[]){ 0, 12, 0, 10, 0, 4 }), 0);
    TEST_OK(garray_polydiv(x, i, &q, &r));
    TEST_EQUAL(q, ((double[]){ 4 }), 0);
    TEST_EQUAL(r, ((double[]){ 2, 0 }), 0);
    TEST_OK(garray_polydiv(x, i, NULL, &r));
    TEST_OK(garray_interp(0.5, x, i, NULL, &y));
    TEST_EQUAL(y, ((double[]){ 1 }), 0);
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0, 3), GARRAY_FLOAT64, test_device(), &room));
    TEST_OK(garray_polyval(i, room, &y));
    TEST_EXPECT(garray_size(y) == 0 && garray_ndim(y) == 3, "of nothing is something");
    TEST_OK(garray_hanning(5, GARRAY_FLOAT32, test_device(), &y));
    TEST_EQUAL(y, ((float[]){ 0, 0.5, 1, 0.5, 0 }), 1);
    garray_release(y);
    garray_release(q);
    garray_release(r);
    garray_release(room);
    TEST_NO_LEAK(mark);
    garray_release(x);
    garray_release(i);
}

Test(signal, errors)
{
    garray_t *x = numbers(GARRAY_FLOAT32, 3, (double[]){ 1, 2, 3 }), *none = NULL, *two = NULL, *z = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(0), GARRAY_FLOAT32, test_device(), &none));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT32, test_device(), &two));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_COMPLEX64, test_device(), &z));
    TEST_STATUS(ERR_INVALID, garray_convolve(none, x, NULL, &y));
    TEST_MESSAGE("garray_convolve", "a cannot be empty");
    TEST_STATUS(ERR_INVALID, garray_convolve(x, none, NULL, &y));
    TEST_MESSAGE("v cannot be empty");
    TEST_STATUS(ERR_INVALID, garray_correlate(none, x, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_convolve(two, x, NULL, &y));
    TEST_MESSAGE("object too deep for desired array");
    TEST_STATUS(ERR_INVALID, garray_convolve(x, x, GARRAY_KW(convolve, .mode = (garray_convolve_mode)7), &y));
    TEST_STATUS(ERR_INVALID, garray_convolve(x, x, GARRAY_KW(convolve, .boundary = GARRAY_BOUNDARY_WRAP), &y));
    TEST_STATUS(ERR_INVALID, garray_convolve(1, 2, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_polyval(two, x, &y));
    TEST_STATUS(ERR_SHAPE, garray_polyadd(two, x, &y));
    TEST_STATUS(ERR_INDEX, garray_polydiv(x, none, &y, NULL));
    TEST_STATUS(ERR_INVALID, garray_polydiv(x, x, &y, &y));
    TEST_STATUS(ERR_INVALID, garray_polyder(x, -1, &y));
    TEST_STATUS(ERR_INVALID, garray_polyint(x, -1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_polyint(x, 4, GARRAY_KW(polyint, .k = GARRAY_VAL(x)), &y));
    TEST_STATUS(ERR_SHAPE, garray_interp(x, x, none, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_interp(x, none, none, NULL, &y));
    TEST_MESSAGE("array of sample points is empty");
    TEST_STATUS(ERR_SHAPE, garray_interp(x, two, two, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_interp(z, x, x, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_interp(x, x, x, GARRAY_KW(interp, .left = GARRAY_VAL(GARRAY_COMPLEX(1, 1))), &y));
    TEST_STATUS(ERR_INVALID, garray_interp(x, x, x, GARRAY_KW(interp, .period = GARRAY_VAL(0)), &y));
    TEST_STATUS(ERR_DTYPE, garray_hanning(5, GARRAY_INT32, test_device(), &y));
    TEST_STATUS(ERR_INVALID, garray_polysub(x, x, NULL));
    TEST_EXPECT(!y, "a failed call gave a result");
    garray_release(x);
    garray_release(none);
    garray_release(two);
    garray_release(z);
}
