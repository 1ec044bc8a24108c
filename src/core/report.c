/* SPDX-License-Identifier: BSD-3-Clause
 * The report's bookkeeping: what each plan took, on the clock of its device.  Counting goes on until the last
 * report ends; each report is the difference between two moments. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/pool.h"
#include "core/report.h"
#include "core/stream.h"

/* Pairs of events whose time has not been read yet. */
#define PENDING 2048

typedef struct pending {
    garray__device *device;
    void *begin, *end;
    int row;
    double bytes, flops;
} pending;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* guards all of this file's data */
static garray__tally now;
static garray__tally *since; /* when garray_report_begin() was called; NULL: no report is running */
static pending queue[PENDING];
static size_t head, count;              /* of the ring */
static double started;                  /* when counting began */
static _Atomic(double) measuring_time;  /* spent on ceilings, which is not the program's */

static char target[1024];               /* GARRAY_REPORT, or empty */
static pid_t target_pid;

double garray__report_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void garray__report_count(garray__counter counter)
{
    pthread_mutex_lock(&lock);
    now.counter[counter]++;
    pthread_mutex_unlock(&lock);
}

void garray__report_waited(double seconds)
{
    if (!(garray__watching() & GARRAY__WATCH_REPORT))
        return;
    pthread_mutex_lock(&lock);
    now.waited += seconds;
    pthread_mutex_unlock(&lock);
}

void garray__report_lock(void)
{
    pthread_mutex_lock(&lock);
}

void garray__report_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- the ceiling: a plain copy, measured once per device ---- */
static garray_status copy_once(garray__device *device, const garray__queue *q, void *to, const void *from,
                               size_t size)
{
    if (garray__device_is_async(device)) {
        garray_copy_plan plan = { .kind = GARRAY_COPY_ON_DEVICE, .src = from, .dst = to, .size = size };
        return device->backend->copy(q, &plan);
    }
    garray_ew_plan plan = { .dtype = GARRAY_UINT8, .nop = 2, .ndim = 1, .layout = GARRAY_EW_CONTIGUOUS,
                            .count = (int64_t)size };
    plan.shape[0] = (int64_t)size;
    plan.operand[0] = (garray_ew_operand){ .data = to, .dtype = GARRAY_UINT8 };
    plan.operand[1] = (garray_ew_operand){ .data = (void *)(uintptr_t)from, .dtype = GARRAY_UINT8 };
    plan.operand[0].strides[0] = plan.operand[1].strides[0] = 1;
    return device->backend->convert(q, &plan);
}

/* Seconds of one copy, the best of some; 0 if it cannot be told. */
static double time_copy(garray__device *device, const garray__queue *q, void *to, const void *from,
                        size_t size)
{
    const garray_backend *backend = device->backend;
    bool async = garray__device_is_async(device);
    void *begin = NULL, *end = NULL;
    double best = 0;
    if (async && (backend->event_new(device->handle, true, &begin) != GARRAY_OK ||
                  backend->event_new(device->handle, true, &end) != GARRAY_OK))
        goto done;
    for (int round = 0; round < 4; round++) {
        double seconds, ms;
        double start = garray__report_clock();
        if (async && backend->event_record(q, begin) != GARRAY_OK)
            break;
        if (copy_once(device, q, to, from, size) != GARRAY_OK)
            break;
        if (async) {
            if (backend->event_record(q, end) != GARRAY_OK ||
                backend->event_wait_host(device->handle, end) != GARRAY_OK ||
                backend->event_elapsed(device->handle, begin, end, &ms) != GARRAY_OK)
                break;
            seconds = ms * 1e-3;
        } else
            seconds = garray__report_clock() - start;
        if (round > 0 && seconds > 0 && (best == 0 || seconds < best)) /* the first one touches the pages */
            best = seconds;
    }
done:
    if (begin)
        backend->event_free(device->handle, begin);
    if (end)
        backend->event_free(device->handle, end);
    return best;
}

