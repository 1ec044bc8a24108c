/* SPDX-License-Identifier: BSD-3-Clause
 * Handles: making, sharing, releasing them, and what can be asked of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/array.h"
#include "core/result.h"

garray_status garray__count(int ndim, const int64_t *shape, int itemsize, int64_t *count)
{
    if (ndim < 0 || ndim > GARRAY_MAX_NDIM)
        return garray__fail(GARRAY_ERR_SHAPE, "%d axes; at most %d are allowed", ndim, GARRAY_MAX_NDIM);
    int64_t n = 1;
    bool too_big = false, empty = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return garray__fail(GARRAY_ERR_SHAPE, "negative dimensions are not allowed: %" PRId64 " at axis %d", shape[i], i);
        if (shape[i] == 0)
            empty = true;
        else
            too_big |= __builtin_mul_overflow(n, shape[i], &n);
    }
    int64_t bytes;
    /* as NumPy does, the other lengths must fit even if one is 0 */
    if (too_big || __builtin_mul_overflow(n, (int64_t)itemsize, &bytes) || bytes > PTRDIFF_MAX) {
        char text[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_SHAPE, "array of shape %s is too big", garray__shape_text(ndim, shape, text));
    }
    *count = empty ? 0 : n;
    return GARRAY_OK;
}

void garray__c_strides(int ndim, const int64_t *shape, int itemsize, int64_t *strides)
{
    int64_t step = itemsize;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = step;
        if (shape[i] > 1)
            step *= shape[i];
    }
}

static bool is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int itemsize)
{
    int64_t step = itemsize;
    for (int i = ndim - 1; i >= 0; i--) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && strides[i] != step)
            return false;
        step *= shape[i];
    }
    return true;
}

static garray_t *handle(int ndim)
{
    garray_t *x = malloc(sizeof *x + 2 * sizeof(int64_t) * (size_t)ndim);
    if (!x)
        (void)garray__fail(GARRAY_ERR_NOMEM, "no host memory for an array handle");
    return x;
}

garray_status garray__new(int dtype, int ndim, const int64_t *shape, garray__device *device, garray_t **out)
{
    if (!garray__is_dtype(dtype))
        return garray__fail(GARRAY_ERR_DTYPE, "%d is not a dtype", dtype);
    int itemsize = garray__size_of(dtype);
    int64_t count;
    garray_status st = garray__count(ndim, shape, itemsize, &count);
    if (st != GARRAY_OK)
        return st;
    garray__buffer *buffer;
    st = garray__buffer_new(device, (size_t)count * (size_t)itemsize, &buffer);
    if (st != GARRAY_OK)
        return st;
    garray_t *x = handle(ndim);
    if (!x) {
        garray__buffer_release(buffer);
        return GARRAY_ERR_NOMEM;
    }
    atomic_init(&x->refs, 1);
    x->dtype = dtype;
    x->ndim = ndim;
    x->flags = GARRAY__WRITEABLE | GARRAY__CONTIGUOUS;
    x->buffer = buffer;
    x->data = buffer->data;
    x->size = count;
    for (int i = 0; i < ndim; i++)
        x->shape[i] = shape[i];
    garray__c_strides(ndim, shape, itemsize, x->shape + ndim);
    *out = x;
    return GARRAY_OK;
}

garray_status garray__view(garray__buffer *buffer, char *data, int dtype, int ndim, const int64_t *shape,
                           const int64_t *strides, bool writeable, garray_t **out)
{
    if (ndim > GARRAY_MAX_NDIM)
        return garray__fail(GARRAY_ERR_SHAPE, "%d axes; at most %d are allowed", ndim, GARRAY_MAX_NDIM);
    garray_t *x = handle(ndim);
    if (!x)
        return GARRAY_ERR_NOMEM;
    atomic_init(&x->refs, 1);
    x->dtype = dtype;
    x->ndim = ndim;
    x->buffer = buffer;
    x->data = data;
    x->size = 1;
    for (int i = 0; i < ndim; i++) {
        x->shape[i] = shape[i];
        x->shape[ndim + i] = strides[i];
        x->size *= shape[i];
    }
    x->flags = (writeable ? GARRAY__WRITEABLE : 0)
               | (is_contiguous(ndim, shape, strides, garray__size_of(dtype)) ? GARRAY__CONTIGUOUS : 0);
    garray__buffer_retain(buffer);
    *out = x;
    return GARRAY_OK;
}

void garray__extent(const garray_t *x, char **low, char **high)
{
    char *a = x->data, *b = x->data + (x->size ? garray__size_of(x->dtype) : 0);
    const int64_t *strides = garray__strides(x);
    for (int i = 0; i < x->ndim && x->size; i++) {
        int64_t reach = (x->shape[i] - 1) * strides[i];
        if (reach < 0)
            a += reach;
        else
            b += reach;
    }
    *low = a;
    *high = b;
}

