/* SPDX-License-Identifier: BSD-3-Clause
 * svd, qr and eig, judged by residuals and orthogonality (30 n units), by the order of the values and by the rule of
 * signs and phases: matrices of all shapes, graded, singular, with equal values, tiny and huge. */
#include "matrix.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a < b ? b : a;
}

enum { RANDOM, GRADED, SINGULAR, EQUAL, ZERO, TINY, HUGE_, KINDS };
static const char *const kinds[] = { "random", "graded", "singular", "equal values", "zero", "tiny", "huge" };

/* A stack of m x n matrices of a kind. */
static number *stack_of(int kind, int dtype, int64_t batch, int64_t m, int64_t n)
{
    const bool wide = test_part(dtype) == GARRAY_FLOAT64;
    number *z = matrix_numbers(dtype, batch * m * n, 17 + (uint64_t)kind);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                number *x = z + (b * m + i) * n + j;
                switch (kind) {
                case GRADED: *x *= pow(wide ? 0.25 : 0.5, (double)(i + j) * 30 / (double)(m + n)); break;
                case SINGULAR:          /* of rank 2 at most, and with a row of zeros */
                    *x = i == m / 2 ? 0 : (number)(float)(sin((double)(3 * i + b)) + (double)((i + 1) * (j + 1)) / 16);
                    break;
                case EQUAL: *x = i == (j + 1) % n ? -2 : 0; break;
                case ZERO: *x = 0; break;
                case TINY: *x *= wide ? 0x1p-1000 : 0x1p-120; break;
                case HUGE_: *x *= wide ? 0x1p1000 : 0x1p120; break;
                default: break;
                }
            }
    char *values = matrix_store(dtype, z, batch * m * n);       /* as rounded */
    free(z);
    z = matrix_load(dtype, values, batch * m * n);
    free(values);
    return z;
}

static garray_t *array_of(int dtype, int layout, garray_shape shape, const number *z, int64_t count)
{
    char *values = matrix_store(dtype, z, count);
    garray_t *x = test_array(dtype, layout, shape, values);
    free(values);
    return x;
}

/* ---- singular values ---- */

static void check_svd(int dtype, const number *a, const number *u, const number *s, const number *vh, int64_t m, int64_t n,
                      int64_t columns, int64_t rows)
{
    const int64_t k = least(m, n);
    const double bound = 30 * (double)largest(m, n) * matrix_unit(dtype), size = k > 0 ? creal(s[0]) : 0;
    const double scale = size > 0 ? size : 1;
    number *us = malloc((size_t)(m * k + 1) * sizeof *us), *part = malloc((size_t)(k * n + 1) * sizeof *part);
    number *scaled = malloc((size_t)(m * n + 1) * sizeof *scaled), *right = matrix_turned(vh, rows, n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < k; j++)
            us[i * k + j] = u[i * columns + j] * (creal(s[j]) / scale);
    for (int64_t i = 0; i < k * n; i++)
        part[i] = vh[i];
    for (int64_t i = 0; i < m * n; i++)
        scaled[i] = a[i] / scale;
    const double error = matrix_residual(us, part, scaled, m, k, n);
    TEST_EXPECT(error <= bound, "the residual is %g, more than %g", error, bound);
    TEST_EXPECT(matrix_skew(u, m, columns) <= bound, "u is not unitary: %g", matrix_skew(u, m, columns));
    TEST_EXPECT(matrix_skew(right, n, rows) <= bound, "vh is not unitary: %g", matrix_skew(right, n, rows));
    for (int64_t i = 0; i < k; i++) {
        TEST_EXPECT(creal(s[i]) >= 0, "singular value %d is %g", (int)i, creal(s[i]));
        TEST_EXPECT(i == 0 || creal(s[i]) <= creal(s[i - 1]), "the singular values are not in order");
    }
    for (int64_t j = 0; j < columns; j++)
        TEST_EXPECT(matrix_settled(u + j, m, columns), "left vector %d is not turned by the rule", (int)j);
    for (int64_t i = k; i < rows; i++)
        TEST_EXPECT(matrix_settled(vh + i * n, n, 1), "row %d of vh is not turned by the rule", (int)i);
    free(us);
    free(part);
    free(scaled);
    free(right);
}

