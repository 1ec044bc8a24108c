/* SPDX-License-Identifier: BSD-3-Clause
 * Series of numbers: linspace between arrays, logspace, geomspace, and powers (vander). */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/series.h"
#include "garray/reduce.h"
#include "garray/shape.h"

/* Where a series is computed, given the dtype of its bounds: floats of at least 32 bits. */
static int wide_dtype(int dtype)
{
    if (garray__kind_of(dtype) < GARRAY__K_FLOAT)
        return GARRAY_FLOAT64;
    return garray__size_of(dtype) == 2 ? GARRAY_FLOAT32 : dtype;
}

static garray_status check_bound(const garray_operand *o, const char *name, const garray__device *device)
{
    garray_status st = garray__operand_check(o, name);
    return st == GARRAY_OK && o->kind == GARRAY_OPERAND_ARRAY ? garray__same_device(device, o->array) : st;
}

static garray_status check_bounds(const garray_operand *start, const garray_operand *stop, const garray__device *device)
{
    garray_status st = check_bound(start, "start", device);
    return st == GARRAY_OK ? check_bound(stop, "stop", device) : st;
}

/* What a series of num numbers is given, and its device. */
static garray_status check_series(const garray_operand *start, const garray_operand *stop, int64_t num, garray_device device,
                                  garray_t **out, garray__device **dev)
{
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__device_get(device, dev);
    if (st == GARRAY_OK)
        st = check_bounds(start, stop, *dev);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(num >= 0, INVALID, "number of samples, %lld, must not be negative", (long long)num);
    return GARRAY_OK;
}

/* A bound as an array of a dtype, 0-d for a number. */
static garray_status bound_array(const garray_operand *o, int dtype, garray__device *device, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = GARRAY_OK;
    if (o->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(o, &given));
        st = given->dtype == dtype ? (*out = garray_retain(given), GARRAY_OK) : garray__copy_as(given, dtype, out);
    } else {
        GARRAY__TRY(garray__new(dtype, 0, NULL, device, &given));
        GARRAY__TRY(garray__fill(given, o));
        *out = garray_retain(given);
    }
done:
    garray_release(given);
    return st;
}

/* The common dtype of the bounds, at least a float. */
static int bounds_dtype(const garray_operand *start, const garray_operand *stop)
{
    garray_operand both[2] = { *start, *stop };
    int dtype = garray__common_dtype(2, both);
    return garray__kind_of(dtype) < GARRAY__K_FLOAT ? GARRAY_FLOAT64 : dtype;
}

/* num steps from start to stop along a new first axis, all of one dtype. */
static garray_status steps_between(const garray_t *start, const garray_t *stop, int64_t num, bool endpoint, garray_t **out)
{
    garray_t *delta = NULL, *step = NULL, *y = NULL, *far = NULL, *zero = NULL, *last = NULL;
    int64_t shape[GARRAY_MAX_NDIM], divisor = endpoint ? num - 1 : num;
    int dtype = start->dtype;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(stop), GARRAY__ARR(start), dtype, &delta));
    GARRAY__CHECK(delta->ndim < GARRAY_MAX_NDIM, SHAPE, "%d axes; at most %d are allowed", delta->ndim + 1, GARRAY_MAX_NDIM);
    for (int i = 0; i <= delta->ndim; i++)
        shape[i] = i ? 1 : num;
    GARRAY__TRY((garray_arange)(garray_operand_int(0), garray_operand_int(num), garray_operand_int(1), GARRAY_INT64,
                                garray_device_of(start), &y));
    GARRAY__TRY(garray_astype(y, (garray_dtype)dtype, &y));
    GARRAY__TRY(garray_reshape(y, GARRAY_DIMS(delta->ndim + 1, shape), &y));
    if (divisor > 0) {
        garray_operand d = garray_operand_double((double)divisor);
        GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(delta), d, dtype, &step));
        /* when a step is too small for the dtype, the places are divided instead: those of all pairs, as NumPy does */
        GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(y), d, dtype, &far));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(far), GARRAY__ARR(delta), dtype, &far));
        GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(step), garray_operand_int(0), 0, &zero));
        GARRAY__TRY(garray_any(zero, (garray_axes){ 0, NULL }, NULL, &zero));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(y), GARRAY__ARR(step), dtype, &y));
        GARRAY__TRY(garray__choose(zero, GARRAY__ARR(far), GARRAY__ARR(y), &y));
    } else {
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(y), GARRAY__ARR(delta), dtype, &y));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(y), GARRAY__ARR(start), dtype, &y));
    if (endpoint && num > 1) {
        GARRAY__TRY(garray__part(y, 0, num - 1, 1, &last));
        GARRAY__TRY(garray__assign(last, stop));
    }
    *out = garray_retain(y);
