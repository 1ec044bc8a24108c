/* SPDX-License-Identifier: BSD-3-Clause
 * DLPack: tensors out and in, who frees what and when, and hostile tensors. */
#include "test.h"
#include "core/dlpack_abi.h"

typedef struct DLManagedTensorVersioned versioned;
typedef struct DLManagedTensor unversioned;

/* ---- a producer that counts ---- */
static int deleted;

static void count_versioned(versioned *self)
{
    deleted++;
    self->dl_tensor.shape = NULL;   /* a later look at it would show */
}

static void count_unversioned(unversioned *self)
{
    deleted++;
    self->dl_tensor.shape = NULL;
}

/* A 2 x 3 tensor of float64 on the test device. */
static garray_t *lender;
static versioned *lent;
static int64_t shape_of_tensor[3], strides_of_tensor[3];
static const double six[] = { 1, 2, 3, 4, 5, 6 };

static void open_lender(void)
{
    cr_assert(garray_from_host(six, GARRAY_FLOAT64, GARRAY_SHAPE(2, 3), NULL, test_device(), &lender) == GARRAY_OK);
    cr_assert(garray_to_dlpack(lender, NULL, &lent) == GARRAY_OK);
}

static void close_lender(void)
{
    lent->deleter(lent);
    garray_release(lender);
}

static versioned tensor(void)
{
    versioned t = { .major = 1, .minor = 0, .deleter = count_versioned, .dl_tensor = lent->dl_tensor };
    memcpy(shape_of_tensor, (const int64_t[]){ 2, 3, 1 }, sizeof shape_of_tensor);
    memcpy(strides_of_tensor, (const int64_t[]){ 3, 1, 1 }, sizeof strides_of_tensor);
    t.dl_tensor.shape = shape_of_tensor;
    t.dl_tensor.strides = strides_of_tensor;
    deleted = 0;
    return t;
}

TestSuite(dlpack, .init = open_lender, .fini = close_lender);

/* ---- out ---- */
Test(dlpack, fields)
{
    static const struct { int dtype, code; } types[] = {
        { GARRAY_BOOL, 6 },    { GARRAY_INT8, 0 },      { GARRAY_INT16, 0 },    { GARRAY_INT32, 0 },   { GARRAY_INT64, 0 },
        { GARRAY_UINT8, 1 },   { GARRAY_UINT16, 1 },    { GARRAY_UINT32, 1 },   { GARRAY_UINT64, 1 },  { GARRAY_FLOAT16, 2 },
        { GARRAY_BFLOAT16, 4 }, { GARRAY_FLOAT32, 2 },  { GARRAY_FLOAT64, 2 },  { GARRAY_COMPLEX64,
                                                                                  5 }, { GARRAY_COMPLEX128, 5 } };
    test_mark mark = test_memory();
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++) {
                char values[16 * TEST_SHAPE_MAX];
                versioned *t = NULL;
                garray_t *back = NULL;
                int dtype = types[i].dtype;
                test_context("%s, %s, shape %d", garray_dtype_name((garray_dtype)dtype), test_layout_name(layout), s);
                test_random(dtype, test_count(test_shapes[s]), 5, values);
                garray_t *x = test_array(dtype, layout, test_shapes[s], values);
                if (!TEST_OK(garray_to_dlpack(x, NULL, &t)))
                    continue;
                const garray__dl_tensor *d = &t->dl_tensor;
                int64_t item = (int64_t)garray_dtype_size((garray_dtype)dtype);
                bool copied = (t->flags & GARRAY__DL_IS_COPIED) != 0;
                TEST_EXPECT(t->major == 1 && d->code == types[i].code && d->bits == 8 * item && d->lanes == 1
                            && d->byte_offset == 0 && d->ndim == garray_ndim(x), "a field is wrong");
                TEST_EXPECT(d->device_type == (test_on_gpu() ? 2 : 1) && d->device_id == test_device().index, "device is wrong");
                TEST_EXPECT((t->flags & GARRAY__DL_READ_ONLY) == (copied || garray_is_writeable(x) ? 0 : GARRAY__DL_READ_ONLY),
                            "read-only is wrong");
                TEST_EXPECT(garray_size(x) > 0 || !d->data, "an empty tensor has data");
                for (int k = 0; k < d->ndim; k++) {
                    TEST_EXPECT(d->shape[k] == garray_shape_of(x).v[k], "shape is wrong");
                    int64_t bytes = garray_strides_of(x)[k];
                    TEST_EXPECT(d->shape[k] > 1 ? copied || d->strides[k] * item == bytes : d->strides[k] == 1,
                                "strides are wrong");
                }
                /* back again, when nobody else holds the memory */
                garray_release(x);
                if (TEST_OK(garray_from_dlpack(t, NULL, &back)))
                    TEST_EQUAL(back, values, 0);
                garray_release(back);
            }
    TEST_NO_LEAK(mark);
}

