/* SPDX-License-Identifier: BSD-3-Clause
 * Norms, conditions, ranks, pseudoinverses, least squares, tensors and gemm: small known cases in every dtype and layout, and
 * what must hold whatever the numbers are. */
#include <string.h>
#include "matrix.h"

enum { NORMS = 7 };

/* Vector norms of 3, -4, 0, 12 with each ord, in each dtype that has them. */
Test(norm, vectors)
{
    static const double orders[NORMS] = { 2, 1, 0, 3, INFINITY, -INFINITY, -1 };
    static const double expected[NORMS] = { 13, 19, 3, 12.207054953820636, 12, 0, 0 };
    static const double values[] = { 3, -4, 0, 12 };
    test_mark mark = test_memory();
    for (TEST_DTYPES(dtype))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int k = 0; k < NORMS; k++) {
                const bool is_signed = dtype >= GARRAY_FLOAT16 || (dtype >= GARRAY_INT8 && dtype <= GARRAY_INT64);
                if (dtype == GARRAY_BOOL || !is_signed || test_layout_repeats(layout))
                    continue;
                char elements[4 * 16];
                for (size_t i = 0; i < 4; i++)
                    test_store(dtype, elements + i * garray_dtype_size((garray_dtype)dtype), values[i], 0);
                garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(2, 2), elements), *y = NULL, *z = NULL;
                const garray_norm_opts opts = { .ord = garray_operand_double(orders[k]), .keepdims = 1 };
                test_context("%s, %s, ord %g", garray_dtype_name((garray_dtype)dtype), test_layout_name(layout), orders[k]);
                if (TEST_OK(garray_linalg_vector_norm(x, GARRAY_ALL_AXES, &opts, &y)) &&
                    TEST_EXPECT(garray_ndim(y) == 2 && garray_size(y) == 1, "the shape is wrong")) {
                    const int real = dtype < GARRAY_FLOAT16 ? GARRAY_FLOAT64 : test_part(dtype);
                    number *got = matrix_read(y);
                    const bool half = dtype == GARRAY_FLOAT16 || dtype == GARRAY_BFLOAT16;
                    double room = half ? 0x1p-7 : real == GARRAY_FLOAT64 ? 1e-13 : 1e-6;
                    TEST_EXPECT((int)garray_dtype_of(y) == real, "the dtype is %d", (int)garray_dtype_of(y));
                    TEST_EXPECT(fabs(creal(*got) - expected[k]) <= room * expected[k], "gives %g, not %g", creal(*got),
                                expected[k]);
                    free(got);
                }
                /* each row on its own: 5 and 12 */
                if (orders[k] == 2 && TEST_OK(garray_linalg_norm(x, GARRAY_AXES(1), NULL, &z))) {
                    number *got = matrix_read(z);
                    TEST_EXPECT(creal(got[0]) == 5 && creal(got[1]) == 12, "gives %g, %g", creal(got[0]), creal(got[1]));
                    free(got);
                }
                garray_release(x);
                garray_release(y);
                garray_release(z);
            }
    TEST_NO_LEAK(mark);
}

/* Long ones, all elements and along each axis, against a sum in doubles. */
Test(norm, long_vectors)
{
    for (int d = 0; d < 4; d++) {
        const int dtype = matrix_dtypes[d];
        const int64_t m = 700, n = 300;
        number *z = matrix_numbers(dtype, m * n, 4);
        char *values = matrix_store(dtype, z, m * n);
        garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(m, n), values), *y = NULL;
        test_context("%s", garray_dtype_name((garray_dtype)dtype));
        for (int axis = -1; axis < 2; axis++) {
            const int64_t count = axis < 0 ? 1 : axis ? m : n;
            long double *sums = calloc((size_t)count, sizeof *sums);
            for (int64_t i = 0; i < m * n; i++) {
                long double *sum = sums + (axis < 0 ? 0 : axis ? i / n : i % n);
                *sum += creal(z[i]) * creal(z[i]) + cimag(z[i]) * cimag(z[i]);
            }
            const int32_t one = axis;
            if (TEST_OK(garray_linalg_norm(x, axis < 0 ? GARRAY_ALL_AXES : (garray_axes){ 1, &one }, NULL, &y)) &&
                TEST_EXPECT(garray_size(y) == count, "the size is wrong")) {
                number *got = matrix_read(y);
                double most = 0;
                for (int64_t i = 0; i < count; i++)
                    most = fmax(most, fabs(creal(got[i]) / (double)sqrtl(sums[i]) - 1));
                TEST_EXPECT(most <= 8 * matrix_unit(dtype) + 1e-14, "axis %d: off by %g", axis, most);
                free(got);
            }
            free(sums);
        }
        garray_release(x);
        garray_release(y);
        free(values);
        free(z);
    }
}

