/* SPDX-License-Identifier: BSD-3-Clause
 * x[items] and x[items] = value: random mixes of every kind of item against NumPy, every dtype and layout, overlap,
 * masks, take, take_along_axis, nonzero, text, and indices out of range. */
#include <stdio.h>
#include "core/array.h"
#include "wide.h"

/* ---- golden ---- */

enum { GET, SET, WRONG };
enum { MAX_ITEMS = 6, ITEM = 10 };

struct given {
    int mode;
    int64_t shape[5], ndim;
    garray_index items[MAX_ITEMS];
    garray_t *arrays[MAX_ITEMS];
    int n;
    const int32_t *result, *value;      /* ndim, eight lengths, block */
};

static garray_shape read_shape(const int32_t *at, int64_t ndim, int64_t *room)
{
    for (int64_t i = 0; i < ndim; i++)
        room[i] = at[i];
    return GARRAY_DIMS(ndim, room);
}

/* Layouts whose elements all have places of their own. */
static int layout_of(int i)
{
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_TRANSPOSED, TEST_NEGATIVE, TEST_SLICED, TEST_PADDED, TEST_MISALIGNED,
                                   TEST_MIXED };
    return layouts[i % 7];
}

static garray_t *array_of(const test_golden *golden, int block, int layout, garray_shape shape)
{
    const test_block *b = &golden->block[block];
    size_t size = (size_t)b->n * garray_dtype_size((garray_dtype)b->dtype);
    void *values = malloc(size + 1);
    memcpy(values, b->data, size);
    garray_t *x = test_array(b->dtype, layout, shape, values);
    free(values);
    return x;
}

static void open_given(const test_golden *golden, int i, struct given *g)
{
    const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width, *item = row + 8;
    g->mode = row[0];
    g->ndim = row[1];
    (void)read_shape(row + 2, 5, g->shape);
    g->n = row[7];
    for (int k = 0; k < g->n; k++, item += ITEM) {
        int64_t room[3];
        g->arrays[k] = NULL;
        g->items[k] = garray_at_make(item[0], item[1], item[2], item[3], item[4]);
        if (item[0] == GARRAY_INDEX_ARRAY)
            g->items[k].array = g->arrays[k] = array_of(golden, item[5], layout_of(i + k), read_shape(item + 7, item[6], room));
    }
    g->result = row + 8 + MAX_ITEMS * ITEM;
    g->value = g->result + 10;
}

static void close_given(struct given *g)
{
    for (int k = 0; k < g->n; k++)
        garray_release(g->arrays[k]);
}

