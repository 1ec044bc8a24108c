/* SPDX-License-Identifier: BSD-3-Clause
 * sin, cos, tan, asin, acos, atan, atan2 of float32; read elementary.h first.
 *
 * sin and cos subtract the nearest multiple of pi, in two parts; up to 2^40 what is lost there is below 2^-33
 * of the result, also next to the zeros (a float32 comes no nearer to them than 2^-30 or so).  Beyond, the
 * rare functions multiply by as many bits of 1/(2 pi) as the argument needs (Payne and Hanek). */
#ifndef GARRAY_CORE_ELEMENTARY_TRIG_H
#define GARRAY_CORE_ELEMENTARY_TRIG_H

#define E_INVERSE_PI 0.3183098861837907
#define E_SHIFT 6755399441055744.0 /* adding it rounds to an integer and leaves that in the low bits */
#define E_LARGE_ANGLE 1099511627776.0f /* 2^40 */

#define E_RARE_sin(a) (e_abs(a) > E_LARGE_ANGLE)
#define E_RARE_cos(a) (e_abs(a) > E_LARGE_ANGLE)
#define E_RARE_tan(a) (e_abs(a) > E_LARGE_ANGLE)

/* sin(r) for |r| <= pi/2, negated where the lowest bit of parity is set. */
E_FN float e_sin_reduced(double r, uint64_t parity)
{
    double u = r * r;
    double y = r * e_fma(u, e_poly_sin_half(u), 1.0);
    return e_round(e_double(e_bits64(y) ^ (parity << 63)));
}

/* tan(r) for |r| <= pi/4; tan(r + pi/2) = -1/tan(r) where the lowest bit of parity is set. */
E_FN float e_tan_reduced(double r, uint64_t parity)
{
    double u = r * r;
    double s = r * e_fma(u, e_poly_sin(u), 1.0), c = e_fma(u, e_poly_cos(u), 1.0);
    uint64_t odd = parity & 1;
    double above = odd ? -c : s, below = odd ? s : c;
    uint64_t sign = e_bits64(below) & 0x8000000000000000u;
    return e_round(e_double(e_bits64(above) ^ sign) * e_reciprocal(e_double(e_bits64(below) ^ sign)));
}

E_FN float e_sin_fast(float a)
{
    double x = a;
    double z = e_fma(x, E_INVERSE_PI, E_SHIFT), n = z - E_SHIFT;
    return e_sin_reduced(e_fma(-n, E_PI_LOW, e_fma(-n, E_PI, x)), e_bits64(z));
}

/* sin(x + pi/2): with n the nearest integer to x/pi + 1/2, r = x - (n - 1/2) pi. */
E_FN float e_cos_fast(float a)
{
    double x = a;
    double z = e_fma(x, E_INVERSE_PI, 0.5) + E_SHIFT, n = z - E_SHIFT - 0.5;
    return e_sin_reduced(e_fma(-n, E_PI_LOW, e_fma(-n, E_PI, x)), e_bits64(z));
}

E_FN float e_tan_fast(float a)
{
    double x = a;
    double z = e_fma(x, 2.0 * E_INVERSE_PI, E_SHIFT), n = z - E_SHIFT;
    return e_tan_reduced(e_fma(-n, 0.5 * E_PI_LOW, e_fma(-n, 0.5 * E_PI, x)), e_bits64(z));
}

/* ---- large angles ---- */

/* The fraction of |a| / (2 pi), in units of 2^-64 and, in *low, of 2^-96; for finite |a| >= 2^23. */
E_FN uint64_t e_turn(float a, uint32_t *low)
{
    const uint32_t inverse[8] = {0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u,
                                 0x36d8a566u, 0x4f10e410u, 0x7f9458eau, 0xf7aef158u};
    uint32_t bits = e_bits32(a) & 0x7fffffffu;
    uint32_t exponent = (bits >> 23) - 150;     /* |a| = m 2^exponent with the integer m < 2^24 */
    uint64_t m = (bits & 0x7fffffu) | 0x800000u;
    uint32_t first = exponent >> 5, shift = exponent & 31;
    uint64_t carry = 0, words[4];
    for (uint32_t i = 4; i-- > 0;) {
        /* Word i of the fraction of 2^exponent / (2 pi), times m. */
        uint64_t pair = (uint64_t)inverse[first + i] << 32 | inverse[first + i + 1];
        carry = m * (uint32_t)(pair << shift >> 32) + (carry >> 32);
        words[i] = carry & 0xffffffffu;
    }
    *low = (uint32_t)words[2];
    return words[0] << 32 | words[1];
}

/* The signed fraction turn 2^-64 + low 2^-96, in -1/2 .. 1/2, times scale. */
E_FN double e_turn_part(uint64_t turn, uint32_t low, double scale)
{
    double high = (double)(int64_t)turn;
    return e_fma((double)low, 2.3283064365386963e-10, high) * (scale * 5.421010862427522e-20);
}

E_FN float e_sin_slow(float a)
{
    uint32_t low;
    uint64_t turn;
    if (!(e_abs(a) < E_INF))
        return E_NAN;
    turn = e_turn(a, &low);
    /* A half turn is pi: r / pi is the fraction of 2 turns, and the nearest integer to 2 turns gives the
     * sign. */
    return e_sin_reduced(e_turn_part(turn << 1 | low >> 31, low << 1, E_PI),
                         ((turn + 0x4000000000000000u) >> 63) ^ (e_bits32(a) >> 31));
}

