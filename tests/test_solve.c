/* SPDX-License-Identifier: BSD-3-Clause
 * cholesky, solve and eigh, judged by their residuals (within 30 n units) and not by their values; singular matrices,
 * which item of a stack they are, and matrices that are not finite. */
#include "matrix.h"

static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_COMPLEX128 };
static const int lengths[] = { 1, 2, 3, 7, 32, 65 };

static double unit_of(int dtype)
{
    return test_part(dtype) == GARRAY_FLOAT32 ? 0x1p-24 : 0x1p-53;
}

/* Elements as complex doubles, from malloc, and back. */
static number *load(int dtype, const char *values, int64_t n)
{
    number *z = malloc((size_t)(n + 1) * sizeof *z);
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        test_load_complex(dtype, values + (size_t)i * garray_dtype_size((garray_dtype)dtype), &re, &im);
        z[i] = re + im * I;
    }
    return z;
}

static char *store(int dtype, const number *z, int64_t n)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++)
        test_store(dtype, values + (size_t)i * item, creal(z[i]), cimag(z[i]));
    return values;
}

static number *read_numbers(const garray_t *x)
{
    char *values = test_read(x);
    number *z = load(garray_dtype_of(x), values, garray_size(x));
    free(values);
    return z;
}

/* Matrices with elements below 1; Hermitian, with the diagonal raised by `shift`, where asked. */
static number *matrices(int dtype, int64_t batch, int64_t n, bool hermitian, double shift, uint64_t seed)
{
    number *z = malloc((size_t)(batch * n * n + 1) * sizeof *z);
    for (int64_t i = 0; i < batch * n * n; i++) {
        double re = (double)(int64_t)test_random_word(&seed) * 0x1p-63, im = (double)(int64_t)test_random_word(&seed) * 0x1p-63;
        z[i] = (float)re + (test_is_complex(dtype) ? (float)im * I : 0);
    }
    for (int64_t b = 0; b < batch && hermitian; b++)
        for (int64_t i = 0; i < n; i++) {
            number *row = z + (b * n + i) * n;
            for (int64_t j = i + 1; j < n; j++)
                row[j] = conj(z[(b * n + j) * n + i]);
            row[i] = creal(row[i]) + shift;
        }
    return z;
}

static double largest(const number *z, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, isnan(creal(z[i])) || isnan(cimag(z[i])) ? INFINITY : cabs(z[i]));
    return most;
}

/* The largest element of a b - c; conj_b: b is transposed and conjugated. */
static double residual(const number *a, const number *b, bool conj_b, const number *c, int64_t n, int64_t columns)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) {
            number sum = -c[i * columns + j];
            for (int64_t k = 0; k < n; k++)
                sum += a[i * n + k] * (conj_b ? conj(b[j * n + k]) : b[k * columns + j]);
            most = fmax(most, isnan(cabs(sum)) ? INFINITY : cabs(sum));
        }
    return most;
}

/* ---- cholesky ---- */

