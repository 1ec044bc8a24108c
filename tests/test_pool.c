/* SPDX-License-Identifier: BSD-3-Clause
 * The memory pool and the order between streams, driven by random programs through the fake backend, with and
 * without failing calls; and the pool of the CPU from many threads. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/pool.h"
#include "core/stream.h"
#include "core/submit.h"
#include "fake_backend.h"
#include "fake_device.h"
#include "splitmix.h"

#define BUFFERS 24
#define STREAMS 8

/* ---- what a program knows of its buffers ---- */
typedef struct owner {          /* of foreign memory */
    unsigned char *data;
    size_t size;
} owner;

typedef struct slot {
    garray__buffer *buffer;
    uint8_t tag;                /* each byte has this value once all tasks have run */
    bool written;
} slot;

typedef struct program {
    uint64_t state;
    garray__device *device;
    garray__stream *stream[STREAMS];
    void *native[STREAMS];      /* of wrapped ones */
    slot slot[BUFFERS];
    bool failing;
    int nslots, nstreams;       /* used by this program */
    int swaps;                  /* per cent of steps that open or close a stream */
    int64_t live, peak, allocations, frees;
} program;

static int64_t owners_called, owners_early;

static uint64_t next_random(program *p)
{
    return splitmix(&p->state);
}

static int below(program *p, int n)
{
    return (int)(next_random(p) % (uint64_t)n);
}

static size_t random_size(program *p)
{
    int kind = below(p, 200);
    if (kind == 0)
        return 0;
    if (kind < 150)
        return (size_t)below(p, 3000);
    if (kind < 190)
        return (size_t)below(p, 70000);
    if (kind < 199)
        return (size_t)below(p, 1 << 20);
    return ((size_t)1 << 20) + (size_t)below(p, 5 << 20);
}

static void choose_stream(program *p)
{
    garray__stream *s = p->stream[below(p, p->nstreams)];
    garray__self->current[GARRAY_DEVICE_CUDA][0] = s;       /* NULL: the library's own */
}

/* ---- steps; each returns the library's status ---- */
static garray_status fill(program *p, slot *s, uint8_t tag)
{
    garray__uses uses = { .device = p->device, .nwrite = 1 };
    uses.write[0] = s->buffer;
    garray_ew_plan plan = { .dtype = GARRAY_UINT8, .nop = 2, .ndim = 1, .count = (int64_t)s->buffer->size };
    plan.operand[0].data = s->buffer->data;
    plan.operand[1].bits[0] = tag;
    fake.scratch = 0;
    garray_status st = garray__submit(GARRAY__CONVERT, &plan, &uses);
    if (p->live + (int64_t)fake.scratch > p->peak)
        p->peak = p->live + (int64_t)fake.scratch;
    if (fake.scratch || st == GARRAY_OK) {
        s->tag = tag;
        s->written = true;
    }
    return st;
}

static garray_status check(program *p, slot *s)
{
    garray__uses uses = { .device = p->device, .nread = 1 };
    uses.read[0] = s->buffer;
    garray_reduce_plan plan = { .op = GARRAY_RED_COUNT_NONZERO, .in = s->buffer->data,
                                .red_count = (int64_t)s->buffer->size, .initial = { s->tag } };
    return garray__submit(GARRAY__REDUCE, &plan, &uses);
}

static garray_status copy(program *p, slot *to, slot *from)
{
    garray__uses uses = { .device = p->device, .nread = 1, .nwrite = 1 };
    uses.read[0] = from->buffer;
    uses.write[0] = to->buffer;
    garray_copy_plan plan = { .kind = GARRAY_COPY_ON_DEVICE,
                              .src = from->buffer->data,
                              .dst = to->buffer->data,
                              .size = to->buffer->size,
                              .wait = below(p, 10) == 0 };
    garray_status st = garray__submit(GARRAY__COPY, &plan, &uses);
    if (st == GARRAY_OK)
        to->tag = from->tag;
    return st;
}

static void owner_release(void *ctx)
{
    owner *o = ctx;
    owners_called++;
    owners_early += fake_touches(o->data, o->size);
    free(o->data);
    free(o);
}

