/* SPDX-License-Identifier: BSD-3-Clause
 * polyfit: least squares with the powers of x as columns, scaled to length 1, by singular values in float64 or
 * complex128, as NumPy solves it. */
#include <float.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/decompose.h"
#include "garray/linalg.h"
#include "garray/polynomial.h"
#include "garray/product.h"
#include "garray/reduce.h"
#include "garray/shape.h"

typedef struct fit {
    int dtype;                  /* float64 or complex128 */
    int64_t n, terms;
    garray_t *lhs, *rhs;        /* n x terms, scaled; n x 1 or n x k */
    garray_t *scale;            /* terms */
    garray_t *p;                /* terms x k, of the scaled columns until finish() */
    garray_t *s, *kept;         /* singular values; which of them count */
} fit;

static void close_fit(fit *f)
{
    garray_t *const all[] = { f->lhs, f->rhs, f->scale, f->p, f->s, f->kept };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        garray_release(all[i]);
}

static garray_status check(const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(x && y, INVALID, "an array is NULL");
    GARRAY_REQUIRE(deg >= 0, INVALID, "expected deg >= 0");
    GARRAY_REQUIRE(x->ndim == 1, SHAPE, "expected 1D vector for x");
    GARRAY_REQUIRE(x->size > 0, SHAPE, "expected non-empty vector for x");
    GARRAY_REQUIRE(y->ndim == 1 || y->ndim == 2, SHAPE, "expected 1D or 2D array for y");
    GARRAY_REQUIRE(x->shape[0] == y->shape[0], SHAPE, "expected x and y to have same length");
    garray_status st = garray__same_device(garray__device_of(x), y);
    if (st != GARRAY_OK || !opts || !opts->w)
        return st;
    GARRAY_REQUIRE(opts->w->ndim == 1, SHAPE, "expected a 1-d array for weights");
    GARRAY_REQUIRE(opts->w->shape[0] == y->shape[0], SHAPE, "expected w and y to have the same length");
    return garray__same_device(garray__device_of(x), opts->w);
}

static int float_of(int dtype)
{
    return garray__kind_of(dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64 : dtype;
}

/* Below which part of the largest singular value the others count as 0. */
static garray_status cutoff(const garray_polyfit_opts *opts, const garray_t *x, double *rcond)
{
    const int real = garray__real_of(float_of(x->dtype));
    *rcond = (double)x->size * (real == GARRAY_FLOAT64    ? DBL_EPSILON
                                : real == GARRAY_FLOAT32  ? (double)FLT_EPSILON
                                : real == GARRAY_BFLOAT16 ? 0x1p-7
                                                          : 0x1p-10);
    if (!opts || opts->rcond.kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(&opts->rcond, "rcond", GARRAY__REAL));
    uint64_t bits[2];
    garray__scalar_cast(&opts->rcond, GARRAY_FLOAT64, bits);
    memcpy(rcond, bits, sizeof *rcond);
    return GARRAY_OK;
}

/* The weighted columns and values, and the scale of the columns. */
static garray_status open_fit(fit *f, const garray_t *x, const garray_t *y, int64_t deg, const garray_t *w)
{
    garray_t *at = NULL, *weights = NULL, *squares = NULL;
    const int64_t column[2] = { x->size, 1 };
    const int32_t rows = 0;
    garray_status st = GARRAY_OK;
    f->n = x->size;
    GARRAY_REQUIRE(deg < INT32_MAX, INVALID, "deg is too large: %lld", (long long)deg);
    f->terms = deg + 1;
    f->dtype = garray__promote(GARRAY_FLOAT64, garray__promote(x->dtype, y->dtype));
    if (w)
        f->dtype = garray__promote(f->dtype, w->dtype);
    GARRAY__TRY(garray__contiguous(x, f->dtype, &at));
    GARRAY__TRY(garray_vander(at, f->terms, NULL, &f->lhs));
    GARRAY__TRY(garray__copy_as(y, f->dtype, &f->rhs));
    if (y->ndim == 1)
        GARRAY__TRY(garray_reshape(f->rhs, (garray_shape){ 2, column }, &f->rhs));
    if (w) {
        GARRAY__TRY(garray__contiguous(w, f->dtype, &weights));
        GARRAY__TRY(garray_reshape(weights, (garray_shape){ 2, column }, &weights));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(f->lhs), GARRAY__ARR(weights), 0, &f->lhs));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(f->rhs), GARRAY__ARR(weights), 0, &f->rhs));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(f->lhs), GARRAY__ARR(f->lhs), 0, &squares));
    GARRAY__TRY(garray_sum(squares, (garray_axes){ 1, &rows }, NULL, &f->scale));
    GARRAY__TRY(garray__unary(GARRAY_OP_sqrt, GARRAY__ARR(f->scale), &f->scale));
    st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(f->lhs), GARRAY__ARR(f->scale), 0, &f->lhs);
