/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms of single rows: taken as a matrix, columns and then rows of it on lanes; of lengths with large prime factors
 * by Bluestein's algorithm, as a convolution of a smooth length in double. */
#include <math.h>
#include <sched.h>
#include <string.h>
#include "cpu/fft_rows.h"

int garray__fft_slot_take(garray__fft_slots *slots)
{
    for (;;) {
        for (int i = 0; i < slots->count; i++)
            if (!atomic_load_explicit(&slots->busy[i], memory_order_relaxed) && !atomic_exchange(&slots->busy[i], true))
                return i;
        sched_yield();
    }
}

void garray__fft_slot_leave(garray__fft_slots *slots, int slot)
{
    atomic_store(&slots->busy[slot], false);
}

/* Of the two steps; a convolution has two rows of double items besides. */
int64_t garray__fft_matrix_size(const garray__fft_rows *rows, int width)
{
    if (rows->n1 == 0)
        return garray__fft_matrix_size(rows->convolution, GARRAY_FFT_POINT / 16) + 2 * rows->convolution->n * 16;
    return (rows->n1 + width - 1) / width * rows->n2 * GARRAY_FFT_POINT;
}

static void first_block(const garray__fft_row *r, int64_t block, char *work)
{
    const int width = r->kernels->width;
    const int64_t n1 = r->rows->n1, n2 = r->rows->n2, at = block * width;
    const int lanes = n2 - at < width ? (int)(n2 - at) : width;
    const garray__fft_side in = { .base = (char *)r->in + at * 2 * r->kernels->part, .row_step = n2, .lanes = lanes,
                                  .swap = r->inverse };
    const garray__fft_side points = { .base = work };
    r->kernels->run(r->rows->first, &in, &points, work + n1 * GARRAY_FFT_POINT);
    r->kernels->turn(r->matrix, work, r->rows, block, lanes);
}

static void second_block(const garray__fft_row *r, int64_t block, char *work)
{
    const int width = r->kernels->width;
    const int64_t n1 = r->rows->n1, n2 = r->rows->n2, at = block * width;
    const garray__fft_side points = { .base = r->matrix + block * n2 * GARRAY_FFT_POINT };
    const garray__fft_side out = { .base = (char *)r->out + at * 2 * r->kernels->part, .row_step = n1,
                                   .lanes = n1 - at < width ? (int)(n1 - at) : width, .swap = r->inverse,
                                   .scale = r->scale };
    r->kernels->run(r->rows->second, &points, &out, work);
}

static void first_step(void *ctx, int64_t begin, int64_t end)
{
    const garray__fft_row *r = ctx;
    const int slot = garray__fft_slot_take(r->slots);
    for (int64_t block = begin; block < end; block++)
        first_block(r, block, r->slots->memory + slot * r->slots->size);
    garray__fft_slot_leave(r->slots, slot);
}

static void second_step(void *ctx, int64_t begin, int64_t end)
{
    const garray__fft_row *r = ctx;
    const int slot = garray__fft_slot_take(r->slots);
    for (int64_t block = begin; block < end; block++)
        second_block(r, block, r->slots->memory + slot * r->slots->size);
    garray__fft_slot_leave(r->slots, slot);
}

/* ---- Bluestein --------------------------------------------------------------------------------------------- */
static double *convolved(const garray__fft_row *r)
{
    return (double *)(void *)(r->matrix + garray__fft_matrix_size(r->rows->convolution, GARRAY_FFT_POINT / 16));
}

enum { PIECE = 4096 };

static void chirp_in(void *ctx, int64_t begin, int64_t end)
{
    const garray__fft_row *r = ctx;
    const int64_t n = r->rows->n, cut = begin > n ? begin : end < n ? end : n;
    r->kernels->chirp_in(convolved(r), r->in, r->rows->chirp, r->inverse, begin, cut);
    memset(convolved(r) + 2 * cut, 0, (size_t)(end - cut) * 16);
}

static void chirp_spectrum(void *ctx, int64_t begin, int64_t end)
{
    const garray__fft_row *r = ctx;
    double *x = convolved(r) + 2 * r->rows->convolution->n;
    garray__fft_kernels_of(true, true)->chirp_in(x, x, r->rows->spectrum, false, begin, end);
}

static void chirp_out(void *ctx, int64_t begin, int64_t end)
{
    const garray__fft_row *r = ctx;
    r->kernels->chirp_out(r->out, convolved(r), r->rows->chirp, r->inverse, r->scale, begin, end);
}

static void run_chirp(const garray__fft_row *r)
{
    const int64_t n = r->rows->n, m = r->rows->convolution->n;
    garray__fft_row inner = { .rows = r->rows->convolution, .kernels = garray__fft_kernels_of(true, true), .in = convolved(r),
                              .out = convolved(r) + 2 * m, .scale = 1, .matrix = r->matrix, .slots = r->slots };
    garray__cpu_parallel(m, PIECE, (double)m, chirp_in, (void *)r);
    garray__fft_run_row(&inner);
    garray__cpu_parallel(m, PIECE, (double)m, chirp_spectrum, (void *)r);
    inner.in = convolved(r) + 2 * m;
    inner.out = convolved(r);
    inner.inverse = true;
    garray__fft_run_row(&inner);
    garray__cpu_parallel(n, PIECE, (double)n, chirp_out, (void *)r);
}

void garray__fft_run_row(const garray__fft_row *r)
{
    const int width = r->kernels->width;
    if (r->rows->n1 == 0) {
        run_chirp(r);
        return;
    }
    const double cost = (double)r->rows->n * log2((double)r->rows->n) * r->kernels->part / 80;
    garray__cpu_parallel((r->rows->n2 + width - 1) / width, 1, cost, first_step, (void *)r);
    garray__cpu_parallel((r->rows->n1 + width - 1) / width, 1, cost, second_step, (void *)r);
}

void garray__fft_transform_row(const garray__fft_rows *rows, const garray__fft_kernels *kernels, const void *in, void *out,
                               void *room)
{
    const int width = kernels->width;
    const garray__fft_row r = { .rows = rows, .kernels = kernels, .in = in, .out = out, .scale = 1, .matrix = room };
    char *work = (char *)room + garray__fft_matrix_size(rows, width);
    for (int64_t block = 0; block * width < rows->n2; block++)
        first_block(&r, block, work);
    for (int64_t block = 0; block * width < rows->n1; block++)
        second_block(&r, block, work);
}
