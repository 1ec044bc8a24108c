/* SPDX-License-Identifier: BSD-3-Clause
 * Copies: assignment with a cast, contiguous copies, between devices, to and from host memory, one item, and raw
 * access between begin and end. */
#include <string.h>
#include "core/layout.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/stream.h"
#include "core/submit.h"

static garray_status convert(garray_t *dst, const struct garray__ew_input *in)
{
    garray_ew_plan plan;
    garray__plan_elementwise(&plan, 0, in->dtype, dst, 1, in);
    return garray__plan_run(GARRAY__CONVERT, &plan, dst, 1, in);
}

garray_status garray__assign(garray_t *dst, const garray_t *src)
{
    garray_status st = garray__same_device(garray__device_of(dst), src);
    if (st != GARRAY_OK)
        return st;
    int ndim = dst->ndim;
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, dst->shape, sizeof(int64_t) * (size_t)ndim);
    bool fits = src->ndim <= ndim;
    for (int i = 1; i <= src->ndim && fits; i++)
        fits = src->shape[src->ndim - i] == 1 || src->shape[src->ndim - i] == shape[ndim - i];
    if (!fits) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_SHAPE, "could not broadcast input array from shape %s into shape %s",
                            garray__shape_text(src->ndim, src->shape, a), garray__shape_text(ndim, dst->shape, b));
    }
    if (dst->size == 0)
        return GARRAY_OK;
    garray_t *copy = NULL;
    bool exact = src->data == dst->data && src->dtype == dst->dtype && src->ndim == ndim
                 && memcmp(src->shape, dst->shape, 2 * sizeof(int64_t) * (size_t)ndim) == 0;
    if (exact)
        return GARRAY_OK;
    if (garray__may_overlap(dst, src)) {
        st = garray__copy_as(src, src->dtype, &copy);
        if (st != GARRAY_OK)
            return st;
        src = copy;
    }
    struct garray__ew_input in = { src, src->dtype, { 0, 0 } };
    st = convert(dst, &in);
    garray_release(copy);
    return st;
}

garray_status garray__assign_apart(garray_t *dst, const garray_t *src)
{
    if (dst->size == 0)
        return GARRAY_OK;
    struct garray__ew_input in = { src, src->dtype, { 0, 0 } };
    return convert(dst, &in);
}

garray_status garray__fill(garray_t *dst, const garray_operand *value)
{
    struct garray__ew_input in = { NULL, dst->dtype, { 0, 0 } };
    garray_status st = garray__scalar_bits(value, dst->dtype, in.bits);
    if (st != GARRAY_OK || dst->size == 0)
        return st;
    return convert(dst, &in);
}

garray_status garray__copy_as(const garray_t *x, int dtype, garray_t **out)
{
    garray_t *copy;
    garray_status st = garray__new(dtype, x->ndim, x->shape, garray__device_of(x), &copy);
    if (st != GARRAY_OK)
        return st;
    st = garray__assign(copy, x);
    if (st != GARRAY_OK) {
        garray_release(copy);
        return st;
    }
    *out = copy;
    return GARRAY_OK;
}

garray_status garray__contiguous(const garray_t *x, int dtype, garray_t **out)
{
    if ((!dtype || dtype == x->dtype) && x->flags & GARRAY__CONTIGUOUS && garray__aligned(x)) {
        *out = garray__share(x);
        return GARRAY_OK;
    }
    return garray__copy_as(x, dtype ? dtype : x->dtype, out);
}

garray_status garray__broadcast(const garray_t *x, int ndim, const int64_t *shape, garray_t **out)
{
    int64_t strides[GARRAY_MAX_NDIM];
    bool fits = ndim >= x->ndim;
    for (int i = 0; i < ndim && fits; i++) {
        int j = i - (ndim - x->ndim);
        fits = j < 0 || x->shape[j] == shape[i] || x->shape[j] == 1;
        strides[i] = j < 0 || x->shape[j] == 1 ? 0 : garray__strides(x)[j];
        if (j >= 0 && x->shape[j] == 1 && shape[i] == 1)
            strides[i] = garray__strides(x)[j];
    }
    if (!fits) {
        char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_SHAPE, "shape %s does not broadcast to %s",
                            garray__shape_text(x->ndim, x->shape, a), garray__shape_text(ndim, shape, b));
    }
    return garray__view(x->buffer, x->data, x->dtype, ndim, shape, strides, false, out);
}

/* ---- bytes across the bus ---- */