Test(solve, cholesky)
{
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof lengths / sizeof lengths[0]; s++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++)
                for (int upper = 0; upper < 2; upper++) {
                    int dtype = dtypes[d];
                    int64_t n = lengths[s], batch = 2;
                    if (test_layout_repeats(layout) || (n > 7 && layout % 3))
                        continue;
                    number *z = matrices(dtype, batch, n, true, 2 * (double)n, 5),
                           *spoilt = malloc((size_t)(batch * n * n) * sizeof *z);
                    /* the other triangle is not read */
                    for (int64_t i = 0; i < batch * n * n; i++) {
                        int64_t row = i / n % n, column = i % n;
                        spoilt[i] = (upper ? column < row : column > row) ? (number)NAN : z[i];
                    }
                    char *values = store(dtype, spoilt, batch * n * n);
                    garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(batch, n, n), values), *y = NULL;
                    test_context("cholesky of %s, n %d, %s, upper %d", garray_dtype_name((garray_dtype)dtype), (int)n,
                                 test_layout_name(layout), upper);
                    if (TEST_OK(garray_linalg_cholesky(x, GARRAY_KW(cholesky, .upper = upper), &y)) &&
                        TEST_EXPECT((int)garray_dtype_of(y) == dtype && garray_size(y) == batch * n * n,
                                    "dtype or shape is wrong")) {
                        number *l = read_numbers(y), *turned = malloc((size_t)(n * n) * sizeof *turned);
                        for (int64_t b = 0; b < batch; b++) {
                            const number *f = l + b * n * n, *a = z + b * n * n;
                            bool clean = true;
                            for (int64_t i = 0; i < n * n; i++) {
                                clean = clean && ((upper ? i % n < i / n : i % n > i / n) ? f[i] == 0 : true);
                                turned[i % n * n + i / n] = conj(f[i]);
                            }
                            TEST_EXPECT(clean, "the other triangle is not 0");
                            double error = residual(upper ? turned : f, upper ? turned : f, true, a, n, n);
                            double bound = 30 * (double)n * unit_of(dtype) * largest(a, n * n);
                            TEST_EXPECT(error <= bound, "the residual is %g, more than %g", error, bound);
                        }
                        free(l);
                        free(turned);
                    }
                    garray_release(x);
                    garray_release(y);
                    free(z);
                    free(spoilt);
                    free(values);
                }
    TEST_NO_LEAK(mark);
}

/* ---- linear systems ---- */

static void solve_one(int dtype, int64_t n, int64_t nrhs, int64_t batch_a, int64_t batch_b, int layout)
{
    int64_t batch = batch_a > batch_b ? batch_a : batch_b, columns = nrhs ? nrhs : 1;
    number *a = matrices(dtype, batch_a ? batch_a : 1, n, false, 0, 9),
           *b = matrices(dtype, (batch_b ? batch_b : 1) * columns, n, false, 0, 4);
    int64_t count_a = (batch_a ? batch_a : 1) * n * n, count_b = (batch_b ? batch_b : 1) * n * columns;
    char *va = store(dtype, a, count_a), *vb = store(dtype, b, count_b);
    garray_t *x = test_array(dtype, layout, batch_a ? GARRAY_SHAPE(batch_a, n, n) : GARRAY_SHAPE(n, n), va);
    garray_t *z = test_array(dtype, layout,
                             nrhs == 0 ? GARRAY_SHAPE(n)
                             : batch_b ? GARRAY_SHAPE(batch_b, n, nrhs)
                                       : GARRAY_SHAPE(n, nrhs),
                             vb);
    garray_t *y = NULL;
    int64_t shape[3] = { batch, n, columns };
    test_context("solve in %s, (%d,%d,%d) x = (%d,%d,%d), %s", garray_dtype_name((garray_dtype)dtype), (int)batch_a, (int)n,
                 (int)n, (int)batch_b, (int)n, (int)nrhs, test_layout_name(layout));
    if (TEST_OK(garray_linalg_solve(x, z, &y))
        && TEST_EXPECT((int)garray_dtype_of(y) == dtype && garray_size(y) == (batch ? batch : 1) * n * columns
                           && garray_ndim(y) == (batch ? 3 : 2) - (nrhs == 0), "dtype or shape is wrong")) {
        number *got = read_numbers(y);
        for (int64_t k = 0; k < (batch ? shape[0] : 1); k++) {
            const number *m = a + (batch_a > 1 ? k : 0) * n * n, *r = b + (batch_b > 1 ? k : 0) * n * columns,
                         *s = got + k * n * columns;
            double error = residual(m, s, false, r, n, columns);
            double bound = 30 * (double)n * unit_of(dtype) * (double)n * largest(m, n * n) * largest(s, n * columns);
            TEST_EXPECT(error <= bound, "the residual of item %d is %g, more than %g", (int)k, error, bound);
        }
        free(got);
    }
    garray_release(x);
    garray_release(z);
    garray_release(y);
    free(a);
    free(b);
    free(va);
    free(vb);
}

