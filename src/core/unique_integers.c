/* SPDX-License-Identifier: BSD-3-Clause
 * Different integers that lie close together: they are counted, not sorted. */
#include "core/compose.h"
#include "core/histogram.h"
#include "core/selection.h"
#include "core/unique.h"
#include "garray/index.h"
#include "garray/reduce.h"

enum { LEAST = 4096, SHARE = 4 };       /* items; and at least so many of them for each possible value */

static int unsigned_of(int dtype)
{
    switch (dtype) {
    case GARRAY_BOOL:
    case GARRAY_INT8:
        return GARRAY_UINT8;
    case GARRAY_INT16:
        return GARRAY_UINT16;
    case GARRAY_INT32:
        return GARRAY_UINT32;
    default:
        return dtype;
    }
}

/* x less its smallest value, from 0 on: the difference wraps within the dtype, and is right without a sign. */
static garray_status shift(const garray_t *x, int64_t smallest, garray_t **items)
{
    garray_t *moved = NULL;
    garray_status st = GARRAY_OK;
    if (x->dtype == GARRAY_BOOL)
        moved = garray__share(x);
    else
        st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(x), garray_operand_int(smallest), 0, &moved);
    if (st == GARRAY_OK)
        st = garray__view(moved->buffer, moved->data, unsigned_of(x->dtype), 1, moved->shape, garray__strides(moved), false,
                          items);
    garray_release(moved);
    return st;
}

/* The smallest value and the number of those from there to the largest. */
static garray_status find_range(const garray_t *x, int64_t *smallest, uint64_t *length)
{
    const int64_t two = 2;
    int64_t range[2] = { 0, 1 };
    garray_t *extent = NULL;
    if (x->dtype == GARRAY_BOOL) {
        *smallest = 0;
        *length = 2;
        return GARRAY_OK;
    }
    garray_status st = garray__new(GARRAY_INT64, 1, &two, garray__device_of(x), &extent);
    if (st == GARRAY_OK)
        st = garray__histogram_values(x, 0, NULL, NULL, extent);
    if (st == GARRAY_OK)
        st = garray_to_host(extent, range, NULL, sizeof range);
    garray_release(extent);
    *smallest = range[0];
    *length = (uint64_t)range[1] - (uint64_t)range[0];
    *length += *length < UINT64_MAX;
    return st;
}

/* inverse[i] = how many different values are below x[i] */
static garray_status find_inverse(const garray_t *items, const garray_t *present, garray_t **inverse)
{
    garray_t *rank = NULL;
    garray_status st = garray_cumulative_sum(present, GARRAY_AXES(0), NULL, &rank);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_subtract, GARRAY__ARR(rank), garray_operand_int(1), 0, &rank);
    if (st == GARRAY_OK)
        st = (garray_take)(rank, GARRAY__ARR(items), GARRAY_AXES(0), inverse);
    garray_release(rank);
    return st;
}

garray_status garray__unique_integers(const garray_t *x, const bool *wanted, garray_t **results, bool *done)
{
    garray_t *packed = NULL, *items = NULL, *counts = NULL, *present = NULL, *positions = NULL, *values = NULL;
    int64_t smallest, length;
    uint64_t range;
    garray_status st = GARRAY_OK;
    *done = false;
    if (x->size < LEAST || wanted[GARRAY__UNIQUE_INDEX] || garray__kind_of(x->dtype) > GARRAY__K_UINT
        || x->dtype == GARRAY_UINT64)
        return GARRAY_OK;
    GARRAY__TRY(garray__contiguous(x, 0, &packed));
    GARRAY__TRY(find_range(packed, &smallest, &range));
    if (range > (uint64_t)x->size / SHARE || range >= INT32_MAX)
        goto done;
    length = (int64_t)range;
    GARRAY__TRY(shift(packed, smallest, &items));
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &length, garray__device_of(x), &counts));
    GARRAY__TRY(garray__histogram_values(items, length, NULL, counts, NULL));
    GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(counts), garray_operand_int(0), 0, &present));
    GARRAY__TRY(garray__mask_coordinates(present, &positions));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(positions), garray_operand_int(smallest), 0, &values));
    GARRAY__TRY(garray__copy_as(values, x->dtype, &results[GARRAY__UNIQUE_VALUES]));
    if (wanted[GARRAY__UNIQUE_INVERSE])
        GARRAY__TRY(find_inverse(items, present, &results[GARRAY__UNIQUE_INVERSE]));
    if (wanted[GARRAY__UNIQUE_COUNTS])
        GARRAY__TRY((garray_take)(counts, GARRAY__ARR(positions), GARRAY_AXES(0), &results[GARRAY__UNIQUE_COUNTS]));
    *done = true;
done:
    garray_release(packed);
    garray_release(items);
    garray_release(counts);
    garray_release(present);
    garray_release(positions);
    garray_release(values);
    return st;
}
