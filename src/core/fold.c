/* SPDX-License-Identifier: BSD-3-Clause
 * Folds: see fold.h.  reduce and accumulate for every operation. */
#include <math.h>
#include <string.h>
#include "core/fold.h"
#include "core/reduce.h"
#include "core/result.h"
#include "garray/index.h"
#include "garray/shape.h"
#include "garray/ufunc.h"

/* ---- what is known of operations ---- */

enum { NO_IDENTITY, ZERO, ONE, ALL_BITS, MINUS_INFINITY };

/* Those that are free of order and grouping. */
static const struct {
    const char *name;
    int identity;
} free_ops[] = {
    { "add", ZERO }, { "multiply", ONE }, { "maximum", NO_IDENTITY }, { "minimum", NO_IDENTITY }, { "logical_and", ONE },
    { "logical_or", ZERO }, { "logical_xor", ZERO }, { "bitwise_and", ALL_BITS }, { "bitwise_or", ZERO }, { "bitwise_xor", ZERO },
    { "hypot", ZERO }, { "logaddexp", MINUS_INFINITY }, { "logaddexp2", MINUS_INFINITY }, { "gcd", ZERO },
    { "fmax", NO_IDENTITY }, { "fmin", NO_IDENTITY },
};

static int find_free(int op)
{
    for (int i = 0; i < (int)(sizeof free_ops / sizeof *free_ops); i++)
        if (strcmp(free_ops[i].name, garray__ops[op].name) == 0)
            return i;
    return -1;
}

/* Whether order and grouping are free. */
static bool has_free_order(int op)
{
    return find_free(op) >= 0;
}

/* The identity as an operand that a dtype holds; false if there is none. */
static bool identity_of(int op, int dtype, garray_operand *value)
{
    int i = find_free(op), kind = garray__kind_of(dtype), bits = 8 * garray__size_of(dtype);
    switch (i < 0 ? NO_IDENTITY : free_ops[i].identity) {
    case ZERO: *value = garray_operand_bool(false); return true;
    case ONE: *value = garray_operand_bool(true); return true;
    case MINUS_INFINITY: *value = garray_operand_double(-INFINITY); return true;
    case ALL_BITS:
        *value = kind == GARRAY__K_BOOL ? garray_operand_bool(true)
                 : kind == GARRAY__K_SINT ? garray_operand_int(-1) : garray_operand_uint(UINT64_MAX >> (64 - bits));
        return true;
    default: return false;
    }
}

static bool is_logical(int op)
{
    return op == GARRAY_OP_logical_and || op == GARRAY_OP_logical_or || op == GARRAY_OP_logical_xor;
}

int garray__fold_on_bools(int op)
{
    switch (op) {
    case GARRAY_OP_logical_and:
    case GARRAY_OP_multiply:
    case GARRAY_OP_minimum: return GARRAY_OP_bitwise_and;
    case GARRAY_OP_logical_or:
    case GARRAY_OP_add:
    case GARRAY_OP_maximum: return GARRAY_OP_bitwise_or;
    case GARRAY_OP_logical_xor:
    case GARRAY_OP_not_equal: return GARRAY_OP_bitwise_xor;
    default: return op;
    }
}

garray_status garray__fold_dtype(int op, const garray_t *x, int given, int *dtype)
{
    GARRAY_REQUIRE((unsigned)op < GARRAY_OP_LIMIT && garray__ops[op].name && !garray__ops[op].hidden, INVALID,
                   "there is no operation %d", op);
    GARRAY_REQUIRE(garray__ops[op].nin == 2 && garray__ops[op].results == 1 && op != GARRAY_OP_ldexp, INVALID,
                   "'%s' is not an operation of two operands of a kind with one result", garray__ops[op].name);
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!given || garray__is_dtype(given), DTYPE, "%d is not a dtype", given);
    int wanted = given ? given : op == GARRAY_OP_add || op == GARRAY_OP_multiply ? garray__sum_dtype(x->dtype) : x->dtype;
    if (is_logical(op) && !given)
        wanted = GARRAY_BOOL;
    int compute = garray__compute_dtype(op, wanted);
    GARRAY_REQUIRE(compute && (!given || compute == given) && garray__result_dtype(op, compute) == compute, DTYPE,
                   "'%s' of elements of dtype %s does not give elements of the same dtype", garray__ops[op].name,
                   garray__name_of(wanted));
    *dtype = compute;
    return GARRAY_OK;
}

