/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as sets: their different elements, membership, and the operations of sets. All of them wait for the device where
 * the length of a result depends on the data. */
#ifndef GARRAY_SET_H
#define GARRAY_SET_H

#include <garray/operand.h>

GARRAY_BEGIN

/* ---- different elements ---- */

typedef struct {
    int32_t distinct_nan; /* 1: NaNs differ from each other (NumPy's equal_nan=False) */
    int32_t reserved32;
    uint64_t reserved[4];
} garray_unique_opts;

/* The different elements of x in ascending order (of equal ones, -0 and 0, the first). Without an axis those of x
 * flattened; with an axis the different slices along it, in lexicographic order, where NaNs always differ. Each of the
 * results may be NULL if not wanted:
 *   index     int64: where each value comes first
 *   inverse   int64: for each element (slice) of x the place of its value; of x's shape without an axis, a vector with one
 *   counts    int64: how often each value comes */
GARRAY_STATUS garray_unique(const garray_t *x, garray_axes axis, const garray_unique_opts *opts, garray_t **values,
                            garray_t **index, garray_t **inverse, garray_t **counts);

/* The functions of the array API standard: of x flattened; NaNs differ from each other. */
GARRAY_STATUS garray_unique_all(const garray_t *x, garray_t **values, garray_t **indices, garray_t **inverse_indices,
                                garray_t **counts);
GARRAY_STATUS garray_unique_counts(const garray_t *x, garray_t **values, garray_t **counts);
GARRAY_STATUS garray_unique_inverse(const garray_t *x, garray_t **values, garray_t **inverse_indices);
GARRAY_STATUS garray_unique_values(const garray_t *x, garray_t **values);

/* ---- membership and operations of sets ---- */

typedef struct {
    int32_t invert;         /* isin: 1: where x is not in test_elements */
    int32_t assume_unique;  /* 1: no array has an element twice; what comes of it if one has is NumPy's result */
    uint64_t reserved[4];
} garray_set_opts;

/* Whether each element of x is one of test_elements, which may have any shape: bool, of x's shape. They are compared in
 * their common dtype; nothing is equal to NaN. One of the two may be a number. Does not wait. */
GARRAY_STATUS garray_isin(garray_operand x, garray_operand test_elements, const garray_set_opts *opts, garray_t **out);

/* The sorted values that are in both, of the common dtype; index_a and index_b (NULL: not wanted) are where each comes
 * first in a and b flattened. */
GARRAY_STATUS garray_intersect1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out,
                                 garray_t **index_a, garray_t **index_b);

/* The sorted values of a that are not in b; of a's dtype. assume_unique: in a's order. */
GARRAY_STATUS garray_setdiff1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out);

/* The sorted values that are in one of the two alone. */
GARRAY_STATUS garray_setxor1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out);

/* The sorted values that are in either. */
GARRAY_STATUS garray_union1d(const garray_t *a, const garray_t *b, garray_t **out);

GARRAY_END

#ifndef __cplusplus
#define garray_isin(x, test_elements, opts, out) \
    (garray_isin)(GARRAY_OPERAND(x), GARRAY_OPERAND(test_elements), opts, out)
#endif

#endif