/* [[1, -2], [3, 4]]: its singular values are sqrt(15 +- 5 sqrt 5). */
Test(norm, matrices)
{
    static const struct {
        double ord;
        int kind;
        double expected;
    } rows[] = {
        { 1, 0, 6 }, { -1, 0, 4 }, { INFINITY, 0, 7 }, { -INFINITY, 0, 3 }, { 0, GARRAY_NORM_FROBENIUS, 5.477225575051661 },
        { 2, 0, 5.116672736016927 }, { -2, 0, 1.954395075848548 }, { 0, GARRAY_NORM_NUCLEAR, 7.071067811865475 },
    };
    static const number numbers[] = { 1, -2, 3, 4 };
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            const int dtype = matrix_dtypes[d];
            char *values = matrix_store(dtype, numbers, 4);
            garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(2, 2), values), *y = NULL, *w = NULL, *c = NULL, *inverse = NULL;
            garray_norm_opts opts = { .kind = (garray_norm_kind)rows[k].kind };
            if (!rows[k].kind)
                opts.ord = garray_operand_double(rows[k].ord);
            test_context("%s, ord %g, kind %d", garray_dtype_name((garray_dtype)dtype), rows[k].ord, rows[k].kind);
            if (TEST_OK(garray_linalg_matrix_norm(x, &opts, &y)) && TEST_OK(garray_linalg_norm(x, GARRAY_ALL_AXES, &opts, &w))) {
                number *got = matrix_read(y), *again = matrix_read(w);
                TEST_EXPECT(fabs(creal(*got) / rows[k].expected - 1) <= 16 * matrix_unit(dtype), "gives %.17g, not %.17g",
                            creal(*got), rows[k].expected);
                TEST_EXPECT(*got == *again, "norm gives %g", creal(*again));
                if (TEST_OK(garray_linalg_cond(x, &opts, &c)) && rows[k].ord != 2 && rows[k].ord != -2 &&
                    TEST_OK(garray_linalg_inv(x, &inverse)) && TEST_OK(garray_linalg_matrix_norm(inverse, &opts, &w))) {
                    number *other = matrix_read(w), *cond = matrix_read(c);
                    TEST_EXPECT(fabs(creal(*cond) / creal(*got * *other) - 1) <= 8 * matrix_unit(dtype), "cond gives %g",
                                creal(*cond));
                    free(other);
                    free(cond);
                }
                free(got);
                free(again);
            }
            garray_release(x);
            garray_release(y);
            garray_release(w);
            garray_release(c);
            garray_release(inverse);
            free(values);
        }
    TEST_NO_LEAK(mark);
}

/* The condition of singular matrices is infinite, and no error. */
Test(norm, singular_condition)
{
    static const int64_t sizes[] = { 1, 2, 5, 32, 40 };
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 5; s++) {
            const int dtype = matrix_dtypes[d];
            const int64_t n = sizes[s];
            number *z = matrix_numbers(dtype, 2 * n * n, 6);
            for (int64_t i = 0; i < n; i++)         /* the second one has a row of zeros */
                z[i * n + i] += (double)n, z[n * n + i] = 0;
            char *values = matrix_store(dtype, z, 2 * n * n);
            garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(2, n, n), values), *y = NULL;
            for (int k = 0; k < 4; k++) {
                const double orders[] = { 1, INFINITY, -INFINITY, 2 };
                const garray_norm_opts opts = { .ord = garray_operand_double(orders[k]) };
                test_context("%s, n %d, ord %g", garray_dtype_name((garray_dtype)dtype), (int)n, orders[k]);
                if (TEST_OK(garray_linalg_cond(x, &opts, &y))) {
                    number *got = matrix_read(y);
                    TEST_EXPECT(isfinite(creal(got[0])), "a regular one gives %g", creal(got[0]));
                    TEST_EXPECT(creal(got[1]) > 0.01 / matrix_unit(dtype), "a singular one gives %g", creal(got[1]));
                    free(got);
                }
            }
            TEST_OK(garray_synchronize(test_device()));
            garray_release(x);
            garray_release(y);
            free(values);
            free(z);
        }
}

