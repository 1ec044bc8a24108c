/* SPDX-License-Identifier: BSD-3-Clause
 * Assignment to flat places and under masks: put, putmask, place, copyto. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/plan.h"
#include "core/selection.h"
#include "garray/reduce.h"

garray_status garray__flat_view(garray_t *x, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], own[GARRAY_MAX_NDIM];
    int64_t *strides[1] = { own };
    char *data[1] = { x->data };
    size_t size = sizeof(int64_t) * (size_t)x->ndim;
    *out = NULL;
    memcpy(shape, x->shape, size);
    memcpy(own, garray__strides(x), size);
    int n = x->size == 0 ? 0 : garray__merge_axes(x->ndim, shape, 1, strides, data, true);
    if (n > 1)
        return GARRAY_OK;
    if (n == 0)
        own[0] = garray__size_of(x->dtype);
    return garray__view(x->buffer, x->data, x->dtype, 1, &x->size, own, true, out);
}

/* n values: the given ones (one axis, at least one of them), again and again; a view where that is possible. */
static garray_status repeated(const garray_t *values, int64_t n, garray_t **out)
{
    const int64_t have = values->size, step = garray__size_of(values->dtype);
    garray_t *wide = NULL, *packed = NULL;
    garray_status st = GARRAY_OK;
    if (have == 1 && n > 0)
        return garray__broadcast(values, 1, &n, out);
    if (have >= n)
        return garray__view(values->buffer, values->data, values->dtype, 1, &n, garray__strides(values), false, out);
    int64_t shape[2] = { (n + have - 1) / have, have };
    GARRAY__TRY(garray__broadcast(values, 2, shape, &wide));
    GARRAY__TRY(garray__contiguous(wide, 0, &packed));
    st = garray__view(packed->buffer, packed->data, values->dtype, 1, &n, &step, false, out);
done:
    garray_release(wide);
    garray_release(packed);
    return st;
}

/* Values of x's dtype along one axis, apart from x. */
static garray_status open_values(const garray_t *x, const garray_operand *values, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = garray__assigned_value(x, values, GARRAY_MAX_NDIM, &given);
    if (st == GARRAY_OK)
        st = garray__flatten(given, out);
    garray_release(given);
    return st;
}

static garray_status check_target(const garray_t *x, const garray_operand *values)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray_status st = garray__operand_check(values, "values");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "assignment destination is read-only");
    return GARRAY_OK;
}

/* ---- put ---- */

/* The indices along one axis, bools as 0 and 1, apart from x. */
static garray_status open_places(const garray_t *x, const garray_operand *indices, garray_index_mode mode, garray_t **out)
{
    garray_t *given = NULL, *index = NULL, *legal = NULL;
    garray_status st = garray__index_operand(indices, garray__device_of(x), &given);
    if (st != GARRAY_OK)
        goto done;
    GARRAY__CHECK(garray__kind_of(given->dtype) <= GARRAY__K_UINT, DTYPE, "indices must be integers, not %s",
                  garray__name_of(given->dtype));
    GARRAY__TRY(garray__same_device(garray__device_of(x), given));
    if (given->dtype == GARRAY_BOOL || garray__may_overlap(given, x))
        GARRAY__TRY(garray__copy_as(given, given->dtype == GARRAY_BOOL ? GARRAY_INT64 : given->dtype, &index));
    GARRAY__TRY(garray__index_in_mode(index ? index : given, mode, x->size, &legal));
    st = garray__flatten(legal, out);
done:
    garray_release(given);
    garray_release(index);
    garray_release(legal);
    return st;
}

garray_status (garray_put)(garray_t *x, garray_operand indices, garray_operand values, garray_index_mode mode)
{
    GARRAY_ENTER("garray_put");
    garray_t *flat = NULL, *copy = NULL, *index = NULL, *given = NULL, *all = NULL;
    struct garray__indexed_axis at = { NULL, 0, 0 };
    garray_status st = check_target(x, &values);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_values(x, &values, &given));
    GARRAY__CHECK(mode >= GARRAY_MODE_DEFAULT && mode <= GARRAY_MODE_CLIP, INVALID, "mode %d is none", (int)mode);
    if (given->size == 0)
        goto done;
    GARRAY__TRY(open_places(x, &indices, mode, &index));
    if (index->size == 0)
        goto done;
    GARRAY__TRY(repeated(given, index->size, &all));
    GARRAY__TRY(garray__flat_view(x, &flat));
    if (!flat) {                        /* there and back */
        GARRAY__TRY(garray__copy_as(x, x->dtype, &copy));
        GARRAY__TRY(garray__flatten(copy, &flat));
    }
    at.index = index;
    GARRAY__TRY(garray__index_run(GARRAY_INDEX_SCATTER, 0, flat, 1, &at, 0, all));
    if (copy)
        st = garray__assign(x, copy);
