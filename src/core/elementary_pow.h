/* SPDX-License-Identifier: BSD-3-Clause
 * pow, hypot, cbrt, logaddexp of float32; read elementary.h first. */
#ifndef GARRAY_CORE_ELEMENTARY_POW_H
#define GARRAY_CORE_ELEMENTARY_POW_H

/* 2^(b log2 |a|) with the edges of C99.  The exponent is below 150 where the result is a number, so log2 |a|
 * is taken to 2^-41.  Exponents past 2^40 (all even integers) do the same as 2^40: |a| = 1 gives 1, all
 * others 0 or infinity. */
E_FN float e_pow_fast(float a, float b)
{
    float size = e_abs(a), exponent = e_abs(b), whole = exponent + 8388608.0f;
    double x = size, y = e_widen_loosely(e_clamp(b, -1099511627776.0f, 1099511627776.0f));
    uint64_t power = e_nearest_power(x);
    double f = e_fma(x, e_power_inverse(power), -1.0);
    double logarithm = e_fma(f * e_poly_log_long(f), E_LOG2E, e_power_exponent(power));
    float r = (float)e_exp2_double(e_limit(y * logarithm, 200.0));
    /* Of a negative number only integer powers exist; odd ones are negative. From 2^23 on all numbers are integers,
     * from 2^24 on even ones; below, adding 2^23 rounds to an integer in the low bits. */
    int large = exponent >= 8388608.0f, fraction = !large & (whole - 8388608.0f != exponent);
    uint32_t low = large ? e_bits32(exponent) : e_bits32(whole);
    uint32_t odd = ((exponent < 16777216.0f) & !fraction) ? low << 31 : 0u;
    float edge = (size == 0.0f) == (b < 0.0f) ? E_INF : 0.0f;
    r = ((size == 0.0f) | (size == E_INF)) ? edge : r;
    r = e_float(e_bits32(r) | (e_bits32(a) & odd));
    r = (fraction & (a < 0.0f) & (size < E_INF)) ? E_NAN : r;
    r = a == a ? r : E_NAN;
    r = b == b ? r : E_NAN;
    r = a == 1.0f ? 1.0f : r;
    return b == 0.0f ? 1.0f : r;
}

#ifdef __CUDA_ARCH__
GARRAY_LONG_FN float e_pow_rare(float a, float b) { return e_pow_fast(a, b); }

/* The same bits with two thirds of the instructions where a is positive and normal and the result within the range: there
 * are no edges then, b needs no clamp, and |a| = 2^k (1 + f) is split exactly in float32, in which 0x3f3504f4 is the least
 * number that is not below sqrt(1/2). */
E_FN float e_pow(float a, float b)
{
    uint32_t bits = e_bits32(a), power = (bits + (0x3f800000u - 0x3f3504f4u)) & 0x7f800000u;
    double k = __hiloint2double(0x43300000, (int)(power >> 23)) - (4503599627370496.0 + 127.0);
    double f = e_float(bits - power + 0x3f800000u) - 1.0f;
    double t = (double)b * e_fma(f * e_poly_log_long(f), E_LOG2E, k);
    int within = (__double2hiint(t) & 0x7fffffff) < __double2hiint(200.0);         /* of a NaN not */
    float r = (float)e_exp2_double(t);
    return (bits - 0x00800000u < 0x7f000000u) & within ? r : e_pow_rare(a, b);
}
#endif

/* No square overflows or vanishes in float64. */
E_FN float e_hypot_fast(float a, float b)
{
    double x = a, y = b;
    float r = e_round(sqrt(e_fma(x, x, y * y)));
    r = e_abs(a) == E_INF ? E_INF : r;
    return e_abs(b) == E_INF ? E_INF : r;
}

/* A positive x as reduced power^3, 1 <= reduced < 8, and the cube root of reduced to 2^-46. */
struct e_cube {
    double reduced, root, power;
};

/* x = m 2^(3q + j), 1 <= m < 2: with r near m^(-1/3) and h = 1 - m r^3, the cube root of m is
 * m r^2 (1 - h)^(-2/3), of which three terms leave 2^-46.  x is not subnormal. */
