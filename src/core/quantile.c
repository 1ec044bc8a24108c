/* SPDX-License-Identifier: BSD-3-Clause
 * Quantiles: the places of each q among sorted values (quantile_place.c), the values there, picked from full rows or taken from
 * sorted ones without NaN, and the interpolation between two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/quantile_place.h"
#include "core/result.h"
#include "core/sort.h"
#include "core/sorted_rows.h"
#include "core/statistics.h"
#include "garray/index.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/sort.h"
#include "garray/statistics.h"

/* The request of a call: what q is, where the values come from. */
struct request {
    garray_quantile_method method;
    bool skip_nan, picks;       /* picks: results are values of x, not between two */
    int dtype;                  /* of the result */
    double *q;
    int64_t nq;
    int q_ndim;                 /* the axes of q, which lead the result's */
    int64_t q_shape[2];
};

/* ---- q ---- */

static garray_status check_q(const struct request *r, double most)
{
    for (int64_t i = 0; i < r->nq; i++)
        GARRAY_REQUIRE(r->q[i] >= 0 && r->q[i] <= most, INVALID, "%s must be in the range [0, %g]",
                       most > 1 ? "Percentiles" : "Quantiles", most);
    return GARRAY_OK;
}

/* Reads q; most is 1, or 100 of percentiles. */
static garray_status open_q(const garray_operand *q, const garray_t *x, double most, struct request *r)
{
    garray_t *array = NULL;
    int q_dtype = 0;
    garray_status st = garray__operand_check(q, "q");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE, "x must be an array of real numbers");
    if (q->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__option_array(q, "q", garray__device_of(x), &array));
        GARRAY__CHECK(garray__kind_of(array->dtype) != GARRAY__K_COMPLEX, DTYPE, "q must be real, not %s",
                      garray__name_of(array->dtype));
        GARRAY__CHECK(array->ndim <= 2, SHAPE, "q must have at most 2 axes, not %d", array->ndim);
        q_dtype = garray__kind_of(array->dtype) == GARRAY__K_FLOAT ? array->dtype : GARRAY_FLOAT64;
        /* whole numbers of it are places, not between two */
        if (most == 1 && garray__kind_of(array->dtype) < GARRAY__K_FLOAT && r->method == GARRAY_QUANTILE_LINEAR)
            r->picks = true;
        r->nq = array->size;
        r->q_ndim = array->ndim;
        memcpy(r->q_shape, array->shape, sizeof(int64_t) * (size_t)array->ndim);
        GARRAY__TRY(garray__read(array, &r->q));
    } else {
        uint64_t bits[2];
        GARRAY__CHECK(q->kind != GARRAY_OPERAND_COMPLEX, DTYPE, "q must be real");
        r->q = malloc(sizeof *r->q);
        GARRAY__CHECK(r->q, NOMEM, "no memory for a number");
        garray__scalar_cast(q, GARRAY_FLOAT64, bits);
        memcpy(r->q, bits, sizeof *r->q);
        r->nq = 1;
    }
    GARRAY__TRY(check_q(r, most));
    for (int64_t i = 0; i < r->nq && most > 1; i++)
        r->q[i] /= most;
    r->dtype = x->dtype;
    if (!r->picks) {
        GARRAY__CHECK(x->dtype != GARRAY_BOOL, DTYPE, "bools have no value between two; a method that picks one is needed");
        const bool is_float = garray__kind_of(x->dtype) == GARRAY__K_FLOAT;
        r->dtype = q_dtype ? garray__promote(x->dtype, q_dtype) : is_float ? x->dtype : GARRAY_FLOAT64;
    }
done:
    garray_release(array);
    return st;
}

/* Numbers of the host as an array of one axis on the device of x. */
static garray_status upload(const void *values, int dtype, int64_t n, const garray_t *x, garray_t **out)
{
    return garray_from_host(values, (garray_dtype)dtype, (garray_shape){ 1, &n }, NULL, garray_device_of(x), out);
}

/* ---- interpolation ---- */

/* nearer + (above - below) * factor, in float64, then of the result's dtype.  With NumPy's formula the nearer of the two
 * values is the one to start from, so that the ends are met exactly. */
