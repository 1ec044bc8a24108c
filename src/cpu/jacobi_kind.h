/* SPDX-License-Identifier: BSD-3-Clause
 * One-sided Jacobi rotations on numbers of PARTS parts of type REAL, LANES matrices at a time; included once for each
 * dtype, with SUFFIX.
 *
 * x has at least as many rows as columns (else the transpose is taken); w is the identity.  Rotations of pairs of columns,
 * applied to both, make the columns of x orthogonal: x = (l s) w^H.  Each matrix is scaled by a power of two, so that
 * squares neither overflow nor vanish; a column whose square is below TINY has no direction of its own, and
 * is completed from the others.  A lane whose pair needs no rotation takes part with the angle 0, which changes nothing,
 * so results do not depend on the neighbours. */

#define NAME_(name, suffix) name##_##suffix
#define NAME__(name, suffix) NAME_(name, suffix)
#define NAME(name) NAME__(name, SUFFIX)
#define LANES (64 / (int)sizeof(REAL))
#if REAL_IS_FLOAT
#define EPSILON 0x1p-23f
#define TINY 0x1p-64f
#define SQRT sqrtf
#define ABS fabsf
#define FUSED fmaf
#define TINY_SHARE 0x1p-36f       /* TINY times this is near the smallest number */
#else
#define EPSILON 0x1p-52
#define TINY 0x1p-480
#define SQRT sqrt
#define ABS fabs
#define FUSED fma
#define TINY_SHARE 0x1p-480
#endif
/* Without the instruction a fused product is a slow call. */
#ifdef __FMA__
#define FMA(a, b, c) FUSED(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif
#define EACH_LANE _Pragma("omp simd") for (int l = 0; l < LANES; l++)

typedef struct {
    REAL lane[LANES];
} __attribute__((aligned(64))) NAME(vector);

#define VECTOR NAME(vector)
/* Part p of row i of column j. */
#define AT(base, rows, j, i, p) ((base) + ((j) * (rows) + (i)) * PARTS + (p))

#if PARTS == 2
#define ADD_PRODUCTS(p, q)                                                                            \
    {                                                                                                 \
        const REAL x = (p)[0].lane[l], y = (q)[0].lane[l], s = (p)[1].lane[l], t = (q)[1].lane[l];    \
        as = FMA(s, s, FMA(x, x, as));                                                                \
        bs = FMA(t, t, FMA(y, y, bs));                                                                \
        cs = FMA(s, t, FMA(x, y, cs));                                                                \
        ds = FMA(-s, y, FMA(x, t, ds));                                                               \
    }
#else
#define ADD_PRODUCTS(p, q)                                                                            \
    {                                                                                                 \
        const REAL x = (p)[0].lane[l], y = (q)[0].lane[l];                                            \
        as = FMA(x, x, as);                                                                           \
        bs = FMA(y, y, bs);                                                                           \
        cs = FMA(x, y, cs);                                                                           \
    }
#endif

/* Dot products of a pair of columns: their squares, and conj(p) q. */
static inline void NAME(products)(const VECTOR *p, const VECTOR *q, int rows, VECTOR *alpha, VECTOR *beta, VECTOR *re, VECTOR *im)
{
    VECTOR a = { { 0 } }, b = { { 0 } }, c = { { 0 } }, d = { { 0 } };
    int i = 0;
    for (; i + 4 * PARTS <= rows * PARTS; i += 4 * PARTS)       /* the sums are kept in memory for so many rows */
        EACH_LANE
        {
            REAL as = a.lane[l], bs = b.lane[l], cs = c.lane[l], ds = d.lane[l];
#pragma GCC unroll 4
            for (int k = 0; k < 4 * PARTS; k += PARTS)
                ADD_PRODUCTS(p + i + k, q + i + k)
            a.lane[l] = as;
            b.lane[l] = bs;
            c.lane[l] = cs;
            d.lane[l] = ds;
        }
    for (; i < rows * PARTS; i += PARTS)
        EACH_LANE
        {
            REAL as = a.lane[l], bs = b.lane[l], cs = c.lane[l], ds = d.lane[l];
            ADD_PRODUCTS(p + i, q + i)
            a.lane[l] = as;
            b.lane[l] = bs;
            c.lane[l] = cs;
            d.lane[l] = ds;
        }
    *alpha = a;
    *beta = b;
    *re = c;
    *im = d;
}

