/* SPDX-License-Identifier: BSD-3-Clause
 * Data between host and device, from pageable and pinned memory, with gaps, by few and many threads; and what two streams
 * do at the same time. */
#include <stdlib.h>
#include "bench.h"

#define CASE(...)                                                                        \
    do {                                                                                 \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                  \
    } while (0)

/* ---- over the bus ---- */
/* dim[0]: how many elements of host memory belong to one of the array. */
static garray_status setup_host(struct bench_case *c)
{
    const int64_t every = c->dim[0] ? c->dim[0] : 1;
    c->host = malloc((size_t)(c->n * every) * 4);
    if (!c->host)
        return GARRAY_ERR_NOMEM;
    for (int64_t i = 0; i < c->n * every; i++)
        ((float *)c->host)[i] = (float)i;
    return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->a);
}
static garray_status step_in(struct bench_case *c)
{
    return garray_from_host(c->host, GARRAY_FLOAT32, GARRAY_SHAPE(c->n), NULL, c->device, &c->out);
}
static garray_status step_out(struct bench_case *c) { return garray_to_host(c->a, c->host, NULL, (size_t)c->n * 4); }
static garray_status step_in_gaps(struct bench_case *c)
{
    return garray_from_host(c->host, GARRAY_FLOAT32, GARRAY_SHAPE(c->n), (const int64_t[]){ 4 * c->dim[0] }, c->device, &c->out);
}

static garray_status setup_pinned(struct bench_case *c)
{
    GARRAY_TRY(garray_empty_pinned(GARRAY_SHAPE(c->n), GARRAY_FLOAT32, c->device, &c->b));
    GARRAY_TRY(garray_full(GARRAY_SHAPE(c->n), 1.5, GARRAY_FLOAT32, GARRAY_CPU, garray_into(c->b)));
    return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->a);
}
static garray_status step_in_pinned(struct bench_case *c) { return garray_to_device(c->b, c->device, &c->out); }
static garray_status step_out_pinned(struct bench_case *c)
{
    void *data;
    GARRAY_TRY(garray_begin(c->b, GARRAY_WRITE, NULL, &data));
    garray_status st = garray_to_host(c->a, data, NULL, (size_t)c->n * 4);
    GARRAY_TRY(garray_end(c->b, NULL));
    return st;
}

/* ---- two streams ---- */
/* A recursive filter of few rows keeps a few of the GPU's multiprocessors busy for long: two of them, on two streams, take
 * little more than one, and a copy beside one takes nothing. */
enum { ROWS = 2, ITEMS = 20000, CHAIN = 4 };

struct lanes {
    garray_stream *stream[2];
    garray_t *data;             /* pinned */
};

static void drop_lanes(void *ctx)
{
    struct lanes *l = ctx;
    garray_stream_free(l->stream[0]);
    garray_stream_free(l->stream[1]);
    garray_release(l->data);
}

static garray_status setup_lanes(struct bench_case *c)
{
    struct lanes *l = calloc(1, sizeof *l);
    c->host = l;
    c->drop = drop_lanes;
    if (!l)
        return GARRAY_ERR_NOMEM;
    GARRAY_TRY(garray_stream_new(c->device, &l->stream[0]));
    GARRAY_TRY(garray_stream_new(c->device, &l->stream[1]));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(ROWS, ITEMS), GARRAY_FLOAT64, -1, 1, &c->a));
    GARRAY_TRY(garray_full(GARRAY_SHAPE(2), 0.25, GARRAY_FLOAT64, c->device, &c->b));
    GARRAY_TRY(garray_setitem(c->b, GARRAY_AT(0), 1.0));
    GARRAY_TRY(garray_copy(c->b, &c->c));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[1]), GARRAY_FLOAT32, 0, 1, &c->d));
    return garray_empty_pinned(GARRAY_SHAPE(c->dim[1]), GARRAY_FLOAT32, c->device, &l->data);
}

static garray_status chain(struct bench_case *c, garray_t **out)
{
    GARRAY_TRY(garray_signal_lfilter(c->b, c->c, c->a, -1, NULL, out, NULL));
    for (int i = 1; i < CHAIN; i++)
        GARRAY_TRY(garray_signal_lfilter(c->b, c->c, *out, -1, NULL, out, NULL));
    return GARRAY_OK;
}

