/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions and scans that leave NaN out: NaN becomes the identity on the way, or takes no part by a mask. */
#include <math.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/nan.h"
#include "garray/shape.h"

/* Whether elements of a dtype can be NaN. */
static bool can_be_nan(const garray_t *x)
{
    return x && garray__kind_of(x->dtype) >= GARRAY__K_FLOAT;
}

static garray_operand infinity(const garray_t *x, double sign)
{
    return garray__kind_of(x->dtype) == GARRAY__K_COMPLEX ? garray_operand_complex(sign * INFINITY, sign * INFINITY)
                                                          : garray_operand_double(sign * INFINITY);
}

/* The elements that take part: numbers that `where` (not given, a bool or a bool array) selects. */
static garray_status open_mask(const garray_t *x, const garray_operand *where, garray_t **mask)
{
    garray_t *chosen = NULL;
    garray_status st = garray__binary(GARRAY_OP_equal, GARRAY__ARR(x), GARRAY__ARR(x), 0, mask);
    if (st != GARRAY_OK || where->kind == GARRAY_OPERAND_NONE)
        return st;
    st = garray__option_check(where, "where", GARRAY__MASK);
    if (st != GARRAY_OK)
        return st;
    if (where->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY_REQUIRE(where->array, INVALID, "where is NULL");
        GARRAY_REQUIRE(where->array->dtype == GARRAY_BOOL, DTYPE, "where must be bool, not %s",
                       garray__name_of(where->array->dtype));
        st = garray__broadcast(where->array, x->ndim, x->shape, &chosen);
        if (st != GARRAY_OK)
            return st;
    }
    st = garray__binary(GARRAY_OP_logical_and, GARRAY__ARR(*mask), chosen ? GARRAY__ARR(chosen) : *where, 0, mask);
    garray_release(chosen);
    return st;
}

static const garray_operand everywhere = { 0 };

/* x with `value` for each NaN: of real numbers in one pass. */
static garray_status replace_nan(const garray_t *x, garray_operand value, garray_t **out)
{
    garray_t *mask = NULL;
    if (garray__kind_of(x->dtype) != GARRAY__K_COMPLEX) {
        const garray_operand in[3] = { GARRAY__ARR(x), value, garray_operand_double(INFINITY) };   /* infinities stay */
        return garray__elementwise(GARRAY__OP_nan_to_num, 3, in, x->dtype, out);
    }
    garray_status st = open_mask(x, &everywhere, &mask);
    if (st == GARRAY_OK)
        st = garray__choose(mask, GARRAY__ARR(x), value, out);
    garray_release(mask);
    return st;
}

static bool has_where(const garray_reduce_opts *opts)
{
    return opts && opts->where.kind != GARRAY_OPERAND_NONE;
}

typedef garray_status reduction(const garray_t *, garray_axes, const garray_reduce_opts *, garray_t **);
typedef garray_status variance(const garray_t *, garray_axes, const garray_var_opts *, garray_t **);
typedef garray_status argument(const garray_t *, garray_axes, const garray_arg_opts *, garray_t **);
typedef garray_status scan(const garray_t *, garray_axes, const garray_cumulative_opts *, garray_t **);

/* What a sum, a product or a scan takes: x with the identity for each NaN, or x itself if it can have none. */
static garray_status without_nan(const garray_t *x, int identity, garray_t **out, garray_t **clean)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || !can_be_nan(x)) {
        *clean = st == GARRAY_OK && x ? garray__share(x) : NULL;
        return st;
    }
    return replace_nan(x, garray_operand_int(identity), clean);
}

static garray_status fold(reduction *plain, int identity, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                          garray_t **out)
{
    garray_t *clean = NULL;
    garray_status st = without_nan(x, identity, out, &clean);
    if (st == GARRAY_OK)
        st = plain(clean, axes, opts, out);
    garray_release(clean);
    return st;
}

