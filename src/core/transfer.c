/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays across the bus: between host memory and a device, and from one device to another.
 *
 * What has gaps is packed on its own side, a cast is made on the side where fewer bytes cross, and axes that only repeat
 * what is there do not cross at all.  Host memory that is not pinned goes through slots (staging.h) where there is enough
 * of it.
 *
 * A copy that the host does not wait for (`async`) differs in two places: pinned memory without gaps is left to the device,
 * and what comes from other memory goes through slots also where a wait would be faster. */
#include "core/graph.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/staging.h"
#include "core/stream.h"
#include "core/submit.h"
#include "core/transfer.h"
#include "garray/transfer.h"

/* Of so much host memory backends take a copy of their own, where a plan says that it is to be reused. */
#define TAKEN_OVER ((int64_t)64 << 10)

/* Beyond this what is written to host memory has left the caches before anybody reads it. */
#define PAST_CACHES ((int64_t)32 << 20)

static int64_t bytes_of(const garray_t *x)
{
    return x->size * garray__size_of(x->dtype);
}

/* ---- without slots ---- */
/* Both contiguous, of one dtype and size; at least one is on an asynchronous device.  wait: as in the plan, when host memory
 * may be reused (2) or is complete (1). */
static garray_status move_bytes(garray_t *dst, const garray_t *src, int wait)
{
    garray__device *to = garray__device_of(dst), *from = garray__device_of(src);
    garray_copy_plan plan = { .src = src->data, .dst = dst->data, .size = (size_t)bytes_of(src) };
    garray__uses uses = { .device = to, .nread = 1, .nwrite = 1, .read = { src->buffer }, .write = { dst->buffer } };
    if (garray__device_is_async(to) && garray__device_is_async(from)) {
        plan.kind = GARRAY_COPY_TO_PEER;
        plan.peer_index = to->id.index;
        uses.device = from;
    } else if (garray__device_is_async(to)) {
        plan.kind = GARRAY_COPY_TO_DEVICE;
        plan.wait = wait;
        uses.nread = 0;
    } else {
        plan.kind = GARRAY_COPY_TO_HOST;
        plan.wait = wait;
        uses.device = from;
        uses.nwrite = 0;
    }
    garray_status st = garray__submit(GARRAY__COPY, &plan, &uses);
    if (plan.kind == GARRAY_COPY_TO_PEER && st == GARRAY_OK)
        garray__use_mark(dst->buffer->order.writer);    /* the other device waits for this copy, not for what comes after it */
    return st;
}

/* ---- through slots ---- */
typedef struct host_side {
    garray_t *array;            /* on the CPU, any strides */
    garray__device *cpu;
    int dtype;                  /* of what crosses the bus */
    bool in, plain;             /* plain: without gaps or a cast */
    garray__pieces pieces;
} host_side;

/* The part of x that lies in the bytes from `at` on, if x were contiguous with items of this size. */
static garray_status piece_of(const garray_t *x, const garray__pieces *p, int itemsize, int64_t at, int64_t size, garray_t **out)
{
    const int64_t *strides = garray__strides(x);
    int64_t unit = itemsize, place = at / p->line, shape[GARRAY_MAX_NDIM];
    int axis = x->ndim - 1;
    while (axis > 0 && unit * x->shape[axis] < p->line)
        unit *= x->shape[axis--];
    if (axis < 0) {
        *out = garray__share(x);
        return GARRAY_OK;
    }
    char *data = x->data + at % p->line / unit * strides[axis];
    for (int i = axis - 1; i >= 0; i--) {
        data += place % x->shape[i] * strides[i];
        place /= x->shape[i];
    }
    memcpy(shape, x->shape + axis, sizeof(int64_t) * (size_t)(x->ndim - axis));
    shape[0] = size / unit;
    return garray__view(x->buffer, data, x->dtype, x->ndim - axis, shape, strides + axis, true, out);
}

/* An array over host memory that is not owned. */
static garray_status wrap_memory(garray__device *cpu, void *data, int dtype, int ndim, const int64_t *shape,
                                 const int64_t *strides, garray_t **out)
{
    int64_t c_strides[GARRAY_MAX_NDIM];
    garray__buffer *buffer;
    garray_status st = garray__buffer_wrap(cpu, data, 0, NULL, NULL, &buffer);
    if (st != GARRAY_OK)
        return st;
    if (!strides) {
        garray__c_strides(ndim, shape, garray__size_of(dtype), c_strides);
        strides = c_strides;
    }
    st = garray__view(buffer, data, dtype, ndim, shape, strides, true, out);
    garray__buffer_release(buffer);
    return st;
}

