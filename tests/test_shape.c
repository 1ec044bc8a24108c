/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes: reshape, axes in another order, squeeze, expand, flip, broadcast; concat and stack.  Elements are traced by
 * their numbers: x holds 0, 1, 2, ... in row-major order. */
#include "core/array.h"
#include "test.h"

static const int traced_dtypes[] = { GARRAY_INT64, GARRAY_UINT8, GARRAY_FLOAT16, GARRAY_COMPLEX128, GARRAY_FLOAT32 };

/* 0, 1, 2, ... as elements. */
static void *numbers(int dtype, int64_t n)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++)
        test_store(dtype, values + (size_t)i * item, (double)i, 0);
    return values;
}

static garray_t *traced(int dtype, int layout, garray_shape shape, char **values)
{
    *values = numbers(dtype, test_count(shape));
    return test_array(dtype, layout, shape, *values);
}

static bool same_shape(const garray_t *x, garray_shape shape)
{
    bool same = garray_ndim(x) == shape.n;
    for (int64_t i = 0; i < shape.n && same; i++)
        same = garray_shape_of(x).v[i] == shape.v[i];
    return same;
}

/* y is a view of x's buffer, or is not. */
static void expect_view(const garray_t *y, const garray_t *x, bool expected)
{
    TEST_EXPECT((y->buffer == x->buffer) == expected, "the result is %s", expected ? "a copy" : "a view");
}

/* ---- reshape ---- */

static const struct {
    int64_t from_n, from[4], to_n, to[5], result[5];
    bool view_of_transposed;            /* whether an array with its first axis fastest gives a view */
} reshapes[] = {
    { 2, { 6, 4 }, 1, { 24 }, { 24 }, false },
    { 2, { 6, 4 }, 3, { 2, 3, 4 }, { 2, 3, 4 }, true },
    { 2, { 6, 4 }, 3, { 6, 2, -1 }, { 6, 2, 2 }, true },
    { 2, { 6, 4 }, 2, { 4, 6 }, { 4, 6 }, false },
    { 2, { 6, 4 }, 5, { 1, 6, 1, 4, 1 }, { 1, 6, 1, 4, 1 }, true },
    { 3, { 2, 3, 4 }, 2, { -1, 4 }, { 6, 4 }, false },
    { 3, { 5, 1, 3 }, 2, { 5, 3 }, { 5, 3 }, true },
    { 1, { 1 }, 0, { 0 }, { 0 }, true },
    { 0, { 0 }, 2, { 1, 1 }, { 1, 1 }, true },
    { 2, { 3, 0 }, 3, { 0, 7, 2 }, { 0, 7, 2 }, true },
    { 4, { 1, 2, 1, 6 }, 3, { 2, -1, 1 }, { 2, 6, 1 }, true },
    { 2, { 3, 0 }, 2, { -1, 5 }, { 0, 5 }, true },
};

