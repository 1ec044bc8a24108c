/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms: lines on lanes or one by one, real ones by way of complex ones of half the length, on all threads. */
#include <math.h>
#include <string.h>
#include "cpu/fft_rows.h"

enum {
    LANES_LIMIT = 16384,        /* longer lines go one by one: on lanes they would leave the second-level cache */
    MATRIX_SHARED = 1 << 20,    /* rows with larger matrices share one among all threads */
    AHEAD = 8 << 10,            /* so much of the next row is called for */
    GATHERED = 8                /* columns that are brought into rows together */
};

typedef struct job {
    const garray_fft_plan *plan;
    const garray__fft_kept *kept, *real;        /* of `length`; of pairs of real items */
    const garray__fft_kernels *kernels, *same;  /* for kept; for its items without wider lanes */
    bool half, inverse;         /* half: n real items are n / 2 pairs */
    int part;                   /* bytes of a real item */
    int64_t length;             /* of the complex transform */
    int64_t in_count, out_count;        /* items of a line, in memory */
    int in_size, out_size;              /* their bytes */
    double sign;                /* of imaginary parts on the complex side of a real transform */
    int64_t across;             /* blocks of lanes in a row of columns */
    int64_t lines, columns;     /* one by one: all lines; columns gathered at once, 0 for rows */
    int64_t matrix, extra, gather_in, gather_out;       /* bytes within a slot */
    garray__fft_slots slots, line_slots;
} job;

static int64_t round_up(int64_t size)
{
    return (size + 63) & ~(int64_t)63;
}

/* ---- lines on lanes ------------------------------------------------------------------------------------------ */
/* The sides of a block: `width` neighbouring columns, or rows. */
static void open_sides(const job *j, int64_t block, garray__fft_side *in, garray__fft_side *out)
{
    const garray_fft_plan *p = j->plan;
    const int width = j->kernels->width;
    const int64_t outer = block / j->across, at = block % j->across * width;
    const bool rows = p->inner == 1;
    const int64_t left = (rows ? p->outer : p->inner) - at;
    *in = *out = (garray__fft_side){ .lanes = left < width ? (int)left : width, .scale = p->scale };
    if (rows) {
        in->base = (char *)p->in + at * j->in_count * j->in_size;
        out->base = (char *)p->out + at * j->out_count * j->out_size;
        in->row_step = j->in_count;
        out->row_step = j->out_count;
        return;
    }
    in->base = (char *)p->in + (outer * j->in_count * p->inner + at) * j->in_size;
    out->base = (char *)p->out + (outer * j->out_count * p->inner + at) * j->out_size;
    in->row_step = out->row_step = p->inner;
}

static void load_complex(const job *j, void *points, const garray__fft_side *side, int64_t count)
{
    (j->plan->inner == 1 ? j->kernels->load_rows : j->kernels->load_columns)(points, side, count);
}

static void store_complex(const job *j, const void *points, const garray__fft_side *side, int64_t count)
{
    (j->plan->inner == 1 ? j->kernels->store_rows : j->kernels->store_columns)(points, side, count);
}

static void complex_block(const job *j, garray__fft_side *in, garray__fft_side *out, char *x, char *y, char *work)
{
    const garray__fft_side from = { .base = x }, to = { .base = y };
    in->swap = out->swap = j->inverse;
    if (j->plan->inner > 1) {
        j->kernels->run(j->kept->lanes, in, out, work);
        return;
    }
    j->kernels->load_rows(x, in, j->length);
    j->kernels->run(j->kept->lanes, &from, &to, work);
    j->kernels->store_rows(y, out, j->length);
}

static void real_block(const job *j, garray__fft_side *in, garray__fft_side *out, char *x, char *y, char *work)
{
    const garray__fft_side from = { .base = x }, to = { .base = y };
    const bool rows = j->plan->inner == 1;
    if (j->half && rows) {
        in->row_step /= 2;
        j->kernels->load_rows(x, in, j->length);
    } else {
        in->swap = out->swap = !j->half && j->inverse;
        j->kernels->load_real(x, in, j->in_count, rows, j->half);
    }
    j->kernels->run(j->kept->lanes, &from, &to, work);
    if (j->half)
        j->kernels->untangle(y, j->length, j->real->turn, j->sign);
    store_complex(j, y, out, j->out_count);
}

static void hermitian_block(const job *j, garray__fft_side *in, garray__fft_side *out, char *x, char *y, char *work)
{
    const garray__fft_side from = { .base = x }, to = { .base = y };
    const bool rows = j->plan->inner == 1;
    load_complex(j, x, in, j->in_count);
    if (j->half)
        j->kernels->tangle(x, j->length, j->real->turn, j->sign);
    else
        j->kernels->extend(x, j->length, j->sign);
    j->kernels->run(j->kept->lanes, &from, &to, work);
    if (j->half && rows) {
        out->row_step /= 2;
        out->swap = 1;
        j->kernels->store_rows(y, out, j->length);
    } else {
        j->kernels->store_real(y, out, j->out_count, rows, j->half);
    }
}

