/* SPDX-License-Identifier: BSD-3-Clause
 * What an elementwise function takes: C scalars, shapes that broadcast, transposes, missing bounds,
 * conditions of any dtype, masks and dtypes of garray_ufunc(), and arrays large enough for several threads.
 * The truth is the same function on plain arrays, which test_elementwise.c compares with NumPy. */
#include "operations.h"

static const char *name_of(int dtype)
{
    return garray_dtype_name((garray_dtype)dtype);
}

/* Both calls end alike, with the same bits. */
static void expect_same(int op, const garray_operand *in, const garray_operand *plain)
{
    garray_t *y = NULL, *expected = NULL;
    garray_status st = test_apply(op, plain, &expected), got = test_apply(op, in, &y);
    if (TEST_EXPECT(st == got, "%s instead of %s: %s", garray_status_name(got), garray_status_name(st),
                    garray_error_message()) &&
        st == GARRAY_OK &&
        TEST_EXPECT(garray_dtype_of(y) == garray_dtype_of(expected) &&
                        garray_size(y) == garray_size(expected),
                    "%s of %lld elements instead of %s of %lld", name_of(garray_dtype_of(y)),
                    (long long)garray_size(y), name_of(garray_dtype_of(expected)),
                    (long long)garray_size(expected))) {
        char *bits = test_read(expected);
        TEST_EQUAL(y, bits, 0);
        free(bits);
    }
    garray_release(y);
    garray_release(expected);
}

/* A C scalar gives what an array of the promoted dtype filled with it gives. */
Test(operands, scalars)
{
    const garray_operand scalars[] = { GARRAY_TRUE,
                                       garray_operand_int(3),
                                       garray_operand_int(0),
                                       garray_operand_uint(2),
                                       garray_operand_double(0.7),
                                       garray_operand_double(-0.0),
                                       garray_operand_double(INFINITY),
                                       GARRAY_COMPLEX(0.5, -2) };
    test_mark mark = test_memory();
    /* ldexp's operands do not promote with each other, and float_power takes a number as the double that it is: these two
     * are compared with NumPy in differential/ */
    for (int op = 1; op < TEST_OPERATIONS; op++)
        for (TEST_DTYPES(d))
            for (size_t k = 0; op != GARRAY_OP_ldexp && op != GARRAY_OP_float_power && test_operations[op].nin == 2 && k < sizeof scalars / sizeof scalars[0]; k++)
                for (int first = 0; first < 2; first++) {
                    garray_shape shape = test_shapes[(op + d + (int)k) % test_shape_count];
                    garray_t *x = test_array(d, (int)(k + (size_t)d) % TEST_LAYOUTS, shape, NULL),
                             *filled = NULL;
                    garray_operand in[2], plain[2], both[2] = { garray_operand_array(x), scalars[k] };
                    garray_dtype common;
                    test_context("%s of %s and scalar %zu%s", test_operations[op].name, name_of(d), k,
                                 first ? ", exchanged" : "");
                    if (!TEST_OK(garray_result_type(2, both, &common))
                        || !TEST_OK((garray_full)(GARRAY_0D, scalars[k], common, test_device(), &filled)))
                        return;
                    in[first] = both[0];
                    in[!first] = both[1];
                    plain[first] = both[0];
                    plain[!first] = garray_operand_array(filled);
                    if (op != GARRAY_OP_pow ||
                        garray_isdtype(common, GARRAY_KIND_FLOATING | GARRAY_KIND_COMPLEX) || !first)
                        expect_same(op, in, plain);
                    garray_release(x);
                    garray_release(filled);
                }
    TEST_NO_LEAK(mark);
}

/* ---- broadcasting ---- */

