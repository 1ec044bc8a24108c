/* SPDX-License-Identifier: BSD-3-Clause
 * exp, expm1, sinh, cosh, tanh of float64 in loops, within 0.9 ulp up to their overflow.  Part of vecmath.h.
 *
 * As formula_wide.h, with one float64 for what a second part adds to the result: x = k log(2) + r + low, and of
 * exp(r) = 1 + r + r^2 / 2 + r^3 rest(r) the terms after r are below 0.08, where a rounding costs 1/16 of a unit. */
#ifndef GARRAY_CPU_VECMATH_EXP_H
#define GARRAY_CPU_VECMATH_EXP_H

typedef struct v_parts {
    double z, k, r, low;        /* z = k + E_ROUND */
} v_parts;

/* For |x| < 2^10. */
GARRAY_PART_FN v_parts v_reduce(double x)
{
    v_parts p;

    p.z = fma(x, W_LOG2E, E_ROUND);
    p.k = p.z - E_ROUND;
    /* The first product and difference are exact. */
    const double first = fma(-p.k, 0x1.62e42fefa3800p-1, x);
    p.r = fma(-p.k, 0x1.ef35793c76730p-45, first);
    p.low = fma(-p.k, 0x1.ef35793c76730p-45, first - p.r);
    return p;
}

/* exp(r + low) - 1 - r */
GARRAY_PART_FN double v_exp_tail(v_parts p)
{
    return fma(p.r * p.r, fma(p.r, e_poly_exp_rest(p.r), 0.5), fma(p.low, p.r, p.low));
}

/* exp(r + low): from sqrt(1/2) to sqrt(2) */
GARRAY_PART_FN double v_exp_mantissa(v_parts p)
{
    const double whole = 1 + p.r;

    return whole + ((p.r - (whole - 1)) + v_exp_tail(p));
}

/* Right where the result is a normal number: |x| < 708. */
GARRAY_PART_FN double v_exp_most(double x)
{
    const v_parts p = v_reduce(x);

    return v_exp_mantissa(p) * e_power_of_two(p.z);
}

GARRAY_PART_FN double v_exp(double x)
{
    const double within = x < 710 ? x : 710, held = within > -750 ? within : -750;
    const v_parts p = v_reduce(held);
    const double y = w_scale(v_exp_mantissa(p), p.k);

    return x == x ? y : x;
}

/* exp(x) - 1 is twice this pair; -38 <= x <= 710.  Its parts in the order of their size: 2^(k-1) - 1/2, 2^(k-1) r and
 * what is after r. */
GARRAY_PART_FN c_pair v_half_expm1(double x)
{
    const v_parts p = v_reduce(x);
    const double power = e_power_of_two(p.z - 1), whole = power - 0.5, linear = power * p.r;
    const double sum = whole + linear, left = (linear - (sum - whole)) + ((power - whole) - 0.5);

    return c_pair_join(sum, fma(power, v_exp_tail(p), left));
}

GARRAY_PART_FN double v_expm1(double x)
{
    const double within = x < 710 ? x : 710, held = within > -38 ? within : -38;
    const double y = 2 * v_half_expm1(held).hi;

    return fabs(x) > 0x1p-54 ? y : x;       /* NaN too */
}

/* With e = (exp(2 |x|) - 1) / 2: tanh |x| = e / (e + 1), from |x| = 19.1 on 1. */
GARRAY_PART_FN double v_tanh(double x)
{
    const double size = e_clamp_size64(x, 20);
    const c_pair e = v_half_expm1(2 * size), below = w_sum(e.hi, 1);
    const double inverse = 1 / below.hi, q = e.hi * inverse;
    const double rest = fma(-q, below.hi, e.hi) + (e.lo - q * (below.lo + e.lo));
    const double y = e_signed64(fma(rest, inverse, q), x);

    return x == x ? y : x;
}

/* sinh and cosh of |x| by the addition theorems: with s = sinh(r) - r, c = cosh(r) - 1, up = 2^(k-1) and down = 2^(-k-1)
 *     sinh = (up - down) + (up + down) r + (up - down) c + (up + down) s
 *     cosh = (up + down) + (up - down) r + (up + down) c + (up - down) s
 * all of it a quarter as large, so that up does not overflow before the result.  odd: sinh. */
GARRAY_PART_FN double v_hyperbolic(double x, bool odd)
{
    const v_parts p = v_reduce(e_clamp_size64(x, 711));
    const double up = e_power_of_two(p.z - 3), down = e_inverse_power(up) * 0x1p-6;
    const double square = p.r * p.r, fourth = square * square;
    double even_rest = E_K(exp_rest, 9), odd_rest = E_K(exp_rest, 8);
    even_rest = fma(even_rest, square, E_K(exp_rest, 7));
    odd_rest = fma(odd_rest, square, E_K(exp_rest, 6));
    even_rest = fma(even_rest, square, E_K(exp_rest, 5));
    odd_rest = fma(odd_rest, square, E_K(exp_rest, 4));
    even_rest = fma(even_rest, square, E_K(exp_rest, 3));
    odd_rest = fma(odd_rest, square, E_K(exp_rest, 2));
    even_rest = fma(even_rest, square, E_K(exp_rest, 1));
    odd_rest = fma(odd_rest, square, E_K(exp_rest, 0));
    const double c = fma(fourth, even_rest, fma(p.r, p.low, 0.5 * square));
    const double s = fma(square * p.r, odd_rest, p.low);
    /* the factors of 1 + c and of r + s, and what their sums lose */
    const double near = odd ? -down : down, one = up + near, one_low = near - (one - up);
    const double other = up - near, other_low = -near - (other - up);
    const double linear = other * p.r, linear_low = fma(other, p.r, -linear);
    const double sum = one + linear, sum_low = linear - (sum - one);
    const double tail = fma(one, c, fma(other, s, linear_low)) + fma(other_low, p.r, one_low);

    return 4 * (sum + (sum_low + tail));
}

GARRAY_PART_FN double v_sinh(double x)
{
    const double y = e_signed64(v_hyperbolic(x, true), x);

    return fabs(x) > 0x1p-28 ? y : x;       /* NaN too */
}

GARRAY_PART_FN double v_cosh(double x)
{
    const double y = v_hyperbolic(x, false);

    return x == x ? y : x;
}

#endif