/* dim[0]: 1: one chain; 2: both on one stream; 3: one on each; 4: a copy alone; 5: a chain, and the copy on the other. */
static garray_status step_lanes(struct bench_case *c)
{
    const struct lanes *l = c->host;
    const int64_t kind = c->dim[0];
    garray_stream *own = NULL, *second = l->stream[kind == 2 ? 0 : 1];
    garray_status st = GARRAY_OK;
    GARRAY_TRY(garray_stream_wait(l->stream[0], NULL));
    GARRAY_TRY(garray_stream_wait(l->stream[1], NULL));
    GARRAY_TRY(garray_stream_swap(l->stream[0], c->device, &own));
    if (kind != 4)
        st = chain(c, &c->out);
    if (st == GARRAY_OK)
        st = garray_stream_swap(second, c->device, NULL);
    if (st == GARRAY_OK && (kind == 2 || kind == 3))
        st = chain(c, &c->out2);
    if (st == GARRAY_OK && kind >= 4) {
        void *data;
        st = garray_begin(l->data, GARRAY_WRITE, NULL, &data);
        if (st == GARRAY_OK)
            st = garray_to_host(c->d, data, NULL, (size_t)c->dim[1] * 4);
        if (st == GARRAY_OK)
            st = garray_end(l->data, NULL);
    }
    GARRAY_TRY(garray_stream_swap(own, c->device, NULL));
    GARRAY_TRY(st);
    GARRAY_TRY(garray_stream_wait(NULL, l->stream[0]));
    return garray_stream_wait(NULL, l->stream[1]);
}

void bench_transfers(const struct sizes *s, bench_emit *emit, void *ctx)
{
    if (!s->gpu)
        return;
#define COPY(name_, n_, setup_, step_, ...) \
    CASE(.name = name_, .n = n_, .bytes = 4 * (double)(n_), .setup = setup_, .step = step_, __VA_ARGS__)
    COPY("copy_h2d_pageable", s->N, setup_host, step_in);
    COPY("copy_d2h_pageable", s->N, setup_host, step_out);
    COPY("copy_h2d_pageable_2_threads", s->N, setup_host, step_in, .threads = 2);
    COPY("copy_d2h_pageable_2_threads", s->N, setup_host, step_out, .threads = 2);
    COPY("copy_h2d_pageable_8_threads", s->N, setup_host, step_in, .threads = 8);
    COPY("copy_d2h_pageable_8_threads", s->N, setup_host, step_out, .threads = 8);
    COPY("copy_h2d_pinned", s->N, setup_pinned, step_in_pinned);
    COPY("copy_d2h_pinned", s->N, setup_pinned, step_out_pinned);
    COPY("copy_h2d_gaps", s->N / 2, setup_host, step_in_gaps, .dim = { 2 });
    COPY("copy_h2d_pageable_4kb", 1 << 10, setup_host, step_in);
    COPY("copy_d2h_pageable_4kb", 1 << 10, setup_host, step_out);
    COPY("copy_h2d_pageable_64kb", 1 << 14, setup_host, step_in);
    COPY("copy_d2h_pageable_64kb", 1 << 14, setup_host, step_out);
    COPY("copy_h2d_pageable_1mb", 1 << 18, setup_host, step_in);
    COPY("copy_d2h_pageable_1mb", 1 << 18, setup_host, step_out);
    COPY("copy_h2d_pageable_8mb", 1 << 21, setup_host, step_in);
    COPY("copy_d2h_pageable_8mb", 1 << 21, setup_host, step_out);
#define LANES(name_, kind) \
    CASE(.name = name_, .n = ITEMS, .dtype = GARRAY_FLOAT64, .setup = setup_lanes, .step = step_lanes, .dim = { kind, s->N / 8 })
    LANES("overlap_one_chain", 1);
    LANES("overlap_two_chains_one_stream", 2);
    LANES("overlap_two_chains_two_streams", 3);
    LANES("overlap_copy_alone", 4);
    LANES("overlap_chain_and_copy", 5);
}