static void svd_one(int kind, int dtype, int64_t batch, int64_t m, int64_t n, bool full, int layout)
{
    const int64_t k = least(m, n), columns = full ? m : k, rows = full ? n : k;
    number *z = stack_of(kind, dtype, batch, m, n);
    garray_t *x = array_of(dtype, layout, GARRAY_SHAPE(batch, m, n), z, batch * m * n), *u = NULL, *s = NULL, *vh = NULL;
    garray_t *alone = NULL, *again = NULL;
    test_context("svd of %s, %s, %d of %d x %d, full %d, %s", kinds[kind], garray_dtype_name((garray_dtype)dtype), (int)batch,
                 (int)m, (int)n, full, test_layout_name(layout));
    if (TEST_OK(garray_linalg_svd(x, GARRAY_KW(svd, .reduced = !full), &u, &s, &vh)) &&
        TEST_OK(garray_linalg_svdvals(x, &alone)) &&
        TEST_EXPECT((int)garray_dtype_of(u) == dtype && (int)garray_dtype_of(s) == test_part(dtype) &&
                        (int)garray_dtype_of(vh) == dtype && garray_ndim(s) == 2 && garray_shape_of(u).v[1] == m &&
                        garray_shape_of(u).v[2] == columns && garray_shape_of(s).v[1] == k && garray_shape_of(vh).v[1] == rows &&
                        garray_shape_of(vh).v[2] == n, "dtype or shape is wrong")) {
        number *left = matrix_read(u), *values = matrix_read(s), *right = matrix_read(vh), *only = matrix_read(alone);
        for (int64_t b = 0; b < batch; b++) {
            const double size = k > 0 ? creal(values[b * k]) : 0;
            check_svd(dtype, z + b * m * n, left + b * m * columns, values + b * k, right + b * rows * n, m, n, columns, rows);
            for (int64_t i = 0; i < k; i++) {
                const double error = fabs(creal(only[b * k + i]) - creal(values[b * k + i]));
                TEST_EXPECT(error <= 30 * (double)largest(m, n) * matrix_unit(dtype) * size,
                            "svdvals differs by %g of %g", error, size);
            }
        }
        /* one of them alone is the same */
        if (TEST_OK(garray_linalg_svd(x, GARRAY_KW(svd, .reduced = !full), NULL, NULL, &again))) {
            number *same = matrix_read(again);
            double most = 0;
            for (int64_t i = 0; i < batch * rows * n && kind == RANDOM; i++)
                most = fmax(most, cabs(same[i] - right[i]));
            if (m >= n || !full)
                TEST_EXPECT(most <= 3000 * (double)largest(m, n) * matrix_unit(dtype), "vh alone differs by %g", most);
            free(same);
        }
        free(left);
        free(values);
        free(right);
        free(only);
    }
    garray_release(x);
    garray_release(u);
    garray_release(s);
    garray_release(vh);
    garray_release(alone);
    garray_release(again);
    free(z);
}

static const int64_t shapes[][2] = { { 1, 1 },   { 1, 5 },   { 5, 1 },   { 3, 7 },   { 7, 3 },    { 8, 8 },   { 9, 9 },
                                     { 16, 16 }, { 16, 15 }, { 17, 30 }, { 32, 32 }, { 32, 5 },   { 4, 32 },  { 33, 33 },
                                     { 65, 40 }, { 40, 65 }, { 31, 90 }, { 130, 8 }, { 130, 130 } };
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

Test(decompose, svd, .timeout = 200)
{
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (int s = 0; s < SHAPES; s++)
            for (int full = 0; full < 2; full++)
                for (int kind = 0; kind < KINDS; kind++)
                    svd_one(kind, matrix_dtypes[d], 3, shapes[s][0], shapes[s][1], full, TEST_CONTIGUOUS);
    /* alone a device may do them in another way */
    for (size_t d = 0; d < 4; d++)
        for (int s = 0; s < SHAPES; s++)
            for (int kind = 0; kind < KINDS && shapes[s][0] * shapes[s][1] > 1024 && shapes[s][1] < 130; kind++)
                svd_one(kind, matrix_dtypes[d], 1, shapes[s][0], shapes[s][1], kind % 2, TEST_CONTIGUOUS);
    TEST_NO_LEAK(mark);
}

