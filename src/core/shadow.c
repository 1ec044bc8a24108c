/* SPDX-License-Identifier: BSD-3-Clause
 * Runs plans a second time on another device and compares what they wrote. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/dtype.h"
#include "core/half.h"
#include "core/pool.h"
#include "core/report.h"
#include "core/shadow.h"
#include "core/spans.h"
#include "core/stream.h"

/* Plans that touch more are left alone: their copies need as much memory again, twice. */
#define MOST_BYTES ((int64_t)4 << 30)
/* Addresses keep their place within such a block, so that the other device sees the same alignment. */
#define ALIGNMENT 256

struct garray__shadow {
    garray__device *device, *other;
    const garray__queue *queue;
    garray__entry entry;
    void *plan;                             /* the caller's */
    void *moved_plan;                       /* the same with pointers into the other device's memory */
    garray__spans spans;
    int64_t low[GARRAY__SPANS], high[GARRAY__SPANS];
    char *before[GARRAY__SPANS];            /* host memory: the bytes before the plan ran */
    char *moved[GARRAY__SPANS];             /* the same on the other device, at the same place within ALIGNMENT bytes */
    void *memory[GARRAY__SPANS];            /* what `moved` lies in */
    int same_as[GARRAY__SPANS];             /* the first span with the same bytes */
    double start;
};

static char target[64];                     /* GARRAY_SHADOW, or empty */
static pid_t target_pid;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* guards what follows */
static struct {
    int64_t compared, skipped, differences;
    double here, there;
    char first[1024];
} tally;

void garray__shadow_start(void)
{
    const char *value = secure_getenv("GARRAY_SHADOW");
    if (!value || !*value || strcmp(value, "0") == 0)
        return;
    snprintf(target, sizeof target, "%s", value);
    target_pid = getpid();
    atomic_fetch_or(&garray__watch, GARRAY__WATCH_SHADOW);
}

/* ---- memory ---- */
static garray_status copy(garray__device *device, const garray__queue *queue, int kind, void *to, const void *from, int64_t size)
{
    if (size == 0)
        return GARRAY_OK;
    if (!garray__device_is_async(device)) {
        memcpy(to, from, (size_t)size);
        return GARRAY_OK;
    }
    /* not with `wait`: that would return, and so use up, a late error of the program */
    garray_copy_plan plan = { .kind = kind, .src = from, .dst = to, .size = (size_t)size };
    garray_status st = device->backend->copy(queue, &plan);
    return st == GARRAY_OK ? device->backend->stream_wait_host(queue) : st;
}

static garray_status finish(garray__device *device, const garray__queue *queue)
{
    return garray__device_is_async(device) ? device->backend->stream_wait_host(queue) : GARRAY_OK;
}

static void free_shadow(garray__shadow *s)
{
    const garray__queue *queue = s->other ? garray__queue_current(s->other) : NULL;
    for (int i = 0; i < s->spans.n; i++) {
        if (s->memory[i])
            garray__scratch_free(queue, s->memory[i]);
        free(s->before[i]);
    }
    free(s->moved_plan);
    free(s);
}

/* Keeps the bytes of each span; those that share them share the copy. */
static garray_status keep(garray__shadow *s)
{
    garray_status st = finish(s->device, s->queue);
    for (int i = 0; i < s->spans.n && st == GARRAY_OK; i++) {
        const garray__span *span = &s->spans.span[i];
        char *from = (char *)garray__span_pointer(s->plan, span) + s->low[i];
        int j = 0;
        while ((char *)garray__span_pointer(s->plan, &s->spans.span[j]) + s->low[j] != from
               || s->high[j] - s->low[j] != s->high[i] - s->low[i])
            j++;
        s->same_as[i] = j;
        if (j < i)
            continue;
        int64_t size = s->high[i] - s->low[i];
        s->before[i] = malloc((size_t)size + 1);
        st = s->before[i] ? copy(s->device, s->queue, GARRAY_COPY_TO_HOST, s->before[i], from, size)
                          : garray__fail(GARRAY_ERR_NOMEM, "no host memory for a shadow run");
    }
    return st;
}

