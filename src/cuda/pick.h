/* SPDX-License-Identifier: BSD-3-Clause
 * Between the planner of order statistics (partition.c) and its kernels.  Items are compared as total keys: numbers in
 * their order with -0 below 0, and all ones for any NaN. */
#ifndef GARRAY_CUDA_PICK_H
#define GARRAY_CUDA_PICK_H

#include "cuda/sort_key.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GARRAY_CUDA_PICK_WARP = 1024,       /* rows up to this long are held by a warp */
    GARRAY_CUDA_PICK_SAMPLE = 16384,    /* items of a long row's sample, and of what is searched whole */
};

/* The search for some neighbouring ranks of one long row, in device memory.  Each round draws a sample of the source (the
 * row, then the keys that the round before kept), brackets the ranks, counts the source and keeps what is between. */
typedef struct garray__pick_state {
    uint64_t count, base;               /* items of the source, and how many of the row are below all of them */
    uint64_t low, high;                 /* the bracket; where both are one key, at_high stays 0 */
    unsigned long long below, at_low, between, at_high;
    unsigned long long top;             /* the row's highest key */
    uint32_t done, failed;              /* failed: the sample misled, or there was no room; another kernel answers */
    uint32_t resolved;                  /* a bit for each rank */
    uint32_t ticket;                    /* blocks that have drawn their part of the sample */
} garray__pick_state;

typedef struct garray__pick_args {
    const void *in;
    void *values;                       /* of rows * nkth items, from keys */
    uint64_t *keys;                     /* rows * nkth */
    int64_t rows, n;
    int32_t nkth, size, first, ranks;   /* first, ranks: those of this search */
    int32_t top, round;                 /* top: this rank is the row's highest key; or -1 */
    int32_t dtype, reserved;
    void *sample;                       /* GARRAY_CUDA_PICK_SAMPLE keys */
    garray__pick_state *state;          /* block: only if the search failed; NULL: always */
    const void *source;                 /* long rows: keys (of 4 or 8 bytes) kept by the last round; NULL: the row */
    void *kept;
    uint64_t room, source_room;         /* of kept and of source */
    uint32_t *groups, *places;          /* partition */
    int64_t kth[GARRAY_SORT_RANKS];
    garray__sort_order order;
} garray__pick_args;

typedef enum {
    GARRAY__PICK_WARP,                  /* the keys of the wanted ranks of rows of up to GARRAY_CUDA_PICK_WARP items */
    GARRAY__PICK_BLOCK,                 /* of rows of any length, a block for each */
    GARRAY__PICK_SAMPLE,                /* long rows: draws the bracket of a round */
    GARRAY__PICK_NARROW,                /* and counts and keeps */
    GARRAY__PICK_VALUES,                /* keys to values */
    GARRAY__PICK_GROUPS,                /* partition: the group of each item, its row above, and its place */
} garray__pick_step;

/* pick.cu, pick_long.cu */
garray_status garray__cuda_pick_step(const garray__queue *q, garray__pick_step step, const garray__pick_args *args);
garray_status garray__cuda_pick_sample(const garray__queue *q, const garray__pick_args *args);
garray_status garray__cuda_pick_narrow(const garray__queue *q, const garray__pick_args *args);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

namespace garray__cuda {

template <class U> __device__ __forceinline__ U total_key(const garray__sort_order &o, U bits)
{
    const U k = key_of_number<U>(o, bits);
    return (U)(k - (U)o.nan) <= (U)o.nans ? (U)~(U)0 : k;
}

__device__ __forceinline__ uint64_t total_item(const garray__sort_order &o, int size, const void *base, int64_t i)
{
    switch (size) {
    case 1: return total_key<uint8_t>(o, ((const uint8_t *)base)[i]);
    case 2: return total_key<uint16_t>(o, ((const uint16_t *)base)[i]);
    case 4: return total_key<uint32_t>(o, ((const uint32_t *)base)[i]);
    default: return total_key<uint64_t>(o, ((const uint64_t *)base)[i]);
    }
}

} /* namespace garray__cuda */

#endif
#endif