/* Between a slot and its part of the host's array. */
static garray_status pack_or_unpack(void *ctx, char *slot, int64_t at, int64_t size)
{
    const host_side *h = ctx;
    garray_status st = GARRAY_OK;
    garray_t *part = NULL, *packed = NULL;
    if (h->plain) {
        char *here = h->array->data + at;
        garray_copy_plan plan = { .kind = h->in || h->pieces.all < PAST_CACHES ? GARRAY_COPY_TO_DEVICE : GARRAY_COPY_TO_HOST,
                                  .src = h->in ? here : slot, .dst = h->in ? slot : here, .size = (size_t)size };
        return h->cpu->backend->copy(&h->cpu->stream->queue, &plan);
    }
    GARRAY__TRY(piece_of(h->array, &h->pieces, garray__size_of(h->dtype), at, size, &part));
    GARRAY__TRY(wrap_memory(h->cpu, slot, h->dtype, part->ndim, part->shape, NULL, &packed));
    st = h->in ? garray__assign_apart(packed, part) : garray__assign_apart(part, packed);
done:
    garray_release(part);
    garray_release(packed);
    return st;
}

/* ---- one side is the host ---- */
/* `there` is contiguous, on an asynchronous device, and what crosses has its dtype. */
static garray_status cross(garray_t *host, garray_t *there, bool in, bool async)
{
    garray__device *device = garray__device_of(there);
    const int64_t size = bytes_of(there);
    const bool large = size >= garray__stage_get()->least, staged = large || (in && async && size > TAKEN_OVER);
    const bool plain = host->dtype == there->dtype && host->flags & GARRAY__CONTIGUOUS;
    const bool pageable = (large || async) && garray__stage_pays(device, host->buffer, host->data, size);
    garray_status st = GARRAY_OK;
    garray_t *packed = NULL;
    if (plain && !(staged && pageable)) {
        const bool pinned = large || garray__is_pinned(host->buffer);   /* if not large, it only may be */
        if (async && !pageable)
            return in ? move_bytes(there, host, 0) : move_bytes(host, there, 0);
        return in ? move_bytes(there, host, pinned ? 1 : 2) : move_bytes(host, there, 1);
    }
    if (staged) {
        host_side side = { .array = host, .cpu = garray__device_of(host), .dtype = there->dtype, .in = in, .plain = plain };
        garray__stage stage;
        if (plain)
            side.pieces = garray__pieces_of(1, &there->size, garray__size_of(there->dtype));
        else
            side.pieces = garray__pieces_of(there->ndim, there->shape, garray__size_of(there->dtype));
        garray__stage_open(&stage, device, &side.pieces, async);
        if (plain && stage.n == 0)          /* the driver's own way */
            st = in ? move_bytes(there, host, 2) : move_bytes(host, there, 1);
        else
            st = in ? garray__stage_in(&stage, there, pack_or_unpack, &side)
                    : garray__stage_out(&stage, there, pack_or_unpack, &side);
        garray__stage_close(&stage);
        return st;
    }
    GARRAY__TRY(garray__new(there->dtype, there->ndim, there->shape, garray__device_of(host), &packed));
    if (in) {
        GARRAY__TRY(garray__assign_apart(packed, host));
        st = move_bytes(there, packed, 2);
    } else {
        GARRAY__TRY(move_bytes(packed, there, 1));
        st = garray__assign_apart(host, packed);
    }
done:
    garray_release(packed);
    return st;
}

/* x with each axis that repeats one place cut down to that; false if there is none. */
static bool find_repeats(const garray_t *x, int64_t shape[GARRAY_MAX_NDIM])
{
    bool found = false;
    for (int i = 0; i < x->ndim; i++) {
        const bool repeats = garray__strides(x)[i] == 0 && x->shape[i] > 1;
        shape[i] = repeats ? 1 : x->shape[i];
        found |= repeats;
    }
    return found;
}

/* dst[...] = src for arrays of one shape on two devices, cast to the dtype of dst.  dst has any strides on the CPU and is
 * contiguous elsewhere.  Unless async, host memory may be reused when the call returns, and is complete. */