/* p' = c p - s (back q), q' = s p + c (back q), with back = conj(product) / |product|. */
static inline void NAME(rotate)(VECTOR *restrict p, VECTOR *restrict q, int rows, const VECTOR *restrict c,
                                const VECTOR *restrict s, const VECTOR *restrict back_re, const VECTOR *restrict back_im)
{
    for (int i = 0; i < rows * PARTS; i += PARTS)
        EACH_LANE
        {
            const REAL x = p[i].lane[l], y = q[i].lane[l];
#if PARTS == 2
            const REAL xi = p[i + 1].lane[l], yi = q[i + 1].lane[l];
            const REAL re = FMA(y, back_re->lane[l], -yi * back_im->lane[l]);
            const REAL im = FMA(y, back_im->lane[l], yi * back_re->lane[l]);
            p[i].lane[l] = FMA(c->lane[l], x, -s->lane[l] * re);
            q[i].lane[l] = FMA(s->lane[l], x, c->lane[l] * re);
            p[i + 1].lane[l] = FMA(c->lane[l], xi, -s->lane[l] * im);
            q[i + 1].lane[l] = FMA(s->lane[l], xi, c->lane[l] * im);
#else
            (void)back_re;
            (void)back_im;
            p[i].lane[l] = FMA(c->lane[l], x, -s->lane[l] * y);
            q[i].lane[l] = FMA(s->lane[l], x, c->lane[l] * y);
#endif
        }
}

/* The angle of a pair, and whether any lane turns it. */
static inline bool NAME(angle)(const VECTOR *alpha, const VECTOR *beta, const VECTOR *re, const VECTOR *im, REAL tolerance,
                               VECTOR *c, VECTOR *s, VECTOR *back_re, VECTOR *back_im)
{
    REAL turns = 0;
#pragma omp simd reduction(+ : turns)
    for (int l = 0; l < LANES; l++) {
        const REAL a = alpha->lane[l], b = beta->lane[l];
#if PARTS == 2
        const REAL x = ABS(re->lane[l]), y = ABS(im->lane[l]), most = x > y ? x : y, least = x > y ? y : x;
        const REAL ratio = most > 0 ? least / most : 0, size = most * SQRT(1 + ratio * ratio), product = size;
#else
        const REAL product = re->lane[l], size = ABS(product);
#endif
        const bool turn = (a > TINY) & (b > TINY) & (size > tolerance * SQRT(a * b));
        /* tan of the angle: 2 g / (d +- sqrt(d^2 + 4 g^2)); both may vanish where the columns are tiny */
        const REAL d = b - a, far = ABS(d) + SQRT(FMA(d, d, 4 * size * size)), g = (d < 0) != (product < 0) ? -size : size;
        const REAL free_t = far > 0 ? 2 * g / far : 1, t = free_t > 1 ? 1 : free_t < -1 ? -1 : free_t;
        const REAL cosine = 1 / SQRT(FMA(t, t, 1)), sine = cosine * t;
        c->lane[l] = turn ? cosine : 1;
        s->lane[l] = turn ? sine : 0;
#if PARTS == 2
        back_re->lane[l] = turn ? re->lane[l] / size : 1;
        back_im->lane[l] = turn ? -im->lane[l] / size : 0;
#else
        (void)im;
        back_re->lane[l] = 1;
        back_im->lane[l] = 0;
#endif
        turns += turn ? 1 : 0;
    }
    return turns != 0;
}

