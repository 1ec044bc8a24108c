/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products: shapes, dtypes, and operands as BLAS can take them. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/linalg.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/linalg.h"
#include "garray/shape.h"

/* ---- matmul ---- */

/* One factor: batch axes, then rows and columns; strides in bytes. */
struct factor {
    garray_t *array;
    int nbatch;
    int64_t rows, columns, row_step, column_step;
    bool conjugate;
};

/* BLAS takes a matrix whose items follow each other along one axis and whose other step is not too short. */
static bool fits_blas(const struct factor *f)
{
    int64_t item = garray__size_of(f->array->dtype);
    int64_t r = f->row_step, c = f->column_step;
    bool row_major = (f->columns == 1 || c == item)
                     && (f->rows == 1 || (r >= item * (f->columns > 1 ? f->columns : 1) && r % item == 0));
    bool column_major = (f->rows == 1 || r == item)
                        && (f->columns == 1 || (c >= item * (f->rows > 1 ? f->rows : 1) && c % item == 0));
    if (!garray__aligned(f->array) || !(row_major || column_major))
        return false;
    for (int i = 0; i < f->nbatch; i++)
        if (garray__strides(f->array)[i] % item != 0 || garray__strides(f->array)[i] < 0)
            return false;
    return true;
}

/* An axis of length 1 has no step; give it one that fits the other axis. */
static void settle_steps(struct factor *f)
{
    int64_t item = garray__size_of(f->array->dtype);
    if (f->columns == 1 && f->rows == 1)
        f->row_step = f->column_step = item;
    else if (f->columns == 1)
        f->column_step = f->row_step == item ? item * f->rows : item;
    else if (f->rows == 1)
        f->row_step = f->column_step == item ? item * f->columns : item;
}

static void set_axes(struct factor *f, bool is_left)
{
    const garray_t *x = f->array;
    const int64_t *strides = garray__strides(x);
    int n = x->ndim;
    f->nbatch = n > 2 ? n - 2 : 0;
    if (n == 1) {
        f->rows = is_left ? 1 : x->shape[0];
        f->columns = is_left ? x->shape[0] : 1;
        f->row_step = f->column_step = strides[0];
    } else {
        f->rows = x->shape[n - 2];
        f->columns = x->shape[n - 1];
        f->row_step = strides[n - 2];
        f->column_step = strides[n - 1];
    }
}

/* The operand in the common dtype, with its transposition as strides and its conjugation as a flag. */
static garray_status open_factor(const garray_operand *operand, int dtype, bool is_left, struct factor *f)
{
    garray_operand plain = *operand;
    garray_t *view = NULL;
    garray_status st = GARRAY_OK;
    plain.flags &= ~GARRAY_OPERAND_CONJUGATE;
    f->conjugate = operand->flags & GARRAY_OPERAND_CONJUGATE && garray__kind_of(dtype) == GARRAY__K_COMPLEX
                   && garray__kind_of(operand->array->dtype) == GARRAY__K_COMPLEX;
    GARRAY__TRY(garray__operand_array(&plain, &view));
    if (view->dtype != dtype)
        GARRAY__TRY(garray__copy_as(view, dtype, &f->array));
    else
        f->array = garray_retain(view);
    set_axes(f, is_left);
    if (f->rows > 0 && f->columns > 0 && !fits_blas(f)) {
        garray_t *packed = NULL;
        GARRAY__TRY(garray__copy_as(f->array, dtype, &packed));
        garray_release(f->array);
        f->array = packed;
        set_axes(f, is_left);
    }
    settle_steps(f);
done:
    garray_release(view);
    return st;
}

static garray_status submit_matmul(const struct factor *a, const struct factor *b, const garray_t *c, int nbatch,
                                   const int64_t *batch_shape)
{
    garray_matmul_plan plan;
    int64_t item = garray__size_of(c->dtype);
    plan.dtype = c->dtype;
    plan.conj_a = a->conjugate;
    plan.conj_b = b->conjugate;
    plan.m = a->rows;
    plan.n = b->columns;
    plan.k = a->columns;
    plan.a = a->array->data;
    plan.b = b->array->data;
    plan.c = c->data;
    plan.a_row = a->row_step / item;
    plan.a_col = a->column_step / item;
    plan.b_row = b->row_step / item;
    plan.b_col = b->column_step / item;
    plan.c_row = plan.n > 0 ? plan.n : 1;
    plan.alpha[0] = 1;
    plan.alpha[1] = plan.beta[0] = plan.beta[1] = 0;
    plan.batch = 1;
    int64_t c_step = plan.m * plan.n;
    for (int i = nbatch - 1; i >= 0; i--) {
        int ia = i - (nbatch - a->nbatch), ib = i - (nbatch - b->nbatch);
        plan.batch_shape[i] = batch_shape[i];
        plan.a_batch[i] = ia >= 0 && a->array->shape[ia] > 1 ? garray__strides(a->array)[ia] / item : 0;
        plan.b_batch[i] = ib >= 0 && b->array->shape[ib] > 1 ? garray__strides(b->array)[ib] / item : 0;
        plan.c_batch[i] = c_step;
        c_step *= batch_shape[i];
        plan.batch *= batch_shape[i];
    }
    int64_t *strides[3] = { plan.c_batch, plan.a_batch, plan.b_batch };
    char *data[3] = { NULL, NULL, NULL };
    plan.nbatch = garray__merge_axes(nbatch, plan.batch_shape, 3, strides, data, true);
    /* one right factor for all, and left ones that follow each other: a single taller product */
    if (plan.nbatch == 1 && plan.b_batch[0] == 0 && plan.a_col == 1 && plan.a_batch[0] == plan.m * plan.a_row
        && (plan.m > 1 || plan.a_row >= plan.k)) {
        plan.m *= plan.batch_shape[0];
        plan.batch = 1;
        plan.nbatch = 0;
    }
    garray__uses uses;
    uses.device = garray__device_of(c);
    uses.nread = 2;
    uses.nwrite = 1;
    uses.read[0] = a->array->buffer;
    uses.read[1] = b->array->buffer;
    uses.write[0] = c->buffer;
    return garray__submit(GARRAY__MATMUL, &plan, &uses);
}

