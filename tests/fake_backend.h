/* SPDX-License-Identifier: BSD-3-Clause
 * A backend without a device, for tests of core's memory pool and of the order between streams.
 *
 * Device memory is host memory.  A stream is a queue of tasks that run late: whenever the backend is called,
 * some tasks run, of streams picked at random by a seeded generator, and only in the order that streams and
 * events enforce.  So a missing wait shows as a wrong byte sooner or later, and the same seed shows it again.
 *
 * With a runner (fake_plans.c) every work entry keeps its plan and has the CPU's backend execute it when its turn
 * comes; results on contiguous memory sometimes go through scratch memory first.  Three forms of plans that core
 * never makes are for tests of the order alone, and need no runner:
 *   convert   without a layout writes the byte operand[1].bits[0] to count bytes at operand[0]
 *   reduce    without an output reads red_count bytes at in and counts those that are not initial[0]
 *   index     without a base raises a late INDEX error when it runs
 * Every entry that can fail is able to fail the k-th time.
 *
 * There are two devices.  They share the memory that fake.memory grants and the order in which tasks run, but streams,
 * events and blocks belong to one, and are counted when they are used with the other. */
#ifndef GARRAY_TESTS_FAKE_BACKEND_H
#define GARRAY_TESTS_FAKE_BACKEND_H

#include "core/backend.h"

typedef struct fake_state {
    uint64_t seed;
    size_t memory;              /* bytes that alloc() can give in all */
    int64_t fail_at;            /* the call that fails, counted from 1; 0: none */
    bool fail_for_ever;         /* and all that follow */
    bool sticky;                /* failures are DEVICE_LOST, and end what is queued */
    bool garbage;               /* fresh memory is filled with a pattern */
    int haste;                  /* up to so many tasks run per call; 0: none before somebody waits */
    /* results */
    int64_t calls;              /* that could have failed */
    int64_t failed;
    int64_t wrong_bytes;        /* found by reduce */
    int64_t early_frees;        /* memory freed while a task would still use it */
    int64_t wrong_device;       /* calls with a stream, an event or memory of another device */
    int64_t held, allocations, frees;
    int64_t streams, events, graphs;    /* alive */
    int64_t pinned;             /* blocks of pinned memory alive */
    int64_t launches, host_waits, event_records, event_waits;
    size_t scratch;             /* bytes of scratch memory that the last convert took */
} fake_state;

extern fake_state fake;

enum { FAKE_DEVICES = 2 };

/* Entries of the table, in the numbers that core gives them. */
enum {
    FAKE_ELEMENTWISE, FAKE_CONVERT, FAKE_GENERATE, FAKE_REDUCE, FAKE_SCAN, FAKE_SORT, FAKE_SEARCH, FAKE_INDEX,
    FAKE_SELECT_COUNT, FAKE_SELECT_WRITE, FAKE_HISTOGRAM, FAKE_MATMUL, FAKE_SOLVE, FAKE_RANDOM
};

/* How plans are executed. */
typedef struct fake_runner {
    void *(*keep)(int entry, const void *plan);         /* a copy */
    garray_status (*run)(int entry, void *kept, char *text, size_t size);     /* and drops it */
    garray_status (*run_here)(int entry, void *plan, char *text, size_t size);
    void (*drop)(int entry, void *kept);
    void (*drop_select)(garray_select_plan *plan);
    bool (*touches)(int entry, const void *kept, const void *data, size_t size);
    size_t (*result_size)(const garray_ew_plan *plan);  /* bytes of a contiguous result */
} fake_runner;

extern const fake_runner fake_plans;    /* by the CPU's backend; fake_plans.c */
void fake_run_plans(const fake_runner *with);

/* Everything anew; nothing may be alive. */
void fake_reset(uint64_t seed);

/* Runs all tasks. */
void fake_drain(void);

/* How many tasks wait to run. */
int64_t fake_pending(void);

/* Whether a task that has not run yet touches the memory. */
bool fake_touches(const void *data, size_t size);

/* A stream as a user of the native library would make it. */
void *fake_native_stream(void);
void fake_native_stream_free(void *stream);

/* The table; host is what core offers. */
const garray_backend *fake_backend(const garray_host *host);

#endif