Test(dlpack, copies_and_read_only)
{
    garray_t *x = NULL, *view = NULL, *y = NULL;
    versioned *t = NULL;
    unversioned *u = NULL;
    test_mark mark = test_memory();
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(2, 3), &view));
    TEST_OK(garray_to_dlpack(view, NULL, &t));
    TEST_EXPECT(t->flags == GARRAY__DL_READ_ONLY && t->dl_tensor.strides[0] == 0, "a broadcast view was not shared read-only");
    TEST_OK(garray_from_dlpack(t, NULL, &y));
    TEST_EXPECT(!garray_is_writeable(y), "a read-only tensor became writeable");
    TEST_STATUS(ERR_READONLY, garray_setitem(y, GARRAY_AT(0), 1));
    TEST_STATUS(ERR_READONLY, garray_to_dlpack_unversioned(view, NULL, &u));
    TEST_STATUS(ERR_READONLY, garray_to_dlpack_unversioned(view, GARRAY_KW(dlpack, .copy = GARRAY_COPY_NEVER), &u));
    TEST_OK(garray_to_dlpack_unversioned(view, GARRAY_KW(dlpack, .copy = GARRAY_COPY_ALWAYS), &u));
    u->deleter(u);
    TEST_OK(garray_to_dlpack(x, GARRAY_KW(dlpack, .copy = GARRAY_COPY_ALWAYS), &t));
    TEST_EXPECT(t->flags == GARRAY__DL_IS_COPIED && t->dl_tensor.strides[0] == 1, "a copy is not marked as one");
    t->deleter(t);
    TEST_OK(garray_to_dlpack_unversioned(x, NULL, &u));
    TEST_OK(garray_from_dlpack_unversioned(u, NULL, &y));
    TEST_OK(garray_setitem(y, GARRAY_AT(1), 7));
    TEST_EQUAL(x, ((const float[]){ 0, 7, 0 }), 0);
    TEST_OK(garray_to_dlpack(x, NULL, &t));
    TEST_OK(garray_from_dlpack(t, GARRAY_KW(dlpack, .copy = GARRAY_COPY_ALWAYS), &y));
    TEST_OK(garray_setitem(y, GARRAY_AT(1), 8));
    TEST_EQUAL(x, ((const float[]){ 0, 7, 0 }), 0);
    garray_release(x);
    garray_release(view);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

/* Strides that are no multiples of the item's size cannot be said in DLPack. */
Test(dlpack, odd_strides)
{
    versioned inner = tensor();
    garray_t *x = NULL, *y = NULL;
    versioned *t = NULL;
    inner.dl_tensor.code = GARRAY__DL_UINT;
    inner.dl_tensor.bits = 8;
    inner.dl_tensor.ndim = 1;
    shape_of_tensor[0] = 3;
    strides_of_tensor[0] = 9;
    TEST_OK(garray_from_dlpack(&inner, NULL, &x));
    TEST_OK(garray_to_dlpack(x, GARRAY_KW(dlpack, .copy = GARRAY_COPY_NEVER), &t));
    TEST_EXPECT(t->dl_tensor.strides[0] == 9, "strides are wrong");
    TEST_OK(garray_from_dlpack(t, NULL, &y));
    garray_release(x);
    TEST_EXPECT(deleted == 0, "deleted while in use");
    garray_release(y);
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(deleted == 1, "deleted %d times", deleted);
}

/* Exported memory is not reused for a result while somebody else may look at it. */
Test(dlpack, exported_memory_stays)
{
    garray_t *x = NULL, *y = NULL;
    versioned *t = NULL;
    TEST_OK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_to_dlpack(x, NULL, &t));
    void *data = t->dl_tensor.data;
    TEST_OK(garray_add(x, 1, &x));
    TEST_OK(garray_from_dlpack(t, NULL, &y));
    float *first = test_read(y), *second = test_read(x);
    TEST_EXPECT(first[0] == 1 && second[0] == 2, "exported memory was overwritten");
    free(first);
    free(second);
    TEST_OK(garray_to_dlpack(y, NULL, &t));
    TEST_EXPECT(t->dl_tensor.data == data, "the memory is another");
    t->deleter(t);
    garray_release(x);
    garray_release(y);
}

