/* SPDX-License-Identifier: BSD-3-Clause
 * What singular values tell: ranks, pseudoinverses, least squares. */
#include <float.h>
#include <math.h>
#include "core/compose.h"
#include "core/linalg.h"
#include "core/norm.h"
#include "core/plan.h"
#include "core/result.h"
#include "garray/decompose.h"
#include "garray/linalg.h"
#include "garray/norm.h"
#include "garray/reduce.h"
#include "garray/shape.h"

static const int32_t last_axis = -1;
static const garray_axes over_last = { 1, &last_axis };

/* The largest length of the matrices times the distance of 1 to the next number. */
static double default_rtol(const garray_t *x, int dtype)
{
    const int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    return (double)(m > n ? m : n) * (garray__real_of(dtype) == GARRAY_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON);
}

static bool is_given(const garray_operand *o)
{
    return o->kind != GARRAY_OPERAND_NONE;
}

/* Which singular values (..., k) are above a tolerance: tol, or rtol times the largest one; arrays have one for each
 * matrix.  Neither is given: the default. */
static garray_status find_large(const garray_t *s, const garray_operand *tol, const garray_operand *rtol, double missing,
                                garray_t **large)
{
    const garray_reduce_opts keep = { .keepdims = 1, .initial = garray_operand_int(0) };
    const garray_operand *given = is_given(tol) ? tol : rtol;
    garray_operand cut = garray_operand_double(missing);
    garray_t *array = NULL, *column = NULL, *largest = NULL;
    garray_status st = GARRAY_OK;
    if (given->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__option_array(given, "the tolerance", garray__device_of(s), &array));
        GARRAY__TRY(garray_expand_dims(array, over_last, &column));
        cut = GARRAY__ARR(column);
    } else if (is_given(given)) {
        double value;
        GARRAY__TRY(garray__real_option(given, "the tolerance", 0, &value));
        cut = garray_operand_double(value);
    }
    if (!is_given(tol)) {
        GARRAY__TRY(garray_max(s, over_last, &keep, &largest));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(largest), cut, 0, &largest));
        cut = GARRAY__ARR(largest);
    }
    st = garray__binary(GARRAY_OP_greater, GARRAY__ARR(s), cut, 0, large);
done:
    garray_release(array);
    garray_release(column);
    garray_release(largest);
    return st;
}

/* 1 / s where large, 0 elsewhere. */
static garray_status invert_large(const garray_t *s, const garray_t *large, garray_t **out)
{
    garray_t *inverse = NULL;
    garray_status st = garray__unary(GARRAY_OP_reciprocal, GARRAY__ARR(s), &inverse);
    if (st == GARRAY_OK)
        st = garray__choose(large, GARRAY__ARR(inverse), garray_operand_int(0), out);
    garray_release(inverse);
    return st;
}

/* ---- rank ---- */

garray_status garray_linalg_matrix_rank(const garray_t *x, const garray_rank_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_matrix_rank");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const garray_rank_opts o = opts ? *opts : (garray_rank_opts){ 0 };
    garray_t *s = NULL, *large = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!is_given(&o.tol) || !is_given(&o.rtol), INVALID, "`tol` and `rtol` can't be both set.");
    if (x->ndim < 2) {
        GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(x), garray_operand_int(0), 0, &large));
        GARRAY__TRY(garray_any(large, GARRAY_ALL_AXES, NULL, &large));
        GARRAY__TRY(garray_astype(large, GARRAY_INT64, &large));
        st = garray__result_assign(out, large);
        large = NULL;
        goto done;
    }
    if (o.hermitian) {
        GARRAY__TRY(garray_linalg_eigvalsh(x, NULL, &s));
        GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(s), &s));
    } else {
        GARRAY__TRY(garray_linalg_svdvals(x, &s));
    }
    GARRAY__TRY(find_large(s, &o.tol, &o.rtol, default_rtol(x, s->dtype), &large));
    st = garray_count_nonzero(large, over_last, NULL, out);
done:
    garray_release(s);
    garray_release(large);
    return st;
}

/* ---- pseudoinverse ---- */

