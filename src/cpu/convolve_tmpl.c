/* SPDX-License-Identifier: BSD-3-Clause
 * Weighted sums: items to computing types and back, and the loop.  Eight vectors of outputs stay in registers while the
 * weights pass. */
#define GARRAY_HALF_BLOCK
#include "cpu/lanes.h"
#include "cpu/window.h"

typedef uint8_t __attribute__((may_alias)) any_uint8_t;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_uint16_t;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_uint32_t;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_uint64_t;
typedef float __attribute__((aligned(1), may_alias)) any_float;
typedef double __attribute__((aligned(1), may_alias)) any_double;

/* ---- to computing types and back ---- */
#define CONVERT(name, S, T, get, put)                                                                        \
    static void load_##name(void *to, void *im, const char *from, int64_t step, int64_t n)                   \
    {                                                                                                        \
        T *t = to;                                                                                           \
        const any_##S *s = (const any_##S *)from;                                                            \
        (void)im;                                                                                            \
        if (step == (int64_t)sizeof(S))                                                                      \
            for (int64_t i = 0; i < n; i++)                                                                  \
                t[i] = (T)get(s[i]);                                                                         \
        else                                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                                  \
                t[i] = (T)get(*(const any_##S *)(from + i * step));                                          \
    }                                                                                                        \
    static void store_##name(char *to, int64_t step, const void *from, const void *im, int64_t n)            \
    {                                                                                                        \
        const T *f = from;                                                                                   \
        any_##S *s = (any_##S *)to;                                                                          \
        (void)im;                                                                                            \
        if (step == (int64_t)sizeof(S))                                                                      \
            for (int64_t i = 0; i < n; i++)                                                                  \
                s[i] = (S)put(f[i]);                                                                         \
        else                                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                                  \
                *(any_##S *)(to + i * step) = (S)put(f[i]);                                                  \
    }
#define IS(x) ((x) != 0)
CONVERT(bool, uint8_t, uint8_t, IS, )
CONVERT(uint8, uint8_t, uint8_t, , )
CONVERT(uint16, uint16_t, uint16_t, , )
CONVERT(uint32, uint32_t, uint32_t, , )
CONVERT(uint64, uint64_t, uint64_t, , )
CONVERT(half_items, uint16_t, float, garray__from_half, garray__to_half)
CONVERT(bfloat16, uint16_t, float, garray__from_bfloat, garray__to_bfloat)
CONVERT(float32, float, double, , )
CONVERT(float64, double, double, , )

static void load_float16(void *to, void *im, const char *from, int64_t step, int64_t n)
{
    if (step == 2)
        garray__widen_half(to, (const garray__u16 *)from, n);
    else
        load_half_items(to, im, from, step, n);
}

static void store_float16(char *to, int64_t step, const void *from, const void *im, int64_t n)
{
    if (step == 2)
        garray__narrow_half((garray__u16 *)to, from, n);
    else
        store_half_items(to, step, from, im, n);
}

#define CONVERT_COMPLEX(name, S)                                                                             \
    static void load_##name(void *to, void *im, const char *from, int64_t step, int64_t n)                   \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            ((double *)to)[i] = *(const any_##S *)(from + i * step);                                         \
            ((double *)im)[i] = *(const any_##S *)(from + i * step + sizeof(S));                             \
        }                                                                                                    \
    }                                                                                                        \
    static void store_##name(char *to, int64_t step, const void *from, const void *im, int64_t n)            \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            *(any_##S *)(to + i * step) = (S)((const double *)from)[i];                                      \
            *(any_##S *)(to + i * step + sizeof(S)) = (S)((const double *)im)[i];                            \
        }                                                                                                    \
    }
CONVERT_COMPLEX(complex64, float)
CONVERT_COMPLEX(complex128, double)

/* ---- sums ---- */
#define PLUS(s, x, w) (s) + (x) * (w)
#define OR(s, x, w) (s) | ((x) & (w))

/* ONE: what single items are multiplied in; products of promoted uint16_t would overflow int. */
#define SUM(name, T, ONE, STEP)                                                                                 \
    typedef T name##_vec __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));          \
    static inline void name##_vectors(int m, T *sum, const T *x, const T *w, int64_t taps)                   \
    {                                                                                                        \
        const int per = VECTOR_BYTES / (int)sizeof(T);                                                       \
        name##_vec s[8];                                                                                     \
        for (int v = 0; v < m; v++)                                                                          \
            s[v] = *(const name##_vec *)(sum + v * per);                                                     \
        for (int64_t k = 0; k < taps; k++)                                                                   \
            for (int v = 0; v < m; v++)                                                                      \
                s[v] = STEP(s[v], *(const name##_vec *)(x + k + v * per), w[k]);                             \
        for (int v = 0; v < m; v++)                                                                          \
            *(name##_vec *)(sum + v * per) = s[v];                                                           \
    }                                                                                                        \
    static void name(void *sum_, void *sum_im, const void *x_, const void *x_im, const void *w_, const void *w_im,       \
                     int64_t taps, int64_t n)                                                                \
    {                                                                                                        \
        const int per = VECTOR_BYTES / (int)sizeof(T);                                                       \
        T *sum = sum_;                                                                                       \
        const T *x = x_, *w = w_;                                                                            \
        int64_t i = 0;                                                                                       \
        (void)sum_im, (void)x_im, (void)w_im;                                                                \
        for (; i + 8 * per <= n; i += 8 * per)                                                               \
            name##_vectors(8, sum + i, x + i, w, taps);                                                      \
        for (; i + per <= n; i += per)                                                                       \
            name##_vectors(1, sum + i, x + i, w, taps);                                                      \
        for (; i < n; i++)                                                                                   \
            for (int64_t k = 0; k < taps; k++)                                                               \
                sum[i] = (T)(STEP(sum[i], (ONE)x[i + k], w[k]));                                         \
    }
SUM(sum_bool, uint8_t, unsigned, OR)
SUM(sum_uint8, uint8_t, unsigned, PLUS)
SUM(sum_uint16, uint16_t, unsigned, PLUS)
SUM(sum_uint32, uint32_t, uint32_t, PLUS)
SUM(sum_uint64, uint64_t, uint64_t, PLUS)
SUM(sum_float, float, float, PLUS)
SUM(sum_double, double, double, PLUS)

static inline void complex_vectors(int m, double *re, double *im, const double *x, const double *y, const double *a,
                                   const double *b, int64_t taps)
{
    vd s[4], t[4];
    for (int v = 0; v < m; v++) {
        s[v] = *(const vd_any *)(re + v * VECTOR_DOUBLES);
        t[v] = *(const vd_any *)(im + v * VECTOR_DOUBLES);
    }
    for (int64_t k = 0; k < taps; k++)
        for (int v = 0; v < m; v++) {
            const vd p = *(const vd_any *)(x + k + v * VECTOR_DOUBLES), q = *(const vd_any *)(y + k + v * VECTOR_DOUBLES);
            s[v] = s[v] + p * a[k];
            s[v] = s[v] - q * b[k];
            t[v] = t[v] + q * a[k];
            t[v] = t[v] + p * b[k];
        }
    for (int v = 0; v < m; v++) {
        *(vd_any *)(re + v * VECTOR_DOUBLES) = s[v];
        *(vd_any *)(im + v * VECTOR_DOUBLES) = t[v];
    }
}

static void sum_complex(void *sum, void *sum_im, const void *x_, const void *x_im, const void *w, const void *w_im, int64_t taps,
                        int64_t n)
{
    double *re = sum, *im = sum_im;
    const double *x = x_, *y = x_im, *a = w, *b = w_im;
    int64_t i = 0;
    for (; i + 4 * VECTOR_DOUBLES <= n; i += 4 * VECTOR_DOUBLES)
        complex_vectors(4, re + i, im + i, x + i, y + i, a, b, taps);
    for (; i + VECTOR_DOUBLES <= n; i += VECTOR_DOUBLES)
        complex_vectors(1, re + i, im + i, x + i, y + i, a, b, taps);
    for (; i < n; i++)
        for (int64_t k = 0; k < taps; k++) {
            re[i] = re[i] + x[i + k] * a[k];
            re[i] = re[i] - y[i + k] * b[k];
            im[i] = im[i] + y[i + k] * a[k];
            im[i] = im[i] + x[i + k] * b[k];
        }
}

#define FOR_ALL(part)                                                                                        \
    {                                                                                                        \
        [GARRAY_BOOL] = part##_bool, [GARRAY_INT8] = part##_uint8, [GARRAY_INT16] = part##_uint16,           \
        [GARRAY_INT32] = part##_uint32, [GARRAY_INT64] = part##_uint64, [GARRAY_UINT8] = part##_uint8,       \
        [GARRAY_UINT16] = part##_uint16, [GARRAY_UINT32] = part##_uint32, [GARRAY_UINT64] = part##_uint64,   \
        [GARRAY_FLOAT16] = part##_float16, [GARRAY_BFLOAT16] = part##_bfloat16, [GARRAY_FLOAT32] = part##_float32,       \
        [GARRAY_FLOAT64] = part##_float64, [GARRAY_COMPLEX64] = part##_complex64, [GARRAY_COMPLEX128] = part##_complex128\
    }
#define sum_float16 sum_float
#define sum_bfloat16 sum_float
#define sum_float32 sum_double
#define sum_float64 sum_double
#define sum_complex64 sum_complex
#define sum_complex128 sum_complex

const garray__window_kernels GARRAY_ISA_NAME(garray__cpu_window_kernels) = {
    .load = FOR_ALL(load), .store = FOR_ALL(store), .sum = FOR_ALL(sum)
};
