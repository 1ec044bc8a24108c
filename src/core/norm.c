/* SPDX-License-Identifier: BSD-3-Clause
 * Norms of vectors and matrices, and condition numbers. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/linalg.h"
#include "core/norm.h"
#include "core/result.h"
#include "garray/decompose.h"
#include "garray/norm.h"
#include "garray/product.h"
#include "garray/reduce.h"
#include "garray/shape.h"

enum { LONG = 4096 };           /* squares of so many elements side by side are summed as an inner product */

garray_status garray__real_option(const garray_operand *o, const char *name, double missing, double *value)
{
    uint64_t bits[2];
    *value = missing;
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(o, name, GARRAY__REAL));
    garray_status st = garray__scalar_bits(o, GARRAY_FLOAT64, bits);
    if (st == GARRAY_OK)
        memcpy(value, bits, 8);
    return st;
}

/* x in the dtype that its norm is computed in, and the dtype of the norm. */
static garray_status open_numbers(const garray_t *x, garray_t **numbers, int *result)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    const bool half = x->dtype == GARRAY_FLOAT16 || x->dtype == GARRAY_BFLOAT16;
    const int dtype = half ? GARRAY_FLOAT32 : x->dtype < GARRAY_FLOAT16 ? GARRAY_FLOAT64 : x->dtype;
    *result = half ? x->dtype : garray__real_of(dtype);
    if (dtype != x->dtype)
        return garray_astype(x, (garray_dtype)dtype, numbers);
    *numbers = garray__share(x);
    return GARRAY_OK;
}

/* x, or its real and imaginary parts along one more axis. */
static garray_status as_reals(const garray_t *x, garray_t **reals)
{
    int64_t shape[GARRAY_MAX_NDIM + 1], strides[GARRAY_MAX_NDIM + 1];
    if (garray__kind_of(x->dtype) != GARRAY__K_COMPLEX) {
        *reals = garray__share(x);
        return GARRAY_OK;
    }
    GARRAY_REQUIRE(x->ndim < GARRAY_MAX_NDIM, SHAPE, "an array of %d axes has no room for real and imaginary parts", x->ndim);
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    memcpy(strides, garray__strides(x), sizeof(int64_t) * (size_t)x->ndim);
    shape[x->ndim] = 2;
    strides[x->ndim] = garray__part_of(x->dtype);
    return garray__view(x->buffer, x->data, garray__real_of(x->dtype), x->ndim + 1, shape, strides, false, reals);
}

/* The sum of squares: of long vectors side by side without an array of squares. */
static garray_status sum_of_squares(const garray_t *x, const bool *set, garray_t **out)
{
    garray_t *reals = NULL, *squares = NULL;
    int32_t over[GARRAY_MAX_NDIM];
    int n = 0;
    garray_status st;
    GARRAY__TRY(as_reals(x, &reals));
    for (int i = 0; i < reals->ndim; i++)
        if (i >= x->ndim || set[i])
            over[n++] = i;
    if (n == reals->ndim && reals->flags & GARRAY__CONTIGUOUS && reals->size >= LONG) {
        st = (garray_vdot)(GARRAY__ARR(reals), GARRAY__ARR(reals), out);
    } else {
        GARRAY__TRY(garray__unary(GARRAY_OP_square, GARRAY__ARR(reals), &squares));
        st = garray_sum(squares, n ? (garray_axes){ n, over } : (garray_axes){ 0, over }, NULL, out);
    }
done:
    garray_release(reals);
    garray_release(squares);
    return st;
}

/* The largest (smallest) absolute value; of a real x by its own extremes, without an array of absolute values. */
static garray_status extreme(const garray_t *x, garray_axes axes, bool largest, garray_t **out)
{
    garray_reduce_opts o = { 0 };
    garray_t *low = NULL, *high = NULL;
    garray_status st;
    if (largest)
        o.initial = garray_operand_int(0);
    if (largest && garray__kind_of(x->dtype) != GARRAY__K_COMPLEX) {
        GARRAY__TRY(garray_max(x, axes, &o, &high));
        GARRAY__TRY(garray_min(x, axes, &o, &low));
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, GARRAY__ARR(low), &low));
        st = garray__binary(GARRAY_OP_maximum, GARRAY__ARR(high), GARRAY__ARR(low), 0, out);
    } else {
        GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(x), &high));
        st = (largest ? garray_max : garray_min)(high, axes, &o, out);
    }
done:
    garray_release(low);
    garray_release(high);
    return st;
}

