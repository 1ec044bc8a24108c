/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products and linear algebra. */
#include <math.h>
#include "bench.h"

#define CASE(...)                                                                        \
    do {                                                                                 \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_FLOAT32, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                  \
    } while (0)

enum { PLAIN, LEFT_T, RIGHT_T };

static garray_status step_matmul(struct bench_case *c)
{
    if (c->kind == LEFT_T)
        return garray_matmul(GARRAY_MT(c->a), c->b, &c->out);
    if (c->kind == RIGHT_T)
        return garray_matmul(c->a, GARRAY_MT(c->b), &c->out);
    return garray_matmul(c->a, c->b, &c->out);
}

/* a: dim[0] x dim[1], b: dim[2] x dim[3] */
static garray_status setup_product(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[2], c->dim[3]), c->dtype, 0, 1, &c->b);
}
static garray_status setup_integers(struct bench_case *c)
{
    GARRAY_TRY(bench_randint(c, 0, 1000, GARRAY_SHAPE(c->n, c->n), GARRAY_INT64, &c->a));
    return bench_randint(c, 0, 1000, GARRAY_SHAPE(c->n, c->n), GARRAY_INT64, &c->b);
}
static garray_status setup_gram(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->b);
}
static garray_status setup_batch(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n, 32, 32), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n, 32, 32), c->dtype, 0, 1, &c->b);
}
static garray_status setup_matvec(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n, c->n), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, 0, 1, &c->b);
}

static garray_status setup_einsum(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(64, 256, 256), c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(64, 256, 256), c->dtype, 0, 1, &c->b);
}
static garray_status step_einsum(struct bench_case *c)
{
    return garray_einsum("bij,bkj->bik", GARRAY_LIST(c->a, c->b), &c->out);
}

void bench_products(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t G = s->matmul;
    double g = (double)G;
#define SQUARE(name_, n_, dtype_, size, flops_)                                                                       \
    CASE(.name = name_, .dtype = dtype_, .n = n_, .bytes = 3.0 * size * (double)(n_) * (double)(n_),                  \
         .flops = flops_ * (double)(n_) * (double)(n_) * (double)(n_), .dim = { n_, n_, n_, n_ }, .setup = setup_product, \
         .step = step_matmul)
    SQUARE("matmul_f32", G, GARRAY_FLOAT32, 4, 2.0);
    SQUARE("matmul_f64", G, GARRAY_FLOAT64, 8, 2.0);
    if (s->gpu) {
        SQUARE("matmul_f16", G, GARRAY_FLOAT16, 2, 2.0);
        SQUARE("matmul_bf16", G, GARRAY_BFLOAT16, 2, 2.0);
    }
    SQUARE("matmul_c64", s->matmul_c64, GARRAY_COMPLEX64, 8, 8.0);
    SQUARE("matmul_odd_f32", G - 1, GARRAY_FLOAT32, 4, 2.0);
    double m = (double)s->matmul_i64;
    CASE(.name = "matmul_i64", .dtype = GARRAY_INT64, .n = s->matmul_i64, .bytes = 24 * m * m, .flops = 2 * m * m * m,
         .setup = setup_integers, .step = step_matmul);
    CASE(.name = "matmul_at_b_f32", .n = G, .bytes = 12 * g * g, .flops = 2 * g * g * g, .kind = LEFT_T, .dim = { G, G, G, G },
         .setup = setup_product, .step = step_matmul);
    CASE(.name = "matmul_a_bt_f32", .n = G, .bytes = 12 * g * g, .flops = 2 * g * g * g, .kind = RIGHT_T, .dim = { G, G, G, G },
         .setup = setup_product, .step = step_matmul);
    int64_t T = s->rows64;
    double t = (double)T, tall = 4 * (128 * t + 64 * 64);
    CASE(.name = "matmul_tall_f32", .n = T, .bytes = tall, .flops = 2 * t * 64 * 64, .dim = { T, 64, 64, 64 },
         .setup = setup_product,
         .step = step_matmul);
    CASE(.name = "matmul_gram_f32", .n = T, .bytes = tall, .flops = 2 * t * 64 * 64, .kind = LEFT_T, .dim = { T, 64 },
         .setup = setup_gram, .step = step_matmul);
    double b = (double)s->batch32, r = (double)s->R;
    CASE(.name = "matmul_batched32_f32", .n = s->batch32, .bytes = 12 * b * 1024, .flops = 2 * b * 32 * 32 * 32,
         .setup = setup_batch,
         .step = step_matmul);
    CASE(.name = "einsum_bij_bkj_f32", .n = 64, .bytes = 12.0 * 64 * 256 * 256, .flops = 2.0 * 64 * 256 * 256 * 256,
         .setup = setup_einsum, .step = step_einsum);
    CASE(.name = "matvec_f32", .n = s->R, .bytes = 4 * r * r + 8 * r, .flops = 2 * r * r, .setup = setup_matvec,
         .step = step_matmul);
}

