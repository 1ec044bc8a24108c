/* SPDX-License-Identifier: BSD-3-Clause
 * How many bins suit the data: NumPy's rules.  Each gives the width of a bin. */
#include <math.h>
#include <stdlib.h>
#include "core/compose.h"
#include "core/histogram.h"
#include "garray/index.h"
#include "garray/reduce.h"
#include "garray/statistics.h"

/* A number of the device. */
static garray_status get(garray_t *x, double *value)
{
    return (garray_item)(x, GARRAY_FLOAT64, value);
}

static garray_status spread(const garray_t *x, double *value)
{
    garray_t *low = NULL, *high = NULL;
    double a, b = 0;
    garray_status st = garray_min(x, GARRAY_ALL_AXES, NULL, &low);
    if (st == GARRAY_OK)
        st = garray_max(x, GARRAY_ALL_AXES, NULL, &high);
    if (st == GARRAY_OK)
        st = get(low, &a);
    if (st == GARRAY_OK)
        st = get(high, &b);
    if (st == GARRAY_OK)
        *value = x->dtype == GARRAY_FLOAT32 ? (double)(float)(b - a) : b - a;
    garray_release(low);
    garray_release(high);
    return st;
}

static garray_status deviation(const garray_t *x, double *value)
{
    garray_t *std = NULL;
    garray_status st = garray_std(x, GARRAY_ALL_AXES, NULL, &std);
    if (st == GARRAY_OK)
        st = get(std, value);
    garray_release(std);
    return st;
}

/* From the third quartile to the first. */
static garray_status quartiles(const garray_t *x, double *value)
{
    static const double q[2] = { 75, 25 };
    const int64_t two = 2;
    garray_t *places = NULL, *found = NULL, *numbers = NULL;
    double *v = NULL;
    garray_status st = GARRAY_OK;
    if (x->dtype == GARRAY_BOOL)        /* counts as uint8, as NumPy's histograms have it */
        GARRAY__TRY(garray_astype(x, GARRAY_UINT8, &numbers));
    else
        numbers = garray__share(x);
    GARRAY__TRY(garray_from_host(q, GARRAY_FLOAT64, (garray_shape){ 1, &two }, NULL, garray_device_of(x), &places));
    GARRAY__TRY((garray_percentile)(numbers, GARRAY__ARR(places), GARRAY_ALL_AXES, NULL, &found));
    GARRAY__TRY(garray__read(found, &v));
    *value = v[0] - v[1];
done:
    free(v);
    garray_release(places);
    garray_release(found);
    garray_release(numbers);
    return st;
}

/* Doane: Sturges, with the skewness: the mean cube of the standardized elements. */
static garray_status doane(const garray_t *x, double *width)
{
    garray_t *mean = NULL, *t = NULL, *cube = NULL, *skew = NULL;
    const double n = (double)x->size;
    double sigma, range, g1;
    garray_status st = GARRAY_OK;
    *width = 0;
    if (x->size <= 2)
        return GARRAY_OK;
    GARRAY__TRY(deviation(x, &sigma));
    if (!(sigma > 0))
        goto done;
    GARRAY__TRY(garray_mean(x, GARRAY_ALL_AXES, NULL, &mean));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(x), GARRAY__ARR(mean), 0, &t));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(t), garray_operand_double(sigma), 0, &t));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(t), GARRAY__ARR(t), 0, &cube));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(cube), GARRAY__ARR(t), 0, &cube));
    GARRAY__TRY(garray_mean(cube, GARRAY_ALL_AXES, NULL, &skew));
    GARRAY__TRY(get(skew, &g1));
    GARRAY__TRY(spread(x, &range));
    const double sg1 = sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
    *width = range / (1 + log2(n) + log2(1 + fabs(g1) / sg1));
done:
    garray_release(mean);
    garray_release(t);
    garray_release(cube);
    garray_release(skew);
    return st;
}

/* Stone's estimate of the loss with so many bins, from the squares of the counts. */
static garray_status loss(const garray_t *x, const struct garray__range *r, int64_t bins, double range, double *value)
{
    struct garray__edges e = { .array = NULL, .wide = NULL };
    garray_t *counts = NULL;
    double *v = NULL, n = (double)x->size, sum = 0;
    const int dtype = garray__kind_of(x->dtype) == GARRAY__K_FLOAT ? x->dtype : GARRAY_FLOAT64;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__edges_even(r, bins, r->found ? dtype : GARRAY_FLOAT64, dtype, garray__device_of(x), &e));
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &bins, garray__device_of(x), &counts));
    GARRAY__TRY(garray__histogram_run(x, &e, NULL, counts));
    GARRAY__TRY(garray__read(counts, &v));
    for (int64_t i = 0; i < bins; i++)
        sum += v[i] / n * (v[i] / n);
    *value = (2 - (n + 1) * sum) / (range / (double)bins);
