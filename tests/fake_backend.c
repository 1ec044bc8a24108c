/* SPDX-License-Identifier: BSD-3-Clause
 * The backend without a device: see fake_backend.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_backend.h"
#include "garray/device.h"
#include "splitmix.h"

fake_state fake;
static const garray_host *host;

typedef enum { FILL, CHECK, COPY, RECORD, WAIT, RAISE, PLAN, FREE } task_kind;

typedef struct task {
    task_kind kind;
    uint8_t byte;
    unsigned char *to;
    const unsigned char *from;
    size_t size;
    size_t mark;                /* RECORD, WAIT: a place in marks */
    void *own;                  /* COPY: memory that goes with the task */
    int entry;                  /* PLAN */
    void *plan;
    struct task *next;
} task;

typedef struct gpu {
    int index;
} gpu;

typedef struct stream {
    const gpu *device;       /* NULL: made by a user of the native library */
    task *first, *last;
    garray_status late;
    char text[200];             /* of the first late error since the last poll */
    bool freed;                 /* as in CUDA, what is queued still runs */
    bool recording;             /* what is queued becomes a graph */
    struct stream *next;
} stream;

typedef struct event {
    const gpu *device;
    size_t mark;                /* the latest recording; 0: none */
} event;

typedef struct block {
    const gpu *device;
    unsigned char *data;
    size_t size;
    struct block *next;
} block;

typedef struct graph {
    task *first;                /* of each launch; no events among them */
    struct graph *next;
} graph;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpu devices[FAKE_DEVICES];
static const fake_runner *runner;       /* NULL: no plans */
static uint64_t state;
static stream *streams;
static block *blocks, *pinned;
static graph *graphs;
static unsigned char *marks;    /* of each recording ever made: whether the stream has passed it */
static size_t nmarks, room;

/* CUDA's names of its default streams. */
static stream *stream_of(void *native)
{
    static stream *legacy;
    static _Thread_local stream *per_thread;    /* stays when the thread has ended, for what is queued */
    const bool is_legacy = native == NULL || native == GARRAY_STREAM_LEGACY;
    if (!is_legacy && native != GARRAY_STREAM_PER_THREAD)
        return native;
    stream **s = is_legacy ? &legacy : &per_thread;
    if (!*s) {
        *s = calloc(1, sizeof **s);
        (*s)->next = streams;
        streams = *s;
    }
    return *s;
}

/* ---- chance and failure; lock is held ---- */
static uint64_t next_random(void)
{
    return splitmix(&state);
}

/* ---- memory; lock is held ---- */
static bool touched(const void *data, size_t size);

/* The device of the block that the address lies in; NULL: it is the host's. */
static const gpu *owner_of(const void *ptr)
{
    for (const block *b = blocks; b; b = b->next)
        if ((const unsigned char *)ptr >= b->data && (const unsigned char *)ptr < b->data + b->size)
            return b->device;
    return NULL;
}

static void check_device(const void *expected, const gpu *found)
{
    fake.wrong_device += found && found != expected;
}

/* A queue's stream and the memory of its work belong to its device. */
static void check_queue(const garray__queue *q)
{
    check_device(q->device, stream_of(q->stream)->device);
    fake.wrong_device += ((const gpu *)q->device)->index != q->device_index;
}

static void free_block(void *ptr, size_t size)
{
    block **at = &blocks;
    while (*at && (*at)->data != ptr)
        at = &(*at)->next;
    block *b = *at;
    if (!b || b->size != size || touched(ptr, size))
        fake.early_frees++;
    if (b) {
        *at = b->next;
        fake.held -= (int64_t)b->size;
        fake.frees++;
        free(b->data);
        free(b);
    }
}

/* What is left of a task that will never run. */
static void drop_work(const task *t)
{
    if (t->kind == PLAN)
        runner->drop(t->entry, t->plan);
    else if (t->kind == FREE)
        free_block(t->to, t->size);
    free(t->own);
}