done:
    garray_release(delta);
    garray_release(step);
    garray_release(y);
    garray_release(far);
    garray_release(zero);
    garray_release(last);
    return st;
}

/* y with its first axis at another place, cast as NumPy casts a series: to integers it is floored, or cut. */
static garray_status finish(const garray_t *y, int axis, bool floored, int dtype, garray_t **out)
{
    garray_t *whole = NULL, *turned = NULL;
    garray_status st = GARRAY_OK;
    if (floored && garray__is_integer(dtype) && garray__kind_of(y->dtype) == GARRAY__K_FLOAT)
        GARRAY__TRY(garray__unary(GARRAY_OP_floor, GARRAY__ARR(y), &whole));
    else
        whole = garray__share(y);
    GARRAY__TRY(garray__axis(axis, y->ndim, &axis));
    GARRAY__TRY(garray__move_axis(whole, 0, axis, &turned));
    st = garray_astype(turned, (garray_dtype)dtype, out);
done:
    garray_release(whole);
    garray_release(turned);
    return st;
}

static garray_status check_dtype(int dtype, int bounds)
{
    GARRAY_REQUIRE(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    GARRAY_REQUIRE(garray__kind_of(bounds) != GARRAY__K_COMPLEX || garray__kind_of(dtype) == GARRAY__K_COMPLEX, DTYPE,
                   "complex bounds and dtype %s", garray__name_of(dtype));
    return GARRAY_OK;
}

garray_status garray__linspace_arrays(garray_operand start, garray_operand stop, int64_t num, bool endpoint, int dtype, int axis,
                                      garray__device *device, garray_t **out)
{
    garray_t *a = NULL, *b = NULL, *y = NULL;
    garray_status st = check_bounds(&start, &stop, device);
    if (st != GARRAY_OK)
        return st;
    int natural = bounds_dtype(&start, &stop), wide = wide_dtype(natural);
    dtype = dtype ? dtype : natural;
    GARRAY__TRY(check_dtype(dtype, natural));
    GARRAY__TRY(bound_array(&start, wide, device, &a));
    GARRAY__TRY(bound_array(&stop, wide, device, &b));
    GARRAY__TRY(steps_between(a, b, num, endpoint, &y));
    st = finish(y, axis, true, dtype, out);
done:
    garray_release(a);
    garray_release(b);
    garray_release(y);
    return st;
}

/* ---- logspace and geomspace ---- */

garray_status (garray_logspace)(garray_operand start, garray_operand stop, int64_t num, const garray_logspace_opts *opts,
                                garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_logspace");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray__device *dev;
    garray_t *a = NULL, *b = NULL, *y = NULL;
    garray_operand base = opts && opts->base.kind ? opts->base : garray_operand_double(10);
    garray_status st = check_series(&start, &stop, num, device, out, &dev);
    if (st != GARRAY_OK)
        return st;
    GARRAY_TRY(garray__option_check(&base, "base", GARRAY__NUMBER));
    garray_operand all[3] = { start, stop, base };
    int natural = bounds_dtype(&start, &stop);
    natural = garray__kind_of(garray__common_dtype(3, all)) == GARRAY__K_COMPLEX ? garray__complex_of(natural) : natural;
    int dtype = opts && opts->dtype ? (int)opts->dtype : natural, wide = wide_dtype(natural);
    GARRAY__TRY(check_dtype(dtype, natural));
    GARRAY__TRY(bound_array(&start, wide, dev, &a));
    GARRAY__TRY(bound_array(&stop, wide, dev, &b));
    GARRAY__TRY(steps_between(a, b, num, !(opts && opts->no_endpoint), &y));
    GARRAY__TRY(garray__binary(GARRAY_OP_pow, base, GARRAY__ARR(y), wide, &y));
    st = finish(y, opts ? opts->axis : 0, false, dtype, out);
done:
    garray_release(a);
    garray_release(b);
    garray_release(y);
    return st;
}

/* Zeros have no logarithm.  Waits. */
static garray_status refuse_zeros(const garray_t *x)
{
    garray_t *nonzero = NULL;
    bool fine = false;
    garray_status st = garray__binary(GARRAY_OP_not_equal, GARRAY__ARR(x), garray_operand_int(0), 0, &nonzero);
    if (st == GARRAY_OK)
        st = garray__is_all(nonzero, &fine);
    garray_release(nonzero);
    if (st == GARRAY_OK && !fine)
        return garray__fail(GARRAY_ERR_INVALID, "geometric sequence cannot include zero");
    return st;
}

static garray_status set_row(garray_t *y, int64_t row, const garray_t *value)
{
    garray_t *place = NULL;
    garray_status st = garray__part(y, 0, row, 1, &place);
    if (st == GARRAY_OK)
        st = garray__assign(place, value);
    garray_release(place);
    return st;
}

garray_status (garray_geomspace)(garray_operand start, garray_operand stop, int64_t num, const garray_linspace_opts *opts,
                                 garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_geomspace");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray__device *dev;
    garray_t *a = NULL, *b = NULL, *sign = NULL, *turn = NULL, *from = NULL, *to = NULL, *y = NULL;
    garray_status st = check_series(&start, &stop, num, device, out, &dev);
    if (st != GARRAY_OK)
        return st;
    bool endpoint = !(opts && opts->no_endpoint);
    int natural = bounds_dtype(&start, &stop), dtype = opts && opts->dtype ? (int)opts->dtype : natural;
    GARRAY__TRY(check_dtype(dtype, natural));
    int wide = wide_dtype(garray__promote(natural, dtype));
    GARRAY__TRY(bound_array(&start, wide, dev, &a));
    GARRAY__TRY(bound_array(&stop, wide, dev, &b));
    GARRAY__TRY(refuse_zeros(a));
    GARRAY__TRY(refuse_zeros(b));
    /* turned so that it starts at a positive real number; of -1 and 1 the zero that is left is -0, so that the way between
       them is NumPy's */
    GARRAY__TRY(garray__unary(GARRAY_OP_sign, GARRAY__ARR(a), &sign));
    GARRAY__TRY(garray__unary(GARRAY_OP_conj, GARRAY__ARR(sign), &turn));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(a), GARRAY__ARR(turn), wide, &a));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(b), GARRAY__ARR(turn), wide, &b));
    GARRAY__TRY(garray__unary(GARRAY_OP_log10, GARRAY__ARR(a), &from));
    GARRAY__TRY(garray__unary(GARRAY_OP_log10, GARRAY__ARR(b), &to));
    GARRAY__TRY(steps_between(from, to, num, endpoint, &y));
    GARRAY__TRY(garray__binary(GARRAY_OP_pow, garray_operand_double(10), GARRAY__ARR(y), wide, &y));
    if (num > 0)
        GARRAY__TRY(set_row(y, 0, a));
    if (num > 1 && endpoint)
        GARRAY__TRY(set_row(y, num - 1, b));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(y), GARRAY__ARR(sign), wide, &y));
    st = finish(y, opts ? opts->axis : 0, false, dtype, out);
