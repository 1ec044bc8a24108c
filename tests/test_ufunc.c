/* SPDX-License-Identifier: BSD-3-Clause
 * The methods of operations: reduce, accumulate, reduceat, outer and at, for operations with and without free order, every
 * layout, identities, initial and where, against loops over exact numbers. */
#include "test.h"

/* ---- numbers ---- */

static int64_t apply(int op, int64_t a, int64_t b)
{
    switch (op) {
    case GARRAY_OP_add: return a + b;
    case GARRAY_OP_subtract: return a - b;
    case GARRAY_OP_multiply: return a * b;
    case GARRAY_OP_maximum: return a > b ? a : b;
    case GARRAY_OP_minimum: return a < b ? a : b;
    case GARRAY_OP_bitwise_and: return a & b;
    case GARRAY_OP_bitwise_or: return a | b;
    case GARRAY_OP_bitwise_xor: return a ^ b;
    case GARRAY_OP_floor_divide: return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
    case GARRAY_OP_bitwise_left_shift: return (uint64_t)b < 64 ? (int64_t)((uint64_t)a << b) : 0;
    case GARRAY_OP_logical_and: return a && b;
    case GARRAY_OP_logical_or: return a || b;
    case GARRAY_OP_logical_xor: return !a != !b;
    default: return 0;
    }
}

static const int ops[] = {
    GARRAY_OP_add, GARRAY_OP_subtract, GARRAY_OP_multiply, GARRAY_OP_maximum, GARRAY_OP_minimum, GARRAY_OP_bitwise_and,
    GARRAY_OP_bitwise_or, GARRAY_OP_bitwise_xor, GARRAY_OP_floor_divide, GARRAY_OP_bitwise_left_shift, GARRAY_OP_logical_and,
    GARRAY_OP_logical_or, GARRAY_OP_logical_xor,
};
enum { OPS = sizeof ops / sizeof *ops };

static bool is_logical(int op)
{
    return op == GARRAY_OP_logical_and || op == GARRAY_OP_logical_or || op == GARRAY_OP_logical_xor;
}

/* int64 results, or bools of them. */
static void expect(const garray_t *x, int op, int64_t n, const int64_t *want)
{
    if (is_logical(op)) {
        uint8_t truth[1000];
        for (int64_t i = 0; i < n; i++)
            truth[i] = want[i] != 0;
        TEST_EQUAL(x, truth, 0);
    } else {
        TEST_EQUAL(x, want, 0);
    }
}

static garray_t *array_of(int layout, garray_shape shape, int64_t *values)
{
    return test_array(GARRAY_INT64, layout, shape, values);
}

static void draw(int64_t n, uint64_t seed, int64_t *values)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = (int64_t)(test_random_word(&seed) % 9) - 3;
}

/* ---- tests ---- */

enum { A = 3, B = 37, C = 5 };