done:
    garray_release(at);
    garray_release(weights);
    garray_release(squares);
    return st;
}

/* p = v (u^H rhs / s), without the singular values that do not count. */
static garray_status solve(fit *f, double rcond)
{
    garray_t *u = NULL, *vh = NULL, *largest = NULL, *divisor = NULL, *t = NULL;
    const garray_svd_opts reduced = { .reduced = 1 };
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_linalg_svd(f->lhs, &reduced, &u, &f->s, &vh));
    const int64_t column[2] = { f->s->size, 1 };
    GARRAY__TRY(garray__part(f->s, 0, 0, 1, &largest));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(largest), garray_operand_double(rcond), 0, &largest));
    GARRAY__TRY(garray__binary(GARRAY_OP_greater, GARRAY__ARR(f->s), GARRAY__ARR(largest), 0, &f->kept));
    GARRAY__TRY((garray_matmul)(garray_operand_flip(GARRAY__ARR(u), GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE),
                                GARRAY__ARR(f->rhs), &t));
    GARRAY__TRY(garray_reshape(f->s, (garray_shape){ 2, column }, &divisor));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(t), GARRAY__ARR(divisor), 0, &t));
    GARRAY__TRY(garray_reshape(f->kept, (garray_shape){ 2, column }, &divisor));
    GARRAY__TRY(garray__choose(divisor, GARRAY__ARR(t), garray_operand_int(0), &t));
    st = (garray_matmul)(garray_operand_flip(GARRAY__ARR(vh), GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE),
                         GARRAY__ARR(t), &f->p);
done:
    garray_release(u);
    garray_release(vh);
    garray_release(largest);
    garray_release(divisor);
    garray_release(t);
    return st;
}

/* Sums of squares of what the fit leaves, a number for each column of y. */
static garray_status residuals(const fit *f, garray_t **out)
{
    garray_t *rest = NULL;
    const int32_t rows = 0;
    garray_status st = (garray_matmul)(GARRAY__ARR(f->lhs), GARRAY__ARR(f->p), &rest);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(f->rhs), GARRAY__ARR(rest), 0, &rest);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_abs, GARRAY__ARR(rest), &rest);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_square, GARRAY__ARR(rest), &rest);
    if (st == GARRAY_OK)
        st = garray_sum(rest, (garray_axes){ 1, &rows }, NULL, out);
    garray_release(rest);
    return st;
}

/* The coefficients of the powers themselves, in the result's dtype and shape. */
static garray_status finish(const fit *f, const garray_t *y, garray_t **out)
{
    garray_t *scale = NULL, *p = NULL;
    const int64_t column[2] = { f->terms, 1 };
    garray_status st = garray_reshape(f->scale, (garray_shape){ 2, column }, &scale);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(f->p), GARRAY__ARR(scale), 0, &p);
    if (st == GARRAY_OK && y->ndim == 1)
        st = garray_reshape(p, (garray_shape){ 1, column }, &p);
    garray_release(scale);
    if (st == GARRAY_OK)
        *out = p;
    else
        garray_release(p);
    return st;
}

static garray_status start(fit *f, const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts)
{
    double rcond;
    garray_status st = check(x, y, deg, opts);
    if (st == GARRAY_OK)
        st = cutoff(opts, x, &rcond);
    if (st == GARRAY_OK)
        st = open_fit(f, x, y, deg, opts ? opts->w : NULL);
    return st == GARRAY_OK ? solve(f, rcond) : st;
}

