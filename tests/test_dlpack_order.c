/* SPDX-License-Identifier: BSD-3-Clause
 * DLPack across streams, on the backend without a device: memory goes out to a consumer's stream, is changed there,
 * comes back, and is freed while work on it is still queued. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include "core/array.h"
#include "core/dlpack_abi.h"
#include "core/pool.h"
#include "core/stream.h"
#include "core/submit.h"
#include "garray/array_interface.h"
#include "garray/dlpack.h"
#include "fake_backend.h"

enum { SIZE = 64 };

static garray__device *device;
static void *foreign;               /* the other library's stream */
static uint8_t *memory;             /* and SIZE bytes of its memory on the device */

static void open_device(uint64_t seed, int haste)
{
    garray__device *cpu;
    fake_reset(seed);
    fake.haste = haste;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    cr_assert(garray__self || garray__thread_new());
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    cr_assert_eq(garray__device_new(fake_backend(&garray__host), 0, &device), GARRAY_OK);
    atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], device);
    foreign = fake_native_stream();
    void *data;
    cr_assert_eq(device->backend->alloc(device->handle, SIZE, &data), GARRAY_OK);
    memory = data;
}

static void close_device(void)
{
    fake_native_stream_free(foreign);
    device->backend->free(device->handle, memory, SIZE);
    atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], NULL);
    garray__device_free(device);
}

static void fill(garray__buffer *buffer, uint8_t byte)
{
    garray__uses uses = { .device = device, .nwrite = 1, .write = { buffer } };
    static _Thread_local garray_ew_plan plan;
    plan.count = SIZE;
    plan.operand[0].data = buffer->data;
    plan.operand[1].bits[0] = byte;
    cr_assert_eq(garray__submit(GARRAY__CONVERT, &plan, &uses), GARRAY_OK, "%s", garray_error_message());
}

static void check(garray__buffer *buffer, uint8_t byte)
{
    garray__uses uses = { .device = device, .nread = 1, .read = { buffer } };
    garray_reduce_plan plan = { .op = GARRAY_RED_SUM, .in = buffer->data, .red_count = SIZE, .initial = { byte } };
    cr_assert_eq(garray__submit(GARRAY__REDUCE, &plan, &uses), GARRAY_OK, "%s", garray_error_message());
}

/* What the other library does with the memory on its stream: sees `before`, writes `after`. */
static void use_elsewhere(const garray__queue *queue, void *data, uint8_t before, uint8_t after)
{
    garray_reduce_plan look = { .op = GARRAY_RED_SUM, .in = data, .red_count = SIZE, .initial = { before } };
    garray_copy_plan copy = { .kind = GARRAY_COPY_ON_DEVICE, .dst = data, .size = SIZE };
    static uint8_t source[256][SIZE];
    for (int i = 0; i < SIZE; i++)
        source[after][i] = after;
    copy.src = source[after];
    cr_assert_eq(device->backend->reduce(queue, &look), GARRAY_OK);
    cr_assert_eq(device->backend->copy(queue, &copy), GARRAY_OK);
}

/* One round: ours writes, the other reads and writes, ours reads, all is given back at once. */
static void round_trip(uint64_t random, garray__stream *other)
{
    const int64_t shape[] = { SIZE };
    garray_t *x = NULL, *y = NULL;
    struct DLManagedTensorVersioned *tensor = NULL;
    bool elsewhere = random & 1;
    garray_dlpack_opts opts = { .has_stream = elsewhere, .stream = foreign };
    garray__queue queue = *garray__queue_current(device);
    uint8_t first = (uint8_t)(random >> 8), second = (uint8_t)(first + 1);
    if (elsewhere)
        queue.stream = foreign;
    cr_assert_eq(garray__new(GARRAY_UINT8, 1, shape, device, &x), GARRAY_OK);
    if (random & 2)
        garray__self->current[GARRAY_DEVICE_CUDA][0] = other;
    fill(x->buffer, first);
    if (random & 4)
        garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    if (elsewhere)
        check(x->buffer, first);
    else                            /* no wait of ours before the export */
        queue = *garray__queue_current(device);
    cr_assert_eq(garray_to_dlpack(x, &opts, &tensor), GARRAY_OK, "%s", garray_error_message());
    use_elsewhere(&queue, tensor->dl_tensor.data, first, second);
    garray_release(x);
    cr_assert_eq(garray_from_dlpack(tensor, &opts, &y), GARRAY_OK, "%s", garray_error_message());
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 8 ? other : NULL;
    check(y->buffer, second);
    garray_release(y);              /* the last owner: the memory must wait for the work above */
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
}

/* As above, but the other side lets go at once, with its work still queued: on the legacy default stream, or on ours. What
 * takes the memory next must wait for it. */