Test(decompose, svd_layouts)
{
    for (size_t d = 0; d < 4; d++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            if (!test_layout_repeats(layout)) {
                svd_one(RANDOM, matrix_dtypes[d], 2, 4, 6, true, layout);
                svd_one(RANDOM, matrix_dtypes[d], 2, 6, 4, false, layout);
            }
}

Test(decompose, svd_large, .timeout = 200)
{
    for (size_t d = 0; d < 4; d++)
        for (int kind = 0; kind < KINDS; kind++) {
            svd_one(kind, matrix_dtypes[d], 1, 260, 200, false, TEST_CONTIGUOUS);
            svd_one(kind, matrix_dtypes[d], 1, 150, 220, true, TEST_CONTIGUOUS);
        }
    svd_one(RANDOM, GARRAY_FLOAT64, 1, 500, 500, false, TEST_CONTIGUOUS);
    svd_one(RANDOM, GARRAY_FLOAT32, 3000, 5, 4, true, TEST_CONTIGUOUS);
    svd_one(RANDOM, GARRAY_FLOAT64, 1001, 16, 16, true, TEST_CONTIGUOUS);
    svd_one(RANDOM, GARRAY_FLOAT64, 150, 41, 36, true, TEST_CONTIGUOUS);
    svd_one(GRADED, GARRAY_COMPLEX64, 20, 50, 90, false, TEST_CONTIGUOUS);
    svd_one(SINGULAR, GARRAY_COMPLEX128, 4, 120, 100, true, TEST_CONTIGUOUS);
    svd_one(RANDOM, GARRAY_FLOAT32, 2, 500, 40, true, TEST_CONTIGUOUS);
}

/* Whether the numbers are these; zeros may have any sign. */
static void expect_numbers(const garray_t *x, const double *expected, int64_t n)
{
    number *got = matrix_read(x);
    for (int64_t i = 0; i < n; i++)
        TEST_EXPECT(cabs(got[i] - expected[i]) < 1e-15, "element %d is %g, not %g", (int)i, creal(got[i]), expected[i]);
    free(got);
}

/* Signs come from the rule alone: a matrix whose factors are known. */
Test(decompose, svd_known)
{
    const double matrix[] = { 3, 0, 0, 0, -2, 0 };      /* 2 x 3 */
    const double u_expected[] = { 1, 0, 0, 1 }, s_expected[] = { 3, 2 }, vh_expected[] = { 1, 0, 0, 0, -1, 0, 0, 0, 1 };
    garray_t *x = NULL, *u = NULL, *s = NULL, *vh = NULL;
    TEST_OK(garray_from_host(matrix, GARRAY_FLOAT64, GARRAY_SHAPE(2, 3), NULL, test_device(), &x));
    TEST_OK(garray_linalg_svd(x, NULL, &u, &s, &vh));
    expect_numbers(u, u_expected, 4);
    expect_numbers(s, s_expected, 2);
    expect_numbers(vh, vh_expected, 9);
    garray_release(x);
    garray_release(u);
    garray_release(s);
    garray_release(vh);
}

/* ---- QR ---- */

static void check_qr(int dtype, const number *a, const number *q, const number *r, int64_t m, int64_t n, int64_t rows)
{
    const double size = matrix_largest(a, m * n), scale = size > 0 ? size : 1;
    const double bound = 30 * (double)largest(m, n) * matrix_unit(dtype);
    number *right = malloc((size_t)(rows * n + 1) * sizeof *right), *scaled = malloc((size_t)(m * n + 1) * sizeof *scaled);
    for (int64_t i = 0; i < rows * n; i++)
        right[i] = r[i] / scale;
    for (int64_t i = 0; i < m * n; i++)
        scaled[i] = a[i] / scale;
    const double error = matrix_residual(q, right, scaled, m, rows, n);
    TEST_EXPECT(error <= bound * sqrt((double)largest(m, n)), "the residual is %g, more than %g", error, bound);
    TEST_EXPECT(matrix_skew(q, m, rows) <= bound, "q is not unitary: %g", matrix_skew(q, m, rows));
    bool clean = true;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n && j <= i; j++)
            clean = clean && (j < i ? r[i * n + j] == 0 : creal(r[i * n + j]) >= 0 && cimag(r[i * n + j]) == 0);
    TEST_EXPECT(clean, "r is not triangular, or its diagonal is not real and positive");
    free(right);
    free(scaled);
}

