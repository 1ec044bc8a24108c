/* SPDX-License-Identifier: BSD-3-Clause
 * Elements left out and put in: delete, insert, trim_zeros. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/rearrange.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* ---- what both take ---- */

/* The array to work on, flattened for GARRAY_ALL_AXES, and the axis; a reference of ours. */
static garray_status open_axis(const garray_t *x, garray_axes axis, garray_t **base, int *at)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (axis.n == 0 && !axis.v) {
        *at = 0;
        return garray__flat(x, base);
    }
    GARRAY_REQUIRE(axis.n == 1 && axis.v, AXIS, "takes one axis, not %lld", (long long)axis.n);
    garray_status st = garray__axis(axis.v[0], x->ndim, at);
    if (st == GARRAY_OK)
        *base = garray__share(x);
    return st;
}

static garray_status check_item(const garray_t *x, garray_indices where)
{
    GARRAY_REQUIRE(where.n == 1 && where.v, INVALID, "takes one index item, not %lld", (long long)where.n);
    int kind = where.v[0].kind;
    GARRAY_REQUIRE(kind == GARRAY_INDEX_INT || kind == GARRAY_INDEX_SLICE || kind == GARRAY_INDEX_ARRAY, INDEX,
                   "the item must be an integer, a range or an array");
    if (kind != GARRAY_INDEX_ARRAY)
        return GARRAY_OK;
    const garray_t *a = where.v[0].array;
    GARRAY_REQUIRE(a, INVALID, "the index array is NULL");
    GARRAY_REQUIRE(a->dtype <= GARRAY_UINT64, INDEX, "arrays used as indices must be of integer (or boolean) type, not %s",
                   garray__name_of(a->dtype));
    return garray__same_device(garray__device_of(x), a);
}

/* The elements that a range of step > 0 or < 0 names, as NumPy's slice.indices(): start, step and their number. */
static garray_status resolve_range(const garray_index *item, int64_t n, int64_t *start, int64_t *step, int64_t *count)
{
    *step = item->has & 4 ? item->step : 1;
    GARRAY_REQUIRE(*step != 0, INVALID, "slice step cannot be zero");
    int64_t low = *step < 0 ? -1 : 0, high = *step < 0 ? n - 1 : n;
    int64_t a = *step < 0 ? high : low, b = *step < 0 ? low : high;
    if (item->has & 1) {
        a = item->start < 0 ? item->start + n : item->start;
        a = a < low ? low : a > high ? high : a;
    }
    if (item->has & 2) {
        b = item->stop < 0 ? item->stop + n : item->stop;
        b = b < low ? low : b > high ? high : b;
    }
    uint64_t stride = *step < 0 ? 0 - (uint64_t)*step : (uint64_t)*step;
    int64_t span = *step < 0 ? a - b : b - a;
    *count = span > 0 ? (int64_t)(((uint64_t)span - 1) / stride + 1) : 0;
    *start = a;
    return GARRAY_OK;
}

/* x[:, :, index] with the array at an axis. */
static garray_indices at_axis(garray_index *items, int axis, const garray_t *index)
{
    for (int i = 0; i < axis; i++)
        items[i] = GARRAY_ALL;
    items[axis] = garray_at_make(GARRAY_INDEX_ARRAY, 0, 0, 0, 1);
    items[axis].array = index;
    return (garray_indices){ axis + 1, items };
}

/* Copies `length` elements of an axis from one place to another. */
static garray_status move_part(const garray_t *target, int64_t to, const garray_t *x, int64_t from, int axis, int64_t length)
{
    garray_t *a = NULL, *b = NULL;
    garray_status st = GARRAY_OK;
    if (length <= 0)
        return GARRAY_OK;
    GARRAY__TRY(garray__part(target, axis, to, length, &a));
    GARRAY__TRY(garray__part(x, axis, from, length, &b));
    st = garray__assign_apart(a, b);
done:
    garray_release(a);
    garray_release(b);
    return st;
}

/* n bools of 1 along one axis. */
static garray_status all_true(const garray_t *x, int64_t n, garray_t **out)
{
    garray_operand one = garray_operand_bool(true);
    garray_t *mask;
    garray_status st = garray__new(GARRAY_BOOL, 1, &n, garray__device_of(x), &mask);
    if (st != GARRAY_OK)
        return st;
    st = garray__fill(mask, &one);
    if (st == GARRAY_OK)
        *out = mask;
    else
        garray_release(mask);
    return st;
}

/* ---- delete ---- */

