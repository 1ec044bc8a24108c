/* SPDX-License-Identifier: BSD-3-Clause
 * Filters of images, interp2d, and the convolutions of neural networks, against SciPy's values, and errors. */
#include "test.h"

enum { GAUSSIAN = 1, SOBEL, MAXIMUM, MINIMUM, CONV, INTERP2D, DILATION, EROSION };
static const char *const names[] = { "", "gaussian_filter", "sobel", "maximum_filter", "minimum_filter", "conv", "interp2d",
                                     "dilation", "erosion" };

/* The columns of a case. */
enum { FUNCTION, OPERAND, SHAPE = OPERAND + 5, RESULT = SHAPE + 2, RESULT_SHAPE, NUMBERS, FLAG, OTHER, BOUND };

static garray_t *open_operand(const test_golden *g, const int32_t *row, int k, int layout)
{
    if (row[OPERAND + k] < 0)
        return NULL;
    const test_block *block = &g->block[row[OPERAND + k]];
    size_t bytes = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *values = malloc(bytes + 1);
    garray_t *x;
    memcpy(values, block->data, bytes);
    if (k < 2)
        x = test_array(block->dtype, layout, GARRAY_DIMS(g->block[row[SHAPE + k]].n, g->block[row[SHAPE + k]].data), values);
    else if (k < 4)
        x = test_array(block->dtype, layout, GARRAY_SHAPE(block->n), values);
    else
        x = test_array(block->dtype, layout, GARRAY_SHAPE(7, 5), values);
    free(values);
    return x;
}

static garray_status call(const test_golden *g, const int32_t *row, garray_t *const *x, garray_t **y)
{
    const test_block *given = &g->block[row[NUMBERS]];
    const double *p = given->data;
    const int n = given->n - 1, axes = row[OTHER], flag = row[FLAG];
    garray_image_opts image = { .boundary = (garray_boundary)(row[FUNCTION] == CONV || row[FUNCTION] == INTERP2D ? 0 : row[OTHER]) };
    garray_conv_opts conv = { .groups = flag };
    garray_interp2d_opts grid = { .nearest = flag, .extrapolate = row[OTHER] == 1 };
    int64_t size[8];
    for (int i = 0; i < n && i < 8; i++)
        size[i] = (int64_t)p[1 + i];
    switch (row[FUNCTION]) {
    case GAUSSIAN:
        image.truncate = p[0];
        return garray_gaussian_filter(x[0], n, p + 1, &image, y);
    case SOBEL: return garray_sobel(x[0], flag, &image, y);
    case MAXIMUM: return garray_maximum_filter(x[0], GARRAY_DIMS(n, size), &image, y);
    case MINIMUM: return garray_minimum_filter(x[0], GARRAY_DIMS(n, size), &image, y);
    case DILATION: return garray_dilation(x[0], x[1], &image, y);
    case EROSION: return garray_erosion(x[0], x[1], &image, y);
    case CONV:
        for (int i = 0; i < axes; i++) {
            conv.stride[i] = (int64_t)p[i];
            conv.padding[i] = (int64_t)p[axes + i];
            conv.dilation[i] = (int64_t)p[2 * axes + i];
        }
        return axes == 1   ? garray_conv1d(x[0], x[1], &conv, y)
               : axes == 2 ? garray_conv2d(x[0], x[1], &conv, y)
                           : garray_conv3d(x[0], x[1], &conv, y);
    default:
        if (row[OTHER] == 2)
            grid.fill = GARRAY_VAL(p[0]);
        return garray_interp2d(x[0], x[1], x[2], x[3], x[4], &grid, y);
    }
}

static bool near_number(double got, double want, double limit)
{
    return (got != got && want != want) || fabs(got - want) <= limit;
}

