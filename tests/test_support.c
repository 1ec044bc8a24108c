/* SPDX-License-Identifier: BSD-3-Clause
 * The tests' own tools: layouts hold what they were given, and distances between numbers are right. */
#include "test.h"

Test(support, layouts)
{
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++) {
                char values[16 * TEST_SHAPE_MAX];
                test_context("%s, %s, shape %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout),
                             s);
                int64_t n = test_count(test_shapes[s]);
                test_random(d, n, 7, values);
                test_mark mark = test_memory();
                garray_t *x = test_array(d, layout, test_shapes[s], values);
                TEST_EXPECT(garray_size(x) == n && (int)garray_dtype_of(x) == d, "size or dtype is wrong");
                TEST_EQUAL(x, values, 0);
                TEST_EXPECT(garray_is_writeable(x) == !test_layout_repeats(layout), "writeable is wrong");
                garray_release(x);
                TEST_NO_LEAK(mark);
            }
}

static double ulps(int dtype, double got, double expected)
{
    char a[16], b[16];
    test_store(dtype, a, got, 0);
    test_store(dtype, b, expected, 0);
    return test_ulps(dtype, a, b);
}

Test(support, distances)
{
    static const struct {
        int dtype;
        double got, expected, ulps;
    } table[] = {
        { GARRAY_FLOAT32, 1, 1, 0 },
        { GARRAY_FLOAT32, 1 + 0x1p-23, 1, 1 },
        { GARRAY_FLOAT32, 1, 1 + 0x1p-23, 1 },
        { GARRAY_FLOAT32, 0, -0.0, INFINITY },
        { GARRAY_FLOAT32, NAN, -NAN, 0 },
        { GARRAY_FLOAT32, NAN, 1, INFINITY },
        { GARRAY_FLOAT32, INFINITY, 0x1.fffffep127, 1 },
        { GARRAY_FLOAT32, -INFINITY, INFINITY, INFINITY },
        { GARRAY_FLOAT32, 0x1p-149, 0x1p-148, 1 },
        { GARRAY_FLOAT32, 0x1p-149, 0, 1 },
        { GARRAY_FLOAT16, 1 + 0x1p-10, 1, 1 },
        { GARRAY_FLOAT16, 0x1p-24, 0x1p-23, 1 },
        { GARRAY_FLOAT16, INFINITY, 65504, 1 },
        { GARRAY_BFLOAT16, 1, 1 + 0x1p-7, 1 },
        { GARRAY_FLOAT64, 3 + 0x1p-51, 3, 1 },
        { GARRAY_INT8, 3, 4, INFINITY },
        { GARRAY_COMPLEX64, 1, 1 + 0x1p-23, 1 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double u = ulps(table[i].dtype, table[i].got, table[i].expected);
        TEST_EXPECT(u == table[i].ulps, "row %zu gives %g", i, u);
    }
}

Test(support, halves)
{
    static const struct {
        int dtype;
        double value;
        uint16_t bits;
    } table[] = {
        { GARRAY_FLOAT16, 1, 0x3c00 },          { GARRAY_FLOAT16, -2, 0xc000 },
        { GARRAY_FLOAT16, 65504, 0x7bff },      { GARRAY_FLOAT16, 65520, 0x7c00 },
        { GARRAY_FLOAT16, 65519, 0x7bff },      { GARRAY_FLOAT16, 0x1p-24, 1 },
        { GARRAY_FLOAT16, 0x1p-25, 0 },         { GARRAY_FLOAT16, 0x1.8p-25, 1 },
        { GARRAY_FLOAT16, 0x1p-14, 0x400 },     { GARRAY_FLOAT16, 0x1.ff8p-15, 0x3ff },
        { GARRAY_FLOAT16, -0.0, 0x8000 },       { GARRAY_FLOAT16, 1.0 / 3, 0x3555 },
        { GARRAY_BFLOAT16, 1, 0x3f80 },         { GARRAY_BFLOAT16, 3.14159265358979, 0x4049 },
        { GARRAY_BFLOAT16, 0x1p-133, 1 },       { GARRAY_BFLOAT16, 3.4e38, 0x7f80 },
        { GARRAY_BFLOAT16, -INFINITY, 0xff80 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint16_t bits;
        test_store(table[i].dtype, &bits, table[i].value, 0);
        TEST_EXPECT(bits == table[i].bits, "%g becomes 0x%04x", table[i].value, bits);
    }
    for (int d = GARRAY_FLOAT16; d <= GARRAY_BFLOAT16; d++)
        for (int bits = 0; bits < 65536; bits++) {
            uint16_t there = (uint16_t)bits, back;
            double value = test_load(d, &there);
            test_store(d, &back, value, 0);
            TEST_EXPECT(isnan(value) || back == there, "0x%04x becomes 0x%04x", there, back);
        }
}
