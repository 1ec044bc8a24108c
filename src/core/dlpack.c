/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays to and from DLPack tensors.  Nothing in a tensor that comes in is believed before it is checked: whatever its
 * fields say, the result is an error or an array whose address range does not wrap. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/dlpack_abi.h"
#include "core/result.h"
#include "core/stream.h"
#include "core/submit.h"
#include "garray/dlpack.h"

/* ---- dtypes ---- */
static uint8_t code_of(int dtype)
{
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL: return GARRAY__DL_BOOL;
    case GARRAY__K_SINT: return GARRAY__DL_INT;
    case GARRAY__K_UINT: return GARRAY__DL_UINT;
    case GARRAY__K_FLOAT: return dtype == GARRAY_BFLOAT16 ? GARRAY__DL_BFLOAT : GARRAY__DL_FLOAT;
    default: return GARRAY__DL_COMPLEX;
    }
}

/* 0 if it is no dtype here. */
static int dtype_of(const garray__dl_tensor *t)
{
    for (int d = 1; d < GARRAY__DTYPES; d++)
        if (code_of(d) == t->code && 8 * garray__size_of(d) == t->bits && t->lanes == 1)
            return d;
    return 0;
}

static garray_status check_options(const garray_dlpack_opts *opts)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(!opts || (opts->copy >= GARRAY_COPY_IF_NEEDED && opts->copy <= GARRAY_COPY_NEVER), INVALID,
                   "copy is %d, which is no garray_copy_mode", opts ? (int)opts->copy : 0);
    return GARRAY_OK;
}

/* ---- export ---- */
/* What a tensor handed out keeps alive; the lists follow it. */
struct export {
    union {
        struct DLManagedTensor old;
        struct DLManagedTensorVersioned versioned;
    } tensor;
    garray_t *array;
    int64_t lists[];                /* shape, then strides */
};

static void end_export(void *ctx)
{
    struct export *e = ctx;
    atomic_fetch_sub_explicit(&e->array->buffer->exported, 1, memory_order_acq_rel);
    garray_release(e->array);
    free(e);
}

static void delete_old(struct DLManagedTensor *self)
{
    end_export(self->manager_ctx);
}

static void delete_versioned(struct DLManagedTensorVersioned *self)
{
    end_export(self->manager_ctx);
}

/* Whether DLPack, whose strides count items, can tell where x's elements are. */
static bool has_item_strides(const garray_t *x)
{
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] > 1 && garray__strides(x)[i] % garray__size_of(x->dtype) != 0)
            return false;
    return true;
}

static void fill_tensor(struct export *e, garray__dl_tensor *t)
{
    const garray_t *x = e->array;
    garray_device device = garray__device_of(x)->id;
    int item = garray__size_of(x->dtype);
    t->data = x->size ? x->data : NULL;
    t->device_type = device.type == GARRAY_DEVICE_CPU ? GARRAY__DL_CPU : GARRAY__DL_CUDA;
    t->device_id = device.index;
    t->ndim = x->ndim;
    t->code = code_of(x->dtype);
    t->bits = (uint8_t)(8 * item);
    t->lanes = 1;
    t->shape = e->lists;
    t->strides = e->lists + x->ndim;
    t->byte_offset = 0;
    for (int i = 0; i < x->ndim; i++) {
        t->shape[i] = x->shape[i];
        t->strides[i] = x->shape[i] > 1 ? garray__strides(x)[i] / item : 1;
    }
}

/* The consumer's stream waits for our work on x, reads included if it may write. */
static garray_status order_consumer(const garray_t *x, const garray_dlpack_opts *opts)
{
    garray__device *device = garray__device_of(x);
    bool writes = (x->flags & GARRAY__WRITEABLE) != 0;
    if (!garray__device_is_async(device))
        return GARRAY_OK;
    if (opts && opts->has_stream)
        return garray__order_native(x->buffer, writes, opts->stream);
    garray_status st = garray__device_check(device);
    garray__uses uses;
    uses.device = device;
    uses.nread = !writes;
    uses.nwrite = writes;
    uses.read[0] = uses.write[0] = x->buffer;
    return st == GARRAY_OK ? garray__order_before(&uses, garray__queue_current(device)) : st;
}

