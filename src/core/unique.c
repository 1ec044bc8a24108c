/* SPDX-License-Identifier: BSD-3-Clause
 * Different elements: sorted, each is compared with the one before it, and the first of each run is kept. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/selection.h"
#include "core/unique.h"
#include "garray/index.h"
#include "garray/reduce.h"
#include "garray/set.h"
#include "garray/shape.h"
#include "garray/sort.h"

enum { VALUES = GARRAY__UNIQUE_VALUES, INDEX = GARRAY__UNIQUE_INDEX, INVERSE = GARRAY__UNIQUE_INVERSE,
       COUNTS = GARRAY__UNIQUE_COUNTS, RESULTS = GARRAY__UNIQUE_RESULTS };

garray_status garray__neighbours(int op, const garray_t *x, garray_t **mask)
{
    garray_t *a = NULL, *b = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(x, 0, 0, x->shape[0] - 1, &a));
    GARRAY__TRY(garray__part(x, 0, 1, x->shape[0] - 1, &b));
    st = garray__binary(op, GARRAY__ARR(a), GARRAY__ARR(b), 0, mask);
done:
    garray_release(a);
    garray_release(b);
    return st;
}

garray_status garray__where_set(const garray_t *x, const garray_t *mask, garray_t **out)
{
    return garray_getitem(x, GARRAY_AT(mask), out);
}

/* Where runs begin, given whether each element but the first differs from the one before it: bool, one longer. */
static garray_status begin_runs(const garray_t *differs, int64_t n, garray_t **begins)
{
    const garray_operand yes = garray_operand_bool(true);
    garray_t *first = NULL, *others = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__new(GARRAY_BOOL, 1, &n, garray__device_of(differs), begins));
    GARRAY__TRY(garray__part(*begins, 0, 0, 1, &first));
    GARRAY__TRY(garray__part(*begins, 0, 1, n - 1, &others));
    GARRAY__TRY(garray__fill(first, &yes));
    st = garray__assign(others, differs);
done:
    garray_release(first);
    garray_release(others);
    return st;
}

/* Whether each element of a sorted vector but the first differs from the one before it.  Unless NaNs are distinct, what
 * follows a NaN, which is one too, does not. */
static garray_status find_differences(const garray_t *sorted, bool distinct_nan, garray_t **differs)
{
    garray_t *before = NULL, *number = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__neighbours(GARRAY_OP_not_equal, sorted, differs));
    if (!distinct_nan && garray__kind_of(sorted->dtype) >= GARRAY__K_FLOAT) {
        GARRAY__TRY(garray__part(sorted, 0, 0, sorted->size - 1, &before));
        GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(before), GARRAY__ARR(before), 0, &number));
        st = garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(*differs), GARRAY__ARR(number), 0, differs);
    }
done:
    garray_release(before);
    garray_release(number);
    return st;
}

/* How far each position is from the next one, the last one from n. */
static garray_status count_runs(const garray_t *positions, int64_t n, garray_t **counts)
{
    garray_t *ends = NULL, *last = NULL, *others = NULL, *next = NULL;
    const garray_operand end = garray_operand_int(n);
    int64_t runs = positions->size;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &runs, garray__device_of(positions), &ends));
    GARRAY__TRY(garray__part(ends, 0, runs - 1, 1, &last));
    GARRAY__TRY(garray__fill(last, &end));
    GARRAY__TRY(garray__part(ends, 0, 0, runs - 1, &others));
    GARRAY__TRY(garray__part(positions, 0, 1, runs - 1, &next));
    GARRAY__TRY(garray__assign(others, next));
    st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(ends), GARRAY__ARR(positions), 0, counts);
done:
    garray_release(ends);
    garray_release(last);
    garray_release(others);
    garray_release(next);
    return st;
}

/* inverse[order[i]] = the number of the run that i is in. */
static garray_status number_runs(const garray_t *begins, const garray_t *order, garray_t **inverse)
{
    garray_t *numbers = NULL, *placed = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_cumulative_sum(begins, GARRAY_AXES(0), NULL, &numbers));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(numbers), garray_operand_int(1), 0, &numbers));
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &order->size, garray__device_of(order), &placed));
    GARRAY__TRY((garray_setitem)(placed, GARRAY_AT((const garray_t *)order), GARRAY__ARR(numbers)));
    *inverse = placed;
    placed = NULL;
done:
    garray_release(numbers);
    garray_release(placed);
    return st;
}

