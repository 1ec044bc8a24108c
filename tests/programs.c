/* SPDX-License-Identifier: BSD-3-Clause
 * Random programs: what a program holds, the steps around the computing ones, and what must be true after each. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/array.h"
#include "core/dlpack_abi.h"
#include "core/pool.h"
#include "core/staging.h"
#include "core/stream.h"
#include "core/submit.h"
#include "fake_backend.h"
#include "programs.h"
#include "splitmix.h"

enum { STREAMS = 6, EVENTS = 3, LENT = 2, BADS = 64, READ_BYTES = 4 << 20 };

typedef struct lane {           /* a stream of the program */
    garray_stream *stream;
    void *native;               /* of a wrapped one */
    int device;
} lane;

typedef struct lent {           /* an array that is outside, as a tensor */
    struct DLManagedTensorVersioned *tensor;
    garray_t *model;
    garray__buffer *buffer;
    void *native;               /* the consumer's stream, NULL: none */
    int device;
} lent;

typedef struct program {
    uint64_t state;
    const program_opts *opts;
    garray__device *device[PROGRAM_DEVICES];
    program_side fake, model;
    lane lane[STREAMS];
    garray_event *event[EVENTS];
    bool recorded[EVENTS];
    lent lent[LENT];
    void *foreign;              /* a stream of somebody else */
    garray_graph *graph;        /* not launched any more */
    int nbad, step;
    garray__stream *bad[BADS];  /* where work was enqueued that fails late, by the number in its text; NULL: reported */
    bool upstream;              /* memory is not the pool's, and some of it comes back late */
    bool imported;              /* live memory may be kept by tensors whose deleters wait */
    bool limited;               /* memory can run out */
    char text[700];
    bool wrong;
} program;

static program space;
static unsigned char seen[2][READ_BYTES];