/* left diag(values) right^H, of matrices with the vectors as columns. */
static garray_status assemble(const garray_t *left, const garray_t *values, const garray_t *right, garray_t **out)
{
    const int32_t at = -2;
    garray_t *row = NULL, *scaled = NULL;
    garray_operand turned = garray_operand_array(right);
    garray_status st;
    turned.flags = GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE;
    GARRAY__TRY(garray_expand_dims(values, (garray_axes){ 1, &at }, &row));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(left), GARRAY__ARR(row), 0, &scaled));
    st = (garray_matmul)(GARRAY__ARR(scaled), turned, out);
done:
    garray_release(row);
    garray_release(scaled);
    return st;
}

garray_status garray_linalg_pinv(const garray_t *x, const garray_rank_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_pinv");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const garray_rank_opts o = opts ? *opts : (garray_rank_opts){ 0 };
    const garray_svd_opts reduced = { .reduced = 1 };
    garray_t *u = NULL, *s = NULL, *vh = NULL, *v = NULL, *size = NULL, *large = NULL, *inverse = NULL, *empty = NULL;
    int dtype = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_matrix(x);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(x->dtype, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!is_given(&o.tol), INVALID, "tol has no meaning here; rtol has");
    if (x->size == 0) {
        GARRAY__TRY(garray_matrix_transpose(x, &v));
        GARRAY__TRY(garray__new(dtype, v->ndim, v->shape, garray__device_of(x), &empty));
        st = garray__result_assign(out, empty);
        empty = NULL;
        goto done;
    }
    if (o.hermitian) {
        GARRAY__TRY(garray_linalg_eigh(x, NULL, &s, &v));
        GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(s), &size));
        GARRAY__TRY(find_large(size, &o.tol, &o.rtol, default_rtol(x, dtype), &large));
        GARRAY__TRY(invert_large(s, large, &inverse));
        st = assemble(v, inverse, v, out);
    } else {
        GARRAY__TRY(garray_linalg_svd(x, &reduced, &u, &s, &vh));
        GARRAY__TRY(find_large(s, &o.tol, &o.rtol, default_rtol(x, dtype), &large));
        GARRAY__TRY(invert_large(s, large, &inverse));
        garray_operand turned = garray_operand_array(vh);
        turned.flags = GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE;
        GARRAY__TRY(garray__operand_array(&turned, &v));
        st = assemble(v, inverse, u, out);
    }
done:
    garray_release(u);
    garray_release(s);
    garray_release(vh);
    garray_release(v);
    garray_release(size);
    garray_release(large);
    garray_release(inverse);
    garray_release(empty);
    return st;
}

/* ---- least squares ---- */

/* A stack of systems and what becomes of it. */
struct squares {
    garray_t *a, *b;            /* b as columns */
    bool is_vector;
    int dtype;
    int64_t m, n;
    garray_t *x, *residuals, *rank, *s;
};

static garray_status open_squares(const garray_t *a, const garray_t *b, struct squares *q)
{
    garray_status st = garray__check_matrix(a);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(a->dtype, &q->dtype);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(b->dtype, &q->dtype);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(garray__promote(a->dtype, b->dtype), &q->dtype);
    if (st != GARRAY_OK)
        return st;
    q->is_vector = b->ndim == 1;
    q->m = a->shape[a->ndim - 2];
    q->n = a->shape[a->ndim - 1];
    GARRAY__TRY(garray_astype(a, (garray_dtype)q->dtype, &q->a));
    GARRAY__TRY(garray_astype(b, (garray_dtype)q->dtype, &q->b));
    if (q->is_vector)
        GARRAY__TRY(garray_expand_dims(q->b, over_last, &q->b));
    if (q->b->shape[q->b->ndim - 2] != q->m)
        st = garray__mismatch(a, b, q->m, q->b->shape[q->b->ndim - 2]);
done:
    return st;
}