static const struct {
    garray_shape a, b, result;
} pairs[] = {
    { { 0, NULL }, { 1, (const int64_t[]){ 5 } }, { 1, (const int64_t[]){ 5 } } },
    /* rows of whole vectors, and so many that they fill blocks of a GPU and a part of one */
    { { 2, (const int64_t[]){ 37, 48 } }, { 1, (const int64_t[]){ 48 } }, { 2, (const int64_t[]){ 37, 48 } } },
    { { 2, (const int64_t[]){ 37, 48 } }, { 2, (const int64_t[]){ 37, 1 } }, { 2, (const int64_t[]){ 37, 48 } } },
    { { 2, (const int64_t[]){ 37, 1 } }, { 2, (const int64_t[]){ 1, 48 } }, { 2, (const int64_t[]){ 37, 48 } } },
    { { 2, (const int64_t[]){ 3, 1 } }, { 2, (const int64_t[]){ 1, 4 } }, { 2, (const int64_t[]){ 3, 4 } } },
    { { 2, (const int64_t[]){ 6, 35 } }, { 1, (const int64_t[]){ 35 } }, { 2, (const int64_t[]){ 6, 35 } } },
    { { 2, (const int64_t[]){ 6, 35 } },
      { 2, (const int64_t[]){ 6, 1 } },
      { 2, (const int64_t[]){ 6, 35 } } },
    { { 3, (const int64_t[]){ 2, 1, 9 } },
      { 2, (const int64_t[]){ 7, 1 } },
      { 3, (const int64_t[]){ 2, 7, 9 } } },
    { { 4, (const int64_t[]){ 3, 1, 2, 1 } },
      { 4, (const int64_t[]){ 1, 5, 1, 4 } },
      { 4, (const int64_t[]){ 3, 5, 2, 4 } } },
    { { 2, (const int64_t[]){ 0, 1 } }, { 2, (const int64_t[]){ 1, 4 } }, { 2, (const int64_t[]){ 0, 4 } } },
    { { 6, (const int64_t[]){ 2, 1, 3, 1, 2, 1 } },
      { 6, (const int64_t[]){ 1, 2, 1, 3, 1, 2 } },
      { 6, (const int64_t[]){ 2, 2, 3, 3, 2, 2 } } },
};

/* An array with x's values repeated to a shape, made on the host. */
static garray_t *expanded(const garray_t *x, garray_shape shape)
{
    size_t item = garray_dtype_size(garray_dtype_of(x));
    garray_shape own = garray_shape_of(x);
    int64_t n = test_count(shape);
    char *from = test_read(x), *to = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int64_t k = 0; k < own.n; k++) {
            int64_t length = own.v[own.n - 1 - k], full = shape.v[shape.n - 1 - k];
            at += length == 1 ? 0 : rest % full * step;
            rest /= full;
            step *= length;
        }
        memcpy(to + (size_t)i * item, from + (size_t)at * item, item);
    }
    garray_t *y = test_array(garray_dtype_of(x), TEST_CONTIGUOUS, shape, to);
    free(from);
    free(to);
    return y;
}

Test(operands, broadcasting)
{
    static const int ops[] = { GARRAY_OP_add, GARRAY_OP_less, GARRAY_OP_divide, GARRAY_OP_maximum,
                               GARRAY_OP_logical_xor };
    test_mark mark = test_memory();
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
        for (TEST_DTYPES(d))
            for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
                for (int layout = 0; layout < TEST_LAYOUTS; layout++)
                    for (int swap = 0; swap < 2; swap++) {
                        int other = 1 + (d * 3 + layout) % TEST_DTYPE_COUNT;
                        garray_t *a = test_array(d, layout, pairs[p].a, NULL);
                        garray_t *b = test_array(layout % 2 ? d : other, (layout + (int)o) % TEST_LAYOUTS,
                                                 pairs[p].b, NULL);
                        garray_t *full_a = expanded(a, pairs[p].result),
                                 *full_b = expanded(b, pairs[p].result);
                        garray_operand in[2], plain[2];
                        test_context("%s of %s and %s, pair %zu, %s", test_operations[ops[o]].name,
                                     name_of(d), name_of(garray_dtype_of(b)), p, test_layout_name(layout));
                        in[swap] = garray_operand_array(a);
                        in[!swap] = garray_operand_array(b);
                        plain[swap] = garray_operand_array(full_a);
                        plain[!swap] = garray_operand_array(full_b);
                        expect_same(ops[o], in, plain);
                        garray_release(a);
                        garray_release(b);
                        garray_release(full_a);
                        garray_release(full_b);
                    }
    TEST_NO_LEAK(mark);
}

