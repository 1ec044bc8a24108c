/* SPDX-License-Identifier: BSD-3-Clause
 * The registry of devices: backends are opened once, devices at their first use, and stay open.  A fork is
 * noticed by a handler: the child may go on with the CPU, and gets an error for GPUs that the parent had
 * opened. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device.h"
#include "core/graph.h"
#include "core/module.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/shadow.h"
#include "core/stream.h"
#include "core/submit.h"
#include "garray/pinned.h"

_Atomic(garray__device *) garray__devices[GARRAY__DEVICE_TYPES][GARRAY__DEVICES_PER_TYPE];

const garray_host garray__host = {
    .version = GARRAY_BACKEND_VERSION,
    .size = sizeof(garray_host),
    .scratch = garray__scratch,
    .scratch_free = garray__scratch_free,
    .fail = garray__fail,
    .log = garray__log,
};

/* How the opening of a type's backend went. */
typedef struct kind {
    const garray_backend *backend;
    bool tried, counted;
    int count;
    char reason[GARRAY__TEXT_SIZE];     /* why there is no device */
} kind;

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static kind kinds[GARRAY__DEVICE_TYPES];
static _Atomic bool forked;             /* the parent had used a GPU backend */

static const char *const type_names[GARRAY__DEVICE_TYPES] = { "cpu", "cuda" };
static char names[GARRAY__DEVICE_TYPES][GARRAY__DEVICES_PER_TYPE][20];

static void make_names(void)
{
    for (int type = 0; type < GARRAY__DEVICE_TYPES; type++)
        for (int i = 0; i < GARRAY__DEVICES_PER_TYPE; i++)
            snprintf(names[type][i], sizeof names[type][i], "%s:%d", type_names[type], i);
    snprintf(names[GARRAY_DEVICE_CPU][0], sizeof names[0][0], "cpu");
}

const char *garray__device_text(garray_device id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_names);
    if ((uint32_t)id.type >= GARRAY__DEVICE_TYPES)
        return "a device of unknown type";
    return (uint32_t)id.index < GARRAY__DEVICES_PER_TYPE ? names[id.type][id.index] : type_names[id.type];
}

/* ---- fork ---- */
/* The handlers hold every lock of the CPU's side, so that the child finds them free and what they guard
 * whole. Nothing of a GPU is touched in the child: its locks may be held by threads that are not there. */
static garray__device *cpu_device(void)
{
    return atomic_load(&garray__devices[GARRAY_DEVICE_CPU][0]);
}

static void before_fork(void)
{
    pthread_mutex_lock(&registry);
    garray__stream_lock();
    if (cpu_device())
        garray__pool_lock(cpu_device()->pool);
    garray__report_lock();
    garray__thread_lock();
    garray__graph_lock();
    garray__log_lock();
}

static void after_fork(void)
{
    garray__log_unlock();
    garray__graph_unlock();
    garray__thread_unlock();
    garray__report_unlock();
    if (cpu_device())
        garray__pool_unlock(cpu_device()->pool);
    garray__stream_unlock();
    pthread_mutex_unlock(&registry);
}

static void after_fork_in_child(void)
{
    for (int type = 0; type < GARRAY__DEVICE_TYPES; type++) {
        if (type == GARRAY_DEVICE_CPU || !kinds[type].backend)
            continue;
        atomic_store(&forked, true);
        for (int i = 0; i < GARRAY__DEVICES_PER_TYPE; i++) {
            garray__device *device = atomic_load(&garray__devices[type][i]);
            if (device)
                atomic_store(&device->state, GARRAY__DEVICE_IS_FORKED);
            atomic_store(&garray__devices[type][i], NULL);
        }
    }
    after_fork();
}

static void start(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    const char *sync = getenv("GARRAY_SYNC");
    if (sync && strcmp(sync, "1") == 0)
        garray_set_strict(true);
    garray__report_start();
    garray__shadow_start();
}

