/* SPDX-License-Identifier: BSD-3-Clause
 * What convert.c hands to the kernels of convert.cu. */
#ifndef GARRAY_CUDA_CONVERT_H
#define GARRAY_CUDA_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include "cuda/fastdiv.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GARRAY_CUDA_CAST_VECTORS 1      /* vectors of a cast that a thread has in flight */

/* Contiguous items; vectors begin `shift` items before the first one, so that the output's are aligned. */
typedef struct garray__cast {
    char *out;
    const char *in;
    int64_t count;
    int32_t shift, aligned;             /* aligned: so are the input's */
} garray__cast;

/* Bytes [out, out + size) become the pattern; the first vector begins `shift` bytes earlier, at a multiple of 16. */
typedef struct garray__fill {
    char *out;
    int64_t size;
    int32_t shift, reserved;
    uint32_t pattern[4];
} garray__fill;

/* The kernels of transposing copies: PADDED where rows of the output do not all begin at a sector of memory, WORDS
 * for items below a word in whole words. */
enum { GARRAY__TILES_PLAIN = 0, GARRAY__TILES_PADDED = 1, GARRAY__TILES_WORDS = 2 };

/* Axis x is contiguous in the output, axis y in the input; walk: the other axes (stride 0: output, 1: input). */
typedef struct garray__tiles {
    char *out;
    const char *in;
    uint32_t x, y;                      /* lengths */
    int32_t out_y, in_x;                /* bytes from row to row */
    uint32_t reserved;
    garray__divisor tiles_x, tiles_y;
    garray__walk walk;
} garray__tiles;

/* Items at any address. */
typedef struct garray__bytes {
    char *out;
    const char *in;
    uint32_t count;
    int32_t itemsize;
    garray__walk walk;                  /* stride 0: output, 1: input */
} garray__bytes;

const void *garray__cuda_cast_kernel(int to, int from);
const void *garray__cuda_fill_kernel(void);
const void *garray__cuda_tiles_kernel(int itemsize, int form);
const void *garray__cuda_bytes_kernel(void);

/* A cast's vectors have so many items: 16 bytes of the larger dtype. */
static inline int garray__cast_vector(int to_size, int from_size)
{
    return 16 / (to_size > from_size ? to_size : from_size);
}

#ifdef __cplusplus
}
#endif
#endif
