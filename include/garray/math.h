/* SPDX-License-Identifier: BSD-3-Clause
 * Elementwise functions, with the names and the meaning of the array API standard and NumPy.
 *
 * All functions here broadcast their operands (SHAPE when they do not fit), promote their dtypes (C scalars
 * are weak), run where their arrays are (MIXED_DEVICES for two devices, INVALID for scalars alone), and give
 * the same result on every device: exactly for integers, comparisons and bits, within the stated bound
 * otherwise. A dtype without the operation is a DTYPE error. Infinities and NaN follow IEEE 754, without
 * NumPy's warnings. Integers wrap. */
#ifndef GARRAY_MATH_H
#define GARRAY_MATH_H

#include <garray/op.h>
#include <garray/operand.h>

GARRAY_BEGIN

/* ---- Arithmetic ---- */

/* a + b; of bools: or. */
GARRAY_STATUS garray_add(garray_operand a, garray_operand b, garray_t **out);

/* a - b. DTYPE for bools. */
GARRAY_STATUS garray_subtract(garray_operand a, garray_operand b, garray_t **out);

/* a * b; of bools: and. */
GARRAY_STATUS garray_multiply(garray_operand a, garray_operand b, garray_t **out);

/* a / b; integers are divided as float64. */
GARRAY_STATUS garray_divide(garray_operand a, garray_operand b, garray_t **out);

/* The floor of a / b. Integers: x // 0 is 0, and the smallest one // -1 is itself, without a warning. */
GARRAY_STATUS garray_floor_divide(garray_operand a, garray_operand b, garray_t **out);

/* a - b * floor(a / b), with the sign of b; of integers by 0: 0. */
GARRAY_STATUS garray_remainder(garray_operand a, garray_operand b, garray_t **out);

/* a to the power of b. A negative integer exponent is an INVALID error for a C scalar; in an array it gives
 * the truncated power (0, 1 or -1), where NumPy refuses. */
GARRAY_STATUS garray_pow(garray_operand a, garray_operand b, garray_t **out);

/* -x. DTYPE for bools. */
GARRAY_STATUS garray_negative(garray_operand x, garray_t **out);

/* +x, a copy. DTYPE for bools. */
GARRAY_STATUS garray_positive(garray_operand x, garray_t **out);

/* |x|; of complex numbers their modulus, a real number. The smallest integer of its dtype stays itself. */
GARRAY_STATUS garray_abs(garray_operand x, garray_t **out);

/* x * x. */
GARRAY_STATUS garray_square(garray_operand x, garray_t **out);

/* The square root; NaN below 0. */
GARRAY_STATUS garray_sqrt(garray_operand x, garray_t **out);

/* The real cube root; it has the sign of x. */
GARRAY_STATUS garray_cbrt(garray_operand x, garray_t **out);

/* 1 / x; of integers truncated, and 0 of 0. */
GARRAY_STATUS garray_reciprocal(garray_operand x, garray_t **out);

/* -1, 0 or 1; NaN of NaN; of complex numbers x / |x|. DTYPE for bools. */
GARRAY_STATUS garray_sign(garray_operand x, garray_t **out);

/* The root of a * a + b * b, without overflow on the way. */
GARRAY_STATUS garray_hypot(garray_operand a, garray_operand b, garray_t **out);

/* The size of a with the sign of b. */
GARRAY_STATUS garray_copysign(garray_operand a, garray_operand b, garray_t **out);

/* The next number after a towards b. */
GARRAY_STATUS garray_nextafter(garray_operand a, garray_operand b, garray_t **out);

/* |x| as a float, for real numbers: integers become floats as in sqrt; DTYPE for complex ones. */
GARRAY_STATUS garray_fabs(garray_operand x, garray_t **out);

/* a to the power of b, computed in float64 or complex128. */
GARRAY_STATUS garray_float_power(garray_operand a, garray_operand b, garray_t **out);

/* The remainder of a / b with the sign of a, as C's fmod; of integers by 0: 0. */
GARRAY_STATUS garray_fmod(garray_operand a, garray_operand b, garray_t **out);

/* 0 where a is negative, 1 where it is positive, b where it is 0; NaN of NaN. */
GARRAY_STATUS garray_heaviside(garray_operand a, garray_operand b, garray_t **out);

/* The greatest common divisor of |a| and |b|; integers only. */
GARRAY_STATUS garray_gcd(garray_operand a, garray_operand b, garray_t **out);

