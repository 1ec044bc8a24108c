/* SPDX-License-Identifier: BSD-3-Clause
 * Every plan's way to its backend, and the order of streams around it. */
#include <sched.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/shadow.h"
#include "core/stream.h"
#include "core/submit.h"

_Atomic int garray__watch;

static garray_status missing(const garray_backend *backend, garray__entry entry, const void *plan)
{
    return garray__fail(GARRAY_ERR_UNSUPPORTED, "the %s backend cannot do %s", backend->name,
                        garray__plan_name(entry, plan));
}

static inline garray_status call(const garray_backend *backend, garray__entry entry,
                                 const garray__queue *queue, void *plan)
{
    switch (entry) {
#define GARRAY_ENTRY(number, function, plan_type) \
    case GARRAY__##number:                        \
        return GARRAY__LIKELY(backend->function) ? backend->function(queue, plan) : missing(backend, entry, plan);
#include "core/entries.def"
    default:
        return garray__fail(GARRAY_ERR_INTERNAL, "entry %d is unknown", (int)entry);
    }
}

garray_status garray__call_backend(const garray_backend *backend, garray__entry entry, const garray__queue *queue, void *plan)
{
    return call(backend, entry, queue, plan);
}

/* ---- order ---- */
static void lock_order(garray__order *order)
{
    for (int spins = 0; atomic_flag_test_and_set_explicit(&order->lock, memory_order_acquire); spins++)
        if (spins > 64)
            sched_yield();
}

static void unlock_order(garray__order *order)
{
    atomic_flag_clear_explicit(&order->lock, memory_order_release);
}

static inline bool has_order(const garray__buffer *buffer)
{
    return garray__device_is_async(buffer->device);
}

/* What work on stream `number` must wait for before it reads or writes the buffer; returns how many uses.  A reader that
 * finds no room for itself stands for an older one, too, and so waits for it. */
static int uses_before(garray__buffer *buffer, bool writes, int32_t number,
                       garray__use use[1 + GARRAY__READERS])
{
    garray__order *order = &buffer->order;
    int n = 0;
    lock_order(order);
    if (order->writer.ticket && order->writer.number != number)
        use[n++] = order->writer;
    bool room = order->nreaders < GARRAY__READERS;
    for (int i = 0; i < order->nreaders; i++)
        if (order->reader[i].number == number)
            room = true;
        else if (writes)
            use[n++] = order->reader[i];
    if (!writes && !room && number >= 0)
        use[n++] = order->reader[0];
    unlock_order(order);
    return n;
}

garray_status garray__order_wait(garray__buffer *buffer, bool writes, garray__stream *stream)
{
    if (!has_order(buffer))
        return GARRAY_OK;
    garray__use use[1 + GARRAY__READERS];
    int n = uses_before(buffer, writes, stream->queue.number, use);
    for (int i = 0; i < n; i++) {
        garray_status st = garray__stream_wait(stream, use[i]);
        if (st != GARRAY_OK)
            return st;
    }
    return GARRAY_OK;
}

static void note_read(garray__buffer *buffer, garray__stream *stream, uint64_t ticket)
{
    if (!has_order(buffer))
        return;
    garray__order *order = &buffer->order;
    garray__use use = { .ticket = ticket, .number = stream->queue.number };
    lock_order(order);
    int i = 0;
    while (i < order->nreaders && order->reader[i].number != use.number)
        i++;
    if (i == GARRAY__READERS) {
        /* No room: this stream waits for an older reader and so stands for both; it does already, unless another
         * thread has read meanwhile. */
        i = 0;
        if (garray__stream_wait(stream, order->reader[i]) != GARRAY_OK)
            (void)garray__use_wait(order->reader[i]);
        use.ticket = garray__stream_ticket(stream);
    }
    if (i == order->nreaders)
        order->nreaders++;
    else if (order->reader[i].number == use.number && order->reader[i].ticket > use.ticket)
        use.ticket = order->reader[i].ticket;       /* another thread on the same stream was later */
    order->reader[i] = use;
    unlock_order(order);
}

static void note_write(garray__buffer *buffer, garray__stream *stream, uint64_t ticket)
{
    if (!has_order(buffer))
        return;
    garray__order *order = &buffer->order;
    lock_order(order);
    order->writer = (garray__use){ .ticket = ticket, .number = stream->queue.number };
    order->nreaders = 0;
    unlock_order(order);
}

