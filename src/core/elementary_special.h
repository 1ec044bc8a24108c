/* SPDX-License-Identifier: BSD-3-Clause
 * rsqrt, sigmoid, erf, erfc, erfinv, gamma, lgamma, sinc, i0 and logaddexp2 of float32; read elementary.h first.
 * The polynomials are in special_poly.h. */
#ifndef GARRAY_CORE_ELEMENTARY_SPECIAL_H
#define GARRAY_CORE_ELEMENTARY_SPECIAL_H

#include "special_poly.h"

#define E_LOG_PI 1.1447298858494002
#define E_HALF_LOG_2PI 0.9189385332046728
#define E_HALF_LOG2_2PI 1.3257480647361592
#define E_ROOT_HALF 0.7071067811865476

E_FN double e_abs64(double x) { return e_double(e_bits64(x) & 0x7fffffffffffffffu); }

E_FN float e_degrees(float a) { return e_round((double)a * 57.29577951308232); }
E_FN float e_radians(float a) { return e_round((double)a * 0.017453292519943295); }
E_FN float e_rsqrt_fast(float a) { return e_round(1.0 / sqrt((double)a)); }

/* 1 / (1 + exp(-x)); beyond the clamps it rounds to 0 and 1. */
E_FN float e_sigmoid_fast(float a)
{
    float r = (float)(1.0 / (1.0 + e_exp2_double(e_clamp(a, -110.0f, 100.0f) * -E_LOG2E)));
    return a == a ? r : E_NAN;
}

/* ---- error functions ---- */

/* 1 - 2^(-x g(x)), relatively accurate near 0; from 4 on it rounds to 1. */
E_FN float e_erf_fast(float a)
{
    double x = e_clamp_size(a, 4.0f);
    float r = e_abs((float)e_exp2m1_double(-x * e_poly_erf(x), 1.0));
    return a == a ? e_signed(r, a) : E_NAN;
}

/* exp(-x^2) times what varies slowly, and 2 less that below 0; from 10.1 on it rounds to 0. */
E_FN float e_erfc_fast(float a)
{
    double x = e_clamp_size(a, 10.125f);
    double slow = e_poly_erfc((x - 2.0) * e_reciprocal(x + 2.0)) * e_reciprocal(e_fma(2.0, x, 1.0));
    double y = e_exp2_double(x * x * -E_LOG2E) * slow, negative = e_negative((double)a);
    float r = (float)e_fma(negative, 2.0, y - 2.0 * negative * y);
    return a == a ? r : E_NAN;
}

/* The quotient of Wichura's AS 241 for the quantiles of the normal distribution, next to the middle and on the flanks. */
#define E_PICK(middle, flank) (central ? (middle) : (flank))
GARRAY_PART_FN double e_quantile_ratio(double r, int central)
{
    double num = E_PICK(2509.0809287301226727, 7.7454501427834140764e-4);
    double den = E_PICK(5226.4952788528545610, 1.05075007164441684324e-9);
    num = e_fma(num, r, E_PICK(33430.575583588128105, 2.27238449892691845833e-2));
    den = e_fma(den, r, E_PICK(28729.085735721942674, 5.475938084995344946e-4));
    num = e_fma(num, r, E_PICK(67265.770927008700853, 2.4178072517745061177e-1));
    den = e_fma(den, r, E_PICK(39307.895800092710610, 1.51986665636164571966e-2));
    num = e_fma(num, r, E_PICK(45921.953931549871457, 1.27045825245236838258));
    den = e_fma(den, r, E_PICK(21213.794301586595867, 1.4810397642748007459e-1));
    num = e_fma(num, r, E_PICK(13731.693765509461125, 3.64784832476320460504));
    den = e_fma(den, r, E_PICK(5394.1960214247511077, 6.8976733498510000455e-1));
    num = e_fma(num, r, E_PICK(1971.5909503065514427, 5.7694972214606914055));
    den = e_fma(den, r, E_PICK(687.18700749205790830, 1.6763848301838038494));
    num = e_fma(num, r, E_PICK(133.14166789178437745, 4.6303378461565452959));
    den = e_fma(den, r, E_PICK(42.313330701600911252, 2.05319162663775882187));
    num = e_fma(num, r, E_PICK(3.3871328727963666080, 1.42343711074968357734));
    return num / e_fma(den, r, 1.0);
}
#undef E_PICK

/* log(x) and log2(x) to 2^-41, for positive and finite x. */
E_FN double e_log_long(double x)
{
    uint64_t power = e_nearest_power(x);
    double f = e_fma(x, e_power_inverse(power), -1.0);
    return e_fma(e_power_exponent(power), E_LN2, f * e_poly_log_long(f));
}

