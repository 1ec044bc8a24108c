/* SPDX-License-Identifier: BSD-3-Clause
 * The places of true elements, and what lies there: nonzero, argwhere, extract, compress. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/result.h"
#include "core/selection.h"
#include "core/submit.h"

/* The coordinates of the true items: ndim results, each a vector, or one result whose rows they are.  Waits for the count. */
static garray_status find_true(const garray_t *mask, bool rows, int nout, garray_t **outs)
{
    garray_select_plan plan = { .kind = GARRAY_SELECT_INDEX, .ndim = mask->ndim };
    struct garray__result r[GARRAY_MAX_NDIM];
    garray_t *packed = NULL;
    garray__uses uses;
    int opened = 0;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__contiguous(mask, GARRAY_BOOL, &packed));
    plan.mask = (const uint8_t *)packed->data;
    plan.n = packed->size;
    memcpy(plan.shape, packed->shape, sizeof(int64_t) * (size_t)packed->ndim);
    uses.device = garray__device_of(packed);
    uses.nread = 1;
    uses.nwrite = 0;
    uses.read[0] = packed->buffer;
    if (plan.n > 0)
        GARRAY__TRY(garray__submit(GARRAY__SELECT_COUNT, &plan, &uses));
    const int64_t shape[2] = { mask->ndim, plan.count };
    for (; opened < nout && st == GARRAY_OK; opened++) {
        st = garray__result_open(&r[opened], &outs[opened], GARRAY_INT64, rows ? 2 : 1, rows ? shape : shape + 1, uses.device, 0,
                                 1, &mask);
        if (st != GARRAY_OK)
            break;
        uses.write[uses.nwrite++] = r[opened].target->buffer;
    }
    for (int i = 0; i < mask->ndim && st == GARRAY_OK; i++)
        plan.out[i] = rows ? r[0].target->data + i * plan.count * (int64_t)sizeof(int64_t) : r[i].target->data;
    if (st == GARRAY_OK && plan.count > 0)
        st = garray__submit(GARRAY__SELECT_WRITE, &plan, &uses);
    else if (plan.n > 0)
        garray__select_drop(&plan, &uses);
    for (int i = 0; i < opened; i++)
        (void)garray__result_close(&r[i], st);      /* variables: assigning cannot fail */
done:
    garray_release(packed);
    return st;
}

garray_status garray__mask_coordinates(const garray_t *mask, garray_t **coordinates)
{
    for (int i = 0; i < mask->ndim; i++)
        coordinates[i] = NULL;
    return find_true(mask, false, mask->ndim, coordinates);
}

garray_status garray_nonzero(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_nonzero");
    GARRAY_REQUIRE(x && outs, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(x->ndim > 0, SHAPE, "calling nonzero on 0d arrays is not allowed");
    GARRAY_REQUIRE(nout == x->ndim, INVALID, "there is a result per axis, %d, not %d", x->ndim, nout);
    return find_true(x, false, nout, outs);
}

/* The places of the true elements of the flattened mask. */
static garray_status flat_places(const garray_t *mask, garray_t **places)
{
    garray_t *flat = NULL;
    garray_status st = garray__flatten(mask, &flat);
    if (st == GARRAY_OK)
        st = garray__mask_coordinates(flat, places);
    garray_release(flat);
    return st;
}

garray_status garray_flatnonzero(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_flatnonzero");
    garray_t *places = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = flat_places(x, &places);
    return st == GARRAY_OK ? garray__result_assign(out, places) : st;
}

garray_status garray_argwhere(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_argwhere");
    garray_t *given = NULL, *rows = NULL, *columns = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (x->ndim == 0)               /* a row of no columns, or none */
        GARRAY__TRY(garray__flatten(x, &given));
    GARRAY__TRY(find_true(given ? given : x, true, 1, &rows));
    int64_t shape[2] = { rows->shape[1], x->ndim }, strides[2] = { sizeof(int64_t), garray__strides(rows)[0] };
    st = garray__view(rows->buffer, rows->data, GARRAY_INT64, 2, shape, strides, true, &columns);
    if (st == GARRAY_OK)
        st = garray__result_assign(out, columns);
done:
    garray_release(given);
    garray_release(rows);
    return st;
}

garray_status garray_compress(const garray_t *condition, const garray_t *x, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_compress");
    garray_t *flat = NULL, *places = NULL, *mask = NULL;
    garray_index item = { .kind = GARRAY_INDEX_ARRAY };
    int a = 0;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x && condition, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(condition->ndim == 1, SHAPE, "condition must be a 1-d array");
    GARRAY_REQUIRE((axis.n == 0 && !axis.v) || (axis.n == 1 && axis.v), AXIS, "takes one axis, not %lld", (long long)axis.n);
    GARRAY__TRY(garray__same_device(garray__device_of(x), condition));
    if (axis.n == 1) {
        GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &a));
    } else {
        GARRAY__TRY(garray__flatten(x, &flat));
        x = flat;
    }
    if (a == 0 && condition->size == x->shape[0]) {     /* rows are moved by the mask itself */
        GARRAY__TRY(garray__contiguous(condition, GARRAY_BOOL, &mask));
        item.array = mask;
        st = garray_getitem(x, (garray_indices){ 1, &item }, out);
    } else {
        const int32_t along = a;
        GARRAY__TRY(garray__mask_coordinates(condition, &places));
        st = garray__take(x, places, (garray_axes){ 1, &along }, out);
    }
done:
    garray_release(flat);
    garray_release(places);
    garray_release(mask);
    return st;
}

garray_status garray_extract(const garray_t *condition, const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_extract");
    garray_t *flat = NULL;
    GARRAY_REQUIRE(x && condition, INVALID, "an argument is NULL");
    garray_status st = garray__flatten(condition, &flat);
    if (st == GARRAY_OK)
        st = garray_compress(flat, x, (garray_axes){ 0, NULL }, out);
    garray_release(flat);
    return st;
}
