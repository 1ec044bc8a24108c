/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms of one dimension, and the plans of all of them. */
#include <string.h>
#include "core/compose.h"
#include "core/histogram.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/difference.h"
#include "garray/reduce.h"

/* ---- plans ---- */

static garray_status submit(garray_histogram_plan *plan, const garray_t *x, const garray_t *edges, const garray_t *weights,
                            garray_t *target, garray_t *extent)
{
    garray__uses uses;
    uses.device = garray__device_of(x);
    uses.nread = 1;
    uses.nwrite = 0;
    uses.read[0] = x->buffer;
    plan->dtype = x->dtype;
    plan->n = x->size;
    plan->in = x->data;
    if (edges) {
        plan->edges = (const double *)(const void *)edges->data;
        uses.read[uses.nread++] = edges->buffer;
    }
    if (weights) {
        plan->weights = (const double *)(const void *)weights->data;
        uses.read[uses.nread++] = weights->buffer;
    }
    if (target)
        uses.write[uses.nwrite++] = target->buffer;
    if (extent) {
        plan->extent = (int64_t *)(void *)extent->data;
        uses.write[uses.nwrite++] = extent->buffer;
    }
    return garray__submit(GARRAY__HISTOGRAM, plan, &uses);
}

static void set_edges(garray_histogram_plan *plan, const struct garray__edges *e)
{
    plan->kind = e->uniform ? GARRAY_HISTOGRAM_UNIFORM : GARRAY_HISTOGRAM_EDGES;
    plan->bins = e->bins;
    plan->first = e->first;
    plan->last = e->last;
    plan->deviation = e->deviation;
}

static void set_target(garray_histogram_plan *plan, const garray_t *weights, garray_t *target)
{
    if (weights)
        plan->sums = (double *)(void *)target->data;
    else
        plan->counts = (int64_t *)(void *)target->data;
}

/* Nothing to count. */
static garray_status clear(garray_t *target)
{
    const garray_operand zero = garray_operand_int(0);
    return target->size ? garray__fill(target, &zero) : GARRAY_OK;
}

garray_status garray__histogram_run(const garray_t *x, const struct garray__edges *e, const garray_t *weights, garray_t *target)
{
    garray_histogram_plan plan = { .n = 0 };
    if (x->size == 0 || e->bins == 0)
        return clear(target);
    set_edges(&plan, e);
    set_target(&plan, weights, target);
    return submit(&plan, x, e->wide, weights, target, NULL);
}

garray_status garray__histogram_places(const garray_t *x, const struct garray__edges *e, garray_t *places)
{
    garray_histogram_plan plan = { .n = 0 };
    if (x->size == 0 || e->bins == 0)
        return GARRAY_OK;
    set_edges(&plan, e);
    plan.places = (int64_t *)(void *)places->data;
    return submit(&plan, x, e->wide, NULL, places, NULL);
}

garray_status garray__histogram_values(const garray_t *x, int64_t bins, const garray_t *weights, garray_t *target,
                                       garray_t *extent)
{
    garray_histogram_plan plan = { .kind = GARRAY_HISTOGRAM_COUNT, .bins = bins };
    if (x->size == 0)
        return target ? clear(target) : GARRAY_OK;
    if (target)
        set_target(&plan, weights, target);
    return submit(&plan, x, NULL, weights, target, extent);
}

/* ---- arguments ---- */

garray_status garray__histogram_items(const garray_t *x, const char *name, garray_t **items)
{
    garray_t *flat = NULL;
    GARRAY_REQUIRE(garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE, "%s must be real, not %s", name,
                   garray__name_of(x->dtype));
    garray_status st = garray__flat(x, &flat);
    if (st == GARRAY_OK)
        st = garray__contiguous(flat, 0, items);
    garray_release(flat);
    return st;
}

static garray_status open_edges(const garray_t *items, const garray_operand *bins, const garray_histogram_opts *o,
                                struct garray__edges *e)
{
    garray_t *given = NULL;
    struct garray__range r;
    int64_t number;
    garray_status st = GARRAY_OK;
    if (o->rule) {
        GARRAY_REQUIRE((unsigned)o->rule <= GARRAY_BINS_SQRT, INVALID, "%d is not a valid estimator for `bins`", (int)o->rule);
        GARRAY_REQUIRE(bins->kind == GARRAY_OPERAND_NONE, INVALID, "`bins` are given, and a rule for them");
        GARRAY_REQUIRE(o->weights.kind == GARRAY_OPERAND_NONE, INVALID,
                       "Automated estimation of the number of bins is not supported for weighted data");
    }
    if (bins->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_check(bins, "bins"));
        GARRAY__TRY(garray__option_array(bins, "bins", garray__device_of(items), &given));
        st = garray__edges_given(given, e);
        goto done;
    }
    GARRAY__TRY(garray__bins_number(bins, &number));
    GARRAY__TRY(garray__range_of(items, &o->low, &o->high, &r));
    if (o->rule)
        GARRAY__TRY(garray__bins_by_rule(o->rule, items, &r, &number));
    int dtype = garray__kind_of(items->dtype) == GARRAY__K_FLOAT ? items->dtype : GARRAY_FLOAT64;
    st = garray__edges_even(&r, number, r.found ? dtype : GARRAY_FLOAT64, dtype, garray__device_of(items), e);
done:
    garray_release(given);
    return st;
}

/* ---- one histogram ---- */

