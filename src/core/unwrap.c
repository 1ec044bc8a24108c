/* SPDX-License-Identifier: BSD-3-Clause
 * unwrap: steps along an axis, what to add for each, the sums of these, and the sum with the phases. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "garray/numeric.h"
#include "garray/reduce.h"

static double value_of(const garray_operand *o)
{
    uint64_t bits[2];
    double value;
    garray__scalar_cast(o, GARRAY_FLOAT64, bits);
    memcpy(&value, bits, sizeof value);
    return value;
}

/* Below which steps stay; of integers the least integer that is not below. */
static garray_operand discontinuity(const garray_unwrap_opts *opts, const garray_operand *period, int dtype)
{
    double value = opts && opts->discont.kind != GARRAY_OPERAND_NONE ? value_of(&opts->discont) : value_of(period) / 2;
    return garray__is_integer(dtype) ? garray_operand_double(ceil(value)) : garray_operand_double(value);
}

/* What to add to all elements but the first along the axis. */
static garray_status corrections(const garray_t *p, int axis, int dtype, const garray_operand *period,
                                 const garray_unwrap_opts *opts, garray_t **out)
{
    garray_t *after = NULL, *before = NULL, *step = NULL;
    garray_operand in[3];
    uint64_t bits[2];
    int32_t axes = axis;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(p, axis, 1, p->shape[axis] - 1, &after));
    GARRAY__TRY(garray__part(p, axis, 0, p->shape[axis] - 1, &before));
    in[0] = garray_operand_array(after);
    in[1] = garray_operand_array(before);
    GARRAY__TRY(garray__elementwise(GARRAY_OP_subtract, 2, in, 0, &step));
    in[0] = garray_operand_array(step);
    in[1] = *period;
    in[2] = discontinuity(opts, period, dtype);
    if (garray__is_integer(dtype)) {    /* a limit out of range is as good as the largest number */
        garray__scalar_cast(&in[2], dtype, bits);
        in[2] = garray__scalar_at(bits, dtype);
    }
    GARRAY__TRY(garray__elementwise(GARRAY__OP_unwrap, 3, in, dtype, &step));
    garray_cumulative_opts running = { .dtype = (garray_dtype)dtype };
    st = garray_cumulative_sum(step, (garray_axes){ 1, &axes }, &running, out);
done:
    garray_release(after);
    garray_release(before);
    garray_release(step);
    return st;
}

/* target[0] = p[0], target[1:] = p[1:] + correction, along the axis. */
static garray_status correct(const garray_t *p, int axis, const garray_t *correction, garray_t *target)
{
    garray_t *first = NULL, *begin = NULL, *rest = NULL, *end = NULL;
    garray_operand in[2];
    int64_t n = p->shape[axis];
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(p, axis, 0, 1, &first));
    GARRAY__TRY(garray__part(target, axis, 0, 1, &begin));
    GARRAY__TRY(garray__part(p, axis, 1, n - 1, &rest));
    GARRAY__TRY(garray__part(target, axis, 1, n - 1, &end));
    GARRAY__TRY(garray__assign(begin, first));
    in[0] = garray_operand_array(rest);
    in[1] = garray_operand_array(correction);
    st = garray__elementwise(GARRAY_OP_add, 2, in, 0, garray_into(end));
done:
    garray_release(first);
    garray_release(begin);
    garray_release(rest);
    garray_release(end);
    return st;
}

garray_status garray_unwrap(const garray_t *p, int axis, const garray_unwrap_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_unwrap");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray_t *correction = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    garray_operand pair[2];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p, INVALID, "p is NULL");
    st = garray__axis(axis, p->ndim, &axis);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(p->dtype != GARRAY_BOOL && garray__kind_of(p->dtype) != GARRAY__K_COMPLEX, DTYPE,
                   "phases are real numbers, not %s", garray__name_of(p->dtype));
    pair[0] = garray_operand_array(p);
    pair[1] = opts && opts->period.kind != GARRAY_OPERAND_NONE ? opts->period : garray_operand_double(6.283185307179586);
    GARRAY__TRY(garray__option_check(&pair[1], "period", GARRAY__REAL));
    if (opts && opts->discont.kind != GARRAY_OPERAND_NONE)
        GARRAY__TRY(garray__option_check(&opts->discont, "discont", GARRAY__REAL));
    int dtype = garray__common_dtype(2, pair);
    GARRAY_REQUIRE(garray__kind_of(dtype) != GARRAY__K_UINT, DTYPE,
                   "phases of dtype %s cannot become less than 0; give a period that is a float", garray__name_of(p->dtype));
    if (p->size > 0 && p->shape[axis] > 1)
        GARRAY__TRY(corrections(p, axis, dtype, &pair[1], opts, &correction));
    GARRAY__TRY(garray__result_open(&r, out, dtype, p->ndim, p->shape, garray__device_of(p), GARRAY__CASTS, 1, &p));
    if (correction)
        st = correct(p, axis, correction, r.target);
    else
        st = garray__assign(r.target, p);
    st = garray__result_close(&r, st);
done:
    garray_release(correction);
    return st;
}
