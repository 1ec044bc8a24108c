/* SPDX-License-Identifier: BSD-3-Clause
 * Waiting for tickets: of one stream for another, of the host for a stream; and sets of uses.
 *
 * Waiting is always right, also when it waits for more than was asked: an event that is recorded anew between
 * being chosen and being waited for covers its old tickets as well, since tickets of one stream end in their
 * order. */
#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "core/stream.h"

static garray__stream *stream_of(int32_t number)
{
    return atomic_load_explicit(&garray__streams[number], memory_order_acquire);
}

static bool is_completed(garray__stream *stream, uint64_t ticket)
{
    return ticket <= atomic_load_explicit(&stream->completed, memory_order_acquire);
}

void garray__stream_completed(garray__stream *stream, uint64_t ticket)
{
    uint64_t old = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    while (old < ticket && !atomic_compare_exchange_weak_explicit(&stream->completed, &old, ticket,
                                                                  memory_order_acq_rel, memory_order_relaxed))
        continue;
}

bool garray__use_is_over(garray__use use)
{
    return use.ticket == 0 || is_completed(stream_of(use.number), use.ticket);
}

/* ---- events of a stream; its lock is held ---- */
/* The recorded mark with the least ticket that covers the given one, or NULL. */
static garray__mark *find_mark(garray__stream *stream, uint64_t ticket)
{
    garray__mark *best = NULL;
    for (int i = 0; i < GARRAY__STREAM_EVENTS; i++) {
        garray__mark *m = &stream->mark[i];
        if (m->ticket >= ticket && (!best || m->ticket < best->ticket))
            best = m;
    }
    return best;
}

garray_status garray__mark_record(garray__stream *stream, garray__mark **out)
{
    const garray_backend *backend = stream->device->backend;
    garray__mark *m = &stream->mark[(stream->newest + 1) % GARRAY__STREAM_EVENTS];
    if (!m->event) {
        garray_status st = backend->event_new(stream->device->handle, false, &m->event);
        if (st != GARRAY_OK) {
            m->event = NULL;
            return garray__device_note(stream->device, st);
        }
    }
    /* Read before recording: what gets its ticket meanwhile may come behind the event. */
    uint64_t ticket = atomic_load_explicit(&stream->submitted, memory_order_acquire);
    garray_status st = backend->event_record(&stream->queue, m->event);
    if (st != GARRAY_OK) {
        m->ticket = 0;
        return garray__device_note(stream->device, st);
    }
    m->ticket = ticket;
    stream->newest = (stream->newest + 1) % GARRAY__STREAM_EVENTS;
    *out = m;
    return GARRAY_OK;
}

static garray_status cover(garray__stream *stream, uint64_t ticket, garray__mark **out)
{
    *out = find_mark(stream, ticket);
    if (atomic_load_explicit(&stream->device->state, memory_order_relaxed) != GARRAY__DEVICE_USABLE)
        return garray__device_fail_state(stream->device);
    if (*out)
        return GARRAY_OK;
    if (!stream->alive)         /* only of a device that failed: a stream leaves a mark behind otherwise */
        return garray__fail(GARRAY_ERR_DEVICE_LOST, "a stream of %s ended with its device",
                            garray__device_text(stream->device->id));
    return garray__mark_record(stream, out);
}

/* ---- waiting ---- */
garray_status garray__queue_wait(const garray__queue *queue, garray__use use)
{
    garray__stream *other = stream_of(use.number);
    if (use.ticket == 0 || is_completed(other, use.ticket))
        return GARRAY_OK;
    garray__mark *m;
    pthread_mutex_lock(&other->lock);
    garray_status st = cover(other, use.ticket, &m);
    if (st == GARRAY_OK)
        st = garray__device_note(garray__stream_of(queue)->device, other->device->backend->event_wait(queue, m->event));
    pthread_mutex_unlock(&other->lock);
    return st;
}

garray_status garray__stream_wait(garray__stream *stream, garray__use use)
{
    garray__stream *other = stream_of(use.number);
    if (use.ticket == 0 || other == stream || is_completed(other, use.ticket))
        return GARRAY_OK;
    _Atomic uint64_t *waited = &stream->waited[use.number];
    if (atomic_load_explicit(waited, memory_order_acquire) >= use.ticket)
        return GARRAY_OK;
    garray__mark *m;
    pthread_mutex_lock(&other->lock);
    garray_status st = cover(other, use.ticket, &m);
    uint64_t ticket = st == GARRAY_OK ? m->ticket : 0;
    if (st == GARRAY_OK)
        st = garray__device_note(stream->device, other->device->backend->event_wait(&stream->queue, m->event));
    pthread_mutex_unlock(&other->lock);
    if (st == GARRAY_OK) {
        garray__watch_count(GARRAY__COUNT_STREAM_WAITS);
        atomic_store_explicit(waited, ticket, memory_order_release);
    }
    return st;
}