static void qr_one(int kind, int dtype, int64_t batch, int64_t m, int64_t n, bool complete, int layout)
{
    const int64_t k = least(m, n), rows = complete ? m : k;
    number *z = stack_of(kind, dtype, batch, m, n);
    garray_t *x = array_of(dtype, layout, GARRAY_SHAPE(batch, m, n), z, batch * m * n), *q = NULL, *r = NULL, *alone = NULL;
    const garray_qr_opts *opts = GARRAY_KW(qr, .mode = complete ? GARRAY_QR_COMPLETE : GARRAY_QR_REDUCED);
    test_context("qr of %s, %s, %d of %d x %d, complete %d, %s", kinds[kind], garray_dtype_name((garray_dtype)dtype), (int)batch,
                 (int)m, (int)n, complete, test_layout_name(layout));
    if (TEST_OK(garray_linalg_qr(x, opts, &q, &r)) && TEST_OK(garray_linalg_qr(x, opts, NULL, &alone)) &&
        TEST_EXPECT((int)garray_dtype_of(q) == dtype && (int)garray_dtype_of(r) == dtype &&
                        garray_shape_of(q).v[1] == m && garray_shape_of(q).v[2] == rows && garray_shape_of(r).v[1] == rows &&
                        garray_shape_of(r).v[2] == n, "dtype or shape is wrong")) {
        number *left = matrix_read(q), *right = matrix_read(r), *same = matrix_read(alone);
        for (int64_t b = 0; b < batch; b++)
            check_qr(dtype, z + b * m * n, left + b * m * rows, right + b * rows * n, m, n, rows);
        double most = 0;
        for (int64_t i = 0; i < batch * rows * n; i++)
            most = fmax(most, cabs(same[i] - right[i]));
        TEST_EXPECT(most == 0, "r alone differs by %g", most);
        free(left);
        free(right);
        free(same);
    }
    garray_release(x);
    garray_release(q);
    garray_release(r);
    garray_release(alone);
    free(z);
}

Test(decompose, qr, .timeout = 200)
{
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (int s = 0; s < SHAPES; s++)
            for (int complete = 0; complete < 2; complete++)
                for (int kind = 0; kind < KINDS; kind++)        /* a device may do stacks in another way */
                    for (int64_t batch = shapes[s][0] * shapes[s][1] > 1024 ? 1 : 3; batch <= 3; batch += 2)
                        qr_one(kind, matrix_dtypes[d], batch, shapes[s][0], shapes[s][1], complete, TEST_CONTIGUOUS);
    for (size_t d = 0; d < 4; d++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            if (!test_layout_repeats(layout))
                qr_one(RANDOM, matrix_dtypes[d], 2, 6, 4, false, layout);
    qr_one(RANDOM, GARRAY_FLOAT64, 1, 300, 250, false, TEST_CONTIGUOUS);
    qr_one(RANDOM, GARRAY_FLOAT64, 1001, 16, 16, false, TEST_CONTIGUOUS);
    qr_one(RANDOM, GARRAY_COMPLEX64, 150, 41, 36, false, TEST_CONTIGUOUS);
    qr_one(GRADED, GARRAY_COMPLEX128, 8, 200, 150, true, TEST_CONTIGUOUS);
    qr_one(RANDOM, GARRAY_FLOAT64, 2, 700, 20, false, TEST_CONTIGUOUS);
    TEST_NO_LEAK(mark);
}

/* Raw factors of a matrix z: Q is the product of 1 - tau v v^H. */
static void check_raw(int dtype, const number *z, const number *f, const number *t, int64_t m, int64_t n)
{
    number *product = calloc((size_t)(m * n), sizeof *product);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j && i < m; i++)
            product[i * n + j] = f[j * m + i];
    for (int64_t l = least(m, n) - 1; l >= 0; l--)      /* product = (1 - tau v v^H) product */
        for (int64_t j = 0; j < n; j++) {
            number dot = product[l * n + j];
            for (int64_t i = l + 1; i < m; i++)
                dot += conj(f[l * m + i]) * product[i * n + j];
            dot *= t[l];
            product[l * n + j] -= dot;
            for (int64_t i = l + 1; i < m; i++)
                product[i * n + j] -= f[l * m + i] * dot;
        }
    double most = 0;
    for (int64_t i = 0; i < m * n; i++)
        most = fmax(most, cabs(product[i] - z[i]));
    TEST_EXPECT(most <= 30 * (double)largest(m, n) * matrix_unit(dtype), "the residual is %g", most);
    free(product);
}