/* x in a dtype. */
static garray_status cast(const garray_t *x, int dtype, garray_t **out)
{
    if (x->dtype != dtype)
        return garray__copy_as(x, dtype, out);
    *out = garray__share(x);
    return GARRAY_OK;
}

/* ---- reduce ---- */

struct reduction {
    int op, dtype, ndim;
    bool reduced[GARRAY_MAX_NDIM];
    int nreduced;
    garray_axes axes;
    garray_reduce_opts opts;
    int64_t shape[GARRAY_MAX_NDIM];         /* of the result */
};

static garray_status open_reduction(int op, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                                    struct reduction *r)
{
    garray_operand identity;
    r->op = op;
    r->axes = axes;
    memset(&r->opts, 0, sizeof r->opts);
    if (opts)
        r->opts = *opts;
    garray_status st = garray__fold_dtype(op, x, (int)r->opts.dtype, &r->dtype);
    if (st == GARRAY_OK)
        st = garray__axis_set(axes, x->ndim, r->reduced);
    if (st != GARRAY_OK)
        return st;
    r->opts.dtype = GARRAY_DTYPE_DEFAULT;
    r->ndim = r->nreduced = 0;
    for (int i = 0; i < x->ndim; i++) {
        r->nreduced += r->reduced[i];
        if (!r->reduced[i] || r->opts.keepdims)
            r->shape[r->ndim++] = r->reduced[i] ? 1 : x->shape[i];
    }
    GARRAY_TRY(garray__option_check(&r->opts.initial, "initial", GARRAY__NUMBER));
    GARRAY_TRY(garray__option_check(&r->opts.where, "where", GARRAY__MASK));
    GARRAY_REQUIRE(r->nreduced <= 1 || has_free_order(op), AXIS,
                   "reduction operation '%s' is not reorderable, so at most one axis may be specified", garray__ops[op].name);
    GARRAY_REQUIRE(r->opts.where.kind == GARRAY_OPERAND_NONE || r->opts.initial.kind != GARRAY_OPERAND_NONE
                       || identity_of(op, r->dtype, &identity), INVALID,
                   "reduction operation '%s' does not have an identity, so to use a where mask one has to specify 'initial'",
                   garray__ops[op].name);
    return GARRAY_OK;
}

