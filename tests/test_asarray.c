/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as a caller needs them, what can be asked of them and of dtypes, and functions of the caller. */
#include <float.h>
#include "core/array.h"
#include "test.h"

Test(asarray, copies)
{
    test_mark mark = test_memory();
    int32_t v[6] = { 0, 1, 2, 3, 4, 5 };
    double d[6] = { 0, 1, 2, 3, 4, 5 };
    garray_t *x = NULL, *y = NULL, *t = NULL;
    TEST_OK(garray_from_host(v, GARRAY_INT32, GARRAY_SHAPE(2, 3), NULL, test_device(), &x));
    if (TEST_OK(garray_asarray(x, NULL, &y)))
        TEST_EXPECT(y == x, "a copy");
    if (TEST_OK(garray_asarray(x, GARRAY_KW(asarray, .dtype = GARRAY_FLOAT64), &y)))
        TEST_EQUAL(y, d, 0);
    if (TEST_OK(garray_asarray(x, GARRAY_KW(asarray, .copy = GARRAY_COPY_ALWAYS), &y))) {
        TEST_EXPECT(y->buffer != x->buffer, "not a copy");
        TEST_EQUAL(y, v, 0);
    }
    TEST_STATUS(ERR_UNSUPPORTED, garray_asarray(x, GARRAY_KW(asarray, .copy = GARRAY_COPY_NEVER, .dtype = GARRAY_INT8), &y));
    /* an operand that is a conjugate has no memory of its own; of real numbers it is the transpose, a view */
    garray_t *z = NULL;
    TEST_OK(garray_astype(x, GARRAY_COMPLEX64, &z));
    TEST_STATUS(ERR_UNSUPPORTED, garray_asarray(GARRAY_MH(z), GARRAY_KW(asarray, .copy = GARRAY_COPY_NEVER), &y));
    TEST_OK(garray_asarray(GARRAY_MH(z), NULL, &z));
    if (TEST_OK(garray_asarray(GARRAY_MH(x), GARRAY_KW(asarray, .copy = GARRAY_COPY_NEVER), &t)))
        TEST_EXPECT(t->buffer == x->buffer, "a copy");
    garray_release(z);
    TEST_STATUS(ERR_INVALID, garray_asarray(5, NULL, &y));
    int64_t five = 5;
    if (TEST_OK(garray_asarray(5, GARRAY_KW(asarray, .has_device = 1, .device = test_device()), &y)))
        TEST_EQUAL(y, &five, 0);
    if (TEST_OK(garray_asarray(x, GARRAY_KW(asarray, .has_device = 1, .device = test_device()), &y)))
        TEST_EXPECT(y == x, "a copy");
    /* orders */
    if (TEST_OK(garray_asfortranarray(x, GARRAY_DTYPE_DEFAULT, &t))) {
        TEST_EQUAL(t, v, 0);
        TEST_EXPECT(garray_isfortran(t) && !garray_isfortran(x) && garray_flags(t) & GARRAY_FLAG_F_CONTIGUOUS, "not column-major");
        if (TEST_OK(garray_asfortranarray(t, GARRAY_INT32, &y)))
            TEST_EXPECT(y == t, "a copy");
        if (TEST_OK(garray_ascontiguousarray(t, GARRAY_DTYPE_DEFAULT, &y))) {
            TEST_EXPECT(garray_is_contiguous(y), "not row-major");
            TEST_EQUAL(y, v, 0);
        }
        if (TEST_OK(garray_require(t, GARRAY_DTYPE_DEFAULT, GARRAY_FLAG_C_CONTIGUOUS | GARRAY_FLAG_WRITEABLE, &y)))
            TEST_EXPECT(garray_is_contiguous(y) && y != t, "not row-major");
        if (TEST_OK(garray_require(t, GARRAY_DTYPE_DEFAULT, GARRAY_FLAG_F_CONTIGUOUS | GARRAY_FLAG_ALIGNED, &y)))
            TEST_EXPECT(y == t, "a copy");
    }
    TEST_STATUS(ERR_INVALID, garray_require(x, GARRAY_INT8, GARRAY_FLAG_C_CONTIGUOUS | GARRAY_FLAG_F_CONTIGUOUS, &y));
    if (TEST_OK(garray_getitem(x, GARRAY_AT(0), &t)) && TEST_OK(garray_require(t, GARRAY_DTYPE_DEFAULT, GARRAY_FLAG_OWNDATA, &y)))
        TEST_EXPECT(y->buffer != x->buffer, "a view");
    TEST_OK(garray_getitem(x, GARRAY_AT(0, 0), &t));
    if (TEST_OK(garray_ascontiguousarray(t, GARRAY_INT16, &y)))
        TEST_EXPECT(garray_ndim(y) == 1, "%d axes", garray_ndim(y));
    if (TEST_OK(garray_array(x, GARRAY_KW(array, .ndmin = 4, .no_copy = 1), &y)))
        TEST_EXPECT(garray_ndim(y) == 4 && garray_shape_of(y).v[2] == 2 && y->buffer == x->buffer, "not a view of 4 axes");
    if (TEST_OK(garray_array(x, NULL, &y)))
        TEST_EXPECT(y->buffer != x->buffer, "not a copy");
    /* finite ones */
    double bad[2] = { 1, INFINITY };
    TEST_OK(garray_asarray_chkfinite(x, GARRAY_FLOAT32, &y));
    TEST_OK(garray_from_host(bad, GARRAY_FLOAT64, GARRAY_SHAPE(2), NULL, test_device(), &t));
    TEST_STATUS(ERR_INVALID, garray_asarray_chkfinite(t, GARRAY_DTYPE_DEFAULT, &y));
    garray_release(x);
    garray_release(y);
    garray_release(t);
    TEST_NO_LEAK(mark);
}

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

