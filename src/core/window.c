/* SPDX-License-Identifier: BSD-3-Clause
 * Plans of windows.  Axes along which the window has one item at place 0 are only gone through: they merge where memory
 * allows, and come before the others unless the last one makes long rows. */
#include <string.h>
#include "core/submit.h"
#include "core/window.h"

enum { LONG_ROW = 32 };

typedef struct axis {
    int64_t in, out, window, origin, in_stride, out_stride;
} axis;

static bool passes(const axis *a)
{
    return a->window == 1 && a->origin == 0 && a->in == a->out;
}

/* Adds an axis behind the others, merged with the one before where both are only gone through. */
static int add(axis *list, int n, const axis *a)
{
    axis *before = n > 0 ? &list[n - 1] : NULL;
    if (passes(a) && a->out == 1)
        return n;
    if (before && passes(before) && passes(a) && before->in_stride == a->in_stride * a->in &&
        before->out_stride == a->out_stride * a->out) {
        before->in *= a->in;
        before->out *= a->out;
        before->in_stride = a->in_stride;
        before->out_stride = a->out_stride;
        return n;
    }
    list[n] = *a;
    return n + 1;
}

static int arrange(const garray_t *in, const garray_t *out, const int64_t *window, const int64_t *origin, axis *list)
{
    axis all[GARRAY_MAX_NDIM] = { { 0, 0, 0, 0, 0, 0 } };
    int ndim = in->ndim, n = 0;
    for (int i = 0; i < ndim; i++)
        all[i] = (axis){ in->shape[i], out->shape[i], window[i], origin[i], garray__strides(in)[i], garray__strides(out)[i] };
    bool inner = passes(&all[ndim - 1]) && all[ndim - 1].out < LONG_ROW;
    if (!inner) {
        for (int i = 0; i < ndim; i++)
            n = add(list, n, &all[i]);
    } else {
        for (int pass = 1; pass >= 0; pass--)
            for (int i = 0; i < ndim; i++)
                if (passes(&all[i]) == pass)
                    n = add(list, n, &all[i]);
    }
    if (n == 0) {
        list[0] = all[ndim - 1];
        n = 1;
    }
    return n;
}

static garray_status run(int kind, const garray_t *in, const garray_t *weights, const int64_t *window, const int64_t *origin,
                         int64_t rank, garray_t *out)
{
    axis list[GARRAY_MAX_NDIM];
    garray_window_plan plan;
    garray__uses uses;
    if (out->size == 0)
        return GARRAY_OK;
    plan.kind = kind;
    plan.dtype = in->dtype;
    plan.ndim = arrange(in, out, window, origin, list);
    plan.reserved = 0;
    plan.rank = rank;
    plan.in = in->data;
    plan.weights = weights ? weights->data : NULL;
    plan.out = out->data;
    plan.count = out->size;
    plan.taps = 1;
    for (int i = 0; i < plan.ndim; i++) {
        plan.in_shape[i] = list[i].in;
        plan.out_shape[i] = list[i].out;
        plan.window[i] = list[i].window;
        plan.origin[i] = list[i].origin;
        plan.in_strides[i] = list[i].in_stride;
        plan.out_strides[i] = list[i].out_stride;
        plan.taps *= list[i].window;
    }
    uses.device = garray__device_of(in);
    uses.nread = weights ? 2 : 1;
    uses.nwrite = 1;
    uses.read[0] = in->buffer;
    if (weights)
        uses.read[1] = weights->buffer;
    uses.write[0] = out->buffer;
    return garray__submit(GARRAY__WINDOW, &plan, &uses);
}

garray_status garray__window_sum(const garray_t *in, const garray_t *weights, const int64_t *origin, garray_t *out)
{
    return run(GARRAY_WINDOW_SUM, in, weights, weights->shape, origin, 0, out);
}

garray_status garray__window_rank(const garray_t *in, const int64_t *window, const int64_t *origin, int64_t rank, garray_t *out)
{
    return run(GARRAY_WINDOW_RANK, in, NULL, window, origin, rank, out);
}