static garray_status vector_norm(const garray_t *x, garray_axes axes, double ord, garray_t **out)
{
    garray_t *work = NULL, *sum = NULL;
    bool set[GARRAY_MAX_NDIM];
    garray_status st;
    GARRAY__TRY(garray__axis_set(axes, x->ndim, set));
    if (isinf(ord))
        return extreme(x, axes, ord > 0, out);
    if (ord == 2) {
        GARRAY__TRY(sum_of_squares(x, set, &sum));
        st = garray__unary(GARRAY_OP_sqrt, GARRAY__ARR(sum), out);
    } else if (ord == 0) {
        const garray_reduce_opts counted = { .dtype = (garray_dtype)garray__real_of(x->dtype) };
        GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(x), garray_operand_int(0), 0, &work));
        st = garray_sum(work, axes, &counted, out);
    } else {
        GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(x), &work));
        if (ord == 1) {
            st = garray_sum(work, axes, NULL, out);
        } else {
            GARRAY__TRY(garray__binary(GARRAY_OP_pow, GARRAY__ARR(work), garray_operand_double(ord), 0, &work));
            GARRAY__TRY(garray_sum(work, axes, NULL, &sum));
            st = garray__binary(GARRAY_OP_pow, GARRAY__ARR(sum), garray_operand_double(1 / ord), 0, out);
        }
    }
done:
    garray_release(work);
    garray_release(sum);
    return st;
}

/* By singular values: their sum, or the largest or smallest. */
static garray_status singular_norm(const garray_t *x, int kind, double ord, garray_t **out)
{
    const int32_t last = -1;
    garray_reduce_opts o = { 0 };
    garray_t *s = NULL;
    garray_status st = garray_linalg_svdvals(x, &s);
    if (st != GARRAY_OK)
        return st;
    if (kind == GARRAY_NORM_NUCLEAR) {
        st = garray_sum(s, (garray_axes){ 1, &last }, &o, out);
    } else {
        if (ord > 0)
            o.initial = garray_operand_int(0);
        st = (ord > 0 ? garray_max : garray_min)(s, (garray_axes){ 1, &last }, &o, out);
    }
    garray_release(s);
    return st;
}

/* Of the last two axes, without keepdims. */
static garray_status matrix_norm(const garray_t *x, int kind, double ord, garray_t **out)
{
    const int32_t both[2] = { -2, -1 }, last = -1;
    garray_t *work = NULL, *sums = NULL;
    garray_reduce_opts o = { 0 };
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(kind != 0 || fabs(ord) == 1 || fabs(ord) == 2 || isinf(ord), INVALID, "Invalid norm order for matrices.");
    if (kind == GARRAY_NORM_FROBENIUS)
        return vector_norm(x, (garray_axes){ 2, both }, 2, out);
    if (kind == GARRAY_NORM_NUCLEAR || fabs(ord) == 2)
        return singular_norm(x, kind, ord, out);
    const int32_t over = fabs(ord) == 1 ? -2 : -1;
    GARRAY__TRY(garray__unary(GARRAY_OP_abs, GARRAY__ARR(x), &work));
    GARRAY__TRY(garray_sum(work, (garray_axes){ 1, &over }, NULL, &sums));
    if (ord > 0)
        o.initial = garray_operand_int(0);
    st = (ord > 0 ? garray_max : garray_min)(sums, (garray_axes){ 1, &last }, &o, out);
done:
    garray_release(work);
    garray_release(sums);
    return st;
}

/* The norm in its dtype, with its axes of length 1 where they stay; takes the reference. */
static garray_status finish(garray_t *norm, const garray_t *x, const bool *gone, bool keepdims, int result, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    if (norm->dtype != result)
        st = garray_astype(norm, (garray_dtype)result, &norm);
    if (st == GARRAY_OK && keepdims) {
        for (int i = 0; i < x->ndim; i++)
            shape[i] = gone[i] ? 1 : x->shape[i];
        st = garray_reshape(norm, (garray_shape){ x->ndim, shape }, &norm);
    }
    if (st == GARRAY_OK)
        return garray__result_assign(out, norm);
    garray_release(norm);
    return st;
}

static garray_status check_options(const garray_norm_opts *opts, double missing, int *kind, double *ord)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    *kind = opts ? (int)opts->kind : 0;
    *ord = missing;
    if (!opts)
        return GARRAY_OK;
    GARRAY_REQUIRE(*kind >= 0 && *kind <= GARRAY_NORM_NUCLEAR, INVALID, "kind %d is no norm", *kind);
    GARRAY_REQUIRE(!*kind || opts->ord.kind == GARRAY_OPERAND_NONE, INVALID, "both ord and kind are given");
    return garray__real_option(&opts->ord, "ord", missing, ord);
}