/* result = op(initial, result), in the dtype of the reduction. */
static garray_status with_initial(const struct reduction *r, garray_t **result)
{
    garray_operand initial = r->opts.initial;
    uint64_t bits[2];
    if (initial.kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    if (is_logical(r->op)) {                /* only its truth counts */
        garray__scalar_cast(&initial, GARRAY_BOOL, bits);
        initial = garray_operand_bool(bits[0] & 1);
    }
    return garray__binary(r->op, initial, garray_operand_array(*result), r->dtype, result);
}

/* Reductions of bools are questions: any, all, and whether an odd number is true. */
static garray_status reduce_bools(const struct reduction *r, const garray_t *x, garray_t **result)
{
    garray_reduce_opts opts = r->opts;
    garray_t *count = NULL;
    garray_status st;
    opts.initial = garray_operand_scalar(GARRAY_OPERAND_NONE, &(uint64_t){ 0 }, 8);
    switch (garray__fold_on_bools(r->op)) {
    case GARRAY_OP_bitwise_and: st = garray_all(x, r->axes, &opts, result); break;
    case GARRAY_OP_bitwise_or: st = garray_any(x, r->axes, &opts, result); break;
    default:
        st = garray_count_nonzero(x, r->axes, &opts, &count);
        if (st == GARRAY_OK)
            st = garray__binary(GARRAY_OP_bitwise_and, garray_operand_array(count), garray_operand_int(1), 0, &count);
        if (st == GARRAY_OK)
            st = garray__copy_as(count, GARRAY_BOOL, result);
        garray_release(count);
    }
    return st == GARRAY_OK ? with_initial(r, result) : st;
}

/* The first element, or `initial`, less the sum of the others. */
static garray_status reduce_differences(const struct reduction *r, const garray_t *x, garray_t **result)
{
    garray_reduce_opts opts = r->opts;
    garray_t *first = NULL, *rest = NULL, *sum = NULL;
    int axis = 0;
    garray_status st = GARRAY_OK;
    opts.dtype = (garray_dtype)r->dtype;
    opts.initial = garray_operand_scalar(GARRAY_OPERAND_NONE, &(uint64_t){ 0 }, 8);
    if (r->opts.initial.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(garray_sum(x, r->axes, &opts, &sum));
        st = garray__binary(GARRAY_OP_subtract, r->opts.initial, garray_operand_array(sum), r->dtype, result);
        goto done;
    }
    while (!r->reduced[axis])
        axis++;
    GARRAY__CHECK(x->shape[axis] > 0, SHAPE, "zero-size array to reduction operation subtract which has no identity");
    GARRAY__TRY(garray__part(x, axis, 0, 1, &first));
    GARRAY__TRY(garray_reshape(first, (garray_shape){ r->ndim, r->shape }, &first));
    GARRAY__TRY(garray__part(x, axis, 1, x->shape[axis] - 1, &rest));
    GARRAY__TRY(garray_sum(rest, r->axes, &opts, &sum));
    st = garray__binary(GARRAY_OP_subtract, garray_operand_array(first), garray_operand_array(sum), r->dtype, result);
done:
    garray_release(first);
    garray_release(rest);
    garray_release(sum);
    return st;
}

/* into[...] = op(a, b) for parts of arrays along the last axis. */
static garray_status fold_parts(int op, const garray_t *a, int64_t a_from, const garray_t *b, int64_t b_from, int64_t n,
                                garray_t *into, int64_t from)
{
    garray_t *left = NULL, *right = NULL, *to = NULL;
    int last = a->ndim - 1;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__part(a, last, a_from, n, &left));
    GARRAY__TRY(garray__part(b, last, b_from, n, &right));
    GARRAY__TRY(garray__part(into, last, from, n, &to));
    st = garray__binary(op, garray_operand_array(left), garray_operand_array(right), into->dtype, garray_into(to));
done:
    garray_release(left);
    garray_release(right);
    garray_release(to);
    return st;
}

/* Rows of n > 0 by halves. */
static garray_status reduce_halves(int op, const garray_t *rows, garray_t **result)
{
    int last = rows->ndim - 1;
    int64_t n = rows->shape[last], p = 1, shape[GARRAY_MAX_NDIM];
    garray_t *half = NULL, *part = NULL;
    garray_status st = GARRAY_OK;
    while (2 * p < n)
        p *= 2;
    p = n == 1 ? 1 : p;
    memcpy(shape, rows->shape, sizeof(int64_t) * (size_t)rows->ndim);
    shape[last] = p;                        /* n <= 2 p: the rest is folded into the front */
    GARRAY__TRY(garray__new(rows->dtype, rows->ndim, shape, garray__device_of(rows), &half));
    if (n < 2 * p) {
        GARRAY__TRY(garray__part(rows, last, 0, p, &part));
        GARRAY__TRY(garray__assign(half, part));
    }
    if (n > p)
        GARRAY__TRY(fold_parts(op, rows, 0, rows, p, n - p, half, 0));
    for (; p > 1; p /= 2)
        GARRAY__TRY(fold_parts(op, half, 0, half, p / 2, p / 2, half, 0));
    garray_release(part);
    part = NULL;
    GARRAY__TRY(garray__part(half, last, 0, 1, &part));
    if (n == 1 && (op == GARRAY_OP_hypot || op == GARRAY_OP_gcd))   /* of one element too: never negative */
        st = garray__binary(op, garray_operand_int(0), garray_operand_array(part), rows->dtype, result);
    else
        st = garray__copy_as(part, rows->dtype, result);
done:
    garray_release(half);
    garray_release(part);
    return st;
}

