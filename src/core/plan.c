/* SPDX-License-Identifier: BSD-3-Clause
 * Elementwise plans: see plan.h. */
#include <string.h>
#include "core/plan.h"
#include "core/submit.h"

garray_status garray__broadcast_shapes(int *ndim, int64_t *shape, int other_ndim, const int64_t *other)
{
    int n = *ndim > other_ndim ? *ndim : other_ndim;
    int64_t result[GARRAY_MAX_NDIM];
    for (int i = 1; i <= n; i++) {
        int64_t a = i <= *ndim ? shape[*ndim - i] : 1, b = i <= other_ndim ? other[other_ndim - i] : 1;
        if (a != b && a != 1 && b != 1) {
            char x[GARRAY__SHAPE_TEXT], y[GARRAY__SHAPE_TEXT];
            return garray__fail(GARRAY_ERR_SHAPE, "shapes %s and %s do not broadcast", garray__shape_text(*ndim, shape, x),
                                garray__shape_text(other_ndim, other, y));
        }
        result[n - i] = a == 1 ? b : a;
    }
    memcpy(shape, result, sizeof(int64_t) * (size_t)n);
    *ndim = n;
    return GARRAY_OK;
}

static int64_t magnitude(int64_t step)
{
    return step < 0 ? -step : step;
}

/* Whether axis a should lie inside of axis b: the first operand that tells them apart decides. */
static bool is_inner(int a, int b, int nop, int64_t *const *strides)
{
    for (int k = 0; k < nop; k++) {
        int64_t x = magnitude(strides[k][a]), y = magnitude(strides[k][b]);
        if (x != y && x != 0 && y != 0)
            return x < y;
    }
    return false;
}

static void swap_axes(int a, int b, int64_t *shape, int nop, int64_t *const *strides)
{
    int64_t t = shape[a];
    shape[a] = shape[b];
    shape[b] = t;
    for (int k = 0; k < nop; k++) {
        t = strides[k][a];
        strides[k][a] = strides[k][b];
        strides[k][b] = t;
    }
}

int garray__merge_axes(int n, int64_t *shape, int nop, int64_t *const *strides, char **data, bool keep_order)
{
    int m = 0;
    for (int i = 0; i < n; i++) {               /* drop axes of length 1 */
        if (shape[i] == 1)
            continue;
        shape[m] = shape[i];
        for (int k = 0; k < nop; k++)
            strides[k][m] = strides[k][i];
        m++;
    }
    if (!keep_order) {
        for (int i = 0; i < m; i++) {           /* turn axes that run backwards */
            int64_t first = 0;
            for (int k = 0; k < nop && first == 0; k++)
                first = strides[k][i];
            if (first >= 0)
                continue;
            for (int k = 0; k < nop; k++) {
                if (data[k])
                    data[k] += (shape[i] - 1) * strides[k][i];
                strides[k][i] = -strides[k][i];
            }
        }
        for (int i = 1; i < m; i++)             /* stable insertion sort, innermost last */
            for (int j = i; j > 0 && is_inner(j - 1, j, nop, strides); j--)
                swap_axes(j - 1, j, shape, nop, strides);
    }
    int out = 0;
    for (int i = 1; i < m; i++) {
        bool joins = true;
        for (int k = 0; k < nop && joins; k++)
            joins = strides[k][out] == strides[k][i] * shape[i];
        if (joins) {
            shape[out] *= shape[i];
        } else {
            out++;
            shape[out] = shape[i];
        }
        for (int k = 0; k < nop; k++)
            strides[k][out] = strides[k][i];
    }
    return m ? out + 1 : 0;
}

