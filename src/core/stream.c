/* SPDX-License-Identifier: BSD-3-Clause
 * Making and closing streams, the numbers of their timelines, and the public functions on them. */
#include <stdlib.h>
#include <string.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/stream.h"

_Atomic(garray__stream *) garray__streams[GARRAY__STREAMS];

/* Tickets of a number go on where its last timeline ended, also when that one's device has been freed. */
static uint64_t first_ticket[GARRAY__STREAMS];
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER;     /* guards first_ticket and who is alive */

void garray__stream_lock(void)
{
    pthread_mutex_lock(&numbers);
}

void garray__stream_unlock(void)
{
    pthread_mutex_unlock(&numbers);
}

int garray__stream_count(const garray__device *device)
{
    return atomic_load_explicit(&((garray__device *)device)->living, memory_order_acquire);
}

/* A timeline of the device that has lost its stream, or a new one; numbers is locked. */
static garray_status find_timeline(garray__device *device, garray__stream **out)
{
    for (garray__stream *s = atomic_load(&device->streams); s; s = s->next)
        if (!s->alive) {
            *out = s;
            return GARRAY_OK;
        }
    int32_t number = 0;
    while (number < GARRAY__STREAMS && atomic_load(&garray__streams[number]))
        number++;
    if (number == GARRAY__STREAMS)
        return garray__fail(GARRAY_ERR_UNSUPPORTED, "more than %d streams at once", GARRAY__STREAMS);
    garray__stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a stream");
    garray_status st = garray__arena_new(device->pool, stream, &stream->arena);
    if (st != GARRAY_OK) {
        free(stream);
        return st;
    }
    pthread_mutex_init(&stream->lock, NULL);
    stream->device = device;
    stream->queue = (garray__queue){ .device = device->handle, .owner = stream, .number = number,
                                     .device_index = device->id.index };
    atomic_store(&stream->submitted, first_ticket[number]);
    atomic_store(&stream->completed, first_ticket[number]);
    stream->next = atomic_load(&device->streams);
    atomic_store(&garray__streams[number], stream);
    atomic_store_explicit(&device->streams, stream, memory_order_release);
    *out = stream;
    return GARRAY_OK;
}

/* CUDA's handle of the per-thread default stream is another stream in each thread. */
static bool is_per_thread(void *native)
{
    return native == GARRAY_STREAM_PER_THREAD;
}

/* The legacy default stream has two names. */
static bool is_same(void *a, void *b)
{
    return a == b || ((!a || a == GARRAY_STREAM_LEGACY) && (!b || b == GARRAY_STREAM_LEGACY));
}

static garray__stream *find_wrapped(garray__device *device, void *native)
{
    for (garray__stream *s = atomic_load(&device->streams); s; s = s->next)
        if (s->alive && s->wrapped && is_same(s->queue.stream, native) &&
            (!is_per_thread(native) || pthread_equal(s->thread, pthread_self())))
            return s;
    return NULL;
}

static garray_status open_stream(garray__device *device, bool wrap, void *native, int priority, garray__stream **out)
{
    const garray_backend *backend = device->backend;
    garray_status st = garray__device_check(device);
    if (st != GARRAY_OK)
        return st;
    pthread_mutex_lock(&numbers);
    garray__stream *stream = wrap ? find_wrapped(device, native) : NULL;
    if (stream) {
        stream->holders++;
        pthread_mutex_unlock(&numbers);
        *out = stream;
        return GARRAY_OK;
    }
    st = find_timeline(device, &stream);
    if (st == GARRAY_OK && !wrap && garray__device_is_async(device))
        st = garray__device_note(device, backend->stream_new(device->handle, priority, &native));
    if (st != GARRAY_OK) {
        pthread_mutex_unlock(&numbers);
        return st;
    }
    /* The new stream goes on where the timeline's last one ended. */
    garray__queue queue = stream->queue;
    queue.stream = native;
    garray__use past = { .ticket = atomic_load(&stream->submitted), .number = queue.number };
    if (garray__device_is_async(device))
        st = garray__queue_wait(&queue, past);
    if (st != GARRAY_OK) {
        if (!wrap)
            backend->stream_free(device->handle, native);
        pthread_mutex_unlock(&numbers);
        return st;
    }
    pthread_mutex_lock(&stream->lock);
    stream->queue.stream = native;
    stream->wrapped = wrap;
    stream->holders = 1;
    stream->per_thread = wrap && garray__device_is_async(device) && is_per_thread(native);
    stream->thread = pthread_self();
    stream->alive = true;
    pthread_mutex_unlock(&stream->lock);
    atomic_fetch_add(&device->living, 1);
    pthread_mutex_unlock(&numbers);
    *out = stream;
    return GARRAY_OK;
}