static garray_status prefix(scan *plain, int identity, const garray_t *x, garray_axes axis, const garray_cumulative_opts *opts,
                            garray_t **out)
{
    garray_t *clean = NULL;
    garray_status st = without_nan(x, identity, out, &clean);
    if (st == GARRAY_OK)
        st = plain(clean, axis, opts, out);
    garray_release(clean);
    return st;
}

/* Whether each slice has a number, with the options' keepdims. */
static garray_status any_number(const garray_t *mask, garray_axes axes, int keepdims, garray_t **out)
{
    garray_reduce_opts o = { .keepdims = keepdims };
    return garray_any(mask, axes, &o, out);
}

/* The extremum of the numbers; sign is that of the infinity that never wins. */
static garray_status extremum(reduction *plain, double sign, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                              garray_t **out)
{
    garray_t *clean = NULL, *mask = NULL, *found = NULL, *any = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || !can_be_nan(x))
        return st == GARRAY_OK ? plain(x, axes, opts, out) : st;
    if (has_where(opts) || (opts && (opts->initial.kind != GARRAY_OPERAND_NONE || opts->dtype))) {
        GARRAY__TRY(replace_nan(x, infinity(x, sign), &clean));
        st = plain(clean, axes, opts, out);     /* with initial, or its error: there is a number to begin with */
        goto done;
    }
    GARRAY__TRY(replace_nan(x, infinity(x, sign), &clean));
    GARRAY__TRY(plain(clean, axes, opts, &found));
    GARRAY__TRY(open_mask(x, &everywhere, &mask));
    GARRAY__TRY(any_number(mask, axes, opts && opts->keepdims, &any));
    st = garray__choose(any, GARRAY__ARR(found), garray_operand_double(NAN), out);
done:
    garray_release(clean);
    garray_release(mask);
    garray_release(found);
    garray_release(any);
    return st;
}

static garray_status mean(const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out)
{
    garray_t *mask = NULL;
    garray_reduce_opts o = opts ? *opts : (garray_reduce_opts){ 0 };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || !can_be_nan(x))
        return st == GARRAY_OK ? garray_mean(x, axes, opts, out) : st;
    GARRAY__TRY(open_mask(x, &o.where, &mask));
    o.where = GARRAY__ARR(mask);
    st = garray_mean(x, axes, &o, out);
done:
    garray_release(mask);
    return st;
}

/* NaN where no degree of freedom is left, which the plain variance divides by 0. */
static garray_status spread(variance *plain, const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out)
{
    garray_t *mask = NULL, *found = NULL, *count = NULL, *enough = NULL;
    garray_var_opts o = opts ? *opts : (garray_var_opts){ 0 };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || !can_be_nan(x))
        return st == GARRAY_OK ? plain(x, axes, opts, out) : st;
    GARRAY__TRY(open_mask(x, &o.where, &mask));
    o.where = GARRAY__ARR(mask);
    if (o.correction.kind == GARRAY_OPERAND_NONE) {
        st = plain(x, axes, &o, out);
        goto done;
    }
    GARRAY__TRY(plain(x, axes, &o, &found));
    garray_reduce_opts c = { .keepdims = o.keepdims };
    GARRAY__TRY(garray_count_nonzero(mask, axes, &c, &count));
    GARRAY__TRY(garray__binary(GARRAY_OP_greater, GARRAY__ARR(count), o.correction, GARRAY_FLOAT64, &enough));
    st = garray__choose(enough, GARRAY__ARR(found), garray_operand_double(NAN), out);
done:
    garray_release(mask);
    garray_release(found);
    garray_release(count);
    garray_release(enough);
    return st;
}

