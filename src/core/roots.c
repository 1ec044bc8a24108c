/* SPDX-License-Identifier: BSD-3-Clause
 * Polynomials and their roots, as NumPy finds them: eigenvalues of the companion matrix. */
#include "core/compose.h"
#include "core/result.h"
#include "garray/decompose.h"
#include "garray/diagonal.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/polynomial.h"
#include "garray/rearrange.h"
#include "garray/shape.h"
#include "garray/signal.h"
#include "garray/sort.h"

/* ---- poly ---- */

/* Whether complex roots come in conjugate pairs.  Waits. */
static garray_status are_pairs(const garray_t *zeros, bool *answer)
{
    garray_t *one = NULL, *other = NULL, *same = NULL;
    garray_status st = garray_sort(zeros, 0, NULL, &one);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_conj, GARRAY__ARR(zeros), &other);
    if (st == GARRAY_OK)
        st = garray_sort(other, 0, NULL, &other);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_equal, GARRAY__ARR(one), GARRAY__ARR(other), 0, &same);
    if (st == GARRAY_OK)
        st = garray__is_all(same, answer);
    garray_release(one);
    garray_release(other);
    garray_release(same);
    return st;
}

/* The product of x - z for all zeros z, multiplied out one by one. */
static garray_status multiply_out(const garray_t *zeros, garray_t **out)
{
    garray_t *factors = NULL, *y = NULL, *row = NULL, *part = NULL;
    const int64_t n = zeros->size, one = 1, shape[2] = { n, 2 }, column[2] = { n, 1 };
    const garray_operand unit = garray_operand_int(1);
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__new(zeros->dtype, 2, shape, garray__device_of(zeros), &factors));
    GARRAY__TRY(garray__fill(factors, &unit));
    GARRAY__TRY(garray__part(factors, 1, 1, 1, &part));
    GARRAY__TRY(garray_reshape(zeros, (garray_shape){ 2, column }, &row));
    GARRAY__TRY(garray__unary(GARRAY_OP_negative, GARRAY__ARR(row), garray_into(part)));
    GARRAY__TRY(garray__new(zeros->dtype, 1, &one, garray__device_of(zeros), &y));
    GARRAY__TRY(garray__fill(y, &unit));
    for (int64_t i = 0; i < n; i++) {
        garray_release(part);
        part = NULL;
        GARRAY__TRY(garray__part(factors, 0, i, 1, &part));
        GARRAY__TRY(garray_reshape(part, (garray_shape){ 1, shape + 1 }, &row));
        GARRAY__TRY((garray_convolve)(GARRAY__ARR(y), GARRAY__ARR(row), NULL, &y));
    }
    *out = garray_retain(y);
done:
    garray_release(factors);
    garray_release(y);
    garray_release(row);
    garray_release(part);
    return st;
}

garray_status garray_poly(const garray_t *zeros, garray_t **out)
{
    GARRAY_ENTER("garray_poly");
    garray_t *z = NULL, *y = NULL;
    const int64_t one = 1;
    bool pairs = false;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(zeros, INVALID, "zeros is NULL");
    GARRAY_REQUIRE(zeros->ndim < 2 || (zeros->ndim == 2 && zeros->shape[0] == zeros->shape[1] && zeros->size > 0), SHAPE,
                   "input must be 1d or non-empty square 2d array.");
    const bool wide = garray__kind_of(zeros->dtype) < GARRAY__K_FLOAT || garray__size_of(zeros->dtype) == 2;
    GARRAY__TRY(garray__contiguous(zeros, wide ? GARRAY_FLOAT64 : 0, &z));
    if (z->ndim == 2)
        GARRAY__TRY(garray_linalg_eigvals(z, &z));
    else if (z->ndim == 0)
        GARRAY__TRY(garray_reshape(z, (garray_shape){ 1, &one }, &z));
    GARRAY__TRY(multiply_out(z, &y));
    if (garray__kind_of(y->dtype) == GARRAY__K_COMPLEX) {
        GARRAY__TRY(are_pairs(z, &pairs));
        if (pairs)
            GARRAY__TRY(garray__unary(GARRAY_OP_real, GARRAY__ARR(y), &y));
    }
    st = garray__result_assign(out, garray_retain(y));
done:
    garray_release(z);
    garray_release(y);
    return st;
}

