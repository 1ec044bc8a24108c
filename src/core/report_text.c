/* SPDX-License-Identifier: BSD-3-Clause
 * Writes a report: the table for people, the same for machines, and what limits the program in a sentence. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/report.h"

/* A text that grows; out of memory shows as data NULL. */
typedef struct text {
    char *data;
    size_t length, room;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    for (int round = 0; round < 2; round++) {
        va_list args;
        va_start(args, format);
        int n = t->data ? vsnprintf(t->data + t->length, t->room - t->length, format, args) : -1;
        va_end(args);
        if (n < 0)
            return;
        if ((size_t)n < t->room - t->length) {
            t->length += (size_t)n;
            return;
        }
        size_t room = 2 * t->room + (size_t)n;
        char *more = realloc(t->data, room);
        if (!more)
            free(t->data);
        t->data = more;
        t->room = room;
    }
}

/* "3.21 ms", "1.5 GB": three digits and a fitting unit. */
typedef struct quantity { char text[24]; } quantity;

static quantity with_unit(double value, double step, const char *const *units, int count)
{
    quantity q;
    int i = 0;
    while (i + 1 < count && value >= step) {
        value /= step;
        i++;
    }
    snprintf(q.text, sizeof q.text, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, units[i]);
    return q;
}

static quantity seconds_text(double s)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    return with_unit(s * 1e9, 1000, units, 4);
}

static quantity bytes_text(double b)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    return with_unit(b, 1000, units, 5);
}

static quantity flops_text(double f)
{
    static const char *const units[] = { "flop/s", "kflop/s", "Mflop/s", "Gflop/s", "Tflop/s" };
    return with_unit(f, 1000, units, 5);
}

/* ---- figures ---- */
static double ceiling_of(const garray__tally *tally, garray_device_type type)
{
    for (int i = 0; i < tally->ndevices; i++)
        if (tally->device[i].id.type == (int32_t)type && tally->device[i].ceiling > 0)
            return tally->device[i].ceiling;
    return 0;
}

static bool is_transfer(const garray__row *r)
{
    return r->entry == GARRAY__COPY && strncmp(r->name, "to ", 3) == 0;
}

/* Of the measured copy; below 0 where that says nothing: transfers, and what is bound by arithmetic. */
static double share_of(const garray__tally *tally, const garray__row *r)
{
    double ceiling = ceiling_of(tally, r->type);
    if (is_transfer(r) || r->flops > 0 || r->seconds <= 0 || ceiling <= 0)
        return -1;
    return r->timed_bytes / r->seconds / ceiling;
}

typedef struct sums {
    double seconds, bytes, flops_seconds, transfer_seconds, transfer_bytes;
    int64_t calls, timed, transfers;
    const garray__row *top;             /* the operation, other than a transfer, with most time */
} sums;

static sums sum_rows(const garray__tally *tally, int type)
{
    sums s = { 0 };
    for (int i = 0; i < tally->nrows; i++) {
        const garray__row *r = &tally->row[i];
        if (r->calls <= 0 || (type >= 0 && (int)r->type != type))
            continue;
        s.seconds += r->seconds;
        s.calls += r->calls;
        s.timed += r->timed;
        if (is_transfer(r)) {
            s.transfers += r->calls;
            s.transfer_seconds += r->seconds;
            s.transfer_bytes += r->bytes;
            continue;
        }
        s.bytes += r->bytes;
        if (r->flops > 0)
            s.flops_seconds += r->seconds;
        if (!s.top || r->seconds > s.top->seconds)
            s.top = r;
    }
    return s;
}

/* The device that the program is about: the GPU if it was used at all. */
static int main_type(const garray__tally *tally)
{
    for (int i = 0; i < tally->nrows; i++)
        if (tally->row[i].type == GARRAY_DEVICE_CUDA && tally->row[i].calls > 0)
            return GARRAY_DEVICE_CUDA;
    return GARRAY_DEVICE_CPU;
}

static const char *type_text(int type)
{
    return type == GARRAY_DEVICE_CUDA ? "GPU" : "CPU";
}

