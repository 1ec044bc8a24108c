/* SPDX-License-Identifier: BSD-3-Clause
 * log of float64 in loops, within 0.76 ulp.  Part of vecmath.h.
 *
 * x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), f exact; with s = f / (2 + f), as in fdlibm,
 * log(1 + f) = 2 atanh(s) = f - (f^2 / 2 - s (f^2 / 2 + s^2 rest(s^2))), and k log(2) + f is taken as two numbers. */
#ifndef GARRAY_CPU_VECMATH_LOG_H
#define GARRAY_CPU_VECMATH_LOG_H

/* log(x 2^-raised) of a normal x below 2^1022. */
GARRAY_PART_FN double v_log_from(double x, double raised)
{
    const uint64_t power = e_nearest_power(x);
    const double f = fma(x, e_power_inverse(power), -1.0), k = e_power_exponent(power) - raised;
    const double s = f / (2 + f), u = s * s;
    const double half = 0.5 * f, square = half * f, square_low = fma(half, f, -square);
    const double whole = k * 0x1.62e42fefa3800p-1, sum = whole + f, sum_low = f - (sum - whole);
    const double series = fma(s, fma(u, e_poly_log_rest(u), square), fma(k, 0x1.ef35793c76730p-45, -square_low));

    return sum + (sum_low - (square - series));
}

GARRAY_PART_FN double v_log_most(double x) { return v_log_from(x, 0); }

GARRAY_PART_FN double v_log(double x)
{
    const double raised = x < 0x1p-1022 ? 54 : x < 0x1p1022 ? 0 : -54;
    const double scale = x < 0x1p-1022 ? 0x1p54 : x < 0x1p1022 ? 1 : 0x1p-54;
    const double y = v_log_from(x * scale, raised), large = x < INFINITY ? y : x;

    return x > 0 ? large : x == 0 ? -INFINITY : x == x ? NAN : x;
}

#endif
