/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes and data of the cases. */
#include <math.h>
#include "bench.h"

int64_t bench_side(int64_t elements, int power)
{
    int64_t n = (int64_t)llround(pow((double)elements, 1.0 / power));
    while ((power == 2 ? n * n : n * n * n) > elements)
        n--;
    n = n / 16 * 16 < 16 ? 16 : n / 16 * 16;
    return n % 512 || n <= 512 ? n : n - 16;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

struct sizes bench_sizes(bool gpu, int64_t large_bytes)
{
    struct sizes s = { .gpu = gpu };
    s.N = most(1 << 16, large_bytes / 4 / 256 * 256);
    s.N1 = gpu ? s.N : 4 * s.N;
    s.R = bench_side(s.N, 2);
    s.Q = bench_side(s.N, 3);
    s.sort = least(s.N, gpu ? 100000000 : 10000000);
    s.sort_side = bench_side(s.sort, 2);
    s.rows3 = s.N / 3 / 64 * 64;
    s.rows64 = s.N / 64 / 64 * 64;
    s.matmul = gpu ? 8192 : 2048;
    s.matmul_c64 = gpu ? 4096 : 1024;
    s.matmul_i64 = gpu ? 2048 : 512;
    s.linalg = gpu ? 2048 : 1024;
    s.batch32 = gpu ? 20000 : most(20000, s.N / 1024 / 1000 * 1000);
    s.batch16 = 10000;
    s.fft_mega = gpu ? 64 : s.N >> 21 < 1 ? 1 : s.N >> 21 > 64 ? 64 : s.N >> 21;      /* of 2^20 points each */
    s.fft2 = gpu ? 4096 : 2048;
    return s;
}

garray_status bench_rand(struct bench_case *c, garray_shape shape, garray_dtype dtype, double low, double high, garray_t **out)
{
    if (dtype == GARRAY_COMPLEX64 || dtype == GARRAY_COMPLEX128) {
        GARRAY_AUTO garray_t *re = NULL, *im = NULL, *turned = NULL;
        garray_dtype part = dtype == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : GARRAY_FLOAT64;
        GARRAY_TRY(garray_random_uniform(&c->rng, low, high, shape, part, c->device, &re));
        GARRAY_TRY(garray_random_uniform(&c->rng, low, high, shape, part, c->device, &im));
        GARRAY_TRY(garray_multiply(im, GARRAY_COMPLEX(0, 1), &turned));
        return garray_add(re, turned, out);
    }
    if (dtype == GARRAY_BOOL) {
        GARRAY_AUTO garray_t *u = NULL;
        GARRAY_TRY(garray_random_uniform(&c->rng, 0, 1, shape, GARRAY_FLOAT32, c->device, &u));
        return garray_less(u, high, out);
    }
    return garray_random_uniform(&c->rng, low, high, shape, dtype, c->device, out);
}

garray_status bench_randint(struct bench_case *c, int64_t low, int64_t high, garray_shape shape, garray_dtype dtype,
                            garray_t **out)
{
    return garray_random_integers(&c->rng, low, high, shape, GARRAY_KW(integers, .dtype = dtype), c->device, out);
}

garray_status bench_permutation(struct bench_case *c, int64_t n, garray_t **out)
{
    GARRAY_AUTO garray_t *keys = NULL;
    GARRAY_TRY(bench_rand(c, GARRAY_SHAPE(n), GARRAY_FLOAT64, 0, 1, &keys));
    return garray_argsort(keys, -1, NULL, out);
}
