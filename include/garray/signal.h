/* SPDX-License-Identifier: BSD-3-Clause
 * Signals: convolution and correlation, filters, interpolation, windows. What NumPy lacks has SciPy's names, with signal_
 * before those of scipy.signal. */
#ifndef GARRAY_SIGNAL_H
#define GARRAY_SIGNAL_H

#include <garray/device.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- convolution and correlation ---- */

typedef enum { /* how much of a convolution is wanted */
    GARRAY_CONVOLVE_FULL = 1,  /* every overlap: n + m - 1 values */
    GARRAY_CONVOLVE_SAME = 2,  /* the middle of these: as many as the longer operand has (signal_: as the first one) */
    GARRAY_CONVOLVE_VALID = 3, /* where one operand lies wholly within the other: |n - m| + 1 values */
    GARRAY_CONVOLVE_MODE_MAX_ENUM = 0x7fffffff
} garray_convolve_mode;

typedef enum { /* what lies outside of an array */
    GARRAY_BOUNDARY_FILL = 1,    /* the default: `fill`, or 0 */
    GARRAY_BOUNDARY_WRAP = 2,    /* the array repeats itself */
    GARRAY_BOUNDARY_SYMM = 3,    /* mirrored at its edge: c b a | a b c */
    GARRAY_BOUNDARY_REFLECT = 4, /* mirrored at its outermost element: c b | a b c */
    GARRAY_BOUNDARY_NEAREST = 5, /* its outermost element */
    GARRAY_BOUNDARY_MAX_ENUM = 0x7fffffff
} garray_boundary;

typedef enum { /* how a convolution is computed */
    GARRAY_CONVOLVE_DIRECT = 1, /* sums */
    GARRAY_CONVOLVE_FFT = 2,    /* Fourier transforms in float64; integers are rounded, exact up to about 2^50 */
    GARRAY_CONVOLVE_METHOD_MAX_ENUM = 0x7fffffff
} garray_convolve_method;

typedef struct {
    garray_operand fill;       /* a number, for the boundary of that name */
    garray_convolve_mode mode; /* full by default; valid for correlate() */
    garray_boundary boundary;  /* what lies outside of the first operand; signal_ functions of full and same */
    garray_convolve_method method; /* by default transforms where floats would take much longer to sum */
    int32_t reserved32;        /* zero */
    uint64_t reserved[4];
} garray_convolve_opts;

/* The convolution of two vectors (a number is one of length 1), in their common dtype: sum over k of a[i - k] v[k]. Exact
 * for integers, which wrap, and bools (or of and); 16-bit floats are summed in float32, float32 in float64. The products are
 * added in one order on all devices, unless both vectors are long (some 1,000 floats): then by Fourier transforms in
 * float64, whose error is relative to the largest result, and of which an infinity spoils all. INVALID for an empty vector,
 * SHAPE for more than one axis. */
GARRAY_STATUS garray_convolve(garray_operand a, garray_operand v, const garray_convolve_opts *opts, garray_t **out);

/* The cross-correlation of two vectors: sum over k of a[i + k] conj(v[k]). */
GARRAY_STATUS garray_correlate(garray_operand a, garray_operand v, const garray_convolve_opts *opts, garray_t **out);

/* Arrays of any rank, the same for both, in their common dtype, with the sums of convolve(). `same` is the middle of the
 * full result, of in1's shape. What lies outside of in1 may be filled (boundary, fill); valid reaches nothing there.
 * INVALID for empty arrays; SHAPE for different ranks, and for valid unless one array is as large as the other along all
 * axes. The ...2d functions take matrices alone; `same` of correlate2d() is that of correlate(), where SciPy's begins one
 * element later along axes on which in2 has an even length. */
GARRAY_STATUS garray_signal_convolve(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts,
                                     garray_t **out);
GARRAY_STATUS garray_signal_correlate(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts,
                                      garray_t **out);
GARRAY_STATUS garray_signal_convolve2d(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts,
                                       garray_t **out);
GARRAY_STATUS garray_signal_correlate2d(const garray_t *in1, const garray_t *in2, const garray_convolve_opts *opts,
                                        garray_t **out);

/* The same by Fourier transforms in float32 or float64, along the given axes; along the others operands broadcast. float32 for
 * 16-bit floats, float64 for integers. */
GARRAY_STATUS garray_signal_fftconvolve(const garray_t *in1, const garray_t *in2, garray_axes axes,
                                        const garray_convolve_opts *opts, garray_t **out);

/* A matrix convolved with hrow along its rows and hcol along its columns, mirrored at its outermost elements. SHAPE unless
 * these are vectors of odd length. */
