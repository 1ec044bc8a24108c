/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that a table describes: polyval and interp, by plans of the entry `evaluate`. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/polynomial.h"
#include "garray/shape.h"
#include "garray/signal.h"
#include "garray/sort.h"

static garray_status submit(garray_evaluate_plan *plan, const garray_t *x, const garray_t *table, const garray_t *points,
                            garray_t *out)
{
    garray__uses uses;
    plan->dtype = out->dtype;
    plan->x = x->data;
    plan->table = table->data;
    plan->points = points ? (const double *)points->data : NULL;
    plan->out = out->data;
    plan->n = table->size;
    plan->count = out->size;
    if (plan->count == 0)
        return GARRAY_OK;
    uses.device = garray__device_of(out);
    uses.nread = points ? 3 : 2;
    uses.nwrite = 1;
    uses.read[0] = x->buffer;
    uses.read[1] = table->buffer;
    if (points)
        uses.read[2] = points->buffer;
    uses.write[0] = out->buffer;
    return garray__submit(GARRAY__EVALUATE, plan, &uses);
}

/* An operand as an array of a dtype, contiguous; 0-d for a number. */
static garray_status places(const garray_operand *o, int dtype, garray__device *device, garray_t **out)
{
    garray_t *given = NULL;
    garray_status st = GARRAY_OK;
    if (o->kind == GARRAY_OPERAND_ARRAY) {
        GARRAY__TRY(garray__same_device(device, o->array));
        GARRAY__TRY(garray__operand_array(o, &given));
        st = garray__contiguous(given, dtype, out);
    } else {
        GARRAY__TRY(garray__new(dtype, 0, NULL, device, &given));
        GARRAY__TRY(garray__fill(given, o));
        *out = garray_retain(given);
    }
done:
    garray_release(given);
    return st;
}

garray_status (garray_polyval)(const garray_t *p, garray_operand x, garray_t **out)
{
    GARRAY_ENTER("garray_polyval");
    garray_t *table = NULL, *at = NULL;
    garray_evaluate_plan plan = { .kind = GARRAY_EVALUATE_POLYNOMIAL };
    struct garray__result r = { NULL, NULL, NULL };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p, INVALID, "p is NULL");
    GARRAY_REQUIRE(p->ndim == 1, SHAPE, "p must be a vector of coefficients, it has %d axes", p->ndim);
    GARRAY__TRY(garray__operand_check(&x, "x"));
    const garray_operand both[2] = { x, GARRAY__ARR(p) };
    int dtype = garray__common_dtype(p->size > 0 ? 2 : 1, both);
    GARRAY__TRY(places(&x, dtype, garray__device_of(p), &at));
    GARRAY__TRY(garray__contiguous(p, dtype, &table));
    const garray_t *const inputs[2] = { at, table };
    GARRAY__TRY(garray__result_open(&r, out, dtype, at->ndim, at->shape, garray__device_of(p), 0, 2, inputs));
    st = garray__result_close(&r, submit(&plan, at, table, NULL, r.target));
done:
    garray_release(table);
    garray_release(at);
    return st;
}

/* ---- interp ---- */

/* The number for places beside the points. */
static garray_status outside(const garray_operand *o, const char *name, int dtype, double *value, int32_t *given)
{
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(o, name, GARRAY__NUMBER));
    GARRAY_REQUIRE(o->kind != GARRAY_OPERAND_COMPLEX || dtype == GARRAY_COMPLEX128, DTYPE,
                   "%s is complex, but fp is not", name);
    uint64_t bits[2];
    garray__scalar_cast(o, GARRAY_COMPLEX128, bits);
    memcpy(value, bits, sizeof bits);
    *given = 1;
    return GARRAY_OK;
}

