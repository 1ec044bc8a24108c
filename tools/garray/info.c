/* SPDX-License-Identifier: BSD-3-Clause
 * garray info and garray bench. */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"

/* ---- lines, or one JSON object ---- */
static bool json, first = true;

static void put_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static void put_key(const char *key)
{
    if (json) {
        printf(first ? "{\n  " : ",\n  ");
        put_json_text(key);
        fputs(": ", stdout);
    } else {
        printf("%-20s ", key);
    }
    first = false;
}

static void put_text(const char *key, const char *value)
{
    put_key(key);
    if (json)
        put_json_text(value);
    else
        puts(value);
}

static void put_number(const char *key, int64_t value)
{
    put_key(key);
    printf(json ? "%" PRId64 : "%" PRId64 "\n", value);
}

static void put_bytes(const char *key, int64_t value)
{
    if (json) {
        put_number(key, value);
        return;
    }
    put_key(key);
    printf("%.1f GiB\n", (double)value / (1 << 30));
}

/* ---- what there is ---- */
/* "a=b c c=d": a pair for each name. */
static void put_build(const char *words)
{
    while (*words) {
        char key[64], value[128];
        size_t name = strcspn(words, "="), end = name + 1;
        /* a value goes to the blank before the next name */
        for (size_t at = end; words[at]; at++)
            if (words[at] == ' ' && words[at + 1 + strcspn(words + at + 1, " =")] == '=')
                break;
            else
                end = at + 1;
        snprintf(key, sizeof key, "build %.*s", (int)name, words);
        snprintf(value, sizeof value, "%.*s", (int)(end - name - 1), words + name + 1);
        put_text(key, value);
        words += end + (words[end] == ' ');
    }
}

/* The BLAS that the library is linked with tells itself, if it is OpenBLAS. */
static void put_blas(void)
{
    void *address = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (!address) {
        put_text("blas", "not OpenBLAS");
        return;
    }
    char *(*config)(void);
    char *(*core)(void) = NULL;
    memcpy(&config, &address, sizeof config);
    put_text("blas", config());
    address = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    memcpy(&core, &address, sizeof core);
    if (core)
        put_text("blas kernels", core());
    Dl_info where;
    address = dlsym(RTLD_DEFAULT, "cblas_dgemm");
    if (address && dladdr(address, &where) && where.dli_fname)
        put_text("blas library", where.dli_fname);
}

/* The file of this process whose name begins so ("libz.so"), its links followed; false if there is none. */
struct loaded {
    const char *begin;
    char path[PATH_MAX];
};

static int is_loaded(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size;
    struct loaded *l = ctx;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    return strncmp(name, l->begin, strlen(l->begin)) == 0 && realpath(info->dlpi_name, l->path);
}

static bool find_loaded(struct loaded *l, const char *begin)
{
    l->begin = begin;
    return dl_iterate_phdr(is_loaded, l) != 0;
}

/* What the library was linked with beside BLAS. */
static void put_companions(void)
{
    struct loaded l;
    void *address = dlsym(RTLD_DEFAULT, "zlibVersion");
    const char *(*version)(void) = NULL;
    memcpy(&version, &address, sizeof version);
    if (version)
        put_text("zlib", version());
    if (find_loaded(&l, "libsleef.so"))
        put_text("sleef library", l.path);      /* it has no other version than its name's */
}

static void put_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address = driver ? dlsym(driver, "cuDriverGetVersion") : NULL;
    int (*version)(int *) = NULL;
    int number = 0;
    char text[32];
    memcpy(&version, &address, sizeof version);
    if (version && version(&number) == 0) {
        snprintf(text, sizeof text, "CUDA %d.%d", number / 1000, number % 1000 / 10);
        put_text("cuda driver", text);
    } else {
        put_text("cuda driver", driver ? "does not tell" : "libcuda.so.1 is not there");
    }
}

/* NVIDIA's libraries, which the module opens when it first needs them: a call that does, and then the file and its
 * version, or why there is none. */
static garray_status product(const garray_t *x, garray_t **out) { return garray_matmul(x, x, out); }
static garray_status solution(const garray_t *x, garray_t **out) { return garray_linalg_solve(x, x, out); }
static garray_status transform(const garray_t *x, garray_t **out) { return garray_fft_rfft(x, 1, NULL, out); }
static garray_status numbers(const garray_t *x, garray_t **out)
{
    garray_curand rng = { .engine = GARRAY_CURAND_PHILOX4X32_10 };
    return garray_random_curand(&rng, GARRAY_SHAPE(8), GARRAY_FLOAT32, garray_device_of(x), out);
}

