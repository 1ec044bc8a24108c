/* SPDX-License-Identifier: BSD-3-Clause
 * Long life on one device: threads with streams of their own compute, copy and release at random, and memory must stay as
 * it is.  See tools/soak.
 *
 * Every few seconds all threads stop and release everything.  Then nothing may be alive and the pools must give back all
 * they hold.  At the end the process must not have grown, nor the memory in use on the device: see grows(). */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <garray/garray.h>
#include "core/device.h"
#include "splitmix.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
/* An address checker keeps freed memory for a while, so that the process grows without a leak. */
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { CHECKED = 1 };
#else
enum { CHECKED = 0 };
#endif

enum { THREADS = 4, LANES = 2, SLOTS = 12, STEPS_BETWEEN = 16, LENGTHS = 150 };

/* Elements i have the value first + i * step, as int32 wraps. */
typedef struct slot {
    garray_t *x;
    uint32_t first, step;
    int64_t n;
} slot;

typedef struct worker {
    pthread_t thread;
    uint64_t state;
    garray_stream *lane[LANES];
    slot slot[SLOTS];
    garray_t *real, *table;     /* float32: what is random and large, and square */
    uint32_t *host;
    const char *wrong;
    char text[300];
    int64_t steps;
} worker;

enum { MOST = 1 << 20, LINES = 4096 };

static garray_device device;
static atomic_bool stop, pause_all;
static pthread_barrier_t barrier;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t next_random(worker *w)
{
    return splitmix(&w->state);
}

static int below(worker *w, int n)
{
    return (int)(next_random(w) % (uint64_t)n);
}

static int64_t random_length(worker *w)
{
    const int bits = 1 + below(w, 20);
    return 1 + (int64_t)(next_random(w) % ((uint64_t)1 << bits));
}

/* One of LENGTHS: more than plans of cuFFT are kept, so that plans come and go, and few enough to meet them all soon.  cuFFT
 * loads other kernels for other lengths, and they stay: with lengths without end the process would grow for hours.  Short
 * ones, since plans are in the heap, and which of them are there now is chance. */
static int64_t transform_length(worker *w)
{
    const uint64_t z = splitmix_of((uint64_t)(1 + below(w, LENGTHS)) * UINT64_C(0x9e3779b97f4a7c15));
    return 1 + (int64_t)((z >> 8) % ((uint64_t)1 << (1 + z % 13)));
}

/* ---- steps ---- */
static garray_status create(worker *w, slot *s)
{
    s->n = random_length(w);
    s->first = (uint32_t)next_random(w);
    s->step = (uint32_t)below(w, 1000);
    for (int64_t i = 0; i < s->n; i++)
        w->host[i] = s->first + (uint32_t)i * s->step;
    garray_status st = garray_from_host(w->host, GARRAY_INT32, GARRAY_SHAPE(s->n), NULL, device, &s->x);
    memset(w->host, 0xee, (size_t)(s->n < 64 ? s->n : 64) * 4);         /* it is ours again */
    return st;
}

static garray_status change(worker *w, slot *s)
{
    const int32_t k = 1 + below(w, 50);
    switch (below(w, 4)) {
    case 0:
        s->first += (uint32_t)k;
        return garray_add(s->x, k, &s->x);
    case 1:
        s->first *= (uint32_t)k;
        s->step *= (uint32_t)k;
        return garray_multiply(s->x, k, &s->x);
    case 2:
        s->first += s->step * (uint32_t)(s->n - 1);
        s->step = 0u - s->step;
        return garray_getitem(s->x, GARRAY_AT(GARRAY_REVERSED), &s->x);
    default:
        return garray_copy(s->x, &s->x);
    }
}

/* Work whose values others test: here it is there for its memory. */
static garray_status compute(worker *w)
{
    GARRAY_AUTO garray_t *y = NULL, *z = NULL;
    const int what = below(w, 9);
    const int64_t n = what == 1 ? transform_length(w) : random_length(w) / 4 + 1;
    garray_rng rng = GARRAY_RNG(next_random(w));
    GARRAY_TRY(garray_getitem(w->real, GARRAY_AT(GARRAY_TO(n)), &y));
    switch (what) {
    case 0: return garray_sort(y, -1, NULL, &z);
    case 1: return garray_fft_rfft(y, -1, NULL, &z);
    case 2: return garray_cumulative_sum(y, GARRAY_AXES(0), NULL, &z);
    case 3: return garray_matmul(w->table, w->table, &z);
    case 4: return garray_linalg_solve(w->table, w->table, &z);
    case 5: return garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT64, device, &z);
    case 6:
        GARRAY_TRY(garray_greater(y, 0.5, &z));
        return garray_getitem(y, GARRAY_AT(z), &z);
    case 7: return garray_median(y, GARRAY_ALL_AXES, NULL, &z);
    default:
        GARRAY_TRY(garray_exp(y, &z));
        return garray_sum(z, GARRAY_ALL_AXES, NULL, &z);
    }
}

