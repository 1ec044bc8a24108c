/* SPDX-License-Identifier: BSD-3-Clause
 * Layouts that are no plain vectors, and reductions along every axis. */
#include "bench.h"

#define CASE(...)                                                                                    \
    do {                                                                                             \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, .axis = ALL, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                              \
    } while (0)

/* ---- layouts: a and b are views made by setup ---- */

static garray_status step_add(struct bench_case *c) { return garray_add(c->a, c->b, &c->out); }
static garray_status step_add_into(struct bench_case *c) { return garray_add(c->a, c->b, garray_into(c->out)); }
static garray_status step_copy(struct bench_case *c) { return garray_copy(c->a, &c->out); }
static garray_status step_concat(struct bench_case *c) { return garray_concat(GARRAY_LIST(c->a, c->b), 0, &c->out); }

static garray_status matrix(struct bench_case *c, int64_t rows, int64_t columns, garray_t **out)
{
    return bench_rand(c, GARRAY_SHAPE(rows, columns), GARRAY_FLOAT32, 0, 1, out);
}
/* dim[0] x dim[1] and dim[2] x dim[3] */
static garray_status setup_matrices(struct bench_case *c)
{
    GARRAY_TRY(matrix(c, c->dim[0], c->dim[1], &c->a));
    return matrix(c, c->dim[2], c->dim[3], &c->b);
}
static garray_status setup_rowvec(struct bench_case *c)
{
    GARRAY_TRY(matrix(c, c->dim[0], c->dim[1], &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[1]), GARRAY_FLOAT32, 0, 1, &c->b);
}
static garray_status setup_transposed(struct bench_case *c)
{
    GARRAY_TRY(matrix(c, c->dim[0], c->dim[1], &c->a));
    return garray_matrix_transpose(c->a, &c->a);
}
static garray_status setup_permuted(struct bench_case *c)
{
    int64_t q = c->dim[0];
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(q, q, q), GARRAY_FLOAT32, 0, 1, &c->a));
    return garray_permute_dims(c->a, GARRAY_AXES(2, 0, 1), &c->a);
}
static garray_status setup_strided(struct bench_case *c)
{
    GARRAY_TRY(setup_matrices(c));
    GARRAY_TRY(garray_getitem(c->a, GARRAY_AT(GARRAY_ALL, GARRAY_EVERY(2)), &c->a));
    return garray_getitem(c->b, GARRAY_AT(GARRAY_ALL, GARRAY_EVERY(2)), &c->b);
}
static garray_status setup_halves(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n / 2), GARRAY_FLOAT32, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n / 2), GARRAY_FLOAT32, 0, 1, &c->b);
}
static garray_status setup_offset(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n + 1), GARRAY_FLOAT32, 0, 1, &c->a));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n + 1), GARRAY_FLOAT32, 0, 1, &c->b));
    GARRAY_TRY(garray_getitem(c->a, GARRAY_AT(GARRAY_FROM(1)), &c->a));
    if (c->kind == 1)                   /* the others each at another offset */
        return garray_getitem(c->b, GARRAY_AT(GARRAY_TO(-1)), &c->b);
    GARRAY_TRY(garray_empty(GARRAY_SHAPE(c->n + 1), GARRAY_FLOAT32, c->device, &c->out));
    GARRAY_TRY(garray_getitem(c->out, GARRAY_AT(GARRAY_FROM(1)), &c->out));
    return garray_getitem(c->b, GARRAY_AT(GARRAY_FROM(1)), &c->b);
}

