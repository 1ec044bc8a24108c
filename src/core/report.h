/* SPDX-License-Identifier: BSD-3-Clause
 * What is watched while the program runs: strict mode, the report, the shadow (shadow.h), ranges (trace.h).  All are off in
 * the common case, which costs one load per submitted plan. */
#ifndef GARRAY_CORE_REPORT_H
#define GARRAY_CORE_REPORT_H

#include <stdatomic.h>
#include "core/submit.h"
#include "garray/report.h"

enum {
    GARRAY__WATCH_STRICT = 1, GARRAY__WATCH_REPORT = 2, GARRAY__WATCH_SHADOW = 4, GARRAY__WATCH_TRACE = 8,
    GARRAY__WATCH_PLANS = GARRAY__WATCH_REPORT | GARRAY__WATCH_SHADOW | GARRAY__WATCH_TRACE
};

extern _Atomic int garray__watch;

static inline int garray__watching(void)
{
    return atomic_load_explicit(&garray__watch, memory_order_relaxed);
}

static inline bool garray__is_strict(void)
{
    return (garray__watching() & GARRAY__WATCH_STRICT) != 0;
}

/* What the report counts beside operations. */
typedef enum garray__counter {
    GARRAY__COUNT_STREAM_WAITS,         /* one stream made to wait for another */
    GARRAY__COUNT_HOST_WAITS,           /* the host waited for a device */
    GARRAY__COUNTERS
} garray__counter;

void garray__report_count(garray__counter counter);

static inline void garray__watch_count(garray__counter counter)
{
    if (GARRAY__UNLIKELY(garray__watching() & GARRAY__WATCH_REPORT))
        garray__report_count(counter);
}

/* Seconds that the host has waited for a device. */
void garray__report_waited(double seconds);
double garray__report_clock(void);

/* For the fork handlers of the device registry. */
void garray__report_lock(void);
void garray__report_unlock(void);

/* Reads GARRAY_REPORT. */
void garray__report_start(void);

/* Around one call into a backend while the report is on: begin notes the time (or an event) in the measure,
 * end books the plan. */
typedef struct garray__measure {
    double start;
    void *begin, *end;                  /* events of an asynchronous device; NULL: not timed */
} garray__measure;

void garray__report_enter(const garray__device *device, const garray__queue *queue, garray__measure *m);
void garray__report_leave(garray__device *device, const garray__queue *queue, garray__measure *m,
                          garray__entry entry, const void *plan);

/* ---- what has been counted (report.c) and how it is written (report_text.c) ---- */
typedef struct garray__row {
    const char *name;                   /* of the operation; a literal */
    garray__entry entry;
    garray_device_type type;
    int64_t calls, timed;               /* timed: calls whose device time is known */
    double seconds, bytes, flops;       /* bytes and flops of all calls */
    double timed_bytes, timed_flops;
} garray__row;

#define GARRAY__REPORT_ROWS 256

typedef struct garray__tally_device {
    garray_device id;
    double ceiling;
    int64_t allocations, driver_allocations, peak;
} garray__tally_device;

/* All that was counted up to a moment; the difference of two is a report. */
typedef struct garray__tally {
    double wall, waited;
    int64_t counter[GARRAY__COUNTERS];
    int nrows, ndevices;
    garray__row row[GARRAY__REPORT_ROWS];
    garray__tally_device device[GARRAY__DEVICE_TYPES * GARRAY__DEVICES_PER_TYPE];
} garray__tally;

/* The report as text in memory from malloc, or NULL; *length without the final zero. */
char *garray__report_write(const garray__tally *tally, garray_report_format format, int rows, size_t *length);

/* ---- what a plan costs (cost.c) ---- */
typedef struct garray__cost {
    double bytes;                       /* that must move at least */
    double flops;                       /* of multiply-add work; 0 where memory decides */
} garray__cost;

garray__cost garray__plan_cost(garray__entry entry, const void *plan);

/* "add", "sum", "matmul": what the plan does. */
const char *garray__plan_name(garray__entry entry, const void *plan);

#endif
