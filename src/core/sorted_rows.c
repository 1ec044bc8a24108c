/* SPDX-License-Identifier: BSD-3-Clause
 * Sorted rows: see sorted_rows.h. */
#include "core/compose.h"
#include "core/sorted_rows.h"
#include "garray/reduce.h"
#include "garray/sort.h"

garray_status garray__sorted_rows(const garray_t *x, const bool *reduced, garray_t **rows)
{
    const garray_sort_opts unstable = { .unstable = 1 };
    garray_t *turned = NULL;
    garray_status st = garray__rows(x, reduced, &turned);
    if (st == GARRAY_OK)
        st = garray_sort(turned, -1, &unstable, rows);
    garray_release(turned);
    return st;
}

garray_status garray__count_numbers(const garray_t *rows, garray_t **count)
{
    garray_t *numbers = NULL;
    const garray_reduce_opts o = { .keepdims = 1 };
    const int32_t last = -1;
    garray_status st = garray__binary(GARRAY_OP_equal, GARRAY__ARR(rows), GARRAY__ARR(rows), 0, &numbers);
    if (st == GARRAY_OK)
        st = garray_count_nonzero(numbers, (garray_axes){ 1, &last }, &o, count);
    garray_release(numbers);
    return st;
}

garray_status garray__spread_nan(const garray_t *rows, garray_t **value)
{
    garray_t *last = NULL, *bad = NULL;
    garray_status st = GARRAY_OK;
    int axis = rows->ndim - 1;
    if (garray__kind_of(rows->dtype) < GARRAY__K_FLOAT || rows->shape[axis] == 0)
        return GARRAY_OK;
    GARRAY__TRY(garray__part(rows, axis, rows->shape[axis] - 1, 1, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(last), GARRAY__ARR(last), 0, &bad));
    st = garray__choose(bad, GARRAY__ARR(last), GARRAY__ARR(*value), value);
done:
    garray_release(last);
    garray_release(bad);
    return st;
}

int garray__reduced_shape(const garray_t *x, const bool *reduced, bool keepdims, int64_t *shape)
{
    int n = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!reduced[i] || keepdims)
            shape[n++] = reduced[i] ? 1 : x->shape[i];
    return n;
}
