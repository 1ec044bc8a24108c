/* SPDX-License-Identifier: BSD-3-Clause
 * The memory of each kind of plan.  A new kind of plan gets its lines here. */
#include <stddef.h>
#include <stdio.h>
#include "core/dtype.h"
#include "core/spans.h"

enum { READS = 1, WRITES = 2 };

typedef struct list {
    garray__spans *spans;
    const void *plan;
} list;

/* The next span, or NULL if its pointer is. */
static garray__span *add(list *l, size_t slot, const char *name, int dtype, int use)
{
    garray__span *s = &l->spans->span[l->spans->n];
    *s = (garray__span){ .slot = slot, .name = name, .dtype = dtype, .reads = (use & READS) != 0,
                         .writes = (use & WRITES) != 0 };
    s->itemsize = garray__is_dtype(dtype) ? garray__size_of(dtype) : 1;
    if (!garray__span_pointer(l->plan, s))
        return NULL;
    l->spans->n++;
    return s;
}

static void axes(garray__span *s, int n, const int64_t *shape, const int64_t *strides)
{
    if (!s)
        return;
    s->n[s->ngroups] = n;
    s->shape[s->ngroups] = shape;
    s->strides[s->ngroups] = strides;
    s->ngroups++;
}

/* Items side by side. */
static void items(garray__span *s, int64_t count)
{
    if (!s)
        return;
    s->own_shape[0] = count;
    s->own_strides[0] = s->itemsize;
    axes(s, 1, s->own_shape, s->own_strides);
}

/* outer x n x inner items. */
static void lines(garray__span *s, int64_t outer, int64_t n, int64_t inner, const int64_t *strides)
{
    if (!s)
        return;
    s->own_shape[0] = outer;
    s->own_shape[1] = n;
    s->own_shape[2] = inner;
    axes(s, 3, s->own_shape, strides);
}

static void elementwise(list *l, const void *plan)
{
    const garray_ew_plan *p = plan;
    static const char *const names[GARRAY_EW_OPERANDS] = { "out", "in1", "in2", "in3" };
    for (int i = 0; i < p->nop; i++)
        axes(add(l, offsetof(garray_ew_plan, operand) + (size_t)i * sizeof(garray_ew_operand) +
                        offsetof(garray_ew_operand, data),
                 names[i], p->operand[i].dtype, i == 0 ? WRITES : READS),
             p->ndim, p->shape, p->operand[i].strides);
}

static int reduced_dtype(const garray_reduce_plan *p)
{
    switch (p->op) {
    case GARRAY_RED_ANY:
    case GARRAY_RED_ALL:
        return GARRAY_BOOL;
    case GARRAY_RED_COUNT_NONZERO:
    case GARRAY_RED_ARGMIN:
    case GARRAY_RED_ARGMAX:
        return GARRAY_INT64;
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD:
        return garray__real_of(p->acc_dtype);
    default:
        return p->acc_dtype;
    }
}

static void reduce(list *l, const void *plan)
{
    const garray_reduce_plan *p = plan;
    axes(add(l, offsetof(garray_reduce_plan, out), "out", reduced_dtype(p), WRITES), p->nkeep, p->keep_shape, p->out_keep);
    garray__span *in = add(l, offsetof(garray_reduce_plan, in), "in", p->in_dtype, READS);
    axes(in, p->nkeep, p->keep_shape, p->in_keep);
    axes(in, p->nred, p->red_shape, p->in_red);
    garray__span *mask = add(l, offsetof(garray_reduce_plan, mask), "where", GARRAY_BOOL, READS);
    axes(mask, p->nkeep, p->keep_shape, p->mask_keep);
    axes(mask, p->nred, p->red_shape, p->mask_red);
}

static void scan(list *l, const void *plan)
{
    const garray_scan_plan *p = plan;
    lines(add(l, offsetof(garray_scan_plan, out), "out", p->dtype, WRITES), p->outer, p->n, p->inner, p->out_strides);
    lines(add(l, offsetof(garray_scan_plan, in), "in", p->dtype, READS), p->outer, p->n, p->inner, p->in_strides);
}

