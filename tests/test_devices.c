/* SPDX-License-Identifier: BSD-3-Clause
 * Several devices in one process, and several streams at work at the same time.  Where no GPU is under test, two devices of
 * the backend without one take their place. */
#include <pthread.h>
#include "core/device.h"
#include "fake_backend.h"
#include "test.h"

static bool real;               /* GPUs are under test */
static int devices;

static void open_devices(void)
{
    const char *name = getenv("GARRAY_TEST_DEVICE");
    real = name && strncmp(name, "cuda", 4) == 0;
    if (real) {
        cr_assert_eq(garray_device_count(GARRAY_DEVICE_CUDA, &devices), GARRAY_OK);
        return;
    }
    garray__device *cpu;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);      /* runs the plans: must be there before */
    fake_reset(3);
    fake_run_plans(&fake_plans);
    fake.garbage = true;
    devices = FAKE_DEVICES;
    for (int d = 0; d < devices; d++) {
        garray__device *device;
        cr_assert_eq(garray__device_new(fake_backend(&garray__host), d, &device), GARRAY_OK);
        atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][d], device);
    }
}

/* One test, after which nothing must have been used with the wrong device. */
#define DEVICES(name)                                                                                            \
    static void name(void);                                                                                      \
    Test(devices, name, .init = open_devices, .timeout = 200)                                                    \
    {                                                                                                            \
        name();                                                                                                  \
        TEST_EXPECT(fake.wrong_device == 0, "%lld calls used what belongs to another device",                    \
                    (long long)fake.wrong_device);                                                               \
    }                                                                                                            \
    static void name(void)

/* False, and said, where there is but one GPU. */
static bool are_several(void)
{
    if (devices < 2)
        fprintf(stderr, "[----] skipped: there is one GPU\n");
    return devices >= 2;
}

/* ---- work on each ---- */
static garray_status work(garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *at = NULL;
    garray_rng rng = GARRAY_RNG(8);
    GARRAY_TRY(garray_random_uniform(&rng, -1, 1, GARRAY_SHAPE(40, 300), GARRAY_FLOAT32, device, &x));
    GARRAY_TRY(garray_exp(x, &y));
    GARRAY_TRY(garray_cumulative_sum(y, GARRAY_AXES(1), NULL, &y));
    GARRAY_TRY(garray_argsort(x, -1, NULL, &at));
    GARRAY_TRY(garray_take_along_axis(y, at, -1, &y));
    GARRAY_TRY(garray_greater(y, 3, &x));
    GARRAY_TRY(garray_getitem(y, GARRAY_AT(x), &y));
    return garray_move(&y, out);
}

DEVICES(each_computes)
{
    garray_t *expected = NULL, *x[8] = { NULL };
    const int n = devices < 8 ? devices : 8;
    TEST_OK(work(GARRAY_CPU, &expected));
    void *values = test_read(expected);
    for (int round = 0; round < 3; round++)
        for (int d = 0; d < n; d++)             /* in turn: what is kept per device must not be mixed up */
            TEST_OK(work(GARRAY_CUDA(d), &x[d]));
    for (int d = 0; d < n; d++) {
        test_context("device %d", d);
        TEST_EXPECT(garray_device_of(x[d]).index == d, "the result is on another device");
        TEST_EQUAL(x[d], values, 0);
        garray_release(x[d]);
    }
    free(values);
    garray_release(expected);
}

