/* SPDX-License-Identifier: BSD-3-Clause
 * What a plan is called and what it must move and compute at least.  For the report, and to tell large work
 * from small. */
#include "core/dtype.h"
#include "core/elementwise.h"
#include "core/report.h"

/* Elements of an operand that are different ones: axes of step 0 count once. */
static double distinct(int n, const int64_t *shape, const int64_t *strides)
{
    double p = 1;
    for (int i = 0; i < n; i++)
        if (strides[i] != 0)
            p *= (double)shape[i];
    return p;
}

static double size_of(int dtype)
{
    return garray__is_dtype(dtype) ? garray__size_of(dtype) : 0;
}

/* A complex multiply-add is four real ones. */
static double factor_of(int dtype)
{
    return garray__is_dtype(dtype) && garray__kind_of(dtype) == GARRAY__K_COMPLEX ? 4 : 1;
}

static garray__cost elementwise_cost(const garray_ew_plan *p)
{
    garray__cost cost = { 0, 0 };
    for (int i = 0; i < p->nop; i++)
        if (p->operand[i].data)
            cost.bytes += size_of(p->operand[i].dtype) * distinct(p->ndim, p->shape, p->operand[i].strides);
    return cost;
}

static garray__cost reduce_cost(const garray_reduce_plan *p)
{
    double kept = (double)p->keep_count, reduced = (double)p->red_count;
    double out = p->op == GARRAY_RED_ANY || p->op == GARRAY_RED_ALL ? 1
                 : p->op >= GARRAY_RED_COUNT_NONZERO                ? 8
                                                                    : size_of(p->acc_dtype);
    double in = distinct(p->nkeep, p->keep_shape, p->in_keep) * distinct(p->nred, p->red_shape, p->in_red);
    return (garray__cost){ in * size_of(p->in_dtype) + kept * out + (p->mask ? kept * reduced : 0), 0 };
}

static garray__cost index_cost(const garray_index_plan *p)
{
    garray__cost cost = { (p->kind == GARRAY_INDEX_COMBINE ? 3.0 : 2.0) * (double)p->count * p->itemsize, 0 };
    for (int i = 0; i < p->narrays; i++)
        cost.bytes += size_of(p->array[i].dtype) * distinct(p->ndim, p->shape, p->array[i].strides);
    return cost;
}

static garray__cost histogram_cost(const garray_histogram_plan *p)
{
    double n = (double)p->n, bins = (double)p->bins;
    return (garray__cost){ n * size_of(p->dtype) + (p->weights ? 8 * n : 0) + (p->places ? 16 * n : 0)
                               + (p->counts || p->sums ? 8 * bins : 0), 0 };
}

static garray__cost matmul_cost(const garray_matmul_plan *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, batch = (double)p->batch;
    double a = m * k * distinct(p->nbatch, p->batch_shape, p->a_batch);
    double b = k * n * distinct(p->nbatch, p->batch_shape, p->b_batch);
    return (garray__cost){ (a + b + m * n * batch) * size_of(p->dtype),
                           2 * m * n * k * batch * factor_of(p->dtype) };
}

/* Bidiagonal form, its vectors and the products with them; the factors and Q formed; Hessenberg form and QR sweeps. */
static garray__cost vectors_cost(const garray_solve_plan *p)
{
    double m = (double)(p->kind == GARRAY_SOLVE_EIG ? p->n : p->m), n = (double)p->n, k = m < n ? m : n, most = m < n ? n : m;
    double qr = 2 * k * k * (most - k / 3), flops = qr, rows = m, columns = n;
    if (p->kind == GARRAY_SOLVE_SVD) {
        flops = 2 * qr + (p->vectors ? 4 * most * k * k + 9 * k * k * k : 0);
        rows = p->full ? m : k;
        columns = p->full ? n : k;
    } else if (p->kind == GARRAY_SOLVE_QR && p->c) {
        rows = p->full ? m : k;
        flops += qr;
    } else if (p->kind == GARRAY_SOLVE_EIG) {
        flops = (p->vectors ? 25 : 10) * n * n * n;
    }
    double items = m * n + (p->vectors || p->c ? m * rows + n * columns : k);
    return (garray__cost){ items * (double)p->batch * size_of(p->dtype), flops * (double)p->batch * factor_of(p->dtype) };
}

