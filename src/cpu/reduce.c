/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of reductions.  Axes are sorted by stride and merged; then either
 *   rows:     each output is a run of items, taken in pieces that row() reduces, copied together first where they are
 *             not contiguous or masked out in part; or
 *   columns:  outputs lie side by side in memory, and whole rows are combined with a tile of states; narrow columns
 *             are folded: k rows are one row of k times as many columns, whose states are joined at the end.
 * Both cut long reductions into chunks whose size depends on the plan alone.  Each chunk has its own state, and the
 * states are merged in order, so neither the number of threads nor the instruction set changes a bit. */
#include <stdatomic.h>
#include <string.h>
#include "cpu/loops.h"
#include "cpu/reduce.h"

enum {
    CHUNK = 32768,              /* items of a chunk of a row, at least */
    CHUNKS = 4096,              /* chunks of a row, at most */
    COLUMN_CHUNK = 65536,       /* items of a chunk of columns, about */
    COLUMN_CHUNKS = 64,
    SPREAD = 16,                /* with so many outputs or tiles, each is one task; with fewer, each chunk is one */
    STATE_BYTES = 8 * GARRAY_REDUCE_ARRAYS * GARRAY_REDUCE_TILE
};

typedef struct {
    int64_t shape[GARRAY_MAX_NDIM], in[GARRAY_MAX_NDIM], mask[GARRAY_MAX_NDIM], out[GARRAY_MAX_NDIM];
    int64_t count;
    int n;
} axes;

typedef struct {
    const garray_reduce_plan *plan;
    const garray__reduce_kernel *k;
    axes keep, red;
    const char *in;
    char *out;
    const uint8_t *mask;
    const int64_t *count;       /* columns: items that take part, per output; NULL: all */
    int64_t item, piece;
    bool position, truth;       /* ARGMIN, ARGMAX; ANY, ALL */
    bool direct;                /* rows or columns can be read where they are */
    uint64_t first[2 * GARRAY_REDUCE_ARRAYS];   /* the state before the first item: empty, or of the initial value */
    uint8_t fill[16];           /* columns: the item that stands for a masked one */
    int64_t chunk, chunks;
    int64_t tile, tiles, fold;  /* columns: items of a tile; rows that are one row */
    char *partial;              /* states of all chunks */
    int64_t partial_size;
    atomic_bool decided;        /* ANY, ALL of a single output: known already */
} job;

/* ---- axes ---------------------------------------------------------------------------------------------- */
static int64_t magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

static void axes_swap(axes *a, int i, int j)
{
    int64_t *const list[4] = { a->shape, a->in, a->mask, a->out };
    for (int k = 0; k < 4; k++) {
        int64_t t = list[k][i];
        list[k][i] = list[k][j];
        list[k][j] = t;
    }
}

static void axes_copy(axes *a, int n, const int64_t *shape, const int64_t *in, const int64_t *mask, const int64_t *out)
{
    a->n = 0;
    a->count = 1;
    for (int i = 0; i < n; i++) {
        a->count *= shape[i];
        if (shape[i] == 1)
            continue;
        a->shape[a->n] = shape[i];
        a->in[a->n] = in[i];
        a->mask[a->n] = mask ? mask[i] : 0;
        a->out[a->n++] = out ? out[i] : 0;
    }
}

/* Largest input strides first. */
static void axes_sort(axes *a)
{
    for (int i = 1; i < a->n; i++)
        for (int j = i; j > 0 && magnitude(a->in[j - 1]) < magnitude(a->in[j]); j--)
            axes_swap(a, j - 1, j);
}

static void axes_merge(axes *a)
{
    int n = 0;
    for (int i = 0; i < a->n; i++) {
        int64_t len = a->shape[i];
        if (n && a->in[n - 1] == a->in[i] * len && a->mask[n - 1] == a->mask[i] * len
            && a->out[n - 1] == a->out[i] * len) {
            a->shape[n - 1] *= len;
            a->in[n - 1] = a->in[i];
            a->mask[n - 1] = a->mask[i];
            a->out[n - 1] = a->out[i];
        } else {
            a->shape[n] = len;
            a->in[n] = a->in[i];
            a->mask[n] = a->mask[i];
            a->out[n++] = a->out[i];
        }
    }
    a->n = n;
}

