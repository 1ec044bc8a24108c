/* SPDX-License-Identifier: BSD-3-Clause
 * Devices through the public functions: how they are named, found and missed; the module of the second
 * backend is the one without a device, in the directory GARRAY_TEST_MODULE.  Each test is a process of its
 * own. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/buffer.h"
#include "core/device.h"
#include <garray/garray.h>

static void with_module(void)
{
    const char *path = getenv("GARRAY_TEST_MODULE");
    cr_assert(path, "GARRAY_TEST_MODULE is not set");
    setenv("GARRAY_MODULE_PATH", path, 1);
}

static void without_module(void)
{
    setenv("GARRAY_MODULE_PATH", "/nonexistent/a:relative/dir:/nonexistent/b", 1);
}

Test(registry, device_texts)
{
    garray_device dev = { 7, 7 };
    without_module();
    cr_assert_eq(garray_device_parse("cpu", &dev), GARRAY_OK);
    cr_assert(dev.type == GARRAY_DEVICE_CPU && dev.index == 0);
    const char *const bad[] = { "",      "gpu",    "cpu ",    "CPU",     "cpu:0",
                                "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:999999" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dev.index = 5;
        cr_assert_eq(garray_device_parse(bad[i], &dev), GARRAY_ERR_INVALID, "\"%s\"", bad[i]);
        cr_assert(strstr(garray_error_message(), "garray_device_parse: \""), "%s", garray_error_message());
        cr_assert_eq(dev.index, 5, "a failed call wrote its result");
    }
    cr_assert_eq(garray_device_parse(NULL, &dev), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_device_parse("cpu", NULL), GARRAY_ERR_INVALID);
}

Test(registry, no_module)
{
    garray_device dev;
    int count = 5;
    without_module();
    cr_assert_eq(garray_device_count(GARRAY_DEVICE_CUDA, &count), GARRAY_OK);
    cr_assert_eq(count, 0);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(garray_device_parse("cuda", &dev), GARRAY_ERR_NO_DEVICE);
        const char *text = garray_error_message();
        cr_assert(strstr(text, "/nonexistent/a/garray-cuda.so"), "%s", text);
        cr_assert(strstr(text, "/nonexistent/b/garray-cuda.so"), "%s", text);
        cr_assert(strstr(text, "garray-0/garray-cuda.so"), "%s", text);
        cr_assert(strstr(text, "relative/dir in GARRAY_MODULE_PATH: not an absolute path"), "%s", text);
    }
    cr_assert_eq(garray_device_parse("auto", &dev), GARRAY_OK);
    cr_assert_eq(dev.type, GARRAY_DEVICE_CPU);
    cr_assert_eq(garray_device_count(GARRAY_DEVICE_CPU, &count), GARRAY_OK);
    cr_assert_eq(count, 1);
    cr_assert_eq(garray_device_count((garray_device_type)9, &count), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_synchronize((garray_device){ 9, 0 }), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_synchronize((garray_device){ 0, -1 }), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_synchronize((garray_device){ 0, 1 }), GARRAY_ERR_NO_DEVICE);
    cr_assert(strstr(garray_error_message(), "cpu:1 does not exist: there is 1 device"), "%s",
              garray_error_message());
}

Test(registry, a_broken_module)
{
    char directory[] = "/tmp/garray-registry-XXXXXX", path[200];
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/garray-cuda.so", directory);
    FILE *f = fopen(path, "w");
    fputs("not a shared object", f);
    fclose(f);
    setenv("GARRAY_MODULE_PATH", directory, 1);
    garray_device dev;
    cr_assert_eq(garray_device_parse("cuda", &dev), GARRAY_ERR_NO_DEVICE);
    const char *text = garray_error_message();
    cr_assert(strstr(text, path), "%s", text);
    cr_assert(strstr(text, "file too short") || strstr(text, "invalid ELF header"), "%s", text);
    unlink(path);
    rmdir(directory);
}

Test(registry, a_module_of_another_release)
{
    with_module();
    setenv("GARRAY_TEST_FAKE", "old", 1);
    garray_device dev;
    cr_assert_eq(garray_device_parse("cuda", &dev), GARRAY_ERR_NO_DEVICE);
    cr_assert(strstr(garray_error_message(), "belongs to another release"), "%s", garray_error_message());
}

Test(registry, a_device_from_a_module)
{
    with_module();
    garray_device dev;
    char name[5];
    int count;
    cr_assert_eq(garray_device_parse("auto", &dev), GARRAY_OK, "%s", garray_error_message());
    cr_assert(dev.type == GARRAY_DEVICE_CUDA && dev.index == 0);
    cr_assert_eq(garray_device_count(GARRAY_DEVICE_CUDA, &count), GARRAY_OK);
    cr_assert_eq(count, 1);
    cr_assert_eq(garray_device_parse("cuda:1", &dev), GARRAY_ERR_NO_DEVICE);
    cr_assert(strstr(garray_error_message(), "cuda:1 does not exist"), "%s", garray_error_message());
    cr_assert_eq(garray_device_name(dev, name, sizeof name), GARRAY_OK);
    cr_assert_str_eq(name, "fake");
    cr_assert_eq(garray_device_name(dev, name, 3), GARRAY_OK);
    cr_assert_str_eq(name, "fa");
    cr_assert_eq(garray_synchronize(dev), GARRAY_OK);
}

Test(registry, streams_and_events)
{
    with_module();
    garray_stream *a, *b, *old;
    garray_event *e, *f;
    double ms;
    void *native;
    const garray_device dev = GARRAY_CUDA(0);
    cr_assert_eq(garray_stream_new(dev, &a), GARRAY_OK, "%s", garray_error_message());
    cr_assert_eq(garray_stream_new(GARRAY_CPU, &b), GARRAY_OK);
    cr_assert_eq(garray_stream_swap(a, dev, &old), GARRAY_OK);
    cr_assert_eq(old, NULL);
    cr_assert_eq(garray_stream_swap(b, dev, &old), GARRAY_ERR_INVALID);
    cr_assert(strstr(garray_error_message(), "the stream belongs to cpu, not to cuda:0"), "%s",
              garray_error_message());
    cr_assert_eq(garray_stream_swap(b, GARRAY_CPU, NULL), GARRAY_OK);
    cr_assert_eq(garray_stream_native(NULL, dev, &native), GARRAY_OK);
    void *own = native;
    cr_assert_eq(garray_stream_native(a, dev, &native), GARRAY_OK);
    cr_assert(native && native == own);
    cr_assert_eq(garray_stream_native(b, GARRAY_CPU, &native), GARRAY_OK);
    cr_assert_eq(native, NULL);

    cr_assert_eq(garray_event_new(dev, &e), GARRAY_OK);
    cr_assert_eq(garray_event_new(dev, &f), GARRAY_OK);
    cr_assert_eq(garray_event_synchronize(e), GARRAY_OK);
    cr_assert_eq(garray_event_elapsed(e, f, &ms), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_event_record(e, NULL), GARRAY_OK);
    cr_assert_eq(garray_event_record(f, a), GARRAY_OK);
    cr_assert_eq(garray_event_record(f, b), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_event_wait(NULL, e), GARRAY_OK);
    cr_assert_eq(garray_event_elapsed(e, f, &ms), GARRAY_OK);
    garray_event_free(e);
    garray_event_free(f);
    garray_event_free(NULL);
    cr_assert_eq(garray_event_new(GARRAY_CPU, &e), GARRAY_OK);
    cr_assert_eq(garray_event_new(GARRAY_CPU, &f), GARRAY_OK);
    cr_assert_eq(garray_event_record(e, NULL), GARRAY_OK);
    usleep(2000);
    cr_assert_eq(garray_event_record(f, b), GARRAY_OK);
    cr_assert_eq(garray_event_elapsed(e, f, &ms), GARRAY_OK);
    cr_assert(ms >= 2 && ms < 2000);
    garray_event_free(e);
    garray_event_free(f);

    cr_assert_eq(garray_stream_synchronize(a), GARRAY_OK);
    cr_assert_eq(garray_stream_synchronize(NULL), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_stream_swap(NULL, dev, &old), GARRAY_OK);
    cr_assert_eq(old, a);
    cr_assert_eq(garray_stream_swap(NULL, GARRAY_CPU, &old), GARRAY_OK);
    cr_assert_eq(old, b);
    garray_stream_free(a);
    garray_stream_free(b);
    garray_stream_free(NULL);
}

/* ---- two devices ---- */
static void two_devices(void)
{
    with_module();
    setenv("GARRAY_TEST_FAKE", "two", 1);
}

