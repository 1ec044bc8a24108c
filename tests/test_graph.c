/* SPDX-License-Identifier: BSD-3-Clause
 * Graphs: launches give what the calls would have given, bit for bit; what cannot be captured says so; and the memory of
 * graphs and arrays outlives whichever goes first. */
#include <pthread.h>
#include <stdio.h>
#include "test.h"

static bool same_bits(const garray_t *a, const garray_t *b)
{
    if (garray_dtype_of(a) != garray_dtype_of(b) || garray_size(a) != garray_size(b))
        return false;
    void *x = test_read(a), *y = test_read(b);
    bool same = memcmp(x, y, (size_t)garray_nbytes(a)) == 0;
    free(x);
    free(y);
    return same;
}

static garray_t *random_array(garray_dtype dtype, garray_shape shape)
{
    return test_array((int)dtype, TEST_CONTIGUOUS, shape, NULL);
}

/* ---- one call of each kind ----
 * x is float32 (24, 16), k int64 (24,) below 16. */
typedef garray_status body(const garray_t *x, const garray_t *k, garray_t **y);

static garray_status elementwise(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_multiply(x, 0.5, &a));
    GARRAY_TRY(garray_exp(a, &a));
    GARRAY_TRY(garray_subtract(GARRAY_MT(a), 1, &b));
    GARRAY_TRY(garray_tanh(b, &b));
    GARRAY_TRY(garray_greater(b, 0, &a));
    return garray_where(a, b, 2.0, y);
}

static garray_status reduction(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_std(x, GARRAY_AXES(0), NULL, &a));
    GARRAY_TRY(garray_mean(x, GARRAY_AXES(1), GARRAY_KW(reduce, .keepdims = true), &b));
    return garray_add(a, b, y);
}

static garray_status total(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    return garray_sum(x, GARRAY_ALL_AXES, NULL, y);
}

static garray_status product(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    GARRAY_AUTO garray_t *a = NULL;
    GARRAY_TRY(garray_matmul(x, GARRAY_MT(x), &a));
    return garray_matmul(a, x, y);
}

static garray_status order(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_sort(x, 0, NULL, &a));
    GARRAY_TRY(garray_cumulative_sum(a, GARRAY_AXES(1), NULL, &b));
    return garray_flip(b, GARRAY_AXES(0), y);
}

static garray_status indexed(const garray_t *x, const garray_t *k, garray_t **y)
{
    return garray_take(x, k, GARRAY_AXES(1), y);
}

static garray_status scattered(const garray_t *x, const garray_t *k, garray_t **y)
{
    GARRAY_AUTO garray_t *a = NULL;
    GARRAY_TRY(garray_copy(x, &a));
    GARRAY_TRY(garray_setitem(a, GARRAY_AT(GARRAY_ALL, k), 7));
    return garray_copy(a, y);
}

static garray_status many_axes(const garray_t *x, const garray_t *k, garray_t **y)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_reshape(x, GARRAY_SHAPE(2, 2, 2, 3, 2, 1, 1, 2, 1, 2, 2), &a));
    GARRAY_TRY(garray_broadcast_to(a, GARRAY_SHAPE(2, 2, 2, 3, 2, 2, 16, 2, 2, 2, 2), &a));
    GARRAY_TRY(garray_permute_dims(a, GARRAY_AXES(9, 7, 5, 3, 1, 8, 10, 4, 2, 6, 0), &b));
    GARRAY_TRY(garray_getitem(b, GARRAY_AT(GARRAY_ELLIPSIS, k, GARRAY_ALL), &a));
    return garray_add(a, 1, y);
}

static garray_status transform(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    GARRAY_AUTO garray_t *a = NULL;
    GARRAY_TRY(garray_fft_rfft(x, -1, NULL, &a));
    return garray_fft_irfft(a, -1, NULL, y);
}

