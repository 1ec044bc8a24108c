/* SPDX-License-Identifier: BSD-3-Clause
 * Host memory to the device and back: layouts, casts, sizes around those at which the way changes, the source
 * overwritten at once, many threads, files, and two streams at work at the same time. */
#include <pthread.h>
#include "transfer.h"

#define TRANSFER(name) Test(transfer, name, .init = open_device, .fini = test_remove_directory, .timeout = 200)

/* ---- layouts ---- */
static void there_and_back(int dtype, int layout, garray_shape shape)
{
    const int itemsize = (int)garray_dtype_size((garray_dtype)dtype);
    const size_t bytes = (size_t)test_count(shape) * (size_t)itemsize;
    char *values = malloc(bytes + 1), *back = malloc(bytes + 1);
    host from = new_host(layout, shape, itemsize), to = new_host(layout, shape, itemsize);
    garray_t *x = NULL, *y = NULL;
    test_random(dtype, test_count(shape), (uint64_t)bytes + 1, values);
    spread(&from, shape, itemsize, values, true);
    const int64_t *strides = layout == PLAIN ? NULL : from.strides;
    if (TEST_OK(garray_from_host(from.data, (garray_dtype)dtype, shape, strides, test_device(), &x))) {
        memset(from.memory, 0xee, from.room + 1);       /* the source is ours again */
        TEST_EQUAL(x, values, 0);
        if (TEST_OK(garray_to_host(x, to.data, strides, to.room))) {
            spread(&to, shape, itemsize, back, false);
            TEST_EXPECT(memcmp(back, values, bytes) == 0, "other bytes come back");
            TEST_EXPECT(only_elements(&to, shape, itemsize), "bytes beside the elements were written");
        }
        if (TEST_OK(garray_to_device(x, GARRAY_CPU, &y))) {
            TEST_EQUAL(y, values, 0);
            TEST_OK(garray_to_device(y, test_device(), &y));
            TEST_EQUAL(y, values, 0);
        }
    }
    garray_release(x);
    garray_release(y);
    free(values);
    free(back);
    free(from.memory);
    free(to.memory);
}

TRANSFER(layouts)
{
    static const int dtypes[] = { GARRAY_UINT8, GARRAY_FLOAT16, GARRAY_INT32, GARRAY_FLOAT64, GARRAY_COMPLEX128 };
    const garray_shape shapes[] = { GARRAY_0D, GARRAY_SHAPE(0), GARRAY_SHAPE(1), GARRAY_SHAPE(5), GARRAY_SHAPE(1000),
                                    GARRAY_SHAPE(3, 700), GARRAY_SHAPE(900, 3), GARRAY_SHAPE(7, 11, 13), GARRAY_SHAPE(4, 0, 3),
                                    GARRAY_SHAPE(2, 1, 3, 1, 150), GARRAY_SHAPE(1, 1), GARRAY_SHAPE(65, 1, 1) };
    test_mark mark = test_memory();
    for (int s = 0; s < SETTINGS; s++) {
        garray__stage_set(&settings[s]);
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
                for (int layout = 0; layout < LAYOUTS; layout++) {
                    test_context("setting %d, %s, shape %zu, layout %d", s, garray_dtype_name((garray_dtype)dtypes[d]), k, layout);
                    there_and_back(dtypes[d], layout, shapes[k]);
                }
    }
    TEST_NO_LEAK(mark);
}

