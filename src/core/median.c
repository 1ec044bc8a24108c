/* SPDX-License-Identifier: BSD-3-Clause
 * Medians: the mean of the one or two elements that sorting would put in the middle. */
#include <math.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/sort.h"
#include "core/sorted_rows.h"
#include "garray/index.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/statistics.h"

/* Rows from this length on are not sorted to leave out their NaNs. */
enum { LONG_ROW = 1 << 16 };

/* The middle elements of rows of n items; of floats the last item behind them, which is NaN if any is. */
static garray_status pick_middle(const garray_t *x, const bool *reduced, int64_t n, garray_t **picked, garray_t **middle)
{
    garray_t *rows = NULL;
    int64_t ranks[3] = { (n - 1) / 2, n / 2, n - 1 }, wanted = n % 2 ? 1 : 2, count = wanted;
    if (wanted == 1)
        ranks[1] = n - 1;
    if (garray__kind_of(x->dtype) >= GARRAY__K_FLOAT && ranks[count - 1] != n - 1)
        count++;
    garray_status st = garray__rows(x, reduced, &rows);
    if (st == GARRAY_OK)
        st = garray__pick(rows, count, ranks, picked);
    if (st == GARRAY_OK)
        st = garray__part(*picked, (*picked)->ndim - 1, 0, wanted, middle);
    garray_release(rows);
    return st;
}

/* The middle ones of the numbers in each sorted row, as many as there are. */
static garray_status find_middle(const garray_t *rows, garray_t **middle)
{
    garray_t *count = NULL, *low = NULL, *high = NULL, *pair = NULL;
    garray_status st = GARRAY_OK;
    int axis = rows->ndim - 1;
    GARRAY__TRY(garray__count_numbers(rows, &count));   /* of 0: the first element, which is NaN */
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(count), garray_operand_int(1), 0, &low));
    GARRAY__TRY(garray__binary(GARRAY_OP_maximum, GARRAY__ARR(low), garray_operand_int(0), 0, &low));
    GARRAY__TRY(garray__binary(GARRAY_OP_floor_divide, GARRAY__ARR(low), garray_operand_int(2), 0, &low));
    GARRAY__TRY(garray__binary(GARRAY_OP_floor_divide, GARRAY__ARR(count), garray_operand_int(2), 0, &high));
    const garray_t *both[2] = { low, high };
    GARRAY__TRY(garray_concat((garray_list){ 2, both }, axis, &pair));
    st = garray_take_along_axis(rows, pair, axis, middle);
done:
    garray_release(count);
    garray_release(low);
    garray_release(high);
    garray_release(pair);
    return st;
}

/* ---- long rows with NaNs ---- */
/* Turns NaNs into infinities, +inf and -inf by turns along each row: the numbers stay in the middle.  odd: whether a row has an
 * odd number of NaNs, with a last axis of length 1. */
static garray_status spread_out(const garray_t *rows, garray_t **numbers, garray_t **odd)
{
    const int axis = rows->ndim - 1;
    const garray_cumulative_opts bytes = { .dtype = GARRAY_UINT8 };     /* the lowest bit is all that is needed */
    const garray_operand positive = garray_operand_double(INFINITY), negative = garray_operand_double(-INFINITY);
    garray_t *nans = NULL, *turn = NULL, *last = NULL, *mixed = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(rows), GARRAY__ARR(rows), 0, &nans));
    GARRAY__TRY(garray_cumulative_sum(nans, (garray_axes){ 1, &(int32_t){ axis } }, &bytes, &turn));
    GARRAY__TRY(garray__part(turn, axis, rows->shape[axis] - 1, 1, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_bitwise_and, GARRAY__ARR(last), garray_operand_int(1), 0, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(last), garray_operand_int(0), 0, odd));
    GARRAY__TRY(garray__binary(GARRAY_OP_bitwise_and, GARRAY__ARR(turn), GARRAY__ARR(nans), 0, &turn));
    GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(turn), garray_operand_int(0), 0, &turn));
    GARRAY__TRY(garray__choose(turn, positive, GARRAY__ARR(rows), &mixed));
    const garray_operand in[3] = { GARRAY__ARR(mixed), negative, positive };
    st = garray__elementwise(GARRAY__OP_nan_to_num, 3, in, rows->dtype, numbers);
done:
    garray_release(nans);
    garray_release(turn);
    garray_release(last);
    garray_release(mixed);
    return st;
}

