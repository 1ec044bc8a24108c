/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions over axes: what dtype they run in, which axes stay, and what an empty one gives. */
#include <math.h>
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/plan.h"
#include "core/reduce.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/reduce.h"

/* NumPy's names in messages. */
static const char *const names[] = {
    [GARRAY_RED_SUM] = "sum", [GARRAY_RED_PROD] = "prod", [GARRAY_RED_MIN] = "minimum", [GARRAY_RED_MAX] = "maximum",
    [GARRAY_RED_MEAN] = "mean", [GARRAY_RED_VAR] = "var", [GARRAY_RED_STD] = "std", [GARRAY_RED_ANY] = "any",
    [GARRAY_RED_ALL] = "all", [GARRAY_RED_COUNT_NONZERO] = "count_nonzero", [GARRAY_RED_ARGMIN] = "argmin",
    [GARRAY_RED_ARGMAX] = "argmax",
};

/* What the families of options have in common. */
struct request {
    int op, dtype;
    bool keepdims;
    garray_axes axes;
    garray_operand initial, where, correction;
};

int garray__sum_dtype(int dtype)
{
    int kind = garray__kind_of(dtype);
    return kind == GARRAY__K_BOOL || kind == GARRAY__K_SINT ? GARRAY_INT64 : kind == GARRAY__K_UINT ? GARRAY_UINT64 : dtype;
}

static bool is_arg(int op)
{
    return op == GARRAY_RED_ARGMIN || op == GARRAY_RED_ARGMAX;
}

/* The dtype that the reduction runs in; 0 if dtype= is not one for it. */
static int running_dtype(const struct request *q, int in)
{
    switch (q->op) {
    case GARRAY_RED_SUM:
    case GARRAY_RED_PROD:
        return q->dtype ? q->dtype : garray__sum_dtype(in);
    case GARRAY_RED_MEAN:
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD:
        if (q->dtype)
            return garray__kind_of(q->dtype) >= GARRAY__K_FLOAT ? q->dtype : 0;
        return garray__kind_of(in) >= GARRAY__K_FLOAT ? in : GARRAY_FLOAT64;
    default:
        return q->dtype ? 0 : in;
    }
}

static int output_dtype(int op, int running)
{
    switch (op) {
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD: return garray__real_of(running);
    case GARRAY_RED_ANY:
    case GARRAY_RED_ALL: return GARRAY_BOOL;
    case GARRAY_RED_COUNT_NONZERO:
    case GARRAY_RED_ARGMIN:
    case GARRAY_RED_ARGMAX: return GARRAY_INT64;
    default: return running;
    }
}

/* Whether a backend reduces dtype `in` into `running` in one go (see the plan in backend.h). */
static bool pairs(int op, int in, int running)
{
    if (in == running)
        return true;
    return (op == GARRAY_RED_SUM || op == GARRAY_RED_PROD || op == GARRAY_RED_MEAN) && garray__kind_of(in) <= GARRAY__K_UINT
           && (running == GARRAY_INT64 || running == GARRAY_UINT64 || running == GARRAY_FLOAT64);
}

/* The result where nothing is reduced: the identity, `initial`, or NaN. */
static garray_status fill_empty(const struct request *q, garray_t *target)
{
    garray_operand value = garray_operand_int(0);
    if (q->initial.kind != GARRAY_OPERAND_NONE)
        value = q->initial;
    else if (q->op == GARRAY_RED_PROD || q->op == GARRAY_RED_ALL)
        value = garray_operand_int(1);
    else if (q->op == GARRAY_RED_MEAN || q->op == GARRAY_RED_VAR || q->op == GARRAY_RED_STD)
        value = garray__kind_of(target->dtype) == GARRAY__K_COMPLEX ? garray_operand_complex(NAN, NAN)
                                                                    : garray_operand_double(NAN);
    return garray__fill(target, &value);
}