garray_status garray__use_wait(garray__use use)
{
    garray__stream *stream = stream_of(use.number);
    if (use.ticket == 0 || is_completed(stream, use.ticket))
        return GARRAY_OK;
    const garray_backend *backend = stream->device->backend;
    garray__mark *m;
    void *event = NULL;
    uint64_t ticket = 0;
    pthread_mutex_lock(&stream->lock);
    garray_status st = cover(stream, use.ticket, &m);
    if (st == GARRAY_OK) {
        event = m->event;
        ticket = m->ticket;
    }
    pthread_mutex_unlock(&stream->lock);
    if (st != GARRAY_OK)
        return st;
    st = garray__device_note(stream->device, backend->event_wait_host(stream->device->handle, event));
    if (st == GARRAY_OK)
        garray__stream_completed(stream, ticket);
    return st;
}

bool garray__use_done(garray__use use)
{
    garray__stream *stream = stream_of(use.number);
    if (use.ticket == 0 || is_completed(stream, use.ticket))
        return true;
    GARRAY__QUIETLY;
    const garray_backend *backend = stream->device->backend;
    garray__mark *m;
    bool done = false;
    pthread_mutex_lock(&stream->lock);
    if (cover(stream, use.ticket, &m) == GARRAY_OK) {
        uint64_t ticket = m->ticket;
        if (garray__device_note(stream->device,
                                backend->event_query(stream->device->handle, m->event, &done)) != GARRAY_OK)
            done = false;
        if (done)
            garray__stream_completed(stream, ticket);
    }
    pthread_mutex_unlock(&stream->lock);
    return done;
}

garray_status garray__use_cover(garray__use use)
{
    garray__stream *stream = stream_of(use.number);
    if (use.ticket == 0 || is_completed(stream, use.ticket))
        return GARRAY_OK;
    garray__mark *m;
    pthread_mutex_lock(&stream->lock);
    garray_status st = cover(stream, use.ticket, &m);
    pthread_mutex_unlock(&stream->lock);
    return st;
}

void garray__use_mark(garray__use use)
{
    GARRAY__QUIETLY;
    (void)garray__use_cover(use);       /* on failure the event is recorded when it is needed */
}

/* ---- late errors ---- */
void garray__stream_late(garray__stream *stream, int kind, const char *name, uint64_t ticket)
{
    garray__late *late = &stream->late[kind];
    pthread_mutex_lock(&stream->lock);
    int i = 0;
    while (i < late->count && late->call[i].name != name)
        i++;
    if (i == GARRAY__LATE_NAMES)
        late->more = ticket;
    else {
        late->call[i].name = name;
        late->call[i].ticket = ticket;
        if (i == late->count)
            late->count++;
    }
    atomic_store_explicit(&stream->has_late, true, memory_order_release);
    pthread_mutex_unlock(&stream->lock);
}

/* "garray_take", or "garray_take or garray_getitem" where several calls may be at fault. */
static void late_names(const garray__late *late, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < late->count; i++) {
        size_t length = strlen(text);
        bool last = i == late->count - 1 && !late->more;
        const char *link = i == 0 ? "" : last ? " or " : ", ";
        snprintf(text + length, size - length, "%s%s", link, late->call[i].name);
    }
    if (late->more) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, " or another call");
    }
}

/* Drops the names of work that is done: a poll has found no fault of it. */
static void late_drop(garray__stream *stream)
{
    uint64_t done = atomic_load_explicit(&stream->completed, memory_order_acquire);
    bool left = false;
    for (int kind = 0; kind < GARRAY__LATE_KINDS; kind++) {
        garray__late *late = &stream->late[kind];
        int n = 0;
        for (int i = 0; i < late->count; i++)
            if (late->call[i].ticket > done)
                late->call[n++] = late->call[i];
        late->count = n;
        if (late->more <= done)
            late->more = 0;
        left |= n > 0 || late->more;
    }
    if (!left)
        memset(stream->also, 0, sizeof stream->also);
    atomic_store_explicit(&stream->has_late, left, memory_order_release);
}

/* What poll() or a waiting entry returned, in the words of the earlier call; the stream's lock is held. */
static garray_status late_status(garray__stream *stream, garray_status st)
{
    if (st != GARRAY_ERR_INDEX && st != GARRAY_ERR_SINGULAR && st != GARRAY_ERR_NOCONVERGE && st != GARRAY_ERR_INVALID)
        return garray__device_note(stream->device, st);
    if (garray__is_strict())
        return st;
    char names[200];
    const int kind = st == GARRAY_ERR_INDEX     ? GARRAY__LATE_INDEX
                     : st == GARRAY_ERR_INVALID ? GARRAY__LATE_RANDOM
                                                : GARRAY__LATE_SOLVE;
    late_names(&stream->late[kind], names, sizeof names);
    return garray__fail_text(st, "earlier: %s%s%s", names, names[0] ? ": " : "", garray__error_detail());
}