static garray_status check(worker *w, const slot *s)
{
    GARRAY_TRY(garray_to_host(s->x, w->host, NULL, (size_t)s->n * 4));
    for (int64_t i = 0; i < s->n && !w->wrong; i++)
        if (w->host[i] != s->first + (uint32_t)i * s->step)
            w->wrong = "a value is wrong";
    return GARRAY_OK;
}

static garray_status one_step(worker *w)
{
    slot *s = &w->slot[below(w, SLOTS)];
    const int what = below(w, 100);
    GARRAY_TRY(garray_stream_swap(w->lane[below(w, LANES)], device, NULL));
    if (!s->x)
        return create(w, s);
    if (what < 45)
        return change(w, s);
    if (what < 75)
        return compute(w);
    if (what < 85)
        return check(w, s);
    garray_release(s->x);
    s->x = NULL;
    return GARRAY_OK;
}

/* ---- threads ---- */
static garray_status open_worker(worker *w)
{
    GARRAY_AUTO garray_t *one = NULL;
    garray_rng rng = GARRAY_RNG(w->state);
    for (int i = 0; i < LANES; i++)
        if (!w->lane[i])
            GARRAY_TRY(garray_stream_new(device, &w->lane[i]));
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(MOST), GARRAY_FLOAT32, device, &w->real));
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(120, 120), GARRAY_FLOAT32, device, &w->table));
    GARRAY_TRY(garray_eye(120, 120, 0, GARRAY_FLOAT32, device, &one));
    GARRAY_TRY(garray_multiply(one, 100, &one));
    return garray_add(w->table, one, &w->table);
}

static void drop_all(worker *w)
{
    for (int i = 0; i < SLOTS; i++) {
        garray_release(w->slot[i].x);
        w->slot[i].x = NULL;
    }
    garray_release(w->real);
    garray_release(w->table);
    w->real = w->table = NULL;
}

static void *run(void *arg)
{
    worker *w = arg;
    garray_status st = open_worker(w);
    for (;;) {
        if (atomic_load(&pause_all)) {
            drop_all(w);
            pthread_barrier_wait(&barrier);     /* released */
            pthread_barrier_wait(&barrier);     /* looked at */
            if (atomic_load(&stop))
                break;
            if (st == GARRAY_OK && !w->wrong)
                st = open_worker(w);
        }
        for (int i = 0; i < STEPS_BETWEEN && st == GARRAY_OK && !w->wrong; i++, w->steps++)
            st = one_step(w);
        if (st != GARRAY_OK && !w->wrong) {
            snprintf(w->text, sizeof w->text, "%s", garray_error_message());
            w->wrong = w->text;
        }
        if (w->wrong)
            usleep(1000);
    }
    (void)!garray_stream_swap(NULL, device, NULL);
    for (int i = 0; i < LANES; i++)
        garray_stream_free(w->lane[i]);
    return NULL;
}

/* ---- what is left when all have stopped ---- */
typedef struct figures {
    long long live, peak, cached, pinned;       /* bytes */
    long long heap;                             /* that malloc() has handed out, without what threads keep of arrays' memory */
    long long own, file;                        /* resident: the process's own, likewise, and what files lie behind */
    long long used;                             /* of the device, by all */
} figures;

/* Bytes of a line of /proc/self/status. */
static long long status_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? 1024 * atoll(at + strlen(name)) : 0;
}