static void sort(list *l, const void *plan)
{
    const garray_sort_plan *p = plan;
    int64_t out = p->rows * (p->kind == GARRAY_SORT_TOPK || p->kind == GARRAY_SORT_PICK ? p->k : p->n);
    items(add(l, offsetof(garray_sort_plan, values), "values", p->dtype, WRITES), out);
    items(add(l, offsetof(garray_sort_plan, indices), "indices", GARRAY_INT64, WRITES), out);
    items(add(l, offsetof(garray_sort_plan, in), "in", p->dtype, READS), p->rows * p->n);
}

static void search(list *l, const void *plan)
{
    const garray_search_plan *p = plan;
    items(add(l, offsetof(garray_search_plan, out), "out", p->kind == GARRAY_SEARCH_FOUND ? GARRAY_BOOL : GARRAY_INT64, WRITES),
          p->count);
    items(add(l, offsetof(garray_search_plan, sorted), "sorted", p->dtype, READS), p->n);
    items(add(l, offsetof(garray_search_plan, values), "values", p->dtype, READS), p->count);
}

static void indexed(list *l, const void *plan)
{
    const garray_index_plan *p = plan;
    bool scatter = p->kind != GARRAY_INDEX_GATHER;
    int dtype = p->kind == GARRAY_INDEX_COMBINE ? p->dtype : 0;     /* moves know no dtype, only bytes */
    garray__span *values = add(l, offsetof(garray_index_plan, values), "values", dtype, scatter ? READS : WRITES);
    axes(values, p->ndim, p->shape, p->value_strides);
    garray__span *base = add(l, offsetof(garray_index_plan, base), "base", dtype, scatter ? READS | WRITES : READS);
    if (base) {
        axes(base, p->ndim, p->shape, p->base_strides);
        for (int i = 0; i < p->narrays; i++) {
            base->own_shape[i] = p->array[i].length;
            base->own_strides[i] = p->array[i].step;
        }
        axes(base, p->narrays, base->own_shape, base->own_strides);
        base->gaps = true;
        base->itemsize = p->itemsize;
    }
    if (values)
        values->itemsize = p->itemsize;
    for (int i = 0; i < p->narrays; i++)
        axes(add(l, offsetof(garray_index_plan, array) + (size_t)i * sizeof(garray_index_operand) +
                        offsetof(garray_index_operand, data),
                 "index", p->array[i].dtype, READS),
             p->ndim, p->shape, p->array[i].strides);
}

static void select_rows(list *l, const void *plan)
{
    const garray_select_plan *p = plan;
    items(add(l, offsetof(garray_select_plan, mask), "mask", GARRAY_BOOL, READS), p->n);
    int outs = p->kind == GARRAY_SELECT_INDEX ? p->ndim : 1;
    for (int i = 0; i < outs; i++) {
        size_t slot = offsetof(garray_select_plan, out) + (size_t)i * sizeof(void *);
        if (p->kind == GARRAY_SELECT_INDEX)
            items(add(l, slot, "out", GARRAY_INT64, WRITES), p->count);
        else
            items(add(l, slot, "out", 0, WRITES), p->count * p->row_bytes);
    }
    if (p->kind == GARRAY_SELECT_ROWS)
        items(add(l, offsetof(garray_select_plan, in), "in", 0, READS), p->n * p->row_bytes);
}

static void histogram(list *l, const void *plan)
{
    const garray_histogram_plan *p = plan;
    items(add(l, offsetof(garray_histogram_plan, in), "in", p->dtype, READS), p->n);
    items(add(l, offsetof(garray_histogram_plan, edges), "edges", GARRAY_FLOAT64, READS), p->bins + 1);
    items(add(l, offsetof(garray_histogram_plan, weights), "weights", GARRAY_FLOAT64, READS), p->n);
    items(add(l, offsetof(garray_histogram_plan, counts), "counts", GARRAY_INT64, WRITES), p->bins);
    items(add(l, offsetof(garray_histogram_plan, sums), "sums", GARRAY_FLOAT64, WRITES), p->bins);
    items(add(l, offsetof(garray_histogram_plan, places), "places", GARRAY_INT64, READS | WRITES), p->n);
    items(add(l, offsetof(garray_histogram_plan, extent), "extent", GARRAY_INT64, WRITES), 2);
}

