/* SPDX-License-Identifier: BSD-3-Clause
 * put, put_along_axis, putmask, place, copyto, take_mode, choose, select, piecewise, extract, compress, flatnonzero and
 * argwhere, for every dtype and layout, against loops over bytes; indices out of range; overlap. */
#include <stdio.h>
#include "test.h"

enum { M = 6, N = 5, SIZE = M * N, ITEM = 16 };

struct case_of {
    int dtype, layout;
    size_t item;
    char x[SIZE * ITEM], other[SIZE * ITEM], want[SIZE * ITEM];
    uint8_t mask[SIZE];
    garray_t *a, *b, *where, *out;
};

/* Layouts whose elements all have places of their own. */
static int layout_of(int i)
{
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_TRANSPOSED, TEST_NEGATIVE, TEST_SLICED, TEST_PADDED, TEST_MISALIGNED,
                                   TEST_MIXED };
    return layouts[i % 7];
}

static void open_case(struct case_of *c, int dtype, int l)
{
    c->dtype = dtype;
    c->layout = layout_of(l);
    c->item = garray_dtype_size((garray_dtype)dtype);
    test_random(dtype, SIZE, 11, c->x);
    test_random(dtype, SIZE, 12, c->other);
    test_random(GARRAY_BOOL, SIZE, 13, c->mask);
    memcpy(c->want, c->x, sizeof c->want);
    c->a = test_array(dtype, c->layout, GARRAY_SHAPE(M, N), c->x);
    c->b = test_array(dtype, layout_of(l + 2), GARRAY_SHAPE(M, N), c->other);
    c->where = test_array(GARRAY_BOOL, layout_of(l + 3), GARRAY_SHAPE(M, N), c->mask);
    c->out = NULL;
}

static void close_case(struct case_of *c)
{
    garray_release(c->a);
    garray_release(c->b);
    garray_release(c->where);
    garray_release(c->out);
}

/* want[to] = other[from] */
static void set(struct case_of *c, int64_t to, int64_t from)
{
    memcpy(c->want + (size_t)to * c->item, c->other + (size_t)from * c->item, c->item);
}

static garray_t *host_array(int dtype, garray_shape shape, const void *data)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(data, (garray_dtype)dtype, shape, NULL, test_device(), &x));
    return x;
}

static garray_t *first_of(const struct case_of *c, int64_t n)
{
    return host_array(c->dtype, GARRAY_SHAPE(n), c->other);
}