/* The least common multiple of |a| and |b|, which wraps; integers only. */
GARRAY_STATUS garray_lcm(garray_operand a, garray_operand b, garray_t **out);

/* From x to the next number away from 0, with the sign of x; of 0 the least positive number, NaN of infinities.
 * The grid is that of the dtype. NumPy's float16 gives another neighbour below 0. */
GARRAY_STATUS garray_spacing(garray_operand x, garray_t **out);

/* a * 2^b, rounded once. b is an integer (not uint64) and does not count in the promotion; the result has a's dtype,
 * or for an integer a the float that holds it. */
GARRAY_STATUS garray_ldexp(garray_operand a, garray_operand b, garray_t **out);

/* x from radians to degrees. */
GARRAY_STATUS garray_degrees(garray_operand x, garray_t **out);

/* x from degrees to radians. */
GARRAY_STATUS garray_radians(garray_operand x, garray_t **out);

/* ---- Rounding ----
 * Integers and bools stay as they are. */

/* The smallest integer not below x. */
GARRAY_STATUS garray_ceil(garray_operand x, garray_t **out);

/* The largest integer not above x. */
GARRAY_STATUS garray_floor(garray_operand x, garray_t **out);

/* The integer part of x, rounded towards 0. */
GARRAY_STATUS garray_trunc(garray_operand x, garray_t **out);

/* The nearest integer, halves to even; NumPy's `decimals` is not there. Bools become int8. */
GARRAY_STATUS garray_round(garray_operand x, garray_t **out);

/* The nearest integer as a float or complex number, halves to even; integers become floats as in sqrt. */
GARRAY_STATUS garray_rint(garray_operand x, garray_t **out);

/* trunc under NumPy's other name. */
GARRAY_STATUS garray_fix(garray_operand x, garray_t **out);

/* ---- Exponentials and logarithms ----
 * Integers become the smallest float that holds them: int8 float16, int16 float32, others float64. */

/* e to the power of x. */
GARRAY_STATUS garray_exp(garray_operand x, garray_t **out);

/* 2 to the power of x. */
GARRAY_STATUS garray_exp2(garray_operand x, garray_t **out);

/* exp(x) - 1, accurate near 0. */
GARRAY_STATUS garray_expm1(garray_operand x, garray_t **out);

/* The natural logarithm; NaN below 0, -inf of 0. */
GARRAY_STATUS garray_log(garray_operand x, garray_t **out);

/* The logarithm to base 2. */
GARRAY_STATUS garray_log2(garray_operand x, garray_t **out);

/* The logarithm to base 10. */
GARRAY_STATUS garray_log10(garray_operand x, garray_t **out);

/* log(1 + x), accurate near 0. */
GARRAY_STATUS garray_log1p(garray_operand x, garray_t **out);

/* log(exp(a) + exp(b)), without overflow. */
GARRAY_STATUS garray_logaddexp(garray_operand a, garray_operand b, garray_t **out);

/* log2(2^a + 2^b), without overflow. */
GARRAY_STATUS garray_logaddexp2(garray_operand a, garray_operand b, garray_t **out);

/* ---- Trigonometric and hyperbolic functions ----
 * Angles in radians; integers become floats as above. */

/* The sine. */
GARRAY_STATUS garray_sin(garray_operand x, garray_t **out);

/* The cosine. */
GARRAY_STATUS garray_cos(garray_operand x, garray_t **out);

/* The tangent. */
GARRAY_STATUS garray_tan(garray_operand x, garray_t **out);

/* The inverse sine, from -pi/2 to pi/2; NaN outside [-1, 1]. */
GARRAY_STATUS garray_asin(garray_operand x, garray_t **out);

/* The inverse cosine, from 0 to pi; NaN outside [-1, 1]. */
GARRAY_STATUS garray_acos(garray_operand x, garray_t **out);

/* The inverse tangent, from -pi/2 to pi/2. */
GARRAY_STATUS garray_atan(garray_operand x, garray_t **out);

/* The angle of the point with ordinate a and abscissa b, from -pi to pi. */
GARRAY_STATUS garray_atan2(garray_operand a, garray_operand b, garray_t **out);

/* The hyperbolic sine. */
GARRAY_STATUS garray_sinh(garray_operand x, garray_t **out);

/* The hyperbolic cosine. */
GARRAY_STATUS garray_cosh(garray_operand x, garray_t **out);

/* The hyperbolic tangent. */
GARRAY_STATUS garray_tanh(garray_operand x, garray_t **out);

/* The inverse hyperbolic sine. */
GARRAY_STATUS garray_asinh(garray_operand x, garray_t **out);

