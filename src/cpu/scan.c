/* SPDX-License-Identifier: BSD-3-Clause
 * The scan entry: which of the sequences are taken at once, and on which threads. */
#include "cpu/scan.h"

enum {
    BLOCK = GARRAY_CPU_SCAN_BLOCK,
    GROUP = 64,             /* blocks of a long sequence that are summed, then written, while they are in the cache */
    LEAST_COLUMNS = 4,      /* fewer neighbouring sequences are taken one by one */
};

typedef struct job {
    const garray_scan_plan *plan;
    const garray__cpu_scan_kernel *kernel;
    int64_t chunks;         /* of columns: per outer index */
    const char *in;         /* of one long sequence: its present group */
    char *out;
    int64_t n;
    char state[GROUP][GARRAY_CPU_SCAN_STATE];
} job;

static void whole_sequence(const job *j, const char *in, char *out)
{
    const garray_scan_plan *p = j->plan;
    char state[GARRAY_CPU_SCAN_STATE];
    j->kernel->start(state);
    for (int64_t i = 0; i < p->n; i += BLOCK)
        j->kernel->block(in + i * p->in_strides[1], p->in_strides[1], out + i * p->out_strides[1], p->out_strides[1],
                         p->n - i < BLOCK ? p->n - i : BLOCK, state);
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
}

static void columns(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_scan_plan *p = j->plan;
    for (int64_t k = begin; k < end; k++) {
        int64_t o = k / j->chunks, first = k % j->chunks * GARRAY_CPU_SCAN_COLUMNS;
        int64_t count = p->inner - first < GARRAY_CPU_SCAN_COLUMNS ? p->inner - first : GARRAY_CPU_SCAN_COLUMNS;
        j->kernel->columns((const char *)p->in + o * p->in_strides[0] + first * p->in_strides[2], p->in_strides[1],
                           p->in_strides[2],
                           (char *)p->out + o * p->out_strides[0] + first * p->out_strides[2], p->out_strides[1], p->out_strides[2],
                           p->n, count);
    }
}

static void block_totals(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    int64_t step = j->plan->in_strides[1];
    j->kernel->total(j->in + begin * step, step, end - begin, j->state[begin / BLOCK]);
}

static void write_blocks(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    int64_t in_step = j->plan->in_strides[1], out_step = j->plan->out_strides[1];
    j->kernel->block(j->in + begin * in_step, in_step, j->out + begin * out_step, out_step, end - begin, j->state[begin / BLOCK]);
}

/* One long sequence, a group of blocks at a time: the totals of all, what stands before each, then the prefixes. */
static void long_sequence(job *j, const char *in, char *out, double cost)
{
    const garray_scan_plan *p = j->plan;
    char before[GARRAY_CPU_SCAN_STATE], total[GARRAY_CPU_SCAN_STATE];
    j->kernel->start(before);
    for (int64_t i = 0; i < p->n; i += (int64_t)GROUP * BLOCK) {
        j->n = p->n - i < (int64_t)GROUP * BLOCK ? p->n - i : (int64_t)GROUP * BLOCK;
        j->in = in + i * p->in_strides[1];
        j->out = out + i * p->out_strides[1];
        garray__cpu_parallel(j->n, BLOCK, cost * (double)j->n, block_totals, j);
        for (int64_t b = 0; b * BLOCK < j->n; b++) {
            __builtin_memcpy(total, j->state[b], sizeof total);
            __builtin_memcpy(j->state[b], before, sizeof total);
            j->kernel->merge(before, total);
        }
        garray__cpu_parallel(j->n, BLOCK, cost * (double)j->n, write_blocks, j);
    }
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
    if (plan->inner >= LEAST_COLUMNS) {
        j.chunks = (plan->inner + GARRAY_CPU_SCAN_COLUMNS - 1) / GARRAY_CPU_SCAN_COLUMNS;
        garray__cpu_parallel(plan->outer * j.chunks, 1, cost, columns, &j);
    } else if (count < garray__cpu_threads() && plan->n > (int64_t)4 * BLOCK && !garray__cpu_parallel_now()) {
        for (int64_t k = 0; k < count; k++) {
            int64_t o = k / plan->inner, i = k % plan->inner;
            long_sequence(&j, (const char *)plan->in + o * plan->in_strides[0] + i * plan->in_strides[2],
                          (char *)plan->out + o * plan->out_strides[0] + i * plan->out_strides[2], each);
        }
    } else {
        int64_t grain = plan->n >= BLOCK ? 1 : BLOCK / plan->n;
        garray__cpu_parallel(count, grain, cost, sequences, &j);
    }
    return GARRAY_OK;
}
