/* SPDX-License-Identifier: BSD-3-Clause
 * Elements from one of several arrays: choose by an index, select and piecewise by conditions.  All are chains of
 * where(): each choice is read once, and the result once for each. */
#include <string.h>
#include "core/array.h"
#include "core/elementwise.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/selection.h"

enum { CHOICES = 256 };

/* An array's share in the shape and the device of a result. */
static garray_status join(const garray_t *x, int *ndim, int64_t *shape, garray__device **device)
{
    if (*device) {
        garray_status st = garray__same_device(*device, x);
        if (st != GARRAY_OK)
            return st;
    }
    *device = garray__device_of(x);
    return garray__broadcast_shapes(ndim, shape, x->ndim, x->shape);
}

static garray_status join_all(int n, const garray_operand *values, const char *name, int *ndim, int64_t *shape,
                              garray__device **device)
{
    garray_status st = GARRAY_OK;
    for (int k = 0; k < n && st == GARRAY_OK; k++) {
        st = garray__operand_check(&values[k], name);
        if (st == GARRAY_OK && values[k].kind == GARRAY_OPERAND_ARRAY) {
            GARRAY_REQUIRE(!values[k].flags, INVALID, "%s are taken as they are, not transposed or conjugated", name);
            st = join(values[k].array, ndim, shape, device);
        }
    }
    return st;
}

static garray_status join_conditions(garray_list conditions, int *ndim, int64_t *shape, garray__device **device)
{
    garray_status st = GARRAY_OK;
    for (int64_t k = 0; k < conditions.n && st == GARRAY_OK; k++) {
        const garray_t *c = conditions.v[k];
        GARRAY_REQUIRE(c, INVALID, "condition %lld is NULL", (long long)k);
        GARRAY_REQUIRE(c->dtype == GARRAY_BOOL, DTYPE, "invalid entry %lld in conditions: should be a bool array, not %s",
                       (long long)k, garray__name_of(c->dtype));
        st = join(c, ndim, shape, device);
    }
    return st;
}

/* x[...] = value, cast whatever is lost. */
static garray_status start(garray_t *x, const garray_operand *value)
{
    return value->kind == GARRAY_OPERAND_ARRAY ? garray__assign(x, value->array) : garray__fill(x, value);
}

static garray_status put_where(garray_t *x, const garray_t *mask, const garray_operand *value)
{
    garray_operand in[3] = { garray_operand_array(mask), *value, garray_operand_array(x) };
    return garray__elementwise(GARRAY_OP_where, 3, in, x->dtype, garray_into(x));
}

/* ---- choose ---- */

/* Each index is looked up among n bytes, which finds the ones out of range; negative ones are so as huge unsigned
 * numbers. */
static garray_status check_choices(const garray_t *index, int64_t n)
{
    const int64_t step = 0;
    garray_t *cell = NULL, *table = NULL, *found = NULL, *wide = NULL;
    garray_status st = GARRAY_OK;
    GARRAY__TRY(garray__copy_as(index, GARRAY_UINT64, &wide));
    GARRAY__TRY(garray__new(GARRAY_BOOL, 0, NULL, garray__device_of(index), &cell));
    GARRAY__TRY(garray__view(cell->buffer, cell->data, GARRAY_BOOL, 1, &n, &step, false, &table));
    st = garray__take(table, wide, (garray_axes){ 0, NULL }, &found);
done:
    garray_release(cell);
    garray_release(table);
    garray_release(found);
    garray_release(wide);
    return st;
}

static garray_status choose(const garray_t *index, int n, const garray_operand *choices, garray_index_mode mode,
                            garray_t **result)
{
    garray_t *legal = NULL, *mask = NULL;
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 0;
    garray__device *device = NULL;
    bool two = index->dtype == GARRAY_BOOL && n == 2;
    garray_status st = join(index, &ndim, shape, &device);
    if (st == GARRAY_OK)
        st = join_all(n, choices, "choices", &ndim, shape, &device);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__index_in_mode(index, mode, n, &legal));
    GARRAY__TRY(garray__new(garray__common_dtype(n, choices), ndim, shape, device, result));
    /* NumPy looks at no index of an empty result, but at the range of the numbers among the choices. */
    if (mode <= GARRAY_MODE_RAISE && !two && (*result)->size > 0)
        GARRAY__TRY(check_choices(legal, n));
    GARRAY__TRY(start(*result, &choices[0]));
    for (int k = 1; k < n; k++) {
        garray_operand in[2] = { garray_operand_array(legal), garray_operand_int(k) };
        if (!two)
            GARRAY__TRY(garray__elementwise(GARRAY_OP_equal, 2, in, 0, &mask));
        GARRAY__TRY(put_where(*result, two ? index : mask, &choices[k]));
    }
