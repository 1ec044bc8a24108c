/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic of polynomials, as NumPy composes it. */
#include <inttypes.h>
#include "core/compose.h"
#include "core/polynomial.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/numeric.h"
#include "garray/polynomial.h"
#include "garray/rearrange.h"
#include "garray/shape.h"
#include "garray/signal.h"

/* ---- operands ---- */

static garray_status vector(const garray_operand *o, int dtype, garray__device *device, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = GARRAY_OK;
    const int64_t one = 1;
    if (o->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__operand_array(o, &given));
    } else {
        GARRAY__TRY(garray__new(dtype, 0, NULL, device, &given));
        GARRAY__TRY(garray__fill(given, o));
    }
    if (given->ndim == 0)
        st = garray_reshape(given, (garray_shape){ 1, &one }, out);
    else
        *out = garray_retain(given);
done:
    garray_release(given);
    return st;
}

garray_status garray__vectors(const garray_operand *a, const char *a_name, const garray_operand *b, const char *b_name,
                              garray_t **x, garray_t **y)
{
    const garray_operand both[2] = { *a, *b };
    garray_t *first = NULL, *second = NULL;
    garray_status st = garray__operand_check(a, a_name);
    if (st == GARRAY_OK)
        st = garray__operand_check(b, b_name);
    if (st != GARRAY_OK)
        return st;
    const garray_t *array = a->kind == GARRAY_OPERAND_ARRAY ? a->array : b->kind == GARRAY_OPERAND_ARRAY ? b->array : NULL;
    GARRAY_REQUIRE(array, INVALID, "%s and %s are numbers: there is no array to say on which device", a_name, b_name);
    garray__device *device = garray__device_of(array);
    if (b->kind == GARRAY_OPERAND_ARRAY)
        GARRAY__TRY(garray__same_device(device, b->array));
    int dtype = garray__common_dtype(2, both);
    GARRAY__TRY(vector(a, dtype, device, &first));
    GARRAY__TRY(vector(b, dtype, device, &second));
    *x = garray_retain(first);
    *y = garray_retain(second);
done:
    garray_release(first);
    garray_release(second);
    return st;
}

static garray_status polynomials(const garray_operand *a, const char *a_name, const garray_operand *b, const char *b_name,
                                 garray_t **x, garray_t **y)
{
    garray_status st = garray__vectors(a, a_name, b, b_name, x, y);
    if (st == GARRAY_OK && ((*x)->ndim > 1 || (*y)->ndim > 1))
        st = garray__fail(GARRAY_ERR_SHAPE, "Polynomial must be 1d only: %s has %d axes, %s has %d", a_name, (*x)->ndim, b_name,
                          (*y)->ndim);
    return st;
}

/* ---- sums ---- */

/* x with zeros in front, n in all. */
static garray_status lengthen(garray_t **x, int64_t n)
{
    garray_t *longer = NULL, *end = NULL;
    garray_status st = GARRAY_OK;
    const int64_t length = (*x)->size;
    if (length == n)
        return GARRAY_OK;
    const garray_operand zero = garray_operand_int(0);
    GARRAY__TRY(garray__new((*x)->dtype, 1, &n, garray__device_of(*x), &longer));
    GARRAY__TRY(garray__fill(longer, &zero));
    GARRAY__TRY(garray__part(longer, 0, n - length, length, &end));
    GARRAY__TRY(garray__assign(end, *x));
    garray_release(*x);
    *x = garray_retain(longer);
done:
    garray_release(longer);
    garray_release(end);
    return st;
}

static garray_status sum(int op, const garray_operand *a1, const garray_operand *a2, garray_t **out)
{
    garray_t *x = NULL, *y = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(polynomials(a1, "a1", a2, "a2", &x, &y));
    const int64_t n = x->size > y->size ? x->size : y->size;
    GARRAY__TRY(lengthen(&x, n));
    GARRAY__TRY(lengthen(&y, n));
    st = garray__binary(op, GARRAY__ARR(x), GARRAY__ARR(y), 0, out);
done:
    garray_release(x);
    garray_release(y);
    return st;
}

garray_status (garray_polyadd)(garray_operand a1, garray_operand a2, garray_t **out)
{
    GARRAY_ENTER("garray_polyadd");
    return sum(GARRAY_OP_add, &a1, &a2, out);
}

garray_status (garray_polysub)(garray_operand a1, garray_operand a2, garray_t **out)
{
    GARRAY_ENTER("garray_polysub");
    return sum(GARRAY_OP_subtract, &a1, &a2, out);
}

/* ---- product and quotient ---- */

