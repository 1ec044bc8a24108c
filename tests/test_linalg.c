/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products of every dtype and layout against plain loops within (k + 2) units, and cholesky, solve and eigh by
 * their residuals, within 30 n units. */
#include "wide.h"

static double unit_of(int dtype)
{
    int part = test_part(dtype);
    return part == GARRAY_FLOAT16 ? 0x1p-11 : part == GARRAY_BFLOAT16 ? 0x1p-8 : part == GARRAY_FLOAT32 ? 0x1p-24 : 0x1p-53;
}

/* ---- products ---- */

/* Element (batch, i, j) of an array of up to three axes, broadcast, exchanged and conjugated. */
struct matrix {
    int dtype;
    const char *values;
    int64_t batch, rows, columns;       /* as stored */
    bool transposed, conjugated;
};

static const char *at(const struct matrix *m, int64_t b, int64_t i, int64_t j)
{
    int64_t r = m->transposed ? j : i, c = m->transposed ? i : j;
    return m->values +
           (size_t)(((m->batch > 1 ? b : 0) * m->rows + r) * m->columns + c) * garray_dtype_size((garray_dtype)m->dtype);
}

static void cast_to(int run, int dtype, const char *e, double *re, double *im)
{
    char cast[16];
    test_load_complex(dtype, e, re, im);
    test_store(run, cast, *re, *im);
    test_load_complex(run, cast, re, im);
}

/* sum over k of a[b, i, k] * c[b, k, j], and whether got is that. */
static bool check_product(int run, const struct matrix *a, const struct matrix *c, int64_t b, int64_t i, int64_t j, int64_t k,
                          const char *got)
{
    uint64_t bits = 0;
    test_wide re = 0, im = 0, size = 0;
    for (int64_t l = 0; l < k; l++) {
        const char *p = at(a, b, i, l), *q = at(c, b, l, j);
        if (!test_is_inexact(run)) {
            uint64_t term = test_load_bits(a->dtype, p) * test_load_bits(c->dtype, q);
            bits = run == GARRAY_BOOL ? bits || term : bits + term;
            continue;
        }
        double x[2], y[2];
        cast_to(run, a->dtype, p, &x[0], &x[1]);
        cast_to(run, c->dtype, q, &y[0], &y[1]);
        x[1] = a->conjugated ? -x[1] : x[1];
        y[1] = c->conjugated ? -y[1] : y[1];
        re += (test_wide)x[0] * (test_wide)y[0] - (test_wide)x[1] * (test_wide)y[1];
        im += (test_wide)x[0] * (test_wide)y[1] + (test_wide)x[1] * (test_wide)y[0];
        size += (test_wide)((fabs(x[0]) + fabs(x[1])) * (fabs(y[0]) + fabs(y[1])));
    }
    if (!test_is_inexact(run))
        return memcmp(got, &bits, garray_dtype_size((garray_dtype)run)) == 0;
    /* 16-bit floats add up in float32 and are rounded once */
    double inner = test_part(run) < GARRAY_FLOAT32 ? 0x1p-24 : unit_of(run), x, y;
    test_wide slack = (test_wide)(k + 2) * (test_wide)inner * size * (test_is_complex(run) ? 2 : 1);
    test_load_complex(run, got, &x, &y);
    return test_near(test_part(run), x, re, slack) && (!test_is_complex(run) || test_near(test_part(run), y, im, slack));
}

/* A factor whose axes are (batch, rows, columns); the operand is the transpose of what is stored where it says so. */
static garray_t *factor(int dtype, int layout, int64_t batch, int64_t rows, int64_t columns, bool transposed, bool conjugated,
                        struct matrix *m)
{
    m->dtype = dtype;
    m->batch = batch;
    m->rows = transposed ? columns : rows;
    m->columns = transposed ? rows : columns;
    m->transposed = transposed;
    m->conjugated = conjugated;
    int64_t shape[3] = { batch, m->rows, m->columns }, n = (batch ? batch : 1) * rows * columns;
    char *values = malloc((size_t)n * 16 + 1);
    test_random(dtype, n, (uint64_t)(n + dtype), values);
    garray_t *x = test_array(dtype, layout, batch == 0 ? GARRAY_SHAPE(m->rows, m->columns) : GARRAY_DIMS(3, shape), values);
    m->values = values;
    return x;
}

