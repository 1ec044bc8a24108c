/* SPDX-License-Identifier: BSD-3-Clause
 * Files of bare elements. */
#ifndef GARRAY_CORE_RAWFILE_H
#define GARRAY_CORE_RAWFILE_H

#include "core/array.h"

/* The elements row-major; waits. */
garray_status garray__raw_write(const char *path, const garray_t *x);

/* Up to count elements (-1: all) behind offset bytes; what is left of an element at the end of the file is not read. */
garray_status garray__raw_read(const char *path, int dtype, int64_t count, int64_t offset, garray__device *device,
                               garray_t **out);

#endif