/* Views of the device's memory, and repeats, which do not cross the bus. */
TRANSFER(views)
{
    const int64_t zero_and_item[] = { 0, 4 }, item_and_zero[] = { 4, 0 };
    test_mark mark = test_memory();
    for (int s = 0; s < SETTINGS; s++) {
        garray__stage_set(&settings[s]);
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int k = 0; k < test_shape_count; k++) {
                test_context("setting %d, %s, shape %d", s, test_layout_name(layout), k);
                const size_t bytes = 4 * (size_t)test_count(test_shapes[k]);
                int32_t *values = malloc(bytes + 4), *back = malloc(bytes + 4);
                test_random(GARRAY_INT32, test_count(test_shapes[k]), 3, values);
                garray_t *x = test_array(GARRAY_INT32, layout, test_shapes[k], values), *y = NULL;
                if (TEST_OK(garray_to_host(x, back, NULL, bytes)))
                    TEST_EXPECT(memcmp(back, values, bytes) == 0, "other values");
                if (TEST_OK(garray_to_device(x, GARRAY_CPU, &y)))
                    TEST_EQUAL(y, values, 0);
                garray_release(x);
                garray_release(y);
                free(values);
                free(back);
            }
        int32_t row[50], seen[30 * 50], expected[30 * 50];
        for (int way = 0; way < 2; way++) {
            garray_t *x = NULL, *y = NULL, *wide = NULL;
            test_context("setting %d, repeats %d", s, way);
            for (int i = 0; i < 30 * 50; i++)
                expected[i] = 7 * (way ? i / 50 : i % 50);
            for (int i = 0; i < 50; i++)
                row[i] = 7 * i;
            TEST_OK(garray_from_host(row, GARRAY_INT32, GARRAY_SHAPE(30, 50), way ? item_and_zero : zero_and_item, test_device(), &x));
            memset(row, 0, sizeof row);
            TEST_EQUAL(x, expected, 0);
            TEST_OK(garray_getitem(x, way ? GARRAY_AT(GARRAY_ELLIPSIS, GARRAY_TO(1)) : GARRAY_AT(GARRAY_TO(1)), &y));
            TEST_OK(garray_broadcast_to(y, GARRAY_SHAPE(30, 50), &wide));
            TEST_OK(garray_to_host(wide, seen, NULL, sizeof seen));
            TEST_EXPECT(memcmp(seen, expected, sizeof seen) == 0, "a repeated view comes back wrong");
            garray_release(x);
            garray_release(y);
            garray_release(wide);
        }
    }
    TEST_NO_LEAK(mark);
}

/* asarray() moves and casts in one call: the values of the two in turn. */
TRANSFER(casts)
{
    static const int dtypes[] = { GARRAY_INT8, GARRAY_INT64, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64 };
    enum { N = 6, COUNT = 3000 };
    test_mark mark = test_memory();
    for (int s = 0; s < SETTINGS; s++) {
        garray__stage_set(&settings[s]);
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++)
                for (int back = 0; back < 2; back++) {
                    double values[2 * COUNT];
                    test_context("setting %d, %s to %s, %s", s, garray_dtype_name((garray_dtype)dtypes[a]),
                                 garray_dtype_name((garray_dtype)dtypes[b]), back ? "back" : "there");
                    test_random(dtypes[a], COUNT, 11, values);
                    garray_t *x = NULL, *cast = NULL, *moved = NULL, *view = NULL;
                    const garray_device from = back ? test_device() : GARRAY_CPU, to = back ? GARRAY_CPU : test_device();
                    TEST_OK(garray_from_host(values, (garray_dtype)dtypes[a], GARRAY_SHAPE(30, 100), NULL, from, &x));
                    TEST_OK(garray_permute_dims(x, GARRAY_AXES(1, 0), &view));
                    TEST_OK(garray_astype(view, (garray_dtype)dtypes[b], &cast));
                    void *expected = test_read(cast);
                    if (TEST_OK(garray_asarray(view, GARRAY_KW(asarray, .has_device = true, .device = to,
                                                               .dtype = (garray_dtype)dtypes[b]), &moved))) {
                        TEST_EXPECT(garray_device_of(moved).type == to.type, "it is on another device");
                        TEST_EQUAL(moved, expected, 0);
                    }
                    free(expected);
                    garray_release(x);
                    garray_release(view);
                    garray_release(cast);
                    garray_release(moved);
                }
    }
    TEST_NO_LEAK(mark);
}

/* ---- large, and from many threads ---- */
static uint32_t word(int64_t i, uint32_t salt)
{
    uint32_t z = (uint32_t)i * 2654435761u + salt;
    return z ^ z >> 15;
}

