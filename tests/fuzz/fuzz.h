/* SPDX-License-Identifier: BSD-3-Clause
 * What the fuzz targets share. */
#ifndef GARRAY_TESTS_FUZZ_H
#define GARRAY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <garray/garray.h>

/* A promise that must hold for any input. */
#define FUZZ_CHECK(condition) \
    do { \
        if (!(condition)) \
            abort(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
