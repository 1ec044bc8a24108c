/* SPDX-License-Identifier: BSD-3-Clause
 * Histograms in several dimensions: along each, every point finds its bin; together they are the place of a count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/histogram.h"
#include "core/result.h"
#include "garray/difference.h"
#include "garray/reduce.h"
#include "garray/shape.h"

/* The coordinates of the points along one dimension, and its edges. */
struct dimension {
    garray_t *items;
    struct garray__edges edges;
};

static garray_status open_dimension(const garray_t *coordinates, const garray_operand *bins, const garray_histogramdd_opts *o,
                                    int i, struct dimension *d)
{
    garray_t *given = NULL;
    struct garray__range r;
    garray_operand low = { .kind = GARRAY_OPERAND_NONE }, high = low;
    int64_t number;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__histogram_items(coordinates, "sample", &d->items));
    if (bins->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_check(bins, "bins"));
        GARRAY__TRY(garray__option_array(bins, "bins", garray__device_of(coordinates), &given));
        st = garray__edges_given(given, &d->edges);
        goto done;
    }
    GARRAY__TRY(garray__bins_number(bins, &number));
    GARRAY__CHECK(!o->low == !o->high, INVALID, "low and high must be given both or not at all");
    if (o->low && !(isnan(o->low[i]) && isnan(o->high[i]))) {
        low = garray_operand_double(o->low[i]);
        high = garray_operand_double(o->high[i]);
    }
    GARRAY__TRY(garray__range_of(d->items, &low, &high, &r));
    const int dtype = garray__kind_of(d->items->dtype) == GARRAY__K_FLOAT ? d->items->dtype : GARRAY_FLOAT64;
    st = garray__edges_even(&r, number, r.found ? dtype : GARRAY_FLOAT64, r.found ? dtype : GARRAY_FLOAT64,
                            garray__device_of(coordinates), &d->edges);
done:
    garray_release(given);
    return st;
}

/* The place of each point in the flattened histogram, -1 where it has none. */
static garray_status open_places(int n, const struct dimension *dimensions, garray_t **places)
{
    const garray_t *first = dimensions[0].items;
    const garray_operand zero = garray_operand_int(0);
    garray_status st = garray__new(GARRAY_INT64, 1, &first->size, garray__device_of(first), places);
    if (st == GARRAY_OK && first->size > 0)
        st = garray__fill(*places, &zero);
    for (int i = 0; i < n && st == GARRAY_OK; i++)
        st = garray__histogram_places(dimensions[i].items, &dimensions[i].edges, *places);
    return st;
}

static garray_status open_weights(const garray_operand *o, const garray_t *items, garray_t **weights)
{
    garray_t *given = NULL;
    garray_status st = garray__option_array(o, "weights", garray__device_of(items), &given);
    if (st != GARRAY_OK || !given)
        return st;
    GARRAY__CHECK(garray__kind_of(given->dtype) != GARRAY__K_COMPLEX, DTYPE, "weights are complex");
    GARRAY__CHECK(given->ndim == 1 && given->size == items->size, SHAPE, "weights and points are not as many");
    st = garray__contiguous(given, GARRAY_FLOAT64, weights);
done:
    garray_release(given);
    return st;
}

/* hist / the width along each dimension / sum(hist) */
static garray_status normalize(int n, const struct dimension *dimensions, garray_t **hist)
{
    garray_t *total = NULL, *widths = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray_sum(*hist, GARRAY_ALL_AXES, NULL, &total);
    for (int i = 0; i < n && st == GARRAY_OK; i++) {
        GARRAY__TRY(garray_diff(dimensions[i].edges.array, 1, 0, NULL, &widths));
        for (int k = 0; k < n; k++)
            shape[k] = k == i ? widths->size : 1;
        GARRAY__TRY(garray_reshape(widths, (garray_shape){ n, shape }, &widths));
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*hist), GARRAY__ARR(widths), 0, hist);
    }
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*hist), GARRAY__ARR(total), 0, hist);
done:
    garray_release(total);
    garray_release(widths);
    return st;
}

