/* SPDX-License-Identifier: BSD-3-Clause
 * k-means: points around four known places, which Lloyd's algorithm finds again from the points alone. */
#include <garray/garray.h>
#include <math.h>

enum { K = 4, EACH = 5000, N = K * EACH, ROUNDS = 10 };

/* The place of each point among the centres: argmin over k of |x|^2 - 2 x . c[k] + |c[k]|^2, where |x|^2 does not count. */
static garray_status nearest(const garray_t *x, const garray_t *centres, garray_t **label)
{
    GARRAY_AUTO garray_t *product = NULL, *square = NULL;
    GARRAY_TRY(garray_vecdot(centres, centres, -1, &square));
    GARRAY_TRY(garray_gemm(x, GARRAY_MT(centres), square, GARRAY_KW(gemm, .alpha = GARRAY_VAL(-2)), &product));
    return garray_argmin(product, GARRAY_AXES(1), NULL, label);
}

/* The mean of the points of each label; a scatter adds all points of a label to one row. */
static garray_status means(const garray_t *x, const garray_t *label, garray_t **centres)
{
    GARRAY_AUTO garray_t *sum = NULL, *count = NULL;
    GARRAY_TRY(garray_zeros(GARRAY_SHAPE(K, 2), GARRAY_FLOAT64, garray_device_of(x), &sum));
    GARRAY_TRY(garray_scatter_add(sum, GARRAY_AT(label), x));
    GARRAY_TRY(garray_bincount(label, GARRAY_KW(bincount, .minlength = K), &count));
    GARRAY_TRY(garray_maximum(count, 1, &count));
    GARRAY_TRY(garray_expand_dims(count, GARRAY_AXES(1), &count));
    return garray_divide(sum, count, centres);
}

/* K points of x to begin with: the first one, then each time the one that is farthest from those chosen. */
static garray_status first_centres(const garray_t *x, garray_t **out)
{
    GARRAY_AUTO garray_t *centres = NULL, *last = NULL, *d = NULL, *distance = NULL, *index = NULL;
    int64_t next = 0;
    GARRAY_TRY(garray_zeros(GARRAY_SHAPE(K, 2), GARRAY_FLOAT64, garray_device_of(x), &centres));
    GARRAY_TRY(garray_full(GARRAY_SHAPE(N), HUGE_VAL, GARRAY_FLOAT64, garray_device_of(x), &distance));
    for (int k = 0; k < K; k++) {
        GARRAY_TRY(garray_getitem(x, GARRAY_AT(next), &last));
        GARRAY_TRY(garray_setitem(centres, GARRAY_AT(k), last));
        GARRAY_TRY(garray_subtract(x, last, &d));
        GARRAY_TRY(garray_vecdot(d, d, -1, &d));
        GARRAY_TRY(garray_minimum(distance, d, &distance));
        GARRAY_TRY(garray_argmax(distance, GARRAY_ALL_AXES, NULL, &index));
        GARRAY_TRY(garray_item(index, &next));
    }
    return garray_move(&centres, out);
}

int main(int argc, char **argv)
{
    static const double places[K][2] = { { 0, 0 }, { 6, 1 }, { -5, 4 }, { 1, -7 } };
    GARRAY_AUTO garray_t *x = NULL, *some = NULL, *centres = NULL, *label = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(5);
    double found[K][2];

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nk-means of %d points.\n", argv[0], N) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(K, EACH, 2), GARRAY_FLOAT64, device, &x));
    for (int k = 0; k < K; k++)
        for (int axis = 0; axis < 2; axis++) {
            GARRAY_CHECK(garray_getitem(x, GARRAY_AT(k, GARRAY_ALL, axis), &some));
            GARRAY_CHECK(garray_add(some, places[k][axis], garray_into(some)));
        }
    GARRAY_CHECK(garray_reshape(x, GARRAY_SHAPE(N, 2), &x));

    GARRAY_CHECK(first_centres(x, &centres));
    for (int i = 0; i < ROUNDS; i++) {
        GARRAY_CHECK(nearest(x, centres, &label));
        GARRAY_CHECK(means(x, label, &centres));
    }
    GARRAY_CHECK(garray_print(centres, GARRAY_KW(print, .precision = GARRAY_VAL(3), .suppress = true)));

    /* The mean of 5000 points is within 1 / sqrt(5000) = 0.014 or so; some are nearer to a neighbouring place. */
    GARRAY_CHECK(garray_to_host(centres, found, NULL, sizeof found));
    for (int k = 0; k < K; k++) {
        double best = HUGE_VAL;
        for (int j = 0; j < K; j++)
            best = fmin(best, hypot(found[j][0] - places[k][0], found[j][1] - places[k][1]));
        if (!(best < 0.1))
            return 1;
    }
    return 0;
}
