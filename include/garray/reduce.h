/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions over axes, and cumulative sums and products. */
#ifndef GARRAY_REDUCE_H
#define GARRAY_REDUCE_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- reductions ----
 * Over the given axes, GARRAY_ALL_AXES or, for example, GARRAY_AXES(0, -1); AXIS for one out of range or
 * named twice. The same call gives the same bits each time, on any number of threads. float16, bfloat16 and
 * float32 sums are computed wider than their dtype and rounded once. Reducing nothing gives the identity,
 * or is a SHAPE error where there is none (min, max, argmin, argmax without `initial`). */

typedef struct {
    int32_t keepdims;       /* 1: reduced axes stay, with length 1 */
    garray_dtype dtype;     /* of the computation and the result; sum, prod, mean */
    garray_operand initial; /* a number to start with; sum, prod, min, max */
    garray_operand where;   /* a bool array that broadcasts to x: the elements that count */
    uint64_t reserved[8];
} garray_reduce_opts;

/* The sum; bool and small integers are summed as int64 or uint64, as in NumPy. */
GARRAY_STATUS garray_sum(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* The product; dtypes as for the sum. */
GARRAY_STATUS garray_prod(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                          garray_t **out);

/* The smallest element; a NaN wins. Complex numbers compare by real, then by imaginary part. */
GARRAY_STATUS garray_min(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* The largest element; a NaN wins. */
GARRAY_STATUS garray_max(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* The arithmetic mean, float64 for integers; NaN of nothing, without NumPy's warning. */
GARRAY_STATUS garray_mean(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                          garray_t **out);

typedef struct {
    int32_t keepdims;
    garray_dtype dtype;
    garray_operand correction; /* the divisor is n - correction; 0 by default, as in NumPy */
    garray_operand where;
    uint64_t reserved[8];
} garray_var_opts;

/* The variance; of complex numbers that of their distance from the mean, a real number. */
GARRAY_STATUS garray_var(const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out);

/* The standard deviation, the root of the variance. */
GARRAY_STATUS garray_std(const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out);

/* Whether any element is true, that is, not zero. Takes keepdims and where; the others must not be set
 * (INVALID). */
GARRAY_STATUS garray_any(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* Whether all elements are true; options as for any. */
GARRAY_STATUS garray_all(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

/* How many elements are not zero, as int64; options as for any. */
GARRAY_STATUS garray_count_nonzero(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                                   garray_t **out);

typedef struct {
    int32_t keepdims;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_arg_opts;

/* The int64 index of the first smallest element along one axis, or in the flattened array for
 * GARRAY_ALL_AXES; the first NaN wins. AXIS for several axes. */
GARRAY_STATUS garray_argmin(const garray_t *x, garray_axes axis, const garray_arg_opts *opts, garray_t **out);

/* The same of the largest element. */
GARRAY_STATUS garray_argmax(const garray_t *x, garray_axes axis, const garray_arg_opts *opts, garray_t **out);

/* The spread of the values, largest minus smallest, in x's dtype; a NaN wins. Takes keepdims only. SHAPE where
 * nothing is reduced, DTYPE for bool, as in NumPy. */
GARRAY_STATUS garray_ptp(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out);

typedef struct {
    garray_dtype dtype;
    int32_t include_initial; /* 1: begin with a 0 (or 1), one element longer */
    int32_t exclusive;       /* 1: of the elements before each one, beginning with a 0 (or 1) */
    int32_t reverse;         /* 1: from the end of the axis backwards */
    uint64_t reserved[3];
} garray_cumulative_opts;

/* Sums of the elements so far along one axis; GARRAY_ALL_AXES is allowed for one-dimensional arrays only
 * (AXIS). Dtypes as for the sum. */
GARRAY_STATUS garray_cumulative_sum(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                                    garray_t **out);

/* The same with products. */
GARRAY_STATUS garray_cumulative_prod(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                                     garray_t **out);

/* The largest (smallest) of the elements so far, NumPy's maximum.accumulate: in x's dtype; from the first NaN on all is NaN.
 * Of two zeros 0 is larger; complex numbers compare by real, then by imaginary part. What precedes all elements is the least
 * (largest) value of the dtype, an infinity if it has one. */
GARRAY_STATUS garray_cummax(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts, garray_t **out);
GARRAY_STATUS garray_cummin(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts, garray_t **out);

/* NumPy's older forms: GARRAY_ALL_AXES flattens an array of any number of axes. */
GARRAY_STATUS garray_cumsum(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                            garray_t **out);
GARRAY_STATUS garray_cumprod(const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                             garray_t **out);

GARRAY_END

#endif
