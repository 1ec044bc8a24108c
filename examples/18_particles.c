/* SPDX-License-Identifier: BSD-3-Clause
 * Particles that attract each other: all pairs at once by broadcasting, leapfrog steps in time. Nothing from outside acts
 * on them, so energy and momentum must stay. */
#include <math.h>
#include "picture.h"

enum { N = 200, STEPS = 100 };
static const double dt = 1e-3, soft = 0.05; /* the softening keeps close pairs finite */

/* d = x[None, :] - x[:, None], (N, N, 2), and r2 = (d * d).sum(-1) + soft^2 */
static garray_status pairs(const garray_t *x, garray_t **d, garray_t **r2)
{
    GARRAY_AUTO garray_t *row = NULL, *column = NULL, *square = NULL;
    GARRAY_TRY(garray_getitem(x, GARRAY_AT(GARRAY_NEWAXIS), &row));
    GARRAY_TRY(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_NEWAXIS), &column));
    GARRAY_TRY(garray_subtract(row, column, d));
    GARRAY_TRY(garray_square(*d, &square));
    GARRAY_TRY(garray_sum(square, GARRAY_AXES(-1), NULL, r2));
    return garray_add(*r2, soft * soft, r2);
}

/* The pull of all others on each: (d / r^3).sum(1) / N */
static garray_status acceleration(const garray_t *x, garray_t **out)
{
    GARRAY_AUTO garray_t *d = NULL, *r2 = NULL, *a = NULL;
    GARRAY_TRY(pairs(x, &d, &r2));
    GARRAY_TRY(garray_pow(r2, -1.5, &r2));
    GARRAY_TRY(garray_einsum("ijk,ij->ik", GARRAY_LIST(d, r2), &a));
    return garray_divide(a, N, out);
}

static garray_status energy(const garray_t *x, const garray_t *v, double *value)
{
    GARRAY_AUTO garray_t *d = NULL, *r2 = NULL, *potential = NULL, *kinetic = NULL;
    double bound, moving;
    GARRAY_TRY(pairs(x, &d, &r2));
    GARRAY_TRY(garray_pow(r2, -0.5, &r2));
    GARRAY_TRY(garray_sum(r2, GARRAY_ALL_AXES, NULL, &potential));
    GARRAY_TRY(garray_item(potential, &bound));
    GARRAY_TRY(garray_vdot(v, v, &kinetic));
    GARRAY_TRY(garray_item(kinetic, &moving));
    *value = moving / 2 / N - (bound - N / soft) / 2 / N / N; /* without the pairs (i, i), each pair once */
    return GARRAY_OK;
}

/* x += by * v */
static garray_status move(garray_t **x, const garray_t *v, double by)
{
    GARRAY_AUTO garray_t *way = NULL;
    GARRAY_TRY(garray_multiply(v, by, &way));
    return garray_add(*x, way, x);
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *v = NULL, *a = NULL, *mean = NULL, *largest = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(11);
    double before, after, momentum;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto] [PICTURE.pgm]\nParticles under gravity.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(N, 2), GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_random_normal(&rng, 0, 0.3, GARRAY_SHAPE(N, 2), GARRAY_FLOAT64, device, &v));
    GARRAY_CHECK(garray_mean(v, GARRAY_AXES(0), NULL, &mean));
    GARRAY_CHECK(garray_subtract(v, mean, &v)); /* at rest as a whole */

    GARRAY_CHECK(energy(x, v, &before));
    GARRAY_CHECK(acceleration(x, &a));
    for (int i = 0; i < STEPS; i++) {
        GARRAY_CHECK(move(&v, a, dt / 2));
        GARRAY_CHECK(move(&x, v, dt));
        GARRAY_CHECK(acceleration(x, &a));
        GARRAY_CHECK(move(&v, a, dt / 2));
    }
    GARRAY_CHECK(energy(x, v, &after));
    GARRAY_CHECK(garray_mean(v, GARRAY_AXES(0), NULL, &mean));
    GARRAY_CHECK(garray_abs(mean, &mean));
    GARRAY_CHECK(garray_max(mean, GARRAY_ALL_AXES, NULL, &largest));
    GARRAY_CHECK(garray_item(largest, &momentum));
    printf("energy %.6f, after %d steps %.6f; momentum %.1e\n", before, STEPS, after, momentum);

    if (argc > 2) { /* how many particles are where */
        GARRAY_AUTO garray_t *px = NULL, *py = NULL, *density = NULL;
        GARRAY_CHECK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, 0), &px));
        GARRAY_CHECK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, 1), &py));
        GARRAY_CHECK(garray_histogram2d(py, px, 128, 128, NULL, &density, NULL, NULL));
        GARRAY_CHECK(save_picture(argv[2], density));
    }
    return !(fabs(after - before) < 1e-4 * fabs(before) && momentum < 1e-12);
}
