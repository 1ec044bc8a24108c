/* SPDX-License-Identifier: BSD-3-Clause
 * Polynomials by Horner's rule, for groups of places at once, and lines between points. */
#define GARRAY_HALF_BLOCK
#include <string.h>
#include "core/lines.h"
#include "cpu/evaluate.h"
#include "cpu/half_block.h"

enum { GROUP = 128 };

/* gcc 12 fuses the products of complex expressions when it vectorizes, even with -ffp-contract=off. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define PRODUCT(x) __builtin_assoc_barrier(x)
#else
#define PRODUCT(x) (x)
#endif

#define IS(x) ((x) != 0)
#define TRUTH(y, x, c) (((y) & (x)) | (c))
#define STEP(y, x, c) ((y) * (x) + (c))
#define SMALL_STEP(y, x, c) ((unsigned)(y) * (x) + (c))     /* in unsigned: no overflow of int */

#define POLYNOMIAL(name, S, T, get, put, STEP)                                                               \
    static void polynomial_##name(const void *table, int64_t n, const void *x_, void *out, int64_t count)    \
    {                                                                                                        \
        const S *c = table;                                                                                  \
        for (int64_t i = 0; i < count; i += GROUP) {                                                         \
            const int64_t m = count - i < GROUP ? count - i : GROUP;                                         \
            T x[GROUP] = { 0 }, y[GROUP] = { 0 };                                                            \
            for (int64_t k = 0; k < m; k++)                                                                  \
                x[k] = (T)get(((const S *)x_)[i + k]);                                                       \
            for (int64_t j = 0; j < n; j++) {                                                                \
                const T a = (T)get(c[j]);                                                                    \
                _Pragma("omp simd") for (int k = 0; k < GROUP; k++)                                          \
                    y[k] = (T)STEP(y[k], x[k], a);                                                           \
            }                                                                                                \
            for (int64_t k = 0; k < m; k++)                                                                  \
                ((S *)out)[i + k] = (S)put(y[k]);                                                            \
        }                                                                                                    \
    }
POLYNOMIAL(bool, uint8_t, uint8_t, IS, , TRUTH)
POLYNOMIAL(uint8, uint8_t, uint8_t, , , SMALL_STEP)
POLYNOMIAL(uint16, uint16_t, uint16_t, , , SMALL_STEP)
POLYNOMIAL(uint32, uint32_t, uint32_t, , , STEP)
POLYNOMIAL(uint64, uint64_t, uint64_t, , , STEP)
POLYNOMIAL(float16, uint16_t, float, garray__from_half, garray__to_half, STEP)
POLYNOMIAL(bfloat16, uint16_t, float, garray__from_bfloat, garray__to_bfloat, STEP)
POLYNOMIAL(float32, float, float, , , STEP)
POLYNOMIAL(float64, double, double, , , STEP)

#define COMPLEX(name, T)                                                                                     \
    static void polynomial_##name(const void *table, int64_t n, const void *x, void *out, int64_t count)     \
    {                                                                                                        \
        const T *c = table;                                                                                  \
        for (int64_t i = 0; i < count; i += GROUP) {                                                         \
            const int64_t m = count - i < GROUP ? count - i : GROUP;                                         \
            T p[GROUP] = { 0 }, q[GROUP] = { 0 }, re[GROUP] = { 0 }, im[GROUP] = { 0 };                      \
            for (int64_t k = 0; k < m; k++) {                                                                \
                p[k] = ((const T *)x)[2 * (i + k)];                                                          \
                q[k] = ((const T *)x)[2 * (i + k) + 1];                                                      \
            }                                                                                                \
            for (int64_t j = 0; j < n; j++)                                                                  \
                _Pragma("omp simd") for (int k = 0; k < GROUP; k++)                                          \
                {                                                                                            \
                    const T r = PRODUCT(re[k] * p[k]) - PRODUCT(im[k] * q[k]);                               \
                    const T s = PRODUCT(re[k] * q[k]) + PRODUCT(im[k] * p[k]);                               \
                    re[k] = r + c[2 * j];                                                                    \
                    im[k] = s + c[2 * j + 1];                                                                \
                }                                                                                            \
            for (int64_t k = 0; k < m; k++) {                                                                \
                ((T *)out)[2 * (i + k)] = re[k];                                                             \
                ((T *)out)[2 * (i + k) + 1] = im[k];                                                         \
            }                                                                                                \
        }                                                                                                    \
    }
COMPLEX(complex64, float)
COMPLEX(complex128, double)

/* ---- lines ---- */
enum { TOGETHER = 16 };         /* searches whose reads do not wait for each other */

static void lines(const garray_evaluate_plan *p, int64_t begin, int64_t end)
{
    const double *x = p->x, *points = p->points, *values = p->table;
    const int parts = p->dtype == GARRAY_COMPLEX128 ? 2 : 1;
    double *out = p->out;
    for (int64_t i = begin; i < end; i += TOGETHER) {
        const int m = end - i < TOGETHER ? (int)(end - i) : TOGETHER;
        double v[TOGETHER] = { 0 };
        int64_t below[TOGETHER] = { 0 }, left = p->n;
        memcpy(v, x + i, (size_t)m * sizeof *v);
        while (left > 1) {
            const int64_t half = left / 2;
            for (int k = 0; k < TOGETHER; k++)
                below[k] += points[below[k] + half - 1] <= v[k] ? half : 0;
            left -= half;
        }
        for (int k = 0; k < TOGETHER; k++)
            below[k] += points[below[k]] <= v[k];
        for (int k = 0; k < m; k++)
            for (int part = 0; part < parts; part++)
                out[(i + k) * parts + part] = garray__lines_at(points, values, p->n, parts, part, v[k], below[k],
                                                               p->has_left ? p->left : NULL, p->has_right ? p->right : NULL);
    }
}

const garray__evaluate_kernels GARRAY_ISA_NAME(garray__cpu_evaluate_kernels) = {
    .polynomial = {
        [GARRAY_BOOL] = polynomial_bool, [GARRAY_INT8] = polynomial_uint8, [GARRAY_INT16] = polynomial_uint16,
        [GARRAY_INT32] = polynomial_uint32, [GARRAY_INT64] = polynomial_uint64, [GARRAY_UINT8] = polynomial_uint8,
        [GARRAY_UINT16] = polynomial_uint16, [GARRAY_UINT32] = polynomial_uint32, [GARRAY_UINT64] = polynomial_uint64,
        [GARRAY_FLOAT16] = polynomial_float16, [GARRAY_BFLOAT16] = polynomial_bfloat16, [GARRAY_FLOAT32] = polynomial_float32,
        [GARRAY_FLOAT64] = polynomial_float64, [GARRAY_COMPLEX64] = polynomial_complex64,
        [GARRAY_COMPLEX128] = polynomial_complex128,
    },
    .lines = lines,
};
