/* SPDX-License-Identifier: BSD-3-Clause
 * Inverses, determinants, LU factors, triangular systems and solutions by factors, judged by their residuals (within 30 n
 * units); singular matrices and the item that they are; matrices without elements. */
#include <string.h>
#include "matrix.h"

static const int lengths[] = { 1, 2, 3, 4, 7, 9, 16, 17, 32, 33, 65 };
#define LENGTHS (int)(sizeof lengths / sizeof lengths[0])

/* A stack of n x n matrices in a layout; its numbers go to *z. */
static garray_t *stack(int dtype, int layout, int64_t batch, int64_t m, int64_t n, double shift, uint64_t seed, number **z)
{
    *z = matrix_numbers(dtype, batch * m * n, seed);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < (m < n ? m : n); i++)
            (*z)[(b * m + i) * n + i] += shift;
    char *values = matrix_store(dtype, *z, batch * m * n);
    number *rounded = matrix_load(dtype, values, batch * m * n);
    free(*z);
    *z = rounded;
    garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(batch, m, n), values);
    free(values);
    return x;
}

static bool skips(int64_t n, int layout)
{
    return test_layout_repeats(layout) || (n > 7 && layout % 3);
}

static double bound_of(int dtype, int64_t n, double size)
{
    return 30 * (double)n * matrix_unit(dtype) * size;
}

Test(lu, inverse)
{
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < LENGTHS; s++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
                const int dtype = matrix_dtypes[d];
                const int64_t n = lengths[s], batch = n > 32 ? 2 : layout ? 3 : 37;
                if (skips(n, layout))
                    continue;
                number *z;
                garray_t *x = stack(dtype, layout, batch, n, n, 0.5, 3, &z), *y = NULL;
                test_context("inv of %s, n %d, %s", garray_dtype_name((garray_dtype)dtype), (int)n, test_layout_name(layout));
                if (TEST_OK(garray_linalg_inv(x, &y)) && TEST_EXPECT((int)garray_dtype_of(y) == dtype, "the dtype is wrong")) {
                    number *inverse = matrix_read(y);
                    for (int64_t b = 0; b < batch; b++) {
                        const number *a = z + b * n * n, *i = inverse + b * n * n;
                        double size = (double)n * matrix_largest(a, n * n) * matrix_largest(i, n * n);
                        double error = matrix_residual(a, i, NULL, n, n, n);
                        TEST_EXPECT(error <= bound_of(dtype, n, size), "item %d: the residual is %g, more than %g", (int)b, error,
                                    bound_of(dtype, n, size));
                    }
                    free(inverse);
                }
                garray_release(x);
                garray_release(y);
                free(z);
            }
    TEST_NO_LEAK(mark);
}