static garray_status make(program *p, slot *s)
{
    size_t size = random_size(p);
    garray_status st;
    if (below(p, 12) == 0) {
        owner *o = malloc(sizeof *o);
        o->size = size ? size : 1;
        o->data = malloc(o->size);
        st = garray__buffer_wrap(p->device, o->data, size, owner_release, o, &s->buffer);
        if (st != GARRAY_OK) {
            free(o->data);
            free(o);
        }
    } else {
        st = garray__buffer_new(p->device, size, &s->buffer);
        if (st == GARRAY_OK) {
            p->allocations++;
            p->live += (int64_t)size;
            if (p->live > p->peak)
                p->peak = p->live;
        }
    }
    s->written = false;
    return st;
}

static void drop(program *p, slot *s)
{
    if (!s->buffer->foreign) {
        p->frees++;
        p->live -= (int64_t)s->buffer->size;
    }
    garray__buffer_release(s->buffer);
    s->buffer = NULL;
}

static void change_stream(program *p)
{
    int i = below(p, p->nstreams);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    if (p->stream[i]) {
        if (p->native[i] && p->failing)
            return;             /* its owner could not destroy it either */
        garray__stream_close(p->stream[i]);
        if (p->native[i])
            fake_native_stream_free(p->native[i]);
        p->stream[i] = NULL;
        p->native[i] = NULL;
    } else if (below(p, 3) == 0) {
        p->native[i] = fake_native_stream();
        if (garray__stream_open(p->device, true, p->native[i], &p->stream[i]) != GARRAY_OK) {
            p->stream[i] = NULL;
            fake_native_stream_free(p->native[i]);
            p->native[i] = NULL;
        }
    } else if (garray__stream_open(p->device, false, NULL, &p->stream[i]) != GARRAY_OK)
        p->stream[i] = NULL;
}

static garray_status step(program *p)
{
    slot *s = &p->slot[below(p, p->nslots)], *t = &p->slot[below(p, p->nslots)];
    choose_stream(p);
    int what = below(p, 100);
    if (below(p, 100) < p->swaps) {
        change_stream(p);
        return GARRAY_OK;
    }
    if (what < 1)
        return garray__pool_trim(p->device->pool);
    if (what < 2)
        return garray__device_finish(p->device);
    if (!s->buffer)
        return make(p, s);
    if (what < 20) {
        drop(p, s);
        return GARRAY_OK;
    }
    if (!s->written || what < 45)
        return fill(p, s, (uint8_t)next_random(p));
    if (what < 55 && t->buffer && t != s && t->buffer->size <= s->buffer->size)
        return copy(p, t, s), t->written = t->written || t->buffer->size == 0, GARRAY_OK;
    if (what < 59) {
        garray_status st = garray__wait_buffer(s->buffer);
        if (st == GARRAY_OK)
            for (size_t i = 0; i < s->buffer->size; i++)
                fake.wrong_bytes += ((unsigned char *)s->buffer->data)[i] != s->tag;
        return st;
    }
    return check(p, s);
}

static void check_statistics(program *p)
{
    garray_memory_info info;
    garray__pool_info(p->device->pool, &info);
    cr_assert_eq(info.live_bytes, p->live, "seed %lu", (unsigned long)fake.seed);
    cr_assert_eq(info.live_bytes + info.cached_bytes, fake.held);
    cr_assert_eq(info.driver_allocations, fake.allocations);
    cr_assert_eq(info.driver_frees, fake.frees);
    cr_assert_eq(info.live_blocks, p->allocations - p->frees);
    cr_assert_geq(info.peak_bytes, p->peak);
    if (info.limit_bytes)
        cr_assert_leq(fake.held, info.limit_bytes);
}

