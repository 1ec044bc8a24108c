/* SPDX-License-Identifier: BSD-3-Clause
 * Averages, medians and quantiles, covariances. */
#ifndef GARRAY_STATISTICS_H
#define GARRAY_STATISTICS_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef struct {
    garray_operand weights; /* an array of x's shape, or of the lengths of the given axes, in their order */
    int32_t keepdims;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_average_opts;

/* The weighted mean along axes, and the sum of the weights (NULL if not wanted), of the same shape. Without
 * weights it is the mean. Weights that sum to zero give NaN or infinity, where NumPy raises an error. */
GARRAY_STATUS garray_average(const garray_t *x, garray_axes axes, const garray_average_opts *opts,
                             garray_t **average, garray_t **weight);

typedef struct {
    int32_t keepdims;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_median_opts;

/* The median along axes, the mean of the two in the middle of an even number; float64 for integers. NaN
 * where one of the values is NaN, and of nothing. */
GARRAY_STATUS garray_median(const garray_t *x, garray_axes axes, const garray_median_opts *opts, garray_t **out);

/* The same without NaN. */
GARRAY_STATUS garray_nanmedian(const garray_t *x, garray_axes axes, const garray_median_opts *opts,
                               garray_t **out);

/* How a quantile between two values is estimated: NumPy's names. The first nine are those of Hyndman and Fan,
 * Sample Quantiles in Statistical Packages, The American Statistician 50 (1996). */
typedef enum {
    GARRAY_QUANTILE_DEFAULT = 0, /* linear */
    GARRAY_QUANTILE_INVERTED_CDF = 1,
    GARRAY_QUANTILE_AVERAGED_INVERTED_CDF = 2,
    GARRAY_QUANTILE_CLOSEST_OBSERVATION = 3,
    GARRAY_QUANTILE_INTERPOLATED_INVERTED_CDF = 4,
    GARRAY_QUANTILE_HAZEN = 5,
    GARRAY_QUANTILE_WEIBULL = 6,
    GARRAY_QUANTILE_LINEAR = 7,
    GARRAY_QUANTILE_MEDIAN_UNBIASED = 8,
    GARRAY_QUANTILE_NORMAL_UNBIASED = 9,
    GARRAY_QUANTILE_LOWER = 10,
    GARRAY_QUANTILE_HIGHER = 11,
    GARRAY_QUANTILE_MIDPOINT = 12,
    GARRAY_QUANTILE_NEAREST = 13,
    GARRAY_QUANTILE_MAX_ENUM = 0x7fffffff
} garray_quantile_method;

typedef struct {
    int32_t keepdims;
    garray_quantile_method method;
    garray_operand weights; /* as those of the average; for INVERTED_CDF alone, which must be named */
    uint64_t reserved[4];
} garray_quantile_opts;

/* The values below which the parts q of the data lie, 0 <= q <= 1 (INVALID), along axes; q is a number or an
 * array of at most two axes, which then come first in the result. The dtype is x's for the methods that pick a
 * value (INVERTED_CDF, CLOSEST_OBSERVATION, LOWER, HIGHER, NEAREST), float64 for integers otherwise, and NaN
 * wins. Places are computed in float64 also for smaller floats, where NumPy rounds q first. It waits where q or
 * weights is an array. DTYPE for complex x, SHAPE where there is no value. */
GARRAY_STATUS garray_quantile(const garray_t *x, garray_operand q, garray_axes axes,
                              const garray_quantile_opts *opts, garray_t **out);

/* The same with q in percent. */
GARRAY_STATUS garray_percentile(const garray_t *x, garray_operand q, garray_axes axes,
                                const garray_quantile_opts *opts, garray_t **out);

/* The same of the values that are not NaN; NaN where there is none. */
GARRAY_STATUS garray_nanquantile(const garray_t *x, garray_operand q, garray_axes axes,
                                 const garray_quantile_opts *opts, garray_t **out);
GARRAY_STATUS garray_nanpercentile(const garray_t *x, garray_operand q, garray_axes axes,
                                   const garray_quantile_opts *opts, garray_t **out);

typedef struct {
    int32_t columns;   /* 1: the variables are the columns, not the rows */
    int32_t bias;      /* 1: divide by the number of observations, not by one less */
    garray_operand y;    /* more variables with as many observations */
    garray_operand ddof; /* an integer: divide by the observations less this, whatever bias says */
    garray_operand fweights; /* how often each observation was made: one axis of integers */
    garray_operand aweights; /* how much each observation counts: one axis of numbers */
    garray_dtype dtype; /* a float or complex one; float64 or wider by default */
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_cov_opts;

/* The covariance matrix of the variables in x, of one or two axes; for a single variable its variance, without
 * axes. Where too few observations are left it divides by 0. With weights it waits. INVALID for negative
 * weights and for frequencies that are no integers. */
GARRAY_STATUS garray_cov(const garray_t *x, const garray_cov_opts *opts, garray_t **out);

/* The correlation coefficients: the covariances, divided by the standard deviations. Takes columns, dtype and
 * y; the others must not be set (INVALID). */
GARRAY_STATUS garray_corrcoef(const garray_t *x, const garray_cov_opts *opts, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_quantile(x, q, axes, opts, out) (garray_quantile)(x, GARRAY_OPERAND(q), axes, opts, out)
#define garray_percentile(x, q, axes, opts, out) (garray_percentile)(x, GARRAY_OPERAND(q), axes, opts, out)
#define garray_nanquantile(x, q, axes, opts, out) (garray_nanquantile)(x, GARRAY_OPERAND(q), axes, opts, out)
#define garray_nanpercentile(x, q, axes, opts, out) (garray_nanpercentile)(x, GARRAY_OPERAND(q), axes, opts, out)
#endif

#endif