static void matrix(garray__span *s, int nbatch, const int64_t *batch_shape, const int64_t *batch, int64_t rows, int64_t cols,
                   int64_t row, int64_t col, int64_t *scaled)
{
    if (!s)
        return;
    s->own_shape[0] = rows;
    s->own_shape[1] = cols;
    s->own_strides[0] = row * s->itemsize;
    s->own_strides[1] = col * s->itemsize;
    for (int i = 0; i < nbatch; i++)
        scaled[i] = batch[i] * s->itemsize;
    axes(s, nbatch, batch_shape, scaled);
    axes(s, 2, s->own_shape, s->own_strides);
}

static void matmul(list *l, const void *plan)
{
    const garray_matmul_plan *p = plan;
    bool adds = p->beta[0] != 0 || p->beta[1] != 0;
    matrix(add(l, offsetof(garray_matmul_plan, c), "c", p->dtype, adds ? READS | WRITES : WRITES), p->nbatch, p->batch_shape,
           p->c_batch, p->m, p->n, p->c_row, 1, l->spans->scaled[0]);
    matrix(add(l, offsetof(garray_matmul_plan, a), "a", p->dtype, READS), p->nbatch, p->batch_shape, p->a_batch, p->m, p->k,
           p->a_row, p->a_col, l->spans->scaled[1]);
    matrix(add(l, offsetof(garray_matmul_plan, b), "b", p->dtype, READS), p->nbatch, p->batch_shape, p->b_batch, p->k, p->n,
           p->b_row, p->b_col, l->spans->scaled[2]);
}

static void transformed(list *l, const void *plan)
{
    const garray_fft_plan *p = plan;
    int real = garray__real_of(p->dtype);
    int64_t lines = p->outer * p->inner, half = p->n / 2 + 1;
    bool in_place = p->in == p->out;
    items(add(l, offsetof(garray_fft_plan, out), "out", p->kind == GARRAY_FFT_C2R ? real : p->dtype,
              in_place ? READS | WRITES : WRITES), lines * (p->kind == GARRAY_FFT_R2C ? half : p->n));
    items(add(l, offsetof(garray_fft_plan, in), "in", p->kind == GARRAY_FFT_R2C ? real : p->dtype, READS),
          lines * (p->kind == GARRAY_FFT_C2R ? half : p->n));
}

static void window(list *l, const void *plan)
{
    const garray_window_plan *p = plan;
    axes(add(l, offsetof(garray_window_plan, out), "out", p->dtype, WRITES), p->ndim, p->out_shape, p->out_strides);
    axes(add(l, offsetof(garray_window_plan, in), "in", p->dtype, READS), p->ndim, p->in_shape, p->in_strides);
    items(add(l, offsetof(garray_window_plan, weights), "weights", p->dtype, READS), p->taps);
}

static void evaluate(list *l, const void *plan)
{
    const garray_evaluate_plan *p = plan;
    bool broken = p->kind == GARRAY_EVALUATE_LINES;
    items(add(l, offsetof(garray_evaluate_plan, out), "out", p->dtype, WRITES), p->count);
    items(add(l, offsetof(garray_evaluate_plan, x), "x", broken ? GARRAY_FLOAT64 : p->dtype, READS), p->count);
    items(add(l, offsetof(garray_evaluate_plan, table), "table", p->dtype, READS), p->n);
    items(add(l, offsetof(garray_evaluate_plan, points), "points", GARRAY_FLOAT64, READS), p->n);
}

static void recur(list *l, const void *plan)
{
    const garray_recur_plan *p = plan;
    int wide = garray__kind_of(p->dtype) == GARRAY__K_COMPLEX ? GARRAY_COMPLEX128 : GARRAY_FLOAT64;
    lines(add(l, offsetof(garray_recur_plan, out), "out", p->dtype, WRITES), p->outer, p->n, p->inner, p->out_strides);
    lines(add(l, offsetof(garray_recur_plan, in), "in", p->dtype, READS), p->outer, p->n, p->inner, p->in_strides);
    items(add(l, offsetof(garray_recur_plan, b), "b", wide, READS), p->order + 1);
    items(add(l, offsetof(garray_recur_plan, a), "a", wide, READS), p->order + 1);
    items(add(l, offsetof(garray_recur_plan, first), "first", wide, READS), p->outer * p->inner * p->order);
    items(add(l, offsetof(garray_recur_plan, last), "last", wide, WRITES), p->outer * p->inner * p->order);
}

