/* SPDX-License-Identifier: BSD-3-Clause
 * Every elementwise function on every dtype: against NumPy's values, and the same bits from operands in every
 * layout, in place, into views, and into memory that overlaps an operand. */
#include "operations.h"

/* ---- the golden cases ---- */

struct sample {
    int op, nin, out_dtype;     /* out_dtype 0: a DTYPE error */
    int32_t n;
    const test_block *in[3], *out;
    double ulps;
};

static struct sample sample_of(const test_golden *golden, int i)
{
    const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
    struct sample s = { .op = row[0], .nin = row[1], .ulps = row[6] / 100.0 };
    for (int k = 0; k < s.nin; k++)
        s.in[k] = &golden->block[row[2 + k]];
    s.n = s.in[0]->n;
    if (row[5] >= 0) {
        s.out = &golden->block[row[5]];
        s.out_dtype = s.out->dtype;
    }
    return s;
}

static int main_dtype(const struct sample *s)
{
    return s->in[s->nin - 1]->dtype;
}

/* Operand k of a sample, as a matrix in a layout; values are what it holds afterwards (from malloc). */
static garray_t *operand(const struct sample *s, int k, int layout, int64_t columns, void **values)
{
    size_t item = garray_dtype_size((garray_dtype)s->in[k]->dtype);
    int64_t rows = s->n / columns;
    *values = malloc((size_t)s->n * item);
    memcpy(*values, s->in[k]->data, (size_t)s->n * item);
    return test_array(s->in[k]->dtype, layout, GARRAY_SHAPE(rows, columns), *values);
}

Test(elementwise, against_numpy)
{
    const test_golden *golden = test_golden_open("elementwise");
    for (int i = 0; i < golden->ncases; i++) {
        struct sample s = sample_of(golden, i);
        garray_operand in[3];
        garray_t *x[3] = { NULL }, *y = NULL;
        test_context("%s of %s", test_operations[s.op].name, garray_dtype_name((garray_dtype)main_dtype(&s)));
        for (int k = 0; k < s.nin; k++) {
            if (!TEST_OK(garray_from_host(s.in[k]->data, (garray_dtype)s.in[k]->dtype, GARRAY_SHAPE(s.n),
                                          NULL, test_device(), &x[k])))
                return;
            in[k] = garray_operand_array(x[k]);
        }
        if (!s.out_dtype) {
            TEST_STATUS(ERR_DTYPE, test_apply(s.op, in, &y));
            TEST_EXPECT(!y, "a failed call gave a result");
        } else if (TEST_OK(test_apply(s.op, in, &y)) &&
                   TEST_EXPECT((int)garray_dtype_of(y) == s.out_dtype, "the result is %s, not %s",
                               garray_dtype_name(garray_dtype_of(y)),
                               garray_dtype_name((garray_dtype)s.out_dtype))) {
            char *got = test_read(y);
            size_t item = garray_dtype_size((garray_dtype)s.out_dtype);
            int64_t bad = test_differs(s.out_dtype, s.n, got, s.out->data, s.ulps);
            if (bad >= 0) {
                const char *b = (const char *)s.out->data + (size_t)bad * item, *text[3] = { "", "", "" };
                for (int k = 0; k < s.nin; k++)
                    text[k] = test_text(s.in[k]->dtype, (const char *)s.in[k]->data
                                        + (size_t)bad * garray_dtype_size((garray_dtype)s.in[k]->dtype));
                test_fail(__FILE__, __LINE__, "f(%s %s %s) is %s, not %s: %.2f ulp", text[0], text[1],
                          text[2], test_text(s.out_dtype, got + (size_t)bad * item),
                          test_text(s.out_dtype, b), test_ulps(s.out_dtype, got + (size_t)bad * item, b));
            }
            free(got);
        }
        for (int k = 0; k < s.nin; k++)
            garray_release(x[k]);
        garray_release(y);
    }
}