static void product(int da, int dc, int la, int lc, int64_t batch_a, int64_t batch_c, int64_t m, int64_t k, int64_t n,
                    unsigned flags)
{
    struct matrix a, c;
    garray_t *x = factor(da, la, batch_a, m, k, flags & 1, flags & 4, &a),
             *z = factor(dc, lc, batch_c, k, n, flags & 2, flags & 8, &c);
    garray_t *y = NULL;
    garray_operand left = garray_operand_array(x), right = garray_operand_array(z);
    left.flags = (flags & 1 ? GARRAY_OPERAND_TRANSPOSE : 0) | (flags & 4 ? GARRAY_OPERAND_CONJUGATE : 0);
    right.flags = (flags & 2 ? GARRAY_OPERAND_TRANSPOSE : 0) | (flags & 8 ? GARRAY_OPERAND_CONJUGATE : 0);
    garray_dtype run;
    TEST_OK(garray_result_type(2, ((const garray_operand[]){ garray_operand_array(x), garray_operand_array(z) }), &run));
    int64_t batch = batch_a > batch_c ? batch_a : batch_c;
    test_context("%s %s (%d,%d,%d) @ %s %s (%d,%d,%d), flags %x", garray_dtype_name((garray_dtype)da), test_layout_name(la),
                 (int)batch_a, (int)m, (int)k, garray_dtype_name((garray_dtype)dc), test_layout_name(lc), (int)batch_c, (int)k,
                 (int)n, flags);
    if (TEST_OK(garray_matmul(left, right, &y))
        && TEST_EXPECT(garray_dtype_of(y) == run && garray_size(y) == (batch ? batch : 1) * m * n, "dtype or shape is wrong")) {
        char *got = test_read(y);
        bool right_so_far = true;
        for (int64_t e = 0; e < garray_size(y) && right_so_far; e++) {
            right_so_far = check_product(run, &a, &c, e / (m * n), e / n % m, e % n, k, got + (size_t)e * garray_dtype_size(run));
            TEST_EXPECT(right_so_far, "element %d is %s", (int)e, test_text(run, got + (size_t)e * garray_dtype_size(run)));
        }
        free(got);
        TEST_EXPECT(garray_is_contiguous(y), "the product is not contiguous");
        /* again, with the memory of the old result */
        garray_t *before = y;
        char *bits = test_read(y);
        if (TEST_OK(garray_matmul(left, right, &y)))
            TEST_EQUAL(y, bits, 0);
        TEST_EXPECT(y == before || garray_size(y) == 0, "the old result's memory was not used again");
        free(bits);
    }
    garray_release(x);
    garray_release(z);
    garray_release(y);
    free((void *)(uintptr_t)a.values);
    free((void *)(uintptr_t)c.values);
}

/* Batch 0 means no batch axis. */
static const int64_t sizes[][5] = {
    { 0, 0, 3, 4, 5 }, { 0, 0, 17, 33, 9 }, { 0, 0, 1, 7, 1 }, { 0, 0, 1, 1, 6 }, { 0, 0, 5, 1, 4 }, { 0, 0, 70, 65, 66 },
    { 2, 2, 3, 4, 5 }, { 3, 1, 4, 2, 3 }, { 1, 3, 2, 5, 1 }, { 3, 0, 4, 6, 2 }, { 0, 2, 2, 3, 3 },
    { 0, 0, 0, 4, 5 }, { 0, 0, 3, 0, 5 }, { 0, 0, 3, 4, 0 }, { 2, 2, 3, 0, 2 }, { 0, 0, 0, 0, 0 },
};

Test(linalg, matmul)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int64_t *z = sizes[s];
            bool large = z[2] * z[3] * z[4] > 10000;
            for (int layout = 0; layout < TEST_LAYOUTS; layout += large ? 3 : 1)
                for (unsigned flags = 0; flags < (test_is_complex(d) ? 16u : 4u); flags += large ? 5 : layout && s > 5 ? 3 : 1)
                    product(d, d, layout, (layout * 3 + (int)s) % TEST_LAYOUTS, z[0], z[1], z[2], z[3], z[4], flags);
        }
    TEST_NO_LEAK(mark);
}