/* Sums of complex weights: part by part into both halves of the numbers. */
static garray_status complex_sums(const garray_t *items, const struct garray__edges *e, const garray_t *weights, garray_t **hist)
{
    garray_t *part = NULL, *wide = NULL, *sums = NULL, *half = NULL;
    const int64_t step = 16;
    garray_status st = garray__new(GARRAY_COMPLEX128, 1, &e->bins, garray__device_of(items), hist);
    for (int k = 0; k < 2 && st == GARRAY_OK; k++) {
        GARRAY__TRY(garray__unary(k ? GARRAY_OP_imag : GARRAY_OP_real, GARRAY__ARR(weights), &part));
        GARRAY__TRY(garray__contiguous(part, GARRAY_FLOAT64, &wide));
        GARRAY__TRY(garray__new(GARRAY_FLOAT64, 1, &e->bins, garray__device_of(items), &sums));
        GARRAY__TRY(garray__histogram_run(items, e, wide, sums));
        GARRAY__TRY(garray__view((*hist)->buffer, (*hist)->data + 8 * k, GARRAY_FLOAT64, 1, &e->bins, &step, true, &half));
        st = garray__assign(half, sums);
        garray_release(wide);
        garray_release(sums);
        garray_release(half);
        wide = sums = half = NULL;
    }
done:
    garray_release(part);
    garray_release(wide);
    garray_release(sums);
    garray_release(half);
    return st;
}

/* Counts, or sums of the weights in their dtype. */
static garray_status count(const garray_t *x, const garray_t *items, const struct garray__edges *e, const garray_operand *given,
                           garray_t **hist)
{
    garray_t *weights = NULL, *flat = NULL, *wide = NULL, *sums = NULL;
    garray_status st = GARRAY_OK;
    if (given->kind == GARRAY_OPERAND_NONE) {
        GARRAY__TRY(garray__new(GARRAY_INT64, 1, &e->bins, garray__device_of(items), hist));
        st = garray__histogram_run(items, e, NULL, *hist);
        goto done;
    }
    GARRAY__TRY(garray__option_array(given, "weights", garray__device_of(items), &weights));
    GARRAY__CHECK(weights->ndim == x->ndim && memcmp(weights->shape, x->shape, sizeof(int64_t) * (size_t)x->ndim) == 0, SHAPE,
                  "weights should have the same shape as x.");
    GARRAY__TRY(garray__flat(weights, &flat));
    if (garray__kind_of(flat->dtype) == GARRAY__K_COMPLEX) {
        GARRAY__TRY(complex_sums(items, e, flat, &sums));
    } else {
        GARRAY__TRY(garray__contiguous(flat, GARRAY_FLOAT64, &wide));
        GARRAY__TRY(garray__new(GARRAY_FLOAT64, 1, &e->bins, garray__device_of(items), &sums));
        GARRAY__TRY(garray__histogram_run(items, e, wide, sums));
    }
    if (garray__is_integer(flat->dtype) && garray__size_of(flat->dtype) < 8) {          /* wraps as NumPy's sum does */
        garray_release(wide);
        wide = NULL;
        GARRAY__TRY(garray__copy_as(sums, GARRAY_INT64, &wide));
        st = garray__copy_as(wide, flat->dtype, hist);
    } else {
        st = garray__contiguous(sums, flat->dtype, hist);
    }
done:
    garray_release(weights);
    garray_release(flat);
    garray_release(wide);
    garray_release(sums);
    return st;
}

/* hist / widths / sum(hist) */
static garray_status normalize(const garray_t *edges, garray_t **hist)
{
    garray_t *widths = NULL, *wide = NULL, *total = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray_diff(edges, 1, 0, NULL, &widths));
    GARRAY__TRY(garray__contiguous(widths, GARRAY_FLOAT64, &wide));
    GARRAY__TRY(garray_sum(*hist, GARRAY_ALL_AXES, NULL, &total));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(*hist), GARRAY__ARR(wide), 0, hist));
    st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*hist), GARRAY__ARR(total), 0, hist);
done:
    garray_release(widths);
    garray_release(wide);
    garray_release(total);
    return st;
}

static garray_status histogram(const garray_t *x, const garray_operand *bins, const garray_histogram_opts *opts, garray_t **hist,
                               garray_t **edges)
{
    const garray_histogram_opts none = { .density = 0 }, *o = opts ? opts : &none;
    struct garray__edges e = { .array = NULL, .wide = NULL };
    garray_t *items = NULL, *results[2] = { NULL, NULL };
    garray_t **const slots[2] = { hist, edges };
    garray_status st = garray__check_outs(2, slots);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__histogram_items(x, "x", &items));
    GARRAY__TRY(open_edges(items, bins, o, &e));
    if (hist) {
        GARRAY__TRY(count(x, items, &e, &o->weights, &results[0]));
        if (o->density)
            GARRAY__TRY(normalize(e.array, &results[0]));
    }
    results[1] = garray_retain(e.array);
done:
    garray__edges_close(&e);
    garray_release(items);
    return garray__assign_outs(2, slots, results, st);
}

garray_status (garray_histogram)(const garray_t *x, garray_operand bins, const garray_histogram_opts *opts, garray_t **hist,
                                 garray_t **edges)
{
    GARRAY_ENTER("garray_histogram");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    return histogram(x, &bins, opts, hist, edges);
}

garray_status (garray_histogram_bin_edges)(const garray_t *x, garray_operand bins, const garray_histogram_opts *opts,
                                           garray_t **edges)
{
    GARRAY_ENTER("garray_histogram_bin_edges");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    return histogram(x, &bins, opts, NULL, edges);
}
