/* SPDX-License-Identifier: BSD-3-Clause
 * Pinned host memory: a pool of its own for each device, by classes of size, arrays in it, and the slots of staging.
 *
 * Asking the driver for pinned memory takes about a millisecond, so all blocks are kept until somebody trims.  An array's
 * block is used by the host and by copies that have ended when the call returns: it needs no order.  A slot remembers the
 * copy that may still use it. */
#include <pthread.h>
#include <stdlib.h>
#include "core/array.h"
#include "core/dtype.h"
#include "core/pinned.h"
#include "core/pool.h"
#include "core/result.h"
#include "garray/pinned.h"

#define LEAST ((size_t)4096)
#define CLASSES 256             /* four per power of two */

typedef struct garray__pinned_block pinned_block;

typedef struct garray__pinned {
    garray__device *device;
    pthread_mutex_t lock;
    pinned_block *unused[CLASSES];
    pinned_block *slot, **last; /* slots that are not lent, the one given back longest ago first */
    int slots;                  /* lent ones included */
    garray_memory_info info;    /* slots count as cached, lent ones too */
} pinned_pool;

/* The class of a size, and how large its blocks are: 4, 5, 6 or 7 times a power of two. */
static int class_of(size_t size, size_t *capacity)
{
    if (size < LEAST)
        size = LEAST;
    int power = 63 - __builtin_clzll((unsigned long long)(size - 1));
    size_t step = (size_t)1 << (power - 2), steps = (size - 1) / step + 1;
    *capacity = steps * step;
    return power * 4 + (int)(steps - 4) - 1;
}

static garray_status open_pool(garray__device *device, pinned_pool **out)
{
    _Atomic(struct garray__pinned *) *slot = &device->pool->pinned;
    *out = atomic_load_explicit(slot, memory_order_acquire);
    if (*out)
        return GARRAY_OK;
    pinned_pool *fresh = calloc(1, sizeof *fresh), *none = NULL;
    GARRAY_REQUIRE(fresh, NOMEM, "no host memory for a memory pool");
    fresh->device = device;
    fresh->last = &fresh->slot;
    pthread_mutex_init(&fresh->lock, NULL);
    if (atomic_compare_exchange_strong(slot, &none, fresh))
        *out = fresh;
    else {                      /* another thread was faster */
        pthread_mutex_destroy(&fresh->lock);
        free(fresh);
        *out = none;
    }
    return GARRAY_OK;
}

/* Takes all slots out of the pool that are not lent. */
static pinned_block *take_slots(pinned_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pinned_block *all = pool->slot;
    pool->slot = NULL;
    pool->last = &pool->slot;
    for (pinned_block *b = all; b; b = b->next) {
        pool->slots--;
        pool->info.cached_bytes -= (int64_t)b->capacity;
        pool->info.driver_frees++;
    }
    pthread_mutex_unlock(&pool->lock);
    return all;
}

static void free_all(pinned_pool *pool, pinned_block *list)
{
    for (pinned_block *next; list; list = next) {
        next = list->next;
        pool->device->backend->host_free(pool->device->handle, list->data, list->capacity);
        free(list);
    }
}

/* The copies that use slots come to an end; on a lost device none runs. */
static void wait_for_slots(pinned_pool *pool, pinned_block *list)
{
    GARRAY__QUIETLY;
    for (; list; list = list->next)
        if (garray__use_wait(list->use) != GARRAY_OK && garray__device_check(pool->device) == GARRAY_OK)
            (void)garray__device_finish(pool->device);
}

/* Takes all unused blocks out and gives them to the driver. */
static void trim(pinned_pool *pool)
{
    pinned_block *all = NULL, *next, *slots = take_slots(pool);
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < CLASSES; i++)
        for (pinned_block *b = pool->unused[i]; b; b = next) {
            next = b->next;
            b->next = all;
            all = b;
            pool->info.cached_bytes -= (int64_t)b->capacity;
            pool->info.driver_frees++;
            pool->unused[i] = next;
        }
    pthread_mutex_unlock(&pool->lock);
    wait_for_slots(pool, slots);
    free_all(pool, slots);
    free_all(pool, all);
}

