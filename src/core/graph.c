/* SPDX-License-Identifier: BSD-3-Clause
 * Graphs: the backend's graph of the captured plans, launches, and the numbers that change between them. */
#include <stdlib.h>
#include <string.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/shadow.h"

/* ---- building ---- */
/* The words of random sequences, each at 0, and the plans at the end that move them on. */
static garray_status add_words(garray_graph *graph)
{
    const garray_operand zero = garray_operand_uint(0);
    garray_status st = GARRAY_OK;
    for (int i = 0; i < graph->nsequences && st == GARRAY_OK; i++) {
        st = garray__new(GARRAY_UINT64, 0, NULL, graph->device, &graph->sequence[i].word);
        if (st == GARRAY_OK)
            st = garray__fill(graph->sequence[i].word, &zero);
    }
    for (int i = 0; i < graph->nsteps && st == GARRAY_OK; i++)
        if (graph->step[i].sequence >= 0)
            ((garray_random_plan *)graph->step[i].plan)->moved =
                (const uint64_t *)graph->sequence[graph->step[i].sequence].word->data;
    garray__capture_resume(graph);  /* these calls are captured, too */
    for (int i = 0; i < graph->nsequences && st == GARRAY_OK; i++) {
        const garray__sequence *s = &graph->sequence[i];
        const garray_operand in[2] = { garray_operand_array(s->word), garray_operand_uint(s->end - s->first) };
        st = garray__elementwise(GARRAY_OP_add, 2, in, 0, garray_into(s->word));
    }
    (void)garray__capture_pause(graph->device);
    return st;
}

/* The stream on which the backend records. It counts for nobody else: no work of it is ever waited for. */
static garray_status open_stream(garray_graph *graph)
{
    garray_status st = garray__stream_open(graph->device, false, NULL, &graph->stream);
    if (st == GARRAY_OK)
        atomic_fetch_sub(&graph->device->living, 1);
    return st;
}

static void close_stream(garray_graph *graph)
{
    if (!graph->stream)
        return;
    atomic_fetch_add(&graph->device->living, 1);
    garray__stream_close(graph->stream);
    graph->stream = NULL;
}

/* The queue of the recording: memory comes from the current stream's. */
static garray__queue recording_queue(const garray_graph *graph)
{
    garray__queue queue = graph->stream->queue;
    queue.owner = garray__stream_current(graph->device);
    return queue;
}

/* Makes what vendor libraries cannot make while they are recorded. */
static void prepare(const garray_graph *graph, const garray__queue *queue)
{
    GARRAY__QUIETLY;
    const garray_backend *backend = graph->device->backend;
    for (int i = 0; i < graph->nsteps && backend->graph_prepare; i++) {
        const void *plan = graph->step[i].plan;
        switch (graph->step[i].entry) {
        case GARRAY__MATMUL: (void)backend->graph_prepare(queue, plan, NULL, NULL); break;
        case GARRAY__SOLVE: (void)backend->graph_prepare(queue, NULL, plan, NULL); break;
        case GARRAY__FFT: (void)backend->graph_prepare(queue, NULL, NULL, plan); break;
        default: break;
        }
    }
}

static garray_status record(garray_graph *graph, const garray__queue *queue)
{
    const garray_backend *backend = graph->device->backend;
    garray_status st = garray__device_note(graph->device, backend->graph_begin(queue));
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < graph->nsteps && st == GARRAY_OK; i++) {
        const char *outer = garray__call_name;
        garray__call_name = graph->step[i].name;
        st = garray__device_note(graph->device, garray__call_backend(backend, graph->step[i].entry, queue, graph->step[i].plan));
        garray__call_name = outer;
    }
    if (st == GARRAY_OK)
        return garray__device_note(graph->device, backend->graph_end(queue, &graph->native));
    GARRAY__QUIETLY;
    (void)backend->graph_end(queue, NULL);
    return st;
}

garray_status garray__graph_build(garray_graph *graph)
{
    if (!graph->device->backend->graph_begin)
        return GARRAY_OK;
    garray_status st = add_words(graph);
    if (st == GARRAY_OK)
        st = open_stream(graph);
    if (st != GARRAY_OK || graph->nsteps == 0)
        return st;
    const garray__queue queue = recording_queue(graph);
    garray__graph_record(graph);
    st = record(graph, &queue);
    if (st != GARRAY_OK && st != GARRAY_ERR_DEVICE_LOST && !garray__is_nomem(st)) {
        /* What is made at first use is made now, or has been made on the way. */
        prepare(graph, &queue);
        garray__clear_error();
        st = record(graph, &queue);
    }
    return st;
}

