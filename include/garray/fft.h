/* SPDX-License-Identifier: BSD-3-Clause
 * Discrete Fourier transforms: the fft namespace of NumPy and of the standard.
 *
 * X[k] = sum over j of x[j] exp(-2 pi i j k / n); inverse transforms have the other sign and, unless the norm says
 * otherwise, the factor 1 / n. float16, bfloat16, float32 and complex64 are transformed in complex64 or float32 (what irfft
 * and hfft give for 16-bit floats is rounded to them, as in NumPy); all other dtypes in complex128 or float64. Any length takes O(n log n): mixed radices on a CPU, Bluestein's algorithm
 * for large prime factors; cuFFT on a GPU. n makes the axis shorter, or longer with zeros, before it is transformed.
 * INVALID for a length below 1, AXIS for an axis out of range, DTYPE for complex x where it must be real. */
#ifndef GARRAY_FFT_H
#define GARRAY_FFT_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* Which of the two directions has the factor 1 / n. */
typedef enum {
    GARRAY_FFT_BACKWARD = 1, /* the default: inverse transforms */
    GARRAY_FFT_ORTHO = 2,    /* both have 1 / sqrt(n) */
    GARRAY_FFT_FORWARD = 3,  /* forward transforms */
    GARRAY_FFT_NORM_MAX_ENUM = 0x7fffffff
} garray_fft_norm;

typedef struct {
    garray_operand n;     /* an integer: the length of the axis, GARRAY_VAL(1024); its own if not given. One axis only. */
    garray_fft_norm norm; /* 0: backward */
    int32_t reserved32;   /* zero */
    uint64_t reserved[3];
} garray_fft_opts;

/* ---- along one axis; -1 is the last one, NumPy's default ---- */

/* The transform of x, complex. */
GARRAY_STATUS garray_fft_fft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);
GARRAY_STATUS garray_fft_ifft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);

/* The first n / 2 + 1 elements of the transform of real x; the others are their conjugates. */
GARRAY_STATUS garray_fft_rfft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);

/* The real inverse of such a half: n is 2 (m - 1) for an axis of m elements unless given. The imaginary parts of
 * element 0 and, for even n, of element n / 2 count as 0. */
GARRAY_STATUS garray_fft_irfft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);

/* The real transform of a signal whose second half is the conjugate of its first, x; n as in irfft. */
GARRAY_STATUS garray_fft_hfft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);

/* Its inverse: the first n / 2 + 1 elements of the inverse transform of real x. */
GARRAY_STATUS garray_fft_ihfft(const garray_t *x, int axis, const garray_fft_opts *opts, garray_t **out);

/* ---- along several axes ----
 * s has a length per axis, where -1 stands for the axis' own; {0, NULL}: all their own. GARRAY_ALL_AXES are all axes or,
 * with s, the last s.n ones. An axis named twice is transformed twice. The norm counts for each axis. SHAPE unless s
 * is as long as axes. */

GARRAY_STATUS garray_fft_fftn(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                              garray_t **out);
GARRAY_STATUS garray_fft_ifftn(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                               garray_t **out);

/* rfft along the last of the axes, then fft along the others. */
GARRAY_STATUS garray_fft_rfftn(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                               garray_t **out);

/* ifft along all axes but the last one, then irfft along that. */
GARRAY_STATUS garray_fft_irfftn(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                                garray_t **out);

/* The same for two axes; GARRAY_ALL_AXES are the last two. */
GARRAY_STATUS garray_fft_fft2(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                              garray_t **out);
GARRAY_STATUS garray_fft_ifft2(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                               garray_t **out);
GARRAY_STATUS garray_fft_rfft2(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                               garray_t **out);
GARRAY_STATUS garray_fft_irfft2(const garray_t *x, garray_shape s, garray_axes axes, const garray_fft_opts *opts,
                                garray_t **out);

/* ---- order of frequencies ---- */

/* Element 0 moved to the middle, place length / 2, along each axis; any dtype. */
GARRAY_STATUS garray_fft_fftshift(const garray_t *x, garray_axes axes, garray_t **out);

/* Its inverse. */
GARRAY_STATUS garray_fft_ifftshift(const garray_t *x, garray_axes axes, garray_t **out);

/* The frequencies of the n elements of a transform, 0, 1, ..., -2, -1 over n d, for samples d apart; of an rfft the
 * n / 2 + 1 ones, which are not negative. Any float or complex dtype, float64 by default; computed in float64. INVALID
 * for n below 1, and d = 0. */
GARRAY_STATUS garray_fft_fftfreq(int64_t n, double d, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_fft_rfftfreq(int64_t n, double d, garray_dtype dtype, garray_device device, garray_t **out);

GARRAY_END

#endif