static garray_status begin_export(const garray_t *x, const garray_dlpack_opts *opts, bool versioned,
                                  struct export **out)
{
    GARRAY_REQUIRE(x && out, INVALID, "an argument is NULL");
    garray_status st = check_options(opts);
    garray_copy_mode mode = opts ? opts->copy : GARRAY_COPY_IF_NEEDED;
    struct export *e = NULL;
    garray_t *copy = NULL;
    if (st != GARRAY_OK)
        return st;
    bool copied = mode == GARRAY_COPY_ALWAYS;
    GARRAY_REQUIRE(copied || versioned || x->flags & GARRAY__WRITEABLE, READONLY,
                   "the array is read-only, which an unversioned tensor cannot say");
    if (!has_item_strides(x)) {
        GARRAY_REQUIRE(mode != GARRAY_COPY_NEVER, UNSUPPORTED,
                       "the strides are no multiples of the item's size, so that a copy would be needed");
        copied = true;
    }
    if (copied) {
        GARRAY__TRY(garray__copy_as(x, x->dtype, &copy));
        x = copy;
    }
    e = calloc(1, sizeof *e + 2 * sizeof(int64_t) * (size_t)x->ndim);
    GARRAY__CHECK(e, NOMEM, "no host memory for a tensor");
    GARRAY__TRY(order_consumer(x, opts));
    e->array = garray__share(x);
    atomic_fetch_add_explicit(&x->buffer->exported, 1, memory_order_acq_rel);
    if (versioned) {
        struct DLManagedTensorVersioned *t = &e->tensor.versioned;
        t->major = GARRAY__DL_MAJOR;
        t->minor = GARRAY__DL_MINOR;
        t->manager_ctx = e;
        t->deleter = delete_versioned;
        t->flags = (x->flags & GARRAY__WRITEABLE ? 0 : GARRAY__DL_READ_ONLY) | (copied ? GARRAY__DL_IS_COPIED : 0);
        fill_tensor(e, &t->dl_tensor);
    } else {
        struct DLManagedTensor *t = &e->tensor.old;
        t->manager_ctx = e;
        t->deleter = delete_old;
        fill_tensor(e, &t->dl_tensor);
    }
    *out = e;
    e = NULL;
done:
    free(e);
    garray_release(copy);
    return st;
}

garray_status garray_to_dlpack(const garray_t *x, const garray_dlpack_opts *opts, struct DLManagedTensorVersioned **out)
{
    GARRAY_ENTER("garray_to_dlpack");
    struct export *e;
    GARRAY_REQUIRE(out, INVALID, "out is NULL");
    garray_status st = begin_export(x, opts, true, &e);
    if (st == GARRAY_OK)
        *out = &e->tensor.versioned;
    return st;
}

garray_status garray_to_dlpack_unversioned(const garray_t *x, const garray_dlpack_opts *opts, struct DLManagedTensor **out)
{
    GARRAY_ENTER("garray_to_dlpack_unversioned");
    struct export *e;
    GARRAY_REQUIRE(out, INVALID, "out is NULL");
    garray_status st = begin_export(x, opts, false, &e);
    if (st == GARRAY_OK)
        *out = &e->tensor.old;
    return st;
}

/* ---- import ---- */
/* The tensor behind a buffer, to be deleted once when the buffer goes; emptied where the import fails after all. */
struct import {
    struct DLManagedTensor *old;
    struct DLManagedTensorVersioned *versioned;
};

static void delete_tensor(const struct import *i)
{
    if (i->old && i->old->deleter)
        i->old->deleter(i->old);
    if (i->versioned && i->versioned->deleter)
        i->versioned->deleter(i->versioned);
}

static void end_import(void *ctx)
{
    delete_tensor(ctx);
    free(ctx);
}

/* A tensor whose fields have been found sound. */
struct checked {
    int dtype, ndim;
    bool writeable;
    garray__device *device;
    int64_t count, strides[GARRAY_MAX_NDIM];    /* in bytes */
    const int64_t *shape;
    char *data, *low;
    size_t span;                    /* bytes from low */
};