bool garray__may_overlap(const garray_t *a, const garray_t *b)
{
    if (garray__device_of(a) != garray__device_of(b))
        return false;
    char *a_low, *a_high, *b_low, *b_high;
    garray__extent(a, &a_low, &a_high);
    garray__extent(b, &b_low, &b_high);
    return a_low < b_high && b_low < a_high;
}

bool garray__aligned_to(const garray_t *x, int size)
{
    uint64_t bits = (uint64_t)(uintptr_t)x->data;
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] > 1)
            bits |= (uint64_t)garray__strides(x)[i];
    return (bits & (uint64_t)(size - 1)) == 0;
}

int garray__part_of(int dtype)
{
    int size = garray__size_of(dtype);
    return garray__kind_of(dtype) == GARRAY__K_COMPLEX ? size / 2 : size;
}

bool garray__aligned(const garray_t *x)
{
    bool whole = garray__device_is_async(garray__device_of(x));
    return garray__aligned_to(x, whole ? garray__size_of(x->dtype) : garray__part_of(x->dtype));
}

char *garray__shape_text(int ndim, const int64_t *shape, char *text)
{
    size_t used = 1;
    text[0] = '(';
    for (int i = 0; i < ndim; i++) {
        if (used > GARRAY__SHAPE_TEXT - 32) {
            memcpy(text + used, "...", 3);
            used += 3;
            break;
        }
        used += (size_t)snprintf(text + used, GARRAY__SHAPE_TEXT - used, i + 1 < ndim ? "%" PRId64 "," : "%" PRId64, shape[i]);
    }
    if (ndim == 1)
        text[used++] = ',';
    text[used++] = ')';
    text[used] = 0;
    return text;
}

garray_status garray__same_device(const garray__device *device, const garray_t *x)
{
    if (GARRAY__LIKELY(garray__device_of(x) == device))
        return GARRAY_OK;
    return garray__fail(GARRAY_ERR_MIXED_DEVICES, "the arrays are on two devices, %s and %s; garray_to_device() moves one",
                        garray__device_text(device->id), garray__device_text(garray__device_of(x)->id));
}

garray_status garray__axis(int axis, int ndim, int *out)
{
    if (axis < -ndim || axis >= ndim)
        return garray__fail(GARRAY_ERR_AXIS, "axis %d is out of bounds for array of dimension %d", axis, ndim);
    *out = axis < 0 ? axis + ndim : axis;
    return GARRAY_OK;
}

garray_status garray__axis_set(garray_axes axes, int ndim, bool set[GARRAY_MAX_NDIM])
{
    bool all = axes.n == 0 && !axes.v;
    for (int i = 0; i < ndim; i++)
        set[i] = all;
    if (axes.n < 0 || (axes.n > 0 && !axes.v))
        return garray__fail(GARRAY_ERR_INVALID, "list of axes is malformed");
    for (int64_t i = 0; i < axes.n; i++) {
        int axis = 0;
        garray_status st = garray__axis(axes.v[i], ndim, &axis);
        if (st != GARRAY_OK)
            return st;
        if (set[axis])
            return garray__fail(GARRAY_ERR_AXIS, "axis %d is given twice", axes.v[i]);
        set[axis] = true;
    }
    return GARRAY_OK;
}

/* ---- public ---- */

garray_t *garray_retain(garray_t *x)
{
    if (x)
        atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    return x;
}

void garray_release(garray_t *x)
{
    /* a sole owner cannot be raced, which saves the costly exchange */
    if (!x || (atomic_load_explicit(&x->refs, memory_order_acquire) != 1
               && atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1))
        return;
    garray__buffer_release(x->buffer);
    free(x);
}

garray_status garray_move(garray_t **from, garray_t **out)
{
    GARRAY_ENTER("garray_move");
    GARRAY_REQUIRE(from && *from, INVALID, "there is no array to move");
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || from == out)
        return st;
    st = garray__result_assign(out, garray_retain(*from));
    if (st == GARRAY_OK) {
        garray_release(*from);
        *from = NULL;
    }
    return st;
}

int garray_ndim(const garray_t *x) { return x ? x->ndim : 0; }
garray_shape garray_shape_of(const garray_t *x)
{
    garray_shape shape = { x ? x->ndim : 0, x ? x->shape : NULL };
    return shape;
}
const int64_t *garray_strides_of(const garray_t *x) { return x ? garray__strides(x) : NULL; }
garray_dtype garray_dtype_of(const garray_t *x) { return x ? (garray_dtype)x->dtype : GARRAY_DTYPE_DEFAULT; }
int64_t garray_size(const garray_t *x) { return x ? x->size : 0; }
int64_t garray_nbytes(const garray_t *x) { return x ? x->size * garray__size_of(x->dtype) : 0; }
int64_t garray_len(const garray_t *x) { return x && x->ndim ? x->shape[0] : 0; }
garray_device garray_device_of(const garray_t *x)
{
    return x ? garray__device_of(x)->id : GARRAY_CPU;
}
bool garray_is_contiguous(const garray_t *x) { return x && x->flags & GARRAY__CONTIGUOUS; }
bool garray_is_writeable(const garray_t *x) { return x && x->flags & GARRAY__WRITEABLE; }