Test(asarray, frombuffer)
{
    int16_t memory[5] = { 1, 2, 3, 4, 5 };
    int released = 0;
    garray_t *x = NULL, *view = NULL;
    TEST_OK(garray_frombuffer(memory, sizeof memory, GARRAY_INT16, NULL, count_release, &released, &x));
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_FROM(3)), &view));
    TEST_OK(garray_setitem(view, GARRAY_AT(0), 9));
    TEST_EXPECT(memory[3] == 9, "the memory was copied");
    TEST_EXPECT(!(garray_flags(x) & GARRAY_FLAG_OWNDATA), "owned");
    garray_release(x);
    x = NULL;
    TEST_EXPECT(released == 0, "released too early");
    garray_release(view);
    TEST_EXPECT(released == 1, "released %d times", released);
    TEST_OK(garray_frombuffer(memory, sizeof memory, GARRAY_INT16, GARRAY_KW(frombuffer, .count = GARRAY_VAL(2), .offset = 2,
                                                                           .readonly = 1), NULL, NULL, &x));
    TEST_EQUAL(x, memory + 1, 0);
    TEST_EXPECT(garray_size(x) == 2 && !garray_is_writeable(x), "size or flags are wrong");
    TEST_STATUS(ERR_READONLY, garray_setflags(x, true));
    TEST_STATUS(ERR_INVALID, garray_frombuffer(memory, 9, GARRAY_INT16, NULL, count_release, &released, &x));
    TEST_STATUS(ERR_INVALID, garray_frombuffer(memory, 8, GARRAY_INT16, GARRAY_KW(frombuffer, .count = GARRAY_VAL(5)), count_release,
                                               &released, &x));
    TEST_STATUS(ERR_INVALID, garray_frombuffer(memory, 8, GARRAY_INT16, GARRAY_KW(frombuffer, .offset = 9), NULL, NULL, &x));
    TEST_EXPECT(released == 1, "a failed call released the memory");
    TEST_OK(garray_frombuffer(NULL, 0, GARRAY_INT16, NULL, count_release, &released, &x));
    TEST_EXPECT(garray_size(x) == 0, "not empty");
    garray_release(x);
    TEST_EXPECT(released == 2, "released %d times", released);
}