E_FN float e_cos_slow(float a)
{
    uint32_t low;
    uint64_t turn;
    if (!(e_abs(a) < E_INF))
        return E_NAN;
    turn = e_turn(a, &low) + 0x4000000000000000u;     /* a quarter more */
    return e_sin_reduced(e_turn_part(turn << 1 | low >> 31, low << 1, E_PI),
                         (turn + 0x4000000000000000u) >> 63);
}

E_FN float e_tan_slow(float a)
{
    uint32_t low;
    uint64_t turn;
    double r;
    if (!(e_abs(a) < E_INF))
        return E_NAN;
    turn = e_turn(a, &low);
    r = e_turn_part(turn << 2 | low >> 30, low << 2, 0.5 * E_PI);
    return e_tan_reduced(a < 0.0f ? -r : r, (turn + 0x2000000000000000u) >> 62);
}

E_FN float e_sin(float a) { return E_RARE_sin(a) ? e_sin_slow(a) : e_sin_fast(a); }
E_FN float e_cos(float a) { return E_RARE_cos(a) ? e_cos_slow(a) : e_cos_fast(a); }
E_FN float e_tan(float a) { return E_RARE_tan(a) ? e_tan_slow(a) : e_tan_fast(a); }

/* ---- inverse functions ---- */

/* For t = |x| > 1/2: asin(t) = pi/2 - 2 asin(sqrt((1 - t) / 2)).  All that depends on the case is selected in
 * one place, before the polynomial: gcc makes two copies of what lies between two selections by one
 * condition (jump threading).  Past 1 the square root is NaN. */
E_FN double e_asin_part(double s, double u) { return s * e_fma(u, e_poly_asin(u), 1.0); }

E_FN float e_asin_fast(float a)
{
    double t = e_abs(a), rest = 0.5 - 0.5 * t, root = sqrt(rest);
    double s = t > 0.5 ? root : t, u = t > 0.5 ? rest : t * t;
    double factor = t > 0.5 ? -2.0 : 1.0, base = t > 0.5 ? 0.5 * E_PI : 0.0;
    return e_round(e_signed64(e_fma(factor, e_asin_part(s, u), base), a));
}

E_FN float e_acos_fast(float a)
{
    double x = a, t = e_abs(a), rest = 0.5 - 0.5 * t, root = sqrt(rest);
    double s = t > 0.5 ? root : t, u = t > 0.5 ? rest : t * t;
    double factor = t > 0.5 ? 2.0 : -1.0, base = t > 0.5 ? E_PI * e_negative(x) : 0.5 * E_PI;
    return e_round(e_fma(factor, e_signed64(e_asin_part(s, u), x), base));
}

/* The quarters of pi nearest to atan(y / x), of which atan2 and atan take the rest: with i = 0, 1 or 2,
 * atan(y / x) = i pi/4 + atan(s), s = y / x, (y - x) / (y + x) or -x / y, |s| <= tan(pi/8).  Here (p, q) is
 * (0, 1), (1, 1) or (1, 0), so that no case needs a selection of its own. */
#define E_TAN_LOW 0.41421356237309503 /* tan(pi/8) */
#define E_TAN_HIGH 2.414213562373095  /* tan(3 pi/8) */

E_FN double e_atan_sum(double s, double p, double q)
{
    double u = s * s;
    return e_fma(s, e_fma(u, e_poly_atan(u), 1.0), e_fma(p - q, 0.25 * E_PI, 0.25 * E_PI));
}

/* Past 2^60 nothing changes any more. */
E_FN float e_atan_fast(float a)
{
    double t = e_clamp_size(a, 1152921504606846976.0f);
    double p = t < E_TAN_LOW ? 0.0 : 1.0, q = t < E_TAN_HIGH ? 1.0 : 0.0;
    float r = (float)e_atan_sum(e_fma(q, t, -p) * e_reciprocal(e_fma(p, t, q)), p, q);
    return a == a ? e_signed(r, a) : E_NAN;
}

/* The angle of the point (b, a).  Infinity becomes a number that all others vanish beside, and a number that
 * vanishes beside all others keeps 0/0 away. */
E_FN float e_atan2_fast(float a, float b)
{
    double y = e_clamp_size64(a, 0x1p300), x = e_clamp_size64(b, 0x1p300);
    double p = e_negative(E_TAN_LOW * x - y), q = 1.0 - e_negative(E_TAN_HIGH * x - y);
    double r = e_atan_sum(e_fma(q, y, -p * x) / e_fma(q, x, e_fma(p, y, 0x1p-1000)), p, q);
    float angle = (float)(e_bits32(b) >> 31 ? E_PI - r : r);
    angle = a == a ? e_signed(angle, a) : E_NAN;
    return b == b ? angle : E_NAN;
}

#define E_RARE_asin(a) 0
#define E_RARE_acos(a) 0
#define E_RARE_atan(a) 0
#define E_RARE_atan2(a, b) 0
E_PLAIN1(asin)
E_PLAIN1(acos)
E_PLAIN1(atan)
E_PLAIN2(atan2)

#endif
