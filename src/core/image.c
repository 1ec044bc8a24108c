/* SPDX-License-Identifier: BSD-3-Clause
 * Filters of images, as scipy.ndimage has them: windows along one axis after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/window.h"
#include "garray/image.h"
#include "garray/math.h"
#include "garray/rearrange.h"
#include "garray/shape.h"

static int pad_mode(int boundary)
{
    switch (boundary) {
    case GARRAY_BOUNDARY_FILL: return GARRAY_PAD_CONSTANT;
    case GARRAY_BOUNDARY_WRAP: return GARRAY_PAD_WRAP;
    case GARRAY_BOUNDARY_REFLECT: return GARRAY_PAD_REFLECT;
    case GARRAY_BOUNDARY_NEAREST: return GARRAY_PAD_EDGE;
    default: return GARRAY_PAD_SYMMETRIC;
    }
}

/* x with what a window of n items, `before` of them in front, reaches along an axis. */
static garray_status add_border(const garray_t *x, int axis, int64_t before, int64_t n, const garray_image_opts *opts,
                                garray_t **out)
{
    int64_t widths[2 * GARRAY_MAX_NDIM] = { 0 };
    widths[2 * axis] = before;
    widths[2 * axis + 1] = n - 1 - before;
    const garray_pad_opts pad = { .mode = (garray_pad_mode)pad_mode(opts ? (int)opts->boundary : 0),
                                  .values = opts && opts->boundary == GARRAY_BOUNDARY_FILL ? opts->fill : (garray_operand){ 0 } };
    return garray_pad(x, (garray_shape){ 2 * x->ndim, widths }, &pad, out);
}

/* The sums of windows of n weights along one axis; *out may be x.  The weights are of a dtype that casts to x's: -1 becomes
 * the largest unsigned integer only if it comes from an integer. */
static garray_status weighted(const garray_t *x, int axis, int64_t n, const void *values, int dtype,
                              const garray_image_opts *opts, garray_t **out)
{
    garray_t *wide = NULL, *weights = NULL, *cast = NULL, *y = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    const int64_t origin[GARRAY_MAX_NDIM] = { 0 };
    garray_status st = GARRAY_OK;
    for (int i = 0; i < x->ndim; i++)
        shape[i] = i == axis ? n : 1;
    GARRAY__TRY(
        garray_from_host(values, (garray_dtype)dtype, (garray_shape){ x->ndim, shape }, NULL, garray_device_of(x), &weights));
    GARRAY__TRY(garray__contiguous(weights, x->dtype, &cast));
    GARRAY__TRY(add_border(x, axis, n / 2, n, opts, &wide));
    GARRAY__TRY(garray__new(x->dtype, x->ndim, x->shape, garray__device_of(x), &y));
    GARRAY__TRY(garray__window_sum(wide, cast, origin, y));
    st = garray__result_assign(out, y);
    y = NULL;
done:
    garray_release(wide);
    garray_release(weights);
    garray_release(cast);
    garray_release(y);
    return st;
}

static garray_status check(const garray_t *x, const garray_image_opts *opts, garray_t **out)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (!opts)
        return GARRAY_OK;
    GARRAY_REQUIRE(opts->boundary <= GARRAY_BOUNDARY_NEAREST, INVALID, "boundary %d is not known", (int)opts->boundary);
    GARRAY_REQUIRE(opts->fill.kind == GARRAY_OPERAND_NONE || opts->boundary == GARRAY_BOUNDARY_FILL, INVALID,
                   "fill belongs to the boundary of that name");
    GARRAY_TRY(garray__option_check(&opts->fill, "fill", GARRAY__NUMBER));
    GARRAY_REQUIRE(opts->truncate >= 0 && opts->truncate < 1e6, INVALID, "truncate must not be negative");
    return GARRAY_OK;
}

