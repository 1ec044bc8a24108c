/* SPDX-License-Identifier: BSD-3-Clause
 * The array interface: fields of arrays, arrays over fields, who is told when memory is let go of, and fields that lie. */
#include <limits.h>
#include "test.h"

typedef garray_array_interface fields;

static int released;

static void count(void *ctx)
{
    released++;
    *(int *)ctx += 1;
}

static const char *typestr_of(int dtype)
{
    switch (dtype) {
    case GARRAY_BOOL: return "|b1";
    case GARRAY_INT8: return "|i1";
    case GARRAY_UINT8: return "|u1";
    case GARRAY_INT16: return "<i2";
    case GARRAY_INT32: return "<i4";
    case GARRAY_INT64: return "<i8";
    case GARRAY_UINT16: return "<u2";
    case GARRAY_UINT32: return "<u4";
    case GARRAY_UINT64: return "<u8";
    case GARRAY_FLOAT16: return "<f2";
    case GARRAY_FLOAT32: return "<f4";
    case GARRAY_FLOAT64: return "<f8";
    case GARRAY_COMPLEX64: return "<c8";
    default: return "<c16";
    }
}

/* Every dtype, shape and layout, out and in again: the same memory, the same values. */
Test(array_interface, there_and_back)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(dtype))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++) {
                char values[16 * TEST_SHAPE_MAX];
                fields f;
                garray_t *back = NULL;
                int told = 0;
                void *data = NULL;
                test_context("%s, %s, shape %d", garray_dtype_name((garray_dtype)dtype), test_layout_name(layout), s);
                test_random(dtype, test_count(test_shapes[s]), 5, values);
                garray_t *x = test_array(dtype, layout, test_shapes[s], values);
                if (dtype == GARRAY_BFLOAT16) {
                    TEST_STATUS(ERR_DTYPE, garray_to_array_interface(x, &f));
                    TEST_MESSAGE("bfloat16", "DLPack");
                    garray_release(x);
                    continue;
                }
                if (!TEST_OK(garray_to_array_interface(x, &f)))
                    continue;
                TEST_OK(garray_begin(x, GARRAY_READ, NULL, &data));
                TEST_OK(garray_end(x, NULL));
                TEST_EXPECT(strcmp(f.typestr, typestr_of(dtype)) == 0, "typestr %s", f.typestr);
                TEST_EXPECT(f.version == 3 && !f.mask && f.ndim == garray_ndim(x), "a field is wrong");
                TEST_EXPECT(f.readonly == !garray_is_writeable(x), "readonly is wrong");
                TEST_EXPECT(f.data == (garray_size(x) ? data : NULL), "data is wrong");
                TEST_EXPECT(!f.strides == (garray_is_contiguous(x) || !garray_size(x)), "strides are wrong");
                TEST_EXPECT(f.has_stream == test_on_gpu() && !f.stream == !test_on_gpu(), "stream is wrong");
                TEST_EXPECT(f.device.type == test_device().type && f.device.index == test_device().index, "device is wrong");
                for (int k = 0; k < f.ndim; k++)
                    TEST_EXPECT(f.shape[k] == garray_shape_of(x).v[k] &&
                                    (!f.strides || f.strides[k] == garray_strides_of(x)[k]), "axis %d is wrong", k);
                if (s % 2 && test_on_gpu())
                    f.device.index = -1;
                if (!TEST_OK(garray_from_array_interface(&f, count, &told, &back)))
                    continue;
                TEST_EXPECT(told == !garray_size(x), "told %d times", told);
                TEST_EXPECT(garray_is_writeable(back) == garray_is_writeable(x), "writeable is wrong");
                TEST_EQUAL(back, values, 0);
                garray_release(back);
                TEST_OK(garray_synchronize(test_device()));
                TEST_EXPECT(told == 1, "told %d times", told);
                garray_release(x);
            }
    TEST_NO_LEAK(mark);
}

