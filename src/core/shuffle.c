/* SPDX-License-Identifier: BSD-3-Clause
 * Random order: permutations and samples.  A permutation of up to 1024 numbers sorts 64 random bits of each; a longer one is
 * a keyed bijection (draw_order.h), of which any part can be had alone. */
#include "core/compose.h"
#include "core/graph.h"
#include "core/philox.h"
#include "core/random.h"
#include "garray/index.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/sort.h"

enum { SORTED = 1024 };

/* 64 random bits of each element of a shape. */
static garray_status draw_keys(struct garray__draw *d, const garray_rng *rng, garray_shape shape, garray_device device,
                               garray_t **keys)
{
    garray_status st = garray__draw_open(d, rng, shape, GARRAY_RANDOM_BITS, GARRAY_UINT64, device, keys);
    if (st == GARRAY_OK)
        st = garray__draw_uses_words(d, false);
    return st == GARRAY_OK ? garray__draw_fresh(d, keys) : st;
}

void garray__order_keys(garray_random_plan *plan)
{
    for (int i = 0; i < GARRAY_ORDER_KEYS; i++)
        plan->key[i] = garray__philox_word(
            garray__philox_block(plan->seed, plan->stream, plan->position + (uint64_t)i / 4, 0), (uint64_t)i);
}

/* The first count of n numbers in random order, as a new int64 array; blocks: how many it used from the position on. */
static garray_status random_order(const garray_rng *rng, int64_t n, int64_t count, garray_device device, uint64_t *blocks,
                                   garray_t **out)
{
    struct garray__draw d;
    garray_t *x = NULL, *all = NULL;
    garray_status st = GARRAY_OK;
    if (n <= SORTED) {
        GARRAY__TRY(draw_keys(&d, rng, GARRAY_SHAPE(n), device, &all));
        GARRAY__TRY(garray_argsort(all, 0, NULL, &all));
        GARRAY__TRY(garray__part(all, 0, 0, count, &x));
    } else {
        GARRAY__TRY(garray__draw_open(&d, rng, GARRAY_SHAPE(count), GARRAY_RANDOM_ORDER, GARRAY_INT64, device, &x));
        GARRAY__TRY(garray__draw_uses(&d, GARRAY_ORDER_KEYS / 4));
        d.plan.irange = (uint64_t)n - 1;
        garray__order_keys(&d.plan);
        GARRAY__TRY(garray__draw_fresh(&d, &x));
    }
    *blocks = d.blocks;
    *out = x;
    x = NULL;
done:
    garray_release(x);
    garray_release(all);
    return st;
}

static garray_status check_rng(const garray_rng *rng)
{
    GARRAY_REQUIRE(rng, INVALID, "rng is NULL");
    return GARRAY_OK;
}

/* The length that an operand gives, or its array. */
static garray_status population(const garray_operand *o, const char *name, int64_t *n, garray_t **array)
{
    *array = NULL;
    if (o->kind == GARRAY_OPERAND_INT || o->kind == GARRAY_OPERAND_UINT) {
        GARRAY_TRY(garray__plain_number(o));
        GARRAY_REQUIRE(!(o->bits[0] >> 62), INVALID, "%s must be an integer from 0 to 2^62", name);
        *n = (int64_t)o->bits[0];
        return GARRAY_OK;
    }
    garray_status st = garray__operand_check(o, name);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(o->kind == GARRAY_OPERAND_ARRAY, INVALID, "%s must be an integer or an array", name);
    return garray__operand_array(o, array);
}

garray_status (garray_random_permutation)(garray_rng *rng, garray_operand x, int axis, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_permutation");
    garray_t *given = NULL, *order = NULL;
    uint64_t blocks = 0;
    int64_t n = 0;
    int at = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_rng(rng);
    if (st == GARRAY_OK)
        st = population(&x, "x", &n, &given);
    if (st != GARRAY_OK)
        return st;
    if (given) {
        GARRAY__CHECK(given->ndim > 0, INVALID, "x must be an integer or at least 1-dimensional");
        GARRAY__TRY(garray__axis(axis, given->ndim, &at));
        n = given->shape[at];
        device = garray_device_of(given);
    } else {
        GARRAY__TRY(garray__axis(axis, 1, &at));
    }
    GARRAY__TRY(random_order(rng, n, n, device, &blocks, &order));
    if (given) {
        GARRAY__TRY(garray_take(given, GARRAY__ARR(order), GARRAY_AXES(at), out));
    } else {
        GARRAY__TRY(garray__result_assign(out, garray__share(order)));
    }
    rng->position += blocks;
done:
    garray_release(given);
    garray_release(order);
    return st;
}

garray_status garray_random_shuffle(garray_rng *rng, garray_t *x, int axis)
{
    GARRAY_ENTER("garray_random_shuffle");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim > 0, INVALID, "x must be at least 1-dimensional");
    return (garray_random_permutation)(rng, garray_operand_array(x), axis, garray_device_of(x), garray_into(x));
}