static const char *describe(const struct given *g, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s of (", g->mode == SET ? "set" : "get");
    for (int64_t i = 0; i < g->ndim; i++)
        at += (size_t)snprintf(text + at, size - at, "%d,", (int)g->shape[i]);
    at += (size_t)snprintf(text + at, size - at, ")[");
    for (int k = 0; k < g->n; k++) {
        const garray_index *item = &g->items[k];
        if (item->kind == GARRAY_INDEX_INT)
            at += (size_t)snprintf(text + at, size - at, "%d, ", (int)item->start);
        else if (item->kind == GARRAY_INDEX_SLICE)
            at += (size_t)snprintf(text + at, size - at, "%d:%d:%d/%x, ", (int)item->start, (int)item->stop, (int)item->step,
                                   item->has);
        else if (item->kind == GARRAY_INDEX_ARRAY)
            at += (size_t)snprintf(text + at, size - at, "%s of %d axes, ", garray_dtype_name(garray_dtype_of(item->array)),
                                   garray_ndim(item->array));
        else
            at += (size_t)snprintf(text + at, size - at, item->kind == GARRAY_INDEX_NEWAXIS ? "None, " : "..., ");
    }
    snprintf(text + at, size - at, "]");
    return text;
}

Test(index, against_numpy)
{
    const test_golden *golden = test_golden_open("index");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        struct given g;
        char text[300];
        int64_t room[8];
        open_given(golden, i, &g);
        garray_shape shape = GARRAY_DIMS(g.ndim, g.shape), expected = read_shape(g.result + 1, g.result[0], room);
        int64_t size = test_count(shape);
        int16_t *values = malloc((size_t)(size + 1) * sizeof *values);
        for (int64_t e = 0; e < size; e++)
            values[e] = (int16_t)e;
        garray_t *x = test_array(GARRAY_INT16, layout_of(i / 2), shape, values), *y = NULL;
        garray_indices items = { g.n, g.items };
        test_context("case %d, %s: %s", i, test_layout_name(layout_of(i / 2)), describe(&g, text, sizeof text));
        if (g.mode == WRONG) {
            TEST_STATUS(ERR_INDEX, garray_getitem(x, items, &y));
            TEST_STATUS(ERR_INDEX, garray_setitem(x, items, 1));
            TEST_EQUAL(x, values, 0);
        } else if (g.mode == GET && TEST_OK(garray_getitem(x, items, &y))) {
            bool same = garray_ndim(y) == expected.n, view = true;
            for (int64_t k = 0; k < expected.n && same; k++)
                same = garray_shape_of(y).v[k] == expected.v[k];
            if (TEST_EXPECT(same, "the shape is wrong"))
                TEST_EQUAL(y, golden->block[g.result[9]].data, 0);
            for (int k = 0; k < g.n; k++)
                view = view && !g.arrays[k];
            TEST_EXPECT((y->buffer == x->buffer) == view, "the result is %s", view ? "a copy" : "a view");
        } else if (g.mode == SET) {
            garray_t *value = array_of(golden, g.value[9], layout_of(i / 3), read_shape(g.value + 1, g.value[0], room));
            size_t bytes;
            unsigned char *before = test_snapshot(x, &bytes), *after;
            if (TEST_OK(garray_setitem(x, items, value)))
                TEST_EQUAL(x, golden->block[g.result[9]].data, 0);
            after = test_snapshot(x, &bytes);
            test_erase(x, before);
            test_erase(x, after);
            TEST_EXPECT(memcmp(before, after, bytes) == 0, "wrote beside the array");
            free(before);
            free(after);
            garray_release(value);
        }
        free(values);
        garray_release(x);
        garray_release(y);
        close_given(&g);
    }
    TEST_NO_LEAK(mark);
}

/* ---- every dtype ---- */

/* Reading and writing rows, columns and single elements by ranges, integers and masks, for each size of element. */
Test(index, dtypes)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int l = 0; l < 7; l++) {
            enum { M = 7, N = 5 };
            size_t item = garray_dtype_size((garray_dtype)d);
            char values[M * N * 16], expected[M * N * 16];
            static const int32_t at[] = { 6, 0, -2, 6 };
            static const int64_t rows[] = { 6, 0, 5, 6 };
            uint8_t where[M * N];
            test_random(d, M * N, 3, values);
            test_random(GARRAY_BOOL, M * N, 4, where);
            garray_t *x = test_array(d, layout_of(l), GARRAY_SHAPE(M, N), values), *y = NULL, *index = NULL, *mask = NULL,
                     *z = NULL;
            test_context("%s, %s", garray_dtype_name((garray_dtype)d), test_layout_name(layout_of(l)));
            TEST_OK(garray_from_host(at, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), &index));
            mask = test_array(GARRAY_BOOL, layout_of(l + 1), GARRAY_SHAPE(M, N), where);
            int64_t count = 0;
            for (int i = 0; i < 4; i++)
                memcpy(expected + (size_t)i * N * item, values + (size_t)rows[i] * N * item, N * item);
            if (TEST_OK(garray_getitem(x, GARRAY_AT(index), &y)))
                TEST_EQUAL(y, expected, 0);
            if (TEST_OK(garray_take(x, index, GARRAY_AXES(0), &y)))
                TEST_EQUAL(y, expected, 0);
            for (int i = 0; i < M * N; i++)
                if (where[i])
                    memcpy(expected + (size_t)count++ * item, values + (size_t)i * item, item);
            if (TEST_OK(garray_getitem(x, GARRAY_AT(mask), &y)) && TEST_EXPECT(garray_size(y) == count, "the number is wrong"))
                TEST_EQUAL(y, expected, 0);
            /* put back what was taken, backwards, then all as it was */
            if (TEST_OK(garray_flip(y, GARRAY_ALL_AXES, &z)) && TEST_OK(garray_setitem(x, GARRAY_AT(mask), z))
                && TEST_OK(garray_getitem(x, GARRAY_AT(mask), &z)) && TEST_OK(garray_flip(z, GARRAY_ALL_AXES, &z)))
                TEST_EQUAL(z, expected, 0);
            if (TEST_OK(garray_setitem(x, GARRAY_AT(mask), y)))
                TEST_EQUAL(x, values, 0);
            /* a number under a mask: rounded to the dtype */
            memcpy(expected, values, sizeof values);
            for (int i = 0; i < M * N; i++)
                if (where[i])
                    test_store(d, expected + (size_t)i * item, 3.25, 0);
            if (TEST_OK(garray_setitem(x, GARRAY_AT(mask), 3.25)))
                TEST_EQUAL(x, expected, 0);
            garray_release(x);
            garray_release(y);
            garray_release(z);
            garray_release(index);
            garray_release(mask);
        }
    TEST_NO_LEAK(mark);
}