Test(operands, most_axes)
{
    int64_t lengths[GARRAY_MAX_NDIM], other[GARRAY_MAX_NDIM];
    for (int i = 0; i < GARRAY_MAX_NDIM; i++) {
        lengths[i] = i % 8 == 3 ? 2 : 1;
        other[i] = i % 16 == 5 ? 3 : 1;
    }
    int64_t full[GARRAY_MAX_NDIM];
    for (int i = 0; i < GARRAY_MAX_NDIM; i++)
        full[i] = lengths[i] * other[i];
    garray_t *a = test_array(GARRAY_FLOAT32, TEST_MIXED, GARRAY_DIMS(GARRAY_MAX_NDIM, lengths), NULL);
    garray_t *b = test_array(GARRAY_INT16, TEST_NEGATIVE, GARRAY_DIMS(GARRAY_MAX_NDIM, other), NULL);
    garray_t *full_a = expanded(a, GARRAY_DIMS(GARRAY_MAX_NDIM, full)),
             *full_b = expanded(b, GARRAY_DIMS(GARRAY_MAX_NDIM, full));
    garray_operand in[2] = { garray_operand_array(a), garray_operand_array(b) };
    garray_operand plain[2] = { garray_operand_array(full_a), garray_operand_array(full_b) };
    expect_same(GARRAY_OP_subtract, in, plain);
    garray_release(a);
    garray_release(b);
    garray_release(full_a);
    garray_release(full_b);
}

/* GARRAY_MT and GARRAY_MH stand for the transposed and the conjugated array. */
Test(operands, flags)
{
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            garray_t *a = test_array(d, layout, GARRAY_SHAPE(2, 4, 3), NULL),
                     *b = test_array(d, layout, GARRAY_SHAPE(2, 3, 4), NULL);
            garray_t *turned = NULL, *conjugate = NULL;
            test_context("%s, %s", name_of(d), test_layout_name(layout));
            TEST_OK(garray_matrix_transpose(a, &turned));
            garray_operand plain[2] = { garray_operand_array(turned), garray_operand_array(b) };
            garray_operand in[2] = { GARRAY_MT(a), garray_operand_array(b) };
            expect_same(GARRAY_OP_add, in, plain);
            if (d == GARRAY_BOOL)
                plain[0] = garray_operand_array(turned);
            else if (TEST_OK(garray_conj(turned, &conjugate)))
                plain[0] = garray_operand_array(conjugate);
            in[0] = GARRAY_MH(a);
            expect_same(GARRAY_OP_add, in, plain);
            garray_release(a);
            garray_release(b);
            garray_release(turned);
            garray_release(conjugate);
        }
    garray_t *x = test_array(GARRAY_INT8, TEST_CONTIGUOUS, GARRAY_SHAPE(3), NULL), *y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_negative(GARRAY_MT(x), &y));
    garray_release(x);
}

/* ---- where and clip ---- */

Test(operands, conditions)
{
    garray_shape shape = GARRAY_SHAPE(5, 9);
    for (TEST_DTYPES(c))
        for (TEST_DTYPES(d)) {
            size_t item = garray_dtype_size((garray_dtype)c);
            char values[45 * 16];
            test_context("where with a condition of %s and %s", name_of(c), name_of(d));
            test_random(c, 45, 9, values);
            for (int i = 0; i < 45; i += 2)
                test_store(c, values + (size_t)i * item, i % 4 ? -0.0 : 0, 0);
            if (c >= GARRAY_FLOAT16)
                test_store(c, values + item, NAN, 0);
            garray_t *condition = test_array(c, (c + d) % TEST_LAYOUTS, shape, values), *truth = NULL;
            garray_t *x = test_array(d, d % TEST_LAYOUTS, shape, NULL);
            garray_t *y = test_array(1 + (d + c) % TEST_DTYPE_COUNT, c % TEST_LAYOUTS, shape, NULL);
            if (!TEST_OK(garray_not_equal(condition, 0, &truth)))
                return;
            garray_operand in[3] = { garray_operand_array(condition), garray_operand_array(x),
                                     garray_operand_array(y) };
            garray_operand plain[3] = { garray_operand_array(truth), in[1], in[2] };
            expect_same(GARRAY_OP_where, in, plain);
            /* scalars for both */
            garray_t *one = NULL, *two = NULL, *expected = NULL, *got = NULL;
            TEST_OK(garray_full(GARRAY_SHAPE(5, 9), 1, GARRAY_INT64, test_device(), &one));
            TEST_OK(garray_full(GARRAY_SHAPE(9), 2.5, GARRAY_FLOAT64, test_device(), &two));
            if (TEST_OK(garray_where(truth, one, two, &expected)) &&
                TEST_OK(garray_where(condition, 1, 2.5, &got))) {
                char *bits = test_read(expected);
                TEST_EQUAL(got, bits, 0);
                free(bits);
            }
            garray_t *arrays[] = { condition, truth, x, y, one, two, expected, got };
            for (int i = 0; i < 8; i++)
                garray_release(arrays[i]);
        }
}

