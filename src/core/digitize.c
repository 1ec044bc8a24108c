/* SPDX-License-Identifier: BSD-3-Clause
 * The bin of each element, by binary search in the edges. */
#include "core/compose.h"
#include "core/result.h"
#include "garray/histogram.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* Whether neighbours are all in the order that op says; waits. */
static garray_status is_ordered(const garray_t *bins, int op, bool *answer)
{
    garray_t *left = NULL, *right = NULL, *fine = NULL;
    int64_t n = bins->size > 1 ? bins->size - 1 : 0;
    garray_status st = garray__part(bins, 0, 0, n, &left);
    if (st == GARRAY_OK)
        st = garray__part(bins, 0, 1, n, &right);
    if (st == GARRAY_OK)
        st = garray__binary(op, GARRAY__ARR(left), GARRAY__ARR(right), 0, &fine);
    if (st == GARRAY_OK)
        st = garray__is_all(fine, answer);
    garray_release(left);
    garray_release(right);
    garray_release(fine);
    return st;
}

garray_status (garray_digitize)(garray_operand x, const garray_t *bins, const garray_digitize_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_digitize");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *flipped = NULL, *found = NULL;
    bool rising = false, falling = false;
    garray_search_opts search = { .right = !(opts && opts->right) };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(bins, INVALID, "bins is NULL");
    GARRAY__TRY(garray__operand_check(&x, "x"));
    GARRAY_REQUIRE(x.kind != GARRAY_OPERAND_COMPLEX
                       && !(x.kind == GARRAY_OPERAND_ARRAY && garray__kind_of(x.array->dtype) == GARRAY__K_COMPLEX),
                   DTYPE, "x may not be complex");
    GARRAY_REQUIRE(garray__kind_of(bins->dtype) != GARRAY__K_COMPLEX, DTYPE, "bins may not be complex");
    GARRAY_REQUIRE(bins->ndim == 1, SHAPE, "object of too small depth for desired array: bins has %d axes, not 1", bins->ndim);
    GARRAY__TRY(is_ordered(bins, GARRAY_OP_less_equal, &rising));
    if (rising) {
        st = (garray_searchsorted)(bins, x, &search, out);
        goto done;
    }
    GARRAY__TRY(is_ordered(bins, GARRAY_OP_greater_equal, &falling));
    GARRAY__CHECK(falling, INVALID, "bins must be monotonically increasing or decreasing");
    GARRAY__TRY(garray_flip(bins, GARRAY_ALL_AXES, &flipped));
    GARRAY__TRY((garray_searchsorted)(flipped, x, &search, &found));
    st = garray__binary(GARRAY_OP_subtract, garray_operand_int(bins->size), GARRAY__ARR(found), 0, out);
done:
    garray_release(flipped);
    garray_release(found);
    return st;
}