Test(shape, reshape)
{
    test_mark mark = test_memory();
    for (size_t r = 0; r < sizeof reshapes / sizeof reshapes[0]; r++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (size_t k = 0; k < 5; k++) {
                char *values;
                garray_shape from = GARRAY_DIMS(reshapes[r].from_n, reshapes[r].from),
                             to = GARRAY_DIMS(reshapes[r].to_n, reshapes[r].to);
                garray_t *x = traced(traced_dtypes[k], layout, from, &values), *y = NULL;
                test_context("row %zu, %s, %s", r, garray_dtype_name((garray_dtype)traced_dtypes[k]), test_layout_name(layout));
                if (TEST_OK(garray_reshape(x, to, &y))
                    && TEST_EXPECT(same_shape(y, GARRAY_DIMS(to.n, reshapes[r].result)), "the shape is wrong"))
                    TEST_EQUAL(y, values, 0);
                if (layout == TEST_CONTIGUOUS || layout == TEST_MISALIGNED)
                    expect_view(y, x, true);
                if (layout == TEST_TRANSPOSED)
                    expect_view(y, x, reshapes[r].view_of_transposed);
                if (TEST_OK(garray_ravel(x, &y)))
                    TEST_EXPECT(garray_ndim(y) == 1 && garray_size(y) == test_count(from), "ravel: the shape is wrong");
                TEST_EQUAL(y, values, 0);
                /* into a view */
                garray_t *view = test_array(traced_dtypes[k], TEST_SLICED, GARRAY_DIMS(to.n, reshapes[r].result), NULL);
                if (TEST_OK(garray_reshape(x, to, garray_into(view))))
                    TEST_EQUAL(view, values, 0);
                /* its own result */
                if (TEST_OK(garray_reshape(x, to, &x)))
                    TEST_EQUAL(x, values, 0);
                garray_release(x);
                garray_release(y);
                garray_release(view);
                free(values);
            }
    TEST_NO_LEAK(mark);
}

/* ---- views by axes ---- */

/* y must hold x's elements, axis i of y being axis from[i] of x, backwards where flipped has the bit. */
static void expect_axes(const garray_t *y, const garray_t *x, const char *values, const int *from, unsigned flipped)
{
    int64_t n = garray_ndim(x), size = garray_size(x), steps[8], shape[8], step = 1;
    size_t item = garray_dtype_size(garray_dtype_of(x));
    for (int64_t i = n - 1; i >= 0; i--) {
        steps[i] = step;
        step *= garray_shape_of(x).v[i];
    }
    for (int64_t i = 0; i < n; i++)
        shape[i] = garray_shape_of(x).v[from[i]];
    if (!TEST_EXPECT(same_shape(y, GARRAY_DIMS(n, shape)), "the shape is wrong"))
        return;
    expect_view(y, x, true);
    char *expected = malloc((size_t)size * item + 1);
    for (int64_t e = 0; e < size; e++) {
        int64_t rest = e, at = 0;
        for (int64_t i = n - 1; i >= 0; i--) {
            int64_t c = rest % shape[i];
            rest /= shape[i];
            at += (flipped >> i & 1 ? shape[i] - 1 - c : c) * steps[from[i]];
        }
        memcpy(expected + (size_t)e * item, values + (size_t)at * item, item);
    }
    TEST_EQUAL(y, expected, 0);
    free(expected);
}

Test(shape, axes)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    test_mark mark = test_memory();
    for (int layout = 0; layout < TEST_LAYOUTS; layout++)
        for (size_t k = 0; k < 5; k++) {
            char *values;
            garray_t *x = traced(traced_dtypes[k], layout, GARRAY_SHAPE(3, 4, 5), &values), *y = NULL;
            for (int o = 0; o < 6; o++) {
                const int *from = orders[o];
                test_context("order %d, %s", o, test_layout_name(layout));
                if (TEST_OK(garray_permute_dims(x, GARRAY_AXES(from[0], from[1] - 3, from[2]), &y)))
                    expect_axes(y, x, values, from, 0);
                /* the same by moveaxis: axis from[i] to place i */
                if (TEST_OK(garray_moveaxis(x, GARRAY_AXES(from[0], from[1]), GARRAY_AXES(0, -2), &y)))
                    expect_axes(y, x, values, from, 0);
            }
            if (TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, &y)))
                expect_axes(y, x, values, orders[5], 0);
            if (TEST_OK(garray_matrix_transpose(x, &y)))
                expect_axes(y, x, values, orders[1], 0);
            if (TEST_OK(garray_swapaxes(x, 0, -1, &y)))
                expect_axes(y, x, values, orders[5], 0);
            if (TEST_OK(garray_swapaxes(x, 1, 1, &y)))
                expect_axes(y, x, values, orders[0], 0);
            for (unsigned flipped = 0; flipped < 8; flipped++) {
                int32_t room[3];
                garray_axes axes = { 0, room };
                for (int i = 0; i < 3; i++)
                    if (flipped >> i & 1)
                        room[axes.n++] = i % 2 ? i - 3 : i;
                test_context("flip %x, %s", flipped, test_layout_name(layout));
                if (TEST_OK(garray_flip(x, axes, &y)))
                    expect_axes(y, x, values, orders[0], flipped);
            }
            if (TEST_OK(garray_flip(x, GARRAY_ALL_AXES, &y)))
                expect_axes(y, x, values, orders[0], 7);
            garray_release(x);
            garray_release(y);
            free(values);
        }
    TEST_NO_LEAK(mark);
}

