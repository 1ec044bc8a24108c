/* SPDX-License-Identifier: BSD-3-Clause
 * Ceilings, elementwise functions, and the sweep over sizes. */
#include <string.h>
#include "bench.h"

static int64_t item(garray_dtype dtype) { return (int64_t)garray_dtype_size(dtype); }

/* out = op(a, b) or op(a); b may be missing, or the number in low. */
static garray_status step_ufunc(struct bench_case *c)
{
    garray_operand in[2] = { GARRAY_OPERAND(c->a), GARRAY_NONE };
    garray_t **outs[1] = { &c->out };
    int nin = 1;
    if (c->kind == 1) {
        in[1] = GARRAY_OPERAND(c->low);
        nin = 2;
    } else if (c->b) {
        in[1] = GARRAY_OPERAND(c->b);
        nin = 2;
    }
    return garray_ufunc(c->op, nin, in, NULL, 1, outs);
}
static garray_status step_copy(struct bench_case *c) { return garray_copy(c->a, &c->out); }
static garray_status step_fill(struct bench_case *c)
{
    return garray_full(GARRAY_SHAPE(c->n), 1.5, c->dtype, c->device, &c->out);
}
static garray_status step_cast(struct bench_case *c) { return garray_astype(c->a, c->dtype, &c->out); }
static garray_status step_inplace(struct bench_case *c) { return garray_add(c->a, c->b, garray_into(c->a)); }
static garray_status step_where(struct bench_case *c) { return garray_where(c->d, c->a, c->b, &c->out); }
static garray_status step_sum(struct bench_case *c) { return garray_sum(c->a, GARRAY_ALL_AXES, NULL, &c->out); }

static garray_status setup_one(struct bench_case *c)
{
    return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, c->low, c->high, &c->a);
}
static garray_status setup_scalar(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, 0, 1, &c->a));
    c->low = 2.5;
    return GARRAY_OK;
}
static garray_status setup_two(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), c->dtype2 ? c->dtype2 : c->dtype, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, 0, 1, &c->b);
}
static garray_status setup_pow(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, 0.1, 4, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype, -3, 3, &c->b);
}
static garray_status setup_i8(struct bench_case *c)
{
    GARRAY_TRY(bench_randint(c, 0, 50, GARRAY_SHAPE(c->n), GARRAY_INT8, &c->a));
    return bench_randint(c, 0, 50, GARRAY_SHAPE(c->n), GARRAY_INT8, &c->b);
}
static garray_status setup_floor_divide(struct bench_case *c)
{
    GARRAY_TRY(bench_randint(c, -1000000, 1000000, GARRAY_SHAPE(c->n), GARRAY_INT64, &c->a));
    return bench_randint(c, 1, 1000, GARRAY_SHAPE(c->n), GARRAY_INT64, &c->b);
}
static garray_status setup_where(struct bench_case *c)
{
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_BOOL, 0, 0.5, &c->d));
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->a));
    return bench_rand(c, GARRAY_SHAPE(c->n), GARRAY_FLOAT32, 0, 1, &c->b);
}
static garray_status setup_cast(struct bench_case *c)
{
    if (c->dtype2 == GARRAY_INT32)
        return bench_randint(c, 0, 1000000, GARRAY_SHAPE(c->n), GARRAY_INT32, &c->a);
    return bench_rand(c, GARRAY_SHAPE(c->n), c->dtype2, 0, 1, &c->a);
}

#define CASE(...)                                                     \
    do {                                                              \
        struct bench_case c_ = { .s = s, .high = 1, __VA_ARGS__ };    \
        emit(&c_, ctx);                                               \
    } while (0)

