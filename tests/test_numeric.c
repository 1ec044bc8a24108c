/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of numeric.h and those with two results, against NumPy's values in every layout; what they say of whole
 * arrays, into which variables they write, and errors. */
#include "operations.h"

enum { ISCLOSE = 1, ANGLE, NAN_TO_NUM, UNWRAP, LOGSUMEXP, SOFTMAX, PACK, UNPACK, DIVMOD, FREXP, MODF, LDEXP };
static const char *const names[] = { "", "isclose", "angle", "nan_to_num", "unwrap", "logsumexp", "softmax", "packbits",
                                     "unpackbits", "divmod", "frexp", "modf", "ldexp" };

/* A case on matrices, along an axis where it has one. */
static garray_status call(int function, const garray_t *x, const garray_t *y, int axis, const test_block *given, int flag,
                          garray_t **first, garray_t **second)
{
    const double *p = given ? given->data : NULL;
    const int n = given ? given->n : 0;
    garray_close_opts close = { .equal_nan = flag };
    garray_nan_to_num_opts repair = { .nan = GARRAY_NONE };
    garray_unwrap_opts turn = { .discont = GARRAY_NONE };
    garray_bits_opts bits = { .little = flag };
    switch (function) {
    case ISCLOSE:
        if (p[0] != 1e-5)       /* that and 1e-8 are the defaults */
            close.rtol = GARRAY_VAL(p[0]), close.atol = GARRAY_VAL(p[1]);
        return garray_isclose(x, y, &close, first);
    case ANGLE: return garray_angle(x, flag, first);
    case NAN_TO_NUM:
        if (n)
            repair.nan = GARRAY_VAL(p[0]), repair.posinf = GARRAY_VAL(p[1]), repair.neginf = GARRAY_VAL(p[2]);
        return garray_nan_to_num(x, n ? &repair : NULL, first);
    case UNWRAP:
        turn.period = flag & 1 ? garray_operand_int((int64_t)p[0]) : garray_operand_double(p[0]);
        if (flag & 2)
            turn.discont = flag & 1 ? garray_operand_int((int64_t)p[1]) : garray_operand_double(p[1]);
        return garray_unwrap(x, axis, &turn, first);
    case LOGSUMEXP: return garray_logsumexp(x, GARRAY_AXES(axis), NULL, first);
    case SOFTMAX: return garray_softmax(x, GARRAY_AXES(axis), first);
    case PACK: return garray_packbits(x, GARRAY_AXES(axis), &bits, first);
    case UNPACK:
        if (n)
            bits.count = garray_operand_int((int64_t)p[0]);
        return garray_unpackbits(x, GARRAY_AXES(axis), &bits, first);
    case DIVMOD: return garray_divmod(x, y, first, second);
    case FREXP: return garray_frexp(x, first, second);
    case MODF: return garray_modf(x, first, second);
    default: return garray_ldexp(x, y, first);
    }
}

static void compare(const garray_t *y, const test_block *expected, double ulps)
{
    if (TEST_EXPECT((int)garray_dtype_of(y) == expected->dtype, "the result is %s, not %s",
                    garray_dtype_name(garray_dtype_of(y)), garray_dtype_name((garray_dtype)expected->dtype)) &&
        TEST_EXPECT(garray_size(y) == expected->n, "the result has another size"))
        TEST_EQUAL(y, expected->data, ulps);
}

static garray_t *open_operand(const test_block *block, int columns, int layout)
{
    size_t bytes = (size_t)block->n * garray_dtype_size((garray_dtype)block->dtype);
    void *values = malloc(bytes);
    memcpy(values, block->data, bytes);
    garray_t *x = test_array(block->dtype, layout, GARRAY_SHAPE(block->n / columns, columns), values);
    free(values);
    return x;
}

