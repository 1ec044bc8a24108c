/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as a caller needs them: asarray and its relatives, which copy only where they must; and arrays over memory of the
 * caller. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/transfer.h"
#include "garray/array.h"
#include "garray/shape.h"

/* A copy cast to a dtype, the first axis fastest for order 'F'. */
static garray_status ordered_copy(const garray_t *x, int dtype, int order, garray_t **out)
{
    struct garray__layout l;
    garray_t *reversed = NULL, *copy = NULL;
    int from[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    if (order != 'F')
        return garray__copy_as(x, dtype, out);
    for (int i = 0; i < x->ndim; i++)
        from[i] = x->ndim - 1 - i;
    garray__layout_of(x, &l);
    garray__layout_permute(&l, from);
    GARRAY__TRY(garray__layout_view(x, &l, false, &reversed));
    GARRAY__TRY(garray__copy_as(reversed, dtype, &copy));
    garray__layout_of(copy, &l);
    garray__layout_permute(&l, from);
    st = garray__layout_view(copy, &l, true, out);
done:
    garray_release(reversed);
    garray_release(copy);
    return st;
}

static bool has_order(const garray_t *x, int order)
{
    return order == 'C' ? x->flags & GARRAY__CONTIGUOUS : order == 'F' ? garray__column_major(x) : true;
}

/* x itself, or a copy where dtype and order ask for one. */
static garray_status arranged(const garray_t *x, int dtype, int order, garray_copy_mode copy, garray_t **out)
{
    bool needed = x->dtype != dtype || !has_order(x, order);
    GARRAY_REQUIRE(!needed || copy != GARRAY_COPY_NEVER, UNSUPPORTED, "unable to avoid copy while creating an array as requested");
    if (needed || copy == GARRAY_COPY_ALWAYS)
        return ordered_copy(x, dtype, order, out);
    *out = garray__share(x);
    return GARRAY_OK;
}

static garray_status check_order(int order)
{
    GARRAY_REQUIRE(order == 0 || order == 'C' || order == 'F', INVALID, "order must be 'C', 'F' or 0");
    return GARRAY_OK;
}

garray_status (garray_asarray)(garray_operand x, const garray_asarray_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_asarray");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_asarray_opts defaults;
    const garray_asarray_opts *o = opts ? opts : &defaults;
    garray_t *given = NULL, *moved = NULL, *result = NULL;
    garray__device *dev = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__operand_check(&x, "x");
    if (st == GARRAY_OK)
        st = check_order(o->order);
    if (st == GARRAY_OK && o->has_device)
        st = garray__device_get(o->device, &dev);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!o->dtype || garray__is_dtype(o->dtype), DTYPE, "%d is not a dtype", (int)o->dtype);
    GARRAY_REQUIRE(o->copy >= GARRAY_COPY_IF_NEEDED && o->copy <= GARRAY_COPY_NEVER, INVALID,
                   "copy is %d, which is no garray_copy_mode", (int)o->copy);
    if (x.kind != GARRAY_OPERAND_ARRAY) {
        GARRAY_REQUIRE(dev, INVALID, "a number needs a device");
        GARRAY_REQUIRE(o->copy != GARRAY_COPY_NEVER, UNSUPPORTED, "unable to avoid copy while creating an array as requested");
        GARRAY__TRY(garray__new(o->dtype ? (int)o->dtype : garray__common_dtype(1, &x), 0, NULL, dev, &result));
        GARRAY__TRY(garray__fill(result, &x));
    } else {
        GARRAY_REQUIRE(o->copy != GARRAY_COPY_NEVER || !(x.flags & GARRAY_OPERAND_CONJUGATE) ||
                           garray__kind_of(x.array->dtype) != GARRAY__K_COMPLEX,
                       UNSUPPORTED, "a conjugate operand is computed: unable to avoid copy");
        GARRAY__TRY(garray__operand_array(&x, &given));
        if (dev && dev != garray__device_of(given)) {
            GARRAY__CHECK(o->copy != GARRAY_COPY_NEVER, UNSUPPORTED, "the array is on another device: unable to avoid copy");
            GARRAY__TRY(garray__to_device_as(given, o->dtype ? (int)o->dtype : given->dtype, dev, &moved));
        }
        GARRAY__TRY(arranged(moved ? moved : given, o->dtype ? (int)o->dtype : given->dtype, o->order,
                             moved ? GARRAY_COPY_IF_NEEDED : o->copy, &result));
    }
    st = garray__result_assign(out, result);
    result = NULL;
done:
    garray_release(given);
    garray_release(moved);
    garray_release(result);
    return st;
}

garray_status garray_array(const garray_t *x, const garray_array_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_array");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_array_opts defaults;
    const garray_array_opts *o = opts ? opts : &defaults;
    garray_t *made = NULL, *wide = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_order(o->order);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!o->dtype || garray__is_dtype(o->dtype), DTYPE, "%d is not a dtype", (int)o->dtype);
    GARRAY_REQUIRE(o->ndmin >= 0 && o->ndmin <= GARRAY_MAX_NDIM, SHAPE, "ndmin is %d; at most %d axes are allowed", o->ndmin,
                   GARRAY_MAX_NDIM);
    GARRAY__TRY(arranged(x, o->dtype ? (int)o->dtype : x->dtype, o->order,
                         o->no_copy ? GARRAY_COPY_IF_NEEDED : GARRAY_COPY_ALWAYS, &made));
    if (made->ndim < o->ndmin) {
        struct garray__layout l;
        garray__layout_of(made, &l);
        int added = o->ndmin - made->ndim;
        memmove(l.shape + added, l.shape, sizeof shape - sizeof(int64_t) * (size_t)added);
        memmove(l.strides + added, l.strides, sizeof shape - sizeof(int64_t) * (size_t)added);
        for (int i = 0; i < added; i++) {
            l.shape[i] = 1;
            l.strides[i] = garray__size_of(made->dtype);
        }
        l.ndim = o->ndmin;
        GARRAY__TRY(garray__layout_view(made, &l, made->flags & GARRAY__WRITEABLE, &wide));
        garray_release(made);
        made = wide;
    }
    st = garray__result_assign(out, made);
    made = NULL;
