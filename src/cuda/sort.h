/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of sorts (sort.c) and the files with its kernels. */
#ifndef GARRAY_CUDA_SORT_H
#define GARRAY_CUDA_SORT_H

#include "cuda/sort_key.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sort.cu: CUB's radix sort.  With temp NULL the functions set *size and do nothing else.  values: keys of 1, 2, 4 or 8
 * bytes, in is left as it is.  dtype: float32, float64, int32 or int64, ascending, at most 2^32 - 1 items, NaNs with a sign
 * first; or 0: in the given order.  places: up to 2^32 - 1 keys that are numbers (of 4 or 8 bytes) whose bits above `bits`
 * are 0, with 32-bit places beside them; both are overwritten and *result says which of the two buffers holds the result. */
cudaError_t garray__cuda_radix_values(void *temp, size_t *size, int dtype, int width, const void *in, void *out, int64_t n,
                                      const garray__sort_order *order, int bits, cudaStream_t stream);
cudaError_t garray__cuda_radix_places(void *temp, size_t *size, int width, void *keys[2], uint32_t *places[2],
                                      int64_t n, int bits, int *result, cudaStream_t stream);

/* sort_rows.cu: kernels of short rows and of the steps around the radix sort. */
enum { GARRAY_CUDA_SORT_SHORT = 2048 };         /* rows up to this long are sorted by a block */

/* top_k of long rows (top_long.h): of each row, in device memory. */
typedef struct garray__top_state {
    uint64_t key;                       /* the bound; the item at `place` with this key is still kept */
    uint32_t place, kept, ticket;
    uint32_t failed;                    /* the sample misled: another way must be gone */
} garray__top_state;

typedef struct garray__sort_args {
    const void *in;
    void *values;
    int64_t *indices;
    void *keys;                         /* of 4 or 8 bytes, or the candidates of top_k */
    uint32_t *places;
    const void *keys_in;                /* top_k: candidates of the level before, or NULL: the items themselves */
    const uint32_t *places_in;
    const garray__top_state *unless;    /* top_k: rows whose search did not fail need nothing; or NULL */
    int64_t rows, n, k, chunk, chunks;  /* n: items of a row (top_k: of this level) */
    int64_t stride, out_stride;         /* top_k: items of a row in memory, before and after */
    int32_t dtype, size, key_size, padded;
    uint64_t flip, common_nan;          /* common_nan: bits, for rows in registers */
    garray__sort_order order;
} garray__sort_args;

typedef enum {
    GARRAY__SORT_BLOCK,                 /* rows of at most GARRAY_CUDA_SORT_SHORT items, whole */
    GARRAY__SORT_KEYS,                  /* items to level keys and places */
    GARRAY__SORT_ROW_KEYS,              /* items of up to 4 bytes to keys with the row above them */
    GARRAY__SORT_FROM_ROW_KEYS,         /* and back to items */
    GARRAY__SORT_KEYS_AT,               /* keys of the items at places (upper halves of complex128) */
    GARRAY__SORT_ROWS_AT,               /* the row of each place, as a 32-bit key */
    GARRAY__SORT_PUT,                   /* places to indices and values */
    GARRAY__SORT_FIND_NANS,             /* values with n NaNs to move first: places gets n, keys the values as they should be */
    GARRAY__SORT_MOVE_NANS,             /* keys to values where n is not 0 */
    GARRAY__SORT_SELECT,                /* top_k: the k first of each chunk, unsorted */
    GARRAY__SORT_TOP,                   /* top_k: the k candidates of a row, sorted and put */
} garray__sort_step;

/* sort_short.cu: rows in the registers of a warp.  sort_tile.cu: rows of a few thousand items, a block for each.  Both
 * put the first k of each row, values may be in. */
bool garray__cuda_sort_is_short(const garray__sort_args *args);
garray_status garray__cuda_sort_short(const garray__queue *q, const garray__sort_args *args);
bool garray__cuda_sort_is_tile(const garray__queue *q, const garray__sort_args *args);
garray_status garray__cuda_sort_tile(const garray__queue *q, const garray__sort_args *args);

/* sort.c, for partition.c: the order of a dtype (nan_first: descending reverses NaNs too), and a stable sort of keys of 4 or
 * 8 bytes with their places; *at says which of the two buffers of both hold the result. */
garray__sort_order garray__cuda_sort_order(int dtype, bool descending, bool nan_first);
garray_status garray__cuda_sort_pairs(const garray__queue *q, int width, void *keys[2], uint32_t *places[2], int64_t n, int bits,
                                      int *at);

/* partition.c: plans of kind PARTITION and PICK. */
garray_status garray__cuda_partition(const garray__queue *q, const garray_sort_plan *plan);

/* Items or blocks as the step has it: count is the number of threads' work items. */
garray_status garray__cuda_sort_step(const garray__queue *q, garray__sort_step step, const garray__sort_args *args);

#ifdef __cplusplus
}
#endif
#endif
