/* SPDX-License-Identifier: BSD-3-Clause
 * Integer arrays as indices: the plan of gather and scatter, take, take_along_axis; and nonzero. */
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
    st = garray__index_run(GARRAY_INDEX_GATHER, plain, n, axes, place, values);
done:
    garray_release(cell);
    garray_release(plain);
    garray_release(values);
    return st;
}

/* *place += step * index, each index checked: it is looked up in a table of its axis. */
static garray_status add_place(const struct garray__indexed_axis *at, int64_t length, int64_t step, garray_device device,
                               garray_t **place)
{
    const struct garray__indexed_axis only = { at->index, 0, at->axis + at->shift };
    garray_t *table = NULL, *part = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_arange(0, length * step, step, GARRAY_INT64, device, &table));
    GARRAY__TRY(garray__new(GARRAY_INT64, at->index->ndim, at->index->shape, garray__device_of(table), &part));
    GARRAY__TRY(garray__index_run(GARRAY_INDEX_GATHER, table, 1, &only, 0, part));
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
static garray_status run_folded(int kind, const garray_t *base, int n, const struct garray__indexed_axis *axes, int place,
                                const garray_t *values)
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
    for (int k = 0; k < n; k++)     /* in this order, so that the first bad axis is named */
        GARRAY__TRY(add_place(&axes[k], shape[k], step[k], garray_device_of(base), &index));
    garray__c_strides(rest, folded, garray__size_of(base->dtype), folded_strides);
    GARRAY__TRY(garray__view(packed->buffer, packed->data, base->dtype, rest, folded, folded_strides, true, &flat));
    front.index = index;
    GARRAY__TRY(garray__index_run(kind, flat, 1, &front, place, values));
    if (kind == GARRAY_INDEX_SCATTER && packed->buffer != base->buffer)
        st = garray__assign(turned, packed);
done:
    garray_release(turned);
    garray_release(packed);
    garray_release(flat);
    garray_release(index);
    return st;
}

/* The joint axes of the index arrays begin at `place` in values and are as many as it has beyond base's own. */
garray_status garray__index_run(int kind, const garray_t *base, int n, const struct garray__indexed_axis *axes, int place,
                                const garray_t *values)
{
    garray_index_plan plan;
    bool indexed[GARRAY_MAX_NDIM] = { false };
    if (values->size == 0)
        return check_unused(base, n, axes, place);
    if (n > GARRAY_INDEX_ARRAYS)
        return run_folded(kind, base, n, axes, place, values);
    plan.kind = kind;
    plan.itemsize = garray__size_of(base->dtype);
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
    /* of repeated positions the last one wins, so a scatter keeps the order of its axes */
    plan.ndim = garray__merge_axes(plan.ndim, plan.shape, 2 + n, strides, data, kind == GARRAY_INDEX_SCATTER);
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
    return garray__result_close(&r, garray__index_run(GARRAY_INDEX_GATHER, x, 1, &at, axis, r.target));
}

garray_status (garray_take)(const garray_t *x, garray_operand indices, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_take");
    garray_t *flat = NULL, *index = NULL;
    int a = 0;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__result_check(out));
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__operand_check(&indices, "indices"));
    if (indices.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&indices, &index));
    } else {
        GARRAY_REQUIRE(indices.kind <= GARRAY_OPERAND_UINT, DTYPE, "indices must be integers");
        GARRAY__TRY(garray__new(GARRAY_INT64, 0, NULL, garray__device_of(x), &index));
        GARRAY__TRY(garray__fill(index, &indices));
    }
    GARRAY__TRY(check_indices(x, index));
    if (axis.n == 0 && !axis.v) {
        garray_t *packed = NULL;
        GARRAY__TRY(garray__contiguous(x, 0, &packed));
        st = garray__view(packed->buffer, packed->data, x->dtype, 1, &packed->size,
                          (const int64_t[]){ garray__size_of(x->dtype) }, false, &flat);
        garray_release(packed);
        if (st != GARRAY_OK)
            goto done;
        x = flat;
    } else {
        GARRAY__CHECK(axis.n == 1 && axis.v, AXIS, "takes one axis, not %lld", (long long)axis.n);
        GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &a));
    }
    st = gather(x, a, index, out);
done:
    garray_release(flat);
    garray_release(index);
    return st;
}

