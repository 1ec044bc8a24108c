/* SPDX-License-Identifier: BSD-3-Clause
 * Small matrices, one to a lane: the arithmetic of jacobi_kind.h, with that of eigh and QR in tridiagonal_eigh.h and
 * jacobi_qr.h, once for each dtype. */
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
    .eigh = { eigh_float32, eigh_float64, eigh_complex64, eigh_complex128 },
    .qr = { qr_float32, qr_float64, qr_complex64, qr_complex128 },
};