/* Axes that run backwards in memory are walked forwards. */
static void axes_flip(job *j, axes *a)
{
    for (int i = 0; i < a->n; i++) {
        if (a->in[i] >= 0)
            continue;
        int64_t last = a->shape[i] - 1;
        j->in += a->in[i] * last;
        j->out += a->out[i] * last;
        if (j->mask)
            j->mask += a->mask[i] * last;
        a->in[i] = -a->in[i];
        a->out[i] = -a->out[i];
        a->mask[i] = -a->mask[i];
    }
}

/* A place in the walk over some axes, innermost last. */
typedef struct {
    int64_t at[GARRAY_MAX_NDIM];
    int64_t in, mask, out;
} place;

static void place_seek(place *p, const axes *a, int n, int64_t flat)
{
    p->in = p->mask = p->out = 0;
    for (int i = n - 1; i >= 0; i--) {
        p->at[i] = flat % a->shape[i];
        flat /= a->shape[i];
        p->in += p->at[i] * a->in[i];
        p->mask += p->at[i] * a->mask[i];
        p->out += p->at[i] * a->out[i];
    }
}

/* Moves by `steps` along the last of n axes, not past its end. */
static void place_move(place *p, const axes *a, int n, int64_t steps)
{
    for (int i = n - 1; i >= 0; i--, steps = 1) {
        p->at[i] += steps;
        p->in += steps * a->in[i];
        p->mask += steps * a->mask[i];
        p->out += steps * a->out[i];
        if (p->at[i] < a->shape[i])
            return;
        p->in -= p->at[i] * a->in[i];
        p->mask -= p->at[i] * a->mask[i];
        p->out -= p->at[i] * a->out[i];
        p->at[i] = 0;
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */
#define COMPACT(T)                                                                                           \
    do {                                                                                                     \
        T *t = (T *)to;                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            memcpy(&t[kept], from + i * step, sizeof(T));                                                    \
            kept += mask[i * mask_step] != 0;                                                                \
        }                                                                                                    \
    } while (0)

/* Copies the items that take part; returns how many.  Writes no more than n. */
static int64_t compact(char *to, const char *from, int64_t step, const uint8_t *mask, int64_t mask_step, int64_t n,
                       int64_t item)
{
    typedef struct {
        uint64_t part[2];
    } pair;
    int64_t kept = 0;
    if (item == 1)
        COMPACT(uint8_t);
    else if (item == 2)
        COMPACT(uint16_t);
    else if (item == 4)
        COMPACT(uint32_t);
    else if (item == 8)
        COMPACT(uint64_t);
    else
        COMPACT(pair);
    return kept;
}

static bool settled(const job *j, const void *state, int64_t taken)
{
    uint64_t count = *(const uint64_t *)state;
    return j->truth && (j->plan->op == GARRAY_RED_ANY ? count != 0 : count != (uint64_t)taken);
}

/* A position among masked items: one at a time, for the index counts those that take no part. */
static void masked_position(const job *j, void *state, const char *from, int64_t step, const uint8_t *mask,
                            int64_t mask_step, int64_t n, int64_t index)
{
    for (int64_t i = 0; i < n; i++) {
        _Alignas(16) char item[16];
        if (!mask[i * mask_step])
            continue;
        memcpy(item, from + i * step, (size_t)j->item);
        j->k->row(state, item, 1, index + i);
    }
}

/* Items [begin, end) of the reduced axes into state; returns how many took part. */
static int64_t span(job *j, const char *in, const uint8_t *mask, int64_t begin, int64_t end, void *state)
{
    _Alignas(64) char buffer[GARRAY_REDUCE_BUFFER];
    const axes *a = &j->red;
    int64_t step = a->n ? a->in[a->n - 1] : 0, mask_step = a->n ? a->mask[a->n - 1] : 0;
    int64_t length = a->n ? a->shape[a->n - 1] : 1, taken = 0, held = 0, held_index = 0;
    place p;
    place_seek(&p, a, a->n, begin);
    for (int64_t at = begin, run; at < end; at += run) {
        const char *from = in + p.in;
        int64_t here = a->n ? p.at[a->n - 1] : 0, used = 0;
        run = length - here < end - at ? length - here : end - at;
        while (j->direct && held == 0 && used < run && (run - used >= j->piece || at + run == end)) {
            int64_t n = run - used < j->piece ? run - used : j->piece;
            j->k->row(state, from + used * j->item, n, at + used);
            used += n;
            taken += n;
            if (settled(j, state, taken))
                return taken;
        }
        if (mask && j->position) {
            masked_position(j, state, from, step, mask + p.mask, mask_step, run, at);
            used = run;
        }
        while (used < run) {
            int64_t n = run - used < j->piece - held ? run - used : j->piece - held, kept = n;
            char *to = buffer + held * j->item;
            if (held == 0)
                held_index = at + used;
            if (mask)
                kept = compact(to, from + used * step, step, mask + p.mask + used * mask_step, mask_step, n, j->item);
            else
                garray__cpu_move->gather[garray__cpu_width((int)j->item)](to, from + used * step, 0, step, 1, n);
            held += kept;
            used += n;
            if (held == j->piece) {
                j->k->row(state, buffer, held, held_index);
                taken += held;
                held = 0;
                if (settled(j, state, taken))
                    return taken;
            }
        }
        place_move(&p, a, a->n, run);
    }
    if (held)
        j->k->row(state, buffer, held, held_index);
    return taken + held;
}

static void row_outputs(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const garray__reduce_kernel *k = j->k;
    uint64_t state[2 * GARRAY_REDUCE_ARRAYS], part[2 * GARRAY_REDUCE_ARRAYS];
    size_t size = (size_t)(8 * k->arrays * k->width);
    place p;
    place_seek(&p, &j->keep, j->keep.n, begin);
    for (int64_t o = begin; o < end; o++) {
        const char *in = j->in + p.in;
        const uint8_t *mask = j->mask ? j->mask + p.mask : NULL;
        int64_t n = j->red.count, taken = n;
        memcpy(state, j->first, size);
        if (j->chunks == 1 && j->direct && j->red.n <= 1 && n <= j->piece) {
            if (n)
                k->row(state, in, n, 0);
        } else if (j->chunks == 1) {
            taken = span(j, in, mask, 0, n, state);
        } else {
            taken = 0;
            for (int64_t c = 0; c < j->chunks; c++) {
                int64_t from = c * j->chunk, to = n - from < j->chunk ? n : from + j->chunk;
                k->init(part, k->width, k->width, GARRAY_REDUCE_NONE);
                taken += span(j, in, mask, from, to, part);
                k->merge(state, part, k->width, k->width, 0);
                if (settled(j, state, taken))
                    break;
            }
        }
        garray__reduce_finish(j->plan, state, k->width, 1, j->out + p.out, 0, taken, NULL);
        place_move(&p, &j->keep, j->keep.n, 1);
    }
}

/* Chunks of all outputs as tasks of their own: state and the number of items go to partial. */
static void row_chunks(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const garray__reduce_kernel *k = j->k;
    for (int64_t t = begin; t < end; t++) {
        char *state = j->partial + t * j->partial_size;
        int64_t from = t % j->chunks * j->chunk, to = j->red.count - from < j->chunk ? j->red.count : from + j->chunk;
        int64_t taken = 0;
        place p;
        place_seek(&p, &j->keep, j->keep.n, t / j->chunks);
        k->init(state, k->width, k->width, GARRAY_REDUCE_NONE);
        if (!atomic_load_explicit(&j->decided, memory_order_relaxed))
            taken = span(j, j->in + p.in, j->mask ? j->mask + p.mask : NULL, from, to, state);
        if (j->keep.count == 1 && settled(j, state, taken))
            atomic_store_explicit(&j->decided, true, memory_order_relaxed);
        memcpy(state + j->partial_size - 8, &taken, 8);
    }
}

static void row_join(job *j)
{
    const garray__reduce_kernel *k = j->k;
    uint64_t state[2 * GARRAY_REDUCE_ARRAYS];
    for (int64_t o = 0; o < j->keep.count; o++) {
        int64_t taken = 0;
        place p;
        place_seek(&p, &j->keep, j->keep.n, o);
        memcpy(state, j->first, (size_t)(8 * k->arrays * k->width));
        for (int64_t c = 0; c < j->chunks; c++) {
            const char *part = j->partial + (o * j->chunks + c) * j->partial_size;
            int64_t n;
            memcpy(&n, part + j->partial_size - 8, 8);
            k->merge(state, part, k->width, k->width, 0);
            taken += n;
        }
        garray__reduce_finish(j->plan, state, k->width, 1, j->out + p.out, 0, taken, NULL);
    }
}

/* About 0.1 ns a byte, and 0.1 ns an item. */
static double cost_of(const job *j)
{
    return (double)j->keep.count * (double)(j->red.count + 8) * (0.1 * (double)j->item + 0.1);
}

static garray_status reduce_rows(const garray__queue *q, job *j)
{
    int64_t n = j->red.count;
    j->direct = j->direct && !j->mask && (j->red.n == 0 || j->red.in[j->red.n - 1] == j->item);
    j->chunk = (n - 1) / CHUNKS + 1;
    j->chunk = j->chunk < CHUNK ? CHUNK : (j->chunk + CHUNK - 1) / CHUNK * CHUNK;
    j->chunks = n > j->chunk ? (n - 1) / j->chunk + 1 : 1;
    if (j->chunks == 1 || j->keep.count >= SPREAD) {
        int64_t grain = 16384 / (n + 8);
        garray__cpu_parallel(j->keep.count, grain < 1 ? 1 : grain, cost_of(j), row_outputs, j);
        return GARRAY_OK;
    }
    void *partial;
    int64_t tasks = j->keep.count * j->chunks;
    j->partial_size = 8 * j->k->arrays * j->k->width + 8;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(tasks * j->partial_size), &partial));
    j->partial = partial;
    garray__cpu_parallel(tasks, 1, cost_of(j), row_chunks, j);
    row_join(j);
    garray__cpu_host->scratch_free(q, partial);
    return GARRAY_OK;
}