/* ---- overlap: as if the value had been copied first ---- */

Test(index, overlap)
{
    static const struct {
        int64_t to[3], from[3];         /* start, stop, step */
    } table[] = { { { 1, 50, 1 }, { 0, 49, 1 } }, { { 0, 49, 1 }, { 1, 50, 1 } }, { { 49, -51, -1 }, { 0, 50, 1 } },
                  { { 0, 20, 2 }, { 0, 10, 1 } }, { { 0, 10, 1 }, { 0, 20, 2 } }, { { 5, 30, 1 }, { 4, 29, 1 } } };
    for (TEST_DTYPES(d))
        for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
            size_t item = garray_dtype_size((garray_dtype)d);
            char values[50 * 16], expected[50 * 16];
            test_random(d, 50, 3, values);
            memcpy(expected, values, sizeof values);
            const int64_t *to = table[t].to, *from = table[t].from;
            int64_t n = (from[1] - from[0] + from[2] - 1) / from[2];
            for (int64_t i = 0; i < n; i++)
                memcpy(expected + (size_t)(to[0] + i * to[2]) * item, values + (size_t)(from[0] + i * from[2]) * item, item);
            garray_t *x = test_array(d, TEST_CONTIGUOUS, GARRAY_SHAPE(50), values), *part = NULL;
            test_context("%s, row %zu", garray_dtype_name((garray_dtype)d), t);
            TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_STEP(from[0], from[1], from[2])), &part));
            if (TEST_OK(garray_setitem(x, GARRAY_AT(GARRAY_STEP(to[0], to[1], to[2])), part)))
                TEST_EQUAL(x, expected, 0);
            garray_release(x);
            garray_release(part);
        }
    /* by index arrays that the assignment changes, or whose values it reads: x[x] = x[::-1] */
    const int64_t order[] = { 2, 0, 1, 4, 3 }, result[] = { 4, 1, 3, 2, 0 };        /* x[2] = 3, x[0] = 4, x[1] = 1, ... */
    garray_t *x = NULL, *turned = NULL;
    TEST_OK(garray_from_host(order, GARRAY_INT64, GARRAY_SHAPE(5), NULL, test_device(), &x));
    TEST_OK(garray_flip(x, GARRAY_ALL_AXES, &turned));
    test_context("x[x] = x[::-1]");
    if (TEST_OK(garray_setitem(x, GARRAY_AT(x), turned)))
        TEST_EQUAL(x, result, 0);
    garray_release(x);
    garray_release(turned);
}

