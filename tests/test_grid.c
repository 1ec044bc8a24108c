/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates and series of numbers. */
#include "core/array.h"
#include "test.h"

static garray_t *vector(int dtype, int64_t n, const void *values)
{
    garray_t *x = NULL;
    cr_assert_eq(garray_from_host(values, (garray_dtype)dtype, GARRAY_DIMS(1, &n), NULL, test_device(), &x), GARRAY_OK);
    return x;
}

static void release(int n, garray_t **outs)
{
    for (int i = 0; i < n; i++) {
        garray_release(outs[i]);
        outs[i] = NULL;
    }
}

static bool shaped(const garray_t *x, garray_shape shape)
{
    bool same = garray_ndim(x) == shape.n;
    for (int i = 0; same && i < (int)shape.n; i++)
        same = garray_shape_of(x).v[i] == shape.v[i];
    return TEST_EXPECT(same, "the shape is wrong");
}

Test(grid, grids)
{
    test_mark mark = test_memory();
    float f[3] = { 1, 2, 3 }, a_xy[6] = { 1, 2, 3, 1, 2, 3 }, a_ij[6] = { 1, 1, 2, 2, 3, 3 };
    int16_t s[2] = { 7, 8 }, b_xy[6] = { 7, 7, 7, 8, 8, 8 }, b_ij[6] = { 7, 8, 7, 8, 7, 8 };
    garray_t *a = vector(GARRAY_FLOAT32, 3, f), *b = vector(GARRAY_INT16, 2, s), *outs[3] = { NULL }, *y = NULL;
    if (TEST_OK(garray_meshgrid(GARRAY_LIST(a, b), NULL, 2, outs))) {
        TEST_EQUAL(outs[0], a_xy, 0);
        TEST_EQUAL(outs[1], b_xy, 0);
        shaped(outs[0], GARRAY_SHAPE(2, 3));
        TEST_EXPECT(garray_is_writeable(outs[0]), "not a copy");
    }
    if (TEST_OK(garray_meshgrid(GARRAY_LIST(a, b), GARRAY_KW(meshgrid, .ij = 1, .views = 1), 2, outs))) {
        TEST_EQUAL(outs[0], a_ij, 0);
        TEST_EQUAL(outs[1], b_ij, 0);
        TEST_EXPECT(outs[0]->buffer == a->buffer, "not a view");
    }
    if (TEST_OK(garray_meshgrid(GARRAY_LIST(a, b), GARRAY_KW(meshgrid, .sparse = 1), 2, outs))) {
        shaped(outs[0], GARRAY_SHAPE(1, 3));
        shaped(outs[1], GARRAY_SHAPE(2, 1));
    }
    TEST_STATUS(ERR_INVALID, garray_meshgrid(GARRAY_LIST(a, b), NULL, 3, outs));
    int64_t dense[12] = { 0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2 };
    if (TEST_OK(garray_indices_dense(GARRAY_SHAPE(2, 3), GARRAY_DTYPE_DEFAULT, test_device(), &y))) {
        shaped(y, GARRAY_SHAPE(2, 2, 3));
        TEST_EQUAL(y, dense, 0);
    }
    if (TEST_OK(garray_indices_sparse(GARRAY_SHAPE(2, 3), GARRAY_FLOAT32, test_device(), 2, outs))) {
        shaped(outs[0], GARRAY_SHAPE(2, 1));
        shaped(outs[1], GARRAY_SHAPE(1, 3));
    }
    bool truth[4] = { true, false, false, true };
    int64_t places[2] = { 0, 3 };
    garray_t *t = vector(GARRAY_BOOL, 4, truth);
    if (TEST_OK(garray_ix_(GARRAY_LIST(b, t), 2, outs))) {
        shaped(outs[0], GARRAY_SHAPE(2, 1));
        shaped(outs[1], GARRAY_SHAPE(1, 2));
        TEST_EQUAL(outs[0], s, 0);
        TEST_EQUAL(outs[1], places, 0);
    }
    TEST_STATUS(ERR_INDEX, garray_ix_(GARRAY_LIST(a, t), 2, outs));
    release(3, outs);
    garray_release(a);
    garray_release(b);
    garray_release(t);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

/* Every element of arrays of 3 axes: to one index and back, both orders, all integer dtypes. */
Test(grid, multi_index)
{
    test_mark mark = test_memory();
    int64_t shape[3] = { 3, 4, 5 };
    for (int dtype = GARRAY_INT8; dtype <= GARRAY_UINT64; dtype++)
        for (int column_major = 0; column_major < 2; column_major++) {
            const garray_multi_index_opts opts = { .column_major = column_major };
            int64_t coordinates[3][60], numbers[60];
            garray_t *all = NULL, *cast = NULL, *outs[3] = { NULL }, *flat = NULL;
            for (int64_t i = 0; i < 60; i++) {
                numbers[i] = i;
                coordinates[0][i] = column_major ? i % 3 : i / 20;
                coordinates[1][i] = column_major ? i / 3 % 4 : i / 5 % 4;
                coordinates[2][i] = column_major ? i / 12 : i % 5;
            }
            test_context("%s, column-major %d", garray_dtype_name((garray_dtype)dtype), column_major);
            all = vector(GARRAY_INT64, 60, numbers);
            TEST_OK(garray_astype(all, (garray_dtype)dtype, &cast));
            if (TEST_OK(garray_unravel_index(cast, GARRAY_DIMS(3, shape), &opts, 3, outs)))
                for (int k = 0; k < 3; k++) {
                    TEST_EQUAL(outs[k], coordinates[k], 0);
                    TEST_OK(garray_astype(outs[k], (garray_dtype)dtype, &outs[k]));
                }
            if (TEST_OK(garray_ravel_multi_index(GARRAY_ARRAYS(3, outs), GARRAY_DIMS(3, shape), &opts, &flat)))
                TEST_EQUAL(flat, numbers, 0);
            TEST_STATUS(ERR_INDEX, garray_unravel_index(cast, GARRAY_SHAPE(3, 19), &opts, 2, outs));
            TEST_STATUS(ERR_INDEX, garray_ravel_multi_index(GARRAY_ARRAYS(3, outs), GARRAY_SHAPE(3, 3, 5), &opts, &flat));
            release(3, outs);
            garray_release(all);
            garray_release(cast);
            garray_release(flat);
        }
    int64_t outside[4] = { -1, 5, 2, -7 }, wrapped[4] = { 2 * 4 + 0, 2 * 4 + 3, 2 * 4 + 2, 2 * 4 + 0 };
    garray_t *x = vector(GARRAY_INT64, 4, outside), *y = NULL, *outs[1] = { NULL };
    const garray_index_mode modes[2] = { GARRAY_MODE_WRAP, GARRAY_MODE_CLIP };
    for (int i = 0; i < 4; i++)         /* row: modulo 3; column: the nearest of 4 */
        wrapped[i] = ((outside[i] % 3 + 3) % 3) * 4 + (outside[i] < 0 ? 0 : outside[i] > 3 ? 3 : outside[i]);
    if (TEST_OK(garray_ravel_multi_index(GARRAY_LIST(x, x), GARRAY_SHAPE(3, 4), GARRAY_KW(multi_index, .modes = modes), &y)))
        TEST_EQUAL(y, wrapped, 0);
    TEST_STATUS(ERR_INDEX, garray_ravel_multi_index(GARRAY_LIST(x, x), GARRAY_SHAPE(9, 9), NULL, &y));
    TEST_STATUS(ERR_INDEX, garray_unravel_index(x, GARRAY_SHAPE(9), NULL, 1, outs));
    TEST_STATUS(ERR_SHAPE, garray_ravel_multi_index(GARRAY_LIST(x, x), GARRAY_SHAPE(INT64_MAX, 4), NULL, &y));
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

Test(grid, series)
{
    test_mark mark = test_memory();
    garray_t *y = NULL, *a = NULL, *b = NULL;
    double powers[4] = { 1, 10, 100, 1000 }, twos[4] = { 1, 2, 4, 8 }, minus[3] = { -1, -10, -100 };
    if (TEST_OK(garray_logspace(0, 3, 4, NULL, test_device(), &y)))
        TEST_EQUAL(y, powers, 2);
    if (TEST_OK(garray_logspace(0, 3, 4, GARRAY_KW(logspace, .base = GARRAY_VAL(2)), test_device(), &y)))
        TEST_EQUAL(y, twos, 2);
    int32_t whole[4] = { 1, 2, 4, 8 };
    if (TEST_OK(garray_logspace(0, 4, 4, GARRAY_KW(logspace, .base = GARRAY_VAL(2), .no_endpoint = 1, .dtype = GARRAY_INT32),
                                test_device(), &y)))
        TEST_EQUAL(y, whole, 0);
    if (TEST_OK(garray_geomspace(1, 1000, 4, NULL, test_device(), &y)))
        TEST_EQUAL(y, powers, 4);
    if (TEST_OK(garray_geomspace(-1, -100, 3, NULL, test_device(), &y)))
        TEST_EQUAL(y, minus, 4);
    TEST_STATUS(ERR_INVALID, garray_geomspace(0, 5, 3, NULL, test_device(), &y));
    /* a quarter circle: the middle one is at 45 degrees */
    double circle[6] = { 1, 0, 0.70710678118654752, 0.70710678118654752, 0, 1 };
    if (TEST_OK(garray_geomspace(GARRAY_COMPLEX(1, 0), GARRAY_COMPLEX(0, 1), 3, NULL, test_device(), &y))) {
        double *got = test_read(y);
        for (int i = 0; i < 6; i++)
            TEST_EXPECT(fabs(got[i] - circle[i]) < 1e-15, "item %d is %.17g", i, got[i]);
        free(got);
    }
    TEST_EXPECT(garray_tril_indices(1, INT64_MAX, 64, test_device(), &y, NULL) != GARRAY_OK, "there is memory for all of them");
    /* NumPy's example: the way from -1 to 1 leads over i */
    const double half[6] = { -1, 0, 0, 1, 1, 0 };
    if (TEST_OK(garray_geomspace(GARRAY_COMPLEX(-1, 0), GARRAY_COMPLEX(1, 0), 3, NULL, test_device(), &y))) {
        double *got = test_read(y);
        for (int i = 0; i < 6; i++)
            TEST_EXPECT(fabs(got[i] - half[i]) < 1e-15, "item %d is %.17g", i, got[i]);
        free(got);
    }
    float low[2] = { 0, 10 }, high[2] = { 1, 20 }, between[6] = { 0, 10, 0.5f, 15, 1, 20 }, across[6] = { 0, 0.5f, 1, 10, 15, 20 };
    a = vector(GARRAY_FLOAT32, 2, low);
    b = vector(GARRAY_FLOAT32, 2, high);
    if (TEST_OK(garray_linspace(a, b, 3, NULL, test_device(), &y)))
        TEST_EQUAL(y, between, 0);
    if (TEST_OK(garray_linspace(a, b, 3, GARRAY_KW(linspace, .axis = -1), test_device(), &y)))
        TEST_EQUAL(y, across, 0);
    TEST_STATUS(ERR_AXIS, garray_linspace(a, b, 3, GARRAY_KW(linspace, .axis = 2), test_device(), &y));
    int64_t v[3] = { 1, 2, -3 }, down[9] = { 1, 1, 1, 4, 2, 1, 9, -3, 1 }, up[12] = { 1, 1, 1, 1, 1, 2, 4, 8, 1, -3, 9, -27 };
    garray_t *x = vector(GARRAY_INT64, 3, v);
    if (TEST_OK(garray_vander(x, -1, NULL, &y)))
        TEST_EQUAL(y, down, 0);
    if (TEST_OK(garray_vander(x, 4, GARRAY_KW(vander, .increasing = 1), &y)))
        TEST_EQUAL(y, up, 0);
    TEST_STATUS(ERR_SHAPE, garray_vander(x, -2, NULL, &y));
    garray_release(x);
    garray_release(y);
    garray_release(a);
    garray_release(b);
    TEST_NO_LEAK(mark);
}
