/* SPDX-License-Identifier: BSD-3-Clause
 * Index items as text, wrong items, indices out of range (late on a GPU), and slices as Python cuts them. */
#include <stdio.h>
#include "test.h"

/* 0 ... 23 as (2, 3, 4). */
static garray_t *numbered(void)
{
    garray_t *x = NULL;
    TEST_OK(garray_arange(0, 24, 1, GARRAY_INT64, test_device(), &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 3, 4), &x));
    return x;
}

/* ---- text ---- */

static const struct {
    const char *text;
    int64_t ndim, shape[6], n, values[24];
} texts[] = {
    { "0", 2, { 3, 4 }, 12, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } },
    { "-1, 2, 3", 0, { 0 }, 1, { 23 } },
    { "1, ::2, 1:3", 2, { 2, 2 }, 4, { 13, 14, 21, 22 } },
    { "..., -1", 2, { 2, 3 }, 6, { 3, 7, 11, 15, 19, 23 } },
    { "1,...,::-1", 2, { 3, 4 }, 12, { 15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20 } },
    { "None, 0, None, 1, 0", 2, { 1, 1 }, 1, { 4 } },
    { "newaxis, 0, 1, 0", 1, { 1 }, 1, { 4 } },
    { " 0 , 0 , 3 : 0 : -2 ", 1, { 2 }, 2, { 3, 1 } },
    { ":, 2, -9223372036854775808:1", 2, { 2, 1 }, 2, { 8, 20 } },
    { "0, 0, 9223372036854775807::-9223372036854775808", 1, { 1 }, 1, { 3 } },
    { "0, 0, 9223372036854775807:", 1, { 0 }, 0, { 0 } },
    { "0, 0, :9223372036854775807:3", 1, { 2 }, 2, { 0, 3 } },
    { "0, 0, +1", 0, { 0 }, 1, { 1 } },
    { "1:0, 0", 2, { 0, 4 }, 0, { 0 } },
    { "0, 0, 1:3,", 1, { 2 }, 2, { 1, 2 } },
    { "0,0,0,None,...", 1, { 1 }, 1, { 0 } },
};

Test(index_errors, text)
{
    garray_t *x = numbered(), *y = NULL;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        test_context("\"%s\"", texts[t].text);
        if (!TEST_OK(garray_getitem_text(x, texts[t].text, &y)))
            continue;
        bool same = garray_ndim(y) == texts[t].ndim;
        for (int64_t i = 0; i < texts[t].ndim && same; i++)
            same = garray_shape_of(y).v[i] == texts[t].shape[i];
        if (TEST_EXPECT(same, "the shape is wrong"))
            TEST_EQUAL(y, texts[t].values, 0);
    }
    if (TEST_OK(garray_getitem_text(x, "", &y)))
        TEST_EXPECT(garray_ndim(y) == 3, "no items are not the whole array");
    TEST_OK(garray_setitem_text(x, "1, 1:, ::3", -5));
    if (TEST_OK(garray_getitem_text(x, "1, :, 0", &y)))
        TEST_EQUAL(y, ((const int64_t[]){ 12, -5, -5 }), 0);
    static const char *const wrong[] = {
        "a",  "1 2",   "0,,1", "1.5", ":::", "1::2:3",   "....",       "..", "0 1", "--1",  "99999999999999999999",
        "()", "None:", "0;",   ",",   "::0", "..., ...", "0, 0, 0, 0", "2",  "-3",  "0, 3", "0, 0, 4",
        "- 1"
    };
    garray_release(y);
    y = NULL;
    for (size_t t = 0; t < sizeof wrong / sizeof wrong[0]; t++) {
        test_context("\"%s\"", wrong[t]);
        TEST_STATUS(ERR_INDEX, garray_getitem_text(x, wrong[t], &y));
        TEST_MESSAGE("garray_getitem_text: ");
        TEST_STATUS(ERR_INDEX, garray_setitem_text(x, wrong[t], 0));
    }
    char many[400] = "";
    for (int i = 0; i < 120; i++)
        strcat(many, "0,");
    TEST_STATUS(ERR_INDEX, garray_getitem_text(x, many, &y));
    TEST_STATUS(ERR_INVALID, garray_getitem_text(x, NULL, &y));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
}

