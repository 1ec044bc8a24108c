/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of solve_small_tmpl.c for one dtype: KIND, its REAL parts (at most REAL_MOST), an INTEGER as wide, COMPLEX.
 * Included once for each; no include guard. */
#define vec KIND_NAME(vec)
#define mask KIND_NAME(mask)
#define number KIND_NAME(number)
#define WIDTH (int)(VECTOR_BYTES / sizeof(REAL))

typedef REAL vec __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef INTEGER mask __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* A number of each lane's matrix. */
typedef struct {
    vec re;
#if COMPLEX
    vec im;
#endif
} number;

enum { KIND_NAME(PARTS) = 1 + COMPLEX };

static inline vec KIND_NAME(pick)(mask which, vec yes, vec no)
{
    return (vec)(((mask)yes & which) | ((mask)no & ~which));
}

static inline vec KIND_NAME(absolute)(vec x)
{
    return KIND_NAME(pick)(x < 0, -x, x);
}

/* c - a b, and c - a conj(b) */
static inline number KIND_NAME(less)(number c, number a, number b)
{
#if COMPLEX
    return (number){ c.re - (a.re * b.re - a.im * b.im), c.im - (a.re * b.im + a.im * b.re) };
#else
    return (number){ c.re - a.re * b.re };
#endif
}

static inline number KIND_NAME(less_conj)(number c, number a, number b)
{
#if COMPLEX
    b.im = -b.im;
#endif
    return KIND_NAME(less)(c, a, b);
}

/* a / b.  Complex numbers by Smith's way: no square overflows. */
static inline number KIND_NAME(quotient)(number a, number b)
{
#if COMPLEX
    mask by_re = KIND_NAME(absolute)(b.re) >= KIND_NAME(absolute)(b.im);
    vec large = KIND_NAME(pick)(by_re, b.re, b.im), little = KIND_NAME(pick)(by_re, b.im, b.re), r = little / large;
    vec d = large + little * r, ar = KIND_NAME(pick)(by_re, a.re, a.im), ai = KIND_NAME(pick)(by_re, a.im, a.re);
    vec im = (ai - ar * r) / d;
    return (number){ (ar + ai * r) / d, KIND_NAME(pick)(by_re, im, -im) };
#else
    return (number){ a.re / b.re };
#endif
}

/* What pivots are chosen by: NaN counts as infinite, as it does on a GPU. */
static inline vec KIND_NAME(weight)(number x)
{
    vec w = KIND_NAME(absolute)(x.re);
#if COMPLEX
    w += KIND_NAME(absolute)(x.im);
#endif
    return KIND_NAME(pick)(w != w, w * 0 + (REAL)INFINITY, w);
}

/* Lane by lane: exchanges count numbers from x on with those from y on. */
static inline void KIND_NAME(exchange)(number *x, number *y, int lane, int count)
{
    REAL *p = (REAL *)(void *)x + lane, *q = (REAL *)(void *)y + lane;
    for (int i = 0; i < count * KIND_NAME(PARTS); i++, p += WIDTH, q += WIDTH) {
        REAL t = *p;
        *p = *q;
        *q = t;
    }
}

/* LU factors in place.  rows[k]: what row k was exchanged with.  bad: the lanes that met a zero pivot. */
static inline mask KIND_NAME(factor)(number *a, int n, mask *rows)
{
    mask bad = { 0 };
    for (int k = 0; k < n; k++) {
        vec best = KIND_NAME(weight)(a[k * n + k]);
        mask at = (mask){ 0 } + k;
        for (int i = k + 1; i < n; i++) {
            vec w = KIND_NAME(weight)(a[i * n + k]);
            mask more = w > best;
            best = KIND_NAME(pick)(more, w, best);
            at = (at & ~more) | (more & i);
        }
        rows[k] = at;
        for (int l = 0; l < WIDTH; l++)
            if (at[l] != k)
                KIND_NAME(exchange)(a + k * n, a + at[l] * n, l, n);
        /* a column of zeros gives factors of 0 */
        number pivot = a[k * n + k];
        mask zero = best == 0;
        bad |= zero;
        pivot.re = KIND_NAME(pick)(zero, (vec){ 0 } + 1, pivot.re);
        for (int i = k + 1; i < n; i++) {
            number f = KIND_NAME(quotient)(a[i * n + k], pivot);
            a[i * n + k] = f;
            for (int j = k + 1; j < n; j++)
                a[i * n + j] = KIND_NAME(less)(a[i * n + j], f, a[k * n + j]);
        }
    }
    return bad;
}

/* b (n x columns) becomes the solution. */
static inline void KIND_NAME(substitute)(const number *a, const mask *rows, number *b, int n, int columns)
{
    for (int k = 0; k < n; k++)
        for (int l = 0; l < WIDTH; l++)
            if (rows[k][l] != k)
                KIND_NAME(exchange)(b + k * columns, b + rows[k][l] * columns, l, columns);
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int c = 0; c < columns; c++)
                b[i * columns + c] = KIND_NAME(less)(b[i * columns + c], a[i * n + k], b[k * columns + c]);
    for (int k = n - 1; k >= 0; k--) {
        for (int c = 0; c < columns; c++)
            b[k * columns + c] = KIND_NAME(quotient)(b[k * columns + c], a[k * n + k]);
        for (int i = 0; i < k; i++)
            for (int c = 0; c < columns; c++)
                b[i * columns + c] = KIND_NAME(less)(b[i * columns + c], a[i * n + k], b[k * columns + c]);
    }
}

