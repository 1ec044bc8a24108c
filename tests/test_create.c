/* SPDX-License-Identifier: BSD-3-Clause
 * New arrays: filled ones, arange and linspace against NumPy, eye, and host memory in and out. */
#include "test.h"

static const char *name_of(int dtype)
{
    return garray_dtype_name((garray_dtype)dtype);
}

/* n elements of one value, from malloc. */
static char *repeated(int dtype, int64_t n, double re, double im)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 16);
    for (int64_t i = 0; i < n; i++)
        test_store(dtype, values + (size_t)i * item, re, im);
    return values;
}

static void expect_filled(garray_t *x, int dtype, garray_shape shape, double re, double im)
{
    bool same = garray_ndim(x) == (int)shape.n && (int)garray_dtype_of(x) == dtype;
    for (int i = 0; same && i < (int)shape.n; i++)
        same = garray_shape_of(x).v[i] == shape.v[i];
    if (!TEST_EXPECT(same, "shape or dtype is wrong"))
        return;
    char *values = repeated(dtype, test_count(shape), re, im);
    TEST_EQUAL(x, values, 0);
    TEST_EXPECT(garray_is_contiguous(x) && garray_is_writeable(x), "not a plain array");
    TEST_EXPECT(garray_device_of(x).type == test_device().type, "on another device");
    free(values);
}

Test(create, filled)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int s = 0; s < test_shape_count; s++) {
            garray_dtype dtype = (garray_dtype)d;
            garray_shape shape = test_shapes[s];
            garray_device device = test_device();
            garray_t *x = NULL, *y = NULL, *one = NULL;
            test_context("%s, shape %d", name_of(d), s);
            TEST_OK(garray_empty(shape, dtype, device, &x));
            TEST_EXPECT(garray_size(x) == test_count(shape), "empty has another size");
            TEST_OK(garray_zeros(shape, dtype, device, &x));
            expect_filled(x, d, shape, 0, 0);
            TEST_OK(garray_ones(shape, dtype, device, &x));
            expect_filled(x, d, shape, 1, 0);
            TEST_OK(garray_full(shape, 3, dtype, device, &x));
            expect_filled(x, d, shape, d == GARRAY_BOOL ? 1 : 3, 0);
            TEST_OK(garray_full(shape, GARRAY_TRUE, dtype, device, &x));
            expect_filled(x, d, shape, 1, 0);
            if (d >= GARRAY_FLOAT16) {
                TEST_OK(garray_full(shape, 0.1, dtype, device, &x));
                expect_filled(x, d, shape, 0.1, 0);
            }
            if (d >= GARRAY_COMPLEX64) {
                TEST_OK(garray_full(shape, GARRAY_COMPLEX(1, -2), dtype, device, &x));
                expect_filled(x, d, shape, 1, -2);
            }
            TEST_OK(garray_zeros_like(x, GARRAY_DTYPE_DEFAULT, &y));
            expect_filled(y, d, shape, 0, 0);
            TEST_OK(garray_ones_like(x, GARRAY_FLOAT32, &y));
            expect_filled(y, GARRAY_FLOAT32, shape, 1, 0);
            TEST_OK(garray_full_like(x, 1, GARRAY_DTYPE_DEFAULT, &y));
            expect_filled(y, d, shape, 1, 0);
            TEST_OK(garray_empty_like(x, GARRAY_INT16, &y));
            TEST_EXPECT(garray_dtype_of(y) == GARRAY_INT16 && garray_size(y) == garray_size(x),
                        "empty_like differs");
            /* an array as the value broadcasts */
            TEST_OK(garray_full(GARRAY_SHAPE(1), 1, dtype, device, &one));
            if (shape.n > 0) {
                TEST_OK(garray_full(shape, one, GARRAY_DTYPE_DEFAULT, device, &y));
                expect_filled(y, d, shape, 1, 0);
            }
            garray_release(x);
            garray_release(y);
            garray_release(one);
        }
    static const struct {
        int value, dtype;   /* an operand kind, and what full() makes of it by default */
    } defaults[] = { { GARRAY_OPERAND_BOOL, GARRAY_BOOL },
                     { GARRAY_OPERAND_INT, GARRAY_INT64 },
                     { GARRAY_OPERAND_DOUBLE, GARRAY_FLOAT64 },
                     { GARRAY_OPERAND_COMPLEX, GARRAY_COMPLEX128 } };
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        garray_t *x = NULL;
        garray_operand value = { .kind = defaults[i].value };
        TEST_OK(garray_full(GARRAY_SHAPE(2), value, GARRAY_DTYPE_DEFAULT, test_device(), &x));
        expect_filled(x, defaults[i].dtype, GARRAY_SHAPE(2), 0, 0);
        garray_release(x);
    }
    garray_t *x = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_DTYPE_DEFAULT, test_device(), &x));
    TEST_EXPECT(garray_dtype_of(x) == GARRAY_FLOAT64, "the default dtype is %s", name_of(garray_dtype_of(x)));
    garray_release(x);
    TEST_NO_LEAK(mark);
}