static void lane_blocks(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const int slot = garray__fft_slot_take(&j->slots);
    char *x = j->slots.memory + slot * j->slots.size, *y = x + (j->length + 1) * GARRAY_FFT_POINT;
    char *work = y + (j->length + 1) * GARRAY_FFT_POINT;
    for (int64_t block = begin; block < end; block++) {
        garray__fft_side in, out;
        open_sides(j, block, &in, &out);
        (j->plan->kind == GARRAY_FFT_C2C   ? complex_block
         : j->plan->kind == GARRAY_FFT_R2C ? real_block
                                           : hermitian_block)(j, &in, &out, x, y, work);
    }
    garray__fft_slot_leave(&j->slots, slot);
}

/* ---- lines one by one ------------------------------------------------------------------------------------------- */
enum { PIECE = 8192 };

typedef struct line {
    const job *j;
    const char *in;
    char *out, *x, *y;          /* x, y: room for rows of complex items, where they are needed */
    garray__fft_row row;
} line;

static void untangle(void *ctx, int64_t begin, int64_t end)
{
    const line *l = ctx;
    const job *j = l->j;
    j->same->untangle_row(l->out, j->length, j->real->turn, j->plan->scale, j->sign, begin, end);
}

static void tangle(void *ctx, int64_t begin, int64_t end)
{
    const line *l = ctx;
    l->j->same->tangle_row(l->x, l->in, l->j->length, l->j->real->turn, l->j->sign, begin, end);
}

#define ODD_LINES(name, type)                                                                              \
    static void widen_##name(type *to, const type *from, int64_t n)                                        \
    {                                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                  \
            to[2 * i] = from[i];                                                                           \
            to[2 * i + 1] = 0;                                                                             \
        }                                                                                                  \
    }                                                                                                      \
    static void extend_##name(type *to, const type *from, int64_t n, type sign)                            \
    {                                                                                                      \
        to[0] = from[0];                                                                                   \
        to[1] = 0;                                                                                         \
        for (int64_t k = 1; k <= n / 2; k++) {                                                             \
            to[2 * k] = to[2 * (n - k)] = from[2 * k];                                                     \
            to[2 * k + 1] = from[2 * k + 1] * sign;                                                        \
            to[2 * (n - k) + 1] = -to[2 * k + 1];                                                          \
        }                                                                                                  \
    }                                                                                                      \
    static void narrow_##name(type *to, const type *from, int64_t n)                                       \
    {                                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                    \
            to[i] = from[2 * i];                                                                           \
    }
ODD_LINES(float, float)
ODD_LINES(double, double)

static void odd_real_line(line *l)
{
    const job *j = l->j;
    if (j->part == 8)
        widen_double((double *)(void *)l->x, (const double *)(const void *)l->in, j->length);
    else
        widen_float((float *)(void *)l->x, (const float *)(const void *)l->in, j->length);
    l->row.in = l->x;
    l->row.out = l->y;
    l->row.inverse = j->inverse;
    garray__fft_run_row(&l->row);
    memcpy(l->out, l->y, (size_t)(j->out_count * j->out_size));
}

static void odd_hermitian_line(line *l)
{
    const job *j = l->j;
    if (j->part == 8)
        extend_double((double *)(void *)l->x, (const double *)(const void *)l->in, j->length, j->sign);
    else
        extend_float((float *)(void *)l->x, (const float *)(const void *)l->in, j->length, (float)j->sign);
    l->row.in = l->x;
    l->row.out = l->y;
    l->row.inverse = true;
    garray__fft_run_row(&l->row);
    if (j->part == 8)
        narrow_double((double *)(void *)l->out, (const double *)(const void *)l->y, j->length);
    else
        narrow_float((float *)(void *)l->out, (const float *)(const void *)l->y, j->length);
}

