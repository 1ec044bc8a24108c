/* SPDX-License-Identifier: BSD-3-Clause
 * Least squares: a cubic and a wave fitted to noisy points, with the uncertainty of each coefficient. */
#include <garray/garray.h>
#include <math.h>

enum { N = 2000, TERMS = 5 };
static const double truth[TERMS] = { 0.5, -1, 0.25, 2, 0.75 }, sigma = 0.1;

/* The columns t^3, t^2, t, 1 and sin(9 t). */
static garray_status columns(const garray_t *t, garray_t **out)
{
    GARRAY_AUTO garray_t *powers = NULL, *wave = NULL;
    GARRAY_TRY(garray_vander(t, 4, NULL, &powers));
    GARRAY_TRY(garray_multiply(t, 9, &wave));
    GARRAY_TRY(garray_sin(wave, &wave));
    return garray_column_stack(GARRAY_LIST(powers, wave), out);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *t = NULL, *A = NULL, *c = NULL, *y = NULL, *noise = NULL;
    GARRAY_AUTO garray_t *fit = NULL, *residuals = NULL, *rank = NULL, *s = NULL, *gram = NULL, *variance = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(9);
    double found[TERMS], spread[TERMS], sum, singular[TERMS];
    int64_t full;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA fit by least squares, with its errors.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_linspace(-2, 2, N, NULL, device, &t));
    GARRAY_CHECK(columns(t, &A));
    GARRAY_CHECK(garray_from_host(truth, GARRAY_FLOAT64, GARRAY_SHAPE(TERMS), NULL, device, &c));
    GARRAY_CHECK(garray_random_normal(&rng, 0, sigma, GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &noise));
    GARRAY_CHECK(garray_matmul(A, c, &y));
    GARRAY_CHECK(garray_add(y, noise, &y));

    GARRAY_CHECK(garray_linalg_lstsq(A, y, NULL, &fit, &residuals, &rank, &s));
    GARRAY_CHECK(garray_item(rank, &full));
    GARRAY_CHECK(garray_sum(residuals, GARRAY_ALL_AXES, NULL, &residuals)); /* (1,): as a number */
    GARRAY_CHECK(garray_item(residuals, &sum));
    GARRAY_CHECK(garray_to_host(s, singular, NULL, sizeof singular));
    double noise_found = sqrt(sum / (N - TERMS));

    /* The variance of the coefficients is that of the noise times the diagonal of inv(A.T @ A). */
    GARRAY_CHECK(garray_matmul(GARRAY_MT(A), A, &gram));
    GARRAY_CHECK(garray_linalg_inv(gram, &gram));
    GARRAY_CHECK(garray_diagonal(gram, 0, 0, 1, &variance));
    GARRAY_CHECK(garray_sqrt(variance, &variance));
    GARRAY_CHECK(garray_to_host(variance, spread, NULL, sizeof spread));
    GARRAY_CHECK(garray_to_host(fit, found, NULL, sizeof found));

    printf("rank %lld, condition %.1f, noise %.4f\n", (long long)full, singular[0] / singular[TERMS - 1], noise_found);
    for (int i = 0; i < TERMS; i++) {
        printf("%8.4f +- %.4f (%g)\n", found[i], noise_found * spread[i], truth[i]);
        if (!(fabs(found[i] - truth[i]) < 4 * noise_found * spread[i]))
            return 1;
    }
    return !(full == TERMS && fabs(noise_found / sigma - 1) < 0.1);
}