/* All but the values, from where runs begin in order (NULL if only counts are wanted). */
static garray_status describe_runs(const garray_t *begins, const garray_t *order, const bool *wanted, garray_t **positions,
                                   garray_t **results)
{
    garray_status st = garray__mask_coordinates(begins, positions);
    if (st == GARRAY_OK && wanted[INDEX])
        st = (garray_take)(order, GARRAY__ARR(*positions), GARRAY_AXES(0), &results[INDEX]);
    if (st == GARRAY_OK && wanted[INVERSE])
        st = number_runs(begins, order, &results[INVERSE]);
    if (st == GARRAY_OK && wanted[COUNTS])
        st = count_runs(*positions, begins->size, &results[COUNTS]);
    return st;
}

static garray_status make_empty(garray__device *device, const bool *wanted, garray_t **results)
{
    garray_status st = GARRAY_OK;
    const int64_t none = 0;
    for (int i = INDEX; i < RESULTS && st == GARRAY_OK; i++)
        if (wanted[i])
            st = garray__new(GARRAY_INT64, 1, &none, device, &results[i]);
    return st;
}

static void drop(garray_t **results)
{
    for (int i = 0; i < RESULTS; i++) {
        garray_release(results[i]);
        results[i] = NULL;
    }
}

garray_status garray__unique(const garray_t *x, bool distinct_nan, const bool *wanted, garray_t **results)
{
    garray_t *order = NULL, *sorted = NULL, *differs = NULL, *begins = NULL, *positions = NULL;
    bool counted = false;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < RESULTS; i++)
        results[i] = NULL;
    if (x->size == 0) {
        GARRAY__TRY(garray__copy_as(x, x->dtype, &results[VALUES]));
        st = make_empty(garray__device_of(x), wanted, results);
        goto done;
    }
    GARRAY__TRY(garray__unique_integers(x, wanted, results, &counted));
    if (counted)
        goto done;
    if (wanted[INDEX] || wanted[INVERSE]) {
        GARRAY__TRY(garray_argsort(x, 0, NULL, &order));
        GARRAY__TRY((garray_take)(x, GARRAY__ARR(order), GARRAY_AXES(0), &sorted));
    } else {
        GARRAY__TRY(garray_sort(x, 0, NULL, &sorted));
    }
    GARRAY__TRY(find_differences(sorted, distinct_nan, &differs));
    GARRAY__TRY(begin_runs(differs, x->size, &begins));
    if (!wanted[INDEX] && !wanted[INVERSE] && !wanted[COUNTS]) {
        st = garray__where_set(sorted, begins, &results[VALUES]);
        goto done;
    }
    GARRAY__TRY(describe_runs(begins, order, wanted, &positions, results));
    st = (garray_take)(sorted, GARRAY__ARR(positions), GARRAY_AXES(0), &results[VALUES]);
done:
    garray_release(order);
    garray_release(sorted);
    garray_release(differs);
    garray_release(begins);
    garray_release(positions);
    if (st != GARRAY_OK)
        drop(results);
    return st;
}

/* ---- slices ---- */

/* The order of rows by their columns from the first on. */
static garray_status order_rows(const garray_t *rows, garray_t **order)
{
    garray_t *column = NULL, *step = NULL, *key = NULL;
    garray_status st = garray_arange(0, rows->shape[0], 1, GARRAY_INT64, garray_device_of(rows), order);
    for (int64_t i = rows->shape[1] - 1; i >= 0 && st == GARRAY_OK; i--) {
        GARRAY__TRY(garray_getitem(rows, GARRAY_AT(GARRAY_ALL, i), &column));
        GARRAY__TRY((garray_take)(column, GARRAY__ARR(*order), GARRAY_AXES(0), &key));
        GARRAY__TRY(garray_argsort(key, 0, NULL, &step));
        st = (garray_take)(*order, GARRAY__ARR(step), GARRAY_AXES(0), order);
    }
done:
    garray_release(column);
    garray_release(step);
    garray_release(key);
    return st;
}