Test(shape, lengths_of_one)
{
    for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
        char *values;
        garray_t *x = traced(GARRAY_INT32, layout, GARRAY_SHAPE(1, 4, 1, 3, 1), &values), *y = NULL;
        test_context("%s", test_layout_name(layout));
        if (TEST_OK(garray_squeeze(x, GARRAY_ALL_AXES, &y)) &&
            TEST_EXPECT(same_shape(y, GARRAY_SHAPE(4, 3)), "the shape is wrong"))
            TEST_EQUAL(y, values, 0);
        if (TEST_OK(garray_squeeze(x, GARRAY_AXES(0, -1), &y)) &&
            TEST_EXPECT(same_shape(y, GARRAY_SHAPE(4, 1, 3)), "the shape is wrong"))
            TEST_EQUAL(y, values, 0);
        expect_view(y, x, true);
        if (TEST_OK(garray_expand_dims(y, GARRAY_AXES(0, -1, 3), &y))
            && TEST_EXPECT(same_shape(y, GARRAY_SHAPE(1, 4, 1, 1, 3, 1)), "the shape is wrong"))
            TEST_EQUAL(y, values, 0);
        if (TEST_OK(garray_squeeze(x, ((garray_axes){ 0, (const int32_t[]){ 0 } }), &y)))
            TEST_EXPECT(same_shape(y, GARRAY_SHAPE(1, 4, 1, 3, 1)), "squeezing no axis changes the shape");
        TEST_STATUS(ERR_SHAPE, garray_squeeze(x, GARRAY_AXES(1), &y));
        TEST_MESSAGE("garray_squeeze: ", "cannot select an axis to squeeze out");
        TEST_STATUS(ERR_AXIS, garray_squeeze(x, GARRAY_AXES(5), &y));
        TEST_STATUS(ERR_AXIS, garray_squeeze(x, GARRAY_AXES(0, 0), &y));
        TEST_STATUS(ERR_AXIS, garray_expand_dims(x, GARRAY_AXES(6), &y));
        TEST_STATUS(ERR_AXIS, garray_expand_dims(x, GARRAY_AXES(1, 1), &y));
        TEST_STATUS(ERR_AXIS, garray_expand_dims(x, GARRAY_ALL_AXES, &y));
        garray_release(x);
        garray_release(y);
        free(values);
    }
}

/* ---- broadcasting ---- */

Test(shape, broadcast)
{
    char *values;
    garray_t *x = traced(GARRAY_INT16, TEST_MIXED, GARRAY_SHAPE(3, 1), &values), *y = NULL, *scalar = NULL;
    const int16_t expected[] = { 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2 };
    int64_t room[GARRAY_MAX_NDIM];
    garray_shape shape = { 0, NULL };
    if (TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(2, 3, 2), &y)) &&
        TEST_EXPECT(same_shape(y, GARRAY_SHAPE(2, 3, 2)), "the shape is wrong"))
        TEST_EQUAL(y, expected, 0);
    TEST_EXPECT(!garray_is_writeable(y), "a broadcast view can be written");
    TEST_STATUS(ERR_READONLY, garray_add(y, 1, garray_into(y)));
    TEST_STATUS(ERR_READONLY, garray_setitem(y, GARRAY_AT(0), 1));
    TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(3, 0), &y));
    TEST_EXPECT(garray_size(y) == 0, "the shape is wrong");
    TEST_STATUS(ERR_SHAPE, garray_broadcast_to(x, GARRAY_SHAPE(4, 2), &y));
    TEST_STATUS(ERR_SHAPE, garray_broadcast_to(x, GARRAY_SHAPE(3), &y));
    TEST_STATUS(ERR_SHAPE, garray_broadcast_to(x, GARRAY_SHAPE(-1, 3, 2), &y));
    TEST_STATUS(ERR_SHAPE, garray_broadcast_to(x, GARRAY_SHAPE(INT64_MAX, 3, 2), &y));
    TEST_OK(garray_full(GARRAY_0D, 7, GARRAY_INT16, test_device(), &scalar));
    TEST_OK(garray_broadcast_to(scalar, GARRAY_SHAPE(3, 1), &y));
    TEST_EQUAL(y, ((const int16_t[]){ 7, 7, 7 }), 0);
    garray_shape three[] = { GARRAY_SHAPE(5, 1, 3), GARRAY_SHAPE(4, 1), GARRAY_SHAPE(1) };
    TEST_OK(garray_broadcast_shapes(3, three, room, &shape));
    TEST_EXPECT(shape.n == 3 && shape.v[0] == 5 && shape.v[1] == 4 && shape.v[2] == 3, "the joint shape is wrong");
    garray_shape empty[] = { GARRAY_SHAPE(0, 1), GARRAY_SHAPE(1, 3) };
    TEST_OK(garray_broadcast_shapes(2, empty, room, &shape));
    TEST_EXPECT(shape.n == 2 && shape.v[0] == 0 && shape.v[1] == 3, "the joint shape is wrong");
    garray_shape wrong[] = { GARRAY_SHAPE(0, 3), GARRAY_SHAPE(2, 3) };
    TEST_STATUS(ERR_SHAPE, garray_broadcast_shapes(2, wrong, room, &shape));
    TEST_OK(garray_broadcast_shapes(0, NULL, room, &shape));
    TEST_EXPECT(shape.n == 0, "no shapes broadcast to %d axes", (int)shape.n);
    garray_release(x);
    garray_release(y);
    garray_release(scalar);
    free(values);
}