static garray_status check_request(const garray_t *x, const struct request *q, garray_t **out)
{
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!q->dtype || garray__is_dtype(q->dtype), DTYPE, "%d is not a dtype", q->dtype);
    GARRAY_TRY(garray__option_check(&q->initial, "initial", GARRAY__NUMBER));
    bool takes_initial = q->op >= GARRAY_RED_SUM && q->op <= GARRAY_RED_MAX;
    GARRAY_REQUIRE(takes_initial || q->initial.kind == GARRAY_OPERAND_NONE, INVALID, "takes no initial");
    bool takes_dtype =
        q->op == GARRAY_RED_SUM || q->op == GARRAY_RED_PROD || (q->op >= GARRAY_RED_MEAN && q->op <= GARRAY_RED_STD);
    GARRAY_REQUIRE(takes_dtype || !q->dtype, INVALID, "takes no dtype");
    GARRAY_REQUIRE(running_dtype(q, x->dtype), DTYPE, "cannot run in dtype %s", garray__name_of(q->dtype));
    GARRAY_TRY(garray__option_check(&q->where, "where", GARRAY__MASK));
    if (q->where.kind == GARRAY_OPERAND_ARRAY) {
        const garray_t *where = q->where.array;
        GARRAY_REQUIRE(where, INVALID, "where is NULL");
        GARRAY_REQUIRE(where->dtype == GARRAY_BOOL, DTYPE, "where must be bool, not %s", garray__name_of(where->dtype));
    }
    if ((q->op == GARRAY_RED_MIN || q->op == GARRAY_RED_MAX) && q->where.kind != GARRAY_OPERAND_NONE)
        GARRAY_REQUIRE(q->initial.kind != GARRAY_OPERAND_NONE, INVALID,
                       "reduction operation '%s' does not have an identity, so to use a where mask one has to specify 'initial'",
                       names[q->op]);
    if (is_arg(q->op))
        GARRAY_REQUIRE((q->axes.n == 0 && !q->axes.v) || q->axes.n == 1, AXIS, "takes one axis or all, not %lld",
                       (long long)q->axes.n);
    return GARRAY_OK;
}

/* The mask broadcast to x's shape. */
static garray_status open_mask(const struct request *q, const garray_t *x, garray_t **mask)
{
    garray_t *given = NULL;
    garray_status st = GARRAY_OK;
    if (q->where.kind == GARRAY_OPERAND_BOOL) {
        GARRAY__TRY(garray__new(GARRAY_BOOL, 0, NULL, garray__device_of(x), &given));
        GARRAY__TRY(garray__fill(given, &q->where));
    } else {
        GARRAY__TRY(garray__operand_array(&q->where, &given));
    }
    GARRAY__TRY(garray__same_device(garray__device_of(x), given));
    st = garray__broadcast(given, x->ndim, x->shape, mask);
done:
    garray_release(given);
    return st;
}

static garray_status run_plan(const struct request *q, const garray_t *x, const garray_t *mask, const bool *reduced,
                              double correction, int running, garray_t *target)
{
    garray_reduce_plan plan;
    plan.op = q->op;
    plan.in_dtype = x->dtype;
    plan.acc_dtype = running;
    plan.has_initial = q->initial.kind != GARRAY_OPERAND_NONE;
    plan.initial[0] = plan.initial[1] = 0;
    plan.correction = correction;
    plan.keep_count = plan.red_count = 1;
    if (plan.has_initial) {
        garray_status st = garray__scalar_bits(&q->initial, running, plan.initial);
        if (st != GARRAY_OK)
            return st;
    }
    int nkeep = 0, nred = 0;
    for (int i = 0; i < x->ndim; i++) {
        int64_t step = garray__strides(x)[i], mask_step = mask ? garray__strides(mask)[i] : 0;
        if (reduced[i]) {
            plan.red_shape[nred] = x->shape[i];
            plan.in_red[nred] = step;
            plan.mask_red[nred++] = mask_step;
            plan.red_count *= x->shape[i];
        } else {
            plan.keep_shape[nkeep] = x->shape[i];
            plan.in_keep[nkeep] = step;
            plan.mask_keep[nkeep++] = mask_step;
            plan.keep_count *= x->shape[i];
        }
    }
    garray__c_strides(nkeep, plan.keep_shape, garray__size_of(target->dtype), plan.out_keep);
    char *data[3] = { target->data, x->data, mask ? mask->data : NULL };
    int64_t *keep_strides[3] = { plan.out_keep, plan.in_keep, plan.mask_keep };
    int64_t *red_strides[2] = { plan.in_red, plan.mask_red };
    plan.nkeep = garray__merge_axes(nkeep, plan.keep_shape, mask ? 3 : 2, keep_strides, data, false);
    plan.nred = garray__merge_axes(nred, plan.red_shape, mask ? 2 : 1, red_strides, data + 1, is_arg(q->op));
    plan.out = data[0];
    plan.in = data[1];
    plan.mask = (const uint8_t *)data[2];
    garray__uses uses;
    uses.device = garray__device_of(x);
    uses.nwrite = 1;
    uses.write[0] = target->buffer;
    uses.nread = mask ? 2 : 1;
    uses.read[0] = x->buffer;
    uses.read[1] = mask ? mask->buffer : NULL;
    return garray__submit(GARRAY__REDUCE, &plan, &uses);
}

static garray_status get_correction(const garray_operand *o, double *correction)
{
    uint64_t bits[2];
    *correction = 0;
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(o, "correction", GARRAY__NUMBER));
    garray_status st = garray__scalar_bits(o, GARRAY_FLOAT64, bits);
    memcpy(correction, bits, 8);
    return st;
}

