/* SPDX-License-Identifier: BSD-3-Clause
 * A step of a simulation recorded once and launched many times: particles that diffuse towards a place. The rate of their
 * drift changes on the way, and each launch draws new random numbers. The same program runs on the CPU. */
#include <garray/garray.h>

enum { N = 1000, STEPS = 2000, RATE = 0 };

/* x += rate * (2 - x) + 0.05 * noise; written into x, so that the next step goes on from there. */
static garray_status step(garray_rng *rng, double rate, garray_device device, garray_t *x)
{
    GARRAY_AUTO garray_t *noise = NULL, *drift = NULL;
    GARRAY_TRY(garray_random_normal(rng, 0, 0.05, GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &noise));
    GARRAY_TRY(garray_subtract(2, x, &drift));
    GARRAY_TRY(garray_multiply(drift, garray_graph_parameter(RATE, rate), &drift));
    GARRAY_TRY(garray_add(drift, noise, &drift));
    return garray_add(x, drift, garray_into(x));
}

static double mean_of(const garray_t *x)
{
    GARRAY_AUTO garray_t *mean = NULL;
    double value = 0;
    if (garray_mean(x, GARRAY_ALL_AXES, NULL, &mean) != GARRAY_OK || garray_item(mean, &value) != GARRAY_OK)
        return -1;
    return value;
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL;
    garray_graph *graph = NULL;
    garray_device device;
    garray_rng rng = GARRAY_RNG(1), again = GARRAY_RNG(1);
    bool equal;
    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nA step with random draws, launched as a graph.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "auto", &device));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(N), GARRAY_FLOAT64, device, &y));

    GARRAY_CHECK(garray_capture_begin(device));
    GARRAY_CHECK(step(&rng, 0.001, device, x)); /* recorded, not run */
    GARRAY_CHECK(garray_capture_end(&graph));
    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS / 2)
            GARRAY_CHECK(garray_graph_set(graph, RATE, 0.01)); /* for the launches to come */
        GARRAY_CHECK(garray_graph_launch(graph, NULL));
    }
    GARRAY_CHECK(garray_graph_tell(graph, &rng)); /* where the draws have come to */
    garray_graph_free(graph);

    for (int i = 0; i < STEPS; i++) /* the same, by calls */
        GARRAY_CHECK(step(&again, i < STEPS / 2 ? 0.001 : 0.01, device, y));
    GARRAY_CHECK(garray_array_equal(x, y, false, &equal));
    printf("the mean is %.2f after %d launches, which gave %s\n", mean_of(x), STEPS,
           equal ? "what as many calls give" : "something else than calls do");
    return !(equal && rng.position == again.position && mean_of(x) > 1.9);
}
