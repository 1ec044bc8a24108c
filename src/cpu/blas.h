/* SPDX-License-Identifier: BSD-3-Clause
 * Use of the BLAS library by one rule: any number of BLAS calls at once, LAPACK calls alone. */
#ifndef GARRAY_CPU_BLAS_H
#define GARRAY_CPU_BLAS_H

#include <cblas.h>
#include "cpu/cpu.h"

typedef enum {
    GARRAY_BLAS_SHARED,         /* products */
    GARRAY_BLAS_ALONE           /* LAPACK: OpenBLAS has mixed up its buffers when these ran beside other calls */
} garray__blas_use;

/* Gives the library our number of threads, and takes the lock. */
void garray__blas_enter(garray__blas_use use);
void garray__blas_leave(void);

/* The library counts in 32 bits. */
#define GARRAY_BLAS_MAX 0x40000000      /* a round number that leaves room for sums of two */

#endif
