/* SPDX-License-Identifier: BSD-3-Clause
 * Lanes of REAL and items of ITEM in memory, brought together: included by fft_tmpl.c for each pair, so without a guard.
 * SAME says that both types are one; then whole points move as vectors. */

#define vec LANES(vec)
#define point LANES(point)

#define LOAD(p) (*(const LANES(vec_at) *)(p))
#define STORE(p, v) (*(LANES(vec_at) *)(p) = (v))

/* Calls for the lines of the same row that the next block of columns uses: rows lie too far apart for the processor to
 * see that it will. */
#define CALL_AHEAD(p, writes)                                                                              \
    do {                                                                                                   \
        __builtin_prefetch((const char *)(p) + GARRAY_FFT_POINT, writes, 2);                               \
        __builtin_prefetch((const char *)(p) + GARRAY_FFT_POINT + 64, writes, 2);                          \
    } while (0)

/* ---- columns: a point is a run of complex items ------------------------------------------------------------ */
/* Items of rows first, first + step ... become points. */
static void NAME(fetch)(REAL *to, const garray__fft_side *side, int64_t first, int64_t step, int64_t count)
{
    const ITEM *from = (const ITEM *)side->base + first * side->row_step * 2;
    const int re = side->swap ? WIDTH : 0, im = side->swap ? 0 : WIDTH;
    for (int64_t i = 0; i < count; i++, from += step * side->row_step * 2, to += 2 * WIDTH) {
#if SAME
        if (side->lanes == WIDTH) {
            CALL_AHEAD(from, 0);
            for (int v = 0; v < WIDTH; v += N) {
                vec a = LOAD(from + 2 * v), b = LOAD(from + 2 * v + N);
                STORE(to + re + v, SHUFFLE(EVEN, a, b));
                STORE(to + im + v, SHUFFLE(ODD, a, b));
            }
            continue;
        }
#endif
        for (int l = 0; l < side->lanes; l++) {
            to[re + l] = from[2 * l];
            to[im + l] = from[2 * l + 1];
        }
        for (int l = side->lanes; l < WIDTH; l++)
            to[l] = to[WIDTH + l] = 0;
    }
}

static void NAME(put)(const REAL *from, const garray__fft_side *side, int64_t first, int64_t step, int64_t count)
{
    ITEM *to = (ITEM *)side->base + first * side->row_step * 2;
    const int re = side->swap ? WIDTH : 0, im = side->swap ? 0 : WIDTH;
    const REAL scale = (REAL)side->scale;
    for (int64_t i = 0; i < count; i++, to += step * side->row_step * 2, from += 2 * WIDTH) {
#if SAME
        if (side->lanes == WIDTH) {
            CALL_AHEAD(to, 1);
            for (int v = 0; v < WIDTH; v += N) {
                vec a = LOAD(from + re + v) * scale, b = LOAD(from + im + v) * scale;
                STORE(to + 2 * v, SHUFFLE(LOW, a, b));
                STORE(to + 2 * v + N, SHUFFLE(HIGH, a, b));
            }
            continue;
        }
#endif
        for (int l = 0; l < side->lanes; l++) {
            to[2 * l] = (ITEM)(from[re + l] * scale);
            to[2 * l + 1] = (ITEM)(from[im + l] * scale);
        }
    }
}

static void NAME(load_columns)(void *points, const garray__fft_side *side, int64_t count)
{
    NAME(fetch)(points, side, 0, 1, count);
}

static void NAME(store_columns)(const void *points, const garray__fft_side *side, int64_t count)
{
    NAME(put)(points, side, 0, 1, count);
}

