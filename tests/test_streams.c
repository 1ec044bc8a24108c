/* SPDX-License-Identifier: BSD-3-Clause
 * Streams, late errors, lost devices and the names in error texts, on the backend without a device. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include "core/pool.h"
#include "core/report.h"
#include "core/stream.h"
#include "core/submit.h"
#include "fake_backend.h"
#include "fake_device.h"
#include "garray/graph.h"

static garray_status read_buffer(garray__device *device, garray__buffer *buffer)
{
    garray__uses uses = { .device = device, .nread = 1 };
    uses.read[0] = buffer;
    garray_reduce_plan plan = { .op = GARRAY_RED_SUM, .in = buffer->data };
    return garray__submit(GARRAY__REDUCE, &plan, &uses);
}

static garray_status copy_buffer(garray__device *device, garray__buffer *to, garray__buffer *from, bool wait)
{
    garray__uses uses = { .device = device, .nread = 1, .nwrite = 1 };
    uses.read[0] = from;
    uses.write[0] = to;
    garray_copy_plan plan = {
        .kind = GARRAY_COPY_ON_DEVICE, .src = from->data, .dst = to->data, .size = to->size, .wait = wait
    };
    return garray__submit(GARRAY__COPY, &plan, &uses);
}

/* As a public function would: an index that the device finds out of bounds later. */
static garray_status take_late(const char *name, garray__device *device, garray__buffer *buffer)
{
    GARRAY_ENTER(name);
    garray__uses uses = { .device = device, .nwrite = 1 };
    uses.write[0] = buffer;
    garray_index_plan plan = { .kind = GARRAY_INDEX_GATHER };
    return garray__submit(GARRAY__INDEX, &plan, &uses);
}

static void use_stream(garray__stream *stream)
{
    garray__self->current[GARRAY_DEVICE_CUDA][0] = stream;
}

Test(streams, one_call_of_the_backend_per_plan)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 3000000), *b = new_buffer(device, 3000000);
    int64_t calls = fake.calls;
    for (int i = 0; i < 10; i++)
        cr_assert_eq(copy_buffer(device, b, a, false), GARRAY_OK);
    cr_assert_eq(fake.calls - calls, 10);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__device_free(device);
}

Test(streams, another_stream_waits_once)
{
    garray__device *device = new_device();
    garray__stream *other;
    garray__buffer *a = new_buffer(device, 100), *b = new_buffer(device, 100);
    cr_assert_eq(garray__stream_open(device, false, NULL, &other), GARRAY_OK);
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_OK);
    cr_assert_eq(fake.event_records, 0, "small work records no event");
    use_stream(other);
    cr_assert_eq(read_buffer(device, a), GARRAY_OK);
    cr_assert_eq(fake.event_records, 1);
    cr_assert_eq(fake.event_waits, 1);
    cr_assert_eq(read_buffer(device, a), GARRAY_OK);
    cr_assert_eq(read_buffer(device, b), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1, "what has been waited for is not waited for again");
    use_stream(NULL);
    cr_assert_eq(read_buffer(device, a), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1, "a reader does not wait for readers");
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 2, "a writer does");
    cr_assert_eq(fake.host_waits, 0);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__stream_close(other);
    garray__device_free(device);
}

Test(streams, large_work_records_its_event_at_once)
{
    garray__device *device = new_device();
    garray__stream *other;
    garray__buffer *a = new_buffer(device, 2000000), *b = new_buffer(device, 2000000),
                   *c = new_buffer(device, 8);
    cr_assert_eq(garray__stream_open(device, false, NULL, &other), GARRAY_OK);
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_OK);
    cr_assert_eq(fake.event_records, 1);
    cr_assert_eq(copy_buffer(device, c, b, false), GARRAY_OK);
    use_stream(other);
    cr_assert_eq(read_buffer(device, a), GARRAY_OK);
    cr_assert_eq(fake.event_records, 1, "the wait is for the large work alone");
    use_stream(NULL);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__buffer_release(c);
    garray__stream_close(other);
    garray__device_free(device);
}

Test(streams, wrapping_twice_is_one_stream)
{
    garray__device *device = new_device();
    garray__stream *a, *b;
    void *native = fake_native_stream();
    cr_assert_eq(garray__stream_open(device, true, native, &a), GARRAY_OK);
    cr_assert_eq(garray__stream_open(device, true, native, &b), GARRAY_OK);
    cr_assert_eq(a, b);
    cr_assert_eq(garray__stream_count(device), 2);
    garray__stream_close(a);
    cr_assert(b->alive);
    garray__stream_close(b);
    cr_assert_eq(garray__stream_count(device), 1);
    fake_native_stream_free(native);
    garray__device_free(device);
}

static void *on_per_thread_stream(void *arg)
{
    garray__buffer **buffers = arg;
    garray__device *device = buffers[0]->device;
    garray__stream *own;
    cr_assert(garray__self || garray__thread_new());
    cr_assert_eq(garray__stream_open(device, true, GARRAY_STREAM_PER_THREAD, &own), GARRAY_OK);
    use_stream(own);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(copy_buffer(device, buffers[0], buffers[1], false), GARRAY_OK);
    use_stream(NULL);
    return own;
}

