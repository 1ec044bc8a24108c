/* SPDX-License-Identifier: BSD-3-Clause
 * Between SVD and eigh, which ask for it, and jacobi_tmpl.c: many small matrices by one-sided Jacobi rotations, several
 * of them side by side in the lanes of a vector. */
#ifndef GARRAY_CPU_JACOBI_H
#define GARRAY_CPU_JACOBI_H

#include "cpu/cpu.h"

enum { GARRAY_CPU_JACOBI_SIDE = 32 };   /* the largest m and n */

/* count matrices, at most `lanes` of the kind, one after the other; work: garray__cpu_jacobi_size() bytes, aligned to 64.
 * failed[i]: 1 where a matrix is not finite or does not converge; its results are then left as they are. */
typedef struct garray__cpu_jacobi_job {
    const char *a;
    char *u, *s, *vh;           /* u and vh NULL: values alone */
    int64_t m, n;
    int count, full;
    void *work;
    uint8_t *failed;
} garray__cpu_jacobi_job;

typedef struct garray__cpu_jacobi {
    void (*svd[4])(const garray__cpu_jacobi_job *job);          /* float, double, complex64, complex128 */
} garray__cpu_jacobi;

GARRAY_ISA_DECLARE(const garray__cpu_jacobi, garray__cpu_jacobi_kernels);

/* A vector of 64 bytes: 16 floats or 8 doubles. */
static inline int garray__cpu_jacobi_lanes(int64_t part)
{
    return (int)(64 / part);
}

static inline int64_t garray__cpu_jacobi_size(int64_t m, int64_t n, int64_t item)
{
    const int64_t rows = m < n ? n : m, columns = m < n ? m : n, lanes = item == 4 ? 16 : item == 16 ? 8 : 16;
    return (rows + columns) * columns * item * lanes + 4096;
}

#endif