static garray_status transfer(garray_t *dst, const garray_t *src, bool async)
{
    garray__device *to = garray__device_of(dst), *from = garray__device_of(src);
    garray_status st = GARRAY_OK;
    garray_t *less = NULL, *moved = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    const int wide = garray__size_of(src->dtype) - garray__size_of(dst->dtype);
    if (dst->size == 0)
        return GARRAY_OK;
    if (!(async && garray__device_is_async(from)) && find_repeats(src, shape)) {
        GARRAY__TRY(garray__view(src->buffer, src->data, src->dtype, src->ndim, shape, garray__strides(src), false, &less));
        GARRAY__TRY(garray__new(src->dtype, src->ndim, shape, to, &moved));
        GARRAY__TRY(transfer(moved, less, async));
        st = garray__assign(dst, moved);
    } else if (!garray__device_is_async(from)) {
        if (src->dtype == dst->dtype || wide > 0) {
            st = cross((garray_t *)src, dst, true, async);
        } else {                /* the cast is made on the device */
            GARRAY__TRY(garray__new(src->dtype, src->ndim, src->shape, to, &moved));
            GARRAY__TRY(cross((garray_t *)src, moved, true, async));
            st = garray__assign_apart(dst, moved);
        }
    } else {
        GARRAY__TRY(garray__contiguous(src, wide >= 0 ? dst->dtype : 0, &less));
        if (!garray__device_is_async(to)) {
            st = cross(dst, less, false, async);
        } else if (less->dtype == dst->dtype) {
            st = move_bytes(dst, less, 0);
        } else {
            GARRAY__TRY(garray__new(less->dtype, less->ndim, less->shape, to, &moved));
            GARRAY__TRY(move_bytes(moved, less, 0));
            st = garray__assign_apart(dst, moved);
        }
    }
done:
    garray_release(less);
    garray_release(moved);
    return st;
}

static garray_status to_device(const garray_t *x, int dtype, garray__device *device, bool async, garray_t **out)
{
    garray_t *moved;
    GARRAY_TRY(garray__not_captured(device, "values come from another device"));
    GARRAY_TRY(garray__not_captured(garray__device_of(x), "values go to another device"));
    garray_status st = garray__new(dtype, x->ndim, x->shape, device, &moved);
    if (st != GARRAY_OK)
        return st;
    st = transfer(moved, x, async);
    if (st != GARRAY_OK) {
        garray_release(moved);
        return st;
    }
    *out = moved;
    return GARRAY_OK;
}

garray_status garray__to_device_as(const garray_t *x, int dtype, garray__device *device, garray_t **out)
{
    return to_device(x, dtype, device, false, out);
}

/* ---- host memory of the caller ---- */
/* Behind a failure: what is on its way may not touch the caller's memory when the call returns. */
static garray_status let_go(garray__device *device, garray_status st)
{
    if (st == GARRAY_OK || !garray__device_is_async(device))
        return st;
    GARRAY__QUIETLY;
    garray__stream *stream = garray__stream_current(device);
    const garray__use all = { .ticket = atomic_load(&stream->submitted), .number = stream->queue.number };
    if (garray__use_wait(all) != GARRAY_OK && garray__device_check(device) == GARRAY_OK)
        (void)device->backend->stream_wait_host(&stream->queue);
    return st;
}

/* The event is recorded before an ordinary result is assigned, so that a failure leaves it as it was. */
static garray_status assign_marked(garray_t **out, garray_t *value, garray_event *event, garray__device *device)
{
    const bool into = garray__into(out) != NULL;
    garray_status st = GARRAY_OK;
    if (event && !into && (st = garray__event_mark(event, garray__stream_current(device))) != GARRAY_OK) {
        garray_release(value);
        return st;
    }
    st = garray__result_assign(out, value);
    return st == GARRAY_OK && event && into ? garray__event_mark(event, garray__stream_current(device)) : st;
}

static garray_status from_host(const void *data, int dtype, garray_shape shape, const int64_t *byte_strides, garray_device device,
                               bool async, garray_event *event, garray_t **out)
{
    garray_status st = GARRAY_OK;
    garray_t *host = NULL, *result = NULL;
    garray__device *dev, *cpu;
    int64_t count;
    GARRAY__TRY(garray__result_check(out));
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    GARRAY__TRY(garray__count((int)shape.n, shape.v, garray__size_of(dtype), &count));
    GARRAY_REQUIRE(data || count == 0, INVALID, "data is NULL");
    GARRAY__TRY(garray__device_get(device, &dev));
    GARRAY__TRY(garray__device_get(GARRAY_CPU, &cpu));
    if (async)
        GARRAY__TRY(garray__event_check(event, dev));
    garray_graph *paused = garray__capture_pause(dev);  /* a constant of the graph: the caller's memory is read now */
    st = wrap_memory(cpu, (void *)data, dtype, (int)shape.n, shape.v, byte_strides, &host);
    if (st == GARRAY_OK)
        st = garray__device_is_async(dev) ? to_device(host, dtype, dev, async, &result) : garray__copy_as(host, dtype, &result);
    garray__capture_resume(paused);
    if (st == GARRAY_OK)
        st = assign_marked(out, result, event, dev);
    if (async)
        st = let_go(dev, st);
done:
    garray_release(host);
    return st;
}