/* Small arrays within 24 bytes of one buffer: every byte is tried. */
Test(asarray, shared_memory)
{
    test_mark mark = test_memory();
    garray_t *base = NULL, *a = NULL, *b = NULL, *line = NULL;
    uint64_t state = 7;
    TEST_OK(garray_zeros(GARRAY_SHAPE(64), GARRAY_UINT8, test_device(), &base));
    for (int round = 0; round < 3000; round++) {
        char touched[2][64] = { { 0 } };
        garray_t **made[2] = { &a, &b };
        for (int k = 0; k < 2; k++) {
            int64_t shape[3], strides[3], size = 1 << test_random_word(&state) % 3, low = 0, high = size - 1;
            int n = (int)(test_random_word(&state) % 4);
            for (int i = 0; i < n; i++) {
                shape[i] = 1 + (int64_t)(test_random_word(&state) % 3);
                strides[i] = (int64_t)(test_random_word(&state) % 19) - 9;
                low += strides[i] < 0 ? (shape[i] - 1) * strides[i] : 0;
                high += strides[i] > 0 ? (shape[i] - 1) * strides[i] : 0;
            }
            int64_t start = -low + (int64_t)(test_random_word(&state) % (uint64_t)(64 - (high - low)));
            TEST_OK(garray_getitem(base, GARRAY_AT(GARRAY_STEP(start, start + size, 1)), &line));
            TEST_OK(garray_view(line, size == 1 ? GARRAY_UINT8 : size == 2 ? GARRAY_INT16 : GARRAY_FLOAT32, &line));
            TEST_OK(garray_reshape(line, GARRAY_0D, &line));
            TEST_OK(garray_as_strided(line, GARRAY_DIMS(n, shape), strides, NULL, made[k]));
            int64_t at[3] = { 0, 0, 0 };
            for (int64_t e = 0; e < garray_size(*made[k]); e++) {
                int64_t place = start, rest = e;
                for (int i = n - 1; i >= 0; i--) {
                    at[i] = rest % shape[i];
                    rest /= shape[i];
                    place += at[i] * strides[i];
                }
                memset(touched[k] + place, 1, (size_t)size);
            }
        }
        bool expected = false, got = !expected;
        for (int i = 0; i < 64; i++)
            expected = expected || (touched[0][i] && touched[1][i]);
        test_context("round %d", round);
        if (TEST_OK(garray_shares_memory(a, b, -1, &got)))
            TEST_EXPECT(got == expected, "shares_memory is %d", got);
        TEST_EXPECT(garray_may_share_memory(a, b) >= expected, "may_share_memory is false");
    }
    /* alternating elements, and different buffers */
    bool got = true;
    TEST_OK(garray_getitem(base, GARRAY_AT(GARRAY_EVERY(2)), &a));
    TEST_OK(garray_getitem(base, GARRAY_AT(GARRAY_STEP(1, 64, 2)), &b));
    if (TEST_OK(garray_shares_memory(a, b, 100, &got)))
        TEST_EXPECT(!got && garray_may_share_memory(a, b), "elements that alternate");
    TEST_OK(garray_copy(a, &b));
    if (TEST_OK(garray_shares_memory(a, b, -1, &got)))
        TEST_EXPECT(!got && !garray_may_share_memory(a, b), "two buffers");
    uintptr_t low, high;
    garray_byte_bounds(a, &low, &high);
    TEST_EXPECT(high - low == 63, "bounds of %d bytes", (int)(high - low));
    TEST_OK(garray_setflags(a, false));
    TEST_STATUS(ERR_READONLY, garray_setitem(a, GARRAY_AT(0), 1));
    TEST_OK(garray_setflags(a, true));
    TEST_OK(garray_setitem(a, GARRAY_AT(0), 1));
    garray_release(base);
    garray_release(a);
    garray_release(b);
    garray_release(line);
    TEST_NO_LEAK(mark);
}