/* Runs one program; returns how many calls of the backend could have failed. */
static int64_t run_program(uint64_t seed, int64_t fail_at, bool for_ever, bool sticky)
{
    static program space;
    program *p = &space;
    memset(p, 0, sizeof *p);
    p->state = seed;
    fake_reset(seed);
    p->nslots = 2 + below(p, below(p, 2) ? BUFFERS - 1 : 4);
    p->nstreams = 1 + below(p, STREAMS);
    p->swaps = below(p, 2) ? 3 : 12;
    fake.haste = below(p, 4);
    owners_called = owners_early = 0;
    if (below(p, 3) == 0)
        fake.memory = (size_t)(below(p, 48) + 4) << 20;
    cr_assert(garray__self || garray__thread_new());
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    cr_assert_eq(garray__device_new(fake_backend(&garray__host), 0, &p->device), GARRAY_OK);
    if (below(p, 4) == 0)
        atomic_store(&p->device->pool->limit, (int64_t)(below(p, 40) + 4) << 20);
    fake.fail_at = fail_at ? fake.calls + fail_at : 0;
    fake.fail_for_ever = for_ever;
    fake.sticky = sticky;
    p->failing = fail_at != 0;
    int64_t first_call = fake.calls;

    int steps = 20 + below(p, 80);
    for (int i = 0; i < steps; i++) {
        int64_t failed = fake.failed;
        bool lost = atomic_load(&p->device->state) != GARRAY__DEVICE_USABLE;
        garray_status st = step(p);
        if (st != GARRAY_OK && st != GARRAY_ERR_DEVICE_NOMEM)
            cr_assert(lost || fake.failed > failed, "seed %lu step %d: %s", (unsigned long)seed, i,
                      garray_error_message());
        if (i % 8 == 0 && !p->failing)
            check_statistics(p);
    }
    int64_t calls = fake.calls - first_call;

    /* The fault is over; whatever it left behind can be cleaned up. */
    fake.fail_at = 0;
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    for (int i = 0; i < BUFFERS; i++)
        if (p->slot[i].buffer && p->slot[i].written && below(p, 2))
            (void)check(p, &p->slot[i]);
    for (int i = 0; i < BUFFERS; i++)
        if (p->slot[i].buffer)
            drop(p, &p->slot[i]);
    check_statistics(p);
    for (int i = 0; i < STREAMS; i++)
        if (p->stream[i])
            garray__stream_close(p->stream[i]);
    garray_status st = garray__device_finish(p->device);
    cr_assert(st == GARRAY_OK || sticky, "seed %lu: %s", (unsigned long)seed, garray_error_message());
    garray__pool_deferred(p->device->pool, true);
    st = garray__pool_trim(p->device->pool);
    cr_assert(st == GARRAY_OK || sticky, "seed %lu: %s", (unsigned long)seed, garray_error_message());
    cr_assert_eq(fake.held, 0, "seed %lu: %ld bytes left", (unsigned long)seed, (long)fake.held);
    check_statistics(p);
    fake_drain();
    garray__device_free(p->device);
    for (int i = 0; i < STREAMS; i++)
        if (p->native[i])
            fake_native_stream_free(p->native[i]);
    cr_assert_eq(fake.events, 0, "seed %lu: %ld events left", (unsigned long)seed, (long)fake.events);
    if (!sticky) {      /* a lost device runs nothing any more, and is asked for nothing */
        cr_assert_eq(fake.streams, 0, "seed %lu: %ld streams left", (unsigned long)seed, (long)fake.streams);
        cr_assert_eq(fake.early_frees, 0, "seed %lu: memory freed too early", (unsigned long)seed);
        cr_assert_eq(fake.wrong_bytes, 0, "seed %lu: %ld wrong bytes", (unsigned long)seed,
                     (long)fake.wrong_bytes);
        cr_assert_eq(owners_early, 0, "seed %lu: foreign memory released too early", (unsigned long)seed);
    }
    return calls;
}

/* The number of programs; GARRAY_TEST_PROGRAMS in the environment multiplies it. */
static int64_t times(int64_t n)
{
    const char *factor = getenv("GARRAY_TEST_PROGRAMS");
    return factor && atof(factor) > 0 ? (int64_t)((double)n * atof(factor)) : n;
}

Test(pool, random_programs)
{
    for (int64_t i = 0; i < times(12000); i++)
        run_program((uint64_t)i + 1, 0, false, false);
}

Test(pool, programs_with_one_failing_call)
{
    for (int64_t i = 0; i < times(2000); i++) {
        uint64_t seed = UINT64_C(1000000) + (uint64_t)i / 8;
        int64_t calls = run_program(seed, 0, false, false);
        run_program(seed, 1 + (int64_t)((uint64_t)i * UINT64_C(2654435761) % (uint64_t)(calls + 1)), false,
                    false);
    }
}