/* ---- opening ---- */
garray_status garray__device_fail_state(const garray__device *device)
{
    const char *text = garray__device_text(device->id);
    if (atomic_load(&((garray__device *)device)->state) == GARRAY__DEVICE_IS_FORKED)
        return garray__fail(GARRAY_ERR_FORKED, "%s was opened before fork(): a child process cannot use it",
                            text);
    return garray__fail(GARRAY_ERR_DEVICE_LOST, "%s has failed and cannot be used any more", text);
}

garray_status garray__device_note(garray__device *device, garray_status status)
{
    if (status == GARRAY_ERR_DEVICE_LOST) {
        int usable = GARRAY__DEVICE_USABLE;
        atomic_compare_exchange_strong(&device->state, &usable, GARRAY__DEVICE_IS_LOST);
    }
    return status;
}

garray_status garray__device_new(const garray_backend *backend, int index, garray__device **out)
{
    garray_status st;
    garray__device *device = calloc(1, sizeof *device);
    if (!device)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a device");
    device->backend = backend;
    device->flags = backend->flags;
    device->id = (garray_device){ (int32_t)backend->device_type, index };
    GARRAY__TRY(backend->open(index, &device->handle));
    st = garray__pool_new(device, &device->pool);
    if (st == GARRAY_OK)
        st = garray__stream_open(device, false, NULL, &device->stream);
    if (st == GARRAY_OK) {
        device->stream->owned = true;
        *out = device;
        return GARRAY_OK;
    }
    if (device->pool)
        garray__pool_free(device->pool);
    if (backend->close)
        backend->close(device->handle);
done:
    free(device);
    return st;
}

void garray__device_free(garray__device *device)
{
    if (!device)
        return;
    garray__pool_deferred(device->pool, true);
    (void)garray__pool_trim(device->pool);
    garray__stream_close(device->stream);
    garray__pool_free(device->pool);
    garray__stream_forget(device);
    if (device->backend->close)
        device->backend->close(device->handle);
    free(device);
}

/* The backend of a type and its number of devices; registry is locked.  NO_DEVICE only for a count of 0. */
static garray_status open_kind(int type, kind **out)
{
    kind *k = &kinds[type];
    *out = k;
    if (!k->tried) {
        garray_status st = GARRAY_OK;
        k->tried = true;
        if (type == GARRAY_DEVICE_CPU)
            k->backend = garray__cpu_backend_open(&garray__host);
        else
            st = garray__module_open("garray-cuda", &garray__host, &k->backend);
        if (st != GARRAY_OK || !k->backend) {
            k->backend = NULL;
            snprintf(k->reason, sizeof k->reason, "%s",
                     st != GARRAY_OK ? garray__error_detail() : "no backend");
        }
    }
    if (k->backend && !k->counted) {
        garray__clear_error();
        int count = 0;
        if (k->backend->count(&count) != GARRAY_OK)
            count = 0;
        k->counted = true;
        k->count = count < GARRAY__DEVICES_PER_TYPE ? count : GARRAY__DEVICES_PER_TYPE;
        if (count == 0) {
            const char *why = garray__error_detail();
            snprintf(k->reason, sizeof k->reason, "%s", *why ? why : "the driver finds no device");
        }
    }
    return k->count ? GARRAY_OK : GARRAY_ERR_NO_DEVICE;
}