static garray_t *numbers_on(int index, int first)
{
    int32_t values[100];
    garray_t *x = NULL;
    for (int i = 0; i < 100; i++)
        values[i] = first + i;
    cr_assert_eq(garray_from_host(values, GARRAY_INT32, GARRAY_SHAPE(100), NULL, GARRAY_CUDA(index), &x), GARRAY_OK, "%s",
                 garray_error_message());
    memset(values, 0xee, sizeof values);
    return x;
}

Test(registry, arrays_on_two_devices)
{
    two_devices();
    garray_device dev;
    garray_memory_info info[2];
    garray_t *x = numbers_on(0, 5), *y = numbers_on(1, 7), *z = NULL;
    int count = 0, back[100];
    cr_assert_eq(garray_device_count(GARRAY_DEVICE_CUDA, &count), GARRAY_OK);
    cr_assert_eq(count, 2);
    cr_assert_eq(garray_device_parse("cuda:1", &dev), GARRAY_OK);
    cr_assert(garray_device_of(x).index == 0 && garray_device_of(y).index == 1);
    cr_assert_eq(garray_add(x, y, &z), GARRAY_ERR_MIXED_DEVICES);
    cr_assert(strstr(garray_error_message(), "cuda:0") && strstr(garray_error_message(), "cuda:1"), "%s",
              garray_error_message());
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(garray_memory_stats(GARRAY_CUDA(i), &info[i]), GARRAY_OK);
        cr_expect_eq(info[i].live_bytes, 400);
    }
    /* over to the other one, and there again; through two streams of the target */
    garray_stream *stream;
    cr_assert_eq(garray_stream_new(GARRAY_CUDA(1), &stream), GARRAY_OK);
    cr_assert_eq(garray_stream_swap(stream, GARRAY_CUDA(0), NULL), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_stream_swap(stream, GARRAY_CUDA(1), NULL), GARRAY_OK);
    cr_assert_eq(garray_to_device(x, GARRAY_CUDA(1), &z), GARRAY_OK, "%s", garray_error_message());
    garray_release(x);
    cr_expect_eq(garray_device_of(z).index, 1);
    x = NULL;
    cr_assert_eq(garray_to_device(z, GARRAY_CUDA(0), &x), GARRAY_OK);
    cr_assert_eq(garray_stream_swap(NULL, GARRAY_CUDA(1), NULL), GARRAY_OK);
    garray_stream_free(stream);
    cr_assert_eq(garray_to_host(z, back, NULL, sizeof back), GARRAY_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(back[i], 5 + i);
    cr_assert_eq(garray_to_host(x, back, NULL, sizeof back), GARRAY_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(back[i], 5 + i);
    garray_release(x);
    garray_release(y);
    garray_release(z);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(garray_synchronize(GARRAY_CUDA(i)), GARRAY_OK);
        cr_assert_eq(garray_memory_stats(GARRAY_CUDA(i), &info[i]), GARRAY_OK);
        cr_expect_eq(info[i].live_bytes, 0);
    }
}