/* Without the elements start, start + step, ... (step > 0): what is before them, the gaps between, what is behind. */
static garray_status delete_steps(const garray_t *x, int axis, int64_t start, int64_t step, int64_t count, garray_t **out)
{
    struct garray__result r;
    struct garray__sides s;
    int64_t shape[GARRAY_MAX_NDIM], n = x->shape[axis], gap = step - 1;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = n - count;
    garray_status st = garray__result_open(&r, out, x->dtype, x->ndim, shape, garray__device_of(x), GARRAY__CASTS, 1, &x);
    if (st != GARRAY_OK)
        return st;
    if (count == 0)
        return garray__result_close(&r, garray__assign(r.target, x));
    st = move_part(r.target, 0, x, 0, axis, start);
    if (st == GARRAY_OK && count > 1 && gap > 0 && r.target->size > 0) {
        int64_t to_step = garray__strides(r.target)[axis], from_step = garray__strides(x)[axis];
        garray__sides_open(&s, r.target->data + start * to_step, x->data + (start + 1) * from_step);
        for (int i = 0; i < x->ndim; i++)
            if (i == axis) {
                garray__sides_axis(&s, count - 1, gap * to_step, step * from_step);
                garray__sides_axis(&s, gap, to_step, from_step);
            } else {
                garray__sides_axis(&s, x->shape[i], garray__strides(r.target)[i], garray__strides(x)[i]);
            }
        st = garray__sides_copy(r.target, x, &s);
    }
    int64_t behind = start + (count - 1) * step + 1;
    if (st == GARRAY_OK)
        st = move_part(r.target, behind - count, x, behind, axis, n - behind);
    return garray__result_close(&r, st);
}

static garray_status delete_array(const garray_t *x, int axis, const garray_t *index, garray_t **out)
{
    garray_index items[GARRAY_MAX_NDIM];
    garray_t *keep = NULL;
    garray_operand operand = garray_operand_array(index);
    garray_status st = GARRAY_OK;
    if (index->dtype == GARRAY_BOOL) {
        GARRAY_REQUIRE(index->ndim == 1 && index->size == x->shape[axis], SHAPE, "boolean array argument obj to delete must be "
                       "one dimensional and match the axis length of %lld", (long long)x->shape[axis]);
        GARRAY__TRY(garray__elementwise(GARRAY_OP_logical_not, 1, &operand, 0, &keep));
    } else {
        GARRAY__TRY(all_true(x, x->shape[axis], &keep));
        GARRAY__TRY((garray_setitem)(keep, GARRAY_AT(index), garray_operand_bool(false)));
    }
    st = garray_getitem(x, at_axis(items, axis, keep), out);
done:
    garray_release(keep);
    return st;
}

garray_status garray_delete(const garray_t *x, garray_indices where, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_delete");
    garray_t *base = NULL;
    int at;
    int64_t start, step, count;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_axis(x, axis, &base, &at);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(check_item(x, where));
    const garray_index *item = &where.v[0];
    int64_t n = base->shape[at];
    if (item->kind == GARRAY_INDEX_ARRAY) {
        st = delete_array(base, at, item->array, out);
    } else if (item->kind == GARRAY_INDEX_INT) {
        GARRAY__CHECK(item->start >= -n && item->start < n, INDEX, "index %lld is out of bounds for axis %d with size %lld",
                      (long long)item->start, at, (long long)n);
        st = delete_steps(base, at, item->start < 0 ? item->start + n : item->start, 1, 1, out);
    } else {
        GARRAY__TRY(resolve_range(item, n, &start, &step, &count));
        if (count > 0 && step < 0) {
            start += (count - 1) * step;
            step = count > 1 ? -step : 1;       /* a step beyond the axis may have no opposite */
        }
        st = delete_steps(base, at, start, count > 1 ? step : 1, count, out);
    }
done:
    garray_release(base);
    return st;
}

/* ---- insert ---- */

/* All of values, of x's number of axes, before one place. */
static garray_status insert_at(const garray_t *x, int axis, int64_t place, const garray_t *values, garray_t **out)
{
    struct garray__result r;
    garray_t *hole = NULL;
    int64_t shape[GARRAY_MAX_NDIM], n = x->shape[axis];
    const garray_t *inputs[2] = { x, values };
    GARRAY_REQUIRE(place >= -n && place <= n, INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)place,
                   axis, (long long)n);
    place = place < 0 ? place + n : place;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    int64_t more = values->ndim > axis ? values->shape[axis + values->ndim - x->ndim] : 1;
    GARRAY_REQUIRE(!__builtin_add_overflow(n, more, &shape[axis]), SHAPE, "the result is too big");
    garray_status st = garray__result_open(&r, out, x->dtype, x->ndim, shape, garray__device_of(x), 0, 2, inputs);
    if (st != GARRAY_OK)
        return st;
    st = garray__part(r.target, axis, place, more, &hole);
    if (st == GARRAY_OK)
        st = garray__assign(hole, values);
    if (st == GARRAY_OK)
        st = move_part(r.target, 0, x, 0, axis, place);
    if (st == GARRAY_OK)
        st = move_part(r.target, place + more, x, place, axis, n - place);
    garray_release(hole);
    return garray__result_close(&r, st);
}

