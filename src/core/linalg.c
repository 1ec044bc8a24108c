/* SPDX-License-Identifier: BSD-3-Clause
 * Linear algebra by LAPACK: what its functions share (linalg.h), linear systems, Cholesky factors and Hermitian
 * eigenproblems. */
#include <string.h>
#include "core/compose.h"
#include "core/linalg.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/linalg.h"
#include "garray/shape.h"

/* ---- shared ---- */

garray_status garray__check_matrix(const garray_t *x)
{
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->ndim >= 2, SHAPE, "%d-dimensional array given; an array must be at least two-dimensional", x->ndim);
    return GARRAY_OK;
}

garray_status garray__check_square(const garray_t *x)
{
    char text[GARRAY__SHAPE_TEXT];
    garray_status st = garray__check_matrix(x);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->shape[x->ndim - 1] == x->shape[x->ndim - 2], SHAPE,
                   "the last 2 dimensions of the array must be square, not %s",
                   garray__shape_text(x->ndim, x->shape, text));
    return GARRAY_OK;
}

garray_status garray__lapack_dtype(int dtype, int *result)
{
    GARRAY_REQUIRE(dtype != GARRAY_FLOAT16 && dtype != GARRAY_BFLOAT16, DTYPE, "array type %s is unsupported in linalg",
                   garray__name_of(dtype));
    *result = dtype < GARRAY_FLOAT16 ? GARRAY_FLOAT64 : dtype;
    return GARRAY_OK;
}

garray_status garray__open_square(const garray_t *x, int *dtype, garray_t **matrix)
{
    garray_status st = garray__check_square(x);
    if (st == GARRAY_OK)
        st = garray__lapack_dtype(x->dtype, dtype);
    return st == GARRAY_OK ? garray__contiguous(x, *dtype, matrix) : st;
}

int64_t garray__matrices(const garray_t *x)
{
    int64_t count = 1;
    for (int i = 0; i < x->ndim - 2; i++)
        count *= x->shape[i];
    return count;
}

garray_status garray__submit_solve(garray_solve_plan *plan, const struct garray__solve_arrays *arrays)
{
    const garray_t *const reads[] = { arrays->keep_a, arrays->keep_c };
    garray_t *const writes[] = { arrays->a, arrays->b, arrays->w, arrays->c, arrays->d };
    const garray_t *a = arrays->keep_a ? arrays->keep_a : arrays->a, *c = arrays->keep_c ? arrays->keep_c : arrays->c;
    garray__uses uses = { 0 };
    plan->a = a ? a->data : NULL;
    plan->b = arrays->b ? arrays->b->data : NULL;
    plan->w = arrays->w ? arrays->w->data : NULL;
    plan->c = c ? c->data : NULL;
    plan->d = arrays->d ? arrays->d->data : NULL;
    uses.device = garray__device_of(a ? a : c);
    for (int i = 0; i < 2; i++)
        if (reads[i])
            uses.read[uses.nread++] = reads[i]->buffer;
    for (int i = 0; i < 5; i++)
        if (writes[i])
            uses.write[uses.nwrite++] = writes[i]->buffer;
    return garray__submit(GARRAY__SOLVE, plan, &uses);
}

/* ---- linear systems ---- */

static garray_status describe(struct garray__system *s, const garray_t *a, const garray_t *b)
{
    garray_t *column = NULL, *wide = NULL;
    int64_t batch[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM];
    int nbatch = 0;
    garray_status st;
    GARRAY__TRY(garray__check_square(a));
    GARRAY__TRY(garray__lapack_dtype(a->dtype, &s->dtype));
    GARRAY__TRY(garray__lapack_dtype(b->dtype, &s->dtype));
    GARRAY__TRY(garray__lapack_dtype(garray__promote(a->dtype, b->dtype), &s->dtype));
    s->is_vector = b->ndim == 1;
    if (s->is_vector) {
        int32_t at = -1;
        GARRAY__TRY(garray_expand_dims(b, (garray_axes){ 1, &at }, &column));
    } else {
        column = garray__share(b);
    }
    s->n = a->shape[a->ndim - 1];
    s->nrhs = column->shape[column->ndim - 1];
    if (column->shape[column->ndim - 2] != s->n) {
        st = garray__mismatch(a, b, s->n, column->shape[column->ndim - 2]);
        goto done;
    }
    GARRAY__TRY(garray__broadcast_shapes(&nbatch, batch, a->ndim - 2, a->shape));
    GARRAY__TRY(garray__broadcast_shapes(&nbatch, batch, column->ndim - 2, column->shape));
    s->batch = 1;
    for (int i = 0; i < nbatch; i++)
        s->batch *= shape[i] = batch[i];
    shape[nbatch] = shape[nbatch + 1] = s->n;
    GARRAY__TRY(garray__broadcast(a, nbatch + 2, shape, &wide));
    GARRAY__TRY(garray__contiguous(wide, s->dtype, &s->a));
    shape[nbatch + 1] = s->nrhs;
    GARRAY__TRY(garray__broadcast(column, nbatch + 2, shape, &s->b));
    s->is_empty = s->b->size == 0;
done:
    garray_release(column);
    garray_release(wide);
    return st;
}