/* One sentence on what limits the program, into text. */
static void write_verdict(const garray__tally *tally, char *out, size_t size)
{
    int type = main_type(tally);
    sums s = sum_rows(tally, type);
    double wall = tally->wall > 0 ? tally->wall : 1e-9;
    if (s.calls == 0) {
        snprintf(out, size, "Nothing was computed.");
        return;
    }
    double busy = s.seconds / wall, mean = s.timed ? s.seconds / (double)s.timed : 0;
    if (s.transfer_seconds > 0.5 * s.seconds) {
        snprintf(out, size,
                 "Transfers limit: %.0f %% of the %s's time goes into copies from and to the host (%s); "
                 "keep arrays on the device.",
                 100 * s.transfer_seconds / s.seconds, type_text(type), bytes_text(s.transfer_bytes).text);
        return;
    }
    if (type == GARRAY_DEVICE_CUDA && busy < 0.5 && mean < 10e-6) {
        snprintf(out, size,
                 "Launches limit: a call keeps the GPU busy for %s on average, it works %.0f %% of the "
                 "time; larger arrays or fewer calls would help.",
                 seconds_text(mean).text, 100 * busy);
        return;
    }
    if (type == GARRAY_DEVICE_CUDA && busy < 0.5 && tally->counter[GARRAY__COUNT_HOST_WAITS] > s.calls / 10) {
        snprintf(out, size,
                 "Waits limit: the host stopped %" PRId64 " times for the GPU, which works %.0f %% of the "
                 "time; read results less often.",
                 tally->counter[GARRAY__COUNT_HOST_WAITS], 100 * busy);
        return;
    }
    if (busy < 0.5) {
        snprintf(out, size, "The program itself limits: the %s computes for it %.0f %% of the time.",
                 type_text(type), 100 * busy);
        return;
    }
    if (s.flops_seconds > 0.5 * s.seconds) {
        snprintf(out, size,
                 "Arithmetic limits: %.0f %% of the %s's time goes into matrix products and solvers.",
                 100 * s.flops_seconds / s.seconds, type_text(type));
        return;
    }
    double share = s.top ? share_of(tally, s.top) : -1;
    if (share >= 0.6)
        snprintf(out, size,
                 "Memory limits: %s, the largest part with %.0f %% of the %s's time, moves bytes at %.0f %% "
                 "of a plain copy's speed.",
                 s.top->name, 100 * s.top->seconds / s.seconds, type_text(type), 100 * share);
    else if (share >= 0 && type == GARRAY_DEVICE_CPU && mean < 10e-6)
        snprintf(out, size,
                 "Small calls limit: they take %s on average, most of it before and after the work.",
                 seconds_text(mean).text);
    else if (share >= 0)
        snprintf(out, size,
                 "%s limits: it takes %.0f %% of the %s's time and moves bytes at %.0f %% of a plain "
                 "copy's speed.",
                 s.top->name, 100 * s.top->seconds / s.seconds, type_text(type), 100 * share);
    else
        snprintf(out, size, "%s limits: it takes %.0f %% of the %s's time.", s.top ? s.top->name : "a copy",
                 s.top ? 100 * s.top->seconds / s.seconds : 100.0, type_text(type));
}

/* ---- writing ---- */
static int by_time(const void *a, const void *b)
{
    const garray__row *const *x = a, *const *y = b;
    if ((*x)->seconds != (*y)->seconds)
        return (*x)->seconds < (*y)->seconds ? 1 : -1;
    return ((*x)->calls < (*y)->calls) - ((*x)->calls > (*y)->calls);
}

static void write_table(text *t, const garray__tally *tally, const garray__row **rows, int n, double total)
{
    put(t, "%-6s %-18s %9s %10s %6s %10s %13s %8s\n", "device", "operation", "calls", "time", "%", "moved",
        "rate", "of copy");
    for (int i = 0; i < n; i++) {
        const garray__row *r = rows[i];
        char rate[32] = "", part[16] = "", percent[16] = "", time[24] = "?";
        double share = share_of(tally, r);
        if (r->timed) {
            snprintf(time, sizeof time, "%s", seconds_text(r->seconds).text);
            if (r->seconds > 0 && r->timed_flops > 0)
                snprintf(rate, sizeof rate, "%s", flops_text(r->timed_flops / r->seconds).text);
            else if (r->seconds > 0)
                snprintf(rate, sizeof rate, "%s/s", bytes_text(r->timed_bytes / r->seconds).text);
            if (total > 0)
                snprintf(percent, sizeof percent, "%.1f", 100 * r->seconds / total);
        }
        if (share >= 0)
            snprintf(part, sizeof part, "%.2f", share);
        put(t, "%-6s %-18s %9" PRId64 " %10s %6s %10s %13s %8s\n", type_text((int)r->type), r->name, r->calls,
            time, percent, bytes_text(r->bytes).text, rate, part);
    }
}

