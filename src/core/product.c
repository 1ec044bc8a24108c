/* SPDX-License-Identifier: BSD-3-Clause
 * dot, inner, vdot, outer, matvec, vecmat, tensordot, kron, cross: axes in order for matmul, or elementwise products. */
#include <stdlib.h>
#include <string.h>
#include "core/elementwise.h"
#include "core/product.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/linalg.h"
#include "garray/math.h"
#include "garray/product.h"
#include "garray/shape.h"

#define ARR(x) garray_operand_array(x)

garray_status garray__permuted(const garray_t *x, const int32_t *order, garray_t **out)
{
    return garray_permute_dims(x, (garray_axes){ x->ndim, order }, out);
}

garray_status garray__list_dtype(garray_list arrays, int *dtype)
{
    garray_dtype result;
    garray_operand *operands = malloc(sizeof *operands * (size_t)arrays.n);
    if (!operands)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for %lld arrays", (long long)arrays.n);
    for (int64_t i = 0; i < arrays.n; i++)
        operands[i] = ARR(arrays.v[i]);
    garray_status st = garray_result_type((int)arrays.n, operands, &result);
    *dtype = (int)result;
    free(operands);
    return st;
}

static int64_t product_of(const int64_t *shape, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        p *= shape[i];
    return p;
}

garray_status garray__contract(const garray_t *a, const garray_t *b, int nbatch, int nsummed, garray_t **out)
{
    garray_t *left = NULL, *right = NULL, *product = NULL;
    int free_a = a->ndim - nbatch - nsummed, free_b = b->ndim - nbatch - nsummed;
    int64_t shape[2 * GARRAY_MAX_NDIM], stacked[GARRAY_MAX_NDIM + 2];
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(nbatch + free_a + free_b <= GARRAY_MAX_NDIM, SHAPE, "the result has %d axes; at most %d are possible",
                  nbatch + free_a + free_b, GARRAY_MAX_NDIM);
    int64_t summed = product_of(b->shape + nbatch, nsummed);
    /* the batch is one axis for matmul: it has a limit of its own on the number of axes */
    int64_t batch = product_of(a->shape, nbatch);
    stacked[0] = batch;
    stacked[1] = product_of(a->shape + nbatch, free_a);
    stacked[2] = summed;
    GARRAY__TRY(garray_reshape(a, (garray_shape){ 2 + (nbatch > 0), stacked + (nbatch == 0) }, &left));
    stacked[1] = summed;
    stacked[2] = product_of(b->shape + nbatch + nsummed, free_b);
    GARRAY__TRY(garray_reshape(b, (garray_shape){ 2 + (nbatch > 0), stacked + (nbatch == 0) }, &right));
    memcpy(shape, a->shape, sizeof(int64_t) * (size_t)(nbatch + free_a));
    memcpy(shape + nbatch + free_a, b->shape + nbatch + nsummed, sizeof(int64_t) * (size_t)free_b);
    GARRAY__TRY((garray_matmul)(ARR(left), ARR(right), &product));
    st = garray_reshape(product, (garray_shape){ nbatch + free_a + free_b, shape }, out);
done:
    garray_release(left);
    garray_release(right);
    garray_release(product);
    return st;
}

/* Both operands as arrays of one device; a number becomes an array without axes of the dtype that it has beside the
 * other one. */
static garray_status open_both(const garray_operand *a, const garray_operand *b, garray_t **xa, garray_t **xb)
{
    const garray_operand both[2] = { *a, *b };
    garray_t **x[2] = { xa, xb };
    garray_status st = garray__operand_check(a, "the first operand");
    if (st == GARRAY_OK)
        st = garray__operand_check(b, "the second operand");
    if (st != GARRAY_OK)
        return st;
    int first = a->kind == GARRAY_OPERAND_ARRAY ? 0 : 1;
    GARRAY_REQUIRE(both[first].kind == GARRAY_OPERAND_ARRAY, INVALID, "both operands are numbers; one must be an array");
    garray__device *device = garray__device_of(both[first].array);
    for (int i = 0; i < 2 && st == GARRAY_OK; i++) {
        if (both[i].kind == GARRAY_OPERAND_ARRAY) {
            st = garray__same_device(device, both[i].array);
            if (st == GARRAY_OK)
                st = garray__operand_array(&both[i], x[i]);
        } else {
            garray_dtype dtype;
            st = garray_result_type(2, both, &dtype);
            if (st == GARRAY_OK)
                st = garray__new((int)dtype, 0, NULL, device, x[i]);
            if (st == GARRAY_OK)
                st = garray__fill(*x[i], &both[i]);
        }
    }
    if (st != GARRAY_OK) {
        garray_release(*xa);
        garray_release(*xb);
        *xa = *xb = NULL;
    }
    return st;
}