Test(asarray, dtypes)
{
    garray_float_info f;
    garray_int_info i;
    TEST_OK(garray_finfo(GARRAY_FLOAT32, &f));
    TEST_EXPECT(f.bits == 32 && f.eps == FLT_EPSILON && f.max == FLT_MAX && f.smallest_normal == FLT_MIN
                && f.smallest_subnormal == 0x1p-149 && f.min == -FLT_MAX && f.dtype == GARRAY_FLOAT32 && f.precision == 6, "float32");
    TEST_OK(garray_finfo(GARRAY_COMPLEX128, &f));
    TEST_EXPECT(f.bits == 64 && f.eps == DBL_EPSILON && f.max == DBL_MAX && f.smallest_normal == DBL_MIN
                && f.smallest_subnormal == 0x1p-1074 && f.epsneg == DBL_EPSILON / 2 && f.dtype == GARRAY_FLOAT64, "complex128");
    TEST_OK(garray_finfo(GARRAY_FLOAT16, &f));
    TEST_EXPECT(f.max == 65504 && f.eps == 0x1p-10 && f.smallest_normal == 0x1p-14 && f.smallest_subnormal == 0x1p-24, "float16");
    TEST_OK(garray_finfo(GARRAY_BFLOAT16, &f));
    TEST_EXPECT(f.max == 0x1.fep127 && f.eps == 0x1p-7 && f.smallest_normal == 0x1p-126 && f.smallest_subnormal == 0x1p-133,
                "bfloat16");
    TEST_STATUS(ERR_DTYPE, garray_finfo(GARRAY_INT8, &f));
    TEST_OK(garray_iinfo(GARRAY_INT64, &i));
    TEST_EXPECT(i.min == INT64_MIN && i.max == INT64_MAX && i.bits == 64, "int64");
    TEST_OK(garray_iinfo(GARRAY_INT8, &i));
    TEST_EXPECT(i.min == -128 && i.max == 127, "int8");
    TEST_OK(garray_iinfo(GARRAY_UINT64, &i));
    TEST_EXPECT(i.min == 0 && i.max == UINT64_MAX, "uint64");
    TEST_STATUS(ERR_DTYPE, garray_iinfo(GARRAY_BOOL, &i));
    garray_dtype d;
#define SMALLEST(value, expected) \
    if (TEST_OK(garray_min_scalar_type(value, &d))) \
        TEST_EXPECT(d == GARRAY_##expected, #value " gives %s", garray_dtype_name(d))
    SMALLEST(10, UINT8);
    SMALLEST(255, UINT8);
    SMALLEST(256, UINT16);
    SMALLEST(-1, INT8);
    SMALLEST(-260, INT16);
    SMALLEST(1 << 20, UINT32);
    SMALLEST(UINT64_MAX, UINT64);
    SMALLEST(INT64_MIN, INT64);
    SMALLEST(3.1, FLOAT16);
    SMALLEST(1e50, FLOAT64);
    SMALLEST(1e10, FLOAT32);
    SMALLEST(INFINITY, FLOAT16);
    SMALLEST(GARRAY_TRUE, BOOL);
    SMALLEST(GARRAY_COMPLEX(1, 2), COMPLEX64);
    SMALLEST(GARRAY_COMPLEX(1e300, 2), COMPLEX128);
    garray_t *x = NULL, *y = NULL;
    TEST_OK(garray_full(GARRAY_0D, 7, GARRAY_INT64, test_device(), &x));
    SMALLEST(x, UINT8);
    TEST_OK(garray_full(GARRAY_SHAPE(1), 7, GARRAY_INT64, test_device(), &x));
    SMALLEST(x, INT64);
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT16, test_device(), &y));
    TEST_OK(garray_common_type(GARRAY_LIST(y, y), &d));
    TEST_EXPECT(d == GARRAY_FLOAT16, "%s", garray_dtype_name(d));
    TEST_OK(garray_common_type(GARRAY_LIST(y, x), &d));
    TEST_EXPECT(d == GARRAY_FLOAT64, "%s", garray_dtype_name(d));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_COMPLEX64, test_device(), &x));
    TEST_OK(garray_common_type(GARRAY_LIST(y, x), &d));
    TEST_EXPECT(d == GARRAY_COMPLEX64, "%s", garray_dtype_name(d));
    garray_release(x);
    garray_release(y);
}

/* ---- functions of the caller ---- */

