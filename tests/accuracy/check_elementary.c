/* SPDX-License-Identifier: BSD-3-Clause
 * Measures the float32 functions of src/core/elementary.h against the C library in float64 (and, where
 * logaddexp cancels, in 113 bits): the largest error in units in the last place (ULP) of the true value's
 * binade. Also checks that the branch-free forms give the same bits as the complete ones, signs of zeros, and
 * NaN bits. Compiled as CUDA (nvcc -x cu -fmad=false) it checks the functions of the GPU: its hashes must be
 * the same. */
#ifdef __CUDACC__
#define GARRAY_FN static inline __host__ __device__
#ifdef __CUDA_ARCH__
#define GARRAY_TABLE static __constant__ double
#else
#define GARRAY_TABLE static const double /* pairs of arguments are made on the host */
#endif
#define restrict __restrict__
#endif
#include "core/elementary.h"
#include "../splitmix.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && defined(__x86_64__)
#include <quadmath.h>
#define HAVE_QUAD 1
#endif

typedef void block_function(const float *a, const float *b, float *complete, float *fast, int n);
typedef double reference_function(double a, double b);

#ifdef __CUDACC__
enum { BLOCK = 1 << 18 };
#define KERNEL(f, ...)                                                                                \
    __global__ void kernel_##f(const float *a, const float *b, float *complete, float *fast, int n)   \
    {                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                \
        (void)b;                                                                                      \
        if (i < n) {                                                                                  \
            complete[i] = e_##f(__VA_ARGS__);                                                         \
            fast[i] = E_RARE_##f(__VA_ARGS__) ? complete[i] : e_##f##_fast(__VA_ARGS__);              \
        }                                                                                             \
    }                                                                                                 \
    static void block_##f(const float *a, const float *b, float *complete, float *fast, int n)        \
    {                                                                                                 \
        kernel_##f<<<(n + 255) / 256, 256>>>(a, b, complete, fast, n);                                \
        if (cudaDeviceSynchronize() != cudaSuccess) {                                                 \
            fprintf(stderr, "the kernel of " #f " failed\n");                                         \
            exit(2);                                                                                  \
        }                                                                                             \
    }
#define BLOCK1(f) KERNEL(f, a[i])
#define BLOCK2(f) KERNEL(f, a[i], b[i])
#else
enum { BLOCK = 4096 };
/* Two loops: the first is what a backend compiles into vector code, the second the complete function. */
#define LOOPS(f, ...)                                                                                 \
    static void block_##f(const float *restrict a, const float *restrict b, float *restrict complete, \
                          float *restrict fast, int n)                                                \
    {                                                                                                 \
        (void)b;                                                                                      \
        for (int i = 0; i < n; i++)                                                                   \
            fast[i] = e_##f##_fast(__VA_ARGS__);                                                      \
        for (int i = 0; i < n; i++) {                                                                 \
            complete[i] = e_##f(__VA_ARGS__);                                                         \
            if (E_RARE_##f(__VA_ARGS__))                                                              \
                fast[i] = complete[i];                                                                \
        }                                                                                             \
    }
#define BLOCK1(f) LOOPS(f, a[i])
#define BLOCK2(f) LOOPS(f, a[i], b[i])
#endif
#define REFERENCE1(f) \
    static double reference_##f(double a, double b) { (void)b; return f(a); }
#define REFERENCE2(f) \
    static double reference_##f(double a, double b) { return f(a, b); }

#define ONE(X) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) \
    X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(cbrt) X(erf) X(erfc)
#define TWO(X) X(atan2) X(pow) X(hypot) X(logaddexp)
/* Of these the C library has none, or has them by another name. */
#define OTHER(X) X(rsqrt) X(sigmoid) X(erfinv) X(gamma) X(lgamma) X(sinc) X(i0)

static double logaddexp(double a, double b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a, y;
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return a + M_LN2;
    y = (double)(larger + log1pl(expl((long double)smaller - larger)));
#ifdef HAVE_QUAD
    if (larger < 0 && fabs(y) < 0.1)
        return (double)log1pq(expm1q(larger) + expq(smaller));
#endif
    return y;
}

static double logaddexp2(double a, double b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a, y;
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return a + 1;
    y = (double)(larger + log1pl(exp2l((long double)smaller - larger)) / 0.693147180559945309417L);
#ifdef HAVE_QUAD
    if (larger < 0 && fabs(y) < 0.1)
        return (double)(log1pq(expm1q(larger * M_LN2q) + expq(smaller * M_LN2q)) / M_LN2q);
#endif
    return y;
}

static double reference_rsqrt(double a, double b) { (void)b; return (double)(1 / sqrtl(a)); }
static double reference_sigmoid(double a, double b) { (void)b; return (double)(1 / (1 + expl(-(long double)a))); }
static double reference_gamma(double a, double b) { (void)b; return tgamma(a); }
static double reference_lgamma(double a, double b) { (void)b; return lgamma(a); }

/* Newton's method on erfc from the nearest float64 that a rough start finds. */
static double reference_erfinv(double a, double b)
{
    long double t = fabs(a), y, step;
    (void)b;
    if (!(t < 1))
        return t == 1 ? a * INFINITY : NAN;
    y = t < 0.5L ? t : sqrtl(-logl(1 - t));
    for (int i = 0; i < 60 && y > 0; i++) {
        step = (t < 0.5L ? erfl(y) - t : (1 - t) - erfcl(y)) * sqrtl(3.14159265358979323846L) / 2 * expl(y * y);
        y -= step;
        if (fabsl(step) <= 1e-18L * y)
            break;
    }
    return copysign((double)y, a);
}

static double reference_sinc(double a, double b)
{
    long double x = a, r = remainderl(x, 2);
    (void)b;
    if (a == 0)
        return 1;
    if (r == 0 || fabsl(r) == 1)
        return 0;
    r = fabsl(r) <= 0.5L ? r : copysignl(1, r) - r;
    return (double)(sinl(r * 3.14159265358979323846L) / (x * 3.14159265358979323846L));
}

/* The power series; past 93 there is no float32. */
static double reference_i0(double a, double b)
{
    long double u = (long double)a * a / 4, term = 1, sum = 1;
    (void)b;
    if (!(fabs(a) < 95))
        return a == a ? INFINITY : a;
    for (int k = 1; k < 500 && term > 1e-22L * sum; k++)
        sum += term *= u / ((long double)k * k);
    return (double)sum;
}

ONE(BLOCK1)
OTHER(BLOCK1)
BLOCK2(logaddexp2)
REFERENCE2(logaddexp2)
TWO(BLOCK2)
ONE(REFERENCE1)
TWO(REFERENCE2)

static const struct {
    const char *name;
    int arguments;
    block_function *block;
    reference_function *reference;
} functions[] = {
#define ROW1(f) {#f, 1, block_##f, reference_##f},
#define ROW2(f) {#f, 2, block_##f, reference_##f},
    ONE(ROW1) OTHER(ROW1) TWO(ROW2) ROW2(logaddexp2)
};

struct result {
    double error;           /* the largest */
    float a, b, value;      /* where, and what came out */
    double expected;
    uint64_t tried, wrong;  /* wrong: a sign of zero, NaN bits, or a difference between the two forms */
    uint64_t hash;
};

static double error_in_ulp(float value, double expected)
{
    double magnitude = fabs(expected), difference;
    int exponent = (int)(e_bits64(magnitude) >> 52) - 1023;
    if (exponent >= 128)
        return isinf(value) ? 0 : HUGE_VAL;
    if (exponent < -126)
        exponent = -126;
    difference = fabs((isinf(value) ? copysign(0x1p128, value) : (double)value) - expected);
    return difference * e_double((uint64_t)(1023 + 23 - exponent) << 52);
}

static void note(struct result *result, float a, float b, float value, double expected)
{
    result->a = a;
    result->b = b;
    result->value = value;
    result->expected = expected;
}

static struct {
    float a[BLOCK], b[BLOCK], complete[BLOCK], fast[BLOCK];
} *block;

/* Results of the first n arguments of the block. */
static void check_block(int which, int n, int hash_only, struct result *result)
{
    functions[which].block(block->a, block->b, block->complete, block->fast, n);
    for (int i = 0; i < n; i++) {
        float a = block->a[i], b = block->b[i], value = block->complete[i];
        double expected, error;
        int wrong = e_bits32(value) != e_bits32(block->fast[i]);
        result->hash = (result->hash ^ e_bits32(value)) * 0x100000001b3u;
        result->tried++;
        if (hash_only) {
            result->wrong += (uint64_t)wrong;
            continue;
        }
        expected = functions[which].reference(a, b);
        error = 0;
        if (isnan(expected) || isnan(value)) {
            wrong |= !isnan(expected) || e_bits32(value) != 0x7fc00000u;
        } else {
            wrong |= !signbit(value) != !signbit(expected);
            error = error_in_ulp(value, expected);
        }
        if (wrong || (error > result->error && !result->wrong))
            note(result, a, b, value, expected);
        if (error > result->error)
            result->error = error;
        result->wrong += (uint64_t)wrong;
    }
}

/* ---- arguments ---- */

/* Neighbours of every power of two and of the places where some function changes its formula. */
static int special(uint32_t index, float *a)
{
    static const float places[] = {
        1.0f,        0.5f,        0.70710678f, 1.41421356f, 0.41421356f, 2.41421356f,
        1.57079633f, 3.14159265f, 0.34657359f, 88.7228391f, 87.3365448f, 103.972077f,
        17.3286795f, 9.01091385f, 0.015625f,   100.0f,      110.0f,      0x1p40f,
    };
    uint32_t place = index >> 8, base;
    int step = (int)(index & 127) - 64;
    if (place < 255)
        base = place << 23;
    else if (place < 255 + sizeof places / sizeof places[0])
        base = e_bits32(places[place - 255]);
    else
        return 0;
    base += (uint32_t)step;
    *a = e_float((base & 0x7fffffffu) | (index & 128 ? 0x80000000u : 0));
    return 1;
}

static const float pair_values[] = {
    0.0f,        1.0f,         2.0f,         3.0f,            0.5f,            1.5f,           2.5f,
    4.0f,        16777215.0f,  16777216.0f,  8388607.5f,      33554432.0f,     1e10f,          1e-10f,
    1.00000012f, 0.99999994f,  1e-45f,       1.17549421e-38f, 1.17549435e-38f, 3.40282347e38f, 128.0f,
    150.0f,      0.693147182f, HUGE_VALF,    NAN,
};

/* Without the C library's functions, so that all machines try the same pairs. */
static void make_pair(int which, uint64_t index, uint64_t *state, float *a, float *b)
{
    uint64_t count = 2 * sizeof pair_values / sizeof pair_values[0], bits;
    if (index < count * count) {
        uint64_t i = index / count, j = index % count;
        *a = i & 1 ? -pair_values[i / 2] : pair_values[i / 2];
        *b = j & 1 ? -pair_values[j / 2] : pair_values[j / 2];
        return;
    }
    bits = splitmix(state);
    *a = e_float((uint32_t)bits);
    *b = e_float((uint32_t)(bits >> 32));
    if (index % 4 == 0)
        return;
    if (functions[which].block == block_pow) {
        /* Results inside the range: |b log2 a| below 160. */
        double target = 160.0 * ((double)splitmix(state) * 0x1p-63 - 1.0), exponent;
        if (index % 4 == 1)
            *a = 1.0f + (float)((double)splitmix(state) * 0x1p-64 * (index % 8 == 1 ? 1 : 0x1p-12));
        *a = fabsf(*a);
        exponent = e_log2(*a);
        *b = (float)(exponent == 0.0 ? target : target / exponent);
        if (index % 4 == 2) {
            *b = rintf(*b);
            *a = index % 8 == 2 ? -*a : *a;
        }
    } else if (functions[which].block == block_logaddexp || functions[which].block == block_logaddexp2) {
        int natural = functions[which].block == block_logaddexp;
        *a = (float)(40.0 * ((double)(uint32_t)bits * 0x1p-31 - 1.0));
        *b = (float)(40.0 * ((double)(bits >> 32) * 0x1p-31 - 1.0));
        if (index % 4 == 1)
            *b = *a + (float)ldexp((double)(bits >> 32) * 0x1p-32, (int)(bits & 15) - 8);
        if (index % 4 == 2) {   /* exp(a) + exp(b) near 1 */
            *a = -(float)ldexp(1.0 + (double)(bits >> 32) * 0x1p-32, -1 - (int)((bits & 255) % 150));
            *b = natural ? e_log(-e_expm1(*a)) : e_log2(-e_expm1(*a * 0.6931472f));
            *b = e_float(e_bits32(*b) + (uint32_t)(bits >> 8 & 7) - 3);
        }
    } else {
        /* Of about equal size. */
        *b = e_float((e_bits32(*b) & 0x80ffffffu) | (e_bits32(*a) & 0x7f000000u));
    }
}

static struct result check(int which, uint64_t stride, int hash_only)
{
    struct result result;
    uint64_t state = 1;
    int n = 0;
    memset(&result, 0, sizeof result);
    result.hash = 0xcbf29ce484222325u;
    if (functions[which].arguments == 1) {
        for (uint32_t i = 0; special(i, &block->a[n]); i++)
            if (++n == BLOCK)
                check_block(which, n, hash_only, &result), n = 0;
        check_block(which, n, hash_only, &result), n = 0;
    }
    for (uint64_t i = 0; i < UINT64_C(1) << 32; i += stride) {
        if (functions[which].arguments == 1)
            block->a[n] = e_float((uint32_t)i);
        else
            make_pair(which, i / stride, &state, &block->a[n], &block->b[n]);
        if (++n == BLOCK)
            check_block(which, n, hash_only, &result), n = 0;
    }
    if (n)
        check_block(which, n, hash_only, &result);
    return result;
}

/* The hash of this function in a file of earlier output, or 0. */
static uint64_t stored_hash(const char *path, const char *name)
{
    char line[256], word[32];
    unsigned long long hash = 0, found = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%31s tried %*s hash %llx", word, &hash) == 2 && !strcmp(word, name))
            found = hash;
    fclose(file);
    return found;
}

static const char usage[] =
    "usage: check_elementary [--stride N] [--only NAME] [--hash] [--compare FILE]\n"
    "  Prints the largest error of each float32 function in ULP, where it happens, and a hash of all\n"
    "  results, the same on every machine.  Exits with 1 above 0.51 ULP, or where a result is wrong\n"
    "  in another way.\n"
    "  --stride N      every Nth bit pattern, or 2^32/N pairs (default 61; 1 tries all)\n"
    "  --only NAME     this function alone\n"
    "  --hash          hashes only: no reference is computed\n"
    "  --compare FILE  exits with 1, too, where a hash differs from FILE, output of the same stride\n";

int main(int argc, char **argv)
{
    uint64_t stride = 61;
    const char *only = NULL, *compare = NULL;
    int hash_only = 0, failed = 0;
#if !defined(__CUDACC__) && defined(__AVX512F__)
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq"))
        return 77;      /* skipped */
#elif !defined(__CUDACC__) && defined(__AVX2__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 77;
#endif
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stride") && i + 1 < argc && atoll(argv[i + 1]) > 0) {
            stride = (uint64_t)atoll(argv[++i]);
        } else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
            only = argv[++i];
        } else if (!strcmp(argv[i], "--compare") && i + 1 < argc) {
            compare = argv[++i];
        } else if (!strcmp(argv[i], "--hash")) {
            hash_only = 1;
        } else {
            int help = !strcmp(argv[i], "--help");
            fputs(usage, help ? stdout : stderr);
            return help ? 0 : 2;
        }
    }