garray_status garray__mismatch(const garray_t *a, const garray_t *b, int64_t ka, int64_t kb)
{
    char x[GARRAY__SHAPE_TEXT], y[GARRAY__SHAPE_TEXT];
    return garray__fail(GARRAY_ERR_SHAPE, "shapes %s and %s do not match: inner lengths %lld and %lld differ",
                        garray__shape_text(a->ndim, a->shape, x), garray__shape_text(b->ndim, b->shape, y), (long long)ka,
                        (long long)kb);
}

garray_status garray__check_factors(const garray_operand *a, const garray_operand *b)
{
    garray_status st = garray__operand_check(a, "the first operand");
    if (st == GARRAY_OK)
        st = garray__operand_check(b, "the second operand");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(a->kind == GARRAY_OPERAND_ARRAY && b->kind == GARRAY_OPERAND_ARRAY, INVALID,
                   "an operand is a number; it must be an array");
    GARRAY_REQUIRE(a->array->ndim > 0 && b->array->ndim > 0, SHAPE,
                   "an operand does not have enough dimensions (has 0, needs 1)");
    return garray__same_device(garray__device_of(a->array), b->array);
}

static garray_status matmul(const garray_operand *a, const garray_operand *b, garray_t **out)
{
    struct factor fa = { 0 }, fb = { 0 };
    struct garray__result r;
    int64_t batch[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM];
    int nbatch = 0, ndim;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_factors(a, b);
    if (st != GARRAY_OK)
        return st;
    int dtype = garray__promote(a->array->dtype, b->array->dtype);
    GARRAY__TRY(open_factor(a, dtype, true, &fa));
    GARRAY__TRY(open_factor(b, dtype, false, &fb));
    if (fa.columns != fb.rows) {
        st = garray__mismatch(fa.array, fb.array, fa.columns, fb.rows);
        goto done;
    }
    GARRAY__TRY(garray__broadcast_shapes(&nbatch, batch, fa.nbatch, fa.array->shape));
    GARRAY__TRY(garray__broadcast_shapes(&nbatch, batch, fb.nbatch, fb.array->shape));
    memcpy(shape, batch, sizeof(int64_t) * (size_t)nbatch);
    ndim = nbatch;
    if (a->array->ndim > 1)
        shape[ndim++] = fa.rows;
    if (b->array->ndim > 1)
        shape[ndim++] = fb.columns;
    const garray_t *inputs[4] = { fa.array, fb.array, a->array, b->array };
    GARRAY__TRY(garray__result_open(&r, out, dtype, ndim, shape, garray__device_of(fa.array), 0, 4, inputs));
    if (r.target->size > 0 && fa.columns == 0) {
        garray_operand zero = garray_operand_int(0);
        st = garray__fill(r.target, &zero);
    } else if (r.target->size > 0) {
        st = submit_matmul(&fa, &fb, r.target, nbatch, batch);
    }
    st = garray__result_close(&r, st);
done:
    garray_release(fa.array);
    garray_release(fb.array);
    return st;
}

garray_status (garray_matmul)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_matmul");
    return matmul(&a, &b, out);
}

/* x with `axis` (counted from the end) last, and an axis of length 1 beside it, as a row or a column. */
static garray_status as_vectors(const garray_t *x, int axis, bool row, garray_t **out)
{
    garray_t *turned = NULL;
    int32_t from = axis, to = -1, at = row ? -2 : -1;
    garray_status st = garray_moveaxis(x, (garray_axes){ 1, &from }, (garray_axes){ 1, &to }, &turned);
    if (st == GARRAY_OK)
        st = garray_expand_dims(turned, (garray_axes){ 1, &at }, out);
    garray_release(turned);
    return st;
}

garray_status (garray_vecdot)(garray_operand a, garray_operand b, int axis, garray_t **out)
{
    GARRAY_ENTER("garray_vecdot");
    garray_t *xa = NULL, *xb = NULL, *row = NULL, *column = NULL, *product = NULL, *flat = NULL;
    int32_t last[2] = { -1, -2 };
    garray_operand left, right;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_factors(&a, &b);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__operand_array(&a, &xa));
    GARRAY__TRY(garray__operand_array(&b, &xb));
    GARRAY__CHECK(axis < 0 && axis >= -xa->ndim && axis >= -xb->ndim, AXIS,
                  "axis %d is out of bounds: it counts from the end of both arrays, which have %d and %d axes", axis,
                  xa->ndim, xb->ndim);
    int64_t na = xa->shape[xa->ndim + axis], nb = xb->shape[xb->ndim + axis];
    if (na != nb) {
        st = garray__mismatch(xa, xb, na, nb);
        goto done;
    }
    GARRAY__TRY(as_vectors(xa, axis, true, &row));
    GARRAY__TRY(as_vectors(xb, axis, false, &column));
    left = garray_operand_array(row);
    left.flags = GARRAY_OPERAND_CONJUGATE;
    right = garray_operand_array(column);
    GARRAY__TRY(matmul(&left, &right, &product));
    GARRAY__TRY(garray_squeeze(product, (garray_axes){ 2, last }, &flat));
    st = garray__result_assign(out, flat);
    flat = NULL;
done:
    garray_release(xa);
    garray_release(xb);
    garray_release(row);
    garray_release(column);
    garray_release(product);
    garray_release(flat);
    return st;
}