/* ---- joining ---- */

/* Arrays of every two dtypes in other layouts, along each axis: as rows copied one by one. */
Test(shape, concat)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (TEST_DTYPES(e))
            for (int axis = 0; axis < 3; axis++) {
                static const int64_t shapes[3][2][3] = { { { 2, 3, 4 }, { 5, 3, 4 } },
                                                         { { 2, 3, 4 }, { 2, 1, 4 } },
                                                         { { 2, 3, 4 }, { 2, 3, 0 } } };
                garray_shape sa = GARRAY_DIMS(3, shapes[axis][0]), sb = GARRAY_DIMS(3, shapes[axis][1]);
                garray_t *a = test_array(d, (d + axis) % TEST_LAYOUTS, sa, NULL),
                         *b = test_array(e, (e + 3) % TEST_LAYOUTS, sb, NULL);
                garray_t *y = NULL, *ca = NULL, *cb = NULL;
                garray_dtype to;
                test_context("%s and %s, axis %d", garray_dtype_name((garray_dtype)d), garray_dtype_name((garray_dtype)e), axis);
                int64_t lengths[3] = { 2, 3, 4 }, outer = 1, inner = 1;
                lengths[axis] += sb.v[axis];
                if (!TEST_OK(garray_concat(GARRAY_LIST(a, b, a), axis == 2 ? -1 : axis, &y)))
                    continue;
                lengths[axis] += sa.v[axis];
                TEST_OK(
                    garray_result_type(2, ((const garray_operand[]){ garray_operand_array(a), garray_operand_array(b) }), &to));
                TEST_EXPECT(garray_dtype_of(y) == to && same_shape(y, GARRAY_DIMS(3, lengths)), "dtype or shape is wrong");
                TEST_OK(garray_astype(a, to, &ca));
                TEST_OK(garray_astype(b, to, &cb));
                for (int i = 0; i < axis; i++)
                    outer *= sa.v[i];
                for (int i = axis + 1; i < 3; i++)
                    inner *= sa.v[i];
                size_t item = garray_dtype_size(to), na = (size_t)(sa.v[axis] * inner) * item,
                       nb = (size_t)(sb.v[axis] * inner) * item;
                char *va = test_read(ca), *vb = test_read(cb), *expected = malloc((size_t)outer * (2 * na + nb) + 1),
                     *p = expected;
                for (size_t o = 0; o < (size_t)outer; o++) {
                    memcpy(p, va + o * na, na);
                    memcpy(p + na, vb + o * nb, nb);
                    memcpy(p + na + nb, va + o * na, na);
                    p += 2 * na + nb;
                }
                TEST_EQUAL(y, expected, 0);
                /* its own operand as the result */
                if (TEST_OK(garray_concat(GARRAY_LIST(a, b, a), axis, &a)))
                    TEST_EQUAL(a, expected, 0);
                free(va);
                free(vb);
                free(expected);
                garray_release(a);
                garray_release(b);
                garray_release(ca);
                garray_release(cb);
                garray_release(y);
            }
    TEST_NO_LEAK(mark);
}

