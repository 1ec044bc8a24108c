/* SPDX-License-Identifier: BSD-3-Clause
 * What the functions of the linalg namespace have in common: checks, dtypes, linear systems that broadcast, and the
 * way to the backend. */
#ifndef GARRAY_CORE_LINALG_H
#define GARRAY_CORE_LINALG_H

#include "core/array.h"
#include "garray/operand.h"

/* At least two axes; the last two of equal length. */
garray_status garray__check_matrix(const garray_t *x);
garray_status garray__check_square(const garray_t *x);

/* NumPy's rule: integers are solved in float64, 16-bit floats not at all. */
garray_status garray__lapack_dtype(int dtype, int *result);

/* A stack of square matrices as its factorization reads it: contiguous, of that dtype. */
garray_status garray__open_square(const garray_t *x, int *dtype, garray_t **matrix);

/* How many matrices x is a stack of. */
int64_t garray__matrices(const garray_t *x);

/* Both are arrays with axes, on one device. */
garray_status garray__check_factors(const garray_operand *a, const garray_operand *b);

/* SHAPE: inner lengths that differ. */
garray_status garray__mismatch(const garray_t *a, const garray_t *b, int64_t ka, int64_t kb);

/* Contiguous arrays of a solve plan, NULL for those that its kind has not; those that it keeps are only read. */
struct garray__solve_arrays {
    const garray_t *keep_a, *keep_c;
    garray_t *a, *b, *w, *c, *d;
};
garray_status garray__submit_solve(garray_solve_plan *plan, const struct garray__solve_arrays *arrays);

/* The inverse; what is singular is an error if checked, else becomes NaN. */
garray_status garray__inverse(const garray_t *x, bool checked, garray_t **out);

/* Matrices a and right-hand sides, both broadcast to one stack of systems and of one dtype.  b is a vector if it has one
 * axis, as in NumPy 2. */
struct garray__system {
    garray_t *a;                /* contiguous, to be read only */
    garray_t *b;                /* as columns; a view of what was given */
    garray_t *solution;         /* for close() to release, unless it was assigned */
    int dtype;
    int64_t n, nrhs, batch;
    bool is_vector, is_empty;   /* is_empty: there is nothing to solve */
};

/* Checks out and the operands and fills in a system that is all zero; close() it then in every case. */
garray_status garray__system_open(struct garray__system *s, garray_t **out, const garray_operand *a, const garray_operand *b);

/* The same, and the right-hand sides copied to s->solution, which the solution replaces. */
garray_status garray__system_begin(struct garray__system *s, garray_t **out, const garray_operand *a, const garray_operand *b);

/* Assigns s->solution, of the shape of s->b, to out if all went well; releases the rest. */
garray_status garray__system_close(struct garray__system *s, garray_t **out, garray_status st);

#endif
