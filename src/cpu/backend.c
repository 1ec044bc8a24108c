/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU as a backend: one device, its memory, and the table of entries. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cpu/fft.h"
#include "cpu/loops.h"
#include "garray/device.h"

const garray_host *garray__cpu_host;

/* ---- the device ---------------------------------------------------------------------------------------- */
static bool has_level;                  /* the processor has a level that is compiled */

static garray_status count_devices(int *count)
{
    *count = has_level;
    if (!has_level)
        return garray__cpu_host->fail(GARRAY_ERR_NO_DEVICE, "this build needs a processor of level x86-64-v%d or higher",
                                      GARRAY_ISA_LOWEST);
    return GARRAY_OK;
}

static garray_status open_device(int index, void **device)
{
    if (index != 0)
        return garray__cpu_host->fail(GARRAY_ERR_NO_DEVICE,
                                      "there is one CPU device, number 0, and no cpu:%d", index);
    *device = NULL;
    return GARRAY_OK;
}

/* Threads and prepared transforms come again when they are needed. */
static void close_device(void *device)
{
    (void)device;
    garray__fft_forget();
    (void)garray__cpu_set_threads(garray__cpu_threads());
}

/* The value of the first line of a /proc file that begins with key; false: there is none. */
static bool read_line(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)))
            continue;
        const char *text = line + strlen(key);
        size_t length;
        text += strspn(text, " \t:");
        length = strcspn(text, "\n");
        if (length >= size)
            length = size - 1;
        memcpy(value, text, length);
        value[length] = 0;
        found = true;
    }
    fclose(file);
    return found;
}

static garray_status get_info(void *device, garray_device_info *info)
{
    char text[256];
    (void)device;
    memset(info, 0, sizeof *info);
    if (!read_line("/proc/cpuinfo", "model name", info->name, sizeof info->name))
        strcpy(info->name, "CPU");
    int64_t page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    info->total_memory = pages > 0 ? pages * page : 0;
    if (read_line("/proc/meminfo", "MemAvailable", text, sizeof text))
        info->free_memory = strtoll(text, NULL, 10) * 1024;
    info->multiprocessors = garray__cpu_threads();
    return GARRAY_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */
enum {
    ALIGNMENT = 256,            /* what core's pool promises */
    PAGE = 65536,               /* or a divisor of it, on every system */
    HUGE_PAGE = 2 << 20,
    MAPPED_SIZE = 4 << 20       /* blocks from here on are mapped, with huge pages where there are any */
};

static garray_status no_memory(size_t size)
{
    return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "out of memory: cannot allocate %zu bytes", size);
}

/* Blocks begin in a huge page, but not all at the same place of it: a load waits for a store to another array
 * whose address has the same low 12 bits. */
static size_t stagger(void)
{
    static atomic_uint count;
    return atomic_fetch_add_explicit(&count, 5, memory_order_relaxed) % 16 * ALIGNMENT;
}

/* Maps whole huge pages by mapping more and cutting off both ends; size leaves room for the stagger. */
static void *map_huge(size_t size)
{
    size_t whole = size + HUGE_PAGE;
    char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t head = -(uintptr_t)p & (HUGE_PAGE - 1);
    if (head)
        munmap(p, head);
    munmap(p + head + size, whole - head - size);
#ifdef MADV_HUGEPAGE
    madvise(p + head, size, MADV_HUGEPAGE);
#endif
    return p + head + stagger();
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) & ~(unit - 1);
}

static size_t mapped(size_t size)
{
    return round_up(size + 16 * ALIGNMENT, PAGE);
}

static garray_status alloc(void *device, size_t size, void **ptr)
{
    (void)device;
    if (size > PTRDIFF_MAX - 2 * HUGE_PAGE)
        return no_memory(size);
    void *p = size >= MAPPED_SIZE ? map_huge(mapped(size))
                                  : aligned_alloc(ALIGNMENT, round_up(size, ALIGNMENT));
    if (!p)
        return no_memory(size);
    *ptr = p;
    return GARRAY_OK;
}

static void release(void *device, void *ptr, size_t size)
{
    (void)device;
    if (size >= MAPPED_SIZE)
        munmap((void *)((uintptr_t)ptr & ~(uintptr_t)(HUGE_PAGE - 1)), mapped(size));
    else
        free(ptr);
}

/* ---- copies -------------------------------------------------------------------------------------------- */
/* Four blocks a thread, of at least 64 KiB; of many threads a few reach the speed of memory, and the others would only be
 * waited for. */
enum { COPY_BLOCK = 1 << 20, COPY_LEAST = 1 << 16, FEW_THREADS = 8 };

static void copy_range(void *ctx, int64_t begin, int64_t end)
{
    const garray_copy_plan *p = ctx;
    char *to = (char *)p->dst + begin;
    const char *from = (const char *)p->src + begin;
    if (p->kind == GARRAY_COPY_TO_HOST || (int64_t)p->size >= garray__cpu_stream_size) {
        garray__cpu_move->stream(to, from, end - begin);
        garray__cpu_move->stream_done();
    } else {
        memcpy(to, from, (size_t)(end - begin));
    }
}

garray_status garray__cpu_copy(const garray__queue *q, const garray_copy_plan *plan)
{
    (void)q;
    const int threads = garray__cpu_threads();
    const int64_t least = threads <= FEW_THREADS ? COPY_LEAST : 4 * COPY_LEAST;
    int64_t block = (int64_t)plan->size / (4 * threads) / COPY_LEAST * COPY_LEAST;
    block = block < least ? least : block > COPY_BLOCK ? COPY_BLOCK : block;
    garray__cpu_parallel((int64_t)plan->size, block, 0.05 * (double)plan->size, copy_range,
                         (void *)plan);
    return GARRAY_OK;
}

/* ---- the table ----------------------------------------------------------------------------------------- */
const garray_backend garray__cpu_backend = {
    .version = GARRAY_BACKEND_VERSION,
    .size = sizeof(garray_backend),
    .name = "cpu",
    .device_type = GARRAY_DEVICE_CPU,
    .count = count_devices,
    .open = open_device,
    .close = close_device,
    .info = get_info,
    .alloc = alloc,
    .free = release,
#define GARRAY_ENTRY(number, name, plan_type) .name = garray__cpu_##name,
#include "core/entries.def"
    .select_drop = garray__cpu_select_drop,
    .set_threads = garray__cpu_set_threads,
    .threads = garray__cpu_threads,
};

const garray_backend *garray__cpu_backend_open(const garray_host *host)
{
    if (host->version != GARRAY_BACKEND_VERSION)
        return NULL;
    garray__cpu_host = host;
    has_level = garray__cpu_isa_init();
    garray__cpu_dtypes_init();
    return &garray__cpu_backend;
}
