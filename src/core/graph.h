/* SPDX-License-Identifier: BSD-3-Clause
 * Graphs as core sees them: while a thread captures, the plans that it submits for the device are kept instead of run
 * (capture.c); a launch runs them in one go (graph.c).
 *
 * A graph owns the memory that was allocated in its capture.  What is given back lies in the graph's own list: later
 * calls of the capture take it again, as a stream's order allows it, but nobody else gets it before the graph is freed, since
 * each launch writes to it.  Buffers from outside are held by a reference.  Both are ordered at each launch like the
 * buffers of a call.
 *
 * Where the backend has graphs (graph_begin) the plans are enqueued once, on a stream of the graph's own which the backend
 * records; elsewhere a launch submits them one by one.  Numbers that differ from launch to launch are then in device memory:
 * parameters, and how far each random sequence has moved on. */
#ifndef GARRAY_CORE_GRAPH_H
#define GARRAY_CORE_GRAPH_H

#include <pthread.h>
#include "core/array.h"
#include "core/random.h"
#include "core/stream.h"
#include "core/submit.h"
#include "core/thread.h"
#include "garray/graph.h"

struct garray__block;

/* What memory that is taken for a graph may be: its own alone, or shared in turn by the captured plans, or by the
 * recorded scratch memory of backends. Turns are taken within a phase only: all plans of one come in their order. */
enum { GARRAY__CONSTANT, GARRAY__CAPTURED, GARRAY__RECORDED };

/* A plan, and whose it is. */
typedef struct garray__step {
    garray__entry entry;
    int32_t sequence;               /* RANDOM: the one it draws from, or -1 */
    int32_t late;                   /* GARRAY__LATE_..., or -1 */
    const char *name;               /* of the public call */
    void *plan;
} garray__step;

/* A buffer from outside. */
typedef struct garray__held {
    garray__buffer *buffer;
    bool writes;
} garray__held;

/* A number of the caller's that operands read from device memory, in one of the dtypes that they want it in. */
typedef struct garray__word {
    int32_t number, kind;           /* the caller's; GARRAY_OPERAND_... */
    bool natural;                   /* must not be negative */
    garray_t *array;                /* 0-d */
    garray_operand first;           /* its value in the capture */
} garray__word;

/* The draws of one generator. */
typedef struct garray__sequence {
    uint64_t seed, stream;
    uint64_t first, end;            /* positions in the capture; a launch takes end - first blocks */
    uint64_t moved;                 /* by how much the next launch is further on */
    garray_t *word;                 /* uint64: moved, on the device; NULL where launches submit plans */
} garray__sequence;

struct garray_graph {
    garray__device *device;
    pthread_mutex_t lock;           /* of launches, seeks and the like */
    bool open;                      /* the capture goes on, and is not paused */
    _Atomic int phase;              /* GARRAY__CONSTANT, ... */
    garray_status failed;           /* why it cannot be finished, and in which words */
    char text[400];
    garray__step *step;
    garray__held *held;
    garray__word *word;
    garray__sequence *sequence;
    int nsteps, nheld, nwords, nsequences;
    struct garray__block *blocks;   /* all that were allocated in the capture */
    struct garray__block *kept;     /* those of the phase that nobody uses */
    garray__use last;               /* the end of the last launch; before the first one that of the capture */
    double bytes;                   /* that a launch moves */
    garray__stream *stream;         /* of its own, for recording and for late errors; NULL without `native` */
    void *native;                   /* the backend's */
};

/* The graph that the calling thread captures on the device, or NULL. */
static inline garray_graph *garray__capturing(const garray__device *device)
{
    const garray__thread *self = garray__self;
    return GARRAY__UNLIKELY(self != NULL && self->capture != NULL) && self->capture->device == device && self->capture->open
               ? self->capture
               : NULL;
}

/* The graph that memory taken by the calling thread belongs to: also while it is being finished. */
static inline garray_graph *garray__graph_of_memory(const garray__device *device)
{
    const garray__thread *self = garray__self;
    return GARRAY__UNLIKELY(self != NULL && self->capture != NULL) && self->capture->device == device ? self->capture : NULL;
}

/* ---- capture.c ---- */
/* What submitting does in a capture. */
garray_status garray__capture_plan(garray_graph *graph, garray__entry entry, const void *plan, const garray__uses *uses);

/* UNSUPPORTED, and the capture is lost; why: "values are needed on the host". */
garray_status garray__capture_refuse(garray_graph *graph, const char *why) __attribute__((cold));

/* What is done in between is done at once, in memory that is not used again: constants of the graph.  Returns the graph,
 * for garray__capture_resume(), or NULL. */
static inline garray_graph *garray__capture_pause(const garray__device *device)
{
    garray_graph *graph = garray__capturing(device);
    if (graph) {
        graph->open = false;
        graph->phase = GARRAY__CONSTANT;
    }
    return graph;
}

static inline void garray__capture_resume(garray_graph *graph)
{
    if (graph) {
        graph->open = true;
        graph->phase = GARRAY__CAPTURED;
    }
}

/* Refuses where the calling thread captures on the device. */
static inline garray_status garray__not_captured(const garray__device *device, const char *why)
{
    garray_graph *graph = garray__capturing(device);
    return GARRAY__UNLIKELY(graph != NULL) ? garray__capture_refuse(graph, why) : GARRAY_OK;
}

/* The capture cannot go on after this thread's present error. */
garray_status garray__capture_fail(garray_graph *graph, garray_status st) __attribute__((cold));

/* A draw of so many blocks from the plan's position. */
garray_status garray__capture_draw(garray_graph *graph, const garray_random_plan *plan, uint64_t blocks);

/* The memory of a parameter (an operand of garray_graph_parameter()) as dtype: a 0-d array, borrowed. */
garray_status garray__capture_word(garray_graph *graph, const garray_operand *o, int dtype, bool natural,
                                   const garray_t **array);

/* Whether the operand is a parameter of a capture that goes on. */
static inline bool garray__is_parameter(const garray_operand *o)
{
    return GARRAY__UNLIKELY(o->flags & GARRAY_OPERAND_PARAMETER) && garray__self && garray__self->capture &&
           garray__self->capture->open;
}

/* For those who take a number at once. */
garray_status garray__parameter_refuse(void) __attribute__((cold));

static inline garray_status garray__plain_number(const garray_operand *o)
{
    return garray__is_parameter(o) ? garray__parameter_refuse() : GARRAY_OK;
}

/* The capture of a thread that ends. */
void garray__capture_drop(garray__thread *self);

/* ---- memory of a graph (capture.c) ---- */
/* A block of the graph's that is free, or NULL. */
struct garray__block *garray__graph_take(garray_graph *graph, size_t size);

/* Makes a new block the graph's. */
void garray__graph_own(garray_graph *graph, struct garray__block *block);

/* Keeps the block, which is free now, if a graph has it; else false. */
bool garray__graph_keep(struct garray__block *block);

/* Begins the phase of recorded memory: what was kept so far is not taken again. */
void garray__graph_record(garray_graph *graph);

/* For the fork handlers of the device registry. */
void garray__graph_lock(void);
void garray__graph_unlock(void);

/* Lets go of everything. */
void garray__graph_drop(garray_graph *graph);

/* ---- graph.c ---- */
/* Makes the backend's graph of the plans, if it has such. */
garray_status garray__graph_build(garray_graph *graph);

#endif
