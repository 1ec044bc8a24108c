/* SPDX-License-Identifier: BSD-3-Clause
 * Values into the places that index arrays name, in order.  Compiled per dtype and level. */
#include "core/combine.h"
#include "cpu/index.h"
#include "cpu/scalar.h"

#define ITEM ((int64_t)sizeof(st))
enum { AHEAD = 24 };            /* positions between the one that is fetched and the one that is worked on */

static inline void store_state(char *p, int op, const garray__state *s)
{
    (void)op;
#if GARRAY_KIND == K_FLOAT && GARRAY_WIDTH == 16
    garray__store(p, garray__double_to_odd(m_rounded(s->hi, s->lo)));
#elif GARRAY_KIND == K_FLOAT
    garray__store(p, (ct)m_rounded(s->hi, s->lo));
#elif GARRAY_KIND == K_COMPLEX
    garray__store(p, f_make((rt)m_rounded(s->hi, s->lo), (rt)m_rounded(s->im_hi, s->im_lo)));
#else
    garray__store(p, s->v);
#endif
}

/* One operation at a time, so that the compiler sees which. */
static inline void update_as(int op, const garray__cpu_combining *c, const int64_t *at, const char *values, int64_t step, int64_t n,
                             int64_t row)
{
    for (int64_t i = 0; i < n; i++, values += step) {
        char *base = c->base + at[i];
        if (i + AHEAD < n)
            __builtin_prefetch(c->base + at[i + AHEAD], 1);
        for (int64_t j = 0; j < row; j++) {
            garray__state s = m_of(garray__load(base + j * ITEM));
            m_take(op, &s, garray__load(values + j * ITEM));
            store_state(base + j * ITEM, op, &s);
        }
    }
}

#define UPDATE(op) case op: update_as(op, c, at, values, step, n, row); break

static void update(const garray__cpu_combining *c, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    switch (c->op) {
        UPDATE(GARRAY_OP_add);
        UPDATE(GARRAY_OP_minimum);
        UPDATE(GARRAY_OP_maximum);
#if GARRAY_KIND != K_FLOAT && GARRAY_KIND != K_COMPLEX
        UPDATE(GARRAY_OP_multiply);
        UPDATE(GARRAY_OP_bitwise_and);
        UPDATE(GARRAY_OP_bitwise_or);
        UPDATE(GARRAY_OP_bitwise_xor);
#endif
    }
}

#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX

static void start(void *states, int64_t n)
{
    const garray__state empty = m_empty(GARRAY_OP_add);
    for (int64_t i = 0; i < n; i++)
        ((garray__state *)states)[i] = empty;
}

static void add(const garray__cpu_combining *c, const int64_t *at, const char *values, int64_t step, int64_t n, int64_t row)
{
    (void)at;
    for (int64_t i = 0; i < n; i++, values += step) {
        garray__state *s = (garray__state *)c->states + c->where[i];
        if (i + AHEAD < n)
            __builtin_prefetch((garray__state *)c->states + c->where[i + AHEAD], 1);
        for (int64_t j = 0; j < row; j++)
            m_take(GARRAY_OP_add, &s[j], garray__load(values + j * ITEM));
    }
}

static void merge(void *states, const void *more, int64_t n)
{
    garray__state *s = states;
    const garray__state *t = more;
    for (int64_t i = 0; i < n; i++) {
        if (m_is_empty(&s[i]))
            s[i] = t[i];
        else if (!m_is_empty(&t[i]))
            m_merge(GARRAY_OP_add, &s[i], &t[i]);
    }
}

/* An item whose state is empty is not touched. */
static inline void finish_one(char *item, const garray__state *s)
{
    if (m_is_empty(s))
        return;
    garray__state whole = m_of(garray__load(item));
    m_merge(GARRAY_OP_add, &whole, s);
    store_state(item, GARRAY_OP_add, &whole);
}

static void finish(char *base, const void *states, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        finish_one(base + i * ITEM, (const garray__state *)states + i);
}

static void settle(const garray__cpu_combining *c, int64_t n)
{
    const garray__state empty = m_empty(GARRAY_OP_add);
    for (int64_t i = 0; i < n; i++) {
        garray__state *s = (garray__state *)c->states + c->where[i];
        if (i + AHEAD < n)
            __builtin_prefetch(c->base + c->where[i + AHEAD] * ITEM, 1);
        finish_one(c->base + c->where[i] * ITEM, s);
        *s = empty;
    }
}

#define SUMS .add = add, .start = start, .merge = merge, .finish = finish, .settle = settle,
#else
#define SUMS
#endif

const garray__cpu_combine_loops GARRAY_CAT(garray__cpu_combine, GARRAY_DT_ISA) = {
    .update = update, SUMS .state_size = sizeof(garray__state),
};
