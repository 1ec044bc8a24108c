/* SPDX-License-Identifier: BSD-3-Clause
 * Indexing, sorting, counting and random draws. */
#include "bench.h"

enum { SECTOR = 32 };       /* a random 4-byte read moves so much */

#define CASE(...)                                                                        \
    do {                                                                                 \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                  \
    } while (0)

static garray_status vector(struct bench_case *c, int64_t n, garray_t **out)
{
    return bench_rand(c, GARRAY_SHAPE(n), GARRAY_FLOAT32, 0, 1, out);
}

/* ---- indexing ---- */

static garray_status step_select(struct bench_case *c) { return garray_getitem(c->a, GARRAY_AT(c->b), &c->out); }
static garray_status step_put_mask(struct bench_case *c) { return garray_setitem(c->a, GARRAY_AT(c->b), 0.0); }
static garray_status step_take(struct bench_case *c) { return garray_take(c->a, c->b, GARRAY_AXES(0), &c->out); }
static garray_status step_put(struct bench_case *c) { return garray_setitem(c->a, GARRAY_AT(c->b), c->c); }
static garray_status step_add_at(struct bench_case *c) { return garray_scatter_add(c->a, GARRAY_AT(c->b), c->c); }
static garray_status step_nonzero(struct bench_case *c) { return garray_nonzero(c->b, 1, &c->out); }

static garray_status setup_mask(struct bench_case *c)
{
    GARRAY_TRY(vector(c, c->n, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_BOOL, 0, c->high, &c->b);
}
static garray_status setup_take(struct bench_case *c)
{
    GARRAY_TRY(vector(c, c->s->N, &c->a));
    return bench_randint(c, 0, c->s->N, GARRAY_SHAPE(c->n), GARRAY_INT64, &c->b);
}
static garray_status setup_rows(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->s->R, c->s->R), GARRAY_FLOAT32, 0, 1, &c->a));
    return bench_permutation(c, c->s->R, &c->b);
}
static garray_status setup_put(struct bench_case *c)
{
    GARRAY_AUTO garray_t *all = NULL;
    GARRAY_TRY(vector(c, c->s->N, &c->a));
    GARRAY_TRY(bench_permutation(c, c->s->N, &all));
    GARRAY_TRY(garray_getitem(all, GARRAY_AT(GARRAY_TO(c->n)), &all));
    GARRAY_TRY(garray_copy(all, &c->b));
    return vector(c, c->n, &c->c);
}
/* a: dim[0] items, b: where in a, c: what to add there */
static garray_status setup_add_at(struct bench_case *c)
{
    GARRAY_TRY(vector(c, c->dim[0], &c->a));
    GARRAY_TRY(bench_randint(c, 0, c->dim[0], GARRAY_SHAPE(c->n), GARRAY_INT64, &c->b));
    return vector(c, c->n, &c->c);
}
static garray_status setup_bools(struct bench_case *c) { return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_BOOL, 0, 0.1, &c->b); }

void bench_indexing(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N, k = N / 4, R = s->R;
    double n = (double)N, dk = (double)k, rr = (double)R * (double)R;
    CASE(.name = "boolmask_f32", .n = N, .bytes = 7 * n, .high = 0.5, .setup = setup_mask, .step = step_select);
    CASE(.name = "mask_assign_f32", .n = N, .bytes = 9 * n, .high = 0.5, .setup = setup_mask, .step = step_put_mask);
    CASE(.name = "take_random_f32", .n = k, .bytes = (SECTOR + 8 + 4) * dk, .setup = setup_take, .step = step_take);
    CASE(.name = "take_rows_f32", .n = R * R, .bytes = 8 * rr + 8 * (double)R, .setup = setup_rows, .step = step_take);
    CASE(.name = "put_random_f32", .n = k, .bytes = (2 * SECTOR + 8 + 4) * dk, .setup = setup_put, .step = step_put);
    CASE(.name = "scatter_add_random_f32", .n = k, .bytes = (2 * SECTOR + 8 + 4) * dk, .dim = { N }, .setup = setup_add_at,
         .step = step_add_at);
    CASE(.name = "scatter_add_1000_f32", .n = k, .bytes = (8 + 4) * dk, .dim = { 1000 }, .setup = setup_add_at,
         .step = step_add_at);
    CASE(.name = "nonzero_bool", .n = s->N1, .dtype = GARRAY_BOOL, .bytes = (double)s->N1 + 8 * (double)(s->N1 / 10),
         .setup = setup_bools, .step = step_nonzero);
}

/* ---- sorting ---- */

static garray_status step_sort(struct bench_case *c) { return garray_sort(c->a, -1, NULL, &c->out); }
static garray_status step_argsort(struct bench_case *c) { return garray_argsort(c->a, -1, NULL, &c->out); }
static garray_status step_top_k(struct bench_case *c) { return garray_top_k(c->a, 100, -1, NULL, &c->out, &c->out2); }

static garray_status step_median(struct bench_case *c) { return garray_median(c->a, GARRAY_ALL_AXES, NULL, &c->out); }
static garray_status step_unique(struct bench_case *c) { return garray_unique_values(c->a, &c->out); }
static garray_status step_search(struct bench_case *c) { return garray_searchsorted(c->a, c->b, NULL, &c->out); }
static garray_status step_bincount(struct bench_case *c)
{
    return garray_bincount(c->a, GARRAY_KW(bincount, .minlength = 1000), &c->out);
}
static garray_status step_histogram(struct bench_case *c)
{
    const garray_histogram_opts range = { .low = GARRAY_VAL(0.0), .high = GARRAY_VAL(1.0) };
    return garray_histogram(c->a, 256, &range, &c->out, &c->out2);
}