static double measure_ceiling(garray__device *device, const garray__queue *q)
{
    static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;
    const garray_backend *backend = device->backend;
    size_t size = (size_t)(garray__device_is_async(device) ? 256 : 64) << 20;
    void *to = NULL, *from = NULL;
    double start = garray__report_clock();
    if (pthread_mutex_trylock(&measuring) != 0)     /* another thread is at it */
        return 0;
    double ceiling = atomic_load(&device->ceiling);
    if (ceiling == 0) {
        double seconds = 0;
        if (backend->alloc(device->handle, size, &to) == GARRAY_OK &&
            backend->alloc(device->handle, size, &from) == GARRAY_OK) {
            if (!garray__device_is_async(device))
                memset(from, 1, size);          /* untouched pages would all be one page of zeros */
            seconds = time_copy(device, q, to, from, size);
        }
        if (to)
            backend->free(device->handle, to, size);
        if (from)
            backend->free(device->handle, from, size);
        ceiling = seconds > 0 ? 2.0 * (double)size / seconds : -1;      /* below 0: cannot be told */
        atomic_store(&device->ceiling, ceiling);
        atomic_store(&measuring_time, atomic_load(&measuring_time) + garray__report_clock() - start);
    }
    pthread_mutex_unlock(&measuring);
    return ceiling;
}

/* ---- booking; lock is held ---- */
static int find_row(garray_device_type type, garray__entry entry, const char *name)
{
    for (int i = 0; i < now.nrows; i++)
        if (now.row[i].name == name && now.row[i].entry == entry && now.row[i].type == type)
            return i;
    if (now.nrows == GARRAY__REPORT_ROWS)
        return GARRAY__REPORT_ROWS - 1;
    now.row[now.nrows] = (garray__row){ .name = name, .entry = entry, .type = type };
    return now.nrows++;
}

static void book_time(int row, double seconds, double bytes, double flops)
{
    garray__row *r = &now.row[row];
    r->timed++;
    r->seconds += seconds;
    r->timed_bytes += bytes;
    r->timed_flops += flops;
}

/* Reads the oldest pending times: those that are over, or all if asked to wait. */
static void harvest(bool wait, int most)
{
    while (count && most-- > 0) {
        pending *p = &queue[head];
        const garray_backend *backend = p->device->backend;
        bool usable = atomic_load(&p->device->state) == GARRAY__DEVICE_USABLE, done = false;
        double ms;
        if (usable) {
            if (wait)
                done = backend->event_wait_host(p->device->handle, p->end) == GARRAY_OK;
            else if (backend->event_query(p->device->handle, p->end, &done) != GARRAY_OK)
                done = false;
            if (!done && !wait)
                return;
            if (done && backend->event_elapsed(p->device->handle, p->begin, p->end, &ms) == GARRAY_OK)
                book_time(p->row, ms * 1e-3, p->bytes, p->flops);
            backend->event_free(p->device->handle, p->begin);
            backend->event_free(p->device->handle, p->end);
        }
        head = (head + 1) % PENDING;
        count--;
    }
}

void garray__report_enter(const garray__device *device, const garray__queue *q, garray__measure *m)
{
    m->begin = m->end = NULL;
    if (atomic_load(&((garray__device *)device)->ceiling) == 0)
        (void)measure_ceiling((garray__device *)device, q);
    const garray_backend *backend = device->backend;
    if (garray__device_is_async(device)) {
        if (backend->event_new(device->handle, true, &m->begin) != GARRAY_OK)
            m->begin = NULL;
        else if (backend->event_new(device->handle, true, &m->end) != GARRAY_OK ||
                 backend->event_record(q, m->begin) != GARRAY_OK) {
            if (m->end)
                backend->event_free(device->handle, m->end);
            backend->event_free(device->handle, m->begin);
            m->begin = m->end = NULL;
        }
    }
    m->start = garray__report_clock();
}