/* ---- columns ------------------------------------------------------------------------------------------- */
/* Rows x columns items into contiguous memory, a stand-in for those that are masked out. */
static void stage(const job *j, char *to, const char *in, int64_t row_step, int64_t column_step, const uint8_t *mask,
                  int64_t mask_row, int64_t mask_column, int64_t rows, int64_t columns)
{
    garray__cpu_move->gather[garray__cpu_width((int)j->item)](to, in, row_step, column_step, rows, columns);
    if (!mask)
        return;
    for (int64_t r = 0; r < rows; r++, mask += mask_row)
        for (int64_t c = 0; c < columns; c++, to += j->item)
            if (!mask[c * mask_column])
                memcpy(to, j->fill, (size_t)j->item);
}

/* Rows [begin, end) of `columns` items at in, k rows taken as one. */
static void folded_chunk(const job *j, const char *in, int64_t columns, int64_t begin, int64_t end, void *state,
                         int64_t cap)
{
    const garray__reduce_kernel *k = j->k;
    int64_t width = columns * k->width, step = j->red.in[0], whole = (end - begin) / j->fold;
    int64_t rest = (end - begin) % j->fold;
    in += begin * step;
    k->init(state, cap, j->fold * width, 0);
    if (whole)
        k->col(state, cap, in, j->fold * step, whole, j->fold * width, 0);
    if (rest)
        k->col(state, cap, in + whole * j->fold * step, 0, 1, rest * width, whole);
    if (j->position) {
        int64_t *at = (int64_t *)state + cap;
        for (int64_t f = 0; f < j->fold; f++)
            for (int64_t c = 0; c < columns; c++)
                at[f * columns + c] = begin + at[f * columns + c] * j->fold + f;
    }
    for (int64_t f = 1; f < j->fold; f++)
        k->merge(state, state, cap, width, f * width);
}