garray_status garray_polyfit(const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts, garray_t **p)
{
    GARRAY_ENTER("garray_polyfit");
    fit f = { .p = NULL };
    garray_t *value = NULL;
    garray_status st = garray__result_check(p);
    if (st == GARRAY_OK)
        st = start(&f, x, y, deg, opts);
    if (st == GARRAY_OK)
        st = finish(&f, y, &value);
    if (st == GARRAY_OK)
        st = garray__result_assign(p, value);
    close_fit(&f);
    return st;
}

garray_status garray_polyfit_full(const garray_t *x, const garray_t *y, int64_t deg, const garray_polyfit_opts *opts,
                                  garray_t **p, garray_t **residual, garray_t **rank, garray_t **singular)
{
    GARRAY_ENTER("garray_polyfit_full");
    fit f = { .p = NULL };
    garray_t *values[4] = { NULL, NULL, NULL, NULL };
    garray_t **const outs[4] = { p, residual, rank, singular };
    int64_t known = 0, none = 0;
    garray_status st = garray__check_outs(4, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(start(&f, x, y, deg, opts));
    GARRAY__TRY(finish(&f, y, &values[0]));
    GARRAY__TRY(garray_count_nonzero(f.kept, GARRAY_ALL_AXES, NULL, &values[2]));
    values[3] = garray_retain(f.s);
    if (residual)
        GARRAY__TRY(garray_to_host(values[2], &known, NULL, sizeof known));
    if (residual && known == f.terms && f.n > f.terms)
        GARRAY__TRY(residuals(&f, &values[1]));
    else
        GARRAY__TRY(garray__new(GARRAY_FLOAT64, 1, &none, garray__device_of(x), &values[1]));
done:
    close_fit(&f);
    return garray__assign_outs(4, outs, values, st);
}

/* inv(lhs^T lhs), with the scale taken out. */
static garray_status covariance(const fit *f, garray_t **out)
{
    garray_t *product = NULL, *outer = NULL, *unit = NULL;
    garray_status st =
        (garray_matmul)(garray_operand_flip(GARRAY__ARR(f->lhs), GARRAY_OPERAND_TRANSPOSE), GARRAY__ARR(f->lhs), &product);
    if (st == GARRAY_OK)
        st = garray_eye(f->terms, f->terms, 0, (garray_dtype)f->dtype, garray_device_of(product), &unit);
    if (st == GARRAY_OK)
        st = garray_linalg_solve(product, unit, &product);
    if (st == GARRAY_OK)
        st = garray_outer(f->scale, f->scale, &outer);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(product), GARRAY__ARR(outer), 0, out);
    garray_release(product);
    garray_release(outer);
    garray_release(unit);
    return st;
}

garray_status garray_polyfit_cov(const garray_t *x, const garray_t *y, int64_t deg, bool unscaled,
                                 const garray_polyfit_opts *opts, garray_t **p, garray_t **cov)
{
    GARRAY_ENTER("garray_polyfit_cov");
    fit f = { .p = NULL };
    garray_t *values[2] = { NULL, NULL }, *rest = NULL;
    garray_t **const outs[2] = { p, cov };
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(check(x, y, deg, opts));
    GARRAY__CHECK(unscaled || x->size > deg + 1, INVALID,
                  "the number of data points must exceed order to scale the covariance matrix");
    GARRAY__TRY(start(&f, x, y, deg, opts));
    GARRAY__TRY(finish(&f, y, &values[0]));
    GARRAY__TRY(covariance(&f, &values[1]));
    if (!unscaled) {
        GARRAY__TRY(residuals(&f, &rest));
        GARRAY__TRY(
            garray__binary(GARRAY_OP_divide, GARRAY__ARR(rest), garray_operand_double((double)(f.n - f.terms)), 0, &rest));
    }
    if (y->ndim == 2) {
        const int64_t shape[3] = { f.terms, f.terms, 1 };
        GARRAY__TRY(garray_reshape(values[1], (garray_shape){ 3, shape }, &values[1]));
    }
    if (rest)
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(values[1]), GARRAY__ARR(rest), 0, &values[1]));
done:
    garray_release(rest);
    close_fit(&f);
    return garray__assign_outs(2, outs, values, st);
}