/* The lower factor in place, of the lower triangle.  An infinity or a NaN anywhere in it reaches a pivot. */
static inline mask KIND_NAME(cholesky)(number *a, int n)
{
    mask bad = { 0 };
    for (int k = 0; k < n; k++) {
        vec pivot = a[k * n + k].re, root;
        bad |= ~((pivot > 0) & (pivot <= REAL_MOST));
        for (int l = 0; l < WIDTH; l++)
            root[l] = (REAL)sqrt(pivot[l]);
        a[k * n + k] = (number){ 0 };
        a[k * n + k].re = root;
        for (int i = k + 1; i < n; i++) {
            a[i * n + k].re /= root;
#if COMPLEX
            a[i * n + k].im /= root;
#endif
        }
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++)
                a[i * n + j] = KIND_NAME(less_conj)(a[i * n + j], a[i * n + k], a[j * n + k]);
    }
    return bad;
}

/* Numbers of matrices `first` to first + WIDTH - 1, each of `count` numbers, to lanes and back; beyond `end` it is the
 * last matrix again, and nothing is stored. */
static inline void KIND_NAME(load)(number *to, const void *from, int64_t count, int64_t first, int64_t end)
{
    for (int l = 0; l < WIDTH; l++) {
        const REAL *p = (const REAL *)from + (first + l < end ? first + l : end - 1) * count * KIND_NAME(PARTS);
        REAL *t = (REAL *)(void *)to + l;
        for (int64_t i = 0; i < count * KIND_NAME(PARTS); i++)
            t[i * WIDTH] = p[i];
    }
}

static inline void KIND_NAME(store)(void *to, const number *from, int64_t count, int64_t first, int64_t end)
{
    for (int l = 0; l < WIDTH && first + l < end; l++) {
        REAL *p = (REAL *)to + (first + l) * count * KIND_NAME(PARTS);
        const REAL *t = (const REAL *)(const void *)from + l;
        for (int64_t i = 0; i < count * KIND_NAME(PARTS); i++)
            p[i] = t[i * WIDTH];
    }
}

/* The lower triangle is the upper one, transposed and conjugated; and the other way round, with zeros in its place. */
static inline void KIND_NAME(turn)(number *a, int n, bool back)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            number *low = &a[i * n + j], *high = &a[j * n + i], x = back ? *low : *high;
#if COMPLEX
            x.im = -x.im;
#endif
            *(back ? high : low) = x;
            if (back && i != j)
                *low = (number){ 0 };
        }
}

static void KIND_NAME(determinants)(const garray__small_part *part, const number *a, const mask *rows, int n, int64_t first)
{
    const REAL *p = (const REAL *)(const void *)a;
    for (int l = 0; l < WIDTH && first + l < part->end; l++) {
        garray__scaled s = { 1, 0, 0 };
        for (int k = 0; k < n; k++) {
            const REAL *x = p + (int64_t)k * (n + 1) * KIND_NAME(PARTS) * WIDTH + l;
            double sign = rows[k][l] == k ? 1 : -1;
            garray__scaled_multiply(&s, sign * (double)x[0], COMPLEX ? sign * (double)x[COMPLEX * WIDTH] : 0, COMPLEX);
        }
        garray__solve_determinant(part->job, &s, first + l);
    }
}

static void KIND_NAME(run)(garray__small_part *part)
{
    const garray_solve_plan *p = part->job->plan;
    int n = (int)p->n, columns = p->kind == GARRAY_SOLVE_LINEAR ? (int)p->nrhs : n;
    number *a = part->work, *b = a + n * n;
    mask *rows = (mask *)(void *)((char *)part->work
                                  + (p->kind == GARRAY_SOLVE_LINEAR || p->kind == GARRAY_SOLVE_INVERSE ? n + columns : n) * n
                                        * (int)sizeof(number));
    for (int64_t first = part->begin; first < part->end; first += WIDTH) {
        mask bad = { 0 };
        KIND_NAME(load)(a, p->a, (int64_t)n * n, first, part->end);
        switch (p->kind) {
        case GARRAY_SOLVE_CHOLESKY:
            if (p->upper)
                KIND_NAME(turn)(a, n, false);
            bad = KIND_NAME(cholesky)(a, n);
            for (int i = 0; i < n && !p->upper; i++)
                for (int j = i + 1; j < n; j++)
                    a[i * n + j] = (number){ 0 };
            if (p->upper)
                KIND_NAME(turn)(a, n, true);
            KIND_NAME(store)(p->b, a, (int64_t)n * n, first, part->end);
            break;
        case GARRAY_SOLVE_DETERMINANT:
            KIND_NAME(factor)(a, n, rows);
            KIND_NAME(determinants)(part, a, rows, n, first);
            break;
        default:
            bad = KIND_NAME(factor)(a, n, rows);
            if (p->kind == GARRAY_SOLVE_LINEAR) {
                KIND_NAME(load)(b, p->b, (int64_t)n * columns, first, part->end);
            } else {
                memset(b, 0, sizeof *b * (size_t)(n * n));
                for (int i = 0; i < n; i++)
                    b[i * n + i].re += 1;
            }
            KIND_NAME(substitute)(a, rows, b, n, columns);
            if (p->kind == GARRAY_SOLVE_INVERSE && !p->checked) {
                for (int i = 0; i < n * n; i++)
                    b[i].re = KIND_NAME(pick)(bad, b[i].re * 0 + (REAL)NAN, b[i].re);
                bad = (mask){ 0 };
            }
            KIND_NAME(store)(p->b, b, (int64_t)n * columns, first, part->end);
        }
        for (int l = 0; l < WIDTH && part->first_bad < 0; l++)
            if (bad[l] && first + l < part->end)
                part->first_bad = first + l;
    }
}

#undef vec
#undef mask
#undef number
#undef WIDTH
#undef KIND
#undef REAL
#undef INTEGER
#undef REAL_MOST
#undef COMPLEX
