/* SPDX-License-Identifier: BSD-3-Clause
 * Convolutions of neural networks: the windows of some items of the batch are laid out as columns, which the weights
 * multiply as a matrix. */
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/linalg.h"
#include "garray/rearrange.h"
#include "garray/shape.h"
#include "garray/signal.h"

enum { AXES = 3, TOGETHER = 1 << 28 };      /* TOGETHER: bytes of columns at once, about */

typedef struct conv {
    int naxes, dtype;
    int64_t batch, groups, in_each, out_each;           /* channels of a group */
    int64_t kernel[AXES], stride[AXES], dilation[AXES], padding[AXES], out[AXES];
    int64_t taps, places;                               /* products of kernel and out */
} conv;

static garray_status check_arrays(const garray_t *x, const garray_t *w, int naxes)
{
    GARRAY_REQUIRE(x && w, INVALID, "an array is NULL");
    garray_status st = garray__same_device(garray__device_of(x), w);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->ndim == naxes + 2 && w->ndim == naxes + 2, SHAPE, "x and w must have %d axes, not %d and %d", naxes + 2,
                   x->ndim, w->ndim);
    return GARRAY_OK;
}

static garray_status open_conv(conv *c, const garray_t *x, const garray_t *w, int naxes, const garray_conv_opts *opts)
{
    static const garray_conv_opts usual = { .groups = 0 };
    char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
    const garray_conv_opts *o = opts ? opts : &usual;
    c->naxes = naxes;
    c->dtype = garray__promote(x->dtype, w->dtype);
    c->batch = x->shape[0];
    c->groups = o->groups ? o->groups : 1;
    GARRAY_REQUIRE(c->groups > 0 && x->shape[1] % c->groups == 0 && w->shape[0] % c->groups == 0 &&
                       w->shape[1] * c->groups == x->shape[1],
                   SHAPE, "shapes %s of x and %s of w do not fit %lld groups", garray__shape_text(x->ndim, x->shape, a),
                   garray__shape_text(w->ndim, w->shape, b), (long long)c->groups);
    c->in_each = w->shape[1];
    c->out_each = w->shape[0] / c->groups;
    c->taps = c->places = 1;
    for (int i = 0; i < naxes; i++) {
        int64_t reach, length;
        c->kernel[i] = w->shape[2 + i];
        c->stride[i] = o->stride[i] ? o->stride[i] : 1;
        c->dilation[i] = o->dilation[i] ? o->dilation[i] : 1;
        c->padding[i] = o->padding[i];
        GARRAY_REQUIRE(c->stride[i] > 0 && c->dilation[i] > 0 && c->padding[i] >= 0, INVALID,
                       "stride and dilation must be positive, padding not negative");
        GARRAY_REQUIRE(c->kernel[i] > 0, SHAPE, "w has no items along axis %d", 2 + i);
        GARRAY_REQUIRE(!__builtin_mul_overflow(c->kernel[i] - 1, c->dilation[i], &reach) &&
                           !__builtin_mul_overflow(c->padding[i], 2, &length) &&
                           !__builtin_add_overflow(length, x->shape[2 + i], &length) && reach < length,
                       SHAPE, "w is longer than x with its padding along axis %d", 2 + i);
        c->out[i] = (length - reach - 1) / c->stride[i] + 1;
        c->taps *= c->kernel[i];
        c->places *= c->out[i];
    }
    return GARRAY_OK;
}

/* x with zeros around it, in the dtype of the result. */
static garray_status add_padding(const conv *c, const garray_t *x, garray_t **out)
{
    garray_t *cast = NULL;
    int64_t widths[2 * (AXES + 2)] = { 0 };
    bool any = false;
    for (int i = 0; i < c->naxes; i++) {
        widths[2 * (2 + i)] = widths[2 * (2 + i) + 1] = c->padding[i];
        any = any || c->padding[i];
    }
    garray_status st = garray__as(x, c->dtype, &cast);
    if (st == GARRAY_OK && any)
        st = garray_pad(cast, (garray_shape){ 2 * x->ndim, widths }, NULL, out);
    else if (st == GARRAY_OK)
        *out = garray_retain(cast);
    garray_release(cast);
    return st;
}