/* ---- from one to the other ---- */
/* Through all devices and back to the first, something added on each; sources are released at once. */
static const char *journey(int64_t n, int first, bool strided)
{
    GARRAY_AUTO garray_t *x = NULL, *next = NULL;
    int32_t *seen = malloc(4 * (size_t)n + 4);
    const char *wrong = NULL;
    if (garray_arange(0, n, 1, GARRAY_INT32, GARRAY_CUDA(first % devices), &x) != GARRAY_OK)
        wrong = "arange";
    for (int i = 1; i <= 3 * devices && !wrong; i++) {
        garray_status st = garray_add(x, 1, &x);
        if (st == GARRAY_OK && strided)
            st = garray_getitem(x, GARRAY_AT(GARRAY_REVERSED), &x);
        if (st == GARRAY_OK)
            st = garray_to_device(x, GARRAY_CUDA((first + i) % devices), &next);
        if (st != GARRAY_OK || garray_move(&next, &x) != GARRAY_OK)
            wrong = "to_device";
    }
    if (!wrong && garray_to_host(x, seen, NULL, 4 * (size_t)n) != GARRAY_OK)
        wrong = "to_host";
    for (int64_t i = 0; i < n && !wrong; i++)
        if (seen[i] != (strided && devices % 2 ? n - 1 - i : i) + 3 * devices)
            wrong = "values";
    free(seen);
    return wrong;
}

DEVICES(peers)
{
    static const int64_t sizes[] = { 0, 1, 7, 1000, 65537, 3000000 };
    if (!are_several())
        return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int strided = 0; strided < 2; strided++) {
            const char *wrong = journey(sizes[i], (int)i, strided);
            TEST_EXPECT(!wrong, "%lld items%s: %s: %s", (long long)sizes[i], strided ? ", backwards" : "", wrong,
                        garray_error_message());
        }
    garray_t *x = NULL, *y = NULL, *z = NULL;
    TEST_OK(garray_linspace(-3, 3, 5000, NULL, GARRAY_CUDA(0), &x));
    for (int d = GARRAY_INT8; d <= GARRAY_COMPLEX64; d++) {
        test_context("cast to %s on the way", garray_dtype_name((garray_dtype)d));
        TEST_OK(garray_astype(x, (garray_dtype)d, &z));
        void *expected = test_read(z);
        if (TEST_OK(garray_asarray(x, GARRAY_KW(asarray, .has_device = true, .device = GARRAY_CUDA(1), .dtype = (garray_dtype)d), &y)))
            TEST_EQUAL(y, expected, 0);
        free(expected);
    }
    TEST_STATUS(ERR_MIXED_DEVICES, garray_add(x, y, &z));
    TEST_MESSAGE("cuda:0", "cuda:1");
    garray_release(x);
    garray_release(y);
    garray_release(z);
}

static void *travel(void *arg)
{
    const int first = *(int *)arg;
    garray_stream *stream[2] = { NULL };
    const char *wrong = NULL;
    for (int d = 0; d < 2 && first % 2; d++)
        if (garray_stream_new(GARRAY_CUDA(d), &stream[d]) != GARRAY_OK ||
            garray_stream_swap(stream[d], GARRAY_CUDA(d), NULL) != GARRAY_OK)
            wrong = "stream";
    for (int i = 0; i < 10 && !wrong; i++)
        wrong = journey(20000 + 1000 * i, first, i % 2);
    for (int d = 0; d < 2; d++) {
        if (garray_stream_swap(NULL, GARRAY_CUDA(d), NULL) != GARRAY_OK)
            wrong = "stream";
        garray_stream_free(stream[d]);
    }
    return (void *)wrong;
}