static garray_status reduce(const garray_t *x, const struct request *q, garray_t **out)
{
    garray_status st = check_request(x, q, out);
    bool reduced[GARRAY_MAX_NDIM];
    double correction = 0;
    if (st == GARRAY_OK)
        st = garray__axis_set(q->axes, x->ndim, reduced);
    if (st == GARRAY_OK)
        st = get_correction(&q->correction, &correction);
    if (st != GARRAY_OK)
        return st;
    int64_t shape[GARRAY_MAX_NDIM], red_count = 1;
    int ndim = 0, running = running_dtype(q, x->dtype);
    for (int i = 0; i < x->ndim; i++) {
        if (reduced[i])
            red_count *= x->shape[i];
        if (!reduced[i] || q->keepdims)
            shape[ndim++] = reduced[i] ? 1 : x->shape[i];
    }
    if (red_count == 0 && q->initial.kind == GARRAY_OPERAND_NONE) {
        GARRAY_REQUIRE(q->op != GARRAY_RED_MIN && q->op != GARRAY_RED_MAX, SHAPE,
                       "zero-size array to reduction operation %s which has no identity", names[q->op]);
        GARRAY_REQUIRE(!is_arg(q->op), SHAPE, "attempt to get %s of an empty sequence", names[q->op]);
    }
    garray_t *mask = NULL, *cast = NULL;
    struct garray__result r;
    if (q->where.kind != GARRAY_OPERAND_NONE)
        GARRAY__TRY(open_mask(q, x, &mask));
    if (!pairs(q->op, x->dtype, running)) {
        GARRAY__TRY(garray__copy_as(x, running, &cast));
        x = cast;
    }
    const garray_t *inputs[2] = { x, mask };
    GARRAY__TRY(garray__result_open(&r, out, output_dtype(q->op, running), ndim, shape, garray__device_of(x), 0, 2, inputs));
    if (r.target->size > 0)
        st = red_count == 0 ? fill_empty(q, r.target) : run_plan(q, x, mask, reduced, correction, running, r.target);
    st = garray__result_close(&r, st);
done:
    garray_release(mask);
    garray_release(cast);
    return st;
}

/* ---- public ---- */

static garray_status reduce_plain(int op, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts, garray_t **out)
{
    struct request q = { .op = op, .axes = axes };
    if (opts) {
        q.keepdims = opts->keepdims;
        q.dtype = opts->dtype;
        q.initial = opts->initial;
        q.where = opts->where;
    }
    return reduce(x, &q, out);
}

static garray_status reduce_var(int op, const garray_t *x, garray_axes axes, const garray_var_opts *opts, garray_t **out)
{
    struct request q = { .op = op, .axes = axes };
    if (opts) {
        q.keepdims = opts->keepdims;
        q.dtype = opts->dtype;
        q.correction = opts->correction;
        q.where = opts->where;
    }
    return reduce(x, &q, out);
}

static garray_status reduce_arg(int op, const garray_t *x, garray_axes axes, const garray_arg_opts *opts, garray_t **out)
{
    struct request q = { .op = op, .axes = axes, .keepdims = opts && opts->keepdims };
    return reduce(x, &q, out);
}

#define REDUCTION(function, opts_type, first, how, op)                                                       \
    garray_status function(const garray_t *x, garray_axes axes, const opts_type *opts, garray_t **out)       \
    {                                                                                                        \
        GARRAY_ENTER(#function);                                                                             \
        GARRAY_REQUIRE_OPTIONS(opts, first);                                                                 \
        return how(op, x, axes, opts, out);                                                                  \
    }
REDUCTION(garray_sum, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_SUM)
REDUCTION(garray_prod, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_PROD)
REDUCTION(garray_min, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_MIN)
REDUCTION(garray_max, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_MAX)
REDUCTION(garray_mean, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_MEAN)
REDUCTION(garray_var, garray_var_opts, reserved, reduce_var, GARRAY_RED_VAR)
REDUCTION(garray_std, garray_var_opts, reserved, reduce_var, GARRAY_RED_STD)
REDUCTION(garray_any, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_ANY)
REDUCTION(garray_all, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_ALL)
REDUCTION(garray_count_nonzero, garray_reduce_opts, reserved, reduce_plain, GARRAY_RED_COUNT_NONZERO)
REDUCTION(garray_argmin, garray_arg_opts, reserved32, reduce_arg, GARRAY_RED_ARGMIN)
REDUCTION(garray_argmax, garray_arg_opts, reserved32, reduce_arg, GARRAY_RED_ARGMAX)
#undef REDUCTION
