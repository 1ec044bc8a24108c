/* SPDX-License-Identifier: BSD-3-Clause
 * The bin of a number, for both backends: a guess by arithmetic where edges lie evenly, which is right unless an edge is
 * near; and the search among the edges, which decides. */
#ifndef GARRAY_CORE_BINS_H
#define GARRAY_CORE_BINS_H

#include <float.h>
#include <math.h>
#include "core/backend.h"
#include "core/inline.h"

/* What the guess needs, made from a plan.  Bin k is certain if the guess, (v - first) * scale, is further than slack from
 * whole numbers; a slack of 1 makes none so.  The numbers ending in f are for items that float holds. */
typedef struct garray__bins {
    const double *edges;
    int64_t bins;
    double first, last, scale, slack;
    float first_f, low_f, high_f, scale_f, slack_f;     /* low_f and high_f: the first and last float between the edges */
    int32_t uniform;
} garray__bins;

/* Whether the guess may be made in float: its items are exact there, and the bins are not too narrow. */
static inline bool garray__bins_take_float(const garray__bins *b, int dtype)
{
    switch (dtype) {
    case GARRAY_BOOL:
    case GARRAY_INT8:
    case GARRAY_UINT8:
    case GARRAY_INT16:
    case GARRAY_UINT16:
    case GARRAY_FLOAT16:
    case GARRAY_BFLOAT16:
    case GARRAY_FLOAT32: return b->uniform && b->slack_f < 1;
    default: return false;
    }
}

/* The bin among edges of a number between the outer ones: the last bin whose lower edge is not above it. */
GARRAY_FN int64_t garray__bin_search(const double *edges, int64_t bins, double v)
{
    int64_t low = 0, high = bins;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (edges[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The bin of any number, or -1. */
GARRAY_FN int64_t garray__bin_of(const garray__bins *b, double v)
{
    if (!b->uniform) {
        if (!(v >= b->edges[0] && v <= b->edges[b->bins]))
            return -1;
        return garray__bin_search(b->edges, b->bins, v);
    }
    if (!(v >= b->first && v <= b->last))
        return -1;
    const double t = (v - b->first) * b->scale;
    const int64_t k = t < (double)b->bins ? (int64_t)t : b->bins - 1;       /* t is not negative; NaN comes last */
    if (b->edges[k] <= v && (k == b->bins - 1 || v < b->edges[k + 1]))
        return k;
    return garray__bin_search(b->edges, b->bins, v);
}

#ifndef __CUDACC__
static inline garray__bins garray__bins_of(const garray_histogram_plan *p)
{
    garray__bins b = { .edges = p->edges, .bins = p->bins, .first = p->first, .last = p->last, .slack = 1, .slack_f = 1 };
    b.uniform = p->kind == GARRAY_HISTOGRAM_UNIFORM;
    if (!b.uniform)
        return b;
    const double width = p->last - p->first, most = fmax(fabs(p->first), fabs(p->last));
    b.scale = (double)p->bins / width;
    b.first_f = (float)p->first;
    b.low_f = (float)p->first;
    if ((double)b.low_f < p->first)
        b.low_f = nextafterf(b.low_f, INFINITY);
    b.high_f = (float)p->last;
    if ((double)b.high_f > p->last)
        b.high_f = nextafterf(b.high_f, -INFINITY);
    b.scale_f = (float)b.scale;
    /* what the guess is off by rounding (of the difference, the scale and the product), in bins, and what the edges are off from
     * where they would lie evenly */
    const double slack = (double)p->bins * 0x1p-49 + p->deviation * b.scale;
    const double slack_f = (double)p->bins * 0x1p-22 + (p->deviation + most * 0x1p-23) * b.scale;
    if (b.scale < DBL_MAX && b.scale > DBL_MIN && slack < 0.4)
        b.slack = slack;
    if (b.scale < FLT_MAX / 4 && b.scale > FLT_MIN && most < FLT_MAX / 4 && slack_f < 0.1)
        b.slack_f = (float)slack_f;
    return b;
}
#endif

#endif
