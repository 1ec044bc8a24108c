/* SPDX-License-Identifier: BSD-3-Clause
 * A CUDA driver that is too old: all that it can do is tell its version, 11.0. */
#include <string.h>

int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *found);

static int tell_version(int *version)
{
    *version = 11000;
    return 0;
}

static int fail(void)
{
    return 35;                  /* insufficient driver */
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *found)
{
    (void)version;
    (void)flags;
    if (strcmp(symbol, "cuDriverGetVersion") == 0)
        *(int (**)(int *))function = tell_version;
    else if (strcmp(symbol, "cuGetProcAddress") == 0)
        *(int (**)(const char *, void **, int, unsigned long long, int *))function = cuGetProcAddress_v2;
    else
        *(int (**)(void))function = fail;
    if (found)
        *found = 0;
    return 0;
}