/* Without leading zeros; of nothing else one is left.  Waits. */
static garray_status shorten(garray_t **x)
{
    const int32_t axis = 0;
    const int64_t one = 1;
    const garray_operand zero = garray_operand_int(0);
    garray_status st = garray_trim_zeros(*x, "f", (garray_axes){ 1, &axis }, x);
    if (st != GARRAY_OK || (*x)->size > 0)
        return st;
    garray_t *none = NULL;
    st = garray__new((*x)->dtype, 1, &one, garray__device_of(*x), &none);
    if (st == GARRAY_OK)
        st = garray__fill(none, &zero);
    if (st != GARRAY_OK) {
        garray_release(none);
        return st;
    }
    garray_release(*x);
    *x = none;
    return GARRAY_OK;
}

garray_status (garray_polymul)(garray_operand a1, garray_operand a2, garray_t **out)
{
    GARRAY_ENTER("garray_polymul");
    garray_t *x = NULL, *y = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(polynomials(&a1, "a1", &a2, "a2", &x, &y));
    GARRAY__TRY(shorten(&x));
    GARRAY__TRY(shorten(&y));
    st = (garray_convolve)(GARRAY__ARR(x), GARRAY__ARR(y), NULL, out);
done:
    garray_release(x);
    garray_release(y);
    return st;
}

/* The remainder without leading coefficients that are close to 0, but for the last one.  Waits. */
static garray_status drop_small(const garray_t *r, garray_t **out)
{
    garray_t *small = NULL, *large = NULL;
    int64_t first = r->size - 1;
    const garray_close_opts tolerance = { .rtol = garray_operand_double(1e-14) };
    garray_status st = (garray_isclose)(GARRAY__ARR(r), garray_operand_int(0), &tolerance, &small);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_logical_not, GARRAY__ARR(small), &small);
    if (st == GARRAY_OK)
        st = garray_flatnonzero(small, &large);
    if (st == GARRAY_OK && large->size > 0) {
        garray_t *place = NULL;
        st = garray__part(large, 0, 0, 1, &place);
        if (st == GARRAY_OK)
            st = garray_to_host(place, &first, NULL, sizeof first);
        garray_release(place);
    }
    if (st == GARRAY_OK)
        st = garray__part(r, 0, first, r->size - first, out);
    garray_release(small);
    garray_release(large);
    return st;
}

/* r, which holds u, becomes the remainder, step by step as in NumPy. */
static garray_status divide(garray_t *r, const garray_t *v, garray_t *q)
{
    garray_t *scale = NULL, *lead = NULL, *at = NULL, *digit = NULL, *term = NULL, *part = NULL;
    const int64_t n = v->size, steps = r->size - n + 1;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(v, 0, 0, 1, &lead));
    GARRAY__TRY(garray__binary(GARRAY_OP_divide, garray_operand_double(1), GARRAY__ARR(lead), 0, &scale));
    for (int64_t k = 0; k < steps; k++) {
        garray_t **each[] = { &at, &digit, &part };
        GARRAY__TRY(garray__part(r, 0, k, 1, &at));
        GARRAY__TRY(garray__part(q, 0, k, 1, &digit));
        GARRAY__TRY(garray__part(r, 0, k, n, &part));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(scale), GARRAY__ARR(at), 0, garray_into(digit)));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(digit), GARRAY__ARR(v), 0, &term));
        GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(part), GARRAY__ARR(term), 0, garray_into(part)));
        for (int i = 0; i < 3; i++) {
            garray_release(*each[i]);
            *each[i] = NULL;
        }
    }
done:
    garray_release(scale);
    garray_release(lead);
    garray_release(at);
    garray_release(digit);
    garray_release(term);
    garray_release(part);
    return st;
}

garray_status (garray_polydiv)(garray_operand u, garray_operand v, garray_t **quotient, garray_t **remainder)
{
    GARRAY_ENTER("garray_polydiv");
    garray_t **const outs[2] = { quotient, remainder };
    garray_t *x = NULL, *y = NULL, *r = NULL, *values[2] = { NULL, NULL };
    const garray_operand zero = garray_operand_int(0);
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(polynomials(&u, "u", &v, "v", &x, &y));
    GARRAY__CHECK(x->size > 0 && y->size > 0, INDEX, "index 0 is out of bounds for axis 0 with size 0");
    if (garray__kind_of(x->dtype) < GARRAY__K_FLOAT)
        GARRAY__TRY(garray_astype(x, GARRAY_FLOAT64, &x));
    if (garray__kind_of(y->dtype) < GARRAY__K_FLOAT)
        GARRAY__TRY(garray_astype(y, GARRAY_FLOAT64, &y));
    int dtype = garray__promote(x->dtype, y->dtype);
    const int64_t steps = x->size - y->size + 1, n = steps > 1 ? steps : 1;
    GARRAY__TRY(garray__copy_as(x, dtype, &r));
    GARRAY__TRY(garray__new(dtype, 1, &n, garray__device_of(x), &values[0]));
    GARRAY__TRY(garray__fill(values[0], &zero));
    GARRAY__TRY(divide(r, y, values[0]));
    st = drop_small(r, &values[1]);
done:
    garray_release(x);
    garray_release(y);
    garray_release(r);
    return garray__assign_outs(2, outs, values, st);
}