static void compare(const garray_t *y, const test_block *expected, const test_block *shape, int bound)
{
    double largest = 0, re, im, want_re, want_im;
    const int size = (int)garray_dtype_size((garray_dtype)expected->dtype);
    if (!TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                     garray_dtype_name(garray_dtype_of(y)), garray_dtype_name((garray_dtype)expected->dtype)) ||
        !TEST_EXPECT(garray_ndim(y) == shape->n && memcmp(garray_shape_of(y).v, shape->data, (size_t)shape->n * 8) == 0,
                     "the result has another shape"))
        return;
    if (bound == 99) {
        TEST_EQUAL(y, expected->data, 0);
        return;
    }
    char *got = test_read(y);
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &re, &im);
        largest = fmax(largest, fmax(fabs(re), fabs(im)));
    }
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &want_re, &want_im);
        test_load_complex(expected->dtype, got + i * size, &re, &im);
        if (!TEST_EXPECT(near_number(re, want_re, pow(10, bound) * largest) &&
                             (want_re != want_re || near_number(im, want_im, pow(10, bound) * largest)),
                         "item %d is %.17g%+.17gj, not %.17g%+.17gj", i, re, im, want_re, want_im))
            break;
    }
    free(got);
}

Test(image, against_scipy)
{
    const test_golden *golden = test_golden_open("image");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            garray_t *x[5], *y = NULL;
            if (test_layout_repeats(layout) || (layout && i % TEST_LAYOUTS != layout))
                continue;
            test_context("case %d: %s, %s", i, names[row[FUNCTION]], test_layout_name(layout));
            for (int k = 0; k < 5; k++)
                x[k] = open_operand(golden, row, k, layout);
            if (TEST_OK(call(golden, row, x, &y)))
                compare(y, &golden->block[row[RESULT]], &golden->block[row[RESULT_SHAPE]], row[BOUND]);
            for (int k = 0; k < 5; k++)
                garray_release(x[k]);
            garray_release(y);
        }
    }
    TEST_NO_LEAK(mark);
}

Test(image, errors)
{
    garray_t *x = NULL, *z = NULL, *w = NULL, *none = NULL, *y = NULL;
    const double sigma[3] = { 1, 2, -1 };
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 5), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 5), GARRAY_COMPLEX64, test_device(), &z));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 4, 3), GARRAY_FLOAT32, test_device(), &w));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 5), GARRAY_FLOAT32, test_device(), &none));
    TEST_STATUS(ERR_SHAPE, garray_gaussian_filter(x, 3, sigma, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_gaussian_filter(x, 1, sigma + 2, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_sobel(x, 2, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_maximum_filter(z, GARRAY_SHAPE(3), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_maximum_filter(x, GARRAY_SHAPE(3, 3, 3), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_minimum_filter(x, GARRAY_SHAPE(0), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_minimum_filter(x, GARRAY_SHAPE(3), GARRAY_KW(image, .fill = GARRAY_VAL(1)), &y));
    TEST_STATUS(ERR_SHAPE, garray_dilation(x, w, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_erosion(x, none, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_erosion(z, x, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_conv2d(w, w, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_conv1d(w, w, GARRAY_KW(conv, .groups = 3), &y));
    TEST_STATUS(ERR_INVALID, garray_conv1d(w, w, GARRAY_KW(conv, .stride = { -1 }), &y));
    TEST_STATUS(ERR_SHAPE, garray_conv1d(w, w, GARRAY_KW(conv, .dilation = { 2 }), &y));
    TEST_STATUS(ERR_SHAPE, garray_interp2d(1, 2, x, x, x, NULL, &y));
    TEST_EXPECT(!y, "a failed call gave a result");
    TEST_OK(garray_gaussian_filter(none, 1, sigma, NULL, &y));
    TEST_OK(garray_sobel(none, 1, NULL, &y));
    TEST_OK(garray_maximum_filter(none, GARRAY_SHAPE(3), NULL, &y));
    TEST_EXPECT(garray_size(y) == 0, "of nothing is something");
    garray_t *all[] = { x, z, w, none, y };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        garray_release(all[i]);
}
