/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU's ceilings, without the library: copies, reading, filling with plain loops on as many threads, and BLAS and LAPACK
 * called directly.  Lines and fields are those of garray-bench, lib is "direct". */
#define _GNU_SOURCE
#include <cblas.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "direct.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

void openblas_set_num_threads(int n);

enum { MEMCPY, STREAM, READ, FILL };
struct part {
    int what;
    float *dst;
    const float *src;
    int64_t n;
    float sum;
};

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void stream_copy(float *dst, const float *src, int64_t n)
{
    for (int64_t i = 0; i + 8 <= n; i += 8)
        _mm256_stream_ps(dst + i, _mm256_load_ps(src + i));
    _mm_sfence();
}
__attribute__((target("avx2"))) static void stream_fill(float *dst, int64_t n)
{
    __m256 v = _mm256_set1_ps(1.5f);
    for (int64_t i = 0; i + 8 <= n; i += 8)
        _mm256_stream_ps(dst + i, v);
    _mm_sfence();
}
__attribute__((target("avx2"))) static float read_all(const float *src, int64_t n)
{
    __m256 s[8];
    float out[8], total = 0;
    for (int k = 0; k < 8; k++)
        s[k] = _mm256_setzero_ps();
    for (int64_t i = 0; i + 64 <= n; i += 64)
        for (int k = 0; k < 8; k++)
            s[k] = _mm256_add_ps(s[k], _mm256_load_ps(src + i + 8 * k));
    for (int k = 0; k < 8; k++) {
        _mm256_storeu_ps(out, s[k]);
        for (int j = 0; j < 8; j++)
            total += out[j];
    }
    return total;
}
#else
static void stream_copy(float *dst, const float *src, int64_t n) { memcpy(dst, src, (size_t)n * 4); }
static void stream_fill(float *dst, int64_t n) { for (int64_t i = 0; i < n; i++) dst[i] = 1.5f; }
static float read_all(const float *src, int64_t n) { float s = 0; for (int64_t i = 0; i < n; i++) s += src[i]; return s; }
#endif

static void *work(void *arg)
{
    struct part *p = arg;
    switch (p->what) {
    case MEMCPY: memcpy(p->dst, p->src, (size_t)p->n * 4); break;
    case STREAM: stream_copy(p->dst, p->src, p->n); break;
    case READ: p->sum = read_all(p->src, p->n); break;
    default: stream_fill(p->dst, p->n);
    }
    return NULL;
}

double direct_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void direct_print(const char *name, int64_t n, const char *dtype, double *ms, int count, double bytes, double flops)
{
    qsort(ms, (size_t)count, sizeof *ms, compare);
    printf("{\"case\": \"%s\", \"lib\": \"direct\", \"device\": \"cpu\", \"n\": %lld, \"dtype\": \"%s\", \"ms\": %.6f, \"min_ms\": %.6f, "
           "\"call_ms\": %.6f, \"inner\": 1, \"bytes\": %.0f, \"flops\": %.0f}\n", name, (long long)n, dtype, ms[count / 2], ms[0],
           ms[count / 2], bytes, flops);
    fflush(stdout);
}

enum { REPEATS = DIRECT_REPEATS, MOST_THREADS = 256 };

static void memory_case(const char *name, int what, float *dst, const float *src, int64_t n, int threads, double bytes)
{
    double ms[REPEATS];
    for (int r = -2; r < REPEATS; r++) {
        pthread_t id[MOST_THREADS];
        struct part part[MOST_THREADS];
        int64_t step = n / threads / 64 * 64;
        double start = direct_now();
        for (int t = 0; t < threads; t++) {
            part[t] = (struct part){ what, dst + t * step, src + t * step, t + 1 < threads ? step : n - t * step, 0 };
            if (t && pthread_create(&id[t], NULL, work, &part[t]))
                exit(1);
        }
        work(&part[0]);
        for (int t = 1; t < threads; t++)
            pthread_join(id[t], NULL);
        if (r >= 0)
            ms[r] = direct_now() - start;
    }
    direct_print(name, n, "float32", ms, REPEATS, bytes, 0);
}

void *direct_memory(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    madvise(p, size, MADV_HUGEPAGE);
    memset(p, 0, size);
    return p;
}

double direct_uniform(void) { return (double)rand() / RAND_MAX; }

/* A product as the library makes it: of rows, ta and tb whether a and b are transposed in memory. */
struct product {
    const char *name;
    int wide, ta, tb;           /* wide: float64 */
    int64_t m, n, k, batch;
    int64_t shown;              /* the case's n */
    int parts;                  /* 2: complex */
};

static void multiply(const struct product *p, const void *a, const void *b, void *c)
{
    const float one_f[2] = { 1, 0 }, zero_f[2] = { 0, 0 };
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const CBLAS_TRANSPOSE ta = p->ta ? CblasTrans : CblasNoTrans, tb = p->tb ? CblasTrans : CblasNoTrans;
    if (n == 1 && p->wide == 0 && p->parts == 1)
        cblas_sgemv(CblasRowMajor, ta, m, k, 1, a, k, b, 1, 0, c, 1);
    else if (p->parts == 2)
        cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, one_f, a, p->ta ? m : k, b, p->tb ? k : n, zero_f, c, n);
    else if (p->wide)
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, p->ta ? m : k, b, p->tb ? k : n, 0, c, n);
    else
        cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, p->ta ? m : k, b, p->tb ? k : n, 0, c, n);
}

