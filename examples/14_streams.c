/* SPDX-License-Identifier: BSD-3-Clause
 * Two streams work side by side, a third one is yours; the library keeps them in order by itself. On the CPU streams
 * exist and order nothing, so that the same program runs there. */
#include <garray/garray.h>

enum { N = 400, ROUNDS = 4 };

/* Some work on a stream: the calling thread's current one while the function runs. */
static garray_status work_on(garray_stream *stream, garray_device device, const garray_t *x, garray_t **out)
{
    GARRAY_AUTO garray_t *y = NULL;
    garray_stream *before;
    garray_status status;
    GARRAY_TRY(garray_stream_swap(stream, device, &before));
    status = garray_copy(x, &y);
    for (int i = 0; i < ROUNDS && status == GARRAY_OK; i++)
        status = garray_matmul(x, y, &y);
    if (status == GARRAY_OK)
        status = garray_move(&y, out);
    GARRAY_TRY(garray_stream_swap(before, device, NULL)); /* put back, also after a failure */
    return status;
}

/* The sum of both halves of the work; where the halves are done is the caller's choice. */
static garray_status sum_of_two(garray_stream *first, garray_stream *second, garray_device device, const garray_t *x,
                                garray_t **out)
{
    GARRAY_AUTO garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(work_on(first, device, x, &a));
    GARRAY_TRY(work_on(second, device, x, &b)); /* independent of a: the device may run both at once */
    return garray_add(a, b, out); /* needs both: the current stream waits for the two, the host does not */
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *alone = NULL, *beside = NULL, *in_yours = NULL;
    garray_stream *first, *second, *yours;
    garray_event *start, *end;
    garray_device device;
    garray_rng rng = GARRAY_RNG(1);
    double milliseconds;
    bool same, same_too;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nWork on two streams, and on one of the program's own.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    GARRAY_CHECK(garray_random_uniform(&rng, 0, 2.0 / N, GARRAY_SHAPE(N, N), GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_stream_new(device, &first));
    GARRAY_CHECK(garray_stream_new(device, &second));
    GARRAY_CHECK(garray_event_new(device, &start));
    GARRAY_CHECK(garray_event_new(device, &end));

    GARRAY_CHECK(sum_of_two(NULL, NULL, device, x, &alone)); /* NULL: the library's own stream */
    GARRAY_CHECK(garray_event_record(start, NULL));
    GARRAY_CHECK(sum_of_two(first, second, device, x, &beside));
    GARRAY_CHECK(garray_event_record(end, NULL)); /* behind the sum, which came behind both streams */
    GARRAY_CHECK(garray_event_elapsed(start, end, &milliseconds));
    printf("%d products on two streams: %.3f ms\n", 2 * ROUNDS, milliseconds);

    /* A stream of yours, any cudaStream_t. Here it is the one that CUDA gives each thread. */
    GARRAY_CHECK(garray_stream_wrap(device, GARRAY_STREAM_PER_THREAD, &yours));
    GARRAY_CHECK(sum_of_two(yours, first, device, x, &in_yours));
    GARRAY_CHECK(garray_stream_synchronize(yours));

    GARRAY_CHECK(garray_allclose(alone, beside, NULL, &same)); /* waits for what it reads */
    GARRAY_CHECK(garray_allclose(alone, in_yours, NULL, &same_too));
    printf("the same results: %s\n", same && same_too ? "yes" : "no");
    garray_event_free(start);
    garray_event_free(end);
    garray_stream_free(yours); /* lets go of it; it still is yours */
    garray_stream_free(first);
    garray_stream_free(second);
    return !(same && same_too);
}
