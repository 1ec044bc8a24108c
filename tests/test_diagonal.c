/* SPDX-License-Identifier: BSD-3-Clause
 * Diagonals and triangles against their definition: an element belongs to diagonal k where column - row is k. */
#include "core/array.h"
#include "test.h"

static const int64_t diagonals[] = { 0, 1, -1, 3, -2, 100, -100, INT64_MAX, INT64_MIN };
enum { DIAGONALS = sizeof diagonals / sizeof diagonals[0] };
static const int64_t matrices[][2] = { { 4, 4 }, { 3, 5 }, { 5, 2 }, { 1, 4 }, { 0, 3 }, { 40, 37 } };
enum { MATRICES = sizeof matrices / sizeof matrices[0] };

static bool below(int64_t row, int64_t column, int64_t k)
{
    return (__int128)column - row <= k;
}

Test(diagonal, triangles)
{
    test_mark mark = test_memory();
    for (int m = 0; m < MATRICES; m++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int d = 0; d < DIAGONALS; d++) {
                int64_t rows = matrices[m][0], cols = matrices[m][1], k = diagonals[d], n = 2 * rows * cols;
                int dtype = 1 + (m + layout + d) % TEST_DTYPE_COUNT;
                size_t item = garray_dtype_size((garray_dtype)dtype);
                char *values = malloc((size_t)n * item + 1), *low = malloc((size_t)n * item + 1), *high = malloc((size_t)n * item + 1);
                char *ones = malloc((size_t)n * item + 1);
                test_random(dtype, n, (uint64_t)(m * 100 + d), values);
                garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(2, rows, cols), values), *y = NULL;
                memset(low, 0, (size_t)n * item);
                memset(high, 0, (size_t)n * item);
                memset(ones, 0, (size_t)n * item);
                for (int64_t i = 0; i < n; i++) {
                    int64_t row = i / cols % rows, column = i % cols;
                    if (below(row, column, k))
                        memcpy(low + (size_t)i * item, values + (size_t)i * item, item);
                    if (!below(row, column, k) || column - row == k)
                        memcpy(high + (size_t)i * item, values + (size_t)i * item, item);
                    test_store(dtype, ones + (size_t)i * item, below(row, column, k), 0);
                }
                test_context("%lld x %lld, k = %lld, %s, %s", (long long)rows, (long long)cols, (long long)k,
                             garray_dtype_name((garray_dtype)dtype), test_layout_name(layout));
                if (TEST_OK(garray_tril(x, k, &y)))
                    TEST_EQUAL(y, low, 0);
                if (TEST_OK(garray_triu(x, k, &y)))
                    TEST_EQUAL(y, high, 0);
                if (TEST_OK(garray_tri(rows, cols, k, (garray_dtype)dtype, test_device(), &y)))
                    TEST_EQUAL(y, ones, 0);
                garray_t *view = test_array(dtype, TEST_SLICED, GARRAY_SHAPE(2, rows, cols), NULL);
                if (TEST_OK(garray_tril(x, k, garray_into(view))))
                    TEST_EQUAL(view, low, 0);
                if (TEST_OK(garray_triu(x, k, &x)))
                    TEST_EQUAL(x, high, 0);
                garray_release(x);
                garray_release(y);
                garray_release(view);
                free(values);
                free(low);
                free(high);
                free(ones);
            }
    TEST_NO_LEAK(mark);
}