Test(ufunc, reduce_and_accumulate)
{
    test_mark mark = test_memory();
    for (int l = 0; l < TEST_LAYOUTS; l++)
        for (int k = 0; k < OPS; k++)
            for (int n = 1; n <= B; n += n < 5 ? 1 : 16) {
                int64_t values[A * B * C], want[A * C], sums[A * B * C], initial[A * C], masked[A * C];
                uint8_t which[B * C];
                int op = ops[k];
                draw(A * n * C, 3, values);
                garray_t *x = array_of(l, GARRAY_SHAPE(A, n, C), values), *y = NULL, *where = NULL;
                test_random(GARRAY_BOOL, n * C, 5, which);
                where = test_array(GARRAY_BOOL, TEST_CONTIGUOUS, GARRAY_SHAPE(n, C), which);
                test_context("operation %d, %s, length %d", op, test_layout_name(l), n);
                for (int a = 0; a < A; a++)
                    for (int c = 0; c < C; c++) {
                        int64_t so_far = 0, m = 1, first = 2;
                        for (int b = 0; b < n; b++) {
                            int64_t v = values[(a * n + b) * C + c];
                            so_far = b ? apply(op, so_far, v) : is_logical(op) ? v != 0 : v;
                            sums[(a * n + b) * C + c] = so_far;
                            first = apply(op, first, v);
                            if (which[b * C + c])
                                m = apply(op, m, v);
                        }
                        want[a * C + c] = so_far;
                        initial[a * C + c] = first;
                        masked[a * C + c] = m;
                    }
                if (TEST_OK(garray_ufunc_reduce((garray_op)op, x, GARRAY_AXES(1), NULL, &y)))
                    expect(y, op, A * C, want);
                if (TEST_OK(garray_ufunc_reduce((garray_op)op, x, GARRAY_AXES(-2),
                                                GARRAY_KW(reduce, .keepdims = true, .initial = GARRAY_VAL(2)), &y))) {
                    TEST_EXPECT(garray_ndim(y) == 3, "keepdims");
                    expect(y, op, A * C, initial);
                }
                if (TEST_OK(garray_ufunc_reduce((garray_op)op, x, GARRAY_AXES(1),
                                                GARRAY_KW(reduce, .initial = GARRAY_VAL(1), .where = GARRAY_VAL(where)), &y)))
                    expect(y, op, A * C, masked);
                if (TEST_OK(garray_ufunc_accumulate((garray_op)op, x, 1, NULL, &y)))
                    expect(y, op, A * n * C, sums);
                garray_release(x);
                garray_release(y);
                garray_release(where);
            }
    TEST_NO_LEAK(mark);
}

Test(ufunc, reduceat)
{
    static const int64_t at[] = { 0, 4, 4, 1, 36, 2, 30 };
    enum { K = 7 };
    test_mark mark = test_memory();
    garray_t *index = NULL;
    TEST_OK(garray_from_host(at, GARRAY_INT64, GARRAY_SHAPE(K), NULL, test_device(), &index));
    for (int l = 0; l < TEST_LAYOUTS; l++)
        for (int k = 0; k < OPS; k++) {
            int64_t values[A * B * C], want[A * K * C];
            int op = ops[k];
            draw(A * B * C, 7, values);
            garray_t *x = array_of(l, GARRAY_SHAPE(A, B, C), values), *y = NULL;
            test_context("operation %d, %s", op, test_layout_name(l));
            for (int i = 0; i < A * K * C; i++) {
                int a = i / (K * C), s = i / C % K, c = i % C;
                int64_t from = at[s], to = s + 1 < K ? at[s + 1] : B, v = values[(a * B + from) * C + c];
                want[i] = is_logical(op) ? v != 0 : v;
                for (int64_t b = from + 1; b < to; b++)
                    want[i] = apply(op, want[i], values[(a * B + b) * C + c]);
            }
            if (TEST_OK(garray_ufunc_reduceat((garray_op)op, x, index, 1, NULL, &y)))
                expect(y, op, A * K * C, want);
            garray_release(x);
            garray_release(y);
        }
    garray_release(index);
    TEST_NO_LEAK(mark);
}