static garray_status interpolate(const garray_t *below, const garray_t *above, const garray_t *nearer, garray_operand factor,
                                 int dtype, garray_t **out)
{
    garray_t *distance = NULL, *value = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(above), GARRAY__ARR(below), GARRAY_FLOAT64, &distance));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(distance), factor, GARRAY_FLOAT64, &distance));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(nearer), GARRAY__ARR(distance), GARRAY_FLOAT64, &value));
    if (dtype == GARRAY_FLOAT64) {
        *out = value;
        value = NULL;
    } else {
        st = garray__copy_as(value, dtype, out);
    }
done:
    garray_release(distance);
    garray_release(value);
    return st;
}

static double factor_of(double t)
{
    return t >= 0.5 ? -(1 - t) : t;
}

/* The ranks that full rows of n items are needed at, each once, ascending; the last item is among those of floats: it is
 * NaN if any is. */
struct ranks {
    int64_t *rank, count;
    int64_t *low, *high, *nearer;       /* per q: where its values stand among the picked ones */
    double *factor;                     /* per q */
};

static int by_rank(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t place_of(const struct ranks *k, int64_t rank)
{
    const int64_t *found = bsearch(&rank, k->rank, (size_t)k->count, sizeof rank, by_rank);
    return found - k->rank;
}

static garray_status open_ranks(const struct request *r, int64_t n, bool with_last, struct ranks *k)
{
    const int64_t nq = r->nq;
    int64_t *memory = malloc((size_t)(5 * nq + 1) * sizeof *memory + (size_t)nq * sizeof(double));
    GARRAY_REQUIRE(memory, NOMEM, "no memory for %lld quantiles", (long long)nq);
    *k = (struct ranks){ .rank = memory, .low = memory + 2 * nq + 1, .high = memory + 3 * nq + 1, .nearer = memory + 4 * nq + 1,
                         .factor = (double *)(void *)(memory + 5 * nq + 1) };
    for (int64_t i = 0; i < nq; i++) {
        double t;
        garray__quantile_place(r->method, n, r->q[i], &k->low[i], &k->high[i], &t);
        k->rank[k->count++] = k->low[i];
        k->rank[k->count++] = k->high[i];
        k->nearer[i] = t >= 0.5 ? k->high[i] : k->low[i];
        k->factor[i] = factor_of(t);
    }
    if (with_last)
        k->rank[k->count++] = n - 1;
    qsort(k->rank, (size_t)k->count, sizeof *k->rank, by_rank);
    int64_t distinct = 0;
    for (int64_t i = 0; i < k->count; i++)
        if (i == 0 || k->rank[i] != k->rank[i - 1])
            k->rank[distinct++] = k->rank[i];
    k->count = distinct;
    for (int64_t i = 0; i < nq; i++) {
        k->low[i] = place_of(k, k->low[i]);
        k->high[i] = place_of(k, k->high[i]);
        k->nearer[i] = place_of(k, k->nearer[i]);
    }
    return GARRAY_OK;
}

/* The picked columns at places, one for each q: a view of one, several gathered. */
static garray_status columns(const garray_t *picked, int64_t nq, const int64_t *places, garray_t **taken)
{
    garray_t *index = NULL;
    const int32_t last = -1;
    if (nq == 1)
        return garray__part(picked, picked->ndim - 1, places[0], 1, taken);
    garray_status st = upload(places, GARRAY_INT64, nq, picked, &index);
    if (st == GARRAY_OK)
        st = (garray_take)(picked, GARRAY__ARR(index), (garray_axes){ 1, &last }, taken);
    garray_release(index);
    return st;
}

/* Full rows of n items: only those at the ranks are found. */
static garray_status full(const struct request *r, const garray_t *x, const bool *reduced, int64_t n, garray_t **values)
{
    garray_t *rows = NULL, *picked = NULL, *below = NULL, *above = NULL, *nearer = NULL, *factors = NULL;
    const bool is_float = garray__kind_of(x->dtype) == GARRAY__K_FLOAT;
    struct ranks k = { .rank = NULL };
    garray_status st = GARRAY_OK;
    GARRAY__TRY(open_ranks(r, n, is_float || r->nq == 0, &k));
    GARRAY__TRY(garray__rows(x, reduced, &rows));
    GARRAY__TRY(garray__pick(rows, k.count, k.rank, &picked));
    GARRAY__TRY(columns(picked, r->nq, k.low, &below));
    if (r->picks) {
        *values = below;
        below = NULL;
    } else {
        garray_operand factor = garray_operand_double(r->nq == 1 ? k.factor[0] : 0);
        GARRAY__TRY(columns(picked, r->nq, k.high, &above));
        GARRAY__TRY(columns(picked, r->nq, k.nearer, &nearer));
        if (r->nq != 1) {
            GARRAY__TRY(upload(k.factor, GARRAY_FLOAT64, r->nq, picked, &factors));
            factor = GARRAY__ARR(factors);
        }
        GARRAY__TRY(interpolate(below, above, nearer, factor, r->dtype, values));
    }
    if (is_float && r->nq > 0)
        st = garray__spread_nan(picked, values);
done:
    free(k.rank);
    garray_release(rows);
    garray_release(picked);
    garray_release(below);
    garray_release(above);
    garray_release(nearer);
    garray_release(factors);
    return st;
}

/* Rows of different counts: NaN at their ends are left out. */
static garray_status counted(const struct request *r, const garray_t *rows, garray_t **values)
{
    garray_t *q = NULL, *count = NULL, *low = NULL, *high = NULL, *t = NULL, *below = NULL, *above = NULL, *nearer = NULL,
             *upper = NULL, *rest = NULL;
    int axis = rows->ndim - 1;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(upload(r->q, GARRAY_FLOAT64, r->nq, rows, &q));
    GARRAY__TRY(garray__count_numbers(rows, &count));
    GARRAY__TRY(garray__quantile_places(r->method, count, q, &low, &high, &t));
    GARRAY__TRY(garray_take_along_axis(rows, low, axis, &below));
    if (r->picks) {
        *values = below;
        below = NULL;
        goto done;
    }
    GARRAY__TRY(garray_take_along_axis(rows, high, axis, &above));
    GARRAY__TRY(garray__binary(GARRAY_OP_greater_equal, GARRAY__ARR(t), garray_operand_double(0.5), 0, &upper));
    GARRAY__TRY(garray__choose(upper, GARRAY__ARR(above), GARRAY__ARR(below), &nearer));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(t), garray_operand_double(1), 0, &rest));   /* -(1 - t) */
    GARRAY__TRY(garray__choose(upper, GARRAY__ARR(rest), GARRAY__ARR(t), &t));
    st = interpolate(below, above, nearer, GARRAY__ARR(t), r->dtype, values);