Test(diagonal, diagonals)
{
    test_mark mark = test_memory();
    for (int m = 0; m < MATRICES; m++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int d = 0; d < DIAGONALS; d++) {
                int64_t rows = matrices[m][0], cols = matrices[m][1], k = diagonals[d], count = 0;
                int dtype = m % 2 ? GARRAY_INT32 : GARRAY_COMPLEX64;
                size_t item = garray_dtype_size((garray_dtype)dtype);
                char *values = malloc((size_t)(rows * cols) * item + 1), line[64 * 16];
                test_random(dtype, rows * cols, (uint64_t)(m * 100 + d), values);
                garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(rows, cols), values), *y = NULL, *square = NULL, *sum = NULL;
                for (int64_t row = 0; row < rows; row++)
                    for (int64_t column = 0; column < cols; column++)
                        if (column - row == k)
                            memcpy(line + (size_t)count++ * item, values + (size_t)(row * cols + column) * item, item);
                test_context("%lld x %lld, k = %lld, %s", (long long)rows, (long long)cols, (long long)k, test_layout_name(layout));
                if (TEST_OK(garray_diagonal(x, k, 0, -1, &y)) && TEST_EXPECT(garray_size(y) == count, "the length is wrong")) {
                    TEST_EQUAL(y, line, 0);
                    TEST_EXPECT(!garray_is_writeable(y) && y->buffer == x->buffer, "not a read-only view");
                    if (TEST_OK(garray_sum(y, GARRAY_ALL_AXES, NULL, &sum))) {
                        void *expected = test_read(sum);
                        if (TEST_OK(garray_trace(x, k, 0, 1, GARRAY_DTYPE_DEFAULT, &sum)))
                            TEST_EQUAL(sum, expected, 0);
                        free(expected);
                    }
                }
                if (TEST_OK(garray_diag(x, k, &y)))
                    TEST_EQUAL(y, line, 0);
                /* and back */
                if (k > -100 && k < 100 && TEST_OK(garray_diag(y, k, &square))) {
                    int64_t n = garray_shape_of(square).v[0];
                    TEST_EXPECT(n == count + (k < 0 ? -k : k), "the size is wrong");
                    char *expected = calloc((size_t)(n * n) + 1, item);
                    for (int64_t i = 0; i < count; i++)
                        memcpy(expected + (size_t)((i + (k < 0 ? -k : 0)) * n + i + (k > 0 ? k : 0)) * item, line + (size_t)i * item, item);
                    TEST_EQUAL(square, expected, 0);
                    if (TEST_OK(garray_diagflat(y, k, &square)))
                        TEST_EQUAL(square, expected, 0);
                    free(expected);
                }
                garray_release(x);
                garray_release(y);
                garray_release(square);
                garray_release(sum);
                free(values);
            }
    garray_t *x = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_INT32, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_diagonal(x, 0, 0, 1, &y));
    TEST_STATUS(ERR_SHAPE, garray_diag(x, INT64_MIN, &y));
    TEST_STATUS(ERR_SHAPE, garray_diag(x, INT64_MAX, &y));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 3), GARRAY_INT32, test_device(), &x));
    TEST_STATUS(ERR_AXIS, garray_diagonal(x, 0, 1, -1, &y));
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_INT32, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_tril(x, 0, &y));
    TEST_EXPECT(!y, "a failed call left a result");
    garray_release(x);
    TEST_NO_LEAK(mark);
}

Test(diagonal, fill)
{
    test_mark mark = test_memory();
    static const struct {
        int64_t rows, cols;
        int wrap;
    } cases[] = { { 4, 4, 0 }, { 4, 4, 1 }, { 3, 5, 1 }, { 5, 3, 0 }, { 5, 3, 1 }, { 11, 3, 1 }, { 7, 2, 1 }, { 4, 1, 1 }, { 0, 3, 1 }, { 3, 0, 1 } };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int64_t nvalues = 0; nvalues < 4; nvalues++) {
                int64_t rows = cases[c].rows, cols = cases[c].cols, given[3] = { 7, 8, 9 }, used = 0;
                if (test_layout_repeats(layout))
                    continue;
                int64_t *values = calloc((size_t)(rows * cols) + 1, sizeof *values);
                garray_t *x = test_array(GARRAY_INT64, layout, GARRAY_SHAPE(rows, cols), values), *v = NULL;
                for (int64_t i = 0; i < rows * cols; i += cols + 1)
                    if (cases[c].wrap || i / cols == i % cols)
                        values[i] = nvalues ? given[used++ % nvalues] : 5;
                test_context("%lld x %lld, wrap %d, %lld values, %s", (long long)rows, (long long)cols, cases[c].wrap,
                             (long long)nvalues, test_layout_name(layout));
                const garray_fill_diagonal_opts opts = { .wrap = cases[c].wrap };
                if (nvalues)
                    TEST_OK(garray_from_host(given, GARRAY_INT64, GARRAY_SHAPE(nvalues), NULL, test_device(), &v));
                if (nvalues ? TEST_OK(garray_fill_diagonal(x, v, &opts)) : TEST_OK(garray_fill_diagonal(x, 5, &opts)))
                    TEST_EQUAL(x, values, 0);
                garray_release(x);
                garray_release(v);
                free(values);
            }
    garray_t *x = NULL;
    int32_t cube[27] = { 0 };
    cube[0] = cube[13] = cube[26] = 4;
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 3, 3), GARRAY_INT32, test_device(), &x));
    if (TEST_OK(garray_fill_diagonal(x, 4, NULL)))
        TEST_EQUAL(x, cube, 0);
    TEST_STATUS(ERR_INVALID, garray_fill_diagonal(x, INT64_MAX, NULL));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 3, 2), GARRAY_INT32, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_fill_diagonal(x, 4, NULL));
    TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(2, 3, 3, 2), &x));
    TEST_STATUS(ERR_READONLY, garray_fill_diagonal(x, 4, NULL));
    garray_release(x);
    TEST_NO_LEAK(mark);
}

