/* SPDX-License-Identifier: BSD-3-Clause
 * Words about rows of ops.def that only the CPU's loops need: SINGLE(name) is 1 where the formula is so
 * long that a loop for a single operand does not pay, ELEMENTARY(name) is 1 for the elementary functions. */
#ifndef GARRAY_CPU_LOOP_WORDS_H
#define GARRAY_CPU_LOOP_WORDS_H

/* A listed name expands to two arguments and so moves the 1 into second place. */
#define GARRAY_SECOND(a, b, ...) b
#define GARRAY_LISTED(...) GARRAY_SECOND(__VA_ARGS__, 0, 0)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define ELEMENTARY(name) GARRAY_LISTED(ELEMENTARY_##name)
#define ELEMENTARY_acos 0, 1
#define ELEMENTARY_acosh 0, 1
#define ELEMENTARY_asin 0, 1
#define ELEMENTARY_asinh 0, 1
#define ELEMENTARY_atan 0, 1
#define ELEMENTARY_atanh 0, 1
#define ELEMENTARY_cos 0, 1
#define ELEMENTARY_cosh 0, 1
#define ELEMENTARY_exp 0, 1
#define ELEMENTARY_expm1 0, 1
#define ELEMENTARY_log 0, 1
#define ELEMENTARY_log10 0, 1
#define ELEMENTARY_log1p 0, 1
#define ELEMENTARY_log2 0, 1
#define ELEMENTARY_sin 0, 1
#define ELEMENTARY_sinh 0, 1
#define ELEMENTARY_tan 0, 1
#define ELEMENTARY_tanh 0, 1
#define ELEMENTARY_atan2 0, 1
#define ELEMENTARY_logaddexp 0, 1
#define ELEMENTARY_pow 0, 1
#define ELEMENTARY_erf 0, 1
#define ELEMENTARY_erfc 0, 1
#define ELEMENTARY_erfinv 0, 1
#define ELEMENTARY_exp2 0, 1
#define ELEMENTARY_exp_difference 0, 1
#define ELEMENTARY_float_power 0, 1
#define ELEMENTARY_gamma 0, 1
#define ELEMENTARY_i0 0, 1
#define ELEMENTARY_lgamma 0, 1
#define ELEMENTARY_logaddexp2 0, 1
#define ELEMENTARY_rsqrt 0, 1
#define ELEMENTARY_sigmoid 0, 1
#define ELEMENTARY_sinc 0, 1

#define SINGLE(name) GARRAY_LISTED(SINGLE_##name)
#define SINGLE_acos 0, 1
#define SINGLE_acosh 0, 1
#define SINGLE_asin 0, 1
#define SINGLE_asinh 0, 1
#define SINGLE_atan 0, 1
#define SINGLE_atanh 0, 1
#define SINGLE_cos 0, 1
#define SINGLE_cosh 0, 1
#define SINGLE_exp 0, 1
#define SINGLE_expm1 0, 1
#define SINGLE_log 0, 1
#define SINGLE_log10 0, 1
#define SINGLE_log1p 0, 1
#define SINGLE_log2 0, 1
#define SINGLE_sin 0, 1
#define SINGLE_sinh 0, 1
#define SINGLE_tan 0, 1
#define SINGLE_tanh 0, 1
#define SINGLE_atan2 0, 1
#define SINGLE_hypot 0, 1
#define SINGLE_logaddexp 0, 1
#define SINGLE_pow 0, 1
#define SINGLE_cbrt 0, 1
#define SINGLE_floor_divide 0, 1
#define SINGLE_remainder 0, 1
#define SINGLE_nextafter 0, 1
#define SINGLE_erf 0, 1
#define SINGLE_erfc 0, 1
#define SINGLE_erfinv 0, 1
#define SINGLE_exp2 0, 1
#define SINGLE_gamma 0, 1
#define SINGLE_i0 0, 1
#define SINGLE_lgamma 0, 1
#define SINGLE_logaddexp2 0, 1
#define SINGLE_rsqrt 0, 1
#define SINGLE_sigmoid 0, 1
#define SINGLE_sinc 0, 1
#define SINGLE_fmod 0, 1
#define SINGLE_gcd 0, 1
#define SINGLE_lcm 0, 1
#define SINGLE_spacing 0, 1
#define SINGLE_float_power 0, 1
#define SINGLE_ldexp 0, 1
#define SINGLE_frexp_fraction 0, 1
#define SINGLE_frexp_exponent 0, 1
#define SINGLE_exp_difference 0, 1
#define SINGLE_unwrap 0, 1

#endif
