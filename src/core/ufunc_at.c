/* SPDX-License-Identifier: BSD-3-Clause
 * op.at, an operation on the elements that index items name, again for each time that one is named; and op.outer. */
#include <stdlib.h>
#include <string.h>
#include "core/fold.h"
#include "core/result.h"
#include "core/selection.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/sort.h"
#include "garray/ufunc.h"

/* ---- rounds ----
 * The elements that are named are numbered by place and sorted; how often a place has come before is the round of an item.
 * In a round no place comes twice. */

struct rounds {
    int64_t count;              /* items */
    int nrounds;
    int64_t *first;             /* nrounds + 1: items of a round in `item` and `place` */
    garray_t *item, *place;     /* the number of an item in order, and its place in the flat array, by rounds */
};

static void close_rounds(struct rounds *r)
{
    free(r->first);
    garray_release(r->item);
    garray_release(r->place);
}

/* True where a sorted vector has a value for the first time. */
static garray_status first_of_equal(const garray_t *sorted, garray_t **is_first)
{
    garray_t *one = NULL, *rest = NULL, *left = NULL, *right = NULL;
    garray_operand yes = garray_operand_bool(true);
    int64_t n = sorted->size;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__new(GARRAY_BOOL, 1, &n, garray__device_of(sorted), is_first));
    GARRAY__TRY(garray__part(*is_first, 0, 0, 1, &one));
    GARRAY__TRY(garray__fill(one, &yes));
    GARRAY__TRY(garray__part(*is_first, 0, 1, n - 1, &rest));
    GARRAY__TRY(garray__part(sorted, 0, 1, n - 1, &right));
    GARRAY__TRY(garray__part(sorted, 0, 0, n - 1, &left));
    st = garray__binary(GARRAY_OP_not_equal, garray_operand_array(right), garray_operand_array(left), 0, garray_into(rest));
done:
    garray_release(one);
    garray_release(rest);
    garray_release(left);
    garray_release(right);
    return st;
}

/* How many equal ones stand before each item of a sorted vector. */
static garray_status ranks_of(const garray_t *sorted, garray_t **rank)
{
    const garray_axes axis = { 1, &(int32_t){ 0 } };
    garray_t *is_first = NULL, *run = NULL, *starts = NULL, *start = NULL, *number = NULL;
    const garray_cumulative_opts wide = { .dtype = GARRAY_INT64 };
    garray_status st = GARRAY_OK;
    GARRAY__TRY(first_of_equal(sorted, &is_first));
    GARRAY__TRY(garray_cumulative_sum(is_first, axis, &wide, &run));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, garray_operand_array(run), garray_operand_int(1), 0, &run));
    GARRAY__TRY(garray_flatnonzero(is_first, &starts));
    GARRAY__TRY(garray__take(starts, run, axis, &start));
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(sorted->size), garray_operand_int(1), GARRAY_INT64,
                                garray_device_of(sorted), &number));
    st = garray__binary(GARRAY_OP_subtract, garray_operand_array(number), garray_operand_array(start), 0, rank);
done:
    garray_release(is_first);
    garray_release(run);
    garray_release(starts);
    garray_release(start);
    garray_release(number);
    return st;
}

/* Where the rounds begin in the sorted vector of ranks, read by the host. */
static garray_status read_rounds(const garray_t *sorted, struct rounds *r)
{
    garray_t *is_first = NULL, *starts = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(first_of_equal(sorted, &is_first));
    GARRAY__TRY(garray_flatnonzero(is_first, &starts));
    GARRAY__CHECK(starts->size < INT32_MAX, UNSUPPORTED, "a place is named more than 2^31 times");
    r->nrounds = (int)starts->size;
    r->first = malloc(sizeof(int64_t) * (size_t)(r->nrounds + 1));
    GARRAY__CHECK(r->first, NOMEM, "out of memory for %d rounds", r->nrounds);
    r->first[r->nrounds] = sorted->size;
    st = garray_to_host(starts, r->first, NULL, sizeof(int64_t) * (size_t)r->nrounds);
done:
    garray_release(is_first);
    garray_release(starts);
    return st;
}