/* Any layout of the operands, and several in one call, give the bits of contiguous operands. */
Test(elementwise, layouts)
{
    const test_golden *golden = test_golden_open("elementwise");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        struct sample s = sample_of(golden, i);
        if (!s.out_dtype)
            continue;
        int64_t columns = i % 3 == 0 ? 1 : i % 3 == 1 ? s.n : 13;
        s.n -= (int32_t)(s.n % columns);
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            garray_operand in[3], plain_in[3];
            garray_t *x[3] = { NULL }, *plain[3] = { NULL }, *y = NULL, *expected = NULL;
            test_context("%s of %s, %s, %d columns", test_operations[s.op].name,
                         garray_dtype_name((garray_dtype)main_dtype(&s)), test_layout_name(layout),
                         (int)columns);
            for (int k = 0; k < s.nin; k++) {
                void *values;
                x[k] = operand(&s, k, (layout + k * (i % 4)) % TEST_LAYOUTS, columns, &values);
                plain[k] = test_array(s.in[k]->dtype, TEST_CONTIGUOUS, garray_shape_of(x[k]), values);
                in[k] = garray_operand_array(x[k]);
                plain_in[k] = garray_operand_array(plain[k]);
                free(values);
            }
            if (TEST_OK(test_apply(s.op, plain_in, &expected)) && TEST_OK(test_apply(s.op, in, &y))) {
                char *bits = test_read(expected);
                TEST_EQUAL(y, bits, 0);
                TEST_EXPECT(garray_is_contiguous(y), "the result is not contiguous");
                free(bits);
            }
            for (int k = 0; k < s.nin; k++) {
                garray_release(x[k]);
                garray_release(plain[k]);
            }
            garray_release(y);
            garray_release(expected);
        }
    }
    TEST_NO_LEAK(mark);
}

/* Every second element of long rows, from the first, the second or the third: with its like, with a contiguous array, with one
 * row of it, and with an array of another dtype. */
Test(elementwise, every_second)
{
    static const int ops[] = { GARRAY_OP_add, GARRAY_OP_equal, GARRAY_OP_bitwise_xor };
    static const int64_t widths[] = { 256, 310, 4001 };
    for (TEST_DTYPES(d))
        for (int w = 0; w < 3; w++)
            for (int64_t start = 0; start < 3; start++) {
                int64_t columns = widths[w] / 2 + 1, rows = 5;
                garray_t *base = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(rows, 2 * columns + 2), NULL);
                garray_t *x = NULL, *copy = NULL;
                TEST_OK(garray_getitem(base, GARRAY_AT(GARRAY_ALL, GARRAY_STEP(start, start + 2 * columns - 1, 2)), &x));
                TEST_OK(garray_copy(x, &copy));
                for (int other = 0; other < 5; other++) {
                    garray_t *z = NULL, *plain = NULL;
                    if (other == 0)         /* another of its kind */
                        TEST_OK(garray_getitem(base, GARRAY_AT(GARRAY_REVERSED, GARRAY_STEP(0, 2 * columns - 1, 2)), &z));
                    else if (other == 1)
                        z = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(rows, columns), NULL);
                    else if (other == 2)    /* a row */
                        TEST_OK(garray_getitem(x, GARRAY_AT(1), &z));
                    else if (other == 3)    /* a column */
                        TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_RANGE(1, 2)), &z));
                    else
                        z = test_array(d == GARRAY_FLOAT32 ? GARRAY_FLOAT64 : GARRAY_FLOAT32, TEST_CONTIGUOUS,
                                       GARRAY_SHAPE(rows, columns), NULL);
                    TEST_OK(garray_copy(z, &plain));
                    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
                        garray_operand in[3] = { garray_operand_array(x), garray_operand_array(z) };
                        garray_operand plain_in[3] = { garray_operand_array(copy), garray_operand_array(plain) };
                        garray_t *y = NULL, *expected = NULL;
                        test_context("%s of %s, %d columns from %d, with %d", test_operations[ops[o]].name,
                                     garray_dtype_name((garray_dtype)d), (int)columns, (int)start, other);
                        if (ops[o] == GARRAY_OP_bitwise_xor && (d >= GARRAY_FLOAT16 || other == 4))
                            continue;
                        if (TEST_OK(test_apply(ops[o], plain_in, &expected)) && TEST_OK(test_apply(ops[o], in, &y))) {
                            char *bits = test_read(expected);
                            TEST_EQUAL(y, bits, 0);
                            free(bits);
                        }
                        garray_release(y);
                        garray_release(expected);
                    }
                    garray_release(z);
                    garray_release(plain);
                }
                garray_release(base);
                garray_release(x);
                garray_release(copy);
            }
}

