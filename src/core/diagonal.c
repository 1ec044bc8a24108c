/* SPDX-License-Identifier: BSD-3-Clause
 * Diagonals as views, and what is made of them: diagonal, trace, diag, diagflat, fill_diagonal. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/diagonal.h"
#include "garray/reduce.h"

/* The diagonal of two axes of a layout as its last axis. */
static void take_diagonal(struct garray__layout *l, int a, int b, int64_t k)
{
    int64_t rows = l->shape[a], cols = l->shape[b], step = l->strides[a] + l->strides[b];
    if (k >= 0) {
        cols = k < cols ? cols - k : 0;
        l->data += cols > 0 && rows > 0 ? k * l->strides[b] : 0;
    } else {
        rows = k > -rows ? rows + k : 0;
        l->data += rows > 0 && cols > 0 ? -k * l->strides[a] : 0;
    }
    int n = 0;
    for (int i = 0; i < l->ndim; i++)
        if (i != a && i != b) {
            l->shape[n] = l->shape[i];
            l->strides[n++] = l->strides[i];
        }
    l->shape[n] = rows < cols ? rows : cols;
    l->strides[n++] = step;
    l->ndim = n;
}

static garray_status diagonal_of(const garray_t *x, int64_t k, int axis1, int axis2, garray_t **view)
{
    struct garray__layout l;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 2, SHAPE, "diag requires an array of at least two dimensions");
    garray_status st = garray__axis(axis1, x->ndim, &axis1);
    if (st == GARRAY_OK)
        st = garray__axis(axis2, x->ndim, &axis2);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(axis1 != axis2, AXIS, "axis1 and axis2 cannot be the same");
    garray__layout_of(x, &l);
    take_diagonal(&l, axis1, axis2, k);
    return garray__layout_view(x, &l, false, view);
}

garray_status garray_diagonal(const garray_t *x, int64_t k, int axis1, int axis2, garray_t **out)
{
    GARRAY_ENTER("garray_diagonal");
    garray_t *view;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = diagonal_of(x, k, axis1, axis2, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

garray_status garray_trace(const garray_t *x, int64_t k, int axis1, int axis2, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_trace");
    garray_t *view;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = diagonal_of(x, k, axis1, axis2, &view);
    if (st != GARRAY_OK)
        return st;
    st = garray_sum(view, GARRAY_AXES(-1), GARRAY_KW(reduce, .dtype = dtype), out);
    garray_release(view);
    return st;
}

/* ---- matrices of a diagonal ---- */

/* Zeros, and a vector on the k-th diagonal. */
static garray_status spread_diagonal(const garray_t *v, int64_t k, garray_t **out)
{
    struct garray__result r;
    struct garray__layout l;
    garray_t *line = NULL;
    garray_operand zero = garray_operand_bool(false);
    int64_t shape[2];
    GARRAY_REQUIRE(k != INT64_MIN && !__builtin_add_overflow(v->size, k < 0 ? -k : k, &shape[0]), SHAPE, "the result is too big");
    shape[1] = shape[0];
    garray_status st = garray__result_open(&r, out, v->dtype, 2, shape, garray__device_of(v), GARRAY__CASTS, 1, &v);
    if (st != GARRAY_OK)
        return st;
    st = garray__fill(r.target, &zero);
    if (st == GARRAY_OK && v->size > 0) {
        garray__layout_of(r.target, &l);
        take_diagonal(&l, 0, 1, k);
        st = garray__layout_view(r.target, &l, true, &line);
    }
    if (line)
        st = garray__assign_apart(line, v);
    garray_release(line);
    return garray__result_close(&r, st);
}

garray_status garray_diag(const garray_t *x, int64_t k, garray_t **out)
{
    GARRAY_ENTER("garray_diag");
    garray_t *view;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim == 1 || x->ndim == 2, SHAPE, "input must be 1- or 2-d");
    if (x->ndim == 1)
        return spread_diagonal(x, k, out);
    st = diagonal_of(x, k, 0, 1, &view);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}

garray_status garray_diagflat(const garray_t *x, int64_t k, garray_t **out)
{
    GARRAY_ENTER("garray_diagflat");
    garray_t *flat = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = garray__flat(x, &flat);
    if (st == GARRAY_OK)
        st = spread_diagonal(flat, k, out);
    garray_release(flat);
    return st;
}

/* ---- fill_diagonal ---- */

/* The main diagonal, of two axes or of more of one length, as a vector: the first n elements. */
static garray_status main_diagonal(const garray_t *x, int64_t first_row, int64_t n, garray_t **line)
{
    int64_t step = 0;
    for (int i = 0; i < x->ndim; i++)
        step += garray__strides(x)[i];
    return garray__view(x->buffer, x->data + first_row * garray__strides(x)[0], x->dtype, 1, &n, &step, true, line);
}

/* `count` elements of values from `start` on, which go round: into a line. */
static garray_status fill_line(garray_t *line, const garray_t *values, int64_t start)
{
    garray_t *part = NULL;
    if (values->size == 1)
        return garray__assign(line, values);
    garray_status st = garray__part(values, 0, start, line->size, &part);
    if (st == GARRAY_OK)
        st = garray__assign(line, part);
    garray_release(part);
    return st;
}

garray_status (garray_fill_diagonal)(garray_t *x, garray_operand value, const garray_fill_diagonal_opts *opts)
{
    GARRAY_ENTER("garray_fill_diagonal");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *given = NULL, *flat = NULL, *values = NULL, *line = NULL;
    garray_status st = garray__operand_check(&value, "value");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 2, SHAPE, "array must be at least 2-d");
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "the array is read-only");
    for (int i = 1; i < x->ndim && x->ndim > 2; i++)
        GARRAY_REQUIRE(x->shape[i] == x->shape[0], SHAPE, "all dimensions of input must be of equal length");
    /* squares below each other, with a row between them, are written one by one; the last one may be cut */
    int64_t rows = x->shape[0], cols = x->shape[1], side = rows < cols ? rows : cols;
    bool wrap = opts && opts->wrap && x->ndim == 2 && cols > 0;
    int64_t squares = wrap ? rows / (cols + 1) : 0, rest = rows - squares * (cols + 1);
    int64_t n = wrap ? squares * cols + (rest < cols ? rest : cols) : side;
    if (value.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&value, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(x), given));
        GARRAY__CHECK(given->size > 0 || n == 0, SHAPE, "there are no values");
        GARRAY__TRY(garray__flat(given, &flat));
        if (flat->size > 1 && n > 0) {
            GARRAY__TRY(garray__new(flat->dtype, 1, &n, garray__device_of(x), &values));
            GARRAY__TRY(garray__fill_cyclic(values, flat));
        } else {
            values = garray_retain(flat);
        }
    } else {
        GARRAY__TRY(garray__new(x->dtype, 0, NULL, garray__device_of(x), &values));
        GARRAY__TRY(garray__fill(values, &value));
    }
    for (int64_t start = 0, row = 0; start < n; row += cols + 1) {
        int64_t length = n - start < side ? n - start : side;
        GARRAY__TRY(main_diagonal(x, row, length, &line));
        GARRAY__TRY(fill_line(line, values, start));
        garray_release(line);
        line = NULL;
        start += length;
    }
done:
    garray_release(given);
    garray_release(flat);
    garray_release(values);
    garray_release(line);
    return st;
}