/* Whether all pairs became orthogonal.  w may be NULL. */
static bool NAME(orthogonalize)(VECTOR *x, VECTOR *w, int rows, int columns, REAL tolerance)
{
    for (int sweep = 0; sweep < 40; sweep++) {
        bool moved = false;
        for (int p = 0; p < columns - 1; p++)
            for (int q = p + 1; q < columns; q++) {
                VECTOR alpha, beta, re, im, c, s, back_re, back_im;
                NAME(products)(AT(x, rows, p, 0, 0), AT(x, rows, q, 0, 0), rows, &alpha, &beta, &re, &im);
                if (!NAME(angle)(&alpha, &beta, &re, &im, tolerance, &c, &s, &back_re, &back_im))
                    continue;
                moved = true;
                NAME(rotate)(AT(x, rows, p, 0, 0), AT(x, rows, q, 0, 0), rows, &c, &s, &back_re, &back_im);
                if (w)
                    NAME(rotate)(AT(w, columns, p, 0, 0), AT(w, columns, q, 0, 0), columns, &c, &s, &back_re, &back_im);
            }
        if (!moved)
            return true;
    }
    return false;
}

/* ---- one matrix, out of its lane ---- */

static REAL NAME(weight)(const REAL *x)
{
#if PARTS == 2
    return GARRAY__PHASE_WEIGHT(x[0], x[1]);
#else
    return x[0] * x[0];
#endif
}

static void NAME(turn)(REAL *x, const double *factor)
{
#if PARTS == 2
    double re = (double)x[0], im = (double)x[1];
    garray__phase_turn(&re, &im, factor[0], factor[1], sizeof(REAL) == 4 ? 0x1p-22 : 0x1p-50);
    x[0] = (REAL)re;
    x[1] = (REAL)im;
#else
    x[0] *= (REAL)factor[0];
#endif
}

/* What the rule of phase.h multiplies a vector by. */
static void NAME(phase_of)(const REAL *v, int n, double *factor)
{
    REAL most = 0;
    int place = 0;
    for (int i = 0; i < n; i++) {
        const REAL weight = NAME(weight)(v + i * PARTS);
        most = weight > most ? weight : most;
    }
    while (place < n - 1 && !GARRAY__PHASE_NEAR(NAME(weight)(v + place * PARTS), most))
        place++;
    garray__phase((double)v[place * PARTS], PARTS == 2 ? (double)v[place * PARTS + PARTS - 1] : 0, factor, factor + 1);
}

/* Column `column` of l (columns of `rows` items, one after the other) becomes a unit vector that is orthogonal to those
 * before it, turned by the rule: the unit vector farthest from them, made orthogonal twice. */
static void NAME(complete)(REAL *l, int rows, int column)
{
    REAL *v = l + column * rows * PARTS, best = -1;
    double factor[2];
    int at = 0;
    for (int i = 0; i < rows; i++) {
        REAL rest = 1;
        for (int j = 0; j < column; j++)
            rest -= NAME(weight)(l + (j * rows + i) * PARTS);
        if (rest > best) {
            best = rest;
            at = i;
        }
    }
    memset(v, 0, sizeof(REAL) * (size_t)(rows * PARTS));
    v[at * PARTS] = 1;
    for (int pass = 0; pass < 2; pass++) {
        REAL shares[GARRAY_CPU_JACOBI_SIDE * PARTS], square = 0;
        for (int j = 0; j < column; j++) {
            const REAL *u = l + j * rows * PARTS;
            REAL re = 0, im = 0;                /* conj(u) v */
            for (int i = 0; i < rows * PARTS; i += PARTS) {
#if PARTS == 2
                re += u[i] * v[i] + u[i + 1] * v[i + 1];
                im += u[i] * v[i + 1] - u[i + 1] * v[i];
#else
                re += u[i] * v[i];
#endif
            }
            shares[j * PARTS] = re;
            shares[j * PARTS + PARTS - 1] = PARTS == 2 ? im : re;
        }
        for (int j = 0; j < column; j++) {
            const REAL *u = l + j * rows * PARTS, re = shares[j * PARTS], im = shares[j * PARTS + PARTS - 1];
            for (int i = 0; i < rows * PARTS; i += PARTS) {
#if PARTS == 2
                v[i] -= u[i] * re - u[i + 1] * im;
                v[i + 1] -= u[i] * im + u[i + 1] * re;
#else
                (void)im;
                v[i] -= u[i] * re;
#endif
            }
        }
        for (int i = 0; i < rows; i++)
            square += NAME(weight)(v + i * PARTS);
        for (int i = 0; i < rows * PARTS; i++)
            v[i] /= SQRT(square);
    }
    NAME(phase_of)(v, rows, factor);
    for (int i = 0; i < rows; i++)
        NAME(turn)(v + i * PARTS, factor);
}

