/* SPDX-License-Identifier: BSD-3-Clause
 * Memory and streams by public functions, on the device under test: statistics, limit, log, allocators, pinned memory;
 * priorities, queries and explicit waits. */
#include <pthread.h>
#include "test.h"

#define MIB ((int64_t)1 << 20)

static garray_memory_info stats(void)
{
    garray_memory_info info;
    cr_assert_eq(garray_memory_stats(test_device(), &info), GARRAY_OK, "%s", garray_error_message());
    return info;
}

static garray_t *bytes(int64_t n)
{
    garray_t *x = NULL;
    cr_assert_eq(garray_empty(GARRAY_SHAPE(n), GARRAY_UINT8, test_device(), &x), GARRAY_OK, "%s", garray_error_message());
    return x;
}

Test(memory, statistics_are_exact)
{
    const garray_memory_info before = stats();
    garray_t *a = bytes(5 * MIB + 3), *b = bytes(100);
    garray_memory_info info = stats();
    cr_expect_eq(info.live_bytes - before.live_bytes, 5 * MIB + 103);
    cr_expect_eq(info.live_blocks - before.live_blocks, 2);
    cr_expect_eq(info.allocations - before.allocations, 2);
    for (int i = 0; i < 100; i++) {         /* memory that is taken and given back again and again */
        garray_t *c = bytes(4 * MIB), *d = bytes(4 * MIB);
        garray_release(c);
        garray_release(d);
    }
    info = stats();
    cr_expect_eq(info.live_bytes - before.live_bytes, 5 * MIB + 103);
    cr_expect_eq(info.allocations - before.allocations, 202);
    cr_expect_eq(info.frees - before.frees, 200);
    cr_expect_eq(info.peak_bytes, before.live_bytes + 13 * MIB + 103);
    cr_expect(info.driver_allocations - before.driver_allocations <= 4);
    cr_expect(info.largest_free_bytes >= 4 * MIB && info.largest_free_bytes <= info.cached_bytes);
    cr_expect(info.fragmentation >= 0 && info.fragmentation < 1);
    cr_expect_eq(garray_memory_reset_peak(test_device()), GARRAY_OK);
    cr_expect_eq(stats().peak_bytes, info.live_bytes);
    garray_release(a);
    garray_release(b);
    cr_expect_eq(garray_synchronize(test_device()), GARRAY_OK);
    cr_expect_eq(garray_memory_trim(test_device()), GARRAY_OK);
    info = stats();
    cr_expect_eq(info.live_bytes, before.live_bytes);
    cr_expect(info.cached_bytes <= 2 * MIB, "%lld bytes are cached", (long long)info.cached_bytes);
}

Test(memory, a_limit_counts_what_is_cached)
{
    garray_t *a = bytes(20 * MIB), *b = NULL;
    garray_release(a);
    const int64_t limit = stats().live_bytes + 48 * MIB;
    cr_assert_eq(garray_memory_set_limit(test_device(), limit), GARRAY_OK);
    a = bytes(40 * MIB);        /* with what was cached it would be too much */
    garray_memory_info info = stats();
    cr_expect(info.live_bytes + info.cached_bytes <= limit);
    cr_expect_eq(garray_empty(GARRAY_SHAPE(40 * MIB), GARRAY_UINT8, test_device(), &b),
                 test_on_gpu() ? GARRAY_ERR_DEVICE_NOMEM : GARRAY_ERR_NOMEM);
    cr_expect(!b);
    cr_expect(strstr(garray_error_message(), "garray_empty: out of memory on "), "%s", garray_error_message());
    cr_expect(strstr(garray_error_message(), "41943040 bytes asked for"), "%s", garray_error_message());
    cr_expect(strstr(garray_error_message(), ", limit "), "%s", garray_error_message());
    garray_release(a);
    b = bytes(40 * MIB);        /* it still works */
    garray_release(b);
    cr_assert_eq(garray_memory_set_limit(test_device(), 0), GARRAY_OK);
}

/* ---- the log ---- */
typedef struct heard {
    int n, kind[8];
    int64_t size[8];
} heard;

