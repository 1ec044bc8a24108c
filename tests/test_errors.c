/* SPDX-License-Identifier: BSD-3-Clause
 * Bad input: every line is one wrong call.  It has its status, a message that names the function and says
 * what is wrong in NumPy's words, leaves the result and the operands as they were, and leaks nothing. */
#include <stdio.h>
#include "test.h"

static garray_t *out, *kept;    /* the result of every call, which none of them may touch */
static test_mark before;

static void untouched(int line)
{
    if (out != kept) {
        test_fail(__FILE__, line, "the result was touched");
        out = kept;
    }
    TEST_EXPECT(garray_size(kept) == 3, "the result of line %d was changed", line);
    if (garray_size(kept) == 3)
        test_check_equal(__FILE__, line, kept, (const int32_t[]){ 7, 8, 9 }, 0);
    test_check_memory(__FILE__, line, before);
}

/* BAD(status, call, parts of the message ...) */
#define BAD(status, call, ...) \
    do { \
        test_context("line %d", __LINE__); \
        if (test_check_status(__FILE__, __LINE__, #call, (call), GARRAY_##status)) \
            TEST_MESSAGE(__VA_ARGS__); \
        untouched(__LINE__); \
    } while (0)

static garray_t *zeros(garray_dtype dtype, garray_shape shape)
{
    garray_t *x = NULL;
    cr_assert(garray_zeros(shape, dtype, test_device(), &x) == GARRAY_OK, "%s", garray_error_message());
    return x;
}

static void setup(void)
{
    int32_t values[] = { 7, 8, 9 };
    cr_assert(garray_from_host(values, GARRAY_INT32, GARRAY_SHAPE(3), NULL, test_device(), &kept) ==
              GARRAY_OK);
    out = kept;
}

Test(errors, elementwise, .init = setup)
{
    garray_t *a = zeros(GARRAY_FLOAT64, GARRAY_SHAPE(3, 4)), *b = zeros(GARRAY_FLOAT64, GARRAY_SHAPE(5));
    garray_t *i = zeros(GARRAY_INT8, GARRAY_SHAPE(3)), *z = zeros(GARRAY_COMPLEX64, GARRAY_SHAPE(3));
    garray_t *t = zeros(GARRAY_BOOL, GARRAY_SHAPE(3)), *none = NULL;
    garray_operand wrong = { .kind = 42 };
    before = test_memory();
    BAD(ERR_SHAPE, garray_add(a, b, &out), "garray_add", "(3,4)", "(5,)", "broadcast");
    BAD(ERR_SHAPE, garray_where(t, a, b, &out), "garray_where", "broadcast");
    BAD(ERR_SHAPE, garray_clip(a, b, 1, &out), "garray_clip", "broadcast");
    BAD(ERR_DTYPE, garray_bitwise_and(a, a, &out), "garray_bitwise_and", "float64",
        "not supported for the input types");
    BAD(ERR_DTYPE, garray_bitwise_and(i, 1.5, &out), "garray_bitwise_and", "int8", "float");
    BAD(ERR_DTYPE, garray_subtract(t, t, &out), "garray_subtract", "bool");
    BAD(ERR_DTYPE, garray_negative(t, &out), "garray_negative", "bool");
    BAD(ERR_DTYPE, garray_floor(z, &out), "garray_floor", "complex64");
    BAD(ERR_DTYPE, garray_floor_divide(z, z, &out), "garray_floor_divide", "complex64");
    BAD(ERR_DTYPE, garray_atan2(z, z, &out), "garray_atan2", "complex64");
    BAD(ERR_INVALID, garray_add(i, 200, &out), "garray_add", "200", "out of bounds for int8");
    BAD(ERR_INVALID, garray_add(i, -129, &out), "garray_add", "-129", "out of bounds for int8");
    BAD(ERR_INVALID, garray_pow(i, -1, &out), "garray_pow", "negative integer powers");
    BAD(ERR_INVALID, garray_add(1, 2, &out), "garray_add", "at least one");
    BAD(ERR_INVALID, garray_add(none, a, &out), "garray_add", "NULL");
    BAD(ERR_INVALID, garray_add(a, GARRAY_NONE, &out), "garray_add", "not given");
    BAD(ERR_INVALID, garray_add(wrong, a, &out), "garray_add");
    BAD(ERR_INVALID, garray_add(a, 1, NULL), "garray_add", "NULL");
    BAD(ERR_INVALID, garray_exp(none, &out), "garray_exp", "NULL");
    BAD(ERR_INVALID, garray_clip(none, 1, 2, &out), "garray_clip", "NULL");
    BAD(ERR_INVALID, garray_where(none, a, a, &out), "garray_where", "NULL");
    BAD(ERR_SHAPE, garray_exp(GARRAY_MT(b), &out), "garray_exp", "2 axes");

    garray_operand in[3] = { garray_operand_array(a), garray_operand_array(a), garray_operand_array(a) };
    garray_t **slot = &out, **outs[2] = { &out, &out };
    garray_ufunc_opts opts = { .dtype = (garray_dtype)77 };
    BAD(ERR_INVALID, garray_ufunc((garray_op)0, 2, in, NULL, 1, &slot), "garray_ufunc", "no operation");
    BAD(ERR_INVALID, garray_ufunc((garray_op)240, 2, in, NULL, 1, &slot), "no operation");
    BAD(ERR_INVALID, garray_ufunc((garray_op)100000, 2, in, NULL, 1, &slot), "no operation");
    BAD(ERR_INVALID, garray_ufunc(GARRAY_OP_add, 1, in, NULL, 1, &slot), "garray_ufunc(add): ", "operands");
    BAD(ERR_INVALID, garray_ufunc(GARRAY_OP_add, 2, in, NULL, 2, outs), "result");
    BAD(ERR_INVALID, garray_ufunc(GARRAY_OP_add, 2, NULL, NULL, 1, &slot), "NULL");
    BAD(ERR_INVALID, garray_ufunc(GARRAY_OP_add, 2, in, NULL, 1, NULL), "NULL");
    BAD(ERR_DTYPE, garray_ufunc(GARRAY_OP_add, 2, in, &opts, 1, &slot), "garray_ufunc(add): ", "77");
    opts.dtype = GARRAY_INT32;
    BAD(ERR_DTYPE, garray_ufunc(GARRAY_OP_add, 2, in, &opts, 1, &slot), "float64", "int32", "same_kind");
    opts = (garray_ufunc_opts){ .where = garray_operand_array(a) };
    BAD(ERR_DTYPE, garray_ufunc(GARRAY_OP_add, 2, in, &opts, 1, &slot), "bool");
    opts.where = garray_operand_array(t);
    BAD(ERR_SHAPE, garray_ufunc(GARRAY_OP_add, 2, in, &opts, 1, &slot), "garray_ufunc(add): ", "(3,4)", "(3,)");
    garray_t *arrays[] = { a, b, i, z, t };
    for (int k = 0; k < 5; k++)
        garray_release(arrays[k]);
}

Test(errors, creation, .init = setup)
{
    garray_device d = test_device();
    garray_shape nothing = { 2, NULL };
    int64_t many[GARRAY_MAX_NDIM + 1];
    float data[4] = { 0 };
    for (int k = 0; k <= GARRAY_MAX_NDIM; k++)
        many[k] = 1;
    garray_t *none = NULL, *x = zeros(GARRAY_FLOAT32, GARRAY_SHAPE(2, 2)),
             *z = zeros(GARRAY_COMPLEX128, GARRAY_SHAPE(1));
    before = test_memory();
    BAD(ERR_SHAPE, garray_zeros(GARRAY_SHAPE(2, -1), GARRAY_INT8, d, &out), "garray_zeros",
        "negative dimensions");
    BAD(ERR_SHAPE, garray_zeros(GARRAY_SHAPE(INT64_MIN), GARRAY_INT8, d, &out), "negative dimensions");
    BAD(ERR_SHAPE, garray_zeros(GARRAY_DIMS(-1, many), GARRAY_INT8, d, &out), "garray_zeros");
    BAD(ERR_SHAPE, garray_zeros(GARRAY_DIMS(GARRAY_MAX_NDIM + 1, many), GARRAY_INT8, d, &out), "65", "64");
    BAD(ERR_SHAPE, garray_empty(GARRAY_DIMS(INT32_MAX, many), GARRAY_INT8, d, &out), "garray_empty");
    BAD(ERR_INVALID, garray_zeros(nothing, GARRAY_INT8, d, &out), "NULL");
    /* lengths whose product overflows, whatever the item is, and beside a 0 */
    const garray_shape huge[] = { GARRAY_SHAPE(INT64_MAX, 2),
                                  GARRAY_SHAPE(INT64_C(1) << 32, INT64_C(1) << 32),
                                  GARRAY_SHAPE(INT64_C(1) << 32, INT64_C(1) << 32, 4),
                                  GARRAY_SHAPE(0, INT64_MAX, 2), GARRAY_SHAPE(3, 5, INT64_MAX / 7) };
    for (size_t k = 0; k < sizeof huge / sizeof huge[0]; k++)
        for (TEST_DTYPES(t)) {
            BAD(ERR_SHAPE, garray_empty(huge[k], (garray_dtype)t, d, &out), "garray_empty", "too big");
            BAD(ERR_SHAPE, garray_from_host(data, (garray_dtype)t, huge[k], NULL, d, &out),
                "garray_from_host", "too big");
        }
    BAD(ERR_SHAPE, garray_ones(GARRAY_SHAPE(INT64_MAX / 4), GARRAY_FLOAT64, d, &out), "too big");
    BAD(ERR_SHAPE, garray_eye(INT64_MAX, INT64_MAX, 0, GARRAY_INT8, d, &out), "garray_eye", "too big");
    BAD(ERR_SHAPE, garray_eye(-1, 2, 0, GARRAY_INT8, d, &out), "negative dimensions");
    if (test_on_gpu())
        BAD(ERR_DEVICE_NOMEM, garray_empty(GARRAY_SHAPE(INT64_C(1) << 50), GARRAY_INT8, d, &out),
            "garray_empty", "memory");
    else
        BAD(ERR_NOMEM, garray_empty(GARRAY_SHAPE(INT64_C(1) << 50), GARRAY_INT8, d, &out), "garray_empty",
            "memory");

    BAD(ERR_DTYPE, garray_empty(GARRAY_SHAPE(2), (garray_dtype)16, d, &out), "16");
    BAD(ERR_DTYPE, garray_empty(GARRAY_SHAPE(2), (garray_dtype)-1, d, &out), "-1");
    BAD(ERR_DTYPE, garray_from_host(data, GARRAY_DTYPE_DEFAULT, GARRAY_SHAPE(2), NULL, d, &out), "dtype");
    BAD(ERR_INVALID, garray_from_host(NULL, GARRAY_INT8, GARRAY_SHAPE(2), NULL, d, &out), "garray_from_host",
        "NULL");
    BAD(ERR_INVALID, garray_zeros(GARRAY_SHAPE(2), GARRAY_INT8, d, NULL), "NULL");
    BAD(ERR_INVALID, garray_zeros_like(none, GARRAY_INT8, &out), "garray_zeros_like", "NULL");
    BAD(ERR_INVALID, garray_full(GARRAY_SHAPE(2), GARRAY_NONE, GARRAY_INT8, d, &out), "garray_full", "value");
    BAD(ERR_INVALID, garray_full(GARRAY_SHAPE(2), 300, GARRAY_INT8, d, &out), "garray_full", "300",
        "out of bounds for int8");
    BAD(ERR_INVALID, garray_full(GARRAY_SHAPE(2), none, GARRAY_INT8, d, &out), "garray_full");
    BAD(ERR_SHAPE, garray_full(GARRAY_SHAPE(3), x, GARRAY_FLOAT32, d, &out), "garray_full", "(2,2)", "(3,)");
    BAD(ERR_DTYPE, garray_full(GARRAY_SHAPE(2), GARRAY_COMPLEX(1, 1), GARRAY_FLOAT32, d, &out), "complex",
        "float32");

    BAD(ERR_INVALID, garray_arange(0, 10, 0, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange", "step");
    BAD(ERR_INVALID, garray_arange(0, INFINITY, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange");
    BAD(ERR_INVALID, garray_arange(0, NAN, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange");
    BAD(ERR_INVALID, garray_arange(0, GARRAY_NONE, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange");
    BAD(ERR_INVALID, garray_arange(x, 10, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange", "numbers");
    BAD(ERR_DTYPE, garray_arange(GARRAY_COMPLEX(0, 1), 10, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange",
        "complex");
    BAD(ERR_SHAPE, garray_arange(INT64_MIN, INT64_MAX, 1, GARRAY_DTYPE_DEFAULT, d, &out), "garray_arange",
        "maximum allowed size");
    BAD(ERR_DTYPE, garray_arange(0, 3, 1, GARRAY_BOOL, d, &out), "garray_arange", "bool");
    BAD(ERR_INVALID, garray_linspace(0, 1, -1, NULL, d, &out), "garray_linspace", "-1", "negative");
    BAD(ERR_AXIS, garray_linspace(x, 1, 2, GARRAY_KW(linspace, .axis = 5), d, &out), "garray_linspace", "axis 5");
    BAD(ERR_INVALID, garray_linspace(GARRAY_NONE, x, 2, NULL, d, &out), "garray_linspace", "start");
    BAD(ERR_DTYPE,
        garray_linspace(0, GARRAY_COMPLEX(0, 1), 3, GARRAY_KW(linspace, .dtype = GARRAY_FLOAT32), d, &out),
        "complex");

    float value;
    BAD(ERR_SHAPE, garray_item(x, &value), "garray_item", "(2,2)", "size 1");
    BAD(ERR_DTYPE, garray_item(z, &value), "garray_item", "complex");
    BAD(ERR_INVALID, garray_item(none, &value), "garray_item", "NULL");
    BAD(ERR_INVALID, (garray_item)(x, GARRAY_FLOAT32, NULL), "garray_item", "NULL");
    BAD(ERR_INVALID, garray_to_host(x, data, NULL, 15), "garray_to_host", "16 bytes", "15");
    BAD(ERR_INVALID, garray_to_host(x, NULL, NULL, 16), "garray_to_host", "NULL");
    BAD(ERR_INVALID, garray_to_host(none, data, NULL, 16), "garray_to_host", "NULL");
    BAD(ERR_INVALID, garray_to_host(x, data, (int64_t[]){ INT64_MAX, 4 }, 16), "garray_to_host");
    BAD(ERR_DTYPE, garray_astype(x, GARRAY_DTYPE_DEFAULT, &out), "garray_astype", "dtype");
    BAD(ERR_INVALID, garray_astype(none, GARRAY_INT8, &out), "garray_astype", "NULL");
    BAD(ERR_INVALID, garray_copy(none, &out), "garray_copy", "NULL");
    BAD(ERR_INVALID, garray_to_device(none, d, &out), "garray_to_device", "NULL");
    BAD(ERR_INVALID, garray_move(&none, &out), "garray_move");
    BAD(ERR_INVALID, garray_move(NULL, &out), "garray_move");
    garray_release(x);
    garray_release(z);
}

Test(errors, shapes, .init = setup)
{
    garray_t *x = zeros(GARRAY_FLOAT32, GARRAY_SHAPE(2, 3, 4)), *v = zeros(GARRAY_INT16, GARRAY_SHAPE(5)),
             *none = NULL;
    garray_shape lengths[2] = { garray_shape_of(x), garray_shape_of(v) }, shape;
    int64_t room[GARRAY_MAX_NDIM];
    before = test_memory();
    BAD(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(5, 5), &out), "garray_reshape", "(2,3,4)", "(5,5)");
    BAD(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(-1, 7), &out), "garray_reshape");
    BAD(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(-1, -1), &out), "garray_reshape");
    BAD(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(-2, 12), &out), "garray_reshape");
    BAD(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(0, -1), &out), "garray_reshape");
    BAD(ERR_INVALID, garray_reshape(none, GARRAY_SHAPE(1), &out), "garray_reshape", "NULL");
    BAD(ERR_AXIS, garray_permute_dims(x, GARRAY_AXES(0, 1), &out), "garray_permute_dims");
    BAD(ERR_AXIS, garray_permute_dims(x, GARRAY_AXES(0, 1, 1), &out), "garray_permute_dims");
    BAD(ERR_AXIS, garray_permute_dims(x, GARRAY_AXES(0, 1, 3), &out),
        "axis 3 is out of bounds for array of dimension 3");
    BAD(ERR_SHAPE, garray_matrix_transpose(v, &out), "garray_matrix_transpose");
    BAD(ERR_AXIS, garray_moveaxis(x, GARRAY_AXES(0, 0), GARRAY_AXES(1, 2), &out), "garray_moveaxis");
    BAD(ERR_AXIS, garray_moveaxis(x, GARRAY_AXES(0, 5), GARRAY_AXES(1, 2), &out), "axis 5");
    BAD(ERR_AXIS, garray_swapaxes(x, 0, -4, &out), "garray_swapaxes",
        "axis -4 is out of bounds for array of dimension 3");
    BAD(ERR_SHAPE, garray_squeeze(x, GARRAY_AXES(0), &out), "garray_squeeze");
    BAD(ERR_AXIS, garray_squeeze(x, GARRAY_AXES(9), &out), "axis 9");
    BAD(ERR_AXIS, garray_expand_dims(x, GARRAY_AXES(5), &out), "garray_expand_dims", "axis 5");
    BAD(ERR_AXIS, garray_expand_dims(x, GARRAY_AXES(0, 0), &out), "garray_expand_dims");
    BAD(ERR_AXIS, garray_flip(x, GARRAY_AXES(3), &out), "garray_flip", "axis 3");
    BAD(ERR_AXIS, garray_flip(x, GARRAY_AXES(1, 1), &out), "garray_flip", "twice");
    BAD(ERR_SHAPE, garray_broadcast_to(x, GARRAY_SHAPE(3, 4), &out), "garray_broadcast_to", "(2,3,4)",
        "(3,4)");
    BAD(ERR_SHAPE, garray_broadcast_to(v, GARRAY_SHAPE(5, 4), &out), "(5,)", "(5,4)");
    BAD(ERR_SHAPE, garray_broadcast_to(v, GARRAY_SHAPE(-1, 5), &out), "garray_broadcast_to");
    BAD(ERR_SHAPE, garray_broadcast_shapes(2, lengths, room, &shape), "garray_broadcast_shapes", "broadcast");
    BAD(ERR_SHAPE, garray_concat(GARRAY_LIST(x, v), 0, &out), "garray_concat");
    BAD(ERR_AXIS, garray_concat(GARRAY_LIST(v, v), 1, &out), "garray_concat", "axis 1");
    BAD(ERR_INVALID, garray_concat(GARRAY_ARRAYS(0, NULL), 0, &out), "garray_concat");
    BAD(ERR_INVALID, garray_concat(GARRAY_LIST(v, none), 0, &out), "garray_concat", "NULL");
    BAD(ERR_SHAPE, garray_stack(GARRAY_LIST(x, v), 0, &out), "garray_stack");
    BAD(ERR_AXIS, garray_stack(GARRAY_LIST(v, v), 3, &out), "garray_stack", "axis 3");

    /* indices */
    garray_t *f = zeros(GARRAY_FLOAT32, GARRAY_SHAPE(2)), *mask = zeros(GARRAY_BOOL, GARRAY_SHAPE(3, 3));
    garray_t *index = zeros(GARRAY_INT64, GARRAY_SHAPE(2)), *read = NULL;
    TEST_OK(garray_broadcast_to(v, GARRAY_SHAPE(2, 5), &read));
    before = test_memory();
    BAD(ERR_INDEX, garray_getitem(v, GARRAY_AT(5), &out), "garray_getitem",
        "index 5 is out of bounds for axis 0 with size 5");
    BAD(ERR_INDEX, garray_getitem(v, GARRAY_AT(-6), &out),
        "index -6 is out of bounds for axis 0 with size 5");
    BAD(ERR_INDEX, garray_getitem(v, GARRAY_AT(0, 0), &out), "too many indices for array");
    BAD(ERR_INDEX, garray_getitem(x, GARRAY_AT(GARRAY_ELLIPSIS, GARRAY_ELLIPSIS), &out), "ellipsis");
    BAD(ERR_INDEX, garray_getitem(v, GARRAY_AT(GARRAY_STEP(0, 5, 0)), &out), "step", "zero");
    BAD(ERR_INDEX, garray_getitem(v, GARRAY_AT(f), &out), "garray_getitem", "integer");
    BAD(ERR_INDEX, garray_getitem(x, GARRAY_AT(mask), &out), "garray_getitem", "bool");
    BAD(ERR_INVALID, garray_getitem(none, GARRAY_AT(0), &out), "garray_getitem", "NULL");
    BAD(ERR_INDEX, garray_getitem_text(v, "1:x", &out), "garray_getitem_text");
    BAD(ERR_INDEX, garray_getitem_text(v, "1::0", &out), "garray_getitem_text");
    BAD(ERR_INDEX, garray_getitem_text(v, "99999999999999999999", &out), "garray_getitem_text");
    BAD(ERR_INVALID, garray_getitem_text(v, NULL, &out), "garray_getitem_text", "NULL");
    BAD(ERR_READONLY, garray_setitem(read, GARRAY_AT(0), 1), "garray_setitem", "read-only");
    BAD(ERR_SHAPE, garray_setitem(v, GARRAY_AT(GARRAY_RANGE(0, 3)), v), "garray_setitem", "(5,)", "(3,)");
    BAD(ERR_INDEX, garray_setitem(v, GARRAY_AT(7), 1), "garray_setitem", "out of bounds");
    BAD(ERR_INVALID, garray_setitem(v, GARRAY_AT(0), 100000), "garray_setitem", "out of bounds for int16");
    BAD(ERR_AXIS, garray_take(v, index, GARRAY_AXES(1), &out), "garray_take", "axis 1");
    BAD(ERR_DTYPE, garray_take(v, f, GARRAY_AXES(0), &out), "garray_take", "integer");
    garray_t *arrays[] = { x, v, f, mask, index, read };
    for (int k = 0; k < 6; k++)
        garray_release(arrays[k]);
}

Test(errors, reductions, .init = setup)
{
    garray_t *x = zeros(GARRAY_FLOAT32, GARRAY_SHAPE(3, 4)),
             *empty = zeros(GARRAY_FLOAT32, GARRAY_SHAPE(0, 3)), *none = NULL;
    garray_t *z = zeros(GARRAY_COMPLEX64, GARRAY_SHAPE(3)), *one = zeros(GARRAY_FLOAT64, GARRAY_SHAPE(2)),
             *second = NULL;
    before = test_memory();
    BAD(ERR_AXIS, garray_sum(x, GARRAY_AXES(2), NULL, &out), "garray_sum",
        "axis 2 is out of bounds for array of dimension 2");
    BAD(ERR_AXIS, garray_sum(x, GARRAY_AXES(-3), NULL, &out), "axis -3");
    BAD(ERR_AXIS, garray_sum(x, GARRAY_AXES(0, -2), NULL, &out), "twice");
    BAD(ERR_INVALID, garray_sum(none, GARRAY_ALL_AXES, NULL, &out), "garray_sum", "NULL");
    BAD(ERR_INVALID, garray_sum(x, GARRAY_ALL_AXES, NULL, NULL), "NULL");
    BAD(ERR_DTYPE, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = (garray_dtype)50), &out),
        "garray_sum");
    BAD(ERR_SHAPE, garray_max(empty, GARRAY_AXES(0), NULL, &out), "garray_max", "zero-size");
    BAD(ERR_SHAPE, garray_argmax(empty, GARRAY_AXES(0), NULL, &out), "garray_argmax", "empty");
    BAD(ERR_AXIS, garray_argmin(x, GARRAY_AXES(7), NULL, &out), "garray_argmin", "axis 7");
    BAD(ERR_DTYPE, garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .where = GARRAY_VAL(x)), &out),
        "garray_sum", "bool");
    BAD(ERR_AXIS, garray_cumulative_sum(x, GARRAY_AXES(2), NULL, &out), "garray_cumulative_sum", "axis 2");
    BAD(ERR_AXIS, garray_sort(x, 2, NULL, &out), "garray_sort", "axis 2");
    BAD(ERR_AXIS, garray_argsort(x, -3, NULL, &out), "garray_argsort", "axis -3");
    BAD(ERR_SHAPE, garray_top_k(x, 5, 1, NULL, &out, &second), "garray_top_k", "5");
    BAD(ERR_SHAPE, garray_top_k(x, -1, 1, NULL, &out, &second), "garray_top_k", "-1");
    BAD(ERR_SHAPE, garray_matmul(x, x, &out), "garray_matmul", "(3,4)");
    BAD(ERR_SHAPE, garray_vecdot(x, one, -1, &out), "garray_vecdot");
    BAD(ERR_SHAPE, garray_linalg_cholesky(x, NULL, &out), "garray_linalg_cholesky", "square");
    BAD(ERR_SHAPE, garray_linalg_solve(x, x, &out), "garray_linalg_solve", "square");
    BAD(ERR_SHAPE, garray_linalg_eigvalsh(z, NULL, &out), "garray_linalg_eigvalsh");
    garray_t *arrays[] = { x, empty, z, one };
    for (int k = 0; k < 4; k++)
        garray_release(arrays[k]);
}

Test(errors, devices, .init = setup)
{
    garray_device device;
    int count = -1;
    char name[4] = "";
    before = test_memory();
    BAD(ERR_INVALID, garray_device_parse("gpu", &device), "garray_device_parse", "gpu", "cuda");
    BAD(ERR_INVALID, garray_device_parse("cuda:", &device), "garray_device_parse");
    BAD(ERR_INVALID, garray_device_parse("cuda:-1", &device), "garray_device_parse");
    BAD(ERR_INVALID, garray_device_parse("cuda:1x", &device), "garray_device_parse");
    BAD(ERR_INVALID, garray_device_parse("", &device), "garray_device_parse");
    BAD(ERR_INVALID, garray_device_parse(NULL, &device), "NULL");
    BAD(ERR_INVALID, garray_device_parse("cpu", NULL), "NULL");
    BAD(ERR_INVALID, garray_device_count((garray_device_type)9, &count), "garray_device_count", "9");
    BAD(ERR_INVALID, garray_device_count(GARRAY_DEVICE_CPU, NULL), "NULL");
    BAD(ERR_INVALID, garray_zeros(GARRAY_SHAPE(2), GARRAY_INT8, ((garray_device){ 5, 0 }), &out),
        "garray_zeros", "5");
    BAD(ERR_INVALID, garray_zeros(GARRAY_SHAPE(2), GARRAY_INT8, ((garray_device){ 0, -1 }), &out),
        "garray_zeros", "-1");
    BAD(ERR_NO_DEVICE, garray_zeros(GARRAY_SHAPE(2), GARRAY_INT8, ((garray_device){ 0, 1 }), &out),
        "garray_zeros", "cpu:1");
    BAD(ERR_NO_DEVICE, garray_zeros(GARRAY_SHAPE(2), GARRAY_INT8, GARRAY_CUDA(9999), &out), "garray_zeros",
        "cuda");
    BAD(ERR_INVALID, garray_device_name(GARRAY_CPU, NULL, 4), "garray_device_name");
    BAD(ERR_INVALID, garray_stream_synchronize(NULL), "garray_stream_synchronize", "NULL");
    BAD(ERR_INVALID, garray_memory_stats(GARRAY_CPU, NULL), "garray_memory_stats", "NULL");
    BAD(ERR_INVALID, garray_memory_set_limit(GARRAY_CPU, -1), "garray_memory_set_limit");
    BAD(ERR_INVALID, garray_set_num_threads(-1), "garray_set_num_threads");

    TEST_OK(garray_device_count(GARRAY_DEVICE_CPU, &count));
    TEST_EXPECT(count == 1, "%d CPUs", count);
    TEST_OK(garray_device_name(GARRAY_CPU, name, sizeof name));
    TEST_EXPECT(strlen(name) == 3, "the name was not cut to size");
    TEST_OK(garray_device_parse("auto", &device));
    TEST_OK(garray_device_count(GARRAY_DEVICE_CUDA, &count));
    if (count == 0) {       /* without a GPU the CPU goes on, and the error says what was tried */
        TEST_EXPECT(device.type == GARRAY_DEVICE_CPU, "auto is not the CPU");
        BAD(ERR_NO_DEVICE, garray_device_parse("cuda", &device), "garray_device_parse", "cuda:0",
            "cannot be used");
        BAD(ERR_NO_DEVICE, garray_to_device(kept, GARRAY_CUDA(0), &out), "garray_to_device", "cuda:0");
    } else {
        garray_t *here = NULL, *there = zeros(GARRAY_INT32, GARRAY_SHAPE(3));
        TEST_OK(
            garray_zeros(GARRAY_SHAPE(3), GARRAY_INT32, test_on_gpu() ? GARRAY_CPU : GARRAY_CUDA(0), &here));
        before = test_memory();
        BAD(ERR_MIXED_DEVICES, garray_add(here, there, &out), "garray_add", "cpu", "cuda:0",
            "garray_to_device");
        BAD(ERR_MIXED_DEVICES, garray_add(here, 1, garray_into(there)), "garray_add");
        BAD(ERR_MIXED_DEVICES, garray_setitem(there, GARRAY_AT(0), here), "garray_setitem");
        BAD(ERR_MIXED_DEVICES, garray_concat(GARRAY_LIST(here, there), 0, &out), "garray_concat");
        BAD(ERR_MIXED_DEVICES, garray_matmul(here, there, &out), "garray_matmul");
        BAD(ERR_MIXED_DEVICES, garray_take(there, here, GARRAY_AXES(0), &out), "garray_take");
        garray_release(here);
        garray_release(there);
    }
}

/* What accepts NULL, and the message itself. */
Test(errors, messages)
{
    garray_t *x = zeros(GARRAY_INT8, GARRAY_SHAPE(2)), *y = NULL;
    garray_release(NULL);
    garray_stream_free(NULL);
    garray_event_free(NULL);
    TEST_EXPECT(!garray_retain(NULL), "retain of NULL");
    TEST_EXPECT(garray_ndim(NULL) == 0 && garray_size(NULL) == 0 && garray_len(NULL) == 0, "NULL has a size");
    TEST_EXPECT(garray_error_message()[0] == 0, "a message before the first error: %s",
                garray_error_message());
    TEST_STATUS(ERR_INVALID, garray_add(x, NULL == x ? x : y, &y));
    char text[256];
    snprintf(text, sizeof text, "%s", garray_error_message());
    TEST_OK(garray_add(x, 1, &y));
    TEST_EXPECT(strcmp(text, garray_error_message()) == 0, "a success changed the message");
    TEST_EXPECT(strncmp(text, "garray_add: ", 12) == 0, "the message is \"%s\"", text);
    /* a long message is cut, not overrun */
    int64_t lengths[GARRAY_MAX_NDIM];
    for (int i = 0; i < GARRAY_MAX_NDIM; i++)
        lengths[i] = i % 2 ? 1 : INT64_C(1000000007);
    TEST_STATUS(ERR_SHAPE,
                garray_zeros(GARRAY_DIMS(GARRAY_MAX_NDIM, lengths), GARRAY_INT8, test_device(), &y));
    TEST_EXPECT(strlen(garray_error_message()) < 600, "a message of %zu characters",
                strlen(garray_error_message()));
    garray_release(x);
    garray_release(y);
}