/* What sums are kept in between axes: floats as they are, all else in float64. */
static int sum_dtype(int dtype)
{
    return garray__kind_of(dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64 : dtype;
}

/* ---- gaussian_filter ---- */

/* exp(-k^2 / (2 sigma^2)) for k from -radius to radius, with sum 1. */
static double *bell(double sigma, int64_t radius)
{
    double *w = malloc((size_t)(2 * radius + 1) * sizeof *w), sum = 0;
    if (!w)
        return NULL;
    for (int64_t k = -radius; k <= radius; k++)
        sum += w[k + radius] = exp(-0.5 / (sigma * sigma) * (double)(k * k));
    for (int64_t k = 0; k <= 2 * radius; k++)
        w[k] /= sum;
    return w;
}

garray_status garray_gaussian_filter(const garray_t *x, int nsigma, const double *sigma, const garray_image_opts *opts,
                                     garray_t **out)
{
    GARRAY_ENTER("garray_gaussian_filter");
    garray_t *y = NULL;
    garray_status st = check(x, opts, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(sigma && (nsigma == 1 || nsigma == x->ndim), SHAPE, "sigma has %d numbers, x %d axes", nsigma, x->ndim);
    const double truncate = opts && opts->truncate > 0 ? opts->truncate : 4;
    for (int i = 0; i < nsigma; i++)
        GARRAY_REQUIRE(sigma[i] >= 0 && sigma[i] * truncate < 1e9, INVALID, "sigma must not be negative, nor too large");
    GARRAY__TRY(garray__as(x, sum_dtype(x->dtype), &y));
    for (int axis = 0; axis < x->ndim && x->size > 0; axis++) {
        const double s = sigma[nsigma == 1 ? 0 : axis];
        const int64_t radius = (int64_t)(truncate * s + 0.5);
        if (s <= 1e-15)
            continue;
        double *w = bell(s, radius);
        GARRAY__CHECK(w, NOMEM, "no memory for %lld weights", (long long)(2 * radius + 1));
        st = weighted(y, axis, 2 * radius + 1, w, GARRAY_FLOAT64, opts, &y);
        free(w);
        if (st != GARRAY_OK)
            goto done;
    }
    st = garray_astype(y, (garray_dtype)x->dtype, out);
done:
    garray_release(y);
    return st;
}

/* ---- sobel ---- */

garray_status garray_sobel(const garray_t *x, int axis, const garray_image_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_sobel");
    static const int64_t slope[3] = { -1, 0, 1 }, smooth[3] = { 1, 2, 1 };
    garray_t *y = NULL;
    garray_status st = check(x, opts, out);
    if (st == GARRAY_OK)
        st = garray__axis(axis, x->ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->dtype != GARRAY_BOOL, DTYPE, "sobel takes numbers, not bool");
    y = garray__share(x);
    for (int i = 0; i < x->ndim && x->size > 0; i++) {
        const int at = i == 0 ? axis : i <= axis ? i - 1 : i;
        GARRAY__TRY(weighted(y, at, 3, i == 0 ? slope : smooth, GARRAY_INT64, opts, &y));
    }
    st = garray_astype(y, (garray_dtype)x->dtype, out);
done:
    garray_release(y);
    return st;
}

/* ---- extrema ---- */

static garray_status extremum(const garray_t *x, garray_shape size, bool largest, const garray_image_opts *opts, garray_t **out)
{
    garray_t *y = NULL, *wide = NULL, *next = NULL;
    const int64_t origin[GARRAY_MAX_NDIM] = { 0 };
    int64_t window[GARRAY_MAX_NDIM];
    garray_status st = check(x, opts, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->dtype != GARRAY_BOOL && garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE, "dtype %s is not supported",
                   garray__name_of(x->dtype));
    GARRAY_REQUIRE(size.v && (size.n == 1 || size.n == x->ndim), SHAPE, "size has %lld lengths, x %d axes", (long long)size.n,
                   x->ndim);
    for (int64_t i = 0; i < size.n; i++)
        GARRAY_REQUIRE(size.v[i] > 0 && size.v[i] < (int64_t)1 << 31, INVALID, "a window has at least one item");
    y = garray__share(x);
    for (int axis = 0; axis < x->ndim && x->size > 0; axis++) {
        const int64_t n = size.v[size.n == 1 ? 0 : axis];
        if (n == 1)
            continue;
        GARRAY__TRY(add_border(y, axis, n / 2, n, opts, &wide));
        for (int i = 0; i < x->ndim; i++)
            window[i] = i == axis ? n : 1;
        GARRAY__TRY(garray__new(x->dtype, x->ndim, x->shape, garray__device_of(x), &next));
        GARRAY__TRY(garray__window_rank(wide, window, origin, largest ? n - 1 : 0, next));
        garray_release(y);
        y = next;
        next = NULL;
    }
    st = garray_astype(y, (garray_dtype)x->dtype, out);
done:
    garray_release(y);
    garray_release(wide);
    garray_release(next);
    return st;
}

garray_status garray_maximum_filter(const garray_t *x, garray_shape size, const garray_image_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_maximum_filter");
    return extremum(x, size, true, opts, out);
}

garray_status garray_minimum_filter(const garray_t *x, garray_shape size, const garray_image_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_minimum_filter");
    return extremum(x, size, false, opts, out);
}

/* ---- erosion and dilation ---- */

/* What is above (or below) all elements of a dtype. */
static garray_operand beyond(int dtype, bool above)
{
    const int bits = 8 * garray__size_of(dtype);
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL: return garray_operand_bool(above);
    case GARRAY__K_UINT: return garray_operand_uint(above ? UINT64_MAX >> (64 - bits) : 0);
    case GARRAY__K_SINT: return garray_operand_int(above ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits));
    default: return garray_operand_double(above ? INFINITY : -INFINITY);
    }
}