Test(solve, systems)
{
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof lengths / sizeof lengths[0]; s++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
                int64_t n = lengths[s];
                if (test_layout_repeats(layout) || (n > 7 && layout % 3))
                    continue;
                solve_one(dtypes[d], n, 0, 0, 0, layout);
                solve_one(dtypes[d], n, 3, 0, 0, layout);
                if (n > 32)
                    continue;
                solve_one(dtypes[d], n, 2, 3, 3, layout);
                solve_one(dtypes[d], n, 1, 3, 1, layout);
                solve_one(dtypes[d], n, 2, 0, 2, layout);
                solve_one(dtypes[d], n, 0, 2, 0, layout);
            }
    TEST_NO_LEAK(mark);
}

/* ---- eigh ---- */

Test(solve, eigh)
{
    test_mark mark = test_memory();
    for (size_t d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof lengths / sizeof lengths[0]; s++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++)
                for (int upper = 0; upper < 2; upper++) {
                    int dtype = dtypes[d];
                    int64_t n = lengths[s], batch = 2;
                    if (test_layout_repeats(layout) || (n > 7 && layout % 3))
                        continue;
                    number *z = matrices(dtype, batch, n, true, 0, 3), *spoilt = malloc((size_t)(batch * n * n) * sizeof *z);
                    for (int64_t i = 0; i < batch * n * n; i++) {
                        int64_t row = i / n % n, column = i % n;
                        spoilt[i] = (upper ? column < row : column > row) ? (number)NAN : z[i];
                    }
                    char *values = store(dtype, spoilt, batch * n * n);
                    garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(batch, n, n), values), *w = NULL, *v = NULL,
                             *alone = NULL;
                    test_context("eigh of %s, n %d, %s, upper %d", garray_dtype_name((garray_dtype)dtype), (int)n,
                                 test_layout_name(layout), upper);
                    if (TEST_OK(garray_linalg_eigh(x, GARRAY_KW(eigh, .upper = upper), &w, &v)) &&
                        TEST_OK(garray_linalg_eigvalsh(x, GARRAY_KW(eigh, .upper = upper), &alone)) &&
                        TEST_EXPECT((int)garray_dtype_of(w) == test_part(dtype) && garray_size(w) == batch * n &&
                                        (int)garray_dtype_of(v) == dtype && garray_size(v) == batch * n * n,
                                    "dtype or shape is wrong")) {
                        number *values_got = read_numbers(w), *vectors = read_numbers(v), *only = read_numbers(alone);
                        number *scaled = malloc((size_t)(n * n) * sizeof *scaled), *one = calloc((size_t)(n * n), sizeof *one);
                        number *turned = malloc((size_t)(n * n) * sizeof *turned);
                        for (int64_t b = 0; b < batch; b++) {
                            const number *e = values_got + b * n, *q = vectors + b * n * n, *a = z + b * n * n;
                            double size = largest(a, n * n) * (double)n, bound = 30 * (double)n * unit_of(dtype);
                            for (int64_t i = 0; i < n * n; i++) {
                                scaled[i] = q[i] * e[i % n];
                                one[i] = i % n == i / n;
                                turned[i % n * n + i / n] = conj(q[i]);
                            }
                            TEST_EXPECT(residual(a, q, false, scaled, n, n) <= bound * size, "the residual is %g, more than %g",
                                        residual(a, q, false, scaled, n, n), bound * size);
                            for (int64_t i = 0; i < n; i++)
                                TEST_EXPECT(matrix_settled(q + i, n, n), "vector %d is not turned by the rule", (int)i);
                            TEST_EXPECT(residual(turned, q, false, one, n, n) <= bound, "the vectors are not orthonormal: %g",
                                        residual(turned, q, false, one, n, n));
                            for (int64_t i = 0; i < n; i++) {
                                TEST_EXPECT(i == 0 || creal(e[i - 1]) <= creal(e[i]), "the values are not in order");
                                TEST_EXPECT(cabs(only[b * n + i] - e[i]) <= bound * size, "eigvalsh differs by %g",
                                            cabs(only[b * n + i] - e[i]));
                            }
                        }
                        free(values_got);
                        free(vectors);
                        free(only);
                        free(scaled);
                        free(one);
                        free(turned);
                    }
                    garray_release(x);
                    garray_release(w);
                    garray_release(v);
                    garray_release(alone);
                    free(z);
                    free(spoilt);
                    free(values);
                }
    TEST_NO_LEAK(mark);
}