static void raw_one(int dtype, int64_t batch, int64_t m, int64_t n)
{
    const int64_t k = least(m, n);
    number *z = stack_of(RANDOM, dtype, batch, m, n);
    garray_t *x = array_of(dtype, TEST_CONTIGUOUS, GARRAY_SHAPE(batch, m, n), z, batch * m * n), *h = NULL, *tau = NULL;
    test_context("raw qr, %s, %d of %d x %d", garray_dtype_name((garray_dtype)dtype), (int)batch, (int)m, (int)n);
    if (TEST_OK(garray_linalg_qr(x, GARRAY_KW(qr, .mode = GARRAY_QR_RAW), &h, &tau)) &&
        TEST_EXPECT(garray_shape_of(h).v[1] == n && garray_shape_of(h).v[2] == m && garray_size(tau) == batch * k,
                    "a shape is wrong")) {
        number *f = matrix_read(h), *t = matrix_read(tau);
        for (int64_t b = 0; b < batch; b++)
            check_raw(dtype, z + b * m * n, f + b * m * n, t + b * k, m, n);
        free(f);
        free(t);
    }
    garray_release(x);
    garray_release(h);
    garray_release(tau);
    free(z);
}

Test(decompose, qr_raw)
{
    for (size_t d = 0; d < 4; d++)
        for (int s = 0; s < SHAPES; s++)
            for (int64_t batch = 1; batch <= 3; batch += 2)
                raw_one(matrix_dtypes[d], batch, shapes[s][0], shapes[s][1]);
}

/* ---- eigenvalues ---- */

static void eig_one(int kind, int dtype, int64_t batch, int64_t n, int layout)
{
    const int result = test_part(dtype) == GARRAY_FLOAT32 ? GARRAY_COMPLEX64 : GARRAY_COMPLEX128;
    number *z = stack_of(kind, dtype, batch, n, n);
    garray_t *x = array_of(dtype, layout, GARRAY_SHAPE(batch, n, n), z, batch * n * n), *w = NULL, *v = NULL, *alone = NULL;
    test_context("eig of %s, %s, %d of %d, %s", kinds[kind], garray_dtype_name((garray_dtype)dtype), (int)batch, (int)n,
                 test_layout_name(layout));
    if (TEST_OK(garray_linalg_eig(x, &w, &v)) && TEST_OK(garray_linalg_eigvals(x, &alone)) &&
        TEST_EXPECT((int)garray_dtype_of(w) == result && (int)garray_dtype_of(v) == result && garray_size(w) == batch * n &&
                        garray_size(v) == batch * n * n && garray_size(alone) == batch * n, "dtype or shape is wrong")) {
        number *values = matrix_read(w), *vectors = matrix_read(v), *only = matrix_read(alone);
        number *scaled = malloc((size_t)(n * n) * sizeof *scaled), *a = malloc((size_t)(n * n) * sizeof *a);
        for (int64_t b = 0; b < batch; b++) {
            const number *e = values + b * n, *q = vectors + b * n * n;
            const double most = matrix_largest(z + b * n * n, n * n), size = most > 0 ? most : 1;
            const double bound = 30 * (double)n * matrix_unit(dtype);
            for (int64_t i = 0; i < n * n; i++) {
                scaled[i] = q[i] * (e[i % n] / size);
                a[i] = z[b * n * n + i] / size;
            }
            const double error = matrix_residual(a, q, scaled, n, n, n);
            TEST_EXPECT(error <= bound * (double)n, "the residual is %g, more than %g", error, bound * (double)n);
            number sum = 0, trace = 0;
            for (int64_t i = 0; i < n; i++) {
                double length = 0;
                for (int64_t k = 0; k < n; k++)
                    length += creal(q[k * n + i]) * creal(q[k * n + i]) + cimag(q[k * n + i]) * cimag(q[k * n + i]);
                TEST_EXPECT(fabs(length - 1) <= bound, "vector %d has length %g", (int)i, sqrt(length));
                TEST_EXPECT(matrix_settled(q + i, n, n), "vector %d is not turned by the rule", (int)i);
                TEST_EXPECT(i == 0 || creal(e[i - 1]) < creal(e[i]) ||
                                (creal(e[i - 1]) == creal(e[i]) && cimag(e[i - 1]) <= cimag(e[i])),
                            "the values are not in order");
                sum += only[b * n + i] / size;
                trace += a[i * n + i];
            }
            TEST_EXPECT(cabs(sum - trace) <= bound * (double)n, "eigvals add up to the trace but for %g", cabs(sum - trace));
        }
        free(values);
        free(vectors);
        free(only);
        free(scaled);
        free(a);
    }
    garray_release(x);
    garray_release(w);
    garray_release(v);
    garray_release(alone);
    free(z);
}