/* The inverse hyperbolic cosine; NaN below 1. */
GARRAY_STATUS garray_acosh(garray_operand x, garray_t **out);

/* The inverse hyperbolic tangent; NaN outside [-1, 1]. */
GARRAY_STATUS garray_atanh(garray_operand x, garray_t **out);

/* ---- Comparisons ----
 * The result is bool. NaN compares unequal to everything; int64 with uint64 is compared exactly; complex
 * numbers compare by real, then by imaginary part. */

/* a == b. */
GARRAY_STATUS garray_equal(garray_operand a, garray_operand b, garray_t **out);

/* a != b. */
GARRAY_STATUS garray_not_equal(garray_operand a, garray_operand b, garray_t **out);

/* a < b. */
GARRAY_STATUS garray_less(garray_operand a, garray_operand b, garray_t **out);

/* a <= b. */
GARRAY_STATUS garray_less_equal(garray_operand a, garray_operand b, garray_t **out);

/* a > b. */
GARRAY_STATUS garray_greater(garray_operand a, garray_operand b, garray_t **out);

/* a >= b. */
GARRAY_STATUS garray_greater_equal(garray_operand a, garray_operand b, garray_t **out);

/* ---- The larger and the smaller ----
 * Complex numbers compare by real, then by imaginary part. */

/* The larger of a and b; a NaN wins. */
GARRAY_STATUS garray_maximum(garray_operand a, garray_operand b, garray_t **out);

/* The larger of a and b; of a number and NaN the number. */
GARRAY_STATUS garray_fmax(garray_operand a, garray_operand b, garray_t **out);

/* The smaller of a and b; of a number and NaN the number. */
GARRAY_STATUS garray_fmin(garray_operand a, garray_operand b, garray_t **out);

/* The smaller of a and b; a NaN wins. */
GARRAY_STATUS garray_minimum(garray_operand a, garray_operand b, garray_t **out);

/* ---- Logic and tests ----
 * The result is bool; what is not zero is true, NaN too. */

/* a and b. */
GARRAY_STATUS garray_logical_and(garray_operand a, garray_operand b, garray_t **out);

/* a or b. */
GARRAY_STATUS garray_logical_or(garray_operand a, garray_operand b, garray_t **out);

/* Either a or b. */
GARRAY_STATUS garray_logical_xor(garray_operand a, garray_operand b, garray_t **out);

/* Not x. */
GARRAY_STATUS garray_logical_not(garray_operand x, garray_t **out);

/* Whether x, or a part of it, is NaN. */
GARRAY_STATUS garray_isnan(garray_operand x, garray_t **out);

/* Whether x, or a part of it, is infinite. */
GARRAY_STATUS garray_isinf(garray_operand x, garray_t **out);

/* Whether x is neither NaN nor infinite. */
GARRAY_STATUS garray_isfinite(garray_operand x, garray_t **out);

/* Whether x is positive infinity. DTYPE for complex numbers. */
GARRAY_STATUS garray_isposinf(garray_operand x, garray_t **out);

/* Whether x is negative infinity. DTYPE for complex numbers. */
GARRAY_STATUS garray_isneginf(garray_operand x, garray_t **out);

/* Whether the imaginary part is 0; always of real numbers. */
GARRAY_STATUS garray_isreal(garray_operand x, garray_t **out);

/* Whether the imaginary part is not 0, NaN too; never of real numbers. */
GARRAY_STATUS garray_iscomplex(garray_operand x, garray_t **out);

/* Whether the sign bit is set, of -0.0 and negative NaN too. */
GARRAY_STATUS garray_signbit(garray_operand x, garray_t **out);

/* ---- Bits ----
 * For integers and bools; DTYPE for others. */

/* a & b. */
GARRAY_STATUS garray_bitwise_and(garray_operand a, garray_operand b, garray_t **out);

/* a | b. */
GARRAY_STATUS garray_bitwise_or(garray_operand a, garray_operand b, garray_t **out);

/* a ^ b. */
GARRAY_STATUS garray_bitwise_xor(garray_operand a, garray_operand b, garray_t **out);

/* ~x; of bools: not. */
GARRAY_STATUS garray_bitwise_invert(garray_operand x, garray_t **out);

/* a << b; 0 when b is not below the width or is negative. */
GARRAY_STATUS garray_bitwise_left_shift(garray_operand a, garray_operand b, garray_t **out);

/* a >> b, with the sign; 0 or -1 when b is not below the width or is negative. */
GARRAY_STATUS garray_bitwise_right_shift(garray_operand a, garray_operand b, garray_t **out);