void garray__pinned_free(struct garray__pinned *pool)
{
    if (!pool)
        return;
    trim(pool);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static garray_status new_block(pinned_pool *pool, size_t capacity, pinned_block **out)
{
    garray__device *device = pool->device;
    pinned_block *block = calloc(1, sizeof *block);
    GARRAY_REQUIRE(block, NOMEM, "no host memory for a buffer");
    garray_status st = garray__device_note(device, device->backend->host_alloc(device->handle, capacity, &block->data));
    if (garray__is_nomem(st)) {
        trim(pool);
        st = garray__device_note(device, device->backend->host_alloc(device->handle, capacity, &block->data));
    }
    if (st != GARRAY_OK) {
        free(block);
        return st;
    }
    block->capacity = capacity;
    block->pool = pool;
    *out = block;
    return GARRAY_OK;
}

static garray_status take(pinned_pool *pool, size_t size, pinned_block **out)
{
    size_t capacity;
    int class = class_of(size, &capacity);
    pthread_mutex_lock(&pool->lock);
    pinned_block *block = pool->unused[class];
    if (block) {
        pool->unused[class] = block->next;
        pool->info.cached_bytes -= (int64_t)capacity;
    }
    pthread_mutex_unlock(&pool->lock);
    bool fresh = !block;
    if (fresh)
        GARRAY_TRY(new_block(pool, capacity, &block));
    block->size = (int64_t)size;
    pthread_mutex_lock(&pool->lock);
    garray_memory_info *info = &pool->info;
    info->driver_allocations += fresh;
    info->allocations++;
    info->live_blocks++;
    info->live_bytes += block->size;
    if (info->live_bytes > info->peak_bytes)
        info->peak_bytes = info->live_bytes;
    pthread_mutex_unlock(&pool->lock);
    *out = block;
    return GARRAY_OK;
}

/* The last array has gone; no copy is under way. */
static void give(void *ctx)
{
    pinned_block *block = ctx;
    pinned_pool *pool = block->pool;
    size_t capacity;
    int class = class_of(block->capacity, &capacity);
    if (atomic_load(&pool->device->state) == GARRAY__DEVICE_IS_FORKED)
        return;                 /* the parent's */
    pthread_mutex_lock(&pool->lock);
    pool->info.frees++;
    pool->info.live_blocks--;
    pool->info.live_bytes -= block->size;
    pool->info.cached_bytes += (int64_t)block->capacity;
    block->next = pool->unused[class];
    pool->unused[class] = block;
    pthread_mutex_unlock(&pool->lock);
}

bool garray__is_pinned(const garray__buffer *buffer)
{
    return buffer->foreign && buffer->foreign_free == give;
}

/* ---- slots ---- */
/* The first slot that is large enough (idle: and not in use, unless no more may be made), or NULL; *may_add: one more may
 * be made. */
static pinned_block *pop_slot(pinned_pool *pool, size_t size, bool idle, bool *may_add)
{
    pthread_mutex_lock(&pool->lock);
    pinned_block **at = &pool->slot;
    const bool pass = idle && pool->slots < GARRAY__SLOTS;
    while (*at && ((*at)->capacity < size || (pass && !garray__use_done((*at)->use))))
        at = &(*at)->next;
    pinned_block *slot = *at;
    if (slot) {
        *at = slot->next;
        if (pool->last == &slot->next)
            pool->last = at;
    }
    *may_add = !slot && pool->slots < GARRAY__SLOTS;
    pool->slots += *may_add;
    pthread_mutex_unlock(&pool->lock);
    return slot;
}

static pinned_block *new_slot(pinned_pool *pool, size_t size)
{
    pinned_block *slot = NULL;
    const bool made = new_block(pool, size, &slot) == GARRAY_OK;
    pthread_mutex_lock(&pool->lock);
    if (made) {
        pool->info.driver_allocations++;
        pool->info.cached_bytes += (int64_t)slot->capacity;
    } else
        pool->slots--;
    pthread_mutex_unlock(&pool->lock);
    return made ? slot : NULL;
}

int garray__slots_take(garray__device *device, size_t size, int wanted, bool idle, garray__slot **slots)
{
    GARRAY__QUIETLY;
    pinned_pool *pool;
    int n = 0;
    if (!device->backend->host_alloc || open_pool(device, &pool) != GARRAY_OK)
        return 0;
    while (n < wanted) {
        bool may_add;
        pinned_block *slot = pop_slot(pool, size, idle, &may_add);
        if (may_add)
            slot = new_slot(pool, size);
        if (!slot && idle) {    /* no pinned memory for one: those in use will do */
            idle = false;
            continue;
        }
        if (!slot)
            break;
        slots[n++] = slot;
    }
    return n;
}

void garray__slots_give(garray__device *device, int count, garray__slot **slots)
{
    pinned_pool *pool = atomic_load_explicit(&device->pool->pinned, memory_order_acquire);
    if (count == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < count; i++) {
        slots[i]->next = NULL;
        *pool->last = slots[i];
        pool->last = &slots[i]->next;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- public functions ---- */
/* An array without gaps in a block, which becomes its memory. */
static garray_status wrap(pinned_block *block, int dtype, garray_shape shape, garray_t **out)
{
    garray__device *cpu;
    garray__buffer *buffer = NULL;
    int64_t strides[GARRAY_MAX_NDIM];
    garray_status st = garray__device_get(GARRAY_CPU, &cpu);
    if (st == GARRAY_OK)
        st = garray__buffer_wrap(cpu, block->data, (size_t)block->size, give, block, &buffer);
    if (st != GARRAY_OK) {
        give(block);
        return st;
    }
    garray__c_strides((int)shape.n, shape.v, garray__size_of(dtype), strides);
    st = garray__view(buffer, buffer->data, dtype, (int)shape.n, shape.v, strides, true, out);
    garray__buffer_release(buffer);
    return st;
}

garray_status garray_empty_pinned(garray_shape shape, garray_dtype dtype, garray_device id, garray_t **out)
{
    GARRAY_ENTER("garray_empty_pinned");
    garray__device *device;
    pinned_pool *pool;
    pinned_block *block;
    garray_t *result = NULL;
    int64_t count;
    GARRAY_TRY(garray__result_check(out));
    GARRAY_TRY(garray__device_get(id, &device));
    if (!device->backend->host_alloc)
        return garray_empty(shape, dtype, GARRAY_CPU, out);
    const int type = dtype ? (int)dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(type), DTYPE, "%d is not a dtype", type);
    GARRAY_REQUIRE(shape.n >= 0 && shape.n <= GARRAY_MAX_NDIM, SHAPE, "%lld axes; at most %d are allowed",
                   (long long)shape.n, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(shape.v || shape.n == 0, INVALID, "shape is NULL");
    GARRAY_TRY(garray__count((int)shape.n, shape.v, garray__size_of(type), &count));
    GARRAY_TRY(garray__device_check(device));
    GARRAY_TRY(open_pool(device, &pool));
    GARRAY_TRY(take(pool, (size_t)count * (size_t)garray__size_of(type), &block));
    GARRAY_TRY(wrap(block, type, shape, &result));
    return garray__result_assign(out, result);
}

garray_status garray_pinned_stats(garray_device id, garray_memory_info *info)
{
    GARRAY_ENTER("garray_pinned_stats");
    GARRAY_REQUIRE(info, INVALID, "info is NULL");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    *info = (garray_memory_info){ 0 };
    pinned_pool *pool = atomic_load_explicit(&device->pool->pinned, memory_order_acquire);
    if (!pool)
        return GARRAY_OK;
    pthread_mutex_lock(&pool->lock);
    *info = pool->info;
    for (int i = 0; i < CLASSES; i++)
        if (pool->unused[i])
            info->largest_free_bytes = (int64_t)pool->unused[i]->capacity;
    pthread_mutex_unlock(&pool->lock);
    return GARRAY_OK;
}

garray_status garray_pinned_trim(garray_device id)
{
    GARRAY_ENTER("garray_pinned_trim");
    garray__device *device;
    GARRAY_TRY(garray__device_get(id, &device));
    pinned_pool *pool = atomic_load_explicit(&device->pool->pinned, memory_order_acquire);
    if (pool)
        trim(pool);
    return GARRAY_OK;
}