/* Rows [begin, end) of the reduced axes, `columns` items at in, into state. */
static void column_chunk(const job *j, const char *in, const uint8_t *mask, int64_t columns, int64_t begin, int64_t end,
                         void *state, int64_t cap)
{
    const garray__reduce_kernel *k = j->k;
    const axes *a = &j->red;
    int64_t length = a->n ? a->shape[a->n - 1] : 1, row_step = a->n ? a->in[a->n - 1] : 0;
    int64_t mask_row = a->n ? a->mask[a->n - 1] : 0;
    int64_t column_step = j->keep.in[j->keep.n - 1], mask_column = j->keep.mask[j->keep.n - 1];
    if (j->fold > 1) {
        folded_chunk(j, in, columns, begin, end, state, cap);
        return;
    }
    place p;
    place_seek(&p, a, a->n, begin);
    k->init(state, cap, columns * k->width, begin);
    for (int64_t at = begin, run; at < end; at += run) {
        int64_t here = a->n ? p.at[a->n - 1] : 0;
        run = length - here < end - at ? length - here : end - at;
        if (j->direct) {
            k->col(state, cap, in + p.in, row_step, run, columns * k->width, at);
        } else {
            _Alignas(64) char buffer[GARRAY_REDUCE_BUFFER];
            int64_t deep = GARRAY_REDUCE_BUFFER / (columns * j->item);
            for (int64_t r = 0; r < run; r += deep) {
                int64_t rows = run - r < deep ? run - r : deep;
                stage(j, buffer, in + p.in + r * row_step, row_step, column_step,
                      mask ? mask + p.mask + r * mask_row : NULL, mask_row, mask_column, rows, columns);
                k->col(state, cap, buffer, columns * j->item, rows, columns * k->width, at + r);
            }
        }
        place_move(&p, a, a->n, run);
    }
}