void bench_layout(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N, R = s->R, Q = s->Q;
    double n = (double)N, rr = (double)R * (double)R, qqq = (double)Q * (double)Q * (double)Q;
    CASE(.name = "broadcast_add_f32", .n = R * R, .bytes = 4 * rr + 8 * (double)R, .dim = { R, 1, 1, R },
         .setup = setup_matrices, .step = step_add);
    CASE(.name = "add_rowvec_f32", .n = R * R, .bytes = 8 * rr + 4 * (double)R, .dim = { R, R },
         .setup = setup_rowvec, .step = step_add);
    CASE(.name = "transpose_copy_f32", .n = R * R, .bytes = 8 * rr, .dim = { R, R }, .setup = setup_transposed,
         .step = step_copy);
    CASE(.name = "permute3d_copy_f32", .n = Q * Q * Q, .bytes = 8 * qqq, .dim = { Q }, .setup = setup_permuted,
         .step = step_copy);
    CASE(.name = "add_strided_f32", .n = R * R, .bytes = 20 * rr, .dim = { R, 2 * R, R, 2 * R },
         .setup = setup_strided, .step = step_add);
    CASE(.name = "concat_f32", .n = N, .bytes = 8 * n, .setup = setup_halves, .step = step_concat);
    CASE(.name = "add_offset1_f32", .n = N, .bytes = 12 * n, .setup = setup_offset, .step = step_add_into);
    CASE(.name = "add_shifted_f32", .n = N, .bytes = 12 * n, .kind = 1, .setup = setup_offset, .step = step_add);
    static const int64_t widths[2] = { 9999, 10001 };
    static const char *const rowvec[2] = { "add_rowvec_9999_f32", "add_rowvec_10001_f32" };
    static const char *const transposed[2] = { "transpose_copy_9999_f32", "transpose_copy_10001_f32" };
    for (int i = 0; i < 2; i++) {
        int64_t w = widths[i], rows = N / w > 16 ? N / w : 16;
        double size = (double)rows * (double)w;
        CASE(.name = rowvec[i], .n = rows * w, .bytes = 8 * size + 4 * (double)w, .dim = { rows, w },
             .setup = setup_rowvec, .step = step_add);
        CASE(.name = transposed[i], .n = rows * w, .bytes = 8 * size, .dim = { rows, w }, .setup = setup_transposed,
             .step = step_copy);
    }
}

/* ---- reductions ---- */

static garray_axes axes_of(struct bench_case *c) { return (garray_axes){ c->axis != ALL, c->axis == ALL ? NULL : &c->axis }; }
static garray_status step_reduce(struct bench_case *c) { return c->reduce(c->a, axes_of(c), NULL, &c->out); }
static garray_status step_var(struct bench_case *c) { return c->reduce_var(c->a, axes_of(c), NULL, &c->out); }
static garray_status step_arg(struct bench_case *c) { return c->reduce_arg(c->a, axes_of(c), NULL, &c->out); }
static garray_status step_dot(struct bench_case *c) { return garray_vecdot(c->a, c->b, -1, &c->out); }
static garray_status step_cumsum(struct bench_case *c) { return garray_cumulative_sum(c->a, axes_of(c), NULL, &c->out); }

static garray_status setup_vector(struct bench_case *c) { return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, -1, 1, &c->a); }
static garray_status setup_matrix(struct bench_case *c)
{
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), GARRAY_FLOAT32, -1, 1, &c->a);
}
static garray_status setup_cube(struct bench_case *c)
{
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[0], c->dim[0]), GARRAY_FLOAT32, -1, 1, &c->a);
}
static garray_status setup_vector_offset(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n + 1), GARRAY_FLOAT32, -1, 1, &c->a));
    return garray_getitem(c->a, GARRAY_AT(GARRAY_FROM(1)), &c->a);
}
static garray_status setup_two(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->b);
}

