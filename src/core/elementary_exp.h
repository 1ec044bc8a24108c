/* SPDX-License-Identifier: BSD-3-Clause
 * exp, exp2, expm1, sinh, cosh, tanh of float32; read elementary.h first.
 *
 * All split x = (n + f) log(2) with n an integer and |f| <= 1/2.  Arguments beyond the range of results are
 * moved to its edge first, so that 2^n is always a normal float64. */
#ifndef GARRAY_CORE_ELEMENTARY_EXP_H
#define GARRAY_CORE_ELEMENTARY_EXP_H

/* 2^n from z = n + E_ROUND. */
E_FN double e_power_of_two(double z) { return e_double(e_bits64(z) << 52); }

/* 2^-n from 2^n. */
E_FN double e_inverse_power(double power) { return e_double(0x7fe0000000000000u - e_bits64(power)); }

/* 2^t for |t| < 1000. */
E_FN double e_exp2_double(double t)
{
    double z = t + E_ROUND;
    double f = t - (z - E_ROUND);
    double power = e_power_of_two(z);
    return e_fma(f * power, e_poly_exp2(f), power);
}

E_FN float e_exp_fast(float a)
{
    double x = e_clamp(a, -110.0f, 100.0f);
    double z = e_fma(x, E_LOG2E, E_ROUND);
    double f = e_fma(x, E_LOG2E, E_ROUND - z);
    double power = e_power_of_two(z);
    float r = (float)e_fma(f * power, e_poly_exp2(f), power);
    return a == a ? r : E_NAN;
}

E_FN float e_exp2_fast(float a)
{
    float r = (float)e_exp2_double(e_clamp(a, -160.0f, 140.0f));
    return a == a ? r : E_NAN;
}

/* 2^(x scale) - 1 with a small relative error, for |x scale| < 1000. */
E_FN double e_exp2m1_double(double x, double scale)
{
    double z = e_fma(x, scale, E_ROUND);
    double f = e_fma(x, scale, E_ROUND - z);
    double power = e_power_of_two(z);
    return e_fma(f * e_poly_exp2m1(f), power, power - 1.0);
}

E_FN float e_expm1_fast(float a)
{
    float r = (float)e_exp2m1_double(e_clamp(a, -110.0f, 100.0f), E_LOG2E);
    r = a == 0.0f ? a : r;
    return a == a ? r : E_NAN;
}

/* sinh and cosh of x = n log(2) + r: by the addition theorems, so that sinh keeps its relative error near
 * 0. */
E_FN float e_sinh_fast(float a)
{
    double x = e_clamp_size(a, 100.0f);
    double z = e_fma(x, E_LOG2E, E_ROUND);
    double r = e_fma(E_ROUND - z, E_LN2, x), u = r * r;
    double up = 0.5 * e_power_of_two(z), down = 0.25 * e_inverse_power(up);
    double s = r * e_fma(u, e_poly_sinh(u), 1.0), c = e_fma(u, e_poly_cosh(u), 1.0);
    float y = (float)e_fma(s, up + down, c * (up - down));
    return a == a ? e_signed(y, a) : E_NAN;
}

E_FN float e_cosh_fast(float a)
{
    double x = e_clamp_size(a, 100.0f);
    double z = e_fma(x, E_LOG2E, E_ROUND);
    double r = e_fma(E_ROUND - z, E_LN2, x), u = r * r;
    double up = 0.5 * e_power_of_two(z), down = 0.25 * e_inverse_power(up);
    double s = r * e_fma(u, e_poly_sinh(u), 1.0), c = e_fma(u, e_poly_cosh(u), 1.0);
    float y = (float)e_fma(c, up + down, s * (up - down));
    return a == a ? y : E_NAN;
}

/* With e = exp(2|x|) - 1: tanh |x| = e / (e + 2); from |x| = 9.1 on it rounds to 1, below 2^-12 to x. */
E_FN float e_tanh_fast(float a)
{
    double e = e_exp2m1_double(e_widen_loosely(e_clamp_size(a, 10.0f)), 2.0 * E_LOG2E);
    float y = e_signed((float)(e * e_reciprocal(e + 2.0)), a);
    y = e_abs(a) < 0x1p-12f ? a : y;
    return a == a ? y : E_NAN;
}

#define E_RARE_exp(a) 0
#define E_RARE_exp2(a) 0
#define E_RARE_expm1(a) 0
#define E_RARE_sinh(a) 0
#define E_RARE_cosh(a) 0
#define E_RARE_tanh(a) 0
E_PLAIN1(exp)
E_PLAIN1(exp2)
E_PLAIN1(expm1)
E_PLAIN1(sinh)
E_PLAIN1(cosh)
E_PLAIN1(tanh)

#endif
