/* SPDX-License-Identifier: BSD-3-Clause
 * Transforms on lanes of REAL: included by fft_tmpl.c once for float and once for double, so without a guard.
 * Points are WIDTH real parts and then WIDTH imaginary ones. */

#define vec NAME(vec)
#define vec_at NAME(vec_at)
#define point NAME(point)
typedef REAL vec __attribute__((vector_size(VECTOR_BYTES)));
typedef REAL vec_at __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef REAL point[2 * WIDTH];

#define LOAD(p) (*(const vec_at *)(p))
#define STORE(p, v) (*(vec_at *)(p) = (v))
#define VECTORS (WIDTH / N)

/* ---- butterflies: X[u] = sum over t of x[t] exp(-2 pi i t u / radix), in place ----------------------------- */
static inline void NAME(butterfly_2)(vec *re, vec *im)
{
    vec a = re[0], b = im[0];
    re[0] = a + re[1];
    im[0] = b + im[1];
    re[1] = a - re[1];
    im[1] = b - im[1];
}

static inline void NAME(butterfly_4)(vec *re, vec *im)
{
    vec ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
    vec cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];
    re[0] = ar + cr;
    im[0] = ai + ci;
    re[2] = ar - cr;
    im[2] = ai - ci;
    re[1] = br + di;
    im[1] = bi - dr;
    re[3] = br - di;
    im[3] = bi + dr;
}

static inline void NAME(butterfly_8)(vec *re, vec *im)
{
    const REAL h = (REAL)0.70710678118654752440;
    vec er[4] = { re[0], re[2], re[4], re[6] }, ei[4] = { im[0], im[2], im[4], im[6] };
    vec or[4] = { re[1], re[3], re[5], re[7] }, oi[4] = { im[1], im[3], im[5], im[7] };
    NAME(butterfly_4)(er, ei);
    NAME(butterfly_4)(or, oi);
    /* odd ones turned by 1, (1 - i) h, -i, (-1 - i) h */
    vec r1 = (or[1] + oi[1]) * h, i1 = (oi[1] - or[1]) * h;
    vec r3 = (oi[3] - or[3]) * h, i3 = (or[3] + oi[3]) * -h;
    re[0] = er[0] + or[0];
    im[0] = ei[0] + oi[0];
    re[4] = er[0] - or[0];
    im[4] = ei[0] - oi[0];
    re[1] = er[1] + r1;
    im[1] = ei[1] + i1;
    re[5] = er[1] - r1;
    im[5] = ei[1] - i1;
    re[2] = er[2] + oi[2];
    im[2] = ei[2] - or[2];
    re[6] = er[2] - oi[2];
    im[6] = ei[2] + or[2];
    re[3] = er[3] + r3;
    im[3] = ei[3] + i3;
    re[7] = er[3] - r3;
    im[7] = ei[3] - i3;
}

