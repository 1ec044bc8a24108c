/* SPDX-License-Identifier: BSD-3-Clause
 * The methods of operations, NumPy's np.add.reduce(x) and its like, for every operation of two operands by its number;
 * `at` and `outer` as well.
 *
 * dtype is what the operation runs in, and of the result; by default NumPy's choice: add and multiply run in int64 or
 * uint64 for bool and small integers, logical operations in bool, others in the dtype that the operation has for x.  It
 * must give what it takes (DTYPE): comparisons are for bool.
 * Operations that do not care for order and grouping (add, multiply, maximum, minimum, logical_* and bitwise_*, hypot,
 * logaddexp, logaddexp2, gcd, fmax, fmin) are reduced and accumulated in few steps, and sums and products are those of
 * garray_sum() and garray_prod(), wider than their dtype; subtract is the first element less the sum of the others.
 * Everything else goes along the axis element by element, a call for each: right, but slow for a long axis. */
#ifndef GARRAY_UFUNC_H
#define GARRAY_UFUNC_H

#include <garray/math.h>
#include <garray/reduce.h>

GARRAY_BEGIN

/* op.reduce: over the given axes. Reducing nothing gives the identity, or `initial`, or is a SHAPE error. `where` needs
 * `initial` where there is no identity (INVALID); several axes need an operation that is free of order (AXIS). */
GARRAY_STATUS garray_ufunc_reduce(garray_op op, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                                  garray_t **out);

typedef struct {
    garray_dtype dtype;
    int32_t reserved32; /* zero */
    uint64_t reserved[4];
} garray_accumulate_opts;

/* op.accumulate: what has been reduced so far, along one axis. */
GARRAY_STATUS garray_ufunc_accumulate(garray_op op, const garray_t *x, int axis, const garray_accumulate_opts *opts,
                                      garray_t **out);

/* op.reduceat: for each of the indices i the elements from it up to the next index (the last: up to the end) are reduced
 * along the axis; where that is not larger, it is the element at i. Indices are a vector of integers from 0 to below the
 * length (INDEX). Waits. */
GARRAY_STATUS garray_ufunc_reduceat(garray_op op, const garray_t *x, const garray_t *indices, int axis,
                                    const garray_accumulate_opts *opts, garray_t **out);

/* op.outer: op of all pairs of elements; the shape is a's, then b's. At least one must be an array. */
GARRAY_STATUS garray_ufunc_outer(garray_op op, garray_operand a, garray_operand b, const garray_ufunc_opts *opts,
                                 garray_t **out);

/* op.at: x[items] = op(x[items], b), or op(x[items]) for an operation of one operand and b = GARRAY_NONE, and again for
 * each place that is named again. Results are cast to x's dtype, whatever is lost; C numbers are weak. add, subtract,
 * minimum, maximum, and of integers multiply and bitwise_*, are scatters (see garray_scatter_add()); everything else is
 * done in rounds, as many as the most frequent place is named times, and waits. */
GARRAY_STATUS garray_ufunc_at(garray_op op, garray_t *x, garray_indices items, garray_operand b);

GARRAY_END

#ifndef __cplusplus
#define garray_ufunc_outer(op, a, b, opts, out) (garray_ufunc_outer)(op, GARRAY_OPERAND(a), GARRAY_OPERAND(b), opts, out)
#define garray_ufunc_at(op, x, items, b) (garray_ufunc_at)(op, x, items, GARRAY_OPERAND(b))
#endif

#endif