/* Where n values end up, given the places of x before which they go: places grow by the number of those before them, equal
 * ones in their order. */
static garray_status final_places(const garray_t *index, int64_t length, garray_t **places)
{
    garray_t *plain = NULL, *negative = NULL, *order = NULL, *sorted = NULL, *steps = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__copy_as(index, GARRAY_INT64, &plain));
    garray_operand compare[2] = { garray_operand_array(plain), garray_operand_int(0) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_less, 2, compare, 0, &negative));
    garray_operand product[2] = { garray_operand_array(negative), garray_operand_int(length) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_multiply, 2, product, 0, &sorted));
    garray_operand sum[2] = { garray_operand_array(plain), garray_operand_array(sorted) };
    GARRAY__TRY(garray__elementwise(GARRAY_OP_add, 2, sum, 0, &plain));
    GARRAY__TRY(garray_argsort(plain, 0, NULL, &order));
    GARRAY__TRY((garray_take)(plain, garray_operand_array(order), GARRAY_AXES(0), &sorted));
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(index->size), garray_operand_int(1), GARRAY_INT64,
                                garray_device_of(index), &steps));
    sum[0] = garray_operand_array(sorted);
    sum[1] = garray_operand_array(steps);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_add, 2, sum, 0, &sorted));
    GARRAY__TRY((garray_setitem)(plain, GARRAY_AT(order), garray_operand_array(sorted)));
    *places = plain;
    plain = NULL;
done:
    garray_release(plain);
    garray_release(negative);
    garray_release(order);
    garray_release(sorted);
    garray_release(steps);
    return st;
}

/* values broadcast to one slice per place. */
static garray_status insert_each(const garray_t *x, int axis, const garray_t *index, garray_operand values, garray_t **out)
{
    garray_index items[GARRAY_MAX_NDIM];
    garray_t *places = NULL, *old = NULL, *result = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    GARRAY_REQUIRE(!__builtin_add_overflow(shape[axis], index->size, &shape[axis]), SHAPE, "the result is too big");
    GARRAY__TRY(final_places(index, x->shape[axis], &places));
    GARRAY__TRY(all_true(x, shape[axis], &old));
    GARRAY__TRY((garray_setitem)(old, GARRAY_AT(places), garray_operand_bool(false)));
    GARRAY__TRY(garray__new(x->dtype, x->ndim, shape, garray__device_of(x), &result));
    GARRAY__TRY((garray_setitem)(result, at_axis(items, axis, places), values));
    GARRAY__TRY((garray_setitem)(result, at_axis(items, axis, old), garray_operand_array(x)));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(places);
    garray_release(old);
    garray_release(result);
    return st;
}

/* values as an array of at least x's number of axes; at a number, the first of them is the axis. */
static garray_status values_block(const garray_t *x, garray_operand values, bool move, int axis, garray_t **out)
{
    garray_t *given = NULL;
    struct garray__layout l;
    int from[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    if (values.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(&values, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(x), given));
    } else {
        GARRAY__TRY(garray__new(x->dtype, 0, NULL, garray__device_of(x), &given));
        GARRAY__TRY(garray__fill(given, &values));
    }
    GARRAY__CHECK(given->ndim <= x->ndim, SHAPE, "values have %d axes, more than the array's %d", given->ndim, x->ndim);
    garray__layout_of(given, &l);
    int added = x->ndim - l.ndim;
    memmove(l.shape + added, l.shape, sizeof(int64_t) * (size_t)l.ndim);
    memmove(l.strides + added, l.strides, sizeof(int64_t) * (size_t)l.ndim);
    l.ndim = x->ndim;
    for (int i = 0; i < added; i++) {
        l.shape[i] = 1;
        l.strides[i] = garray__size_of(given->dtype);
    }
    for (int i = 0; i < l.ndim; i++)
        from[i] = !move || i > axis ? i : i == axis ? 0 : i + 1;
    garray__layout_permute(&l, from);
    st = garray__layout_view(given, &l, false, out);
done:
    garray_release(given);
    return st;
}

