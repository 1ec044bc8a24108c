/* SPDX-License-Identifier: BSD-3-Clause
 * Printing: NumPy's text byte for byte, options, and what printing costs a device. */
#include "test.h"
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

static char *format(const garray_t *x, const garray_print_opts *opts)
{
    size_t length = 0, again = 0;
    if (!TEST_OK(garray_format(x, opts, NULL, 0, &length)))
        return NULL;
    char *text = malloc(length + 1);
    if (!TEST_OK(garray_format(x, opts, text, length + 1, &again)) || !TEST_EXPECT(strlen(text) == length && again == length,
                                                                                   "length %zu is wrong", length)) {
        free(text);
        return NULL;
    }
    return text;
}

static void expect_text(const garray_t *x, const garray_print_opts *opts, const char *expected)
{
    char *text = format(x, opts);
    if (text)
        TEST_EXPECT(strcmp(text, expected) == 0, "got\n%s\nexpected\n%s", text, expected);
    free(text);
}

static void against_golden(int layout, int step)
{
    static const test_golden *g;
    g = g ? g : test_golden_open("print");
    test_mark mark = test_memory();
    for (int32_t i = 0; i < g->ncases; i += step) {
        const int32_t *c = g->cases + (size_t)i * (size_t)g->width;
        const test_block *data = &g->block[c[1]], *shape = &g->block[c[2]], *text = &g->block[c[3]];
        garray_print_opts opts = { .suppress = c[8], .sign = c[9], .repr = c[10] };
        garray_operand *option[4] = { &opts.precision, &opts.threshold, &opts.edgeitems, &opts.linewidth };
        for (int k = 0; k < 4; k++)
            if (c[4 + k] >= 0)
                *option[k] = garray_operand_int(c[4 + k]);
        size_t size = (size_t)data->n * garray_dtype_size((garray_dtype)c[0]);
        char *values = malloc(size + 1), *expected = calloc(1, (size_t)text->n + 1);
        memcpy(values, data->data, size);
        memcpy(expected, text->data, (size_t)text->n);
        test_context("case %d, %s, %s", (int)i, garray_dtype_name((garray_dtype)c[0]), test_layout_name(layout));
        garray_t *x = test_array(c[0], layout, GARRAY_DIMS(shape->n, shape->data), values);
        expect_text(x, &opts, expected);
        garray_release(x);
        free(values);
        free(expected);
    }
    TEST_NO_LEAK(mark);
}

Test(print, against_numpy)
{
    against_golden(TEST_CONTIGUOUS, 1);
}

Test(print, layouts)
{
    against_golden(TEST_TRANSPOSED, 7);
    against_golden(TEST_NEGATIVE, 7);
    against_golden(TEST_SLICED, 7);
    against_golden(TEST_MISALIGNED, 7);
    against_golden(TEST_MIXED, 7);
}

/* By float16's rules, with the digits that tell bfloat16 numbers apart. */
Test(print, bfloat16)
{
    static const struct {
        int n;
        double values[4];
        int repr;
        const char *text;
    } table[] = {
        { 4, { 1, 2.5, 300, 1.0 / 3 }, 1, "array([  1.   ,   2.5  , 300.   ,   0.334], dtype=bfloat16)" },
        { 4, { 1, 2.5, 1e10, 1.0 / 3 }, 0, "[1.00e+00 2.50e+00 1.00e+10 3.34e-01]" },
        { 2, { INFINITY, -0.0 }, 0, "[inf -0.]" },
        { 1, { 3e38 }, 0, "[3.e+38]" },
        { 1, { 0x1p-133 }, 0, "[9.e-41]" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint16_t values[4];
        garray_t *x = NULL;
        for (int k = 0; k < table[i].n; k++)
            test_store(GARRAY_BFLOAT16, &values[k], table[i].values[k], 0);
        test_context("row %zu", i);
        TEST_OK(garray_from_host(values, GARRAY_BFLOAT16, GARRAY_SHAPE(table[i].n), NULL, test_device(), &x));
        expect_text(x, GARRAY_KW(print, .repr = table[i].repr), table[i].text);
        garray_release(x);
    }
}

Test(print, as_snprintf)
{
    garray_t *x = NULL;
    char buf[8] = "#######";
    size_t length = 0;
    const int64_t values[] = { 1, 2, 3 };
    TEST_OK(garray_from_host(values, GARRAY_INT64, GARRAY_SHAPE(3), NULL, test_device(), &x));
    TEST_OK(garray_format(x, NULL, buf, 4, &length));
    TEST_EXPECT(strcmp(buf, "[1 ") == 0 && buf[4] == '#' && length == 7, "got '%s', length %zu", buf, length);
    TEST_OK(garray_format(x, NULL, buf, sizeof buf, NULL));
    TEST_EXPECT(strcmp(buf, "[1 2 3]") == 0, "got '%s'", buf);
    garray_release(x);
}

Test(print, locale)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "cs_CZ.UTF-8" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    garray_t *x = NULL;
    const double values[] = { 0.5, 1e-30 };
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(2), NULL, test_device(), &x));
    expect_text(x, NULL, "[5.e-01 1.e-30]");
    garray_release(x);
    setlocale(LC_ALL, "C");
}

Test(print, to_standard_output)
{
    garray_t *x = NULL;
    char got[64] = "";
    const int8_t values[] = { 1, 2, 3, 4 };
    TEST_OK(garray_from_host(values, GARRAY_INT8, GARRAY_SHAPE(2, 2), NULL, test_device(), &x));
    FILE *scratch = tmpfile();
    cr_assert(scratch);
    int file = fileno(scratch), out = dup(1);
    fflush(stdout);
    dup2(file, 1);
    garray_status st = garray_print(x, NULL);
    dup2(out, 1);
    TEST_STATUS(OK, st);
    cr_assert(pread(file, got, sizeof got - 1, 0) > 0);
    TEST_EXPECT(strcmp(got, "[[1 2]\n [3 4]]\n") == 0, "got '%s'", got);
    fclose(scratch);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        dup2(fileno(full), 1);
        st = garray_print(x, NULL);
        dup2(out, 1);
        fclose(full);
        TEST_STATUS(ERR_IO, st);
    }
    close(out);
    garray_release(x);
}

Test(print, errors)
{
    garray_t *x = NULL;
    char buf[4];
    const garray_print_opts negative = { .precision = garray_operand_int(-1) }, real = { .edgeitems = garray_operand_double(2.5) },
                            nan = { .threshold = garray_operand_double(NAN) }, sign = { .sign = 'x' };
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT32, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_format(NULL, NULL, buf, sizeof buf, NULL));
    TEST_MESSAGE("garray_format: ", "x is NULL");
    TEST_STATUS(ERR_INVALID, garray_format(x, NULL, NULL, 4, NULL));
    TEST_STATUS(ERR_INVALID, garray_format(x, &negative, buf, sizeof buf, NULL));
    TEST_MESSAGE("precision", "-1");
    TEST_STATUS(ERR_INVALID, garray_format(x, &real, buf, sizeof buf, NULL));
    TEST_MESSAGE("edgeitems must be an integer");
    TEST_STATUS(ERR_INVALID, garray_format(x, &nan, buf, sizeof buf, NULL));
    TEST_STATUS(ERR_INVALID, garray_format(x, &sign, buf, sizeof buf, NULL));
    TEST_STATUS(ERR_INVALID, garray_print(NULL, NULL));
    garray_release(x);
}