void garray__report_leave(garray__device *device, const garray__queue *q, garray__measure *m,
                          garray__entry entry, const void *plan)
{
    double seconds = garray__report_clock() - m->start;
    const garray_backend *backend = device->backend;
    garray__cost cost = garray__plan_cost(entry, plan);
    const char *name = garray__plan_name(entry, plan);
    bool timed = m->begin && backend->event_record(q, m->end) == GARRAY_OK;

    pthread_mutex_lock(&lock);
    int row = find_row((garray_device_type)device->id.type, entry, name);
    now.row[row].calls++;
    now.row[row].bytes += cost.bytes;
    now.row[row].flops += cost.flops;
    if (!garray__device_is_async(device))
        book_time(row, seconds, cost.bytes, cost.flops);
    harvest(count == PENDING, count == PENDING ? PENDING / 4 : 8);
    if (timed) {
        queue[(head + count) % PENDING] = (pending){ .device = device,
                                                     .begin = m->begin,
                                                     .end = m->end,
                                                     .row = row,
                                                     .bytes = cost.bytes,
                                                     .flops = cost.flops };
        count++;
    }
    pthread_mutex_unlock(&lock);
    if (!timed && m->begin) {
        backend->event_free(device->handle, m->begin);
        backend->event_free(device->handle, m->end);
    }
}

/* ---- moments ---- */
/* Brings `now` up to date; lock is held. */
static void update(void)
{
    now.wall = garray__report_clock() - started - atomic_load(&measuring_time);
    now.ndevices = 0;
    for (garray__device *d = garray__device_next(NULL); d; d = garray__device_next(d)) {
        garray_memory_info info;
        garray__pool_info(d->pool, &info);
        now.device[now.ndevices++] = (garray__tally_device){
            .id = d->id, .ceiling = atomic_load(&d->ceiling), .allocations = info.allocations,
            .driver_allocations = info.driver_allocations, .peak = info.peak_bytes };
    }
}

static int64_t device_before(const garray__tally *tally, garray_device id, bool driver)
{
    for (int i = 0; i < tally->ndevices; i++)
        if (tally->device[i].id.type == id.type && tally->device[i].id.index == id.index)
            return driver ? tally->device[i].driver_allocations : tally->device[i].allocations;
    return 0;
}

/* What was counted between two moments.  Rows are never removed, so equal indices are the same row. */
static void difference(garray__tally *tally, const garray__tally *before)
{
    tally->wall -= before->wall;
    tally->waited -= before->waited;
    for (int i = 0; i < GARRAY__COUNTERS; i++)
        tally->counter[i] -= before->counter[i];
    for (int i = 0; i < before->nrows; i++) {
        garray__row *r = &tally->row[i];
        const garray__row *b = &before->row[i];
        r->calls -= b->calls;
        r->timed -= b->timed;
        r->seconds -= b->seconds;
        r->bytes -= b->bytes;
        r->flops -= b->flops;
        r->timed_bytes -= b->timed_bytes;
        r->timed_flops -= b->timed_flops;
    }
    for (int i = 0; i < tally->ndevices; i++) {
        garray__tally_device *d = &tally->device[i];
        d->allocations -= device_before(before, d->id, false);
        d->driver_allocations -= device_before(before, d->id, true);
    }
}

garray_status garray_report_begin(void)
{
    GARRAY_ENTER("garray_report_begin");
    garray__device *device;
    GARRAY_TRY(garray__device_get(GARRAY_CPU, &device));    /* also reads the environment */
    garray__tally *start = malloc(sizeof *start);
    GARRAY_REQUIRE(start, NOMEM, "no host memory for a report");
    for (garray__device *d = garray__device_next(NULL); d; d = garray__device_next(d))
        if (atomic_load(&d->ceiling) == 0 && garray__device_check(d) == GARRAY_OK)
            (void)measure_ceiling(d, garray__queue_current(d));
    pthread_mutex_lock(&lock);
    bool running = since != NULL;
    if (!running) {
        if (!target[0]) {
            started = garray__report_clock();
            atomic_store(&measuring_time, 0);
        }
        update();
        *start = now;
        since = start;
        atomic_fetch_or(&garray__watch, GARRAY__WATCH_REPORT);
    }
    pthread_mutex_unlock(&lock);
    if (running) {
        free(start);
        return garray__fail(GARRAY_ERR_INVALID, "a report is being counted already");
    }
    return GARRAY_OK;
}