/* ---- slices: all bounds and steps around short axes, as Python's ---- */

Test(index_errors, slices)
{
    test_mark mark = test_memory();
    for (int64_t n = 0; n <= 4; n++) {
        garray_t *x = NULL, *y = NULL;
        TEST_OK(garray_arange(0, (long)n, 1, GARRAY_INT64, test_device(), &x));
        for (int64_t start = -6; start <= 6; start++)
            for (int64_t stop = -6; stop <= 6; stop++)
                for (int64_t step = -5; step <= 5; step++)
                    for (int has = 0; has < 8; has++) {
                        int64_t s = has & 4 ? step : 1, expected[8], count = 0;
                        if (s == 0 || (!(has & 1) && start) || (!(has & 2) && stop) || (!(has & 4) && step != 1))
                            continue;
                        /* Python's rule, said once more: walk the positions that exist */
                        int64_t a = has & 1 ? (start < 0 ? start + n : start) : s > 0 ? 0 : n - 1;
                        int64_t b = has & 2 ? (stop < 0 ? stop + n : stop) : s > 0 ? n : -1;
                        if (s > 0 && a < 0)
                            a = 0;
                        if (s < 0 && a >= n)
                            a = n - 1;
                        if (has & 2 && stop < 0 && b < 0)
                            b = s > 0 ? 0 : -1;
                        for (int64_t i = a; s > 0 ? i < b && i < n : i > b && i >= 0; i += s)
                            expected[count++] = i;
                        test_context("n %d, %d:%d:%d, has %x", (int)n, (int)start, (int)stop, (int)step, (unsigned)has);
                        garray_index item = garray_at_make(GARRAY_INDEX_SLICE, has, start, stop, step);
                        if (TEST_OK(garray_getitem(x, ((garray_indices){ 1, &item }), &y)) &&
                            TEST_EXPECT(garray_size(y) == count, "%d elements, not %d", (int)garray_size(y), (int)count) &&
                            !test_on_gpu())
                            TEST_EQUAL(y, expected, 0);
                    }
        garray_release(x);
        garray_release(y);
    }
    TEST_NO_LEAK(mark);
}

/* ---- wrong items and values ---- */

