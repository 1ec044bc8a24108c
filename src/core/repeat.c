/* SPDX-License-Identifier: BSD-3-Clause
 * Elements repeated and moved around: tile, repeat, resize, roll.  Each writes its result once; what repeats is read with
 * step 0. */
#include <string.h>
#include "core/compose.h"
#include "core/layout.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/index.h"
#include "garray/join.h"
#include "garray/rearrange.h"
#include "garray/reduce.h"

/* ---- tile ---- */

garray_status garray_tile(const garray_t *x, garray_shape reps, garray_t **out)
{
    GARRAY_ENTER("garray_tile");
    struct garray__result r;
    struct garray__sides s;
    int64_t shape[GARRAY_MAX_NDIM], times[GARRAY_MAX_NDIM], length[GARRAY_MAX_NDIM];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(reps.n >= 0 && (reps.v || reps.n == 0), INVALID, "the list of repetitions is malformed");
    GARRAY_REQUIRE(reps.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed", (long long)reps.n, GARRAY_MAX_NDIM);
    int ndim = x->ndim > (int)reps.n ? x->ndim : (int)reps.n;
    for (int i = 0; i < ndim; i++) {
        int a = i - (ndim - x->ndim), b = i - (ndim - (int)reps.n);
        length[i] = a >= 0 ? x->shape[a] : 1;
        times[i] = b >= 0 ? reps.v[b] : 1;
        GARRAY_REQUIRE(times[i] >= 0, SHAPE, "negative number of repetitions, %lld, for axis %d", (long long)times[i], i);
        GARRAY_REQUIRE(!__builtin_mul_overflow(length[i], times[i], &shape[i]), SHAPE, "the result is too big");
    }
    st = garray__result_open(&r, out, x->dtype, ndim, shape, garray__device_of(x), GARRAY__CASTS, 1, &x);
    if (st != GARRAY_OK)
        return st;
    if (r.target->size > 0) {
        garray__sides_open(&s, r.target->data, x->data);
        for (int i = 0; i < ndim; i++) {
            int a = i - (ndim - x->ndim);
            int64_t step = garray__strides(r.target)[i];
            garray__sides_axis(&s, times[i], step * length[i], 0);
            garray__sides_axis(&s, length[i], step, a >= 0 ? garray__strides(x)[a] : 0);
        }
        st = garray__sides_copy(r.target, x, &s);
    }
    return garray__result_close(&r, st);
}

/* ---- repeat ---- */

static garray_status repeat_all(const garray_t *x, int axis, int64_t count, garray_t **out)
{
    struct garray__result r;
    struct garray__sides s;
    int64_t shape[GARRAY_MAX_NDIM];
    memcpy(shape, x->shape, sizeof(int64_t) * (size_t)x->ndim);
    GARRAY_REQUIRE(count >= 0, INVALID, "repeats may not contain negative values");
    GARRAY_REQUIRE(!__builtin_mul_overflow(shape[axis], count, &shape[axis]), SHAPE, "the result is too big");
    garray_status st = garray__result_open(&r, out, x->dtype, x->ndim, shape, garray__device_of(x), GARRAY__CASTS, 1, &x);
    if (st != GARRAY_OK)
        return st;
    if (r.target->size > 0) {
        garray__sides_open(&s, r.target->data, x->data);
        for (int i = 0; i < x->ndim; i++) {
            int64_t step = garray__strides(r.target)[i];
            garray__sides_axis(&s, x->shape[i], i == axis ? step * count : step, garray__strides(x)[i]);
            if (i == axis)
                garray__sides_axis(&s, count, step, 0);
        }
        st = garray__sides_copy(r.target, x, &s);
    }
    return garray__result_close(&r, st);
}

/* The sum of the counts; an error if one is negative or the sum overflows, where a sum before it is negative.  Waits for
 * the device. */
static garray_status total_count(const garray_t *counts, const garray_t *ends, int64_t *total)
{
    garray_t *parts[3] = { NULL }, *all = NULL;
    int64_t values[3] = { 0, 0, 0 };
    garray_status st = GARRAY_OK;
    /* what the dtype and the number of counts rule out is not looked for */
    bool may_be_negative = garray__kind_of(counts->dtype) == GARRAY__K_SINT;
    bool may_overflow = garray__size_of(counts->dtype) == 8 || counts->size >= INT32_MAX;
    int n = 0;
    *total = 0;
    if (counts->size == 0)
        return GARRAY_OK;
    if (may_be_negative)
        GARRAY__TRY(garray_min(counts, GARRAY_ALL_AXES, NULL, &parts[n++]));
    if (may_overflow)
        GARRAY__TRY(garray_min(ends, GARRAY_ALL_AXES, NULL, &parts[n++]));
    GARRAY__TRY(garray_getitem(ends, GARRAY_AT(-1), &parts[n++]));
    GARRAY__TRY(garray_stack(GARRAY_ARRAYS(n, parts), 0, &all));
    GARRAY__TRY(garray_to_host(all, values, NULL, sizeof values));
    n = 0;
    GARRAY__CHECK(!may_be_negative || values[n++] >= 0, INVALID, "repeats may not contain negative values");
    GARRAY__CHECK(!may_overflow || values[n++] >= 0, SHAPE, "the result is too big");
    *total = values[n];
done:
    for (int i = 0; i < 3; i++)
        garray_release(parts[i]);
    garray_release(all);
    return st;
}

/* The number of the run that each place lies in, runs ending at ends[0], ends[1], ...; of an int64 target. */
static garray_status run_numbers(const garray_t *ends, garray_t *target)
{
    garray_gen_plan plan = { .kind = GARRAY_GEN_RUNS, .dtype = GARRAY_INT64, .out = target->data, .count = target->size,
                             .ends = (const int64_t *)ends->data, .nends = ends->size };
    garray__uses uses;
    uses.device = garray__device_of(target);
    uses.nread = uses.nwrite = 1;
    uses.read[0] = ends->buffer;
    uses.write[0] = target->buffer;
    return target->size ? garray__submit(GARRAY__GENERATE, &plan, &uses) : GARRAY_OK;
}

static garray_status repeat_each(const garray_t *x, int axis, const garray_t *counts, garray_t **out)
{
    garray_t *plain = NULL, *ends = NULL, *index = NULL;
    int64_t total;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(counts->size == x->shape[axis], SHAPE, "operands could not be broadcast together: %lld repeats for an axis "
                   "of length %lld", (long long)counts->size, (long long)x->shape[axis]);
    GARRAY__TRY(garray__contiguous(counts, GARRAY_INT64, &plain));
    GARRAY__TRY(garray_cumulative_sum(plain, GARRAY_AXES(0), NULL, &ends));
    GARRAY__TRY(total_count(counts, ends, &total));
    GARRAY__TRY(garray__new(GARRAY_INT64, 1, &total, garray__device_of(x), &index));
    GARRAY__TRY(run_numbers(ends, index));
    st = (garray_take)(x, garray_operand_array(index), GARRAY_AXES(axis), out);
done:
    garray_release(plain);
    garray_release(ends);
    garray_release(index);
    return st;
}

garray_status (garray_repeat)(const garray_t *x, garray_operand repeats, garray_axes axis, garray_t **out)
{
    GARRAY_ENTER("garray_repeat");
    garray_t *flat = NULL, *counts = NULL;
    int at = 0;
    int64_t count = 0;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__operand_check(&repeats, "repeats");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    bool all = axis.n == 0 && !axis.v;
    GARRAY_REQUIRE(all || (axis.n == 1 && axis.v), AXIS, "takes one axis, not %lld", (long long)axis.n);
    if (repeats.kind == GARRAY_OPERAND_ARRAY) {
        const garray_t *r = repeats.array;
        GARRAY__CHECK(r->dtype < GARRAY_UINT64, DTYPE, "cannot cast repeats from %s to int64 according to the rule 'safe'",
                      garray__name_of(r->dtype));
        GARRAY__CHECK(r->ndim <= 1, SHAPE, "repeats must have at most one axis, not %d", r->ndim);
        GARRAY__TRY(garray__same_device(garray__device_of(x), r));
        if (r->size == 1)
            GARRAY__TRY((garray_item)(r, GARRAY_INT64, &count));
        else
            GARRAY__TRY(garray__operand_array(&repeats, &counts));
    } else {
        uint64_t bits[2];
        GARRAY__CHECK(repeats.kind <= GARRAY_OPERAND_UINT, DTYPE, "repeats must be integers");
        GARRAY__TRY(garray__scalar_bits(&repeats, GARRAY_INT64, bits));
        count = (int64_t)bits[0];
    }
    if (all)
        GARRAY__TRY(garray__flat(x, &flat));
    else
        GARRAY__TRY(garray__axis(axis.v[0], x->ndim, &at));
    st = counts ? repeat_each(flat ? flat : x, at, counts, out) : repeat_all(flat ? flat : x, at, count, out);
done:
    garray_release(flat);
    garray_release(counts);
    return st;
}

/* ---- resize ---- */

/* target[...] = the n elements of one axis, over and over: whole rounds first, then what is left. */
garray_status garray__fill_cyclic(const garray_t *target, const garray_t *flat)
{
    struct garray__sides s;
    garray_t *line = NULL;
    int64_t n = flat->size, rounds = target->size / n, item = garray__size_of(target->dtype), step = garray__strides(flat)[0];
    garray_status st = garray__view(target->buffer, target->data, target->dtype, 1, &target->size, &item, true, &line);
    if (st != GARRAY_OK)
        return st;
    if (rounds > 0) {
        garray__sides_open(&s, target->data, flat->data);
        garray__sides_axis(&s, rounds, n * item, 0);
        garray__sides_axis(&s, n, item, step);
        st = garray__sides_copy(line, flat, &s);
    }
    if (st == GARRAY_OK && target->size % n) {
        garray__sides_open(&s, target->data + rounds * n * item, flat->data);
        garray__sides_axis(&s, target->size % n, item, step);
        st = garray__sides_copy(line, flat, &s);
    }
    garray_release(line);
    return st;
}

garray_status garray_resize(const garray_t *x, garray_shape shape, garray_t **out)
{
    GARRAY_ENTER("garray_resize");
    struct garray__result r;
    garray_t *flat = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM && (shape.v || shape.n == 0), SHAPE, "shape is malformed");
    st = garray__flat(x, &flat);
    if (st == GARRAY_OK)
        st = garray__result_open(&r, out, x->dtype, (int)shape.n, shape.v, garray__device_of(x), 0, 1,
                                 (const garray_t *const[]){ flat });
    if (st == GARRAY_OK) {
        garray_operand zero = garray_operand_int(0);
        if (r.target->size > 0)
            st = x->size ? garray__fill_cyclic(r.target, flat) : garray__fill(r.target, &zero);
        st = garray__result_close(&r, st);
    }
    garray_release(flat);
    return st;
}

