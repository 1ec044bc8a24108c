/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products: floats and complex numbers by the BLAS (gemm, gemv for vectors), small or thin ones and integers by own
 * kernels, 16-bit floats in float blocks through the BLAS, rounded once at the end.  A batch of products too small
 * for the BLAS to spread over threads is spread here. */
#include <stdlib.h>
#include <string.h>
#include "core/half.h"
#include "cpu/blas.h"
#include "cpu/loops.h"
#include "cpu/matmul.h"

enum {
    SMALL = 16,                 /* products of at most so many rows, columns and steps are our own */
    SMALL_ALONE = 4096,         /* and a single one of at most so many multiplications */
    HALF_ROWS = 512, HALF_COLUMNS = 512, HALF_DEEP = 2048
};
/* From so many multiplications on OpenBLAS uses threads itself. */
#define BLAS_THREADS 262144.0

typedef struct {
    const garray_matmul_plan *plan;
    garray__product_kernel *kernel;
    int64_t item, rows, pieces;         /* rows of c per piece, pieces per product */
} job;

typedef struct {
    const char *a, *b;
    char *c;
} operands;

static bool is_complex(int dtype)
{
    return dtype == GARRAY_COMPLEX64 || dtype == GARRAY_COMPLEX128;
}

static operands batch_item(const garray_matmul_plan *p, int64_t item, int64_t index)
{
    int64_t a = 0, b = 0, c = 0;
    for (int i = p->nbatch - 1; i >= 0; i--) {
        int64_t at = index % p->batch_shape[i];
        index /= p->batch_shape[i];
        a += at * p->a_batch[i];
        b += at * p->b_batch[i];
        c += at * p->c_batch[i];
    }
    return (operands){ (const char *)p->a + a * item, (const char *)p->b + b * item, (char *)p->c + c * item };
}

/* ---- own kernels --------------------------------------------------------------------------------------------- */
static void own_pieces(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_matmul_plan *p = j->plan;
    for (int64_t t = begin; t < end; t++) {
        operands o = batch_item(p, j->item, t / j->pieces);
        int64_t first = t % j->pieces * j->rows, m = p->m - first < j->rows ? p->m - first : j->rows;
        garray__product product = {
            .m = m, .n = p->n, .k = p->k, .a_row = p->a_row, .a_col = p->a_col, .b_row = p->b_row,
            .b_col = p->b_col, .c_row = p->c_row, .a = o.a + first * p->a_row * j->item, .b = o.b,
            .c = o.c + first * p->c_row * j->item, .alpha = p->alpha[0], .beta = p->beta[0],
        };
        j->kernel(&product);
    }
}

static void own_products(const garray_matmul_plan *p, garray__product_kernel *kernel, int64_t item)
{
    job j = { .plan = p, .kernel = kernel, .item = item, .rows = p->m, .pieces = 1 };
    double work = (double)p->m * (double)p->n * (double)p->k;
    if (p->m > 128 && work > 1e6) {
        j.rows = 128;
        j.pieces = (p->m - 1) / j.rows + 1;
        work *= 128 / (double)p->m;
    }
    int64_t grain = work > 32768 ? 1 : (int64_t)(32768 / (work + 64)) + 1;
    garray__cpu_parallel(p->batch * j.pieces, grain, (double)(p->batch * j.pieces) * (work * 0.1 + 50), own_pieces, &j);
}

/* ---- thin products ------------------------------------------------------------------------------------------- */
/* The BLAS copies both factors, which takes as long as a product of few columns and steps, or of few rows and columns;
 * and it does not share them well among threads. */
enum {
    THIN_SIDE = 128,                    /* columns and steps, or rows and columns, at most */
    THIN_BYTES = 32768,                 /* of b, or of a block of its rows */
    TALL = 1024, TALL_PIECE = 240,      /* rows of c, and of a piece */
    DEEP_LEAST = 8192, DEEP_PARTS = 64, DEEP_BLOCK = 64
};

typedef struct {
    const garray_matmul_plan *plan;
    const garray__products *products;
    int wide;                   /* float64 */
    char *panel, *sums;         /* of a deep product: one of each for a part of k */
    int64_t item, part, panel_items;
} thin_job;

static garray__product thin_product(const garray_matmul_plan *p)
{
    return (garray__product){ .m = p->m, .n = p->n, .k = p->k, .a_row = p->a_row, .a_col = p->a_col, .b_row = p->b_row,
                              .b_col = p->b_col, .c_row = p->c_row, .a = p->a, .b = p->b, .c = p->c, .alpha = p->alpha[0],
                              .beta = p->beta[0] };
}