/* ---- factorizations: `dim[0]` matrices of dim[1] x dim[1], float64 ---- */

/* Without structure, scaled so that the determinant is near 1. */
static garray_status general(struct bench_case *c, garray_t **out)
{
    double bound = sqrt(3 * exp(1) / (double)c->dim[1]);
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1], c->dim[1]), GARRAY_FLOAT64, -bound, bound, out);
}
static garray_status setup_spd(struct bench_case *c)
{
    GARRAY_AUTO garray_t *a = NULL, *eye = NULL;
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1], c->dim[1]), GARRAY_FLOAT64, 0, 1, &a));
    GARRAY_TRY(garray_eye(c->dim[1], c->dim[1], 0, GARRAY_FLOAT64, c->device, &eye));
    GARRAY_TRY(garray_multiply(eye, (double)c->dim[1], &eye));
    GARRAY_TRY(garray_matmul(a, GARRAY_MT(a), &c->a));
    GARRAY_TRY(garray_add(c->a, eye, &c->a));
    return c->dim[0] == 1 ? garray_squeeze(c->a, GARRAY_AXES(0), &c->a) : GARRAY_OK;
}
static garray_status setup_system(struct bench_case *c)
{
    GARRAY_TRY(general(c, &c->a));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1], c->dim[2]), GARRAY_FLOAT64, 0, 1, &c->b));
    if (c->dim[0] != 1)
        return GARRAY_OK;
    GARRAY_TRY(garray_squeeze(c->a, GARRAY_AXES(0), &c->a));
    return garray_squeeze(c->b, GARRAY_AXES(0), &c->b);
}
static garray_status setup_general(struct bench_case *c)
{
    GARRAY_TRY(general(c, &c->a));
    return c->dim[0] == 1 ? garray_squeeze(c->a, GARRAY_AXES(0), &c->a) : GARRAY_OK;
}
static garray_status step_svd(struct bench_case *c) { return garray_linalg_svd(c->a, NULL, &c->out, &c->out2, &c->out3); }
static garray_status step_eig(struct bench_case *c) { return garray_linalg_eig(c->a, &c->out, &c->out2); }
static garray_status step_qr(struct bench_case *c) { return garray_linalg_qr(c->a, NULL, &c->out, &c->out2); }
/* A general matrix of dim[1] rows and dim[2] columns, and 16 right-hand sides. */
static garray_status setup_least(struct bench_case *c)
{
    double bound = sqrt(3 * exp(1) / (double)c->dim[1]);
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[1], c->dim[2]), GARRAY_FLOAT64, -bound, bound, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[1], 16), GARRAY_FLOAT64, 0, 1, &c->b);
}
/* With a strong diagonal; the upper triangle is not read. */
static garray_status setup_triangle(struct bench_case *c)
{
    GARRAY_AUTO garray_t *eye = NULL;
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->dim[1], c->dim[1]), GARRAY_FLOAT64, -1, 1, &c->a));
    GARRAY_TRY(garray_eye(c->dim[1], c->dim[1], 0, GARRAY_FLOAT64, c->device, &eye));
    GARRAY_TRY(garray_multiply(eye, (double)c->dim[1], &eye));
    GARRAY_TRY(garray_add(c->a, eye, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->dim[1], c->dim[1]), GARRAY_FLOAT64, 0, 1, &c->b);
}
static garray_status step_inv(struct bench_case *c) { return garray_linalg_inv(c->a, &c->out); }
static garray_status step_det(struct bench_case *c) { return garray_linalg_det(c->a, &c->out); }
static garray_status step_triangle(struct bench_case *c) { return garray_linalg_solve_triangular(c->a, c->b, NULL, &c->out); }
static garray_status step_least(struct bench_case *c)
{
    return garray_linalg_lstsq(c->a, c->b, NULL, &c->out, NULL, NULL, NULL);
}
static garray_status step_cholesky(struct bench_case *c) { return garray_linalg_cholesky(c->a, NULL, &c->out); }
static garray_status step_eigh(struct bench_case *c) { return garray_linalg_eigh(c->a, NULL, &c->out, &c->out2); }
static garray_status step_solve(struct bench_case *c) { return garray_linalg_solve(c->a, c->b, &c->out); }