/* ---- roll ---- */

enum { AXES_AT_ONCE = 6 };          /* 2^6 pieces at most */

/* target = x rolled along n axes; every piece of x goes to its place in one copy. */
static garray_status roll_pieces(const garray_t *target, const garray_t *x, int n, const int *axes, const int64_t *shift)
{
    garray_status st = GARRAY_OK;
    for (unsigned piece = 0; piece < 1u << n && st == GARRAY_OK; piece++) {
        struct garray__layout to, from;
        garray_t *a = NULL, *b = NULL;
        garray__layout_of(target, &to);
        garray__layout_of(x, &from);
        for (int k = 0; k < n; k++) {
            int64_t length = x->shape[axes[k]], s = shift[axes[k]];
            bool end = piece >> k & 1;          /* the last s elements, which come to the front */
            garray__layout_range(&from, axes[k], end ? length - s : 0, 1, end ? s : length - s);
            garray__layout_range(&to, axes[k], end ? 0 : s, 1, end ? s : length - s);
        }
        st = garray__layout_view(target, &to, true, &a);
        if (st == GARRAY_OK)
            st = garray__layout_view(x, &from, false, &b);
        if (st == GARRAY_OK)
            st = garray__assign_apart(a, b);
        garray_release(a);
        garray_release(b);
    }
    return st;
}