/* NULL or what went wrong: words in, changed there, and out. */
static const char *round_trip(uint32_t *words, int64_t n, uint32_t salt)
{
    GARRAY_AUTO garray_t *x = NULL;
    for (int64_t i = 0; i < n; i++)
        words[i] = word(i, salt);
    if (garray_from_host(words, GARRAY_UINT32, GARRAY_SHAPE(n), NULL, test_device(), &x) != GARRAY_OK)
        return "from_host";
    memset(words, 0xcc, 4 * (size_t)n);
    if (garray_add(x, 1, &x) != GARRAY_OK || garray_to_host(x, words, NULL, 4 * (size_t)n) != GARRAY_OK)
        return "to_host";
    for (int64_t i = 0; i < n; i++)
        if (words[i] != word(i, salt) + 1)
            return "values";
    return NULL;
}

TRANSFER(large)
{
    static const int64_t sizes[] = { 16383, 16384, 16385, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 12000001 };
    uint32_t *words = malloc(4 * 12000001);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const char *wrong = round_trip(words, sizes[i], 5 + k);
            TEST_EXPECT(!wrong, "%s of %lld words: %s", wrong, (long long)sizes[i], garray_error_message());
        }
    free(words);
    garray_memory_info info;
    TEST_OK(garray_pinned_stats(test_device(), &info));
    TEST_EXPECT(info.live_bytes == 0 && (info.cached_bytes > 0) == test_on_gpu() && info.cached_bytes <= 64 << 20,
                "%lld pinned bytes in use, %lld kept", (long long)info.live_bytes, (long long)info.cached_bytes);
    TEST_OK(garray_pinned_trim(test_device()));
    TEST_OK(garray_pinned_stats(test_device(), &info));
    TEST_EXPECT(info.cached_bytes == 0 && info.driver_allocations == info.driver_frees, "%lld bytes are kept",
                (long long)info.cached_bytes);
}

static void *trips(void *arg)
{
    const int64_t n = 30000;
    uint32_t *words = malloc(4 * (size_t)n), *salt = arg;
    const char *wrong = NULL;
    garray_stream *stream = NULL;
    if (*salt % 2 && garray_stream_new(test_device(), &stream) == GARRAY_OK &&
        garray_stream_swap(stream, test_device(), NULL) != GARRAY_OK)
        wrong = "stream_swap";
    for (uint32_t k = 0; k < 5 && !wrong; k++)
        wrong = round_trip(words, n - 1000 * k, *salt + 100 * k);
    if (garray_stream_swap(NULL, test_device(), NULL) != GARRAY_OK)
        wrong = "stream_swap";
    garray_stream_free(stream);
    free(words);
    return (void *)wrong;
}

TRANSFER(threads)
{
    enum { THREADS = 64 };      /* more than there are slots for */
    pthread_t thread[THREADS];
    uint32_t salt[THREADS];
    garray__stage_set(&(garray__stage_settings){ .slot = 16 << 10, .slots = 4, .least = 1000 });
    (void)test_device();
    for (uint32_t i = 0; i < THREADS; i++) {
        salt[i] = i;
        cr_assert(pthread_create(&thread[i], NULL, trips, &salt[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(thread[i], &wrong);
        TEST_EXPECT(!wrong, "thread %d: %s", i, (const char *)wrong);
    }
}

/* ---- files ---- */
TRANSFER(files)
{
    for (int s = 0; s < 3; s++) {
        garray_t *x = NULL, *view = NULL, *y = NULL;
        const char *path = test_path("x.npy");
        garray__stage_set(&settings[s]);
        garray_rng rng = GARRAY_RNG(5);
        TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(300, 401), GARRAY_FLOAT64, test_device(), &x));
        TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_REVERSED, GARRAY_EVERY(3)), &view));
        void *expected = test_read(view);
        TEST_OK(garray_save(path, view));
        if (TEST_OK(garray_load(path, test_device(), &y)))
            TEST_EQUAL(y, expected, 0);
        TEST_OK(garray_tofile(path, view, NULL));
        if (TEST_OK(garray_fromfile(path, GARRAY_FLOAT64, NULL, test_device(), &y))) {
            TEST_OK(garray_reshape(y, GARRAY_SHAPE(300, 134), &y));
            TEST_EQUAL(y, expected, 0);
        }
        free(expected);
        garray_release(x);
        garray_release(view);
        garray_release(y);
    }
}