/* Brings the kept bytes to the other device and makes its plan. */
static garray_status move(garray__shadow *s)
{
    const garray__queue *queue = garray__queue_current(s->other);
    memcpy(s->moved_plan, s->plan, garray__plan_size(s->entry));
    for (int i = 0; i < s->spans.n; i++) {
        const garray__span *span = &s->spans.span[i];
        char *pointer = garray__span_pointer(s->plan, span);
        int j = s->same_as[i];
        if (j == i) {
            int64_t size = s->high[i] - s->low[i];
            garray_status st = garray__scratch(queue, (size_t)size + ALIGNMENT, &s->memory[i]);
            if (st != GARRAY_OK)
                return st;
            s->moved[i] = (char *)s->memory[i] + ((uintptr_t)(pointer + s->low[i]) % ALIGNMENT);
            st = copy(s->other, queue, GARRAY_COPY_TO_DEVICE, s->moved[i], s->before[i], size);
            if (st != GARRAY_OK)
                return st;
        }
        char *moved = s->moved[j] - s->low[i];
        memcpy((char *)s->moved_plan + span->slot, &moved, sizeof moved);
    }
    return GARRAY_OK;
}

/* ---- items ---- */
static double number_at(int dtype, const void *item)
{
    uint16_t h;
    float f;
    double d;
    switch (dtype) {
    case GARRAY_FLOAT16:
        memcpy(&h, item, sizeof h);
        return garray__half_to_float(h);
    case GARRAY_BFLOAT16:
        memcpy(&h, item, sizeof h);
        return garray__bfloat_to_float(h);
    case GARRAY_FLOAT32:
        memcpy(&f, item, sizeof f);
        return f;
    default:
        memcpy(&d, item, sizeof d);
        return d;
    }
}

/* Floats in an item: 0 for what is none, 2 for a complex number. */
static int parts_of(int dtype)
{
    if (!garray__is_dtype(dtype))
        return 0;
    int kind = garray__kind_of(dtype);
    return kind == GARRAY__K_COMPLEX ? 2 : kind == GARRAY__K_FLOAT ? 1 : 0;
}

double garray__magnitude(int dtype, const void *item)
{
    double largest = 0;
    int n = parts_of(dtype), real = n ? garray__real_of(dtype) : 0;
    for (int i = 0; i < n; i++) {
        double x = fabs(number_at(real, (const char *)item + i * garray__size_of(real)));
        if (x > largest && x <= 1.7976931348623157e308)
            largest = x;
    }
    return largest;
}

/* The distance of floats of a dtype at x. */
static double spacing(int dtype, double x)
{
    int digits = dtype == GARRAY_FLOAT16 ? 11 : dtype == GARRAY_BFLOAT16 ? 8 : dtype == GARRAY_FLOAT32 ? 24 : 53;
    int least = dtype == GARRAY_FLOAT16 ? -24 : dtype == GARRAY_BFLOAT16 ? -133 : dtype == GARRAY_FLOAT32 ? -149 : -1074;
    int exponent;
    (void)frexp(x, &exponent);
    return ldexp(1, exponent - digits > least ? exponent - digits : least);
}

static bool is_finite(int real, const char *pair)
{
    return isfinite(number_at(real, pair)) && isfinite(number_at(real, pair + garray__size_of(real)));
}

