/* SPDX-License-Identifier: BSD-3-Clause
 * Copies between host memory and the device that the host does not wait for: when the memory is whose, with an event and
 * without, from pinned memory and other, and what calls that fail leave behind. */
#include "core/stream.h"
#include "transfer.h"

#define ASYNC(name) Test(transfer_async, name, .init = open_device, .fini = test_remove_directory, .timeout = 200)

/* Pinned memory of so many bytes, as the caller of the C functions has it. */
typedef struct pinned {
    garray_t *array;
    unsigned char *data;
} pinned;

static pinned new_pinned(int64_t size)
{
    pinned p = { NULL, NULL };
    void *data;
    cr_assert_eq(garray_empty_pinned(GARRAY_SHAPE(size), GARRAY_UINT8, test_device(), &p.array), GARRAY_OK);
    cr_assert_eq(garray_begin(p.array, GARRAY_READ | GARRAY_WRITE, NULL, &data), GARRAY_OK);
    p.data = data;
    return p;
}

static void free_pinned(pinned *p)
{
    cr_assert_eq(garray_end(p->array, NULL), GARRAY_OK);
    garray_release(p->array);
}

static garray_event *new_event(void)
{
    garray_event *event;
    cr_assert_eq(garray_event_new(test_device(), &event), GARRAY_OK);
    return event;
}

static bool is_fake(void)
{
    garray__device *device;
    return garray__device_get(test_device(), &device) == GARRAY_OK && strcmp(device->backend->name, "fake") == 0;
}

/* ---- values ---- */
static void there_and_back(int dtype, int layout, garray_shape shape, bool is_pinned)
{
    const int itemsize = (int)garray_dtype_size((garray_dtype)dtype);
    const size_t bytes = (size_t)test_count(shape) * (size_t)itemsize;
    char *values = malloc(bytes + 1), *back = malloc(bytes + 1);
    host from = new_host(layout, shape, itemsize), to = new_host(layout, shape, itemsize);
    pinned p[2] = { { NULL, NULL }, { NULL, NULL } };
    garray_event *event = new_event();
    garray_t *x = NULL;
    for (int i = 0; i < 2 && is_pinned; i++) {
        host *h = i ? &to : &from;
        p[i] = new_pinned((int64_t)h->room + 1);
        memset(p[i].data, 0x5a, h->room + 1);
        free(h->memory);
        h->data = (char *)p[i].data + (h->data - h->memory);
        h->memory = (char *)p[i].data;
    }
    test_random(dtype, test_count(shape), (uint64_t)bytes + 3, values);
    spread(&from, shape, itemsize, values, true);
    const int64_t *strides = layout == PLAIN ? NULL : from.strides;
    if (TEST_OK(garray_from_host_async(from.data, (garray_dtype)dtype, shape, strides, test_device(), event, &x))) {
        if (is_pinned)
            TEST_OK(garray_event_synchronize(event));
        memset(from.memory, 0xee, from.room + 1);       /* the source is ours again */
        TEST_EQUAL(x, values, 0);
        if (TEST_OK(garray_to_host_async(x, to.data, strides, to.room, event))) {
            garray_release(x);                          /* and so is the array */
            x = NULL;
            if (is_pinned)
                TEST_OK(garray_event_synchronize(event));
            spread(&to, shape, itemsize, back, false);
            TEST_EXPECT(memcmp(back, values, bytes) == 0, "other bytes come back");
            TEST_EXPECT(only_elements(&to, shape, itemsize), "bytes beside the elements were written");
        }
    }
    garray_release(x);
    TEST_OK(garray_synchronize(test_device()));
    for (int i = 0; i < 2; i++)
        if (is_pinned)
            free_pinned(&p[i]);
        else
            free(i ? to.memory : from.memory);
    garray_event_free(event);
    free(values);
    free(back);
}