/* ---- ranks, pseudoinverses, least squares ---- */

/* m x n matrices of rank k, as products of two of numbers below 1. */
static number *of_rank(int dtype, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    number *left = matrix_numbers(dtype, batch * m * k, 3), *right = matrix_numbers(dtype, batch * k * n, 8),
           *z = calloc((size_t)(batch * m * n + 1), sizeof *z);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < k; l++)
                for (int64_t j = 0; j < n; j++)
                    z[(b * m + i) * n + j] += left[(b * m + i) * k + l] * right[(b * k + l) * n + j];
    free(left);
    free(right);
    return z;
}

Test(norm, rank_and_pseudoinverse)
{
    static const int64_t cases[][3] = { { 1, 1, 1 }, { 3, 5, 2 }, { 6, 4, 4 }, { 9, 9, 3 },
                                        { 40, 20, 7 }, { 33, 50, 20 }, { 4, 4, 0 } };
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            const int dtype = matrix_dtypes[d];
            const int64_t m = cases[c][0], n = cases[c][1], k = cases[c][2], batch = 3;
            number *z = of_rank(dtype, batch, m, n, k);
            char *values = matrix_store(dtype, z, batch * m * n);
            garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(batch, m, n), values), *rank = NULL, *p = NULL, *ap = NULL,
                     *apa = NULL, *pap = NULL;
            const garray_rank_opts opts = { .rtol = garray_operand_double(1e-4) };
            test_context("%s, %d x %d of rank %d", garray_dtype_name((garray_dtype)dtype), (int)m, (int)n, (int)k);
            if (TEST_OK(garray_linalg_matrix_rank(x, &opts, &rank)) && TEST_OK(garray_linalg_pinv(x, &opts, &p)) &&
                TEST_EXPECT(garray_dtype_of(rank) == GARRAY_INT64 && garray_ndim(p) == 3 && (int)garray_dtype_of(p) == dtype,
                            "dtypes or shapes are wrong")) {
                const int64_t expected[] = { k, k, k };
                TEST_EQUAL(rank, expected, 0);
                TEST_OK(garray_matmul(x, p, &ap));
                TEST_OK(garray_matmul(ap, x, &apa));
                TEST_OK(garray_matmul(p, ap, &pap));
                number *a = matrix_read(x), *q = matrix_read(p), *first = matrix_read(apa), *second = matrix_read(pap);
                const double a_size = (double)n * matrix_largest(a, batch * m * n);
                const double q_size = (double)m * matrix_largest(q, batch * m * n);
                const double most = (double)(m > n ? m : n), room = 30 * most * matrix_unit(dtype) * (1 + a_size * q_size);
                double off = 0, off2 = 0;
                for (int64_t i = 0; i < batch * m * n; i++) {
                    off = fmax(off, cabs(first[i] - a[i]));
                    off2 = fmax(off2, cabs(second[i] - q[i]));
                }
                TEST_EXPECT(off <= room * a_size, "a p a is off by %g, more than %g", off, room * a_size);
                TEST_EXPECT(off2 <= room * q_size, "p a p is off by %g, more than %g", off2, room * q_size);
                free(a);
                free(q);
                free(first);
                free(second);
            }
            garray_t *all[] = { x, rank, p, ap, apa, pap };
            for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                garray_release(all[i]);
            free(values);
            free(z);
        }
    TEST_NO_LEAK(mark);
}

