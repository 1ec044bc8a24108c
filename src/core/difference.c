/* SPDX-License-Identifier: BSD-3-Clause
 * Differences of neighbours, and the trapezoidal rule. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/difference.h"
#include "garray/reduce.h"
#include "garray/shape.h"

/* x[1:] op x[:-1] along an axis; nothing of an axis without elements. */
static garray_status neighbours(int op, const garray_t *x, int axis, garray_t **out)
{
    garray_t *left = NULL, *right = NULL;
    int64_t n = x->shape[axis] > 1 ? x->shape[axis] - 1 : 0;
    garray_status st = garray__part(x, axis, 1, n, &right);
    if (st == GARRAY_OK)
        st = garray__part(x, axis, 0, n, &left);
    if (st == GARRAY_OK)
        st = garray__binary(op, GARRAY__ARR(right), GARRAY__ARR(left), 0, out);
    garray_release(left);
    garray_release(right);
    return st;
}

/* What is prepended or appended, as an array that joins x along the axis. */
static garray_status open_edge(const garray_operand *o, const char *name, const garray_t *x, int axis, garray_t **edge)
{
    garray_t *value = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__operand_check(o, name);
    if (st != GARRAY_OK)
        return st;
    if (o->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__option_array(o, name, garray__device_of(x), &value));
    } else {
        const garray_operand both[2] = { GARRAY__ARR(x), *o };
        GARRAY__TRY(garray__new(garray__common_dtype(2, both), 0, NULL, garray__device_of(x), &value));
        GARRAY__TRY(garray__fill(value, o));
    }
    if (value->ndim == 0) {
        memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
        shape[axis] = 1;
        st = garray__broadcast(value, x->ndim, shape, edge);
    } else {
        *edge = value;
        value = NULL;
    }
done:
    garray_release(value);
    return st;
}

/* The arrays before, at and behind x, joined; x itself if nothing is. */
static garray_status open_joined(const garray_t *x, int axis, const garray_diff_opts *opts, garray_t **joined)
{
    garray_t *before = NULL, *after = NULL;
    const garray_t *parts[3];
    int64_t n = 0;
    garray_status st = GARRAY_OK;
    if (opts && opts->prepend.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(open_edge(&opts->prepend, "prepend", x, axis, &before));
        parts[n++] = before;
    }
    parts[n++] = x;
    if (opts && opts->append.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(open_edge(&opts->append, "append", x, axis, &after));
        parts[n++] = after;
    }
    if (n == 1)
        *joined = garray__share(x);
    else
        st = garray_concat((garray_list){ n, parts }, axis, joined);
done:
    garray_release(before);
    garray_release(after);
    return st;
}

static garray_status diff(const garray_t *x, int64_t n, int axis, const garray_diff_opts *opts, garray_t **out)
{
    garray_t *part = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (n == 0)
        return garray_copy(x, out);
    GARRAY_REQUIRE(n > 0, INVALID, "order must be non-negative but got %lld", (long long)n);
    GARRAY_REQUIRE(x->ndim > 0, SHAPE, "diff requires input that is at least one dimensional");
    GARRAY__TRY(garray__axis(axis, x->ndim, &axis));
    GARRAY__TRY(open_joined(x, axis, opts, &part));
    int op = part->dtype == GARRAY_BOOL ? GARRAY_OP_not_equal : GARRAY_OP_subtract;
    for (; n > 1 && part->shape[axis] > 0; n--)
        GARRAY__TRY(neighbours(op, part, axis, &part));
    st = neighbours(op, part, axis, out);
done:
    garray_release(part);
    return st;
}

garray_status garray_diff(const garray_t *x, int64_t n, int axis, const garray_diff_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_diff");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    return diff(x, n, axis, opts, out);
}

/* ---- ediff1d ---- */

/* A flat array of what the result begins or ends with; NULL for nothing. */
static garray_status open_end(const garray_operand *o, const char *name, const garray_t *x, garray_t **end)
{
    garray_t *value = NULL;
    garray_status st = GARRAY_OK;
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    if (o->kind != GARRAY_OPERAND_ARRAY) {      /* a weak number: of x's dtype or not at all */
        st = garray__operand_check(o, name);
        if (st != GARRAY_OK)
            return st;
        const garray_operand both[2] = { GARRAY__ARR(x), *o };
        int common = garray__common_dtype(2, both);
        const int64_t one = 1;
        GARRAY_REQUIRE(garray_can_cast((garray_dtype)common, (garray_dtype)x->dtype, GARRAY_CAST_SAME_KIND), DTYPE,
                       "dtype of `%s` must be compatible with input `x` under the `same_kind` rule.", name);
        st = garray__new(x->dtype, 1, &one, garray__device_of(x), end);
        return st == GARRAY_OK ? garray__fill(*end, o) : st;
    }
    GARRAY__TRY(garray__option_array(o, name, garray__device_of(x), &value));
    GARRAY__CHECK(garray_can_cast((garray_dtype)value->dtype, (garray_dtype)x->dtype, GARRAY_CAST_SAME_KIND), DTYPE,
                  "dtype of `%s` must be compatible with input `x` under the `same_kind` rule.", name);
    st = garray__flat(value, end);
done:
    garray_release(value);
    return st;
}

