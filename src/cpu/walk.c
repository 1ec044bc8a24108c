/* SPDX-License-Identifier: BSD-3-Clause
 * Axis order and tiles of strided elementwise and convert plans. */
#include <stdlib.h>
#include <string.h>
#include "cpu/walk.h"

enum {
    SHORT_ROW = 128,            /* rows below this many items are gathered, several for one run of the loop */
    LONG_TILE = 16384,          /* columns of a tile that needs no buffer */
    TURNED_COLS = 64,           /* columns of a tile whose inputs run the other way, or more: */
    TURNED_BYTES = 256,         /* what is written of a row at once */
    TURNED_GROUP = 8            /* such tiles one below the other: their inputs share pages */
};

static int64_t magnitude(int64_t step)
{
    return step < 0 ? -step : step;
}

static void swap_axes(garray__walk *w, int d, int e)
{
    int64_t t = w->shape[d];
    w->shape[d] = w->shape[e];
    w->shape[e] = t;
    for (int i = 0; i < w->nop; i++) {
        t = w->strides[i][d];
        w->strides[i][d] = w->strides[i][e];
        w->strides[i][e] = t;
    }
}

/* Must axis d stand further out than axis d + 1?  The output decides, inputs where it cannot. */
static bool in_order(const garray__walk *w, int d)
{
    for (int i = 0; i < w->nop; i++) {
        int64_t outer = magnitude(w->strides[i][d]), inner = magnitude(w->strides[i][d + 1]);
        if (outer != inner)
            return outer > inner;
    }
    return true;
}

static void load_axes(garray__walk *w, const garray_ew_plan *plan)
{
    w->nop = plan->nop;
    w->nouter = 0;
    w->count = plan->count;
    for (int i = 0; i < w->nop; i++)
        w->data[i] = plan->operand[i].data;
    for (int d = 0; d < plan->ndim; d++) {
        int64_t n = plan->shape[d];
        if (n == 1)
            continue;
        int k = w->nouter++;
        w->shape[k] = n;
        /* The output is walked upwards. */
        bool flip = plan->operand[0].strides[d] < 0;
        for (int i = 0; i < w->nop; i++) {
            int64_t step = plan->operand[i].data ? plan->operand[i].strides[d] : 0;
            if (flip && w->data[i])
                w->data[i] += step * (n - 1);
            w->strides[i][k] = flip ? -step : step;
        }
    }
    for (int d = 1; d < w->nouter; d++)
        for (int e = d; e > 0 && !in_order(w, e - 1); e--)
            swap_axes(w, e - 1, e);
}

static void merge_axes(garray__walk *w)
{
    int k = 0;
    for (int d = 1; d < w->nouter; d++) {
        bool joins = true;
        for (int i = 0; i < w->nop; i++)
            joins &= w->strides[i][k] == w->strides[i][d] * w->shape[d];
        if (joins) {
            w->shape[k] *= w->shape[d];
            for (int i = 0; i < w->nop; i++)
                w->strides[i][k] = w->strides[i][d];
        } else {
            k++;
            w->shape[k] = w->shape[d];
            for (int i = 0; i < w->nop; i++)
                w->strides[i][k] = w->strides[i][d];
        }
    }
    if (w->nouter > 0)
        w->nouter = k + 1;
}

/* Takes axis d out of the outer axes. */
static int64_t take_axis(garray__walk *w, int d, int64_t *steps)
{
    int64_t n = w->shape[d];
    for (int i = 0; i < w->nop; i++)
        steps[i] = w->strides[i][d];
    for (int e = d; e + 1 < w->nouter; e++)
        swap_axes(w, e, e + 1);
    w->nouter--;
    return n;
}

/* The axis along which some input lies together while it does not along the columns; -1 if there is none. */
static int turned_axis(const garray__walk *w, const int *itemsize)
{
    for (int i = 1; i < w->nop; i++) {
        if (!w->data[i] || magnitude(w->col_step[i]) <= itemsize[i])
            continue;
        for (int d = w->nouter - 1; d >= 0; d--)
            if (magnitude(w->strides[i][d]) == itemsize[i] && w->shape[d] >= 4)
                return d;
    }
    return -1;
}

static int longest_axis(const garray__walk *w)
{
    int longest = w->nouter - 1;
    for (int d = longest - 1; d >= 0; d--)
        if (w->shape[d] > w->shape[longest])
            longest = d;
    return longest;
}

static bool steps_are_plain(const garray__walk *w, const int *itemsize)
{
    for (int i = 0; i < w->nop; i++)
        if (w->col_step[i] != itemsize[i] && w->col_step[i] != 0)
            return false;
    return true;
}

