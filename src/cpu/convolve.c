/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of weighted windows.  A segment of outputs takes one row of the window after the other, whose input is brought
 * into the computing type first.  Outputs whose windows lie wholly within the row go through the fast loop; at the ends
 * each weight adds to the outputs that it has an item for. */
#include "cpu/loops.h"
#include "cpu/window.h"

enum { TAPS = 256 };            /* weights of a row that are used together: their items stay in the first cache */

typedef struct job {
    const garray_window_plan *plan;
    const garray__window_kernels *kernels;
    const char *weights, *weights_im;
    int64_t size;               /* bytes of a number */
} job;

typedef struct sums {
    char part[2][GARRAY_WINDOW_SEGMENT * 8] __attribute__((aligned(64)));
    char item[2][(GARRAY_WINDOW_SEGMENT + TAPS) * 8] __attribute__((aligned(64)));
} sums;

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Adds weights [k, k + taps) of the present row to the outputs [begin, end) of the segment; item 0 of the buffer is the one
 * under output 0 and weight k. */
static void add(const job *j, sums *s, int64_t weight, int64_t shift, int64_t taps, int64_t begin, int64_t end)
{
    const int64_t size = j->size;
    if (begin < end)
        j->kernels->sum[j->plan->dtype](s->part[0] + begin * size, s->part[1] + begin * size, s->item[0] + (begin + shift) * size,
                                        s->item[1] + (begin + shift) * size, j->weights + weight * size,
                                        j->weights_im + weight * size, taps, end - begin);
}

/* Weights k to k + taps of a row of the window, which begins at weight `first`. */
static void add_part(const job *j, sums *s, const garray__window_place *p, int64_t first, int64_t k, int64_t taps)
{
    const garray_window_plan *plan = j->plan;
    const int last = plan->ndim - 1;
    const int64_t length = plan->in_shape[last], step = plan->in_strides[last], size = j->size;
    const int64_t base = p->start + k - plan->origin[last];     /* the item under output 0 and weight k */
    const int64_t low = clamp(-base, 0, p->n + taps - 1), high = clamp(length - base, low, p->n + taps - 1);
    const int64_t left = clamp(-base, 0, p->n), right = clamp(length - base - taps + 1, left, p->n);
    if (low == high)
        return;
    j->kernels->load[plan->dtype](s->item[0] + low * size, s->item[1] + low * size, p->in + (base + low) * step, step,
                                  high - low);
    add(j, s, first + k, 0, taps, left, right);
    if (left == 0 && right == p->n)
        return;
    for (int64_t i = 0; i < taps; i++) {
        const int64_t begin = clamp(low - i, 0, p->n), end = clamp(high - i, begin, p->n);
        add(j, s, first + k + i, i, 1, begin, end < left ? end : left);
        add(j, s, first + k + i, i, 1, begin > right ? begin : right, end);
    }
}

static void segments(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_window_plan *plan = j->plan;
    const int64_t taps = plan->window[plan->ndim - 1];
    sums s;
    for (int64_t unit = begin; unit < end; unit++) {
        garray__window_place p;
        garray__window_begin(&p, plan, unit);
        memset(s.part[0], 0, (size_t)(p.n * j->size));
        memset(s.part[1], 0, (size_t)(p.n * j->size));
        do {
            for (int64_t k = 0; p.in && k < taps; k += TAPS)
                add_part(j, &s, &p, p.row * taps, k, taps - k < TAPS ? taps - k : TAPS);
        } while (garray__window_next(&p));
        j->kernels->store[plan->dtype](p.out, plan->out_strides[plan->ndim - 1], s.part[0], s.part[1], p.n);
    }
}

garray_status garray__cpu_convolve(const garray__queue *q, const garray_window_plan *plan)
{
    const int item = garray__cpu_itemsize(plan->dtype);
    const bool narrow = plan->dtype == GARRAY_FLOAT16 || plan->dtype == GARRAY_BFLOAT16;
    job j = { .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_window_kernels),
              .size = plan->dtype < GARRAY_FLOAT16 ? item : narrow ? 4 : 8 };
    const double work = (double)plan->count * (double)plan->taps;
    const int64_t units = garray__window_units(plan);
    void *weights = NULL;
    garray_status st = garray__cpu_host->scratch(q, (size_t)(2 * plan->taps * j.size), &weights);
    if (st != GARRAY_OK)
        return st;
    j.weights = weights;
    j.weights_im = j.weights + plan->taps * j.size;
    j.kernels->load[plan->dtype](weights, (char *)weights + plan->taps * j.size, plan->weights, item, plan->taps);
    /* about 50 us of work */
    const int64_t grain = (int64_t)clamp((int64_t)(200000 / (work / (double)units + 1)), 1, units);
    garray__cpu_parallel(units, grain, work * 0.25, segments, &j);
    garray__cpu_host->scratch_free(q, weights);
    return GARRAY_OK;
}
