/* SPDX-License-Identifier: BSD-3-Clause
 * From arrays to elementwise plans: broadcasting, merging of axes, layout, splitting. */
#ifndef GARRAY_CORE_PLAN_H
#define GARRAY_CORE_PLAN_H

#include "core/array.h"

/* The broadcast of two shapes into `shape` (room for GARRAY_MAX_NDIM), which holds one already; SHAPE otherwise. */
garray_status garray__broadcast_shapes(int *ndim, int64_t *shape, int other_ndim, const int64_t *other);

/* Fills operand i of a plan with an array as it stands, broadcast to the plan's shape, or with a scalar's bits. */
struct garray__ew_input {
    const garray_t *array;          /* NULL: a scalar of `dtype` in bits */
    int dtype;
    uint64_t bits[2];
};

/* Makes the plan of op over inputs into out (whose shape is the broadcast shape). The inputs do not overlap out,
 * except exactly.  out->size is not 0. */
void garray__plan_elementwise(garray_ew_plan *plan, int op, int dtype, const garray_t *out, int nin,
                              const struct garray__ew_input *in);

/* Runs it, split as the backend wants it.  entry: GARRAY__ELEMENTWISE or GARRAY__CONVERT. */
garray_status garray__plan_run(int entry, garray_ew_plan *plan, const garray_t *out, int nin,
                               const struct garray__ew_input *in);

/* Sorts n axes by the strides of the first operand (then the next ones), makes its steps positive, drops axes of
 * length 1 and merges neighbours that one step describes for all operands.  strides[k] are the byte strides of
 * operand k, data[k] its pointer (may be NULL; moved when an axis is turned).  Returns the number of axes left; with
 * keep_order the axes stay in their order and are not turned. */
int garray__merge_axes(int n, int64_t *shape, int nop, int64_t *const *strides, char **data, bool keep_order);

#endif