Test(index_errors, errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = numbered(), *floats = NULL, *mask = NULL, *long_mask = NULL, *value = NULL, *a = NULL, *b = NULL, *y = NULL,
             *view = NULL;
    void *before = test_read(x);
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT32, device, &floats));
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 3), GARRAY_BOOL, device, &mask));
    TEST_OK(garray_ones(GARRAY_SHAPE(3), GARRAY_BOOL, device, &long_mask));
    TEST_OK(garray_ones(GARRAY_SHAPE(5), GARRAY_INT64, device, &value));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_INT64, device, &a));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_INT64, device, &b));
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(2), &y));
    TEST_MESSAGE("garray_getitem: ", "index 2 is out of bounds for axis 0 with size 2");
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(0, -4), &y));
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(0, 0, 0, 0), &y));
    TEST_MESSAGE("garray_getitem: ", "too many indices for array");
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(GARRAY_ELLIPSIS, GARRAY_ELLIPSIS), &y));
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(GARRAY_EVERY(0)), &y));
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(floats), &y));
    TEST_MESSAGE("garray_getitem: ", "arrays used as indices must be of integer (or boolean) type");
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(long_mask), &y));
    TEST_MESSAGE("garray_getitem: ", "boolean index did not match");
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(a, b), &y));
    TEST_MESSAGE("garray_getitem: ", "shape mismatch: indexing arrays could not be broadcast together");
    TEST_STATUS(ERR_INDEX, garray_getitem(x, ((garray_indices){ 1, &(const garray_index){ .kind = 9 } }), &y));
    TEST_STATUS(ERR_INVALID, garray_getitem(x, ((garray_indices){ 1, &(const garray_index){ .kind = GARRAY_INDEX_ARRAY } }), &y));
    TEST_STATUS(ERR_INVALID, garray_getitem(NULL, GARRAY_AT(0), &y));
    TEST_STATUS(ERR_INVALID, garray_getitem(x, GARRAY_AT(0), NULL));
    TEST_STATUS(ERR_INDEX, garray_setitem(x, GARRAY_AT(0, 0, 0, 0), 1));
    TEST_STATUS(ERR_SHAPE, garray_setitem(x, GARRAY_AT(0), value));
    TEST_MESSAGE("garray_setitem: ", "(5,)", "(3,4)");
    TEST_STATUS(ERR_SHAPE, garray_setitem(x, GARRAY_AT(mask), value));
    TEST_STATUS(ERR_SHAPE, garray_setitem(x, GARRAY_AT(a), value));
    TEST_MESSAGE("garray_setitem: ", "could not be broadcast to indexing result");
    TEST_STATUS(ERR_INVALID, garray_setitem(x, GARRAY_AT(0), GARRAY_NONE));
    TEST_STATUS(ERR_SHAPE, garray_getitem(x, GARRAY_AT(0), garray_into(x)));
    TEST_OK(garray_broadcast_to(floats, GARRAY_SHAPE(3, 2), &view));
    TEST_STATUS(ERR_READONLY, garray_setitem(view, GARRAY_AT(0), 1));
    TEST_STATUS(ERR_READONLY, garray_setitem(view, GARRAY_AT(a), 1));
    TEST_EQUAL(x, before, 0);
    TEST_STATUS(ERR_DTYPE, garray_take(x, floats, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_DTYPE, garray_take(x, 1.5, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_AXIS, garray_take(x, a, GARRAY_AXES(3), &y));
    TEST_STATUS(ERR_AXIS, garray_take(x, a, GARRAY_AXES(0, 1), &y));
    TEST_STATUS(ERR_INVALID, garray_nonzero(x, 2, &y));
    TEST_EXPECT(!y, "out was changed");
    /* a mask of length 0 along an axis fits any length there, and selects nothing */
    garray_t *short_mask = NULL, *selected = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0), GARRAY_BOOL, device, &short_mask));
    if (TEST_OK(garray_getitem(x, GARRAY_AT(short_mask), &selected)))
        TEST_EXPECT(garray_ndim(selected) == garray_ndim(x) - 1 && garray_shape_of(selected).v[0] == 0, "something is selected");
    TEST_OK(garray_setitem(x, GARRAY_AT(short_mask), 3));
    garray_release(short_mask);
    garray_release(selected);
    /* an index into nothing */
    garray_t *empty = NULL, *none = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(0, 3), GARRAY_INT8, device, &empty));
    TEST_OK(garray_zeros(GARRAY_SHAPE(0), GARRAY_INT32, device, &none));
    TEST_STATUS(ERR_INDEX, garray_getitem(empty, GARRAY_AT(a), &y));
    TEST_STATUS(ERR_INDEX, garray_take(empty, a, GARRAY_AXES(0), &y));
    TEST_OK(garray_getitem(empty, GARRAY_AT(none), &y));
    TEST_OK(garray_take(empty, none, GARRAY_AXES(0), &y));
    TEST_OK(garray_setitem(x, GARRAY_AT(none), 3));
    garray_t *all[] = { x, floats, mask, long_mask, value, a, b, y, view, empty, none };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        garray_release(all[i]);
    free(before);
    TEST_NO_LEAK(mark);
}

/* ---- out of range ---- */

/* On the CPU a call fails and leaves everything untouched; on a GPU the next wait does, once, and names the call. */
static void expect_range_error(garray_status st, const char *call)
{
    if (test_on_gpu()) {
        if (!TEST_OK(st))
            return;
        st = garray_synchronize(test_device());
        TEST_MESSAGE("earlier: ");
    }
    if (TEST_EXPECT(st == GARRAY_ERR_INDEX, "gives %s", garray_status_name(st)))
        TEST_MESSAGE(call, "out of bounds");
    TEST_OK(garray_synchronize(test_device()));
}