void bench_linalg(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->linalg, B = s->batch16;
    double n = (double)N, b = (double)B, n3 = 16.0 * 16 * 16;
#define F64 .dtype = GARRAY_FLOAT64
    CASE(.name = "cholesky_f64", F64, .n = N, .bytes = 16 * n * n, .flops = n * n * n / 3, .dim = { 1, N },
         .setup = setup_spd, .step = step_cholesky);
    CASE(.name = "eigh_f64", F64, .n = N, .bytes = 16 * n * n, .dim = { 1, N }, .setup = setup_spd, .step = step_eigh);
    CASE(.name = "qr_f64", F64, .n = N, .bytes = 24 * n * n, .flops = 8 * n * n * n / 3, .dim = { 1, N }, .setup = setup_general,
         .step = step_qr);
    CASE(.name = "svd_f64", F64, .n = N, .bytes = 24 * n * n, .dim = { 1, N }, .setup = setup_general, .step = step_svd);
    int64_t E = s->gpu ? 512 : 256;
    CASE(.name = "eig_f64", F64, .n = E, .bytes = 24.0 * (double)(E * E), .dim = { 1, E }, .setup = setup_general,
         .step = step_eig);
    CASE(.name = "solve_f64", F64, .n = N, .bytes = 8 * n * n, .flops = 2 * n * n * n / 3 + 32 * n * n,
         .dim = { 1, N, 16 }, .setup = setup_system, .step = step_solve);
    CASE(.name = "inv_f64", F64, .n = N, .bytes = 16 * n * n, .flops = 2 * n * n * n, .dim = { 1, N }, .setup = setup_general,
         .step = step_inv);
    CASE(.name = "det_f64", F64, .n = N, .bytes = 8 * n * n, .flops = 2 * n * n * n / 3, .dim = { 1, N }, .setup = setup_general,
         .step = step_det);
    CASE(.name = "solve_triangular_f64", F64, .n = N, .bytes = 24 * n * n, .flops = n * n * n, .dim = { 1, N },
         .setup = setup_triangle, .step = step_triangle);
    CASE(.name = "lstsq_f64", F64, .n = N, .bytes = n * n, .dim = { 1, N, N / 8 }, .setup = setup_least, .step = step_least);
    CASE(.name = "solve_batched16_f64", F64, .n = B, .bytes = 8 * 256 * b, .flops = b * (2 * n3 / 3 + 512),
         .dim = { B, 16, 1 }, .setup = setup_system, .step = step_solve);
    CASE(.name = "cholesky_batched16_f64", F64, .n = B, .bytes = 16 * 256 * b, .flops = b * n3 / 3, .dim = { B, 16 },
         .setup = setup_spd, .step = step_cholesky);
    CASE(.name = "eigh_batched16_f64", F64, .n = B, .bytes = 16 * 256 * b, .dim = { B, 16 }, .setup = setup_spd,
         .step = step_eigh);
    CASE(.name = "svd_batched16_f64", F64, .n = B, .bytes = 24 * 256 * b, .dim = { B, 16 }, .setup = setup_general,
         .step = step_svd);
    int64_t M = s->gpu ? 1000 : 100;        /* matrices too large for the kernels of small ones */
    double m = (double)M;
    CASE(.name = "qr_batched64_f64", F64, .n = M, .bytes = 24 * 4096 * m, .flops = m * 8.0 * 64 * 64 * 64 / 3, .dim = { M, 64 },
         .setup = setup_general, .step = step_qr);
    CASE(.name = "svd_batched64_f64", F64, .n = M, .bytes = 24 * 4096 * m, .dim = { M, 64 }, .setup = setup_general,
         .step = step_svd);
}
