/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions in C: S_name() is garray_name() that returns its result. The scope keeps the first error, owns what the
 * expression makes, and assigns the result only on success. */
#include <garray/scope.h>
#include <math.h>

/* w = w - rate * X.mT @ (X @ w - y) / n */
static garray_status step(const garray_t *X, const garray_t *y, double rate, garray_t **w)
{
    GARRAY_SCOPE(s);
    garray_t *error = S_sub(&s, S_matmul(&s, X, *w), y);
    garray_t *slope = S_matmul(&s, GARRAY_MT(X), error);
    return garray_scope_end(&s, S_sub(&s, *w, S_mul(&s, slope, rate / (double)garray_len(X))), w);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *X = NULL, *y = NULL, *truth = NULL, *w = NULL;
    const double weights[3] = { 2, -1, 0.5 };
    double got[3];
    garray_rng rng = GARRAY_RNG(42);
    garray_device device;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nExpressions with one check.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(500, 3), GARRAY_FLOAT64, device, &X));
    GARRAY_CHECK(garray_from_host(weights, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, device, &truth));
    GARRAY_CHECK(garray_matmul(X, truth, &y));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT64, device, &w));
    for (int i = 0; i < 200; i++)
        GARRAY_CHECK(step(X, y, 0.5, &w));
    GARRAY_CHECK(garray_print(w, NULL));
    GARRAY_CHECK(garray_to_host(w, got, NULL, sizeof got));
    for (int i = 0; i < 3; i++)
        if (!(fabs(got[i] - weights[i]) < 1e-12))
            return 1;

    /* An error anywhere in the expression is returned once, at the end; w stays. */
    const garray_t *before = w;
    garray_status status = step(X, truth, 0.5, &w);
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    return status != GARRAY_ERR_SHAPE || w != before;
}