/* Where tile t begins; returns its number of items. */
static int64_t tile_place(const job *j, int64_t t, place *p)
{
    int64_t columns = j->keep.shape[j->keep.n - 1], first = t % j->tiles * j->tile;
    place_seek(p, &j->keep, j->keep.n, t / j->tiles * columns + first);
    return columns - first < j->tile ? columns - first : j->tile;
}

static void tile_first(const job *j, char *state, int64_t cap, int64_t columns)
{
    const garray__reduce_kernel *k = j->k;
    if (!j->plan->has_initial) {
        k->init(state, cap, columns * k->width, GARRAY_REDUCE_NONE);
        return;
    }
    for (int i = 0; i < k->arrays; i++)
        for (int64_t c = 0; c < columns; c++)
            for (int w = 0; w < k->width; w++)
                memcpy(state + i * cap * 8 + (c * k->width + w) * k->slot, &j->first[i * k->width + w], (size_t)k->slot);
}

static void tile_finish(const job *j, int64_t t, const place *p, const char *state, int64_t cap, int64_t columns)
{
    int64_t all = j->keep.shape[j->keep.n - 1];
    const int64_t *count = j->count ? j->count + t / j->tiles * all + t % j->tiles * j->tile : NULL;
    garray__reduce_finish(j->plan, state, cap, columns, j->out + p->out, j->keep.out[j->keep.n - 1], j->red.count, count);
}

static void column_tiles(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    const garray__reduce_kernel *k = j->k;
    _Alignas(64) char state[STATE_BYTES], part[STATE_BYTES];
    int64_t cap = GARRAY_REDUCE_TILE;
    for (int64_t t = begin; t < end; t++) {
        place p;
        int64_t columns = tile_place(j, t, &p);
        if (j->chunks == 1 && !j->plan->has_initial) {
            column_chunk(j, j->in + p.in, j->mask ? j->mask + p.mask : NULL, columns, 0, j->red.count, part, cap);
            tile_finish(j, t, &p, part, cap, columns);
            continue;
        }
        tile_first(j, state, cap, columns);
        for (int64_t c = 0; c < j->chunks; c++) {
            int64_t from = c * j->chunk, to = j->red.count - from < j->chunk ? j->red.count : from + j->chunk;
            column_chunk(j, j->in + p.in, j->mask ? j->mask + p.mask : NULL, columns, from, to, part, cap);
            k->merge(state, part, cap, columns * k->width, 0);
        }
        tile_finish(j, t, &p, state, cap, columns);
    }
}