static void tall_piece(void *ctx, int64_t begin, int64_t end)
{
    const thin_job *j = ctx;
    garray__product product = thin_product(j->plan);
    product.m = end - begin;
    product.a = (const char *)product.a + begin * product.a_row * j->item;
    product.c = (char *)product.c + begin * product.c_row * j->item;
    j->products->thin[j->wide](&product, j->panel);
}

static garray_status tall_product(const garray__queue *q, thin_job *j)
{
    const garray_matmul_plan *p = j->plan;
    void *panel;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(j->products->thin_items[j->wide](p->k, p->n) * j->item), &panel));
    j->panel = panel;
    j->products->thin_pack[j->wide](panel, p->b, p->b_row, p->b_col, p->k, p->n);
    garray__cpu_parallel(p->m, TALL_PIECE, (double)p->m * (double)p->n * (double)p->k * 0.02, tall_piece, j);
    garray__cpu_host->scratch_free(q, panel);
    return GARRAY_OK;
}

/* Calls for the rows of the next block: strided, they come too late on their own. */
static void call_ahead(const char *from, int64_t step, int64_t bytes, int64_t rows)
{
    for (int64_t l = 0; l < rows && l < DEEP_BLOCK; l++)
        for (int64_t i = 0; i < bytes; i += 64)
            __builtin_prefetch(from + l * step + i, 0, 2);
}

/* Some steps of a product, summed by themselves. */
static void deep_part(void *ctx, int64_t begin, int64_t end)
{
    const thin_job *j = ctx;
    const garray_matmul_plan *p = j->plan;
    char *panel = j->panel + begin / j->part * j->panel_items * j->item;
    garray__product product = thin_product(p);
    product.c = j->sums + begin / j->part * p->m * p->n * j->item;
    product.c_row = p->n;
    product.alpha = 1;
    for (int64_t l = begin; l < end; l += DEEP_BLOCK) {
        product.k = end - l < DEEP_BLOCK ? end - l : DEEP_BLOCK;
        product.beta = l > begin;
        product.a = (const char *)p->a + l * p->a_col * j->item;
        if (p->a_row == 1)
            call_ahead((const char *)p->a + (l + DEEP_BLOCK) * p->a_col * j->item, p->a_col * j->item, p->m * j->item,
                       end - l - DEEP_BLOCK);
        call_ahead((const char *)p->b + (l + DEEP_BLOCK) * p->b_row * j->item, p->b_row * j->item, p->n * j->item,
                   end - l - DEEP_BLOCK);
        j->products->thin_pack[j->wide](panel, (const char *)p->b + l * p->b_row * j->item, p->b_row, p->b_col, product.k, p->n);
        j->products->thin[j->wide](&product, panel);
    }
}

/* The parts are the same whatever the number of threads, and added in their order. */
static garray_status deep_product(const garray__queue *q, thin_job *j)
{
    const garray_matmul_plan *p = j->plan;
    const int64_t least = (p->k + DEEP_PARTS - 1) / DEEP_PARTS, size = p->m * p->n;
    void *room;
    j->part = ((least < DEEP_LEAST ? DEEP_LEAST : least) + DEEP_BLOCK - 1) / DEEP_BLOCK * DEEP_BLOCK;
    j->panel_items = j->products->thin_items[j->wide](DEEP_BLOCK, p->n);
    const int64_t parts = (p->k + j->part - 1) / j->part;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(parts * (j->panel_items + size) * j->item), &room));
    j->panel = room;
    j->sums = j->panel + parts * j->panel_items * j->item;
    garray__cpu_parallel(p->k, j->part, (double)size * (double)p->k * 0.02, deep_part, j);
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        char *c = (char *)p->c + (i / p->n * p->c_row + i % p->n) * j->item;
        for (int64_t t = 0; t < parts; t++)
            sum += j->wide ? ((double *)(void *)j->sums)[t * size + i] : (double)((float *)(void *)j->sums)[t * size + i];
        sum *= p->alpha[0];
        if (p->beta[0] != 0)
            sum += p->beta[0] * (j->wide ? *(double *)(void *)c : (double)*(float *)(void *)c);
        if (j->wide)
            *(double *)(void *)c = sum;
        else
            *(float *)(void *)c = (float)sum;
    }
    garray__cpu_host->scratch_free(q, room);
    return GARRAY_OK;
}