/* The handle means another stream here: an event for that thread's work must exist already. */
Test(streams, per_thread_streams_of_other_threads)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 100), *b = new_buffer(device, 100), *buffers[] = { a, b };
    garray__stream *own, *theirs;
    pthread_t thread;
    memset(b->data, 7, 100);
    cr_assert_eq(garray__stream_open(device, true, GARRAY_STREAM_PER_THREAD, &own), GARRAY_OK);
    cr_assert_eq(pthread_create(&thread, NULL, on_per_thread_stream, buffers), 0);
    pthread_join(thread, (void **)&theirs);
    cr_assert_neq(own, theirs);
    cr_assert_eq(fake.event_records, 20);
    cr_assert(fake_touches(a->data, 100));
    cr_assert_eq(garray__wait_buffer(a), GARRAY_OK);
    cr_assert_not(fake_touches(a->data, 100), "the wait was for another stream");
    cr_assert_eq(((unsigned char *)a->data)[99], 7);
    cr_assert_eq(fake.event_records, 20);
    cr_assert_eq(garray_stream_synchronize(theirs), GARRAY_OK);
    cr_assert_eq(garray_stream_wait(device->stream, theirs), GARRAY_ERR_INVALID);
    garray__stream_close(own);
    garray__stream_close(theirs);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__device_free(device);
}

Test(streams, order_for_a_stream_of_the_caller)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 100), *b = new_buffer(device, 100);
    void *native = fake_native_stream();
    cr_assert_eq(garray__order_native(a, true, native), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 0, "an unused buffer needs no wait");
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_OK);
    cr_assert_eq(garray__order_native(a, false, native), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1);
    cr_assert_eq(garray__order_native(b, false, native), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1, "a reader does not wait for readers");
    cr_assert_eq(garray__order_native(b, true, native), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 2);
    fake_drain();
    fake_native_stream_free(native);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__device_free(device);
}

/* ---- errors ---- */
Test(streams, late_errors_name_their_call_once)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 100);
    cr_assert_eq(take_late("garray_take", device, a), GARRAY_OK);
    cr_assert_eq(garray__wait_buffer(a), GARRAY_ERR_INDEX);
    cr_assert_str_eq(garray_error_message(),
                     "earlier: garray_take: index 7 is out of bounds for axis 0 with size 5");
    cr_assert_eq(garray__wait_buffer(a), GARRAY_OK);
    cr_assert_eq(garray__stream_finish(device->stream), GARRAY_OK);
    cr_assert(!atomic_load(&device->stream->has_late));

    cr_assert_eq(take_late("garray_take", device, a), GARRAY_OK);
    cr_assert_eq(take_late("garray_getitem", device, a), GARRAY_OK);
    cr_assert_eq(garray_device_parse("nonsense", &(garray_device){ 0 }), GARRAY_ERR_INVALID);
    cr_assert_eq(garray__device_finish(device), GARRAY_ERR_INDEX);
    cr_assert(strstr(garray_error_message(), "earlier: garray_take or garray_getitem: index 7"), "%s",
              garray_error_message());
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);

    /* a waiting copy returns it too */
    garray__buffer *b = new_buffer(device, 100);
    cr_assert_eq(take_late("garray_take", device, a), GARRAY_OK);
    cr_assert_eq(copy_buffer(device, b, a, true), GARRAY_ERR_INDEX);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__device_free(device);
}

Test(streams, strict_mode_blames_the_call_itself)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 100);
    garray_set_strict(true);
    {
        GARRAY_ENTER("garray_take");
        cr_assert_eq(take_late("garray_inner", device, a), GARRAY_ERR_INDEX);
    }
    cr_assert_str_eq(garray_error_message(), "garray_take: index 7 is out of bounds for axis 0 with size 5");
    garray_set_strict(false);
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);
    garray__buffer_release(a);
    garray__device_free(device);
}

Test(streams, a_lost_device_answers_at_once)
{
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 100), *b = new_buffer(device, 100);
    fake.fail_at = fake.calls + 1;
    fake.sticky = true;
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_ERR_DEVICE_LOST);
    fake.fail_at = 0;
    int64_t calls = fake.calls;
    cr_assert_eq(copy_buffer(device, a, b, false), GARRAY_ERR_DEVICE_LOST);
    cr_assert(strstr(garray_error_message(), "cuda:0 has failed"), "%s", garray_error_message());
    garray__buffer *c;
    cr_assert_eq(garray__buffer_new(device, 1, &c), GARRAY_ERR_DEVICE_LOST);
    cr_assert_eq(garray__wait_buffer(a), GARRAY_ERR_DEVICE_LOST);
    cr_assert_eq(fake.calls, calls, "a lost device is asked for nothing");
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__buffer *host;
    garray__device *cpu;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    cr_assert_eq(garray__buffer_new(cpu, 1, &host), GARRAY_OK);
    garray__buffer_release(host);
    garray__device_free(device);
}

