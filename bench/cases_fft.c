/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier transforms. */
#include <math.h>
#include "bench.h"

#define CASE(...)                                                                          \
    do {                                                                                   \
        struct bench_case c_ = { .s = s, .dtype = GARRAY_COMPLEX64, .high = 1, __VA_ARGS__ }; \
        emit(&c_, ctx);                                                                    \
    } while (0)

/* a: dim[0] x dim[1] */
static garray_status setup_rows(struct bench_case *c)
{
    return bench_rand(c, GARRAY_SHAPE(c->dim[0], c->dim[1]), c->dtype, 0, 1, &c->a);
}
static garray_status step_fft(struct bench_case *c) { return garray_fft_fft(c->a, -1, NULL, &c->out); }
static garray_status step_rfft(struct bench_case *c) { return garray_fft_rfft(c->a, -1, NULL, &c->out); }
static garray_status step_fft2(struct bench_case *c)
{
    return garray_fft_fft2(c->a, GARRAY_0D, GARRAY_ALL_AXES, NULL, &c->out);
}

void bench_fft(const struct sizes *s, bench_emit *emit, void *ctx)
{
    int64_t K = s->fft_mega, M = s->fft2, prime = 1000003, P = K / 4 > 1 ? K / 4 : 1, mega = 1 << 20;
    double k = (double)K, m = (double)M;
#define ROWS(name_, rows, length)                                                                                    \
    CASE(.name = name_, .n = (rows) * (length), .bytes = 16.0 * (double)(rows) * (double)(length),                   \
         .flops = 5.0 * (double)(rows) * (double)(length) * log2((double)(length)), .dim = { rows, length },         \
         .setup = setup_rows, .step = step_fft)
    ROWS("fft_1m_batch_c64", K, mega);
    ROWS("fft_1024_batch_c64", K << 10, 1024);
    ROWS("fft_1000_batch_c64", K << 10, 1000);
    ROWS("fft_prime_c64", P, prime);
    CASE(.name = "rfft_1m_batch_f32", .dtype = GARRAY_FLOAT32, .n = K << 20, .bytes = k * (8.0 * 0x1p20 + 8),
         .flops = 2.5 * 20 * k * 0x1p20, .dim = { K, mega }, .setup = setup_rows, .step = step_rfft);
    CASE(.name = "fft2_c64", .n = M * M, .bytes = 16 * m * m, .flops = 10 * m * m * log2(m), .dim = { M, M },
         .setup = setup_rows, .step = step_fft2);
}