Test(array_interface, memory_is_shared)
{
    garray_t *x = NULL, *view = NULL, *wide = NULL, *y = NULL, *small = NULL;
    fields f, read;
    int told = 0;
    test_mark mark = test_memory();
    TEST_OK(garray_arange(0, 12, 1, GARRAY_INT32, test_device(), &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(3, 4), &view));
    TEST_OK(garray_getitem(view, GARRAY_AT(GARRAY_RANGE(0, 3), GARRAY_STEP(3, -5, -2)), &view));
    TEST_OK(garray_to_array_interface(view, &f));
    TEST_EXPECT(f.strides && f.strides[0] == 16 && f.strides[1] == -8, "strides are wrong");
    TEST_OK(garray_from_array_interface(&f, count, &told, &y));
    TEST_OK(garray_add(y, 100, garray_into(y)));
    TEST_EQUAL(x, ((const int32_t[]){ 0, 101, 2, 103, 4, 105, 6, 107, 8, 109, 10, 111 }), 0);
    TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(2, 12), &wide));
    TEST_OK(garray_to_array_interface(wide, &read));
    TEST_EXPECT(read.readonly && read.strides[0] == 0, "a broadcast view is not read-only");
    TEST_OK(garray_from_array_interface(&read, NULL, NULL, &y));
    TEST_STATUS(ERR_READONLY, garray_setitem(y, GARRAY_AT(0), 1));
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(told == 1, "told %d times", told);
    /* where the result is written into another array, the memory is let go of */
    TEST_OK(garray_zeros(GARRAY_SHAPE(5), GARRAY_INT32, test_device(), &small));
    TEST_STATUS(ERR_SHAPE, garray_from_array_interface(&f, count, &told, garray_into(small)));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3, 2), GARRAY_INT32, test_device(), &small));
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(told == 1, "a failure took the memory");
    TEST_OK(garray_from_array_interface(&f, count, &told, garray_into(small)));
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(told == 2, "told %d times", told);
    TEST_EQUAL(small, ((const int32_t[]){ 103, 101, 107, 105, 111, 109 }), 0);
    /* of no elements there are no strides */
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 0, 3), GARRAY_INT32, test_device(), &x));
    TEST_OK(garray_permute_dims(x, GARRAY_AXES(2, 1, 0), &view));
    TEST_OK(garray_to_array_interface(view, &f));
    TEST_EXPECT(!f.strides && !f.data && f.shape[0] == 3, "an empty view has strides or data");
    garray_release(x);
    garray_release(view);
    garray_release(wide);
    garray_release(y);
    garray_release(small);
    TEST_NO_LEAK(mark);
}

/* ---- fields that lie ---- */
static int64_t shape[3], strides[3];

static void version_0(fields *f) { f->version = 0; }
static void version_4(fields *f) { f->version = 4; }
static void negative_version(fields *f) { f->version = -1; }
static void masked(fields *f) { f->mask = f->data; }
static void negative_axes(fields *f) { f->ndim = -1; }
static void more_axes(fields *f) { f->ndim = 65; }
static void most_axes(fields *f) { f->ndim = INT_MAX; }
static void no_shape(fields *f) { f->shape = NULL; }
static void no_data(fields *f) { f->data = NULL; }
static void negative(fields *f) { shape[0] = -1; (void)f; }
static void most_negative(fields *f) { shape[0] = INT64_MIN; (void)f; }
static void too_big(fields *f) { shape[0] = INT64_C(1) << 61; (void)f; }
static void empty_too_big(fields *f) { shape[0] = INT64_MAX; shape[1] = 0; (void)f; }
static void far_stride(fields *f) { strides[0] = INT64_MAX; (void)f; }
static void far_reach(fields *f) { strides[0] = strides[1] = INT64_C(1) << 62; (void)f; }
static void far_below(fields *f) { strides[0] = -(INT64_C(1) << 61); (void)f; }
static void lowest(fields *f) { strides[0] = INT64_MIN; (void)f; }
static void no_typestr(fields *f) { f->typestr[0] = 0; }
static void endless(fields *f) { memset(f->typestr, '1', 8); }
static void big_endian(fields *f) { f->typestr[0] = '>'; }
static void no_order(fields *f) { f->typestr[0] = '|'; }
static void other_order(fields *f) { f->typestr[0] = 'f'; }
static void other_size(fields *f) { f->typestr[2] = '5'; }
static void longer(fields *f) { strcpy(f->typestr, "<f80"); }
static void padded(fields *f) { strcpy(f->typestr, "<f08"); }
static void signed_size(fields *f) { strcpy(f->typestr, "<f+8"); }
static void only_kind(fields *f) { strcpy(f->typestr, "<f"); }
static void void_kind(fields *f) { strcpy(f->typestr, "<V2"); }
static void object(fields *f) { strcpy(f->typestr, "|O8"); }
static void date(fields *f) { strcpy(f->typestr, "<M8"); }
static void text(fields *f) { strcpy(f->typestr, "<U2"); }
static void bits(fields *f) { strcpy(f->typestr, "|t1"); }
static void other_device(fields *f) { f->device.type = 7; }
static void no_such_device(fields *f) { f->device.index = 1000; }
static void negative_device(fields *f) { f->device.index = -2; }
static void null_stream(fields *f) { f->has_stream = 1; f->stream = NULL; }
static void reserved(fields *f) { f->reserved[3] = 1; }
static void fine(fields *f) { (void)f; }
static void native_order(fields *f) { f->typestr[0] = '='; }
static void no_strides(fields *f) { f->strides = NULL; }
static void any_stride(fields *f) { f->ndim = 3; shape[2] = 1; strides[2] = INT64_MIN; }
static void empty(fields *f) { shape[0] = 0; f->data = NULL; }
static void no_axes(fields *f) { f->ndim = 0; f->shape = f->strides = NULL; }