garray_status garray__device_open(garray_device id, garray__device **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    GARRAY_REQUIRE((uint32_t)id.type < GARRAY__DEVICE_TYPES, INVALID, "device type %d is unknown",
                   (int)id.type);
    GARRAY_REQUIRE(id.index >= 0, INVALID, "device index %d is negative", (int)id.index);
    pthread_once(&once, start);
    const char *text = garray__device_text(id);
    if (id.type != GARRAY_DEVICE_CPU && atomic_load(&forked))
        return garray__fail(GARRAY_ERR_FORKED, "%s was opened before fork(): a child process cannot use it",
                            text);

    garray_status st;
    garray__device *device = NULL;
    kind *k;
    pthread_mutex_lock(&registry);
    st = open_kind(id.type, &k);
    if (st != GARRAY_OK)
        st = garray__fail(st, "%s cannot be used: %s", text, k->reason);
    else if (id.index >= k->count)
        st = garray__fail(GARRAY_ERR_NO_DEVICE, "%s:%d does not exist: there %s %d device%s of that type",
                          type_names[id.type], (int)id.index, k->count == 1 ? "is" : "are", k->count,
                          k->count == 1 ? "" : "s");
    else {
        device = atomic_load(&garray__devices[id.type][id.index]);
        if (!device)
            st = garray__device_new(k->backend, id.index, &device);
        if (st == GARRAY_OK)
            device->pool->lasting = true;
        if (st == GARRAY_OK)
            atomic_store_explicit(&garray__devices[id.type][id.index], device, memory_order_release);
    }
    pthread_mutex_unlock(&registry);
    if (st == GARRAY_OK) {
        garray__log(GARRAY_LOG_INFO, "%s is open", text);
        *out = device;
    }
    return st;
}

garray__device *garray__device_next(const garray__device *after)
{
    int at = after ? after->id.type * GARRAY__DEVICES_PER_TYPE + after->id.index + 1 : 0;
    for (; at < GARRAY__DEVICE_TYPES * GARRAY__DEVICES_PER_TYPE; at++) {
        garray__device *device =
            atomic_load(&garray__devices[at / GARRAY__DEVICES_PER_TYPE][at % GARRAY__DEVICES_PER_TYPE]);
        if (device)
            return device;
    }
    return NULL;
}

/* ---- public functions ---- */
garray_status garray_device_count(garray_device_type type, int *count)
{
    GARRAY_ENTER("garray_device_count");
    GARRAY_REQUIRE((uint32_t)type < GARRAY__DEVICE_TYPES, INVALID, "device type %d is unknown", (int)type);
    GARRAY_REQUIRE(count, INVALID, "count is NULL");
    if (type != GARRAY_DEVICE_CPU && atomic_load(&forked))
        return garray__fail(GARRAY_ERR_FORKED, "%s was used before fork(): a child process cannot use it",
                            type_names[type]);
    kind *k;
    pthread_mutex_lock(&registry);
    (void)open_kind((int)type, &k);
    int n = k->count;
    pthread_mutex_unlock(&registry);
    if (n == 0)
        garray__clear_error();
    *count = n;
    return GARRAY_OK;
}

garray_status garray_device_parse(const char *text, garray_device *device)
{
    GARRAY_ENTER("garray_device_parse");
    GARRAY_REQUIRE(text, INVALID, "text is NULL");
    GARRAY_REQUIRE(device, INVALID, "device is NULL");
    garray_device id = GARRAY_CPU;
    garray__device *opened;
    if (strcmp(text, "auto") == 0) {
        id = GARRAY_CUDA(0);
        garray_status st = garray__device_get(id, &opened);
        if (st != GARRAY_OK) {
            if (st == GARRAY_ERR_NOMEM)
                return st;
            garray__log(GARRAY_LOG_INFO, "auto takes the cpu: %s", garray__error_detail());
            garray__clear_error();
            id = GARRAY_CPU;
        }
    } else if (strncmp(text, "cuda", 4) == 0 && (text[4] == 0 || text[4] == ':')) {
        long index = 0;
        if (text[4] == ':') {
            size_t digits = strspn(text + 5, "0123456789");
            GARRAY_REQUIRE(digits > 0 && digits < 6 && text[5 + digits] == 0, INVALID,
                           "\"%.60s\" is not a device: after \"cuda:\" comes a number", text);
            index = strtol(text + 5, NULL, 10);
        }
        id = GARRAY_CUDA((int32_t)index);
    } else
        GARRAY_REQUIRE(strcmp(text, "cpu") == 0, INVALID,
                       "\"%.60s\" is not a device: use \"cpu\", \"cuda\", \"cuda:1\" or \"auto\"", text);
    GARRAY_TRY(garray__device_get(id, &opened));
    *device = id;
    return GARRAY_OK;
}