static bool agree(const garray__span *span, const char *a, const char *b, garray__tolerance t)
{
    if (memcmp(a, b, (size_t)span->itemsize) == 0)
        return true;
    int n = parts_of(span->dtype);
    if (n == 0)
        return false;
    int real = garray__real_of(span->dtype), size = garray__size_of(real);
    /* an overflow in one order of operations is an infinity, in another a NaN, in the parts of complex numbers */
    if (n == 2 && (t.ulps > 0 || t.absolute > 0) && !is_finite(real, a) && !is_finite(real, b))
        return true;
    double scale = fmax(garray__magnitude(span->dtype, a), garray__magnitude(span->dtype, b));
    for (int i = 0; i < n; i++) {
        double x = number_at(real, a + i * size), y = number_at(real, b + i * size);
        if (isnan(x) && isnan(y))
            continue;
        if (t.ulps == 0 && t.absolute == 0) {
            if (memcmp(a + i * size, b + i * size, (size_t)size) != 0)
                return false;
        } else if (x != y && !(fabs(x - y) <= t.ulps * spacing(real, scale) + t.absolute))
            return false;
    }
    return true;
}

/* ---- the items of a span, one after another ---- */
typedef struct walk {
    const garray__span *span;
    int64_t at[2 * GARRAY_MAX_NDIM];
    int64_t offset;                         /* bytes from the pointer */
} walk;

static bool next(walk *w)
{
    const garray__span *s = w->span;
    for (int g = s->ngroups - 1, k = 0; g >= 0; g--)
        for (int i = s->n[g] - 1; i >= 0; i--, k++) {
            w->offset += s->strides[g][i];
            if (++w->at[k] < s->shape[g][i])
                return true;
            w->offset -= w->at[k] * s->strides[g][i];
            w->at[k] = 0;
        }
    return false;
}

static double largest_of(const garray__span *span, const char *pointer)
{
    double largest = 0;
    if (parts_of(span->dtype) == 0)
        return 0;
    walk w = { .span = span };
    do
        largest = fmax(largest, garray__magnitude(span->dtype, pointer + w.offset));
    while (next(&w));
    return largest;
}

static int item_text(const garray__span *span, const char *item, char *text, size_t size)
{
    int n = parts_of(span->dtype);
    if (n) {
        int real = garray__real_of(span->dtype);
        double re = number_at(real, item), im = n == 2 ? number_at(real, item + garray__size_of(real)) : 0;
        return n == 2 ? snprintf(text, size, "%.17g%+.17gj", re, im) : snprintf(text, size, "%.17g", re);
    }
    int at = snprintf(text, size, "0x");
    for (int i = span->itemsize - 1; i >= 0 && (size_t)at < size; i--)      /* bytes from the highest */
        at += snprintf(text + at, size - (size_t)at, "%02x", (unsigned char)item[i]);
    return at;
}

/* ---- comparing ---- */
static garray_status differs(garray__shadow *s, const char *what)
{
    char text[700];
    int at = snprintf(text, sizeof text, "%s: plan %s", what, garray__plan_name(s->entry, s->plan));
    for (int i = 0; i < s->spans.n && at < (int)sizeof text - 2; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, i ? "; " : ": ");
        if (at < (int)sizeof text)
            at += garray__span_text(&s->spans.span[i], text + at, sizeof text - (size_t)at);
    }
    garray_status st = garray__fail(GARRAY_ERR_INTERNAL, "shadow: %s", text);
    pthread_mutex_lock(&lock);
    if (tally.differences++ == 0)
        snprintf(tally.first, sizeof tally.first, "%s: %s", garray__call_name ? garray__call_name : "a call", text);
    pthread_mutex_unlock(&lock);
    return st;
}

/* All of a span's memory, for items that are written here and there: as items where each may stand, else as bytes. */
static garray__span whole(const garray__span *span, int64_t bytes)
{
    garray__span all = *span;
    bool items = bytes % span->itemsize == 0;
    for (int g = 0; g < span->ngroups; g++)
        for (int k = 0; k < span->n[g]; k++)
            items = items && span->strides[g][k] % span->itemsize == 0;
    if (!items) {
        all.itemsize = 1;
        all.dtype = GARRAY_UINT8;
    }
    all.ngroups = 1;
    all.n[0] = 1;
    all.own_shape[0] = bytes / all.itemsize;
    all.own_strides[0] = all.itemsize;
    return all;
}