garray_status garray__stream_open(garray__device *device, bool wrap, void *native, garray__stream **out)
{
    return open_stream(device, wrap, native, 0, out);
}

garray_status garray__stream_open_priority(garray__device *device, int priority, garray__stream **out)
{
    return open_stream(device, false, NULL, priority, out);
}

/* The last event of a stream that is about to end, or its host waits; its lock is held.  False: neither was
 * possible and the stream must stay, since its work may still run. */
static bool leave_mark(garray__stream *stream)
{
    uint64_t end = atomic_load(&stream->submitted);
    garray__mark *m;
    if (end <= atomic_load(&stream->completed) || stream->mark[stream->newest].ticket >= end ||
        garray__mark_record(stream, &m) == GARRAY_OK)
        return true;
    garray_status st = stream->device->backend->stream_wait_host(&stream->queue);
    if (garray__device_note(stream->device, st) != GARRAY_OK && !stream->wrapped)
        return false;
    garray__stream_completed(stream, end);      /* a wrapped stream is its owner's: it cannot stay */
    return true;
}

/* Whether the stream has ended, and not just one hold on it: its timeline may be another stream already. */
static bool close_stream(garray__stream *stream)
{
    garray__device *device = stream->device;
    pthread_mutex_lock(&numbers);
    if (--stream->holders > 0) {
        pthread_mutex_unlock(&numbers);
        return false;
    }
    bool works = garray__device_is_async(device) && atomic_load(&device->state) == GARRAY__DEVICE_USABLE;
    /* A fault that nobody has asked for would be lost with the stream. */
    bool fault = works && atomic_load(&stream->has_late) && garray__stream_finish(stream) != GARRAY_OK;
    GARRAY__QUIETLY;
    pthread_mutex_lock(&stream->lock);
    bool kept = works && !leave_mark(stream);
    if (!kept) {
        if (works && !stream->wrapped)
            device->backend->stream_free(device->handle, stream->queue.stream);
        memset(stream->late, 0, sizeof stream->late);
        memset(stream->also, 0, sizeof stream->also);
        atomic_store(&stream->has_late, false);
        stream->queue.stream = NULL;
        stream->per_thread = false;
        stream->alive = false;
        atomic_fetch_sub(&device->living, 1);
    }
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_unlock(&numbers);
    if (fault)
        garray__log(GARRAY_LOG_WARNING, "a stream was freed before its fault was seen: %s", garray_error_message());
    return !kept;
}

void garray__stream_close(garray__stream *stream)
{
    (void)close_stream(stream);
}