Test(norm, least_squares)
{
    static const double a[] = { 0, 1, 1, 1, 2, 1, 3, 1 }, b[] = { -1, 0.2, 0.9, 2.1 };
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *s = NULL, *residuals = NULL, *rank = NULL, *values = NULL, *stack = NULL, *two = NULL;
    TEST_OK(garray_from_host(a, GARRAY_FLOAT64, GARRAY_SHAPE(4, 2), NULL, test_device(), &x));
    TEST_OK(garray_from_host(b, GARRAY_FLOAT64, GARRAY_SHAPE(4), NULL, test_device(), &y));
    /* a line through four points: y = x - 0.95 */
    if (TEST_OK(garray_linalg_lstsq(x, y, NULL, &s, &residuals, &rank, &values)) &&
        TEST_EXPECT(garray_ndim(s) == 1 && garray_size(residuals) == 1 && garray_size(values) == 2, "shapes are wrong")) {
        number *line = matrix_read(s), *rest = matrix_read(residuals);
        int64_t found;
        TEST_EXPECT(fabs(creal(line[0]) - 1) < 1e-13 && fabs(creal(line[1]) + 0.95) < 1e-13, "the line is %g, %g", creal(line[0]),
                    creal(line[1]));
        TEST_EXPECT(fabs(creal(rest[0]) - 0.05) < 1e-13, "the residual is %g", creal(rest[0]));
        TEST_EXPECT(garray_item(rank, &found) == GARRAY_OK && found == 2, "the rank is wrong");
        free(line);
        free(rest);
    }
    /* a column twice: rank 1, the smallest solution shares it out, and there are no residuals */
    TEST_OK(garray_setitem(x, GARRAY_AT(GARRAY_ELLIPSIS, 0), 1));
    if (TEST_OK(garray_linalg_lstsq(x, y, NULL, &s, &residuals, &rank, NULL))) {
        number *share = matrix_read(s);
        TEST_EXPECT(fabs(creal(share[0]) - 0.275) < 1e-13 && fabs(creal(share[1]) - 0.275) < 1e-13, "gives %g, %g",
                    creal(share[0]), creal(share[1]));
        TEST_EXPECT(garray_size(residuals) == 0, "there are residuals");
        free(share);
    }
    /* in a stack they are NaN */
    TEST_OK(garray_expand_dims(x, GARRAY_AXES(0), &stack));
    TEST_OK(garray_expand_dims(y, GARRAY_AXES(1), &two));
    if (TEST_OK(garray_linalg_lstsq(stack, two, NULL, NULL, &residuals, NULL, NULL))) {
        number *rest = matrix_read(residuals);
        TEST_EXPECT(garray_ndim(residuals) == 2 && isnan(creal(rest[0])), "the residual is %g", creal(rest[0]));
        free(rest);
    }
    TEST_STATUS(ERR_SHAPE, garray_linalg_lstsq(y, y, NULL, &s, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_lstsq(x, y, NULL, NULL, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_matrix_rank(x, GARRAY_KW(rank, .tol = GARRAY_VAL(1), .rtol = GARRAY_VAL(1)), &s));
    garray_t *all[] = { x, y, s, residuals, rank, values, stack, two };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    TEST_NO_LEAK(mark);
}

Test(norm, tensors)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *inverse = NULL, *b = NULL, *solution = NULL, *back = NULL;
    TEST_OK(garray_eye(6, 6, 1, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_add(x, x, &x));
    TEST_OK(garray_eye(6, 6, 0, GARRAY_FLOAT64, test_device(), &b));
    TEST_OK(garray_add(x, b, &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 3, 6), &x));
    TEST_OK(garray_arange(0, 6, 1, GARRAY_FLOAT64, test_device(), &b));
    TEST_OK(garray_reshape(b, GARRAY_SHAPE(2, 3), &b));
    if (TEST_OK(garray_linalg_tensorinv(x, 2, &inverse)) &&
        TEST_OK(garray_linalg_tensorsolve(x, b, GARRAY_ALL_AXES, &solution)) &&
        TEST_OK(garray_tensordot_n(inverse, b, 2, &back)) &&
        TEST_EXPECT(garray_ndim(inverse) == 3 && garray_size(solution) == 6, "shapes are wrong")) {
        number *one = matrix_read(solution), *two = matrix_read(back);
        for (int i = 0; i < 6; i++)
            TEST_EXPECT(fabs(creal(one[i] - two[i])) < 1e-12, "element %d: %g and %g", i, creal(one[i]), creal(two[i]));
        free(one);
        free(two);
    }
    TEST_STATUS(ERR_INVALID, garray_linalg_tensorinv(x, 0, &inverse));
    TEST_STATUS(ERR_SHAPE, garray_linalg_tensorinv(x, 1, &inverse));
    TEST_STATUS(ERR_SHAPE, garray_linalg_tensorsolve(b, b, GARRAY_ALL_AXES, &inverse));
    garray_t *all[] = { x, inverse, b, solution, back };
    for (size_t i = 0; i < 5; i++)
        garray_release(all[i]);
    TEST_NO_LEAK(mark);
}

/* ---- gemm ---- */

Test(norm, scaled_products)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(dtype)) {
        if (dtype < GARRAY_FLOAT16)
            continue;
        /* [[1, 2], [3, 4]] @ [[1, 0], [2, 1]] = [[5, 2], [11, 4]] */
        static const double av[] = { 1, 2, 3, 4 }, bv[] = { 1, 0, 2, 1 }, cv[] = { 1, 1, 2, 2 };
        static const double sums[] = { 9, 3, 20, 6 }, products[] = { 5, 2, 11, 4 }, scaled[] = { 3, 3, 6, 6 };
        char a[64], b[64], c[64], expected[64], plain[64], only[64];
        const size_t item = garray_dtype_size((garray_dtype)dtype);
        for (size_t i = 0; i < 4; i++) {
            test_store(dtype, a + i * item, av[i], 0);
            test_store(dtype, b + i * item, bv[i], 0);
            test_store(dtype, c + i * item, cv[i], 0);
            test_store(dtype, expected + i * item, sums[i], 0);
            test_store(dtype, plain + i * item, products[i], 0);
            test_store(dtype, only + i * item, scaled[i], 0);
        }
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            if (test_layout_repeats(layout))
                continue;
            garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(2, 2), a), *y = test_array(dtype, layout, GARRAY_SHAPE(2, 2), b);
            garray_t *z = test_array(dtype, layout, GARRAY_SHAPE(2, 2), c), *out = NULL, *empty = NULL;
            test_context("gemm of %s, %s", garray_dtype_name((garray_dtype)dtype), test_layout_name(layout));
            if (TEST_OK(garray_gemm(x, y, z, GARRAY_KW(gemm, .alpha = GARRAY_VAL(2), .beta = GARRAY_VAL(-1)), &out)))
                TEST_EQUAL(out, expected, 0);
            if (TEST_OK(garray_gemm(x, y, GARRAY_NONE, NULL, &out)))
                TEST_EQUAL(out, plain, 0);
            if (TEST_OK(garray_gemm(x, y, z, GARRAY_KW(gemm, .beta = GARRAY_VAL(0)), &out)))
                TEST_EQUAL(out, plain, 0);
            /* into the array itself, then over one of the factors */
            if (garray_is_writeable(z) &&
                TEST_OK(garray_gemm(x, y, z, GARRAY_KW(gemm, .alpha = GARRAY_VAL(2), .beta = GARRAY_VAL(-1)), garray_into(z))))
                TEST_EQUAL(z, expected, 0);
            TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0), (garray_dtype)dtype, test_device(), &empty));
            garray_t *copy = test_array(dtype, 0, GARRAY_SHAPE(2, 2), c);
            if (TEST_OK(garray_gemm(empty, GARRAY_MT(empty), copy, GARRAY_KW(gemm, .beta = GARRAY_VAL(3)), &copy)))
                TEST_EQUAL(copy, only, 0);
            if (TEST_OK(garray_gemm(x, y, GARRAY_NONE, NULL, &x)))
                TEST_EQUAL(x, plain, 0);
            garray_t *all[] = { x, y, z, out, empty, copy };
            for (size_t i = 0; i < 6; i++)
                garray_release(all[i]);
        }
    }
    TEST_NO_LEAK(mark);
}