void garray__order_note(garray__buffer *buffer, bool writes, garray__stream *stream, uint64_t ticket)
{
    if (writes)
        note_write(buffer, stream, ticket);
    else
        note_read(buffer, stream, ticket);
}

garray_status garray__order_before(const garray__uses *uses, const garray__queue *queue)
{
    garray__stream *stream = garray__stream_of(queue);
    garray_status st = GARRAY_OK;
    for (int i = 0; i < uses->nread && st == GARRAY_OK; i++)
        st = garray__order_wait(uses->read[i], false, stream);
    for (int i = 0; i < uses->nwrite && st == GARRAY_OK; i++)
        st = garray__order_wait(uses->write[i], true, stream);
    return st;
}

garray_status garray__order_after(const garray__uses *uses, const garray__queue *queue)
{
    garray__stream *stream = garray__stream_of(queue);
    uint64_t ticket = garray__stream_ticket(stream);
    for (int i = 0; i < uses->nread; i++)
        note_read(uses->read[i], stream, ticket);
    for (int i = 0; i < uses->nwrite; i++)
        note_write(uses->write[i], stream, ticket);
    return GARRAY_OK;
}

garray_status garray__order_native(garray__buffer *buffer, bool writes, void *native)
{
    if (!has_order(buffer))
        return GARRAY_OK;
    garray__device *device = buffer->device;
    garray_status st = garray__device_check(device);
    garray__queue queue = device->stream->queue;
    queue.stream = native;
    garray__use use[1 + GARRAY__READERS];
    int n = uses_before(buffer, writes, -1, use);
    for (int i = 0; i < n && st == GARRAY_OK; i++)
        st = garray__queue_wait(&queue, use[i]);
    return st;
}

const garray__queue *garray__queue_current(const garray__device *device)
{
    return &garray__stream_current(device)->queue;
}

/* ---- submitting ---- */
/* Whether the entry returns only when the work before it on the stream is done. */
static bool entry_waits(garray__entry entry, const void *plan)
{
    return entry == GARRAY__SELECT_COUNT || (entry == GARRAY__COPY && ((const garray_copy_plan *)plan)->wait == 1);
}

static void count_wait(garray__entry entry, const void *plan, double seconds)
{
    if (entry_waits(entry, plan)) {
        garray__report_count(GARRAY__COUNT_HOST_WAITS);
        garray__report_waited(seconds);
    }
}

static garray_status submit_reported(garray__entry entry, void *plan, garray__device *device,
                                     const garray__queue *queue)
{
    garray__measure m;
    garray__report_enter(device, queue, &m);
    garray_status st = call(device->backend, entry, queue, plan);
    garray__report_leave(device, queue, &m, entry, plan);
    if (garray__device_is_async(device))
        count_wait(entry, plan, garray__report_clock() - m.start);
    return st;
}

static garray_status submit_watched(garray__entry entry, void *plan, garray__device *device, const garray__queue *queue,
                                    int watch)
{
    garray__shadow *shadow = NULL;
    garray_status st = GARRAY_OK;
    if (watch & GARRAY__WATCH_TRACE)
        garray__trace_begin_plan(garray__plan_name(entry, plan), garray__plan_cost(entry, plan).bytes);
    if (watch & GARRAY__WATCH_SHADOW)
        st = garray__shadow_before(device, queue, entry, plan, &shadow);
    if (st == GARRAY_OK && watch & GARRAY__WATCH_REPORT)
        st = submit_reported(entry, plan, device, queue);
    else if (st == GARRAY_OK)
        st = call(device->backend, entry, queue, plan);
    if (shadow)
        st = garray__shadow_after(shadow, st);
    if (watch & GARRAY__WATCH_TRACE)
        garray__trace_end();
    return st;
}

int garray__late_kind(garray__entry entry, const void *plan)
{
    const garray_random_plan *random = plan;
    switch (entry) {
    case GARRAY__INDEX: return GARRAY__LATE_INDEX;
    case GARRAY__SOLVE: return GARRAY__LATE_SOLVE;
    case GARRAY__RANDOM:            /* parameters that are arrays */
        return random->param[0] || random->param[1] || random->param[2] ? GARRAY__LATE_RANDOM : -1;
    default: return -1;
    }
}