garray_status garray_report_end(const garray_report_opts *opts, garray_report_fn fn, void *ctx)
{
    GARRAY_ENTER("garray_report_end");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(fn, INVALID, "fn is NULL");
    GARRAY_REQUIRE(!opts || (opts->format >= 0 && opts->format <= GARRAY_REPORT_JSON), INVALID,
                   "report format %d is unknown", (int)opts->format);
    GARRAY_REQUIRE(!opts || opts->rows >= 0, INVALID, "rows is %d", (int)opts->rows);
    garray_status st = GARRAY_OK;
    for (garray__device *d = garray__device_next(NULL); d; d = garray__device_next(d)) {
        garray_status one = garray__device_finish(d);
        if (st == GARRAY_OK)
            st = one;
    }
    garray__tally *tally = malloc(sizeof *tally), *before;
    GARRAY_REQUIRE(tally, NOMEM, "no host memory for a report");
    pthread_mutex_lock(&lock);
    before = since;
    since = NULL;
    if (before) {
        harvest(true, PENDING);
        update();
        *tally = now;
        if (!target[0])
            atomic_fetch_and(&garray__watch, ~GARRAY__WATCH_REPORT);
    }
    pthread_mutex_unlock(&lock);
    if (!before) {
        free(tally);
        return garray__fail(GARRAY_ERR_INVALID, "no report was begun");
    }
    difference(tally, before);
    size_t length;
    char *text = garray__report_write(tally, opts && opts->format ? opts->format : GARRAY_REPORT_TEXT,
                                      opts ? opts->rows : 0, &length);
    free(tally);
    if (!text) {        /* as if this call had not been: the report goes on */
        pthread_mutex_lock(&lock);
        if (!since) {
            since = before;
            before = NULL;
            atomic_fetch_or(&garray__watch, GARRAY__WATCH_REPORT);
        }
        pthread_mutex_unlock(&lock);
        free(before);
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a report");
    }
    free(before);
    fn(ctx, text, length);
    free(text);
    return st;
}

/* ---- GARRAY_REPORT ---- */
void garray__report_start(void)
{
    const char *value = secure_getenv("GARRAY_REPORT");
    if (!value || !*value || strcmp(value, "0") == 0)
        return;
    pthread_mutex_lock(&lock);
    snprintf(target, sizeof target, "%s", value);
    target_pid = getpid();
    started = garray__report_clock();
    pthread_mutex_unlock(&lock);
    atomic_fetch_or(&garray__watch, GARRAY__WATCH_REPORT);
}

/* The program's end: formats what is known and writes it.  No device is asked any more; times of GPU work
 * that nobody waited for are missing. */
__attribute__((destructor)) static void report_at_exit(void)
{
    if (!target[0] || getpid() != target_pid)
        return;
    bool json = strcmp(target, "json") == 0;
    int fd = 2;
    if (!json && strcmp(target, "1") != 0) {
        size_t n = strlen(target);
        json = n > 5 && strcmp(target + n - 5, ".json") == 0;
        fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0)
            return;
    }
    pthread_mutex_lock(&lock);
    update();
    size_t length = 0;
    char *text = garray__report_write(&now, json ? GARRAY_REPORT_JSON : GARRAY_REPORT_TEXT, 0, &length);
    pthread_mutex_unlock(&lock);
    for (size_t at = 0; text && at < length;) {
        ssize_t n = write(fd, text + at, length - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    free(text);
    if (fd != 2)
        close(fd);
}