static void column_chunks(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    for (int64_t t = begin; t < end; t++) {
        place p;
        int64_t columns = tile_place(j, t / j->chunks, &p), cap = j->tile * j->fold * j->k->width;
        int64_t from = t % j->chunks * j->chunk, to = j->red.count - from < j->chunk ? j->red.count : from + j->chunk;
        column_chunk(j, j->in + p.in, j->mask ? j->mask + p.mask : NULL, columns, from, to,
                     j->partial + t * j->partial_size, cap);
    }
}

static void column_join(job *j, int64_t tiles)
{
    const garray__reduce_kernel *k = j->k;
    int64_t cap = j->tile * j->fold * k->width;
    _Alignas(64) char state[STATE_BYTES];
    for (int64_t t = 0; t < tiles; t++) {
        place p;
        int64_t columns = tile_place(j, t, &p);
        tile_first(j, state, cap, columns);
        for (int64_t c = 0; c < j->chunks; c++)
            k->merge(state, j->partial + (t * j->chunks + c) * j->partial_size, cap, columns * k->width, 0);
        tile_finish(j, t, &p, state, cap, columns);
    }
}

static garray_status reduce_columns(const garray__queue *q, job *j)
{
    int64_t columns = j->keep.shape[j->keep.n - 1], rows = j->red.count, tiles, chunk;
    j->direct = j->direct && !j->mask && j->keep.in[j->keep.n - 1] == j->item;
    j->fold = 1;
    j->tile = GARRAY_REDUCE_TILE / j->k->width;
    if (j->direct && j->red.n == 1 && j->red.in[0] == columns * j->item && columns * 2 <= j->tile)
        j->fold = j->tile / 2 / columns < 1 ? 1 : j->tile / 2 / columns;
    if (columns < j->tile)
        j->tile = columns;
    j->tiles = (columns - 1) / j->tile + 1;
    chunk = COLUMN_CHUNK / (j->tile * j->k->width);
    chunk = chunk < 64 ? 64 : chunk;
    if (chunk < (rows - 1) / COLUMN_CHUNKS + 1)
        chunk = (rows - 1) / COLUMN_CHUNKS + 1;
    j->chunk = (chunk + j->fold - 1) / j->fold * j->fold;
    j->chunks = (rows - 1) / j->chunk + 1;
    tiles = j->keep.count / columns * j->tiles;
    if (j->chunks == 1 || tiles >= SPREAD) {
        int64_t grain = 32768 / (j->tile * rows);
        garray__cpu_parallel(tiles, grain < 1 ? 1 : grain, cost_of(j), column_tiles, j);
        return GARRAY_OK;
    }
    void *partial;
    j->partial_size = 8 * j->k->arrays * j->tile * j->fold * j->k->width;
    GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)(tiles * j->chunks * j->partial_size), &partial));
    j->partial = partial;
    garray__cpu_parallel(tiles * j->chunks, 1, cost_of(j), column_chunks, j);
    column_join(j, tiles);
    garray__cpu_host->scratch_free(q, partial);
    return GARRAY_OK;
}

/* Of a masked mean over columns: how many items take part in each output. */
static garray_status count_masked(const garray__queue *q, const job *j, int64_t *count)
{
    garray_reduce_plan p;
    int64_t step = 8;
    memset(&p, 0, sizeof p);
    p.op = GARRAY_RED_COUNT_NONZERO;
    p.in_dtype = p.acc_dtype = GARRAY_BOOL;
    p.nkeep = j->keep.n;
    p.nred = j->red.n;
    p.keep_count = j->keep.count;
    p.red_count = j->red.count;
    p.in = j->mask;
    p.out = count;
    for (int i = j->keep.n - 1; i >= 0; i--) {
        p.keep_shape[i] = j->keep.shape[i];
        p.in_keep[i] = j->keep.mask[i];
        p.out_keep[i] = step;
        step *= j->keep.shape[i];
    }
    for (int i = 0; i < j->red.n; i++) {
        p.red_shape[i] = j->red.shape[i];
        p.in_red[i] = j->red.mask[i];
    }
    return garray__cpu_reduce(q, &p);
}

