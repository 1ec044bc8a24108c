/* SPDX-License-Identifier: BSD-3-Clause
 * x[items], read and assigned. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/result.h"
#include "core/selection.h"
#include "core/submit.h"

/* The index arrays of a selection, bool masks turned into coordinates. */
struct indices {
    int n;
    struct garray__indexed_axis axis[GARRAY_MAX_NDIM];
    garray_t *own[GARRAY_MAX_NDIM];         /* coordinates made here */
};

static void close_indices(struct indices *ix)
{
    for (int i = 0; i < ix->n; i++)
        garray_release(ix->own[i]);
}

static garray_status add_mask(struct indices *ix, const garray_t *mask, int axis)
{
    garray_t *coordinates[GARRAY_MAX_NDIM], *whole = NULL;
    int64_t one = 1, step = 1;
    garray_status st = GARRAY_OK;
    if (mask->ndim == 0) {                  /* over the axis of length 1 that it added */
        st = garray__view(mask->buffer, mask->data, GARRAY_BOOL, 1, &one, &step, false, &whole);
        if (st != GARRAY_OK)
            return st;
        mask = whole;
    }
    st = garray__mask_coordinates(mask, coordinates);
    for (int k = 0; k < mask->ndim && st == GARRAY_OK; k++) {
        ix->own[ix->n] = coordinates[k];
        ix->axis[ix->n].index = coordinates[k];
        ix->axis[ix->n].shift = 0;          /* they are all in range */
        ix->axis[ix->n++].axis = axis + k;
    }
    garray_release(whole);
    return st;
}

static garray_status open_indices(const struct garray__selection *s, struct indices *ix)
{
    garray_status st = GARRAY_OK;
    ix->n = 0;
    for (int i = 0; i < s->narrays && st == GARRAY_OK; i++) {
        const garray_t *index = s->array[i].index;
        if (index->dtype == GARRAY_BOOL) {
            st = add_mask(ix, index, s->array[i].axis);
        } else {
            ix->own[ix->n] = NULL;
            ix->axis[ix->n].index = index;
            ix->axis[ix->n].shift = s->array[i].shift;
            ix->axis[ix->n++].axis = s->array[i].axis;
        }
    }
    return st;
}

/* NumPy finds an index into an empty axis out of bounds, whatever it is. */
static garray_status check_empty_axes(const garray_t *view, const struct indices *ix, int64_t count)
{
    for (int i = 0; i < ix->n; i++)
        GARRAY_REQUIRE(count == 0 || view->shape[ix->axis[i].axis] > 0, INDEX, "index is out of bounds for axis %d with size 0",
                       ix->axis[i].axis + ix->axis[i].shift);
    return GARRAY_OK;
}

/* ---- reading ---- */

/* x[mask] with one mask over the first axes of contiguous data: rows are moved, no coordinates are made. */
static garray_status select_rows(const garray_t *view, const garray_t *mask, garray_t **out)
{
    const garray_t *inputs[2] = { view, mask };
    struct garray__result r;
    garray_select_plan plan = { .kind = GARRAY_SELECT_ROWS, .ndim = 1 };
    garray_t *packed = NULL;
    garray__uses uses;
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 1 + view->ndim - mask->ndim;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__contiguous(mask, 0, &packed));
    plan.mask = (const uint8_t *)packed->data;
    plan.n = plan.shape[0] = packed->size;
    plan.in = view->data;
    plan.row_bytes = garray__size_of(view->dtype);
    for (int i = 1; i < ndim; i++) {
        shape[i] = view->shape[mask->ndim + i - 1];
        plan.row_bytes *= shape[i];
    }
    uses.device = garray__device_of(view);
    uses.nread = 2;
    uses.nwrite = 0;
    uses.read[0] = packed->buffer;
    uses.read[1] = view->buffer;
    if (plan.n > 0)
        GARRAY__TRY(garray__submit(GARRAY__SELECT_COUNT, &plan, &uses));
    shape[0] = plan.count;
    st = garray__result_open(&r, out, view->dtype, ndim, shape, uses.device, 0, 2, inputs);
    if (st == GARRAY_OK && r.target->size > 0) {
        plan.out[0] = r.target->data;
        uses.write[uses.nwrite++] = r.target->buffer;
        st = garray__submit(GARRAY__SELECT_WRITE, &plan, &uses);
    } else if (plan.n > 0) {
        garray__select_drop(&plan, &uses);
    }
    st = r.target ? garray__result_close(&r, st) : st;
done:
    garray_release(packed);
    return st;
}

