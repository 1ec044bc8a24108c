/* SPDX-License-Identifier: BSD-3-Clause
 * A device that is none (fake_backend.h) and buffers on it, for tests of single promises. */
#ifndef GARRAY_TESTS_FAKE_DEVICE_H
#define GARRAY_TESTS_FAKE_DEVICE_H

#include <criterion/criterion.h>
#include "core/stream.h"
#include "fake_backend.h"

static inline garray__device *new_device(void)
{
    garray__device *device, *cpu;
    fake_reset(1);
    fake.haste = 0;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    cr_assert(garray__self || garray__thread_new());
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    cr_assert_eq(garray__device_new(fake_backend(&garray__host), 0, &device), GARRAY_OK);
    return device;
}

static inline garray__buffer *new_buffer(garray__device *device, size_t size)
{
    garray__buffer *buffer = NULL;
    cr_assert_eq(garray__buffer_new(device, size, &buffer), GARRAY_OK, "%s", garray_error_message());
    return buffer;
}

#endif