done:
    garray_release(a);
    garray_release(b);
    garray_release(sign);
    garray_release(turn);
    garray_release(from);
    garray_release(to);
    garray_release(y);
    return st;
}

/* ---- powers ---- */

garray_status garray_vander(const garray_t *x, int64_t columns, const garray_vander_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_vander");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    struct garray__result r;
    struct garray__layout l;
    garray_t *ascending = NULL, *first = NULL, *rest = NULL, *column = NULL;
    garray_operand one = garray_operand_int(1);
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim == 1, SHAPE, "x must be a one-dimensional array");
    int64_t n = columns == -1 ? x->size : columns, shape[2] = { x->size, n };
    GARRAY_REQUIRE(n >= 0, SHAPE, "negative dimensions are not allowed: %lld columns", (long long)n);
    st = garray__result_open(&r, out, garray__promote(x->dtype, GARRAY_INT64), 2, shape, garray__device_of(x), 0, 1, &x);
    if (st != GARRAY_OK)
        return st;
    if (r.target->size == 0)
        return garray__result_close(&r, GARRAY_OK);
    garray__layout_of(r.target, &l);
    if (!(opts && opts->increasing))
        garray__layout_range(&l, 1, n - 1, -1, n);
    GARRAY__TRY(garray__layout_view(r.target, &l, true, &ascending));
    GARRAY__TRY(garray__part(ascending, 1, 0, 1, &first));
    GARRAY__TRY(garray__fill(first, &one));
    if (n > 1) {
        GARRAY__TRY(garray__part(ascending, 1, 1, n - 1, &rest));
        GARRAY__TRY(garray_expand_dims(x, GARRAY_AXES(1), &column));
        GARRAY__TRY(garray__assign(rest, column));
        st = garray_cumulative_prod(rest, GARRAY_AXES(1), NULL, garray_into(rest));
    }
done:
    garray_release(ascending);
    garray_release(first);
    garray_release(rest);
    garray_release(column);
    return garray__result_close(&r, st);
}
