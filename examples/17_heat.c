/* SPDX-License-Identifier: BSD-3-Clause
 * The heat equation on a square plate with cold edges: in each step every point moves towards the mean of its four
 * neighbours. Sines keep their shape and fade by a known factor each, which is how the result is checked. A step is many
 * small calls, so it is recorded once, as a graph, and launched again and again. */
#include <math.h>
#include "picture.h"

enum { N = 101, STEPS = 400 }; /* points along each side, edges included */
static const double rate = 0.2, pi = 3.14159265358979323846;

/* amplitude * sin(p pi y) * sin(q pi x) over the plate */
static garray_status wave(double amplitude, int p, int q, garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL, *y = NULL, *x = NULL;
    GARRAY_TRY(garray_linspace(0, pi, N, NULL, device, &t));
    GARRAY_TRY(garray_multiply(t, p, &y));
    GARRAY_TRY(garray_sin(y, &y));
    GARRAY_TRY(garray_multiply(t, q, &x));
    GARRAY_TRY(garray_sin(x, &x));
    GARRAY_TRY(garray_multiply(y, amplitude, &y));
    return garray_outer(y, x, out);
}

/* What one step leaves of such a wave. */
static double fading(int p, int q)
{
    double a = sin(p * pi / 2 / (N - 1)), b = sin(q * pi / 2 / (N - 1));
    return 1 - 4 * rate * (a * a + b * b);
}

/* The inner points and their neighbours, all views of one plate. */
struct views {
    garray_t *inner, *north, *south, *west, *east;
};

/* inner += rate * (north + south + west + east - 4 * inner), in one buffer for all steps */
static garray_status step(const struct views *v, garray_t **sum)
{
    GARRAY_TRY(garray_add(v->north, v->south, sum));
    GARRAY_TRY(garray_add(*sum, v->west, sum));
    GARRAY_TRY(garray_add(*sum, v->east, sum));
    GARRAY_TRY(garray_multiply(*sum, rate, sum));
    GARRAY_TRY(garray_multiply(v->inner, 1 - 4 * rate, garray_into(v->inner)));
    return garray_add(v->inner, *sum, garray_into(v->inner));
}

/* A step as a graph: the calls are recorded and not run. Each launch works on what the plate holds then. */
static garray_status record(const struct views *v, garray_device device, garray_graph **graph)
{
    GARRAY_AUTO garray_t *sum = NULL;
    GARRAY_TRY(garray_capture_begin(device));
    garray_status called = step(v, &sum);
    GARRAY_TRY(garray_capture_end(graph)); /* in any case; the error of a call that could not be recorded, too */
    return called;
}

int main(int argc, char **argv)
{
    garray_graph *graph;
    GARRAY_AUTO garray_t *plate = NULL, *other = NULL, *expected = NULL, *worst = NULL;
    GARRAY_AUTO garray_t *inner = NULL, *north = NULL, *south = NULL, *west = NULL, *east = NULL;
    garray_device device;
    double error;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto] [PICTURE.pgm]\nThe heat equation.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(wave(1, 1, 1, device, &plate));
    GARRAY_CHECK(wave(0.5, 3, 2, device, &other));
    GARRAY_CHECK(garray_add(plate, other, &plate));
    GARRAY_CHECK(garray_getitem(plate, GARRAY_AT(GARRAY_RANGE(1, -1), GARRAY_RANGE(1, -1)), &inner));
    GARRAY_CHECK(garray_getitem(plate, GARRAY_AT(GARRAY_TO(-2), GARRAY_RANGE(1, -1)), &north));
    GARRAY_CHECK(garray_getitem(plate, GARRAY_AT(GARRAY_FROM(2), GARRAY_RANGE(1, -1)), &south));
    GARRAY_CHECK(garray_getitem(plate, GARRAY_AT(GARRAY_RANGE(1, -1), GARRAY_TO(-2)), &west));
    GARRAY_CHECK(garray_getitem(plate, GARRAY_AT(GARRAY_RANGE(1, -1), GARRAY_FROM(2)), &east));

    const struct views views = { inner, north, south, west, east };
    GARRAY_CHECK(record(&views, device, &graph));
    for (int i = 0; i < STEPS; i++)
        GARRAY_CHECK(garray_graph_launch(graph, NULL));

    GARRAY_CHECK(wave(pow(fading(1, 1), STEPS), 1, 1, device, &expected));
    GARRAY_CHECK(wave(0.5 * pow(fading(3, 2), STEPS), 3, 2, device, &other));
    GARRAY_CHECK(garray_add(expected, other, &expected));
    GARRAY_CHECK(garray_subtract(plate, expected, &expected));
    GARRAY_CHECK(garray_abs(expected, &expected));
    GARRAY_CHECK(garray_max(expected, GARRAY_ALL_AXES, NULL, &worst));
    GARRAY_CHECK(garray_item(worst, &error));
    garray_graph_free(graph);
    printf("%d steps on %d x %d points; the largest error is %.1e\n", STEPS, N, N, error);
    if (argc > 2)
        GARRAY_CHECK(save_picture(argv[2], plate));
    return !(error < 1e-12);
}