/* v diag(1 / s) u^H b, and the rank.  Of tall matrices first q^H b, and then the same with r in the place of a = q r. */
static garray_status solve_squares(struct squares *q, double rcond)
{
    const garray_svd_opts reduced = { .reduced = 1 };
    const garray_operand none = { 0 }, limit = garray_operand_double(rcond);
    garray_t *orthogonal = NULL, *r = NULL, *right = NULL;
    garray_t *u = NULL, *vh = NULL, *large = NULL, *inverse = NULL, *column = NULL, *parts = NULL;
    garray_operand turned;
    garray_status st;
    if (q->m >= 2 * q->n && q->a->size > 0) {
        GARRAY__TRY(garray_linalg_qr(q->a, NULL, &orthogonal, &r));
        turned = garray_operand_array(orthogonal);
        turned.flags = GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE;
        GARRAY__TRY((garray_matmul)(turned, GARRAY__ARR(q->b), &right));
    }
    GARRAY__TRY(garray_linalg_svd(r ? r : q->a, &reduced, &u, &q->s, &vh));
    GARRAY__TRY(find_large(q->s, &none, &limit, rcond, &large));
    GARRAY__TRY(garray_count_nonzero(large, over_last, NULL, &q->rank));
    GARRAY__TRY(invert_large(q->s, large, &inverse));
    turned = garray_operand_array(u);
    turned.flags = GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE;
    GARRAY__TRY((garray_matmul)(turned, GARRAY__ARR(right ? right : q->b), &parts));
    GARRAY__TRY(garray_expand_dims(inverse, over_last, &column));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(parts), GARRAY__ARR(column), 0, &parts));
    turned = garray_operand_array(vh);
    turned.flags = GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE;
    st = (garray_matmul)(turned, GARRAY__ARR(parts), &q->x);
done:
    garray_release(orthogonal);
    garray_release(r);
    garray_release(right);
    garray_release(u);
    garray_release(vh);
    garray_release(large);
    garray_release(inverse);
    garray_release(column);
    garray_release(parts);
    return st;
}

/* No residuals: the stack's axes and one without elements. */
static garray_status no_residuals(struct squares *q)
{
    int64_t shape[GARRAY_MAX_NDIM];
    const int n = q->x->ndim - 1;
    for (int i = 0; i < n - 1; i++)
        shape[i] = q->x->shape[i];
    shape[n - 1] = 0;
    return garray__new(garray__real_of(q->dtype), n, shape, garray__device_of(q->x), &q->residuals);
}

/* Sums of squares down the columns of a x - b; waits for the rank of a single matrix, which decides the shape. */
static garray_status find_residuals(struct squares *q)
{
    const int32_t rows = -2;
    garray_t *product = NULL, *size = NULL, *full = NULL, *column = NULL;
    const bool is_single = q->x->ndim == 2;
    bool known = q->m > q->n;
    garray_status st = GARRAY_OK;
    if (known && is_single) {
        int64_t rank;
        GARRAY__TRY(garray_item(q->rank, &rank));
        known = rank == q->n;
    }
    if (!known)
        return no_residuals(q);
    GARRAY__TRY((garray_matmul)(GARRAY__ARR(q->a), GARRAY__ARR(q->x), &product));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(product), GARRAY__ARR(q->b), 0, &product));
    GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(product), &size));
    GARRAY__TRY(garray__unary(GARRAY_OP_square, GARRAY__ARR(size), &size));
    GARRAY__TRY(garray_sum(size, (garray_axes){ 1, &rows }, NULL, &q->residuals));
    if (!is_single) {
        GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(q->rank), garray_operand_int(q->n), 0, &full));
        GARRAY__TRY(garray_expand_dims(full, over_last, &column));
        st = garray__choose(column, GARRAY__ARR(q->residuals), garray_operand_double(NAN), &q->residuals);
    }
done:
    garray_release(product);
    garray_release(size);
    garray_release(full);
    garray_release(column);
    return st;
}