/* The columns of `n` items from `first` on: n x groups x (channels and window) x places. */
static garray_status lay_out(const conv *c, const garray_t *x, int64_t first, int64_t n, garray_t **out)
{
    garray_t *view = NULL;
    int64_t shape[3 + 2 * AXES], strides[3 + 2 * AXES];
    const int64_t *step = garray__strides(x);
    const int64_t matrix[4] = { n, c->groups, c->in_each * c->taps, c->places };
    shape[0] = n;
    strides[0] = step[0];
    shape[1] = c->groups;
    strides[1] = step[1] * c->in_each;
    shape[2] = c->in_each;
    strides[2] = step[1];
    for (int i = 0; i < c->naxes; i++) {
        shape[3 + i] = c->kernel[i];
        strides[3 + i] = step[2 + i] * c->dilation[i];
        shape[3 + c->naxes + i] = c->out[i];
        strides[3 + c->naxes + i] = step[2 + i] * c->stride[i];
    }
    garray_status st =
        garray__view(x->buffer, x->data + first * step[0], x->dtype, 3 + 2 * c->naxes, shape, strides, false, &view);
    if (st == GARRAY_OK)
        st = garray_reshape(view, (garray_shape){ 4, matrix }, out);
    garray_release(view);
    return st;
}

/* y: batch x groups x channels x places. */
static garray_status multiply(const conv *c, const garray_t *x, const garray_t *w, garray_t *y)
{
    const double each = (double)c->groups * (double)c->in_each * (double)c->taps * (double)c->places * garray__size_of(c->dtype);
    int64_t together = each > 0 ? (int64_t)(TOGETHER / each) : c->batch;
    garray_status st = GARRAY_OK;
    together = together < 1 ? 1 : together;
    for (int64_t i = 0; i < c->batch && st == GARRAY_OK; i += together) {
        const int64_t n = c->batch - i < together ? c->batch - i : together;
        garray_t *columns = NULL, *part = NULL;
        st = lay_out(c, x, i, n, &columns);
        if (st == GARRAY_OK)
            st = garray__part(y, 0, i, n, &part);
        if (st == GARRAY_OK)
            st = (garray_matmul)(GARRAY__ARR(w), GARRAY__ARR(columns), garray_into(part));
        garray_release(columns);
        garray_release(part);
    }
    return st;
}

static garray_status run(const garray_t *x, const garray_t *w, int naxes, const garray_conv_opts *opts, garray_t **out)
{
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    conv c = { .naxes = naxes };
    garray_t *padded = NULL, *weights = NULL, *flat = NULL, *y = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_arrays(x, w, naxes);
    if (st == GARRAY_OK)
        st = open_conv(&c, x, w, naxes, opts);
    if (st != GARRAY_OK)
        return st;
    const int64_t matrix[3] = { c.groups, c.out_each, c.in_each * c.taps };
    const int64_t parts[4] = { c.batch, c.groups, c.out_each, c.places };
    int64_t shape[2 + AXES] = { c.batch, c.groups * c.out_each };
    for (int i = 0; i < naxes; i++)
        shape[2 + i] = c.out[i];
    GARRAY__TRY(add_padding(&c, x, &padded));
    GARRAY__TRY(garray__contiguous(w, c.dtype, &weights));
    GARRAY__TRY(garray_reshape(weights, (garray_shape){ 3, matrix }, &flat));
    GARRAY__TRY(garray__new(c.dtype, 4, parts, garray__device_of(x), &y));
    if (y->size > 0)
        GARRAY__TRY(multiply(&c, padded, flat, y));
    GARRAY__TRY(garray_reshape(y, (garray_shape){ 2 + naxes, shape }, &y));
    st = garray__result_assign(out, garray_retain(y));
done:
    garray_release(padded);
    garray_release(weights);
    garray_release(flat);
    garray_release(y);
    return st;
}

garray_status garray_conv1d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_conv1d");
    return run(x, w, 1, opts, out);
}

garray_status garray_conv2d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_conv2d");
    return run(x, w, 2, opts, out);
}

garray_status garray_conv3d(const garray_t *x, const garray_t *w, const garray_conv_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_conv3d");
    return run(x, w, 3, opts, out);
}