/* Copies an end into its place of the target. */
static garray_status write_end(garray_t *target, int64_t start, const garray_t *end)
{
    garray_t *place = NULL;
    if (!end)
        return GARRAY_OK;
    garray_status st = garray__part(target, 0, start, end->size, &place);
    if (st == GARRAY_OK)
        st = garray__assign(place, end);
    garray_release(place);
    return st;
}

garray_status garray_ediff1d(const garray_t *x, const garray_ediff1d_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_ediff1d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *flat = NULL, *begin = NULL, *end = NULL, *place = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->dtype != GARRAY_BOOL, DTYPE, "bools have no difference; compare neighbours with diff");
    if (opts) {
        GARRAY__TRY(open_end(&opts->to_begin, "to_begin", x, &begin));
        GARRAY__TRY(open_end(&opts->to_end, "to_end", x, &end));
    }
    GARRAY__TRY(garray__flat(x, &flat));
    int64_t first = begin ? begin->size : 0, n = flat->size > 1 ? flat->size - 1 : 0, length = n;
    GARRAY__CHECK(!__builtin_add_overflow(length, first, &length)
                      && !__builtin_add_overflow(length, end ? end->size : 0, &length), SHAPE, "the result is too big");
    const garray_t *inputs[3] = { flat, begin, end };
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, 1, &length, garray__device_of(x), GARRAY__CASTS, 3, inputs));
    GARRAY__TRY(write_end(r.target, 0, begin));
    GARRAY__TRY(write_end(r.target, first + n, end));
    GARRAY__TRY(garray__part(r.target, 0, first, n, &place));
    st = neighbours(GARRAY_OP_subtract, flat, 0, garray_into(place));
done:
    garray_release(place);
    if (r.target)
        st = garray__result_close(&r, st);
    garray_release(flat);
    garray_release(begin);
    garray_release(end);
    return st;
}

/* ---- trapezoid ---- */

/* The distances of the samples, which broadcast to y's neighbours. */
static garray_status open_distances(const garray_t *y, int axis, const garray_trapezoid_opts *opts, garray_t **distances)
{
    garray_t *x = NULL, *d = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__option_array(&opts->x, "x", garray__device_of(y), &x));
    GARRAY__CHECK(x->ndim > 0, SHAPE, "x has no axis");
    if (x->ndim == 1) {
        int64_t shape[GARRAY_MAX_NDIM];
        GARRAY__TRY(diff(x, 1, 0, NULL, &d));
        for (int i = 0; i < y->ndim; i++)
            shape[i] = i == axis ? d->size : 1;
        st = garray_reshape(d, (garray_shape){ y->ndim, shape }, distances);
    } else {
        int along = axis - y->ndim;             /* axes are counted from the end where x has fewer */
        GARRAY__CHECK(x->ndim == y->ndim || -along <= x->ndim, AXIS, "x has no axis %d", along);
        st = diff(x, 1, x->ndim == y->ndim ? axis : along, NULL, distances);
    }
done:
    garray_release(x);
    garray_release(d);
    return st;
}

garray_status garray_trapezoid(const garray_t *y, int axis, const garray_trapezoid_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_trapezoid");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *distances = NULL, *left = NULL, *right = NULL, *area = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(y, INVALID, "y is NULL");
    GARRAY__TRY(garray__axis(axis, y->ndim, &axis));
    garray_operand d = garray_operand_double(1);
    if (opts && opts->x.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(open_distances(y, axis, opts, &distances));
        d = GARRAY__ARR(distances);
    } else if (opts && opts->dx.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(garray__operand_check(&opts->dx, "dx"));
        d = opts->dx;
    }
    int64_t n = y->shape[axis] > 1 ? y->shape[axis] - 1 : 0;
    int32_t along = axis - y->ndim;
    GARRAY__TRY(garray__part(y, axis, 1, n, &right));
    GARRAY__TRY(garray__part(y, axis, 0, n, &left));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(right), GARRAY__ARR(left), 0, &area));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, d, GARRAY__ARR(area), 0, &area));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(area), garray_operand_double(2), 0, &area));
    st = garray_sum(area, (garray_axes){ 1, &along }, NULL, out);
done:
    garray_release(distances);
    garray_release(left);
    garray_release(right);
    garray_release(area);
    return st;
}