/* slot: memory of the line. */
static void run_line(const job *j, const char *in, char *out, char *slot)
{
    const double cost = (double)j->length * 2;
    const int64_t pairs = j->length / 2 + 1;
    line l = { .j = j, .in = in, .out = out, .x = slot + j->matrix, .y = slot + j->matrix + j->extra / 2 };
    l.row = (garray__fft_row){ .rows = j->kept->rows, .kernels = j->kernels, .in = in, .out = out, .inverse = j->inverse,
                               .scale = j->plan->scale, .matrix = slot, .slots = (garray__fft_slots *)&j->slots };
    if (j->plan->kind == GARRAY_FFT_C2C) {
        garray__fft_run_row(&l.row);
    } else if (j->plan->kind == GARRAY_FFT_R2C && j->half) {
        l.row.inverse = false;
        l.row.scale = 1;
        garray__fft_run_row(&l.row);
        garray__cpu_parallel(pairs, PIECE, cost, untangle, &l);
    } else if (j->plan->kind == GARRAY_FFT_R2C) {
        odd_real_line(&l);
    } else if (j->half) {
        garray__cpu_parallel(pairs, PIECE, cost, tangle, &l);
        l.row.in = l.x;
        l.row.inverse = true;
        garray__fft_run_row(&l.row);
    } else {
        odd_hermitian_line(&l);
    }
}

/* Items of one size between columns, `step` apart, and rows. */
static void gather(char *to, const char *from, int64_t count, int64_t columns, int64_t step, int size)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < columns; c++)
            memcpy(to + (c * count + i) * size, from + (i * step + c) * size, (size_t)size);
}

static void scatter(char *to, const char *from, int64_t count, int64_t columns, int64_t step, int size)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < columns; c++)
            memcpy(to + (i * step + c) * size, from + (c * count + i) * size, (size_t)size);
}

/* Calls for the lines of the next row, which is read in an order that the processor does not foresee. */
static void call_ahead(const char *row, int64_t size)
{
    for (int64_t at = 0; at < size && at < AHEAD; at += 64)
        __builtin_prefetch(row + at, 0, 2);
}

/* begin, end: rows, or groups of columns. */
static void lines_one_by_one(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const garray_fft_plan *p = j->plan;
    const int slot = garray__fft_slot_take(&j->line_slots);
    char *memory = j->line_slots.memory + slot * j->line_slots.size;
    char *in = memory + j->matrix + j->extra, *out = in + j->gather_in;
    for (int64_t at = begin; at < end; at++) {
        if (!j->columns) {
            if (at + 1 < end)
                call_ahead((const char *)p->in + (at + 1) * j->in_count * j->in_size, j->in_count * j->in_size);
            run_line(j, (const char *)p->in + at * j->in_count * j->in_size, (char *)p->out + at * j->out_count * j->out_size,
                     memory);
            continue;
        }
        const int64_t groups = (p->inner + j->columns - 1) / j->columns, outer = at / groups, first = at % groups * j->columns;
        const int64_t columns = p->inner - first < j->columns ? p->inner - first : j->columns;
        gather(in, (const char *)p->in + (outer * j->in_count * p->inner + first) * j->in_size, j->in_count, columns, p->inner,
               j->in_size);
        for (int64_t c = 0; c < columns; c++)
            run_line(j, in + c * j->in_count * j->in_size, out + c * j->out_count * j->out_size, memory);
        scatter((char *)p->out + (outer * j->out_count * p->inner + first) * j->out_size, out, j->out_count, columns, p->inner,
                j->out_size);
    }
    garray__fft_slot_leave(&j->line_slots, slot);
}

/* ---- which of the two ---------------------------------------------------------------------------------------------- */
static bool is_for_lanes(const job *j)
{
    const garray_fft_plan *p = j->plan;
    const bool smooth = garray__fft_smooth(j->length), wide = j->part == 8 || !smooth;
    const int width = wide ? GARRAY_FFT_POINT / 16 : GARRAY_FFT_POINT / 8;
    const int64_t lines = p->inner == 1 ? p->outer : p->inner;
    const double empty = (double)((lines + width - 1) / width * width) / (double)lines;
    int64_t n1, n2;
    if (j->length < 16)
        return true;
    if (!smooth)
        return j->length <= GARRAY_FFT_CHIRP_LANES && empty < 2.5;
    if (j->length > LANES_LIMIT)
        return false;
    const double rows = garray__fft_factor_rows(j->length, width, &n1, &n2) + (p->inner == 1 ? 0 : 0.6);
    const double far = j->length * GARRAY_FFT_POINT > 1 << 19 ? 1.5 : 1;
    return empty * 0.98 * far <= rows;        /* rows are better by little where both factors fill the lanes */
}

static garray_status open_memory(const garray__queue *q, garray__fft_slots *slots, int64_t tasks, int64_t size)
{
    void *memory = NULL;
    int64_t count = garray__cpu_threads();
    count = count < tasks ? count : tasks;
    slots->count = count < GARRAY_FFT_SLOTS ? (int)count : GARRAY_FFT_SLOTS;
    slots->size = round_up(size) + 64;          /* not all at the same place of a page */
    garray_status st = garray__cpu_host->scratch(q, (size_t)(slots->count * slots->size), &memory);
    slots->memory = memory;
    return st;
}

static void close_memory(const garray__queue *q, garray__fft_slots *slots)
{
    if (slots->memory)
        garray__cpu_host->scratch_free(q, slots->memory);
}

