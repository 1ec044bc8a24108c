/* SPDX-License-Identifier: BSD-3-Clause
 * Operations applied again and again to their own results: what the methods of operations share. */
#ifndef GARRAY_CORE_FOLD_H
#define GARRAY_CORE_FOLD_H

#include "core/compose.h"

/* The dtype in which op can be folded over elements of x: it takes and gives this one.  given: dtype=, or 0. */
garray_status garray__fold_dtype(int op, const garray_t *x, int given, int *dtype);

/* On bools logical operations, add, multiply and the extrema are bitwise ones; other operations stay. */
int garray__fold_on_bools(int op);

#endif
