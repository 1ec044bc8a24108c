/* SPDX-License-Identifier: BSD-3-Clause
 * Elementwise functions: from operands to a plan.  The public functions come from the rows of ops.def. */
#include <stdio.h>
#include <string.h>
#include "core/compose.h"
#include "core/elementwise.h"
#include "core/graph.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/math.h"

/* ---- the table ---- */

enum {
    BOOL = 1 << GARRAY_BOOL,
    INTEGER = 0x1fe << 1,           /* dtypes 2 to 9 */
    FLOAT = 1 << GARRAY_FLOAT16 | 1 << GARRAY_BFLOAT16 | 1 << GARRAY_FLOAT32 | 1 << GARRAY_FLOAT64,
    COMPLEX = 1 << GARRAY_COMPLEX64 | 1 << GARRAY_COMPLEX128,
    REAL = INTEGER | FLOAT,
    REALS = BOOL | REAL,
    NUMBER = REAL | COMPLEX,
    ANY = BOOL | NUMBER,
    INEXACT = FLOAT | COMPLEX,
    BITS = BOOL | INTEGER,
    UINT64 = 1 << GARRAY_UINT64,
    DOUBLES = 1 << GARRAY_FLOAT64 | 1 << GARRAY_COMPLEX128,
};
_Static_assert(INTEGER == (1 << (GARRAY_UINT64 + 1)) - (1 << GARRAY_INT8), "the integer dtypes are neighbours");

