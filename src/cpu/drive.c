/* SPDX-License-Identifier: BSD-3-Clause
 * Tiles through buffers: gather, cast, loop, cast, scatter. */
#include <stdlib.h>
#include <string.h>
#include "cpu/drive.h"

enum {
    BY_ROW_COLS = 32,           /* rows of so many items pay for a call of the loop each */
    STREAM_BYTES = 1024         /* written past the caches at once: more would keep the next reads waiting */
};

typedef struct buffers {
    const garray__drive *drive;
    bool ahead;                                 /* the next tile follows in memory: call for it early */
    int64_t ready[GARRAY_EW_OPERANDS];          /* rows (spread: items) that a fixed operand's buffer holds */
    char *held[GARRAY_EW_OPERANDS];
    _Alignas(64) char data[GARRAY_EW_OPERANDS][2][GARRAY_WALK_TILE_BYTES];
} buffers;

void garray__drive_cast(garray__path *path, int from, int by, int to)
{
    path->size = garray__cpu_itemsize(from);
    path->width = garray__cpu_itemsize(to);
    path->middle = 0;
    path->first = path->second = NULL;
    if (by && by != from && by != to) {
        path->middle = garray__cpu_itemsize(by);
        path->first = garray__cpu_dtypes[from]->cast[by];
        path->second = garray__cpu_dtypes[by]->cast[to];
    } else if (from != to) {
        path->first = garray__cpu_dtypes[from]->cast[to];
    }
}

bool garray__drive_value(garray__drive *d, const garray_ew_plan *plan, int i)
{
    const garray_ew_operand *operand = &plan->operand[i];
    const garray__path *path = &d->path[i];
    uint64_t raw[2] = { operand->bits[0], operand->bits[1] }, between[2];
    if (operand->data) {
        for (int k = 0; k < plan->ndim; k++)
            if (operand->strides[k] != 0 && plan->shape[k] != 1)
                return false;
        memcpy(raw, operand->data, (size_t)path->size);
    }
    if (path->second) {
        path->first(between, raw, 1);
        path->second(d->value[i], between, 1);
    } else if (path->first) {
        path->first(d->value[i], raw, 1);
    } else {
        memcpy(d->value[i], raw, sizeof raw);
    }
    return true;
}

/* ---- one tile ------------------------------------------------------------------------------------------ */
static char *spread(buffers *b, int i, int64_t n)
{
    const garray__drive *d = b->drive;
    if (b->ready[i] < n) {              /* the first tile is as large as any */
        garray__cpu_move->fill[garray__cpu_width(d->path[i].width)](b->data[i][0], d->value[i], n);
        b->ready[i] = n;
    }
    return b->data[i][0];
}

/* Where the loop finds input i of this tile as one run (by_row: as rows, *step apart). */
static char *fetch(buffers *b, int i, const garray__tile *tile, int64_t *step)
{
    const garray__drive *d = b->drive;
    const garray__path *path = &d->path[i];
    const garray__walk *w = &d->walk;
    const bool single = d->row_single >> i & 1;
    int64_t n = single ? 1 : tile->rows * tile->cols;
    char *from = tile->data[i];
    int next = 0;

    *step = tile->cols * path->width;
    if (path->fixed && b->ready[i] >= tile->rows)
        return b->held[i];
    if (!single && !garray__walk_flat(w, i, path->size, tile)) {
        if (d->by_row && !path->first && w->col_step[i] == path->size) {
            *step = w->row_step[i];
            return from;
        }
        char *to = b->data[i][next];
        next = 1 - next;
        garray__cpu_move->gather[garray__cpu_width(path->size)](to, from, w->row_step[i], w->col_step[i],
                                                                tile->rows, tile->cols);
        from = to;
    }
    if (path->first) {
        path->first(b->data[i][next], from, n);
        from = b->data[i][next];
        next = 1 - next;
    }
    if (path->second) {
        path->second(b->data[i][next], from, n);
        from = b->data[i][next];
    }
    if (path->fixed) {
        b->ready[i] = tile->rows;
        b->held[i] = from;
    }
    return from;
}

