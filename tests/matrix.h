/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices of complex doubles for tests that judge factors by their residuals, within LAPACK's ratio of 30 n units. */
#ifndef GARRAY_TESTS_MATRIX_H
#define GARRAY_TESTS_MATRIX_H

#include <complex.h>
#include <stdio.h>
#include "wide.h"

#ifndef CMPLX      /* glibc has it for gcc only */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

typedef double _Complex number;

static const int matrix_dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX64, GARRAY_COMPLEX128 };

static inline double matrix_unit(int dtype)
{
    return test_part(dtype) == GARRAY_FLOAT32 ? 0x1p-24 : 0x1p-53;
}

/* Elements as complex doubles, from malloc, and back. */
static inline number *matrix_load(int dtype, const char *values, int64_t n)
{
    number *z = malloc((size_t)(n + 1) * sizeof *z);
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        test_load_complex(dtype, values + (size_t)i * garray_dtype_size((garray_dtype)dtype), &re, &im);
        z[i] = CMPLX(re, im);
    }
    return z;
}

static inline char *matrix_store(int dtype, const number *z, int64_t n)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++)
        test_store(dtype, values + (size_t)i * item, creal(z[i]), cimag(z[i]));
    return values;
}

static inline number *matrix_read(const garray_t *x)
{
    char *values = test_read(x);
    number *z = matrix_load(garray_dtype_of(x), values, garray_size(x));
    free(values);
    return z;
}

static inline double matrix_random(uint64_t *seed)
{
    return (double)(float)((double)(int64_t)test_random_word(seed) * 0x1p-63);
}

/* count numbers between -1 and 1. */
static inline number *matrix_numbers(int dtype, int64_t count, uint64_t seed)
{
    number *z = malloc((size_t)(count + 1) * sizeof *z);
    for (int64_t i = 0; i < count; i++) {
        double re = matrix_random(&seed), im = matrix_random(&seed);
        z[i] = CMPLX(re, test_is_complex(dtype) ? im : 0);
    }
    return z;
}

static inline double matrix_largest(const number *z, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, isnan(creal(z[i])) || isnan(cimag(z[i])) ? INFINITY : cabs(z[i]));
    return most;
}

/* The largest element of a b - c: a m x k, b k x n.  c NULL: the identity. */
static inline double matrix_residual(const number *a, const number *b, const number *c, int64_t m, int64_t k, int64_t n)
{
    double most = 0;
    number *row = malloc((size_t)(n + 1) * sizeof *row);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++)
            row[j] = c ? -c[i * n + j] : -(double)(i == j);
        for (int64_t l = 0; l < k; l++) {
            const double x = creal(a[i * k + l]), y = cimag(a[i * k + l]);
            for (int64_t j = 0; j < n; j++) {
                const double s = creal(b[l * n + j]), t = cimag(b[l * n + j]);
                row[j] += CMPLX(x * s - y * t, x * t + y * s);
            }
        }
        most = fmax(most, matrix_largest(row, n));
    }
    free(row);
    return most;
}

/* The conjugate transpose of a, rows x columns; from malloc. */
static inline number *matrix_turned(const number *a, int64_t rows, int64_t columns)
{
    number *t = malloc((size_t)(rows * columns + 1) * sizeof *t);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            t[j * rows + i] = conj(a[i * columns + j]);
    return t;
}

/* How far the columns of a are from orthonormal ones. */
static inline double matrix_skew(const number *a, int64_t rows, int64_t columns)
{
    number *t = matrix_turned(a, rows, columns);
    double most = matrix_residual(t, a, NULL, columns, rows, columns);
    free(t);
    return most;
}

/* Whether the vector of n components, step apart, keeps the rule of signs and phases. */
static inline bool matrix_settled(const number *v, int64_t n, int64_t step)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, cabs(v[i * step]));
    for (int64_t i = 0; i < n; i++) {
        const number x = v[i * step];
        if (cabs(x) >= 0.979 * most && cimag(x) == 0 && creal(x) > 0)
            return true;
        if (cabs(x) > 0.981 * most)
            return false;
    }
    return false;
}

#endif
