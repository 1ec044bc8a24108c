/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search for the rest of core. */
#ifndef GARRAY_CORE_SEARCH_H
#define GARRAY_CORE_SEARCH_H

#include "core/array.h"

/* kind: GARRAY_SEARCH_...  sorted, values and out are contiguous, sorted and values of one dtype, out int64 or bool and as
 * long as values. */
garray_status garray__search(int kind, const garray_t *sorted, const garray_t *values, garray_t *out);

#endif
