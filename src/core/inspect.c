/* SPDX-License-Identifier: BSD-3-Clause
 * What can be asked of the memory under arrays: order, flags, bounds, and whether two arrays share an element. */
#include <string.h>
#include "core/layout.h"
#include "garray/array.h"

bool garray__column_major(const garray_t *x)
{
    int64_t step = garray__size_of(x->dtype);
    if (x->size <= 1)
        return true;
    for (int i = 0; i < x->ndim; i++) {
        if (x->shape[i] != 1 && garray__strides(x)[i] != step)
            return false;
        step *= x->shape[i];
    }
    return true;
}

int garray_flags(const garray_t *x)
{
    if (!x)
        return 0;
    bool owns = !x->buffer->foreign && x->data == x->buffer->data
                && (size_t)(x->size * garray__size_of(x->dtype)) == x->buffer->size;
    return (x->flags & GARRAY__CONTIGUOUS ? GARRAY_FLAG_C_CONTIGUOUS : 0) | (garray__column_major(x) ? GARRAY_FLAG_F_CONTIGUOUS : 0)
           | (x->flags & GARRAY__WRITEABLE ? GARRAY_FLAG_WRITEABLE : 0)
           | (garray__aligned_to(x, garray__part_of(x->dtype)) ? GARRAY_FLAG_ALIGNED : 0)
           | (owns ? GARRAY_FLAG_OWNDATA : 0);
}

bool garray_isfortran(const garray_t *x)
{
    return x && garray__column_major(x) && !(x->flags & GARRAY__CONTIGUOUS);
}

garray_status garray_setflags(garray_t *x, bool writeable)
{
    GARRAY_ENTER("garray_setflags");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    if (!writeable) {
        x->flags &= ~(uint32_t)GARRAY__WRITEABLE;
        return GARRAY_OK;
    }
    if (x->flags & GARRAY__WRITEABLE)
        return GARRAY_OK;
    GARRAY_REQUIRE(!x->buffer->foreign, READONLY, "cannot set WRITEABLE flag to True of this array: its memory is another's");
    for (int i = 0; i < x->ndim; i++)
        GARRAY_REQUIRE(x->shape[i] <= 1 || garray__strides(x)[i] != 0, READONLY,
                       "cannot set WRITEABLE flag to True of this array: it repeats its elements along axis %d", i);
    x->flags |= GARRAY__WRITEABLE;
    return GARRAY_OK;
}

void garray_byte_bounds(const garray_t *x, uintptr_t *low, uintptr_t *high)
{
    char *a = NULL, *b = NULL;
    if (x)
        garray__extent(x, &a, &b);
    if (low)
        *low = (uintptr_t)a;
    if (high)
        *high = (uintptr_t)b;
}

bool garray_may_share_memory(const garray_t *a, const garray_t *b)
{
    return a && b && garray__may_overlap(a, b);
}

/* ---- a shared element ----
 * Two arrays share a byte where
 *     a.data + sum x_i * a.stride_i + p  ==  b.data + sum y_j * b.stride_j + q,
 * all indices within their lengths, 0 <= p, q < item sizes.  With every index counted in the direction in which its stride
 * is positive, and those of b and q counted from their ends, this is one equation
 *     sum c_k * z_k == total,  0 <= z_k <= most_k,  c_k > 0
 * which is searched by the largest coefficient first.  What the later terms can reach bounds each z, and their greatest
 * common divisor leaves one value in so many, so that ordinary strides take a few steps; but the problem is NP-hard. */
struct term {
    int64_t c, most;
    int64_t divisor;                /* of the coefficients from here on */
    __int128 reach;                 /* sum of c * most from here on */
};