garray_status garray__read_selection(const struct garray__selection *s, garray_t **out)
{
    const garray_t *view = s->view, *inputs[1 + GARRAY_MAX_NDIM];
    if (s->narrays == 1 && s->array[0].axis == 0 && s->array[0].index->dtype == GARRAY_BOOL && s->array[0].index->ndim > 0
        && view->flags & GARRAY__CONTIGUOUS && garray__aligned(view))
        return select_rows(view, s->array[0].index, out);
    struct garray__result r;
    struct indices ix;
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim;
    garray_status st = open_indices(s, &ix);
    inputs[0] = view;
    for (int i = 0; i < s->narrays; i++)
        inputs[1 + i] = s->array[i].index;
    if (st == GARRAY_OK)
        st = garray__indexed_shape(view, ix.n, ix.axis, s->place, &ndim, shape);
    if (st == GARRAY_OK)
        st = garray__result_open(&r, out, view->dtype, ndim, shape, garray__device_of(view), 0, 1 + s->narrays, inputs);
    if (st == GARRAY_OK) {
        st = check_empty_axes(view, &ix, r.target->size);
        if (st == GARRAY_OK)
            st = garray__index_run(GARRAY_INDEX_GATHER, 0, view, ix.n, ix.axis, s->place, r.target);
        st = garray__result_close(&r, st);
    }
    close_indices(&ix);
    return st;
}

static garray_status getitem(const garray_t *x, garray_indices items, garray_t **out)
{
    struct garray__selection s;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = garray__select_items(x, items, &s);
    if (st != GARRAY_OK)
        return st;
    if (s.narrays == 0)
        return garray__result_assign(out, s.view);
    st = garray__read_selection(&s, out);
    garray_release(s.view);
    return st;
}

/* ---- assigning ---- */

/* The value as an array on x's device with x's dtype; a number becomes one of no axes. */
static garray_status open_value(const garray_t *x, const garray_operand *value, garray_t **out)
{
    garray_t *given = NULL, *cast = NULL;
    garray_status st = GARRAY_OK;
    if (value->kind != GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__new(x->dtype, 0, NULL, garray__device_of(x), &cast));
        GARRAY__TRY(garray__fill(cast, value));
    } else {
        GARRAY__TRY(garray__operand_array(value, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(x), given));
        if (given->dtype == x->dtype && !garray__may_overlap(given, x)) {
            cast = given;
            given = NULL;
        } else {
            GARRAY__TRY(garray__copy_as(given, x->dtype, &cast));
        }
    }
    *out = cast;
    cast = NULL;
done:
    garray_release(given);
    garray_release(cast);
    return st;
}

/* x[mask] = number, or an array of one element: no coordinates, one pass. */
static garray_status assign_masked(garray_t *view, const garray_t *mask, int axis, const garray_operand *value)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    garray_t *wide = NULL, *one = NULL;
    garray_operand in[3];
    garray_status st = GARRAY_OK;
    int ndim = view->ndim - axis;           /* the mask's axes, then the rest as broadcast ones */
    for (int i = 0; i < ndim; i++) {
        shape[i] = i < mask->ndim ? mask->shape[i] : 1;
        strides[i] = i < mask->ndim ? garray__strides(mask)[i] : 1;
    }
    GARRAY__TRY(garray__view(mask->buffer, mask->data, GARRAY_BOOL, ndim, shape, strides, false, &wide));
    in[0] = garray_operand_array(wide);
    in[1] = *value;
    in[2] = garray_operand_array(view);
    if (value->kind == GARRAY_OPERAND_ARRAY) {
        garray_t *cast = NULL;
        GARRAY__TRY(open_value(view, value, &cast));
        st = garray__view(cast->buffer, cast->data, view->dtype, 0, NULL, NULL, false, &one);
        garray_release(cast);
        if (st != GARRAY_OK)
            goto done;
        in[1] = garray_operand_array(one);
    } else {
        uint64_t bits[2];
        GARRAY__TRY(garray__scalar_bits(value, view->dtype, bits));
    }
    st = garray__elementwise(GARRAY_OP_where, 3, in, view->dtype, garray_into(view));
done:
    garray_release(wide);
    garray_release(one);
    return st;
}

garray_status garray__drop_leading(garray_t **value, int ndim)
{
    garray_t *given = *value, *less = NULL;
    int extra = given->ndim - ndim;
    for (int i = 0; i < extra; i++)
        if (given->shape[i] != 1)
            return GARRAY_OK;
    if (extra <= 0)
        return GARRAY_OK;
    garray_status st = garray__view(given->buffer, given->data, given->dtype, ndim, given->shape + extra,
                                    garray__strides(given) + extra, false, &less);
    if (st == GARRAY_OK) {
        garray_release(given);
        *value = less;
    }
    return st;
}