ASYNC(layouts)
{
    static const int dtypes[] = { GARRAY_UINT8, GARRAY_INT32, GARRAY_COMPLEX128 };
    const garray_shape shapes[] = { GARRAY_0D, GARRAY_SHAPE(0), GARRAY_SHAPE(1), GARRAY_SHAPE(1000), GARRAY_SHAPE(900, 3),
                                    GARRAY_SHAPE(7, 11, 13), GARRAY_SHAPE(4, 0, 3), GARRAY_SHAPE(2, 1, 3, 1, 150),
                                    GARRAY_SHAPE(300, 100) };
    test_mark mark = test_memory();
    for (int s = 0; s < SETTINGS; s++) {
        garray__stage_set(&settings[s]);
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
                for (int layout = 0; layout < LAYOUTS; layout++)
                    for (int is_pinned = 0; is_pinned < 2; is_pinned++) {
                        test_context("setting %d, %s, shape %zu, layout %d, %s", s, garray_dtype_name((garray_dtype)dtypes[d]), k,
                                     layout, is_pinned ? "pinned" : "pageable");
                        there_and_back(dtypes[d], layout, shapes[k], is_pinned);
                    }
    }
    TEST_NO_LEAK(mark);
}

/* Arrays that are views, and one that repeats its elements. */
ASYNC(views)
{
    test_mark mark = test_memory();
    for (int layout = 0; layout < TEST_LAYOUTS; layout++)
        for (int k = 0; k < test_shape_count; k++)
            for (int is_pinned = 0; is_pinned < 2; is_pinned++) {
                test_context("%s, shape %d, %s", test_layout_name(layout), k, is_pinned ? "pinned" : "pageable");
                const size_t bytes = 4 * (size_t)test_count(test_shapes[k]);
                int32_t *values = malloc(bytes + 4);
                pinned p = new_pinned((int64_t)bytes + 1);
                unsigned char *back = is_pinned ? p.data : malloc(bytes + 1);
                garray_event *event = new_event();
                test_random(GARRAY_INT32, test_count(test_shapes[k]), 3, values);
                garray_t *x = test_array(GARRAY_INT32, layout, test_shapes[k], values);
                if (TEST_OK(garray_to_host_async(x, back, NULL, bytes, event)) && TEST_OK(garray_event_synchronize(event)))
                    TEST_EXPECT(memcmp(back, values, bytes) == 0, "other values");
                garray_release(x);
                if (!is_pinned)
                    free(back);
                free_pinned(&p);
                garray_event_free(event);
                free(values);
            }
    TEST_NO_LEAK(mark);
}

/* ---- order ---- */
enum { N = 200000 };

/* Behind each copy the array changes and goes, its memory is used again, and pageable sources are overwritten: what has
 * been enqueued must not see it.  On two streams. */
