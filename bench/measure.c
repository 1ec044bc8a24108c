/* SPDX-License-Identifier: BSD-3-Clause
 * How a case is timed.  On the CPU: wall time of `inner` calls.  On the GPU: between two events around `inner` calls,
 * with the stream held busy before the first one, so that all calls are queued when it fires and the host's share
 * does not count; cases with a fixed `inner` of more than 50 are not held, there the cost of the call is the point. */
#include <stdlib.h>
#include <time.h>
#include "bench.h"

enum { HELD_CALLS = 50, MOST_SAMPLES = 64 };
static const double sample_ms = 5;

double bench_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static garray_status repeat(struct bench_case *c, int count)
{
    for (int i = 0; i < count; i++) {
        if (c->alloc) {
            garray_release(c->out);
            c->out = NULL;
        }
        GARRAY_TRY(c->step(c));
    }
    return GARRAY_OK;
}

static garray_status wall(struct bench_case *c, int count, double *ms)
{
    double start = bench_now_ms();
    GARRAY_TRY(repeat(c, count));
    GARRAY_TRY(garray_synchronize(c->device));
    *ms = bench_now_ms() - start;
    return GARRAY_OK;
}

/* Work that keeps the stream busy for about a millisecond per round. */
struct hold {
    garray_t *a, *b, *out;
    double ms;                  /* of one round */
    garray_event *begin, *end;
};

static garray_status open_hold(struct bench_case *c, struct hold *h)
{
    garray_rng rng = GARRAY_RNG(1);
    GARRAY_TRY(garray_event_new(c->device, &h->begin));
    GARRAY_TRY(garray_event_new(c->device, &h->end));
    GARRAY_TRY(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(2048, 2048), GARRAY_FLOAT64, c->device, &h->a));
    GARRAY_TRY(garray_matmul(h->a, h->a, &h->out));
    GARRAY_TRY(garray_event_record(h->begin, NULL));
    for (int i = 0; i < 8; i++)
        GARRAY_TRY(garray_matmul(h->a, h->a, &h->out));
    GARRAY_TRY(garray_event_record(h->end, NULL));
    GARRAY_TRY(garray_event_elapsed(h->begin, h->end, &h->ms));
    h->ms /= 8;
    return GARRAY_OK;
}

static void close_hold(struct hold *h)
{
    garray_release(h->a);
    garray_release(h->out);
    garray_event_free(h->begin);
    garray_event_free(h->end);
}

static garray_status gpu_sample(struct bench_case *c, struct hold *h, int inner, int rounds, double *ms)
{
    GARRAY_TRY(garray_synchronize(c->device));
    for (int i = 0; i < rounds; i++)
        GARRAY_TRY(garray_matmul(h->a, h->a, &h->out));
    GARRAY_TRY(garray_event_record(h->begin, NULL));
    GARRAY_TRY(repeat(c, inner));
    GARRAY_TRY(garray_event_record(h->end, NULL));
    GARRAY_TRY(garray_event_elapsed(h->begin, h->end, ms));
    *ms /= inner;
    return GARRAY_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

garray_status bench_measure(struct bench_case *c, int repeats, double budget_s, struct timing *t)
{
    bool gpu = c->device.type == GARRAY_DEVICE_CUDA, held;
    struct hold hold = { NULL, NULL, NULL, 0, NULL, NULL };
    double warm, samples[MOST_SAMPLES], calls[MOST_SAMPLES];
    int rounds = 0, n = 0;
    repeats = repeats > MOST_SAMPLES ? MOST_SAMPLES : repeats;
    GARRAY_TRY(wall(c, 1, &warm));              /* faults pages in, loads libraries and kernels */
    GARRAY_TRY(wall(c, 1, &warm));
    if (warm > budget_s * 1e3 / 3) {
        *t = (struct timing){ warm, warm, warm, 1, 1 };
        return GARRAY_OK;
    }
    t->inner = c->inner;
    if (!t->inner) {
        double several;
        int trial = warm > 1 ? 1 : 10;
        GARRAY_TRY(wall(c, trial, &several));
        double each = several / trial;
        t->inner = each > 0 ? (int)(sample_ms / each) : 1000;
        t->inner = t->inner < 1 ? 1 : t->inner;
        if (gpu && t->inner > HELD_CALLS)
            t->inner = HELD_CALLS;
        if (t->inner > 100000)
            t->inner = 100000;
    }
    double stop = bench_now_ms() + budget_s * 1e3 / 4;
    for (int i = 0; i < repeats && (i < 1 || bench_now_ms() < stop); i++)
        GARRAY_TRY(wall(c, 1, &calls[n++]));
    t->call_ms = median(calls, n);
    held = gpu && t->inner <= HELD_CALLS;
    if (gpu)
        GARRAY_TRY(open_hold(c, &hold));
    if (held) {
        double start = bench_now_ms();
        GARRAY_TRY(repeat(c, t->inner));
        double queued = bench_now_ms() - start;
        GARRAY_TRY(garray_synchronize(c->device));
        double wanted = 1.5 * queued > 2 ? 1.5 * queued : 2;
        wanted = wanted > 40 ? 40 : wanted;
        rounds = (int)(wanted / hold.ms) + 1;
    }
    stop = bench_now_ms() + budget_s * 1e3 / 2;
    for (n = 0; n < repeats && (n < 2 || bench_now_ms() < stop); n++) {
        if (gpu) {
            GARRAY_TRY(gpu_sample(c, &hold, t->inner, rounds, &samples[n]));
        } else {
            GARRAY_TRY(wall(c, t->inner, &samples[n]));
            samples[n] /= t->inner;
        }
    }
    close_hold(&hold);
    t->ms = median(samples, n);
    t->min_ms = samples[0];
    t->samples = n;
    return GARRAY_OK;
}