static bool is_thin(const garray_matmul_plan *p)
{
    return (p->dtype == GARRAY_FLOAT32 || p->dtype == GARRAY_FLOAT64) && p->batch == 1 && p->n > 1 && p->n <= THIN_SIDE;
}

static bool is_tall(const garray_matmul_plan *p, int64_t item)
{
    return is_thin(p) && p->m >= TALL && p->k > 1 && p->k <= THIN_SIDE && p->k * p->n * item <= THIN_BYTES;
}

static bool is_deep(const garray_matmul_plan *p)
{
    return is_thin(p) && p->m > 1 && p->m <= THIN_SIDE && p->k >= 2 * DEEP_LEAST && p->b_col == 1;
}

/* ---- one product by the BLAS --------------------------------------------------------------------------------- */
typedef struct {
    const char *data;
    int64_t row, col;           /* strides in items */
    bool conj;
} matrix;

static matrix transposed(matrix x)
{
    return (matrix){ x.data, x.col, x.row, x.conj };
}

static matrix moved(matrix x, int64_t rows, int64_t columns, int64_t item)
{
    x.data += (rows * x.row + columns * x.col) * item;
    return x;
}

/* How the BLAS sees a matrix of so many rows and columns: as it is, or transposed, with this leading dimension. */
static CBLAS_TRANSPOSE form(matrix x, int64_t rows, int64_t columns, blasint *leading)
{
    bool plain = x.col == 1 || columns == 1;
    int64_t step = plain ? x.row : x.col, least = plain ? columns : rows, many = plain ? rows : columns;
    if (many == 1 || step < least)
        step = least;
    *leading = (blasint)step;
    if (x.conj)
        return plain ? CblasConjNoTrans : CblasConjTrans;
    return plain ? CblasNoTrans : CblasTrans;
}

/* y = alpha * a @ x + beta * y for vectors x and y.  The library may scale y by 0, which keeps NaN: y is cleared. */
static void gemv(int dtype, int64_t m, int64_t k, const double *alpha, matrix a, const char *x, int64_t x_step,
                 const double *beta, char *y, int64_t y_step, int64_t item)
{
    blasint lead;
    CBLAS_TRANSPOSE t = form(a, m, k, &lead);
    bool plain = t == CblasNoTrans || t == CblasConjNoTrans;
    blasint rows = (blasint)(plain ? m : k), columns = (blasint)(plain ? k : m);
    blasint sx = (blasint)(k == 1 ? 1 : x_step), sy = (blasint)(m == 1 ? 1 : y_step);
    float alpha_f[2] = { (float)alpha[0], (float)alpha[1] }, beta_f[2] = { (float)beta[0], (float)beta[1] };
    double beta_d[2] = { beta[0], beta[1] };
    if (beta[0] == 0 && beta[1] == 0) {
        for (int64_t i = 0; i < m; i++)
            memset(y + i * y_step * item, 0, (size_t)item);
        beta_f[0] = 1;
        beta_d[0] = 1;
    }
    const void *av = a.data, *xv = x;
    void *yv = y;
    if (dtype == GARRAY_FLOAT32)
        cblas_sgemv(CblasRowMajor, t, rows, columns, alpha_f[0], av, lead, xv, sx, beta_f[0], yv, sy);
    else if (dtype == GARRAY_FLOAT64)
        cblas_dgemv(CblasRowMajor, t, rows, columns, alpha[0], av, lead, xv, sx, beta_d[0], yv, sy);
    else if (dtype == GARRAY_COMPLEX64)
        cblas_cgemv(CblasRowMajor, t, rows, columns, alpha_f, av, lead, xv, sx, beta_f, yv, sy);
    else
        cblas_zgemv(CblasRowMajor, t, rows, columns, alpha, av, lead, xv, sx, beta_d, yv, sy);
}