/* How many bits of |x| are 1, as uint8; integers only. */
GARRAY_STATUS garray_bitwise_count(garray_operand x, garray_t **out);

/* ---- Complex numbers ---- */

/* The complex conjugate; real numbers stay as they are. */
GARRAY_STATUS garray_conj(garray_operand x, garray_t **out);

/* The real part, a copy; NumPy gives a view. */
GARRAY_STATUS garray_real(garray_operand x, garray_t **out);

/* The imaginary part, a copy; 0 of real numbers. */
GARRAY_STATUS garray_imag(garray_operand x, garray_t **out);

/* ---- Selection ---- */

/* x, but not below lo and not above hi; GARRAY_NONE for a bound that is missing. Where lo is above hi, the
 * result is hi. The bounds take part in the promotion. */
GARRAY_STATUS garray_clip(garray_operand x, garray_operand lo, garray_operand hi, garray_t **out);

/* x where the condition is true (not zero), y elsewhere; all three broadcast. */
GARRAY_STATUS garray_where(garray_operand condition, garray_operand x, garray_operand y, garray_t **out);

/* ---- Special functions ----
 * For floats; integers become floats as in exp. float32 and the 16-bit floats are computed in float64 and rounded once,
 * with the same bits on every device: within 0.51 ulp, but for lgamma next to its zeros below 0. float64: within 1 ulp,
 * next to zeros too, by formulas of pairs of numbers that are the same on every device (erf and lgamma on a CPU by SLEEF;
 * erf on a GPU within 2 ulp, by CUDA). */

/* 1 / sqrt(x). */
GARRAY_STATUS garray_rsqrt(garray_operand x, garray_t **out);

/* 1 / (1 + exp(-x)), also called expit. */
GARRAY_STATUS garray_sigmoid(garray_operand x, garray_t **out);

/* The error function. */
GARRAY_STATUS garray_erf(garray_operand x, garray_t **out);

/* 1 - erf(x), accurate where that is small. */
GARRAY_STATUS garray_erfc(garray_operand x, garray_t **out);

/* The inverse of erf; infinite at -1 and 1, NaN beyond. Wichura's AS 241, for float64 with a step of Newton's. */
GARRAY_STATUS garray_erfinv(garray_operand x, garray_t **out);

/* The gamma function; infinite at 0, NaN at negative integers. */
GARRAY_STATUS garray_gamma(garray_operand x, garray_t **out);

/* log|gamma(x)|; infinite at 0 and negative integers. */
GARRAY_STATUS garray_lgamma(garray_operand x, garray_t **out);

/* sin(pi x) / (pi x), exactly 0 at integers and 1 at 0; integers become float64. Complex numbers too. */
GARRAY_STATUS garray_sinc(garray_operand x, garray_t **out);

/* The modified Bessel function of the first kind, of order 0; integers become float64. */
GARRAY_STATUS garray_i0(garray_operand x, garray_t **out);

/* ---- Two results ----
 * Either result may be NULL if it is not wanted. */

/* floor_divide(a, b) and remainder(a, b). */
GARRAY_STATUS garray_divmod(garray_operand a, garray_operand b, garray_t **quotient, garray_t **remainder);

/* x = fraction * 2^exponent with 1/2 <= |fraction| < 1 and an int32 exponent; zeros, infinities and NaN are their own
 * fractions, with the exponent 0. */
GARRAY_STATUS garray_frexp(garray_operand x, garray_t **fraction, garray_t **exponent);

/* The parts behind and before the point, both with the sign of x; integers become floats as in sqrt. */
GARRAY_STATUS garray_modf(garray_operand x, garray_t **fraction, garray_t **integral);

/* ---- The general call ----
 * What bindings need: every function above by its number. */

typedef struct {
    garray_operand where; /* a bool array that takes part in the broadcast: elements to compute */
    garray_dtype dtype;   /* to compute in, and of the result unless that is bool */
    int32_t reserved32;   /* zero */
    uint64_t reserved[4];
} garray_ufunc_opts;

/* Applies an operation to nin operands and assigns nout results, as the short function does. outs[i] is
 * what that one takes as out: the address of a handle, or garray_into(x). With `where`, elements not
 * selected keep what outs[i] held if its shape and dtype are those of the result, and are 0 otherwise (NumPy
 * leaves them undefined). INVALID for an unknown operation or a wrong nin or nout: 2 for divmod,
 * frexp and modf, where an outs[i] of NULL is a result that is not wanted, 1 for all others. */