E_FN double e_log2_long(double x)
{
    uint64_t power = e_nearest_power(x);
    double f = e_fma(x, e_power_inverse(power), -1.0);
    return e_fma(f * e_poly_log_long(f), E_LOG2E, e_power_exponent(power));
}

/* The largest float32 below 1 is as far as there are numbers. */
E_FN float e_erfinv_fast(float a)
{
    double x = e_clamp_size(a, 0.99999994f), half = 0.5 * x;
    int central = x <= 0.85;
    double tail = sqrt(-e_log_long(0.5 - half)) - 1.6;
    double y = e_quantile_ratio(central ? e_fma(-half, half, 0.180625) : tail, central);
    float r = (float)(y * (central ? half * E_ROOT_HALF : E_ROOT_HALF));
    r = e_abs(a) < 1.0f ? r : E_INF;
    return e_abs(a) <= 1.0f ? e_signed(r, a) : E_NAN;
}

/* ---- functions with sin(pi x) ---- */

/* sin(pi x), right to the last bit or two of float64; 0 of integers, NaN of infinities. */
E_FN double e_sinpi(double x)
{
    double n = rint(x), half = 0.5 * n, r = x - n, u = r * r;
    double y = e_fma(r, E_PI, e_fma(r * u, e_poly_sinpi(u), r * E_PI_LOW));
    return half == rint(half) ? y : -y;
}

E_FN float e_sinc_fast(float a)
{
    double x = a, s = e_sinpi(x);
    float r = e_round(s / (x * E_PI));
    r = s == 0.0 ? 0.0f : r;
    return a == 0.0f ? 1.0f : r;
}

/* gamma(x) of 0 < x <= 60 by Stirling's series, from 4 on; below, gamma(x + 4) over x (x + 1) (x + 2) (x + 3). */
E_FN double e_gamma_positive(double x)
{
    double shift = x < 4.0 ? 4.0 : 0.0, y = x + shift, u = 1.0 / y;
    double product = x * (x + 1.0) * ((x + 2.0) * (x + 3.0));
    double t = e_fma(y - 0.5, e_log2_long(y), e_fma(-y, E_LOG2E, E_HALF_LOG2_2PI));
    t = e_fma(u * e_poly_stirling(u * u), E_LOG2E, t);
    return e_exp2_double(t) / (x < 4.0 ? product : 1.0);
}

/* Below 0 by reflection; past 44 all results are infinite, or zeros of changing sign. */
E_FN float e_gamma_fast(float a)
{
    double size = e_abs(a), x = e_clamp_size(a, 44.0f), s = e_sinpi(size), g = e_gamma_positive(x);
    double below = -E_PI / (x * s * g);
    float r = a < 0.0f ? s == 0.0 ? E_NAN : e_round(below) : (float)g;
    r = a == 0.0f ? e_signed(E_INF, a) : r;
    return a == a ? r : E_NAN;
}

/* log(gamma(x)) of positive x; near its zeros, 1 and 2, relatively accurate. */
E_FN double e_lgamma_positive(double x)
{
    double near = x < 1.0 ? x + 1.0 : x < 3.0 ? x : 3.0, far = x < 3.0 ? 3.0 : x;
    double logarithm = e_log_long(x), u = 1.0 / far;
    double low = (near - 1.0) * (near - 2.0) * e_poly_lgamma(near - 2.0) - (x < 1.0 ? logarithm : 0.0);
    double high = e_fma(x - 0.5, logarithm, -x) + e_fma(u, e_poly_stirling(u * u), E_HALF_LOG_2PI);
    return (x < 3.0 ? low : high) + 0.0;
}

#define E_RARE_lgamma(a) (!((a) > 0.0f) | ((a) == E_INF))
E_FN float e_lgamma_fast(float a) { return (float)e_lgamma_positive((double)a); }

/* log|gamma(a)| below 0.  Its zeros lie where gamma is 1 or -1, so down to -12 the logarithm is that of gamma, brought
 * to 2 .. 3 by its recurrence; further down they are nearer to the poles than any float32. */
E_FN float e_lgamma_slow(float a)
{
    double x = e_abs(a), s = e_abs64(e_sinpi(x)), y = (double)a, product = 1.0;
    if (a != a)
        return E_NAN;
    if (x == E_INF || s == 0.0)
        return E_INF;
    if (x > 12.0)
        return (float)(E_LOG_PI - e_log_long(x * s) - e_lgamma_positive(x));
    while (y < 2.0) {
        product *= y;
        y += 1.0;
    }
    return (float)e_log_long(e_abs64(e_poly_gamma(y - 2.5) / product));
}

