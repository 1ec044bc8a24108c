/* SPDX-License-Identifier: BSD-3-Clause
 * The cost of a call. */
#include <stdlib.h>
#include "bench.h"

#define CASE(...)                                                                        \
    do {                                                                                 \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                  \
    } while (0)

static garray_status setup_vectors(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0]), GARRAY_FLOAT32, 0, 1, &c->a));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0]), GARRAY_FLOAT32, 0, 1, &c->b));
    return bench_rand(c, GARRAY_SHAPE(c->dim[0]), GARRAY_FLOAT32, 0, 1, &c->c);
}
static garray_status setup_matrices(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), GARRAY_FLOAT32, 0, 1, &c->a));
    return c->dim[3] ? bench_rand(c, GARRAY_SHAPE(c->dim[2], c->dim[3]), GARRAY_FLOAT32, 0, 1, &c->b)
                     : bench_rand(c, GARRAY_SHAPE(c->dim[2]), GARRAY_FLOAT32, 0, 1, &c->b);
}

static garray_status step_add(struct bench_case *c) { return garray_add(c->a, c->b, &c->out); }
static garray_status step_scalar(struct bench_case *c) { return garray_multiply(c->a, 2.5, &c->out); }
static garray_status step_exp(struct bench_case *c) { return garray_exp(c->a, &c->out); }
static garray_status step_sum(struct bench_case *c) { return garray_sum(c->a, GARRAY_ALL_AXES, NULL, &c->out); }
static garray_status step_sum_item(struct bench_case *c)
{
    double total;
    GARRAY_TRY(garray_sum(c->a, GARRAY_ALL_AXES, NULL, &c->out));
    return garray_item(c->out, &total);
}
/* exp(-(a - b) * (a - b)).sum() */
static garray_status step_chain(struct bench_case *c)
{
    GARRAY_AUTO garray_t *d = NULL, *e = NULL;
    GARRAY_TRY(garray_subtract(c->a, c->b, &d));
    GARRAY_TRY(garray_negative(d, &e));
    GARRAY_TRY(garray_multiply(e, d, &e));
    GARRAY_TRY(garray_exp(e, &e));
    return garray_sum(e, GARRAY_ALL_AXES, NULL, &c->out);
}
/* sqrt(exp((a + b) * c) - a) */
static garray_status step_chain5(struct bench_case *c)
{
    GARRAY_AUTO garray_t *t = NULL;
    GARRAY_TRY(garray_add(c->a, c->b, &t));
    GARRAY_TRY(garray_multiply(t, c->c, &t));
    GARRAY_TRY(garray_exp(t, &t));
    GARRAY_TRY(garray_subtract(t, c->a, &t));
    GARRAY_TRY(garray_sqrt(t, &t));
    return garray_move(&t, &c->out);
}
/* Twenty small operations, as calls and as one graph of them. */
static garray_status step_twenty(struct bench_case *c)
{
    GARRAY_AUTO garray_t *t = NULL;
    GARRAY_TRY(garray_multiply(c->a, c->b, &t));
    for (int i = 0; i < 9; i++) {
        GARRAY_TRY(garray_add(t, c->c, &t));
        GARRAY_TRY(garray_multiply(t, c->b, &t));
    }
    return garray_sqrt(t, &c->out);
}
static garray_status setup_graph(struct bench_case *c)
{
    garray_graph **graph = calloc(1, sizeof(garray_graph *));
    c->host = graph;
    if (!graph)
        return GARRAY_ERR_NOMEM;
    GARRAY_TRY(setup_vectors(c));
    GARRAY_TRY(garray_capture_begin(c->device));
    garray_status st = step_twenty(c), end = garray_capture_end(graph);
    return st == GARRAY_OK ? end : st;
}
static garray_status step_graph(struct bench_case *c)
{
    return garray_graph_launch(*(garray_graph **)c->host, NULL);
}
static void drop_graph(void *host)
{
    garray_graph_free(*(garray_graph **)host);
}
/* a[10:90, ::2].T */
static garray_status step_view(struct bench_case *c)
{
    GARRAY_TRY(garray_getitem(c->a, GARRAY_AT(GARRAY_RANGE(10, 90), GARRAY_EVERY(2)), &c->out));
    return garray_permute_dims(c->out, GARRAY_ALL_AXES, &c->out);
}
static garray_status step_slice(struct bench_case *c) { return garray_getitem(c->a, GARRAY_AT(GARRAY_RANGE(100, 200)), &c->out); }
static garray_status step_setitem(struct bench_case *c) { return garray_setitem(c->a, GARRAY_AT(5), 1.0); }
static garray_status step_matmul(struct bench_case *c) { return garray_matmul(c->a, c->b, &c->out); }
static garray_status step_sort(struct bench_case *c) { return garray_sort(c->a, -1, NULL, &c->out); }
static garray_status step_rfft(struct bench_case *c) { return garray_fft_rfft(c->a, -1, NULL, &c->out); }
static garray_status step_solve(struct bench_case *c) { return garray_linalg_solve(c->a, c->b, &c->out); }
static garray_status step_allocate(struct bench_case *c) { return garray_empty(GARRAY_SHAPE(c->n), GARRAY_FLOAT32,
                                                                               c->device, &c->out); }