Test(pool, programs_with_calls_that_fail_for_ever)
{
    for (int64_t i = 0; i < times(2000); i++) {
        uint64_t seed = UINT64_C(2000000) + (uint64_t)i / 8;
        int64_t calls = run_program(seed, 0, false, false);
        run_program(seed, 1 + (int64_t)((uint64_t)i * UINT64_C(2654435761) % (uint64_t)(calls + 1)), true,
                    i % 4 == 0);
    }
}

/* ---- what the pool promises, one thing at a time ---- */
static garray_status write_byte(garray__device *device, garray__buffer *buffer, uint8_t byte)
{
    program p = { .device = device };
    slot s = { .buffer = buffer };
    return fill(&p, &s, byte);
}

#define MIB ((size_t)1 << 20)

Test(pool, a_loop_allocates_only_in_its_first_round)
{
    garray__device *device = new_device();
    for (int round = 0; round < 100; round++) {
        garray__buffer *a = new_buffer(device, 4000000), *b = new_buffer(device, 4000000);
        cr_assert_eq(write_byte(device, a, 1), GARRAY_OK);
        garray__buffer_release(a);
        garray__buffer_release(b);
    }
    cr_assert_eq(fake.allocations, 1);
    cr_assert_eq(fake.event_records, 0);
    garray__device_free(device);
    cr_assert_eq(fake.held, 0);
}

Test(pool, statistics_peak_and_limit)
{
    garray__device *device = new_device();
    garray_memory_info info;
    garray__buffer *a = new_buffer(device, 1000), *b = new_buffer(device, 3 * MIB),
                   *c = new_buffer(device, 0);
    cr_assert(c->data);
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_bytes, (int64_t)(1000 + 3 * MIB));
    cr_assert_eq(info.live_blocks, 3);
    cr_assert_eq(info.cached_bytes, (int64_t)(34 * MIB) - info.live_bytes);
    garray__buffer_release(b);
    garray__buffer_release(c);
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_bytes, 1000);
    cr_assert_eq(info.peak_bytes, (int64_t)(1000 + 3 * MIB));
    cr_assert_eq(info.allocations, 3);
    cr_assert_eq(info.frees, 2);
    cr_assert_eq(garray__pool_trim(device->pool), GARRAY_OK);
    cr_assert_eq(fake.held, (int64_t)(2 * MIB));

    atomic_store(&device->pool->limit, (int64_t)(8 * MIB));
    cr_assert_eq(garray__buffer_new(device, 7 * MIB, &b), GARRAY_ERR_DEVICE_NOMEM);
    cr_assert(
        strstr(garray_error_message(), "7340032 bytes asked for, 1000 in use, 2096152 cached, limit 8388608"),
        "%s", garray_error_message());
    b = new_buffer(device, 6 * MIB);
    cr_assert_eq(garray__buffer_new(device, SIZE_MAX, &c), GARRAY_ERR_DEVICE_NOMEM);
    cr_assert_eq(garray__buffer_new(device, PTRDIFF_MAX, &c), GARRAY_ERR_DEVICE_NOMEM);
    garray__buffer_release(b);
    garray__buffer_release(a);
    garray__device_free(device);
}

Test(pool, exhaustion_gives_back_what_is_cached)
{
    garray__device *device = new_device();
    fake.memory = 130 * MIB;
    garray__buffer *a[6];
    for (int i = 0; i < 6; i++)
        a[i] = new_buffer(device, 16 * MIB);
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(write_byte(device, a[i], 1), GARRAY_OK);
        garray__buffer_release(a[i]);
    }
    /* no block is so large, and there is no room beside the cached ones, whose work is not done */
    garray__buffer *large = new_buffer(device, 90 * MIB);
    cr_assert_eq(fake.early_frees, 0);
    cr_assert_eq(fake_pending(), 0);
    garray__buffer_release(large);
    garray__device_free(device);
}

Test(pool, large_blocks_stay_whole)
{
    garray__device *device = new_device();
    garray__buffer *large = new_buffer(device, 100 * MIB);
    garray__buffer_release(large);
    garray__buffer *little = new_buffer(device, 3 * MIB);
    cr_assert_eq(fake.allocations, 2, "a small block was cut from a large one");
    large = new_buffer(device, 90 * MIB);
    cr_assert_eq(fake.allocations, 2, "a block a tenth larger than asked for was not used");
    garray__buffer_release(large);
    garray__buffer_release(little);
    garray__device_free(device);
}

