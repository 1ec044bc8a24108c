/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting along an axis: the axis is brought to the end, rows are sorted, and it goes back. */
#include <string.h>
#include "core/array.h"
#include "core/compose.h"
#include "core/result.h"
#include "core/sort.h"
#include "core/submit.h"
#include "garray/index.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* x with the axis last, contiguous. */
static garray_status lines_of(const garray_t *x, int axis, garray_t **rows)
{
    garray_t *turned = NULL;
    int32_t from = axis, to = -1;
    garray_status st = garray_moveaxis(x, (garray_axes){ 1, &from }, (garray_axes){ 1, &to }, &turned);
    if (st == GARRAY_OK)
        st = garray__contiguous(turned, 0, rows);
    garray_release(turned);
    return st;
}

/* An array for results of n items a line, lines last: the target itself if `axis` is its last one. */
static garray_status lines_output(const garray_t *rows, int axis, int64_t n, int dtype, garray_t *target, garray_t **output)
{
    int64_t shape[GARRAY_MAX_NDIM];
    if (axis == rows->ndim - 1) {
        *output = garray_retain(target);
        return GARRAY_OK;
    }
    memcpy(shape, rows->shape, sizeof(int64_t) * (size_t)rows->ndim);
    shape[rows->ndim - 1] = n;
    return garray__new(dtype, rows->ndim, shape, garray__device_of(rows), output);
}

/* Moves what was written there to the target. */
static garray_status put_lines(garray_t *output, int axis, garray_t *target)
{
    if (output == target)
        return GARRAY_OK;
    garray_t *turned = NULL;
    int32_t from = -1, to = axis;
    garray_status st = garray_moveaxis(output, (garray_axes){ 1, &from }, (garray_axes){ 1, &to }, &turned);
    if (st == GARRAY_OK)
        st = garray__assign(target, turned);
    garray_release(turned);
    return st;
}

garray_status garray__sort_submit(garray_sort_plan *plan, const garray_t *rows, garray_t *values, garray_t *indices)
{
    garray__uses uses;
    uses.device = garray__device_of(rows);
    uses.nread = 1;
    uses.nwrite = 0;
    uses.read[0] = rows->buffer;
    plan->in = rows->data;
    plan->n = rows->shape[rows->ndim - 1];
    plan->rows = rows->size / plan->n;
    if (values) {
        plan->values = values->data;
        uses.write[uses.nwrite++] = values->buffer;
    }
    if (indices) {
        plan->indices = (int64_t *)(void *)indices->data;
        uses.write[uses.nwrite++] = indices->buffer;
    }
    return garray__submit(GARRAY__SORT, plan, &uses);
}

garray_status garray__sort_axis(garray_sort_plan *plan, const garray_t *x, int axis, bool values, garray_t **out)
{
    const int dtype = values ? x->dtype : GARRAY_INT64;
    garray_t *rows = NULL, *output = NULL;
    struct garray__result r;
    garray_status st;
    GARRAY__TRY(lines_of(x, axis, &rows));
    GARRAY__TRY(garray__result_open(&r, out, dtype, x->ndim, x->shape, garray__device_of(x), 0, 1,
                                    (const garray_t *const *)&rows));
    if (x->size > 0) {
        st = lines_output(rows, axis, x->shape[axis], dtype, r.target, &output);
        if (st == GARRAY_OK)
            st = garray__sort_submit(plan, rows, values ? output : NULL, values ? NULL : output);
        if (st == GARRAY_OK)
            st = put_lines(output, axis, r.target);
    }
    st = garray__result_close(&r, st);
done:
    garray_release(rows);
    garray_release(output);
    return st;
}

garray_status garray__sort_open(const garray_t **x, int *axis, const garray_sort_opts *opts, garray_t **out, garray_t **flat)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(*x, INVALID, "x is NULL");
    if (!(opts && opts->flat))
        return garray__axis(*axis, (*x)->ndim, axis);
    st = garray_ravel(*x, flat);
    *x = *flat;
    *axis = 0;
    return st;
}

static garray_status sort(int kind, const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out)
{
    garray_t *flat = NULL;
    garray_status st = garray__sort_open(&x, &axis, opts, out, &flat);
    if (st != GARRAY_OK)
        return st;
    garray_sort_plan plan = { .kind = kind, .dtype = x->dtype, .descending = opts && opts->descending,
                              .unstable = opts && opts->unstable };
    st = garray__sort_axis(&plan, x, axis, kind == GARRAY_SORT_VALUES, out);
    garray_release(flat);
    return st;
}

