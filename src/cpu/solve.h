/* SPDX-License-Identifier: BSD-3-Clause
 * Between the files of the entry solve: one call of it, and the items of its matrices. */
#ifndef GARRAY_CPU_SOLVE_H
#define GARRAY_CPU_SOLVE_H

#include "core/determinant.h"
#include "cpu/cpu.h"

typedef struct garray__solve_job {
    const garray_solve_plan *plan;
    int64_t item, part, n;      /* bytes of an item and of a real part of it */
    bool has_imag, wide;
    char *work;                 /* scratch of one matrix */
} garray__solve_job;

static inline double garray__solve_real(const garray__solve_job *j, const char *p)
{
    return j->wide ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p;
}

static inline void garray__solve_set_real(const garray__solve_job *j, char *p, double v)
{
    if (j->wide)
        *(double *)(void *)p = v;
    else
        *(float *)(void *)p = (float)v;
}

/* rows x columns of `item` bytes (4, 8, 16) into columns x rows, by all threads. */
void garray__cpu_transpose(int64_t item, void *to, const void *from, int64_t rows, int64_t columns);
void garray__solve_transpose(const garray__solve_job *j, char *to, const char *from, int64_t rows, int64_t columns);

/* SINGULAR, with the number of the item in a batch. */
garray_status garray__cpu_singular(const garray_solve_plan *plan, int64_t index);
garray_status garray__cpu_not_positive(const garray_solve_plan *plan, int64_t index);

/* ---- solve_lu.c ---- */
int64_t garray__cpu_lu_work(const garray__solve_job *j);        /* bytes of j->work */
garray_status garray__cpu_lu(const garray__solve_job *j);
/* Writes the determinant, or its sign and logarithm, of matrix `index`. */
void garray__solve_determinant(const garray__solve_job *j, const garray__scaled *s, int64_t index);

/* ---- solve_small.c: batches of small matrices ---- */
/* Whether these kernels take the plan; then run() does it all. */
bool garray__cpu_small_takes(const garray_solve_plan *plan);
garray_status garray__cpu_small_run(const garray__queue *q, const garray__solve_job *j);

/* Some matrices of a batch of a plan, as many as a vector has lanes at a time; solve_small_tmpl.c has the kernels of all
 * instruction set levels. */
typedef struct garray__small_part {
    const garray__solve_job *job;
    int64_t begin, end;
    void *work;                 /* 64-byte aligned */
    int64_t first_bad;          /* result: the first singular one, or -1 */
} garray__small_part;

typedef struct garray__small_kernels {
    void (*run[4])(garray__small_part *part);   /* float32, float64, complex64, complex128 */
} garray__small_kernels;

GARRAY_ISA_DECLARE(const garray__small_kernels, garray__cpu_small_kernels);

#endif
