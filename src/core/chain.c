/* SPDX-License-Identifier: BSD-3-Clause
 * Products of several matrices: multi_dot and matrix_power. */
#include <stdlib.h>
#include <string.h>
#include "core/linalg.h"
#include "core/product.h"
#include "core/result.h"
#include "garray/linalg.h"
#include "garray/product.h"
#include "garray/shape.h"

#define ARR(x) garray_operand_array(x)

/* The classic dynamic programme over chains: split[i * n + j] says where the cheapest product of matrices i to j is cut
 * (Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, 15.2).  Matrix i is p[i] by p[i + 1]. */
static garray_status find_splits(int n, const int64_t *p, int *split)
{
    double *cost = calloc((size_t)n * (size_t)n, sizeof *cost);
    if (!cost)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for %d matrices", n);
    for (int length = 1; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            int j = i + length;
            cost[i * n + j] = -1;
            for (int k = i; k < j; k++) {
                double c = cost[i * n + k] + cost[(k + 1) * n + j] + (double)p[i] * (double)p[k + 1] * (double)p[j + 1];
                if (cost[i * n + j] < 0 || c < cost[i * n + j]) {
                    cost[i * n + j] = c;
                    split[i * n + j] = k;
                }
            }
        }
    free(cost);
    return GARRAY_OK;
}

/* The product of matrices i to j; the depth of the recursion is at most their number. */
static garray_status multiply(garray_t *const *matrices, int n, const int *split, int i, int j, garray_t **out)
{
    garray_t *left = NULL, *right = NULL;
    if (i == j) {
        *out = garray_retain(matrices[i]);
        return GARRAY_OK;
    }
    int k = split[i * n + j];
    garray_status st = multiply(matrices, n, split, i, k, &left);
    if (st == GARRAY_OK)
        st = multiply(matrices, n, split, k + 1, j, &right);
    if (st == GARRAY_OK)
        st = (garray_matmul)(ARR(left), ARR(right), out);
    garray_release(left);
    garray_release(right);
    return st;
}

#define MOST_MATRICES 1024

static garray_status check_chain(garray_list arrays)
{
    GARRAY_REQUIRE(arrays.v && arrays.n >= 2, INVALID, "at least two arrays are needed");
    GARRAY_REQUIRE(arrays.n <= MOST_MATRICES, INVALID, "%lld arrays; at most %d are possible", (long long)arrays.n, MOST_MATRICES);
    for (int64_t i = 0; i < arrays.n; i++) {
        const garray_t *x = arrays.v[i];
        GARRAY_REQUIRE(x, INVALID, "array %lld is NULL", (long long)i);
        bool end = i == 0 || i == arrays.n - 1;
        GARRAY_REQUIRE(x->ndim == 2 || (end && x->ndim == 1), SHAPE, "array %lld has %d axes; %s", (long long)i, x->ndim,
                       end ? "the first and the last must have 1 or 2" : "it must have 2");
        garray_status st = garray__same_device(garray__device_of(arrays.v[0]), x);
        if (st != GARRAY_OK)
            return st;
    }
    return GARRAY_OK;
}

garray_status garray_linalg_multi_dot(garray_list arrays, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_multi_dot");
    garray_t *product = NULL, *result = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_chain(arrays);
    if (st != GARRAY_OK)
        return st;
    int n = (int)arrays.n;
    bool row = arrays.v[0]->ndim == 1, column = arrays.v[n - 1]->ndim == 1;
    garray_t **matrices = calloc((size_t)n, sizeof *matrices);
    int64_t *p = calloc((size_t)n + 1, sizeof *p);
    int *split = calloc((size_t)n * (size_t)n, sizeof *split);
    GARRAY__CHECK(matrices && p && split, NOMEM, "no host memory for %d matrices", n);
    int dtype;
    GARRAY__TRY(garray__list_dtype(arrays, &dtype));
    for (int i = 0; i < n; i++) {
        const garray_t *x = arrays.v[i];
        if (x->ndim == 1) {
            const int32_t at = i == 0 ? 0 : 1;
            GARRAY__TRY(garray_expand_dims(x, (garray_axes){ 1, &at }, &matrices[i]));
        } else
            matrices[i] = garray__share(x);
        /* all in the dtype of the result: which pairs are joined first must not show */
        if (x->dtype != dtype)
            GARRAY__TRY(garray_astype(matrices[i], (garray_dtype)dtype, &matrices[i]));
        GARRAY__CHECK(i == 0 || matrices[i]->shape[0] == p[i], SHAPE, "arrays %d and %d do not match: %lld columns, %lld rows",
                      i - 1, i, (long long)p[i], (long long)matrices[i]->shape[0]);
        p[i] = matrices[i]->shape[0];
        p[i + 1] = matrices[i]->shape[1];
    }
    GARRAY__TRY(find_splits(n, p, split));
    GARRAY__TRY(multiply(matrices, n, split, 0, n - 1, &product));
    const int64_t shape[2] = { row ? p[n] : p[0], p[n] };
    GARRAY__TRY(garray_reshape(product, (garray_shape){ 2 - row - column, shape }, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    for (int i = 0; matrices && i < n; i++)
        garray_release(matrices[i]);
    free(matrices);
    free(p);
    free(split);
    garray_release(product);
    garray_release(result);
    return st;
}

/* Identities, as many as x has matrices. */
static garray_status identity_like(const garray_t *x, int dtype, garray_t **out)
{
    garray_t *one = NULL, *many = NULL;
    int64_t n = x->shape[x->ndim - 1];
    garray_status st = garray_eye(n, n, 0, (garray_dtype)dtype, garray_device_of(x), &one);
    if (st == GARRAY_OK)
        st = garray_broadcast_to(one, garray_shape_of(x), &many);
    if (st == GARRAY_OK)
        st = garray__copy_as(many, dtype, out);
    garray_release(one);
    garray_release(many);
    return st;
}

garray_status garray_linalg_matrix_power(const garray_t *x, int64_t n, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_matrix_power");
    char text[GARRAY__SHAPE_TEXT];
    garray_t *base = NULL, *result = NULL, *next = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 2 && x->shape[x->ndim - 1] == x->shape[x->ndim - 2], SHAPE,
                   "the last 2 dimensions of the array must be square, not %s", garray__shape_text(x->ndim, x->shape, text));
    if (n < 0) {
        GARRAY__TRY(garray__inverse(x, true, &base));
    } else
        base = garray__share(x);
    /* the bits of |n|, from the lowest; 0 - n is right for the most negative number too */
    for (uint64_t bits = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; bits; bits >>= 1) {
        if (bits & 1) {
            if (result) {
                GARRAY__TRY((garray_matmul)(ARR(result), ARR(base), &next));
                garray_release(result);
                result = next;
                next = NULL;
            } else
                result = garray_retain(base);
        }
        if (bits > 1) {
            GARRAY__TRY((garray_matmul)(ARR(base), ARR(base), &next));
            garray_release(base);
            base = next;
            next = NULL;
        }
    }
    if (!result)
        GARRAY__TRY(identity_like(x, x->dtype, &result));
    else if (n == 1)
        GARRAY__TRY(garray_copy(result, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(base);
    garray_release(result);
    garray_release(next);
    return st;
}