static void gemm(int dtype, int64_t m, int64_t n, int64_t k, const double *alpha, matrix a, matrix b,
                 const double *beta, char *c, int64_t c_row)
{
    blasint la, lb, lc = (blasint)(m == 1 || c_row < n ? n : c_row), rows = (blasint)m, columns = (blasint)n;
    blasint deep = (blasint)k;
    CBLAS_TRANSPOSE ta = form(a, m, k, &la), tb = form(b, k, n, &lb);
    float alpha_f[2] = { (float)alpha[0], (float)alpha[1] }, beta_f[2] = { (float)beta[0], (float)beta[1] };
    const void *av = a.data, *bv = b.data;
    void *cv = c;
    if (dtype == GARRAY_FLOAT32)
        cblas_sgemm(CblasRowMajor, ta, tb, rows, columns, deep, alpha_f[0], av, la, bv, lb, beta_f[0], cv, lc);
    else if (dtype == GARRAY_FLOAT64)
        cblas_dgemm(CblasRowMajor, ta, tb, rows, columns, deep, alpha[0], av, la, bv, lb, beta[0], cv, lc);
    else if (dtype == GARRAY_COMPLEX64)
        cblas_cgemm(CblasRowMajor, ta, tb, rows, columns, deep, alpha_f, av, la, bv, lb, beta_f, cv, lc);
    else
        cblas_zgemm(CblasRowMajor, ta, tb, rows, columns, deep, alpha, av, la, bv, lb, beta, cv, lc);
}

/* Sizes beyond the library's integers are cut; leading dimensions have been checked. */
static void product(const garray_matmul_plan *p, operands o, int64_t item)
{
    static const double one[2] = { 1, 0 };
    matrix a = { o.a, p->a_row, p->a_col, p->conj_a && is_complex(p->dtype) };
    matrix b = { o.b, p->b_row, p->b_col, p->conj_b && is_complex(p->dtype) };
    for (int64_t i = 0; i < p->m; i += GARRAY_BLAS_MAX)
        for (int64_t j = 0; j < p->n; j += GARRAY_BLAS_MAX)
            for (int64_t l = 0; l < p->k; l += GARRAY_BLAS_MAX) {
                int64_t m = p->m - i < GARRAY_BLAS_MAX ? p->m - i : GARRAY_BLAS_MAX;
                int64_t n = p->n - j < GARRAY_BLAS_MAX ? p->n - j : GARRAY_BLAS_MAX;
                int64_t k = p->k - l < GARRAY_BLAS_MAX ? p->k - l : GARRAY_BLAS_MAX;
                const double *beta = l ? one : p->beta;
                matrix x = moved(a, i, l, item), y = moved(b, l, j, item);
                char *c = o.c + (i * p->c_row + j) * item;
                if (n == 1 && !y.conj && y.row <= GARRAY_BLAS_MAX && p->c_row <= GARRAY_BLAS_MAX)
                    gemv(p->dtype, m, k, p->alpha, x, y.data, y.row, beta, c, p->c_row, item);
                else if (m == 1 && !x.conj && x.col <= GARRAY_BLAS_MAX)
                    gemv(p->dtype, n, k, p->alpha, transposed(y), x.data, x.col, beta, c, 1, item);
                else
                    gemm(p->dtype, m, n, k, p->alpha, x, y, beta, c, p->c_row);
            }
}

static void blas_products(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t t = begin; t < end; t++)
        product(j->plan, batch_item(j->plan, j->item, t), j->item);
}

/* ---- 16-bit floats ---------------------------------------------------------------------------------------------- */
/* A block of a matrix as contiguous floats; rows is the longer way in memory where the matrix is plain. */
static matrix widened(float *to, matrix x, int64_t rows, int64_t columns, int dtype)
{
    const garray__products *products = GARRAY_ISA_PICK(garray__cpu_products);
    bool plain = x.col == 1;
    int64_t many = plain ? rows : columns, run = plain ? columns : rows, step = plain ? x.row : x.col;
    bool unit = plain || x.row == 1;
    for (int64_t i = 0; i < many; i++) {
        const uint16_t *from = (const uint16_t *)(const void *)x.data + i * step;
        float *row = to + i * run;
        uint16_t buffer[HALF_DEEP];
        if (!unit) {
            int64_t inner = plain ? x.col : x.row;
            for (int64_t l = 0; l < run; l++)
                buffer[l] = from[l * inner];
            from = buffer;
        }
        if (dtype == GARRAY_FLOAT16)
            products->widen_half(row, from, run);
        else
            products->widen_bfloat(row, from, run);
    }
    return (matrix){ (const char *)to, plain ? run : 1, plain ? 1 : run, false };
}

static float half_value(const uint16_t *v, int dtype)
{
    return dtype == GARRAY_FLOAT16 ? garray__half_to_float(*v) : garray__bfloat_to_float(*v);
}