/* Compares item by item. */
static garray_status compare(garray__shadow *s, int i, const char *ours, const char *theirs, garray__tolerance t)
{
    const garray__span *span = &s->spans.span[i];
    garray__span all;
    if (span->gaps) {
        all = whole(span, s->high[i] - s->low[i]);
        all.shape[0] = all.own_shape;
        all.strides[0] = all.own_strides;
        span = &all;
    } else {
        ours -= s->low[i];
        theirs -= s->low[i];
    }
    walk w = { .span = span };
    int64_t number = 0;
    do {
        if (!agree(span, ours + w.offset, theirs + w.offset, t)) {
            char a[64], b[64], what[400];
            item_text(span, ours + w.offset, a, sizeof a);
            item_text(span, theirs + w.offset, b, sizeof b);
            snprintf(what, sizeof what, "%s %lld of %s is %s on %s and %s on %s (allowed: %.3g ulp + %.3g)",
                     span->gaps && span->itemsize == 1 ? "byte" : "item", (long long)number, span->name, a,
                     garray__device_text(s->device->id), b, garray__device_text(s->other->id), t.ulps, t.absolute);
            return differs(s, what);
        }
        number++;
    } while (next(&w));
    return GARRAY_OK;
}

static garray_status compare_results(garray__shadow *s)
{
    double largest[GARRAY__SPANS] = { 0 };
    for (int i = 0; i < s->spans.n; i++)
        if (s->high[i] > s->low[i] && s->spans.span[i].reads)
            largest[i] = largest_of(&s->spans.span[i], s->before[s->same_as[i]] - s->low[i]);
    garray__tolerance t = garray__plan_tolerance(s->entry, s->plan, largest);
    garray_status st = GARRAY_OK;
    for (int i = 0; i < s->spans.n && st == GARRAY_OK; i++) {
        int64_t size = s->high[i] - s->low[i];
        if (!s->spans.span[i].writes || size == 0)
            continue;
        char *ours = malloc((size_t)size), *theirs = malloc((size_t)size);
        if (!ours || !theirs)
            st = garray__fail(GARRAY_ERR_NOMEM, "no host memory for a shadow run");
        if (st == GARRAY_OK)
            st = copy(s->device, s->queue, GARRAY_COPY_TO_HOST, ours,
                      (char *)garray__span_pointer(s->plan, &s->spans.span[i]) + s->low[i], size);
        if (st == GARRAY_OK)
            st = copy(s->other, garray__queue_current(s->other), GARRAY_COPY_TO_HOST, theirs, s->moved[s->same_as[i]], size);
        if (st == GARRAY_OK)
            st = compare(s, i, ours, theirs, t);
        free(ours);
        free(theirs);
    }
    return st;
}

/* ---- running ---- */
static void count_skipped(void)
{
    pthread_mutex_lock(&lock);
    tally.skipped++;
    pthread_mutex_unlock(&lock);
}

static bool has_shadow(garray__entry entry)
{
    return entry != GARRAY__COPY && entry != GARRAY__SELECT_COUNT && entry != GARRAY__SOLVE;
}

static garray_status open_other(garray__device **other)
{
    garray_device id;
    garray_status st = garray_device_parse(target, &id);
    return st == GARRAY_OK ? garray__device_get(id, other) : st;
}