/* Rows, and the same turned so that they are columns, which are not contiguous. */
Test(numeric, against_numpy)
{
    const test_golden *golden = test_golden_open("numeric");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
        const test_block *in[2] = { &golden->block[row[2]], row[3] < 0 ? NULL : &golden->block[row[3]] };
        const test_block *out[2] = { &golden->block[row[4]], row[5] < 0 ? NULL : &golden->block[row[5]] };
        const test_block *given = row[6] < 0 ? NULL : &golden->block[row[6]];
        const double ulps = row[8] / 100.0;
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            garray_t *x[2] = { NULL, NULL }, *y[2] = { NULL, NULL }, *turned[2] = { NULL, NULL };
            if (test_layout_repeats(layout))
                continue;
            test_context("case %d: %s of %s, %s", i, names[row[0]], garray_dtype_name((garray_dtype)in[0]->dtype),
                         test_layout_name(layout));
            for (int k = 0; k < 2 && in[k]; k++)
                x[k] = open_operand(in[k], row[1], layout);
            if (TEST_OK(call(row[0], x[0], x[1], 1, given, row[7], &y[0], &y[1])))
                for (int k = 0; k < 2 && out[k]; k++)
                    compare(y[k], out[k], ulps);
            for (int k = 0; k < 2 && in[k]; k++)
                TEST_OK(garray_matrix_transpose(x[k], &turned[k]));
            if (TEST_OK(call(row[0], turned[0], turned[1], 0, given, row[7], &y[0], &y[1])))
                for (int k = 0; k < 2 && out[k]; k++) {
                    if (garray_ndim(y[k]) == 2)
                        TEST_OK(garray_matrix_transpose(y[k], &y[k]));
                    compare(y[k], out[k], ulps);
                }
            garray_t *all[] = { x[0], x[1], y[0], y[1], turned[0], turned[1] };
            for (int k = 0; k < 6; k++)
                garray_release(all[k]);
        }
    }
    TEST_NO_LEAK(mark);
}

/* ---- whole arrays ---- */

static garray_t *numbers(const char *dtype, int n, const double *values)
{
    garray_t *wide = NULL, *x = NULL;
    garray_dtype d = GARRAY_FLOAT64;
    TEST_OK(garray_dtype_from_name(dtype, &d));
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(n), NULL, test_device(), &wide));
    TEST_OK(garray_astype(wide, d, &x));
    garray_release(wide);
    return x;
}

Test(numeric, whole_arrays)
{
    const double a[] = { 1, 2, 3, NAN }, b[] = { 1, 2, 3.00000001, NAN };
    garray_t *x = numbers("float64", 4, a), *y = numbers("float64", 4, b), *i = numbers("int64", 3, a), *part = NULL, *m = NULL;
    garray_close_opts nan = { .equal_nan = 1 }, tight = { .rtol = GARRAY_VAL(0), .atol = GARRAY_VAL(1e-12), .equal_nan = 1 };
    bool result = false;
    test_mark mark = test_memory();
    TEST_OK(garray_allclose(x, y, NULL, &result));
    TEST_EXPECT(!result, "NaN is close to NaN");
    TEST_OK(garray_allclose(x, y, &nan, &result));
    TEST_EXPECT(result, "not close");
    TEST_OK(garray_allclose(x, y, &tight, &result));
    TEST_EXPECT(!result, "close within 1e-12");
    TEST_OK(garray_array_equal(x, x, false, &result));
    TEST_EXPECT(!result, "NaN equals NaN");
    TEST_OK(garray_array_equal(x, x, true, &result));
    TEST_EXPECT(result, "an array does not equal itself");
    TEST_OK(garray_array_equal(x, y, true, &result));
    TEST_EXPECT(!result, "different arrays are equal");
    TEST_OK(garray_array_equal(x, i, true, &result));
    TEST_EXPECT(!result, "different shapes are equal");
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_TO(3)), &part));
    TEST_OK(garray_array_equal(part, i, true, &result));
    TEST_EXPECT(result, "float64 and int64 are not equal");
    TEST_OK(garray_allclose(i, part, NULL, &result));
    TEST_EXPECT(result, "int64 is not close to float64");
    TEST_OK(garray_reshape(i, GARRAY_SHAPE(3, 1), &m));
    TEST_OK(garray_array_equiv(m, i, &result));
    TEST_EXPECT(!result, "a column is equivalent to a row");
    TEST_OK(garray_array_equiv(x, i, &result));
    TEST_EXPECT(!result, "shapes that do not broadcast are equivalent");
    TEST_OK(garray_full(GARRAY_SHAPE(2, 3), 7, GARRAY_INT16, test_device(), &m));
    TEST_OK(garray_array_equiv(m, 7, &result));
    TEST_EXPECT(result, "7 is not equivalent to sevens");
    TEST_OK(garray_array_equal(m, 7, false, &result));
    TEST_EXPECT(!result, "a number has the shape of a matrix");
    TEST_OK(garray_isclose(m, 7.00001, NULL, &m));
    TEST_EXPECT(garray_dtype_of(m) == GARRAY_BOOL, "m is not bool");
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 3), GARRAY_FLOAT32, test_device(), &m));
    TEST_OK(garray_allclose(m, 1, NULL, &result));
    TEST_EXPECT(result, "nothing is not close");
    /* int64 beyond 2^53 */
    const int64_t large[] = { INT64_C(9007199254740993) }, next[] = { INT64_C(9007199254740992) };
    TEST_OK(garray_from_host(large, GARRAY_INT64, GARRAY_SHAPE(1), NULL, test_device(), &part));
    TEST_OK(garray_from_host(next, GARRAY_INT64, GARRAY_SHAPE(1), NULL, test_device(), &m));
    TEST_OK(garray_array_equal(part, m, true, &result));
    TEST_EXPECT(!result, "large integers are compared as floats");
    garray_release(part);
    garray_release(m);
    TEST_NO_LEAK(mark);
    result = true;
    TEST_STATUS(ERR_INVALID, garray_array_equal(1, 2, false, &result));
    TEST_STATUS(ERR_INVALID, garray_array_equal(x, i, false, NULL));
    TEST_STATUS(ERR_SHAPE, garray_allclose(x, i, NULL, &result));
    TEST_MESSAGE("garray_allclose", "(4,)", "(3,)");
    TEST_EXPECT(result, "a failed call wrote");
    nan.rtol = GARRAY_COMPLEX(1, 1);
    TEST_STATUS(ERR_DTYPE, garray_allclose(x, y, &nan, &result));
    garray_release(x);
    garray_release(y);
    garray_release(i);
}