/* The message names the axis, also with more index arrays than the backends take at once. */
Test(index_errors, axis_named)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *fits = NULL, *far = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(1, 2, 3, 4, 5, 6), GARRAY_INT8, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_INT32, test_device(), &fits));
    TEST_OK(garray_full(GARRAY_SHAPE(2), 6, GARRAY_INT32, test_device(), &far));
    TEST_OK(garray_getitem(x, GARRAY_AT(fits, fits, fits, fits, fits, fits), &y));
    for (int axis = 0; axis < 6; axis++) {
        char words[64];
        const garray_t *i[6] = { fits, fits, fits, fits, fits, fits };
        i[axis] = far;
        snprintf(words, sizeof words, "index 6 is out of bounds for axis %d with size %d", axis, axis + 1);
        test_context("axis %d", axis);
        expect_range_error(garray_getitem(x, GARRAY_AT(i[0], i[1], i[2], i[3], i[4], i[5]), &y), "garray_getitem: ");
        TEST_MESSAGE(words);
        expect_range_error(garray_setitem(x, GARRAY_AT(i[0], i[1], i[2], i[3], i[4], i[5]), 1), "garray_setitem: ");
        TEST_MESSAGE(words);
    }
    /* the axis is that of x, whatever items stand in front */
    expect_range_error(garray_getitem(x, GARRAY_AT(0, GARRAY_ALL, far), &y), "for axis 2 with size 3");
    expect_range_error(garray_getitem(x, GARRAY_AT(GARRAY_NEWAXIS, GARRAY_ALL, far), &y), "for axis 1 with size 2");
    expect_range_error(garray_setitem(x, GARRAY_AT(GARRAY_ELLIPSIS, far, 0), 1), "for axis 4 with size 5");
    garray_release(x);
    garray_release(y);
    garray_release(fits);
    garray_release(far);
    TEST_NO_LEAK(mark);
}

Test(index_errors, out_of_range)
{
    static const int64_t bad[] = { 3, -4, 1000, INT64_MAX, INT64_MIN };
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *index = NULL, *row = NULL;
    TEST_OK(garray_arange(0, 12, 1, GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(3, 4), &x));
    void *before = test_read(x);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t indices[] = { 0, 1, bad[i], 2 };
        test_context("index %lld", (long long)bad[i]);
        TEST_OK(garray_from_host(indices, GARRAY_INT64, GARRAY_SHAPE(4), NULL, test_device(), &index));
        TEST_OK(garray_reshape(index, GARRAY_SHAPE(1, 4), &row));
        expect_range_error(garray_getitem(x, GARRAY_AT(index), &y), "garray_getitem: ");
        expect_range_error(garray_take(x, index, GARRAY_AXES(0), &y), "garray_take: ");
        expect_range_error(garray_take_along_axis(x, row, 0, &y), "garray_take_along_axis: ");
        expect_range_error(garray_setitem(x, GARRAY_AT(index), -1), "garray_setitem: ");
        if (!test_on_gpu())
            TEST_EQUAL(x, before, 0);
        /* what is in range still works */
        TEST_OK(garray_take(x, -3, GARRAY_AXES(0), &y));
    }
    expect_range_error(garray_take(x, 12, GARRAY_ALL_AXES, &y), "garray_take: ");
    /* strict mode finds it in the call itself, on either device */
    garray_set_strict(true);
    TEST_STATUS(ERR_INDEX, garray_take(x, index, GARRAY_AXES(0), &y));
    TEST_OK(garray_take(x, -12, GARRAY_ALL_AXES, &y));
    garray_set_strict(false);
    free(before);
    garray_release(x);
    garray_release(y);
    garray_release(index);
    garray_release(row);
    TEST_NO_LEAK(mark);
}

/* Masks without axes use none of x: there may be more of them than the result can have axes. */
Test(index_errors, too_many_masks)
{
    garray_index items[100];
    garray_t *x = numbered(), *yes = NULL, *y = NULL;
    TEST_OK(garray_ones(GARRAY_0D, GARRAY_BOOL, test_device(), &yes));
    for (int i = 0; i < 100; i++) {
        memset(&items[i], 0, sizeof items[i]);
        items[i].kind = GARRAY_INDEX_ARRAY;
        items[i].step = 1;
        items[i].array = yes;
    }
    TEST_STATUS(ERR_INDEX, garray_getitem(x, ((garray_indices){ 100, items }), &y));
    TEST_STATUS(ERR_INDEX, garray_setitem(x, ((garray_indices){ 100, items }), 1));
    garray_release(x);
    garray_release(yes);
}
