/* SPDX-License-Identifier: BSD-3-Clause
 * Formulas of bool and the integers.  What C leaves undefined is decided here, the same on every device:
 *   overflow wraps; x // 0 and x % 0 are 0; MIN // -1 is MIN; MIN % -1 is 0; abs(MIN) is MIN;
 *   a shift by a negative count or by the width or more gives 0, and -1 for a negative number shifted right;
 *   fmod(x, 0) is 0; gcd and lcm are those of the absolute values, without their sign, and wrap;
 *   a negative power is the truncated quotient 1 / x**n, with 0 for x = 0; reciprocal(0) is 0.
 * Loads give bools as 0 or 1. */
#ifndef GARRAY__FORMULA_INT_H
#define GARRAY__FORMULA_INT_H

#include <stdint.h>

#include "kinds.h"

/* Wraparound is done in an unsigned type that C does not promote to int: two uint16 could overflow an int. */
#if GARRAY_WIDTH == 64
typedef uint64_t garray__wrap;
#else
typedef uint32_t garray__wrap;
#endif

GARRAY_FN ct f_conj(ct a) { return a; }
GARRAY_FN ct f_real(ct a) { return a; }
GARRAY_FN ct f_imag(ct a) { (void)a; return 0; }
GARRAY_FN ct f_ceil(ct a) { return a; }
GARRAY_FN ct f_floor(ct a) { return a; }
GARRAY_FN ct f_trunc(ct a) { return a; }
GARRAY_FN ct f_round(ct a) { return a; }

GARRAY_FN int f_isfinite(ct a) { (void)a; return 1; }
GARRAY_FN int f_isinf(ct a) { (void)a; return 0; }
GARRAY_FN int f_isnan(ct a) { (void)a; return 0; }
GARRAY_FN int f_isposinf(ct a) { (void)a; return 0; }
GARRAY_FN int f_isneginf(ct a) { (void)a; return 0; }
GARRAY_FN int f_isreal(ct a) { (void)a; return 1; }
GARRAY_FN int f_iscomplex(ct a) { (void)a; return 0; }
GARRAY_FN int f_truth(ct a) { return a != 0; }

GARRAY_FN int f_equal(ct a, ct b) { return a == b; }
GARRAY_FN int f_less(ct a, ct b) { return a < b; }
GARRAY_FN int f_less_equal(ct a, ct b) { return a <= b; }
GARRAY_FN ct f_maximum(ct a, ct b) { return a > b ? a : b; }
GARRAY_FN ct f_minimum(ct a, ct b) { return a < b ? a : b; }
GARRAY_FN ct f_fmax(ct a, ct b) { return f_maximum(a, b); }
GARRAY_FN ct f_fmin(ct a, ct b) { return f_minimum(a, b); }

#if GARRAY_KIND == K_BOOL

GARRAY_FN ct f_abs(ct a) { return a; }
GARRAY_FN ct f_add(ct a, ct b) { return a | b; }
GARRAY_FN ct f_multiply(ct a, ct b) { return a & b; }
GARRAY_FN ct f_bitwise_invert(ct a) { return a == 0; }

#else

GARRAY_FN ct f_add(ct a, ct b) { return (ct)((garray__wrap)a + (garray__wrap)b); }
GARRAY_FN ct f_subtract(ct a, ct b) { return (ct)((garray__wrap)a - (garray__wrap)b); }
GARRAY_FN ct f_multiply(ct a, ct b) { return (ct)((garray__wrap)a * (garray__wrap)b); }
GARRAY_FN ct f_negative(ct a) { return (ct)(0 - (garray__wrap)a); }
GARRAY_FN ct f_bitwise_invert(ct a) { return (ct)~a; }

#if GARRAY_KIND == K_SINT
GARRAY_FN ct f_abs(ct a) { return a < 0 ? f_negative(a) : a; }
GARRAY_FN ct f_sign(ct a) { return (ct)((a > 0) - (a < 0)); }
GARRAY_FN int f_signbit(ct a) { return a < 0; }
GARRAY_FN ct f_reciprocal(ct a) { return a == 1 || a == -1 ? a : 0; }
#else
GARRAY_FN ct f_abs(ct a) { return a; }
GARRAY_FN ct f_sign(ct a) { return a != 0; }
GARRAY_FN int f_signbit(ct a) { (void)a; return 0; }
GARRAY_FN ct f_reciprocal(ct a) { return a == 1; }
#endif

/* A negative count becomes a huge unsigned one. */
GARRAY_FN ct f_bitwise_left_shift(ct a, ct b)
{
    const unsigned count = (uct)b < GARRAY_WIDTH ? (unsigned)b : 0;

    return (uct)b < GARRAY_WIDTH ? (ct)((garray__wrap)a << count) : 0;
}

GARRAY_FN ct f_bitwise_right_shift(ct a, ct b)
{
    const unsigned count = (uct)b < GARRAY_WIDTH ? (unsigned)b : GARRAY_WIDTH - 1;

#if GARRAY_KIND == K_SINT
    return (ct)(a >> count);
#else
    return (uct)b < GARRAY_WIDTH ? (ct)(a >> count) : 0;
#endif
}

/* a / b truncated, for b not 0 and not -1.  Processors have no vector of integer divisions, so narrow
 * integers divide as floats: the quotient of two n-bit integers differs from the next integer by a part in
 * 2^n at least, so that a float of more than n bits truncates to the exact answer. */
GARRAY_FN ct f_quotient(ct a, ct b)
{
#if defined(__CUDACC__) || GARRAY_WIDTH == 64
    return (ct)(a / b);
#elif GARRAY_WIDTH == 32
    return (ct)((double)a / (double)b);
#else
    return (ct)(int32_t)((float)a / (float)b);
#endif
}