done:
    garray_release(flat);
    garray_release(copy);
    garray_release(index);
    garray_release(given);
    garray_release(all);
    return st;
}

/* ---- copyto ---- */

/* Whether a value may be cast by the rule.  A number fits its kind and those above. */
static garray_status check_cast(const garray_operand *value, int dtype, garray_casting casting)
{
    static const uint8_t kinds[] = { GARRAY__K_BOOL, GARRAY__K_SINT, GARRAY__K_SINT, GARRAY__K_FLOAT, GARRAY__K_COMPLEX };
    static const char *const rules[] = { "", "no", "equiv", "safe", "same_kind", "unsafe" };
    static const char *const numbers[] = { "bool", "int64", "int64", "float64", "complex128" };
    const int number = value->kind - GARRAY_OPERAND_BOOL;
    bool array = value->kind == GARRAY_OPERAND_ARRAY, allowed;
    int kind = garray__kind_of(dtype) == GARRAY__K_UINT ? GARRAY__K_SINT : garray__kind_of(dtype);
    if (array)
        allowed = garray_can_cast(garray_dtype_of(value->array), (garray_dtype)dtype, casting);
    else
        allowed = casting == GARRAY_CAST_UNSAFE || (casting >= GARRAY_CAST_SAFE ? kinds[number] <= kind
                                                                                : kinds[number] == kind);
    GARRAY_REQUIRE(allowed, DTYPE, "cannot cast %s from %s to %s according to the rule '%s'", array ? "array data" : "scalar",
                   array ? garray__name_of(value->array->dtype) : numbers[number], garray__name_of(dtype), rules[casting]);
    return GARRAY_OK;
}

/* x = value where the mask (bool) is true. */
static garray_status assign_where(garray_t *x, const garray_operand *mask, const garray_operand *value)
{
    garray_operand in[3] = { *mask, *value, garray_operand_array(x) };
    return garray__elementwise(GARRAY_OP_where, 3, in, x->dtype, garray_into(x));
}

garray_status (garray_copyto)(garray_t *x, garray_operand values, const garray_copyto_opts *opts)
{
    GARRAY_ENTER("garray_copyto");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_casting casting = opts && opts->casting ? opts->casting : GARRAY_CAST_SAME_KIND;
    garray_t *given = NULL;
    garray_status st = check_target(x, &values);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(casting >= GARRAY_CAST_NO && casting <= GARRAY_CAST_UNSAFE, INVALID, "casting rule %d is none", (int)casting);
    if (opts && opts->where.kind == GARRAY_OPERAND_ARRAY)
        GARRAY_REQUIRE(opts->where.array && opts->where.array->dtype == GARRAY_BOOL, DTYPE, "where must be a bool array");
    else if (opts) {
        GARRAY_TRY(garray__option_check(&opts->where, "where", GARRAY__VALUE));
        GARRAY_REQUIRE(opts->where.kind == GARRAY_OPERAND_NONE || opts->where.kind == GARRAY_OPERAND_BOOL, DTYPE,
                       "where must be a bool array");
    }
    st = check_cast(&values, x->dtype, casting);
    if (st != GARRAY_OK)
        return st;
    if (values.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&values, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(x), given));
        GARRAY__TRY(garray__drop_leading(&given, x->ndim));
        values = garray_operand_array(given);
    }
    if (opts && opts->where.kind == GARRAY_OPERAND_ARRAY)
        st = assign_where(x, &opts->where, &values);
    else if (opts && opts->where.kind == GARRAY_OPERAND_BOOL && !(opts->where.bits[0] & 1))
        st = GARRAY_OK;
    else
        st = given ? garray__assign(x, given) : garray__fill(x, &values);
done:
    garray_release(given);
    return st;
}

/* ---- putmask and place ---- */

/* The mask in x's shape, as bools. */
static garray_status open_mask(const garray_t *x, const garray_t *mask, const char *name, garray_t **out)
{
    garray_t *packed = NULL;
    int64_t strides[GARRAY_MAX_NDIM];
    bool same = mask->ndim == x->ndim && memcmp(mask->shape, x->shape, sizeof(int64_t) * (size_t)x->ndim) == 0;
    garray_status st = garray__same_device(garray__device_of(x), mask);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(mask->size == x->size, SHAPE, "%s: mask and data must be the same size", name);
    if (same && mask->dtype == GARRAY_BOOL) {
        *out = garray__share(mask);
        return GARRAY_OK;
    }
    st = garray__contiguous(mask, GARRAY_BOOL, &packed);
    if (st != GARRAY_OK)
        return st;
    garray__c_strides(x->ndim, x->shape, 1, strides);
    st = garray__view(packed->buffer, packed->data, GARRAY_BOOL, x->ndim, x->shape, strides, false, out);
    garray_release(packed);
    return st;
}