GARRAY_STATUS garray_ufunc(garray_op op, int nin, const garray_operand *in, const garray_ufunc_opts *opts,
                           int nout, garray_t **const *outs);

GARRAY_END

#ifndef __cplusplus

#define garray_add(a, b, out) (garray_add)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_subtract(a, b, out) (garray_subtract)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_multiply(a, b, out) (garray_multiply)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_divide(a, b, out) (garray_divide)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_floor_divide(a, b, out) (garray_floor_divide)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_remainder(a, b, out) (garray_remainder)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_pow(a, b, out) (garray_pow)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_negative(x, out) (garray_negative)(GARRAY_OPERAND(x), out)
#define garray_positive(x, out) (garray_positive)(GARRAY_OPERAND(x), out)
#define garray_abs(x, out) (garray_abs)(GARRAY_OPERAND(x), out)
#define garray_square(x, out) (garray_square)(GARRAY_OPERAND(x), out)
#define garray_sqrt(x, out) (garray_sqrt)(GARRAY_OPERAND(x), out)
#define garray_cbrt(x, out) (garray_cbrt)(GARRAY_OPERAND(x), out)
#define garray_reciprocal(x, out) (garray_reciprocal)(GARRAY_OPERAND(x), out)
#define garray_sign(x, out) (garray_sign)(GARRAY_OPERAND(x), out)
#define garray_hypot(a, b, out) (garray_hypot)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_copysign(a, b, out) (garray_copysign)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_nextafter(a, b, out) (garray_nextafter)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_ceil(x, out) (garray_ceil)(GARRAY_OPERAND(x), out)
#define garray_floor(x, out) (garray_floor)(GARRAY_OPERAND(x), out)
#define garray_trunc(x, out) (garray_trunc)(GARRAY_OPERAND(x), out)
#define garray_round(x, out) (garray_round)(GARRAY_OPERAND(x), out)
#define garray_exp(x, out) (garray_exp)(GARRAY_OPERAND(x), out)
#define garray_expm1(x, out) (garray_expm1)(GARRAY_OPERAND(x), out)
#define garray_log(x, out) (garray_log)(GARRAY_OPERAND(x), out)
#define garray_log2(x, out) (garray_log2)(GARRAY_OPERAND(x), out)
#define garray_log10(x, out) (garray_log10)(GARRAY_OPERAND(x), out)
#define garray_log1p(x, out) (garray_log1p)(GARRAY_OPERAND(x), out)
#define garray_logaddexp(a, b, out) (garray_logaddexp)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_sin(x, out) (garray_sin)(GARRAY_OPERAND(x), out)
#define garray_cos(x, out) (garray_cos)(GARRAY_OPERAND(x), out)
#define garray_tan(x, out) (garray_tan)(GARRAY_OPERAND(x), out)
#define garray_asin(x, out) (garray_asin)(GARRAY_OPERAND(x), out)
#define garray_acos(x, out) (garray_acos)(GARRAY_OPERAND(x), out)
#define garray_atan(x, out) (garray_atan)(GARRAY_OPERAND(x), out)
#define garray_atan2(a, b, out) (garray_atan2)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_sinh(x, out) (garray_sinh)(GARRAY_OPERAND(x), out)
#define garray_cosh(x, out) (garray_cosh)(GARRAY_OPERAND(x), out)
#define garray_tanh(x, out) (garray_tanh)(GARRAY_OPERAND(x), out)
#define garray_asinh(x, out) (garray_asinh)(GARRAY_OPERAND(x), out)
#define garray_acosh(x, out) (garray_acosh)(GARRAY_OPERAND(x), out)
#define garray_atanh(x, out) (garray_atanh)(GARRAY_OPERAND(x), out)
#define garray_bitwise_count(x, out) (garray_bitwise_count)(GARRAY_OPERAND(x), out)
#define garray_degrees(x, out) (garray_degrees)(GARRAY_OPERAND(x), out)
#define garray_radians(x, out) (garray_radians)(GARRAY_OPERAND(x), out)
#define garray_exp2(x, out) (garray_exp2)(GARRAY_OPERAND(x), out)
#define garray_fabs(x, out) (garray_fabs)(GARRAY_OPERAND(x), out)
#define garray_fmax(a, b, out) (garray_fmax)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_fmin(a, b, out) (garray_fmin)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_fmod(a, b, out) (garray_fmod)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_gcd(a, b, out) (garray_gcd)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_lcm(a, b, out) (garray_lcm)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_heaviside(a, b, out) (garray_heaviside)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_logaddexp2(a, b, out) (garray_logaddexp2)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_rint(x, out) (garray_rint)(GARRAY_OPERAND(x), out)
#define garray_spacing(x, out) (garray_spacing)(GARRAY_OPERAND(x), out)
#define garray_fix(x, out) (garray_fix)(GARRAY_OPERAND(x), out)
#define garray_float_power(a, b, out) (garray_float_power)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_rsqrt(x, out) (garray_rsqrt)(GARRAY_OPERAND(x), out)
#define garray_sigmoid(x, out) (garray_sigmoid)(GARRAY_OPERAND(x), out)
#define garray_erf(x, out) (garray_erf)(GARRAY_OPERAND(x), out)
#define garray_erfc(x, out) (garray_erfc)(GARRAY_OPERAND(x), out)
#define garray_erfinv(x, out) (garray_erfinv)(GARRAY_OPERAND(x), out)
#define garray_gamma(x, out) (garray_gamma)(GARRAY_OPERAND(x), out)
#define garray_lgamma(x, out) (garray_lgamma)(GARRAY_OPERAND(x), out)
#define garray_sinc(x, out) (garray_sinc)(GARRAY_OPERAND(x), out)
#define garray_i0(x, out) (garray_i0)(GARRAY_OPERAND(x), out)
#define garray_isneginf(x, out) (garray_isneginf)(GARRAY_OPERAND(x), out)
#define garray_isposinf(x, out) (garray_isposinf)(GARRAY_OPERAND(x), out)
#define garray_isreal(x, out) (garray_isreal)(GARRAY_OPERAND(x), out)
#define garray_iscomplex(x, out) (garray_iscomplex)(GARRAY_OPERAND(x), out)
#define garray_ldexp(a, b, out) (garray_ldexp)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_divmod(a, b, quotient, remainder) \
    (garray_divmod)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), quotient, remainder)
