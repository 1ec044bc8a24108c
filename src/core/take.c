/* SPDX-License-Identifier: BSD-3-Clause
 * Integer arrays as indices: the plan of gather and scatter, take, take_along_axis and put_along_axis. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/selection.h"
#include "core/submit.h"

garray_status garray__indexed_shape(const garray_t *base, int n, const struct garray__indexed_axis *axes, int place, int *ndim,
                                    int64_t *shape)
{
    int64_t joint[GARRAY_MAX_NDIM];
    int joint_ndim = 0, count = 0;
    bool indexed[GARRAY_MAX_NDIM] = { false };
    for (int k = 0; k < n; k++) {
        garray_status st = garray__broadcast_shapes(&joint_ndim, joint, axes[k].index->ndim, axes[k].index->shape);
        if (st != GARRAY_OK)
            return garray__fail(GARRAY_ERR_INDEX, "shape mismatch: indexing arrays could not be broadcast together");
        indexed[axes[k].axis] = true;
    }
    GARRAY_REQUIRE(base->ndim - n + joint_ndim <= GARRAY_MAX_NDIM, INDEX, "the result would have more than %d axes",
                   GARRAY_MAX_NDIM);
    int rest = 0;
    for (int i = 0; i <= base->ndim; i++) {
        if (rest == place && count == rest)
            for (int k = 0; k < joint_ndim; k++)
                shape[count++] = joint[k];
        if (i < base->ndim && !indexed[i]) {
            shape[count++] = base->shape[i];
            rest++;
        }
    }
    *ndim = count;
    return GARRAY_OK;
}

/* Where nothing is moved because an axis beside the indexed ones is empty, NumPy looks at the indices all the same:
 * they gather from an array of one byte, repeated along the indexed axes. */
static garray_status check_unused(const garray_t *base, int n, const struct garray__indexed_axis *axes, int place)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM] = { 0 }, result_shape[GARRAY_MAX_NDIM];
    garray_t *cell = NULL, *plain = NULL, *values = NULL;
    int ndim = 0;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < base->ndim; i++)
        shape[i] = 1;
    for (int k = 0; k < n; k++) {
        if (axes[k].index->size == 0)
            return GARRAY_OK;
        shape[axes[k].axis] = base->shape[axes[k].axis];
        GARRAY_REQUIRE(shape[axes[k].axis] > 0, INDEX, "index is out of bounds for axis %d with size 0",
                       axes[k].axis + axes[k].shift);
    }
    GARRAY__TRY(garray__new(GARRAY_BOOL, 0, NULL, garray__device_of(base), &cell));
    GARRAY__TRY(garray__view(cell->buffer, cell->data, GARRAY_BOOL, base->ndim, shape, strides, false, &plain));
    GARRAY__TRY(garray__indexed_shape(plain, n, axes, place, &ndim, result_shape));
    GARRAY__TRY(garray__new(GARRAY_BOOL, ndim, result_shape, garray__device_of(base), &values));
    st = garray__index_run(GARRAY_INDEX_GATHER, 0, plain, n, axes, place, values);
done:
    garray_release(cell);
    garray_release(plain);
    garray_release(values);
    return st;
}

/* *place += bias + step * index, each index checked: it is looked up in a table of its axis.  One that a device finds out of
 * range adds 0, so that the place lacks a bias and is out of range too. */
static garray_status add_place(const struct garray__indexed_axis *at, int64_t length, int64_t step, int64_t bias,
                               garray_device device, garray_t **place)
{
    const struct garray__indexed_axis only = { at->index, 0, at->axis + at->shift };
    garray_t *table = NULL, *part = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_arange(bias, bias + length * step, step, GARRAY_INT64, device, &table));
    GARRAY__TRY(garray__new(GARRAY_INT64, at->index->ndim, at->index->shape, garray__device_of(table), &part));
    GARRAY__TRY(garray__index_run(GARRAY_INDEX_GATHER, 0, table, 1, &only, 0, part));
    if (*place) {
        const garray_operand sum[2] = { garray_operand_array(*place), garray_operand_array(part) };
        st = garray__elementwise(GARRAY_OP_add, 2, sum, 0, place);
    } else {
        *place = part;
        part = NULL;
    }