static garray_status roll(const garray_t *x, const int64_t *shift, garray_t **out)
{
    struct garray__result r;
    garray_t *from = garray__share(x), *next = NULL;
    int axes[GARRAY_MAX_NDIM], n = 0, done_axes = 0;
    garray_status st = GARRAY_OK;
    for (int i = 0; i < x->ndim; i++)
        if (shift[i])
            axes[n++] = i;
    for (; n - done_axes > AXES_AT_ONCE; done_axes += AXES_AT_ONCE) {
        GARRAY__TRY(garray__new(x->dtype, x->ndim, x->shape, garray__device_of(x), &next));
        GARRAY__TRY(roll_pieces(next, from, AXES_AT_ONCE, axes + done_axes, shift));
        garray_release(from);
        from = next;
        next = NULL;
    }
    GARRAY__TRY(garray__result_open(&r, out, x->dtype, x->ndim, x->shape, garray__device_of(x), GARRAY__CASTS, 1,
                                    (const garray_t *const[]){ from }));
    st = garray__result_close(&r, roll_pieces(r.target, from, n - done_axes, axes + done_axes, shift));
done:
    garray_release(from);
    garray_release(next);
    return st;
}

/* NumPy's remainder of s by the length n, in [0, n). */
static int64_t wrapped(int64_t s, int64_t n)
{
    return n > 0 ? (s % n + n) % n : 0;
}