done:
    garray_release(q);
    garray_release(count);
    garray_release(low);
    garray_release(high);
    garray_release(t);
    garray_release(below);
    garray_release(above);
    garray_release(nearer);
    garray_release(upper);
    garray_release(rest);
    return st;
}

/* ---- weights ---- */

/* The weights along sorted rows as an empirical distribution function: cumulative, divided by their sum. */
static garray_status open_distribution(const garray_t *weights, bool skip_nan, const garray_t *rows, garray_t **cdf)
{
    garray_t *negative = NULL, *total = NULL, *good = NULL, *zero = NULL, *wide = NULL, *clean = NULL;
    const int32_t last = -1;
    const garray_axes along = { 1, &last };
    const garray_cumulative_opts doubles = { .dtype = GARRAY_FLOAT64 };
    int axis = rows->ndim - 1;
    bool fine = false;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_less, GARRAY__ARR(weights), garray_operand_int(0), 0, &negative));
    GARRAY__TRY(garray__unary(GARRAY_OP_logical_not, GARRAY__ARR(negative), &negative));
    GARRAY__TRY(garray__is_all(negative, &fine));
    GARRAY__CHECK(fine, INVALID, "Weights must be non-negative.");
    if (skip_nan) {             /* NaN weigh nothing */
        GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(rows), GARRAY__ARR(rows), 0, &clean));
        GARRAY__TRY(garray__choose(clean, GARRAY__ARR(weights), garray_operand_int(0), &wide));
        weights = wide;
    }
    GARRAY__TRY(garray_cumulative_sum(weights, along, &doubles, cdf));
    GARRAY__TRY(garray__part(*cdf, axis, (*cdf)->shape[axis] - 1, 1, &total));
    GARRAY__TRY(garray__copy_as(total, GARRAY_FLOAT64, &zero));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(*cdf), GARRAY__ARR(zero), 0, cdf));
    /* the sums are numbers and not zero, but in rows of NaN alone */
    GARRAY__TRY(garray__unary(GARRAY_OP_isfinite, GARRAY__ARR(zero), &good));
    GARRAY__TRY(garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(good), GARRAY__ARR(zero), 0, &good));
    if (skip_nan) {
        garray_t *first = NULL;
        GARRAY__TRY(garray__part(clean, axis, 0, 1, &first));
        st = garray__unary(GARRAY_OP_logical_not, GARRAY__ARR(first), &first);
        if (st == GARRAY_OK)
            st = garray__binary(GARRAY_OP_logical_or, GARRAY__ARR(good), GARRAY__ARR(first), 0, &good);
        garray_release(first);
        if (st != GARRAY_OK)
            goto done;
    }
    GARRAY__TRY(garray__is_all(good, &fine));
    GARRAY__CHECK(fine, INVALID, "Weights included NaN, inf or were all zero.");
    /* values that weigh nothing at the start are below every q, also 0 */
    GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(*cdf), garray_operand_int(0), 0, &negative));
    st = garray__choose(negative, garray_operand_double(-1), GARRAY__ARR(*cdf), cdf);
