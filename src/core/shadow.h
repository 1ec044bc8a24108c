/* SPDX-License-Identifier: BSD-3-Clause
 * The shadow: GARRAY_SHADOW=cpu or cuda makes every plan run a second time, on that device, on copies of its memory.
 * Results that differ by more than the operation allows make the call fail and name the item and the plan.  With the
 * device that the program uses anyway it shows that a call gives the same bits again. */
#ifndef GARRAY_CORE_SHADOW_H
#define GARRAY_CORE_SHADOW_H

#include "core/submit.h"

/* Reads GARRAY_SHADOW. */
void garray__shadow_start(void);

typedef struct garray__shadow garray__shadow;

/* Before the plan runs on its device, whose stream waits for what the plan needs: keeps what it will read.
 * *shadow is NULL for what has no shadow: copies between devices, counting a mask, solvers. */
garray_status garray__shadow_before(garray__device *device, const garray__queue *queue, garray__entry entry, void *plan,
                                    garray__shadow **shadow);

/* After it, with its status: runs it on the other device, compares, frees the shadow.  Returns the status, or INTERNAL. */
garray_status garray__shadow_after(garray__shadow *shadow, garray_status status);

/* By how much results may differ (tolerance.c): ulps of the result's dtype and an absolute part; exact if both are 0.
 * Then the bits must agree, except that all NaN are one. */
typedef struct garray__tolerance {
    double ulps, absolute;
} garray__tolerance;

/* largest: of the magnitudes of the items of each span before the plan ran (0 for spans that are not floats). */
garray__tolerance garray__plan_tolerance(garray__entry entry, const void *plan, const double *largest);

/* The magnitude of an item (of a complex one that of its larger part); 0 for NaN, infinity and what is no float. */
double garray__magnitude(int dtype, const void *item);

#endif
