/* SPDX-License-Identifier: BSD-3-Clause
 * Small matrices of a batch, one for each lane of a vector: LU with partial pivoting and what it gives, and Cholesky.
 * All lanes do the same steps; only rows are exchanged lane by lane.  What a matrix becomes does not depend on its
 * neighbours, nor on the width of the vector. */
#include <math.h>
#include <string.h>
#include "cpu/lanes.h"
#include "cpu/solve.h"

#define KIND_NAME(name) GARRAY_CAT(name, KIND)

#define KIND float32
#define REAL float
#define INTEGER int32_t
#define REAL_MOST 3.4028234663852886e38f
#define COMPLEX 0
#include "cpu/solve_small_kind.h"

#define KIND float64
#define REAL double
#define INTEGER int64_t
#define REAL_MOST 1.7976931348623157e308
#define COMPLEX 0
#include "cpu/solve_small_kind.h"

#define KIND complex64
#define REAL float
#define INTEGER int32_t
#define REAL_MOST 3.4028234663852886e38f
#define COMPLEX 1
#include "cpu/solve_small_kind.h"

#define KIND complex128
#define REAL double
#define INTEGER int64_t
#define REAL_MOST 1.7976931348623157e308
#define COMPLEX 1
#include "cpu/solve_small_kind.h"

const garray__small_kernels GARRAY_ISA_NAME(garray__cpu_small_kernels) = {
    { run_float32, run_float64, run_complex64, run_complex128 },
};