static void copied(list *l, const void *plan)
{
    const garray_copy_plan *p = plan;
    items(add(l, offsetof(garray_copy_plan, dst), "to", 0, WRITES), (int64_t)p->size);
    items(add(l, offsetof(garray_copy_plan, src), "from", 0, READS), (int64_t)p->size);
}

/* QR, SVD and eig: m x n in, their own results out. */
static void decomposition(list *l, const garray_solve_plan *p)
{
    bool eig = p->kind == GARRAY_SOLVE_EIG, raw = p->kind == GARRAY_SOLVE_QR_RAW, qr = p->kind == GARRAY_SOLVE_QR;
    int64_t m = eig ? p->n : p->m, k = m < p->n ? m : p->n, rows = p->full ? m : k;
    int complex = p->dtype == GARRAY_FLOAT32 ? GARRAY_COMPLEX64 : p->dtype == GARRAY_FLOAT64 ? GARRAY_COMPLEX128 : p->dtype;
    items(add(l, offsetof(garray_solve_plan, a), "a", p->dtype, READS | WRITES), p->batch * m * p->n);
    items(add(l, offsetof(garray_solve_plan, w), "w", eig ? complex : garray__real_of(p->dtype), WRITES), p->batch * k);
    items(add(l, offsetof(garray_solve_plan, c), "c", eig ? complex : p->dtype, WRITES),
          p->batch * m * (raw || eig ? p->n : rows));
    items(add(l, offsetof(garray_solve_plan, d), "d", p->dtype, WRITES),
          p->batch * (raw ? k : (qr ? rows : p->full ? p->n : k) * p->n));
}

static void solve(list *l, const void *plan)
{
    const garray_solve_plan *p = plan;
    if (p->kind >= GARRAY_SOLVE_SVD) {
        decomposition(l, p);
        return;
    }
    const bool is_lu = p->kind == GARRAY_SOLVE_LU, is_order = p->kind == GARRAY_SOLVE_PERMUTATION;
    const int64_t rows = is_lu ? p->m : p->n, pivots = is_order ? p->nrhs : rows < p->n ? rows : p->n;
    const int64_t right = p->kind == GARRAY_SOLVE_DETERMINANT ? 1
                          : p->kind == GARRAY_SOLVE_CHOLESKY || p->kind == GARRAY_SOLVE_INVERSE ? p->n * p->n : p->n * p->nrhs;
    const int a = is_lu || p->kind == GARRAY_SOLVE_EIGH ? READS | WRITES : READS;
    const int b = p->kind == GARRAY_SOLVE_LINEAR || p->kind == GARRAY_SOLVE_TRIANGULAR ? READS | WRITES : WRITES;
    items(add(l, offsetof(garray_solve_plan, a), "a", p->dtype, a), p->batch * rows * p->n);
    items(add(l, offsetof(garray_solve_plan, b), "b", p->dtype, b), p->batch * right);
    items(add(l, offsetof(garray_solve_plan, w), "w", garray__real_of(p->dtype), WRITES),
          p->batch * (p->kind == GARRAY_SOLVE_DETERMINANT ? 1 : p->n));
    items(add(l, offsetof(garray_solve_plan, c), "c", GARRAY_INT64, is_order ? READS : WRITES), p->batch * pivots);
    items(add(l, offsetof(garray_solve_plan, d), "d", GARRAY_INT64, WRITES), p->batch * p->n);
}

static void generated(list *l, const void *plan)
{
    const garray_gen_plan *p = plan;
    items(add(l, offsetof(garray_gen_plan, out), "out", p->dtype, WRITES), p->count);
    items(add(l, offsetof(garray_gen_plan, ends), "ends", GARRAY_INT64, READS), p->nends);
}

