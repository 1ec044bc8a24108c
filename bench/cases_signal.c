/* SPDX-License-Identifier: BSD-3-Clause
 * Polynomials and signals. */
#include "bench.h"

#define CASE(...)                                                                         \
    do {                                                                                  \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                   \
    } while (0)

/* a: dim[0], b: dim[1] */
static garray_status setup_vectors(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0]), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[1]), c->dtype, 0, 1, &c->b);
}
/* a: dim[0] x dim[1], b: dim[2] x dim[3] */
static garray_status setup_matrices(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[2], c->dim[3]), c->dtype, 0, 1, &c->b);
}
static garray_status setup_lines(struct bench_case *c)
{
    GARRAY_TRY(setup_vectors(c));
    return garray_linspace(0.0, 1.0, c->dim[1], NULL, c->device, &c->c);
}
/* b and c: a filter of order 4 that is stable */
static garray_status setup_filter(struct bench_case *c)
{
    static const double b[5] = { 0.0048, 0.0193, 0.0289, 0.0193, 0.0048 }, a[5] = { 1, -2.3695, 2.3140, -1.0547, 0.1874 };
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->a));
    GARRAY_TRY(garray_from_host(b, GARRAY_FLOAT64, GARRAY_SHAPE(5), NULL, c->device, &c->b));
    GARRAY_TRY(garray_from_host(a, GARRAY_FLOAT64, GARRAY_SHAPE(5), NULL, c->device, &c->c));
    GARRAY_TRY(garray_astype(c->b, c->dtype, &c->b));
    return garray_astype(c->c, c->dtype, &c->c);
}

static garray_status step_convolve(struct bench_case *c)
{
    return garray_convolve(c->a, c->b, GARRAY_KW(convolve, .method = GARRAY_CONVOLVE_DIRECT), &c->out);
}
static garray_status step_convolve_auto(struct bench_case *c) { return garray_convolve(c->a, c->b, NULL, &c->out); }
static garray_status step_convolve2d(struct bench_case *c)
{
    return garray_signal_convolve2d(c->a, c->b, GARRAY_KW(convolve, .mode = GARRAY_CONVOLVE_SAME), &c->out);
}
static garray_status step_polyval(struct bench_case *c) { return garray_polyval(c->b, c->a, &c->out); }
static garray_status step_interp(struct bench_case *c) { return garray_interp(c->a, c->c, c->b, NULL, &c->out); }
static garray_status step_lfilter(struct bench_case *c)
{
    return garray_signal_lfilter(c->b, c->c, c->a, -1, NULL, &c->out, NULL);
}
static garray_status step_medfilt(struct bench_case *c) { return garray_signal_medfilt(c->a, GARRAY_SHAPE(3), &c->out); }

void bench_signal(const struct sizes *s, bench_emit *emit, void *ctx)
{
    const int64_t N = s->N, R = s->R;
    const double n = (double)N, r = (double)R;
#define VECTORS(name_, dtype_, size, taps, step_)                                                                    \
    CASE(.name = name_, .dtype = dtype_, .n = N, .bytes = 2 * size * n, .flops = 2.0 * (taps) * n, .dim = { N, taps }, \
         .setup = setup_vectors, .step = step_)
    VECTORS("convolve_9_f32", GARRAY_FLOAT32, 4, 9, step_convolve);
    VECTORS("convolve_100_f32", GARRAY_FLOAT32, 4, 100, step_convolve);
    VECTORS("convolve_100_f64", GARRAY_FLOAT64, 8, 100, step_convolve);
    VECTORS("convolve_4000_f32", GARRAY_FLOAT32, 4, 4000, step_convolve_auto);
    const int64_t m = s->sort / 10, million = 1000000;
    CASE(.name = "convolve31_f32", .n = m, .bytes = 8 * (double)m, .flops = 62 * (double)m, .dim = { m, 31 }, .setup = setup_vectors,
         .step = step_convolve_auto);
    CASE(.name = "convolve4097_f32", .n = million, .bytes = 8e6, .dim = { million, 4097 }, .setup = setup_vectors,
         .step = step_convolve_auto);
    VECTORS("polyval_8_f32", GARRAY_FLOAT32, 4, 9, step_polyval);
    CASE(.name = "convolve2d_3x3_f32", .n = R * R, .bytes = 8 * r * r, .flops = 18 * r * r, .dim = { R, R, 3, 3 },
         .setup = setup_matrices, .step = step_convolve2d);
    CASE(.name = "convolve2d_11x11_f32", .n = R * R, .bytes = 8 * r * r, .flops = 242 * r * r, .dim = { R, R, 11, 11 },
         .setup = setup_matrices, .step = step_convolve2d);
    CASE(.name = "medfilt_3x3_f32", .n = R * R, .bytes = 8 * r * r, .dim = { R, R, 1, 1 }, .setup = setup_matrices,
         .step = step_medfilt);
    CASE(.name = "lfilter_rows_f32", .n = R * R, .bytes = 8 * r * r, .flops = 18 * r * r, .dim = { R, R }, .setup = setup_filter,
         .step = step_lfilter);
    const int64_t q = s->sort / 4;
    CASE(.name = "interp_f64", .dtype = GARRAY_FLOAT64, .n = q, .bytes = 16 * (double)q, .dim = { q, 1000 }, .setup = setup_lines,
         .step = step_interp);
}
