/* SPDX-License-Identifier: BSD-3-Clause
 * What tests of copies across the bus share: a device that is there in any case, the ways a copy can take, and host memory
 * with room around and between the elements. */
#ifndef GARRAY_TESTS_TRANSFER_H
#define GARRAY_TESTS_TRANSFER_H

#include "core/device.h"
#include "core/staging.h"
#include "fake_backend.h"
#include "files.h"
#include "test.h"

/* Where there is no GPU under test, the backend without a device takes its place: a slot that is used again too early
 * shows there. */
static inline void open_device(void)
{
    garray__device *device, *cpu;
    const char *name = getenv("GARRAY_TEST_DEVICE");
    test_make_directory();
    if (name && strncmp(name, "cuda", 4) == 0)
        return;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);      /* runs the plans: must be there before */
    fake_reset(7);
    fake_run_plans(&fake_plans);
    fake.garbage = true;
    fake.memory = (size_t)1 << 30;
    cr_assert_eq(garray__device_new(fake_backend(&garray__host), 0, &device), GARRAY_OK);
    atomic_store(&garray__devices[GARRAY_DEVICE_CUDA][0], device);
    setenv("GARRAY_TEST_DEVICE", "cuda", 1);
}

/* Small slots and large ones, few and none, and the way that is taken without a setting. */
static const garray__stage_settings settings[] = {
    { 4 << 20, 4, 256 << 10 }, { 4096, 4, 1 }, { 64, 3, 1 }, { 1024, 2, 200 }, { 256, 1, 1 }, { 4096, 0, 1 }, { 1 << 20, 8, 1 }
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* ---- layouts ---- */
/* Host memory with room around and between the elements. */
typedef struct host {
    char *memory, *data;
    size_t room;                /* behind data */
    int64_t strides[8];
} host;

enum { PLAIN, GAPS, COLUMNS, SHIFTED, LAYOUTS };

static inline host new_host(int layout, garray_shape shape, int itemsize)
{
    host h = { 0 };
    int64_t step = itemsize;
    for (int64_t k = 0; k < shape.n; k++) {
        const int64_t i = layout == COLUMNS ? k : shape.n - 1 - k;
        step *= layout == GAPS ? 2 : 1;
        h.strides[i] = step;
        step *= shape.v[i] ? shape.v[i] : 1;
    }
    h.room = (size_t)step;
    h.memory = malloc(h.room + 1);
    memset(h.memory, 0x5a, h.room + 1);
    h.data = h.memory + (layout == SHIFTED);
    return h;
}

/* Row-major elements into the host's memory, or out of it. */
static inline void spread(const host *h, garray_shape shape, int itemsize, char *packed, bool in)
{
    const int64_t n = test_count(shape);
    for (int64_t i = 0; i < n; i++) {
        char *at = h->data;
        int64_t rest = i;
        for (int64_t k = shape.n - 1; k >= 0; k--) {
            at += rest % shape.v[k] * h->strides[k];
            rest /= shape.v[k];
        }
        memcpy(in ? at : packed + i * itemsize, in ? packed + i * itemsize : at, (size_t)itemsize);
    }
}

/* Whether nothing between and around the elements has changed. */
static inline bool only_elements(const host *h, garray_shape shape, int itemsize)
{
    char *erased = malloc((size_t)test_count(shape) * (size_t)itemsize + 1);
    bool same = true;
    memset(erased, 0x5a, (size_t)test_count(shape) * (size_t)itemsize);
    spread(h, shape, itemsize, erased, true);
    for (size_t i = 0; i < h->room + 1; i++)
        same &= h->memory[i] == 0x5a;
    free(erased);
    return same;
}

#endif