/* dst and src are contiguous and of one dtype and size; at least one is on an asynchronous device. */
static garray_status move_bytes(garray_t *dst, const garray_t *src)
{
    garray__device *to = garray__device_of(dst), *from = garray__device_of(src);
    garray_copy_plan plan = { .src = src->data, .dst = dst->data, .wait = 1,
                              .size = (size_t)src->size * (size_t)garray__size_of(src->dtype) };
    garray__uses uses = { .device = to, .nread = 1, .nwrite = 1, .read = { src->buffer }, .write = { dst->buffer } };
    if (plan.size == 0)
        return GARRAY_OK;
    if (garray__device_is_async(to) && garray__device_is_async(from)) {
        plan.kind = GARRAY_COPY_TO_PEER;
        plan.peer_index = to->id.index;
        uses.device = from;
        return garray__submit(GARRAY__COPY, &plan, &uses);
    }
    if (garray__device_is_async(to)) {
        plan.kind = GARRAY_COPY_TO_DEVICE;
        uses.nread = 0;
    } else {
        plan.kind = GARRAY_COPY_TO_HOST;
        uses.device = from;
        uses.nwrite = 0;
    }
    return garray__submit(GARRAY__COPY, &plan, &uses);
}

static garray_status to_device(const garray_t *x, garray__device *device, garray_t **out)
{
    garray_status st = GARRAY_OK;
    garray_t *packed = NULL, *moved = NULL;
    GARRAY__TRY(garray__contiguous(x, 0, &packed));
    GARRAY__TRY(garray__new(x->dtype, x->ndim, x->shape, device, &moved));
    GARRAY__TRY(move_bytes(moved, packed));
    *out = moved;
    moved = NULL;
done:
    garray_release(packed);
    garray_release(moved);
    return st;
}