/* ---- singular values ---- */

/* The power of two that a matrix of `count` numbers is divided by, so that its largest is between 1 and 2; failed: it is not
 * finite. */
static int NAME(exponent_of)(const REAL *a, int count, uint8_t *failed)
{
    REAL most = 0, check = 0;
    for (int i = 0; i < count * PARTS; i++) {
        const REAL size = ABS(a[i]);
        most = size > most ? size : most;
        check += a[i] * 0;
    }
    *failed |= check != 0;
    return *failed || most == 0 ? 0 : ilogb((double)most);
}

/* Item `from` divided by 2^exponent into lane l. */
static inline void NAME(put)(VECTOR *to, const REAL *from, int l, int exponent)
{
    const bool plain = exponent > -100 && exponent < 100;
    const double scale = plain ? ldexp(1, -exponent) : 1;
    for (int p = 0; p < PARTS; p++)
        to[p].lane[l] = (REAL)(plain ? (double)from[p] * scale : ldexp((double)from[p], -exponent));
}

/* Matrix l of the group into its lane of x, scaled, transposed if it is wide and may be; or zeros, if it is not finite. */
static void NAME(load)(const REAL *a, VECTOR *x, int m, int n, bool turn, int l, int *exponent, uint8_t *failed)
{
    const bool wide = turn && m < n;
    const int rows = wide ? n : m, columns = wide ? m : n;
    *exponent = NAME(exponent_of)(a, m * n, failed);
    for (int j = 0; j < columns && !*failed; j++)
        for (int i = 0; i < rows; i++)
            NAME(put)(AT(x, rows, j, i, 0), a + (wide ? j * n + i : i * n + j) * PARTS, l, *exponent);
}

