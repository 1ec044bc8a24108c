/* SPDX-License-Identifier: BSD-3-Clause
 * The version of the library that runs, which may be newer than the headers a program was built with. */
#include "garray/version.h"

const char *garray_version(void)
{
    return GARRAY_VERSION;
}