static garray_status constant(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    float w[16];
    for (int i = 0; i < 16; i++)
        w[i] = (float)i - 3;
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_add(x, 1, &b));
    garray_release(b);
    b = NULL;
    GARRAY_TRY(garray_from_host(w, GARRAY_FLOAT32, GARRAY_SHAPE(16), NULL, garray_device_of(x), &a));
    memset(w, 0xee, sizeof w);
    GARRAY_TRY(garray_add(x, 2, &b));
    return garray_multiply(b, a, y);
}

static garray_status quantile(const garray_t *x, const garray_t *k, garray_t **y)
{
    (void)k;
    return garray_median(x, GARRAY_AXES(0), NULL, y);
}

static const struct {
    const char *name;
    body *run;
} bodies[] = { { "elementwise", elementwise }, { "reduction", reduction }, { "total", total }, { "product", product },
               { "order", order }, { "indexed", indexed }, { "scattered", scattered }, { "many_axes", many_axes },
               { "transform", transform }, { "constant", constant }, { "median", quantile } };

static garray_t *small_indices(int64_t n, int64_t below)
{
    garray_t *k = NULL;
    int64_t *value = malloc((size_t)n * sizeof *value);
    for (int64_t i = 0; i < n; i++)
        value[i] = i * 7 % below;
    TEST_OK(garray_from_host(value, GARRAY_INT64, GARRAY_SHAPE(n), NULL, test_device(), &k));
    free(value);
    return k;
}

Test(graph, launches_are_calls)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        test_context("%s", bodies[i].name);
        test_mark mark = test_memory();
        garray_t *x = random_array(GARRAY_FLOAT32, GARRAY_SHAPE(24, 16)), *k = small_indices(24, 16), *y = NULL, *z = NULL;
        garray_graph *graph = NULL;
        TEST_OK(garray_capture_begin(test_device()));
        TEST_OK(bodies[i].run(x, k, &y));
        if (TEST_OK(garray_capture_end(&graph)))
            for (int n = 0; n < 3; n++) {
                TEST_OK(garray_add(x, n, garray_into(x)));
                TEST_OK(garray_graph_launch(graph, NULL));
                TEST_OK(bodies[i].run(x, k, &z));
                TEST_EXPECT(same_bits(y, z), "launch %d is not the call", n);
            }
        garray_graph_free(graph);
        garray_release(x);
        garray_release(k);
        garray_release(y);
        garray_release(z);
        TEST_OK(garray_synchronize(test_device()));
        TEST_NO_LEAK(mark);
    }
}

/* ---- state from launch to launch ---- */
typedef struct state {
    garray_t *x, *w, *sum;
} state;

static garray_status advance(state *s)
{
    GARRAY_AUTO garray_t *a = NULL, *row = NULL;
    GARRAY_TRY(garray_matmul(s->x, s->w, &a));
    GARRAY_TRY(garray_sin(a, &a));
    GARRAY_TRY(garray_add(GARRAY_MT(a), s->x, garray_into(s->x)));
    GARRAY_TRY(garray_getitem(s->x, GARRAY_AT(0), &row));
    GARRAY_TRY(garray_multiply(row, 0.5, garray_into(row)));
    GARRAY_TRY(garray_sum(s->x, GARRAY_AXES(1), NULL, &a));
    GARRAY_TRY(garray_setitem(s->w, GARRAY_AT(GARRAY_ALL, 1), a));
    return garray_add(s->sum, a, garray_into(s->sum));
}

static state new_state(void)
{
    state s = { 0 };
    float v[64];
    for (int i = 0; i < 64; i++)
        v[i] = (float)(i * 37 % 64) / 64 - 0.4f;
    TEST_OK(garray_from_host(v, GARRAY_FLOAT32, GARRAY_SHAPE(8, 8), NULL, test_device(), &s.x));
    TEST_OK(garray_from_host(v, GARRAY_FLOAT32, GARRAY_SHAPE(8, 8), NULL, test_device(), &s.w));
    TEST_OK(garray_zeros(GARRAY_SHAPE(8), GARRAY_FLOAT32, test_device(), &s.sum));
    return s;
}