/* By the factors' product: p l u, and pivots that say the same as p. */
Test(lu, factors)
{
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < LENGTHS; s++)
            for (int wide = -1; wide <= 1; wide++)
                for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
                    const int dtype = matrix_dtypes[d];
                    const int64_t batch = 3, m = lengths[s], n = wide ? m + wide * (m / 2) : m, k = m < n ? m : n;
                    if (skips(m, layout))
                        continue;
                    number *z;
                    garray_t *x = stack(dtype, layout, batch, m, n, 0, 3, &z), *p = NULL, *l = NULL, *u = NULL, *f = NULL,
                             *c = NULL, *rows = NULL, *pl = NULL, *u2 = NULL;
                    test_context("lu of %s, %d x %d, %s", garray_dtype_name((garray_dtype)dtype), (int)m, (int)n,
                                 test_layout_name(layout));
                    if (TEST_OK(garray_linalg_lu(x, NULL, &p, &l, &u)) && TEST_OK(garray_linalg_lu_factor(x, &f, &c)) &&
                        TEST_OK(garray_linalg_lu(x, GARRAY_KW(lu, .p_indices = 1), &rows, NULL, NULL)) &&
                        TEST_OK(garray_linalg_lu(x, GARRAY_KW(lu, .permute_l = 1), NULL, &pl, &u2)) &&
                        TEST_EXPECT((int)garray_dtype_of(p) == test_part(dtype) && garray_size(p) == batch * m * m &&
                                        garray_size(l) == batch * m * k && garray_size(u) == batch * k * n &&
                                        garray_size(c) == batch * k && garray_dtype_of(c) == GARRAY_INT64,
                                    "dtypes or shapes are wrong")) {
                        number *pv = matrix_read(p), *lv = matrix_read(l), *uv = matrix_read(u), *fv = matrix_read(f);
                        number *plv = matrix_read(pl), *again = matrix_read(u2);
                        char *pivots = test_read(c), *places = test_read(rows);
                        bool triangles = true, same = true, permuted = true;
                        for (int64_t b = 0; b < batch; b++) {
                            const double size = (double)k * matrix_largest(z + b * m * n, m * n);
                            const double error = matrix_residual(plv + b * m * k, uv + b * k * n, z + b * m * n, m, k, n);
                            TEST_EXPECT(error <= bound_of(dtype, k, size), "the residual is %g, more than %g", error,
                                        bound_of(dtype, k, size));
                            for (int64_t i = 0; i < m; i++)
                                for (int64_t j = 0; j < k; j++) {
                                    const number v = lv[(b * m + i) * k + j];
                                    triangles = triangles && (j < i ? v == fv[(b * m + i) * n + j] : v == (i == j));
                                }
                            for (int64_t i = 0; i < k; i++)
                                for (int64_t j = 0; j < n; j++) {
                                    const number v = uv[(b * k + i) * n + j];
                                    triangles = triangles && v == (j >= i ? fv[(b * m + i) * n + j] : 0);
                                    same = same && v == again[(b * k + i) * n + j];
                                }
                            /* the exchanges lead to the same order of rows as p, which permute_l shows */
                            int64_t order[128];
                            for (int64_t i = 0; i < m; i++)
                                order[i] = i;
                            for (int64_t i = 0; i < k; i++) {
                                int64_t at = ((const int64_t *)(const void *)pivots)[b * k + i], held = order[i];
                                permuted = permuted && at >= i && at < m;
                                at = at >= 0 && at < m ? at : 0;
                                order[i] = order[at];
                                order[at] = held;
                            }
                            for (int64_t i = 0; i < m; i++) {
                                permuted = permuted && ((const int64_t *)(const void *)places)[b * m + order[i]] == i;
                                for (int64_t j = 0; j < m; j++)
                                    permuted = permuted && pv[(b * m + order[i]) * m + j] == (i == j);
                                for (int64_t j = 0; j < k; j++)
                                    same = same && plv[(b * m + order[i]) * k + j] == lv[(b * m + i) * k + j];
                            }
                        }
                        TEST_EXPECT(triangles, "l and u are not what lu_factor has");
                        TEST_EXPECT(permuted, "pivots, p and p_indices do not agree");
                        TEST_EXPECT(same, "permute_l has other factors");
                        free(pv);
                        free(lv);
                        free(uv);
                        free(fv);
                        free(plv);
                        free(again);
                        free(pivots);
                        free(places);
                    }
                    garray_t *all[] = { x, p, l, u, f, c, rows, pl, u2 };
                    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                        garray_release(all[i]);
                    free(z);
                }
    TEST_NO_LEAK(mark);
}

/* ---- solutions: op(a) x = b with one b of each layout ---- */

enum { BY_LU, BY_TRIANGLE, BY_CHOLESKY };

static void judge(int dtype, int64_t n, int64_t nrhs, int64_t batch, const number *a, const number *b, const garray_t *x)
{
    number *s = matrix_read(x);
    for (int64_t i = 0; i < batch; i++) {
        const double size = (double)n * matrix_largest(a + i * n * n, n * n) * matrix_largest(s + i * n * nrhs, n * nrhs);
        const double error = matrix_residual(a + i * n * n, s + i * n * nrhs, b + i * n * nrhs, n, n, nrhs);
        TEST_EXPECT(error <= bound_of(dtype, n, size), "item %d: the residual is %g, more than %g", (int)i, error,
                    bound_of(dtype, n, size));
    }
    free(s);
}