#ifdef __CUDACC__
    if (cudaMallocManaged((void **)&block, sizeof *block) != cudaSuccess) {
        fprintf(stderr, "no CUDA device\n");
        return 2;
    }
#else
    block = malloc(sizeof *block);
    if (!block)
        return 2;
#endif
    memset((void *)block, 0, sizeof *block);
    for (int which = 0; which < (int)(sizeof functions / sizeof functions[0]); which++) {
        struct result r;
        int differs;
        if (only && strcmp(only, functions[which].name))
            continue;
        r = check(which, stride, hash_only);
        differs = compare && stored_hash(compare, functions[which].name) != r.hash;
        printf("%-10s tried %11llu  hash %016llx", functions[which].name, (unsigned long long)r.tried,
               (unsigned long long)r.hash);
        if (!hash_only) {
            printf("  max %.5f ULP at %.9g", r.error, (double)r.a);
            if (functions[which].arguments == 2)
                printf(", %.9g", (double)r.b);
            printf(": %.9g for %.17g", (double)r.value, r.expected);
        }
        if (r.wrong)
            printf("  WRONG %llu", (unsigned long long)r.wrong);
        printf(differs ? "  DIFFERS\n" : "\n");
        fflush(stdout);
        failed |= differs || r.wrong || r.error > 0.51;
    }
    return failed;
}