static garray_status unique_slices(const garray_t *x, int axis, const bool *wanted, garray_t **results)
{
    garray_t *turned = NULL, *rows = NULL, *order = NULL, *sorted = NULL, *apart = NULL, *differs = NULL, *begins = NULL;
    garray_t *positions = NULL, *places = NULL, *kept = NULL, *moved = NULL;
    garray_status st = GARRAY_OK;
    const int64_t n = x->shape[axis];
    GARRAY__TRY(garray__move_axis(x, axis, 0, &turned));
    if (n == 0) {
        GARRAY__TRY(garray__copy_as(x, x->dtype, &results[VALUES]));
        st = make_empty(garray__device_of(x), wanted, results);
        goto done;
    }
    GARRAY__TRY(garray_reshape(turned, GARRAY_SHAPE(n, x->size / n), &rows));
    GARRAY__TRY(order_rows(rows, &order));
    GARRAY__TRY((garray_take)(rows, GARRAY__ARR(order), GARRAY_AXES(0), &sorted));
    GARRAY__TRY(garray__neighbours(GARRAY_OP_not_equal, sorted, &apart));
    GARRAY__TRY(garray_any(apart, GARRAY_AXES(1), NULL, &differs));
    GARRAY__TRY(begin_runs(differs, n, &begins));
    GARRAY__TRY(describe_runs(begins, order, wanted, &positions, results));
    GARRAY__TRY((garray_take)(order, GARRAY__ARR(positions), GARRAY_AXES(0), &places));
    GARRAY__TRY((garray_take)(turned, GARRAY__ARR(places), GARRAY_AXES(0), &kept));
    GARRAY__TRY(garray__move_axis(kept, 0, axis, &moved));
    st = garray__copy_as(moved, x->dtype, &results[VALUES]);
done:
    garray_release(turned);
    garray_release(rows);
    garray_release(order);
    garray_release(sorted);
    garray_release(apart);
    garray_release(differs);
    garray_release(begins);
    garray_release(positions);
    garray_release(places);
    garray_release(kept);
    garray_release(moved);
    if (st != GARRAY_OK)
        drop(results);
    return st;
}

/* ---- the calls ---- */

static garray_status unique(const garray_t *x, const int *axis, bool distinct_nan, garray_t **const outs[RESULTS])
{
    garray_t *flat = NULL, *results[RESULTS] = { NULL };
    bool wanted[RESULTS];
    garray_status st = garray__check_outs(RESULTS, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    for (int i = 0; i < RESULTS; i++)
        wanted[i] = outs[i] != NULL;
    if (axis && x->ndim != 1) {
        GARRAY__TRY(unique_slices(x, *axis, wanted, results));
    } else {
        GARRAY__TRY(garray__flat(x, &flat));
        GARRAY__TRY(garray__unique(flat, distinct_nan, wanted, results));
        if (wanted[INVERSE])
            GARRAY__TRY(garray_reshape(results[INVERSE], garray_shape_of(x), &results[INVERSE]));
    }
done:
    garray_release(flat);
    return garray__assign_outs(RESULTS, outs, results, st);
}

garray_status garray_unique(const garray_t *x, garray_axes axes, const garray_unique_opts *opts, garray_t **values,
                            garray_t **index, garray_t **inverse, garray_t **counts)
{
    GARRAY_ENTER("garray_unique");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    int axis = 0;
    const bool whole = axes.n == 0 && !axes.v;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (!whole) {
        GARRAY_REQUIRE(axes.n == 1 && axes.v, AXIS, "takes one axis, not %lld", (long long)axes.n);
        garray_status st = garray__axis(axes.v[0], x->ndim, &axis);
        if (st != GARRAY_OK)
            return st;
    }
    return unique(x, whole ? NULL : &axis, opts && opts->distinct_nan,
                  (garray_t **const[RESULTS]){ values, index, inverse, counts });
}

garray_status garray_unique_all(const garray_t *x, garray_t **values, garray_t **indices, garray_t **inverse_indices,
                                garray_t **counts)
{
    GARRAY_ENTER("garray_unique_all");
    return unique(x, NULL, true, (garray_t **const[RESULTS]){ values, indices, inverse_indices, counts });
}

garray_status garray_unique_counts(const garray_t *x, garray_t **values, garray_t **counts)
{
    GARRAY_ENTER("garray_unique_counts");
    return unique(x, NULL, true, (garray_t **const[RESULTS]){ values, NULL, NULL, counts });
}

garray_status garray_unique_inverse(const garray_t *x, garray_t **values, garray_t **inverse_indices)
{
    GARRAY_ENTER("garray_unique_inverse");
    return unique(x, NULL, true, (garray_t **const[RESULTS]){ values, NULL, inverse_indices, NULL });
}

garray_status garray_unique_values(const garray_t *x, garray_t **values)
{
    GARRAY_ENTER("garray_unique_values");
    return unique(x, NULL, true, (garray_t **const[RESULTS]){ values, NULL, NULL, NULL });
}