/* ---- in ---- */
static void bad_ndim(versioned *t) { t->dl_tensor.ndim = -1; }
static void more_axes(versioned *t) { t->dl_tensor.ndim = 65; }
static void most_axes(versioned *t) { t->dl_tensor.ndim = INT32_MAX; }
static void no_shape(versioned *t) { t->dl_tensor.shape = NULL; }
static void no_data(versioned *t) { t->dl_tensor.data = NULL; }
static void negative(versioned *t) { t->dl_tensor.shape[0] = -1; }
static void too_big(versioned *t) { t->dl_tensor.shape[0] = INT64_C(1) << 62; }
static void empty_too_big(versioned *t) { t->dl_tensor.shape[0] = INT64_MAX; t->dl_tensor.shape[1] = 0; }
static void far_stride(versioned *t) { t->dl_tensor.strides[0] = INT64_MAX / 4; }
static void far_reach(versioned *t) { t->dl_tensor.strides[0] = INT64_C(1) << 59; t->dl_tensor.strides[1] = INT64_C(1) << 59; }
static void far_below(versioned *t) { t->dl_tensor.strides[0] = -(INT64_C(1) << 58); }
static void far_offset(versioned *t) { t->dl_tensor.byte_offset = UINT64_MAX; }
static void two_lanes(versioned *t) { t->dl_tensor.lanes = 2; }
static void no_lanes(versioned *t) { t->dl_tensor.lanes = 0; }
static void odd_bits(versioned *t) { t->dl_tensor.bits = 4; }
static void odd_code(versioned *t) { t->dl_tensor.code = 3; }
static void eight_bit_float(versioned *t) { t->dl_tensor.bits = 8; }
static void no_device_type(versioned *t) { t->dl_tensor.device_type = 0; }
static void odd_device_type(versioned *t) { t->dl_tensor.device_type = 10; }
static void negative_device(versioned *t) { t->dl_tensor.device_type = 2; t->dl_tensor.device_id = -1; }
static void no_such_device(versioned *t) { t->dl_tensor.device_type = 2; t->dl_tensor.device_id = 1000; }
static void fine(versioned *t) { (void)t; }
static void later_minor(versioned *t) { t->minor = 99; }
static void no_strides(versioned *t) { t->dl_tensor.strides = NULL; }
static void any_stride(versioned *t) { t->dl_tensor.ndim = 3; t->dl_tensor.strides[2] = INT64_MIN; }
static void without_deleter(versioned *t) { t->deleter = NULL; }
static void empty(versioned *t) { t->dl_tensor.shape[0] = 0; t->dl_tensor.data = NULL; }
static void no_axes(versioned *t) { t->dl_tensor.ndim = 0; t->dl_tensor.shape = t->dl_tensor.strides = NULL; }

static const struct {
    const char *name;
    void (*change)(versioned *t);
    garray_status status;
} changes[] = {
#define CHANGE(name, status) { #name, name, GARRAY_##status }
    CHANGE(bad_ndim, ERR_FORMAT), CHANGE(more_axes, ERR_FORMAT), CHANGE(most_axes, ERR_FORMAT), CHANGE(no_shape, ERR_FORMAT),
    CHANGE(no_data, ERR_FORMAT), CHANGE(negative, ERR_FORMAT), CHANGE(too_big, ERR_FORMAT), CHANGE(empty_too_big, ERR_FORMAT),
    CHANGE(far_stride, ERR_FORMAT), CHANGE(far_reach, ERR_FORMAT), CHANGE(far_below, ERR_FORMAT), CHANGE(far_offset, ERR_FORMAT),
    CHANGE(two_lanes, ERR_DTYPE), CHANGE(no_lanes, ERR_DTYPE), CHANGE(odd_bits, ERR_DTYPE), CHANGE(odd_code, ERR_DTYPE),
    CHANGE(eight_bit_float, ERR_DTYPE), CHANGE(no_device_type, ERR_UNSUPPORTED), CHANGE(odd_device_type, ERR_UNSUPPORTED),
    CHANGE(negative_device, ERR_NO_DEVICE), CHANGE(no_such_device, ERR_NO_DEVICE), CHANGE(fine, OK), CHANGE(later_minor, OK),
    CHANGE(no_strides, OK), CHANGE(any_stride, OK), CHANGE(without_deleter, OK), CHANGE(empty, OK), CHANGE(no_axes, OK),
};