garray_status garray_linalg_vector_norm(const garray_t *x, garray_axes axes, const garray_norm_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_vector_norm");
    garray_t *numbers = NULL, *norm = NULL;
    bool set[GARRAY_MAX_NDIM];
    int kind, result = 0;
    double ord;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts, 2, &kind, &ord);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!kind, INVALID, "Invalid norm order '%s' for vectors", kind == GARRAY_NORM_NUCLEAR ? "nuc" : "fro");
    GARRAY__TRY(open_numbers(x, &numbers, &result));
    GARRAY__TRY(garray__axis_set(axes, x->ndim, set));
    GARRAY__TRY(vector_norm(numbers, axes, ord, &norm));
    st = finish(norm, x, set, opts && opts->keepdims, result, out);
    norm = NULL;
done:
    garray_release(numbers);
    garray_release(norm);
    return st;
}

/* x with the axes rows and columns last. */
static garray_status matrices_last(const garray_t *x, int rows, int columns, garray_t **out)
{
    const int32_t from[2] = { rows, columns }, to[2] = { -2, -1 };
    if (rows == x->ndim - 2 && columns == x->ndim - 1) {
        *out = garray__share(x);
        return GARRAY_OK;
    }
    return garray_moveaxis(x, (garray_axes){ 2, from }, (garray_axes){ 2, to }, out);
}

static garray_status norm_of_matrices(const garray_t *x, int rows, int columns, int kind, double ord, bool keepdims,
                                      garray_t **out)
{
    garray_t *numbers = NULL, *turned = NULL, *norm = NULL;
    bool gone[GARRAY_MAX_NDIM] = { 0 };
    int result = 0;
    garray_status st;
    gone[rows] = gone[columns] = true;
    if (!kind && isnan(ord))
        kind = GARRAY_NORM_FROBENIUS;
    GARRAY__TRY(open_numbers(x, &numbers, &result));
    GARRAY__TRY(matrices_last(numbers, rows, columns, &turned));
    /* as linalg's factorizations: 16-bit floats have no singular values */
    if (kind == GARRAY_NORM_NUCLEAR || (!kind && fabs(ord) == 2)) {
        int unused;
        GARRAY__TRY(garray__lapack_dtype(x->dtype, &unused));
    }
    GARRAY__TRY(matrix_norm(turned, kind, ord, &norm));
    st = finish(norm, x, gone, keepdims, result, out);
    norm = NULL;
done:
    garray_release(numbers);
    garray_release(turned);
    garray_release(norm);
    return st;
}

garray_status garray_linalg_matrix_norm(const garray_t *x, const garray_norm_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_matrix_norm");
    int kind;
    double ord;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts, NAN, &kind, &ord);
    if (st == GARRAY_OK)
        st = garray__check_matrix(x);
    if (st != GARRAY_OK)
        return st;
    return norm_of_matrices(x, x->ndim - 2, x->ndim - 1, kind, ord, opts && opts->keepdims, out);
}

garray_status garray_linalg_norm(const garray_t *x, garray_axes axes, const garray_norm_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_norm");
    static const int32_t own[2] = { 0, 1 };
    garray_norm_opts plain = { 0 };
    int kind, rows, columns;
    double ord;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts, NAN, &kind, &ord);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    const bool all = axes.n == 0 && !axes.v;
    if (all && !kind && isnan(ord)) {
        plain.keepdims = opts && opts->keepdims;
        return garray_linalg_vector_norm(x, axes, &plain, out);
    }
    if (all && x->ndim <= 2)
        axes = (garray_axes){ x->ndim, own };
    if (axes.n == 1)
        return garray_linalg_vector_norm(x, axes, opts, out);
    GARRAY_REQUIRE(axes.n == 2, INVALID, "Improper number of dimensions to norm.");
    st = garray__axis(axes.v[0], x->ndim, &rows);
    if (st == GARRAY_OK)
        st = garray__axis(axes.v[1], x->ndim, &columns);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(rows != columns, AXIS, "Duplicate axes given.");
    return norm_of_matrices(x, rows, columns, kind, ord, opts && opts->keepdims, out);
}

/* ---- condition ---- */