/* Many indices for few places: of each place the last value stays. */
Test(index, last_wins)
{
    enum { N = 20000, PLACES = 37 };
    int32_t *at = malloc(N * sizeof *at);
    double *values = malloc(N * sizeof *values), expected[PLACES] = { 0 };
    uint64_t state = 9;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            at[i] = (int32_t)(test_random_word(&state) % PLACES) - (round == 1 ? PLACES : 0);
            values[i] = i;
            expected[at[i] < 0 ? at[i] + PLACES : at[i]] = i;
        }
        garray_t *x = NULL, *index = NULL, *value = NULL;
        garray_shape shape = round == 2 ? GARRAY_SHAPE(100, N / 100) : GARRAY_SHAPE(N);
        TEST_OK(garray_zeros(GARRAY_SHAPE(PLACES), GARRAY_FLOAT64, test_device(), &x));
        TEST_OK(garray_from_host(at, GARRAY_INT32, shape, NULL, test_device(), &index));
        TEST_OK(garray_from_host(values, GARRAY_FLOAT64, shape, NULL, test_device(), &value));
        for (int again = 0; again < 5; again++)
            if (TEST_OK(garray_setitem(x, GARRAY_AT(index), value)))
                TEST_EQUAL(x, expected, 0);
        garray_release(x);
        garray_release(index);
        garray_release(value);
    }
    free(at);
    free(values);
}

/* The same of more items and places than a cache holds: an array of one axis, and of two of them, one from behind. */
Test(index, last_wins_of_many)
{
    enum { N = 1100000, ROWS = 2100, COLUMNS = 2003, PLACES = ROWS * COLUMNS };
    static const int dtypes[] = { GARRAY_INT8, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64 };
    int64_t *at = malloc(N * sizeof *at), *row = malloc(N * sizeof *row);
    int32_t *column = malloc(N * sizeof *column);
    char *values = malloc((size_t)N * 8), *expected = malloc((size_t)PLACES * 8);
    uint64_t state = 21;
    for (int i = 0; i < N; i++) {
        at[i] = (int64_t)(test_random_word(&state) % (PLACES / 4)) * 3;
        row[i] = at[i] / COLUMNS;
        column[i] = (int32_t)(at[i] % COLUMNS) - (i % 2 ? COLUMNS : 0);
    }
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
        for (int two = 0; two < 2; two++) {
            size_t item = garray_dtype_size((garray_dtype)dtypes[k]);
            garray_t *x = NULL, *index = NULL, *second = NULL, *value = NULL;
            test_context("%s, %d index arrays", garray_dtype_name((garray_dtype)dtypes[k]), two + 1);
            test_random(dtypes[k], N, 3, values);
            memset(expected, 0, (size_t)PLACES * item);
            for (int i = 0; i < N; i++)
                memcpy(expected + (size_t)at[i] * item, values + (size_t)i * item, item);
            TEST_OK(garray_zeros(two ? GARRAY_SHAPE(ROWS, COLUMNS) : GARRAY_SHAPE(PLACES), (garray_dtype)dtypes[k],
                                 test_device(), &x));
            TEST_OK(garray_from_host(two ? row : at, GARRAY_INT64, GARRAY_SHAPE(N), NULL, test_device(), &index));
            TEST_OK(garray_from_host(column, GARRAY_INT32, GARRAY_SHAPE(N), NULL, test_device(), &second));
            TEST_OK(garray_from_host(values, (garray_dtype)dtypes[k], GARRAY_SHAPE(N), NULL, test_device(), &value));
            if (two ? TEST_OK(garray_setitem(x, GARRAY_AT(index, second), value))
                    : TEST_OK(garray_setitem(x, GARRAY_AT(index), value)))
                TEST_EQUAL(x, expected, 0);
            garray_release(x);
            garray_release(index);
            garray_release(second);
            garray_release(value);
        }
    free(at);
    free(row);
    free(column);
    free(values);
    free(expected);
}

