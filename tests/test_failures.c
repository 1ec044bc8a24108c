/* SPDX-License-Identifier: BSD-3-Clause
 * What goes wrong outside of the library: a device that is lost, sizes at the limits of a launch, callbacks that call the
 * library, processes that end with arrays alive, drivers that are missing or old.  Where no GPU is under test, the backend
 * without a device is the one that gets lost. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/array.h"
#include "core/device.h"
#include "fake_backend.h"
#include "test.h"

/* A shadow run would copy what the test says is there, on its own account. */
static bool shadowed(void) { return getenv("GARRAY_SHADOW") != NULL; }

static bool real_gpu(void)
{
    const char *name = getenv("GARRAY_TEST_DEVICE");
    return name && strncmp(name, "cuda", 4) == 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a lost device ---- */
/* An array whose memory is not there. */
static garray_t *nowhere(garray__device *device)
{
    garray__buffer *buffer = NULL;
    garray_t *x = NULL;
    const int64_t shape[] = { 1000 }, strides[] = { 4 };
    cr_assert_eq(garray__buffer_wrap(device, (void *)0x10000, 4000, NULL, NULL, &buffer), GARRAY_OK);
    cr_assert_eq(garray__view(buffer, buffer->data, GARRAY_FLOAT32, 1, shape, strides, true, &x), GARRAY_OK);
    garray__buffer_release(buffer);
    return x;
}

static void lose_device(garray_device id)
{
    garray__device *device;
    garray_t *bad, *y = NULL;
    cr_assert_eq(garray__device_get(id, &device), GARRAY_OK);
    if (!real_gpu()) {
        fake.sticky = fake.fail_for_ever = true;
        fake.fail_at = fake.calls + 1;
    }
    bad = nowhere(device);
    garray_status st = garray_add(bad, 1, &y);
    if (st == GARRAY_OK)
        st = garray_synchronize(id);
    TEST_EXPECT(st == GARRAY_ERR_DEVICE_LOST, "reading memory that is not there: %s", garray_status_name(st));
    garray_release(bad);
    garray_release(y);
}

Test(failures, a_lost_device, .timeout = 120)
{
    if (real_gpu() && shadowed())
        return;
    const garray_device id = real_gpu() ? test_device() : GARRAY_CUDA(0);
    garray_t *x = NULL, *y = NULL, *host = NULL, *pinned = NULL;
    garray_stream *stream = NULL;
    garray_event *event = NULL;
    float values[1000];
    double number = 0;
    if (!real_gpu()) {
        garray__device *device;
        fake_reset(5);
        fake_run_plans(&fake_plans);
        cr_assert_eq(garray__device_new(fake_backend(&garray__host), 0, &device), GARRAY_OK);
        atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], device);
    }
    TEST_OK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, id, &x));
    TEST_OK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, GARRAY_CPU, &host));
    TEST_OK(garray_empty_pinned(GARRAY_SHAPE(1000), GARRAY_FLOAT32, id, &pinned));
    TEST_OK(garray_stream_new(id, &stream));
    TEST_OK(garray_event_new(id, &event));
    TEST_OK(garray_synchronize(id));
    lose_device(id);

    /* every call on it says so, at once and for good */
    const double start = now();
    for (int i = 0; i < 200; i++) {
        TEST_STATUS(ERR_DEVICE_LOST, garray_add(x, 1, &y));
        TEST_STATUS(ERR_DEVICE_LOST, garray_to_host(x, values, NULL, sizeof values));
        TEST_STATUS(ERR_DEVICE_LOST, garray_item(x, &number) == GARRAY_ERR_SHAPE ? garray_synchronize(id) : GARRAY_OK);
        TEST_STATUS(ERR_DEVICE_LOST, garray_to_device(host, id, &y));
        TEST_STATUS(ERR_DEVICE_LOST, garray_synchronize(id));
        TEST_STATUS(ERR_DEVICE_LOST, garray_zeros(GARRAY_SHAPE(10), GARRAY_FLOAT32, id, &y));
        TEST_STATUS(ERR_DEVICE_LOST, garray_event_record(event, stream));
        TEST_STATUS(ERR_DEVICE_LOST, garray_stream_synchronize(stream));
    }
    TEST_EXPECT(now() - start < 1, "1600 refusals took %.3f s", now() - start);
    TEST_STATUS(ERR_DEVICE_LOST, garray_add(x, 1, &y));
    TEST_MESSAGE("garray_add: ", "cuda:0", "cannot be used any more");

    /* the CPU goes on, and what was made is given back quietly */
    TEST_OK(garray_add(host, 1, &y));
    TEST_OK(garray_sum(y, GARRAY_ALL_AXES, NULL, &y));
    TEST_OK(garray_item(y, &number));
    TEST_EXPECT(number == 2000, "the CPU's sum is %g", number);
    TEST_OK(garray_to_host(host, values, NULL, sizeof values));
    TEST_STATUS(ERR_INVALID, garray_add((const garray_t *)NULL, 1, &y));
    char before[300];
    snprintf(before, sizeof before, "%s", garray_error_message());
    garray_release(x);
    garray_release(pinned);
    garray_stream_free(stream);
    garray_event_free(event);
    TEST_EXPECT(strcmp(before, garray_error_message()) == 0, "giving back says: %s", garray_error_message());
    garray_release(y);
    garray_release(host);
}

