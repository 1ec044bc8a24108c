/* SPDX-License-Identifier: BSD-3-Clause
 * What is small enough is tried whole: all pairs of 8-bit integers, and every bit pattern of float16 and
 * bfloat16, against plain C in a wider type. */
#include "operations.h"

/* ---- 8-bit integers ---- */

static int wrap(int dtype, int value)
{
    return dtype == GARRAY_INT8 ? (int8_t)(uint8_t)value : (uint8_t)value;
}

static int floor_divide(int a, int b)
{
    return b == 0 ? 0 : (int)floor((double)a / b);
}

static int power(int a, int b)
{
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    unsigned p = 1;
    for (int i = 0; i < b; i++)
        p *= (unsigned)a;
    return (int)(p & 255);
}

static int divisor(int a, int b)
{
    a = abs(a);
    b = abs(b);
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether the operation is of integers, and its value before it wraps. */
static bool integer_model(int op, int a, int b, int *value)
{
    bool fits = b >= 0 && b < 8;
    switch (op) {
    case GARRAY_OP_add: *value = a + b; break;
    case GARRAY_OP_subtract: *value = a - b; break;
    case GARRAY_OP_multiply: *value = a * b; break;
    case GARRAY_OP_floor_divide: *value = floor_divide(a, b); break;
    case GARRAY_OP_remainder: *value = b ? a - b * floor_divide(a, b) : 0; break;
    case GARRAY_OP_pow: *value = power(a, b); break;
    case GARRAY_OP_bitwise_and: *value = a & b; break;
    case GARRAY_OP_bitwise_or: *value = a | b; break;
    case GARRAY_OP_bitwise_xor: *value = a ^ b; break;
    case GARRAY_OP_bitwise_left_shift: *value = fits ? (int)((unsigned)a << b) : 0; break;
    case GARRAY_OP_bitwise_right_shift: *value = fits ? a >> b : a < 0 ? -1 : 0; break;
    case GARRAY_OP_maximum: *value = a > b ? a : b; break;
    case GARRAY_OP_minimum: *value = a < b ? a : b; break;
    case GARRAY_OP_fmax: *value = a > b ? a : b; break;
    case GARRAY_OP_fmin: *value = a < b ? a : b; break;
    case GARRAY_OP_fmod: *value = b ? a % b : 0; break;
    case GARRAY_OP_gcd: *value = divisor(a, b); break;
    case GARRAY_OP_lcm: *value = a && b ? abs(a) / divisor(a, b) * abs(b) : 0; break;
    case GARRAY_OP_equal: *value = a == b; break;
    case GARRAY_OP_not_equal: *value = a != b; break;
    case GARRAY_OP_less: *value = a < b; break;
    case GARRAY_OP_less_equal: *value = a <= b; break;
    case GARRAY_OP_greater: *value = a > b; break;
    case GARRAY_OP_greater_equal: *value = a >= b; break;
    case GARRAY_OP_logical_and: *value = a && b; break;
    case GARRAY_OP_logical_or: *value = a || b; break;
    case GARRAY_OP_logical_xor: *value = !a != !b; break;
    default: return false;
    }
    return true;
}

Test(exhaustive, bytes)
{
    static int8_t a[65536], b[65536], expected[65536];
    int seen = 0;
    for (int d = GARRAY_INT8; d <= GARRAY_UINT8; d += GARRAY_UINT8 - GARRAY_INT8)
        for (int op = 1; op < TEST_OPERATIONS; op++) {
            int value;
            if (test_operations[op].nin != 2 || !integer_model(op, 1, 1, &value))
                continue;
            seen++;
            for (int i = 0; i < 65536; i++) {
                a[i] = (int8_t)(i >> 8);
                b[i] = (int8_t)i;
                integer_model(op, wrap(d, a[i]), wrap(d, b[i]), &value);
                expected[i] = (int8_t)value;
            }
            garray_t *x = NULL, *y = NULL, *z = NULL, *part[2] = { NULL };
            test_context("%s of %s", test_operations[op].name, garray_dtype_name((garray_dtype)d));
            if (!TEST_OK(
                    garray_from_host(a, (garray_dtype)d, GARRAY_SHAPE(65536), NULL, test_device(), &x)) ||
                !TEST_OK(garray_from_host(b, (garray_dtype)d, GARRAY_SHAPE(65536), NULL, test_device(), &y)))
                return;
            garray_operand in[2] = { garray_operand_array(x), garray_operand_array(y) };
            if (TEST_OK(test_apply(op, in, &z)))
                TEST_EQUAL(z, expected, 0);
            /* every length up to a few vectors, where tails are */
            for (int64_t n = 1; n <= (test_on_gpu() ? 9 : 65); n++) {
                int64_t start = 32768 - 7 * n;
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(start, start + n)), &part[0]));
                TEST_OK(garray_getitem(y, GARRAY_AT(GARRAY_RANGE(start, start + n)), &part[1]));
                garray_operand few[2] = { garray_operand_array(part[0]), garray_operand_array(part[1]) };
                if (TEST_OK(test_apply(op, few, &z)))
                    TEST_EQUAL(z, expected + start, 0);
            }
            garray_t *arrays[] = { x, y, z, part[0], part[1] };
            for (int i = 0; i < 5; i++)
                garray_release(arrays[i]);
        }
    TEST_EXPECT(seen == 54, "%d operations", seen);
}

