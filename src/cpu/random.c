/* SPDX-License-Identifier: BSD-3-Clause
 * The random entry.  Elements are independent of each other, so threads take fixed blocks of them.  Parameters that are
 * arrays are looked at first. */
#include "core/draw_rows.h"
#include "cpu/random.h"

enum { GRAIN = 16384 };

typedef struct job {
    const garray_random_plan *plan;
    const garray__cpu_drawer *drawer;
    void (*draw)(const garray_random_plan *p, int64_t begin, int64_t end);
    int64_t fault;              /* the first element, or row, whose parameters are out of range; INT64_MAX */
    int kind;
    bool narrow;
} job;

static void draw_range(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    j->drawer->draw(j->plan, j->narrow, begin, end);
}

static void distribution_range(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    j->draw(j->plan, begin, end);
}

/* ---- parameters ---- */

enum { NONE, INVERSE, PAIR, EVENT, ROW };

static int family_of(int kind)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, family, ...) case number: return family;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return NONE;
    }
}

static double parameter(const garray_random_plan *p, int which, int64_t i)
{
    return p->param[which] ? p->param[which][i * p->param_step[which]] : p->number[which];
}

static int fault_at(const job *j, int64_t i)
{
    const garray_random_plan *p = j->plan;
    if (family_of(j->kind) == ROW)
        return garray__row_fault(j->kind, parameter(p, 0, i), p->param[1] + i * p->param_step[1] * p->row, p->row);
    return garray__draw_fault(j->kind, parameter(p, 0, i), parameter(p, 1, i), parameter(p, 2, i));
}

static void check_range(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    for (int64_t i = begin; i < end; i++)
        if (fault_at(j, i)) {
            int64_t first = __atomic_load_n(&j->fault, __ATOMIC_RELAXED);
            while (i < first && !__atomic_compare_exchange_n(&j->fault, &first, i, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
            return;
        }
}

static garray_status check(job *j, int64_t n)
{
    const garray_random_plan *p = j->plan;
    char text[GARRAY__FAULT_TEXT];
    j->fault = INT64_MAX;
    garray__cpu_parallel(p->param[0] || p->param[1] || p->param[2] ? n : 1, GRAIN, 2.0 * (double)n, check_range, j);
    if (j->fault == INT64_MAX)
        return GARRAY_OK;
    const int fault = fault_at(j, j->fault);
    const int which = fault < GARRAY__FAULT_TOGETHER ? fault - GARRAY__FAULT_FIRST : 0;
    return garray__cpu_host->fail(GARRAY_ERR_INVALID, "%s",
                                  garray__fault_text(j->kind, fault, parameter(p, which, j->fault), text));
}

/* ---- distributions ---- */

static garray_status distribution(job *j)
{
    const garray_random_plan *p = j->plan;
    const garray__cpu_distributions *table = GARRAY_ISA_PICK(garray__cpu_distributions);
    int64_t n = p->count, grain = GRAIN;
    double cost = 4.0 * (double)n;
    j->kind = p->kind;
    switch (family_of(p->kind)) {
    case INVERSE:
    case PAIR: j->draw = table->inverse; break;
    case EVENT:
        j->draw = table->events;
        grain = 2048;
        cost = 60.0 * (double)n;
        break;
    case ROW:
        j->draw = table->rows;
        cost = 80.0 * (double)n;
        n = p->count / p->row;
        grain = 1 + 2048 / p->row;
        break;
    default:
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "random: no kind %d", p->kind);
    }
    const garray_status st = check(j, n);
    if (st == GARRAY_OK)
        garray__cpu_parallel(n, grain, cost, distribution_range, j);
    return st;
}

garray_status garray__cpu_random(const garray__queue *q, const garray_random_plan *plan)
{
    job j = { .plan = plan, .drawer = GARRAY_ISA_PICK(garray__cpu_drawer) };
    switch (plan->kind) {
    case GARRAY_RANDOM_BITS:
        j.narrow = garray__cpu_itemsize(plan->dtype) == 4;
        break;
    case GARRAY_RANDOM_UNIFORM:
    case GARRAY_RANDOM_NORMAL:
        j.narrow = plan->dtype != GARRAY_FLOAT64;
        break;
    case GARRAY_RANDOM_INTEGERS:
        j.narrow = plan->irange <= UINT32_MAX;
        break;
    case GARRAY_RANDOM_exponential:
        if (plan->dtype == GARRAY_FLOAT64)
            return distribution(&j);
        j.narrow = true;
        break;
    case GARRAY_RANDOM_ORDER:
        j.draw = GARRAY_ISA_PICK(garray__cpu_distributions)->order;
        garray__cpu_parallel(plan->count, GRAIN, 10.0 * (double)plan->count, distribution_range, &j);
        return GARRAY_OK;
    case GARRAY_RANDOM_VENDOR:
        return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED, "the generators of cuRAND need a CUDA device");
    case GARRAY_RANDOM_CHECK:
        j.kind = plan->checked;
        return check(&j, plan->count);
    default:
        return distribution(&j);
    }
    garray__cpu_parallel(plan->count, GRAIN, 2.0 * (double)plan->count, draw_range, &j);
    return GARRAY_OK;
}
