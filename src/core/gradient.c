/* SPDX-License-Identifier: BSD-3-Clause
 * Derivatives of samples: second order central differences inside, one-sided ones at the ends, with NumPy's formulas
 * (B. Fornberg, Generation of Finite Difference Formulas on Arbitrarily Spaced Grids, Math. Comp. 51, 1988). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/difference.h"
#include "garray/shape.h"

/* The distances along an axis: one number, or an array of differences of places. */
struct spacing {
    garray_operand step;
    garray_t *steps;            /* one-dimensional */
    garray_t *first;            /* what step refers to, where it is an array */
};

static void close_spacing(struct spacing *s)
{
    garray_release(s->steps);
    garray_release(s->first);
}

/* Equal distances become one number, as in NumPy. */
static garray_status open_places(const garray_t *places, int64_t length, struct spacing *s)
{
    garray_t *same = NULL, *wide = NULL;
    bool even = false;
    int32_t axis = 0;
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(places->ndim == 1, SHAPE, "distances must be either scalars or 1d");
    GARRAY__CHECK(places->shape[0] == length, SHAPE,
                  "when 1d, distances must match the length of the corresponding dimension: %lld and %lld",
                  (long long)places->shape[0], (long long)length);
    GARRAY__CHECK(length > 1, SHAPE, "places need an axis of at least 2 elements");
    if (garray__is_integer(places->dtype)) {
        GARRAY__TRY(garray__copy_as(places, GARRAY_FLOAT64, &wide));
        places = wide;
    }
    GARRAY__TRY(garray_diff(places, 1, axis, NULL, &s->steps));
    GARRAY__TRY(garray__part(s->steps, 0, 0, 1, &s->first));
    GARRAY__TRY(garray__binary(GARRAY_OP_equal, GARRAY__ARR(s->steps), GARRAY__ARR(s->first), 0, &same));
    GARRAY__TRY(garray__is_all(same, &even));
    if (even) {
        GARRAY__TRY(garray_reshape(s->first, (garray_shape){ 0, NULL }, &s->first));
        s->step = GARRAY__ARR(s->first);
        garray_release(s->steps);
        s->steps = NULL;
    }
done:
    garray_release(same);
    garray_release(wide);
    return st;
}

static garray_status open_spacing(const garray_operand *o, const garray_t *x, int axis, struct spacing *s)
{
    garray_t *places = NULL;
    if (!o) {
        s->step = garray_operand_double(1);
        return GARRAY_OK;
    }
    garray_status st = garray__operand_check(o, "spacing");
    if (st != GARRAY_OK)
        return st;
    if (o->kind != GARRAY_OPERAND_ARRAY) {
        s->step = *o;
        return GARRAY_OK;
    }
    st = garray__option_array(o, "spacing", garray__device_of(x), &places);
    if (st != GARRAY_OK)
        return st;
    if (places->ndim == 0) {
        s->first = places;
        s->step = GARRAY__ARR(places);
        return GARRAY_OK;
    }
    st = open_places(places, x->shape[axis], s);
    garray_release(places);
    return st;
}

/* ---- small expressions ----
 * Each takes the variable that it assigns; operands may refer to it. */

static garray_status scaled(double factor, garray_operand x, garray_t **out)
{
    return garray__binary(GARRAY_OP_multiply, garray_operand_double(factor), x, 0, out);
}

/* factor / number, where the number is a C scalar or a 0-d array. */
static garray_status quotient(double factor, const garray_operand *number, garray_operand *result, garray_t **room)
{
    if (number->kind != GARRAY_OPERAND_ARRAY) {
        uint64_t bits[2];
        double v[2];
        garray__scalar_cast(number, GARRAY_COMPLEX128, bits);
        memcpy(v, bits, sizeof v);
        if (number->kind == GARRAY_OPERAND_COMPLEX) {
            const double size = v[0] * v[0] + v[1] * v[1];
            *result = garray_operand_complex(factor * v[0] / size, -factor * v[1] / size);
        } else {
            *result = garray_operand_double(factor / v[0]);
        }
        return GARRAY_OK;
    }
    garray_status st = garray__binary(GARRAY_OP_divide, garray_operand_double(factor), *number, 0, room);
    *result = GARRAY__ARR(*room);
    return st;
}

/* a * f[i] + b * f[i + step] + c * f[i + 2 * step] for n places along the axis. */
static garray_status weighted(const garray_t *f, int axis, int64_t first, int64_t n, const garray_operand *weights,
                              garray_t **out)
{
    garray_t *part = NULL, *term = NULL, *sum = NULL;
    garray_status st = GARRAY_OK;
    for (int k = 0; k < 3; k++) {
        GARRAY__TRY(garray__part(f, axis, first + k, n, &part));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, weights[k], GARRAY__ARR(part), 0, k ? &term : &sum));
        if (k)
            GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(sum), GARRAY__ARR(term), 0, k == 1 ? &sum : out));
        garray_release(part);
        part = NULL;
    }
done:
    garray_release(part);
    garray_release(term);
    garray_release(sum);
    return st;
}