#define garray_frexp(x, fraction, exponent) (garray_frexp)(GARRAY_OPERAND(x), fraction, exponent)
#define garray_modf(x, fraction, integral) (garray_modf)(GARRAY_OPERAND(x), fraction, integral)
#define garray_equal(a, b, out) (garray_equal)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_not_equal(a, b, out) (garray_not_equal)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_less(a, b, out) (garray_less)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_less_equal(a, b, out) (garray_less_equal)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_greater(a, b, out) (garray_greater)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_greater_equal(a, b, out) (garray_greater_equal)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_maximum(a, b, out) (garray_maximum)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_minimum(a, b, out) (garray_minimum)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_logical_and(a, b, out) (garray_logical_and)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_logical_or(a, b, out) (garray_logical_or)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_logical_xor(a, b, out) (garray_logical_xor)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_logical_not(x, out) (garray_logical_not)(GARRAY_OPERAND(x), out)
#define garray_isnan(x, out) (garray_isnan)(GARRAY_OPERAND(x), out)
#define garray_isinf(x, out) (garray_isinf)(GARRAY_OPERAND(x), out)
#define garray_isfinite(x, out) (garray_isfinite)(GARRAY_OPERAND(x), out)
#define garray_signbit(x, out) (garray_signbit)(GARRAY_OPERAND(x), out)
#define garray_bitwise_and(a, b, out) (garray_bitwise_and)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_bitwise_or(a, b, out) (garray_bitwise_or)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_bitwise_xor(a, b, out) (garray_bitwise_xor)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_bitwise_invert(x, out) (garray_bitwise_invert)(GARRAY_OPERAND(x), out)
#define garray_bitwise_left_shift(a, b, out) \
    (garray_bitwise_left_shift)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_bitwise_right_shift(a, b, out) \
    (garray_bitwise_right_shift)(GARRAY_OPERAND(a), GARRAY_OPERAND(b), out)
#define garray_conj(x, out) (garray_conj)(GARRAY_OPERAND(x), out)
#define garray_real(x, out) (garray_real)(GARRAY_OPERAND(x), out)
#define garray_imag(x, out) (garray_imag)(GARRAY_OPERAND(x), out)
#define garray_clip(x, lo, hi, out) \
    (garray_clip)(GARRAY_OPERAND(x), GARRAY_OPERAND(lo), GARRAY_OPERAND(hi), out)
#define garray_where(condition, x, y, out) \
    (garray_where)(GARRAY_OPERAND(condition), GARRAY_OPERAND(x), GARRAY_OPERAND(y), out)

#endif

#endif
