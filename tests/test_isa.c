/* SPDX-License-Identifier: BSD-3-Clause
 * The bits of a result do not depend on the instruction set, nor on the number of threads (BLAS and LAPACK
 * apart). This program run with GARRAY_TEST_CHILD=1 writes one line per operation and dtype with a hash of
 * its results; the test runs it under several settings and compares.  tests/compare_hashes does so for two
 * builds. */
#include <stdio.h>
#include "operations.h"

enum { ROWS = 211, COLUMNS = 257, SIZE = ROWS * COLUMNS };

/* FNV-1a over the elements; all NaN count as one, since which of two comes through is the processor's choice.
 */
static uint64_t hash(const garray_t *x)
{
    int d = garray_dtype_of(x);
    int parts = d >= GARRAY_COMPLEX64 ? 2 : 1;
    size_t item = garray_dtype_size((garray_dtype)d) / (size_t)parts;
    int part = d == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : d == GARRAY_COMPLEX128 ? GARRAY_FLOAT64 : d;
    unsigned char *values = test_read(x);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < garray_size(x) * parts; i++) {
        uint64_t word = 0;
        memcpy(&word, values + (size_t)i * item, item);
        if (part >= GARRAY_FLOAT16 && isnan(test_load(part, values + (size_t)i * item)))
            word = UINT64_C(0x7ff8dead);
        h = (h ^ word) * UINT64_C(0x100000001b3);
        h ^= h >> 29;
    }
    free(values);
    return h;
}

static void report(const char *name, int dtype, garray_status status, garray_t **y)
{
    if (status == GARRAY_OK)
        printf("%s %s %016llx\n", name, garray_dtype_name((garray_dtype)dtype), (unsigned long long)hash(*y));
    else if (status != GARRAY_ERR_DTYPE)
        printf("%s %s %s\n", name, garray_dtype_name((garray_dtype)dtype), garray_error_message());
    garray_release(*y);
    *y = NULL;
}

/* Random bits for one half, ordinary numbers for the other. */
static garray_t *operand(int dtype, int layout, uint64_t seed)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc(SIZE * item);
    test_random(dtype, SIZE, seed, values);
    if (dtype >= GARRAY_FLOAT16)
        test_random(GARRAY_UINT8, (int64_t)(SIZE / 2 * item), seed + 1, values);
    garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(ROWS, COLUMNS), values);
    free(values);
    return x;
}

typedef garray_status reduction(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                                garray_t **out);

static void reductions(int d, const garray_t *x, const char *kind)
{
    static const struct {
        const char *name;
        reduction *function;
    } table[] = { { "sum", garray_sum },
                  { "prod", garray_prod },
                  { "min", garray_min },
                  { "max", garray_max },
                  { "mean", garray_mean },
                  { "any", garray_any },
                  { "count_nonzero", garray_count_nonzero } };
    garray_t *y = NULL;
    char name[64];
    for (int axis = -1; axis < 2; axis++) {
        garray_axes axes = axis < 0 ? GARRAY_ALL_AXES : GARRAY_AXES(axis);
        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
            snprintf(name, sizeof name, "%s/%d/%s", table[i].name, axis, kind);
            report(name, d, table[i].function(x, axes, NULL, &y), &y);
        }
        snprintf(name, sizeof name, "var/%d/%s", axis, kind);
        report(name, d, garray_var(x, axes, NULL, &y), &y);
        snprintf(name, sizeof name, "argmax/%d/%s", axis, kind);
        report(name, d, garray_argmax(x, axes, NULL, &y), &y);
        if (axis >= 0) {
            snprintf(name, sizeof name, "cumulative_sum/%d/%s", axis, kind);
            report(name, d, garray_cumulative_sum(x, axes, NULL, &y), &y);
            snprintf(name, sizeof name, "sort/%d/%s", axis, kind);
            report(name, d, garray_sort(x, axis, NULL, &y), &y);
            snprintf(name, sizeof name, "argsort/%d/%s", axis, kind);
            report(name, d, garray_argsort(x, axis, NULL, &y), &y);
        }
    }
}

int test_child(void)
{
    for (TEST_DTYPES(d)) {
        garray_t *x[3] = { operand(d, TEST_CONTIGUOUS, 1), operand(d, TEST_CONTIGUOUS, 3),
                           operand(d, TEST_TRANSPOSED, 5) };
        garray_t *mask = operand(GARRAY_BOOL, TEST_SLICED, 7), *y = NULL;
        for (int op = 1; op < TEST_OPERATIONS; op++) {
            int nin = test_operations[op].nin;
            garray_operand in[3] = { garray_operand_array(op == GARRAY_OP_where ? mask : x[0]),
                                     garray_operand_array(x[1]), garray_operand_array(x[2]) };
            report(test_operations[op].name, d, test_apply(op, in, &y), &y);
            if (nin < 2)
                continue;
            char name[64];
            snprintf(name, sizeof name, "%s/strided", test_operations[op].name);
            in[1] = garray_operand_array(x[2]);
            report(name, d, test_apply(op, in, &y), &y);
        }
        for (TEST_DTYPES(to)) {
            char name[64];
            snprintf(name, sizeof name, "to_%s", garray_dtype_name((garray_dtype)to));
            report(name, d, garray_astype(x[0], (garray_dtype)to, &y), &y);
        }
        garray_t *numbers = NULL;   /* without NaN */
        if (garray_getitem(x[0], GARRAY_AT(GARRAY_FROM(ROWS / 2 + 1)), &numbers) == GARRAY_OK) {
            reductions(d, numbers, "rows");
            garray_release(numbers);
        }
        reductions(d, x[2], "columns");
        garray_t *arrays[] = { x[0], x[1], x[2], mask };
        for (int i = 0; i < 4; i++)
            garray_release(arrays[i]);
    }
    return 0;
}

/* ---- comparing ---- */

static void compare(const char *expected, const char *got, const char *setting)
{
    while (*expected || *got) {
        size_t a = strcspn(expected, "\n"), b = strcspn(got, "\n");
        if (a != b || memcmp(expected, got, a) != 0)
            test_fail(__FILE__, __LINE__, "%s: \"%.*s\", not \"%.*s\"", setting, (int)b, got, (int)a,
                      expected);
        expected += a + (expected[a] == '\n');
        got += b + (got[b] == '\n');
    }
}

Test(isa, same_bits, .timeout = 280)
{
    static const char *const settings[][3] = {
        { "GARRAY_CPU_ISA=v4", "GARRAY_NUM_THREADS=1", NULL },      /* the first is the measure */
        { "GARRAY_CPU_ISA=v2", "GARRAY_NUM_THREADS=2", NULL },
        { "GARRAY_CPU_ISA=v3", "GARRAY_NUM_THREADS=3", NULL },
        { "GARRAY_CPU_ISA=v4", "GARRAY_NUM_THREADS=3", NULL },
    };
    char *measure = NULL;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char setting[80];
        int status;
        snprintf(setting, sizeof setting, "%s %s", settings[i][0], settings[i][1]);
        char *text = test_run_child(settings[i], &status);
        TEST_EXPECT(status == 0, "%s ends with %d", setting, status);
        const char *message = strstr(text, "garray_");
        TEST_EXPECT(!message, "%s: %.*s", setting, message ? (int)strcspn(message, "\n") : 0, message);
        TEST_EXPECT(strlen(text) > 20000, "%s writes %zu bytes only", setting, strlen(text));
        if (measure) {
            compare(measure, text, setting);
            free(text);
        } else {
            measure = text;
        }
    }
    free(measure);
}