void bench_reductions(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N, R = s->R, Q = s->Q, T = s->rows3;
    double n = (double)N, rr = (double)R * (double)R, r = (double)R, q = (double)Q, t = (double)T;
#define SUM(name_, ...) CASE(.name = name_, .reduce = garray_sum, .setup = setup_matrix, .step = step_reduce, __VA_ARGS__)
    CASE(.name = "sum_f32", .n = N, .bytes = 4 * n, .reduce = garray_sum, .setup = setup_vector, .step = step_reduce);
    CASE(.name = "sum_f64", .n = N, .bytes = 8 * n, .dtype = GARRAY_FLOAT64, .reduce = garray_sum,
         .setup = setup_vector, .step = step_reduce);
    CASE(.name = "sum_f16", .n = N, .bytes = 2 * n, .dtype = GARRAY_FLOAT16, .reduce = garray_sum,
         .setup = setup_vector, .step = step_reduce);
    SUM("sum_axis0_f32", .n = R * R, .bytes = 4 * rr + 4 * r, .dim = { R, R }, .axis = 0);
    SUM("sum_axis1_f32", .n = R * R, .bytes = 4 * rr + 4 * r, .dim = { R, R }, .axis = 1);
    SUM("sum_axis1_alloc_f32", .n = R * R, .bytes = 4 * rr + 4 * r, .dim = { R, R }, .axis = 1, .alloc = true);
    SUM("sum_axis1_nx3_f32", .n = 3 * T, .bytes = 16 * t, .dim = { T, 3 }, .axis = 1);
    SUM("sum_axis0_nx3_f32", .n = 3 * T, .bytes = 12 * t, .dim = { T, 3 }, .axis = 0);
    SUM("sum_axis1_3xn_f32", .n = 3 * T, .bytes = 12 * t, .dim = { 3, T }, .axis = 1);
    SUM("sum_axis0_3xn_f32", .n = 3 * T, .bytes = 16 * t, .dim = { 3, T }, .axis = 0);
    CASE(.name = "sum_middle_f32", .n = Q * Q * Q, .bytes = 4 * q * q * q + 4 * q * q, .dim = { Q }, .axis = 1,
         .reduce = garray_sum,
         .setup = setup_cube, .step = step_reduce);
    static const int64_t widths[2] = { 9999, 10001 };
    static const char *const axis0[2] = { "sum_axis0_9999_f32", "sum_axis0_10001_f32" };
    static const char *const axis1[2] = { "sum_axis1_9999_f32", "sum_axis1_10001_f32" };
    for (int i = 0; i < 2; i++) {
        int64_t w = widths[i], rows = N / w > 16 ? N / w : 16;
        double size = (double)rows * (double)w;
        SUM(axis0[i], .n = rows * w, .bytes = 4 * size + 4 * (double)w, .dim = { rows, w }, .axis = 0);
        SUM(axis1[i], .n = rows * w, .bytes = 4 * size + 4 * (double)rows, .dim = { rows, w }, .axis = 1);
    }
    CASE(.name = "sum_offset1_f32", .n = N, .bytes = 4 * n, .reduce = garray_sum, .setup = setup_vector_offset,
         .step = step_reduce);
    CASE(.name = "max_f32", .n = N, .bytes = 4 * n, .reduce = garray_max, .setup = setup_vector, .step = step_reduce);
    CASE(.name = "argmax_f32", .n = N, .bytes = 4 * n, .reduce_arg = garray_argmax, .setup = setup_vector, .step = step_arg);
    CASE(.name = "argmax_axis1_f32", .n = R * R, .bytes = 4 * rr + 8 * r, .dim = { R, R }, .axis = 1, .reduce_arg = garray_argmax,
         .setup = setup_matrix, .step = step_arg);
    CASE(.name = "var_f32", .n = N, .bytes = 4 * n, .reduce_var = garray_var, .setup = setup_vector, .step = step_var);
    CASE(.name = "std_axis0_f32", .n = R * R, .bytes = 4 * rr + 4 * r, .dim = { R, R }, .axis = 0, .reduce_var = garray_std,
         .setup = setup_matrix, .step = step_var);
    CASE(.name = "dot_f32", .n = N, .bytes = 8 * n, .setup = setup_two, .step = step_dot);
    CASE(.name = "cumsum_f32", .n = N, .bytes = 8 * n, .setup = setup_vector, .step = step_cumsum);
    CASE(.name = "cumsum_axis0_f32", .n = R * R, .bytes = 8 * rr, .dim = { R, R }, .axis = 0, .setup = setup_matrix,
         .step = step_cumsum);
}