static void listen(void *ctx, const garray_memory_event *event)
{
    heard *h = ctx;
    if (h->n < 8) {
        h->kind[h->n] = event->kind;
        h->size[h->n] = event->size;
    }
    h->n++;
    /* a callback may call the library */
    garray_t *own = bytes(3 * MIB);
    garray_release(own);
    garray_memory_info info = stats();
    cr_expect(info.live_blocks >= 0 && event->device.type == test_device().type && event->ptr);
}

Test(memory, the_log_tells_of_each_buffer)
{
    heard h = { 0 };
    cr_assert_eq(garray_memory_set_log(test_device(), listen, &h), GARRAY_OK);
    garray_t *a = bytes(1000), *b = bytes(2 * MIB);
    garray_release(a);
    garray_release(b);
    cr_assert_eq(garray_memory_set_log(test_device(), NULL, NULL), GARRAY_OK);
    garray_release(bytes(77));
    cr_assert_eq(h.n, 4);
    cr_expect(h.kind[0] == GARRAY_MEMORY_ALLOCATED && h.size[0] == 1000);
    cr_expect(h.kind[1] == GARRAY_MEMORY_ALLOCATED && h.size[1] == 2 * MIB);
    cr_expect(h.kind[2] == GARRAY_MEMORY_FREED && h.size[2] == 1000);
    cr_expect(h.kind[3] == GARRAY_MEMORY_FREED && h.size[3] == 2 * MIB);
}

/* ---- allocators ---- */
typedef struct user {
    int64_t allocations, frees, bytes;
    bool empty;
} user;