done:
    garray_release(made);
    return st;
}

static garray_status in_order(const garray_t *x, garray_dtype dtype, int order, garray_t **out)
{
    garray_t *made, *line = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!dtype || garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    st = garray_atleast_1d(x, &line);
    if (st == GARRAY_OK)
        st = arranged(x->ndim ? x : line, dtype ? (int)dtype : x->dtype, order, GARRAY_COPY_IF_NEEDED, &made);
    garray_release(line);
    return st == GARRAY_OK ? garray__result_assign(out, made) : st;
}

garray_status garray_ascontiguousarray(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_ascontiguousarray");
    return in_order(x, dtype, 'C', out);
}

garray_status garray_asfortranarray(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_asfortranarray");
    return in_order(x, dtype, 'F', out);
}

garray_status garray_require(const garray_t *x, garray_dtype dtype, int flags, garray_t **out)
{
    GARRAY_ENTER("garray_require");
    garray_t *made = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!dtype || garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY_REQUIRE(flags >= 0 && flags < 32, INVALID, "flags %d are not known", flags);
    GARRAY_REQUIRE(!(flags & GARRAY_FLAG_C_CONTIGUOUS && flags & GARRAY_FLAG_F_CONTIGUOUS), INVALID,
                   "cannot specify both C and Fortran order");
    bool fits = (!dtype || (int)dtype == x->dtype) && (garray_flags(x) & flags) == flags;
    if (fits)
        made = garray__share(x);
    else
        st = ordered_copy(x, dtype ? (int)dtype : x->dtype, flags & GARRAY_FLAG_F_CONTIGUOUS ? 'F' : 'C', &made);
    return st == GARRAY_OK ? garray__result_assign(out, made) : st;
}

garray_status garray_asarray_chkfinite(const garray_t *x, garray_dtype dtype, garray_t **out)
{
    GARRAY_ENTER("garray_asarray_chkfinite");
    garray_t *made = NULL, *finite = NULL;
    bool all = true;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!dtype || garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY__TRY(arranged(x, dtype ? (int)dtype : x->dtype, 0, GARRAY_COPY_IF_NEEDED, &made));
    if (garray__kind_of(made->dtype) >= GARRAY__K_FLOAT && made->size > 0) {
        GARRAY__TRY(garray__unary(GARRAY_OP_isfinite, GARRAY__ARR(made), &finite));
        GARRAY__TRY(garray__is_all(finite, &all));
    }
    GARRAY__CHECK(all, INVALID, "array must not contain infs or NaNs");
    st = garray__result_assign(out, made);
    made = NULL;
done:
    garray_release(made);
    garray_release(finite);
    return st;
}

/* ---- memory of the caller ---- */

garray_status garray_frombuffer(void *data, size_t size, garray_dtype dtype, const garray_frombuffer_opts *opts,
                                void (*release)(void *ctx), void *ctx, garray_t **out)
{
    GARRAY_ENTER("garray_frombuffer");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray__device *cpu;
    garray__buffer *buffer;
    garray_t *view = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    dtype = dtype ? dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", (int)dtype);
    GARRAY_REQUIRE(data || size == 0, INVALID, "data is NULL");
    GARRAY_REQUIRE(!garray__into(out), INVALID, "the result refers to the caller's memory: garray_into() cannot take it");
    int64_t item = garray__size_of(dtype), offset = opts ? opts->offset : 0, count = -1;
    GARRAY_REQUIRE(offset >= 0 && (uint64_t)offset <= size && size <= INT64_MAX, INVALID,
                   "offset must be non-negative and no greater than buffer length (%zu)", size);
    if (opts && opts->count.kind != GARRAY_OPERAND_NONE) {
        uint64_t bits[2];
        GARRAY_TRY(garray__option_check(&opts->count, "count", GARRAY__INTEGER));
        st = garray__scalar_bits(&opts->count, GARRAY_INT64, bits);
        if (st != GARRAY_OK)
            return st;
        count = (int64_t)bits[0];
    }
    int64_t bytes = (int64_t)size - offset;
    if (count < 0) {
        GARRAY_REQUIRE(bytes % item == 0, INVALID, "buffer size must be a multiple of element size");
        count = bytes / item;
    }
    GARRAY_REQUIRE(count <= bytes / item, INVALID, "buffer is smaller than requested size");
    static char nothing;            /* an address for no bytes */
    st = garray__device_get(GARRAY_CPU, &cpu);
    if (st == GARRAY_OK)
        st = garray__buffer_wrap(cpu, data ? data : &nothing, size, NULL, NULL, &buffer);
    if (st != GARRAY_OK)
        return st;
    st = garray__view(buffer, (char *)buffer->data + offset, dtype, 1, &count, &item, !(opts && opts->readonly), &view);
    if (st == GARRAY_OK) {          /* from here on the memory is given back by its release function */
        buffer->foreign_free = release;
        buffer->foreign_ctx = ctx;
    }
    garray__buffer_release(buffer);
    return st == GARRAY_OK ? garray__result_assign(out, view) : st;
}