/* axes: one axis, along which every line is permuted by itself, or all. */
garray_status garray_random_permuted(garray_rng *rng, const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_random_permuted");
    struct garray__draw d;
    garray_t *flat = NULL, *order = NULL, *lines = NULL;
    uint64_t blocks = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_rng(rng);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    const garray_shape shape = { x->ndim, x->shape };
    const garray_device device = garray_device_of(x);
    if (axes.n == 0 && !axes.v) {
        GARRAY__TRY(garray__flat(x, &flat));
        GARRAY__TRY(random_order(rng, flat->size, flat->size, device, &blocks, &order));
        GARRAY__TRY(garray_take(flat, GARRAY__ARR(order), GARRAY_AXES(0), &flat));
        GARRAY__TRY(garray_reshape(flat, shape, &lines));
    } else {
        int axis;
        GARRAY__CHECK(axes.n == 1 && axes.v, AXIS, "axis must be one axis or GARRAY_ALL_AXES");
        GARRAY__TRY(garray__axis(axes.v[0], x->ndim, &axis));
        GARRAY__TRY(draw_keys(&d, rng, shape, device, &order));
        blocks = d.blocks;
        GARRAY__TRY(garray_argsort(order, axis, NULL, &order));
        GARRAY__TRY(garray_take_along_axis(x, order, axis, &lines));
    }
    st = garray__result_assign(out, lines);
    lines = NULL;
    if (st == GARRAY_OK)
        rng->position += blocks;
done:
    garray_release(flat);
    garray_release(order);
    garray_release(lines);
    return st;
}

/* ---- choice ---- */

/* Whether all elements of a float64 vector can be weights (late on a device). */
static garray_status check_weights(garray_t *wide)
{
    struct garray__draw d;
    const garray_rng none = { 0, 0, 0, 0 };
    garray_t *unused = NULL;
    garray_status st = garray__draw_open(&d, &none, GARRAY_SHAPE(wide->size), GARRAY_RANDOM_CHECK, GARRAY_FLOAT64,
                                         garray_device_of(wide), &unused);
    if (st != GARRAY_OK)
        return st;
    d.plan.checked = GARRAY_RANDOM_weights;
    d.plan.param_step[0] = 1;
    d.param[0] = wide;
    return garray__draw_into(&d, NULL);
}

/* Weights as float64, of length n, each in range (late on a device). */
static garray_status open_weights(const garray_t *p, int64_t n, garray__device *device, garray_t **out)
{
    garray_t *wide = NULL;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(garray__kind_of(p->dtype) != GARRAY__K_COMPLEX, DTYPE, "p must be real, not %s", garray__name_of(p->dtype));
    GARRAY_REQUIRE(p->ndim == 1, SHAPE, "p must be 1-dimensional");
    GARRAY_REQUIRE(p->shape[0] == n, SHAPE, "a and p must have same size");
    GARRAY__TRY(garray__same_device(device, p));
    GARRAY__TRY(garray__contiguous(p, GARRAY_FLOAT64, &wide));
    GARRAY__TRY(check_weights(wide));
    *out = wide;
    wide = NULL;
done:
    garray_release(wide);
    return st;
}

/* count places of n by weights, with replacement: where uniform numbers fall among the sums. */
static garray_status by_weight(const garray_rng *rng, const garray_t *weights, int64_t n, int64_t count, uint64_t *blocks,
                               garray_t **out)
{
    struct garray__draw d;
    garray_t *sums = NULL, *total = NULL, *one = NULL, *u = NULL, *places = NULL;
    const garray_search_opts right = { .right = 1 };
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_cumulative_sum(weights, GARRAY_AXES(0), NULL, &sums));
    GARRAY__TRY(garray__part(sums, 0, n - 1, 1, &total));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(sums), GARRAY__ARR(total), 0, &sums));
    GARRAY__TRY(garray__part(sums, 0, n - 1, 1, &one));
    GARRAY__TRY(check_weights(one));        /* NaN where the sum is 0 or infinite */
    GARRAY__TRY(garray__draw_open(&d, rng, GARRAY_SHAPE(count), GARRAY_RANDOM_UNIFORM, GARRAY_FLOAT64,
                                  garray_device_of(weights), &u));
    d.plan.high = 1;
    GARRAY__TRY(garray__draw_uses_words(&d, false));
    GARRAY__TRY(garray__draw_fresh(&d, &u));
    GARRAY__TRY(garray_searchsorted(sums, GARRAY__ARR(u), &right, &places));
    /* sums that are NaN lead nowhere: within the population all the same */
    GARRAY__TRY(garray__binary(GARRAY_OP_minimum, GARRAY__ARR(places), garray_operand_int(n - 1), 0, &places));
    *blocks = d.blocks;
    *out = places;
    places = NULL;
done:
    garray_release(sums);
    garray_release(total);
    garray_release(one);
    garray_release(u);
    garray_release(places);
    return st;
}