E_FN struct e_cube e_cube_of(double x)
{
    struct e_cube c;
    uint64_t bits = e_bits64(x);
    double k = e_double((bits >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
    double m = e_double((bits & ~E_EXPONENT) | 0x3ff0000000000000u);
    /* The nearest integer to (k - 1) / 3 is the floor of k / 3. */
    double z = e_fma(k, 1.0 / 3.0, -1.0 / 3.0) + E_ROUND;
    double j = e_fma(E_ROUND - z, 3.0, k);
    double root = j == 0.0 ? 1.0 : j == 1.0 ? 1.2599210498948732 : 1.5874010519681996;
    double r = e_poly_rcbrt(m), square = r * r;
    double h = e_fma(-m * square, r, 1.0);
    c.reduced = m * (j == 0.0 ? 1.0 : j == 1.0 ? 2.0 : 4.0);
    c.root = root * (m * square * e_fma(h, e_fma(h, 5.0 / 9.0, 2.0 / 3.0), 1.0));
    c.power = e_power_of_two(z);
    return c;
}

E_FN float e_cbrt_fast(float a)
{
    double x = e_abs(a);
    struct e_cube c = e_cube_of(x);
    float result = (float)(c.root * c.power);
    result = ((x > 0.0) & (x < E_INF)) ? result : e_abs(a);
    return a == a ? e_signed(result, a) : E_NAN;
}

/* log(exp(a) + exp(b)) = larger + tail, tail = log(1 + exp(-|a - b|)).  Written without a selection, so that
 * compilers see that the result and the test for rare arguments share it.  Where the difference is NaN, of
 * two equal infinities too, it becomes 200, whose tail vanishes. */
E_FN double e_logaddexp_tail(float a, float b)
{
    double difference = e_clamp_size64((double)a - (double)b, 200.0);
    double z = e_fma(difference, -E_LOG2E, E_ROUND);
    double f = e_fma(difference, -E_LOG2E, E_ROUND - z);
    double power = e_power_of_two(z), e = e_fma(f * e_poly_exp2m1(f), power, power);
    uint64_t nearest = e_nearest_power(1.0 + e);
    double inverse = e_power_inverse(nearest);
    f = e_fma(e, inverse, inverse - 1.0);
    return e_fma(e_power_exponent(nearest), E_LN2, f * e_poly_log_long(f));
}

E_FN float e_logaddexp_fast(float a, float b)
{
    float larger = a > b ? a : b, r = (float)((double)larger + e_logaddexp_tail(a, b));
    r = a == a ? r : E_NAN;
    return b == b ? r : E_NAN;
}

/* Where exp(a) + exp(b) is near 1 the two terms cancel, and their errors would show. */
E_FN int e_logaddexp_cancels(float a, float b)
{
    float larger = a > b ? a : b;
    double tail = e_logaddexp_tail(a, b), y = (double)larger + tail;
    return e_double(e_bits64(y) & 0x7fffffffffffffffu) < 0.0625 * tail;
}

#define E_RARE_logaddexp(a, b) e_logaddexp_cancels(a, b)

/* ---- sums of two float64 of twice the precision, for the rare arguments of logaddexp ---- */
struct e_pair {
    double high, low;
};

E_FN struct e_pair e_pair_sum(double a, double b)
{
    struct e_pair r;
    double part;
    r.high = a + b;
    part = r.high - a;
    r.low = (a - (r.high - part)) + (b - part);
    return r;
}

E_FN struct e_pair e_pair_add(struct e_pair a, struct e_pair b)
{
    struct e_pair s = e_pair_sum(a.high, b.high), t = e_pair_sum(a.low, b.low);
    s = e_pair_sum(s.high, s.low + t.high);
    return e_pair_sum(s.high, s.low + t.low);
}

E_FN struct e_pair e_pair_multiply(struct e_pair a, struct e_pair b)
{
    double high = a.high * b.high, low = e_fma(a.high, b.high, -high);
    return e_pair_sum(high, low + e_fma(a.high, b.low, a.low * b.high));
}

E_FN struct e_pair e_pair_divide(struct e_pair a, double b)
{
    struct e_pair r;
    r.high = a.high / b;
    r.low = (e_fma(-r.high, b, a.high) + a.low) / b;
    return r;
}

/* exp(x) - 1 for |x| <= 0.83 by its series, x (1 + x/2 (1 + x/3 (...))), to 2^-100 of the result. */
E_FN struct e_pair e_pair_expm1(struct e_pair x)
{
    struct e_pair one = {1.0, 0.0}, sum = {1.0, 0.0};
    for (double k = 30.0; k > 1.5; k -= 1.0)
        sum = e_pair_add(one, e_pair_multiply(e_pair_divide(x, k), sum));
    return e_pair_multiply(x, sum);
}

/* log(1 + v) with v = (exp(larger) - 1) + exp(smaller), which is small here: exp(smaller) as a 128th
 * power. */
E_FN float e_logaddexp_slow(float a, float b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a, v;
    struct e_pair one = {1.0, 0.0}, top = {larger, 0.0}, part = {smaller * 0.0078125, 0.0};
    struct e_pair e = e_pair_add(one, e_pair_expm1(part));
    for (int i = 0; i < 7; i++)
        e = e_pair_multiply(e, e);
    v = e_pair_add(e_pair_expm1(top), e).high;
    return (float)(v * e_poly_log_long(v));
}

E_FN float e_logaddexp(float a, float b)
{
    return E_RARE_logaddexp(a, b) ? e_logaddexp_slow(a, b) : e_logaddexp_fast(a, b);
}

#define E_RARE_pow(a, b) 0
#define E_RARE_hypot(a, b) 0
#define E_RARE_cbrt(a) 0
#ifndef __CUDA_ARCH__
E_PLAIN2(pow)
#endif
E_PLAIN2(hypot)
E_PLAIN1(cbrt)

#endif
