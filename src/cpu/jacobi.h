/* SPDX-License-Identifier: BSD-3-Clause
 * Stacks of small matrices, several of them side by side in the lanes of a vector: SVD by one-sided Jacobi rotations,
 * QR by reflections, eigh by those and QR sweeps.  jacobi.c shares a stack among threads, jacobi_tmpl.c has the kernels. */
#ifndef GARRAY_CPU_JACOBI_H
#define GARRAY_CPU_JACOBI_H

#include "cpu/cpu.h"

enum { GARRAY_CPU_JACOBI_SIDE = 32 };   /* the largest m and n */

/* A part of a stack, at most as many matrices as a vector has lanes, one after the other.  work is aligned to 64. */
typedef struct garray__cpu_jacobi_job {
    const char *a;              /* m x n */
    char *first, *second;       /* svd: u and vh, or NULL both; eigh: vectors (may be a) or NULL; qr: q or NULL, and r */
    char *values;               /* svd, eigh */
    int64_t m, n;
    int count, full, upper, reserved;
    void *work;
    uint8_t *failed;            /* 1 where a matrix is not finite or does not converge: its results are left as they are; not qr,
                                 * whose results become NaN */
} garray__cpu_jacobi_job;

typedef void garray__cpu_jacobi_kernel(const garray__cpu_jacobi_job *job);

typedef struct garray__cpu_jacobi {
    garray__cpu_jacobi_kernel *svd[4], *eigh[4], *qr[4];        /* float, double, complex64, complex128 */
} garray__cpu_jacobi;

GARRAY_ISA_DECLARE(const garray__cpu_jacobi, garray__cpu_jacobi_kernels);

/* Whether a plan of SVD, QR or eigh is a stack for the kernels; then run() does it all. */
bool garray__cpu_jacobi_takes(const garray_solve_plan *plan);
garray_status garray__cpu_jacobi_run(const garray__queue *q, const garray_solve_plan *plan);

#endif