/* places: a vector, each place more by 1. */
static garray_status open_rounds(const garray_t *places, struct rounds *r)
{
    const garray_axes axis = { 1, &(int32_t){ 0 } };
    garray_t *order = NULL, *sorted = NULL, *rank = NULL, *by_rank = NULL;
    garray_status st = GARRAY_OK;
    r->count = places->size;
    GARRAY__TRY(garray_argsort(places, 0, NULL, &order));
    GARRAY__TRY(garray__take(places, order, axis, &sorted));
    GARRAY__TRY(ranks_of(sorted, &rank));
    GARRAY__TRY(garray_argsort(rank, 0, NULL, &by_rank));
    GARRAY__TRY(garray__take(rank, by_rank, axis, &rank));
    GARRAY__TRY(read_rounds(rank, r));
    GARRAY__TRY(garray__take(order, by_rank, axis, &r->item));
    GARRAY__TRY(garray__take(sorted, by_rank, axis, &r->place));
    st = garray__binary(GARRAY_OP_subtract, garray_operand_array(r->place), garray_operand_int(1), 0, &r->place);
done:
    garray_release(order);
    garray_release(sorted);
    garray_release(rank);
    garray_release(by_rank);
    return st;
}

/* flat[place] = op(flat[place], b[item]) for the items of a round. */
static garray_status run_round(int op, garray_t *flat, const garray_operand *b, const garray_t *values, const garray_t *place,
                               const garray_t *item)
{
    const garray_axes axis = { 1, &(int32_t){ 0 } };
    garray_t *now = NULL, *value = NULL, *next = NULL, *same = NULL;
    struct garray__indexed_axis at = { place, 0, 0 };
    garray_operand in[2];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__take(flat, place, axis, &now));
    in[0] = garray_operand_array(now);
    in[1] = *b;
    if (values) {
        GARRAY__TRY(garray__take(values, item, axis, &value));
        in[1] = garray_operand_array(value);
    }
    GARRAY__TRY(garray__elementwise(op, garray__ops[op].nin, in, 0, &next));
    GARRAY__TRY(garray__contiguous(next, flat->dtype, &same));
    st = garray__index_run(GARRAY_INDEX_SCATTER, 0, flat, 1, &at, 0, same);
done:
    garray_release(now);
    garray_release(same);
    garray_release(value);
    garray_release(next);
    return st;
}

static garray_status run_rounds(int op, garray_t *flat, const garray_operand *b, const garray_t *values, const struct rounds *r)
{
    garray_t *place = NULL, *item = NULL;
    garray_status st = GARRAY_OK;
    for (int k = 0; k < r->nrounds && st == GARRAY_OK; k++) {
        int64_t n = r->first[k + 1] - r->first[k];
        st = garray__part(r->place, 0, r->first[k], n, &place);
        if (st == GARRAY_OK)
            st = garray__part(r->item, 0, r->first[k], n, &item);
        if (st == GARRAY_OK)
            st = run_round(op, flat, b, values, place, item);
        garray_release(place);
        garray_release(item);
        place = item = NULL;
    }
    return st;
}

/* What the items name in an array of the view's shape that holds 1, 2, 3, ...: so an index that a GPU finds out of range
 * is told from others, and is reported when the rounds are read. */
static garray_status places_of(const struct garray__selection *s, garray_t **places)
{
    struct garray__selection same = *s;
    garray_t *numbers = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY((garray_arange)(garray_operand_int(1), garray_operand_int(s->view->size + 1), garray_operand_int(1), GARRAY_INT64,
                                garray_device_of(s->view), &numbers));
    GARRAY__TRY(garray_reshape(numbers, (garray_shape){ s->view->ndim, s->view->shape }, &numbers));
    same.view = numbers;
    st = garray__read_selection(&same, places);
done:
    garray_release(numbers);
    return st;
}