/* Where the elements lie, in arithmetic that cannot wrap unnoticed. */
static garray_status check_layout(const garray__dl_tensor *t, struct checked *c)
{
    int64_t item = garray__size_of(c->dtype), below = 0, above = item;
    bool overflow = false;
    if (!t->strides)
        garray__c_strides(t->ndim, t->shape, (int)item, c->strides);
    for (int i = 0; i < t->ndim; i++) {
        int64_t reach;
        if (t->strides)
            overflow |= __builtin_mul_overflow(t->strides[i], item, &c->strides[i]) && t->shape[i] > 1;
        if (t->shape[i] <= 1) {     /* such a stride means nothing: it may be any number */
            c->strides[i] = item;
            continue;
        }
        overflow |= __builtin_mul_overflow(t->shape[i] - 1, c->strides[i], &reach);
        overflow |= reach < 0 ? __builtin_add_overflow(below, reach, &below) : __builtin_add_overflow(above, reach, &above);
    }
    GARRAY_REQUIRE(!overflow, FORMAT, "the tensor's strides reach past 2^63 bytes");
    uintptr_t data = (uintptr_t)t->data, low, high;
    overflow = __builtin_add_overflow(data, t->byte_offset, &data);
    overflow |= __builtin_add_overflow(data, above, &high);
    overflow |= __builtin_add_overflow(data, below, &low);
    GARRAY_REQUIRE(!overflow, FORMAT, "the tensor's elements lie outside the address space");
    c->data = (char *)data;
    c->low = (char *)low;
    c->span = high - low;
    return GARRAY_OK;
}

static garray_status find_device(const garray__dl_tensor *t, struct checked *c)
{
    garray_device id = GARRAY_CPU;
    switch (t->device_type) {
    case GARRAY__DL_CPU:
    case GARRAY__DL_CUDA_HOST:      /* pinned memory is memory of the host */
        break;
    case GARRAY__DL_CUDA:
    case GARRAY__DL_CUDA_MANAGED:
        GARRAY_REQUIRE(t->device_id >= 0 && t->device_id < GARRAY__DEVICES_PER_TYPE, NO_DEVICE,
                       "the tensor is on CUDA device %" PRId32 ", which does not exist", t->device_id);
        id.type = GARRAY_DEVICE_CUDA;
        id.index = t->device_id;
        break;
    default:
        return garray__fail(GARRAY_ERR_UNSUPPORTED, "the tensor is on a device of type %" PRId32 ", which is not known here",
                            t->device_type);
    }
    return garray__device_get(id, &c->device);
}

/* FORMAT unless the driver knows the memory as the device's. */
static garray_status check_owner(const struct checked *c)
{
    const garray__device *device = c->device;
    if (!garray__device_is_async(device) || !device->backend->pointer_info)
        return GARRAY_OK;
    int32_t index = -1;
    garray_status st = device->backend->pointer_info(device->handle, c->data, &index);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(index == device->id.index, FORMAT, "the tensor's memory is not on the device that it names, %s",
                   garray__device_text(device->id));
    return GARRAY_OK;
}

