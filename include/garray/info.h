/* SPDX-License-Identifier: BSD-3-Clause
 * What the library was built with and what it runs on. */
#ifndef GARRAY_INFO_H
#define GARRAY_INFO_H

#include <garray/device.h>

GARRAY_BEGIN

typedef struct { /* what garray_device_describe() tells */
    char name[256]; /* as garray_device_name() */
    char architecture[32];   /* "x86-64-v4", the level of the CPU's loops; "sm_90" */
    int64_t total_memory;    /* bytes */
    int64_t free_memory;     /* of it, now */
    int32_t multiprocessors; /* on the CPU: threads */
    int32_t reserved32;
    uint64_t reserved[8];
} garray_device_properties;

/* What a device is. Errors as garray_device_parse(). */
GARRAY_STATUS garray_device_describe(garray_device device, garray_device_properties *out);

/* How the library was built: names and values, "compiler=gcc 12.2.0 zlib=yes sleef=yes cpu_lowest=v2 cpu_level=v4
 * type=release". */
GARRAY_API const char *garray_build_info(void);

GARRAY_END

#endif
