/* SPDX-License-Identifier: BSD-3-Clause
 * Small host helpers of the entries that use scratch memory. */
#ifndef GARRAY_CUDA_SCRATCH_H
#define GARRAY_CUDA_SCRATCH_H

#include <string.h>
#include "cuda/axis.h"
#include "cuda/graph.h"

/* Scratch memory of one call: the areas that were taken are freed together, on every way out. */
typedef struct garray__scratch {
    const garray__queue *q;
    int count;
    void *area[40];
} garray__scratch;

static inline garray_status garray__scratch_take(garray__scratch *s, size_t size, void **ptr)
{
    *ptr = NULL;
    if (s->count == (int)(sizeof s->area / sizeof *s->area))
        return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "too many scratch areas");
    const garray_status status = garray__cuda_host->scratch(s->q, size > 0 ? size : 1, ptr);
    if (status == GARRAY_OK)
        s->area[s->count++] = *ptr;
    return status;
}

static inline void garray__scratch_drop(garray__scratch *s)
{
    while (s->count > 0)
        garray__cuda_host->scratch_free(s->q, s->area[--s->count]);
}

/* Copies the axes into the arguments, or, where they are too many, into scratch memory that *far then names. */
static inline garray_status garray__cuda_place_axes(const garray__queue *q, const garray__axis *axes, int n,
                                                    garray__axis *near_axes, void **far_axes)
{
    *far_axes = NULL;
    if (n <= GARRAY_CUDA_INLINE_AXES) {
        memcpy(near_axes, axes, (size_t)n * sizeof *axes);
        return GARRAY_OK;
    }
    GARRAY_CUDA_TRY(garray__cuda_host->scratch(q, (size_t)n * sizeof *axes, far_axes));
    const garray_status status = garray__cuda_place(q, *far_axes, axes, (size_t)n * sizeof *axes);
    if (status != GARRAY_OK) {
        garray__cuda_host->scratch_free(q, *far_axes);
        *far_axes = NULL;
    }
    return status;
}

#endif