/* (f[after] - f[before]) / distance for n places. */
static garray_status divided(const garray_t *f, int axis, int64_t before, int64_t after, int64_t n, garray_operand distance,
                             garray_t **out)
{
    garray_t *a = NULL, *b = NULL, *difference = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(f, axis, after, n, &a));
    GARRAY__TRY(garray__part(f, axis, before, n, &b));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(a), GARRAY__ARR(b), 0, &difference));
    st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(difference), distance, 0, out);
done:
    garray_release(a);
    garray_release(b);
    garray_release(difference);
    return st;
}

/* ---- uneven places ---- */

/* The weights of three neighbours for the derivative at one of them (0: the first, 1: the middle, 2: the last), given
 * the distances h and k between them, which are 1-d arrays of one length; as arrays that broadcast along an axis. */
static garray_status uneven_weights(int at, const garray_t *h, const garray_t *k, int ndim, int axis, garray_t **weights)
{
    garray_t *sum = NULL, *product = NULL, *t = NULL;
    const garray_operand H = GARRAY__ARR(h), K = GARRAY__ARR(k);
    int64_t shape[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_add, H, K, 0, &sum));
    /* a */
    if (at == 0) {              /* -(2 h + k) / (h (h + k)) */
        GARRAY__TRY(scaled(2, H, &t));
        GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(t), K, 0, &t));
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, GARRAY__ARR(t), &t));
    } else if (at == 1) {       /* -k / (h (h + k)) */
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, K, &t));
    } else {                    /* k / (h (h + k)) */
        GARRAY__TRY(garray__unary(GARRAY_OP_positive, K, &t));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, H, GARRAY__ARR(sum), 0, &product));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(t), GARRAY__ARR(product), 0, &weights[0]));
    /* b */
    if (at == 1) {              /* (k - h) / (h k) */
        GARRAY__TRY(garray__binary(GARRAY_OP_subtract, K, H, 0, &t));
    } else {                    /* (h + k) / (h k), with the other sign at the last one */
        GARRAY__TRY(garray__unary(at == 0 ? GARRAY_OP_positive : GARRAY_OP_negative, GARRAY__ARR(sum), &t));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, H, K, 0, &product));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(t), GARRAY__ARR(product), 0, &weights[1]));
    /* c */
    if (at == 2) {              /* (2 k + h) / (k (h + k)) */
        GARRAY__TRY(scaled(2, K, &t));
        GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(t), H, 0, &t));
    } else {                    /* h / (k (h + k)), with the other sign at the first one */
        GARRAY__TRY(garray__unary(at == 1 ? GARRAY_OP_positive : GARRAY_OP_negative, H, &t));
    }
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, K, GARRAY__ARR(sum), 0, &product));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(t), GARRAY__ARR(product), 0, &weights[2]));
    for (int i = 0; i < ndim; i++)
        shape[i] = i == axis ? h->shape[0] : 1;
    for (int i = 0; i < 3; i++)
        GARRAY__TRY(garray_reshape(weights[i], (garray_shape){ ndim, shape }, &weights[i]));
done:
    garray_release(sum);
    garray_release(product);
    garray_release(t);
    return st;
}

/* out = the derivative at n places, each from three neighbours that begin at `first` along the axis. */
static garray_status uneven(int at, const garray_t *f, const struct spacing *s, int axis, int64_t first, int64_t n, garray_t *out)
{
    garray_t *h = NULL, *k = NULL, *weights[3] = { NULL, NULL, NULL };
    garray_operand operands[3];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(s->steps, 0, first, n, &h));
    GARRAY__TRY(garray__part(s->steps, 0, first + 1, n, &k));
    GARRAY__TRY(uneven_weights(at, h, k, f->ndim, axis, weights));
    for (int i = 0; i < 3; i++)
        operands[i] = GARRAY__ARR(weights[i]);
    st = weighted(f, axis, first, n, operands, garray_into(out));
done:
    garray_release(h);
    garray_release(k);
    for (int i = 0; i < 3; i++)
        garray_release(weights[i]);
    return st;
}

/* ---- one axis ---- */

static garray_status inside(const garray_t *f, const struct spacing *s, int axis, garray_t *out)
{
    garray_t *room = NULL;
    garray_operand twice;
    garray_status st = GARRAY_OK;
    int64_t n = out->shape[axis];
    if (out->size == 0)
        return GARRAY_OK;
    if (s->steps)
        return uneven(1, f, s, axis, 0, n, out);
    if (s->step.kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(scaled(2, s->step, &room));
        twice = GARRAY__ARR(room);
    } else {
        uint64_t bits[2];
        double v[2];
        garray__scalar_cast(&s->step, GARRAY_COMPLEX128, bits);
        memcpy(v, bits, sizeof v);
        twice = s->step.kind == GARRAY_OPERAND_COMPLEX ? garray_operand_complex(2 * v[0], 2 * v[1])
                                                       : garray_operand_double(2 * v[0]);
    }
    st = divided(f, axis, 0, 2, n, twice, garray_into(out));
done:
    garray_release(room);
    return st;
}

