/* SPDX-License-Identifier: BSD-3-Clause
 * Comparisons with a tolerance, and of whole arrays: isclose, allclose, array_equal, array_equiv. */
#include <math.h>
#include <string.h>
#include "core/compose.h"
#include "core/plan.h"
#include "core/result.h"
#include "garray/numeric.h"

/* |number| of a scalar operand, as a double. */
static double size_of(const garray_operand *o)
{
    uint64_t bits[2];
    double part[2];
    garray__scalar_cast(o, GARRAY_COMPLEX128, bits);
    memcpy(part, bits, sizeof part);
    return part[1] == 0 ? fabs(part[0]) : hypot(part[0], part[1]);
}

static double value_of(const garray_operand *o)
{
    uint64_t bits[2];
    double value;
    garray__scalar_cast(o, GARRAY_FLOAT64, bits);
    memcpy(&value, bits, sizeof value);
    return value;
}

/* atol + rtol * |b|: a number if all three are, else an array of b's dtype, which the caller releases. */
static garray_status tolerance(const garray_operand *b, const garray_close_opts *opts, garray_operand *number, garray_t **array)
{
    garray_operand in[3] = { *b, garray_operand_double(1e-5), garray_operand_double(1e-8) };
    if (opts && opts->rtol.kind != GARRAY_OPERAND_NONE)
        in[1] = opts->rtol;
    if (opts && opts->atol.kind != GARRAY_OPERAND_NONE)
        in[2] = opts->atol;
    static const char *const names[] = { "b", "rtol", "atol" };
    bool numbers = true;
    for (int k = 0; k < 3; k++) {
        garray_status st = garray__operand_check(&in[k], names[k]);
        if (st != GARRAY_OK)
            return st;
        bool is_array = in[k].kind == GARRAY_OPERAND_ARRAY;
        bool is_complex = is_array ? garray__kind_of(in[k].array->dtype) == GARRAY__K_COMPLEX
                                   : in[k].kind == GARRAY_OPERAND_COMPLEX;
        GARRAY_REQUIRE(k == 0 || !is_complex, DTYPE, "%s must be real", names[k]);
        numbers = numbers && !is_array;
    }
    if (!numbers)
        return garray__elementwise(GARRAY__OP_tolerance, 3, in, 0, array);
    *number = garray_operand_double(value_of(&in[2]) + value_of(&in[1]) * size_of(b));
    return GARRAY_OK;
}

static garray_status isclose(const garray_operand *a, const garray_operand *b, const garray_close_opts *opts, garray_t **out)
{
    garray_t *array = NULL;
    garray_operand in[3] = { *a, *b, *b };
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(garray__operand_check(a, "a"));
    GARRAY__TRY(tolerance(b, opts, &in[2], &array));
    if (array)
        in[2] = garray_operand_array(array);
    st = garray__elementwise(opts && opts->equal_nan ? GARRAY__OP_isclose_nan : GARRAY__OP_isclose, 3, in, 0, out);
done:
    garray_release(array);
    return st;
}

garray_status (garray_isclose)(garray_operand a, garray_operand b, const garray_close_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_isclose");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    return isclose(&a, &b, opts, out);
}

garray_status (garray_allclose)(garray_operand a, garray_operand b, const garray_close_opts *opts, bool *result)
{
    GARRAY_ENTER("garray_allclose");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *close = NULL;
    GARRAY_REQUIRE(result, INVALID, "result is NULL");
    garray_status st = isclose(&a, &b, opts, &close);
    if (st == GARRAY_OK)
        st = garray__is_all(close, result);
    garray_release(close);
    return st;
}

