/* SPDX-License-Identifier: BSD-3-Clause
 * Streams as core sees them.  A stream is a timeline of tickets: a ticket is drawn after work has been
 * enqueued, and an event recorded later covers every ticket drawn before.  So "wait for (number, ticket)" can
 * be answered at any time by one event, recorded only when somebody asks.
 *
 * A timeline outlives its stream: a stream that is freed leaves a last event behind, and the next stream that
 * takes its number waits for that first.  So no buffer ever names a stream that is gone. */
#ifndef GARRAY_CORE_STREAM_H
#define GARRAY_CORE_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include "core/buffer.h"
#include "core/device.h"
#include "core/thread.h"

#define GARRAY__STREAMS 1024            /* living at once in the process, over all devices */
#define GARRAY__STREAM_EVENTS 8
#define GARRAY__LATE_NAMES 3

struct garray__arena;

typedef struct garray__mark {
    void *event;                        /* the backend's */
    uint64_t ticket;                    /* all tickets up to here are before the event; 0: not recorded */
} garray__mark;

/* Names of calls whose work may report an error late and has not been polled since it was done. */
typedef struct garray__late {
    struct { const char *name; uint64_t ticket; } call[GARRAY__LATE_NAMES];
    int count;
    uint64_t more;                      /* the last ticket of calls that found no room */
} garray__late;

enum { GARRAY__LATE_INDEX, GARRAY__LATE_SOLVE, GARRAY__LATE_RANDOM, GARRAY__LATE_KINDS };

struct garray_stream {
    garray__queue queue;                /* first: what backends get points here */
    garray__device *device;
    _Atomic uint64_t submitted;         /* the last ticket drawn */
    _Atomic uint64_t completed;         /* work up to here is known to be done */
    struct garray__arena *arena;        /* free memory in this stream's order */
    pthread_mutex_t lock;               /* guards what follows */
    bool alive, wrapped, owned;         /* owned: the library's own stream of the device */
    int32_t holders;                    /* wraps of one native stream share one garray_stream */
    bool per_thread;                    /* CUDA's per-thread default stream: its handle means another one elsewhere */
    pthread_t thread;                   /* who wrapped it */
    int32_t newest;                     /* of the marks */
    garray__mark mark[GARRAY__STREAM_EVENTS];
    garray__late late[GARRAY__LATE_KINDS];
    _Atomic bool has_late;
    uint64_t also[GARRAY__STREAMS / 64];        /* numbers of graphs whose launches here may report an error late */
    struct garray_stream *next;         /* of the device's streams, dead ones included */
    _Atomic uint64_t waited[GARRAY__STREAMS];   /* per number: this stream waits for that ticket already */
};

typedef struct garray_stream garray__stream;

extern _Atomic(garray__stream *) garray__streams[GARRAY__STREAMS];

static inline garray__stream *garray__stream_of(const garray__queue *queue)
{
    return (garray__stream *)queue->owner;
}

/* The calling thread's current stream of the device. */
static inline garray__stream *garray__stream_current(const garray__device *device)
{
    const garray__thread *self = garray__self;
    if (GARRAY__UNLIKELY(self != NULL)) {
        garray__stream *stream = self->current[device->id.type][device->id.index];
        if (stream)
            return stream;
    }
    return device->stream;
}

/* INVALID for another thread's per-thread default stream. */
garray_status garray__stream_mine(const garray__stream *stream);

/* The stream that a caller gave for what belongs to the device ("the event"), or the current one for NULL. */
garray_status garray__stream_choose(const garray__device *device, const char *what, garray__stream **stream);

/* How many streams of the device are alive, the library's own included. */
int garray__stream_count(const garray__device *device);

/* A stream for work of the library (native NULL and !wrap) or around the caller's. */
garray_status garray__stream_open(garray__device *device, bool wrap, void *native, garray__stream **out);
void garray__stream_close(garray__stream *stream);

/* A stream for work of the library with a priority, as CUDA counts. */
garray_status garray__stream_open_priority(garray__device *device, int priority, garray__stream **out);

/* What a caller's event (NULL: none) must be to mark work of the device; and marks the end of the stream's work, as
 * garray_event_record() does (event.c). */
garray_status garray__event_check(const garray_event *event, const garray__device *device);
garray_status garray__event_mark(garray_event *event, garray__stream *stream);

/* For the fork handlers of the device registry. */
void garray__stream_lock(void);
void garray__stream_unlock(void);

/* Frees all timelines of a device that is being freed. */
void garray__stream_forget(garray__device *device);

/* ---- order (order.c) ---- */
/* Sees to it that an event covers `use` soon, so that later waits for it do not wait for more. */
void garray__use_mark(garray__use use);

static inline uint64_t garray__stream_ticket(garray__stream *stream)
{
    uint64_t ticket = atomic_fetch_add_explicit(&stream->submitted, 1, memory_order_acq_rel) + 1;
    if (GARRAY__UNLIKELY(stream->per_thread))           /* no other thread could record it later */
        garray__use_mark((garray__use){ .ticket = ticket, .number = stream->queue.number });
    return ticket;
}

/* Work enqueued later on `stream` runs after `use`. */
garray_status garray__stream_wait(garray__stream *stream, garray__use use);

/* A native stream waits for `use`; queue is one around it. */
garray_status garray__queue_wait(const garray__queue *queue, garray__use use);

/* The host waits for `use`.  Late errors are not looked for. */
garray_status garray__use_wait(garray__use use);

/* Work up to the ticket is known to be done. */
void garray__stream_completed(garray__stream *stream, uint64_t ticket);

/* Whether `use` is known to be over; asks nobody. */
bool garray__use_is_over(garray__use use);

/* Whether `use` is over.  Never waits; errs on the side of false. */
bool garray__use_done(garray__use use);

/* garray__use_mark() where it must not fail unnoticed. */
garray_status garray__use_cover(garray__use use);

/* Adds a use to a flat set of them (order.writer and order.reader); false if it is full of other streams. */
bool garray__order_add(garray__order *order, garray__use use);

/* The uses of an order as a list; returns how many. */
int garray__order_list(const garray__order *order, garray__use list[1 + GARRAY__READERS]);

/* Late errors of the stream's completed work: "earlier: garray_take: ...". */
garray_status garray__stream_poll(garray__stream *stream);

/* Notes that work of the call of this name, submitted up to the ticket, may report late. */
void garray__stream_late(garray__stream *stream, int kind, const char *name, uint64_t ticket);

/* Work of the graph with this number is on the stream, and may report late (or: the graph is gone). */
void garray__stream_poll_also(garray__stream *stream, int32_t number);
void garray__stream_poll_no_more(garray__stream *stream, int32_t number);

/* Records an event behind everything submitted so far; the stream's lock is held. */
garray_status garray__mark_record(garray__stream *stream, garray__mark **out);

/* The host waits for all of the stream's work, then polls. */
garray_status garray__stream_finish(garray__stream *stream);

#endif