/* Good ones are deleted once when the array goes; bad ones stay the caller's. */
Test(dlpack, tensors)
{
    test_mark mark = test_memory();
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        for (int copy = 0; copy < 3; copy++) {
            garray_t *x = NULL;
            versioned t = tensor();
            test_context("%s, copy %d", changes[i].name, copy);
            changes[i].change(&t);
            bool counted = t.deleter != NULL;
            garray_status st = garray_from_dlpack(&t, GARRAY_KW(dlpack, .copy = (garray_copy_mode)copy), &x);
            TEST_EXPECT(st == changes[i].status, "%s: %s", garray_status_name(st), garray_error_message());
            if (st == GARRAY_OK) {
                if (garray_size(x) == 6)
                    TEST_EQUAL(x, six, 0);
                garray_release(x);
                TEST_OK(garray_synchronize(test_device()));
                TEST_EXPECT(deleted == counted, "deleted %d times", deleted);
            } else {
                TEST_EXPECT(deleted == 0 && x == NULL, "a failure took the tensor");
                TEST_MESSAGE("garray_from_dlpack: ");
            }
        }
    TEST_NO_LEAK(mark);
}

Test(dlpack, other_major_versions)
{
    static const uint32_t majors[] = { 0, 2, 99, UINT32_MAX };
    for (size_t i = 0; i < 4; i++) {
        garray_t *x = NULL;
        versioned t = tensor();
        t.major = majors[i];
        t.dl_tensor.shape = (int64_t *)(uintptr_t)8;     /* nothing but the deleter may be looked at */
        t.dl_tensor.ndim = 5;
        TEST_STATUS(ERR_UNSUPPORTED, garray_from_dlpack(&t, NULL, &x));
        TEST_EXPECT(deleted == 1 && x == NULL, "deleted %d times", deleted);
    }
}

Test(dlpack, failures_keep_the_tensor)
{
    garray_t *small = NULL, *same = NULL, *x = NULL;
    versioned t = tensor();
    unversioned u = { .dl_tensor = t.dl_tensor, .deleter = count_unversioned };
    test_mark mark = test_memory();
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 2), GARRAY_FLOAT64, test_device(), &small));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 3), GARRAY_FLOAT64, test_device(), &same));
    TEST_STATUS(ERR_SHAPE, garray_from_dlpack(&t, NULL, garray_into(small)));
    TEST_STATUS(ERR_INVALID, garray_from_dlpack(&t, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_from_dlpack(&t, GARRAY_KW(dlpack, .copy = (garray_copy_mode)3), &x));
    TEST_STATUS(ERR_INVALID, garray_from_dlpack(NULL, NULL, &x));
    TEST_STATUS(ERR_SHAPE, garray_from_dlpack_unversioned(&u, NULL, garray_into(small)));
    TEST_EXPECT(deleted == 0, "a failure took the tensor");
    TEST_OK(garray_from_dlpack(&t, NULL, garray_into(same)));
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(deleted == 1, "deleted %d times", deleted);
    TEST_EQUAL(same, six, 0);
    TEST_OK(garray_from_dlpack_unversioned(&u, NULL, &x));
    TEST_EXPECT(garray_is_writeable(x) && deleted == 1, "an unversioned tensor is not writeable");
    garray_release(x);
    TEST_OK(garray_synchronize(test_device()));
    TEST_EXPECT(deleted == 2, "deleted %d times", deleted);
    garray_release(small);
    garray_release(same);
    TEST_NO_LEAK(mark);
}

