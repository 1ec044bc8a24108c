/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays over memory of other libraries: checks, owners, order between streams. */
#include <stdlib.h>
#include "core/foreign.h"
#include "core/result.h"
#include "core/stream.h"
#include "core/submit.h"
#include "garray/dlpack.h"

/* ---- checks ---- */
static garray_status check_span(garray__foreign *f)
{
    int64_t item = garray__size_of(f->dtype), below = 0, above = item;
    bool overflow = false;
    if (!f->steps)
        garray__c_strides(f->ndim, f->shape, (int)item, f->strides);
    for (int i = 0; i < f->ndim; i++) {
        int64_t reach;
        if (f->steps)
            overflow |= __builtin_mul_overflow(f->steps[i], f->unit, &f->strides[i]) && f->shape[i] > 1;
        if (f->shape[i] <= 1) {     /* such a step means nothing: it may be any number */
            f->strides[i] = item;
            continue;
        }
        overflow |= __builtin_mul_overflow(f->shape[i] - 1, f->strides[i], &reach);
        overflow |= reach < 0 ? __builtin_add_overflow(below, reach, &below) : __builtin_add_overflow(above, reach, &above);
    }
    GARRAY_REQUIRE(!overflow, FORMAT, "the %s's strides reach past 2^63 bytes", f->what);
    uintptr_t data = (uintptr_t)f->start, low, high;
    overflow = __builtin_add_overflow(data, f->offset, &data);
    overflow |= __builtin_add_overflow(data, above, &high);
    overflow |= __builtin_add_overflow(data, below, &low);
    GARRAY_REQUIRE(!overflow, FORMAT, "the %s's elements lie outside the address space", f->what);
    f->data = (char *)data;
    f->low = (char *)low;
    f->span = high - low;
    return GARRAY_OK;
}