/* The part of x with its border that lies under place k of the window, and that place of the mask. */
static garray_status under(const garray_t *wide, const garray_t *x, const garray_t *mask, const int64_t *k, bool turned,
                           garray_t **part, garray_t **bit)
{
    const char *data = wide->data, *place = mask->data;
    for (int i = 0; i < x->ndim; i++) {
        data += k[i] * garray__strides(wide)[i];
        place += (turned ? mask->shape[i] - 1 - k[i] : k[i]) * garray__strides(mask)[i];
    }
    garray_status st =
        garray__view(wide->buffer, (char *)data, wide->dtype, x->ndim, x->shape, garray__strides(wide), false, part);
    return st == GARRAY_OK ? garray__view(mask->buffer, (char *)place, GARRAY_BOOL, 0, NULL, NULL, false, bit) : st;
}

static garray_status morphology(const garray_t *x, const garray_t *mask, bool grows, const garray_image_opts *opts,
                                garray_t **out)
{
    garray_t *flags = NULL, *wide = NULL, *part = NULL, *bit = NULL, *term = NULL, *total = NULL;
    int64_t k[GARRAY_MAX_NDIM] = { 0 };
    garray_status st = check(x, opts, out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(mask, INVALID, "mask is NULL");
    GARRAY__TRY(garray__same_device(garray__device_of(x), mask));
    GARRAY_REQUIRE(garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE, "dtype %s is not supported", garray__name_of(x->dtype));
    GARRAY_REQUIRE(mask->ndim == x->ndim && mask->size > 0, SHAPE, "mask must have elements and %d axes, as x has; it has %d",
                   x->ndim, mask->ndim);
    GARRAY__TRY(garray__contiguous(mask, GARRAY_BOOL, &flags));
    wide = garray__share(x);
    for (int axis = 0; axis < x->ndim && x->size > 0; axis++) {
        const int64_t n = mask->shape[axis];
        if (n == 1)
            continue;
        GARRAY__TRY(add_border(wide, axis, grows ? (n - 1) / 2 : n / 2, n, opts, &wide));
    }
    for (int64_t i = 0; i < mask->size && x->size > 0; i++) {
        GARRAY__TRY(under(wide, x, flags, k, grows, &part, &bit));
        GARRAY__TRY(garray__choose(bit, GARRAY__ARR(part), beyond(x->dtype, !grows), &term));
        garray_release(part);
        garray_release(bit);
        part = bit = NULL;
        if (total)
            GARRAY__TRY(
                garray__binary(grows ? GARRAY_OP_maximum : GARRAY_OP_minimum, GARRAY__ARR(total), GARRAY__ARR(term), 0, &total));
        else
            total = garray_retain(term);
        for (int d = x->ndim - 1; d >= 0; d--) {
            if (++k[d] < mask->shape[d])
                break;
            k[d] = 0;
        }
    }
    st = total ? garray__result_assign(out, garray_retain(total)) : garray_astype(x, (garray_dtype)x->dtype, out);
done:
    garray_release(flags);
    garray_release(wide);
    garray_release(part);
    garray_release(bit);
    garray_release(term);
    garray_release(total);
    return st;
}

garray_status garray_dilation(const garray_t *x, const garray_t *mask, const garray_image_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_dilation");
    return morphology(x, mask, true, opts, out);
}

garray_status garray_erosion(const garray_t *x, const garray_t *mask, const garray_image_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_erosion");
    return morphology(x, mask, false, opts, out);
}
