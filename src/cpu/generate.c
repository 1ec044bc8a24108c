/* SPDX-License-Identifier: BSD-3-Clause
 * The generate entry: arange, linspace, eye and numbers of runs, made in chunks of int64 or float64 and cast to the
 * output's dtype. */
#include <math.h>
#include <string.h>
#include "cpu/loops.h"

enum { CHUNK = 512 };

static bool is_integer(int dtype)
{
    return dtype >= GARRAY_BOOL && dtype <= GARRAY_UINT64;
}

/* ---- arange and linspace ------------------------------------------------------------------------------- */
static void integers(const garray_gen_plan *p, char *out, int64_t begin, int64_t n)
{
    int64_t v[CHUNK];
    for (int64_t i = 0; i < n; i++)
        v[i] = (int64_t)((uint64_t)p->ifirst + (uint64_t)(begin + i) * (uint64_t)p->istep);
    garray__cpu_dtypes[GARRAY_INT64]->cast[p->dtype](out, v, n);
}

static void ramp(double *v, const garray_gen_plan *p, double first, double step, double last, int64_t begin,
                 int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double offset = (double)(begin + i) * step;
        v[i] = first + offset;
    }
    if (p->has_last && begin + n == p->count && p->count > 1)
        v[n - 1] = last;
}

static void floats(const garray_gen_plan *p, char *out, int64_t begin, int64_t n)
{
    double re[CHUNK], im[CHUNK], both[2 * CHUNK];
    ramp(re, p, p->first, p->step, p->last, begin, n);
    if (p->dtype != GARRAY_BOOL && is_integer(p->dtype))       /* integers of a linspace are floored, as NumPy's */
        for (int64_t i = 0; i < n; i++)
            re[i] = floor(re[i]);
    if (p->dtype != GARRAY_COMPLEX64 && p->dtype != GARRAY_COMPLEX128) {
        garray__cpu_dtypes[GARRAY_FLOAT64]->cast[p->dtype](out, re, n);
        return;
    }
    ramp(im, p, p->first_im, p->step_im, p->last_im, begin, n);
    for (int64_t i = 0; i < n; i++) {
        both[2 * i] = re[i];
        both[2 * i + 1] = im[i];
    }
    garray__cpu_dtypes[GARRAY_COMPLEX128]->cast[p->dtype](out, both, n);
}

static void fill_range(void *ctx, int64_t begin, int64_t end)
{
    const garray_gen_plan *p = ctx;
    const int itemsize = garray__cpu_itemsize(p->dtype);
    for (int64_t i = begin; i < end; i += CHUNK) {
        int64_t n = end - i < CHUNK ? end - i : CHUNK;
        char *out = (char *)p->out + i * itemsize;
        if (p->kind == GARRAY_GEN_ARANGE && is_integer(p->dtype))
            integers(p, out, i, n);
        else
            floats(p, out, i, n);
    }
}

/* ---- eye ----------------------------------------------------------------------------------------------- */
/* Rows [begin, end): zeros, and a one where column - row is k. */
static void eye_rows(void *ctx, int64_t begin, int64_t end)
{
    const garray_gen_plan *p = ctx;
    const int itemsize = garray__cpu_itemsize(p->dtype);
    char one[16];
    const uint8_t truth = 1;
    garray__cpu_dtypes[GARRAY_BOOL]->cast[p->dtype](one, &truth, 1);
    memset((char *)p->out + begin * p->columns * itemsize, 0,
           (size_t)((end - begin) * p->columns * itemsize));
    for (int64_t row = begin; row < end; row++) {
        /* k may be any number: compared, not added, where the sum could overflow. */
        if (p->k >= p->columns || p->k < -row || row + p->k >= p->columns)
            continue;
        memcpy((char *)p->out + (row * p->columns + row + p->k) * itemsize, one, (size_t)itemsize);
    }
}

/* ---- numbers of runs ----------------------------------------------------------------------------------- */
static void run_numbers(void *ctx, int64_t begin, int64_t end)
{
    const garray_gen_plan *p = ctx;
    int64_t *out = p->out, low = 0, high = p->nends - 1;
    while (low < high) {            /* the first run that ends behind begin */
        int64_t middle = low + (high - low) / 2;
        if (p->ends[middle] > begin)
            high = middle;
        else
            low = middle + 1;
    }
    for (int64_t i = begin; i < end; low++) {
        int64_t stop = p->ends[low] < end ? p->ends[low] : end;
        for (; i < stop; i++)
            out[i] = low;
    }
}

garray_status garray__cpu_generate(const garray__queue *q, const garray_gen_plan *plan)
{
    if (plan->kind == GARRAY_GEN_EYE) {
        int64_t rows = plan->count / plan->columns, grain = 262144 / plan->columns;
        garray__cpu_parallel(rows, grain < 1 ? 1 : grain, 0.2 * (double)plan->count, eye_rows, (void *)plan);
        return GARRAY_OK;
    }
    if (plan->kind == GARRAY_GEN_RUNS) {
        garray__cpu_parallel(plan->count, 32768, 0.5 * (double)(plan->count + plan->nends), run_numbers, (void *)plan);
        return GARRAY_OK;
    }
    if (plan->kind != GARRAY_GEN_ARANGE && plan->kind != GARRAY_GEN_LINSPACE)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "generate: no kind %d", plan->kind);
    garray__cpu_parallel(plan->count, 32768, 0.5 * (double)plan->count, fill_range, (void *)plan);
    return GARRAY_OK;
}