/* ---- 16-bit floats ---- */

static double square(double x) { return x * x; }
static double reciprocal(double x) { return 1 / x; }
static double negative(double x) { return -x; }
static double same(double x) { return x; }
static double zero(double x) { return fabs(x) < 0; }
static double sign(double x) { return isnan(x) ? x : (x > 0) - (x < 0); }
static double is_nan(double x) { return isnan(x); }
static double is_inf(double x) { return isinf(x) != 0; }
static double is_finite(double x) { return isfinite(x) != 0; }
static double sign_bit(double x) { return signbit(x) != 0; }
static double not(double x) { return x == 0; }
static double degrees(double x) { return x * (180 / 3.141592653589793); }
static double radians(double x) { return x * (3.141592653589793 / 180); }
static double rsqrt(double x) { return 1 / sqrt(x); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double pos_inf(double x) { return x == (double)INFINITY; }
static double neg_inf(double x) { return x == -(double)INFINITY; }
static double one(double x) { (void)x; return 1; }

static const struct {
    int op;
    double (*function)(double);
} unary[] = {
    { GARRAY_OP_abs, fabs },
    { GARRAY_OP_acos, acos },
    { GARRAY_OP_acosh, acosh },
    { GARRAY_OP_asin, asin },
    { GARRAY_OP_asinh, asinh },
    { GARRAY_OP_atan, atan },
    { GARRAY_OP_atanh, atanh },
    { GARRAY_OP_cbrt, cbrt },
    { GARRAY_OP_ceil, ceil },
    { GARRAY_OP_conj, same },
    { GARRAY_OP_cos, cos },
    { GARRAY_OP_cosh, cosh },
    { GARRAY_OP_degrees, degrees },
    { GARRAY_OP_erf, erf },
    { GARRAY_OP_erfc, erfc },
    { GARRAY_OP_exp, exp },
    { GARRAY_OP_exp2, exp2 },
    { GARRAY_OP_expm1, expm1 },
    { GARRAY_OP_fabs, fabs },
    { GARRAY_OP_fix, trunc },
    { GARRAY_OP_floor, floor },
    { GARRAY_OP_gamma, tgamma },
    { GARRAY_OP_imag, zero },
    { GARRAY_OP_iscomplex, zero },
    { GARRAY_OP_isfinite, is_finite },
    { GARRAY_OP_isinf, is_inf },
    { GARRAY_OP_isnan, is_nan },
    { GARRAY_OP_isneginf, neg_inf },
    { GARRAY_OP_isposinf, pos_inf },
    { GARRAY_OP_isreal, one },
    { GARRAY_OP_lgamma, lgamma },
    { GARRAY_OP_log, log },
    { GARRAY_OP_log10, log10 },
    { GARRAY_OP_log1p, log1p },
    { GARRAY_OP_log2, log2 },
    { GARRAY_OP_logical_not, not },
    { GARRAY_OP_negative, negative },
    { GARRAY_OP_positive, same },
    { GARRAY_OP_radians, radians },
    { GARRAY_OP_real, same },
    { GARRAY_OP_reciprocal, reciprocal },
    { GARRAY_OP_rint, rint },
    { GARRAY_OP_round, rint },
    { GARRAY_OP_rsqrt, rsqrt },
    { GARRAY_OP_sigmoid, sigmoid },
    { GARRAY_OP_sign, sign },
    { GARRAY_OP_signbit, sign_bit },
    { GARRAY_OP_sin, sin },
    { GARRAY_OP_sinh, sinh },
    { GARRAY_OP_sqrt, sqrt },
    { GARRAY_OP_square, square },
    { GARRAY_OP_tan, tan },
    { GARRAY_OP_tanh, tanh },
    { GARRAY_OP_trunc, trunc },
};

/* How far a 16-bit float is from a number, in its own units; 0 if it is that number rounded. */
static double distance(int dtype, const void *got, double exact)
{
    uint16_t rounded;
    test_store(dtype, &rounded, exact, 0);
    if (test_ulps(dtype, got, &rounded) == 0)
        return 0;
    double value = test_load(dtype, got);
    if (!isfinite(value) || !isfinite(exact) || signbit(value) != signbit(exact))
        return INFINITY;
    int digits = dtype == GARRAY_FLOAT16 ? 11 : 8, least = dtype == GARRAY_FLOAT16 ? -24 : -133, exponent;
    frexp(exact, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    return ldexp(fabs(value - exact), -unit);
}

/* Elementary functions go through float32, whose error of 0.51 units is less than 2^-13 of theirs. */
Test(exhaustive, halves)
{
    static uint16_t bits[65536];
    for (int i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    for (int d = GARRAY_FLOAT16; d <= GARRAY_BFLOAT16; d++) {
        garray_t *x = NULL, *y = NULL;
        if (!TEST_OK(garray_from_host(bits, (garray_dtype)d, GARRAY_SHAPE(65536), NULL, test_device(), &x)))
            return;
        for (size_t u = 0; u < sizeof unary / sizeof unary[0]; u++) {
            garray_operand in = garray_operand_array(x);
            test_context("%s of %s", test_operations[unary[u].op].name, garray_dtype_name((garray_dtype)d));
            if (!TEST_OK(test_apply(unary[u].op, &in, &y)))
                continue;
            char *got = test_read(y);
            bool truth = garray_dtype_of(y) == GARRAY_BOOL;
            for (int i = 0; i < 65536; i++) {
                double exact = unary[u].function(test_load(d, &bits[i]));
                double off =
                    truth ? (got[i] == (exact != 0) ? 0 : INFINITY) : distance(d, got + 2 * i, exact);
                if (!(off <= 0.5003)) {
                    test_fail(__FILE__, __LINE__, "0x%04x (%g) gives %s, exact is %.17g, %g ulp", i,
                              test_load(d, &bits[i]),
                              test_text(garray_dtype_of(y), got + (truth ? i : 2 * i)), exact, off);
                    break;
                }
            }
            free(got);
        }
        garray_release(x);
        garray_release(y);
    }
}

static double saturated(int dtype, double x)
{
    static const double low[] = { 0, 0, -128, -32768, -0x1p31, -0x1p63, 0, 0, 0, 0 };
    static const double high[] = { 0, 0, 127, 32767, 0x1p31 - 1, 0x1p63, 255, 65535, 0x1p32 - 1, 0x1p64 };
    return isnan(x) ? 0 : x < low[dtype] ? low[dtype] : x > high[dtype] ? high[dtype] : trunc(x);
}

/* To every dtype, and back from neighbours of every point between two of them. */
Test(exhaustive, half_casts)
{
    static uint16_t bits[65536];
    static double near[65536 * 3];
    for (int i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    for (int d = GARRAY_FLOAT16; d <= GARRAY_BFLOAT16; d++) {
        garray_t *x = NULL, *y = NULL;
        if (!TEST_OK(garray_from_host(bits, (garray_dtype)d, GARRAY_SHAPE(65536), NULL, test_device(), &x)))
            return;
        for (TEST_DTYPES(to)) {
            size_t item = garray_dtype_size((garray_dtype)to);
            char *expected = calloc(65536, item);
            for (int i = 0; i < 65536; i++) {
                double value = test_load(d, &bits[i]);
                if (to == GARRAY_BOOL)
                    expected[i] = value != 0;
                else if (to == GARRAY_INT64 && saturated(to, value) >= 0x1p63)
                    memcpy(expected + (size_t)i * item, &(int64_t){ INT64_MAX }, 8);
                else if (to == GARRAY_UINT64 && saturated(to, value) >= 0x1p64)
                    memcpy(expected + (size_t)i * item, &(uint64_t){ UINT64_MAX }, 8);
                else
                    test_store(to, expected + (size_t)i * item,
                               to <= GARRAY_UINT64 ? saturated(to, value) : value, 0);
            }
            test_context("%s to %s", garray_dtype_name((garray_dtype)d), garray_dtype_name((garray_dtype)to));
            if (TEST_OK(garray_astype(x, (garray_dtype)to, &y)))
                TEST_EQUAL(y, expected, 0);
            free(expected);
        }
        int n = 0;
        for (int i = 0; i < 65535; i++) {
            double a = test_load(d, &bits[i]), b = test_load(d, &bits[i + 1]), middle = a / 2 + b / 2;
            if (!isfinite(a) || !isfinite(b))
                continue;
            near[n++] = middle;
            near[n++] = middle * (1 - 0x1p-50);
            near[n++] = middle * (1 + 0x1p-50);
        }
        for (int from = GARRAY_FLOAT32; from <= GARRAY_FLOAT64; from++) {
            float *single = malloc(sizeof(float) * (size_t)n);
            uint16_t *expected = malloc(2 * (size_t)n);
            for (int i = 0; i < n; i++) {
                single[i] = (float)near[i];
                test_store(d, &expected[i], from == GARRAY_FLOAT32 ? (double)single[i] : near[i], 0);
            }
            test_context("%s to %s, between", garray_dtype_name((garray_dtype)from),
                         garray_dtype_name((garray_dtype)d));
            const void *data = from == GARRAY_FLOAT32 ? (const void *)single : near;
            if (TEST_OK(garray_from_host(data, (garray_dtype)from, GARRAY_SHAPE(n), NULL, test_device(), &y))
                && TEST_OK(garray_astype(y, (garray_dtype)d, &y)))
                TEST_EQUAL(y, expected, 0);
            free(single);
            free(expected);
        }
        garray_release(x);
        garray_release(y);
    }
}