/* The median of the numbers in rows of n > 1 real items, which are not sorted.  There is a +inf more than -inf where NaNs are odd
 * in number, so the middle of the numbers is half a place below that of the row: the mean of the two items picked where the
 * numbers are even in number, otherwise one of them, the same for all rows.  A row without numbers has -inf and +inf there, the
 * mean of which is NaN. */
static garray_status median_of_numbers(const garray_t *rows, int64_t n, garray_t **found)
{
    const int64_t first = n % 2 ? (n - 3) / 2 : n / 2 - 1, ranks[2] = { first, first + 1 };
    const garray_reduce_opts keep = { .keepdims = 1 };
    const int32_t last = -1;
    const garray_axes along = { 1, &last };
    garray_t *numbers = NULL, *odd = NULL, *pair = NULL, *one = NULL, *two = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(spread_out(rows, &numbers, &odd));
    GARRAY__TRY(garray__pick(numbers, 2, ranks, &pair));
    GARRAY__TRY(garray_mean(pair, along, &keep, &two));
    GARRAY__TRY(garray__part(pair, pair->ndim - 1, n % 2, 1, &one));
    GARRAY__TRY(garray_mean(one, along, &keep, &one));
    st = n % 2 ? garray__choose(odd, GARRAY__ARR(two), GARRAY__ARR(one), found)
               : garray__choose(odd, GARRAY__ARR(one), GARRAY__ARR(two), found);
done:
    garray_release(numbers);
    garray_release(odd);
    garray_release(pair);
    garray_release(one);
    garray_release(two);
    return st;
}

static garray_status median(const garray_t *x, garray_axes axes, const garray_median_opts *opts, bool skip_nan, garray_t **out)
{
    garray_t *rows = NULL, *middle = NULL, *found = NULL;
    bool reduced[GARRAY_MAX_NDIM];
    int64_t shape[GARRAY_MAX_NDIM], n = 1;
    const garray_reduce_opts keep = { .keepdims = 1 };
    const int32_t last = -1;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY__TRY(garray__axis_set(axes, x->ndim, reduced));
    const int ndim = garray__reduced_shape(x, reduced, opts && opts->keepdims, shape);
    for (int i = 0; i < x->ndim; i++)
        n *= reduced[i] ? x->shape[i] : 1;
    if (n == 0) {
        const int dtype = garray__kind_of(x->dtype) >= GARRAY__K_FLOAT ? x->dtype : GARRAY_FLOAT64;
        const garray_operand nan = garray_operand_double(NAN);
        GARRAY__TRY(garray__new(dtype, ndim, shape, garray__device_of(x), &found));
        if (found->size > 0)
            GARRAY__TRY(garray__fill(found, &nan));
    } else {
        skip_nan = skip_nan && garray__kind_of(x->dtype) >= GARRAY__K_FLOAT;
        if (skip_nan && n >= LONG_ROW && garray__kind_of(x->dtype) == GARRAY__K_FLOAT) {
            GARRAY__TRY(garray__rows(x, reduced, &rows));
            GARRAY__TRY(median_of_numbers(rows, n, &found));
            GARRAY__TRY(garray_reshape(found, (garray_shape){ ndim, shape }, &found));
            st = garray__result_assign(out, found);
            found = NULL;
            goto done;
        }
        if (skip_nan) {
            GARRAY__TRY(garray__sorted_rows(x, reduced, &rows));
            GARRAY__TRY(find_middle(rows, &middle));
        } else {
            GARRAY__TRY(pick_middle(x, reduced, n, &rows, &middle));
        }
        GARRAY__TRY(garray_mean(middle, (garray_axes){ 1, &last }, &keep, &found));
        if (!skip_nan)
            GARRAY__TRY(garray__spread_nan(rows, &found));
        GARRAY__TRY(garray_reshape(found, (garray_shape){ ndim, shape }, &found));
    }
    st = garray__result_assign(out, found);
    found = NULL;
done:
    garray_release(rows);
    garray_release(middle);
    garray_release(found);
    return st;
}

garray_status garray_median(const garray_t *x, garray_axes axes, const garray_median_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_median");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return median(x, axes, opts, false, out);
}

garray_status garray_nanmedian(const garray_t *x, garray_axes axes, const garray_median_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_nanmedian");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return median(x, axes, opts, true, out);
}