/* More index arrays than a plan of the backends holds, and masks of as many axes, in either memory order. */
Test(index, many_arrays)
{
    enum { AXES = 6, N = 20, SIZE = 144 };
    static const int64_t lengths[AXES] = { 2, 3, 2, 2, 3, 2 };
    int32_t values[SIZE], expected[SIZE], fresh[SIZE];
    int64_t at[AXES][N];
    uint64_t state = 5;
    for (int i = 0; i < SIZE; i++) {
        values[i] = i;
        fresh[i] = 1000 + i;
    }
    for (int fortran = 0; fortran < 2; fortran++) {
        garray_t *x = NULL, *y = NULL, *mask = NULL, *value = NULL, *index[AXES] = { NULL };
        test_context(fortran ? "Fortran order" : "C order");
        TEST_OK(garray_from_host(values, GARRAY_INT32, GARRAY_DIMS(AXES, lengths), NULL, test_device(), &x));
        if (fortran) {
            TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, &x));
            TEST_OK(garray_copy(x, &x));
            TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, &x));
        }
        for (int k = 0; k < AXES; k++) {
            for (int i = 0; i < N; i++)
                at[k][i] = (int64_t)(test_random_word(&state) % (uint64_t)(2 * lengths[k])) - lengths[k];
            TEST_OK(garray_from_host(at[k], GARRAY_INT64, GARRAY_SHAPE(N), NULL, test_device(), &index[k]));
        }
        /* mask first: the values are in order */
        TEST_OK(garray_greater(x, 70, &mask));
        if (TEST_OK(garray_getitem(x, GARRAY_AT(mask), &y)))
            TEST_EQUAL(y, values + 71, 0);
        for (int i = 0; i < N; i++) {
            expected[i] = 0;
            for (int k = 0; k < AXES; k++)
                expected[i] = expected[i] * (int32_t)lengths[k] + (int32_t)((at[k][i] + lengths[k]) % lengths[k]);
        }
        if (TEST_OK(garray_getitem(x, GARRAY_AT(index[0], index[1], index[2], index[3], index[4], index[5]), &y)))
            TEST_EQUAL(y, expected, 0);
        /* five, apart from each other: their axis comes first */
        int32_t apart[2 * N];
        for (int i = 0; i < 2 * N; i++)
            apart[i] = (expected[i / 2] / 24) * 24 + i % 2 * 12 + expected[i / 2] % 12;
        if (TEST_OK(garray_getitem(x, GARRAY_AT(index[0], index[1], GARRAY_ALL, index[3], index[4], index[5]), &y)))
            TEST_EQUAL(y, apart, 0);
        /* assignment: of a place named twice the last value stays */
        int32_t changed[SIZE];
        memcpy(changed, values, sizeof values);
        for (int i = 0; i < N; i++)
            changed[expected[i]] = fresh[i];
        TEST_OK(garray_from_host(fresh, GARRAY_INT32, GARRAY_SHAPE(N), NULL, test_device(), &value));
        if (TEST_OK(garray_setitem(x, GARRAY_AT(index[0], index[1], index[2], index[3], index[4], index[5]), value)))
            TEST_EQUAL(x, changed, 0);
        TEST_OK(garray_from_host(fresh, GARRAY_INT32, GARRAY_SHAPE(SIZE - 71), NULL, test_device(), &value));
        memcpy(changed + 71, fresh, (SIZE - 71) * sizeof *fresh);
        if (TEST_OK(garray_setitem(x, GARRAY_AT(mask), value)))
            TEST_EQUAL(x, changed, 0);
        garray_release(x);
        garray_release(y);
        garray_release(mask);
        garray_release(value);
        for (int k = 0; k < AXES; k++)
            garray_release(index[k]);
    }
}

/* ---- take_along_axis, nonzero ---- */

