/* SPDX-License-Identifier: BSD-3-Clause
 * Capturing: plans are kept with the buffers that they use, memory belongs to the graph, and what cannot be part of one is
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/graph.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/result.h"
#include "core/spans.h"

/* ---- failing ---- */
garray_status garray__capture_fail(garray_graph *graph, garray_status st)
{
    const bool late = st == GARRAY_ERR_INDEX || st == GARRAY_ERR_SINGULAR || st == GARRAY_ERR_NOCONVERGE;
    if (graph->failed == GARRAY_OK) {
        graph->failed = late ? GARRAY_ERR_INVALID : st;     /* an error of earlier work is told once */
        snprintf(graph->text, sizeof graph->text, "%s", late ? "an error of earlier work came up" : garray_error_message());
    }
    return st;
}

garray_status garray__capture_refuse(garray_graph *graph, const char *why)
{
    return garray__capture_fail(graph, garray__fail(GARRAY_ERR_UNSUPPORTED, "cannot be captured: %s", why));
}

garray_status garray__parameter_refuse(void)
{
    return garray__capture_refuse(garray__self->capture,
                                  "a parameter can only be an operand of an elementwise function, or a fill");
}

static garray_status check_open(const garray_graph *graph)
{
    if (GARRAY__LIKELY(graph->failed == GARRAY_OK))
        return GARRAY_OK;
    return garray__fail(graph->failed, "the capture has failed: %s", graph->text);
}

static garray_status no_memory(garray_graph *graph)
{
    return garray__capture_fail(graph, garray__fail(GARRAY_ERR_NOMEM, "no host memory for a graph"));
}

/* ---- lists that grow ---- */
/* Room for one more item of a list of n: doubled at powers of two. */
static bool grow(void **list, int n, size_t item)
{
    if (n & (n - 1))
        return true;
    void *more = realloc(*list, (n ? 2 * (size_t)n : 1) * item);
    if (more)
        *list = more;
    return more != NULL;
}

#define GROW(graph, list, n) grow((void **)&(graph)->list, (graph)->n, sizeof *(graph)->list)

/* ---- buffers from outside ---- */
static bool is_own(const garray_graph *graph, const garray__buffer *buffer)
{
    return atomic_load_explicit(&((garray__block *)buffer)->graph, memory_order_acquire) == graph;
}

static garray_status hold(garray_graph *graph, garray__buffer *buffer, bool writes)
{
    if (is_own(graph, buffer))
        return GARRAY_OK;
    for (int i = 0; i < graph->nheld; i++)
        if (graph->held[i].buffer == buffer) {
            graph->held[i].writes |= writes;
            return GARRAY_OK;
        }
    if (!GROW(graph, held, nheld))
        return no_memory(graph);
    graph->held[graph->nheld++] = (garray__held){ garray__buffer_retain(buffer), writes };
    return GARRAY_OK;
}

/* ---- plans ---- */
/* A copy that needs nothing of the caller's. */
static void *keep_plan(garray__entry entry, const void *plan)
{
    const size_t size = garray__plan_size(entry);
    const garray_sort_plan *sort = plan;
    /* the only memory behind a plan that is the host's */
    const size_t more = entry == GARRAY__SORT && sort->kth ? (size_t)sort->nkth * sizeof *sort->kth : 0;
    char *copy = malloc(size + more);
    if (!copy)
        return NULL;
    memcpy(copy, plan, size);
    if (more) {
        memcpy(copy + size, sort->kth, more);
        ((garray_sort_plan *)copy)->kth = (int64_t *)(copy + size);
    }
    return copy;
}

/* Why a plan cannot wait for a launch, or NULL. */
static const char *objection(garray__entry entry, const void *plan)
{
    switch (entry) {
    case GARRAY__SELECT_COUNT:
    case GARRAY__SELECT_WRITE:
        return "how many elements the result has depends on values that are not there yet";
    case GARRAY__COPY:
        switch (((const garray_copy_plan *)plan)->kind) {
        case GARRAY_COPY_ON_DEVICE: return NULL;
        case GARRAY_COPY_TO_HOST: return "values are needed on the host that are not there yet";
        case GARRAY_COPY_TO_DEVICE: return "values come from memory of the host, which belongs to the caller";
        default: return "values go to another device";
        }
    case GARRAY__RANDOM:
        return ((const garray_random_plan *)plan)->kind == GARRAY_RANDOM_VENDOR ? "cuRAND's engines keep their state on the host"
                                                                                  : NULL;
    default: return NULL;
    }
}

static int sequence_of(const garray_graph *graph, const garray_random_plan *plan)
{
    for (int i = 0; i < graph->nsequences; i++)
        if (graph->sequence[i].seed == plan->seed && graph->sequence[i].stream == plan->stream)
            return i;
    return -1;
}