done:
    garray_release(table);
    garray_release(part);
    return st;
}

/* More index arrays than a plan holds become one: the indexed axes of base are turned to the front, where (in a copy,
 * unless base lies so) they are one axis. */
static garray_status run_folded(int kind, int op, const garray_t *base, int n, const struct garray__indexed_axis *axes,
                                int place, const garray_t *values)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM], folded[GARRAY_MAX_NDIM], folded_strides[GARRAY_MAX_NDIM];
    int64_t step[GARRAY_MAX_NDIM];
    bool indexed[GARRAY_MAX_NDIM] = { false };
    int ndim = 0, rest = 1;
    garray_t *turned = NULL, *packed = NULL, *flat = NULL, *index = NULL;
    struct garray__indexed_axis front = { NULL, 0, 0 };
    garray_status st = GARRAY_OK;
    for (int k = 0; k < n; k++, ndim++) {
        indexed[axes[k].axis] = true;
        shape[ndim] = base->shape[axes[k].axis];
        strides[ndim] = garray__strides(base)[axes[k].axis];
    }
    for (int i = 0; i < base->ndim; i++) {
        if (indexed[i])
            continue;
        shape[ndim] = folded[rest++] = base->shape[i];
        strides[ndim++] = garray__strides(base)[i];
    }
    GARRAY__TRY(garray__view(base->buffer, base->data, base->dtype, ndim, shape, strides, true, &turned));
    GARRAY__TRY(garray__contiguous(turned, 0, &packed));
    folded[0] = 1;
    for (int k = n - 1; k >= 0; k--) {
        step[k] = folded[0];
        folded[0] *= shape[k];
    }
    const int64_t bias = 2 * folded[0] + 1;
    for (int k = 0; k < n; k++)     /* in this order, so that the first bad axis is named */
        GARRAY__TRY(add_place(&axes[k], shape[k], step[k], bias, garray_device_of(base), &index));
    const garray_operand unbiased[2] = { garray_operand_array(index), garray_operand_int(n * bias) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_subtract, 2, unbiased, 0, &index));
    garray__c_strides(rest, folded, garray__size_of(base->dtype), folded_strides);
    GARRAY__TRY(garray__view(packed->buffer, packed->data, base->dtype, rest, folded, folded_strides, true, &flat));
    front.index = index;
    GARRAY__TRY(garray__index_run(kind, op, flat, 1, &front, place, values));
    if (kind != GARRAY_INDEX_GATHER && packed->buffer != base->buffer)
        st = garray__assign(turned, packed);
done:
    garray_release(turned);
    garray_release(packed);
    garray_release(flat);
    garray_release(index);
    return st;
}