static void check_put(struct case_of *c)
{
    static const int32_t at[] = { 7, 0, -2, 29, 7, 12 };
    static const int64_t flat[] = { 7, 0, 28, 29, 7, 12 };
    static const int32_t far[] = { 31, -31, 95, 4 };
    static const int64_t wrapped[] = { 1, 29, 5, 4 }, clipped[] = { 29, 0, 29, 4 };
    garray_t *index = host_array(GARRAY_INT32, GARRAY_SHAPE(2, 3), at), *values = first_of(c, 4);
    garray_t *beyond = host_array(GARRAY_INT32, GARRAY_SHAPE(4), far);
    for (int i = 0; i < 6; i++)
        set(c, flat[i], i % 4);
    if (TEST_OK(garray_put(c->a, index, values, GARRAY_MODE_DEFAULT)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < 4; i++)
        set(c, wrapped[i], i);
    if (TEST_OK(garray_put(c->a, beyond, values, GARRAY_MODE_WRAP)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < 4; i++)
        set(c, clipped[i], i);
    if (TEST_OK(garray_put(c->a, beyond, values, GARRAY_MODE_CLIP)))
        TEST_EQUAL(c->a, c->want, 0);
    char taken[4 * ITEM];
    for (int i = 0; i < 4; i++)
        memcpy(taken + (size_t)i * c->item, c->want + (size_t)wrapped[i] * c->item, c->item);
    if (TEST_OK(garray_take_mode(c->a, beyond, GARRAY_ALL_AXES, GARRAY_MODE_WRAP, &c->out)))
        TEST_EQUAL(c->out, taken, 0);
    for (int i = 0; i < 4; i++)
        memcpy(taken + (size_t)i * c->item, c->want + (size_t)clipped[i] * c->item, c->item);
    if (TEST_OK(garray_take_mode(c->a, beyond, GARRAY_ALL_AXES, GARRAY_MODE_CLIP, &c->out)))
        TEST_EQUAL(c->out, taken, 0);
    garray_release(index);
    garray_release(values);
    garray_release(beyond);
}

static void check_along(struct case_of *c)
{
    int16_t at[M * 3];
    for (int i = 0; i < M * 3; i++)
        at[i] = (int16_t)((i * 7 + i / 3) % (2 * N) - N);
    garray_t *index = host_array(GARRAY_INT16, GARRAY_SHAPE(M, 3), at), *values = host_array(c->dtype, GARRAY_SHAPE(M, 3), c->other);
    for (int i = 0; i < M * 3; i++)
        set(c, i / 3 * N + (at[i] + N) % N, i);
    if (TEST_OK(garray_put_along_axis(c->a, index, values, 1)))
        TEST_EQUAL(c->a, c->want, 0);
    garray_release(index);
    garray_release(values);
}

static void check_masks(struct case_of *c)
{
    garray_t *values = first_of(c, 7), *row = first_of(c, N), *one = first_of(c, 1);
    int64_t count = 0;
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i])
            set(c, i, i % 7);
    if (TEST_OK(garray_putmask(c->a, c->where, values)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i])
            set(c, i, i % N);
    if (TEST_OK(garray_putmask(c->a, c->where, row)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i])
            set(c, i, count++ % 7);
    if (TEST_OK(garray_place(c->a, c->where, values)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i])
            set(c, i, 0);
    if (TEST_OK(garray_place(c->a, c->where, one)))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i])
            set(c, i, i);
    if (TEST_OK(garray_copyto(c->a, c->b, GARRAY_KW(copyto, .where = GARRAY_VAL(c->where)))))
        TEST_EQUAL(c->a, c->want, 0);
    for (int i = 0; i < SIZE; i++)
        set(c, i, i % N);
    if (TEST_OK(garray_copyto(c->a, row, NULL)))
        TEST_EQUAL(c->a, c->want, 0);
    garray_release(values);
    garray_release(row);
    garray_release(one);
}

static void check_selections(struct case_of *c)
{
    char some[SIZE * ITEM];
    int64_t places[SIZE], coordinates[SIZE * 2], count = 0;
    uint8_t columns[] = { 1, 0, 0, 1 };
    for (int i = 0; i < SIZE; i++)
        if (c->mask[i]) {
            memcpy(some + (size_t)count * c->item, c->other + (size_t)i * c->item, c->item);
            coordinates[2 * count] = i / N;
            coordinates[2 * count + 1] = i % N;
            places[count++] = i;
        }
    garray_t *condition = host_array(GARRAY_UINT8, GARRAY_SHAPE(4), columns);
    if (TEST_OK(garray_extract(c->where, c->b, &c->out)) && TEST_EXPECT(garray_size(c->out) == count, "the number is wrong"))
        TEST_EQUAL(c->out, some, 0);
    if (TEST_OK(garray_flatnonzero(c->where, &c->out)) && TEST_EXPECT(garray_size(c->out) == count, "the number is wrong"))
        TEST_EQUAL(c->out, places, 0);
    if (TEST_OK(garray_argwhere(c->where, &c->out)) && TEST_EXPECT(garray_size(c->out) == 2 * count, "the number is wrong"))
        TEST_EQUAL(c->out, coordinates, 0);
    for (int i = 0; i < 2 * M; i++)
        memcpy(some + (size_t)i * c->item, c->other + (size_t)(i / 2 * N + i % 2 * 3) * c->item, c->item);
    if (TEST_OK(garray_compress(condition, c->b, GARRAY_AXES(1), &c->out)))
        TEST_EQUAL(c->out, some, 0);
    for (int i = 0; i < 2 * N; i++)
        memcpy(some + (size_t)i * c->item, c->other + (size_t)(i / N * 3 * N + i % N) * c->item, c->item);
    if (TEST_OK(garray_compress(condition, c->b, GARRAY_AXES(0), &c->out)))
        TEST_EQUAL(c->out, some, 0);
    garray_release(condition);
}

