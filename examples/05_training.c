/* SPDX-License-Identifier: BSD-3-Clause
 * A training loop: least squares by gradient steps on batches, of which the last is shorter. */
#include <garray/garray.h>
#include <math.h>

static garray_status train(const garray_t *X, const garray_t *y, double rate, garray_t **w)
{
    GARRAY_AUTO garray_t *xb = NULL, *yb = NULL, *err = NULL, *grad = NULL;
    int64_t n = garray_len(X), batch = 64;
    for (int epoch = 0; epoch < 20; epoch++)
        for (int64_t i = 0; i < n; i += batch) {
            int64_t j = i + batch < n ? i + batch : n;
            GARRAY_TRY(garray_getitem(X, GARRAY_AT(GARRAY_RANGE(i, j)), &xb));
            GARRAY_TRY(garray_getitem(y, GARRAY_AT(GARRAY_RANGE(i, j)), &yb));
            GARRAY_TRY(garray_matmul(xb, *w, &err));
            GARRAY_TRY(garray_subtract(err, yb, &err));
            GARRAY_TRY(garray_matmul(GARRAY_MT(xb), err, &grad)); /* xb.T @ err */
            GARRAY_TRY(garray_multiply(grad, rate / (double)(j - i), &grad));
            GARRAY_TRY(garray_subtract(*w, grad, w));
        }
    return GARRAY_OK;
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *X = NULL, *y = NULL, *truth = NULL, *w = NULL;
    const double weights[3] = { 2, -1, 0.5 };
    double got[3];
    garray_rng rng = GARRAY_RNG(42);
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA training loop.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(1000, 3), GARRAY_FLOAT64, device, &X));
    GARRAY_CHECK(garray_from_host(weights, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, device, &truth));
    GARRAY_CHECK(garray_matmul(X, truth, &y));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT64, device, &w));
    GARRAY_CHECK(train(X, y, 0.1, &w));
    GARRAY_CHECK(garray_print(w, NULL));
    GARRAY_CHECK(garray_to_host(w, got, NULL, sizeof got));
    return !(fabs(got[0] - 2) < 1e-6 && fabs(got[1] + 1) < 1e-6 && fabs(got[2] - 0.5) < 1e-6);
}