static void solve_by(int how, int dtype, int64_t n, int64_t nrhs, int layout, int trans, int upper, int unit)
{
    const int64_t batch = n > 32 ? 2 : 5;
    number *z, *right, *op = malloc((size_t)(batch * n * n + 1) * sizeof *op);
    garray_t *a = stack(dtype, layout, batch, n, n, 2 + (double)n, 3, &z);
    garray_t *b = stack(dtype, layout, batch, n, nrhs, 0, 4, &right);
    garray_t *x = NULL, *f = NULL, *c = NULL;
    garray_status st = GARRAY_OK;
    for (int64_t i = 0; i < batch * n * n; i++) {
        const int64_t r = i / n % n, q = i % n, base = i - r * n - q;
        number v = trans ? z[base + q * n + r] : z[i];
        if (how == BY_TRIANGLE) {
            const bool inside = (upper != 0) != (trans > 0) ? q >= r : q <= r;
            v = unit && q == r ? 1 : inside ? v : 0;
        } else if (how == BY_CHOLESKY) {
            v = q == r ? creal(z[i]) : q > r ? z[i] : conj(z[base + q * n + r]);
        }
        op[i] = trans == 2 ? conj(v) : v;
    }
    test_context("how %d, %s, n %d, %d columns, %s, trans %d, upper %d, unit %d", how, garray_dtype_name((garray_dtype)dtype),
                 (int)n, (int)nrhs, test_layout_name(layout), trans, upper, unit);
    if (how == BY_LU) {
        st = garray_linalg_lu_factor(a, &f, &c);
        if (st == GARRAY_OK)
            st = garray_linalg_lu_solve(f, c, b, GARRAY_KW(lu_solve, .trans = trans), &x);
    } else if (how == BY_TRIANGLE) {
        st = garray_linalg_solve_triangular(a, b, GARRAY_KW(triangular, .upper = upper, .trans = trans, .unit_diagonal = unit),
                                            &x);
    } else {
        char *values = matrix_store(dtype, op, batch * n * n);
        garray_release(a);
        a = test_array(dtype, layout, GARRAY_SHAPE(batch, n, n), values);
        free(values);
        st = garray_linalg_cholesky(a, GARRAY_KW(cholesky, .upper = upper), &f);
        if (st == GARRAY_OK)
            st = garray_linalg_cho_solve(f, b, GARRAY_KW(cholesky, .upper = upper), &x);
    }
    if (TEST_OK(st) &&
        TEST_EXPECT((int)garray_dtype_of(x) == dtype && garray_size(x) == batch * n * nrhs, "dtype or shape is wrong"))
        judge(dtype, n, nrhs, batch, op, right, x);
    garray_t *all[] = { a, b, x, f, c };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    free(z);
    free(right);
    free(op);
}

Test(lu, solutions)
{
    static const int64_t columns[] = { 1, 3, 40 };
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < LENGTHS; s++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++)
                for (int k = 0; k < 3; k++) {
                    if (skips(lengths[s], layout) || (layout && k == 2))
                        continue;
                    for (int trans = 0; trans < 3; trans++) {
                        solve_by(BY_LU, matrix_dtypes[d], lengths[s], columns[k], layout, trans, 0, 0);
                        for (int upper = 0; upper < 2; upper++)
                            solve_by(BY_TRIANGLE, matrix_dtypes[d], lengths[s], columns[k], layout, trans, upper,
                                     (int)(s + trans + upper) % 2 && lengths[s] < 8);
                    }
                    for (int upper = 0; upper < 2; upper++)
                        solve_by(BY_CHOLESKY, matrix_dtypes[d], lengths[s], columns[k], layout, 0, upper, 0);
                }
    TEST_NO_LEAK(mark);
}

/* Many columns, many systems, one matrix for all of them, and a vector. */
Test(lu, systems)
{
    for (int d = 0; d < 4; d++)
        for (int64_t n = 5; n <= 40; n += 35)
            for (int64_t nrhs = 1; nrhs <= 70; nrhs += 23) {
                const int dtype = matrix_dtypes[d];
                number *z, *right;
                garray_t *a = stack(dtype, 0, 1, n, n, 3, 5, &z), *b = stack(dtype, 0, 1, n, nrhs, 0, 6, &right), *x = NULL;
                test_context("%s, n %d, %d columns", garray_dtype_name((garray_dtype)dtype), (int)n, (int)nrhs);
                if (TEST_OK(garray_linalg_solve(a, b, &x)))
                    judge(dtype, n, nrhs, 1, z, right, x);
                garray_release(a);
                garray_release(b);
                garray_release(x);
                free(z);
                free(right);
            }
}

/* ---- determinants ---- */

