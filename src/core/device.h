/* SPDX-License-Identifier: BSD-3-Clause
 * The devices of this process: which backends exist, how they are found, and what core keeps per device. */
#ifndef GARRAY_CORE_DEVICE_H
#define GARRAY_CORE_DEVICE_H

#include <stdatomic.h>
#include "core/backend.h"
#include "core/status.h"
#include "garray/device.h"

#define GARRAY__DEVICE_TYPES 2
#define GARRAY__DEVICES_PER_TYPE 64

struct garray_stream;
struct garray__pool;

/* Why an opened device answers no more. */
enum { GARRAY__DEVICE_USABLE = 0, GARRAY__DEVICE_IS_LOST = 1, GARRAY__DEVICE_IS_FORKED = 2 };

typedef struct garray__device {
    const garray_backend *backend;
    void *handle;                       /* the backend's device */
    uint32_t flags;                     /* the backend's: GARRAY_BACKEND_... */
    _Atomic int state;                  /* GARRAY__DEVICE_...; only ever set, never cleared */
    garray_device id;
    struct garray_stream *stream;       /* the library's own stream */
    struct garray__pool *pool;
    struct garray_stream *_Atomic streams;      /* all timelines, also those without a stream now */
    _Atomic int living;                 /* streams alive */
    _Atomic int graphs;                 /* alive, those that are captured included */
    _Atomic int events;                 /* of the user, alive */
    _Atomic(double) ceiling;            /* bytes per second of a copy; 0 until a report measured it */
} garray__device;

extern _Atomic(garray__device *) garray__devices[GARRAY__DEVICE_TYPES][GARRAY__DEVICES_PER_TYPE];

/* Opens a device at first use; errors: INVALID, NO_DEVICE, FORKED, DEVICE_LOST, NOMEM. */
garray_status garray__device_open(garray_device id, garray__device **out) __attribute__((cold));

/* The device, opened at first use.  Fast path: one load. */
static inline garray_status garray__device_get(garray_device id, garray__device **out)
{
    if ((uint32_t)id.type < GARRAY__DEVICE_TYPES && (uint32_t)id.index < GARRAY__DEVICES_PER_TYPE) {
        garray__device *device =
            atomic_load_explicit(&garray__devices[id.type][id.index], memory_order_acquire);
        if (GARRAY__LIKELY(device != NULL)) {
            *out = device;
            return GARRAY_OK;
        }
    }
    return garray__device_open(id, out);
}

static inline bool garray__device_is_async(const garray__device *device)
{
    return (device->flags & GARRAY_BACKEND_ASYNC) != 0;
}

/* FORKED or DEVICE_LOST with a text, or OK: before any call into an asynchronous backend. */
garray_status garray__device_fail_state(const garray__device *device) __attribute__((cold));

static inline garray_status garray__device_check(const garray__device *device)
{
    if (GARRAY__LIKELY(atomic_load_explicit(&((garray__device *)device)->state, memory_order_relaxed) == 0))
        return GARRAY_OK;
    return garray__device_fail_state(device);
}

/* Notes a status that the backend returned: DEVICE_LOST marks the device for good.  Returns it. */
garray_status garray__device_note(garray__device *device, garray_status status);

/* Every device open now, one after another: pass NULL first, NULL comes last. */
garray__device *garray__device_next(const garray__device *after);

/* "cpu" or "cuda:1", for messages; lives as long as the process. */
const char *garray__device_text(garray_device id);

/* Waits for all streams of the device and returns the first late error. */
garray_status garray__device_finish(garray__device *device);

/* What core offers to backends. */
extern const garray_host garray__host;

/* The CPU backend, built in; src/cpu. */
const garray_backend *garray__cpu_backend_open(const garray_host *host);

/* A backend given directly, for tests: opens device `index` of it outside the registry, or closes it again.
 * Closing needs all its buffers released. */
garray_status garray__device_new(const garray_backend *backend, int index, garray__device **out);
void garray__device_free(garray__device *device);

#endif
