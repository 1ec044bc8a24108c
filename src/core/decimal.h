/* SPDX-License-Identifier: BSD-3-Clause
 * Between doubles and decimal numbers of up to 19 digits, by one product with a power of ten. */
#ifndef GARRAY_CORE_DECIMAL_H
#define GARRAY_CORE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* The double nearest to digits * 10^exponent, ties to even. */
double garray__double_of_decimal(uint64_t digits, int64_t exponent);

/* The n digits (1 to 19) of a finite value > 0, correctly rounded: value = digits * 10^(exponent - n + 1), with digits at
 * least 10^(n-1).  False where a product of 192 bits does not decide it, ties among them, and for the smallest numbers. */
bool garray__decimal_of_double(double value, int n, uint64_t *digits, int *exponent);

#endif
