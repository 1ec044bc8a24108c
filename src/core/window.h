/* SPDX-License-Identifier: BSD-3-Clause
 * Windows over arrays, for the rest of core: plans of the entry `window`. */
#ifndef GARRAY_CORE_WINDOW_H
#define GARRAY_CORE_WINDOW_H

#include "core/array.h"

/* Arrays to convolve: both there, on one device, with as many axes, neither empty. */
garray_status garray__window_check(const garray_t *in1, const garray_t *in2);

/* out[p] = sum of in[p - origin + k] * weights[k] over the window, where in is 0 outside (GARRAY_WINDOW_SUM of backend.h).
 * All have as many axes, at least 1, and one dtype; weights are contiguous. */
garray_status garray__window_sum(const garray_t *in, const garray_t *weights, const int64_t *origin, garray_t *out);

/* The same by Fourier transforms along the axes that `over` says, in dtype: float32, float64 or complex; along the others
 * weights broadcast.  out may have any dtype; integers are rounded. */
garray_status garray__window_fft(const garray_t *in, const garray_t *weights, const int64_t *origin, const bool *over, int dtype,
                                 garray_t *out);

/* One or the other: method is GARRAY_CONVOLVE_DIRECT, GARRAY_CONVOLVE_FFT, or 0 for transforms (in float64) where floats of
 * 32 bits or more would take much longer to sum. */
garray_status garray__window_convolve(const garray_t *in, const garray_t *weights, const int64_t *origin, int method,
                                      garray_t *out);

/* out[p] = the item of a rank among in[p - origin + k], zeros outside of in (GARRAY_WINDOW_RANK). */
garray_status garray__window_rank(const garray_t *in, const int64_t *window, const int64_t *origin, int64_t rank, garray_t *out);

#endif