/* Tolerances that are arrays. */
Test(numeric, tolerances)
{
    const double a[] = { 1, 2, 3 }, t[] = { 0.25, 0.5, 4 };
    const bool expected[] = { false, false, true };
    garray_t *x = numbers("float32", 3, a), *tol = numbers("float32", 3, t), *close = NULL;
    garray_close_opts opts = { .rtol = GARRAY_VAL(0), .atol = garray_operand_array(tol) };
    TEST_OK(garray_isclose(x, 0, &opts, &close));
    TEST_EQUAL(close, expected, 0);
    garray_release(x);
    garray_release(tol);
    garray_release(close);
}

Test(numeric, real_if_close)
{
    const double parts[][2] = { { 1, 1e-14 }, { 2, -1e-14 }, { 3, 0 } };
    garray_t *z = NULL, *y = NULL;
    garray_real_if_close_opts strict = { .tol = GARRAY_VAL(10) }, absolute = { .tol = GARRAY_VAL(1e-3) };
    TEST_OK(garray_from_host(parts, GARRAY_COMPLEX128, GARRAY_SHAPE(3), NULL, test_device(), &z));
    TEST_OK(garray_real_if_close(z, NULL, &y));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT64, "1e-14 is not below 100 epsilons");
    TEST_EQUAL(y, ((double[]){ 1, 2, 3 }), 0);
    TEST_OK(garray_real_if_close(z, &strict, &y));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_COMPLEX128, "1e-14 is below 10 epsilons");
    TEST_EQUAL(y, parts, 0);
    TEST_OK(garray_real_if_close(z, &absolute, &z));
    TEST_EXPECT(garray_dtype_of(z) == GARRAY_FLOAT64, "1e-14 is not below 1e-3");
    TEST_OK(garray_real_if_close(z, NULL, &y));
    TEST_EQUAL(y, ((double[]){ 1, 2, 3 }), 0);
    garray_release(z);
    garray_release(y);
}

/* ---- results ---- */