Test(pool, other_streams_memory)
{
    garray__device *device = new_device();
    garray__stream *other;
    cr_assert_eq(garray__stream_open(device, false, NULL, &other), GARRAY_OK);
    garray__buffer *a = new_buffer(device, 20 * MIB);
    cr_assert_eq(write_byte(device, a, 1), GARRAY_OK);
    garray__buffer_release(a);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = other;
    a = new_buffer(device, 20 * MIB);
    cr_assert_eq(fake.allocations, 2, "memory still in use on another stream was taken");
    garray__buffer_release(a);
    garray__buffer *b = new_buffer(device, 20 * MIB);
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);
    a = new_buffer(device, 20 * MIB);
    cr_assert_eq(fake.allocations, 2, "memory of another stream that has finished was not taken");
    cr_assert_eq(fake.event_waits, 0);
    garray__buffer_release(a);
    garray__buffer_release(b);
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    garray__stream_close(other);
    garray__device_free(device);
    cr_assert_eq(fake.held, 0);
}

Test(pool, foreign_memory_goes_back_when_streams_are_done)
{
    garray__device *device = new_device();
    owner *o = malloc(sizeof *o);
    *o = (owner){ .data = malloc(64), .size = 64 };
    garray__buffer *a;
    owners_called = owners_early = 0;
    cr_assert_eq(garray__buffer_wrap(device, o->data, 64, owner_release, o, &a), GARRAY_OK);
    cr_assert_eq(write_byte(device, a, 1), GARRAY_OK);
    garray__buffer_release(a);
    cr_assert_eq(owners_called, 0);
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);
    garray__buffer_release(new_buffer(device, 1));
    cr_assert_eq(owners_called, 1);
    cr_assert_eq(owners_early, 0);
    garray__device_free(device);
}

Test(pool, direct_and_poison)
{
    setenv("GARRAY_POOL", "direct", 1);
    garray__device *device = new_device();
    garray__buffer *a = new_buffer(device, 5), *b = new_buffer(device, 5);
    cr_assert_eq(fake.held, 10);
    garray__buffer_release(a);
    cr_assert_eq(fake.held, 5);
    garray__buffer_release(b);
    cr_assert_eq(fake.frees, 2);
    garray__device_free(device);

    unsetenv("GARRAY_POOL");
    setenv("GARRAY_POOL_POISON", "1", 1);
    device = new_device();
    a = new_buffer(device, 5);
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(((unsigned char *)a->data)[i], 0xff);
    garray__buffer_release(a);
    garray__device_free(device);
    unsetenv("GARRAY_POOL_POISON");
}

/* ---- what threads keep ---- */
Test(pool, a_loop_takes_what_it_gave_back)
{
    garray__device *device = new_device();
    garray_memory_info info;
    garray__buffer_release(new_buffer(device, 5 * MIB));
    cr_assert_eq(atomic_load(&device->pool->hot), (int64_t)(5 * MIB));
    for (int i = 0; i < 10; i++) {
        garray__buffer *a = new_buffer(device, 5 * MIB), *b = new_buffer(device, 3 * MIB);
        garray__pool_info(device->pool, &info);
        cr_assert_eq(info.live_bytes, (int64_t)(8 * MIB));
        cr_assert_eq(info.peak_bytes, (int64_t)(8 * MIB));
        garray__buffer_release(a);
        garray__buffer_release(b);
        if (i % 3)              /* a third size, larger than both: what is kept must make room for it */
            garray__buffer_release(new_buffer(device, 7 * MIB));
    }
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_bytes, 0);
    cr_assert_eq(info.peak_bytes, (int64_t)(8 * MIB));
    cr_assert_eq(info.allocations, 27);
    cr_assert_eq(info.frees, 27);
    cr_assert_eq(info.driver_allocations, 1);
    cr_assert_eq(info.largest_free_bytes, (int64_t)GARRAY__LARGE_SEGMENT);
    cr_assert_eq(info.fragmentation, 0);
    garray__device_free(device);
    cr_assert_eq(fake.held, 0);
}

static void *keep_one(void *arg)
{
    garray__device *device = arg;
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    garray__buffer_release(new_buffer(device, 40 * MIB));
    return garray__self;
}