/* ---- rows: lane l is row l ----------------------------------------------------------------------------------- */
static void NAME(load_rows)(void *points, const garray__fft_side *side, int64_t count)
{
    const int re = side->swap ? WIDTH : 0, im = side->swap ? 0 : WIDTH;
    const int64_t row = side->row_step * 2;
    const ITEM *from = side->base;
    int64_t i = 0;
    if (side->lanes < WIDTH)
        memset(points, 0, (size_t)count * sizeof(point));
#if SAME
    for (int v = 0; v + N <= side->lanes; v += N)
        for (i = 0; i + N <= count; i += N) {
            REAL *to = (REAL *)points + i * 2 * WIDTH + v;
            vec a[N], b[N];
            _Pragma("GCC unroll 16") for (int l = 0; l < N; l++)
            {
                vec low = LOAD(from + (v + l) * row + 2 * i), high = LOAD(from + (v + l) * row + 2 * i + N);
                a[l] = SHUFFLE(EVEN, low, high);
                b[l] = SHUFFLE(ODD, low, high);
            }
            LANES(transpose)(a);
            LANES(transpose)(b);
            _Pragma("GCC unroll 16") for (int l = 0; l < N; l++)
            {
                STORE(to + l * 2 * WIDTH + re, a[l]);
                STORE(to + l * 2 * WIDTH + im, b[l]);
            }
        }
#endif
    /* what vectors left: the last items of whole vectors of rows, and the rows that fill none */
    for (int l = 0; l < side->lanes; l++) {
        const int64_t begin = SAME && l < side->lanes / N * N ? count / N * N : 0;
        for (i = begin; i < count; i++) {
            REAL *to = (REAL *)points + i * 2 * WIDTH + l;
            to[re] = from[l * row + 2 * i];
            to[im] = from[l * row + 2 * i + 1];
        }
    }
}

static void NAME(store_rows)(const void *points, const garray__fft_side *side, int64_t count)
{
    const int re = side->swap ? WIDTH : 0, im = side->swap ? 0 : WIDTH;
    const int64_t row = side->row_step * 2;
    const REAL scale = (REAL)side->scale;
    ITEM *to = side->base;
#if SAME
    for (int v = 0; v + N <= side->lanes; v += N)
        for (int64_t i = 0; i + N <= count; i += N) {
            const REAL *from = (const REAL *)points + i * 2 * WIDTH + v;
            vec a[N], b[N];
            _Pragma("GCC unroll 16") for (int l = 0; l < N; l++)
            {
                a[l] = LOAD(from + l * 2 * WIDTH + re) * scale;
                b[l] = LOAD(from + l * 2 * WIDTH + im) * scale;
            }
            LANES(transpose)(a);
            LANES(transpose)(b);
            _Pragma("GCC unroll 16") for (int l = 0; l < N; l++)
            {
                STORE(to + (v + l) * row + 2 * i, SHUFFLE(LOW, a[l], b[l]));
                STORE(to + (v + l) * row + 2 * i + N, SHUFFLE(HIGH, a[l], b[l]));
            }
        }
#endif
    for (int l = 0; l < side->lanes; l++) {
        const int64_t begin = SAME && l < side->lanes / N * N ? count / N * N : 0;
        for (int64_t i = begin; i < count; i++) {
            const REAL *from = (const REAL *)points + i * 2 * WIDTH + l;
            to[l * row + 2 * i] = (ITEM)(from[re] * scale);
            to[l * row + 2 * i + 1] = (ITEM)(from[im] * scale);
        }
    }
}

/* ---- real items ------------------------------------------------------------------------------------------------ */
/* Paired, item i is part i of the points (real and imaginary ones in turn), else real part i.  Pairs of rows are complex
 * items, which load_rows() takes. */
static void NAME(load_real)(void *points, const garray__fft_side *side, int64_t count, bool rows, bool paired)
{
    const ITEM *from = side->base;
    const int64_t part = paired ? WIDTH : 2 * WIDTH;
    for (int64_t i = 0; i < count; i++) {
        REAL *to = (REAL *)points + i * part + (side->swap ? WIDTH : 0);
        const ITEM *x = from + (rows ? i : i * side->row_step);
        const int64_t step = rows ? side->row_step : 1;
        for (int l = 0; l < side->lanes; l++)
            to[l] = x[l * step];
        for (int l = side->lanes; l < WIDTH; l++)
            to[l] = 0;
        if (!paired)
            memset(side->swap ? to - WIDTH : to + WIDTH, 0, sizeof(point) / 2);
    }
}