static const struct {
    const char *name;
    void (*change)(fields *f);
    garray_status status;
} changes[] = {
#define CHANGE(name, status) { #name, name, GARRAY_##status }
    CHANGE(version_4, ERR_UNSUPPORTED), CHANGE(negative_version, ERR_UNSUPPORTED), CHANGE(masked, ERR_UNSUPPORTED),
    CHANGE(negative_axes, ERR_FORMAT), CHANGE(more_axes, ERR_FORMAT), CHANGE(most_axes, ERR_FORMAT), CHANGE(no_shape, ERR_FORMAT),
    CHANGE(no_data, ERR_FORMAT), CHANGE(negative, ERR_FORMAT), CHANGE(most_negative, ERR_FORMAT), CHANGE(too_big, ERR_FORMAT),
    CHANGE(empty_too_big, ERR_FORMAT), CHANGE(far_stride, ERR_FORMAT), CHANGE(far_reach, ERR_FORMAT),
    CHANGE(far_below, ERR_FORMAT), CHANGE(lowest, ERR_FORMAT), CHANGE(no_typestr, ERR_DTYPE), CHANGE(endless, ERR_DTYPE),
    CHANGE(big_endian, ERR_DTYPE), CHANGE(no_order, ERR_DTYPE), CHANGE(other_order, ERR_DTYPE), CHANGE(other_size, ERR_DTYPE),
    CHANGE(longer, ERR_DTYPE), CHANGE(padded, ERR_DTYPE), CHANGE(signed_size, ERR_DTYPE), CHANGE(only_kind, ERR_DTYPE),
    CHANGE(void_kind, ERR_DTYPE), CHANGE(object, ERR_DTYPE), CHANGE(date, ERR_DTYPE), CHANGE(text, ERR_DTYPE),
    CHANGE(bits, ERR_DTYPE), CHANGE(other_device, ERR_INVALID), CHANGE(no_such_device, ERR_NO_DEVICE),
    CHANGE(negative_device, ERR_INVALID), CHANGE(null_stream, ERR_INVALID), CHANGE(reserved, ERR_INVALID),
    CHANGE(fine, OK), CHANGE(version_0, OK), CHANGE(native_order, OK), CHANGE(no_strides, OK), CHANGE(any_stride, OK),
    CHANGE(empty, OK), CHANGE(no_axes, OK),
};

Test(array_interface, fields_that_lie)
{
    static const double six[] = { 1, 2, 3, 4, 5, 6 };
    garray_t *lender = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_from_host(six, GARRAY_FLOAT64, GARRAY_SHAPE(2, 3), NULL, test_device(), &lender));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        garray_t *x = NULL;
        fields f;
        int told = 0;
        test_context("%s", changes[i].name);
        TEST_OK(garray_to_array_interface(lender, &f));
        memcpy(shape, (const int64_t[]){ 2, 3, 1 }, sizeof shape);
        memcpy(strides, (const int64_t[]){ 24, 8, 8 }, sizeof strides);
        f.shape = shape;
        f.strides = strides;
        changes[i].change(&f);
        garray_status st = garray_from_array_interface(&f, count, &told, &x);
        TEST_EXPECT(st == changes[i].status, "%s: %s", garray_status_name(st), garray_error_message());
        if (st == GARRAY_OK) {
            if (garray_size(x) == 6)
                TEST_EQUAL(x, six, 0);
            garray_release(x);
            TEST_OK(garray_synchronize(test_device()));
        } else {
            TEST_EXPECT(!x, "a failure left an array");
            TEST_MESSAGE("garray_from_array_interface: ");
        }
        TEST_EXPECT(told == (st == GARRAY_OK), "told %d times", told);
    }
    garray_release(lender);
    TEST_NO_LEAK(mark);
}

