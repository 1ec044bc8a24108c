/* SPDX-License-Identifier: BSD-3-Clause
 * Covariance and correlation matrices: deviations from the mean, and one matrix product. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/compose.h"
#include "core/result.h"
#include "core/statistics.h"
#include "garray/linalg.h"
#include "garray/reduce.h"
#include "garray/shape.h"
#include "garray/statistics.h"

/* The variables as rows, in dtype: a copy.  One axis is one row whatever `columns` says. */
static garray_status open_rows(const garray_t *x, bool columns, int dtype, bool is_y, garray_t **rows)
{
    garray_t *view = NULL;
    garray_status st = GARRAY_OK;
    int64_t shape[2] = { x->ndim == 2 ? x->shape[0] : 1, x->ndim ? x->shape[x->ndim - 1] : 1 };
    GARRAY__TRY(garray_reshape(x, (garray_shape){ 2, shape }, &view));
    if (columns && (is_y ? view->shape[0] != 1 : x->ndim != 1))
        GARRAY__TRY(garray_matrix_transpose(view, &view));
    st = garray__copy_as(view, dtype, rows);
done:
    garray_release(view);
    return st;
}

/* x and y, one below the other. */
static garray_status open_variables(const garray_t *x, const garray_cov_opts *o, garray_t **variables)
{
    garray_t *y = NULL, *upper = NULL, *lower = NULL;
    garray_status st = GARRAY_OK;
    GARRAY_REQUIRE(x->ndim <= 2, SHAPE, "x has more than 2 dimensions");
    GARRAY__TRY(garray__option_array(&o->y, "y", garray__device_of(x), &y));
    GARRAY__CHECK(!y || y->ndim <= 2, SHAPE, "y has more than 2 dimensions");
    int dtype = o->dtype;
    if (!dtype) {
        dtype = garray__promote(x->dtype, GARRAY_FLOAT64);
        if (y)
            dtype = garray__promote(dtype, y->dtype);
    }
    GARRAY__CHECK(garray__is_dtype(dtype), DTYPE, "%d is not a dtype", dtype);
    GARRAY__CHECK(garray__kind_of(dtype) >= GARRAY__K_FLOAT, DTYPE, "cannot run in dtype %s", garray__name_of(dtype));
    GARRAY__TRY(open_rows(x, o->columns, dtype, false, variables));
    if (y && (*variables)->shape[0] > 0) {
        upper = *variables;
        *variables = NULL;
        GARRAY__TRY(open_rows(y, o->columns, dtype, true, &lower));
        const garray_t *parts[2] = { upper, lower };
        st = garray_concat((garray_list){ 2, parts }, 0, variables);
    }
done:
    garray_release(y);
    garray_release(upper);
    garray_release(lower);
    return st;
}

/* ---- weights ---- */

/* One kind of weights as float64, and their values on the host. */
static garray_status open_kind(const garray_operand *o, const char *name, const garray_t *variables, garray_t **weights,
                               double **values)
{
    garray_t *given = NULL;
    garray_status st = GARRAY_OK;
    bool frequencies = name[0] == 'f';
    if (o->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY__TRY(garray__option_array(o, name, garray__device_of(variables), &given));
    GARRAY__CHECK(garray__kind_of(given->dtype) != GARRAY__K_COMPLEX, DTYPE, "%s are complex", name);
    GARRAY__CHECK(given->ndim <= 1, SHAPE, "cannot handle multidimensional %s", name);
    GARRAY__CHECK(given->ndim == 1 && given->shape[0] == variables->shape[1], SHAPE,
                  "incompatible numbers of samples and %s: %lld and %lld", name, (long long)variables->shape[1],
                  (long long)given->size);
    GARRAY__TRY(garray__copy_as(given, GARRAY_FLOAT64, weights));
    GARRAY__TRY(garray__read(*weights, values));
    for (int64_t i = 0; i < given->size; i++) {
        GARRAY__CHECK(!frequencies || (*values)[i] == nearbyint((*values)[i]), INVALID, "fweights must be integer");
        GARRAY__CHECK(!((*values)[i] < 0), INVALID, "%s cannot be negative", name);
    }
done:
    garray_release(given);
    return st;
}

/* What the sums of products are divided by; the weights of the observations, NULL if there are none. */
static garray_status open_weights(const garray_t *variables, const garray_cov_opts *o, double ddof, garray_t **weights,
                                  double *divisor)
{
    garray_t *f = NULL, *a = NULL;
    double *fv = NULL, *av = NULL, sum = 0, squares = 0;
    garray_status st = GARRAY_OK;
    int64_t n = variables->shape[1];
    GARRAY__TRY(open_kind(&o->fweights, "fweights", variables, &f, &fv));
    GARRAY__TRY(open_kind(&o->aweights, "aweights", variables, &a, &av));
    for (int64_t i = 0; i < n; i++) {
        double w = fv && av ? fv[i] * av[i] : fv ? fv[i] : av ? av[i] : 1;
        sum += w;
        squares += av ? w * av[i] : 0;
    }
    if (!f && !a)
        *divisor = (double)n - ddof;
    else if (ddof == 0)
        *divisor = sum;
    else
        *divisor = a ? sum - ddof * squares / sum : sum - ddof;
    if (f && a)
        st = garray__binary(GARRAY_OP_multiply, GARRAY__ARR(f), GARRAY__ARR(a), 0, weights);
    else if (f || a)
        *weights = garray__share(f ? f : a);
done:
    garray_release(f);
    garray_release(a);
    free(fv);
    free(av);
    return st;
}

/* NumPy's ddof: an integer, or what bias says. */
static garray_status get_ddof(const garray_cov_opts *o, double *ddof)
{
    *ddof = o->bias ? 0 : 1;
    if (o->ddof.kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    uint64_t bits[2];
    GARRAY_TRY(garray__option_check(&o->ddof, "ddof", GARRAY__NUMBER));
    garray_status st = garray__scalar_bits(&o->ddof, GARRAY_FLOAT64, bits);
    memcpy(ddof, bits, 8);
    if (st == GARRAY_OK && *ddof != nearbyint(*ddof))
        st = garray__fail(GARRAY_ERR_INVALID, "ddof must be integer");
    return st;
}

/* The covariances, a new matrix, or an array without axes for one variable. */
static garray_status covariance(const garray_t *x, const garray_cov_opts *o, garray_t **out)
{
    garray_t *variables = NULL, *weights = NULL, *mean = NULL, *weighted = NULL, *product = NULL;
    double ddof, divisor = 0;
    const int32_t along = 1;
    garray_status st = get_ddof(o, &ddof);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(open_variables(x, o, &variables));
    if (variables->shape[0] == 0) {
        st = garray__new(GARRAY_FLOAT64, 2, (const int64_t[]){ 0, 0 }, garray__device_of(x), out);
        goto done;
    }
    GARRAY__TRY(open_weights(variables, o, ddof, &weights, &divisor));
    const garray_operand w = weights ? GARRAY__ARR(weights) : garray_operand_int(1);
    GARRAY__TRY(garray__average(variables, (garray_axes){ 1, &along }, weights ? &w : NULL, 1, &mean, NULL));
    GARRAY__TRY(garray__binary(GARRAY_OP_subtract, GARRAY__ARR(variables), GARRAY__ARR(mean), 0, &variables));
    if (weights)
        GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(variables), w, variables->dtype, &weighted));
    const garray_operand left = GARRAY__ARR(variables), right = GARRAY__ARR(weighted ? weighted : variables);
    GARRAY__TRY((garray_matmul)(left, garray_operand_flip(right, GARRAY_OPERAND_TRANSPOSE | GARRAY_OPERAND_CONJUGATE), &product));
    const garray_operand scale = garray_operand_double(1 / (divisor > 0 ? divisor : 0));
    GARRAY__TRY(garray__binary(GARRAY_OP_multiply, GARRAY__ARR(product), scale, 0, &product));
    if (product->shape[0] == 1)
        GARRAY__TRY(garray_reshape(product, (garray_shape){ 0, NULL }, &product));
    *out = product;
    product = NULL;
done:
    garray_release(variables);
    garray_release(weights);
    garray_release(mean);
    garray_release(weighted);
    garray_release(product);
    return st;
}