DEVICES(threads)
{
    enum { THREADS = 6 };
    pthread_t thread[THREADS];
    int first[THREADS];
    if (!are_several())
        return;
    for (int i = 0; i < THREADS; i++) {
        first[i] = i;
        cr_assert(pthread_create(&thread[i], NULL, travel, &first[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(thread[i], &wrong);
        TEST_EXPECT(!wrong, "thread %d: %s", i, (const char *)wrong);
    }
}

/* Each has its memory, its limit and its figures. */
DEVICES(memory)
{
    garray_memory_info info;
    garray_t *x = NULL, *y = NULL;
    if (!are_several())
        return;
    TEST_OK(garray_memory_set_limit(GARRAY_CUDA(1), 1 << 20));
    TEST_STATUS(ERR_DEVICE_NOMEM, garray_zeros(GARRAY_SHAPE(4 << 20), GARRAY_FLOAT32, GARRAY_CUDA(1), &x));
    TEST_MESSAGE("cuda:1");
    TEST_OK(garray_zeros(GARRAY_SHAPE(4 << 20), GARRAY_FLOAT32, GARRAY_CUDA(0), &x));
    TEST_STATUS(ERR_DEVICE_NOMEM, garray_to_device(x, GARRAY_CUDA(1), &y));
    TEST_OK(garray_memory_stats(GARRAY_CUDA(1), &info));
    TEST_EXPECT(info.live_bytes == 0, "%lld bytes live on the other device", (long long)info.live_bytes);
    TEST_OK(garray_memory_stats(GARRAY_CUDA(0), &info));
    TEST_EXPECT(info.live_bytes == 16 << 20, "%lld bytes live", (long long)info.live_bytes);
    TEST_OK(garray_memory_set_limit(GARRAY_CUDA(1), 0));
    TEST_OK(garray_to_device(x, GARRAY_CUDA(1), &y));
    garray_release(x);
    TEST_OK(garray_synchronize(GARRAY_CUDA(0)));
    TEST_OK(garray_memory_trim(GARRAY_CUDA(0)));
    TEST_OK(garray_memory_stats(GARRAY_CUDA(0), &info));
    TEST_EXPECT(info.live_bytes == 0 && info.cached_bytes == 0, "memory of the first device is left");
    garray_release(y);
}

/* ---- streams of one device at the same time ---- */
/* A recursive filter of two rows keeps a few multiprocessors busy for long. */
static garray_status chain(const garray_t *x, const garray_t *b, garray_t **out)
{
    GARRAY_TRY(garray_signal_lfilter(b, b, x, -1, NULL, out, NULL));
    for (int i = 0; i < 3; i++)
        GARRAY_TRY(garray_signal_lfilter(b, b, *out, -1, NULL, out, NULL));
    return GARRAY_OK;
}

typedef struct lanes {
    garray_stream *stream[2];
    garray_event *busy, *event;
    garray_t *x, *b, *out[2], *data, *pinned;
} lanes;

/* Work for long on one stream, its end marked by the event busy. */
static garray_status occupy(lanes *l)
{
    GARRAY_TRY(garray_synchronize(GARRAY_CUDA(0)));
    GARRAY_TRY(garray_stream_swap(l->stream[0], GARRAY_CUDA(0), NULL));
    for (int i = 0; i < 100; i++)
        GARRAY_TRY(chain(l->x, l->b, &l->out[0]));
    GARRAY_TRY(garray_event_record(l->busy, l->stream[0]));
    return garray_stream_swap(l->stream[1], GARRAY_CUDA(0), NULL);
}

/* What another stream has been given since is done: is the first one still at work? */
static bool overlapped(lanes *l)
{
    bool done = true;
    TEST_OK(garray_event_record(l->event, l->stream[1]));
    TEST_OK(garray_event_synchronize(l->event));
    TEST_OK(garray_event_query(l->busy, &done));
    TEST_OK(garray_stream_swap(NULL, GARRAY_CUDA(0), NULL));
    return !done;
}

/* Two independent streams do overlap: the second is done with its calls and copies while the first still works on what it
 * was given before.  How much time that saves is seen in the benchmark's cases overlap_*. */
DEVICES(streams_overlap)
{
    if (!real || getenv("GARRAY_SHADOW"))       /* a shadow run waits for each call */
        return;
    lanes l = { 0 };
    void *data = NULL;
    for (int i = 0; i < 2; i++)
        TEST_OK(garray_stream_new(GARRAY_CUDA(0), &l.stream[i]));
    TEST_OK(garray_event_new(GARRAY_CUDA(0), &l.busy));
    TEST_OK(garray_event_new(GARRAY_CUDA(0), &l.event));
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 20000), GARRAY_FLOAT64, GARRAY_CUDA(0), &l.x));
    TEST_OK(garray_full(GARRAY_SHAPE(2), 0.25, GARRAY_FLOAT64, GARRAY_CUDA(0), &l.b));
    TEST_OK(garray_setitem(l.b, GARRAY_AT(0), 1.0));
    TEST_OK(garray_zeros(GARRAY_SHAPE(16 << 20), GARRAY_FLOAT32, GARRAY_CUDA(0), &l.data));
    TEST_OK(garray_empty_pinned(GARRAY_SHAPE(16 << 20), GARRAY_FLOAT32, GARRAY_CUDA(0), &l.pinned));
    for (int i = 0; i < 2; i++)         /* memory is there, and kernels are loaded */
        TEST_OK(garray_stream_swap(l.stream[i], GARRAY_CUDA(0), NULL)), TEST_OK(chain(l.x, l.b, &l.out[i]));
    TEST_OK(occupy(&l));
    TEST_OK(chain(l.x, l.b, &l.out[1]));
    TEST_EXPECT(overlapped(&l), "calls on one stream waited for those on another");
    TEST_OK(occupy(&l));
    TEST_OK(garray_begin(l.pinned, GARRAY_WRITE, NULL, &data));
    TEST_OK(garray_to_host(l.data, data, NULL, (size_t)garray_nbytes(l.data)));
    TEST_OK(garray_end(l.pinned, NULL));
    TEST_EXPECT(overlapped(&l), "a copy on one stream waited for calls on another");
    for (int i = 0; i < 2; i++) {
        garray_stream_free(l.stream[i]);
        garray_release(l.out[i]);
    }
    garray_event_free(l.busy);
    garray_event_free(l.event);
    garray_release(l.x);
    garray_release(l.b);
    garray_release(l.data);
    garray_release(l.pinned);
}