Test(decompose, eig, .timeout = 200)
{
    static const int64_t lengths[] = { 1, 2, 3, 7, 16, 33, 70 };
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (int kind = 0; kind < KINDS; kind++)
                eig_one(kind, matrix_dtypes[d], 2, lengths[l], TEST_CONTIGUOUS);
    for (size_t d = 0; d < 4; d++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            if (!test_layout_repeats(layout))
                eig_one(RANDOM, matrix_dtypes[d], 2, 4, layout);
    TEST_NO_LEAK(mark);
}

/* A rotation by a right angle, whose values and vectors are known: pairs in their order. */
Test(decompose, eig_known)
{
    const double matrix[] = { 0, -1, 1, 0 };
    garray_t *x = NULL, *w = NULL, *v = NULL;
    TEST_OK(garray_from_host(matrix, GARRAY_FLOAT64, GARRAY_SHAPE(2, 2), NULL, test_device(), &x));
    if (TEST_OK(garray_linalg_eig(x, &w, &v))) {
        number *values = matrix_read(w), *vectors = matrix_read(v);
        const double root = sqrt(0.5);
        const number expected[] = { root, root, root * I, -root * I };
        TEST_EXPECT(cabs(values[0] + I) < 1e-15 && cabs(values[1] - I) < 1e-15, "the values are wrong");
        for (int i = 0; i < 4; i++)
            TEST_EXPECT(cabs(vectors[i] - expected[i]) < 1e-15, "component %d is %g%+gi", i, creal(vectors[i]),
                        cimag(vectors[i]));
        free(values);
        free(vectors);
    }
    garray_release(x);
    garray_release(w);
    garray_release(v);
}

/* ---- empty, integers, errors ---- */

Test(decompose, dtypes_and_shapes)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *eye = NULL, *half = NULL, *empty = NULL, *none = NULL, *v = NULL, *u = NULL, *s = NULL, *vh = NULL;
    const double ones[] = { 1, 1, 1 }, identity[] = { 1, 0, 0, 1 };
    TEST_OK(garray_eye(3, 3, 0, GARRAY_INT32, device, &eye));
    TEST_OK(garray_eye(3, 3, 0, GARRAY_BFLOAT16, device, &half));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0), GARRAY_FLOAT64, device, &empty));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 2, 3), GARRAY_FLOAT32, device, &none));
    TEST_OK(garray_arange(0, 3, 1, GARRAY_FLOAT32, device, &v));
    if (TEST_OK(garray_linalg_svdvals(eye, &s)))
        TEST_EQUAL(s, ones, 0);
    /* x itself may be a result */
    TEST_OK(garray_copy(eye, &u));
    TEST_OK(garray_linalg_svd(u, NULL, &u, &s, &vh));
    TEST_EXPECT(garray_dtype_of(u) == GARRAY_FLOAT64, "integers do not become float64");
    if (TEST_OK(garray_linalg_svd(empty, NULL, &u, &s, &vh)) &&
        TEST_EXPECT(garray_size(s) == 0 && garray_size(vh) == 0 && garray_size(u) == 4, "the shapes are wrong"))
        TEST_EQUAL(u, identity, 0);
    TEST_OK(garray_linalg_svd(empty, GARRAY_KW(svd, .reduced = 1), &u, &s, &vh));
    TEST_EXPECT(garray_shape_of(u).v[0] == 2 && garray_shape_of(u).v[1] == 0 && garray_shape_of(vh).v[0] == 0,
                "the shapes are wrong");
    TEST_OK(garray_linalg_svd(none, NULL, &u, &s, &vh));
    TEST_EXPECT(garray_shape_of(u).v[1] == 2 && garray_shape_of(s).v[1] == 2 && garray_shape_of(vh).v[2] == 3,
                "the shapes are wrong");
    if (TEST_OK(garray_linalg_qr(empty, GARRAY_KW(qr, .mode = GARRAY_QR_COMPLETE), &u, &s)) &&
        TEST_EXPECT(garray_shape_of(s).v[0] == 2 && garray_shape_of(s).v[1] == 0, "the shapes are wrong"))
        TEST_EQUAL(u, identity, 0);
    TEST_OK(garray_linalg_qr(none, NULL, &u, &s));
    TEST_EXPECT(garray_shape_of(u).v[2] == 2 && garray_shape_of(s).v[2] == 3, "the shapes are wrong");
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0, 0), GARRAY_FLOAT32, device, &u));
    TEST_OK(garray_linalg_eig(u, &u, &s));
    TEST_EXPECT(garray_dtype_of(u) == GARRAY_COMPLEX64 && garray_ndim(u) == 2 && garray_ndim(s) == 3, "the result is wrong");
    garray_release(u);
    garray_release(s);
    garray_release(vh);
    u = s = vh = NULL;
    TEST_STATUS(ERR_DTYPE, garray_linalg_svd(half, NULL, &u, &s, &vh));
    TEST_MESSAGE("garray_linalg_svd: ", "bfloat16");
    TEST_STATUS(ERR_SHAPE, garray_linalg_svd(v, NULL, &u, &s, &vh));
    TEST_STATUS(ERR_SHAPE, garray_linalg_svdvals(v, &s));
    TEST_STATUS(ERR_SHAPE, garray_linalg_qr(v, NULL, &u, &s));
    TEST_STATUS(ERR_SHAPE, garray_linalg_eig(empty, &u, &s));
    TEST_MESSAGE("garray_linalg_eig: ", "square", "(2,0)");
    TEST_STATUS(ERR_DTYPE, garray_linalg_eigvals(half, &u));
    TEST_STATUS(ERR_INVALID, garray_linalg_qr(eye, GARRAY_KW(qr, .mode = (garray_qr_mode)4), &u, &s));
    TEST_STATUS(ERR_INVALID, garray_linalg_svd(NULL, NULL, &u, &s, &vh));
    TEST_STATUS(ERR_INVALID, garray_linalg_svd(eye, NULL, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_svd(eye, NULL, &u, &s, &u));
    TEST_EXPECT(!u && !s && !vh, "a result was changed");
    garray_release(eye);
    garray_release(half);
    garray_release(empty);
    garray_release(none);
    garray_release(v);
    TEST_NO_LEAK(mark);
}

