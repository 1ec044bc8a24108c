/* SPDX-License-Identifier: BSD-3-Clause
 * Floats as decimal digits: the shortest ones that read back as the same value, or fewer, correctly rounded. */
#ifndef GARRAY_CORE_FORMAT_FLOAT_H
#define GARRAY_CORE_FORMAT_FLOAT_H

#include <stdbool.h>

#define GARRAY__DIGITS 1100         /* 17 are enough to tell doubles apart; the exact digits of the smallest ones are 767 */

/* d.ddd * 10^exponent. */
typedef struct garray__decimal {
    int count, exponent;
    char digit[GARRAY__DIGITS];     /* '0' to '9' */
} garray__decimal;

/* Where the digits must end: `most` and `least` count significant digits, or digits behind the point where
 * `fraction` says so; -1 is no bound.  Digits beyond the shortest ones, up to `least`, are the exact ones; `exact` asks for
 * all digits up to `most` to be those of the value itself. */
typedef struct garray__cutoff {
    bool fraction, exact;
    int most, least;
} garray__cutoff;

/* The digits of a finite value >= 0 that is a number of dtype (float16, bfloat16, float32 or float64). */
void garray__decimal_of(double value, int dtype, garray__cutoff cutoff, garray__decimal *out);

#endif
