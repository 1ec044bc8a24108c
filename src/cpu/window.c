/* SPDX-License-Identifier: BSD-3-Clause
 * The window entry: rows of outputs in segments, and the rows of the input that each needs. */
#include "cpu/window.h"

int64_t garray__window_units(const garray_window_plan *plan)
{
    const int64_t n = plan->out_shape[plan->ndim - 1];
    return plan->count / n * ((n + GARRAY_WINDOW_SEGMENT - 1) / GARRAY_WINDOW_SEGMENT);
}

/* The input's row under the present row of the window. */
static void find(garray__window_place *p)
{
    const garray_window_plan *plan = p->plan;
    p->in = plan->in;
    for (int d = 0; d < plan->ndim - 1; d++) {
        int64_t at = p->coord[d] + p->tap[d] - plan->origin[d];
        if (at < 0 || at >= plan->in_shape[d]) {
            p->in = NULL;
            return;
        }
        p->in += at * plan->in_strides[d];
    }
}

void garray__window_begin(garray__window_place *p, const garray_window_plan *plan, int64_t unit)
{
    const int last = plan->ndim - 1;
    const int64_t length = plan->out_shape[last], segments = (length + GARRAY_WINDOW_SEGMENT - 1) / GARRAY_WINDOW_SEGMENT;
    int64_t row = unit / segments;
    p->plan = plan;
    p->start = unit % segments * GARRAY_WINDOW_SEGMENT;
    p->n = length - p->start < GARRAY_WINDOW_SEGMENT ? length - p->start : GARRAY_WINDOW_SEGMENT;
    p->out = (char *)plan->out + p->start * plan->out_strides[last];
    p->row = 0;
    for (int d = last - 1; d >= 0; d--) {
        p->coord[d] = row % plan->out_shape[d];
        p->tap[d] = 0;
        p->out += p->coord[d] * plan->out_strides[d];
        row /= plan->out_shape[d];
    }
    find(p);
}

bool garray__window_next(garray__window_place *p)
{
    p->row++;
    for (int d = p->plan->ndim - 2; d >= 0; d--) {
        if (++p->tap[d] < p->plan->window[d]) {
            find(p);
            return true;
        }
        p->tap[d] = 0;
    }
    return false;
}

garray_status garray__cpu_window(const garray__queue *q, const garray_window_plan *plan)
{
    return plan->kind == GARRAY_WINDOW_SUM ? garray__cpu_convolve(q, plan) : garray__cpu_rank(q, plan);
}
