/* SPDX-License-Identifier: BSD-3-Clause
 * The way through a strided plan: its axes ordered for the output, merged, and cut into tiles of rows x
 * columns, so that each tile's operands fit into the first cache.  Tiles are numbered; a thread takes a
 * range of them. */
#ifndef GARRAY_CPU_WALK_H
#define GARRAY_CPU_WALK_H

#include "cpu/cpu.h"

enum { GARRAY_WALK_TILE_BYTES = 16384 };        /* of one operand in one tile that has to be buffered */

typedef struct garray__walk {
    int nop, nouter;
    int64_t count;                              /* items */
    char *data[GARRAY_EW_OPERANDS];
    int64_t rows, cols;                         /* lengths of the two axes that tiles are cut from */
    int64_t row_step[GARRAY_EW_OPERANDS], col_step[GARRAY_EW_OPERANDS];     /* bytes */
    int64_t tile_rows, tile_cols, row_tiles, col_tiles, ntiles;
    int64_t group;                              /* row tiles that are visited before the next column tile */
    int64_t shape[GARRAY_MAX_NDIM];             /* the other axes, outermost first */
    int64_t strides[GARRAY_EW_OPERANDS][GARRAY_MAX_NDIM];
} garray__walk;

typedef struct garray__tile {
    char *data[GARRAY_EW_OPERANDS];
    int64_t rows, cols;
} garray__tile;

/* width: bytes of the widest item that a buffer holds; 0 if nothing is buffered when inner steps are items
 * or 0. */
void garray__walk_init(garray__walk *w, const garray_ew_plan *plan, const int *itemsize, int width);

/* Makes tiles no wider than cols items. */
void garray__walk_narrow(garray__walk *w, int64_t cols);

/* Calls visit for the tiles [begin, end) in order. */
typedef void garray__tile_fn(void *ctx, const garray__tile *tile);
void garray__walk_tiles(const garray__walk *w, int64_t begin, int64_t end, garray__tile_fn *visit, void *ctx);

/* Is the whole operand one contiguous run within each tile? */
static inline bool garray__walk_flat(const garray__walk *w, int operand, int itemsize,
                                     const garray__tile *tile)
{
    return (w->col_step[operand] == itemsize || tile->cols == 1)
        && (tile->rows == 1 || w->row_step[operand] == tile->cols * itemsize);
}

#endif