/* Flat values in x's shape: broadcast where they fill its last axes, repeated otherwise. */
static garray_status in_shape(const garray_t *x, const garray_t *values, garray_t **out)
{
    garray_t *all = NULL;
    int64_t strides[GARRAY_MAX_NDIM], last = 1;
    int from = x->ndim;
    while (from > 0 && last < values->size)
        last *= x->shape[--from];
    garray__c_strides(x->ndim - from, x->shape + from, garray__size_of(values->dtype), strides);
    if (last == values->size) {
        garray_t *part = NULL;
        garray_status st = garray__view(values->buffer, values->data, values->dtype, x->ndim - from, x->shape + from, strides,
                                        false, &part);
        if (st == GARRAY_OK)
            st = garray__broadcast(part, x->ndim, x->shape, out);
        garray_release(part);
        return st;
    }
    garray_status st = repeated(values, x->size, &all);
    if (st != GARRAY_OK)
        return st;
    garray__c_strides(x->ndim, x->shape, garray__size_of(values->dtype), strides);
    st = garray__view(all->buffer, all->data, all->dtype, x->ndim, x->shape, strides, false, out);
    garray_release(all);
    return st;
}

static garray_status put_masked(garray_t *x, const garray_t *mask, const garray_t *values)
{
    garray_t *all = NULL;
    garray_status st = in_shape(x, values, &all);
    if (st == GARRAY_OK) {
        garray_operand in[2] = { garray_operand_array(mask), garray_operand_array(all) };
        st = assign_where(x, &in[0], &in[1]);
    }
    garray_release(all);
    return st;
}

/* The k-th true element takes values[k modulo their number]: the number of true elements so far says which. */
static garray_status put_in_turn(garray_t *x, const garray_t *mask, const garray_t *values)
{
    garray_t *flat = NULL, *rank = NULL, *index = NULL, *chosen = NULL;
    const garray_cumulative_opts wide = { .dtype = GARRAY_INT64 };
    const int32_t first = 0;
    garray_operand in[2];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__flatten(mask, &flat));
    GARRAY__TRY(garray_cumulative_sum(flat, (garray_axes){ 1, &first }, &wide, &rank));
    in[0] = garray_operand_array(rank);
    in[1] = garray_operand_int(1);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_subtract, 2, in, 0, &rank));
    GARRAY__TRY(garray__index_in_mode(rank, GARRAY_MODE_WRAP, values->size, &index));
    GARRAY__TRY(garray__take(values, index, (garray_axes){ 1, &first }, &chosen));
    st = put_masked(x, mask, chosen);
done:
    garray_release(flat);
    garray_release(rank);
    garray_release(index);
    garray_release(chosen);
    return st;
}

static garray_status check_no_values(const garray_t *mask)
{
    garray_t *any = NULL;
    uint8_t found = 0;
    garray_status st = garray_any(mask, (garray_axes){ 0, NULL }, NULL, &any);
    if (st == GARRAY_OK)
        st = garray_item(any, &found);
    garray_release(any);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!found, INVALID, "Cannot insert from an empty array!");
    return GARRAY_OK;
}

static garray_status by_mask(garray_t *x, const garray_t *mask, const garray_operand *values, bool in_turn)
{
    garray_t *where = NULL, *given = NULL;
    garray_status st = check_target(x, values);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(mask, INVALID, "mask is NULL");
    st = check_cast(values, x->dtype, GARRAY_CAST_SAFE);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_mask(x, mask, in_turn ? "place" : "putmask", &where));
    GARRAY__TRY(open_values(x, values, &given));
    if (given->size == 0)
        st = in_turn ? check_no_values(where) : GARRAY_OK;
    else if (x->size > 0)
        st = in_turn && given->size > 1 ? put_in_turn(x, where, given) : put_masked(x, where, given);
done:
    garray_release(where);
    garray_release(given);
    return st;
}

garray_status (garray_putmask)(garray_t *x, const garray_t *mask, garray_operand values)
{
    GARRAY_ENTER("garray_putmask");
    return by_mask(x, mask, &values, false);
}

garray_status (garray_place)(garray_t *x, const garray_t *mask, garray_operand values)
{
    GARRAY_ENTER("garray_place");
    return by_mask(x, mask, &values, true);
}