void bench_small(const struct sizes *s, bench_emit *emit, void *ctx)
{
#define SMALL(name_, n_, inner_, ...) CASE(.name = name_, .n = n_, .inner = inner_, .setup = setup_vectors, .dim = { n_ }, __VA_ARGS__)
    SMALL("small_add_out_1000_f32", 1000, 2000, .step = step_add);
    SMALL("small_add_alloc_1000_f32", 1000, 2000, .alloc = true, .step = step_add);
    SMALL("small_mul_scalar_1000_f32", 1000, 2000, .alloc = true, .step = step_scalar);
    SMALL("small_exp_alloc_1000_f32", 1000, 2000, .alloc = true, .step = step_exp);
    CASE(.name = "small_add_bcast_3x4_f32", .n = 12, .inner = 2000, .dim = { 3, 1, 4 }, .alloc = true,
         .setup = setup_matrices, .step = step_add);
    SMALL("small_sum_1000_f32", 1000, 2000, .alloc = true, .step = step_sum);
    SMALL("small_sum_item_1000_f32", 1000, 500, .alloc = true, .step = step_sum_item);
    SMALL("small_chain_1000_f32", 1000, 500, .alloc = true, .step = step_chain);
    SMALL("small_chain5_1000_f32", 1000, 500, .alloc = true, .step = step_chain5);
    SMALL("small_calls20_1000_f32", 1000, 100, .alloc = true, .step = step_twenty);
    CASE(.name = "small_graph20_1000_f32", .n = 1000, .inner = 100, .dim = { 1000 }, .setup = setup_graph, .step = step_graph,
         .drop = drop_graph);
    CASE(.name = "small_view", .n = 1, .inner = 5000, .dim = { 100, 100, 1 }, .setup = setup_matrices, .step = step_view);
    CASE(.name = "small_slice", .n = 1, .inner = 5000, .dim = { 1000 }, .setup = setup_vectors, .step = step_slice);
    CASE(.name = "small_setitem_f32", .n = 1, .inner = 2000, .dim = { 1000 }, .setup = setup_vectors, .step = step_setitem);
    CASE(.name = "small_matmul_16_f32", .n = 16, .inner = 2000, .dim = { 16, 16, 16, 16 }, .alloc = true,
         .setup = setup_matrices, .step = step_matmul);
    SMALL("small_sort_100_f32", 100, 500, .alloc = true, .step = step_sort);
    SMALL("small_fft_256_f32", 256, 500, .alloc = true, .step = step_rfft);
    CASE(.name = "small_solve_4_f32", .n = 4, .inner = 500, .dim = { 4, 4, 4, 1 }, .alloc = true,
         .setup = setup_matrices, .step = step_solve);
    if (s->gpu)
        CASE(.name = "small_alloc_free_4mb", .n = 1 << 20, .inner = 5000, .alloc = true, .step = step_allocate);
}