#if GARRAY_KIND == K_SINT

/* The sign rules are Python's: the quotient is floored, the remainder has the sign of the divisor. */
GARRAY_FN ct f_floor_divide(ct a, ct b)
{
    const ct d = b == 0 || b == -1 ? 1 : b;
    const ct q = f_quotient(a, d);
    const ct r = f_subtract(a, f_multiply(q, d));
    const ct floored = (ct)(q - ((r != 0) & ((r < 0) != (d < 0))));

    return b == 0 ? 0 : b == -1 ? f_negative(a) : floored;
}

GARRAY_FN ct f_remainder(ct a, ct b)
{
    const ct d = b == 0 || b == -1 ? 1 : b;
    const ct r = f_subtract(a, f_multiply(f_quotient(a, d), d));

    const int other_sign = (r != 0) & ((r < 0) != (d < 0));

    return (ct)(other_sign ? r + d : r);
}

#else

GARRAY_FN ct f_floor_divide(ct a, ct b)
{
    return b == 0 ? 0 : f_quotient(a, b == 0 ? 1 : b);
}

GARRAY_FN ct f_remainder(ct a, ct b)
{
    const ct d = b == 0 ? 1 : b;

    return f_subtract(a, f_multiply(f_quotient(a, d), d));
}

#endif

/* The remainder with the sign of a, as C's. */
GARRAY_FN ct f_fmod(ct a, ct b)
{
#if GARRAY_KIND == K_SINT
    const ct d = b == 0 || b == -1 ? 1 : b;
#else
    const ct d = b == 0 ? 1 : b;
#endif
    return f_subtract(a, f_multiply(f_quotient(a, d), d));
}

/* The ones among the bits of |a|. */
GARRAY_FN ct f_bitwise_count(ct a)
{
    garray__wrap bits = (uct)f_abs(a);
    const garray__wrap ones = (garray__wrap)-1;

    bits -= bits >> 1 & ones / 3;
    bits = (bits & ones / 5) + (bits >> 2 & ones / 5);
    bits = (bits + (bits >> 4)) & ones / 17;
    return (ct)((garray__wrap)(bits * (ones / 255)) >> (8 * sizeof bits - 8));
}

#if GARRAY_KIND == K_UINT && GARRAY_WIDTH == 64
/* Each byte of a that is not 0 becomes 1. */
GARRAY_FN ct f_byte_truth(ct a)
{
    const ct low = 0x7f7f7f7f7f7f7f7fu;

    return ((((a & low) + low) | a) >> 7) & 0x0101010101010101u;
}

/* packbits: the truth of eight bytes in one.  The factor b moves each where it belongs in the top byte; no two of its
 * products meet.  unpackbits: eight copies of a byte, of each of which b keeps a bit. */
GARRAY_FN ct f_pack_bits(ct a, ct b) { return (f_byte_truth(a) * b) >> 56; }
GARRAY_FN ct f_unpack_bits(ct a, ct b) { return f_byte_truth((a * 0x0101010101010101u) & b); }
#endif

/* How many zeros stand below the lowest one of a, which is not 0. */
GARRAY_FN int f_trailing_zeros(garray__wrap a)
{
#if defined(__CUDACC__)
    return __ffsll((long long)a) - 1;
#elif defined(__GNUC__)
    return __builtin_ctzll(a);
#else
    int n = 0;

    while (!(a >> n & 1))
        n++;
    return n;
#endif
}

/* Stein's algorithm: the difference of two odd numbers is even, so every round drops a bit at least. */
GARRAY_FN garray__wrap f_common_divisor(garray__wrap a, garray__wrap b)
{
    int shift;

    if (a == 0 || b == 0)
        return a | b;
    shift = f_trailing_zeros(a | b);
    a >>= f_trailing_zeros(a);
    do {
        b >>= f_trailing_zeros(b);
        if (a > b) {
            const garray__wrap larger = a;
            a = b;
            b = larger;
        }
        b -= a;
    } while (b != 0);
    return a << shift;
}

GARRAY_FN ct f_gcd(ct a, ct b) { return (ct)f_common_divisor((uct)f_abs(a), (uct)f_abs(b)); }

GARRAY_FN ct f_lcm(ct a, ct b)
{
    const garray__wrap x = (uct)f_abs(a), y = (uct)f_abs(b);

    return x == 0 || y == 0 ? 0 : (ct)(x / f_common_divisor(x, y) * y);
}

/* unwrap: what to add for a step of a, with the period b; 0 for steps below c.  Of an odd period no step is half. */
GARRAY_FN ct f_unwrap(ct a, ct b, ct c)
{
    const ct high = f_floor_divide(b, 2), low = f_negative(high);
    ct folded = f_add(f_remainder(f_add(a, high), b), low);

    if (f_remainder(b, 2) == 0 && folded == low && a > 0)
        folded = high;
    return f_abs(a) < c ? 0 : f_subtract(folded, a);
}

/* By squaring; every step wraps, so the result is the true power modulo 2^width. */
GARRAY_FN ct f_pow(ct a, ct b)
{
    garray__wrap base = (garray__wrap)a, power = 1;
    uct n = (uct)b;

#if GARRAY_KIND == K_SINT
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (ct)(b & 1 ? -1 : 1) : 0;
#endif
    while (n != 0) {
        if (n & 1)
            power *= base;
        base *= base;
        n = (uct)(n >> 1);
    }
    return (ct)power;
}

#endif
#endif