static void *user_alloc(size_t size, garray_device device, void *stream, void *ctx)
{
    user *u = ctx;
    (void)stream;
    if (u->empty || device.type != GARRAY_DEVICE_CPU)
        return NULL;
    u->allocations++;
    u->bytes += (int64_t)size;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void user_free(void *ptr, size_t size, garray_device device, void *stream, void *ctx)
{
    user *u = ctx;
    (void)device;
    (void)stream;
    u->frees++;
    u->bytes -= (int64_t)size;
    free(ptr);
}

/* Some work whose result is known: 1000 * 999 / 2. */
static void sum_works(void)
{
    garray_t *x = NULL, *y = NULL;
    double value = 0;
    garray_status st = garray_arange(0, 1000, 1, GARRAY_FLOAT64, test_device(), &x);
    for (int i = 0; i < 20 && st == GARRAY_OK; i++) {
        st = garray_add(x, 1, &y);
        if (st == GARRAY_OK)
            st = garray_subtract(y, 1, &x);
    }
    if (st == GARRAY_OK)
        st = garray_sum(x, GARRAY_ALL_AXES, NULL, &y);
    if (st == GARRAY_OK)
        st = garray_item(y, &value);
    cr_expect_eq(st, GARRAY_OK, "%s", garray_error_message());
    cr_expect_eq(value, 499500);
    garray_release(x);
    garray_release(y);
}

Test(memory, allocators_by_name)
{
    const garray_allocator direct = { .kind = GARRAY_ALLOCATOR_DIRECT }, async = { .kind = GARRAY_ALLOCATOR_ASYNC },
                           unknown = { .kind = 9 }, half = { .kind = GARRAY_ALLOCATOR_USER, .alloc = user_alloc };
    garray_t *x = bytes(10);
    cr_expect_eq(garray_memory_set_allocator(test_device(), &direct), GARRAY_ERR_INVALID, "an array is alive");
    cr_expect(strstr(garray_error_message(), "buffers of"), "%s", garray_error_message());
    garray_release(x);
    cr_expect_eq(garray_memory_set_allocator(test_device(), &unknown), GARRAY_ERR_INVALID);
    cr_expect_eq(garray_memory_set_allocator(test_device(), &half), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_memory_set_allocator(test_device(), &direct), GARRAY_OK, "%s", garray_error_message());
    garray_memory_info before = stats();
    x = bytes(12345);
    cr_expect_eq(stats().cached_bytes, 0);
    cr_expect_eq(stats().driver_allocations - before.driver_allocations, 1);
    garray_release(x);
    cr_expect_eq(stats().driver_frees - before.driver_frees, 1);
    sum_works();
    garray_status st = garray_memory_set_allocator(test_device(), &async);
    cr_expect_eq(st, test_on_gpu() ? GARRAY_OK : GARRAY_ERR_UNSUPPORTED, "%s", garray_error_message());
    sum_works();
    cr_expect_eq(stats().live_bytes, 0);
    cr_assert_eq(garray_memory_set_allocator(test_device(), NULL), GARRAY_OK, "%s", garray_error_message());
    sum_works();
}

Test(memory, an_allocator_of_the_user)
{
    user u = { 0 };
    const garray_allocator own = { .kind = GARRAY_ALLOCATOR_USER, .alloc = user_alloc, .free = user_free, .ctx = &u };
    garray_t *x = NULL;
    cr_assert_eq(garray_memory_set_allocator(GARRAY_CPU, &own), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_full(GARRAY_SHAPE(1000), 7, GARRAY_FLOAT64, GARRAY_CPU, &x), GARRAY_OK);
    cr_expect_eq(u.bytes, 8000);
    garray_t *y = NULL;
    u.empty = true;
    cr_expect_eq(garray_empty(GARRAY_SHAPE(10), GARRAY_INT8, GARRAY_CPU, &y), GARRAY_ERR_NOMEM);
    cr_expect(strstr(garray_error_message(), "10 bytes asked for, 8000 in use, 0 cached"), "%s", garray_error_message());
    u.empty = false;
    cr_expect_eq(garray_sum(x, GARRAY_ALL_AXES, NULL, &y), GARRAY_OK, "%s", garray_error_message());
    double value = 0;
    cr_expect_eq(garray_item(y, &value), GARRAY_OK);
    cr_expect_eq(value, 7000);
    garray_release(x);
    garray_release(y);
    cr_expect_eq(u.bytes, 0);
    cr_expect_eq(u.allocations, u.frees);
    cr_assert_eq(garray_memory_set_allocator(GARRAY_CPU, NULL), GARRAY_OK);
}

/* ---- pinned memory ---- */
Test(memory, pinned_arrays)
{
    garray_t *host = NULL, *x = NULL, *back = NULL;
    garray_memory_info info;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(garray_empty_pinned(GARRAY_SHAPE(300, 1000), GARRAY_INT32, test_device(), &host), GARRAY_OK, "%s",
                     garray_error_message());
        cr_expect_eq((int)garray_device_of(host).type, GARRAY_DEVICE_CPU);
        cr_assert_eq(garray_full(GARRAY_SHAPE(300, 1000), 5 + i, GARRAY_INT32, GARRAY_CPU, garray_into(host)), GARRAY_OK);
        cr_assert_eq(garray_to_device(host, test_device(), &x), GARRAY_OK);
        cr_assert_eq(garray_add(x, 1, &x), GARRAY_OK);
        cr_assert_eq(garray_to_device(x, GARRAY_CPU, &back), GARRAY_OK);
        int32_t value = 0;
        garray_t *one = NULL;
        cr_assert_eq(garray_getitem(back, GARRAY_AT(299, 999), &one), GARRAY_OK);
        cr_assert_eq(garray_item(one, &value), GARRAY_OK);
        cr_expect_eq(value, 6 + i);
        garray_release(one);
    }
    garray_release(host);
    garray_release(x);
    garray_release(back);
    host = NULL;
    cr_assert_eq(garray_pinned_stats(test_device(), &info), GARRAY_OK);
    cr_expect_eq(info.live_bytes, 0);
    cr_expect(info.driver_allocations <= 2 + 4);        /* and the slots through which it comes back */
    cr_expect_eq(info.allocations, test_on_gpu() ? 3 : 0);
    cr_assert_eq(garray_pinned_trim(test_device()), GARRAY_OK);
    cr_assert_eq(garray_pinned_stats(test_device(), &info), GARRAY_OK);
    cr_expect_eq(info.cached_bytes, 0);
    cr_expect_eq(garray_empty_pinned(GARRAY_SHAPE(-1), GARRAY_INT32, test_device(), &host), GARRAY_ERR_SHAPE);
}

