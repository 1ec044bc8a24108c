/* SPDX-License-Identifier: BSD-3-Clause
 * The contraction of two arrays, which every product over axes comes down to. */
#ifndef GARRAY_CORE_PRODUCT_H
#define GARRAY_CORE_PRODUCT_H

#include "core/array.h"

/* Two arrays whose axes are in groups: both begin with nbatch axes of equal lengths that stay; then a has its free axes
 * and the summed ones, b the summed ones and its free axes; the summed ones have equal lengths.  The result has the batch,
 * the free axes of a, and those of b. */
garray_status garray__contract(const garray_t *a, const garray_t *b, int nbatch, int nsummed, garray_t **out);

/* The dtype that all arrays promote to; with three or more that is more than promoting pair by pair. */
garray_status garray__list_dtype(garray_list arrays, int *dtype);

/* A view with the axes in another order; `order` names all of them. */
garray_status garray__permuted(const garray_t *x, const int32_t *order, garray_t **out);

#endif