E_FN float e_lgamma(float a) { return E_RARE_lgamma(a) ? e_lgamma_slow(a) : e_lgamma_fast(a); }

/* ---- the modified Bessel function of order 0 ---- */

E_FN float e_i0_fast(float a)
{
    double x = e_clamp_size(a, 93.0f), near = x < 8.0 ? x : 8.0, far = x < 8.0 ? 8.0 : x, u = 0.25 * near * near;
    double low = e_fma(u, e_poly_i0(u), 1.0);
    double high = e_exp2_double(x * E_LOG2E) * e_poly_i0_tail(1.0 / far) / sqrt(far);
    float r = (float)(x < 8.0 ? low : high);
    return a == a ? r : E_NAN;
}

/* ---- log2(2^a + 2^b), as logaddexp in elementary_pow.h ---- */

E_FN double e_logaddexp2_tail(float a, float b)
{
    double difference = e_clamp_size64((double)a - (double)b, 200.0);
    double z = E_ROUND - difference, f = (E_ROUND - z) - difference;
    double power = e_power_of_two(z), e = e_fma(f * e_poly_exp2m1(f), power, power);
    uint64_t nearest = e_nearest_power(1.0 + e);
    double inverse = e_power_inverse(nearest);
    f = e_fma(e, inverse, inverse - 1.0);
    return e_fma(f * e_poly_log_long(f), E_LOG2E, e_power_exponent(nearest));
}

E_FN float e_logaddexp2_fast(float a, float b)
{
    float larger = a > b ? a : b, r = (float)((double)larger + e_logaddexp2_tail(a, b));
    r = a == a ? r : E_NAN;
    return b == b ? r : E_NAN;
}

E_FN int e_logaddexp2_cancels(float a, float b)
{
    float larger = a > b ? a : b;
    double tail = e_logaddexp2_tail(a, b), y = (double)larger + tail;
    return e_abs64(y) < 0.0625 * tail;
}

#define E_RARE_logaddexp2(a, b) e_logaddexp2_cancels(a, b)

E_FN float e_logaddexp2_slow(float a, float b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a, v;
    struct e_pair one = {1.0, 0.0}, scale = {E_LN2, 2.3190468138462996e-17}, top = {larger, 0.0};
    struct e_pair part = {smaller * 0.0078125, 0.0}, e = e_pair_add(one, e_pair_expm1(e_pair_multiply(part, scale)));
    if (a == b)             /* 2^-1 + 2^-1 is exactly 1 */
        return (float)(larger + 1.0);
    for (int i = 0; i < 7; i++)
        e = e_pair_multiply(e, e);
    v = e_pair_add(e_pair_expm1(e_pair_multiply(top, scale)), e).high;
    return (float)(v * e_poly_log_long(v) * E_LOG2E);
}

E_FN float e_logaddexp2(float a, float b)
{
    return E_RARE_logaddexp2(a, b) ? e_logaddexp2_slow(a, b) : e_logaddexp2_fast(a, b);
}

/* exp(a - b), what softmax makes of its arguments; the difference is exact, or beyond the clamps. */
E_FN float e_exp_difference_fast(float a, float b)
{
    double x = (double)a - (double)b, z, f, power;
    float r;
    x = x > -110.0 ? x : -110.0;
    x = x < 100.0 ? x : 100.0;
    z = e_fma(x, E_LOG2E, E_ROUND);
    f = e_fma(x, E_LOG2E, E_ROUND - z);
    power = e_power_of_two(z);
    r = (float)e_fma(f * power, e_poly_exp2(f), power);
    return a - b == a - b ? r : E_NAN;
}

#define E_RARE_exp_difference(a, b) 0
E_PLAIN2(exp_difference)

#define E_RARE_rsqrt(a) 0
#define E_RARE_sigmoid(a) 0
#define E_RARE_erf(a) 0
#define E_RARE_erfc(a) 0
#define E_RARE_erfinv(a) 0
#define E_RARE_sinc(a) 0
#define E_RARE_gamma(a) 0
#define E_RARE_i0(a) 0
E_PLAIN1(rsqrt)
E_PLAIN1(sigmoid)
E_PLAIN1(erf)
E_PLAIN1(erfc)
E_PLAIN1(erfinv)
E_PLAIN1(sinc)
E_PLAIN1(gamma)
E_PLAIN1(i0)

#endif