/* ---- roots ---- */

/* p from its first to its last coefficient that is not 0, and how many zeros follow.  Waits. */
static garray_status strip(garray_t **p, int64_t *zeros)
{
    garray_t *places = NULL, *part = NULL;
    int64_t first = 0, last = -1;
    garray_status st = garray_flatnonzero(*p, &places);
    if (st == GARRAY_OK && places->size > 0) {
        st = garray__part(places, 0, 0, 1, &part);
        if (st == GARRAY_OK)
            st = garray_to_host(part, &first, NULL, sizeof first);
        garray_release(part);
        part = NULL;
        if (st == GARRAY_OK)
            st = garray__part(places, 0, places->size - 1, 1, &part);
        if (st == GARRAY_OK)
            st = garray_to_host(part, &last, NULL, sizeof last);
        garray_release(part);
        part = NULL;
    }
    garray_release(places);
    if (st != GARRAY_OK)
        return st;
    *zeros = last < 0 ? 0 : (*p)->size - 1 - last;
    st = garray__part(*p, 0, first, last + 1 - first, &part);
    if (st == GARRAY_OK) {
        garray_release(*p);
        *p = part;
    }
    return st;
}

/* The matrix whose characteristic polynomial is p, of at least 2 coefficients. */
static garray_status companion(const garray_t *p, garray_t **out)
{
    garray_t *a = NULL, *row = NULL, *rest = NULL, *lead = NULL;
    const int64_t n = p->size - 1, shape[2] = { 1, n };
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_eye(n, n, -1, (garray_dtype)p->dtype, garray_device_of(p), &a));
    GARRAY__TRY(garray__part(a, 0, 0, 1, &row));
    GARRAY__TRY(garray__part(p, 0, 1, n, &rest));
    GARRAY__TRY(garray__part(p, 0, 0, 1, &lead));
    GARRAY__TRY(garray__unary(GARRAY_OP_negative, GARRAY__ARR(rest), &rest));
    GARRAY__TRY(garray_reshape(rest, (garray_shape){ 2, shape }, &rest));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(rest), GARRAY__ARR(lead), 0, garray_into(row)));
    *out = garray_retain(a);
done:
    garray_release(a);
    garray_release(row);
    garray_release(rest);
    garray_release(lead);
    return st;
}

garray_status garray_roots(const garray_t *p, garray_t **out)
{
    GARRAY_ENTER("garray_roots");
    garray_t *x = NULL, *a = NULL, *found = NULL, *none = NULL;
    const garray_operand nothing = garray_operand_int(0);
    const int64_t one = 1;
    int64_t zeros = 0;
    bool real = false;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p, INVALID, "p is NULL");
    GARRAY_REQUIRE(p->ndim <= 1, SHAPE, "Input must be a rank-1 array.");
    const int dtype = garray__kind_of(p->dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64
                      : garray__size_of(p->dtype) == 2            ? GARRAY_FLOAT32
                                                                  : p->dtype;
    GARRAY__TRY(garray__contiguous(p, dtype, &x));
    if (x->ndim == 0)
        GARRAY__TRY(garray_reshape(x, (garray_shape){ 1, &one }, &x));
    GARRAY__TRY(strip(&x, &zeros));
    if (x->size > 1) {
        GARRAY__TRY(companion(x, &a));
        GARRAY__TRY(garray_linalg_eigvals(a, &found));
    }
    if (found && garray__kind_of(dtype) != GARRAY__K_COMPLEX) {
        GARRAY__TRY(garray__unary(GARRAY_OP_isreal, GARRAY__ARR(found), &a));
        GARRAY__TRY(garray__is_all(a, &real));
        if (real)
            GARRAY__TRY(garray__unary(GARRAY_OP_real, GARRAY__ARR(found), &found));
    }
    GARRAY__TRY(garray__new(found ? found->dtype : dtype, 1, &zeros, garray__device_of(p), &none));
    GARRAY__TRY(garray__fill(none, &nothing));
    if (found)
        GARRAY__TRY(garray_concat((garray_list){ 2, (const garray_t *const[]){ found, none } }, 0, &none));
    st = garray__result_assign(out, garray_retain(none));
done:
    garray_release(x);
    garray_release(a);
    garray_release(found);
    garray_release(none);
    return st;
}
