/* SPDX-License-Identifier: BSD-3-Clause
 * Copies: assignment with a cast, contiguous copies, one item, and raw access between begin and end. */
#include <string.h>
#include "core/graph.h"
#include "core/layout.h"
#include "core/plan.h"
#include "core/report.h"
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

/* Whether the host may write the memory itself: no other work can be under way there, and nobody wants to know. */
static bool is_at_hand(const garray_t *x)
{
    const garray__device *device = garray__device_of(x);
    return device->id.type == GARRAY_DEVICE_CPU && !garray__device_is_async(device) && garray__watching() == 0
           && !garray__capturing(device);
}

garray_status garray__fill(garray_t *dst, const garray_operand *value)
{
    struct garray__ew_input in = { NULL, dst->dtype, { 0, 0 } };
    garray_graph *graph = value->flags & GARRAY_OPERAND_PARAMETER ? garray__capturing(garray__device_of(dst)) : NULL;
    garray_status st = graph ? garray__capture_word(graph, value, dst->dtype, false, &in.array)
                             : garray__scalar_bits(value, dst->dtype, in.bits);
    if (st != GARRAY_OK || dst->size == 0)
        return st;
    if (dst->size == 1 && is_at_hand(dst)) {        /* x[i] = number: a plan would take longer than all the rest */
        memcpy(dst->data, in.bits, (size_t)garray__size_of(dst->dtype));
        return GARRAY_OK;
    }
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

/* ---- public ---- */

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
    GARRAY_TRY(garray__not_captured(garray__device_of(x), "values are needed on the host that are not there yet"));
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
    GARRAY_TRY(garray__not_captured(garray__device_of(x), "a pointer is of use only where work runs"));
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
