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

/* How a product enters its result, and what precision it may give up. */
struct mix {
    double alpha[2], beta[2];
    int tf32, fast_half;
};

static const struct mix plain_mix = { .alpha = { 1, 0 } };

static garray_status submit_matmul(const struct factor *a, const struct factor *b, const garray_t *c, int nbatch,
                                   const int64_t *batch_shape, const struct mix *mix)
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
    memcpy(plan.alpha, mix->alpha, sizeof plan.alpha);
    memcpy(plan.beta, mix->beta, sizeof plan.beta);
    plan.tf32 = mix->tf32;
    plan.fast_half = mix->fast_half;
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

/* Two factors of one dtype, and the shape of their product. */
struct product {
    struct factor a, b;
    int nbatch, ndim;
    int64_t batch[GARRAY_MAX_NDIM], shape[GARRAY_MAX_NDIM];
};

static void close_product(struct product *p)
{
    garray_release(p->a.array);
    garray_release(p->b.array);
}

static garray_status open_product(struct product *p, const garray_operand *a, const garray_operand *b, int dtype)
{
    garray_status st;
    GARRAY__TRY(open_factor(a, dtype, true, &p->a));
    GARRAY__TRY(open_factor(b, dtype, false, &p->b));
    if (p->a.columns != p->b.rows)
        return garray__mismatch(p->a.array, p->b.array, p->a.columns, p->b.rows);
    GARRAY__TRY(garray__broadcast_shapes(&p->nbatch, p->batch, p->a.nbatch, p->a.array->shape));
    GARRAY__TRY(garray__broadcast_shapes(&p->nbatch, p->batch, p->b.nbatch, p->b.array->shape));
    memcpy(p->shape, p->batch, sizeof(int64_t) * (size_t)p->nbatch);
    p->ndim = p->nbatch;
    if (a->array->ndim > 1)
        p->shape[p->ndim++] = p->a.rows;
    if (b->array->ndim > 1)
        p->shape[p->ndim++] = p->b.columns;
done:
    return st;
}

static garray_status matmul(const garray_operand *a, const garray_operand *b, garray_t **out)
{
    struct product p = { 0 };
    struct garray__result r;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_factors(a, b);
    if (st != GARRAY_OK)
        return st;
    int dtype = garray__promote(a->array->dtype, b->array->dtype);
    GARRAY__TRY(open_product(&p, a, b, dtype));
    const garray_t *inputs[4] = { p.a.array, p.b.array, a->array, b->array };
    GARRAY__TRY(garray__result_open(&r, out, dtype, p.ndim, p.shape, garray__device_of(p.a.array), 0, 4, inputs));
    if (r.target->size > 0 && p.a.columns == 0) {
        garray_operand zero = garray_operand_int(0);
        st = garray__fill(r.target, &zero);
    } else if (r.target->size > 0) {
        st = submit_matmul(&p.a, &p.b, r.target, p.nbatch, p.batch, &plain_mix);
    }
    st = garray__result_close(&r, st);
done:
    close_product(&p);
    return st;
}

garray_status (garray_matmul)(garray_operand a, garray_operand b, garray_t **out)
{
    GARRAY_ENTER("garray_matmul");
    return matmul(&a, &b, out);
}

/* alpha or beta; 1 where it is not given. */
static garray_status get_factor(const garray_operand *o, const char *name, int dtype, double value[2])
{
    uint64_t bits[2];
    value[0] = 1;
    value[1] = 0;
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(o, name, GARRAY__NUMBER));
    GARRAY_REQUIRE(garray__kind_of(dtype) >= GARRAY__K_FLOAT, DTYPE, "%s is for floats and complex numbers, not %s", name,
                   garray__name_of(dtype));
    GARRAY_REQUIRE(o->kind != GARRAY_OPERAND_COMPLEX || garray__kind_of(dtype) == GARRAY__K_COMPLEX, DTYPE,
                   "%s is complex, the result is %s", name, garray__name_of(dtype));
    garray_status st = garray__scalar_bits(o, GARRAY_COMPLEX128, bits);
    if (st == GARRAY_OK)
        memcpy(value, bits, sizeof bits);
    return st;
}

static bool same_memory(const garray_t *x, const garray_t *y)
{
    return x->data == y->data && x->dtype == y->dtype && x->ndim == y->ndim
           && memcmp(x->shape, y->shape, 2 * sizeof(int64_t) * (size_t)x->ndim) == 0;
}

garray_status (garray_gemm)(garray_operand a, garray_operand b, garray_operand c, const garray_gemm_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_gemm");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    const garray_gemm_opts o = opts ? *opts : (garray_gemm_opts){ 0 };
    struct product p = { 0 };
    struct garray__result r;
    struct mix mix = { .tf32 = o.tf32, .fast_half = o.fast_half };
    garray_t *turned = NULL, *wide = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_factors(&a, &b);
    if (st == GARRAY_OK && c.kind != GARRAY_OPERAND_NONE)
        st = garray__operand_check(&c, "the third operand");
    if (st != GARRAY_OK)
        return st;
    int dtype = garray__promote(a.array->dtype, b.array->dtype);
    const garray_t *added = NULL;       /* without a reference of ours, so that its memory can be the result's */
    if (c.kind != GARRAY_OPERAND_NONE) {
        GARRAY_REQUIRE(c.kind == GARRAY_OPERAND_ARRAY, INVALID, "the third operand is a number; it must be an array");
        GARRAY__TRY(garray__same_device(garray__device_of(a.array), c.array));
        dtype = garray__promote(dtype, c.array->dtype);
        if (c.flags)
            GARRAY__TRY(garray__operand_array(&c, &turned));
        added = turned ? turned : c.array;
    }
    GARRAY__TRY(get_factor(&o.alpha, "alpha", dtype, mix.alpha));
    GARRAY__TRY(get_factor(&o.beta, "beta", dtype, mix.beta));
    if (!added || (mix.beta[0] == 0 && mix.beta[1] == 0)) {
        mix.beta[0] = mix.beta[1] = 0;
        added = NULL;
    }
    GARRAY__TRY(open_product(&p, &a, &b, dtype));
    if (added && !(added->ndim == p.ndim && memcmp(added->shape, p.shape, sizeof(int64_t) * (size_t)p.ndim) == 0))
        GARRAY__TRY(garray__broadcast(added, p.ndim, p.shape, &wide));
    const garray_t *inputs[6] = { p.a.array, p.b.array, a.array, b.array, wide, turned };
    GARRAY__TRY(garray__result_open(&r, out, dtype, p.ndim, p.shape, garray__device_of(p.a.array), 0, 6, inputs));
    if (added && !same_memory(added, r.target))
        st = garray__assign(r.target, wide ? wide : added);
    if (st == GARRAY_OK && r.target->size > 0)
        st = submit_matmul(&p.a, &p.b, r.target, p.nbatch, p.batch, &mix);
    st = garray__result_close(&r, st);
done:
    close_product(&p);
    garray_release(turned);
    garray_release(wide);
    return st;
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