static void let_go(uint64_t random, garray__stream *other)
{
    const int64_t shape[] = { SIZE };
    garray_t *x = NULL, *y = NULL;
    struct DLManagedTensorVersioned *tensor = NULL;
    bool legacy = random & 1;
    garray_dlpack_opts opts = { .has_stream = legacy, .stream = random & 16 ? NULL : GARRAY_STREAM_LEGACY };
    uint8_t first = (uint8_t)(random >> 8), second = (uint8_t)(first + 1), third = (uint8_t)(first + 2);
    cr_assert_eq(garray__new(GARRAY_UINT8, 1, shape, device, &x), GARRAY_OK);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 2 ? other : NULL;
    fill(x->buffer, first);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 4 ? other : NULL;
    garray__queue queue = *garray__queue_current(device);
    if (legacy)
        queue.stream = opts.stream;
    cr_assert_eq(garray_to_dlpack(x, &opts, &tensor), GARRAY_OK, "%s", garray_error_message());
    use_elsewhere(&queue, tensor->dl_tensor.data, first, second);
    garray_release(x);
    tensor->deleter(tensor);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 8 ? other : NULL;
    cr_assert_eq(garray__new(GARRAY_UINT8, 1, shape, device, &y), GARRAY_OK);
    fill(y->buffer, third);
    check(y->buffer, third);
    garray_release(y);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
}

/* By the array interface: the other stream waits for the one in the fields, ours for the other one. */
static void show(uint64_t random, garray__stream *other)
{
    const int64_t shape[] = { SIZE };
    garray_t *x = NULL, *y = NULL;
    garray_array_interface fields;
    void *event = NULL;
    uint8_t first = (uint8_t)(random >> 8), second = (uint8_t)(first + 1);
    cr_assert_eq(garray__new(GARRAY_UINT8, 1, shape, device, &x), GARRAY_OK);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 2 ? other : NULL;
    fill(x->buffer, first);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 4 ? other : NULL;
    cr_assert_eq(garray_to_array_interface(x, &fields), GARRAY_OK, "%s", garray_error_message());
    garray__queue queue = *garray__queue_current(device);
    cr_assert_eq(fields.stream, queue.stream);
    cr_assert_eq(device->backend->event_new(device->handle, false, &event), GARRAY_OK);
    cr_assert_eq(device->backend->event_record(&queue, event), GARRAY_OK);
    queue.stream = foreign;
    cr_assert_eq(device->backend->event_wait(&queue, event), GARRAY_OK);
    device->backend->event_free(device->handle, event);
    use_elsewhere(&queue, fields.data, first, second);
    fields.stream = foreign;
    cr_assert_eq(garray_from_array_interface(&fields, NULL, NULL, &y), GARRAY_OK, "%s", garray_error_message());
    garray__self->current[GARRAY_DEVICE_CUDA][0] = random & 8 ? other : NULL;
    check(y->buffer, second);
    cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK);
    garray_release(y);
    garray_release(x);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
}

Test(dlpack_order, random_programs)
{
    uint64_t random = 1;
    for (int seed = 1; seed <= 3000; seed++) {
        garray__stream *other;
        open_device((uint64_t)seed, seed % 4);
        cr_assert_eq(garray__stream_open(device, false, NULL, &other), GARRAY_OK);
        for (int i = 0; i < 6; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            round_trip(random >> 20, other);
            let_go(random >> 30, other);
            if (i % 3 == 0)
                show(random >> 40, other);
        }
        cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK, "%s", garray_error_message());
        fake_drain();
        cr_assert_eq(fake.wrong_bytes, 0, "seed %d: %d wrong bytes", seed, (int)fake.wrong_bytes);
        cr_assert_eq(fake.early_frees, 0, "seed %d: memory freed while in use", seed);
        garray_memory_info info;
        cr_assert_eq(garray_memory_stats(GARRAY_CUDA(0), &info), GARRAY_OK);
        cr_assert_eq(info.live_blocks, 0, "seed %d: %d buffers are left", seed, (int)info.live_blocks);
        garray__stream_close(other);
        close_device();
    }
}

static int deleted;
static void *touched;
static void delete_tensor(struct DLManagedTensorVersioned *self)
{
    deleted++;
    cr_assert_not(fake_touches(touched, SIZE), "deleted while work on the memory is queued");
    cr_assert_eq(self->major, 1);
}

/* Threads that hand tensors to each other: any of them deletes, or takes in, what another one made. */
enum { THREADS = 4, ROUNDS = 400 };
static struct DLManagedTensorVersioned *_Atomic handed[2];
static _Atomic int faults;

