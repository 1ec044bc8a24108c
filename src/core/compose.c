/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of composed functions: see compose.h. */
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/reduce.h"
#include "garray/shape.h"

garray_status garray__part(const garray_t *x, int axis, int64_t start, int64_t count, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = count;
    char *data = count > 0 ? x->data + start * garray__strides(x)[axis] : x->data;
    return garray__view(x->buffer, data, x->dtype, x->ndim, shape, garray__strides(x), x->flags & GARRAY__WRITEABLE, out);
}

garray_status garray__move_axis(const garray_t *x, int from, int to, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    for (int i = 0, j = 0; i < x->ndim; i++) {
        if (i == to) {
            shape[i] = x->shape[from];
            strides[i] = garray__strides(x)[from];
            continue;
        }
        j += j == from;
        shape[i] = x->shape[j];
        strides[i] = garray__strides(x)[j++];
    }
    return garray__view(x->buffer, x->data, x->dtype, x->ndim, shape, strides, x->flags & GARRAY__WRITEABLE, out);
}

garray_status garray__flat(const garray_t *x, garray_t **out)
{
    const int64_t length = -1;
    return garray_reshape(x, x->size ? (garray_shape){ 1, &length } : (garray_shape){ 1, &x->size }, out);
}

garray_status garray__rows(const garray_t *x, const bool *reduced, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM], joined = 1;
    int n = 0, kept;
    for (int i = 0; i < x->ndim; i++)
        if (!reduced[i]) {
            shape[n] = x->shape[i];
            strides[n++] = garray__strides(x)[i];
        }
    kept = n;
    for (int i = 0; i < x->ndim; i++)
        if (reduced[i]) {
            shape[n] = x->shape[i];
            strides[n++] = garray__strides(x)[i];
            joined *= x->shape[i];
        }
    garray_t *turned = NULL;
    garray_status st = garray__view(x->buffer, x->data, x->dtype, n, shape, strides, false, &turned);
    if (st != GARRAY_OK)
        return st;
    shape[kept] = joined;
    st = garray_reshape(turned, (garray_shape){ kept + 1, shape }, out);
    garray_release(turned);
    return st;
}

garray_status garray__option_array(const garray_operand *o, const char *name, garray__device *device, garray_t **out)
{
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    garray_status st = garray__operand_check(o, name);
    if (st != GARRAY_OK)
        return st;
    if (o->kind == GARRAY_OPERAND_ARRAY) {
        st = garray__same_device(device, o->array);
        return st == GARRAY_OK ? garray__operand_array(o, out) : st;
    }
    garray_t *x = NULL;
    st = garray__new(garray__common_dtype(1, o), 0, NULL, device, &x);
    if (st == GARRAY_OK)
        st = garray__fill(x, o);
    if (st == GARRAY_OK)
        *out = x;
    else
        garray_release(x);
    return st;
}

garray_status garray__assign_all(int n, garray_t **const *outs, garray_t **values)
{
    garray_status st = GARRAY_OK;
    for (int i = 0; i < n && st == GARRAY_OK; i++) {
        struct garray__result r;
        if (!outs[i] || !garray__into(outs[i]))
            continue;
        st = garray__result_open(&r, outs[i], values[i]->dtype, values[i]->ndim, values[i]->shape, garray__device_of(values[i]),
                                 GARRAY__CASTS, 0, NULL);
        if (st == GARRAY_OK)
            garray_release(r.target);
    }
    for (int i = 0; i < n; i++) {
        if (outs[i] && st == GARRAY_OK)
            st = garray__result_assign(outs[i], values[i]);
        else
            garray_release(values[i]);
        values[i] = NULL;
    }
    return st;
}

garray_status garray__check_outs(int n, garray_t **const *outs)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (!outs[i])
            continue;
        any = true;
        garray_status st = garray__result_check(outs[i]);
        if (st != GARRAY_OK)
            return st;
        for (int k = 0; k < i; k++)
            GARRAY_REQUIRE(outs[k] != outs[i], INVALID, "two results are the same variable");
    }
    GARRAY_REQUIRE(any, INVALID, "none of the results is wanted");
    return GARRAY_OK;
}

garray_status garray__assign_outs(int n, garray_t **const *outs, garray_t **values, garray_status st)
{
    if (st == GARRAY_OK)
        return garray__assign_all(n, outs, values);
    garray__results_drop(n, values);
    return st;
}

garray_status garray__read(const garray_t *x, double **values)
{
    garray_t *wide = NULL;
    double *v = malloc((size_t)(x->size ? x->size : 1) * sizeof *v);
    if (!v)
        return garray__fail(GARRAY_ERR_NOMEM, "no memory for %lld numbers", (long long)x->size);
    garray_status st = garray__contiguous(x, GARRAY_FLOAT64, &wide);
    if (st == GARRAY_OK)
        st = garray_to_host(wide, v, NULL, (size_t)x->size * sizeof *v);
    garray_release(wide);
    if (st == GARRAY_OK)
        *values = v;
    else
        free(v);
    return st;
}

garray_status garray__is_all(const garray_t *x, bool *answer)
{
    garray_t *all = NULL;
    garray_status st = garray_all(x, GARRAY_ALL_AXES, NULL, &all);
    if (st == GARRAY_OK)
        st = (garray_item)(all, GARRAY_BOOL, answer);
    garray_release(all);
    return st;
}
