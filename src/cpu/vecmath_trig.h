/* SPDX-License-Identifier: BSD-3-Clause
 * sin and cos of float64 in loops, within 0.75 ulp, below V_TRIG_LIMIT.  Part of vecmath.h. */
#ifndef GARRAY_CPU_VECMATH_TRIG_H
#define GARRAY_CPU_VECMATH_TRIG_H

#define V_TRIG_LIMIT 0x1p24

/* sin(x + quarters pi / 2).  x = n pi / 2 + r + low: pi / 2 in three parts of 53 bits.  The first difference is a multiple
 * of 2^-53 below 1, so exact. */
GARRAY_PART_FN double v_turned(double x, uint64_t quarters)
{
    const double z = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), n = z - 0x1.8p52;
    const double first = fma(-n, 0x1.921fb54442d18p+0, x);
    const double second = GARRAY_PRODUCT(n * 0x1.1a62633145c07p-54), second_low = fma(n, 0x1.1a62633145c07p-54, -second);
    const double r = first - second, low = ((first - r) - second) - fma(n, -0x1.f1976b7ed8fbcp-110, second_low);
    const double u = r * r, u_low = fma(r, r, -u), half = 0.5 * u, most = 1 - half;
    const double sine_tail = fma(r * u, fma(u, e_poly_sin_rest(u), -0x1.5555555555555p-3), fma(-half, low, low));
    const double cosine_tail = fma(u * u, e_poly_cos_rest(u), fma(-0.5, u_low, fma(-r, low, (1 - most) - half)));
    const uint64_t turns = e_bits64(z) + quarters;
    const int odd = (turns & 1) != 0;
    const double y = (odd ? most : r) + (odd ? cosine_tail : sine_tail);

    return e_double(e_bits64(y) ^ (turns & 2) << 62);
}

GARRAY_PART_FN double v_sin(double x)
{
    const double y = v_turned(x, 0);

    return fabs(x) < 0x1p-28 ? x : y;
}

GARRAY_PART_FN double v_cos(double x) { return v_turned(x, 1); }

#endif