/* A matrix and a vector, either first, along and across what lies together: all ways that kernels of their own have. */
Test(linalg, matrix_and_vector)
{
    static const int64_t shapes[][3] = { { 0, 3, 5 },     { 0, 70, 1037 },  { 0, 257, 64 },
                                         { 0, 7, 20011 }, { 0, 1400, 33 },  { 2, 37, 301 } };
    static const int dtypes[] = { GARRAY_FLOAT16, GARRAY_BFLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64 };
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_SLICED, TEST_PADDED };
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int way = 0; way < 3; way++) {
                int64_t batch = shapes[s][0], m = shapes[s][1], k = shapes[s][2];
                int first = layouts[way], second = layouts[(way + (int)s) % 3];
                for (unsigned turned = 0; turned < 2; turned++) {
                    product(dtypes[d], dtypes[d], first, second, batch, way % 2 ? 0 : batch, m, k, 1, turned);
                    product(dtypes[d], dtypes[d], first, second, way % 2 ? 0 : batch, batch, 1, k, m, 2 * turned);
                }
            }
}

/* Few columns and steps, or few rows and columns: what the BLAS is not asked for. */
Test(linalg, thin)
{
    static const int64_t shapes[][3] = { { 1031, 20, 33 }, { 1025, 33, 17 }, { 1027, 4, 128 }, { 1200, 3, 70 },  { 1030, 5, 2 },
                                         { 7, 16500, 4 },  { 5, 16384, 2 },  { 3, 20011, 17 }, { 2, 17000, 3 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int dtype = GARRAY_FLOAT32; dtype <= GARRAY_FLOAT64; dtype++)
            for (unsigned flags = s % 2; flags < 4; flags += 2)
                product(dtype, dtype, s % 3 ? TEST_CONTIGUOUS : TEST_PADDED, TEST_CONTIGUOUS, 0, 0, shapes[s][0], shapes[s][1],
                        shapes[s][2], flags);
}

/* 2 a @ b - c of thin factors, in whole numbers: the same in every dtype. */
Test(linalg, thin_scaled)
{
    static const int64_t shapes[][3] = { { 1030, 8, 21 }, { 9, 16500, 6 } };
    for (size_t s = 0; s < 2; s++)
        for (int dtype = GARRAY_FLOAT32; dtype <= GARRAY_FLOAT64; dtype++) {
            const int64_t m = shapes[s][0], k = shapes[s][1], n = shapes[s][2];
            garray_t *a = NULL, *b = NULL, *c = NULL, *y = NULL, *expected = NULL;
            TEST_OK(garray_arange(0, m * k, 1, GARRAY_INT64, test_device(), &a));
            TEST_OK(garray_arange(0, k * n, 1, GARRAY_INT64, test_device(), &b));
            TEST_OK(garray_arange(0, m * n, 1, GARRAY_INT64, test_device(), &c));
            TEST_OK(garray_remainder(a, 5, &a));
            TEST_OK(garray_remainder(b, 7, &b));
            TEST_OK(garray_reshape(a, GARRAY_SHAPE(m, k), &a));
            TEST_OK(garray_reshape(b, GARRAY_SHAPE(k, n), &b));
            TEST_OK(garray_reshape(c, GARRAY_SHAPE(m, n), &c));
            TEST_OK(garray_matmul(a, b, &expected));
            TEST_OK(garray_multiply(expected, 2, &expected));
            TEST_OK(garray_subtract(expected, c, &expected));
            TEST_OK(garray_astype(expected, (garray_dtype)dtype, &expected));
            TEST_OK(garray_astype(a, (garray_dtype)dtype, &a));
            TEST_OK(garray_astype(b, (garray_dtype)dtype, &b));
            TEST_OK(garray_astype(c, (garray_dtype)dtype, &c));
            char *values = test_read(expected);
            if (TEST_OK(garray_gemm(a, b, c, GARRAY_KW(gemm, .alpha = GARRAY_VAL(2), .beta = GARRAY_VAL(-1)), &y)))
                TEST_EQUAL(y, values, 0);
            free(values);
            garray_release(a);
            garray_release(b);
            garray_release(c);
            garray_release(y);
            garray_release(expected);
        }
}

/* Inner products of whole vectors of items, of a rest, and of more than one segment. */
Test(linalg, long_vectors)
{
    static const int dtypes[] = { GARRAY_BOOL, GARRAY_INT8, GARRAY_INT64, GARRAY_BFLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64,
                                  GARRAY_COMPLEX64, GARRAY_COMPLEX128 };
    static const int64_t lengths[] = { 15, 4111, 70003 };
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int i = 0; i < 3; i++)
                product(dtypes[d], dtypes[d], layout, (layout + i) % TEST_LAYOUTS, 0, 0, 1, lengths[i], 1, 0);
}

