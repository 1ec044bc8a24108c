/* SPDX-License-Identifier: BSD-3-Clause
 * Staging through pinned slots: see staging.h. */
#include <pthread.h>
#include <stdlib.h>
#include "core/report.h"
#include "core/staging.h"
#include "core/stream.h"
#include "core/submit.h"

/* A transfer is cut into at least so many pieces, unless they would be smaller than this. */
#define PIECES 8
#define LEAST_PIECE ((int64_t)256 << 10)

/* ---- settings ---- */
static garray__stage_settings settings = { .slot = 4 << 20, .slots = 4, .least = 256 << 10 };
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* "SLOT,SLOTS,LEAST": kibibytes, a count, kibibytes; fields may be left out from the end, a bad one is passed over. */
static void read_settings(void)
{
    const char *text = getenv("GARRAY_STAGING");
    int64_t value[3] = { settings.slot >> 10, settings.slots, settings.least >> 10 };
    for (int i = 0; text && *text && i < 3; i++) {
        char *end;
        long long v = strtoll(text, &end, 10);
        if (end != text && v >= 0)
            value[i] = v;
        text = *end == ',' ? end + 1 : NULL;
    }
    settings.slot = within(value[0], 4, 1 << 20) << 10;
    settings.slots = within(value[1], 0, GARRAY__STAGE_SLOTS);
    settings.least = within(value[2], 1, 1 << 30) << 10;
}

const garray__stage_settings *garray__stage_get(void)
{
    pthread_once(&once, read_settings);
    return &settings;
}

void garray__stage_set(const garray__stage_settings *with)
{
    pthread_once(&once, read_settings);
    settings = *with;
}

/* ---- pieces ---- */
garray__pieces garray__pieces_of(int ndim, const int64_t *shape, int itemsize)
{
    const int64_t slot = garray__stage_get()->slot;
    garray__pieces p = { .all = itemsize };
    for (int i = 0; i < ndim; i++)
        p.all *= shape[i];
    int64_t wanted = within(p.all / PIECES, LEAST_PIECE < slot ? LEAST_PIECE : slot, slot), unit = itemsize;
    int axis = ndim - 1;
    while (axis >= 0 && unit * shape[axis] <= wanted)
        unit *= shape[axis--];
    if (axis < 0) {
        p.line = p.piece = p.all > 0 ? p.all : 1;
        return p;
    }
    /* rows of this axis, as many to a piece, and all pieces about as long */
    const int64_t most = wanted / unit, count = (shape[axis] - 1) / most + 1;
    p.line = unit * shape[axis];
    p.piece = unit * ((shape[axis] - 1) / count + 1);
    return p;
}

/* ---- slots ---- */
void garray__stage_open(garray__stage *stage, garray__device *device, const garray__pieces *pieces, bool idle)
{
    const garray__stage_settings *set = garray__stage_get();
    const int64_t count = (pieces->all - 1) / pieces->piece + 1;
    stage->device = device;
    stage->pieces = *pieces;
    stage->n = garray__slots_take(device, (size_t)set->slot, (int)(count < set->slots ? count : set->slots), idle, stage->slot);
}

void garray__stage_close(garray__stage *stage)
{
    garray__slots_give(stage->device, stage->n, stage->slot);
    stage->n = 0;
}

bool garray__stage_pays(garray__device *device, const garray__buffer *buffer, const void *data, int64_t size)
{
    const garray_backend *backend = device->backend;
    if (garray__is_pinned(buffer))
        return false;
    if (!backend->pointer_info)
        return true;
    int32_t first = -1, last = -1;
    GARRAY__QUIETLY;
    return backend->pointer_info(device->handle, data, &first) != GARRAY_OK ||
           backend->pointer_info(device->handle, (const char *)data + size - 1, &last) != GARRAY_OK ||
           first == -1 || last == -1;
}

/* ---- transfers ---- */
/* One piece between the array and a slot, or other host memory if it waits. */
static garray_status copy_piece(const garray__stage *stage, const garray_t *x, bool in, char *host, int64_t at, int64_t size,
                                bool wait)
{
    garray_copy_plan plan = { .kind = in ? GARRAY_COPY_TO_DEVICE : GARRAY_COPY_TO_HOST, .size = (size_t)size, .wait = wait };
    garray__uses uses = { .device = stage->device, .nread = !in, .nwrite = in, .read = { x->buffer }, .write = { x->buffer } };
    plan.src = in ? host : x->data + at;
    plan.dst = in ? x->data + at : host;
    return garray__submit(GARRAY__COPY, &plan, &uses);
}