/* Angles: x and xp modulo the period, the points in order, and one more at each end. */
static garray_status unroll(double period, garray_t **x, garray_t **points, garray_t **values)
{
    garray_t *order = NULL, *last = NULL, *first = NULL;
    const garray_operand turn = garray_operand_double(period);
    const int64_t n = (*points)->size;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__binary(GARRAY_OP_remainder, GARRAY__ARR(*x), turn, 0, x));
    GARRAY__TRY(garray__binary(GARRAY_OP_remainder, GARRAY__ARR(*points), turn, 0, points));
    GARRAY__TRY(garray_argsort(*points, 0, NULL, &order));
    GARRAY__TRY((garray_take)(*points, GARRAY__ARR(order), (garray_axes){ 1, (const int32_t[]){ 0 } }, points));
    GARRAY__TRY((garray_take)(*values, GARRAY__ARR(order), (garray_axes){ 1, (const int32_t[]){ 0 } }, values));
    GARRAY__TRY(garray__part(*points, 0, n - 1, 1, &last));
    GARRAY__TRY(garray__part(*points, 0, 0, 1, &first));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(last), turn, 0, &last));
    GARRAY__TRY(garray__binary(GARRAY_OP_add, GARRAY__ARR(first), turn, 0, &first));
    GARRAY__TRY(garray_concat((garray_list){ 3, (const garray_t *const[]){ last, *points, first } }, 0, points));
    garray_release(last);
    garray_release(first);
    last = first = NULL;
    GARRAY__TRY(garray__part(*values, 0, n - 1, 1, &last));
    GARRAY__TRY(garray__part(*values, 0, 0, 1, &first));
    st = garray_concat((garray_list){ 3, (const garray_t *const[]){ last, *values, first } }, 0, values);
done:
    garray_release(order);
    garray_release(last);
    garray_release(first);
    return st;
}

static garray_status read_period(const garray_operand *o, double *period)
{
    GARRAY_TRY(garray__option_check(o, "period", GARRAY__REAL));
    uint64_t bits[2];
    garray__scalar_cast(o, GARRAY_FLOAT64, bits);
    memcpy(period, bits, sizeof *period);
    GARRAY_REQUIRE(*period != 0, INVALID, "period must be a non-zero value");
    *period = fabs(*period);
    return GARRAY_OK;
}

garray_status (garray_interp)(garray_operand x, const garray_t *xp, const garray_t *fp, const garray_interp_opts *opts,
                              garray_t **out)
{
    GARRAY_ENTER("garray_interp");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *at = NULL, *points = NULL, *values = NULL;
    garray_evaluate_plan plan = { .kind = GARRAY_EVALUATE_LINES };
    struct garray__result r = { NULL, NULL, NULL };
    const bool periodic = opts && opts->period.kind != GARRAY_OPERAND_NONE;
    double period = 0;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(xp, INVALID, "xp is NULL");
    GARRAY_REQUIRE(fp, INVALID, "fp is NULL");
    GARRAY__TRY(garray__operand_check(&x, "x"));
    GARRAY__TRY(garray__same_device(garray__device_of(xp), fp));
    GARRAY_REQUIRE(xp->ndim == 1 && fp->ndim == 1, SHAPE, "Data points must be 1-D sequences: xp has %d axes, fp has %d",
                   xp->ndim, fp->ndim);
    GARRAY_REQUIRE(xp->size == fp->size, SHAPE, "fp and xp are not of the same length.");
    GARRAY_REQUIRE(xp->size > 0, INVALID, "array of sample points is empty");
    GARRAY_REQUIRE(garray__kind_of(xp->dtype) != GARRAY__K_COMPLEX, DTYPE, "xp must be real, not %s", garray__name_of(xp->dtype));
    GARRAY_REQUIRE(x.kind == GARRAY_OPERAND_ARRAY ? garray__kind_of(x.array->dtype) != GARRAY__K_COMPLEX
                                                  : x.kind != GARRAY_OPERAND_COMPLEX,
                   DTYPE, "x must be real");
    int dtype = garray__kind_of(fp->dtype) == GARRAY__K_COMPLEX ? GARRAY_COMPLEX128 : GARRAY_FLOAT64;
    if (periodic) {
        GARRAY__TRY(read_period(&opts->period, &period));
    } else if (opts) {
        GARRAY__TRY(outside(&opts->left, "left", dtype, plan.left, &plan.has_left));
        GARRAY__TRY(outside(&opts->right, "right", dtype, plan.right, &plan.has_right));
    }
    GARRAY__TRY(places(&x, GARRAY_FLOAT64, garray__device_of(xp), &at));
    GARRAY__TRY(garray__contiguous(xp, GARRAY_FLOAT64, &points));
    GARRAY__TRY(garray__contiguous(fp, dtype, &values));
    if (periodic)
        GARRAY__TRY(unroll(period, &at, &points, &values));
    const garray_t *const inputs[3] = { at, points, values };
    GARRAY__TRY(garray__result_open(&r, out, dtype, at->ndim, at->shape, garray__device_of(xp), 0, 3, inputs));
    st = garray__result_close(&r, submit(&plan, at, values, points, r.target));
done:
    garray_release(at);
    garray_release(points);
    garray_release(values);
    return st;
}