static garray_status at_arrays(int op, const struct garray__selection *s, const garray_operand *b)
{
    garray_t *places = NULL, *vector = NULL, *given = NULL, *wide = NULL, *values = NULL, *copy = NULL, *flat = NULL;
    struct rounds r = { .first = NULL };
    garray_status st = places_of(s, &places);
    if (st != GARRAY_OK)
        return st;
    if (b->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(b, &given));
        GARRAY__TRY(garray__same_device(garray__device_of(s->view), given));
        GARRAY__TRY(garray__drop_leading(&given, places->ndim));
        GARRAY__TRY(garray__broadcast(given, places->ndim, places->shape, &wide));
        GARRAY__TRY(garray__copy_as(wide, wide->dtype, &copy));     /* b may be x itself */
        GARRAY__TRY(garray__flat(copy, &values));
        garray_release(copy);
        copy = NULL;
    }
    GARRAY__TRY(garray__flat(places, &vector));
    if (places->size == 0) {            /* the dtypes must be right all the same */
        GARRAY__TRY(garray__new(s->view->dtype, 1, &vector->size, garray__device_of(s->view), &flat));
        st = run_round(op, flat, b, values, vector, vector);
        goto done;
    }
    GARRAY__TRY(open_rounds(vector, &r));
    GARRAY__TRY(garray__flat_view(s->view, &flat));
    if (!flat || r.nrounds > 1) {       /* a round that fails must not leave those before it */
        garray_release(flat);
        flat = NULL;
        GARRAY__TRY(garray__copy_as(s->view, s->view->dtype, &copy));
        GARRAY__TRY(garray__flat_view(copy, &flat));
    }
    GARRAY__TRY(run_rounds(op, flat, b, values, &r));
    if (copy)
        st = garray__assign(s->view, copy);
done:
    close_rounds(&r);
    garray_release(places);
    garray_release(vector);
    garray_release(given);
    garray_release(wide);
    garray_release(values);
    garray_release(copy);
    garray_release(flat);
    return st;
}

/* Without index arrays no place comes twice. */
static garray_status at_view(int op, garray_t *view, const garray_operand *b)
{
    garray_operand in[2] = { garray_operand_array(view), *b };
    garray_t *result = NULL;
    garray_status st = garray__elementwise(op, garray__ops[op].nin, in, 0, &result);
    if (st == GARRAY_OK)
        st = garray__assign(view, result);
    garray_release(result);
    return st;
}

/* The scatter that does the same, or 0.  Integers wrap, so that their dtype is free in what wraps. */
static int scatter_of(int op, int dtype, const garray_operand *x, const garray_operand *b)
{
    const garray_operand both[2] = { *x, *b };
    int common = garray__common_dtype(2, both), plain = op == GARRAY_OP_subtract ? GARRAY_OP_add : op;
    bool wraps = op != GARRAY_OP_minimum && op != GARRAY_OP_maximum && garray__is_integer(dtype) && garray__is_integer(common);
    if (dtype == GARRAY_BOOL && common == GARRAY_BOOL)
        return op == GARRAY_OP_subtract || garray__ops[op].nin != 2 || op == GARRAY_OP_not_equal ? 0
               : garray__can_combine(garray__fold_on_bools(op), dtype) ? garray__fold_on_bools(op) : 0;
    return garray__can_combine(plain, dtype) && (common == dtype || wraps) ? plain : 0;
}