static garray_status lengths_differ(const garray_t *a, const garray_t *b, int i, int j)
{
    char x[GARRAY__SHAPE_TEXT], y[GARRAY__SHAPE_TEXT];
    return garray__fail(GARRAY_ERR_SHAPE, "shapes %s and %s do not match: %lld (axis %d) and %lld (axis %d) differ",
                        garray__shape_text(a->ndim, a->shape, x), garray__shape_text(b->ndim, b->shape, y),
                        (long long)a->shape[i], i, (long long)b->shape[j], j);
}

/* The sum over n pairs of axes, checked for lengths; out is a fresh array. */
static garray_status sum_pairs(const garray_t *a, const garray_t *b, int n, const int *ia, const int *ib, garray_t **out)
{
    garray_t *left = NULL, *right = NULL;
    int32_t order_a[GARRAY_MAX_NDIM], order_b[GARRAY_MAX_NDIM];
    bool summed_a[GARRAY_MAX_NDIM] = { false }, summed_b[GARRAY_MAX_NDIM] = { false };
    garray_status st = GARRAY_OK;
    for (int i = 0; i < n; i++) {
        if (a->shape[ia[i]] != b->shape[ib[i]])
            return lengths_differ(a, b, ia[i], ib[i]);
        summed_a[ia[i]] = summed_b[ib[i]] = true;
    }
    int na = 0, nb = 0;
    for (int i = 0; i < a->ndim; i++)
        if (!summed_a[i])
            order_a[na++] = i;
    for (int i = 0; i < n; i++) {
        order_a[na++] = ia[i];
        order_b[nb++] = ib[i];
    }
    for (int i = 0; i < b->ndim; i++)
        if (!summed_b[i])
            order_b[nb++] = i;
    GARRAY__TRY(garray__permuted(a, order_a, &left));
    GARRAY__TRY(garray__permuted(b, order_b, &right));
    st = garray__contract(left, right, 0, n, out);
done:
    garray_release(left);
    garray_release(right);
    return st;
}

/* dot (back 2) and inner (back 1): over the last axis of a and the one `back` from the end of b. */
static garray_status dot(const garray_operand *a, const garray_operand *b, int back, garray_t **out)
{
    garray_t *xa = NULL, *xb = NULL, *result = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(a, b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    if (xa->ndim == 0 || xb->ndim == 0) {
        /* the operands as they were given: numbers stay weak */
        const garray_operand both[2] = { *a, *b };
        st = garray__elementwise(GARRAY_OP_multiply, 2, both, 0, out);
    } else {
        int ia = xa->ndim - 1, ib = xb->ndim >= back ? xb->ndim - back : 0;
        GARRAY__TRY(sum_pairs(xa, xb, 1, &ia, &ib, &result));
        st = garray__result_assign(out, result);
        result = NULL;
    }
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(result);
    return st;
}

garray_status (garray_dot)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_dot");
    return dot(&a, &b, 2, out);
}

garray_status (garray_inner)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_inner");
    return dot(&a, &b, 1, out);
}

garray_status (garray_vdot)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_vdot");
    garray_t *xa = NULL, *xb = NULL, *fa = NULL, *fb = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(&a, &b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    GARRAY__CHECK(xa->size == xb->size, SHAPE, "the arrays have %lld and %lld elements", (long long)xa->size, (long long)xb->size);
    GARRAY__TRY(garray_ravel(xa, &fa));
    GARRAY__TRY(garray_ravel(xb, &fb));
    st = (garray_vecdot)(ARR(fa), ARR(fb), -1, out);
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(fa);
    garray_release(fb);
    return st;
}

garray_status (garray_outer)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_outer");
    garray_t *xa = NULL, *xb = NULL, *fa = NULL, *fb = NULL;
    garray_operand both[2];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(&a, &b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    const int64_t column[2] = { xa->size, 1 }, row[2] = { 1, xb->size };
    GARRAY__TRY(garray_reshape(xa, (garray_shape){ 2, column }, &fa));
    GARRAY__TRY(garray_reshape(xb, (garray_shape){ 2, row }, &fb));
    both[0] = ARR(fa);
    both[1] = ARR(fb);
    st = garray__elementwise(GARRAY_OP_multiply, 2, both, 0, out);
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(fa);
    garray_release(fb);
    return st;
}