ASYNC(order)
{
    garray_stream *stream[2] = { NULL, NULL };
    garray_event *event[2] = { new_event(), new_event() };
    pinned out[2] = { new_pinned(4 * N), new_pinned(4 * N) }, in = new_pinned(4 * N);
    uint32_t *words = malloc(4 * N);
    test_mark mark = test_memory();
    for (int i = 0; i < 2; i++)
        TEST_OK(garray_stream_new(test_device(), &stream[i]));
    for (uint32_t round = 0; round < 20; round++) {
        garray_t *x = NULL, *y = NULL;
        const int64_t n = round % 4 == 3 ? 1000 + round : N - 16 * round;
        uint32_t *source = round % 2 ? (uint32_t *)in.data : words;
        test_context("round %u", round);
        for (int64_t i = 0; i < n; i++)
            source[i] = (uint32_t)i * 77 + round;
        TEST_OK(garray_stream_swap(stream[round % 3 == 0], test_device(), NULL));
        TEST_OK(garray_from_host_async(source, GARRAY_UINT32, GARRAY_SHAPE(n), NULL, test_device(), event[0], &x));
        if (round % 2)
            TEST_OK(garray_event_synchronize(event[0]));
        memset(source, 0xcc, 4 * (size_t)n);
        TEST_OK(garray_stream_swap(stream[round % 2], test_device(), NULL));
        TEST_OK(garray_to_host_async(x, out[0].data, NULL, 4 * N, event[0]));
        TEST_OK(garray_add(x, 5, garray_into(x)));      /* after the copy, also where that is on its way still */
        TEST_OK(garray_stream_swap(stream[round % 5 == 0], test_device(), NULL));
        TEST_OK(garray_to_host_async(x, out[1].data, NULL, 4 * N, event[1]));
        garray_release(x);
        TEST_OK(garray_full(GARRAY_SHAPE(n), 9, GARRAY_UINT32, test_device(), &y));       /* its memory, maybe */
        for (int k = 0; k < 2; k++) {
            bool done = false;
            TEST_OK(garray_event_synchronize(event[k]));
            TEST_OK(garray_event_query(event[k], &done));
            TEST_EXPECT(done, "event %d is not done", k);
            int64_t at = 0;
            for (const uint32_t *w = (uint32_t *)out[k].data; at < n && w[at] == (uint32_t)at * 77 + round + 5 * (uint32_t)k;)
                at++;
            TEST_EXPECT(at == n, "copy %d: element %lld is wrong", k, (long long)at);
        }
        garray_release(y);
    }
    TEST_OK(garray_stream_swap(NULL, test_device(), NULL));
    for (int i = 0; i < 2; i++) {
        garray_stream_free(stream[i]);
        garray_event_free(event[i]);
    }
    TEST_NO_LEAK(mark);
    free_pinned(&in);
    free_pinned(&out[0]);
    free_pinned(&out[1]);
    free(words);
}

/* Where no task runs by itself: pinned memory is neither read nor written within the calls, other memory is. */
ASYNC(nobody_waits)
{
    if (!is_fake())
        return;
    uint32_t ordinary[5000];
    pinned in = new_pinned(sizeof ordinary), out = new_pinned(sizeof ordinary);
    garray_event *event = new_event();
    garray_t *x = NULL, *y = NULL;
    bool done = true;
    fake.haste = 0;
    for (int s = 0; s < SETTINGS; s++) {
        const int64_t n = 5000, waits = fake.host_waits;
        test_context("setting %d", s);
        garray__stage_set(&settings[s]);
        for (int64_t i = 0; i < n; i++)
            ordinary[i] = ((uint32_t *)in.data)[i] = (uint32_t)i;
        memset(out.data, 0, sizeof ordinary);
        TEST_OK(garray_from_host_async(in.data, GARRAY_UINT32, GARRAY_SHAPE(n), NULL, test_device(), NULL, &x));
        TEST_EXPECT(fake_touches(in.data, sizeof ordinary), "the pinned source has been read already");
        TEST_OK(garray_from_host_async(ordinary, GARRAY_UINT32, GARRAY_SHAPE(n), NULL, test_device(), NULL, &y));
        TEST_EXPECT(!fake_touches(ordinary, sizeof ordinary), "memory that is not pinned is to be read later");
        memset(ordinary, 0xff, sizeof ordinary);
        TEST_OK(garray_add(x, y, &x));
        TEST_OK(garray_to_host_async(x, out.data, NULL, sizeof ordinary, event));
        TEST_OK(garray_event_query(event, &done));
        if (settings[s].slots == 8 || s == 0)           /* room for all: nothing was waited for */
            TEST_EXPECT(!done && ((uint32_t *)out.data)[1] == 0 && fake.host_waits == waits, "the host waits");
        TEST_OK(garray_event_synchronize(event));
        for (int64_t i = 0; i < n; i++)
            if (((uint32_t *)out.data)[i] != 2 * (uint32_t)i) {
                TEST_EXPECT(false, "element %lld is wrong", (long long)i);
                break;
            }
        TEST_OK(garray_to_host_async(y, ordinary, NULL, sizeof ordinary, event));
        TEST_EXPECT(ordinary[4999] == 4999 && !fake_touches(ordinary, sizeof ordinary), "the call returns before its end");
    }
    garray_release(x);
    garray_release(y);
    garray_event_free(event);
    free_pinned(&in);
    free_pinned(&out);
}

