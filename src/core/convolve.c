/* SPDX-License-Identifier: BSD-3-Clause
 * Convolution and correlation of vectors: windows of the longer operand, with the shorter one as weights. */
#include "core/compose.h"
#include "core/polynomial.h"
#include "core/result.h"
#include "core/window.h"
#include "garray/shape.h"
#include "garray/signal.h"

static garray_status read_mode(const garray_convolve_opts *opts, int usual, int *mode)
{
    *mode = opts && opts->mode ? (int)opts->mode : usual;
    GARRAY_REQUIRE(*mode >= GARRAY_CONVOLVE_FULL && *mode <= GARRAY_CONVOLVE_VALID, INVALID,
                   "mode must be one of full, same and valid, not %d", *mode);
    GARRAY_REQUIRE(!opts || opts->method <= GARRAY_CONVOLVE_FFT, INVALID, "method %d is not known", opts ? (int)opts->method : 0);
    GARRAY_REQUIRE(!opts ||
                       ((!opts->boundary || opts->boundary == GARRAY_BOUNDARY_FILL) && opts->fill.kind == GARRAY_OPERAND_NONE),
                   INVALID, "boundary and fill are options of the signal_ functions");
    return GARRAY_OK;
}

/* Correlates vectors of one dtype.  The order of NumPy's result: as if a were the longer one, and turned around if it is
 * not and reversed says so. */
static garray_status correlate(const garray_t *a, const garray_t *v, int mode, int method, bool reversed, garray_t **out)
{
    garray_t *weights = NULL, *result = NULL;
    struct garray__result r = { NULL, NULL, NULL };
    const bool swap = a->size < v->size;
    const garray_t *in = swap ? v : a, *small = swap ? a : v;
    const int64_t n = in->size, m = small->size;
    const int64_t origin = mode == GARRAY_CONVOLVE_FULL ? m - 1 : mode == GARRAY_CONVOLVE_SAME ? m / 2 : 0;
    const int64_t length = mode == GARRAY_CONVOLVE_FULL ? n + m - 1 : mode == GARRAY_CONVOLVE_SAME ? n : n - m + 1;
    garray_status st = garray__contiguous(small, 0, &weights);
    if (st != GARRAY_OK)
        return st;
    const garray_t *const inputs[2] = { in, weights };
    if (swap && reversed) {
        GARRAY__TRY(garray__new(in->dtype, 1, &length, garray__device_of(in), &result));
        GARRAY__TRY(garray__window_convolve(in, weights, &origin, method, result));
        GARRAY__TRY(garray_flip(result, GARRAY_ALL_AXES, &result));
        GARRAY__TRY(garray__result_open(&r, out, in->dtype, 1, &length, garray__device_of(in), GARRAY__CASTS, 2, inputs));
        st = garray__result_close(&r, garray__assign(r.target, result));
    } else {
        GARRAY__TRY(garray__result_open(&r, out, in->dtype, 1, &length, garray__device_of(in), 0, 2, inputs));
        st = garray__result_close(&r, garray__window_convolve(in, weights, &origin, method, r.target));
    }
done:
    garray_release(weights);
    garray_release(result);
    return st;
}

static garray_status check_depth(const garray_t *x, const char *name)
{
    GARRAY_REQUIRE(x->ndim == 1, SHAPE, "object too deep for desired array: %s has %d axes, not 1", name, x->ndim);
    return GARRAY_OK;
}

/* Both operands as vectors of their common dtype. */
static garray_status open_vectors(const garray_operand *a, const garray_operand *v, garray_t **x, garray_t **y)
{
    garray_status st = garray__vectors(a, "a", v, "v", x, y);
    if (st == GARRAY_OK)
        st = check_depth(*x, "a");
    if (st == GARRAY_OK)
        st = check_depth(*y, "v");
    if (st != GARRAY_OK)
        return st;
    garray_dtype dtype = (garray_dtype)garray__promote((*x)->dtype, (*y)->dtype);
    if ((*x)->dtype != (int)dtype)
        st = garray_astype(*x, dtype, x);
    if (st == GARRAY_OK && (*y)->dtype != (int)dtype)
        st = garray_astype(*y, dtype, y);
    return st;
}

garray_status (garray_convolve)(garray_operand a, garray_operand v, const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_convolve");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *x = NULL, *y = NULL, **small;
    int mode;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(read_mode(opts, GARRAY_CONVOLVE_FULL, &mode));
    GARRAY__TRY(open_vectors(&a, &v, &x, &y));
    GARRAY__CHECK(x->size > 0, INVALID, "a cannot be empty");
    GARRAY__CHECK(y->size > 0, INVALID, "v cannot be empty");
    small = y->size > x->size ? &x : &y;
    GARRAY__TRY(garray_flip(*small, GARRAY_ALL_AXES, small));
    st = correlate(x, y, mode, opts ? (int)opts->method : 0, false, out);
done:
    garray_release(x);
    garray_release(y);
    return st;
}

garray_status (garray_correlate)(garray_operand a, garray_operand v, const garray_convolve_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_correlate");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray_t *x = NULL, *y = NULL;
    int mode;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY__TRY(read_mode(opts, GARRAY_CONVOLVE_VALID, &mode));
    GARRAY__TRY(open_vectors(&a, &v, &x, &y));
    GARRAY__CHECK(x->size > 0, INVALID, "first array argument cannot be empty");
    GARRAY__CHECK(y->size > 0, INVALID, "second array argument cannot be empty");
    if (garray__kind_of(y->dtype) == GARRAY__K_COMPLEX)
        GARRAY__TRY(garray__unary(GARRAY_OP_conj, GARRAY__ARR(y), &y));
    st = correlate(x, y, mode, opts ? (int)opts->method : 0, true, out);
done:
    garray_release(x);
    garray_release(y);
    return st;
}