/* The fault of a call that returned st: on a GPU it comes at the next wait, as an earlier one. */
static void expect_fault(garray_status st, const char *item)
{
    if (test_on_gpu() && st == GARRAY_OK)
        st = garray_synchronize(test_device());
    if (TEST_EXPECT(st == GARRAY_ERR_NOCONVERGE, "gives %s", garray_status_name(st)))
        TEST_MESSAGE(item);
    TEST_OK(garray_synchronize(test_device()));
}

/* An infinity or a NaN in one item of a stack: the call ends, and says which. */
Test(decompose, not_finite, .timeout = 120)
{
    static const double special[] = { NAN, INFINITY, -INFINITY };
    static const int64_t sizes[] = { 1, 3, 20, 40 };
    for (size_t d = 0; d < 4; d++)
        for (size_t l = 0; l < 4; l++)
            for (size_t k = 0; k < 3; k++) {
                const int dtype = matrix_dtypes[d];
                const int64_t n = sizes[l], place = (int64_t)(test_random_word(&(uint64_t){ d + l + k }) % (uint64_t)(n * n));
                garray_t *x = NULL, *a = NULL, *b = NULL, *c = NULL;
                number *z = matrix_numbers(dtype, 2 * n * n, 5);
                z[n * n + place] = special[k];
                x = array_of(dtype, TEST_CONTIGUOUS, GARRAY_SHAPE(2, n, n), z, 2 * n * n);
                test_context("%s, n %d, %g at %d", garray_dtype_name((garray_dtype)dtype), (int)n, special[k], (int)place);
                expect_fault(garray_linalg_svd(x, NULL, &a, &b, &c), "SVD did not converge (item 1 of the batch)");
                expect_fault(garray_linalg_svdvals(x, &b), "SVD did not converge (item 1 of the batch)");
                expect_fault(garray_linalg_eig(x, &b, &a), "Eigenvalues did not converge (item 1 of the batch)");
                TEST_OK(garray_linalg_qr(x, NULL, &a, &b));
                garray_release(x);
                garray_release(a);
                garray_release(b);
                garray_release(c);
                free(z);
            }
}
