/* SPDX-License-Identifier: BSD-3-Clause
 * garray-bench: what a case is, how its data is made, how it is timed.  Names, sizes and fields of the cases are those
 * of the benchmarks of the peers, so that lines can be joined. */
#ifndef BENCH_H
#define BENCH_H

#include <garray/garray.h>

struct sizes {
    bool gpu;
    int64_t N, N1, R, Q, sort, sort_side, rows3, rows64, matmul, matmul_c64, matmul_i64, linalg, batch32, batch16, fft_mega, fft2;
};
struct sizes bench_sizes(bool gpu, int64_t large_bytes);
int64_t bench_side(int64_t elements, int power);

/* One case: setup makes a, b, c and so on, step does the work once into out (kept between calls). */
struct bench_case {
    const char *name;
    const char *family;
    garray_dtype dtype;
    int64_t n;
    double bytes, flops;
    int inner;                                  /* calls per sample; 0: chosen */
    garray_status (*setup)(struct bench_case *c);
    garray_status (*step)(struct bench_case *c);
    /* for setup and step */
    const struct sizes *s;
    garray_device device;
    garray_rng rng;
    garray_op op;
    garray_status (*reduce)(const garray_t *, garray_axes, const garray_reduce_opts *, garray_t **);
    garray_status (*reduce_var)(const garray_t *, garray_axes, const garray_var_opts *, garray_t **);
    garray_status (*reduce_arg)(const garray_t *, garray_axes, const garray_arg_opts *, garray_t **);
    int32_t axis;                               /* ALL: over all axes */
    int kind;                                   /* variant, its meaning is the family's */
    int64_t dim[4];
    garray_dtype dtype2;
    double low, high;
    bool alloc;                                 /* let each call allocate its result */
    garray_t *a, *b, *c, *d, *out, *out2, *out3;
    void *host;                                 /* from malloc */
    void (*drop)(void *host);                   /* what is in it, before it is freed; may be NULL */
    int threads;                                /* of the CPU; 0: as the program was told */
};
enum { ALL = 100 };

/* Called once per case, in order. */
typedef void bench_emit(struct bench_case *c, void *ctx);
void bench_ceilings(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_elementwise(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_layout(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_reductions(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_indexing(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_sorting(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_products(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_linalg(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_fft(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_signal(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_random(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_small(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_transfers(const struct sizes *s, bench_emit *emit, void *ctx);
void bench_sweep(const struct sizes *s, bench_emit *emit, void *ctx);

/* ---- data ---- */
/* Uniform numbers in [low, high); complex ones have both parts there. */
garray_status bench_rand(struct bench_case *c, garray_shape shape, garray_dtype dtype, double low, double high, garray_t **out);
garray_status bench_randint(struct bench_case *c, int64_t low, int64_t high, garray_shape shape, garray_dtype dtype,
                            garray_t **out);
garray_status bench_permutation(struct bench_case *c, int64_t n, garray_t **out);

/* ---- time ---- */
struct timing {
    double ms, min_ms, call_ms;
    int inner, samples;
};
garray_status bench_measure(struct bench_case *c, int repeats, double budget_s, struct timing *t);
double bench_now_ms(void);

#endif
