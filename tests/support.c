/* SPDX-License-Identifier: BSD-3-Clause
 * The device under test, reports, leaks, golden files, and main(). */
#include "test.h"
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- device ---- */

static const char *device_name(void)
{
    const char *name = getenv("GARRAY_TEST_DEVICE");
    return name && *name ? name : "cpu";
}

garray_device test_device(void)
{
    static garray_device device;
    static bool known;
    if (known)                  /* so threads may ask, too, once it is */
        return device;
    if (garray_device_parse(device_name(), &device) != GARRAY_OK)
        cr_assert(false, "no test device: %s", garray_error_message());
    known = true;
    return device;
}

bool test_on_gpu(void)
{
    return test_device().type != GARRAY_DEVICE_CPU;
}

/* ---- reports ---- */

enum { SHOWN = 20 };
static char context[400];
static int failures;

void test_context(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *slash = strrchr(file, '/');
    if (++failures <= SHOWN)
        cr_expect(false, "%s:%d: %s%s%s", slash ? slash + 1 : file, line, context, *context ? ": " : "",
                  text);
    else if (failures == SHOWN + 1)
        cr_expect(false, "more failures are not shown");
}

bool test_check_status(const char *file, int line, const char *call, garray_status got,
                       garray_status expected)
{
    if (got == expected)
        return true;
    if (got == GARRAY_OK)
        test_fail(file, line, "%s succeeds; %s was expected", call, garray_status_name(expected));
    else
        test_fail(file, line, "%s gives %s, not %s: %s", call, garray_status_name(got),
                  garray_status_name(expected), garray_error_message());
    return false;
}

bool test_check_message(const char *file, int line, const char *const *parts)
{
    bool all = true;
    for (; *parts; parts++)
        if (!strstr(garray_error_message(), *parts)) {
            test_fail(file, line, "the message \"%s\" lacks \"%s\"", garray_error_message(), *parts);
            all = false;
        }
    return all;
}

bool test_check_equal(const char *file, int line, const garray_t *x, const void *expected, double ulps)
{
    int dtype = garray_dtype_of(x);
    size_t size = garray_dtype_size((garray_dtype)dtype);
    char *got = test_read(x);
    int64_t n = garray_size(x), i = test_differs(dtype, n, got, expected, ulps);
    if (i >= 0) {
        const void *a = got + (size_t)i * size, *b = (const char *)expected + (size_t)i * size;
        test_fail(file, line, "element %lld of %lld is %s, not %s (%g ulp)", (long long)i, (long long)n,
                  test_text(dtype, a), test_text(dtype, b), test_ulps(dtype, a, b));
    }
    free(got);
    return i < 0;
}

/* ---- leaks ---- */

test_mark test_memory(void)
{
    garray_memory_info info;
    test_mark mark = { 0, 0 };
    garray_device devices[2] = { GARRAY_CPU, test_device() };
    for (int i = 0; i < 1 + test_on_gpu(); i++)
        if (garray_memory_stats(devices[i], &info) == GARRAY_OK) {
            mark.blocks += info.live_blocks;
            mark.bytes += info.live_bytes;
        }
    return mark;
}

bool test_check_memory(const char *file, int line, test_mark mark)
{
    test_mark now = test_memory();
    if (now.blocks == mark.blocks && now.bytes == mark.bytes)
        return true;
    test_fail(file, line, "%lld buffers with %lld bytes were alive, now %lld with %lld",
              (long long)mark.blocks, (long long)mark.bytes, (long long)now.blocks, (long long)now.bytes);
    return false;
}

/* ---- golden files ---- */

#ifndef GARRAY_TEST_DATA
#define GARRAY_TEST_DATA "tests/golden"
#endif

static FILE *open_data(const char *name, char path[PATH_MAX])
{
    char program[PATH_MAX];
    const char *directory = getenv("GARRAY_TEST_DATA");
    snprintf(path, PATH_MAX, "%s/%s.bin", directory ? directory : GARRAY_TEST_DATA, name);
    FILE *file = fopen(path, "rb");
    ssize_t length = file ? -1 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = 0;
        snprintf(path, PATH_MAX, "%.3900s/golden/%s.bin", dirname(program), name);
        file = fopen(path, "rb");
    }
    return file;
}