/* ---- streams ---- */
Test(memory, streams_in_order)
{
    garray_stream *a = NULL, *b = NULL;
    garray_event *event = NULL;
    garray_t *x = NULL, *y = NULL;
    double value = 0;
    bool done = false;
    const garray_device device = test_device();
    cr_assert_eq(garray_stream_new_priority(device, -3, &a), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_stream_new_priority(device, 1000, &b), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_event_new(device, &event), GARRAY_OK);
    cr_assert_eq(garray_event_query(event, &done), GARRAY_OK);
    cr_expect(done, "an event never recorded");
    cr_assert_eq(garray_stream_swap(a, device, NULL), GARRAY_OK);
    cr_assert_eq(garray_full(GARRAY_SHAPE(1 << 20), 1, GARRAY_FLOAT64, device, &x), GARRAY_OK);
    for (int i = 0; i < 50; i++)
        cr_assert_eq(garray_add(x, 1, &x), GARRAY_OK);
    cr_assert_eq(garray_event_record(event, NULL), GARRAY_OK);
    cr_assert_eq(garray_stream_wait(b, NULL), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_stream_swap(b, device, NULL), GARRAY_OK);
    cr_assert_eq(garray_sum(x, GARRAY_ALL_AXES, NULL, &y), GARRAY_OK);
    cr_assert_eq(garray_item(y, &value), GARRAY_OK);
    cr_expect_eq(value, 51.0 * (1 << 20));
    cr_assert_eq(garray_event_query(event, &done), GARRAY_OK);
    cr_expect(done, "b waited for a");
    cr_assert_eq(garray_stream_synchronize(a), GARRAY_OK);
    cr_assert_eq(garray_stream_query(a, &done), GARRAY_OK);
    cr_expect(done);
    cr_expect_eq(garray_stream_wait(NULL, NULL), GARRAY_ERR_INVALID);
    cr_expect_eq(garray_stream_query(NULL, &done), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_stream_swap(NULL, device, NULL), GARRAY_OK);
    garray_stream_free(a);
    garray_stream_free(b);
    garray_event_free(event);
    garray_release(x);
    garray_release(y);
}

/* CUDA's default streams: the legacy one by either name; the per-thread one is another stream in each thread. */
typedef struct per_thread {
    garray_t *x;
    garray_stream *stream;
    garray_status st;
} per_thread;

static void *on_own_stream(void *arg)
{
    per_thread *p = arg;
    garray_stream *own = NULL;
    p->st = garray_stream_wrap(test_device(), GARRAY_STREAM_PER_THREAD, &own);
    if (p->st == GARRAY_OK)
        p->st = garray_stream_swap(own, test_device(), NULL);
    for (int i = 0; i < 30 && p->st == GARRAY_OK; i++)
        p->st = garray_add(p->x, 1, garray_into(p->x));
    if (p->st == GARRAY_OK)
        p->st = garray_stream_swap(NULL, test_device(), NULL);
    p->stream = own;
    return NULL;
}

Test(memory, default_streams)
{
    garray_stream *legacy = NULL, *again = NULL, *own = NULL;
    const garray_device device = test_device();
    cr_assert_eq(garray_stream_wrap(device, NULL, &legacy), GARRAY_OK);
    cr_assert_eq(garray_stream_wrap(device, GARRAY_STREAM_LEGACY, &again), GARRAY_OK);
    cr_expect_eq(legacy, again);
    cr_assert_eq(garray_stream_wrap(device, GARRAY_STREAM_PER_THREAD, &own), GARRAY_OK);
    cr_expect_neq(own, legacy);
    per_thread p = { 0 };
    cr_assert_eq(garray_stream_swap(own, device, NULL), GARRAY_OK);
    cr_assert_eq(garray_full(GARRAY_SHAPE(1 << 20), 1, GARRAY_FLOAT64, device, &p.x), GARRAY_OK);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, on_own_stream, &p), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(p.st, GARRAY_OK);
    if (test_on_gpu()) {
        cr_expect_neq(p.stream, own);
        cr_expect_eq(garray_stream_swap(p.stream, device, NULL), GARRAY_ERR_INVALID);
    }
    garray_t *y = NULL;
    double value = 0;
    cr_assert_eq(garray_sum(p.x, GARRAY_ALL_AXES, NULL, &y), GARRAY_OK);
    cr_assert_eq(garray_item(y, &value), GARRAY_OK);
    cr_expect_eq(value, 31.0 * (1 << 20));
    cr_assert_eq(garray_stream_swap(NULL, device, NULL), GARRAY_OK);
    garray_release(p.x);
    garray_release(y);
    garray_stream_free(p.stream);
    garray_stream_free(own);
    garray_stream_free(again);
    garray_stream_free(legacy);
}