/* Rows element by element, from `initial` or the first one on. */
static garray_status reduce_in_order(const struct reduction *r, const garray_t *rows, const garray_t *mask, garray_t **result)
{
    int last = rows->ndim - 1;
    int64_t n = rows->shape[last], i = 0, shape[GARRAY_MAX_NDIM];
    garray_t *so_far = NULL, *part = NULL, *which = NULL, *next = NULL;
    garray_status st = GARRAY_OK;
    memcpy(shape, rows->shape, sizeof(int64_t) * (size_t)rows->ndim);
    shape[last] = 1;
    GARRAY__TRY(garray__new(rows->dtype, rows->ndim, shape, garray__device_of(rows), &so_far));
    if (r->opts.initial.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(garray__fill(so_far, &r->opts.initial));
    } else {
        GARRAY__TRY(garray__part(rows, last, i++, 1, &part));
        GARRAY__TRY(garray__assign(so_far, part));
    }
    for (; i < n; i++) {
        garray_release(part);
        part = NULL;
        GARRAY__TRY(garray__part(rows, last, i, 1, &part));
        GARRAY__TRY(garray__binary(r->op, garray_operand_array(so_far), garray_operand_array(part), r->dtype,
                                   mask ? &next : &so_far));
        if (!mask)
            continue;
        garray_release(which);
        which = NULL;
        GARRAY__TRY(garray__part(mask, last, i, 1, &which));
        GARRAY__TRY(garray__choose(which, garray_operand_array(next), garray_operand_array(so_far), &so_far));
    }
    *result = so_far;
    so_far = NULL;
done:
    garray_release(so_far);
    garray_release(part);
    garray_release(which);
    garray_release(next);
    return st;
}

static garray_status reduce_rows(const struct reduction *r, const garray_t *x, garray_t **result)
{
    garray_t *given = NULL, *mask = NULL, *chosen = NULL, *rows = NULL, *mask_rows = NULL, *folded = NULL;
    garray_operand identity;
    bool has_identity = identity_of(r->op, r->dtype, &identity), is_free = has_free_order(r->op);
    bool has_initial = r->opts.initial.kind != GARRAY_OPERAND_NONE;
    garray_status st = GARRAY_OK;
    if (r->opts.where.kind != GARRAY_OPERAND_NONE) {
        GARRAY__TRY(garray__option_array(&r->opts.where, "where", garray__device_of(x), &given));
        GARRAY__CHECK(given->dtype == GARRAY_BOOL, DTYPE, "where must be bool, not %s", garray__name_of(given->dtype));
        GARRAY__TRY(garray__broadcast(given, x->ndim, x->shape, &mask));
        if (is_free) {                      /* what does not count becomes what changes nothing */
            garray_operand in[3] = { garray_operand_array(mask), garray_operand_array(x),
                                     has_identity ? identity : r->opts.initial };
            GARRAY__TRY(garray__elementwise(GARRAY_OP_where, 3, in, r->dtype, &chosen));
            x = chosen;
        }
    }
    GARRAY__TRY(garray__rows(x, r->reduced, &rows));
    if (mask && !is_free)
        GARRAY__TRY(garray__rows(mask, r->reduced, &mask_rows));
    if (rows->shape[rows->ndim - 1] == 0) {
        GARRAY__CHECK(has_initial || has_identity, SHAPE, "zero-size array to reduction operation %s which has no identity",
                      garray__ops[r->op].name);
        GARRAY__TRY(garray__new(r->dtype, r->ndim, r->shape, garray__device_of(x), result));
        st = garray__fill(*result, has_initial ? &r->opts.initial : &identity);
        goto done;
    }
    if (is_free)
        GARRAY__TRY(reduce_halves(r->op, rows, &folded));
    else
        GARRAY__TRY(reduce_in_order(r, rows, mask_rows, &folded));
    GARRAY__TRY(garray_reshape(folded, (garray_shape){ r->ndim, r->shape }, result));
    if (is_free)
        st = with_initial(r, result);
done:
    garray_release(given);
    garray_release(mask);
    garray_release(chosen);
    garray_release(rows);
    garray_release(mask_rows);
    garray_release(folded);
    return st;
}

static garray_status reduce(const struct reduction *r, const garray_t *x, garray_t **result)
{
    garray_reduce_opts opts = r->opts;
    garray_t *same = NULL;
    garray_status st = GARRAY_OK;
    if (r->op == GARRAY_OP_add && r->dtype != GARRAY_BOOL) {
        opts.dtype = (garray_dtype)r->dtype;
        return garray_sum(x, r->axes, &opts, result);
    }
    if (r->op == GARRAY_OP_multiply && r->dtype != GARRAY_BOOL) {
        opts.dtype = (garray_dtype)r->dtype;
        return garray_prod(x, r->axes, &opts, result);
    }
    if (r->op == GARRAY_OP_subtract && r->nreduced == 1)
        return reduce_differences(r, x, result);
    st = cast(x, r->dtype, &same);
    if (st != GARRAY_OK)
        return st;
    if (r->op == GARRAY_OP_maximum)
        st = garray_max(same, r->axes, &opts, result);
    else if (r->op == GARRAY_OP_minimum)
        st = garray_min(same, r->axes, &opts, result);
    else if (r->dtype == GARRAY_BOOL && has_free_order(r->op))
        st = reduce_bools(r, same, result);
    else
        st = reduce_rows(r, same, result);
    garray_release(same);
    return st;
}