/* The file is: "garray golden 1\n", then as int32 the bytes of the text, blocks, cases, width; the text,
 * padded to 16 bytes; per block dtype, n, and offset from the start of the file as int64; the cases; the
 * data. */
const test_golden *test_golden_open(const char *name)
{
    static test_golden golden;
    char path[PATH_MAX], magic[17] = { 0 };
    int32_t head[4];
    FILE *file = open_data(name, path);
    if (!file)
        cr_assert(false, "cannot open %s; set GARRAY_TEST_DATA", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size + 1);
    if (!bytes || fread(bytes, 1, size, file) != size || size < 32)
        cr_assert(false, "cannot read %s", path);
    fclose(file);
    memcpy(magic, bytes, 16);
    if (strcmp(magic, "garray golden 1\n") != 0)
        cr_assert(false, "%s is not a golden file", path);
    memcpy(head, bytes + 16, 16);
    golden =
        (test_golden){ .made_with = bytes + 32, .nblocks = head[1], .ncases = head[2], .width = head[3] };
    const char *at = bytes + 32 + ((size_t)head[0] + 15) / 16 * 16;
    test_block *block = calloc((size_t)head[1] + 1, sizeof *block);
    for (int32_t i = 0; i < head[1]; i++, at += 16) {
        int64_t offset;
        memcpy(&block[i].dtype, at, 4);
        memcpy(&block[i].n, at + 4, 4);
        memcpy(&offset, at + 8, 8);
        block[i].data = bytes + offset;
    }
    golden.block = block;
    golden.cases = (const int32_t *)(const void *)at;
    return &golden;
}

/* ---- other processes ---- */

/* The loader takes the last of two values and getenv() the first: there must be one of each. */
static bool sets(const char *const *variables, const char *old)
{
    for (; *variables; variables++)
        if (strncmp(*variables, old, strcspn(*variables, "=") + 1) == 0)
            return true;
    return false;
}

char *test_run_child(const char *const *variables, int *status)
{
    const char *const *given = variables;
    /* the environment without what Criterion's sandbox put there for this process */
    char *environment[256], program[PATH_MAX] = "";
    int n = 0, ends[2];
    environment[n++] = (char *)"GARRAY_TEST_CHILD=1";
    for (; *variables; variables++)
        environment[n++] = (char *)*variables;
    for (char **v = environ; *v && n < 255; v++)
        if (strncmp(*v, "BXF", 3) != 0 && !sets(given, *v))
            environment[n++] = *v;
    environment[n] = NULL;
    char *const arguments[] = { program, NULL };
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    cr_assert(length > 0 && pipe(ends) == 0, "no child process");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execve(program, arguments, environment);
        _exit(126);
    }
    close(ends[1]);
    char *text = NULL;
    size_t used = 0, room = 0;
    for (ssize_t got = 1; got > 0; used += (size_t)got) {
        if (room - used < 4096)
            text = realloc(text, room = 2 * room + 8192);
        got = read(ends[0], text + used, room - used - 1);
        if (got < 0)
            break;
    }
    text[used] = 0;
    close(ends[0]);
    waitpid(child, status, 0);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 256 + WTERMSIG(*status);
    return text;
}

/* ---- main ---- */

int main(int argc, char **argv)
{
    int count = 0;
    if (getenv("GARRAY_TEST_CHILD") && test_child)
        return test_child();
    if (strncmp(device_name(), "cuda", 4) == 0
        && (garray_device_count(GARRAY_DEVICE_CUDA, &count) != GARRAY_OK || count == 0)) {
        fprintf(stderr, "no CUDA device: skipped\n");
        return 77;
    }
    struct criterion_test_set *tests = criterion_initialize();
    int result = 0;
    if (criterion_handle_args(argc, argv, true))
        result = !criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return result;
}