/* Pairs of dtypes whose common one they are cast to on the way: as if they had been cast before. */
Test(elementwise, long_mixed)
{
    static const int lengths[] = { 2048, 5003 };
    for (TEST_DTYPES(d))
        for (TEST_DTYPES(e))
            for (int l = 0; l < 2 && d != e; l++) {
                garray_t *x = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(lengths[l]), NULL), *cast_x = NULL;
                garray_t *z = test_array(e, TEST_CONTIGUOUS, GARRAY_SHAPE(lengths[l]), NULL), *cast_z = NULL;
                garray_t *y = NULL, *expected = NULL;
                garray_dtype common;
                test_context("%s and %s, %d", garray_dtype_name((garray_dtype)d), garray_dtype_name((garray_dtype)e), lengths[l]);
                TEST_OK(garray_result_type(2, ((const garray_operand[]){ garray_operand_array(x), garray_operand_array(z) }),
                                           &common));
                TEST_OK(garray_astype(x, common, &cast_x));
                TEST_OK(garray_astype(z, common, &cast_z));
                if (TEST_OK(garray_add(cast_x, cast_z, &expected)) && TEST_OK(garray_add(x, z, &y))) {
                    char *bits = test_read(expected);
                    TEST_EQUAL(y, bits, 0);
                    free(bits);
                }
                garray_release(x);
                garray_release(z);
                garray_release(cast_x);
                garray_release(cast_z);
                garray_release(y);
                garray_release(expected);
            }
}

/* x = f(x, ...): the same bits, whether or not the memory can be used again. */
Test(elementwise, in_place)
{
    const test_golden *golden = test_golden_open("elementwise");
    for (int i = 0; i < golden->ncases; i++) {
        struct sample s = sample_of(golden, i);
        if (!s.out_dtype)
            continue;
        for (int layout = 0; layout < TEST_LAYOUTS; layout += 3) {
            garray_operand in[3];
            garray_t *x[3] = { NULL }, *expected = NULL;
            test_context("%s of %s, %s, in place", test_operations[s.op].name,
                         garray_dtype_name((garray_dtype)main_dtype(&s)), test_layout_name(layout));
            for (int k = 0; k < s.nin; k++) {
                void *values;
                x[k] = operand(&s, k, layout, 1, &values);
                in[k] = garray_operand_array(x[k]);
                free(values);
            }
            int slot = i % s.nin;
            if (TEST_OK(test_apply(s.op, in, &expected))) {
                char *bits = test_read(expected);
                if (TEST_OK(test_apply(s.op, in, &x[slot])))
                    TEST_EQUAL(x[slot], bits, 0);
                free(bits);
            }
            for (int k = 0; k < s.nin; k++)
                garray_release(x[k]);
            garray_release(expected);
        }
    }
}

/* ---- into ---- */

static const int into_ops[] = { GARRAY_OP_add,         GARRAY_OP_negative, GARRAY_OP_less,
                                GARRAY_OP_sqrt,        GARRAY_OP_abs,      GARRAY_OP_multiply,
                                GARRAY_OP_bitwise_xor, GARRAY_OP_where,    GARRAY_OP_clip };

/* Two operands of an operation with result: the contiguous result. */
static garray_t *result_of(int op, int dtype, garray_shape shape, garray_t *x[3], garray_operand in[3])
{
    garray_t *result = NULL;
    for (int k = 0; k < test_operations[op].nin; k++) {
        x[k] =
            test_array(op == GARRAY_OP_where && k == 0 ? GARRAY_BOOL : dtype, TEST_CONTIGUOUS, shape, NULL);
        in[k] = garray_operand_array(x[k]);
    }
    return test_apply(op, in, &result) == GARRAY_OK ? result : NULL;
}

/* Into views of every layout and every dtype that the result may be cast to: the cast result, and nothing
 * beside. */
Test(elementwise, into_views)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (size_t o = 0; o < sizeof into_ops / sizeof into_ops[0]; o++) {
            int op = into_ops[o];
            for (int s = 0; s < test_shape_count; s++) {
                garray_operand in[3];
                garray_t *x[3] = { NULL }, *result = result_of(op, d, test_shapes[s], x, in);
                for (TEST_DTYPES(to)) {
                    if (!result)
                        break;
                    int layout = (to + s + (int)o) % TEST_LAYOUTS;
                    if (test_layout_repeats(layout))
                        layout = TEST_NEGATIVE;
                    garray_t *view = test_array(to, layout, test_shapes[s], NULL), *cast = NULL;
                    size_t size;
                    unsigned char *before = test_snapshot(view, &size), *after;
                    bool allowed =
                        garray_can_cast(garray_dtype_of(result), (garray_dtype)to, GARRAY_CAST_SAME_KIND);
                    test_context("%s of %s, shape %d, into %s %s", test_operations[op].name,
                                 garray_dtype_name((garray_dtype)d), s, test_layout_name(layout),
                                 garray_dtype_name((garray_dtype)to));
                    if (!allowed) {
                        TEST_STATUS(ERR_DTYPE, test_apply(op, in, garray_into(view)));
                        after = test_snapshot(view, &size);
                        TEST_EXPECT(memcmp(before, after, size) == 0, "a failed call wrote");
                    } else {
                        if (TEST_OK(test_apply(op, in, garray_into(view)))
                            && TEST_OK(garray_astype(result, (garray_dtype)to, &cast))) {
                            char *bits = test_read(cast);
                            TEST_EQUAL(view, bits, 0);
                            free(bits);
                        }
                        after = test_snapshot(view, &size);
                        test_erase(view, before);
                        test_erase(view, after);
                        TEST_EXPECT(memcmp(before, after, size) == 0, "wrote beside the view");
                    }
                    free(before);
                    free(after);
                    garray_release(view);
                    garray_release(cast);
                }
                for (int k = 0; k < 3; k++)
                    garray_release(x[k]);
                garray_release(result);
            }
        }
    TEST_NO_LEAK(mark);
}