static void *start_thread(void *arg)
{
    cr_assert(garray__self || garray__thread_new());
    return keep_one(arg);
}

Test(pool, what_another_thread_keeps_is_there_for_all)
{
    garray__device *device = new_device();
    garray__buffer_release(new_buffer(device, 30 * MIB));       /* this thread keeps one, too */
    fake.memory = 100 * MIB;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, start_thread, device), 0);
    pthread_join(thread, NULL);
    garray__buffer *all = new_buffer(device, 90 * MIB);
    garray__buffer_release(all);
    garray_memory_info info;
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_bytes, 0);
    cr_assert_eq(info.peak_bytes, (int64_t)(90 * MIB));
    cr_assert_eq(info.allocations, 3);
    garray__device_free(device);
    cr_assert_eq(fake.held, 0);
}

/* A million allocations whose rounded sizes together take up to four fifths of the memory: each must find a place. */
Test(pool, a_long_trace_that_fits)
{
    static garray__buffer *live[4000];
    static size_t sizes[4000];
    program p = { .state = 5 };
    garray__device *device = new_device();
    const size_t room = (size_t)8 << 30;        /* of which only addresses are used */
    fake.memory = room;
    size_t used = 0, most = 0;
    for (int i = 0; i < 1000000; i++) {
        int at = below(&p, 4000);
        if (live[at]) {
            used -= sizes[at];
            garray__buffer_release(live[at]);
            live[at] = NULL;
        }
        /* from 1 byte to 64 MiB, each power of two as often */
        size_t size = (size_t)(next_random(&p) >> (38 + below(&p, 26))), rounded = garray__block_size(size);
        if (used + rounded > room / 20 * 16)
            continue;
        cr_assert_eq(garray__buffer_new(device, size, &live[at]), GARRAY_OK, "step %d, %zu in use: %s", i, used,
                     garray_error_message());
        sizes[at] = rounded;
        used += rounded;
        most = used > most ? used : most;
    }
    cr_assert(most > room / 20 * 15, "%zu", most);
    for (int i = 0; i < 4000; i++)
        garray__buffer_release(live[i]);
    garray__device_free(device);
    cr_assert_eq(fake.held, 0);
}

/* ---- threads ---- */
#define THREADS 4
#define SHARED 6

typedef struct worker {
    pthread_t thread;
    garray__device *device;
    slot *shared;
    uint64_t seed;
    int64_t failed;
} worker;

/* Reads the shared buffers and works on buffers of its own, on two streams of its own. */
static void *work(void *arg)
{
    worker *w = arg;
    program *p = calloc(1, sizeof *p);
    p->device = w->device;
    p->state = w->seed;
    p->nslots = 8;
    p->nstreams = 2;
    if (!garray__self && !garray__thread_new())
        w->failed++;
    for (int i = 0; i < 3000 && !w->failed; i++) {
        slot *s = &p->slot[below(p, p->nslots)];
        choose_stream(p);
        garray_status st = GARRAY_OK;
        int what = below(p, 100);
        if (what < 2)
            change_stream(p);
        else if (what < 3)
            st = garray__pool_trim(w->device->pool);
        else if (what < 30)
            st = check(p, &w->shared[below(p, SHARED)]);
        else if (!s->buffer) {
            s->written = false;
            st = garray__buffer_new(w->device, (size_t)below(p, 5000), &s->buffer);
        } else if (what < 50) {
            garray__buffer_release(s->buffer);
            s->buffer = NULL;
        } else if (!s->written || what < 70) {
            uint8_t tag = (uint8_t)next_random(p);
            garray__uses uses = { .device = w->device, .nwrite = 1 };
            uses.write[0] = s->buffer;
            garray_ew_plan plan = {
                .dtype = GARRAY_UINT8, .nop = 2, .ndim = 1, .count = (int64_t)s->buffer->size
            };
            plan.operand[0].data = s->buffer->data;
            plan.operand[1].bits[0] = tag;
            st = garray__submit(GARRAY__CONVERT, &plan, &uses);
            s->tag = tag;
            s->written = true;
        } else if (what < 72)
            st = garray__wait_buffer(s->buffer);
        else
            st = check(p, s);
        w->failed += st != GARRAY_OK;
    }
    garray__self->current[GARRAY_DEVICE_CUDA][0] = NULL;
    for (int i = 0; i < p->nslots; i++)
        garray__buffer_release(p->slot[i].buffer);
    for (int i = 0; i < p->nstreams; i++)
        if (p->stream[i]) {
            garray__stream_close(p->stream[i]);
            if (p->native[i])
                fake_native_stream_free(p->native[i]);
        }
    free(p);
    return NULL;
}