/* The joint axes of the index arrays begin at `place` in values and are as many as it has beyond base's own. */
garray_status garray__index_run(int kind, int op, const garray_t *base, int n, const struct garray__indexed_axis *axes, int place,
                                const garray_t *values)
{
    garray_index_plan plan;
    bool indexed[GARRAY_MAX_NDIM] = { false };
    if (values->size == 0)
        return check_unused(base, n, axes, place);
    if (n > GARRAY_INDEX_ARRAYS)
        return run_folded(kind, op, base, n, axes, place, values);
    plan.kind = kind;
    plan.itemsize = garray__size_of(base->dtype);
    plan.op = op;
    plan.dtype = base->dtype;
    plan.narrays = n;
    plan.count = values->size;
    plan.ndim = values->ndim;
    for (int k = 0; k < n; k++)
        indexed[axes[k].axis] = true;
    int joint = values->ndim - (base->ndim - n), next = 0;
    for (int i = 0; i < values->ndim; i++) {
        bool is_joint = i >= place && i < place + joint;
        while (!is_joint && indexed[next])
            next++;
        plan.shape[i] = values->shape[i];
        plan.value_strides[i] = garray__strides(values)[i];
        plan.base_strides[i] = is_joint ? 0 : garray__strides(base)[next++];
    }
    garray__uses uses;
    uses.device = garray__device_of(base);
    uses.nread = uses.nwrite = 1;
    uses.read[0] = kind == GARRAY_INDEX_GATHER ? base->buffer : values->buffer;
    uses.write[0] = kind == GARRAY_INDEX_GATHER ? values->buffer : base->buffer;
    char *data[2 + GARRAY_INDEX_ARRAYS] = { values->data, base->data };
    int64_t *strides[2 + GARRAY_INDEX_ARRAYS] = { plan.value_strides, plan.base_strides };
    for (int k = 0; k < n; k++) {
        garray_index_operand *a = &plan.array[k];
        const garray_t *index = axes[k].index;
        a->dtype = index->dtype;
        a->axis = axes[k].axis + axes[k].shift;
        a->length = base->shape[axes[k].axis];
        a->step = garray__strides(base)[axes[k].axis];
        for (int i = 0; i < values->ndim; i++) {
            int j = i - place - (joint - index->ndim);
            bool has = i >= place && i < place + joint && j >= 0 && index->shape[j] != 1;
            a->strides[i] = has ? garray__strides(index)[j] : 0;
        }
        data[2 + k] = index->data;
        strides[2 + k] = a->strides;
        uses.read[uses.nread++] = index->buffer;
    }
    /* of repeated positions the last one wins or all count in order, so a scatter keeps the order of its axes */
    plan.ndim = garray__merge_axes(plan.ndim, plan.shape, 2 + n, strides, data, kind != GARRAY_INDEX_GATHER);
    plan.values = data[0];
    plan.base = data[1];
    for (int k = 0; k < n; k++)
        plan.array[k].data = data[2 + k];
    return garray__submit(GARRAY__INDEX, &plan, &uses);
}

/* ---- take ---- */

static garray_status check_indices(const garray_t *x, const garray_t *indices)
{
    GARRAY_REQUIRE(garray__is_integer(indices->dtype), DTYPE, "indices must be integers, not %s",
                   garray__name_of(indices->dtype));
    return garray__same_device(garray__device_of(x), indices);
}

garray_status garray__index_operand(const garray_operand *indices, garray__device *device, garray_t **out)
{
    garray_status st = garray__operand_check(indices, "indices");
    if (st != GARRAY_OK)
        return st;
    if (indices->kind == GARRAY_OPERAND_ARRAY)
        return garray__operand_array(indices, out);
    GARRAY_REQUIRE(indices->kind <= GARRAY_OPERAND_UINT, DTYPE, "indices must be integers");
    st = garray__new(GARRAY_INT64, 0, NULL, device, out);
    return st == GARRAY_OK ? garray__fill(*out, indices) : st;
}

garray_status garray__index_in_mode(const garray_t *index, garray_index_mode mode, int64_t length, garray_t **out)
{
    int dtype = index->dtype == GARRAY_UINT64 ? GARRAY_UINT64 : GARRAY_INT64;
    garray_operand in[3] = { garray_operand_array(index), garray_operand_int(length) };
    GARRAY_REQUIRE(mode >= GARRAY_MODE_DEFAULT && mode <= GARRAY_MODE_CLIP, INVALID, "mode %d is none", (int)mode);
    GARRAY_REQUIRE(length > 0 || index->size == 0, INDEX, "cannot do a non-empty take from an empty axis");
    if (mode <= GARRAY_MODE_RAISE || index->size == 0) {
        *out = garray__share(index);
        return GARRAY_OK;
    }
    if (mode == GARRAY_MODE_WRAP)
        return garray__elementwise(GARRAY_OP_remainder, 2, in, dtype, out);
    in[1] = garray_operand_int(0);
    in[2] = garray_operand_int(length - 1);
    return garray__elementwise(GARRAY_OP_clip, 3, in, dtype, out);
}

garray_status garray__flatten(const garray_t *x, garray_t **out)
{
    garray_t *packed = NULL;
    const int64_t step = garray__size_of(x->dtype);
    garray_status st = garray__contiguous(x, 0, &packed);
    if (st != GARRAY_OK)
        return st;
    st = garray__view(packed->buffer, packed->data, x->dtype, 1, &packed->size, &step, packed->buffer != x->buffer
                      || x->flags & GARRAY__WRITEABLE, out);
    garray_release(packed);
    return st;
}

