/* SPDX-License-Identifier: BSD-3-Clause
 * Plans of the backend without a device, executed by the CPU's backend when their turn comes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device.h"
#include "core/dtype.h"
#include "core/random.h"
#include "core/report.h"
#include "core/spans.h"
#include "core/stream.h"
#include "core/submit.h"
#include "fake_backend.h"

_Static_assert((int)FAKE_RANDOM == (int)GARRAY__RANDOM && (int)FAKE_INDEX == (int)GARRAY__INDEX &&
                   (int)FAKE_SELECT_WRITE == (int)GARRAY__SELECT_WRITE && (int)FAKE_SOLVE == (int)GARRAY__SOLVE,
               "the numbers of entries are core's");

static const garray__device *cpu(void)
{
    garray__device *device = NULL;
    return garray__device_get(GARRAY_CPU, &device) == GARRAY_OK ? device : NULL;
}

static void *keep(int entry, const void *plan)
{
    const size_t size = garray__plan_size((garray__entry)entry);
    const garray_sort_plan *sort = plan;
    size_t more = entry == FAKE_SORT && sort->kth ? (size_t)sort->nkth * sizeof *sort->kth : 0;
    char *copy = malloc(size + more);
    memcpy(copy, plan, size);
    if (more) {                 /* the only memory behind a plan that is the host's */
        memcpy(copy + size, sort->kth, more);
        ((garray_sort_plan *)copy)->kth = (int64_t *)(copy + size);
    }
    return copy;
}

/* In a graph the position of a draw moves on. */
static void settle_position(garray_random_plan *plan)
{
    plan->position += *plan->moved;
    plan->moved = NULL;
    if (plan->kind == GARRAY_RANDOM_ORDER)
        garray__order_keys(plan);
}

/* Core hands on no work without results: vendors' libraries refuse to plan it. */
static bool writes_nothing(int entry, const void *plan)
{
    garray__spans *spans = malloc(sizeof *spans);
    bool writes = false, any = false;
    if (!garray__plan_spans((garray__entry)entry, plan, spans))
        spans->n = 0;
    for (int i = 0; i < spans->n; i++) {
        int64_t low, high;
        garray__span_bytes(&spans->span[i], &low, &high);
        writes = writes || spans->span[i].writes;
        any = any || (spans->span[i].writes && low < high);
    }
    free(spans);
    return writes && !any;
}

static garray_status run_here(int entry, void *plan, char *text, size_t size)
{
    if (writes_nothing(entry, plan)) {
        snprintf(text, size, "%s has no results to write", garray__plan_name((garray__entry)entry, plan));
        return GARRAY_ERR_INTERNAL;
    }
    if (entry == FAKE_RANDOM && ((garray_random_plan *)plan)->moved)
        settle_position(plan);
    const garray__device *device = cpu();
    char outer[400];            /* the text of a call in which this work happens to run */
    const bool quiet = garray__quiet;
    garray__quiet = false;
    snprintf(outer, sizeof outer, "%s", garray_error_message());
    garray_status st = garray__call_backend(device->backend, (garray__entry)entry, &device->stream->queue, plan);
    if (st != GARRAY_OK) {
        snprintf(text, size, "%s", garray__error_detail());
        garray__clear_error();
        if (outer[0])
            (void)garray__fail_text(st, "%s", outer);
    }
    garray__quiet = quiet;
    return st;
}

static garray_status run(int entry, void *kept, char *text, size_t size)
{
    garray_status st = run_here(entry, kept, text, size);
    free(kept);
    return st;
}

static void drop_select(garray_select_plan *plan)
{
    const garray__device *device = cpu();
    device->backend->select_drop(&device->stream->queue, plan);
}

static void drop(int entry, void *kept)
{
    if (entry == FAKE_SELECT_WRITE)
        drop_select(kept);
    free(kept);
}

static bool touches(int entry, const void *kept, const void *data, size_t size)
{
    static garray__spans spans;         /* under the backend's lock */
    if (!size || !garray__plan_spans((garray__entry)entry, kept, &spans))
        return false;
    for (int i = 0; i < spans.n; i++) {
        int64_t low, high;
        const char *at = garray__span_pointer(kept, &spans.span[i]);
        garray__span_bytes(&spans.span[i], &low, &high);
        if (low < high && at + low < (const char *)data + size && (const char *)data < at + high)
            return true;
    }
    return false;
}

static size_t result_size(const garray_ew_plan *plan)
{
    return (size_t)plan->count * (plan->layout ? (size_t)garray__size_of(plan->operand[0].dtype) : 1);
}

const fake_runner fake_plans = { keep, run, run_here, drop, drop_select, touches, result_size };