void bench_ceilings(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N;
    CASE(.name = "copy_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 8.0 * (double)N, .setup = setup_one, .step = step_copy);
    CASE(.name = "fill_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 4.0 * (double)N, .step = step_fill);
    if (s->gpu)
        CASE(.name = "copy_d2d_f32", .dtype = GARRAY_FLOAT32, .n = 2 * N, .bytes = 16.0 * (double)N,
             .setup = setup_one, .step = step_copy);
}

static const struct { const char *name; garray_op op; double low, high; } functions[] = {
    { "exp", GARRAY_OP_exp, -8, 8 }, { "log", GARRAY_OP_log, 0.01, 100 }, { "sin", GARRAY_OP_sin, -10, 10 },
    { "tanh", GARRAY_OP_tanh, -4, 4 }, { "sqrt", GARRAY_OP_sqrt, 0, 100 },
};

static const char *join(char *text, const char *a, const char *b)
{
    strcpy(text, a);
    strcat(text, b);
    return text;
}

void bench_elementwise(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t N = s->N;
    double n = (double)N;
    char text[64];
    for (int wide = 0; wide < 2; wide++) {
        garray_dtype t = wide ? GARRAY_FLOAT64 : GARRAY_FLOAT32;
        const char *suffix = wide ? "_f64" : "_f32";
        double size = (double)item(t);
        CASE(.name = join(text, "add", suffix), .dtype = t, .n = N, .bytes = 3 * size * n, .op = GARRAY_OP_add,
             .setup = setup_two, .step = step_ufunc);
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
            CASE(.name = join(text, functions[i].name, suffix), .dtype = t, .n = N, .bytes = 2 * size * n, .op = functions[i].op,
                 .low = functions[i].low, .high = functions[i].high, .setup = setup_one, .step = step_ufunc);
        CASE(.name = join(text, "pow", suffix), .dtype = t, .n = N, .bytes = 3 * size * n, .op = GARRAY_OP_pow,
             .setup = setup_pow, .step = step_ufunc);
    }
    CASE(.name = "add_alloc_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 12 * n, .op = GARRAY_OP_add,
         .alloc = true, .setup = setup_two, .step = step_ufunc);
    CASE(.name = "exp_alloc_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 8 * n, .op = GARRAY_OP_exp, .alloc = true,
         .low = -8, .high = 8, .setup = setup_one, .step = step_ufunc);
    CASE(.name = "mul_scalar_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 8 * n, .op = GARRAY_OP_multiply,
         .kind = 1, .setup = setup_scalar, .step = step_ufunc);
    CASE(.name = "inplace_add_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 12 * n, .setup = setup_two, .step = step_inplace);
    CASE(.name = "add_f16", .dtype = GARRAY_FLOAT16, .n = N, .bytes = 6 * n, .op = GARRAY_OP_add, .setup = setup_two,
         .step = step_ufunc);
    CASE(.name = "exp_f16", .dtype = GARRAY_FLOAT16, .n = N, .bytes = 4 * n, .op = GARRAY_OP_exp, .low = -8,
         .high = 8, .setup = setup_one, .step = step_ufunc);
    CASE(.name = "exp_bf16", .dtype = GARRAY_BFLOAT16, .n = N, .bytes = 4 * n, .op = GARRAY_OP_exp, .low = -8,
         .high = 8, .setup = setup_one, .step = step_ufunc);
    CASE(.name = "add_i8", .dtype = GARRAY_INT8, .n = s->N1, .bytes = 3.0 * (double)s->N1, .op = GARRAY_OP_add,
         .setup = setup_i8, .step = step_ufunc);
    CASE(.name = "add_mixed_f32_f64", .dtype = GARRAY_FLOAT64, .dtype2 = GARRAY_FLOAT32, .n = N, .bytes = 20 * n,
         .op = GARRAY_OP_add, .setup = setup_two, .step = step_ufunc);
    CASE(.name = "floor_divide_i64", .dtype = GARRAY_INT64, .n = N, .bytes = 24 * n, .op = GARRAY_OP_floor_divide,
         .setup = setup_floor_divide, .step = step_ufunc);
    CASE(.name = "multiply_c64", .dtype = GARRAY_COMPLEX64, .n = N, .bytes = 24 * n, .op = GARRAY_OP_multiply,
         .setup = setup_two, .step = step_ufunc);
    CASE(.name = "less_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 9 * n, .op = GARRAY_OP_less,
         .setup = setup_two, .step = step_ufunc);
    CASE(.name = "where_f32", .dtype = GARRAY_FLOAT32, .n = N, .bytes = 13 * n, .setup = setup_where, .step = step_where);
    CASE(.name = "cast_f64_f32", .dtype = GARRAY_FLOAT32, .dtype2 = GARRAY_FLOAT64, .n = N, .bytes = 12 * n,
         .setup = setup_cast, .step = step_cast);
    CASE(.name = "cast_f32_f16", .dtype = GARRAY_FLOAT16, .dtype2 = GARRAY_FLOAT32, .n = N, .bytes = 6 * n,
         .setup = setup_cast, .step = step_cast);
    CASE(.name = "cast_i32_f32", .dtype = GARRAY_FLOAT32, .dtype2 = GARRAY_INT32, .n = N, .bytes = 8 * n,
         .setup = setup_cast, .step = step_cast);
}

void bench_sweep(const struct sizes *s, bench_emit *emit, void *ctx)
{
    char text[64];
    int64_t n = 1000;
    for (char power = '3'; power <= '9'; power++, n *= 10) {
        char suffix[4] = { '1', 'e', power, 0 };
        double d = (double)n;
        if (!s->gpu && n > 4 * s->N)
            break;
        CASE(.name = join(text, "sweep_add_", suffix), .dtype = GARRAY_FLOAT32, .n = n, .bytes = 12 * d,
             .op = GARRAY_OP_add, .setup = setup_two, .step = step_ufunc);
        CASE(.name = join(text, "sweep_exp_", suffix), .dtype = GARRAY_FLOAT32, .n = n, .bytes = 8 * d,
             .op = GARRAY_OP_exp, .low = -8, .high = 8, .setup = setup_one, .step = step_ufunc);
        CASE(.name = join(text, "sweep_sum_", suffix), .dtype = GARRAY_FLOAT32, .n = n, .bytes = 4 * d,
             .setup = setup_one, .step = step_sum);
    }
}