static void product_case(const struct product *p)
{
    const int64_t item = (p->wide ? 8 : 4) * p->parts, na = p->m * p->k, nb = p->k * p->n, nc = p->m * p->n;
    char *a = direct_memory((size_t)(na * p->batch * item)), *b = direct_memory((size_t)(nb * p->batch * item));
    char *c = direct_memory((size_t)(nc * p->batch * item));
    double ms[REPEATS];
    for (int64_t i = 0; i < (na > nb ? na : nb) * p->batch * p->parts; i++) {
        if (i < na * p->batch * p->parts && p->wide)
            ((double *)(void *)a)[i] = direct_uniform();
        else if (i < na * p->batch * p->parts)
            ((float *)(void *)a)[i] = (float)direct_uniform();
        if (i < nb * p->batch * p->parts && p->wide)
            ((double *)(void *)b)[i] = direct_uniform();
        else if (i < nb * p->batch * p->parts)
            ((float *)(void *)b)[i] = (float)direct_uniform();
    }
    for (int r = -2; r < REPEATS; r++) {
        double start = direct_now();
        for (int64_t t = 0; t < p->batch; t++)
            multiply(p, a + t * na * item, b + t * nb * item, c + t * nc * item);
        if (r >= 0)
            ms[r] = direct_now() - start;
    }
    direct_print(p->name, p->shown ? p->shown : p->m, p->parts == 2 ? "complex64" : p->wide ? "float64" : "float32", ms, REPEATS,
                 (double)((na + nb + nc) * p->batch * item),
                 (p->parts == 2 ? 8.0 : 2.0) * (double)p->m * (double)p->n * (double)p->k * (double)p->batch);
    munmap(a, (size_t)(na * p->batch * item));
    munmap(b, (size_t)(nb * p->batch * item));
    munmap(c, (size_t)(nc * p->batch * item));
}

static void dot_case(int64_t n)
{
    float *a = direct_memory((size_t)n * 4), *b = direct_memory((size_t)n * 4);
    volatile float sum = 0;
    double ms[REPEATS];
    for (int64_t i = 0; i < n; i++)
        a[i] = b[i] = (float)direct_uniform();
    for (int r = -2; r < REPEATS; r++) {
        double start = direct_now();
        sum = cblas_sdot((blasint)n, a, 1, b, 1);
        if (r >= 0)
            ms[r] = direct_now() - start;
    }
    (void)sum;
    direct_print("dot_f32", n, "float32", ms, REPEATS, 8 * (double)n, 0);
    munmap(a, (size_t)n * 4);
    munmap(b, (size_t)n * 4);
}

/* The side of a square matrix, as garray-bench chooses it. */
static int64_t side_of(int64_t n)
{
    int64_t side = 16;
    while ((side + 16) * (side + 16) <= n)
        side += 16;
    return side % 512 || side <= 512 ? side : side - 16;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: direct-cpu THREADS BYTES\n"
                        "Times copies, reads, fills, BLAS and LAPACK without the library, for vectors of BYTES bytes.\n");
        return 2;
    }
    int threads = atoi(argv[1]);
    int64_t n = (int64_t)atof(argv[2]) / 4 / 256 * 256;
    if (threads < 1 || threads > MOST_THREADS || n < 1024)
        return 2;
    float *src = direct_memory((size_t)n * 4), *dst = direct_memory((size_t)n * 4);
    double d = (double)n;
    memory_case("ceiling_copy_memcpy", MEMCPY, dst, src, n, threads, 8 * d);
    memory_case("ceiling_copy_stream", STREAM, dst, src, n, threads, 8 * d);
    memory_case("ceiling_read", READ, dst, src, n, threads, 4 * d);
    memory_case("ceiling_fill", FILL, dst, src, n, threads, 4 * d);
    openblas_set_num_threads(threads);
    const int64_t g = 2048, h = g - 1, rows = n / 64 / 64 * 64, side = side_of(n), b = n / 1024 / 1000 * 1000;
    const struct product products[] = {
        { "matmul_f32", 0, 0, 0, g, g, g, 1, g, 1 },
        { "matmul_f64", 1, 0, 0, g, g, g, 1, g, 1 },
        { "matmul_c64", 0, 0, 0, 1024, 1024, 1024, 1, 1024, 2 },
        { "matmul_odd_f32", 0, 0, 0, h, h, h, 1, h, 1 },
        { "matmul_at_b_f32", 0, 1, 0, g, g, g, 1, g, 1 },
        { "matmul_a_bt_f32", 0, 0, 1, g, g, g, 1, g, 1 },
        { "matmul_tall_f32", 0, 0, 0, rows, 64, 64, 1, rows, 1 },
        { "matmul_gram_f32", 0, 1, 0, 64, 64, rows, 1, rows, 1 },
        { "matmul_batched32_f32", 0, 0, 0, 32, 32, 32, b > 20000 ? b : 20000, b > 20000 ? b : 20000, 1 },
        { "einsum_bij_bkj_f32", 0, 0, 1, 256, 256, 256, 64, 64, 1 },
        { "matvec_f32", 0, 0, 0, side, 1, side, 1, side, 1 },
    };
    munmap(src, (size_t)n * 4);
    munmap(dst, (size_t)n * 4);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        product_case(&products[i]);
    dot_case(n);
    direct_lapack();
    return 0;
}
