/* SPDX-License-Identifier: BSD-3-Clause
 * What the library runs on. */
#include <stdio.h>
#include <string.h>
#include "core/device.h"
#include "garray/info.h"

/* Of the CPU backend, which is part of the library as its table is. */
const char *garray__cpu_isa_name(void);

garray_status garray_device_describe(garray_device id, garray_device_properties *out)
{
    GARRAY_ENTER("garray_device_describe");
    GARRAY_REQUIRE(out, INVALID, "out is NULL");
    garray__device *device;
    garray_device_info info;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_TRY(garray__device_check(device));
    GARRAY_TRY(device->backend->info(device->handle, &info));
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, info.name);
    if (id.type == GARRAY_DEVICE_CPU)
        snprintf(out->architecture, sizeof out->architecture, "%s", garray__cpu_isa_name());
    else
        snprintf(out->architecture, sizeof out->architecture, "sm_%d%d", info.capability / 100, info.capability % 100);
    out->total_memory = info.total_memory;
    out->free_memory = info.free_memory;
    out->multiprocessors = info.multiprocessors;
    return GARRAY_OK;
}