static void copy(const garray__drive *d, char *to, const char *from, int64_t bytes)
{
    if (d->stream)
        garray__cpu_move->stream(to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

/* The inputs of the next tile come into the cache while this one's result leaves. */
static void call_ahead(const garray__drive *d, const garray__tile *tile)
{
    for (int i = 1; i < d->nop; i++) {
        const int64_t bytes = tile->cols * d->walk.col_step[i];
        for (int64_t k = 0; k < bytes; k += 64)
            __builtin_prefetch(tile->data[i] + bytes + k);
    }
}

/* Brings the result, rows at from and step apart, to its place. */
static void deliver(buffers *b, const garray__tile *tile, char *from, int64_t step)
{
    const garray__drive *d = b->drive;
    const garray__path *path = &d->path[0];
    const garray__walk *w = &d->walk;
    int64_t n = tile->rows * tile->cols;
    bool flat = garray__walk_flat(w, 0, path->size, tile), direct = flat && !d->stream;
    int next = from == b->data[0][0];

    if (path->first) {
        char *to = direct && !path->second ? tile->data[0] : b->data[0][next];
        path->first(to, from, n);
        from = to;
        next = 1 - next;
        step = tile->cols * path->size;
    }
    if (path->second) {
        char *to = direct ? tile->data[0] : b->data[0][next];
        path->second(to, from, n);
        from = to;
    }
    if (from == tile->data[0])
        return;
    if (b->ahead)
        call_ahead(d, tile);
    if (flat && (tile->rows == 1 || step == tile->cols * path->size)) {
        copy(d, tile->data[0], from, n * path->size);
    } else if (w->col_step[0] == path->size) {
        for (int64_t r = 0; r < tile->rows; r++)
            copy(d, tile->data[0] + r * w->row_step[0], from + r * step, tile->cols * path->size);
    } else if (step == tile->cols * path->size) {
        garray__cpu_move->scatter[garray__cpu_width(path->size)](tile->data[0], from, w->row_step[0],
                                                                 w->col_step[0], tile->rows, tile->cols);
    } else {
        for (int64_t r = 0; r < tile->rows; r++)
            garray__cpu_move->scatter[garray__cpu_width(path->size)](
                tile->data[0] + r * w->row_step[0], from + r * step, 0, w->col_step[0], 1, tile->cols);
    }
}

static void do_tile(void *ctx, const garray__tile *tile)
{
    buffers *b = ctx;
    const garray__drive *d = b->drive;
    const garray__walk *w = &d->walk;
    char *p[GARRAY_EW_OPERANDS];
    int64_t step[GARRAY_EW_OPERANDS], n = tile->rows * tile->cols;

    for (int i = 1; i < d->nop; i++) {
        step[i] = 0;
        if (d->scalars >> i & 1)
            p[i] = (char *)d->value[i];
        else if (d->spread >> i & 1)
            p[i] = spread(b, i, n);
        else
            p[i] = fetch(b, i, tile, &step[i]);
    }
    if (!d->loop) {
        deliver(b, tile, p[1], d->spread >> 1 & 1 ? tile->cols * d->path[1].width : step[1]);
        return;
    }
    bool plain = !d->path[0].first && !d->stream;
    bool direct = plain && (garray__walk_flat(w, 0, d->path[0].size, tile)
                            || (d->by_row && w->col_step[0] == d->path[0].size));
    p[0] = direct ? tile->data[0] : b->data[0][0];
    if (d->by_row) {
        char *result = p[0];
        step[0] = direct ? w->row_step[0] : tile->cols * d->path[0].width;
        for (int64_t r = 0; r < tile->rows; r++) {
            d->loop(p, tile->cols, d->scalars);
            for (int i = 0; i < d->nop; i++)
                p[i] += step[i];
        }
        p[0] = result;
    } else {
        d->loop(p, n, d->scalars | d->row_single);
    }
    if (!direct)
        deliver(b, tile, p[0], tile->cols * d->path[0].width);
}

/* ---- the whole plan ------------------------------------------------------------------------------------ */
static void begin_buffers(buffers *b, const garray__drive *d)
{
    b->drive = d;
    b->ahead = false;
    for (int i = 0; i < GARRAY_EW_OPERANDS; i++)
        b->ready[i] = 0;
}

static void run_tiles(void *ctx, int64_t begin, int64_t end)
{
    const garray__drive *d = ctx;
    buffers b;
    begin_buffers(&b, d);
    garray__walk_tiles(&d->walk, begin, end, do_tile, &b);
    if (d->stream)
        garray__cpu_move->stream_done();
}

/* A contiguous plan: one row, cut where the buffers are full. */
static void run_flat(void *ctx, int64_t begin, int64_t end)
{
    const garray__drive *d = ctx;
    const garray__walk *w = &d->walk;
    buffers b;
    begin_buffers(&b, d);
    b.ahead = d->stream;
    garray__tile tile = { .rows = 1 };
    for (; begin < end; begin += tile.cols) {
        tile.cols = end - begin < w->tile_cols ? end - begin : w->tile_cols;
        for (int i = 0; i < d->nop; i++)
            tile.data[i] = w->data[i] ? w->data[i] + begin * w->col_step[i] : NULL;
        do_tile(&b, &tile);
    }
    if (d->stream)
        garray__cpu_move->stream_done();
}

static bool fixed(const garray__walk *w, int i)
{
    if (w->row_step[i] != 0 || w->col_tiles != 1)
        return false;
    for (int d = 0; d < w->nouter; d++)
        if (w->strides[i][d] != 0)
            return false;
    return true;
}

/* What each operand of a strided plan needs, now that the tiles are known; a buffer holds room items. */
static void prepare_tiles(garray__drive *d, const int *itemsize, int64_t room)
{
    garray__walk *w = &d->walk;
    const unsigned given = d->scalars | d->spread;
    for (int i = 1; i < d->nop && w->tile_rows == 1; i++)
        if (!(given >> i & 1) && w->col_step[i] == 0
            && (d->allowed >> (d->scalars | d->row_single | 1u << i) & 1))
            d->row_single |= 1u << i;

    /* Short runs go past the caches only as whole cache lines. */
    const int64_t run = w->tile_cols * itemsize[0];
    bool lines = run % 64 == 0 && w->row_step[0] % 64 == 0 && (uintptr_t)w->data[0] % 64 == 0;
    for (int k = 0; k < w->nouter; k++)
        lines = lines && w->strides[0][k] % 64 == 0;
    d->stream = d->stream && w->col_step[0] == itemsize[0] && (run >= 1024 || (run >= 64 && lines));
    for (int i = 0; i < d->nop; i++) {
        const bool taken = (given | d->row_single) >> i & 1, apart = w->col_step[i] != itemsize[i];
        if (d->stream || (!taken && apart))
            garray__walk_narrow(w, room);
        d->path[i].fixed = i > 0 && !taken && (d->path[i].first || w->tile_rows > 1 || apart);
        d->by_row |= w->tile_rows > 1 && w->tile_cols >= BY_ROW_COLS && !d->path[i].first && !apart && !taken
                     && w->row_step[i] != w->tile_cols * itemsize[i];
    }
    for (int i = 0; i < d->nop; i++)
        d->path[i].fixed = d->path[i].fixed && fixed(w, i);
}

void garray__drive_run(garray__drive *d, const garray_ew_plan *plan)
{
    garray__walk *w = &d->walk;
    int itemsize[GARRAY_EW_OPERANDS], widest = 1;
    bool cast = d->spread != 0;
    d->nop = plan->nop;
    d->by_row = false;
    d->row_single = 0;
    for (int i = 0; i < d->nop; i++) {
        const garray__path *p = &d->path[i];
        itemsize[i] = p->size;
        cast |= p->first != NULL;
        widest = p->size > widest ? p->size : widest;
        widest = p->width > widest ? p->width : widest;
        widest = p->middle > widest ? p->middle : widest;
    }
    d->stream = plan->count >= garray__cpu_stream_size / d->path[0].size;
    /* Not in place, where the lines have been read already, and not where reading is nearly all. */
    int read = 0;
    for (int i = 1; i < d->nop; i++) {
        const bool many = plan->operand[i].data && !((d->scalars | d->spread) >> i & 1);
        read += many ? d->path[i].size : 0;
        d->stream = d->stream && plan->operand[i].data != plan->operand[0].data;
    }
    d->stream = d->stream && d->path[0].size * 4 >= read;

    if (plan->layout == GARRAY_EW_CONTIGUOUS) {
        bool buffered = cast || d->stream;
        w->nop = d->nop;
        w->count = plan->count;
        w->tile_cols = buffered ? GARRAY_WALK_TILE_BYTES / widest : INT64_MAX;
        if (d->stream && w->tile_cols > STREAM_BYTES / d->path[0].size)
            w->tile_cols = STREAM_BYTES / d->path[0].size;
        for (int i = 0; i < d->nop; i++) {
            w->data[i] = plan->operand[i].data;
            w->col_step[i] = w->data[i] && !((d->scalars | d->spread) >> i & 1) ? d->path[i].size : 0;
            w->row_step[i] = 0;
            d->path[i].fixed = false;
        }
        int64_t grain = d->cost > 1 ? 8192 : 65536;
        if (d->cost * (double)plan->count < 5000)
            grain = plan->count;
        garray__cpu_parallel(plan->count, grain, d->cost * (double)plan->count, run_flat, d);
        return;
    }

    garray__walk_init(w, plan, itemsize, cast ? widest : 0);
    prepare_tiles(d, itemsize, GARRAY_WALK_TILE_BYTES / widest);
    double each = d->cost + 0.3 * d->nop;
    int64_t per_tile = w->tile_rows * w->tile_cols, grain = (d->cost > 1 ? 8192 : 65536) / per_tile;
    garray__cpu_parallel(w->ntiles, grain < 1 ? 1 : grain, each * (double)plan->count, run_tiles, d);
}