garray_status garray__capture_plan(garray_graph *graph, garray__entry entry, const void *plan, const garray__uses *uses)
{
    const char *why = objection(entry, plan);
    garray_status st = check_open(graph);
    if (st == GARRAY_OK && why)
        st = garray__capture_refuse(graph, why);
    for (int i = 0; i < uses->nread && st == GARRAY_OK; i++)
        st = hold(graph, uses->read[i], false);
    for (int i = 0; i < uses->nwrite && st == GARRAY_OK; i++)
        st = hold(graph, uses->write[i], true);
    if (st != GARRAY_OK)
        return st;
    garray__step step = { .entry = entry, .sequence = entry == GARRAY__RANDOM ? sequence_of(graph, plan) : -1,
                          .late = garray__late_kind(entry, plan), .plan = keep_plan(entry, plan),
                          .name = garray__call_name ? garray__call_name : "a call" };
    if (!step.plan || !GROW(graph, step, nsteps)) {
        free(step.plan);
        return no_memory(graph);
    }
    graph->step[graph->nsteps++] = step;
    graph->bytes += garray__plan_cost(entry, plan).bytes;
    return GARRAY_OK;
}

garray_status garray__capture_draw(garray_graph *graph, const garray_random_plan *plan, uint64_t blocks)
{
    if (blocks == 0)
        return GARRAY_OK;
    const int i = sequence_of(graph, plan);
    const uint64_t end = plan->position + blocks;
    if (i >= 0) {
        garray__sequence *s = &graph->sequence[i];
        s->first = plan->position < s->first ? plan->position : s->first;
        s->end = end > s->end ? end : s->end;
        return GARRAY_OK;
    }
    if (!GROW(graph, sequence, nsequences))
        return no_memory(graph);
    graph->sequence[graph->nsequences++] =
        (garray__sequence){ .seed = plan->seed, .stream = plan->stream, .first = plan->position, .end = end };
    return GARRAY_OK;
}

/* ---- parameters ---- */
garray_status garray__capture_word(garray_graph *graph, const garray_operand *o, int dtype, bool natural,
                                   const garray_t **array)
{
    const int number = o->flags >> 16;
    garray_operand plain = *o;
    uint64_t bits[2];
    plain.flags = 0;
    garray_status st = check_open(graph);
    if (st == GARRAY_OK)
        st = garray__scalar_bits(&plain, dtype, bits);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < graph->nwords; i++) {
        garray__word *w = &graph->word[i];
        if (w->number != number)
            continue;
        if (w->kind != plain.kind || memcmp(w->first.bits, plain.bits, sizeof plain.bits) != 0)
            return garray__capture_fail(graph, garray__fail(GARRAY_ERR_INVALID, "parameter %d has another value before", number));
        if (w->array->dtype == dtype) {
            w->natural |= natural;
            *array = w->array;
            return GARRAY_OK;
        }
    }
    if (!GROW(graph, word, nwords))
        return no_memory(graph);
    garray__word w = { .number = number, .kind = plain.kind, .natural = natural, .first = plain };
    graph = garray__capture_pause(graph->device);
    st = garray__new(dtype, 0, NULL, graph->device, &w.array);
    garray__capture_resume(graph);
    if (st != GARRAY_OK)
        return st;
    graph->word[graph->nwords++] = w;
    *array = w.array;
    return GARRAY_OK;
}

/* ---- memory ---- */
/* Guards the lists of all graphs and the blocks' links to them: blocks come back on any thread. */
static pthread_mutex_t owning = PTHREAD_MUTEX_INITIALIZER;

garray__block *garray__graph_take(garray_graph *graph, size_t size)
{
    const size_t most = 2 * (size > 512 ? size : 512);
    garray__block **best = NULL;
    if (graph->phase == GARRAY__CONSTANT)
        return NULL;
    pthread_mutex_lock(&owning);
    for (garray__block **at = &graph->kept; *at; at = &(*at)->link)
        if ((*at)->capacity >= size && (*at)->capacity <= most && (!best || (*at)->capacity < (*best)->capacity))
            best = at;
    garray__block *block = best ? *best : NULL;
    if (block) {
        *best = block->link;
        block->link = NULL;
        block->is_kept = false;
    }
    pthread_mutex_unlock(&owning);
    if (block)
        garray__block_resize(block, size);
    return block;
}

void garray__graph_own(garray_graph *graph, garray__block *block)
{
    pthread_mutex_lock(&owning);
    block->is_kept = false;
    block->phase = graph->phase;
    block->of_graph = graph->blocks;
    graph->blocks = block;
    atomic_store_explicit(&block->graph, graph, memory_order_release);
    pthread_mutex_unlock(&owning);
}

void garray__graph_lock(void)
{
    pthread_mutex_lock(&owning);
}

void garray__graph_unlock(void)
{
    pthread_mutex_unlock(&owning);
}