garray_status garray_take_along_axis(const garray_t *x, const garray_t *indices, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_take_along_axis");
    garray_index_plan plan;
    struct garray__result r;
    int64_t x_shape[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM];
    garray_t *base = NULL, *index = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && indices, INVALID, "an argument is NULL");
    GARRAY__TRY(check_indices(x, indices));
    GARRAY__TRY(garray__axis(axis, x->ndim, &axis));
    GARRAY_REQUIRE(indices->ndim == x->ndim, INDEX, "`indices` and `arr` must have the same number of dimensions");
    int n = x->ndim;
    for (int i = 0; i < n; i++) {           /* all axes but one broadcast */
        int64_t a = x->shape[i], b = indices->shape[i];
        GARRAY_REQUIRE(i == axis || a == b || a == 1 || b == 1, SHAPE, "x has length %lld and indices %lld along axis %d",
                       (long long)a, (long long)b, i);
        shape[i] = i == axis ? b : a == 1 ? b : a;
        x_shape[i] = i == axis ? a : shape[i];
    }
    GARRAY__TRY(garray__broadcast(x, n, x_shape, &base));
    GARRAY__TRY(garray__broadcast(indices, n, shape, &index));
    const garray_t *inputs[2] = { x, indices };
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, n, shape, garray__device_of(x), 0, 2, inputs));
    if (r.target->size > 0) {
        plan.kind = GARRAY_INDEX_GATHER;
        plan.itemsize = garray__size_of(x->dtype);
        plan.narrays = 1;
        plan.count = r.target->size;
        memcpy(plan.shape, shape, sizeof(int64_t) * (size_t)n);
        memcpy(plan.value_strides, garray__strides(r.target), sizeof(int64_t) * (size_t)n);
        memcpy(plan.base_strides, garray__strides(base), sizeof(int64_t) * (size_t)n);
        memcpy(plan.array[0].strides, garray__strides(index), sizeof(int64_t) * (size_t)n);
        plan.array[0].dtype = index->dtype;
        plan.array[0].axis = axis;
        plan.array[0].length = x->shape[axis];
        plan.array[0].step = plan.base_strides[axis];
        plan.base_strides[axis] = 0;
        int64_t *strides[3] = { plan.value_strides, plan.base_strides, plan.array[0].strides };
        char *data[3] = { r.target->data, base->data, index->data };
        plan.ndim = garray__merge_axes(n, plan.shape, 3, strides, data, false);
        plan.values = data[0];
        plan.base = data[1];
        plan.array[0].data = data[2];
        garray__uses uses;
        uses.device = garray__device_of(x);
        uses.nread = 2;
        uses.nwrite = 1;
        uses.read[0] = x->buffer;
        uses.read[1] = index->buffer;
        uses.write[0] = r.target->buffer;
        st = x->shape[axis] ? garray__submit(GARRAY__INDEX, &plan, &uses)
                            : garray__fail(GARRAY_ERR_INDEX, "cannot do a non-empty take from an empty axis");
    }
    st = garray__result_close(&r, st);
done:
    garray_release(base);
    garray_release(index);
    return st;
}

/* ---- nonzero ---- */

garray_status garray__mask_coordinates(const garray_t *mask, garray_t **coordinates)
{
    garray_select_plan plan = { .kind = GARRAY_SELECT_INDEX, .ndim = mask->ndim };
    garray_t *packed = NULL;
    garray__uses uses;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < mask->ndim; i++)
        coordinates[i] = NULL;
    GARRAY__TRY(garray__contiguous(mask, GARRAY_BOOL, &packed));
    plan.mask = (const uint8_t *)packed->data;
    plan.n = packed->size;
    memcpy(plan.shape, packed->shape, sizeof(int64_t) * (size_t)packed->ndim);
    uses.device = garray__device_of(packed);
    uses.nread = 1;
    uses.nwrite = 0;
    uses.read[0] = packed->buffer;
    if (plan.n > 0)
        GARRAY__TRY(garray__submit(GARRAY__SELECT_COUNT, &plan, &uses));
    for (int i = 0; i < mask->ndim; i++) {
        st = garray__new(GARRAY_INT64, 1, &plan.count, garray__device_of(packed), &coordinates[i]);
        if (st != GARRAY_OK)
            break;
        plan.out[i] = coordinates[i]->data;
        uses.write[uses.nwrite++] = coordinates[i]->buffer;
    }
    if (st == GARRAY_OK && plan.count > 0)
        st = garray__submit(GARRAY__SELECT_WRITE, &plan, &uses);
    else if (plan.n > 0)
        garray__select_drop(&plan, &uses);
done:
    garray_release(packed);
    for (int i = 0; i < mask->ndim && st != GARRAY_OK; i++) {
        garray_release(coordinates[i]);
        coordinates[i] = NULL;
    }
    return st;
}

garray_status garray_nonzero(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_nonzero");
    garray_t *coordinates[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(x && outs, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(x->ndim > 0, SHAPE, "calling nonzero on 0d arrays is not allowed");
    GARRAY_REQUIRE(nout == x->ndim, INVALID, "there is a result per axis, %d, not %d", x->ndim, nout);
    st = garray__mask_coordinates(x, coordinates);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < nout; i++) {
        garray_t *old = outs[i];
        outs[i] = coordinates[i];
        garray_release(old);
    }
    return GARRAY_OK;
}