static void drawn(list *l, const void *plan)
{
    const garray_random_plan *p = plan;
    const int64_t rows = p->row ? p->count / p->row : p->count;
    items(add(l, offsetof(garray_random_plan, out), "out", p->dtype, WRITES), p->count);
    for (int i = 0; i < GARRAY_RANDOM_PARAMETERS; i++)
        items(add(l, offsetof(garray_random_plan, param) + (size_t)i * sizeof p->param[0], "parameter", GARRAY_FLOAT64, READS),
              (p->param_step[i] ? rows : 1) * (p->row && i == 1 ? p->row : 1));
}

/* ---- by entry ---- */

static const struct {
    size_t size;                    /* of the plan */
    void (*describe)(list *l, const void *plan);
} entries[GARRAY__ENTRY_COUNT] = {
    [GARRAY__ELEMENTWISE] = { sizeof(garray_ew_plan), elementwise },
    [GARRAY__CONVERT] = { sizeof(garray_ew_plan), elementwise },
    [GARRAY__GENERATE] = { sizeof(garray_gen_plan), generated },
    [GARRAY__REDUCE] = { sizeof(garray_reduce_plan), reduce },
    [GARRAY__SCAN] = { sizeof(garray_scan_plan), scan },
    [GARRAY__SORT] = { sizeof(garray_sort_plan), sort },
    [GARRAY__SEARCH] = { sizeof(garray_search_plan), search },
    [GARRAY__INDEX] = { sizeof(garray_index_plan), indexed },
    [GARRAY__SELECT_COUNT] = { sizeof(garray_select_plan), select_rows },
    [GARRAY__SELECT_WRITE] = { sizeof(garray_select_plan), select_rows },
    [GARRAY__HISTOGRAM] = { sizeof(garray_histogram_plan), histogram },
    [GARRAY__MATMUL] = { sizeof(garray_matmul_plan), matmul },
    [GARRAY__SOLVE] = { sizeof(garray_solve_plan), solve },
    [GARRAY__RANDOM] = { sizeof(garray_random_plan), drawn },
    [GARRAY__FFT] = { sizeof(garray_fft_plan), transformed },
    [GARRAY__WINDOW] = { sizeof(garray_window_plan), window },
    [GARRAY__EVALUATE] = { sizeof(garray_evaluate_plan), evaluate },
    [GARRAY__RECUR] = { sizeof(garray_recur_plan), recur },
    [GARRAY__COPY] = { sizeof(garray_copy_plan), copied },
};

bool garray__plan_spans(garray__entry entry, const void *plan, garray__spans *spans)
{
    list l = { .spans = spans, .plan = plan };
    spans->n = 0;
    if (!entries[entry].describe)
        return false;
    if (entry == GARRAY__RANDOM && ((const garray_random_plan *)plan)->kind == GARRAY_RANDOM_VENDOR)
        return false;                           /* no other device draws these */
    entries[entry].describe(&l, plan);
    return true;
}

size_t garray__plan_size(garray__entry entry)
{
    return entries[entry].size;
}

void garray__span_bytes(const garray__span *s, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = s->itemsize;
    for (int g = 0; g < s->ngroups; g++)
        for (int i = 0; i < s->n[g]; i++) {
            int64_t reach = (s->shape[g][i] - 1) * s->strides[g][i];
            if (s->shape[g][i] == 0) {
                *low = *high = 0;
                return;
            }
            *(reach < 0 ? low : high) += reach;
        }
}

int garray__span_text(const garray__span *s, char *text, size_t size)
{
    size_t at = 0;
    char *to = text;
#define PUT(...)                                                                 \
    do {                                                                         \
        int n_ = snprintf(to, at < size ? size - at : 0, __VA_ARGS__);           \
        at += n_ > 0 ? (size_t)n_ : 0;                                           \
        to = text + (at < size ? at : size);                                     \
    } while (0)
    PUT("%s ", s->name);
    if (s->dtype)
        PUT("%s", garray_dtype_name((garray_dtype)s->dtype));
    else
        PUT("%d-byte items", s->itemsize);
    for (int what = 0; what < 2; what++) {
        const char *comma = "";
        PUT("%s", what ? " strides (" : " (");
        for (int g = 0; g < s->ngroups; g++)
            for (int i = 0; i < s->n[g]; i++, comma = ", ")
                PUT("%s%lld", comma, (long long)(what ? s->strides : s->shape)[g][i]);
        PUT(")");
    }
#undef PUT
    return (int)at;
}