static void drop_state(state *s)
{
    garray_release(s->x);
    garray_release(s->w);
    garray_release(s->sum);
}

static garray_graph *capture_state(state *s)
{
    garray_graph *graph = NULL;
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(advance(s));
    TEST_OK(garray_capture_end(&graph));
    return graph;
}

Test(graph, state_goes_on)
{
    state a = new_state(), b = new_state(), fresh = new_state();
    garray_graph *graph = capture_state(&a);
    TEST_EXPECT(same_bits(a.x, fresh.x), "the capture has run the work");
    for (int i = 0; i < 20; i++) {
        TEST_OK(garray_graph_launch(graph, NULL));
        TEST_OK(advance(&b));
        if (i % 7 == 3) {               /* calls between launches */
            TEST_OK(garray_add(a.w, 0.25, garray_into(a.w)));
            TEST_OK(garray_add(b.w, 0.25, garray_into(b.w)));
        }
    }
    TEST_EXPECT(same_bits(a.x, b.x) && same_bits(a.w, b.w) && same_bits(a.sum, b.sum), "20 launches are not 20 calls");
    garray_graph_free(graph);
    TEST_OK(advance(&a));
    TEST_OK(advance(&b));
    TEST_EXPECT(same_bits(a.x, b.x), "a call after the graph");
    drop_state(&a);
    drop_state(&b);
    drop_state(&fresh);
}

Test(graph, streams)
{
    state a = new_state(), b = new_state();
    garray_graph *graph = capture_state(&a);
    garray_stream *stream[3] = { NULL }, *old = NULL;
    TEST_OK(garray_stream_new(test_device(), &stream[1]));
    TEST_OK(garray_stream_new(test_device(), &stream[2]));
    for (int i = 0; i < 30; i++) {
        TEST_OK(garray_graph_launch(graph, stream[i % 3]));
        TEST_OK(advance(&b));
        if (i % 5 == 0) {
            TEST_OK(garray_stream_swap(stream[(i + 1) % 3], test_device(), &old));
            TEST_OK(garray_multiply(a.x, 0.75, garray_into(a.x)));
            TEST_OK(garray_stream_swap(old, test_device(), NULL));
            TEST_OK(garray_multiply(b.x, 0.75, garray_into(b.x)));
        }
    }
    garray_graph_free(graph);
    TEST_EXPECT(same_bits(a.x, b.x) && same_bits(a.w, b.w) && same_bits(a.sum, b.sum), "launches on three streams");
    garray_stream_free(stream[1]);
    garray_stream_free(stream[2]);
    drop_state(&a);
    drop_state(&b);
}

/* Chains in which each operation reads what the one before has written, and overwrites what others have read. */
static garray_status chain(garray_t *a, garray_t *b, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL, *u = NULL;
    for (int i = 0; i < 6; i++) {
        GARRAY_TRY(garray_multiply(a, b, &t));
        GARRAY_TRY(garray_add(t, 0.25, garray_into(a)));
        GARRAY_TRY(garray_subtract(a, t, &u));
        GARRAY_TRY(garray_multiply(b, u, garray_into(b)));
        GARRAY_TRY(garray_add(b, 0.75, garray_into(b)));
        GARRAY_TRY(garray_flip(t, GARRAY_ALL_AXES, &u));
        GARRAY_TRY(garray_add(a, u, garray_into(a)));
        GARRAY_TRY(garray_multiply(a, 0.5, garray_into(a)));
    }
    return garray_add(a, b, out);
}