static garray_status count(int n, const struct dimension *dimensions, const garray_histogramdd_opts *o, garray_t **hist)
{
    garray_t *weights = NULL, *places = NULL, *flat = NULL;
    int64_t shape[GARRAY_MAX_NDIM], total = 1;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < n; i++) {
        shape[i] = dimensions[i].edges.bins;
        GARRAY__CHECK(!__builtin_mul_overflow(total, shape[i], &total) && total < INT32_MAX, SHAPE,
                      "the histogram has too many bins; there may be 2147483646");
    }
    GARRAY__TRY(open_weights(&o->weights, dimensions[0].items, &weights));
    GARRAY__TRY(garray__new(weights ? GARRAY_FLOAT64 : GARRAY_INT64, 1, &total, garray__device_of(dimensions[0].items), &flat));
    if (total > 0) {
        GARRAY__TRY(open_places(n, dimensions, &places));
        GARRAY__TRY(garray__histogram_values(places, total, weights, flat, NULL));
    }
    garray_release(places);
    places = NULL;
    GARRAY__TRY(garray__contiguous(flat, GARRAY_FLOAT64, &places));
    st = garray_reshape(places, (garray_shape){ n, shape }, hist);
    if (st == GARRAY_OK && o->density)
        st = normalize(n, dimensions, hist);
done:
    garray_release(weights);
    garray_release(places);
    garray_release(flat);
    return st;
}

/* columns[i] are the coordinates along dimension i; slots: the histogram, then the edges. */
static garray_status histogram(int n, const garray_t *const *columns, int nbins, const garray_operand *bins,
                               const garray_histogramdd_opts *opts, garray_t **const *slots)
{
    const garray_histogramdd_opts none = { .density = 0 }, *o = opts ? opts : &none;
    struct dimension dimensions[GARRAY_MAX_NDIM];
    garray_t *results[1 + GARRAY_MAX_NDIM] = { NULL };
    garray_status st = GARRAY_OK;
    memset(dimensions, 0, sizeof dimensions[0] * (size_t)n);
    for (int i = 0; i < n; i++)
        GARRAY__TRY(open_dimension(columns[i], &bins[nbins == 1 ? 0 : i], o, i, &dimensions[i]));
    if (slots[0])
        GARRAY__TRY(count(n, dimensions, o, &results[0]));
    for (int i = 0; i < n; i++)
        results[1 + i] = garray_retain(dimensions[i].edges.array);
done:
    for (int i = 0; i < n; i++) {
        garray_release(dimensions[i].items);
        garray__edges_close(&dimensions[i].edges);
    }
    return garray__assign_outs(1 + n, slots, results, st);
}

garray_status garray_histogramdd(const garray_t *sample, int nbins, const garray_operand *bins,
                                 const garray_histogramdd_opts *opts, garray_t **hist, garray_t **edges)
{
    GARRAY_ENTER("garray_histogramdd");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *columns[GARRAY_MAX_NDIM] = { NULL }, **slots[1 + GARRAY_MAX_NDIM] = { hist };
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(sample, INVALID, "sample is NULL");
    GARRAY_REQUIRE(bins || nbins == 0, INVALID, "bins is NULL");
    GARRAY_REQUIRE(sample->ndim == 2, SHAPE, "sample must have 2 axes, points and coordinates, not %d", sample->ndim);
    const int64_t n = sample->shape[1];
    GARRAY_REQUIRE(n >= 1 && n <= GARRAY_MAX_NDIM, SHAPE, "%lld dimensions; there may be 1 to %d", (long long)n, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(nbins == 1 || nbins == n, INVALID,
                   "The dimension of bins must be equal to the dimension of the sample x: %d and %lld", nbins, (long long)n);
    for (int i = 0; i < n; i++) {
        const int32_t axis = 1;
        GARRAY__TRY(garray__part(sample, 1, i, 1, &columns[i]));
        GARRAY__TRY(garray_squeeze(columns[i], (garray_axes){ 1, &axis }, &columns[i]));
        slots[1 + i] = edges ? &edges[i] : NULL;
    }
    GARRAY__TRY(garray__check_outs(1 + (int)n, slots));
    st = histogram((int)n, (const garray_t *const *)columns, nbins, bins, opts, slots);
done:
    for (int i = 0; i < GARRAY_MAX_NDIM; i++)
        garray_release(columns[i]);
    return st;
}

garray_status (garray_histogram2d)(const garray_t *x, const garray_t *y, garray_operand x_bins, garray_operand y_bins,
                                   const garray_histogramdd_opts *opts, garray_t **hist, garray_t **x_edges, garray_t **y_edges)
{
    GARRAY_ENTER("garray_histogram2d");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    const garray_t *columns[2] = { x, y };
    const garray_operand bins[2] = { x_bins, y_bins };
    garray_t **const slots[3] = { hist, x_edges, y_edges };
    garray_status st = garray__check_outs(3, slots);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && y, INVALID, "an argument is NULL");
    st = garray__same_device(garray__device_of(x), y);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->ndim == 1 && y->ndim == 1 && x->size == y->size, SHAPE, "x and y must have the same length, and one axis");
    return histogram(2, columns, 2, bins, opts, slots);
}