static void count_tiles(garray__walk *w)
{
    w->row_tiles = (w->rows - 1) / w->tile_rows + 1;
    w->col_tiles = (w->cols - 1) / w->tile_cols + 1;
    w->ntiles = w->row_tiles * w->col_tiles;
    for (int d = 0; d < w->nouter; d++)
        w->ntiles *= w->shape[d];
}

void garray__walk_init(garray__walk *w, const garray_ew_plan *plan, const int *itemsize, int width)
{
    load_axes(w, plan);
    merge_axes(w);
    w->rows = w->cols = 1;
    for (int i = 0; i < w->nop; i++)
        w->row_step[i] = w->col_step[i] = 0;
    if (w->nouter > 0)
        w->cols = take_axis(w, w->nouter - 1, w->col_step);

    int widest = width;
    for (int i = 0; i < w->nop; i++)
        widest = itemsize[i] > widest ? itemsize[i] : widest;
    int64_t room = GARRAY_WALK_TILE_BYTES / widest;
    int turned = turned_axis(w, itemsize);
    w->tile_rows = 1;
    w->group = 1;
    if (turned >= 0) {
        w->rows = take_axis(w, turned, w->row_step);
        int64_t cols = TURNED_BYTES / itemsize[0] > TURNED_COLS ? TURNED_BYTES / itemsize[0] : TURNED_COLS;
        w->tile_cols = w->cols < cols ? w->cols : cols;
        w->group = TURNED_GROUP;
        w->tile_rows = room / w->tile_cols;
    } else if (w->cols < SHORT_ROW && w->nouter > 0) {
        int axis = w->nouter - 1;
        if (w->shape[axis] * w->cols < SHORT_ROW)
            axis = longest_axis(w);
        w->rows = take_axis(w, axis, w->row_step);
        w->tile_cols = w->cols;
        w->tile_rows = room / w->tile_cols;
    } else {
        w->tile_cols = width || !steps_are_plain(w, itemsize) ? room : LONG_TILE;
    }
    if (w->tile_cols > w->cols)
        w->tile_cols = w->cols;
    if (w->tile_rows > w->rows)
        w->tile_rows = w->rows;
    count_tiles(w);
}

void garray__walk_narrow(garray__walk *w, int64_t cols)
{
    if (w->tile_cols > cols) {
        w->tile_cols = cols;
        count_tiles(w);
    }
}

void garray__walk_tiles(const garray__walk *w, int64_t begin, int64_t end, garray__tile_fn *visit, void *ctx)
{
    int64_t index[GARRAY_MAX_NDIM], rest = begin;
    char *base[GARRAY_EW_OPERANDS];
    /* Within the outer axes: groups of row tiles, in each the column tiles, for each of these the rows. */
    const int64_t plane = w->row_tiles * w->col_tiles, whole = w->group * w->col_tiles;
    int64_t top = rest % plane / whole * w->group, in_plane = rest % plane % whole;
    int64_t height = w->row_tiles - top < w->group ? w->row_tiles - top : w->group;
    int64_t col = in_plane / height, row = in_plane % height;
    rest /= plane;
    for (int i = 0; i < w->nop; i++)
        base[i] = w->data[i];
    for (int d = w->nouter - 1; d >= 0; d--) {
        index[d] = rest % w->shape[d];
        rest /= w->shape[d];
        for (int i = 0; i < w->nop; i++)
            if (base[i])
                base[i] += index[d] * w->strides[i][d];
    }
    for (int64_t k = begin; k < end; k++) {
        garray__tile tile;
        int64_t r = (top + row) * w->tile_rows, c = col * w->tile_cols;
        tile.rows = w->rows - r < w->tile_rows ? w->rows - r : w->tile_rows;
        tile.cols = w->cols - c < w->tile_cols ? w->cols - c : w->tile_cols;
        for (int i = 0; i < w->nop; i++)
            tile.data[i] = base[i] ? base[i] + r * w->row_step[i] + c * w->col_step[i] : NULL;
        visit(ctx, &tile);
        if (++row < height)
            continue;
        row = 0;
        if (++col < w->col_tiles)
            continue;
        col = 0;
        top += height;
        if (top == w->row_tiles)
            top = 0;
        height = w->row_tiles - top < w->group ? w->row_tiles - top : w->group;
        if (top != 0)
            continue;
        for (int d = w->nouter - 1; d >= 0; d--) {
            int64_t step = ++index[d] < w->shape[d] ? 1 : 1 - w->shape[d];
            for (int i = 0; i < w->nop; i++)
                if (base[i])
                    base[i] += step * w->strides[i][d];
            if (step == 1)
                break;
            index[d] = 0;
        }
    }
}