/* ---- sizes at which a launch would need more blocks than one axis of a grid has ---- */
static bool equals(const garray_t *x, const double *row, int64_t rows, int64_t items)
{
    GARRAY_AUTO garray_t *expected = NULL, *flat = NULL;
    bool same = false;
    return garray_from_host(row, GARRAY_FLOAT64, GARRAY_SHAPE(rows, items), (const int64_t[]){ 0, 8 }, garray_device_of(x),
                            &expected) == GARRAY_OK &&
           garray_reshape(x, GARRAY_SHAPE(rows, items), &flat) == GARRAY_OK &&
           garray_array_equal(flat, expected, NULL, &same) == GARRAY_OK && same;
}

Test(failures, limits_of_a_launch, .timeout = 200)
{
    static const int64_t counts[] = { 65535, 65536, 65537 };
    static const double three[] = { 3 }, ramp[] = { 1, 2, 3 }, sorted[] = { 0, 1, 2 }, halves[] = { 0.5, 0.5 },
                        product[] = { 5, 5 }, at[] = { 1 };
    for (int i = 0; i < 3; i++) {
        const int64_t n = counts[i];
        const double mixed[] = { 1, 2, 0 }, twice[] = { 2, 0, 0, 2 };
        const int64_t row[] = { 0, 8 }, matrix[] = { 0, 16, 8 };
        garray_t *ones = NULL, *x = NULL, *m = NULL, *b = NULL, *y = NULL;
        test_context("%lld rows", (long long)n);
        TEST_OK(garray_ones(GARRAY_SHAPE(n, 3), GARRAY_FLOAT64, test_device(), &ones));
        TEST_OK(garray_from_host(mixed, GARRAY_FLOAT64, GARRAY_SHAPE(n, 3), row, test_device(), &x));
        TEST_OK(garray_from_host(twice, GARRAY_FLOAT64, GARRAY_SHAPE(n, 2, 2), matrix, test_device(), &m));
        TEST_OK(garray_ones(GARRAY_SHAPE(n, 2, 1), GARRAY_FLOAT64, test_device(), &b));
#define CHECK(what, expected, items) \
    TEST_EXPECT(equals(y, expected, n, items), "%s: %s", what, garray_error_message())
        TEST_OK(garray_sum(ones, GARRAY_AXES(1), NULL, &y));
        CHECK("sum", three, 1);
        TEST_OK(garray_sum(ones, GARRAY_AXES(0), NULL, &y));
        TEST_EXPECT(equals(y, (const double[]){ (double)n, (double)n, (double)n }, 1, 3), "sum along the first axis");
        TEST_OK(garray_cumulative_sum(ones, GARRAY_AXES(1), NULL, &y));
        CHECK("cumulative_sum", ramp, 3);
        TEST_OK(garray_sort(x, -1, NULL, &y));
        CHECK("sort", sorted, 3);
        TEST_OK(garray_argmax(x, GARRAY_AXES(1), NULL, &y));
        TEST_OK(garray_astype(y, GARRAY_FLOAT64, &y));
        CHECK("argmax", at, 1);
        TEST_OK(garray_linalg_solve(m, b, &y));
        CHECK("solve", halves, 2);
        TEST_OK(garray_linalg_cholesky(m, NULL, &y));
        TEST_OK(garray_multiply(y, y, &y));
        TEST_OK(garray_round(y, &y));
        CHECK("cholesky", twice, 4);
        TEST_OK(garray_add(b, 1.5, &b));
        TEST_OK(garray_matmul(m, b, &y));
        CHECK("matmul", product, 2);
        TEST_OK(garray_fft_rfft(ones, -1, NULL, &y));
        TEST_OK(garray_abs(y, &y));
        CHECK("rfft", ((const double[]){ 3, 0 }), 2);
        TEST_OK(garray_permute_dims(x, GARRAY_AXES(1, 0), &y));
        TEST_OK(garray_copy(y, &y));
        TEST_OK(garray_permute_dims(y, GARRAY_AXES(1, 0), &y));
        CHECK("transposed copy", mixed, 3);
        TEST_OK(garray_median(x, GARRAY_AXES(1), NULL, &y));
        CHECK("median", at, 1);
#undef CHECK
        garray_release(ones);
        garray_release(x);
        garray_release(m);
        garray_release(b);
        garray_release(y);
    }
}

