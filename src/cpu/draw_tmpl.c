/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions with parameters over a range of elements, compiled per level.  The formulas are those of core/draw_*.h:
 * loops of vectors where one draw gives one number, element by element where draws are repeated. */
#include "core/draw_inverse.h"
#include "core/draw_order.h"
#include "core/draw_rows.h"
#include "cpu/half_block.h"
#include "cpu/philox_blocks.h"

enum { RUN = WORDS / 2 };       /* elements at a time: 64-bit draws of BLOCKS blocks */

/* A run's numbers, in the dtype of the plan. */
static void store(const garray_random_plan *p, int64_t begin, int64_t n, const double *v)
{
    char *out = (char *)p->out + begin * garray__cpu_itemsize(p->dtype);
    float f[RUN];
    int64_t counts[RUN];
    if (p->dtype == GARRAY_FLOAT64) {
        memcpy(out, v, (size_t)n * 8);
        return;
    }
    if (p->dtype == GARRAY_INT64) {
        for (int64_t i = 0; i < n; i++)
            counts[i] = d_count(v[i]);
        memcpy(out, counts, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        f[i] = (float)v[i];
    if (p->dtype == GARRAY_FLOAT32)
        memcpy(out, f, (size_t)n * 4);
    else if (p->dtype == GARRAY_FLOAT16)
        garray__narrow_half((garray__u16 *)out, f, n);
    else
        garray__narrow_bfloat((garray__u16 *)out, f, n);
}

static double parameter(const garray_random_plan *p, int which, int64_t i)
{
    return p->param[which] ? p->param[which][i * p->param_step[which]] : p->number[which];
}

/* The parameters of a run; one item where `numbers`. */
struct parameters {
    bool numbers;
    double a[RUN], b[RUN], c[RUN];
};

static void fetch(const garray_random_plan *p, int64_t begin, int64_t n, struct parameters *q)
{
    q->numbers = !p->param[0] && !p->param[1] && !p->param[2];
    for (int64_t i = 0; i < (q->numbers ? 1 : n); i++) {
        q->a[i] = parameter(p, 0, begin + i);
        q->b[i] = parameter(p, 1, begin + i);
        q->c[i] = parameter(p, 2, begin + i);
    }
}

static void inverse(const garray_random_plan *p, int64_t begin, int64_t end)
{
    struct parameters q;
    uint32_t word[WORDS];
    double v[RUN], z[RUN];
    uint64_t bits[RUN];
    fetch(p, begin, end - begin < RUN ? end - begin : RUN, &q);
    for (; begin < end; begin += RUN) {
        const int64_t n = end - begin < RUN ? end - begin : RUN;
        if (!q.numbers)
            fetch(p, begin, n, &q);
        const double a = q.a[0], b = q.b[0], c = q.c[0];
        draw_blocks(word, p, p->position + (uint64_t)begin / 2);
        for (int64_t i = 0; i < RUN; i++)
            bits[i] = wide(word, i);
        switch (p->kind) {
#define INVERSE(name)                                                                \
    case GARRAY_RANDOM_##name:                                                       \
        if (q.numbers)                                                               \
            for (int64_t i = 0; i < n; i++)                                          \
                v[i] = garray__draw_##name(bits[i], a, b, c);                        \
        else                                                                         \
            for (int64_t i = 0; i < n; i++)                                          \
                v[i] = garray__draw_##name(bits[i], q.a[i], q.b[i], q.c[i]);         \
        break;
#define PAIR(name)                                                                   \
    case GARRAY_RANDOM_##name:                                                       \
        for (int64_t i = 0; i < (n + 1) / 2; i++)                                    \
            garray__normal_pair(bits[2 * i], bits[2 * i + 1], &z[2 * i], &z[2 * i + 1]);  \
        if (q.numbers)                                                               \
            for (int64_t i = 0; i < n; i++)                                          \
                v[i] = garray__draw_##name(z[i], a, b, c);                           \
        else                                                                         \
            for (int64_t i = 0; i < n; i++)                                          \
                v[i] = garray__draw_##name(z[i], q.a[i], q.b[i], q.c[i]);            \
        break;
#define EVENT(name)
#define ROW(name)
#define GARRAY_DRAW(number, name, family, ...) family(name)
#include "core/draws.def"
#undef GARRAY_DRAW
#undef INVERSE
#undef PAIR
#undef EVENT
        default: return;
        }
        store(p, begin, n, v);
    }
}

typedef double event_of(garray__source *s, double a, double b, double c);

static void events(const garray_random_plan *p, int64_t begin, int64_t end)
{
    event_of *f = NULL;
    double v[RUN];
    switch (p->kind) {
#define INVERSE(name)
#define PAIR(name)
#define EVENT(name) \
    case GARRAY_RANDOM_##name: f = garray__draw_##name; break;
#define GARRAY_DRAW(number, name, family, ...) family(name)
#include "core/draws.def"
#undef GARRAY_DRAW
#undef INVERSE
#undef PAIR
#undef EVENT
#undef ROW
    default: return;
    }
    for (; begin < end; begin += RUN) {
        const int64_t n = end - begin < RUN ? end - begin : RUN;
        for (int64_t i = 0; i < n; i++) {
            garray__source s = { p->seed, p->stream, p->position + (uint64_t)(begin + i), 0, 0 };
            v[i] = f(&s, parameter(p, 0, begin + i), parameter(p, 1, begin + i), parameter(p, 2, begin + i));
        }
        store(p, begin, n, v);
    }
}

/* begin, end: rows */
static void rows(const garray_random_plan *p, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++) {
        garray__source s = { p->seed, p->stream, p->position + (uint64_t)(r * p->row), 0, 0 };
        garray__row_draw(p->kind, &s, parameter(p, 0, r), p->param[1] + r * p->param_step[1] * p->row, p->row,
                         (int64_t *)p->out + r * p->row);
    }
}

/* Round by round over a run, as vectors; what falls beyond the end, at most half, goes on alone. */
static void order(const garray_random_plan *p, int64_t begin, int64_t end)
{
    const garray__order o = garray__order_of(p->irange);
    const uint32_t left_mask = (1u << o.left) - 1, right_mask = (1u << o.right) - 1;
    uint32_t left[RUN], right[RUN];
    int64_t *out = p->out;
    for (; begin < end; begin += RUN) {
        const int64_t n = end - begin < RUN ? end - begin : RUN;
        for (int64_t i = 0; i < RUN; i++) {
            left[i] = (uint32_t)((uint64_t)(begin + i) >> o.right) & left_mask;
            right[i] = (uint32_t)(begin + i) & right_mask;
        }
        for (int r = 0; r < GARRAY_ORDER_KEYS; r++)
            for (int64_t i = 0; i < RUN; i++)
                garray__order_round(o, p->key[r], &left[i], &right[i]);
        for (int64_t i = 0; i < n; i++) {
            const uint64_t x = (uint64_t)left[i] << o.right | right[i];
            out[begin + i] = (int64_t)(x <= p->irange ? x : garray__order_at(o, p->key, p->irange, x));
        }
    }
}

const garray__cpu_distributions GARRAY_ISA_NAME(garray__cpu_distributions) = { inverse, events, rows, order };
