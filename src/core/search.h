/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search for the rest of core. */
#ifndef GARRAY_CORE_SEARCH_H
#define GARRAY_CORE_SEARCH_H

#include "core/array.h"

/* kind: GARRAY_SEARCH_...  sorted, values and out are contiguous, sorted and values of one dtype, out int64 or bool and as
 * long as values. */
garray_status garray__search(int kind, const garray_t *sorted, const garray_t *values, garray_t *out);

/* The dtype that a number (an operand that is no array) has beside an array of dtype in a search: NumPy's of its kind, but
 * for an integer that dtype holds, which is compared there: this differs only where NumPy loses digits. */
int garray__search_dtype(const garray_operand *v, int dtype);

#endif
