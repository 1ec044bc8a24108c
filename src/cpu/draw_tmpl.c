/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions with parameters over a range of elements, compiled per level.  The formulas are those of core/draw_*.h:
 * loops of vectors where one draw gives one number, element by element where draws are repeated. */
#define GARRAY_FN static inline __attribute__((always_inline))  /* loops with a call left in them are no vectors */
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

/* The gamma numbers of shape a that their block accepts, as vectors; boost: the next blocks, or NULL, which leaves out
 * shapes below 1. */
static void first_gammas(const garray__philox *block, const garray__philox *boost, const double *a, int64_t n, double *v,
                         uint64_t *done)
{
    uint64_t small = 0;
    for (int64_t i = 0; i < n; i++)
        small |= a[i] < 1.0;
    for (int64_t i = 0; i < n; i++) {
        const double d = garray__gamma_d(a[i]);
        const garray__gamma_try y = garray__gamma_block(block[i], d, garray__gamma_k(d), 1);
        v[i] = d * y.v;
        done[i] = (y.quick | y.slow) & (boost ? a[i] > 0.0 : a[i] >= 1.0);
    }
    for (int64_t i = 0; boost && small && i < n; i++) {
        const double e = garray__gamma_boost(garray__philox_half(boost[i], 0), a[i]), y = v[i] * d_exp(e);
        done[i] &= (a[i] >= 1.0) | (e != 0.0);
        v[i] = a[i] < 1.0 ? y : v[i];
    }
}

/* What is made of two gamma numbers, or of a normal and a gamma number. */
static void first_pairs(int kind, const garray__philox *first, const garray__philox *second, const struct parameters *q,
                        int64_t n, double *v, uint64_t *done)
{
    const bool whole = kind == GARRAY_RANDOM_beta, normal = kind == GARRAY_RANDOM_standard_t;
    double shape[BLOCKS], x[BLOCKS], y[BLOCKS];
    uint64_t taken[BLOCKS];
    for (int64_t i = 0; i < n; i++)
        shape[i] = whole ? q->a[i] : 0.5 * q->a[i];
    if (normal) {
        first_gammas(second, NULL, shape, n, y, done);
        for (int64_t i = 0; i < n; i++)
            v[i] = garray__t_from(q->a[i], garray__block_normal(first[i]), y[i]);
        return;
    }
    first_gammas(first, NULL, shape, n, x, done);
    for (int64_t i = 0; i < n; i++)
        shape[i] = whole ? q->b[i] : 0.5 * q->b[i];
    first_gammas(second, NULL, shape, n, y, taken);
    for (int64_t i = 0; i < n; i++)
        done[i] &= taken[i];
    if (whole)
        for (int64_t i = 0; i < n; i++)
            v[i] = garray__beta_from(d_log(x[i]), d_log(y[i]));
    else
        for (int64_t i = 0; i < n; i++)
            v[i] = garray__f_from(q->a[i], q->b[i], x[i], y[i]);
}