GARRAY_STATUS garray_signal_sepfir2d(const garray_t *input, const garray_t *hrow, const garray_t *hcol, garray_t **out);

typedef struct {
    int64_t stride[3], dilation[3]; /* of each axis; 0 is 1 */
    int64_t padding[3];             /* zeros in front of and behind each axis */
    int64_t groups;                 /* channels are dealt out to so many convolutions of their own; 0 is 1 */
    uint64_t reserved[4];
} garray_conv_opts;

/* The convolutions of neural networks, which do not turn the weights around: x has axes (batch, channels, ...), w has
 * (channels of the result, channels / groups, ...), with 1, 2 or 3 axes behind these. In the common dtype, by matmul. SHAPE
 * where the shapes do not fit. */
GARRAY_STATUS garray_conv1d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out);
GARRAY_STATUS garray_conv2d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out);
GARRAY_STATUS garray_conv3d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out);

/* ---- filters ---- */

/* Filters x along an axis by the difference equation a[0] y[n] = sum b[k] x[n - k] - sum a[k] y[n - k] (direct form II
 * transposed), in float64 inside; the result is at least float32, float64 for integers. zi: the states before, max(len(a),
 * len(b)) - 1 along the axis, of x's shape elsewhere or 1; NULL: zeros. zf: where not NULL, the states behind. Long filters
 * without recurrence are faster as convolutions. SHAPE unless b and a are vectors; a[0] = 0 gives infinities and NaN. */
GARRAY_STATUS garray_signal_lfilter(const garray_t *b, const garray_t *a, const garray_t *x, int axis, const garray_t *zi,
                                    garray_t **y, garray_t **zf);

/* The median of a window around each element, zeros outside. kernel_size: odd lengths, one for each axis or one for all;
 * 3 without any. NaN counts as the largest. DTYPE for bools and complex numbers. */
GARRAY_STATUS garray_signal_medfilt(const garray_t *volume, garray_shape kernel_size, garray_t **out);

/* ---- interpolation ---- */

typedef struct {
    garray_operand left, right; /* numbers: the result below the first and above the last point; the outer values by default */
    garray_operand period;      /* a number: x and xp are angles of this period; left and right do not count then */
    uint64_t reserved[4];
} garray_interp_opts;

/* The broken line through the points (xp, fp) at x, of any shape: float64, complex128 for complex fp. xp ascends (with a
 * period it may come in any order). With NumPy's formula and bits. INVALID for no points, SHAPE unless xp and fp are
 * vectors of one length. */
GARRAY_STATUS garray_interp(garray_operand x, const garray_t *xp, const garray_t *fp, const garray_interp_opts *opts,
                            garray_t **out);

typedef struct {
    garray_operand fill;    /* a number: the result outside of the grid; NaN by default */
    int32_t nearest;        /* 1: the value of the nearest point of the grid, of the lower one from the middle */
    int32_t extrapolate;    /* 1: outside of the grid its outermost cells go on */
    uint64_t reserved[4];
} garray_interp2d_opts;

/* Values fp at the points of a grid, a row for each of xp and a column for each of yp (ascending vectors of at least 2),
 * interpolated at places (x, y), which broadcast: bilinear within each cell. float64, complex128 for complex fp; NaN at NaN. */
GARRAY_STATUS garray_interp2d(garray_operand x, garray_operand y, const garray_t *xp, const garray_t *yp, const garray_t *fp,
                              const garray_interp2d_opts *opts, garray_t **out);

/* ---- windows ----
 * Tapers of m values, float64 if dtype is 0; other floats are rounded from it. One value is 1, below that there are none. */
GARRAY_STATUS garray_bartlett(int64_t m, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_blackman(int64_t m, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_hamming(int64_t m, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_hanning(int64_t m, garray_dtype dtype, garray_device device, garray_t **out);
GARRAY_STATUS garray_kaiser(int64_t m, double beta, garray_dtype dtype, garray_device device, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_convolve(a, v, opts, out) (garray_convolve)(GARRAY_OPERAND(a), GARRAY_OPERAND(v), opts, out)
#define garray_correlate(a, v, opts, out) (garray_correlate)(GARRAY_OPERAND(a), GARRAY_OPERAND(v), opts, out)
#define garray_interp2d(x, y, xp, yp, fp, opts, out) \
    (garray_interp2d)(GARRAY_OPERAND(x), GARRAY_OPERAND(y), xp, yp, fp, opts, out)
#define garray_interp(x, xp, fp, opts, out) (garray_interp)(GARRAY_OPERAND(x), xp, fp, opts, out)
#endif

#endif
