/* SPDX-License-Identifier: BSD-3-Clause
 * The windows of signal processing, with NumPy's formulas, in float64. */
#include "core/compose.h"
#include "core/result.h"
#include "garray/math.h"
#include "garray/signal.h"

static const double pi = 3.14159265358979323846;

/* Each makes the window of m > 1 values of n = 1 - m, 3 - m, ... m - 1. */
typedef garray_status formula(double m, double beta, const garray_t *n, garray_t **out);

static garray_status scaled(garray_operand x, double factor, garray_t **out)
{
    return garray__binary(GARRAY_OP_multiply, x, garray_operand_double(factor), 0, out);
}

static garray_status shifted(const garray_t *x, double by, garray_t **out)
{
    return garray__binary(GARRAY_OP_add, GARRAY__ARR(x), garray_operand_double(by), 0, out);
}

/* cos(factor n / (m - 1)), times weight */
static garray_status cosine(double factor, const garray_t *n, double m, double weight, garray_t **out)
{
    garray_status st = scaled(GARRAY__ARR(n), factor, out);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*out), garray_operand_double(m - 1), 0, out);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_cos, GARRAY__ARR(*out), out);
    if (st == GARRAY_OK)
        st = scaled(GARRAY__ARR(*out), weight, out);
    return st;
}

/* 1 - |n| / (m - 1) */
static garray_status bartlett(double m, double beta, const garray_t *n, garray_t **out)
{
    (void)beta;
    garray_status st = garray__unary(GARRAY_OP_abs, GARRAY__ARR(n), out);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*out), garray_operand_double(m - 1), 0, out);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_subtract, garray_operand_double(1), GARRAY__ARR(*out), 0, out);
    return st;
}

/* 0.42 + 0.5 cos(pi n / (m - 1)) + 0.08 cos(2 pi n / (m - 1)) */
static garray_status blackman(double m, double beta, const garray_t *n, garray_t **out)
{
    garray_t *second = NULL;
    (void)beta;
    garray_status st = cosine(pi, n, m, 0.5, out);
    if (st == GARRAY_OK)
        st = shifted(*out, 0.42, out);
    if (st == GARRAY_OK)
        st = cosine(2 * pi, n, m, 0.08, &second);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_add, GARRAY__ARR(*out), GARRAY__ARR(second), 0, out);
    garray_release(second);
    return st;
}

static garray_status hamming(double m, double beta, const garray_t *n, garray_t **out)
{
    (void)beta;
    garray_status st = cosine(pi, n, m, 0.46, out);
    return st == GARRAY_OK ? shifted(*out, 0.54, out) : st;
}

static garray_status hanning(double m, double beta, const garray_t *n, garray_t **out)
{
    (void)beta;
    garray_status st = cosine(pi, n, m, 0.5, out);
    return st == GARRAY_OK ? shifted(*out, 0.5, out) : st;
}

/* i0(beta sqrt(1 - (n / (m - 1))^2)) / i0(beta); n is twice NumPy's distance from the middle */
static garray_status kaiser(double m, double beta, const garray_t *n, garray_t **out)
{
    garray_t *whole = NULL;
    const garray_operand b = garray_operand_double(beta);
    garray_status st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(n), garray_operand_double(m - 1), 0, out);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_square, GARRAY__ARR(*out), out);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_subtract, garray_operand_double(1), GARRAY__ARR(*out), 0, out);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_sqrt, GARRAY__ARR(*out), out);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_multiply, b, GARRAY__ARR(*out), 0, out);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_i0, GARRAY__ARR(*out), out);
    if (st == GARRAY_OK)
        st = garray__new(GARRAY_FLOAT64, 0, NULL, garray__device_of(n), &whole);
    if (st == GARRAY_OK)
        st = garray__fill(whole, &b);
    if (st == GARRAY_OK)
        st = garray__unary(GARRAY_OP_i0, GARRAY__ARR(whole), &whole);
    if (st == GARRAY_OK)
        st = garray__binary(GARRAY_OP_divide, GARRAY__ARR(*out), GARRAY__ARR(whole), 0, out);
    garray_release(whole);
    return st;
}

static garray_status make(formula *f, int64_t m, double beta, int dtype, garray_device device, garray_t **out)
{
    garray_t *n = NULL, *y = NULL;
    garray__device *place;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    dtype = dtype ? dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(dtype) && garray__kind_of(dtype) == GARRAY__K_FLOAT, DTYPE, "a window has floats, not %s",
                   garray__name_of(dtype));
    GARRAY__TRY(garray__device_get(device, &place));
    if (m <= 1) {
        const int64_t length = m == 1;
        GARRAY__TRY(garray_ones((garray_shape){ 1, &length }, GARRAY_FLOAT64, device, &y));
    } else {
        GARRAY__TRY(
            (garray_arange)(garray_operand_int(1 - m), garray_operand_int(m), garray_operand_int(2), GARRAY_FLOAT64, device, &n));
        GARRAY__TRY(f((double)m, beta, n, &y));
    }
    st = garray_astype(y, (garray_dtype)dtype, out);
done:
    garray_release(n);
    garray_release(y);
    return st;
}

garray_status garray_bartlett(int64_t m, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_bartlett");
    return make(bartlett, m, 0, (int)dtype, device, out);
}

garray_status garray_blackman(int64_t m, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_blackman");
    return make(blackman, m, 0, (int)dtype, device, out);
}

garray_status garray_hamming(int64_t m, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_hamming");
    return make(hamming, m, 0, (int)dtype, device, out);
}

garray_status garray_hanning(int64_t m, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_hanning");
    return make(hanning, m, 0, (int)dtype, device, out);
}

garray_status garray_kaiser(int64_t m, double beta, garray_dtype dtype, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_kaiser");
    return make(kaiser, m, beta, (int)dtype, device, out);
}