/* ---- derivative and antiderivative ---- */

/* The numbers n, n - 1, ... down to 1; none for n < 1. */
static garray_status powers(int64_t n, const garray_t *like, garray_t **out)
{
    return (garray_arange)(garray_operand_int(n > 0 ? n : 0), garray_operand_int(0), garray_operand_int(-1), GARRAY_INT64,
                           garray_device_of(like), out);
}

garray_status garray_polyder(const garray_t *p, int64_t m, garray_t **out)
{
    GARRAY_ENTER("garray_polyder");
    garray_t *y = NULL, *lower = NULL, *factor = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p, INVALID, "p is NULL");
    GARRAY_REQUIRE(p->ndim == 1, SHAPE, "p must be a vector of coefficients, it has %d axes", p->ndim);
    GARRAY_REQUIRE(m >= 0, INVALID, "Order of derivative must be positive (see polyint): %" PRId64, m);
    GARRAY__TRY(garray__copy_as(p, p->dtype, &y));
    for (int64_t i = 0; i < m; i++) {
        const int64_t n = y->size > 0 ? y->size - 1 : 0;
        if (y->size == 0 && i > 0)
            break;
        GARRAY__TRY(garray__part(y, 0, 0, n, &lower));
        GARRAY__TRY(powers(n, y, &factor));
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(lower), GARRAY__ARR(factor), 0, &y));
        garray_release(lower);
        lower = NULL;
    }
    st = garray__result_assign(out, garray_retain(y));
done:
    garray_release(y);
    garray_release(lower);
    garray_release(factor);
    return st;
}

/* The constants of m integrations: a vector of m or more. */
static garray_status constants(const garray_operand *k, int64_t m, const garray_t *p, garray_t **out)
{
    garray_t *given = NULL;
    const garray_operand zero = k->kind == GARRAY_OPERAND_NONE ? garray_operand_double(0) : *k;
    garray_status st = garray__option_array(&zero, "k", garray__device_of(p), &given);
    if (st != GARRAY_OK)
        return st;
    if (given->ndim == 0 || (given->ndim == 1 && given->size == 1))
        st = garray__broadcast(given, 1, &m, out);
    else if (given->ndim == 1 && given->size >= m)
        *out = garray_retain(given);
    else
        st = garray__fail(GARRAY_ERR_SHAPE, "k must be a scalar or a rank-1 array of length 1 or >m.");
    garray_release(given);
    return st;
}

garray_status garray_polyint(const garray_t *p, int64_t m, const garray_polyint_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_polyint");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *y = NULL, *k = NULL, *constant = NULL, *factor = NULL;
    const garray_operand none = { 0 };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p, INVALID, "p is NULL");
    GARRAY_REQUIRE(p->ndim == 1, SHAPE, "p must be a vector of coefficients, it has %d axes", p->ndim);
    GARRAY_REQUIRE(m >= 0, INVALID, "Order of integral must be positive (see polyder): %" PRId64, m);
    GARRAY_REQUIRE(m <= INT32_MAX, SHAPE, "Order of integral is too large: %" PRId64, m);
    GARRAY__TRY(constants(opts ? &opts->k : &none, m, p, &k));
    GARRAY__TRY(garray__copy_as(p, p->dtype, &y));
    for (int64_t i = 0; i < m; i++) {
        GARRAY__TRY(powers(y->size, y, &factor));
        GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(y), GARRAY__ARR(factor), 0, &y));
        GARRAY__TRY(garray__part(k, 0, i, 1, &constant));
        const garray_t *both[2] = { y, constant };
        GARRAY__TRY(garray_concat((garray_list){ 2, both }, 0, &y));
        garray_release(constant);
        constant = NULL;
    }
    st = garray__result_assign(out, garray_retain(y));
done:
    garray_release(y);
    garray_release(k);
    garray_release(constant);
    garray_release(factor);
    return st;
}