/* ---- launching ---- */
static garray_status check_sequences(const garray_graph *graph)
{
    for (int i = 0; i < graph->nsequences; i++) {
        const garray__sequence *s = &graph->sequence[i];
        uint64_t end;
        GARRAY_REQUIRE(!__builtin_add_overflow(s->first + s->moved, s->end - s->first, &end), INVALID,
                       "the sequence of random numbers ends before this launch does");
    }
    return GARRAY_OK;
}

/* The plan of a draw, where it draws in this launch. */
static garray_random_plan moved_plan(const garray_graph *graph, const garray__step *step)
{
    garray_random_plan plan = *(const garray_random_plan *)step->plan;
    plan.position += graph->sequence[step->sequence].moved;
    plan.moved = NULL;
    if (plan.kind == GARRAY_RANDOM_ORDER)
        garray__order_keys(&plan);
    return plan;
}

/* Plan by plan. */
static garray_status run_steps(const garray_graph *graph, const garray__queue *queue)
{
    garray_status st = GARRAY_OK;
    for (int i = 0; i < graph->nsteps && st == GARRAY_OK; i++) {
        const garray__step *step = &graph->step[i];
        const char *outer = garray__call_name;
        garray_random_plan moved;
        void *plan = step->plan;
        if (step->sequence >= 0) {
            moved = moved_plan(graph, step);
            plan = &moved;
        }
        garray__call_name = step->name;
        st = garray__run_plan(graph->device, queue, step->entry, plan);
        garray__call_name = outer;
    }
    return st;
}

static void move_sequences(garray_graph *graph)
{
    for (int i = 0; i < graph->nsequences; i++)
        graph->sequence[i].moved += graph->sequence[i].end - graph->sequence[i].first;
}

static garray_status wait_before(const garray_graph *graph, garray__stream *stream)
{
    garray_status st = garray__stream_wait(stream, graph->last);
    for (int i = 0; i < graph->nheld && st == GARRAY_OK; i++)
        st = garray__order_wait(graph->held[i].buffer, graph->held[i].writes, stream);
    for (garray__block *block = graph->blocks; block && st == GARRAY_OK; block = block->of_graph)
        st = garray__order_wait(&block->buffer, true, stream);
    return st;
}

static void note_after(garray_graph *graph, garray__stream *stream)
{
    const uint64_t ticket = garray__stream_ticket(stream);
    graph->last = (garray__use){ .ticket = ticket, .number = stream->queue.number };
    for (int i = 0; i < graph->nheld; i++)
        garray__order_note(graph->held[i].buffer, graph->held[i].writes, stream, ticket);
    for (garray__block *block = graph->blocks; block; block = block->of_graph)
        garray__order_note(&block->buffer, true, stream, ticket);
}

static void note_late(const garray_graph *graph, garray__stream *stream)
{
    bool late = false;
    for (int i = 0; i < graph->nsteps; i++)
        if (graph->step[i].late >= 0) {
            garray__stream_late(stream, graph->step[i].late, graph->step[i].name, graph->last.ticket);
            late = true;
        }
    if (late && graph->native)
        garray__stream_poll_also(stream, graph->stream->queue.number);
}

static garray_status launch(garray_graph *graph, garray__stream *stream)
{
    garray__device *device = graph->device;
    const int watch = garray__watching();
    garray_status st = wait_before(graph, stream);
    if (st != GARRAY_OK)
        return st;
    if (graph->native && !(watch & (GARRAY__WATCH_REPORT | GARRAY__WATCH_SHADOW)))
        st = garray__device_note(device, device->backend->graph_launch(&stream->queue, graph->native));
    else
        st = run_steps(graph, &stream->queue);
    /* Also after a failure: part of the work may be on its way. */
    note_after(graph, stream);
    note_late(graph, stream);
    if (st != GARRAY_OK)
        return st;
    move_sequences(graph);
    if (watch & GARRAY__WATCH_STRICT)
        return garray__stream_finish(stream);
    if (garray__stream_count(device) > 1 && graph->bytes >= GARRAY__EAGER_BYTES)
        garray__use_mark(graph->last);
    return GARRAY_OK;
}

garray_status garray_graph_launch(garray_graph *graph, garray_stream *stream)
{
    GARRAY_ENTER("garray_graph_launch");
    GARRAY_REQUIRE(graph, INVALID, "graph is NULL");
    garray__device *device = graph->device;
    GARRAY_TRY(garray__stream_choose(device, "the graph", &stream));
    GARRAY_TRY(garray__device_check(device));
    GARRAY_TRY(garray__not_captured(device, "graphs cannot be parts of graphs"));
    pthread_mutex_lock(&graph->lock);
    garray_status st = check_sequences(graph);
    if (st == GARRAY_OK && garray__device_is_async(device))
        st = launch(graph, stream);
    else if (st == GARRAY_OK && (st = run_steps(graph, &device->stream->queue)) == GARRAY_OK)
        move_sequences(graph);
    pthread_mutex_unlock(&graph->lock);
    return st;
}