static garray_status setup_small_ints(struct bench_case *c)
{
    return bench_randint(c, 0, 1000, GARRAY_SHAPE(c->n), GARRAY_INT64, &c->a);
}
static garray_status setup_vector(struct bench_case *c) { return vector(c, c->n, &c->a); }
static garray_status setup_search(struct bench_case *c)
{
    GARRAY_TRY(vector(c, c->n, &c->a));
    GARRAY_TRY(garray_sort(c->a, -1, NULL, &c->a));
    return vector(c, c->n, &c->b);
}
static garray_status setup_ints(struct bench_case *c)
{
    return bench_randint(c, 0, (int64_t)1 << 62, GARRAY_SHAPE(c->n), GARRAY_INT64, &c->a);
}
static garray_status setup_matrix(struct bench_case *c)
{
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), GARRAY_FLOAT32, 0, 1, &c->a);
}

void bench_sorting(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t S = s->sort, side = s->sort_side, h = S / 100, odd = S - 1 + S % 2;
    double n = (double)S, ss = (double)side * (double)side, dh = (double)h;
    CASE(.name = "sort_f32", .n = S, .bytes = 8 * n, .setup = setup_vector, .step = step_sort);
    CASE(.name = "sort_i64", .n = S, .dtype = GARRAY_INT64, .bytes = 16 * n, .setup = setup_ints, .step = step_sort);
    CASE(.name = "argsort_f32", .n = S, .bytes = 12 * n, .setup = setup_vector, .step = step_argsort);
    CASE(.name = "sort_rows_f32", .n = side * side, .bytes = 8 * ss, .dim = { side, side }, .setup = setup_matrix,
         .step = step_sort);
    CASE(.name = "argsort_rows_f32", .n = side * side, .bytes = 12 * ss, .dim = { side, side }, .setup = setup_matrix,
         .step = step_argsort);
    CASE(.name = "sort_rows100_f32", .n = h * 100, .bytes = 800 * dh, .dim = { h, 100 }, .setup = setup_matrix,
         .step = step_sort);
    CASE(.name = "argsort_rows100_f32", .n = h * 100, .bytes = 1200 * dh, .dim = { h, 100 }, .setup = setup_matrix,
         .step = step_argsort);
    CASE(.name = "topk100_f32", .n = S, .bytes = 4 * n, .setup = setup_vector, .step = step_top_k);
    CASE(.name = "median_f32", .n = odd, .bytes = 4 * (double)odd, .setup = setup_vector, .step = step_median);
    CASE(.name = "unique_i64", .n = S, .dtype = GARRAY_INT64, .bytes = 8 * n, .setup = setup_small_ints, .step = step_unique);
    CASE(.name = "bincount_i64", .n = s->N, .dtype = GARRAY_INT64, .bytes = 8 * (double)s->N, .setup = setup_small_ints,
         .step = step_bincount);
    CASE(.name = "histogram256_f32", .n = S, .bytes = 4 * n, .setup = setup_vector, .step = step_histogram);
    CASE(.name = "searchsorted_f32", .n = S / 10, .bytes = 16 * (double)(S / 10), .setup = setup_search, .step = step_search);
}

/* ---- random draws ---- */

static garray_status step_uniform(struct bench_case *c)
{
    return garray_random_uniform(&c->rng, 0, 1, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, c->device, &c->out);
}
static garray_status step_normal(struct bench_case *c)
{
    return garray_random_normal(&c->rng, 0, 1, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, c->device, &c->out);
}
static garray_status step_exponential(struct bench_case *c)
{
    return garray_random_exponential(&c->rng, 1, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, c->device, &c->out);
}
static garray_status step_permutation(struct bench_case *c)
{
    return garray_random_permutation(&c->rng, c->n, 0, c->device, &c->out);
}
static garray_status step_gamma(struct bench_case *c)
{
    return garray_random_gamma(&c->rng, 2.5, 1, GARRAY_SHAPE(c->n), GARRAY_FLOAT64, c->device, &c->out);
}
static garray_status step_poisson(struct bench_case *c)
{
    return garray_random_poisson(&c->rng, 20, GARRAY_SHAPE(c->n), c->device, &c->out);
}
static garray_status step_integers(struct bench_case *c)
{
    return garray_random_integers(&c->rng, 0, 1000, GARRAY_SHAPE(c->n), NULL, c->device, &c->out);
}

void bench_random(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N;
    double n = (double)N;
    CASE(.name = "rng_uniform_f32", .n = N, .bytes = 4 * n, .step = step_uniform);
    CASE(.name = "rng_normal_f32", .n = N, .bytes = 4 * n, .step = step_normal);
    CASE(.name = "rng_exponential_f32", .n = N, .bytes = 4 * n, .step = step_exponential);
    CASE(.name = "rng_integers_i64", .n = N, .dtype = GARRAY_INT64, .bytes = 8 * n, .step = step_integers);
    CASE(.name = "rng_permutation", .n = s->sort / 10, .dtype = GARRAY_INT64, .bytes = 0.8 * (double)s->sort,
         .step = step_permutation);
    CASE(.name = "rng_gamma_f64", .n = N, .dtype = GARRAY_FLOAT64, .bytes = 8 * n, .step = step_gamma);
    CASE(.name = "rng_poisson_i64", .n = N, .dtype = GARRAY_INT64, .bytes = 8 * n, .step = step_poisson);
}
