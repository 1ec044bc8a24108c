/* SPDX-License-Identifier: BSD-3-Clause
 * Digits of floats by exact integers: Steele and White's Dragon4, with the rules of cutting and rounding that NumPy
 * has (a tie goes to the even digit; the ends of an even number's interval belong to it). */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "core/format_float.h"
#include "garray/operand.h"

/* ---- natural numbers below 2^1280 ---- */
/* The largest is 10 * 2^53 * 10^324 or so: 1136 bits. */
#define WORDS 40

struct natural {
    int n;                          /* words in use; the highest is not 0 */
    uint32_t word[WORDS];           /* lowest first */
};

static void set(struct natural *a, uint64_t value)
{
    a->word[0] = (uint32_t)value;
    a->word[1] = (uint32_t)(value >> 32);
    a->n = a->word[1] ? 2 : a->word[0] ? 1 : 0;
}

static void multiply(struct natural *a, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && a->n < WORDS)
        a->word[a->n++] = (uint32_t)carry;
}

static void multiply_power_of_ten(struct natural *a, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        multiply(a, 1000000000);
    for (; exponent > 0; exponent--)
        multiply(a, 10);
}

static void shift_left(struct natural *a, int bits)
{
    int words = bits / 32;
    multiply(a, (uint32_t)1 << bits % 32);
    if (words == 0 || a->n == 0 || a->n + words > WORDS)
        return;
    memmove(a->word + words, a->word, sizeof a->word[0] * (size_t)a->n);
    memset(a->word, 0, sizeof a->word[0] * (size_t)words);
    a->n += words;
}

static int compare(const struct natural *a, const struct natural *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static void add(struct natural *a, const struct natural *b)
{
    uint64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->word[i] : 0) + (i < b->n ? b->word[i] : 0);
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->n = n;
    if (carry && n < WORDS)
        a->word[a->n++] = (uint32_t)carry;
}

/* a - b for a >= b. */
static void subtract(struct natural *a, const struct natural *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->word[i] - (i < b->n ? b->word[i] : 0);
        a->word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n > 0 && a->word[a->n - 1] == 0)
        a->n--;
}

/* ---- floats as mantissa * 2^exponent ---- */
struct parts {
    uint64_t mantissa;
    int exponent, top;              /* top: the highest bit of the mantissa */
    bool narrow_below;              /* the next lower number is only half as far away as the next higher one */
};

/* value is not 0. */
static struct parts take_apart(double value, int dtype)
{
    /* significant bits, and the exponent of the last bit of the smallest numbers */
    int width = 53, least = -1074;
    if (dtype == GARRAY_FLOAT16) {
        width = 11;
        least = -24;
    } else if (dtype == GARRAY_BFLOAT16) {
        width = 8;
        least = -133;
    } else if (dtype == GARRAY_FLOAT32) {
        width = 24;
        least = -149;
    }
    uint64_t bits;
    memcpy(&bits, &value, 8);
    uint64_t mantissa = bits & 0xfffffffffffffull;
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent > 0)
        mantissa |= 1ull << 52;
    else
        exponent = 1;
    exponent -= 1075;
    int drop = 53 - width;          /* the bits that go are 0, since the value is one of dtype */
    if (exponent + drop < least)
        drop = least - exponent;
    struct parts p = { mantissa >> drop, exponent + drop, 0, false };
    p.narrow_below = p.mantissa == 1ull << (width - 1) && p.exponent > least;
    for (uint64_t rest = p.mantissa; rest > 1; rest >>= 1)
        p.top++;
    return p;
}

/* ---- digits ---- */
/* Rounds the digits before the last one up: 129 99 -> 13. */
static void carry(garray__decimal *out)
{
    while (out->count > 0 && out->digit[out->count - 1] == '9')
        out->count--;
    if (out->count > 0) {
        out->digit[out->count - 1]++;
    } else {
        out->digit[out->count++] = '1';
        out->exponent++;
    }
}

/* The powers of ten at which digits must not go on, and before which they must not end. */
static void ends(garray__cutoff cutoff, int exponent, int *last, int *first)
{
    *last = exponent - GARRAY__DIGITS;
    *first = exponent;
    if (cutoff.most >= 0) {
        int wanted = cutoff.fraction ? -cutoff.most : exponent - cutoff.most;
        *last = wanted > *last ? wanted : *last;
    }
    if (cutoff.least >= 0) {
        int wanted = cutoff.fraction ? -cutoff.least : exponent - cutoff.least;
        *first = wanted < *first ? wanted : *first;
    }
}

void garray__decimal_of(double value, int dtype, garray__cutoff cutoff, garray__decimal *out)
{
    out->count = out->exponent = 0;
    if (value == 0) {
        out->digit[out->count++] = '0';
        return;
    }
    struct parts p = take_apart(value, dtype);
    /* value = rest / scale; margin / scale is half the distance to the next lower number */
    struct natural rest, scale, margin, above;
    set(&rest, p.mantissa);
    set(&scale, 1);
    set(&margin, 1);
    shift_left(&rest, p.narrow_below ? 2 : 1);
    shift_left(&scale, p.narrow_below ? 2 : 1);
    if (p.exponent > 0) {
        shift_left(&rest, p.exponent);
        shift_left(&margin, p.exponent);
    } else {
        shift_left(&scale, -p.exponent);
    }
    /* the power of ten above the value, or one less: log10(2) < 1 - 0.69 */
    int exponent = (int)ceil((p.top + p.exponent) * 0.30102999566398119521 - 0.69);
    if (cutoff.most > 10000)
        cutoff.most = 10000;
    if (cutoff.fraction && cutoff.most >= 0 && exponent <= -cutoff.most)
        exponent = 1 - cutoff.most;         /* nothing but the rounding is left of it */
    if (exponent > 0) {
        multiply_power_of_ten(&scale, exponent);
    } else {
        multiply_power_of_ten(&rest, -exponent);
        multiply_power_of_ten(&margin, -exponent);
    }
    if (compare(&rest, &scale) >= 0) {
        exponent++;
    } else {
        multiply(&rest, 10);
        multiply(&margin, 10);
    }
    int last, first;
    ends(cutoff, exponent, &last, &first);
    out->exponent = exponent - 1;
    bool even = p.mantissa % 2 == 0, low, high;
    char digit;
    for (;;) {
        exponent--;
        digit = '0';
        for (; compare(&rest, &scale) >= 0; digit++)
            subtract(&rest, &scale);
        /* may the digits end here, with this one, or with the next higher one? */
        above = rest;
        add(&above, &margin);
        if (p.narrow_below)
            add(&above, &margin);
        int below_cmp = compare(&rest, &margin), above_cmp = compare(&above, &scale);
        low = below_cmp < 0 || (even && below_cmp == 0);
        high = above_cmp > 0 || (even && above_cmp == 0);
        if (cutoff.exact)
            low = high = rest.n == 0;
        if (((low || high) && (exponent <= first || cutoff.exact)) || exponent == last)
            break;
        out->digit[out->count++] = digit;
        multiply(&rest, 10);
        multiply(&margin, 10);
    }
    bool down = low;
    if (low == high) {
        multiply(&rest, 2);
        int half = compare(&rest, &scale);
        down = half < 0 || (half == 0 && (digit - '0') % 2 == 0);
    }
    if (down)
        out->digit[out->count++] = digit;
    else if (digit < '9')
        out->digit[out->count++] = (char)(digit + 1);
    else
        carry(out);
}