void garray__stream_poll_also(garray__stream *stream, int32_t number)
{
    pthread_mutex_lock(&stream->lock);
    stream->also[number / 64] |= UINT64_C(1) << number % 64;
    pthread_mutex_unlock(&stream->lock);
}

void garray__stream_poll_no_more(garray__stream *stream, int32_t number)
{
    pthread_mutex_lock(&stream->lock);
    stream->also[number / 64] &= ~(UINT64_C(1) << number % 64);
    pthread_mutex_unlock(&stream->lock);
}

/* What the stream's own work and that of graphs on it report; its lock is held. */
static garray_status poll_all(garray__stream *stream)
{
    const garray_backend *backend = stream->device->backend;
    garray_status st = late_status(stream, backend->poll(&stream->queue));
    for (int i = 0; i < GARRAY__STREAMS / 64 && st == GARRAY_OK; i++)
        for (uint64_t bits = stream->also[i]; bits && st == GARRAY_OK; bits &= bits - 1) {
            garray__queue queue = stream->queue;
            queue.number = 64 * i + __builtin_ctzll(bits);
            st = late_status(stream, backend->poll(&queue));
        }
    return st;
}

garray_status garray__stream_poll(garray__stream *stream)
{
    /* The common case: nothing that could fail late was launched. */
    if (!atomic_load_explicit(&stream->has_late, memory_order_acquire))
        return GARRAY_OK;
    pthread_mutex_lock(&stream->lock);
    garray_status st = GARRAY_OK;
    if (stream->alive)
        st = poll_all(stream);
    if (st == GARRAY_OK)
        late_drop(stream);
    pthread_mutex_unlock(&stream->lock);
    return st;
}

garray_status garray__stream_finish(garray__stream *stream)
{
    garray__device *device = stream->device;
    if (!garray__device_is_async(device))
        return GARRAY_OK;
    garray_status st = garray__device_check(device);
    if (st != GARRAY_OK)
        return st;
    uint64_t ticket = atomic_load_explicit(&stream->submitted, memory_order_acquire);
    if (stream->per_thread && !pthread_equal(stream->thread, pthread_self())) {     /* its handle means another one here */
        st = garray__use_wait((garray__use){ .ticket = ticket, .number = stream->queue.number });
        return st == GARRAY_OK ? garray__stream_poll(stream) : st;
    }
    st = device->backend->stream_wait_host(&stream->queue);
    if (st != GARRAY_OK) {
        pthread_mutex_lock(&stream->lock);
        st = late_status(stream, st);
        pthread_mutex_unlock(&stream->lock);
        return st;
    }
    garray__stream_completed(stream, ticket);
    return garray__stream_poll(stream);
}

garray_status garray__device_finish(garray__device *device)
{
    if (!garray__device_is_async(device))
        return GARRAY_OK;
    garray_status st = garray__device_check(device), first = GARRAY_OK;
    if (st != GARRAY_OK)
        return st;
    garray__watch_count(GARRAY__COUNT_HOST_WAITS);
    /* By events, not stream by stream: another thread may close a stream meanwhile. */
    for (garray__stream *s = atomic_load(&device->streams); s && first == GARRAY_OK; s = s->next) {
        garray__use all = { .ticket = atomic_load_explicit(&s->submitted, memory_order_acquire),
                            .number = s->queue.number };
        first = garray__use_wait(all);
        if (first == GARRAY_OK)
            first = garray__stream_poll(s);
    }
    return first;
}

/* ---- sets of uses ---- */
int garray__order_list(const garray__order *order, garray__use list[1 + GARRAY__READERS])
{
    int n = 0;
    if (order->writer.ticket)
        list[n++] = order->writer;
    for (int i = 0; i < order->nreaders; i++)
        list[n++] = order->reader[i];
    return n;
}

bool garray__order_add(garray__order *order, garray__use use)
{
    if (!use.ticket)
        return true;
    if (!order->writer.ticket) {
        order->writer = use;
        return true;
    }
    garray__use *slot = order->writer.number == use.number ? &order->writer : NULL;
    for (int i = 0; i < order->nreaders && !slot; i++)
        if (order->reader[i].number == use.number)
            slot = &order->reader[i];
    if (!slot && order->nreaders < GARRAY__READERS) {
        slot = &order->reader[order->nreaders++];
        *slot = use;
    }
    if (slot && slot->ticket < use.ticket)
        slot->ticket = use.ticket;
    return slot != NULL;
}