static void put_cuda_libraries(garray_device device)
{
    static const struct {
        const char *key, *file, *property;
        garray_status (*use)(const garray_t *x, garray_t **out);
    } libraries[] = { { "cublas", "libcublas.so", "cublasGetProperty", product },
                      { "cusolver", "libcusolver.so", "cusolverGetProperty", solution },
                      { "cufft", "libcufft.so", "cufftGetProperty", transform },
                      { "curand", "libcurand.so", "curandGetProperty", numbers } };
    GARRAY_AUTO garray_t *x = NULL;
    if (garray_eye(1024, 1024, 0, GARRAY_FLOAT64, device, &x) != GARRAY_OK) {
        put_text("cuda libraries", garray_error_message());
        return;
    }
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        GARRAY_AUTO garray_t *y = NULL;
        struct loaded l;
        char text[PATH_MAX + 64];
        int number[3] = { 0 };          /* libraryPropertyType: MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL */
        garray_status st = libraries[i].use(x, &y);
        if (!find_loaded(&l, libraries[i].file)) {
            put_text(libraries[i].key, st == GARRAY_OK ? "not used" : garray_error_message());
            continue;
        }
        void *handle = dlopen(l.path, RTLD_NOW | RTLD_NOLOAD);
        void *address = handle ? dlsym(handle, libraries[i].property) : NULL;
        int (*property)(int, int *) = NULL;
        memcpy(&property, &address, sizeof property);
        for (int k = 0; property && k < 3; k++)
            if (property(k, &number[k]) != 0)
                number[k] = 0;
        snprintf(text, sizeof text, "%d.%d.%d, %s", number[0], number[1], number[2], l.path);
        put_text(libraries[i].key, text);
    }
}

static garray_status put_device(const char *prefix, garray_device device)
{
    garray_device_properties p;
    char key[64];
    GARRAY_TRY(garray_device_describe(device, &p));
    snprintf(key, sizeof key, "%s name", prefix);
    put_text(key, p.name);
    snprintf(key, sizeof key, "%s architecture", prefix);
    put_text(key, p.architecture);
    snprintf(key, sizeof key, device.type == GARRAY_DEVICE_CPU ? "%s threads" : "%s multiprocessors", prefix);
    put_number(key, p.multiprocessors);
    snprintf(key, sizeof key, "%s memory", prefix);
    put_bytes(key, p.total_memory);
    snprintf(key, sizeof key, "%s free memory", prefix);
    put_bytes(key, p.free_memory);
    return GARRAY_OK;
}

int command_info(int argc, char **argv)
{
    static const struct option options[] = { { "json", no_argument, NULL, 'j' }, { NULL, 0, NULL, 0 } };
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (c == 'j')
            json = true;
        else
            return TROUBLE;
    if (optind < argc)
        return complain_usage("'%s' is not expected", argv[optind]);
    put_text("version", garray_version());
    Dl_info where;
    void *address;
    const char *(*self)(void) = garray_version;
    memcpy(&address, &self, sizeof address);
    char path[PATH_MAX];
    if (dladdr(address, &where) && where.dli_fname)
        put_text("library", realpath(where.dli_fname, path) ? path : where.dli_fname);
    put_build(garray_build_info());
    if (put_device("cpu", GARRAY_CPU) != GARRAY_OK)
        return complain_library();
    put_blas();
    put_companions();
    put_driver();
    int count = 0;
    garray_device device;
    if (garray_device_count(GARRAY_DEVICE_CUDA, &count) != GARRAY_OK)
        return complain_library();
    put_number("cuda devices", count);
    struct loaded module;
    if (find_loaded(&module, "garray-cuda.so"))
        put_text("cuda module", module.path);
    if (count == 0 && garray_device_parse("cuda", &device) != GARRAY_OK)
        put_text("cuda", garray_error_message());
    for (int i = 0; i < count; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "cuda:%d", i);
        if (put_device(prefix, GARRAY_CUDA(i)) != GARRAY_OK)
            put_text(prefix, garray_error_message());
    }
    if (count > 0)
        put_cuda_libraries(GARRAY_CUDA(0));
    if (json)
        puts("\n}");
    return YES;
}

/* ---- bench ---- */
int command_bench(int argc, char **argv)
{
    (void)argc;
    /* installed, in the build tree, and wherever programs are found */
    static const char *const places[] = { GARRAY_BENCH, "../../bench/garray-bench" };
    char self[4000], path[4200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    argv[0] = "garray-bench";
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%.*s%s%s", places[i][0] == '/' ? 0 : (int)(slash - self), self,
                 places[i][0] == '/' ? "" : "/", places[i]);
        if (access(path, X_OK) == 0)
            execv(path, argv);
    }
    execvp("garray-bench", argv);
    return complain("garray-bench cannot be run: %s", strerror(errno));
}