done:
    garray_release(negative);
    garray_release(total);
    garray_release(good);
    garray_release(zero);
    garray_release(wide);
    garray_release(clean);
    return st;
}

/* The first value whose distribution function reaches q, for each q; rows and order are sorted by value. */
static garray_status by_weight(const struct request *r, const garray_t *rows, const garray_t *cdf, garray_t **values)
{
    garray_t *less = NULL, *index = NULL, *place = NULL, *found = NULL;
    int axis = rows->ndim - 1;
    int64_t shape[GARRAY_MAX_NDIM], n = rows->shape[axis];
    const int32_t last = -1;
    const garray_reduce_opts keep = { .keepdims = 1 };
    garray_status st = GARRAY_OK;
    memcpy(shape, rows->shape, sizeof(int64_t) * (size_t)rows->ndim);
    shape[axis] = r->nq;
    GARRAY__TRY(garray__new(GARRAY_INT64, rows->ndim, shape, garray__device_of(rows), &index));
    for (int64_t i = 0; i < r->nq; i++) {
        garray_release(place);
        place = NULL;
        GARRAY__TRY(garray__binary(GARRAY_OP_less, GARRAY__ARR(cdf), garray_operand_double(r->q[i]), 0, &less));
        GARRAY__TRY(garray_count_nonzero(less, (garray_axes){ 1, &last }, &keep, &found));
        GARRAY__TRY(garray__part(index, axis, i, 1, &place));
        GARRAY__TRY(garray__binary(GARRAY_OP_minimum, GARRAY__ARR(found), garray_operand_int(n - 1), 0, garray_into(place)));
    }
    st = garray_take_along_axis(rows, index, axis, values);
done:
    garray_release(less);
    garray_release(index);
    garray_release(place);
    garray_release(found);
    return st;
}

/* Rows sorted with their weights, and the values at each q. */
static garray_status weighted(const struct request *r, const garray_t *x, garray_axes axes, const bool *reduced,
                              const garray_operand *given, garray_t **rows, garray_t **values)
{
    garray_t *weights = NULL, *wide = NULL, *order = NULL, *turned = NULL, *cdf = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(r->method == GARRAY_QUANTILE_INVERTED_CDF, INVALID, "Only method 'inverted_cdf' supports weights.");
    GARRAY__TRY(garray__open_weights(given, x, axes, &weights));
    GARRAY__CHECK(garray__kind_of(weights->dtype) != GARRAY__K_COMPLEX, DTYPE, "weights are complex");
    GARRAY__TRY(garray__broadcast(weights, x->ndim, x->shape, &wide));
    garray_release(weights);
    weights = NULL;
    GARRAY__TRY(garray__rows(wide, reduced, &weights));
    GARRAY__TRY(garray__rows(x, reduced, &turned));
    GARRAY__TRY(garray_argsort(turned, -1, NULL, &order));
    GARRAY__TRY(garray_take_along_axis(turned, order, -1, rows));
    GARRAY__TRY(garray_take_along_axis(weights, order, -1, &weights));
    GARRAY__TRY(open_distribution(weights, r->skip_nan && garray__kind_of(x->dtype) == GARRAY__K_FLOAT, *rows, &cdf));
    st = by_weight(r, *rows, cdf, values);
done:
    garray_release(weights);
    garray_release(wide);
    garray_release(order);
    garray_release(turned);
    garray_release(cdf);
    return st;
}

/* ---- one call ---- */

