/* SPDX-License-Identifier: BSD-3-Clause
 * Running maxima and minima.  Items of real dtypes become keys of their own width (sort_key.h; for minima in reverse, NaNs
 * above all either way), whose running maximum is taken; complex ones are compared as they are. */
#include <string.h>
#include "core/complex.h"
#include "cpu/loops.h"
#include "cpu/scan.h"
#include "cpu/sort_key.h"

enum { BLOCK = 2048, COLUMNS = 512, LEAST_COLUMNS = 4 };

typedef struct {
    const garray_scan_plan *plan;
    int64_t chunks;             /* of columns, per outer index */
    int item, width;            /* bytes, and the index of moves */
    bool minimum;
} job;

/* ---- running maxima ---- */
#define RUNNING(U)                                                                                           \
    static void along_##U(void *keys, int64_t n, void *state)                                                \
    {                                                                                                        \
        U *k = keys, most = *(U *)state;                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                      \
            k[i] = most = k[i] > most ? k[i] : most;                                                         \
        *(U *)state = most;                                                                                  \
    }                                                                                                        \
    static void across_##U(void *keys, int64_t n, void *state)                                               \
    {                                                                                                        \
        U *k = keys, *s = state;                                                                             \
        for (int64_t i = 0; i < n; i++)                                                                      \
            k[i] = s[i] = k[i] > s[i] ? k[i] : s[i];                                                         \
    }
RUNNING(uint8_t)
RUNNING(uint16_t)
RUNNING(uint32_t)
RUNNING(uint64_t)

/* The first NaN stays; of equal numbers the first does. */
#define COMPLEX(T)                                                                                           \
    static inline bool later_##T(T state, T x, bool minimum)                                                 \
    {                                                                                                        \
        if (state.re != state.re || state.im != state.im)                                                    \
            return false;                                                                                    \
        if (x.re != x.re || x.im != x.im)                                                                    \
            return true;                                                                                     \
        if (minimum)                                                                                         \
            return x.re < state.re || (x.re == state.re && x.im < state.im);                                 \
        return x.re > state.re || (x.re == state.re && x.im > state.im);                                     \
    }                                                                                                        \
    static void along_##T(T *x, int64_t n, T *state, bool minimum)                                           \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            *state = later_##T(*state, x[i], minimum) ? x[i] : *state;                                       \
            x[i] = *state;                                                                                   \
        }                                                                                                    \
    }                                                                                                        \
    static void across_##T(T *x, int64_t n, T *state, bool minimum)                                          \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            state[i] = later_##T(state[i], x[i], minimum) ? x[i] : state[i];                                 \
            x[i] = state[i];                                                                                 \
        }                                                                                                    \
    }
COMPLEX(garray__c64)
COMPLEX(garray__c128)

static bool is_complex(const job *j)
{
    return j->plan->dtype == GARRAY_COMPLEX64 || j->plan->dtype == GARRAY_COMPLEX128;
}

/* The items of a block of one sequence (along), or of one row of neighbouring sequences, in place; first: they are the
 * first ones, and become the state. */
static void run(const job *j, void *items, int64_t n, void *state, bool along, bool first)
{
    if (first)
        memcpy(state, items, (size_t)((along ? 1 : n) * j->item));
    switch (j->item) {
    case 1: (along ? along_uint8_t : across_uint8_t)(items, n, state); break;
    case 2: (along ? along_uint16_t : across_uint16_t)(items, n, state); break;
    case 4: (along ? along_uint32_t : across_uint32_t)(items, n, state); break;
    case 8:
        if (is_complex(j))
            (along ? along_garray__c64 : across_garray__c64)(items, n, state, j->minimum);
        else
            (along ? along_uint64_t : across_uint64_t)(items, n, state);
        break;
    default: (along ? along_garray__c128 : across_garray__c128)(items, n, state, j->minimum); break;
    }
}

/* n items from steps of `step` bytes, their running maxima, and back to others. */
static void do_items(const job *j, const char *in, int64_t in_step, char *out, int64_t out_step, int64_t n, void *state,
                     bool along, bool first)
{
    uint64_t block[2 * BLOCK];
    garray__zeros zeros = { 0, 0 };
    if (in_step == j->item)
        memcpy(block, in, (size_t)(n * j->item));
    else
        garray__cpu_move->gather[j->width](block, in, 0, in_step, 1, n);
    if (!is_complex(j))
        garray__encode(block, block, n, j->plan->dtype, j->minimum, &zeros);
    run(j, block, n, state, along, first);
    if (!is_complex(j))
        garray__decode(block, block, n, j->plan->dtype, j->minimum);
    if (out_step == j->item)
        memcpy(out, block, (size_t)(n * j->item));
    else
        garray__cpu_move->scatter[j->width](out, block, 0, out_step, 1, n);
}

static void sequences(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_scan_plan *p = j->plan;
    uint64_t state[2];
    for (int64_t k = begin; k < end; k++) {
        const int64_t o = k / p->inner, i = k % p->inner;
        const char *in = (const char *)p->in + o * p->in_strides[0] + i * p->in_strides[2];
        char *out = (char *)p->out + o * p->out_strides[0] + i * p->out_strides[2];
        for (int64_t b = 0; b < p->n; b += BLOCK)
            do_items(j, in + b * p->in_strides[1], p->in_strides[1], out + b * p->out_strides[1], p->out_strides[1],
                     p->n - b < BLOCK ? p->n - b : BLOCK, state, true, b == 0);
    }
}

static void columns(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const garray_scan_plan *p = j->plan;
    uint64_t state[2 * COLUMNS];
    for (int64_t k = begin; k < end; k++) {
        const int64_t o = k / j->chunks, first = k % j->chunks * COLUMNS;
        const int64_t count = p->inner - first < COLUMNS ? p->inner - first : COLUMNS;
        const char *in = (const char *)p->in + o * p->in_strides[0] + first * p->in_strides[2];
        char *out = (char *)p->out + o * p->out_strides[0] + first * p->out_strides[2];
        for (int64_t r = 0; r < p->n; r++)
            do_items(j, in + r * p->in_strides[1], p->in_strides[2], out + r * p->out_strides[1], p->out_strides[2], count, state,
                     false, r == 0);
    }
}

garray_status garray__cpu_scan_order(const garray__queue *q, const garray_scan_plan *plan)
{
    job j = { .plan = plan, .item = garray__cpu_itemsize(plan->dtype), .minimum = plan->op == GARRAY_RED_MIN };
    const double cost = (double)plan->outer * (double)plan->n * (double)plan->inner;
    (void)q;
    j.width = garray__cpu_width(j.item);
    if (plan->inner >= LEAST_COLUMNS) {
        j.chunks = (plan->inner + COLUMNS - 1) / COLUMNS;
        garray__cpu_parallel(plan->outer * j.chunks, 1, cost, columns, &j);
    } else {
        const int64_t grain = plan->n >= BLOCK ? 1 : BLOCK / plan->n;
        garray__cpu_parallel(plan->outer * plan->inner, grain, cost, sequences, &j);
    }
    return GARRAY_OK;
}