static void check_choices(struct case_of *c)
{
    int8_t which[SIZE];
    char zero[ITEM] = { 0 };
    for (int i = 0; i < SIZE; i++)
        which[i] = (int8_t)(i * 5 % 3);
    garray_t *index = host_array(GARRAY_INT8, GARRAY_SHAPE(M, N), which), *row = first_of(c, N), *low = NULL, *even = NULL;
    const garray_operand choices[] = { GARRAY_VAL(c->a), GARRAY_VAL(row), GARRAY_VAL(c->b) };
    for (int i = 0; i < SIZE; i++)
        if (which[i])
            set(c, i, which[i] == 1 ? i % N : i);
    if (TEST_OK(garray_choose(index, 3, choices, GARRAY_MODE_DEFAULT, &c->out)))
        TEST_EQUAL(c->out, c->want, 0);
    TEST_OK(garray_less(index, 2, &low));
    TEST_OK(garray_equal(index, 1, &even));
    /* the first true condition: 1 at index 1, 0 at index 0, otherwise b */
    if (TEST_OK(garray_select(GARRAY_LIST(even, low), GARRAY_OPERANDS(row, c->a), c->b, &c->out)))
        TEST_EQUAL(c->out, c->want, 0);
    /* the last true condition: low everywhere but at index 2 */
    for (int i = 0; i < SIZE; i++)
        if (which[i] == 2)
            memcpy(c->want + (size_t)i * c->item, zero, c->item);
        else
            set(c, i, i % N);
    if (TEST_OK(garray_piecewise(c->a, GARRAY_LIST(even, low), 2, GARRAY_OPERANDS(c->b, row),
                                 &c->out)))
        TEST_EQUAL(c->out, c->want, 0);
    garray_release(index);
    garray_release(row);
    garray_release(low);
    garray_release(even);
}

Test(put, dtypes_and_layouts)
{
    void (*const checks[])(struct case_of *) = { check_put, check_along, check_masks, check_selections, check_choices };
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int l = 0; l < 7; l++)
            for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
                struct case_of c;
                test_context("%s, %s, part %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout_of(l)), (int)k);
                open_case(&c, d, l);
                checks[k](&c);
                close_case(&c);
            }
    TEST_NO_LEAK(mark);
}

/* An index out of range: at once on the CPU, at the next wait on a GPU. */
static void expect_index_error(garray_status st, const char *call)
{
    if (test_on_gpu() && TEST_OK(st))
        st = garray_synchronize(test_device());
    if (TEST_EXPECT(st == GARRAY_ERR_INDEX, "gives %s", garray_status_name(st)))
        TEST_MESSAGE(call, "out of bounds");
}