static bool same_shape(const garray_t *a, const garray_t *b)
{
    if (a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

static void set_scalar(garray_ew_operand *o, const struct garray__ew_input *in)
{
    o->data = NULL;
    o->bits[0] = in->bits[0];
    o->bits[1] = in->bits[1];
}

void garray__plan_elementwise(garray_ew_plan *plan, int op, int dtype, const garray_t *out, int nin,
                              const struct garray__ew_input *in)
{
    plan->op = op;
    plan->dtype = dtype;
    plan->nop = nin + 1;
    plan->reserved = 0;
    plan->count = out->size;
    bool simple = out->flags & GARRAY__CONTIGUOUS;
    for (int k = 0; k < nin && simple; k++)
        simple = !in[k].array || (in[k].array->flags & GARRAY__CONTIGUOUS && same_shape(in[k].array, out));
    for (int k = 0; k <= nin; k++) {
        garray_ew_operand *o = &plan->operand[k];
        const garray_t *x = k ? in[k - 1].array : out;
        o->dtype = x ? x->dtype : in[k - 1].dtype;
        o->reserved = 0;
        if (x)
            o->data = x->data;
        else
            set_scalar(o, &in[k - 1]);
        if (simple)
            o->strides[0] = x ? garray__size_of(o->dtype) : 0;
    }
    if (simple) {
        plan->ndim = 1;
        plan->shape[0] = plan->count;
        plan->layout = GARRAY_EW_CONTIGUOUS;
        return;
    }
    int n = out->ndim;
    int64_t *strides[GARRAY_EW_OPERANDS] = { NULL };
    char *data[GARRAY_EW_OPERANDS];
    memcpy(plan->shape, out->shape, sizeof(int64_t) * (size_t)n);
    for (int k = 0; k <= nin; k++) {
        garray_ew_operand *o = &plan->operand[k];
        const garray_t *x = k ? in[k - 1].array : out;
        strides[k] = o->strides;
        data[k] = o->data;
        for (int i = 0; i < n; i++) {
            int j = x ? i - (n - x->ndim) : -1;
            o->strides[i] = j >= 0 && x->shape[j] != 1 ? garray__strides(x)[j] : 0;
        }
    }
    n = garray__merge_axes(n, plan->shape, nin + 1, strides, data, false);
    if (n == 0) {
        n = 1;
        plan->shape[0] = 1;
        for (int k = 0; k <= nin; k++)
            strides[k][0] = plan->operand[k].data ? garray__size_of(plan->operand[k].dtype) : 0;
    }
    plan->ndim = n;
    bool contiguous = n == 1;
    for (int k = 0; k <= nin; k++) {
        garray_ew_operand *o = &plan->operand[k];
        o->data = data[k];
        int64_t step = o->strides[0];
        contiguous = contiguous && (step == garray__size_of(o->dtype) || (step == 0 && k > 0));
    }
    plan->layout = contiguous ? GARRAY_EW_CONTIGUOUS : GARRAY_EW_STRIDED;
}

/* The largest number of bytes that an operand spans. */
static int64_t widest_span(const garray_ew_plan *plan)
{
    int64_t widest = 0;
    for (int k = 0; k < plan->nop; k++) {
        int64_t span = garray__size_of(plan->operand[k].dtype);
        for (int i = 0; i < plan->ndim; i++)
            if (__builtin_add_overflow(span, (plan->shape[i] - 1) * magnitude(plan->operand[k].strides[i]), &span))
                return INT64_MAX;
        widest = span > widest ? span : widest;
    }
    return widest;
}

static garray_status run_split(int entry, garray_ew_plan *plan, const garray__uses *uses)
{
    if (plan->layout == GARRAY_EW_CONTIGUOUS || (widest_span(plan) < INT32_MAX && plan->count < INT32_MAX))
        return garray__submit((garray__entry)entry, plan, uses);
    int axis = 0;
    while (axis + 1 < plan->ndim && plan->shape[axis] == 1)
        axis++;
    int64_t whole = plan->shape[axis], half = whole / 2;
    void *data[GARRAY_EW_OPERANDS];
    garray_status st = GARRAY_OK;
    for (int k = 0; k < plan->nop; k++)
        data[k] = plan->operand[k].data;
    int64_t count = plan->count;
    for (int part = 0; part < 2 && st == GARRAY_OK; part++) {
        garray_ew_plan piece = *plan;
        piece.shape[axis] = part ? whole - half : half;
        piece.count = count / whole * piece.shape[axis];
        for (int k = 0; k < plan->nop; k++)
            if (data[k])
                piece.operand[k].data = (char *)data[k] + (part ? half * plan->operand[k].strides[axis] : 0);
        st = run_split(entry, &piece, uses);
    }
    return st;
}

garray_status garray__plan_run(int entry, garray_ew_plan *plan, const garray_t *out, int nin,
                               const struct garray__ew_input *in)
{
    garray__uses uses;
    uses.device = garray__device_of(out);
    uses.nwrite = 1;
    uses.write[0] = out->buffer;
    uses.nread = 0;
    for (int k = 0; k < nin; k++)
        if (in[k].array && in[k].array->buffer != out->buffer)
            uses.read[uses.nread++] = in[k].array->buffer;
    if (plan->layout == GARRAY_EW_STRIDED && uses.device->flags & GARRAY_BACKEND_SPLIT32)
        return run_split(entry, plan, &uses);
    return garray__submit((garray__entry)entry, plan, &uses);
}
