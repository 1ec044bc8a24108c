/* SPDX-License-Identifier: BSD-3-Clause
 * What SVD, QR and eigenvalues share around their LAPACK calls: the numbers of a dtype, and the steps that are no
 * arithmetic of LAPACK's, in vectors_tmpl.h once for each dtype. */
#ifndef GARRAY_CPU_VECTORS_H
#define GARRAY_CPU_VECTORS_H

#include "cpu/cpu.h"

/* Matrices are row-major, one after the other; lines and columns are counted in items. */
typedef struct garray__cpu_vector_steps {
    bool (*finite)(const void *a, int64_t count);
    void (*transpose)(void *to, const void *from, int64_t rows, int64_t columns);
    /* The rule of phase.h: what each column of a (each row of it) is multiplied by, two doubles each. */
    void (*column_phases)(const void *a, int64_t rows, int64_t columns, double *factors, double *most, int64_t *place);
    void (*row_phases)(const void *a, int64_t rows, int64_t columns, double *factors);
    /* Multiplies columns by their factors, rows by the conjugate ones. */
    void (*turn_columns)(void *a, int64_t rows, int64_t columns, const double *factors);
    void (*turn_rows)(void *a, int64_t rows, int64_t columns, const double *factors);
} garray__cpu_vector_steps;

typedef struct garray__cpu_vector_job {
    const garray__queue *q;
    const garray_solve_plan *plan;
    const garray__cpu_vector_steps *steps;
    int64_t item, part, k;      /* bytes of an item, of a real part of it; min(m, n) */
    int row;                    /* of tables by dtype: float, double, complex64, complex128 */
} garray__cpu_vector_job;

/* The kinds of 20 to 29. */
garray_status garray__cpu_solve_vectors(const garray__queue *q, const garray_solve_plan *plan);

garray_status garray__cpu_svd(const garray__cpu_vector_job *j);

/* NOCONVERGE, "what did not converge", with the item of a batch. */
garray_status garray__cpu_no_convergence(const garray_solve_plan *plan, const char *what, int64_t index);
/* INTERNAL: an argument that LAPACK refuses. */
garray_status garray__cpu_bad_argument(const char *routine, int64_t info);

#endif