garray_status garray__system_open(struct garray__system *s, garray_t **out, const garray_operand *a, const garray_operand *b)
{
    garray_t *xa = NULL, *xb = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_factors(a, b);
    if (st == GARRAY_OK)
        st = garray__operand_array(a, &xa);
    if (st == GARRAY_OK)
        st = garray__operand_array(b, &xb);
    if (st == GARRAY_OK)
        st = describe(s, xa, xb);
    garray_release(xa);
    garray_release(xb);
    return st;
}

garray_status garray__system_begin(struct garray__system *s, garray_t **out, const garray_operand *a, const garray_operand *b)
{
    garray_status st = garray__system_open(s, out, a, b);
    return st == GARRAY_OK ? garray__copy_as(s->b, s->dtype, &s->solution) : st;
}

static garray_status assign(const struct garray__system *s, garray_t **out)
{
    int32_t last = -1;
    garray_t *flat = NULL;
    if (!s->is_vector)
        return garray__result_assign(out, garray_retain(s->solution));
    garray_status st = garray_squeeze(s->solution, (garray_axes){ 1, &last }, &flat);
    return st == GARRAY_OK ? garray__result_assign(out, flat) : st;
}

garray_status garray__system_close(struct garray__system *s, garray_t **out, garray_status st)
{
    if (st == GARRAY_OK)
        st = assign(s, out);
    garray_release(s->a);
    garray_release(s->b);
    garray_release(s->solution);
    return st;
}

garray_status (garray_linalg_solve)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_solve");
    struct garray__system s = { 0 };
    garray_status st = garray__system_begin(&s, out, &a, &b);
    if (st == GARRAY_OK && !s.is_empty) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_LINEAR, .dtype = s.dtype, .n = s.n, .nrhs = s.nrhs, .batch = s.batch };
        st = garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_a = s.a, .b = s.solution });
    }
    return garray__system_close(&s, out, st);
}

/* ---- Cholesky ---- */

garray_status garray_linalg_cholesky(const garray_t *x, const garray_cholesky_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_cholesky");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *matrix = NULL, *factor = NULL;
    int dtype = 0;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__open_square(x, &dtype, &matrix));
    /* a failed factorization must leave out as it was, so the work is done in a new array */
    GARRAY__TRY(garray__new(dtype, x->ndim, x->shape, garray__device_of(x), &factor));
    if (factor->size > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_CHOLESKY, .dtype = dtype, .upper = opts && opts->upper,
                                   .n = x->shape[x->ndim - 1] };
        plan.batch = garray__matrices(x);
        GARRAY__TRY(garray__submit_solve(&plan, &(struct garray__solve_arrays){ .keep_a = matrix, .b = factor }));
    }
    st = garray__result_assign(out, factor);
    factor = NULL;
done:
    garray_release(matrix);
    garray_release(factor);
    return st;
}

/* ---- eigenproblems ---- */

static garray_status eigh(const garray_t *x, const garray_eigh_opts *opts, garray_t **w, garray_t **v)
{
    garray_t **const outs[2] = { w, v };
    garray_t *values[2] = { NULL, NULL };
    int dtype = 0;
    garray_status st = garray__check_outs(2, outs);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__check_square(x));
    GARRAY__TRY(garray__lapack_dtype(x->dtype, &dtype));
    GARRAY__TRY(garray__new(garray__real_of(dtype), x->ndim - 1, x->shape, garray__device_of(x), &values[0]));
    GARRAY__TRY(garray__copy_as(x, dtype, &values[1]));
    if (x->size > 0) {
        garray_solve_plan plan = { .kind = GARRAY_SOLVE_EIGH, .dtype = dtype, .upper = opts && opts->upper, .vectors = v != NULL,
                                   .n = x->shape[x->ndim - 1] };
        plan.batch = garray__matrices(x);
        st = garray__submit_solve(&plan, &(struct garray__solve_arrays){ .a = values[1], .w = values[0] });
    }
done:
    return garray__assign_outs(2, outs, values, st);
}

garray_status garray_linalg_eigh(const garray_t *x, const garray_eigh_opts *opts, garray_t **w, garray_t **v)
{
    GARRAY_ENTER("garray_linalg_eigh");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return eigh(x, opts, w, v);
}

garray_status garray_linalg_eigvalsh(const garray_t *x, const garray_eigh_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_linalg_eigvalsh");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return eigh(x, opts, out, NULL);
}
