/* SPDX-License-Identifier: BSD-3-Clause
 * The scan entry: which of the sequences are taken at once, and on which threads. */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include "cpu/loops.h"
#include "cpu/scan.h"

enum {
    BLOCK = GARRAY_CPU_SCAN_BLOCK,
    LEAST_COLUMNS = 4,      /* fewer neighbouring sequences are taken one by one */
    SPINS = 2000            /* looks at whose turn it is before another thread may run */
};

typedef struct job {
    const garray_scan_plan *plan;
    const garray__cpu_scan_kernel *kernel;
    int64_t chunks, width;  /* of columns: per outer index, and how many columns each has */
    int64_t item;           /* bytes of a result */
    bool stream;            /* results go past the caches */
    /* of one long sequence: the block whose turn it is, and what stands before it */
    const char *in;
    char *out;
    atomic_llong turn;
    char before[GARRAY_CPU_SCAN_STATE];
} job;

/* One block of prefixes; the next block's items are on their way meanwhile. */
static void write_block(const job *j, const char *in, char *out, int64_t n, char *before)
{
    const int64_t in_step = j->plan->in_strides[1], out_step = j->plan->out_strides[1];
    char results[BLOCK * 16] __attribute__((aligned(64)));
    if (!j->stream || out_step != j->item) {
        j->kernel->block(in, in_step, out, out_step, n, before);
        return;
    }
    j->kernel->block(in, in_step, results, out_step, n, before);
    garray__cpu_move->stream(out, results, n * j->item);
}

static void whole_sequence(const job *j, const char *in, char *out)
{
    const garray_scan_plan *p = j->plan;
    char state[GARRAY_CPU_SCAN_STATE];
    j->kernel->start(state);
    for (int64_t i = 0; i < p->n; i += BLOCK)
        write_block(j, in + i * p->in_strides[1], out + i * p->out_strides[1], p->n - i < BLOCK ? p->n - i : BLOCK, state);
}

static void sequences(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_scan_plan *p = j->plan;
    for (int64_t k = begin; k < end; k++) {
        int64_t o = k / p->inner, i = k % p->inner;
        whole_sequence(j, (const char *)p->in + o * p->in_strides[0] + i * p->in_strides[2],
                       (char *)p->out + o * p->out_strides[0] + i * p->out_strides[2]);
    }
    if (j->stream)
        garray__cpu_move->stream_done();
}

static void columns(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_scan_plan *p = j->plan;
    for (int64_t k = begin; k < end; k++) {
        int64_t o = k / j->chunks, first = k % j->chunks * j->width;
        int64_t count = p->inner - first < j->width ? p->inner - first : j->width;
        if (count <= 0)
            continue;
        j->kernel->columns((const char *)p->in + o * p->in_strides[0] + first * p->in_strides[2], p->in_strides[1],
                           p->in_strides[2],
                           (char *)p->out + o * p->out_strides[0] + first * p->out_strides[2], p->out_strides[1],
                           p->out_strides[2], p->n, count, j->stream ? garray__cpu_move->stream : NULL);
    }
    if (j->stream)
        garray__cpu_move->stream_done();
}

static void wait_for_turn(job *j, int64_t block)
{
    for (int i = 0; atomic_load_explicit(&j->turn, memory_order_acquire) != block; i++)
        if (i >= SPINS)
            sched_yield();
}

/* Blocks of one long sequence.  Each is summed while it comes into the first cache; when its turn has come, what stands before
 * it is known, and the next block's turn has come as soon as the sum is added to that.  Blocks are handed out in order, so
 * whoever is waited for is at work. */
static void chained_blocks(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const garray_scan_plan *p = j->plan;
    for (int64_t b = begin; b < end; b++) {
        const int64_t first = b * BLOCK, n = p->n - first < BLOCK ? p->n - first : BLOCK;
        const char *in = j->in + first * p->in_strides[1];
        char total[GARRAY_CPU_SCAN_STATE], before[GARRAY_CPU_SCAN_STATE];
        j->kernel->total(in, p->in_strides[1], n, total);
        wait_for_turn(j, b);
        memcpy(before, j->before, sizeof before);
        j->kernel->merge(j->before, total);
        atomic_store_explicit(&j->turn, b + 1, memory_order_release);
        write_block(j, in, j->out + first * p->out_strides[1], n, before);
    }
    if (j->stream)
        garray__cpu_move->stream_done();
}

static void long_sequence(job *j, const char *in, char *out, double cost)
{
    j->in = in;
    j->out = out;
    j->kernel->start(j->before);
    atomic_store_explicit(&j->turn, 0, memory_order_relaxed);
    garray__cpu_parallel((j->plan->n + BLOCK - 1) / BLOCK, 1, cost * (double)j->plan->n, chained_blocks, j);
}

/* Chunks of columns of one width for each thread, if there are few. */
static void cut_columns(job *j)
{
    const int64_t inner = j->plan->inner, outer = j->plan->outer, threads = garray__cpu_threads();
    j->chunks = (inner + GARRAY_CPU_SCAN_COLUMNS - 1) / GARRAY_CPU_SCAN_COLUMNS;
    while (outer * j->chunks % threads && outer * j->chunks < 8 * threads && inner / (j->chunks + 1) >= 64)
        j->chunks++;
    j->width = ((inner + j->chunks - 1) / j->chunks + 15) / 16 * 16;
    if (j->width > GARRAY_CPU_SCAN_COLUMNS)
        j->width = GARRAY_CPU_SCAN_COLUMNS;
}

garray_status garray__cpu_scan(const garray__queue *q, const garray_scan_plan *plan)
{
    const garray__cpu_scans *table = GARRAY_ISA_PICK(garray__cpu_scan_table);
    if (plan->op == GARRAY_RED_MAX || plan->op == GARRAY_RED_MIN)
        return garray__cpu_scan_order(q, plan);
    job j = { .plan = plan, .kernel = &table->kernel[2 * plan->dtype + (plan->op == GARRAY_RED_PROD)] };
    if (!j.kernel->block)
        return garray__cpu_host->fail(GARRAY_ERR_DTYPE, "no scan for this dtype");
    double each = 0.8;                          /* nanoseconds of an item */
    int64_t count = plan->outer * plan->inner;
    double cost = each * (double)count * (double)plan->n;
    j.item = garray__cpu_itemsize(plan->dtype);
    j.stream = count >= garray__cpu_stream_size / j.item / plan->n && plan->in != plan->out;
    if (plan->inner >= LEAST_COLUMNS) {
        cut_columns(&j);
        garray__cpu_parallel(plan->outer * j.chunks, 1, cost, columns, &j);
    } else if (count < garray__cpu_threads() && plan->n > (int64_t)4 * BLOCK && !garray__cpu_parallel_now()) {
        for (int64_t k = 0; k < count; k++) {
            int64_t o = k / plan->inner, i = k % plan->inner;
            long_sequence(&j, (const char *)plan->in + o * plan->in_strides[0] + i * plan->in_strides[2],
                          (char *)plan->out + o * plan->out_strides[0] + i * plan->out_strides[2], each);
        }
    } else {
        j.stream = j.stream && plan->n >= (int64_t)4 * BLOCK;       /* short rows have many ends within a cache line */
        int64_t grain = plan->n >= BLOCK ? 1 : BLOCK / plan->n;
        garray__cpu_parallel(count, grain, cost, sequences, &j);
    }
    return GARRAY_OK;
}