static void write_text(text *t, const garray__tally *tally, const garray__row **rows, int n, double total)
{
    sums s = sum_rows(tally, -1);
    char verdict[400];
    write_verdict(tally, verdict, sizeof verdict);
    put(t, "garray report: %s, %" PRId64 " calls, %s of device time\n", seconds_text(tally->wall).text,
        s.calls, seconds_text(s.seconds).text);
    write_table(t, tally, rows, n, total);
    put(t, "transfers: %" PRId64 ", %s, %s\n", s.transfers, bytes_text(s.transfer_bytes).text,
        seconds_text(s.transfer_seconds).text);
    put(t, "waits: host %" PRId64 " (%s), stream for stream %" PRId64 "\n",
        tally->counter[GARRAY__COUNT_HOST_WAITS], seconds_text(tally->waited).text,
        tally->counter[GARRAY__COUNT_STREAM_WAITS]);
    for (int i = 0; i < tally->ndevices; i++) {
        const garray__tally_device *d = &tally->device[i];
        put(t, "%s: %" PRId64 " allocations, %" PRId64 " of them from the %s; peak %s",
            garray__device_text(d->id), d->allocations, d->driver_allocations,
            d->id.type == GARRAY_DEVICE_CPU ? "system" : "driver", bytes_text((double)d->peak).text);
        if (d->ceiling > 0)
            put(t, "; a plain copy: %s/s", bytes_text(d->ceiling).text);
        put(t, "\n");
    }
    if (s.timed < s.calls)
        put(t, "without device time: %" PRId64 " calls that nobody waited for\n", s.calls - s.timed);
    put(t, "%s\n", verdict);
}

static void write_json(text *t, const garray__tally *tally, const garray__row **rows, int n)
{
    char verdict[400];
    write_verdict(tally, verdict, sizeof verdict);
    put(t, "{\"wall_s\": %.9g, \"host_waits\": %" PRId64 ", \"host_wait_s\": %.9g, \"stream_waits\": %" PRId64
        ", \"operations\": [", tally->wall, tally->counter[GARRAY__COUNT_HOST_WAITS], tally->waited,
        tally->counter[GARRAY__COUNT_STREAM_WAITS]);
    for (int i = 0; i < n; i++) {
        const garray__row *r = rows[i];
        double share = share_of(tally, r);
        put(t,
            "%s\n {\"device\": \"%s\", \"operation\": \"%s\", \"calls\": %" PRId64 ", \"timed\": %" PRId64
            ", \"device_s\": %.9g, \"bytes\": %.17g, \"flops\": %.17g, \"transfer\": %s, \"share\": ",
            i ? "," : "", r->type == GARRAY_DEVICE_CUDA ? "cuda" : "cpu", r->name, r->calls, r->timed,
            r->seconds, r->bytes, r->flops, is_transfer(r) ? "true" : "false");
        if (share >= 0)
            put(t, "%.4g}", share);
        else
            put(t, "null}");
    }
    put(t, "],\n \"devices\": [");
    for (int i = 0; i < tally->ndevices; i++) {
        const garray__tally_device *d = &tally->device[i];
        put(t, "%s\n {\"device\": \"%s\", \"allocations\": %" PRId64 ", \"driver_allocations\": %" PRId64
            ", \"peak_bytes\": %" PRId64 ", \"copy_bytes_per_s\": ", i ? "," : "", garray__device_text(d->id),
            d->allocations, d->driver_allocations, d->peak);
        if (d->ceiling > 0)
            put(t, "%.9g}", d->ceiling);
        else
            put(t, "null}");
    }
    put(t, "],\n \"verdict\": \"%s\"}\n", verdict);
}

char *garray__report_write(const garray__tally *tally, garray_report_format format, int most, size_t *length)
{
    const garray__row *rows[GARRAY__REPORT_ROWS];
    int n = 0;
    double total = 0;
    for (int i = 0; i < tally->nrows; i++)
        if (tally->row[i].calls > 0) {
            rows[n++] = &tally->row[i];
            total += tally->row[i].seconds;
        }
    qsort(rows, (size_t)n, sizeof *rows, by_time);
    if (most > 0 && n > most)
        n = most;
    text t = { .data = malloc(4096), .room = 4096 };
    if (t.data)
        t.data[0] = 0;
    if (format == GARRAY_REPORT_JSON)
        write_json(&t, tally, rows, n);
    else
        write_text(&t, tally, rows, n, total);
    *length = t.length;
    return t.data;
}
