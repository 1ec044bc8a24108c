/* SPDX-License-Identifier: BSD-3-Clause
 * One-sided Jacobi for small matrices, a matrix a lane; the arithmetic is jacobi_kind.h, once for each dtype. */
#include <math.h>
#include <string.h>
#include "core/phase.h"
#include "cpu/jacobi.h"

#define REAL float
#define REAL_IS_FLOAT 1
#define PARTS 1
#define SUFFIX float32
#include "cpu/jacobi_kind.h"
#undef PARTS
#undef SUFFIX
#define PARTS 2
#define SUFFIX complex64
#include "cpu/jacobi_kind.h"
#undef REAL
#undef REAL_IS_FLOAT
#undef PARTS
#undef SUFFIX
#define REAL double
#define REAL_IS_FLOAT 0
#define PARTS 1
#define SUFFIX float64
#include "cpu/jacobi_kind.h"
#undef PARTS
#undef SUFFIX
#define PARTS 2
#define SUFFIX complex128
#include "cpu/jacobi_kind.h"

const garray__cpu_jacobi GARRAY_ISA_NAME(garray__cpu_jacobi_kernels) = {
    .svd = { svd_float32, svd_float64, svd_complex64, svd_complex128 },
};