/* Odd radices: sums and differences of the items t and radix - t, with cosines and sines of 2 pi k / radix. */
#define ODD_BUTTERFLY(R, ...)                                                                              \
    static inline void NAME(butterfly_##R)(vec *re, vec *im)                                               \
    {                                                                                                      \
        enum { H = (R - 1) / 2 };                                                                          \
        static const REAL cosine[R] = { 1, PICK(COSINES, R) }, sine[R] = { 0, PICK(SINES, R) };            \
        vec sr[H], si[H], dr[H], di[H], r0 = re[0], i0 = im[0];                                            \
        _Pragma("GCC unroll 8") for (int t = 0; t < H; t++)                                                \
        {                                                                                                  \
            sr[t] = re[t + 1] + re[R - 1 - t];                                                             \
            si[t] = im[t + 1] + im[R - 1 - t];                                                             \
            dr[t] = re[t + 1] - re[R - 1 - t];                                                             \
            di[t] = im[t + 1] - im[R - 1 - t];                                                             \
            re[0] += sr[t];                                                                                \
            im[0] += si[t];                                                                                \
        }                                                                                                  \
        _Pragma("GCC unroll 8") for (int u = 1; u <= H; u++)                                               \
        {                                                                                                  \
            vec ar = r0 + sr[0] * cosine[u], ai = i0 + si[0] * cosine[u];                                  \
            vec br = dr[0] * sine[u], bi = di[0] * sine[u];                                                \
            _Pragma("GCC unroll 8") for (int t = 1; t < H; t++)                                            \
            {                                                                                              \
                const int k = (t + 1) * u % R;                                                             \
                ar += sr[t] * cosine[k];                                                                   \
                ai += si[t] * cosine[k];                                                                   \
                br += dr[t] * sine[k];                                                                     \
                bi += di[t] * sine[k];                                                                     \
            }                                                                                              \
            re[u] = ar + bi;                                                                               \
            im[u] = ai - br;                                                                               \
            re[R - u] = ar - bi;                                                                           \
            im[R - u] = ai + br;                                                                           \
        }                                                                                                  \
    }

ODD_BUTTERFLY(3)
ODD_BUTTERFLY(5)
ODD_BUTTERFLY(7)
ODD_BUTTERFLY(11)
ODD_BUTTERFLY(13)
#undef ODD_BUTTERFLY

/* ---- Stockham's stages ------------------------------------------------------------------------------------- */
/* n = radix * m * s: y[q + s (radix p + u)] = exp(-2 pi i p u / (radix m)) * X[u] of x[q + s (p + m t)].  Steps between
 * points of x and y: xs, ys. */
#define STAGE(R)                                                                                           \
    static inline void NAME(stage_core_##R)(const REAL *x, int64_t xs, REAL *y, int64_t ys, int64_t m,     \
                                            int64_t s, const REAL *twiddle, bool turns)                    \
    {                                                                                                      \
        for (int64_t p = 0; p < m; p++, twiddle += 2 * (R - 1))                                            \
            for (int64_t q = 0; q < s; q++) {                                                              \
                const REAL *from = x + (q + s * p) * xs * 2 * WIDTH;                                       \
                REAL *to = y + (q + s * R * p) * ys * 2 * WIDTH;                                           \
                const int64_t in = s * m * xs * 2 * WIDTH, out = s * ys * 2 * WIDTH;                       \
                for (int v = 0; v < WIDTH; v += N) {                                                       \
                    vec re[R], im[R];                                                                      \
                    _Pragma("GCC unroll 16") for (int t = 0; t < R; t++)                                   \
                    {                                                                                      \
                        re[t] = LOAD(from + t * in + v);                                                   \
                        im[t] = LOAD(from + t * in + WIDTH + v);                                           \
                    }                                                                                      \
                    NAME(butterfly_##R)(re, im);                                                           \
                    STORE(to + v, re[0]);                                                                  \
                    STORE(to + WIDTH + v, im[0]);                                                          \
                    _Pragma("GCC unroll 16") for (int u = 1; u < R; u++)                                   \
                    {                                                                                      \
                        vec a = re[u], b = im[u];                                                          \
                        if (turns) {                                                                       \
                            const REAL c = twiddle[2 * u - 2], d = twiddle[2 * u - 1];                     \
                            a = re[u] * c - im[u] * d;                                                     \
                            b = re[u] * d + im[u] * c;                                                     \
                        }                                                                                  \
                        STORE(to + u * out + v, a);                                                        \
                        STORE(to + u * out + WIDTH + v, b);                                                \
                    }                                                                                      \
                }                                                                                          \
            }                                                                                              \
    }                                                                                                      \
    static void NAME(stage_##R)(const REAL *x, int64_t xs, REAL *y, int64_t ys, int64_t m, int64_t s,      \
                                const REAL *twiddle)                                                       \
    {                                                                                                      \
        if (m == 1)                                                                                        \
            NAME(stage_core_##R)(x, xs, y, ys, 1, s, twiddle, false);                                      \
        else                                                                                               \
            NAME(stage_core_##R)(x, xs, y, ys, m, s, twiddle, true);                                       \
    }
STAGE(2)
STAGE(3)
STAGE(4)
STAGE(5)
STAGE(7)
STAGE(8)
STAGE(11)
STAGE(13)
#undef STAGE

static void NAME(stage)(int radix, const REAL *x, int64_t xs, REAL *y, int64_t ys, int64_t m, int64_t s, const REAL *twiddle)
{
    switch (radix) {
    case 2: NAME(stage_2)(x, xs, y, ys, m, s, twiddle); break;
    case 3: NAME(stage_3)(x, xs, y, ys, m, s, twiddle); break;
    case 4: NAME(stage_4)(x, xs, y, ys, m, s, twiddle); break;
    case 5: NAME(stage_5)(x, xs, y, ys, m, s, twiddle); break;
    case 7: NAME(stage_7)(x, xs, y, ys, m, s, twiddle); break;
    case 8: NAME(stage_8)(x, xs, y, ys, m, s, twiddle); break;
    case 11: NAME(stage_11)(x, xs, y, ys, m, s, twiddle); break;
    default: NAME(stage_13)(x, xs, y, ys, m, s, twiddle); break;
    }
}

/* n points from x into y, which do not overlap; room: two buffers of n points. */
static void NAME(leaf)(const garray__fft_node *node, const REAL *x, int64_t xs, REAL *y, int64_t ys, REAL *room)
{
    int64_t m = node->n, s = 1, size = node->n * 2 * WIDTH;
    if (node->nstages == 0)
        memcpy(y, x, sizeof(point));
    for (int i = 0; i < node->nstages; i++) {
        const bool last = i == node->nstages - 1;
        REAL *to = last ? y : room + i % 2 * size;
        m /= node->radix[i];
        NAME(stage)(node->radix[i], x, xs, to, last ? ys : 1, m, s, node->twiddle[i]);
        s *= node->radix[i];
        x = to;
        xs = 1;
    }
}

/* y = x times a complex number for each of n points. */
static void NAME(turn_points)(REAL *restrict y, const REAL *restrict x, const REAL *restrict w, int64_t n)
{
    for (int64_t i = 0; i < n; i++, x += 2 * WIDTH, y += 2 * WIDTH)
        for (int v = 0; v < WIDTH; v += N) {
            const REAL c = w[2 * i], d = w[2 * i + 1];
            vec re = LOAD(x + v), im = LOAD(x + WIDTH + v);
            STORE(y + v, re * c - im * d);
            STORE(y + WIDTH + v, re * d + im * c);
        }
}

/* The same, with the parts of the result exchanged. */
static void NAME(turn_points_swapped)(REAL *restrict y, const REAL *restrict x, const REAL *restrict w, int64_t n)
{
    for (int64_t i = 0; i < n; i++, x += 2 * WIDTH, y += 2 * WIDTH)
        for (int v = 0; v < WIDTH; v += N) {
            const REAL c = w[2 * i], d = w[2 * i + 1];
            vec re = LOAD(x + v), im = LOAD(x + WIDTH + v);
            STORE(y + v, re * d + im * c);
            STORE(y + WIDTH + v, re * c - im * d);
        }
}

/* One half of a vector of points turned for the second step of rows: N points of N lanes each are transposed. */
static inline void NAME(transpose)(vec *a)
{
    _Pragma("GCC unroll 4") for (int step = 1; step < N; step *= 2)
    {
        vec b[N];
        _Pragma("GCC unroll 8") for (int i = 0; i < N / 2; i++)
        {
            b[2 * i] = SHUFFLE(LOW, a[i], a[i + N / 2]);
            b[2 * i + 1] = SHUFFLE(HIGH, a[i], a[i + N / 2]);
        }
        _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)
            a[i] = b[i];
    }
}

/* Points k to k + N on lanes v to v + N, turned and transposed.  count: of the points that there are. */
static inline void NAME(turn_square)(REAL *to, const REAL *x, const REAL *turns, const REAL *coarse, int count, int lanes)
{
    vec re[N], im[N];
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)
    {
        const int at = i * 2 * WIDTH;
        if (i >= count) {
            re[i] = im[i] = (vec){ 0 };
            continue;
        }
        vec a = LOAD(x + at), b = LOAD(x + at + WIDTH), c = LOAD(turns + at), d = LOAD(turns + at + WIDTH);
        if (coarse) {
            const REAL e = coarse[2 * i], f = coarse[2 * i + 1];
            vec g = c * e - d * f;
            d = c * f + d * e;
            c = g;
        }
        re[i] = a * c - b * d;
        im[i] = a * d + b * c;
    }
    NAME(transpose)(re);
    NAME(transpose)(im);
    _Pragma("GCC unroll 16") for (int l = 0; l < N; l++)
        if (l < lanes) {
            STORE(to + l * 2 * WIDTH, re[l]);
            STORE(to + l * 2 * WIDTH + WIDTH, im[l]);
        }
}

/* Point k1 on lanes j2 goes to point j2, on lane k1 % WIDTH, of block k1 / WIDTH of the matrix, n2 points each. */
static void NAME(turn_block)(void *matrix, const void *points, const garray__fft_rows *rows, int64_t block, int lanes)
{
    const int64_t n1 = rows->n1, n2 = rows->n2;
    const REAL *coarse = rows->coarse, *turns = rows->turns;
    if (coarse)
        coarse += block * n1 * 2;
    else
        turns += block * n1 * 2 * WIDTH;
    for (int64_t k = 0; k < (n1 + WIDTH - 1) / WIDTH * WIDTH; k += N) {         /* lanes behind n1 are 0 */
        REAL *to = (REAL *)matrix + (k / WIDTH * n2 + block * WIDTH) * 2 * WIDTH + k % WIDTH;
        const int count = n1 < k ? 0 : n1 - k < N ? (int)(n1 - k) : N;
        for (int v = 0; v < lanes; v += N) {
            const REAL *x = (const REAL *)points + k * 2 * WIDTH + v, *turn = turns + k * 2 * WIDTH + v;
            REAL *square = to + v * 2 * WIDTH;
            if (count < N || lanes - v < N)
                NAME(turn_square)(square, x, turn, coarse ? coarse + 2 * k : NULL, count, lanes - v);
            else if (coarse)
                NAME(turn_square)(square, x, turn, coarse + 2 * k, N, N);
            else
                NAME(turn_square)(square, x, turn, NULL, N, N);
        }
    }
}

/* ---- real transforms from transforms of pairs ------------------------------------------------------------ */
/* Z[k] of the pairs (x[2 j], x[2 j + 1]) to X[k], k <= h, of x; X[k] and X[h - k] come from Z[k] and Z[h - k]. */
static void NAME(untangle)(void *points, int64_t h, const void *const turn[2], double sign)
{
    REAL *z = points;
    const REAL *cosine = turn[0], *sine = turn[1], half = (REAL)0.5, s = (REAL)sign;
    for (int v = 0; v < WIDTH; v += N) {
        vec a = LOAD(z + v), b = LOAD(z + WIDTH + v);
        STORE(z + v, a + b);
        STORE(z + WIDTH + v, (vec){ 0 });
        STORE(z + h * 2 * WIDTH + v, a - b);
        STORE(z + h * 2 * WIDTH + WIDTH + v, (vec){ 0 });
    }
    for (int64_t k = 1; k <= h / 2; k++) {
        REAL *x = z + k * 2 * WIDTH, *y = z + (h - k) * 2 * WIDTH;
        const REAL p = cosine[k], q = sine[k];
        for (int v = 0; v < WIDTH; v += N) {
            vec a = LOAD(x + v), b = LOAD(x + WIDTH + v), c = LOAD(y + v), d = LOAD(y + WIDTH + v);
            vec er = (a + c) * half, ei = (b - d) * half, or = (b + d) * half, oi = (c - a) * half;
            vec tr = or * p - oi * q, ti = or * q + oi * p;
            STORE(x + v, er + tr);
            STORE(x + WIDTH + v, (ei + ti) * s);
            STORE(y + v, er - tr);
            STORE(y + WIDTH + v, (ti - ei) * s);
        }
    }
}

/* The other way, twice as large, with real and imaginary parts exchanged for the inverse transform. */
static void NAME(tangle)(void *points, int64_t h, const void *const turn[2], double sign)
{
    REAL *z = points;
    const REAL *cosine = turn[0], *sine = turn[1], s = (REAL)sign;
    for (int v = 0; v < WIDTH; v += N) {
        vec a = LOAD(z + v), c = LOAD(z + h * 2 * WIDTH + v);
        STORE(z + v, a - c);
        STORE(z + WIDTH + v, a + c);
    }
    for (int64_t k = 1; k <= h / 2; k++) {
        REAL *x = z + k * 2 * WIDTH, *y = z + (h - k) * 2 * WIDTH;
        const REAL p = cosine[k], q = sine[k];
        for (int v = 0; v < WIDTH; v += N) {
            vec a = LOAD(x + v), b = LOAD(x + WIDTH + v) * s, c = LOAD(y + v), d = LOAD(y + WIDTH + v) * s;
            vec er = a + c, ei = b - d, dr = a - c, di = b + d;
            vec tr = dr * p + di * q, ti = di * p - dr * q;
            STORE(x + WIDTH + v, er - ti);
            STORE(x + v, ei + tr);
            STORE(y + WIDTH + v, er + ti);
            STORE(y + v, tr - ei);
        }
    }
}

/* Points n - k become the conjugates of points k; the parts are exchanged, as tangle() does. */
static void NAME(extend)(void *points, int64_t n, double sign)
{
    REAL *z = points;
    const REAL s = (REAL)sign;
    for (int v = 0; v < WIDTH; v += N) {
        vec a = LOAD(z + v);
        STORE(z + v, (vec){ 0 });
        STORE(z + WIDTH + v, a);
    }
    for (int64_t k = 1; k <= n / 2; k++) {
        REAL *x = z + k * 2 * WIDTH, *y = z + (n - k) * 2 * WIDTH;
        for (int v = 0; v < WIDTH; v += N) {
            vec a = LOAD(x + v), b = LOAD(x + WIDTH + v) * s;
            STORE(x + v, b);
            STORE(x + WIDTH + v, a);
            STORE(y + v, -b);
            STORE(y + WIDTH + v, a);
        }
    }
}

#undef LOAD
#undef STORE
#undef VECTORS
#undef vec
#undef vec_at
#undef point
