/* SPDX-License-Identifier: BSD-3-Clause
 * Windows over arrays, for the rest of core: plans of the entry `window`. */
#ifndef GARRAY_CORE_WINDOW_H
#define GARRAY_CORE_WINDOW_H

#include "core/array.h"

/* out[p] = sum of in[p - origin + k] * weights[k] over the window, where in is 0 outside (GARRAY_WINDOW_SUM of backend.h).
 * All have as many axes, at least 1, and one dtype; weights are contiguous. */
garray_status garray__window_sum(const garray_t *in, const garray_t *weights, const int64_t *origin, garray_t *out);

/* out[p] = the item of a rank among in[p - origin + k], zeros outside of in (GARRAY_WINDOW_RANK). */
garray_status garray__window_rank(const garray_t *in, const int64_t *window, const int64_t *origin, int64_t rank, garray_t *out);

#endif
