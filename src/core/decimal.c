/* SPDX-License-Identifier: BSD-3-Clause
 * Doubles and decimals.  Reading is the algorithm of Lemire, "Number parsing at a gigabyte per second" (2021), with the
 * proof of Mushtak and Lemire (2023) that the product decides every case.  Writing looks at the fraction of a product and
 * leaves what is too near to a half to others. */
#include <string.h>
#include "core/decimal.h"
#include "core/powers_of_five.h"

enum { LEAST = -342, MOST = 308 };

struct product {
    uint64_t high, low;
};

static struct product multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;
    return (struct product){ (uint64_t)(p >> 64), (uint64_t)p };
}

/* floor(log2(10^q)) for the powers of the table. */
static int log2_of_power(int q)
{
    return (217706 * q) >> 16;
}

static double pack(uint64_t mantissa, int exponent)
{
    uint64_t bits = (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)exponent << 52;
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

double garray__double_of_decimal(uint64_t w, int64_t exponent)
{
    if (w == 0 || exponent < LEAST)
        return 0;
    if (exponent > MOST)
        return pack(0, 0x7ff);
    int q = (int)exponent, zeros = __builtin_clzll(w);
    w <<= zeros;
    const uint64_t *power = power_of_five[q - LEAST];
    struct product p = multiply(w, power[0]);
    if ((p.high & 0x1ff) == 0x1ff) {        /* the bits below those of the result may change them */
        struct product more = multiply(w, power[1]);
        p.low += more.high;
        p.high += p.low < more.high;
    }
    int top = (int)(p.high >> 63), shift = top + 64 - 52 - 3;
    uint64_t mantissa = p.high >> shift;    /* with one bit for the rounding */
    int e = log2_of_power(q) + 63 + top - zeros + 1023;
    if (e <= 0) {                           /* subnormal */
        if (1 - e >= 64)
            return 0;
        mantissa >>= 1 - e;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        return pack(mantissa, mantissa >> 52 ? 1 : 0);
    }
    /* a tie, which only these powers can make: to the even number */
    if (p.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == p.high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa = (uint64_t)1 << 52;
        e++;
    }
    return e >= 0x7ff ? pack(0, 0x7ff) : pack(mantissa, e);
}

/* ---- digits ---- */
/* value * 10^q as its whole part, below 2^64, and the first 64 bits of the fraction, which may be off by two. */
static bool scale(uint64_t mantissa, int exponent, int q, uint64_t *whole, uint64_t *fraction)
{
    if (q < LEAST || q > MOST)
        return false;
    const uint64_t *power = power_of_five[q - LEAST];
    struct product a = multiply(mantissa, power[0]), b = multiply(mantissa, power[1]);
    uint64_t middle = a.low + b.high, high = a.high + (middle < b.high);
    /* the product's lowest bit stands for 2^this */
    int lowest = exponent + log2_of_power(q) - 127, shift = -lowest - 128;
    if (shift < 0 || shift > 63)
        return false;
    *whole = shift ? high >> shift : high;
    *fraction = shift ? high << (64 - shift) | middle >> shift : middle;
    return true;
}

bool garray__decimal_of_double(double value, int n, uint64_t *digits, int *exponent)
{
    static const uint64_t ten[] = { 1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
        10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u, 1000000000000000000u, 10000000000000000000u };
    uint64_t bits, whole, fraction;
    memcpy(&bits, &value, 8);
    int e = (int)(bits >> 52 & 0x7ff);
    if (e == 0)
        return false;                       /* subnormal */
    uint64_t mantissa = ((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52) << 11;
    /* log10(2) is 0.30103; the guess is right or one too high or low */
    int guess = (int)(((e - 1023) * 1233ll) >> 12);
    for (int tries = 0; tries < 3; tries++) {
        if (!scale(mantissa, e - 1023 - 63, n - 1 - guess, &whole, &fraction)) {
            /* a whole part of more than 64 bits: the guess is too low */
            guess++;
            continue;
        }
        if (whole < ten[n - 1]) {
            guess--;
            continue;
        }
        if (whole >= ten[n]) {
            guess++;
            continue;
        }
        const uint64_t half = (uint64_t)1 << 63;
        if (fraction >= half - 2 && fraction <= half + 2)
            return false;
        whole += fraction > half;
        *exponent = guess;
        if (whole == ten[n]) {
            whole = ten[n - 1];
            ++*exponent;
        }
        *digits = whole;
        return true;
    }
    return false;
}