/* ---- overlap ---- */

enum { LENGTH = 700 };

/* Ranges of one vector; the result goes to the second, an operand is the first. */
static const struct {
    int64_t in_start, in_step, out_start, out_step;
} overlaps[] = {
    { 0, 1, 1, 1 }, { 1, 1, 0, 1 }, { 0, 1, 0, 1 }, { 7, 1, 3, 1 }, { 0, 1, 300, 1 },
    { 299, -1, 0, 1 }, { 0, 1, 299, -1 }, { 0, 2, 0, 1 }, { 0, 1, 0, 2 }, { 0, 2, 1, 2 }, { 1, 2, 0, 2 },
};

Test(elementwise, overlap)
{
    static const int ops[] = { GARRAY_OP_positive,   GARRAY_OP_negative, GARRAY_OP_add,
                               GARRAY_OP_maximum,    GARRAY_OP_clip,     GARRAY_OP_exp,
                               GARRAY_OP_bitwise_and };
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
            for (size_t i = 0; i < sizeof overlaps / sizeof overlaps[0]; i++)
                for (int shift = 0; shift < 2; shift++) {
                    garray_t *base =
                        test_array(d, shift ? TEST_MISALIGNED : TEST_CONTIGUOUS, GARRAY_SHAPE(LENGTH), NULL);
                    garray_t *in = NULL, *into = NULL, *copy = NULL, *expected = NULL, *other;
                    int64_t count = overlaps[i].in_step == 1 || overlaps[i].in_step == -1 ? 300 : 340;
                    int64_t n = count < 300 ? count : 300;
                    other = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(n), NULL);
                    test_context("%s of %s, overlap %zu%s", test_operations[ops[o]].name,
                                 garray_dtype_name((garray_dtype)d), i, shift ? ", misaligned" : "");
                    int64_t in_end = overlaps[i].in_start + n * overlaps[i].in_step;
                    int64_t out_end = overlaps[i].out_start + n * overlaps[i].out_step;
                    garray_index in_range =
                        in_end < 0 ? garray_at_make(GARRAY_INDEX_SLICE, 5, overlaps[i].in_start, 0, -1)
                                   : GARRAY_STEP(overlaps[i].in_start, in_end, overlaps[i].in_step);
                    garray_index out_range =
                        out_end < 0 ? garray_at_make(GARRAY_INDEX_SLICE, 5, overlaps[i].out_start, 0, -1)
                                    : GARRAY_STEP(overlaps[i].out_start, out_end, overlaps[i].out_step);
                    if (!TEST_OK(garray_getitem(base, GARRAY_AT(in_range), &in))
                        || !TEST_OK(garray_getitem(base, GARRAY_AT(out_range), &into))
                        || !TEST_OK(garray_copy(in, &copy)))
                        return;
                    garray_operand direct[3] = { garray_operand_array(in), garray_operand_array(other),
                                                 garray_operand_array(in) };
                    garray_operand copied[3] = { garray_operand_array(copy), garray_operand_array(other),
                                                 garray_operand_array(copy) };
                    if (test_apply(ops[o], copied, &expected) == GARRAY_OK &&
                        garray_can_cast(garray_dtype_of(expected), (garray_dtype)d, GARRAY_CAST_SAME_KIND)) {
                        garray_t *cast = NULL;
                        if (TEST_OK(garray_astype(expected, (garray_dtype)d, &cast))
                            && TEST_OK(test_apply(ops[o], direct, garray_into(into)))) {
                            char *bits = test_read(cast);
                            TEST_EQUAL(into, bits, 0);
                            free(bits);
                        }
                        garray_release(cast);
                    }
                    garray_release(base);
                    garray_release(in);
                    garray_release(into);
                    garray_release(copy);
                    garray_release(expected);
                    garray_release(other);
                }
    TEST_NO_LEAK(mark);
}