garray_status garray__shadow_before(garray__device *device, const garray__queue *queue, garray__entry entry, void *plan,
                                    garray__shadow **shadow)
{
    *shadow = NULL;
    if (entry == GARRAY__COPY || entry == GARRAY__SELECT_COUNT)     /* the one computes nothing, the other comes again */
        return GARRAY_OK;
    garray__shadow *s = calloc(1, sizeof *s);
    if (!s)
        return garray__fail(GARRAY_ERR_NOMEM, "no host memory for a shadow run");
    int64_t total = 0;
    bool described = has_shadow(entry) && garray__plan_spans(entry, plan, &s->spans);
    for (int i = 0; described && i < s->spans.n; i++) {
        garray__span_bytes(&s->spans.span[i], &s->low[i], &s->high[i]);
        total += s->high[i] - s->low[i];
    }
    if (!described || total > MOST_BYTES) {
        free(s);
        count_skipped();
        return GARRAY_OK;
    }
    s->device = device;
    s->queue = queue;
    s->entry = entry;
    s->plan = plan;
    s->moved_plan = malloc(garray__plan_size(entry));
    garray_status st = s->moved_plan ? open_other(&s->other) : garray__fail(GARRAY_ERR_NOMEM, "no host memory for a shadow run");
    if (st == GARRAY_OK)
        st = keep(s);
    if (st != GARRAY_OK) {
        free_shadow(s);
        return st;
    }
    s->start = garray__report_clock();
    *shadow = s;
    return GARRAY_OK;
}

static garray_status run_there(garray__shadow *s)
{
    const garray_backend *backend = s->other->backend;
    const garray__queue *queue = garray__queue_current(s->other);
    garray_status st = GARRAY_OK;
    if (s->entry == GARRAY__SELECT_WRITE) {
        garray_select_plan *moved = s->moved_plan;
        int64_t count = moved->count;
        moved->state = NULL;
        st = garray__call_backend(backend, GARRAY__SELECT_COUNT, queue, moved);
        if (st == GARRAY_OK && moved->count != count) {
            garray__select_drop(moved, &(garray__uses){ .device = s->other });
            return differs(s, "another number of items is true");
        }
    }
    if (st == GARRAY_OK)
        st = garray__call_backend(backend, s->entry, queue, s->moved_plan);
    garray_status waited = finish(s->other, queue);
    return st == GARRAY_OK ? waited : st;
}

garray_status garray__shadow_after(garray__shadow *s, garray_status status)
{
    garray_status st = status;
    if (status == GARRAY_OK)
        st = finish(s->device, s->queue);
    double here = garray__report_clock() - s->start;
    if (st == GARRAY_OK)
        st = move(s);
    double start = garray__report_clock();
    if (st == GARRAY_OK) {
        garray_status there = run_there(s);
        double seconds = garray__report_clock() - start;
        bool late = garray__device_is_async(s->other) && s->other->backend->poll(garray__queue_current(s->other)) != GARRAY_OK;
        pthread_mutex_lock(&lock);
        tally.compared++;
        tally.here += here;
        tally.there += seconds;
        pthread_mutex_unlock(&lock);
        const bool refused = there == GARRAY_ERR_INDEX || (s->entry == GARRAY__RANDOM && there == GARRAY_ERR_INVALID);
        if (refused || late)      /* the user's mistake: each device reports it in its own way */
            garray__clear_error();
        else
            st = there == GARRAY_OK ? compare_results(s) : there;
    }
    free_shadow(s);
    return st;
}

/* The program's end: what was compared, on standard error. */
__attribute__((destructor)) static void tell_at_exit(void)
{
    if (!target[0] || getpid() != target_pid)
        return;
    char text[2048];
    int n = snprintf(text, sizeof text,
                     "garray shadow: %lld plans ran on %s too, %.3g s there and %.3g s here (calls waited for); %lld differ; %lld had "
                     "no shadow\n%s%s%s",
                     (long long)tally.compared, target, tally.there, tally.here, (long long)tally.differences,
                     (long long)tally.skipped,
                     tally.differences ? "first: " : "", tally.first, tally.differences ? "\n" : "");
    n = n < (int)sizeof text ? n : (int)sizeof text - 1;
    for (int at = 0; at < n;) {
        ssize_t done = write(2, text + at, (size_t)(n - at));
        if (done <= 0)
            break;
        at += (int)done;
    }
}