static garray__cost solve_cost(const garray_solve_plan *p)
{
    double n = (double)p->n, m = (double)p->m, nrhs = (double)p->nrhs, flops = 0, items = 2 * n * n;
    if (p->kind >= GARRAY_SOLVE_SVD && p->kind <= GARRAY_SOLVE_EIG)
        return vectors_cost(p);
    switch (p->kind) {
    case GARRAY_SOLVE_CHOLESKY:
        flops = n * n * n / 3;
        break;
    case GARRAY_SOLVE_LINEAR:
        flops = n * n * n * 2 / 3 + 2 * n * n * nrhs;
        items = n * n + 2 * n * nrhs;
        break;
    case GARRAY_SOLVE_EIGH:     /* reduction to tridiagonal form, then divide and conquer and the back transformation */
        flops = n * n * n * (p->vectors ? 4.0 / 3 + 8.0 / 3 + 2 : 4.0 / 3);
        break;
    case GARRAY_SOLVE_INVERSE:
        flops = 2 * n * n * n;
        break;
    case GARRAY_SOLVE_LU: {
        double k = m < n ? m : n;
        flops = 2 * m * n * k - (m + n) * k * k + 2 * k * k * k / 3;
        items = 2 * m * n;
        break;
    }
    case GARRAY_SOLVE_DETERMINANT:
        flops = n * n * n * 2 / 3;
        items = n * n;
        break;
    case GARRAY_SOLVE_TRIANGULAR:
        flops = n * n * nrhs;
        items = n * n / 2 + 2 * n * nrhs;
        break;
    case GARRAY_SOLVE_PERMUTATION:
        return (garray__cost){ 8 * (n + nrhs) * (double)p->batch, 0 };
    default:
        break;
    }
    return (garray__cost){ items * (double)p->batch * size_of(p->dtype), flops * (double)p->batch * factor_of(p->dtype) };
}

/* Items of the two sides in bytes. */
static garray__cost fft_cost(const garray_fft_plan *p)
{
    double lines = (double)p->outer * (double)p->inner, full = (double)p->n, half = (double)(p->n / 2 + 1);
    double item = size_of(p->dtype);
    return (garray__cost){ lines * item * (p->kind == GARRAY_FFT_C2C ? 2 * full : full / 2 + half), 0 };
}

static garray__cost window_cost(const garray_window_plan *p)
{
    double in = 1, taps = (double)p->taps, count = (double)p->count;
    for (int i = 0; i < p->ndim; i++)
        in *= p->in_strides[i] ? (double)p->in_shape[i] : 1;
    return (garray__cost){ (in + count + (p->weights ? taps : 0)) * size_of(p->dtype),
                           p->kind == GARRAY_WINDOW_SUM ? 2 * taps * count * factor_of(p->dtype) : 0 };
}

static garray__cost recur_cost(const garray_recur_plan *p)
{
    double items = (double)p->outer * (double)p->n * (double)p->inner;
    return (garray__cost){ 2 * items * size_of(p->dtype), items * (4.0 * p->order + 2) * factor_of(p->dtype) };
}