static garray_status submit_ordered(garray__entry entry, void *plan, const garray__uses *uses)
{
    garray__device *device = uses->device;
    garray__stream *stream = garray__stream_current(device);
    const garray__queue *queue = &stream->queue;
    int watch = garray__watching();
    garray_status st = garray__device_check(device);
    if (st == GARRAY_OK)
        st = garray__order_before(uses, queue);
    if (GARRAY__UNLIKELY(st != GARRAY_OK)) {
        if (entry == GARRAY__SELECT_WRITE)      /* which frees its state whatever happens */
            device->backend->select_drop(queue, plan);
        return st;
    }

    uint64_t before = atomic_load_explicit(&stream->submitted, memory_order_acquire);
    if (GARRAY__UNLIKELY(watch & GARRAY__WATCH_PLANS))
        st = submit_watched(entry, plan, device, queue, watch);
    else
        st = call(device->backend, entry, queue, plan);
    /* Also after a failure: part of the work may be on its way. */
    (void)garray__order_after(uses, queue);
    if (GARRAY__UNLIKELY(st != GARRAY_OK))
        return garray__device_note(device, st);

    const int late = garray__late_kind(entry, plan);
    if (late >= 0)
        garray__stream_late(stream, late, garray__call_name ? garray__call_name : "a call",
                            atomic_load_explicit(&stream->submitted, memory_order_acquire));
    const bool waits = entry_waits(entry, plan), strict = watch & GARRAY__WATCH_STRICT;
    if (GARRAY__UNLIKELY(waits || strict)) {
        if (waits)
            garray__stream_completed(stream, before);
        st = strict ? garray__stream_finish(stream) : garray__stream_poll(stream);
        /* The caller takes a failed count for one that never was. */
        if (st != GARRAY_OK && entry == GARRAY__SELECT_COUNT)
            device->backend->select_drop(queue, plan);
        return st;
    }
    if (GARRAY__UNLIKELY(garray__stream_count(device) > 1) &&
        garray__plan_cost(entry, plan).bytes >= GARRAY__EAGER_BYTES)
        garray__use_mark(
            (garray__use){ .ticket = atomic_load_explicit(&stream->submitted, memory_order_acquire),
                           .number = queue->number });
    return GARRAY_OK;
}

garray_status garray__run_plan(garray__device *device, const garray__queue *queue, garray__entry entry, void *plan)
{
    const int watch = garray__watching();
    garray_status st = watch & GARRAY__WATCH_PLANS ? submit_watched(entry, plan, device, queue, watch)
                                                   : call(device->backend, entry, queue, plan);
    return garray__device_is_async(device) ? garray__device_note(device, st) : st;
}

garray_status garray__submit(garray__entry entry, void *plan, const garray__uses *uses)
{
    garray__device *device = uses->device;
    garray_graph *graph = garray__capturing(device);
    if (GARRAY__UNLIKELY(graph != NULL))
        return garray__capture_plan(graph, entry, plan, uses);
    if (GARRAY__LIKELY(!garray__device_is_async(device))) {
        const garray__queue *queue = &device->stream->queue;
        int watch = garray__watching();
        if (GARRAY__UNLIKELY(watch & GARRAY__WATCH_PLANS))
            return submit_watched(entry, plan, device, queue, watch);
        return call(device->backend, entry, queue, plan);
    }
    return submit_ordered(entry, plan, uses);
}

void garray__select_drop(garray_select_plan *plan, const garray__uses *uses)
{
    garray__device *device = uses->device;
    if (device->backend->select_drop)
        device->backend->select_drop(garray__queue_current(device), plan);
}

/* ---- waiting ---- */
garray_status garray__wait_buffer(garray__buffer *buffer)
{
    GARRAY_TRY(garray__not_captured(buffer->device, "values are needed on the host that are not there yet"));
    if (!has_order(buffer))
        return GARRAY_OK;
    garray_status st = garray__device_check(buffer->device);
    garray__use use[1 + GARRAY__READERS];
    int n = uses_before(buffer, false, -1, use);
    double start = garray__report_clock();
    garray__watch_count(GARRAY__COUNT_HOST_WAITS);
    for (int i = 0; i < n && st == GARRAY_OK; i++) {
        st = garray__use_wait(use[i]);
        if (st == GARRAY_OK)
            st = garray__stream_poll(atomic_load(&garray__streams[use[i].number]));
    }
    garray__report_waited(garray__report_clock() - start);
    if (st == GARRAY_OK)
        garray__pool_deferred(buffer->device->pool, false);
    return st;
}
