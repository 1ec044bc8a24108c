/* SPDX-License-Identifier: BSD-3-Clause
 * Products over axes: values worked by hand, results in place and into views, and what is refused.  Random ones are
 * compared with NumPy in differential/products.py. */
#include "test.h"

static garray_t *numbers(const double *values, garray_shape shape, garray_dtype dtype)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, shape, NULL, test_device(), &x));
    TEST_OK(garray_astype(x, dtype, &x));
    return x;
}

static const double six[6] = { 1, 2, 3, 4, 5, 6 };

Test(product, by_hand)
{
    for (TEST_DTYPES(d)) {
        if (d == GARRAY_BOOL)
            continue;
        test_context("%s", garray_dtype_name((garray_dtype)d));
        garray_t *a = numbers(six, GARRAY_SHAPE(2, 3), (garray_dtype)d), *y = NULL, *z = NULL;
        double got[18];
        /* each of these is the product a^T a */
        const double expected[9] = { 17, 22, 27, 22, 29, 36, 27, 36, 45 };
        for (int way = 0; way < 4; way++) {
            garray_status st = way == 0   ? garray_einsum("ki,kj", GARRAY_LIST(a, a), &y)
                               : way == 1 ? garray_tensordot(a, a, GARRAY_AXES(0), GARRAY_AXES(0), &y)
                               : way == 2 ? garray_dot(GARRAY_MT(a), a, &y)
                                          : garray_einsum("...ki, ...kj -> ...ij", GARRAY_LIST(a, a), &y);
            if (!TEST_OK(st) || !TEST_OK(garray_astype(y, GARRAY_COMPLEX128, &z)) || !TEST_OK(garray_to_host(z, got, NULL, sizeof got)))
                continue;
            for (int k = 0; k < 9; k++)
                TEST_EXPECT(got[2 * k] == expected[k], "way %d: item %d is %g, not %g", way, k, got[2 * k], expected[k]);
        }
        garray_release(a);
        garray_release(y);
        garray_release(z);
    }
}

/* Results over operands, into views, and of another dtype. */
Test(product, results)
{
    garray_t *a = numbers(six, GARRAY_SHAPE(2, 3), GARRAY_FLOAT32), *b = garray_retain(a), *big = NULL, *part = NULL;
    TEST_OK(garray_einsum("ij->ji", GARRAY_LIST(a), &b));
    TEST_OK(garray_dot(a, b, &b));
    TEST_EQUAL(b, ((const float[]){ 14, 32, 32, 77 }), 0);
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 4), GARRAY_FLOAT64, test_device(), &big));
    TEST_OK(garray_getitem(big, GARRAY_AT(GARRAY_EVERY(3), GARRAY_RANGE(1, 3)), &part));
    TEST_OK(garray_einsum("ij,kj", GARRAY_LIST(a, a), garray_into(part)));
    TEST_EQUAL(big, ((const double[]){ 0, 14, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 77, 0 }), 0);
    TEST_STATUS(ERR_SHAPE, garray_outer(a, a, garray_into(part)));
    TEST_OK(garray_vdot(a, a, &b));
    TEST_EQUAL(b, ((const float[]){ 91 }), 0);
    TEST_OK(garray_dot(a, 2, &b));
    TEST_EQUAL(b, ((const float[]){ 2, 4, 6, 8, 10, 12 }), 0);
    garray_release(a);
    garray_release(b);
    garray_release(big);
    garray_release(part);
}

Test(product, refused)
{
    garray_t *a = numbers(six, GARRAY_SHAPE(2, 3), GARRAY_FLOAT64), *v = numbers(six, GARRAY_SHAPE(6), GARRAY_FLOAT64), *y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_dot(a, a, &y));
    TEST_MESSAGE("garray_dot", "(2,3)", "do not match");
    TEST_STATUS(ERR_INVALID, garray_dot(1, 2, &y));
    TEST_STATUS(ERR_SHAPE, garray_tensordot(a, a, GARRAY_AXES(0), GARRAY_AXES(1), &y));
    TEST_STATUS(ERR_SHAPE, garray_tensordot(a, a, GARRAY_AXES(0, 1), GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_AXIS, garray_tensordot(a, a, GARRAY_AXES(0, 0), GARRAY_AXES(0, 1), &y));
    TEST_STATUS(ERR_AXIS, garray_tensordot_n(a, v, 2, &y));
    TEST_STATUS(ERR_SHAPE, garray_cross(a, v, -1, &y));
    TEST_STATUS(ERR_SHAPE, garray_matvec(v, v, &y));
    TEST_STATUS(ERR_INVALID, garray_vdot(a, GARRAY_NONE, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_matrix_power(a, 2, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_multi_dot(GARRAY_LIST(a), &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_multi_dot(GARRAY_LIST(a, a), &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_multi_dot(GARRAY_LIST(a, v, a), &y));
    static const char *const malformed[] = { "ij,jk->ik->", "ij,", "i?", "ij->iz", "ij->ii", "ij-", "ij->i,j", "......", "ij,ij", "...j->j", "\xc3\xa9j" };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        test_context("\"%s\"", malformed[i]);
        TEST_STATUS(ERR_INVALID, garray_einsum(malformed[i], GARRAY_LIST(a), &y));
    }
    test_context("einsum");
    TEST_STATUS(ERR_SHAPE, garray_einsum("i", GARRAY_LIST(a), &y));
    TEST_STATUS(ERR_SHAPE, garray_einsum("ii", GARRAY_LIST(a), &y));
    TEST_STATUS(ERR_SHAPE, garray_einsum("ij,i", GARRAY_LIST(a, v), &y));
    TEST_STATUS(ERR_INVALID, garray_einsum(NULL, GARRAY_LIST(a), &y));
    TEST_STATUS(ERR_INVALID, garray_einsum("ij", ((garray_list){ 0, NULL }), &y));
    TEST_STATUS(ERR_INVALID, garray_einsum("ij", GARRAY_LIST(a), NULL));
    TEST_EXPECT(y == NULL, "a failed call has a result");
    garray_release(a);
    garray_release(v);
}

/* More axes than an array can have, where no arrow says which. */
Test(product, too_many_axes)
{
    int64_t ones[52];
    for (int i = 0; i < 52; i++)
        ones[i] = 1;
    garray_t *a = NULL, *b = NULL, *y = NULL;
    TEST_OK(garray_ones(GARRAY_DIMS(40, ones), GARRAY_FLOAT32, test_device(), &a));
    TEST_OK(garray_ones(GARRAY_DIMS(52, ones), GARRAY_FLOAT32, test_device(), &b));
    TEST_STATUS(ERR_SHAPE, garray_einsum("...,abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", GARRAY_LIST(a, b), &y));
    TEST_MESSAGE("92 axes");
    garray_release(a);
    garray_release(b);
}
