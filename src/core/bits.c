/* SPDX-License-Identifier: BSD-3-Clause
 * packbits and unpackbits.  Eight elements of a byte each are one uint64 (the lowest byte first: all processors that
 * the library runs on), so that both are elementwise operations. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/numeric.h"

/* Where the elements go in a byte, and come from: see f_pack_bits() in formula_int.h. */
#define PACK_BIG UINT64_C(0x8040201008040201)
#define PACK_LITTLE UINT64_C(0x0102040810204080)
#define UNPACK_BIG UINT64_C(0x0102040810204080)
#define UNPACK_LITTLE UINT64_C(0x8040201008040201)

/* x with the axis last, a view; the whole array flattened (a copy if need be) if axis is below 0. */
static garray_status axis_last(const garray_t *x, int axis, garray_t **out)
{
    return axis < 0 ? garray__flat(x, out) : garray__move_axis(x, axis, x->ndim - 1, out);
}

/* The first `length` elements of the last axis. */
static garray_status cut(const garray_t *x, int64_t length, garray_t **out)
{
    return garray__part(x, x->ndim - 1, 0, length, out);
}

/* Bytes as uint64, eight of the last axis in one; the last axis is contiguous and a multiple of eight. */
static garray_status words(const garray_t *x, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    memcpy(strides, garray__strides(x), sizeof(int64_t) * (size_t)x->ndim);
    shape[x->ndim - 1] /= 8;
    strides[x->ndim - 1] = 8;
    return garray__view(x->buffer, x->data, GARRAY_UINT64, x->ndim, shape, strides, x->flags & GARRAY__WRITEABLE, out);
}

static garray_status check(const garray_t *x, garray_axes axis, garray_t **out, int *number)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    *number = -1;
    if (axis.n == 0 && !axis.v)
        return GARRAY_OK;
    GARRAY_REQUIRE(axis.n == 1 && axis.v, AXIS, "takes one axis or all, not %lld", (long long)axis.n);
    return garray__axis(axis.v[0], x->ndim, number);
}

/* A result's shape: that of x with another length along the axis. */
static int shape_of(const garray_t *x, int axis, int64_t length, int64_t shape[GARRAY_MAX_NDIM])
{
    if (axis < 0) {
        shape[0] = length;
        return 1;
    }
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[axis] = length;
    return x->ndim;
}

/* x, its axis last, as rows of bytes that words() takes: itself, or a copy filled up with zeros. */
static garray_status open_rows(const garray_t *x, int64_t length, garray_t **rows)
{
    int64_t shape[GARRAY_MAX_NDIM], n = x->shape[x->ndim - 1];
    garray_t *part = NULL;
    garray_operand zero = garray_operand_int(0);
    garray_status st = GARRAY_OK;
    if (garray__size_of(x->dtype) == 1 && n == 8 * length && garray__strides(x)[x->ndim - 1] == 1) {
        *rows = garray__share(x);
        return GARRAY_OK;
    }
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    shape[x->ndim - 1] = 8 * length;
    GARRAY__TRY(garray__new(GARRAY_BOOL, x->ndim, shape, garray__device_of(x), rows));
    if (n != 8 * length)
        GARRAY__TRY(garray__fill(*rows, &zero));
    GARRAY__TRY(cut(*rows, n, &part));
    st = garray__assign(part, x);
done:
    garray_release(part);
    return st;
}

garray_status garray_packbits(const garray_t *x, garray_axes axes, const garray_bits_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_packbits");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    int axis, ndim;
    int64_t shape[GARRAY_MAX_NDIM];
    garray_t *last = NULL, *rows = NULL, *eights = NULL, *target = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_operand in[2];
    garray_status st = check(x, axes, out, &axis);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(garray__kind_of(x->dtype) <= GARRAY__K_UINT, DTYPE, "needs an array of integers or bools, not %s",
                   garray__name_of(x->dtype));
    GARRAY_REQUIRE(!opts || opts->count.kind == GARRAY_OPERAND_NONE, INVALID, "takes no count");
    int64_t n = axis < 0 ? x->size : x->shape[axis], length = n / 8 + (n % 8 != 0);
    ndim = shape_of(x, axis, length, shape);
    GARRAY__TRY(garray__result_open(&r, out, GARRAY_UINT8, ndim, shape, garray__device_of(x), 0, 1, &x));
    if (r.target->size > 0) {
        GARRAY__TRY(axis_last(x, axis, &last));
        GARRAY__TRY(open_rows(last, length, &rows));
        GARRAY__TRY(words(rows, &eights));
        GARRAY__TRY(axis_last(r.target, axis, &target));
        in[0] = garray_operand_array(eights);
        in[1] = garray_operand_uint(opts && opts->little ? PACK_LITTLE : PACK_BIG);
        st = garray__elementwise(GARRAY__OP_pack_bits, 2, in, GARRAY_UINT64, garray_into(target));
    }
done:
    garray_release(last);
    garray_release(rows);
    garray_release(eights);
    garray_release(target);
    return r.target ? garray__result_close(&r, st) : st;
}

