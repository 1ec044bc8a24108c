/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting by several keys, and as complex numbers. */
#include <string.h>
#include "core/array.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/shape.h"
#include "garray/sort.h"

/* order = order sorted by one more key. */
static garray_status sort_by(const garray_t *key, int axis, garray_t **order)
{
    garray_t *arranged = NULL, *step = NULL;
    garray_status st = GARRAY_OK;
    if (!*order)
        return garray_argsort(key, axis, NULL, order);
    GARRAY__TRY(garray_take_along_axis(key, *order, axis, &arranged));
    GARRAY__TRY(garray_argsort(arranged, axis, NULL, &step));
    st = garray_take_along_axis(*order, step, axis, order);
done:
    garray_release(arranged);
    garray_release(step);
    return st;
}

garray_status garray_lexsort(garray_list keys, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_lexsort");
    garray_t *order = NULL, *key = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(keys.n > 0 && keys.v, INVALID, "need sequence of keys with len > 0 in lexsort");
    for (int64_t i = 0; i < keys.n; i++)
        GARRAY_REQUIRE(keys.v[i], INVALID, "key %lld is NULL", (long long)i);
    const garray_t *whole = keys.n == 1 ? keys.v[0] : NULL;
    int64_t n = keys.n;
    if (whole) {
        GARRAY_REQUIRE(whole->ndim > 0 && whole->shape[0] > 0, INVALID, "need sequence of keys with len > 0 in lexsort");
        n = whole->shape[0];
    }
    for (int64_t i = 0; i < n; i++) {
        if (whole)
            GARRAY__TRY(garray_getitem(whole, GARRAY_AT(i), &key));
        const garray_t *by = whole ? key : keys.v[i], *first = keys.v[0];
        GARRAY__TRY(garray__same_device(garray__device_of(first), by));
        GARRAY__CHECK(whole || (by->ndim == first->ndim && !memcmp(by->shape, first->shape, sizeof(int64_t) * (size_t)by->ndim)),
                      SHAPE, "all keys need to be the same shape");
        if (by->ndim == 0) {            /* one element, which NumPy sorts */
            const garray_operand zero = garray_operand_int(0);
            GARRAY__CHECK(axis == 0 || axis == -1, AXIS, "axis %d is out of bounds for array of dimension 0", axis);
            GARRAY__TRY(order ? GARRAY_OK : garray__new(GARRAY_INT64, 0, NULL, garray__device_of(by), &order));
            GARRAY__TRY(garray__fill(order, &zero));
            continue;
        }
        GARRAY__TRY(sort_by(by, axis, &order));
    }
    st = garray__result_assign(out, order);
    order = NULL;
done:
    garray_release(order);
    garray_release(key);
    return st;
}

garray_status garray_sort_complex(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_sort_complex");
    garray_t *sorted = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    int dtype = GARRAY_COMPLEX128;
    if (x->dtype == GARRAY_COMPLEX64 || (garray__is_integer(x->dtype) && garray__size_of(x->dtype) <= 2))
        dtype = GARRAY_COMPLEX64;
    GARRAY__TRY(garray_sort(x, -1, NULL, &sorted));
    if (sorted->dtype == dtype) {
        st = garray__result_assign(out, sorted);
        sorted = NULL;
    } else {
        st = garray_astype(sorted, (garray_dtype)dtype, out);
    }
done:
    garray_release(sorted);
    return st;
}