/* ---- callbacks that call the library ---- */
static int called;

/* Calls that take each lock of the library, on the CPU and the device. */
static bool calls_work(void)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL;
    garray_memory_info info;
    double value = 0;
    called++;
    return garray_ones(GARRAY_SHAPE(2000), GARRAY_FLOAT64, test_device(), &x) == GARRAY_OK &&
           garray_sum(x, GARRAY_ALL_AXES, NULL, &y) == GARRAY_OK && garray_item(y, &value) == GARRAY_OK && value == 2000 &&
           garray_memory_stats(test_device(), &info) == GARRAY_OK && garray_memory_trim(GARRAY_CPU) == GARRAY_OK &&
           garray_synchronize(test_device()) == GARRAY_OK && garray_set_num_threads(2) == GARRAY_OK;
}

static bool all_worked;

static void on_log(void *ctx, garray_log_level level, const char *message)
{
    (void)level, (void)message;
    int *depth = ctx;
    if (++*depth == 1)
        all_worked &= calls_work();
    --*depth;
}

static void on_memory(void *ctx, const garray_memory_event *event)
{
    (void)event;
    int *depth = ctx;
    if (++*depth == 1)
        all_worked &= calls_work();
    --*depth;
}

static ptrdiff_t on_write(void *ctx, const void *data, size_t size)
{
    (void)ctx, (void)data;
    all_worked &= calls_work();
    return (ptrdiff_t)size;
}

static void on_report(void *ctx, const char *text, size_t length)
{
    (void)ctx, (void)text, (void)length;
    all_worked &= calls_work();
}

static void on_release(void *ctx)
{
    (void)ctx;
    all_worked &= calls_work();
}