/* Products of float32 keep 24 bits and sums of 16-bit floats more than 11, unless the caller gives that up. */
Test(norm, precision)
{
    const int64_t n = 256, k = 4096;
    garray_t *x = NULL, *y = NULL, *z = NULL;
    TEST_OK(garray_full(GARRAY_SHAPE(n, n), 1 + 0x1p-13, GARRAY_FLOAT32, test_device(), &x));
    for (int loose = 0; loose < 2; loose++) {
        const double exact = (double)n * (1 + 0x1p-13) * (1 + 0x1p-13), room = loose ? 0x1p-9 : 1e-6;
        test_context("float32, tf32 %d", loose);
        if (TEST_OK(garray_gemm(x, x, GARRAY_NONE, GARRAY_KW(gemm, .tf32 = loose), &y))) {
            number *got = matrix_read(y);
            TEST_EXPECT(fabs(creal(got[n + 1]) / exact - 1) <= room, "gives %.10g, not %.10g", creal(got[n + 1]), exact);
            free(got);
        }
    }
    if (TEST_OK(garray_matmul(x, x, &z))) {
        number *got = matrix_read(z);
        TEST_EXPECT(fabs(creal(got[n + 1]) / ((double)n * (1 + 0x1p-12)) - 1) <= 1e-6, "matmul gives %.10g", creal(got[n + 1]));
        free(got);
    }
    for (int dtype = GARRAY_FLOAT16; dtype <= GARRAY_BFLOAT16; dtype++) {
        test_context("%s", garray_dtype_name((garray_dtype)dtype));
        TEST_OK(garray_ones(GARRAY_SHAPE(64, k), (garray_dtype)dtype, test_device(), &x));
        if (TEST_OK(garray_matmul(x, GARRAY_MT(x), &y))) {
            number *got = matrix_read(y);
            TEST_EXPECT(creal(got[65]) == (double)k, "gives %g", creal(got[65]));
            free(got);
        }
        if (TEST_OK(garray_gemm(x, GARRAY_MT(x), GARRAY_NONE, GARRAY_KW(gemm, .fast_half = 1), &y))) {
            number *got = matrix_read(y);
            TEST_EXPECT(creal(got[65]) >= 256 && creal(got[65]) <= (double)k, "fast: gives %g", creal(got[65]));
            free(got);
        }
    }
    garray_release(x);
    garray_release(y);
    garray_release(z);
}