static void *hand_over(void *ctx)
{
    const int64_t shape[] = { SIZE };
    uint64_t random = (uint64_t)(uintptr_t)ctx;
    garray_t *x = NULL;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct DLManagedTensorVersioned *tensor = NULL;
        garray_dlpack_opts opts = { .has_stream = random >> 40 & 1 };
        garray_t *y = NULL;
        if (i % 3 == 0) {
            garray_release(x);
            x = NULL;
            faults += garray__new(GARRAY_UINT8, 1, shape, device, &x) != GARRAY_OK;
            fill(x->buffer, (uint8_t)i);
        }
        faults += garray_to_dlpack(x, &opts, &tensor) != GARRAY_OK;
        tensor = atomic_exchange(&handed[random >> 50 & 1], tensor);
        if (tensor && random >> 60 & 1)
            faults += garray_from_dlpack(tensor, &opts, &y) != GARRAY_OK;
        else if (tensor)
            tensor->deleter(tensor);
        garray_release(y);
    }
    garray_release(x);
    return NULL;
}

Test(dlpack_order, many_threads)
{
    pthread_t thread[THREADS];
    garray_memory_info info;
    open_device(5, 2);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, hand_over, (void *)(uintptr_t)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        struct DLManagedTensorVersioned *left = atomic_exchange(&handed[i], NULL);
        if (left)
            left->deleter(left);
    }
    cr_assert_eq(faults, 0);
    cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK, "%s", garray_error_message());
    fake_drain();
    cr_assert_eq(fake.early_frees, 0);
    cr_assert_eq(garray_memory_stats(GARRAY_CUDA(0), &info), GARRAY_OK);
    cr_assert_eq(info.live_blocks, 0, "%d buffers are left", (int)info.live_blocks);
    close_device();
}

/* With the standard's -1 nobody waits, and nobody touches a stream of that number. */
Test(dlpack_order, no_wait)
{
    const int64_t shape[] = { SIZE };
    garray_t *x = NULL, *y = NULL;
    struct DLManagedTensorVersioned *tensor = NULL;
    garray_dlpack_opts opts = { .has_stream = 1, .stream = GARRAY_STREAM_NO_WAIT };
    open_device(3, 0);
    cr_assert_eq(garray__new(GARRAY_UINT8, 1, shape, device, &x), GARRAY_OK);
    fill(x->buffer, 5);
    int64_t waits = fake.event_waits, records = fake.event_records;
    cr_assert_eq(garray_to_dlpack(x, &opts, &tensor), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_from_dlpack(tensor, &opts, &y), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(fake.event_waits, waits);
    cr_assert_eq(fake.event_records, records);
    garray_release(x);
    garray_release(y);
    cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK);
    close_device();
}

Test(dlpack_order, deleters_wait_for_queued_work)
{
    int64_t shape[] = { SIZE };
    struct DLManagedTensorVersioned t = {
        .major = 1, .deleter = delete_tensor,
        .dl_tensor = { .device_type = GARRAY__DL_CUDA, .ndim = 1, .code = GARRAY__DL_UINT, .bits = 8,
                       .lanes = 1, .shape = shape }
    };
    garray_t *x = NULL;
    open_device(7, 0);
    t.dl_tensor.data = touched = memory;
    cr_assert_eq(garray_from_dlpack(&t, NULL, &x), GARRAY_OK, "%s", garray_error_message());
    fill(x->buffer, 3);
    garray_release(x);
    cr_assert_eq(deleted, 0);
    cr_assert(fake_touches(memory, SIZE), "releasing waits for the device");
    cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK);
    cr_assert_eq(deleted, 1);
    cr_assert_eq(memory[SIZE - 1], 3);
    close_device();
}

/* Every call of the backend fails once: the tensor is deleted once or stays the caller's, and nothing is left. */
Test(dlpack_order, faults)
{
    int64_t shape[] = { SIZE };
    for (int64_t k = 1, more = 1; more; k++) {
        struct DLManagedTensorVersioned t = {
            .major = 1, .deleter = delete_tensor,
            .dl_tensor = { .device_type = GARRAY__DL_CUDA, .ndim = 1, .code = GARRAY__DL_UINT, .bits = 8,
                           .lanes = 1, .shape = shape }
        };
        struct DLManagedTensorVersioned *out = NULL;
        garray_dlpack_opts opts = { .has_stream = 1 };
        garray_t *x = NULL;
        open_device(9, 1);
        opts.stream = foreign;
        t.dl_tensor.data = touched = memory;
        deleted = 0;
        int64_t before = fake.failed;
        fake.fail_at = fake.calls + k;
        garray_status st = garray_from_dlpack(&t, &opts, &x), exported = GARRAY_ERR_INVALID;
        if (st == GARRAY_OK)
            exported = garray_to_dlpack(x, &opts, &out);
        more = fake.failed > before;
        fake.fail_at = 0;
        cr_assert_eq(exported == GARRAY_OK, out != NULL);
        if (out)
            out->deleter(out);
        garray_release(x);
        cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK);
        cr_assert_eq(deleted, st == GARRAY_OK, "call %d: deleted %d times", (int)k, deleted);
        close_device();
    }
}