static garray_status sort_line(void *ctx, const garray_t *line, garray_t **out)
{
    ++*(int *)ctx;
    return *(int *)ctx > 100 ? GARRAY_ERR_IO : garray_sort(line, 0, NULL, out);
}

static garray_status outer(void *ctx, const garray_t *line, garray_t **out)
{
    (void)ctx;
    GARRAY_AUTO garray_t *column = NULL;
    GARRAY_TRY(garray_expand_dims(line, GARRAY_AXES(1), &column));
    return garray_multiply(column, line, out);
}

static garray_status sum_axis(void *ctx, const garray_t *x, int axis, garray_t **out)
{
    return garray_sum(x, GARRAY_AXES(axis), GARRAY_KW(reduce, .keepdims = *(int *)ctx), out);
}

static garray_status add_coordinates(void *ctx, garray_list at, garray_t **out)
{
    (void)ctx;
    return garray_add(at.v[0], at.v[1], out);
}

static garray_status count_up(void *ctx, void *element, bool *end)
{
    int *n = ctx;
    const float value = 0.5f * (float)*n;
    memcpy(element, &value, sizeof value);
    *end = *n == 200;
    return ++*n > 1000 ? GARRAY_ERR_IO : GARRAY_OK;
}

Test(asarray, functions)
{
    test_mark mark = test_memory();
    int32_t v[6] = { 3, 1, 2, 9, 7, 8 }, rows[6] = { 1, 2, 3, 7, 8, 9 }, squares[12] = { 9, 27, 27, 81, 1, 7, 7, 49, 4, 16, 16, 64 };
    garray_t *x = NULL, *y = NULL;
    int count = 0;
    TEST_OK(garray_from_host(v, GARRAY_INT32, GARRAY_SHAPE(2, 3), NULL, test_device(), &x));
    if (TEST_OK(garray_apply_along_axis(x, 1, sort_line, &count, &y))) {
        TEST_EQUAL(y, rows, 0);
        TEST_EXPECT(count == 2, "%d calls", count);
    }
    count = 100;
    TEST_STATUS(ERR_IO, garray_apply_along_axis(x, 1, sort_line, &count, &y));
    TEST_EQUAL(y, rows, 0);
    if (TEST_OK(garray_apply_along_axis(x, 0, outer, NULL, &y))) {
        TEST_EXPECT(garray_ndim(y) == 3 && garray_shape_of(y).v[2] == 3, "the shape is wrong");
        TEST_OK(garray_moveaxis(y, GARRAY_AXES(2), GARRAY_AXES(0), &y));
        TEST_EQUAL(y, squares, 0);
    }
    int64_t total = 30;
    for (int keep = 0; keep < 2; keep++)
        if (TEST_OK(garray_apply_over_axes(x, GARRAY_AXES(0, -1), sum_axis, &keep, &y))) {
            TEST_EXPECT(garray_ndim(y) == 2, "%d axes", garray_ndim(y));
            TEST_EQUAL(y, &total, 0);
        }
    double sums[6] = { 0, 1, 2, 1, 2, 3 };
    if (TEST_OK(garray_fromfunction(GARRAY_SHAPE(2, 3), add_coordinates, NULL, GARRAY_DTYPE_DEFAULT, test_device(), &y)))
        TEST_EQUAL(y, sums, 0);
    float halves[200];
    for (int i = 0; i < 200; i++)
        halves[i] = 0.5f * (float)i;
    count = 0;
    if (TEST_OK(garray_fromiter(count_up, &count, GARRAY_FLOAT32, -1, test_device(), &y)) && TEST_EXPECT(garray_size(y) == 200, "size"))
        TEST_EQUAL(y, halves, 0);
    count = 0;
    if (TEST_OK(garray_fromiter(count_up, &count, GARRAY_FLOAT32, 3, test_device(), &y)))
        TEST_EXPECT(garray_size(y) == 3, "size");
    count = 0;
    TEST_STATUS(ERR_INVALID, garray_fromiter(count_up, &count, GARRAY_FLOAT32, 201, test_device(), &y));
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}