done:
    free(v);
    garray__edges_close(&e);
    garray_release(counts);
    return st;
}

static garray_status stone(const garray_t *x, const struct garray__range *r, double *width)
{
    double range = 0, least = INFINITY;
    garray_status st = spread(x, &range);
    *width = 0;
    if (st != GARRAY_OK || x->size <= 1 || range == 0)
        return st;
    const int64_t root = (int64_t)sqrt((double)x->size), most = root > 100 ? root : 100;
    for (int64_t bins = 1; bins <= most && st == GARRAY_OK; bins++) {
        double value;
        st = loss(x, r, bins, range, &value);
        if (st == GARRAY_OK && (bins == 1 || value < least)) {
            least = value;
            *width = range / (double)bins;
        }
    }
    return st;
}

static garray_status automatic(const garray_t *x, double *width)
{
    const double n = (double)x->size;
    double range = 0, iqr = 0;
    garray_status st = spread(x, &range);
    if (st == GARRAY_OK)
        st = quartiles(x, &iqr);
    const double fd = 2 * iqr * pow(n, -1.0 / 3), sturges = range / (log2(n) + 1), root = range / sqrt(n);
    const double bounded = fmax(fd, root / 2);
    *width = bounded < sturges ? bounded : sturges;
    return st;
}

static garray_status width_of(garray_bin_rule rule, const garray_t *x, const struct garray__range *r, double *width)
{
    const double n = (double)x->size, pi = 3.14159265358979323846;
    garray_status st;
    switch (rule) {
    case GARRAY_BINS_AUTO: return automatic(x, width);
    case GARRAY_BINS_DOANE: return doane(x, width);
    case GARRAY_BINS_STONE: return stone(x, r, width);
    case GARRAY_BINS_FD:
        st = quartiles(x, width);
        *width = 2 * *width * pow(n, -1.0 / 3);
        return st;
    case GARRAY_BINS_SCOTT:
        st = deviation(x, width);
        *width *= pow(24 * sqrt(pi) / n, 1.0 / 3);
        return st;
    default: break;
    }
    st = spread(x, width);
    *width /= rule == GARRAY_BINS_RICE ? 2 * pow(n, 1.0 / 3) : rule == GARRAY_BINS_STURGES ? log2(n) + 1 : sqrt(n);
    return st;
}

/* The elements of the range. */
static garray_status within(const garray_t *x, const struct garray__range *r, garray_t **inside)
{
    garray_t *above = NULL, *below = NULL;
    garray_status st = garray__binary(GARRAY_OP_greater_equal, GARRAY__ARR(x), garray_operand_double(r->first), 0, &above);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_less_equal, GARRAY__ARR(x), garray_operand_double(r->last), 0, &below);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(above), GARRAY__ARR(below), 0, &above);
    if (st == GARRAY_OK) {
        garray_index mask = { .kind = GARRAY_INDEX_ARRAY, .step = 1, .array = above };
        st = garray_getitem(x, (garray_indices){ 1, &mask }, inside);
    }
    garray_release(above);
    garray_release(below);
    return st;
}

garray_status garray__bins_by_rule(garray_bin_rule rule, const garray_t *x, const struct garray__range *r, int64_t *bins)
{
    garray_t *inside = NULL;
    double width = 0;
    garray_status st = GARRAY_OK;
    if (!r->found && x->size > 0)
        GARRAY__TRY(within(x, r, &inside));
    else
        inside = garray__share(x);
    *bins = 1;
    if (inside->size > 0)
        GARRAY__TRY(width_of(rule, inside, r, &width));
    if (width > 0) {
        if ((garray__is_integer(x->dtype) || x->dtype == GARRAY_BOOL) && width < 1)
            width = 1;
        const double n = ceil((r->last - r->first) / width);
        GARRAY__CHECK(n < 2147483647.0, INVALID, "the rule asks for %g bins", n);
        *bins = (int64_t)n;
    }
done:
    garray_release(inside);
    return st;
}
