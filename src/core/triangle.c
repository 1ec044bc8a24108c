/* SPDX-License-Identifier: BSD-3-Clause
 * Triangles: tri, tril, triu, and the indices of triangles and diagonals.
 *
 * Whether an element belongs to a triangle depends on column - row alone, so a mask of a whole matrix is a view of one
 * vector of rows + columns - 1 bools, with the steps -1 and 1.  It stays in the cache, and tril reads and writes its matrix
 * once. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/selection.h"
#include "garray/array.h"
#include "garray/diagonal.h"

/* A bool view of shape (rows, cols), true where column - row <= k, or with `upper` where column - row >= k. */
static garray_status triangle_mask(int64_t rows, int64_t cols, int64_t k, bool upper, garray__device *device, garray_t **mask)
{
    garray_t *line = NULL, *low = NULL, *high = NULL;
    garray_operand first = garray_operand_bool(!upper), then = garray_operand_bool(upper);
    int64_t shape[2] = { rows, cols }, count, n = 0;
    garray_status st = garray__count(2, shape, 1, &count);
    if (st == GARRAY_OK && count > 0)
        n = rows - 1 + cols;            /* the values -(rows - 1) to cols - 1 of column - row */
    if (st == GARRAY_OK)
        st = garray__new(GARRAY_BOOL, 1, &n, device, &line);
    if (st != GARRAY_OK)
        return st;
    __int128 c = (__int128)k + rows - upper;
    int64_t change = c < 0 ? 0 : c > n ? n : (int64_t)c;
    GARRAY__TRY(garray__part(line, 0, 0, change, &low));
    GARRAY__TRY(garray__fill(low, &first));
    GARRAY__TRY(garray__part(line, 0, change, n - change, &high));
    GARRAY__TRY(garray__fill(high, &then));
    st = garray__view(line->buffer, line->data + (n > 0 ? rows - 1 : 0), GARRAY_BOOL, 2, shape, (const int64_t[]){ -1, 1 }, false,
                      mask);
done:
    garray_release(line);
    garray_release(low);
    garray_release(high);
    return st;
}

garray_status garray_tri(int64_t rows, int64_t cols, int64_t k, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_tri");
    struct garray__result r;
    garray__device *dev;
    garray_t *mask = NULL;
    int64_t shape[2] = { rows, cols };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    dtype = dtype ? dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY__TRY(garray__device_get(device, &dev));
    GARRAY__TRY(triangle_mask(rows, cols, k, false, dev, &mask));
    GARRAY__TRY(garray__result_open(&r, out, dtype, 2, shape, dev, GARRAY__CASTS, 1, (const garray_t *const[]){ mask }));
    st = garray__result_close(&r, garray__assign(r.target, mask));
done:
    garray_release(mask);
    return st;
}

static garray_status triangle(const garray_t *x, int64_t k, bool upper, garray_t **out)
{
    garray_t *mask = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 1, SHAPE, "an array without axes has no triangle");
    int64_t cols = x->shape[x->ndim - 1], rows = x->ndim == 1 ? cols : x->shape[x->ndim - 2];
    st = triangle_mask(rows, cols, k, upper, garray__device_of(x), &mask);
    if (st == GARRAY_OK)
        st = garray__choose(mask, garray_operand_array(x), garray_operand_bool(false), out);
    garray_release(mask);
    return st;
}

garray_status garray_tril(const garray_t *x, int64_t k, garray_t **out)
{
    GARRAY_ENTER("garray_tril");
    return triangle(x, k, false, out);
}

garray_status garray_triu(const garray_t *x, int64_t k, garray_t **out)
{
    GARRAY_ENTER("garray_triu");
    return triangle(x, k, true, out);
}

/* ---- indices ---- */

static garray_status diag_indices(int64_t n, garray_device device, int nout, garray_t **outs)
{
    garray_t *lines[GARRAY_MAX_NDIM] = { NULL };
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(nout >= 1 && nout <= GARRAY_MAX_NDIM && outs, INVALID, "%d results; there is one per axis", nout);
    for (int i = 0; i < nout && st == GARRAY_OK; i++)
        st = (garray_arange)(garray_operand_int(0), garray_operand_int(n), garray_operand_int(1), GARRAY_INT64, device, &lines[i]);
    if (st == GARRAY_OK)
        garray__results_assign(nout, outs, lines);
    else
        garray__results_drop(nout, lines);
    return st;
}

