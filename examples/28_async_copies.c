/* SPDX-License-Identifier: BSD-3-Clause
 * More data than one wants on the device at once goes through block by block. Two lanes take turns: while the device works on
 * one lane's block, the host fills the other one, and copies both ways run beside the work. On the CPU each call is done when
 * it returns, and the same program runs. */
#include <garray/garray.h>

enum { BLOCK = 1 << 16, BLOCKS = 12, LANES = 2 };

struct lane {
    garray_stream *stream;
    garray_event *done; /* behind the copy that brings the results */
    garray_t *room;     /* pinned memory: a block goes out of it, and its results come back */
    float *block;
};

static garray_status open_lane(struct lane *lane, garray_device device)
{
    void *data;
    GARRAY_TRY(garray_stream_new(device, &lane->stream));
    GARRAY_TRY(garray_event_new(device, &lane->done));
    GARRAY_TRY(garray_empty_pinned(GARRAY_SHAPE(BLOCK), GARRAY_FLOAT32, device, &lane->room));
    GARRAY_TRY(garray_begin(lane->room, GARRAY_READ | GARRAY_WRITE, NULL, &data));
    lane->block = (float *)data;
    return GARRAY_OK;
}

static garray_status close_lane(struct lane *lane)
{
    GARRAY_TRY(garray_end(lane->room, NULL));
    garray_release(lane->room);
    garray_event_free(lane->done);
    garray_stream_free(lane->stream);
    return GARRAY_OK;
}

/* Enqueues a lane's block: there, 2 x + 1, and back. Nothing here waits. */
static garray_status start(struct lane *lane, garray_device device)
{
    GARRAY_AUTO garray_t *x = NULL;
    garray_stream *before;
    garray_status status;
    GARRAY_TRY(garray_stream_swap(lane->stream, device, &before));
    status = garray_from_host_async(lane->block, GARRAY_FLOAT32, GARRAY_SHAPE(BLOCK), NULL, device, NULL, &x);
    if (status == GARRAY_OK)
        status = garray_multiply(x, 2, &x);
    if (status == GARRAY_OK)
        status = garray_add(x, 1, &x);
    if (status == GARRAY_OK)
        status = garray_to_host_async(x, lane->block, NULL, BLOCK * sizeof(float), lane->done);
    GARRAY_TRY(garray_stream_swap(before, device, NULL));
    return status; /* x goes here: its memory is not used again before the copy is over */
}

int main(int argc, char **argv)
{
    struct lane lane[LANES];
    garray_device device;
    double sum = 0, expected = 0;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nBlocks of data through a device, copies beside the work.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    for (int i = 0; i < LANES; i++)
        GARRAY_CHECK(open_lane(&lane[i], device));

    for (int i = 0; i < BLOCKS + LANES; i++) {
        struct lane *l = &lane[i % LANES];
        GARRAY_CHECK(garray_event_synchronize(l->done)); /* at once for an event that was never recorded */
        for (int k = 0; k < BLOCK && i >= LANES; k++)    /* the results of the block before last */
            sum += l->block[k];
        if (i >= BLOCKS)
            continue;
        for (int k = 0; k < BLOCK; k++) {
            l->block[k] = (float)((i * 7 + k) % 1000);
            expected += 2 * l->block[k] + 1;
        }
        GARRAY_CHECK(start(l, device));
    }
    for (int i = 0; i < LANES; i++)
        GARRAY_CHECK(close_lane(&lane[i]));
    printf("%d blocks of %d numbers: %.0f, %s\n", BLOCKS, BLOCK, sum, sum == expected ? "as it should be" : "which is wrong");
    return sum != expected;
}