/* A vector operand gets an axis at `at`, which the product loses again. */
static garray_status by_vector(const garray_operand *a, const garray_operand *b, bool vector_first, garray_t **out)
{
    garray_t *xa = NULL, *xb = NULL, *vector = NULL, *product = NULL, *result = NULL;
    garray_operand left, right;
    const int32_t at = vector_first ? -2 : -1;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(a, b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    const garray_t *matrix = vector_first ? xb : xa, *x = vector_first ? xa : xb;
    GARRAY__CHECK(matrix->ndim >= 2, SHAPE, "the matrix has %d axes, needs 2", matrix->ndim);
    GARRAY__CHECK(x->ndim >= 1, SHAPE, "the vector has no axis");
    GARRAY__TRY(garray_expand_dims(x, (garray_axes){ 1, &at }, &vector));
    left = ARR(vector_first ? vector : xa);
    right = ARR(vector_first ? xb : vector);
    if (vector_first)
        left.flags = GARRAY_OPERAND_CONJUGATE;
    GARRAY__TRY((garray_matmul)(left, right, &product));
    GARRAY__TRY(garray_squeeze(product, (garray_axes){ 1, &at }, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(vector);
    garray_release(product);
    garray_release(result);
    return st;
}

garray_status (garray_matvec)(garray_operand a, garray_operand x, garray_t **out)
{
    GARRAY_ENTER("garray_matvec");
    return by_vector(&a, &x, false, out);
}

garray_status (garray_vecmat)(garray_operand x, garray_operand a, garray_t **out)
{
    GARRAY_ENTER("garray_vecmat");
    return by_vector(&x, &a, true, out);
}

/* Axes in the order they were given, each once; all of them for GARRAY_ALL_AXES. */
static garray_status open_axes(garray_axes axes, int ndim, int *n, int *to)
{
    bool set[GARRAY_MAX_NDIM];
    garray_status st = garray__axis_set(axes, ndim, set);
    *n = axes.v ? (int)axes.n : ndim;
    for (int i = 0; i < *n && st == GARRAY_OK; i++)
        if (axes.v)
            st = garray__axis(axes.v[i], ndim, &to[i]);
        else
            to[i] = i;
    return st;
}

static garray_status tensordot(const garray_operand *a, const garray_operand *b, garray_axes axes_a, garray_axes axes_b,
                               garray_t **out)
{
    garray_t *xa = NULL, *xb = NULL, *result = NULL;
    int na, nb, ia[GARRAY_MAX_NDIM], ib[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(a, b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_axes(axes_a, xa->ndim, &na, ia));
    GARRAY__TRY(open_axes(axes_b, xb->ndim, &nb, ib));
    GARRAY__CHECK(na == nb, SHAPE, "%d axes of the first and %d of the second array cannot be paired", na, nb);
    GARRAY__TRY(sum_pairs(xa, xb, na, ia, ib, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(result);
    return st;
}

garray_status (garray_tensordot)(garray_operand a, garray_operand b, garray_axes axes_a, garray_axes axes_b, garray_t **out)
{
    GARRAY_ENTER("garray_tensordot");
    return tensordot(&a, &b, axes_a, axes_b, out);
}

garray_status (garray_tensordot_n)(garray_operand a, garray_operand b, int n, garray_t **out)
{
    GARRAY_ENTER("garray_tensordot_n");
    int32_t last[GARRAY_MAX_NDIM], first[GARRAY_MAX_NDIM];
    garray_status st = garray__operand_check(&a, "a");
    if (st == GARRAY_OK)
        st = garray__operand_check(&b, "b");
    if (st != GARRAY_OK)
        return st;
    const int na = a.kind == GARRAY_OPERAND_ARRAY ? a.array->ndim : 0, nb = b.kind == GARRAY_OPERAND_ARRAY ? b.array->ndim : 0;
    GARRAY_REQUIRE(n >= 0 && n <= na && n <= nb, AXIS, "%d axes cannot be summed over: the arrays have %d and %d", n, na, nb);
    for (int i = 0; i < n; i++) {
        last[i] = na - n + i;
        first[i] = i;
    }
    return tensordot(&a, &b, (garray_axes){ n, last }, (garray_axes){ n, first }, out);
}

garray_status (garray_kron)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_kron");
    garray_t *xa = NULL, *xb = NULL, *fa = NULL, *fb = NULL, *product = NULL, *result = NULL;
    int64_t wide_a[GARRAY_MAX_NDIM], wide_b[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM];
    garray_operand both[2];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(&a, &b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    int ndim = xa->ndim > xb->ndim ? xa->ndim : xb->ndim;
    GARRAY__CHECK(2 * ndim <= GARRAY_MAX_NDIM, SHAPE, "the arrays have %d and %d axes; at most %d are possible", xa->ndim, xb->ndim,
                  GARRAY_MAX_NDIM / 2);
    for (int i = 0; i < ndim; i++) {
        int64_t la = i < ndim - xa->ndim ? 1 : xa->shape[i - (ndim - xa->ndim)];
        int64_t lb = i < ndim - xb->ndim ? 1 : xb->shape[i - (ndim - xb->ndim)];
        wide_a[2 * i] = la;
        wide_b[2 * i + 1] = lb;
        wide_a[2 * i + 1] = wide_b[2 * i] = 1;
        GARRAY__CHECK(!__builtin_mul_overflow(la, lb, &shape[i]), SHAPE, "the result is too large");
    }
    GARRAY__TRY(garray_reshape(xa, (garray_shape){ 2 * ndim, wide_a }, &fa));
    GARRAY__TRY(garray_reshape(xb, (garray_shape){ 2 * ndim, wide_b }, &fb));
    both[0] = ARR(fa);
    both[1] = ARR(fb);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_multiply, 2, both, 0, &product));
    GARRAY__TRY(garray_reshape(product, (garray_shape){ ndim, shape }, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(fa);
    garray_release(fb);
    garray_release(product);
    garray_release(result);
    return st;
}

/* out = a[i] * b[j] - a[j] * b[i], items of the last axis. */
static garray_status minor(const garray_t *a, const garray_t *b, int i, int j, garray_t *out)
{
    garray_t *part[4] = { NULL }, *p = NULL, *q = NULL;
    const garray_t *from[4] = { a, b, a, b };
    const int at[4] = { i, j, j, i };
    garray_operand both[2];
    garray_status st = GARRAY_OK;
    for (int k = 0; k < 4; k++)
        GARRAY__TRY(garray_getitem(from[k], GARRAY_AT(GARRAY_ELLIPSIS, at[k]), &part[k]));
    for (int k = 0; k < 4; k += 2) {
        both[0] = ARR(part[k]);
        both[1] = ARR(part[k + 1]);
        GARRAY__TRY(garray__elementwise(GARRAY_OP_multiply, 2, both, 0, k ? &q : &p));
    }
    both[0] = ARR(p);
    both[1] = ARR(q);
    st = garray__elementwise(GARRAY_OP_subtract, 2, both, 0, garray_into(out));
done:
    for (int k = 0; k < 4; k++)
        garray_release(part[k]);
    garray_release(p);
    garray_release(q);
    return st;
}

garray_status (garray_cross)(garray_operand a, garray_operand b, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_cross");
    garray_t *xa = NULL, *xb = NULL, *va = NULL, *vb = NULL, *result = NULL, *item = NULL, *turned = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_shape given[2], common;
    const int32_t from = axis, last = -1;
    int at;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_both(&a, &b, &xa, &xb);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray_moveaxis(xa, (garray_axes){ 1, &from }, (garray_axes){ 1, &last }, &va));
    GARRAY__TRY(garray_moveaxis(xb, (garray_axes){ 1, &from }, (garray_axes){ 1, &last }, &vb));
    GARRAY__CHECK(va->shape[va->ndim - 1] == 3 && vb->shape[vb->ndim - 1] == 3, SHAPE,
                  "the vectors have %lld and %lld elements; both must have 3", (long long)va->shape[va->ndim - 1],
                  (long long)vb->shape[vb->ndim - 1]);
    int dtype = garray__promote(va->dtype, vb->dtype);
    GARRAY__CHECK(dtype != GARRAY_BOOL, DTYPE, "boolean arrays cannot be subtracted");
    given[0] = garray_shape_of(va);
    given[1] = garray_shape_of(vb);
    GARRAY__TRY(garray_broadcast_shapes(2, given, shape, &common));
    GARRAY__TRY(garray__new(dtype, (int)common.n, shape, garray__device_of(va), &result));
    for (int i = 0; i < 3; i++) {
        GARRAY__TRY(garray_getitem(result, GARRAY_AT(GARRAY_ELLIPSIS, i), &item));
        GARRAY__TRY(minor(va, vb, (i + 1) % 3, (i + 2) % 3, item));
    }
    GARRAY__TRY(garray__axis(axis, result->ndim, &at));
    GARRAY__TRY(garray_moveaxis(result, (garray_axes){ 1, &last }, (garray_axes){ 1, &at }, &turned));
    st = garray__result_assign(out, turned);
    turned = NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(va);
    garray_release(vb);
    garray_release(result);
    garray_release(item);
    garray_release(turned);
    return st;
}