/* All pairs of elements; the shapes broadcast. */
static garray_status all_equal(const garray_operand *a, const garray_operand *b, bool equal_nan, bool *result)
{
    garray_t *equal = NULL;
    garray_status st;
    bool exact = !equal_nan;
    for (int k = 0; k < 2 && !exact; k++) {     /* integers have no NaN, and may be too large for a float */
        const garray_operand *o = k ? b : a;
        int kind = o->kind == GARRAY_OPERAND_ARRAY ? garray__kind_of(o->array->dtype) : 0;
        exact = kind == GARRAY__K_BOOL || kind == GARRAY__K_SINT || kind == GARRAY__K_UINT;
    }
    if (exact) {
        garray_operand in[2] = { *a, *b };
        st = garray__elementwise(GARRAY_OP_equal, 2, in, 0, &equal);
    } else {
        garray_operand in[3] = { *a, *b, garray_operand_double(-1) };       /* nothing is that close */
        st = garray__elementwise(GARRAY__OP_isclose_nan, 3, in, 0, &equal);
    }
    if (st == GARRAY_OK)
        st = garray__is_all(equal, result);
    garray_release(equal);
    return st;
}

/* The shapes of both; a number has none.  A transposed operand's last two lengths change places. */
static garray_status two_shapes(const garray_operand *a, const garray_operand *b, int ndim[2], int64_t shape[2][GARRAY_MAX_NDIM])
{
    const garray_operand *const both[2] = { a, b };
    for (int k = 0; k < 2; k++) {
        garray_status st = garray__operand_check(both[k], k ? "b" : "a");
        if (st != GARRAY_OK)
            return st;
        ndim[k] = 0;
        if (both[k]->kind != GARRAY_OPERAND_ARRAY)
            continue;
        const garray_t *x = both[k]->array;
        int n = ndim[k] = x->ndim;
        memcpy(shape[k], x->shape, sizeof(int64_t) * (size_t)n);
        if (both[k]->flags & GARRAY_OPERAND_TRANSPOSE) {
            GARRAY_REQUIRE(n >= 2, SHAPE, "a matrix transpose needs at least 2 axes, the array has %d", n);
            int64_t length = shape[k][n - 1];
            shape[k][n - 1] = shape[k][n - 2];
            shape[k][n - 2] = length;
        }
    }
    if (a->kind == GARRAY_OPERAND_ARRAY && b->kind == GARRAY_OPERAND_ARRAY)
        return garray__same_device(garray__device_of(a->array), b->array);
    GARRAY_REQUIRE(a->kind == GARRAY_OPERAND_ARRAY || b->kind == GARRAY_OPERAND_ARRAY, INVALID,
                   "all operands are numbers; at least one must be an array");
    return GARRAY_OK;
}

garray_status (garray_array_equal)(garray_operand a, garray_operand b, bool equal_nan, bool *result)
{
    GARRAY_ENTER("garray_array_equal");
    int ndim[2];
    int64_t shape[2][GARRAY_MAX_NDIM];
    GARRAY_REQUIRE(result, INVALID, "result is NULL");
    garray_status st = two_shapes(&a, &b, ndim, shape);
    if (st != GARRAY_OK)
        return st;
    if (ndim[0] != ndim[1] || memcmp(shape[0], shape[1], sizeof(int64_t) * (size_t)ndim[0]) != 0) {
        *result = false;
        return GARRAY_OK;
    }
    return all_equal(&a, &b, equal_nan, result);
}

garray_status (garray_array_equiv)(garray_operand a, garray_operand b, bool *result)
{
    GARRAY_ENTER("garray_array_equiv");
    int ndim[2];
    int64_t shape[2][GARRAY_MAX_NDIM];
    GARRAY_REQUIRE(result, INVALID, "result is NULL");
    garray_status st = two_shapes(&a, &b, ndim, shape);
    if (st != GARRAY_OK)
        return st;
    if (garray__broadcast_shapes(&ndim[0], shape[0], ndim[1], shape[1]) != GARRAY_OK) {
        garray__clear_error();
        *result = false;
        return GARRAY_OK;
    }
    return all_equal(&a, &b, false, result);
}
