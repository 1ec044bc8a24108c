/* SPDX-License-Identifier: BSD-3-Clause
 * Counts of small integers. */
#include "core/compose.h"
#include "core/histogram.h"
#include "core/result.h"

/* The smallest and the largest number; waits. */
static garray_status read_extent(const garray_t *extent, int64_t range[2])
{
    return garray_to_host(extent, range, NULL, 2 * sizeof *range);
}

static garray_status open_arguments(const garray_t *x, const garray_operand *given, garray_t **items, garray_t **weights)
{
    garray_t *w = NULL;
    garray_status st = garray__histogram_items(x, "x", items);
    if (st == GARRAY_OK)
        st = garray__option_array(given, "weights", garray__device_of(x), &w);
    if (st != GARRAY_OK || !w)
        return st;
    GARRAY__CHECK(garray__kind_of(w->dtype) != GARRAY__K_COMPLEX, DTYPE, "Cannot cast weights from %s to float64",
                  garray__name_of(w->dtype));
    GARRAY__CHECK(w->ndim == 1 && w->size == x->size, SHAPE, "The weights and list don't have the same length.");
    st = garray__contiguous(w, GARRAY_FLOAT64, weights);
done:
    garray_release(w);
    return st;
}

garray_status garray_bincount(const garray_t *x, const garray_bincount_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_bincount");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    const garray_bincount_opts none = { .minlength = 0 }, *o = opts ? opts : &none;
    garray_t *items = NULL, *weights = NULL, *extent = NULL, *result = NULL;
    int64_t length = o->minlength, range[2] = { 0, -1 };
    const int64_t two = 2;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim == 1, SHAPE, "object of too small depth for desired array: x must have one axis, not %d", x->ndim);
    GARRAY_REQUIRE(garray__kind_of(x->dtype) <= GARRAY__K_UINT && x->dtype != GARRAY_UINT64, DTYPE,
                   "Cannot cast array data from %s to int64 according to the rule 'safe'", garray__name_of(x->dtype));
    GARRAY_REQUIRE(length >= 0, INVALID, "'minlength' must not be negative");
    GARRAY_REQUIRE(length < INT32_MAX, INVALID, "'minlength' is %lld; it may be 2147483646", (long long)length);
    GARRAY__TRY(open_arguments(x, &o->weights, &items, &weights));
    const int dtype = weights ? GARRAY_FLOAT64 : GARRAY_INT64;
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &two, garray__device_of(x), &extent));
    /* with a length given that suffices, which is seen afterwards, one look at x is enough */
    if (length > 0 || x->size == 0) {
        GARRAY__TRY(garray__new(dtype, 1, &length, garray__device_of(x), &result));
        GARRAY__TRY(garray__histogram_values(items, length, weights, result, extent));
    } else {
        GARRAY__TRY(garray__histogram_values(items, 0, NULL, NULL, extent));
    }
    if (x->size > 0)
        GARRAY__TRY(read_extent(extent, range));
    GARRAY__CHECK(range[0] >= 0, INVALID, "'x' argument must not have negative elements: %lld", (long long)range[0]);
    GARRAY__CHECK(range[1] < INT32_MAX - 1, INVALID, "%lld is too large a number to count; it may be 2147483645",
                  (long long)range[1]);
    if (range[1] >= length) {
        length = range[1] + 1;
        garray_release(result);
        result = NULL;
        GARRAY__TRY(garray__new(dtype, 1, &length, garray__device_of(x), &result));
        GARRAY__TRY(garray__histogram_values(items, length, weights, result, NULL));
    }
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(items);
    garray_release(weights);
    garray_release(extent);
    garray_release(result);
    return st;
}