/* A CPU array over the caller's memory, for the length of a call. */
static garray_status wrap_host(void *data, int dtype, int ndim, const int64_t *shape, const int64_t *strides, garray_t **out)
{
    int64_t c_strides[GARRAY_MAX_NDIM];
    garray__device *cpu;
    garray__buffer *buffer;
    garray_status st = garray__device_get(GARRAY_CPU, &cpu);
    if (st == GARRAY_OK)
        st = garray__buffer_wrap(cpu, data, 0, NULL, NULL, &buffer);
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

/* ---- public ---- */

garray_status garray_from_host(const void *data, garray_dtype dtype, garray_shape shape, const int64_t *byte_strides,
                               garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_from_host");
    garray_status st = GARRAY_OK;
    garray_t *host = NULL, *result = NULL;
    garray__device *dev;
    int64_t count;
    GARRAY__TRY(garray__result_check(out));
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    GARRAY__TRY(garray__count((int)shape.n, shape.v, garray__size_of(dtype), &count));
    GARRAY_REQUIRE(data || count == 0, INVALID, "data is NULL");
    GARRAY__TRY(garray__device_get(device, &dev));
    GARRAY__TRY(wrap_host((void *)data, dtype, (int)shape.n, shape.v, byte_strides, &host));
    if (garray__device_is_async(dev))
        GARRAY__TRY(to_device(host, dev, &result));
    else
        GARRAY__TRY(garray__copy_as(host, dtype, &result));
    st = garray__result_assign(out, result);
done:
    garray_release(host);
    return st;
}

garray_status garray_to_host(const garray_t *x, void *data, const int64_t *byte_strides, size_t capacity)
{
    GARRAY_ENTER("garray_to_host");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(data || x->size == 0, INVALID, "data is NULL");
    garray_status st = GARRAY_OK;
    garray_t *host = NULL, *moved = NULL;
    int64_t need = x->size ? garray__size_of(x->dtype) : 0;
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
    if (x->size == 0)
        return garray__wait_buffer(x->buffer);
    GARRAY__TRY(wrap_host(data, x->dtype, x->ndim, x->shape, byte_strides, &host));
    if (!garray__device_is_async(garray__device_of(x))) {
        GARRAY__TRY(garray__assign(host, x));
    } else if (host->flags & GARRAY__CONTIGUOUS) {
        GARRAY__TRY(garray__contiguous(x, 0, &moved));
        GARRAY__TRY(move_bytes(host, moved));
    } else {
        GARRAY__TRY(to_device(x, garray__device_of(host), &moved));
        GARRAY__TRY(garray__assign(host, moved));
    }
    st = garray__wait_buffer(x->buffer);        /* its work is done; what it found wrong comes here */
done:
    garray_release(host);
    garray_release(moved);
    return st;
}

garray_status (garray_item)(const garray_t *x, garray_dtype dtype, void *value)
{
    GARRAY_ENTER("garray_item");
    GARRAY_REQUIRE(x && value, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    if (x->size != 1) {
        char text[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_SHAPE, "only an array of size 1 can become a number, not one of shape %s",
                            garray__shape_text(x->ndim, x->shape, text));
    }
    GARRAY_REQUIRE(garray__kind_of(x->dtype) != GARRAY__K_COMPLEX || garray__kind_of(dtype) == GARRAY__K_COMPLEX
                   || dtype == GARRAY_BOOL, DTYPE, "a complex number cannot become %s", garray__name_of(dtype));
    char element[16];
    int size = garray__size_of(x->dtype);
    if (garray__device_is_async(garray__device_of(x))) {
        garray_copy_plan plan = { .kind = GARRAY_COPY_TO_HOST, .src = x->data, .dst = element, .size = (size_t)size, .wait = 1 };
        garray__uses uses;
        uses.device = garray__device_of(x);
        uses.nread = 1;
        uses.nwrite = 0;
        uses.read[0] = x->buffer;
        garray_status st = garray__submit(GARRAY__COPY, &plan, &uses);
        /* the copy has waited for the last writer: this only asks for its late errors */
        if (st == GARRAY_OK)
            st = garray__wait_buffer(x->buffer);
        if (st != GARRAY_OK)
            return st;
    } else {
        memcpy(element, x->data, (size_t)size);
    }
    if ((int)dtype == x->dtype) {
        memcpy(value, element, (size_t)size);
        return GARRAY_OK;
    }
    uint64_t bits[2];
    garray_operand scalar = garray__scalar_at(element, x->dtype);
    garray__scalar_cast(&scalar, dtype, bits);
    memcpy(value, bits, (size_t)garray__size_of(dtype));
    return GARRAY_OK;
}

static garray_status cast_into(const garray_t *x, int dtype, garray_t **out)
{
    struct garray__result r;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    st = garray__result_open(&r, out, dtype, x->ndim, x->shape, garray__device_of(x), GARRAY__IN_PLACE | GARRAY__CASTS, 1, &x);
    if (st != GARRAY_OK)
        return st;
    return garray__result_close(&r, garray__assign(r.target, x));
}

garray_status garray_astype(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_astype");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    const garray_t *into = garray__into(out);
    if (!into || into->dtype == (int)dtype || x->dtype == (int)dtype)
        return cast_into(x, dtype, out);
    garray_t *cast = NULL;              /* two casts: what the first one loses stays lost */
    st = garray__copy_as(x, dtype, &cast);
    return st == GARRAY_OK ? garray__result_assign(out, cast) : st;
}

garray_status garray_copy(const garray_t *x, garray_t **out)
{
    GARRAY_ENTER("garray_copy");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    return cast_into(x, x->dtype, out);
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
        st = to_device(x, dev, &result);
    return st == GARRAY_OK ? garray__result_assign(out, result) : st;
}

static garray_status begin_or_end(garray_t *x, garray_stream *stream, int access, bool begin)
{
    garray__device *device = garray__device_of(x);
    if (!garray__device_is_async(device))
        return GARRAY_OK;
    garray__uses uses;
    uses.device = device;
    uses.nread = access & GARRAY_WRITE ? 0 : 1;
    uses.nwrite = access & GARRAY_WRITE ? 1 : 0;
    uses.read[0] = uses.write[0] = x->buffer;
    const garray__queue *queue = stream ? &stream->queue : garray__queue_current(device);
    return begin ? garray__order_before(&uses, queue) : garray__order_after(&uses, queue);
}

garray_status garray_begin(garray_t *x, int access, garray_stream *stream, void **ptr)
{
    GARRAY_ENTER("garray_begin");
    GARRAY_REQUIRE(x && ptr, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(access >= GARRAY_READ && access <= (GARRAY_READ | GARRAY_WRITE), INVALID,
                   "access is %d; it must be GARRAY_READ, GARRAY_WRITE or both", access);
    GARRAY_REQUIRE(!(access & GARRAY_WRITE) || x->flags & GARRAY__WRITEABLE, READONLY, "the array is read-only");
    garray_status st = begin_or_end(x, stream, access, true);
    if (st != GARRAY_OK)
        return st;
    atomic_fetch_add_explicit(&x->buffer->exported, 1, memory_order_acq_rel);
    garray_retain(x);               /* alive until the end */
    *ptr = x->data;
    return GARRAY_OK;
}

garray_status garray_end(garray_t *x, garray_stream *stream)
{
    GARRAY_ENTER("garray_end");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(atomic_load_explicit(&x->buffer->exported, memory_order_acquire) > 0, INVALID,
                   "garray_begin() was not called for this array");
    /* what was begun is not remembered, so the end counts as a write, which orders everything after it */
    garray_status st = begin_or_end(x, stream, x->flags & GARRAY__WRITEABLE ? GARRAY_WRITE : GARRAY_READ, false);
    atomic_fetch_sub_explicit(&x->buffer->exported, 1, memory_order_acq_rel);
    garray_release(x);
    return st;
}