static bool must_fail(void)
{
    fake.calls++;
    bool fail =
        fake.fail_at && (fake.calls == fake.fail_at || (fake.fail_for_ever && fake.calls > fake.fail_at));
    fake.failed += fail;
    for (stream *s = fail && fake.sticky ? streams : NULL; s; s = s->next)
        while (s->first) {
            task *t = s->first;
            s->first = t->next;
            drop_work(t);
            free(t);
            s->last = s->first ? s->last : NULL;
        }
    return fail;
}

static garray_status fault(const char *what)
{
    garray_status st = fake.sticky ? GARRAY_ERR_DEVICE_LOST : GARRAY_ERR_INTERNAL;
    return host->fail(st, "the fake's %s fails as asked", what);
}

/* ---- tasks; lock is held ---- */
static size_t new_mark(void)
{
    if (nmarks == room) {
        room = room ? 2 * room : 1024;
        marks = realloc(marks, room);
    }
    marks[nmarks] = 0;
    return nmarks++;
}

static bool can_run(const stream *s)
{
    return s->first && !s->recording && (s->first->kind != WAIT || marks[s->first->mark]);
}

static void unlink_stream(stream *s)
{
    stream **at = &streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

static void keep_late(stream *s, garray_status st, const char *text)
{
    if (s->late != GARRAY_OK)
        return;
    s->late = st;
    snprintf(s->text, sizeof s->text, "%s", text);
}

static void run_first(stream *s)
{
    task *t = s->first;
    s->first = t->next;
    if (!s->first)
        s->last = NULL;
    switch (t->kind) {
    case FILL:
        memset(t->to, t->byte, t->size);
        break;
    case CHECK:
        for (size_t i = 0; i < t->size; i++)
            fake.wrong_bytes += t->from[i] != t->byte;
        break;
    case COPY:
        memmove(t->to, t->from, t->size);
        break;
    case RECORD:
        marks[t->mark] = 1;
        break;
    case WAIT:
        break;
    case RAISE:
        keep_late(s, GARRAY_ERR_INDEX, "index 7 is out of bounds for axis 0 with size 5");
        break;
    case FREE:
        free_block(t->to, t->size);
        break;
    case PLAN: {
        char text[sizeof s->text] = "";
        garray_status st = runner->run(t->entry, t->plan, text, sizeof text);
        if (st != GARRAY_OK)
            keep_late(s, st, text);
        break;
    }
    }
    free(t->own);
    free(t);
    if (s->freed && !s->first)
        unlink_stream(s);
}

/* Runs one task of a stream picked at random; false when none can run. */
static bool run_one(void)
{
    int n = 0;
    for (stream *s = streams; s; s = s->next)
        n += can_run(s);
    if (n == 0)
        return false;
    int pick = (int)(next_random() % (uint64_t)n);
    for (stream *s = streams; s; s = s->next)
        if (can_run(s) && pick-- == 0) {
            run_first(s);
            return true;
        }
    return false;
}

static void run_some(void)
{
    uint64_t n = next_random() % ((uint64_t)fake.haste + 1);
    while (n-- && run_one())
        continue;
}

static void enqueue(void *native, task t)
{
    stream *s = stream_of(native);
    if (fake.failed && fake.sticky) {   /* a call in between has ended the device */
        drop_work(&t);
        return;
    }
    task *copy = malloc(sizeof *copy);
    *copy = t;
    copy->next = NULL;
    if (s->last)
        s->last->next = copy;
    else
        s->first = copy;
    s->last = copy;
}

static bool overlaps(const void *a, size_t na, const void *b, size_t nb)
{
    return na && nb && (const char *)a < (const char *)b + nb && (const char *)b < (const char *)a + na;
}

static bool touched_by(const task *t, const void *data, size_t size)
{
    for (; t; t = t->next)
        if (overlaps(t->to, t->to ? t->size : 0, data, size) || overlaps(t->from, t->from ? t->size : 0, data, size) ||
            (t->kind == PLAN && runner->touches(t->entry, t->plan, data, size)))
            return true;
    return false;
}

static bool touched(const void *data, size_t size)
{
    for (stream *s = streams; s; s = s->next)
        if (touched_by(s->first, data, size))
            return true;
    for (graph *g = graphs; g; g = g->next)
        if (touched_by(g->first, data, size))
            return true;
    return false;
}

/* ---- for the tests ---- */
/* Streams of devices that were lost: nobody gives them back. */
static void forget_streams(void)
{
    for (stream **at = &streams; *at;) {
        stream *s = *at;
        if (!s->device) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        for (task *t = s->first, *next; t; t = next) {
            next = t->next;
            drop_work(t);
            free(t);
        }
        free(s);
    }
}

void fake_reset(uint64_t seed)
{
    forget_streams();
    free(marks);
    marks = NULL;
    nmarks = room = 0;
    memset(&fake, 0, sizeof fake);
    fake.seed = seed;
    fake.memory = (size_t)256 << 20;
    fake.haste = 3;
    state = seed;
    (void)new_mark();
}

void fake_run_plans(const fake_runner *with)
{
    runner = with;
}

void fake_drain(void)
{
    pthread_mutex_lock(&lock);
    while (run_one())
        continue;
    pthread_mutex_unlock(&lock);
}

int64_t fake_pending(void)
{
    int64_t n = 0;
    pthread_mutex_lock(&lock);
    for (stream *s = streams; s; s = s->next)
        for (task *t = s->first; t; t = t->next)
            n++;
    pthread_mutex_unlock(&lock);
    return n;
}

bool fake_touches(const void *data, size_t size)
{
    pthread_mutex_lock(&lock);
    bool yes = touched(data, size);
    pthread_mutex_unlock(&lock);
    return yes;
}

static stream *make_stream(const gpu *of)
{
    stream *s = calloc(1, sizeof *s);
    s->device = of;
    s->next = streams;
    streams = s;
    fake.streams++;
    return s;
}

static void drop_stream(stream *s)
{
    s->freed = true;
    fake.streams--;
    if (!s->first)
        unlink_stream(s);
}

void *fake_native_stream(void)
{
    pthread_mutex_lock(&lock);
    stream *s = make_stream(NULL);
    pthread_mutex_unlock(&lock);
    return s;
}

void fake_native_stream_free(void *native)
{
    pthread_mutex_lock(&lock);
    drop_stream(native);
    pthread_mutex_unlock(&lock);
}

/* ---- the table ---- */
/* Takes the lock, runs some tasks, and fails if it is this call's turn. */
#define ENTER(what)                     \
    pthread_mutex_lock(&lock);          \
    run_some();                         \
    if (must_fail()) {                  \
        pthread_mutex_unlock(&lock);    \
        return fault(what);             \
    }
#define LEAVE                           \
    pthread_mutex_unlock(&lock);        \
    return GARRAY_OK

static garray_status fake_count(int *count)
{
    const char *mode = getenv("GARRAY_TEST_FAKE");
    *count = mode && mode[0] == 't' ? FAKE_DEVICES : 1;
    return GARRAY_OK;
}

static garray_status fake_open(int index, void **out)
{
    ENTER("open");
    devices[index].index = index;
    *out = &devices[index];
    LEAVE;
}

static void fake_close(void *device)
{
    (void)device;
}

static garray_status fake_info(void *device, garray_device_info *info)
{
    (void)device;
    *info = (garray_device_info){ .name = "fake" };
    return GARRAY_OK;
}

static garray_status fake_alloc(void *of, size_t size, void **ptr)
{
    pthread_mutex_lock(&lock);
    run_some();
    bool fail = must_fail();
    if (fail && fake.sticky) {
        pthread_mutex_unlock(&lock);
        return fault("alloc");
    }
    block *b = NULL;
    if (!fail && (size_t)fake.held + size <= fake.memory) {
        b = malloc(sizeof *b);
        b->data = aligned_alloc(256, (size + 255) / 256 * 256);
        if (fake.garbage)
            memset(b->data, 0xdb, size);
    }
    if (!b) {
        pthread_mutex_unlock(&lock);
        return host->fail(GARRAY_ERR_DEVICE_NOMEM, "the fake has no memory");
    }
    b->device = of;
    b->size = size;
    b->next = blocks;
    blocks = b;
    fake.held += (int64_t)size;
    fake.allocations++;
    *ptr = b->data;
    LEAVE;
}

static void fake_free(void *of, void *ptr, size_t size)
{
    pthread_mutex_lock(&lock);
    check_device(of, owner_of(ptr));
    free_block(ptr, size);
    pthread_mutex_unlock(&lock);
}

/* In the order of a stream: what was freed is there again when the stream has come so far. */
static garray_status fake_alloc_async(const garray__queue *q, size_t size, void **ptr)
{
    return fake_alloc(q->device, size, ptr);
}

static void fake_free_async(const garray__queue *q, void *ptr, size_t size)
{
    pthread_mutex_lock(&lock);
    check_queue(q);
    check_device(q->device, owner_of(ptr));
    enqueue(q->stream, (task){ .kind = FREE, .to = ptr, .size = size });
    pthread_mutex_unlock(&lock);
}

static garray_status fake_host_alloc(void *device, size_t size, void **ptr)
{
    (void)device;
    ENTER("host_alloc");
    block *b = malloc(sizeof *b);
    *b = (block){ .data = aligned_alloc(256, (size + 255) / 256 * 256), .size = size, .next = pinned };
    pinned = b;
    *ptr = b->data;
    fake.pinned++;
    LEAVE;
}

static void fake_host_free(void *device, void *ptr, size_t size)
{
    (void)device;
    pthread_mutex_lock(&lock);
    fake.pinned--;
    fake.early_frees += touched(ptr, size);
    block **at = &pinned, *b;
    while ((*at)->data != ptr)
        at = &(*at)->next;
    b = *at;
    *at = b->next;
    free(b->data);
    free(b);
    pthread_mutex_unlock(&lock);
}

static bool is_in(const block *b, const void *ptr)
{
    return (const unsigned char *)ptr >= b->data && (const unsigned char *)ptr < b->data + b->size;
}

static garray_status fake_pointer_info(void *device, const void *ptr, int32_t *index)
{
    (void)device;
    ENTER("pointer_info");
    *index = -1;
    for (const block *b = pinned; b; b = b->next)
        if (is_in(b, ptr))
            *index = -2;
    for (const block *b = blocks; b; b = b->next)
        if (is_in(b, ptr))
            *index = b->device->index;
    LEAVE;
}

static garray_status fake_stream_new(void *of, int priority, void **out)
{
    (void)priority;
    ENTER("stream_new");
    *out = make_stream(of);
    LEAVE;
}

static void fake_stream_free(void *device, void *native)
{
    (void)device;
    fake_native_stream_free(native);
}

static garray_status fake_stream_wait_host(const garray__queue *q)
{
    ENTER("stream_wait_host");
    fake.host_waits++;
    stream *s = stream_of(q->stream);
    while (s->first && run_one())
        continue;
    LEAVE;
}

static garray_status fake_stream_query(const garray__queue *q, bool *done)
{
    ENTER("stream_query");
    *done = !stream_of(q->stream)->first;
    LEAVE;
}

static garray_status fake_event_new(void *of, bool timing, void **out)
{
    (void)timing;
    ENTER("event_new");
    event *e = calloc(1, sizeof *e);
    e->device = of;
    *out = e;
    fake.events++;
    LEAVE;
}

static void fake_event_free(void *device, void *e)
{
    (void)device;
    pthread_mutex_lock(&lock);
    fake.events--;
    free(e);
    pthread_mutex_unlock(&lock);
}

static garray_status fake_event_record(const garray__queue *q, void *e)
{
    ENTER("event_record");
    check_queue(q);
    check_device(q->device, ((event *)e)->device);      /* waiting is allowed across devices, recording is not */
    fake.event_records++;
    ((event *)e)->mark = new_mark();
    enqueue(q->stream, (task){ .kind = RECORD, .mark = ((event *)e)->mark });
    LEAVE;
}

static garray_status fake_event_wait(const garray__queue *q, void *e)
{
    ENTER("event_wait");
    check_queue(q);
    fake.event_waits++;
    if (((event *)e)->mark)
        enqueue(q->stream, (task){ .kind = WAIT, .mark = ((event *)e)->mark });
    LEAVE;
}

static garray_status fake_event_wait_host(void *of, void *e)
{
    ENTER("event_wait_host");
    check_device(of, ((event *)e)->device);
    fake.host_waits++;
    size_t mark = ((event *)e)->mark;
    while (mark && !marks[mark] && run_one())
        continue;
    LEAVE;
}

static garray_status fake_event_query(void *of, void *e, bool *done)
{
    ENTER("event_query");
    check_device(of, ((event *)e)->device);
    *done = !((event *)e)->mark || marks[((event *)e)->mark];
    LEAVE;
}

static garray_status fake_event_elapsed(void *device, void *begin, void *end, double *ms)
{
    (void)device;
    (void)begin;
    (void)end;
    *ms = 0.001;
    return GARRAY_OK;
}

/* The late error of a stream, once. */
static garray_status take_late(stream *s)
{
    char text[sizeof s->text];
    pthread_mutex_lock(&lock);
    garray_status late = s->late;
    memcpy(text, s->text, sizeof text);
    s->late = GARRAY_OK;
    pthread_mutex_unlock(&lock);
    return late == GARRAY_OK ? late : host->fail(late, "%s", text);
}

static garray_status fake_poll(const garray__queue *q)
{
    return take_late(stream_of(q->stream));
}

/* ---- graphs ---- */
static void drop_tasks(task *first)
{
    for (task *next; first; first = next) {
        next = first->next;
        drop_work(first);
        free(first);
    }
}

static task *end_recording(stream *s)
{
    task *first = s->first;
    s->first = s->last = NULL;
    s->recording = false;
    return first;
}

static garray_status fake_graph_begin(const garray__queue *q)
{
    ENTER("graph_begin");
    stream_of(q->stream)->recording = true;
    LEAVE;
}

static garray_status fake_graph_end(const garray__queue *q, void **out)
{
    pthread_mutex_lock(&lock);
    run_some();
    const bool fail = out && must_fail();
    task *first = end_recording(stream_of(q->stream));
    if (out && !fail) {
        graph *g = calloc(1, sizeof *g);
        *g = (graph){ .first = first, .next = graphs };
        *out = graphs = g;
        fake.graphs++;
    } else
        drop_tasks(first);
    pthread_mutex_unlock(&lock);
    return fail ? fault("graph_end") : GARRAY_OK;
}

static garray_status fake_graph_launch(const garray__queue *q, void *native)
{
    ENTER("graph_launch");
    fake.launches++;
    for (const task *t = ((graph *)native)->first; t; t = t->next) {
        task copy = *t;
        if (t->kind == PLAN)
            copy.plan = runner->keep(t->entry, t->plan);
        enqueue(q->stream, copy);
    }
    LEAVE;
}

static void fake_graph_free(void *device, void *native)
{
    (void)device;
    pthread_mutex_lock(&lock);
    graph **at = &graphs;
    while (*at != native)
        at = &(*at)->next;
    graph *g = *at;
    *at = g->next;
    fake.graphs--;
    drop_tasks(g->first);
    free(g);
    pthread_mutex_unlock(&lock);
}

/* ---- work ---- */
static garray_status enqueue_plan(const garray__queue *q, int entry, const void *plan, const char *name)
{
    if (!runner)
        return host->fail(GARRAY_ERR_UNSUPPORTED, "the fake runs no plans");
    ENTER(name);
    check_queue(q);
    fake.launches++;
    enqueue(q->stream, (task){ .kind = PLAN, .entry = entry, .plan = runner->keep(entry, plan) });
    LEAVE;
}

/* Elementwise work and conversions; sometimes the result goes through scratch memory. */
static garray_status enqueue_elements(const garray__queue *q, int entry, const garray_ew_plan *plan)
{
    const size_t size = runner ? runner->result_size(plan) : (size_t)plan->count;
    const bool fills = plan->layout == 0 || !runner;
    const bool whole = fills || plan->layout == GARRAY_EW_CONTIGUOUS;
    const uint8_t byte = (uint8_t)plan->operand[1].bits[0];
    pthread_mutex_lock(&lock);
    run_some();
    check_queue(q);
    check_device(q->device, owner_of(plan->operand[0].data));
    for (int i = 1; i < plan->nop && !fills; i++)
        check_device(q->device, owner_of(plan->operand[i].data));
    const bool fail = must_fail(), scratch = whole && next_random() % 3 == 0;
    fake.scratch = 0;
    fake.launches++;
    pthread_mutex_unlock(&lock);
    if (fail)
        return fault(entry == FAKE_CONVERT ? "convert" : "elementwise");
    void *ptr = plan->operand[0].data;
    if (scratch) {
        garray_status st = host->scratch(q, size, &ptr);
        if (st != GARRAY_OK)
            return st;
    }
    pthread_mutex_lock(&lock);
    fake.scratch = scratch ? size : 0;
    if (fills)
        enqueue(q->stream, (task){ .kind = FILL, .to = ptr, .size = size, .byte = byte });
    else {
        garray_ew_plan *kept = runner->keep(entry, plan);
        kept->operand[0].data = ptr;
        enqueue(q->stream, (task){ .kind = PLAN, .entry = entry, .plan = kept });
    }
    if (scratch)
        enqueue(q->stream, (task){ .kind = COPY, .to = plan->operand[0].data, .from = ptr, .size = size });
    pthread_mutex_unlock(&lock);
    if (scratch)
        host->scratch_free(q, ptr);
    return GARRAY_OK;
}

static garray_status fake_elementwise(const garray__queue *q, const garray_ew_plan *plan)
{
    return enqueue_elements(q, FAKE_ELEMENTWISE, plan);
}

static garray_status fake_convert(const garray__queue *q, const garray_ew_plan *plan)
{
    return enqueue_elements(q, FAKE_CONVERT, plan);
}

static garray_status fake_reduce(const garray__queue *q, const garray_reduce_plan *plan)
{
    if (plan->out)
        return enqueue_plan(q, FAKE_REDUCE, plan, "reduce");
    ENTER("reduce");
    fake.launches++;
    enqueue(q->stream, (task){ .kind = CHECK, .from = plan->in, .size = (size_t)plan->red_count,
                               .byte = (uint8_t)plan->initial[0] });
    LEAVE;
}

static garray_status fake_copy(const garray__queue *q, const garray_copy_plan *plan)
{
    ENTER("copy");
    check_queue(q);
    if (plan->kind != GARRAY_COPY_TO_DEVICE)
        check_device(q->device, owner_of(plan->src));
    if (plan->kind == GARRAY_COPY_TO_PEER)
        fake.wrong_device += owner_of(plan->dst) != &devices[plan->peer_index];
    else if (plan->kind != GARRAY_COPY_TO_HOST)
        check_device(q->device, owner_of(plan->dst));
    fake.launches++;
    void *own = NULL;
    if (plan->wait == 2) {      /* the source is the caller's again */
        own = malloc(plan->size);
        memcpy(own, plan->src, plan->size);
    }
    enqueue(q->stream, (task){ .kind = COPY, .to = plan->dst, .from = own ? own : plan->src, .size = plan->size, .own = own });
    stream *s = stream_of(q->stream);
    while (plan->wait == 1 && s->first && run_one())
        continue;
    LEAVE;
}

static garray_status fake_index(const garray__queue *q, const garray_index_plan *plan)
{
    if (plan->base)
        return enqueue_plan(q, FAKE_INDEX, plan, "index");
    ENTER("index");
    fake.launches++;
    enqueue(q->stream, (task){ .kind = RAISE });
    LEAVE;
}

/* Waits, and counts at once. */
static garray_status fake_select_count(const garray__queue *q, garray_select_plan *plan)
{
    if (!runner)
        return host->fail(GARRAY_ERR_UNSUPPORTED, "the fake runs no plans");
    ENTER("select_count");
    stream *s = stream_of(q->stream);
    fake.launches++;
    while (s->first && run_one())
        continue;
    char text[100];
    garray_status st = runner->run_here(FAKE_SELECT_COUNT, plan, text, sizeof text);
    pthread_mutex_unlock(&lock);
    return st == GARRAY_OK ? st : host->fail(st, "%s", text);
}

static void fake_select_drop(const garray__queue *q, garray_select_plan *plan)
{
    (void)q;
    if (runner)
        runner->drop_select(plan);
}

static garray_status fake_select_write(const garray__queue *q, garray_select_plan *plan)
{
    garray_status st = enqueue_plan(q, FAKE_SELECT_WRITE, plan, "select_write");
    if (st != GARRAY_OK)
        fake_select_drop(q, plan);
    return st;
}

#define WORK(function, type, entry)                                                       \
    static garray_status fake_##function(const garray__queue *q, const type *plan)        \
    {                                                                                     \
        return enqueue_plan(q, entry, plan, #function);                                   \
    }
WORK(generate, garray_gen_plan, FAKE_GENERATE)
WORK(scan, garray_scan_plan, FAKE_SCAN)
WORK(sort, garray_sort_plan, FAKE_SORT)
WORK(search, garray_search_plan, FAKE_SEARCH)
WORK(histogram, garray_histogram_plan, FAKE_HISTOGRAM)
WORK(matmul, garray_matmul_plan, FAKE_MATMUL)
WORK(solve, garray_solve_plan, FAKE_SOLVE)
WORK(random, garray_random_plan, FAKE_RANDOM)

const garray_backend *fake_backend(const garray_host *core)
{
    host = core;
    static const garray_backend table = {
        .version = GARRAY_BACKEND_VERSION,
        .size = sizeof(garray_backend),
        .name = "fake",
        .flags = GARRAY_BACKEND_ASYNC,
        .device_type = GARRAY_DEVICE_CUDA,
        .count = fake_count,
        .open = fake_open,
        .close = fake_close,
        .info = fake_info,
        .alloc = fake_alloc,
        .free = fake_free,
        .host_alloc = fake_host_alloc,
        .host_free = fake_host_free,
        .graph_begin = fake_graph_begin,
        .graph_end = fake_graph_end,
        .graph_launch = fake_graph_launch,
        .graph_free = fake_graph_free,
        .alloc_async = fake_alloc_async,
        .free_async = fake_free_async,
        .copy = fake_copy,
        .pointer_info = fake_pointer_info,
        .stream_new = fake_stream_new,
        .stream_free = fake_stream_free,
        .stream_wait_host = fake_stream_wait_host,
        .stream_query = fake_stream_query,
        .event_new = fake_event_new,
        .event_free = fake_event_free,
        .event_record = fake_event_record,
        .event_wait = fake_event_wait,
        .event_wait_host = fake_event_wait_host,
        .event_query = fake_event_query,
        .event_elapsed = fake_event_elapsed,
        .poll = fake_poll,
        .elementwise = fake_elementwise,
        .convert = fake_convert,
        .generate = fake_generate,
        .reduce = fake_reduce,
        .scan = fake_scan,
        .sort = fake_sort,
        .search = fake_search,
        .index = fake_index,
        .select_count = fake_select_count,
        .select_write = fake_select_write,
        .select_drop = fake_select_drop,
        .histogram = fake_histogram,
        .matmul = fake_matmul,
        .solve = fake_solve,
        .random = fake_random,
    };
    return &table;
}