/* ---- ranges ---- */

static void range(int kind, const test_block *numbers, int dtype, garray_t **out)
{
    const int64_t *i = numbers->data;
    const double *x = numbers->data;
    garray_device device = test_device();
    switch (kind) {
    case 0: TEST_OK(garray_arange(i[0], i[1], i[2], (garray_dtype)dtype, device, out)); break;
    case 1: TEST_OK(garray_arange(x[0], x[1], x[2], (garray_dtype)dtype, device, out)); break;
    case 2:
    case 3:
        TEST_OK(garray_linspace(x[0], x[1], (int64_t)x[2],
                                GARRAY_KW(linspace, .dtype = (garray_dtype)dtype, .no_endpoint = kind == 3),
                                device, out));
        break;
    default:
        TEST_OK(garray_linspace(GARRAY_COMPLEX(x[0], x[1]), GARRAY_COMPLEX(x[2], x[3]), (int64_t)x[4],
                                GARRAY_KW(linspace, .no_endpoint = kind == 5), device, out));
    }
}

Test(create, ranges_against_numpy)
{
    const test_golden *golden = test_golden_open("create");
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *c = golden->cases + 4 * i;
        const test_block *numbers = &golden->block[c[1]], *expected = &golden->block[c[3]];
        garray_t *x = NULL;
        double first = test_load(numbers->dtype, numbers->data);
        double second = test_load(numbers->dtype, (const char *)numbers->data +
                                                      garray_dtype_size((garray_dtype)numbers->dtype));
        test_context("range of kind %d from %g to %g, case %d, %s", c[0], first, second, i,
                     c[2] ? name_of(c[2]) : "default");
        range(c[0], numbers, c[2], &x);
        if (x && TEST_EXPECT((int)garray_dtype_of(x) == expected->dtype && garray_size(x) == expected->n,
                             "%lld elements of %s, not %d of %s", (long long)garray_size(x),
                             name_of(garray_dtype_of(x)), expected->n, name_of(expected->dtype)))
            TEST_EQUAL(x, expected->data, 0);
        garray_release(x);
    }
}

/* Where float64 or int64 would lose something. */
Test(create, long_ranges)
{
    garray_t *x = NULL;
    const uint64_t large[3] = { 0, INT64_MAX, UINT64_MAX - 1 };
    const double one[1] = { 0 };
    if (TEST_OK(garray_arange(0, UINT64_MAX, INT64_MAX, GARRAY_DTYPE_DEFAULT, test_device(), &x)) &&
        TEST_EXPECT(garray_dtype_of(x) == GARRAY_UINT64 && garray_size(x) == 3, "the dtype is %s", name_of(garray_dtype_of(x))))
        TEST_EQUAL(x, large, 0);
    TEST_STATUS(ERR_INVALID, garray_arange(-1, UINT64_MAX, INT64_MAX, GARRAY_DTYPE_DEFAULT, test_device(), &x));
    if (TEST_OK(garray_arange(0, 1e-320, 1e300, GARRAY_DTYPE_DEFAULT, test_device(), &x)) && TEST_EXPECT(garray_size(x) == 1, "no 0"))
        TEST_EQUAL(x, one, 0);
    if (TEST_OK(garray_arange(0, -1, 1e300, GARRAY_DTYPE_DEFAULT, test_device(), &x)))
        TEST_EXPECT(garray_size(x) == 0, "the wrong direction");
    garray_release(x);
}

Test(create, eye)
{
    for (TEST_DTYPES(d))
        for (int64_t rows = 0; rows < 5; rows++)
            for (int64_t columns = 0; columns < 6; columns++)
                for (int64_t k = -5; k <= 6; k++) {
                    garray_t *x = NULL;
                    size_t item = garray_dtype_size((garray_dtype)d);
                    char *values = repeated(d, rows * columns, 0, 0);
                    for (int64_t i = 0; i < rows; i++)
                        if (i + k >= 0 && i + k < columns)
                            test_store(d, values + (size_t)(i * columns + i + k) * item, 1, 0);
                    test_context("eye(%d, %d, %d) of %s", (int)rows, (int)columns, (int)k, name_of(d));
                    if (TEST_OK(garray_eye(rows, columns, k, (garray_dtype)d, test_device(), &x)))
                        TEST_EQUAL(x, values, 0);
                    garray_release(x);
                    free(values);
                }
}

/* ---- host memory ---- */