/* What a child process sees; returns the number of the check that failed. */
static int in_child(garray__buffer *gpu, garray_stream *stream)
{
    garray_device dev;
    garray__device *cpu;
    garray__buffer *buffer;
    int count;
    if (garray_device_parse("cuda", &dev) != GARRAY_ERR_FORKED || !strstr(garray_error_message(), "fork"))
        return 1;
    if (garray_device_count(GARRAY_DEVICE_CUDA, &count) != GARRAY_ERR_FORKED)
        return 2;
    if (garray__buffer_new(gpu->device, 10, &buffer) != GARRAY_ERR_FORKED)
        return 3;
    garray__buffer_release(gpu);
    garray_stream_free(stream);
    if (garray_stream_synchronize(stream) != GARRAY_ERR_FORKED)
        return 7;
    if (garray_device_parse("auto", &dev) != GARRAY_OK || dev.type != GARRAY_DEVICE_CPU)
        return 4;
    if (garray__device_get(GARRAY_CPU, &cpu) != GARRAY_OK)
        return 5;
    for (size_t size = 1; size < 20000000; size *= 3) {
        if (garray__buffer_new(cpu, size, &buffer) != GARRAY_OK)
            return 6;
        garray__buffer_release(buffer);
    }
    return 0;
}

Test(registry, a_forked_child_keeps_the_cpu)
{
    with_module();
    garray__device *cpu, *gpu;
    garray__buffer *a, *b;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    cr_assert_eq(garray__device_get(GARRAY_CUDA(0), &gpu), GARRAY_OK);
    cr_assert_eq(garray__buffer_new(cpu, 100, &a), GARRAY_OK);
    cr_assert_eq(garray__buffer_new(gpu, 100, &b), GARRAY_OK);
    garray_stream *stream;
    cr_assert_eq(garray_stream_new(GARRAY_CUDA(0), &stream), GARRAY_OK);
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            _exit(in_child(b, stream));
        }
        int status;
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    }
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray_stream_free(stream);
    cr_assert_eq(garray_synchronize(GARRAY_CUDA(0)), GARRAY_OK);
}