/* Results may be operands; one may be missing; into() takes what casts; a failed call leaves both. */
Test(numeric, two_results)
{
    const double a[] = { 7, -7, 5.5 }, b[] = { 2, 2, -2 };
    garray_t *x = numbers("float64", 3, a), *y = numbers("float64", 3, b), *q = NULL, *r = NULL;
    TEST_OK(garray_divmod(x, y, &x, &y));
    TEST_EQUAL(x, ((double[]){ 3, -4, -3 }), 0);
    TEST_EQUAL(y, ((double[]){ 1, 1, -0.5 }), 0);
    TEST_OK(garray_divmod(x, 2, NULL, &r));
    TEST_EQUAL(r, ((double[]){ 1, 0, 1 }), 0);
    TEST_OK(garray_divmod(5, x, &q, NULL));
    TEST_EQUAL(q, ((double[]){ 1, -2, -2 }), 0);
    TEST_OK(garray_frexp(x, garray_into(y), garray_into(q)));
    TEST_EQUAL(y, ((double[]){ 0.75, -0.5, -0.75 }), 0);
    TEST_EQUAL(q, ((double[]){ 2, 3, 2 }), 0);
    TEST_OK(garray_modf(y, &r, &q));
    TEST_EQUAL(q, ((double[]){ 0, -0.0, -0.0 }), 0);

    garray_t *before = q, *small = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT64, test_device(), &small));
    TEST_STATUS(ERR_SHAPE, garray_divmod(x, 2, &q, garray_into(small)));
    TEST_EXPECT(q == before, "a failed call assigned");
    TEST_STATUS(ERR_INVALID, garray_divmod(x, 2, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_divmod(x, 2, &q, &q));
    TEST_STATUS(ERR_INVALID, garray_frexp(1.5, &q, NULL));
    TEST_OK(garray_astype(x, GARRAY_COMPLEX64, &r));
    TEST_STATUS(ERR_DTYPE, garray_modf(r, &q, NULL));
    TEST_STATUS(ERR_DTYPE, garray_modf(r, NULL, &q));
    TEST_STATUS(ERR_DTYPE, garray_divmod(r, r, &q, NULL));
    TEST_EXPECT(q == before, "a failed call assigned");

    garray_operand in[2] = { garray_operand_array(x), garray_operand_int(2) };
    garray_t **outs[2] = { &q, NULL };
    garray_ufunc_opts single = { .dtype = GARRAY_FLOAT32 };
    TEST_OK(garray_ufunc(GARRAY_OP_divmod, 2, in, &single, 2, outs));
    TEST_EXPECT(garray_dtype_of(q) == GARRAY_FLOAT32, "the quotient is not float32");
    TEST_EQUAL(q, ((float[]){ 1, -2, -2 }), 0);
    const bool mask[] = { true, false, true };
    garray_t *where = NULL, *rest = NULL;
    TEST_OK(garray_from_host(mask, GARRAY_BOOL, GARRAY_SHAPE(3), NULL, test_device(), &where));
    garray_ufunc_opts some = { .where = garray_operand_array(where) };
    garray_t **both[2] = { &q, &rest };
    TEST_OK(garray_ufunc(GARRAY_OP_divmod, 2, in, &some, 2, both));
    TEST_EQUAL(q, ((double[]){ 1, 0, -2 }), 0);
    TEST_EQUAL(rest, ((double[]){ 1, 0, 1 }), 0);
    TEST_STATUS(ERR_INVALID, garray_ufunc(GARRAY_OP_divmod, 2, in, NULL, 1, outs));
    TEST_MESSAGE("divmod", "2 results");
    garray_t *all[] = { x, y, q, r, small, where, rest };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
}

