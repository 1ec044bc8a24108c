/* SPDX-License-Identifier: BSD-3-Clause
 * Membership by binary search, and the operations of sets, each as NumPy composes it. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/search.h"
#include "core/unique.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/set.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* ---- membership ---- */

/* The operand as an array; a number becomes one of the dtype that NumPy gives it, but of the other's where it fits. */
static garray_status open_side(const garray_operand *o, const garray_operand *other, garray_t **out)
{
    if (o->kind == GARRAY_OPERAND_ARRAY)
        return garray__operand_array(o, out);
    int dtype = garray__search_dtype(o, other->array->dtype);
    garray_status st = garray__new(dtype, 0, NULL, garray__device_of(other->array), out);
    return st == GARRAY_OK ? garray__fill(*out, o) : st;
}

static garray_status isin(const garray_t *x, const garray_t *tests, bool invert, garray_t **out)
{
    garray_t *flat = NULL, *cast = NULL, *sorted = NULL, *values = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_status st = GARRAY_OK;
    const int dtype = garray__promote(x->dtype, tests->dtype);
    GARRAY__TRY(garray__flat(tests, &flat));
    GARRAY__TRY(garray__contiguous(flat, dtype, &cast));
    GARRAY__TRY(garray_sort(cast, 0, NULL, &sorted));
    GARRAY__TRY(garray__contiguous(x, dtype, &values));
    GARRAY__TRY(garray__result_open(&r, out, GARRAY_BOOL, x->ndim, x->shape, garray__device_of(x), 0, 3,
                                    (const garray_t *const[]){ values, x, tests }));
    st = garray__search(GARRAY_SEARCH_FOUND, sorted, values, r.target);
    if (st == GARRAY_OK && invert)
        st = garray__unary(GARRAY_OP_logical_not, GARRAY__ARR(r.target), garray_into(r.target));
    st = garray__result_close(&r, st);
done:
    garray_release(flat);
    garray_release(cast);
    garray_release(sorted);
    garray_release(values);
    return st;
}

garray_status (garray_isin)(garray_operand x, garray_operand test_elements, const garray_set_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_isin");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *values = NULL, *tests = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__operand_check(&x, "x"));
    GARRAY__TRY(garray__operand_check(&test_elements, "test_elements"));
    const bool both = x.kind == GARRAY_OPERAND_ARRAY && test_elements.kind == GARRAY_OPERAND_ARRAY;
    GARRAY__CHECK(both || x.kind == GARRAY_OPERAND_ARRAY || test_elements.kind == GARRAY_OPERAND_ARRAY, INVALID,
                  "at least one operand must be an array");
    if (both)
        GARRAY__TRY(garray__same_device(garray__device_of(x.array), test_elements.array));
    GARRAY__TRY(open_side(&x, &test_elements, &values));
    GARRAY__TRY(open_side(&test_elements, &x, &tests));
    st = isin(values, tests, opts && opts->invert, out);
done:
    garray_release(values);
    garray_release(tests);
    return st;
}

/* ---- operations of sets ---- */

/* The vector of x flattened, or of its different elements, and where they come first. */
static garray_status open_set(const garray_t *x, bool is_unique, bool index, garray_t **values, garray_t **first)
{
    garray_t *flat = NULL, *results[GARRAY__UNIQUE_RESULTS];
    const bool wanted[GARRAY__UNIQUE_RESULTS] = { [GARRAY__UNIQUE_VALUES] = true, [GARRAY__UNIQUE_INDEX] = index };
    garray_status st = garray__flat(x, &flat);
    if (st == GARRAY_OK && is_unique) {
        *values = flat;
        return GARRAY_OK;
    }
    if (st == GARRAY_OK)
        st = garray__unique(flat, false, wanted, results);
    if (st == GARRAY_OK) {
        *values = results[GARRAY__UNIQUE_VALUES];
        if (index)
            *first = results[GARRAY__UNIQUE_INDEX];
    }
    garray_release(flat);
    return st;
}

static garray_status check_sets(const garray_t *a, const garray_t *b, garray_t **out)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(a && b, INVALID, "an argument is NULL");
    return garray__same_device(garray__device_of(a), b);
}

/* *index = the places that `where` marks in order, from `begin` on; by way of `first` if that is given. */
static garray_status index_of(const garray_t *order, const garray_t *where, int64_t begin, const garray_t *first,
                              garray_t **index)
{
    garray_status st = garray__where_set(order, where, index);
    if (st == GARRAY_OK && begin)
        st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(*index), garray_operand_int(begin), 0, index);
    if (st == GARRAY_OK && first)
        st = (garray_take)(first, GARRAY__ARR(*index), GARRAY_AXES(0), index);
    return st;
}

