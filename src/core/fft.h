/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms for the rest of core: one pass along one axis. */
#ifndef GARRAY_CORE_FFT_H
#define GARRAY_CORE_FFT_H

#include "core/array.h"

/* One pass.  Lengths: R2C takes n elements and gives n / 2 + 1, C2R the other way, C2C n and n. */
struct garray__fft_pass {
    int kind, axis;                 /* GARRAY_FFT_C2C, ..._R2C, ..._C2R */
    bool inverse;                   /* the positive exponent; of R2C the conjugate, of C2R the usual direction */
    int64_t n;
    double scale;
};

/* Complex64 or complex128: what x of a dtype is transformed in. */
int garray__fft_dtype(int dtype);

/* in and out are contiguous, aligned, of the pass' dtypes and shapes, not empty, and do not overlap, except that
 * a C2C pass may work in place. */
garray_status garray__fft_run(const struct garray__fft_pass *pass, const garray_t *in, garray_t *out);

/* x cast to dtype, with `length` elements along the axis: cut, or followed by zeros.  x itself where it is so already and
 * contiguous. */
garray_status garray__fft_input(const garray_t *x, int axis, int64_t length, int dtype, garray_t **out);

#endif
