/* SPDX-License-Identifier: BSD-3-Clause
 * A straight line through noisy points, by the normal equations: w = solve(A.T @ A, A.T @ y). */
#include <garray/garray.h>
#include <math.h>

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *t = NULL, *y = NULL, *noise = NULL, *one = NULL, *A = NULL;
    GARRAY_AUTO garray_t *AtA = NULL, *Aty = NULL, *w = NULL, *r = NULL, *rms = NULL;
    garray_rng rng = GARRAY_RNG(7);
    garray_device device;
    double line[2], error;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA straight line through noisy points.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_linspace(0, 10, 1001, NULL, device, &t));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 0.1, garray_shape_of(t), GARRAY_FLOAT64, device, &noise));
    GARRAY_CHECK(garray_multiply(t, -0.5, &y));
    GARRAY_CHECK(garray_add(y, 3, &y));
    GARRAY_CHECK(garray_add(y, noise, &y)); /* y = -0.5 * t + 3 + noise */

    GARRAY_CHECK(garray_ones_like(t, GARRAY_DTYPE_DEFAULT, &one));
    GARRAY_CHECK(garray_stack(GARRAY_LIST(t, one), -1, &A)); /* (1001, 2) */
    GARRAY_CHECK(garray_matmul(GARRAY_MT(A), A, &AtA));
    GARRAY_CHECK(garray_matmul(GARRAY_MT(A), y, &Aty));
    GARRAY_CHECK(garray_linalg_solve(AtA, Aty, &w));

    GARRAY_CHECK(garray_matmul(A, w, &r));
    GARRAY_CHECK(garray_subtract(r, y, &r));
    GARRAY_CHECK(garray_square(r, &r));
    GARRAY_CHECK(garray_mean(r, GARRAY_ALL_AXES, NULL, &rms));
    GARRAY_CHECK(garray_sqrt(rms, &rms));
    GARRAY_CHECK(garray_item(rms, &error));
    GARRAY_CHECK(garray_to_host(w, line, NULL, sizeof line));
    printf("y = %.3f t + %.3f, rms %.3f\n", line[0], line[1], error);
    return !(fabs(line[0] + 0.5) < 0.01 && fabs(line[1] - 3) < 0.05 && fabs(error - 0.1) < 0.02);
}