Test(shape, stack_and_errors)
{
    char *va, *vb;
    garray_t *a = traced(GARRAY_INT32, TEST_TRANSPOSED, GARRAY_SHAPE(2, 3), &va), *b = NULL, *other = NULL, *scalar = NULL,
             *y = NULL;
    test_mark mark = test_memory();
    vb = numbers(GARRAY_FLOAT64, 6);
    b = test_array(GARRAY_FLOAT64, TEST_NEGATIVE, GARRAY_SHAPE(2, 3), vb);
    TEST_OK(garray_subtract(b, 10, &b));
    const double first[] = { 0, 1, 2, 3, 4, 5, -10, -9, -8, -7, -6, -5 },
                 middle[] = { 0, 1, 2, -10, -9, -8, 3, 4, 5, -7, -6, -5 };
    const double last[] = { 0, -10, 1, -9, 2, -8, 3, -7, 4, -6, 5, -5 };
    if (TEST_OK(garray_stack(GARRAY_LIST(a, b), 0, &y)) &&
        TEST_EXPECT(same_shape(y, GARRAY_SHAPE(2, 2, 3)), "the shape is wrong"))
        TEST_EQUAL(y, first, 0);
    if (TEST_OK(garray_stack(GARRAY_LIST(a, b), 1, &y)) &&
        TEST_EXPECT(same_shape(y, GARRAY_SHAPE(2, 2, 3)), "the shape is wrong"))
        TEST_EQUAL(y, middle, 0);
    if (TEST_OK(garray_stack(GARRAY_LIST(a, b), -1, &y)) &&
        TEST_EXPECT(same_shape(y, GARRAY_SHAPE(2, 3, 2)), "the shape is wrong"))
        TEST_EQUAL(y, last, 0);
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 2), GARRAY_INT32, test_device(), &other));
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_INT32, test_device(), &scalar));
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_stack(GARRAY_LIST(a, other), 0, &y));
    TEST_STATUS(ERR_AXIS, garray_stack(GARRAY_LIST(a, b), 3, &y));
    TEST_STATUS(ERR_SHAPE, garray_concat(GARRAY_LIST(a, other), 0, &y));
    TEST_MESSAGE("garray_concat: ", "(2,3)", "(3,2)");
    TEST_STATUS(ERR_SHAPE, garray_concat(GARRAY_LIST(a, scalar), 0, &y));
    TEST_STATUS(ERR_SHAPE, garray_concat(GARRAY_LIST(scalar), 0, &y));
    TEST_STATUS(ERR_AXIS, garray_concat(GARRAY_LIST(a, b), 2, &y));
    TEST_STATUS(ERR_INVALID, garray_concat(((garray_list){ 0, NULL }), 0, &y));
    TEST_STATUS(ERR_INVALID, garray_concat(GARRAY_LIST(a, NULL), 0, &y));
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(5), &y));
    TEST_MESSAGE("garray_reshape: ", "cannot reshape array of shape (2,3) into shape (5,)");
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(-1, -1), &y));
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(-2, 3), &y));
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(-1, 0), &y));
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(INT64_MAX, INT64_MAX, 6), &y));
    TEST_STATUS(ERR_SHAPE, garray_reshape(a, GARRAY_SHAPE(3, 2), garray_into(a)));
    TEST_STATUS(ERR_AXIS, garray_permute_dims(a, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_AXIS, garray_permute_dims(a, GARRAY_AXES(0, 0), &y));
    TEST_STATUS(ERR_AXIS, garray_moveaxis(a, GARRAY_AXES(0, 1), GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_AXIS, garray_moveaxis(a, GARRAY_AXES(0), GARRAY_AXES(2), &y));
    TEST_STATUS(ERR_AXIS, garray_swapaxes(a, 0, 2, &y));
    TEST_STATUS(ERR_AXIS, garray_flip(a, GARRAY_AXES(-3), &y));
    TEST_STATUS(ERR_SHAPE, garray_matrix_transpose(scalar, &y));
    TEST_STATUS(ERR_INVALID, garray_flip(NULL, GARRAY_ALL_AXES, &y));
    TEST_STATUS(ERR_INVALID, garray_flip(a, GARRAY_ALL_AXES, NULL));
    TEST_EXPECT(!y, "out was changed");
    /* a result over its own operand, as if that had been copied first */
    const int32_t turned[] = { 5, 4, 3, 2, 1, 0 };
    if (TEST_OK(garray_flip(a, GARRAY_ALL_AXES, garray_into(a))))
        TEST_EQUAL(a, turned, 0);
    garray_release(b);
    garray_release(other);
    garray_release(scalar);
    TEST_NO_LEAK(mark);
    garray_release(a);
    free(va);
    free(vb);
}