Test(graph, chains_of_all_sizes)
{
    static const int64_t sizes[] = { 1, 5, 1000, 100003, 4000037 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        garray_t *a[2] = { NULL }, *b[2] = { NULL }, *out[2] = { NULL };
        garray_graph *graph = NULL;
        garray_rng rng = GARRAY_RNG(k);
        test_context("%lld elements", (long long)sizes[k]);
        TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(sizes[k]), GARRAY_FLOAT32, test_device(), &a[0]));
        TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(sizes[k]), GARRAY_FLOAT32, test_device(), &b[0]));
        TEST_OK(garray_copy(a[0], &a[1]));
        TEST_OK(garray_copy(b[0], &b[1]));
        TEST_OK(garray_capture_begin(test_device()));
        TEST_OK(chain(a[0], b[0], &out[0]));
        TEST_OK(garray_capture_end(&graph));
        for (int i = 0; i < 8; i++) {
            TEST_OK(garray_graph_launch(graph, NULL));
            TEST_OK(chain(a[1], b[1], &out[1]));
            if (i % 4 == 3)
                TEST_EXPECT(same_bits(out[0], out[1]) && same_bits(a[0], a[1]) && same_bits(b[0], b[1]), "launch %d", i);
        }
        garray_graph_free(graph);
        for (int i = 0; i < 2; i++) {
            garray_release(a[i]);
            garray_release(b[i]);
            garray_release(out[i]);
        }
    }
}

/* ---- lifetimes ---- */
Test(graph, arrays_and_graphs_outlive_each_other)
{
    test_mark mark = test_memory();
    const garray_shape shape = GARRAY_SHAPE(1000);
    float expected[1000];
    for (int round = 0; round < 3; round++) {
        test_context("round %d", round);
        garray_t *x = NULL, *y = NULL, *z = NULL, *other[20] = { NULL };
        garray_graph *graph = NULL;
        TEST_OK(garray_full(shape, 3, GARRAY_FLOAT32, test_device(), &x));
        TEST_OK(garray_capture_begin(test_device()));
        TEST_OK(garray_add(x, 1, &y));
        TEST_OK(garray_multiply(y, 2, &y));
        TEST_OK(garray_add(x, y, &z));
        TEST_OK(garray_capture_end(&graph));
        if (round > 0) {                /* the graph alone holds its inputs, and what is between */
            garray_release(x);
            garray_release(y);
            x = y = NULL;
        }
        for (int i = 0; i < 20; i++)
            TEST_OK(garray_full(shape, 100, GARRAY_FLOAT32, test_device(), &other[i]));
        TEST_OK(garray_graph_launch(graph, NULL));
        if (round == 2) {
            garray_graph_free(graph);
            graph = NULL;
        }
        for (int i = 0; i < 1000; i++)
            expected[i] = 11;
        TEST_EQUAL(z, expected, 0);
        for (int i = 0; i < 1000; i++)
            expected[i] = 100;
        for (int i = 0; i < 20; i++) {
            TEST_EQUAL(other[i], expected, 0);
            garray_release(other[i]);
        }
        /* a result that is given up is not overwritten by the next call while the graph writes it */
        TEST_OK(garray_full(shape, 5, GARRAY_FLOAT32, test_device(), &z));
        TEST_OK(garray_graph_launch(graph ? graph : NULL, NULL) == GARRAY_OK || !graph ? GARRAY_OK : GARRAY_ERR_INTERNAL);
        for (int i = 0; i < 1000; i++)
            expected[i] = 5;
        TEST_EQUAL(z, expected, 0);
        garray_release(x);
        garray_release(y);
        garray_release(z);
        garray_graph_free(graph);
    }
    TEST_OK(garray_synchronize(test_device()));
    TEST_NO_LEAK(mark);
}

Test(graph, empty_and_dropped)
{
    test_mark mark = test_memory();
    garray_graph *graph = NULL;
    garray_t *x = NULL;
    TEST_STATUS(ERR_INVALID, garray_capture_end(&graph));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_INVALID, garray_capture_begin(test_device()));
    TEST_OK(garray_capture_end(&graph));
    TEST_OK(garray_graph_launch(graph, NULL));
    garray_graph_free(graph);
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(garray_ones(GARRAY_SHAPE(50), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_capture_end(NULL));
    garray_release(x);
    garray_graph_free(NULL);
    TEST_STATUS(ERR_INVALID, garray_graph_launch(NULL, NULL));
    TEST_NO_LEAK(mark);
}