/* values, whose last axis is q's, with the axes of q first and those of x as the options say. */
static garray_status shape_result(const struct request *r, const garray_t *x, const bool *reduced, bool keepdims,
                                  const garray_t *values, garray_t **out)
{
    garray_t *turned = NULL;
    int64_t shape[2 * GARRAY_MAX_NDIM];
    memcpy(shape, r->q_shape, sizeof r->q_shape);
    int ndim = r->q_ndim + garray__reduced_shape(x, reduced, keepdims, shape + r->q_ndim);
    GARRAY_REQUIRE(ndim <= GARRAY_MAX_NDIM, SHAPE, "%d axes; at most %d are allowed", ndim, GARRAY_MAX_NDIM);
    garray_status st = garray__move_axis(values, values->ndim - 1, 0, &turned);
    if (st == GARRAY_OK)
        st = garray_reshape(turned, (garray_shape){ ndim, shape }, out);
    garray_release(turned);
    return st;
}

/* NaN of the result's dtype, where there are no values. */
static garray_status nothing(const struct request *r, const garray_t *x, const bool *reduced, garray_t **values)
{
    int64_t shape[GARRAY_MAX_NDIM + 1];
    const garray_operand nan = garray_operand_double(NAN);
    int ndim = garray__reduced_shape(x, reduced, false, shape);
    shape[ndim++] = r->nq;
    garray_status st = garray__new(r->dtype, ndim, shape, garray__device_of(x), values);
    return st == GARRAY_OK && (*values)->size ? garray__fill(*values, &nan) : st;
}

static garray_status quantile(const garray_t *x, const garray_operand *q, garray_axes axes, const garray_quantile_opts *opts,
                              bool skip_nan, double most, garray_t **out)
{
    struct request r = { .method = opts && opts->method ? opts->method : GARRAY_QUANTILE_LINEAR, .skip_nan = skip_nan };
    garray_t *rows = NULL, *values = NULL, *result = NULL;
    bool reduced[GARRAY_MAX_NDIM];
    int64_t n = 1;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE((unsigned)r.method <= GARRAY_QUANTILE_NEAREST, INVALID, "%d is not a valid method", (int)r.method);
    r.picks = garray__quantile_picks(r.method);
    if (opts)
        GARRAY_TRY(garray__option_check(&opts->weights, "weights", GARRAY__VALUE));
    GARRAY__TRY(garray__axis_set(axes, x->ndim, reduced));
    GARRAY__TRY(open_q(q, x, most, &r));
    for (int i = 0; i < x->ndim; i++)
        n *= reduced[i] ? x->shape[i] : 1;
    skip_nan = skip_nan && garray__kind_of(x->dtype) == GARRAY__K_FLOAT;
    GARRAY__CHECK(n > 0 || skip_nan, SHAPE, "there are no values to take a quantile of");
    if (n == 0) {
        GARRAY__TRY(nothing(&r, x, reduced, &values));
    } else if (opts && opts->weights.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(weighted(&r, x, axes, reduced, &opts->weights, &rows, &values));
        if (!skip_nan && r.nq > 0)
            GARRAY__TRY(garray__spread_nan(rows, &values));
    } else if (skip_nan) {
        GARRAY__TRY(garray__sorted_rows(x, reduced, &rows));
        GARRAY__TRY(counted(&r, rows, &values));
    } else {
        GARRAY__TRY(full(&r, x, reduced, n, &values));
    }
    GARRAY__TRY(shape_result(&r, x, reduced, opts && opts->keepdims, values, &result));
    st = garray__result_assign(out, result);
    result = NULL;
done:
    free(r.q);
    garray_release(rows);
    garray_release(values);
    garray_release(result);
    return st;
}

#define PUBLIC(name, skip_nan, most)                                                                         \
    garray_status (garray_##name)(const garray_t *x, garray_operand q, garray_axes axes,                     \
                                  const garray_quantile_opts *opts, garray_t **out)                          \
    {                                                                                                        \
        GARRAY_ENTER("garray_" #name);                                                                       \
        GARRAY_REQUIRE_OPTIONS(opts, reserved);                                                              \
        return quantile(x, &q, axes, opts, skip_nan, most, out);                                             \
    }
PUBLIC(quantile, false, 1)
PUBLIC(percentile, false, 100)
PUBLIC(nanquantile, true, 1)
PUBLIC(nanpercentile, true, 100)
#undef PUBLIC
