/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors as NumPy's functions of polynomials and signals take them. */
#ifndef GARRAY_CORE_POLYNOMIAL_H
#define GARRAY_CORE_POLYNOMIAL_H

#include "core/elementwise.h"

/* Two operands as arrays of at least one axis: a number becomes a vector of one element, of the dtype that it has beside
 * the other operand.  MIXED_DEVICES, and INVALID for two numbers. */
garray_status garray__vectors(const garray_operand *a, const char *a_name, const garray_operand *b, const char *b_name,
                              garray_t **x, garray_t **y);

#endif