garray_status garray_device_name(garray_device id, char *buf, size_t size)
{
    GARRAY_ENTER("garray_device_name");
    GARRAY_REQUIRE(buf && size, INVALID, "buf is NULL or has no room");
    garray__device *device;
    garray_device_info info;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_TRY(garray__device_check(device));
    GARRAY_TRY(device->backend->info(device->handle, &info));
    info.name[sizeof info.name - 1] = 0;
    snprintf(buf, size, "%s", info.name);
    return GARRAY_OK;
}

garray_status garray_synchronize(garray_device id)
{
    GARRAY_ENTER("garray_synchronize");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    GARRAY_TRY(garray__not_captured(device, "there is nothing yet to wait for"));
    garray_status st = garray__device_finish(device);
    garray__pool_deferred(device->pool, false);     /* foreign memory that waited for this work */
    return st;
}

/* INVALID while something of the device is in use, as far as it is known here. */
static garray_status check_unused(garray__device *device)
{
    const char *text = garray__device_text(device->id);
    garray_memory_info info, pinned;
    garray__thread_drop_caches(device->pool);
    garray__pool_deferred(device->pool, true);
    garray__pool_info(device->pool, &info);
    GARRAY_REQUIRE(info.live_blocks == 0, INVALID, "%lld buffers of arrays on %s are in use", (long long)info.live_blocks, text);
    GARRAY_TRY(garray_pinned_stats(device->id, &pinned));
    GARRAY_REQUIRE(pinned.live_blocks == 0, INVALID, "%lld pinned arrays of %s are in use", (long long)pinned.live_blocks, text);
    const int graphs = atomic_load(&device->graphs);
    GARRAY_REQUIRE(graphs == 0, INVALID, "%d graphs of %s have not been freed", graphs, text);
    const int streams = garray__stream_count(device) - 1, events = atomic_load(&device->events);
    GARRAY_REQUIRE(streams == 0 && events == 0, INVALID, "%d streams and %d events of %s have not been freed", streams, events,
                   text);
    return GARRAY_OK;
}

garray_status garray_shutdown(void)
{
    GARRAY_ENTER("garray_shutdown");
    for (garray__device *d = garray__device_next(NULL); d; d = garray__device_next(d))
        GARRAY_TRY(check_unused(d));
    pthread_mutex_lock(&registry);
    for (int type = GARRAY__DEVICE_TYPES - 1; type >= 0; type--)
        for (int i = 0; i < GARRAY__DEVICES_PER_TYPE; i++)
            garray__device_free(atomic_exchange(&garray__devices[type][i], NULL));
    pthread_mutex_unlock(&registry);
    garray__thread_end();
    return GARRAY_OK;
}

void garray_set_strict(bool strict)
{
    if (strict)
        atomic_fetch_or(&garray__watch, GARRAY__WATCH_STRICT);
    else
        atomic_fetch_and(&garray__watch, ~GARRAY__WATCH_STRICT);
}

garray_status garray_set_num_threads(int n)
{
    GARRAY_ENTER("garray_set_num_threads");
    GARRAY_REQUIRE(n >= 0, INVALID, "%d threads", n);
    garray__device *device;
    GARRAY_TRY(garray__device_get(GARRAY_CPU, &device));
    return device->backend->set_threads ? device->backend->set_threads(n) : GARRAY_OK;
}

int garray_num_threads(void)
{
    garray__device *device;
    if (garray__device_get(GARRAY_CPU, &device) != GARRAY_OK || !device->backend->threads)
        return 1;
    return device->backend->threads();
}