static void *user_alloc(size_t size, garray_device device, void *stream, void *ctx)
{
    (void)device, (void)stream;
    int *depth = ctx;
    garray_memory_info info;
    GARRAY_AUTO garray_t *x = NULL;
    called++;
    all_worked &= garray_memory_stats(GARRAY_CPU, &info) == GARRAY_OK;
    if (++*depth == 1)
        all_worked &= garray_ones(GARRAY_SHAPE(10), GARRAY_INT8, GARRAY_CPU, &x) == GARRAY_OK;
    --*depth;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void user_free(void *ptr, size_t size, garray_device device, void *stream, void *ctx)
{
    (void)size, (void)device, (void)stream, (void)ctx;
    garray_memory_info info;
    called++;
    all_worked &= garray_memory_stats(GARRAY_CPU, &info) == GARRAY_OK;
    free(ptr);
}

static void expect_calls(const char *what)
{
    TEST_EXPECT(called > 0 && all_worked, "%s: %d calls, %s: %s", what, called, all_worked ? "all worked" : "one failed",
                garray_error_message());
    called = 0;
    all_worked = true;
}

Test(failures, callbacks_that_call, .timeout = 60)
{
    garray_t *x = NULL, *y = NULL;
    int depth = 0;
    static double values[100];
    alarm(50);                  /* a lock that is held would be waited for for ever */
    all_worked = true;
    garray_set_log(on_log, &depth);
    TEST_STATUS(ERR_NO_DEVICE, garray_zeros(GARRAY_SHAPE(1), GARRAY_INT8, (garray_device){ GARRAY_DEVICE_CUDA, 63 }, &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(1), GARRAY_INT8, GARRAY_CPU, &x));
    garray_device any;
    TEST_OK(garray_device_parse("auto", &any));
    garray_set_log(NULL, NULL);
    TEST_EXPECT(all_worked, "a log function's call failed");
    called = 0;

    TEST_OK(garray_memory_set_log(test_device(), on_memory, &depth));
    TEST_OK(garray_ones(GARRAY_SHAPE(3000), GARRAY_FLOAT32, test_device(), &y));
    garray_release(y);
    y = NULL;
    TEST_OK(garray_memory_set_log(test_device(), NULL, NULL));
    expect_calls("the memory log");

    TEST_OK(garray_ones(GARRAY_SHAPE(300), GARRAY_FLOAT32, test_device(), &y));
    TEST_OK(garray_format_write_array(on_write, NULL, y, NULL));
    expect_calls("writing");

    TEST_OK(garray_report_begin());
    TEST_OK(garray_add(y, 1, &y));
    TEST_OK(garray_report_end(NULL, on_report, NULL));
    expect_calls("the report");

    garray_t *over = NULL;
    TEST_OK(garray_frombuffer(values, sizeof values, GARRAY_FLOAT64, NULL, on_release, NULL, &over));
    garray_release(over);
    expect_calls("the owner of memory");
    garray_release(x);
    garray_release(y);

    TEST_OK(garray_memory_trim(GARRAY_CPU));
    const garray_allocator own = { .kind = GARRAY_ALLOCATOR_USER, .alloc = user_alloc, .free = user_free, .ctx = &depth };
    if (TEST_OK(garray_memory_set_allocator(GARRAY_CPU, &own))) {
        x = NULL;
        TEST_OK(garray_ones(GARRAY_SHAPE(100), GARRAY_FLOAT64, GARRAY_CPU, &x));
        garray_release(x);
        expect_calls("the user's allocator");
        TEST_OK(garray_memory_set_allocator(GARRAY_CPU, NULL));
    }
    alarm(0);
}

/* ---- the end of a process ---- */
static garray_t *kept[3];

static garray_status make_some(garray_device device)
{
    GARRAY_TRY(garray_ones(GARRAY_SHAPE(300, 300), GARRAY_FLOAT32, device, &kept[0]));
    GARRAY_TRY(garray_add(kept[0], 299, &kept[1]));
    return garray_sum(kept[1], GARRAY_AXES(0), NULL, &kept[2]);
}

/* The driver's own library ends with the handlers that were set after the device was opened: before that all works, behind
 * it the device counts as lost. */
static void use_at_exit(void)
{
    const bool late = strcmp(getenv("GARRAY_TEST_MODE"), "early") == 0;
    GARRAY_AUTO garray_t *y = NULL;
    float value = 0;
    garray_status st = garray_max(kept[2], GARRAY_ALL_AXES, NULL, &y);
    if (st == GARRAY_OK)
        st = garray_item(y, &value);
    if (st == GARRAY_OK ? value != 90000 : !late || st != GARRAY_ERR_DEVICE_LOST) {
        printf("at exit: %s\n", garray_error_message());
        fflush(stdout);
        _exit(7);
    }
    for (int i = 0; i < 3; i++)
        garray_release(kept[i]);
    puts("used at exit");
    fflush(stdout);
}

static void *hold_for_ever(void *ready)
{
    if (make_some(test_device()) != GARRAY_OK)
        _exit(8);
    *(volatile bool *)ready = true;
    for (;;)
        pause();
    return NULL;
}

/* What the child does, by GARRAY_TEST_MODE. */
int test_child(void)
{
    const char *mode = getenv("GARRAY_TEST_MODE");
    static volatile bool ready;
    pthread_t thread;
    garray_device dev;
    if (!mode)
        return 99;
    if (strcmp(mode, "driver") == 0) {
        garray_status st = garray_device_parse("cuda", &dev);
        printf("%s: %s\n", garray_status_name(st), garray_error_message());
        int count = -1;
        st = garray_device_count(GARRAY_DEVICE_CUDA, &count);
        return st == GARRAY_OK && count == 0 && garray_ones(GARRAY_SHAPE(5), GARRAY_FLOAT32, GARRAY_CPU, &kept[0]) == GARRAY_OK ? 0 : 5;
    }
    if (strcmp(mode, "thread") == 0) {
        if (pthread_create(&thread, NULL, hold_for_ever, (void *)&ready) != 0)
            return 98;
        while (!ready)
            usleep(1000);
        return 0;
    }
    alarm(60);
    if (strcmp(mode, "early") == 0)
        atexit(use_at_exit);
    if (make_some(test_device()) != GARRAY_OK)
        return 97;
    if (strcmp(mode, "atexit") == 0)
        atexit(use_at_exit);
    if (strcmp(mode, "shutdown") == 0) {
        if (garray_shutdown() != GARRAY_ERR_INVALID || !strstr(garray_error_message(), "in use"))
            return 96;
        for (int i = 0; i < 3; i++) {
            garray_release(kept[i]);
            kept[i] = NULL;
        }
        if (garray_shutdown() != GARRAY_OK || garray_shutdown() != GARRAY_OK)
            return 95;
        if (make_some(test_device()) != GARRAY_OK)      /* and everything comes again */
            return 94;
    }
    puts("the end");
    return 0;
}

Test(failures, the_end_of_a_process, .timeout = 200)
{
    static const struct { const char *mode, *text; } modes[] = {
        { "live", "the end" }, { "atexit", "used at exit" }, { "early", "used at exit" }, { "thread", "" }, { "shutdown", "the end" }
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char variable[60];
        int status = 0;
        const double start = now();
        snprintf(variable, sizeof variable, "GARRAY_TEST_MODE=%s", modes[i].mode);
        char *text = test_run_child((const char *const[]){ variable, NULL }, &status);
        TEST_EXPECT(status == 0 && strstr(text, modes[i].text), "%s: the process ends with %d: %s", modes[i].mode, status, text);
        fprintf(stderr, "[----] %s: %.1f s\n", modes[i].mode, now() - start);
        free(text);
    }
}

/* ---- drivers ---- */
/* With the real module, where there is one: no driver, a broken one, one that is too old.  On a machine with a GPU the
 * loader's path puts the bad one first. */
Test(failures, drivers, .timeout = 120)
{
    const char *module = getenv("GARRAY_TEST_CUDA_MODULE"), *stub = getenv("GARRAY_TEST_DRIVERS");
    if (!module || !stub)
        return;
    static const struct { const char *folder, *text; } drivers[] = {
        { "none", "no CUDA driver" }, { "broken", "no CUDA driver" }, { "old", "the CUDA driver is too old: it supports CUDA 11.0" }
    };
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        char path[1200], where[1200];
        int status = 0;
        if (i == 0 && real_gpu())
            continue;
        snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s/%s", stub, drivers[i].folder);
        snprintf(where, sizeof where, "GARRAY_MODULE_PATH=%s", module);
        char *text = test_run_child((const char *const[]){ "GARRAY_TEST_MODE=driver", "GARRAY_TEST_DEVICE=cpu", where, path, NULL },
                                    &status);
        TEST_EXPECT(status == 0 && strstr(text, "GARRAY_ERR_NO_DEVICE") && strstr(text, drivers[i].text), "%s: ends with %d: %s",
                    drivers[i].folder, status, text);
        free(text);
    }
}