done:
    garray_release(legal);
    garray_release(mask);
    return st;
}

garray_status garray_choose(const garray_t *index, int n, const garray_operand *choices, garray_index_mode mode, garray_t **out)
{
    GARRAY_ENTER("garray_choose");
    garray_t *result = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(index && choices, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(n >= 1 && n <= CHOICES, INVALID, "takes 1 to %d choices, not %d", CHOICES, n);
    GARRAY_REQUIRE(garray__kind_of(index->dtype) <= GARRAY__K_UINT, DTYPE, "indices must be integers, not %s",
                   garray__name_of(index->dtype));
    st = choose(index, n, choices, mode, &result);
    if (st == GARRAY_OK)
        return garray__result_assign(out, result);
    garray_release(result);
    return st;
}

/* ---- select ---- */

static garray_status select_first(garray_list conditions, const garray_operand *choices, const garray_operand *otherwise,
                                  garray_t **result)
{
    garray_operand all[CHOICES + 1];
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 0, n = (int)conditions.n;
    garray__device *device = NULL;
    memcpy(all, choices, sizeof *all * (size_t)n);
    all[n] = *otherwise;
    garray_status st = join_conditions(conditions, &ndim, shape, &device);
    if (st == GARRAY_OK)
        st = join_all(n, all, "choices", &ndim, shape, &device);
    if (st == GARRAY_OK)
        st = join_all(1, &all[n], "otherwise", &ndim, shape, &device);
    if (st == GARRAY_OK)
        st = garray__new(garray__common_dtype(n + 1, all), ndim, shape, device, result);
    if (st == GARRAY_OK)
        st = start(*result, &all[n]);
    for (int k = n - 1; k >= 0 && st == GARRAY_OK; k--)
        st = put_where(*result, conditions.v[k], &all[k]);
    return st;
}

static garray_status check_list(garray_list conditions)
{
    GARRAY_REQUIRE(conditions.n > 0 && conditions.v, INVALID, "an empty list of conditions is not possible");
    GARRAY_REQUIRE(conditions.n <= CHOICES, INVALID, "takes at most %d conditions, not %lld", CHOICES, (long long)conditions.n);
    return GARRAY_OK;
}

garray_status (garray_select)(garray_list conditions, const garray_operand *choices, garray_operand otherwise, garray_t **out)
{
    GARRAY_ENTER("garray_select");
    garray_t *result = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_list(conditions);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(choices, INVALID, "choices is NULL");
    st = select_first(conditions, choices, &otherwise, &result);
    if (st == GARRAY_OK)
        return garray__result_assign(out, result);
    garray_release(result);
    return st;
}

/* ---- piecewise ---- */

static garray_status check_fits(const garray_t *x, int ndim, const int64_t *shape)
{
    char a[GARRAY__SHAPE_TEXT], b[GARRAY__SHAPE_TEXT];
    GARRAY_REQUIRE(ndim == x->ndim && memcmp(shape, x->shape, sizeof(int64_t) * (size_t)ndim) == 0, SHAPE,
                   "conditions and values have shape %s together, x has %s", garray__shape_text(ndim, shape, a),
                   garray__shape_text(x->ndim, x->shape, b));
    return GARRAY_OK;
}

garray_status garray_piecewise(const garray_t *x, garray_list conditions, int nvalues, const garray_operand *values,
                               garray_t **out)
{
    GARRAY_ENTER("garray_piecewise");
    garray_t *result = NULL;
    garray_operand zero = garray_operand_bool(false);
    int64_t shape[GARRAY_MAX_NDIM];
    int ndim = 0;
    garray__device *device = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = check_list(conditions);
    if (st != GARRAY_OK)
        return st;
    const int n = (int)conditions.n;
    GARRAY_REQUIRE(x && values, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(nvalues == n || nvalues == n + 1, INVALID, "with %d condition(s), either %d or %d values are expected, not %d",
                   n, n, n + 1, nvalues);
    GARRAY__TRY(join(x, &ndim, shape, &device));
    GARRAY__TRY(join_conditions(conditions, &ndim, shape, &device));
    GARRAY__TRY(join_all(nvalues, values, "values", &ndim, shape, &device));
    GARRAY__TRY(check_fits(x, ndim, shape));
    GARRAY__TRY(garray__new(x->dtype, ndim, shape, device, &result));
    GARRAY__TRY(start(result, nvalues > n ? &values[n] : &zero));
    for (int k = 0; k < n; k++)
        GARRAY__TRY(put_where(result, conditions.v[k], &values[k]));
    garray_t *finished = result;
    result = NULL;
    st = garray__result_assign(out, finished);
done:
    garray_release(result);
    return st;
}
