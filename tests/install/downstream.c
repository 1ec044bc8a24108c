/* SPDX-License-Identifier: BSD-3-Clause
 * A program that uses an installed library: computes, multiplies matrices, solves, and checks the results. */
#include <garray/garray.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL, *x = NULL, *r = NULL;
    double worst;
    GARRAY_CHECK(garray_eye(4, 4, 0, GARRAY_FLOAT64, GARRAY_CPU, &a));
    GARRAY_CHECK(garray_add(a, 0.25, &a));
    GARRAY_CHECK(garray_arange(0, 4, 1, GARRAY_FLOAT64, GARRAY_CPU, &b));
    GARRAY_CHECK(garray_linalg_solve(a, b, &x));
    GARRAY_CHECK(garray_matmul(a, x, &r));
    GARRAY_CHECK(garray_subtract(r, b, &r));
    GARRAY_CHECK(garray_abs(r, &r));
    GARRAY_CHECK(garray_max(r, GARRAY_ALL_AXES, NULL, &r));
    GARRAY_CHECK(garray_item(r, &worst));
    if (!(worst < 1e-14)) {
        fprintf(stderr, "residual %g\n", worst);
        return 1;
    }
    return 0;
}