Test(operands, bounds)
{
    garray_shape shape = GARRAY_SHAPE(4, 11);
    for (TEST_DTYPES(d)) {
        garray_t *x = test_array(d, TEST_SLICED, shape, NULL),
                 *lo = test_array(d, TEST_TRANSPOSED, shape, NULL);
        garray_t *hi = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(11), NULL), *y = NULL, *expected = NULL;
        test_context("clip of %s", name_of(d));
        const struct {
            garray_operand lo, hi;
        } table[] = { { garray_operand_array(lo), GARRAY_NONE }, { GARRAY_NONE, garray_operand_array(hi) },
                      { GARRAY_NONE, GARRAY_NONE }, { garray_operand_array(lo), garray_operand_array(hi) } };
        for (size_t i = 0; i < 4; i++) {
            garray_operand bounds[3] = { garray_operand_array(x), table[i].lo, table[i].hi };
            TEST_OK(garray_copy(x, &expected));
            if (table[i].lo.array)
                TEST_OK(garray_maximum(expected, lo, &expected));
            if (table[i].hi.array)
                TEST_OK(garray_minimum(expected, hi, &expected));
            char *bits = test_read(expected);
            if (TEST_OK((garray_clip)(bounds[0], bounds[1], bounds[2], &y)))
                TEST_EQUAL(y, bits, 0);
            garray_t **slot = &y;
            if (TEST_OK(garray_ufunc(GARRAY_OP_clip, 3, bounds, NULL, 1, &slot)))
                TEST_EQUAL(y, bits, 0);
            free(bits);
        }
        /* a lower bound above the upper one: the upper one */
        if (TEST_OK(garray_clip(x, 1, 0, &y)) &&
            TEST_OK(garray_zeros(shape, garray_dtype_of(y), test_device(), &expected))) {
            char *bits = test_read(expected);
            TEST_EQUAL(y, bits, 0);
            free(bits);
        }
        garray_t *arrays[] = { x, lo, hi, y, expected };
        for (int i = 0; i < 5; i++)
            garray_release(arrays[i]);
    }
}

/* ---- the general call ---- */