Test(index, take_along_axis)
{
    for (TEST_DTYPES(d))
        for (int l = 0; l < 7; l++)
            for (int axis = 0; axis < 3; axis++) {
                enum { A = 3, B = 4, C = 5 };
                static const int64_t lengths[3] = { A, B, C };
                size_t item = garray_dtype_size((garray_dtype)d);
                char values[A * B * C * 16], expected[A * B * C * 2 * 16];
                int64_t shape[3] = { A, B, C }, at[A * B * C * 2];
                shape[axis] *= 2;
                test_random(d, A * B * C, 2, values);
                uint64_t state = (uint64_t)axis;
                int64_t n = test_count(GARRAY_DIMS(3, shape));
                for (int64_t i = 0; i < n; i++) {
                    int64_t c[3] = { i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2] };
                    at[i] = (int64_t)(test_random_word(&state) % (uint64_t)(2 * lengths[axis])) - lengths[axis];
                    c[axis] = at[i] < 0 ? at[i] + lengths[axis] : at[i];
                    memcpy(expected + (size_t)i * item, values + (size_t)((c[0] * B + c[1]) * C + c[2]) * item, item);
                }
                garray_t *x = test_array(d, layout_of(l), GARRAY_SHAPE(A, B, C), values), *y = NULL;
                garray_t *index = test_array(GARRAY_INT64, layout_of(l + 2), GARRAY_DIMS(3, shape), at);
                test_context("%s, %s, axis %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout_of(l)), axis);
                if (TEST_OK(garray_take_along_axis(x, index, axis - 3 * (l & 1), &y)))
                    TEST_EQUAL(y, expected, 0);
                garray_release(x);
                garray_release(y);
                garray_release(index);
            }
    garray_t *x = NULL, *index = NULL, *y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 4), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(1, 2), GARRAY_INT64, test_device(), &index));
    TEST_OK(garray_take_along_axis(x, index, 1, &y));
    TEST_EXPECT(garray_size(y) == 6, "the other axes do not broadcast");
    TEST_STATUS(ERR_DTYPE, garray_take_along_axis(x, x, 0, &y));
    TEST_STATUS(ERR_SHAPE, garray_take_along_axis(x, index, 0, &y));
    TEST_STATUS(ERR_AXIS, garray_take_along_axis(x, index, 2, &y));
    garray_release(x);
    garray_release(index);
    garray_release(y);
}

Test(index, nonzero)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++) {
                garray_shape shape = test_shapes[s];
                size_t item = garray_dtype_size((garray_dtype)d);
                int64_t n = test_count(shape), count = 0, *expected[4];
                char *values = malloc((size_t)n * item + 1);
                uint64_t state = 1;
                for (int64_t i = 0; i < n; i++)         /* zeros, numbers, imaginary numbers, NaN */
                    switch (test_random_word(&state) % 5) {
                    case 0: test_store(d, values + (size_t)i * item, test_is_inexact(d) ? NAN : 1, 0); break;
                    case 1: test_store(d, values + (size_t)i * item, 0, 1); break;
                    case 2: test_store(d, values + (size_t)i * item, test_is_inexact(d) ? -0.0 : 0, 0); break;
                    case 3: test_store(d, values + (size_t)i * item, 5, 0); break;
                    default: test_store(d, values + (size_t)i * item, 0, 0);
                    }
                garray_t *x = test_array(d, layout, shape, values), *out[4] = { NULL };
                for (int k = 0; k < 4; k++)
                    expected[k] = malloc((size_t)(n + 1) * sizeof(int64_t));
                for (int64_t i = 0; i < n; i++) {
                    double re, im;
                    test_load_complex(d, values + (size_t)i * item, &re, &im);
                    if (re == 0 && im == 0)
                        continue;
                    int64_t rest = i;
                    for (int64_t k = shape.n - 1; k >= 0; k--) {
                        expected[k][count] = rest % shape.v[k];
                        rest /= shape.v[k];
                    }
                    count++;
                }
                test_context("%s, %s, shape %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout), s);
                if (shape.n == 0)
                    TEST_STATUS(ERR_SHAPE, garray_nonzero(x, 0, out));
                else if (TEST_OK(garray_nonzero(x, (int)shape.n, out)))
                    for (int k = 0; k < shape.n; k++)
                        if (TEST_EXPECT(garray_dtype_of(out[k]) == GARRAY_INT64 && garray_size(out[k]) == count,
                                        "%d elements, not %d", (int)garray_size(out[k]), (int)count))
                            TEST_EQUAL(out[k], expected[k], 0);
                for (int k = 0; k < 4; k++) {
                    free(expected[k]);
                    garray_release(out[k]);
                }
                free(values);
                garray_release(x);
            }
    TEST_NO_LEAK(mark);
}

