/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms: how many elements, or how much weight of them, lie in each bin. */
#ifndef GARRAY_HISTOGRAM_H
#define GARRAY_HISTOGRAM_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- bins ----
 * Where a function takes bins: a number of bins of one width (10 if not given), or an array of one axis, ascending
 * edges. A bin holds its lower edge and not its upper one, but the last bin holds both. Elements outside and NaN are
 * not counted. Edges and elements are compared as float64. */

/* Rules for the number of bins, by NumPy's names. */
typedef enum {
    GARRAY_BINS_GIVEN = 0, /* the argument bins says */
    GARRAY_BINS_AUTO = 1,  /* the larger number of FD and STURGES, FD bounded by twice SQRT */
    GARRAY_BINS_FD = 2,    /* Freedman and Diaconis: by the interquartile range */
    GARRAY_BINS_DOANE = 3,
    GARRAY_BINS_SCOTT = 4, /* by the standard deviation */
    GARRAY_BINS_STONE = 5, /* by cross-validation: counts the elements again and again */
    GARRAY_BINS_RICE = 6,
    GARRAY_BINS_STURGES = 7,
    GARRAY_BINS_SQRT = 8,
    GARRAY_BINS_MAX_ENUM = 0x7fffffff
} garray_bin_rule;

typedef struct {
    garray_operand low, high; /* the outer edges, numbers, both or none: from the smallest to the largest element */
    garray_operand weights;   /* an array of x's shape: each bin has the sum of its elements' weights */
    int32_t density;          /* 1: probability density, which integrates to 1 */
    garray_bin_rule rule;     /* instead of bins, which is then not given; not with weights */
    uint64_t reserved[4];
} garray_histogram_opts;

/* The histogram of all elements of x, and the edges of its bins; either may be NULL. Counts are int64; sums of weights
 * are added as float64 in an order of their own, the same in each run, and become the weights' dtype; densities are
 * float64. Edges are those given, or of x's dtype, float64 for integers. It waits, unless bins is a number and low and
 * high are given. INVALID for a range that is not finite or too small for so many bins, for descending edges, and for
 * no bins; DTYPE for complex x. */
GARRAY_STATUS garray_histogram(const garray_t *x, garray_operand bins, const garray_histogram_opts *opts,
                               garray_t **hist, garray_t **edges);

/* The edges alone, without counting. */
GARRAY_STATUS garray_histogram_bin_edges(const garray_t *x, garray_operand bins, const garray_histogram_opts *opts,
                                         garray_t **edges);

typedef struct {
    const double *low, *high; /* NULL, or per axis the outer edges; two NaN: from the smallest to the largest element */
    garray_operand weights;   /* an array of one axis, one number per point */
    int32_t density;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_histogramdd_opts;

/* The histogram of points, the rows of sample, in as many dimensions as it has columns; float64. nbins is that number,
 * or 1: the same bins along each. edges is NULL or has as many slots, each NULL or an array, and assigned. */
GARRAY_STATUS garray_histogramdd(const garray_t *sample, int nbins, const garray_operand *bins,
                                 const garray_histogramdd_opts *opts, garray_t **hist, garray_t **edges);

/* The same of the points (x[i], y[i]). */
GARRAY_STATUS garray_histogram2d(const garray_t *x, const garray_t *y, garray_operand x_bins, garray_operand y_bins,
                                 const garray_histogramdd_opts *opts, garray_t **hist, garray_t **x_edges,
                                 garray_t **y_edges);

typedef struct {
    garray_operand weights; /* an array of x's shape: sums of weights as float64, instead of counts */
    int64_t minlength;      /* the least length of the result: with it x is read once if it suffices */
    uint64_t reserved[4];
} garray_bincount_opts;

/* How often each of the numbers 0, 1, 2 ... is in x, bool or integers of one axis, as int64. Waits for the largest of
 * them. INVALID for negative ones, DTYPE for uint64. */
GARRAY_STATUS garray_bincount(const garray_t *x, const garray_bincount_opts *opts, garray_t **out);

typedef struct {
    int32_t right;      /* 1: a bin holds its upper edge, not its lower one */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_digitize_opts;

/* The number of the bin of each element of x among the edges in bins, an array of one axis, ascending or descending: i
 * where bins[i - 1] <= x < bins[i], or bins[i - 1] > x >= bins[i], 0 before the first edge; int64. Exact for all dtypes;
 * NaN comes behind the last edge of ascending ones. Waits, to see which way the edges go. INVALID if neither way, DTYPE
 * for complex numbers. */
GARRAY_STATUS garray_digitize(garray_operand x, const garray_t *bins, const garray_digitize_opts *opts, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_digitize(x, bins, opts, out) (garray_digitize)(GARRAY_OPERAND(x), bins, opts, out)
#define garray_histogram(x, bins, opts, hist, edges) (garray_histogram)(x, GARRAY_OPERAND(bins), opts, hist, edges)
#define garray_histogram_bin_edges(x, bins, opts, edges) \
    (garray_histogram_bin_edges)(x, GARRAY_OPERAND(bins), opts, edges)
#define garray_histogram2d(x, y, x_bins, y_bins, opts, hist, x_edges, y_edges) \
    (garray_histogram2d)(x, y, GARRAY_OPERAND(x_bins), GARRAY_OPERAND(y_bins), opts, hist, x_edges, y_edges)
#endif

#endif
