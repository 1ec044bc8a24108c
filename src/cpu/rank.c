/* SPDX-License-Identifier: BSD-3-Clause
 * The item of a rank in each window.  The rows of the input under a segment of outputs are brought into keys, zeros
 * where there is no input; the kernels select among them. */
#include "cpu/loops.h"
#include "cpu/window.h"

typedef struct job {
    const garray_window_plan *plan;
    const garray__rank_kernels *kernels;
    char *room;                 /* for each unit of work that runs: keys of rows, their addresses, room of the kernel */
    int64_t size, width, rows, unit_size, grain;
} job;

enum { ALIGN = 64 };

static int64_t rounded(int64_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* The keys under a segment of n outputs: of n + taps - 1 items, 0 where they are outside. */
static void load_row(const job *j, const garray__window_place *p, char *keys)
{
    static const uint64_t zero[2] = { 0, 0 };
    const garray_window_plan *plan = j->plan;
    const int last = plan->ndim - 1;
    const int64_t step = plan->in_strides[last], base = p->start - plan->origin[last], n = p->n + plan->window[last] - 1;
    int64_t low = base < 0 ? -base : 0, high = plan->in_shape[last] - base;
    high = high < n ? high : n;
    if (!p->in || low >= high)
        low = high = n;
    j->kernels->keys[plan->dtype](keys, (const char *)zero, 0, low);
    if (high > low)
        j->kernels->keys[plan->dtype](keys + low * j->size, p->in + (base + low) * step, step, high - low);
    j->kernels->keys[plan->dtype](keys + high * j->size, (const char *)zero, 0, n - high);
}

static void segments(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_window_plan *plan = j->plan;
    char *room = j->room + begin / j->grain * j->unit_size, *out = room + rounded(j->rows * j->width);
    const void **row = (const void **)(out + rounded(GARRAY_WINDOW_SEGMENT * 8));
    char *kernel = (char *)row + rounded(j->rows * 8);
    for (int64_t unit = begin; unit < end; unit++) {
        garray__window_place p;
        garray__window_begin(&p, plan, unit);
        do {
            row[p.row] = room + p.row * j->width;
            load_row(j, &p, room + p.row * j->width);
        } while (garray__window_next(&p));
        j->kernels->select[plan->dtype](out, row, j->rows, plan->window[plan->ndim - 1], plan->rank, kernel, p.n);
        j->kernels->items[plan->dtype](p.out, plan->out_strides[plan->ndim - 1], out, p.n);
    }
}

garray_status garray__cpu_rank(const garray__queue *q, const garray_window_plan *plan)
{
    const int64_t last = plan->window[plan->ndim - 1], units = garray__window_units(plan);
    const double work = (double)plan->count * (double)plan->taps;
    job j = { .plan = plan, .kernels = GARRAY_ISA_PICK(garray__cpu_rank_kernels), .size = garray__cpu_itemsize(plan->dtype),
              .rows = plan->taps / last };
    void *room = NULL;
    j.width = rounded((GARRAY_WINDOW_SEGMENT + last) * j.size);
    j.unit_size = rounded(j.rows * j.width) + rounded(GARRAY_WINDOW_SEGMENT * 8) + rounded(j.rows * 8) +
                  rounded((plan->taps + 2) * (ALIGN + 8));
    j.grain = (units + 63) / 64;    /* at most 64 parts, each with room of its own */
    garray_status st = garray__cpu_host->scratch(q, (size_t)((units + j.grain - 1) / j.grain * j.unit_size), &room);
    if (st != GARRAY_OK)
        return st;
    j.room = room;
    garray__cpu_parallel(units, j.grain, work, segments, &j);
    garray__cpu_host->scratch_free(q, room);
    return GARRAY_OK;
}