/* The elements at the positions that an argument reduction of x gave. */
static garray_status elements_at(const garray_t *x, garray_axes axes, bool keepdims, const garray_t *positions, garray_t **out)
{
    const int64_t one = 1;
    garray_t *from = NULL, *at = NULL;
    garray_status st = GARRAY_OK;
    int32_t axis = axes.n ? axes.v[0] : 0;
    if (axes.n == 0) {
        GARRAY__TRY(garray__flat(x, &from));
        GARRAY__TRY(garray_reshape(positions, (garray_shape){ 1, &one }, &at));
    } else {
        from = garray__share(x);
        if (keepdims)
            at = garray__share(positions);
        else
            GARRAY__TRY(garray_expand_dims(positions, (garray_axes){ 1, &axis }, &at));
    }
    st = garray_take_along_axis(from, at, axis, out);
done:
    garray_release(from);
    garray_release(at);
    return st;
}

static garray_status place(argument *plain, double sign, const garray_t *x, garray_axes axes, const garray_arg_opts *opts,
                           garray_t **out)
{
    garray_t *clean = NULL, *mask = NULL, *found = NULL, *any = NULL, *values = NULL;
    bool all = false;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK || !can_be_nan(x))
        return st == GARRAY_OK ? plain(x, axes, opts, out) : st;
    GARRAY__TRY(replace_nan(x, infinity(x, sign), &clean));
    GARRAY__TRY(plain(clean, axes, opts, &found));
    /* Only a slice of infinities and NaNs can give the place of a NaN: then, and not before, all of x is looked at. */
    GARRAY__TRY(elements_at(x, axes, opts && opts->keepdims, found, &values));
    GARRAY__TRY(open_mask(values, &everywhere, &mask));
    GARRAY__TRY(garray__is_all(mask, &all));
    if (!all) {
        GARRAY__TRY(open_mask(x, &everywhere, &mask));
        GARRAY__TRY(any_number(mask, axes, 0, &any));
        GARRAY__TRY(garray__is_all(any, &all));
    }
    GARRAY__CHECK(all, INVALID, "All-NaN slice encountered");
    st = garray__result_assign(out, found);
    found = NULL;
done:
    garray_release(clean);
    garray_release(mask);
    garray_release(found);
    garray_release(any);
    garray_release(values);
    return st;
}

#define PUBLIC(function, opts_type, first, ...)                                                                     \
    garray_status function(const garray_t *x, garray_axes axes, const opts_type *opts, garray_t **out)       \
    {                                                                                                        \
        GARRAY_ENTER(#function);                                                                             \
        GARRAY_REQUIRE_OPTIONS(opts, first);                                                                 \
        return __VA_ARGS__;                                                                                  \
    }
PUBLIC(garray_nansum, garray_reduce_opts, reserved, fold(garray_sum, 0, x, axes, opts, out))
PUBLIC(garray_nanprod, garray_reduce_opts, reserved, fold(garray_prod, 1, x, axes, opts, out))
PUBLIC(garray_nanmin, garray_reduce_opts, reserved, extremum(garray_min, 1, x, axes, opts, out))
PUBLIC(garray_nanmax, garray_reduce_opts, reserved, extremum(garray_max, -1, x, axes, opts, out))
PUBLIC(garray_nanmean, garray_reduce_opts, reserved, mean(x, axes, opts, out))
PUBLIC(garray_nanvar, garray_var_opts, reserved, spread(garray_var, x, axes, opts, out))
PUBLIC(garray_nanstd, garray_var_opts, reserved, spread(garray_std, x, axes, opts, out))
PUBLIC(garray_nanargmin, garray_arg_opts, reserved32, place(garray_argmin, 1, x, axes, opts, out))
PUBLIC(garray_nanargmax, garray_arg_opts, reserved32, place(garray_argmax, -1, x, axes, opts, out))
PUBLIC(garray_nancumsum, garray_cumulative_opts, reserved, prefix(garray_cumsum, 0, x, axes, opts, out))
PUBLIC(garray_nancumprod, garray_cumulative_opts, reserved, prefix(garray_cumprod, 1, x, axes, opts, out))
#undef PUBLIC