Test(registry, the_cpu_backend_is_complete)
{
    garray__device *cpu;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    const garray_backend *b = cpu->backend;
    cr_assert(b->elementwise && b->convert && b->generate && b->reduce && b->scan && b->sort && b->index);
    cr_assert(b->select_count && b->select_write && b->select_drop && b->matmul && b->solve && b->random);
    cr_assert(b->window && b->evaluate && b->recur);
    cr_assert(b->set_threads && b->threads && b->alloc && b->free && b->info && b->copy);
}

/* ---- memory, settings, report ---- */
Test(registry, memory)
{
    garray_memory_info info;
    garray__device *cpu;
    garray__buffer *a;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    cr_assert_eq(garray_memory_trim(GARRAY_CPU), GARRAY_OK);
    cr_assert_eq(garray__buffer_new(cpu, 5000000, &a), GARRAY_OK);
    cr_assert_eq(garray_memory_stats(GARRAY_CPU, &info), GARRAY_OK);
    cr_assert_eq(info.live_bytes, 5000000);
    garray__buffer_release(a);
    cr_assert_eq(garray_memory_reset_peak(GARRAY_CPU), GARRAY_OK);
    cr_assert_eq(garray_memory_trim(GARRAY_CPU), GARRAY_OK);
    cr_assert_eq(garray_memory_set_limit(GARRAY_CPU, -1), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_memory_set_limit(GARRAY_CPU, 4000000), GARRAY_OK);
    cr_assert_eq(garray__buffer_new(cpu, 5000000, &a), GARRAY_ERR_NOMEM);
    cr_assert(strstr(garray_error_message(), "out of memory on cpu: 5000000 bytes asked for"), "%s",
              garray_error_message());
    cr_assert_eq(garray_memory_set_limit(GARRAY_CPU, 0), GARRAY_OK);
    cr_assert_eq(garray_memory_stats(GARRAY_CPU, &info), GARRAY_OK);
    cr_assert(info.live_bytes == 0 && info.peak_bytes == 0 && info.limit_bytes == 0);
    cr_assert_eq(garray_memory_stats(GARRAY_CPU, NULL), GARRAY_ERR_INVALID);
}

static void note_line(void *ctx, garray_log_level level, const char *message)
{
    cr_assert(level >= GARRAY_LOG_DEBUG && level <= GARRAY_LOG_ERROR);
    cr_assert(!strchr(message, '\n'));
    ++*(int *)ctx;
}

Test(registry, settings)
{
    int lines = 0;
    garray_set_log(note_line, &lines);
    cr_assert_eq(garray_set_num_threads(-1), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_set_num_threads(1), GARRAY_OK);
    cr_assert_eq(garray_num_threads(), 1);
    cr_assert_eq(garray_set_num_threads(0), GARRAY_OK);
    cr_assert_geq(garray_num_threads(), 1);
    cr_assert_geq(lines, 1);
    garray_set_log(NULL, NULL);
}

static void keep_text(void *ctx, const char *text, size_t length)
{
    cr_assert_eq(strlen(text), length);
    cr_assert_eq(text[length - 1], '\n');
    snprintf(ctx, 8000, "%s", text);
}

Test(registry, report)
{
    static char text[8000];
    cr_assert_eq(garray_report_end(NULL, keep_text, text), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_report_begin(), GARRAY_OK);
    cr_assert_eq(garray_report_begin(), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_report_end(NULL, NULL, NULL), GARRAY_ERR_INVALID);
    cr_assert_eq(garray_report_end(NULL, keep_text, text), GARRAY_OK);
    cr_assert(strstr(text, "Nothing was computed."), "%s", text);
    cr_assert(strstr(text, "a plain copy:"), "%s", text);
    cr_assert_eq(garray_report_begin(), GARRAY_OK);
    garray_report_opts opts = { .format = GARRAY_REPORT_JSON };
    cr_assert_eq(garray_report_end(&opts, keep_text, text), GARRAY_OK);
    cr_assert(text[0] == '{' && strstr(text, "\"verdict\": \""), "%s", text);
    opts.format = (garray_report_format)9;
    cr_assert_eq(garray_report_end(&opts, keep_text, text), GARRAY_ERR_INVALID);
}
