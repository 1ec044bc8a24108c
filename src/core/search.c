/* SPDX-License-Identifier: BSD-3-Clause
 * Binary search in sorted vectors. */
#include <string.h>
#include "core/elementwise.h"
#include "core/result.h"
#include "core/search.h"
#include "core/submit.h"
#include "garray/index.h"
#include "garray/sort.h"

garray_status garray__search(int kind, const garray_t *sorted, const garray_t *values, garray_t *out)
{
    garray_search_plan plan = { .kind = kind, .dtype = sorted->dtype, .sorted = sorted->data, .values = values->data,
                                .out = out->data, .n = sorted->size, .count = values->size };
    garray__uses uses;
    uses.device = garray__device_of(sorted);
    uses.nread = 2;
    uses.nwrite = 1;
    uses.read[0] = sorted->buffer;
    uses.read[1] = values->buffer;
    uses.write[0] = out->buffer;
    return plan.count ? garray__submit(GARRAY__SEARCH, &plan, &uses) : GARRAY_OK;
}

int garray__search_dtype(const garray_operand *v, int dtype)
{
    switch (v->kind) {
    case GARRAY_OPERAND_BOOL:
        return GARRAY_BOOL;
    case GARRAY_OPERAND_INT:
    case GARRAY_OPERAND_UINT:
        if (garray__is_integer(dtype) && !garray__out_of_range(v, dtype))
            return dtype;
        return v->kind == GARRAY_OPERAND_UINT && v->bits[0] > INT64_MAX ? GARRAY_UINT64 : GARRAY_INT64;
    case GARRAY_OPERAND_DOUBLE:
        return GARRAY_FLOAT64;
    default:
        return GARRAY_COMPLEX128;
    }
}

garray_status (garray_searchsorted)(const garray_t *a, garray_operand v, const garray_search_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_searchsorted");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *given = NULL, *values = NULL, *in_order = NULL, *sorted = NULL;
    const garray_t *sorter = opts ? opts->sorter : NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(a, INVALID, "a is NULL");
    GARRAY__TRY(garray__operand_check(&v, "v"));
    GARRAY_REQUIRE(a->ndim == 1, SHAPE, "object of too small depth for desired array: a has %d axes, not 1", a->ndim);
    int dtype;
    if (v.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__same_device(garray__device_of(a), v.array));
        GARRAY__TRY(garray__operand_array(&v, &given));
        dtype = garray__promote(a->dtype, given->dtype);
    } else {
        dtype = garray__promote(a->dtype, garray__search_dtype(&v, a->dtype));
        GARRAY__TRY(garray__new(dtype, 0, NULL, garray__device_of(a), &given));
        GARRAY__TRY(garray__fill(given, &v));
    }
    if (sorter) {
        GARRAY__TRY(garray__same_device(garray__device_of(a), sorter));
        GARRAY__CHECK(garray__is_integer(sorter->dtype), DTYPE, "sorter must only contain integers, not %s",
                      garray__name_of(sorter->dtype));
        GARRAY__CHECK(sorter->ndim == 1 && sorter->size == a->size, SHAPE, "sorter.size must equal a.size");
        GARRAY__TRY((garray_take)(a, garray_operand_array(sorter), GARRAY_AXES(0), &in_order));
        a = in_order;
    }
    GARRAY__TRY(garray__contiguous(a, dtype, &sorted));
    GARRAY__TRY(garray__contiguous(given, dtype, &values));
    GARRAY__TRY(garray__result_open(&r, out, GARRAY_INT64, values->ndim, values->shape, garray__device_of(a), 0, 2,
                                    (const garray_t *const[]){ sorted, values }));
    st = garray__result_close(&r, garray__search(opts && opts->right ? GARRAY_SEARCH_RIGHT : GARRAY_SEARCH_LEFT, sorted, values,
                                                 r.target));
done:
    garray_release(given);
    garray_release(values);
    garray_release(in_order);
    garray_release(sorted);
    return st;
}