/* Small copies one after the other, each from memory that is not pinned, behind work that does not run: each finds a block
 * of its own. */
ASYNC(many_in_flight)
{
    enum { COPIES = 12, BYTES = 100 << 10 };
    unsigned char *source = malloc(BYTES);
    garray_t *x[COPIES] = { NULL };
    if (is_fake())
        fake.haste = 0;
    garray__stage_set(&settings[0]);
    const int64_t waits = fake.host_waits;
    for (int i = 0; i < COPIES; i++) {
        memset(source, i + 1, BYTES);
        TEST_OK(garray_from_host_async(source, GARRAY_UINT8, GARRAY_SHAPE(BYTES), NULL, test_device(), NULL, &x[i]));
    }
    TEST_EXPECT(!is_fake() || fake.host_waits == waits, "the host has waited %lld times", (long long)(fake.host_waits - waits));
    for (int i = 0; i < COPIES; i++) {
        unsigned char *seen = test_read(x[i]);
        TEST_EXPECT(seen[0] == i + 1 && seen[BYTES - 1] == i + 1, "copy %d has other bytes", i);
        free(seen);
        garray_release(x[i]);
    }
    free(source);
}

/* ---- results and arguments ---- */
ASYNC(into)
{
    const int32_t values[] = { 1, 2, 3, 4, 5, 6 }, expected[] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6 };
    garray_event *event = new_event();
    garray_t *x = NULL, *view = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(6, 2), GARRAY_INT64, test_device(), &x));
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ELLIPSIS, 1), &view));
    TEST_OK(garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(6), NULL, test_device(), event, garray_into(view)));
    TEST_OK(garray_event_synchronize(event));
    TEST_OK(garray_astype(x, GARRAY_INT32, &x));
    TEST_EQUAL(x, expected, 0);
    garray_release(x);
    garray_release(view);
    garray_event_free(event);
}

/* On the CPU the same calls work at once. */
ASYNC(on_the_cpu)
{
    double values[6] = { 1, 2, 3, 4, 5, 6 }, back[6] = { 0 };
    const int64_t strides[] = { 8, 24 };
    garray_event *event, *other = new_event();
    garray_t *x = NULL;
    bool done = false;
    TEST_OK(garray_event_new(GARRAY_CPU, &event));
    TEST_OK(garray_from_host_async(values, GARRAY_FLOAT64, GARRAY_SHAPE(3, 2), strides, GARRAY_CPU, event, &x));
    memset(values, 0, sizeof values);
    TEST_OK(garray_to_host_async(x, back, strides, sizeof back, event));
    TEST_EXPECT(back[0] == 1 && back[1] == 2 && back[5] == 6, "other values");
    TEST_OK(garray_event_query(event, &done));
    TEST_EXPECT(done, "the event is not done");
    if (test_device().type != GARRAY_DEVICE_CPU) {
        TEST_STATUS(ERR_INVALID, garray_to_host_async(x, back, NULL, sizeof back, other));
        TEST_EXPECT(strstr(garray_error_message(), "garray_to_host_async: the event belongs to cuda:0, the copy to cpu"), "%s",
                    garray_error_message());
    }
    garray_release(x);
    garray_event_free(event);
    garray_event_free(other);
}

