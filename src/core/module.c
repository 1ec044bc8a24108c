/* SPDX-License-Identifier: BSD-3-Clause
 * Finding and opening backend modules. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/module.h"
#include "core/status.h"

#define PATH_SIZE 4096

/* What was tried, for the error text. */
typedef struct trail {
    char text[1600];
    size_t length;
} trail;

__attribute__((format(printf, 2, 3))) static void note(trail *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->text + t->length, sizeof t->text - t->length, format, args);
    va_end(args);
    if (n > 0)
        t->length = t->length + (size_t)n < sizeof t->text ? t->length + (size_t)n : sizeof t->text - 1;
}

/* The file that a function of this library was loaded from, absolute.  dladdr() gives the name the loader was
 * given, which may be relative to a current directory of long ago; then the kernel is asked. */
static bool own_file(char path[PATH_SIZE])
{
    Dl_info info;
    uintptr_t here = (uintptr_t)&garray__module_open;
    if (dladdr((void *)here, &info) && info.dli_fname && info.dli_fname[0] == '/') {
        snprintf(path, PATH_SIZE, "%s", info.dli_fname);
        return true;
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    bool found = false;
    char line[PATH_SIZE + 128];
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long low, high;
        char *file = strchr(line, '/');
        if (file && sscanf(line, "%lx-%lx", &low, &high) == 2 && here >= low && here < high) {
            file[strcspn(file, "\n")] = 0;
            snprintf(path, PATH_SIZE, "%s", file);
            found = true;
        }
    }
    fclose(maps);
    return found;
}

/* Opens one file; what is wrong with it goes to the trail. */
static const garray_backend *open_file(const char *path, const garray_host *host, trail *t)
{
    if (access(path, F_OK) != 0) {
        note(t, "; %s: no such file", path);
        return NULL;
    }
    /* The module's threads and static runtime must survive a dlclose of the library. */
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module) {
        const char *words = dlerror();
        /* the loader mostly begins with the file's name itself */
        if (words && strncmp(words, path, strlen(path)) == 0)
            note(t, "; %s", words);
        else
            note(t, "; %s: %s", path, words ? words : "cannot be loaded");
        return NULL;
    }
    union { void *object; garray_backend_entry *function; } entry = { dlsym(module, GARRAY_BACKEND_ENTRY) };
    if (!entry.object) {
        note(t, "; %s: has no " GARRAY_BACKEND_ENTRY "()", path);
        dlclose(module);
        return NULL;
    }
    const garray_backend *backend = entry.function(host);
    if (!backend || backend->version != GARRAY_BACKEND_VERSION || backend->size < sizeof *backend) {
        note(t, "; %s: belongs to another release of the library", path);
        dlclose(module);
        return NULL;
    }
    return backend;
}

garray_status garray__module_open(const char *name, const garray_host *host, const garray_backend **out)
{
    trail t = { .length = 0 };
    char path[PATH_SIZE + 64], own[PATH_SIZE];
    const garray_backend *backend = NULL;

    const char *list = secure_getenv("GARRAY_MODULE_PATH");
    for (const char *at = list; at && *at && !backend;) {
        size_t length = strcspn(at, ":");
        if (length && at[0] != '/')
            note(&t, "; %.*s in GARRAY_MODULE_PATH: not an absolute path", (int)(length < 200 ? length : 200),
                 at);
        else if (length && length < PATH_SIZE) {
            snprintf(path, sizeof path, "%.*s/%s.so", (int)length, at, name);
            backend = open_file(path, host, &t);
        }
        at += length + (at[length] == ':');
    }
    if (!backend && own_file(own)) {
        char *slash = strrchr(own, '/');
        *slash = 0;
        snprintf(path, sizeof path, "%s/garray-0/%s.so", own, name);
        backend = open_file(path, host, &t);
    }
    if (!backend)
        return garray__fail(GARRAY_ERR_NO_DEVICE, "no backend module %s.so%s", name, t.text);
    *out = backend;
    return GARRAY_OK;
}
