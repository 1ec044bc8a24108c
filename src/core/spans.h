/* SPDX-License-Identifier: BSD-3-Clause
 * What memory a plan touches: every pointer in it, with the items behind it.  So a plan can be moved to other
 * memory, printed, and its results compared, without knowing what it computes. */
#ifndef GARRAY_CORE_SPANS_H
#define GARRAY_CORE_SPANS_H

#include "core/submit.h"

/* The items behind one pointer: up to two groups of axes, each with byte strides. */
typedef struct garray__span {
    size_t slot;                    /* where in the plan the pointer is */
    const char *name;               /* "out", "in", "mask" ... */
    int32_t dtype;                  /* 0: items are itemsize bytes of any kind */
    int32_t itemsize;
    bool reads, writes;
    bool gaps;                      /* written here and there: all items between the first and the last count */
    int ngroups, n[2];
    const int64_t *shape[2], *strides[2];   /* of the plan, or of own */
    int64_t own_shape[GARRAY_INDEX_ARRAYS], own_strides[GARRAY_INDEX_ARRAYS];
} garray__span;

#define GARRAY__SPANS (GARRAY_MAX_NDIM + 2)

typedef struct garray__spans {
    int n;
    garray__span span[GARRAY__SPANS];
    int64_t scaled[3][GARRAY_MAX_NDIM];     /* strides that the plan has in items */
} garray__spans;

/* The spans of a plan, which must live as long as they; a pointer that is NULL has none.  False for an entry whose
 * memory is not described here. */
bool garray__plan_spans(garray__entry entry, const void *plan, garray__spans *spans);

/* sizeof the plan struct of an entry. */
size_t garray__plan_size(garray__entry entry);

static inline void *garray__span_pointer(const void *plan, const garray__span *s)
{
    return *(void *const *)((const char *)plan + s->slot);
}

/* The bytes [*low, *high) around the pointer that the span may touch; equal if there are no items. */
void garray__span_bytes(const garray__span *s, int64_t *low, int64_t *high);

/* "out float32 (2, 3) strides (12, 4)", as snprintf. */
int garray__span_text(const garray__span *s, char *text, size_t size);

#endif