garray_status garray_cov(const garray_t *x, const garray_cov_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_cov");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *result = NULL;
    const garray_cov_opts none = { 0 };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    st = covariance(x, opts ? opts : &none, &result);
    return st == GARRAY_OK ? garray__result_assign(out, result) : st;
}

/* Real and imaginary parts of a matrix of ours between -1 and 1. */
static garray_status clip_parts(garray_t *c)
{
    garray_t *parts = NULL;
    int real = garray__real_of(c->dtype), size = garray__size_of(real);
    const int64_t n = c->size * (garray__size_of(c->dtype) / size), step = size;
    garray_status st = garray__view(c->buffer, c->data, real, 1, &n, &step, true, &parts);
    if (st == GARRAY_OK) {
        const garray_operand in[3] = { GARRAY__ARR(parts), garray_operand_int(-1), garray_operand_int(1) };
        st = garray__elementwise(GARRAY_OP_clip, 3, in, 0, garray_into(parts));
    }
    garray_release(parts);
    return st;
}

garray_status garray_corrcoef(const garray_t *x, const garray_cov_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_corrcoef");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *c = NULL, *d = NULL, *deviation = NULL, *column = NULL;
    garray_cov_opts o = opts ? *opts : (garray_cov_opts){ 0 };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(!o.bias && o.ddof.kind == GARRAY_OPERAND_NONE && o.fweights.kind == GARRAY_OPERAND_NONE
                       && o.aweights.kind == GARRAY_OPERAND_NONE,
                   INVALID, "takes columns, dtype and y");
    GARRAY__TRY(covariance(x, &o, &c));
    if (c->ndim == 0) {         /* 1, or NaN */
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(c), GARRAY__ARR(c), 0, out);
        goto done;
    }
    if (c->size > 0) {
        const int64_t n = c->shape[0], step = garray__strides(c)[0] + garray__strides(c)[1];
        GARRAY__TRY(garray__view(c->buffer, c->data, c->dtype, 1, &n, &step, false, &d));
        GARRAY__TRY(garray__unary(GARRAY_OP_real, GARRAY__ARR(d), &deviation));
        GARRAY__TRY(garray__unary(GARRAY_OP_sqrt, GARRAY__ARR(deviation), &deviation));
        garray_release(d);
        d = NULL;
        GARRAY__TRY(garray_reshape(deviation, (garray_shape){ 2, (const int64_t[]){ n, 1 } }, &column));
        GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(c), GARRAY__ARR(column), 0, &c));
        GARRAY__TRY(garray__binary(GARRAY_OP_divide, GARRAY__ARR(c), GARRAY__ARR(deviation), 0, &c));
        GARRAY__TRY(clip_parts(c));
    }
    st = garray__result_assign(out, c);
    c = NULL;
done:
    garray_release(c);
    garray_release(d);
    garray_release(deviation);
    garray_release(column);
    return st;
}