/* The parts lie exchanged, as an inverse transform leaves them. */
static void NAME(store_real)(const void *points, const garray__fft_side *side, int64_t count, bool rows, bool paired)
{
    ITEM *to = side->base;
    const REAL scale = (REAL)side->scale;
    for (int64_t i = 0; i < count; i++) {
        const REAL *from = (const REAL *)points + (paired ? (i ^ 1) * WIDTH : i * 2 * WIDTH + WIDTH);
        ITEM *y = to + (rows ? i : i * side->row_step);
        const int64_t step = rows ? side->row_step : 1;
        for (int l = 0; l < side->lanes; l++)
            y[l * step] = (ITEM)(from[l] * scale);
    }
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */
/* Where a part of a side's points begins, and the step between them. */
typedef struct NAME(run_place) {
    const garray__fft_side *side;
    int64_t first, step;
} NAME(place);

static NAME(place) NAME(part)(NAME(place) p, int64_t first, int64_t step)
{
    return (NAME(place)){ p.side, p.first + first * p.step, p.step * step };
}

static REAL *NAME(lane_point)(NAME(place) p)
{
    return (REAL *)p.side->base + p.first * 2 * WIDTH;
}

/* room: four times the points of the leaf. */
static void NAME(run_leaf)(const garray__fft_node *node, NAME(place) in, NAME(place) out, REAL *room)
{
    const int64_t size = node->n * 2 * WIDTH;
    const bool fetched = in.side->row_step != 0, stored = out.side->row_step != 0;
    REAL *x = room + 2 * size, *y = room + 3 * size;
    if (fetched)
        NAME(fetch)(x, in.side, in.first, in.step, node->n);
    LANES(leaf)(node, fetched ? x : NAME(lane_point)(in), fetched ? 1 : in.step, stored ? y : NAME(lane_point)(out),
                stored ? 1 : out.step, room);
    if (stored)
        NAME(put)(y, out.side, out.first, out.step, node->n);
}

static void NAME(run_node)(const garray__fft_node *node, NAME(place) in, NAME(place) out, char *work);

static void NAME(run_split)(const garray__fft_node *node, NAME(place) in, NAME(place) out, char *work)
{
    const int64_t a = node->a->n, b = node->b->n;
    REAL *y = (REAL *)(void *)work, *room = y + node->n * 2 * WIDTH, *leaf = room + 4 * a * 2 * WIDTH;
    const REAL *turn = node->turn;
    const garray__fft_side between = { .base = y }, result = { .base = leaf };
    for (int64_t p = 0; p < b; p++) {
        NAME(run_leaf)(node->a, NAME(part)(in, p, b), (NAME(place)){ &result, 0, 1 }, room);
        LANES(turn_points)(y + p * a * 2 * WIDTH, leaf, turn + p * a * 2, a);
    }
    for (int64_t q = 0; q < a; q++)
        NAME(run_node)(node->b, (NAME(place)){ &between, q, a }, NAME(part)(out, q, a), work + node->n * (int64_t)sizeof(point));
}

/* Only on lanes of double. */
static void NAME(run_chirp)(const garray__fft_node *node, NAME(place) in, NAME(place) out, char *work)
{
    const int64_t n = node->n, m = node->a->n;
    REAL *x = (REAL *)(void *)work, *y = x + m * 2 * WIDTH;
    char *room = (char *)(y + m * 2 * WIDTH);
    const REAL *chirp = (const REAL *)(const void *)node->chirp, *spectrum = (const REAL *)(const void *)node->spectrum;
    const garray__fft_side from = { .base = x }, to = { .base = y };
    const NAME(place) first = { &from, 0, 1 }, second = { &to, 0, 1 };
    if (in.side->row_step)
        NAME(fetch)(y, in.side, in.first, in.step, n);
    else
        for (int64_t j = 0; j < n; j++)
            memcpy(y + j * 2 * WIDTH, NAME(lane_point)(in) + j * in.step * 2 * WIDTH, sizeof(point));
    LANES(turn_points)(x, y, chirp, n);
    memset(x + n * 2 * WIDTH, 0, (size_t)(m - n) * sizeof(point));
    NAME(run_node)(node->a, first, second, room);
    LANES(turn_points_swapped)(x, y, spectrum, m);
    NAME(run_node)(node->a, first, second, room);
    for (int64_t k = 0; k < n; k++) {           /* back in order */
        memcpy(x + k * 2 * WIDTH, y + k * 2 * WIDTH + WIDTH, sizeof(point) / 2);
        memcpy(x + k * 2 * WIDTH + WIDTH, y + k * 2 * WIDTH, sizeof(point) / 2);
    }
    LANES(turn_points)(y, x, chirp, n);
    if (out.side->row_step)
        NAME(put)(y, out.side, out.first, out.step, n);
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(NAME(lane_point)(out) + k * out.step * 2 * WIDTH, y + k * 2 * WIDTH, sizeof(point));
}

static void NAME(run_node)(const garray__fft_node *node, NAME(place) in, NAME(place) out, char *work)
{
    if (node->kind == GARRAY_FFT_NODE_LEAF)
        NAME(run_leaf)(node, in, out, (REAL *)(void *)work);
    else if (node->kind == GARRAY_FFT_NODE_SPLIT)
        NAME(run_split)(node, in, out, work);
    else
        NAME(run_chirp)(node, in, out, work);
}

static void NAME(run)(const garray__fft_node *node, const garray__fft_side *in, const garray__fft_side *out, void *work)
{
    NAME(run_node)(node, (NAME(place)){ in, 0, 1 }, (NAME(place)){ out, 0, 1 }, work);
}

/* ---- rows of items --------------------------------------------------------------------------------------------- */
#if SAME
/* As untangle() of fft_lanes.h, for pairs of items. */
static inline void NAME(untangle_pair)(ITEM *x, ITEM *y, ITEM p, ITEM q, ITEM scale, ITEM sign)
{
    const ITEM half = (ITEM)0.5 * scale, a = x[0], b = x[1], c = y[0], d = y[1];
    const ITEM er = (a + c) * half, ei = (b - d) * half, or = (b + d) * half, oi = (c - a) * half;
    const ITEM tr = PRODUCT(or * p) - PRODUCT(oi * q), ti = PRODUCT(or * q) + PRODUCT(oi * p);
    x[0] = er + tr;
    x[1] = (ei + ti) * sign;
    y[0] = er - tr;
    y[1] = (ti - ei) * sign;
}

static void NAME(untangle_row)(void *row, int64_t h, const void *const turn[2], double scale, double sign, int64_t begin,
                               int64_t end)
{
    ITEM *z = row;
    const ITEM *cosine = turn[0], *sine = turn[1], f = (ITEM)scale, s = (ITEM)sign, half = (ITEM)0.5 * f;
    int64_t k = begin;
    if (k == 0) {
        const ITEM a = z[0], b = z[1];
        z[0] = (a + b) * f;
        z[2 * h] = (a - b) * f;
        z[1] = z[2 * h + 1] = 0;
        k++;
    }
    for (; k + N <= end && k + N - 1 < h - k - N + 1; k += N) {
        ITEM *x = z + 2 * k, *y = z + 2 * (h - k - N + 1);
        const vec x0 = LOAD(x), x1 = LOAD(x + N), y0 = LOAD(y), y1 = LOAD(y + N);
        const vec a = SHUFFLE(EVEN, x0, x1), b = SHUFFLE(ODD, x0, x1);
        const vec c = SHUFFLE(EVEN_BACK, y0, y1), d = SHUFFLE(ODD_BACK, y0, y1);
        const vec p = LOAD(cosine + k), q = LOAD(sine + k);
        const vec er = (a + c) * half, ei = (b - d) * half, or = (b + d) * half, oi = (c - a) * half;
        const vec tr = or * p - oi * q, ti = or * q + oi * p;
        const vec r = er + tr, i = (ei + ti) * s, u = er - tr, w = (ti - ei) * s;
        STORE(x, SHUFFLE(LOW, r, i));
        STORE(x + N, SHUFFLE(HIGH, r, i));
        STORE(y, SHUFFLE(LOW_BACK, u, w));
        STORE(y + N, SHUFFLE(HIGH_BACK, u, w));
    }
    for (; k < end; k++)
        NAME(untangle_pair)(z + 2 * k, z + 2 * (h - k), cosine[k], sine[k], f, s);
}

static inline void NAME(tangle_pair)(ITEM *u, ITEM *w, const ITEM *x, const ITEM *y, ITEM p, ITEM q, ITEM sign)
{
    const ITEM a = x[0], b = x[1] * sign, c = y[0], d = y[1] * sign;
    const ITEM er = a + c, ei = b - d, dr = a - c, di = b + d;
    const ITEM tr = PRODUCT(dr * p) + PRODUCT(di * q), ti = PRODUCT(di * p) - PRODUCT(dr * q);
    u[0] = er - ti;
    u[1] = ei + tr;
    w[0] = er + ti;
    w[1] = tr - ei;
}

static void NAME(tangle_row)(void *to, const void *from, int64_t h, const void *const turn[2], double sign, int64_t begin,
                             int64_t end)
{
    ITEM *out = to;
    const ITEM *z = from, *cosine = turn[0], *sine = turn[1], s = (ITEM)sign;
    int64_t k = begin;
    if (k == 0) {
        const ITEM a = z[0], c = z[2 * h];
        out[0] = a + c;
        out[1] = a - c;
        k++;
    }
    for (; k + N <= end && k + N - 1 < h - k - N + 1; k += N) {
        const ITEM *x = z + 2 * k, *y = z + 2 * (h - k - N + 1);
        ITEM *u = out + 2 * k, *w = out + 2 * (h - k - N + 1);
        const vec x0 = LOAD(x), x1 = LOAD(x + N), y0 = LOAD(y), y1 = LOAD(y + N);
        const vec a = SHUFFLE(EVEN, x0, x1), b = SHUFFLE(ODD, x0, x1) * s;
        const vec c = SHUFFLE(EVEN_BACK, y0, y1), d = SHUFFLE(ODD_BACK, y0, y1) * s;
        const vec p = LOAD(cosine + k), q = LOAD(sine + k);
        const vec er = a + c, ei = b - d, dr = a - c, di = b + d;
        const vec tr = dr * p + di * q, ti = di * p - dr * q;
        const vec r = er - ti, i = ei + tr, e = er + ti, f = tr - ei;
        STORE(u, SHUFFLE(LOW, r, i));
        STORE(u + N, SHUFFLE(HIGH, r, i));
        STORE(w, SHUFFLE(LOW_BACK, e, f));
        STORE(w + N, SHUFFLE(HIGH_BACK, e, f));
    }
    for (; k < end; k++)
        NAME(tangle_pair)(out + 2 * k, out + 2 * (h - k), z + 2 * k, z + 2 * (h - k), cosine[k], sine[k], s);
}
#endif

/* Bluestein's algorithm on one row, always in double. */
static void NAME(chirp_in)(double *to, const void *from, const double *chirp, bool swap, int64_t begin, int64_t end)
{
    const ITEM *x = from;
    for (int64_t j = begin; j < end; j++) {
        const double a = x[2 * j + swap], b = x[2 * j + !swap], c = chirp[2 * j], d = chirp[2 * j + 1];
        to[2 * j] = PRODUCT(a * c) - PRODUCT(b * d);
        to[2 * j + 1] = PRODUCT(a * d) + PRODUCT(b * c);
    }
}

/* from: what an inverse transform leaves. */
static void NAME(chirp_out)(void *to, const double *from, const double *chirp, bool swap, double scale, int64_t begin,
                            int64_t end)
{
    ITEM *y = to;
    for (int64_t k = begin; k < end; k++) {
        const double a = from[2 * k], b = from[2 * k + 1], c = chirp[2 * k], d = chirp[2 * k + 1];
        y[2 * k + swap] = (ITEM)((PRODUCT(a * c) - PRODUCT(b * d)) * scale);
        y[2 * k + !swap] = (ITEM)((PRODUCT(a * d) + PRODUCT(b * c)) * scale);
    }
}

const garray__fft_kernels KERNELS = {
    .width = WIDTH,
    .part = sizeof(ITEM),
    .run = NAME(run),
    .load_rows = NAME(load_rows),
    .store_rows = NAME(store_rows),
    .load_columns = NAME(load_columns),
    .store_columns = NAME(store_columns),
    .load_real = NAME(load_real),
    .store_real = NAME(store_real),
    .untangle = LANES(untangle),
    .tangle = LANES(tangle),
    .extend = LANES(extend),
    .turn = LANES(turn_block),
#if SAME
    .untangle_row = NAME(untangle_row),
    .tangle_row = NAME(tangle_row),
#endif
    .chirp_in = NAME(chirp_in),
    .chirp_out = NAME(chirp_out),
};

#undef LOAD
#undef STORE
#undef vec
#undef point
#undef CALL_AHEAD