static void half_store(const garray_matmul_plan *p, uint16_t *c, const float *s, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; i++, c += p->c_row)
        for (int64_t j = 0; j < n; j++) {
            double v = p->alpha[0] * (double)s[i * n + j];
            if (p->beta[0] != 0)
                v += p->beta[0] * (double)half_value(&c[j], p->dtype);
            c[j] = p->dtype == GARRAY_FLOAT16 ? garray__double_to_half(v) : garray__double_to_bfloat(v);
        }
}

static garray_status half_products(const garray__queue *q, const garray_matmul_plan *p)
{
    static const double one[2] = { 1, 0 }, zero[2] = { 0, 0 };
    int64_t rows = p->m < HALF_ROWS ? p->m : HALF_ROWS, columns = p->n < HALF_COLUMNS ? p->n : HALF_COLUMNS;
    int64_t deep = p->k < HALF_DEEP ? p->k : HALF_DEEP;
    void *scratch;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(rows * deep + deep * columns + rows * columns) * 4, &scratch));
    float *a = scratch, *b = a + rows * deep, *c = b + deep * columns;
    garray__blas_enter(GARRAY_BLAS_SHARED);
    for (int64_t t = 0; t < p->batch; t++) {
        operands o = batch_item(p, 2, t);
        matrix x = { o.a, p->a_row, p->a_col, false }, y = { o.b, p->b_row, p->b_col, false };
        for (int64_t i = 0; i < p->m; i += rows)
            for (int64_t j = 0; j < p->n; j += columns) {
                int64_t m = p->m - i < rows ? p->m - i : rows, n = p->n - j < columns ? p->n - j : columns;
                for (int64_t l = 0; l < p->k; l += deep) {
                    int64_t k = p->k - l < deep ? p->k - l : deep;
                    matrix wx = widened(a, moved(x, i, l, 2), m, k, p->dtype);
                    matrix wy = widened(b, moved(y, l, j, 2), k, n, p->dtype);
                    gemm(GARRAY_FLOAT32, m, n, k, one, wx, wy, l ? one : zero, (char *)c, n);
                }
                half_store(p, (uint16_t *)(void *)o.c + i * p->c_row + j, c, m, n);
            }
    }
    garray__blas_leave();
    garray__cpu_host->scratch_free(q, scratch);
    return GARRAY_OK;
}

/* ---- nothing to sum ---------------------------------------------------------------------------------------------- */
static void scale_item(char *c, const garray_matmul_plan *p, int64_t item)
{
    double re = p->beta[0], im = p->beta[1];
    if (re == 0 && im == 0) {
        memset(c, 0, (size_t)item);
    } else if (p->dtype == GARRAY_BOOL) {
        *(uint8_t *)c = *(uint8_t *)c != 0;
    } else if (p->dtype < GARRAY_FLOAT16) {
        uint64_t v = 0;             /* the low bits are those of the product, whatever the type */
        memcpy(&v, c, (size_t)item);
        v *= (uint64_t)(int64_t)re;
        memcpy(c, &v, (size_t)item);
    } else if (p->dtype == GARRAY_FLOAT16 || p->dtype == GARRAY_BFLOAT16) {
        uint16_t *h = (uint16_t *)(void *)c;
        double v = re * (double)half_value(h, p->dtype);
        *h = p->dtype == GARRAY_FLOAT16 ? garray__double_to_half(v) : garray__double_to_bfloat(v);
    } else if (p->dtype == GARRAY_FLOAT32) {
        *(float *)(void *)c *= (float)re;
    } else if (p->dtype == GARRAY_FLOAT64) {
        *(double *)(void *)c *= re;
    } else if (p->dtype == GARRAY_COMPLEX64) {
        float *z = (float *)(void *)c, x = z[0];
        z[0] = (float)(re * x - im * z[1]);
        z[1] = (float)(re * z[1] + im * x);
    } else {
        double *z = (double *)(void *)c, x = z[0];
        z[0] = re * x - im * z[1];
        z[1] = re * z[1] + im * x;
    }
}

static void scale(const garray_matmul_plan *p, int64_t item)
{
    for (int64_t t = 0; t < p->batch; t++) {
        char *c = batch_item(p, item, t).c;
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++)
                scale_item(c + (i * p->c_row + j) * item, p, item);
    }
}

/* ---- the entry ------------------------------------------------------------------------------------------------------ */
static garray_status check_strides(const garray_matmul_plan *p)
{
    const int64_t strides[5] = { p->a_row, p->a_col, p->b_row, p->b_col, p->c_row };
    for (int i = 0; i < 5; i++)
        if (strides[i] > INT32_MAX && p->m > 1 && p->n > 1)
            return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED,
                                          "matmul: a row of %lld items is longer than the BLAS can take",
                                          (long long)strides[i]);
    return GARRAY_OK;
}