Test(pool, threads_on_one_device)
{
    garray__device *device = new_device();
    fake.haste = 2;
    slot shared[SHARED];
    for (int i = 0; i < SHARED; i++) {
        shared[i].buffer = new_buffer(device, 300 + 100 * (size_t)i);
        program p = { .device = device };
        cr_assert_eq(fill(&p, &shared[i], (uint8_t)(i + 1)), GARRAY_OK);
    }
    worker w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){ .device = device, .shared = shared, .seed = 77 + (uint64_t)i };
        cr_assert_eq(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        cr_assert_eq(w[i].failed, 0);
    }
    for (int i = 0; i < SHARED; i++)
        garray__buffer_release(shared[i].buffer);
    cr_assert_eq(garray__device_finish(device), GARRAY_OK);
    cr_assert_eq(garray__pool_trim(device->pool), GARRAY_OK);
    garray_memory_info info;
    garray__pool_info(device->pool, &info);
    cr_assert_eq(info.live_bytes, 0);
    cr_assert_eq(info.cached_bytes, 0);
    cr_assert_eq(info.live_blocks, 0);
    cr_assert_eq(fake.wrong_bytes, 0);
    cr_assert_eq(fake.early_frees, 0);
    garray__device_free(device);
}

/* The CPU: blocks made by one thread are freed by the next one in the ring, then all threads end. */
typedef struct ring {
    pthread_mutex_t lock;
    garray__buffer *buffer[64];
    garray__device *device;
} ring;

static void *pass_on(void *arg)
{
    ring *r = arg;
    uint64_t state = (uint64_t)(uintptr_t)&r;
    for (int i = 0; i < 20000; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t at = (size_t)(state >> 33) % 64,
               size = (size_t)(state >> 40) % (state % 50 == 0 ? 3000000 : 3000);
        garray__buffer *fresh;
        if (garray__buffer_new(r->device, size, &fresh) != GARRAY_OK)
            return r;
        memset(fresh->data, (int)size & 255, size < 64 ? size : 64);
        pthread_mutex_lock(&r->lock);
        garray__buffer *old = r->buffer[at];
        r->buffer[at] = fresh;
        pthread_mutex_unlock(&r->lock);
        if (old) {
            const unsigned char *data = old->data;
            if (old->size && data[0] != (old->size & 255))
                return r;
            garray__buffer_release(old);
        }
    }
    return NULL;
}

Test(pool, threads_on_the_cpu)
{
    ring r = { .lock = PTHREAD_MUTEX_INITIALIZER };
    cr_assert_eq(garray__device_get(GARRAY_CPU, &r.device), GARRAY_OK);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, pass_on, &r), 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        pthread_join(thread[i], &bad);
        cr_assert(!bad);
    }
    garray_memory_info info;
    int64_t left = 0, blocks = 0;
    for (int i = 0; i < 64; i++)
        if (r.buffer[i]) {
            left += (int64_t)r.buffer[i]->size;
            blocks++;
        }
    cr_assert_eq(garray_memory_stats(GARRAY_CPU, &info), GARRAY_OK);
    cr_assert_eq(info.live_bytes, left);
    cr_assert_eq(info.live_blocks, blocks);
    cr_assert_eq(info.allocations, THREADS * 20000);
    for (int i = 0; i < 64; i++)
        garray__buffer_release(r.buffer[i]);
    cr_assert_eq(garray_memory_trim(GARRAY_CPU), GARRAY_OK);
    cr_assert_eq(garray_memory_stats(GARRAY_CPU, &info), GARRAY_OK);
    cr_assert_eq(info.live_bytes, 0);
    cr_assert_eq(info.cached_bytes, 0, "threads that ended kept memory");
    cr_assert_eq(info.driver_allocations, info.driver_frees);
}