#define WRONG(p, ...) wrong(p, __VA_ARGS__)
static void wrong(program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(program *p, const char *format, ...)
{
    if (p->wrong)
        return;
    p->wrong = true;
    int n = snprintf(p->text, sizeof p->text, "seed %llu, fail_at %lld%s%s, step %d: ", (unsigned long long)p->opts->seed,
                     (long long)p->opts->fail_at, p->opts->for_ever ? " for ever" : "", p->opts->sticky ? " sticky" : "",
                     p->step);
    va_list list;
    va_start(list, format);
    vsnprintf(p->text + n, sizeof p->text - (size_t)n, format, list);
    va_end(list);
}

static uint64_t next_random(program *p)
{
    return splitmix(&p->state);
}

static int below(program *p, int n)
{
    return (int)(next_random(p) % (uint64_t)n);
}

/* ---- faults ---- */
/* "earlier: garray_take: index 1017 is out ...": each number is reported at most once.  Other calls may be named too, if
 * nobody has waited since. */
static void note_reported(program *p, const char *text)
{
    const char *at = strstr(text, "index ");
    int number = at ? atoi(at + 6) - 1000 : -1;
    const bool named = strstr(text, "earlier: ") && (strstr(text, "garray_take") || strstr(text, "another call"));
    if (number < 0 || number >= p->nbad || !p->bad[number] || !named)
        WRONG(p, "a late error that was not expected: %s", text);
    else
        p->bad[number] = NULL;
}

static void log_line(void *ctx, garray_log_level level, const char *message)
{
    if (level == GARRAY_LOG_WARNING && strstr(message, "index "))
        note_reported(ctx, message);
}

/* The figure in a text about memory. */
static long long asked_for(const char *text)
{
    const char *at = strstr(text, "cuda:");
    at = at ? strchr(at + 5, ' ') : NULL;
    return at ? atoll(at + 1) : 0;
}

/* Whether the status is a failure of the device, which the other side knows nothing of; its text must be right. */
static bool is_fault(program *p, garray_status st, const char *what, int64_t failed_before)
{
    const char *text = garray_error_message();
    switch (st) {
    case GARRAY_OK:
        return false;
    case GARRAY_ERR_INDEX:
        if (!strstr(text, "earlier: "))
            return false;
        note_reported(p, text);
        break;
    case GARRAY_ERR_DEVICE_NOMEM:
        /* a column and a row may ask for more than there is at all */
        if (!p->limited && fake.failed == failed_before && asked_for(text) < ((long long)64 << 20))
            WRONG(p, "%s: no memory, but there is: %s", what, text);
        if (!strstr(text, "bytes asked for") || !strstr(text, "cached"))
            WRONG(p, "%s: the text lacks figures: %s", what, text);
        break;
    case GARRAY_ERR_INTERNAL:
        if (fake.failed == failed_before || !strstr(text, "fails as asked"))
            WRONG(p, "%s: %s", what, text);
        break;
    case GARRAY_ERR_DEVICE_LOST:
        if (!fake.sticky || !fake.failed)
            WRONG(p, "%s: %s", what, text);
        break;
    default:
        return false;
    }
    if (strncmp(text, "garray_", 7) != 0 && strncmp(text, "earlier: garray_", 16) != 0)
        WRONG(p, "%s: the text does not name a call: %s", what, text);
    return true;
}

static bool is_lost(const program *p)
{
    for (int d = 0; d < PROGRAM_DEVICES; d++)
        if (atomic_load(&p->device[d]->state) != GARRAY__DEVICE_USABLE)
            return true;
    return false;
}

/* ---- arrays ---- */
static int device_of(const garray_t *x)
{
    return garray_device_of(x).index;
}

static void drop(program *p, int i)
{
    garray_release(p->fake.slot[i]);
    garray_release(p->model.slot[i]);
    p->fake.slot[i] = p->model.slot[i] = NULL;
}

/* What was to be written in a call that failed holds anything now: so do all views of it. */
static void drop_buffer(program *p, const garray__buffer *buffer)
{
    for (int i = 0; i < PROGRAM_SLOTS; i++)
        if (p->fake.slot[i] && p->fake.slot[i]->buffer == buffer)
            drop(p, i);
}

static int full_slot(program *p, int device)
{
    int start = below(p, PROGRAM_SLOTS);
    for (int i = 0; i < PROGRAM_SLOTS; i++) {
        int at = (start + i) % PROGRAM_SLOTS;
        if (p->fake.slot[at] && (device < 0 || device_of(p->fake.slot[at]) == device))
            return at;
    }
    return -1;
}

static void check_slot(program *p, int i)
{
    const garray_t *x = p->fake.slot[i], *y = p->model.slot[i];
    if (garray_dtype_of(x) != garray_dtype_of(y) || garray_nbytes(x) != garray_nbytes(y) || garray_ndim(x) != garray_ndim(y)) {
        WRONG(p, "slot %d: %s of %d axes, not %s of %d", i, garray_dtype_name(garray_dtype_of(x)), garray_ndim(x),
              garray_dtype_name(garray_dtype_of(y)), garray_ndim(y));
        return;
    }
    const size_t size = (size_t)garray_nbytes(x);
    int64_t failed = fake.failed;
    garray_status st = garray_to_host(x, seen[0], NULL, READ_BYTES);
    if (is_fault(p, st, "to_host", failed))
        return;
    if (st != GARRAY_OK || garray_to_host(y, seen[1], NULL, READ_BYTES) != GARRAY_OK)
        WRONG(p, "to_host: %s", garray_error_message());
    else if (memcmp(seen[0], seen[1], size) != 0) {
        size_t at = 0;
        while (seen[0][at] == seen[1][at])
            at++;
        WRONG(p, "slot %d: byte %zu of %zu is %d, not %d", i, at, size, seen[0][at], seen[1][at]);
    }
}

/* ---- streams and events ---- */
static garray__queue queue_of(const program *p, int device, void *native)
{
    garray__queue queue = p->device[device]->stream->queue;
    queue.stream = native;
    return queue;
}

static void choose_stream(program *p, int device)
{
    lane *l = &p->lane[below(p, STREAMS)];
    garray_stream *stream = l->stream && l->device == device ? l->stream : NULL;
    if (garray_stream_swap(stream, GARRAY_CUDA(device), NULL) != GARRAY_OK)
        WRONG(p, "stream_swap: %s", garray_error_message());
}

static void close_lane(program *p, lane *l)
{
    if (!l->stream)
        return;
    if (garray_stream_swap(NULL, GARRAY_CUDA(l->device), NULL) != GARRAY_OK)
        WRONG(p, "stream_swap: %s", garray_error_message());
    garray_stream_free(l->stream);
    if (l->native)
        fake_native_stream_free(l->native);
    l->stream = NULL;
    l->native = NULL;
}

static void change_stream(program *p)
{
    lane *l = &p->lane[below(p, STREAMS)];
    if (l->stream) {
        if (l->native && p->opts->fail_at)
            return;             /* its owner could not destroy it either */
        close_lane(p, l);
        return;
    }
    int64_t failed = fake.failed;
    l->device = below(p, PROGRAM_DEVICES);
    garray_status st;
    if (below(p, 3) == 0) {
        l->native = fake_native_stream();
        st = garray_stream_wrap(GARRAY_CUDA(l->device), l->native, &l->stream);
    } else
        st = garray_stream_new(GARRAY_CUDA(l->device), &l->stream);
    if (st == GARRAY_OK)
        return;
    if (!is_fault(p, st, "stream_new", failed))
        WRONG(p, "stream_new: %s", garray_error_message());
    if (l->native)
        fake_native_stream_free(l->native);
    l->stream = NULL;
    l->native = NULL;
}

static void use_event(program *p)
{
    int i = below(p, EVENTS);
    lane *l = &p->lane[below(p, STREAMS)];
    garray_event **event = &p->event[i];
    garray_stream *stream = l->stream && l->device == 0 ? l->stream : NULL;
    int64_t failed = fake.failed;
    garray_status st = GARRAY_OK;
    int what = below(p, 10);
    if (!*event)
        st = garray_event_new(GARRAY_CUDA(0), event);
    else if (what < 4) {
        st = garray_event_record(*event, stream);
        p->recorded[i] |= st == GARRAY_OK;
    } else if (what < 7)
        st = garray_event_wait(stream, *event);
    else if (what < 9)
        st = garray_event_synchronize(*event);
    else {
        garray_event_free(*event);
        *event = NULL;
        p->recorded[i] = false;
    }
    if (st != GARRAY_OK && !is_fault(p, st, "event", failed))
        WRONG(p, "event: %s", garray_error_message());
}

/* ---- memory lent to others ---- */
/* What another library does on a stream of its own: adds 1 to n int32. */
static garray_status add_one(const garray__queue *queue, void *data, int64_t n)
{
    garray_ew_plan plan = { .op = GARRAY_OP_add, .dtype = GARRAY_INT32, .nop = 3, .ndim = 1, .layout = GARRAY_EW_STRIDED,
                            .count = n, .shape = { n } };
    plan.operand[0] = plan.operand[1] = (garray_ew_operand){ .data = data, .dtype = GARRAY_INT32, .strides = { 4 } };
    plan.operand[2] = (garray_ew_operand){ .dtype = GARRAY_INT32, .bits = { 1 } };
    return n ? fake_backend(&garray__host)->elementwise(queue, &plan) : GARRAY_OK;
}

static bool can_lend(const garray_t *x)
{
    return garray_dtype_of(x) == GARRAY_INT32 && garray_is_contiguous(x) && garray_is_writeable(x);
}

static void borrow(program *p, int i)
{
    garray_t *x = p->fake.slot[i];
    void *data, *native;
    const int d = device_of(x);
    int64_t failed = fake.failed;
    garray_status st = garray_begin(x, GARRAY_READ | GARRAY_WRITE, NULL, &data);
    if (st == GARRAY_OK) {
        st = garray_stream_native(NULL, GARRAY_CUDA(d), &native);
        garray__queue queue = queue_of(p, d, native);
        if (st == GARRAY_OK && add_one(&queue, data, garray_size(x)) == GARRAY_OK &&
            garray_add(p->model.slot[i], 1, garray_into(p->model.slot[i])) != GARRAY_OK)
            WRONG(p, "add: %s", garray_error_message());
        st = garray_end(x, NULL);
    }
    if (st != GARRAY_OK && !is_fault(p, st, "begin", failed))
        WRONG(p, "begin: %s", garray_error_message());
}

static int shares(const program *p, const garray__buffer *buffer)
{
    int n = 0;
    for (int i = 0; i < PROGRAM_SLOTS; i++)
        n += p->fake.slot[i] && p->fake.slot[i]->buffer == buffer;
    return n;
}

/* Out to another library, which changes the memory on its stream or on ours. */
static void lend(program *p, int i, lent *l)
{
    garray_t *x = p->fake.slot[i];
    if (!can_lend(x) || shares(p, x->buffer) != 1)
        return;
    const int d = device_of(x);
    l->native = below(p, 2) ? p->foreign : NULL;
    garray_dlpack_opts opts = { .has_stream = l->native != NULL, .stream = l->native };
    int64_t failed = fake.failed;
    garray_status st = garray_to_dlpack(x, &opts, &l->tensor);
    if (st != GARRAY_OK) {
        l->tensor = NULL;
        if (!is_fault(p, st, "to_dlpack", failed))
            WRONG(p, "to_dlpack: %s", garray_error_message());
        return;
    }
    garray__queue queue = l->native ? queue_of(p, d, l->native) : *garray__queue_current(p->device[d]);
    l->model = garray_retain(p->model.slot[i]);
    l->buffer = x->buffer;
    l->device = d;
    if (add_one(&queue, l->tensor->dl_tensor.data, garray_size(x)) == GARRAY_OK &&
        garray_add(l->model, 1, garray_into(l->model)) != GARRAY_OK)
        WRONG(p, "add: %s", garray_error_message());
    if (!l->native)             /* our stream: what follows there comes after it */
        p->device[d]->backend->stream_wait_host(&queue);
    drop(p, i);
}

static void take_back(program *p, int i, lent *l)
{
    garray_dlpack_opts opts = { .has_stream = l->native != NULL, .stream = l->native };
    int64_t failed = fake.failed;
    garray_status st = garray_from_dlpack(l->tensor, &opts, &p->fake.slot[i]);
    if (st != GARRAY_OK) {      /* the tensor is still ours: another round */
        if (!is_fault(p, st, "from_dlpack", failed))
            WRONG(p, "from_dlpack: %s", garray_error_message());
        return;
    }
    p->imported = true;
    garray_release(p->model.slot[i]);
    p->model.slot[i] = l->model;
    *l = (lent){ 0 };
}

static void exchange(program *p)
{
    lent *l = &p->lent[below(p, LENT)];
    int i = l->tensor ? below(p, PROGRAM_SLOTS) : full_slot(p, -1);
    if (l->tensor) {
        choose_stream(p, l->device);
        take_back(p, i, l);
    } else if (i >= 0) {
        choose_stream(p, device_of(p->fake.slot[i]));
        lend(p, i, l);
    }
}

/* ---- the computing steps ---- */
static int64_t random_length(program *p)
{
    static const int few[] = { 0, 1, 2, 5, 6, 30, 60, 64 };
    int kind = below(p, 900);
    return kind == 0 ? 140000 + below(p, 100000) : kind < 40 ? below(p, 3000) : few[below(p, 8)];
}

static void random_step(program *p, program_step *s)
{
    static const int dtypes[] = { GARRAY_INT32, GARRAY_INT32, GARRAY_INT32, GARRAY_INT64, GARRAY_UINT8, GARRAY_FLOAT32,
                                  GARRAY_FLOAT64 };
    *s = (program_step){ .device = below(p, PROGRAM_DEVICES), .out = below(p, PROGRAM_SLOTS), .dtype = dtypes[below(p, 7)],
                         .k = below(p, 100), .n = random_length(p) };
    s->a = full_slot(p, -1);
    bool create = s->a < 0 || (!p->fake.slot[s->out] && below(p, 3) == 0);
    if (s->a < 0)
        s->a = s->b = 0;
    else if (!create) {
        s->device = device_of(p->fake.slot[s->a]);
        s->b = full_slot(p, below(p, 40) ? s->device : -1);
    }
    do
        s->kind = create ? below(p, PROGRAM_DRAW + 1) : PROGRAM_DRAW + 1 + below(p, PROGRAM_KINDS - PROGRAM_DRAW - 1);
    while (program_step_writes(s->kind) && !p->fake.slot[s->out]);
}

static void compute(program *p)
{
    program_step s;
    char text[400];
    random_step(p, &s);
    garray__buffer *target = program_step_writes(s.kind) ? p->fake.slot[s.out]->buffer : NULL;
    choose_stream(p, s.device);
    for (int attempt = 0; attempt < 2; attempt++) {
        int64_t failed = fake.failed;
        bool lost = is_lost(p);
        garray_status st = program_step_run(&s, &p->fake), same;
        if (lost && st == GARRAY_OK && s.kind <= PROGRAM_DRAW && s.n > 0)
            WRONG(p, "%s worked on a lost device", program_step_name(s.kind));
        if (is_fault(p, st, program_step_name(s.kind), failed)) {
            bool again = st == GARRAY_ERR_INTERNAL && !p->opts->for_ever && !p->opts->sticky && !target;
            if (target)
                drop_buffer(p, target);
            if (again && !attempt)
                continue;
            if (again)
                WRONG(p, "%s: failed once more: %s", program_step_name(s.kind), garray_error_message());
            return;
        }
        if (st == GARRAY_ERR_MIXED_DEVICES)
            return;
        snprintf(text, sizeof text, "%s", st == GARRAY_OK ? "" : garray_error_message());
        same = program_step_run(&s, &p->model);
        if (same != st)
            WRONG(p, "%s: %s, not %s (%s)", program_step_name(s.kind), garray_status_name(st), garray_status_name(same),
                  st == GARRAY_OK ? garray_error_message() : text);
        else if (st != GARRAY_OK && strcmp(text, garray_error_message()) != 0)
            WRONG(p, "\"%s\", not \"%s\"", text, garray_error_message());
        else if (st == GARRAY_OK && garray_nbytes(p->model.slot[s.out]) > READ_BYTES / 3)
            drop(p, s.out);     /* what follows may be three times as large */
        return;
    }
}

/* ---- graphs ---- */
enum { GRAPH_STEPS = 6 };

static void share_slots(garray_t *const *from, garray_t **to)
{
    for (int i = 0; i < PROGRAM_SLOTS; i++) {
        garray_release(to[i]);
        to[i] = from[i] ? garray_retain(from[i]) : NULL;
    }
}

/* Whether all of a step happens on the device. */
static bool is_on(const program *p, const program_step *s, int device)
{
    const garray_t *a = p->fake.slot[s->a], *b = p->fake.slot[s->b], *out = p->fake.slot[s->out];
    if (program_step_writes(s->kind) && device_of(out) != device)
        return false;
    return s->kind <= PROGRAM_DRAW ? s->device == device : a && device_of(a) == device && (!b || device_of(b) == device);
}

/* Steps into a graph; returns how many there are.  Those that fail leave nothing behind. */
static int capture(program *p, int device, program_step *step, garray_graph **graph)
{
    int n = 0;
    int64_t failed = fake.failed;
    garray_status st = garray_capture_begin(GARRAY_CUDA(device));
    if (st != GARRAY_OK) {
        if (!is_fault(p, st, "capture_begin", failed))
            WRONG(p, "capture_begin: %s", garray_error_message());
        return 0;
    }
    for (int i = 1 + below(p, GRAPH_STEPS); i > 0; i--) {
        program_step *s = &step[n];
        random_step(p, s);
        if (!is_on(p, s, device))
            continue;
        st = program_step_run(s, &p->fake);
        n += st == GARRAY_OK;
        if (st != GARRAY_OK)            /* of this call, or of one before in the capture */
            (void)is_fault(p, st, program_step_name(s->kind), -1);
    }
    const bool wanted = below(p, 10) != 0;
    st = garray_capture_end(wanted ? graph : NULL);
    if (st == GARRAY_OK && wanted)
        return n;
    if (st != GARRAY_OK && !is_fault(p, st, "capture_end", -1) &&
        !(st == GARRAY_ERR_UNSUPPORTED && strstr(garray_error_message(), "cannot be captured")) &&
        !(st == GARRAY_ERR_INVALID && strstr(garray_error_message(), "an error of earlier work")))
        WRONG(p, "capture_end: %s", garray_error_message());
    return 0;
}

/* What a graph that was not launched would have written holds anything. */
static void drop_results(program *p, const program_step *step, int n, garray_t *const *before)
{
    for (int i = 0; i < n; i++) {
        garray_t *out = p->fake.slot[step[i].out], *old = before[step[i].out];
        if (program_step_writes(step[i].kind) && old)
            drop_buffer(p, old->buffer);
        if (program_step_writes(step[i].kind) && out && p->fake.slot[step[i].out] == out)
            drop_buffer(p, out->buffer);
        if (p->fake.slot[step[i].out])
            drop(p, step[i].out);
    }
}

/* Calls are captured and launched, on any streams; the other side makes them as often. */
static void replay(program *p)
{
    program_step step[GRAPH_STEPS];
    garray_t *before[2][PROGRAM_SLOTS] = { { NULL } };
    const int device = below(p, PROGRAM_DEVICES);
    bool once = false;
    garray_graph_free(p->graph);
    p->graph = NULL;
    share_slots(p->fake.slot, before[0]);
    share_slots(p->model.slot, before[1]);
    choose_stream(p, device);
    const int n = capture(p, device, step, &p->graph);
    for (int i = 0; i < n; i++)
        /* repeating these calls does other things */
        once |= step[i].kind == PROGRAM_DRAW || step[i].kind == PROGRAM_FROM_HOST;
    if (!p->graph)
        share_slots(before[0], p->fake.slot);
    for (int k = once ? 1 : 1 + below(p, 3); k > 0 && p->graph && !p->wrong; k--) {
        int64_t failed = fake.failed;
        choose_stream(p, device);
        garray_status st = garray_graph_launch(p->graph, NULL);
        if (st != GARRAY_OK) {
            if (!is_fault(p, st, "graph_launch", failed))
                WRONG(p, "graph_launch: %s", garray_error_message());
            drop_results(p, step, n, before[0]);
            break;
        }
        share_slots(before[1], p->model.slot);
        for (int i = 0; i < n; i++)
            if (program_step_run(&step[i], &p->model) != GARRAY_OK)
                WRONG(p, "%s in a graph, but %s", program_step_name(step[i].kind), garray_error_message());
    }
    for (int i = 0; i < PROGRAM_SLOTS; i++) {
        garray_release(before[0][i]);
        garray_release(before[1][i]);
        if (p->fake.slot[i] && p->model.slot[i] && garray_nbytes(p->model.slot[i]) > READ_BYTES / 3)
            drop(p, i);
    }
    if (below(p, 2)) {
        garray_graph_free(p->graph);
        p->graph = NULL;
    }
}

/* An index that the device finds out of bounds when the work runs. */
static void enqueue_bad(program *p)
{
    int i = full_slot(p, -1);
    if (i < 0 || p->nbad == BADS || garray_ndim(p->fake.slot[i]) != 1)
        return;
    const int64_t bad = 1000 + p->nbad, length = garray_len(p->fake.slot[i]);
    if (length == 0 || length >= 1000)
        return;
    GARRAY_AUTO garray_t *at = NULL, *result = NULL;
    int d = device_of(p->fake.slot[i]);
    choose_stream(p, d);
    int64_t failed = fake.failed;
    garray_status st = garray_from_host(&bad, GARRAY_INT64, GARRAY_SHAPE(1), NULL, GARRAY_CUDA(d), &at);
    if (st == GARRAY_OK) {
        p->bad[p->nbad++] = garray__stream_current(p->device[d]);
        st = garray_take(p->fake.slot[i], at, GARRAY_AXES(0), &result);
        if (st != GARRAY_OK)
            p->bad[p->nbad - 1] = NULL;
    }
    if (st != GARRAY_OK && !is_fault(p, st, "take", failed))
        WRONG(p, "take: %s", garray_error_message());
}

/* To pinned memory without a wait, but for the event's. */
static garray_status copy_out(program *p, const garray_t *x, void *data)
{
    garray_event *event = NULL;
    garray_status st = garray_event_new(garray_device_of(x), &event);
    if (st == GARRAY_OK)
        st = garray_to_host_async(x, data, NULL, (size_t)garray_nbytes(x), event);
    if (st == GARRAY_OK)
        st = garray_event_synchronize(event);
    if (st != GARRAY_OK && p->opts->fail_at) {          /* in use still, where nothing could be waited for */
        const int64_t at = fake.fail_at;
        fake.fail_at = 0;
        fake_drain();
        fake.fail_at = at;
    }
    garray_event_free(event);
    return st;
}

/* The way back, from memory that is overwritten when the call has returned: pinned memory when the event is done. */
static garray_status copy_in(program *p, const garray_t *over, int device, garray_t **back)
{
    garray_event *event = NULL;
    void *data;
    garray_status st = garray_begin((garray_t *)over, GARRAY_READ, NULL, &data);
    if (st != GARRAY_OK)
        return st;
    st = garray_event_new(GARRAY_CUDA(device), &event);
    if (st == GARRAY_OK)
        st = garray_from_host_async(data, garray_dtype_of(over), garray_shape_of(over), garray_strides_of(over),
                                    GARRAY_CUDA(device), event, back);
    if (st == GARRAY_OK)
        st = garray_event_synchronize(event);
    if (st != GARRAY_OK && p->opts->fail_at) {
        const int64_t at = fake.fail_at;
        fake.fail_at = 0;
        fake_drain();
        fake.fail_at = at;
    }
    garray_event_free(event);
    if (garray_end((garray_t *)over, NULL) != GARRAY_OK)
        WRONG(p, "end: %s", garray_error_message());
    return st;
}

/* From one device to another, or to the CPU and back. */
static void move(program *p)
{
    int i = full_slot(p, -1), o = below(p, PROGRAM_SLOTS), d = below(p, PROGRAM_DEVICES + 1);
    if (i < 0)
        return;
    garray_t *x = p->fake.slot[i], *over = NULL, *model = NULL;
    choose_stream(p, device_of(x));
    if (d < PROGRAM_DEVICES && d != device_of(x))
        choose_stream(p, d);
    int64_t failed = fake.failed;
    garray_status st = GARRAY_OK;
    if (d == PROGRAM_DEVICES && garray_ndim(x) == 1 && below(p, 2))
        st = garray_empty_pinned(garray_shape_of(x), garray_dtype_of(x), GARRAY_CUDA(below(p, PROGRAM_DEVICES)), &over);
    if (st == GARRAY_OK && over) {      /* the device's contents into pinned memory */
        void *data;
        st = garray_begin(over, GARRAY_WRITE, NULL, &data);
        if (st == GARRAY_OK) {
            st = below(p, 2) ? garray_to_host(x, data, NULL, (size_t)garray_nbytes(over)) : copy_out(p, x, data);
            if (garray_end(over, NULL) != GARRAY_OK)
                WRONG(p, "end: %s", garray_error_message());
        }
    } else if (st == GARRAY_OK)
        st = garray_to_device(x, d == PROGRAM_DEVICES ? GARRAY_CPU : GARRAY_CUDA(d), &over);
    if (st == GARRAY_OK && d == PROGRAM_DEVICES) {
        d = below(p, PROGRAM_DEVICES);
        choose_stream(p, d);
        garray_t *back = NULL;
        st = below(p, 2) ? garray_to_device(over, GARRAY_CUDA(d), &back) : copy_in(p, over, d, &back);
        /* the source may be overwritten at once */
        if (garray_is_writeable(over) && garray_setitem(over, GARRAY_AT(GARRAY_ELLIPSIS), 77) != GARRAY_OK)
            WRONG(p, "setitem: %s", garray_error_message());
        garray_release(over);
        over = back;
    }
    if (st == GARRAY_OK && over->buffer == x->buffer)
        st = garray_asarray(p->model.slot[i], NULL, &model);
    else if (st == GARRAY_OK)
        st = garray_copy(p->model.slot[i], &model);
    if (st != GARRAY_OK) {
        if (!is_fault(p, st, "to_device", failed))
            WRONG(p, "to_device: %s", garray_error_message());
        garray_release(over);
        return;
    }
    drop(p, o);
    p->fake.slot[o] = over;
    p->model.slot[o] = model;
}

/* ---- the program ---- */
static void check_statistics(program *p)
{
    int64_t live = 0, blocks = 0, held = 0;
    const garray__buffer *known[PROGRAM_SLOTS + LENT];
    int n = 0;
    for (int i = 0; i < PROGRAM_SLOTS + LENT; i++) {
        const garray__buffer *b = i < PROGRAM_SLOTS ? (p->fake.slot[i] ? p->fake.slot[i]->buffer : NULL)
                                                    : (p->lent[i - PROGRAM_SLOTS].tensor ? p->lent[i - PROGRAM_SLOTS].buffer : NULL);
        int at = 0;
        while (at < n && known[at] != b)
            at++;
        if (!b || at < n || b->foreign)
            continue;
        known[n++] = b;
        live += (int64_t)b->size;
        blocks++;
    }
    garray_memory_info sum = { 0 }, info;
    for (int d = 0; d < PROGRAM_DEVICES; d++) {
        garray__pool_info(p->device[d]->pool, &info);
        sum.live_bytes += info.live_bytes;
        sum.live_blocks += info.live_blocks;
        held += info.live_bytes + info.cached_bytes;
        if (info.live_bytes > info.peak_bytes || info.cached_bytes < 0)
            WRONG(p, "live %lld, peak %lld, cached %lld", (long long)info.live_bytes, (long long)info.peak_bytes,
                  (long long)info.cached_bytes);
        if (info.limit_bytes && info.live_bytes + info.cached_bytes > info.limit_bytes)
            WRONG(p, "more memory than the limit");
    }
    if (p->upstream ? held > fake.held : held != fake.held)
        WRONG(p, "the pools hold %lld bytes, not %lld", (long long)fake.held, (long long)held);
    if (p->imported ? sum.live_bytes < live : sum.live_bytes != live || sum.live_blocks != blocks)
        WRONG(p, "%lld bytes in %lld buffers, not %lld in %lld", (long long)sum.live_bytes, (long long)sum.live_blocks,
              (long long)live, (long long)blocks);
}

static void one_step(program *p)
{
    int what = below(p, 100), i = full_slot(p, -1), d = below(p, PROGRAM_DEVICES);
    int64_t failed = fake.failed;
    garray_status st = GARRAY_OK;
    if (what < 54)
        compute(p);
    else if (what < 58)
        replay(p);
    else if (what < 64 && i >= 0) {
        choose_stream(p, device_of(p->fake.slot[i]));
        check_slot(p, i);
    } else if (what < 70 && i >= 0)
        drop(p, i);
    else if (what < 76)
        change_stream(p);
    else if (what < 80)
        use_event(p);
    else if (what < 85)
        exchange(p);
    else if (what < 88 && i >= 0 && can_lend(p->fake.slot[i])) {
        choose_stream(p, device_of(p->fake.slot[i]));
        borrow(p, i);
    } else if (what < 92)
        move(p);
    else if (what < 94)
        enqueue_bad(p);
    else if (what < 96)
        st = garray_synchronize(GARRAY_CUDA(d));
    else if (what < 97)
        st = garray_memory_trim(GARRAY_CUDA(d));
    else if (p->lane[below(p, STREAMS)].stream) {
        lane *l = &p->lane[0];
        while (!l->stream)
            l++;
        st = garray_stream_synchronize(l->stream);
    }
    if (st != GARRAY_OK && !is_fault(p, st, "waiting", failed))
        WRONG(p, "waiting: %s", garray_error_message());
}

/* An allocator of the user. */
static void *user_alloc(size_t size, garray_device device, void *stream, void *ctx)
{
    const program *p = ctx;
    garray__queue queue = queue_of(p, device.index, stream);
    void *ptr;
    return fake_backend(&garray__host)->alloc_async(&queue, size, &ptr) == GARRAY_OK ? ptr : NULL;
}

static void user_free(void *ptr, size_t size, garray_device device, void *stream, void *ctx)
{
    const program *p = ctx;
    garray__queue queue = queue_of(p, device.index, stream);
    fake_backend(&garray__host)->free_async(&queue, ptr, size);
}

static garray_status choose_allocator(program *p, int d)
{
    if (below(p, 6))
        return GARRAY_OK;
    garray_allocator allocator = { .kind = GARRAY_ALLOCATOR_DIRECT + below(p, 3), .alloc = user_alloc, .free = user_free,
                                   .ctx = p };
    p->upstream = true;
    return garray_memory_set_allocator(GARRAY_CUDA(d), &allocator);
}

static bool open_devices(program *p)
{
    for (int d = 0; d < PROGRAM_DEVICES; d++) {
        if (garray__device_new(fake_backend(&garray__host), d, &p->device[d]) != GARRAY_OK)
            return false;
        atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][d], p->device[d]);
        if (choose_allocator(p, d) != GARRAY_OK)
            return false;
        if (below(p, 5) == 0) {
            p->limited = true;
            if (garray_memory_set_limit(GARRAY_CUDA(d), (int64_t)(below(p, 12) + 3) << 20) != GARRAY_OK)
                return false;
        }
    }
    return true;
}