garray__cost garray__plan_cost(garray__entry entry, const void *plan)
{
    garray__cost cost = { 0, 0 };
    switch (entry) {
    case GARRAY__ELEMENTWISE:
    case GARRAY__CONVERT:
        return elementwise_cost(plan);
    case GARRAY__GENERATE: {
        const garray_gen_plan *p = plan;
        cost.bytes = (double)p->count * size_of(p->dtype) + 8.0 * (double)p->nends;
        return cost;
    }
    case GARRAY__REDUCE:
        return reduce_cost(plan);
    case GARRAY__SCAN: {
        const garray_scan_plan *p = plan;
        cost.bytes = 2.0 * (double)p->outer * (double)p->n * (double)p->inner * size_of(p->dtype);
        return cost;
    }
    case GARRAY__SORT: {
        const garray_sort_plan *p = plan;
        double out = p->kind == GARRAY_SORT_TOPK || p->kind == GARRAY_SORT_PICK ? (double)p->k : (double)p->n;
        cost.bytes =
            (double)p->rows * ((double)p->n * size_of(p->dtype) + (p->values ? out * size_of(p->dtype) : 0) +
                               (p->indices ? out * 8 : 0));
        return cost;
    }
    case GARRAY__SEARCH: {
        const garray_search_plan *p = plan;
        double lines = (double)p->count < (double)p->n ? (double)p->count : (double)p->n;   /* of sorted: seen at least */
        cost.bytes = (double)p->count * (size_of(p->dtype) + (p->kind == GARRAY_SEARCH_FOUND ? 1 : 8)) + lines * size_of(p->dtype);
        return cost;
    }
    case GARRAY__INDEX:
        return index_cost(plan);
    case GARRAY__SELECT_COUNT:
        cost.bytes = (double)((const garray_select_plan *)plan)->n;
        return cost;
    case GARRAY__SELECT_WRITE: {
        const garray_select_plan *p = plan;
        cost.bytes =
            (double)p->n +
            (double)p->count * (p->kind == GARRAY_SELECT_ROWS ? 2 * (double)p->row_bytes : 8.0 * p->ndim);
        return cost;
    }
    case GARRAY__HISTOGRAM:
        return histogram_cost(plan);
    case GARRAY__MATMUL:
        return matmul_cost(plan);
    case GARRAY__SOLVE:
        return solve_cost(plan);
    case GARRAY__RANDOM: {
        const garray_random_plan *p = plan;
        cost.bytes = (double)p->count * (p->kind == GARRAY_RANDOM_CHECK ? 0 : size_of(p->dtype));
        for (int i = 0; i < GARRAY_RANDOM_PARAMETERS; i++)
            if (p->param[i])
                cost.bytes += 8.0 * (double)(p->param_step[i] ? p->count : p->row + 1);
        return cost;
    }
    case GARRAY__FFT:
        return fft_cost(plan);
    case GARRAY__WINDOW:
        return window_cost(plan);
    case GARRAY__EVALUATE: {
        const garray_evaluate_plan *p = plan;
        cost.bytes = (double)p->count * (size_of(p->dtype) + (p->points ? 8 : size_of(p->dtype)))
                     + (double)p->n * (size_of(p->dtype) + (p->points ? 8 : 0));
        cost.flops = p->points ? 0 : 2 * (double)p->n * (double)p->count * factor_of(p->dtype);
        return cost;
    }
    case GARRAY__RECUR:
        return recur_cost(plan);
    case GARRAY__COPY: {
        const garray_copy_plan *p = plan;
        cost.bytes = (double)p->size * (p->kind == GARRAY_COPY_ON_DEVICE ? 2 : 1);
        return cost;
    }
    default:
        return cost;
    }
}

/* ---- names ---- */
static const char *operation_name(int op)
{
    return op > 0 && op < GARRAY_OP_LIMIT && garray__ops[op].name ? garray__ops[op].name : "?";
}

static const char *pick(const char *const *names, int count, int kind)
{
    return kind > 0 && kind < count && names[kind] ? names[kind] : "?";
}
#define PICK(names, kind) pick(names, (int)(sizeof names / sizeof *names), kind)

static const char *convert_name(const garray_ew_plan *p)
{
    if (!p->operand[1].data)
        return "fill";
    return p->operand[0].dtype == p->operand[1].dtype ? "copy" : "astype";
}