/* Masks long enough for several blocks; all, none, one, half, few.  Items of each size; a result's memory is used again. */
Test(index, long_masks)
{
    enum { N = 300006 };
    static const garray_dtype sizes[] = { GARRAY_INT8, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_INT64, GARRAY_COMPLEX128 };
    uint8_t *where = malloc(N);
    int32_t *expected = malloc(N * sizeof *expected), *small = malloc(N * sizeof *small);
    for (int kind = 0; kind < 6; kind++) {
        int count = 0;
        uint64_t state = 3;
        for (int i = 0; i < N; i++) {
            uint64_t word = test_random_word(&state);
            where[i] = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? i == N - 1 : kind == 3 ? word % 2 == 0
                       : kind == 4 ? word % 1000 == 0 : word % 10 == 0;
            if (where[i]) {
                small[count] = i % 100;
                expected[count++] = i;
            }
        }
        garray_t *x = NULL, *mask = NULL, *y = NULL, *out[2] = { NULL }, *rest = NULL;
        test_context("kind %d", kind);
        TEST_OK(garray_arange(0, N, 1, GARRAY_INT32, test_device(), &x));
        TEST_OK(garray_from_host(where, GARRAY_BOOL, GARRAY_SHAPE(N), NULL, test_device(), &mask));
        if (TEST_OK(garray_getitem(x, GARRAY_AT(mask), &y)) && TEST_EXPECT(garray_size(y) == count, "the number is wrong"))
            TEST_EQUAL(y, expected, 0);
        for (int again = 0; again < 2; again++)
            TEST_OK(garray_nonzero(mask, 1, out));
        if (TEST_OK(garray_astype(out[0], GARRAY_INT32, &y)))
            TEST_EQUAL(y, expected, 0);
        TEST_OK(garray_reshape(mask, GARRAY_SHAPE(N / 3, 3), &mask));
        if (TEST_OK(garray_nonzero(mask, 2, out)) && TEST_OK(garray_multiply(out[0], 3, &y)) && TEST_OK(garray_add(y, out[1], &y))
            && TEST_OK(garray_astype(y, GARRAY_INT32, &y)))
            TEST_EQUAL(y, expected, 0);
        TEST_OK(garray_reshape(mask, GARRAY_SHAPE(N), &mask));
        TEST_OK(garray_remainder(x, 100, &rest));
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            garray_t *values = NULL, *some = NULL;
            test_context("kind %d, %s", kind, garray_dtype_name(sizes[k]));
            TEST_OK(garray_astype(rest, sizes[k], &values));
            TEST_OK(garray_getitem(values, GARRAY_AT(mask), &some));
            TEST_OK(garray_multiply(some, 0, &some));
            TEST_OK(garray_getitem(values, GARRAY_AT(mask), &some));
            TEST_OK(garray_real(some, &some));
            if (TEST_OK(garray_astype(some, GARRAY_INT32, &y)))
                TEST_EQUAL(y, small, 0);
            TEST_OK(garray_multiply(y, 0, &y));
            TEST_OK(garray_getitem(rest, GARRAY_AT(mask), garray_into(y)));
            TEST_EQUAL(y, small, 0);
            garray_release(values);
            garray_release(some);
        }
        garray_release(x);
        garray_release(mask);
        garray_release(y);
        garray_release(rest);
        garray_release(out[0]);
        garray_release(out[1]);
    }
    free(small);
    free(where);
    free(expected);
}