/* Everything is given back, faults are over: nothing may be left. */
static void close_all(program *p, bool lost)
{
    const bool sticky = p->opts->sticky;
    fake.fail_at = 0;
    garray_graph_free(p->graph);
    for (int i = 0; i < PROGRAM_SLOTS; i++)
        if (p->fake.slot[i] && !lost && !p->wrong)
            check_slot(p, i);
    for (int i = 0; i < PROGRAM_SLOTS; i++)
        drop(p, i);
    for (int i = 0; i < LENT; i++)
        if (p->lent[i].tensor) {        /* its consumer lets go when its work is done */
            fake_drain();
            p->lent[i].tensor->deleter(p->lent[i].tensor);
            garray_release(p->lent[i].model);
        }
    for (int i = 0; i < EVENTS; i++)
        garray_event_free(p->event[i]);
    for (int i = 0; i < STREAMS; i++)
        close_lane(p, &p->lane[i]);
    for (int d = 0; d < PROGRAM_DEVICES; d++) {
        garray_status st;
        while ((st = garray_synchronize(GARRAY_CUDA(d))) == GARRAY_ERR_INDEX && !p->wrong)
            note_reported(p, garray_error_message());
        if (st != GARRAY_OK && !sticky)
            WRONG(p, "synchronize: %s", garray_error_message());
        st = garray_memory_trim(GARRAY_CUDA(d));
        if (st != GARRAY_OK && !sticky)
            WRONG(p, "trim: %s", garray_error_message());
        garray_memory_info info;
        garray__pool_info(p->device[d]->pool, &info);
        if (info.live_bytes || info.live_blocks || info.cached_bytes || info.driver_allocations != info.driver_frees)
            WRONG(p, "left: %lld bytes in %lld buffers, %lld cached", (long long)info.live_bytes, (long long)info.live_blocks,
                  (long long)info.cached_bytes);
    }
    for (int d = 0; d < PROGRAM_DEVICES; d++) {
        atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][d], NULL);
        garray__device_free(p->device[d]);
    }
    fake_native_stream_free(p->foreign);
    fake_drain();
    if (fake.events || fake.held || fake.pinned || fake.graphs)
        WRONG(p, "left: %lld events, %lld bytes, %lld pinned blocks, %lld graphs", (long long)fake.events, (long long)fake.held,
              (long long)fake.pinned, (long long)fake.graphs);
    if (fake.wrong_device)
        WRONG(p, "%lld calls used what belongs to the other device", (long long)fake.wrong_device);
    if (!sticky && (fake.streams || fake.early_frees))
        WRONG(p, "left: %lld streams; %lld blocks freed while in use", (long long)fake.streams, (long long)fake.early_frees);
}

