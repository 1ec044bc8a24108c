/* SPDX-License-Identifier: BSD-3-Clause
 * The backend without a device as a module: what the registry opens as "garray-cuda.so" in the tests. */
#include <stdlib.h>
#include "fake_backend.h"

garray_backend_entry garray_backend_module;

__attribute__((visibility("default"))) const garray_backend *garray_backend_module(const garray_host *host)
{
    const char *mode = getenv("GARRAY_TEST_FAKE");
    fake_reset(1);
    if (mode && mode[0] == 'o')         /* an old one */
        return NULL;
    return fake_backend(host);
}