/* ---- which kernel, which way --------------------------------------------------------------------------- */
static const garray__reduce_kernel *kernel_of(int op, int in_dtype, int acc_dtype)
{
    const garray__reduce_table *sums = GARRAY_ISA_PICK(garray__cpu_reduce_sums);
    const garray__order_table *order = GARRAY_ISA_PICK(garray__cpu_reduce_order);
    bool complex_in = in_dtype == GARRAY_COMPLEX64 || in_dtype == GARRAY_COMPLEX128;
    bool as_double = in_dtype < GARRAY_FLOAT16 && acc_dtype >= GARRAY_FLOAT16;
    switch ((garray_red_op)op) {
    case GARRAY_RED_SUM:
    case GARRAY_RED_MEAN:
        return as_double ? &sums->sum_double[in_dtype] : &sums->sum[in_dtype];
    case GARRAY_RED_PROD:
        return complex_in ? garray__reduce_complex(GARRAY_REDUCE_PROD, in_dtype)
             : as_double ? &sums->prod_double[in_dtype] : &sums->prod[in_dtype];
    case GARRAY_RED_MIN:
        return complex_in ? garray__reduce_complex(GARRAY_REDUCE_MIN, in_dtype) : &order->min[in_dtype];
    case GARRAY_RED_MAX:
        return complex_in ? garray__reduce_complex(GARRAY_REDUCE_MAX, in_dtype) : &order->max[in_dtype];
    case GARRAY_RED_ARGMIN:
        return complex_in ? garray__reduce_complex(GARRAY_REDUCE_ARGMIN, in_dtype) : &order->argmin[in_dtype];
    case GARRAY_RED_ARGMAX:
        return complex_in ? garray__reduce_complex(GARRAY_REDUCE_ARGMAX, in_dtype) : &order->argmax[in_dtype];
    case GARRAY_RED_ANY:
    case GARRAY_RED_ALL:
    case GARRAY_RED_COUNT_NONZERO:
        return in_dtype == GARRAY_COMPLEX128 ? garray__reduce_complex(GARRAY_REDUCE_COUNT, in_dtype)
                                             : &order->count[in_dtype];
    case GARRAY_RED_VAR:
    case GARRAY_RED_STD:
        return &sums->var[in_dtype];
    default:
        return NULL;
    }
}

/* The item that changes nothing, in the storage of the input dtype. */
static void neutral(uint8_t *item, int op, int dtype)
{
    static const uint64_t one[16] = { [GARRAY_FLOAT16] = 0x3c00, [GARRAY_BFLOAT16] = 0x3f80,
        [GARRAY_FLOAT32] = 0x3f800000, [GARRAY_FLOAT64] = 0x3ff0000000000000, [GARRAY_COMPLEX64] = 0x3f800000,
        [GARRAY_COMPLEX128] = 0x3ff0000000000000 };
    static const uint64_t infinity[16] = { [GARRAY_FLOAT16] = 0x7c00, [GARRAY_BFLOAT16] = 0x7f80,
        [GARRAY_FLOAT32] = 0x7f800000, [GARRAY_FLOAT64] = 0x7ff0000000000000 };
    int bits = 8 * garray__cpu_itemsize(dtype);
    uint64_t v = 0, top = bits <= 64 ? 1ull << (bits - 1) : 0;
    if (op == GARRAY_RED_PROD || op == GARRAY_RED_ALL)
        v = dtype < GARRAY_FLOAT16 ? 1 : one[dtype];
    else if (op == GARRAY_RED_MIN)
        v = infinity[dtype] ? infinity[dtype] : dtype == GARRAY_BOOL ? 1
          : dtype <= GARRAY_INT64 ? top - 1 : top - 1 + top;
    else if (op == GARRAY_RED_MAX)
        v = infinity[dtype] ? infinity[dtype] | top : dtype >= GARRAY_INT8 && dtype <= GARRAY_INT64 ? top : 0;
    memset(item, 0, 16);
    memcpy(item, &v, 8);
}