const char *garray__plan_name(garray__entry entry, const void *plan)
{
    static const char *const generate[] = { NULL, "arange", "linspace", "eye", "runs" };
    static const char *const reduce[] = { NULL,  "sum", "prod", "min",           "max",    "mean",  "var",
                                          "std", "any", "all",  "count_nonzero", "argmin", "argmax" };
    static const char *const scan[] = { NULL, "cumulative_sum", "cumulative_prod", "cummin", "cummax" };
    static const char *const sort[] = { NULL, "sort", "argsort", "top_k", "partition", "pick" };
    static const char *const search[] = { NULL, "searchsorted", "searchsorted", "isin" };
    static const char *const index[] = { NULL, "gather", "scatter", "combine" };
    static const char *const histogram[] = { NULL, "bincount", "histogram", "histogram by edges" };
    static const char *const solve[] = { [GARRAY_SOLVE_CHOLESKY] = "cholesky", [GARRAY_SOLVE_LINEAR] = "solve",
                                         [GARRAY_SOLVE_EIGH] = "eigh", [GARRAY_SOLVE_INVERSE] = "inv",
                                         [GARRAY_SOLVE_LU] = "lu", [GARRAY_SOLVE_DETERMINANT] = "det",
                                         [GARRAY_SOLVE_TRIANGULAR] = "solve_triangular",
                                         [GARRAY_SOLVE_PERMUTATION] = "order of rows",
                                         [GARRAY_SOLVE_SVD] = "svd", "qr", "qr", "eig" };
    static const char *const random[] = { NULL, "random_bits", "random_uniform", "random_normal",
                                          "random_integers", "permutation", "check parameters", "curand",
#define GARRAY_DRAW(number, name, ...) [number] = "random_" #name,
#include "core/draws.def"
#undef GARRAY_DRAW
    };
    static const char *const fft[] = { NULL, "fft", "rfft", "irfft" };
    static const char *const window[] = { NULL, "convolve", "rank filter" };
    static const char *const evaluate[] = { NULL, "polyval", "interp" };
    static const char *const copy[] = { NULL, "to device", "to host", "copy on device", "to other device" };
    switch (entry) {
    case GARRAY__ELEMENTWISE:   return operation_name(((const garray_ew_plan *)plan)->op);
    case GARRAY__CONVERT:       return convert_name(plan);
    case GARRAY__GENERATE:      return PICK(generate, ((const garray_gen_plan *)plan)->kind);
    case GARRAY__REDUCE:        return PICK(reduce, ((const garray_reduce_plan *)plan)->op);
    case GARRAY__SCAN:
        return PICK(scan, ((const garray_scan_plan *)plan)->op);
    case GARRAY__SORT:          return PICK(sort, ((const garray_sort_plan *)plan)->kind);
    case GARRAY__SEARCH:        return PICK(search, ((const garray_search_plan *)plan)->kind);
    case GARRAY__INDEX:         return PICK(index, ((const garray_index_plan *)plan)->kind);
    case GARRAY__SELECT_COUNT:  return "count mask";
    case GARRAY__SELECT_WRITE:
        return ((const garray_select_plan *)plan)->kind == GARRAY_SELECT_INDEX ? "nonzero" : "select";
    case GARRAY__HISTOGRAM:     return PICK(histogram, ((const garray_histogram_plan *)plan)->kind);
    case GARRAY__MATMUL:        return "matmul";
    case GARRAY__SOLVE:         return PICK(solve, ((const garray_solve_plan *)plan)->kind);
    case GARRAY__RANDOM:        return PICK(random, ((const garray_random_plan *)plan)->kind);
    case GARRAY__FFT:           return PICK(fft, ((const garray_fft_plan *)plan)->kind);
    case GARRAY__WINDOW:        return PICK(window, ((const garray_window_plan *)plan)->kind);
    case GARRAY__EVALUATE:      return PICK(evaluate, ((const garray_evaluate_plan *)plan)->kind);
    case GARRAY__RECUR:         return "lfilter";
    case GARRAY__COPY:          return PICK(copy, ((const garray_copy_plan *)plan)->kind);
    default:                    return "?";
    }
}