garray_status garray_diag_indices(int64_t n, garray_device device, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_diag_indices");
    GARRAY_REQUIRE(n >= 0, SHAPE, "negative dimensions are not allowed: %lld", (long long)n);
    return diag_indices(n, device, nout, outs);
}

garray_status garray_diag_indices_from(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_diag_indices_from");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 2, SHAPE, "input array must be at least 2-d");
    for (int i = 1; i < x->ndim; i++)
        GARRAY_REQUIRE(x->shape[i] == x->shape[0], SHAPE, "all dimensions of input must be of equal length");
    GARRAY_REQUIRE(nout == x->ndim, INVALID, "there is a result per axis, %d, not %d", x->ndim, nout);
    return diag_indices(x->shape[0], garray_device_of(x), nout, outs);
}

/* The coordinates of a mask's true elements, to those of row and column that are wanted. */
static garray_status assign_coordinates(const garray_t *mask, garray_t **row, garray_t **column)
{
    garray_t *found[2];
    garray_t **const slots[2] = { row, column };
    garray_status st = garray__mask_coordinates(mask, found);
    return st == GARRAY_OK ? garray__assign_all(2, slots, found) : st;
}

static garray_status triangle_indices(int64_t rows, int64_t cols, int64_t k, bool upper, garray__device *device, garray_t **row,
                                      garray_t **column)
{
    garray_t *mask = NULL;
    garray_status st = triangle_mask(rows, cols, k, upper, device, &mask);
    if (st == GARRAY_OK)
        st = assign_coordinates(mask, row, column);
    garray_release(mask);
    return st;
}

garray_status garray_tril_indices(int64_t rows, int64_t cols, int64_t k, garray_device device, garray_t **row, garray_t **column)
{
    GARRAY_ENTER("garray_tril_indices");
    garray__device *dev;
    garray_status st = garray__device_get(device, &dev);
    return st == GARRAY_OK ? triangle_indices(rows, cols, k, false, dev, row, column) : st;
}

garray_status garray_triu_indices(int64_t rows, int64_t cols, int64_t k, garray_device device, garray_t **row, garray_t **column)
{
    GARRAY_ENTER("garray_triu_indices");
    garray__device *dev;
    garray_status st = garray__device_get(device, &dev);
    return st == GARRAY_OK ? triangle_indices(rows, cols, k, true, dev, row, column) : st;
}

static garray_status triangle_indices_from(const garray_t *x, int64_t k, bool upper, garray_t **row, garray_t **column)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim == 2, SHAPE, "input array must be 2-d");
    return triangle_indices(x->shape[0], x->shape[1], k, upper, garray__device_of(x), row, column);
}

garray_status garray_tril_indices_from(const garray_t *x, int64_t k, garray_t **row, garray_t **column)
{
    GARRAY_ENTER("garray_tril_indices_from");
    return triangle_indices_from(x, k, false, row, column);
}

garray_status garray_triu_indices_from(const garray_t *x, int64_t k, garray_t **row, garray_t **column)
{
    GARRAY_ENTER("garray_triu_indices_from");
    return triangle_indices_from(x, k, true, row, column);
}

garray_status garray_mask_indices(int64_t n, garray_mask_function *mask, void *ctx, int64_t k, garray_device device,
                                  garray_t **row, garray_t **column)
{
    GARRAY_ENTER("garray_mask_indices");
    garray_t *ones = NULL, *left = NULL;
    int64_t shape[2] = { n, n };
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(mask, INVALID, "the mask function is NULL");
    GARRAY__TRY(garray_ones(GARRAY_DIMS(2, shape), GARRAY_INT64, device, &ones));
    GARRAY__TRY(mask(ctx, ones, k, &left));
    GARRAY__CHECK(left && left->ndim == 2, SHAPE, "the mask function must give a matrix");
    st = assign_coordinates(left, row, column);
done:
    garray_release(ones);
    garray_release(left);
    return st;
}