garray_status garray__assigned_value(const garray_t *x, const garray_operand *value, int ndim, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = open_value(x, value, &given);
    if (st == GARRAY_OK)
        st = garray__drop_leading(&given, ndim);
    if (st == GARRAY_OK)
        *out = given;
    else
        garray_release(given);
    return st;
}

garray_status garray__assign_selection(int kind, int op, const struct garray__selection *s, const garray_operand *value)
{
    garray_t *view = s->view, *given = NULL, *wide = NULL;
    const garray_t *first = s->array[0].index;
    bool single = value->kind != GARRAY_OPERAND_ARRAY || value->array->size == 1;
    if (kind == GARRAY_INDEX_SCATTER && s->narrays == 1 && first->dtype == GARRAY_BOOL && first->ndim > 0 && single
        && (value->kind != GARRAY_OPERAND_ARRAY || value->array->ndim <= 1))
        return assign_masked(view, first, s->array[0].axis, value);
    struct indices ix;
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim;
    garray_status st = open_indices(s, &ix);
    if (st == GARRAY_OK)
        st = garray__indexed_shape(view, ix.n, ix.axis, s->place, &ndim, shape);
    if (st != GARRAY_OK)
        goto done;
    GARRAY__TRY(garray__assigned_value(view, value, ndim, &given));
    st = garray__broadcast(given, ndim, shape, &wide);
    if (st == GARRAY_ERR_SHAPE) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        st = garray__fail(GARRAY_ERR_SHAPE,
                          "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
                          garray__shape_text(given->ndim, given->shape, a), garray__shape_text(ndim, shape, b));
    }
    if (st != GARRAY_OK)
        goto done;
    GARRAY__TRY(check_empty_axes(view, &ix, wide->size));
    for (int i = 0; i < ix.n; i++)          /* indices that the assignment itself would change */
        if (garray__may_overlap(ix.axis[i].index, view)) {
            garray_t *copy = NULL;
            GARRAY__TRY(garray__copy_as(ix.axis[i].index, ix.axis[i].index->dtype, &copy));
            garray_release(ix.own[i]);
            ix.own[i] = copy;
            ix.axis[i].index = copy;
        }
    st = garray__index_run(kind, op, view, ix.n, ix.axis, s->place, wide);
done:
    close_indices(&ix);
    garray_release(given);
    garray_release(wide);
    return st;
}

static garray_status assign_view(garray_t *view, const garray_operand *value)
{
    if (value->kind != GARRAY_OPERAND_ARRAY)
        return garray__fill(view, value);
    garray_t *given = NULL;
    garray_status st = garray__operand_array(value, &given);
    if (st == GARRAY_OK)
        st = garray__drop_leading(&given, view->ndim);
    if (st == GARRAY_OK)
        st = garray__assign(view, given);
    garray_release(given);
    return st;
}

static garray_status setitem(garray_t *x, garray_indices items, const garray_operand *value)
{
    struct garray__selection s;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray_status st = garray__operand_check(value, "value");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "assignment destination is read-only");
    st = garray__select_items(x, items, &s);
    if (st != GARRAY_OK)
        return st;
    st = s.narrays ? garray__assign_selection(GARRAY_INDEX_SCATTER, 0, &s, value) : assign_view(s.view, value);
    garray_release(s.view);
    return st;
}

/* ---- public ---- */

garray_status garray_getitem(const garray_t *x, garray_indices items, garray_t **out)
{
    GARRAY_ENTER("garray_getitem");
    return getitem(x, items, out);
}

garray_status (garray_setitem)(garray_t *x, garray_indices items, garray_operand value)
{
    GARRAY_ENTER("garray_setitem");
    return setitem(x, items, &value);
}

static garray_status parse(const char *text, garray_index *items, garray_indices *list)
{
    int count;
    GARRAY_REQUIRE(text, INVALID, "items is NULL");
    garray_status st = garray__parse_items(text, items, &count);
    list->n = st == GARRAY_OK ? count : 0;
    list->v = items;
    return st;
}

garray_status garray_getitem_text(const garray_t *x, const char *items, garray_t **out)
{
    GARRAY_ENTER("garray_getitem_text");
    garray_index room[GARRAY_MAX_NDIM + 1];
    garray_indices list;
    garray_status st = parse(items, room, &list);
    return st == GARRAY_OK ? getitem(x, list, out) : st;
}

garray_status (garray_setitem_text)(garray_t *x, const char *items, garray_operand value)
{
    GARRAY_ENTER("garray_setitem_text");
    garray_index room[GARRAY_MAX_NDIM + 1];
    garray_indices list;
    garray_status st = parse(items, room, &list);
    return st == GARRAY_OK ? setitem(x, list, &value) : st;
}