/* Of triangular matrices with exchanged rows the determinant is known. */
Test(lu, determinants)
{
    test_mark mark = test_memory();
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < LENGTHS; s++) {
            const int dtype = matrix_dtypes[d];
            const int64_t n = lengths[s], batch = n > 32 ? 2 : 21;
            number *z = matrix_numbers(dtype, batch * n * n, 7), *expected = malloc((size_t)batch * sizeof *expected);
            for (int64_t b = 0; b < batch; b++) {
                number *a = z + b * n * n;
                expected[b] = 1;
                for (int64_t i = 0; i < n; i++) {
                    for (int64_t j = 0; j < n; j++)        /* small ones: random triangles are all but singular */
                        a[i * n + j] *= j > i ? 1.0 / (double)n : 0;
                    a[i * n + i] = (number)(i % 3 == 1 ? 0.5 : i % 3 ? -2 : 1) * (test_is_complex(dtype) && i % 2 ? I : 1);
                    expected[b] *= a[i * n + i];
                }
                const int64_t r = b % n, q = (b + 1) % n;
                for (int64_t j = 0; j < n && r != q; j++) {
                    const number held = a[r * n + j];
                    a[r * n + j] = a[q * n + j];
                    a[q * n + j] = held;
                }
                expected[b] *= r == q ? 1 : -1;
            }
            char *values = matrix_store(dtype, z, batch * n * n);
            garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(batch, n, n), values), *det = NULL, *sign = NULL, *logs = NULL;
            test_context("det of %s, n %d", garray_dtype_name((garray_dtype)dtype), (int)n);
            if (TEST_OK(garray_linalg_det(x, &det)) && TEST_OK(garray_linalg_slogdet(x, &sign, &logs)) &&
                TEST_EXPECT((int)garray_dtype_of(det) == dtype && (int)garray_dtype_of(sign) == dtype &&
                                (int)garray_dtype_of(logs) == test_part(dtype) && garray_ndim(logs) == 1,
                            "dtypes or shapes are wrong")) {
                number *dv = matrix_read(det), *sv = matrix_read(sign), *lv = matrix_read(logs);
                for (int64_t b = 0; b < batch; b++) {
                    const double room = 1000 * (double)n * matrix_unit(dtype), size = cabs(expected[b]);
                    TEST_EXPECT(cabs(dv[b] - expected[b]) <= room * size, "item %d: det is %g%+gi", (int)b, creal(dv[b]),
                                cimag(dv[b]));
                    TEST_EXPECT(cabs(sv[b] - expected[b] / size) <= room, "item %d: the sign is %g%+gi", (int)b, creal(sv[b]),
                                cimag(sv[b]));
                    TEST_EXPECT(fabs(creal(lv[b]) - log(size)) <= room, "item %d: the logarithm is %g", (int)b, creal(lv[b]));
                }
                free(dv);
                free(sv);
                free(lv);
            }
            garray_release(x);
            garray_release(det);
            garray_release(sign);
            garray_release(logs);
            free(values);
            free(z);
            free(expected);
        }
    TEST_NO_LEAK(mark);
}

/* The product of many pivots is in range although no partial product is. */
Test(lu, extreme_determinants)
{
    for (int64_t n = 8; n <= 72; n *= 3) {
        double *values = calloc((size_t)(n * n), sizeof *values), got;
        garray_t *x = NULL, *y = NULL, *logs = NULL;
        for (int64_t i = 0; i < n; i++)
            values[i * n + i] = i < n / 2 ? 0x1p-200 : 0x1p200;
        test_context("n %d", (int)n);
        TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(n, n), NULL, test_device(), &x));
        if (TEST_OK(garray_linalg_det(x, &y)) && TEST_OK(garray_item(y, &got)))
            TEST_EXPECT(got == 1, "det is %g", got);
        if (TEST_OK(garray_linalg_slogdet(x, NULL, &logs)) && TEST_OK(garray_item(logs, &got)))
            TEST_EXPECT(fabs(got) < 1e-9, "the logarithm is %g", got);
        TEST_OK(garray_multiply(x, 2, &x));
        if (TEST_OK(garray_linalg_slogdet(x, NULL, &logs)) && TEST_OK(garray_item(logs, &got)))
            TEST_EXPECT(fabs(got - (double)n * log(2)) < 1e-9, "the logarithm is %g", got);
        garray_release(x);
        garray_release(y);
        garray_release(logs);
        free(values);
    }
}

/* ---- singular matrices ---- */

/* On a GPU the fault comes at the next wait. */
static void expect_singular(garray_status st, const char *item)
{
    if (test_on_gpu() && st == GARRAY_OK)
        st = garray_synchronize(test_device());
    if (TEST_EXPECT(st == GARRAY_ERR_SINGULAR, "gives %s", garray_status_name(st)))
        TEST_MESSAGE("Singular matrix", item);
    TEST_OK(garray_synchronize(test_device()));
}