/* The bits of bytes, whose axis is last, into target, whose last axis is contiguous and eight times as long. */
static garray_status unpack(const garray_t *bytes, bool little, const garray_t *target)
{
    garray_t *eights = NULL;
    garray_operand in[2] = { garray_operand_array(bytes), garray_operand_uint(little ? UNPACK_LITTLE : UNPACK_BIG) };
    garray_status st = words(target, &eights);
    if (st == GARRAY_OK)
        st = garray__elementwise(GARRAY__OP_unpack_bits, 2, in, GARRAY_UINT64, garray_into(eights));
    garray_release(eights);
    return st;
}

/* How many bits are wanted of 8 * n. */
static garray_status wanted(const garray_bits_opts *opts, int64_t n, int64_t *count)
{
    uint64_t bits[2];
    *count = 8 * n;
    if (!opts || opts->count.kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(&opts->count, "count", GARRAY__INTEGER));
    garray_status st = garray__scalar_bits(&opts->count, GARRAY_INT64, bits);
    if (st != GARRAY_OK)
        return st;
    int64_t given = (int64_t)bits[0];
    GARRAY_REQUIRE(given >= -8 * n, INVALID, "-count %lld is larger than the number of bits, %lld", (long long)given,
                   (long long)(8 * n));
    *count = given < 0 ? 8 * n + given : given;
    return GARRAY_OK;
}

garray_status garray_unpackbits(const garray_t *x, garray_axes axes, const garray_bits_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_unpackbits");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    int axis, ndim;
    int64_t shape[GARRAY_MAX_NDIM], count;
    garray_t *last = NULL, *bytes = NULL, *target = NULL, *all = NULL, *part = NULL, *head = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_operand zero = garray_operand_int(0);
    garray_status st = check(x, axes, out, &axis);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->dtype == GARRAY_UINT8, DTYPE, "needs an array of uint8, not %s", garray__name_of(x->dtype));
    int64_t n = axis < 0 ? x->size : x->shape[axis];
    GARRAY_REQUIRE(n <= INT64_MAX / 8, SHAPE, "the result would be too large");
    st = wanted(opts, n, &count);
    if (st != GARRAY_OK)
        return st;
    bool little = opts && opts->little;
    ndim = shape_of(x, axis, count, shape);
    GARRAY__TRY(garray__result_open(&r, out, GARRAY_UINT8, ndim, shape, garray__device_of(x), 0, 1, &x));
    if (r.target->size == 0)
        goto done;
    GARRAY__TRY(axis_last(x, axis, &last));
    GARRAY__TRY(axis_last(r.target, axis, &target));
    int64_t used = count < 8 * n ? (count + 7) / 8 : n, bits = count < 8 * n ? count : 8 * n;
    GARRAY__TRY(cut(last, used, &bytes));
    if (count == 8 * n && garray__strides(target)[target->ndim - 1] == 1) {
        st = unpack(bytes, little, target);
        goto done;
    }
    /* Elsewhere first: the bits go in eights, and as rows. */
    memcpy(shape, bytes->shape, sizeof(int64_t) * (size_t)bytes->ndim);
    shape[bytes->ndim - 1] = 8 * used;
    GARRAY__TRY(garray__new(GARRAY_UINT8, bytes->ndim, shape, garray__device_of(x), &all));
    if (all->size > 0)
        GARRAY__TRY(unpack(bytes, little, all));
    if (count > bits)
        GARRAY__TRY(garray__fill(target, &zero));
    GARRAY__TRY(cut(all, bits, &part));
    GARRAY__TRY(cut(target, bits, &head));
    st = garray__assign(head, part);
done:
    garray_release(last);
    garray_release(bytes);
    garray_release(target);
    garray_release(all);
    garray_release(part);
    garray_release(head);
    return r.target ? garray__result_close(&r, st) : st;
}