/* A consumer's stream of its own, and a producer's; the default streams, and nobody who waits. */
Test(dlpack, streams)
{
    garray_stream *stream = NULL;
    garray_t *x = NULL, *y = NULL;
    versioned *t = NULL;
    void *native = NULL;
    garray_dlpack_opts opts = { .has_stream = 1 };
    TEST_OK(garray_stream_new(test_device(), &stream));
    TEST_OK(garray_stream_native(stream, test_device(), &native));
    void *const streams[] = { native, NULL, GARRAY_STREAM_LEGACY, GARRAY_STREAM_PER_THREAD, GARRAY_STREAM_NO_WAIT };
    for (int round = 0; round < 5; round++) {
        opts.stream = streams[round];
        TEST_OK(garray_full(GARRAY_SHAPE(100000), 3, GARRAY_FLOAT32, test_device(), &x));
        TEST_OK(garray_to_dlpack(x, &opts, &t));
        TEST_OK(garray_from_dlpack(t, &opts, &y));
        TEST_OK(garray_add(y, 1, garray_into(y)));
        float *got = test_read(x);
        TEST_EXPECT(got[0] == 4 && got[99999] == 4, "round %d: got %g and %g", round, (double)got[0], (double)got[99999]);
        free(got);
    }
    garray_release(x);
    garray_release(y);
    garray_stream_free(stream);
}

/* A product that takes long, taken at once on another stream by somebody who trusts that this one waits: to the library
 * the imported memory is another one, of which it knows nothing. */
Test(dlpack, consumers_wait)
{
    const int n = test_on_gpu() ? 2048 : 16;
    garray_stream *stream = NULL, *old = NULL;
    garray_t *ones = NULL, *x = NULL, *y = NULL, *wrong = NULL;
    void *native = NULL;
    versioned *t = NULL;
    garray_dlpack_opts out = { .has_stream = 1 }, in = { .has_stream = 1, .stream = GARRAY_STREAM_NO_WAIT };
    TEST_OK(garray_stream_new(test_device(), &stream));
    TEST_OK(garray_stream_native(stream, test_device(), &native));
    TEST_OK(garray_ones(GARRAY_SHAPE(n, n), GARRAY_FLOAT32, test_device(), &ones));
    for (int round = 0; round < 30; round++) {
        int64_t bad = -1;
        out.stream = native;
        TEST_OK(garray_matmul(ones, ones, &x));
        TEST_OK(garray_add(x, round, &x));
        TEST_OK(garray_to_dlpack(x, &out, &t));
        TEST_OK(garray_from_dlpack(t, &in, &y));
        TEST_OK(garray_stream_swap(stream, test_device(), &old));
        TEST_OK(garray_not_equal(y, n + round, &wrong));
        TEST_OK(garray_count_nonzero(wrong, GARRAY_ALL_AXES, NULL, &wrong));
        TEST_OK(garray_item(wrong, &bad));
        TEST_OK(garray_stream_swap(old, test_device(), NULL));
        TEST_EXPECT(bad == 0, "round %d: %d elements are wrong", round, (int)bad);
    }
    garray_release(ones);
    garray_release(x);
    garray_release(y);
    garray_release(wrong);
    garray_stream_free(stream);
}

/* What the driver says of the memory counts, not what the tensor says. */
Test(dlpack, memory_of_another_device)
{
    static double host[6] = { 1, 2, 3, 4, 5, 6 };
    garray_t *x = NULL;
    versioned t = tensor();
    if (test_on_gpu()) {
        t.dl_tensor.data = host;
        TEST_STATUS(ERR_FORMAT, garray_from_dlpack(&t, NULL, &x));
        TEST_MESSAGE("memory is not on the device that it names");
        TEST_EXPECT(deleted == 0 && !x, "a failure took the tensor");
        t.dl_tensor.data = lent->dl_tensor.data;
        t.dl_tensor.device_type = GARRAY__DL_CUDA_MANAGED;      /* reached from anywhere, so it is the device's as well */
        TEST_OK(garray_from_dlpack(&t, NULL, &x));
        TEST_EQUAL(x, six, 0);
    }
    t = tensor();
    t.dl_tensor.data = host;
    t.dl_tensor.device_type = GARRAY__DL_CUDA_HOST;             /* pinned memory is the host's */
    t.dl_tensor.device_id = 0;
    TEST_OK(garray_from_dlpack(&t, NULL, &x));
    TEST_EXPECT(garray_device_of(x).type == GARRAY_DEVICE_CPU, "pinned memory is not on the CPU");
    double got = 0;
    TEST_OK(garray_getitem(x, GARRAY_AT(1, 2), &x));
    TEST_OK(garray_item(x, &got));
    TEST_EXPECT(got == 6, "got %g", got);
    garray_release(x);
}
