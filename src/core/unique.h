/* SPDX-License-Identifier: BSD-3-Clause
 * The different elements of a vector, for the operations of sets. */
#ifndef GARRAY_CORE_UNIQUE_H
#define GARRAY_CORE_UNIQUE_H

#include "core/array.h"

enum { GARRAY__UNIQUE_VALUES, GARRAY__UNIQUE_INDEX, GARRAY__UNIQUE_INVERSE, GARRAY__UNIQUE_COUNTS, GARRAY__UNIQUE_RESULTS };

/* Of a vector x: those results that are wanted, as new vectors; on failure none. */
garray_status garray__unique(const garray_t *x, bool distinct_nan, const bool *wanted, garray_t **results);

/* The same for integers that lie close together, if x is such and no index is wanted; else *done is false.  On failure
 * results may be set. */
garray_status garray__unique_integers(const garray_t *x, const bool *wanted, garray_t **results, bool *done);

/* mask[i] = x[i] op x[i + 1], along the first axis; one shorter than x, which is not empty. */
garray_status garray__neighbours(int op, const garray_t *x, garray_t **mask);

/* The elements of a vector where mask is set.  Waits. */
garray_status garray__where_set(const garray_t *x, const garray_t *mask, garray_t **out);

#endif