Test(norm, errors)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *v = NULL, *half = NULL, *whole = NULL, *empty = NULL, *y = NULL;
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 3), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_ones(GARRAY_SHAPE(3), GARRAY_FLOAT64, test_device(), &v));
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 2), GARRAY_FLOAT16, test_device(), &half));
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 2), GARRAY_INT32, test_device(), &whole));
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 0), GARRAY_FLOAT64, test_device(), &empty));
    TEST_STATUS(ERR_INVALID, garray_linalg_vector_norm(v, GARRAY_ALL_AXES, GARRAY_KW(norm, .kind = GARRAY_NORM_NUCLEAR), &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_matrix_norm(x, GARRAY_KW(norm, .ord = GARRAY_VAL(3)), &y));
    TEST_MESSAGE("Invalid norm order");
    TEST_STATUS(ERR_SHAPE, garray_linalg_matrix_norm(v, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_linalg_vector_norm(v, GARRAY_AXES(1), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_linalg_norm(x, GARRAY_AXES(0, -2), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_vector_norm(empty, GARRAY_ALL_AXES, GARRAY_KW(norm, .ord = GARRAY_VAL(-INFINITY)), &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_matrix_norm(half, GARRAY_KW(norm, .ord = GARRAY_VAL(2)), &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_cond(empty, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_cond(x, GARRAY_KW(norm, .ord = GARRAY_VAL(1)), &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_pinv(half, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_gemm(whole, whole, GARRAY_NONE, GARRAY_KW(gemm, .alpha = GARRAY_VAL(2)), &y));
    TEST_STATUS(ERR_SHAPE, garray_gemm(x, x, GARRAY_NONE, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_gemm(half, half, 1, NULL, &y));
    TEST_EXPECT(!y, "out was changed");
    TEST_OK(garray_gemm(whole, whole, whole, NULL, &y));
    if (TEST_OK(garray_linalg_vector_norm(empty, GARRAY_AXES(1), GARRAY_KW(norm, .ord = GARRAY_VAL(INFINITY)), &y))) {
        const double zeros[] = { 0, 0 };
        TEST_EQUAL(y, zeros, 0);
    }
    garray_t *all[] = { x, v, half, whole, empty, y };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    TEST_NO_LEAK(mark);
}
