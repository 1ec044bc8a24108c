/* SPDX-License-Identifier: BSD-3-Clause
 * Filters of images of any rank, with the meaning that scipy.ndimage gives them. */
#ifndef GARRAY_IMAGE_H
#define GARRAY_IMAGE_H

#include <garray/operand.h>
#include <garray/signal.h>

GARRAY_BEGIN

typedef struct {
    garray_operand fill;      /* a number, for the boundary of that name; 0 by default */
    double truncate;          /* gaussian_filter: the window ends after so many sigmas; 4 by default */
    garray_boundary boundary; /* GARRAY_BOUNDARY_SYMM by default, which SciPy calls reflect */
    int32_t reserved32;       /* zero */
    uint64_t reserved[4];
} garray_image_opts;

/* Smoothed by a Gaussian of sigma[i] along axis i, or of sigma[0] along all axes if nsigma is 1; an axis of sigma 0 stays.
 * In x's dtype, integers computed in float64 and cut. */
GARRAY_STATUS garray_gaussian_filter(const garray_t *x, int nsigma, const double *sigma, const garray_image_opts *opts,
                                     garray_t **out);

/* The Sobel filter: differences along an axis, sums of neighbours along the others; in x's dtype, in which integers wrap. */
GARRAY_STATUS garray_sobel(const garray_t *x, int axis, const garray_image_opts *opts, garray_t **out);

/* The largest or smallest element of a window around each one; of an even length the window has one more in front. size has
 * a length for each axis or one for all. NaN counts as the largest. DTYPE for bools and complex numbers. */
GARRAY_STATUS garray_maximum_filter(const garray_t *x, garray_shape size, const garray_image_opts *opts, garray_t **out);
GARRAY_STATUS garray_minimum_filter(const garray_t *x, garray_shape size, const garray_image_opts *opts, garray_t **out);

/* The largest or smallest of the elements around each one where mask, an array of as many axes, is not 0: grey_dilation and
 * grey_erosion of scipy.ndimage with a flat footprint. For dilation the mask is turned around its middle. NaN wins. Bools
 * are dilated and eroded too. DTYPE for complex numbers, SHAPE for a mask of other rank. Takes time in proportion to the
 * size of the mask. */
GARRAY_STATUS garray_dilation(const garray_t *x, const garray_t *mask, const garray_image_opts *opts, garray_t **out);
GARRAY_STATUS garray_erosion(const garray_t *x, const garray_t *mask, const garray_image_opts *opts, garray_t **out);

GARRAY_END

#endif