Test(ufunc, at_and_outer)
{
    enum { N = 12, K = 50 };
    test_mark mark = test_memory();
    for (int l = 0; l < 7; l++)
        for (int k = 0; k < OPS; k++) {
            static const int layouts[] = { TEST_CONTIGUOUS, TEST_TRANSPOSED, TEST_NEGATIVE, TEST_SLICED, TEST_PADDED,
                                           TEST_MISALIGNED, TEST_MIXED };
            int64_t base[N], values[K], at[K], rows[K], outer[N * 5];
            int op = ops[k];
            draw(N, 9, base);
            draw(K, 10, values);
            for (int i = 0; i < K; i++) {
                at[i] = i < 30 ? i % 5 : i % N;
                rows[i] = at[i] / 4;
                at[i] %= 4;
            }
            garray_t *x = array_of(layouts[l], GARRAY_SHAPE(3, 4), base), *v = array_of(l, GARRAY_SHAPE(K), values), *r = NULL;
            garray_t *c = NULL, *y = NULL, *few = NULL;
            TEST_OK(garray_from_host(rows, GARRAY_INT64, GARRAY_SHAPE(K), NULL, test_device(), &r));
            TEST_OK(garray_from_host(at, GARRAY_INT64, GARRAY_SHAPE(K), NULL, test_device(), &c));
            TEST_OK(garray_getitem(v, GARRAY_AT(GARRAY_TO(5)), &few));
            test_context("operation %d, %s", op, test_layout_name(layouts[l]));
            for (int i = 0; i < N * 5; i++)
                outer[i] = apply(op, base[i / 5], values[i % 5]);
            if (TEST_OK(garray_ufunc_outer((garray_op)op, x, few, NULL, &y))) {
                TEST_EXPECT(garray_ndim(y) == 3, "shape");
                expect(y, op, N * 5, outer);
            }
            for (int i = 0; i < K; i++)
                base[rows[i] * 4 + at[i]] = apply(op, base[rows[i] * 4 + at[i]], values[i]);
            if (TEST_OK(garray_ufunc_at((garray_op)op, x, GARRAY_AT(r, c), v)))
                TEST_EQUAL(x, base, 0);
            for (int i = 0; i < K; i++)
                base[rows[i] * 4 + at[i]] = -base[rows[i] * 4 + at[i]];
            if (TEST_OK(garray_ufunc_at(GARRAY_OP_negative, x, GARRAY_AT(r, c), GARRAY_NONE)))
                TEST_EQUAL(x, base, 0);
            for (int i = 4; i < 8; i++)
                base[i] = apply(op, base[i], 3);
            if (TEST_OK(garray_ufunc_at((garray_op)op, x, GARRAY_AT(1), 3)))
                TEST_EQUAL(x, base, 0);
            garray_release(x);
            garray_release(v);
            garray_release(r);
            garray_release(c);
            garray_release(y);
            garray_release(few);
        }
    TEST_NO_LEAK(mark);
}