/* base[..., index, ...] into out. */
static garray_status gather(const garray_t *x, int axis, const garray_t *indices, garray_t **out)
{
    struct garray__indexed_axis at = { indices, axis, 0 };
    struct garray__result r;
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 0;
    const garray_t *inputs[2] = { x, indices };
    garray_status st = garray__indexed_shape(x, 1, &at, axis, &ndim, shape);
    if (st == GARRAY_OK && x->shape[axis] == 0) {
        int64_t n = 1;
        for (int i = 0; i < ndim; i++)
            n *= shape[i];
        GARRAY_REQUIRE(n == 0, INDEX, "cannot do a non-empty take from an empty axis");
    }
    if (st == GARRAY_OK)
        st = garray__result_open(&r, out, x->dtype, ndim, shape, garray__device_of(x), 0, 2, inputs);
    if (st != GARRAY_OK)
        return st;
    return garray__result_close(&r, garray__index_run(GARRAY_INDEX_GATHER, 0, x, 1, &at, axis, r.target));
}

garray_status garray__take(const garray_t *x, const garray_t *index, garray_axes axis, garray_t **out)
{
    garray_t *flat = NULL;
    int a = 0;
    garray_status st = GARRAY_OK;
    if (axis.n == 0 && !axis.v) {
        if (x->ndim != 1) {             /* a vector of any steps is flat: nothing is copied */
            GARRAY__TRY(garray__flatten(x, &flat));
            x = flat;
        }
    } else {
        GARRAY__CHECK(axis.n == 1 && axis.v, AXIS, "takes one axis, not %lld", (long long)axis.n);
        GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &a));
    }
    st = gather(x, a, index, out);
done:
    garray_release(flat);
    return st;
}

static garray_status take(const garray_t *x, const garray_operand *indices, garray_axes axis, garray_index_mode mode,
                          garray_t **out)
{
    garray_t *index = NULL, *legal = NULL;
    int a = 0;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__result_check(out));
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__index_operand(indices, garray__device_of(x), &index));
    GARRAY__TRY(check_indices(x, index));
    if (mode != GARRAY_MODE_DEFAULT) {
        if (axis.n == 1 && axis.v)
            GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &a));
        GARRAY__TRY(garray__index_in_mode(index, mode, axis.n == 1 && axis.v ? x->shape[a] : x->size, &legal));
    }
    st = garray__take(x, legal ? legal : index, axis, out);
done:
    garray_release(index);
    garray_release(legal);
    return st;
}

garray_status (garray_take)(const garray_t *x, garray_operand indices, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_take");
    return take(x, &indices, axis, GARRAY_MODE_DEFAULT, out);
}

garray_status (garray_take_mode)(const garray_t *x, garray_operand indices, garray_axes axis, garray_index_mode mode,
                                 garray_t **out)
{
    GARRAY_ENTER("garray_take_mode");
    return take(x, &indices, axis, mode, out);
}

/* ---- along an axis ---- */

/* The axes of x and indices together: all but one broadcast.  The views of both have the shape of the result, x's but
 * for its own length along the axis. */
struct along {
    int axis;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_t *base, *index;
};

static garray_status open_along(const garray_t *x, const garray_t *indices, int axis, struct along *s)
{
    int64_t x_shape[GARRAY_MAX_NDIM];
    int n = x->ndim;
    garray_status st = check_indices(x, indices);
    if (st == GARRAY_OK)
        st = garray__axis(axis, x->ndim, &s->axis);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(indices->ndim == n, INDEX, "`indices` and `arr` must have the same number of dimensions");
    for (int i = 0; i < n; i++) {
        int64_t a = x->shape[i], b = indices->shape[i];
        GARRAY_REQUIRE(i == s->axis || a == b || a == 1 || b == 1, SHAPE, "x has length %lld and indices %lld along axis %d",
                       (long long)a, (long long)b, i);
        s->shape[i] = i == s->axis ? b : a == 1 ? b : a;
        x_shape[i] = i == s->axis ? a : s->shape[i];
    }
    st = garray__broadcast(x, n, x_shape, &s->base);
    return st == GARRAY_OK ? garray__broadcast(indices, n, s->shape, &s->index) : st;
}