Test(operands, ufunc)
{
    test_mark mark = test_memory();
    garray_shape shape = GARRAY_SHAPE(3, 17);
    for (int op = 1; op < TEST_OPERATIONS; op++)
        for (TEST_DTYPES(d)) {
            int nin = test_operations[op].nin;
            garray_t *x[3] = { NULL }, *expected = NULL, *y = NULL, *mask = NULL, *old = NULL, **slot = &y;
            garray_operand in[3];
            test_context("ufunc %s of %s", test_operations[op].name, name_of(d));
            for (int k = 0; k < nin; k++) {
                x[k] = test_array(op == GARRAY_OP_where && k == 0 ? GARRAY_BOOL : d, (op + k) % TEST_LAYOUTS,
                                  shape, NULL);
                in[k] = garray_operand_array(x[k]);
            }
            garray_status st = test_apply(op, in, &expected);
            TEST_EXPECT(garray_ufunc((garray_op)op, nin, in, NULL, 1, &slot) == st, "status differs: %s",
                        garray_error_message());
            if (st == GARRAY_OK) {
                size_t item = garray_dtype_size(garray_dtype_of(expected));
                char truth[51], *bits = test_read(expected), *held;
                TEST_EQUAL(y, bits, 0);

                /* with a mask: the old values where it is false */
                test_random(GARRAY_BOOL, 51, (uint64_t)(op * 100 + d), truth);
                mask = test_array(GARRAY_BOOL, d % TEST_LAYOUTS, shape, truth);
                old = test_array(garray_dtype_of(expected), TEST_CONTIGUOUS, shape, NULL);
                held = test_read(old);
                for (int i = 0; i < 51; i++)
                    if (truth[i])
                        memcpy(held + (size_t)i * item, bits + (size_t)i * item, item);
                garray_ufunc_opts opts = { .where = garray_operand_array(mask) };
                garray_release(y);
                y = old;
                if (TEST_OK(garray_ufunc((garray_op)op, nin, in, &opts, 1, &slot)))
                    TEST_EQUAL(y, held, 0);
                garray_t *view = test_array(garray_dtype_of(expected), TEST_NEGATIVE, shape, NULL),
                         **into = garray_into(view);
                free(held);
                held = test_read(view);
                for (int i = 0; i < 51; i++)
                    if (truth[i])
                        memcpy(held + (size_t)i * item, bits + (size_t)i * item, item);
                if (TEST_OK(garray_ufunc((garray_op)op, nin, in, &opts, 1, &into)))
                    TEST_EQUAL(view, held, 0);
                garray_release(view);

                /* and 0 where there was nothing */
                garray_release(y);
                y = NULL;
                for (int i = 0; i < 51; i++)
                    if (!truth[i])
                        memset(held + (size_t)i * item, 0, item);
                    else
                        memcpy(held + (size_t)i * item, bits + (size_t)i * item, item);
                if (TEST_OK(garray_ufunc((garray_op)op, nin, in, &opts, 1, &slot)))
                    TEST_EQUAL(y, held, 0);
                free(held);
                free(bits);
            }
            garray_t *arrays[] = { x[0], x[1], x[2], expected, y, mask };
            for (int i = 0; i < 6; i++)
                garray_release(arrays[i]);
        }
    TEST_NO_LEAK(mark);
}

/* dtype=: computed in it, as if the operands had been cast first. */
Test(operands, ufunc_dtype)
{
    static const int ops[] = { GARRAY_OP_add, GARRAY_OP_sqrt, GARRAY_OP_less, GARRAY_OP_multiply,
                               GARRAY_OP_abs };
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
        for (TEST_DTYPES(d))
            for (TEST_DTYPES(to)) {
                int nin = test_operations[ops[o]].nin;
                garray_t *x[2] = { NULL }, *cast[2] = { NULL }, *y = NULL, *expected = NULL, **slot = &y;
                garray_operand in[2], plain[2];
                garray_ufunc_opts opts = { .dtype = (garray_dtype)to };
                bool allowed = garray_can_cast((garray_dtype)d, (garray_dtype)to, GARRAY_CAST_SAME_KIND);
                test_context("ufunc %s of %s in %s", test_operations[ops[o]].name, name_of(d), name_of(to));
                for (int k = 0; k < nin; k++) {
                    x[k] = test_array(d, k ? TEST_MIXED : TEST_CONTIGUOUS, GARRAY_SHAPE(21), NULL);
                    TEST_OK(garray_astype(x[k], (garray_dtype)to, &cast[k]));
                    in[k] = garray_operand_array(x[k]);
                    plain[k] = garray_operand_array(cast[k]);
                }
                if (ops[o] == GARRAY_OP_sqrt && to < GARRAY_FLOAT16)
                    allowed = false;    /* no such loop */
                garray_status st = allowed ? test_apply(ops[o], plain, &expected) : GARRAY_ERR_DTYPE;
                garray_status got = garray_ufunc((garray_op)ops[o], nin, in, &opts, 1, &slot);
                if (TEST_EXPECT(got == st, "%s, not %s: %s", garray_status_name(got), garray_status_name(st),
                                garray_error_message()) && st == GARRAY_OK) {
                    char *bits = test_read(expected);
                    TEST_EXPECT(garray_dtype_of(y) == garray_dtype_of(expected), "the result is %s",
                                name_of(garray_dtype_of(y)));
                    TEST_EQUAL(y, bits, 0);
                    free(bits);
                }
                garray_t *arrays[] = { x[0], x[1], cast[0], cast[1], y, expected };
                for (int i = 0; i < 6; i++)
                    garray_release(arrays[i]);
            }
}