/* Whether the elements of x with these strides fit. */
static garray_status check_room(const garray_t *x, const void *data, const int64_t *byte_strides, size_t capacity)
{
    int64_t need = x->size ? garray__size_of(x->dtype) : 0;
    GARRAY_REQUIRE(data || x->size == 0, INVALID, "data is NULL");
    if (!byte_strides)
        need = x->size * garray__size_of(x->dtype);
    for (int i = 0; byte_strides && i < x->ndim && x->size; i++) {
        int64_t reach;
        GARRAY_REQUIRE(byte_strides[i] >= 0, INVALID, "negative stride along axis %d", i);
        GARRAY_REQUIRE(!__builtin_mul_overflow(x->shape[i] - 1, byte_strides[i], &reach)
                       && !__builtin_add_overflow(need, reach, &need), INVALID, "strides are too large");
    }
    GARRAY_REQUIRE((uint64_t)need <= capacity, INVALID, "%lld bytes are needed, there is room for %zu",
                   (long long)need, capacity);
    return GARRAY_OK;
}

static garray_status copy_out(const garray_t *x, void *data, const int64_t *byte_strides, bool async)
{
    garray_t *host = NULL;
    garray__device *cpu;
    if (x->size == 0)
        return GARRAY_OK;
    garray_status st = garray__device_get(GARRAY_CPU, &cpu);
    if (st == GARRAY_OK)
        st = wrap_memory(cpu, data, x->dtype, x->ndim, x->shape, byte_strides, &host);
    if (st == GARRAY_OK)
        st = garray__device_is_async(garray__device_of(x)) ? transfer(host, x, async) : garray__assign(host, x);
    garray_release(host);
    return st;
}

/* ---- public ---- */
garray_status garray_from_host(const void *data, garray_dtype dtype, garray_shape shape, const int64_t *byte_strides,
                               garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_from_host");
    return from_host(data, (int)dtype, shape, byte_strides, device, false, NULL, out);
}

garray_status garray_from_host_async(const void *data, garray_dtype dtype, garray_shape shape, const int64_t *byte_strides,
                                     garray_device device, garray_event *event, garray_t **out)
{
    GARRAY_ENTER("garray_from_host_async");
    return from_host(data, (int)dtype, shape, byte_strides, device, true, event, out);
}

garray_status garray_to_host(const garray_t *x, void *data, const int64_t *byte_strides, size_t capacity)
{
    GARRAY_ENTER("garray_to_host");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_TRY(garray__not_captured(garray__device_of(x), "values are needed on the host that are not there yet"));
    GARRAY_TRY(check_room(x, data, byte_strides, capacity));
    GARRAY_TRY(copy_out(x, data, byte_strides, false));
    return garray__wait_buffer(x->buffer);      /* its work is done; what it found wrong comes here */
}

garray_status garray_to_host_async(const garray_t *x, void *data, const int64_t *byte_strides, size_t capacity,
                                   garray_event *event)
{
    GARRAY_ENTER("garray_to_host_async");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray__device *device = garray__device_of(x);
    GARRAY_TRY(garray__event_check(event, device));
    GARRAY_TRY(check_room(x, data, byte_strides, capacity));
    garray_status st = copy_out(x, data, byte_strides, true);
    if (st == GARRAY_OK && event)
        st = garray__event_mark(event, garray__stream_current(device));
    return let_go(device, st);
}

garray_status garray_to_device(const garray_t *x, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_to_device");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray__device *dev;
    garray_t *result = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__device_get(device, &dev);
    if (st != GARRAY_OK)
        return st;
    if (dev == garray__device_of(x))
        result = garray__share(x);
    else
        st = garray__to_device_as(x, x->dtype, dev, &result);
    return st == GARRAY_OK ? garray__result_assign(out, result) : st;
}
