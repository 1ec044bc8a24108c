/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU's ceilings, without the library: copies, reading, filling with plain loops on as many threads, and BLAS
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

static double now_ms(void)
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

static void print(const char *name, int64_t n, const char *dtype, double *ms, int count, double bytes, double flops)
{
    qsort(ms, (size_t)count, sizeof *ms, compare);
    printf("{\"case\": \"%s\", \"lib\": \"direct\", \"device\": \"cpu\", \"n\": %lld, \"dtype\": \"%s\", \"ms\": %.6f, \"min_ms\": %.6f, "
           "\"call_ms\": %.6f, \"inner\": 1, \"bytes\": %.0f, \"flops\": %.0f}\n", name, (long long)n, dtype, ms[count / 2], ms[0],
           ms[count / 2], bytes, flops);
    fflush(stdout);
}

enum { REPEATS = 15, MOST_THREADS = 256 };

static void memory_case(const char *name, int what, float *dst, const float *src, int64_t n, int threads, double bytes)
{
    double ms[REPEATS];
    for (int r = -2; r < REPEATS; r++) {
        pthread_t id[MOST_THREADS];
        struct part part[MOST_THREADS];
        int64_t step = n / threads / 64 * 64;
        double start = now_ms();
        for (int t = 0; t < threads; t++) {
            part[t] = (struct part){ what, dst + t * step, src + t * step, t + 1 < threads ? step : n - t * step, 0 };
            if (t && pthread_create(&id[t], NULL, work, &part[t]))
                exit(1);
        }
        work(&part[0]);
        for (int t = 1; t < threads; t++)
            pthread_join(id[t], NULL);
        if (r >= 0)
            ms[r] = now_ms() - start;
    }
    print(name, n, "float32", ms, REPEATS, bytes, 0);
}

static void *memory(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    madvise(p, size, MADV_HUGEPAGE);
    memset(p, 0, size);
    return p;
}

static double uniform(void) { return (double)rand() / RAND_MAX; }

#define GEMM_CASE(function, name, type, dtype, n, flops_each, ...)                             \
    do {                                                                                       \
        type *a = memory(sizeof(type) * (size_t)(n) * (size_t)(n)), *b = memory(sizeof(type) * (size_t)(n) * (size_t)(n)), \
             *c = memory(sizeof(type) * (size_t)(n) * (size_t)(n));                            \
        double ms[REPEATS], d = (double)(n);                                                   \
        for (int64_t i = 0; i < (int64_t)(n) * (n); i++) {                                     \
            a[i] = (type)uniform();                                                            \
            b[i] = (type)uniform();                                                            \
        }                                                                                      \
        for (int r = -2; r < REPEATS; r++) {                                                   \
            double start = now_ms();                                                           \
            function(CblasRowMajor, __VA_ARGS__);                                              \
            if (r >= 0)                                                                        \
                ms[r] = now_ms() - start;                                                      \
        }                                                                                      \
        print(name, n, dtype, ms, REPEATS, 3.0 * sizeof(type) * d * d, flops_each * d * d * d); \
        munmap(a, sizeof(type) * (size_t)(n) * (size_t)(n));                                   \
        munmap(b, sizeof(type) * (size_t)(n) * (size_t)(n));                                   \
        munmap(c, sizeof(type) * (size_t)(n) * (size_t)(n));                                   \
    } while (0)

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: direct-cpu THREADS BYTES\n"
                        "Times copies, reads, fills and BLAS without the library, for vectors of BYTES bytes.\n");
        return 2;
    }
    int threads = atoi(argv[1]);
    int64_t n = (int64_t)atof(argv[2]) / 4 / 256 * 256;
    if (threads < 1 || threads > MOST_THREADS || n < 1024)
        return 2;
    float *src = memory((size_t)n * 4), *dst = memory((size_t)n * 4);
    double d = (double)n;
    memory_case("ceiling_copy_memcpy", MEMCPY, dst, src, n, threads, 8 * d);
    memory_case("ceiling_copy_stream", STREAM, dst, src, n, threads, 8 * d);
    memory_case("ceiling_read", READ, dst, src, n, threads, 4 * d);
    memory_case("ceiling_fill", FILL, dst, src, n, threads, 4 * d);
    openblas_set_num_threads(threads);
    int g = 2048, h = g - 1;
    GEMM_CASE(cblas_sgemm, "matmul_f32", float, "float32", g, 2.0, CblasNoTrans, CblasNoTrans, g, g, g, 1, a, g, b, g, 0, c, g);
    GEMM_CASE(cblas_dgemm, "matmul_f64", double, "float64", g, 2.0, CblasNoTrans, CblasNoTrans, g, g, g, 1, a, g, b, g, 0, c, g);
    GEMM_CASE(cblas_sgemm, "matmul_odd_f32", float, "float32", h, 2.0, CblasNoTrans, CblasNoTrans, h, h, h, 1, a, h,
              b, h, 0, c, h);
    GEMM_CASE(cblas_sgemm, "matmul_at_b_f32", float, "float32", g, 2.0, CblasTrans, CblasNoTrans, g, g, g, 1, a, g, b,
              g, 0, c, g);
    GEMM_CASE(cblas_sgemm, "matmul_a_bt_f32", float, "float32", g, 2.0, CblasNoTrans, CblasTrans, g, g, g, 1, a, g, b,
              g, 0, c, g);
    return 0;
}