garray_status (garray_linalg_lstsq)(garray_operand a, garray_operand b, const garray_lstsq_opts *opts, garray_t **x,
                                    garray_t **residuals, garray_t **rank, garray_t **s)
{
    GARRAY_ENTER("garray_linalg_lstsq");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t **const outs[4] = { x, residuals, rank, s };
    garray_t *xa = NULL, *xb = NULL, *values[4] = { NULL, NULL, NULL, NULL };
    struct squares q = { 0 };
    double rcond = -1;
    garray_status st = garray__check_outs(4, outs);
    if (st == GARRAY_OK)
        st = garray__check_factors(&a, &b);
    if (st == GARRAY_OK && opts)
        st = garray__real_option(&opts->rcond, "rcond", -1, &rcond);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__operand_array(&a, &xa));
    GARRAY__TRY(garray__operand_array(&b, &xb));
    GARRAY__TRY(open_squares(xa, xb, &q));
    GARRAY__TRY(solve_squares(&q, rcond < 0 ? default_rtol(xa, q.dtype) : rcond));
    if (residuals)
        GARRAY__TRY(find_residuals(&q));
    if (q.is_vector)
        GARRAY__TRY(garray_squeeze(q.x, over_last, &q.x));
    values[0] = x ? garray_retain(q.x) : NULL;
    values[1] = q.residuals ? garray_retain(q.residuals) : NULL;
    values[2] = rank ? garray_retain(q.rank) : NULL;
    values[3] = s ? garray_retain(q.s) : NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(q.a);
    garray_release(q.b);
    garray_release(q.x);
    garray_release(q.residuals);
    garray_release(q.rank);
    garray_release(q.s);
    return garray__assign_outs(4, outs, values, st);
}

/* ---- tensors ---- */

/* x as a matrix with so many axes for its rows. */
static garray_status as_matrix(const garray_t *x, int leading, garray_t **out)
{
    int64_t shape[2] = { 1, 1 };
    for (int i = 0; i < x->ndim; i++)
        shape[i >= leading] *= x->shape[i];
    return garray_reshape(x, (garray_shape){ 2, shape }, out);
}

garray_status garray_linalg_tensorinv(const garray_t *x, int ind, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_tensorinv");
    garray_t *matrix = NULL, *inverse = NULL, *result = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(ind > 0, INVALID, "Invalid ind argument: %d must be above 0", ind);
    const int leading = ind < x->ndim ? ind : x->ndim, others = x->ndim - leading;
    for (int i = 0; i < others; i++)
        shape[i] = x->shape[leading + i];
    for (int i = 0; i < leading; i++)
        shape[others + i] = x->shape[i];
    GARRAY__TRY(as_matrix(x, leading, &matrix));
    GARRAY__TRY(garray_linalg_inv(matrix, &inverse));
    GARRAY__TRY(garray_reshape(inverse, (garray_shape){ x->ndim, shape }, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(matrix);
    garray_release(inverse);
    garray_release(result);
    return st;
}

garray_status garray_linalg_tensorsolve(const garray_t *a, const garray_t *b, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_tensorsolve");
    garray_t *turned = NULL, *matrix = NULL, *right = NULL, *solution = NULL, *result = NULL;
    int32_t to[GARRAY_MAX_NDIM];
    bool set[GARRAY_MAX_NDIM];
    char text[GARRAY__SHAPE_TEXT];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(a && b, INVALID, "an array is NULL");
    GARRAY__TRY(garray__same_device(garray__device_of(a), b));
    GARRAY__TRY(garray__axis_set(axes, a->ndim, set));
    for (int64_t i = 0; i < axes.n; i++)
        to[i] = (int32_t)(i - axes.n);
    if (axes.n)
        GARRAY__TRY(garray_moveaxis(a, axes, (garray_axes){ axes.n, to }, &turned));
    else
        turned = garray__share(a);
    const int leading = b->ndim < a->ndim ? b->ndim : a->ndim;
    GARRAY__TRY(as_matrix(turned, leading, &matrix));
    GARRAY__CHECK(matrix->shape[0] == matrix->shape[1] && matrix->shape[0] == b->size, SHAPE,
                  "a of shape %s is no square matrix with as many rows as b has elements, %lld",
                  garray__shape_text(turned->ndim, turned->shape, text), (long long)b->size);
    GARRAY__TRY(garray__flat(b, &right));
    GARRAY__TRY((garray_linalg_solve)(GARRAY__ARR(matrix), GARRAY__ARR(right), &solution));
    GARRAY__TRY(garray_reshape(solution, (garray_shape){ turned->ndim - leading, turned->shape + leading }, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(turned);
    garray_release(matrix);
    garray_release(right);
    garray_release(solution);
    garray_release(result);
    return st;
}
