/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers that decide speed and never a result. */
#ifndef GARRAY_CUDA_TUNING_H
#define GARRAY_CUDA_TUNING_H

#define GARRAY_CUDA_BLOCK 256           /* threads of a block, in every kernel of this folder that does not say otherwise */

/* Elementwise, operands that lie item by item: threads of a block, and 16-byte vectors of each operand that a thread does, by
 * the item's size.  Memory is fastest (by 3 % here) where what is under way lies close together: few vectors, short blocks;
 * more are good for formulas, of which a vector of 4-byte items has enough. */
#define GARRAY_CUDA_FLAT_BLOCK 128
#define GARRAY_CUDA_FLAT_VECTORS(size) ((size) == 2 || (size) >= 8 ? 2 : 1)

/* Blocks of a kernel that lets the next one of a graph get ready: each tells so, which would bound a large grid. */
#define GARRAY_CUDA_NEXT_BLOCKS 512

/* Other elementwise kernels: vectors that a thread has in flight. */
#define GARRAY_CUDA_VECTORS 2

/* Rows: an inner axis of fewer vectors than this is walked element by element. */
#define GARRAY_CUDA_ROW_VECTORS 8

/* Rows: how many rows a thread does at most, so that what it keeps of a row vector pays; and how many threads per
 * multiprocessor the grid should keep, which wins over the first. */
#define GARRAY_CUDA_ROWS 16
#define GARRAY_CUDA_ROWS_THREADS 8192

/* Transposed copy: a tile is 64 x 64 items. */
#define GARRAY_CUDA_TILE 64
#define GARRAY_CUDA_WORD_TILE(size) (128 / (int)(size))         /* of items that move as words: a line of 128 bytes */

/* Random: Philox blocks of a thread. */
#define GARRAY_CUDA_DRAWS 4
#define GARRAY_CUDA_EXPONENTIAL_DRAWS 8
#define GARRAY_CUDA_ORDER 8             /* places of a permutation that a thread finds */

#endif