static garray_status check_tensor(const garray__dl_tensor *t, struct checked *c)
{
    GARRAY_REQUIRE(t->ndim >= 0 && t->ndim <= GARRAY_MAX_NDIM, FORMAT, "the tensor has %" PRId32 " axes; at most %d are allowed",
                   t->ndim, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(t->shape || t->ndim == 0, FORMAT, "the tensor has no shape");
    c->dtype = dtype_of(t);
    c->ndim = t->ndim;
    c->shape = t->shape;
    GARRAY_REQUIRE(c->dtype, DTYPE, "DLPack's type with code %d, %d bits and %d lanes is no dtype here", (int)t->code,
                   (int)t->bits, (int)t->lanes);
    garray_status st = garray__count(t->ndim, t->shape, garray__size_of(c->dtype), &c->count);
    if (st != GARRAY_OK)
        return garray__fail(GARRAY_ERR_FORMAT, "the tensor is malformed: %s", garray__error_detail());
    GARRAY_REQUIRE(t->data || c->count == 0, FORMAT, "the tensor's data is NULL");
    st = find_device(t, c);
    if (st != GARRAY_OK || c->count == 0)
        return st;
    st = check_layout(t, c);
    return st == GARRAY_OK ? check_owner(c) : st;
}

/* Our work waits for what the producer's stream holds now. */
static garray_status order_producer(garray__buffer *buffer, const garray_dlpack_opts *opts)
{
    garray__device *device = buffer->device;
    garray__uses uses;
    if (!garray__device_is_async(device))
        return GARRAY_OK;
    uses.device = device;
    uses.nread = 0;
    uses.nwrite = 1;
    uses.write[0] = buffer;
    if (!opts || !opts->has_stream)
        return garray__order_after(&uses, garray__queue_current(device));
    garray__stream *producer;
    garray_status st = garray__stream_open(device, true, opts->stream, &producer);
    if (st != GARRAY_OK)
        return st;
    st = garray__order_after(&uses, &producer->queue);
    if (st == GARRAY_OK)            /* an event that stays when the stream is let go of */
        st = garray__use_cover((garray__use){ .ticket = atomic_load(&producer->submitted), .number = producer->queue.number });
    garray__stream_close(producer);
    return st;
}

/* An array over the tensor's memory. *owner is what must be emptied if the tensor is to stay the caller's. */
static garray_status share_tensor(const struct checked *c, const struct import *tensor, const garray_dlpack_opts *opts,
                                  struct import **owner, garray_t **out)
{
    garray__buffer *buffer = NULL;
    garray_status st = GARRAY_OK;
    struct import *ctx = malloc(sizeof *ctx);
    GARRAY_REQUIRE(ctx, NOMEM, "no host memory for an imported tensor");
    memset(ctx, 0, sizeof *ctx);
    st = garray__buffer_wrap(c->device, c->low, c->span, end_import, ctx, &buffer);
    if (st != GARRAY_OK) {
        free(ctx);
        return st;
    }
    GARRAY__TRY(order_producer(buffer, opts));
    GARRAY__TRY(garray__view(buffer, c->data, c->dtype, c->ndim, c->shape, c->strides, c->writeable, out));
    *ctx = *tensor;
    *owner = ctx;
done:
    garray__buffer_release(buffer);
    return st;
}

static garray_status import(const garray__dl_tensor *t, bool writeable, const struct import *tensor,
                            const garray_dlpack_opts *opts, garray_t **out)
{
    garray_status st = garray__result_check(out);
    struct checked c;
    struct import *owner = NULL;
    garray_t *shared = NULL, *result = NULL;
    if (st == GARRAY_OK)
        st = check_options(opts);
    if (st == GARRAY_OK)
        st = check_tensor(t, &c);
    if (st != GARRAY_OK)
        return st;
    c.writeable = writeable;
    if (c.count == 0) {             /* there is nothing to share */
        GARRAY__TRY(garray__new(c.dtype, c.ndim, c.shape, c.device, &result));
        if (!writeable)
            result->flags &= ~(uint32_t)GARRAY__WRITEABLE;
    } else {
        GARRAY__TRY(share_tensor(&c, tensor, opts, &owner, &shared));
        if (opts && opts->copy == GARRAY_COPY_ALWAYS)
            GARRAY__TRY(garray__copy_as(shared, shared->dtype, &result));
        else
            result = garray__share(shared);
    }
    st = garray__result_assign(out, result);
    if (st == GARRAY_OK && !owner)
        delete_tensor(tensor);
done:
    if (st != GARRAY_OK && owner)
        memset(owner, 0, sizeof *owner);        /* the tensor stays the caller's */
    garray_release(shared);
    return st;
}

garray_status garray_from_dlpack(struct DLManagedTensorVersioned *tensor, const garray_dlpack_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_from_dlpack");
    GARRAY_REQUIRE(tensor, INVALID, "tensor is NULL");
    if (tensor->major != GARRAY__DL_MAJOR) {
        /* all that is known of such a struct is where its deleter is, which the standard says to call */
        garray_status st = garray__fail(GARRAY_ERR_UNSUPPORTED, "the tensor is of DLPack version %" PRIu32 ".%" PRIu32
                                        "; versions 1.x are known", tensor->major, tensor->minor);
        if (tensor->deleter)
            tensor->deleter(tensor);
        return st;
    }
    struct import owned = { NULL, tensor };
    return import(&tensor->dl_tensor, !(tensor->flags & GARRAY__DL_READ_ONLY), &owned, opts, out);
}

garray_status garray_from_dlpack_unversioned(struct DLManagedTensor *tensor, const garray_dlpack_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_from_dlpack_unversioned");
    GARRAY_REQUIRE(tensor, INVALID, "tensor is NULL");
    struct import owned = { tensor, NULL };
    return import(&tensor->dl_tensor, true, &owned, opts, out);
}
