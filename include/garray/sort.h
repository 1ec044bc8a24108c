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
    uint64_t reserved[4];
} garray_sort_opts;

/* A sorted copy along an axis; axis -1 is the last one, NumPy's default. */
GARRAY_STATUS garray_sort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out);

/* The int64 indices that sort along an axis. Stable by default, unlike NumPy; descending is stable too. */
GARRAY_STATUS garray_argsort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out);

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

#endif