const garray__op_info garray__ops[GARRAY_OP_LIMIT] = {
#define ROW(number, name, classes, nin, outside, result, hidden) \
    [number] = { #name, classes, nin, GARRAY__OUTSIDE_##outside, GARRAY__RESULT_##result, hidden, 1 },
#define GARRAY_UNARY(number, name, classes, outside, result, ...) ROW(number, name, classes, 1, outside, result, 0)
#define GARRAY_BINARY(number, name, classes, outside, result, ...) ROW(number, name, classes, 2, outside, result, 0)
#define GARRAY_TERNARY(number, name, classes, outside, result, ...) ROW(number, name, classes, 3, outside, result, 0)
#define GARRAY_HIDDEN(number, name, classes, outside, result, ...) ROW(number, name, classes, 2, outside, result, 1)
#define GARRAY_HIDDEN1(number, name, classes, outside, result, ...) ROW(number, name, classes, 1, outside, result, 1)
#define GARRAY_HIDDEN3(number, name, classes, outside, result, ...) ROW(number, name, classes, 3, outside, result, 1)
#define GARRAY_PAIR(number, name, nin, ...) [number] = { #name, 0, nin, 0, 0, 0, 2 },
#include "core/ops.def"
#undef ROW
};

#define GARRAY_UNARY(number, name, ...) _Static_assert(number == GARRAY_OP_##name, #name);
#define GARRAY_PAIR GARRAY_UNARY
#define GARRAY_HIDDEN(...)
#include "core/ops.def"

int garray__compute_dtype(int op, int common)
{
    static const int8_t upward[] = { GARRAY_INT8, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_COMPLEX128 };
    const garray__op_info *info = &garray__ops[op];
    if (info->classes >> common & 1)
        return common;
    if (info->outside == GARRAY__OUTSIDE_DOUBLE && common <= GARRAY_UINT64)
        return GARRAY_FLOAT64;
    if (info->outside == GARRAY__OUTSIDE_UP)
        for (size_t i = 0; i < sizeof upward; i++)
            if (info->classes >> upward[i] & 1 && garray__promote(common, upward[i]) == upward[i])
                return upward[i];
    return 0;
}

static bool fits(const garray_operand *array, int dtype)
{
    return garray__promote(array->array->dtype, dtype) == dtype;
}

/* The compute dtype of a call.  Where the common dtype has no loop, each array must fit the one that is taken, as in
 * NumPy: uint16 and int16 both fit float32, though together they are int32, which does not. */
static int call_dtype(int op, int nin, const garray_operand *in, int common)
{
    static const int8_t upward[] = { GARRAY_FLOAT16, GARRAY_FLOAT32 };
    const garray__op_info *info = &garray__ops[op];
    if (nin == 2 && !(info->classes >> common & 1) && info->outside == GARRAY__OUTSIDE_UP && garray__is_integer(common)
        && in[0].kind == GARRAY_OPERAND_ARRAY && in[1].kind == GARRAY_OPERAND_ARRAY)
        for (size_t i = 0; i < sizeof upward; i++)
            if (info->classes >> upward[i] & 1 && fits(&in[0], upward[i]) && fits(&in[1], upward[i]))
                return upward[i];
    return garray__compute_dtype(op, common);
}

int garray__result_dtype(int op, int compute)
{
    int result = garray__ops[op].result;
    switch (result) {
    case GARRAY__RESULT_BOOL: return GARRAY_BOOL;
    case GARRAY__RESULT_REAL: return garray__real_of(compute);
    case GARRAY__RESULT_BYTE: return GARRAY_UINT8;
    case GARRAY__RESULT_INT: return GARRAY_INT32;
    default: return compute;
    }
}

/* ---- operands ---- */

garray_status garray__operand_check(const garray_operand *o, const char *name)
{
    if (o->kind == GARRAY_OPERAND_ARRAY && !o->array)
        return garray__fail(GARRAY_ERR_INVALID, "%s is NULL", name);
    if (o->kind == GARRAY_OPERAND_NONE)
        return garray__fail(GARRAY_ERR_INVALID, "%s is not given", name);
    if (o->kind < GARRAY_OPERAND_ARRAY || o->kind > GARRAY_OPERAND_COMPLEX)
        return garray__fail(GARRAY_ERR_INVALID, "%s is no operand: GARRAY_VAL() makes one", name);
    return GARRAY_OK;
}

garray_status garray__option_check(const garray_operand *o, const char *name, garray__option wanted)
{
    static const char *const texts[] = { "an integer", "a real number", "a number", "a bool array" };
    const int kind = o->kind;
    if (kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    garray_status st = garray__operand_check(o, name);
    if (st != GARRAY_OK)
        return st;
    bool fits = true;
    switch (wanted) {
    case GARRAY__INTEGER: fits = kind == GARRAY_OPERAND_INT || kind == GARRAY_OPERAND_UINT; break;
    case GARRAY__REAL: fits = kind != GARRAY_OPERAND_ARRAY && kind != GARRAY_OPERAND_COMPLEX; break;
    case GARRAY__NUMBER: fits = kind != GARRAY_OPERAND_ARRAY; break;
    case GARRAY__MASK: fits = kind == GARRAY_OPERAND_ARRAY || kind == GARRAY_OPERAND_BOOL; break;
    case GARRAY__VALUE: break;
    }
    return fits ? GARRAY_OK : garray__fail(GARRAY_ERR_INVALID, "%s must be %s", name, texts[wanted]);
}

garray_status garray__operand_array(const garray_operand *o, garray_t **out)
{
    const garray_t *x = o->array;
    garray_t *view = NULL;
    garray_status st = GARRAY_OK;
    if (o->flags & GARRAY_OPERAND_TRANSPOSE) {
        int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
        int n = x->ndim;
        GARRAY_REQUIRE(n >= 2, SHAPE, "a matrix transpose needs at least 2 axes, the array has %d", n);
        memcpy(shape, x->shape, sizeof(int64_t) * (size_t)n);
        memcpy(strides, garray__strides(x), sizeof(int64_t) * (size_t)n);
        int64_t t = shape[n - 1];
        shape[n - 1] = shape[n - 2];
        shape[n - 2] = t;
        t = strides[n - 1];
        strides[n - 1] = strides[n - 2];
        strides[n - 2] = t;
        st = garray__view(x->buffer, x->data, x->dtype, n, shape, strides, false, &view);
        if (st != GARRAY_OK)
            return st;
    } else {
        view = garray__share(x);
    }
    if (o->flags & GARRAY_OPERAND_CONJUGATE && garray__kind_of(x->dtype) == GARRAY__K_COMPLEX) {
        garray_t *conjugate = NULL;
        garray_operand in = garray_operand_array(view);
        st = garray__elementwise(GARRAY_OP_conj, 1, &in, 0, &conjugate);
        garray_release(view);
        view = conjugate;
    }
    *out = view;
    return st;
}

static garray_status no_loop(int op, int nin, const garray_operand *in)
{
    char types[96];
    size_t used = 0;
    for (int k = 0; k < nin; k++) {
        static const char *const scalars[] = { "bool", "int", "int", "float", "complex" };
        const char *name = in[k].kind == GARRAY_OPERAND_ARRAY ? garray__name_of(in[k].array->dtype)
                                                                 : scalars[in[k].kind - GARRAY_OPERAND_BOOL];
        used += (size_t)snprintf(types + used, sizeof types - used, k ? ", %s" : "%s", name);
    }
    return garray__fail(GARRAY_ERR_DTYPE, "'%s' is not supported for the input types (%s)", garray__ops[op].name, types);
}

/* A comparison of a signed integer array with an unsigned 64-bit one goes through uint64, not through float64, which
 * would round.  Returns the operation to use, and whether the operands change places. */
static int exact_comparison(int op, const garray_operand *in, bool *swap)
{
    if (op != GARRAY_OP_equal && op != GARRAY_OP_not_equal && op != GARRAY_OP_less && op != GARRAY_OP_less_equal
        && op != GARRAY_OP_greater && op != GARRAY_OP_greater_equal)
        return 0;
    if (in[0].kind != GARRAY_OPERAND_ARRAY || in[1].kind != GARRAY_OPERAND_ARRAY)
        return 0;
    int a = in[0].array->dtype, b = in[1].array->dtype;
    *swap = a == GARRAY_UINT64;
    if (*swap ? garray__kind_of(b) != GARRAY__K_SINT : b != GARRAY_UINT64 || garray__kind_of(a) != GARRAY__K_SINT)
        return 0;
    switch (op) {
    case GARRAY_OP_equal: return GARRAY__OP_equal_su;
    case GARRAY_OP_not_equal: return GARRAY__OP_not_equal_su;
    case GARRAY_OP_less: return *swap ? GARRAY__OP_greater_su : GARRAY__OP_less_su;
    case GARRAY_OP_less_equal: return *swap ? GARRAY__OP_greater_equal_su : GARRAY__OP_less_equal_su;
    case GARRAY_OP_greater: return *swap ? GARRAY__OP_less_su : GARRAY__OP_greater_su;
    default: return *swap ? GARRAY__OP_less_equal_su : GARRAY__OP_greater_equal_su;
    }
}

/* Of a number in a logical function only its truth counts, whether the array's dtype holds it or not. */
static garray_operand truth_of(const garray_operand *number)
{
    uint64_t bits[2];
    garray__scalar_cast(number, GARRAY_BOOL, bits);
    return garray_operand_bool(bits[0] & 1);
}

/* A comparison with an integer that the array's dtype cannot hold has one answer for all elements. */
static bool constant_comparison(int op, const garray_operand *in, int compute, bool *answer)
{
    int scalar = in[0].kind == GARRAY_OPERAND_ARRAY ? 1 : 0;
    if (garray__ops[op].result != GARRAY__RESULT_BOOL || !garray__is_integer(compute)
        || in[scalar].kind == GARRAY_OPERAND_ARRAY || garray__is_parameter(&in[scalar])
        || !garray__out_of_range(&in[scalar], compute))
        return false;
    bool scalar_is_larger = !(in[scalar].kind == GARRAY_OPERAND_INT && (int64_t)in[scalar].bits[0] < 0);
    bool first_is_smaller = scalar_is_larger == (scalar == 1);
    switch (op) {
    case GARRAY_OP_equal: *answer = false; return true;
    case GARRAY_OP_not_equal: *answer = true; return true;
    case GARRAY_OP_less:
    case GARRAY_OP_less_equal: *answer = first_is_smaller; return true;
    case GARRAY_OP_greater:
    case GARRAY_OP_greater_equal: *answer = !first_is_smaller; return true;
    default: return false;
    }
}

/* ---- one call ---- */

/* The broadcast shape of the array operands and their one device. */
static garray_status common_shape(int nin, const garray_operand *in, int *ndim, const int64_t **shape, int64_t *room,
                                  garray__device **device)
{
    const garray_t *first = NULL;
    for (int k = 0; k < nin; k++) {
        if (in[k].kind != GARRAY_OPERAND_ARRAY)
            continue;
        const garray_t *x = in[k].array;
        if (!first) {
            first = x;
            *ndim = x->ndim;
            *shape = x->shape;
            *device = garray__device_of(x);
            continue;
        }
        garray_status st = garray__same_device(*device, x);
        if (st != GARRAY_OK)
            return st;
        if (x->ndim == *ndim && memcmp(x->shape, *shape, sizeof(int64_t) * (size_t)*ndim) == 0)
            continue;
        if (*shape != room) {
            memcpy(room, *shape, sizeof(int64_t) * (size_t)*ndim);
            *shape = room;
        }
        st = garray__broadcast_shapes(ndim, room, x->ndim, x->shape);
        if (st != GARRAY_OK)
            return st;
    }
    if (!first)
        return garray__fail(GARRAY_ERR_INVALID, "all operands are numbers; at least one must be an array");
    return GARRAY_OK;
}

/* The plan's inputs; where(condition, ...) keeps its first operand as it is, cast to bool by core. */
static garray_status gather_inputs(int op, int nin, const garray_operand *in, int compute, garray__device *device,
                                   struct garray__ew_input *inputs)
{
    for (int k = 0; k < nin; k++) {
        int dtype = op == GARRAY_OP_where && k == 0 ? GARRAY_BOOL : compute;
        if (in[k].kind == GARRAY_OPERAND_ARRAY) {
            inputs[k].array = in[k].array;
            inputs[k].dtype = in[k].array->dtype;
            continue;
        }
        inputs[k].array = NULL;
        inputs[k].dtype = dtype;
        garray_graph *graph = GARRAY__UNLIKELY(in[k].flags & GARRAY_OPERAND_PARAMETER) ? garray__capturing(device) : NULL;
        const bool natural = op == GARRAY_OP_pow && garray__is_integer(compute);
        garray_status st = graph ? garray__capture_word(graph, &in[k], dtype, natural, &inputs[k].array)
                                 : garray__scalar_bits(&in[k], dtype, inputs[k].bits);
        if (st != GARRAY_OK)
            return st;
    }
    return GARRAY_OK;
}

/* Operands are checked, dtypes are settled and no flags are left. */
static garray_status run(int op, int nin, const garray_operand *in, int compute, int result, garray_t **out)
{
    int ndim = 0;
    const int64_t *shape = NULL;
    int64_t room[GARRAY_MAX_NDIM];
    garray__device *device = NULL;
    struct garray__ew_input inputs[3];
    struct garray__result r;
    bool answer, constant = nin == 2 && constant_comparison(op, in, compute, &answer);
    garray_status st = common_shape(nin, in, &ndim, &shape, room, &device);
    if (st == GARRAY_OK && !constant)
        st = gather_inputs(op, nin, in, compute, device, inputs);
    if (st != GARRAY_OK)
        return st;
    const garray_t *arrays[3];
    for (int k = 0; k < nin; k++)
        arrays[k] = in[k].kind == GARRAY_OPERAND_ARRAY ? in[k].array : NULL;
    st = garray__result_open(&r, out, result, ndim, shape, device,
                             GARRAY__IN_PLACE | GARRAY__CASTS, nin, arrays);
    if (st != GARRAY_OK)
        return st;
    if (constant) {
        garray_operand value = garray_operand_bool(answer);
        st = garray__fill(r.target, &value);
    } else if (r.target->size > 0) {
        garray_ew_plan plan;
        garray__plan_elementwise(&plan, op, compute, r.target, nin, inputs);
        st = garray__plan_run(GARRAY__ELEMENTWISE, &plan, r.target, nin, inputs);
    }
    return garray__result_close(&r, st);
}

/* The operands with their flags carried out, and a condition that is not bool made so. */
static garray_status run_resolved(int op, int nin, const garray_operand *in, int compute, int result, garray_t **out)
{
    garray_t *own[3] = { NULL };
    garray_operand resolved[3];
    garray_status st = GARRAY_OK;
    for (int k = 0; k < nin; k++) {
        resolved[k] = in[k];
        if (in[k].kind == GARRAY_OPERAND_ARRAY && in[k].flags) {    /* others gain no share: they may be the result */
            GARRAY__TRY(garray__operand_array(&in[k], &own[k]));
            resolved[k] = garray_operand_array(own[k]);
        }
    }
    const garray_t *condition = op == GARRAY_OP_where && in[0].kind == GARRAY_OPERAND_ARRAY ? resolved[0].array : NULL;
    if (condition && condition->dtype != GARRAY_BOOL) {
        garray_t *truth = NULL;
        GARRAY__TRY(garray__copy_as(condition, GARRAY_BOOL, &truth));
        garray_release(own[0]);
        own[0] = truth;
        resolved[0] = garray_operand_array(truth);
    }
    st = run(op, nin, resolved, compute, result, out);
done:
    for (int k = 0; k < nin; k++)
        garray_release(own[k]);
    return st;
}

/* The exponents of ldexp are integers; uint64 is none of NumPy's. */
static garray_status check_exponents(const garray_operand *in)
{
    int dtype = in->kind == GARRAY_OPERAND_ARRAY ? in->array->dtype : 0;
    bool fits = dtype ? dtype < GARRAY_UINT64 : in->kind < GARRAY_OPERAND_DOUBLE;
    GARRAY_REQUIRE(fits, DTYPE, "the exponents must be integers that int64 holds, not %s",
                   dtype ? garray__name_of(dtype) : "floats");
    return GARRAY_OK;
}

garray_status garray__elementwise(int op, int nin, const garray_operand *in, int dtype, garray_t **out)
{
    return garray__elementwise_as(op, nin, in, dtype, 0, out);
}

garray_status garray__elementwise_as(int op, int nin, const garray_operand *in, int dtype, int result, garray_t **out)
{
    static const char *const names[] = { "the first operand", "the second operand", "the third operand" };
    garray_status st = garray__result_check(out);
    if (GARRAY__UNLIKELY(st != GARRAY_OK))
        return st;
    bool plain = true;
    for (int k = 0; k < nin; k++) {
        st = garray__operand_check(&in[k], names[k]);
        if (GARRAY__UNLIKELY(st != GARRAY_OK))
            return st;
        plain = plain && (in[k].kind != GARRAY_OPERAND_ARRAY || !in[k].flags);
    }
    garray_operand truth[2];
    if (op == GARRAY_OP_logical_and || op == GARRAY_OP_logical_or || op == GARRAY_OP_logical_xor) {
        for (int k = 0; k < 2; k++)
            truth[k] = in[k].kind == GARRAY_OPERAND_ARRAY ? in[k] : truth_of(&in[k]);
        in = truth;
    }
    garray_operand swapped[2];
    bool swap = false;
    int exact = nin == 2 && !dtype ? exact_comparison(op, in, &swap) : 0, compute;
    if (exact) {
        op = exact;
        compute = GARRAY_UINT64;
        swapped[0] = in[swap];
        swapped[1] = in[!swap];
        in = swapped;
    } else {
        int values = op == GARRAY_OP_where ? 1 : 0;     /* where's condition does not count, nor do exponents */
        int counted = op == GARRAY_OP_ldexp ? 1 : nin - values;
        compute = dtype ? garray__compute_dtype(op, dtype)
                        : call_dtype(op, counted, in, garray__common_dtype(counted, in + values));
        if (GARRAY__UNLIKELY(!compute || (dtype && compute != dtype)))
            return compute ? garray__fail(GARRAY_ERR_DTYPE, "'%s' cannot be computed in %s", garray__ops[op].name,
                                          garray__name_of(dtype)) : no_loop(op, nin, in);
    }
    if (op == GARRAY_OP_pow && garray__is_integer(compute) && in[1].kind == GARRAY_OPERAND_INT && (int64_t)in[1].bits[0] < 0)
        return garray__fail(GARRAY_ERR_INVALID, "integers to negative integer powers are not allowed");
    if (!result)
        result = garray__result_dtype(op, compute);
    if (op == GARRAY_OP_ldexp) {
        st = check_exponents(&in[1]);
        if (st != GARRAY_OK)
            return st;
        if (compute == GARRAY_BFLOAT16)     /* which does not hold all exponents that matter */
            compute = GARRAY_FLOAT32;
    }
    if (GARRAY__UNLIKELY(!plain || (op == GARRAY_OP_where && in[0].kind == GARRAY_OPERAND_ARRAY
                                    && in[0].array->dtype != GARRAY_BOOL)))
        return run_resolved(op, nin, in, compute, result, out);
    return run(op, nin, in, compute, result, out);
}

/* clip with one bound is maximum or minimum. */
static garray_status clip(garray_operand x, garray_operand low, garray_operand high, garray_t **out)
{
    garray_operand in[3] = { x, low, high };
    if (low.kind == GARRAY_OPERAND_NONE && high.kind == GARRAY_OPERAND_NONE) {  /* a copy */
        bool is_complex = x.kind == GARRAY_OPERAND_ARRAY && x.array && garray__kind_of(x.array->dtype) == GARRAY__K_COMPLEX;
        return garray__elementwise(is_complex ? GARRAY_OP_positive : GARRAY_OP_real, 1, in, 0, out);
    }
    if (high.kind == GARRAY_OPERAND_NONE)
        return garray__elementwise(GARRAY_OP_maximum, 2, in, 0, out);
    if (low.kind == GARRAY_OPERAND_NONE) {
        in[1] = high;
        return garray__elementwise(GARRAY_OP_minimum, 2, in, 0, out);
    }
    return garray__elementwise(GARRAY_OP_clip, 3, in, 0, out);
}

static garray_status ternary(int op, garray_operand a, garray_operand b, garray_operand c, garray_t **out)
{
    if (op == GARRAY_OP_clip)
        return clip(a, b, c, out);
    garray_operand in[3] = { a, b, c };
    return garray__elementwise(op, 3, in, 0, out);
}

/* ---- public ---- */

#define GARRAY_UNARY(number, op, ...)                                                                   \
    garray_status (garray_##op)(garray_operand x, garray_t **out)                                       \
    {                                                                                                   \
        GARRAY_ENTER("garray_" #op);                                                                    \
        return garray__elementwise(number, 1, &x, 0, out);                                              \
    }
#define GARRAY_BINARY(number, op, ...)                                                                  \
    garray_status (garray_##op)(garray_operand a, garray_operand b, garray_t **out)                     \
    {                                                                                                   \
        GARRAY_ENTER("garray_" #op);                                                                    \
        garray_operand in[2] = { a, b };                                                                \
        return garray__elementwise(number, 2, in, 0, out);                                              \
    }
#define GARRAY_TERNARY(number, op, ...)                                                                 \
    garray_status (garray_##op)(garray_operand a, garray_operand b, garray_operand c, garray_t **out)   \
    {                                                                                                   \
        GARRAY_ENTER("garray_" #op);                                                                    \
        return ternary(number, a, b, c, out);                                                           \
    }
#define GARRAY_HIDDEN(...)
#include "core/ops.def"

/* The condition of where= as an array; NULL if it is a number. */
static garray_status open_where(const garray_operand *where, garray_t **mask)
{
    garray_status st = garray__operand_check(where, "where");
    if (st == GARRAY_OK && where->kind == GARRAY_OPERAND_ARRAY) {
        st = garray__operand_array(where, mask);
        if (st == GARRAY_OK && (*mask)->dtype != GARRAY_BOOL)
            st = garray__fail(GARRAY_ERR_DTYPE, "where must be bool, not %s", garray__name_of((*mask)->dtype));
    }
    return st;
}

/* In front of the messages of garray_ufunc(). */
static const char *const ufunc_names[GARRAY_OP_LIMIT] = {
#define GARRAY_UNARY(number, op, ...) [number] = "garray_ufunc(" #op ")",
#define GARRAY_PAIR GARRAY_UNARY
#define GARRAY_HIDDEN(...)
#include "core/ops.def"
};

/* With where=: the results of the selected elements, what slot holds or 0 elsewhere. */
static garray_status select_where(const garray_t *all, const garray_operand *where, const garray_t *mask, garray_t **slot,
                                  garray_t **out)
{
    garray_status st = GARRAY_OK;
    garray_operand choice[3];
    garray_t *into = garray__into(slot), *old = into ? into : *slot;
    choice[0] = mask ? garray_operand_array(mask) : *where;
    choice[1] = garray_operand_array(all);
    choice[2] = garray_operand_bool(false);     /* 0 of any dtype */
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = all->ndim;
    memcpy(shape, all->shape, sizeof(int64_t) * (size_t)ndim);
    if (mask)
        GARRAY__TRY(garray__broadcast_shapes(&ndim, shape, mask->ndim, mask->shape));
    if (old && (into || old->dtype == all->dtype) && old->ndim == ndim
        && memcmp(old->shape, shape, sizeof(int64_t) * (size_t)ndim) == 0 && garray__device_of(old) == garray__device_of(all))
        choice[2] = garray_operand_array(old);
    if (into)           /* what is selected is cast as the result would be, the rest stays as it is */
        GARRAY__CHECK(garray_can_cast(garray_dtype_of(all), garray_dtype_of(into), GARRAY_CAST_SAME_KIND), DTYPE,
                      "cannot cast the result from %s to %s with casting rule 'same_kind'", garray__name_of(all->dtype),
                      garray__name_of(into->dtype));
    st = garray__elementwise(GARRAY_OP_where, 3, choice, into ? into->dtype : 0, out);
done:
    return st;
}

static garray_status ufunc_where(int op, int nin, const garray_operand *in, const garray_ufunc_opts *opts, int nout,
                                 garray_t **const *outs)
{
    garray_t *all[2] = { NULL, NULL }, *chosen[2] = { NULL, NULL }, *mask = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(open_where(&opts->where, &mask));
    if (nout == 1) {
        GARRAY__TRY(garray__elementwise(op, nin, in, opts->dtype, &all[0]));
        st = select_where(all[0], &opts->where, mask, outs[0], outs[0]);
        goto done;
    }
    GARRAY__TRY(garray__pair(op, in, opts->dtype, outs[0] ? &all[0] : NULL, outs[1] ? &all[1] : NULL));
    for (int i = 0; i < nout; i++)
        if (outs[i])
            GARRAY__TRY(select_where(all[i], &opts->where, mask, outs[i], &chosen[i]));
    st = garray__assign_all(nout, outs, chosen);
done:
    for (int i = 0; i < 2; i++) {
        garray_release(all[i]);
        garray_release(chosen[i]);
    }
    garray_release(mask);
    return st;
}

garray_status garray_ufunc(garray_op op, int nin, const garray_operand *in, const garray_ufunc_opts *opts, int nout,
                           garray_t **const *outs)
{
    bool known = (unsigned)op < GARRAY_OP_LIMIT && ufunc_names[op];
    GARRAY_ENTER(known ? ufunc_names[op] : "garray_ufunc");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    GARRAY_REQUIRE(known, INVALID, "there is no operation %d", (int)op);
    int results = garray__ops[op].results;
    GARRAY_REQUIRE(nin == garray__ops[op].nin && nout == results, INVALID, "takes %d operands and %d result%s, not %d and %d",
                   garray__ops[op].nin, results, results > 1 ? "s" : "", nin, nout);
    GARRAY_REQUIRE(in && outs, INVALID, "an argument is NULL");
    garray_status st = GARRAY_OK;
    for (int i = 0; i < nout && st == GARRAY_OK; i++)
        if (outs[i] || nout == 1)           /* one of several may be missing */
            st = garray__result_check(outs[i]);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(nout == 1 || outs[0] != outs[1], INVALID, "both results are the same variable, or neither is wanted");
    int dtype = opts ? (int)opts->dtype : 0;
    GARRAY_REQUIRE(!dtype || garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    for (int k = 0; k < nin && dtype; k++)
        if (in[k].kind == GARRAY_OPERAND_ARRAY && in[k].array && !(op == GARRAY_OP_where && k == 0)
            && !(op == GARRAY_OP_ldexp && k == 1))
            GARRAY_REQUIRE(garray_can_cast(garray_dtype_of(in[k].array), (garray_dtype)dtype, GARRAY_CAST_SAME_KIND), DTYPE,
                           "cannot cast operand %d from %s to %s with casting rule 'same_kind'", k,
                           garray__name_of(in[k].array->dtype), garray__name_of(dtype));
    if (opts && opts->where.kind != GARRAY_OPERAND_NONE)
        return ufunc_where(op, nin, in, opts, nout, outs);
    if (results > 1)
        return garray__pair(op, in, dtype, outs[0], outs[1]);
    if (op == GARRAY_OP_clip && !dtype)
        return clip(in[0], in[1], in[2], outs[0]);
    return garray__elementwise(op, nin, in, dtype, outs[0]);
}