ASYNC(arguments)
{
    int32_t values[4] = { 1, 2, 3, 4 };
    const int64_t negative[] = { -4 };
    garray_event *event = new_event(), *cpu;
    garray_t *x = NULL, *kept = NULL;
    garray_graph *graph = NULL;
    TEST_OK(garray_event_new(GARRAY_CPU, &cpu));
    TEST_OK(garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), NULL, &x));
    kept = garray_retain(x);
    TEST_STATUS(ERR_INVALID, garray_from_host_async(NULL, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), event, &x));
    TEST_STATUS(ERR_DTYPE, garray_from_host_async(values, (garray_dtype)99, GARRAY_SHAPE(4), NULL, test_device(), event, &x));
    TEST_STATUS(ERR_SHAPE, garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(-4), NULL, test_device(), event, &x));
    TEST_STATUS(ERR_INVALID, garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), event, NULL));
    if (test_device().type != GARRAY_DEVICE_CPU)
        TEST_STATUS(ERR_INVALID, garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), cpu, &x));
    TEST_STATUS(ERR_INVALID, garray_to_host_async(NULL, values, NULL, sizeof values, event));
    TEST_STATUS(ERR_INVALID, garray_to_host_async(x, NULL, NULL, sizeof values, event));
    TEST_STATUS(ERR_INVALID, garray_to_host_async(x, values, NULL, sizeof values - 1, event));
    TEST_STATUS(ERR_INVALID, garray_to_host_async(x, values, negative, sizeof values, event));
    TEST_EXPECT(x == kept, "a failed call has changed its result");
    TEST_EQUAL(x, values, 0);
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_UNSUPPORTED, garray_from_host_async(values, GARRAY_INT32, GARRAY_SHAPE(4), NULL, test_device(), event, &x));
    TEST_STATUS(ERR_UNSUPPORTED, garray_capture_end(&graph));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_UNSUPPORTED, garray_to_host_async(x, values, NULL, sizeof values, event));
    TEST_STATUS(ERR_UNSUPPORTED, garray_capture_end(&graph));
    garray_release(x);
    garray_release(kept);
    garray_event_free(event);
    garray_event_free(cpu);
}

/* ---- failures ---- */
enum { WORDS = 3000 };

static garray_status in_and_out(const void *in, const int64_t *strides, void *out, garray_event *event, garray_t **x)
{
    GARRAY_TRY(garray_from_host_async(in, GARRAY_UINT32, GARRAY_SHAPE(WORDS / 2), strides, test_device(), event, x));
    return garray_to_host_async(*x, out, NULL, 2 * WORDS, event);
}

/* The k-th call of the device fails, for each k: a text that names the call, the result as it was, nothing lost, and
 * nobody touches the caller's memory any more when the call has returned. */
ASYNC(failures)
{
    static const int64_t gaps[] = { 8 };
    if (!is_fake())
        return;
    pinned memory[2] = { new_pinned(4 * WORDS), new_pinned(4 * WORDS) };
    garray_event *event = new_event();
    for (int way = 0; way < 8; way++) {
        const bool is_pinned = way & 1, for_ever = way & 4;
        const int64_t *strides = way & 2 ? gaps : NULL;
        unsigned char *in = is_pinned ? memory[0].data : calloc(WORDS, 4), *out = is_pinned ? memory[1].data : calloc(WORDS, 4);
        garray__stage_set(&settings[way & 2 ? 3 : 2]);
        for (int64_t k = 1, failed = 1; failed; k++) {
            garray_t *x = NULL;
            test_context("way %d, call %lld", way, (long long)k);
            cr_assert_lt(k, 10000);
            TEST_OK(garray_synchronize(test_device()));
            test_mark mark = test_memory();
            fake.failed = 0;
            fake.fail_for_ever = for_ever;
            fake.fail_at = fake.calls + k;
            garray_status st = in_and_out(in, strides, out, event, &x);
            fake.fail_at = 0;
            failed = fake.failed;
            if (st != GARRAY_OK) {
                TEST_EXPECT(failed && (st == GARRAY_ERR_INTERNAL || st == GARRAY_ERR_DEVICE_NOMEM), "%s", garray_error_message());
                TEST_EXPECT(strncmp(garray_error_message(), x ? "garray_to_host_async: " : "garray_from_host_async: ", 20) == 0,
                            "%s", garray_error_message());
                TEST_EXPECT(for_ever || (!fake_touches(in, 4 * WORDS) && !fake_touches(out, 4 * WORDS)),
                            "the caller's memory is in use");
            }
            TEST_OK(garray_synchronize(test_device()));
            garray_release(x);
            TEST_NO_LEAK(mark);
        }
        if (!is_pinned) {
            free(in);
            free(out);
        }
    }
    garray_event_free(event);
    free_pinned(&memory[0]);
    free_pinned(&memory[1]);
}
