/* SPDX-License-Identifier: BSD-3-Clause
 * The version of libgarray: the one place where it is written. */
#ifndef GARRAY_VERSION_H
#define GARRAY_VERSION_H

#include <garray/export.h>

#define GARRAY_VERSION_MAJOR 0 /* the version of these headers */
#define GARRAY_VERSION_MINOR 1
#define GARRAY_VERSION_PATCH 0
#define GARRAY_VERSION "0.1.0"

/* One number to compare in #if: (major * 1000 + minor) * 1000 + patch. */
#define GARRAY_VERSION_NUMBER \
    ((GARRAY_VERSION_MAJOR * 1000 + GARRAY_VERSION_MINOR) * 1000 + GARRAY_VERSION_PATCH)

GARRAY_BEGIN

/* The version of the library that the program runs with, as "major.minor.patch". */
GARRAY_API const char *garray_version(void);

GARRAY_END

#endif
