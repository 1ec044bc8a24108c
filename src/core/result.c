/* SPDX-License-Identifier: BSD-3-Clause
 * Results: see result.h. */
#include <string.h>
#include "core/graph.h"
#include "core/result.h"

garray_t **garray_into(garray_t *x)
{
    return (garray_t **)((uintptr_t)x | 1);
}

garray_status garray__result_check(garray_t **out)
{
    if (!out)
        return garray__fail(GARRAY_ERR_INVALID, "out is NULL");
    if ((uintptr_t)out == 1)
        return garray__fail(GARRAY_ERR_INVALID, "garray_into(NULL)");
    return GARRAY_OK;
}

static bool same_shape(const garray_t *x, int ndim, const int64_t *shape)
{
    return x->ndim == ndim && (ndim == 0 || memcmp(x->shape, shape, sizeof(int64_t) * (size_t)ndim) == 0);
}

/* Nobody else can see the memory of x, and all of it may be written. */
static bool is_private(garray_t *x)
{
    garray__buffer *b = x->buffer;
    return atomic_load_explicit(&x->refs, memory_order_acquire) == 1
           && garray__buffer_is_private(b) && !b->foreign
           && (x->flags & (GARRAY__WRITEABLE | GARRAY__CONTIGUOUS)) == (GARRAY__WRITEABLE | GARRAY__CONTIGUOUS)
           && garray__aligned(x);       /* memory from elsewhere may lie anywhere */
}

static garray_status check_into(const garray_t *x, int dtype, int ndim, const int64_t *shape, garray__device *device)
{
    if (!same_shape(x, ndim, shape)) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_SHAPE, "the result has shape %s, the array of garray_into() has shape %s",
                            garray__shape_text(ndim, shape, a), garray__shape_text(x->ndim, x->shape, b));
    }
    if (!garray_can_cast((garray_dtype)dtype, (garray_dtype)x->dtype, GARRAY_CAST_SAME_KIND))
        return garray__fail(GARRAY_ERR_DTYPE, "cannot cast the result from %s to %s with casting rule 'same_kind'",
                            garray__name_of(dtype), garray__name_of(x->dtype));
    if (garray__device_of(x) != device)
        return garray__fail(GARRAY_ERR_MIXED_DEVICES, "the array of garray_into() is on another device than the operands");
    if (!(x->flags & GARRAY__WRITEABLE))
        return garray__fail(GARRAY_ERR_READONLY, "the array of garray_into() is read-only");
    for (int i = 0; i < ndim; i++)
        if (garray__strides(x)[i] == 0 && shape[i] > 1)
            return garray__fail(GARRAY_ERR_READONLY, "the array of garray_into() repeats its elements along axis %d", i);
    return GARRAY_OK;
}

/* May the work write x although it reads the inputs? */
static bool clashes(const garray_t *x, int flags, int ninputs, const garray_t *const *inputs)
{
    for (int i = 0; i < ninputs; i++) {
        const garray_t *in = inputs[i];
        if (!in || in->buffer->device != x->buffer->device || !garray__may_overlap(x, in))
            continue;
        bool exact = in->data == x->data && in->dtype == x->dtype && in->ndim == x->ndim
                     && memcmp(in->shape, x->shape, 2 * sizeof(int64_t) * (size_t)x->ndim) == 0;
        if (!(exact && flags & GARRAY__IN_PLACE))
            return true;
    }
    return false;
}

garray_status garray__result_open(struct garray__result *r, garray_t **out, int dtype, int ndim, const int64_t *shape,
                                  garray__device *device, int flags, int ninputs, const garray_t *const *inputs)
{
    r->slot = NULL;
    r->target = NULL;
    r->into = garray__into(out);
    if (r->into) {
        garray_status st = check_into(r->into, dtype, ndim, shape, device);
        if (st != GARRAY_OK)
            return st;
        bool fits = flags & GARRAY__CASTS
                    || (r->into->dtype == dtype && r->into->flags & GARRAY__CONTIGUOUS && garray__aligned(r->into));
        if (fits && !clashes(r->into, flags, ninputs, inputs)) {
            r->target = garray_retain(r->into);
            return GARRAY_OK;
        }
        return garray__new(dtype, ndim, shape, device, &r->target);
    }
    r->slot = out;
    garray_t *old = *out;
    if (old && old->dtype == dtype && same_shape(old, ndim, shape) && garray__device_of(old) == device && is_private(old)
        && !garray__capturing(device) && !clashes(old, flags, ninputs, inputs)) {
        r->target = garray_retain(old);
        return GARRAY_OK;
    }
    return garray__new(dtype, ndim, shape, device, &r->target);
}

garray_status garray__result_close(struct garray__result *r, garray_status status)
{
    if (status == GARRAY_OK && r->into && r->target != r->into)
        status = garray__assign(r->into, r->target);
    if (status == GARRAY_OK && r->slot) {
        garray_t *old = *r->slot;
        *r->slot = r->target;           /* our reference becomes the caller's */
        garray_release(old);
    } else {
        garray_release(r->target);
    }
    r->target = NULL;
    return status;
}

garray_status garray__result_assign(garray_t **out, garray_t *value)
{
    garray_t *into = garray__into(out);
    if (!into) {
        garray_t *old = *out;
        *out = value;
        garray_release(old);
        return GARRAY_OK;
    }
    garray_status st = check_into(into, value->dtype, value->ndim, value->shape, garray__device_of(value));
    if (st == GARRAY_OK)
        st = garray__assign(into, value);
    garray_release(value);
    return st;
}

void garray__results_assign(int n, garray_t **outs, garray_t *const *values)
{
    for (int i = 0; i < n; i++) {
        garray_t *old = outs[i];
        outs[i] = values[i];
        garray_release(old);
    }
}

void garray__results_drop(int n, garray_t *const *values)
{
    for (int i = 0; i < n; i++)
        garray_release(values[i]);
}