garray_status (garray_insert)(const garray_t *x, garray_indices where, garray_operand values, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_insert");
    garray_t *base = NULL, *index = NULL, *block = NULL;
    int at;
    int64_t place = 0, step, count = 1;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__operand_check(&values, "values");
    if (st == GARRAY_OK)
        st = open_axis(x, axis, &base, &at);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(check_item(x, where));
    const garray_index *item = &where.v[0];
    bool number = item->kind == GARRAY_INDEX_INT;
    if (number) {
        place = item->start;
    } else if (item->kind == GARRAY_INDEX_SLICE) {
        GARRAY__TRY(resolve_range(item, base->shape[at], &place, &step, &count));
        step = count > 1 ? step : 1;
        GARRAY__TRY((garray_arange)(garray_operand_int(place), garray_operand_int(place + count * step), garray_operand_int(step),
                                    GARRAY_INT64, garray_device_of(x), &index));
    } else if (item->array->dtype == GARRAY_BOOL) {
        GARRAY__CHECK(item->array->ndim == 1, SHAPE, "boolean array argument obj to insert must be one dimensional");
        GARRAY__TRY(garray_nonzero(item->array, 1, &index));
        count = index->size;
        if (count == 1)
            GARRAY__TRY((garray_item)(index, GARRAY_INT64, &place));
    } else {
        GARRAY__CHECK(item->array->ndim <= 1, SHAPE, "index array argument obj to insert must be one dimensional or scalar");
        index = garray__share(item->array);
        count = index->size;
        number = index->ndim == 0;
        if (count == 1)
            GARRAY__TRY((garray_item)(index, GARRAY_INT64, &place));
    }
    if (count == 1) {
        GARRAY__TRY(values_block(base, values, number, at, &block));
        st = insert_at(base, at, place, block, out);
    } else {
        st = insert_each(base, at, index, values, out);
    }
done:
    garray_release(base);
    garray_release(index);
    garray_release(block);
    return st;
}

/* ---- trim_zeros ---- */

/* The first and the last place along each axis of a set where x is not zero; {0, -1} if it is zero everywhere. Waits. */
static garray_status nonzero_bounds(const garray_t *x, const bool *set, int64_t *first, int64_t *last)
{
    garray_t *found[2 * GARRAY_MAX_NDIM + 1] = { NULL }, *line = NULL, *all = NULL;
    int64_t values[2 * GARRAY_MAX_NDIM + 1];
    int n = 0;
    garray_status st = GARRAY_OK;
    for (int axis = 0; axis < x->ndim; axis++) {
        int32_t others[GARRAY_MAX_NDIM];
        int count = 0;
        if (!set[axis])
            continue;
        for (int i = 0; i < x->ndim; i++)
            if (i != axis)
                others[count++] = i;
        GARRAY__TRY(garray_any(x, (garray_axes){ count, others }, NULL, &line));
        GARRAY__TRY(garray_argmax(line, GARRAY_AXES(0), NULL, &found[n++]));
        GARRAY__TRY(garray_flip(line, GARRAY_AXES(0), &line));
        GARRAY__TRY(garray_argmax(line, GARRAY_AXES(0), NULL, &found[n++]));
    }
    GARRAY__TRY(garray_any(line, GARRAY_ALL_AXES, NULL, &found[n++]));
    GARRAY__TRY(garray_stack((garray_list){ n, (const garray_t *const *)found }, 0, &all));
    GARRAY__TRY(garray_to_host(all, values, NULL, sizeof values));
    for (int axis = 0, k = 0; axis < x->ndim; axis++) {
        if (!set[axis])
            continue;
        first[axis] = values[n - 1] ? values[k] : 0;
        last[axis] = values[n - 1] ? x->shape[axis] - 1 - values[k + 1] : -1;
        k += 2;
    }
done:
    for (int i = 0; i < n; i++)
        garray_release(found[i]);
    garray_release(line);
    garray_release(all);
    return st;
}

garray_status garray_trim_zeros(const garray_t *x, const char *trim, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_trim_zeros");
    struct garray__layout l;
    bool set[GARRAY_MAX_NDIM], front = !trim, back = !trim, any = false;
    int64_t first[GARRAY_MAX_NDIM] = { 0 }, last[GARRAY_MAX_NDIM];
    garray_status st = garray__layout_open(x, out, &l);
    if (st != GARRAY_OK)
        return st;
    for (const char *c = trim; c && *c; c++) {
        bool *side = *c == 'f' || *c == 'F' ? &front : *c == 'b' || *c == 'B' ? &back : NULL;
        GARRAY_REQUIRE(side && !*side, INVALID, "unexpected character(s) in `trim`: '%.8s'", trim);
        *side = true;
    }
    GARRAY_REQUIRE(front || back, INVALID, "unexpected character(s) in `trim`: ''");
    st = garray__axis_set(axes, x->ndim, set);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < x->ndim; i++) {
        any = any || set[i];
        last[i] = -1;
    }
    if (any && x->size > 0) {
        st = nonzero_bounds(x, set, first, last);
        if (st != GARRAY_OK)
            return st;
    }
    for (int i = 0; i < x->ndim; i++) {
        if (!set[i])
            continue;
        bool none = last[i] < 0;        /* of zeros alone nothing is left, whichever end is trimmed */
        int64_t start = none || !front ? 0 : first[i], stop = none ? 0 : back ? last[i] + 1 : x->shape[i];
        garray__layout_range(&l, i, start, 1, stop - start);
    }
    return garray__layout_assign(x, &l, out);
}
