/* SPDX-License-Identifier: BSD-3-Clause
 * poly, roots and polyfit against NumPy's values, and errors. */
#include "test.h"

enum { POLY = 1, ROOTS, POLYFIT, FULL, COV };
static const char *const names[] = { "", "poly", "roots", "polyfit", "polyfit_full", "polyfit_cov" };

/* The columns of a case. */
enum { FUNCTION, OPERAND, COLUMNS = OPERAND + 3, RESULT = COLUMNS + 2, FLAG = RESULT + 4, BOUND };

static garray_t *open_operand(const test_golden *g, int number, int columns, int layout)
{
    if (number < 0)
        return NULL;
    const test_block *block = &g->block[number];
    size_t bytes = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *values = malloc(bytes + 1);
    memcpy(values, block->data, bytes);
    garray_t *x = columns ? test_array(block->dtype, layout, GARRAY_SHAPE(block->n / columns, columns), values)
                          : test_array(block->dtype, layout, GARRAY_SHAPE(block->n), values);
    free(values);
    return x;
}

static garray_status call(int function, garray_t *const *x, int flag, garray_t **y)
{
    garray_polyfit_opts opts = { .w = x[2] };
    switch (function) {
    case POLY: return garray_poly(x[0], &y[0]);
    case ROOTS: return garray_roots(x[0], &y[0]);
    case POLYFIT: return garray_polyfit(x[0], x[1], flag, x[2] ? &opts : NULL, &y[0]);
    case FULL: return garray_polyfit_full(x[0], x[1], flag, &opts, &y[0], &y[1], &y[2], &y[3]);
    default: return garray_polyfit_cov(x[0], x[1], flag % 100, flag < 100, &opts, &y[0], &y[1]);
    }
}

/* Within units of 1e-16 of the largest item. */
static void compare(const garray_t *y, const test_block *expected, double units)
{
    double largest = 1e-300, re, im, want_re, want_im;
    if (!TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                     garray_dtype_name(garray_dtype_of(y)), garray_dtype_name((garray_dtype)expected->dtype)) ||
        !TEST_EXPECT(garray_size(y) == expected->n, "the result has %d items, not %d", (int)garray_size(y), expected->n))
        return;
    const int size = (int)garray_dtype_size((garray_dtype)expected->dtype);
    char *got = test_read(y);
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &re, &im);
        largest = fmax(largest, fmax(fabs(re), fabs(im)));
    }
    for (int i = 0; i < expected->n; i++) {
        test_load_complex(expected->dtype, (const char *)expected->data + i * size, &want_re, &want_im);
        test_load_complex(expected->dtype, got + i * size, &re, &im);
        if (!TEST_EXPECT(fabs(re - want_re) + fabs(im - want_im) <= units * 1e-16 * largest,
                         "item %d is %.17g%+.17gj, not %.17g%+.17gj", i, re, im, want_re, want_im))
            break;
    }
    free(got);
}

Test(polyfit, against_numpy)
{
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_NEGATIVE, TEST_MISALIGNED };
    const test_golden *golden = test_golden_open("polyfit");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        for (int l = 0; l < 3; l++) {
            garray_t *x[3], *y[4] = { NULL, NULL, NULL, NULL };
            test_context("case %d: %s, %s", i, names[row[FUNCTION]], test_layout_name(layouts[l]));
            for (int k = 0; k < 3; k++)
                x[k] = open_operand(golden, row[OPERAND + k], k < 2 ? row[COLUMNS + k] : 0, layouts[l]);
            if (TEST_OK(call(row[FUNCTION], x, row[FLAG], y)))
                for (int k = 0; k < 4; k++)
                    if (row[RESULT + k] >= 0)
                        compare(y[k], &golden->block[row[RESULT + k]], pow(10, row[BOUND]));
            for (int k = 0; k < 4; k++) {
                garray_release(k < 3 ? x[k] : NULL);
                garray_release(y[k]);
            }
        }
    }
    TEST_NO_LEAK(mark);
}

Test(polyfit, errors)
{
    garray_t *x = NULL, *none = NULL, *two = NULL, *y = NULL, *rank = NULL;
    TEST_OK(garray_arange(0, 4, 1, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0), GARRAY_FLOAT64, test_device(), &none));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT64, test_device(), &two));
    TEST_STATUS(ERR_SHAPE, garray_poly(two, &y));
    TEST_MESSAGE("input must be 1d or non-empty square 2d array.");
    TEST_STATUS(ERR_SHAPE, garray_roots(two, &y));
    TEST_STATUS(ERR_INVALID, garray_polyfit(x, x, -1, NULL, &y));
    TEST_MESSAGE("expected deg >= 0");
    TEST_STATUS(ERR_SHAPE, garray_polyfit(two, x, 1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_polyfit(none, none, 1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_polyfit(x, two, 1, NULL, &y));
    TEST_MESSAGE("expected x and y to have same length");
    TEST_STATUS(ERR_SHAPE, garray_polyfit(x, x, 1, GARRAY_KW(polyfit, .w = two), &y));
    TEST_STATUS(ERR_INVALID, garray_polyfit_full(x, x, 1, NULL, NULL, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_polyfit_full(x, x, 1, NULL, &y, &y, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_polyfit_cov(x, x, 3, false, NULL, &y, NULL));
    TEST_MESSAGE("the number of data points must exceed order to scale the covariance matrix");
    TEST_EXPECT(!y, "a failed call gave a result");
    TEST_OK(garray_polyfit_full(x, x, 1, GARRAY_KW(polyfit, .rcond = GARRAY_VAL(0.9)), NULL, NULL, &rank, NULL));
    TEST_EQUAL(rank, ((int64_t[]){ 1 }), 0);
    TEST_OK(garray_polyfit(x, x, 1, NULL, &x));
    garray_t *all[] = { x, none, two, y, rank };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        garray_release(all[i]);
}
