/* SPDX-License-Identifier: BSD-3-Clause
 * What goes with transforms: frequencies, and the order that has 0 in the middle. */
#include "core/compose.h"
#include "core/result.h"
#include "garray/fft.h"
#include "garray/rearrange.h"

/* Rolls each axis by length / 2, or back. */
static garray_status shift(const garray_t *x, garray_axes axes, bool back, garray_t **out)
{
    int64_t by[GARRAY_MAX_NDIM];
    int32_t axis[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(axes.n >= 0 && axes.n <= GARRAY_MAX_NDIM && (axes.n == 0 || axes.v), INVALID, "axes has 0 to %d elements",
                   GARRAY_MAX_NDIM);
    bool all = axes.n == 0 && !axes.v;
    int n = all ? x->ndim : (int)axes.n;
    for (int i = 0; i < n; i++) {
        int at;
        GARRAY_REQUIRE(x->ndim > 0, AXIS, "axis %d is out of bounds for array of dimension 0", (int)axes.v[i]);
        st = garray__axis(all ? i : axes.v[i], x->ndim, &at);
        if (st != GARRAY_OK)
            return st;
        axis[i] = at;
        by[i] = back ? -(x->shape[at] / 2) : x->shape[at] / 2;
    }
    if (n == 0)
        return garray_copy(x, out);
    return garray_roll(x, (garray_shape){ n, by }, (garray_axes){ n, axis }, out);
}

garray_status garray_fft_fftshift(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_fft_fftshift");
    return shift(x, axes, false, out);
}

garray_status garray_fft_ifftshift(const garray_t *x, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_fft_ifftshift");
    return shift(x, axes, true, out);
}

/* from, from + 1, ... into count elements of f from `at` on. */
static garray_status put_range(garray_t *f, int64_t at, int64_t count, int64_t from)
{
    garray_t *part = NULL;
    if (count == 0)
        return GARRAY_OK;
    garray_status st = garray__part(f, 0, at, count, &part);
    if (st == GARRAY_OK)
        st = (garray_arange)(garray_operand_int(from), garray_operand_int(from + count), garray_operand_int(1), GARRAY_FLOAT64,
                             garray_device_of(f), garray_into(part));
    garray_release(part);
    return st;
}

static garray_status frequencies(int64_t n, double d, garray_dtype dtype, garray_device device, bool half, garray_t **out)
{
    garray__device *dev;
    garray_t *f = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__device_get(device, &dev);
    if (st != GARRAY_OK)
        return st;
    int wanted = dtype ? (int)dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(wanted) && garray__kind_of(wanted) >= GARRAY__K_FLOAT, DTYPE,
                   "frequencies are floats; dtype is %s", garray__name_of(wanted));
    GARRAY_REQUIRE(n >= 1, INVALID, "n should be a positive integer, not %lld", (long long)n);
    GARRAY_REQUIRE(d != 0, INVALID, "division by zero: d is 0");
    int64_t count = half ? n / 2 + 1 : n, up = half ? count : (n - 1) / 2 + 1;
    GARRAY__TRY(garray__new(GARRAY_FLOAT64, 1, &count, dev, &f));
    GARRAY__TRY(put_range(f, 0, up, 0));
    GARRAY__TRY(put_range(f, up, count - up, -(n / 2)));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(f), garray_operand_double(1 / ((double)n * d)), 0, &f));
    if (wanted == GARRAY_FLOAT64) {
        st = garray__result_assign(out, f);
        f = NULL;
    } else {
        st = garray_astype(f, (garray_dtype)wanted, out);
    }
done:
    garray_release(f);
    return st;
}

garray_status garray_fft_fftfreq(int64_t n, double d, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_fft_fftfreq");
    return frequencies(n, d, dtype, device, false, out);
}

garray_status garray_fft_rfftfreq(int64_t n, double d, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_fft_rfftfreq");
    return frequencies(n, d, dtype, device, true, out);
}