static garray_status at(int op, garray_t *x, garray_indices items, const garray_operand *b)
{
    struct garray__selection s;
    garray_operand self = garray_operand_array(x), value = *b;
    garray_t *given = NULL, *cast = NULL, *minus = NULL;
    garray_status st = GARRAY_OK;
    int scatter = garray__ops[op].nin == 2 ? scatter_of(op, x->dtype, &self, b) : 0;
    if (scatter && op == GARRAY_OP_subtract) {
        if (b->kind == GARRAY_OPERAND_ARRAY) {      /* in x's dtype, in which it is negated */
            GARRAY__TRY(garray__operand_array(b, &given));
            if (given->dtype != x->dtype) {
                GARRAY__TRY(garray__copy_as(given, x->dtype, &cast));
                value = garray_operand_array(cast);
            } else {
                value = garray_operand_array(given);
            }
        } else {
            GARRAY__TRY(garray__new(x->dtype, 0, NULL, garray__device_of(x), &given));
            GARRAY__TRY(garray__fill(given, b));
            value = garray_operand_array(given);
        }
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, value, &minus));
        value = garray_operand_array(minus);
    }
    if (scatter) {
        st = garray__combine(scatter, x, items, &value);
        goto done;
    }
    GARRAY__TRY(garray__select_items(x, items, &s));
    st = s.narrays ? at_arrays(op, &s, b) : at_view(op, s.view, b);
    garray_release(s.view);
done:
    garray_release(given);
    garray_release(cast);
    garray_release(minus);
    return st;
}

garray_status (garray_ufunc_at)(garray_op op, garray_t *x, garray_indices items, garray_operand b)
{
    GARRAY_ENTER("garray_ufunc_at");
    GARRAY_REQUIRE((unsigned)op < GARRAY_OP_LIMIT && garray__ops[op].name && !garray__ops[op].hidden, INVALID,
                   "there is no operation %d", (int)op);
    int nin = garray__ops[op].nin;
    GARRAY_REQUIRE((nin == 1 || nin == 2) && garray__ops[op].results == 1, INVALID,
                   "'%s' is not an operation of one or two operands with one result", garray__ops[op].name);
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "the array is read-only");
    GARRAY_REQUIRE((b.kind == GARRAY_OPERAND_NONE) == (nin == 1), INVALID, "'%s' takes %s second operand", garray__ops[op].name,
                   nin == 1 ? "no" : "a");
    garray_status st = nin == 2 ? garray__operand_check(&b, "the second operand") : GARRAY_OK;
    return st == GARRAY_OK ? at((int)op, x, items, &b) : st;
}

/* ---- outer ---- */

/* a with `more` axes of length 1 behind its own. */
static garray_status widen(const garray_operand *a, int more, garray_t **out)
{
    garray_t *x = NULL;
    int64_t shape[2 * GARRAY_MAX_NDIM];
    garray_status st = garray__operand_array(a, &x);
    if (st != GARRAY_OK)
        return st;
    int ndim = x->ndim + more;
    GARRAY__CHECK(ndim <= GARRAY_MAX_NDIM, SHAPE, "the result would have more than %d axes", GARRAY_MAX_NDIM);
    for (int i = 0; i < ndim; i++)
        shape[i] = i < x->ndim ? x->shape[i] : 1;
    st = garray_reshape(x, (garray_shape){ ndim, shape }, out);
done:
    garray_release(x);
    return st;
}

garray_status (garray_ufunc_outer)(garray_op op, garray_operand a, garray_operand b, const garray_ufunc_opts *opts,
                                   garray_t **out)
{
    GARRAY_ENTER("garray_ufunc_outer");
    garray_t *wide = NULL;
    garray_t **const outs[1] = { out };
    garray_status st = garray__operand_check(&a, "the first operand");
    if (st == GARRAY_OK)
        st = garray__operand_check(&b, "the second operand");
    if (st != GARRAY_OK)
        return st;
    garray_operand in[2] = { a, b };
    if (a.kind == GARRAY_OPERAND_ARRAY && b.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(widen(&a, b.array->ndim, &wide));
        in[0] = garray_operand_array(wide);
    }
    st = garray_ufunc(op, 2, in, opts, 1, outs);
done:
    garray_release(wide);
    return st;
}
