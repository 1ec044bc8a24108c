/* SPDX-License-Identifier: BSD-3-Clause
 * The version of the library that runs, which may be newer than the headers a program was built with, and how it was built:
 * the build puts its options here. */
#include "garray/info.h"
#include "garray/version.h"

const char *garray_version(void)
{
    return GARRAY_VERSION;
}

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
const char *garray_build_info(void)
{
    return "compiler=" COMPILER " " GARRAY_BUILD_OPTIONS;
}