/* ---- numbers ---- */
Test(graph, parameters)
{
    garray_t *x = NULL, *k = NULL, *y = NULL, *z = NULL, *f = NULL, *expected = NULL;
    garray_graph *graph = NULL;
    TEST_OK(garray_arange(0, 12, 1, GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_arange(0, 12, 1, GARRAY_INT8, test_device(), &k));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(garray_multiply(x, garray_graph_parameter(1, 0.5), &y));
    TEST_OK(garray_add(k, garray_graph_parameter(2, 3), &z));
    TEST_OK(garray_add(y, garray_graph_parameter(1, 0.5), &y));
    TEST_OK(garray_full(GARRAY_SHAPE(4), garray_graph_parameter(1, 0.5), GARRAY_FLOAT64, test_device(), &f));
    TEST_OK(garray_capture_end(&graph));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_FLOAT32 && garray_dtype_of(z) == GARRAY_INT8, "a parameter is not weak");
    for (int round = 0; round < 3; round++) {
        const double number[] = { 0.5, 0.1, -7 };
        const int count[] = { 3, -5, 100 };
        test_context("round %d", round);
        if (round) {
            TEST_OK(garray_graph_set(graph, 1, number[round]));
            TEST_OK(garray_graph_set(graph, 2, count[round]));
        }
        TEST_OK(garray_graph_launch(graph, NULL));
        TEST_OK(garray_multiply(x, number[round], &expected));
        TEST_OK(garray_add(expected, number[round], &expected));
        TEST_EXPECT(same_bits(y, expected), "float32");
        TEST_OK(garray_add(k, count[round], &expected));
        TEST_EXPECT(same_bits(z, expected), "int8");
        TEST_OK(garray_full(GARRAY_SHAPE(4), number[round], GARRAY_FLOAT64, test_device(), &expected));
        TEST_EXPECT(same_bits(f, expected), "fill");
    }
    TEST_STATUS(ERR_INVALID, garray_graph_set(graph, 3, 1));
    TEST_MESSAGE("garray_graph_set", "no parameter 3");
    TEST_STATUS(ERR_INVALID, garray_graph_set(graph, 2, 1.5));
    TEST_STATUS(ERR_INVALID, garray_graph_set(graph, 2, 1000));
    TEST_MESSAGE("1000 is out of bounds for int8");
    TEST_STATUS(ERR_INVALID, garray_graph_set(graph, 2, x));
    garray_graph_free(graph);
    /* outside of a capture it is the number */
    TEST_OK(garray_add(k, garray_graph_parameter(2, 3), &z));
    TEST_OK(garray_add(k, 3, &expected));
    TEST_EXPECT(same_bits(z, expected), "a number");
    TEST_STATUS(ERR_INVALID, garray_add(k, garray_graph_parameter(-1, 3), &z));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_UNSUPPORTED,
                garray_sum(x, GARRAY_ALL_AXES, GARRAY_KW(reduce, .initial = garray_graph_parameter(1, 2.0)), &y));
    TEST_STATUS(ERR_UNSUPPORTED, garray_capture_end(&graph));
    TEST_MESSAGE("garray_capture_end", "garray_sum", "parameter");
    garray_release(x);
    garray_release(k);
    garray_release(y);
    garray_release(z);
    garray_release(f);
    garray_release(expected);
}

typedef struct draws {
    garray_t *a, *b, *c, *d, *e, *f, *g;
} draws;