/* Poisson's numbers: the searches side by side, and the larger means that take their first number. */
static void first_poissons(const garray__philox *first, const double *mean, int64_t n, double *v, uint64_t *done)
{
    double small[BLOCKS], u[BLOCKS], p[BLOCKS], k[BLOCKS], large[BLOCKS], us[BLOCKS], second[BLOCKS];
    uint64_t goes = 1, all = 1;
    for (int64_t i = 0; i < n; i++) {
        small[i] = mean[i] < 10.0 ? mean[i] : 0.0;
        u[i] = d_open(garray__philox_half(first[i], 0));
        p[i] = d_exp(-small[i]);
        k[i] = 0.0;
    }
    while (goes) {
        goes = 0;
        for (int64_t i = 0; i < n; i++)
            goes |= (uint64_t)garray__poisson_step(small[i], &u[i], &p[i], &k[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        const garray__count_try y = garray__poisson_block(first[i], mean[i]);
        large[i] = y.k;
        us[i] = y.us;
        second[i] = y.v;
        done[i] = (mean[i] < 10.0) | y.taken;
        all &= done[i];
    }
    for (int64_t i = 0; !all && i < n; i++) {
        const garray__count_try y = { large[i], us[i], second[i], 0 };
        const double far = y.k > 10.0 ? y.k : 10.0;
        const int late = garray__poisson_takes(y, mean[i], d_log_poisson_from(far, mean[i], d_stirling_far(far, 0.0)));
        done[i] |= late & (far == y.k);
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = mean[i] < 10.0 ? k[i] : large[i];
}

/* The same of binomial numbers; those of no trials or of probability 0 or 1 are left alone. */
static void first_binomials(const garray__philox *first, const double *trials, const double *chance, int64_t n, double *v,
                            uint64_t *done)
{
    double number[BLOCKS], ratio[BLOCKS], most[BLOCKS], u[BLOCKS], x[BLOCKS], k[BLOCKS], half[BLOCKS], large[BLOCKS], us[BLOCKS],
        second[BLOCKS];
    uint64_t goes = 1, all = 1;
    for (int64_t i = 0; i < n; i++) {
        const double p = half[i] = chance[i] <= 0.5 ? chance[i] : 1.0 - chance[i];
        const int small = (trials[i] * p < 10.0) & (p > 0.0);
        number[i] = small ? trials[i] : 0.0;
        ratio[i] = p / (1.0 - p);
        most[i] = garray__binomial_most(number[i], p);
        u[i] = d_open(garray__philox_half(first[i], 0));
        x[i] = garray__binomial_first(number[i], small ? p : 0.5);
        k[i] = 0.0;
    }
    while (goes) {
        goes = 0;
        for (int64_t i = 0; i < n; i++)
            goes |= (uint64_t)garray__binomial_step(number[i], ratio[i], most[i], &u[i], &x[i], &k[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        const garray__count_try y = garray__binomial_block(first[i], trials[i], half[i]);
        large[i] = y.k;
        us[i] = y.us;
        second[i] = y.v;
        done[i] = number[i] > 0.0 ? u[i] <= x[i] : y.taken & (half[i] > 0.0) & (trials[i] > 0.0);
        all &= done[i];
    }
    for (int64_t i = 0; !all && i < n; i++) {
        const garray__count_try y = { large[i], us[i], second[i], 0 };
        const double m = trials[i], p = half[i], q = 1.0 - p, mode = garray__binomial_mode(m, p), of_n = d_stirling_far(m, 0.0);
        const double below = y.k < m - 10.0 ? y.k : m - 10.0, far = below > 10.0 ? below : 10.0;
        const double of_k = d_stirling_far(far, 0.0), of_rest = d_stirling_far(m - far, 0.0);
        const double of_mode = d_stirling_far(mode, 0.0), of_other = d_stirling_far(m - mode, 0.0);
        const double ratio_k = d_log_binomial_from(far, m, p, q, of_n, of_k, of_rest)
                               - d_log_binomial_from(mode, m, p, q, of_n, of_mode, of_other);
        done[i] |= garray__binomial_takes(y, m, p, ratio_k) & (far == y.k) & (m * p >= 10.0);
    }
    for (int64_t i = 0; i < n; i++) {
        const double found = number[i] > 0.0 ? k[i] : large[i];
        v[i] = chance[i] <= 0.5 ? found : trials[i] - found;
    }
}

/* What most elements need no more than one or two blocks for. */
static void first_attempts(int kind, const garray__philox *first, const garray__philox *second, struct parameters *q, int64_t n,
                           double *v, uint64_t *done)
{
    double shape[BLOCKS];
    switch (kind) {
    case GARRAY_RANDOM_gamma:
        first_gammas(first, second, q->a, n, v, done);
        for (int64_t i = 0; i < n; i++)
            v[i] = q->b[i] * v[i];
        break;
    case GARRAY_RANDOM_chisquare:
        for (int64_t i = 0; i < n; i++)
            shape[i] = 0.5 * q->a[i];
        first_gammas(first, second, shape, n, v, done);
        for (int64_t i = 0; i < n; i++)
            v[i] = 2.0 * v[i];
        break;
    case GARRAY_RANDOM_beta:
    case GARRAY_RANDOM_f:
    case GARRAY_RANDOM_standard_t:
        first_pairs(kind, first, second, q, n, v, done);
        break;
    case GARRAY_RANDOM_poisson:
        first_poissons(first, q->a, n, v, done);
        break;
    case GARRAY_RANDOM_binomial:
        first_binomials(first, q->a, q->b, n, v, done);
        break;
    case GARRAY_RANDOM_wald:
        for (int64_t i = 0; i < n; i++) {
            v[i] = garray__wald_block(first[i], q->a[i], q->b[i]);
            done[i] = 1;
        }
        break;
    default: memset(done, 0, (size_t)n * sizeof *done);
    }
}

/* Whether most elements go on to the second attempt. */
static bool needs_two(int kind)
{
    switch (kind) {
    case GARRAY_RANDOM_poisson:
    case GARRAY_RANDOM_binomial:
    case GARRAY_RANDOM_wald:
    case GARRAY_RANDOM_vonmises:
    case GARRAY_RANDOM_zipf:
    case GARRAY_RANDOM_logseries:
    case GARRAY_RANDOM_weights: return false;
    default: return true;
    }
}

typedef double event_of(garray__source *s, double a, double b, double c);

static void events(const garray_random_plan *p, int64_t begin, int64_t end)
{
    const bool two = needs_two(p->kind);
    event_of *f = NULL;
    struct parameters q;
    double v[BLOCKS];
    uint64_t done[BLOCKS];
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
    for (; begin < end; begin += BLOCKS) {
        const int64_t n = end - begin < BLOCKS ? end - begin : BLOCKS;
        garray__philox first[BLOCKS], second[BLOCKS];
        draw_attempt(first->word, p, p->position + (uint64_t)begin, 0);
        if (two)
            draw_attempt(second->word, p, p->position + (uint64_t)begin, 1);
        for (int64_t i = 0; i < n; i++) {
            q.a[i] = parameter(p, 0, begin + i);
            q.b[i] = parameter(p, 1, begin + i);
            q.c[i] = parameter(p, 2, begin + i);
        }
        first_attempts(p->kind, first, second, &q, n, v, done);
        for (int64_t i = 0; i < n; i++)
            if (!done[i]) {
                garray__source s = { p->seed, p->stream, p->position + (uint64_t)(begin + i), 0, 1 + two, &first[i], &second[i] };
                v[i] = f(&s, q.a[i], q.b[i], q.c[i]);
            }
        store(p, begin, n, v);
    }
}

/* begin, end: rows */
static void rows(const garray_random_plan *p, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++) {
        garray__source s = { p->seed, p->stream, p->position + (uint64_t)(r * p->row), 0, 0, NULL, NULL };
        garray__row_draw(p->kind, &s, parameter(p, 0, r), p->param[1] + r * p->param_step[1] * p->row, p->row,
                         (int64_t *)p->out + r * p->row);
    }
}

/* All rounds of a vector of places at a time; what falls beyond the end, at most half, goes round again. */
static void order(const garray_random_plan *p, int64_t begin, int64_t end)
{
    const garray__order o = garray__order_of(p->irange);
    const lanes none = { 0 }, low = none + 0xb1ce6e93u, high = none + 0xd2b74407u;
    const lanes left_mask = none + ((1u << o.left) - 1), right_mask = none + ((1u << o.right) - 1);
    uint64_t x[RUN + LANES];
    int64_t place[RUN], *out = p->out;
    for (; begin < end; begin += RUN) {
        int64_t n = end - begin < RUN ? end - begin : RUN;
        for (int64_t i = 0; i < n; i++) {
            x[i] = (uint64_t)(begin + i);
            place[i] = begin + i;
        }
        while (n > 0) {
            int64_t again = 0;
            for (int64_t i = 0; i < n; i += LANES) {
                lanes v, left, right;
                memcpy(&v, x + i, sizeof v);
                left = v >> o.right & left_mask;
                right = v & right_mask;
                for (int r = 0; r < GARRAY_ORDER_KEYS; r++) {
                    const lanes product = MULTIPLY(low, left) + (MULTIPLY(high, left) << 32);
                    const lanes next = ((product >> 32) ^ (none + p->key[r]) ^ right) & left_mask;
                    right = (product << (o.right - o.left) | right >> o.left) & right_mask;
                    left = next;
                }
                v = left << o.right | right;
                memcpy(x + i, &v, sizeof v);
            }
            for (int64_t i = 0; i < n; i++) {
                out[place[i]] = (int64_t)x[i];
                place[again] = place[i];
                x[again] = x[i];
                again += x[i] > p->irange;
            }
            n = again;
        }
    }
}

const garray__cpu_distributions GARRAY_ISA_NAME(garray__cpu_distributions) = { inverse, events, rows, order };
