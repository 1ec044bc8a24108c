/* SPDX-License-Identifier: BSD-3-Clause
 * Memory under the program's control: an allocator of its own for the CPU's arrays, and on the chosen device a log of
 * every buffer, statistics and a limit. 16_cuda.cu has an allocator of GPU memory. */
#include <garray/garray.h>
#include <stdlib.h>

/* A budget that never gives more than it has. One thread uses it here; with several it would need a lock. */
struct budget {
    size_t left, most_taken, total;
    int calls;
};

static void *take(size_t size, garray_device device, void *stream, void *ctx)
{
    struct budget *b = (struct budget *)ctx;
    (void)device;
    (void)stream; /* NULL on the CPU; on a GPU the memory is for work on this stream */
    if (size > b->left)
        return NULL; /* the call that asked fails with NOMEM, and leaves everything as it was */
    b->left -= size;
    b->calls++;
    if (b->total - b->left > b->most_taken)
        b->most_taken = b->total - b->left;
    return aligned_alloc(256, (size + 255) / 256 * 256);
}

static void put_back(void *ptr, size_t size, garray_device device, void *stream, void *ctx)
{
    (void)device;
    (void)stream;
    ((struct budget *)ctx)->left += size;
    free(ptr);
}

static void count(void *ctx, const garray_memory_event *event)
{
    ((int *)ctx)[event->kind == GARRAY_MEMORY_FREED]++;
}

int main(int argc, char **argv)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL;
    struct budget budget = { 1 << 20, 0, 1 << 20, 0 };
    garray_allocator own;
    garray_memory_info info;
    garray_device device;
    int seen[2] = { 0, 0 };

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto]\nAn allocator of its own, a log and a limit.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));

    memset((void *)&own, 0, sizeof own);
    own.kind = GARRAY_ALLOCATOR_USER;
    own.alloc = take;
    own.free = put_back;
    own.ctx = &budget;
    GARRAY_CHECK(garray_memory_set_allocator(GARRAY_CPU, &own)); /* before the first array there */
    GARRAY_CHECK(garray_ones(GARRAY_SHAPE(300, 300), GARRAY_FLOAT64, GARRAY_CPU, &x)); /* 720,000 of 1,048,576 bytes */
    garray_status status = garray_add(x, 1, &y);
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    if (status != GARRAY_ERR_NOMEM || y || budget.calls < 1)
        return 1;
    GARRAY_CHECK(garray_add(x, 1, garray_into(x))); /* in place there is room */
    garray_release(x);
    x = NULL;
    printf("the program gave %zu bytes at most, %zu are out\n", budget.most_taken, budget.total - budget.left);
    if (budget.left != budget.total)
        return 1;
    GARRAY_CHECK(garray_memory_set_allocator(GARRAY_CPU, NULL)); /* the library's pool again */

    /* The log and the limit work with every allocator. */
    GARRAY_CHECK(garray_memory_set_log(device, count, seen));
    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(1000, 1000), GARRAY_FLOAT64, device, &x));
    GARRAY_CHECK(garray_memory_stats(device, &info));
    GARRAY_CHECK(garray_memory_set_limit(device, info.live_bytes + info.cached_bytes));
    status = garray_zeros(GARRAY_SHAPE(info.live_bytes + info.cached_bytes), GARRAY_FLOAT64, device, &y); /* 8 times that */
    printf("%s: %s\n", garray_status_name(status), garray_error_message());
    if (status != GARRAY_ERR_NOMEM && status != GARRAY_ERR_DEVICE_NOMEM)
        return 1;
    GARRAY_CHECK(garray_memory_set_limit(device, 0));
    garray_release(x);
    x = NULL;
    GARRAY_CHECK(garray_memory_set_log(device, NULL, NULL));
    printf("%d buffers went out, %d came back\n", seen[0], seen[1]);
    return seen[0] < 1 || seen[0] != seen[1];
}