static garray_status draw(garray_rng *rng, draws *x)
{
    const garray_device device = test_device();
    GARRAY_TRY(garray_random_uniform(rng, 0, 1, GARRAY_SHAPE(1001), GARRAY_FLOAT32, device, &x->a));
    GARRAY_TRY(garray_random_normal(rng, 1.5, 2, GARRAY_SHAPE(77, 3), GARRAY_FLOAT64, device, &x->b));
    GARRAY_TRY(garray_random_integers(rng, -5, 17, GARRAY_SHAPE(500), NULL, device, &x->c));
    GARRAY_TRY(garray_random_permutation(rng, 3000, 0, device, &x->d));
    GARRAY_TRY(garray_random_poisson(rng, 4.5, GARRAY_SHAPE(200), device, &x->e));
    GARRAY_TRY(garray_random_permutation(rng, 100, 0, device, &x->f));
    return garray_random_gamma(rng, 2.5, 1, GARRAY_SHAPE(65), GARRAY_FLOAT64, device, &x->g);
}

static bool same_draws(const draws *x, const draws *y)
{
    return same_bits(x->a, y->a) && same_bits(x->b, y->b) && same_bits(x->c, y->c) && same_bits(x->d, y->d) &&
           same_bits(x->e, y->e) && same_bits(x->f, y->f) && same_bits(x->g, y->g);
}

static void drop_draws(draws *x)
{
    garray_t *all[] = { x->a, x->b, x->c, x->d, x->e, x->f, x->g };
    for (int i = 0; i < 7; i++)
        garray_release(all[i]);
}

Test(graph, random_numbers_go_on)
{
    garray_rng rng = GARRAY_RNG(42), model, told, stranger = GARRAY_RNG(43);
    draws x = { 0 }, y = { 0 };
    garray_graph *graph = NULL;
    TEST_OK(garray_rng_advance(&rng, 1000));
    model = rng;
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(draw(&rng, &x));
    TEST_OK(garray_capture_end(&graph));
    for (int i = 0; i < 4; i++) {
        test_context("launch %d", i);
        TEST_OK(garray_graph_launch(graph, NULL));
        TEST_OK(draw(&model, &y));
        TEST_EXPECT(same_draws(&x, &y), "other numbers");
        if (i == 0)
            TEST_EXPECT(rng.position == model.position, "the capture moves on by one launch");
    }
    told = rng;
    TEST_OK(garray_graph_tell(graph, &told));
    TEST_EXPECT(told.position == model.position, "told %llu, not %llu", (unsigned long long)told.position,
                (unsigned long long)model.position);
    model.position = 77;
    TEST_OK(garray_graph_seek(graph, &model));
    for (int i = 0; i < 2; i++) {
        TEST_OK(garray_graph_launch(graph, NULL));
        TEST_OK(draw(&model, &y));
        TEST_EXPECT(same_draws(&x, &y), "other numbers after the seek");
    }
    TEST_STATUS(ERR_INVALID, garray_graph_seek(graph, &stranger));
    model.position = UINT64_MAX - 3;
    TEST_OK(garray_graph_seek(graph, &model));
    TEST_STATUS(ERR_INVALID, garray_graph_launch(graph, NULL));
    TEST_MESSAGE("garray_graph_launch", "ends");
    garray_graph_free(graph);
    drop_draws(&x);
    drop_draws(&y);
}

/* ---- what cannot be captured ---- */
typedef struct things {
    garray_t *x, *mask, *y;
    garray_stream *stream;
    garray_event *event;
} things;

static garray_status item(things *t)
{
    float value;
    return garray_item(t->x, &value);
}
static garray_status to_host(things *t)
{
    float values[8];
    return garray_to_host(t->x, values, NULL, sizeof values);
}
static garray_status nonzero(things *t)
{
    return garray_argwhere(t->x, &t->y);
}
static garray_status masked(things *t)
{
    return garray_getitem(t->x, GARRAY_AT(t->mask), &t->y);
}
static garray_status unique(things *t)
{
    return garray_unique_values(t->x, &t->y);
}
static garray_status print(things *t)
{
    char text[200];
    return garray_format(t->x, NULL, text, sizeof text, NULL);
}
static garray_status synchronize(things *t)
{
    (void)t;
    return garray_synchronize(test_device());
}
static garray_status raw(things *t)
{
    void *p;
    return garray_begin(t->x, GARRAY_READ, NULL, &p);
}
static garray_status record(things *t)
{
    return garray_event_record(t->event, NULL);
}
static garray_status finish(things *t)
{
    return garray_stream_synchronize(t->stream);
}
static garray_status swap(things *t)
{
    return garray_stream_swap(t->stream, test_device(), NULL);
}
static garray_status engine(things *t)
{
    garray_curand place = { .engine = GARRAY_CURAND_XORWOW };
    return garray_random_curand(&place, GARRAY_SHAPE(8), GARRAY_DTYPE_DEFAULT, test_device(), &t->y);
}