garray_status garray__foreign_check(garray__foreign *f)
{
    GARRAY_REQUIRE(f->ndim >= 0 && f->ndim <= GARRAY_MAX_NDIM, FORMAT, "the %s has %d axes; at most %d are allowed", f->what,
                   f->ndim, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(f->shape || f->ndim == 0, FORMAT, "the %s has no shape", f->what);
    if (garray__count(f->ndim, f->shape, garray__size_of(f->dtype), &f->count) != GARRAY_OK)
        return garray__fail(GARRAY_ERR_FORMAT, "the %s is malformed: %s", f->what, garray__error_detail());
    GARRAY_REQUIRE(f->start || f->count == 0, FORMAT, "the %s's data is NULL", f->what);
    return f->count == 0 ? GARRAY_OK : check_span(f);
}

garray_status garray__foreign_check_owner(const garray__foreign *f)
{
    const garray__device *device = f->device;
    if (!garray__device_is_async(device) || !device->backend->pointer_info)
        return GARRAY_OK;
    int32_t index = -1;
    garray_status st = device->backend->pointer_info(device->handle, f->data, &index);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(index == device->id.index, FORMAT, "the %s's memory is not on the device that it names, %s", f->what,
                   garray__device_text(device->id));
    return GARRAY_OK;
}

/* ---- order ---- */
static bool waits(const garray__device *device, garray__foreign_stream stream)
{
    return garray__device_is_async(device) && !(stream.given && stream.native == GARRAY_STREAM_NO_WAIT);
}

/* The memory has been used by what a stream of the other side holds now. */
static garray_status note_use(const garray__uses *uses, void *native)
{
    garray__stream *stream;
    garray_status st = garray__stream_open(uses->device, true, native, &stream);
    if (st != GARRAY_OK)
        return st;
    st = garray__order_after(uses, &stream->queue);
    if (st == GARRAY_OK)            /* an event that stays when the stream is let go of */
        st = garray__use_cover((garray__use){ .ticket = atomic_load(&stream->submitted), .number = stream->queue.number });
    garray__stream_close(stream);
    return st;
}

static garray_status order_producer(garray__buffer *buffer, garray__foreign_stream stream)
{
    garray__device *device = buffer->device;
    garray__uses uses;
    if (!waits(device, stream))
        return GARRAY_OK;
    uses.device = device;
    uses.nread = 0;
    uses.nwrite = 1;
    uses.write[0] = buffer;
    return stream.given ? note_use(&uses, stream.native) : garray__order_after(&uses, garray__queue_current(device));
}

static void uses_of(const garray_t *x, garray__uses *uses)
{
    bool writes = (x->flags & GARRAY__WRITEABLE) != 0;
    uses->device = garray__device_of(x);
    uses->nread = !writes;
    uses->nwrite = writes;
    uses->read[0] = uses->write[0] = x->buffer;
}

garray_status garray__foreign_lend(const garray_t *x, garray__foreign_stream stream)
{
    garray__device *device = garray__device_of(x);
    garray__uses uses;
    if (!waits(device, stream))
        return GARRAY_OK;
    if (stream.given)
        return garray__order_native(x->buffer, (x->flags & GARRAY__WRITEABLE) != 0, stream.native);
    garray_status st = garray__device_check(device);
    uses_of(x, &uses);
    return st == GARRAY_OK ? garray__order_before(&uses, garray__queue_current(device)) : st;
}

void garray__foreign_return(const garray_t *x, garray__foreign_stream stream, struct garray_stream *home)
{
    garray__device *device = garray__device_of(x);
    garray__uses uses;
    GARRAY__QUIETLY;
    if (!waits(device, stream) || garray__device_check(device) != GARRAY_OK)
        return;
    uses_of(x, &uses);
    if (!stream.given) {
        pthread_mutex_lock(&home->lock);
        bool there = home->alive && !home->per_thread;
        pthread_mutex_unlock(&home->lock);
        if (there)
            (void)garray__order_after(&uses, &home->queue);
    } else if (!stream.native || stream.native == GARRAY_STREAM_LEGACY) {
        (void)note_use(&uses, stream.native);
    }
}

/* ---- arrays ---- */
static void end_owner(void *ctx)
{
    garray__owner *owner = ctx;
    if (owner->release)
        owner->release(owner->ctx);
    free(owner);
}

/* An array over the memory, that of elements which have been checked, for work behind what is on the stream now.  *owner is
 * empty, and belongs to the array: it is for the caller to fill it in once nothing can fail any more. */
static garray_status share(const garray__foreign *f, garray__foreign_stream stream, garray__owner **owner,
                                    garray_t **out)
{
    garray__buffer *buffer = NULL;
    garray__owner *ctx = calloc(1, sizeof *ctx);
    GARRAY_REQUIRE(ctx, NOMEM, "no host memory for the owner of a %s", f->what);
    garray_status st = garray__buffer_wrap(f->device, f->low, f->span, end_owner, ctx, &buffer);
    if (st != GARRAY_OK) {
        free(ctx);
        return st;
    }
    GARRAY__TRY(order_producer(buffer, stream));
    GARRAY__TRY(garray__view(buffer, f->data, f->dtype, f->ndim, f->shape, f->strides, f->writeable, out));
    *owner = ctx;
done:
    garray__buffer_release(buffer);
    return st;
}

garray_status garray__foreign_take(const garray__foreign *f, garray__foreign_stream stream, bool copy, garray__owner owner,
                                   garray_t **out)
{
    garray__owner *kept = NULL;
    garray_t *shared = NULL, *result = NULL;
    garray_status st = GARRAY_OK;
    if (f->count == 0) {            /* there is nothing to share */
        GARRAY__TRY(garray__new(f->dtype, f->ndim, f->shape, f->device, &result));
        if (!f->writeable)
            result->flags &= ~(uint32_t)GARRAY__WRITEABLE;
    } else {
        GARRAY__TRY(share(f, stream, &kept, &shared));
        *kept = owner;
        if (copy)
            GARRAY__TRY(garray__copy_as(shared, shared->dtype, &result));
        else
            result = garray__share(shared);
    }
    st = garray__result_assign(out, result);
    if (st == GARRAY_OK && !kept && owner.release)
        owner.release(owner.ctx);
done:
    if (st != GARRAY_OK && kept)
        *kept = (garray__owner){ NULL, NULL };      /* the memory stays the caller's */
    garray_release(shared);
    return st;
}