Test(put, errors)
{
    test_mark mark = test_memory();
    static const int64_t at[] = { 1, 9 };
    static const float numbers[] = { 1, 2, 3, 4 };
    static const uint8_t yes[] = { 1, 1, 1, 1 };
    garray_t *index = host_array(GARRAY_INT64, GARRAY_SHAPE(2), at), *x = host_array(GARRAY_FLOAT32, GARRAY_SHAPE(4), numbers);
    garray_t *ints = host_array(GARRAY_UINT8, GARRAY_SHAPE(4), yes), *none = NULL, *out = NULL, *mask = NULL;
    const garray_operand choices[] = { GARRAY_VAL(x), GARRAY_VAL(x) };
    garray_t *grid = NULL;
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 2), &grid));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0), GARRAY_FLOAT32, test_device(), &none));
    TEST_OK(garray_astype(ints, GARRAY_BOOL, &mask));
    expect_index_error(garray_put(x, index, 7, GARRAY_MODE_RAISE), "garray_put: ");
    expect_index_error(garray_take_mode(x, index, GARRAY_AXES(0), GARRAY_MODE_RAISE, &out), "garray_take_mode: ");
    expect_index_error(garray_choose(index, 2, GARRAY_OPERANDS(1, 2), GARRAY_MODE_RAISE, &out), "garray_choose: ");
    TEST_STATUS(ERR_INVALID, garray_put(x, index, 7, (garray_index_mode)9));
    TEST_OK(garray_put(x, index, none, GARRAY_MODE_RAISE));
    TEST_STATUS(ERR_DTYPE, garray_put(x, x, 7, GARRAY_MODE_RAISE));
    TEST_STATUS(ERR_INDEX, garray_take_mode(none, 0, GARRAY_ALL_AXES, GARRAY_MODE_CLIP, &out));
    TEST_STATUS(ERR_SHAPE, garray_putmask(x, none, 1));
    TEST_STATUS(ERR_DTYPE, garray_putmask(ints, ints, x));
    TEST_STATUS(ERR_INVALID, garray_place(x, mask, none));
    TEST_STATUS(ERR_DTYPE, garray_copyto(ints, x, NULL));
    TEST_STATUS(ERR_DTYPE, garray_copyto(ints, 1.5, NULL));
    TEST_OK(garray_copyto(ints, x, GARRAY_KW(copyto, .casting = GARRAY_CAST_UNSAFE)));
    TEST_STATUS(ERR_SHAPE, garray_copyto(x, index, GARRAY_KW(copyto, .casting = GARRAY_CAST_UNSAFE)));
    TEST_STATUS(ERR_DTYPE, garray_copyto(x, 1, GARRAY_KW(copyto, .where = GARRAY_VAL(ints))));
    TEST_STATUS(ERR_INVALID, garray_choose(index, 0, choices, GARRAY_MODE_RAISE, &out));
    TEST_STATUS(ERR_DTYPE, garray_choose(x, 2, choices, GARRAY_MODE_RAISE, &out));
    TEST_STATUS(ERR_DTYPE, garray_select(GARRAY_LIST(ints), choices, 0, &out));
    TEST_STATUS(ERR_INVALID, garray_select(GARRAY_ARRAYS(0, NULL), choices, 0, &out));
    TEST_STATUS(ERR_INVALID, garray_piecewise(x, GARRAY_LIST(mask), 3, choices, &out));
    TEST_STATUS(ERR_AXIS, garray_compress(none, x, GARRAY_AXES(1), &out));
    TEST_STATUS(ERR_SHAPE, garray_compress(grid, x, GARRAY_AXES(0), &out));
    garray_release(index);
    garray_release(x);
    garray_release(ints);
    garray_release(none);
    garray_release(out);
    garray_release(grid);
    garray_release(mask);
    TEST_NO_LEAK(mark);
}

/* Values, masks and indices that are the array itself. */
Test(put, overlap)
{
    static const int64_t numbers[] = { 3, 2, 1, 0 }, want[] = { 0, 1, 2, 3 };
    test_mark mark = test_memory();
    garray_t *x = host_array(GARRAY_INT64, GARRAY_SHAPE(4), numbers), *back = NULL;
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_REVERSED), &back));
    if (TEST_OK(garray_put(x, x, x, GARRAY_MODE_RAISE)))        /* x[x[i]] = x[i] */
        TEST_EQUAL(x, want, 0);
    if (TEST_OK(garray_copyto(x, back, NULL)))
        TEST_EQUAL(x, numbers, 0);
    if (TEST_OK(garray_put_along_axis(x, x, back, 0)))          /* x[3 - i] = i */
        TEST_EQUAL(x, numbers, 0);
    garray_release(x);
    garray_release(back);
    TEST_NO_LEAK(mark);
}