Test(ufunc, several_axes_and_identities)
{
    static const uint8_t ones[] = { 255, 255 };
    static const double zero[] = { 0, 0 }, low[] = { -INFINITY, -INFINITY };
    test_mark mark = test_memory();
    int64_t values[A * B * C], all = -1, odd = 0;
    draw(A * B * C, 11, values);
    for (int i = 0; i < A * B * C; i++) {
        all &= values[i];
        odd ^= values[i];
    }
    garray_t *x = array_of(TEST_MIXED, GARRAY_SHAPE(A, B, C), values), *y = NULL, *none = NULL, *floats = NULL, *index = NULL;
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_bitwise_and, x, GARRAY_ALL_AXES, NULL, &y)))
        TEST_EQUAL(y, &all, 0);
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_bitwise_xor, x, GARRAY_AXES(2, 0, 1), NULL, &y)))
        TEST_EQUAL(y, &odd, 0);
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 2), GARRAY_UINT8, test_device(), &none));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 2), GARRAY_FLOAT64, test_device(), &floats));
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_bitwise_and, none, GARRAY_AXES(0), NULL, &y)))
        TEST_EQUAL(y, ones, 0);
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_hypot, floats, GARRAY_AXES(0), NULL, &y)))
        TEST_EQUAL(y, zero, 0);
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_logaddexp, floats, GARRAY_AXES(0), NULL, &y)))
        TEST_EQUAL(y, low, 0);
    TEST_OK(garray_from_host(values, GARRAY_INT64, GARRAY_SHAPE(2), NULL, test_device(), &index));
    TEST_STATUS(ERR_SHAPE, garray_ufunc_reduce(GARRAY_OP_maximum, none, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_ufunc_reduce(GARRAY_OP_floor_divide, none, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_ufunc_reduce(GARRAY_OP_subtract, none, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_ufunc_reduce(GARRAY_OP_subtract, x, GARRAY_ALL_AXES, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_ufunc_reduce(GARRAY_OP_equal, x, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_ufunc_reduce(GARRAY_OP_sin, x, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_ufunc_reduce(GARRAY_OP_divmod, x, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_ufunc_at(GARRAY_OP_divmod, x, GARRAY_AT(0), 1));
    TEST_STATUS(ERR_INVALID, garray_ufunc_reduce((garray_op)4000, x, GARRAY_AXES(0), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_ufunc_reduce(GARRAY_OP_maximum, x, GARRAY_AXES(0), GARRAY_KW(reduce, .where = GARRAY_TRUE), &y));
    TEST_STATUS(ERR_AXIS, garray_ufunc_accumulate(GARRAY_OP_add, x, 3, NULL, &y));
    TEST_STATUS(ERR_DTYPE, garray_ufunc_reduceat(GARRAY_OP_add, x, floats, 0, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_ufunc_at(GARRAY_OP_add, x, GARRAY_AT(0), GARRAY_NONE));
    TEST_STATUS(ERR_INVALID, garray_ufunc_at(GARRAY_OP_negative, x, GARRAY_AT(0), 1));
    garray_release(x);
    garray_release(y);
    garray_release(none);
    garray_release(floats);
    garray_release(index);
    TEST_NO_LEAK(mark);
}

/* Indices out of range: reduceat waits and says so, at says so before or, on a GPU, when it waits, and writes nothing. */
Test(ufunc, out_of_range)
{
    static const int64_t starts[] = { 0, 9 }, numbers[] = { 4, 5, 6 };
    test_mark mark = test_memory();
    garray_t *x = NULL, *index = NULL, *y = NULL;
    TEST_OK(garray_from_host(numbers, GARRAY_INT64, GARRAY_SHAPE(3), NULL, test_device(), &x));
    TEST_OK(garray_from_host(starts, GARRAY_INT64, GARRAY_SHAPE(2), NULL, test_device(), &index));
    if (TEST_STATUS(ERR_INDEX, garray_ufunc_reduceat(GARRAY_OP_add, x, index, 0, NULL, &y)))
        TEST_MESSAGE("garray_ufunc_reduceat: index 9 out-of-bounds in add.reduceat [0, 3)");
    if (TEST_STATUS(ERR_INDEX, garray_ufunc_at(GARRAY_OP_floor_divide, x, GARRAY_AT(index), 2)))
        TEST_MESSAGE("garray_ufunc_at: index 9 is out of bounds for axis 0 with size 3");
    TEST_EQUAL(x, numbers, 0);
    garray_release(x);
    garray_release(index);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

/* Of one element hypot and gcd give what they give of it and their identity: NumPy's hypot.reduce([-3]) is 3. */
Test(ufunc, of_one_element)
{
    const double minus_three = -3;
    garray_t *x = NULL, *i = NULL, *y = NULL;
    TEST_OK(garray_from_host(&minus_three, GARRAY_FLOAT64, GARRAY_SHAPE(1), NULL, test_device(), &x));
    TEST_OK(garray_astype(x, GARRAY_INT32, &i));
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_hypot, x, GARRAY_ALL_AXES, NULL, &y)))
        TEST_EQUAL(y, ((const double[]){ 3 }), 0);
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_gcd, i, GARRAY_ALL_AXES, NULL, &y)))
        TEST_EQUAL(y, ((const int32_t[]){ 3 }), 0);
    if (TEST_OK(garray_ufunc_reduce(GARRAY_OP_fmax, x, GARRAY_ALL_AXES, NULL, &y)))
        TEST_EQUAL(y, &minus_three, 0);
    garray_release(x);
    garray_release(i);
    garray_release(y);
}