/* Temporary results on two streams that have nothing to do with each other: once both have memory, neither waits for the
 * other's.  Streams come and go before, so that blocks have been with others. */
static garray_status with_temporaries(const garray_t *x, const garray_t *b, garray_t **out)
{
    for (int i = 0; i < 4; i++) {
        GARRAY_AUTO garray_t *lead = NULL, *quotient = NULL, *first = NULL, *sum = NULL;
        GARRAY_TRY(garray_getitem(b, GARRAY_AT(GARRAY_TO(1)), &lead));
        GARRAY_TRY(garray_divide(b, lead, &quotient));
        GARRAY_TRY(garray_getitem(quotient, GARRAY_AT(0), &first));
        GARRAY_TRY(garray_add(i ? *out : x, first, &sum));
        GARRAY_TRY(garray_move(&sum, out));
    }
    return GARRAY_OK;
}

DEVICES(streams_do_not_wait)
{
    if (real)
        return;                 /* streams_overlap shows it there */
    for (int round = 0; round < 5; round++) {
        garray_stream *stream[2] = { NULL };
        garray_t *x = NULL, *b = NULL, *out[2] = { NULL };
        for (int i = 0; i < 2; i++)
            TEST_OK(garray_stream_new(GARRAY_CUDA(0), &stream[i]));
        TEST_OK(garray_ones(GARRAY_SHAPE(2, 20000), GARRAY_FLOAT64, GARRAY_CUDA(0), &x));
        TEST_OK(garray_full(GARRAY_SHAPE(2), 0.25, GARRAY_FLOAT64, GARRAY_CUDA(0), &b));
        for (int step = 0; step < 6; step++) {
            for (int i = 0; i < 2; i++)
                TEST_OK(garray_stream_wait(stream[i], NULL));
            const int64_t before = fake.event_waits;
            for (int i = 0; i < 2; i++) {
                TEST_OK(garray_stream_swap(stream[i], GARRAY_CUDA(0), NULL));
                TEST_OK(with_temporaries(x, b, &out[i]));
            }
            TEST_EXPECT(fake.event_waits == before || step == 0, "round %d, step %d: %lld waits", round, step,
                        (long long)(fake.event_waits - before));
            TEST_OK(garray_stream_swap(NULL, GARRAY_CUDA(0), NULL));
            for (int i = 0; i < 2; i++)
                TEST_OK(garray_stream_wait(NULL, stream[i]));
            if (step % 2)
                TEST_OK(garray_synchronize(GARRAY_CUDA(0)));
        }
        garray_release(x);
        garray_release(b);
        for (int i = 0; i < 2; i++) {
            garray_release(out[i]);
            garray_stream_free(stream[i]);
        }
    }
}