const char *program_run(const program_opts *opts, int64_t *calls)
{
    program *p = &space;
    garray_memory_info before, after;
    memset(p, 0, sizeof *p);
    p->opts = opts;
    p->state = opts->seed;
    p->fake.fake = true;
    fake_reset(opts->seed);
    fake_run_plans(&fake_plans);
    fake.haste = below(p, 5);
    fake.garbage = true;
    garray__stage_set(&(garray__stage_settings){ .slot = 64 << below(p, 8), .slots = below(p, 5),
                                                 .least = below(p, 3) ? 1 + below(p, 100) : 1 << 20 });
    if (below(p, 5) == 0) {
        p->limited = true;
        fake.memory = (size_t)(below(p, 24) + 8) << 20;
    }
    if (garray_memory_stats(GARRAY_CPU, &before) != GARRAY_OK || !open_devices(p)) {
        WRONG(p, "%s", garray_error_message());
        return p->text;
    }
    garray_set_log(log_line, p);
    p->foreign = fake_native_stream();
    const int64_t first = fake.calls;
    fake.fail_at = opts->fail_at ? fake.calls + opts->fail_at : 0;
    fake.fail_for_ever = opts->for_ever;
    fake.sticky = opts->sticky;
    const int steps = 15 + below(p, 60);
    for (p->step = 0; p->step < steps && !p->wrong; p->step++) {
        one_step(p);
        if (p->step % 8 == 0 && !p->graph)
            check_statistics(p);
    }
    if (calls)
        *calls = fake.calls - first;
    close_all(p, fake.sticky && fake.failed);
    garray_set_log(NULL, NULL);
    for (int i = 0; i < PROGRAM_SLOTS; i++)
        drop(p, i);
    if (garray_memory_stats(GARRAY_CPU, &after) != GARRAY_OK || after.live_blocks != before.live_blocks)
        WRONG(p, "the CPU has %lld buffers more than before", (long long)(after.live_blocks - before.live_blocks));
    return p->wrong ? p->text : NULL;
}
