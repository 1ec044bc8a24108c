/* SPDX-License-Identifier: BSD-3-Clause
 * Preparing transforms: factors, roots of unity, and a cache of what was prepared, with a limit. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/fft.h"
#include "cpu/fft_rows.h"

const garray__fft_kernels *garray__fft_kernels_of(bool on_double, bool is_double)
{
    return is_double ? GARRAY_ISA_PICK(garray__fft_double)
           : on_double ? GARRAY_ISA_PICK(garray__fft_mixed) : GARRAY_ISA_PICK(garray__fft_float);
}

/* ---- factors ------------------------------------------------------------------------------------------- */
static const uint8_t primes[] = { 13, 11, 7, 5, 3, 2 };

bool garray__fft_smooth(int64_t n)
{
    for (size_t i = 0; i < sizeof primes; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* The radices of a leaf's stages; powers of two as eights and fours. */
static int find_radices(int64_t n, uint8_t *radix)
{
    int count = 0, twos = 0;
    for (size_t i = 0; i < sizeof primes - 1; i++)
        for (; n % primes[i] == 0; n /= primes[i])
            radix[count++] = primes[i];
    for (; n > 1; n /= 2)
        twos++;
    if (twos == 1)
        radix[count++] = 2;
    for (; twos > 1 && twos % 3 != 0; twos -= 2)
        radix[count++] = 4;
    for (; twos > 1; twos -= 3)
        radix[count++] = 8;
    return count;
}

/* The divisor of n up to GARRAY_FFT_LEAF that comes next to an equal share of it. */
static int64_t find_leaf(int64_t n)
{
    double share = pow((double)n, 1 / ceil(log((double)n) / log(GARRAY_FFT_LEAF) - 1e-9)), least = INFINITY;
    int64_t best = 1;
    for (int64_t a = 2; a <= GARRAY_FFT_LEAF; a++) {
        double far = fabs(log((double)a / share));
        if (n % a == 0 && far < least) {
            least = far;
            best = a;
        }
    }
    return best;
}

/* What a transform of n points costs, per point, in stages of radix 2. */
static double depth(int64_t n)
{
    double passes = n <= GARRAY_FFT_LEAF ? 0 : ceil(log((double)n) / log(GARRAY_FFT_LEAF) - 1e-9);
    return log2((double)n) + 2 + 2 * passes;
}

double garray__fft_factor_rows(int64_t n, int width, int64_t *n1, int64_t *n2)
{
    double least = INFINITY;
    *n1 = *n2 = 0;
    for (int64_t a = 2; a * a <= n; a++) {
        int64_t b = n / a;
        if (n % a != 0)
            continue;
        double lanes_a = (double)((a + width - 1) / width * width) / (double)a;
        double lanes_b = (double)((b + width - 1) / width * width) / (double)b;
        double cost = lanes_b * depth(a) + lanes_a * depth(b);
        if (cost < least) {
            least = cost;
            *n1 = a;
            *n2 = b;
        }
    }
    return least / depth(n);
}

/* The least product of small primes that is not below n, a multiple of unit. */
static int64_t good_length(int64_t n, int64_t unit)
{
    int64_t best = INT64_MAX;
    for (int64_t a = unit; a < 2 * n + unit; a *= 2)
        for (int64_t b = a; b < 2 * n + unit; b *= 3)
            for (int64_t c = b; c < 2 * n + unit; c *= 5)
                if (c >= n && c < best)
                    best = c;
    return best;
}

/* ---- building ------------------------------------------------------------------------------------------- */
typedef struct builder {
    garray__fft_kept *kept;
    bool on_double, failed;
} builder;

/* Memory that goes with the plan; NULL sets failed. */
static void *take(builder *b, int64_t size)
{
    const size_t head = 64;         /* of the next block; keeps the alignment */
    size_t whole = ((size_t)size + head + 63) & ~(size_t)63;
    void **block = b->failed || size < 0 ? NULL : aligned_alloc(64, whole);
    if (!block) {
        b->failed = true;
        return NULL;
    }
    memset(block, 0, whole);
    *block = b->kept->blocks;
    b->kept->blocks = block;
    b->kept->size += whole;
    return (char *)block + head;
}

/* exp(-2 pi i k / n), 0 <= k < n, within 1 ulp: by the angle in its octant, whose rounding is made good. */
static void unit_root(int64_t k, int64_t n, double *re, double *im)
{
    const long double half_pi = 1.570796326794896619231321691639751442L;
    int64_t quadrant = 4 * k / n, r = 4 * k - quadrant * n;
    bool upper = 2 * r > n;
    long double angle = half_pi * (long double)(upper ? n - r : r) / (long double)n;
    double a = (double)angle, rest = (double)(angle - a), c = cos(a), s = sin(a);
    double x = c - rest * s, y = s + rest * c;
    if (upper) {
        double t = x;
        x = y;
        y = t;
    }
    *re = quadrant == 0 ? x : quadrant == 1 ? -y : quadrant == 2 ? -x : y;
    *im = quadrant == 0 ? -y : quadrant == 1 ? -x : quadrant == 2 ? y : x;
}

/* Number i of a table in the type of the lanes. */
static void set_number(const builder *b, void *table, int64_t i, double value)
{
    if (b->on_double)
        ((double *)table)[i] = value;
    else
        ((float *)table)[i] = (float)value;
}

static void set_root(const builder *b, void *table, int64_t i, int64_t k, int64_t n)
{
    double re, im;
    unit_root(k % n, n, &re, &im);
    set_number(b, table, 2 * i, re);
    set_number(b, table, 2 * i + 1, im);
}

static int part_size(const builder *b)
{
    return b->on_double ? 8 : 4;
}

static const garray__fft_node *build_node(builder *b, int64_t n);

static void build_leaf(builder *b, garray__fft_node *node)
{
    int64_t m = node->n;
    node->kind = GARRAY_FFT_NODE_LEAF;
    node->nstages = find_radices(node->n, node->radix);
    node->work = 4 * node->n * GARRAY_FFT_POINT;
    for (int i = 0; i < node->nstages; i++) {
        int radix = node->radix[i];
        m /= radix;
        void *table = take(b, m * (radix - 1) * 2 * part_size(b));
        if (!table)
            return;
        for (int64_t p = 0; p < m; p++)
            for (int u = 1; u < radix; u++)
                set_root(b, table, p * (radix - 1) + u - 1, p * u, radix * m);
        node->twiddle[i] = table;
    }
}

static void build_split(builder *b, garray__fft_node *node)
{
    int64_t a = find_leaf(node->n), rest = node->n / a;
    node->kind = GARRAY_FFT_NODE_SPLIT;
    node->a = build_node(b, a);
    node->b = build_node(b, rest);
    void *table = take(b, node->n * 2 * part_size(b));
    if (b->failed)
        return;
    for (int64_t p = 0; p < rest; p++)
        for (int64_t u = 0; u < a; u++)
            set_root(b, table, p * a + u, p * u, node->n);
    node->turn = table;
    node->work = 5 * a * GARRAY_FFT_POINT;
    if (node->work < node->b->work)
        node->work = node->b->work;
    node->work += node->n * GARRAY_FFT_POINT;
}

/* exp(-pi i j^2 / n) for all j. */
static double *build_chirp(builder *b, int64_t n)
{
    double *chirp = take(b, n * 2 * 8);
    uint64_t square = 0, period = 2 * (uint64_t)n;
    for (int64_t j = 0; chirp && j < n; j++) {
        unit_root((int64_t)square, (int64_t)period, &chirp[2 * j], &chirp[2 * j + 1]);
        square = (square + 2 * (uint64_t)j + 1) % period;
    }
    return chirp;
}

/* The conjugate chirp around 0 in m numbers, divided by m: what is transformed into the spectrum. */
static void spread_chirp(double *to, const double *chirp, int64_t n, int64_t m, int64_t step)
{
    for (int64_t j = 0; j < n; j++)
        for (int part = 0; part < 2; part++) {
            double value = (part ? -chirp[2 * j + 1] : chirp[2 * j]) / (double)m;
            to[j * 2 * step + part * step] = value;
            if (j > 0)
                to[(m - j) * 2 * step + part * step] = value;
        }
}

static void build_chirp_node(builder *b, garray__fft_node *node)
{
    int64_t n = node->n, m = good_length(2 * n - 1, 1);
    const int width = GARRAY_FFT_POINT / 16;
    node->kind = GARRAY_FFT_NODE_CHIRP;
    node->a = build_node(b, m);
    double *chirp = build_chirp(b, n), *spectrum = take(b, m * 2 * 8), *room;
    if (b->failed)
        return;
    node->chirp = chirp;
    node->spectrum = spectrum;
    node->work = 2 * m * GARRAY_FFT_POINT + node->a->work;
    room = calloc(1, (size_t)node->work);
    if (!room) {
        b->failed = true;
        return;
    }
    double *out = room + m * 2 * width;
    const garray__fft_side from = { .base = room }, to = { .base = out };
    spread_chirp(room, chirp, n, m, width);
    garray__fft_kernels_of(true, true)->run(node->a, &from, &to, out + m * 2 * width);
    for (int64_t k = 0; k < m; k++) {
        spectrum[2 * k] = out[k * 2 * width];
        spectrum[2 * k + 1] = out[k * 2 * width + width];
    }
    free(room);
}

static const garray__fft_node *build_node(builder *b, int64_t n)
{
    garray__fft_node *node = take(b, sizeof *node);
    if (!node)
        return NULL;
    node->n = n;
    if (!garray__fft_smooth(n))
        build_chirp_node(b, node);
    else if (n <= GARRAY_FFT_LEAF)
        build_leaf(b, node);
    else
        build_split(b, node);
    return node;
}

static const garray__fft_rows *build_rows(builder *b, int64_t n);

static int64_t product_modulo(int64_t a, int64_t b, int64_t n)
{
    return (int64_t)((unsigned __int128)a * (uint64_t)b % (uint64_t)n);
}

/* A table of all turns is as large as the row; of longer rows there is a table for one block, and one number more for
 * each item of another block. */
static void build_turns(builder *b, garray__fft_rows *rows)
{
    const int64_t limit = 256 << 10;
    int width = GARRAY_FFT_POINT / 2 / part_size(b);
    int64_t n = rows->n, blocks = (rows->n2 + width - 1) / width;
    int64_t whole = n * 2 * part_size(b) <= limit ? blocks : 1;
    void *turns = take(b, whole * rows->n1 * GARRAY_FFT_POINT);
    void *coarse = whole < blocks ? take(b, blocks * rows->n1 * 2 * part_size(b)) : NULL;
    if (b->failed)
        return;
    for (int64_t at = 0; at < whole * rows->n1; at++)
        for (int l = 0; l < width; l++) {
            double re, im;
            int64_t column = (at / rows->n1 * width + l) % n;
            unit_root(product_modulo(at % rows->n1, column, n), n, &re, &im);
            set_number(b, turns, at * 2 * width + l, re);
            set_number(b, turns, at * 2 * width + width + l, im);
        }
    for (int64_t at = 0; coarse && at < blocks * rows->n1; at++)
        set_root(b, coarse, at, product_modulo(at % rows->n1, at / rows->n1 * width, n), n);
    rows->turns = turns;
    rows->coarse = coarse;
}

static void build_chirp_rows(builder *b, garray__fft_rows *rows)
{
    int64_t n = rows->n, m = good_length(2 * n - 1, 64);
    rows->convolution = build_rows(b, m);
    double *chirp = build_chirp(b, n), *spectrum = take(b, m * 2 * 8), *spread = NULL;
    void *room = NULL;
    rows->chirp = chirp;
    rows->spectrum = spectrum;
    if (b->failed)
        return;
    rows->work = rows->convolution->work;
    spread = calloc((size_t)m, 16);
    room = malloc((size_t)garray__fft_matrix_size(rows->convolution, 8) + (size_t)rows->work);
    if (spread && room) {
        spread_chirp(spread, chirp, n, m, 1);
        garray__fft_transform_row(rows->convolution, garray__fft_kernels_of(true, true), spread, spectrum, room);
    } else {
        b->failed = true;
    }
    free(spread);
    free(room);
}

static const garray__fft_rows *build_rows(builder *b, int64_t n)
{
    garray__fft_rows *rows = take(b, sizeof *rows);
    if (!rows)
        return NULL;
    rows->n = n;
    if (!garray__fft_smooth(n)) {
        build_chirp_rows(b, rows);
        return rows;
    }
    garray__fft_factor_rows(n, GARRAY_FFT_POINT / 2 / part_size(b), &rows->n1, &rows->n2);
    rows->first = build_node(b, rows->n1);
    rows->second = build_node(b, rows->n2);
    if (b->failed)
        return rows;
    build_turns(b, rows);
    rows->work = rows->first->work + rows->n1 * GARRAY_FFT_POINT;
    if (rows->work < rows->second->work)
        rows->work = rows->second->work;
    return rows;
}

/* n: pairs of real items. */
static void build_real(builder *b)
{
    int64_t n = b->kept->n, count = n / 2 + 1;
    void *re = take(b, count * part_size(b)), *im = take(b, count * part_size(b));
    for (int64_t k = 0; !b->failed && k < count; k++) {
        double x, y;
        unit_root(k, 2 * n, &x, &y);
        set_number(b, re, k, x);
        set_number(b, im, k, y);
    }
    b->kept->turn[0] = re;
    b->kept->turn[1] = im;
}

/* ---- the cache ------------------------------------------------------------------------------------------- */
enum { KEPT = 32 };
#define KEPT_BYTES ((size_t)128 << 20)

static struct {
    pthread_mutex_t lock;
    uint64_t clock;
    garray__fft_kept *slot[KEPT];
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock_cache(void)
{
    pthread_mutex_lock(&cache.lock);
}

static void unlock_cache(void)
{
    pthread_mutex_unlock(&cache.lock);
}

static void watch_forks(void)
{
    pthread_atfork(lock_cache, unlock_cache, unlock_cache);
}

static void free_kept(garray__fft_kept *kept)
{
    for (void **block = kept->blocks, **next; block; block = next) {
        next = *block;
        free(block);
    }
    free(kept);
}

void garray__fft_drop(const garray__fft_kept *given)
{
    garray__fft_kept *kept = (garray__fft_kept *)given;
    if (!kept)
        return;
    lock_cache();
    bool last = --kept->refs == 0;
    unlock_cache();
    if (last)
        free_kept(kept);
}

static garray__fft_kept *find(garray__fft_use use, int64_t n, bool is_double)
{
    for (int i = 0; i < KEPT; i++) {
        garray__fft_kept *k = cache.slot[i];
        if (k && k->n == n && k->use == (int32_t)use && k->is_double == is_double)
            return k;
    }
    return NULL;
}

/* Throws out what was not used for longest until there is room; the plan becomes the cache's too.  Those that fill all of
 * the limit are not kept. */
static void insert(garray__fft_kept *kept)
{
    garray__fft_kept *out[KEPT];
    int nout = 0;
    lock_cache();
    for (;;) {
        size_t size = kept->size;
        int oldest = -1, empty = -1;
        for (int i = 0; i < KEPT; i++) {
            garray__fft_kept *k = cache.slot[i];
            if (!k) {
                empty = i;
                continue;
            }
            size += k->size;
            if (oldest < 0 || k->used < cache.slot[oldest]->used)
                oldest = i;
        }
        if (size <= KEPT_BYTES && empty >= 0) {
            cache.slot[empty] = kept;
            kept->refs++;
            break;
        }
        if (oldest < 0 || kept->size > KEPT_BYTES)
            break;
        out[nout++] = cache.slot[oldest];
        cache.slot[oldest] = NULL;
    }
    unlock_cache();
    for (int i = 0; i < nout; i++)
        garray__fft_drop(out[i]);
}

void garray__fft_forget(void)
{
    for (int i = 0; i < KEPT; i++) {
        lock_cache();
        garray__fft_kept *kept = cache.slot[i];
        cache.slot[i] = NULL;
        unlock_cache();
        garray__fft_drop(kept);
    }
}

garray_status garray__fft_keep(garray__fft_use use, int64_t n, bool is_double, const garray__fft_kept **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    lock_cache();
    garray__fft_kept *kept = find(use, n, is_double);
    if (kept) {
        kept->refs++;
        kept->used = ++cache.clock;
    }
    unlock_cache();
    *out = kept;
    if (kept)
        return GARRAY_OK;
    kept = calloc(1, sizeof *kept);
    if (!kept)
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "out of memory: a transform of length %lld", (long long)n);
    *kept = (garray__fft_kept){ .use = use, .n = n, .is_double = is_double, .refs = 1, .size = sizeof *kept };
    kept->on_double = is_double || (use != GARRAY_FFT_REAL && !garray__fft_smooth(n));
    builder b = { .kept = kept, .on_double = kept->on_double };
    if (use == GARRAY_FFT_ON_LANES)
        kept->lanes = build_node(&b, n);
    else if (use == GARRAY_FFT_ON_ROWS)
        kept->rows = build_rows(&b, n);
    else
        build_real(&b);
    if (b.failed) {
        free_kept(kept);
        return garray__cpu_host->fail(GARRAY_ERR_NOMEM, "out of memory: a transform of length %lld", (long long)n);
    }
    lock_cache();
    kept->used = ++cache.clock;
    unlock_cache();
    insert(kept);
    *out = kept;
    return GARRAY_OK;
}