Test(lu, singular)
{
    static const int64_t sizes[] = { 1, 2, 5, 16, 31, 34, 65 };
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 7; s++)
            for (int64_t bad = 0; bad < 3; bad++) {
                const int dtype = matrix_dtypes[d];
                const int64_t n = sizes[s], at = n / 2;
                char item[40];
                number *z = matrix_numbers(dtype, 3 * n * n, 11);
                for (int64_t b = 0; b < 3; b++)
                    for (int64_t i = 0; i < n; i++) {
                        z[(b * n + i) * n + i] += 3 + (double)n;
                        for (int64_t j = 0; b == bad && j < n; j++)
                            z[(b * n + i) * n + j] = i == at || j == at ? 0 : z[(b * n + i) * n + j];
                    }
                char *values = matrix_store(dtype, z, 3 * n * n);
                garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(3, n, n), values), *b = NULL, *y = NULL, *sign = NULL,
                         *logs = NULL, *lu = NULL, *pivots = NULL;
                TEST_OK(garray_ones(GARRAY_SHAPE(n, 2), (garray_dtype)dtype, test_device(), &b));
                test_context("%s, n %d, item %d", garray_dtype_name((garray_dtype)dtype), (int)n, (int)bad);
                snprintf(item, sizeof item, "(item %d of the batch)", (int)bad);
                expect_singular(garray_linalg_inv(x, &y), item);
                expect_singular(garray_linalg_solve(x, b, &y), item);
                expect_singular(garray_linalg_solve_triangular(x, b, NULL, &y), item);
                TEST_OK(garray_linalg_solve_triangular(x, b, GARRAY_KW(triangular, .unit_diagonal = 1), &y));
                TEST_OK(garray_linalg_lu_factor(x, &lu, &pivots));
                TEST_OK(garray_linalg_lu_solve(lu, pivots, b, NULL, &y));
                if (TEST_OK(garray_linalg_det(x, &y)) && TEST_OK(garray_linalg_slogdet(x, &sign, &logs))) {
                    number *dv = matrix_read(y), *sv = matrix_read(sign), *lv = matrix_read(logs);
                    for (int64_t i = 0; i < 3; i++) {
                        TEST_EXPECT((dv[i] == 0) == (i == bad), "det of item %d is %g", (int)i, creal(dv[i]));
                        TEST_EXPECT((sv[i] == 0) == (i == bad), "the sign of item %d is %g", (int)i, creal(sv[i]));
                        TEST_EXPECT((creal(lv[i]) == -INFINITY) == (i == bad), "the logarithm of item %d is %g", (int)i,
                                    creal(lv[i]));
                    }
                    free(dv);
                    free(sv);
                    free(lv);
                }
                TEST_OK(garray_synchronize(test_device()));
                garray_t *all[] = { x, b, y, sign, logs, lu, pivots };
                for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                    garray_release(all[i]);
                free(values);
                free(z);
            }
}

/* NaN and infinities: the calls end. */
Test(lu, not_finite, .timeout = 120)
{
    static const double special[] = { NAN, INFINITY, -INFINITY };
    static const int64_t sizes[] = { 1, 3, 16, 40 };
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 4; s++)
            for (int64_t place = 0; place < sizes[s] * sizes[s]; place += 1 + sizes[s] * sizes[s] / 7)
                for (int k = 0; k < 3; k++) {
                    const int dtype = matrix_dtypes[d];
                    const int64_t n = sizes[s];
                    number *z = matrix_numbers(dtype, n * n, 12);
                    z[place] = special[k];
                    char *values = matrix_store(dtype, z, n * n);
                    garray_t *x = test_array(dtype, 0, GARRAY_SHAPE(n, n), values), *y = NULL, *w = NULL, *p = NULL;
                    test_context("%s, n %d, %g at %d", garray_dtype_name((garray_dtype)dtype), (int)n, special[k], (int)place);
                    garray_status st = garray_linalg_inv(x, &y);
                    if (st == GARRAY_OK)
                        st = garray_synchronize(test_device());
                    TEST_EXPECT(st == GARRAY_OK || st == GARRAY_ERR_SINGULAR, "inv gives %s", garray_status_name(st));
                    TEST_OK(garray_linalg_det(x, &y));
                    TEST_OK(garray_linalg_slogdet(x, &y, &w));
                    TEST_OK(garray_linalg_lu(x, NULL, &p, &y, &w));
                    TEST_OK(garray_synchronize(test_device()));
                    garray_release(x);
                    garray_release(y);
                    garray_release(w);
                    garray_release(p);
                    free(values);
                    free(z);
                }
}