/* The ratio of singular values. */
static garray_status singular_ratio(const garray_t *x, bool inverted, garray_t **out)
{
    garray_t *s = NULL, *first = NULL, *last = NULL;
    const int32_t at = -1;
    garray_status st;
    GARRAY__TRY(garray_linalg_svdvals(x, &s));
    const int axis = s->ndim - 1;
    GARRAY__TRY(garray__part(s, axis, 0, 1, &first));
    GARRAY__TRY(garray__part(s, axis, s->shape[axis] - 1, 1, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(inverted ? last : first), GARRAY__ARR(inverted ? first : last), 0,
                               &s));
    st = garray_squeeze(s, (garray_axes){ 1, &at }, out);
done:
    garray_release(s);
    garray_release(first);
    garray_release(last);
    return st;
}

/* The nuclear norm of x times that of its inverse, both by the singular values of x: the inverse of a singular matrix has
 * none. */
static garray_status nuclear_product(const garray_t *x, garray_t **out)
{
    garray_t *s = NULL, *sum = NULL, *inverse = NULL;
    const int32_t last = -1;
    garray_status st;
    GARRAY__TRY(garray_linalg_svdvals(x, &s));
    GARRAY__TRY(garray_sum(s, (garray_axes){ 1, &last }, NULL, &sum));
    GARRAY__TRY(garray__unary(GARRAY_OP_reciprocal, GARRAY__ARR(s), &inverse));
    GARRAY__TRY(garray_sum(inverse, (garray_axes){ 1, &last }, NULL, &inverse));
    st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(sum), GARRAY__ARR(inverse), 0, out);
done:
    garray_release(s);
    garray_release(sum);
    garray_release(inverse);
    return st;
}

/* The norms of x and of its inverse, multiplied. */
static garray_status norms_multiplied(const garray_t *x, int kind, double ord, garray_t **out)
{
    garray_t *inverse = NULL, *own = NULL, *other = NULL;
    garray_status st;
    GARRAY__TRY(garray__inverse(x, false, &inverse));
    GARRAY__TRY(matrix_norm(x, kind, ord, &own));
    GARRAY__TRY(matrix_norm(inverse, kind, ord, &other));
    st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(own), GARRAY__ARR(other), 0, out);
done:
    garray_release(inverse);
    garray_release(own);
    garray_release(other);
    return st;
}

/* NaN becomes infinite, unless x has a NaN itself. */
static garray_status without_nan(const garray_t *ratio, const garray_t *x, garray_t **out)
{
    const int32_t both[2] = { -2, -1 };
    garray_t *bad = NULL, *own = NULL;
    garray_status st;
    GARRAY__TRY(garray__unary(GARRAY_OP_isnan, GARRAY__ARR(x), &own));
    GARRAY__TRY(garray_any(own, (garray_axes){ 2, both }, NULL, &own));
    GARRAY__TRY(garray__unary(GARRAY_OP_logical_not, GARRAY__ARR(own), &own));
    GARRAY__TRY(garray__unary(GARRAY_OP_isnan, GARRAY__ARR(ratio), &bad));
    GARRAY__TRY(garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(bad), GARRAY__ARR(own), 0, &bad));
    st = garray__choose(bad, garray_operand_double(INFINITY), GARRAY__ARR(ratio), out);
done:
    garray_release(bad);
    garray_release(own);
    return st;
}

garray_status garray_linalg_cond(const garray_t *x, const garray_norm_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_cond");
    garray_t *numbers = NULL, *ratio = NULL;
    int kind, dtype = 0;
    double ord;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts, 2, &kind, &ord);
    if (st == GARRAY_OK)
        st = garray__check_matrix(x);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(x->dtype, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!opts || !opts->keepdims, INVALID, "keepdims has no meaning here");
    GARRAY_REQUIRE(x->shape[x->ndim - 1] > 0 && x->shape[x->ndim - 2] > 0, SHAPE, "cond is not defined on empty arrays");
    GARRAY__TRY(garray__contiguous(x, dtype, &numbers));
    if (!kind && fabs(ord) == 2) {
        GARRAY__TRY(singular_ratio(numbers, ord < 0, &ratio));
    } else {
        GARRAY__TRY(garray__check_square(x));
        if (kind == GARRAY_NORM_NUCLEAR)
            GARRAY__TRY(nuclear_product(numbers, &ratio));
        else
            GARRAY__TRY(norms_multiplied(numbers, kind, ord, &ratio));
    }
    st = without_nan(ratio, numbers, out);
done:
    garray_release(numbers);
    garray_release(ratio);
    return st;
}
