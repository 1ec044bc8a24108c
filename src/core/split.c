/* SPDX-License-Identifier: BSD-3-Clause
 * Functions with a list of results: arrays taken apart along an axis, and broadcast against each other.  All results are
 * views. */
#include <stdlib.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/plan.h"
#include "core/result.h"
#include "garray/join.h"

/* A list of results under construction, all or none of which are assigned. */
static garray_status open_results(int n, garray_t ***made)
{
    *made = calloc((size_t)n + 1, sizeof **made);
    GARRAY_REQUIRE(*made, NOMEM, "no host memory for %d handles", n);
    return GARRAY_OK;
}

static garray_status close_results(int n, garray_t **outs, garray_t **made, garray_status st)
{
    if (st == GARRAY_OK)
        garray__results_assign(n, outs, made);
    else
        garray__results_drop(n, made);
    free(made);
    return st;
}

/* The parts of x between bounds[0], bounds[1], ... bounds[n] of an axis. */
static garray_status cut(const garray_t *x, int axis, int n, const int64_t *bounds, garray_t **outs)
{
    garray_t **made;
    garray_status st = open_results(n, &made);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < n && st == GARRAY_OK; i++)
        st = garray__part(x, axis, bounds[i], bounds[i + 1] - bounds[i], &made[i]);
    return close_results(n, outs, made, st);
}

static garray_status check(const garray_t *x, int *axis, int nout, garray_t *const *outs)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(nout >= 0 && (outs || nout == 0), INVALID, "outs is NULL");
    return garray__axis(*axis, x->ndim, axis);
}

static garray_status sections(const garray_t *x, int axis, bool equal, int nout, garray_t **outs)
{
    garray_status st = check(x, &axis, nout, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(nout > 0, INVALID, "number sections must be larger than 0");
    int64_t n = x->shape[axis], each = n / nout, longer = n % nout;
    GARRAY_REQUIRE(!equal || longer == 0, SHAPE, "array split does not result in an equal division: %lld by %d", (long long)n,
                   nout);
    int64_t *bounds = malloc(((size_t)nout + 1) * sizeof *bounds);
    GARRAY_REQUIRE(bounds, NOMEM, "no host memory for %d bounds", nout);
    bounds[0] = 0;
    for (int i = 0; i < nout; i++)
        bounds[i + 1] = bounds[i] + each + (i < longer);
    st = cut(x, axis, nout, bounds, outs);
    free(bounds);
    return st;
}

garray_status garray_split(const garray_t *x, int axis, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_split");
    return sections(x, axis, true, nout, outs);
}

garray_status garray_array_split(const garray_t *x, int axis, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_array_split");
    return sections(x, axis, false, nout, outs);
}

garray_status garray_hsplit(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_hsplit");
    GARRAY_REQUIRE(!x || x->ndim >= 1, SHAPE, "hsplit only works on arrays of 1 or more dimensions");
    return sections(x, x && x->ndim > 1, true, nout, outs);
}

garray_status garray_vsplit(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_vsplit");
    GARRAY_REQUIRE(!x || x->ndim >= 2, SHAPE, "vsplit only works on arrays of 2 or more dimensions");
    return sections(x, 0, true, nout, outs);
}

garray_status garray_dsplit(const garray_t *x, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_dsplit");
    GARRAY_REQUIRE(!x || x->ndim >= 3, SHAPE, "dsplit only works on arrays of 3 or more dimensions");
    return sections(x, 2, true, nout, outs);
}

garray_status garray_split_at(const garray_t *x, garray_shape places, int axis, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_split_at");
    garray_t **made;
    garray_status st = check(x, &axis, nout, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(places.n >= 0 && (places.v || places.n == 0), INVALID, "the list of places is malformed");
    GARRAY_REQUIRE(nout == places.n + 1, INVALID, "%lld places give %lld arrays, not %d", (long long)places.n,
                   (long long)places.n + 1, nout);
    st = open_results(nout, &made);
    if (st != GARRAY_OK)
        return st;
    int64_t n = x->shape[axis], start = 0;
    for (int i = 0; i < nout && st == GARRAY_OK; i++) {
        /* x[start:stop], as Python cuts it */
        int64_t stop = i < (int)places.n ? places.v[i] : n;
        int64_t a = start < 0 ? start + n : start, b = stop < 0 ? stop + n : stop;
        a = a < 0 ? 0 : a > n ? n : a;
        b = b < 0 ? 0 : b > n ? n : b;
        st = garray__part(x, axis, a, b > a ? b - a : 0, &made[i]);
        start = stop;
    }
    return close_results(nout, outs, made, st);
}

garray_status garray_unstack(const garray_t *x, int axis, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_unstack");
    garray_t **made;
    struct garray__layout l;
    garray_status st = check(x, &axis, nout, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(nout == x->shape[axis], INVALID, "axis %d has length %lld: so many arrays come of it, not %d", axis,
                   (long long)x->shape[axis], nout);
    st = open_results(nout, &made);
    if (st != GARRAY_OK)
        return st;
    garray__layout_of(x, &l);
    int64_t step = l.strides[axis];
    for (int i = axis; i + 1 < l.ndim; i++) {
        l.shape[i] = l.shape[i + 1];
        l.strides[i] = l.strides[i + 1];
    }
    l.ndim--;
    for (int i = 0; i < nout && st == GARRAY_OK; i++, l.data += step)
        st = garray__layout_view(x, &l, x->flags & GARRAY__WRITEABLE, &made[i]);
    return close_results(nout, outs, made, st);
}

garray_status garray_broadcast_arrays(garray_list arrays, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_broadcast_arrays");
    garray_t **made;
    int64_t shape[GARRAY_MAX_NDIM], count;
    int ndim = 0;
    GARRAY_REQUIRE(arrays.n >= 0 && (arrays.v || arrays.n == 0), INVALID, "the list of arrays is malformed");
    GARRAY_REQUIRE(nout == arrays.n && (outs || nout == 0), INVALID, "there is a result per array, %lld, not %d",
                   (long long)arrays.n, nout);
    for (int i = 0; i < nout; i++) {
        GARRAY_REQUIRE(arrays.v[i], INVALID, "array %d is NULL", i);
        garray_status st = garray__broadcast_shapes(&ndim, shape, arrays.v[i]->ndim, arrays.v[i]->shape);
        if (st == GARRAY_OK)
            st = garray__count(ndim, shape, 16, &count);
        if (st != GARRAY_OK)
            return st;
    }
    garray_status st = open_results(nout, &made);
    if (st != GARRAY_OK)
        return st;
    for (int i = 0; i < nout && st == GARRAY_OK; i++)
        st = garray__broadcast(arrays.v[i], ndim, shape, &made[i]);
    return close_results(nout, outs, made, st);
}