void garray__stream_forget(garray__device *device)
{
    pthread_mutex_lock(&numbers);
    garray__stream *next;
    for (garray__stream *s = atomic_load(&device->streams); s; s = next) {
        next = s->next;
        if (s->alive && !s->wrapped && garray__device_is_async(device))
            device->backend->stream_free(device->handle, s->queue.stream);
        for (int i = 0; i < GARRAY__STREAM_EVENTS; i++)
            if (s->mark[i].event)
                device->backend->event_free(device->handle, s->mark[i].event);
        first_ticket[s->queue.number] = atomic_load(&s->submitted);
        atomic_store(&garray__streams[s->queue.number], NULL);
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
    atomic_store(&device->streams, NULL);
    pthread_mutex_unlock(&numbers);
}

/* ---- public functions ---- */
garray_status garray_stream_new(garray_device id, garray_stream **stream)
{
    GARRAY_ENTER("garray_stream_new");
    GARRAY_REQUIRE(stream, INVALID, "stream is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    return garray__stream_open(device, false, NULL, stream);
}

garray_status garray_stream_new_priority(garray_device id, int priority, garray_stream **stream)
{
    GARRAY_ENTER("garray_stream_new_priority");
    GARRAY_REQUIRE(stream, INVALID, "stream is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    return garray__stream_open_priority(device, priority, stream);
}

garray_status garray_stream_wrap(garray_device id, void *native, garray_stream **stream)
{
    GARRAY_ENTER("garray_stream_wrap");
    GARRAY_REQUIRE(stream, INVALID, "stream is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    return garray__stream_open(device, true, native, stream);
}

void garray_stream_free(garray_stream *stream)
{
    GARRAY_ENTER("garray_stream_free");
    /* In a forked child its locks may be held by threads that are not there. */
    if (!stream || stream->owned || atomic_load(&stream->device->state) == GARRAY__DEVICE_IS_FORKED)
        return;
    const garray_device id = stream->device->id;
    if (close_stream(stream) && garray__self && garray__self->current[id.type][id.index] == stream)
        garray__self->current[id.type][id.index] = NULL;
}

garray_status garray_stream_swap(garray_stream *stream, garray_device id, garray_stream **old)
{
    GARRAY_ENTER("garray_stream_swap");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_REQUIRE(!stream || stream->device == device, INVALID, "the stream belongs to %s, not to %s",
                   garray__device_text(stream->device->id), garray__device_text(id));
    GARRAY_REQUIRE(!stream || !stream->per_thread || pthread_equal(stream->thread, pthread_self()), INVALID,
                   "the per-thread default stream of another thread cannot be this thread's current one");
    GARRAY_TRY(garray__not_captured(device, "a graph is of one stream"));
    if (stream == device->stream)
        stream = NULL;
    garray__thread *self = garray__self;
    if (!self && stream) {
        self = garray__thread_new();
        GARRAY_REQUIRE(self, NOMEM, "no host memory for the thread's current stream");
    }
    if (old)
        *old = self ? self->current[id.type][id.index] : NULL;
    if (self)
        self->current[id.type][id.index] = stream;
    return GARRAY_OK;
}

garray_status garray_stream_synchronize(garray_stream *stream)
{
    GARRAY_ENTER("garray_stream_synchronize");
    GARRAY_REQUIRE(stream, INVALID, "stream is NULL; garray_synchronize() waits for a device");
    GARRAY_TRY(garray__not_captured(stream->device, "there is nothing yet to wait for"));
    garray__watch_count(GARRAY__COUNT_HOST_WAITS);
    double start = garray__report_clock();
    garray_status st = garray__stream_finish(stream);
    garray__report_waited(garray__report_clock() - start);
    if (st == GARRAY_OK)
        garray__pool_deferred(stream->device->pool, false);
    return st;
}

garray_status garray__stream_mine(const garray__stream *stream)
{
    GARRAY_REQUIRE(!stream->per_thread || pthread_equal(stream->thread, pthread_self()), INVALID,
                   "the per-thread default stream belongs to another thread");
    return GARRAY_OK;
}

garray_status garray__stream_choose(const garray__device *device, const char *what, garray__stream **stream)
{
    if (!*stream)
        *stream = garray__stream_current(device);
    GARRAY_REQUIRE((*stream)->device == device, INVALID, "%s belongs to %s, the stream to %s", what,
                   garray__device_text(device->id), garray__device_text((*stream)->device->id));
    return garray__stream_mine(*stream);
}

garray_status garray_stream_query(garray_stream *stream, bool *done)
{
    GARRAY_ENTER("garray_stream_query");
    GARRAY_REQUIRE(stream, INVALID, "stream is NULL");
    GARRAY_REQUIRE(done, INVALID, "done is NULL");
    garray__device *device = stream->device;
    bool answer = true;
    if (garray__device_is_async(device)) {
        GARRAY_TRY(garray__device_check(device));
        GARRAY_TRY(garray__stream_mine(stream));
        GARRAY_TRY(garray__device_note(device, device->backend->stream_query(&stream->queue, &answer)));
    }
    *done = answer;
    return GARRAY_OK;
}

garray_status garray_stream_wait(garray_stream *stream, garray_stream *other)
{
    GARRAY_ENTER("garray_stream_wait");
    GARRAY_REQUIRE(stream || other, INVALID, "both streams are NULL");
    if (!stream)
        stream = garray__stream_current(other->device);
    else if (!other)
        other = garray__stream_current(stream->device);
    GARRAY_REQUIRE(garray__device_is_async(stream->device) == garray__device_is_async(other->device), INVALID,
                   "the streams belong to %s and %s", garray__device_text(stream->device->id),
                   garray__device_text(other->device->id));
    GARRAY_TRY(garray__stream_mine(stream));
    GARRAY_TRY(garray__stream_mine(other));
    GARRAY_TRY(garray__not_captured(stream->device, "waits between streams happen outside of graphs"));
    if (stream == other || !garray__device_is_async(stream->device))
        return GARRAY_OK;
    GARRAY_TRY(garray__device_check(other->device));
    GARRAY_TRY(garray__device_check(stream->device));
    /* An event of now: what the caller enqueued himself has no ticket. */
    garray__mark *m;
    pthread_mutex_lock(&other->lock);
    garray_status st = garray__mark_record(other, &m);
    if (st == GARRAY_OK)
        st = garray__device_note(stream->device, other->device->backend->event_wait(&stream->queue, m->event));
    pthread_mutex_unlock(&other->lock);
    return st;
}

garray_status garray_stream_native(const garray_stream *stream, garray_device id, void **native)
{
    GARRAY_ENTER("garray_stream_native");
    GARRAY_REQUIRE(native, INVALID, "native is NULL");
    if (!stream) {
        garray__device *device;
        GARRAY_TRY(garray__device_get(id, &device));
        stream = garray__stream_current(device);
    }
    *native = stream->queue.stream;
    return GARRAY_OK;
}