/* ---- inner products -------------------------------------------------------------------------------------------------- */
enum { DOT_BLOCK = 1 << 16 };

typedef struct {
    operands o;
    int dtype;
    double *part;               /* per block */
} dot_job;

static void dot_block(void *ctx, int64_t begin, int64_t end)
{
    const dot_job *j = ctx;
    const garray__products *products = GARRAY_ISA_PICK(garray__cpu_products);
    j->part[begin / DOT_BLOCK] =
        j->dtype == GARRAY_FLOAT32
            ? products->dot_float((const float *)(const void *)j->o.a + begin, (const float *)(const void *)j->o.b + begin, end - begin)
            : products->dot_double((const double *)(const void *)j->o.a + begin, (const double *)(const void *)j->o.b + begin,
                                   end - begin);
}

/* The inner product of long vectors: the BLAS takes them for matrices of one row and reads a fifth as fast.  Summed wide,
 * in fixed blocks. */
static garray_status long_dots(const garray_matmul_plan *p, int64_t item)
{
    int64_t blocks = (p->k + DOT_BLOCK - 1) / DOT_BLOCK;
    dot_job j = { .dtype = p->dtype, .part = malloc(sizeof(double) * (size_t)blocks) };
    if (!j.part)
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "no memory for an inner product of %lld items", (long long)p->k);
    for (int64_t t = 0; t < p->batch; t++) {
        double sum = 0, old = 0;
        j.o = batch_item(p, item, t);
        garray__cpu_parallel(p->k, DOT_BLOCK, 0.3 * (double)p->k, dot_block, &j);
        for (int64_t b = 0; b < blocks; b++)
            sum += j.part[b];
        if (p->beta[0] != 0)
            old = p->dtype == GARRAY_FLOAT32 ? (double)*(float *)(void *)j.o.c : *(double *)(void *)j.o.c;
        sum = p->alpha[0] * sum + (p->beta[0] != 0 ? p->beta[0] * old : 0);
        if (p->dtype == GARRAY_FLOAT32)
            *(float *)(void *)j.o.c = (float)sum;
        else
            *(double *)(void *)j.o.c = sum;
    }
    free(j.part);
    return GARRAY_OK;
}

garray_status garray__cpu_matmul(const garray__queue *q, const garray_matmul_plan *plan)
{
    int64_t item = garray__cpu_itemsize(plan->dtype);
    garray__product_kernel *kernel = GARRAY_ISA_PICK(garray__cpu_products)->kernel[plan->dtype];
    double work = (double)plan->m * (double)plan->n * (double)plan->k;
    bool small = plan->m <= SMALL && plan->n <= SMALL && plan->k <= SMALL && (plan->batch > 1 || work <= SMALL_ALONE);
    if (plan->k == 0) {
        scale(plan, item);
        return GARRAY_OK;
    }
    if (kernel && (plan->dtype < GARRAY_FLOAT16 || small)) {
        own_products(plan, kernel, item);
        return GARRAY_OK;
    }
    if (plan->dtype == GARRAY_FLOAT16 || plan->dtype == GARRAY_BFLOAT16)
        return half_products(q, plan);
    if (plan->m == 1 && plan->n == 1 && plan->k >= 4096 && plan->a_col == 1 && plan->b_row == 1
        && (plan->dtype == GARRAY_FLOAT32 || plan->dtype == GARRAY_FLOAT64))
        return long_dots(plan, item);
    thin_job thin = { .plan = plan, .products = GARRAY_ISA_PICK(garray__cpu_products), .wide = plan->dtype == GARRAY_FLOAT64,
                      .item = item };
    if (is_tall(plan, item))
        return tall_product(q, &thin);
    if (is_deep(plan))
        return deep_product(q, &thin);
    GARRAY_TRY(check_strides(plan));
    job j = { .plan = plan, .item = item, .rows = 0, .pieces = 0 };
    garray__blas_enter(GARRAY_BLAS_SHARED);
    if (plan->batch > 1 && work <= BLAS_THREADS)
        garray__cpu_parallel(plan->batch, (int64_t)(65536 / work) + 1, (double)plan->batch * (work * 0.05 + 500),
                             blas_products, &j);
    else
        blas_products(&j, 0, plan->batch);
    garray__blas_leave();
    return GARRAY_OK;
}
