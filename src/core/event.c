/* SPDX-License-Identifier: BSD-3-Clause
 * Public events: marks in a stream.  On a synchronous device an event is a time. */
#include <pthread.h>
#include <stdlib.h>
#include "core/graph.h"
#include "core/report.h"
#include "core/stream.h"

struct garray_event {
    garray__device *device;
    void *event;                /* the backend's; NULL on a synchronous device */
    pthread_mutex_t lock;
    bool recorded;
    double time;                /* seconds, on a synchronous device */
};

garray_status garray_event_new(garray_device id, garray_event **event)
{
    GARRAY_ENTER("garray_event_new");
    GARRAY_REQUIRE(event, INVALID, "event is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_TRY(garray__device_check(device));
    garray_event *e = calloc(1, sizeof *e);
    GARRAY_REQUIRE(e, NOMEM, "no host memory for an event");
    e->device = device;
    if (garray__device_is_async(device)) {
        garray_status st =
            garray__device_note(device, device->backend->event_new(device->handle, true, &e->event));
        if (st != GARRAY_OK) {
            free(e);
            return st;
        }
    }
    pthread_mutex_init(&e->lock, NULL);
    atomic_fetch_add(&device->events, 1);
    *event = e;
    return GARRAY_OK;
}

void garray_event_free(garray_event *event)
{
    GARRAY_ENTER("garray_event_free");
    if (!event)
        return;
    GARRAY__QUIETLY;
    /* Also of a lost device; in a forked child it is the parent's. */
    if (event->event && atomic_load(&event->device->state) != GARRAY__DEVICE_IS_FORKED)
        event->device->backend->event_free(event->device->handle, event->event);
    atomic_fetch_sub(&event->device->events, 1);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

garray_status garray__event_check(const garray_event *event, const garray__device *device)
{
    GARRAY_REQUIRE(!event || event->device == device, INVALID, "the event belongs to %s, the copy to %s",
                   garray__device_text(event->device->id), garray__device_text(device->id));
    return garray__not_captured(device, "events mark work that runs");
}

garray_status garray__event_mark(garray_event *event, garray__stream *stream)
{
    garray__device *device = event->device;
    garray_status st = garray__device_check(device);
    if (st != GARRAY_OK)
        return st;
    pthread_mutex_lock(&event->lock);
    if (event->event)
        st = garray__device_note(device, device->backend->event_record(&stream->queue, event->event));
    else
        event->time = garray__report_clock();
    if (st == GARRAY_OK)
        event->recorded = true;
    pthread_mutex_unlock(&event->lock);
    return st;
}

garray_status garray_event_record(garray_event *event, garray_stream *stream)
{
    GARRAY_ENTER("garray_event_record");
    GARRAY_REQUIRE(event, INVALID, "event is NULL");
    GARRAY_TRY(garray__stream_choose(event->device, "the event", &stream));
    GARRAY_TRY(garray__not_captured(event->device, "events mark work that runs"));
    return garray__event_mark(event, stream);
}

garray_status garray_event_synchronize(garray_event *event)
{
    GARRAY_ENTER("garray_event_synchronize");
    GARRAY_REQUIRE(event, INVALID, "event is NULL");
    GARRAY_TRY(garray__device_check(event->device));
    if (!event->event || !event->recorded)
        return GARRAY_OK;
    garray__watch_count(GARRAY__COUNT_HOST_WAITS);
    return garray__device_note(event->device,
                               event->device->backend->event_wait_host(event->device->handle, event->event));
}

garray_status garray_event_query(garray_event *event, bool *done)
{
    GARRAY_ENTER("garray_event_query");
    GARRAY_REQUIRE(event, INVALID, "event is NULL");
    GARRAY_REQUIRE(done, INVALID, "done is NULL");
    garray__device *device = event->device;
    bool answer = true;
    GARRAY_TRY(garray__device_check(device));
    if (event->event && event->recorded)
        GARRAY_TRY(garray__device_note(device, device->backend->event_query(device->handle, event->event, &answer)));
    *done = answer;
    return GARRAY_OK;
}

garray_status garray_event_wait(garray_stream *stream, garray_event *event)
{
    GARRAY_ENTER("garray_event_wait");
    GARRAY_REQUIRE(event, INVALID, "event is NULL");
    garray__device *device = event->device;
    if (!stream)
        stream = garray__stream_current(device);
    GARRAY_REQUIRE(garray__device_is_async(stream->device) == garray__device_is_async(device), INVALID,
                   "the event belongs to %s, the stream to %s", garray__device_text(device->id),
                   garray__device_text(stream->device->id));
    GARRAY_TRY(garray__not_captured(stream->device, "waits between streams happen outside of graphs"));
    GARRAY_TRY(garray__device_check(device));
    if (!event->event || !event->recorded)
        return GARRAY_OK;
    return garray__device_note(device, device->backend->event_wait(&stream->queue, event->event));
}

garray_status garray_event_elapsed(garray_event *start, garray_event *end, double *milliseconds)
{
    GARRAY_ENTER("garray_event_elapsed");
    GARRAY_REQUIRE(start && end, INVALID, "event is NULL");
    GARRAY_REQUIRE(milliseconds, INVALID, "milliseconds is NULL");
    GARRAY_REQUIRE(start->device == end->device, INVALID, "the events belong to %s and %s",
                   garray__device_text(start->device->id), garray__device_text(end->device->id));
    GARRAY_REQUIRE(start->recorded && end->recorded, INVALID, "an event was never recorded");
    garray__device *device = start->device;
    if (!start->event) {
        *milliseconds = (end->time - start->time) * 1e3;
        return GARRAY_OK;
    }
    GARRAY_TRY(garray__device_check(device));
    const garray_backend *backend = device->backend;
    GARRAY_TRY(garray__device_note(device, backend->event_wait_host(device->handle, start->event)));
    GARRAY_TRY(garray__device_note(device, backend->event_wait_host(device->handle, end->event)));
    return garray__device_note(
        device, backend->event_elapsed(device->handle, start->event, end->event, milliseconds));
}