/* From host memory in any strides, and back into any that are not negative. */
Test(create, host_strides)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d)) {
        int64_t item = (int64_t)garray_dtype_size((garray_dtype)d);
        char host[16 * 400];
        test_random(d, 400, 5, host);
        const struct {
            int64_t start, strides[2];
        } table[] = {
            { 0, { 6 * item, item } },           { 0, { item, 4 * item } },
            { 23 * item, { -6 * item, -item } }, { 0, { 0, item } },
            { 3 * item, { 40 * item, -item } },  { 1, { 7 * item, item } },
            { 5, { 3 * item + 1, item } },
        };
        garray_shape shape = GARRAY_SHAPE(4, 6);
        for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
            char expected[24 * 16], back[4096];
            test_context("%s, strides %zu", name_of(d), t);
            if (table[t].strides[1] < 0 && table[t].start < 5 * item)
                continue;
            for (int64_t i = 0; i < 24; i++)
                memcpy(expected + i * item,
                       host + table[t].start + i / 6 * table[t].strides[0] + i % 6 * table[t].strides[1],
                       (size_t)item);
            if (d == GARRAY_BOOL)       /* bytes are 0 or 1 where strides make elements of them */
                for (int i = 0; i < 24; i++)
                    expected[i] = expected[i] != 0;
            garray_t *x = NULL;
            if (!TEST_OK(garray_from_host(host + table[t].start, (garray_dtype)d, shape, table[t].strides,
                                          test_device(), &x)))
                continue;
            TEST_EQUAL(x, expected, 0);

            memset(back, 0x5a, sizeof back);
            int64_t wide[2] = { 16 * item + 3, item + (d == GARRAY_BOOL ? 1 : 0) };
            size_t need = (size_t)(3 * wide[0] + 5 * wide[1] + item);
            TEST_STATUS(ERR_INVALID, garray_to_host(x, back, wide, need - 1));
            TEST_EXPECT(back[0] == 0x5a, "a failed call wrote");
            if (TEST_OK(garray_to_host(x, back, wide, need)))
                for (int64_t i = 0; i < 24; i++)
                    TEST_EXPECT(memcmp(back + i / 6 * wide[0] + i % 6 * wide[1], expected + i * item,
                                       (size_t)item) == 0,
                                "element %d is wrong", (int)i);
            TEST_EXPECT(back[need] == 0x5a && back[5 * wide[1] + item] == 0x5a,
                        "wrote between or behind the elements");
            TEST_STATUS(ERR_INVALID, garray_to_host(x, back, NULL, (size_t)(24 * item - 1)));
            TEST_STATUS(ERR_INVALID, garray_to_host(x, back, (int64_t[]){ -8, 1 }, sizeof back));
            if (TEST_OK(garray_to_host(x, back, NULL, (size_t)(24 * item))))
                TEST_EXPECT(memcmp(back, expected, (size_t)(24 * item)) == 0, "elements differ");
            garray_release(x);
        }
        /* empty arrays need no memory */
        garray_t *x = NULL;
        if (TEST_OK(garray_from_host(NULL, (garray_dtype)d, GARRAY_SHAPE(3, 0), NULL, test_device(), &x)))
            TEST_OK(garray_to_host(x, NULL, NULL, 0));
        garray_release(x);
    }
    TEST_NO_LEAK(mark);
}

/* begin() and end() lend the memory itself. */
Test(create, raw_memory)
{
    if (test_on_gpu())
        return;
    for (TEST_DTYPES(d)) {
        char values[16 * TEST_SHAPE_MAX];
        garray_shape shape = GARRAY_SHAPE(5, 7);
        test_context("%s", name_of(d));
        test_random(d, 35, 3, values);
        garray_t *x = test_array(d, TEST_TRANSPOSED, shape, values);
        void *p = NULL;
        size_t item = garray_dtype_size((garray_dtype)d);
        if (TEST_OK(garray_begin(x, GARRAY_READ | GARRAY_WRITE, NULL, &p))) {
            const int64_t *strides = garray_strides_of(x);
            for (int64_t i = 0; i < 35; i++) {
                char *element = (char *)p + i / 7 * strides[0] + i % 7 * strides[1];
                TEST_EXPECT(memcmp(element, values + (size_t)i * item, item) == 0, "element %d differs",
                            (int)i);
                test_store(d, element, 1, 0);
                test_store(d, values + (size_t)i * item, 1, 0);
            }
            TEST_OK(garray_end(x, NULL));
            TEST_EQUAL(x, values, 0);
        }
        TEST_STATUS(ERR_INVALID, garray_end(x, NULL));
        TEST_STATUS(ERR_INVALID, garray_begin(x, 0, NULL, &p));
        TEST_STATUS(ERR_INVALID, garray_begin(x, GARRAY_READ, NULL, NULL));
        garray_release(x);
        x = test_array(d, TEST_BROADCAST, shape, NULL);
        TEST_STATUS(ERR_READONLY, garray_begin(x, GARRAY_WRITE, NULL, &p));
        garray_release(x);
    }
}
