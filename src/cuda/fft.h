/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels beside cuFFT: see fft.c. */
#ifndef GARRAY_CUDA_FFT_H
#define GARRAY_CUDA_FFT_H

#include "cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Multiplies count complex items by scale, and their imaginary parts by sign too, in place. */
garray_status garray__cuda_fft_scale(const garray__queue *q, bool is_double, void *data, int64_t count, double scale,
                                     double sign);

/* (outer, half, inner) complex items to contiguous memory, times scale, imaginary parts also times sign; they are 0 for
 * the first of half items and, if even is set, for the last. */
garray_status garray__cuda_fft_spectrum(const garray__queue *q, bool is_double, const void *in, void *out, int64_t outer,
                                        int64_t half, int64_t inner, bool even, double scale, double sign);

/* (outer, rows, columns) to (outer, columns, rows); items of 4, 8 or 16 bytes. */
garray_status garray__cuda_fft_transpose(const garray__queue *q, int size, const void *in, void *out, int64_t outer,
                                         int64_t rows, int64_t columns);

/* Transforms of length 1: the items, or their real parts, times scale. */
garray_status garray__cuda_fft_single(const garray__queue *q, bool is_double, int kind, const void *in, void *out, int64_t count,
                                      double scale);

#ifdef __cplusplus
}
#endif
#endif
