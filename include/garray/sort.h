/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting and the largest elements. NaN comes after every number; complex numbers compare by real, then by
 * imaginary part. */
#ifndef GARRAY_SORT_H
#define GARRAY_SORT_H

#include <garray/operand.h>

GARRAY_BEGIN

typedef struct {
    int32_t descending; /* 1: largest number first; NaN last all the same */
    int32_t unstable;   /* 1: equal elements may change their order, where that is faster */
    int32_t flat;       /* 1: of all elements, flattened (NumPy's axis=None); the axis given does not count */
    int32_t reserved32;
    uint64_t reserved[3];
} garray_sort_opts;

/* A sorted copy along an axis; axis -1 is the last one, NumPy's default. */
GARRAY_STATUS garray_sort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out);

/* A copy with real parts sorted first, then imaginary ones, along the last axis: complex64 of integers of 8 and 16 bits
 * and of complex64, complex128 of all else. */
GARRAY_STATUS garray_sort_complex(const garray_t *x, garray_t **out);

/* The int64 indices that sort along an axis. Stable by default, unlike NumPy; descending is stable too. */
GARRAY_STATUS garray_argsort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out);

/* The int64 indices that sort by several keys of one shape along an axis: by the last key, what is equal there by the one
 * before it, and so on; stable. With a single array, its first axis counts the keys. */
GARRAY_STATUS garray_lexsort(garray_list keys, int axis, garray_t **out);

/* A copy in which along an axis each of the places kth has the element that sorting would put there, with lower or equal
 * ones before it and higher or equal ones behind. Negative places count from the end; INDEX if one is out of bounds. The
 * order among the others is unspecified in NumPy; here (but for complex numbers, and more than 16 places, which are
 * sorted) elements below the first place's, equal to it, between it and the second's, and so on keep their order.
 * opts: descending and flat. */
GARRAY_STATUS garray_partition(const garray_t *x, garray_shape kth, int axis, const garray_sort_opts *opts,
                               garray_t **out);

/* The int64 indices of such a copy. */
GARRAY_STATUS garray_argpartition(const garray_t *x, garray_shape kth, int axis, const garray_sort_opts *opts,
                                  garray_t **out);

/* The places of a partition: GARRAY_KTH(3), GARRAY_KTH(0, -1). */
#define GARRAY_KTH(...) GARRAY_SHAPE(__VA_ARGS__)

typedef struct {
    const garray_t *sorter; /* integers: the indices that sort a; or NULL: a is sorted */
    int32_t right;          /* 1: behind the elements equal to the value, instead of before them */
    int32_t reserved32;
    uint64_t reserved[3];
} garray_search_opts;

/* Where values belong in a sorted vector a: the int64 number of elements below each value (right: not above it), in the
 * order of garray_sort(). A number v gives a result without axes. a and v are compared in their common dtype. SHAPE
 * unless a (and sorter) have one axis and sorter has a's length. */
GARRAY_STATUS garray_searchsorted(const garray_t *a, garray_operand v, const garray_search_opts *opts, garray_t **out);

typedef struct {
    int32_t smallest; /* 1: the smallest instead of the largest */
    int32_t unsorted; /* 1: in any order */
    uint64_t reserved[4];
} garray_topk_opts;

/* The k largest elements along an axis, largest (or NaN) first, and their int64 indices; of equal elements
 * those with lower index. values or indices may be NULL. SHAPE unless 0 <= k <= the axis' length. NumPy has
 * no such function. */
GARRAY_STATUS garray_top_k(const garray_t *x, int64_t k, int axis, const garray_topk_opts *opts,
                           garray_t **values, garray_t **indices);

GARRAY_END

#ifndef __cplusplus
#define garray_searchsorted(a, v, opts, out) (garray_searchsorted)(a, GARRAY_OPERAND(v), opts, out)
#endif

#endif