/* x = f(x), views, and into(). */
Test(numeric, in_place)
{
    const double a[] = { NAN, INFINITY, 2, -INFINITY };
    garray_t *x = numbers("float32", 4, a), *z = NULL, *flat = NULL;
    TEST_OK(garray_astype(x, GARRAY_COMPLEX64, &z));
    float zeros[2] = { -INFINITY, INFINITY };
    garray_t *infinite = NULL;
    TEST_OK(garray_from_host(zeros, GARRAY_FLOAT32, GARRAY_SHAPE(2), NULL, test_device(), &infinite));
    TEST_OK(garray_nan_to_num(infinite, GARRAY_KW(nan_to_num, .posinf = GARRAY_VAL(0), .neginf = GARRAY_VAL(0)), &infinite));
    TEST_OK(garray_to_host(infinite, zeros, NULL, sizeof zeros));
    TEST_EXPECT(!signbit(zeros[0]) && !signbit(zeros[1]), "-0 in place of 0");
    garray_release(infinite);
    TEST_OK(garray_nan_to_num(x, GARRAY_KW(nan_to_num, .posinf = GARRAY_VAL(5), .neginf = GARRAY_VAL(6)), &x));
    TEST_EQUAL(x, ((float[]){ 0, 5, 2, 6 }), 0);
    TEST_OK(garray_getitem(z, GARRAY_AT(GARRAY_REVERSED), &flat));
    TEST_OK(garray_nan_to_num(z, GARRAY_KW(nan_to_num, .posinf = GARRAY_VAL(5), .neginf = GARRAY_VAL(6)), garray_into(flat)));
    TEST_EQUAL(z, ((float[]){ 6, 0, 2, 0, 5, 0, 0, 0 }), 0);
    TEST_OK(garray_softmax(x, GARRAY_ALL_AXES, &x));
    TEST_OK(garray_logsumexp(x, GARRAY_ALL_AXES, GARRAY_KW(logsumexp, .keepdims = 1), &x));
    TEST_EXPECT(garray_ndim(x) == 1 && garray_size(x) == 1, "axes are lost");
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 0), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_softmax(x, GARRAY_AXES(1), &z));
    TEST_EXPECT(garray_size(z) == 0 && garray_ndim(z) == 2, "of nothing is something");
    TEST_OK(garray_logsumexp(x, GARRAY_AXES(1), NULL, &z));
    TEST_EQUAL(z, ((double[]){ -INFINITY, -INFINITY, -INFINITY }), 0);
    TEST_OK(garray_unwrap(x, 1, NULL, &z));
    TEST_EXPECT(garray_size(z) == 0, "phases of nothing");
    TEST_OK(garray_packbits(x = (garray_release(x), numbers("bool", 3, (double[]){ 1, 0, 1 })), GARRAY_ALL_AXES, NULL, &x));
    TEST_EQUAL(x, ((uint8_t[]){ 160 }), 0);
    TEST_OK(garray_unpackbits(x, GARRAY_ALL_AXES, NULL, &x));
    TEST_EQUAL(x, ((uint8_t[]){ 1, 0, 1, 0, 0, 0, 0, 0 }), 0);
    garray_release(x);
    garray_release(z);
    garray_release(flat);
}

Test(numeric, errors)
{
    garray_t *x = NULL, *z = NULL, *u = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_COMPLEX64, test_device(), &z));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_UINT8, test_device(), &u));
    TEST_STATUS(ERR_DTYPE, garray_packbits(x, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_unpackbits(x, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_packbits(u, GARRAY_AXES(2), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_unpackbits(u, GARRAY_AXES(0, 1), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_unpackbits(u, GARRAY_AXES(1), GARRAY_KW(bits, .count = GARRAY_VAL(-25)), &y));
    TEST_STATUS(ERR_INVALID, garray_unpackbits(u, GARRAY_AXES(1), GARRAY_KW(bits, .count = GARRAY_VAL(1.5)), &y));
    TEST_STATUS(ERR_DTYPE, garray_softmax(z, GARRAY_ALL_AXES, &y));
    TEST_STATUS(ERR_AXIS, garray_softmax(x, GARRAY_AXES(5), &y));
    TEST_STATUS(ERR_DTYPE, garray_logsumexp(z, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_unwrap(z, 0, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_unwrap(u, 0, GARRAY_KW(unwrap, .period = GARRAY_VAL(7)), &y));
    TEST_STATUS(ERR_AXIS, garray_unwrap(x, 2, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_unwrap(x, 0, GARRAY_KW(unwrap, .period = garray_operand_array(x)), &y));
    TEST_STATUS(ERR_INVALID, garray_nan_to_num(x, GARRAY_KW(nan_to_num, .nan = garray_operand_array(x)), &y));
    TEST_STATUS(ERR_INVALID, garray_angle(NULL, false, &y));
    TEST_STATUS(ERR_INVALID, garray_real_if_close(x, NULL, NULL));
    TEST_STATUS(ERR_DTYPE, garray_ldexp(x, x, &y));
    TEST_MESSAGE("garray_ldexp", "exponents", "float32");
    TEST_STATUS(ERR_DTYPE, garray_ldexp(x, 1.5, &y));
    TEST_STATUS(ERR_DTYPE, garray_isneginf(z, &y));
    TEST_STATUS(ERR_DTYPE, garray_gcd(x, 2, &y));
    TEST_EXPECT(!y, "a failed call gave a result");
    TEST_OK(garray_ldexp(x, u, garray_into(x)));
    TEST_OK(garray_ldexp(u, 3, &y));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT16, "ldexp of uint8 is %s", garray_dtype_name(garray_dtype_of(y)));
    garray_t *all[] = { x, z, u, y };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
}