Test(linalg, matmul_promotes)
{
    for (TEST_DTYPES(d))
        for (TEST_DTYPES(e))
            if ((d <= GARRAY_UINT64) == (e <= GARRAY_UINT64) && !(d == GARRAY_UINT64 && test_is_signed(e)) &&
                !(e == GARRAY_UINT64 && test_is_signed(d)))
                product(d, e, d % TEST_LAYOUTS, e % TEST_LAYOUTS, 0, 0, 3, 5, 4, (unsigned)(d + e) % 16);
    product(GARRAY_INT8, GARRAY_FLOAT32, 0, 0, 0, 0, 3, 5, 4, 0);
    product(GARRAY_FLOAT16, GARRAY_BOOL, 0, 0, 0, 0, 3, 5, 4, 0);
}

/* Vectors lose their axis, as in NumPy. */
Test(linalg, vectors)
{
    garray_t *m = NULL, *v = NULL, *w = NULL, *y = NULL, *stack = NULL;
    const double mv[] = { 5, 14 }, vm[] = { 9, 12, 15 }, vv[] = { 5 };
    TEST_OK(garray_arange(0, 6, 1, GARRAY_FLOAT64, test_device(), &m));
    TEST_OK(garray_reshape(m, GARRAY_SHAPE(2, 3), &m));
    TEST_OK(garray_arange(0, 3, 1, GARRAY_FLOAT64, test_device(), &v));
    TEST_OK(garray_arange(0, 6, 3, GARRAY_FLOAT64, test_device(), &w));
    if (TEST_OK(garray_matmul(m, v, &y)) && TEST_EXPECT(garray_ndim(y) == 1, "the shape is wrong"))
        TEST_EQUAL(y, mv, 0);
    if (TEST_OK(garray_matmul(w, m, &y)) && TEST_EXPECT(garray_ndim(y) == 1, "the shape is wrong"))
        TEST_EQUAL(y, vm, 0);
    if (TEST_OK(garray_matmul(v, v, &y)) && TEST_EXPECT(garray_ndim(y) == 0, "the shape is wrong"))
        TEST_EQUAL(y, vv, 0);
    TEST_OK(garray_stack(GARRAY_LIST(m, m), 0, &stack));
    const double both[] = { 5, 14, 5, 14 };
    if (TEST_OK(garray_matmul(stack, v, &y)) && TEST_EXPECT(garray_ndim(y) == 2, "the shape is wrong"))
        TEST_EQUAL(y, both, 0);
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_matmul(m, m, &y));
    TEST_MESSAGE("garray_matmul: ", "(2,3)");
    TEST_STATUS(ERR_SHAPE, garray_matmul(m, w, &y));
    TEST_STATUS(ERR_INVALID, garray_matmul(m, 2.0, &y));
    garray_release(stack);
    stack = NULL;
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_FLOAT64, test_device(), &stack));
    TEST_STATUS(ERR_SHAPE, garray_matmul(stack, m, &y));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 3, 2), GARRAY_FLOAT64, test_device(), &stack));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 2, 3), GARRAY_FLOAT64, test_device(), &y));
    TEST_STATUS(ERR_SHAPE, garray_matmul(stack, y, &y));
    TEST_STATUS(ERR_SHAPE, garray_matmul(m, v, garray_into(m)));
    garray_release(m);
    garray_release(v);
    garray_release(w);
    garray_release(y);
    garray_release(stack);
}

