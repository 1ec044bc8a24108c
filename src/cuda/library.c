/* SPDX-License-Identifier: BSD-3-Clause
 * Vendor libraries, opened one by one at their first use: a program that multiplies no matrices never pays for
 * cuBLAS. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Appends to the list of what was tried; what does not fit is left out. */
static void note(char *tried, size_t size, const char *words)
{
    const size_t used = strlen(tried);
    snprintf(tried + used, size - used, "%s%s", used > 0 ? "; " : "", words != NULL ? words : "?");
}

/* By its plain name, so that the loader's rules hold, then where CUDA is usually installed. */
static void *open_file(const char *name, char *tried, size_t size)
{
    const char *home = secure_getenv("CUDA_HOME");
    const char *const folders[] = {"", home, "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
                                   "/opt/cuda/lib64"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1024];
        if (folders[i] == NULL || (i == 1 && *home != '/'))
            continue;
        const int length = i == 0 ? snprintf(path, sizeof path, "%s", name)
                                  : snprintf(path, sizeof path, "%s/%s%s", folders[i], i == 1 ? "lib64/" : "", name);
        if (length < 0 || (size_t)length >= sizeof path)
            continue;
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (handle != NULL)
            return handle;
        note(tried, size, dlerror());
    }
    return NULL;
}

static garray_status open_locked(garray__cuda_library *library)
{
    char tried[1500] = "";
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && library->names[i] != NULL; i++)
        handle = open_file(library->names[i], tried, sizeof tried);
    if (handle == NULL)
        return garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "%s cannot be opened: %s", library->label, tried);
    for (size_t i = 0; library->symbols[i] != NULL; i++) {
        library->functions[i] = dlsym(handle, library->symbols[i]);
        if (library->functions[i] == NULL)
            return garray__cuda_host->fail(GARRAY_ERR_NO_DEVICE, "%s is too old: it has no %s", library->label,
                                           library->symbols[i]);
    }
    __atomic_store_n(&library->state, 1, __ATOMIC_RELEASE);
    return GARRAY_OK;
}

garray_status garray__cuda_library_open(garray__cuda_library *library)
{
    if (__atomic_load_n(&library->state, __ATOMIC_ACQUIRE) == 1)
        return GARRAY_OK;
    pthread_mutex_lock(&lock);
    const garray_status st = library->state == 1 ? GARRAY_OK : open_locked(library);
    pthread_mutex_unlock(&lock);
    return st;
}