garray_status garray_sort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_sort");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return sort(GARRAY_SORT_VALUES, x, axis, opts, out);
}

garray_status garray_argsort(const garray_t *x, int axis, const garray_sort_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_argsort");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return sort(GARRAY_SORT_INDICES, x, axis, opts, out);
}

/* ---- the first k ---- */

/* Backends may count the places of a row in 32 bits: of a longer one the first k of both halves are chosen from. */
#define LONGEST_ROW ((int64_t)UINT32_MAX)

static garray_status top_k_of_halves(const garray_t *x, int64_t k, int axis, const garray_topk_opts *opts, garray_t **values,
                                     garray_t **indices)
{
    const int64_t half = x->shape[axis] / 2;
    garray_t *part = NULL, *v[2] = { NULL, NULL }, *i[2] = { NULL, NULL }, *all = NULL, *places = NULL, *at = NULL;
    garray_t **const outs[2] = { values, indices };
    garray_t *found[2] = { NULL, NULL };
    const garray_topk_opts sorted = { .smallest = opts && opts->smallest };
    garray_status st = GARRAY_OK;
    for (int h = 0; h < 2; h++) {
        const int64_t first = h ? half : 0, n = h ? x->shape[axis] - half : half;
        garray_release(part);
        part = NULL;
        GARRAY__TRY(garray__part(x, axis, first, n, &part));
        GARRAY__TRY(garray_top_k(part, k < n ? k : n, axis, &sorted, &v[h], &i[h]));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(i[1]), garray_operand_int(half), GARRAY_INT64, &i[1]));
    GARRAY__TRY(garray_concat((garray_list){ 2, (const garray_t *const *)v }, axis, &all));
    GARRAY__TRY(garray_concat((garray_list){ 2, (const garray_t *const *)i }, axis, &places));
    GARRAY__TRY(garray_top_k(all, k, axis, &sorted, values ? &found[0] : NULL, &at));
    if (indices)
        st = garray_take_along_axis(places, at, axis, &found[1]);
done:
    for (int h = 0; h < 2; h++) {
        garray_release(v[h]);
        garray_release(i[h]);
    }
    garray_release(part);
    garray_release(all);
    garray_release(places);
    garray_release(at);
    return garray__assign_outs(2, outs, found, st);
}

garray_status garray_top_k(const garray_t *x, int64_t k, int axis, const garray_topk_opts *opts, garray_t **values,
                           garray_t **indices)
{
    GARRAY_ENTER("garray_top_k");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t **const outs[2] = { values, indices };
    garray_t *rows = NULL, *v = NULL, *i = NULL;
    struct garray__result rv = { NULL, NULL, NULL }, ri = { NULL, NULL, NULL };
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__axis(axis, x->ndim, &axis));
    GARRAY_REQUIRE(k >= 0 && k <= x->shape[axis], SHAPE, "k is %lld, the axis has %lld elements", (long long)k,
                   (long long)x->shape[axis]);
    if (x->shape[axis] > LONGEST_ROW && k < LONGEST_ROW / 2)
        return top_k_of_halves(x, k, axis, opts, values, indices);
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = k;
    garray_sort_plan plan = { .kind = GARRAY_SORT_TOPK, .dtype = x->dtype, .k = k, .descending = !(opts && opts->smallest),
                              .unstable = opts && opts->unsorted };
    GARRAY__TRY(lines_of(x, axis, &rows));
    const garray_t *inputs[2] = { rows, x };
    if (values)
        GARRAY__TRY(garray__result_open(&rv, values, x->dtype, x->ndim, shape, garray__device_of(x), 0, 2, inputs));
    if (indices)
        GARRAY__TRY(garray__result_open(&ri, indices, GARRAY_INT64, x->ndim, shape, garray__device_of(x), 0, 2, inputs));
    if (k > 0 && x->size > 0) {
        if (values)
            GARRAY__TRY(lines_output(rows, axis, k, x->dtype, rv.target, &v));
        if (indices)
            GARRAY__TRY(lines_output(rows, axis, k, GARRAY_INT64, ri.target, &i));
        GARRAY__TRY(garray__sort_submit(&plan, rows, v, i));
        if (values)
            GARRAY__TRY(put_lines(v, axis, rv.target));
        if (indices)
            GARRAY__TRY(put_lines(i, axis, ri.target));
    }
done:
    garray_release(v);
    garray_release(i);
    if (rv.target)
        st = garray__result_close(&rv, st);
    if (ri.target)
        st = garray__result_close(&ri, st);
    garray_release(rows);
    return st;
}
