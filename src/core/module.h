/* SPDX-License-Identifier: BSD-3-Clause
 * Backend modules: shared objects opened at the first request for one of their devices. */
#ifndef GARRAY_CORE_MODULE_H
#define GARRAY_CORE_MODULE_H

#include "core/backend.h"

/* Opens <name>.so ("garray-cuda") and returns its table.  It is looked for in the absolute directories of
 * GARRAY_MODULE_PATH, then in garray-0/ beside the library, never in the current directory.  NO_DEVICE names
 * every file tried and what the loader said. */
garray_status garray__module_open(const char *name, const garray_host *host, const garray_backend **out);

#endif