/* ---- dtypes, shapes, errors ---- */

Test(lu, dtypes_and_shapes)
{
    test_mark mark = test_memory();
    const garray_device device = test_device();
    garray_t *three = NULL, *half = NULL, *wide = NULL, *empty = NULL, *v = NULL, *y = NULL, *z = NULL, *w = NULL, *pivots = NULL;
    const double ones[] = { 1, 1, 1, 1 }, zeros[] = { 0, 0, 0, 0 }, nine[] = { 27 };
    const float part[] = { 0, 1.0f / 3, 2.0f / 3 };
    TEST_OK(garray_eye(3, 3, 0, GARRAY_INT16, device, &three));
    TEST_OK(garray_multiply(three, 3, &three));
    TEST_OK(garray_eye(3, 3, 0, GARRAY_FLOAT16, device, &half));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT64, device, &wide));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 0, 0), GARRAY_FLOAT64, device, &empty));
    TEST_OK(garray_arange(0, 3, 1, GARRAY_FLOAT32, device, &v));
    if (TEST_OK(garray_linalg_det(three, &y)) && TEST_EXPECT(garray_ndim(y) == 0, "the shape is wrong"))
        TEST_EQUAL(y, nine, 0);
    if (TEST_OK(garray_linalg_solve_triangular(three, v, NULL, &y)) && TEST_EXPECT(garray_ndim(y) == 1, "the shape is wrong"))
        TEST_EQUAL(y, part, 1);
    if (TEST_OK(garray_linalg_det(empty, &y)) && TEST_EXPECT(garray_size(y) == 4, "the shape is wrong"))
        TEST_EQUAL(y, ones, 0);
    if (TEST_OK(garray_linalg_slogdet(empty, &y, &z))) {
        TEST_EQUAL(y, ones, 0);
        TEST_EQUAL(z, zeros, 0);
    }
    TEST_OK(garray_linalg_inv(empty, &y));
    TEST_OK(garray_linalg_lu(empty, NULL, &y, &z, &w));
    TEST_OK(garray_linalg_lu_factor(wide, &y, &pivots));
    TEST_EXPECT(garray_ndim(pivots) == 1 && garray_size(pivots) == 2, "the shape of pivots is wrong");
    /* results over their own operand */
    TEST_OK(garray_astype(three, GARRAY_FLOAT64, &y));
    TEST_OK(garray_linalg_inv(y, &y));
    TEST_OK(garray_linalg_det(y, &y));
    const double small[] = { 1.0 / 27 };
    TEST_EQUAL(y, small, 2);
    TEST_OK(garray_linalg_lu_factor(three, &three, &pivots));
    garray_release(y);
    garray_release(z);
    y = z = NULL;
    TEST_STATUS(ERR_DTYPE, garray_linalg_inv(half, &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_det(half, &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_lu_factor(half, &y, &z));
    TEST_STATUS(ERR_SHAPE, garray_linalg_inv(wide, &y));
    TEST_MESSAGE("garray_linalg_inv: ", "must be square");
    TEST_STATUS(ERR_SHAPE, garray_linalg_det(v, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_lu_factor(v, &y, &z));
    TEST_STATUS(ERR_SHAPE, garray_linalg_solve_triangular(wide, v, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_solve_triangular(three, wide, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_solve_triangular(three, v, GARRAY_KW(triangular, .trans = 3), &y));
    TEST_STATUS(ERR_DTYPE, garray_linalg_lu_solve(three, v, v, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_linalg_lu_solve(empty, pivots, v, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_slogdet(three, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_slogdet(three, &y, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_lu(three, GARRAY_KW(lu, .permute_l = 1), &y, &z, NULL));
    TEST_STATUS(ERR_INVALID, garray_linalg_inv(NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_linalg_cho_solve(NULL, v, NULL, &y));
    TEST_EXPECT(!y && !z, "out was changed");
    /* a pivot that is no row */
    TEST_OK(garray_setitem(pivots, GARRAY_AT(1), 7));
    garray_status st = garray_linalg_lu_solve(three, pivots, v, NULL, &y);
    if (test_on_gpu() && st == GARRAY_OK)
        st = garray_synchronize(device);
    TEST_EXPECT(st == GARRAY_ERR_INDEX, "gives %s", garray_status_name(st));
    TEST_OK(garray_synchronize(device));
    garray_t *all[] = { three, half, wide, empty, v, y, z, w, pivots };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    TEST_NO_LEAK(mark);
}
