/* SPDX-License-Identifier: BSD-3-Clause
 * Uses each part of the library that keeps something for later, and gives it all back, twice: see tools/leak-check. */
#include <garray/garray.h>
#include <pthread.h>
#include <string.h>

static void *in_a_thread(void *device)
{
    GARRAY_AUTO garray_t *x = NULL;
    return garray_ones(GARRAY_SHAPE(10), GARRAY_FLOAT32, *(garray_device *)device, &x) == GARRAY_OK ? device : NULL;
}

static garray_status use(garray_device device)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL, *z = NULL, *pinned = NULL;
    garray_rng rng = GARRAY_RNG(1);
    garray_stream *stream = NULL;
    garray_event *event = NULL;
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(60, 60), GARRAY_FLOAT64, device, &x));
    GARRAY_TRY(garray_stream_new(device, &stream));
    GARRAY_TRY(garray_event_new(device, &event));
    GARRAY_TRY(garray_stream_swap(stream, device, NULL));
    GARRAY_TRY(garray_matmul(x, x, &y));
    GARRAY_TRY(garray_linalg_solve(x, y, &z));
    GARRAY_TRY(garray_event_record(event, NULL));
    GARRAY_TRY(garray_fft_fft(x, -1, NULL, &z));
    GARRAY_TRY(garray_sort(x, -1, NULL, &z));
    GARRAY_TRY(garray_stream_swap(NULL, device, NULL));
    GARRAY_TRY(garray_sum(z, GARRAY_ALL_AXES, NULL, &y));
    GARRAY_TRY(garray_empty_pinned(GARRAY_SHAPE(100000), GARRAY_FLOAT32, device, &pinned));
    GARRAY_TRY(garray_to_device(z, GARRAY_CPU, &y));
    GARRAY_TRY(garray_exp(y, &y));
    /* in use: refused, and nothing is closed */
    if (garray_shutdown() != GARRAY_ERR_INVALID || !strstr(garray_error_message(), "in use"))
        return GARRAY_ERR_INTERNAL;
    garray_stream_free(stream);
    garray_event_free(event);
    return garray_synchronize(device);
}

int main(int argc, char **argv)
{
    garray_device device;
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        void *worked = NULL;
        GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
        GARRAY_CHECK(use(device));
        if (pthread_create(&thread, NULL, in_a_thread, &device) != 0)
            return 1;
        pthread_join(thread, &worked);
        if (!worked)
            return 1;
        GARRAY_CHECK(garray_shutdown());
        GARRAY_CHECK(garray_shutdown());
    }
    return 0;
}