static garray_status inner(void)
{
    GARRAY_ENTER("garray_inner");
    return garray__fail(GARRAY_ERR_SHAPE, "shapes %s and %s", "(3,)", "(4,)");
}

static garray_status outer(void)
{
    GARRAY_ENTER("garray_outer");
    return inner();
}

Test(streams, texts_name_the_outermost_call)
{
    cr_assert_str_eq(garray_error_message(), "");
    cr_assert_eq(outer(), GARRAY_ERR_SHAPE);
    cr_assert_str_eq(garray_error_message(), "garray_outer: shapes (3,) and (4,)");
    cr_assert_eq(inner(), GARRAY_ERR_SHAPE);
    cr_assert_str_eq(garray_error_message(), "garray_inner: shapes (3,) and (4,)");
    cr_assert_eq(garray__fail(GARRAY_ERR_INTERNAL, "again: %s", garray_error_message()), GARRAY_ERR_INTERNAL);
    cr_assert_str_eq(garray_error_message(), "again: garray_inner: shapes (3,) and (4,)");
    cr_assert_str_eq(garray_status_name(GARRAY_ERR_FORKED), "GARRAY_ERR_FORKED");
    cr_assert_str_eq(garray_status_name((garray_status)99), "GARRAY_ERR_?");
    cr_assert_str_eq(garray_status_text(GARRAY_ERR_SHAPE), "shapes do not fit");
}

/* ---- the report ---- */
static void keep_text(void *ctx, const char *text, size_t length)
{
    cr_assert(length < 8000);
    memcpy(ctx, text, length + 1);
}

Test(streams, a_report_of_asynchronous_work)
{
    static char text[8000];
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 3000000), *b = new_buffer(device, 3000000);
    cr_assert_eq(garray_report_begin(), GARRAY_OK);
    int64_t events = fake.events;
    for (int i = 0; i < 3000; i++)
        cr_assert_eq(i % 3 ? copy_buffer(device, b, a, i % 100 == 1) : read_buffer(device, a), GARRAY_OK);
    cr_assert_eq(garray__wait_buffer(b), GARRAY_OK);
    garray_report_opts opts = { .format = GARRAY_REPORT_JSON };
    cr_assert_eq(garray_report_end(&opts, keep_text, text), GARRAY_OK);
    cr_assert(strstr(text, "\"cuda\", \"operation\": \"copy on device\", \"calls\": 2000, \"timed\": 2000"), "%s",
              text);
    cr_assert(strstr(text, "\"operation\": \"sum\", \"calls\": 1000, \"timed\": 1000"), "%s", text);
    cr_assert_leq(fake.events, events + 1, "events of timed calls were kept");
    cr_assert_eq(garray__watching(), 0);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__device_free(device);
}

/* ---- graphs ---- */
Test(streams, a_launch_is_one_call_of_the_backend)
{
    garray__device *device = new_device();
    garray__stream *other;
    garray_graph *graph = NULL;
    atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], device);
    garray__buffer *a = new_buffer(device, 5000), *b = new_buffer(device, 5000), *c = NULL;
    cr_assert_eq(garray__stream_open(device, false, NULL, &other), GARRAY_OK);
    cr_assert_eq(garray_capture_begin(GARRAY_CUDA(0)), GARRAY_OK);
    int64_t calls = fake.calls;
    for (int i = 0; i < 10; i++)
        cr_assert_eq(copy_buffer(device, b, a, false), GARRAY_OK);
    cr_assert_eq(fake.calls, calls, "nothing is enqueued in a capture");
    c = new_buffer(device, 700);
    cr_assert_eq(copy_buffer(device, c, a, false), GARRAY_OK);
    cr_assert_eq(garray_capture_end(&graph), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray__stream_count(device), 2, "the graph's stream is not among those that matter");
    calls = fake.calls;
    for (int i = 0; i < 5; i++)
        cr_assert_eq(garray_graph_launch(graph, NULL), GARRAY_OK);
    cr_assert_eq(fake.calls - calls, 5);
    cr_assert_eq(garray_graph_launch(graph, other), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1, "another stream waits once for all buffers");
    cr_assert_eq(garray_graph_launch(graph, other), GARRAY_OK);
    cr_assert_eq(fake.event_waits, 1);
    garray__buffer_release(a);          /* the graph still has it */
    garray__buffer_release(c);
    fake_drain();
    cr_assert_eq(garray_graph_launch(graph, NULL), GARRAY_OK);
    garray_graph_free(graph);
    garray__buffer_release(b);
    garray__stream_close(other);
    fake_drain();
    cr_assert_eq(fake.early_frees, 0);
    garray_memory_info info;
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_blocks, 0);
    atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], NULL);
    garray__device_free(device);
    cr_assert_eq(fake.graphs, 0);
}