static const struct {
    const char *name;
    garray_status (*run)(things *t);
} refused[] = { { "garray_item", item }, { "garray_to_host", to_host }, { "garray_argwhere", nonzero },
                { "garray_getitem", masked }, { "garray_unique_values", unique }, { "garray_format", print },
                { "garray_synchronize", synchronize }, { "garray_begin", raw }, { "garray_event_record", record },
                { "garray_stream_synchronize", finish }, { "garray_stream_swap", swap }, { "garray_random_curand", engine } };

Test(graph, what_cannot_be_captured)
{
    things t = { 0 };
    garray_t *z = NULL;
    const float ones[] = { 2 };
    TEST_OK(garray_ones(GARRAY_SHAPE(1), GARRAY_FLOAT32, test_device(), &t.x));
    TEST_OK(garray_greater(t.x, 0, &t.mask));
    TEST_OK(garray_stream_new(test_device(), &t.stream));
    TEST_OK(garray_event_new(test_device(), &t.event));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        garray_graph *graph = NULL;
        test_context("%s", refused[i].name);
        TEST_OK(garray_capture_begin(test_device()));
        TEST_OK(garray_add(t.x, 1, &z));
        TEST_STATUS(ERR_UNSUPPORTED, refused[i].run(&t));
        TEST_MESSAGE(refused[i].name, "cannot be captured");
        TEST_STATUS(ERR_UNSUPPORTED, garray_add(t.x, 1, &z));
        TEST_MESSAGE("garray_add", "the capture has failed", refused[i].name);
        TEST_STATUS(ERR_UNSUPPORTED, garray_capture_end(&graph));
        TEST_MESSAGE("garray_capture_end", refused[i].name);
        TEST_EXPECT(!graph, "a graph");
        TEST_OK(garray_add(t.x, 1, &z));
        TEST_EQUAL(z, ones, 0);
    }
    /* arguments are wrong in a capture as elsewhere, and it goes on */
    garray_graph *graph = NULL;
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_AXIS, garray_sum(t.x, GARRAY_AXES(4), NULL, &z));
    TEST_OK(garray_add(t.x, 1, &z));
    TEST_OK(garray_capture_end(&graph));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_STATUS(ERR_UNSUPPORTED, garray_graph_launch(graph, NULL));
    TEST_STATUS(ERR_UNSUPPORTED, garray_capture_end(NULL) == GARRAY_OK ? GARRAY_ERR_UNSUPPORTED : GARRAY_OK);
    TEST_OK(garray_graph_launch(graph, NULL));
    TEST_EQUAL(z, ones, 0);
    garray_graph_free(graph);
    garray_stream_free(t.stream);
    garray_event_free(t.event);
    garray_release(t.x);
    garray_release(t.mask);
    garray_release(t.y);
    garray_release(z);
}