static void look_at_process(figures *f)
{
    char text[8192];
    size_t n = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (file) {
        n = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[n] = 0;
    f->own = status_of(text, "RssAnon:");
    f->file = status_of(text, "RssFile:") + status_of(text, "RssShmem:");
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 heap = mallinfo2();          /* of all arenas */
    f->heap = (long long)(heap.uordblks + heap.hblkhd);
#endif
}

static garray_status look(figures *f)
{
    garray_memory_info info, pinned, cpu;
    garray__device *dev;
    garray_device_info about;
    GARRAY_TRY(garray_synchronize(device));
    GARRAY_TRY(garray_memory_stats(device, &info));
    f->peak = info.peak_bytes;
    GARRAY_TRY(garray_memory_trim(device));
    GARRAY_TRY(garray_pinned_trim(device));
    GARRAY_TRY(garray_memory_trim(GARRAY_CPU));
    GARRAY_TRY(garray_memory_stats(device, &info));
    GARRAY_TRY(garray_memory_stats(GARRAY_CPU, &cpu));
    GARRAY_TRY(garray_pinned_stats(device, &pinned));
    GARRAY_TRY(garray__device_get(device, &dev));
    GARRAY_TRY(dev->backend->info(dev->handle, &about));
    malloc_trim(0);
    f->live = info.live_bytes + (device.type == GARRAY_DEVICE_CPU ? 0 : cpu.live_bytes);
    f->cached = info.cached_bytes;
    f->pinned = pinned.cached_bytes + pinned.live_bytes;
    f->used = device.type == GARRAY_DEVICE_CPU ? 0 : about.total_memory - about.free_memory;
    look_at_process(f);
    f->heap -= cpu.cached_bytes;
    f->own -= cpu.cached_bytes;
    return GARRAY_OK;
}

static int compare(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static long long median(const figures *f, int n, size_t member)
{
    long long value[LINES];
    for (int i = 0; i < n; i++)
        memcpy(&value[i], (const char *)&f[i] + member, sizeof *value);
    qsort(value, (size_t)n, sizeof *value, compare);
    return value[n / 2];
}

/* Whether a figure rises.  In the first half of the time libraries, kernels and plans are loaded at their first use, so the
 * last quarter is held against the third one; a single look differs from the next by megabytes (which plans are kept at the
 * moment, which pages of its arenas malloc() can give back), so it is the medians of the two.  What a call leaves behind is
 * in the heap, whose figure is exact: a few bytes a step are seen in some minutes.  Resident memory is judged for what does
 * not come from malloc(), and without the pages of files: code that is read at its first use. */
static bool grows(const char *what, const figures *f, int n, size_t member, long long slack)
{
    const int quarter = n / 4;
    if (quarter == 0)
        return false;
    const long long before = median(f + n - 2 * quarter, quarter, member), after = median(f + n - quarter, quarter, member);
    printf("%s: %lld bytes in the third quarter, %lld in the last\n", what, before, after);
    if (after <= before + before / 100 + slack)
        return false;
    fprintf(stderr, "soak: %s grew from %lld to %lld bytes\n", what, before, after);
    return true;
}

static const char *parse(int argc, char **argv, double *seconds, double *every, uint64_t *seed)
{
    const char *name = "cpu";
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[++i] : NULL;
        if (value && strcmp(argv[i - 1], "--device") == 0)
            name = value;
        else if (value && strcmp(argv[i - 1], "--minutes") == 0)
            *seconds = 60 * atof(value);
        else if (value && strcmp(argv[i - 1], "--seconds") == 0)
            *seconds = atof(value);
        else if (value && strcmp(argv[i - 1], "--every") == 0)
            *every = atof(value);
        else if (value && strcmp(argv[i - 1], "--seed") == 0)
            *seed = strtoull(value, NULL, 10);
        else
            return NULL;
    }
    return name;
}

int main(int argc, char **argv)
{
    static worker w[THREADS];
    double seconds = 60, every = 0;
    uint64_t seed = 1;
    const char *name = parse(argc, argv, &seconds, &every, &seed);
    static figures line[LINES];
    int lines = 0;
    bool failed = false;
    if (!name || seconds <= 0) {
        fprintf(stderr, "soak: [--device NAME] [--minutes N | --seconds S] [--every SECONDS] [--seed N]\n");
        return 2;
    }
    if (every <= 0)
        every = seconds / 20 > 10 ? 10 : seconds / 20;
    if (seconds / every > LINES)
        every = seconds / LINES;
    GARRAY_CHECK(garray_device_parse(name, &device));
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        w[i].state = seed * 1000 + (uint64_t)i;
        w[i].host = malloc(MOST * 4 + 4);
        if (!w[i].host || pthread_create(&w[i].thread, NULL, run, &w[i]) != 0)
            return 1;
    }
    const double start = now();
    for (double next = every; !atomic_load(&stop); next += every) {
        while (now() - start < next)
            usleep(20000);
        atomic_store(&pause_all, true);
        pthread_barrier_wait(&barrier);
        int64_t steps = 0;
        const double took = now() - start;
        figures f = { 0 };
        garray_status st = look(&f);
        for (int i = 0; i < THREADS; i++) {
            steps += w[i].steps;
            if (w[i].wrong)
                fprintf(stderr, "soak: thread %d, step %lld: %s\n", i, (long long)w[i].steps, w[i].wrong);
            failed |= w[i].wrong != NULL;
        }
        printf("%7.1f s  %10lld steps  live %lld  peak %lld  cached %lld  pinned %lld  heap %lld  own %lld  file %lld  device %lld\n",
               took, (long long)steps, f.live, f.peak, f.cached, f.pinned, f.heap, f.own, f.file, f.used);
        fflush(stdout);
        if (st != GARRAY_OK) {
            fprintf(stderr, "soak: %s\n", garray_error_message());
            failed = true;
        }
        /* on the CPU each thread keeps small blocks until its next call */
        if (f.live || f.pinned || (f.cached && device.type != GARRAY_DEVICE_CPU)) {
            fprintf(stderr, "soak: memory is left when all has been released\n");
            failed = true;
        }
        if (lines < LINES)
            line[lines++] = f;
        atomic_store(&stop, failed || took + every > seconds);
        atomic_store(&pause_all, false);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        free(w[i].host);
    }
    pthread_barrier_destroy(&barrier);
    if (!failed) {
        const bool is_short = seconds < 60;
        if (!CHECKED) {
            failed |= grows("the heap", line, lines, offsetof(figures, heap), is_short ? 16 << 20 : 1 << 20);
            failed |= grows("the process", line, lines, offsetof(figures, own), is_short ? 64 << 20 : 4 << 20);
        }
        failed |= grows("the device's memory", line, lines, offsetof(figures, used), 64 << 20);
    }
    garray_status st = garray_shutdown();
    if (st != GARRAY_OK)
        fprintf(stderr, "soak: %s\n", garray_error_message());
    printf("%s\n", failed || st != GARRAY_OK ? "failed" : "nothing wrong, memory is flat");
    return failed || st != GARRAY_OK;
}