garray_status garray_roll(const garray_t *x, garray_shape shifts, garray_axes axes, garray_t **out)
{
    GARRAY_ENTER("garray_roll");
    int64_t shift[GARRAY_MAX_NDIM] = { 0 };
    garray_t *flat = NULL, *rolled = NULL, *turned = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(shifts.n > 0 && shifts.v, INVALID, "a shift must be given");
    bool all = axes.n == 0 && !axes.v;
    if (!all) {
        GARRAY_REQUIRE(axes.n > 0 && axes.v, INVALID, "the list of axes is malformed");
        GARRAY_REQUIRE(shifts.n == axes.n || shifts.n == 1 || axes.n == 1, SHAPE, "%lld shifts for %lld axes",
                       (long long)shifts.n, (long long)axes.n);
        int64_t n = shifts.n > axes.n ? shifts.n : axes.n;
        for (int64_t i = 0; i < n; i++) {           /* an axis named twice rolls twice */
            int axis = 0;
            st = garray__axis(axes.v[axes.n == 1 ? 0 : i], x->ndim, &axis);
            if (st != GARRAY_OK)
                return st;
            int64_t length = x->shape[axis];
            shift[axis] = wrapped(shift[axis] + wrapped(shifts.v[shifts.n == 1 ? 0 : i], length), length);
        }
        return roll(x, shift, out);
    }
    for (int64_t i = 0; i < shifts.n; i++)
        shift[0] = wrapped(shift[0] + wrapped(shifts.v[i], x->size), x->size);
    GARRAY__TRY(garray__flat(x, &flat));
    GARRAY__TRY(roll(flat, shift, &rolled));
    GARRAY__TRY(garray__reshaped(rolled, x->ndim, x->shape, &turned));
    st = garray__result_assign(out, turned);
    turned = NULL;
done:
    garray_release(flat);
    garray_release(rolled);
    garray_release(turned);
    return st;
}