Test(array_interface, wrong_use)
{
    garray_t *x = NULL, *y = NULL;
    static double host[4];
    fields f, before;
    int told = 0;
    memset(&before, 7, sizeof before);
    f = before;
    TEST_STATUS(ERR_INVALID, garray_to_array_interface(NULL, &f));
    TEST_EXPECT(memcmp(&f, &before, sizeof f) == 0, "a failure wrote the fields");
    TEST_OK(garray_zeros(GARRAY_SHAPE(4), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_to_array_interface(x, NULL));
    TEST_OK(garray_to_array_interface(x, &f));
    TEST_STATUS(ERR_INVALID, garray_from_array_interface(&f, count, &told, NULL));
    TEST_STATUS(ERR_INVALID, garray_from_array_interface(NULL, count, &told, &y));
    if (test_on_gpu()) {            /* memory of the host is not the device's, and the other way round it would not end well */
        f.data = host;
        TEST_STATUS(ERR_FORMAT, garray_from_array_interface(&f, count, &told, &y));
        TEST_MESSAGE("memory is not on the device");
        f.device.index = -1;
        TEST_STATUS(ERR_FORMAT, garray_from_array_interface(&f, count, &told, &y));
        f.device = GARRAY_CPU;
        f.has_stream = 1;
    } else {
        f.has_stream = 1;
        f.stream = GARRAY_STREAM_LEGACY;
    }
    TEST_STATUS(ERR_INVALID, garray_from_array_interface(&f, count, &told, &y));
    TEST_MESSAGE("has no stream");
    TEST_EXPECT(told == 0 && !y, "a failure took the memory");
    garray_release(x);
}

/* The stream of the fields is the current one, and what is on a producer's stream comes first. */
Test(array_interface, streams)
{
    garray_stream *stream = NULL, *old = NULL;
    garray_t *x = NULL, *y = NULL;
    void *native = NULL;
    fields f;
    TEST_OK(garray_stream_new(test_device(), &stream));
    TEST_OK(garray_stream_native(stream, test_device(), &native));
    for (int round = 0; round < 4; round++) {
        TEST_OK(garray_full(GARRAY_SHAPE(100000), round, GARRAY_FLOAT32, test_device(), &x));
        TEST_OK(garray_stream_swap(stream, test_device(), &old));
        TEST_OK(garray_to_array_interface(x, &f));
        TEST_EXPECT(f.stream == native, "round %d: another stream", round);
        TEST_OK(garray_stream_swap(old, test_device(), NULL));
        if (test_on_gpu() && round > 1)
            f.stream = round == 2 ? GARRAY_STREAM_LEGACY : GARRAY_STREAM_PER_THREAD;
        if (round == 3)
            f.has_stream = 0;
        TEST_OK(garray_from_array_interface(&f, NULL, NULL, &y));
        TEST_OK(garray_add(y, 1, garray_into(y)));
        float *got = test_read(x);
        TEST_EXPECT(got[0] == (float)round + 1 && got[99999] == (float)round + 1, "round %d: got %g and %g", round,
                    (double)got[0], (double)got[99999]);
        free(got);
        garray_release(y);
        y = NULL;
    }
    garray_release(x);
    garray_stream_free(stream);
}

/* A product that takes long, shown at once to work on another stream. */
Test(array_interface, consumers_wait)
{
    const int n = test_on_gpu() ? 2048 : 16;
    garray_stream *stream = NULL, *old = NULL;
    garray_t *ones = NULL, *x = NULL, *y = NULL, *wrong = NULL;
    fields f;
    TEST_OK(garray_stream_new(test_device(), &stream));
    TEST_OK(garray_ones(GARRAY_SHAPE(n, n), GARRAY_FLOAT32, test_device(), &ones));
    for (int round = 0; round < 30; round++) {
        int64_t bad = -1;
        TEST_OK(garray_matmul(ones, ones, &x));
        TEST_OK(garray_add(x, round, &x));
        TEST_OK(garray_to_array_interface(x, &f));
        TEST_OK(garray_from_array_interface(&f, NULL, NULL, &y));
        TEST_OK(garray_stream_swap(stream, test_device(), &old));
        TEST_OK(garray_not_equal(y, n + round, &wrong));
        TEST_OK(garray_count_nonzero(wrong, GARRAY_ALL_AXES, NULL, &wrong));
        TEST_OK(garray_item(wrong, &bad));
        TEST_OK(garray_stream_swap(old, test_device(), NULL));
        TEST_EXPECT(bad == 0, "round %d: %d elements are wrong", round, (int)bad);
    }
    garray_release(ones);
    garray_release(y);
    garray_release(x);
    garray_release(wrong);
    garray_stream_free(stream);
}