/* Both sets sorted together: what is in both comes twice. */
static garray_status intersect(const garray_t *a, const garray_t *b, const garray_t *first_a, const garray_t *first_b, bool index,
                               garray_t **results)
{
    garray_t *joined = NULL, *order = NULL, *sorted = NULL, *twice = NULL, *before = NULL, *part = NULL;
    const int64_t n = a->size + b->size;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_concat(GARRAY_LIST(a, b), 0, &joined));
    if (n < 2) {
        const int64_t none = 0;
        GARRAY__TRY(garray__new(joined->dtype, 1, &none, garray__device_of(a), &results[0]));
        for (int i = 1; i < 3 && index; i++)
            GARRAY__TRY(garray__new(GARRAY_INT64, 1, &none, garray__device_of(a), &results[i]));
        goto done;
    }
    if (index) {
        GARRAY__TRY(garray_argsort(joined, 0, NULL, &order));
        GARRAY__TRY((garray_take)(joined, GARRAY__ARR(order), GARRAY_AXES(0), &sorted));
    } else {
        GARRAY__TRY(garray_sort(joined, 0, NULL, &sorted));
    }
    GARRAY__TRY(garray__neighbours(GARRAY_OP_equal, sorted, &twice));
    GARRAY__TRY(garray__part(sorted, 0, 0, n - 1, &before));
    GARRAY__TRY(garray__where_set(before, twice, &results[0]));
    for (int i = 0; i < 2 && index; i++) {
        GARRAY__TRY(garray__part(order, 0, i, n - 1, &part));
        GARRAY__TRY(index_of(part, twice, i ? a->size : 0, i ? first_b : first_a, &results[1 + i]));
        garray_release(part);
        part = NULL;
    }
done:
    garray_release(joined);
    garray_release(order);
    garray_release(sorted);
    garray_release(twice);
    garray_release(before);
    garray_release(part);
    return st;
}

garray_status garray_intersect1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out,
                                 garray_t **index_a, garray_t **index_b)
{
    GARRAY_ENTER("garray_intersect1d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *set_a = NULL, *set_b = NULL, *first_a = NULL, *first_b = NULL, *results[3] = { NULL };
    garray_t **const outs[3] = { out, index_a, index_b };
    const bool index = index_a || index_b, is_unique = opts && opts->assume_unique;
    garray_status st = check_sets(a, b, out);
    if (st == GARRAY_OK)
        st = garray__check_outs(3, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_set(a, is_unique, index, &set_a, &first_a));
    GARRAY__TRY(open_set(b, is_unique, index, &set_b, &first_b));
    GARRAY__TRY(intersect(set_a, set_b, first_a, first_b, index, results));
done:
    garray_release(set_a);
    garray_release(set_b);
    garray_release(first_a);
    garray_release(first_b);
    return garray__assign_outs(3, outs, results, st);
}

garray_status garray_setdiff1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_setdiff1d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *set = NULL, *keep = NULL;
    garray_status st = check_sets(a, b, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_set(a, opts && opts->assume_unique, false, &set, NULL));
    GARRAY__TRY(isin(set, b, true, &keep));
    st = garray__where_set(set, keep, out);
done:
    garray_release(set);
    garray_release(keep);
    return st;
}

garray_status garray_setxor1d(const garray_t *a, const garray_t *b, const garray_set_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_setxor1d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *set_a = NULL, *set_b = NULL, *joined = NULL, *differs = NULL, *edge = NULL, *bounds = NULL, *alone = NULL;
    const bool is_unique = opts && opts->assume_unique;
    const int64_t one = 1;
    const garray_operand yes = garray_operand_bool(true);
    garray_status st = check_sets(a, b, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_set(a, is_unique, false, &set_a, NULL));
    GARRAY__TRY(open_set(b, is_unique, false, &set_b, NULL));
    GARRAY__TRY(garray_concat(GARRAY_LIST(set_a, set_b), 0, &joined));
    if (joined->size == 0) {
        st = garray__result_assign(out, joined);
        joined = NULL;
        goto done;
    }
    GARRAY__TRY(garray_sort(joined, 0, NULL, &joined));
    GARRAY__TRY(garray__neighbours(GARRAY_OP_not_equal, joined, &differs));
    GARRAY__TRY(garray__new(GARRAY_BOOL, 1, &one, garray__device_of(a), &edge));
    GARRAY__TRY(garray__fill(edge, &yes));
    GARRAY__TRY(garray_concat(GARRAY_LIST(edge, differs, edge), 0, &bounds));
    GARRAY__TRY(garray__neighbours(GARRAY_OP_logical_and, bounds, &alone));
    st = garray__where_set(joined, alone, out);
done:
    garray_release(set_a);
    garray_release(set_b);
    garray_release(joined);
    garray_release(differs);
    garray_release(edge);
    garray_release(bounds);
    garray_release(alone);
    return st;
}

garray_status garray_union1d(const garray_t *a, const garray_t *b, garray_t **out)
{
    GARRAY_ENTER("garray_union1d");
    garray_t *flat_a = NULL, *flat_b = NULL, *joined = NULL, *set = NULL;
    garray_status st = check_sets(a, b, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__flat(a, &flat_a));
    GARRAY__TRY(garray__flat(b, &flat_b));
    GARRAY__TRY(garray_concat(GARRAY_LIST(flat_a, flat_b), 0, &joined));
    GARRAY__TRY(open_set(joined, false, false, &set, NULL));
    st = garray__result_assign(out, set);
    set = NULL;
done:
    garray_release(flat_a);
    garray_release(flat_b);
    garray_release(joined);
    garray_release(set);
    return st;
}