struct search {
    struct term term[2 * GARRAY_MAX_NDIM + 3];
    int n;
    int64_t work;                   /* steps left; negative: no limit */
    bool gave_up;
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* z with c * z == total modulo m: the first one, and the period; false if there is none. */
static bool congruence(int64_t c, __int128 total, int64_t m, int64_t *first, int64_t *period)
{
    int64_t g = common_divisor(c, m);
    if (total % g != 0)
        return false;
    *period = m / g;
    /* the inverse of c / g modulo m / g, by Euclid's algorithm */
    __int128 r0 = *period, r1 = c / g % *period, s0 = 0, s1 = 1;
    while (r1 > 1) {
        __int128 q = r0 / r1, t = r0 - q * r1;
        r0 = r1;
        r1 = t;
        t = s0 - q * s1;
        s0 = s1;
        s1 = t;
    }
    __int128 inverse = *period == 1 ? 0 : s1;
    __int128 z = total / g % *period * inverse % *period;
    *first = (int64_t)(z < 0 ? z + *period : z);
    return true;
}

static bool solvable(struct search *s, int k, __int128 total)
{
    if (total < 0 || (k < s->n ? total > s->term[k].reach : total != 0))
        return false;
    if (total == 0)
        return true;
    if (k == s->n)
        return false;
    const struct term *t = &s->term[k];
    if (total % t->divisor != 0)
        return false;
    if (k + 1 == s->n)
        return total / t->c <= t->most;         /* divisible: the divisor is c */
    int64_t first, period;
    __int128 beyond = total - s->term[k + 1].reach;
    __int128 low = beyond > 0 ? (beyond + t->c - 1) / t->c : 0, high = total / t->c < t->most ? total / t->c : t->most;
    if (!congruence(t->c, total, s->term[k + 1].divisor, &first, &period))
        return false;
    __int128 z = first >= low ? first : first + (low - first + period - 1) / period * period;
    for (; z <= high; z += period) {
        if (s->work == 0) {
            s->gave_up = true;
            return false;
        }
        s->work -= s->work > 0;
        if (solvable(s, k + 1, total - z * t->c))
            return true;
        if (s->gave_up)
            return false;
    }
    return false;
}

static void add_term(struct search *s, int64_t c, int64_t most)
{
    c = c < 0 ? -c : c;
    if (c == 0 || most <= 0)
        return;
    int k = 0;
    while (k < s->n && s->term[k].c > c)
        k++;
    if (k < s->n && s->term[k].c == c && !__builtin_add_overflow(s->term[k].most, most, &s->term[k].most))
        return;                     /* two indices of one stride are one */
    memmove(&s->term[k + 1], &s->term[k], (size_t)(s->n - k) * sizeof s->term[0]);
    s->term[k] = (struct term){ .c = c, .most = most };
    s->n++;
}

garray_status garray_shares_memory(const garray_t *a, const garray_t *b, int64_t max_work, bool *result)
{
    GARRAY_ENTER("garray_shares_memory");
    struct search s = { .n = 0, .work = max_work > 0 ? max_work : -1 };
    GARRAY_REQUIRE(a && b && result, INVALID, "an argument is NULL");
    if (!garray__may_overlap(a, b) || max_work == 0) {
        *result = garray__may_overlap(a, b);
        return GARRAY_OK;
    }
    char *a_low, *a_high, *b_low, *b_high;
    garray__extent(a, &a_low, &a_high);
    garray__extent(b, &b_low, &b_high);
    for (int i = 0; i < a->ndim; i++)
        add_term(&s, garray__strides(a)[i], a->shape[i] - 1);
    for (int i = 0; i < b->ndim; i++)
        add_term(&s, garray__strides(b)[i], b->shape[i] - 1);
    add_term(&s, 1, garray__size_of(a->dtype) - 1);
    add_term(&s, 1, garray__size_of(b->dtype) - 1);
    __int128 reach = 0;
    int64_t divisor = 0;
    for (int k = s.n - 1; k >= 0; k--) {
        reach += (__int128)s.term[k].c * s.term[k].most;
        divisor = common_divisor(s.term[k].c, divisor);
        s.term[k].reach = reach;
        s.term[k].divisor = divisor;
    }
    /* a counted from its lowest byte, b down from its highest one */
    bool found = solvable(&s, 0, (__int128)(b_high - 1 - a_low));
    GARRAY_REQUIRE(!s.gave_up, NOCONVERGE, "exceeded max_work, %lld steps", (long long)max_work);
    *result = found;
    return GARRAY_OK;
}