/* ---- large arrays ---- */

/* i % modulus as a matrix of rows x columns elements in a layout, without the host. */
static garray_t *numbers(int dtype, int layout, int64_t rows, int64_t columns, int modulus)
{
    garray_t *x = NULL;
    int64_t width = layout == TEST_PADDED ? columns + 3 : columns;
    bool turn = layout == TEST_TRANSPOSED;
    bool ok =
        TEST_OK(garray_arange(GARRAY_NONE, rows * width, GARRAY_NONE, GARRAY_INT32, test_device(), &x)) &&
        TEST_OK(garray_remainder(x, modulus, &x)) && TEST_OK(garray_astype(x, (garray_dtype)dtype, &x)) &&
        TEST_OK(garray_reshape(x, turn ? GARRAY_SHAPE(width, rows) : GARRAY_SHAPE(rows, width), &x)) &&
        (!turn || TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, &x))) &&
        (width == columns || TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_TO(columns)), &x)));
    cr_assert(ok, "no large array");
    return x;
}

/* Several threads, several blocks, stores past the caches: the same bits as row by row. */
Test(operands, large)
{
    static const int ops[] = { GARRAY_OP_add,   GARRAY_OP_exp,      GARRAY_OP_less,
                               GARRAY_OP_where, GARRAY_OP_negative, GARRAY_OP_positive };
    static const int dtypes[] = { GARRAY_INT8, GARRAY_FLOAT32, GARRAY_BFLOAT16, GARRAY_COMPLEX64 };
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_TRANSPOSED, TEST_PADDED };
    int64_t columns = 1531, rows = 5500;        /* float32: 33 MB */
    garray_t *mask = numbers(GARRAY_BOOL, TEST_CONTIGUOUS, rows, columns, 3);
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
        for (size_t t = 0; t < 4; t++) {
            int op = ops[o], d = dtypes[t], layout = layouts[(o + t) % 3];
            garray_t *a = numbers(d, TEST_CONTIGUOUS, rows, columns, 101),
                     *b = numbers(d, layout, rows, columns, 17), *y = NULL;
            test_context("%s of %s, %s, large", test_operations[op].name, name_of(d),
                         test_layout_name(layout));
            garray_operand in[3] = { garray_operand_array(b), garray_operand_array(a),
                                     garray_operand_array(a) };
            if (op == GARRAY_OP_where) {
                in[0] = garray_operand_array(mask);
                in[1] = garray_operand_array(b);
            }
            if (TEST_OK(test_apply(op, in, &y)))
                for (int64_t row = 0; row < rows; row += 1 + row / 3) {
                    garray_t *part[3] = { NULL }, *result = NULL, *there = NULL;
                    garray_operand few[3];
                    for (int k = 0; k < test_operations[op].nin; k++) {
                        TEST_OK(garray_getitem(in[k].array, GARRAY_AT(row), &part[k]));
                        TEST_OK(garray_copy(part[k], &part[k]));
                        few[k] = garray_operand_array(part[k]);
                    }
                    if (TEST_OK(test_apply(op, few, &result)) &&
                        TEST_OK(garray_getitem(y, GARRAY_AT(row), &there))) {
                        char *bits = test_read(result);
                        TEST_EQUAL(there, bits, 0);
                        free(bits);
                    }
                    garray_t *arrays[] = { part[0], part[1], part[2], result, there };
                    for (int k = 0; k < 5; k++)
                        garray_release(arrays[k]);
                }
            garray_release(a);
            garray_release(b);
            garray_release(y);
        }
    garray_release(mask);
}