garray_status garray_ufunc_reduce(garray_op op, const garray_t *x, garray_axes axes, const garray_reduce_opts *opts,
                                  garray_t **out)
{
    GARRAY_ENTER("garray_ufunc_reduce");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    struct reduction r;
    garray_t *result = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = open_reduction((int)op, x, axes, opts, &r);
    if (st == GARRAY_OK)
        st = reduce(&r, x, &result);
    if (st == GARRAY_OK)
        return garray__result_assign(out, result);
    garray_release(result);
    return st;
}

/* ---- accumulate ---- */

/* y, whose last axis is the one: each element takes in those that lie 1, 2, 4, ... before it. */
static garray_status accumulate_doubling(int op, garray_t *y)
{
    int64_t n = y->shape[y->ndim - 1];
    garray_status st = GARRAY_OK;
    for (int64_t s = 1; s < n && st == GARRAY_OK; s *= 2)
        st = fold_parts(op, y, 0, y, s, n - s, y, s);
    return st;
}

static garray_status accumulate_in_order(int op, garray_t *y)
{
    int64_t n = y->shape[y->ndim - 1];
    garray_status st = GARRAY_OK;
    for (int64_t i = 1; i < n && st == GARRAY_OK; i++)
        st = fold_parts(op, y, i - 1, y, i, 1, y, i);
    return st;
}

static garray_status accumulate(int op, const garray_t *x, int axis, int dtype, garray_t **result)
{
    const garray_cumulative_opts opts = { .dtype = (garray_dtype)dtype };
    const int32_t along = axis;
    const garray_axes axes = { 1, &along };
    garray_t *turned = NULL, *rest = NULL;
    garray_status st = GARRAY_OK;
    if (op == GARRAY_OP_add && dtype != GARRAY_BOOL)
        return garray_cumulative_sum(x, axes, &opts, result);
    if (op == GARRAY_OP_multiply && dtype != GARRAY_BOOL)
        return garray_cumulative_prod(x, axes, &opts, result);
    if (op == GARRAY_OP_maximum)
        return garray_cummax(x, axes, &opts, result);
    if (op == GARRAY_OP_minimum)
        return garray_cummin(x, axes, &opts, result);
    GARRAY__TRY(garray__copy_as(x, dtype, result));
    if ((*result)->size == 0)
        goto done;
    if (op == GARRAY_OP_subtract) {         /* sums of the first element and the negative others */
        GARRAY__TRY(garray__part(*result, axis, 1, x->shape[axis] - 1, &rest));
        GARRAY__TRY(garray__unary(GARRAY_OP_negative, garray_operand_array(rest), garray_into(rest)));
        st = garray_cumulative_sum(*result, axes, &opts, result);
        goto done;
    }
    GARRAY__TRY(garray__move_axis(*result, axis, x->ndim - 1, &turned));
    st = has_free_order(op) ? accumulate_doubling(op, turned) : accumulate_in_order(op, turned);
done:
    garray_release(turned);
    garray_release(rest);
    return st;
}

garray_status garray_ufunc_accumulate(garray_op op, const garray_t *x, int axis, const garray_accumulate_opts *opts,
                                      garray_t **out)
{
    GARRAY_ENTER("garray_ufunc_accumulate");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *result = NULL;
    int dtype;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__fold_dtype((int)op, x, opts ? (int)opts->dtype : 0, &dtype);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->ndim > 0, AXIS, "cannot accumulate on a scalar");
    st = garray__axis(axis, x->ndim, &axis);
    if (st == GARRAY_OK)
        st = accumulate((int)op, x, axis, dtype, &result);
    if (st == GARRAY_OK)
        return garray__result_assign(out, result);
    garray_release(result);
    return st;
}