/* Columns where outputs lie closer together than the items of one output, or where those are few. */
static bool by_columns(const job *j)
{
    if (!j->k->col || j->keep.n == 0 || j->red.count == 0)
        return false;
    if (j->mask && (j->position || j->plan->op == GARRAY_RED_VAR || j->plan->op == GARRAY_RED_STD))
        return false;
    if (j->red.n == 0)
        return true;
    int64_t columns = j->keep.shape[j->keep.n - 1], column_step = j->keep.in[j->keep.n - 1];
    int64_t run = j->red.shape[j->red.n - 1], run_step = magnitude(j->red.in[j->red.n - 1]);
    if (column_step < run_step)
        return columns >= 8 || (j->red.n == 1 && run_step == columns * j->item);
    bool nearer = j->red.n == 1 || column_step < magnitude(j->red.in[j->red.n - 2]);
    return run < 32 && columns >= 16 && nearer;
}

static bool aligned(const job *j)
{
    int64_t size = j->item == 16 ? 8 : j->plan->in_dtype == GARRAY_COMPLEX64 ? 4 : j->item;
    int64_t bits = (int64_t)(uintptr_t)j->in;
    for (int i = 0; i < j->keep.n; i++)
        bits |= j->keep.in[i];
    for (int i = 0; i < j->red.n; i++)
        bits |= j->red.in[i];
    return (bits & (size - 1)) == 0;
}

garray_status garray__cpu_reduce(const garray__queue *q, const garray_reduce_plan *plan)
{
    job j;
    j.plan = plan;
    j.k = kernel_of(plan->op, plan->in_dtype, plan->acc_dtype);
    if (!j.k || !j.k->arrays)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "reduction %d has no kernel for dtype %d", (int)plan->op,
                                      (int)plan->in_dtype);
    j.in = plan->in;
    j.out = plan->out;
    j.mask = plan->mask;
    j.count = NULL;
    j.item = garray__cpu_itemsize(plan->in_dtype);
    j.piece = GARRAY_REDUCE_BUFFER / j.item < GARRAY_REDUCE_PIECE ? GARRAY_REDUCE_BUFFER / j.item : GARRAY_REDUCE_PIECE;
    j.position = plan->op == GARRAY_RED_ARGMIN || plan->op == GARRAY_RED_ARGMAX;
    j.truth = plan->op == GARRAY_RED_ANY || plan->op == GARRAY_RED_ALL;
    j.partial = NULL;
    atomic_init(&j.decided, false);
    axes_copy(&j.keep, plan->nkeep, plan->keep_shape, plan->in_keep, j.mask ? plan->mask_keep : NULL, plan->out_keep);
    axes_copy(&j.red, plan->nred, plan->red_shape, plan->in_red, j.mask ? plan->mask_red : NULL, NULL);
    axes_flip(&j, &j.keep);
    axes_sort(&j.keep);
    axes_merge(&j.keep);
    if (j.red.count == 0)
        j.red.n = 0;
    if (!j.position) {
        axes_flip(&j, &j.red);
        axes_sort(&j.red);
    }
    axes_merge(&j.red);
    j.direct = aligned(&j);
    neutral(j.fill, plan->op, plan->in_dtype);
    j.k->init(j.first, j.k->width, j.k->width, GARRAY_REDUCE_NONE);
    if (plan->has_initial)
        kernel_of(plan->op, plan->acc_dtype, plan->acc_dtype)->row(j.first, plan->initial, 1, 0);
    if (!by_columns(&j))
        return reduce_rows(q, &j);
    void *count = NULL;
    if (j.mask && plan->op == GARRAY_RED_MEAN) {
        GARRAY_TRY(garray__cpu_host->scratch(q, (size_t)j.keep.count * 8, &count));
        garray_status st = count_masked(q, &j, count);
        if (st != GARRAY_OK) {
            garray__cpu_host->scratch_free(q, count);
            return st;
        }
        j.count = count;
    }
    garray_status st = reduce_columns(q, &j);
    if (count)
        garray__cpu_host->scratch_free(q, count);
    return st;
}