static garray_status upper(void *ctx, const garray_t *ones, int64_t k, garray_t **out)
{
    ++*(int *)ctx;
    return garray_triu(ones, k, out);
}

Test(diagonal, indices)
{
    test_mark mark = test_memory();
    garray_t *row = NULL, *column = NULL, *x = NULL, *outs[3] = { NULL };
    for (int m = 0; m < MATRICES; m++)
        for (int d = 0; d < DIAGONALS; d++)
            for (int is_upper = 0; is_upper < 2; is_upper++) {
                int64_t rows = matrices[m][0], cols = matrices[m][1], k = diagonals[d], n = 0;
                int64_t *r = malloc((size_t)(rows * cols) * 8 + 1), *c = malloc((size_t)(rows * cols) * 8 + 1);
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t j = 0; j < cols; j++)
                        if (is_upper ? !below(i, j, k) || j - i == k : below(i, j, k)) {
                            r[n] = i;
                            c[n++] = j;
                        }
                test_context("%lld x %lld, k = %lld, upper %d", (long long)rows, (long long)cols, (long long)k, is_upper);
                if (is_upper ? TEST_OK(garray_triu_indices(rows, cols, k, test_device(), &row, &column))
                             : TEST_OK(garray_tril_indices(rows, cols, k, test_device(), &row, &column))) {
                    TEST_EXPECT(garray_size(row) == n, "the number is wrong");
                    TEST_EQUAL(row, r, 0);
                    TEST_EQUAL(column, c, 0);
                }
                TEST_OK(garray_empty(GARRAY_SHAPE(rows, cols), GARRAY_INT8, test_device(), &x));
                if (is_upper ? TEST_OK(garray_triu_indices_from(x, k, NULL, &column))
                             : TEST_OK(garray_tril_indices_from(x, k, NULL, &column)))
                    TEST_EQUAL(column, c, 0);
                free(r);
                free(c);
            }
    int calls = 0;
    int64_t r[3] = { 0, 0, 1 }, c[3] = { 1, 2, 2 }, three[3] = { 0, 1, 2 };
    if (TEST_OK(garray_mask_indices(3, upper, &calls, 1, test_device(), &row, &column))) {
        TEST_EQUAL(row, r, 0);
        TEST_EQUAL(column, c, 0);
        TEST_EXPECT(calls == 1, "%d calls", calls);
    }
    if (TEST_OK(garray_diag_indices(3, test_device(), 2, outs))) {
        TEST_EQUAL(outs[0], three, 0);
        TEST_EQUAL(outs[1], three, 0);
    }
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 3, 3), GARRAY_INT8, test_device(), &x));
    if (TEST_OK(garray_diag_indices_from(x, 3, outs)))
        TEST_EQUAL(outs[2], three, 0);
    TEST_STATUS(ERR_INVALID, garray_diag_indices_from(x, 2, outs));
    TEST_STATUS(ERR_SHAPE, garray_tril_indices_from(x, 0, &row, &column));
    for (int i = 0; i < 3; i++)
        garray_release(outs[i]);
    garray_release(row);
    garray_release(column);
    garray_release(x);
    TEST_NO_LEAK(mark);
}