/* The results of lane l. */
static void NAME(store)(const garray__cpu_jacobi_job *job, const VECTOR *x, const VECTOR *w, int index, int exponent)
{
    const int m = (int)job->m, n = (int)job->n, rows = m < n ? n : m, columns = m < n ? m : n, l = index;
    const bool tall = m >= n;
    REAL sigma[GARRAY_CPU_JACOBI_SIDE], left[GARRAY_CPU_JACOBI_SIDE * GARRAY_CPU_JACOBI_SIDE * PARTS];
    int order[GARRAY_CPU_JACOBI_SIDE];
    for (int j = 0; j < columns; j++) {
        REAL square = 0;
        int k = j;
        for (int i = 0; i < rows * PARTS; i++) {
            const REAL v = (x + j * rows * PARTS + i)->lane[l];
            square += v * v;
        }
        sigma[j] = SQRT(square);
        for (; k > 0 && sigma[order[k - 1]] < sigma[j]; k--)
            order[k] = order[k - 1];
        order[k] = j;
    }
    REAL *s = (REAL *)(void *)job->values + index * columns;
    for (int j = 0; j < columns; j++)
        s[j] = (REAL)ldexp((double)sigma[order[j]], exponent);
    if (!job->first)
        return;
    const int wanted = job->full ? rows : columns;
    REAL *u = (REAL *)(void *)job->first + (int64_t)index * m * (tall ? wanted : m) * PARTS;
    REAL *vh = (REAL *)(void *)job->second + (int64_t)index * n * (tall ? n : wanted) * PARTS;
    for (int j = 0; j < columns; j++) {
        const int from = order[j];
        REAL *to = left + j * rows * PARTS, right[GARRAY_CPU_JACOBI_SIDE * PARTS];
        const bool directed = sigma[from] * sigma[from] > TINY;
        const REAL inverse = directed ? 1 / sigma[from] : 0;
        double factor[2] = { 1, 0 };
        for (int i = 0; i < rows * PARTS; i++)
            to[i] = (x + from * rows * PARTS + i)->lane[l] * inverse;
        for (int i = 0; i < columns * PARTS; i++)
            right[i] = (w + from * columns * PARTS + i)->lane[l];
        /* the left vector of the matrix itself decides: a column of l, or the conjugate of one of w */
        if (!tall)
            NAME(phase_of)(right, columns, factor);
        else if (directed)
            NAME(phase_of)(to, rows, factor);
        for (int i = 0; i < rows; i++)
            NAME(turn)(to + i * PARTS, factor);
        for (int i = 0; i < columns; i++) {
            REAL *v = tall ? vh + (j * n + i) * PARTS : u + (i * m + j) * PARTS;
            NAME(turn)(right + i * PARTS, factor);
            v[0] = right[i * PARTS];
            v[PARTS - 1] = PARTS == 2 ? -right[i * PARTS + PARTS - 1] : right[i * PARTS];
        }
    }
    for (int j = 0; j < wanted; j++)
        if (j >= columns || !(sigma[order[j]] * sigma[order[j]] > TINY))
            NAME(complete)(left, rows, j);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < wanted; j++)
            for (int p = 0; p < PARTS; p++)
                *(tall ? u + (i * wanted + j) * PARTS + p : vh + (j * n + i) * PARTS + p) = left[(j * rows + i) * PARTS + p];
}

static void NAME(svd)(const garray__cpu_jacobi_job *job)
{
    const int m = (int)job->m, n = (int)job->n, rows = m < n ? n : m, columns = m < n ? m : n;
    VECTOR *x = job->work, *w = x + rows * columns * PARTS;
    int exponent[LANES] = { 0 };
    uint8_t failed[LANES] = { 0 };
    memset(x, 0, sizeof *x * (size_t)(rows * columns * PARTS));
    for (int l = 0; l < job->count; l++)
        NAME(load)((const REAL *)(const void *)job->a + (int64_t)l * m * n * PARTS, x, m, n, true, l, &exponent[l],
                   &failed[l]);
    if (job->first) {
        memset(w, 0, sizeof *w * (size_t)(columns * columns * PARTS));
        for (int j = 0; j < columns; j++)
            EACH_LANE
                AT(w, columns, j, j, 0)->lane[l] = 1;
    }
    const REAL tolerance = EPSILON * (rows > 8 ? (REAL)rows / 2 : (REAL)4);
    const bool done = NAME(orthogonalize)(x, job->first ? w : NULL, rows, columns, tolerance);
    for (int l = 0; l < job->count; l++) {
        job->failed[l] = failed[l] || !done;
        if (!job->failed[l])
            NAME(store)(job, x, w, l, exponent[l]);
    }
}

#include "cpu/jacobi_qr.h"
#include "cpu/tridiagonal_eigh.h"

#undef NAME_
#undef NAME__
#undef NAME
#undef LANES
#undef EPSILON
#undef TINY
#undef SQRT
#undef ABS
#undef FUSED
#undef TINY_SHARE
#undef FMA
#undef EACH_LANE
#undef ADD_PRODUCTS
#undef VECTOR
#undef AT