bool garray__graph_keep(garray__block *block)
{
    pthread_mutex_lock(&owning);
    garray_graph *graph = atomic_load_explicit(&block->graph, memory_order_acquire);
    if (graph) {
        block->is_kept = true;
        if (block->phase != GARRAY__CONSTANT && block->phase == graph->phase) {
            block->link = graph->kept;
            graph->kept = block;
        }
    }
    pthread_mutex_unlock(&owning);
    return graph != NULL;
}

void garray__graph_record(garray_graph *graph)
{
    pthread_mutex_lock(&owning);
    graph->kept = NULL;             /* what the plans take turns in is not for scratch memory between them */
    graph->phase = GARRAY__RECORDED;
    pthread_mutex_unlock(&owning);
}

/* What is in use becomes like other memory; the rest goes back.  Their orders tell of launches as of calls. */
static void give_blocks(garray_graph *graph)
{
    pthread_mutex_lock(&owning);
    garray__block *kept = NULL;
    for (garray__block *block = graph->blocks, *next; block; block = next) {
        next = block->of_graph;
        block->of_graph = NULL;
        if (block->is_kept) {
            block->link = kept;
            kept = block;
        } else
            atomic_fetch_sub_explicit(&block->buffer.exported, 1, memory_order_acq_rel);
        atomic_store_explicit(&block->graph, NULL, memory_order_release);
    }
    graph->blocks = graph->kept = NULL;
    pthread_mutex_unlock(&owning);
    for (garray__block *next; kept; kept = next) {
        next = kept->link;
        kept->link = NULL;
        kept->is_kept = false;
        garray__block_give(kept);
    }
}

void garray__graph_drop(garray_graph *graph)
{
    for (int i = 0; i < graph->nwords; i++)
        garray_release(graph->word[i].array);
    for (int i = 0; i < graph->nsequences; i++)
        garray_release(graph->sequence[i].word);
    give_blocks(graph);
    for (int i = 0; i < graph->nheld; i++)
        garray__buffer_release(graph->held[i].buffer);
    for (int i = 0; i < graph->nsteps; i++)
        free(graph->step[i].plan);
    free(graph->step);
    free(graph->held);
    free(graph->word);
    free(graph->sequence);
    pthread_mutex_destroy(&graph->lock);
    atomic_fetch_sub(&graph->device->graphs, 1);
    free(graph);
}

void garray__capture_drop(garray__thread *self)
{
    garray_graph *graph = self->capture;
    self->capture = NULL;
    if (graph)
        garray__graph_drop(graph);
}

/* ---- public ---- */
garray_status garray_capture_begin(garray_device id)
{
    GARRAY_ENTER("garray_capture_begin");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_TRY(garray__device_check(device));
    garray__thread *self = garray__self ? garray__self : garray__thread_new();
    GARRAY_REQUIRE(self, NOMEM, "no host memory for a capture");
    GARRAY_REQUIRE(!self->capture, INVALID, "this thread captures on %s already", garray__device_text(self->capture->device->id));
    garray_graph *graph = calloc(1, sizeof *graph);
    GARRAY_REQUIRE(graph, NOMEM, "no host memory for a graph");
    graph->device = device;
    graph->open = true;
    graph->phase = GARRAY__CAPTURED;
    atomic_fetch_add(&device->graphs, 1);
    pthread_mutex_init(&graph->lock, NULL);
    self->capture = graph;
    return GARRAY_OK;
}

/* Values of the capture for the numbers that launches read from memory. */
static garray_status fill_words(const garray_graph *graph)
{
    garray_status st = GARRAY_OK;
    for (int i = 0; i < graph->nwords && st == GARRAY_OK; i++)
        st = garray__fill(graph->word[i].array, &graph->word[i].first);
    return st;
}

/* The memory of the capture was ordered behind earlier work by way of the current stream. */
static void note_end(garray_graph *graph)
{
    const garray__stream *stream = garray__stream_current(graph->device);
    if (garray__device_is_async(graph->device))
        graph->last = (garray__use){ .ticket = atomic_load_explicit(&((garray__stream *)stream)->submitted, memory_order_acquire),
                                     .number = stream->queue.number };
}

garray_status garray_capture_end(garray_graph **out)
{
    GARRAY_ENTER("garray_capture_end");
    garray__thread *self = garray__self;
    GARRAY_REQUIRE(self && self->capture, INVALID, "this thread captures nothing");
    garray_graph *graph = self->capture;
    (void)garray__capture_pause(graph->device);
    garray_status st = out ? check_open(graph) : GARRAY_OK;
    if (out && st == GARRAY_OK)
        st = fill_words(graph);
    if (out && st == GARRAY_OK)
        st = garray__graph_build(graph);
    self->capture = NULL;
    graph->phase = GARRAY__CONSTANT;
    note_end(graph);
    if (out && st == GARRAY_OK) {
        *out = graph;
        return GARRAY_OK;
    }
    GARRAY__QUIETLY;
    garray_graph_free(graph);
    return st;
}