/* The derivative at the first or the last place. */
static garray_status at_end(const garray_t *f, const struct spacing *s, int axis, int edge_order, bool last, garray_t *out)
{
    garray_t *step = NULL, *room[3] = { NULL, NULL, NULL };
    int64_t n = f->shape[axis], first = last ? n - 1 - edge_order : 0;
    garray_status st = GARRAY_OK;
    if (edge_order == 1) {
        garray_operand distance = s->step;
        if (s->steps) {
            GARRAY__TRY(garray__part(s->steps, 0, first, 1, &step));
            GARRAY__TRY(garray_reshape(step, (garray_shape){ 0, NULL }, &step));
            distance = GARRAY__ARR(step);
        }
        st = divided(f, axis, first, first + 1, 1, distance, garray_into(out));
    } else if (s->steps) {
        st = uneven(last ? 2 : 0, f, s, axis, first, 1, out);
    } else {
        static const double factors[2][3] = { { -1.5, 2, -0.5 }, { 0.5, -2, 1.5 } };
        garray_operand weights[3];
        for (int i = 0; i < 3; i++)
            GARRAY__TRY(quotient(factors[last][i], &s->step, &weights[i], &room[i]));
        st = weighted(f, axis, first, 1, weights, garray_into(out));
    }
done:
    garray_release(step);
    for (int i = 0; i < 3; i++)
        garray_release(room[i]);
    return st;
}

static garray_status along(const garray_t *f, int dtype, const garray_operand *spacing, int axis, int edge_order, garray_t **out)
{
    struct spacing s = { .steps = NULL, .first = NULL };
    garray_t *result = NULL, *part = NULL;
    garray_status st = GARRAY_OK;
    int64_t n = f->shape[axis];
    GARRAY__TRY(open_spacing(spacing, f, axis, &s));
    GARRAY__CHECK(n >= edge_order + 1, SHAPE,
                  "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.");
    GARRAY__TRY(garray__new(dtype, f->ndim, f->shape, garray__device_of(f), &result));
    if (result->size > 0) {
        GARRAY__TRY(garray__part(result, axis, 1, n - 2, &part));
        GARRAY__TRY(inside(f, &s, axis, part));
        for (int last = 0; last < 2; last++) {
            garray_release(part);
            part = NULL;
            GARRAY__TRY(garray__part(result, axis, last ? n - 1 : 0, 1, &part));
            GARRAY__TRY(at_end(f, &s, axis, edge_order, last, part));
        }
    }
    *out = result;
    result = NULL;
done:
    garray_release(result);
    garray_release(part);
    close_spacing(&s);
    return st;
}

garray_status garray_gradient(const garray_t *x, garray_axes axes, const garray_gradient_opts *opts, int nout, garray_t **outs)
{
    GARRAY_ENTER("garray_gradient");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(outs || nout == 0, INVALID, "outs is NULL");
    bool all = axes.n == 0 && !axes.v, set[GARRAY_MAX_NDIM];
    garray_status st = garray__axis_set(axes, x->ndim, set);
    if (st != GARRAY_OK)
        return st;
    int naxes = all ? x->ndim : (int)axes.n;
    int nspacing = opts ? opts->nspacing : 0, edge_order = opts && opts->edge_order ? opts->edge_order : 1;
    GARRAY_REQUIRE(nout == naxes, INVALID, "there are %d derivatives, and %d results to assign", naxes, nout);
    GARRAY_REQUIRE(edge_order == 1 || edge_order == 2, INVALID, "'edge_order' greater than 2 not supported");
    GARRAY_REQUIRE(nspacing == 0 || opts->spacing, INVALID, "spacing is NULL");
    bool one = nspacing == 1 && !(opts->spacing[0].kind == GARRAY_OPERAND_ARRAY && opts->spacing[0].array
                                  && opts->spacing[0].array->ndim > 0);
    GARRAY_REQUIRE(nspacing == 0 || one || nspacing == naxes, INVALID, "%d spacings for %d axes", nspacing, naxes);
    garray_t *f = NULL, *results[GARRAY_MAX_NDIM] = { NULL }, **slots[GARRAY_MAX_NDIM];
    int dtype = garray__kind_of(x->dtype) >= GARRAY__K_FLOAT ? x->dtype : GARRAY_FLOAT64;
    GARRAY__TRY(garray__as(x, garray__is_integer(x->dtype) ? GARRAY_FLOAT64 : x->dtype, &f));
    for (int i = 0; i < naxes; i++) {
        int axis = all ? i : axes.v[i] < 0 ? axes.v[i] + x->ndim : axes.v[i];
        const garray_operand *spacing = nspacing == 0 ? NULL : &opts->spacing[one ? 0 : i];
        GARRAY__TRY(along(f, dtype, spacing, axis, edge_order, &results[i]));
        slots[i] = &outs[i];
    }
    st = garray__assign_all(naxes, slots, results);
done:
    garray_release(f);
    for (int i = 0; i < naxes; i++)
        garray_release(results[i]);
    return st;
}