/* What was in the result's memory before has no part in the product; x = x @ y, and into views of the operands. */
Test(linalg, matmul_results)
{
    static const int dtypes[] = { GARRAY_FLOAT16,   GARRAY_BFLOAT16,   GARRAY_FLOAT32, GARRAY_FLOAT64,
                                  GARRAY_COMPLEX64, GARRAY_COMPLEX128, GARRAY_INT16 };
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
        garray_dtype d = (garray_dtype)dtypes[k];
        garray_t *x = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(9, 9), NULL), *y = NULL, *expected = NULL, *view = NULL,
                 *wide = NULL;
        test_context("%s", garray_dtype_name(d));
        TEST_OK(garray_matmul(x, GARRAY_MT(x), &expected));
        char *bits = test_read(expected);
        if (test_is_inexact(d)) {
            TEST_OK(garray_full(GARRAY_SHAPE(9, 9), NAN, d, test_device(), &y));
            TEST_OK(garray_matmul(x, GARRAY_MT(x), &y));
            TEST_EQUAL(y, bits, 0);
            TEST_OK(garray_full(GARRAY_SHAPE(9, 20), NAN, d, test_device(), &wide));
            TEST_OK(garray_getitem(wide, GARRAY_AT(GARRAY_ALL, GARRAY_STEP(0, 18, 2)), &view));
            TEST_OK(garray_matmul(x, GARRAY_MT(x), garray_into(view)));
            TEST_EQUAL(view, bits, 0);
            garray_t *none = NULL, *left = NULL, *right = NULL;
            TEST_OK(garray_full(GARRAY_SHAPE(2, 2), NAN, d, test_device(), &none));
            TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0), d, test_device(), &left));
            TEST_OK(garray_zeros(GARRAY_SHAPE(0, 2), d, test_device(), &right));
            char zeros[64] = { 0 };
            TEST_OK(garray_matmul(left, right, &none));
            TEST_EQUAL(none, zeros, 0);
            garray_release(none);
            garray_release(left);
            garray_release(right);
        }
        garray_t *copy = NULL;
        TEST_OK(garray_copy(x, &copy));
        TEST_OK(garray_matmul(x, GARRAY_MT(x), &x));
        TEST_EQUAL(x, bits, 0);
        TEST_OK(garray_matmul(copy, GARRAY_MT(copy), garray_into(copy)));
        TEST_EQUAL(copy, bits, 0);
        free(bits);
        garray_release(copy);
        garray_release(x);
        garray_release(y);
        garray_release(expected);
        garray_release(view);
        garray_release(wide);
    }
}

/* ---- vecdot ---- */

Test(linalg, vecdot)
{
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int axis = -2; axis < 0; axis++) {
                enum { M = 6, N = 11 };
                struct matrix a = { d, NULL, 1, M, N, false, true }, c = { d, NULL, 1, M, N, false, false };
                char va[M * N * 16], vc[M * N * 16];
                test_random(d, M * N, 5, va);
                test_random(d, M * N, 6, vc);
                garray_t *x = test_array(d, layout, GARRAY_SHAPE(M, N), va),
                         *z = test_array(d, (layout + 2) % TEST_LAYOUTS, GARRAY_SHAPE(M, N), vc);
                garray_t *y = NULL, *lead = NULL;
                int lines = axis == -1 ? M : N, k = axis == -1 ? N : M;
                a.values = va;
                c.values = vc;
                test_context("%s, %s, axis %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout), axis);
                if (TEST_OK(garray_vecdot(x, z, axis, &y)) &&
                    TEST_EXPECT(garray_ndim(y) == 1 && garray_size(y) == lines && (int)garray_dtype_of(y) == d,
                                "dtype or shape is wrong")) {
                    char *got = test_read(y);
                    for (int i = 0; i < lines; i++) {
                        struct matrix row = a, column = c;
                        if (axis == -1) {
                            row.values = at(&a, 0, i, 0);
                            column.values = at(&c, 0, i, 0);
                            column.rows = N;
                            column.columns = 1;
                        } else {
                            row.transposed = true;
                            row.values = at(&a, 0, 0, i);
                            column.values = at(&c, 0, 0, i);
                        }
                        TEST_EXPECT(
                            check_product(d, &row, &column, 0, 0, 0, k, got + (size_t)i * garray_dtype_size((garray_dtype)d)),
                            "element %d is %s", i, test_text(d, got + (size_t)i * garray_dtype_size((garray_dtype)d)));
                    }
                    /* one vector for all lines */
                    if (axis == -1 && TEST_OK(garray_getitem(z, GARRAY_AT(0), &lead)) && TEST_OK(garray_vecdot(x, lead, -1, &y)))
                        TEST_EXPECT(garray_ndim(y) == 1 && garray_size(y) == M, "the broadcast shape is wrong");
                    free(got);
                }
                garray_release(x);
                garray_release(z);
                garray_release(y);
                garray_release(lead);
            }
    garray_t *x = NULL, *z = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 4), GARRAY_FLOAT32, test_device(), &z));
    TEST_STATUS(ERR_AXIS, garray_vecdot(x, x, 0, &y));
    TEST_STATUS(ERR_AXIS, garray_vecdot(x, x, -3, &y));
    TEST_STATUS(ERR_SHAPE, garray_vecdot(x, z, -1, &y));
    TEST_OK(garray_vecdot(x, x, -2, &y));
    garray_release(x);
    garray_release(z);
    garray_release(y);
}
