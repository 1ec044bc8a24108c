/* SPDX-License-Identifier: BSD-3-Clause
 * Edges of bins, and the plan that counts between them. */
#ifndef GARRAY_CORE_HISTOGRAM_H
#define GARRAY_CORE_HISTOGRAM_H

#include "core/array.h"
#include "garray/histogram.h"

/* Edges: as the caller gets them, as float64 for the plan, and what the plan says of them. */
struct garray__edges {
    garray_t *array, *wide;
    int64_t bins;
    bool uniform;
    double first, last, deviation;
};

void garray__edges_close(struct garray__edges *e);

/* The outer edges: given, or found in x, which waits.  Both NaN in given means not given. */
struct garray__range {
    double first, last;
    bool found;                 /* in x: its dtype computes */
};
garray_status garray__range_of(const garray_t *x, const garray_operand *low, const garray_operand *high, struct garray__range *r);

/* bins edges of one width over a range, of dtype `dtype`, computed as NumPy's linspace does: in float64, or, where `in` is
 * a narrower float, rounded to it at each step. */
garray_status garray__edges_even(const struct garray__range *r, int64_t bins, int in, int dtype, garray__device *device,
                                 struct garray__edges *e);

/* Edges that are given: waits. */
garray_status garray__edges_given(const garray_t *array, struct garray__edges *e);

/* The number of bins by a rule (histogram_rule.c), for x of one axis over a range; waits. */
garray_status garray__bins_by_rule(garray_bin_rule rule, const garray_t *x, const struct garray__range *r, int64_t *bins);

/* A number of bins from an operand; 10 if it is not given. */
garray_status garray__bins_number(const garray_operand *bins, int64_t *number);

/* Counts (weights NULL) or sums of the items of x, contiguous, into `bins` of int64 or float64. */
garray_status garray__histogram_run(const garray_t *x, const struct garray__edges *e, const garray_t *weights, garray_t *target);

/* places[i] = places[i] * bins + bin of x[i], or -1; both contiguous. */
garray_status garray__histogram_places(const garray_t *x, const struct garray__edges *e, garray_t *places);

/* Counts of int64 places, or sums: negative ones are left out. */
garray_status garray__histogram_values(const garray_t *x, int64_t bins, const garray_t *weights, garray_t *target,
                                       garray_t *extent);

/* x as one axis without gaps, aligned; DTYPE for complex. */
garray_status garray__histogram_items(const garray_t *x, const char *name, garray_t **items);

#endif