Test(graph, no_memory)
{
    garray_t *x = NULL, *y = NULL, *z = NULL;
    garray_graph *graph = NULL;
    garray_memory_info info;
    const garray_status nomem = test_on_gpu() ? GARRAY_ERR_DEVICE_NOMEM : GARRAY_ERR_NOMEM;
    const garray_shape huge = GARRAY_SHAPE((int64_t)1 << 22);
    TEST_OK(garray_ones(GARRAY_SHAPE(1000), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_memory_stats(test_device(), &info));
    TEST_OK(garray_memory_set_limit(test_device(), info.live_bytes + (48 << 20)));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(garray_add(x, 1, &y));
    for (int i = 0; i < 6; i++)         /* 16 MB each: kept by the graph, but used again */
        TEST_OK(garray_zeros(huge, GARRAY_FLOAT32, test_device(), &z));
    garray_t *more[6] = { NULL };
    garray_status st = GARRAY_OK;
    for (int i = 0; i < 6 && st == GARRAY_OK; i++)
        st = garray_zeros(huge, GARRAY_FLOAT32, test_device(), &more[i]);
    TEST_EXPECT(st == nomem, "%s", garray_status_name(st));
    st = garray_capture_end(&graph);
    TEST_EXPECT(st == nomem && !graph, "%s", garray_status_name(st));
    TEST_MESSAGE("garray_capture_end", "garray_zeros", "out of memory");
    for (int i = 0; i < 6; i++)
        garray_release(more[i]);
    TEST_OK(garray_memory_set_limit(test_device(), 0));
    TEST_OK(garray_add(x, 1, &y));
    garray_release(x);
    garray_release(y);
    garray_release(z);
}

/* Indices that are wrong when the work runs. */
Test(graph, late_errors)
{
    garray_t *x = NULL, *k = NULL, *y = NULL;
    garray_graph *graph = NULL;
    TEST_OK(garray_arange(0, 10, 1, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_arange(0, 4, 1, GARRAY_INT64, test_device(), &k));
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(garray_take(x, k, GARRAY_AXES(0), &y));
    TEST_OK(garray_capture_end(&graph));
    for (int round = 0; round < 2; round++) {
        double v[4];
        TEST_OK(garray_graph_launch(graph, NULL));
        TEST_OK(garray_to_host(y, v, NULL, sizeof v));
        TEST_OK(garray_add(k, 9, garray_into(k)));
        garray_status st = garray_graph_launch(graph, NULL);
        if (st == GARRAY_OK)
            st = garray_to_host(y, v, NULL, sizeof v);
        TEST_EXPECT(st == GARRAY_ERR_INDEX, "%s", garray_status_name(st));
        TEST_MESSAGE("garray_take", "index 10 is out of bounds for axis 0 with size 10");
        TEST_OK(garray_subtract(k, 9, garray_into(k)));
    }
    garray_graph_free(graph);
    garray_release(x);
    garray_release(k);
    garray_release(y);
}

/* ---- threads ---- */
static void *work_meanwhile(void *ctx)
{
    garray_t *x = NULL;
    float expected[100];
    for (int i = 0; i < 100; i++)
        expected[i] = 3;
    (void)ctx;
    TEST_OK(garray_full(GARRAY_SHAPE(100), 1, GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_add(x, 2, &x));
    TEST_EQUAL(x, expected, 0);
    garray_release(x);
    x = NULL;
    TEST_OK(garray_capture_begin(test_device()));       /* the thread ends with it */
    TEST_OK(garray_full(GARRAY_SHAPE(100), 1, GARRAY_FLOAT32, test_device(), &x));
    garray_release(x);
    return NULL;
}

Test(graph, other_threads_go_on)
{
    state a = new_state(), b = new_state();
    garray_graph *graph = NULL;
    pthread_t thread;
    TEST_OK(garray_capture_begin(test_device()));
    TEST_OK(advance(&a));
    TEST_EXPECT(pthread_create(&thread, NULL, work_meanwhile, NULL) == 0, "no thread");
    pthread_join(thread, NULL);
    TEST_OK(advance(&a));
    TEST_OK(garray_capture_end(&graph));
    TEST_OK(garray_graph_launch(graph, NULL));
    TEST_OK(advance(&b));
    TEST_OK(advance(&b));
    TEST_EXPECT(same_bits(a.x, b.x) && same_bits(a.sum, b.sum), "two steps in one launch");
    garray_graph_free(graph);
    drop_state(&a);
    drop_state(&b);
}