static void close_along(struct along *s)
{
    garray_release(s->base);
    garray_release(s->index);
}

static garray_status run_along(int kind, const struct along *s, const garray_t *values)
{
    garray_index_plan plan;
    garray_index_operand *index = &plan.array[0];
    int n = values->ndim;
    size_t size = sizeof(int64_t) * (size_t)n;
    if (values->size == 0)
        return GARRAY_OK;
    GARRAY_REQUIRE(s->base->shape[s->axis], INDEX, "cannot do a non-empty take from an empty axis");
    plan.kind = kind;
    plan.itemsize = garray__size_of(values->dtype);
    plan.op = 0;
    plan.dtype = values->dtype;
    plan.narrays = 1;
    plan.count = values->size;
    memcpy(plan.shape, s->shape, size);
    memcpy(plan.value_strides, garray__strides(values), size);
    memcpy(plan.base_strides, garray__strides(s->base), size);
    memcpy(index->strides, garray__strides(s->index), size);
    index->dtype = s->index->dtype;
    index->axis = s->axis;
    index->length = s->base->shape[s->axis];
    index->step = plan.base_strides[s->axis];
    plan.base_strides[s->axis] = 0;
    int64_t *strides[3] = { plan.value_strides, plan.base_strides, index->strides };
    char *data[3] = { values->data, s->base->data, s->index->data };
    plan.ndim = garray__merge_axes(n, plan.shape, 3, strides, data, kind == GARRAY_INDEX_SCATTER);
    plan.values = data[0];
    plan.base = data[1];
    index->data = data[2];
    garray__uses uses;
    uses.device = garray__device_of(values);
    uses.nread = 2;
    uses.nwrite = 1;
    uses.read[0] = kind == GARRAY_INDEX_GATHER ? s->base->buffer : values->buffer;
    uses.read[1] = s->index->buffer;
    uses.write[0] = kind == GARRAY_INDEX_GATHER ? values->buffer : s->base->buffer;
    return garray__submit(GARRAY__INDEX, &plan, &uses);
}

garray_status garray_take_along_axis(const garray_t *x, const garray_t *indices, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_take_along_axis");
    struct along s = { .base = NULL };
    struct garray__result r;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && indices, INVALID, "an argument is NULL");
    const garray_t *inputs[2] = { x, indices };
    GARRAY__TRY(open_along(x, indices, axis, &s));
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, x->ndim, s.shape, garray__device_of(x), 0, 2, inputs));
    st = garray__result_close(&r, run_along(GARRAY_INDEX_GATHER, &s, r.target));
done:
    close_along(&s);
    return st;
}

garray_status (garray_put_along_axis)(garray_t *x, const garray_t *indices, garray_operand values, int axis)
{
    GARRAY_ENTER("garray_put_along_axis");
    struct along s = { .base = NULL };
    garray_t *given = NULL, *wide = NULL, *copy = NULL;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(x && indices, INVALID, "an argument is NULL");
    GARRAY__TRY(garray__operand_check(&values, "values"));
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "assignment destination is read-only");
    if (garray__may_overlap(indices, x)) {      /* indices that the assignment itself would change */
        GARRAY__TRY(garray__copy_as(indices, indices->dtype, &copy));
        indices = copy;
    }
    GARRAY__TRY(open_along(x, indices, axis, &s));
    GARRAY__TRY(garray__assigned_value(x, &values, x->ndim, &given));
    st = garray__broadcast(given, x->ndim, s.shape, &wide);
    if (st == GARRAY_ERR_SHAPE) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        st = garray__fail(GARRAY_ERR_SHAPE,
                          "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
                          garray__shape_text(given->ndim, given->shape, a), garray__shape_text(x->ndim, s.shape, b));
    }
    if (st != GARRAY_OK)
        goto done;
    st = run_along(GARRAY_INDEX_SCATTER, &s, wide);
done:
    close_along(&s);
    garray_release(given);
    garray_release(wide);
    garray_release(copy);
    return st;
}