/* The same to or from a slot: enqueued, with an event behind it.  The slot is in use even if the call fails. */
static garray_status copy_slot(const garray__stage *stage, const garray_t *x, bool in, garray__slot *slot, int64_t at,
                               int64_t size)
{
    garray__stream *stream = garray__stream_current(stage->device);
    garray_status st = copy_piece(stage, x, in, slot->data, at, size, false);
    slot->use = (garray__use){ .ticket = atomic_load_explicit(&stream->submitted, memory_order_acquire),
                               .number = stream->queue.number };
    garray__use_mark(slot->use);
    return st;
}

/* Without slots. */
static garray_status in_turn(garray__stage *stage, const garray_t *x, bool in, garray__stage_fn *fn, void *ctx)
{
    const garray__pieces *p = &stage->pieces;
    garray_status st = GARRAY_OK;
    char *memory = malloc((size_t)p->piece);
    GARRAY_REQUIRE(memory, NOMEM, "no host memory for a transfer's %lld bytes", (long long)p->piece);
    for (int64_t at = 0, size; at < p->all && st == GARRAY_OK; at += size) {
        size = garray__piece_at(p, at);
        if (in)
            st = fn(ctx, memory, at, size);
        if (st == GARRAY_OK)
            st = copy_piece(stage, x, in, memory, at, size, true);
        if (st == GARRAY_OK && !in)
            st = fn(ctx, memory, at, size);
    }
    free(memory);
    return st;
}

static garray_status wait_for(garray__use use)
{
    double start = garray__report_clock();
    garray_status st = garray__use_wait(use);
    garray__report_waited(garray__report_clock() - start);
    return st;
}

garray_status garray__stage_in(garray__stage *stage, garray_t *dst, garray__stage_fn *fill, void *ctx)
{
    const garray__pieces *p = &stage->pieces;
    garray_status st = garray__device_check(stage->device);
    if (st == GARRAY_OK && stage->n == 0)
        return in_turn(stage, dst, true, fill, ctx);
    int k = 0;
    for (int64_t at = 0, size; at < p->all && st == GARRAY_OK; at += size, k++) {
        garray__slot *slot = stage->slot[k % stage->n];
        size = garray__piece_at(p, at);
        st = wait_for(slot->use);
        if (st == GARRAY_OK)
            st = fill(ctx, slot->data, at, size);
        if (st == GARRAY_OK)
            st = copy_slot(stage, dst, true, slot, at, size);
    }
    return st;
}

garray_status garray__stage_out(garray__stage *stage, const garray_t *src, garray__stage_fn *drain, void *ctx)
{
    const garray__pieces *p = &stage->pieces;
    garray_status st = garray__device_check(stage->device);
    if (st == GARRAY_OK && stage->n == 0)
        return in_turn(stage, src, false, drain, ctx);
    garray__stream *stream = garray__stream_current(stage->device);
    int64_t asked = 0, got = 0;
    int nasked = 0, ngot = 0;
    garray__watch_count(GARRAY__COUNT_HOST_WAITS);
    while (got < p->all && st == GARRAY_OK) {
        for (; asked < p->all && nasked - ngot < stage->n && st == GARRAY_OK; nasked++) {
            garray__slot *slot = stage->slot[nasked % stage->n];
            const int64_t size = garray__piece_at(p, asked);
            st = garray__stream_wait(stream, slot->use);
            if (st == GARRAY_OK)
                st = copy_slot(stage, src, false, slot, asked, size);
            asked += size;
        }
        garray__slot *slot = stage->slot[ngot++ % stage->n];
        const int64_t size = garray__piece_at(p, got);
        if (st == GARRAY_OK)
            st = wait_for(slot->use);
        if (st == GARRAY_OK)
            st = drain(ctx, slot->data, got, size);
        got += size;
    }
    return st == GARRAY_OK ? garray__stream_poll(stream) : st;
}
