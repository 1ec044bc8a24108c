/* SPDX-License-Identifier: BSD-3-Clause
 * The scalar formulas of ops.def for the dtype being compiled (kinds.h).  One text for C11 and CUDA C++.
 *
 * A formula takes and returns values of the compute type ct; one whose row says REAL returns rt, one whose
 * row says BOOL returns an int that is 0 or 1.  No formula has undefined behaviour for any argument, and none
 * leaves a product to be fused with a sum: both devices give the same bits wherever the arithmetic is exact
 * or correctly rounded. */
#ifndef GARRAY__FORMULA_H
#define GARRAY__FORMULA_H

#include "kinds.h"

#if GARRAY_KIND == K_COMPLEX
#include "formula_complex.h"
#elif GARRAY_KIND == K_FLOAT
#include "formula_float.h"
#else
#include "formula_int.h"
#endif

#endif