/* count different places of n: the first arrivals where weights are rates, which is the order of successive draws. */
static garray_status by_arrival(const garray_rng *rng, garray_t *weights, int64_t n, int64_t count, uint64_t *blocks,
                                garray_t **out)
{
    struct garray__draw d;
    garray_t *times = NULL;
    const garray_topk_opts first = { .smallest = 1 };
    garray_status st = garray__draw_open(&d, rng, GARRAY_SHAPE(n), GARRAY_RANDOM_weights, GARRAY_FLOAT64,
                                         garray_device_of(weights), out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__draw_uses(&d, (uint64_t)n));
    d.param[0] = weights;
    d.plan.param_step[0] = 1;
    GARRAY__TRY(garray__draw_fresh(&d, &times));
    GARRAY__TRY(garray_top_k(times, count, 0, &first, NULL, out));
    *blocks = d.blocks;
done:
    garray_release(times);
    return st;
}

static garray_status evenly(const garray_rng *rng, int64_t n, int64_t count, garray_device device, uint64_t *blocks,
                            garray_t **out)
{
    struct garray__draw d;
    garray_status st = garray__draw_open(&d, rng, GARRAY_SHAPE(count), GARRAY_RANDOM_INTEGERS, GARRAY_INT64, device, out);
    if (st != GARRAY_OK)
        return st;
    d.plan.irange = n > 0 ? (uint64_t)n - 1 : 0;
    st = garray__draw_uses_words(&d, d.plan.irange <= UINT32_MAX);
    *blocks = d.blocks;
    return st == GARRAY_OK ? garray__draw_fresh(&d, out) : st;
}

garray_status (garray_random_choice)(garray_rng *rng, garray_operand a, garray_shape shape, const garray_choice_opts *opts,
                                     garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_choice");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_choice_opts defaults;
    garray_t *given = NULL, *weights = NULL, *places = NULL;
    garray__device *on = NULL;
    uint64_t blocks = 0;
    int64_t n = 0, count = 0;
    int axis = 0;
    garray_status st = garray__result_check(out);
    if (!opts)
        opts = &defaults;
    if (st == GARRAY_OK)
        st = check_rng(rng);
    if (st == GARRAY_OK)
        st = population(&a, "a", &n, &given);
    if (st != GARRAY_OK)
        return st;
    GARRAY__CHECK(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    GARRAY__TRY(garray__count((int)shape.n, shape.v, 8, &count));
    if (given) {
        GARRAY__CHECK(given->ndim > 0, INVALID, "a must be a sequence or an integer, not a 0-d array");
        GARRAY__TRY(garray__axis(opts->axis, given->ndim, &axis));
        n = given->shape[axis];
        device = garray_device_of(given);
    }
    GARRAY__TRY(garray__device_get(device, &on));
    GARRAY__CHECK(n > 0 || count == 0, INVALID,
                  given ? "a cannot be empty unless no samples are taken"
                        : "a must be a positive integer unless no samples are taken");
    GARRAY__CHECK(!opts->no_replacement || count <= n, INVALID,
                  "Cannot take a larger sample than population when replace is False");
    if (opts->p)
        GARRAY__TRY(open_weights(opts->p, n, on, &weights));
    if (weights && n > 0)
        GARRAY__TRY(opts->no_replacement ? by_arrival(rng, weights, n, count, &blocks, &places)
                                         : by_weight(rng, weights, n, count, &blocks, &places));
    else if (opts->no_replacement)
        GARRAY__TRY(random_order(rng, n, count, device, &blocks, &places));
    else
        GARRAY__TRY(evenly(rng, n, count, device, &blocks, &places));
    GARRAY__TRY(garray_reshape(places, shape, &places));
    if (given) {
        GARRAY__TRY(garray_take(given, GARRAY__ARR(places), GARRAY_AXES(axis), out));
    } else {
        GARRAY__TRY(garray__result_assign(out, garray__share(places)));
    }
    rng->position += blocks;
done:
    garray_release(given);
    garray_release(weights);
    garray_release(places);
    return st;
}

/* ---- bytes ---- */

garray_status garray_random_bytes(garray_rng *rng, int64_t length, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_random_bytes");
    struct garray__draw d;
    garray_t *words = NULL, *all = NULL, *bytes = NULL;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(length >= 0, INVALID, "length < 0");
    GARRAY__TRY(garray__result_check(out));
    GARRAY__TRY(garray__draw_open(&d, rng, GARRAY_SHAPE(length / 4 + (length % 4 != 0)), GARRAY_RANDOM_BITS, GARRAY_UINT32, device,
                                  &words));
    GARRAY__TRY(garray__draw_uses_words(&d, true));
    GARRAY__TRY(garray__draw_fresh(&d, &words));
    GARRAY__TRY(garray_view(words, GARRAY_UINT8, &all));
    GARRAY__TRY(garray__part(all, 0, 0, length, &bytes));
    st = garray__draw_close(rng, &d, garray__result_assign(out, bytes));
    bytes = NULL;
done:
    garray_release(words);
    garray_release(all);
    garray_release(bytes);
    return st;
}
