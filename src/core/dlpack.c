/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays to and from DLPack tensors.  Nothing in a tensor that comes in is believed before it is checked: whatever its
 * fields say, the result is an error or an array whose address range does not wrap. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/dlpack_abi.h"
#include "core/foreign.h"
#include "core/graph.h"
#include "core/result.h"
#include "core/stream.h"
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

static garray__foreign_stream stream_of(const garray_dlpack_opts *opts)
{
    return (garray__foreign_stream){ opts && opts->has_stream, opts ? opts->stream : NULL };
}

/* ---- export ---- */
/* What a tensor handed out keeps alive; the lists follow it. */
struct export {
    union {
        struct DLManagedTensor old;
        struct DLManagedTensorVersioned versioned;
    } tensor;
    garray_t *array;
    garray__foreign_stream stream;  /* the consumer's */
    garray__stream *home;           /* the one that was current */
    int64_t lists[];                /* shape, then strides */
};

static void end_export(void *ctx)
{
    struct export *e = ctx;
    garray__foreign_return(e->array, e->stream, e->home);
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

static garray_status begin_export(const garray_t *x, const garray_dlpack_opts *opts, bool versioned,
                                  struct export **out)
{
    GARRAY_REQUIRE(x && out, INVALID, "an argument is NULL");
    GARRAY_TRY(garray__not_captured(garray__device_of(x), "a tensor of others is of use only where work runs"));
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
    GARRAY__TRY(garray__foreign_lend(x, stream_of(opts)));
    e->stream = stream_of(opts);
    e->home = garray__stream_current(garray__device_of(x));
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
static void delete_unversioned_tensor(void *ctx)
{
    struct DLManagedTensor *tensor = ctx;
    if (tensor->deleter)
        tensor->deleter(tensor);
}

static void delete_versioned_tensor(void *ctx)
{
    struct DLManagedTensorVersioned *tensor = ctx;
    if (tensor->deleter)
        tensor->deleter(tensor);
}

static garray_status find_device(const garray__dl_tensor *t, garray__device **device)
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
    return garray__device_get(id, device);
}

static garray_status check_tensor(const garray__dl_tensor *t, bool writeable, garray__foreign *f)
{
    int dtype = dtype_of(t);
    GARRAY_REQUIRE(t->ndim >= 0 && t->ndim <= GARRAY_MAX_NDIM, FORMAT, "the tensor has %" PRId32 " axes; at most %d are allowed",
                   t->ndim, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(dtype, DTYPE, "DLPack's type with code %d, %d bits and %d lanes is no dtype here", (int)t->code,
                   (int)t->bits, (int)t->lanes);
    *f = (garray__foreign){ .what = "tensor", .dtype = dtype, .ndim = t->ndim, .writeable = writeable, .shape = t->shape,
                            .steps = t->strides, .unit = garray__size_of(dtype), .start = t->data, .offset = t->byte_offset };
    garray_status st = garray__foreign_check(f);
    if (st == GARRAY_OK)
        st = find_device(t, &f->device);
    return st == GARRAY_OK && f->count > 0 ? garray__foreign_check_owner(f) : st;
}

static garray_status import(const garray__dl_tensor *t, bool writeable, garray__owner owner, const garray_dlpack_opts *opts,
                            garray_t **out)
{
    garray__foreign f;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_options(opts);
    if (st == GARRAY_OK)
        st = check_tensor(t, writeable, &f);
    if (st != GARRAY_OK)
        return st;
    return garray__foreign_take(&f, stream_of(opts), opts && opts->copy == GARRAY_COPY_ALWAYS, owner, out);
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
    return import(&tensor->dl_tensor, !(tensor->flags & GARRAY__DL_READ_ONLY),
                  (garray__owner){ delete_versioned_tensor, tensor }, opts, out);
}

garray_status garray_from_dlpack_unversioned(struct DLManagedTensor *tensor, const garray_dlpack_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_from_dlpack_unversioned");
    GARRAY_REQUIRE(tensor, INVALID, "tensor is NULL");
    return import(&tensor->dl_tensor, true, (garray__owner){ delete_unversioned_tensor, tensor }, opts, out);
}
