/* SPDX-License-Identifier: BSD-3-Clause
 * Linear recurrences in double: some rows at a time, each in a lane. */
#include <string.h>
#include "core/complex.h"
#include "cpu/recur.h"

enum { LANES = GARRAY_RECUR_LANES };

typedef float __attribute__((aligned(1), may_alias)) any_float;
typedef double __attribute__((aligned(1), may_alias)) any_double;

static const char *in_row(const garray_recur_plan *p, int64_t row)
{
    return (const char *)p->in + row / p->inner * p->in_strides[0] + row % p->inner * p->in_strides[2];
}

static char *out_row(const garray_recur_plan *p, int64_t row)
{
    return (char *)p->out + row / p->inner * p->out_strides[0] + row % p->inner * p->out_strides[2];
}

/* One row alone: the state stays in a plain array. */
#define REAL(name, S)                                                                                        \
    static void name##_one(const garray_recur_plan *p, int64_t row, double *z)                               \
    {                                                                                                        \
        const double *b = p->b, *a = p->a;                                                                   \
        const char *x = in_row(p, row);                                                                      \
        char *y = out_row(p, row);                                                                           \
        for (int64_t i = 0; i < p->n; i++) {                                                                 \
            const double v = *(const any_##S *)(x + i * p->in_strides[1]), u = b[0] * v + z[0];              \
            for (int k = 0; k < p->order; k++)                                                               \
                z[k] = (z[k + 1] + b[k + 1] * v) - a[k + 1] * u;                                             \
            *(any_##S *)(y + i * p->out_strides[1]) = (S)u;                                                  \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_lanes(const garray_recur_plan *p, int64_t first, double *z)                           \
    {                                                                                                        \
        const double *b = p->b, *a = p->a;                                                                   \
        const char *x[LANES];                                                                                \
        char *y[LANES];                                                                                      \
        for (int l = 0; l < LANES; l++) {                                                                    \
            x[l] = in_row(p, first + l);                                                                     \
            y[l] = out_row(p, first + l);                                                                    \
        }                                                                                                    \
        for (int64_t i = 0; i < p->n; i++) {                                                                 \
            double v[LANES], u[LANES];                                                                       \
            for (int l = 0; l < LANES; l++)                                                                  \
                v[l] = *(const any_##S *)(x[l] + i * p->in_strides[1]);                                      \
            for (int l = 0; l < LANES; l++)                                                                  \
                u[l] = b[0] * v[l] + z[l];                                                                   \
            for (int k = 0; k < p->order; k++) {                                                             \
                double *s = z + k * LANES;                                                                   \
                for (int l = 0; l < LANES; l++)                                                              \
                    s[l] = (s[l + LANES] + b[k + 1] * v[l]) - a[k + 1] * u[l];                               \
            }                                                                                                \
            for (int l = 0; l < LANES; l++)                                                                  \
                *(any_##S *)(y[l] + i * p->out_strides[1]) = (S)u[l];                                        \
        }                                                                                                    \
    }                                                                                                        \
    static void name(const garray_recur_plan *p, int64_t first, int m, void *room)                           \
    {                                                                                                        \
        const double *from = p->first;                                                                       \
        double *z = room, *to = p->last;                                                                     \
        const int together = m == LANES ? LANES : 1;                                                         \
        for (int64_t r = first; r < first + m; r += together) {                                              \
            memset(z, 0, (size_t)(p->order + 1) * (size_t)together * sizeof *z);                             \
            for (int k = 0; from && k < p->order; k++)                                                       \
                for (int l = 0; l < together; l++)                                                           \
                    z[k * together + l] = from[(r + l) * p->order + k];                                      \
            if (together == LANES)                                                                           \
                name##_lanes(p, r, z);                                                                       \
            else                                                                                             \
                name##_one(p, r, z);                                                                         \
            for (int k = 0; to && k < p->order; k++)                                                         \
                for (int l = 0; l < together; l++)                                                           \
                    to[(r + l) * p->order + k] = z[k * together + l];                                        \
        }                                                                                                    \
    }
REAL(filter_float32, float)
REAL(filter_float64, double)

/* a + b * c, one after the other. */
static inline garray__c128 plus(garray__c128 a, garray__c128 b, garray__c128 c)
{
    a.re += b.re * c.re;
    a.re -= b.im * c.im;
    a.im += b.re * c.im;
    a.im += b.im * c.re;
    return a;
}

#define COMPLEX(name, S)                                                                                     \
    static void name(const garray_recur_plan *p, int64_t first, int m, void *room)                           \
    {                                                                                                        \
        const garray__c128 *b = p->b, *a = p->a, *from = p->first;                                           \
        garray__c128 *z = room, *to = p->last;                                                               \
        for (int64_t r = first; r < first + m; r++) {                                                        \
            const char *x = in_row(p, r);                                                                    \
            char *y = out_row(p, r);                                                                         \
            memset(z, 0, (size_t)(p->order + 1) * sizeof *z);                                                \
            if (from)                                                                                        \
                memcpy(z, from + r * p->order, (size_t)p->order * sizeof *z);                                \
            for (int64_t i = 0; i < p->n; i++) {                                                             \
                const any_##S *s = (const any_##S *)(x + i * p->in_strides[1]);                              \
                any_##S *t = (any_##S *)(y + i * p->out_strides[1]);                                         \
                const garray__c128 v = { s[0], s[1] }, u = plus(z[0], b[0], v), w = { -u.re, -u.im };        \
                for (int k = 0; k < p->order; k++)                                                           \
                    z[k] = plus(plus(z[k + 1], b[k + 1], v), a[k + 1], w);                                   \
                t[0] = (S)u.re;                                                                              \
                t[1] = (S)u.im;                                                                              \
            }                                                                                                \
            if (to)                                                                                          \
                memcpy(to + r * p->order, z, (size_t)p->order * sizeof *z);                                  \
        }                                                                                                    \
    }
COMPLEX(filter_complex64, float)
COMPLEX(filter_complex128, double)

const garray__recur_kernels GARRAY_ISA_NAME(garray__cpu_recur_kernels) = { .filter = {
    [GARRAY_FLOAT32] = filter_float32, [GARRAY_FLOAT64] = filter_float64, [GARRAY_COMPLEX64] = filter_complex64,
    [GARRAY_COMPLEX128] = filter_complex128,
} };