/* ---- empty, integers, errors ---- */

Test(solve, dtypes_and_shapes)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *eye = NULL, *half = NULL, *wide = NULL, *empty = NULL, *v = NULL, *y = NULL, *z = NULL;
    TEST_OK(garray_eye(3, 3, 0, GARRAY_INT32, device, &eye));
    TEST_OK(garray_eye(3, 3, 0, GARRAY_FLOAT16, device, &half));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT64, device, &wide));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 0, 0), GARRAY_FLOAT32, device, &empty));
    TEST_OK(garray_arange(0, 3, 1, GARRAY_FLOAT32, device, &v));
    const double expected[] = { 0, 1, 2 }, ones[] = { 1, 1, 1 };
    if (TEST_OK(garray_linalg_solve(eye, v, &y)) &&
        TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT64, "integers are not solved in float64"))
        TEST_EQUAL(y, expected, 0);
    if (TEST_OK(garray_linalg_eigvalsh(eye, NULL, &y)) && TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT64, "the dtype is wrong"))
        TEST_EQUAL(y, ones, 0);
    TEST_OK(garray_linalg_cholesky(empty, NULL, &y));
    TEST_EXPECT(garray_ndim(y) == 3 && garray_size(y) == 0, "the shape is wrong");
    TEST_OK(garray_linalg_eigh(empty, NULL, &y, &z));
    TEST_EXPECT(garray_ndim(y) == 2 && garray_ndim(z) == 3, "the shapes are wrong");
    TEST_OK(garray_linalg_eigh(eye, NULL, NULL, &z));
    garray_release(y);
    garray_release(z);
    y = z = NULL;
    TEST_STATUS(ERR_DTYPE, garray_linalg_solve(half, v, &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_cholesky(half, NULL, &y));
    TEST_MESSAGE("garray_linalg_cholesky: ", "float16");
    TEST_STATUS(ERR_DTYPE, garray_linalg_eigh(half, NULL, &y, NULL));
    TEST_STATUS(ERR_SHAPE, garray_linalg_cholesky(wide, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_cholesky(v, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_solve(wide, v, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_solve(eye, wide, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_eigh(eye, NULL, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_eigh(eye, NULL, &y, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_eigh(eye, NULL, garray_into(wide), &z));
    TEST_STATUS(ERR_INVALID, garray_linalg_cholesky(NULL, NULL, &y));
    TEST_EXPECT(!y && !z, "out was changed");
    garray_release(eye);
    garray_release(half);
    garray_release(wide);
    garray_release(empty);
    garray_release(v);
    TEST_NO_LEAK(mark);
}

/* The fault of a call that returned st: on a GPU it comes at the next wait, as an earlier one. */
static void expect_fault(garray_status st, garray_status expected, const char *item)
{
    if (test_on_gpu() && st == GARRAY_OK) {
        st = garray_synchronize(test_device());
        TEST_MESSAGE("earlier: ");
    }
    if (TEST_EXPECT(st == expected, "gives %s, not %s", garray_status_name(st), garray_status_name(expected)))
        TEST_MESSAGE(item);
    TEST_OK(garray_synchronize(test_device()));
}

Test(solve, singular)
{
    for (size_t d = 0; d < 4; d++)
        for (int64_t bad = 0; bad < 3; bad++) {
            int dtype = dtypes[d];
            char item[40];
            garray_t *x = NULL, *b = NULL, *y = NULL;
            number *z = matrices(dtype, 3, 4, true, 10, 8);
            for (int64_t i = 0; i < 4; i++)             /* its last row and column are 0 */
                z[bad * 16 + 12 + i] = z[bad * 16 + 4 * i + 3] = 0;
            char *values = store(dtype, z, 48);
            x = test_array(dtype, TEST_CONTIGUOUS, GARRAY_SHAPE(3, 4, 4), values);
            TEST_OK(garray_ones(GARRAY_SHAPE(4, 1), (garray_dtype)dtype, test_device(), &b));
            test_context("%s, item %d", garray_dtype_name((garray_dtype)dtype), (int)bad);
            snprintf(item, sizeof item, "(item %d of the batch)", (int)bad);
            expect_fault(garray_linalg_cholesky(x, NULL, &y), GARRAY_ERR_SINGULAR, item);
            expect_fault(garray_linalg_solve(x, b, &y), GARRAY_ERR_SINGULAR, item);
            garray_release(x);
            x = NULL;
            z[0] = -1;
            char *negative = store(dtype, z, 16);
            TEST_OK(garray_from_host(negative, (garray_dtype)dtype, GARRAY_SHAPE(4, 4), NULL, test_device(), &x));
            expect_fault(garray_linalg_cholesky(x, NULL, &y), GARRAY_ERR_SINGULAR, "not positive definite");
            free(negative);
            free(values);
            free(z);
            garray_release(x);
            garray_release(b);
            garray_release(y);
        }
}

/* NaN and infinities in each place: the calls end, and with the same status on both devices. */
Test(solve, not_finite, .timeout = 120)
{
    static const double special[] = { NAN, INFINITY, -INFINITY };
    for (size_t d = 0; d < 4; d++)
        for (int64_t n = 1; n <= 5; n++)
            for (int64_t place = 0; place < n * n; place++)
                for (size_t k = 0; k < 3; k++) {
                    int dtype = dtypes[d];
                    garray_t *x = NULL, *b = NULL, *y = NULL, *v = NULL;
                    number *z = matrices(dtype, 1, n, true, 2 * (double)n, 8);
                    z[place] = special[k];
                    char *values = store(dtype, z, n * n);
                    bool read = place % n <= place / n;
                    test_context("%s, n %d, %g at %d", garray_dtype_name((garray_dtype)dtype), (int)n, special[k], (int)place);
                    TEST_OK(garray_from_host(values, (garray_dtype)dtype, GARRAY_SHAPE(n, n), NULL, test_device(), &x));
                    TEST_OK(garray_ones(GARRAY_SHAPE(n, 2), (garray_dtype)dtype, test_device(), &b));
                    if (read) {
                        expect_fault(garray_linalg_cholesky(x, NULL, &y), GARRAY_ERR_SINGULAR, "");
                        expect_fault(garray_linalg_eigh(x, NULL, &y, &v), GARRAY_ERR_NOCONVERGE, "");
                        expect_fault(garray_linalg_eigvalsh(x, NULL, &y), GARRAY_ERR_NOCONVERGE, "");
                    } else {
                        TEST_OK(garray_linalg_cholesky(x, NULL, &y));
                        TEST_OK(garray_linalg_eigh(x, NULL, &y, &v));
                    }
                    /* a system may give NaN, or count as singular */
                    garray_status st = garray_linalg_solve(x, b, &y);
                    if (st == GARRAY_OK)
                        st = garray_synchronize(test_device());
                    TEST_EXPECT(st == GARRAY_OK || st == GARRAY_ERR_SINGULAR, "solve gives %s", garray_status_name(st));
                    free(z);
                    free(values);
                    garray_release(x);
                    garray_release(b);
                    garray_release(y);
                    garray_release(v);
                }
}
