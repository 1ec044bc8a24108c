/* SPDX-License-Identifier: BSD-3-Clause
 * What SVD, QR and eigenvalues share around their LAPACK calls: the numbers of a dtype, and the steps that are no
 * arithmetic of LAPACK's, in vectors_tmpl.h once for each dtype. */
#ifndef GARRAY_CPU_VECTORS_H
#define GARRAY_CPU_VECTORS_H

#include <string.h>
#include "cpu/cpu.h"

/* Matrices are row-major, one after the other; lines and columns are counted in items. */
typedef struct garray__cpu_vector_steps {
    bool (*finite)(const void *a, int64_t count);
    /* Turns each row by the rule of phase.h. */
    void (*settle_rows)(void *a, int64_t rows, int64_t columns);
    /* What the rule multiplies each column by, two doubles each.  Room for as many numbers in most and place. */
    void (*column_phases)(const void *a, int64_t rows, int64_t columns, double *factors, double *most, int64_t *place);
    /* Multiplies columns by their factors, rows by the conjugate ones. */
    void (*turn_columns)(void *a, int64_t rows, int64_t columns, const double *factors);
    void (*turn_rows)(void *a, int64_t rows, int64_t columns, const double *factors);
    /* Transposes columns [first, last), and multiplies each row of `from` by its factor. */
    void (*transpose_turned)(void *to, const void *from, int64_t rows, int64_t columns, const double *factors, int64_t first,
                             int64_t last);
    /* What makes the first k items of the diagonal of h (m x n, column by column) real and not negative; 1 for the rest of
     * the rows. */
    void (*row_factors)(const void *h, double *factors, int64_t m, int64_t k, int64_t rows);
    /* Rows [first, last) of R (of n columns) from the upper triangle of h, each multiplied by its factor. */
    void (*take_r)(const void *h, void *r, const double *factors, int64_t m, int64_t n, int64_t first, int64_t last);
} garray__cpu_vector_steps;

typedef struct garray__cpu_vector_job {
    const garray__queue *q;
    const garray_solve_plan *plan;
    const garray__cpu_vector_steps *steps;
    int64_t item, part, k;      /* bytes of an item, of a real part of it; min(m, n) */
    int row;                    /* of tables by dtype: float, double, complex64, complex128 */
} garray__cpu_vector_job;

extern const garray__cpu_vector_steps garray__cpu_vector_steps_of[4];      /* by row */

/* The kinds of 20 to 29. */
garray_status garray__cpu_solve_vectors(const garray__queue *q, const garray_solve_plan *plan);

garray_status garray__cpu_svd(const garray__cpu_vector_job *j);
garray_status garray__cpu_qr(const garray__cpu_vector_job *j);
garray_status garray__cpu_eig(const garray__cpu_vector_job *j);

/* The size that a LAPACK routine answered, as a number of its own type.  A float holds sizes to 2^24, and LAPACK may have
 * rounded down. */
static inline double garray__cpu_work_items(const double *answer, int64_t part)
{
    float single;
    memcpy(&single, answer, sizeof single);
    return part == 4 ? (double)single * (1 + 0x1p-22) + 1 : *answer < 1 ? 1 : *answer;
}

/* Runs each(ctx), which works on one matrix after the other, with room for `items` numbers in *work. */
garray_status garray__cpu_with_work(const garray__cpu_vector_job *j, int64_t items, char **work,
                                    garray_status (*each)(const void *ctx), const void *ctx);

/* NOCONVERGE, "what did not converge", with the item of a batch. */
garray_status garray__cpu_no_convergence(const garray_solve_plan *plan, const char *what, int64_t index);
/* INTERNAL: an argument that LAPACK refuses. */
garray_status garray__cpu_bad_argument(const char *routine, int64_t info);

#endif
