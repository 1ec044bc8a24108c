/* SPDX-License-Identifier: BSD-3-Clause
 * Many values into one: what a state is, and how it takes values, for the dtype being compiled (kinds.h).  One text for C11
 * and CUDA C++.
 *
 * Sums of floats are unevaluated pairs of doubles (two-sum, Knuth), so wide that the order in which values come does not
 * show in a result that is rounded once.  Everything else is exact, or in order: the extrema keep the first of equal ones. */
#ifndef GARRAY__COMBINE_H
#define GARRAY__COMBINE_H

#include <math.h>
#include "garray/op.h"
#include "formula.h"

#if GARRAY_KIND == K_FLOAT
typedef struct garray__state {
    double hi, lo;
} garray__state;
#elif GARRAY_KIND == K_COMPLEX
typedef struct garray__state {
    double hi, lo, im_hi, im_lo;
} garray__state;
#else
typedef struct garray__state {
    ct v;
} garray__state;
#endif

#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX

GARRAY_FN void m_two_sum(double *hi, double *lo, double x)
{
    const double sum = *hi + x, part = sum - *hi;

    *lo += (*hi - (sum - part)) + (x - part);
    *hi = sum;
}

/* An infinity or NaN in hi leaves NaN in lo; -0 stays. */
GARRAY_FN double m_rounded(double hi, double lo)
{
    const double sum = hi + lo;

    return lo == 0 || sum != sum ? hi : sum;
}

/* Of nothing: what changes no value.  -0 + x is x for every x, and only in the state of nothing `lo` is -0. */
GARRAY_FN garray__state m_empty(int op)
{
    garray__state s;

    s.hi = op == GARRAY_OP_add ? -0.0 : op == GARRAY_OP_minimum ? INFINITY : -INFINITY;
    s.lo = -0.0;
#if GARRAY_KIND == K_COMPLEX
    s.im_hi = s.hi;
    s.im_lo = -0.0;
#endif
    return s;
}

#else

GARRAY_FN garray__state m_empty(int op)
{
    const uct ones = (uct)~(uct)0;
    garray__state s;

    switch (op) {
#if GARRAY_KIND == K_BOOL
    case GARRAY_OP_multiply:
    case GARRAY_OP_minimum:
    case GARRAY_OP_bitwise_and: s.v = 1; break;
#else
    case GARRAY_OP_multiply: s.v = 1; break;
    case GARRAY_OP_bitwise_and: s.v = (ct)ones; break;
#if GARRAY_KIND == K_SINT
    case GARRAY_OP_minimum: s.v = (ct)(ones >> 1); break;
    case GARRAY_OP_maximum: s.v = (ct)~(ct)(ones >> 1); break;
#else
    case GARRAY_OP_minimum: s.v = ones; break;
#endif
#endif
    default: s.v = 0;
    }
    (void)ones;
    return s;
}

#endif

#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX
/* Whether a sum has taken anything. */
GARRAY_FN int m_is_empty(const garray__state *s)
{
    return s->lo == 0 && signbit(s->lo);
}
#endif

/* The state of one value. */
GARRAY_FN garray__state m_of(ct v)
{
    garray__state s;

#if GARRAY_KIND == K_COMPLEX
    s.hi = v.re;
    s.im_hi = v.im;
    s.lo = s.im_lo = 0;
#elif GARRAY_KIND == K_FLOAT
    s.hi = v;
    s.lo = 0;
#else
    s.v = v;
#endif
    return s;
}

/* One value more, behind those that are there. */
GARRAY_FN void m_take(int op, garray__state *s, ct v)
{
#if GARRAY_KIND == K_FLOAT
    switch (op) {
    case GARRAY_OP_add: m_two_sum(&s->hi, &s->lo, v); break;
    case GARRAY_OP_minimum: s->hi = f_minimum((ct)s->hi, v); break;
    default: s->hi = f_maximum((ct)s->hi, v);
    }
#elif GARRAY_KIND == K_COMPLEX
    if (op == GARRAY_OP_add) {
        m_two_sum(&s->hi, &s->lo, v.re);
        m_two_sum(&s->im_hi, &s->im_lo, v.im);
    } else {
        const ct old = f_make((rt)s->hi, (rt)s->im_hi), c = op == GARRAY_OP_minimum ? f_minimum(old, v) : f_maximum(old, v);

        s->hi = c.re;
        s->im_hi = c.im;
    }
#else
    switch (op) {
    case GARRAY_OP_add: s->v = f_add(s->v, v); break;
    case GARRAY_OP_multiply: s->v = f_multiply(s->v, v); break;
    case GARRAY_OP_minimum: s->v = f_minimum(s->v, v); break;
    case GARRAY_OP_maximum: s->v = f_maximum(s->v, v); break;
    case GARRAY_OP_bitwise_and: s->v = (ct)(s->v & v); break;
    case GARRAY_OP_bitwise_or: s->v = (ct)(s->v | v); break;
    default: s->v = (ct)(s->v ^ v);
    }
#endif
}

/* All values of another state, behind those that are there. */
GARRAY_FN void m_merge(int op, garray__state *s, const garray__state *t)
{
#if GARRAY_KIND == K_FLOAT
    if (op == GARRAY_OP_add) {
        m_two_sum(&s->hi, &s->lo, t->hi);
        s->lo += t->lo;
    } else {
        m_take(op, s, (ct)t->hi);
    }
#elif GARRAY_KIND == K_COMPLEX
    if (op == GARRAY_OP_add) {
        m_two_sum(&s->hi, &s->lo, t->hi);
        m_two_sum(&s->im_hi, &s->im_lo, t->im_hi);
        s->lo += t->lo;
        s->im_lo += t->im_lo;
    } else {
        m_take(op, s, f_make((rt)t->hi, (rt)t->im_hi));
    }
#else
    m_take(op, s, t->v);
#endif
}

#endif