/* A fault that nobody has asked for would be lost with the graph's stream. */
static void find_fault(const garray_graph *graph)
{
    bool late = false;
    for (int i = 0; i < graph->nsteps; i++)
        late |= graph->step[i].late >= 0;
    if (!late || garray__device_check(graph->device) != GARRAY_OK || garray__use_wait(graph->last) != GARRAY_OK)
        return;
    if (graph->device->backend->poll(&graph->stream->queue) != GARRAY_OK)
        garray__log(GARRAY_LOG_WARNING, "a graph was freed before its fault was seen: %s", garray__error_detail());
}

void garray_graph_free(garray_graph *graph)
{
    GARRAY_ENTER("garray_graph_free");
    /* In a forked child its memory is the parent's. */
    if (!graph || atomic_load(&graph->device->state) == GARRAY__DEVICE_IS_FORKED)
        return;
    if (graph->native) {
        find_fault(graph);
        graph->device->backend->graph_free(graph->device->handle, graph->native);
        for (garray__stream *s = atomic_load(&graph->device->streams); s; s = s->next)
            garray__stream_poll_no_more(s, graph->stream->queue.number);
    }
    close_stream(graph);
    garray__graph_drop(graph);
}

/* ---- numbers ---- */
garray_status (garray_graph_set)(garray_graph *graph, int parameter, garray_operand value)
{
    GARRAY_ENTER("garray_graph_set");
    GARRAY_REQUIRE(graph, INVALID, "graph is NULL");
    GARRAY_TRY(garray__operand_check(&value, "value"));
    GARRAY_REQUIRE(value.kind != GARRAY_OPERAND_ARRAY, INVALID, "value must be a number");
    GARRAY_TRY(garray__not_captured(graph->device, "the numbers of a graph are set outside of captures"));
    value.flags = 0;
    bool found = false;
    uint64_t bits[2];
    for (int i = 0; i < graph->nwords; i++) {
        const garray__word *w = &graph->word[i];
        if (w->number != parameter)
            continue;
        found = true;
        const bool integers = (w->kind == GARRAY_OPERAND_INT || w->kind == GARRAY_OPERAND_UINT) &&
                              (value.kind == GARRAY_OPERAND_INT || value.kind == GARRAY_OPERAND_UINT);
        GARRAY_REQUIRE(w->kind == value.kind || integers, INVALID, "parameter %d was another kind of number in the capture",
                       parameter);
        GARRAY_REQUIRE(!w->natural || value.kind != GARRAY_OPERAND_INT || (int64_t)value.bits[0] >= 0, INVALID,
                       "integers to negative integer powers are not allowed");
        GARRAY_TRY(garray__scalar_bits(&value, w->array->dtype, bits));
    }
    GARRAY_REQUIRE(found, INVALID, "the graph has no parameter %d", parameter);
    garray_status st = GARRAY_OK;
    pthread_mutex_lock(&graph->lock);
    for (int i = 0; i < graph->nwords && st == GARRAY_OK; i++)
        if (graph->word[i].number == parameter)
            st = garray__fill(graph->word[i].array, &value);
    pthread_mutex_unlock(&graph->lock);
    return st;
}

static garray_status find_sequence(garray_graph *graph, const garray_rng *rng, garray__sequence **out)
{
    GARRAY_REQUIRE(graph, INVALID, "graph is NULL");
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    for (int i = 0; i < graph->nsequences; i++)
        if (graph->sequence[i].seed == rng->seed && graph->sequence[i].stream == rng->stream) {
            *out = &graph->sequence[i];
            return GARRAY_OK;
        }
    return garray__fail(GARRAY_ERR_INVALID, "the graph draws nothing with this seed and stream");
}

garray_status garray_graph_seek(garray_graph *graph, const garray_rng *rng)
{
    GARRAY_ENTER("garray_graph_seek");
    garray__sequence *s = NULL;
    GARRAY_TRY(find_sequence(graph, rng, &s));
    GARRAY_TRY(garray__not_captured(graph->device, "the numbers of a graph are set outside of captures"));
    garray_status st = GARRAY_OK;
    const garray_operand moved = garray_operand_uint(rng->position - s->first);
    pthread_mutex_lock(&graph->lock);
    if (s->word)
        st = garray__fill(s->word, &moved);
    if (st == GARRAY_OK)
        s->moved = rng->position - s->first;
    pthread_mutex_unlock(&graph->lock);
    return st;
}

garray_status garray_graph_tell(garray_graph *graph, garray_rng *rng)
{
    GARRAY_ENTER("garray_graph_tell");
    garray__sequence *s = NULL;
    GARRAY_TRY(find_sequence(graph, rng, &s));
    pthread_mutex_lock(&graph->lock);
    rng->position = s->first + s->moved;
    pthread_mutex_unlock(&graph->lock);
    return GARRAY_OK;
}