/* Nanoseconds on one thread. */
static double cost_of(const job *j, double lines)
{
    double n = (double)j->length, chirp = garray__fft_smooth(j->length) ? 1 : 8;
    return lines * n * (1 + log2(n)) * chirp * j->part / 60;
}

static garray_status on_lanes(const garray__queue *q, job *j)
{
    const garray_fft_plan *p = j->plan;
    const int width = j->kernels->width;
    j->across = ((p->inner == 1 ? p->outer : p->inner) + width - 1) / width;
    const int64_t blocks = p->inner == 1 ? j->across : p->outer * j->across;
    const double cost = cost_of(j, (double)p->outer * (double)p->inner);
    int64_t grain = (int64_t)(30000 * (double)blocks / cost);
    grain = grain < 1 ? 1 : grain;
    garray_status st = open_memory(q, &j->slots, (blocks - 1) / grain + 1,
                                   2 * (j->length + 1) * GARRAY_FFT_POINT + j->kept->lanes->work);
    if (st == GARRAY_OK)
        garray__cpu_parallel(blocks, grain, cost, lane_blocks, j);
    close_memory(q, &j->slots);
    return st;
}

static garray_status one_by_one(const garray__queue *q, job *j)
{
    const garray_fft_plan *p = j->plan;
    const int64_t row = round_up(j->length * 2 * j->part);
    j->columns = p->inner == 1 ? 0 : p->inner < GATHERED ? p->inner : GATHERED;
    j->matrix = round_up(garray__fft_matrix_size(j->kept->rows, j->kernels->width));
    j->extra = p->kind == GARRAY_FFT_C2C ? 0 : !j->half ? 2 * row : p->kind == GARRAY_FFT_C2R ? row : 0;
    j->gather_in = round_up(j->columns * j->in_count * j->in_size);
    j->gather_out = round_up(j->columns * j->out_count * j->out_size);
    const int64_t tasks = j->columns ? p->outer * ((p->inner + j->columns - 1) / j->columns) : p->outer;
    const double cost = cost_of(j, (double)p->outer * (double)p->inner);
    const bool shared = j->matrix > MATRIX_SHARED || tasks == 1;
    int64_t grain = (int64_t)(30000 * (double)tasks / cost);
    grain = grain < 1 ? 1 : grain;
    garray_status st = open_memory(q, &j->slots, INT64_MAX, j->kept->rows->work);
    if (st == GARRAY_OK)
        st = open_memory(q, &j->line_slots, shared ? 1 : (tasks - 1) / grain + 1,
                         j->matrix + j->extra + j->gather_in + j->gather_out);
    if (st == GARRAY_OK && shared)
        lines_one_by_one(j, 0, tasks);
    else if (st == GARRAY_OK)
        garray__cpu_parallel(tasks, grain, cost, lines_one_by_one, j);
    close_memory(q, &j->line_slots);
    close_memory(q, &j->slots);
    return st;
}

garray_status garray__cpu_fft(const garray__queue *q, const garray_fft_plan *plan)
{
    job j = { .plan = plan, .inverse = plan->inverse, .part = plan->dtype == GARRAY_COMPLEX128 ? 8 : 4 };
    const bool is_double = j.part == 8;
    j.half = plan->kind != GARRAY_FFT_C2C && plan->n % 2 == 0;
    j.length = j.half ? plan->n / 2 : plan->n;
    j.in_count = plan->kind == GARRAY_FFT_C2R ? plan->n / 2 + 1 : plan->n;
    j.out_count = plan->kind == GARRAY_FFT_R2C ? plan->n / 2 + 1 : plan->n;
    j.in_size = plan->kind == GARRAY_FFT_R2C ? j.part : 2 * j.part;
    j.out_size = plan->kind == GARRAY_FFT_C2R ? j.part : 2 * j.part;
    j.sign = j.inverse == (plan->kind == GARRAY_FFT_C2R) ? 1 : -1;
    const bool lanes = is_for_lanes(&j);
    garray_status st = garray__fft_keep(lanes ? GARRAY_FFT_ON_LANES : GARRAY_FFT_ON_ROWS, j.length, is_double, &j.kept);
    if (st == GARRAY_OK && j.half)
        st = garray__fft_keep(GARRAY_FFT_REAL, j.length, lanes ? j.kept->on_double : is_double, &j.real);
    if (st == GARRAY_OK) {
        j.kernels = garray__fft_kernels_of(j.kept->on_double, is_double);
        j.same = garray__fft_kernels_of(is_double, is_double);
        st = lanes ? on_lanes(q, &j) : one_by_one(q, &j);
    }
    garray__fft_drop(j.real);
    garray__fft_drop(j.kept);
    return st;
}
